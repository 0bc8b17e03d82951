--- Programs that run as few kernels, beside compilers of array programs. The peers' side is peers/compilers_bench.py.
--
-- Each is written as a user would write it, and has a large size (`fused.NAME`, milliseconds), a small one
-- (`host.fused.NAME`, microseconds) and what the first call of the large one takes longer than a later one
-- (`fused.NAME.first`, milliseconds). `values KEY ...` is a line of some of its results, which the runner compares with
-- the peers'.

local ma = require "moonarray"
local core = require "moonarray.core"
local timing = ...

local divisor, on_gpu, pattern = timing.divisor, timing.on_gpu, timing.pattern
local prefix, host_prefix = timing.prefix, on_gpu and "host." or "cpu.host."
local keep = { keepdims = true }
local LOOPS = 32

--- Numbers in [0, 1) that the peers make alike: no two of 65,536 neighbours are the same.
local function uniform(n, seed)
  return ma.eval(ma.remainder(ma.arange(n) * 40503 + seed, 65536):astype("float32") / 65536)
end

local function matrix(rows, columns, seed) return uniform(rows * columns, seed):reshape(rows, columns) end

-- ==== Measuring ====

--- Microseconds of the calling thread for a call: the least of many rounds of some milliseconds, in which the collector
--- has its turns too. On a GPU the device's work is waited for outside of the time.
local function small(f)
  local calls = 8
  local function round()
    local start = ma.time()
    for _ = 1, calls do f() end
    local took = ma.time() - start
    timing.sync()
    return took
  end
  while round() < 5e-3 and calls < 1000 do calls = calls * 2 end
  local best, rounds, finish = math.huge, 0, ma.time() + 0.4 / divisor
  while ma.time() < finish or rounds < 5 do
    best, rounds = math.min(best, round()), rounds + 1
  end
  return best / calls * 1e6
end

--- Seconds until the call is done, and what is compiled for it.
local function whole(f)
  local start = ma.time()
  f()
  core.background(true)
  timing.sync()
  return ma.time() - start
end

