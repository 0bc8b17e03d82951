-- Questions about dtypes: limits, families, casts, the smallest dtype of a number. The tables are NumPy's answers.

local helper = require "spec.helper"
local ma = helper.ma

describe("questions about dtypes", function()
  it("tell an integer dtype's limits", function()
    for dtype, limits in pairs { int8 = { 8, -128, 127 }, uint8 = { 8, 0, 255 },
      int32 = { 32, -2147483648, 2147483647 }, uint32 = { 32, 0, 4294967295 } } do
      local info = ma.iinfo(dtype)
      assert.same(limits, { info.bits, info.min, info.max }, dtype)
      assert.equal(dtype, info.dtype)
    end
    assert.equal("9223372036854775807LL", tostring(ma.iinfo("int64").max))
    assert.equal("18446744073709551615ULL", tostring(ma.iinfo(ma.zeros(1, "uint64")).max))
    assert.matches("float32; an integer dtype", helper.fails(ma.iinfo, "float32"))
  end)

  it("tell a float dtype's limits", function()
    local f = ma.finfo("float32")
    assert.same({ 32, 2 ^ -23, 2 ^ -24, 3.4028234663852886e38, 2 ^ -126, 2 ^ -149, 6, 23, 8 },
      { f.bits, f.eps, f.epsneg, f.max, f.tiny, f.smallest_subnormal, f.precision, f.nmant, f.nexp })
    assert.equal(65504, ma.finfo("float16").max)
    assert.equal(1.7976931348623157e308, ma.finfo("float64").max)
    assert.equal(2 ^ -1074, ma.finfo("float64").smallest_subnormal)
    assert.equal(2 ^ -7, ma.finfo("bfloat16").eps)
    assert.equal("float32", ma.finfo("complex64").dtype)
    assert.matches("int8; a float or complex dtype", helper.fails(ma.finfo, "int8"))
  end)

  it("find the smallest dtype of a number", function()
    for _, case in ipairs { { 0, "uint8" }, { 255, "uint8" }, { 256, "uint16" }, { 65536, "uint32" },
      { 2 ^ 40, "uint64" }, { -1, "int8" },
      { -129, "int16" }, { -2 ^ 31, "int32" }, { -2 ^ 31 - 1, "int64" }, { 0.1, "float16" }, { 1e5 + 0.5, "float32" },
      { 1.5e39, "float64" },
      { 0 / 0, "float16" }, { ma.complex(1, 2), "complex64" }, { ma.complex(1e300, 0), "complex128" } } do
      assert.equal(case[2], ma.min_scalar_type(case[1]), tostring(case[1]))
    end
    assert.equal("float32", ma.min_scalar_type(ma.ones(2, "float32")))
  end)

  it("know families and casts", function()
    for _, case in ipairs { { "int8", "integer", true }, { "int8", "signedinteger", true },
      { "uint8", "signedinteger", false },
      { "bool", "number", false }, { "float16", "inexact", true }, { "complex64", "floating", false },
      { "float32", "float32", true },
      { "float32", "float64", false } } do
      assert.equal(case[3], ma.issubdtype(case[1], case[2]), case[1] .. " " .. case[2])
    end
    assert.is_true(ma.isdtype("uint16", "integral"))
    assert.is_true(ma.can_cast("int32", "float64"))
    assert.is_false(ma.can_cast("int64", "int32"))
    assert.is_true(ma.can_cast("int64", "int32", "same_kind"))
    assert.is_false(ma.can_cast("float32", "int32", "same_kind"))
    assert.is_true(ma.can_cast("float32", "int32", "unsafe"))
    assert.is_false(ma.can_cast("float32", "float64", "equiv"))
    assert.matches("casting", helper.fails(ma.can_cast, "int8", "int8", "sure"))
  end)

  it("name the dtype of an operation", function()
    assert.equal("int32", ma.result_type(ma.zeros(1, "int32"), 2))
    assert.equal("float64", ma.result_type(ma.zeros(1, "int32"), 2.5))
    assert.equal("float32", ma.result_type("float32", 2.5))
    assert.equal("complex64", ma.result_type("float32", ma.complex(0, 1)))
    assert.equal("int64", ma.result_type(1, 2))
    assert.equal("int16", ma.result_type("int8", "uint8", 1))
    assert.equal("float64", ma.promote_types("int64", "float32"))
    assert.equal("float32", ma.result_type("int8", "uint16", "float16"))
    assert.equal("float16", ma.result_type("uint8", "int8", "float16"))
    assert.equal("complex64", ma.result_type("int16", "uint16", "complex64", 2.5))
    assert.matches("no argument", helper.fails(ma.result_type))
    assert.matches("float23", helper.fails(ma.promote_types, "float23", "int8"))
  end)

  it("name the same dtype whatever the order of several", function()
    local dtypes = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
      "bfloat16", "float32", "float64",
      "complex64", "complex128" }
    for _, a in ipairs(dtypes) do
      for _, b in ipairs(dtypes) do
        for _, c in ipairs(dtypes) do
          assert.equal(ma.result_type(a, b, c), ma.result_type(c, a, b), a .. " " .. b .. " " .. c)
        end
      end
    end
  end)

  it("is that of what several arrays are joined or computed to", function()
    local a, b, c = ma.ones(2, "int8"), ma.ones(2, "uint16"), ma.ones(2, "float16")
    assert.equal("float32", ma.concatenate({ a, b, c }).dtype)
    assert.equal("float32", ma.stack({ a, b, c }).dtype)
    assert.equal("float32", ma.clip(a, b, c).dtype)
    assert.equal("float32", ma.choose({ 1, 3 }, { a, b, c }).dtype)
    assert.equal("float32", ma.einsum("i,i,i", a, b, c).dtype)
  end)
end)
