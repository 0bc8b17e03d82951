-- include/moonarray.h from C: the example host is built and run, and embed.c, loaded as a Lua module, calls every
-- function of the interface.

local helper = require "spec.helper"
local ma = helper.ma

local read, run = require("spec.file").read, require("spec.file").run

local function first_line(command)
  local ok, text = run(command)
  return ok and text:match("^[^\n]*") or nil
end

local compiler = first_line("command -v ${CC:-cc}")
local cxx = first_line("command -v ${CXX:-c++}")
local includes = first_line("ls -d /usr/include/luajit-2.1 /usr/local/include/luajit-2.1 " ..
  "/opt/homebrew/include/luajit-2.1 2>/dev/null | head -1")
if includes == "" then includes = nil end
local sanitized = (os.getenv("SANITIZER") or "") ~= ""

--- A reason to skip, or nil.
local function missing()
  if not compiler then return "no C compiler" end
  if not includes then return "no LuaJIT headers" end
end

local folder
setup(function()
  folder = os.tmpname()
  os.remove(folder)
  assert(run("mkdir " .. folder))
end)
teardown(function() run("rm -rf " .. folder) end)

local flags = " -Wall -Wextra -Werror -pedantic -Iinclude -I" .. (includes or "")

describe("the C header", function()
  it("is clean C and C++", function()
    if missing() then return pending(missing()) end
    local source = folder .. "/clean.c"
    local file = assert(io.open(source, "w"))
    file:write("#include <moonarray.h>\n#if !MOONARRAY_VERSION_AT_LEAST(0, 1, 0) || " ..
      "MOONARRAY_VERSION_AT_LEAST(MOONARRAY_VERSION_MAJOR, MOONARRAY_VERSION_MINOR, MOONARRAY_VERSION_PATCH + 1)\n" ..
      "#error version\n#endif\nint main(void) { return sizeof(moonarray_api) == 0; }\n")
    file:close()
    for _, standard in ipairs { "c99", "c11", "c17" } do
      local ok, output = run(("%s -std=%s%s -c -o /dev/null %s"):format(compiler, standard, flags, source))
      assert(ok, standard .. ": " .. output)
    end
    for _, program in ipairs { cxx or false, first_line("command -v clang++ || command -v clang++-14") or false } do
      for _, standard in ipairs(program and { "c++11", "c++17" } or {}) do
        local ok, output = run(("%s -x c++ -std=%s%s -Wold-style-cast -c -o /dev/null %s"):format(program, standard,
          flags, source))
        assert(ok, program .. " " .. standard .. ": " .. output)
      end
    end
  end)

  it("has the version of the library", function()
    local text = read("include/moonarray.h")
    local numbers = {}
    for k, name in ipairs { "MAJOR", "MINOR", "PATCH" } do
      numbers[k] = assert(text:match("#define MOONARRAY_VERSION_" .. name .. " (%d+)\n"))
    end
    assert.equal(ma.version, table.concat(numbers, "."))
    assert.equal(ma.version, text:match('#define MOONARRAY_VERSION "(.-)"'))
  end)

  it("is quoted by the documents as the examples have it", function()
    local host, count = read("examples/embed/host.c") .. read("examples/embed/vulkan.c"), 0
    for block in read("docs/embedding.md"):gmatch("```c\n(.-)```") do
      count = count + 1
      assert(host:find(block, 1, true), "the examples have no\n" .. block)
    end
    assert.equal(4, count)
  end)

  it("serves a host that embeds Lua", function()
    if missing() then return pending(missing()) end
    if sanitized then return pending("the module needs the sanitizer's library in the host") end
    local host = folder .. "/host"
    local libraries = first_line("pkg-config --libs luajit") or "-lluajit-5.1"
    local ok, output = run(("%s -std=c99%s examples/embed/host.c -o %s %s"):format(compiler, flags, host, libraries))
    local none = output:find("cannot find %-lluajit") or output:find("unable to find .-luajit")
    if not ok and none then return pending("no LuaJIT library to link") end
    assert(ok, output)
    ok, output = run(("LUA_PATH='%s' LUA_CPATH='%s' MOONARRAY_DEVICE=cpu %s examples/embed/game.lua"):format(
      package.path, package.cpath, host))
    assert(ok, output)
    assert.equal(([==[
moonarray %s, interface 2
[[10. 20.]
 [11. 20.]
 [10. 21.]
 [11. 21.]]
(4, 2) float32, cpu
centre: 10.5 20.5
first particle: 10 20
the script let go of the positions
users of the world: 0
]==]):format(ma.version), output)
    -- Without the library the reason is told.
    ok, output = run(("LUA_PATH='' LUA_CPATH='' %s examples/embed/game.lua"):format(host))
    assert.is_false(ok)
    assert(output:find("module 'moonarray.core' not found", 1, true), output)
  end)
end)

