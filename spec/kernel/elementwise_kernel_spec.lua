-- ma.ElementwiseKernel: CuPy's documented kernels, every dtype, layouts, outputs, options and what must be refused.

local helper = require "spec.helper"
local ma = helper.ma

local function same(a, b, what)
  assert.are.equal(b.dtype, a.dtype, what)
  assert.is_true(ma.array_equal(a, b), what)
end

--- Runs fn, which must fail with a message that has `text` in it.
local function refused(text, fn, ...)
  local ok, message = pcall(fn, ...)
  assert.is_false(ok, "no error; wanted " .. text)
  assert.truthy(tostring(message):find(text, 1, true), message)
end

local has_compiler, why = pcall(function()
  return ma.ElementwiseKernel("float32 x", "float32 y", "y = x", "probe")(ma.ones(3, "float32"))
end)

describe("ElementwiseKernel", function()
  if not has_compiler then
    pending("needs a compiler: " .. tostring(why))
    return
  end

  it("runs squared_diff in its three degrees of genericity", function()
    local x, y = ma.arange(10, "float32"):reshape(2, 5), ma.arange(5, "float32")
    local want = (x - y) * (x - y)
    local typed = ma.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    same(typed(x, y), want)
    same(typed(x, 5), (x - 5) * (x - 5))
    local one = ma.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff_generic")
    same(one(x, y), want)
    same(one(x:astype "int64", 3), (x:astype "int64" - 3) ^ 2)
    local several = ma.ElementwiseKernel("X x, Y y", "Z z", "z = (x - y) * (x - y)", "squared_diff_super_generic")
    local z = ma.empty({ 2, 5 }, "float64")
    assert.are.equal(z, several(x:astype "int32", y, z))
    same(z, want:astype "float64")
    refused("no argument says what Z is", several, x, y)
  end)

  it("takes long as the system's compilers do: of 32 bits on Windows, else of 64", function()
    local long = jit and jit.os == "Windows" and "int32" or "int64"
    local k = ma.ElementwiseKernel("long x, unsigned long int y, unsigned long long int z", "long int w, long bytes",
      "w = x + (long)(y + z); bytes = sizeof(long)", "longs")
    local w, bytes = k(ma.arange(3, long), ma.ones(3, "u" .. long), ma.ones(3, "uint64"))
    same(w, ma.array({ 2, 3, 4 }, long))
    same(bytes, ma.full(3, w.itemsize, long))
    refused("wanted " .. long, k, ma.ones(3, "float32"), 1, 1)
  end)

  it("reads raw arrays, the index and the number of elements", function()
    local x, y = ma.arange(6, "float32"), ma.arange(6, "float32") * 10
    local reverse = ma.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[n - i - 1]", "add_reverse")
    same(reverse(x, y), x + y["::-1"])
    same(reverse(x, y["::-1"]), x + y)
    local size = ma.ElementwiseKernel("raw T x", "T y", "y = x[_ind.size() - i - 1]", "turned")
    same(size(x, { size = 6 }), x["::-1"])
    refused("size", size, x)
    local at = ma.ElementwiseKernel("raw T x", "int64 y", "y = (int64)x(i % 2, 1) + x.shape()[1]", "places")
    same(at(ma.arange(6, "int32"):reshape(2, 3).T, { size = 2 }), ma.array({ 5, 6 }, "int64"))
    local index = ma.ElementwiseKernel("T x", "int64 y", "y = i", "index_of")
    local wide = ma.zeros({ 70, 90 }, "float32")
    same(index(wide), ma.arange(6300):reshape(70, 90))
    same(index(wide.T), ma.arange(6300):reshape(90, 70))
    same(index(wide["::-2, ::3"]), ma.arange(35 * 30):reshape(35, 30))
  end)

  it("writes raw outputs with atomics", function()
    local count = ma.ElementwiseKernel("int32 x", "raw int32 bins", "atomicAdd(&bins[x], 1)", "count")
    local bins = ma.zeros(4, "int32")
    count(ma.arange(1000, "int32") % 4, bins)
    same(bins, ma.full(4, 250, "int32"))
  end)

  it("has a loop's beginning and end, a preamble and macros", function()
    local k = ma.ElementwiseKernel { in_params = "T x", out_params = "T y", operation = "y = twice(x) + three + N",
      name = "whole",
      preamble = "template <class A> __device__ A twice(A a) { return a + a; } // ends here", loop_prep = "T three = 3",
      after_loop = "(void)three",
      options = { "-DN=10" } }
    local x = ma.arange(100, "float64")
    same(k(x), x * 2 + 13)
    assert.are.equal("whole", k.name)
    assert.are.equal("T x", k.in_params)
    assert.are.equal(1, k.nin)
    assert.truthy(k.cached_code:find("twice(x) + three", 1, true))
  end)

  it("gives several outputs and writes into out", function()
    local k = ma.ElementwiseKernel("T x, T y", "T s, T d", "s = x + y; d = x - y", "sum_and_difference")
    local x, y = ma.arange(12, "float32"):reshape(3, 4), ma.arange(4, "float32")
    local s, d = k(x, y)
    same(s, x + y)
    same(d, x - y)
    local out = ma.empty({ 3, 4 }, "float32")
    local first, second = k(x, y, { out = { nil, out } })
    same(first, x + y)
    assert.are.equal(out, second)
    same(out, x - y)
    local add = ma.ElementwiseKernel("T x", "T y", "y += x", "add_to")
    local acc = y:copy()
    add(y, acc)
    same(acc, y * 2)
    local over = ma.arange(10, "float32")
    ma.ElementwiseKernel("T x", "T y", "y = x * 2", "double_it")(over["1:9"], over["2:10"])
    same(over, ma.array({ 0, 0, 2, 4, 6, 8, 10, 12, 14, 16 }, "float32"))
    assert.is_nil(ma.ElementwiseKernel("T x", "T y", "y = x", "quiet", { no_return = true })(x,
      ma.empty({ 3, 4 }, "float32")))
  end)

  it("ends an element where the body returns, and keeps what is not assigned", function()
    local k = ma.ElementwiseKernel("T x", "T y", "if (x < 3) return; y = x", "from_three")
    local y = ma.full(6, 7, "int32")
    k(ma.arange(6, "int32"), y)
    same(y, ma.array({ 7, 7, 7, 3, 4, 5 }, "int32"))
    same(k(ma.arange(6, "int32")), ma.array({ 0, 0, 0, 3, 4, 5 }, "int32"))
  end)

  it("computes in every dtype", function()
    local k = ma.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "in_every_dtype")
    for _, dtype in ipairs(helper.dtypes) do
      local x, y = (ma.arange(37) % 5):astype(dtype), (ma.arange(37) % 3):astype(dtype)
      if dtype == "bool" then same(k(x, y), x, dtype) else same(k(x, y), x * y + x, dtype) end
    end
    local z = ma.ElementwiseKernel("complex64 z", "float32 r", "r = abs(z) + z.real() + imag(z)", "parts")
    same(z(ma.full(5, ma.complex(3, 4), "complex64")), ma.full(5, 12, "float32"))
  end)

  it("walks any layout as plain operations do", function()
    local random = helper.random(31)
    local k = ma.ElementwiseKernel("T x, T y, T s", "T z", "z = (x + y) * s", "layouts")
    for _ = 1, 12 do
      local dtype = ({ "float32", "float64", "int16", "int8" })[random(1, 4)]
      local h, w = random(1, 90), random(1, 90)
      local base = (ma.arange(h * w) % 50):astype(dtype):reshape(h, w)
      local views = { base, base["::-1, :"], (ma.arange(h * w) % 20):astype(dtype):reshape(w, h).T, base["1:1, :"],
        base[":, 1:1"],
        ma.zeros({ h, 2 * w }, dtype)[":, ::2"] }
      local x, y = views[random(1, 6)], views[random(1, 6)]
      same(k(x, y, 3), (x + y) * 3, ("%s %dx%d seed %d"):format(dtype, h, w, helper.seed))
    end
    same(k(ma.zeros({ 0, 3 }), 1, 2), ma.zeros({ 0, 3 }))
    same(k(ma.full({}, 4), 1, 2), ma.full({}, 10))
    local big = ma.arange(300000, "float32")
    same(k(big, 1, 2, { block_size = 128 }), (big + 1) * 2)
  end)

  it("refuses what does not fit the parameters", function()
    local k = ma.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x + y", "typed_sum")
    local x = ma.ones(4, "float32")
    refused("y is float64; wanted float32", k, x, ma.ones(4))
    refused("no argument 'y'", k, x)
    refused("arguments", k, x, x, x, x, x, x, x, x, x)
    refused("broadcast", k, x, ma.ones(3, "float32"))
    refused("out of shape", k, x, x, ma.ones(1, "float32"))
    refused("z is int32", k, x, x, ma.ones(4, "int32"))
    refused("z is given twice", k, x, x, x, { out = x })
    refused("block_size", k, x, x, { block_size = 33 })
    refused("no option 'sizes'", k, x, x, { sizes = 3 })
    refused("300 does not fit", ma.ElementwiseKernel("T x, T y", "T z", "z = x + y", "small"), ma.ones(2, "uint8"), 300)
    refused("moonarray.typed_sum", k, x, "a")
    refused("declared T", ma.ElementwiseKernel("T x, T y", "T z", "z = x + y", "twins"), x, ma.ones(4))
  end)

  it("refuses hostile names and lists", function()
    local make = ma.ElementwiseKernel
    for list, text in pairs {
      ["T 3x"] = "its name", ["T"] = "wanted a type and a name", ["T x,, T y"] = "empty place",
      ["T x, U x"] = "two parameters are called 'x'",
      ["T _x"] = "start with _", ["T i"] = "reserved", ["T n"] = "reserved", ["T class"] = "reserved",
      ["float33! x"] = "no type",
      ["T x;}"] = "its name", ["T T"] = "both", ["raw raw T x"] = "type", ["T x\"\n#include </etc/passwd>"] =
      "parameter",
    } do
      if list == "T T" then text = "'T' is the name of a parameter and a type" end
      refused(text, make, list, "float32 z", "z = 1", "k")
    end
    refused("no output", make, "T x", "", "", "k")
    for _, name in ipairs { "a b", "1k", "../../x", "k\"", "", "class", ("k"):rep(40) } do
      refused("name is", make, "T x", "T z", "z = x", name)
    end
    refused("zero byte", make, "T x", "T z", "z = x\0", "k")
    refused("options", make, "T x", "T z", "z = x", "k", { options = 3 })
    refused("option '-o/tmp/x'", make, "T x", "T z", "z = x", "k", { options = { "-o/tmp/x" } })
    refused("no argument 'operations'", make, { in_params = "T x", out_params = "T y", operations = "y = x" })
    local many = {}
    for k = 1, 30 do many[k] = "T x" .. k end
    refused("more than", make, table.concat(many, ", "), "T z", "z = x1", "k")
  end)

  it("shows a compiler's errors against the user's lines", function()
    local bad = ma.ElementwiseKernel("T x", "T z", "z = x;\nz = nope;", "bad")
    refused("nope", bad, ma.ones(3))
    refused("bad: operation", bad, ma.ones(3))
    for _, operation in ipairs { "z = x }", "{", "#error no", "z = (", "\"", "/* open", "return 3;",
      "__syncthreads_ever();" } do
      assert.is_false((pcall(ma.ElementwiseKernel("T x", "T z", operation, "malformed"), ma.ones(3))), operation)
    end
    same(ma.ElementwiseKernel("T x", "T z", "z = x // a comment", "commented")(ma.ones(3)), ma.ones(3))
  end)

  it("survives collections between calls", function()
    local x = ma.arange(10, "float32")
    for k = 1, 5 do
      local kernel = ma.ElementwiseKernel("T x", "T z", "z = x + 1", "collected")
      collectgarbage()
      same(kernel(x), x + 1, tostring(k))
    end
  end)
end)
