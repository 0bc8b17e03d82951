--- ma.spatial.Delaunay: a triangulation of points in the plane none of whose triangles has another point inside of its
--- circle, and what is asked of it: triangles, their neighbours, the hull, the triangle of a point.

local sformat = require("moonarray.text").format

local TOLERANCE = 100 * 2 ^ -52        -- of a point beyond the hull, in barycentric coordinates

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "spatial.Delaunay"

  local Meta, methods = {}, {}

  --- Rows of two real numbers in float64, and their shape without the last axis.
  local function plane(name, what, value, device)
    local x = is_array(value) and value or core.asarray(value, { device = device })
    if ma.iscomplexobj(x) or x.ndim == 0 or x.shape[x.ndim] ~= 2 then
      fail(name, sformat("%s is %s; wanted real points of 2 coordinates along the last axis", what, core.describe(x)))
    end
    local shape = common.before_last(x.shape)
    return x:astype("float64"):reshape(x.size / 2, 2), shape
  end

  --- The coordinates as two lists on the host.
  local function coordinates(rows)
    if rows.shape[1] == 0 then return {}, {} end
    local columns = rows.T:totable()
    return columns[1], columns[2]
  end

  -- ==== Points in triangles ========================================================================================

  --- The barycentric coordinates of a point in triangle t of the lists of `self`.
  local function barycentric(self, t, px, py)
    local s, xs, ys = self.corners, self.xs, self.ys
    local a, b, c = s[3 * t - 2], s[3 * t - 1], s[3 * t]
    local x1, y1, x2, y2 = xs[a] - xs[c], ys[a] - ys[c], xs[b] - xs[c], ys[b] - ys[c]
    local det, x, y = x1 * y2 - x2 * y1, px - xs[c], py - ys[c]
    local u, v = (x * y2 - x2 * y) / det, (x1 * y - x * y1) / det
    return u, v, 1 - u - v
  end

  --- The triangle of a point, or 0 if there is none. It walks there from the triangle of another point. Each step
  --- crosses the edge on whose outer side the point lies farthest, in barycentric coordinates.
  local function find(self, t, px, py)
    local across, steps, most = self.across, 0, #self.corners
    if px ~= px or py ~= py then return 0, t end
    while steps < most do
      local u, v, w = barycentric(self, t, px, py)
      local k, least = 2, u
      if v < least then k, least = 1, v end
      if w < least then k, least = 0, w end
      if least >= 0 then return t, t end
      local to = across[3 * t - k]
      if to == 0 then return least >= -TOLERANCE and t or 0, t end
      if least >= -TOLERANCE and self.last == to then return t, t end
      self.last, t, steps = t, to, steps + 1
    end
    return 0, t
  end

  --- The triangle and the barycentric coordinates of each point: lists, with 0 and nothing where there is none.
  local function located(self, rows)
    local px, py = coordinates(rows)
    local found, u, v, w, t = {}, {}, {}, {}, 1
    for k = 1, #px do
      local at
      self.last = 0
      at, t = find(self, t, px[k], py[k])
      found[k] = at
      if at ~= 0 then u[k], v[k], w[k] = barycentric(self, at, px[k], py[k]) end
    end
    return found, u, v, w
  end

  --> = delaunay | ma.spatial.Delaunay({{0, 0}, {1, 0}, {0, 1}}) | A triangulation of points in the plane.
  --> . points: array | the points
  --> . simplices: array | three points for each triangle, counterclockwise
  --> . neighbors: array | the triangle opposite to each of them, 0 beyond the hull
  --> . convex_hull: array | the edges of the hull
  --> . vertex_neighbor_vertices: table | {indptr, indices}
  --> . coplanar: array | points that equal another one, a triangle, and that one
  --> :find_simplex(xi: data) -> array | The triangle of each point, or 0.
  --> delaunay:find_simplex: delaunay:find_simplex {{0.2, 0.2}, {2, 2}}
  function methods:find_simplex(xi)
    local rows, shape = plane("Delaunay.find_simplex", "xi", xi, self.device)
    local found = located(self, rows)
    if #found == 0 then return ma.zeros(shape, { dtype = "int32", device = self.device }) end
    return ma.array(found, { dtype = "int32", device = self.device }):reshape(shape)
  end

  -- ==== What is asked for ==========================================================================================

  local fields = {}

  --- Lists on the host: of the triangles' corners, of what lies across, and of the points' coordinates.
  function fields.corners(self) return self.simplices:ravel():totable() end
  function fields.across(self) return self.neighbors:ravel():totable() end
  function fields.xs(self) return self.points.T[1]:totable() end
  function fields.ys(self) return self.points.T[2]:totable() end

  function fields.convex_hull(self)
    local list, s = {}, self.corners
    for k = 1, #s do
      if self.across[k] == 0 then
        local first = k - (k - 1) % 3
        list[#list + 1] = { s[first + k % 3], s[first + (k + 1) % 3] }
      end
    end
    return ma.array(list, { dtype = "int32", device = self.device })
  end

  function fields.vertex_neighbor_vertices(self)
    local seen, indptr, indices, s = {}, { 1 }, {}, self.corners
    for p = 1, self.npoints do seen[p] = { list = {}, known = {} } end
    local function note(a, b)
      local of = seen[a]
      if not of.known[b] then of.known[b], of.list[#of.list + 1] = true, b end
    end
    for k = 1, #s, 3 do
      local a, b, c = s[k], s[k + 1], s[k + 2]
      note(a, b) note(b, a) note(b, c) note(c, b) note(c, a) note(a, c)
    end
    for p = 1, self.npoints do
      table.sort(seen[p].list)
      for _, q in ipairs(seen[p].list) do indices[#indices + 1] = q end
      indptr[p + 1] = #indices + 1
    end
    local options = { dtype = "int32", device = self.device }
    return { ma.array(indptr, options), ma.array(indices, options) }
  end

  function fields.coplanar(self)
    local rows, triangle = {}, {}
    for k, p in ipairs(self.corners) do triangle[p] = math.ceil(k / 3) end
    for k, twin in ipairs(self.twins:totable()) do rows[k] = { twin[1], triangle[twin[2]], twin[2] } end
    if #rows == 0 then return ma.zeros({ 0, 3 }, { dtype = "int32", device = self.device }) end
    return ma.array(rows, { dtype = "int32", device = self.device })
  end

  common.guard("Delaunay", Meta, methods, true)

  function Meta.__index(self, key)
    if methods[key] then return methods[key] end
    if fields[key] then
      local value = fields[key](self)
      rawset(self, key, value)
      return value
    end
  end

  function Meta.__tostring(self)
    return sformat("Delaunay triangulation of %d points, %d triangles, %s", self.npoints, self.nsimplex, self.device)
  end

  --> spatial.Delaunay: ma.spatial.Delaunay({{0, 0}, {1, 0}, {0, 1}}).simplices:sum()
  def("spatial.Delaunay(points: data) -> delaunay",
    "A triangulation of points in the plane, the rows of a matrix. It has simplices (three points, counterclockwise), "
      .. "neighbors (the triangle opposite to each of them, 0 beyond the hull), convex_hull, vertex_neighbor_vertices "
      .. "({indptr, indices}), coplanar (points that equal another: the point, a triangle, that other), and "
      .. "find_simplex(xi), the triangle of each point or 0. Positions count from 1. Built on the host; waits.",
    function(points)
      local rows = plane(NAME, "points", points)
      if is_array(points) and points.ndim ~= 2 then
        fail(NAME, sformat("points is %s; wanted a matrix with a point in each row", core.describe(points)))
      end
      local off = ma.logical_not(ma.isfinite(rows)):any(2)
      if off:any() then
        local k = tonumber(ma.argmax(off):item())
        fail(NAME, sformat("point %d is (%g, %g); wanted finite coordinates", k, rows(k, 1), rows(k, 2)))
      end
      rows = rows:copy()                                       -- its lists are made when they are asked for
      local simplices, neighbors, twins = core.spatial_delaunay(NAME, rows)
      if simplices.size == 0 then
        fail(NAME, sformat("%d points on one line; wanted three at least that are not", rows.shape[1]))
      end
      return setmetatable({ points = rows, device = rows.device, ndim = 2, npoints = rows.shape[1],
        nsimplex = simplices.shape[1], simplices = simplices:to(rows.device), neighbors = neighbors:to(rows.device),
        twins = twins, last = 0 }, Meta)
    end)

  --- For ma.interpolate.
  core.delaunay = { located = located, plane = plane, is = function(value)
    return type(value) == "table" and getmetatable(value) == Meta
  end }
end