--- For each array its mean and, if it has several, sixteen of its elements.
local function show_values(key, ...)
  local words = {}
  for _, a in ipairs { ... } do
    a = a:astype("float64"):reshape(a.size)
    words[#words + 1] = ("%.9g"):format(a:mean():item())
    for k = 0, a.size > 1 and 15 or -1 do
      words[#words + 1] = ("%.9g"):format(a(1 + math.floor(k * (a.size - 1) / 15)))
    end
  end
  print("values " .. key .. " " .. table.concat(words, " "))
end

local function wanted(...)
  for _, key in ipairs { ... } do
    if not pattern or key:find(pattern) then return true end
  end
  return false
end

--- Measures what `make(size)` gives: a function, and one whose results are shown if they are others.
local function measured(key, how, make, size)
  if not wanted(key, key .. ".first") then return end
  local made, f, results = pcall(make, size)
  local ok, why = made, f
  if made then ok, why = pcall(function() show_values(key, (results or f)()) end) end
  if not ok then
    print(key .. " - " .. tostring(why):gsub("\n.*", ""))
    return
  end
  timing.record(key, how, function() ma.eval(f()) end)
  collectgarbage()
  collectgarbage()
end

--- A size, of which the first number is made smaller by the divisor.
local function shrunk(size)
  if type(size) == "number" then return math.max(16, math.floor(size / divisor)) end
  return { shrunk(size[1]), unpack(size, 2) }
end

--- A program at both sizes. `make(size)` gives the function that is measured.
local function program(name, sizes, make)
  local key = prefix .. "fused." .. name
  local large = shrunk(on_gpu and sizes.gpu or sizes.cpu)
  if wanted(key, key .. ".first") then
    local made, f = pcall(make, large)
    local function once() ma.eval(f()) end
    local ran, first = pcall(whole, once)
    if made and ran then print(("%s.first %.4g 0"):format(key, math.max(0, first - whole(once)) * 1e3)) end
  end
  measured(key, on_gpu and timing.events or timing.least, make, large)
  measured(host_prefix .. "fused." .. name, small, make, sizes.small)
end

-- ==== Rows ====

local rows = { gpu = { 16384, 4096 }, cpu = { 2048, 2048 }, small = { 32, 64 } }

program("softmax", rows, function(size)
  local x = matrix(size[1], size[2], 0) * 8 - 4
  ma.eval(x)
  return function()
    local e = ma.exp(x - x:max(2, keep))
    return e / e:sum(2, keep)
  end
end)

program("layer_norm", rows, function(size)
  local x, gain, bias = matrix(size[1], size[2], 0), uniform(size[2], 1), uniform(size[2], 2)
  return function()
    return (x - x:mean(2, keep)) / ma.sqrt(x:var(2, keep) + 1e-5) * gain + bias
  end
end)

program("logsumexp", rows, function(size)
  local x = matrix(size[1], size[2], 0) * 8 - 4
  ma.eval(x)
  return function() return ma.logsumexp(x, 2) end
end)

-- ==== Elements ====

program("gelu", { gpu = 2 ^ 26, cpu = 2 ^ 22, small = 1000 }, function(n)
  local x = ma.eval(uniform(n, 0) * 8 - 4)
  local gelu = ma.fuse(function(a) return 0.5 * a * (1 + ma.tanh(0.7978845608 * (a + 0.044715 * a * a * a))) end)
  return function() return gelu(x) end
end)

program("black_scholes", { gpu = 2 ^ 25, cpu = 2 ^ 20, small = 1000 }, function(n)
  local spot, strike, years = uniform(n, 0) * 100 + 50, uniform(n, 1) * 100 + 50, uniform(n, 2) * 2 + 0.25
  ma.eval(spot, strike, years)
  local rate, volatility = 0.02, 0.3
  local price = ma.fuse(function(s, k, t)
    local spread = volatility * ma.sqrt(t)
    local d1 = (ma.log(s / k) + (rate + volatility ^ 2 / 2) * t) / spread
    local d2 = d1 - spread
    local present = k * ma.exp(-rate * t)
    local call = s * ma.special.ndtr(d1) - present * ma.special.ndtr(d2)
    return call, call - s + present
  end)
  return function() return price(spot, strike, years) end
end)

program("mandelbrot", { gpu = 4096, cpu = 512, small = 32 }, function(n)
  local cx = ma.eval((ma.arange(n, "float32") * (3 / n) - 2):reshape(1, n))
  local cy = ma.eval((ma.arange(n, "float32") * (3 / n) - 1.5):reshape(n, 1))
  local escape = ma.fuse(function(a, b)
    local x, y, k = 0, 0, 0
    while x * x + y * y < 4 and k < LOOPS do
      x, y, k = x * x - y * y + a, 2 * x * y + b, k + 1
    end
    return k
  end)
  return function() return escape(cx, cy) end
end)

-- ==== Grids ====

local grids = { gpu = 4096, cpu = 1024, small = 64 }

program("gray_scott", grids, function(n)
  local u, v = matrix(n, n, 0), ma.eval(matrix(n, n, 1) / 2)
  local step = ma.stencil(function(a, b)
    local a0, b0 = a(0, 0), b(0, 0)
    local da = a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1) - 4 * a0
    local db = b(-1, 0) + b(1, 0) + b(0, -1) + b(0, 1) - 4 * b0
    local reaction = a0 * b0 * b0
    return a0 + 0.21 * da - reaction + 0.037 * (1 - a0), b0 + 0.105 * db + reaction - 0.097 * b0
  end, { boundary = "wrap", out = 2 })
  return function() return step(u, v) end
end)

program("heat", grids, function(n)
  local u = matrix(n, n, 0)
  local step = ma.stencil(function(a)
    return a(0, 0) + 0.2 * (a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1) - 4 * a(0, 0))
  end, { boundary = "leave" })
  return function() return step(u) end
end)

-- ==== Pairs ====

program("kmeans", { gpu = { 2 ^ 18, 16, 64 }, cpu = { 2 ^ 14, 16, 64 }, small = { 64, 4, 8 } }, function(size)
  local n, d, k = size[1], size[2], size[3]
  local points, centres = matrix(n, d, 0):reshape(n, 1, d), matrix(k, d, 1):reshape(1, k, d)
  local function assign() return ((points - centres) ^ 2):sum(3):argmin(2) end
  return assign, function() return assign() - 1 end
end)

