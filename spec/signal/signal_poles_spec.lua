-- ma.signal.place_poles: SciPy's gains (spec/golden/signal/poles.py), and the eigenvalues that they give.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

-- A machine without LAPACK places no poles.
local has_lapack, why = pcall(function() return ma.numpy.linalg.eigvals(ma.numpy.ones({ 2, 2 })) end)

local function doubles(text, ...)
  local bytes = helper.unhex(text, 8)
  return helper.array(bytes, "float64", { #bytes / 8 }):get():reshape(...)
end

describe("place_poles:", function()
  it("the gains are SciPy's, and give the poles", function()
    if not has_lapack then return pending(tostring(why)) end
    for k, r in ipairs(helper.golden("poles")) do
      local n, m = tonumber(r[2]), tonumber(r[3])
      local A, B, parts, gain = doubles(r[4], n, n), doubles(r[5], n, m), doubles(r[6], n, 2), doubles(r[7], m, n)
      local poles = parts[":, 1"] + parts[":, 2"] * ma.complex(0, 1)
      local f = ma.signal.place_poles(A, B, poles, { method = r[1] })
      assert.equal("cpu", f.gain_matrix.device)
      ma.testing.assert_allclose(f.gain_matrix, gain, { rtol = 1e-6, atol = 1e-8, err_msg = "case " .. k })
      ma.testing.assert_allclose(f.computed_poles, f.requested_poles, { rtol = 1e-6, atol = 1e-8 })
      if r[8] ~= "nan" then assert.equal(tonumber(r[8]), f.nb_iter) end
      local closed = (A - B:matmul(f.gain_matrix)):astype("complex128")
      if r[8] ~= "nan" then            -- the eigenvectors are those of the closed loop
        ma.testing.assert_allclose(closed:matmul(f.X), f.X * f.requested_poles, { rtol = 1e-6, atol = 1e-8 })
      end
    end
  end)

  it("places equal poles, as often as there are inputs", function()
    if not has_lapack then return pending(tostring(why)) end
    local A = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 2, 3 } }
    local f = ma.signal.place_poles(A, { { 1, 0 }, { 0, 0 }, { 0, 1 } }, { -1, -1, -2 })
    ma.testing.assert_allclose(f.computed_poles, f.requested_poles, { rtol = 1e-6 })
  end)

  it("says what is wrong", function()
    if not has_lapack then return pending(tostring(why)) end
    local function said(text, ...)
      assert.matches("moonarray.signal.place_poles: " .. text, fails(ma.signal.place_poles, ...))
    end
    local A, B, i = { { 0, 1 }, { 1, 0 } }, { { 0 }, { 1 } }, ma.complex(0, 1)
    said("A is .- and B is .-; wanted a square matrix", { { 1, 2 } }, B, { 1, 2 })
    said("poles is .-; wanted a vector of 2", A, B, { 1 })
    said("a pole 2 times; wanted it at most 1 times, the rank of B", A, B, { -1, -1 })
    said("a complex pole without its conjugate", A, B, { i, -2 })
    said("method is .-; wanted \"YT\" or \"KNV0\"", A, B, { -1, -2 }, "XY")
    said("complex poles with \"KNV0\"", A, B, { i, -i }, "KNV0")
    said("A is .-; wanted a real matrix", { 1, 2 }, B, { -1, -2 })
  end)
end)
