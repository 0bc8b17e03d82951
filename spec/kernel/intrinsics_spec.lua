-- CUDA's functions in a raw kernel, on the device under test, held to what a GPU gave
-- (spec/golden/kernel/intrinsics.lua).

local helper = require "spec.helper"
local golden = dofile("spec/golden/kernel/intrinsics.lua")
local ffi = require "ffi"
local ma = helper.ma

local word = ffi.new("union { uint32_t half[2]; uint64_t v; int64_t l; double d; float f; int32_t i; }")

--- The number that bits stand for, and their place in the order of all numbers of that type; -0 and 0 have one.
local function number(hex, letter)
  word.half[1] = #hex == 16 and tonumber(hex:sub(1, 8), 16) or 0
  word.half[0] = tonumber(hex:sub(-8), 16)
  if letter == "f" then
    local value, place = tonumber(word.f), tonumber(word.i)
    return value, place < 0 and -2147483648 - place or place
  end
  local value, place = tonumber(word.d), word.l
  return value, place < 0 and 0x8000000000000000LL - place or place
end

local function near(row, got, want)
  local x, placed = number(got, row.result)
  local y, wanted = number(want, row.result)
  local kind, part = row.bound:match("^([eg])(.*)")
  if x ~= x or y ~= y then return y ~= y and (x ~= x or kind == "g") end
  part = tonumber(part)
  if part then return x == y or math.abs(x - y) <= part * math.max(1, math.abs(y)) end
  local apart = placed - wanted
  return apart <= tonumber(row.bound) and apart >= -tonumber(row.bound)
end

local function arguments(row, bytes, n, k)
  local list = {}
  for p = 1, #row.parameters do
    local letter = row.parameters:sub(p, p)
    local size = #bytes[p] / n
    list[p] = bytes[p]:sub((k - 1) * size + 1, k * size):reverse():gsub(".",
      function(c) return ("%02x"):format(c:byte()) end)
    if letter == "f" or letter == "d" then list[p] = list[p] .. (" (%.9g)"):format(number(list[p], letter)) end
  end
  return table.concat(list, ", ")
end

describe("CUDA's functions", function()
  local lines = {}
  for line in helper.golden_lines("intrinsics") do
    local name, rest = line:match("^(%S+) (.*)$")
    if name ~= "#" then lines[name] = rest end
  end

  local function check(row, bytes, given, n)
    assert(lines[row.name], row.name .. " is not in the golden lines")
    local shown, k = lines[row.name]:match("^[^|]*"), 0
    for want in shown:gmatch("%x+") do
      k = k + 1
      local got = golden.hex(row, bytes, k, k)
      local fine = got == want or (row.bound ~= "=" and near(row, got, want))
      if not fine then
        error(("%s(%s) is %s; a GPU gave %s"):format(row.name, arguments(row, given, n, k), got, want), 0)
      end
    end
    assert.equal(row.bound == "=" and golden.SHOWN or n, k)
    if row.bound == "=" then
      assert.equal(lines[row.name], golden.line(row, bytes, n):sub(#row.name + 2), row.name .. ": a hash differs")
    end
  end

  for _, group in ipairs(golden.groups()) do
    it(("of %s with the result %s give what a GPU gives"):format(group.parameters, group.result), function()
      local wrong, rows = {}, 0
      golden.run(ma, function(row) return row.result == group.result and row.parameters == group.parameters end,
        function(row, bytes, given, n)
        local ok, why = pcall(check, row, bytes, given, n)
        rows = rows + 1
        if not ok then wrong[#wrong + 1] = tostring(type(why) == "table" and why.message or why) end
      end)
      assert.equal(#group, rows)
      assert(#wrong == 0, table.concat(wrong, "\n"))
    end)
  end
end)
