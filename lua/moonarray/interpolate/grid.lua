--- Values on grids: RegularGridInterpolator, interpn, and the tensor products NdBSpline and NdPPoly.

local sformat = require("moonarray.text").format

return function(ma, core, shared, bspline)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local I = ma.interpolate

  --- Points of d coordinates along the last axis as a matrix, and the shape of the other axes. A table of d arrays or
  --- vectors is broadcast, as SciPy does with a tuple.
  local function points_of(name, xi, d, beside)
    local a
    if type(xi) == "table" and not is_array(xi) and is_array(xi[1]) then
      a = ma.stack({ ma.broadcast_arrays(unpack(xi)) }, -1)
    else a = is_array(xi) and xi or core.asarray(xi, { device = beside.device }) end
    a = shared.reals(name, "xi", a, beside)
    if a.ndim == 1 and d == 1 then a = a:reshape(a.size, 1)
    elseif a.ndim == 0 and d == 1 then a = a:reshape(1) end
    if a.ndim == 0 or a.shape[a.ndim] ~= d then
      fail(name, sformat("xi is %s; wanted points of %d coordinates along the last axis", core.describe(a), d))
    end
    local outer = a.shape
    outer[#outer] = nil
    return core.contiguous(a:reshape(a.size / d, d)), outer
  end

  --- The columns of a matrix as contiguous vectors.
  local function columns_of(flat)
    local list = {}
    for k = 1, flat.shape[2] do list[k] = core.contiguous(flat[{ {}, k }]) end
    return list
  end

  --- Values of a product of piecewise functions at points, NaN outside of them if it does not extrapolate.
  --- values(points, orders, n) gives rows for a vector of each coordinate; ends(k) the ends along axis k.
  local function evaluated(self, name, xi, nu, extrapolate, d, ends, values)
    if type(nu) == "table" and not is_array(nu) and #nu == 0 then nu, extrapolate = nu.nu, nu.extrapolate end
    extrapolate = shared.extrapolation(name, extrapolate, self.extrapolate)
    local flat, outer = points_of(name, xi, d, self.c)
    local points, n, orders, outside = columns_of(flat), flat.shape[1], {}, nil
    for k = 1, d do
      orders[k] = nu and shared.whole(name, "nu", is_array(nu) and nu(k) or nu[k], 0) or 0
      if extrapolate == false then
        local low, high = ends(k)
        local out = points[k]:lt(low) + points[k]:gt(high)
        outside = outside and outside + out or out
      end
    end
    local result = values(points, orders, n)
    if outside then result = ma.where(outside:reshape(n, 1), ma.nan, result) end
    return shared.shaped(result, outer, self.trailing, 1, points)
  end

  --- values of the shape (n1 .. nd, ...) as rows of the trailing elements, and the rows' strides.
  local function table_of(values, d)
    local strides, step = {}, 1
    local trailing, count = shared.trailing(values, d + 1)
    for k = d, 1, -1 do
      strides[k] = step
      step = step * values.shape[k]
    end
    return values:reshape(step, count), strides, trailing
  end

  --- The sum over all corners of a cell: axes[k] has the 0-based position of the first corner and a list of the weights
  --- of the corners.
  local function over_corners(rows, strides, axes, n)
    local sum
    local function visit(k, place, weight)
      if k > #axes then
        local term = rows:take(place + 1, 1) * weight:reshape(n, 1)
        sum = sum and sum + term or term
        return
      end
      for r, w in ipairs(axes[k].weights) do
        local at = (axes[k].first + (r - 1)) * strides[k]
        visit(k + 1, place and place + at or at, weight and weight * w or w)
      end
    end
    visit(1)
    return sum
  end

  -- ==== Tensor products of splines =================================================================================

  local nd_spline = {}

  function nd_spline:__call(xi, nu, extrapolate)
    return evaluated(self, "NdBSpline", xi, nu, extrapolate, #self.t, function(k)
      local t, degree = self.t[k], self.k[k]
      return t[{ { degree + 1, degree + 1 } }], t[{ { t.size - degree, t.size - degree } }]
    end, function(points, orders, n)
      local axes = {}
      for k = 1, #points do
        local first, basis = bspline.basis(self.t[k], self.k[k], points[k], orders[k])
        axes[k] = { first = first - 1, weights = basis }
      end
      return over_corners(self.rows, self.strides, axes, n)
    end)
  end
  local NdSpline = shared.class("NdBSpline", nd_spline)

  local function new_spline(t, c, k, extrapolate)
    local rows, strides, trailing = table_of(c, #t)
    return setmetatable({ t = t, c = c, k = k, rows = rows, strides = strides, trailing = trailing,
      extrapolate = extrapolate, kind = "NdBSpline" }, NdSpline)
  end

  --> interpolate.NdBSpline: ma.interpolate.NdBSpline({{0, 0, 1, 1}, {0, 0, 1, 1}}, {{0, 1}, {1, 2}}, 1)({0.5, 0.5})
  def("interpolate.NdBSpline(t: data, c: data, k: integer|integer[]; extrapolate?: boolean|string) -> interpolator",
    "A sum of products of B-splines: t a table of the knots of each axis, c coefficients with an axis for each, k a " ..
      "degree or a table of them. An object that is called with points, whose coordinates are along the last axis, " ..
      "and with nu, a table of the order of the derivative along each axis.",
    function(t, c, k, extrapolate)
      local name = "interpolate.NdBSpline"
      if type(t) ~= "table" or is_array(t) or #t == 0 then
        fail(name, sformat("t is %s; wanted a table of knots for each axis", core.describe(t)))
      end
      c = shared.values(c, is_array(t[1]) and t[1] or nil)
      local knots, degrees = {}, {}
      for d = 1, #t do
        degrees[d] = shared.whole(name, "k", type(k) == "table" and k[d] or k, 0)
        knots[d] = shared.positions(name, "t", t[d], 2 * degrees[d] + 2, c, true)
        if c.ndim < #t or c.shape[d] ~= knots[d].size - degrees[d] - 1 then
          fail(name, sformat("c is %s; wanted %d coefficients along axis %d", core.describe(c),
            knots[d].size - degrees[d] - 1, d))
        end
      end
      return new_spline(knots, c, degrees, shared.extrapolation(name, extrapolate, true))
    end)

  --- The coefficients of the tensor spline through values: interpolated along one axis after the other.
  local function spline_through(name, grid, values, k)
    local knots, degrees, c = {}, {}, values
    for d = 1, #grid do
      local n = grid[d].size
      if n < k + 1 then
        fail(name, sformat("%d positions along axis %d; wanted %d at least for this method", n, d, k + 1))
      end
      local moved = ma.moveaxis(c, d, 1)
      local shape = moved.shape
      local t, rows = bspline.make.interpolate(name, grid[d], moved:reshape(n, moved.size / n), k)
      knots[d], degrees[d] = t, k
      c = ma.moveaxis(rows:reshape(shape), 1, d)
    end
    return new_spline(knots, c:copy(), degrees, true)
  end

  -- ==== Tensor products of piecewise polynomials ===================================================================

  local nd_poly = {}

  --- Horner's rule along one axis after the other, in rows of the powers of all axes.
  local function values_of(self, points, orders, n)
    local d, place, distances = #points, nil, {}
    for k = 1, d do
      local x = self.x[k]
      local at = shared.interval(x, points[k])
      distances[k] = (points[k] - x:take(at)):reshape(n, 1)
      local offset = (at - 1) * self.strides[k]
      place = place and place + offset or offset
    end
    local rows = self.rows:take(place + 1, 1)                 -- (n, powers of all axes, trailing)
    local function value(k, first, count)
      if k > d then return rows[{ {}, first, {} }] end
      local degree = self.c.shape[k]
      local part, sum = count / degree, nil
      for p = 1, degree - orders[k] do
        local factor = shared.falling(degree - p, orders[k])
        local term = value(k + 1, first + (p - 1) * part, part)
        if factor ~= 1 then term = term * factor end
        sum = sum and sum * distances[k] + term or term
      end
      return sum or rows[{ {}, first, {} }] * 0
    end
    return value(1, 1, self.powers)
  end

  function nd_poly:__call(xi, nu, extrapolate)
    return evaluated(self, "NdPPoly", xi, nu, extrapolate, #self.x,
      function(k) return self.x[k]["1:1"], self.x[k]["-1:-1"] end,
      function(...) return values_of(self, ...) end)
  end
  local NdPoly = shared.class("NdPPoly", nd_poly)

  --> interpolate.NdPPoly: ma.interpolate.NdPPoly(ma.ones({1, 1, 1, 1}), {{0, 1}, {0, 1}})({{0.5, 0.5}})
  def("interpolate.NdPPoly(c: data, x: data, extrapolate?: boolean|string) -> interpolator",
    "A piecewise polynomial of several variables: c of the shape (k1 .. kd, m1 .. md, ...), the highest powers " ..
      "first, x a table of the breakpoints of each axis. An object that is called with points, whose coordinates " ..
      "are along the last axis, and with nu, a table of the order of the derivative along each axis.",
    function(c, x, extrapolate)
      local name = "interpolate.NdPPoly"
      if type(x) ~= "table" or is_array(x) or #x == 0 then
        fail(name, sformat("x is %s; wanted a table of breakpoints for each axis", core.describe(x)))
      end
      c = shared.values(c, is_array(x[1]) and x[1] or nil)
      local d = #x
      if c.ndim < 2 * d then
        fail(name, sformat("c is %s; wanted two axes for each of %d variables", core.describe(c), d))
      end
      local breaks, strides, order, powers, cells = {}, {}, {}, 1, 1
      for k = 1, d do
        breaks[k] = shared.positions(name, "x", x[k], 2, c)
        if breaks[k].size ~= c.shape[d + k] + 1 then
          fail(name, sformat("%d breakpoints of axis %d; wanted %d", breaks[k].size, k, c.shape[d + k] + 1))
        end
        powers = powers * c.shape[k]
        order[k], order[d + k] = d + k, k
      end
      for k = d, 1, -1 do
        strides[k] = cells
        cells = cells * c.shape[d + k]
      end
      local trailing, count = shared.trailing(c, 2 * d + 1)
      for k = 2 * d + 1, c.ndim do order[k] = k end
      local rows = c:transpose(order):reshape(cells, powers, count):copy()
      return setmetatable({ c = c, x = breaks, strides = strides, powers = powers, rows = rows, trailing = trailing,
        extrapolate = shared.extrapolation(name, extrapolate, true), kind = "NdPPoly" }, NdPoly)
    end)

  -- ==== Regular grids ==============================================================================================

  local degrees = { slinear = 1, cubic = 3, quintic = 5 }
  local methods = {}

  local function check_method(name, method)
    if method == nil or method == "linear" or method == "nearest" or method == "pchip" or degrees[method] then
      return method or "linear"
    end
    fail(name, sformat("'%s' for method; linear, nearest, slinear, cubic, quintic or pchip", tostring(method)))
  end

  --- PCHIP along one axis after the other: along the last axis for all points, then along the axes that are left.
  local function pchip(self, points, n)
    local d = #self.grid
    local count = self.rows.shape[2]
    local values = I.PchipInterpolator(self.grid[d], self.values, d)(points[d])
    -- The points' axis stands where the last axis was; bring it to the front.
    values = ma.moveaxis(values, d, 1)
    for k = d - 1, 1, -1 do
      local x = self.grid[k]
      local next_values = I.PchipInterpolator(x, values, k + 1)
      -- Each point needs only its own coordinate, so the diagonal of all pairs is taken, in blocks.
      local list = {}
      for lo, hi in ma.blocks(n, 256) do
        local object = I.PchipInterpolator(x, values[{ { lo, hi }, "..." }], k + 1)
        local all = ma.moveaxis(object(points[k][{ { lo, hi } }]), k + 1, 2)      -- (points, points, ...)
        local own = ma.range(1, hi - lo + 1, { device = all.device })
        list[#list + 1] = all[{ own, own }]
      end
      values = #list > 0 and ma.concatenate(list) or next_values(points[k])
    end
    return values:reshape(n, count)
  end

  function methods:__call(xi, method, nu)
    local name = "RegularGridInterpolator"
    if type(method) == "table" then method, nu = method.method, method.nu end
    method = method and check_method(name, method) or self.method
    if nu and not (degrees[method] and degrees[method] > 1) then
      fail(name, sformat("nu is given; the method %s has no derivatives", method))
    end
    local d = #self.grid
    local points, outer = points_of(name, xi, d, self.values)
    local n, fill = points.shape[1], self.fill_value
    local is_grid = method == "linear" or method == "nearest"
    local fills = is_grid and (fill == nil or type(fill) == "number")          -- in the same pass
    local result, outside = core.regular_grid(points, self.rows, self.grid, method == "nearest", fills and fill or nil,
      not fills or self.bounds_error)
    if self.bounds_error and outside:any() then
      fail(name, "a point outside of the grid, and bounds_error is true")
    end
    if n > 0 and not is_grid then
      local list = columns_of(points)
      if method == "pchip" then result = pchip(self, list, n)
      else
        local spline = self.splines[method]
        if not spline then
          spline = spline_through(name, self.grid, self.values, degrees[method])
          ma.keep(spline.t)
          ma.keep({ spline.c, spline.rows })
          self.splines[method] = spline
        end
        result = spline(points, nu):reshape(n, self.rows.shape[2])
      end
    end
    if fill ~= nil and not fills then result = ma.where(outside:reshape(n, 1), fill, result) end
    return shared.shaped(result, outer, self.trailing, 1, points)
  end
  local Grid = shared.class("RegularGridInterpolator", methods)

  local function new_grid(name, points, values, method, bounds_error, fill_value)
    if type(points) ~= "table" or is_array(points) or #points == 0 then
      fail(name, sformat("points is %s; wanted a table of the positions along each axis", core.describe(points)))
    end
    if fill_value == nil then fill_value = ma.nan elseif fill_value == "extrapolate" then fill_value = nil end
    values = shared.values(values, is_array(points[1]) and points[1] or nil)
    method = check_method(name, method)
    if #points > values.ndim then
      fail(name, sformat("positions along %d axes of %s", #points, core.describe(values)))
    end
    local grid = {}
    for d = 1, #points do
      local x = shared.reals(name, "points", points[d], values)
      if x.ndim == 1 and x.size > 1 and (x["2:"] - x[":-2"]):lt(0):all() then
        x = x["::-1"]:copy()                                             -- a falling axis
        values = ma.flip(values, d)
      end
      grid[d] = shared.positions(name, "points", x, 1, values)
      if grid[d].size ~= values.shape[d] then
        fail(name, sformat("%d positions along axis %d of %s", grid[d].size, d, core.describe(values)))
      end
    end
    local rows, strides, trailing = table_of(values:copy(), #grid)
    return setmetatable({ grid = grid, values = values, rows = rows, strides = strides, trailing = trailing,
      method = method, bounds_error = bounds_error ~= false, fill_value = fill_value, splines = {},
      kind = "RegularGridInterpolator" }, Grid)
  end

  --> interpolate.RegularGridInterpolator: local make = ma.interpolate.RegularGridInterpolator
  -->   return make({{0, 1}, {0, 1}}, {{0, 1}, {2, 3}})({{0.5, 0.5}})
  def("interpolate.RegularGridInterpolator(points: data[], values: data, method?: string, bounds_error?: boolean, "
    .. "fill_value?: number|string|table) -> interpolator",
    "A function through values on a grid: an object that is called with points, whose coordinates are along the " ..
      "last axis (and with method, nu). points: a table of the positions along each axis. method: 'linear' " ..
      "(default), 'nearest', 'slinear', 'cubic', 'quintic' or 'pchip'. Outside: an error, which is looked for and " ..
      "waits; with bounds_error = false fill_value (NaN), or with fill_value = 'extrapolate' the outer cells' " ..
      "polynomials.",
    function(points, values, method, bounds_error, fill_value)
      return new_grid("interpolate.RegularGridInterpolator", points, values, method, bounds_error, fill_value)
    end)

  --> interpolate.interpn({{0, 1}, {0, 1}}, {{0, 1}, {2, 3}}, {{0.5, 0.5}})
  def("interpolate.interpn(points: data[], values: data, xi: data, method?: string, bounds_error?: boolean, "
    .. "fill_value?: number|string|table) -> array",
    "The values at xi, whose coordinates are along the last axis, of RegularGridInterpolator(points, values, " ..
      "method). 'splinef2d' is not among the methods.",
    function(points, values, xi, method, bounds_error, fill_value)
      return new_grid("interpolate.interpn", points, values, method, bounds_error, fill_value)(xi)
    end)
end
