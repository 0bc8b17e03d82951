--- Roots of polynomials of the host: all at once, and so that they multiply back to the coefficients also where several
--- are equal.

local complex = require "moonarray.signal.complex"
local abs = math.abs

return function(_, _, shared)
  local host = shared.host

  --- All roots at once by the method of Aberth and Ehrlich. Of real coefficients, roots come as reals and pairs.
  function host.roots(p)
    p = host.trim(p)
    local zeros = 0
    local n = #p
    while n > 1 and p[n] == 0 do
      n, zeros = n - 1, zeros + 1
    end
    local q, roots = {}, {}
    for k = 1, n do q[k] = p[k] end
    local degree = n - 1
    if degree == 1 then roots[1] = -q[2] / q[1]
    elseif degree == 2 then
      local a, b, c = q[1], q[2], q[3]
      local d = complex.sqrt(b * b - 4 * a * c)
      local plus, minus = b + d, b - d
      local larger = complex.abs(plus) >= complex.abs(minus) and plus or minus
      if larger == 0 then roots[1], roots[2] = 0, 0
      else
        roots[1] = larger * -0.5 / a
        roots[2] = c * -2 / larger
      end
    elseif degree > 2 then
      roots = host.aberth(q, degree)
    end
    for _ = 1, zeros do roots[#roots + 1] = 0 end
    if host.is_real(p) then roots = host.pair(roots) end
    return roots
  end

  --- |re + i im|, without overflow of the squares.
  local function size_of(re, im)
    local a, b = abs(re), abs(im)
    if a < b then a, b = b, a end
    if b == 0 or a == math.huge then return a end
    local r = b / a
    return a * math.sqrt(1 + r * r)
  end

  --- (a + i b) / (c + i d) by Smith's method, without overflow of the squares.
  local function quotient(a, b, c, d)
    if abs(c) >= abs(d) then
      local r = d / c
      local s = c + d * r
      return (a + b * r) / s, (b - a * r) / s
    end
    local r = c / d
    local s = c * r + d
    return (a * r + b) / s, (b * r - a) / s
  end

  --- The Newton step p(x) / p'(x) at x, by the reversed polynomial where |x| > 1, and whether p(x) is 0 up to rounding.
  --- Coefficients are lists of real parts, imaginary parts and sizes.
  local function newton(re, im, size, degree, xr, xi)
    local outside = size_of(xr, xi) > 1
    local ar, ai, at, by = xr, xi, 1, 1
    if outside then
      ar, ai = quotient(1, 0, xr, xi)
      at, by = degree + 1, -1
    end
    local r = size_of(ar, ai)
    local vr, vi, sr, si, bound = re[at], im[at], 0, 0, size[at]
    for _ = 1, degree do
      at = at + by
      sr, si = sr * ar - si * ai + vr, sr * ai + si * ar + vi
      vr, vi = vr * ar - vi * ai + re[at], vr * ai + vi * ar + im[at]
      bound = bound * r + size[at]
    end
    if vr == 0 and vi == 0 then return 0, 0, true end
    local done = size_of(vr, vi) <= bound * 4e-16
    if outside then                                        -- p(x) = x^n r(1/x): p'/p = (n - (1/x) r'/r) / x
      local fr, fi = quotient(ar * sr - ai * si, ar * si + ai * sr, vr, vi)
      local tr, ti = quotient(xr, xi, degree - fr, -fi)
      return tr, ti, done
    end
    if sr == 0 and si == 0 then return 1e-3, 1e-3, false end
    local tr, ti = quotient(vr, vi, sr, si)
    return tr, ti, done
  end

  -- ==== Roots that are near each other =============================================================================

  -- The roots of a cluster are known to few digits each, but together they give the coefficients back. Weierstrass'
  -- steps, p(x) over the product of the distances to the other roots, lead there if p(x) has twice the digits.

  local function two_sum(a, b)
    local s = a + b
    local t = s - a
    return s, (a - (s - t)) + (b - t)
  end

  local function two_product(a, b)
    local p = a * b
    local t = 134217729 * a
    local ah = t - (t - a)
    local al = a - ah
    t = 134217729 * b
    local bh = t - (t - b)
    local bl = b - bh
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
  end

  --- (h + l) x, and the sum of two such numbers.
  local function scaled(h, l, x)
    local p, e = two_product(h, x)
    return two_sum(p, e + l * x)
  end
  local function added(ah, al, bh, bl)
    local s, e = two_sum(ah, bh)
    return two_sum(s, e + al + bl)
  end

  --- p(x) by Horner's rule in pairs of doubles.
  local function value_of(re, im, degree, xr, xi)
    local vr, lr, vi, li = re[1], 0, im[1], 0
    for k = 2, degree + 1 do
      local ah, al = scaled(vr, lr, xr)
      local bh, bl = scaled(vi, li, -xi)
      local ch, cl = scaled(vr, lr, xi)
      local dh, dl = scaled(vi, li, xr)
      vr, lr = added(ah, al, bh, bl)
      vr, lr = added(vr, lr, re[k], 0)
      vi, li = added(ch, cl, dh, dl)
      vi, li = added(vi, li, im[k], 0)
    end
    return vr, vi
  end

  --- How far the product of all x - root is from the coefficients, relative to the product of all |x| + |root|.
  local function distance(re, im, degree, xr, xi)
    local pr, pi, most = { 1 }, { 0 }, { 1 }
    for k = 1, degree do
      local r = size_of(xr[k], xi[k])
      pr[k + 1], pi[k + 1], most[k + 1] = 0, 0, 0
      for j = k + 1, 2, -1 do
        local ur, ui = pr[j - 1], pi[j - 1]
        pr[j], pi[j] = pr[j] - (xr[k] * ur - xi[k] * ui), pi[j] - (xr[k] * ui + xi[k] * ur)
        most[j] = most[j] + r * most[j - 1]
      end
    end
    local far = 0
    for k = 1, degree + 1 do
      local qr, qi = quotient(re[k], im[k], re[1], im[1])
      local gap = size_of(pr[k] - qr, pi[k] - qi)
      if gap > 0 then far = math.max(far, gap / most[k]) end
    end
    return far
  end

  --- Moves roots until their product gives the coefficients back. Of all steps it keeps the roots that come nearest to
  --- that.
  local function refine(re, im, degree, xr, xi)
    local best, zr, zi = distance(re, im, degree, xr, xi), {}, {}
    for k = 1, degree do zr[k], zi[k] = xr[k], xi[k] end
    for _ = 1, 60 do
      if best <= degree * 2.3e-16 then return end
      local yr, yi = {}, {}
      for k = 1, degree do
        local vr, vi = value_of(re, im, degree, zr[k], zi[k])
        vr, vi = quotient(vr, vi, re[1], im[1])
        for j = 1, degree do
          if j ~= k then
            local gr, gi = zr[k] - zr[j], zi[k] - zi[j]
            if gr == 0 and gi == 0 then gr = 1e-9 * (size_of(zr[k], zi[k]) + 1e-300) end
            vr, vi = quotient(vr, vi, gr, gi)
          end
        end
        yr[k], yi[k] = zr[k] - vr, zi[k] - vi
      end
      zr, zi = yr, yi
      local far = distance(re, im, degree, zr, zi)
      if far ~= far then return end
      if far < best then
        best = far
        for k = 1, degree do xr[k], xi[k] = zr[k], zi[k] end
      end
    end
  end

  function host.aberth(q, degree)
    local re, im, size, xr, xi, settled = {}, {}, {}, {}, {}, {}
    for k = 1, degree + 1 do
      re[k], im[k] = complex.parts(q[k])
      size[k] = size_of(re[k], im[k])
    end
    local radius = math.exp((math.log(size[degree + 1]) - math.log(size[1])) / degree)
    for k = 1, degree do
      local angle = 2 * math.pi * (k - 1) / degree + 0.4
      xr[k], xi[k], settled[k] = radius * math.cos(angle), radius * math.sin(angle), false
    end
    for _ = 1, 200 do
      local moving = false
      for k = 1, degree do
        if not settled[k] then
          local ur, ui = xr[k], xi[k]
          local tr, ti, done = newton(re, im, size, degree, ur, ui)
          local pr, pi = 0, 0
          for j = 1, degree do
            if j ~= k then
              local gr, gi = ur - xr[j], ui - xi[j]
              if gr == 0 and gi == 0 then gr = 1e-14 * (size_of(ur, ui) + 1e-300) end
              local wr, wi = quotient(1, 0, gr, gi)
              pr, pi = pr + wr, pi + wi
            end
          end
          local mr, mi = quotient(tr, ti, 1 - (tr * pr - ti * pi), -(tr * pi + ti * pr))
          local moved = size_of(mr, mi)
          if mr == mr and mi == mi and moved < math.huge then xr[k], xi[k] = ur - mr, ui - mi end
          settled[k] = done or moved <= 1e-16 * size_of(xr[k], xi[k])
          moving = moving or not settled[k]
        end
      end
      if not moving then break end
    end
    refine(re, im, degree, xr, xi)
    local roots = {}
    for k = 1, degree do roots[k] = complex.new(xr[k], xi[k]) end
    return roots
  end

  --- Roots of real coefficients: those near their conjugates become real, others exact pairs.
  function host.pair(roots)
    local left, result = {}, {}
    for k = 1, #roots do left[k] = roots[k] end
    while #left > 0 do
      local x = table.remove(left)
      local own = abs(2 * complex.im(x))
      local best, best_gap = nil, own
      for k = 1, #left do
        local gap = complex.abs(left[k] - complex.conj(x))
        if gap <= best_gap then best, best_gap = k, gap end
      end
      if best and complex.im(x) ~= 0 and complex.im(left[best]) * complex.im(x) < 0 then
        local y = table.remove(left, best)
        local re = (complex.re(x) + complex.re(y)) / 2
        local im = (abs(complex.im(x)) + abs(complex.im(y))) / 2
        result[#result + 1] = complex.new(re, im)
        result[#result + 1] = complex.new(re, -im)
      else
        result[#result + 1] = complex.re(x)
      end
    end
    return result
  end
end
