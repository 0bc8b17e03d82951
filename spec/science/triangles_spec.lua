-- ma.spatial.Delaunay, and interpolation over its triangles: SciPy's values (spec/golden/science/triangles.py), what
-- holds of every triangulation, and points that lie on lines and circles.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local predicates = require "spec.science.predicates"

local function doubles(text, columns)
  local bytes = helper.unhex(text, 8)
  local a = helper.array(bytes, "float64", { #bytes / 8 })
  return columns and a:reshape(a.size / columns, columns) or a
end

local cases = {}
for _, r in ipairs(helper.golden("triangles")) do
  cases[#cases + 1] = { name = r[1], points = doubles(r[2], 2):totable(), values = doubles(r[3], 2):totable(),
    places = doubles(r[4], 2):totable(), linear = doubles(r[5], 2):totable(), smooth = doubles(r[6], 2):totable(),
    simplices = r[7], hull = tonumber(r[8]) }
end

--- Counterclockwise triangles, neighbours that know each other, and no point within a circle. Returns the area.
local function check(d, points)
  local s, n, area = d.simplices:totable(), d.neighbors:totable(), 0
  for t = 1, #s do
    local a, b, c = points[s[t][1]], points[s[t][2]], points[s[t][3]]
    assert(predicates.orient(a[1], a[2], b[1], b[2], c[1], c[2]) > 0, "clockwise")
    area = area + ((b[1] - a[1]) * (c[2] - a[2]) - (c[1] - a[1]) * (b[2] - a[2])) / 2
    for k = 1, 3 do
      local across = n[t][k]
      if across ~= 0 then
        local back
        for j = 1, 3 do if n[across][j] == t then back = s[across][j] end end
        local p = points[assert(back, "a neighbour of one side")]
        assert(predicates.circle(a[1], a[2], b[1], b[2], c[1], c[2], p[1], p[2]) <= 0, "a point within a circle")
      end
    end
  end
  return area
end

describe("triangles:", function()
  for _, c in ipairs(cases) do
    it("of " .. c.name .. " points are SciPy's", function()
      local d = ma.spatial.Delaunay(c.points)
      local list = {}
      for t, s in ipairs(d.simplices:totable()) do
        local k = (s[1] < s[2] and s[1] < s[3]) and 1 or s[2] < s[3] and 2 or 3
        list[t] = { s[k], s[k % 3 + 1], s[(k + 1) % 3 + 1] }
      end
      table.sort(list, function(a, b)
        if a[1] ~= b[1] then return a[1] < b[1] end
        if a[2] ~= b[2] then return a[2] < b[2] end
        return a[3] < b[3]
      end)
      for t, s in ipairs(list) do list[t] = table.concat(s, ",") end
      assert.equal(c.simplices, table.concat(list, ","))
      assert.equal(c.hull, d.convex_hull.shape[1])
      check(d, c.points)
    end)

    it("interpolate " .. c.name .. " points as SciPy does", function()
      local near = { rtol = 1e-11, atol = 1e-11, equal_nan = true }
      local linear = ma.interpolate.LinearNDInterpolator(c.points, c.values)
      ma.testing.assert_allclose(linear(c.places), c.linear, near)
      local d = ma.spatial.Delaunay(c.points)
      local smooth = ma.interpolate.CloughTocher2DInterpolator(d, c.values, { tol = 1e-13 })
      ma.testing.assert_allclose(smooth(c.places), c.smooth, near)
      local v = ma.array(c.values)["..., 1"]
      local z = ma.interpolate.CloughTocher2DInterpolator(d, v * ma.complex(1, 2), 0, { tol = 1e-13 })(c.places)
      assert.equal("complex128", z.dtype)
      local want = ma.nan_to_num(ma.array(c.smooth)["..., 1"], { nan = 0 })
      ma.testing.assert_allclose(z, want * ma.complex(1, 2), near)
    end)
  end

  it("of grids, circles and equal points hold every point", function()
    local grid, twice, circle = {}, {}, {}
    for k = 0, 143 do grid[k + 1] = { (k % 12) * 0.1, math.floor(k / 12) * 0.1 } end
    assert.near(1.21, check(ma.spatial.Delaunay(grid), grid), 1e-12)
    for k = 1, 60 do
      twice[k] = { k % 5, k % 4 }                              -- 20 places, three times
      circle[k] = { math.cos(k / 60 * 2 * math.pi) * 1e9 + 1e9, math.sin(k / 60 * 2 * math.pi) * 1e-9 }
    end
    local d = ma.spatial.Delaunay(twice)
    assert.equal(12, check(d, twice))
    local rows = d.coplanar:totable()
    assert.equal(40, #rows)
    for _, r in ipairs(rows) do
      assert.same(twice[r[1]], twice[r[3]])
      local s = d.simplices[r[2]]:totable()
      assert(s[1] == r[3] or s[2] == r[3] or s[3] == r[3])
    end
    local thin = ma.spatial.Delaunay(circle)
    check(thin, circle)
    local used = {}
    for _, s in ipairs(thin.simplices:totable()) do for _, p in ipairs(s) do used[p] = true end end
    assert.equal(60, #used)
  end)

  it("predicates are right where sums in doubles are not", function()
    local e = 2 ^ -52
    assert(predicates.orient(0.5, 0.5, 12, 12, 24, 24) == 0)
    assert(predicates.orient(0.5 + e, 0.5, 12, 12, 24, 24) < 0)
    assert(predicates.orient(0.5, 0.5 + e, 12, 12, 24, 24) > 0)
    local a, b, c = { 1, 0 }, { 0, 1 }, { -1, 0 }
    local function side(y)
      return predicates.circle(a[1], a[2], b[1], b[2], c[1], c[2], 0, y)
    end
    assert(side(-1) == 0 and side(-1 + e / 2) > 0 and side(-1 - e) < 0)
    assert(predicates.circle(0.1, 0.1, 0.3, 0.1, 0.3, 0.3, 0.1, 0.3) == 0)   -- a rectangle
  end)

  it("of points that lie nearly on lines and circles", function()
    local rng = ma.random.default_rng(9)
    for _, n in ipairs { 4, 40, 400 } do
      local k = ma.floor(rng:random({ n }) * 64)
      local turn = rng:random({ n }) * 2 * math.pi
      for _, points in ipairs { ma.stack({ 0.5 + k * 2 ^ -53, 0.5 + ma.floor(rng:random({ n }) * 64) * 2 ^ -53 }, 2),
        ma.stack({ ma.cos(turn), ma.sin(turn) }, 2), ma.stack({ k, ma.floor(rng:random({ n }) * 8) }, 2),
        ma.stack({ k / 10, k / 10 * (1 + rng:random({ n }) * 2 ^ -51) }, 2) } do
        check(ma.spatial.Delaunay(points), points:totable())
      end
    end
  end)

  it("of coordinates that float64 does not hold apart end, with an error or without", function()
    local rng = ma.random.default_rng(2)
    for _, scale in ipairs { 1e-320, 1e-160, 1e-90, 1e76, 1e100, 1e160, 1e307 } do
      local x = (rng:random({ 500, 2 }) - 0.5) * scale
      local ok, message = pcall(ma.spatial.Delaunay, x)
      assert(ok or message:find("wanted scaled ones", 1, true) or message:find("on one line", 1, true), message)
      x["1:250, :"] = x["1:250, :"] * 1e-140
      ok, message = pcall(ma.spatial.Delaunay, x)
      assert(ok or message:find("wanted scaled ones", 1, true) or message:find("on one line", 1, true), message)
    end
  end)

  it("of points that are written to later", function()
    local x = ma.random.default_rng(4):random({ 20, 2 })
    local d = ma.spatial.Delaunay(x)
    local at = x[d.simplices[1]]:mean(1)
    x:fill(0)
    assert.equal(1, d:find_simplex(at):item())
  end)

  it("find the triangle of a point, and a point's neighbours", function()
    local d = ma.spatial.Delaunay { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1.5 } }
    local found = d:find_simplex { { { 0.1, 0.1 }, { 0.9, 0.9 } }, { { 2, 0 }, { 0, 0.5 } } }:totable()
    assert(found[1][1] ~= found[1][2] and found[1][1] > 0 and found[1][2] > 0 and found[2][1] == 0 and found[2][2] > 0)
    assert.equal(0, d:find_simplex({ 0, 0 / 0 }):item())
    local indptr, indices = unpack(d.vertex_neighbor_vertices)
    assert.same({ 1, 3, 6, 9, 11 }, indptr:totable())
    assert.same({ 2, 3, 1, 3, 4, 1, 2, 4, 2, 3 }, indices:totable())
    assert.same({ 0, 2 }, { d:find_simplex(ma.zeros { 0, 2, 2 }):dims() })
    local f = ma.interpolate.LinearNDInterpolator(d, { 1, 2, 3, 4 }, -1)
    assert.same({ 1.5, -1 }, f(0.25, { 0.125, 9 }):totable())
    assert.equal(1.5, f({ 0.25, 0.125 }):item())
  end)

  it("find the triangle of every point, wherever the search begins", function()
    local rng = ma.random.default_rng(6)
    local points = ma.concatenate { rng:random { 300, 2 }, rng:random({ 300, 2 }) * 1e-6 + 0.5 }     -- a dense part
    local d = ma.spatial.Delaunay(points)
    local places = ma.concatenate { rng:random { 3000, 2 } * 1.2 - 0.1, rng:random({ 3000, 2 }) * 1e-6 + 0.5, points }
    local found, p, s, q = d:find_simplex(places):totable(), points:totable(), d.simplices:totable(), places:totable()
    local outside, hull = 0, d.convex_hull:totable()
    for k = 1, #q do
      local at = q[k]
      if found[k] == 0 then
        local beyond = false
        for _, e in ipairs(hull) do
          local a, b = p[e[1]], p[e[2]]
          beyond = beyond or predicates.orient(a[1], a[2], b[1], b[2], at[1], at[2]) < 0
        end
        assert(beyond, "a point inside of no triangle")
        outside = outside + 1
      else
        local t = s[found[k]]
        for c = 1, 3 do
          local a, b = p[t[c]], p[t[c % 3 + 1]]
          local side = predicates.orient(a[1], a[2], b[1], b[2], at[1], at[2])
          assert(side >= 0 or side > -1e-14, "beyond an edge")
        end
      end
    end
    assert(outside > 500 and outside < 2500)
    local again = ma.flip(d:find_simplex(ma.flip(places, 1)), 1)       -- no point of places is on an edge, but a vertex
    assert.same(ma.array(found)["1:6000"]:totable(), again["1:6000"]:totable())
    local f = ma.interpolate.LinearNDInterpolator(d, ma.arange(600))
    assert.same(ma.arange(600):totable(), f(points):totable())         -- exactly, at the points
  end)

  it("hold points that rounding put beyond the hull", function()
    local d = ma.spatial.Delaunay { { 0, 0 }, { 3, 1 }, { 0, 1 }, { 1, 5 } }
    local t = ma.linspace(0, 1, 1001):reshape(1001, 1)
    local edge = t * ma.array { 3, 1 } * 0.1 * 10
    assert.equal(0, d:find_simplex(edge):eq(0):sum():item())
    assert.equal(1001, d:find_simplex(edge - 1e-12):eq(0):sum():item())
    local far = { { 1 / 0, 0 }, { 0, -1 / 0 }, { 1e308, 1e308 }, { 0, 0 / 0 } }
    assert.same({ 0, 0, 0, 0 }, d:find_simplex(far):totable())
  end)

  it("that were written to find no triangle, and end", function()
    for _, wrong in ipairs { -1, 0, 5, 2 ^ 31 - 1 } do
      local d = ma.spatial.Delaunay { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1.5 } }
      d.simplices:fill(wrong)
      assert.equal(0, d:find_simplex({ 0.2, 0.2 }):item())
      d = ma.spatial.Delaunay { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1.5 } }
      d:find_simplex({ 0.2, 0.2 })
      d.neighbors:fill(wrong)
      assert(d:find_simplex({ { 0.2, 0.2 }, { 0.9, 0.9 } }):max():item() <= 2)
    end
  end)

  it("say what is wrong", function()
    local Delaunay = ma.spatial.Delaunay
    assert.matches("spatial.Delaunay: 3 points on one line; wanted three at least that are not",
      fails(Delaunay, { { 0, 0 }, { 1, 1 }, { 2, 2 } }))
    assert.matches("0 points on one line", fails(Delaunay, ma.zeros { 0, 2 }))
    assert.matches("point 2 is %(inf, 0%); wanted finite", fails(Delaunay, { { 0, 0 }, { 1 / 0, 0 }, { 0, 1 } }))
    assert.matches("points is .-; wanted real points of 2 coordinates", fails(Delaunay, ma.ones { 4, 3 }))
    assert.matches("values is .-; wanted a value for each of 3 points",
      fails(ma.interpolate.LinearNDInterpolator, { { 0, 0 }, { 1, 0 }, { 0, 1 } }, { 1, 2 }))
  end)
end)
