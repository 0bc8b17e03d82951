--- ma.testing: assertions about arrays. Their messages are like NumPy's: how many elements differ, where, by how much.
---
--- The comparison is computed on the arrays' device, with one wait. Only a failure copies the arrays to the CPU.

local tostring = require("moonarray.text").tostring
local sformat, concat = require("moonarray.text").format, table.concat
local inf = math.huge

local MOST_POSITIONS = 5               -- in a message
local MOST_LINES = 3                   -- of an array in a message

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is

  --- Raises an error at the position of the caller of the public function; under busted it is a failure of the test.
  local function raise(text)
    local busted = package.loaded.busted
    local fail_test = type(busted) == "table" and busted.fail
    if not fail_test then fail("testing", text) end
    local _, message = pcall(fail, "testing", text)
    fail_test(message, 0)              -- the message already begins with a position
  end

  local function inexact(a) return is.inexact[a.dtype] end
  local function integer(a) return is.integer[a.dtype] end

  --- Two operands on one device: a number or a table goes to the other's, arrays of two devices go to the CPU.
  local function both(x, y)
    if not is_array(x) then x = core.asarray(x, { device = is_array(y) and y.device or nil }) end
    if not is_array(y) then y = core.asarray(y, { device = x.device }) end
    if x.device ~= y.device then x, y = x:get(), y:get() end
    return x, y
  end

  -- ==== Parts of a message ===========================================================================================

  --- An array, or any other value, as text of a few lines.
  local function shown(value, precision)
    if not is_array(value) then return type(value) == "string" and sformat("%q", value) or tostring(value) end
    local lines, text = {}, ma.array_repr(value, { precision = precision })
    for line in (text .. "\n"):gmatch("(.-)\n") do lines[#lines + 1] = line end
    if #lines > MOST_LINES + 1 then text = concat(lines, "\n", 1, MOST_LINES) .. "..." end
    return text
  end

  --- The message: the header and the user's words, the remarks, and both values unless `verbose` is false.
  local function message_of(how, remarks, x, y)
    local lines = { how.header }
    if how.message and how.message ~= "" then lines[1] = how.header .. ": " .. tostring(how.message) end
    for _, remark in ipairs(remarks) do lines[#lines + 1] = remark end
    if how.verbose ~= false then
      lines[#lines + 1] = sformat(" %s: %s", how.first, shown(x, how.precision))
      lines[#lines + 1] = sformat(" %s: %s", how.second, shown(y, how.precision))
    end
    return concat(lines, "\n")
  end

  --- The element at a list of positions, as text. A 0-d array has the same element for all positions.
  local function element(a, position)
    if a.ndim == 0 then return ma.array_str(a) end
    local index = {}
    for d = 1, #position do index[d] = { position[d], position[d] } end
    return ma.array_str(a[index]:reshape({}))
  end

  --- Adds to the remarks the positions where a mask is true, and the elements there.
  local function list_positions(remarks, how, x, y, bad)
    if bad.ndim == 0 then return end
    local positions = ma.argwhere(bad)
    local n = positions.shape[1]
    if n > MOST_POSITIONS then
      positions = positions[{ { 1, MOST_POSITIONS } }]
      remarks[#remarks + 1] = sformat("First %d mismatches are at positions:", MOST_POSITIONS)
    else
      remarks[#remarks + 1] = n == 1 and "Mismatch at position:" or "Mismatch at positions:"
    end
    for _, position in ipairs(positions:totable()) do
      remarks[#remarks + 1] = sformat(" (%s): %s (%s), %s (%s)", concat(position, ", "), element(x, position),
        how.first, element(y, position), how.second)
    end
  end

  --- |x - y|. Integers give unsigned integers, which hold every difference.
  local function distance(x, y)
    if not (integer(x) and integer(y)) then return ma.absolute(x - y) end
    local dtype = ma.result_type(x, y)
    x, y = x:astype(dtype), y:astype(dtype)
    local difference = ma.where(x:gt(y), x - y, y - x)
    return integer(difference) and difference:astype((dtype:gsub("^int", "uint"))) or difference
  end

  local function largest_differences(remarks, x, y, bad)
    if x.dtype == "bool" and y.dtype == "bool" then return end             -- bools have no difference
    local shape = bad.shape
    local off = distance(x, y):broadcast_to(shape)
    y = ma.absolute(integer(y) and y:astype("float64") or y):broadcast_to(shape)
    local relative = bad * y:ne(0)
    local most = relative:any() and (off[relative] / y[relative]):max() or ma.array(inf)
    remarks[#remarks + 1] = "Max absolute difference among violations: " .. ma.array2string(off[bad]:max())
    remarks[#remarks + 1] = "Max relative difference among violations: " .. ma.array2string(most)
  end

  -- ==== Comparison =================================================================================================

  --- Where two arrays agree. NaN and infinities agree only with equal ones; how.compare decides on all other elements.
  local function agreement(x, y, how)
    local ok = how.compare(x, y)
    if not (inexact(x) or inexact(y)) then return ok end
    if how.equal_inf then
      local a, b = ma.isinf(x), ma.isinf(y)
      ok = ma.where(a + b, a * b * ma.equal(x, y), ok)
    end
    if how.equal_nan then
      local a, b = ma.isnan(x), ma.isnan(y)
      ok = ma.where(a + b, a * b, ok)
    end
    return ok
  end

  --- The first of these reasons for a difference, and where it holds: NaN in one array only, an infinity in one array
  --- only, infinities of different signs. Nil if there is none.
  local function special(x, y, how)
    if not (inexact(x) or inexact(y)) then return end
    local nan = ma.isnan(x) + ma.isnan(y)
    if how.equal_nan then
      local bad = ma.isnan(x):ne(ma.isnan(y))
      if bad:any() then return "nan location mismatch:", bad end
    end
    if not how.equal_inf then return end
    local a, b = ma.isinf(x), ma.isinf(y)
    if how.equal_nan then a, b = a * nan:not_(), b * nan:not_() end
    if a:ne(b):any() then return "inf location mismatch:", a:ne(b) end
    local bad = a * ma.not_equal(x, y)
    if bad:any() then return "inf values mismatch:", bad end
  end

  local function explain(x, y, how, bad)
    x, y, bad = x:get(), y:get(), bad:get()
    local remarks = {}
    local reason, where = special(x, y, how)
    if reason then
      remarks[1] = reason
      list_positions(remarks, how, x, y, where)
    else
      local n = bad:sum():item()
      remarks[1] = sformat("Mismatched elements: %d / %d (%.3g%%)", n, bad.size, 100 * n / bad.size)
      list_positions(remarks, how, x, y, bad)
      largest_differences(remarks, x, y, bad)
    end
    raise(message_of(how, remarks, x, y))
  end

  local function shape_text(a) return "(" .. concat(a.shape, ", ") .. (a.ndim == 1 and "," or "") .. ")" end

  --- Raises an error unless x and y agree. `how` has header and compare(x, y); it may have precision, strict,
  --- equal_nan, equal_inf, first and second.
  local function check(x, y, how)
    x, y = both(x, y)
    how.first, how.second = how.first or "ACTUAL", how.second or "DESIRED"
    local alike = ma.same_shape(x, y)
    if not alike and (how.strict or (x.ndim > 0 and y.ndim > 0)) then
      raise(message_of(how, { sformat("(shapes %s, %s mismatch)", shape_text(x), shape_text(y)) }, x, y))
    elseif how.strict and x.dtype ~= y.dtype then
      raise(message_of(how, { sformat("(dtypes %s, %s mismatch)", x.dtype, y.dtype) }, x, y))
    end
    local ok = agreement(x, y, how)
    if not ok:all() then explain(x, y, how, ok:not_()) end
  end

  -- ==== Assertions =================================================================================================

  --> testing.assert_allclose: ma.testing.assert_allclose({1, 2}, {1, 2 + 1e-9})
  -->   return (pcall(ma.testing.assert_allclose, {1, 2}, {1, 2.1}))
  def("testing.assert_allclose(actual: data, desired: data, rtol?: number, atol?: number, err_msg?: string, "
    .. "verbose?: boolean; equal_nan?: boolean, strict?: boolean)",
    "Raises an error unless |actual - desired| <= atol (0) + rtol (1e-7) |desired| for all elements. A 0-d array or a "
    .. "number stands for any shape, NaN agrees with NaN unless equal_nan is false; strict wants one shape and dtype. "
    .. "The error says how many elements differ, where, and by how much, and prints both "
    .. "unless verbose is false. Waits.",
    function(actual, desired, rtol, atol, err_msg, verbose, equal_nan, strict)
      rtol = common.number("testing.assert_allclose", "rtol", rtol or 1e-7)
      atol = common.number("testing.assert_allclose", "atol", atol or 0)
      check(actual, desired, {
        header = sformat("not equal to tolerance rtol=%g, atol=%g", rtol, atol), message = err_msg, verbose = verbose,
        strict = strict,
        equal_nan = equal_nan ~= false, equal_inf = true, precision = 6,
        compare = function(x, y) return ma.isclose(x, y,
          { rtol = rtol, atol = atol, equal_nan = equal_nan ~= false }) end,
      })
    end)

  local function assert_array_equal(x, y, err_msg, verbose, strict)
    check(x, y, {
      header = "arrays are not equal", message = err_msg, verbose = verbose, strict = strict, equal_nan = true,
      equal_inf = true, precision = 6,
      compare = ma.equal,
    })
  end

  --> testing.assert_array_equal: ma.testing.assert_array_equal({1, 2}, {1, 2})
  -->   return (pcall(ma.testing.assert_array_equal, {1, 2}, {1, 3}))
  def("testing.assert_array_equal(x: data, y: data, err_msg?: string, verbose?: boolean; strict?: boolean)",
    "Raises an error unless two arrays have one shape and equal elements; NaN equals NaN, and a 0-d array or a " ..
      "number stands for any shape. "
    .. "strict wants one shape and dtype. Waits.", assert_array_equal)

  --> testing.assert_array_almost_equal: ma.testing.assert_array_almost_equal({1, 2}, {1, 2 + 1e-9})
  -->   return (pcall(ma.testing.assert_array_almost_equal, {1, 2}, {1, 2.1}))
  def("testing.assert_array_almost_equal(x: data, y: data, decimal?: integer, err_msg?: string, verbose?: boolean)",
    "Raises an error unless |x - y| < 1.5 * 10^-decimal (6) for all elements. NaN agrees with NaN, an infinity " ..
      "with itself. Waits.",
    function(x, y, decimal, err_msg, verbose)
      decimal = common.whole("testing.assert_array_almost_equal", "decimal", decimal or 6)
      check(x, y, {
        header = sformat("arrays are not almost equal to %d decimals", decimal), message = err_msg, verbose = verbose,
        equal_nan = true, equal_inf = true, precision = math.max(0, decimal),
        compare = function(a, b)
          if not inexact(b) then b = b:astype(ma.result_type(b, 1.5)) end
          return ma.absolute(a - b):lt(1.5 * 10 ^ -decimal)
        end,
      })
    end)

  --> testing.assert_array_less: ma.testing.assert_array_less({1, 2}, {3, 4})
  -->   return (pcall(ma.testing.assert_array_less, {1, 2}, {3, 2}))
  def("testing.assert_array_less(x: data, y: data, err_msg?: string, verbose?: boolean; strict?: boolean)",
    "Raises an error unless x < y for all elements; where both are NaN is passed over. Waits.",
    function(x, y, err_msg, verbose, strict)
      check(x, y, {
        header = "arrays are not strictly ordered x < y", message = err_msg, verbose = verbose, strict = strict,
        equal_nan = true, precision = 6, first = "x", second = "y", compare = ma.less,
      })
    end)

  local function list_of_arrays(what, value)
    if is_array(value) or type(value) ~= "table" then
      fail("testing.assert_array_list_equal", sformat("%s is %s; wanted a table of arrays", what, core.describe(value)))
    end
    return value
  end

  --> testing.assert_array_list_equal: ma.testing.assert_array_list_equal({{1, 2}}, {{1, 2}})
  -->   return (pcall(ma.testing.assert_array_list_equal, {{1, 2}}, {{1, 3}}))
  def("testing.assert_array_list_equal(xlist: array[], ylist: array[], err_msg?: string, verbose?: boolean)",
    "Raises an error unless two tables have as many arrays, and the arrays are equal in pairs. Waits.",
    function(xlist, ylist, err_msg, verbose)
      xlist, ylist = list_of_arrays("xlist", xlist), list_of_arrays("ylist", ylist)
      local before = err_msg and err_msg ~= "" and tostring(err_msg) .. ", " or ""
      if #xlist ~= #ylist then
        raise(sformat("%sthe first table has %d arrays and the second %d", before, #xlist, #ylist))
      end
      for k = 1, #xlist do assert_array_equal(xlist[k], ylist[k], before .. "array " .. k, verbose) end
    end)

  -- ==== Any values =================================================================================================

  local function fail_items(actual, desired, how)
    local place = how.place == "" and "" or " at " .. how.place
    raise(message_of({ header = "items are not equal" .. place, message = how.message, verbose = how.verbose,
      first = "ACTUAL", second = "DESIRED" },
      {}, actual, desired))
  end

  --- Numbers, complex numbers and 64-bit integers: NaN equals NaN, 0 differs from -0.
  local function same_scalar(x, y)
    if type(x) == "number" and type(y) == "number" then
      if x ~= x or y ~= y then return x ~= x and y ~= y end
      return x == y and (x ~= 0 or 1 / x == 1 / y)
    end
    if type(x) == "boolean" or type(y) == "boolean" or type(x) == "string" or type(y) == "string" then return x == y end
    if rawequal(x, y) then return true end
    if x == nil or y == nil then return false end
    if not (ma.isscalar(x) and ma.isscalar(y)) then return false end
    local ok, result = pcall(function() return ma.array_equal(x, y, true) end)
    if ok then return result end
    return x == y
  end

  local compare_items

  --- Compares tables key by key. A table that contains itself is compared only once.
  local function compare_tables(actual, desired, how, seen)
    if rawequal(seen[desired], actual) then return end
    seen[desired] = actual
    local place = how.place
    local function compare_at(key)
      how.place = sformat(type(key) == "string" and "%s[%q]" or "%s[%s]", place, tostring(key))
      compare_items(rawget(actual, key), rawget(desired, key), how, seen)
    end
    for key in pairs(desired) do compare_at(key) end
    for key in pairs(actual) do
      if rawget(desired, key) == nil then compare_at(key) end
    end
    how.place = place
  end

  function compare_items(actual, desired, how, seen)
    if is_array(actual) or is_array(desired) then
      if actual == nil or desired == nil then return fail_items(actual, desired, how) end
      local place = how.place == "" and "" or "at " .. how.place
      local gap = how.message and place ~= "" and ", " or ""
      return assert_array_equal(actual, desired, (how.message and tostring(how.message) or "") .. gap .. place,
        how.verbose, how.strict)
    end
    if type(actual) == "table" and type(desired) == "table" then return compare_tables(actual, desired, how, seen) end
    if not same_scalar(actual, desired) then fail_items(actual, desired, how) end
  end

  --> testing.assert_equal: ma.testing.assert_equal({1, 2}, {1, 2})
  -->   return (pcall(ma.testing.assert_equal, {1, 2}, {1, 3}))
  def("testing.assert_equal(actual: data, desired: data, err_msg?: string, verbose?: boolean; strict?: boolean)",
    "Raises an error unless two values are equal: arrays as in assert_array_equal, tables key by key, numbers with " ..
      "NaN equal to NaN and 0 not to -0. Waits.",
    function(actual, desired, err_msg, verbose, strict)
      compare_items(actual, desired, { place = "", message = err_msg, verbose = verbose, strict = strict }, {})
    end)

  -- ==== Distances in units in the last place =======================================================================

  local whole_of = { float16 = "int16", bfloat16 = "int16", float32 = "int32", float64 = "int64" }

  --- The bits of floats as int64 numbers in the same order as the values. All NaNs get one number.
  local function ordered(a)
    local dtype = whole_of[a.dtype]
    a = ma.where(ma.isnan(a), ma.nan, a):astype(a.dtype)
    local bits = a.size == 0 and ma.zeros(a.shape, dtype, { device = "cpu" })
      or ma.frombuffer(a:get():tobytes(), a.shape, dtype):get()
    local wide = bits:astype("int64")
    local least = core.asarray(ma.iinfo(dtype).min, { dtype = "int64", device = "cpu" })
    return ma.where(wide:lt(0), least - wide, wide)
  end

  --- How many steps from one float to the next lead from a to b, as float64 on the CPU.
  local function distance_in_ulp(name, a, b, dtype)
    a, b = both(a, b)
    if dtype then a, b = a:astype(dtype), b:astype(dtype) end
    local common_dtype = ma.result_type(a, b)
    if not is.inexact[common_dtype] then common_dtype = "float64" end
    if not whole_of[common_dtype] then
      fail(name, sformat("%s and %s; wanted real numbers", core.describe(a), core.describe(b)))
    end
    if not ma.same_shape(a, b) then
      fail(name, sformat("%s and %s; wanted one shape", core.describe(a), core.describe(b)))
    end
    local x, y = ordered(a:astype(common_dtype)), ordered(b:astype(common_dtype))
    local apart = ma.absolute(x:astype("float64") - y:astype("float64"))
    -- int64 could overflow between numbers of different signs.
    return ma.where(x:lt(0):eq(y:lt(0)), ma.absolute(x - y):astype("float64"), apart)
  end

  local function check_limit(name, what, value)
    if common.number(name, what, value) >= 0 then return value end
    fail(name, sformat("%s is %g; wanted a number from 0 on", what, value))
  end

  --> testing.assert_array_max_ulp({1, 2}, {1, 2})
  def("testing.assert_array_max_ulp(a: data, b: data, maxulp?: number, dtype?: dtype) -> array",
    "Raises an error unless floats of one shape are at most maxulp (1) units in the last place apart, in dtype if " ..
      "that is given. "
    .. "Returns the distances: float64, on the CPU. Waits.",
    function(a, b, maxulp, dtype)
      local name = "testing.assert_array_max_ulp"
      maxulp = check_limit(name, "maxulp", maxulp or 1)
      local apart = distance_in_ulp(name, a, b, dtype)
      if not apart:le(maxulp):all() then
        raise(sformat("arrays are not almost equal up to %g ULP (max difference is %g ULP)", maxulp,
          apart:max():item()))
      end
      return apart
    end)

  --- The distance from a number's magnitude to the next float.
  local function spacing(a)
    a = inexact(a) and a or a:astype("float64")
    return ma.nextafter(a, core.asarray(inf, { dtype = a.dtype, device = a.device })) - a
  end

  --> testing.assert_array_almost_equal_nulp: ma.testing.assert_array_almost_equal_nulp({1, 2}, {1, 2})
  -->   return (pcall(ma.testing.assert_array_almost_equal_nulp, {1, 2}, {1, 2.1}))
  def("testing.assert_array_almost_equal_nulp(x: data, y: data, nulp?: integer)",
    "Raises an error unless |x - y| is at most nulp (1) times the distance from the larger of both to the next " ..
      "float. Waits.",
    function(x, y, nulp)
      local name = "testing.assert_array_almost_equal_nulp"
      nulp = check_limit(name, "nulp", nulp or 1)
      x, y = both(x, y)
      local limit = spacing(ma.maximum(ma.absolute(x), ma.absolute(y))) * nulp
      if ma.absolute(x - y):le(limit):all() then return end
      local most = ""
      if ma.isrealobj(x) and ma.isrealobj(y) and ma.same_shape(x, y) then
        most = sformat(" (max is %g)", distance_in_ulp(name, x, y):max():item())
      end
      raise(sformat("arrays are not equal to %g ULP%s", nulp, most))
    end)

  -- ==== Derivatives ==================================================================================================

  --> testing.check_grad: (pcall(ma.testing.check_grad, function(x) return x * x end, {ma.array({1, 2}, "float64")}))
  def("testing.check_grad(fn: function, args: array[]; eps?: number, rtol?: number, atol?: number)",
    "Raises an error unless the derivatives of fn by its arguments, arrays of float64, are those that differences of "
    .. "its values give: |derivative - difference| <= atol + rtol |difference|. All results of fn take part. It calls "
    .. "fn twice for each element.", function(fn, args, eps, rtol, atol)
      common.callable("testing.check_grad", "fn", fn)
      if type(args) ~= "table" or #args == 0 then
        fail("testing.check_grad", sformat("args is %s; wanted a table of arrays", core.describe(args)))
      end
      for k, array in ipairs(args) do
        if not is_array(array) or array.dtype ~= "float64" then
          fail("testing.check_grad", sformat("argument %d is %s; wanted a float64 array", k, core.describe(array)))
        end
      end
      require "moonarray.grad.check" (ma, core).compare(fn, args, { eps = eps, rtol = rtol, atol = atol })
    end)
end
