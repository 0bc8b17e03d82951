--- The costs of a call on small arrays (host.*, cpu.host.*), and the speed of what is done most on large ones, with
--- products, transforms and factorisations. The peers' scripts are cupy_bench.py, torch_bench.py and numpy_bench.py.

local ma = require "moonarray"
local core = require "moonarray.core"
local timing = ...

local divisor, device, on_gpu, eval, sync = timing.divisor, timing.device, timing.on_gpu, timing.eval, timing.sync
local record, host, events, wall, spread = timing.record, timing.host, timing.events, timing.wall, timing.spread

-- ==== Kernels of the user's own ====

local RAW = [[
extern "C" __global__ void my_add(const float* x, const float* y, float* z, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }]]

local function expr4(a, b) return a * b + a / b - 2 end

local function own_kernels(prefix, a, b, c, n)
  local fused = ma.fuse(expr4)
  local squared_diff = ma.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)",
    "squared_diff")
  local l2norm = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
  local my_add, grid, block, arguments = ma.RawKernel(RAW, "my_add"), { 4 }, { 256 }, { a, b, c, 1000 }
  record(prefix .. "host.fuse_expr4", host, function() return eval(fused(a, b)) end, n)
  record(prefix .. "host.elementwise_kernel", host, function() return squared_diff(a, b) end, n)
  record(prefix .. "host.reduction_kernel", host, function() return l2norm(a) end, n)
  record(prefix .. "host.raw_kernel", host, function() my_add(grid, block, arguments) end, n)
end

-- Ten small kernels of a step, launched one by one and as a graph; few at a time, so that the device's queue never
-- fills.
local function step_of_ten(prefix, a, b)
  local x = a:copy()
  local out = { out = x }
  local function step()
    for _ = 1, 5 do
      ma.add(x, b, out)
      ma.multiply(x, 0.5, out)
    end
  end
  record(prefix .. "host.launch10", host, step, 40, 25)
  local ok, graph = pcall(ma.cuda.graph, step)
  record(prefix .. "host.graph10", host, function() if not ok then error(graph, 0) end graph() end, 40, 25)
end

local function small(prefix)
  local a, b, m = ma.ones(1000, "float32"), ma.full(1000, 2, "float32"), ma.ones({ 100, 100 }, "float32")
  local c = a + b
  local n = on_gpu and 3000 or 20000
  local out = { out = c }
  record(prefix .. "host.launch", host, function() core.launch_nothing(1) end, n)
  record(prefix .. "host.add", host, function() return eval(a + b) end, n)
  record(prefix .. "host.add_out", host, function() return eval(ma.add(a, b, out)) end, n)
  record(prefix .. "host.expr4", host, function() return eval(a * b + a / b - 2) end, n)
  record(prefix .. "host.sum", host, function() return eval(a:sum()) end, n)
  record(prefix .. "host.sum_axis", host, function() return eval(m:sum(1)) end, n)
  own_kernels(prefix, a, b, c, n)
  step_of_ten(prefix, a, b)
  record(prefix .. "host.slice", host, function() return m["11:20, :"] end, n)
  record(prefix .. "host.empty", host, function() return ma.empty(1000, "float32") end, n)
  record(prefix .. "host.get_1k", host, function() return a:get() end, 1000)
  record(prefix .. "host.item_sum", host, function() return a:sum():item() end, 1000)
  if on_gpu then
    local h = a:get()
    record("host.put_1k", host, function() return h:to(device) end, 1000)
  end
end

local function products()
  if not on_gpu then
    local n = math.max(16, 1000 / divisor)
    local X = spread(n * n):astype("float64"):reshape(n, n)
    record("cpu.matmul1000", wall, function() return eval(ma.matmul(X, X)) end)
    return
  end
  local m = ma.ones({ 100, 100 }, "float32")
  record("host.matmul32", host, function() return eval(ma.matmul(m["1:32, 1:32"], m["1:32, 1:32"])) end)
  local n = math.max(16, 8192 / divisor)
  local function product(key, dtype)
    local X, Y = spread(n * n):astype(dtype):reshape(n, n), (1 - spread(n * n)):astype(dtype):reshape(n, n)
    record(key, events, function() return eval(ma.matmul(X, Y)) end, 5)
  end
  product("dev.matmul8192_f32", "float32")
  product("dev.matmul8192_f64", "float64")
  product("dev.matmul8192_f16", "float16")
  local before = ma.cuda.set_tf32(true)
  product("dev.matmul8192_tf32", "float32")
  ma.cuda.set_tf32(before)
  local T = spread(4096 / divisor * 64 * 64):astype("float64"):reshape(4096 / divisor, 64, 64)
  record("dev.einsum_batched", events, function() return eval(ma.einsum("bij,bjk->bik", T, T)) end, 5)
end

local function transforms()
  if not on_gpu then return end
  local n = 2 ^ math.floor(math.log(4096 / math.sqrt(divisor)) / math.log(2) + 0.5)
  local Z = spread(n * n):astype("complex128")
  local plane = Z:reshape(n, n)
  record("dev.fft_2e24", events, function() return eval(ma.fft.fft(Z)) end, 5)
  record("dev.fft2_4096", events, function() return eval(ma.fft.fft2(plane)) end, 5)
end

