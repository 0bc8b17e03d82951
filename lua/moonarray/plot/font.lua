--- The built-in font: letters as lists of points, and the width of a text.

local tonumber = require("moonarray.text").tonumber
local glyphs = require "moonarray.plot.glyphs"

local font = { cap = 14, small = 10 }
local UNIT = 0.0495                       -- of a font's size
local SPACE = 0.5                         -- between letters, beside what each brings

-- Letters with a mark above: the letter, and the mark's path for a letter of 8 units in width.
local marks = {
  diaeresis = "M2 13.4 L2 13.1 M6 13.4 L6 13.1", grave = "M2.4 15 L4.6 12.4", acute = "M5.6 15 L3.4 12.4",
  circumflex = "M1.8 12.4 L4 15 L6.2 12.4",
  tilde = "M1 12.6 C1.6 13.8 2.2 14 2.9 14 C4.2 14 4 12.6 5.2 12.6 C5.9 12.6 6.5 13 7 14.2",
  ring = "O4 13.9 1.7 1.7 0 360", cedilla = "M4.4 0 L3.8 -1.6 C5.2 -1.6 5.6 -2.2 5.6 -3 C5.6 -4 4.6 -4.4 3 -4.2",
  caron = "M1.8 15 L4 12.4 L6.2 15",
}
local composed = {
  diaeresis = "ä a ö o ü u ë e ï ı Ä A Ö O Ü U", grave = "à a è e ì ı ò o ù u À A È E",
  acute = "á a é e í ı ó o ú u Á A É E Ó O ý y", circumflex = "â a ê e î ı ô o û u",
  tilde = "ñ n ã a õ o Ñ N", ring = "å a Å A", cedilla = "ç c Ç C", caron = "š s č c ž z ř r ě e",
}

-- Smaller letters above and below the line: where they are, and of which.
local raised = { ["⁰"] = "0", ["¹"] = "1", ["²"] = "2", ["³"] = "3", ["⁴"] = "4", ["⁵"] = "5", ["⁶"] = "6",
  ["⁷"] = "7", ["⁸"] = "8", ["⁹"] = "9", ["⁻"] = "−", ["⁺"] = "+", ["ⁿ"] = "n" }
local lowered = { ["₀"] = "0", ["₁"] = "1", ["₂"] = "2", ["₃"] = "3", ["₄"] = "4", ["₅"] = "5", ["₆"] = "6",
  ["₇"] = "7", ["₈"] = "8", ["₉"] = "9" }
local same = { ["μ"] = "µ", ["∆"] = "Δ", ["Ω"] = "Ω" }

