-- What derivatives launch: what flows back is computed together with what it reads of the function, which is computed
-- again where that is cheaper than storing it.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local work = require "spec.fusion.fusion_helper"

local file = require "spec.file"

local on_cpu = ma.zeros(1).device == "cpu"

local function chain(v) return (ma.tanh(v * 1.5) * ma.exp(-v * v) + v):sum() end

--- The energy of bodies that repel each other.
local function energy(at)
  local n, square = at.shape[1], 1e-2
  for d = 1, 3 do
    local c = at[{ {}, { d, d } }]
    square = square + (c - c:reshape(1, n)) ^ 2
  end
  return (1 / ma.sqrt(square)):sum()
end

--- A layer, a bias and a loss of classes.
local function network()
  local rng = ma.random.default_rng(1)
  local function normal(...) return rng:standard_normal({ ... }, "float32") end
  local x, wanted = normal(24, 60), ma.eye(10, "float32"):take(rng:integers(1, 11, { 24 }), 1)
  local p = { w1 = normal(60, 40) * 0.03, b1 = ma.zeros(40, "float32"), w2 = normal(40, 10) * 0.03,
    b2 = ma.zeros(10, "float32") }
  return p, function(q)
    local h = ma.maximum(ma.matmul(x, q.w1) + q.b1, 0)
    local y = ma.matmul(h, q.w2) + q.b2
    return (ma.logsumexp(y, 2) - (y * wanted):sum(2)):mean()
  end
end

local erf = ma.special.erf

--- Functions of two arrays that are programs, and the kernels of a value and its derivatives by both.
local PROGRAMS = {
  { 2, function(x, y) return x * y + x end },
  { 3, function(x, y) return 0.5 * x * (1 + ma.tanh(0.7978845608 * (x + 0.044715 * x ^ 3))) * y end },
  { 5, function(s, k)
    local d = (ma.log(s / k) + 0.05) / 0.2
    return s * (0.5 + 0.5 * erf(d * 0.7071)) - k * 0.97 * (0.5 + 0.5 * erf((d - 0.2) * 0.7071))
  end },
  { 3, function(x, y)
    local r = x * x + y * y
    local i6 = 1 / (r * r * r)
    if r < 6.25 then return 4 * (i6 * i6 - i6) + 0.016 else return 0 end
  end },
  { 9, function(x, y)
    local s = y
    for k = 1, 20 do s = s * x + 1 / k end
    return s
  end },
}

