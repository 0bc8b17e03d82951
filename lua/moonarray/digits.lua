--- Decimal digits of floats: the shortest text that reads back as the same value of its dtype, in NumPy's two layouts.
--- Arithmetic is in doubles, which hold every float16, bfloat16 and float32, and the midpoints between them, exactly.

local tonumber = require("moonarray.text").tonumber
local frexp, ldexp, floor, max, min, huge = math.frexp, math.ldexp, math.floor, math.max, math.min, math.huge
local sformat, rep = require("moonarray.text").format, string.rep

local MOST = 99                        -- the most digits that the `format` of moonarray.text writes

local digits = { MOST = MOST }

--- For each dtype: significant bits, exponent of the smallest step, digits that always survive and that always suffice.
local formats = {
  float16 = { bits = 11, low = -24, sure = 3, most = 5, normal = 2 ^ -14 },
  bfloat16 = { bits = 8, low = -133, sure = 2, most = 4, normal = 2 ^ -126 },
  float32 = { bits = 24, low = -149, sure = 6, most = 9, normal = 2 ^ -126 },
  float64 = { bits = 53, low = -1074, sure = 15, most = 17, normal = 2 ^ -1022 },
}
formats.complex64, formats.complex128 = formats.float32, formats.float64

--- Decimal digits that every value of a dtype can hold: NumPy's finfo(dtype).precision.
digits.precision = { float16 = 3, bfloat16 = 2, float32 = 6, float64 = 15, complex64 = 6, complex128 = 15 }

--- Is x a NaN or an infinity?
local function special(x)
  return x ~= x or x == huge or x == -huge
end

local function negative(x)
  return x < 0 or (x == 0 and 1 / x < 0)
end

--- x rounded to a dtype, ties to even.
function digits.round(x, dtype)
  local f = formats[dtype]
  if f.bits == 53 or x == 0 or special(x) then return x end
  local _, e = frexp(x)
  local step = ldexp(1, max(e - f.bits, f.low))
  local q = x / step
  local whole = floor(q)
  local rest = q - whole
  if rest > 0.5 or (rest == 0.5 and whole % 2 == 1) then whole = whole + 1 end
  return whole * step
end

--- Formats a finite x >= 0 with n digits behind the point. A tie goes to the even digit (the printf of some Luas rounds
--- it up). The second result tells that the last digit was a 9 that was rounded up: NumPy omits the zeros that follow.
local function fixed(x, n, conversion)
  if n > MOST then return digits.tiny(x, n) end
  n = n + 0                                                     -- -0 would be written "-0"
  local text = sformat("%." .. n .. conversion, x)
  local exact, suffix = sformat("%." .. min(n + 30, 99) .. conversion, x):match("^([^e]+)(.*)$")
  local length = exact:find("%D") + n
  local kept = exact:sub(1, n == 0 and length - 1 or length)
  if exact:find("^50*$", length + 1) and kept:find("[02468]$") then
    return kept .. suffix, false
  end
  return text, kept:sub(-1) == "9" and text:match("^[^e]+"):sub(-1) == "0"
end

--- The first n digits of x > 0 after rounding, the exponent of the first digit, and whether a 9 was rounded up.
local function rounded(x, n)
  local text, carried = fixed(x, n - 1, "e")
  local first, others, exponent = text:match("^(%d)%D?(%d*)e([+-]%d+)$")
  return first .. others, tonumber(exponent), carried
end

--- A small number with more places behind the point than string.format can write.
function digits.tiny(x, n)
  local exponent = tonumber(sformat("%." .. MOST .. "e", x):match("e(.*)$"))
  local count = n + exponent + 1
  local text, carried = "0", false
  if count > 0 then text, exponent, carried = rounded(x, count) end
  text = "0." .. rep("0", -exponent - 1) .. text .. rep("0", n)
  return text:sub(1, n + 2), carried
end

local function value(text, exponent)
  return tonumber(text:sub(1, 1) .. "." .. text:sub(2) .. "e" .. exponent)
end

