--- Long lines with fewer points.

local floor, min, max = math.floor, math.min, math.max

--- Fewer points for a long line: of those that follow one another within half a pixel from left to right, the first,
--- the lowest, the highest and the last. The line stays the same to half a pixel.
return function(xs, ys, n, s)
  local out_x, out_y, m = {}, {}, 0
  local k = 1
  while k <= n do
    local x, y = xs[k], ys[k]
    local column = floor(x * s * 2)
    local last, low, high = k, k, k
    while y == y and last < n and floor(xs[last + 1] * s * 2) == column and ys[last + 1] == ys[last + 1] do
      last = last + 1
      if ys[last] < ys[low] then low = last end
      if ys[last] > ys[high] then high = last end
    end
    m = m + 1
    out_x[m], out_y[m] = x, y
    local a, b = min(low, high), max(low, high)
    if a > k and a < last then
      m = m + 1
      out_x[m], out_y[m] = xs[a], ys[a]
    end
    if b > k and b < last and b ~= a then
      m = m + 1
      out_x[m], out_y[m] = xs[b], ys[b]
    end
    if last > k then
      m = m + 1
      out_x[m], out_y[m] = xs[last], ys[last]
    end
    k = last + 1
  end
  return out_x, out_y, m
end