program("nbody", { gpu = 16384, cpu = 2048, small = 64 }, function(n)
  local x, y, z, m = uniform(n, 0), uniform(n, 1), uniform(n, 2), ma.eval(uniform(n, 3) / n)
  return function()
    local dx, dy, dz = x - x[":, _"], y - y[":, _"], z - z[":, _"]
    local squared = dx * dx + dy * dy + dz * dz + 1e-3
    local pull = m / (squared * ma.sqrt(squared))
    return (dx * pull):sum(2), (dy * pull):sum(2), (dz * pull):sum(2)
  end
end)

-- ==== Training ====

--- A step of Adam of a network with one hidden layer, of size { batch, inputs, hidden }; and its first three losses.
local function training(size)
  local batch, inputs, hidden = size[1], size[2], size[3]
  local x = matrix(batch, inputs, 0)
  local labels = ma.eye(10, "float32"):take(ma.arange(batch) % 10 + 1, 1)
  local p = { w1 = ma.eval((matrix(inputs, hidden, 1) - 0.5) * 0.1), b1 = ma.zeros(hidden, "float32"),
    w2 = ma.eval((matrix(hidden, 10, 2) - 0.5) * 0.1), b2 = ma.zeros(10, "float32") }
  local step = ma.value_and_grad(function(q)
    local h = ma.maximum(ma.matmul(x, q.w1) + q.b1, 0)
    local y = ma.matmul(h, q.w2) + q.b2
    return (ma.logsumexp(y, 2) - (y * labels):sum(2)):mean()
  end)
  local adam = ma.optim.adam(p)
  local function once()
    local loss, grads = step(p)
    adam:step(grads)
    return loss
  end
  return once, function() return once():copy(), once():copy(), once():copy() end
end

local networks = { gpu = { 256, 784, 512 }, cpu = { 256, 784, 128 }, small = { 16, 16, 32 } }
program("mlp", networks, training)
-- The step as a graph, for which nothing of Lua runs again, as in a step that jit has compiled.
program("mlp_graph", networks, function(size)
  local once, three = training(size)
  local graph
  return function()
    graph = graph or ma.cuda.graph(once)
    return graph()
  end, three
end)

-- ==== A step of twenty operations on small arrays ====

local function twenty(x, v, target)
  local d = target - x
  local f = d / ma.sqrt(d * d + 0.01) * 0.5
  f = f - v * 0.1
  f = f + ma.sin(x * 2) * 0.05
  v = v + f * 0.01
  v = ma.minimum(ma.maximum(v, -1), 1)
  x = x + v * 0.01
  x = x - ma.floor(x)
  return x, v
end

--- Each way to write it: `make(x, v, target)` gives the function that takes a step.
local ways = {
  { "step20", function(x, v, target)
    return function()
      x, v = ma.eval(twenty(x, v, target))
      return x, v
    end
  end },
  { "step20_fuse", function(x, v, target)
    local step = ma.fuse(twenty)
    return function()
      x, v = step(x, v, target)
      return x, v
    end
  end },
  { "step20_frame", function(x, v, target)
    local frame = ma.frame(function(a, b) return twenty(a, b, target) end)
    return function()
      x, v = frame(x, v)
      return x, v
    end
  end },
  { "step20_graph", function(x, v, target)
    local a, b = x:copy(), v:copy()
    local graph = ma.cuda.graph(function()
      local c, d = twenty(a, b, target)
      ma.eval(c, d)
      a:assign(c)
      b:assign(d)
    end)
    a:assign(x)
    b:assign(v)
    return function()
      graph()
      return a, b
    end
  end },
}
for _, n in ipairs { 64, 512, 4096 } do
  for _, way in ipairs(ways) do
    measured(("%s%s_%d"):format(host_prefix, way[1], n), small, function()
      return way[2](uniform(n, 0), ma.eval(uniform(n, 1) - 0.5), uniform(n, 2))
    end)
  end
end
