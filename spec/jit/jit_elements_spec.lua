--- ma.jit.elementwisekernel and ma.jit.reductionkernel: kernels over elements out of Lua functions, beside LuaJIT's own
--- results, the library's functions, and the same kernels in C++.

local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit
local fails = helper.fails_with

local function host(a) return a:get():totable() end

local on_cpu = ma.zeros(1).device == "cpu"
local if_checked = (on_cpu or os.getenv "MOONARRAY_CHECK" == "1") and it or pending

local function same(a, b)
  assert.are.equal(b.dtype, a.dtype)
  assert.is_true(ma.array_equal(a, b), ("%s\nand\n%s"):format(tostring(a), tostring(b)))
end

local function random(shape, dtype, seed)
  local x = ma.random.default_rng(seed or 1):uniform(-100, 100, shape)
  return x:astype(dtype or "float64")
end

describe("jit.elementwisekernel", function()
  local branches = function(x, y)
    if x > y then return x - y end
    local s = 0
    for k = 1, 3 do s = s + x * k end
    return s + y % 7
  end

  it("gives what LuaJIT gives, for arguments of any types, broadcast and of any layout", function()
    local k = jit.elementwisekernel(branches)
    local x, y = random({ 30, 1 }, "float64", 1), random({ 40 }, "float64", 2)
    for _, turned in ipairs { false, true } do
      local z = turned and k(ma.broadcast_to(x, { 30, 40 }).T, y["::-1"]:reshape(40, 1)) or k(x, y)
      assert.are.same(turned and { 40, 30 } or { 30, 40 }, { unpack(z.shape) })
      local p, q, r = host(x), host(y), host(z)
      for i = 1, 30 do
        for j = 1, 40 do
          local wanted = branches(p[i][1], q[turned and 41 - j or j])
          assert.are.equal(wanted, turned and r[j][i] or not turned and r[i][j])
        end
      end
    end
    assert.are.equal("int64", k(ma.arange(3), 2).dtype)
    assert.are.equal("float32", jit.elementwisekernel("function(x, y) return x * y end")(ma.ones(3, "float32"),
      0.5).dtype)
    assert.are.equal(0, k(ma.zeros(0), 1).size)
    fails("does not fit uint8", k, ma.ones(2, "uint8"), 300)
  end)

  it("takes declared types, and placeholders that the arguments determine", function()
    local k = jit.elementwisekernel("function(x, y) return x / 2 + y end",
      { in_params = "T x, T y", out_params = "float32 z" })
    assert.are.equal("float32", k(ma.arange(4), 1).dtype)
    assert.are.same({ 1, 1.5, 2, 2.5 }, host(k(ma.arange(4), 1)))
    fails("moonarray.jit.kernel: x is int64 and y is float64; both are declared T", k, ma.arange(2), ma.ones(2))
    local typed = jit.elementwisekernel("function(x) return x * 2 end", { in_params = "int8 x", name = "twice" })
    same(typed(ma.array({ 1, 100, -3 }, "int8")), ma.array({ 2, -56, -6 }, "int8"))
    fails("moonarray.jit.twice: x is int64; wanted int8, as it is declared", typed, ma.arange(2))
    local free = jit.elementwisekernel("function(x) return x + 1 end", { in_params = "X x", out_params = "Z z" })
    local z = ma.empty(3, "float16")
    assert.is_true(rawequal(z, free(ma.arange(3), z)))
    assert.are.same({ 1, 2, 3 }, host(z))
    assert.is_true(rawequal(z, free(ma.arange(3) * 2, { out = z })))
    assert.are.same({ 1, 3, 5 }, host(z))
    fails("no argument says what Z is, the type of 'z'", free, ma.arange(3))
  end)

  it("converts results as everywhere: floats are truncated and held, NaN is 0", function()
    local k = jit.elementwisekernel("function(x) return x end", { in_params = "float64 x", out_params = "int8 y" })
    assert.are.same({ 127, -128, 0, -2 }, host(k(ma.array { 1e9, -1e9, 0 / 0, -2.9 })))
    local b = jit.elementwisekernel("function(x) return x > 1, x end",
      { in_params = "T x", out_params = "bool y, bool z" })
    local y, z = b(ma.array { 0, 0.5, 2 })
    assert.are.same({ false, false, true }, host(y))
    assert.are.same({ false, true, true }, host(z))
  end)

  it("reads whole arrays from 1 on, in any memory order", function()
    local k = jit.elementwisekernel([[function(x, m)
      local r = m[jit.grid(1)]
      return x + r[2] * m.shape[2] + #m + jit.gridsize(1) + m[{1, 1}]
    end]], { in_params = "T x, raw M m" })
    local x, m = ma.arange(3), ma.arange(12):reshape(3, 4)
    local turned = m.T:copy().T
    for _, each in ipairs { m, turned, m["::-1, ::-1"]["::-1, ::-1"], m:astype("float32"), m:astype("uint8") } do
      assert.are.same({ 1 * 4 + 6, 5 * 4 + 7, 9 * 4 + 8 }, host(k(x, each)))
    end
    local one = jit.elementwisekernel("function(x, v) return v[#v + 1 - x] end", { in_params = "int64 x, raw T v" })
    for _, dtype in ipairs { "bool", "int8", "uint64", "float16", "bfloat16", "float32", "float64", "complex64" } do
      local v = (ma.arange(5) % 2):astype(dtype)
      same(one(ma.range(1, 5), v), v["::-1"]:copy())
      same(one(ma.range(1, 3), v["::2"]), v["::-2"]:copy())
    end
    assert.are.same({ 7 }, host(one(ma.ones(1, "int64"), ma.array(7.0))))
    fails("m is a number; wanted an array, since it is raw", k, x, 3)
  end)

  it("writes raw outputs, at places of its own and by atomics, and none of its inputs", function()
    local count = jit.elementwisekernel("function(x, h) jit.atomic_add(h, x, 1) end",
      { in_params = "int64 x", out_params = "raw int32 h" })
    local h = ma.zeros(10, "int32")
    count(ma.arange(1000) % 10 + 1, h)
    assert.are.same({ 100, 100, 100, 100, 100, 100, 100, 100, 100, 100 }, host(h))
    local both = jit.elementwisekernel("function(x, y) y[#y + 1 - jit.grid(1)] = x return -x end",
      { in_params = "T x", out_params = "raw T y, T z" })
    local y, z = ma.zeros(4), ma.zeros(4)
    both(ma.arange(4, "float64"), y, z)
    assert.are.same({ { 3, 2, 1, 0 }, { 0, -1, -2, -3 } }, { host(y), host(z) })
    local _, fresh = both(ma.arange(4, "float64"), y)
    assert.are.same({ 0, -1, -2, -3 }, host(fresh))
    fails("kernel:2: moonarray.jit: x is an input", jit.elementwisekernel("function(x)\n x[1] = 0\nend",
      { in_params = "raw T x", name = "kernel" }), ma.zeros(2), { size = 2 })
  end)

  it("runs as often as size says where all arrays are raw", function()
    local k = jit.elementwisekernel("function(x) local i = 2 * jit.grid(1) return x[i - 1] + x[i] end",
      { in_params = "raw float64 x" })
    assert.are.same({ 1, 5, 9 }, host(k(ma.arange(6, "float64"), { size = 3 })))
    fails("size", k, ma.arange(6, "float64"))
  end)

  if_checked("looks at positions: outside it reads 0, writes nothing, and is an error", function()
    local k = jit.elementwisekernel("function(x, y)\n\n y[x] = jit.grid(1)\nend",
      { in_params = "int64 x", out_params = "raw int64 y", name = "put" })
    local y = ma.zeros(3, "int64")
    fails("moonarray.jit.put: position 4 on axis 1 at line 3", k, ma.array({ 3, 4, 1 }, "int64"), y)
    assert.are.same({ 3, 0, 1 }, host(y))
    k(ma.array({ 1, 2, 3 }, "int64"), y)                         -- the error was told once
    assert.are.same({ 1, 2, 3 }, host(y))
    local sum = jit.reductionkernel { map = "function(x, w)\n return x + w[jit.grid(1)]\nend",
      reduce = "function(a, b) return a + b end", in_params = "T x, raw T w", name = "weighed" }
    fails("moonarray.jit.weighed: position 3 on axis 1 at line 2", sum, ma.ones(3), ma.ones(2))
    assert.are.equal(6, sum(ma.ones(3), ma.ones(3)):item())
    local device = jit.device("function(v, i)\n return v[i]\nend")
    local through = jit.elementwisekernel("function(x, v) return get(v, x) end",
      { in_params = "int64 x, raw T v", constants = { get = device }, name = "through" })
    fails("moonarray.jit.through: position 9 on axis 1 at line 2", through, ma.array({ 9 }, "int64"), ma.ones(2))
  end)

  if_checked("looks at positions in a graph too", function()
    local k = jit.elementwisekernel("function(x, y) y[x] = 5 end",
      { in_params = "int64 x", out_params = "raw int64 y", name = "kept" })
    local x, y, stream = ma.array({ 1, 2 }, "int64"), ma.zeros(2, "int64"), ma.cuda.Stream()
    local graph = stream:with(function()
      stream:begin_capture()
      k(x, y)
      return stream:end_capture()
    end)
    x:assign(ma.array({ 1, 7 }, "int64"))
    fails("moonarray.jit.kept: position 7 on axis 1", function()
      graph:launch(stream)
      stream:synchronize()
    end)
  end)

  it("sees numbers of outside as constants, and their changes", function()
    local factor = 3
    local k = jit.elementwisekernel(function(x) return x * factor end)
    assert.are.same({ 3, 6 }, host(k(ma.array({ 1, 2 }, "int64"))))
    factor = 5
    assert.are.same({ 5, 10 }, host(k(ma.array({ 1, 2 }, "int64"))))
    assert.is_truthy(k.cached_code:find("jit_", 1, true))
  end)

  it("says what is wrong, with the Lua line", function()
    local function made(source, options) return jit.elementwisekernel(source, options) end
    fails("kernel:2: moonarray.jit: 'threadIdx': a function of scalars has no block of threads",
      made "function(x)\n return x + threadIdx.x\nend", ma.ones(2))
    fails("kernel:1: moonarray.jit: 'jit.syncthreads': a function of scalars has no block of threads",
      made "function(x) jit.syncthreads() return x end", ma.ones(2))
    fails("'jit.grid' of 2 axes; elements are numbered along 1", made "function(x) return x + jit.grid(2) end",
      ma.ones(2))
    fails("the function returns 1 values; out_params says 2",
      made("function(x) return x end", { in_params = "T x", out_params = "T y, T z" }), ma.ones(2))
    fails("the function returns nothing", made "function(x) end", ma.ones(2))
    fails("are (y); the function's parameters are (x)", made, "function(x) return x end", { in_params = "T y" })
    fails("parameter \"raw x\" of in_params; wanted a type and a name", made, "function(x) return x end",
      { in_params = "raw x" })
    fails("raw output 'y' behind others", made, "function(y) return 1 end", { out_params = "T z, raw T y" })
    fails("no option 'types'", made, "function(x) return x end", { types = 1 })
    fails("0 arguments; wanted 1: x", made "function(x) return x end")
    fails("argument 1 (x) is nil", made "function(x) return x end", nil)
    fails("2 outputs are given; it has 1", made("function(x) return x end", { in_params = "T x", out_params = "T y" }),
      ma.ones(2), ma.ones(2), ma.ones(2))
    fails("no option 'sise'", made "function(x) return x end", ma.ones(2), { sise = 2 })
    fails("a function without parameters", made, "function() return 1 end")
  end)
end)

