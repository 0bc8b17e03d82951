-- What NumPy refuses is refused here: numbers that do not fit, shapes that do not go together. A wrong answer in
-- silence is the worst.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

local half, most = 0x8000000000000000ULL, 0xffffffffffffffffULL       -- 2^63 and 2^64 - 1

local function refused(pattern, f, ...)
  local message = fails(f, ...)
  assert(message:find(pattern, 1, true), message)
end

describe("a number beyond int64", function()
  local narrow = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32" }

  it("is refused by every integer dtype but uint64, wherever a number goes into an array", function()
    local ways = {
      full = function(x, v) return ma.full({ 1 }, v, x.dtype) end,
      full_like = function(x, v) return ma.full_like(x, v) end,
      array = function(x, v) return ma.array({ v }, x.dtype) end,
      asarray = function(x, v) return ma.asarray(v, x.dtype) end,
      cast = function(x, v) return ma[x.dtype](v) end,
      position = function(x, v) x[1] = v end,
      mask = function(x, v) x[x:eq(1)] = v end,
      all = function(x, v) x[{}] = { v, v } end,
      fill = function(x, v) x:fill(v) end,
      put = function(x, v) x:put({ 1 }, v) end,
      put_along_axis = function(x, v) ma.put_along_axis(x, ma.index { 1 }, v, 1) end,
      insert = function(x, v) return ma.insert(x, 1, v) end,
      copyto = function(x, v) return ma.copyto(x, v) end,
      iadd = function(x, v) x:iadd(v) end,
      iadd_at = function(x, v) x:iadd_at(ma.index { 1 }, v) end,
      add = function(x, v) return x + v end,
      maximum = function(x, v) return ma.maximum(x, v) end,
      where = function(x, v) return ma.where(x:eq(1), x, v) end,
      clip = function(x, v) return ma.clip(x, 0, v) end,
      initial = function(x, v) return ma.max(x, { initial = v }) end,
      fuse = function(x, v) return ma.fuse(function(y, w) return y + w end)(x, v) end,
      kernel = function(x, v) return ma.ElementwiseKernel("T x, T y", "T z", "z = x", "wide")(x, v) end,
    }
    local failures = helper.failures()
    for name, way in pairs(ways) do
      for _, dtype in ipairs(narrow) do
        for _, value in ipairs { half, most } do
          failures:run(name .. " " .. dtype, refused, "does not fit", way, ma.ones({ 2 }, dtype), value)
        end
      end
      failures:run(name .. " uint64", way, ma.ones({ 2 }, "uint64"), most)
    end
    failures:check()
  end)

  it("is a whole number beside arrays: it keeps their dtype where it fits", function()
    assert.equal("float32", (ma.ones({ 1 }, "float32") + most).dtype)
    assert.equal("uint64", (ma.ones({ 1 }, "uint64") + most).dtype)
    assert.equal(0, (ma.ones({ 1 }, "uint64") + most)(1))
    assert.equal(half + 1, ma.add(half, 1))
    for _, dtype in ipairs(narrow) do
      assert.is_true(ma.less(ma.ones({ 1 }, dtype), half)(1))
      assert.is_false(ma.equal(ma.full({ 1 }, dtype:find("^u") and 1 or -1, dtype), most)(1))
    end
    assert.equal("uint64", ma.array({ half, 1LL }).dtype)
    assert.equal("float64", ma.array({ half, -1LL }).dtype)
  end)

  it("bounds a sequence of uint64", function()
    local a = ma.arange(half - 1, half + 3)
    assert.equal("uint64", a.dtype)
    assert.equal(half - 1, a(1))
    assert.equal(half + 2, a(4))
    assert.equal(2, ma.range(most - 1, most).size)
    assert.equal(most, ma.range(most - 1, most)(2))
    assert.equal("float64", ma.arange(half, half + 2, 1, "float64").dtype)
    refused("uint64", ma.arange, half, half + 3, 1, "int64")
    refused("does not fit", ma.arange, 0, 301, 300, "int8")
    refused("does not fit", ma.arange, -1, 1, 1, "uint8")
    refused("does not fit", ma.range, 1, -129, -130, "int8")
  end)
end)