--- The next decimal with the same number of digits: "1299", 3 -> "1300", 3.
local function successor(text, exponent)
  local head, last, nines = text:match("^(%d-)([0-8]?)(9*)$")
  if last == "" then return "1" .. rep("0", #text - 1), exponent + 1 end
  return head .. tonumber(last) + 1 .. rep("0", #nines), exponent
end

--- The fewest digits of x > 0 to which no other value of the dtype is nearer, and the exponent of the first digit.
function digits.shortest(x, dtype)
  local f = formats[dtype]
  local m, e = frexp(x)
  local step = ldexp(1, max(e - f.bits, f.low))
  local power = m == 0.5 and e - f.bits > f.low                  -- below a power of two the values lie closer together
  local below, above = power and x - step / 4 or x - step / 2, x + step / 2
  local even = x / step % 2 == 0                                 -- at the midpoint of two values the even one wins
  local function inside(y)
    if f.bits == 53 then return y == x end
    return (below < y and y < above) or (even and (y == below or y == above))
  end
  for n = x < f.normal and 1 or f.sure, f.most do
    local text, exponent = rounded(x, n)
    if not inside(value(text, exponent)) and power then
      text, exponent = successor(text, exponent)
    end
    if inside(value(text, exponent)) then
      return (text:gsub("(%d)0+$", "%1")), exponent
    end
  end
  return rounded(x, f.most)
end

--- The digits of x >= 0 before and behind the point, with `least` to `precision` places behind it; nil: no limit.
local function split(x, dtype, unique, precision, least)
  local text, exponent = "0", 0
  if x ~= 0 and unique then text, exponent = digits.shortest(x, dtype) end
  local places = #text - 1 - exponent                            -- negative: zeros before the point are not digits of x
  local wanted = unique and max(places, least or places) or precision
  if precision and wanted > precision then wanted = precision end
  if (wanted ~= places or not unique) and x ~= 0 then
    local fixed_text, carried = fixed(x, wanted, "f")
    local whole, part = fixed_text:match("^(%d+)%D?(%d*)$")
    if carried and unique then part = part:gsub("0+$", "") end
    return whole, part
  end
  if exponent < 0 then return "0", rep("0", -exponent - 1) .. text end
  if #text <= exponent then text = text .. rep("0", exponent + 1 - #text) end
  return text:sub(1, exponent + 1), text:sub(exponent + 2)
end

local function padded(part, places)
  return part .. rep("0", places - #part)
end

--- Handles trailing zeros and the point by NumPy's `trim`: "k" keeps them, "." keeps the point, "0" keeps one zero, "-"
--- neither.
local function trimmed(part, trim)
  if trim == "k" then return "." .. part end
  part = part:gsub("0+$", "")
  if part ~= "" then return "." .. part end
  return trim == "." and "." or trim == "0" and ".0" or ""
end

local function signed(x, whole, options)
  local sign = negative(x) and "-" or options.sign and "+" or ""
  local text = sign .. whole
  return rep(" ", (options.pad_left or 0) - #text) .. text
end

--- Turns limits of significant digits into limits of places behind the point, and rounds x to these digits.
local function significant(x, dtype, unique, precision, least)
  local text, exponent = rounded(x, precision or 17)
  if unique then
    local short, first = digits.shortest(x, dtype)
    if not precision or #short <= precision then text, exponent = short, first end
  end
  local places = (precision or #text) - 1 - exponent
  if places < 0 then x, places = value(text, exponent), 0 end
  return x, places, least and max(least - 1 - exponent, 0)
end

--- NumPy's format_float_positional: precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits.
function digits.positional(x, dtype, options)
  local size, unique, trim = negative(x) and -x or x, options.unique ~= false, options.trim or "k"
  local precision, least = options.precision, options.min_digits
  if options.fractional == false and size ~= 0 then
    size, precision, least = significant(size, dtype, unique, precision, least)
  end
  local whole, part = split(size, dtype, unique, precision, least)
  if trim == "k" then part = padded(part, unique and (least or 0) or precision) end
  local tail = trimmed(part, trim)
  return signed(x, whole, options) .. tail .. rep(" ", (options.pad_right or -1) + 1 - #tail)
end

--- NumPy's format_float_scientific: precision, unique, trim, sign, pad_left, exp_digits, min_digits.
function digits.scientific(x, dtype, options)
  local size, unique, trim = negative(x) and -x or x, options.unique ~= false, options.trim or "k"
  local precision, least = options.precision, options.min_digits or 0
  local text, exponent, carried = "0", 0, false
  if size ~= 0 then
    if unique then text, exponent = digits.shortest(size, dtype) end
    local places = unique and max(#text - 1, least) or precision
    if precision and places > precision then places = precision end
    if not unique or places ~= #text - 1 then text, exponent, carried = rounded(size, places + 1) end
  end
  local part = text:sub(2)
  if carried and unique then part = part:gsub("0+$", "") end
  if trim == "k" then part = padded(part, unique and least or precision) end
  return sformat("%s%se%s%0" .. max(options.exp_digits or 2, 1) .. "d", signed(x, text:sub(1, 1), options),
    trimmed(part, trim),
    exponent < 0 and "-" or "+", math.abs(exponent))
end

--- A number as NumPy prints a scalar: the shortest text, with an exponent if it is tiny or has more digits than the
--- dtype.
function digits.scalar(x, dtype)
  if x ~= x then return "nan" end
  if special(x) then return x > 0 and "inf" or "-inf" end
  local size = math.abs(x)
  if size ~= 0 and (size < 1e-4 or size >= 10 ^ min(16, digits.precision[dtype])) then
    return digits.scientific(x, dtype, { trim = "-" })
  end
  return digits.positional(x, dtype, { trim = "0" })
end

digits.special = special
digits.negative = negative
return digits
