-- ma.ndimage: filters that are made of functions of the user's, and the checks of arguments.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

describe("ndimage:", function()
  local function second(input, axis, output, _, _, factor)
    local n = input.shape[axis]
    local d = ma.diff(input, 2, axis) * (factor or 1)
    local widths = {}
    for k = 1, input.ndim do widths[k] = { 0, 0 } end
    widths[axis] = { 1, n > 1 and 1 or 0 }
    return ma.pad(d, widths):astype(output)
  end

  it("generic_laplace adds up the function's results along the axes", function()
    local x = (ma.arange(12) * 5 % 7):reshape(3, 4)
    local wanted = second(x, 1, "int64") + second(x, 2, "int64")
    ma.testing.assert_array_equal(ma.ndimage.generic_laplace(x, second), wanted)
    ma.testing.assert_array_equal(ma.ndimage.generic_laplace(x, second, { axes = 2 }), second(x, 2, "int64"))
    ma.testing.assert_array_equal(ma.ndimage.generic_laplace(x, second, { extra_arguments = { 3 } }), wanted * 3)
    ma.testing.assert_array_equal(ma.ndimage.generic_laplace(x, second, { axes = {} }), x)
    local out = ma.zeros({ 3, 4 }, "float32")
    assert.equal(out, ma.ndimage.generic_laplace(x, second, out))
    ma.testing.assert_array_equal(out, wanted:astype("float32"))
  end)

  it("generic_gradient_magnitude is the root of the sum of squares", function()
    local x = (ma.arange(12) * 5 % 7):reshape(3, 4) / 2
    local a, b = second(x, 1, "float64"), second(x, 2, "float64")
    ma.testing.assert_array_equal(ma.ndimage.generic_gradient_magnitude(x, second), ma.sqrt(a * a + b * b))
  end)

  it("says what is wrong with arguments", function()
    local laplace, x = ma.ndimage.generic_laplace, ma.ones({ 3, 4 })
    assert.matches("moonarray.ndimage.generic_laplace: input is a boolean .true.; wanted an array",
      fails(laplace, true, second))
    assert.matches("derivative2 is .-; wanted a function", fails(laplace, x, "x"))
    assert.matches("mode is \"mirrored\"; wanted \"reflect\"", fails(laplace, x, second, { mode = "mirrored" }))
    assert.matches("3 modes; wanted one, or one for each of 2 axes",
      fails(laplace, x, second, { mode = { "wrap", "wrap", "wrap" } }))
    assert.matches("axis 3 of an array of 2 axes", fails(laplace, x, second, { axes = { 1, 3 } }))
    assert.matches("axis 2 twice in axes", fails(laplace, x, second, { axes = { 2, -1 } }))
    assert.matches("output is .-wanted the shape %(3, 4%)", fails(laplace, x, second, ma.ones(3)))
    assert.matches("the function gave .-; wanted an array of input's shape",
      fails(laplace, x, function() return 1 end))
  end)
end)
