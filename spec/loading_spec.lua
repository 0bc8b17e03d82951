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
    ffi.cdef "int chdir(const char *path);"
    local chdir = ffi.C.chdir
    ]] .. program)
  local cpath = os.getenv("MODULE_DIR") or "."
  if not cpath:find("^/") then cpath = root .. "/" .. cpath end
  local pipe = io.popen(("cd '%s' && LUA_PATH='./?.lua;./?/init.lua' LUA_CPATH='%s/?.so;;' '%s' program.lua 2>&1")
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