--- Adds points of a curve, given by its value at t, to a stroke.
local function add_curve(stroke, steps, at)
  for k = 1, steps do
    local x, y = at(k / steps)
    stroke[#stroke + 1], stroke[#stroke + 2] = x, y
  end
end

local draw = {
  M = function(strokes, n) strokes[#strokes + 1] = { n[1], n[2] } end,
  L = function(strokes, n)
    local stroke = strokes[#strokes]
    stroke[#stroke + 1], stroke[#stroke + 2] = n[1], n[2]
  end,
  C = function(strokes, n)
    local stroke = strokes[#strokes]
    local x0, y0 = stroke[#stroke - 1], stroke[#stroke]
    add_curve(stroke, 8, function(t)
      local s = 1 - t
      local a, b, c, d = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
      return a * x0 + b * n[1] + c * n[3] + d * n[5], a * y0 + b * n[2] + c * n[4] + d * n[6]
    end)
  end,
  O = function(strokes, n)
    local function at(t)
      local angle = math.rad(n[5] + (n[6] - n[5]) * t)
      return n[1] + n[3] * math.cos(angle), n[2] + n[4] * math.sin(angle)
    end
    local stroke = { at(0) }
    strokes[#strokes + 1] = stroke
    add_curve(stroke, 20, at)
  end,
}

--- The strokes of a path, each a list x, y, x, y ...
local function strokes_of(path)
  local strokes = {}
  for command, text in path:gmatch("(%u)([^%u]*)") do
    local numbers = {}
    for number in text:gmatch("%-?[%d.]+") do numbers[#numbers + 1] = tonumber(number) end
    draw[command](strokes, numbers)
  end
  return strokes
end

local function extent(strokes)
  local low, high = math.huge, -math.huge
  for _, stroke in ipairs(strokes) do
    for k = 1, #stroke, 2 do low, high = math.min(low, stroke[k]), math.max(high, stroke[k]) end
  end
  return low <= high and low or 0, low <= high and high or 0
end

local made = {}

local function make(text)
  local left, right, path = text:match("^([%d.]+) ([%d.]+) ?(.*)$")
  local strokes = strokes_of(path)
  local low, high = extent(strokes)
  return { strokes = strokes, left = tonumber(left), right = tonumber(right), low = low, high = high }
end

--- A glyph in a smaller size, higher or lower.
local function small(glyph, size, up)
  local strokes = {}
  for s, stroke in ipairs(glyph.strokes) do
    strokes[s] = {}
    for k = 1, #stroke, 2 do
      strokes[s][k], strokes[s][k + 1] = stroke[k] * size, stroke[k + 1] * size + up
    end
  end
  return { strokes = strokes, left = glyph.left * size * 0.8, right = glyph.right * size * 0.8, low = glyph.low * size,
    high = glyph.high * size, free = true }
end

local function with_mark(glyph, mark)
  local strokes = {}
  for k, stroke in ipairs(glyph.strokes) do strokes[k] = stroke end
  local width, up = glyph.high - glyph.low, 0
  for _, stroke in ipairs(strokes) do
    for k = 2, #stroke, 2 do if stroke[k] > 12 then up = 4 end end
  end
  local shift = width / 2 - 4
  for _, stroke in ipairs(strokes_of(marks[mark])) do
    for k = 1, #stroke, 2 do
      stroke[k] = stroke[k] + shift
      if stroke[k + 1] > 5 then stroke[k + 1] = stroke[k + 1] + up end
    end
    strokes[#strokes + 1] = stroke
  end
  return { strokes = strokes, left = glyph.left, right = glyph.right, low = glyph.low, high = glyph.high }
end

local bases
local function mark_of(character)
  if not bases then
    bases = {}
    for mark, list in pairs(composed) do
      for letter, base in list:gmatch("(%S+) (%S+)") do bases[letter] = { base, mark } end
    end
  end
  local found = bases[character]
  if found then return found[1], found[2] end
end

--- The glyph of a character: its strokes and the space around them, in units.
function font.glyph(character)
  local glyph = made[character]
  if glyph then return glyph end
  local base, mark = mark_of(character)
  if raised[character] then glyph = small(font.glyph(raised[character]), 0.66, 6.6)
  elseif lowered[character] then glyph = small(font.glyph(lowered[character]), 0.66, -2.8)
  elseif mark then glyph = with_mark(font.glyph(base), mark)
  elseif #character == 1 or glyphs[character] then glyph = make(glyphs[character] or glyphs.missing)
  else glyph = make(glyphs[same[character]] or glyphs.missing) end
  made[character] = glyph
  return glyph
end

--- The characters of a text in UTF-8, one after the other.
function font.characters(text) return text:gmatch("[%z\1-\127\194-\244][\128-\191]*") end

--- How far the next letter is from a letter, in whole pixels, and the width of the letter itself.
function font.step(glyph, unit)
  local width = math.floor((glyph.high - glyph.low) * unit + 0.5)
  return width + math.floor((glyph.left + glyph.right + SPACE) * unit + 0.5), width
end

--- A text's width at a size in pixels.
function font.width(text, size)
  local unit, width = size * UNIT, 0
  for character in font.characters(text) do width = width + font.step(font.glyph(character), unit) end
  return width
end

function font.unit(size) return size * UNIT end

return font
