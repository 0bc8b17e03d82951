--- Delaunay triangulations of points in the plane, on the host, by the algorithm of Bowyer and Watson: a point takes
--- the place of all triangles whose circles it lies in. Beyond each edge of the hull stands a triangle with a vertex at
--- infinity, 0, so that a point outside is no special case. The predicates are always right, and so a cavity is always
--- star-shaped. Points are inserted along a grid's rows, to and fro, so that the walk to each is short.

local predicates = require "moonarray.spatial.predicates"

local floor, sqrt, min, max = math.floor, math.sqrt, math.min, math.max
local orient, circle = predicates.orient, predicates.circle

local triangulation = {}

--- The order in which points are inserted.
local function order_of(xs, ys, n)
  local x0, x1, y0, y1 = math.huge, -math.huge, math.huge, -math.huge
  for k = 1, n do
    x0, x1, y0, y1 = min(x0, xs[k]), max(x1, xs[k]), min(y0, ys[k]), max(y1, ys[k])
  end
  local cells = max(1, floor(sqrt(n / 2)))
  local sx, sy = cells / max(x1 - x0, 1e-300), cells / max(y1 - y0, 1e-300)
  local cell, counts = {}, {}
  for k = 1, cells * cells + 1 do counts[k] = 0 end
  for k = 1, n do
    local row, column = min(cells - 1, floor((ys[k] - y0) * sy)), min(cells - 1, floor((xs[k] - x0) * sx))
    cell[k] = row * cells + (row % 2 == 0 and column or cells - 1 - column) + 1
    counts[cell[k]] = counts[cell[k]] + 1
  end
  local at = 1
  for k = 1, cells * cells do counts[k], at = at, at + counts[k] end
  local order = {}
  for k = 1, n do
    order[counts[cell[k]]] = k
    counts[cell[k]] = counts[cell[k]] + 1
  end
  return order
end

--- The first three points of the order that lie on no line are its first; nil if there are none.
local function begin(xs, ys, order)
  local a = order[1]
  local second, third
  for k = 2, #order do
    local p = order[k]
    if not second then
      if xs[p] ~= xs[a] or ys[p] ~= ys[a] then second = k end
    elseif orient(xs[a], ys[a], xs[order[second]], ys[order[second]], xs[p], ys[p]) ~= 0 then
      third = k
      break
    end
  end
  if not third then return nil end
  order[2], order[second] = order[second], order[2]
  order[3], order[third] = order[third], order[3]
  local b, c = order[2], order[3]
  if orient(xs[a], ys[a], xs[b], ys[b], xs[c], ys[c]) < 0 then b, c = c, b end
  return a, b, c
end

-- Triangle t has the vertices v[3 t - 2 .. 3 t], counterclockwise; n[3 t - 2 .. 3 t] are the triangles across the edges
-- that lie opposite to them.

--- Whether a triangle's circle holds a point; that of one with a vertex at infinity is the half plane beyond its edge,
--- and the inside of the edge.
local function holds(xs, ys, v, t, px, py)
  local a, b, c = v[3 * t - 2], v[3 * t - 1], v[3 * t]
  if a ~= 0 and b ~= 0 and c ~= 0 then return circle(xs[a], ys[a], xs[b], ys[b], xs[c], ys[c], px, py) > 0 end
  if a == 0 then a, b = b, c elseif b == 0 then a, b = c, a end
  local side = orient(xs[a], ys[a], xs[b], ys[b], px, py)
  if side ~= 0 then return side > 0 end
  return (xs[a] - px) * (xs[b] - px) + (ys[a] - py) * (ys[b] - py) < 0
end

--- Walks from triangle t to the one that holds a point. Beyond the hull this is one with a vertex at infinity; then the
--- second result is the triangle on this side of the edge.
local function locate(xs, ys, v, n, t, px, py)
  local from = 0
  for k = 3 * t - 2, 3 * t do
    if v[k] == 0 then
      t = n[k]
      break
    end
  end
  while true do
    local base, moved = 3 * t - 3, false
    if v[base + 1] == 0 or v[base + 2] == 0 or v[base + 3] == 0 then return t, from end
    for k = 1, 3 do
      local across = n[base + k]
      if across ~= from then
        local a, b = v[base + k % 3 + 1], v[base + (k + 1) % 3 + 1]
        if orient(xs[a], ys[a], xs[b], ys[b], px, py) < 0 then
          from, t, moved = t, across, true
          break
        end
      end
    end
    if not moved then return t end
  end
