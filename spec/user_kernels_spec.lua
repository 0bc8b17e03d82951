-- The kernels of CuPy's documentation, on the device under test.

local helper = require "spec.helper"
local ma = helper.ma
local random = helper.random(77)

local function numbers(n)
  local list = {}
  for k = 1, n do list[k] = random(-50, 50) / 8 end
  return list
end

describe("l2norm", function()
  local l2norm = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")

  it("is the root of the sum of squares along an axis", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = ma.array(numbers(60)):reshape(3, 4, 5):astype(dtype)
      for axis = 1, 3 do
        local want = ma.sqrt((x:astype("float64") ^ 2):sum(axis))
        local got = l2norm(x, axis)
        assert.equal(dtype, got.dtype)
        assert(ma.allclose(got, want, 1e-6), "axis " .. axis)
        helper.identical(got, l2norm(x, { axis = axis, keepdims = true }):reshape(got.shape), "keepdims")
      end
      assert(ma.allclose(l2norm(x.T, 1), ma.sqrt((x.T:astype("float64") ^ 2):sum(1)), 1e-6))
      assert(math.abs(l2norm(x):item() - math.sqrt((x:astype("float64") ^ 2):sum():item())) < 1e-4)
    end
  end)

  it("of integers is an integer, as their type says", function()
    assert.equal(5, l2norm(ma.array({ 3, 4 }, "int64")):item())
  end)
end)
