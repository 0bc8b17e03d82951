-- A matrix product through shared memory, the classic first CUDA kernel, against a plain loop.
-- usage: luajit examples/matmul.lua [n]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local TILE = 16
local matmul = ma.RawKernel([[
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float at[TILE][TILE], bt[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    int k = t + threadIdx.x, l = t + threadIdx.y;
    at[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0;
    bt[threadIdx.y][threadIdx.x] = l < n && column < n ? b[l * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += at[threadIdx.y][i] * bt[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}]], "matmul", { "-DTILE=" .. TILE })

local n = tonumber(arg and arg[1]) or 100
local a = (ma.arange(n * n) * 7 % 11 / 11):astype("float32"):reshape(n, n)
local b = (ma.arange(n * n) * 5 % 13 / 13):astype("float32"):reshape(n, n)
local c = ma.zeros({ n, n }, "float32")

local blocks = math.ceil(n / TILE)
matmul({ blocks, blocks }, { TILE, TILE }, { a, b, c, n })

-- Some rows of the product by a plain loop over numbers.
local left, right, got = a:totable(), b:totable(), c:totable()
local worst = 0
for row = 1, n, math.max(1, math.floor(n / 10)) do
  for column = 1, n do
    local sum = 0
    for k = 1, n do sum = sum + left[row][k] * right[k][column] end
    worst = math.max(worst, math.abs(sum - got[row][column]) / math.max(1, math.abs(sum)))
  end
end

print(("%d x %d on %s: largest relative error %.1e"):format(n, n, c.device, worst))
assert(worst < 1e-5, "the product is wrong")