local function large(prefix, n, rows, measure)
  local A, B = spread(n), spread(n) + 1
  local C = ma.empty_like(A)
  local M = A:reshape({ rows, n / rows })
  local out, row = { out = C }, M[1]
  record(prefix .. "copy", measure, function() ma.copyto(C, A) end)
  record(prefix .. "positive", measure, function() return ma.positive(A, out) end)
  if on_gpu then
    record(prefix .. "add", measure, function() return ma.add(A, B, out) end)
    record(prefix .. "add_alloc", measure, function() return eval(A + B) end)
    record(prefix .. "exp", measure, function() return ma.exp(A, out) end)
  else
    record(prefix .. "add", measure, function() return eval(A + B) end)
    record(prefix .. "exp", measure, function() return eval(ma.exp(A)) end)
  end
  record(prefix .. "expr4", measure, function() return eval(A * B + A / B - 2) end)
  local fused = ma.fuse(expr4)
  record(prefix .. "fuse_expr4", measure, function() return eval(fused(A, B)) end)
  record(prefix .. "trig", measure, function() return eval(ma.sqrt(ma.sin(A) ^ 2 + ma.cos(B) ^ 2)) end)
  record(prefix .. "sum", measure, function() return eval(A:sum()) end)
  record(prefix .. "mse", measure, function() return eval(((A - B) ^ 2):mean()) end)
  record(prefix .. "sum_axis1", measure, function() return eval(M:sum(1)) end)
  record(prefix .. "sum_axis2", measure, function() return eval(M:sum(2)) end)
  record(prefix .. "argmax", measure, function() return eval(A:argmax()) end)
  record(prefix .. "var_axis2", measure, function() return eval(M:var(2)) end)
  record(prefix .. "cumsum", measure, function() return eval(ma.cumsum(A)) end)
  record(prefix .. "transpose_copy", measure, function() return eval(M:transpose():copy()) end)
  record(prefix .. "row_broadcast", measure, function() return eval(M + row) end)
  record(prefix .. "astype_f64", measure, function() return eval(A:astype("float64")) end, 8)
  local rng = ma.random.default_rng(1)
  record(prefix .. "rand", measure, function() return eval(rng:random(n, "float32")) end)
  record(prefix .. "randn", measure, function() return eval(rng:standard_normal(n, "float32")) end)
  record(prefix .. "mask", measure, function() return eval(A[A:gt(0.5)]) end, 8)
  if on_gpu then
    local index = ma.remainder(ma.multiply(ma.arange(n / 4), 2654435761), n) + 1
    record(prefix .. "take", measure, function() return eval(A:take(index)) end, 8)
    index:free()
    local S = ma.eval(rng:random(n, "float32"))         -- elements that differ in every digit
    record(prefix .. "sort", measure, function() return eval(ma.sort(S)) end, 5)
    record(prefix .. "argsort", measure, function() return eval(S:argsort()) end, 5)
    local K = ma.eval((S * 1000):astype("int32"))
    record(prefix .. "unique", measure, function() return eval(ma.unique(K)) end, 3)
    K:free()
    record(prefix .. "histogram", measure, function() return eval((ma.histogram(S, 256))) end, 3)
    S:free()
    local H = A[{ { 1, n / 2 } }]:get()
    record(prefix .. "host_to_device_256MB", wall, function()
      H:to(device)
      sync()
    end, 5)
    local D = A[{ { 1, n / 2 } }]:copy()
    record(prefix .. "device_to_host_256MB", wall, function() return D:get() end, 5)
  else
    local S = ma.eval(rng:random(n, "float32"))
    record(prefix .. "sort", measure, function() return eval(ma.sort(S)) end, 3)
  end
end

-- ==== Linear algebra ====

--- Numbers in [0, 1) in which no row or column depends on the others: the fraction of a large multiple of a sine.
local function rough(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  local x = ma.sin(ma.arange(n):astype("float64") * 12.9898) * 43758.5453
  return (x - ma.floor(x)):reshape(shape)
end

local function factorisations()
  local linalg = ma.linalg
  local function part(count) return math.max(8, math.floor(count / divisor ^ 0.5)) end
  local x = rough { part(1000), part(1000) }
  record("dev.svd1000", events, function() return linalg.svd(x) end, 5, 2)
  record("dev.svdvals1000", events, function() return linalg.svdvals(x) end, 5, 2)
  x = rough { part(2000), part(2000) }
  local s = x + x:swapaxes(1, 2)
  record("dev.eigh2000", events, function() return linalg.eigh(s) end, 3, 2)
  local n = part(4096)
  x = rough { n, n }
  local p = ma.matmul(x, x:swapaxes(1, 2)) + ma.eye(n) * n
  local r = x[{ {}, { 1, math.min(n, 16) } }]:copy()
  record("dev.solve4096", events, function() return linalg.solve(x, r) end, 3, 2)
  record("dev.cholesky4096", events, function() return ma.eval(linalg.cholesky(p)) end, 3, 2)
  record("dev.qr4096", events, function() return ma.eval(linalg.qr(x)) end, 3, 2)
  record("dev.inv4096", events, function() return linalg.inv(x) end, 3, 2)
  local q = rough { part(10000), 32, 32 } + ma.eye(32) * 32
  local right = q[":, :, 1:1"]
  record("dev.solve_batched", events, function() return linalg.solve(q, right) end, 3, 2)
end

local function factorisations_cpu()
  local x = rough { 1000, 1000 }
  local part, right = x["1:500, 1:500"], x[":, 1:16"]
  record("cpu.svd500", wall, function() return ma.linalg.svd(part) end, 3)
  record("cpu.solve1000", wall, function() return ma.linalg.solve(x, right) end, 5)
end

if on_gpu then
  small("")
  large("dev.", 2 ^ 27 / divisor, 2 ^ 13, events)
  factorisations()
else
  small("cpu.")
  large("cpu.", 2 ^ 24 / divisor, 4096, wall)
  factorisations_cpu()
end
collectgarbage()
collectgarbage()
products()
transforms()
