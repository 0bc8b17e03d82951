--- Arrays as text, in NumPy's layout; `tostring(a)` adds a last line with shape, dtype and device. A long array is
--- reduced to its edges on its own device first, so printing never copies all of it.
--# files

local digits = require "moonarray.digits"

local floor, max, min, huge = math.floor, math.max, math.min, math.huge
local concat, rep, sformat = table.concat, string.rep, require("moonarray.text").format
local special, negative = digits.special, digits.negative

local defaults = {
  precision = 8, threshold = 1000, edgeitems = 3, linewidth = 75, suppress = false, nanstr = "nan", infstr = "inf",
  sign = "-", floatmode = "maxprec",
}

-- ==== A formatter for each kind of dtype: from all shown values, a function that formats one value ===================

local function format_bool(_, _, _, scalar)
  local yes = scalar and "true" or " true"
  return function(x) return x and yes or "false" end
end

--- A whole number as text: a Lua number, an int64 or uint64 of the FFI (whose text ends in LL or ULL), or its digits.
local function integer_text(x)
  if type(x) == "number" then return sformat("%.0f", x) end
  return (tostring(x):gsub("U?LL$", ""))
end

local function format_integer(values, _, options)
  local sign, width, below = options.sign, 0, false
  for k = 1, #values do
    local text = integer_text(values[k])
    local minus = text:byte() == 45
    below = below or minus
    width = max(width, #text + ((sign ~= "-" and not minus) and 1 or 0))
  end
  local mark = sign == "+" and "+" or ""
  if sign == " " and below then                                  -- the sign has a column already
    width = 0
    for k = 1, #values do width = max(width, #integer_text(values[k])) end
  end
  return function(x)
    local text = integer_text(x)
    if text:byte() ~= 45 then text = mark .. text end
    return rep(" ", width - #text) .. text
  end
end

--- Whether these values are written with exponents. Rounds to the dtype, as NumPy does.
local function needs_exponent(values, dtype, suppress)
  local largest, smallest = 0, huge
  for k = 1, #values do
    local size = math.abs(values[k])
    if size ~= 0 and size < huge then
      largest, smallest = max(largest, size), min(smallest, size)
    end
  end
  if largest == 0 then return false end
  if largest >= 10 ^ min(8, digits.precision[dtype]) then return true end
  return not suppress and (smallest < digits.round(1e-4, dtype) or digits.round(largest / smallest, dtype) > 1000)
end

--- The widest parts before and behind the point among all finite values, and the widest exponent.
local function measure(values, dtype, write, how)
  local left, right, exponent = 0, 0, 0
  for k = 1, #values do
    if not special(values[k]) then
      local whole, part, power = write(values[k], dtype, how):match("^([^.]*)%.?(%d*)e?[+-]?(%d*)$")
      left, right, exponent = max(left, #whole), max(right, #part), max(exponent, #power)
    end
  end
  return left, right, exponent
end

--- Makes room for `nan` and `inf`, and for the column of the sign if sign is " ".
local function widen(values, options, left, right)
  local any_special, any_finite, below, minus_inf = false, false, false, options.sign ~= "-"
  for k = 1, #values do
    local x = values[k]
    if special(x) then
      any_special = true
      minus_inf = minus_inf or x == -huge
    else
      any_finite = true
      below = below or negative(x)
    end
  end
  if options.sign == " " and not below then left = left + 1 end
  if any_special then
    left = max(left, #options.nanstr - right - 1, #options.infstr + (minus_inf and 1 or 0) - right - 1)
  end
  return left, any_finite
end

local function format_special(x, options, width)
  local sign = options.sign == "+" and "+" or ""
  local text
  if x ~= x then text = sign .. options.nanstr
  else text = (x < 0 and "-" or sign) .. options.infstr end
  return rep(" ", width - #text) .. text
end

local function format_float(values, dtype, options)
  local mode = options.floatmode
  local how = {
    precision = mode ~= "unique" and options.precision or nil, unique = mode ~= "fixed",
    trim = mode == "fixed" and "k" or ".", sign = options.sign == "+",
  }
  local exponent = needs_exponent(values, dtype, options.suppress)
  local write = exponent and digits.scientific or digits.positional
  local left, right, exp_digits = measure(values, dtype, write, how)
  if exponent then
    how.trim, how.precision, how.min_digits, how.exp_digits = "k", right, right, exp_digits
    right = exp_digits + 2 + right
  elseif mode == "fixed" or mode == "maxprec_equal" then
    how.trim, how.precision, how.min_digits = "k", right, right
  else
    how.min_digits = 0
  end
  local any_finite
  left, any_finite = widen(values, options, left, right)
  how.pad_left, how.pad_right = left, (any_finite and not exponent) and right or nil
  local width = left + right + 1
  return function(x)
    if special(x) then return format_special(x, options, width) end
    return write(x, dtype, how)
  end
end

--- Formats the real and the imaginary parts each by their own values: 1.5-2.i. Padding comes after the unit.
local function format_complex(values, dtype, options)
  local re, im = {}, {}
  for k = 1, #values do re[k], im[k] = values[k].re, values[k].im end
  local signed = setmetatable({ sign = "+" }, { __index = options })
  local real, imaginary = format_float(re, dtype, options), format_float(im, dtype, signed)
  return function(z)
    local text, padding = imaginary(z.im):match("^(.-)( *)$")
    return real(z.re) .. text .. "i" .. padding
  end
end

--- dtype -> formatter, and the names under which set_printoptions{formatter = ...} replaces it.
local kinds = {
  bool = { format_bool, "bool" },
  float = { format_float, "float_kind", "float" },
  complex = { format_complex, "complex_kind", "complexfloat" },
  int = { format_integer, "int_kind", "int" },
}
kinds.bfloat, kinds.uint = kinds.float, kinds.int

local function formatter(values, dtype, options, scalar)
  local kind = kinds[dtype:match("^%a+")]
  local own = options.formatter
  if own then
    local fn = own[dtype] or own[kind[3] or kind[2]] or own[kind[2]] or own.all
    if fn then return fn end
  end
  return kind[1](values, dtype, options, scalar)
end

-- ==== Layout =======================================================================================================

--- Puts words into lines of at most `width` characters. A longer word has a line of its own.
local function fill(words, width, indent, separator)
  local lines, line = {}, indent
  for k, word in ipairs(words) do
    if #line + #word > width and #line > #indent then
      lines[#lines + 1] = line:match("^(.-) *$")
      line = indent
    end
    line = line .. word .. (k < #words and separator or "")
  end
  lines[#lines + 1] = line
  return concat(lines, "\n")
end

--- Writes the nested tables of `data` with brackets, a row on each line. Where cut[d] is true, `data` holds only the
--- edges of axis d, and dots stand for the rest.
local function layout(data, cut, ndim, write, options, separator, indent)
  local tight = separator:match("^(.-) *$")
  local edge = options.edgeitems

  local function nest(part, axis, hanging, width)
    if axis > ndim then return write(part) end
    local items = {}
    for k = 1, #part do
      if cut[axis] and k == edge + 1 then items[#items + 1] = "..." end
      items[#items + 1] = nest(part[k], axis + 1, hanging .. " ", width - 1)
    end
    local text
    if axis == ndim then
      text = fill(items, width - max(#tight, 1), hanging, separator)
    else
      text = hanging .. concat(items, tight .. rep("\n", ndim - axis) .. hanging)
    end
    return "[" .. text:sub(#hanging + 1) .. "]"
  end

  return nest(data, 1, indent, options.linewidth)
end

local function flatten(part, depth, list)
  if depth == 0 then
    list[#list + 1] = part
  else
    for k = 1, #part do flatten(part[k], depth - 1, list) end
  end
  return list
end

--- A single value as text: 12.5, 1+2i, true.
local function scalar_text(x, dtype)
  if dtype == "bool" then return tostring(x) end
  if dtype:find("^complex") then
    local im = digits.scalar(x.im, dtype):gsub("%.0$", "")
    local re = digits.scalar(x.re, dtype):gsub("%.0$", "")
    return re .. (im:find("^[-+]") and "" or "+") .. im .. "i"
  end
  if dtype:find("float") then return digits.scalar(x, dtype) end
  return integer_text(x)
end

-- ==== Arrays =======================================================================================================

return function(ma, core)
  local common = require "moonarray.common" (core)
  local kept = common.kept "print"
  if not kept.options then
    kept.options = {}
    for key, value in pairs(defaults) do kept.options[key] = value end
  end

  --- The corners of an array that is too long to show, gathered into a small array on the same device.
  local function corners(a, edge)
    local shape, cut = a.shape, {}
    for d = 1, #shape do
      cut[d] = shape[d] > 2 * edge
      if cut[d] then shape[d] = 2 * edge end
    end
    local small = ma.empty(shape, { dtype = a.dtype, device = a.device })
    local to, from = {}, {}
    local function visit(d)
      if d > #shape then
        small[to] = a[from]
      elseif cut[d] then
        to[d], from[d] = { 1, edge }, { 1, edge }
        visit(d + 1)
        to[d], from[d] = { -edge, -1 }, { -edge, -1 }
        visit(d + 1)
      else
        to[d], from[d] = {}, {}
        visit(d + 1)
      end
    end
    visit(1)
    return small, cut
  end

  --- NumPy's array2string.
  local function text_of(a, options, separator, indent)
    if a.size == 0 then return "[]" end
    local ndim = a.ndim
    if ndim == 0 then
      local value = core.shown(a)
      return formatter({ value }, a.dtype, options, true)(value)
    end
    local shown, cut = a, {}
    if a.size > options.threshold then shown, cut = corners(a, options.edgeitems) end
    local data = core.shown(shown)
    if shown ~= a then shown:free() end
    local write = formatter(flatten(data, ndim, {}), a.dtype, options)
    return layout(data, cut, ndim, write, options, separator, indent)
  end

  local function shape_text(a)
    local shape = a.shape
    return "(" .. concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
  end

  core.set_hook("tostring", function(a)
    if a.ndim == 0 then
      return sformat("%s (0-d %s, %s)", scalar_text(core.shown(a), a.dtype), a.dtype, a.device)
    end
    return sformat("%s\n%s %s, %s", text_of(a, kept.options, " ", " "), shape_text(a), a.dtype, a.device)
  end)

  -- ==== Options ====================================================================================================

  local modes = { fixed = true, unique = true, maxprec = true, maxprec_equal = true }
  local signs = { ["-"] = true, ["+"] = true, [" "] = true }

  local function check(name, key, value)
    local kind = type(defaults[key])
    if key == "formatter" then kind = "table" end
    common.type(name, key, value, kind)
    if key == "floatmode" and not modes[value] then
      core.fail(name, sformat("'%s' for floatmode; fixed, unique, maxprec or maxprec_equal", value))
    elseif key == "sign" and not signs[value] then
      core.fail(name, sformat("'%s' for sign; '-', '+' or ' '", value))
    elseif kind == "number" and not (value >= (key == "edgeitems" and 1 or 0) and (value == floor(value))) then
      core.fail(name, sformat("%s for %s; a whole number from %d on", value, key, key == "edgeitems" and 1 or 0))
    end
  end

  --- The options after `changes`; the current ones stay as they are.
  local function merged(name, changes)
    local options = {}
    if type(changes) ~= "table" then core.fail(name, sformat("%s for options; a table", core.describe(changes))) end
    for key, value in pairs(kept.options) do options[key] = value end
    for key, value in pairs(changes) do
      if defaults[key] == nil and key ~= "formatter" then core.fail(name, sformat("no option '%s'", tostring(key))) end
      check(name, key, value)
      options[key] = value
    end
    if options.floatmode == "fixed" and not options.precision then options.precision = defaults.precision end
    return options
  end

  --> set_printoptions: ma.set_printoptions {precision = 3}
  -->   print(ma.array {math.pi})
  -->   ma.set_printoptions {precision = 8}
  core.def("set_printoptions(precision?: integer, threshold?: integer, edgeitems?: integer, linewidth?: integer, "
    .. "suppress?: boolean, nanstr?: string, infstr?: string, " ..
    "formatter?: table, sign?: string, floatmode?: string)",
    "Changes how arrays are printed from now on; what is not named stays.",
    function(precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, own, sign, floatmode)
      kept.options = merged("set_printoptions", {
        precision = precision, threshold = threshold, edgeitems = edgeitems, linewidth = linewidth, suppress = suppress,
        nanstr = nanstr, infstr = infstr, formatter = own, sign = sign, floatmode = floatmode,
      })
    end)

  --> get_printoptions: ma.get_printoptions().precision
  core.def("get_printoptions() -> table", "The options of printing, as a table that set_printoptions takes.", function()
    return merged("get_printoptions", {})
  end)

  --> printoptions: ma.printoptions({precision = 2}, function() return tostring(ma.array {1 / 3}) end)
  core.def("printoptions(options: table, fn: function, ...) -> any ...",
    "Calls fn(...) with other options of printing and restores them, on an error too.",
    function(options, fn, ...)
      common.callable("printoptions", "fn", fn)
      local before = kept.options
      kept.options = merged("printoptions", options)
      local function finish(ok, ...)
        kept.options = before
        if not ok then error((...), 0) end
        return ...
      end
      return finish(pcall(fn, ...))
    end)

  -- ==== Functions ==================================================================================================

  local array2string_options =
    "max_line_width?: integer, precision?: integer, suppress_small?: boolean, separator?: string, prefix?: string, "
      .. "formatter?: table, threshold?: integer, " ..
    "edgeitems?: integer, sign?: string, floatmode?: string, suffix?: string"

  --> array2string({1, 2.5})
  core.def("array2string(a: data, " .. array2string_options .. ") -> string",
    "An array as NumPy's text, without the line about shape and dtype.",
    function(a, linewidth, precision, suppress, separator, prefix, own, threshold, edgeitems, sign, floatmode, suffix)
      local options = merged("array2string", {
        linewidth = linewidth, precision = precision, suppress = suppress, formatter = own, threshold = threshold,
        edgeitems = edgeitems, sign = sign, floatmode = floatmode,
      })
      for key, value in pairs { separator = separator or nil, prefix = prefix or nil, suffix = suffix or nil } do
        if type(value) ~= "string" then
          core.fail("array2string", key .. " is " .. core.describe(value) .. "; wanted text")
        end
      end
      options.linewidth = options.linewidth - #(suffix or "")
      return text_of(core.asarray(a), options, separator or " ", " " .. rep(" ", #(prefix or "")))
    end)

  --> array_str({1, 2.5})
  core.def("array_str(a: data, max_line_width?: integer, precision?: integer, suppress_small?: boolean) -> string",
    "The elements of an array as text.",
    function(a, linewidth, precision, suppress)
      a = core.asarray(a)
      if a.ndim == 0 then return scalar_text(core.shown(a), a.dtype) end
      return text_of(a, merged("array_str", { linewidth = linewidth, precision = precision, suppress = suppress }), " ",
        " ")
    end)

  --> array_repr({1, 2.5})
  core.def("array_repr(a: data, max_line_width?: integer, precision?: integer, suppress_small?: boolean) -> string",
    "An array as the call that makes it, to the precision printed.",
    function(a, linewidth, precision, suppress)
      a = core.asarray(a)
      local prefix = "ma.array("
      local options = merged("array_repr", { linewidth = linewidth, precision = precision, suppress = suppress })
      local text = text_of(a, options, ", ", " " .. rep(" ", #prefix)):gsub("%[", "{"):gsub("%]", "}")
      return sformat('%s%s, "%s")', prefix, text, a.dtype)
    end)

  local function number_of(name, a)
    local dtype = "float64"
    if type(a) ~= "number" then
      local array = core.asarray(a)
      if array.size ~= 1 then core.fail(name, sformat("%d elements; one number", array.size)) end
      dtype, a = array.dtype, array:item()
    end
    if not dtype:find("float") then a, dtype = tonumber(a), "float64" end
    if type(a) ~= "number" then core.fail(name, sformat("%s; a real number", dtype)) end
    return a, dtype
  end

  local flags = { unique = "boolean", fractional = "boolean", sign = "boolean", trim = "string" }
  local trims = { k = true, ["."] = true, ["0"] = true, ["-"] = true }

  local function check_argument(name, key, value)
    if not flags[key] then common.whole(name, key, value, 0, not key:find("^pad") and digits.MOST or nil)
    else common.type(name, key, value, flags[key]) end
    if key == "trim" and not trims[value] then
      core.fail(name, sformat("'%s' for trim; 'k', '.', '0' or '-'", value))
    end
  end

  local function define_format(name, arguments, write, doc)
    core.def(sformat("%s(a: data, %s) -> string", name, arguments), doc, function(a, ...)
      local x, dtype = number_of(name, a)
      if special(x) then return x ~= x and "nan" or x > 0 and "inf" or "-inf" end
      local options, k = {}, 0
      for key in arguments:gmatch("([%a_]+)%??:") do
        k = k + 1
        options[key] = (select(k, ...))
        if options[key] ~= nil then check_argument(name, key, options[key]) end
      end
      if options.unique == false and not options.precision then
        core.fail(name, "unique = false without precision; both")
      end
      return write(x, dtype, options)
    end)
  end

  --> format_float_positional(0.1)
  define_format("format_float_positional",
    "precision?: integer, unique?: boolean, fractional?: boolean, trim?: string, sign?: string, pad_left?: integer, "
      .. "pad_right?: integer, min_digits?: integer",
    digits.positional,
    "A number in positional notation: the shortest text that reads back as the same value of its dtype.")
  --> format_float_scientific(0.1)
  define_format("format_float_scientific", "precision?: integer, unique?: boolean, trim?: string, sign?: string, "
    .. "pad_left?: integer, exp_digits?: integer, min_digits?: integer",
    digits.scientific,
    "A number in scientific notation: the shortest text that reads back as the same value of its dtype.")
end
