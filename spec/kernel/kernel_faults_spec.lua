-- What a kernel of the user's own may do wrong, or what a C library may have too, on the CPU: none of it ends the
-- process.

local helper = require "spec.helper"
local ma = helper.ma
local file = require "spec.file"
local output, write, with_folder = file.output, file.write, file.with_folder

local function raw(code, block, arguments, options) ma.RawKernel(code, "k", options)({ 2 }, { block }, arguments) end

local function fails(text, ...)
  local message = helper.fails(...)
  assert(message:find(text, 1, true), ("the error is '%s'; wanted '%s'"):format(message, text))
end

describe("a kernel's max and min", function()
  it("of two values of one type are values", function()
    local largest = ma.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "-100", "largest")
    local least = ma.ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", "100", "least")
    for _, dtype in ipairs { "int8", "int64", "float32" } do
      local x = ma.array({ -3, 7, 5, -8, 2 }, dtype)
      assert.equal(7, tonumber(largest(x):item()), dtype)
      assert.equal(-8, tonumber(least(x):item()), dtype)
    end
    for _, dtype in ipairs { "uint8", "uint32" } do
      local y = ma.ElementwiseKernel("T x, T y", "T z, T w", "z = max(x, y); w = min(x, y)", "both")
      local z, w = y(ma.array({ 1, 200 }, dtype), ma.array({ 100, 2 }, dtype))
      assert.same({ 100, 200 }, z:astype("float64"):totable())
      assert.same({ 1, 2 }, w:astype("float64"):totable())
    end
  end)

  it("of two types take a number where there is one", function()
    local z, w = ma.ElementwiseKernel("float32 x, int32 y", "float32 z, float32 w", "z = max(x, y); w = min(y, x)",
      "mixed")(
      ma.array({ 0 / 0, 2.5 }, "float32"), ma.array({ 3, 1 }, "int32"))
    assert.same({ 3, 2.5 }, z:totable())
    assert.same({ 3, 1 }, w:totable())
  end)
end)

describe("a parameter", function()
  it("may be called like a macro", function()
    local x = ma.arange(3, "float32")
    for _, name in ipairs { "M_PI", "EOF", "INT_MAX" } do
      local scale = ma.ElementwiseKernel("T x, float32 " .. name, "T y", "y = x * " .. name, "scale")
      assert.same({ 0, 2, 4 }, scale(x, 2):totable())
      local sum = ma.ReductionKernel("T x, float32 " .. name, "T y", "x * " .. name, "a + b", "y = a", "0", "weighed")
      assert.equal(6, sum(x, 2):item())
    end
  end)
end)

describe("a header", function()
  it("of complex numbers is CuPy's, on every device", function()
    local z = ma.array({ 1, 2 }, "complex64")
    raw([[#include <cupy/complex.cuh>
      extern "C" __global__ void k(complex<float> *x) {
        thrust::complex<float> y = x[1] * complex<float>(0, 2);
        if (blockIdx.x == 0) x[0] = y + thrust::conj(y) + abs(y);
      }]], 1, { z })
    assert(ma.array_equal(z, ma.array({ 4, 2 }, "complex64")))
  end)
end)

if helper.device ~= "cpu" then return end

describe("a kernel's options on the CPU", function()
  local code = 'extern "C" __global__ void k(int *x) { x[0] = 1; }'

  it("are known, or an error that lists those that are", function()
    for _, option in ipairs { "--no-such-option", "-Wall", "no", "--fmadd=false" } do
      fails(option .. "' is not known on the CPU; it takes -DNAME=VALUE", raw, code, 1, { ma.zeros(1, "int32") },
        { option })
    end
    local module = ma.RawModule { code = code, options = { "-lineinfos" } }
    fails("'-lineinfos' is not known on the CPU", function() module:get_function("k"):compile() end)
  end)

  it("of a GPU's alone are left out, with the word that follows them", function()
    raw(code, 1, { ma.zeros(1, "int32") },
      { "-arch", "sm_80", "--gpu-architecture=sm_90", "-lineinfo", "--maxrregcount=32", "-O2", "--std=c++20", "-I",
        "/tmp" })
  end)
end)

