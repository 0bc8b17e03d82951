--- Measures a flock of boids: each step builds a grid, and a kernel in Lua visits the neighbours of each boid, about
--- ten. On the CPU it is held against the same flock in C++ of this file on one thread, and against itself on two;
--- LuaJIT's loops over FFI pointers are shown beside it. On a GPU it is held against CUDA C++ of this file.
--
-- usage: luajit bench/boids.lua                             10,000 boids on the CPU
--        MOONARRAY_DEVICE=cuda luajit bench/boids.lua       50,000 on a GPU
-- Exits with 1 if a limit does not hold.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ffi = require "ffi"
ffi.cdef "int setenv(const char *, const char *, int);"
ffi.C.setenv("MOONARRAY_NUM_THREADS", arg[1] == "--step" and arg[2] or "1", 1)
ffi.C.setenv("MOONARRAY_DEVICE", "cpu", 0)
local ma = require "moonarray"
local core = require "moonarray.core"
local beside = dofile((arg[0]:match "^.*/" or "") .. "beside.lua")

local on_gpu = ma.zeros(1).device ~= "cpu"
local N = on_gpu and 50000 or 10000
local R = math.sqrt(10 / math.pi / N)                  -- ten neighbours in a square of side 1, which repeats
local SIDE = math.floor(1 / R)                         -- cells along an axis
local CLOSE, SLOW, FAST, DT = R / 3, 0.05, 0.1, 1 / 60

-- ==== In Lua =========================================================================================================

--- Each boid flies to the middle of those that are near, as they do, and away from those that are close.
local fly = ma.jit.rawkernel(function(grid, x, v, to_x, to_v)
  local k = jit.grid(1)
  if k > grid.n then return end
  local i, zero = grid:point(k), ma.float32(0)
  local count, px, py, vx, vy, ax, ay = zero, zero, zero, zero, zero, zero, zero
  for j, dx, dy in grid:near(x[i], R) do
    local square = dx * dx + dy * dy
    count, px, py, vx, vy = count + 1, px + dx, py + dy, vx + v[{ j, 1 }], vy + v[{ j, 2 }]
    if square < CLOSE * CLOSE then ax, ay = ax - dx / (square + 1e-9), ay - dy / (square + 1e-9) end
  end
  local u, w = v[{ i, 1 }], v[{ i, 2 }]
  u, w = u + DT * (px / count + vx / count - u + 1e-5 * ax), w + DT * (py / count + vy / count - w + 1e-5 * ay)
  local speed = math.sqrt(u * u + w * w) + 1e-9
  local by = math.min(math.max(speed, SLOW), FAST) / speed
  local a, b = x[{ i, 1 }] + DT * by * u, x[{ i, 2 }] + DT * by * w
  to_x[{ i, 1 }], to_x[{ i, 2 }], to_v[{ i, 1 }], to_v[{ i, 2 }] = a - math.floor(a), b - math.floor(b), by * u, by * w
end, { name = "fly" })

local function draw()
  local rng = ma.random.default_rng(5)
  return rng:random({ N, 2 }):astype "float32", ((rng:random { N, 2 } - 0.5) * 2 * FAST):astype "float32"
end

-- A flock is two functions, a step from its first pair of arrays to its second and one back, and the first's places.

local function flock()
  local x, v = draw()
  local to_x, to_v = ma.empty_like(x), ma.empty_like(v)
  local grid = ma.spatial.HashGrid({ 0, 0 }, { 1, 1 }, R, { wrap = true })
  local block = 128
  local blocks = math.ceil(N / block)
  return function() fly(blocks, block, { grid:build(x), x, v, to_x, to_v }) end,
    function() fly(blocks, block, { grid:build(to_x), to_x, to_v, x, v }) end, x
end

-- ==== In C++ and CUDA C++ ============================================================================================

