--- What the parts of ma.signal share: checks of arguments, arrays of floats, lengths for transforms.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local shared = {}

  function shared.is_complex(a) return is.complexfloating[a.dtype] end
  function shared.is_float(a) return is.inexact[a.dtype] end

  --- The first device that an array among the values has; nil: none is an array.
  function shared.device_of(...)
    for k = 1, select("#", ...) do
      local a = select(k, ...)
      if is_array(a) then return a.device end
    end
  end

  --- The dtype in which floats are computed: float16, bool and whole numbers become wider.
  function shared.wide_dtype(dtype)
    if dtype == "float32" or dtype == "complex64" or dtype == "complex128" then return dtype end
    return (dtype == "float16" or dtype == "bfloat16") and "float32" or "float64"
  end

  --- The dtype of the real part of what is computed with x.
  function shared.real_dtype(x) return (x.dtype == "float32" or x.dtype == "complex64") and "float32" or "float64" end

  --- Two values as arrays: a table or a number goes to the array's device.
  function shared.both(a, b)
    local device = shared.device_of(a, b)
    return core.asarray(a, { device = device }), core.asarray(b, { device = device })
  end

  --- A value as an array of float32, float64 or their complex forms.
  function shared.floating(a, device)
    a = is_array(a) and a or core.asarray(a, { device = device })
    return a:astype(shared.wide_dtype(a.dtype), { copy = false })
  end

  --- The array, with at least one axis.
  function shared.signal(name, what, a, device)
    a = shared.floating(a, device)
    if a.ndim == 0 then fail(name, sformat("%s is a 0-d array; wanted at least one axis", what)) end
    return a
  end

  --- A signal x and the axis along it, the last one by default.
  function shared.lines(name, a, axis, device)
    a = shared.signal(name, "x", a, device)
    return a, common.axis(name, axis or -1, a.ndim)
  end

  function shared.real(name, a)
    if shared.is_complex(a) then fail(name, sformat("a %s array; wanted real numbers", a.dtype)) end
    return a
  end

  function shared.vector(name, what, a, device)
    a = is_array(a) and a or core.asarray(a, { device = device })
    if a.ndim == 0 then a = a:reshape(1) end
    if a.ndim ~= 1 then fail(name, sformat("%s is %s; wanted a vector", what, core.describe(a))) end
    return a
  end

  function shared.choice(name, what, value, ...)
    for k = 1, select("#", ...) do
      if value == select(k, ...) then return value end
    end
    fail(name, sformat("%s is %s; wanted '%s'", what, core.describe(value), table.concat({ ... }, "', '")))
  end

  shared.along, shared.axis = common.along, common.axis

  --- fn(...) gets its arguments by the names in a text in one table: for functions that hand on all of them.
  function shared.by_name(text, fn)
    local names = {}
    for name in text:gmatch("%S+") do names[#names + 1] = name end
    return function(...)
      local o = {}
      for k = 1, #names do o[names[k]] = select(k, ...) end
      return fn(o)
    end
  end

  --- ma.pad along one axis.
  function shared.pad_along(x, axis, before, behind, options)
    local widths = {}
    for d = 1, x.ndim do widths[d] = d == axis and { before, behind } or { 0, 0 } end
    return ma.pad(x, widths, options)
  end

  --- Every step-th element along an axis.
  function shared.every(x, axis, step)
    local index = common.slice(x.ndim, axis, 1, 1)
    index[axis] = { 1, 1 + floor((x.shape[axis] - 1) / step) * step, step }
    return x[index]
  end

  --- Whether a window is given by its values.
  function shared.is_values(window)
    return is_array(window) or type(window) == "table" and type(window[1]) == "number"
  end

  --- n zeros along an axis.
  function shared.zeros_along(a, axis, n)
    local shape = a.shape
    shape[axis] = n
    return ma.zeros(shape, { dtype = a.dtype, device = a.device })
  end

  --- Elements first .. first + count - 1 along an axis, with zeros for positions outside.
  function shared.window_along(a, axis, first, count)
    local n = a.shape[axis]
    local lo, hi = math.max(first, 1), math.min(first + count - 1, n)
    if lo == first and hi == first + count - 1 then return shared.along(a, axis, lo, hi) end
    local wide = shared.zeros_along(a, axis, count)
    if lo <= hi then
      wide[common.slice(a.ndim, axis, lo - first + 1, hi - first + 1)] = shared.along(a, axis, lo, hi)
    end
    return wide
  end

  --- A vector that lies along an axis of an array of ndim axes.
  function shared.upright(v, ndim, axis) return v:reshape(common.upright(ndim, axis, v.size)) end

  return shared
end
