--- Indices of threads in kernels on the CPU: kernels have them as locals, other functions read them elsewhere. Each
--- text writes 1000 * block + thread, however it gets at them.

local helper = require "spec.helper"
local ma = helper.ma

local runs, why = pcall(function() ma.RawKernel('extern "C" __global__ void k() { }', "k"):compile() end)
if not runs then
  print("skipped: indices_spec: " .. tostring(why):match("[^\n]*"))
  return
end

local forms = {
  { "the kernel", [[extern "C" __global__ void f(double *x){x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x;}]] },
  { "a device function", [[static __device__ int mine() { return threadIdx.x; }
    extern "C" __global__ void f(double *x) { x[BLOCKS] = 1000.0 * blockIdx.x + mine(); }]] },
  { "a device function for all", [[static __device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }
    extern "C" __global__ void f(double *x) { x[at()] = 1000.0 * blockIdx.x + at() % blockDim.x; }]] },
  { "a macro", [[#define MINE (threadIdx.x)
    static __device__ int mine() { return MINE; }
    extern "C" __global__ void f(double *x) { x[BLOCKS] = 1000.0 * blockIdx.x + (MINE + mine()) / 2; }]] },
  { "a lambda that captures", [[extern "C" __global__ void f(double *x) {
      auto mine = [=](int b) { return 1000.0 * b + threadIdx.x; };
      auto put = [&](double v) { x[BLOCKS] = v; };
      put(mine(blockIdx.x));
    }]] },
  { "a lambda that captures nothing", [[extern "C" __global__ void f(double *x) {
      x[BLOCKS] = [](int b) { return 1000.0 * b + threadIdx.x; }(blockIdx.x);
    }]] },
  { "a lambda that captures a name", [[extern "C" __global__ void f(double *x) {
      auto put = [x](double v) { x[BLOCKS] = v; };
      put(1000.0 * blockIdx.x + threadIdx.x);
    }]] },
  { "a class", [[extern "C" __global__ void f(double *x) {
      struct { __device__ double get() { return 1000.0 * blockIdx.x + threadIdx.x; } } mine;
      x[BLOCKS] = mine.get();
    }]] },
  { "the file's scope", [[extern "C" __global__ void f(double *x) {
      x[BLOCKS] = 1000.0 * blockIdx.x + ::threadIdx.x;
    }]] },
  { "locals of the same names", [[extern "C" __global__ void f(double *x) {
      int at = BLOCKS;
      uint3 threadIdx = blockIdx;
      x[at] = 1000.0 * threadIdx.x + at % blockDim.x;
    }]] },
  { "a parameter of the same name", [[extern "C" __global__ void f(double *x, uint3 blockDim) {
      x[blockIdx.x * 70 + threadIdx.x] = 1000.0 * blockIdx.x + threadIdx.x;
    }]], skips = true },
  { "a declaration before", [[extern "C" __global__ void f(double *);
    extern "C" __global__ void f(double *x) { x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x; }]] },
  { "two heads", [[#if 1
    extern "C" __global__ void f(double *x)
    #else
    extern "C" __global__ void f(float *x)
    #endif
    { x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x; }]] },
  { "a macro for the head", [[#define KERNEL extern "C" __global__ void
    #define PARAMS double *x
    KERNEL f(PARAMS) { x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x; }]] },
  { "launch bounds and words between", [[extern "C" __global__ __launch_bounds__(128)
    void f(double *__restrict__ x)
    { x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x; }]] },
  { "an early return", [[extern "C" __global__ void f(double *x) {
      if (threadIdx.x & 1) { x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x; return; }
      x[BLOCKS] = 1000.0 * blockIdx.x + threadIdx.x;
    }]] },
  { "barriers", [[extern "C" __global__ void f(double *x) {
      __shared__ unsigned s[70];
      s[blockDim.x - 1 - threadIdx.x] = threadIdx.x;
      __syncthreads();
      x[BLOCKS] = 1000.0 * blockIdx.x + blockDim.x - 1 - s[threadIdx.x];
    }]] },
}

local BLOCKS = "-DBLOCKS=(blockIdx.x*blockDim.x+threadIdx.x)"