--- What both have: a boid's step over a row of three cells after another, whose points lie in order.
local STEP = ([[
static FN float way(float d) { return d > 0.5f ? d - 1 : d < -0.5f ? d + 1 : d; }
static FN int cell_of(float x) { int c = (int)(x * SIDE); return c < 0 ? 0 : c >= SIDE ? SIDE - 1 : c; }
static FN void fly(int k, const int *start, const int *order, const float *at, const float *x, const float *v,
                   float *to_x, float *to_v) {
  int i = order[k], count = 0;
  float px = 0, py = 0, vx = 0, vy = 0, ax = 0, ay = 0, cx = x[2 * i], cy = x[2 * i + 1];
  int row = cell_of(cx), column = cell_of(cy);
  for (int a = row - 1; a <= row + 1; a++) {
    int base = (a < 0 ? a + SIDE : a >= SIDE ? a - SIDE : a) * SIDE;
    int first = column - 1, last = column + 1, pieces = first < 0 || last >= SIDE ? 2 : 1;
    for (int piece = 0; piece < pieces; piece++) {
      int from = first, to = last;
      if (pieces == 2) {
        from = piece ? 0 : first < 0 ? first + SIDE : first;
        to = !piece ? SIDE - 1 : first < 0 ? last : last - SIDE;
      }
      for (int p = start[base + from]; p < start[base + to + 1]; p++) {
        float dx = way(at[2 * p] - cx), dy = way(at[2 * p + 1] - cy), square = dx * dx + dy * dy;
        if (square > R * R) continue;
        int j = order[p];
        count++;
        px += dx, py += dy, vx += v[2 * j], vy += v[2 * j + 1];
        if (square < CLOSE * CLOSE) ax -= dx / (square + 1e-9f), ay -= dy / (square + 1e-9f);
      }
    }
  }
  float u = v[2 * i], w = v[2 * i + 1];
  u += DT * (px / count + vx / count - u + 1e-5f * ax);
  w += DT * (py / count + vy / count - w + 1e-5f * ay);
  float speed = sqrtf(u * u + w * w) + 1e-9f, by = fminf(fmaxf(speed, SLOW), FAST) / speed;
  float a = cx + DT * by * u, b = cy + DT * by * w;
  to_x[2 * i] = a - floorf(a), to_x[2 * i + 1] = b - floorf(b);
  to_v[2 * i] = by * u, to_v[2 * i + 1] = by * w;
}
]]):gsub("%f[%w]SIDE%f[%W]", SIDE):gsub("%f[%w](%u+)%f[%W]", function(name)
  local number = ({ R = R, CLOSE = CLOSE, SLOW = SLOW, FAST = FAST, DT = DT })[name]
  return number and ("%.9ef"):format(number)
end)

local CPP = "#include <math.h>\n#define FN inline\n" .. STEP .. ([[
extern "C" void flock(int n, int *start, int *order, float *at, const float *x, const float *v, float *to_x,
                      float *to_v) {
  for (int c = 0; c <= SIDE * SIDE + 1; c++) start[c] = 0;
  for (int i = 0; i < n; i++) start[cell_of(x[2 * i]) * SIDE + cell_of(x[2 * i + 1]) + 2]++;
  for (int c = 2; c <= SIDE * SIDE + 1; c++) start[c] += start[c - 1];
  for (int i = 0; i < n; i++) {
    int p = start[cell_of(x[2 * i]) * SIDE + cell_of(x[2 * i + 1]) + 1]++;
    order[p] = i, at[2 * p] = x[2 * i], at[2 * p + 1] = x[2 * i + 1];
  }
  for (int k = 0; k < n; k++) fly(k, start, order, at, x, v, to_x, to_v);
}
]]):gsub("SIDE", SIDE)

--- A flock over FFI pointers: step(start, order, at, x, v, to_x, to_v) sorts the places x into the first three.
local function flock_over_pointers(step)
  local x, v = draw()
  local list = {}
  for k = 1, 4 do list[k] = ffi.new("float[?]", 2 * N) end
  local a, b, c, d = unpack(list)
  ffi.copy(a, x:data(), 8 * N)
  ffi.copy(b, v:data(), 8 * N)
  local start, order, at = ffi.new("int[?]", SIDE * SIDE + 2), ffi.new("int[?]", N), ffi.new("float[?]", 2 * N)
  return function() step(start, order, at, a, b, c, d) end, function() step(start, order, at, c, d, a, b) end,
    ma.frombuffer(a, { N, 2 }, "float32", { owner = a })
end

