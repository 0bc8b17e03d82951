--- How much of each pixel a shape covers: a plane of numbers from 0 to 1, into which lines and polygons are drawn, and
--- which a colour is then laid through. Pixel (i, j) is the square from (i, j) to (i + 1, j + 1), y goes down.

local floor, ceil, sqrt, min, max, abs = math.floor, math.ceil, math.sqrt, math.min, math.max, math.abs

local found, ffi = pcall(require, "ffi")

local coverage = {}

--- n zeros from place 0 on: floats of the FFI, or a table where there is none.
function coverage.floats(n)
  if found then return ffi.new("float[?]", n) end
  local list = {}
  for k = 0, n - 1 do list[k] = 0 end
  return list
end

local Plane = {}
Plane.__index = Plane

--- A plane with all pixels uncovered, which takes shapes between (left, top) and (right, bottom).
function coverage.plane(width, height)
  local self = setmetatable({ width = width, height = height, stride = width + 2 }, Plane)
  self.cover = coverage.floats(self.stride * height + 2)
  self:clip(0, 0, width, height)
  self:forget()
  return self
end

function Plane:clip(left, top, right, bottom)
  self.left, self.top = max(0, floor(left + 0.5)), max(0, floor(top + 0.5))
  self.right, self.bottom = min(self.width, floor(right + 0.5)), min(self.height, floor(bottom + 0.5))
end

--- No pixel was touched.
function Plane:forget() self.x0, self.y0, self.x1, self.y1 = self.width, self.height, 0, 0 end

--- Notes which pixels are touched.
local function touch(self, x0, y0, x1, y1)
  if x0 < self.x0 then self.x0 = x0 end
  if y0 < self.y0 then self.y0 = y0 end
  if x1 > self.x1 then self.x1 = x1 end
  if y1 > self.y1 then self.y1 = y1 end
end

-- ==== Lines ==========================================================================================================

--- The part of a segment within a box: two places from 0 to 1 along it, and the sides at which it is cut (1 to 4: left,
--- right, top, bottom; 0: not cut). Returns nil if it is outside.
local function inside(x0, y0, x1, y1, left, top, right, bottom)
  local a, b, side_a, side_b = 0, 1, 0, 0
  local dx, dy = x1 - x0, y1 - y0
  for side = 1, 4 do
    local p, q
    if side == 1 then p, q = -dx, x0 - left
    elseif side == 2 then p, q = dx, right - x0
    elseif side == 3 then p, q = -dy, y0 - top
    else p, q = dy, bottom - y0 end
    if p == 0 then
      if q < 0 then return nil end
    else
      local t = q / p
      if p < 0 then
        if t > a then a, side_a = t, side end
      elseif t < b then b, side_b = t, side end
    end
  end
  if a > b then return nil end
  return a, b, side_a, side_b
end

--- Where a segment crosses a side of the box. The coordinate of the side is taken as it is, so that far ends do not
--- change it.
local function crossing(side, x0, y0, dx, dy, left, top, right, bottom)
  if side <= 2 then
    local x = side == 1 and left or right
    return x, min(bottom, max(top, y0 + (x - x0) * (dy / dx)))
  end
  local y = side == 3 and top or bottom
  return min(right, max(left, x0 + (y - y0) * (dx / dy))), y
end

--- The part of a segment that a line of width 2 * half could show, as two places from 0 to 1; nil if there is none.
function Plane:visible(x0, y0, x1, y1, half)
  local reach = half + 1
  return inside(x0, y0, x1, y1, self.left - reach, self.top - reach, self.right + reach, self.bottom + reach)
end

