--- Files one family's functions under ma.polynomial.<module>, with NumPy's names and order of arguments.

return function(ma, core, shared, host, series, family, power)
  local def = core.def
  local families = require "moonarray.polynomial.families"
  local prefix, what = family.prefix, family.polynomials
  local is_power = family == power

  --- Every signature is "name(arguments)" behind the prefix; fn gets the function's name first.
  local function file(text, doc, fn)
    local name = ("polynomial.%s.%s%s"):format(family.module, prefix, text:match("^[%w_]+"))
    def(("polynomial.%s.%s%s"):format(family.module, prefix, text), doc, function(...) return fn(name, ...) end)
  end

  local first_term = is_power and "the constant first" or "from the lowest degree up"

  -- ==== Values =====================================================================================================

  --> polynomial.*.*val({0, 0.5}, {1, 2, 3})
  file("val(x: data, c: data, tensor?: boolean) -> array",
    ("The values at x of series of %s with coefficients c, %s along c's first axis. The shape is that of c's "
    .. "other axes and x; with tensor = false these are broadcast. Whole numbers c are float64. Waits for nothing."
      ):format(what, first_term),
    function(name, x, c, tensor) return series.value(name, family, x, c, tensor) end)
  --> polynomial.*.*val2d({1, 2}, {3, 4}, {{1, 2}, {3, 4}})
  file("val2d(x: data, y: data, c: data) -> array",
    "The values at points (x, y) of products of two series; x and y have one shape, c's first " ..
    "axes are x's and y's degrees.",
    function(name, x, y, c) return series.value_nd(name, family, c, x, y) end)
  --> polynomial.*.*val3d({1}, {2}, {3}, {{{1, 2}}, {{3, 4}}})
  file("val3d(x: data, y: data, z: data, c: data) -> array",
    "The values at points (x, y, z) of products of three series; x, y and z have one " ..
    "shape, c's first axes are the degrees.",
    function(name, x, y, z, c) return series.value_nd(name, family, c, x, y, z) end)
  --> polynomial.*.*grid2d({1, 2}, {3, 4}, {{1, 2}, {3, 4}})
  file("grid2d(x: data, y: data, c: data) -> array",
    "The values on the grid of x and y: the shape is c's other axes, x's and y's.",
    function(name, x, y, c) return series.grid(name, family, c, x, y) end)
  --> polynomial.*.*grid3d: ma.NAME({1, 2}, {2}, {3}, {{{1, 2}}, {{3, 4}}}):ravel()
  file("grid3d(x: data, y: data, z: data, c: data) -> array",
    "The values on the grid of x, y and z: the shape is c's other axes, x's, y's and z's.",
    function(name, x, y, z, c) return series.grid(name, family, c, x, y, z) end)

  --> polynomial.*.*vander({1, 2}, 2)
  file("vander(x: data, deg: integer) -> array",
    ("The values at x of the %s up to degree deg, along a new last axis. Waits for nothing."):format(what),
    function(name, x, deg) return series.vander(family, x, shared.degree(name, "deg", deg)) end)
  --> polynomial.*.*vander2d({1}, {2}, {1, 1})
  file("vander2d(x: data, y: data, deg: integer[]) -> array",
    "The products of two vander matrices, deg = {x's, y's}, y's degrees running fastest along the last axis.",
    function(name, x, y, deg) return series.vander_nd(name, family, deg, x, y) end)
  --> polynomial.*.*vander3d: ma.NAME({1}, {2}, {3}, {1, 1, 0})
  file("vander3d(x: data, y: data, z: data, deg: integer[]) -> array",
    "The products of three vander matrices, deg = {x's, y's, z's}, z's degrees running fastest along the last axis.",
    function(name, x, y, z, deg) return series.vander_nd(name, family, deg, x, y, z) end)

  --> polynomial.*.*fit: ma.NAME({0, 1, 2}, {1, 3, 5}, 1):round(6) + 0
  file("fit(x: data, y: data, deg: integer, rcond?: number, full?: boolean, w?: data; check?: boolean) -> array, "
    .. "table?",
    "The coefficients of the series of degree deg, or of the degrees in a table, that makes the sum "
    .. "of |w (p(x) - y)|^2 least; one column for each column of y. full: also residuals, rank, singular values " ..
      "and rcond. check: as in linalg.lstsq.",
    function(name, x, y, deg, rcond, full, w, check) return series.fit(name, family, x, y, deg, rcond, full, w,
      check) end)

  -- ==== Arithmetic =================================================================================================

  local leaves_out = " Zeros at the end are left out, which is looked at and waits."

  for which, sign in pairs { add = 1, sub = -1 } do
    file(which .. "(c1: data, c2: data) -> array",
      "The " .. (sign == 1 and "sum" or "difference") .. " of two series." .. leaves_out, function(name, a, b)
      local array, c1, c2 = host.series(name, false, a, b)
      return array(host.trim(host.add(c1, c2, sign)))
    end)
  end
  --> polynomial.*.*add({1, 2}, {3, 4, 5})
  --> polynomial.*.*sub({1, 2}, {3, 4, 5})
  --> polynomial.*.*mulx({1, 2})
  file("mulx(c: data) -> array", "A series times x." .. leaves_out, function(name, c)
    local array, list = host.series(name, false, c)
    if #list == 1 and host.is_zero(list[1]) then return array(list) end
    return array(families.times_x(family, list))
  end)
  --> polynomial.*.*mul({1, 2}, {3, 4})
  file("mul(c1: data, c2: data) -> array", "The product of two series." .. leaves_out, function(name, a, b)
    local array, c1, c2 = host.series(name, false, a, b)
    return array(series.multiply(family, c1, c2))
  end)
  --> polynomial.*.*div({3, 4, 5}, {1, 2})
  file("div(c1: data, c2: data) -> array, array",
    "The quotient and the remainder of two series." .. leaves_out, function(name, a, b)
    local array, c1, c2 = host.series(name, false, a, b)
    local quotient, rest = series.divide(name, family, c1, c2)
    return array(quotient), array(rest)
  end)
  --> polynomial.*.*pow({1, 2}, 2)
  file("pow(c: data, pow: integer, maxpower?: integer) -> array",
    ("A series to a whole power of at most maxpower (%s)."):format(is_power and "any"
    or "16") .. leaves_out,
    function(name, c, n, most)
      local array, list = host.series(name, false, c)
      return array(series.power(name, family, list, n, most or (not is_power and 16 or nil)))
    end)
  --> polynomial.*.*trim({1, 2, 0})
  file("trim(c: data, tol?: number) -> array",
    "A series without what is at its end and not greater than tol (0). Waits.", function(_, c, tol)
    return ma.polynomial.polyutils.trimcoef(c, tol)
  end)
  --> polynomial.*.*line(1, 2)
  file("line(off: number, scl: number) -> array",
    "The series of off + scl x, of two numbers.", function(name, offset, scale)
    offset, scale = shared.scalar(name, "off", offset), shared.scalar(name, "scl", scale)
    if host.is_zero(scale) then return ma.array({ offset }) end
    return ma.array(family.line(offset, scale))
  end)

  --> polynomial.*.*der({1, 2, 3})
  file("der(c: data, m?: integer, scl?: number, axis?: integer|integer[]) -> array",
    "The m-th (1) derivative of series along an axis (the first), each time " ..
    "multiplied by scl (1), for a change of variable.",
    function(name, c, m, scale, axis) return series.derivative(name, family, c, m, scale, axis) end)
  --> polynomial.*.*int({1, 2})
  file("int(c: data, m?: integer, k?: data, lbnd?: number, scl?: number, axis?: integer|integer[]) -> array",
    "The m-th (1) integral of series along an axis (the first), from lbnd (0), each time multiplied by scl "
    .. "(1) before, with constants k (0) in the order of the integrations. Waits only for a series of one coefficient.",
    function(name, c, m, k, lower, scale, axis) return series.integral(name, family, c, m, k, lower, scale, axis) end)

  -- ==== Roots ======================================================================================================

  --> polynomial.*.*companion({-6, 1, 1})
  file("companion(c: data) -> array", "The companion matrix, whose eigenvalues are the roots of a series"
    .. (is_power and "." or ", scaled to be near to symmetric.")
    .. " Waits.", function(name, c)
      local array, list = host.series(name, false, c)
      return array(series.companion_of(name, family, list))
    end)
  --> polynomial.*.*roots: ma.NAME({-6, 1, 1}):round(6)
  file("roots(c: data; check?: boolean) -> array",
    "The roots of a series, sorted: real if all imaginary parts are 0, else complex. Waits.",
    function(name, c, check)
    local array, list = host.series(name, false, c)
    return series.roots(name, family, array, list, check)
  end)
  --> polynomial.*.*fromroots({1, 2})
  file("fromroots(roots: data) -> array",
    "The series with these roots and 1 as its highest coefficient in powers of x. Waits.",
    function(name, roots)
    if core.is_array(roots) and roots.size == 0 or type(roots) == "table" and next(roots) == nil then
      return ma.ones(1)
    end
    local array, list = host.series(name, true, roots)
    return array(series.from_roots(family, list))
  end)

  if is_power then
    --> polynomial.polynomial.polyvalfromroots(3, {1, 2})
    file("valfromroots(x: data, r: data, tensor?: boolean) -> array",
      "The products of x - r over r's first axis. The shape is that of r's other axes and x; with tensor = false "
      .. "these are broadcast, and r has more axes than x. Waits for nothing.",
      function(name, x, r, tensor)
        local ndim = 0
        if type(x) ~= "number" then
          x, r = shared.both(x, r)
          ndim = x.ndim
        end
        r = shared.floating(r)
        if r.ndim == 0 then r = r:reshape(1) end
        if tensor ~= false then
          local shape = r.shape
          for _ = 1, ndim do shape[#shape + 1] = 1 end
          r = r:reshape(shape)
        elseif ndim >= r.ndim and type(x) ~= "number" then
          core.fail(name, ("x of %d axes and r of %d; wanted more axes of r"):format(ndim, r.ndim))
        end
        return ma.prod(x - r, 1)
      end)
    return
  end

  -- ==== To and from powers of x ====================================================================================

  --> polynomial.*.*2poly({1, 2, 3})
  def(("polynomial.%s.%s2poly(c: data) -> array"):format(family.module, prefix),
    ("The coefficients of the powers of x of a series of %s. Waits."):format(what),
    function(c)
      local array, list = host.series(("polynomial.%s.%s2poly"):format(family.module, prefix), false, c)
      return array(host.trim(families.combine(family, power, list, { 1 }, host)))
    end)
  --> polynomial.*.poly2*({1, 2, 3})
  def(("polynomial.%s.poly2%s(pol: data) -> array"):format(family.module, prefix),
    ("The series of %s of a polynomial in powers of x. Waits."):format(what),
    function(pol)
      local array, list = host.series(("polynomial.%s.poly2%s"):format(family.module, prefix), false, pol)
      return array(host.trim(families.combine(power, family, list, { 1 }, host)))
    end)
  --> polynomial.*.*weight(0.5)
  file("weight(x: data) -> array", ("The function by which the %s are orthogonal, at x."):format(what), function(_, x)
    return family.weight(ma, shared.floating(x))
  end)
end
