-- The library under plain Lua 5.1, as docs/install.md has it: each of its files compiles and loads, nothing undeclared
-- is read or written, and the examples of all functions print what they print under LuaJIT.

local helper = require "spec.helper"
local ma = helper.ma
local reference = require "scripts.reference"
local examples = require "moonarray.help.examples"

local LUA = "lua5.1"
local found = os.execute("command -v " .. LUA .. " >/dev/null 2>&1") == 0
-- A LuaJIT of another kind, as for musl, has a module that lua5.1 does not load.
local why_not = not found and "no lua5.1" or (os.getenv "LUAJIT" or "luajit") ~= "luajit" and "a LuaJIT of its own"

local STRICT = [[
setmetatable(_G, { __index = function(_, name) error("the global " .. name .. " is read", 2) end,
  __newindex = function(_, name) error("the global " .. name .. " is written", 2) end })
]]

--- What a program prints, with its errors.
local function output(program, words)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(program)
  file:close()
  local pipe = assert(io.popen(("MOONARRAY_DEVICE=cpu %s %s %s 2>&1"):format(LUA, path, words or "")))
  local text = pipe:read "*a"
  pipe:close()
  os.remove(path)
  return text
end

local function test(name, fn)
  it(name, function()
    if why_not then return pending(why_not) end
    fn()
  end)
end

describe("plain Lua", function()
  test("compiles and loads each file, and needs no global of LuaJIT's", function()
    local pipe = io.popen "find lua -name '*.lua'"
    local files = {}
    for path in pipe:lines() do files[#files + 1] = path end
    pipe:close()
    assert(#files > 200, #files .. " files")
    assert.equal("", output(STRICT .. [[
      local core = require("moonarray").arange and require "moonarray.core"
      for _, path in ipairs(arg) do
        local fn, why = loadfile(path)
        if not fn then print(why) end
      end
      assert(core.functions)                               -- loads all parts
      for _, path in ipairs(arg) do
        local name = path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
        local ok, why = pcall(require, name)
        if not ok and name ~= "moonarray.meta" then print(why) end
      end]], table.concat(files, " ")))
  end)

  test("prints all examples as LuaJIT does", function()
    local names, said, text = {}, {}, output(STRICT .. [[
      local ma = require "moonarray"
      local reference = require "scripts.reference"
      for name, example in pairs(require "moonarray.help.examples") do
        if not example.gpu then
          local program = reference.program(example)
          if not program:find("ffi", 1, true) and not program:find(":data()", 1, true) then
            local ok, text = pcall(reference.run, ma, program)
            io.write("\1", name, "\2", tostring(text))
          end
        end
      end]])
    for name, printed in text:gmatch "\1([^\2]*)\2([^\1]*)" do
      names[#names + 1], said[name] = name, printed
    end
    assert(#names > 1000, text:sub(1, 1000))
    local failures = helper.failures()
    for _, name in ipairs(names) do
      failures:run(name, function()
        local program = reference.program(examples[name])
        local _, want = pcall(reference.run, ma, program)
        -- An address, and the text of a program that is the name of its place, are others in each process.
        local function same(what)
          return (tostring(what):gsub("0x%x+", "0x"):gsub('%[string ".-"%]', "")):gsub(helper.device, "cpu")
        end
        assert.equal(same(want), (same(said[name])), program)
      end)
    end
    failures:check()
  end)

  test("prints integers that no double holds digit by digit", function()
    assert.equal([[
[9007199254740993]
9223372036854775807
-9007199254740993
[9223372036854775807 9223372036854775808]
array({{-9223372036854775808}}, "int64")
9007199254740993

error: 9007199254740993 (ACTUAL), 9007199254740994 (DESIRED)
]], output [[
      local ma = require "moonarray"
      local big = ma.full(1, 2 ^ 53, "int64") + 1
      local function first(x) print((tostring(x):match "^[^\n(]*[^\n( ]")) end
      first(big)
      first((ma.full(1, -2 ^ 63, "int64") - 1):max())
      first(-big:sum())
      first(ma.array({ 2 ^ 63, 2 ^ 63 }, "uint64") - ma.array({ 1, 0 }, "uint64"))
      print((ma.array_repr(ma.full({ 1, 1 }, -2 ^ 63, "int64")):gsub("^ma%.", "")))
      local path = os.tmpname()
      ma.savetxt(path, big, "%d")
      print((io.open(path):read "*a"))
      os.remove(path)
      local _, why = pcall(ma.testing.assert_array_equal, big, big + 1)
      print("error: " .. why:match "%d+ %(ACTUAL%), %d+ %(DESIRED%)")]])
  end)

  test("takes sequences of shift registers and keys of floats", function()
    local PROGRAM = [[
      local ma, core = require "moonarray", require "moonarray.core"
      print(ma.array_str((ma.signal.max_len_seq(5))))
      local keys = require "moonarray.distributed.keys" (ma, core)
      for _, dtype in ipairs { "float32", "float64" } do
        local x = ma.array({ 1, -1, 0, ma.inf, -ma.inf, ma.nan, 1e-40 }, dtype)
        for _, op in ipairs { "min", "max" } do
          local key = keys.of(x, op)
          assert(ma.array_equal(keys.back(key), x, { equal_nan = true }))
          assert(ma.isnan(keys.back(key[op](key):reshape { 1 })):all())
          print(ma.array_str(key))
        end
      end]]
    local said = {}
    local environment = setmetatable({ print = function(text) said[#said + 1] = text .. "\n" end }, { __index = _G })
    setfenv(assert(loadstring(PROGRAM)), environment)()
    assert.equal(table.concat(said), output(PROGRAM))
  end)
end)
