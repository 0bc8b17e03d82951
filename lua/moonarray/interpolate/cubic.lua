--- Cubic interpolation between values: Hermite's, splines, and the local slopes of PCHIP and Akima.

local sformat = require("moonarray.text").format

return function(ma, core, shared, piecewise)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  --- The intervals' widths as a column, and the slopes of y over them.
  local function steps(x, y)
    local h = (x["2:"] - x[":-2"]):reshape(x.size - 1, 1)
    return h, (y["2:, :"] - y[":-2, :"]) / h
  end

  --- The object of values and slopes, both as rows.
  local function hermite(x, y, slope, trailing, axis, extrapolate, kind)
    local h, line = steps(x, y)
    local left, right = slope[":-2, :"], slope["2:, :"]
    local t = (left + right - line * 2) / h
    local c = ma.stack({ t / h, (line - left) / h - t, left, y[":-2, :"] })
    return piecewise.new(c:reshape(common.joined({ 4, x.size - 1 }, trailing)), x, extrapolate, axis, kind)
  end

  --> interpolate.CubicHermiteSpline: ma.interpolate.CubicHermiteSpline({0, 1}, {0, 1}, {0, 2})(0.5)
  def("interpolate.CubicHermiteSpline(x: data, y: data, dydx: data, axis?: integer, "
    .. "extrapolate?: boolean|string) -> piecewise",
    "The piecewise cubic through values y with slopes dydx at growing x, along an axis (the first): a PPoly.",
    function(x, y, dydx, axis, extrapolate)
      local name = "interpolate.CubicHermiteSpline"
      local rows, trailing, along
      x, rows, trailing, along = shared.data(name, x, y, axis)
      local slope, other = shared.rows(name, dydx, x.size, axis, x)
      if slope.shape[2] ~= rows.shape[2] or #other ~= #trailing then
        fail(name, "y and dydx of different shapes; wanted a slope for each value")
      end
      return hermite(x, rows, slope, trailing, along, shared.extrapolation(name, extrapolate, true),
        "CubicHermiteSpline")
    end)

  -- ==== Slopes from neighbours =====================================================================================

  --- PCHIP's slope at an end: that of a parabola, limited so that the values keep their shape.
  local function pchip_end(h0, h1, m0, m1)
    local d = (m0 * (h0 * 2 + h1) - m1 * h0) / (h0 + h1)
    local d_sign, m0_sign, m1_sign = ma.sign(d), ma.sign(m0), ma.sign(m1)
    return ma.where(d_sign:ne(m0_sign), 0,
      ma.where(m0_sign:ne(m1_sign) * ma.absolute(d):gt(ma.absolute(m0) * 3), m0 * 3, d))
  end

  local function pchip_slopes(x, y)
    local n = x.size
    local h, m = steps(x, y)
    if n == 2 then return ma.concatenate({ m, m }) end
    local m0, m1, h0, h1 = m[":-2, :"], m["2:, :"], h[":-2, :"], h["2:, :"]
    local w1, w2 = h1 * 2 + h0, h1 + h0 * 2
    local flat = ma.sign(m0):ne(ma.sign(m1)) + m0:eq(0) + m1:eq(0)
    local inner = ma.where(flat, 0, 1 / ((w1 / m0 + w2 / m1) / (w1 + w2)))
    local first = pchip_end(h["1:1, :"], h["2:2, :"], m["1:1, :"], m["2:2, :"])
    local last = pchip_end(h["-1:-1, :"], h["-2:-2, :"], m["-1:-1, :"], m["-2:-2, :"])
    return ma.concatenate({ first, inner, last })
  end

  local function pchip(name)
    return function(x, y, axis, extrapolate)
      local rows, trailing, along
      x, rows, trailing, along = shared.data(name, x, y, axis)
      if rows.dtype ~= "float64" then fail(name, "complex values; wanted real ones") end
      return hermite(x, rows, pchip_slopes(x, rows), trailing, along, shared.extrapolation(name, extrapolate, true),
        "PchipInterpolator")
    end
  end
  --> interpolate.PchipInterpolator: ma.interpolate.PchipInterpolator({0, 1, 2}, {0, 1, 4})(1.5)
  --> interpolate.pchip: ma.interpolate.pchip({0, 1, 2}, {0, 1, 4})(1.5)
  for _, name in ipairs { "PchipInterpolator", "pchip" } do
    def("interpolate." .. name .. "(x: data, y: data, axis?: integer, extrapolate?: boolean|string) -> piecewise",
      "The piecewise cubic through values y at growing x, along an axis (the first), that is monotone where the " ..
        "values are: a PPoly.", pchip("interpolate." .. name))
  end

  --> interpolate.pchip_interpolate({0, 1, 2}, {0, 1, 4}, 1.5)
  def("interpolate.pchip_interpolate(xi: data, yi: data, x: data, der?: integer, axis?: integer) -> array",
    "The values at x of PchipInterpolator(xi, yi), or of its derivative of order der; of a table of orders a table.",
    function(xi, yi, x, der, axis)
      local object = pchip("interpolate.pchip_interpolate")(xi, yi, axis)
      return shared.each_order(der, function(nu) return object(x, nu) end)
    end)

  --- Akima's slopes: means of the neighbouring lines, weighted by how much those on the other side change.
  local function akima_slopes(x, y, method)
    local _, line = steps(x, y)
    local n = x.size
    if n == 2 then return ma.concatenate({ line, line }) end
    local first, last = line["1:1, :"], line["-1:-1, :"]
    local second, before = line["2:2, :"], line["-2:-2, :"]
    local m = ma.concatenate({ first * 3 - second * 2, first * 2 - second, line, last * 2 - before,
      last * 3 - before * 2 })                                       -- n + 3 lines
    local change = ma.absolute(m["2:, :"] - m[":-2, :"])             -- n + 2
    if method == "makima" then change = change + ma.absolute(m["2:, :"] + m[":-2, :"]) / 2 end
    local f1, f2 = change["3:, :"], change[":-3, :"]
    local sum = f1 + f2
    local most = sum:max(1, { keepdims = true })             -- of each column by itself
    local left, right = m[{ { 2, n + 1 }, {} }], m[{ { 3, n + 2 }, {} }]
    local plain = method == "makima" and left * 0 or (m[{ { 4, n + 3 }, {} }] + m[{ { 1, n }, {} }]) / 2
    return ma.where(sum:gt(most * 1e-9), (f1 * left + f2 * right) / sum, plain)
  end

  --> interpolate.Akima1DInterpolator: ma.interpolate.Akima1DInterpolator({0, 1, 2, 3}, {0, 1, 4, 9})(1.5)
  def("interpolate.Akima1DInterpolator(x: data, y: data, axis?: integer; method?: string, "
    .. "extrapolate?: boolean|string) -> piecewise",
    "The piecewise cubic through values y at growing x, along an axis (the first), whose slopes follow the " ..
      "neighbouring lines: a PPoly. method: 'akima' or 'makima', which overshoots less. extrapolate (false): as of " ..
      "PPoly.",
    function(x, y, axis, method, extrapolate)
      local name = "interpolate.Akima1DInterpolator"
      method = method or "akima"
      if method ~= "akima" and method ~= "makima" then
        fail(name, sformat("'%s' for method; 'akima' or 'makima'", tostring(method)))
      end
      local rows, trailing, along
      x, rows, trailing, along = shared.data(name, x, y, axis)
      if rows.dtype ~= "float64" then fail(name, "complex values; wanted real ones") end
      return hermite(x, rows, akima_slopes(x, rows, method), trailing, along,
        shared.extrapolation(name, extrapolate, false), "Akima1DInterpolator")
    end)

  -- ==== Splines ====================================================================================================

  local shapes = { ["not-a-knot"] = true, natural = true, clamped = true, periodic = true }

  --- One end's condition: a name, or {order of the derivative, value}.
  local function condition(name, bc, trailing, count, x)
    if bc == "not-a-knot" then return bc end
    if bc == "clamped" then return { order = 1, value = ma.zeros({ 1, count }, { device = x.device }) } end
    if bc == "natural" then return { order = 2, value = ma.zeros({ 1, count }, { device = x.device }) } end
    if type(bc) ~= "table" or (bc[1] ~= 1 and bc[1] ~= 2) or bc[2] == nil then
      fail(name, "bc_type; wanted 'not-a-knot', 'natural', 'clamped', 'periodic', or for each end one of these or " ..
        "{1 or 2, value}")
    end
    local value = shared.values(bc[2], x)
    if value.ndim == 0 and #trailing == 0 then return { order = bc[1], value = value:reshape(1, 1) } end
    return { order = bc[1], value = ma.broadcast_to(value, #trailing == 0 and { 1 } or trailing):reshape(1, count) }
  end

  local function conditions(name, bc, trailing, count, x)
    bc = bc or "not-a-knot"
    if bc == "periodic" then return "periodic", "periodic" end
    local left, right = bc, bc
    if type(bc) == "table" then left, right = bc[1], bc[2] end
    if type(bc) == "string" and not shapes[bc] then
      fail(name, sformat("'%s' for bc_type; not-a-knot, natural, clamped, periodic, or a condition for each end", bc))
    end
    return condition(name, left, trailing, count, x), condition(name, right, trailing, count, x)
  end

  --- A real banded system with real or complex right sides.
  local function solve(name, bands, lower, b)
    if b.dtype == "float64" then return core.linalg_banded(name, bands, lower, b) end
    local both = core.linalg_banded(name, bands, lower, ma.concatenate({ ma.real(b), ma.imag(b) }, 2))
    local n = b.shape[2]
    return both[{ {}, { 1, n } }] + both[{ {}, { n + 1, 2 * n } }] * ma.complex(0, 1)
  end
  shared.solve_banded = solve

  --- The slopes of a periodic spline. The last unknown is eliminated by hand, which leaves two systems of the same
  --- matrix.
  local function periodic_slopes(name, x, y)
    local n = x.size
    local h, m = steps(x, y)
    if n == 2 then return ma.zeros_like(y) end
    if n == 3 then
      local t = (m["1:1, :"] / h["1:1, :"] + m["2:2, :"] / h["2:2, :"]) / (1 / h["1:1, :"] + 1 / h["2:2, :"])
      return ma.concatenate({ t, t, t })
    end
    -- Unknowns 1 .. n - 2; the slope at n - 1 is the one taken out, the slope at n is that at 1.
    local ahead = h[":-2, :"]                                        -- h[i] of i = 1 .. n - 2
    local behind = ma.concatenate({ h["-1:-1, :"], h[":-3, :"] })    -- h[i - 1]
    local bands = ma.concatenate({ ahead, (ahead + behind) * 2, behind }, 2)
    local right = (ahead * ma.concatenate({ m["-1:-1, :"], m[":-3, :"] }) + behind * m[":-2, :"]) * 3
    local unit = ma.zeros({ n - 2, 1 }, { device = x.device })
    unit["1:1, :"] = -h["1:1, :"]
    unit["-1:-1, :"] = unit["-1:-1, :"] - h["-3:-3, :"]
    local both = solve(name, bands, 1, ma.concatenate({ right, unit:astype(right.dtype) }, 2))
    local count = y.shape[2]
    local s1, s2 = both[{ {}, { 1, count } }], both[{ {}, { count + 1, count + 1 } }]
    local before, last = h["-2:-2, :"], h["-1:-1, :"]                -- the widths around x[n - 1]
    local want = (last * m["-2:-2, :"] + before * m["-1:-1, :"]) * 3
    local middle = (want - before * s1["1:1, :"] - last * s1["-1:-1, :"])
      / ((before + last) * 2 + before * s2["1:1, :"] + last * s2["-1:-1, :"])
    local slopes = s1 + s2 * middle
    return ma.concatenate({ slopes, middle, slopes["1:1, :"] })
  end

  --- The first row of the system, with its right side: it ties the slopes at the first two positions. h0 and m0 are the
  --- width and the slope of the end's interval, h1 and m1 those of the next one.
  local function end_row(bc, h0, h1, m0, m1)
    if bc == "not-a-knot" then
      local d = h0 + h1
      return h1, d, ((h0 + d * 2) * h1 * m0 + h0 * h0 * m1) / d
    elseif bc.order == 1 then return h0 * 0 + 1, h0 * 0, bc.value
    end
    return h0 * 2, h0, m0 * h0 * 3, bc.value * h0 * h0 / 2
  end

  local function spline_slopes(name, x, y, left, right)
    local n = x.size
    local h, m = steps(x, y)
    if left == "periodic" then return periodic_slopes(name, x, y) end
    local line = { order = 1, value = m["1:1, :"] }
    if n == 2 then
      left, right = left == "not-a-knot" and line or left, right == "not-a-knot" and line or right
    elseif n == 3 and left == "not-a-knot" and right == "not-a-knot" then
      -- A parabola through three points.
      local h0, h1, m0, m1 = h["1:1, :"], h["2:2, :"], m["1:1, :"], m["2:2, :"]
      local bend = (m1 - m0) / (h0 + h1)
      return ma.concatenate({ m0 - bend * h0, m0 + bend * h0, m1 + bend * h1 })
    end
    local h0, m0, h9, m9 = h["1:1, :"], m["1:1, :"], h["-1:-1, :"], m["-1:-1, :"]
    local h1, m1, h8, m8 = h0, m0, h9, m9
    if n > 2 then h1, m1, h8, m8 = h["2:2, :"], m["2:2, :"], h["-2:-2, :"], m["-2:-2, :"] end
    local d0, u0, b0, less = end_row(left, h0, h1, m0, m1)
    local d9, l9, b9, more = end_row(right, h9, h8, m9, m8)
    if less then b0 = b0 - less end
    if more then b9 = b9 + more end
    local zero = h0 * 0
    local bands, b
    if n == 2 then
      bands = ma.concatenate({ ma.concatenate({ zero, d0, u0 }, 2), ma.concatenate({ l9, d9, zero }, 2) })
      b = ma.concatenate({ b0, b9 })
    else
      local inner = ma.concatenate({ h["2:, :"], (h[":-2, :"] + h["2:, :"]) * 2, h[":-2, :"] }, 2)
      bands = ma.concatenate({ ma.concatenate({ zero, d0, u0 }, 2), inner, ma.concatenate({ l9, d9, zero }, 2) })
      b = ma.concatenate({ b0, (h["2:, :"] * m[":-2, :"] + h[":-2, :"] * m["2:, :"]) * 3, b9 })
    end
    return solve(name, bands, 1, b)
  end

  --> interpolate.CubicSpline: ma.interpolate.CubicSpline({0, 1, 2, 3}, {0, 1, 4, 9})(1.5)
  def("interpolate.CubicSpline(x: data, y: data, axis?: integer, bc_type?: table|string, "
    .. "extrapolate?: boolean|string) -> piecewise",
    "The cubic spline through values y at growing x, along an axis (the first), twice continuously differentiable: " ..
      "a PPoly. bc_type: 'not-a-knot' (default), 'natural', 'clamped', 'periodic', or for the two ends a table of " ..
      "two of these names or {order, value} of the first or second derivative. extrapolate: as of PPoly; true, for " ..
      "a periodic spline 'periodic'.",
    function(x, y, axis, bc, extrapolate)
      local name = "interpolate.CubicSpline"
      local rows, trailing, along
      x, rows, trailing, along = shared.data(name, x, y, axis)
      local left, right = conditions(name, bc, trailing, rows.shape[2], x)
      if left == "periodic" and not ma.allclose(rows["1"], rows["-1"], { rtol = 1e-15, atol = 1e-15 }) then
        fail(name, "the first and the last value of y differ; wanted the same for a periodic spline")
      end
      extrapolate = shared.extrapolation(name, extrapolate, left == "periodic" and "periodic" or true)
      return hermite(x, rows, spline_slopes(name, x, rows, left, right), trailing, along, extrapolate, "CubicSpline")
    end)

end
