--- Bits: masks packed eight to a byte, and digits of whole numbers.
--# logic

local sformat, concat = require("moonarray.text").format, table.concat

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  -- ==== Packed masks ====

  -- Eight bytes that are 0 or 1 are read as one number of 64 bits. It is multiplied by a number whose bytes have one
  -- bit each. Then the highest byte of the product has the eight as its bits, and no two products meet there. The other
  -- way round, a byte times EACH is that byte eight times, and the number of the other order selects one bit of each.
  local RISING, FALLING = { 1, 2, 4, 8, 16, 32, 64, 128 }, { 128, 64, 32, 16, 8, 4, 2, 1 }
  local EACH, SEVENS = { 1, 1, 1, 1, 1, 1, 1, 1 }, { 127, 127, 127, 127, 127, 127, 127, 127 }

  --- 64-bit numbers from their bytes, the lowest first: Lua has none beyond 2^53.
  local function words(device, ...) return ma.array({ ... }, "uint8", { device = device }):view("uint64") end

  local function order_of(name, bitorder)
    if bitorder == nil or bitorder == "big" then return RISING, FALLING end
    if bitorder == "little" then return FALLING, RISING end
    fail(name, sformat("%s for bitorder; 'big' or 'little'", core.describe(bitorder)))
  end

  --- The array with the axis moved last, or flattened if there is none, and a function that moves the axis back.
  local function rows_of(name, a, axis)
    if axis == nil then return a:ravel(), function(x) return x end end
    if a.ndim == 0 then a = a:reshape(1) end
    axis = common.axis(name, axis, a.ndim)
    return a:moveaxis(axis, -1), function(x) return ma.moveaxis(x, -1, axis) end
  end

  --- The last axis cut to n elements, or padded with zeros.
  local function resize_last(a, n)
    local shape = a.shape
    local have = shape[#shape]
    if n == have then return a end
    if n < have then return common.along(a, a.ndim, 1, n) end
    shape[#shape] = n - have
    return ma.concatenate({ a, ma.zeros(shape, { dtype = a.dtype, device = a.device }) }, -1)
  end

  --> packbits(ma.array({1, 0, 1}, "uint8"))
  def("packbits(a: data, axis?: integer|integer[], bitorder?: string) -> array",
    "Elements that are not 0 as bits, eight to a uint8, along an axis or of the "
    .. "flattened array; the last byte is filled up with zeros. bitorder: \"big\" puts the first element in the "
    .. "highest bit, \"little\" in the lowest. Integers and bools alone.",
    function(a, axis, bitorder)
      a = core.asarray(a)
      if a.dtype ~= "bool" and not is.integer[a.dtype] then
        common.no_integers("packbits", a.dtype, "bool or integers")
      end
      local gather = words(a.device, (order_of("packbits", bitorder)))[1]
      local rows, back = rows_of("packbits", a, axis)
      local shape = rows.shape
      local bits = resize_last(rows.dtype == "bool" and rows or rows:ne(0), math.ceil(shape[#shape] / 8) * 8)
      -- Memory begins at a multiple of 8 bytes; a view of somebody's may begin anywhere.
      if not (bits.flags.c_contiguous and (bits ~= rows or a.flags.owndata)) then bits = bits:copy() end
      return back(ma.right_shift(bits:view("uint64") * gather, 56):astype("uint8"))
    end)

  --> unpackbits(ma.array({160}, "uint8"))
  def("unpackbits(a: data, axis?: integer|integer[], count?: integer, bitorder?: string) -> array",
    "The bits of uint8 elements as elements 0 and 1, along an axis or "
    .. "of the flattened array: the inverse of packbits. count: so many bits (filled up with zeros), or if negative "
    .. "all but so many.",
    function(a, axis, count, bitorder)
      a = core.asarray(a)
      if a.dtype ~= "uint8" then common.no_integers("unpackbits", a.dtype, "uint8") end
      local _, selected = order_of("unpackbits", bitorder)
      local constants = words(a.device, EACH, SEVENS, selected)
      local each, sevens, mask = constants[1], constants[2], constants[3]
      local rows, back = rows_of("unpackbits", a, axis)
      local bits = ma.bitwise_and(rows:astype("uint64") * each, mask)
      bits = ma.bitwise_and(ma.right_shift(bits + sevens, 7), each)
      bits = (bits.flags.c_contiguous and bits or bits:copy()):view("uint8")
      local shape = bits.shape
      local n = #shape
      if count ~= nil then
        count = common.whole("unpackbits", "count", count)
        if count < -shape[n] then fail("unpackbits", sformat("count is %d of %d bits; at least "
          .. "-%d", count, shape[n], shape[n])) end
        bits = resize_last(bits, count < 0 and shape[n] + count or count)
      end
      return back(bits)
    end)

  -- ==== Digits ====

  local DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  local MOST_DIGITS = 1e6

  --- Reads a whole number: a Lua number up to 2^53, a 64-bit integer, or a 0-d array, for which it waits.
  local function read(name, number)
    if core.is_array(number) then
      if number.ndim ~= 0 or not (is.integer[number.dtype] or number.dtype == "bool") then
        fail(name, sformat("%s; wanted a whole number", core.describe(number)))
      end
      number = number:item()
      if type(number) == "boolean" then number = number and 1 or 0 end
    end
    if type(number) == "cdata" and not pcall(function() return number % 2 == 0 end) then
      fail(name, sformat("%s; wanted a whole number", core.describe(number)))
    elseif type(number) ~= "cdata" then
      if type(number) == "number" and math.abs(number) > 2 ^ 53 and number - number == 0 then
        fail(name, sformat("number is %.17g; beyond 2^53 write an integer of 64 bits, as 5LL", number))
      end
      common.whole(name, "number", number)
    end
    return number
  end

  --- The digits of the magnitude, from the last one. A remainder has the sign of the number, so the least int64 works
  --- too.
  local function digits_of(number, base)
    local list, negative = {}, number < 0
    while number ~= 0 do
      local digit
      if type(number) == "number" then
        digit = math.fmod(number, base)
        number = (number - digit) / base
      else
        digit = tonumber(number % base)
        number = number / base
      end
      if negative then digit = -digit end
      list[#list + 1] = DIGITS:sub(digit + 1, digit + 1)
    end
    return list, negative
  end

  local function reversed(list) return concat(list):reverse() end

  local function check_length(name, what, n)
    if n > MOST_DIGITS then fail(name, sformat("%s is %g; at most %g", what, n, MOST_DIGITS)) end
    return n
  end

  --# files
  --> base_repr(10, 2)
  def("base_repr(number: integer, base?: integer, padding?: integer) -> string",
    "A whole number as text in a base (2) from 2 to 36, with so many zeros "
    .. "in front of it.",
    function(number, base, padding)
      number = read("base_repr", number)
      base = common.whole("base_repr", "base", base or 2, 2, 36)
      padding = check_length("base_repr", "padding", common.whole("base_repr", "padding", padding or 0))
      local list, negative = digits_of(number, base)
      local text = ("0"):rep(padding) .. reversed(list)
      if text == "" then text = "0" end
      return negative and "-" .. text or text
    end)

  --- The two's complement of the number, with this many digits.
  local function complement(list, width)
    local bits, carry = {}, 1
    for k = 1, width do
      local bit = (list[k] == "1" and 0 or 1) + carry
      bits[k], carry = tostring(bit % 2), bit > 1 and 1 or 0
    end
    return bits
  end

  local function is_power(list)
    for k = 1, #list - 1 do
      if list[k] ~= "0" then return false end
    end
    return true
  end

  --> binary_repr(10)
  def("binary_repr(num: integer, width?: integer) -> string",
    "A whole number as binary text, filled up with zeros to a width; a negative one "
    .. "with a sign, or with a width in two's complement. A width that is too small is an error.",
    function(num, width)
      num = read("binary_repr", num)
      if width == nil then width = nil                         -- a pointer that is NULL equals nil and is true
      else check_length("binary_repr", "width", common.whole("binary_repr", "width", width)) end
      local list, negative = digits_of(num, 2)
      if #list == 0 then return ("0"):rep(math.max(width or 1, (width or 1) == 0 and 1 or 0)) end
      local wanted = #list
      if negative and width then wanted = is_power(list) and #list or #list + 1 end
      if width and width < wanted then fail("binary_repr", sformat("width is %d; the number takes %d "
        .. "digits", width, wanted)) end
      if negative and width then return reversed(complement(list, width)) end
      local text = (negative and "-" or "") .. reversed(list)
      return width and ("0"):rep(width - #text) .. text or text
    end)
end
