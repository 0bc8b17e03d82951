--- ma.spatial.Delaunay: a triangulation of points in the plane none of whose triangles has another point inside of its
--- circle, and what is asked of it: triangles, their neighbours, the hull, the triangle of a point.

local sformat = require("moonarray.text").format

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

  -- ==== Points in triangles ========================================================================================

  --- The triangle of each row, or 0, and the weights of its corners: int32 (n) and float64 (3, n), on the host.
  local function located(self, rows, name)
    local s = self.search
    return core.spatial_locate(name, s.points, s.corners, s.across, s.cells, s.x, s.y, s.width, s.height, rows)
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
    local found = located(self, rows, "Delaunay.find_simplex")
    return found:to(self.device):reshape(shape)
  end

  -- ==== What is asked for ==========================================================================================

  local fields = {}

  --- Lists on the host: of the triangles' corners, of what lies across, and of the points' coordinates.
  function fields.corners(self) return self.simplices:ravel():totable() end
  function fields.across(self) return self.neighbors:ravel():totable() end
  function fields.xs(self) return self.points.T[1]:totable() end
  function fields.ys(self) return self.points.T[2]:totable() end

  --- What a search for points reads, on the host.
  function fields.search(self)
    local s = { points = self.points:to("cpu"), corners = self.simplices:to("cpu"), across = self.neighbors:to("cpu") }
    s.cells, s.x, s.y, s.width, s.height = core.spatial_cells(NAME, s.points, s.corners)
    return s
  end

  function fields.convex_hull(self)
    local s, open = self.simplices, self.neighbors:eq(0)
    return ma.stack({ ma.roll(s, -1, 2)[open], ma.roll(s, -2, 2)[open] }, 2)
  end

  --- A number for each pair of neighbours, sorted. The edges of the triangles are all of them, each in one direction
  --- from the triangle on either side; those of the hull have one side.
  function fields.vertex_neighbor_vertices(self)
    local n, s, hull = self.npoints, self.simplices:astype("int64"), self.convex_hull:astype("int64")
    local pairs_of = ma.concatenate { ((s - 1) * n + ma.roll(s, -1, 2) - 1):ravel(),
      (hull[":, 2"] - 1) * n + hull[":, 1"] - 1 }
    pairs_of = ma.sort(pairs_of)
    local starts = ma.searchsorted(pairs_of, ma.arange(n + 1, { dtype = "int64", device = self.device }) * n)
    return { starts:astype("int32"), (pairs_of % n + 1):astype("int32") }
  end

  function fields.coplanar(self)
    local rows, triangle = {}, {}
    if self.twins.size == 0 then return ma.zeros({ 0, 3 }, { dtype = "int32", device = self.device }) end
    for k, p in ipairs(self.corners) do triangle[p] = math.ceil(k / 3) end
    for k, twin in ipairs(self.twins:totable()) do rows[k] = { twin[1], triangle[twin[2]], twin[2] } end
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
        twins = twins }, Meta)
    end)

  --- For ma.interpolate.
  core.delaunay = { located = located, plane = plane, is = function(value)
    return type(value) == "table" and getmetatable(value) == Meta
  end }
end
