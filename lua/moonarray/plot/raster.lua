--- A canvas of pixels: what a figure is drawn on for a PNG. Lengths are in pixels of a figure at scale 1.

local floor, ceil, abs, sqrt, min, max = math.floor, math.ceil, math.abs, math.sqrt, math.min, math.max
local coverage = require "moonarray.plot.coverage"
local font = require "moonarray.plot.font"
local thin = require "moonarray.plot.thin"

local found, ffi = pcall(require, "ffi")

local Canvas = {}
Canvas.__index = Canvas

local function new(ma, width, height, scale)
  local w, h = floor(width * scale + 0.5), floor(height * scale + 0.5)
  local self = setmetatable({ ma = ma, width = width, height = height, scale = scale, w = w, h = h }, Canvas)
  self.pixels = coverage.floats(3 * w * h)
  self.plane = coverage.plane(w, h)
  return self
end

function Canvas:clip(left, top, right, bottom)
  local s = self.scale
  if left then self.plane:clip(left * s, top * s, right * s, bottom * s)
  else self.plane:clip(0, 0, self.w, self.h) end
end

local function lay(self, colour, alpha) self.plane:lay(self.pixels, colour[1], colour[2], colour[3], alpha or 1) end

--- The coordinate of the middle of a line that is to cover whole pixels.
function Canvas:crisp(x, width)
  local s = self.scale
  local odd = max(1, floor(width * s + 0.5)) % 2 == 1
  return odd and (floor(x * s) + 0.5) / s or floor(x * s + 0.5) / s
end

-- ==== Lines ==========================================================================================================

--- Draws a segment in dashes, from a place in the pattern on, and returns the place at its end. `sharp`: the line turns
--- at the segment's begin, so that a dash over it is round there.
local function dashed(plane, x0, y0, x1, y1, half, pattern, place, sharp)
  local dx, dy = x1 - x0, y1 - y0
  local length, total = sqrt(dx * dx + dy * dy), pattern.total
  if length == 0 or length - length ~= 0 then return place end
  local a, b = plane:visible(x0, y0, x1, y1, half)
  local at, stop = (a or 1) * length, (b or 0) * length
  while at < stop do
    local within, k = (place + at) % total, 1
    while k < #pattern and within >= pattern[k] do
      within = within - pattern[k]
      k = k + 1
    end
    local next_at = min(at + max(pattern[k] - within, 1e-6 * total), stop)
    if next_at == at then break end
    if k % 2 == 1 then
      -- A dash that goes on over the end of a segment reaches half a pixel beyond it, so that no gap is seen there.
      local goes_on = at == 0 and within > 1e-6 * total
      local from = (goes_on and not sharp and -0.5 or at) / length
      local to = (next_at < length and next_at or length + 0.5) / length
      plane:segment(x0 + dx * from, y0 + dy * from, x0 + dx * to, y0 + dy * to, half, not (goes_on and sharp), true)
    end
    at = next_at
  end
  return (place + length) % total
end

--- A line through n points with gaps where one is NaN. style: color, alpha, width, dash (lengths of dashes and gaps),
--- flat (ends without round caps).
function Canvas:line(xs, ys, n, style)
  local s, plane = self.scale, self.plane
  local half = style.width * s / 2
  local place, dash = 0, nil
  if style.dash then
    dash = { total = 0 }
    for k, length in ipairs(style.dash) do
      dash[k] = length * s
      dash.total = dash.total + dash[k]
    end
  end
  if n > 2000 then xs, ys, n = thin(xs, ys, n, s) end
  local flat = style.flat
  local x0, y0, first = 0, 0, true
  local last_x, last_y = 0, 0            -- the direction of the segment before
  for k = 1, n do
    local x1, y1 = xs[k] * s, ys[k] * s
    if x1 - x1 ~= 0 or y1 - y1 ~= 0 then first, place = true, 0
    elseif first then first = false
    elseif dash then
      local dx, dy = x1 - x0, y1 - y0
      local length = sqrt(dx * dx + dy * dy)
      local ux, uy = dx / length, dy / length
      place = dashed(plane, x0, y0, x1, y1, half, dash, place, ux * last_x + uy * last_y < 0.9)
      if length > 0 then last_x, last_y = ux, uy end
    else plane:segment(x0, y0, x1, y1, half, flat and k == 2, flat and k == n) end
    x0, y0 = x1, y1
  end
  lay(self, style.color, style.alpha)
