--- The families of polynomials, each by its recurrence P[n] = (slope(n) x + shift(n)) P[n - 1] - back(n) P[n - 2] with
--- P[0] = 1, and what cannot be said by it: derivatives, integrals, companion matrices, lines and weights. From the
--- recurrence follow the values of a series (Clenshaw's rule), products of series and the columns of a Vandermonde
--- matrix. c[k + 1] is the coefficient of P[k]: numbers, or arrays.

local sqrt = math.sqrt

local function zero() return 0 end
local function one() return 1 end

--- A companion matrix with off(j) beside its diagonal, from whose last column last(c, n, j) is taken.
local function companion(off, last)
  return function(c, n, m)
    for j = 1, n - 1 do
      local v = off(j)
      m[j][j + 1], m[j + 1][j] = v, v
    end
    for j = 1, n do m[j][n] = m[j][n] - last(c, n, j) end
  end
end

local power = {
  prefix = "poly", module = "polynomial", class = "Polynomial", polynomials = "powers of x", domain = { -1, 1 },
  slope = one, shift = zero, back = zero,
  line = function(offset, scale) return { offset, scale } end,
  derive = function(c, n)
    local result = {}
    for j = n, 1, -1 do result[j] = c[j + 1] * j end
    return result
  end,
  integrate = function(c, n, t)
    t[2] = c[1]
    for j = 1, n - 1 do t[j + 2] = c[j + 1] / (j + 1) end
  end,
  companion = function(c, n, m)
    for j = 1, n - 1 do m[j + 1][j] = 1 end
    for j = 1, n do m[j][n] = m[j][n] - c[j] / c[n + 1] end
  end,
}

local chebyshev = {
  prefix = "cheb", module = "chebyshev", class = "Chebyshev", polynomials = "Chebyshev polynomials of the first kind",
  symbol = "T", domain = { -1, 1 },
  slope = function(n) return n == 1 and 1 or 2 end, shift = zero, back = one,
  line = power.line,
  derive = function(c, n)
    local result = {}
    for j = n, 3, -1 do
      result[j] = c[j + 1] * (2 * j)
      c[j - 1] = c[j - 1] + c[j + 1] * j / (j - 2)
    end
    if n > 1 then result[2] = c[3] * 4 end
    result[1] = c[2]
    return result
  end,
  integrate = function(c, n, t)
    t[2] = c[1]
    if n > 1 then t[3] = c[2] / 4 end
    for j = 2, n - 1 do
      t[j + 2] = c[j + 1] / (2 * (j + 1))
      t[j] = t[j] - c[j + 1] / (2 * (j - 1))
    end
  end,
  companion = companion(function(j) return j == 1 and sqrt(0.5) or 0.5 end, function(c, n, j)
    local function scale(k) return k == 1 and 1 or sqrt(0.5) end
    return c[j] / c[n + 1] * (scale(j) / scale(n) * 0.5)
  end),
  weight = function(ma, x) return 1 / (ma.sqrt(1 + x) * ma.sqrt(1 - x)) end,
}

local function legendre_scale(j) return 1 / sqrt(2 * j - 1) end

local legendre = {
  prefix = "leg", module = "legendre", class = "Legendre", polynomials = "Legendre polynomials", symbol = "P",
  domain = { -1, 1 },
  slope = function(n) return (2 * n - 1) / n end, shift = zero, back = function(n) return (n - 1) / n end,
  line = power.line,
  derive = function(c, n)
    local result = {}
    for j = n, 3, -1 do
      result[j] = c[j + 1] * (2 * j - 1)
      c[j - 1] = c[j - 1] + c[j + 1]
    end
    if n > 1 then result[2] = c[3] * 3 end
    result[1] = c[2]
    return result
  end,
  integrate = function(c, n, t)
    t[2] = c[1]
    if n > 1 then t[3] = c[2] / 3 end
    for j = 2, n - 1 do
      local v = c[j + 1] / (2 * j + 1)
      t[j + 2] = v
      t[j] = t[j] - v
    end
  end,
  companion = companion(function(j) return j * legendre_scale(j) * legendre_scale(j + 1) end, function(c, n, j)
    return c[j] / c[n + 1] * (legendre_scale(j) / legendre_scale(n) * (n / (2 * n - 1)))
  end),
  weight = function(_, x) return x * 0 + 1 end,
}

--- A factor for Hermite's companion matrices: the product of 1 / sqrt(factor k) for k from j to n - 1, the last first.
local function hermite_scale(n, j, factor)
  local scale = 1
  for k = n - 1, j, -1 do scale = scale / sqrt(factor * k) end
  return scale
end

local hermite = {
  prefix = "herm", module = "hermite", class = "Hermite", polynomials = "Hermite polynomials (physicists')",
  symbol = "H", domain = { -1, 1 },
  slope = function() return 2 end, shift = zero, back = function(n) return 2 * (n - 1) end,
  line = function(offset, scale) return { offset, scale / 2 } end,
  derive = function(c, n)
    local result = {}
    for j = n, 1, -1 do result[j] = c[j + 1] * (2 * j) end
    return result
  end,
  integrate = function(c, n, t)
    t[2] = c[1] / 2
    for j = 1, n - 1 do t[j + 2] = c[j + 1] / (2 * (j + 1)) end
  end,
  companion = companion(function(j) return sqrt(0.5 * j) end,
    function(c, n, j) return c[j] * hermite_scale(n, j, 2) / (c[n + 1] * 2) end),
  weight = function(ma, x) return ma.exp(-(x * x)) end,
}

local hermite_e = {
  prefix = "herme", module = "hermite_e", class = "HermiteE", polynomials = "Hermite polynomials (probabilists')",
  symbol = "He", domain = { -1, 1 },
  slope = one, shift = zero, back = function(n) return n - 1 end,
  line = power.line, derive = power.derive, integrate = power.integrate,
  companion = companion(sqrt, function(c, n, j) return c[j] * hermite_scale(n, j, 1) / c[n + 1] end),
  weight = function(ma, x) return ma.exp(x * x * -0.5) end,
}

local laguerre = {
  prefix = "lag", module = "laguerre", class = "Laguerre", polynomials = "Laguerre polynomials", symbol = "L",
  domain = { 0, 1 },
  slope = function(n) return -1 / n end, shift = function(n) return (2 * n - 1) / n end,
  back = function(n) return (n - 1) / n end,
  line = function(offset, scale) return { offset + scale, -scale } end,
  derive = function(c, n)
    local result = {}
    for j = n, 2, -1 do
      result[j] = -c[j + 1]
      c[j] = c[j] + c[j + 1]
    end
    result[1] = -c[2]
    return result
  end,
  integrate = function(c, n, t)
    t[1], t[2] = c[1], -c[1]
    for j = 1, n - 1 do
      t[j + 1] = t[j + 1] + c[j + 1]
      t[j + 2] = -c[j + 1]
    end
  end,
  companion = function(c, n, m)
    for j = 1, n do
      m[j][j] = 2 * j - 1
      if j < n then m[j][j + 1], m[j + 1][j] = -j, -j end
    end
    for j = 1, n do m[j][n] = m[j][n] + c[j] / c[n + 1] * n end
  end,
  weight = function(ma, x) return ma.exp(-x) end,
}

local families = { power, chebyshev, legendre, hermite, hermite_e, laguerre }

-- ==== What follows from the recurrence ===============================================================================

--- The value at x of a series with n coefficients, at(k) being the k-th from 1: numbers or arrays alike.
function families.value(family, at, n, x)
  if n == 1 then return at(1) + x * 0 end
  local slope, shift, back = family.slope, family.shift, family.back
  local function times(c, k)                                      -- c (slope x + shift)
    if shift(k) ~= 0 then return c * (x * slope(k) + shift(k)) end
    return slope(k) == 1 and c * x or c * x * slope(k)            -- x first, because it may be narrower
  end
  local c0, c1 = at(n - 1), at(n)
  if family == power then
    local value = c1 + x * 0
    for k = n - 1, 1, -1 do value = at(k) + value * x end
    return value
  end
  for k = n - 1, 2, -1 do
    local a = back(k)
    c0, c1 = at(k - 1) - (a == 1 and c1 or c1 * a), c0 + times(c1, k)
  end
  return c0 + times(c1, 1)
end

--- P[0] .. P[degree] at x, an array.
function families.columns(family, x, degree)
  local columns = { x * 0 + 1 }
  if degree > 0 then
    local b = family.shift(1)
    columns[2] = family.slope(1) == 1 and x or x * family.slope(1)
    if b ~= 0 then columns[2] = columns[2] + b end
  end
  for n = 2, degree do
    local a, b = family.back(n), family.shift(n)
    local factor = family.slope(n) == 1 and x or x * family.slope(n)
    if b ~= 0 then factor = factor + b end
    local column = columns[n] * factor
    columns[n + 1] = a == 0 and column or column - columns[n - 1] * a
  end
  return columns
end

--- x times a series of numbers.
function families.times_x(family, c)
  local result = {}
  for n = 0, #c do result[n + 1] = 0 end
  for n = 0, #c - 1 do
    local slope, shift, back, v = family.slope(n + 1), family.shift(n + 1), family.back(n + 1), c[n + 1]
    result[n + 2] = result[n + 2] + v / slope
    if shift ~= 0 then result[n + 1] = result[n + 1] - v * (shift / slope) end
    if n > 0 and back ~= 0 then result[n] = result[n] + v * (back / slope) end
  end
  return result
end

--- The product of a series c of one family and a series d, by Clenshaw's rule with d in the place of a number. `family`
--- is that of c, and `target` that of d and of the result. `host` is the arithmetic of lists.
function families.combine(family, target, c, d, host)
  local add, scale = host.add, host.scale
  local function factor(k, e)                                     -- (slope x + shift) e
    local product = scale(families.times_x(target, e), family.slope(k))
    return family.shift(k) == 0 and product or add(product, scale(e, family.shift(k)))
  end
  local n = #c
  if n == 1 then return scale(d, c[1]) end
  local c0, c1 = scale(d, c[n - 1]), scale(d, c[n])
  for k = n - 1, 2, -1 do
    c0, c1 = add(scale(d, c[k - 1]), scale(c1, family.back(k)), -1), add(c0, factor(k, c1))
  end
  return add(c0, factor(1, c1))
end

return families
