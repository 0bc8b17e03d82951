--- Measures derivatives: each key is held against the same function without a derivative, or against PyTorch's figure
--- of the same key, which bench/peers/grad_torch.py prints.
--
-- usage: luajit bench/grad.lua [--peer FILE] [KEY ...]
--        MOONARRAY_DEVICE=cuda luajit bench/grad.lua --peer torch.txt
--
--   --peer FILE   what bench/peers/grad_torch.py printed, on the same machine
--   KEY           chain, mlp, conv, heat, bodies, host: these alone
--
-- On the CPU the arrays are smaller, so that it ends in a minute. Exits with 1 if a limit does not hold.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"
local core = require "moonarray.core"
local beside = dofile((arg[0]:match "^.*/" or "") .. "beside.lua")

local on_gpu = ma.zeros(1).device ~= "cpu"
local pool = ma.get_default_memory_pool()
local rng = ma.random.default_rng(1)

-- ==== Figures ========================================================================================================

local peer, only = {}, {}

local function read_peer(path)
  for line in assert(io.open(path)):lines() do
    local key, us = line:match "^([%w_.]+)%s+([%d.]+)"
    if key then peer[key] = tonumber(us) end
  end
end

do
  local k = 1
  while arg[k] do
    if arg[k] == "--peer" then
      read_peer(arg[k + 1])
      k = k + 1
    else
      only[arg[k]] = true
    end
    k = k + 1
  end
end

--- Calls a function until nothing more is compiled in the background for it.
local function settle(f)
  local _, before, after
  repeat
    _, before = core.background(true)
    for _ = 1, 3 do f() end
    ma.synchronize()
    _, after = core.background(true)
  until after == before
end

--- Microseconds of a call of each function; the device has ended its work.
local function times(...)
  for k = 1, select("#", ...) do settle((select(k, ...))) end
  return beside.times({ ... }, { rounds = 7, slice = on_gpu and 0.05 or 0.02, wait = ma.synchronize })
end

local function show(key, us) print(("%-28s %12.2f us"):format(key, us)) end

--- A key beside the peer's figure of it, if there is one.
local function against(key, us, other, most)
  if peer[other] then beside.line(key, us, "PyTorch " .. other:gsub("^%w+%.", ""), peer[other], most)
  else show(key, us) end
end

--- Launches of a call, and the bytes that it needs at most at once.
local function launches(f)
  ma.synchronize()
  local before = core.work()
  f()
  ma.synchronize()
  return core.work() - before
end

local function most_bytes(f)
  for _ = 1, 2 do collectgarbage() end
  ma.synchronize()
  pool:reset_peak()
  local before = pool:used_bytes()
  f()
  ma.synchronize()
  return pool:peak_bytes() - before
end

local function normal(...) return rng:standard_normal({ ... }, "float32") end

-- ==== Keys ===========================================================================================================

local keys = {}

--- Five operations on 10^7 elements.
function keys.chain()
  local x = normal(on_gpu and 1e7 or 2e6)
  local function f(v) return (ma.tanh(v * 1.5) * ma.exp(-v * v) + v):sum() end
  local step = ma.grad(f)
  local forward, both = times(function() f(x):eval() end, function() step(x):eval() end)
  beside.line("chain.both", both, "chain.forward", forward, 2.5)
  against("chain.both", both, "chain.both", 1)
end

--- A network of 784, 512 and 10 with a batch of 256, a step of Adam.
function keys.mlp()
  local inputs, hidden, batch = 784, on_gpu and 512 or 64, on_gpu and 256 or 32
  local x, labels = normal(batch, inputs), rng:integers(1, 11, { batch })
  local wanted = ma.eye(10, "float32"):take(labels, 1)
  local p = { w1 = normal(inputs, hidden) * 0.03, b1 = ma.zeros(hidden, "float32"), w2 = normal(hidden, 10) * 0.03,
    b2 = ma.zeros(10, "float32") }
  local function loss(q)
    local h = ma.maximum(ma.matmul(x, q.w1) + q.b1, 0)
    local y = ma.matmul(h, q.w2) + q.b2
    return (ma.logsumexp(y, 2) - (y * wanted):sum(2)):mean()
  end
  local step, adam = ma.value_and_grad(loss), ma.optim.adam(p)
  local function once()
    local _, g = step(p)
    adam:step(g)
  end
  local graph = ma.cuda.graph(once)
  local eager, replayed = times(once, graph)
  against("mlp.step", eager, "mlp.eager", 1)
  against("mlp.step", eager, "mlp.compile", 1.15)
  against("mlp.graph", replayed, "mlp.reduce_overhead", 1)
  local n = launches(once)
  beside.hold(("mlp.launches: %d, at most 18"):format(n), n <= 18)
