--- Covariance and correlation of variables, the rows of a matrix, with weights for the observations, its columns.
--# reduce

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  --- A matrix with a row for each variable, in the dtype.
  local function variables(name, m, dtype, rowvar, device)
    if m.ndim > 2 then fail(name, sformat("an array of %d axes; at most 2", m.ndim)) end
    m = m:to(device):astype(dtype, { copy = false })
    if m.ndim < 2 then return m:reshape(1, -1) end
    return rowvar == false and m.T or m
  end

  --- One weight for each observation, as float64.
  local function vector(name, what, weights, like)
    weights = core.asarray(weights)
    if weights.ndim > 1 then fail(name, sformat("%s has %d axes; wanted one weight an "
      .. "observation", what, weights.ndim)) end
    if is.complexfloating[weights.dtype] then fail(name, sformat("%s has dtype %s; real "
      .. "numbers", what, weights.dtype)) end
    local n = like.shape[2]
    if weights.ndim == 0 or weights.size ~= n then
      fail(name, sformat("%d weights in %s for %d observations; as many", weights.size, what, n))
    end
    return weights:to(like.device):astype("float64", { copy = false })
  end

  --- The product of both kinds of weights, their sum, and the divisor of the sum of products. It waits once for all
  --- checks of the weights.
  local function weigh(name, x, fweights, aweights, ddof)
    local f = fweights ~= nil and vector(name, "fweights", fweights, x)
    local a = aweights ~= nil and vector(name, "aweights", aweights, x)
    local none = ma.full({}, 0, "float64", { device = x.device })
    local w = f and a and f * a or f or a
    local broken = f and ma.sum(ma.rint(f):ne(f)) or none
    local negative = f and ma.sum(f:lt(0)) or none
    local below = a and ma.sum(a:lt(0)) or none
    local shared = a and ma.sum(w * a) or none
    local n_broken, n_negative, n_below, total, correction = ma.item(broken, negative, below, ma.sum(w), shared)
    if tonumber(n_broken) > 0 then fail(name, "fweights that are no whole numbers; how often each observation "
      .. "occurs") end
    if tonumber(n_negative) > 0 then fail(name, "fweights below 0; wanted 0 or more") end
    if tonumber(n_below) > 0 then fail(name, "aweights below 0; wanted 0 or more") end
    if total == 0 then fail(name, "weights that add up to 0; wanted another sum") end
    if ddof == 0 then return w, total, total end
    if not a then return w, total, total - ddof end
    return w, total, total - ddof * correction / total
  end

  local function cov(name, m, y, rowvar, bias, ddof, fweights, aweights, dtype)
    m = core.asarray(m)
    if m.ndim > 2 then fail(name, sformat("an array of %d axes; at most 2", m.ndim)) end
    if ddof == nil then ddof = bias == true and 0 or 1 end
    common.whole(name, "ddof", ddof)
    local like = y ~= nil and core.asarray(y)
    dtype = dtype or (like and ma.result_type(m.dtype, like.dtype, "float64") or ma.result_type(m.dtype, "float64"))
    local x = variables(name, m, dtype, rowvar, m.device)
    local n = x.shape[2]
    if x.shape[1] == 0 then return ma.zeros({ 0, 0 }, { dtype = "float64", device = m.device }) end
    if like then
      local is_row = like.ndim == 2 and like.shape[1] == 1
      local other = variables(name, like, dtype, is_row or rowvar, m.device)
      if other.shape[2] ~= n then fail(name, sformat("%d and %d observations; as many in "
        .. "both", n, other.shape[2])) end
      x = ma.concatenate { x, other }
    end
    local w, total, divisor = nil, nil, n - ddof
    if fweights ~= nil or aweights ~= nil then w, total, divisor = weigh(name, x, fweights, aweights, ddof) end
    local mean = w and ma.sum(x * w, 2, { keepdims = true }) / total or ma.mean(x, 2, { keepdims = true })
    x = x - mean
    local turned = (w and x * w or x).T
    if is.complexfloating[x.dtype] then turned = ma.conj(turned) end
    local product = ma.matmul(x, turned)
    return (product * (1 / math.max(divisor, 0))):squeeze():astype(dtype, { copy = false })
  end

  --> cov({{1, 2, 3}, {3, 2, 1}})
  def("cov(m: data, y?: data, rowvar?: boolean, bias?: boolean, ddof?: integer, fweights?: data, "
    .. "aweights?: data; dtype?: dtype) -> array",
    "The covariances of variables, which are the rows of m and of y (the columns with rowvar = false), as a matrix; "
      .. "one variable gives a 0-d array. They are divided by the number of observations less ddof (1, or 0 with "
      .. "bias). fweights says how often each observation occurs, aweights how much it weighs; weights are looked "
      .. "at, which waits. The dtype is float64 at least, or dtype.",
    function(m, y, rowvar, bias, ddof, fweights, aweights, dtype)
      return cov("cov", m, y, rowvar, bias, ddof, fweights, aweights, dtype)
    end)

  --- Clips the parts of numbers to -1 .. 1, which rounding may exceed.
  local function within(c)
    if not is.complexfloating[c.dtype] then return ma.clip(c, -1, 1) end
    local held = c:copy()
    ma.clip(held.real, -1, 1, { out = held.real })
    ma.clip(held.imag, -1, 1, { out = held.imag })
    return held
  end

  --> corrcoef({{1, 2, 3}, {3, 2, 1}})
  def("corrcoef(x: data, y?: data, rowvar?: boolean; dtype?: dtype, fweights?: data, aweights?: data) -> array",
    "The correlations of variables: cov divided by the standard deviations of both, within -1 .. 1; nan beside a "
      .. "variable that does not vary. Arguments and weights as those of cov.",
    function(x, y, rowvar, dtype, fweights, aweights)
      local c = cov("corrcoef", x, y, rowvar, nil, nil, fweights, aweights, dtype)
      if c.ndim == 0 then return c / c end
      local spread = ma.sqrt(ma.real(c:diagonal()))
      return within(c / spread:expand_dims(2) / spread)
    end)
end
