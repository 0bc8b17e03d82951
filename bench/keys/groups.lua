--- Ordinary operations that the other tables leave out, each group at a small, a middle and a large size that are no
--- powers of two. The peers' keys of the same names are in peers/groups.py.

local ma = require "moonarray"
local timing = ...

local divisor, on_gpu, record = timing.divisor, timing.on_gpu, timing.record
local measure = on_gpu and timing.events or timing.least
local prefix = timing.prefix
local rng = ma.random.default_rng(1)

local sizes = { { "small", 1000 }, { "middle", 100003 }, { "large", on_gpu and 2 ^ 26 + 5 or 4000037 } }
for _, size in ipairs(sizes) do size[2] = math.max(1000, math.floor(size[2] / divisor)) end

--- `make(n)` gives the function that is measured, for each size up to `most` elements on the CPU.
local function group(name, make)
  if timing.pattern and not (prefix .. name .. ".large"):find(timing.pattern)
    and not (prefix .. name .. ".small"):find(timing.pattern)
    and not (prefix .. name .. ".middle"):find(timing.pattern) then return end
  for _, size in ipairs(sizes) do
    local f = make(size[2])
    record(prefix .. name .. "." .. size[1], measure, function()
      local x, y = f()
      if x and x.eval then x:eval() end
      if y and y.eval then y:eval() end
    end)
    collectgarbage()
    collectgarbage()
  end
end

local function uniform(n, dtype) return ma.eval(rng:random(n, dtype or "float32")) end
local function whole(n, high, dtype) return ma.eval((uniform(n, "float64") * high):astype(dtype or "int64")) end

-- ==== Counting, scattering ====

group("bincount_weights", function(n)
  local places, weights = whole(n, 1000), uniform(n, "float64")
  return function() return ma.bincount(places, weights) end
end)
group("bincount_weights_many", function(n)
  local places, weights = whole(n, n), uniform(n, "float64")
  return function() return ma.bincount(places, weights) end
end)
for _, operation in ipairs { "add", "minimum" } do
  group(operation .. "_at", function(n)
    local places, values, into = whole(n, math.max(100, n / 64)) + 1, uniform(n), ma.zeros(n, "float32")
    ma.eval(places)
    local at = ma[operation].at
    return function() at(into, places, values) end
  end)
end
group("scatter", function(n)
  local places, values, into = ma.eval(rng:permutation(n)), uniform(n), ma.zeros(n, "float32")
  places = ma.index(places)
  return function() into[places] = values end
end)
group("lookup", function(n)
  local places, entries = whole(n, 256, "uint8"), uniform(256)
  return function() return entries:take(places:astype("int64") + 1) end
end)
group("mask_clustered", function(n)
  local a = uniform(n)
  local mask = ma.eval((ma.floor_divide(ma.arange(n), 100) % 3):eq(0))
  return function() return a[mask] end
end)
group("isin_few", function(n)
  local a, few = whole(n, 1000), ma.array({ 3, 70, 512, 900 }, "int64")
  return function() return ma.isin(a, few) end
end)

group("isin_many", function(n)
  local a, many = whole(n, n), whole(math.max(10, math.floor(n / 40)), n)
  return function() return ma.isin(a, many) end
end)
group("histogram2d", function(n)
  local a, b = uniform(n), uniform(n)
  return function() return (ma.histogram2d(a, b, 50)) end
end)
group("run_lengths", function(n)
  local a = ma.eval(ma.floor_divide(whole(n, 100), 20))
  return function()
    local ends = ma.concatenate { ma.flatnonzero(ma.not_equal(a[{ { 2, n } }], a[{ { 1, n - 1 } }])),
      ma.array({ n }, "int64") }
    return ma.diff(ends)
  end
end)

-- ==== Order ====

group("topk_rows", function(n)
  local rows = math.floor(n / 1000)
  local a = uniform(rows * 1000):reshape(rows, 1000)
  return function() return ma.topk(a, 10) end
end)
group("topk", function(n)
  local a = uniform(n)
  return function() return ma.topk(a, 10) end
end)

