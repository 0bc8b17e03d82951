--- ma.stats.gaussian_kde: a density as a sum of Gaussians around points.

local sformat = require("moonarray.text").format
local MOST_PAIRS = 2 ^ 24              -- pairs whose distances are in memory at once

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local Meta, methods = {}, {}
  local NAME = "stats.gaussian_kde"

  --- Rows of points in which the Gaussian is round and of width 1.
  local function whiten(factor, points)
    return ma.linalg.solve_triangular(factor, points, { lower = true }):transpose()
  end

  local function prepare(self, bandwidth)
    self.factor = bandwidth
    self.covariance = self.data_covariance * (bandwidth * bandwidth)
    self.inv_cov = ma.linalg.inv(self.covariance)
    self.cho_cov = ma.linalg.cholesky(self.covariance)
    self.whitened = whiten(self.cho_cov, self.dataset):copy()
    self.log_det = ma.log(self.cho_cov:diagonal()):sum() + self.d / 2 * math.log(2 * math.pi)
  end

  --> = gaussian_kde | ma.stats.gaussian_kde({1, 2, 3}) | A density from points, called with points.
  --> . dataset: array | the points
  --> . d: integer | their dimensions
  --> . n: integer | how many there are
  --> . neff: number | how many they count for, with weights
  --> . factor: number | of the covariance
  --> . weights: array | of the points
  --> . covariance: array | of the Gaussians
  --> . inv_cov: array | its inverse
  --> :pdf(points: data) -> array | The same.
  --> gaussian_kde:pdf: gaussian_kde:pdf {2}
  --> + call(data): array
  --> :scotts_factor() -> number | Scott's factor.
  --> gaussian_kde:scotts_factor: gaussian_kde:scotts_factor()
  function methods:scotts_factor() return self.neff ^ (-1 / (self.d + 4)) end
  --> :silverman_factor() -> number | Silverman's factor.
  --> gaussian_kde:silverman_factor: gaussian_kde:silverman_factor()
  function methods:silverman_factor() return (self.neff * (self.d + 2) / 4) ^ (-1 / (self.d + 4)) end

  --> :set_bandwidth(method?: number|string|function) | Takes another bandwidth.
  --> gaussian_kde:set_bandwidth: gaussian_kde:set_bandwidth(0.5)
  -->   return gaussian_kde.factor
  function methods:set_bandwidth(method)
    if method == nil or method == "scott" then prepare(self, self:scotts_factor())
    elseif method == "silverman" then prepare(self, self:silverman_factor())
    elseif type(method) == "number" then prepare(self, method)
    elseif core.is_callable(method) then prepare(self, common.number(NAME, "the result of bw_method", method(self)))
    else
      fail(NAME, sformat("bw_method is %s; wanted 'scott', 'silverman', a number or a function", core.describe(method)))
    end
  end

  --- Points as columns of a matrix in the dtype of the data.
  local function points_of(self, name, points)
    local p = shared.floats(name, "points", points, self.dataset):astype(self.dataset.dtype)
    if p.ndim == 0 then p = p:reshape(1) end
    if p.ndim == 1 then p = self.d == p.size and self.d > 1 and p:reshape(self.d, 1) or p:reshape(1, p.size) end
    if p.ndim ~= 2 or p.shape[1] ~= self.d then
      fail(name, sformat("points is %s; wanted %d rows, one for each dimension", core.describe(p), self.d))
    end
    return p
  end

  --- The sums over the data of w exp(-|x - y|^2 / 2), or their logarithms, for whitened rows.
  local function sums(rows, data, weights, logs)
    local m, n = rows.shape[1], data.shape[1]
    local result = ma.empty({ m }, { dtype = rows.dtype, device = rows.device })
    for lo, hi in ma.blocks(m, math.max(1, math.floor(MOST_PAIRS / n))) do
      local energy = core.spatial_pairs(NAME, rows[{ { lo, hi }, {} }], "sqeuclidean", 2, data) / -2
      if logs then
        local top = energy:max(2, { keepdims = true })
        result[{ { lo, hi } }] = ma.log((ma.exp(energy - top) * weights):sum(2)) + top:reshape(hi - lo + 1)
      else
        result[{ { lo, hi } }] = (ma.exp(energy) * weights):sum(2)
      end
    end
    return result
  end

  --- The densities at points, or their logarithms.
  local function evaluate(self, name, points, logs)
    local p = points_of(self, name, points)
    if p.shape[2] == 0 then return ma.zeros({ 0 }, { dtype = p.dtype, device = p.device }) end
    local found = sums(whiten(self.cho_cov, p), self.whitened, self.weights, logs)
    return logs and found - self.log_det or found * ma.exp(-self.log_det)
  end

  --> :evaluate(points: data) -> array | The density at points.
  --> gaussian_kde:evaluate: gaussian_kde:evaluate {2}
  function methods:evaluate(points) return evaluate(self, "gaussian_kde.evaluate", points) end
  methods.pdf = methods.evaluate

  --> :logpdf(points: data) -> array | Its logarithm.
  --> gaussian_kde:logpdf: gaussian_kde:logpdf {2}
  function methods:logpdf(points) return evaluate(self, "gaussian_kde.logpdf", points, true) end

  --- The sum over pairs of w_i v_j times the density of `covariance` at the difference of the points.
  local function overlap(covariance, a, wa, b, wb)
    local l = ma.linalg.cholesky(covariance)
    local scale = ma.log(l:diagonal()):sum() + a.shape[1] / 2 * math.log(2 * math.pi)
    return (sums(whiten(l, a), whiten(l, b):copy(), wb) * wa):sum() * ma.exp(-scale)
  end

  --> :integrate_gaussian(mean: data, cov: data) -> array | The integral of its product with a Gaussian.
  --> gaussian_kde:integrate_gaussian: gaussian_kde:integrate_gaussian({2}, {{1}})
  function methods:integrate_gaussian(mean, cov)
    local name = "gaussian_kde.integrate_gaussian"
    local at = ma.atleast_1d(shared.floats(name, "mean", mean, self.dataset)):astype(self.dataset.dtype)
    local c = ma.atleast_2d(shared.floats(name, "cov", cov, self.dataset)):astype(self.dataset.dtype)
    if at.ndim ~= 1 or at.size ~= self.d then
      fail(name, sformat("mean is %s; wanted %d numbers", core.describe(at), self.d))
    end
    if c.ndim ~= 2 or c.shape[1] ~= self.d or c.shape[2] ~= self.d then
      fail(name, sformat("cov is %s; wanted a matrix of %d by %d", core.describe(c), self.d, self.d))
    end
    return overlap(self.covariance + c, at:reshape(self.d, 1), 1, self.dataset, self.weights)
  end

  --> :integrate_kde(other: gaussian_kde) -> array | The integral of its product with another one.
  --> gaussian_kde:integrate_kde: gaussian_kde:integrate_kde(gaussian_kde)
  function methods:integrate_kde(other)
    local name = "gaussian_kde.integrate_kde"
    if getmetatable(other) ~= Meta or other.d ~= self.d then
      fail(name, sformat("%s; wanted a gaussian_kde of %d dimensions", core.describe(other), self.d))
    end
    return overlap(self.covariance + other.covariance, self.dataset, self.weights, other.dataset, other.weights)
  end

  --> :resample(size?: integer, seed?: any) -> array | Points drawn from it.
  --> gaussian_kde:resample: gaussian_kde:resample(5, 1).shape
  function methods:resample(size, seed)
    local name = "gaussian_kde.resample"
    size = common.whole(name, "size", size or math.floor(self.neff), 0)
    local rng = ma.random.default_rng(seed)
    local dtype, device = self.dataset.dtype, self.dataset.device
    local noise = core.asarray(rng:standard_normal({ self.d, size }), { dtype = dtype, device = device })
    local u = core.asarray(rng:random(size), { dtype = dtype, device = device })
    local place = ma.minimum(ma.searchsorted(ma.cumsum(self.weights), u), self.n)
    return self.dataset:take(place, 2) + ma.matmul(self.cho_cov, noise)
  end

  def(NAME .. "(dataset: data, bw_method?: number|string|function, weights?: data) -> gaussian_kde",
    "A density estimated from points as a sum of Gaussians: an object with evaluate(points) (or a call of it), " ..
      "logpdf, integrate_gaussian, integrate_kde, resample, set_bandwidth and the fields d, n, neff, factor, " ..
      "covariance, inv_cov, dataset, weights. dataset: a vector, or a matrix with a row for each dimension. " ..
      "bw_method: 'scott' (default), 'silverman', a factor, or a function of the object. Waits.",
    function(dataset, bw_method, weights)
      local data = shared.floats(NAME, "dataset", dataset)
      if data.dtype ~= "float32" then data = data:astype("float64") end
      data = ma.atleast_2d(data)
      if data.ndim ~= 2 or data.shape[2] < 2 then
        fail(NAME, sformat("dataset is %s; wanted two points at least, in the columns of a matrix",
          core.describe(data)))
      end
      local self = setmetatable({ dataset = data, d = data.shape[1], n = data.shape[2] }, Meta)
      if self.d > self.n then
        fail(NAME, sformat("%d points of %d dimensions; wanted more points than dimensions", self.n, self.d))
      end
      local w
      if weights == nil then
        w = ma.full({ self.n }, 1 / self.n, { dtype = data.dtype, device = data.device })
        self.neff = self.n
      else
        w = shared.floats(NAME, "weights", weights, data):astype(data.dtype)
        if w.ndim ~= 1 or w.size ~= self.n then
          fail(NAME, sformat("weights is %s; wanted one for each of %d points", core.describe(w), self.n))
        end
        w = (w / w:sum()):eval()
        self.neff = 1 / (w * w):sum():item()
      end
      self.weights = w
      local mean = (data * w):sum(2, { keepdims = true })
      local centred = data - mean
      self.data_covariance = ma.matmul(centred * w, centred:transpose()) / (1 - 1 / self.neff)
      self:set_bandwidth(bw_method)
      return self
    end)

  --> stats.gaussian_kde: ma.stats.gaussian_kde({1, 2, 3}).n
  common.guard("gaussian_kde", Meta, methods, true)
  Meta.__index = common.attributes(NAME, methods)
  Meta.__call = function(self, points) return self:evaluate(points) end
  Meta.__tostring = function(self)
    return sformat("gaussian_kde of %d points in %d dimension%s", self.n, self.d, self.d == 1 and "" or "s")
  end
end
