-- ma.plot: figures in pixels, their ticks and limits, and what they are given. Pixels are looked at where the geometry
-- says what they are: without frame and labels, a figure of 100 x 100 whose axes go from 0 to 80 has the value v at
-- 10 + v.

local helper = require "spec.helper"
local ma = helper.ma
local ticks = require "moonarray.plot.ticks"
local font = require "moonarray.plot.font"

local function bare(options)
  local fig = ma.plot.figure(options or { width = 100, height = 100 })
  return fig:axis("off"):xlim(0, 80):ylim(0, 80)
end

--- The colour of a pixel, counted from 0, as text.
local function colour_at(image, x, y)
  local rgb = image[{ y + 1, x + 1 }]:totable()
  return ("%d %d %d"):format(rgb[1], rgb[2], rgb[3])
end

local WHITE, RED = "255 255 255", "255 0 0"

describe("ticks", function()
  it("are round numbers", function()
    for _, row in ipairs {
      { 0, 1, 9, "0.0 0.2 0.4 0.6 0.8 1.0" }, { 0, 10, 9, "0 2 4 6 8 10" }, { 0, 97, 9, "0 20 40 60 80" },
      { -1.1, 1.1, 9, "−1.00 −0.75 −0.50 −0.25 0.00 0.25 0.50 0.75 1.00" }, { 1, 2, 3, "1.0 1.5 2.0" },
      { -0.3, 0.05, 5, "−0.3 −0.2 −0.1 0.0" }, { -2000, 12345, 8, "−2000 0 2000 4000 6000 8000 10000 12000" },
      { 0, 0.7, 4, "0.0 0.2 0.4 0.6" }, { 3, 3.004, 5, "3.000 3.001 3.002 3.003 3.004" },
      { 0, 1e7, 9, "0.0 0.2 0.4 0.6 0.8 1.0 | ×10⁷" }, { 0, 3e-5, 6, "0.0 0.5 1.0 1.5 2.0 2.5 3.0 | ×10⁻⁵" },
      { 1e9, 1e9 + 10, 5, "0 2 4 6 8 10 | +1000000000" }, { 1e5, 1e5 + 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0 | +100000" },
      { -5, -5, 3, "−5" },
    } do
      local _, labels, note = ticks.linear(row[1], row[2], row[3])
      assert.equal(row[4], table.concat(labels, " ") .. (note and " | " .. note or ""))
    end
    assert.equal("5 10", table.concat(select(2, ticks.linear(0.5, 12.5, 5, true)), " "))       -- whole ones, not 2.5
    assert.same({ 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7 }, (ticks.linear(0, 0.7, 7)))      -- the doubles next to them
  end)

  it("of a logarithmic axis are powers of ten, with small ticks between them", function()
    for _, row in ipairs {
      { 1, 1000, 9, "10⁰ 10¹ 10² 10³", 24 }, { 1e-10, 1e10, 9, "10⁻⁹ 10⁻⁶ 10⁻³ 10⁰ 10³ 10⁶ 10⁹", 14 },
      { 0.5, 30, 9, "10⁰ 10¹", 15 }, { 2, 30, 9, "2 5 10 20", 10 }, { 300, 330, 6, "300 305 310 315 320 325 330", 0 },
    } do
      local _, labels, _, minor = ticks.log(row[1], row[2], row[3])
      assert.equal(row[4], table.concat(labels, " "))
      assert.equal(row[5], #minor, row[4])
    end
  end)
end)

describe("an axis between neighbouring numbers", function()
  --- Runs a function, and fails when it takes more than some hundred million instructions.
  local function in_time(fn, ...)
    local count = 0
    local run = coroutine.create(fn)
    if jit then jit.off() end
    debug.sethook(run, function()
      count = count + 1
      if count > 3000 then error("endless", 0) end
    end, "", 1e5)
    local ok, result = coroutine.resume(run, ...)
    debug.sethook(run)
    if jit then jit.on() end
    assert(ok, result)
    return result
  end

  local function narrow() return ma.plot.figure { width = 300, height = 200 } end

  it("is drawn", function()
    for _, ends in ipairs { { 1, 1 + 2 ^ -52 }, { 2 ^ 53, 2 ^ 53 + 2 }, { 0.1, 0.1 + 2 ^ -56 }, { -1 - 2 ^ -52, -1 },
      { 1e300, 1e300 * (1 + 2 ^ -52) }, { 5e-324, 1e-323 }, { -8e307, 8e307 }, { 1e-320, 1e308 } } do
      local lo, hi = ends[1], ends[2]
      local list = ma.array { lo, hi }
      local figures = {
        narrow():plot({ 0, 1 }, list):ylim(lo, hi), narrow():plot(list, { 0, 1 }):xlim(lo, hi),
        narrow():plot({ 0, 1 }, list), narrow():heatmap(ma.array { { lo, hi }, { lo, lo } }),
        narrow():scatter({ 1, 2 }, { 1, 2 }, { c = list }):colorbar(),
        narrow():imshow(ma.eye(2), { extent = { lo, hi, lo, hi } }),
      }
      if lo > 0 then
        figures[#figures + 1] = narrow():semilogy({ 1, 2 }, list)
        figures[#figures + 1] = narrow():loglog(list, list):xlim(lo, hi):ylim(lo, hi)
      end
      for _, fig in ipairs(figures) do
        assert.matches("</svg>", in_time(fig.to_svg, fig))
        assert.equal("string", type(in_time(fig.to_text, fig)))
      end
    end
  end)

  it("has different labels at different places", function()
    for _, row in ipairs {
      { 1, 1 + 2 ^ -52, 9, "1" }, { 2 ^ 53, 2 ^ 53 + 2, 9, "9.00719925474099e+15" },
      { 1, 1 + 1e-12, 3, "0.0 0.5 1.0 | ×10⁻¹² +1.00000000000" },
      { 1e-100, 1e-100 + 1e-110, 3, "0.0 0.5 1.0 | ×10⁻¹¹⁰ +1e-100" },
    } do
      local _, labels, note = ticks.linear(row[1], row[2], row[3])
      assert.equal(row[4], table.concat(labels, " ") .. (note and " | " .. note or ""))
    end
    assert.same({}, (ticks.linear(1e-36, 1.03e-36, 2, true)))          -- there is no whole number
    assert.same({ "10⁰" }, (select(2, ticks.log(1e-100, 1e40, 1))))
    assert.same({ "10³" }, (select(2, ticks.log(50, 30000, 1))))
  end)

  it("does not end the bars that are beyond it", function()
    local fig = narrow():hist({ 0, 1e300 }):xlim(-1, 1e16)
    assert.equal("string", type(in_time(fig.to_text, fig)))
  end)
end)

describe("a line", function()
  it("covers the pixels of its width and no others", function()
    local image = bare():plot({ 0, 80 }, { 40, 40 }, { color = "red", linewidth = 2 }):to_image()
    assert.same({ 100, 100, 3 }, { image:dims() })
    assert.equal("uint8", image.dtype)
    for _, x in ipairs { 10, 50, 89 } do
      assert.same({ WHITE, RED, RED, WHITE }, { colour_at(image, x, 48), colour_at(image, x, 49),
        colour_at(image, x, 50), colour_at(image, x, 51) })
    end
    assert.equal(WHITE, colour_at(image, 9, 49))           -- outside the axes
    assert.equal(2 * 80 * 510, (255 - image:astype("int64")):sum():item())
  end)

  it("covers pixels in part where it passes between them", function()
    local image = bare():plot({ 0, 80 }, { 39.5, 39.5 }, { color = "black", linewidth = 2 }):to_image()
    assert.same({ "128 128 128", "0 0 0", "128 128 128" }, { colour_at(image, 30, 49), colour_at(image, 30, 50),
      colour_at(image, 30, 51) })
    -- As much ink as the line is long and wide, in whatever direction it goes.
    local slanted = bare():plot({ 10, 70 }, { 20, 60 }, { color = "black", linewidth = 4 }):to_image()
    local ink = (255 - slanted:astype("int64")):sum():item() / 255 / 3
    local wanted = 4 * math.sqrt(60 ^ 2 + 40 ^ 2) + math.pi * 4
    assert(math.abs(ink - wanted) < 0.02 * wanted, ink .. " of " .. wanted)
  end)

  it("is the same where it lies over itself, also when it can be seen through", function()
    local once = bare():plot({ 0, 80 }, { 40, 40 }, { color = "black", linewidth = 4, alpha = 0.5 }):to_image()
    local twice = bare():plot({ 0, 80, 0, 80 }, { 40, 40, 40, 40 }, { color = "black", linewidth = 4, alpha = 0.5 })
      :to_image()
    assert.equal("128 128 128", colour_at(once, 40, 50))
    assert(ma.array_equal(once, twice))
  end)

  it("has a gap at NaN and at what is not finite", function()
    local x, y = { 0, 20, 40, 60, 80 }, { 40, 40, ma.nan, 40, 40 }
    local image = bare():plot(x, y, { color = "red", linewidth = 2 }):to_image()
    assert.same({ RED, WHITE, RED }, { colour_at(image, 20, 50), colour_at(image, 50, 50), colour_at(image, 80, 50) })
    y[3] = -ma.inf
    assert(ma.array_equal(image, bare():plot(x, y, { color = "red", linewidth = 2 }):to_image()))
  end)

  it("of many points looks as it does with all of them", function()
    local n = 20001
    local x = ma.linspace(0, 80, n)
    local image = bare():plot(x, 40 + 30 * ma.sin(x * 400), { color = "red", linewidth = 1 }):to_image()
    for _, y in ipairs { 22, 50, 78 } do assert(image(y + 1, 51, 2) < 110, "a thin line at " .. y) end
    assert.equal(WHITE, colour_at(image, 50, 15))
    local gap = ma.where(ma.logical_and(x:gt(30), x:lt(50)), ma.nan, 40)
    -- Two lines that end and begin in one column of pixels, with NaN between them, are not joined; nor does a column
    -- that begins with NaN lose its points.
    local torn = ma.where(x:lt(40.1), 10, 70):astype("float64")
    torn[10026] = ma.nan
    local image_torn = bare():plot(x, torn, { color = "red", linewidth = 2 }):to_image()
    assert.same({ RED, WHITE, RED }, { colour_at(image_torn, 30, 80), colour_at(image_torn, 50, 50),
      colour_at(image_torn, 70, 20) })
    local high = ma.where((ma.arange(n) % 125):eq(0), ma.nan, 70 - 60 * (ma.arange(n) % 125):eq(60))
    local image_high = bare():plot(x, high, { color = "red", linewidth = 1 }):to_image()
    assert(image_high(51, 51, 2) < 110, "the points behind NaN")
    local image_gap = bare():plot(x, gap, { color = "red", linewidth = 2 }):to_image()
    assert.same({ RED, WHITE, RED }, { colour_at(image_gap, 30, 50), colour_at(image_gap, 50, 50),
      colour_at(image_gap, 70, 50) })
  end)

  it("reaches far beyond the axes", function()
    for _, ends in ipairs { { -1.1e300, 1.3e300 }, { 1.7e300, -1e300 }, { -3e299, 1e300 }, { -7e17, 1e18 } } do
      local image = bare():plot(ends, { 40, 40 }, { color = "red", linewidth = 2 }):to_image()
      for _, x in ipairs { 10, 50, 89 } do assert.equal(RED, colour_at(image, x, 50)) end
    end
    local image = bare():plot({ 40, 40 }, { -1e9, 1e9 }, "r--", { linewidth = 4 }):to_image()
    local column = image[{ { 11, 90 }, 51, 2 }]:astype("float64"):totable()
    local red = 0
    for _, green in ipairs(column) do if green < 128 then red = red + 1 end end
    assert(red > 40 and red < 70, red .. " of 80 pixels in dashes")
  end)
end)

describe("dashes", function()
  it("are the same whether the line has many points or few", function()
    local function ink(x)
      local image = bare():plot(x, x, "k--", { linewidth = 3 }):to_image()
      return (255 - image:astype("int32")):sum():item() / 765 / (80 * math.sqrt(2) * 3)
    end
    local few, many = ink { 0, 80 }, ink(ma.linspace(0, 80, 333))
    assert(few > 0.65 and few < 0.75, few)                  -- 3.7 of 5.3
    assert(math.abs(many / few - 1) < 0.1, many)
  end)
end)

describe("markers", function()
  it("have their area, shape and colour", function()
    local image = bare():scatter({ 40 }, { 40 }, 20, { color = "black" }):to_image()
    local ink = (255 - image:astype("int64")):sum():item() / 255 / 3
    assert(math.abs(ink - math.pi * 100) < 4, ink)
    local square = bare():scatter({ 40 }, { 40 }, 20, { color = "#ff0000", marker = "s" }):to_image()
    assert.same({ RED, WHITE }, { colour_at(square, 42, 42), colour_at(square, 39, 39) })
    for _, marker in ipairs { "^", "v", "<", ">", "D", "d", "p", "h", "*", "+", "x", "|", "_", "." } do
      local other = bare():scatter({ 40 }, { 40 }, 20, { color = "black", marker = marker }):to_image()
      local part = (255 - other:astype("int64")):sum():item() / 255 / 3
      assert(part > 10 and part < 300, marker .. " covers " .. part)
    end
  end)

  it("have a size and a colour each", function()
    local image = bare():scatter({ 20, 60 }, { 40, 40 }, { 4, 30 }, { 0, 1 }, { colormap = "grey" }):to_image()
    assert.same({ "0 0 0", WHITE }, { colour_at(image, 30, 50), colour_at(image, 36, 50) })
    image = bare():scatter({ 20, 60 }, { 40, 40 }, 20, { 0.25, ma.nan }, { colormap = "grey", min = 0, max = 1 })
      :to_image()
    assert.same({ "64 64 64", WHITE }, { colour_at(image, 30, 50), colour_at(image, 70, 50) })
  end)
end)

describe("what is plotted", function()
  it("may be an array of any dtype and device, or a table", function()
    local wanted = bare():plot({ 0, 40, 80 }, { 0, 1, 1 }, { color = "red" }):ylim(0, 2):to_image()
    for _, dtype in ipairs { "bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64" } do
      local x, y = ma.array({ 0, 40, 80 }, "int32"), ma.array({ 0, 1, 1 }):astype(dtype)
      assert(ma.array_equal(wanted, bare():plot(x, y, { color = "red" }):ylim(0, 2):to_image()), dtype)
    end
    local strided = ma.array({ 1, 9, 1, 9, 0, 9 })["1::2"][{ { -1, 1, -1 } }]
    local image = bare():plot(ma.linspace(0, 80, 3), strided, { color = "red" }):ylim(0, 2):to_image()
    assert(ma.array_equal(wanted, image))
  end)

  it("is not changed by later writes", function()
    local y = ma.array { 40, 40 }
    local fig = bare():plot({ 0, 80 }, y, { color = "red", linewidth = 2 })
    y[{}] = 0
    assert.equal(RED, colour_at(fig:to_image(), 50, 50))
  end)

  it("may be empty, constant or without a finite value", function()
    for _, y in ipairs { {}, { 5, 5, 5 }, { 0 }, { ma.nan }, { ma.inf, -ma.inf }, { 1e-320, 2e-320 }, { -1e308, 1e308 },
      { 5, 5 + 1e-15 }, { 1e-300, 1e300 }, ma.zeros { 0 } } do
      for _, scale in ipairs { "linear", "log" } do
        local image = ma.plot.figure { width = 120, height = 90 }:plot(nil, y):scatter(y, y):yscale(scale):to_image()
        assert.same({ 90, 120, 3 }, { image:dims() })
      end
    end
  end)

  it("is drawn over its positions without x, and by columns if it is a matrix", function()
    local fig = bare():plot(ma.array { { 20, 60 }, { 20, 60 } }, nil, "-", { linewidth = 2 }):xlim(1, 2)
    local image = fig:to_image()
    assert.same({ "31 119 180", "255 127 14" }, { colour_at(image, 50, 70), colour_at(image, 50, 30) })
  end)
end)

describe("axes", function()
  it("have limits with room around the data, or those that are set", function()
    local function limits(fig)
      fig:to_image()
      local axes = fig[1].axes[1]
      return { axes.x.lo, axes.x.hi, axes.y.lo, axes.y.hi }
    end
    assert.same({ -0.5, 10.5, -1, 21 }, limits(ma.plot.figure():plot({ 0, 10 }, { 0, 20 })))
    assert.same({ 2, 10.5, -1, 7 }, limits(ma.plot.figure():plot({ 0, 10 }, { 0, 20 }):xlim(2):ylim(nil, 7)))
    assert.same({ 3, 9, 0, 1 }, limits(ma.plot.figure():xlim(9, 3):ylim { 0, 1 }))
    assert.same({ -0.05, 0.05, 4.75, 5.25 }, limits(ma.plot.figure():plot({ 0 }, { 5 })))
    assert.same({ 0, 1, 1, 10 }, limits(ma.plot.figure():semilogy({}, {}, "-")))
    local log = limits(ma.plot.figure():loglog({ 1, 100 }, { -5, 10 }))
    assert(math.abs(log[1] / 10 ^ -0.1 - 1) < 1e-12 and math.abs(log[2] / 10 ^ 2.1 - 1) < 1e-12)
  end)

  it("turn round, and are logarithmic", function()
    local image = bare():plot({ 10, 10 }, { 0, 80 }, { color = "red", linewidth = 2 }):xlim(80, 0):to_image()
    assert.same({ WHITE, RED }, { colour_at(image, 20, 50), colour_at(image, 79, 50) })
    image = bare():xlim(1, 1e4):ylim(1, 1e4):loglog({ 100, 100 }, { 1, 1e4 }, { color = "red", linewidth = 2 })
      :to_image()
    assert.same({ RED, WHITE }, { colour_at(image, 50, 50), colour_at(image, 30, 50) })
  end)

  it("have text in ink, as wide as the font says", function()
    local function ink(fig) return (255 - fig:axis("off"):to_image():astype("int64")):sum():item() end
    local function fig() return ma.plot.figure { width = 300, height = 100 } end
    assert.equal(0, ink(fig()))
    assert(ink(fig():title "x") > 1000)
    local twice = ink(fig():title "xx") / ink(fig():title "x")
    assert(math.abs(twice - 2) < 0.05, twice)
    for marked, plain in pairs { ["ä"] = "a", ["é"] = "e", ["Ö"] = "O", ["ç"] = "c", ["ñ"] = "n" } do
      assert(ink(fig():title(marked)) > ink(fig():title(plain)) + 500, marked)
      assert.equal(font.width(plain, 13), font.width(marked, 13), marked)
    end
    for character in font.characters("azAZ09.,−µπ²⁻äÖß€") do
      assert(font.width(character, 13) > 0 and ink(fig():title(character)) > 500, character)
    end
  end)
end)

describe("wrong input", function()
  it("gets an error that says what was found and wanted", function()
    local fig = ma.plot.figure()
    for _, row in ipairs {
      { "x has 2 elements and y 3", function() fig:plot({ 1, 2 }, { 1, 2, 3 }) end },
      { 'color is "blu"; wanted a name', function() fig:plot({ 1 }, { 1 }, { color = "blu" }) end },
      { "color is a table; wanted", function() fig:plot({ 1 }, { 1 }, { color = { 1, 2, 3 } }) end },
      { 'linestyle is "~"', function() fig:plot({ 1 }, { 1 }, { linestyle = "~" }) end },
      { 'format is "rz"', function() fig:plot({ 1 }, { 1 }, "rz") end },
      { 'marker is "Q"; wanted one of', function() fig:scatter({ 1 }, { 1 }, { marker = "Q" }) end },
      { "no option 'colour'", function() fig:plot({ 1 }, { 1 }, { colour = "red" }) end },
      { "y: element {1} is the string 'a'", function() fig:plot({ 1 }, { "a" }) end },
      { "complex; wanted real", function() fig:plot({ 1 }, ma.array({ ma.complex(1, 2) })) end },
      { "s has 3 elements; wanted 2", function() fig:scatter({ 1, 2 }, { 1, 2 }, { 1, 2, 3 }) end },
      { "alpha is 2; wanted 0 to 1", function() fig:plot({ 1 }, { 1 }, { alpha = 2 }) end },
      { "an end of the axis is not above 0", function() fig:xlim(0, 1):loglog({ 1 }, { 1 }) end },
      { "an end is not above 0", function() ma.plot.figure():yscale("log"):ylim(-1, 1) end },
      { "both ends are 3", function() fig:xlim(3, 3) end },
      { "lo is nan; wanted a finite number", function() fig:xlim(ma.nan, 3) end },
      { 'place is "top"; wanted "best", "upper right"', function() fig:legend "top" end },
      { "ends in no known format", function() fig:save "picture.gif" end },
      { "write fig:plot(...)", function() fig.plot({ 1 }, { 1 }) end },
      { "no attribute 'plott'; did you mean 'plot'?", function() fig:plott({ 1 }) end },
      { "wanted at most 134217728 pixels", function() ma.plot.figure { width = 20000, scale = 10 } end },
      { "width is 0; wanted a whole number", function() ma.plot.figure { width = 0 } end },
      { "place is 5; at most 4", function() fig:subplot(2, 2, 5) end },
      { "title is a table; wanted a string", function() fig:title { 1 } end },
      { "labels is a table; wanted a table of 2", function() fig:xticks({ 1, 2 }, { "a" }) end },
    } do
      local message = helper.fails(row[2])
      assert(message:find(row[1], 1, true), message .. "\n  has not: " .. row[1])
      assert(message:find("moonarray.plot", 1, true), message)
    end
  end)
end)
