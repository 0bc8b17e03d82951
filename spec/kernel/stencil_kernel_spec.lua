-- ma.stencil of ma.jit.device functions: kernels that branch on elements, beside stencils that are programs.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

describe("a stencil of a device function", function()
  it("gives what the same function gives as a program, at every edge", function()
    local function rule(u, v) return u(0, 0) + 0.5 * (u(-1, 2) - v(1, 0)), v(0, -1) * 2 end
    local u, v = (ma.arange(35) * 11 % 17):reshape(5, 7):astype("float32"), ma.ones({ 7, 5 }, "float32").T
    local translated = ma.jit.device(rule)
    for _, boundary in ipairs { "constant", "nearest", "leave", { "wrap", "mirror" } } do
      local options = { boundary = boundary, value = 3, out = 2 }
      local a, b = ma.stencil(translated, options)(u, v)
      local wanted_a, wanted_b = ma.stencil(rule, options)(u, v)
      assert.equal(wanted_a.dtype, a.dtype)
      ma.testing.assert_array_equal(a, wanted_a)
      ma.testing.assert_array_equal(b, wanted_b)
    end
    local out = { ma.zeros({ 7, 5 }, "float64").T, ma.zeros { 5, 7 } }
    local s = ma.stencil(translated, { out = 2 })
    assert.equal(out[1], (s(u, v, { out = out })))
    ma.testing.assert_array_equal(out[1], (s(u, v)):astype("float64"))
  end)

  it("branches on elements, step after step", function()
    local limit = 2
    local life = ma.stencil(ma.jit.device(function(u)
      local n = 0
      n = n + u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1)
      if n == limit + 1 or (n == limit and u(0, 0) == 1) then return 1 end
      return 0
    end), { boundary = "wrap" })
    local glider = ma.zeros({ 8, 9 }, "uint8")
    glider["1, 2"], glider["2, 3"], glider["3, 1:3"] = 1, 1, 1
    local after = life:run(glider, { steps = 4 })
    assert.equal("uint8", after.dtype)
    ma.testing.assert_array_equal(after, ma.roll(glider, { 1, 1 }, { axis = { 1, 2 } }))
    limit = 7
    assert.equal(0, life(glider):sum():item())                 -- an upvalue is looked at in each call
    assert.equal(0, life(ma.zeros({ 0, 3 }, "uint8")).size)
  end)

  it("says what is wrong", function()
    local function of(source, ...) return fails(ma.stencil(ma.jit.device(source)), ...) end
    local x = ma.ones(3)
    assert.matches("offset 1 of 'u'; wanted a constant whole number from %-4096 to 4096",
      of("function(u) return u(0.5) end", x))
    assert.matches("a neighbour by 2 offsets of a field of 1 axes", of("function(u) return u(0, 0) end", x))
    assert.matches("a position of 'u', a field of a stencil; wanted offsets", of("function(u) return u[1] end", x))
    assert.matches("the function returns 2 values; wanted out = 1", of("function(u) return u(0), u(1) end", x))
    assert.matches("2 fields; wanted 1: u", of("function(u) return u(0) end", x, x))
    assert.matches("field 2 has shape .-; wanted", of("function(u, v) return u(0) + v(0) end", x, ma.ones(4)))
    assert.matches("fields of 4 axes; wanted 1 to 3",
      of("function(u) return u(0, 0, 0, 0) end", ma.ones { 1, 1, 1, 1 }))
  end)
end)
