--- What the parts of ma.interpolate share: operands, axes, intervals, and objects.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local shared = {}

  --- An argument in float64 or complex128, on the device of `beside` unless it is an array.
  function shared.values(value, beside)
    local a = is_array(value) and value or core.asarray(value, { device = beside and beside.device or nil })
    return a:astype(ma.iscomplexobj(a) and "complex128" or "float64")
  end

  --- Real numbers, in float64.
  function shared.reals(name, what, value, beside)
    local a = shared.values(value, beside)
    if a.dtype ~= "float64" then fail(name, sformat("%s is %s; wanted real numbers", what, core.describe(a))) end
    return a
  end

  --- A vector of at least `least` positions that grow. With a table on the host the device is `beside`'s. Waits.
  function shared.positions(name, what, value, least, beside, may_repeat)
    local x = shared.reals(name, what, value, is_array(beside) and beside or nil)
    if x.ndim ~= 1 or x.size < least then
      fail(name, sformat("%s is %s; wanted a vector of %d numbers at least", what, core.describe(x), least))
    end
    if x.size > 1 then
      local step = x["2:"] - x[":-2"]
      if not (may_repeat and step:ge(0) or step:gt(0)):all() then
        fail(name, sformat("%s does not grow everywhere; wanted positions in ascending order", what))
      end
    end
    return x:eval()
  end

  --- The extents of the axes from one on, and how many elements they have.
  function shared.trailing(a, from)
    local list, count = { unpack(a.shape, from) }, 1
    for _, extent in ipairs(list) do count = count * extent end
    return list, count
  end

  --- Values as a matrix with a row for each of n positions along `axis` (the first), and what belongs to their shape.
  function shared.rows(name, y, n, axis, x)
    local a = shared.values(y, x)
    if a.ndim == 0 then fail(name, "y is a 0-d array; wanted values along an axis") end
    axis = common.axis(name, axis or 1, a.ndim)
    if a.shape[axis] ~= n then
      fail(name, sformat("y has %d values along axis %d; wanted one for each of %d positions", a.shape[axis], axis, n))
    end
    local moved = ma.moveaxis(a, axis, 1)
    local trailing, count = shared.trailing(moved, 2)
    return moved:reshape(n, count), trailing, axis
  end

  --- Growing positions, and the rows of the values there.
  function shared.data(name, x, y, axis)
    x = shared.positions(name, "x", x, 2, y)
    return x, shared.rows(name, y, x.size, axis, x)
  end

  --- Whether each point is NaN in one of its coordinates. Points are a vector, rows, or a list of a vector for each
  --- coordinate.
  local function no_point(points)
    if is_array(points) then
      local bad = ma.isnan(points)
      return points.ndim == 2 and bad:any(2) or bad
    end
    local bad = ma.isnan(points[1])
    for k = 2, #points do bad = bad + ma.isnan(points[k]) end
    return bad
  end

  --- Rows of results at points in their own shape: `outer` with the trailing axes, where the axis of interpolation was.
  --- A point that is NaN has the value NaN.
  function shared.shaped(rows, outer, trailing, axis, points)
    rows = ma.where(no_point(points):reshape(rows.shape[1], 1), ma.nan, rows)
    local result, moved = rows:reshape(common.joined(outer, trailing)), {}
    if axis == 1 or #trailing == 0 then return result end
    for d = 1, axis - 1 do moved[#moved + 1] = #outer + d end
    for d = 1, #outer do moved[#moved + 1] = d end
    for d = axis, #trailing do moved[#moved + 1] = #outer + d end
    return result:transpose(moved)
  end

  --- Points as a vector, and their shape.
  function shared.points(name, value, beside)
    local x = shared.reals(name, "x", value, beside)
    return x:reshape(x.size), x.shape
  end

  --- For each point the interval 1 .. n - 1 of the n breakpoints it is in; the outer ones take what is outside.
  function shared.interval(breaks, points, n)
    return ma.clip(ma.searchsorted(breaks, points, "right") - 1, 1, (n or breaks.size) - 1)
  end

  --- The first and the last element, on the host. Waits.
  function shared.ends(x) return x(1), x(x.size) end

  --- `extrapolate` of a call: true, false or "periodic".
  function shared.extrapolation(name, value, default)
    if value == nil then value = default end
    if value ~= true and value ~= false and value ~= "periodic" then
      fail(name, sformat("extrapolate is %s; wanted true, false or 'periodic'", core.describe(value)))
    end
    return value
  end

  --- Values at points of any shape, or those of the nu-th derivative, of a piecewise function from `first` to `last`.
  --- values(points, nu) gives rows for a vector of points.
  function shared.evaluated(self, name, x, nu, extrapolate, first, last, trailing, values)
    nu = common.whole(name, "nu", nu or 0, 0)
    extrapolate = shared.extrapolation(name, extrapolate, self.extrapolate)
    local points, outer = shared.points(name, x, first)
    if extrapolate == "periodic" then points = first + ma.remainder(points - first, last - first) end
    local result = values(points, nu)
    if extrapolate == false then
      local outside = points:lt(first) + points:gt(last)
      result = ma.where(outside:reshape(points.size, 1), ma.nan, result)
    end
    return shared.shaped(result, outer, trailing, self.axis, points)
  end

  --- The integral of such a function from a to b. ends() gives its first and last position, and without extrapolation
  --- outside(at, a, b, first, last) the result, where at(t) is the antiderivative.
  function shared.integral(self, name, a, b, extrapolate, ends, outside)
    a, b = shared.bound(name, "a", a), shared.bound(name, "b", b)
    extrapolate = shared.extrapolation(name, extrapolate, self.extrapolate)
    local sign = 1
    if b < a then a, b, sign = b, a, -1 end
    local whole = self:antiderivative()
    local function at(t) return whole(t, 0, true) end
    if extrapolate == true then return (at(b) - at(a)) * sign end
    local first, last = ends()
    if extrapolate == false then return outside(at, a, b, first, last) * sign end
    local period = last - first
    local turns = floor((b - a) / period)
    local left, start = b - a - turns * period, first + (a - first) % period
    local result = (at(last) - at(first)) * turns
    if start + left <= last then return (result + at(start + left) - at(start)) * sign end
    return (result + at(last) - at(start) + at(first + left - (last - start)) - at(first)) * sign
  end

  --- fn(nu) for an order of derivatives, 0 by default, or for each of a table of them.
  function shared.each_order(der, fn)
    if type(der) ~= "table" or is_array(der) then return fn(der or 0) end
    local list = {}
    for k, nu in ipairs(der) do list[k] = fn(nu) end
    return list
  end

  --- The product n (n - 1) ... of `count` factors.
  function shared.falling(n, count)
    local product = 1
    for j = 0, count - 1 do product = product * (n - j) end
    return product
  end

  --- A class of objects: tables whose methods check that they are called with a colon. A method's last argument may be
  --- a table of options, which stand for the arguments of the names in `signatures`.
  function shared.class(name, methods, signatures)
    local Meta = { methods = methods }
    local function arranged(method, key, names)
      return function(self, ...)
        local n = select("#", ...)
        local last = select(n > 0 and n or 1, ...)
        if n > 0 and type(last) == "table" and not is_array(last) and #last == 0 and getmetatable(last) == nil then
          local list = { ... }
          list[n] = nil
          for option, value in pairs(last) do
            local place
            for k = 1, #names do if names[k] == option then place = k end end
            if not place then
              fail(name .. "." .. key, sformat("no argument '%s'; it takes %s", tostring(option),
                table.concat(names, ", ")))
            end
            list[place] = value
          end
          return method(self, unpack(list, 1, #names))
        end
        return method(self, ...)
      end
    end
    for key, text in pairs(signatures or {}) do
      local names = {}
      for word in text:gmatch("[%w_]+") do names[#names + 1] = word end
      methods[key] = arranged(methods[key], key, names)
    end
    local call = methods.__call
    methods.__call = nil
    common.guard(name, Meta, methods, true)
    Meta.__index = common.attributes("interpolate." .. name, methods)
    Meta.__call = call
    Meta.__tostring = function(self) return sformat("%s of moonarray.interpolate", self.kind or name) end
    return Meta
  end

  --- An end of an interval: a number, or an array without axes, for which it waits.
  function shared.bound(name, what, value) return common.number(name, what, common.plain(value)) end

  shared.whole = common.whole

  --- The order of an antiderivative, whose divisors are no doubles beyond 170!.
  function shared.antiderivative_order(name, value, least)
    return common.whole(name, "nu", value == nil and 1 or value, least, 170)
  end

  return shared
end
