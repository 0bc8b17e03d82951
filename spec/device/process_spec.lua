-- How processes end and begin: exits in every way with arrays alive, the module loaded and unloaded, forks. Each in a
-- child process whose exit code and error stream are held against what they must be; a child that hangs is ended after
-- a minute.

local helper = require "spec.helper"

local LUA = os.getenv("LUAJIT") or "luajit"
local LIMIT = 120

local take = require("spec.file").take

--- Runs a chunk in a process of its own: its exit code and what it wrote to the two streams.
local function child(chunk, environment)
  local script, out, err = os.tmpname(), os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(chunk)
  file:close()
  local pipe = assert(io.popen(("%s timeout %d '%s' '%s' >'%s' 2>'%s'; echo $?"):format(environment or "", LIMIT, LUA,
    script, out, err)))
  local code = tonumber(pipe:read("*a"))
  pipe:close()
  os.remove(script)
  return code, (take(out):gsub("\r\n", "\n")), (take(err):gsub("\r\n", "\n"))         -- texts on Windows
end

local function ends(code, chunk, environment)
  local got, out, err = child(chunk, environment)
  assert(got == code, ("exit code %s; wanted %d: %s%s"):format(tostring(got), code, out, err))
  assert(err == "", "it wrote to stderr: " .. err)
  return out
end

-- Every kind of object, in globals so that only the end of the state collects them.
local alive = [[
  ma = require "moonarray"
  a = ma.ones({ 700, 800 }, "float32")
  b, view = a * 2 + 1, a["1:5"]
  event, stream, device = ma.Event():record(), ma.Stream.null, ma.device()
  fused = ma.fuse(function(x) return x * 2 + 1 end)
  c, bar, ticket = fused(a), ma.progress(10), ma.export(b)
  total = b:sum():item()
  co = coroutine.wrap(function() inner = ma.zeros(10); coroutine.yield(inner) end)
  co()
  for i, row in a:rows() do held = row if i == 3 then break end end
]]

describe("a process with everything alive", function()
  local ways = {
    { "runs to its end", "" },
    { "calls os.exit()", "os.exit()" },
    { "calls os.exit(true, true), which closes the state", "os.exit(true, true)" },
    { "calls os.exit(3)", "os.exit(3)", 3 },
    { "calls os.exit(3, true)", "os.exit(3, true)", 3 },
    { "exits within a scope", "ma.scope(function() local x = a + 1; os.exit(x(1, 1) == 2 and 0 or 9, true) end)" },
    { "exits within a coroutine",
      "coroutine.wrap(function() local x = a + 1; os.exit(x(1, 1) == 2 and 0 or 9, true) end)()" },
    { "exits within a device's with", "device:with(function() os.exit(0, true) end)" },
    { "frees in any order before", "a:free() event = nil collectgarbage() device = nil collectgarbage() b:free()" },
    { "stopped the collector", "collectgarbage('stop') for i = 1, 50 do local x = a + i end" },
    { "emptied package.loaded",
      "for name in pairs(package.loaded) do if name:find('^moonarray') then package.loaded[name] = nil end end\n"
      .. "assert(require 'moonarray' == ma and (a + 1)(1, 1) == 2)" },
    { "closes a finaliser's arrays last",
      "local p = newproxy(true) getmetatable(p).__gc = function() assert(a.size == 560000) end keep = p" },
  }
  for _, way in ipairs(ways) do
    it(way[1], function() ends(way[3] or 0, alive .. way[2]) end)
  end

  it("fails with an error, which is all that is printed", function()
    local code, _, err = child(alive .. "\nerror('it went wrong')")
    assert.equal(1, code)
    assert.matches("it went wrong", err)
    assert.matches("stack traceback", err)
    assert(not err:find("moonarray", 1, true) or err:find("in main chunk"), err)
  end)

  it("is ended by a broken expression of the library's", function()
    local code, _, err = child(alive .. "\nlocal z = a + ma.zeros({ 3, 3 })")
    assert.equal(1, code)
    assert.matches("moonarray.add: ", err)
  end)
end)

