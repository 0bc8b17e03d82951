--- A canvas of characters: what a figure is drawn on for a terminal. A cell is 4 units wide and high; it has 2 x 4
--- dots, which braille shows, or a character.

local sformat, concat = require("moonarray.text").format, table.concat
local floor, max, min, abs = math.floor, math.max, math.min, math.abs
local font = require "moonarray.plot.font"

local Canvas = {}
Canvas.__index = Canvas

-- Lengths as in sizes.lua. No letters lie between cells, so that most are 0 or a cell.
Canvas.sizes = { font = 4, title = 4, small = 4, tick = 4, minor = 0, pad = 0, gap = 0, line = 1, border = 0,
  apart = 4, between = 4, bar = 8, legend_line = 10, legend_pad = 4, row = 4, text = 4, rise = 4, label_space = 8,
  legend_margin = 0,
  labels_on_top = true, no_grid = true }
Canvas.shape = 2

local function new(ma, columns, rows)
  local self = setmetatable({ ma = ma, columns = columns, rows = rows, width = columns * 4, height = rows * 4 }, Canvas)
  self.dots, self.inks, self.letters, self.backs = {}, {}, {}, {}
  for k = 0, columns * rows - 1 do self.dots[k] = 0 end
  self:clip()
  return self
end

function Canvas:clip(left, top, right, bottom)
  self.left, self.top = left or 0, top or 0
  self.right, self.bottom = right or self.width, bottom or self.height
end

--- Makes a box one of whole cells.
function Canvas:snap(box)
  local function whole(v) return floor(v / 4 + 0.5) * 4 end
  box.left, box.top = math.ceil(box.left / 4) * 4, math.ceil(box.top / 4) * 4
  box.right, box.bottom = max(box.left + 8, whole(box.right)), max(box.top + 8, whole(box.bottom))
end

function Canvas:crisp(x) return x end

-- The bit of each of a cell's dots, by row and column, in braille's order.
local bits = { [0] = { [0] = 1, 8 }, { [0] = 2, 16 }, { [0] = 4, 32 }, { [0] = 64, 128 } }

local function has(mask, bit) return floor(mask / bit) % 2 == 1 end

--- Sets the dot in column i, row j of all dots.
local function set_dot(self, i, j, colour)
  if i * 2 < self.left or i * 2 >= self.right or j < self.top or j >= self.bottom then return end
  local cell = floor(j / 4) * self.columns + floor(i / 2)
  local bit = bits[j % 4][i % 2]
  if not has(self.dots[cell], bit) then self.dots[cell] = self.dots[cell] + bit end
  self.inks[cell], self.letters[cell] = colour, nil
end

-- ==== Lines and areas ================================================================================================

--- The part of a segment within a box as its ends, or nil.
local function cut(x0, y0, x1, y1, left, top, right, bottom)
  local a, b, dx, dy = 0, 1, x1 - x0, y1 - y0
  for side = 1, 4 do
    local p = side == 1 and -dx or side == 2 and dx or side == 3 and -dy or dy
    local q = side == 1 and x0 - left or side == 2 and right - x0 or side == 3 and y0 - top or bottom - y0
    if p == 0 then
      if q < 0 then return nil end
    elseif p < 0 then a = max(a, q / p)
    else b = min(b, q / p) end
  end
  if a > b then return nil end
  return x0 + a * dx, y0 + a * dy, x0 + b * dx, y0 + b * dy
end

function Canvas:line(xs, ys, n, style)
  local place = 0
  for k = 2, n do
    local x0, y0, x1, y1 = xs[k - 1], ys[k - 1], xs[k], ys[k]
    if x0 - x0 == 0 and y0 - y0 == 0 and x1 - x1 == 0 and y1 - y1 == 0 then
      x0, y0, x1, y1 = cut(x0, y0, x1, y1, self.left - 4, self.top - 4, self.right + 4, self.bottom + 4)
      if x0 then
        local i0, j0, i1, j1 = floor(x0 / 2), floor(y0), floor(x1 / 2), floor(y1)
        local steps = max(abs(i1 - i0), abs(j1 - j0), 1)
        for s = k == 2 and 0 or 1, steps do
          if not style.dash or place % 5 < 3 then
            set_dot(self, floor(i0 + (i1 - i0) * s / steps + 0.5), floor(j0 + (j1 - j0) * s / steps + 0.5), style.color)
          end
          place = place + 1
        end
      end
    else place = 0 end
  end
