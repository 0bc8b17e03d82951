-- The kernels of CuPy's documentation, on the device under test.

local helper = require "spec.helper"
local ma = helper.ma
local random = helper.random(77)

local function numbers(n)
  local list = {}
  for k = 1, n do list[k] = random(-50, 50) / 8 end
  return list
end

describe("l2norm", function()
  local l2norm = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")

  it("is the root of the sum of squares along an axis", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = ma.array(numbers(60)):reshape(3, 4, 5):astype(dtype)
      for axis = 1, 3 do
        local want = ma.sqrt((x:astype("float64") ^ 2):sum(axis))
        local got = l2norm(x, axis)
        assert.equal(dtype, got.dtype)
        assert(ma.allclose(got, want, 1e-6), "axis " .. axis)
        helper.identical(got, l2norm(x, { axis = axis, keepdims = true }):reshape(got.shape), "keepdims")
      end
      assert(ma.allclose(l2norm(x.T, 1), ma.sqrt((x.T:astype("float64") ^ 2):sum(1)), 1e-6))
      assert(math.abs(l2norm(x):item() - math.sqrt((x:astype("float64") ^ 2):sum():item())) < 1e-4)
    end
  end)

  it("of integers is an integer, as their type says", function()
    assert.equal(5, l2norm(ma.array({ 3, 4 }, "int64")):item())
  end)
end)

describe("squared_diff", function()
  local x, y = ma.array(numbers(40)):reshape(8, 5), ma.array(numbers(5))

  local function check(kernel, dtype)
    local a, b = x:astype(dtype), y:astype(dtype)
    local want = (a - b) ^ 2
    helper.identical(kernel(a, b), want, dtype)
    helper.identical(kernel(a.T:copy().T, b), want, dtype .. ", transposed")
    helper.identical(kernel(a["::2, ::-1"], b["::-1"]), want["::2, ::-1"]:copy(), dtype .. ", strided")
    helper.identical(kernel(a, 5), (a - 5) ^ 2, dtype .. ", a number")
    local out = ma.full({ 8, 5 }, 99, dtype)
    assert.equal(out, kernel(a, b, out))
    helper.identical(out, want, dtype .. ", out")
  end

  it("of float32", function()
    local kernel = ma.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    check(kernel, "float32")
    assert.matches("wanted float32", helper.fails(kernel, x, y))
  end)

  it("of one type", function()
    local kernel = ma.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff_generic")
    for _, dtype in ipairs { "float32", "float64", "int32", "int64" } do check(kernel, dtype) end
  end)

  it("of several types", function()
    local kernel = ma.ElementwiseKernel("X x, Y y", "Z z", "z = (x - y) * (x - y)", "squared_diff_super_generic")
    local a, b = x:astype("int32"), y:astype("float64")
    local out = ma.full({ 8, 5 }, 99, "float64")
    kernel(a, b, out)
    helper.identical(out, (a - b) ^ 2, "int32 and float64")
    assert.matches("Z", helper.fails(kernel, a, b))
  end)

  it("of a type that the body names", function()
    local kernel = ma.ElementwiseKernel("T x, T y", "T z", "T diff = x - y; z = diff * diff", "squared_diff_T")
    check(kernel, "float64")
  end)

  it("of a raw array", function()
    local kernel = ma.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")
    local a, b = ma.array(numbers(100), "float32"), ma.array(numbers(100), "float32")
    helper.identical(kernel(a, b), a + b["::-1"], "raw")
  end)
end)

describe("my_add", function()
  it("adds as a raw kernel", function()
    local kernel = ma.RawKernel([[
extern "C" __global__
void my_add(const float* x1, const float* x2, float* y) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + x2[tid];
}]], "my_add")
    local x1 = ma.array(numbers(25), "float32"):reshape(5, 5)
    local x2 = ma.array(numbers(25), "float32"):reshape(5, 5)
    local y = ma.full({ 5, 5 }, 99, "float32")
    kernel({ 5 }, { 5 }, { x1, x2, y })
    helper.identical(y, x1 + x2, "my_add")
    assert.matches("my_add%(const float%* x1, const float%* x2, float%* y%)",
      helper.fails(kernel, { 5 }, { 5 }, { x1, x2 }))
  end)
