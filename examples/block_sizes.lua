-- How long one kernel takes by its block size, measured by events on the stream.
-- usage: luajit examples/block_sizes.lua [n]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local saxpy = ma.RawKernel([[
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* z, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) z[i] = a * x[i] + y[i];
}]], "saxpy")

local on_gpu = ma.device().type == "cuda"
local n = tonumber(arg and arg[1]) or (on_gpu and 2 ^ 26 or 2 ^ 20)
local x, y, z = ma.ones(n, "float32"), ma.full(n, 2, "float32"), ma.empty(n, "float32")

local function time(grid, block)
  local start, stop, best = ma.Event(), ma.Event(), math.huge
  saxpy(grid, block, { 3, x, y, z, n })                               -- the first call compiles
  for _ = 1, 5 do
    start:record()
    saxpy(grid, block, { 3, x, y, z, n })
    stop:record()
    best = math.min(best, ma.get_elapsed_time(start, stop))
  end
  return best
end

print(("%d elements on %s"):format(n, x.device))
print(("%6s %8s %10s %8s"):format("block", "blocks", "ms", "GB/s"))
for _, block in ipairs { 32, 64, 128, 256, 512, 1024 } do
  local grid = math.min(math.ceil(n / block), 4096)
  local best = time(grid, block)
  print(("%6d %8d %10.4f %8.1f"):format(block, grid, best, best > 0 and 3 * 4 * n / best / 1e6 or 0))
end
assert(z:min():item() == 5 and z:max():item() == 5, "the result is wrong")
