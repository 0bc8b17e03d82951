-- Where the library's own files are found, in processes of their own.

local file = require "spec.file"

--- What a program prints, started in a folder where `moonarray` leads to the library. It may call chdir(path).
local function output_of(program)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder) == 0)
  local root = io.popen("pwd"):read("*l")
  assert(os.execute(("ln -s '%s/lua/moonarray' '%s/moonarray'"):format(root, folder)) == 0)
  local script = folder .. "/program.lua"
  file.write(script, [[
    local ffi = require "ffi"
    ffi.cdef "int chdir(const char *path); int _chdir(const char *path);"
    local chdir = ffi.os == "Windows" and ffi.C._chdir or ffi.C.chdir
    ]] .. program)
  local cpath = os.getenv("MODULE_DIR") or "."
  if not cpath:find("^/") then cpath = root .. "/" .. cpath end
  local pipe = io.popen(("cd '%s' && LUA_PATH='./?.lua;./?/init.lua;;' LUA_CPATH='%s/?.so;;' '%s' program.lua 2>&1")
    :format(folder, cpath, os.getenv("LUAJIT") or "luajit"))
  local text = pipe:read("*a")
  pipe:close()
  os.execute("rm -rf '" .. folder .. "'")
  return text
end

describe("parts that are loaded late", function()
  it("are found where the first file was, also from another folder", function()
    assert.equal("[1. 1.]\n1.4142135623731\n", output_of [[
      local ma = require "moonarray"
      chdir "/"
      print((tostring(ma.ones(2)):match "^[^\n]*%]"))
      print(ma.linalg.norm(ma.ones(2)):item())
    ]])
  end)

  it("are found where the first file was when package.path changes", function()
    assert.equal("[1. 1.]\n", output_of [[
      local ma = require "moonarray"
      package.path = "/nowhere/?.lua"
      print((tostring(ma.ones(2)):match "^[^\n]*%]"))
    ]])
  end)

  it("are skipped by the positions of errors", function()
    local text = output_of [[
      local ma = require "moonarray"
      chdir "/"
      print(pcall(function() ma.linalg.norm(ma.ones(2), "none") end))
    ]]
    assert(text:find("^false\tprogram.lua:6: moonarray.linalg.norm: "), text)
  end)

  it("keep the settings and the generators of the Lua state when they are loaded again", function()
    assert.equal("[0.33]\t[<0.5>]\ttrue\ttrue\tfloat32\n", output_of [[
      local ma = require "moonarray"
      local function again()
        for name in pairs(package.loaded) do
          if name:find "^moonarray" then package.loaded[name] = nil end
        end
        return require "moonarray"
      end
      ma.set_printoptions { precision = 2 }
      ma.set_default_dtype "float32"
      ma.random.seed(5)
      local rng, state = ma.random.default_rng(5), ma.random.get_state()
      ma = again()
      local third = ma.array_str(ma.array { 1 / 3 })
      ma.set_printoptions { formatter = { all = function(x) return "<" .. x .. ">" end } }
      ma = again()
      local own = ma.array_str(ma.array { 0.5 })
      print(third, own, ma.random.get_state().low == state.low and ma.random.get_state().draw == 0,
        ma.array_equal(ma.random.random(3), ma.random.random(3, { generator = rng })), ma.get_default_dtype())
    ]])
  end)

  it("are looked for by one searcher, however often the library is loaded", function()
    assert.equal("1\n0\n", output_of [[
      local before = #package.loaders
      local _ = require "moonarray"
      print(#package.loaders - before)
      local once = #package.loaders
      for name in pairs(package.loaded) do
        if name:find "^moonarray" then package.loaded[name] = nil end
      end
      _ = require "moonarray"
      print(#package.loaders - once)
    ]])
  end)
end)
