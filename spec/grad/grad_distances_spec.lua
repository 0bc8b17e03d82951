-- Derivatives of distances between rows.

local ma = require "moonarray"
local orders = require "spec.grad.grad_orders"
local D = ma.spatial.distance

local function numbers(seed, ...) return ma.random.default_rng(seed):standard_normal { ... } end

local METRICS = { "euclidean", "sqeuclidean", "cityblock", "minkowski", "chebyshev", "canberra", "cosine",
  "correlation" }

describe("derivatives of distances", function()
  for _, metric in ipairs(METRICS) do
    it("are right by the metric " .. metric, function()
      local options = { p = metric == "minkowski" and 3 or nil }
      local function between(x, y) return D.cdist(x, y, metric, options) end
      orders(between, { numbers(5, 3, 4), numbers(6, 5, 4) * 2 })
      orders(function(x) return D.pdist(x, metric, options) end, { numbers(5, 4, 4) })
      orders(function(x) return between(x, numbers(7, 2, 8)) end, { numbers(5, 3, 8) })      -- more components
      orders(function(x) return D.pdist(x, metric, options) end, { numbers(5, 4, 8) })
    end)
  end

  it("are right with weights, variances and powers", function()
    local weights, y = ma.array({ 1, 2, 3, 0.5 }, "float64"), numbers(6, 3, 4)
    for _, metric in ipairs { "euclidean", "cityblock", "canberra", "cosine" } do
      orders(function(x) return D.cdist(x, y, metric, { w = weights }), D.pdist(x, metric, { w = weights }) end,
        { numbers(5, 3, 4) })
    end
    orders(function(x) return D.cdist(x, y, "minkowski", { p = 1.5, w = weights }) end, { numbers(5, 2, 4) })
    orders(function(x) return D.cdist(x, y, "seuclidean", { V = weights }) end, { numbers(5, 2, 4) })
  end)

  it("are 0 where there is no distance", function()
    local x = ma.array({ { 0, 0 }, { 3, 4 }, { 0, 0 } }, "float64")
    local slopes = ma.array({ { -1.2, -1.6 }, { 2.4, 3.2 }, { -1.2, -1.6 } }, "float64")
    assert(ma.allclose(ma.grad(function(v) return D.cdist(v, v):sum() end)(x), slopes))
    assert(ma.allclose(ma.grad(function(v) return D.pdist(v):sum() end)(x), slopes / 2))
    local g = ma.grad(function(v) return D.cdist(v, v, "minkowski", { p = 3 }):sum() end)(x)
    assert(ma.isfinite(g):all())
  end)

  it("need no array of all pairs and components", function()
    local n, k = 400, 64
    local x, pool = numbers(5, n, k):astype("float32"):eval(), ma.get_default_memory_pool()
    local step = ma.grad(function(v) return D.cdist(v, x):sum() end)
    step(x):eval()
    for _ = 1, 2 do collectgarbage() end
    ma.synchronize()
    pool:reset_peak()
    local before = pool:used_bytes()
    step(x):eval()
    ma.synchronize()
    assert(pool:peak_bytes() - before < 16 * n * n * 4)
  end)

  it("are errors by other metrics, and by weights", function()
    local x, weights = numbers(5, 3, 4), ma.ones(4)
    for message, call in pairs {
      ["cdist: has no derivative by the metric braycurtis"] = function(v) return D.cdist(v, x, "braycurtis") end,
      ["cdist: has no derivative by weights"] = function(v) return D.cdist(x, x, { w = v[1] * v[1] }) end,
      ["pdist: has no derivative by the metric chebyshev with weights"] = function(v)
        return D.pdist(v, "chebyshev", { w = weights })
      end,
    } do
      local ok, why = pcall(ma.grad(function(v) return call(v):sum() end), x)
      assert(not ok and why:find(message, 1, true), why)
    end
  end)
end)