group("partition", function(n)
  local a = uniform(n)
  return function() return ma.partition(a, math.floor(n / 2)) end
end)
group("argpartition", function(n)
  local a = uniform(n)
  return function() return ma.argpartition(a, math.floor(n / 2)) end
end)
group("median", function(n)
  local a = uniform(n)
  return function() return ma.median(a) end
end)
group("sort_sorted", function(n)
  local a = ma.eval(ma.arange(n):astype("float32"))
  return function() return ma.sort(a) end
end)
group("sort_reversed", function(n)
  local a = ma.eval(n - ma.arange(n):astype("float64"))
  return function() return ma.sort(a) end
end)
group("argsort_sorted", function(n)
  local a = ma.eval(ma.arange(n):astype("float64"))
  return function() return ma.argsort(a) end
end)

-- ==== Random numbers ====

group("permutation", function(n) return function() return rng:permutation(n) end end)
group("integers", function(n) return function() return rng:integers(0, 1000, n) end end)
group("choice", function(n) return function() return rng:choice(1000, n) end end)
group("exponential", function(n) return function() return rng:exponential(1, n) end end)
group("poisson", function(n) return function() return rng:poisson(5, n) end end)
group("gamma", function(n) return function() return rng:gamma(2, 1, n) end end)
group("poisson_rates", function(n)
  local rates = ma.eval(uniform(n, "float64") * 20)
  return function() return rng:poisson(rates) end
end)
-- Draws in expressions
group("normal_scaled", function(n) return function() return rng:standard_normal(n, "float32") * 3 + 2 end end)
group("mean_drawn", function(n) return function() return (rng:random(n, "float32") ^ 2 + 1):mean() end end)
group("dropout", function(n)
  local x = uniform(n)
  return function() return x * rng:random(n, "float32"):lt(0.8) end
end)

-- ==== Joining, moving ====

group("concatenate100", function(n)
  local parts = {}
  for k = 1, 100 do parts[k] = uniform(math.floor(n / 100)) end
  return function() return ma.concatenate(parts) end
end)
group("stack16", function(n)
  local parts = {}
  for k = 1, 16 do parts[k] = uniform(math.floor(n / 16)) end
  return function() return ma.stack(parts, 2) end
end)
group("roll", function(n)
  local a = uniform(n)
  return function() return ma.roll(a, math.floor(n / 3)) end
end)
group("roll_axis", function(n)
  local rows = math.floor(math.sqrt(n))
  local a = uniform(rows * rows):reshape(rows, rows)
  return function() return ma.roll(a, 3, 2) end
end)
group("repeat", function(n)
  local a = uniform(math.floor(n / 4))
  return function() return ma.repeat_(a, 4) end
end)
group("strided_copy", function(n)
  local rows = math.floor(math.sqrt(n))
  local a = uniform(rows * rows):reshape(rows, rows)
  local view = a[{ { 2, rows - 1 }, { 2, rows - 1 } }]
  return function() return on_gpu and view:get() or view:copy() end
end)
for _, dtype in ipairs { "uint8", "float32" } do
  group("transposed_" .. dtype, function(n)
    local rows = math.floor(math.sqrt(n))
    local view = whole(rows * rows, 100, dtype):reshape(rows, rows).T
    return function() return ma.ascontiguousarray(view) end
  end)
end
-- Points in the plane and in space: rows of a few numbers
local function points_of(width, n) return ma.eval(uniform(math.floor(n / width) * width):reshape(-1, width)) end
group("points_move", function(n)
  local p, move = points_of(3, n), uniform(3)
  return function() return p + move end
end)
group("points_scale", function(n)
  local p = points_of(3, n)
  local scale = uniform(p.shape[1]):reshape(-1, 1)
  return function() return p * scale end
end)
group("points_taken", function(n)
  local view = points_of(8, n)[":, 3:5"]
  return function() return view + 1 end
end)
group("points_differ", function(n)
  local side = math.floor(math.sqrt(n / 2))
  local a, b = uniform(side * 2):reshape(side, 1, 2), uniform(side * 2):reshape(1, side, 2)
  return function() return a - b end
end)
group("npy_save", function(n)
  local a, path = uniform(n), os.tmpname() .. ".npy"
  return function() ma.save(path, a) end
end)
group("npy_load", function(n)
  local path = os.tmpname() .. ".npy"
  ma.save(path, uniform(n))
  return function() return ma.load(path) end
end)

