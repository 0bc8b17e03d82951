-- ma.plot: bars, histograms and pictures in pixels, figures as SVG and as text, several axes, the calls that do all.

local helper = require "spec.helper"
local LUA = os.getenv("LUAJIT") or "luajit"
local ma = helper.ma

local function bare(width, height)
  return ma.plot.figure { width = width or 100, height = height or 100 }:axis "off"
end

local function colour_at(image, x, y)
  local rgb = image[{ y + 1, x + 1 }]:totable()
  return ("%d %d %d"):format(rgb[1], rgb[2], rgb[3])
end

local function limits(fig)
  fig:to_image()
  local axes = fig[1].axes[1]
  return { axes.x.lo, axes.x.hi, axes.y.lo, axes.y.hi }
end

local WHITE, RED, BLUE = "255 255 255", "255 0 0", "0 0 255"

describe("bars", function()
  it("stand on 0, or on each other", function()
    local fig = bare():bar({ 1, 2 }, { 2, 4 }, 1, { color = "red" })
    fig:bar({ 1, 2 }, { 2, 4 }, 1, { 2, 4 }, { color = "blue" })
    local image = fig:xlim(0.5, 2.5):ylim(0, 8):to_image()
    assert.same({ RED, RED, BLUE, BLUE, WHITE }, { colour_at(image, 12, 88), colour_at(image, 48, 72),
      colour_at(image, 12, 68), colour_at(image, 48, 52), colour_at(image, 12, 48) })
    assert.same({ RED, BLUE, BLUE }, { colour_at(image, 52, 51), colour_at(image, 52, 48), colour_at(image, 88, 11) })
    assert.same({ 0.5, 2.5, 0, 4.2 }, limits(bare():bar({ 1, 2 }, { 2, 4 }, 1):xlim(0.5, 2.5)))
    assert.same({ -4.2, 0 }, { unpack(limits(bare():bar({ 1, 2 }, { -2, -4 })), 3) })
  end)

  it("lie along the y axis too, and have names", function()
    local fig = bare():barh({ "a", "b" }, { 1, 2 }, 1, { color = "red" }):xlim(0, 2):ylim(0.5, 2.5)
    local image = fig:to_image()
    assert.same({ RED, WHITE, RED }, { colour_at(image, 45, 70), colour_at(image, 55, 70), colour_at(image, 85, 30) })
    assert.same({ "a", "b" }, fig[1].axes[1].found.y.labels)
    fig:barh({ "b", "c" }, { 1, 1 }):ylim():to_image()
    assert.same({ "a", "b", "c" }, fig[1].axes[1].found.y.labels)
  end)

  it("show how many values are in each bin", function()
    local values = ma.array { 0, 0.5, 1.5, 1.5, 1.5, 3.5, ma.nan, ma.inf }
    local fig = bare():hist(values, { 0, 1, 2, 3, 4 }, { color = "red" })
    assert.same({ { 0, 1, 2, 3 }, { 2, 3, 0, 1 } }, { fig[1].axes[1].artists[1].from, fig[1].axes[1].artists[1].top })
    local density = bare():hist({ 0, 1, 1, 1 }, 2, { density = true })[1].axes[1].artists[1].top
    assert.same({ 0.5, 1.5 }, density)
    assert.same({ 1, 1 }, bare():hist({ 0, 1, ma.inf, ma.nan }, 2)[1].axes[1].artists[1].top)
    assert.same({ 0, 0 }, bare():hist({}, 2)[1].axes[1].artists[1].top)
  end)
end)