describe("an engine", function()
  it("opens and closes the module's library as it likes", function()
    ends(0, [[
      local ffi = require "ffi"
      ffi.cdef "void *dlopen(const char *, int); int dlclose(void *); char *dlerror(void);"
      local path = assert(package.searchpath("moonarray.core", package.cpath))
      for round = 1, 5 do
        local handle = ffi.C.dlopen(path, 2)
        assert(handle ~= nil)
        ffi.C.dlclose(handle)
      end
      local ma = require "moonarray"
      local a = ma.ones({ 500, 600 })
      for round = 1, 5 do
        local handle = ffi.C.dlopen(path, 2)
        ffi.C.dlclose(handle)
        ffi.C.dlclose(handle)                       -- one more than it opened
        for name in pairs(package.loaded) do if name:find("^moonarray") then package.loaded[name] = nil end end
        local again = require "moonarray"
        assert((again.sin(a) + a).shape[1] == 500)
      end
      a = nil
      collectgarbage() collectgarbage()
      assert(require("moonarray.core").live_buffers() == 0)
    ]])
  end)

  it("opens state after state, each of which loads the module", function()
    local out = ends(0, [[
      local ffi = require "ffi"
      ffi.cdef "typedef struct lua_State lua_State; lua_State *luaL_newstate(void); void luaL_openlibs(lua_State *);"
      ffi.cdef "int luaL_loadstring(lua_State *, const char *); int lua_pcall(lua_State *, int, int, int); void lua_close(lua_State *);"
      ffi.cdef "const char *lua_tolstring(lua_State *, int, size_t *);"
      local C = ffi.C
      if not pcall(function() return C.luaL_newstate end) then print "no C functions" os.exit(0) end
      local chunk = ("package.path, package.cpath = %q, %q"):format(package.path, package.cpath) .. [=[

        local ma = require "moonarray"
        local core = require "moonarray.core"
        assert(core.live_buffers() == 0)
        a, e = ma.ones({ 300, 400 }), ma.Event():record()
        assert(a:sum():item() == 120000)
      ]=]
      for round = 1, 20 do
        local L = C.luaL_newstate()
        C.luaL_openlibs(L)
        if C.luaL_loadstring(L, chunk) ~= 0 or C.lua_pcall(L, 0, 0, 0) ~= 0 then
          print(ffi.string(C.lua_tolstring(L, -1, nil)))
          os.exit(1)
        end
        C.lua_close(L)
      end
      print "closed"
    ]])
    assert(out == "closed\n" or out == "no C functions\n", out)
  end)
end)

local fork = [[
  local ffi = require "ffi"
  ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int); unsigned alarm(unsigned);"
  local ma = require "moonarray"
  -- Runs fn in a child; its exit code, or -1 when it ended by a signal (the alarm's, if it hung).
  local function forked(fn)
    io.stdout:flush()
    local pid = ffi.C.fork()
    if pid == 0 then
      ffi.C.alarm(60)
      local ok, message = pcall(fn)
      if not ok then io.stderr:write(tostring(message), "\n") end
      io.stderr:flush()
      ffi.C._exit(ok and 0 or 1)
    end
    local status = ffi.new("int[1]")
    assert(ffi.C.waitpid(pid, status, 0) == pid)
    return status[0] % 128 == 0 and math.floor(status[0] / 256) or -1
  end
]]

-- Both devices' arrays are of the CPU here; MOONARRAY_NUM_THREADS makes threads on a machine of one core too.
local on_cpu = "MOONARRAY_DEVICE=cpu MOONARRAY_NUM_THREADS=4"

