-- A locale whose decimal sign is a comma: what is written is read again, kernels have C's numbers, messages say 0.5. A
-- slice of the suite runs in it, and a program in plain Lua 5.1, whose own functions follow the locale. Where no such
-- locale is installed, localedef makes one in a folder of its own.

require "spec.helper"
local output = require("spec.file").output

local LUA = os.getenv "LUAJIT" or "luajit"
local NAMES = { "de_DE.UTF-8", "fr_FR.UTF-8" }

local SIGN = [[
local ffi = require "ffi"
ffi.cdef "char **localeconv(void);"
io.write(os.setlocale(os.getenv "SPEC_LOCALE") and ffi.string(ffi.C.localeconv()[0]) or "none")]]

--- The environment of a process with a decimal comma, or nothing and why.
local function find_locale(folder)
  if package.config:sub(1, 1) == "\\" then return nil, "Windows names its locales otherwise" end
  local script = os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(SIGN)
  file:close()
  local found
  for _, name in ipairs(NAMES) do
    for _, environment in ipairs { "", "LOCPATH=" .. folder .. " " } do
      if not found then
        local command = ("%sSPEC_LOCALE=%s"):format(environment, name)
        if environment ~= "" then
          os.execute(("mkdir -p %s && localedef -i %s -f UTF-8 %s/%s >%s/log 2>&1"):format(folder, name:match "^[^.]+",
            folder, name, folder))
        end
        if output(("%s %s %s 2>&1"):format(command, LUA, script)) == "," then found = command end
      end
    end
  end
  os.remove(script)
  return found, "no locale with a decimal comma, and localedef makes none (package locales)"
end

local folder = os.tmpname()
os.remove(folder)
local environment, missing = find_locale(folder)

local function it_there(name, run)
  if environment then it(name, run) else pending(name .. ": " .. missing) end
end

describe("in a locale with a decimal comma", function()
  teardown(function() os.execute("rm -rf " .. folder) end)

  local SLICE = { "print", "files", "records", "reduction_kernel", "jit", "wrong_calls" }
  for _, name in ipairs(SLICE) do
    it_there("pass the specs of " .. name, function()
      local run = "MOONARRAY_SPEC_PART=1/1 %s sh scripts/test %s_spec 2>&1"
      local said = output(run:format(environment, name))
      local passed, failed = said:match "(%d+) passed, (%d+) failed%s*$"
      assert(failed == "0" and tonumber(passed) > 0, said)
    end)
  end

  local PROGRAM = [[
assert(os.setlocale(os.getenv "SPEC_LOCALE"))
local ma = require "moonarray"
local function say(...) print((table.concat({ ... }, " "):gsub("^.-moonarray%.", ""))) end
local function fails(...) local _, why = pcall(...) say(why) end
say(ma.array2string(ma.array { 0.5, 1.25, -1e-9 }), tostring(ma.complex(0.5, -1.5)), ma.array2string(ma.array(1 / 3)))
say(tostring(ma.poly1d { 0.5, 1.5 }), ma.format_float_positional(0.1), ma.format_float_scientific(2.5e-7))
fails(ma.quantile, ma.array { 1, 2 }, 1.5)
fails(ma.random.normal, 0, -0.5, 3)
fails(ma.random.uniform, 1.5, 0.25, 3)
fails(ma.stats.entropy, ma.ones(2), nil, -0.5)
fails(function() return ma.ones(3)[1.5] end)
local path = os.tmpname()
ma.savetxt(path, ma.array { { 0.5, 1.25 } }, "%g", ",")
local file = io.open(path)
say(file:read "*l")
file:close()
say(ma.array2string(ma.loadtxt(path, { delimiter = "," })), ma.array2string(ma.fromstring("0.5 2.5", { sep = " " })))
os.remove(path)
local words, k = { "0.5", "1,5" }, 0
local function word() k = k + 1 return words[k] end
say(ma.fromiter(word, "float64", 1):item() == 0.5 and "0.5 read" or "0.5 lost")
fails(ma.fromiter, word, "float64", 1)
]]
  -- What plain Lua computes with a kernel is computed by the core, so one is enough.
  local SAID = [[
[ 5.00e-01  1.25e+00 -1.00e-09] 0.5-1.5i 0.33333333

0.5 x + 1.5 0.1 2.5e-07
quantile: q is 1.5; 0 to 1
random.normal: scale is -0.5; wanted 0 or more
random.uniform: low is 1.5 and high 0.25; wanted low <= high, a finite range
stats.entropy: base is -0.5; wanted a number above 0
index: position 1.5; positions are whole numbers
0.5,1.25
[0.5  1.25] [0.5 2.5]
0.5 read
fromiter: the text '1,5' as element 1; a number
]]

  for _, lua in ipairs { LUA, LUA == "luajit" and "lua5.1" or nil } do
    it_there("says the same in " .. lua, function()
      if os.execute("command -v " .. lua .. " >/dev/null 2>&1") ~= 0 then return pending("no " .. lua) end
      local path = os.tmpname()
      local file = assert(io.open(path, "w"))
      file:write(PROGRAM)
      file:close()
      local said = output(("%s MOONARRAY_DEVICE=cpu %s %s 2>&1"):format(environment, lua, path))
      os.remove(path)
      assert.equal(SAID, (said:gsub(" +\n", "\n")))
    end)
  end
end)

describe("numbers", function()
  if package.config:sub(1, 1) == "\\" then return pending "no find on Windows" end
  local FRACTION = "%%[-+ #0]*[%d*]*%.?[%d*]*l?[aAeEfFgG]"

  local function each_file(where, kinds, look)
    for path in output(("find %s -type f \\( %s \\)"):format(where, kinds)):gmatch "[^\n]+" do
      local file = assert(io.open(path))
      look(path, file:read "*a")
      file:close()
    end
  end

  it("are printed and read in C by src/base/number.c alone", function()
    local n = 0
    each_file("src", "-name '*.c' -o -name '*.h'", function(path, text)
      n = n + 1
      if path == "src/base/number.c" then return end
      for name, rest in text:gmatch "([%w_]+)%(([^;]*)" do
        if name:find "^[vf]*s?n?printf$" then
          assert(not name:find "^v" and not rest:find(FRACTION), path .. ": " .. name .. "(" .. rest)
        end
        assert(not (name:find "^strto[dfl]d?$" and name ~= "strtol") and name ~= "atof", path .. ": " .. name)
      end
    end)
    assert(n > 300)
  end)

  it("are printed in Lua by lua/moonarray/text.lua alone", function()
    local n = 0
    each_file("lua", "-name '*.lua'", function(path, text)
      n = n + 1
      if path:find "/text%.lua$" and not path:find "polynomial" or path:find "/meta%.lua$" then return end
      text = text:gsub("%-%-[^\n]*", "")
      assert(not text:find "string%.format", path .. " has string.format; wanted that of moonarray.text")
      for how in text:gmatch "\"([^\"\n]*)\"%)?:format%(" do
        for found in how:gmatch(FRACTION) do
          assert(found:find "%.0f$", path .. " formats by a method: " .. how)
        end
      end
    end)
    assert(n > 200)
  end)
end)

