--- Element-wise functions with other arguments than a ufunc's: choices, limits, rounding, parts of complex numbers.
--- Each is one operation of kernels/ops.def with its optional arguments filled in. core.elementwise gives those that
--- look at their operand's dtype an array in place of a number.
--# indexing

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core)
  local def, elementwise, fail, operation = core.def, core.elementwise, core.fail, core.operation
  local common = require "moonarray.common" (core)
  local beside, operand = common.beside, core.operand
  local is_complex, is_inexact, is_integer = common.is.complexfloating, common.is.inexact, common.is.integer
  local apply_where, apply_clip, apply_copy, apply_rint = operation "where", operation "clip", operation "copy",
    operation "rint"
  local apply_round, apply_angle, apply_nan_to_num = operation "round", operation "angle", operation "nan_to_num"
  local apply_isclose, apply_isclose_nan = operation "isclose", operation "isclose_nan"

  --- The dtype of an expression of a function that ma.grad looks into (grad/symbols.lua).
  local function symbol_dtype(x) return core.symbol_dtype and core.symbol_dtype(x) end

  --> where(ma.array {true, false}, {1, 2}, {10, 20})
  def("where(condition: data, x?: data, y?: data) -> array|scalar ...",
    "x where the condition holds, else y. With the condition alone, the positions where it holds.",
    function(condition, x, y)
      if x == nil and y == nil then return ma.nonzero(condition) end
      if x == nil or y == nil then fail("where", "one of x and y; both, or neither") end
      local is_plain = core.is_array(condition) or core.is_number(condition) or symbol_dtype(condition)
      if not is_plain then condition = beside(condition, "bool", x, y) end
      return apply_where(nil, nil, nil, condition, x, y)
    end)

  local limits = common.made_by(function(dtype)
    local info = ma.iinfo(dtype)
    return { min = tonumber(info.min), max = tonumber(info.max) }
  end)

  --- A bound that no integer of the dtype passes is left out. It need not fit the dtype, as in NumPy.
  local function bound(a, dtype, value, limit)
    if type(value) ~= "number" or value % 1 ~= 0 or not is_integer[dtype or a.dtype] then return value end
    local last = limits[dtype or a.dtype][limit]
    if limit == "min" then return value > last and value or nil end
    return value < last and value or nil
  end

  --# mathematics
  --> clip({1, 5, 9}, 2, 6)
  elementwise("clip(a: data, a_min?: data, a_max?: data, out?: array; dtype?: dtype, where?: array, min?: data, "
    .. "max?: data) -> array|scalar",
    "Elements limited to a_min .. a_max (or min .. max); a bound that is left out does not limit.",
    function(a, low, high, out, dtype, where, least, most)
      local kind = symbol_dtype(a)
      if not kind then a, kind = operand(a, nil, low, high, least, most) end
      if least ~= nil or most ~= nil then
        if low ~= nil or high ~= nil then
          fail("clip", "a_min or a_max, and min or max; they are two names of one argument")
        end
        low, high = least, most
      end
      if kind == nil or is_integer[kind] then
        low, high = bound(a, kind, low, "min"), bound(a, kind, high, "max")
      end
      if low ~= nil and high ~= nil then return apply_clip(out, dtype, where, a, low, high) end
      local options = { out = out, dtype = dtype, where = where }
      if low ~= nil then return ma.maximum(a, low, options) end
      if high ~= nil then return ma.minimum(a, high, options) end
      return ma.positive(a, options)
    end)

  --> rsqrt(ma.array {1, 4})
  def("rsqrt(a: data) -> array|scalar", "1 / sqrt(a), rounded twice.", function(a) return ma.reciprocal(ma.sqrt(a)) end)

  --# indexing
  --> scatter_add: ma.zeros(3):scatter_add(ma.index {1, 1, 3}, {1, 2, 3})
  --> scatter_max: ma.zeros(3):scatter_max(ma.index {1, 1, 3}, {1, 2, 3})
  --> scatter_min: ma.ones(3):scatter_min(ma.index {1, 1, 3}, {1, 2, -3})
  for name, ufunc in pairs { scatter_add = "add", scatter_max = "maximum", scatter_min = "minimum" } do
    def(name .. "(a: data, indices: integer|integer[]|array, values: data) -> array",
      "moonarray." .. ufunc .. ".at(a, indices, values): in place, repeated positions count each. Returns the array.",
      function(a, indices, values)
        ma[ufunc].at(a, indices, values)
        return a
      end)
  end

  local function round(a, decimals, out)
    a, decimals = core.asarray(a), decimals or 0
    local kind = type(decimals)
    if kind == "string" or kind == "boolean" or kind == "number" and decimals % 1 ~= 0 then
      fail("round", sformat("decimals is %s; wanted a whole number", core.describe(decimals)))
    end
    if a.dtype == "bool" then                            -- NumPy has no loop for bool, and takes float16's
      if decimals ~= 0 then fail("round", sformat("%s decimals of bool elements; 0", tostring(decimals))) end
      return apply_copy(out, nil, nil, a:astype("float16"))
    end
    if type(decimals) == "number" and decimals >= 0 and decimals % 1 == 0 and decimals < 2 ^ 53 then
      if not is_inexact[a.dtype] then return apply_copy(out, nil, nil, a) end -- whole numbers have no decimals
      if decimals == 0 then return apply_rint(out, nil, nil, a) end
    end
    return apply_round(out, nil, nil, a, decimals)
  end
  --# mathematics
  --> round({1.25, 2.75}, 1)
  elementwise("round(a: data, decimals?: integer, out?: array) -> array|scalar",
    "Elements rounded to so many decimals, ties to the even digit; negative decimals round tens, hundreds ...", round)
  --> around({1.25, 2.75}, 1)
  elementwise("around(a: data, decimals?: integer, out?: array) -> array|scalar",
    "Elements rounded to so many decimals: round.", round)

  -- The argument is not called `a`: as methods these would hide the attributes of the same names.
  --> real: ma.real(ma.array {ma.complex(1, 2)})
  elementwise("real(val: data) -> array|scalar",
    "The real part: a view of a complex array, the array itself if it is real.", function(a)
    a = core.asarray(a)
    return is_complex[a.dtype] and a.real or a
  end)

  --> imag: ma.imag(ma.array {ma.complex(1, 2)})
  elementwise("imag(val: data) -> array|scalar",
    "The imaginary part: a view of a complex array, zeros for a real one.", function(a)
    a = core.asarray(a)
    return is_complex[a.dtype] and a.imag or ma.zeros_like(a)
  end)

  --> angle: ma.angle(ma.array {ma.complex(0, 1)})
  elementwise("angle(a: data, deg?: boolean) -> array|scalar",
    "The argument in the complex plane, in radians or degrees.", function(a, deg)
    a = core.asarray(a)
    local radians = apply_angle(nil, nil, nil, a.dtype == "bool" and a:astype("float64") or a)
    return deg and ma.rad2deg(radians) or radians
  end)

  --# logic
  --> isclose({1, 1.1}, {1, 1})
  elementwise("isclose(a: data, b: data, rtol?: number, atol?: number, equal_nan?: boolean) -> array|boolean",
    "Where |a - b| <= atol + rtol |b|: rtol is 1e-5, atol 1e-8 by default.",
    function(a, b, rtol, atol, equal_nan)
      local apply = equal_nan and apply_isclose_nan or apply_isclose
      return apply(nil, nil, nil, beside(a, nil, b), b, rtol or 1e-5, atol or 1e-8)
    end)

  --# mathematics
  --> nan_to_num({1, ma.nan, ma.inf})
  elementwise("nan_to_num(a: data, copy?: boolean, nan?: number, posinf?: number, neginf?: number) -> array|scalar",
    "NaN replaced by 0 and the infinities by the dtype's limits, or by the numbers given.",
    function(a, copy, nan, posinf, neginf)
      a = core.asarray(a)
      local out = copy == false and a or nil
      if not is_inexact[a.dtype] then return out or a:copy() end
      local limit = ma.finfo(a.dtype).max
      return apply_nan_to_num(out, nil, nil, a, nan or 0, posinf or limit, neginf or -limit)
    end)
end
