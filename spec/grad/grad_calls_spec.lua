-- Derivatives of functions that are no rows: views, picks, joins, reductions, scans, products, writes.

local ma = require "moonarray"
local core = require "moonarray.core"
local check = ma.testing.check_grad
local orders = require "spec.grad.grad_orders"

local function array(list) return ma.array(list, "float64") end
local function matrix() return array { { 0.3, -1.2, 0.8 }, { 1.5, 0.4, -0.6 } } end

describe("derivatives of views", function()
  it("are read and added through the same view", function()
    check(function(x) return x.T, x["1, :"] * 2, x[2], x["::2, ::-1"] end, { matrix() })
    check(function(x) return x:reshape(3, 2), x:ravel() * 3, x:flatten(), x:transpose(), x:swapaxes(1, 2) end,
      { matrix() })
    check(function(x) return ma.flip(x, 2) * x, x:expand_dims(1) + x, ma.squeeze(x["1:1"]), x:diagonal() end,
      { matrix() })
    check(function(x) return ma.split(x, 3, 2)[2] * 2, ma.roll(x, 1, 2) * x, ma.rot90(x) end, { matrix() })
  end)

  it("are those of shifted views of one array", function()
    local field = array { 1, 4, 9, 16, 25, 36 }
    check(function(u) return (u["3:"] - u[":-3"] * 2 + u["2:-2"]) ^ 2 end, { field })
    check(function(u) return u["2:"] * u[":-2"], u["::2"] * u["2::2"] end, { field })
  end)

  it("sum over what a view repeats", function()
    check(function(x) return ma.broadcast_to(x, { 4, 3 }) * ma.arange(12):reshape(4, 3) end, { array { 1, 2, 3 } })
    check(function(x) return ma.lib.stride_tricks.sliding_window_view(x, 3) ^ 2 end, { array { 1, 2, 3, 4, 5 } })
  end)

  it("are those of an argument that is a view itself", function()
    local whole = ma.arange(1000, { dtype = "float64" })
    local part = whole["500:505"]                        -- 499 to 504
    local g = ma.grad(function(x) return (x["2:"] * x[":-2"]):sum() end)(part)
    assert.same({ 500, 499 + 501, 500 + 502, 501 + 503, 502 + 504, 503 }, g:totable())
  end)

  it("take the memory of what is used of a large array", function()
    local step, pool = ma.grad(function(x) return (x["2:"] * x[":-2"]):sum() end), ma.get_default_memory_pool()
    local part = ma.zeros(4e6, "float64")["500:505"]
    step(part)
    collectgarbage()
    pool:reset_peak()
    local before = pool:used_bytes()
    step(part)
    assert(pool:peak_bytes() - before < 1e6, pool:peak_bytes() - before)
  end)
end)

describe("derivatives of picks and joins", function()
  it("flow to the positions", function()
    local index = ma.index { 1, 3, 3 }
    check(function(x) return x[{ {}, index }] * 2, x:take(index, 2), x[x:gt(0)] end, { matrix() })
    check(function(x)
      return x:take_along_axis(ma.argsort(x, 2), 2), ma.sort(x, 1), ma.sort(x, 2, { descending = true })
    end, { matrix() })
    check(function(x) return ma.tile(x, { 2, 2 }), ma.repeat_(x, 2, 1), ma.topk(x, 2) end, { matrix() })
    check(function(x) return ma.compress({ true, false, true }, x, 2), ma.extract(x:gt(0), x) end, { matrix() })
  end)

  it("are cut where joins put arrays together", function()
    check(function(x, y) return ma.concatenate({ x, y, x }, 2), ma.stack({ x, y }), ma.stack({ x, y }, -1) end,
      { matrix(), matrix() * 2 })
    check(function(x)
      return ma.vstack { x, x }, ma.hstack { x, x }, ma.concatenate({ x, x }, "none"), ma.append(x, x, 1)
    end, { matrix() })
    check(function(x) return ma.pad(x, 1), ma.diff(x, 1, 2), ma.where(x:gt(0), x, -x) end, { matrix() })
  end)
end)

