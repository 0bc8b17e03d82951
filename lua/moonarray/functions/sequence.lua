--- Evenly spaced numbers, between numbers (core.linspace) or between the elements of arrays; and arrays from iterators.
--# create

local tonumber, tostring = require("moonarray.text").tonumber, require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is, cast = common.is, common.cast

  -- ==== Between numbers ====

  local function is_plain(value) return type(value) == "number" or type(value) == "cdata" end

  local function count_of(name, num) return common.whole(name, "num", num == nil and 50 or num, 0) end

  --- The ends as arrays on one device, and the float dtype in which NumPy computes, with `beside` taken into account.
  local function ends_of(name, start, stop, device, beside)
    local kinds = {}
    for k, value in ipairs { start, stop } do
      if type(value) == "boolean" or type(value) == "string" or type(value) == "function" then
        fail(name, sformat("%s is %s; wanted a number or an "
          .. "array", k == 1 and "start" or "stop", core.describe(value)))
      end
      kinds[k] = is_plain(value) and value or core.asarray(value).dtype
    end
    local dtype = ma.result_type(kinds[1], kinds[2])
    if beside then dtype = ma.result_type(dtype, beside) end
    if not is.inexact[dtype] then dtype = "float64" end
    device = device or core.is_array(start) and start.device or core.is_array(stop) and stop.device or nil
    local options = { dtype = dtype, device = device }
    return core.asarray(start, options), core.asarray(stop, options), dtype
  end

  --- Moves the axis of the numbers to its place in the result.
  local function run_along(name, y, axis)
    axis = common.axis(name, axis or 1, y.ndim)
    return axis == 1 and y or y:moveaxis(1, axis)
  end

  local function slab(y, k) return common.along(y, 1, k, k) end

  --- Whether an element is 0, as a 0-d array, without waiting.
  local function has_zero(a) return ma.sum(ma.equal(a, 0)):gt(0) end

  --- The numbers along the first axis of the result, in the dtype; and the steps.
  local function spread(start, stop, num, endpoint, dtype)
    local span = stop - start
    local shape = span.shape
    local k = ma.arange(0, num, 1, { dtype = dtype, device = start.device })
    for _ = 1, #shape do k = k:expand_dims(-1) end
    local parts = endpoint == false and num or num - 1
    local y, step
    if parts > 0 then
      step = span / parts
      y = ma.where(has_zero(step), k / parts * span, k * step)               -- a step may underflow to 0
    else
      step = ma.nan
      y = k * span
    end
    y = y + start
    if endpoint ~= false and num > 1 then slab(y, num):assign(stop:broadcast_to(shape)) end
    return y, step
  end

  local function linspace(name, start, stop, num, endpoint, dtype, device)
    local from, to, loop = ends_of(name, start, stop, device)
    local y, step = spread(from, to, num, endpoint, loop)
    if dtype and is.integer[dtype] then y = ma.floor(y) end
    return cast(y, dtype), step
  end

  local about = "the ends may be arrays, which broadcast: then the numbers run along a new axis of the result, the "
    .. "first one or axis. "

  --> linspace(0, 1, 5)
  def("linspace(start: data, stop: data, num?: integer, endpoint?: boolean, retstep?: boolean, "
    .. "dtype?: dtype; axis?: integer|integer[], device?: string) -> array, array?",
    "num (50) numbers at equal distances from start to stop, which is left out with endpoint = false; with retstep "
      .. "the distance too. " .. about
    .. "The dtype is the default one, of arrays that of their elements, at least float; integers are rounded down.",
    function(start, stop, num, endpoint, retstep, dtype, axis, device)
      if is_plain(start) and is_plain(stop) then
        if axis ~= nil then common.axis("linspace", axis, 1) end
        return core.linspace(start, stop, num, endpoint, retstep, dtype, device)
      end
      num = count_of("linspace", num)
      local y, step = linspace("linspace", start, stop, num, endpoint, dtype, device)
      y = run_along("linspace", y, axis)
      if retstep then return y, step end
      return y
    end)

  --- base^exponents. float32 is computed in float64, whose whole powers are exact also on a GPU: an integer dtype would
  --- else cut 99.99999 to 99.
  local function power(base, exponents)
    local dtype = ma.result_type(is_plain(base) and base or base.dtype, exponents.dtype)
    if dtype == "float32" then return ma.power(base, exponents:astype("float64")):astype(dtype) end
    return ma.power(base, exponents)
  end

  --> logspace(0, 3, 4)
  def("logspace(start: number, stop: number, num?: integer, endpoint?: boolean, base?: number, "
    .. "dtype?: dtype; axis?: integer|integer[], device?: string) -> array",
    "num (50) numbers from base^start to base^stop (base: 10), spaced evenly on a logarithmic scale; "
      .. about .. "base may be an array too.",
    function(start, stop, num, endpoint, base, dtype, axis, device)
      num = count_of("logspace", num)
      base = base == nil and 10 or base
      if not is_plain(base) then
        base = core.asarray(base)
        if base.ndim > 0 then                          -- so that it broadcasts with the ends
          local ndim = base.ndim
          for _, value in ipairs { start, stop } do
            if not is_plain(value) then ndim = math.max(ndim, core.asarray(value).ndim) end
          end
          local function deepen(value)
            if is_plain(value) then value = ma.full({}, value) else value = core.asarray(value) end
            while value.ndim < ndim do value = value:expand_dims(1) end
            return value
          end
          start, stop = deepen(start), deepen(stop)
          base = deepen(base):expand_dims(common.axis("logspace", axis or 1, ndim + 1))
        end
      end
      local exponents = ma.linspace(start, stop, { num = num, endpoint = endpoint, axis = axis, device = device })
      return cast(power(base, exponents), dtype)
    end)

  local function geometric_numbers(start, stop, num, endpoint, dtype, device)
    if start * stop <= 0 then
      fail("geomspace", sformat("from %s to %s; two numbers of one sign, neither 0", tostring(start), tostring(stop)))
    end
    local sign = start < 0 and -1 or 1
    local exponents = ma.linspace(math.log10(sign * start), math.log10(sign * stop),
      { num = num, endpoint = endpoint, device = device })
    local result = ma.power(10, exponents)
    if sign < 0 then result = -result end
    if num > 0 then result[1] = start end
    if num > 1 and endpoint ~= false then result[num] = stop end
    return cast(result, dtype)
  end

  --> geomspace(1, 8, 4)
  def("geomspace(start: data, stop: data, num?: integer, endpoint?: boolean, dtype?: dtype; axis?: integer|integer[], "
    .. "device?: string) -> array",
    "num (50) numbers from start to stop, each a constant multiple of the one before it; " .. about
    .. "Ends may be complex, which gives a spiral. Ends that are 0 are an error; those of arrays are looked at, "
    .. "which waits.",
    function(start, stop, num, endpoint, dtype, axis, device)
      num = count_of("geomspace", num)
      if type(start) == "number" and type(stop) == "number" then
        if axis ~= nil then common.axis("geomspace", axis, 1) end
        return geometric_numbers(start, stop, num, endpoint, dtype, device)
      end
      local from, to, loop = ends_of("geomspace", start, stop, device, dtype or "float64")
      if (has_zero(from) + has_zero(to)):any() then
        fail("geomspace", "an end that is 0; others")
      end
      local sign = is.complexfloating[loop] and from / ma.absolute(from) or ma.sign(from)
      from, to = from / sign, to / sign
      local result = ma.power(10, (spread(ma.log10(from), ma.log10(to), num, endpoint, loop)))
      if num > 0 then slab(result, 1):assign(from:broadcast_to(slab(result, 1).shape)) end
      if num > 1 and endpoint ~= false then slab(result, num):assign(to:broadcast_to(slab(result, 1).shape)) end
      return cast(run_along("geomspace", result * sign, axis), dtype)
    end)

  -- ==== From an iterator ====

  local MOST = 2 ^ 26

  --> fromiter: ma.fromiter(ma.range(1, 3):each(), "float64")
  def("fromiter(iter: function, dtype: dtype, count?: integer; device?: string) -> array",
    "A vector of what an iterator of Lua gives: a function that is called until it gives nil, as io.lines and "
      .. "coroutine.wrap make them, or a table's elements. With count, so many of them; fewer are an error.",
    function(iter, dtype, count, device)
      if count ~= nil then count = common.whole("fromiter", "count", count) end
      if count == nil or count < 0 then count = nil end        -- a pointer that is NULL equals nil and is true
      if type(iter) == "table" and not core.is_callable(iter) then
        local list, at = iter, 0
        iter = function()
          at = at + 1
          return list[at]
        end
      end
      common.callable("fromiter", "iter", iter)
      local values, n = {}, 0
      while n ~= count do
        local value = iter()
        if value == nil then break end
        n = n + 1
        if n > MOST then fail("fromiter", sformat("more than %d elements; a count, or fewer", MOST)) end
        if type(value) == "string" then value = tonumber(value) or fail("fromiter", sformat("the text '%s' as "
          .. "element %d; a number", value, n)) end
        values[n] = value
      end
      if count and n < count then fail("fromiter", sformat("an iterator of %d elements; %d", n, count)) end
      return ma.array(values, { dtype = dtype, device = device })
    end)
end
