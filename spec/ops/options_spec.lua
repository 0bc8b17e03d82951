-- Options of functions against NumPy (golden/ops/options.py), and what NumPy has no counterpart for.
local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local run = require "spec.expressions"

local half = { float16 = 2e-3, float32 = 1e-6, complex64 = 1e-6, float64 = 1e-13 }

describe("dtype of positions", function()
  it("is that of NumPy's positions, cast", function() run("positions", "options") end)

  it("is refused where it does not hold every position", function()
    local a = ma.zeros(300)
    assert.matches("positions up to 300; dtype uint8 does not hold them", fails(ma.argmax, a, { dtype = "uint8" }))
    assert.equal(1, ma.argmax(a["1:255"], { dtype = "uint8" }):item())
    assert.matches("positions up to 128; dtype int8", fails(ma.argmin, a["1:128"], { dtype = "int8" }))
    assert.equal(1, ma.argmin(a["1:127"], { dtype = "int8" }):item())
    assert.equal(1, a:reshape(3, 100):argmin(2, { dtype = "int8" })(1))
    assert.matches("dtype float32; positions are integers", fails(ma.argmax, a, { dtype = "float32" }))
    assert.matches("dtype bool; positions are integers", fails(ma.argmax, a, { dtype = "bool" }))
  end)

  it("goes with out and with fused functions", function()
    local a, out = ma.array { { 3, 1 }, { 5, 9 } }, ma.zeros(2, "int16")
    assert.equal(out, a:argmax(2, out, { dtype = "int16" }))
    assert.same({ 1, 2 }, out:totable())
    local f = ma.fuse(function(x) return ma.argmax(x * 2, 2, { dtype = "uint8" }) end)
    assert.equal("uint8", f(a).dtype)
    assert.same({ 1, 2 }, f(a):totable())
    assert.equal("int32", (a * 2 + 1):argmin { dtype = "int32" }.dtype)
  end)
end)

describe("axes of matmul", function()
  it("says where the matrices are", function() run("matmul", "options") end)

  it("goes with out, which has its own", function()
    local a, b, out = ma.arange(6):reshape(2, 3), ma.arange(12):reshape(3, 4), ma.zeros({ 4, 2 }, "int64")
    assert.equal(out, ma.matmul(a, b, out, { axes = { { 1, 2 }, { 1, 2 }, { 2, 1 } } }))
    assert.is_true(ma.array_equal(out, ma.matmul(a, b).T))
    local inner = ma.zeros({}, "int64")
    ma.matmul(a["1, :"], a["2, :"], inner, { axes = { 1, 1 } })
    assert.equal(14, inner:item())
  end)

  it("is refused where it does not fit", function()
    local a = ma.ones { 3, 3 }
    local function axes(...) return fails(ma.matmul, a, a, { axes = { ... } }) end
    assert.matches("axes%[1%] is .-; wanted a table of 2 axes", axes({ 1 }, { 1, 2 }, { 1, 2 }))
    assert.matches("axes%[2%] is .-; wanted a table of 2 axes", axes({ 1, 2 }, 1, { 1, 2 }))
    assert.matches("axes%[3%] names axis 2 twice", axes({ 1, 2 }, { 1, 2 }, { 2, -1 }))
    assert.matches("axes of 2 operands; wanted those of both and of the result", axes({ 1, 2 }, { 1, 2 }))
    assert.matches("axis 3", axes({ 1, 3 }, { 1, 2 }, { 1, 2 }))
    assert.matches("axes is the number 1", fails(ma.matmul, a, a, { axes = 1 }))
    assert.matches("0%-d", fails(ma.matmul, ma.array(1), a, { axes = { {}, { 1, 2 }, {} } }))
  end)
end)

describe("widths of pad by axis", function()
  it("are NumPy's", function() run("pad", "options") end)

  it("are checked", function()
    local a = ma.ones { 2, 2 }
    assert.matches("axis 2 twice in pad_width", fails(ma.pad, a, { [2] = 1, [-1] = 1 }))
    assert.matches("axis 3 of an array of 2 axes", fails(ma.pad, a, { [3] = 1 }))
    assert.matches("pad_width of axis 2 is", fails(ma.pad, a, { [2] = { 1 } }))
    assert.matches("whole numbers from 0 on", fails(ma.pad, a, { [2] = { 1, -1 } }))
  end)
end)

describe("dtypes of folds", function()
  it("are the ufunc's own", function() run("folds", "options", half) end)
end)

