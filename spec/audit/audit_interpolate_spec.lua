-- A random audit of ma.interpolate: spec/golden/audit/audit_interpolate.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"
local I = helper.ma.interpolate

-- Interpolators are made and called at once.
local own = {
  interp1d = function(x, y, p, options) return I.interp1d(x, y, options)(p) end,
  piecewise = function(name, x, y, slopes, options, p, nu)
    local f
    if slopes then f = I[name](x, y, slopes, options) else f = I[name](x, y, options) end
    return f(p, nu)
  end,
  integral = function(name, x, y, k, axis, a, b, extrapolate)
    if k then return I.make_interp_spline(x, y, k, { axis = axis }):integrate(a, b, extrapolate) end
    return I[name](x, y, axis):integrate(a, b, extrapolate)
  end,
  spline = function(x, y, k, axis, p, nu, extrapolate)
    return I.make_interp_spline(x, y, k, { axis = axis })(p, nu, extrapolate)
  end,
  pieces = function(name, c, x, method, p, nu, extrapolate)
    local f = I[name](c, x)
    if method ~= "" then return f[method](f, 1)(p, 0, extrapolate) end
    return f(p, nu, extrapolate)
  end,
  polynomial = function(name, x, y, axis, p) return I[name](x, y, axis)(p) end,
  grid = function(xs, y, q, method, fill)
    return I.RegularGridInterpolator(xs, y, method, { bounds_error = false, fill_value = fill })(q)
  end,
  nearest = function(x, y, q) return I.NearestNDInterpolator(x, y)(q) end,
  radial = function(x, y, q, options) return I.RBFInterpolator(x, y, options)(q) end,
}

describe("an audit of ma.interpolate:", function()
  for _, test in ipairs(audit.tests("interpolate", own)) do it(test.name, test.run) end
end)
