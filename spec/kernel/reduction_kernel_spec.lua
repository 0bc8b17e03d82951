-- ma.ReductionKernel: CuPy's kernels, every walk against built-in reductions or a plain loop, both devices the same,
-- errors.

local helper = require "spec.helper"
local ma = helper.ma

local function compiler()
  return helper.device ~= "cpu"
    or pcall(function() return ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(ma.ones(3)):item() end)
end

local function fails(pattern, fn)
  local ok, message = pcall(fn)
  assert(not ok, "no error; wanted one that says " .. pattern)
  assert(tostring(message):find(pattern), ("%s; wanted %s"):format(message, pattern))
end

local function near(a, b, relative)
  assert(helper.shape(a) == helper.shape(b), ("shape %s; wanted %s"):format(helper.shape(a), helper.shape(b)))
  local d = ma.abs(a:astype("float64") - b:astype("float64"))
  local bound = ma.abs(b:astype("float64")) * (relative or 1e-6) + 1e-30
  assert(ma.all(d:le(bound)), ("%s; wanted %s"):format(tostring(a), tostring(b)))
end

local function equal(a, b)
  assert(a.dtype == b.dtype, ("dtype %s; wanted %s"):format(a.dtype, b.dtype))
  assert(ma.array_equal(a, b), ("%s; wanted %s"):format(tostring(a), tostring(b)))
end

local function random(shape, dtype)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  local values = {}
  for k = 1, n do values[k] = (k * 7919 % 1009 - 500) / 64 end
  local a = n > 0 and ma.array(values, "float64") or ma.zeros(0)
  return a:astype(dtype or "float32"):reshape(shape)
end

if not compiler() then
  pending("no C++ compiler")
  return
end

local l2norm = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
local my_sum = ma.ReductionKernel("T x", "T out", "x", "a + b", "out = a", "0", "my_sum")
local sum64 = ma.ReductionKernel("T x", "float64 y", "x", "a + b", "y = a", "0", "sum64")
local largest = ma.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", nil, "largest")
local position = [[
template <class T> struct best {
  T value;
  ptrdiff_t index;
  __device__ best() : value(0), index(-1) {}
  __device__ best(T v, ptrdiff_t i) : value(v), index(i) {}
};
template <class T> __device__ best<T> my_max(const best<T> &a, const best<T> &b) {
  if (a.value == b.value) return a.index < b.index ? a : b;
  return a.value > b.value ? a : b;
}
]]
local argmax = ma.ReductionKernel("T x", "int64 y", "best<T>(x, i)", "my_max(a, b)", "y = a.index + 1", "best<T>()",
  "my_argmax",
  { reduce_type = "best<T>", preamble = position })

