--- poly1d: a polynomial as an object, with arithmetic, values, roots, derivatives and integrals.
--# polynomials

local sformat, concat, rep = require("moonarray.text").format, table.concat, string.rep
local MOST_POWER = 65536               -- of a polynomial, each of which is a product of its own
local MOST_DEGREE = 2 ^ 24             -- that p[k] = v may make
local MOST_COLUMNS = 70                -- in a printed line

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  -- Keys that are no texts hold an object's fields. So no call takes an object for a table of options.
  local COEFFICIENTS, VARIABLE = {}, {}
  --> = poly1d | ma.poly1d({1, 2, 3}) | A polynomial: p(x) is its value, p[k] the coefficient of x^k.
  --> . coeffs: array | from the highest power down
  --> . coef: array | the same
  --> . coefficients: array | the same
  --> . c: array | the same
  --> . order: integer | the highest power
  --> . o: integer | the same
  --> . roots: array | where it is 0
  --> . r: array | the same
  --> . variable: string | what it prints for x
  --> . [integer]: number
  --> + add(poly1d|data): poly1d
  --> + sub(poly1d|data): poly1d
  --> + mul(poly1d|data): poly1d
  --> + div(poly1d|data): poly1d
  --> + mod(poly1d|data): poly1d
  --> + pow(integer): poly1d
  --> + unm: poly1d
  --> + call(data): array
  ---@class moonarray.poly1d
  local Poly = {}
  local methods = {}
  local poly1d = {}

  function poly1d.is(value) return type(value) == "table" and getmetatable(value) == Poly end
  local is = poly1d.is

  --- Removes leading zeros, but keeps one coefficient. Waits.
  function poly1d.trim(c)
    if c.size == 0 then return shared.zeros(c, 1) end
    local first = shared.span(c) or c.size
    return first == 1 and c or c[{ { first, c.size } }]:copy()
  end

  --- An object of these coefficients. Waits.
  function poly1d.new(c, variable)
    c = ma.atleast_1d(c)
    if c.ndim ~= 1 then fail("poly1d", sformat("%s; wanted a vector of coefficients", core.describe(c))) end
    return setmetatable({ [COEFFICIENTS] = poly1d.trim(c), [VARIABLE] = variable or "x" }, Poly)
  end
  local new = poly1d.new

  --> poly1d: ma.poly1d({1, 2, 3})(2)
  def("poly1d(c_or_r: data, r?: data, variable?: string) -> poly1d",
    "A polynomial of these coefficients, the highest power first, or with r = true of these roots; variable " ..
      "(\"x\") is what it prints. "
    .. "p(x) is its value, p[k] the coefficient of x^k; +, -, *, / and ^ are its arithmetic, a / b and a % b the " ..
      "quotient and the remainder. "
    .. "p.coeffs (c, coef, coefficients), p.order (o), p.roots (r), p.variable, p:deriv(m), p:integ(m, k). Zeros " ..
      "in front are left out: waits.",
    function(c_or_r, r, variable)
      if variable ~= nil then common.type("poly1d", "variable", variable, "string") end
      if r ~= nil then common.type("poly1d", "r", r, "boolean") end
      if is(c_or_r) then return new(c_or_r[COEFFICIENTS], variable or c_or_r[VARIABLE]) end
      return new(r and ma.poly(c_or_r) or c_or_r, variable)
    end)

  -- ==== Attributes =================================================================================================

  local function coeffs(p) return rawget(p, COEFFICIENTS) end
  local function order(p) return coeffs(p).size - 1 end
  local function roots(p) return poly1d.roots(coeffs(p)) end
  local attributes = {
    coeffs = coeffs, c = coeffs, coef = coeffs, coefficients = coeffs, order = order, o = order, roots = roots,
    r = roots,
    variable = function(p) return rawget(p, VARIABLE) end,
  }

  --- p[k] is the coefficient of x^k.
  function Poly.__index(p, key)
    if type(key) == "number" then
      common.whole("poly1d", "a power", key)
      if key < 0 or key > order(p) then return 0 end
      return coeffs(p)(order(p) - key + 1)
    end
    local attribute = attributes[key]
    if attribute then return attribute(p) end
    local method = methods[key]
    if method then return method end
    core.unknown("poly1d", key, attributes, methods)
  end

  function Poly.__newindex(p, key, value)
    if type(key) ~= "number" then
      fail("poly1d", sformat("'%s' cannot be set; p[k] is the coefficient of x^k", tostring(key)))
    end
    common.whole("poly1d", "a power", key, 0, MOST_DEGREE)
    local more = key - order(p)
    local c = more > 0 and shared.zeros_before(coeffs(p), more) or coeffs(p):copy()        -- others may use the array
    local at = c.size - key
    c[{ { at, at } }] = value
    rawset(p, COEFFICIENTS, c)
  end

  -- ==== Methods ====================================================================================================

  --> :deriv(m?: integer) -> poly1d | The m-th derivative, 1 unless it is said.
  --> poly1d:deriv: poly1d:deriv()
  function methods.deriv(p, m) return ma.polyder(p, m) end

  --> :integ(m?: integer, k?: data) -> poly1d | The m-th integral, with constants k (0).
  --> poly1d:integ: poly1d:integ(1, {5})
  function methods.integ(p, m, k) return ma.polyint(p, m, k) end

  --> :get() -> poly1d | A copy on the CPU.
  --> poly1d:get: poly1d:get()
  function methods.get(p) return new(coeffs(p):get(), p.variable) end

  --> :set(other: poly1d) -> poly1d | Takes the coefficients of another one, on this one's device, and its variable.
  --> poly1d:set: poly1d:set(ma.poly1d {4, 5})
  -->   return poly1d
  function methods.set(p, other)
    if not is(other) then fail("poly1d.set", sformat("%s; wanted a poly1d object", core.describe(other))) end
    rawset(p, COEFFICIENTS, coeffs(other):to(coeffs(p).device))
    rawset(p, VARIABLE, other.variable)
    return p
  end

  common.guard("poly1d", Poly, methods, true)

  function Poly.__call(p, x) return ma.polyval(p, x) end

  -- ==== Arithmetic =================================================================================================

  local function is_scalar(v)
    return not is_array(v) and type(v) ~= "string" and type(v) ~= "boolean" and ma.isscalar(v)
  end

  --- Both operands as objects.
  local function operands(name, a, b)
    local near = is(a) and a or b
    local function object(v)
      if is(v) then return v end
      if v == nil or type(v) == "string" or type(v) == "function" or type(v) == "boolean" then
        fail(name, sformat("%s as an operand; wanted a poly1d object, coefficients or a number", core.describe(v)))
      end
      return new(shared.beside(coeffs(near), v))
    end
    return object(a), object(b)
  end

  local function arithmetic(name, combine)
    return function(a, b)
      a, b = operands(name, a, b)
      return combine(a, b)
    end
  end

  Poly.__add = arithmetic("poly1d", function(a, b) return ma.polyadd(a, b) end)
  Poly.__sub = arithmetic("poly1d", function(a, b) return ma.polysub(a, b) end)
  Poly.__mod = arithmetic("poly1d", function(a, b) return (select(2, ma.polydiv(a, b))) end)
  function Poly.__unm(p) return setmetatable({ [COEFFICIENTS] = -coeffs(p), [VARIABLE] = "x" }, Poly) end

  local times = arithmetic("poly1d", function(a, b) return ma.polymul(a, b) end)
  function Poly.__mul(a, b)
    if is_scalar(b) then return new(coeffs(a) * b) end
    if is_scalar(a) then return new(a * coeffs(b)) end
    return times(a, b)
  end

  local quotient = arithmetic("poly1d", function(a, b) return (ma.polydiv(a, b)) end)
  function Poly.__div(a, b)
    if is_scalar(b) then return new(coeffs(a) / b) end
    if is_scalar(a) then return new(a / coeffs(b)) end           -- as in NumPy, this divides number by number
    return quotient(a, b)
  end

  function Poly.__pow(p, n)
    if not is(p) then fail("poly1d", "a polynomial as an exponent; wanted a whole number") end
    n = common.whole("poly1d", "the exponent", n, 0, MOST_POWER)
    local c = coeffs(p)
    local result = core.asarray({ 1 }, { dtype = "int64", device = c.device })
    for _ = 1, n do result = shared.convolve("poly1d", c, result) end
    return new(result)
  end

  --- Whether coefficients are equal. Waits.
  function Poly.__eq(a, b) return ma.array_equal(coeffs(a), coeffs(b)) end

  -- ==== Printing ===================================================================================================

  local function number_text(v)
    if v ~= v then return "nan" end
    return (sformat("%.4g", v):gsub("%.0000$", ""))
  end

  local function coefficient_text(v)
    if type(v) == "number" then return number_text(v) end
    if type(v) == "boolean" then return v and "1" or "0" end
    local ok, re, im = pcall(function() return v.re, v.im end)
    if not ok or not re then return number_text(tonumber(v)) end
    if im == 0 then return number_text(re) end
    if re == 0 then return number_text(im) .. "i" end
    return sformat("(%s + %si)", number_text(re), number_text(im))
  end

  --- The terms on one line, with "**" before exponents.
  local function terms_text(list, variable)
    local n, text = #list - 1, "0"
    for k, v in ipairs(list) do
      local power, coefficient = n - k + 1, coefficient_text(v)
      local term = ""
      if power == 0 then
        if coefficient ~= "0" then term = coefficient elseif k == 1 then term = "0" end
      elseif coefficient ~= "0" then
        term = coefficient .. " " .. variable .. (power > 1 and "**" .. power or "")
      end
      if k == 1 then text = term
      elseif term:sub(1, 1) == "-" then text = text .. " - " .. term:sub(2)
      elseif term ~= "" then text = text .. " + " .. term end
    end
    return text
  end

  --- Exponents on a line of their own above the rest, as NumPy prints them.
  local function raised(text)
    local at, above, below, out = 1, "", "", { " " }
    while true do
      local first, last, power = text:find("%*%*(%d*)", at)
      if not first then break end
      local part = text:sub(at, first - 1)
      at = last + 1
      local next_below = part .. rep(" ", #power - 1)
      local next_above = rep(" ", #part - 1) .. power
      if #below + #next_below > MOST_COLUMNS or #above + #next_above > MOST_COLUMNS then
        out[#out + 1] = above .. "\n" .. below .. "\n "
        above, below = next_above, next_below
      else
        above, below = above .. next_above, below .. next_below
      end
    end
    out[#out + 1] = above .. "\n" .. below
    return concat(out) .. text:sub(at)
  end

  function Poly.__tostring(p)
    local list = coeffs(p):totable()
    while list[1] and (list[1] == 0 or list[1] == false) do table.remove(list, 1) end
    return raised(terms_text(list, p.variable))
  end

  return poly1d
end
