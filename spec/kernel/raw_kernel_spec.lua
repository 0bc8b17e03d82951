-- RawKernel and RawModule: kernels in CUDA C++, and what is said of arguments that do not fit them.
local ma = require "moonarray"

local add = [[
extern "C" __global__ void my_add(const float *x, const float *y, float *z, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}]]

local runs, why = pcall(function() ma.RawKernel(add, "my_add"):compile() end)

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(wanted, 1, true), "wanted: " .. wanted .. "\nfound: " .. tostring(message))
end

describe("a raw kernel's making", function()
  it("refuses what is no text and no name", function()
    fails("no argument 'name'", ma.RawKernel, add)
    fails("code has a zero byte at position 6", ma.RawKernel, "int x\0;", "k")
    fails("code is the number 5", ma.RawKernel, 5, "k")
    for _, name in ipairs { "", "a b;", "1a", "k; system(1)", "k{", "k\n", "k\"", ("k"):rep(200) } do
      fails("wanted a kernel's name", ma.RawKernel, add, name)
    end
    fails("options is the string '-DN=3'; wanted a table of strings", ma.RawKernel, add, "my_add", "-DN=3")
    fails("options[1] is the number 3", ma.RawKernel, add, "my_add", { 3 })
    fails("no option 'option'", ma.RawKernel, add, "my_add", { option = {} })
  end)

  it("refuses modules without a text, or with two", function()
    fails("neither code nor path", ma.RawModule)
    fails("both code and path", ma.RawModule, { code = add, path = "x" })
    fails("No such file", ma.RawModule, { path = "/nonexistent/kernel.cu" })
    fails("wanted a name expression", ma.RawModule, { code = add, name_expressions = { "a;b" } })
  end)

  it("tells what it knows before anything is compiled", function()
    local k = ma.RawKernel("this is no C++", "k", { options = { "-DN=3" } })
    assert.are.equal("k", k.name)
    assert.are.equal("this is no C++", k.code)
    assert.are.equal("this is no C++", k.cached_code)
    assert.are.same({ "-DN=3" }, k.options)
    assert.are.equal("<RawKernel k>", tostring(k))
    assert.are.equal("my_add(const float *x, const float *y, float *z, int n)", ma.RawKernel(add, "my_add").signature)
    fails("no attribute 'nme'; did you mean 'name'?", function() return k.nme end)
    fails("'name' cannot be set", function() k.name = "x" end)
  end)
end)

