--- Cosine and sine transforms of types 1 to 4, under SciPy's names. Types 2 and 3 are one real transform of n elements
--- in Makhoul's order (1980). Type 4 is a complex one of n / 2 elements, or a real one of n for an odd n (Chan and Ho,
--- 1990). Type 1 is a real one of the even or odd extension. A sine transform is the cosine transform of the reversed
--- elements with every second sign changed.

local floor, sqrt, pi = math.floor, math.sqrt, math.pi
local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local is_single = shared.single

  local function part(lo, hi, step) return { "...", { lo, hi, step or 1 } } end

  --- scale cos and scale sin of (first + step k) for k = 0 .. n - 1, in the dtype of x.
  local function angles(x, n, first, step, scale)
    local a = ma.arange(n, "float64", { device = x.device }) * step + first
    return ma.eval((ma.cos(a) * (scale or 1)):astype(x.dtype), (ma.sin(a) * (scale or 1)):astype(x.dtype))
  end

  --- The parts of v (c - i s) at some places. v is overwritten. A GPU computes them when they are stored, and reads v
  --- once more. On the CPU it takes half the time to multiply whole complex numbers and to copy the parts.
  local function turned(v, c, s)
    local re, im = ma.real(v), ma.imag(v)
    if v.device == "cpu" then
      v:imul(c + s * ma.complex(0, -1))
      return function(places) return re[places], im[places] end
    end
    return function(places)
      local a, b, p, q = re[places], im[places], c[places], s[places]
      return a * p + b * q, b * p - a * q
    end
  end

  --- An array of the complex numbers x + i y, times c - i s.
  local function joined(x, y, c, s)
    local v = ma.empty(x.shape, is_single(x.dtype) and "complex64" or "complex128", { device = x.device })
    ma.real(v)[{ "..." }], ma.imag(v)[{ "..." }] = x, y
    return v:imul(c + s * ma.complex(0, -1))
  end

  local function empty(x, n)
    local shape = x.shape
    shape[x.ndim] = n or shape[x.ndim]
    return ma.empty(shape, x.dtype, { device = x.device })
  end

  --- The elements at even places (from 0), then those at odd places backwards.
  local function folded(x, n, sine)
    if n == 1 then return x end
    local v, half = empty(x), floor((n + 1) / 2)
    v[part(1, half)] = x["..., ::2"]
    local odd = x[part(n - n % 2, 2, -2)]
    v[part(half + 1, n)] = sine and -odd or odd
    return v
  end

  local function unfolded(v, n, scale, sine)
    if n == 1 then return v * scale end
    local x, half = empty(v), floor((n + 1) / 2)
    x["..., ::2"] = v[part(1, half)] * scale
    x[part(n - n % 2, 2, -2)] = v[part(half + 1, n)] * (sine and -scale or scale)
    return x
  end

  local types = {}

  --- `first` is the factor of the term of frequency 0, for matrices that are to be orthogonal.
  types[2] = function(x, n, sine, scale, first)
    local v = core.fft(folded(x, n, sine), "to_complex", 1, false)
    local half, upper, y = floor(n / 2), floor((n - 1) / 2), empty(x)
    local out = sine and y["..., ::-1"] or y
    local parts = turned(v, angles(x, half + 1, 0, pi / (2 * n), 2 * scale))
    out[part(1, half + 1)] = (parts(part(1, half + 1)))
    if upper > 0 then
      local _, im = parts(part(2, upper + 1))
      out[part(n, n - upper + 1, -1)] = -im
    end
    if first ~= 1 then out["..., 1"] = out["..., 1"] * first end
    return y
  end

  types[3] = function(x, n, sine, scale, first)
    local half = floor(n / 2)
    if sine then x = x["..., ::-1"] end
    local v = ma.empty(empty(x, half + 1).shape, is_single(x.dtype) and "complex64" or "complex128",
      { device = x.device })
    local c, s = angles(x, half + 1, 0, pi / (2 * n))
    local re, im = ma.real(v), ma.imag(v)
    re["..., 1"], im["..., 1"] = x["..., 1"] * first, 0
    if half > 0 then
      local places = part(2, half + 1)
      re[places], im[places] = x[places], -x[part(n, n - half + 1, -1)]
      v:imul(c + s * ma.complex(0, 1))
    end
    return unfolded(core.fft(v, "to_real", 1, true, n), n, scale, sine)
  end

  local function fourth_of_even(x, n, sine, scale)
    local half = n / 2
    if sine then x = x["..., ::-1"] end
    local c, s = angles(x, half, pi / (4 * n), pi / n)
    local v = core.fft(joined(x["..., ::2"], x[part(n, 2, -2)], c, s), "complex", 1, false)
    local y = empty(x)
    local re, im = turned(v, angles(x, half, 0, pi / n, 2 * scale))(part(1, half))
    y["..., ::2"], y[part(n, 2, -2)] = re, sine and im or -im
    return y
  end

  --- A transform of type 4 for an odd n. With m = (n - 1) / 2 + 4 i, its angles are those of a real transform of n
  --- elements. These are the elements that the even and odd extension has at m.
  local function fourth_of_odd(x, n, sine, scale)
    if sine then x = x["..., ::-1"] end
    local i = ma.arange(n, "int64", { device = x.device })
    local m = (i * 4 + (n - 1) / 2) % (4 * n)
    local quarter = ma.floor_divide(m, n)
    local place = ma.where(quarter:eq(0), m, ma.where(quarter:eq(1), 2 * n - 1 - m, ma.where(quarter:eq(2), m - 2 * n,
      4 * n - 1 - m)))
    local sign = ma.where(quarter:eq(1) + quarter:eq(2), -1, 1):astype(x.dtype)
    local v = core.fft(ma.take(x, place + 1, -1) * sign, "to_complex", 1, false)
    local q = (2 * i + 1) % n
    local beyond = q:gt((n - 1) / 2)
    local term = ma.where(beyond, n - q, q) + 1
    local c, s = angles(x, n, pi / 4, pi / 2)
    s = s * ma.where(beyond, -1, 1):astype(x.dtype)
    local factor = sine and ma.where((i % 2):eq(1), -2 * scale, 2 * scale):astype(x.dtype) or 2 * scale
    return (ma.take(ma.real(v), term, -1) * c + ma.take(ma.imag(v), term, -1) * s) * factor
  end

  types[4] = function(x, n, sine, scale)
    return (n % 2 == 0 and fourth_of_even or fourth_of_odd)(x, n, sine, scale)
  end

  types[1] = function(x, n, sine, scale, first)
    if sine then
      local v = ma.zeros(empty(x, 2 * n + 2).shape, x.dtype, { device = x.device })
      v[part(2, n + 1)] = x
      v[part(2 * n + 2, n + 3, -1)] = -x
      return ma.imag(core.fft(v, "to_complex", 1, false))[part(2, n + 1)] * -scale
    end
    local v = empty(x, 2 * n - 2)
    v[part(1, n)] = x
    if n > 2 then v[part(n + 1, 2 * n - 2)] = x[part(n - 1, 2, -1)] end
    if first ~= 1 then
      v["..., 1"], v[{ "...", n }] = x["..., 1"] * first, x["..., -1"] * first
    end
    local y = ma.real(core.fft(v, "to_complex", 1, false)) * scale
    if first ~= 1 then
      y["..., 1"], y["..., -1"] = y["..., 1"] / first, y["..., -1"] / first
    end
    return y
  end

  -- ==== Arguments ==================================================================================================

  local opposite = { 1, 3, 2, 4 }

  --- Along the last axis, whose length is n.
  local function last_axis(name, x, type_, sine, norm, inverse, orthogonalize)
    local n = x.shape[x.ndim]
    if type_ == 1 and not sine and n < 2 then
      fail(name, sformat("%d elements to transform; wanted at least 2 for type 1", n))
    end
    local period = type_ == 1 and (sine and 2 * (n + 1) or 2 * (n - 1)) or 2 * n
    local scale = shared.factor(name, norm, inverse, period)
    if inverse then type_ = opposite[type_] end
    local first = 1
    if orthogonalize then
      first = type_ == 2 and 1 / sqrt(2) or sqrt(2)
      if sine and type_ == 1 or type_ == 4 then first = 1 end
    end
    if x.size == 0 then return empty(x) end
    -- On the CPU all steps row by row, with angles that the plan keeps.
    local done = core.fft_cosine(x, type_, sine, scale, first)
    if done then return done end
    return types[type_](x, n, sine, scale, first)
  end

  local SHORT = 32                       -- elements up to which the CPU multiplies by the transform's matrix
  local MANY = 4096                      -- elements of an array from which that takes less time

  local multiplies                       -- whether there is a library for products
  local function has_products()
    if multiplies == nil then multiplies = (pcall(ma.matmul, ma.eye(2), ma.eye(2))) end
    return multiplies
  end

  --- The transform along a short axis, by products with its matrix. These need no other order of the array's elements.
  local function by_matrix(name, x, axis, type_, ...)
    local n = x.shape[axis]
    local matrix = last_axis(name, ma.eye(n, { dtype = x.dtype, device = x.device }), type_, ...)
    if axis == x.ndim then return ma.matmul(x, matrix) end
    local before = x:moveaxis(axis, -2)
    return ma.matmul(matrix:transpose(), before):moveaxis(-2, axis)
  end

  local function along(name, x, axis, type_, sine, norm, inverse, orthogonalize)
    if x.device == "cpu" and x.shape[axis] <= SHORT and x.size >= MANY and x.ndim > 1 and has_products() then
      return by_matrix(name, x, axis, type_, sine, norm, inverse, orthogonalize)
    end
    local moved = axis == x.ndim and x or x:moveaxis(axis, -1)
    local y = last_axis(name, moved, type_, sine, norm, inverse, orthogonalize)
    return axis == x.ndim and y or y:moveaxis(-1, axis)
  end

  local function several(name, x, type_, s, axes, norm, inverse, sine, orthogonalize)
    type_ = type_ or 2
    if not types[type_] then fail(name, "type is " .. core.describe(type_) .. "; wanted 1, 2, 3 or 4") end
    x = core.asarray(x)
    local list, lengths = shared.axes_of(name, x, s, axes)
    if orthogonalize == nil then orthogonalize = norm == "ortho" end
    shared.factor(name, norm, inverse, 1)
    local function real_part(part_of)
      part_of = part_of:astype(is_single(part_of.dtype) and "float32" or "float64", { copy = false })
      for k, axis in ipairs(list) do part_of = shared.fit(part_of, axis, shared.check_length(name, lengths[k])) end
      for _, axis in ipairs(list) do
        part_of = along(name, part_of, axis, type_, sine, norm, inverse, orthogonalize)
      end
      return part_of
    end
    if not is.complexfloating[x.dtype] then return real_part(x) end
    local re, im = real_part(ma.real(x)), real_part(ma.imag(x))
    return re + im * ma.complex(0, 1)
  end

  local LINE, ALL = "(x: data, type?: integer, n?: integer, axis?: integer|integer[], "
    .. "norm?: norm; overwrite_x?: boolean, orthogonalize?: boolean) -> array",
    "(x: data, type?: integer, s?: integer|integer[], axes?: integer|integer[], norm?: norm; overwrite_x?: boolean, "
      .. "orthogonalize?: boolean) -> array"
  for _, form in ipairs { { "dct", "cosine" }, { "dst", "sine" } } do
    local sine = form[1] == "dst"
    for _, inverse in ipairs { false, true } do
      local name = "fft." .. (inverse and "i" or "") .. form[1]
      local what = (inverse and "The inverse of the %s transform" or "The %s transform"):format(form[2])
      --> fft.dct({1, 2, 3, 4})
      --> fft.idct: ma.fft.idct(ma.fft.dct({1, 2, 3, 4}))
      --> fft.dst({1, 2, 3, 4})
      --> fft.idst: ma.fft.idst(ma.fft.dst({1, 2, 3, 4}))
      def(name .. LINE, what .. " of types 1 to 4 along an axis, by default type 2 along the last one. norm: " ..
        "'backward' (default), 'ortho' or 'forward'; orthogonalize: scales the ends so that the transform is " ..
        "orthogonal up to its factor, by default if norm is 'ortho'.",
        function(x, type_, n, axis, norm, _, orthogonalize)
          x = core.asarray(x)
          if x.ndim == 0 then fail(name, "a 0-d array; wanted at least one axis") end
          if n then common.whole(name, "n", n, 1) end
          return several(name, x, type_, n and { n }, { axis or -1 }, norm, inverse, sine, orthogonalize)
        end)
      local each = name .. "n"
      --> fft.dctn({{1, 2}, {3, 4}})
      --> fft.idctn: ma.fft.idctn(ma.fft.dctn({{1, 2}, {3, 4}}))
      --> fft.dstn({{1, 2}, {3, 4}})
      --> fft.idstn: ma.fft.idstn(ma.fft.dstn({{1, 2}, {3, 4}}))
      def(each .. ALL, what .. " along several axes, all by default.",
        function(x, type_, s, axes, norm, _, orthogonalize)
          return several(each, x, type_, s, axes, norm, inverse, sine, orthogonalize)
        end)
    end
  end
end
