--- BPoly: polynomials between breakpoints in Bernstein's basis.

local sformat = require("moonarray.text").format
local max = math.max

return function(ma, core, shared, piecewise)
  local def, fail = core.def, core.fail
  local methods = {}
  local Meta

  local function binomial(n, k)
    local value = 1
    for j = 1, k do value = value * (n - k + j) / j end
    return value
  end

  local function new(c, x, extrapolate, axis)
    return setmetatable({ c = c, x = x, extrapolate = extrapolate, axis = axis or 1, kind = "BPoly" }, Meta)
  end

  local widths = piecewise.widths

  --- Coefficients in powers of the distance from the left end.
  local function powers(self)
    local c, x = self.c, self.x
    local k = c.shape[1] - 1
    local h = widths(x, c)
    local list = {}
    for p = 0, k do                                          -- of the power p
      local sum
      for a = 0, p do
        local factor = binomial(k, p) * binomial(p, a) * (-1) ^ (p - a)
        local term = c[a + 1] * factor
        sum = sum and sum + term or term
      end
      list[k + 1 - p] = p > 0 and sum / h ^ p or sum
    end
    return piecewise.new(ma.stack(list), x, self.extrapolate, self.axis)
  end

  --- Rows of values at a vector of points, by de Casteljau's rule: means of neighbouring coefficients, again and
  --- again.
  local function values(f, points)
    local n, k, m = points.size, f.c.shape[1], f.c.shape[2]
    local count = f.c.size / (k * m)
    local place = shared.interval(f.x, points)
    local rows = ma.moveaxis(f.c, 1, 2):reshape(m, k * count):take(place, 1):reshape(n, k, count)
    local left = f.x:take(place)
    local s = ((points - left) / (f.x:take(place + 1) - left)):reshape(n, 1)
    local list = {}
    for a = 1, k do list[a] = rows[{ {}, a, {} }] end
    for round = k - 1, 1, -1 do
      for a = 1, round do list[a] = list[a] * (1 - s) + list[a + 1] * s end
    end
    return list[1]
  end

  local function evaluate(self, x, nu, extrapolate)
    return shared.evaluated(self, "BPoly", x, nu, extrapolate, self.x["1:1"], self.x["-1:-1"],
      (shared.trailing(self.c, 3)), function(points, order)
        return values(order > 0 and self:derivative(order) or self, points)
      end)
  end

  function methods:__call(x, nu, extrapolate)
    if type(nu) == "table" then nu, extrapolate = nu.nu, nu.extrapolate end
    return evaluate(self, x, nu, extrapolate)
  end

  --> = bernstein | ma.interpolate.BPoly({{1}, {0}}, {0, 1}) | A piecewise polynomial in Bernstein's basis.
  --> . c: array | the coefficients
  --> . x: array | the breakpoints
  --> . axis: integer | the axis of the values
  --> . extrapolate: boolean|string | what it is outside of the breakpoints
  --> :extend(c: data, x: data) -> bernstein | With further pieces.
  --> bernstein:extend: bernstein:extend({{0}, {1}}, {2})(1.5)
  --> + call(data, integer?, boolean|string|nil): array
  --> :derivative(nu?: integer) -> bernstein | The derivative of order nu, 1 unless it is said.
  --> bernstein:derivative: bernstein:derivative()(0.5)
  function methods:derivative(nu)
    nu = shared.whole("BPoly.derivative", "nu", nu == nil and 1 or nu)
    if nu < 0 then return self:antiderivative(-nu) end
    local c = self.c
    for k = c.shape[1] - 1, max(c.shape[1] - nu, 1), -1 do
      c = (c["2:"] - c[":-2"]) * k / widths(self.x, c)[{ ma.newaxis }]
    end
    if nu >= self.c.shape[1] then c = ma.zeros_like(c) end
    return new(c:eval(), self.x, self.extrapolate, self.axis)
  end

  --> :antiderivative(nu?: integer) -> bernstein | The integral of order nu, 1 unless it is said.
  --> bernstein:antiderivative: bernstein:antiderivative()(1)
  function methods:antiderivative(nu)
    nu = shared.antiderivative_order("BPoly.antiderivative", nu)
    if nu < 0 then return self:derivative(-nu) end
    local c = self.c
    for _ = 1, nu do
      local k, m = c.shape[1], c.shape[2]
      local sums = ma.cumsum(c, 1) * widths(self.x, c)[{ ma.newaxis }] / k
      local whole = ma.cumsum(sums["-1"], 1)                 -- at the right ends
      local start = ma.zeros_like(whole["1:1"])
      if m > 1 then start = ma.concatenate({ start, whole[":-2"] }) end
      start = start[{ ma.newaxis }]
      c = ma.concatenate({ start, sums + start })
    end
    local extrapolate = self.extrapolate
    if extrapolate == "periodic" and nu > 0 then extrapolate = false end
    return new(c:eval(), self.x, extrapolate, self.axis)
  end

  --> :integrate(a: number, b: number, extrapolate?: boolean|string) -> array | The integral from a to b.
  --> bernstein:integrate: bernstein:integrate(0, 1)
  function methods:integrate(a, b, extrapolate) return powers(self):integrate(a, b, extrapolate) end
  --> :to_ppoly() -> piecewise | The same in powers.
  --> bernstein:to_ppoly: bernstein:to_ppoly().c
  function methods:to_ppoly() return powers(self) end
  methods.extend = piecewise.extend

  Meta = shared.class("BPoly", methods, {
    derivative = "nu", antiderivative = "nu", integrate = "a b extrapolate", extend = "c x",
  })

  --> interpolate.BPoly: ma.interpolate.BPoly({{1}, {0}}, {0, 1})(0.25)
  def("interpolate.BPoly(c: data, x: data, extrapolate?: boolean|string, axis?: integer) -> bernstein",
    "A piecewise polynomial in Bernstein's basis: between x[i] and x[i + 1], with s from 0 to 1, the sum of c[a, i] " ..
      "binom(k, a - 1) s^(a - 1) (1 - s)^(k - a + 1), a from 1 to k + 1. An object as PPoly, without roots.",
    function(c, x, extrapolate, axis)
      local name = "interpolate.BPoly"
      c, x, extrapolate = piecewise.arguments(name, c, x, extrapolate)
      return new(c, x, extrapolate, axis)
    end)

  --> interpolate.from_power_basis: ma.interpolate.from_power_basis(ma.interpolate.PPoly({{1}, {0}}, {0, 1})).c
  def("interpolate.from_power_basis(p: data, extrapolate?: boolean|string) -> bernstein",
    "The BPoly of a PPoly. SciPy's BPoly.from_power_basis.",
    function(p, extrapolate)
      local name = "interpolate.from_power_basis"
      if type(p) ~= "table" or getmetatable(p) ~= piecewise.Meta then
        fail(name, sformat("%s; wanted a PPoly", core.describe(p)))
      end
      local c, x = p.c, p.x
      local k = c.shape[1] - 1
      local h = widths(x, c)
      local list = {}
      for a = 0, k do
        local sum
        for power = 0, a do
          local term = c[k + 1 - power] * (binomial(a, power) / binomial(k, power))
          if power > 0 then term = term * h ^ power end
          sum = sum and sum + term or term
        end
        list[a + 1] = sum
      end
      return new(ma.stack(list), x, shared.extrapolation(name, extrapolate, p.extrapolate), p.axis)
    end)

  --> interpolate.from_bernstein_basis: ma.interpolate.from_bernstein_basis(ma.interpolate.BPoly({{1}, {0}}, {0, 1})).c
  def("interpolate.from_bernstein_basis(bp: piecewise, extrapolate?: boolean|string) -> piecewise",
    "The PPoly of a BPoly. SciPy's PPoly.from_bernstein_basis.",
    function(bp, extrapolate)
      local name = "interpolate.from_bernstein_basis"
      if type(bp) ~= "table" or getmetatable(bp) ~= Meta then
        fail(name, sformat("%s; wanted a BPoly", core.describe(bp)))
      end
      local p = powers(bp)
      p.extrapolate = shared.extrapolation(name, extrapolate, bp.extrapolate)
      return p
    end)
end
