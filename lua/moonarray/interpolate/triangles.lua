--- ma.interpolate: values given at points of the plane, interpolated over the triangles of ma.spatial.Delaunay: linear,
--- and by the cubic pieces of Clough and Tocher, whose first derivatives are continuous.

local sformat, abs, sqrt, max, min = require("moonarray.text").format, math.abs, math.sqrt, math.max, math.min
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

-- ==== Gradients at the points ========================================================================================

--- Gradients of the surface of least curvature along the edges, as lists of x and y: G. M. Nielson, "A method for
--- interpolating scattered data based upon a minimum norm network", 1983, solved by Gauss and Seidel's iteration.
local function gradients(d, indptr, indices, value, tol, maxiter)
  local xs, ys, gx, gy = d.xs, d.ys, {}, {}
  for p = 1, #xs do gx[p], gy[p] = 0, 0 end
  for _ = 1, maxiter do
    local err = 0
    for p = 1, #xs do
      local a, b, c, s, t = 0, 0, 0, 0, 0
      for k = indptr[p], indptr[p + 1] - 1 do
        local q = indices[k]
        local ex, ey = xs[q] - xs[p], ys[q] - ys[p]
        local length = sqrt(ex * ex + ey * ey)
        local cube = length * length * length
        local r = 6 * (value[p] - value[q]) + 2 * (ex * gx[q] + ey * gy[q])
        a, b, c = a + 4 * ex * ex / cube, b + 4 * ex * ey / cube, c + 4 * ey * ey / cube
        s, t = s + r * ex / cube, t + r * ey / cube
      end
      local det = a * c - b * b
      if det ~= 0 then
        local x, y = (b * t - c * s) / det, (b * s - a * t) / det
        local change = max(abs(gx[p] - x), abs(gy[p] - y)) / max(1, abs(x), abs(y))
        gx[p], gy[p], err = x, y, max(err, change)
      end
    end
    if err < tol then break end
  end
  return gx, gy
end

-- ==== A cubic over three parts of a triangle =========================================================================

--- The share g by which the derivative across the edge behind corner k leans to one side: towards the middle of the
--- triangle beyond that edge. So it is the same from both sides, and does not depend on the axes' units.
local function lean(d, t, k)
  local xs, ys, s = d.xs, d.ys, d.corners
  local across = d.across[3 * t - 3 + k]
  if across == 0 then return -0.5 end
  local a, b, c = s[3 * across - 2], s[3 * across - 1], s[3 * across]
  local x, y = (xs[a] + xs[b] + xs[c]) / 3, (ys[a] + ys[b] + ys[c]) / 3
  a, b, c = s[3 * t - 2], s[3 * t - 1], s[3 * t]
  local x1, y1, x2, y2 = xs[a] - xs[c], ys[a] - ys[c], xs[b] - xs[c], ys[b] - ys[c]
  local det = x1 * y2 - x2 * y1
  x, y = x - xs[c], y - ys[c]
  local u, v = (x * y2 - x2 * y) / det, (x1 * y - x * y1) / det
  local w = 1 - u - v
  local first, second = v, w
  if k == 2 then first, second = w, u elseif k == 3 then first, second = u, v end
  return (2 * second + first - 1) / (2 - 3 * second - 3 * first)
end

