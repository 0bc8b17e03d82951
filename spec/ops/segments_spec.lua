-- reduceat by the core's reduction of segments: the same bits as the reduction of each part, one launch for all.
local helper = require "spec.helper"
local ma, core = helper.ma, helper.core or require "moonarray.core"
local are_few = require("spec.fusion.fusion_helper").are_few

local function starts_of(lengths)
  local starts, at = {}, 1
  for k = 1, #lengths do
    starts[k] = at
    at = at + lengths[k]
  end
  return starts, at - 1
end

--- Lengths around those at which the walk of a reduction changes, more than 64 of them.
local function many_lengths()
  local lengths = { 1, 2, 7, 8, 9, 31, 32, 33, 127, 128, 129, 255, 1023, 1024, 1025, 2048, 5000 }
  for k = 1, 60 do lengths[#lengths + 1] = 1 + k * k % 13 end
  return lengths
end

local wanted_bits = { "float32", "float64", "float16", "int8", "int32", "uint64", "bool", "complex64" }
local names = { "add", "multiply", "maximum", "fmin", "logical_or", "logaddexp", "bitwise_xor" }

local function data(dtype, n)
  if dtype == "bool" then return (ma.arange(n) * 7 % 11):gt(3) end
  if dtype:find("int") then return (ma.arange(n) * 7 % 11):astype(dtype) end
  local x = ma.cos(ma.arange(n, "float64") * 1.7)
  if dtype:find("complex") then x = x + ma.sin(ma.arange(n, "float64")) * ma.complex(0, 1) end
  return x:astype(dtype)
end

describe("reduceat of many parts", function()
  local lengths = many_lengths()
  local starts, n = starts_of(lengths)

  for _, name in ipairs(names) do
    it("gives the bits of " .. name .. ".reduce of each", function()
      for _, dtype in ipairs(wanted_bits) do
        local ufunc, a = ma[name], data(dtype, n)
        local ok, made, stood_in = pcall(helper.stood_in, ufunc.reduceat, a, starts)
        if ok then
          local parts, all = {}, made[1]
          for k = 1, #starts do
            local part = a[{ { starts[k], starts[k] + lengths[k] - 1 } }]
            parts[k] = ufunc.reduce(part, { axis = 1, keepdims = true })
          end
          assert.equal(parts[1].dtype, all.dtype, dtype)
          if stood_in and name == "logaddexp" then           -- the CPU's logarithms
            helper.identical(all, ma.concatenate(parts), dtype, 16)
          else assert.is_true(ma.array_equal(ma.concatenate(parts), all, true), dtype) end
        else
          assert.is_false(pcall(ufunc.reduce, a), dtype)
        end
      end
    end)
  end

  it("goes along any axis of any layout", function()
    local m = data("float64", 3 * n):reshape(3, n)
    local places = ma.array(starts, "int64")
    local rows = {}
    for i = 1, 3 do rows[i] = ma.add.reduceat(m[i], starts) end
    local wanted = ma.stack(rows)
    assert.is_true(ma.array_equal(wanted, ma.add.reduceat(m, starts, 2)))
    assert.is_true(ma.array_equal(wanted, ma.add.reduceat(m, places, -1)))
    assert.is_true(ma.array_equal(wanted.T, ma.add.reduceat(m.T, places, 1)))
    assert.is_true(ma.array_equal(wanted.T, ma.add.reduceat(m.T:copy(), places, 1)))
    assert.is_true(ma.array_equal(wanted, ma.add.reduceat(ma.repeat_(m, 2, 2)[":, ::2"], places, 2)))
    assert.is_true(ma.array_equal(-wanted, ma.add.reduceat(-m, places, 2)))
    local deep = m:reshape(3, n, 1):broadcast_to { 3, n, 2 }
    assert.is_true(ma.array_equal(wanted, ma.add.reduceat(deep, places, 2)["..., 2"]))
    local out = ma.zeros { 3, #starts }
    assert.equal(out, ma.add.reduceat(m, places, 2, nil, out))
    assert.is_true(ma.array_equal(wanted, out))
    assert.equal("float32", ma.add.reduceat(m, places, 2, "float32").dtype)
  end)

  it("takes parts that do not go on, negative positions, and no part at all", function()
    local a = ma.arange(100)
    local places, wanted = {}, {}
    for k = 1, 80 do
      places[k] = k % 2 == 0 and 90 - k or -k
      local first = k % 2 == 0 and 90 - k or 101 - k
      local stop = k == 80 and 101 or k % 2 == 1 and 89 - k or 100 - k
      wanted[k] = 0
      for i = first, math.max(stop - 1, first) do wanted[k] = wanted[k] + i - 1 end
    end
    assert.same(wanted, ma.add.reduceat(a, ma.array(places, "int64")):totable())
    assert.same(wanted, ma.add.reduceat(a, places):totable())
    assert.same({ 0 }, ma.add.reduceat(a, ma.zeros(0, "int64")).shape)
    assert.same({ 0, 3 }, ma.add.reduceat(ma.zeros { 0, 5 }, { 1, 2, 5 }, 2).shape)
  end)

  it("is one launch, however many parts there are", function()
    local a = ma.ones(20000)
    local function launched(step)
      local places = ma.range(1, 20000, step)
      ma.add.reduceat(a, places):totable()
      local before = core.work()
      ma.add.reduceat(a, places)
      return core.work() - before
    end
    assert(are_few(launched(5), launched(100)))
    assert(are_few(launched(5), 12))
  end)
end)

describe("reduceat of a ufunc that is folded in order", function()
  it("takes as many steps as the longest part has elements", function()
    local a = ma.arange(1, 2001):astype("float64")
    local places, wanted = {}, {}
    for k = 1, 200 do
      places[k] = 1 + (k - 1) * 10
      wanted[k] = places[k]
      for i = places[k] + 1, places[k] + 9 do wanted[k] = wanted[k] - i end
    end
    assert.same(wanted, ma.subtract.reduceat(a, places):totable())
    assert.same(wanted, ma.subtract.reduceat(a, ma.array(places, "int64")):totable())
    local before = core.work()
    ma.subtract.reduceat(a, places)
    assert.is_true(core.work() - before < 60)
  end)
end)

describe("a position outside the axis", function()
  it("is an error that names it", function()
    local a, places = ma.ones(200), ma.range(1, 200)
    for _, wrong in ipairs { 0, 201, -201 } do
      places[70] = wrong
      local message = helper.fails(function() return ma.add.reduceat(a, places):totable() end)
      assert.matches("position " .. (wrong < 0 and "%-?%d+" or wrong), message)
    end
  end)
end)
