-- CuPy's own small functions: scatters, rsqrt, the settings of Fourier transforms, a generator that begins anew.

local helper = require "spec.helper"
local ma = helper.ma

describe("scatters", function()
  it("count repeated positions each, and return the array", function()
    local a = ma.array { 1, 2, 3 }
    assert.equal(a, a:scatter_add(ma.index { 1, 1, 3 }, ma.array { 5, 2, -1 }))
    assert.same({ 8, 2, 2 }, a:totable())
    assert.same({ 8, 9, 2 }, ma.scatter_max(a, ma.index { 2, 1, 2 }, ma.array { 9, 3, 4 }):totable())
    assert.same({ -7, 9, 0 }, a:scatter_min(ma.index { 1, 3, 1 }, ma.array { 5, 0, -7 }):totable())
    local m = ma.zeros({ 2, 3 }, "int32")
    m:scatter_add("2, :", 4)
    assert.same({ { 0, 0, 0 }, { 4, 4, 4 } }, m:totable())
  end)
end)

describe("rsqrt", function()
  it("is 1 / sqrt", function()
    assert.same({ 1, 0.5, math.huge, 0 }, ma.rsqrt(ma.array { 1, 4, 0, math.huge }):totable())
    assert.equal("float32", ma.rsqrt(ma.ones(2, "float32")).dtype)
    assert.is_true(ma.isnan(ma.rsqrt(-1)))
  end)
end)

describe("fft.config", function()
  it("sets how many plans are kept", function()
    local config = ma.fft.config
    local before = config.get_plan_cache_size()
    config.set_plan_cache_size(3)
    assert.equal(3, config.get_plan_cache_size())
    assert.equal(3, config.get_plan_cache().max_size)
    config.clear_plan_cache()
    assert.equal(0, config.get_plan_cache().size)
    config.set_plan_cache_size(before)
    assert.matches("the size is %-1", helper.fails(config.set_plan_cache_size, -1))
  end)
end)

describe("a generator", function()
  it("begins anew with a seed", function()
    local state = ma.random.RandomState(5)
    local first = state:random(4)
    state:normal(0, 1, 3)
    assert.equal(state, state:seed(5))
    assert.is_true(ma.array_equal(first, state:random(4)))
    assert.is_true(ma.array_equal(first, ma.random.default_rng(1):seed(5):random(4)))
  end)
end)

describe("a jumped generator", function()
  it("is the same for a seed and a number of jumps, and another than its origin", function()
    local rng = ma.random.default_rng(5)
    local state = rng:get_state()
    local one, two = rng:jumped():random(4), rng:jumped(2):random(4)
    assert.same(state, rng:get_state())
    assert.is_true(ma.array_equal(one, ma.random.default_rng(5):jumped(1):random(4)))
    for _, pair in ipairs { { one, two }, { one, rng:random(4) }, { one, rng:spawn(2)[2]:random(4) } } do
      assert.is_false(ma.array_equal(pair[1], pair[2]))
    end
    assert.matches("jumps is 0", helper.fails(rng.jumped, rng, 0))
    assert.matches("jumps is 4294967296; wanted less than 2%^32", helper.fails(rng.jumped, rng, 2 ^ 32))
  end)
end)

