--- Values at scattered points: radial basis functions, and the nearest point's value.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "interpolate.RBFInterpolator"

  -- The kernels as functions of epsilon times the distance r, or of its square where `squared`. `least` is the least
  -- degree of the polynomial beside them.
  local kernels = {
    linear = { fn = function(r) return -r end, least = 0 },
    thin_plate_spline = { fn = function(q) return ma.where(q:eq(0), 0, q * ma.log(q) / 2) end, least = 1,
      squared = true },
    cubic = { fn = function(r) return r * r * r end, least = 1 },
    quintic = { fn = function(r) return -(r ^ 5) end, least = 2 },
    multiquadric = { fn = function(q) return -ma.sqrt(q + 1) end, least = 0, squared = true, scaled = true },
    inverse_multiquadric = { fn = function(q) return 1 / ma.sqrt(q + 1) end, squared = true, scaled = true },
    inverse_quadratic = { fn = function(q) return 1 / (q + 1) end, squared = true, scaled = true },
    gaussian = { fn = function(q) return ma.exp(-q) end, squared = true, scaled = true },
  }

  local function values_of(kernel, epsilon, x, y)
    local d = core.spatial_pairs(NAME, x * epsilon, kernel.squared and "sqeuclidean" or "euclidean", 2, y * epsilon)
    return kernel.fn(d)
  end

  --- The exponents of all monomials of n variables up to a degree, those of lower degree first.
  local function exponents(n, degree)
    local list = {}
    local function visit(left, from, powers)
      if left == 0 then
        list[#list + 1] = powers
        return
      end
      for v = from, n do
        local next_powers = { unpack(powers) }
        next_powers[v] = next_powers[v] + 1
        visit(left - 1, v, next_powers)
      end
    end
    for total = 0, degree do
      local zero = {}
      for v = 1, n do zero[v] = 0 end
      visit(total, 1, zero)
    end
    return list
  end

  --- The monomials at points: a column for each.
  local function monomials(x, powers)
    local columns = {}
    for j, list in ipairs(powers) do
      local product
      for v, power in ipairs(list) do
        if power > 0 then
          local factor = x[{ {}, v }] ^ power
          product = product and product * factor or factor
        end
      end
      columns[j] = (product or ma.ones({ x.shape[1] }, { device = x.device })):reshape(x.shape[1], 1)
    end
    return ma.concatenate(columns, 2)
  end

  --- The middle and half of the extent of points along an axis, by which they are scaled for monomials.
  local function box_of(y, axis)
    local low, high = y:min(axis, { keepdims = true }), y:max(axis, { keepdims = true })
    local scale = (high - low) / 2
    return (high + low) / 2, ma.where(scale:eq(0), 1, scale)
  end

  --- Coefficients of kernels and monomials for points y, values d and smoothing: solves the symmetric system.
  local function solved(self, y, d, smoothing)
    local n, m = y.shape[1], #self.powers
    local matrix = values_of(self.kernel, self.epsilon, y, y)
    matrix = matrix + ma.where(ma.eye(n, { dtype = "bool", device = y.device }), smoothing:reshape(n, 1), 0)
    local right = d
    local shift, scale = box_of(y, 1)
    if m > 0 then
      local p = monomials((y - shift) / scale, self.powers)
      matrix = ma.concatenate({ ma.concatenate({ matrix, p }, 2),
        ma.concatenate({ p:transpose(), ma.zeros({ m, m }, { device = y.device }) }, 2) })
      right = ma.concatenate({ d, ma.zeros({ m, d.shape[2] }, { dtype = d.dtype, device = y.device }) })
    end
    return ma.linalg.solve(matrix:astype(right.dtype), right), shift, scale
  end

  local methods = {}

  function methods:__call(x)
    --> interpolate.RBFInterpolator:
    --> \ ma.interpolate.RBFInterpolator({{0, 0}, {1, 0}, {0, 1}}, {1, 2, 3})({{0, 0}}):round(6)
    local a = shared.reals("RBFInterpolator", "x", x, self.y)
    local n, dimensions = self.y.shape[1], self.y.shape[2]
    if a.ndim ~= 2 or a.shape[2] ~= dimensions then
      fail("RBFInterpolator", sformat("x is %s; wanted a matrix of %d columns", core.describe(a), dimensions))
    end
    local count = self.d.shape[2]
    local result = ma.zeros({ a.shape[1], count }, { dtype = self.d.dtype, device = self.y.device })
    local function through(points, y, coefficients, shift, scale)
      local k = values_of(self.kernel, self.epsilon, points, y)
      if #self.powers > 0 then k = ma.concatenate({ k, monomials((points - shift) / scale, self.powers) }, 2) end
      return ma.matmul(k:astype(coefficients.dtype), coefficients)
    end
    if not self.neighbors then
      for lo, hi in ma.blocks(a.shape[1], math.max(1, math.floor(2 ^ 23 / n))) do
        result[{ { lo, hi }, {} }] = through(a[{ { lo, hi }, {} }], self.y, self.coefficients, self.shift, self.scale)
      end
    else
      -- Each point has a system of its own, of its neighbours. Many are solved at once.
      local k = self.neighbors
      -- A point that is not finite has no neighbours, so those of another point stand in for them.
      local _, near = self.tree:query(ma.where(ma.isfinite(a):all(2, { keepdims = true }), a, self.y["1:1, :"]), k)
      near = ma.sort(near:reshape(a.shape[1], k), 2)
      for lo, hi in ma.blocks(a.shape[1], math.max(1, math.floor(2 ^ 22 / (k * k)))) do
        result[{ { lo, hi }, {} }] = self:local_values(a[{ { lo, hi }, {} }], near[{ { lo, hi }, {} }])
      end
    end
    return result:reshape(common.joined({ a.shape[1] }, self.trailing))
  end

  --- Monomials of (batch, points, variables): (batch, points, monomials).
  local function batch_monomials(x, powers)
    local b, n, v = x.shape[1], x.shape[2], x.shape[3]
    return monomials(x:reshape(b * n, v), powers):reshape(b, n, #powers)
  end

  function methods:local_values(points, near)
    local b, k = near.shape[1], near.shape[2]
    local v, m = self.y.shape[2], #self.powers
    local y = self.y:take(near:ravel(), 1):reshape(b, k, v)
    local d = self.d:take(near:ravel(), 1):reshape(b, k, self.d.shape[2])
    local smoothing = self.smoothing:take(near:ravel()):reshape(b, k, 1)
    local kernel, epsilon = self.kernel, self.epsilon
    local function pairs_of(p, q)                                -- (b, i, v), (b, j, v) -> (b, i, j)
      local difference = (p[":, :, _, :"] - q[":, _, :, :"]) * epsilon
      local square = (difference * difference):sum(4)
      return kernel.fn(kernel.squared and square or ma.sqrt(square))
    end
    local matrix = pairs_of(y, y)
    matrix = matrix + ma.where(ma.eye(k, { dtype = "bool", device = y.device }), smoothing, 0)
    local right = d
    local at = points:reshape(b, 1, v)
    local row = pairs_of(at, y)
    if m > 0 then
      local shift, scale = box_of(y, 2)
      local p = batch_monomials((y - shift) / scale, self.powers)
      matrix = ma.concatenate({ ma.concatenate({ matrix, p }, 3), ma.concatenate({ p:transpose(1, 3, 2),
        ma.zeros({ b, m, m }, { device = y.device }) }, 3) }, 2)
      right = ma.concatenate({ d, ma.zeros({ b, m, d.shape[3] }, { dtype = d.dtype, device = y.device }) }, 2)
      row = ma.concatenate({ row, batch_monomials((at - shift) / scale, self.powers) }, 3)
    end
    local c = ma.linalg.solve(matrix:astype(right.dtype), right)
    return ma.matmul(row:astype(c.dtype), c):reshape(b, d.shape[3])
  end

  local Rbf = shared.class("RBFInterpolator", methods)

  def(NAME .. "(y: data, d: data, neighbors?: integer, smoothing?: number, kernel?: string, epsilon?: number, "
    .. "degree?: integer) -> interpolator",
    "A function through values d at scattered points y, the rows of a matrix, as a sum of radial functions and a " ..
      "polynomial: an object that is called with points. neighbors: how many points near a place count (all). " ..
      "smoothing (0): a number or one for each point. kernel: 'thin_plate_spline' (default), 'linear', 'cubic', " ..
      "'quintic', or with epsilon 'multiquadric', 'inverse_multiquadric', 'inverse_quadratic', 'gaussian'. degree: " ..
      "of the polynomial, -1 for none.",
    function(y, d, neighbors, smoothing, kernel, epsilon, degree)
      y = shared.reals(NAME, "y", y, is_array(d) and d or nil)
      if y.ndim ~= 2 then fail(NAME, sformat("y is %s; wanted a matrix with a point in each row", core.describe(y))) end
      local n, dimensions = y.shape[1], y.shape[2]
      local rows, trailing = shared.rows(NAME, d, n, 1, y)
      kernel = kernel or "thin_plate_spline"
      local k = kernels[kernel]
      if not k then fail(NAME, sformat("'%s' for kernel", tostring(kernel))) end
      if epsilon == nil then
        if k.scaled then fail(NAME, sformat("no epsilon; the kernel %s wants one", kernel)) end
        epsilon = 1
      end
      degree = shared.whole(NAME, "degree", degree == nil and math.max(k.least or 0, 0) or degree, -1)
      smoothing = shared.reals(NAME, "smoothing", smoothing or 0, y)
      if smoothing.ndim > 0 and smoothing.size ~= n then
        fail(NAME, sformat("smoothing is %s; wanted a number or one for each of %d points", core.describe(smoothing),
          n))
      end
      local self = setmetatable({ y = y:copy(), d = rows, trailing = trailing, kernel = k, epsilon = epsilon,
        powers = exponents(dimensions, degree), kind = "RBFInterpolator",
        smoothing = ma.broadcast_to(smoothing, { n }):copy() }, Rbf)
      if neighbors ~= nil and (type(neighbors) ~= "number" or neighbors < 1) then
        fail(NAME, sformat("neighbors is %s; wanted a number from 1 on", core.describe(neighbors)))
      end
      local most = neighbors or n
      if #self.powers > math.min(most, n) then
        fail(NAME, sformat("%d points for %d monomials; wanted as many points at least", math.min(most, n),
          #self.powers))
      end
      if neighbors then
        self.neighbors = math.min(shared.whole(NAME, "neighbors", neighbors, 1), n)
        self.tree = ma.spatial.KDTree(self.y)
      else
        self.coefficients, self.shift, self.scale = solved(self, self.y, rows, self.smoothing)
      end
      return self
    end)

  -- ==== The nearest value ==========================================================================================

  local nearest = {}

  function nearest:__call(...)
    local name = "NearestNDInterpolator"
    local list, options = { ... }, nil
    local last = list[#list]
    if type(last) == "table" and not is_array(last) and #last == 0 and next(last) ~= nil then
      options = table.remove(list)
    end
    local x
    if #list > 1 then x = ma.stack({ ma.broadcast_arrays(unpack(list)) }, -1) else x = list[1] end
    x = shared.reals(name, "x", x, self.points)
    if self.tree.m == 1 and (x.ndim == 0 or x.shape[x.ndim] ~= 1) then
      x = x:expand_dims(-1)
    end
    if self.rescale then x = (x - self.shift) / self.scale end
    local distance, place = self.tree:query(x, { k = 1, distance_upper_bound = options and options.distance_upper_bound,
      eps = options and options.eps })
    local outer, found = place.shape, place:ravel()
    local result = self.rows:take(ma.minimum(found, self.tree.n), 1)
    if options and options.distance_upper_bound then
      result = ma.where(ma.isinf(distance:reshape(found.size, 1)), ma.nan, result)
    end
    return shared.shaped(result, outer, self.trailing, 1, x:reshape(found.size, self.points.shape[2]))
  end
  local Nearest = shared.class("NearestNDInterpolator", nearest)

  --> interpolate.NearestNDInterpolator: ma.interpolate.NearestNDInterpolator({{0, 0}, {1, 1}}, {10, 20})({{0.9, 0.8}})
  def("interpolate.NearestNDInterpolator(x: data, y: data, rescale?: boolean) -> interpolator",
    "The value y of the nearest of scattered points x, the rows of a matrix: an object that is called with points, " ..
      "or with an array for each coordinate. rescale (false): each coordinate is scaled by its standard deviation " ..
      "first.",
    function(x, y, rescale)
      local name = "interpolate.NearestNDInterpolator"
      x = shared.reals(name, "x", x, is_array(y) and y or nil)
      if x.ndim == 1 then x = x:reshape(x.size, 1) end
      if x.ndim ~= 2 then fail(name, sformat("x is %s; wanted a matrix with a point in each row", core.describe(x))) end
      local values = shared.values(y, x)
      if values.ndim == 0 or values.shape[1] ~= x.shape[1] then
        fail(name, sformat("y is %s; wanted a value for each of %d points", core.describe(values), x.shape[1]))
      end
      local trailing, count = shared.trailing(values, 2)
      local self = setmetatable({ points = x, rows = values:reshape(values.shape[1], count), trailing = trailing,
        rescale = rescale, kind = "NearestNDInterpolator" }, Nearest)
      if rescale then
        self.shift, self.scale = x:mean(1), x:std(1)
        self.scale = ma.where(self.scale:gt(0), self.scale, 1)
        x = (x - self.shift) / self.scale
      end
      self.tree = ma.spatial.KDTree(x)
      return self
    end)
end