describe("a raw kernel", function()
  if not runs then
    print("skipped: raw_kernel_spec: " .. tostring(why):match("[^\n]*"))
    return
  end

  local x, y, z
  before_each(function()
    x, y, z = ma.arange(10, "float32"), ma.ones(10, "float32"), ma.full(10, -1, "float32")
  end)

  it("adds, as in CuPy's documentation", function()
    local k = ma.RawKernel(add, "my_add")
    k(2, 8, { x, y, z, 10 })
    assert.are.same((x + 1):totable(), z:totable())
    k({ 1 }, { 5, 1, 1 }, { x, y, z, ma.int32(3) })
    k(1, 4, { x, x, z, 2 }, { stream = ma.Stream.null })
    assert.are.same({ 0, 2, 3 }, z["1:3"]:totable())
    k(1, 4, { x["3:6"], y["1:4"], z["1:4"], 4 })
    assert.are.same({ 3, 4, 5, 6, 5 }, z["1:5"]:totable())
  end)

  it("says what is wrong with its arguments, and runs nothing", function()
    local k = ma.RawKernel(add, "my_add")
    local declared = "; my_add(const float *x, const float *y, float *z, int n)"
    fails("3 arguments; wanted 4: my_add(const float *x", k, 1, 16, { x, y, z })
    fails("5 arguments; wanted 4", k, 1, 16, { x, y, z, 1, 2 })
    fails("argument 3 (float *z) is nil; wanted a float32 array" .. declared, k, 1, 16, { x, y, nil, 10 })
    fails("argument 2 (const float *y) is a float64 array (10,); wanted a float32 array" .. declared, k, 1, 16,
      { x, ma.ones(10), z, 10 })
    fails("argument 1 (const float *x) is the number 1; wanted a float32 array" .. declared, k, 1, 16, { 1, y, z, 10 })
    fails("argument 4 (int n) is the number 2.5; wanted a whole number that fits int32" .. declared, k, 1, 16,
      { x, y, z, 2.5 })
    fails("argument 4 (int n) is the number 3000000000", k, 1, 16, { x, y, z, 3e9 })
    fails("argument 4 (int n) is the number nan", k, 1, 16, { x, y, z, 0 / 0 })
    fails("argument 4 (int n) is a boolean (true)", k, 1, 16, { x, y, z, true })
    fails("argument 4 (int n) is the string 'ten'", k, 1, 16, { x, y, z, "ten" })
    fails("argument 4 (int n) is a int64 array ()", k, 1, 16, { x, y, z, ma.int64(10) })
    fails("elements are not contiguous", k, 1, 16, { x, y, ma.zeros(20, "float32")["1:20:2"], 10 })
    fails("read-only", k, 1, 16, { x, y, ma.broadcast_to(ma.zeros(1, "float32"), { 10 })["1:1"], 1 })
    fails("args is the number 5; wanted a table", k, 1, 16, 5)
    local freed = ma.zeros(10, "float32")
    freed:free()
    fails("freed array", k, 1, 16, { freed, y, z, 10 })
    if ma.device().name ~= "cpu" then fails("on cpu; wanted one on cuda:0", k, 1, 16, { x:to("cpu"), y, z, 10 }) end
    assert.are.equal(-1, z:max():item())
  end)

  it("says what is wrong with its shape", function()
    local k = ma.RawKernel(add, "my_add")
    local args = { x, y, z, 10 }
    fails("the grid is the number 0", k, 0, 16, args)
    fails("the block is the number -1", k, 1, -1, args)
    fails("the block is the number 1.5", k, 1, 1.5, args)
    fails("the grid is a table of 4", k, { 1, 1, 1, 1 }, 16, args)
    fails("the grid is a table of 0", k, {}, 16, args)
    fails("the grid is the string '1'", k, "1", 16, args)
    fails("the grid 65536 along axis 2; at most 65535", k, { 1, 65536 }, 16, args)
    fails("the block 65 along axis 3; at most 64", k, 1, { 1, 1, 65 }, args)
    fails("a block of 2048 threads; my_add takes at most", k, 1, { 32, 64 }, args)
    fails("shared_mem is 10000000 bytes; at most", k, 1, 16, args, { shared_mem = 1e7 })
    fails("shared_mem is -1 bytes", k, 1, 16, args, { shared_mem = -1 })
    fails("no option 'shared'", k, 1, 16, args, { shared = 1 })
    fails("no argument 'args'", k, 1, 16)
  end)

  it("converts scalars to the declared types", function()
    local k = ma.RawKernel([[
      extern "C" __global__ void put(double *out, bool b, signed char i1, unsigned char u1, short i2, unsigned short u2, int i4, unsigned u4,
                                     long long i8, unsigned long long u8, float f4, double f8) {
        out[0] = b; out[1] = i1; out[2] = u1; out[3] = i2; out[4] = u2; out[5] = i4; out[6] = u4; out[7] = (double)i8; out[8] = (double)u8;
        out[9] = f4; out[10] = f8;
      }]], "put")
    local out = ma.zeros(11)
    local function call(b, i1, u1, i2, u2, i4, u4, i8, u8, f4, f8)
      k(1, 1, { out, b, i1, u1, i2, u2, i4, u4, i8, u8, f4, f8 })
      return out:totable()
    end
    assert.are.same({ 1, -128, 255, -32768, 65535, -2 ^ 31, 2 ^ 32 - 1, -2 ^ 53, 2 ^ 53, 0.5, 0.1 },
      call(true, -128, 255, -32768, 65535, -2 ^ 31, 2 ^ 32 - 1, -2 ^ 53, 2 ^ 53, 0.5, 0.1))
    assert.are.same({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4 }, call(false, -0.0, 0, 0, 0, 0, 0, 0, 0, 3, 4))
    fails("(bool b) is the number 1; wanted a boolean", call, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    fails("(signed char i1) is the number 128", call, true, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    fails("(unsigned char u1) is the number 300; wanted a whole number from 0 on that fits uint8", call, true, 0, 300,
      0, 0, 0, 0, 0, 0, 0, 0)
    for _, whole in ipairs { 2 ^ 63, 2 ^ 63 + 2 ^ 11, 2 ^ 64 - 2 ^ 11 } do
      assert.are.equal(whole, call(true, 0, 0, 0, 0, 0, 0, 0, whole, 0, 0)[9])
    end
    fails("(unsigned long long u8) is the number 1.844674407371e+19", call, true, 0, 0, 0, 0, 0, 0, 0, 2 ^ 64, 0, 0)
    fails("(long long i8) is the number 9.2233720368548e+18", call, true, 0, 0, 0, 0, 0, 0, 2 ^ 63, 0, 0, 0)
    fails("(unsigned u4) is the number -1", call, true, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0)
    fails("(long long i8) is the number 0.5", call, true, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 0)
    fails("(float f4) is a complex number; wanted a number", call, true, 0, 0, 0, 0, 0, 0, 0, 0, ma.complex(1, 2), 0)
    local found, ffi = pcall(require, "ffi")
    if found then
      local values = call(true, 0, 0, 0, 0, 0, 0, ffi.new("int64_t", -5), ffi.new("uint64_t", 7), 0, 0)
      assert.are.same({ -5, 7 }, { values[8], values[9] })
      fails("(int i4) is a cdata", call, true, 0, 0, 0, 0, ffi.new("int64_t", 2 ^ 40), 0, 0, 0, 0, 0)
    end
  end)

  it("takes structs of LuaJIT's FFI by value", function()
    local found, ffi = pcall(require, "ffi")
    if not found then return pending("plain Lua has no FFI") end
    local k = ma.RawKernel([[
      struct point { float s; int n; double d; };
      struct wide { double v[5]; };
      union word { int i; float f; };
      extern "C" __global__ void fields(point p, wide w, union word u, point q, double *out) {
        out[0] = p.s; out[1] = p.n; out[2] = p.d; out[3] = w.v[0]; out[4] = w.v[4]; out[5] = u.i;
        out[6] = q.s; out[7] = q.n; out[8] = q.d;
      }]], "fields")
    local point, wide = ffi.typeof "struct { float s; int n; double d; }", ffi.typeof "struct { double v[5]; }"
    local out, word = ma.zeros(9), ffi.new("union { int i; float f; }", { i = 9 })
    local points = ffi.typeof("$[2]", point)({ { 1, 2, 3 }, { 4, 5, 6 } })
    for _ = 1, 3 do
      k(1, 1, { point(1.5, -2, 0.25), wide { { 7, 0, 0, 0, 8 } }, word, points[1], out })
      collectgarbage()
    end
    assert.are.same({ 1.5, -2, 0.25, 7, 8, 9, 4, 5, 6 }, out:totable())
    local bytes = ffi.string(points + 1, 16)
    k(1, 1, { bytes, wide(), word, bytes, out })
    assert.are.same({ 4, 5, 6 }, ma.split(out, 3)[1]:totable())
    fails("argument 1 (point p) is a struct of 40 bytes; wanted a value of a known type and of 16 bytes, as "
      .. "ma.float32(v) makes it, a struct, or a string of those bytes", k, 1, 1,
      { wide(), wide(), word, point(), out })
    fails("argument 2 (wide w) is a struct of 16 bytes", k, 1, 1, { point(), point(), word, point(), out })
    fails("argument 1 (point p) is a cdata", k, 1, 1, { points, wide(), word, point(), out })     -- an array of them
  end)

  it("takes long as the system's compilers do: of 32 bits on Windows, else of 64", function()
    local k = ma.RawKernel([[
      typedef unsigned long word;
      extern "C" __global__ void sizes(long *out, long n, const unsigned long int *of, word last, long2 pair, int end) {
        out[0] = sizeof(long); out[1] = n; out[2] = of[1]; out[3] = last; out[4] = pair.y; out[5] = end;
      }]], "sizes")
    local long = jit and jit.os == "Windows" and "int32" or "int64"
    local of, pair = ma.array({ 5, 6 }, "u" .. long), ma.array({ 8, 9 }, long)
    local out = ma.zeros(6, long)
    k(1, 1, { out, -3, of, 7, pair:dumps():sub(-2 * out.itemsize), 10 })
    assert.are.same({ out.itemsize, -3, 6, 7, 9, 10 }, out:totable())
    local other = long == "int32" and "int64" or "int32"
    fails("wanted a " .. long .. " array", k, 1, 1, { out:astype(other), 1, of, 1, 1, 1 })
    fails("wanted a whole number that fits " .. long, k, 1, 1, { out, 2 ^ 63, of, 1, 1, 1 })
    local long_long = ma.RawKernel([[
      extern "C" __global__ void put(long long *x, unsigned long long int by) { x[0] += by; }]], "put")
    local total = ma.ones(1, "int64")
    long_long(1, 1, { total, 2 ^ 40 })
    assert.are.equal(2 ^ 40 + 1, total:item())
  end)

  it("takes complex numbers, by name or by size", function()
    local k = ma.RawKernel([[
      extern "C" __global__ void scale(float2 *z, float2 by) {
        float2 v = z[threadIdx.x];
        z[threadIdx.x].x = v.x * by.x - v.y * by.y;
        z[threadIdx.x].y = v.x * by.y + v.y * by.x;
      }]], "scale")
    local c = ma.array({ ma.complex(1, 2), ma.complex(3, -1) }, "complex64")
    k(1, 2, { c, ma.complex(0, 1) })
    assert.are.equal("-2+1i 1+3i", tostring(c[1]) .. " " .. tostring(c[2]))
    k(1, 2, { c, 2 })
    assert.are.equal("-4+2i", tostring(c[1]))
    k(1, 2, { c, ma.complex64(ma.complex(0.5, 0)) })
    assert.are.equal("-2+1i", tostring(c[1]))
  end)

  it("reaches kernels that are not extern \"C\"", function()
    local k = ma.RawKernel("__global__ void twice(int *x) { x[threadIdx.x] *= 2; }", "twice")
    local v = ma.arange(4, "int32")
    k(1, 4, { v })
    assert.are.same({ 0, 2, 4, 6 }, v:totable())
  end)

  it("takes defines, and follows them in the signature", function()
    local k = ma.RawKernel('extern "C" __global__ void k(REAL *x) { x[0] = STEP; }', "k",
      { options = { "-DREAL=float", "-DSTEP=3" } })
    fails("wanted a float32 array; k(REAL *x)", k, 1, 1, { ma.zeros(1) })
    local v = ma.zeros(1, "float32")
    k(1, 1, { v })
    assert.are.equal(3, v[1])
  end)

  it("has shared memory of a size given at the launch", function()
    local k = ma.RawKernel([[
      extern "C" __global__ void turn(float *x) {
        extern __shared__ float part[];
        int n = blockDim.x, i = blockIdx.x * n + threadIdx.x;
        part[threadIdx.x] = x[i];
        __syncthreads();
        x[i] = part[n - 1 - threadIdx.x];
      }]], "turn")
    local v = ma.arange(8, "float32")
    k(2, 4, { v }, { shared_mem = 16 })
    assert.are.same({ 3, 2, 1, 0, 7, 6, 5, 4 }, v:totable())
    k.max_dynamic_shared_size_bytes = 32768
    assert.are.equal(32768, k.max_dynamic_shared_size_bytes)
    fails("max_dynamic_shared_size_bytes is 0.5; wanted a whole number",
      function() k.max_dynamic_shared_size_bytes = 0.5 end)
  end)

  it("has attributes", function()
    local k = ma.RawKernel(add, "my_add")
    local all = k.attributes
    for _, name in ipairs { "num_regs", "shared_size_bytes", "max_threads_per_block", "const_size_bytes",
      "local_size_bytes", "ptx_version",
                            "binary_version", "max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout" } do
      assert.are.equal("number", type(k[name]), name)
      assert.are.equal(k[name], all[name])
    end
    assert.is_true(k.max_threads_per_block >= 32)
  end)

  it("shows a compile error with the line", function()
    fails("did not compile",
      function() ma.RawKernel('extern "C" __global__ void k() {\n  int x = ;\n}', "k"):compile() end)
    fails("k", ma.RawKernel("int x = 1;", "k"), 1, 1, {})
    fails("did not compile", function() ma.RawKernel('extern "C" __global__ void k( {', "k"):compile() end)
  end)
end)

describe("a raw module", function()
  if not runs then return end

  local code = [[
    template <typename T, int N> __global__ void scale(T *x, T by, int n) { int i = threadIdx.x; if (i < n) x[i] *= by * N; }
    __constant__ float table[4];
    extern "C" __global__ void look(float *x) { x[threadIdx.x] = table[threadIdx.x]; }]]

  it("instantiates templates", function()
    local m = ma.RawModule { code = code, name_expressions = { "scale<float, 1>", "scale<double, 2>" } }
    local f, g = m:get_function("scale<float, 1>"), m:get_function("scale<double,2>")
    local a, b = ma.ones(3, "float32"), ma.ones(3)
    f(1, 4, { a, 3, 3 })
    g(1, 4, { b, 0.25, 2 })
    assert.are.same({ 3, 3, 3 }, a:totable())
    assert.are.same({ 0.5, 0.5, 1 }, b:totable())
    fails("argument 1 (T *x) is a float64 array (3,); wanted a float32 array", f, 1, 4, { b, 3, 3 })
    assert.has_error(function() m:get_function("scale<int, 1>"):compile() end)
    assert.has_error(function() m:get_function("nothing"):compile() end)
  end)

  it("gives its globals as arrays, which keep it", function()
    local function keep()
      local m, other = ma.RawModule(code), ma.RawModule(code)
      local look = m:get_function("look")
      local t = m:get_global("table", "float32")
      local x = ma.zeros(4, "float32")
      t[{}] = { 1, 2, 3, 4 }
      look(1, 4, { x })
      assert.are.same({ 1, 2, 3, 4 }, x:totable())
      other:get_function("look")(1, 4, { x })
      assert.are.same({ 0, 0, 0, 0 }, x:totable())
      assert.are.equal(16, m:get_global("table").size)
      assert.are.same({ { 1, 2 }, { 3, 4 } }, m:get_global("table", "float32", { 2, 2 }):totable())
      fails("table has 16 bytes", m.get_global, m, "table", "float32", 5)
      fails("wanted a global's name", m.get_global, m, "a;")
      assert.has_error(function() m:get_global("nothing") end)
      return t
    end
    local t = keep()
    collectgarbage()
    collectgarbage()
    assert.are.same({ 1, 2, 3, 4 }, t:totable())
  end)

  it("reads its text from a file", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(add)
    file:close()
    local m = ma.RawModule { path = path }
    os.remove(path)
    assert.are.equal(add, m.code)
    local x, z = ma.ones(3, "float32"), ma.zeros(3, "float32")
    m:get_function("my_add")(1, 3, { x, x, z, 3 })
    assert.are.same({ 2, 2, 2 }, z:totable())
  end)
end)