group("npz_deflated", function(n)
  local path = os.tmpname() .. ".npz"
  ma.savez_compressed(path, { a = uniform(n) })
  return function() return ma.load(path).a end
end)
group("array_nested", function(n)
  local rows = math.floor(math.min(n, 1000003) / 10)
  local list = ma.eval(uniform(rows * 10, "float64"):reshape(rows, 10)):totable()
  return function() return ma.array(list) end
end)

-- ==== Sums ====

group("sum_transposed", function(n)
  local rows = math.floor(math.sqrt(n))
  local a = uniform(rows * rows):reshape(rows, rows):transpose()
  return function() return a:sum(1), a:sum(2) end
end)
group("sum_middle", function(n)
  local rows = math.floor(n ^ (1 / 3))
  local a = uniform(rows ^ 3):reshape(rows, rows, rows)
  return function() return a:sum(2) end
end)
group("max_columns", function(n)
  local rows = math.floor(n / 10)
  local a = uniform(rows * 10):reshape(rows, 10)
  return function() return a:max(1) end
end)
group("dot", function(n)
  local a, b = uniform(n), uniform(n)
  return function() return ma.dot(a, b) end
end)
group("norm", function(n)
  local a = uniform(n)
  return function() return ma.linalg.norm(a) end
end)
group("pairwise", function(n)
  local points = math.floor(math.sqrt(n))
  local x, y = uniform(points * 3):reshape(points, 1, 3), uniform(points * 3):reshape(1, points, 3)
  return function() return ((x - y) ^ 2):sum(3) end
end)

-- ==== All pairs: operands that repeat along axes of the results ====

--- Two matrices of so many rows that all pairs of components are n, and their row count.
local function rows_of(n, components, dtype)
  local count = math.max(2, math.floor(math.sqrt(n / components)))
  local function matrix() return ma.eval(rng:random({ count, components }, dtype or "float32")) end
  return matrix(), matrix(), count
end

for _, dtype in ipairs { "float32", "float64" } do
  local suffix = dtype == "float64" and "_f64" or ""
  group("pair_distances" .. suffix, function(n)
    local x, y = rows_of(n, 64, dtype)
    return function() return ((x[":, _"] - y) ^ 2):sum(3) end
  end)
  group("inner_products" .. suffix, function(n)
    local x, y = rows_of(n, 64, dtype)
    return function() return (x[":, _"] * y):sum(-1) end
  end)
end
group("inner_products_long", function(n)
  local x, y = rows_of(n, n > 1e6 and 2048 or 512)
  return function() return (x[":, _"] * y):sum(-1) end
end)
group("pair_maxima", function(n)
  local x, y = rows_of(n, 32)
  return function() return ma.absolute(x[":, _"] - y):max(3) end
end)
group("kmeans_assign", function(n)
  local points = ma.eval(rng:random({ math.floor(n / 512), 16 }, "float32"))
  local centres = ma.eval(rng:random({ 32, 16 }, "float32"))
  return function() return ((points[":, _"] - centres) ^ 2):sum(3):argmin(2) end
end)
group("nbody_energy", function(n)
  local bodies = math.floor(math.sqrt(n))
  local x, y, z, m = uniform(bodies), uniform(bodies), uniform(bodies), uniform(bodies)
  return function()
    local dx, dy, dz = x[":, _"] - x, y[":, _"] - y, z[":, _"] - z
    return (m[":, _"] * m / ma.sqrt(dx * dx + dy * dy + dz * dz + 1e-4)):sum()
  end
end)
for _, method in ipairs { "exact", "matmul" } do
  group("sqdist_" .. method, function(n)
    local x, y = rows_of(n, 64)
    return function() return ma.spatial.distance.cdist(x, y, "sqeuclidean", { method = method }) end
  end)
