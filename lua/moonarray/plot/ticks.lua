--- Where the ticks of an axis stand, and what is written at them.

local tonumber = require("moonarray.text").tonumber
local sformat = require("moonarray.text").format
local floor, ceil, log10, abs, max, min = math.floor, math.ceil, math.log10, math.abs, math.max,
  math.min

local ticks = {}

--- Numbers are near to each other if they differ by less than this part of them: some hundred times the last digit.
ticks.NEAR = 1e-13
ticks.LEAST = 1e-290                      -- of a distance whose parts are numbers with all their digits

local MINUS = "−"
local RAISED = { ["0"] = "⁰", ["1"] = "¹", ["2"] = "²", ["3"] = "³", ["4"] = "⁴", ["5"] = "⁵", ["6"] = "⁶", ["7"] = "⁷",
  ["8"] = "⁸", ["9"] = "⁹", ["-"] = "⁻" }

local function with_minus(text) return (text:gsub("^%-", MINUS)) end

--- "10⁻³"
function ticks.power(exponent) return "10" .. tostring(exponent):gsub(".", RAISED) end

--- A step of 1, 2, 2.5 or 5 times a power of ten of which lo to hi has at most `most`. Returns its digits (10, 20, 25
--- or 50), and the power of ten by which they are multiplied. With `whole` it is a whole number.
local function nice_step(lo, hi, most, whole)
  local raw = (hi - lo) / most
  if whole and raw <= 1 then return 10, -1 end
  local exponent = floor(log10(raw))
  local part = raw / 10 ^ exponent
  for _, digits in ipairs { 10, 20, 25, 50 } do
    local fits = part <= digits / 10 * (1 + 1e-9)
    if fits and not (whole and digits == 25 and exponent == 0) then return digits, exponent - 1 end
  end
  return 10, exponent
end

--- digits * 10^exponent, the double next to it for all that are not too far from 1.
local function scaled(digits, exponent)
  if exponent < 0 and exponent >= -300 then return digits / 10 ^ -exponent end
  return digits * 10 ^ exponent
end

--- How many decimals the multiples of digits * 10^exponent have.
local function decimals_of(digits, exponent)
  while digits % 10 == 0 do digits, exponent = digits / 10, exponent + 1 end
  return max(0, 0 - exponent)
end

local function fixed(value, decimals)
  local text = sformat("%." .. decimals .. "f", value)
  if tonumber(text) == 0 then text = text:gsub("^%-", "") end
  return with_minus(text)
end

--- Labels in plain numbers. If all have a power of ten or an offset in common, that is taken out of them.
local function linear_labels(at, digits, exponent, lo, hi)
  local labels, largest = {}, max(abs(at[1]), abs(at[#at]))
  local note, offset, power = nil, 0, 0
  local span = hi - lo
  if largest > 0 and span > 0 and #at > 1 and floor(log10(largest)) - floor(log10(span)) >= 4 then
    local unit = 10 ^ (floor(log10(span)) + 1)
    offset = at[1] < 0 and ceil(at[#at] / unit) * unit or floor(at[1] / unit) * unit
    local places = max(0, 0 - (floor(log10(span)) + 1))
    note = (offset < 0 and MINUS or "+") .. sformat((largest >= 1e15 or places > 15) and "%.15g"
      or "%." .. places .. "f", abs(offset))
    largest = max(abs(at[1] - offset), abs(at[#at] - offset))
  end
  if largest > 0 and (largest >= 1e6 or largest < 1e-4 * (1 - 1e-9)) then
    power = floor(log10(largest) + 1e-9)
    note = "×" .. ticks.power(power) .. (note and " " .. note or "")
  end
  local decimals = min(decimals_of(digits, exponent - power), 17)
  for k, value in ipairs(at) do
    labels[k] = fixed(power == 0 and value - offset or scaled(value - offset, -power), decimals)
  end
  return labels, note
end

--- Ticks of a linear axis: at most most + 1 places, their labels, and what the labels lack (nil, "×10⁶", "+1000").
--- With `whole` they are whole numbers.
function ticks.linear(lo, hi, most, whole)
  if hi - lo <= max(abs(lo), abs(hi)) * ticks.NEAR or hi - lo < ticks.LEAST then
    return { lo }, { with_minus(sformat("%.15g", lo)) }
  end
  local digits, exponent = nice_step(lo, hi, most, whole)
  local step = scaled(digits, exponent)
  local at = {}
  local from, to, slack = ceil(lo / step - 1e-9), floor(hi / step + 1e-9), (hi - lo) * 1e-6
  for k = from, to do
    local value = scaled(k * digits, exponent)
    if value >= lo - slack and value <= hi + slack then at[#at + 1] = value == 0 and 0 or value end
  end
  if #at == 0 then return at, {} end
  local labels, note = linear_labels(at, digits, exponent, lo, hi)
  return at, labels, note
end

local function between(list, lo, hi)
  local found = {}
  local slack = 1e-9
  for _, v in ipairs(list) do
    if v >= lo * (1 - slack) and v <= hi * (1 + slack) then found[#found + 1] = v end
  end
  return found
end

--- Ticks of a logarithmic axis: places, labels, nil, and the places of small ticks without labels.
function ticks.log(lo, hi, most)
  local from, to = floor(log10(lo) - 1e-9), ceil(log10(hi) + 1e-9)
  local stride = max(1, ceil((log10(hi) - log10(lo)) / most - 1e-9))
  local decades, minor = {}, {}
  for e = from, to do
    if e % stride == 0 then decades[#decades + 1] = scaled(1, e) end
    if stride == 1 then
      for m = 2, 9 do minor[#minor + 1] = scaled(m, e) end
    elseif e % stride ~= 0 then minor[#minor + 1] = scaled(1, e) end
  end
  decades, minor = between(decades, lo, hi), between(minor, lo, hi)
  local labels = {}
  if #decades == 0 and stride > 1 then decades[1] = scaled(1, ceil(log10(lo))) end
  if #decades >= 2 or stride > 1 then
    for k, v in ipairs(decades) do labels[k] = ticks.power(floor(log10(v) + 0.5)) end
    return decades, labels, nil, minor
  end
  -- Less than two whole decades: 1, 2 and 5 of each, or the ticks of a linear axis.
  local some = {}
  for e = from, to do
    for _, m in ipairs { 1, 2, 5 } do some[#some + 1] = scaled(m, e) end
  end
  some = between(some, lo, hi)
  if #some < 3 then
    local at, plain, note = ticks.linear(lo, hi, min(most, 6))
    return at, plain, note, {}
  end
  for k, v in ipairs(some) do
    local e = floor(log10(v) + 1e-9)
    labels[k] = (e >= -3 and e <= 4) and sformat("%.14g", v)
      or (floor(v / scaled(1, e) + 0.5) .. "×" .. ticks.power(e)):gsub("^1×", "")
  end
  return some, labels, nil, minor
end

return ticks
