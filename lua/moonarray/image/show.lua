--- ma.image.show: a picture in a terminal, by half blocks, braille dots or sixels.

local tostring = require("moonarray.text").tostring
local sformat, floor, char = require("moonarray.text").format, math.floor, string.char
local concat, min, max = table.concat, math.min, math.max

-- ==== The terminal ================================================================================================

--- What the environment says of the terminal. The terminal itself is not asked, since an answer might never come.
local function find_mode(env)
  local term, program = env "TERM" or "", env "TERM_PROGRAM" or ""
  if env "NO_COLOR" or term == "dumb" then return "braille" end
  if term:find "sixel" or term:find "^mlterm" or term:find "^foot" or term:find "^yaft" or program == "WezTerm" then
    return "sixel"
  end
  return "blocks"
end

local function find_colors(env)
  local said, term = env "COLORTERM" or "", env "TERM" or ""
  if said:find "truecolor" or said:find "24bit" or term:find "%-direct$" then return 2 ^ 24 end
  return 256
end

-- ==== Half blocks: two pixels a character ==========================================================================

local LEVELS = { [0] = 0, 95, 135, 175, 215, 255 }

--- The place from 0 of the level of the 6 x 6 x 6 cube that is nearest to v.
local function nearest_level(v)
  if v < 48 then return 0 end
  return v < 115 and 1 or floor((v - 35) / 40)
end

--- The number of the nearest of xterm's 256 colours that no user changes: the cube from 16 on, the greys from 232 on.
local function nearest_256(r, g, b)
  local i, j, k = nearest_level(r), nearest_level(g), nearest_level(b)
  local grey = max(0, min(23, floor((r + g + b) / 30 - 0.3)))
  local v = 8 + 10 * grey
  local by_cube = (LEVELS[i] - r) ^ 2 + (LEVELS[j] - g) ^ 2 + (LEVELS[k] - b) ^ 2
  if (v - r) ^ 2 + (v - g) ^ 2 + (v - b) ^ 2 < by_cube then return 232 + grey end
  return 16 + 36 * i + 6 * j + k
end

--- A function that gives the end of an escape sequence for a pixel's colour, or nil if the pixel is transparent.
local function colour_maker(bytes, width, height, colors)
  local known = {}
  return function(x, y)
    if y >= height then return nil end
    local at = (y * width + x) * 4 + 1
    local r, g, b, alpha = bytes:byte(at, at + 3)
    if alpha < 128 then return nil end
    local key = (r * 256 + g) * 256 + b
    local text = known[key]
    if not text then
      text = colors == 256 and sformat("8;5;%dm", nearest_256(r, g, b)) or sformat("8;2;%d;%d;%dm", r, g, b)
      known[key] = text
    end
    return text
  end
end

local UPPER, LOWER = "\226\150\128", "\226\150\132"

