-- ma.image.show: a picture in a terminal.

local helper = require "spec.helper"
local ma = helper.ma
local show = ma.image.show

local LUA = os.getenv("LUAJIT") or "luajit"

--- Lines of a text, each of which ends.
local function lines_of(text)
  local lines = {}
  for line in text:gmatch("(.-)\n") do lines[#lines + 1] = line end
  return lines
end

--- RGBA of each pixel that half blocks show; a pixel in the terminal's own colour is {0, 0, 0, 0}. `base` is "2" for
--- numbers of colours, "5" for places in a palette, which then stand for red.
local function read_blocks(text, base)
  local rows = {}
  for _, line in ipairs(lines_of(text)) do
    local top, bottom, front, back, at = {}, {}, nil, nil, 1
    local none = { 0, 0, 0, 0 }
    while at <= #line do
      local code, after = line:match("^\27%[([%d;]*)m()", at)
      if code then
        local layer, kind, rest = code:match("^([34])8;(%d);(.*)$")
        if layer then
          assert.equal(base, kind)
          local r, g, b = rest:match("^(%d+);?(%d*);?(%d*)$")
          local colour = { tonumber(r), tonumber(g) or 0, tonumber(b) or 0, 255 }
          if layer == "3" then front = colour else back = colour end
        elseif code == "49" then back = nil
        else
          assert.equal("0", code)
          front, back = nil, nil
        end
        at = after
      elseif line:sub(at, at) == " " then
        top[#top + 1], bottom[#bottom + 1], at = back or none, back or none, at + 1
      else
        local glyph = line:sub(at, at + 2)
        assert(glyph == "▀" or glyph == "▄", glyph)
        local upper, lower = front, back
        if glyph == "▄" then upper, lower = back, front end
        top[#top + 1], bottom[#bottom + 1] = upper or none, lower or none
        at = at + 3
      end
    end
    assert(front == nil and back == nil, "a line leaves its colours on")
    rows[#rows + 1], rows[#rows + 2] = top, bottom
  end
  return rows
end

--- RGB of each pixel of a sixel image, from 0 to 100; nil where nothing is drawn.
local function read_sixel(text)
  local width, height, body = text:match('^\27P0;1;0q"1;1;(%d+);(%d+)(.*)\27\\\n$')
  width, height = tonumber(width), tonumber(height)
  local rows, colours, top, x, colour = {}, {}, 1, 1, nil
  for y = 1, height do rows[y] = {} end
  local at = 1
  while at <= #body do
    local k, r, g, b, after = body:match("^#(%d+);2;(%d+);(%d+);(%d+)()", at)
    if k then
      colours[k], at = { tonumber(r), tonumber(g), tonumber(b) }, after
    elseif body:find("^#%d", at) then
      k, at = body:match("^#(%d+)()", at)
      colour = assert(colours[k])
    elseif body:sub(at, at) == "$" then
      x, at = 1, at + 1
    elseif body:sub(at, at) == "-" then
      x, top, at = 1, top + 6, at + 1
    else
      local n, c, next_at = body:match("^!(%d+)(.)()", at)
      if not n then n, c, next_at = 1, body:sub(at, at), at + 1 end
      local bits = c:byte() - 63
      assert(bits >= 0 and bits < 64, c)
      for column = x, x + n - 1 do
        for j = 0, 5 do
          if math.floor(bits / 2 ^ j) % 2 == 1 then
            assert(top + j <= height and column <= width, "a dot beyond the picture")
            rows[top + j][column] = colour
          end
        end
      end
      x, at = x + n, next_at
    end
  end
  return rows, width, height
end

describe("half blocks", function()
  it("show two pixels a character, each in its colour", function()
    local a = ma.random.randint(0, 256, { 7, 5, 3 }):astype("uint8")
    local rows = read_blocks(show(a, { mode = "blocks", colors = 2 ^ 24, text = true }), "2")
    assert.equal(8, #rows)
    for y, row in ipairs(a:totable()) do
      for x, rgb in ipairs(row) do assert.same({ rgb[1], rgb[2], rgb[3], 255 }, rows[y][x]) end
    end
    for x = 1, 5 do assert.same({ 0, 0, 0, 0 }, rows[8][x]) end            -- below the picture
  end)

  it("leave what is transparent in the terminal's colour", function()
    local solid, glass = { 9, 8, 7, 255 }, { 1, 2, 3, 0 }
    local a = ma.array({ { solid, glass, solid, glass }, { solid, solid, glass, glass } }, "uint8")
    local rows = read_blocks(show(a, { mode = "blocks", colors = 2 ^ 24, text = true }), "2")
    local none = { 0, 0, 0, 0 }
    assert.same({ { solid, none, solid, none }, { solid, solid, none, none } }, rows)
    assert.equal("  \n", show(ma.zeros({ 2, 2, 4 }, "uint8"), { mode = "blocks", text = true }))
  end)

  it("say a colour once, and only where it changes", function()
    local text = show(ma.full({ 4, 10 }, 255, "uint8"), { mode = "blocks", colors = 2 ^ 24, text = true })
    local line = "\27[48;2;255;255;255m\27[38;2;255;255;255m" .. ("▀"):rep(10) .. "\27[0m\n"
    assert.equal(line .. line, text)
  end)

  it("take the nearest of 256 colours", function()
    local levels = { 0, 95, 135, 175, 215, 255 }
    local function distance(number, r, g, b)
      local i = number - 16
      local c = number >= 232 and { 8 + 10 * (number - 232), 8 + 10 * (number - 232), 8 + 10 * (number - 232) }
        or { levels[math.floor(i / 36) + 1], levels[math.floor(i / 6) % 6 + 1], levels[i % 6 + 1] }
      return (c[1] - r) ^ 2 + (c[2] - g) ^ 2 + (c[3] - b) ^ 2
    end
    local a = ma.random.randint(0, 256, { 2, 60, 3 }):astype("uint8")
    a[{ 1, { 1, 30 }, {} }] = ma.random.randint(0, 256, { 30, 1 })               -- greys too
    local rows = read_blocks(show(a, { mode = "blocks", colors = 256, columns = 60, text = true }), "5")
    for y, row in ipairs(a:totable()) do
      for x, rgb in ipairs(row) do
        local number, best = rows[y][x][1], math.huge
        assert(number >= 16 and number <= 255)
        for k = 16, 255 do best = math.min(best, distance(k, rgb[1], rgb[2], rgb[3])) end
        assert.equal(best, distance(number, rgb[1], rgb[2], rgb[3]))
      end
    end
  end)
end)

describe("braille", function()
  it("has eight dots a character", function()
    for row = 1, 4 do
      for column = 1, 2 do
        local a = ma.zeros({ 4, 2 }, "bool")
        a[{ row, column }] = true
        local bit = ({ { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } })[row][column]
        assert.equal(string.char(226, 160 + math.floor(bit / 64), 128 + bit % 64) .. "\n",
          show(a, { mode = "braille", text = true }))
      end
    end
    assert.equal("⣿⡇\n⠉⠁\n", show(ma.ones({ 5, 3 }, "bool"), { mode = "braille", text = true }))
    assert.equal("⠀\n", show(ma.ones({ 4, 2 }, "bool"), { mode = "braille", invert = true, text = true }))
  end)

  it("lights as many dots as the picture is light", function()
    local function count(text)
      local n = 0
      for high, low in text:gmatch("\226([\160-\163])([\128-\191])") do
        local bits = (high:byte() - 160) * 64 + low:byte() - 128
        while bits > 0 do n, bits = n + bits % 2, math.floor(bits / 2) end
      end
      return n
    end
    for _, level in ipairs { 0, 64, 128, 191, 255 } do
      local text = show(ma.full({ 16, 16 }, level, "uint8"), { mode = "braille", text = true })
      assert(math.abs(count(text) - level / 255 * 256) <= 16, level .. ": " .. count(text))
    end
    local half = ma.array({ { 100, 150 } }, "uint8")
    assert.equal(1, count(show(half, { mode = "braille", threshold = 0.5, text = true })))
    assert.equal(0, count(show(half, { mode = "braille", threshold = 0.6, text = true })))
  end)
end)

describe("sixels", function()
  it("show every pixel in its colour, up to 256 of them", function()
    local a = ma.random.randint(0, 256, { 13, 17, 3 }):astype("uint8")
    a["3:8, 4:9, :"] = 200
    local rows, width, height = read_sixel(show(a, { mode = "sixel", text = true }))
    assert.same({ 13, 17 }, { height, width })
    for y, row in ipairs(a:totable()) do
      for x, rgb in ipairs(row) do
        for c = 1, 3 do assert.equal(math.floor(rgb[c] / 2.55 + 0.5), rows[y][x][c]) end
      end
    end
  end)

  it("mix those of a picture with more", function()
    local x, y = ma.linspace(0, 255, 64):reshape(1, 64), ma.linspace(0, 255, 48):reshape(48, 1)
    local a = ma.stack({ x + 0 * y, 0 * x + y, 255 - x + 0 * y }, 3):astype("uint8")
    local rows = read_sixel(show(a, { mode = "sixel", text = true }))
    local sums, means = { 0, 0, 0 }, a:astype("float64"):mean({ 1, 2 }):totable()
    for _, row in ipairs(rows) do
      for column = 1, 64 do
        for c = 1, 3 do sums[c] = sums[c] + row[column][c] end
      end
    end
    for c = 1, 3 do assert(math.abs(sums[c] / (48 * 64) - means[c] / 2.55) < 3, sums[c] / (48 * 64)) end
    local corner = rows[1][1]
    assert(corner[1] <= 20 and corner[2] <= 20 and corner[3] >= 80)
  end)

  it("draw nothing where it is transparent", function()
    local a = ma.array({ { { 255, 0, 0, 255 }, { 0, 255, 0, 0 }, { 255, 0, 0, 255 } } }, "uint8")
    assert.same({ { { 100, 0, 0 }, nil, { 100, 0, 0 } } }, (read_sixel(show(a, { mode = "sixel", text = true }))))
  end)
end)

describe("a picture in a terminal", function()
  it("is as wide as that at most, and keeps its form", function()
    local a = ma.zeros({ 100, 400 }, "uint8")
    for mode, pixels in pairs { blocks = 1, braille = 2 } do
      local lines = lines_of(show(a, { mode = mode, columns = 40, text = true }))
      assert.equal(math.ceil(100 / 400 * 40 * pixels / (2 * pixels)), #lines)
    end
    local _, width, height = read_sixel(show(a, { mode = "sixel", columns = 20, text = true }))
    assert.same({ 200, 50 }, { width, height })
    local grown = read_blocks(show(ma.array({ { 0, 255 } }, "uint8"),
      { mode = "blocks", colors = 2 ^ 24, columns = 4, text = true }), "2")
    local black, white = { 0, 0, 0, 255 }, { 255, 255, 255, 255 }
    assert.same({ { black, black, white, white }, { black, black, white, white } }, grown)
  end)

  it("has the colours of numbers", function()
    local a = ma.array { { 0, 1 }, { 2, ma.nan } }
    local rows = read_blocks(show(a, { mode = "blocks", colors = 2 ^ 24, colormap = "grey", text = true }), "2")
    assert.same({ { { 0, 0, 0, 255 }, { 128, 128, 128, 255 } }, { { 255, 255, 255, 255 }, { 0, 0, 0, 0 } } }, rows)
    rows = read_blocks(show(ma.full({ 2, 1, 3 }, 65535, "uint16"),
      { mode = "blocks", colors = 2 ^ 24, text = true }), "2")
    assert.same({ { { 255, 255, 255, 255 } }, { { 255, 255, 255, 255 } } }, rows)
  end)

  it("is drawn as the environment says, and asks the terminal nothing", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write([[
      local ma = require "moonarray"
      local env, getenv = {}, os.getenv
      os.getenv = function(name) return env[name] end
      io.read, io.stdin = nil, nil
      local function kind(columns, variables)
        env = variables
        env.COLUMNS = columns
        local text = ma.image.show(ma.zeros({ 1, 200 }, "float32"), { text = true })
        local way = text:find("^\27P") and "sixel" or text:find("8;2;") and "true" or text:find("8;5;") and "256"
          or "braille"
        local _, n = text:gsub("[\226][\150\160-\163][\128-\191]", "")
        return way .. n
      end
      print(kind("30", { TERM = "xterm-256color", COLORTERM = "truecolor" }), kind("x", { TERM = "xterm" }),
        kind("10", { TERM = "dumb" }), kind(nil, { TERM = "xterm", NO_COLOR = "1" }), kind(nil, { TERM = "foot" }),
        kind(nil, { TERM = "xterm-direct" }), kind(nil, {}))
      os.getenv = getenv
      ma.image.show(ma.zeros({ 2, 3, 4 }, "uint8"), { mode = "blocks" })
      ma.image.show(ma.zeros({ 2, 2, 4 }, "uint8"), { mode = "blocks", file = io.stderr })
    ]])
    file:close()
    local pipe = assert(io.popen(("MOONARRAY_DEVICE=cpu '%s' '%s' 2>&1 >'%s.out' </dev/null; cat '%s.out'")
      :format(LUA, script, script, script)))
    local text = pipe:read("*a")
    pipe:close()
    os.remove(script)
    os.remove(script .. ".out")
    assert.equal("  \n" .. "true30\t25680\tbraille10\tbraille80\tsixel0\ttrue80\t25680\n" .. "   \n", text)
  end)

  it("refuses what is no picture, and options that it does not know", function()
    local a = ma.zeros({ 2, 2 }, "uint8")
    assert.matches("moonarray.image.show: image is ", helper.fails(show, ma.zeros(3)))
    assert.matches("moonarray.image.show: image is ", helper.fails(show, ma.zeros({ 0, 3 })))
    assert.matches("moonarray.image.show: image is ", helper.fails(show, { { 1 } }))
    assert.matches('mode is "ascii"; wanted "blocks", "braille" or "sixel"', helper.fails(show, a, { mode = "ascii" }))
    assert.matches("colors is 16; wanted 256 or 2%^24", helper.fails(show, a, { colors = 16 }))
    assert.matches("columns is 0; wanted a whole number from 1 on", helper.fails(show, a, { columns = 0 }))
    assert.matches("file is the string 'x'; wanted an open file", helper.fails(show, a, { file = "x" }))
    assert.matches("threshold is ", helper.fails(show, a, { threshold = "x" }))
  end)
end)
