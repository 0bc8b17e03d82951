--- Picks by positions and by masks at sizes and shapes where the loops take other ways: runs of kept and left elements,
--- repeated positions, positions from the end, one position outside among good ones.
local ma = require "moonarray"
local helper = require "spec.helper"
local are_few = require("spec.fusion.fusion_helper").are_few
local core = helper.core

local DTYPES = { "bool", "int8", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
  "complex128" }

--- Whole numbers 0 .. high - 1 that follow no order.
local function mixed(n, high)
  local list, x = {}, 12345
  for k = 1, n do
    x = (x * 16807) % 2147483647
    list[k] = x % high
  end
  return list
end

describe("a mask keeps", function()
  --- Masks as functions of the position, from 1.
  local MASKS = {
    ["nothing"] = function() return false end,
    ["everything"] = function() return true end,
    ["runs"] = function(k) return math.floor(k / 23) % 3 == 1 end,
    ["every third"] = function(k) return k % 3 == 0 end,
    ["the last"] = function(k, n) return k == n end,
    ["runs and single ones"] = function(k) return math.floor(k / 50) % 2 == 0 or k % 7 == 0 end,
  }
  for name, kept in pairs(MASKS) do
    it(name, function()
      for _, n in ipairs { 1, 7, 8, 9, 63, 64, 65, 1000, 1029 } do
        local keep, expected = {}, {}
        for k = 1, n do
          keep[k] = kept(k, n)
          if keep[k] then expected[#expected + 1] = k end
        end
        local mask = ma.array(keep, "bool")
        assert.are.same(expected, (ma.nonzero(mask):totable()))
        for _, dtype in ipairs { "uint8", "int16", "float32", "int64" } do
          local values = {}
          for k, at in ipairs(expected) do values[k] = at % 100 end
          assert.are.same(values, (ma.range(1, n) % 100):astype(dtype)[mask]:totable())
        end
        local z = ma.range(1, n):astype("complex128")[mask]
        assert.are.same(expected, ma.real(z):totable())
      end
    end)
  end

  it("elements of several tiles, in order", function()
    local n = 200003
    local a = ma.range(1, n)
    local found = a[(a % 1000):lt(400)]
    assert.are.equal(80000, found.size - found.size % 100)
    assert.is_true(ma.array_equal(ma.nonzero((a % 1000):lt(400)), found))
    assert.is_true((ma.diff(found)):gt(0):all())
  end)
end)

describe("positions", function()
  it("from the end and repeated ones combine in their order", function()
    local n, places = 300, 17
    local at, values = mixed(n, places), mixed(n, 5)
    for k = 1, n do
      at[k] = k % 4 == 0 and -(at[k] + 1) or at[k] + 1
      values[k] = values[k] + 1
    end
    local DOES = {
      add = function(x, y) return x + y end,
      subtract = function(x, y) return x - y end,
      multiply = function(x, y) return x * y % 2 ^ 31 end,
      maximum = math.max,
      minimum = math.min,
    }
    for name, does in pairs(DOES) do
      for _, dtype in ipairs { "int8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64" } do
        local times = name == "multiply" and 8 or n                       -- so that no number leaves its dtype
        if name == "subtract" and dtype:find("uint") or dtype == "int8" then times = 8 end
        local expected = {}
        for k = 1, places do expected[k] = 100 end
        for k = 1, times do
          local place = at[k] > 0 and at[k] or places + 1 + at[k]
          expected[place] = does(expected[place], values[k])
        end
        if name == "multiply" and (dtype == "int8" or dtype == "float16") then goto continue end
        local into = ma.full(places, 100, dtype)
        ma[name].at(into, ma.array({ unpack(at, 1, times) }, "int64"), ma.array({ unpack(values, 1, times) }, dtype))
        assert.are.same(expected, into:astype("float64"):totable(), name .. " " .. dtype)
        ::continue::
      end
    end
  end)

  it("combine with NaN as the operation does", function()
    local nan = 0 / 0
    local x, y = { 1, nan, 3, nan, -2 }, { nan, 2, 4, nan, -3 }
    for _, dtype in ipairs { "float32", "float64" } do
      for _, name in ipairs { "maximum", "minimum", "fmax", "fmin", "divide" } do
        local into, value = ma.array(x, dtype), ma.array(y, dtype)
        local expected = ma[name](into, value):totable()
        ma[name].at(into, ma.range(1, 5), value)
        for k, found in ipairs(into:totable()) do
          assert.is_true(found == expected[k] or found ~= found and expected[k] ~= expected[k], name .. k)
        end
      end
    end
  end)

  it("of every dtype and stride pick what plain positions pick", function()
    local n, m = 77, 200
    local at = mixed(m, n)
    for k = 1, m do at[k] = k % 3 == 0 and at[k] - n or at[k] + 1 end
    local wide = {}
    for k = 1, m do
      wide[2 * k - 1] = at[k]
      wide[2 * k] = 1
    end
    local expected = {}
    for k = 1, m do expected[k] = at[k] > 0 and at[k] or n + 1 + at[k] end
    local plain, strided = ma.array(at, "int64"), ma.array(wide, "int32")["::2"]
    for _, dtype in ipairs(DTYPES) do
      local a = ma.range(1, n):astype(dtype)
      local want = ma.array(expected, "int64"):astype(dtype)
      assert.is_true(ma.array_equal(want, a:take(plain)), dtype)
      assert.is_true(ma.array_equal(want, a:take(strided)), dtype)
      local reversed = ma.range(n, 1, -1):astype(dtype)["::-1"]
      assert.is_true(ma.array_equal(want, reversed:take(plain)), dtype)
      local into = ma.zeros(n, dtype)
      into[ma.index(plain)] = want
      local again = ma.zeros(n, dtype)
      for k = 1, m do again[expected[k]] = want[k] end
      assert.is_true(ma.array_equal(again, into), dtype)
    end
  end)

  --- What `f` gives with the programs of its positions taken in, and after they are computed.
  local function both(make, f)
    core.compile_at_once(true)
    local before = core.work()
    local taken = f(make()):eval()
    local launches = core.work() - before
    core.compile_at_once(false)
    local at = make()
    at:eval()
    return taken, f(at):eval(), launches
  end

  it("that an expression gives are computed where they are read", function()
    local n, m = 250, 3000
    local low = ma.array(mixed(m, n), "uint8")
    local half, square = ma.array(mixed(m, n), "int64"), low:reshape(60, 50)
    for _, dtype in ipairs { "int8", "float16", "float32", "complex128" } do
      local a, grid = (ma.range(1, n) % 100):astype(dtype), (ma.arange(4 * n) % 100):reshape(4, n):astype(dtype)
      ma.eval(a, grid, low, half)
      for name, case in pairs {
        ["0-based bytes"] = { function() return low:astype("int64") + 1 end },
        ["two arrays"] = { function() return ma.floor_divide(low + half, 2):astype("uint64") + 1 end },
        ["from the end"] = { function() return -half - 1 end },
        ["two axes, transposed"] = { function() return square:transpose():astype("int32") + 1 end },
        ["a view"] = { function() return (half + 1)["::-3"] end },
        ["rows of a matrix"] = { function() return low:astype("int64") + 1 end,
          function(at) return grid:take(at, 2) end, "each position is read four times" },
        ["with wrap"] = { function() return half * 3 - 40 end,
          function(at) return a:take(at, nil, { mode = "wrap" }) end },
      } do
        local taken, computed, launches = both(case[1], case[2] or function(at) return a:take(at) end)
        assert.is_true(ma.array_equal(computed, taken), name .. " " .. dtype)
        if helper.device ~= "cpu" and not case[3] then assert(are_few(launches, 1), name) end
      end
    end
  end)

  it("that an expression gives may be used again, or lie outside", function()
    local low, a = ma.arange(3000) % 250, ma.range(1, 250)
    ma.eval(low, a)
    local at = low + 1
    local first, second = a:take(at), a:take(at) + at
    assert.is_true(ma.array_equal(low + 1, first))
    assert.is_true(ma.array_equal(2 * low + 2, second))
    assert.has_error(function() a:take(low + 2):totable() end, nil)
    ma.synchronize()
  end)

  it("outside are an error, whatever stands beside them", function()
    for _, bad in ipairs { 0, 11, -11, 2 ^ 53 } do
      local at = ma.array({ 1, 2, bad, 3 }, "int64")
      assert.has_error(function() ma.range(1, 10):take(at):totable() end)
      assert.has_error(function()
        local into = ma.zeros(10)
        ma.minimum.at(into, at, -1)
        into:totable()
      end)
    end
    ma.synchronize()
  end)
end)