local function blocks(bytes, width, height, colors)
  local colour, out = colour_maker(bytes, width, height, colors), {}
  local function put(text) out[#out + 1] = text end
  for y = 0, height - 1, 2 do
    local front, back                                   -- as they are set; nil: the terminal's own
    for x = 0, width - 1 do
      local top, bottom = colour(x, y), colour(x, y + 1)
      local glyph, ink, paper = UPPER, top, bottom
      if not top and not bottom then glyph = " "
      elseif not top then glyph, ink, paper = LOWER, bottom, nil end
      if paper ~= back then put(paper and "\27[4" .. paper or "\27[49m") end
      if ink and ink ~= front then put("\27[3" .. ink) end
      front, back = ink or front, paper
      put(glyph)
    end
    put((front or back) and "\27[0m\n" or "\n")
  end
  return concat(out)
end

-- ==== Braille: eight dots a character ==============================================================================

-- Bits of the dots by row and column, and the places at which an ordered dither lights each of 4 x 4 dots.
local DOT = { [0] = { [0] = 0x01, 0x08 }, { [0] = 0x02, 0x10 }, { [0] = 0x04, 0x20 }, { [0] = 0x40, 0x80 } }
local BAYER = { [0] = 0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5 }

local function braille(bytes, width, height, threshold, invert)
  local out = {}
  local function is_lit(x, y)
    if x >= width or y >= height then return false end
    local at = (y * width + x) * 4 + 1
    local r, g, b, alpha = bytes:byte(at, at + 3)
    local light = (0.299 * r + 0.587 * g + 0.114 * b) / 255
    if invert then light = 1 - light end
    return alpha >= 128 and light > (threshold or (BAYER[y % 4 * 4 + x % 4] + 0.5) / 16)
  end
  for y = 0, height - 1, 4 do
    for x = 0, width - 1, 2 do
      local bits = 0
      for j = 0, 3 do
        for i = 0, 1 do
          if is_lit(x + i, y + j) then bits = bits + DOT[j][i] end
        end
      end
      out[#out + 1] = char(226, 160 + floor(bits / 64), 128 + bits % 64)
    end
    out[#out + 1] = "\n"
  end
  return concat(out)
end

-- ==== Sixels: bands of six rows, a row of characters for each colour ===============================================

local MOST_COLOURS = 256

--- Numbers of the pixels' colours from 0 on, by place, and the colours; nil for a transparent pixel. Up to 256 colours
--- stay as they are. More become those of a cube of 6 x 7 x 6, dithered.
local function index_colours(bytes, n, width)
  local number, colours, count = {}, {}, 0
  local function pass(reduce)
    local known = {}
    colours, count = {}, 0
    for p = 0, n - 1 do
      local r, g, b, alpha = bytes:byte(p * 4 + 1, p * 4 + 4)
      if alpha >= 128 then
        r, g, b = reduce(r, g, b, p)
        local key = (r * 256 + g) * 256 + b
        local k = known[key]
        if not k then
          if count == MOST_COLOURS then return false end
          k = count
          known[key], colours[k], count = k, { r, g, b }, count + 1
        end
        number[p] = k
      end
    end
    return true
  end
  local function cube(r, g, b, p)
    local x, y = p % width, floor(p / width)
    local shift = (BAYER[y % 4 * 4 + x % 4] + 0.5) / 16
    return floor(floor(r / 51 + shift) * 51), floor(floor(g / 42.5 + shift) * 42.5), floor(floor(b / 51 + shift) * 51)
  end
  -- 51 and 42.5 are the steps between the levels of the cube, so that 255 is its last.
  if not pass(function(r, g, b) return r, g, b end) then
    number = {}
    pass(cube)
  end
  return number, colours, count
end

--- A run of the same character.
local function put_run(out, bits, n)
  if n == 0 then return end
  local c = char(63 + bits)
  out[#out + 1] = n > 3 and "!" .. n .. c or c:rep(n)
end

local function put_band(out, number, width, height, top)
  local used, columns, values = {}, {}, {}              -- by colour: the columns where it is, and the bits there
  for x = 0, width - 1 do
    for j = 0, min(6, height - top) - 1 do
      local k = number[(top + j) * width + x]
      if k then
        if not columns[k] then
          used[#used + 1] = k
          columns[k], values[k] = {}, {}
        end
        local c, v = columns[k], values[k]
        if c[#c] ~= x then c[#c + 1], v[#v + 1] = x, 0 end
        v[#v] = v[#v] + 2 ^ j
      end
    end
  end
  for u, k in ipairs(used) do
    out[#out + 1] = (u > 1 and "$#" or "#") .. k
    local at, run, bits = 0, 0, 0
    for i, x in ipairs(columns[k]) do
      if x > at or values[k][i] ~= bits then
        put_run(out, bits, run)
        put_run(out, 0, x - at)
        at, run, bits = x, 0, values[k][i]
      end
      at, run = at + 1, run + 1
    end
    put_run(out, bits, run)
  end
end

local function sixel(bytes, width, height)
  local number, colours, count = index_colours(bytes, width * height, width)
  local out = { sformat('\27P0;1;0q"1;1;%d;%d', width, height) }
  for k = 0, count - 1 do
    local r, g, b = colours[k][1], colours[k][2], colours[k][3]
    out[#out + 1] = sformat("#%d;2;%d;%d;%d", k, floor(r / 2.55 + 0.5), floor(g / 2.55 + 0.5), floor(b / 2.55 + 0.5))
  end
  for top = 0, height - 1, 6 do
    put_band(out, number, width, height, top)
    out[#out + 1] = "-"
  end
  out[#out + 1] = "\27\\\n"
  return concat(out)
end

-- ==== The function ================================================================================================

local PIXELS = { blocks = 1, braille = 2, sixel = 10 }  -- of a column; of sixels where the terminal does not say it

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "image.show"

  --- The picture as RGBA in uint8.
  local function colours_of(image, colormap, least, most, bad)
    if not is_array(image) or image.size == 0 or (image.ndim ~= 2 and image.ndim ~= 3) then
      fail(NAME, sformat("image is %s; wanted (height, width), or an image of uint8", core.describe(image)))
    end
    local plain = colormap == nil and least == nil and most == nil and bad == nil
    if image.ndim == 2 and plain and (image.dtype == "uint8" or image.dtype == "bool") then
      if image.dtype == "bool" then image = image:astype("uint8") * 255 end
      image = ma.expand_dims(image, 3)
    elseif image.ndim == 3 and image.dtype == "uint16" then
      image = ma.rint(image / 257):astype("uint8")
    end
    return ma.image.to_rgba8(image, { colormap = colormap, min = least, max = most, bad = bad })
  end

  local function choose(what, value, kinds)
    if kinds[value] then return value end
    fail(NAME, sformat("%s is %s; wanted %s", what, type(value) == "string" and sformat("%q", value)
      or type(value) == "number" and tostring(value) or core.describe(value), kinds.text))
  end

  --- How wide the terminal is: columns, and pixels of one.
  local function find_width(file, mode)
    local here, pixels = core.terminal(file)
    local said = tonumber(os.getenv "COLUMNS")
    if said and said >= 1 and said == floor(said) and said < 1e6 then return said, PIXELS[mode] end
    if mode == "sixel" and here and pixels > here then return here, floor(pixels / here) end
    return here or 80, PIXELS[mode]
  end

  --> image.show: #ma.image.show(ma.zeros({4, 2}, "uint8"), {mode = "braille", text = true}) > 0
  def("image.show(image: array; mode?: string, columns?: integer, colors?: integer, colormap?: string, min?: number, "
    .. "max?: number, bad?: number[], smooth?: boolean, threshold?: number, invert?: boolean, file?: string|file*, "
    .. "text?: boolean) -> string?",
    "Prints a picture in a terminal, as wide as this at most. `image` is as for ma.image.to_rgba8, with the same "
    .. "colormap, min, max and bad; (height, width) of uint8 or bool is grey. mode is \"blocks\" (two pixels a "
    .. "character), \"braille\" (eight dots a character, without colours) or \"sixel\" (every pixel); without it TERM "
    .. "decides. colors is 2^24 or 256 for blocks; without it COLORTERM decides. columns is a width in characters, to "
    .. "which a small picture grows too. smooth is as for ma.image.resize. Braille dots stand where a dither of the "
    .. "light says so, or where the light, from 0 to 1, is more than threshold; with invert where it is dark. file is "
    .. "an open file in place of io.stdout. With text = true the text is returned and not printed.",
    function(image, mode, columns, colors, colormap, least, most, bad, smooth, threshold, invert, file, text)
      mode = choose("mode", mode or find_mode(os.getenv),
        { blocks = true, braille = true, sixel = true, text = '"blocks", "braille" or "sixel"' })
      colors = choose("colors", colors or find_colors(os.getenv),
        { [256] = true, [2 ^ 24] = true, text = "256 or 2^24" })
      if threshold ~= nil then common.number(NAME, "threshold", threshold) end
      file = file == nil and io.stdout or file
      if io.type(file) ~= "file" then fail(NAME, sformat("file is %s; wanted an open file", core.describe(file))) end
      local room, cell = find_width(file, mode)
      if columns ~= nil then room = common.whole(NAME, "columns", columns, 1, 100000) end
      local rgba = colours_of(image, colormap, least, most, bad)
      local height, width = rgba:dims()
      local wanted = columns and room * cell or min(width, room * cell)
      if wanted ~= width then
        if smooth == nil then smooth = wanted < width end
        height = max(1, floor(height * wanted / width + 0.5))
        width = wanted
        rgba = ma.image.resize(rgba, { height, width }, { smooth = smooth })
      end
      local bytes = rgba:get():tobytes()
      local out
      if mode == "blocks" then out = blocks(bytes, width, height, colors)
      elseif mode == "braille" then out = braille(bytes, width, height, threshold, invert)
      else out = sixel(bytes, width, height) end
      if text then return out end
      common.put(NAME, file, out)
    end)
end