--- The value in triangle t at barycentric coordinates: the names of coefficients are the powers of the coordinates, as
--- in P. Alfeld, "A trivariate Clough-Tocher scheme for tetrahedral data", 1984.
local function cubic(d, t, b1, b2, b3, value, gx, gy)
  local xs, ys, s = d.xs, d.ys, d.corners
  local p, q, r = s[3 * t - 2], s[3 * t - 1], s[3 * t]
  local ax, ay, bx, by = xs[q] - xs[p], ys[q] - ys[p], xs[r] - xs[q], ys[r] - ys[q]
  local cx, cy = xs[p] - xs[r], ys[p] - ys[r]
  local c3000, c0300, c0030 = value[p], value[q], value[r]
  local c2100, c2010 = c3000 + (gx[p] * ax + gy[p] * ay) / 3, c3000 - (gx[p] * cx + gy[p] * cy) / 3
  local c1200, c0210 = c0300 - (gx[q] * ax + gy[q] * ay) / 3, c0300 + (gx[q] * bx + gy[q] * by) / 3
  local c1020, c0120 = c0030 + (gx[r] * cx + gy[r] * cy) / 3, c0030 - (gx[r] * bx + gy[r] * by) / 3
  local c2001, c0201, c0021 = (c2100 + c2010 + c3000) / 3, (c1200 + c0300 + c0210) / 3, (c1020 + c0120 + c0030) / 3
  local c0111 = (lean(d, t, 1) * (-c0300 + 3 * c0210 - 3 * c0120 + c0030)
    + (-c0300 + 2 * c0210 - c0120 + c0021 + c0201)) / 2
  local c1011 = (lean(d, t, 2) * (-c0030 + 3 * c1020 - 3 * c2010 + c3000)
    + (-c0030 + 2 * c1020 - c2010 + c2001 + c0021)) / 2
  local c1101 = (lean(d, t, 3) * (-c3000 + 3 * c2100 - 3 * c1200 + c0300)
    + (-c3000 + 2 * c2100 - c1200 + c2001 + c0201)) / 2
  local c1002, c0102, c0012 = (c1101 + c1011 + c2001) / 3, (c1101 + c0111 + c0201) / 3, (c1011 + c0111 + c0021) / 3
  local c0003 = (c1002 + c0102 + c0012) / 3
  local least = min(b1, b2, b3)
  local b4 = 3 * least
  b1, b2, b3 = b1 - least, b2 - least, b3 - least
  return b1 * (b1 * (b1 * c3000 + 3 * b2 * c2100 + 3 * b3 * c2010 + 3 * b4 * c2001)
      + 3 * b2 * b2 * c1200 + 6 * b2 * b4 * c1101 + 3 * b3 * b3 * c1020 + 6 * b3 * b4 * c1011 + 3 * b4 * b4 * c1002)
    + b2 * (b2 * (b2 * c0300 + 3 * b3 * c0210 + 3 * b4 * c0201)
      + 3 * b3 * b3 * c0120 + 6 * b3 * b4 * c0111 + 3 * b4 * b4 * c0102)
    + b3 * (b3 * (b3 * c0030 + 3 * b4 * c0021) + 3 * b4 * b4 * c0012) + b4 * b4 * b4 * c0003
