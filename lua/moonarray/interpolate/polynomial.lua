--- One polynomial through all values: in barycentric form, and in Newton's form with derivatives.

local sformat = require("moonarray.text").format
local MOST_ORDERS = 2 ^ 16             -- of derivatives in one array

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array

  local each_order = shared.each_order

  -- ==== Newton's form ==============================================================================================

  local krogh = {}

  --- Divided differences. A position that is there again stands for the next derivative at it.
  local function differences(x, rows)
    local n, positions = x.size, x:totable()
    local run, factorial = {}, 1                     -- run[j]: how often position j stood in front of it
    for j = 1, n do run[j] = j > 1 and positions[j] == positions[j - 1] and run[j - 1] + 1 or 0 end
    local c, column = {}, {}
    -- Column by column; element j of round r is the difference of positions j - r .. j.
    for j = 1, n do column[j] = rows[{ { j - run[j], j - run[j] }, {} }] end
    c[1] = column[1]
    for round = 1, n - 1 do
      factorial = factorial * round
      for j = n, round + 1, -1 do
        local width = positions[j] - positions[j - round]
        if width == 0 then
          local first = j
          while first > 1 and positions[first - 1] == positions[j] do first = first - 1 end
          column[j] = rows[{ { first + round, first + round }, {} }] / factorial
        else column[j] = (column[j] - column[j - 1]) / width end
      end
      c[round + 1] = column[round + 1]
    end
    return ma.concatenate(c)
  end

  local function newton(self, x, nu)
    local points, outer = shared.points("KroghInterpolator", x, self.xi)
    local n = self.n
    local s = points:reshape(points.size, 1)
    -- Horner's rule for the value and its derivatives up to nu, over k!.
    local values = {}
    local highest = self.c["-1:-1, :"]
    values[0] = n > 1 and highest or ma.zeros_like(s) + highest
    for j = 1, nu do values[j] = ma.zeros_like(values[0] + s) end
    for k = n - 1, 1, -1 do
      local step = s - self.xi[{ { k, k } }]
      for j = nu, 1, -1 do values[j] = values[j] * step + values[j - 1] end
      values[0] = values[0] * step + self.c[{ { k, k }, {} }]
    end
    local factor = 1
    for j = 0, nu do
      if j > 1 then factor = factor * j end
      values[j] = shared.shaped(factor == 1 and values[j] or values[j] * factor, outer, self.trailing, self.axis,
        points)
    end
    return values
  end

  function krogh:__call(x) return newton(self, x, 0)[0] end
  function krogh:derivative(x, der)
    der = shared.whole("KroghInterpolator.derivative", "der", der == nil and 1 or der, 0)
    der = math.min(der, self.n)                              -- derivatives from order n on are 0
    return newton(self, x, der)[der]
  end
  function krogh:derivatives(x, der)
    local most = der == nil and self.n - 1 or shared.whole("KroghInterpolator.derivatives", "der", der, 1,
      MOST_ORDERS) - 1
    local values, list = newton(self, x, most), {}
    for j = 0, most do list[j + 1] = values[j] end
    return ma.stack(list)
  end
  --> = polynomial_interpolator | ma.interpolate.KroghInterpolator({0, 1, 2}, {0, 1, 4}) | A polynomial through points.
  --> . xi: array | the points
  --> . axis: integer | the axis of the values
  --> :derivative(x: data, der?: integer) -> array | The derivative of order der, 1 unless it is said.
  --> polynomial_interpolator:derivative: polynomial_interpolator:derivative(1)
  --> :derivatives(x: data, der?: integer) -> array | The first der derivatives, all of them unless it is said.
  --> polynomial_interpolator:derivatives: polynomial_interpolator:derivatives(1)
  --> + call(data): array
  local Krogh = shared.class("KroghInterpolator", krogh, { derivative = "x der", derivatives = "x der" })

  local function new_krogh(name, xi, yi, axis)
    xi = shared.positions(name, "xi", xi, 1, yi, true)
    local rows, trailing, along = shared.rows(name, yi, xi.size, axis, xi)
    return setmetatable({ xi = xi, n = xi.size, c = differences(xi, rows), trailing = trailing, axis = along,
      kind = "KroghInterpolator" }, Krogh)
  end

  --> interpolate.KroghInterpolator: ma.interpolate.KroghInterpolator({0, 1, 2}, {0, 1, 4})(1.5)
  def("interpolate.KroghInterpolator(xi: data, yi: data, axis?: integer) -> polynomial_interpolator",
    "The polynomial through values yi at xi, along an axis (the first). A position that stands j times in ascending " ..
      "xi has its value and its derivatives up to j - 1 in yi. An object that is called with points, and has " ..
      "derivative(x, der) and derivatives(x, der). Reads xi, which waits.",
    function(xi, yi, axis) return new_krogh("interpolate.KroghInterpolator", xi, yi, axis) end)

  --> interpolate.krogh_interpolate({0, 1, 2}, {0, 1, 4}, 1.5)
  def("interpolate.krogh_interpolate(xi: data, yi: data, x: data, der?: integer, axis?: integer) -> array",
    "The values at x of KroghInterpolator(xi, yi), or of its derivative of order der; of a table of orders a table.",
    function(xi, yi, x, der, axis)
      local object = new_krogh("interpolate.krogh_interpolate", xi, yi, axis)
      return each_order(der, function(nu) return nu == 0 and object(x) or object:derivative(x, nu) end)
    end)

  -- ==== Barycentric form ===========================================================================================

  local barycentric = {}

  --- 1 over the products of the distances to the other positions, scaled by the width against overflow. The products
  --- are sums of logarithms with a sign.
  local function weights_of(x)
    local n = x.size
    if n == 1 then return ma.ones_like(x) end
    local scale = 4 / (x:max() - x:min())
    local d = (x:reshape(n, 1) - x:reshape(1, n)) * scale
    local own = ma.eye(n, { dtype = "bool", device = x.device })
    d = ma.where(own, 1, d)
    local logs = -ma.log(ma.absolute(d)):sum(2)
    local negative = d:lt(0):sum(2)
    return ma.where(ma.remainder(negative, 2):eq(1), -1, 1) * ma.exp(logs - logs:max())
  end

  --- Sums over the positions, a block of points at a time.
  local function values_at(self, points)
    local n, m, count = self.xi.size, points.size, self.yi.shape[2]
    local result = ma.zeros({ m, count }, { dtype = self.yi.dtype, device = points.device })
    if m == 0 then return result end
    local weighted = self.yi * self.wi:reshape(n, 1)
    for lo, hi in ma.blocks(m, math.max(1, math.floor(2 ^ 22 / n))) do
      local difference = points[{ { lo, hi } }]:reshape(hi - lo + 1, 1) - self.xi:reshape(1, n)
      local hit = difference:eq(0)
      local inverse = ma.where(hit, 0, 1 / difference)
      local sum = (inverse * self.wi):sum(2, { keepdims = true })
      local value = ma.matmul(inverse:astype(weighted.dtype), weighted) / sum
      local place = ma.argmax(hit, 2)
      result[{ { lo, hi }, {} }] = ma.where(hit:any(2, { keepdims = true }), self.yi:take(place, 1), value)
    end
    return result
  end

  function barycentric:__call(x)
    if not self.yi then fail("BarycentricInterpolator", "no values; set_yi gives them") end
    local points, outer = shared.points("BarycentricInterpolator", x, self.xi)
    return shared.shaped(values_at(self, points), outer, self.trailing, self.axis, points)
  end

  --- The polynomial of the derivative has the derivatives at the positions for values.
  local function derived(self)
    if not self.slope then
      local n = self.xi.size
      local own = ma.eye(n, { dtype = "bool", device = self.xi.device })
      local difference = ma.where(own, 1, self.xi:reshape(n, 1) - self.xi:reshape(1, n))
      local matrix = ma.where(own, 0, (self.wi:reshape(1, n) / self.wi:reshape(n, 1)) / difference)
      matrix = matrix - ma.where(own, matrix:sum(2, { keepdims = true }), 0)
      self.slope = setmetatable({ xi = self.xi, wi = self.wi, trailing = self.trailing, axis = self.axis,
        kind = self.kind, yi = ma.keep(ma.matmul(matrix:astype(self.yi.dtype), self.yi)) }, getmetatable(self))
    end
    return self.slope
  end

  function barycentric:derivative(x, der)
    local f = self
    der = shared.whole("BarycentricInterpolator.derivative", "der", der == nil and 1 or der, 0)
    if der >= self.xi.size then return ma.zeros_like(f(x)) end
    for _ = 1, der do f = derived(f) end
    return f(x)
  end

  function barycentric:derivatives(x, der)
    local list, f = {}, self
    local n = der == nil and self.xi.size or shared.whole("BarycentricInterpolator.derivatives", "der", der, 1,
      MOST_ORDERS)
    for j = 1, n do
      list[j] = j > self.xi.size and ma.zeros_like(list[1]) or f(x)
      if j < self.xi.size then f = derived(f) end
    end
    return ma.stack(list)
  end

  function barycentric:set_yi(yi, axis)
    self.yi, self.trailing, self.axis = shared.rows("BarycentricInterpolator.set_yi", yi, self.xi.size, axis, self.xi)
    self.slope = nil
  end

  function barycentric:add_xi(xi, yi)
    local name = "BarycentricInterpolator.add_xi"
    xi = shared.reals(name, "xi", xi, self.xi)
    if (yi ~= nil) ~= (self.yi ~= nil) then
      fail(name, "values for some positions only; wanted them for all or none")
    end
    if yi ~= nil then
      local rows = shared.rows(name, yi, xi.size, self.axis, xi)
      self.yi = ma.concatenate({ self.yi, rows })
    end
    self.xi = ma.concatenate({ self.xi, xi })
    self.wi, self.slope = weights_of(self.xi), nil
  end

  --> = barycentric | ma.interpolate.BarycentricInterpolator({0, 1, 2}, {0, 1, 4}) | A polynomial through points.
  --> . xi: array | the points
  --> . wi: array | the weights
  --> . axis: integer | the axis of the values
  --> :set_yi(yi: data, axis?: integer) | Takes other values.
  --> barycentric:set_yi: barycentric:set_yi {0, 2, 8}
  -->   return barycentric(1.5)
  --> :add_xi(xi: data, yi?: data) | Takes further points.
  --> barycentric:add_xi: barycentric:add_xi({3}, {9})
  -->   return barycentric.xi
  --> :derivative(x: data, der?: integer) -> array | The derivative of order der, 1 unless it is said.
  --> barycentric:derivative: ma.round(barycentric:derivative(1), 3)
  --> :derivatives(x: data, der?: integer) -> array | The first der derivatives, all of them unless it is said.
  --> barycentric:derivatives: barycentric:derivatives(1)
  --> + call(data): array
  local Barycentric = shared.class("BarycentricInterpolator", barycentric, {
    derivative = "x der", derivatives = "x der", set_yi = "yi axis", add_xi = "xi yi",
  })

  local function new_barycentric(name, xi, yi, axis, wi)
    xi = shared.reals(name, "xi", xi, is_array(yi) and yi or nil)
    if xi.ndim ~= 1 or xi.size == 0 then fail(name, sformat("xi is %s; wanted a vector", core.describe(xi))) end
    local self = setmetatable({ xi = xi, kind = "BarycentricInterpolator",
      wi = wi and shared.reals(name, "wi", wi, xi) or weights_of(xi) }, Barycentric)
    if yi ~= nil then self.yi, self.trailing, self.axis = shared.rows(name, yi, xi.size, axis, xi) end
    return self
  end

  --> interpolate.BarycentricInterpolator: ma.interpolate.BarycentricInterpolator({0, 1, 2}, {0, 1, 4})(1.5)
  def("interpolate.BarycentricInterpolator(xi: data, yi?: data, axis?: integer; wi?: data) -> barycentric",
    "The polynomial through values yi at distinct xi, along an axis (the first). An object that is called with " ..
      "points, and has derivative(x, der), derivatives(x, der), set_yi(yi) and add_xi(xi, yi). wi: barycentric " ..
      "weights.",
    function(xi, yi, axis, wi) return new_barycentric("interpolate.BarycentricInterpolator", xi, yi, axis, wi) end)

  --> interpolate.barycentric_interpolate({0, 1, 2}, {0, 1, 4}, 1.5)
  def("interpolate.barycentric_interpolate(xi: data, yi: data, x: data, axis?: integer; der?: integer) -> array",
    "The values at x of BarycentricInterpolator(xi, yi), or of its derivative of order der; of a table of orders a " ..
      "table.",
    function(xi, yi, x, axis, der)
      local object = new_barycentric("interpolate.barycentric_interpolate", xi, yi, axis)
      return each_order(der, function(nu) return nu == 0 and object(x) or object:derivative(x, nu) end)
    end)
end