describe("GeneralizedUFunc", function()
  local function product(m, v) return m:matmul(v) end

  it("calls a function for each place of the axes before", function()
    local f = ma.GeneralizedUFunc(product, "(i,j),(j)->(i)")
    local m, v = ma.arange(24):reshape(2, 2, 3, 2), ma.array { { 1, 2 }, { 3, -1 } }
    local wanted = ma.einsum("abij,bj->abi", m:astype("float64"), v)
    assert.is_true(ma.array_equal(wanted, f(m, v)))
    assert.same({ 2, 2, 3 }, { f(m, v):dims() })
    assert.same({ 1, 5 }, f(ma.array { { 1, 0 }, { 1, 2 } }, { 1, 2 }):totable())
    assert.same({ 2, 1 }, { f.nin, f.nout })
  end)

  it("calls it once where it takes all axes, with several results", function()
    local calls = 0
    local f = ma.GeneralizedUFunc(function(a)
      calls = calls + 1
      return a:min(-1), a:max(-1)
    end, "(i)->(),()", { supports_batched = true, name = "extent" })
    local low, high = f(ma.array { { 3, 1 }, { 5, 9 } })
    assert.same({ { 1, 5 }, { 3, 9 }, 1 }, { low:totable(), high:totable(), calls })
    assert.equal("<GeneralizedUFunc 'extent'>", tostring(f))
    local each = ma.GeneralizedUFunc(function(a) return a:min(), a:max() end, "(i)->(),()")
    low, high = each(ma.array { { 3, 1 }, { 5, 9 } })
    assert.same({ { 1, 5 }, { 3, 9 } }, { low:totable(), high:totable() })
  end)

  it("takes axes, axis, keepdims and out", function()
    local f = ma.GeneralizedUFunc(product, "(i,j),(j)->(i)", { supports_batched = true })
    local m, v = ma.arange(24):reshape(2, 3, 4), ma.array { 1, 2 }
    local wanted = ma.einsum("jik,j->ki", m:astype("float64"), v)
    local each = ma.GeneralizedUFunc(product, "(i,j),(j)->(i)")
    assert.is_true(ma.array_equal(wanted, each(m, v, { axes = { { 2, 1 }, 1, -1 } })))
    assert.is_true(ma.array_equal(wanted.T, each(m, v, { axes = { { 2, 1 }, { 1 }, { 1 } } })))
    local out = ma.zeros { 3, 4 }
    assert.equal(out, each(m, v, { axes = { { 2, 1 }, { 1 }, { 1 } }, out = out }))
    assert.is_true(ma.array_equal(wanted.T, out))
    assert.is_true(ma.array_equal(f(m["1, :, 1:2"], v), each(m["1, :, 1:2"], v)))

    local ends = ma.GeneralizedUFunc(function(a) return a:min(-1), a:max(-1) end, "(i)->(),()",
      { supports_batched = true })
    assert.is_true(ma.array_equal(m:min(2), (ends(m, { axis = 2 }))))
    local low, high = ends(m, { axis = 1, keepdims = true })
    assert.same({ 1, 3, 4 }, { low:dims() })
    assert.is_true(ma.array_equal(m:max(1, { keepdims = true }), high))
    assert.same({ 2, 3, 1 }, { (ends(m, { keepdims = true })):dims() })
    assert.same({ 2, 1, 4 }, { (ends(m, { axes = { 2, 2, 2 }, keepdims = true })):dims() })
    local a, b = ma.zeros({ 3, 4 }, "int64"), ma.zeros({ 3, 4 }, "int64")
    assert.is_true(ma.array_equal(m:min(1, { keepdims = true }), low))
    low, high = ends(m, { axis = 1, out = { a, b } })
    assert.same({ true, true }, { low == a, high == b })
    assert.is_true(ma.array_equal(m:max(1), b))

    assert.matches("axis with the signature", helper.fails(f, m, v, { axis = 1 }))
    assert.matches("keepdims with the signature", helper.fails(f, m, v, { keepdims = true }))
    assert.matches("axes and axis", helper.fails(ends, m, { axis = 1, axes = { 1 } }))
    assert.matches("axes for 1 arrays; wanted 3", helper.fails(f, m, v, { axes = { 1 } }))
    assert.matches("1 axes for array 1; its signature has 2", helper.fails(f, m, v, { axes = { 1, 1, 1 } }))
    assert.matches("1 arrays in out; wanted 2", helper.fails(ends, m, { out = a }))
    assert.matches("no option where; axes, axis, keepdims, out", helper.fails(ends, m, { where = a }))
  end)

  it("says what is wrong", function()
    local f = ma.GeneralizedUFunc(product, "(i,j),(j)->(i)")
    assert.matches("signature is 'i,j%->i'; wanted axes' names", helper.fails(ma.GeneralizedUFunc, product, "i,j->i"))
    assert.matches("signature is the number 3", helper.fails(ma.GeneralizedUFunc, product, 3))
    assert.matches("func is the number 3", helper.fails(ma.GeneralizedUFunc, 3, "(i)->()"))
    assert.matches("1 operands; wanted 2", helper.fails(f, ma.ones(2)))
    assert.matches("operand 1 of 1 axes; wanted at least 2", helper.fails(f, ma.ones(2), ma.ones(2)))
    assert.matches("axis j of operand 2 has 4 elements; another operand has 3",
      helper.fails(f, ma.ones { 2, 3 }, ma.ones(4)))
  end)
end)
