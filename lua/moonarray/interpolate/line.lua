--- interp1d: lines, steps and splines between values, with a rule for points outside.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local methods = {}
  local I = ma.interpolate

  local orders = { zero = 0, slinear = 1, quadratic = 2, cubic = 3 }

  --- For each point the position of the value that a step takes.
  local steps = {}
  function steps.previous(x, points) return ma.clip(ma.searchsorted(x, points, "right") - 1, 1, x.size) end
  steps.zero = steps.previous
  function steps.next(x, points) return ma.clip(ma.searchsorted(x, points, "left"), 1, x.size) end
  function steps.nearest(x, points)
    local middles = (x["2:"] + x[":-2"]) / 2
    return ma.clip(ma.searchsorted(middles, points, "left"), 1, x.size)
  end
  steps["nearest-up"] = function(x, points)
    local middles = (x["2:"] + x[":-2"]) / 2
    return ma.clip(ma.searchsorted(middles, points, "right"), 1, x.size)
  end

  --- Rows of values on the line between neighbours, also beyond the ends. As in ma.interp, a position has its own value
  --- even beside NaN and infinities. Where the line from one neighbour gives NaN, the line from the other one counts.
  local function linear(x, rows, points)
    local complex = ma.iscomplexobj(rows)
    if complex then                                        -- the real and the imaginary parts by themselves
      rows = core.contiguous(rows):view(rows.dtype == "complex64" and "float32" or "float64")
    end
    local place = shared.interval(x, points)
    points = points:reshape(points.size, 1)
    local x0, x1 = x:take(place):reshape(points.shape), x:take(place + 1):reshape(points.shape)
    local y0, y1 = rows:take(place, 1), rows:take(place + 1, 1)
    local slope = (y1 - y0) / (x1 - x0)
    local result, behind = slope * (points - x0) + y0, slope * (points - x1) + y1
    result = ma.where(ma.isnan(result), ma.where(ma.isnan(behind) * y0:eq(y1), y0, behind), result)
    result = ma.where(points:eq(x1), y1, ma.where(points:eq(x0), y0, result))
    result = ma.where(ma.isnan(points), points, result)
    return complex and result:view(result.dtype == "float32" and "complex64" or "complex128") or result
  end

  function methods:__call(value)
    local name = "interp1d"
    local points, outer = shared.points(name, value, self.x)
    local first, last = self.x["1:1"], self.x["-1:-1"]
    if self.column and points.dtype == "float64" then
      if self.bounds_error and points.size > 0 and (points:lt(first) + points:gt(last)):any() then
        fail(name, "a point outside of the positions, and bounds_error is true")
      end
      local fill = self.fill_numbers
      local result = ma.interp(points, self.x, self.column, fill[1], fill[2])
      return shared.shaped(result:reshape(points.size, 1), outer, self.trailing, self.axis, points)
    end
    local below, above = points:lt(first), points:gt(last)
    if self.bounds_error and (below + above):any() then
      fail(name, "a point outside of the positions, and bounds_error is true")
    end
    local result
    if steps[self.kind] then result = self.rows:take(steps[self.kind](self.x, points), 1)
    elseif self.kind == "linear" then result = linear(self.x, self.rows, points)
    else result = self.spline(points) end
    if self.fill then
      result = ma.where(below:reshape(points.size, 1), self.fill[1], result)
      result = ma.where(above:reshape(points.size, 1), self.fill[2], result)
    elseif self.kind == "previous" then
      result = ma.where(below:reshape(points.size, 1), ma.nan, result)
    elseif self.kind == "next" then
      result = ma.where(above:reshape(points.size, 1), ma.nan, result)
    end
    return shared.shaped(result, outer, self.trailing, self.axis, points)
  end

  --> = interpolator | ma.interpolate.interp1d({0, 1, 2}, {0, 1, 4}) | A function through points, called with positions.
  --> + call(data, any, any): array
  local Meta = shared.class("interp1d", methods)

  --- fill_value: "extrapolate", one for both sides, or a table of two.
  local function fill_of(name, value, count, x)
    if value == "extrapolate" then return nil end
    local two = type(value) == "table" and not is_array(value) and #value == 2 and value or { value, value }
    local list = {}
    for k = 1, 2 do
      local a = shared.values(two[k], x)
      if a.ndim == 0 then list[k] = a
      elseif a.size == count then list[k] = a:reshape(1, count)
      else fail(name, sformat("fill_value is %s for values of %d columns", core.describe(a), count)) end
    end
    return list
  end

  --> interpolate.interp1d: ma.interpolate.interp1d({0, 1, 2}, {0, 10, 20})(1.5)
  def("interpolate.interp1d(x: data, y: data, kind?: string|integer, axis?: integer, bounds_error?: boolean, "
    .. "fill_value?: number|string|table; copy?: boolean, assume_sorted?: boolean) -> interpolator",
    "A function through values y at x, along an axis (the last): an object that is called with points. kind: " ..
      "'linear' (default), 'nearest', 'nearest-up', 'previous', 'next', 'zero', 'slinear', 'quadratic', 'cubic', or " ..
      "the degree of a spline. Outside: an error, which is looked for and waits, or fill_value (NaN with " ..
      "bounds_error = false): a number, {below, above}, or 'extrapolate'. assume_sorted (false): x grows already.",
    function(x, y, kind, axis, bounds_error, fill_value, _, sorted)
      local name = "interpolate.interp1d"
      kind = kind or "linear"
      x = shared.reals(name, "x", x, is_array(y) and y or nil)
      if x.ndim ~= 1 or x.size == 0 then fail(name, sformat("x is %s; wanted a vector", core.describe(x))) end
      local rows, trailing, along = shared.rows(name, y, x.size, axis or -1, x)
      if not sorted then
        local order
        x, order = core.sort_both(x, 1)
        rows = rows:take(order, 1)
      end
      local degree = type(kind) == "number" and shared.whole(name, "kind", kind, 0) or orders[kind]
      if not degree and not steps[kind] and kind ~= "linear" then
        fail(name, sformat("'%s' for kind; linear, nearest, nearest-up, previous, next, zero, slinear, quadratic, " ..
          "cubic or a degree", tostring(kind)))
      end
      if degree == 0 then kind = "zero" elseif degree == 1 then kind = "linear" end
      if x.size < 2 and (kind == "linear" or degree) then
        fail(name, sformat("%d positions; wanted two at least", x.size))
      end
      if bounds_error == nil then bounds_error = fill_value == nil end
      if fill_value == "extrapolate" and bounds_error then
        fail(name, "bounds_error with fill_value = 'extrapolate'; wanted one of them")
      end
      local self = setmetatable({ x = x, rows = rows, kind = kind, trailing = trailing, axis = along,
        bounds_error = bounds_error }, Meta)
      self.fill = fill_of(name, fill_value == nil and ma.nan or fill_value, rows.shape[2], x)
      local below, above = fill_value, fill_value            -- numbers, for ma.interp
      if fill_value == nil then below, above = ma.nan, ma.nan
      elseif type(fill_value) == "table" and not is_array(fill_value) then
        below, above = fill_value[1], fill_value[2]
      end
      if kind == "linear" and type(below) == "number" and type(above) == "number" and rows.shape[2] == 1 and
        rows.dtype == "float64" and x.dtype == "float64" then
        self.column, self.fill_numbers = rows:reshape(x.size), { below, above }
      end
      if degree and degree > 1 then self.spline = I.make_interp_spline(x, rows, degree) end
      return self
    end)
end
