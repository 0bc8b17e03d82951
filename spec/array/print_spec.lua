-- Printing: NumPy's text for many arrays (golden/array/print.py), our last line, options, and that long arrays are not
-- copied whole.

local helper = require "spec.helper"
local ma = helper.ma

local specials = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }

local function elements(line, dtype, size)
  local list = {}
  if line == "seq" then
    for k = 1, size do list[k] = (k - 1) / (dtype:find("int") and 1 or 8) end
    return list
  end
  for word in line:gmatch("%S+") do list[#list + 1] = specials[word] or tonumber(word) end
  if dtype == "bool" then
    for k = 1, #list do list[k] = list[k] == 1 end
  elseif dtype:find("^complex") then
    local pairs_of = {}
    for k = 1, #list, 2 do pairs_of[#pairs_of + 1] = ma.complex(list[k], list[k + 1]) end
    return pairs_of
  end
  return list
end

local function options_of(text)
  local options = {}
  for key, value in text:gmatch("(%w+)=(%S*)") do
    if value == "true" or value == "false" then options[key] = value == "true"
    elseif value == "" then options[key] = " "
    else options[key] = tonumber(value) or value end
  end
  return options
end

--- Calls check(label, array, options, text) for each golden case.
local function each_case(check)
  local header, line, text
  for row in helper.golden_lines("print") do
    if row == "" then
      local dtype, extents, options = header:match("^(%S+) (%S+) ?(.*)$")
      local shape, size = helper.parse_shape(extents), 1
      for d = 1, #shape do size = size * shape[d] end
      local list = elements(line, dtype, size)
      local a = size == 0 and ma.zeros(shape, dtype) or ma.array(list, dtype):reshape(shape)
      check(header .. " | " .. line:sub(1, 60), a, options_of(options), table.concat(text, "\n"))
      header, line, text = nil, nil, nil
    elseif not header then header = row
    elseif not line then line, text = row, {}
    else text[#text + 1] = row:sub(2) end
  end
end

describe("printing", function()
  it("gives NumPy's text", function()
    local failures = helper.failures()
    each_case(function(label, a, options, text)
      failures:run(label, function()
        local found = ma.printoptions(options, ma.array2string, a)
        if found ~= text then error("\n" .. found .. "\n; wanted\n" .. text) end
      end)
    end)
    failures:check()
  end)

  it("ends with shape, dtype and device", function()
    local device = helper.device
    assert.equal("[[1. 2.]\n [3. 4.]]\n(2, 2) float64, " .. device, tostring(ma.array({ { 1, 2 }, { 3, 4 } })))
    assert.equal("[0.1 0.2]\n(2,) float32, " .. device, tostring(ma.array({ 0.1, 0.2 }, "float32")))
    assert.equal("[]\n(0, 3) int8, " .. device, tostring(ma.zeros({ 0, 3 }, "int8")))
    assert.equal("12.5 (0-d float64, " .. device .. ")", tostring(ma.array(12.5)))
    assert.equal("3 (0-d int64, " .. device .. ")", tostring(ma.array(3, "int64")))
    assert.equal("true (0-d bool, " .. device .. ")", tostring(ma.array(true)))
    assert.equal("1-2i (0-d complex128, " .. device .. ")", tostring(ma.array(ma.complex(1, -2))))
    assert.equal("nan (0-d float16, " .. device .. ")", tostring(ma.array(-(0 / 0), "float16")))
    assert.equal("[1.+2.i]\n(1,) complex64, " .. device, tostring(ma.array({ ma.complex(1, 2) }, "complex64")))
  end)

  it("writes integers that a double cannot hold", function()
    local a = ma.array({ 1, 1 }, "int64"):left_shift(62) - 1
    assert.matches("^%[4611686018427387903 4611686018427387903%]", tostring(a))
    local u = ma.zeros(1, "uint64"):invert()
    assert.matches("^%[18446744073709551615%]", tostring(u))
  end)

  it("copies the edges of a long array alone", function()
    local a = ma.arange(1000000):reshape(1000, 1000)
    local _, before = ma.live_buffers()
    assert.equal(8000000, before)
    local text = tostring(a.T)
    assert.matches("^%[%[     0   1000   2000 %.%.%. 997000 998000 999000%]\n", text)
    assert.matches("%(1000, 1000%) int64, ", text)
  end)

  it("has options that stay, and options for one call", function()
    local before = ma.get_printoptions()
    ma.set_printoptions { precision = 2, linewidth = 20 }
    local text = ma.array_str(ma.array({ 1 / 3, 2 / 3, 1, 4 / 3 }))
    ma.set_printoptions(before)
    assert.equal("[0.33 0.67 1.\n 1.33]", text)
    assert.equal(8, ma.get_printoptions().precision)
    local ok, message = pcall(ma.printoptions, { precision = 1 }, function() error("stop", 0) end)
    assert.is_false(ok)
    assert.equal("stop", message)
    assert.equal(8, ma.get_printoptions().precision)
    assert.equal("[<1> <2>]",
      ma.array2string({ 1, 2 }, { formatter = { all = function(x) return "<" .. x .. ">" end } }))
    assert.matches("moonarray.set_printoptions: precision is the string 'x'; wanted a number",
      helper.fails(ma.set_printoptions, "x"))
    assert.matches("no option 'precison'", helper.fails(ma.set_printoptions, { precison = 3 }))
  end)

  it("writes the call that makes an array", function()
    local text = ma.array_repr(ma.array({ { 1, 2.5 }, { 3, 4 } }, "float32"))
    assert.equal('ma.array({{1. , 2.5},\n          {3. , 4. }}, "float32")', text)
    local again = setfenv(assert(loadstring("return " .. text)), { ma = ma })()
    assert.is_true(ma.array_equal(again, { { 1, 2.5 }, { 3, 4 } }))
    assert.equal("float32", again.dtype)
  end)

  it("formats single numbers", function()
    assert.equal("0.1", ma.format_float_positional(ma.float32(0.1)))
    assert.equal("3.14", ma.format_float_positional(math.pi, 2))
    assert.equal("3.1416", ma.format_float_positional(math.pi, 5, { fractional = false }))
    assert.equal("0.", ma.format_float_positional(0.25, { precision = -0 }))
    assert.equal("  1.50", ma.format_float_positional(1.5, { unique = false, precision = 2, pad_left = 3 }))
    assert.equal("1.e-07", ma.format_float_scientific(1e-7))
    assert.equal("1.23e+0024", ma.format_float_scientific(1.23e24, { exp_digits = 4 }))
    assert.equal("nan", ma.format_float_scientific(0 / 0))
    local digits = { precision = 3, unique = false, fractional = false }
    assert.equal("0." .. ("0"):rep(149) .. "123", ma.format_float_positional(1.2345e-150, digits))
    for _, options in ipairs { { precision = 100 }, { min_digits = 1e300 } } do
      assert.matches("at most 99", helper.fails(ma.format_float_positional, 3, options), 1, true)
      assert.matches("at most 99", helper.fails(ma.format_float_scientific, 3, options), 1, true)
    end
    assert.matches("at most 99", helper.fails(ma.format_float_scientific, 3, { exp_digits = 100 }), 1, true)
  end)
end)