--- Draws a segment of width 2 * half. An end is round, or with `flat` cut off. A pixel that several segments cover has
--- the greatest coverage, so a line looks the same where it meets itself.
function Plane:segment(x0, y0, x1, y1, half, flat0, flat1)
  local reach = half + 1
  local left, top, right, bottom = self.left, self.top, self.right, self.bottom
  local l, t, r, d = left - reach, top - reach, right + reach, bottom + reach
  local a, _, side_a, side_b = inside(x0, y0, x1, y1, l, t, r, d)
  if not a then return end
  local dx, dy = x1 - x0, y1 - y0
  if side_b > 0 then x1, y1 = crossing(side_b, x0, y0, dx, dy, l, t, r, d) end
  if side_a > 0 then x0, y0 = crossing(side_a, x0, y0, dx, dy, l, t, r, d) end
  dx, dy = x1 - x0, y1 - y0
  local length = sqrt(dx * dx + dy * dy)
  local ux, uy = 1, 0
  if length > 0 then ux, uy = dx / length, dy / length end
  local most = min(1, 2 * half)
  local j0, j1 = max(top, floor(min(y0, y1) - reach)), min(bottom - 1, floor(max(y0, y1) + reach))
  local i0, i1 = max(left, floor(min(x0, x1) - reach)), min(right - 1, floor(max(x0, x1) + reach))
  if j0 > j1 or i0 > i1 then return end
  touch(self, i0, j0, i1 + 1, j1 + 1)
  local cover, stride = self.cover, self.stride
  local cut = half + 0.5
  local steep = abs(dy) > 1e-9
  for j = j0, j1 do
    local from, to = i0, i1
    if steep then
      -- The part of the segment that this row can be near.
      local t0, t1 = (j - reach - y0) / dy, (j + 1 + reach - y0) / dy
      if t0 > t1 then t0, t1 = t1, t0 end
      t0, t1 = max(0, t0), min(1, t1)
      local xa, xb = x0 + t0 * dx, x0 + t1 * dx
      from, to = max(i0, floor(min(xa, xb) - reach)), min(i1, floor(max(xa, xb) + reach))
    end
    local row = j * stride
    local py = j + 0.5 - y0
    for i = from, to do
      local px = i + 0.5 - x0
      local along, across = px * ux + py * uy, abs(py * ux - px * uy)
      local c = cut - across
      if c > 0 then
        if along < 0 then
          if flat0 then c = min(c, along + 0.5)
          else c = cut - sqrt(along * along + across * across) end
        elseif along > length then
          if flat1 then c = min(c, length - along + 0.5)
          else
            local over = along - length
            c = cut - sqrt(over * over + across * across)
          end
        else
          if flat0 then c = min(c, along + 0.5) end
          if flat1 then c = min(c, length - along + 0.5) end
        end
        if c > most then c = most end
        if c > cover[row + i] then cover[row + i] = c end
      end
    end
  end
end

--- A disc, or with `half` its edge of that width on both sides.
function Plane:disc(x, y, radius, half)
  local reach = radius + (half or 0) + 1
  local j0, j1 = max(self.top, floor(y - reach)), min(self.bottom - 1, floor(y + reach))
  local i0, i1 = max(self.left, floor(x - reach)), min(self.right - 1, floor(x + reach))
  if j0 > j1 or i0 > i1 then return end
  touch(self, i0, j0, i1 + 1, j1 + 1)
  local cover, stride = self.cover, self.stride
  local most = half and min(1, 2 * half) or 1
  for j = j0, j1 do
    local row, py = j * stride, j + 0.5 - y
    for i = i0, i1 do
      local px = i + 0.5 - x
      local d = sqrt(px * px + py * py)
      local c = half and half + 0.5 - abs(d - radius) or radius + 0.5 - d
      if c > most then c = most end
      if c > cover[row + i] then cover[row + i] = c end
    end
  end
end

-- ==== Polygons =======================================================================================================