describe("on the CPU", function()
  it("a division of integers by zero gives all bits, and the least by -1 wraps", function()
    if jit.arch ~= "x64" then return pending("other processors answer by themselves, ARM by 0") end
    for _, t in ipairs { { "int", "int32", -2147483648 }, { "long long", "int64", -2 ^ 63 }, { "unsigned", "uint32" },
      { "unsigned long long", "uint64" } } do
      local least = t[3]
      local x, y = ma.array({ 7, least or 7, 9 }, t[2]), ma.array({ 0, least and -1 or 7, 2 }, t[2])
      local q, r = ma.zeros(3, t[2]), ma.zeros(3, t[2])
      raw(([[extern "C" __global__ void k(const T *x, const T *y, T *q, T *r) {
        int i = threadIdx.x; q[i] = x[i] / y[i]; r[i] = x[i] % *(&y[i]);
      }]]):gsub("T %*", t[1] .. " *"), 3, { x, y, q, r })
      local ones = least and -1 or t[2] == "uint32" and 2 ^ 32 - 1 or 2 ^ 64
      assert.same({ ones, least or 1, 4 }, q:astype("float64"):totable())
      assert.same({ ones, 0, 1 }, r:astype("float64"):totable())
    end
    local z = ma.ElementwiseKernel("T x, T y", "T z", "z = x / y", "divided")(ma.arange(3000, "int32"),
      ma.zeros(3000, "int32"))
    assert.equal(-1, z:max():item())
    assert.equal(-1, ma.ReductionKernel("T x", "T y", "x", "a / b", "y = a", "0",
      "quotient")(ma.zeros(3, "int32")):item())
    raw('extern "C" __global__ void k(short *x, signed char *y) { x[0] = x[1] / x[2]; y[0] = y[1] % y[2]; ' ..
      '__syncthreads(); }', 64,
      { ma.zeros(3, "int16"), ma.zeros(3, "int8") })
  end)

  it("an exception that leaves a kernel ends the launch alone", function()
    local x = ma.zeros(4, "int32")
    local thrown = "an exception left the kernel"
    fails(thrown, raw, 'extern "C" __global__ void k(int *x) { if (blockIdx.x == 1) throw 3; }', 64, { x })
    fails(thrown, raw, 'extern "C" __global__ void k(int *x) { __syncthreads(); if (threadIdx.x == 17) throw 3; ' ..
      '__syncthreads(); }', 64, { x })
    fails(thrown, ma.ElementwiseKernel("T x", "T z", "if (x > 2000) throw 1; z = x", "thrower"),
      ma.arange(300000, "int32"))
    fails(thrown, ma.ReductionKernel("T x", "T z", "x > 2000 ? throw 1 : x", "a + b", "z = a", "0", "thrower"),
      ma.arange(300000, "int32"))
    raw('extern "C" __global__ void k(int *x) { try { throw 3; } catch (int n) { x[0] = n; } }', 1, { x })
    assert.equal(3, x(1))
  end)

  it("a thread has half a megabyte of locals, and more is an error", function()
    local code = [[extern "C" __global__ void k(int *x, int j) {
      volatile char a[N]; a[j] = 1; a[N - 1] = 1; __syncthreads(); x[threadIdx.x] = a[j]; __syncthreads(); }]]
    for _, size in ipairs { "20000", "100000", "500000" } do
      local x = ma.zeros(1024, "int32")
      raw(code:gsub("N", size), 1024, { x, 7 })
      assert.equal(1024, x:sum():item())
    end
    for _, size in ipairs { "700000", "5000000" } do
      fails("overflowed its stack", raw, code:gsub("N", size), 1024, { ma.zeros(1024, "int32"), 7 })
    end
  end)

  it("more than 48 KB of static shared memory is an error, scope by scope", function()
    local x = ma.zeros(1, "int32")
    local head = 'template <class T, int N> struct S { T v[N]; };\nextern "C" __global__ void k(int *x) { '
    local message = "a kernel has at most 48 KB of static __shared__ memory"
    fails(message, raw, head .. "__shared__ int a[12289]; a[0] = 1; }", 1, { x })
    fails(message, raw, head .. "__shared__ float a[100][100], b;\n__shared__ S<int, 3000> c; a[0][0] = b = 1; " ..
      "x[0] = c.v[0]; }", 1, { x })
    fails(message, raw, head .. "__shared__ int a[8000]; for (int i = 0; i < 1; i++) { __shared__ int b[8000]; " ..
      "b[0] = 1; } a[0] = 1; }", 1, { x })
    raw(head .. "__shared__ int a[12288]; a[0] = 1; }", 1, { x })
    raw(head .. "{ __shared__ int a[8000]; a[0] = 1; } " ..
      "{ __shared__ S<int, 4000> b; __shared__ int *c, d[8]; c = d; c[0] = b.v[0] = 1; x[0] = b.v[0]; } }", 1, { x })
  end)

  it("a header that a CPU has not names what to write", function()
    for header, instead in pairs { ["cuda_fp16.h"] = "float16", ["cuda_bf16.h"] = "bfloat16",
      ["cuComplex.h"] = "<cupy/complex.cuh>" } do
      fails(instead, raw, "#include <" .. header .. '>\nextern "C" __global__ void k(int *x) {}', 1,
        { ma.zeros(1, "int32") })
    end
  end)
end)