describe("derivatives of reductions and scans", function()
  it("spread over what was reduced", function()
    check(function(x) return x:sum(), x:sum(1), x:sum(2, { keepdims = true }), x:sum({ 1, 2 }) end, { matrix() })
    check(function(x) return x:mean(), x:mean(-1), ma.average(x, 2, { 1, 2, 3 }) end, { matrix() })
    check(function(x) return x:max(), x:min(1), x:max(2), ma.ptp(x, 2) end, { matrix() })
    check(function(x) return x:var(), x:std(1), x:var(2, { ddof = 1 }), x:std() end, { matrix() })
    check(function(x) return x:prod(), x:prod(1), x:prod(2, { keepdims = true }) end, { matrix() })
    check(function(x) return ma.logsumexp(x), ma.logsumexp(x, 2), ma.linalg.norm(x), ma.linalg.norm(x, 2, 1) end,
      { matrix() })
    check(function(x) return x:sum(1, { where = x:gt(0) }), x:mean({ where = x:lt(1) }) end, { matrix() })
    check(function(x) return ma.special.softmax(x, 2), ma.special.logsumexp(x, 1) end, { matrix() })
  end)

  it("are right at equal elements, at zeros, and beside NaN", function()
    assert.same({ 0.5, 0.5, 0 }, ma.grad(function(x) return x:max() end)(array { 2, 2, 1 }):totable())
    assert.same({ 6, 0, 0 }, ma.grad(function(x) return x:prod() end)(array { 0, 2, 3 }):totable())
    assert.same({ 0, 0, 0 }, ma.grad(function(x) return x:prod() end)(array { 0, 0, 3 }):totable())
    assert.same({ 0, 0 }, ma.grad(function(x) return x:std() end)(array { 2, 2 }):totable())
    assert.same({ 0, 0 }, ma.grad(function(x) return ma.linalg.norm(x) end)(array { 0, 0 }):totable())
    assert.same({ 1, 0, 1 }, ma.grad(function(x) return ma.nansum(x) end)(array { 2, ma.nan, 1 }):totable())
    assert.same({ 0.5, 0, 0.5 }, ma.grad(function(x) return ma.nanmean(x) end)(array { 2, ma.nan, 1 }):totable())
  end)

  it("flow to NaN, and evenly to what is equal, of two operands", function()
    local a, b = array { ma.nan, 1, ma.nan, 2, 2, 1 }, array { 1, ma.nan, ma.nan, 2, 1, 2 }
    local wanted = {
      maximum = { { 1, 0, 0.5, 0.5, 1, 0 }, { 0, 1, 0.5, 0.5, 0, 1 } },
      minimum = { { 1, 0, 0.5, 0.5, 0, 1 }, { 0, 1, 0.5, 0.5, 1, 0 } },
      fmax = { { 0, 1, 0.5, 0.5, 1, 0 }, { 1, 0, 0.5, 0.5, 0, 1 } },
      fmin = { { 0, 1, 0.5, 0.5, 0, 1 }, { 1, 0, 0.5, 0.5, 1, 0 } },
    }
    for name, flows in pairs(wanted) do
      local g = ma.grad(function(x, y) return ma[name](x, y):sum() end, { argnums = { 1, 2 } })(a, b)
      for k = 1, 2 do assert.same(flows[k], g[k]:totable(), name) end
    end
    local function by(fn) return ma.grad(function(x) return fn(x):sum() end)(array { ma.nan, 1, 2, 3 }):totable() end
    assert.same({ 1, 0, 0.5, 1 }, by(function(x) return ma.maximum(x, 2) end))
    assert.same({ 1, 1, 1, 0 }, by(function(x) return ma.clip(x, 1, 2) end))
    assert.same({ 1, 0, 0, 0 }, by(function(x) return x:max() end))
  end)

  it("run back along a scan", function()
    check(function(x) return x:cumsum(), x:cumsum(1), x:cumsum(2), x:cumprod(2), x:cumprod() end, { matrix() })
    assert.same({ 3, 1, 2 }, ma.grad(function(x) return x:cumprod():sum() end)(array { 1, 2, 0 }):totable())
    local zeros = array { 1, 0, 3, 0, 2, 5, -1 }
    orders(function(x) return x:cumprod(), x:prod() end, { zeros })
    orders(function(x) return x:reshape(2, 3):cumprod(2) end, { zeros["2:"] })
  end)

  it("run back along a product in few steps", function()
    local before = core.work()
    local g = ma.grad(function(x) return x:cumprod():sum() end)(ma.ones(1000, "float64"))
    assert.equal(1000, g[1])
    assert.equal(1, g[1000])
    assert(core.work() - before < 150, core.work() - before)
  end)
end)