describe("pictures", function()
  it("have their first row on top, and a colour for each element", function()
    local a = ma.array { { 0, 1 }, { 0.5, ma.nan } }
    local image = bare():imshow(a, { colormap = "grey" }):to_image()
    assert.same({ "0 0 0", WHITE, "128 128 128", WHITE }, { colour_at(image, 20, 20), colour_at(image, 80, 20),
      colour_at(image, 20, 80), colour_at(image, 80, 80) })
    image = bare():imshow(a, { colormap = "grey", origin = "lower" }):to_image()
    assert.same({ "128 128 128", "0 0 0" }, { colour_at(image, 20, 20), colour_at(image, 20, 80) })
    assert.same({ 0.5, 2.5, 0.5, 2.5 }, limits(bare():imshow(a)))
    assert.same({ -1, 3, 0, 9 }, limits(bare():imshow(a, { extent = { -1, 3, 0, 9 } })))
    local clipped = bare():imshow(a, { colormap = "grey", min = 0.5, max = 1 }):to_image()
    assert.equal("0 0 0", colour_at(clipped, 20, 80))
  end)

  it("keep squares square, and larger ones are averaged", function()
    local image = bare(200, 100):imshow(ma.zeros({ 2, 2 }), { colormap = "grey" }):to_image()
    assert.same({ WHITE, "0 0 0", WHITE }, { colour_at(image, 55, 50), colour_at(image, 65, 50),
      colour_at(image, 145, 50) })
    local checks = (ma.arange(800):reshape(1, 800) + ma.arange(800):reshape(800, 1)) % 2
    image = bare():imshow(checks, { colormap = "grey" }):to_image()
    assert.equal("128 128 128", colour_at(image, 50, 50))
  end)

  it("of uint8 and of floats are shown as they are", function()
    local rgb = ma.array({ { { 255, 0, 0 }, { 0, 0, 255 } } }, "uint8")
    for _, a in ipairs { rgb, rgb:astype("float32") / 255 } do
      local image = bare():imshow(a, { aspect = "auto" }):to_image()
      assert.same({ RED, BLUE }, { colour_at(image, 20, 50), colour_at(image, 80, 50) })
    end
  end)

  it("have a colour bar whose ends are theirs", function()
    local fig = ma.plot.figure():imshow({ { 3, 7 } }):colorbar "height"
    assert.matches(">3.0<.*>7.0<", (fig:to_svg():gsub("%s", "")))
    assert.matches(">height<", fig:to_svg())
    assert.matches("nothing has colours", helper.fails(ma.plot.figure().colorbar, ma.plot.figure()))
  end)
end)