-- ==== Compilers and C libraries ====

local function program(path, environment, text)
  write(path .. "/try.lua", text)
  local luajit = os.getenv("LUAJIT") or "luajit"
  return output(("MOONARRAY_DEVICE=cpu MOONARRAY_CACHE_DIR=%s/cache %s %s %s/try.lua 2>&1"):format(path, environment,
    luajit, path))
end

local function has(compiler) return os.execute(compiler .. " --version >/dev/null 2>&1") == 0 end

describe("a lack of memory", function()
  it("while a kernel is made is said as such, at every allocation", function()
    if not has("cc") or os.getenv("SANITIZER") then return end
    with_folder(function(path)
      write(path .. "/shim.c", [[
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <string.h>
        extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
        static __thread long left;
        void shim_after(long n) { left = n; }
        long shim_left(void) { return left; }
        static int fails(void *from) {
          Dl_info at;
          return left > 0 && dladdr(from, &at) && strstr(at.dli_fname, "core.so") && --left == 0;
        }
        #define HERE fails(__builtin_return_address(0))
        void *malloc(size_t n) { return HERE ? NULL : __libc_malloc(n); }
        void *calloc(size_t n, size_t size) { return HERE ? NULL : __libc_calloc(n, size); }
        void *realloc(void *p, size_t n) { return HERE ? NULL : __libc_realloc(p, n); }
        char *strndup(const char *s, size_t n) { char *p = HERE ? NULL : __libc_calloc(n + 1, 1); return p ? strncpy(p, s, n) : NULL; }
      ]])
      assert(os.execute(("cc -w -shared -fPIC -o %s/shim.so %s/shim.c -ldl 2>/dev/null"):format(path, path)) == 0)
      local said = program(path, "LD_PRELOAD=" .. path .. "/shim.so", [[
        local ffi, ma = require "ffi", require "moonarray"
        ffi.cdef "void shim_after(long); long shim_left(void);"
        local code = '#define KERNEL extern "C" __global__\n__device__ int seed;\n' ..
          'KERNEL void k(int *x) { extern __shared__ int b[]; __shared__ int a[4]; a[0] = N; }'
        for n = 1, 60 do
          pcall(function() return ma.zeros(2):reshape(77777) end)                                  -- an old message
          ffi.C.shim_after(n)
          local ok, why = pcall(function() ma.RawKernel(code, "k", { "-DN=" .. n }):compile() end)
          local left = ffi.C.shim_left()
          ffi.C.shim_after(0)
          if left > 0 then break end
          if not ok and not tostring(why):find("memory", 1, true) then print(n, why) end
        end
        print("done") ]])
      assert.equal("done\n", said)
    end)
  end)
end)

