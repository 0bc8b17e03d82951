--- PPoly: polynomials between breakpoints, in powers of the distance from the interval's first one.
---
--- c has the shape (k, m, ...), the highest power first, for m intervals. Evaluation finds each point's interval,
--- gathers the coefficients of the interval as one row, and computes Horner's rule over the rows in one pass.

local sformat, abs = require("moonarray.text").format, math.abs

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local upright = require "moonarray.common" (core).upright
  local falling = shared.falling
  local methods, piecewise = {}, {}

  --- (m, k * r): the coefficients of an interval side by side.
  local function table_of(self)
    if not self.rows then
      local c = self.c
      self.rows = ma.keep(ma.moveaxis(c, 1, 2):reshape(c.shape[2], c.size / c.shape[2]):copy())
    end
    return self.rows
  end

  local function trailing_of(c) return shared.trailing(c, 3) end

  --- Values of the nu-th derivative at a vector of points inside or outside of the breakpoints: (n, r).
  local function values(self, points, nu)
    local k = self.c.shape[1]
    local _, r = trailing_of(self.c)
    local n = points.size
    local place = shared.interval(self.x, points)
    local rows = table_of(self):take(place, 1):reshape(n, k, r)
    local s = (points - self.x:take(place)):reshape(n, 1)
    local value
    for p = 1, k - nu do
      local power = k - p
      local term = rows[{ {}, p, {} }]
      local factor = falling(power, nu)
      if factor ~= 1 then term = term * factor end
      value = value and value * s + term or term
    end
    return value or ma.zeros_like(rows[{ {}, 1, {} }])
  end

  --- The widths of the intervals, beside the axes (m, ...) of coefficients.
  function piecewise.widths(x, c) return (x["2:"] - x[":-2"]):reshape(upright(c.ndim - 1, 1, x.size - 1)) end

  --- Values at points of any shape.
  local function evaluate(self, name, x, nu, extrapolate)
    return shared.evaluated(self, name, x, nu, extrapolate, self.x["1:1"], self.x["-1:-1"], (trailing_of(self.c)),
      function(points, order) return values(self, points, order) end)
  end

  local function new(c, x, extrapolate, axis, kind)
    return setmetatable({ c = c, x = x, extrapolate = extrapolate, axis = axis or 1, kind = kind or "PPoly" },
      piecewise.Meta)
  end
  piecewise.new = new

  function methods:__call(x, nu, extrapolate)
    if type(nu) == "table" then nu, extrapolate = nu.nu, nu.extrapolate end
    return evaluate(self, self.kind, x, nu, extrapolate)
  end

  --> = piecewise | ma.interpolate.PPoly({{1}, {0}}, {0, 1}) | A piecewise polynomial, called with positions.
  --> . c: array | the coefficients, from the highest power down
  --> . x: array | the breakpoints
  --> . axis: integer | the axis of the values
  --> . extrapolate: boolean|string | what it is outside of the breakpoints
  --> + call(data, integer?, boolean|string|nil): array
  --> :derivative(nu?: integer) -> piecewise | The derivative of order nu, 1 unless it is said.
  --> piecewise:derivative: local p = ma.interpolate.PPoly({{3}, {2}, {1}}, {0, 1})
  -->   return p:derivative()(1)
  function methods:derivative(nu)
    nu = shared.whole("PPoly.derivative", "nu", nu == nil and 1 or nu)
    if nu < 0 then return self:antiderivative(-nu) end
    local c = self.c
    local k = c.shape[1]
    if nu >= k then return new(ma.zeros_like(c["1:1"]), self.x, self.extrapolate, self.axis) end
    local factors = {}
    for p = 1, k - nu do factors[p] = falling(k - p, nu) end
    local factor = ma.array(factors, { device = c.device }):reshape(upright(c.ndim, 1, k - nu))
    return new((c[{ { 1, k - nu } }] * factor):eval(), self.x, self.extrapolate, self.axis)
  end

  --> :antiderivative(nu?: integer) -> piecewise | The integral of order nu, 1 unless it is said.
  --> piecewise:antiderivative: piecewise:antiderivative()(1)
  function methods:antiderivative(nu)
    nu = shared.antiderivative_order("PPoly.antiderivative", nu)
    if nu < 0 then return self:derivative(-nu) end
    local c, x = self.c, self.x
    for _ = 1, nu do
      local k, m = c.shape[1], c.shape[2]
      local divisors = {}
      for p = 1, k do divisors[p] = k - p + 1 end
      local high = c / ma.array(divisors, { device = c.device }):reshape(upright(c.ndim, 1, k))
      -- The constants of integration: the integrals over the intervals in front.
      local h = piecewise.widths(x, c)
      local whole
      for p = 1, k do whole = whole and whole * h + high[p] or high[p] end
      whole = whole * h
      local sums = ma.cumsum(whole, 1)
      local start = ma.zeros_like(whole["1:1"])
      if m > 1 then start = ma.concatenate({ start, sums[":-2"] }) end
      c = ma.concatenate({ high, start[{ ma.newaxis }] })
    end
    local extrapolate = self.extrapolate
    if extrapolate == "periodic" and nu > 0 then extrapolate = false end
    return new(c, x, extrapolate, self.axis)
  end

  --> :integrate(a: number, b: number, extrapolate?: boolean|string) -> array | The integral from a to b.
  --> piecewise:integrate: piecewise:integrate(0, 1)
  function methods:integrate(a, b, extrapolate)
    return shared.integral(self, "PPoly.integrate", a, b, extrapolate, function() return shared.ends(self.x) end,
      function(at, from, to, first, last)
        if from < first or to > last then return at(from) * ma.nan end
        return at(to) - at(from)
      end)
  end

  -- ==== Roots, on the host =========================================================================================

  local function horner(c, s)
    local v = c[1]
    for p = 2, #c do v = v * s + c[p] end
    return v
  end

  --- The roots of a polynomial in lo .. hi, in ascending order. Between two roots of its derivative it is monotone, so
  --- it has at most one there.
  local function roots_between(c, lo, hi)
    local first = 1
    while first < #c and c[first] == 0 do first = first + 1 end
    if first > 1 then
      local rest = {}
      for p = first, #c do rest[#rest + 1] = c[p] end
      c = rest
    end
    local n = #c - 1
    if n == 0 then return {} end
    if n == 1 then
      local s = -c[2] / c[1]
      return s >= lo and s <= hi and { s } or {}
    end
    local slope, scale = {}, 0
    for p = 1, n do slope[p] = c[p] * (n - p + 1) end
    for p = 1, #c do scale = math.max(scale, abs(c[p])) end
    local marks = roots_between(slope, lo, hi)
    table.insert(marks, 1, lo)
    marks[#marks + 1] = hi
    local found = {}
    local function add(s)
      if #found == 0 or s - found[#found] > 1e-13 * math.max(1, abs(s)) then found[#found + 1] = s end
    end
    for k = 1, #marks - 1 do
      local a, b = marks[k], marks[k + 1]
      local va, vb = horner(c, a), horner(c, b)
      local function vanishes(v, s)
        local size = abs(c[1])
        for p = 2, #c do size = size * abs(s) + abs(c[p]) end
        return abs(v) <= 4e-16 * size
      end
      if vanishes(va, a) then add(a) end
      if va * vb < 0 then
        for _ = 1, 200 do
          local middle = (a + b) / 2
          if middle <= a or middle >= b then break end
          local vm = horner(c, middle)
          if vm == 0 then a, b = middle, middle
          elseif va * vm < 0 then b = middle
          else a, va = middle, vm end
        end
        add((a + b) / 2)
      end
      if k == #marks - 1 and vanishes(vb, marks[k + 1]) then add(marks[k + 1]) end
    end
    return found
  end

  --- A bound of the roots' magnitude.
  local function bound_of(c)
    local lead, most = nil, 0
    for p = 1, #c do
      if lead then most = math.max(most, abs(c[p] / lead)) elseif c[p] ~= 0 then lead = c[p] end
    end
    return 1 + most
  end

  --- Roots of one function: coefficients [interval][power] and breakpoints.
  local function roots_of(c, x, discontinuity, extrapolate)
    local list, m = {}, #c
    local function add(v)
      if #list == 0 or list[#list] ~= list[#list] or v > list[#list] + 1e-13 * math.max(1, abs(v)) then
        list[#list + 1] = v
      end
    end
    for i = 1, m do
      local piece, h = c[i], x[i + 1] - x[i]
      local is_zero = true
      for p = 1, #piece do is_zero = is_zero and piece[p] == 0 end
      if i > 1 and discontinuity then
        local before, after = horner(c[i - 1], x[i] - x[i - 1]), piece[#piece]
        if before * after < 0 then add(x[i]) end
      end
      if is_zero then
        add(x[i])
        list[#list + 1] = 0 / 0
      else
        local wide = extrapolate and math.max(bound_of(piece), abs(h)) or 0
        local lo, hi = i == 1 and -wide or 0, i == m and math.max(h, wide) or h
        for _, s in ipairs(roots_between(piece, lo, hi)) do
          if s >= 0 or i == 1 then add(x[i] + s) end
        end
      end
    end
    return list
  end

  --> :solve(y?: number, discontinuity?: boolean, extrapolate?: boolean|string) -> array | Where it is y.
  --> piecewise:solve: piecewise:solve(0.5)
  function methods:solve(y, discontinuity, extrapolate)
    local name = "PPoly.solve"
    y = y == nil and 0 or shared.bound(name, "y", y)
    extrapolate = shared.extrapolation(name, extrapolate, self.extrapolate)
    if self.c.dtype ~= "float64" then fail(name, "complex coefficients; wanted real ones") end
    local k, m = self.c.shape[1], self.c.shape[2]
    local trailing, r = trailing_of(self.c)
    local all = ma.moveaxis(self.c:reshape(k, m, r), 3, 1):transpose(1, 3, 2):totable()     -- [r][m][k]
    local x, results = self.x:totable(), {}
    for j = 1, r do
      local pieces = all[j]
      for i = 1, m do pieces[i][k] = pieces[i][k] - y end
      results[j] = ma.array(roots_of(pieces, x, discontinuity ~= false, extrapolate == true),
        { dtype = "float64", device = self.c.device })
    end
    return #trailing == 0 and results[1] or results
  end

  --> :roots(discontinuity?: boolean, extrapolate?: boolean|string) -> array | Where it is 0.
  --> piecewise:roots: local p = ma.interpolate.PPoly({{2}, {-1}}, {0, 1})
  -->   return p:roots()
  function methods:roots(discontinuity, extrapolate) return self:solve(0, discontinuity, extrapolate) end

  -- ==== More pieces ================================================================================================

  --> :extend(c: data, x: data) -> piecewise | With further pieces.
  --> piecewise:extend: piecewise:extend({{0}, {1}}, {2})(1.5)
  function methods:extend(c, x)
    local name = self.kind .. ".extend"
    c = shared.values(c, self.c)
    x = shared.reals(name, "x", x, self.x)
    if c.ndim ~= self.c.ndim or x.ndim ~= 1 or c.shape[2] ~= x.size then
      fail(name, sformat("c is %s and x is %s; wanted coefficients as of this object, and a breakpoint for each",
        core.describe(c), core.describe(x)))
    end
    if x.size == 0 then return self end
    local old, k = self.c, math.max(c.shape[1], self.c.shape[1])
    local function grown(a)
      if a.shape[1] == k then return a end
      if self.kind == "BPoly" then fail(name, "coefficients of another degree; wanted the same") end
      local shape = { k - a.shape[1] }
      for d = 2, a.ndim do shape[d] = a.shape[d] end
      return ma.concatenate({ ma.zeros(shape, { dtype = a.dtype, device = a.device }), a })
    end
    local parts, breaks = { grown(old), grown(c) }, { self.x, x }
    local own_first, own_last = shared.ends(self.x)
    local first = x(1)
    if first < own_first then parts, breaks = { parts[2], parts[1] }, { x, self.x }
    elseif first < own_last then
      fail(name, "x lies inside of the breakpoints; wanted it in front of them or behind")
    end
    local joined = setmetatable({ c = ma.concatenate(parts, 2), x = ma.concatenate(breaks), kind = self.kind,
      extrapolate = self.extrapolate, axis = self.axis }, getmetatable(self))
    return joined
  end

  piecewise.extend = methods.extend
  piecewise.Meta = shared.class("PPoly", methods, {
    derivative = "nu", antiderivative = "nu", integrate = "a b extrapolate", solve = "y discontinuity extrapolate",
    roots = "discontinuity extrapolate", extend = "c x",
  })

  --- The arguments c and x of a constructor.
  function piecewise.arguments(name, c, x, extrapolate)
    c = shared.values(c, is_array(x) and x or nil)
    x = shared.positions(name, "x", x, 2, c)
    if c.ndim < 2 or c.shape[1] == 0 or c.shape[2] ~= x.size - 1 then
      fail(name, sformat("c is %s for %d breakpoints; wanted (k, %d, ...)", core.describe(c), x.size, x.size - 1))
    end
    return c, x, shared.extrapolation(name, extrapolate, true)
  end

  --> interpolate.PPoly: ma.interpolate.PPoly({{1}, {0}}, {0, 1})(0.25)
  def("interpolate.PPoly(c: data, x: data, extrapolate?: boolean|string, axis?: integer) -> piecewise",
    "A piecewise polynomial: between x[i] and x[i + 1] the sum of c[p, i] (x - x[i])^(k - p), p from 1 to k. An " ..
      "object that is called with points (and nu, extrapolate), and has derivative(nu), antiderivative(nu), " ..
      "integrate(a, b), roots(), solve(y), extend(c, x), c and x. extrapolate (true): true, false for NaN outside, " ..
      "or 'periodic'.",
    function(c, x, extrapolate, axis)
      local name = "interpolate.PPoly"
      c, x, extrapolate = piecewise.arguments(name, c, x, extrapolate)
      return new(c, x, extrapolate, axis)
    end)

  return piecewise
end
