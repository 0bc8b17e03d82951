--- Counting: in bins, by value, in several dimensions. Edges are computed as in NumPy, in the same precision. Only the
--- edges decide the bin of a value: edge[k] <= x < edge[k + 1]; the last bin includes its upper edge.
--# reduce

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local rules = require "moonarray.functions.bins" (ma, core)
  local on = common.on

  local function real(name, a)
    if is.complexfloating[a.dtype] then fail(name, sformat("dtype %s; real numbers", a.dtype)) end
    return a.dtype == "bool" and a:astype("uint8") or a
  end

  -- ==== Edges ======================================================================================================

  local function finite(x) return x - x == 0 end

  local function fail_finite(name, range, lo, hi)
    fail(name, sformat("%s from %s to %s; finite numbers", range and "a range" or "elements", tostring(lo),
      tostring(hi)))
  end

  local function fail_wide(name, lo, hi, dtype)
    fail(name, sformat("a range from %s to %s, whose width %s does not hold; wanted a narrower one", lo, hi, dtype))
  end

  --- The numbers lo and hi, and whether they were given. If not, they are the least and the greatest one, which waits.
  local function bounds(name, a, range)
    local lo, hi
    if range ~= nil then
      if core.is_array(range) then range = range:totable() end
      common.type(name, "range", range, "table")
      lo, hi = common.number(name, "range[1]", range[1]), common.number(name, "range[2]", range[2])
      if #range ~= 2 then fail(name, sformat("%d numbers for range; two", #range)) end
      if lo > hi then fail(name, sformat("a range from %s to %s; ascending", lo, hi)) end
    elseif a.size == 0 then return 0, 1, true
    else
      lo, hi = core.bounds(a)
    end
    if not finite(lo) or not finite(hi) then fail_finite(name, range, lo, hi) end
    if not finite(hi - lo) then fail_wide(name, lo, hi, "float64") end
    if lo == hi then return lo - 0.5, hi + 0.5, range ~= nil end
    return lo, hi, range ~= nil
  end

  --- n + 1 edges from lo to hi, in the dtype of the values if lo and hi are values whose distance it holds; else
  --- computed in float64 and rounded to it.
  local function spread(a, lo, hi, given, n)
    local dtype = is.inexact[a.dtype] and a.dtype or "float64"
    local within = (given or hi - lo > ma.finfo(dtype).max) and "float64" or dtype
    local function scalar(x) return ma.full_like(a, x, { shape = 1, dtype = within }) end
    local start, stop = scalar(lo), scalar(hi)
    local delta = stop - start
    local steps = on(a, ma.arange(0, n + 1, { dtype = "float64" })):astype(within)
    local step = delta / n
    local edges = (hi - lo) / n == 0 and steps / n * delta + start or steps * step + start
    edges[{ { n + 1, n + 1 } }] = stop                          -- as an array, because a number would wait
    return edges:astype(dtype, { copy = false })
  end

  --- Whether the edges are Lua numbers, which can be read without waiting.
  local function are_numbers(edges)
    if type(edges) ~= "table" then return false end
    for _, edge in ipairs(edges) do
      if type(edge) ~= "number" then return false end
    end
    return true
  end

  local function ascends(edges)
    for k = 2, #edges do
      if edges[k - 1] > edges[k] then return false end
    end
    return true
  end

  local narrow = { float32 = true, float64 = true }

  --- Edges whose number a rule of bins.lua gives for the elements in the range.
  local function edges_by(name, a, rule, range)
    local lo, hi, given = bounds(name, a, range)
    local x = a
    if given and a.size > 0 then
      local keep = ma.logical_and(ma.greater_equal(a, lo), ma.less_equal(a, hi))
      if not keep:all() then x = a[keep] end
    end
    return spread(a, lo, hi, given, rules.count(name, rule, x, lo, hi))
  end

  --- The edges; whether they are evenly spaced; and the least and the greatest element, if it is not known yet that
  --- they are finite. These are returned so that the device can go on while the host waits for them.
  local function edges_of(name, a, bins, range)
    if bins == nil then bins = 10 end
    if type(bins) == "string" then return edges_by(name, a, bins, range), true end
    if type(bins) == "number" then
      local n = common.whole(name, "bins", bins, 1)
      if range == nil and a.size > 0 and (narrow[a.dtype] or not is.inexact[a.dtype]) then
        local two = core.extremes(a)
        return core.spread(two, narrow[a.dtype] and a.dtype or "float64", n), true, two
      end
      local lo, hi, given = bounds(name, a, range)
      return spread(a, lo, hi, given, n), true
    end
    if not core.is_array(bins) and type(bins) ~= "table" then
      fail(name, sformat("bins is %s; wanted a number or edges", core.describe(bins)))
    end
    local edges = real(name, on(a, bins))
    if edges.ndim ~= 1 or edges.size < 2 then
      fail(name, sformat("%d edges of %d axes; at least two, along one axis", edges.size, edges.ndim))
    end
    local ascending
    if are_numbers(bins) then ascending = ascends(bins)
    else ascending = not ma.greater(common.neighbours(edges, 1)):any() end
    if not ascending then fail(name, "edges that go down; ascending ones") end
    return edges, false
  end

  --- Raises an error if the least or greatest element is not finite; waits.
  local function check_ends(name, two)
    if not two or not is.inexact[two.dtype] then return end
    local ends = two:totable()
    local lo, hi = ends[1], ends[2]
    if not finite(lo) or not finite(hi) then fail_finite(name, nil, lo, hi) end
    if hi - lo > ma.finfo(two.dtype).max then fail_wide(name, lo, hi, two.dtype) end
  end

  -- ==== One dimension ==============================================================================================

  --- The bin of each value, and whether it has one.
  local function place(a, edges)
    local x, keys = common.alike(a, edges)
    local n = edges.size
    local above = core.search(keys, x, true) - 1
    local inside = ma.logical_and(ma.greater_equal(x, keys[1]), ma.less_equal(x, keys[n]))
    return ma.minimum(above, n - 1), inside
  end

  --- Sums of weights by bin 1 .. n, for values inside.
  local function add_up(places, inside, weights, n)
    local dtype = is.complexfloating[weights.dtype] and "complex128" or "float64"
    local sums = ma.full_like(weights, 0, { shape = n, dtype = dtype })
    if weights.size == 0 then return sums end
    return sums:iadd_at(ma.where(inside, places, 1), ma.where(inside, weights:astype(dtype), 0))
  end

  --- How many values inside have each bin 1 .. n. The others are counted behind them.
  local function tally(places, inside, n)
    if places.size == 0 then return ma.zeros(n, { dtype = "int64", device = places.device }) end
    return core.tally(ma.eval(ma.where(inside, places - 1, n)), n + 1)[{ { 1, n } }]
  end

  local function count(a, edges, uniform)
    local dtype = ma.promote_types(a.dtype, edges.dtype)
    if uniform then dtype = edges.dtype end
    if is.inexact[dtype] then
      -- Edges that were rounded to a narrower dtype are not exactly where arithmetic would put them.
      return core.histogram(a, edges:astype(dtype == "float64" and "float64" or "float32"),
        uniform and narrow[edges.dtype] or false)
    end
    local places, inside = place(a, edges)              -- integers that float64 does not hold
    return tally(places, inside, edges.size - 1)
  end

  local function weights_for(name, a, weights)
    weights = on(a, weights)
    if not ma.same_shape(a, weights) then fail(name, "weights of another shape than the elements; one a element") end
    return ma.ravel(weights)
  end

  --- A rule does not support weights.
  local function check_rule(name, bins, weights)
    if type(bins) ~= "string" or weights == nil then return end
    fail(name, sformat("weights with bins '%s'; bins as a number or edges", bins))
  end

  --> histogram({1, 2, 2, 5}, 2)
  def("histogram(a: data, bins?: integer|data, range?: number[], density?: boolean, weights?: data) -> array, array",
    "How many elements lie in each bin, and the edges of the bins: bins is their number (10), spread over the range "
    .. "(least to greatest), or the edges, or a rule for their number: auto, doane, fd, rice, scott, sqrt, stone or "
    .. "sturges.",
    function(a, bins, range, density, weights)
      check_rule("histogram", bins, weights)
      a = real("histogram", core.asarray(a))
      if weights ~= nil then weights = weights_for("histogram", a, weights) end
      a = ma.ravel(a)
      local edges, uniform, ends = edges_of("histogram", a, bins, range)
      local counts
      if weights then
        local places, inside = place(uniform and a:astype(edges.dtype, { copy = false }) or a, edges)
        counts = add_up(places, inside, weights, edges.size - 1):astype(weights.dtype)
      else
        counts = count(a, edges, uniform)
      end
      check_ends("histogram", ends)
      if density then
        local widths = ma.diff(edges):astype("float64")
        counts = counts / widths / counts:sum()
      end
      return counts, edges
    end)

  --> histogram_bin_edges({1, 2, 2, 5}, 2)
  def("histogram_bin_edges(a: data, bins?: integer|data, range?: number[], weights?: data) -> array",
    "The edges that histogram would use.",
    function(a, bins, range, weights)
      check_rule("histogram_bin_edges", bins, weights)
      a = ma.ravel(real("histogram_bin_edges", core.asarray(a)))
      local edges, _, ends = edges_of("histogram_bin_edges", a, bins, range)
      check_ends("histogram_bin_edges", ends)
      return edges
    end)

  -- ==== Several dimensions =========================================================================================

  --- `columns`: the coordinates, an array with one axis for each dimension.
  local function histogramdd(name, columns, bins, range, density, weights)
    local dims, edges, shape, ends = #columns, {}, {}, {}
    if type(bins) == "table" and #bins ~= dims and not core.is_array(bins) then
      fail(name, sformat("%d bins for %d dimensions; one a dimension", #bins, dims))
    end
    local flat, inside = nil, nil
    for d = 1, dims do
      local x = columns[d]
      if not is.inexact[x.dtype] then x = x:astype("float64") end
      local wanted = bins
      if type(bins) == "table" then wanted = bins[d] end
      if type(wanted) == "string" then fail(name, sformat("'%s' for bins; a number or edges", wanted)) end
      local own, _, two = edges_of(name, x, wanted, type(range) == "table" and range[d] or nil)
      edges[d], ends[d] = own, two or false
      shape[d] = edges[d].size - 1
      local at, within = place(x, edges[d])
      flat = flat and (flat - 1) * shape[d] + at or at
      inside = inside and ma.logical_and(inside, within) or within
    end
    local total = common.product(shape)
    local result
    if weights == nil then result = tally(flat, inside, total):astype("float64")
    else result = add_up(flat, inside, weights_for(name, flat, weights), total) end
    result = result:reshape(shape)
    for d = 1, dims do check_ends(name, ends[d]) end          -- waits, behind all of the work
    if density then
      local sum = result:sum()
      for d = 1, dims do
        result = result / ma.diff(edges[d]):reshape(common.upright(dims, d, shape[d]))
      end
      result = result / sum
    end
    return result, edges
  end

  --> histogramdd: (ma.histogramdd({{1, 1}, {2, 2}}, 2))
  def("histogramdd(sample: data, bins?: integer|integer[]|data[], range?: number[][], density?: boolean, "
    .. "weights?: data) -> array, array[]",
    "Counts in boxes, and a table of edges: sample has a row a point, or is a table of coordinates; bins and range " ..
      "may have an entry a dimension.",
    function(sample, bins, range, density, weights)
      local columns = {}
      if core.is_array(sample) then
        if sample.ndim == 1 then sample = sample:reshape(-1, 1) end
        if sample.ndim ~= 2 then fail("histogramdd", sformat("a sample of %d axes; 2, a row a point", sample.ndim)) end
        for d = 1, sample.shape[2] do columns[d] = real("histogramdd", sample[{ {}, d }]) end
      else
        for d, x in ipairs(common.type("histogramdd", "sample", sample, "table")) do
          columns[d] = real("histogramdd", ma.ravel(x))
        end
      end
      if #columns == 0 then fail("histogramdd", "no dimensions; at least one") end
      for d = 2, #columns do
        if columns[d].size ~= columns[1].size then
          fail("histogramdd", sformat("%d coordinates in dimension %d; %d", columns[d].size, d, columns[1].size))
        end
      end
      return histogramdd("histogramdd", columns, bins, range, density, weights)
    end)

  --> histogram2d: (ma.histogram2d({1, 2}, {1, 2}, 2))
  def("histogram2d(x: data, y: data, bins?: integer|integer[]|data[], range?: number[][], density?: boolean, "
    .. "weights?: data) -> array, array, array",
    "Counts in rectangles of the plane; gives the counts and the edges along x and along y.",
    function(x, y, bins, range, density, weights)
      x = real("histogram2d", ma.ravel(x))
      y = real("histogram2d", ma.ravel(on(x, y)))
      if x.size ~= y.size then fail("histogram2d", sformat("%d and %d coordinates; as many", x.size, y.size)) end
      if core.is_array(bins) then bins = { bins, bins } end
      if type(bins) == "table" and #bins > 2 and type(bins[1]) == "number" then bins = { bins, bins } end
      local counts, edges = histogramdd("histogram2d", { x, y }, bins, range, density, weights)
      return counts, edges[1], edges[2]
    end)
end