describe("divisions by zero", function()
  it("give all bits where clang would divide small numbers of 64 bits by an instruction of 32", function()
    if jit.arch ~= "x64" then return pending("for processors of x86") end
    if helper.is_guest() then return pending("another system's compiler") end
    -- Both promise it; clang alone has such divisions.
    local compiler = ("CXX='%s -mtune=silvermont'"):format(has "clang++" and "clang++" or "g++")
    with_folder(function(path)
      assert.equal("-1\t18446744073709551615ULL\t4\t4\n", program(path, compiler, [[
        local ma = require "moonarray"
        local k = ma.RawKernel('extern "C" __global__ void k(const long long *x, const long long *y, long long *q, ' ..
          'unsigned long long *u) { int i = threadIdx.x; q[i] = x[i] / y[i]; ' ..
          'u[i] = (unsigned long long)x[i] / (unsigned long long)y[i]; }', "k")
        local q, u = ma.zeros(2, "int64"), ma.zeros(2, "uint64")
        k(1, 2, { ma.array({ 7, 9 }, "int64"), ma.array({ 0, 2 }, "int64"), q, u })
        print(q(1), u(1), q(2), u(2)) ]]))
    end)
  end)
end)

describe("the CPU's text of CUDA", function()
  it("compiles where the C library declares sinpi, cospi and rsqrt, as glibc 2.41 and 2.42 do", function()
    with_folder(function(path)
      local names = { "#include_next <math.h>\nextern \"C\" {\n" }
      for name in ("sinpi cospi tanpi asinpi acospi atanpi rsqrt"):gmatch("%a+") do
        names[#names + 1] = ("extern double %s (double) noexcept; extern float %sf (float) noexcept; extern long " ..
          "double %sl (long double) noexcept;\n")
          :format(name, name, name)
      end
      write(path .. "/math.h", table.concat(names)
        .. "extern double powr (double, double) noexcept; extern double rootn (double, long long) noexcept;\n}\n")
      local said = program(path, "CPLUS_INCLUDE_PATH=" .. path, [[
        local ma = require "moonarray"
        local x = ma.array({ 0.5, 4 }, "float64")
        ma.RawKernel('#include <cmath>\nextern "C" __global__ void k(double *x) {' ..
          ' x[0] = sinpi(x[0]) + cospi(0.5); x[1] = rsqrt(x[1]) + rsqrtf(4.0f); }', "k")(1, 1, { x })
        assert(x(1) == 1 and x(2) == 1)
        print(ma.ElementwiseKernel("T x", "T y", "y = sinpi(x) + rsqrt(x)", "k")(ma.array({ 4 }, "float32")):item()) ]])
      assert.equal("0.5\n", said)
    end)
  end)

  it("compiles without warnings", function()
    with_folder(function(path)
      local parts = {}
      for _, name in ipairs { "cpu_cuda", "cpu_cuda_math", "cpu_cuda_rounded", "cpu_cuda_simd", "cpu_cuda_special",
        "cpu_cuda_constants" } do
        parts[#parts + 1] = file.read("kernels/cpu/" .. name .. ".h")
      end
      write(path .. "/all.cpp", table.concat(parts))
      for _, compiler in ipairs { "g++", "clang++" } do
        if has(compiler) then
          assert.equal("", output(("%s -std=c++17 -O1 -fsyntax-only -Wall -Wextra -Wno-unused-function %s/all.cpp 2>&1")
            :format(compiler, path)))
        end
      end
    end)
  end)

  it("gives the same bits by gcc and by clang, and does nothing that C++ leaves undefined", function()
    if helper.is_guest() then return pending("the system's compilers are for another one") end
    local found = {}
    for _, c in ipairs { { "g++", "-fsanitize-undefined-trap-on-error" }, { "clang++", "-fsanitize-trap=all" } } do
      if has(c[1]) then
        with_folder(function(path)
          local said = program(path, ("CXX='%s -fsanitize=undefined,float-cast-overflow %s'"):format(c[1], c[2]), ([[
            local golden = dofile("spec/golden/kernel/intrinsics.lua")
            local lines = {}
            golden.run(require "moonarray", function(row) return row.bound == "=" end, function(row, bytes, _, n)
              lines[#lines + 1] = golden.line(row, bytes, n)
            end)
            print(#lines, require("bit").tohex(golden.hash(table.concat(lines, "\n")))) ]]))
          assert.matches("^%d+\t%x+\n$", said)
          found[#found + 1] = said
        end)
      end
    end
    for _, said in ipairs(found) do assert.equal(found[1], said) end
  end)
end)