end

-- ==== Areas ==========================================================================================================

--- The inside of a polygon.
function Canvas:polygon(xs, ys, style)
  local s, px, py = self.scale, {}, {}
  for k = 1, #xs do
    px[k], py[k] = xs[k] * s, ys[k] * s
    if px[k] ~= px[k] or py[k] ~= py[k] then return end
  end
  self.plane:polygon(px, py)
  lay(self, style.color, style.alpha)
end

--- A rectangle. With style.snap its edges lie on whole pixels, unless it would vanish, so that neighbours join.
function Canvas:rectangle(left, top, right, bottom, style)
  if style.snap then
    local s = self.scale
    local l, t, r, b = floor(left * s + 0.5), floor(top * s + 0.5), floor(right * s + 0.5), floor(bottom * s + 0.5)
    if l < r then left, right = l / s, r / s end
    if t < b or bottom - top < 0.2 then top, bottom = t / s, b / s end
  end
  self:polygon({ left, right, right, left }, { top, top, bottom, bottom }, style)
end

-- ==== Markers ========================================================================================================

--- Markers at n points. shape: a table of markers.lua; size: a diameter or a list of them; color: one colour, or with
--- `colors` one for each.
function Canvas:markers(xs, ys, n, shape, style)
  local s, plane = self.scale, self.plane
  local sizes, colors, alpha = style.sizes, style.colors, style.alpha
  for k = 1, n do
    local x, y = xs[k] * s, ys[k] * s
    local colour = style.color
    if colors then colour = colors[k] end
    if x - x == 0 and y - y == 0 and colour then
      local radius = (sizes and sizes[k] or style.size) * s / 2
      if shape.disc then
        plane:disc(x, y, radius * shape.disc)
        lay(self, colour, alpha)
        if style.edge then
          plane:disc(x, y, radius * shape.disc, style.edge_width * s / 2)
          lay(self, style.edge, alpha)
        end
      elseif shape.polygon then
        local px, py = {}, {}
        for p = 1, #shape.polygon, 2 do
          px[#px + 1], py[#py + 1] = x + shape.polygon[p] * radius, y - shape.polygon[p + 1] * radius
        end
        plane:polygon(px, py)
        lay(self, colour, alpha)
      else
        for _, stroke in ipairs(shape.strokes) do
          plane:segment(x + stroke[1] * radius, y - stroke[2] * radius, x + stroke[3] * radius, y - stroke[4] * radius,
            (style.stroke or 1.5) * s / 2)
        end
        lay(self, colour, alpha)
      end
    end
  end
end

-- ==== Text ===========================================================================================================

function Canvas:text_width(text, size) return font.width(text, size) end

--- Draws one letter whose origin is at (x, y). The heights of small and capital letters are whole pixels, and so is the
--- width between the outer stems; turned text goes upward.
local function draw_glyph(plane, glyph, x, y, unit, half, turned)
  local width = (glyph.high - glyph.low) * unit
  local _, whole = font.step(glyph, unit)
  if glyph.free then whole = width end
  local across = width > 0 and whole / width * unit or unit
  local small, cap = floor(font.small * unit + 0.5), floor(font.cap * unit + 0.5)
  local left = glyph.free and glyph.left * unit or floor(glyph.left * unit + 0.5)
  local function height(v)
    if glyph.free or v < 0 then return v * unit end
    if v <= font.small then return v * small / font.small end
    return small + (v - font.small) * (cap - small) / (font.cap - font.small)
  end
  for _, stroke in ipairs(glyph.strokes) do
    local px, py
    for k = 1, #stroke, 2 do
      local gx, gy = left + (stroke[k] - glyph.low) * across, height(stroke[k + 1])
      local sx, sy
      if turned then sx, sy = x - gy, y - gx else sx, sy = x + gx, y - gy end
      if px then plane:segment(px, py, sx, sy, half) end
      px, py = sx, sy
    end
  end
end

--- Text at a place. style: color, size, alpha; across: "left", "center", "right"; up: "baseline", "center", "top",
--- "bottom"; turned: upward.
function Canvas:text(x, y, text, style)
  local s = self.scale
  local size = style.size * s
  local unit = font.unit(size)
  local cap = font.cap * unit
  local width = font.width(text, size)
  local along = style.across == "center" and -width / 2 or style.across == "right" and -width or 0
  local down = style.up == "center" and cap / 2 or style.up == "top" and cap + size * 0.08
    or style.up == "bottom" and -4.2 * unit or 0
  x, y = x * s, y * s
  if style.turned then x, y = x + down, y - along else x, y = x + along, y + down end
  -- Strokes run through the middles of pixels.
  x, y = floor(x) + 0.5, floor(y) + 0.5
  local half = max(0.5, size * (style.bold and 0.062 or 0.045))
  for character in font.characters(text) do
    local glyph = font.glyph(character)
    draw_glyph(self.plane, glyph, x, y, unit, half, style.turned)
    local step = font.step(glyph, unit)
    if style.turned then y = y - step else x = x + step end
  end
  lay(self, style.color, style.alpha)
end

-- ==== Pictures =======================================================================================================

--- A picture, an array (height, width, 4) of uint8, in a box. One with more pixels than the box is averaged, else each
--- pixel is the nearest one.
function Canvas:picture(left, top, right, bottom, rgba, alpha)
  local s, plane, pixels = self.scale, self.plane, self.pixels
  left, top, right, bottom = left * s, top * s, right * s, bottom * s
  local height, width = rgba.shape[1], rgba.shape[2]
  local shown_h, shown_w = max(1, ceil(abs(bottom - top))), max(1, ceil(abs(right - left)))
  if height > 1.5 * shown_h or width > 1.5 * shown_w then
    rgba = self.ma.image.resize(rgba, { min(height, shown_h), min(width, shown_w) })
    height, width = rgba.shape[1], rgba.shape[2]
  end
  local bytes, byte = rgba:tobytes(), string.byte
  local x_step, y_step = width / (right - left), height / (bottom - top)
  local i0, i1 = max(plane.left, floor(min(left, right) + 0.5)), min(plane.right, floor(max(left, right) + 0.5)) - 1
  local j0, j1 = max(plane.top, floor(min(top, bottom) + 0.5)), min(plane.bottom, floor(max(top, bottom) + 0.5)) - 1
  for j = j0, j1 do
    local row = min(height - 1, max(0, floor((j + 0.5 - top) * y_step))) * width
    for i = i0, i1 do
      local at = 4 * (row + min(width - 1, max(0, floor((i + 0.5 - left) * x_step))))
      local red, green, blue, a = byte(bytes, at + 1, at + 4)
      a = a / 255 * alpha
      local to = 3 * (j * self.w + i)
      pixels[to] = pixels[to] + (red - pixels[to]) * a
      pixels[to + 1] = pixels[to + 1] + (green - pixels[to + 1]) * a
      pixels[to + 2] = pixels[to + 2] + (blue - pixels[to + 2]) * a
    end
  end
end

-- ==== The result =====================================================================================================

--- The pixels as a string of bytes, with their height and width.
function Canvas:bytes()
  local n, pixels = 3 * self.w * self.h, self.pixels
  if found then
    local out = ffi.new("uint8_t[?]", n)
    for k = 0, n - 1 do out[k] = max(0, min(255, floor(pixels[k] + 0.5))) end
    return ffi.string(out, n), self.h, self.w
  end
  local rows, char = {}, string.char
  for j = 0, self.h - 1 do
    local row = {}
    for k = 0, 3 * self.w - 1 do row[k + 1] = char(max(0, min(255, floor(pixels[j * 3 * self.w + k] + 0.5)))) end
    rows[j + 1] = table.concat(row)
  end
  return table.concat(rows), self.h, self.w
end

require "moonarray.plot.paper" (Canvas)

return new