--- The flock in C++, compiled as kernels of the CPU are but for the order of rounding.
local function flock_of_cpp()
  local name = os.tmpname()
  local file = assert(io.open(name .. ".cpp", "w"))
  file:write(CPP)
  file:close()
  local made = os.execute(("%s -O3 -march=native -fno-math-errno -fno-trapping-math -shared -fPIC -o %s.so %s.cpp")
    :format(os.getenv "CXX" or "c++", name, name))
  assert(made == 0 or made == true, "no C++ compiler")
  ffi.cdef "void flock(int, int *, int *, float *, const float *, const float *, float *, float *);"
  local library = ffi.load(name .. ".so")
  for _, ending in ipairs { "", ".cpp", ".so" } do os.remove(name .. ending) end
  return flock_over_pointers(function(...) library.flock(N, ...) end)
end

-- ==== In LuaJIT ======================================================================================================

local function way(d) return d > 0.5 and d - 1 or d < -0.5 and d + 1 or d end
local function cell_of(x) return math.min(math.floor(x * SIDE), SIDE - 1) end

local function sort_in_lua(start, order, at, x)
  ffi.fill(start, 4 * (SIDE * SIDE + 2))
  for i = 0, N - 1 do
    local c = cell_of(x[2 * i]) * SIDE + cell_of(x[2 * i + 1]) + 2
    start[c] = start[c] + 1
  end
  for c = 2, SIDE * SIDE + 1 do start[c] = start[c] + start[c - 1] end
  for i = 0, N - 1 do
    local c = cell_of(x[2 * i]) * SIDE + cell_of(x[2 * i + 1]) + 1
    local p = start[c]
    start[c], order[p], at[2 * p], at[2 * p + 1] = p + 1, i, x[2 * i], x[2 * i + 1]
  end
end

local function fly_in_lua(start, order, at, x, v, to_x, to_v)
  for k = 0, N - 1 do
    local i, count, px, py, vx, vy, ax, ay = order[k], 0, 0, 0, 0, 0, 0, 0
    local cx, cy = x[2 * i], x[2 * i + 1]
    local row, column = cell_of(cx), cell_of(cy)
    for a = row - 1, row + 1 do
      for b = column - 1, column + 1 do
        local c = a % SIDE * SIDE + b % SIDE
        for p = start[c], start[c + 1] - 1 do
          local dx, dy = way(at[2 * p] - cx), way(at[2 * p + 1] - cy)
          local square = dx * dx + dy * dy
          if square <= R * R then
            local j = order[p]
            count, px, py, vx, vy = count + 1, px + dx, py + dy, vx + v[2 * j], vy + v[2 * j + 1]
            if square < CLOSE * CLOSE then ax, ay = ax - dx / (square + 1e-9), ay - dy / (square + 1e-9) end
          end
        end
      end
    end
    local u, w = v[2 * i], v[2 * i + 1]
    u, w = u + DT * (px / count + vx / count - u + 1e-5 * ax), w + DT * (py / count + vy / count - w + 1e-5 * ay)
    local speed = math.sqrt(u * u + w * w) + 1e-9
    local by = math.min(math.max(speed, SLOW), FAST) / speed
    local a, b = cx + DT * by * u, cy + DT * by * w
    to_x[2 * i], to_x[2 * i + 1], to_v[2 * i], to_v[2 * i + 1] = a - math.floor(a), b - math.floor(b), by * u, by * w
  end
end

local function flock_in_lua()
  return flock_over_pointers(function(start, order, at, x, ...)
    sort_in_lua(start, order, at, x)
    fly_in_lua(start, order, at, x, ...)
  end)
end

-- ==== On a GPU =======================================================================================================

local CUDA = "#define FN __device__ __forceinline__\n" .. STEP .. ([[
extern "C" __global__ void count_cells(const float *x, int *start, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&start[cell_of(x[2 * i]) * SIDE + cell_of(x[2 * i + 1]) + 2], 1);
}
extern "C" __global__ void scan(int *start, int n) {             /* one block */
  __shared__ int sums[1024];
  int t = threadIdx.x, each = (n + 1023) / 1024, sum = 0;
  for (int k = t * each; k < n && k < (t + 1) * each; k++) sum += start[k];
  sums[t] = sum;
  __syncthreads();
  for (int by = 1; by < 1024; by *= 2) {
    int other = t >= by ? sums[t - by] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  int before = sums[t] - sum;
  for (int k = t * each; k < n && k < (t + 1) * each; k++) start[k] = before += start[k];
}
extern "C" __global__ void place(const float *x, int *start, int *order, float *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int p = atomicAdd(&start[cell_of(x[2 * i]) * SIDE + cell_of(x[2 * i + 1]) + 1], 1);
  order[p] = i, at[2 * p] = x[2 * i], at[2 * p + 1] = x[2 * i + 1];
}
extern "C" __global__ void step(const int *start, const int *order, const float *at, const float *x, const float *v,
                                float *to_x, float *to_v, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) fly(k, start, order, at, x, v, to_x, to_v);
}
]]):gsub("SIDE", SIDE)