end
triangulation.locate = locate

--- Puts a point in the place of the triangles whose circles hold it. Returns one of the new triangles, or the triangle
--- and the point that lies there already.
local function insert(self, t, p)
  local xs, ys, v, n, free, mark = self.xs, self.ys, self.v, self.n, self.free, self.mark
  local px, py = xs[p], ys[p]
  t = locate(xs, ys, v, n, t, px, py)
  for k = 3 * t - 2, 3 * t do
    if v[k] ~= 0 and xs[v[k]] == px and ys[v[k]] == py then return t, v[k] end
  end
  local bad, edges, stamp = { t }, {}, p
  mark[t] = stamp
  local at = 1
  while bad[at] do
    local base = 3 * bad[at] - 3
    for k = 1, 3 do
      local across = n[base + k]
      if mark[across] ~= stamp then
        if holds(xs, ys, v, across, px, py) then
          mark[across] = stamp
          bad[#bad + 1] = across
        else
          local m = #edges
          edges[m + 1], edges[m + 2], edges[m + 3] = v[base + k % 3 + 1], v[base + (k + 1) % 3 + 1], across
        end
      end
    end
    at = at + 1
  end
  for k = 1, #bad do free[#free + 1] = bad[k] end
  local starts, made = self.starts, nil                -- the new triangle by the first vertex of its old edge
  for m = 1, #edges, 3 do
    local new = free[#free] or #v / 3 + 1
    free[#free] = nil
    local base, across = 3 * new - 3, edges[m + 2]
    v[base + 1], v[base + 2], v[base + 3] = edges[m], edges[m + 1], p
    n[base + 3] = across
    local first = 3 * across - 2
    for k = 0, 2 do
      if v[first + (k + 1) % 3] == edges[m + 1] and v[first + (k + 2) % 3] == edges[m] then n[first + k] = new end
    end
    starts[edges[m]], made, mark[new] = new, new, 0
  end
  for m = 1, #edges, 3 do
    local here, there = starts[edges[m]], starts[edges[m + 1]]
    n[3 * here - 2], n[3 * there - 1] = there, here
  end
  return made
end

--- The triangulation of points with the coordinates xs and ys, or nil if all lie on one line. Of equal points the first
--- counts, the others are `twins`: pairs of a point and that one.
function triangulation.of(xs, ys)
  local count = #xs
  local order = count > 2 and order_of(xs, ys, count) or {}
  local a, b, c = begin(xs, ys, order)
  if not a then return nil end
  local self = { xs = xs, ys = ys, free = {}, mark = {}, starts = {}, twins = {},
    v = { a, b, c, c, b, 0, a, c, 0, b, a, 0 }, n = { 2, 3, 4, 4, 3, 1, 2, 4, 1, 3, 2, 1 } }
  local t = 1
  for k = 4, count do
    local twin
    t, twin = insert(self, t, order[k])
    if twin then
      local m = #self.twins
      self.twins[m + 1], self.twins[m + 2] = order[k], twin
    end
  end
  return self
end

--- The triangles without a vertex at infinity, and what lies across their edges, 0 beyond the hull; both as lists with
--- three numbers for a triangle.
function triangulation.finite(self)
  local v, n, idle = self.v, self.n, {}
  for k = 1, #self.free do idle[self.free[k]] = true end
  local renamed, count = {}, 0
  for t = 1, #v / 3 do
    local whole = v[3 * t - 2] ~= 0 and v[3 * t - 1] ~= 0 and v[3 * t] ~= 0 and not idle[t]
    if whole then count = count + 1 end
    renamed[t] = whole and count or 0
  end
  local simplices, neighbors = {}, {}
  for t = 1, #v / 3 do
    if renamed[t] ~= 0 then
      for k = 3 * t - 2, 3 * t do
        simplices[#simplices + 1], neighbors[#neighbors + 1] = v[k], renamed[n[k]]
      end
    end
  end
  return simplices, neighbors
end

return triangulation