describe("derivatives of products", function()
  it("are products", function()
    local left, right = matrix(), array { { 1, -2 }, { 0.5, 3 }, { -1, 1.5 } }
    local long, short = array { 1, 2, 3 }, array { 0.5, -1 }
    check(function(a, b) return ma.matmul(a, b), ma.dot(a, b) end, { left, right })
    check(function(a, v) return ma.matmul(a, v), ma.dot(v, v), ma.vdot(v, v), a:dot(v) end, { left, long })
    check(function(w, a) return ma.matmul(w, a), ma.outer(w, a), ma.inner(a, a), ma.kron(w, w) end, { short, left })
    check(function(a, b) return ma.matmul(ma.stack { a, a * 2 }, b), ma.tensordot(a, b, 1) end, { left, right })
    check(function(a, b) return ma.einsum("ij,jk->ik", a, b), ma.einsum("ij,jk->", a, b), ma.einsum("ij->j", a) end,
      { left, right })
    check(function(a, b) return ma.einsum("ij,kj,jl->ikl", a, a, b), ma.trace(ma.matmul(a, b)), ma.cross(a, a * a) end,
      { left, right })
  end)
end)

-- A pretended GPU has no library of factors.
local able = pcall(function() return ma.linalg.det(ma.eye(2)):item() end)

describe("derivatives of linear algebra", function()
  (able and it or pending)("are those of solvers and factors", function()
    local square = array { { 3, 1, 0.5 }, { -1, 4, 1 }, { 0.5, 0.3, 5 } }
    local sides = array { { 1, 2 }, { -1, 0.5 }, { 3, 1 } }
    local linalg = ma.linalg
    check(function(a, b) return linalg.solve(a, b), linalg.solve(a, b["1:3, 1"]), linalg.inv(a) end, { square, sides })
    check(function(a)
      return linalg.det(a), (select(2, linalg.slogdet(a))), linalg.det(ma.stack { a, a * 2 })
    end, { square })
    check(function(a) return linalg.cholesky(ma.matmul(a, a.T)), linalg.cholesky(a) end, { square })
    check(function(a, b)
      return linalg.solve_triangular(a, b), linalg.solve_triangular(a, b, "T", true),
        linalg.solve_triangular(a, b, "N", true, true)
    end, { square, sides })
  end)
end)

describe("derivatives of convolutions", function()
  it("are convolutions", function()
    local long, taps = array { 0.3, -1.2, 0.8, 1.5, 0.4 }, array { 1, -2, 0.5 }
    for _, mode in ipairs { "full", "same", "valid" } do
      check(function(a, v) return ma.signal.convolve(a, v, mode, "direct") end, { long, taps })
      check(function(a, v) return ma.signal.convolve2d(a, v, mode) end,
        { matrix(), array { { 1, -2 }, { 0.5, 3 } } })
    end
  end)
end)

describe("derivatives through writes", function()
  it("flow to what was written, and not to what was there", function()
    check(function(x)
      local y = ma.zeros({ 2, 3 }, "float64")
      y["1, :"] = x[2] * 2
      y["2, 2:"] = x["1, 2:"] ^ 2
      y:iadd(x)
      return y
    end, { matrix() })
    check(function(x)
      local y = x * 2
      y["1"] = 5
      y:isub(x)
      y:imul(x)
      return y * 1
    end, { matrix() })
    check(function(x)
      local y = x * 2
      y[{ 1, 2 }] = x[{ { 2, 2 }, { 1, 1 } }]
      return y
    end, { matrix() })
  end)
end)
