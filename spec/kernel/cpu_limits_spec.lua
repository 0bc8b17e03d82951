-- What a raw kernel cannot do on a CPU is an error that names it and its line; what it can do beyond the first 48 KB of
-- shared memory, on either device.
local helper = require "spec.helper"
local ma = helper.ma

local on_cpu = helper.device == "cpu"
local runs, why = pcall(function() ma.RawKernel('extern "C" __global__ void k() { }', "k"):compile() end)
if not runs then
  print("skipped: cpu_limits_spec: " .. tostring(why):match("[^\n]*"))
  return
end

local function compile(text, options) return
  pcall(function() ma.RawKernel(text, "k", { options = options }):compile() end) end

describe("a CPU has no", function()
  if not on_cpu then
    pending("a GPU has them")
    return
  end

  local function kernel(body) return 'extern "C" __global__ void k(float *x) {\n  ' .. body .. "\n}" end
  local cases = {
    { "inline PTX", kernel('asm volatile("mov.u32 %0, %laneid;" : "=r"(x));') },
    { "inline PTX", kernel('int i; __asm__("" : "=r"(i));') },
    { "tensor cores", kernel("nvcuda::wmma::fragment<int> f;") },
    { "tensor cores", kernel("mma_sync(x, x, x, x);") },
    { "layers of textures", kernel("x[0] = tex2DLayered<float>(0, 1.0f, 2.0f, 3);") },
    { "mipmaps", kernel("x[0] = tex2DLod<float>(0, 1.0f, 2.0f, 0.0f);") },
    { "gathers of textures", kernel("x[0] = tex2Dgather<float4>(0, 1.0f, 2.0f).x;") },
    { "cube maps", kernel("x[0] = texCubemap<float>(0, 1.0f, 2.0f, 0.0f);") },
    { "layers of surfaces", kernel("surf2DLayeredwrite(x[0], 0, 0, 0, 0);") },
    { "which lanes run together", kernel("unsigned m = __activemask();") },
    { "implicit warp synchrony; __shfl_down_sync takes a mask", kernel("x[0] = __shfl_down(x[0], 1);") },
    { "implicit warp synchrony; __any_sync takes a mask", kernel("if (__any(x[0] > 1)) x[0] = 1;") },
    { "blocks that wait for each other", kernel("this_grid().sync();") },
    { "cooperative groups", kernel("cooperative_groups::this_thread_block();") },
  }
  for _, case in ipairs(cases) do
    it(case[1] .. ", and says so with the line: " .. case[2]:match("\n%s*([^\n]*)"), function()
      local fine, message = compile(case[2])
      assert.is_false(fine)
      assert.is_truthy(message:find("is not available on a CPU", 1, true) and message:find(case[1], 1, true), message)
      assert.is_truthy(message:find("k:2: ", 1, true), message)
    end)
  end

  it("mma.h, cub or cooperative_groups.h", function()
    for _, header in ipairs { "mma.h", "cooperative_groups.h", "cub/cub.cuh" } do
      local fine, message = compile("\n#include <" .. header .. ">\n" .. kernel(""))
      assert.is_false(fine)
      assert.is_truthy(message:find("k:2: " .. header .. " is not there on a CPU", 1, true), message)
    end
  end)

  it("such words in comments and texts do no harm", function()
    assert(compile(kernel('// asm __activemask tex2D\n  const char *s = "wmma"; (void)s; /* mma_sync */')))
  end)

  it("grid that waits for itself: a cooperative launch says so", function()
    local fine, message = pcall(function()
      ma.RawKernel('extern "C" __global__ void k() { }', "k", { enable_cooperative_groups = true })(2, 2, {})
    end)
    assert(fine or message:find("cooperative", 1, true), message)
  end)
end)

describe("threads that wait for each other", function()
  it("with none left to come are an error with the counts", function()
    if not on_cpu then return pending("a GPU would hang") end
    local k = ma.RawKernel('extern "C" __global__ void k() { if (threadIdx.x < 8) __syncthreads(); else ' ..
      '__syncwarp(0xffffffff); }', "k")
    local fine, message = pcall(k, 1, 32, {})
    assert.is_false(fine)
    assert.is_truthy(message:find("%d") and message:find("wait", 1, true), message)
  end)
end)

describe("dynamic shared memory", function()
  it("above 48 KB is had by max_dynamic_shared_size_bytes", function()
    local k = ma.RawKernel([[
      extern "C" __global__ void k(int *out, int n) {
        extern __shared__ int part[];
        for (int i = threadIdx.x; i < n; i += blockDim.x) part[i] = i * 3 + blockIdx.x;
        __syncthreads();
        int sum = 0;
        for (int i = n - 1 - threadIdx.x; i >= 0; i -= blockDim.x) sum += part[i];
        atomicAdd(&out[blockIdx.x], sum);
      }]], "k")
    local bytes = 64 * 1024
    local n, out = bytes / 4, ma.zeros(3, "int32")
    local fine, message = pcall(k, 3, 128, { out, n }, { shared_mem = bytes })
    assert.is_false(fine)
    assert.is_truthy(message:find("shared_mem is 65536 bytes; at most 49152", 1, true), message)
    local set, reason = pcall(function() k.max_dynamic_shared_size_bytes = bytes end)
    if not set then return pending("this GPU has no more: " .. tostring(reason)) end
    assert.are.equal(bytes, k.max_dynamic_shared_size_bytes)
    k(3, 128, { out, n }, { shared_mem = bytes })
    local base = 3 * n * (n - 1) / 2
    assert.are.same({ base, base + n, base + 2 * n }, out:get():totable())
    assert.is_false(pcall(function() k.max_dynamic_shared_size_bytes = 2 ^ 30 end))
    assert.are.equal(bytes, k.max_dynamic_shared_size_bytes)
  end)
end)