describe("results that follow NumPy's dtypes", function()
  it("are NumPy's", function()
    run("dtypes", "options", { float16 = 4e-3, float32 = 2e-6, complex64 = 2e-6, float64 = 1e-13 })
  end)

  it("are errors where NumPy has none", function()
    local b = ma.array { true, false }
    assert.matches("1 decimals of bool", fails(ma.round, b, 1))
    assert.matches("bool elements, which have no differences", fails(ma.gradient, b))
    assert.matches("bool elements, which have no differences", fails(ma.ediff1d, b["1:1"]))
    assert.matches("dtype float64; .- gives bool", fails(ma.logical_or.reduce, b, { dtype = "float64" }))
    assert.matches("dtype int64; .- gives bool", fails(ma.logical_and.accumulate, b, { dtype = "int64" }))
    assert.matches("dtype int64; .- gives bool", fails(ma.logical_and.reduceat, b, { 1 }, { dtype = "int64" }))
    assert.matches("a 0%-d array; add.accumulate needs an axis", fails(ma.add.accumulate, ma.array(1)))
    assert.matches("a 0%-d array", fails(ma.sort_complex, ma.array(1)))
    assert.matches("two names of one argument", fails(ma.clip, b, 0, 1, { min = 0 }))
  end)
end)

describe("trim_zeros", function()
  it("trims axes as NumPy does", function() run("borders", "options") end)
  it("checks trim", function() assert.matches("'x' for trim", fails(ma.trim_zeros, { 1 }, "x")) end)
end)

describe("nanvar and nanstd", function()
  it("are nan where ddof leaves nothing", function() run("spread", "options") end)

  it("write that to out", function()
    local out = ma.zeros(2)
    assert.equal(out, ma.nanvar(ma.array { { 1, 2 }, { 3, 0 / 0 } }, 1, { ddof = 1, out = out }))
    assert.equal(2, out(1))
    assert.is_true(out(2) ~= out(2))
  end)
end)

describe("the array API's device options", function()
  it("name where a result goes", function()
    local a = ma.arange(3)
    local there = a.device
    assert.equal("float32", a:astype("float32", { device = there }).dtype)
    assert.equal(a, a:astype("int64", { copy = false, device = there }))
    assert.same({ 0, 1, 2 }, a:astype("int8", { device = "cpu" }):totable())
    assert.equal("cpu", a:astype("int8", { device = "cpu" }).device)
    assert.equal("cpu", a:to_device("cpu").device)
    assert.equal(a, a:to_device(there))
    assert.same({ 0, 1, 2 }, a:to_device("cpu", { stream = ma.Stream() }):totable())
    local b = ma.from_dlpack(a:to_dlpack(), { device = "cpu" })
    assert.equal("cpu", b.device)
    assert.same({ 0, 1, 2 }, b:totable())
    local shared = ma.from_dlpack(a, { device = there, copy = false })
    a:iadd(1)
    assert.same({ 1, 2, 3 }, shared:totable())
    if there ~= "cpu" then
      assert.matches("copy = false", fails(ma.from_dlpack, a, { device = "cpu", copy = false }))
    end
  end)
end)

describe("packbits of a view", function()
  it("takes one that begins anywhere in memory", function()
    local b = (ma.arange(200) % 3):eq(0)
    for first = 1, 17 do
      for _, n in ipairs { 8, 16, 64, 13 } do
        local part = b[{ { first, first + n - 1 } }]
        local bytes = ma.packbits(part)
        assert.is_true(ma.array_equal(bytes, ma.packbits(part:astype("int8"))), first)
        assert.is_true(ma.array_equal(part, ma.unpackbits(bytes, { count = n }):astype("bool")), first)
      end
    end
    local rows = b["1:160"]:reshape(10, 16)
    assert.is_true(ma.array_equal(ma.packbits(rows["2:4, :"], 2), ma.packbits(rows, 2)["2:4, :"]))
    assert.is_true(ma.array_equal(ma.packbits(rows[":, 2:9"], 2), ma.packbits(rows[":, 2:9"]:copy(), 2)))
    assert.is_true(ma.array_equal(ma.packbits(rows.T, 1), ma.packbits(rows, 2).T))
    local bytes = ma.arange(100):astype("uint8")
    assert.is_true(ma.array_equal(ma.unpackbits(bytes["4:20"]), ma.unpackbits(bytes)["25:160"]))
    local text = ma.frombuffer(("\1\0\1"):rep(40), 120, "bool")
    assert.is_true(ma.array_equal(ma.packbits(text), ma.packbits(text:copy())))
  end)
end)
