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

  it("generic_filter gives a function the elements of windows", function()
    local nd = ma.ndimage
    local x = ((ma.arange(12 * 13) * 7919) % 101):reshape(12, 13)
    x:eval()
    local function least(w) return w:min(-1) end
    for _, mode in ipairs { "reflect", "constant", "nearest", "mirror", "wrap" } do
      local options = { size = { 3, 4 }, mode = mode, cval = 7, origin = { 1, -1 } }
      ma.testing.assert_array_equal(nd.generic_filter(x, least, options), nd.minimum_filter(x, options))
    end
    local cross = { { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 0 } }
    ma.testing.assert_array_equal(nd.generic_filter(x, least, { footprint = cross }),
      nd.minimum_filter(x, { footprint = cross }))
    ma.testing.assert_array_equal(nd.generic_filter(x, least, 3, { axes = 2 }), nd.minimum_filter(x, 3, { axes = 2 }))
    local order
    nd.generic_filter(x["1:2, 1:2"], function(w, more)
      order = more
      assert.same({ 2, 2, 4 }, { w:dims() })
      assert.equal("float64", w.dtype)
      ma.testing.assert_array_equal(w[{ 2, 2 }], x["1:2, 1:2"]:ravel():astype("float64"))
      return w:sum(-1)
    end, 2, { extra_arguments = { "more" } })
    assert.equal("more", order)
    assert.equal(0, nd.generic_filter(ma.zeros({ 0, 3 }), least, 3).size)
  end)

  it("generic_filter keeps no function, nor an object that the function is of and reads", function()
    local x, alive = ma.arange(12):reshape(3, 4), setmetatable({}, { __mode = "k" })
    local function filter()
      local object = { rate = 2 }
      alive[object] = true
      local function scaled(v) return v * object.rate end
      function object.branches(w) return w[1] > object.rate and scaled(w[1]) or w[2] end
      function object.loops(w)
        local v = w[1]
        while v > object.rate do v = v - 1 end
        return scaled(v) + math.sqrt(object.rate)
      end
      for rate = 1, 3 do
        object.rate = rate
        ma.ndimage.generic_filter(x, object.branches, 3)
        ma.ndimage.generic_filter(x, object.loops, 3)
      end
    end
    for _ = 1, 6 do filter() end
    for _ = 1, 4 do collectgarbage() end
    local count = 0
    for _ in pairs(alive) do count = count + 1 end
    assert.is_true(count <= 1, count)                          -- the last one may still lie on the stack
  end)

  it("generic_filter makes a kernel of a function of one window", function()
    local nd, x = ma.ndimage, ((ma.arange(12 * 13) * 7919) % 101):reshape(12, 13)
    x:eval()
    local function spread(w, factor)
      local low, high = w[1], w[1]
      for k = 2, #w do
        if w[k] < low then low = w[k] end
        if w[k] > high then high = w[k] end
      end
      return factor * (high - low)
    end
    for _, mode in ipairs { "reflect", "constant", "nearest", "mirror", "wrap" } do
      local options = { size = { 3, 4 }, mode = mode, cval = 7, origin = { 1, -1 } }
      local wanted = 2 * (nd.maximum_filter(x, options) - nd.minimum_filter(x, options))
      options.extra_arguments = { 2 }
      ma.testing.assert_array_equal(nd.generic_filter(x, spread, options), wanted)
    end
    local out = ma.zeros({ 13, 12 }, "float32").T
    assert.equal(out, nd.generic_filter(x, "function(w) return w[1] - w[#w] / 4 end",
      { footprint = { { 0, 1, 0 }, { 1, 0, 1 }, { 0, 1, 0 } }, output = out, mode = "wrap" }))
    ma.testing.assert_array_equal(out, (ma.roll(x, 1, { axis = 1 }) - ma.roll(x, -1, { axis = 1 }) / 4):astype(
      "float32"))
    assert.equal(0, nd.generic_filter(ma.zeros({ 0, 3 }), spread, 3, { extra_arguments = { 1 } }).size)
    local on_cpu = ma.device("cpu")
    assert.matches("moonarray.ndimage.generic_filter: position 5 on axis 1 at line %d+, .-; wanted 1..4",
      fails(on_cpu.with, on_cpu, nd.generic_filter, ma.numpy.ones({ 3, 3 }), function(w)
        return w[#w + 1]
      end, 2))
  end)

  it("generic_filter refuses array code that indexes the stack of windows, whatever the shape of the image", function()
    for _, shape in ipairs { { 9, 9 }, { 9 }, { 3, 9 }, { 1, 9 } } do
      assert.matches("the function gave .-; wanted an array of shape", fails(ma.ndimage.generic_filter,
        ma.random.rand(unpack(shape)), function(w)
          return w[1] + #tostring(9)
        end, #shape == 1 and 9 or 3))
    end
    local x = ma.random.rand(9, 9)
    assert(ma.allclose(ma.ndimage.uniform_filter(x, 3), ma.ndimage.generic_filter(x, function(w)
      return #tostring(9) * w:mean(-1)
    end, 3)))
  end)

  it("generic_filter says why a function is neither a kernel nor array code", function()
    local x = ma.ones({ 3, 4 })
    local function unknown(w)
      return tostring(w[1]) and 7
    end
    assert.matches("the function gave the number 7; wanted an array of shape %(3, 4%), or a function that can be a "
      .. "kernel, which it is not: .-'tostring' is not available in a kernel",
      fails(ma.ndimage.generic_filter, x, unknown, 3))
    assert.matches("attempt to call .-called with an array, because it is no kernel: .-'nothing' is not available",
      fails(ma.ndimage.generic_filter, x, function(w)
        return nothing(w)                        -- luacheck: ignore 113
      end, 3))
    assert.matches("'nothing' is not available in a kernel",
      fails(ma.ndimage.generic_filter, x, "function(w) return nothing(w) end", 3))
    assert.matches("a window of 4225 elements; wanted at most 4096",
      fails(ma.ndimage.generic_filter, x, "function(w) return w[1] end", 65))
  end)

  it("generic_filter takes kernels that reduce", function()
    local x = ((ma.arange(12 * 13) * 7919) % 101):reshape(12, 13):astype("float32")
    x:eval()
    local wanted = ma.ndimage.maximum_filter(x, 3)
    if pcall(ma.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", "0", "largest"), x) then
      local kernel = ma.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", "0", "largest")
      ma.testing.assert_array_equal(ma.ndimage.generic_filter(x, kernel, 3), wanted)
      local jit = ma.jit.reductionkernel { reduce = function(a, b) return a > b and a or b end, identity = 0 }
      ma.testing.assert_array_equal(ma.ndimage.generic_filter(x, jit, 3), wanted)
    end
  end)

  it("generic_filter1d gives a function whole lines", function()
    local x = ((ma.arange(12 * 13) * 7919) % 101):reshape(12, 13):astype("float64")
    x:eval()
    for axis = 1, 2 do
      local got = ma.ndimage.generic_filter1d(x, function(lines)
        local n = lines.shape[2] - 3
        return lines[{ {}, { 1, n } }] + 2 * lines[{ {}, { 4, n + 3 } }]
      end, 4, { axis = axis, mode = "wrap" })
      ma.testing.assert_array_equal(got, ma.ndimage.correlate1d(x, { 1, 0, 0, 2 }, axis, { mode = "wrap" }))
    end
    local function weigh(line, out, factor)
      for k = 1, #out do out[k] = line[k] + factor * line[k + 3] end
    end
    for axis = 1, 2 do
      local got = ma.ndimage.generic_filter1d(x, weigh, 4, { axis = axis, mode = "wrap", extra_arguments = { 2 },
        output = "float32" })
      assert.equal("float32", got.dtype)
      ma.testing.assert_array_equal(got, ma.ndimage.correlate1d(x, { 1, 0, 0, 2 }, axis,
        { mode = "wrap", output = "float32" }))
    end
    assert.matches("moonarray.ndimage.generic_filter1d: the function gave .-; wanted an array of shape %(12, 13%)",
      fails(ma.ndimage.generic_filter1d, x, function(lines) return lines end, 3))
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
