--- The objects of ma.polynomial as NumPy prints them: 1.0 + 2.0·x + 3.0·x², 1.0 + 2.0·T₁(x).

local sformat, concat = require("moonarray.text").format, table.concat
local LINE = 75                        -- characters, where the options of printing say nothing else

return function(ma)
  --- A part of a complex number, as Python writes it.
  local function part_text(v)
    local size = math.abs(v)
    if v - v == 0 and size ~= 0 and (size >= 1e16 or size < 1e-4) then
      return ma.format_float_scientific(v, { trim = "-" })
    end
    return ma.format_float_positional(v, { trim = "-" })
  end

  local function complex_text(v)
    if v.re == 0 and 1 / v.re > 0 then return part_text(v.im) .. "i" end
    local im = part_text(v.im)
    return sformat("(%s%s%si)", part_text(v.re), im:find("^%-") and "" or "+", im)
  end

  local function number_text(v, parens)
    if type(v) ~= "number" then return complex_text(v) end
    if v ~= v then return "nan" elseif v == math.huge then return "inf" elseif v == -math.huge then return "-inf" end
    local size = math.abs(v)
    if size ~= 0 and (size >= 1e8 or size < 1e-4) then
      local text = ma.format_float_scientific(v, { precision = 8, trim = "0" })
      return parens and "(" .. text .. ")" or text
    end
    return ma.format_float_positional(v, { precision = 8, fractional = true, trim = "0" })
  end

  local raised = { [0] = "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" }
  local lowered = { [0] = "₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉" }
  local function digits(n, set) return (tostring(n):gsub("%d", function(d) return set[tonumber(d)] end)) end

  local function term_text(n, basis, argument)
    if basis then return "·" .. basis .. digits(n, lowered) .. "(" .. argument .. ")" end
    return "·" .. argument .. (n > 1 and digits(n, raised) or "")
  end

  --- Characters, not bytes.
  local function length(text) return select(2, text:gsub("[^\128-\191]", "")) end

  local function is_negative(v)
    if type(v) == "number" then return v < 0 or v ~= v end
    return v.re < 0 or v.re ~= v.re or (v.re == 0 and v.im < 0)
  end

  --- The argument of the terms: the symbol, or its map to the window in parentheses.
  local function argument_of(symbol, offset, scale)
    if offset == 0 and scale == 1 then return symbol end
    local text = scale == 1 and symbol or number_text(scale) .. symbol
    return "(" .. (offset == 0 and text or number_text(offset) .. " + " .. text) .. ")"
  end

  --- list: the coefficients. basis: the name of the family's polynomials, nil for powers.
  return function(list, basis, symbol, offset, scale)
    local argument = argument_of(symbol, offset, scale)
    local width = ma.get_printoptions().linewidth or LINE
    local lines = { number_text(list[1]) }
    for n = 1, #list - 1 do
      local v = list[n + 1]
      local sign = is_negative(v) and "-" or "+"
      local term = number_text(sign == "-" and -v or v, true) .. term_text(n, basis, argument)
      local last = lines[#lines]
      local room = n < #list - 1 and 2 or 0
      if length(last) + length(term) + 3 + room >= width then
        lines[#lines], lines[#lines + 1] = last .. " " .. sign, term
      else
        lines[#lines] = last .. " " .. sign .. " " .. term
      end
    end
    return concat(lines, "\n")
  end
end