describe("jit.reductionkernel", function()
  local function add(a, b) return a + b end
  local l2norm = jit.reductionkernel {
    map = function(x) return x * x end,
    reduce = add,
    post = function(a) return math.sqrt(a) end,
    identity = 0,
    name = "l2norm",
  }
  local in_c = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")

  it("has the bits of the kernel in C++", function()
    for _, dtype in ipairs { "float32", "float64" } do
      for _, shape in ipairs { { 1 }, { 7 }, { 1000 }, { 300000 }, { 40, 300 }, { 5, 6, 7 } } do
        local x = random(shape, dtype)
        same(l2norm(x), in_c(x))
        for axis = 1, #shape do
          same(l2norm(x, axis), in_c(x, axis))
          same(l2norm(x.T, axis, { keepdims = true }), in_c(x.T, axis, { keepdims = true }))
        end
      end
    end
    assert.are.equal(0, l2norm(ma.zeros(0)):item())
    local out = ma.zeros(5)
    assert.is_true(rawequal(out, l2norm(ma.ones { 5, 4 }, 2, { out = out })))
    assert.are.same({ 2, 2, 2, 2, 2 }, host(out))
  end)

  it("combines several values at once", function()
    local largest = jit.reductionkernel {
      map = function(x) return x, jit.grid(1) end,
      reduce = function(a, i, b, j)
        if b > a or b == a and j < i then return b, j end
        return a, i
      end,
      identity = { -math.huge, 0 },
    }
    for _, shape in ipairs { { 1 }, { 1000 }, { 100003 } } do
      local x = random(shape, "float64")
      local value, at = largest(x)
      same(value, x:max())
      same(at, ma.argmax(x))
    end
    local x = random({ 30, 50 }, "float32")
    same((largest(x, 2)), x:max(2))
    local _, at = largest(ma.zeros(0))
    assert.are.equal(0, at:item())
    local welford = jit.reductionkernel {
      map = "function(x) return 1, x, x * 0.0 end",
      reduce = [[function(n, m, s, k, q, t)
        local both, d = n + k, q - m
        return both, m + d * k / both, s + t + d * d * n * k / both
      end]],
      post = function(n, m, s) return m, s / n end,
    }
    local mean, var = welford(x:astype("float64"), 1)
    assert.is_true(ma.allclose(mean, x:astype("float64"):mean(1)) and ma.allclose(var, x:astype("float64"):var(1)))
  end)

  it("says in post how many elements there were, and gives several results", function()
    local mean = jit.reductionkernel { reduce = add, post = function(a, n) return a / n, n end, identity = 0 }
    local m, n = mean(ma.arange(6):reshape(2, 3), 2)
    assert.are.same({ { 1, 4 }, { 3, 3 } }, { host(m), host(n) })
    assert.are.equal("int64", n.dtype)
  end)

  it("combines in the types that map gives, that reduce widens, or that are named", function()
    local function sum(options)
      options.reduce = add
      return jit.reductionkernel(options)
    end
    assert.are.equal("int8", sum({})(ma.ones(300, "int8")).dtype)
    assert.are.equal(300 - 256, sum({})(ma.ones(300, "int8")):item())
    local wide = sum { reduce_type = "int64", in_params = "T x", out_params = "int64 y" }
    assert.are.equal(300, wide(ma.ones(300, "int8")):item())
    same(sum({ reduce_type = "float64", in_params = "float32 x", out_params = "float32 y" })(ma.ones(3, "float32")),
      ma.array(3, "float32"))
    local grows = jit.reductionkernel { reduce = "function(a, b) return a * 0.5 + b * 0.5 end" }
    assert.are.equal("float64", grows(ma.ones(4, "int32")).dtype)
    local all = jit.reductionkernel { map = "function(x) return x > 0 end",
      reduce = "function(a, b) return a and b end", identity = true }
    assert.are.equal(true, all(ma.ones(5)):item())
    assert.are.equal(false, all(ma.array { 1, 0, 2 }):item())
    for _, dtype in ipairs { "float16", "bfloat16", "complex64", "complex128", "uint64" } do
      assert.are.equal(dtype, sum({})(ma.ones(4, dtype)).dtype)
      assert.is_true(ma.allclose(sum({})(ma.ones(4, dtype)):astype("complex128"), 4))
    end
  end)

  it("takes several inputs, numbers and whole arrays of any axes", function()
    local dot = jit.reductionkernel { map = "function(x, y, s) return x * y * s end", reduce = add }
    local x, y = random({ 20, 30 }), random({ 30 }, "float64", 2)
    assert.is_true(ma.allclose(dot(x, y, 2, 2), (x * y * 2):sum(2)))
    local look = jit.reductionkernel {
      map = function(i, table_) return table_[i][2] * #table_ end,
      reduce = add,
      in_params = "int64 i, raw T table_",
    }
    local m = random({ 6, 3 })
    local wanted = (m[":, 2"] * 6):sum()
    for _, each in ipairs { m, m.T:copy().T } do
      assert.is_true(ma.allclose(look(ma.range(1, 6), each), wanted))
    end
  end)

  it("says what is wrong, with the Lua line", function()
    local function made(options)
      options.name = "k"
      return jit.reductionkernel(options)
    end
    fails("no reduce; wanted a function of two values", made, {})
    fails("'reduce' has 1 parameters", made, { reduce = "function(a) return a end" })
    fails("k:2: moonarray.jit: 'pairs' is not available", made { reduce = "function(a, b)\n return pairs(a)\nend" },
      ma.ones(2))
    fails("k:1: moonarray.jit: 'reduce' returns 2 values; wanted 1",
      made { reduce = "function(a, b) return a, b end" }, ma.ones(2))
    fails("'jit.grid' in 'reduce', which is not of one element",
      made { reduce = "function(a, b) return a + jit.grid(1) end" }, ma.ones(2))
    fails("the identity 0.5 does not fit int64", made { reduce = add, identity = 0.5 }, ma.ones(2, "int64"))
    fails("2 identities; wanted 1", made { reduce = add, identity = { 0, 1 } }, ma.ones(2))
    fails("'post' has 3 parameters; wanted 1", made { reduce = add, post = "function(a, b, c) return a end" },
      ma.ones(2))
    fails("no elements to reduce", made { reduce = add }, ma.zeros(0))
    fails("reduce_type is the string 'float31'", made, { reduce = add, reduce_type = "float31" })
    fails("'map' gives float64 and 'reduce' bool", made { reduce = "function(a, b) return a < b end" }, ma.ones(2))
    fails("output 'y' is raw", made, { reduce = add, map = "function(x, y) return x end", out_params = "raw T y" })
    fails("wanted a table with reduce", jit.reductionkernel, "function(a, b) return a end")
  end)

  it("finds functions that stand on one line by their names", function()
    local k = jit.reductionkernel { map = function(x) return -x end, reduce = function(a, b) return a + b end }
    assert.are.equal(-3, k(ma.ones(3)):item())
  end)
end)