end

-- ==== Mathematics ====

group("interp_smooth", function(n)
  local x = ma.linspace(0, 10, n)
  local knots = ma.linspace(0, 10, 1000)
  local values = ma.eval(ma.sin(knots))
  ma.eval(x)
  return function() return ma.interp(x, knots, values) end
end)
group("interp_random", function(n)
  local x = ma.eval(uniform(n, "float64") * 10)
  local knots = ma.linspace(0, 10, 1000)
  local values = ma.eval(ma.sin(knots))
  return function() return ma.interp(x, knots, values) end
end)
group("log_subnormal", function(n)
  local a = ma.eval(uniform(n) * 1e-39)
  return function() return ma.log(a) end
end)
group("exp_inf", function(n)
  local a = ma.full(n, -math.huge, "float32")
  return function() return ma.exp(a) end
end)
group("exp_inf_f64", function(n)
  local a = ma.full(n, -math.huge, "float64")
  return function() return ma.exp(a) end
end)

group("triangles", function(n)                                 -- values between scattered points
  local count = math.max(10, math.floor(math.min(n, 4000037) / 200))
  local points, values = ma.eval(rng:random { count, 2 }), ma.eval(rng:random(count))
  local at = ma.eval(rng:random { count, 2 })
  return function() return ma.interpolate.LinearNDInterpolator(points, values)(at) end
end)
group("mandelbrot", function(n)
  local c = ma.eval((uniform(n) * 3 - 2) + (uniform(n) * 2 - 1) * ma.complex(0, 1)):astype("complex64")
  ma.eval(c)
  return function()
    local z, steps = c, ma.zeros(n, "int32")
    for _ = 1, 10 do
      local inside = ma.less(ma.real(z) ^ 2 + ma.imag(z) ^ 2, 4)
      z, steps = ma.where(inside, z * z + c, z), steps + inside
    end
    return steps
  end
end)
group("quaternions", function(n)                               -- v + 2 w (u x v) + 2 u x (u x v)
  local count = math.floor(n / 8)
  local function column() return uniform(count) end
  local w, a, b, c, x, y, z = column(), column(), column(), column(), column(), column(), column()
  return function()
    local p, q, r = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    local u, v, t = x + w * p + (b * r - c * q), y + w * q + (c * p - a * r), z + w * r + (a * q - b * p)
    return ma.eval(u, v, t)
  end
end)
group("rays", function(n)                                      -- the nearest of 12 spheres
  local count = math.floor(n / 12)
  local function column() return ma.eval(uniform(count) - 0.5) end
  local ox, oy, oz, dx, dy, dz = column(), column(), column(), column(), column(), column()
  return function()
    local near, which = ma.full(count, math.huge, "float32"), ma.zeros(count, "int32")
    for k = 1, 12 do
      local x, y, z = ox - k * 0.07, oy + k * 0.05, oz - k * 0.03
      local b, c = x * dx + y * dy + z * dz, x * x + y * y + z * z - 0.04
      local inside = b * b - c
      local t = -b - ma.sqrt(ma.maximum(inside, 0))
      local hit = ma.logical_and(ma.logical_and(inside:gt(0), t:gt(1e-4)), t:lt(near))
      near, which = ma.where(hit, t, near), ma.where(hit, k, which)
    end
    return ma.eval(near, which)
  end
end)

-- ==== Batches of small matrices ====