describe("indices in a kernel", function()
  for _, form in ipairs(forms) do
    it("are right in " .. form[1], function()
      local x = ma.zeros(5 * 70)
      if form.skips then
        assert.has_no.errors(function() ma.RawKernel(form[2], "f", { options = { BLOCKS } }):compile() end)
        return
      end
      ma.RawKernel(form[2], "f", { options = { BLOCKS } })(5, 70, { x })
      local want = {}
      for b = 0, 4 do
        for t = 0, 69 do want[#want + 1] = 1000 * b + t end
      end
      assert.same(want, x:tolist())
    end)
  end

  it("are right in templates, on the CPU with an instantiation that does not say that it is a kernel", function()
    local module = ma.RawModule { code = [[
      template <class T> __global__ void f(T *x, T a) { x[threadIdx.x] = a * threadIdx.x; }
      template <> __global__ void f<int>(int *x, int a) { x[threadIdx.x] = threadIdx.x; }
      template ]] .. (helper.device == "cpu" and "" or "__global__") .. [[ void f<float>(float *, float);
      template <class... T> __global__ void g(T... x) { int unused[] = { (x[threadIdx.x] = threadIdx.x, 0)... }; }
    ]], name_expressions = { "f<double>", "f<int>", "f<float>", "g<double *>" } }
    local x, i, y, z = ma.zeros(4), ma.zeros(4, "int32"), ma.zeros(4, "float32"), ma.zeros(4)
    module:get_function("f<double>")(1, 4, { x, ma.float64(2.5) })
    module:get_function("f<int>")(1, 4, { i, ma.int32(9) })
    module:get_function("f<float>")(1, 4, { y, ma.float32(0.5) })
    module:get_function("g<double *>")(1, 4, { z })
    assert.same({ 0, 2.5, 5, 7.5 }, x:tolist())
    assert.same({ 0, 1, 2, 3 }, i:tolist())
    assert.same({ 0, 0.5, 1, 1.5 }, y:tolist())
    assert.same({ 0, 1, 2, 3 }, z:tolist())
  end)

  it("go on along the axes of a grid", function()
    local x = ma.zeros({ 4, 3, 5 }, "int32")
    ma.RawKernel([[extern "C" __global__ void f(int *x) {
      x[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z;
    }]], "f")({ 5, 3, 4 }, 1, { x })
    local want = {}
    for z = 0, 3 do
      for y = 0, 2 do
        for at = 0, 4 do want[#want + 1] = 100 * z + 10 * y + at end
      end
    end
    assert.same(want, x:ravel():tolist())
  end)

  it("run along three axes", function()
    local x = ma.zeros({ 2, 3, 4, 5 }, "int32")
    ma.RawKernel([[extern "C" __global__ void f(int *x) {
      unsigned at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * (threadIdx.z + blockDim.z * blockIdx.z));
      x[at] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.z;
    }]], "f")({ 1, 1, 2 }, { 5, 4, 3 }, { x })
    assert.equal(1234, x:tolist()[2][3][4][5] + 0)
    assert.equal(210, x:tolist()[1][3][2][1] + 0)
  end)

  if helper.device ~= "cpu" then return end

  it("tell an assertion of a device function where it is", function()
    local k = ma.RawKernel([[static __device__ void look(int n) { assert(n < 3); }
      extern "C" __global__ void f(int *x) { look(threadIdx.x); x[threadIdx.x] = 1; }]], "f")
    assert.error_matches(function()
      k(1, 8, { ma.zeros(8, "int32") })
      ma.synchronize()
    end, "thread: %[3,0,0%]")
  end)

  it("are not in the messages of a compiler", function()
    local fine, message = pcall(function()
      ma.RawKernel('extern "C" __global__ void f(int *x) { x[threadIdx.x] = none; }', "f"):compile()
    end)
    assert.is_false(fine)
    assert.truthy(message:find("f(int *x) { x[threadIdx.x] = none; }", 1, true), message)
    assert.is_nil(message:find("MA_IND", 1, true), message)
    assert.is_nil(message:find("ma_indices", 1, true), message)
  end)
end)
