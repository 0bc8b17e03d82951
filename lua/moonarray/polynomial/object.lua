--- The objects of ma.polynomial: Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre. One holds coefficients,
--- a domain, and a window that the domain is mapped to before the series is evaluated.

local sformat, concat = require("moonarray.text").format, table.concat
local MOST_POWER = 100                 -- NumPy's

return function(ma, core, shared, host, utils)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local families = require "moonarray.polynomial.families"
  local text_of = require "moonarray.polynomial.text" (ma)

  -- Keys that are no texts hold an object's parts. So no call takes an object for a table of options.
  local COEFFICIENTS, DOMAIN, WINDOW, SYMBOL = {}, {}, {}, {}
  local kinds = {}                     -- by metatable: the family and how one is made

  local function kind_of(value) return type(value) == "table" and kinds[getmetatable(value)] or nil end

  local function same_ends(a, b) return a[1] == b[1] and a[2] == b[2] end

  return function(family)
    local class = "polynomial." .. family.class
    local module = ma.polynomial[family.module]
    local Meta, methods = {}, {}
    local kind = { family = family, class = class }
    kinds[Meta] = kind

    local function f(name) return module[family.prefix .. name] end

    local function new(coef, domain, window, symbol)
      return setmetatable({ [COEFFICIENTS] = coef, [DOMAIN] = domain or family.domain, [WINDOW] = window
        or family.domain,
        [SYMBOL] = symbol or "x" }, Meta)
    end
    kind.new = new

    local function coef(p) return rawget(p, COEFFICIENTS) end
    local function domain(p) return rawget(p, DOMAIN) end
    local function window(p) return rawget(p, WINDOW) end
    local function symbol(p) return rawget(p, SYMBOL) end
    local function like(p, c) return new(c, domain(p), window(p), symbol(p)) end
    local function is(value) return kind_of(value) == kind end

    local function ends(name, what, value) return value ~= nil and utils.ends(name, what, value) or nil end

    local function check_symbol(name, value)
      if value == nil then return nil end
      if type(value) ~= "string" or not value:find("^[%a_\128-\255][%w_\128-\255]*$") then
        fail(name, sformat("symbol is %s; wanted a name", core.describe(value)))
      end
      return value
    end

    -- ==== How objects are made =====================================================================================

    local constructors = {}

    local function construct(text, doc, fn)
      local name = text:match("^[%w_]+")
      constructors[name] = def(class .. "." .. text, doc, function(...) return fn(class .. "." .. name, ...) end)
    end

    --> polynomial.*.fit({0, 1, 2}, {1, 3, 5}, 1)(2):round(6)
    construct("fit(x: data, y: data, deg: integer, domain?: number[], rcond?: number, w?: data, window?: number[], "
      .. "symbol?: string; check?: boolean) -> series",
      "The object of degree deg, or of the degrees in a table, that fits values y at x "
      .. "best. domain: two numbers that are mapped to the window, the least and the greatest x if none is given; " ..
        "{} for the window itself. Waits.",
      function(name, x, y, deg, dom, rcond, w, win, sym, check)
        win = ends(name, "window", win) or family.domain
        if type(dom) == "table" and not is_array(dom) and next(dom) == nil then dom = win
        elseif dom ~= nil then dom = utils.ends(name, "domain", dom)
        else
          dom = ma.polynomial.polyutils.getdomain(x):totable()
          if dom[1] == dom[2] then dom = { dom[1] - 1, dom[2] + 1 } end
        end
        local offset, scale = utils.map_parameters(dom, win)
        x = shared.floating(x)
        local c = f("fit")(x * scale + offset, y, deg, { rcond = rcond, w = w, check = check })
        if c.ndim > 1 then fail(name, sformat("y is %s; wanted a vector", core.describe(y))) end
        return new(c, dom, win, check_symbol(name, sym))
      end)

    --> polynomial.*.fromroots({1, 2}).coef:round(6)
    construct("fromroots(roots: data, domain?: number[], window?: number[], symbol?: string) -> series",
      "The object with these roots. domain: two numbers; {} for the least and the greatest root. Waits.",
      function(name, roots, dom, win, sym)
        win = ends(name, "window", win) or family.domain
        local z = host.vectors(name, roots)[1]
        if type(dom) == "table" and not is_array(dom) and next(dom)
          == nil then dom = ma.polynomial.polyutils.getdomain(z):totable()
        else dom = ends(name, "domain", dom) or family.domain end
        local offset, scale = utils.map_parameters(dom, win)
        local degree = z.size
        local c = f("fromroots")(z * scale + offset)
        return new(c / scale ^ degree, dom, win, check_symbol(name, sym))
      end)

    local function identity(name, dom, win, sym)
      dom, win = ends(name, "domain", dom) or family.domain, ends(name, "window", win) or family.domain
      local offset, scale = utils.map_parameters(win, dom)
      return new(shared.floating(f("line")(offset, scale)), dom, win, check_symbol(name, sym))
    end
    --> polynomial.*.identity()(2)
    construct("identity(domain?: number[], window?: number[], symbol?: string) -> series",
      "The object p with p(x) = x.", identity)

    --> polynomial.*.basis(2).coef
    construct("basis(deg: integer, domain?: number[], window?: number[], symbol?: string) -> series",
      "The object of one term of degree deg.",
      function(name, deg, dom, win, sym)
      local c = ma.zeros(shared.degree(name, "deg", deg) + 1)
      c[{ { c.size, c.size } }] = 1
      return new(c, ends(name, "domain", dom), ends(name, "window", win), check_symbol(name, sym))
    end)

    --- p as another kind: p of that kind's x.
    local function convert(p, target, dom, win)
      return p(target.identity(dom or target.family.domain, win or target.family.domain, rawget(p, SYMBOL)))
    end

    kind.identity = function(dom, win, sym) return identity(class .. ".identity", dom, win, sym) end

    --> polynomial.*.cast(ma.polynomial.Polynomial({1, 2})).coef
    construct("cast(series: series, domain?: number[], window?: number[]) -> series",
      "An object of another family as one of this family. Waits.",
      function(name, other, dom, win)
      if not kind_of(other) then
        fail(name, sformat("%s; wanted an object of moonarray.polynomial", core.describe(other)))
      end
      return convert(other, kind, ends(name, "domain", dom), ends(name, "window", win))
    end)

    --> polynomial.*({1, 2, 3})(0.5)
    local call = def(class .. "(coef: data, domain?: number[], window?: number[], symbol?: string) -> series",
      sformat("A series of %s with these coefficients, from the lowest degree up. p(x) is "
      .. "its value where domain (%s) is mapped to window (%s); +, -, *, / and ^ are its arithmetic, a / b and a " ..
        "%% b the quotient and the remainder. "
      .. "p.coef, p.domain, p.window, p.symbol (\"x\"); p:deriv(m), p:integ(m, k, lbnd), p:roots(), p:degree(), " ..
        "p:linspace(n), p:trim(tol), "
      .. "p:truncate(size), p:cutdeg(deg), p:convert(kind, domain, window), p:divmod(q), p:mapparms(), p:copy().",
        family.polynomials,
      concat(family.domain, ", "), concat(family.domain, ", ")),
      function(c, dom, win, sym)
        return new(host.vectors(class, c)[1], ends(class, "domain", dom), ends(class, "window", win),
          check_symbol(class, sym))
      end)

    local Class = setmetatable(constructors, { __call = function(_, ...) return call(...) end,
      __index = function(_, key) core.unknown(class, key, constructors) end })
    kind.object = Class
    rawset(ma.polynomial, family.class, Class)
    rawset(module, family.class, Class)

    -- ==== Attributes and methods ===================================================================================

    local attributes = { coef = coef, domain = domain, window = window, symbol = symbol,
      basis_name = function() return family.symbol end }

    --> = series | ma.polynomial.Chebyshev({1, 2, 3}) | A series of polynomials: p(x) is its value.
    --> . coef: array | from the lowest degree up
    --> . domain: number[] | what is mapped to window
    --> . window: number[] | where the polynomials live
    --> . symbol: string | what it prints for x
    --> . basis_name: string | the polynomials' letter
    --> + add(any): series
    --> + sub(any): series
    --> + mul(any): series
    --> + div(any): series
    --> + mod(any): series
    --> + pow(integer): series
    --> + unm: series
    --> + call(data): array
    function Meta.__index(p, key)
      local attribute = attributes[key]
      if attribute then return attribute(p) end
      local method = methods[key]
      if method then return method end
      core.unknown(class, key, attributes, methods)
    end

    function Meta.__newindex(_, key) fail(class, sformat("'%s' cannot be set; make another object", tostring(key))) end

    --> :degree() -> integer | The highest degree.
    --> series:degree: series:degree()
    function methods.degree(p) return coef(p).size - 1 end
    --> :mapparms() -> number, number | Offset and scale of the domain's way to the window.
    --> series:mapparms: ma.polynomial.Chebyshev({1, 2}, {0, 1}):mapparms()
    function methods.mapparms(p) return utils.map_parameters(domain(p), window(p)) end
    --> :copy() -> series | A copy.
    --> series:copy: series:copy()
    function methods.copy(p) return like(p, coef(p):copy()) end
    --- A part of another object.
    local function part(q, key)
      if kind_of(q) then return rawget(q, key) end
      fail(class, sformat("%s; wanted an object of moonarray.polynomial", core.describe(q)))
    end

    --> :has_samecoef(other: series) -> boolean | Whether the coefficients are the same.
    --> series:has_samecoef: series:has_samecoef(series:copy())
    function methods.has_samecoef(p, q) return ma.array_equal(coef(p), part(q, COEFFICIENTS)) end
    --> :has_samedomain(other: series) -> boolean | Whether the domains are the same.
    --> series:has_samedomain: series:has_samedomain(ma.polynomial.Chebyshev({1}, {0, 1}))
    function methods.has_samedomain(p, q) return same_ends(domain(p), part(q, DOMAIN)) end
    --> :has_samewindow(other: series) -> boolean | Whether the windows are the same.
    --> series:has_samewindow: series:has_samewindow(ma.polynomial.Chebyshev({1}, {0, 1}))
    function methods.has_samewindow(p, q) return same_ends(window(p), part(q, WINDOW)) end
    --> :has_sametype(other: any) -> boolean | Whether the other one is of this kind.
    --> series:has_sametype: series:has_sametype(ma.polynomial.Polynomial {1})
    function methods.has_sametype(_, q) return is(q) end

    --> :deriv(m?: integer) -> series | The m-th derivative, 1 unless it is said.
    --> series:deriv: series:deriv()
    function methods.deriv(p, m)
      local _, scale = utils.map_parameters(domain(p), window(p))
      return like(p, f("der")(coef(p), m or 1, scale))
    end

    --> :integ(m?: integer, k?: data, lbnd?: number) -> series | The m-th integral from lbnd, with constants k.
    --> series:integ: series:integ()
    function methods.integ(p, m, k, lower)
      local offset, scale = utils.map_parameters(domain(p), window(p))
      lower = lower == nil and 0 or shared.scalar(class .. ".integ", "lbnd", lower) * scale + offset
      return like(p, f("int")(coef(p), m or 1, k or 0, lower, 1 / scale))
    end

    --> :roots() -> array | Where it is 0.
    --> series:roots: ma.polynomial.Polynomial({6, -5, 1}):roots()
    function methods.roots(p)
      local offset, scale = utils.map_parameters(window(p), domain(p))
      return f("roots")(coef(p)) * scale + offset
    end

    --> :linspace(n?: integer, domain?:
    --> \ number[]) -> array, array | n (100) points over the domain, and the values there.
    --> series:linspace: local x, y = series:linspace(3)
    -->   return x, y
    function methods.linspace(p, n, dom)
      dom = dom and utils.ends(class .. ".linspace", "domain", dom) or domain(p)
      local x = ma.linspace(dom[1], dom[2], { num = n or 100, device = coef(p).device })
      return x, p(x)
    end

    --> :trim(tol?: number) -> series | Without the last coefficients that are at most tol.
    --> series:trim: ma.polynomial.Chebyshev({1, 2, 0, 0}):trim()
    function methods.trim(p, tol) return like(p, ma.polynomial.polyutils.trimcoef(coef(p), tol or 0)) end

    --> :truncate(size: integer) -> series | The first coefficients.
    --> series:truncate: series:truncate(2)
    function methods.truncate(p, size)
      size = common.whole(class .. ".truncate", "size", size, 1)
      return like(p, size >= coef(p).size and coef(p) or coef(p)[{ { 1, size } }]:copy())
    end

    --> :cutdeg(deg: integer) -> series | The coefficients to that degree.
    --> series:cutdeg: series:cutdeg(1)
    function methods.cutdeg(p, deg) return methods.truncate(p, common.whole(class .. ".cutdeg", "deg", deg, 0) + 1) end

    --> :convert(kind?: any, domain?: number[], window?:
    --> \ number[]) -> series | As another kind (this one), with another domain and window.
    --> series:convert: series:convert(ma.polynomial.Polynomial)
    function methods.convert(p, target, dom, win)
      local name = class .. ".convert"
      local wanted = kind
      if target ~= nil then
        wanted = nil
        for _, other in pairs(kinds) do
          if rawequal(other.object, target) then wanted = other end
        end
        if not wanted then
          fail(name, sformat("kind is %s; wanted one as moonarray.polynomial.Chebyshev", core.describe(target)))
        end
      end
      return convert(p, wanted, ends(name, "domain", dom), ends(name, "window", win))
    end

    --- Coefficients of an operand that goes with p.
    local function beside(p, other)
      local own = kind_of(other)
      if not own then
        if other == nil or type(other) == "string" or type(other) == "boolean" or type(other) == "function" then
          fail(class, sformat("%s as an operand; wanted a series, coefficients or a number", core.describe(other)))
        end
        return other
      end
      if own ~= kind then fail(class, sformat("a %s and a %s; convert one of them", class, own.class)) end
      if not same_ends(domain(p), rawget(other, DOMAIN)) then fail(class, "two domains; convert one of the series") end
      if not same_ends(window(p), rawget(other, WINDOW)) then fail(class, "two windows; convert one of the series") end
      if symbol(p) ~= rawget(other, SYMBOL) then
        fail(class, sformat("the symbols '%s' and '%s'; wanted one", symbol(p), rawget(other, SYMBOL)))
      end
      return rawget(other, COEFFICIENTS)
    end

    --> :divmod(other: any) -> series, series | The quotient and the remainder.
    --> series:divmod: local quotient, remainder = series:divmod(ma.polynomial.Chebyshev {0, 1})
    -->   return quotient, remainder
    function methods.divmod(p, other)
      local quotient, rest = f("div")(coef(p), beside(p, other))
      return like(p, quotient), like(p, rest)
    end

    common.guard(class, Meta, methods, true)

    -- ==== Values and arithmetic ====================================================================================

    --- The value of p at numbers or arrays. At another series it is a series, which has the domain and the window of
    --- that one.
    function Meta.__call(p, x)
      local offset, scale = utils.map_parameters(domain(p), window(p))
      local own = kind_of(x)
      if own then
        local c, inner = coef(p), x * scale + offset
        local function at(k)
          return own.new(c[{ { k, k } }], rawget(x, DOMAIN), rawget(x, WINDOW), rawget(x, SYMBOL))
        end
        return families.value(family, at, c.size, inner)
      end
      if type(x) ~= "number" then x = core.asarray(x, { device = not is_array(x) and coef(p).device or nil }) end
      return f("val")(x * scale + offset, coef(p))
    end

    local function arithmetic(name, which)
      return function(a, b)
        local p = is(a) and a or b
        return like(p, (select(which or 1, f(name)(beside(p, a), beside(p, b)))))
      end
    end
    Meta.__add, Meta.__sub, Meta.__mul = arithmetic("add"), arithmetic("sub"), arithmetic("mul")
    Meta.__div, Meta.__mod = arithmetic("div", 1), arithmetic("div", 2)
    function Meta.__unm(p) return like(p, -coef(p)) end

    function Meta.__pow(p, n)
      if not is(p) then fail(class, "a series as an exponent; wanted a whole number") end
      return like(p, f("pow")(coef(p), n, MOST_POWER))
    end

    --- Whether coefficients, domain, window and symbol are equal. Waits.
    function Meta.__eq(a, b)
      return is(a) and is(b) and same_ends(domain(a), domain(b)) and same_ends(window(a), window(b)) and symbol(a)
        == symbol(b)
        and ma.array_equal(coef(a), coef(b))
    end

    function Meta.__tostring(p)
      local offset, scale = utils.map_parameters(domain(p), window(p))
      return text_of(coef(p):totable(), family.symbol, symbol(p), offset, scale)
    end
  end
end