end

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local delaunay = ma.spatial and core.delaunay           -- asking for one loads both

  --- What both interpolators are made of. `fields` are those of one kind.
  local function make(name, class, points, values, fill_value, rescale, fields)
    local self = { kind = fields.kind, fill = fill_value == nil and ma.nan or fill_value }
    if delaunay.is(points) then
      if rescale then fail(name, "rescale with a triangulation; wanted points, which are scaled before") end
      self.triangles = points
    else
      local rows = delaunay.plane(name, "points", points, is_array(values) and values.device or nil)
      if rescale then
        self.shift, self.scale = rows:mean(1), rows:ptp(1)
        self.scale = ma.where(self.scale:gt(0), self.scale, 1)
        rows = (rows - self.shift) / self.scale
      end
      self.triangles = ma.spatial.Delaunay(rows)
    end
    local d = self.triangles
    local v = shared.values(values, d.points)
    if v.ndim == 0 or v.shape[1] ~= d.npoints then
      fail(name, sformat("values is %s; wanted a value for each of %d points", core.describe(v), d.npoints))
    end
    self.trailing = shared.trailing(v, 2)
    self.rows = v:reshape(d.npoints, v.size / d.npoints)
    for key, value in pairs(fields) do self[key] = value end
    return setmetatable(self, class)
  end

  --- The points of a call, scaled, and the shape in which they are.
  local function asked(self, name, ...)
    local list = { ... }
    local x = list[1]
    if #list > 1 then
      for k = 1, #list do list[k] = core.asarray(list[k], { device = self.rows.device }) end
      x = ma.stack({ ma.broadcast_arrays(unpack(list)) }, -1)
    end
    local rows, shape = delaunay.plane(name, "x", x, self.rows.device)
    if self.shift then rows = (rows - self.shift) / self.scale end
    return rows, shape
  end

  -- ==== Linear =====================================================================================================

  local linear = {}

  function linear:__call(...)
    local rows, shape = asked(self, "LinearNDInterpolator", ...)
    local d, on = self.triangles, self.rows.device
    local found, weights = delaunay.located(d, rows, "LinearNDInterpolator")
    found, weights = found:to(on), weights:to(on)
    local n, result = found.shape[1], nil
    if n == 0 then
      return shared.shaped(ma.zeros({ 0, self.rows.shape[2] }, { dtype = self.rows.dtype, device = on }), shape,
        self.trailing, 1, rows)
    end
    local corners = d.simplices:take(ma.maximum(found, 1), 1)
    for c = 1, 3 do
      local part = self.rows:take(corners[{ {}, c }], 1) * weights[c]:reshape(n, 1)
      result = result and result + part or part
    end
    result = ma.where(found:gt(0):reshape(n, 1), result, self.fill)
    return shared.shaped(result, shape, self.trailing, 1, rows)
  end
  local Linear = shared.class("LinearNDInterpolator", linear)

  --> interpolate.LinearNDInterpolator: local points = {{0, 0}, {1, 0}, {0, 1}, {1, 1}}
  -->   return ma.interpolate.LinearNDInterpolator(points, {0, 1, 1, 2})({{0.25, 0.5}}):round(6)
  def("interpolate.LinearNDInterpolator(points: data|table, values: data, "
    .. "fill_value?: number|string|table; rescale?: boolean) -> interpolator",
    "Values at points of the plane (the rows of a matrix, or a Delaunay triangulation), linear over the triangles of "
      .. "the points: an object that is called with points, or with an array for each coordinate. Beyond the hull it "
      .. "gives fill_value (NaN). rescale (false): each coordinate is scaled to the extent 1 first. Waits.",
    function(points, values, fill_value, rescale)
      return make("interpolate.LinearNDInterpolator", Linear, points, values, fill_value, rescale,
        { kind = "LinearNDInterpolator" })
    end)

  -- ==== Clough and Tocher ==========================================================================================

  --- Columns of real values as lists, with the gradients of each.
  local function surfaces(self)
    local d = self.triangles
    local indptr, indices = unpack(d.vertex_neighbor_vertices)
    indptr, indices = indptr:totable(), indices:totable()
    local function of(columns)
      local list = {}
      for k = 1, columns.shape[2] do
        local value = columns[{ {}, k }]:totable()
        local gx, gy = gradients(d, indptr, indices, value, self.tol, self.maxiter)
        list[k] = { value = value, gx = gx, gy = gy }
      end
      return list
    end
    if not ma.iscomplexobj(self.rows) then return of(self.rows) end
    return of(ma.real(self.rows)), of(ma.imag(self.rows))
  end

  local smooth = {}

  function smooth:__call(...)
    local rows, shape = asked(self, "CloughTocher2DInterpolator", ...)
    local d, inside, on = self.triangles, {}, { device = self.rows.device }
    local places, weights = delaunay.located(d, rows, "CloughTocher2DInterpolator")
    local found, count = places:totable(), self.rows.shape[2]
    local u, v, w = weights[1]:totable(), weights[2]:totable(), weights[3]:totable()
    local function of(list)
      local flat = {}
      for k = 1, #found do
        local t = found[k]
        for c = 1, count do
          local s = list[c]
          flat[(k - 1) * count + c] = t == 0 and 0 or cubic(d, t, u[k], v[k], w[k], s.value, s.gx, s.gy)
        end
      end
      return ma.array(flat, { dtype = "float64", device = on.device }):reshape(#found, count)
    end
    for k = 1, #found do inside[k] = found[k] ~= 0 end
    if #found == 0 or count == 0 then
      return shared.shaped(ma.zeros({ #found, count }, { dtype = self.rows.dtype, device = on.device }), shape,
        self.trailing, 1, rows)
    end
    local result = of(self.real)
    if self.imaginary then result = result + of(self.imaginary) * ma.complex(0, 1) end
    result = ma.where(ma.array(inside, on):reshape(#found, 1), result, self.fill)
    return shared.shaped(result, shape, self.trailing, 1, rows)
  end
  local Smooth = shared.class("CloughTocher2DInterpolator", smooth)

  --> interpolate.CloughTocher2DInterpolator: local points = {{0, 0}, {1, 0}, {0, 1}, {1, 1}}
  -->   return ma.interpolate.CloughTocher2DInterpolator(points, {0, 1, 1, 2})({{0.25, 0.5}}):round(6)
  def("interpolate.CloughTocher2DInterpolator(points: data|table, values: data, "
    .. "fill_value?: number|string|table; tol?: number, maxiter?: integer, rescale?: boolean) -> interpolator",
    "Values at points of the plane, as LinearNDInterpolator takes them, by cubic pieces with continuous first "
      .. "derivatives. The gradients at the points are found in at most maxiter (400) steps, until they change by less "
      .. "than tol (1e-6). Waits.",
    function(points, values, fill_value, tol, maxiter, rescale)
      local name = "interpolate.CloughTocher2DInterpolator"
      tol = common.number(name, "tol", tol == nil and 1e-6 or tol)
      maxiter = common.whole(name, "maxiter", maxiter == nil and 400 or maxiter, 1)
      local self = make(name, Smooth, points, values, fill_value, rescale, { kind = "CloughTocher2DInterpolator",
        tol = tol, maxiter = maxiter })
      self.real, self.imaginary = surfaces(self)
      return self
    end)
end