describe("what does not go together is an error:", function()
  it("vectors of different lengths in vecdot", function()
    refused("3 and 1", ma.vecdot, ma.ones { 3 }, ma.ones { 1 })
    refused("3 and 1", ma.vecdot, ma.ones { 2, 3 }, ma.ones { 2, 1 })
    refused("3 and 2", ma.vecdot, ma.ones { 3, 2 }, ma.ones { 2, 3, 2 }, 1)
    refused("axis", ma.vecdot, ma.ones {}, ma.ones { 3 })
    refused("3 and 1", ma.linalg.vecdot, ma.ones { 3 }, ma.ones { 1 })
  end)

  it("a result of einsum without the axes of '...'", function()
    refused("'...'", ma.einsum, "...j->j", ma.ones { 2, 3 })
    refused("'...'", ma.einsum, "...j,j->j", ma.ones { 2, 3 }, ma.ones { 3 })
    refused("'...'", ma.einsum, "...->", ma.ones { 2, 3 })
    assert.equal(3, ma.einsum("...j->j", ma.ones { 3 }).size)       -- '...' stands for no axis here
  end)

  it("the largest of nothing, though there is no result either", function()
    for _, name in ipairs { "max", "min", "argmax", "argmin" } do
      refused(name:find("^arg") and "empty sequence" or "zero-size", ma[name], ma.zeros { 0, 0 }, 1)
      refused(name:find("^arg") and "empty sequence" or "zero-size", ma[name], ma.zeros { 0, 3, 0 }, 1)
    end
    assert.same({ 0 }, { ma.max(ma.zeros { 0, 3 }, 2):dims() })
  end)

  it("weights of average that are not as many, or add up to 0", function()
    refused("1 weights for 3", ma.average, ma.ones { 2, 3 }, 2, { 1 })
    refused("add up to 0", ma.average, ma.ones { 3 }, nil, { 1, -1, 0 })
    refused("add up to 0", ma.average, ma.ones { 2, 2 }, 2, ma.array { { 1, 1 }, { 0, 0 } })
  end)

  it("a place before the first", function()
    refused("position -4 of 3", ma.insert, ma.arange(3), -4, 1)
    refused("position 5 of 3", ma.insert, ma.arange(3), 5, 1)
    refused("position 4 of 3", ma.delete, ma.arange(3), 4)
    refused("axis -4", ma.rollaxis, ma.ones { 2, 3, 4 }, 1, -4)
    refused("axis 5", ma.rollaxis, ma.ones { 2, 3, 4 }, 1, 5)
  end)
end)

describe("dtype = that a ufunc has no result of", function()
  it("is an error in fused functions and of several results too", function()
    local x = ma.ones({ 2 }, "int8")
    refused('dtype = "int8"', ma.fuse(function(y) return ma.sqrt(y, { dtype = "int8" }) end), x)
    refused('dtype = "float64"', ma.frexp, ma.ones({ 2 }, "float32"), { dtype = "float64" })
    assert.equal("bool", ma.fuse(function(y) return ma.less(y, 3, { dtype = "bool" }) end)(x).dtype)
    assert.equal("bool", ma.less(x, x, { dtype = "bool", casting = "unsafe" }).dtype)
    assert.is_true(ma.less(x, x + 1, { dtype = "bool", casting = "unsafe" })(1))
  end)
end)

describe("isdtype", function()
  it("takes a table of kinds, any of which will do", function()
    assert.is_true(ma.isdtype("int8", { "bool", "integral" }))
    assert.is_false(ma.isdtype("int8", { "bool", "real floating" }))
    assert.is_true(ma.isdtype("int8", { "float32", "int8" }))
    assert.is_false(ma.isdtype("int8", {}))
    refused("no dtype 'bogus'", ma.isdtype, "int8", { "bool", "bogus" })
  end)
end)