local function flock_of_cuda()
  local module, kernels = ma.RawModule { code = CUDA }, {}
  for _, name in ipairs { "count_cells", "scan", "place", "step" } do kernels[name] = module:get_function(name) end
  local first, velocity = draw()
  local second, other = ma.empty_like(first), ma.empty_like(velocity)
  local start, order, at = ma.zeros(SIDE * SIDE + 2, "int32"), ma.zeros(N, "int32"), ma.empty_like(first)
  local blocks = math.ceil(N / 128)
  local function step(x, v, to_x, to_v)
    start:fill(0)
    kernels.count_cells(blocks, 128, { x, start, N })
    kernels.scan(1, 1024, { start, SIDE * SIDE + 2 })
    kernels.place(blocks, 128, { x, start, order, at, N })
    kernels.step(blocks, 128, { start, order, at, x, v, to_x, to_v, N })
  end
  return function() step(first, velocity, second, other) end, function() step(second, other, first, velocity) end, first
end

-- ==== Figures ========================================================================================================

--- Microseconds of a step: the least of many, since slices of other processes come between longer ones.
local function times(...) return beside.times({ ... }, { rounds = 100, slice = 0, wait = ma.synchronize }) end

--- Whether two flocks are in the same places after a few steps, but for the order of sums.
local function alike(one, other)
  local there, back, x = one()
  local other_there, other_back, other_x = other()
  for _ = 1, 3 do
    for _, step in ipairs { there, back, other_there, other_back } do step() end
  end
  local d = ma.abs(x - other_x)
  local far = ma.minimum(d, 1 - d):max():item()
  assert(far < 1e-4, ("the flocks are %g apart"):format(far))
end

--- Bytes of arrays in use before and behind 1,000 steps.
local function memory()
  local there, back = flock()
  local function bytes()
    for _ = 1, 2 do collectgarbage() end
    ma.synchronize()
    return (core.pool())
  end
  there()
  back()
  local before = bytes()
  for _ = 1, 500 do
    there()
    back()
  end
  local after = bytes()
  beside.hold(("bytes in use behind 1,000 steps: %d, before them: %d"):format(after, before), after == before)
end

local function cpu_figures()
  alike(flock, flock_of_cpp)
  alike(flock, flock_in_lua)
  local ours, cpp, lua = times((flock()), (flock_of_cpp()), (flock_in_lua()))
  beside.line("10,000 boids, one thread", ours, "C++", cpp, 1.4)
  print(("%-44s %10.2f us"):format("the same in LuaJIT", lua))
  local function step_on(threads)
    local pipe = assert(io.popen(("'%s' '%s' --step %d"):format(arg[-1], arg[0], threads)))
    local us = tonumber(pipe:read "*a")
    pipe:close()
    return (assert(us, "no figure"))
  end
  local one, two = math.huge, math.huge
  for _ = 1, 5 do one, two = math.min(one, step_on(1)), math.min(two, step_on(2)) end
  beside.line("10,000 boids, two threads", two, "one thread", one, 1 / 1.6)
end

local function gpu_figures()
  alike(flock, flock_of_cuda)
  local ours, cuda = times(ma.cuda.graph((flock())), ma.cuda.graph((flock_of_cuda())))
  beside.line("50,000 boids", ours, "CUDA C++", cuda, 1.5)
  beside.line("50,000 boids", ours, "a millisecond", 1000, 1)
  print(("%-44s %10.2f us"):format("the same without a graph", (times((flock())))))
end

if arg[1] == "--step" then
  print((times((flock()))))
  os.exit(0)
end
beside.part("boids", on_gpu and gpu_figures or cpu_figures)
memory()
os.exit(beside.missed > 0 and 1 or 0)