--- Cuts a polygon along a line where one coordinate is `at`, and keeps the part below it, or above.
local function cut(xs, ys, vertical, at, below)
  local out_x, out_y, n = {}, {}, #xs
  local sign = below and 1 or -1
  for k = 1, n do
    local m = k % n + 1
    local x0, y0, x1, y1 = xs[k], ys[k], xs[m], ys[m]
    local d0 = sign * (at - (vertical and x0 or y0))
    local d1 = sign * (at - (vertical and x1 or y1))
    if d0 >= 0 then out_x[#out_x + 1], out_y[#out_y + 1] = x0, y0 end
    if (d0 > 0 and d1 < 0) or (d0 < 0 and d1 > 0) then
      local t = d0 / (d0 - d1)
      local place = #out_x + 1
      out_x[place], out_y[place] = vertical and at or x0 + t * (x1 - x0), vertical and y0 + t * (y1 - y0) or at
    end
  end
  return out_x, out_y
end

--- Adds the area to the right of an edge, with its sign, to the pixels of each row, as renderers of fonts do.
local function add_edge(cover, stride, x0, y0, x1, y1)
  if y0 == y1 then return end
  local sign = 1
  if y0 > y1 then x0, y0, x1, y1, sign = x1, y1, x0, y0, -1 end
  local slope = (x1 - x0) / (y1 - y0)
  local x = x0
  for j = floor(y0), ceil(y1) - 1 do
    local row = j * stride
    local dy = min(j + 1, y1) - max(j, y0)
    local next_x = x + slope * dy
    local d = dy * sign
    local a, b = x, next_x
    if a > b then a, b = b, a end
    local i0, i1 = floor(a), ceil(b)
    if i1 <= i0 + 1 then
      local part = 0.5 * (x + next_x) - i0
      cover[row + i0] = cover[row + i0] + d - d * part
      cover[row + i0 + 1] = cover[row + i0 + 1] + d * part
    else
      local s = 1 / (b - a)
      local f0, f1 = a - i0, b - i1 + 1
      local first, last = 0.5 * s * (1 - f0) * (1 - f0), 0.5 * s * f1 * f1
      cover[row + i0] = cover[row + i0] + d * first
      if i1 == i0 + 2 then
        cover[row + i0 + 1] = cover[row + i0 + 1] + d * (1 - first - last)
      else
        local second = s * (1.5 - f0)
        cover[row + i0 + 1] = cover[row + i0 + 1] + d * (second - first)
        for i = i0 + 2, i1 - 2 do cover[row + i] = cover[row + i] + d * s end
        local before = second + (i1 - i0 - 3) * s
        cover[row + i1 - 1] = cover[row + i1 - 1] + d * (1 - before - last)
      end
      cover[row + i1] = cover[row + i1] + d * last
    end
    x = next_x
  end
end

--- The inside of a polygon. The plane must be empty before.
function Plane:polygon(xs, ys)
  xs, ys = cut(xs, ys, true, self.right, true)
  xs, ys = cut(xs, ys, true, self.left, false)
  xs, ys = cut(xs, ys, false, self.bottom, true)
  xs, ys = cut(xs, ys, false, self.top, false)
  local n = #xs
  if n < 3 then return end
  local x0, y0, x1, y1 = xs[1], ys[1], xs[1], ys[1]
  for k = 2, n do
    x0, x1, y0, y1 = min(x0, xs[k]), max(x1, xs[k]), min(y0, ys[k]), max(y1, ys[k])
  end
  local cover, stride = self.cover, self.stride
  for k = 1, n do
    local m = k % n + 1
    add_edge(cover, stride, xs[k], ys[k], xs[m], ys[m])
  end
  x0, y0, x1, y1 = floor(x0), floor(y0), ceil(x1), ceil(y1)
  touch(self, x0, y0, x1, y1)
  for j = y0, y1 - 1 do
    local sum, row = 0, j * stride
    for i = x0, x1 + 1 do
      sum = sum + cover[row + i]
      cover[row + i] = min(1, abs(sum))
    end
    cover[row + x1], cover[row + x1 + 1] = 0, 0
  end
end

-- ==== Colour =========================================================================================================

--- Lays a colour over the pixels of a picture, as far as each is covered, and empties the plane. `pixels` has three
--- numbers from 0 to 255 for each.
function Plane:lay(pixels, red, green, blue, alpha)
  local cover, stride, width = self.cover, self.stride, self.width
  local i0, i1 = max(self.x0, 0), min(self.x1, width) - 1
  for j = max(self.y0, 0), min(self.y1, self.height) - 1 do
    local row, at = j * stride, (j * width + i0) * 3
    for i = row + i0, row + i1 do
      local c = cover[i]
      if c > 0 then
        c = c * alpha
        pixels[at] = pixels[at] + (red - pixels[at]) * c
        pixels[at + 1] = pixels[at + 1] + (green - pixels[at + 1]) * c
        pixels[at + 2] = pixels[at + 2] + (blue - pixels[at + 2]) * c
        cover[i] = 0
      end
      at = at + 3
    end
  end
  self:forget()
end

return coverage