for _, rows in ipairs { 4, 16 } do
  local function batch(n)
    local count = math.max(1, math.floor(n / (rows * rows)))
    local x = uniform(count * rows * rows, "float64"):reshape(count, rows, rows)
    return ma.eval(ma.matmul(x, x:swapaxes(2, 3)) + ma.eye(rows) * rows), count
  end
  group("solve_batch" .. rows, function(n)
    local p, count = batch(n)
    local right = uniform(count * rows, "float64"):reshape(count, rows, 1)
    return function() return ma.linalg.solve(p, right) end
  end)
  group("cholesky_batch" .. rows, function(n)
    local p = batch(n)
    return function() return ma.linalg.cholesky(p) end
  end)
  group("inv_batch" .. rows, function(n)
    local p = batch(n)
    return function() return ma.linalg.inv(p) end
  end)
  group("eigh_batch" .. rows, function(n)
    local p = batch(n)
    return function() return ma.linalg.eigh(p) end
  end)
end

group("cholesky_batch32", function(n)
  local count = math.max(1, math.floor(n / 1024))
  local x = uniform(count * 1024, "float64"):reshape(count, 32, 32)
  local p = ma.eval(ma.matmul(x, x:swapaxes(2, 3)) + ma.eye(32) * 32)
  return function() return ma.linalg.cholesky(p) end
end)

-- ==== Matrices ====

group("expm", function(n)
  local rows = math.min(math.floor(math.sqrt(n)), 512)
  local a = ma.eval(uniform(rows * rows, "float64"):reshape(rows, rows) * (10 / rows))
  return function() return ma.linalg.expm(a) end
end)
group("lstsq", function(n)
  local rows = math.floor(n / 16)
  local a, b = uniform(rows * 16, "float64"):reshape(rows, 16), uniform(rows, "float64")
  return function() return (ma.linalg.lstsq(a, b)) end
end)
group("matmul_thin", function(n)                               -- many rows of few columns
  local rows = math.floor(n / 8)
  local a, b = uniform(rows * 8):reshape(rows, 8), uniform(64):reshape(8, 8)
  return function() return ma.matmul(a, b) end
end)
group("matmul_long", function(n)                               -- long sums, a small result
  local rows = math.floor(n / 32)
  local a, b = uniform(rows * 32, "float64"):reshape(32, rows), uniform(rows * 16, "float64"):reshape(rows, 16)
  return function() return ma.matmul(a, b) end
end)
group("outer", function(n)
  local rows = math.floor(math.sqrt(n))
  local a, b = uniform(rows, "float64"), uniform(rows, "float64")
  return function() return ma.outer(a, b) end
end)

-- ==== Products of integers ====

for _, dtype in ipairs { "int8", "int32", "int64" } do
  group("matmul_" .. dtype, function(n)
    local rows = math.min(math.floor(math.sqrt(n)), on_gpu and 2048 or 512)
    local x = whole(rows * rows, 100, dtype):reshape(rows, rows)
    return function() return ma.matmul(x, x) end
  end)
end

-- ==== Simulations, single elements ====

group("laplace", function(n)
  local rows = n == 1000 and 64 or math.floor(math.sqrt(n))
  local u = ma.eval(rng:random({ rows, rows }))
  local inside, up, down = { { 2, rows - 1 }, { 2, rows - 1 } }, { { 1, rows - 2 }, { 2, rows - 1 } },
    { { 3, rows }, { 2, rows - 1 } }
  local left, right = { { 2, rows - 1 }, { 1, rows - 2 } }, { { 2, rows - 1 }, { 3, rows } }
  return function() u[inside] = u[inside] + 0.1 * (u[up] + u[down] + u[left] + u[right] - 4 * u[inside]) end
end)
group("operators", function(n)
  local a, b = uniform(n, "float64"), uniform(n, "float64")
  return function() return a + b end
end)

local host = prefix .. "host."
local x, y = ma.array { 1, 2, 3 }, ma.array { 4, 5, 6 }
local function several(key, f) record(host .. key, timing.host, f, 5000, 25) end
several("add3", function() return (x + y):eval() end)
several("array3", function() return ma.array { 1, 2, 3 } end)
several("cast1", function() return x:astype("float32") end)
several("write1", function() x[2] = 1.5 end)
several("read1", function() return x[2] end)
several("sum3", function() return x:sum():eval() end)
several("max3", function() return x:max():item() end)