describe("a forked child", function()
  it("computes on the CPU with threads of its own", function()
    ends(0, fork .. [[
      local a = ma.ones({ 1500, 1000 })
      assert((a + a):sum():item() == 3e6)            -- the parent's threads are there now
      for round = 1, 4 do
        assert(forked(function()
          local b = ma.ones({ 1500, 1000 }) * round
          assert((a + b):sum():item() == 1.5e6 * (round + 1))
          assert(ma.cumsum(b:reshape(-1))(1500000) == 1.5e6 * round)
          a:iadd(round)                               -- its own copy of the memory
        end) == 0)
      end
      assert(a:sum():item() == 1.5e6 and (a * 2):sum():item() == 3e6)
    ]], on_cpu)
  end)

  it("forks again, and its own children compute", function()
    ends(0, fork .. [[
      local a = ma.ones({ 1500, 1000 })
      assert(a:sum():item() == 1.5e6)
      assert(forked(function()
        assert(a:sum():item() == 1.5e6)
        assert(forked(function() assert((a * 3):sum():item() == 4.5e6) end) == 0)
        assert((a * 2):sum():item() == 3e6)
      end) == 0)
    ]], on_cpu)
  end)

  it("ends by os.exit with everything alive", function()
    ends(0, fork .. alive .. [[
      io.stdout:flush()
      local pid = ffi.C.fork()
      if pid == 0 then
        ffi.C.alarm(60)
        assert((ma.ones({ 1500, 1000 }) + 1):sum():item() == 3e6)
        os.exit(5, true)
      end
      local status = ffi.new("int[1]")
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 5 * 256, status[0])
    ]], on_cpu)
  end)

  it("is told that a ticket is its parent's", function()
    ends(0, fork .. [[
      local ticket = ma.export(ma.ones(3))
      assert(forked(function()
        local ok, message = pcall(ma.import, ticket)
        assert(not ok and message:find("a ticket of process %d+ in process %d+"), message)
      end) == 0)
      assert(ma.import(ticket):sum():item() == 3)
    ]], on_cpu)
  end)

  if helper.device == "cpu" then
    pending("is told that the GPU is its parent's: no GPU here")
  else
    it("is told that the GPU is its parent's", function()
      ends(0, fork .. [[
        local a = ma.ones(1000)
        assert(a:sum():item() == 1000)
        assert(forked(function()
          for _, fn in ipairs { function() return a + 1 end, function() return ma.zeros(5) end, function() return a:get() end,
            function() ma.synchronize() end, function() return ma.Event():record() end } do
            local ok, message = pcall(fn)
            assert(not ok and message:find("this process was forked from one that used the GPU", 1, true), message)
          end
          a = nil
          collectgarbage() collectgarbage()
          assert(ma.numpy.ones({ 1500, 1000 }):sum():item() == 1.5e6)
        end) == 0)
        assert((a + 1):sum():item() == 2000)
      ]])
    end)

    it("is told so where the parent only asked for GPUs", function()
      ends(0, fork .. [[
        assert(ma.cuda.is_available())
        assert(forked(function()
          local ok, message = pcall(ma.zeros, 5)
          assert(not ok and message:find("this process was forked from one that used the GPU", 1, true), message)
        end) == 0)
      ]])
    end)

    it("uses the GPU where the parent did not", function()
      ends(0, fork .. [[
        assert(ma.numpy.ones(10):sum():item() == 10)
        assert(forked(function() assert(ma.ones(10).device ~= "cpu" and ma.ones(10):sum():item() == 10) end) == 0)
      ]])
    end)
  end
end)

if helper.device ~= "cpu" then
  describe("MOONARRAY_GPU_MEMORY_LIMIT", function()
    local ask = [[
      local ma = require "moonarray"
      local ok, limit = pcall(function() return ma.zeros(1).device and ma.get_default_memory_pool():get_limit() end)
      print(ok, limit)
    ]]

    it("is a number of bytes, or a percentage of the device", function()
      assert.equal("true\t1000000000\n", ends(0, ask, "MOONARRAY_GPU_MEMORY_LIMIT=1e9"))
      local all = tonumber(ends(0, ask, "MOONARRAY_GPU_MEMORY_LIMIT=100%"):match("%d+"))
      assert.near(all / 2, tonumber(ends(0, ask, "MOONARRAY_GPU_MEMORY_LIMIT=50%"):match("%d+")), 1)
    end)

    it("is refused where it is neither, or more than there can be", function()
      for _, text in ipairs { "200%", "100.5%", "-5", "nan", "1e30", "5G", "50%%" } do
        local out = ends(0, ask, ("MOONARRAY_DEVICE=cuda MOONARRAY_GPU_MEMORY_LIMIT=%s"):format(text))
        assert(out:find(('MOONARRAY_GPU_MEMORY_LIMIT is "%s"; a number of bytes or a percentage up to 100%% ' ..
          'is wanted'):format(text), 1, true), out)
      end
    end)
  end)
end

describe("MOONARRAY_TRACE=fuse", function()
  it("writes why each thing that waited ran", function()
    local code, _, err = child([[
      local ma = require "moonarray"
      local a = ma.ones(5000):eval()
      local function new() return ma.exp(a) + 1 end
      local t = new()
      local _ = { ma.sqrt(t), t / 2, t / 3, t / 4, t / 5 }
      _ = t(1) + new()(1)
      _ = new()
      ma.synchronize()
      ma.export(new())
      local x = new()
      x[1] = 0
      ma.scope(new)
      ma.set_fusion(false)
    ]], "MOONARRAY_TRACE=fuse")
    assert(code == 0, err)
    local reasons = {}
    for line in err:gmatch("[^\n]+") do
      local reason = line:match("^moonarray fuse: .*%d+ instructions? over %d+ arrays?, 5000 elements.-: (.*)$")
      assert(reason, line)
      if reasons[#reasons] ~= reason then reasons[#reasons + 1] = reason end
    end
    assert.same({ "a second use", "it is read", "synchronize",
      "others are to know its memory",
      "it is written", "it leaves a scope" }, reasons)
  end)
end)