describe("what flows back", function()
  setup(function() core.compile_at_once(true) end)
  teardown(function() core.compile_at_once(false) end)

  it("through a chain of operations is one program over what the function reads", function()
    local x = ma.random.default_rng(1):standard_normal({ on_cpu and 1100000 or 20000 }, "float32")
    local step = ma.grad(chain)
    step(x):eval()
    assert.equal(1, work.figures(function() step(x):eval() end).run)
  end)

  it("through a function of ma.fuse is no more kernels than through its operations, and few", function()
    local rng = ma.random.default_rng(1)
    local n = on_cpu and 1100000 or 5000
    local x, y = rng:uniform(0.8, 1.5, n):astype("float32"):eval(), rng:uniform(0.8, 1.5, n):astype("float32"):eval()
    for k, program in ipairs(PROGRAMS) do
      local fused = ma.fuse(program[2])
      local step = ma.grad(function(a, b) return fused(a, b):sum() end, { argnums = { 1, 2 } })
      local function once()
        local g = step(x, y)
        ma.eval(g[1], g[2])
      end
      once()
      local launched = work.count(once)
      assert(work.are_few(launched, program[1]), k .. ": " .. launched)
    end
  end)

  it("stores a power on the CPU, and of what is long what it reads again", function()
    if not on_cpu then return pending("no GPU: a power takes a CPU longer than memory does") end
    local x = ma.random.default_rng(1):uniform(0.5, 2, 1100000):astype("float32"):eval()
    local function runs(f)
      local step = ma.grad(function(v) return f(v):sum() end)
      step(x):eval()
      return work.figures(function() step(x):eval() end).run
    end
    assert.equal(3, runs(function(v) return v ^ 2.5 + v ^ 1.5 + ma.log(v) * v ^ 0.3 end))
    assert.equal(2, runs(function(v) return v * (1 + ma.tanh(0.8 * (v + 0.045 * v ^ 3))) end))
  end)

  it("sums what is the same number everywhere, without a look at memory that was never set", function()
    local ok, said = file.run(([[MALLOC_PERTURB_=85 '%s' -e '
      local ma = require "moonarray"
      local x = ma.ones(2, "float64")
      print(ma.grad(function(v)
        return (v:reshape(2, 1) + ma.ones({ 1, 3 })):sum() + (v * 0):sum()
      end)(x)(1))']]):format(os.getenv("LUAJIT") or "luajit"))
    assert(ok, said)
    if not helper.compiles then said = said:gsub("^moonarray: [^\n]* runs on the CPU: no kernel [^\n]*\n", "") end
    assert.matches("^3%s*$", said)
  end)

  it("through a power is a power less by one, but of a square, and two products", function()
    local x, g = ma.ones(20000, "float32"):eval(), ma.full(20000, 3, "float32"):eval()
    for exponent, wanted in pairs { [2] = 2, [3] = 3, [0.5] = 3 } do
      local _, pull = ma.vjp(function(v) return v ^ exponent end, x)
      local found
      assert.equal(wanted, work.figures(function() found = pull(g) end).recorded)
      assert.equal(3 * exponent, found(7))
    end
  end)

  it("computes each value of a kernel once, though its numbers were taken in twice", function()
    local _, said = file.run(([[MOONARRAY_DEVICE=cpu MOONARRAY_TRACE=fuse '%s' -e '
      local ma = require "moonarray"
      local x = ma.linspace(-1, 1, 2000000, { dtype = "float32" })
      ma.grad(function(v) return (ma.tanh(v * 1.5) * ma.exp(-v * v) + v):sum() end)(x):eval()']]):format(
      os.getenv("LUAJIT") or "luajit"))
    assert.equal("18", said:match("(%d+) instructions over 2 arrays, 2000000 elements of float32: eval\n$"), said)
  end)

  it("to three columns by all pairs is two passes, without an array of all pairs", function()
    local n = on_cpu and 1100 or 300                       -- more than the caches have
    local x = ma.random.default_rng(1):standard_normal({ n, 3 }, "float32"):eval()
    local step, pool = ma.grad(energy), ma.get_default_memory_pool()
    step(x):eval()
    for _ = 1, 2 do collectgarbage() end
    ma.synchronize()
    pool:reset_peak()
    local before = pool:used_bytes()
    work.takes(on_cpu and 8 or 7, function() step(x):eval() end)
    if helper.compiles then assert(pool:peak_bytes() - before < 4 * n * n) end
  end)

  it("has the bits that it has where each operation runs at once", function()
    local p, loss = network()
    local x = ma.random.default_rng(2):standard_normal({ 20000 }, "float32")
    local bodies = x["1:600"]:reshape(200, 3):copy()
    work.both("chain", function() return ma.grad(chain)(x) end)
    work.both("bodies", function() return ma.grad(energy)(bodies) end)
    work.both("network", function()
      local value, g = ma.value_and_grad(loss)(p)
      return value, g.w1, g.b1, g.w2, g.b2
    end)
    work.both("a long chain", function()
      return ma.grad(function(v)
        for _ = 1, 60 do v = v * (1 - v) * 0.9 end
        return v:sum()
      end)(x)
    end)
    work.both("extremes", function()
      return ma.grad(function(v) return (ma.maximum(v, 0) * 2 + ma.minimum(v, 0 / 0)):sum() end)(x)
    end)
  end)

  it("takes no more launches for a step of a network than its kernels", function()
    if on_cpu then return pending("no GPU: a step on the CPU is not bound by launches") end
    local p, loss = network()
    local step, adam = ma.value_and_grad(loss), ma.optim.adam(p)
    local function once()
      local _, g = step(p)
      adam:step(g)
      ma.synchronize()
    end
    for _ = 1, 2 do once() end
    local launched = work.count(once)
    assert(work.are_few(launched, 18), launched .. " launches")
  end)

  it("leaves what is learnt of functions by themselves as it was", function()
    local x = ma.random.default_rng(1):standard_normal({ 20000 }, "float32")
    chain(x):eval()
    for _ = 1, 5 do ma.grad(chain)(x):eval() end
    assert.equal(1, work.figures(function() chain(x):eval() end).run)
    local before = core.repeat_deferred(false)
    assert.is_false(before)
    pcall(ma.grad(function(v)
      error("inside")
      return v
    end), x)
    pcall(ma.grad(function(v) return ma.nextafter(v, 1):sum() end), x)
    assert.is_false(core.repeat_deferred(false))
  end)
end)
