-- Derivatives of functions that choose, count and fill, of running extremes, polynomials and cosine transforms.

local ma = require "moonarray"
local check = ma.testing.check_grad
local orders = require "spec.grad.grad_orders"

-- A pretended GPU has no library of transforms.
local able = pcall(function() return ma.fft.rfft(ma.ones(4)):totable() end)
local given = able and it or pending

local function numbers(...) return ma.random.default_rng(5):standard_normal { ... } end

describe("derivatives of choices", function()
  it("are those of what is chosen", function()
    orders(function(x, y) return ma.select({ x:gt(0.5), x:lt(-0.5) }, { x * y, y }, 0.25) end,
      { numbers(6), numbers(6) })
    check(function(x) return ma.select({ x:gt(0) }, { x }, x ^ 2) end, { numbers(6) })
    local which = ma.index { 1, 2, 1, 3 }
    orders(function(x, y) return ma.choose(which, { x, y, 2 }) end, { numbers(4), numbers(4) * 2 })
  end)

  it("are those of running extremes", function()
    orders(function(x)
      return ma.maximum.accumulate(x), ma.minimum.accumulate(x, 2), ma.maximum.accumulate(x, -1)
    end, { numbers(3, 5) })
    check(function(x) return ma.add.accumulate(x), ma.multiply.accumulate(x, 2) end, { numbers(3, 5) })
    local g = ma.grad(function(x) return ma.maximum.accumulate(x):sum() end)(ma.array({ 1, 3, 2 }, "float64"))
    assert.same({ 1, 2, 0 }, g:totable())
  end)
end)

describe("derivatives where there is no spread and no length", function()
  it("are 0, along a direction too", function()
    local way = ma.array({ 1, 2, 3 }, "float64")
    for k, case in ipairs {
      { function(x) return ma.std(x) end, { 1, 1, 1 } }, { function(x) return x:std() end, { 0.1, 0.1, 0.1 } },
      { function(x) return ma.nanstd(x) end, { 0.1, 0.1, 0.1 } }, { ma.linalg.norm, { 0, 0, 0 } },
      { function(x) return ma.hypot(x, 2 * x):sum() end, { 0, 0, 0 } },
      { function(x) return ma.abs(x * ma.complex(1, 2)):sum() end, { 0, 0, 0 } },
    } do
      local fn, x = case[1], ma.array(case[2], "float64")
      assert.same({ 0, 0, 0 }, ma.grad(fn)(x):totable(), k)
      local _, along = ma.jvp(fn, { x }, { way })
      assert.equal(0, along:item(), k)
    end
  end)
end)

describe("derivatives of counts and fills", function()
  it("are those of weights and values", function()
    local places = ma.array({ 0, 1, 0, 2, 2, 4 }, "int64")
    orders(function(w) return ma.bincount(places, w), ma.bincount(places, w, 8) end, { numbers(6) })
    orders(function(x) return ma.full({ 2, 3 }, x), ma.full({ 2 }, x:sum()) end, { numbers(3) })
    check(function(x) return ma.nanprod(x), ma.nanprod(x, 1, { keepdims = true }) end, { numbers(2, 3) })
    assert.same({ 3, 0, 2 }, ma.grad(function(x) return ma.nanprod(x) end)(ma.array { 2, ma.nan, 3 }):totable())
  end)
end)

describe("derivatives of what ranks combine", function()
  it("are what flows to all of them, combined alike", function()
    local D = ma.distributed
    D.init()
    orders(function(x) return D.all_reduce(x * x) + D.all_reduce(x, "mean") end, { numbers(4) })
    for _, call in ipairs {
      function(x) return D.all_reduce(x, "max") end, function(x) return D.all_reduce(x, { out = ma.zeros(3) }) end,
      function(x) return D.all_reduce(x, { async_op = true }) end,
    } do
      local ok, why = pcall(ma.grad(function(x) return call(x):sum() end), numbers(3))
      assert(not ok and why:find("moonarray.distributed.", 1, true) and why:find("ma.stop_gradient", 1, true), why)
    end
  end)
end)

describe("derivatives of polynomials and cosine transforms", function()
  given("are right", function()
    orders(function(p, x) return ma.polyval(p, x) end, { numbers(4), numbers(3) })
    check(function(p) return ma.polyval(p, 2), ma.polyval(p, { 1, 3 }) end, { numbers(4) })
    for type = 1, 4 do
      check(function(x) return ma.fft.dct(x, type), ma.fft.idct(x, type), ma.fft.dst(x, type), ma.fft.dctn(x, type) end,
        { numbers(3, 4) })
    end
    orders(function(x) return ma.fft.dct(x, 2, nil, nil, "ortho") end, { numbers(5) })
  end)
end)