end)

describe("a matrix product", function()
  it("through shared memory is that of a plain loop", function()
    local T = 8
    local kernel = ma.RawKernel([[
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int p) {
  __shared__ float at[TILE][TILE], bt[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    at[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    bt[threadIdx.y][threadIdx.x] = t + threadIdx.y < n && column < p ? b[(t + threadIdx.y) * p + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += at[threadIdx.y][k] * bt[k][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < p) c[row * p + column] = sum;
}]], "matmul", { "-DTILE=" .. T })
    local m, n, p = random(1, 40), random(1, 40), random(1, 40)
    local a, b = ma.array(numbers(m * n), "float32"):reshape(m, n), ma.array(numbers(n * p), "float32"):reshape(n, p)
    local c = ma.full({ m, p }, 99, "float32")
    kernel({ math.ceil(p / T), math.ceil(m / T) }, { T, T }, { a, b, c, m, n, p })
    -- Eighths of small whole numbers: every sum is exact.
    local left, right, got = a:totable(), b:totable(), c:totable()
    for i = 1, m do
      for j = 1, p do
        local sum = 0
        for k = 1, n do sum = sum + left[i][k] * right[k][j] end
        assert(got[i][j] == sum, ("%d x %d x %d: (%d, %d) is %g; wanted %g (SEED=%d)"):format(m, n, p, i, j, got[i][j],
          sum, helper.seed))
      end
    end
  end)
end)

describe("the jit language", function()
  local jit = ma.jit

  it("copies with strides", function()
    local elementwise_copy = jit.rawkernel(function(x, y, size)
      local tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
      local ntid = jit.gridDim.x * jit.blockDim.x
      for i = tid + 1, size, ntid do y[i] = x[i] end
    end)
    local size = 2 ^ 16 + 7
    local x = ma.arange(size, "float32") * 3
    local y = ma.full(size, -1, "float32")
    elementwise_copy({ 128 }, { 64 }, { x, y, size })
    helper.identical(y, x, "called")
    y = ma.full(size, -1, "float32")
    elementwise_copy[{ 128, 64 }](x, y, size)
    helper.identical(y, x, "by an index")
  end)

  it("transposes through a tile, from 2 x 2 on", function()
    local TILE, ROWS = 32, 8
    local transpose = jit.rawkernel(function(a, out)
      local tile = jit.shared_memory("float32", { TILE, TILE + 1 })
      local h, w = a.shape[1], a.shape[2]
      local tx, ty = jit.threadIdx.x + 1, jit.threadIdx.y + 1
      local column, row = jit.blockIdx.x * TILE + tx, jit.blockIdx.y * TILE
      for k = ty, TILE, ROWS do
        if row + k <= h and column <= w then tile[{ k, tx }] = a[{ row + k, column }] end
      end
      jit.syncthreads()
      column, row = jit.blockIdx.y * TILE + tx, jit.blockIdx.x * TILE
      for k = ty, TILE, ROWS do
        if row + k <= w and column <= h then out[{ row + k, column }] = tile[{ tx, k }] end
      end
    end)
    local largest = helper.device == "cpu" and 1024 or 10240
    for _, shape in ipairs { { 2, 2 }, { 33, 65 }, { 1, 100 }, { random(2, 300), random(2, 300) },
      { largest, largest } } do
      local h, w = shape[1], shape[2]
      local a = (ma.arange(h * w) % 65521):astype("float32"):reshape(h, w)
      local out = ma.full({ w, h }, -1, "float32")
      transpose({ math.ceil(w / TILE), math.ceil(h / TILE) }, { TILE, ROWS }, { a, out })
      assert(ma.array_equal(out, a.T), ("%d x %d (SEED=%d)"):format(h, w, helper.seed))
      a:free()
      out:free()
    end
  end)
end)
