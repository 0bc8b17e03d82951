-- Functions whose records are not kept, but made again in the backward pass: ma.checkpoint and ma.iterate.

local helper = require "spec.helper"
local ma = require "moonarray"
local check = ma.testing.check_grad

local function array(list) return ma.array(list, "float64") end
local function given() return array { 0.3, -0.8, 1.2, 0.5 } end

local function fails(words, fn, ...)
  local ok, why = pcall(fn, ...)
  assert.is_false(ok)
  assert.matches(words, tostring(why), 1, true)
end

--- The derivatives by both arguments of fn, and of a checkpoint of it.
local function both(fn, ...)
  local all = { argnums = { 1, 2 } }
  local plain, again = ma.grad(fn, all)(...), ma.grad(ma.checkpoint(fn), all)(...)
  for k = 1, 2 do assert.same(plain[k]:totable(), again[k]:totable()) end
end

describe("ma.checkpoint", function()
  it("has the derivative of its function, which is called twice", function()
    local calls = 0
    local f = ma.checkpoint(function(x, w)
      calls = calls + 1
      return ma.tanh(x * w) * x
    end)
    check(function(x, w) return f(x, w) end, { given(), given() * 2 })
    calls = 0
    local y = f(given(), given())
    assert.equal(1, calls)
    ma.grad(function(x) return f(f(x, y), y):sum() end)(given())
    assert.equal(1 + 4, calls)
    both(function(x, w) return (ma.exp(x) * w + x["2:3"]:sum()):sum() end, given(), given())
  end)

  it("is called once where what flows back reads nothing", function()
    local calls, long = 0, 1
    local f = ma.checkpoint(function(x)
      calls = calls + 1
      for _ = 1, long do x = x * 1 end
      return { x["::-1"] + x * 3, x:sum() }
    end)
    local function both_of(x)
      local r = f(x)
      return r[1] * x, r[2]
    end
    check(both_of, { given() })
    for n, wanted in pairs { 1, [10001] = 2 } do           -- so many records are not kept
      calls, long = 0, n
      ma.grad(function(x) return (both_of(x)):sum() end)(given())
      assert.equal(wanted, calls)
    end
    local spread = ma.stencil(function(u) return u(0) + 0.2 * (u(-1) - 2 * u(0) + u(1)) end, { boundary = "reflect" })
    local x, pool = ma.linspace(0, 1, 5000), ma.get_default_memory_pool()
    local function last(u)
      return ma.iterate(100, function(v)
        calls = calls + 1
        return spread(v)
      end, u)
    end
    local plain = ma.grad(function(u)
      for _ = 1, 100 do u = spread(u) end
      return (u ^ 2):sum()
    end)(x)
    calls = 0
    collectgarbage()
    pool:reset_peak()
    local before = pool:used_bytes()
    collectgarbage "stop"
    local g = ma.scope(function() return (ma.grad(function(u) return (last(u) ^ 2):sum() end)(x)) end)
    collectgarbage "restart"
    assert.equal(100, calls)
    assert.same(plain:totable(), g:totable())
    assert(pool:peak_bytes() - before < 30 * 8 * 5000, (pool:peak_bytes() - before) / 4e4)
  end)

  it("keeps what calls read beside their arguments, in a scope too", function()
    local calls = {
      function(x) return ma.signal.lfilter({ 1, 0.5 }, { 1, 0.2 }, x) end,
      function(x) return ma.signal.upfirdn({ 1, 2, 1 }, x, { up = 2 }) end,
      function(x) return ma.bincount(ma.array({ 1, 2, 1, 1 }, "int64"), x) end,
      function(x) return ma.convolve(x, ma.array({ 1, 2 }, "float64")) end,
      function(x) return x:take(ma.array({ 1, 1, 3 }, "int64")) end,
      function(x) return x:sum(1, { where = ma.array { true, false, true, true }, keepdims = true }) end,
      function(x) return x * ma.array({ 1, 2, 3, 4 }, "float64") end,
      function(x) return ma.sparse.csr_matrix(ma.eye(4)):dot(x) end,
      function(x) return ma.sparse.linalg.spsolve(ma.sparse.csr_matrix(ma.eye(4) * 2), x) end,
      function(x)
        local grid, values = { ma.array({ -2, 0, 2 }, "float64") }, ma.array({ 1, 4, 2 }, "float64")
        return ma.interpolate.RegularGridInterpolator(grid, values)(x:reshape(4, 1))
      end,
    }
    for k, f in ipairs(calls) do
      local function value(g) return function(x) return (g(x) ^ 2):sum() end end
      local plain = ma.grad(value(f))(given())
      for _, g in ipairs { ma.checkpoint(function(x) return ma.scope(f, x) end), function(x) return ma.scope(f, x) end,
        function(x) return ma.iterate(2, function(v, i) return i == 1 and f(v) or v * 1, i + 1 end, x, 1) end } do
        assert(ma.allclose(plain, ma.grad(value(g))(given())), k)
      end
    end
  end)

  it("takes several results, tables, views and arrays from outside", function()
    local outside = array { 2, 3, 5, 7 }
    local block = ma.checkpoint(function(p, x)
      local y = ma.sin(p.w * x) * outside
      return { y = y, parts = { y["2:"], x } }, 7, y:sum()
    end)
    check(function(w, x)
      local r, seven, sum = block({ w = w }, x)
      assert.equal(7, seven)
      return r.y * 2, r.parts[1] ^ 2, r.parts[2] * x, sum
    end, { given(), given() + 1 })
    check(function(w, x)
      local u = w * w
      local f = ma.checkpoint(function(v) return u * v + u["::-1"] end)
      return f(x), f(u), u
    end, { given(), given() + 1 })
  end)

  it("has what flows to each input of a call that is no operation of elements", function()
    local twice = ma.custom_vjp(function(x, y) return x * x + y end, function(g, _, x) return 2 * g * x, g end)
    for k, f in ipairs { twice, function(x, y) return ma.concatenate { x, y } end,
      function(x, y) return ma.stack { y, x } end } do
      local function value(g) return function(x) return (ma.sin(g(x, x * 3)) ^ 2):sum() end end
      local plain = ma.grad(value(f))(given())
      for _, g in ipairs { ma.checkpoint(f), ma.checkpoint(function(x, y) return ma.checkpoint(f)(x, y) end) } do
        assert(ma.allclose(plain, ma.grad(value(g))(given())), k)
      end
    end
  end)

  it("works in itself, in derivatives of derivatives, and for more pulls", function()
    local inner = ma.checkpoint(function(x) return ma.tanh(x) * x end)
    local outer = ma.checkpoint(function(x) return inner(inner(x)) * 2 end)
    check(function(x) return outer(x) end, { given() })
    local slope = ma.grad(function(x) return outer(x):sum() end)
    check(function(x) return (slope(x)) end, { given() })
    local y, pull = ma.vjp(outer, given())
    local first = pull(ma.ones_like(y), { keep = true })
    assert.same(first:totable(), pull(ma.ones_like(y)):totable())
    local f = ma.checkpoint(function(x) return (ma.grad(function(v) return (v ^ 3):sum() end)(x)) end)
    assert.same({ 6, -12 }, ma.grad(function(x) return f(x):sum() end)(array { 1, -2 }):totable())
  end)

  it("draws the same numbers again, and leaves all generators where they were", function()
    local rng = ma.random.default_rng(7)
    local function dropout(x)
      local keep = rng:random(x.shape):lt(0.5)
      local scale = rng:random() + ma.random.random() + rng:integers(1, 9)      -- host draws
      ma.random.standard_normal(2)
      return ma.where(keep, x * x * scale, 0) + rng:normal(0, 1, x.shape) * x
    end
    local function run(f)
      rng:seed(3)
      ma.random.seed(4)
      local y, g = ma.value_and_grad(function(x) return f(f(x)):sum() end)(ma.linspace(1, 2, 50))
      return { y:item(), g:totable(), rng:random(), ma.random.random(), rng:integers(1000, { size = 3 }):totable() }
    end
    assert.same(run(dropout), run(ma.checkpoint(dropout)))
    local seeded = ma.checkpoint(function(x)
      rng:seed(11)
      return x * rng:random(x.shape)
    end)
    local function plain(x) return x * ma.random.default_rng(11):random(x.shape) end
    local x = given()
    assert.same(ma.grad(function(v) return plain(v):sum() end)(x):totable(),
      ma.grad(function(v) return seeded(v):sum() end)(x):totable())
  end)

  it("keeps less memory", function()
    local pool = ma.get_default_memory_pool()
    local function deep(x)
      for _ = 1, 8 do x = ma.tanh(x:cumsum(1) * 0.1) end
      return x
    end
    local function peak(f)
      local step = ma.grad(function(x)
        for _ = 1, 8 do x = f(x) end
        return x:sum()
      end)
      local x = ma.ones({ 100, 100 })
      for _ = 1, 3 do collectgarbage() end
      pool:reset_peak()
      local before = pool:used_bytes()
      ma.scope(function() step(x) end)
      return (pool:peak_bytes() - before) / 8e4
    end
    collectgarbage "stop"
    local plain, again = peak(deep), peak(ma.checkpoint(function(x) return ma.scope(deep, x) end))
    collectgarbage "restart"
    assert(again < 60 and again < plain / 2, again .. " of " .. plain)
  end)

  it("names what it cannot do", function()
    local x = given()
    local count = 0
    local counting = ma.checkpoint(function(v)
      count = count + 1
      return count == 1 and v * v or (v * v)["1:2"]
    end)
    fails("gave another result when it was called again at ", ma.grad(function(v) return counting(v):sum() end), x)
    local aside
    local hiding = ma.checkpoint(function(v)
      aside = v * 3
      return v * 2
    end)
    fails("has an effect, and is not among its results", ma.grad(function(v)
      return (hiding(v) + aside):sum()
    end), x)
    local buffer = ma.zeros(4, "float64")
    local writing = ma.checkpoint(function(v)
      buffer["1:2"] = v["1:2"]
      return v * 2
    end)
    fails("has an effect, and is not among its results", ma.grad(function(v)
      return (writing(v) + buffer):sum()
    end), x)
    local changing = ma.checkpoint(function(v) return v:iadd(1) * 2 end)
    fails("writes an array from outside in a function that will be called again", ma.grad(function(v)
      return changing(v * 1):sum()
    end), x)
    fails("fill: writes an array that moonarray.checkpoint read", ma.grad(function(v)
      local u = v * 1
      local y = ma.checkpoint(ma.exp)(u)
      u:fill(0)
      return y:sum()
    end), x)
    fails("fn is the number 3", ma.checkpoint, 3)
    fails("user's own", ma.grad(function(v) return ma.checkpoint(function() error("user's own") end)(v) end), x)
    assert.same({ 2, 2, 2, 2 }, ma.grad(function(v) return (v * 2):sum() end)(x):totable())
  end)

  it("is not changed by what becomes of its tables", function()
    local f = ma.checkpoint(function(state) return state.h * state.h end)
    local g = ma.grad(function(x)
      local state = { h = x }
      for _ = 1, 2 do state.h = f(state) end
      return state.h:sum()
    end)(array { 1, 2 })
    assert.same({ 4, 32 }, g:totable())
  end)
end)