describe("a figure as SVG", function()
  it("has its text as text, and what is drawn as shapes", function()
    local svg = ma.plot.figure { width = 300, height = 200 }
      :plot({ 0, 1, ma.nan, 2 }, { 0, 1, 1, 3 }, { label = "a < b & c" }):scatter({ 1 }, { 2 }, { color = "red" })
      :bar({ 1 }, { 2 }):title "Titel µ":ylabel "up":legend():to_svg()
    assert.matches('^<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200" viewBox="0 0 300 200"', svg)
    assert.matches("</svg>\n$", svg)
    for _, text in ipairs { ">a &lt; b &amp; c</text>", ">Titel µ</text>", ">up</text>", ">0.5</text>", "rotate(-90 ",
      '<circle cx="', 'fill="#ff0000"', 'stroke="#1f77b4"', '<clipPath id="c1">' } do
      assert(svg:find(text, 1, true), text)
    end
    local path = svg:match('<path d="(M[^"]*)" fill="none" stroke="#1f77b4"')
    assert.equal(2, select(2, path:gsub("M", "")), path)          -- the gap at NaN
    local opened, closed = select(2, svg:gsub("<g ", "")), select(2, svg:gsub("</g>", ""))
    assert.equal(opened, closed)
    assert(not svg:find("nan") and not svg:find("inf"))
  end)

  it("is well-formed whatever the labels are", function()
    local svg = ma.plot.figure():title "a\255\27\nb\195":to_svg()
    assert.matches(">a  b</text>", svg)
    assert(not svg:find("[%z\1-\9\11-\31\255]"))
  end)

  it("has pictures as PNG in it", function()
    local svg = ma.plot.figure():imshow(ma.arange(12):reshape(3, 4), { colormap = "grey" }):to_svg()
    local text = svg:match('base64,([^"]+)"')
    local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    local bits, bytes = 0, {}
    local count = 0
    for letter in text:gmatch("[%w+/]") do
      bits, count = bits * 64 + letters:find(letter, 1, true) - 1, count + 6
      if count >= 8 then
        count = count - 8
        bytes[#bytes + 1] = string.char(math.floor(bits / 2 ^ count))
        bits = bits % 2 ^ count
      end
    end
    local image = ma.image.decode(table.concat(bytes))
    assert.same({ 0, 0, 0, 255 }, image[{ 1, 1 }]:totable())
    assert.same({ 255, 255, 255, 255 }, image[{ -1, -1 }]:totable())
  end)
end)

describe("a figure as text", function()
  it("shows lines in braille, blocks or plain letters", function()
    local fig = ma.plot.figure():plot({ 0, 4 }, { 0, 4 }):title "up":xlabel "x":ylabel "y"
    assert.equal(table.concat({
      "         up",
      "y",
      "4┤             ⢀⠤⠂",
      " │           ⡠⠒⠁",
      " │        ⡠⠔⠉",
      "2┤     ⣀⠔⠊",
      " │  ⢀⠤⠊",
      "0┤⠠⠒⠁",
      " └┬───┬───┬──┬───┬",
      "  0   1   2  3   4",
      "          x" }, "\n"), (fig:to_text { columns = 18, rows = 11 }:gsub("\n$", "")))
    local ascii = fig:to_text { columns = 18, rows = 11, style = "ascii" }
    assert.matches("4|.*%*", (ascii:gsub("%+", "|")))
    assert(not ascii:find("[\128-\255]"))
    assert.matches("▞", fig:to_text { columns = 18, rows = 11, style = "blocks" })
    assert(not fig:to_text():find("\27", 1, true))
    assert.matches("\27%[38;2;31;119;180m", fig:to_text { color = true })
  end)

  it("has rows and columns as asked, also of several axes", function()
    local fig = ma.plot.subplots(2, 2)
    for place = 1, 4 do fig:subplot(2, 2, place):plot({ 1, 2, 3 }, { 3, 1, place }) end
    local text, rows = fig:to_text { columns = 60, rows = 20 }, 0
    for line in text:gmatch("(.-)\n") do
      rows = rows + 1
      local width = select(2, line:gsub("[^\128-\191]", ""))
      assert(width <= 60, width .. " columns")
    end
    assert(rows > 15 and rows <= 20, rows .. " rows")
    assert.equal(4, select(2, text:gsub("└", "")))
  end)

  it("shows pictures by shades, or by colours", function()
    local fig = ma.plot.figure():imshow({ { 0, 1 } }, { colormap = "grey", aspect = "auto" })
    assert.matches("█████", fig:to_text { columns = 13, rows = 6 })
    local coloured = fig:to_text { columns = 13, rows = 6, color = true }
    assert.matches("\27%[38;2;255;255;255m\27%[48;2;255;255;255m▀", coloured)
  end)

  it("keeps pictures within the axes", function()
    local fig = ma.plot.figure():imshow(ma.ones { 40, 40 }, { aspect = "auto", colormap = "grey", min = 0, max = 1 })
    local framed = 0
    for line in fig:xlim(10, 12):ylim(12, 10):to_text({ columns = 30, rows = 10 }):gmatch("(.-)\n") do
      local at = line:find("┤", 1, true) or line:find("│", 1, true)
      if at and not line:find("┬", 1, true) then
        framed = framed + 1
        assert(not line:sub(1, at - 1):find("█", 1, true), line)
        assert(line:find("█", at, true), line)
      end
    end
    assert.equal(8, framed)
  end)

  it("is printed by show", function()
    local before, printed = print, {}
    rawset(_G, "print", function(text) printed[#printed + 1] = text end)
    local ok, why = pcall(function() ma.plot.figure():plot({ 1, 2 }):show { columns = 30, rows = 8, color = false } end)
    rawset(_G, "print", before)
    assert(ok, why)
    assert.matches("└", printed[1])
  end)
end)

describe("labels", function()
  --- Left and top of the legend's panel.
  local function panel_of(fig)
    local x, y = fig:to_svg():match('<rect x="([%d.]+)" y="([%d.]+)"[^>]*fill="#ffffff" fill%-opacity="0.85"')
    return tonumber(x), tonumber(y)
  end

  it("of a legend stand where the fewest points are, or as asked", function()
    local fig = ma.plot.figure { width = 400, height = 300 }:plot({ 0, 0.9, 1 }, { 0, 0, 1 }, { label = "a" }):legend()
    local x, y = panel_of(fig)
    assert(x < 200 and y < 150, "upper left")
    x, y = panel_of(fig:legend "lower right")
    assert(x > 200 and y > 150, "lower right")
    assert.equal(nil, (panel_of(ma.plot.figure():plot({ 1, 2 }):legend())))        -- nothing to show
  end)

  it("of bars are turned where they would touch", function()
    local function turned(names)
      local values = {}
      for k = 1, #names do values[k] = k end
      local svg = ma.plot.figure { width = 300, height = 200 }:bar(names, values):to_svg()
      return select(2, svg:gsub("rotate%(%-90", ""))
    end
    assert.equal(0, turned { "a", "b", "c", "d" })
    assert.equal(4, turned { "a long name", "another one", "and a third", "the last" })
  end)

  it("of ticks are those that were given", function()
    local fig = ma.plot.figure():plot({ 1, 2, 3 }):xticks({ 1, 2.5, 9 }, { "one", "more", "outside" }):yticks({})
    local svg = fig:to_svg()
    assert(svg:find(">one<", 1, true) and svg:find(">more<", 1, true) and not svg:find(">outside<", 1, true))
    assert.equal(2, select(2, svg:gsub("<text", "")))
  end)
end)

describe("several axes", function()
  it("lie in a grid, with their insides in line", function()
    local fig, axes = ma.plot.subplots(2, 2, { width = 400, height = 300 })
    axes[1][1]:plot({ 0, 1 }, { 0, 100000 })
    axes[2][1]:plot({ 0, 1 }, { 0, 1 })
    axes[2][2]:title "a":xlabel "b"
    fig:suptitle "all"
    fig:to_image()
    local list = fig[1].axes
    assert.equal(4, #list)
    assert.equal(list[1].x.at, list[3].x.at)
    assert.equal(list[2].x.at, list[4].x.at)
    assert.equal(list[3].y.at, list[4].y.at)
    assert(list[2].x.at > list[1].x.at + 100)
    assert.equal(fig:subplot(2, 2, 3):plot({ 1 }, { 1 })[1], list[3])
  end)

  it("may take several places", function()
    local fig = ma.plot.figure { width = 400, height = 300 }
    fig:subplot(2, 2, { 1, 2 })
    fig:subplot(2, 2, 3)
    fig:to_image()
    local wide, narrow = fig[1].axes[1], fig[1].axes[2]
    local function width(axes) return axes.x.factor * (axes.x.hi - axes.x.lo) end
    assert(width(wide) > 2 * width(narrow))
  end)

  it("are a list where the grid is one row or column", function()
    local _, row = ma.plot.subplots(1, 3)
    local _, column = ma.plot.subplots(2, 1)
    local _, single = ma.plot.subplots()
    assert.same({ 3, 2, "axes with 0 drawn" }, { #row, #column, tostring(single) })
  end)
end)

describe("without the FFI", function()
  it("the same bytes are drawn", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write([[
      if arg[1] == "without" then
        package.loaded.ffi = nil
        package.preload.ffi = function() error "no ffi" end
      end
      local ma = require "moonarray"
      local fig = ma.plot.figure { width = 160, height = 120 }
      fig:plot({ 1, 3, 2 }, { label = "a" }):legend():title "T":imshow { { 1, 2 }, { 3, 4 } }
      io.write(ma.image.encode(fig:to_image(), "ppm"))
    ]])
    file:close()
    local results = {}
    for k, how in ipairs { "with", "without" } do
      local pipe = io.popen(("MOONARRAY_DEVICE=cpu '" .. LUA .. "' %s %s 2>&1"):format(path, how))
      results[k] = pipe:read("*a")
      pipe:close()
    end
    os.remove(path)
    assert.equal("P6\n160 120\n255\n", results[1]:sub(1, 15))
    assert(results[1] == results[2], "other pixels")
  end)
end)

describe("one call", function()
  it("makes a figure, and saves it as what its name says", function()
    local base = os.tmpname()
    for _, ending in ipairs { "png", "svg", "txt", "ppm", "bmp" } do
      local path = base .. "." .. ending
      local fig = ma.plot.line({ 1, 2 }, { 3, 4 }, { title = "T", xlim = { 0, 5 }, legend = true, label = "l",
        grid = true, width = 120, height = 90, path = path })
      assert.same({ 0, 5 }, { unpack(limits(fig), 1, 2) })
      if ending == "svg" then
        local file = assert(io.open(path, "rb"))
        assert.equal(fig:to_svg(), file:read("*a"))
        file:close()
      elseif ending ~= "txt" then
        assert(ma.array_equal(fig:to_image(), ma.image.read(path):get()), ending)
      end
      os.remove(path)
    end
    os.remove(base)
    assert.equal(1, #ma.plot.scatter({ 1 }, { 1 })[1].axes[1].artists)
    assert.equal(1, #ma.plot.bar({ 1 }, { 1 }, { xlabel = "a" })[1].axes[1].artists)
    assert.equal(1, #ma.plot.hist({ 1, 2 })[1].axes[1].artists)
    assert(ma.plot.heatmap({ { 1, 2 } })[1].axes[1].colorbar)
  end)
end)

describe("wrong input", function()
  it("gets an error that says what was found and wanted", function()
    local fig = ma.plot.figure()
    for _, row in ipairs {
      { "height has 3 elements; wanted 2", function() fig:bar({ 1, 2 }, { 1, 2, 3 }) end },
      { 'align is the string', function() fig:bar({ 1 }, { 1 }, { align = "left" }) end },
      { "extent has 3 numbers", function() fig:imshow({ { 1 } }, { extent = { 1, 2, 3 } }) end },
      { "colormap is \"jet\"", function() fig:imshow({ { 1 } }, { colormap = "jet" }) end },
      { "picture, which needs linear axes", function() ma.plot.figure():imshow({ { 1 } }):xscale "log" end },
      { "wanted linear axes", function() ma.plot.figure():semilogy({ 1 }):imshow { { 1 } } end },
      { "wanted (height, width)", function() fig:imshow({ 1, 2 }) end },
      { "wanted one with elements", function() fig:imshow(ma.zeros { 0, 3 }) end },
      { "a number, edges, auto", function() fig:hist({ 1, 2 }, "best") end },
      { 'where is the string', function() fig:step({ 1 }, { 1 }, { where = "now" }) end },
      { 'style is "x"; wanted "braille"', function() fig:to_text { style = "x" } end },
      { "columns is 5; wanted a whole number from 10", function() fig:to_text { columns = 5 } end },
      { "no option 'tittle'", function() ma.plot.line({ 1 }, { 1 }, { tittle = "x" }) end },
      { "/nowhere/at.svg", function() fig:save "/nowhere/at.svg" end },
    } do
      local message = helper.fails(row[2])
      assert(message:find(row[1], 1, true), message .. "\n  has not: " .. row[1])
    end
  end)
end)
