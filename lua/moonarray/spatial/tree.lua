--- ma.spatial.KDTree: points in boxes, to find the neighbours of a point without looking at all of them.
---
--- The tree is built by sorts alone. The points are padded to 2^levels leaves of LEAF places. They are sorted along the
--- first axis and cut into equal slabs, each slab along the second axis, and so on, so that leaves are about cubes. A
--- node's box is the hull of its children's; kernels/spatial/tree.h has the layout and the queries.

local tostring = require("moonarray.text").tostring
local sformat, floor = require("moonarray.text").format, math.floor
local LEAF = 8
local huge = math.huge

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "spatial.KDTree"

  local Meta, methods = {}, {}

  --- Points as rows in the dtype of the tree, and their shape without the last axis.
  local function queries(self, name, value)
    local x = is_array(value) and value or core.asarray(value, { device = self.device })
    if ma.iscomplexobj(x) or x.ndim == 0 or x.shape[x.ndim] ~= self.m then
      fail(name, sformat("x is %s; wanted real points of %d coordinates along the last axis", core.describe(x), self.m))
    end
    local shape = common.before_last(x.shape)
    x = x:astype(self.dtype):reshape(x.size / self.m, self.m)
    return x.is_contiguous and x or x:copy(), shape
  end

  local function check_p(name, p)
    p = common.number(name, "p", p == nil and 2 or p)
    if p < 1 or p ~= p then fail(name, sformat("p is %s; wanted 1 at least, or ma.inf", tostring(p))) end
    return p
  end

  local function not_negative(name, what, value)
    value = common.number(name, what, value)
    if value < 0 or value ~= value then
      fail(name, sformat("%s is %s; wanted a number from 0 on", what, tostring(value)))
    end
    return value
  end

  -- ==== Building ===================================================================================================

  --- How many levels of the tree divide each axis.
  local function levels_of(n, m)
    local levels = 0
    while LEAF * 2 ^ levels < n do levels = levels + 1 end
    local axes = math.min(m, levels)
    local list = {}
    for c = 1, axes do list[c] = floor(levels / axes) + (c <= levels % axes and 1 or 0) end
    return levels, list
  end

  local function build(data)
    local n, m = data.shape[1], data.shape[2]
    local levels, list = levels_of(n, m)
    local leaves = 2 ^ levels
    local total = leaves * LEAF
    local o = { device = data.device }
    -- Places 1 .. n are the points, the places behind them are empty: infinite in every order.
    local empty = ma.full({ total - n, m }, huge, { dtype = data.dtype, device = data.device })
    local padded = ma.concatenate({ data, empty })
    local order = ma.range(1, total, o)
    local rows = 1
    for c, parts in ipairs(list) do
      local along = padded[{ {}, c }]:take(order):reshape(rows, total / rows)
      order = ma.take_along_axis(order:reshape(rows, total / rows), core.argsort(along, 2), 2):reshape(total)
      rows = rows * 2 ^ parts
    end
    local places = padded:take(order, 1):reshape(leaves, LEAF, m)
    local is_point = order:le(n):reshape(leaves, LEAF, 1)
    local boxes = { ma.stack({ ma.where(is_point, places, huge):min(2), ma.where(is_point, places, -huge):max(2) }, 2) }
    for _ = 1, levels do
      local below = boxes[#boxes]
      local pairs_of = below:reshape(below.shape[1] / 2, 2, 2, m)
      boxes[#boxes + 1] = ma.stack({ pairs_of[":, :, 1, :"]:min(2), pairs_of[":, :, 2, :"]:max(2) }, 2)
    end
    local ordered = { ma.zeros({ 1, 2, m }, { dtype = data.dtype, device = data.device }) }   -- node 0 is none
    for k = #boxes, 1, -1 do ordered[#ordered + 1] = boxes[k] end
    return places:transpose(1, 3, 2):copy(), ma.concatenate(ordered), ma.where(order:le(n), order, 0):copy()
  end

  def(NAME .. "(data: data, leafsize?: integer, compact_nodes?: boolean, copy_data?: boolean, "
    .. "balanced_tree?: boolean, boxsize?: data) -> kdtree",
    "Points, the rows of a matrix, in a tree that finds neighbours: an object with query, query_ball_point, " ..
      "query_ball_tree, query_pairs, count_neighbors and the fields data, n, m, mins, maxes. float32 stays, other " ..
      "dtypes give float64. leafsize, compact_nodes, copy_data and balanced_tree are taken and change nothing; " ..
      "boxsize is not taken.",
    function(data, _, _, _, _, boxsize)
      if boxsize ~= nil then fail(NAME, "boxsize is given; there are no periodic trees") end
      local a = core.asarray(data)
      if ma.iscomplexobj(a) or a.ndim ~= 2 or a.shape[2] == 0 then
        fail(NAME, sformat("data is %s; wanted a matrix with a real point in each row", core.describe(a)))
      end
      local dtype = (a.dtype == "float32" or a.dtype == "float16" or a.dtype == "bfloat16") and "float32" or "float64"
      a = a:astype(dtype):eval()
      local self = setmetatable({ data = a, n = a.shape[1], m = a.shape[2], dtype = dtype, device = a.device }, Meta)
      if a.shape[1] > 0 then
        self.mins, self.maxes = a:min(1):eval(), a:max(1):eval()
      else
        self.mins, self.maxes = ma.zeros({ self.m }, { dtype = dtype }), ma.zeros({ self.m }, { dtype = dtype })
      end
      self.points, self.boxes, self.positions = build(a)
      return self
    end)

  -- ==== The nearest points =========================================================================================

  --- k as a count, and a list of the wanted neighbours if k is one.
  local function wanted(name, k)
    if k == nil then return 1 end
    if type(k) == "number" then return common.whole(name, "k", k, 1) end
    local most = 0
    for _, place in ipairs(common.list(name, "k", k)) do most = math.max(most, common.whole(name, "an element of k",
      place, 1)) end
    if most == 0 then fail(name, "k is an empty table; wanted a number or a table of numbers") end
    return most, k
  end

  --> = kdtree | ma.spatial.KDTree({{0, 0}, {1, 1}}) | A tree of points that finds neighbours.
  --> . data: array | the points
  --> . n: integer | how many points there are
  --> . m: integer | their coordinates
  --> . dtype: dtype | of the points
  --> . device: string | where they are
  --> . mins: array | the least of each coordinate
  --> . maxes: array | the greatest of each coordinate
  --> :query(x: data, k?: integer|integer[], eps?: number, p?: number, bound?: number) -> array, array | The k nearest.
  --> kdtree:query: local distance, at = kdtree:query {0.2, 0}
  -->   return distance, at
  function methods:query(x, k, eps, p, bound, options)
    local name = "KDTree.query"
    local o = { k = k, eps = eps, p = p, distance_upper_bound = bound }
    for _, table_ in ipairs { k or false, eps or false, p or false, bound or false, options or false } do
      if type(table_) == "table" and not is_array(table_) and #table_ == 0 then
        for key, value in pairs(o) do if value == table_ then o[key] = nil end end
        for key, value in pairs(table_) do
          if key ~= "k" and key ~= "eps" and key ~= "p" and key ~= "distance_upper_bound" and key ~= "workers" then
            fail(name, sformat("no argument '%s'; query(x, k?, eps?, p?, distance_upper_bound?)", tostring(key)))
          end
          o[key] = value
        end
      end
    end
    local count, list = wanted(name, o.k)
    local rows, shape = queries(self, name, x)
    local limit = o.distance_upper_bound == nil and huge or not_negative(name, "distance_upper_bound",
      o.distance_upper_bound)
    local d, places = core.spatial_nearest(name, self.points, self.boxes, self.positions, check_p(name, o.p), rows,
      count, limit, not_negative(name, "eps", o.eps or 0), self.n + 1)
    if list then
      local index = ma.array(list, { dtype = "int64", device = self.device })
      d, places = d:take(index, 2), places:take(index, 2)
      count = #list
    end
    if list or count > 1 then shape[#shape + 1] = count end
    return d:reshape(shape), places:reshape(shape)
  end

  -- ==== Points within a distance ===================================================================================

  --- The number of points within r of each row.
  local function counts_of(self, name, rows, r, p)
    return core.spatial_within(name, self.points, self.boxes, self.positions, p, rows, r)
  end

  --- The row that each of `total` found positions belongs to; the rows end at the places `ends`.
  local function rows_of(ends, total)
    return ma.searchsorted(ends, ma.range(1, total, { device = ends.device }))
  end

  --- The number of points within r of each row, and all their positions, one row's behind the other's, and the
  --- place where each row ends. Waits.
  local function neighbours(self, name, rows, r, p, sorted)
    local counts = counts_of(self, name, rows, r, p)
    local ends = ma.cumsum(counts)
    local total = counts.size > 0 and ends(counts.size) or 0
    local found = core.spatial_within(name, self.points, self.boxes, self.positions, p, rows, r, ends - counts, total)
    if sorted and total > 1 then
      -- Stable sorts by position, then by row.
      local row = rows_of(ends, total)
      local order = core.argsort(found, 1)
      found = found:take(order:take(core.argsort(row:take(order), 1)))
    end
    return counts, found, ends
  end

  local function radii(self, name, r, rows, shape)
    local a = is_array(r) and r or core.asarray(r, { device = self.device })
    if a.ndim > #shape then
      fail(name, sformat("r is %s; wanted a distance, or one for each point", core.describe(a)))
    end
    a = ma.broadcast_to(a:astype(self.dtype), shape):reshape(rows.shape[1])
    return a:copy()
  end

  local function ball(self, name, x, r, p, sorted, only_counts)
    local rows, shape = queries(self, name, x)
    if #shape > 1 then fail(name, sformat("x of %d axes; wanted a point, or points in rows", #shape + 1)) end
    local distances = radii(self, name, r, rows, shape)
    if only_counts then return counts_of(self, name, rows, distances, p):reshape(shape) end
    local counts, found = neighbours(self, name, rows, distances, p, sorted)
    if #shape == 0 then return found end
    return core.pieces(found, counts)
  end

  --> :query_ball_point(x: data, r: data, p?: number, options?: table) -> array|array[] | The neighbours within r.
  --> kdtree:query_ball_point: kdtree:query_ball_point({0, 0}, 1)
  function methods:query_ball_point(x, r, p, options)
    local name = "KDTree.query_ball_point"
    if type(p) == "table" then p, options = nil, p end
    options = common.type(name, "options", options or {}, "table")
    for key in pairs(options) do
      if key ~= "p" and key ~= "return_sorted" and key ~= "return_length" and key ~= "eps" and key ~= "workers" then
        fail(name, sformat("no argument '%s'; query_ball_point(x, r, p?; return_sorted?, return_length?)",
          tostring(key)))
      end
    end
    return ball(self, name, x, r, check_p(name, p or options.p), options.return_sorted ~= false, options.return_length)
  end

  local function is_tree(name, other, self)
    if type(other) ~= "table" or getmetatable(other) ~= Meta or other.m ~= self.m then
      fail(name, sformat("other is %s; wanted a KDTree of %d coordinates", core.describe(other), self.m))
    end
    return other
  end

  --> :query_ball_tree(other: kdtree, r: number, p?: number) -> array[] | The same for each point, in another tree.
  --> kdtree:query_ball_tree: kdtree:query_ball_tree(kdtree, 2)[1]
  function methods:query_ball_tree(other, r, p)
    local name = "KDTree.query_ball_tree"
    return ball(is_tree(name, other, self), name, self.data, not_negative(name, "r", r), check_p(name, p), true)
  end

  --> :query_pairs(r: number, p?: number) -> array | All pairs within r.
  --> kdtree:query_pairs: kdtree:query_pairs(2)
  function methods:query_pairs(r, p)
    local name = "KDTree.query_pairs"
    r, p = not_negative(name, "r", r), check_p(name, p)
    if self.n == 0 then return ma.zeros({ 0, 2 }, { dtype = "int64", device = self.device }) end
    -- In the order of the leaves, so that queries after each other visit the same boxes. Empty places are the last.
    local order = self.positions[{ { 1, self.n } }]
    local rows = self.data:take(order, 1)
    local all = ma.full({ self.n }, r, { dtype = self.dtype, device = self.device })
    -- Of each pair the point that comes first finds the other.
    local function within(offsets, total)
      return core.spatial_within(name, self.points, self.boxes, self.positions, p, rows, all, offsets, total, true)
    end
    local counts = within()
    local ends = ma.cumsum(counts)
    local found = within(ends - counts, ends(self.n))
    local row = ma.repeat_(order, counts)
    return ma.stack({ ma.minimum(row, found), ma.maximum(row, found) }, 2)
  end

  --> :count_neighbors(other: kdtree, r: data, p?: number) -> array | How many pairs of two trees are within r.
  --> kdtree:count_neighbors: kdtree:count_neighbors(kdtree, {1, 2})
  function methods:count_neighbors(other, r, p)
    local name = "KDTree.count_neighbors"
    is_tree(name, other, self)
    p = check_p(name, p)
    local rows = self.data:take(self.positions[{ { 1, self.n } }], 1)    -- in the order of the leaves
    local function count(radius)
      if self.n == 0 then return ma.zeros({}, { dtype = "int64", device = self.device }) end
      local all = ma.broadcast_to(radius:astype(self.dtype), { self.n }):copy()
      return counts_of(other, name, rows, all, p):sum()
    end
    local radius = is_array(r) and r or core.asarray(r, { device = self.device })
    if radius.ndim == 0 then return count(radius) end
    if radius.ndim ~= 1 then fail(name, sformat("r is %s; wanted a distance or a vector", core.describe(radius))) end
    local list = {}
    for k = 1, radius.size do list[k] = count(radius[{ { k, k } }]) end
    return ma.stack(list)
  end

  --> spatial.KDTree: local tree = ma.spatial.KDTree({{0, 0}, {3, 4}, {1, 1}})
  -->   return tree:query({1, 0.5})
  common.guard("KDTree", Meta, methods, true)
  Meta.__index = common.attributes(NAME, methods)
  Meta.__tostring = function(self)
    return sformat("KDTree of %d points of %d coordinates, %s, %s", self.n, self.m, self.dtype, self.device)
  end
end
