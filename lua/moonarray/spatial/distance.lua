--- ma.spatial.distance: distances between the rows of matrices. One kernel computes the metrics of
--- kernels/spatial/metrics.h; the other metrics are one of these after a change of the vectors.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format
local huge = math.huge

-- SciPy's and cuVS's other names.
local same = {
  euclid = "euclidean", eu = "euclidean", e = "euclidean", l2 = "euclidean",
  sqe = "sqeuclidean", sqeuclid = "sqeuclidean",
  cblock = "cityblock", cb = "cityblock", c = "cityblock", manhattan = "cityblock", l1 = "cityblock",
  chebychev = "chebyshev", cheby = "chebyshev", cheb = "chebyshev", ch = "chebyshev",
  mi = "minkowski", m = "minkowski", pnorm = "minkowski", lp = "minkowski",
  co = "correlation", cos = "cosine", js = "jensenshannon", jacc = "jaccard", ja = "jaccard", j = "jaccard",
  matching = "hamming", hamm = "hamming", ha = "hamming", h = "hamming",
  se = "seuclidean", s = "seuclidean", mahal = "mahalanobis", mah = "mahalanobis",
}

-- The metrics by name: whether they take p, V, VI, base; all but one take weights.
local metrics = {
  minkowski = "p", seuclidean = "V", mahalanobis = "VI", jensenshannon = "base",
}
for name in ([[euclidean sqeuclidean cityblock chebyshev canberra braycurtis cosine correlation hamming kl_divergence
  hellinger russellrao jaccard dice rogerstanimoto sokalsneath yule]]):gmatch("%S+") do metrics[name] = "" end

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  -- ==== Operands ===================================================================================================

  --- An argument in the precision in which distances are computed, on the device of `beside` unless it is an array.
  local function floats(name, what, value, beside)
    local a = is_array(value) and value or core.asarray(value, { device = beside and beside.device or nil })
    if ma.iscomplexobj(a) then fail(name, sformat("%s is %s; wanted real numbers", what, core.describe(a))) end
    if a.dtype == "float32" or a.dtype == "float64" then return a end
    return a:astype((a.dtype == "float16" or a.dtype == "bfloat16") and "float32" or "float64")
  end

  local function vectors(name, what, value, beside)
    local a = floats(name, what, value, beside)
    if a.ndim ~= 2 then fail(name, sformat("%s is %s; wanted a matrix with a vector in each row", what,
      core.describe(a))) end
    return a
  end

  --- Both in one dtype.
  local function alike(x, y)
    if x.dtype == y.dtype then return x, y end
    return x:astype("float64"), y:astype("float64")
  end

  local function metric_of(name, metric)
    metric = metric or "euclidean"
    if type(metric) ~= "string" then
      fail(name, sformat("metric is %s; wanted the name of one", core.describe(metric)))
    end
    local lower = metric:lower()
    lower = same[lower] or lower
    if not metrics[lower] then
      local list = {}
      for known in pairs(metrics) do list[#list + 1] = known end
      table.sort(list)
      fail(name, sformat("'%s' for metric; wanted %s", metric, table.concat(list, ", ")))
    end
    return lower
  end

  local function weights_of(name, w, x)
    if w == nil then return nil end
    w = floats(name, "w", w, x)
    if w.ndim ~= 1 or w.size ~= x.shape[2] then
      fail(name, sformat("w is %s; wanted a weight for each of %d components", core.describe(w), x.shape[2]))
    end
    return w:astype(x.dtype)
  end

  -- ==== Metrics that are another one of changed vectors ============================================================

  local function all_rows(x, y) return y and ma.concatenate({ x, y }) or x end

  local change = {}

  function change.correlation(_, x, y, o)
    local function centred(a)
      if a == nil then return nil end
      local mean = o.w and (a * o.w):sum(2, { keepdims = true }) / o.w:sum() or a:mean(2, { keepdims = true })
      return a - mean
    end
    return "cosine", centred(x), centred(y), o.w
  end

  function change.jensenshannon(_, x, y, o)
    local function one(a) return a and a / a:sum(2, { keepdims = true }) end
    return "jensenshannon", one(x), one(y), nil, o.base
  end

  function change.seuclidean(name, x, y, o)
    local v
    if o.V == nil then v = all_rows(x, y):var(1, { ddof = 1 })
    else
      v = floats(name, "V", o.V, x):astype(x.dtype)
      if v.ndim ~= 1 or v.size ~= x.shape[2] then
        fail(name, sformat("V is %s; wanted a variance for each of %d components", core.describe(v), x.shape[2]))
      end
    end
    return "euclidean", x, y, o.w and o.w / v or 1 / v
  end

  -- d^T VI d is a weighted sum of squares if d is given in the basis of VI's eigenvectors.
  function change.mahalanobis(name, x, y, o)
    local n = x.shape[2]
    local vi
    if o.VI == nil then
      local rows = all_rows(x, y)
      if rows.shape[1] <= n then
        fail(name, sformat("%d vectors of %d components; the covariance of more vectors than components is wanted, " ..
          "or VI", rows.shape[1], n))
      end
      vi = ma.linalg.inv(ma.atleast_2d(ma.cov(rows, { rowvar = false })))
    else
      vi = floats(name, "VI", o.VI, x)
      if vi.ndim ~= 2 or vi.shape[1] ~= n or vi.shape[2] ~= n then
        fail(name, sformat("VI is %s; wanted a matrix of %d by %d", core.describe(vi), n, n))
      end
    end
    vi = vi:astype(x.dtype)
    local w, basis = ma.linalg.eigh((vi + vi:transpose()) / 2)
    return "euclidean", ma.matmul(x, basis), y and ma.matmul(y, basis), w
  end

  function change.minkowski(_, x, y, o)
    local p = o.p
    return p == 1 and "cityblock" or p == 2 and "euclidean" or p == huge and "chebyshev" or "minkowski", x, y, o.w
  end

  --- The distances by a metric whose name was checked. y nil: of the pairs of rows of x.
  local function distances(name, x, y, metric, o)
    local takes = metrics[metric]
    for _, option in ipairs { "p", "V", "VI", "base" } do
      if o[option] ~= nil and option ~= takes then
        fail(name, sformat("%s is given; the metric %s takes %s", option, metric,
          takes ~= "" and takes or "w alone"))
      end
    end
    o.w = weights_of(name, o.w, x)
    if metric == "minkowski" then
      o.p = common.number(name, "p", o.p == nil and 2 or o.p)
      if o.p <= 0 or o.p ~= o.p then fail(name, sformat("p is %s; wanted a number above 0", tostring(o.p))) end
    elseif metric == "jensenshannon" then
      if o.w then fail(name, "w is given; the metric jensenshannon takes base alone") end
      if o.base ~= nil and common.number(name, "base", o.base) <= 0 then
        fail(name, sformat("base is %s; wanted a number above 0", tostring(o.base)))
      end
    end
    local w, base = o.w, nil
    if change[metric] then metric, x, y, w, base = change[metric](name, x, y, o) end
    local d = core.spatial_pairs(name, x, metric, o.p or 2, y, w)
    return base and d / math.sqrt(math.log(base)) or d
  end

  -- ==== Matrices of distances ======================================================================================

  local options = "p (2) is minkowski's, w (1) are weights of the components, V the variances of seuclidean, VI the " ..
    "inverse covariance of mahalanobis (both of all vectors where none is given), base the logarithm's of " ..
    "jensenshannon. float32 stays float32, other dtypes give float64."

  --- |x|^2 + |y|^2 - 2 x y, which a matrix product computes. What is below 0 by rounding is 0.
  local function by_product(name, x, y, metric, o)
    if metric ~= "euclidean" and metric ~= "sqeuclidean" then
      fail(name, sformat("method 'matmul' for the metric %s; it computes euclidean and sqeuclidean", metric))
    end
    for _, option in ipairs { "p", "w", "V", "VI", "base" } do
      if o[option] ~= nil then fail(name, sformat("%s is given; method 'matmul' takes no options", option)) end
    end
    local function squared(a) return (a * a):sum(2) end
    local d = ma.maximum(squared(x)[":, _"] + squared(y) - 2 * ma.matmul(x, y:transpose()), 0)
    return metric == "euclidean" and ma.sqrt(d) or d
  end

  local methods = { exact = distances, matmul = by_product }

  local function method_of(name, method)
    if method == nil then return distances end
    if methods[method] then return methods[method] end
    fail(name, sformat("method is %s; wanted 'exact' or 'matmul'",
      type(method) == "string" and "'" .. method .. "'" or core.describe(method)))
  end

  local function cdist(name, xa, xb, metric, out, o)
    local method = method_of(name, o.method)
    local x = vectors(name, "XA", xa, is_array(xb) and xb or nil)
    local y = vectors(name, "XB", xb, x)
    if x.shape[2] ~= y.shape[2] then
      fail(name, sformat("XA is %s and XB is %s; wanted vectors of one length", core.describe(x), core.describe(y)))
    end
    x, y = alike(x, y)
    return common.finish(name, method(name, x, y, metric_of(name, metric), o), out)
  end

  --> spatial.distance.cdist({{0, 0}}, {{3, 4}, {1, 0}})
  def("spatial.distance.cdist(XA: data, XB: data, metric?: string|string[], out?: array; p?: number, w?: data, "
    .. "V?: data, VI?: data, base?: number, method?: string) -> array",
    "The distance of each row of XA to each row of XB, as a matrix. metric: euclidean, sqeuclidean, cityblock, " ..
      "chebyshev, minkowski, canberra, braycurtis, cosine, correlation, hamming, jensenshannon, kl_divergence, " ..
      "hellinger, seuclidean, mahalanobis, or of nonzero components russellrao, jaccard, dice, rogerstanimoto, " ..
      "sokalsneath, yule. " .. options .. " method 'matmul' computes euclidean and sqeuclidean as |x|^2 + |y|^2 - " ..
      "2 x y by a matrix product. Where vectors are near to each other, few of its digits are right; 'exact' is the " ..
      "default.",
    function(xa, xb, metric, out, p, w, v, vi, base, method)
      return cdist("spatial.distance.cdist", xa, xb, metric, out,
        { p = p, w = w, V = v, VI = vi, base = base, method = method })
    end)

  --> spatial.distance.pdist({{0, 0}, {3, 4}, {1, 0}})
  def("spatial.distance.pdist(X: data, metric?: string|string[], out?: array; p?: number, w?: data, V?: data, "
    .. "VI?: data, base?: number) -> array",
    "The distances between the rows of X: of rows 1 and 2, 1 and 3 and so on, then 2 and 3, as one axis that " ..
      "squareform makes a matrix of. The metrics and options are cdist's. " .. options,
    function(a, metric, out, p, w, v, vi, base)
      local name = "spatial.distance.pdist"
      local x = vectors(name, "X", a)
      return common.finish(name, distances(name, x, nil, metric_of(name, metric),
        { p = p, w = w, V = v, VI = vi, base = base }), out)
    end)

  local function matrix(name)
    return function(x, y, p)
      p = common.number(name, "p", p == nil and 2 or p)
      return cdist(name, x, y, "minkowski", nil, { p = p })
    end
  end
  --> spatial.distance_matrix({{0, 0}}, {{3, 4}, {1, 0}})
  --> spatial.distance.distance_matrix({{0, 0}}, {{3, 4}, {1, 0}})
  for _, place in ipairs { "spatial.distance_matrix", "spatial.distance.distance_matrix" } do
    def(place .. "(x: data, y: data, p?: number) -> array",
      "The distance of each row of x to each row of y in the p-norm (2), as a matrix.", matrix(place))
  end

  -- ==== Condensed and square forms =================================================================================

  --- The n of n (n - 1) / 2 distances.
  local function vertices(name, size)
    local n = math.floor((1 + math.sqrt(1 + 8 * size)) / 2 + 0.5)
    if n * (n - 1) / 2 ~= size then
      fail(name, sformat("%d distances; wanted n (n - 1) / 2 of them for n points", size))
    end
    return n
  end

  local BLOCK = 128                      -- rows that are turned at once

  --- Copies rows, and turns blocks of them. On the CPU this takes half the time of looking each element up by its
  --- position.
  local function by_rows(v, n)
    local m, at = ma.empty({ n, n }, { dtype = v.dtype }), 1
    for lo, hi in ma.blocks(n, BLOCK) do
      local corner, ahead = { lo, hi }, { hi + 1, n }
      m[{ corner, corner }] = 0
      for i = lo, math.min(hi, n - 1) do
        local last = at + n - i - 1
        m[{ i, { i + 1, n } }] = v[{ { at, last } }]
        at = last + 1
      end
      local block = m[{ corner, corner }]:copy()         -- a copy, so that no program waits for all of m
      m[{ corner, corner }] = ma.where(block:eq(0), block:transpose(), block)
      if hi < n then m[{ ahead, corner }] = m[{ corner, ahead }]:transpose() end
    end
    return m
  end

  local function to_matrix(name, v)
    local n = vertices(name, v.size)
    if v.size == 0 then return ma.zeros({ 1, 1 }, { dtype = v.dtype, device = v.device }) end
    if v.device == "cpu" then return by_rows(v, n) end
    local k = ma.range(1, n, { device = v.device })
    local row, column = k:reshape(n, 1), k:reshape(1, n)
    local low, high = ma.minimum(row, column), ma.maximum(row, column)
    local place = (low - 1) * n - ma.floor_divide(low * (low + 1), 2) + high
    local diagonal = row:eq(column)
    return ma.where(diagonal, 0, v[ma.where(diagonal, 1, place)]):astype(v.dtype)
  end

  --- Whether the matrix is exactly the same turned, which most are, and which costs less to look at.
  local function is_symmetric(m, n)
    for lo, hi in ma.blocks(n, BLOCK) do
      local along, across = m[{ { lo, hi }, { lo, n } }], m[{ { lo, n }, { lo, hi } }]
      if not ma.array_equal(along, across:transpose()) then return false end
    end
    return true
  end

  local function to_vector(name, m, checks)
    local n = m.shape[1]
    if m.shape[2] ~= n then fail(name, sformat("%s; wanted a square matrix", core.describe(m))) end
    if checks and not (m.device == "cpu" and is_symmetric(m, n)) and
      not ma.allclose(m, m:transpose(), { rtol = 0, atol = 1e-8 }) then
      fail(name, "a matrix that is not symmetric; wanted distances, or checks = false")
    end
    if checks and not ma.allclose(m:diagonal(), 0, { atol = 1e-8 }) then
      fail(name, "a matrix whose diagonal is not zero; wanted distances, or checks = false")
    end
    if m.device == "cpu" and n > 1 then
      local rows = {}
      for i = 1, n - 1 do rows[i] = m[{ i, { i + 1, n } }] end
      return ma.concatenate(rows)
    end
    local row, column = ma.triu_indices(n, 1)
    return m:ravel():take(((row - 1) * n + column):to(m.device))
  end

  --> spatial.distance.squareform({1, 2, 3})
  def("spatial.distance.squareform(X: data, force?: string, checks?: boolean) -> array",
    "The symmetric matrix of a vector of distances as pdist gives, or the vector of such a matrix. force: " ..
      "'tovector' or 'tomatrix' demands one of them. checks (true): a matrix must be symmetric with zeros on its " ..
      "diagonal, which is looked at and waits.",
    function(x, force, checks)
      local name = "spatial.distance.squareform"
      local a = core.asarray(x)
      local wanted = force and tostring(force):lower() or "no"
      if wanted ~= "no" and wanted ~= "tovector" and wanted ~= "tomatrix" then
        fail(name, sformat("%s for force; 'no', 'tovector' or 'tomatrix'", common.shown(force)))
      end
      if a.ndim ~= 1 and a.ndim ~= 2 then
        fail(name, sformat("%s; wanted a vector or a matrix of distances", core.describe(a)))
      end
      if (wanted == "tomatrix" and a.ndim == 2) or (wanted == "tovector" and a.ndim == 1) then
        fail(name, sformat("%s for force = '%s'; wanted a %s", core.describe(a), wanted,
          a.ndim == 1 and "matrix" or "vector"))
      end
      if a.ndim == 1 then return to_matrix(name, a) end
      return to_vector(name, a, checks ~= false)
    end)

  -- ==== Distances of two vectors ===================================================================================

  local function between(name, metric, u, v, o)
    local x = floats(name, "u", u, is_array(v) and v or nil)
    local y = floats(name, "v", v, x)
    if x.ndim ~= 1 or y.ndim ~= 1 or x.size ~= y.size then
      fail(name, sformat("u is %s and v is %s; wanted two vectors of one length", core.describe(x), core.describe(y)))
    end
    x, y = alike(x, y)
    return distances(name, x:reshape(1, x.size), y:reshape(1, y.size), metric, o):reshape({})
  end

  local texts = {
    euclidean = "the square root of the sum of (u - v)^2", sqeuclidean = "the sum of (u - v)^2",
    cityblock = "the sum of |u - v|", chebyshev = "the greatest |u - v|",
    canberra = "the sum of |u - v| / (|u| + |v|), where 0 / 0 is 0",
    braycurtis = "the sum of |u - v| over that of |u + v|", cosine = "1 - u.v / (|u| |v|)",
    correlation = "cosine of the vectors less their means", hamming = "the part of the components that differ",
    kl_divergence = "the sum of u log(u / v)", hellinger = "the square root of 1 - the sum of sqrt(u v)",
    russellrao = "the part of the components that are not both nonzero",
    jaccard = "of the components that are not both 0, the part where one is",
    dice = "d / (2 b + d), where b components are both nonzero and d one of them",
    rogerstanimoto = "2 d / (n + d), where d of n components are nonzero in one vector alone",
    sokalsneath = "2 d / (b + 2 d), where b components are both nonzero and d one of them",
    yule = "2 p q / (b z + p q), where b components are both nonzero, z neither, p in u alone, q in v alone",
  }
  local order = {}
  for metric in pairs(texts) do order[#order + 1] = metric end
  table.sort(order)
  for _, metric in ipairs(order) do
    local name = "spatial.distance." .. metric
    --> spatial.distance.euclidean({0, 0}, {3, 4})
    --> spatial.distance.sqeuclidean({0, 0}, {3, 4})
    --> spatial.distance.cityblock({0, 0}, {3, 4})
    --> spatial.distance.chebyshev({0, 0}, {3, 4})
    --> spatial.distance.braycurtis({1, 0}, {3, 4})
    --> spatial.distance.canberra({1, 0}, {3, 4})
    --> spatial.distance.correlation({1, 2, 3}, {1, 3, 2})
    --> spatial.distance.cosine({1, 0}, {0, 1})
    --> spatial.distance.hamming({1, 0, 1}, {1, 1, 1})
    --> spatial.distance.hellinger({0.5, 0.5}, {0.25, 0.75})
    --> spatial.distance.kl_divergence({0.5, 0.5}, {0.25, 0.75})
    --> spatial.distance.jaccard({true, false, true}, {true, true, false})
    --> spatial.distance.dice({true, false, true}, {true, true, false})
    --> spatial.distance.rogerstanimoto({true, false, true}, {true, true, false})
    --> spatial.distance.russellrao({true, false, true}, {true, true, false})
    --> spatial.distance.sokalsneath({true, false, true}, {true, true, false})
    --> spatial.distance.yule({true, false, true}, {true, true, false})
    def(name .. "(u: data, v: data, w?: data) -> array",
      "The distance of two vectors: " .. texts[metric] .. ". w: weights of the components. " ..
      "The result is a 0-d array.", function(u, v, w) return between(name, metric, u, v, { w = w }) end)
  end

  --- Metrics that take an argument of their own, which stands in front of w.
  --> spatial.distance.minkowski({0, 0}, {3, 4}, 3)
  --> spatial.distance.seuclidean({0, 0}, {3, 4}, {1, 4})
  --> spatial.distance.mahalanobis({0, 0}, {3, 4}, {{1, 0}, {0, 1}})
  --> spatial.distance.jensenshannon({0.5, 0.5}, {0.25, 0.75})
  for _, row in ipairs {
    { "minkowski", "u: data, v: data, p?: number, w?: data", { "p", "w" },
      "The distance of two vectors: the sum of w |u - v|^p, to the power 1 / p (2)." },
    { "seuclidean", "u: data, v: data, V: data", { "V" },
      "The distance of two vectors: the square root of the sum of (u - v)^2 / V. V: variances of the components." },
    { "mahalanobis", "u: data, v: data, VI: data", { "VI" },
      "The distance of two vectors: the square root of (u - v) VI (u - v). VI: the inverse of a covariance." },
    { "jensenshannon", "p: number, q: data, base?: number", { "base" },
      "The Jensen-Shannon distance of two vectors of probabilities, which are first divided by their sums: the square "
        .. "root of the mean of their relative entropies to (p + q) / 2. base (e): of the logarithm." },
  } do
    local metric, options_of = row[1], row[3]
    local name = "spatial.distance." .. metric
    def(name .. "(" .. row[2] .. ") -> array", row[4], function(u, v, first, second)
      return between(name, metric, u, v, { [options_of[1]] = first, [options_of[2] or "w"] = second })
    end)
  end
end