describe("CuPy's kernels:", function()
  it("l2norm along an axis", function()
    local x = ma.arange(10, "float32"):reshape({ 2, 5 })
    near(l2norm(x, 2), ma.array({ 5.477226, 15.9687195 }, "float32"))
    near(l2norm(x, { axis = 1, keepdims = true }), ma.sqrt((x * x):sum(1, { keepdims = true })))
    near(l2norm(x), ma.sqrt((x * x):sum()))
    assert(l2norm(x).ndim == 0)
  end)

  it("a struct of the preamble as the reduce type", function()
    for _, shape in ipairs({ { 1 }, { 7 }, { 1000 }, { 5000 }, { 300000 }, { 40, 300 }, { 300, 40 } }) do
      local x = random(shape)
      equal(argmax(x), ma.argmax(x))
      if #shape == 2 then
        local rows = argmax(x, 2)
        local want = ma.argmax(x, 2)
        local at = ma.arange(shape[1]) * shape[2]
        equal(rows - at, want)
      end
    end
  end)

  it("several inputs, scalars, several outputs", function()
    local k = ma.ReductionKernel("T x, T y, float32 scale", "T z", "x * y * scale", "a + b", "z = a", "0", "scaled_dot")
    local x, y = random({ 20, 30 }), random({ 30 })
    near(k(x, y, 2, 2), (x * y):sum(2) * 2, 1e-5)
    near(k(x, y, 2.5), (x * y):sum() * 2.5, 1e-5)
    local two = ma.ReductionKernel("T x", "T s, float64 q", "pair{x, x * x}", "(pair{a.s + b.s, a.q + b.q})",
      "s = a.s; q = a.q", "pair{0, 0}", "two",
      { reduce_type = "pair", preamble = "struct pair { double s, q; };" })
    local s, q = two(x, 1)
    assert(s.dtype == "float32" and q.dtype == "float64")
    near(s, x:sum(1))
    near(q, (x:astype("float64") * x:astype("float64")):sum(1))
    local out = { ma.zeros(30, "float32"), ma.zeros(30, "float64") }
    local s2, q2 = two(x, 1, { out = out })
    assert(rawequal(s2, out[1]) and rawequal(q2, out[2]))
    equal(s2, s)
    equal(q2, q)
  end)

  it("raw inputs, i and n", function()
    local k = ma.ReductionKernel("T x, raw T w", "T y", "x * w[i % w.size()] + (i == n - 1 ? 1000 : 0)", "a + b",
      "y = a", "0", "weighted")
    local x, w = random({ 6, 50 }, "float64"), random({ 50 }, "float64")
    near(k(x, w), (x * w):sum() + 1000, 1e-12)
    near(k(x, w, 2)["1:5"], (x * w):sum(2)["1:5"], 1e-12)
    near(k(x, w["::-1"]), (x * w["::-1"]):sum() + 1000, 1e-12)
    local index = ma.ReductionKernel("T x", "int64 y", "i", "a + b", "y = a", "0", "indices")
    local n = ma.arange(600):reshape({ 4, 5, 30 })
    for _, axis in ipairs({ 1, 2, 3, { 1, 3 }, { 1, 2 }, { 2, 3 } }) do
      equal(index(n, axis), n:sum(axis))
      equal(index(n["::-1, :, ::-1"], axis), n:sum(axis))
    end
  end)

  it("raw inputs by positions along their axes, contiguous or not", function()
    local k = ma.ReductionKernel("int64 k, raw T m", "T y", "m(k, 1) * m.shape()[0]", "a + b", "y = a", "0", "column")
    local m = random({ 6, 3 }, "float64")
    for _, each in ipairs({ m, m.T:copy().T }) do near(k(ma.arange(6), each), m[":, 2"]:sum() * 6, 1e-12) end
  end)
end)

