-- Derivatives of functions that are complex within: by the real and imaginary parts of complex numbers.

local ma = require "moonarray"
local core = require "moonarray.core"
local helper = require "spec.helper"
local check = ma.testing.check_grad

local function array(list) return ma.array(list, "float64") end
local function matrix() return array { { 0.3, -1.2, 0.8, 0.5 }, { 1.5, 0.4, -0.6, 0.9 } } end
local function other() return array { { -0.7, 0.2, 1.1, -0.4 }, { 0.6, -0.9, 0.5, 1.3 } } end
local function complex(x, y) return x + y * ma.complex(0, 1) end

assert(ma.grad)                                                    -- which loads what core.derivative is

describe("derivatives at complex values", function()
  it("are those of each analytic row", function()
    local failures, seen = helper.failures(), 0
    for op = 0, math.huge do
      local word, name, n = core.derivative(op)
      if not word then break end
      local call = core.operation(name)
      for k = 1, (word == "analytic" or word == "parted") and name ~= "where" and n or 0 do
        seen = seen + 1
        failures:run(name .. " by operand " .. k, function()
          check(function(x, y)
            local operands = { complex(y, x * 0.5), complex(x - 2, y) }
            operands[k] = complex(x, y)
            return call(nil, nil, nil, unpack(operands, 1, n))
          end, { array { 0.3, -1.2, 0.8 }, array { -0.7, 0.4, 1.1 } })
        end)
      end
    end
    failures:check()
    assert(seen > 40, seen)
  end)

  it("are those of numbers and real operands beside complex ones", function()
    check(function(x, y)
      local z = complex(x, y)
      return z * x, x / z, 2 * z - y, z * ma.complex(0.5, 2), ma.where(x:gt(0), z, y), z ^ 2
    end, { matrix(), other() })
  end)

  it("are those of parts, views, joins, sums and products", function()
    check(function(x, y)
      local z = complex(x, y)
      return ma.real(z) * y, ma.imag(z) ^ 2, ma.abs(z), ma.angle(z), ma.conj(z) * z, z.T["2:3"] * z.T["1:2"]
    end, { matrix(), other() })
    check(function(x, y)
      local z = complex(x, y)
      return z:sum(1), z:mean(), z:cumsum(2), ma.concatenate({ z, x }, 1), ma.stack { z, z * 2 }, ma.linalg.norm(z)
    end, { matrix(), other() })
  end)

  -- A pretended GPU has no library of products of complex matrices.
  local multiplies = pcall(function() return ma.matmul(ma.ones({ 2, 2 }, "complex128"), ma.ones { 2, 2 }):totable() end)
  local given = multiplies and it or pending
  given("are those of products of matrices", function()
    check(function(x, y)
      local z = complex(x, y)
      return ma.matmul(z, y.T), ma.matmul(z, ma.conj(z.T)), ma.dot(x, z.T), z[{ 1 }] * 2, ma.einsum("ij,kj->ik", z, z)
    end, { matrix(), other() })
  end)

  it("flow through writes to parts", function()
    check(function(x, y)
      local z = ma.zeros(x.shape, "complex128")
      ma.imag(z):assign(x * y)
      ma.real(z)["1"] = y[2]
      z["2, 2:3"] = complex(y, x)["1, 1:2"]
      return z * z
    end, { matrix(), other() })
  end)

  it("are directions in which a step descends", function()
    local z = ma.array({ 1, 2 }, "complex128") * ma.complex(1, 3)
    local g = ma.grad(function(w) return (ma.abs(w) ^ 2):sum() end)(z)
    assert(ma.allclose(g, 2 * z))
    g = ma.grad(function(w) return ma.imag(w):sum() end)(z)
    assert(ma.allclose(g, ma.array({ 1, 1 }, "complex128") * ma.complex(0, 1)))
  end)

  it("are errors where there are none", function()
    local function why(fn) return select(2, pcall(ma.grad(function(x) return ma.real(fn(x + 0)):sum() end),
      ma.array({ 1, 2 }, "complex128"))) end
    assert.matches("moonarray.sign: has no derivative at complex values", why(ma.sign))
    assert.matches("moonarray.prod: has no derivative at complex values", why(ma.prod))
    assert.matches("moonarray.var: has no derivative at complex values", why(ma.var))
    assert.matches("value_and_grad: the function returns a complex128.*wanted a real number",
      select(2, pcall(ma.value_and_grad(function(x) return x:sum() end), ma.array({ 1, 2 }, "complex128"))))
  end)
end)

-- A pretended GPU has no library of transforms.
local able = pcall(function() return ma.fft.fft(ma.ones(4)) end)

describe("derivatives of Fourier transforms", function()
  local given = able and it or pending

  given("are transforms", function()
    local fft = ma.fft
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      check(function(x, y)
        local z, options = complex(x, y), { norm = norm }
        return fft.fft(z, options), fft.ifft(z, options), fft.fft(x, options), fft.ifft(x, options)
      end, { matrix(), other() })
    end
    check(function(x, y)
      local z = complex(x, y)
      return fft.fft(z, 3), fft.fft(z, 6, 1), fft.fftn(z), fft.ifft2(z), fft.fft2(x), fft.ifftn(y, { 3, 5 })
    end, { matrix(), other() })
  end)

  given("are right where the result or the operand is real", function()
    local fft = ma.fft
    for n = 3, 6 do
      check(function(x, y)
        local z = complex(x, y)
        return fft.rfft(x, n), fft.irfft(z, n), fft.rfft(x, n, 1), fft.irfft2(z, { 2, n }), fft.rfftn(x, { 3, n }),
          fft.hfft(z, n), fft.ihfft(x, n)
      end, { matrix(), other() })
    end
    check(function(x) return fft.irfft(fft.rfft(x) * fft.rfft(x), 4), ma.abs(fft.rfft2(x)) ^ 2, fft.fftshift(x) end,
      { matrix() })
  end)

  given("have derivatives of their own", function()
    local function energy(x) return (ma.abs(ma.fft.rfft(x)) ^ 4):sum() end
    check(function(x) return (ma.grad(energy)(x)) end, { array { 0.3, -1.2, 0.8, 0.5 } })
  end)
end)
