--- ma.interpolate: functions through given values: piecewise polynomials, splines, grids and scattered points.

return function(ma, core)
  local shared = require "moonarray.interpolate.shared" (ma, core)
  local piecewise = require "moonarray.interpolate.piecewise" (ma, core, shared)
  require "moonarray.interpolate.cubic" (ma, core, shared, piecewise)
  require "moonarray.interpolate.bernstein" (ma, core, shared, piecewise)
  local bspline = require "moonarray.interpolate.bspline" (ma, core, shared, piecewise)
  require "moonarray.interpolate.make_spline" (ma, core, shared, bspline)
  require "moonarray.interpolate.polynomial" (ma, core, shared)
  require "moonarray.interpolate.line" (ma, core, shared)
  require "moonarray.interpolate.grid" (ma, core, shared, bspline)
  require "moonarray.interpolate.scattered" (ma, core, shared)
  require "moonarray.interpolate.triangles" (ma, core, shared)
end
