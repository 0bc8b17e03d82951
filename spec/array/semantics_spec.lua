-- What NumPy answers where one could answer otherwise: narrow dtypes, nothing at all, infinities.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

describe("NumPy's answer", function()
  it("is given, in values, shapes and dtypes", function() run "semantics" end)
end)

describe("mean, var and std in a dtype of whole numbers", function()
  it("write into out", function()
    local out = ma.zeros({ 3 }, "int64")
    assert.equal(out, ma.mean(ma.array { { 1, 2, 4 }, { 2, 3, 9 } }, 1, { dtype = "int32", out = out }))
    assert.same({ 1, 2, 6 }, out:totable())
    fails(ma.mean, ma.ones { 2, 3 }, 1, { dtype = "int32", out = ma.zeros(4) })
  end)

  it("is refused where NaN may be", function()
    for _, name in ipairs { "nanmean", "nanvar", "nanstd" } do
      assert.matches("where NaN may be", fails(ma[name], ma.ones(3), { dtype = "int32" }), 1, true)
    end
  end)
end)

describe("a mask without elements", function()
  it("writes nothing, and must fit where it has an extent", function()
    local a = ma.ones { 2, 3 }
    a[ma.zeros({ 0, 3 }, "bool")] = 7
    a[ma.zeros({ 0 }, "bool")] = 7
    assert.equal(6, a:sum():item())
    assert.matches("a mask of shape (0, 5)", fails(function() return a[ma.zeros({ 0, 5 }, "bool")] end), 1, true)
    assert.matches("a mask of shape (5, 0)", fails(function() a[ma.zeros({ 5, 0 }, "bool")] = 1 end), 1, true)
  end)
end)

describe("a NaN", function()
  it("has no sign where Lua has it, and prints without one", function()
    local negative = ma.copysign(ma.array { ma.nan, ma.nan }, -1)
    assert.is_true(ma.signbit(negative):all())
    assert.equal("nan", tostring(negative(1)))
    assert.equal("nan", tostring(negative:totable()[1]))
    assert.equal("nan", tostring(negative:astype("float32"):totable()[2]))
    assert.equal("nan", tostring(ma.complex(-(0 / 0), 1).re))
    assert.equal("nan", tostring(ma.nan))
    for _, dtype in ipairs { "float16", "float32", "float64" } do
      assert.is_false(ma.signbit(ma.full(2, 0 / 0, dtype)):any())
      assert.is_false(ma.signbit(ma.array({ 0 / 0, -(0 / 0) }, dtype)):any())
    end
    assert.is_false(ma.signbit(ma.array(ma.complex(0 / 0, -(0 / 0))).imag):any())
  end)
end)

describe("the array API's options:", function()
  it("frequencies take a float dtype", function()
    for _, name in ipairs { "fftfreq", "rfftfreq" } do
      local call = ma.fft[name]
      assert.equal("float64", call(5).dtype)
      local f = call(5, 0.5, { dtype = "float32" })
      assert.equal("float32", f.dtype)
      assert.is_true(ma.array_equal(f, call(5, 0.5):astype("float32")))
      assert.matches("a float dtype", fails(call, 5, { dtype = "int32" }), 1, true)
    end
  end)

  it("unstack takes its axis by position", function()
    assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, (function(...)
      local list = { ... }
      for k = 1, #list do list[k] = list[k]:totable() end
      return list
    end)(ma.unstack(ma.arange(6):reshape(2, 3), 2)))
  end)
end)

describe("matmul in a dtype", function()
  it("computes in it, where same_kind casting reaches it", function()
    local a, b = ma.full({ 2, 2 }, 100, "int8"), ma.full({ 2, 2 }, 2, "int8")
    local wide = ma.matmul(a, b, { dtype = "int32" })
    assert.equal("int32", wide.dtype)
    assert.same({ { 400, 400 }, { 400, 400 } }, wide:totable())
    assert.equal("float64", ma.matmul(a, b, { dtype = "float64" }).dtype)
    assert.matches("same_kind", fails(ma.matmul, ma.ones { 2, 2 }, b, { dtype = "int8" }), 1, true)
  end)
end)
