--- Knots and coefficients of a smoothing spline, on the host: P. Dierckx's method (Curve and Surface Fitting with
--- Splines, 1993). Knots are added where the residuals are largest until their sum is at most s; then the jumps of the
--- k-th derivative are weighed so that the sum is s.

local floor, abs, sqrt = math.floor, math.abs, math.sqrt
local TOLERANCE, MOST_ROUNDS = 0.001, 20

--- The k + 1 B-splines that are not 0 at x, which lies in t[l] .. t[l + 1].
local function basis_at(t, k, x, l, h)
  h[1] = 1
  local before = {}
  for j = 1, k do
    for i = 1, j do before[i] = h[i] end
    h[1] = 0
    for i = 1, j do
      local right, left = t[l + i], t[l + i - j]
      local f = right > left and before[i] / (right - left) or 0
      h[i] = h[i] + f * (right - x)
      h[i + 1] = f * (x - left)
    end
  end
end

--- The solution c of a symmetric system of `n` rows with `width` diagonals, where a[i][j] is in column i + j - 1; and
--- the sum of the diagonal of its factor.
local function solve_band(a, b, n, width)
  local l, c = {}, {}
  for i = 1, n do
    l[i] = {}
    for j = 1, math.min(width, n - i + 1) do l[i][j] = a[i][j] or 0 end
    c[i] = b[i]
  end
  for i = 1, n do
    local row = l[i]
    local pivot = row[1]
    for r = 2, #row do
      local f = row[r] / pivot
      local to = l[i + r - 1]
      for j = r, #row do to[j - r + 1] = to[j - r + 1] - f * row[j] end
      c[i + r - 1] = c[i + r - 1] - f * c[i]
    end
  end
  local sum = 0
  for i = n, 1, -1 do
    local v = c[i]
    for j = 2, #l[i] do v = v - l[i][j] * c[i + j - 1] end
    c[i] = v / l[i][1]
    sum = sum + sqrt(l[i][1])
  end
  return c, sum
end

