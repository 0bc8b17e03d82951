-- ma.optim: the steps of sgd, adam and lbfgs, beside loops over numbers, in place, as one kernel each.

local ma = require "moonarray"
local core = require "moonarray.core"
local work = require "spec.fusion.fusion_helper"

local DTYPES = { "float64", "float32", "float16", "bfloat16" }
local SLACK = { float64 = 1e-14, float32 = 1e-6, float16 = 3e-3, bfloat16 = 3e-2 }

local function fails(words, fn, ...)
  local ok, why = pcall(fn, ...)
  assert.is_false(ok)
  assert.matches(words, tostring(why), 1, true)
end

--- Five steps of an optimiser over {w = {3, -2}, list = {{1}}} with the derivatives 2 w and 2 w + 1, and what a loop
--- over numbers gives; in float64 or, of option sets one in each, in all dtypes.
local function compare(all, make, number)
  for k = 1, all and #DTYPES or 1 do
    local dtype = DTYPES[k]
    local w, last = ma.array({ 3, -2 }, dtype), ma.array({ 1 }, dtype)
    local params = { w = w, list = { last } }
    local opt, states, wanted = make(params), { {}, {}, {} }, { 3, -2, 1 }
    for step = 1, 5 do
      opt:step({ w = 2 * w, list = { 2 * last + 1 } })
      for j = 1, 3 do wanted[j] = number(wanted[j], 2 * wanted[j] + (j == 3 and 1 or 0), states[j], step) end
    end
    assert.equal(w, params.w)
    for j, found in ipairs { w(1), w(2), last(1) } do
      assert(math.abs(found - wanted[j]) <= SLACK[dtype] * math.max(1, math.abs(wanted[j])),
        dtype .. ": " .. found .. " for " .. wanted[j])
    end
  end
end

describe("ma.optim.sgd", function()
  it("descends, with momentum, Nesterov's too, and decay", function()
    for _, o in ipairs {
      {}, { rate = 0.1 }, { rate = 0.1, momentum = 0.9, wide = true }, { momentum = 0.5, nesterov = true },
      { rate = 0.05, weight_decay = 0.1 }, { rate = 0.05, momentum = 0.9, weight_decay = 0.1 },
    } do
      local all = o.wide
      o.wide = nil
      compare(all, function(params) return ma.optim.sgd(params, o) end, function(x, g, s)
        local momentum = o.momentum or 0
        g = g + (o.weight_decay or 0) * x
        s.v = momentum * (s.v or 0) + g
        return x - (o.rate or 0.01) * (o.nesterov and g + momentum * s.v or s.v)
      end)
    end
  end)

  it("takes a table of options that is left out, views, and what ma.grad gives", function()
    local all = ma.array({ 1, 2, 3, 4 }, "float64")
    local part = all["2:3"]
    local descend, step = ma.optim.sgd(part), ma.grad(function(x) return (x * x):sum() end)
    descend:step((step(part)))
    assert.same({ 1, 1.96, 2.94, 4 }, all:totable())
    assert.equal("<optim.sgd of 1 arrays>", tostring(descend))
    descend:set_rate(0.5):step((step(part)))
    assert.same({ 1, 0, 0, 4 }, all:totable())
  end)
end)

describe("ma.optim.adam", function()
  it("has Adam's steps", function()
    local other = { rate = 0.1, beta1 = 0.5, beta2 = 0.9, eps = 1e-3 }
    for k, o in ipairs { {}, other, { rate = 0.1, weight_decay = 0.2 } } do
      local b1, b2, rate = o.beta1 or 0.9, o.beta2 or 0.999, o.rate or 1e-3
      compare(k == 1, function(params) return ma.optim.adam(params, o) end, function(x, g, s, n)
        s.m, s.v = b1 * (s.m or 0) + (1 - b1) * g, b2 * (s.v or 0) + (1 - b2) * g * g
        x = x * (1 - rate * (o.weight_decay or 0))
        return x - rate * (s.m / (1 - b1 ^ n)) / (math.sqrt(s.v / (1 - b2 ^ n)) + (o.eps or 1e-8))
      end)
    end
  end)

  it("counts on the device, so that a graph goes on counting, and takes another rate", function()
    local function run(as_graph)
      local x = ma.array({ 3, -2 }, "float64")
      local opt, step = ma.optim.adam(x, { rate = 0.1 }), ma.grad(function(v) return (v ^ 4):sum() end)
      local function once() opt:step((step(x))) end
      if as_graph then once = ma.cuda.graph(once) else once() end
      for k = 1, 6 do
        if k == 4 then opt:set_rate(0.05) end
        once()
      end
      return x:totable()
    end
    assert.same(run(false), run(true))
  end)
end)

-- Each parameter takes one kernel, and the count of Adam's steps one for all.
describe("a step", function()
  it("is one kernel a parameter", function()
    local params, grads = {}, {}
    for k = 1, 3 do params[k], grads[k] = ma.ones({ 40, k }, "float32"), ma.full({ 40, k }, 0.5, "float32") end
    for name, launches in pairs { sgd = 3, adam = 4, momentum = 3 } do
      local opt = name == "momentum" and ma.optim.sgd(params, { momentum = 0.9 }) or ma.optim[name](params)
      core.compile_at_once(true)
      opt:step(grads)
      ma.synchronize()
      local before = core.work()
      opt:step(grads)
      local made = core.work() - before
      core.compile_at_once(false)
      assert(work.are_few(made, launches), name .. ": " .. made)
    end
  end)

  it("allocates nothing that stays", function()
    local x = ma.ones(1000)
    local opt, g = ma.optim.adam(x), ma.ones(1000)
    local pool = ma.get_default_memory_pool()
    opt:step(g)
    collectgarbage()
    local before = pool:used_bytes()
    for _ = 1, 50 do opt:step(g) end
    collectgarbage()
    assert.equal(before, pool:used_bytes())
  end)
end)