describe("walks:", function()
  local shapes = { { 1 }, { 2 }, { 7 }, { 1000 }, { 5000 }, { 1000003 }, { 3, 5, 7 }, { 700, 10 }, { 1500, 70 },
    { 9000, 37 }, { 5, 2000 }, { 6, 250, 20 }, { 40000, 3 } }
  it("the bits of built-in sums, whatever the layout", function()
    for _, shape in ipairs(shapes) do
      local x = random(shape, "float64")
      local axes = #shape == 1 and { 1 } or #shape == 2 and { 1, 2, { 1, 2 } }
        or { 1, 2, 3, { 1, 3 }, { 2, 3 }, -1, { -1, -3 } }
      for _, axis in ipairs(axes) do
        equal(my_sum(x, axis), x:sum(axis))
        equal(my_sum(x, { axis = axis, keepdims = true }), x:sum(axis, { keepdims = true }))
        equal(largest(x, axis), x:max(axis))
        equal(my_sum(ma.flip(x), axis), ma.flip(x):sum(axis))
        if #shape > 1 and x.size < 100000 then
          local t = x:transpose()
          local wide = ma.broadcast_to(x,
            (function() local s = { 2 } for _, n in ipairs(shape) do s[#s + 1] = n end return s end)())
          equal(my_sum(t, axis), t:sum(axis))
          equal(my_sum(wide), wide:sum())
        end
      end
    end
  end)

  it("dtypes", function()
    for _, dtype in ipairs({ "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
      "float64" }) do
      local x = ma.abs(random({ 30, 200 }, "float64")):astype(dtype)
      equal(sum64(x, 2), x:sum(2, "float64"))
      equal(largest(x, 1), x:max(1))
    end
    for _, dtype in ipairs({ "float16", "bfloat16" }) do
      local x = random({ 300, 20 }, dtype)
      equal(largest(x, 1), x:max(1))
      local k = ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "half_sum", { reduce_type = "float32" })
      near(k(x, 2), x:sum(2), 1e-2)
    end
    for _, dtype in ipairs({ "complex64", "complex128" }) do
      local x = ma.complex(1, 0.5) * random({ 30, 200 }, dtype)
      local got, want = my_sum(x:astype(dtype), 2), x:astype(dtype):sum(2)
      assert(got.dtype == dtype and ma.allclose(got, want, 1e-4))
    end
    local b = random({ 1000 }):gt(0)
    local count = ma.ReductionKernel("bool_ x", "int64 y", "x", "a + b", "y = a", "0", "how_many")
    assert(count(b):item() == ma.count_nonzero(b):item())
    local any = ma.ReductionKernel("T x", "bool_ y", "x != 0", "a || b", "y = a", "false", "my_any")
    assert(any(ma.zeros({ 50 })):item() == false and any(ma.ones({ 50 })):item() == true)
  end)

  it("a reduction that does not commute keeps the order of C", function()
    local compose = ma.ReductionKernel("int64 x", "int64 y", "line{2 * x + 1, x}", "(line{b.m * a.m, b.m * a.c + b.c})",
      "y = a.m * 1000003 + a.c",
      "line{1, 0}", "compose", { reduce_type = "line", preamble = "struct line { long long m, c; };" })
    local x = ma.arange(13 * 11):reshape({ 13, 11 })
    local got = compose(x, 1):totable()
    for j = 1, 11 do
      local m, c = ma.array(1, "int64"), ma.array(0, "int64")
      for i = 0, 12 do
        local v = i * 11 + j - 1
        m, c = m * (2 * v + 1), c * (2 * v + 1) + v
      end
      assert(got[j] == (m * 1000003 + c):item())
    end
    for _, size in ipairs({ 130, 1025, 5000, 70000 }) do
      local y = ma.arange(size)
      equal(compose(y), compose(y:get():to(y.device)))
      equal(compose(y:reshape({ 1, size }), 2):reshape({}), compose(y))
      equal(compose(ma.stack({ y, y }, 2), 1)[{ 1 }] and compose(ma.stack({ y, y }, 2), 1)["1:1"]:reshape({}),
        compose(y))
    end
  end)

  it("nothing: the identity, or an error without one", function()
    local x = ma.zeros({ 0, 3 })
    equal(my_sum(x, 1), ma.zeros({ 3 }))
    assert(my_sum(x, 2).size == 0)
    equal(l2norm(ma.zeros({ 3, 0 }), { axis = 2, keepdims = true }), ma.zeros({ 3, 1 }))
    fails("no elements to reduce", function() return largest(x, 1) end)
    assert(largest(x, 2).size == 0)
    assert(argmax(ma.zeros({ 0 })):item() == 0)
    local product = ma.ReductionKernel("T x", "T y", "x", "a * b", "y = a", 1, "product")
    assert(product(ma.zeros({ 0 })):item() == 1)
  end)

  it("no axes, 0-d, out, overlap", function()
    local x = random({ 4, 5 }, "float64")
    equal(my_sum(x, { axis = {} }), x)
    equal(my_sum(ma.array(3.5)), ma.array(3.5))
    local out = ma.full({ 4 }, -1)
    assert(rawequal(my_sum(x, 2, { out = out }), out))
    equal(out, x:sum(2))
    local want = x:sum(2)
    equal(my_sum(x, 2, { stream = ma.Stream.null }), want)
    my_sum(x, 2, { out = x[":, 2"] })
    equal(x[":, 2"], want)
  end)

  it("both devices give the same bits", function()
    if helper.device == "cpu" then return end
    for _, shape in ipairs(shapes) do
      local x = random(shape)
      equal(my_sum(x):get(), my_sum(x:get()))
      equal(l2norm(x, 1):get(), l2norm(x:get(), 1))
    end
  end)

  it("the mean of CuPy's documentation: _in_ind.size() / _out_ind.size()", function()
    local mean = ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0",
      "my_mean")
    for _, shape in ipairs({ { 1 }, { 7 }, { 5000 }, { 300000 }, { 40, 300 }, { 300, 40 }, { 5, 6, 7 },
      { 2, 70000 } }) do
      local x = random(shape, "float64")
      equal(mean(x), x:sum() / x.size)
      for axis = 1, #shape do equal(mean(x, axis), x:sum(axis) / shape[axis]) end
      if #shape == 3 then equal(mean(x, { 1, 3 }), x:sum({ 1, 3 }) / 35) end
    end
    local of_results = ma.ReductionKernel("T x", "int64 y", "_out_ind.size()", "a", "y = a", "0", "results")
    equal(of_results(ma.zeros({ 4, 5 }), 1), ma.full({ 5 }, 5, "int64"))
    equal(of_results(ma.zeros({ 0, 5 }), 1), ma.zeros({ 5 }, "int64"))
  end)

  it("named arguments, ours and CuPy's", function()
    local x = random({ 20 }, "float64")
    local ours = ma.ReductionKernel { in_params = "T x", out_params = "T y", map = "x * x", reduce = "a + b",
      post_map = "y = a", identity = "0" }
    local given = { in_params = "T x", out_params = "T y", map_expr = "x * x", reduce_expr = "a + b",
      post_map_expr = "y = a", identity = "0" }
    equal(ours(x), ma.ReductionKernel(given)(x))
    assert(given.map_expr == "x * x" and given.map == nil)
    given.map = "x"
    fails("moonarray.ReductionKernel: both map and map_expr", function() return ma.ReductionKernel(given) end)
    fails("no argument 'post_map'",
      function() return ma.ReductionKernel { in_params = "T x", out_params = "T y", map = "x", reduce = "a + b" } end)
    fails("no argument 'mapp'",
      function() return ma.ReductionKernel { in_params = "T x", out_params = "T y", mapp = "x", reduce = "a + b" } end)
  end)

  it("options reach the compiler", function()
    local k = ma.ReductionKernel("T x", "T y", "x * FACTOR", "a + b", "y = a", "0", "with_define",
      { options = { "-DFACTOR=3" } })
    assert(k(ma.ones({ 4 })):item() == 12)
  end)
end)

describe("the object:", function()
  it("attributes", function()
    assert(l2norm.name == "l2norm" and tostring(l2norm) == "<ReductionKernel 'l2norm'>")
    assert(l2norm.nin == 1 and l2norm.nout == 1 and l2norm.nargs == 2)
    assert(l2norm.map == "x * x" and l2norm.map_expr == "x * x")
    assert(l2norm.reduce == "a + b" and l2norm.post_map == "y = sqrt(a)")
    l2norm(ma.ones({ 3 }))
    assert(l2norm.cached_code:find("x * x", 1, true))
    fails("no attribute", function() return l2norm.nme end)
  end)

  it("refuses what it cannot use", function()
    local R = ma.ReductionKernel
    fails("identifier", function() return R("T x", "T y", "x", "a + b", "y = a", "0", "a b") end)
    fails("identifier", function() return R("T x", "T y", "x", "a + b", "y = a", "0", 'x"; int y') end)
    fails("identifier", function() return R("T x", "T y", "x", "a + b", "y = a", "0", "../../tmp/x") end)
    fails("option", function() return R("T x", "T y", "x", "a + b", "y = a", "0", "k",
      { options = { "-o", "/tmp/x" } }) end)
    fails("option", function() return R("T x", "T y", "x", "a + b", "y = a", "0", "k",
      { options = { "-DN(x)=1" } }) end)
    fails("wanted", function() return R("T x;", "T y", "x", "a + b", "y = a", "0") end)
    fails("text", function() return R("T x", "T y", 3, "a + b", "y = a", "0") end)
    fails("zero byte", function() return R("T x", "T y", "x\0y", "a + b", "y = a", "0") end)
    fails("out_params is empty", function() return R("T x", "", "x", "a + b", "y = a", "0") end)
    fails("no array to walk", function() return R("raw T x", "T y", "x", "a + b", "y = a", "0") end)
    fails("raw", function() return R("T x", "raw T y", "x", "a + b", "y = a", "0") end)
    fails("called 'a'", function() return R("T x", "T a", "x", "a + b", "a = a", "0") end)
    fails("x", function() return my_sum() end)
    fails("arguments", function() return my_sum(ma.ones(3), 1, true, nil, nil, 7) end)
    fails("axis", function() return my_sum(ma.ones(3), 2) end)
    fails("float32", function() return R("float64 x", "T y", "x", "a + b", "y = a", "0")(ma.ones(3, "float32")) end)
    fails("float64", function() return my_sum(ma.ones({ 3 }), { out = ma.zeros({}, "float32") }) end)
    fails("shape", function() return my_sum(ma.ones({ 3, 4 }), 1, { out = ma.zeros({ 3 }) }) end)
    fails("array", function() return my_sum(3) end)
    fails("keepdims", function() return my_sum(ma.ones(3), { keepdim = true }) end)
  end)

  it("shows the user's lines when a text is malformed", function()
    local R = ma.ReductionKernel
    local x = ma.ones({ 3 })
    fails("nonsense", function() return R("T x", "T y", "x +\n nonsense", "a + b", "y = a", "0", "bad_map")(x) end)
    fails("bad_reduce", function() return R("T x", "T y", "x", "a + ", "y = a", "0", "bad_reduce")(x) end)
    fails("bad_post", function() return R("T x", "T y", "x", "a + b", "y = = a", "0", "bad_post")(x) end)
    fails("bad_identity", function() return R("T x", "T y", "x", "a + b", "y = a", "0)(", "bad_identity")(x) end)
    fails("bad_type",
      function() return R("T x", "T y", "x", "a + b", "y = a", "0", "bad_type", { reduce_type = "none_such" })(x) end)
  end)
end)