--- The jumps of the k-th derivative of each B-spline at the inner knots.
local function jumps(t, k)
  local n = #t - k - 1
  local scale = (n - k) / (t[n + 1] - t[k + 1])
  local rows = {}
  for l = k + 2, n do
    local h, row, first = {}, {}, l - k - 1
    for j = 1, k + 1 do
      h[j] = t[l] - t[l + j - k - 2]
      h[j + k + 1] = t[l] - t[l + j]
    end
    for j = 1, k + 2 do
      local product = h[j]
      for i = 1, k do product = product * h[j + i] * scale end
      row[j] = (t[first + j - 1 + k + 1] - t[first + j - 1]) / product
    end
    rows[#rows + 1] = row
  end
  return rows
end

--- x, y, w: lists of m numbers; returns t and c as lists. Inner knots are values of x.
return function(x, y, w, first, last, k, s)
  local m = #x
  local least, most = 2 * k + 2, m + k + 1
  local acc = TOLERANCE * s
  local inner, points_in, part_of = {}, { m - 2 }, { 0 }    -- by interval: data inside, and residuals
  local t, c, places, values, normal, right
  local fp0, fp, fp_old, added = 0, 0, 0, 0

  local function set_knots()
    t = {}
    for j = 1, k + 1 do t[j] = first end
    for j = 1, #inner do t[k + 1 + j] = inner[j] end
    for _ = 1, k + 1 do t[#t + 1] = last end
  end

  local function interpolating_knots()
    inner = {}
    if k % 2 == 1 then
      for i = (k + 1) / 2 + 1, m - (k + 1) / 2 do inner[#inner + 1] = x[i] end
    else
      for i = k / 2 + 1, m - 1 - k / 2 do inner[#inner + 1] = (x[i] + x[i + 1]) / 2 end
    end
    set_knots()
  end

  --- The normal equations for the knots.
  local function observe()
    local n = #t - k - 1
    normal, right, places, values = {}, {}, {}, {}
    for i = 1, n do normal[i], right[i] = {}, 0 end
    local l = k + 1
    for i = 1, m do
      while l < n and x[i] >= t[l + 1] do l = l + 1 end
      local h = {}
      basis_at(t, k, x[i], l, h)
      places[i], values[i] = l - k, h
      for j = 1, k + 1 do
        local row = normal[l - k + j - 1]
        local f = h[j] * w[i] * w[i]
        right[l - k + j - 1] = right[l - k + j - 1] + f * y[i]
        for g = j, k + 1 do row[g - j + 1] = (row[g - j + 1] or 0) + f * h[g] end
      end
    end
  end

  local function residual(i)
    local v = -y[i]
    for j = 1, k + 1 do v = v + values[i][j] * c[places[i] + j - 1] end
    return (v * w[i]) ^ 2
  end

  local function residuals()
    local sum = 0
    for i = 1, m do sum = sum + residual(i) end
    return sum
  end

  local function add_knot()
    local greatest, number, begins, at = 0, nil, nil, 1
    for j = 1, #points_in do
      if part_of[j] > greatest and points_in[j] > 0 then greatest, number, begins = part_of[j], j, at end
      at = at + points_in[j] + 1
    end
    if not number then return false end
    local count = points_in[number]
    local half = floor(count / 2) + 1
    table.insert(inner, number, x[begins + half])
    points_in[number] = half - 1
    table.insert(points_in, number + 1, count - half)
    part_of[number] = greatest * (half - 1) / count
    table.insert(part_of, number + 1, greatest * (count - half) / count)
    return true
  end

  -- ==== Knots ======================================================================================================

  local diagonal
  if s == 0 then interpolating_knots() else set_knots() end
  local begun = false
  local limit = math.max(floor(m / 2), least)          -- FITPACK's room for knots at first; then it counts anew
  for _ = 1, m + 1 do
    observe()
    local n = #t - k - 1
    c, diagonal = solve_band(normal, right, n, k + 1)
    fp = residuals()
    if #t == least then fp0 = fp end
    local over = fp - s
    if s == 0 or abs(over) < acc then return t, c end
    if over < 0 then break end
    if #t >= most then return t, c end
    if #t >= limit and limit < most then limit, begun = most, false end
    if not begun then added, begun = 1, true
    else
      local wanted = added * 2
      if fp_old - fp > acc then wanted = floor(added * over / (fp_old - fp)) end
      added = math.min(added * 2, math.max(wanted, floor(added / 2), 1))
    end
    fp_old = fp
    -- Residuals by interval; a point on a knot counts half for each side.
    local sum, interval, l = 0, 1, k + 2
    for i = 1, m do
      local term = residual(i)
      sum = sum + term
      if x[i] >= t[l] and l <= n then
        l = l + 1
        part_of[interval] = sum - term / 2
        interval = interval + 1
        sum = term / 2
      end
    end
    part_of[interval] = sum
    for _ = 1, added do
      if #inner + least >= limit or not add_knot() then break end
    end
    if #inner + least >= most then interpolating_knots() else set_knots() end
  end
  if #t == least then return t, c end        -- the polynomial is near enough

  -- ==== Smoothing ==================================================================================================

  local n = #t - k - 1
  local b = jumps(t, k)
  local p1, f1, p3, f3 = 0, fp0 - s, -1, fp - s
  local p = n / diagonal
  local low_known, high_known = false, false
  for round = 1, MOST_ROUNDS do
    local a = {}
    for i = 1, n do
      a[i] = {}
      for j = 1, k + 2 do a[i][j] = normal[i][j] or 0 end
    end
    for q = 1, #b do
      for j = 1, k + 2 do
        for g = j, k + 2 do a[q + j - 1][g - j + 1] = a[q + j - 1][g - j + 1] + b[q][j] * b[q][g] / (p * p) end
      end
    end
    c = solve_band(a, right, n, k + 2)
    fp = residuals()
    local p2, f2 = p, fp - s
    if abs(f2) < acc or round == MOST_ROUNDS then break end
    local settled = false
    if not high_known then
      if f2 - f3 <= acc then
        p3, f3, p = p2, f2, p * 0.04
        if p <= p1 then p = p1 * 0.9 + p2 * 0.1 end
        settled = true
      elseif f2 < 0 then high_known = true end
    end
    if not settled and not low_known then
      if f1 - f2 <= acc then
        p1, f1, p = p2, f2, p / 0.04
        if p3 >= 0 and p >= p3 then p = p2 * 0.1 + p3 * 0.9 end
        settled = true
      elseif f2 > 0 then low_known = true end
    end
    if not settled then
      if f2 >= f1 or f2 <= f3 then break end
      if p3 > 0 then
        local h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
        p = -(p1 * p2 * h3 + p2 * p3 * h1 + p3 * p1 * h2) / (p1 * h1 + p2 * h2 + p3 * h3)
      else p = (p1 * (f1 - f3) * f2 - p2 * (f2 - f3) * f1) / ((f1 - f2) * f3) end
      if f2 < 0 then p3, f3 = p2, f2 else p1, f1 = p2, f2 end
    end
  end
  return t, c
end