describe("ma.iterate in a function that is differentiated", function()
  local function step(u, v) return u + 0.1 * ma.sin(v), v - 0.1 * u * u end

  it("has the derivative of the loop, whatever it keeps", function()
    local function loop(u, v)
      for _ = 1, 11 do u, v = step(u, v) end
      return u * v
    end
    local function weight(f) return function(u, v) return (f(u, v) * array { 1, 2, 3, 4 }):sum() end end
    local all, a, b = { argnums = { 1, 2 } }, given(), given() + 1
    local wanted = ma.grad(weight(loop), all)(a, b)
    for _, every in ipairs { 0, 1, 2, 3, 5, 11, 20 } do
      local options = every > 0 and { keep_every = every } or nil
      local found = ma.grad(weight(function(u, v)
        u, v = ma.iterate(11, step, u, v, options)
        return u * v
      end), all)(a, b)
      for k = 1, 2 do assert(ma.allclose(wanted[k], found[k], 1e-13, 1e-15)) end
    end
    check(function(u, v) return ma.iterate(5, step, u, v) end, { a, b })
    local slope = ma.grad(function(u) return (ma.iterate(4, step, u, b)):sum() end)
    check(function(u) return (slope(u)) end, { a })
  end)

  it("takes numbers, tables and no steps, and counts with the state", function()
    check(function(u)
      local s, k = ma.iterate(6, function(s, k) return { u = s.u * k }, k + 0.5 end, { u = u }, 1, { keep_every = 4 })
      assert.equal(4, k)
      return s.u
    end, { given() })
    assert.same({ 1, 1 }, ma.grad(function(x) return ma.iterate(0, step, x):sum() end)(array { 1, 2 }):totable())
    assert.same({ 4 }, ma.iterate(2, function(x) return x * 2 end, array { 1 }, { keep_every = 3 }):totable())
    fails("keep_every is the number 0; wanted a whole number", ma.iterate, 2, step, given(), { keep_every = 0 })
  end)

  it("keeps about twice the square root of the states", function()
    local pool, n = ma.get_default_memory_pool(), 10000
    local grow = ma.stencil(function(u) return u(0) + 0.1 * u(0) * (1 - u(1)) end, { boundary = "wrap" })
    local x = ma.linspace(0, 1, n)
    local run = ma.grad(function(u) return ma.iterate(100, function(v) return grow(v) end, u):sum() end)
    run(x)
    collectgarbage()
    pool:reset_peak()
    local before = pool:used_bytes()
    collectgarbage "stop"
    ma.scope(function() run(x) end)
    collectgarbage "restart"
    local fields = (pool:peak_bytes() - before) / (8 * n)
    assert(fields < (helper.compiles and 70 or 80), fields)    -- single operations hold some more
  end)
end)