end

--- A convolution of a picture by 5 x 5 taps, and its derivatives by both.
function keys.conv()
  local n = on_gpu and 2048 or 128
  local image, taps = normal(n, n), normal(5, 5)
  local function f(a, b) return (ma.signal.convolve2d(a, b, "same") ^ 2):sum() end
  local step = ma.grad(f, { argnums = { 1, 2 } })
  local forward, both = times(function() f(image, taps):eval() end, function()
    local g = step(image, taps)
    ma.eval(g[1], g[2])
  end)
  show("conv.forward", forward)
  against("conv.both", both, "conv.both", 1.2)
end

--- Heat: 1,000 steps, and the derivative by the first state.
function keys.heat()
  local n, steps = on_gpu and 512 or 64, on_gpu and 1000 or 100
  local u = normal(n, n)
  local spread = ma.stencil(function(v)
    return v(0, 0) + 0.2 * (v(-1, 0) + v(1, 0) + v(0, -1) + v(0, 1) - 4 * v(0, 0))
  end, { boundary = "wrap" })
  local function last(v) return ma.iterate(steps, function(w) return spread(w) end, v) end
  local step = ma.grad(function(v) return (last(v) ^ 2):sum() end)
  local function both() ma.scope(function() step(u):eval() end) end
  local forward, all = times(function() ma.scope(function() last(u):eval() end) end, both)
  beside.line("heat.both", all, "heat.forward", forward, 3.5)
  local fields = most_bytes(both) / (4 * n * n)
  beside.hold(("heat.fields: %.1f, at most 72"):format(fields), fields <= 72)
  against("heat.both", all, "heat.both", 1)
end

--- The energy of bodies that repel each other, and the forces.
function keys.bodies()
  local n = on_gpu and 4096 or 1024
  local x = normal(n, 3)
  local function energy(at)
    local square = 1e-2
    for d = 1, 3 do
      local c = at[{ {}, { d, d } }]
      square = square + (c - c:reshape(1, n)) ^ 2
    end
    return (1 / ma.sqrt(square)):sum()
  end
  local step = ma.grad(energy)
  local function both() ma.scope(function() step(x):eval() end) end
  local forward, all = times(function() energy(x):eval() end, both)
  beside.line("bodies.both", all, "bodies.forward", forward, 3)
  local arrays = most_bytes(both) / (4 * n * n)
  print(("bodies.arrays of n x n at once: %.1f"):format(arrays))
  against("bodies.both", all, "bodies.both", 1)
end

--- Microseconds of the calling thread for an operator, recorded and flowing back, on small arrays.
function keys.host()
  local OPERATORS = 200
  local x, y = ma.ones(8, "float32"), ma.full(8, 1.0001, "float32")
  local function f(v)
    for _ = 1, OPERATORS / 2 do v = v * y + y end
    return v:sum()
  end
  local plain, record, both = times(function() f(x) end, function()
    local _, pull = ma.vjp(f, x)
    pull:free()
  end, function() ma.grad(f)(x) end)
  show("host.plain an operator", plain / OPERATORS)
  show("host.back an operator", (both - record) / OPERATORS)
  beside.line("host.recorded an operator", record / OPERATORS, "two microseconds", 2, 1)
end

-- ==== Run ============================================================================================================

for _, key in ipairs { "chain", "mlp", "conv", "heat", "bodies", "host" } do
  if next(only) == nil or only[key] then beside.part(key, keys[key]) end
end
os.exit(beside.missed > 0 and 1 or 0)