describe("the C interface", function()
  local embed
  setup(function()
    if missing() then return end
    local library = folder .. "/embed.so"
    local ok, output = run(("%s -std=c11%s -fPIC -shared -Wno-pedantic -o %s spec/host/embed.c"):format(compiler, flags,
      library))
    assert(ok, output)
    embed = assert(package.loadlib(library, "luaopen_embed"))()
  end)

  local function each(name, fn)
    it(name, function()
      if not embed then return pending(missing()) end
      fn()
    end)
  end

  each("knows arrays from other values", function()
    assert.is_true(embed.is_array(ma.zeros(3)))
    local freed = ma.zeros(3)
    freed:free()
    for _, value in ipairs { 1, "x", {}, io.stdout, print, freed } do assert.is_false(embed.is_array(value)) end
    assert.is_false(embed.is_array(nil))
  end)

  each("tells what an array is", function()
    local x = ma.arange(24, "int16"):reshape(2, 3, 4)
    local y = x.T[{ {}, { 2, 3 }, 1 }]
    local t = embed.get(y, false)
    assert.same({ 4, 2 }, t.shape)
    assert.same(y.strides, t.stride)
    assert.equal("int16", helper.dtypes[t.dtype + 1])
    assert.equal(y:ptr(), t.data)
    assert.equal(1, t.strided)
    assert.equal(0, t.readonly)
    assert.equal(helper.device == "cpu" and 1 or 2, t.device)
    assert.equal(0, t.stream)
    for k, dtype in ipairs(helper.dtypes) do assert.equal(k - 1, embed.get(ma.zeros(1, dtype), false).dtype) end
    local view = ma.zeros(3):broadcast_to { 2, 3 }
    assert.equal(1, embed.get(view, false).readonly)
    local _, message = embed.get(view, true)
    assert(message:find("read-only", 1, true), message)
    _, message = embed.get(12, false)
    assert(message:find("moonarray.get: ", 1, true) and message:find("12", 1, true), message)
  end)

  each("pushes memory of the host and releases it once", function()
    local before = embed.released()
    local x, address = embed.push(helper.device, 2)          -- 2 x 3 doubles, 0..5, on the CPU
    assert.equal("cpu", x.device)
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, x:totable())
    local row = x["2, :"]
    x:iadd(10)
    x:free()
    collectgarbage()
    assert.equal(before, embed.released())
    assert.same({ 13, 14, 15 }, row:totable())
    assert.equal(address + 24, row:ptr())
    row:free()
    assert.equal(before + 1, embed.released())
    row:free()
    collectgarbage()
    assert.equal(before + 1, embed.released())
  end)

  each("refuses what it cannot wrap, and does not release it", function()
    local before = embed.released()
    for _, case in ipairs {
      { "null", "NULL" }, { "misaligned", "multiple of 8" }, { "axes", "17 axes" }, { "negative", "negative" },
      { "dtype", "dtype 99" },
      { "device", "device 7" }, { "strides", "multiple of 8" }, { "gpu", "cuda" },
    } do
      local x, message = embed.refuse(case[1])
      assert.is_nil(x)
      assert(message:find(case[2], 1, true), case[1] .. ": " .. tostring(message))
      assert(message:find("moonarray.push: ", 1, true), message)
    end
    assert.equal(before, embed.released())
  end)

  each("makes arrays of the library's memory", function()
    local x = embed.create(helper.device)
    assert.equal(helper.device, x.device)
    assert.same({ 5, 7 }, x.shape)
    assert.equal("float32", x.dtype)
    x:fill(3)
    assert.equal(105, x:sum():item())
    if helper.device == "cpu" then assert.equal(42, embed.create("cpu", 42)(1, 1)) end
  end)

  each("tells the current stream and waits for it", function()
    assert.equal(0, embed.stream(helper.device))
    local x = ma.ones(1000, "float32") * 2
    embed.synchronize(helper.device)
    assert.equal(2000, x:sum():item())
    local _, message = embed.stream("nowhere")
    assert(message:find("device", 1, true), message)
  end)

  each("sends what a frame has collected before it tells the stream", function()
    if helper.device == "cpu" then return end
    local x = ma.ones(10, "float32")
    local function work() for _ = 1, 5 do ma.add(x, 1, { out = x }) end end
    local frame = ma.frame(function()
      work()
      embed.stream "cuda"
      work()
    end)
    for _ = 1, 3 do frame() end
    local figures = frame:figures()
    assert.same({ 2, 5 }, { figures.graphs, figures.single })         -- the lists before it; what comes then is no list
    assert.equal(31, x(1))
  end)

  each("imports memory and semaphores of others", function()
    local pretended = (os.getenv("LD_LIBRARY_PATH") or ""):find("pretend", 1, true) and helper.device ~= "cpu"
    for _, case in ipairs { { true, 99 }, { true, 4 }, { false, 2 } } do
      local _, message = embed.refuse_external(unpack(case))
      assert(message:find("wanted one of moonarray_external_type", 1, true), message)
    end
    if not pretended then
      local _, message = embed.identity()
      return helper.device ~= "cpu" or assert(message:find("moonarray.identity: ", 1, true), message)
    end
    local ffi = require "ffi"
    pcall(ffi.cdef, "int memfd_create(const char *, unsigned); int ftruncate(int, long); int close(int);")
    local fd = ffi.C.memfd_create("external", 0)
    assert(ffi.C.ftruncate(fd, 64) == 0)
    local memory, array, semaphore = embed.external(fd, 64)
    assert.equal(64, memory.size)
    array:fill(2)
    assert.same({ 2, 3 }, array.shape)
    local all = memory:array(16, "float32")
    assert.equal(12, all["2:7"]:sum():item())
    assert.is_true(embed.turn(semaphore, 9))
    assert.equal(9, memory:array(1, "uint64"):item())
    local _, message = embed.turn(array, 1)
    assert(message:find("wanted an external semaphore", 1, true), message)
    _, message = embed.external(fd, 65)
    assert(message:find("moonarray.external_memory: the handle", 1, true), message)
    semaphore:close()
    _, message = embed.turn(semaphore, 1)
    assert(message:find("was closed", 1, true), message)
    local uuid, has_luid = embed.identity()
    assert.equal((uuid:gsub(".", function(c) return ("%02x"):format(c:byte()) end)),
      (ma.cuda.Device(0).uuid:gsub("-", "")))
    assert.is_false(has_luid)
    ffi.C.close(fd)
  end)

  each("hands tensors out and takes them in", function()
    local x = ma.arange(12, "float32"):reshape(3, 4)
    for _, versioned in ipairs { true, false } do
      local y = embed.through_dlpack(x.T, versioned)
      assert.same(x.T:totable(), y:totable())
      assert.equal(x:ptr(), y:ptr())
      y:free()
    end
    local _, message = embed.through_dlpack(nil, true)
    assert(message:find("moonarray.from_dlpack: a NULL pointer", 1, true), message)
  end)

  each("takes nothing of the stack", function()
    local x = ma.ones(3)
    for _ = 1, 100 do assert.equal(8 * 3, 3 * embed.get(x, true).stride[1]) end
  end)
end)