describe("ma.optim.lbfgs", function()
  local function rosenbrock(p) return (100 * (p["2:"] - p[":-2"] ^ 2) ^ 2 + (1 - p[":-2"]) ^ 2):sum() end

  it("finds minima in few steps", function()
    local x = ma.array({ -1.2, 1, 0.5, -0.3 }, "float64")
    local opt, steps, before = ma.optim.lbfgs(x), 0, math.huge
    repeat
      local value, done = opt:step(rosenbrock)
      steps = steps + 1
      assert(value <= before and steps < 100)
      before = value
    until done
    assert(ma.allclose(x, ma.ones(4), 1e-6))
    assert(steps < 60, steps)
  end)

  it("takes tables and further arguments, and stays where it is at a minimum", function()
    local p = { slope = ma.zeros({ 1 }, "float64"), offset = { ma.zeros({}, "float32") } }
    local t = ma.linspace(0, 1, 20)
    local function loss(q, data) return ((q.slope * t + q.offset[1] - data) ^ 2):mean() end
    local opt = ma.optim.lbfgs(p, { history = 5 })
    local done
    for _ = 1, 30 do
      _, done = opt:step(loss, 3 * t - 1)
      if done then break end
    end
    assert.is_true(done)
    assert(math.abs(p.slope(1) - 3) < 1e-4 and math.abs(p.offset[1]:item() + 1) < 1e-4)
    local x = ma.zeros(2)
    local value, flat = ma.optim.lbfgs(x):step(function(v) return (v * v):sum() + 2 end)
    assert.same({ 2, true, { 0, 0 } }, { value, flat, x:totable() })
    assert.equal("<optim.lbfgs of 2 arrays>", tostring(opt))
  end)

  it("remembers from scope to scope, and leaves no bytes in use", function()
    local x = ma.array({ -1.2, 1, 0.5, -0.3 }, "float64")
    local opt, pool, done = ma.optim.lbfgs(x, { history = 4 }), ma.get_default_memory_pool()
    local function step() return ma.scope(function() return select(2, opt:step(rosenbrock)) end) end
    for _ = 1, 8 do step() end
    collectgarbage()
    collectgarbage "stop"
    local before = pool:used_bytes()
    for _ = 1, 5 do step() end
    local after = pool:used_bytes()
    collectgarbage "restart"
    assert.equal(before, after)
    for _ = 1, 100 do
      done = step()
      if done then break end
    end
    assert.is_true(done)
  end)

  it("ends where the dtype allows no lower value", function()
    local x = ma.array({ 3, 4 }, "float32")
    local opt, done = ma.optim.lbfgs(x, { tolerance = 0 })
    for _ = 1, 50 do
      _, done = opt:step(function(v) return ((v - 0.1) ^ 2):sum() + 1 end)
      if done then break end
    end
    assert.is_true(done)
    assert(ma.allclose(x, ma.full(2, 0.1), 1e-3))
  end)
end)

describe("what an optimiser is not given", function()
  it("is named", function()
    local x = ma.ones(2)
    local sgd, adam, lbfgs = ma.optim.sgd, ma.optim.adam, ma.optim.lbfgs
    fails("optim.sgd: params is the number 3; wanted an array of floats", sgd, 3)
    fails("optim.adam: params[a] is a int64 array (2,); wanted an array of real floats", adam,
      { a = ma.ones(2, "int64") })
    fails("params has no arrays", sgd, {})
    local circle = {}
    circle[1] = circle
    fails("more than 16 tables in tables", sgd, circle)
    fails("params[b] is an object, a table with a metatable; wanted", sgd, { b = ma.sparse.eye(2) })
    fails("are the same array", sgd, { x, { a = x } })
    fails("rate is -1; wanted a number from 0 on", sgd, x, { rate = -1 })
    fails("momentum is 1; wanted a number from 0 on and below 1", sgd, x, { momentum = 1 })
    fails("nesterov without momentum", sgd, x, { nesterov = true })
    fails("beta2 is nan", adam, x, { beta2 = 0 / 0 })
    fails("optim.sgd.step: grads[w] is nil", function() sgd({ w = x }):step({ v = x }) end)
    fails("grads is a float64 array (3,); wanted the derivative by a float64 array (2,)", function()
      adam(x):step(ma.ones(3))
    end)
    fails("in place of the object", function() sgd(x).step(x) end)
    fails("history is 0", lbfgs, x, { history = 0 })
    fails("fn is nil", function() lbfgs(x):step() end)
    fails("the value is inf", function() lbfgs(x):step(function(v) return (v / 0):sum() end) end)
    fails("writes an argument", function()
      ma.grad(function(v)
        sgd(v):step(v * 2)
        return v:sum()
      end)(x)
    end)
  end)
end)