end

function Canvas:rectangle(left, top, right, bottom, style)
  if style.color[1] == 255 and style.color[2] == 255 and style.color[3] == 255 then return end
  left, right = max(min(left, self.right), self.left), min(right, self.right)
  top, bottom = max(min(top, self.bottom), self.top), min(bottom, self.bottom)
  for j = floor(top + 0.5), floor(bottom + 0.5) - 1 do
    for i = floor(left / 2 + 0.5), max(floor(right / 2 + 0.5) - 1, floor(left / 2 + 0.5)) do
      set_dot(self, i, j, style.color)
    end
  end
end

--- The inside of a polygon, by the crossings of each row of dots.
function Canvas:polygon(xs, ys, style)
  local n = #xs
  for k = 1, n do
    if xs[k] - xs[k] ~= 0 or ys[k] - ys[k] ~= 0 then return end
  end
  for j = floor(self.top), self.bottom - 1 do
    local y, crossings = j + 0.5, {}
    for k = 1, n do
      local m = k % n + 1
      if (ys[k] <= y) ~= (ys[m] <= y) then
        crossings[#crossings + 1] = xs[k] + (y - ys[k]) / (ys[m] - ys[k]) * (xs[m] - xs[k])
      end
    end
    table.sort(crossings)
    for k = 1, #crossings - 1, 2 do
      local from, to = max(crossings[k], self.left), min(crossings[k + 1], self.right)
      for i = floor(from / 2 + 0.5), floor(to / 2 + 0.5) - 1 do set_dot(self, i, j, style.color) end
    end
  end
end

function Canvas:markers(xs, ys, n, _, style)
  for k = 1, n do
    local colour = style.color
    if style.colors then colour = style.colors[k] end
    if xs[k] - xs[k] == 0 and ys[k] - ys[k] == 0 and colour then
      set_dot(self, floor(xs[k] / 2), floor(ys[k]), colour)
    end
  end
end

-- ==== Letters ========================================================================================================

local function put(self, row, column, letter, colour)
  if row < 0 or row >= self.rows or column < 0 or column >= self.columns then return end
  local cell = row * self.columns + column
  self.letters[cell], self.inks[cell], self.dots[cell] = letter, colour, 0
end

local function length(text)
  local n = 0
  for _ in font.characters(text) do n = n + 1 end
  return n
end

function Canvas:text_width(text) return 4 * length(text) end

function Canvas:text(x, y, text, style)
  local n = length(text)
  local column = floor(x / 4)
  if style.across == "center" then column = floor(x / 4 - n / 2 + 0.5)
  elseif style.across == "right" then column = floor(x / 4 - n + 0.5) end
  local row = style.up == "baseline" and floor((y - 1) / 4) or floor(y / 4)
  for letter in font.characters(text) do
    put(self, row, column, letter, style.color)
    column = column + 1
  end
end

--- Lines to the left and at the bottom, in the cells beside the box.
function Canvas:frame(left, top, right, bottom)
  local first, last = floor(left / 4) - 1, floor(right / 4) - 1
  local base = floor(bottom / 4)
  for row = floor(top / 4), base - 1 do put(self, row, first, "│") end
  for column = first + 1, last do put(self, base, column, "─") end
  put(self, base, first, "└")
end

function Canvas:tick(x, y, side)
  if side == "x" then put(self, floor(y / 4), floor(x / 4), "┬")
  elseif side == "y" then put(self, min(floor(y / 4), self.rows - 1), floor(x / 4) - 1, "┤") end
end

--- Empties the cells of a box.
function Canvas:panel(left, top, right, bottom)
  for row = floor(top / 4), floor((bottom - 1) / 4) do
    for column = floor(left / 4), floor((right - 1) / 4) do put(self, row, column, nil) end
  end
end

-- ==== Pictures =======================================================================================================

local shades = { [0] = " ", "░", "▒", "▓", "█" }

--- A picture: two colours in each cell, one above the other, and for a terminal without colours the shade of both.
function Canvas:picture(left, top, right, bottom, rgba, alpha)
  local height, width = rgba.shape[1], rgba.shape[2]
  local bytes = rgba:tobytes()
  local function colour(x, y)
    local i = min(width - 1, max(0, floor((x - left) / (right - left) * width)))
    local j = min(height - 1, max(0, floor((y - top) / (bottom - top) * height)))
    local r, g, b, a = bytes:byte(4 * (j * width + i) + 1, 4 * (j * width + i) + 4)
    a = a / 255 * alpha
    return { r * a, g * a, b * a }
  end
  local x0, x1 = max(min(left, right), self.left), min(max(left, right), self.right)
  local y0, y1 = max(min(top, bottom), self.top), min(max(top, bottom), self.bottom)
  for row = floor(y0 / 4 + 0.5), floor(y1 / 4 + 0.5) - 1 do
    for column = floor(x0 / 4 + 0.5), floor(x1 / 4 + 0.5) - 1 do
      local high, low = colour(column * 4 + 2, row * 4 + 1), colour(column * 4 + 2, row * 4 + 3)
      local light = 0
      for _, c in ipairs { high, low } do light = light + 0.299 * c[1] + 0.587 * c[2] + 0.114 * c[3] end
      put(self, row, column, shades[min(4, floor(light / 510 * 5))], high)
      if row >= 0 and row < self.rows and column >= 0 and column < self.columns then
        self.backs[row * self.columns + column] = low
      end
    end
  end
end

-- ==== The result =====================================================================================================

local function utf8(code)
  return string.char(224 + floor(code / 4096), 128 + floor(code / 64) % 64, 128 + code % 64)
end

-- Blocks for the quarters of a cell that are set: upper left 1, upper right 2, lower left 4, lower right 8.
local quarters = { [0] = " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█" }

local styles = {
  braille = function(mask) return utf8(0x2800 + mask) end,
  blocks = function(mask)
    local quarter = 0
    if has(mask, 1) or has(mask, 2) then quarter = quarter + 1 end
    if has(mask, 8) or has(mask, 16) then quarter = quarter + 2 end
    if has(mask, 4) or has(mask, 64) then quarter = quarter + 4 end
    if has(mask, 32) or has(mask, 128) then quarter = quarter + 8 end
    return quarters[quarter]
  end,
  ascii = function() return "*" end,
}
Canvas.styles = styles

local plain = { ["│"] = "|", ["─"] = "-", ["└"] = "+", ["┬"] = "+", ["┤"] = "+", ["−"] = "-", ["░"] = ".", ["▒"] = ":",
  ["▓"] = "o", ["█"] = "#", ["×"] = "x" }

local function sequence(kind, colour)
  return sformat("\27[%d;2;%d;%d;%dm", kind, floor(colour[1] + 0.5), floor(colour[2] + 0.5), floor(colour[3] + 0.5))
end

local function is_black(colour) return colour[1] + colour[2] + colour[3] == 0 end

--- The text, lines of it without spaces at their ends. style: a key of Canvas.styles; with `coloured`, in true colours.
function Canvas:finish(style, coloured)
  local dots, lines = styles[style], {}
  for row = 0, self.rows - 1 do
    local parts, before = {}, ""
    for column = 0, self.columns - 1 do
      local cell = row * self.columns + column
      local letter = self.letters[cell] or self.dots[cell] > 0 and dots(self.dots[cell]) or " "
      if style == "ascii" then letter = plain[letter] or letter end
      local codes = ""
      if coloured and self.backs[cell] then
        letter, codes = "▀", sequence(38, self.inks[cell]) .. sequence(48, self.backs[cell])
      elseif coloured and letter ~= " " and self.inks[cell] and not is_black(self.inks[cell]) then
        codes = sequence(38, self.inks[cell])
      end
      if codes ~= before then
        parts[#parts + 1] = before ~= "" and "\27[0m" .. codes or codes
        before = codes
      end
      parts[#parts + 1] = letter
    end
    if before ~= "" then parts[#parts + 1] = "\27[0m" end
    lines[row + 1] = concat(parts):gsub(" +$", "")
  end
  return concat(lines, "\n"):gsub("\n+$", "") .. "\n"
end

return new
