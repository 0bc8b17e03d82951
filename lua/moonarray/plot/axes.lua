--- The methods of axes that draw lines and points, and those that set titles, limits, scales, ticks and legends. A
--- figure has them too: there they go to the axes that were made last.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format
local colours = require "moonarray.plot.colours"
local markers = require "moonarray.plot.markers"
local lines = require "moonarray.plot.lines"
local draw = require "moonarray.plot.draw"

return function(ma, core, add, style, data)
  local fail = core.fail

  --- The colour that was given, or the next one of the cycle.
  local function next_color(name, axes, color)
    if color ~= nil then return style.color(name, color) end
    axes.taken = axes.taken + 1
    return colours.nth(axes.taken)
  end

  local function label_of(name, label)
    if label == nil then return nil end
    return style.text(name, "label", label)
  end

  -- ==== Lines and points =============================================================================================

  --- Adds lines to axes; o: the options of plot.
  local function add_lines(name, axes, x, y, format, o)
    local xs, columns = data.pair(name, x, y)
    local given = style.format(name, format)
    local shape = style.marker(name, o.marker or given.marker)
    local labels = type(o.label) == "table" and o.label or { o.label }
    for k, ys in ipairs(columns) do
      local color, alpha = next_color(name, axes, o.color or given.color)
      local width = style.length(name, "linewidth", o.linewidth, 1.8)
      local one = {
        color = color, alpha = style.alpha(name, o.alpha or alpha), width = width,
        dash = style.dash(name, o.linestyle or given.linestyle, width), shape = shape,
        size = style.length(name, "markersize", o.markersize, 7), label = label_of(name, labels[k]),
      }
      one.stroke, one.edge_width = 1.5, 1
      axes.artists[#axes.artists + 1] = lines.line(xs, ys, one)
    end
  end

  local function set_scale(name, axes, key, scale)
    local axis = axes[key]
    if scale == "log" then
      if (axis.min and axis.min <= 0) or (axis.max and axis.max <= 0) then
        fail(name, "an end of the axis is not above 0; wanted positive numbers on a logarithmic axis")
      end
      for _, artist in ipairs(axes.artists) do
        if artist.is_picture then fail(name, "the axes have a picture, which needs linear axes") end
      end
    end
    axis.scale = scale
  end

  local LINE = "x?: data, y?: data, format?: string; color?: string, label?: string, linewidth?: number, "
    .. "linestyle?: string, marker?: string, markersize?: number, alpha?: number"
  local function line_method(text, doc, x_scale, y_scale)
    add(text, LINE, doc, function(name, axes, x, y, format, color, label, linewidth, linestyle, marker, size, alpha)
      add_lines(name, axes, x, y, format, { color = color, label = label, linewidth = linewidth, linestyle = linestyle,
        marker = marker, markersize = size, alpha = alpha })
      if x_scale then set_scale(name, axes, "x", x_scale) end
      if y_scale then set_scale(name, axes, "y", y_scale) end
    end)
  end

  --> plot.*.plot({1, 2, 3}, {1, 4, 9}, "r--o", {label = "squares"})
  line_method("plot", "Draws y over x as a line. y alone is drawn over its positions; a matrix y gives a line for each "
    .. "column. format is as in matplotlib, such as \"r--o\": a colour's letter, the line's style (- -- : -.), a "
    .. "marker. linestyle = \"none\" draws the markers alone. NaN makes a gap.")
  --> plot.*.semilogx({1, 10, 100}, {1, 2, 3})
  line_method("semilogx", "As plot, with a logarithmic x axis.", "log")
  --> plot.*.semilogy({1, 2, 3}, {1, 10, 100})
  line_method("semilogy", "As plot, with a logarithmic y axis.", nil, "log")
  --> plot.*.loglog({1, 10, 100}, {1, 10, 100})
  line_method("loglog", "As plot, with two logarithmic axes.", "log", "log")

  --- Colours of the values of a scatter plot by a colour map.
  local function colors_of(values, colormap, least, most)
    local lo, hi = data.range(values)
    lo, hi = least or lo, most or hi
    local bytes = ma.image.to_rgba8(ma.array({ values }, { dtype = "float64", device = "cpu" }),
      { colormap = colormap, min = least, max = most }):tobytes()
    local list = {}
    for k = 1, #values do
      local r, g, b, a = bytes:byte(4 * k - 3, 4 * k)
      list[k] = a > 0 and { r, g, b } or false
    end
    return list, lo, hi
  end

  --> plot.*.scatter({1, 2, 3}, {1, 4, 9})
  add("scatter", "x: data, y: data, s?: data, c?: data; color?: string, label?: string, marker?: string, "
    .. "alpha?: number, colormap?: string, min?: number, max?: number, edgecolor?: string|boolean|string[]",
    "Draws a marker at each point. s is a diameter in pixels, 7 unless it is given, or one for each point; c a number "
    .. "for each, which gets its colour from colormap between min and max, or a colour.",
    function(name, axes, x, y, s, c, color, label, marker, alpha, colormap, least, most, edge)
      local xs, columns = data.pair(name, x, y == nil and {} or y)
      if #columns > 1 then fail(name, "y is a matrix; wanted a vector") end
      if type(c) == "string" then c, color = nil, c end
      local shape = style.marker(name, marker == nil and "o" or marker) or markers.o
      local one = { shape = shape, stroke = 1.5, edge_width = 1, label = label_of(name, label), size = 7 }
      local opacity
      one.color, opacity = next_color(name, axes, color)
      one.alpha = style.alpha(name, alpha or opacity)
      if edge ~= nil then one.edge = style.color(name, edge, "edgecolor") end
      if type(s) == "number" then one.size = style.length(name, "s", s)
      elseif s ~= nil then
        one.sizes = data.spread(name, "s", s, #xs)
        for _, size in ipairs(one.sizes) do style.length(name, "an element of s", size) end
      end
      local artist = lines.points(xs, columns[1], one)
      if c ~= nil then
        local values = data.spread(name, "c", c, #xs)
        one.colors, artist.lo, artist.hi = colors_of(values, colormap, least, most)
        artist.colormap = colormap or "viridis"
        axes.mappable = artist
      end
      axes.artists[#axes.artists + 1] = artist
    end)

  --> plot.*.fill_between({1, 2, 3}, {1, 4, 9})
  add("fill_between", "x: data, y1: data, y2?: data; color?: string, label?: string, alpha?: number",
    "Fills the area between two lines over x, or between one and 0.",
    function(name, axes, x, y1, y2, color, label, alpha)
      local xs = data.list(name, "x", x)
      local upper = data.spread(name, "y1", y1 == nil and {} or y1, #xs)
      local lower = data.spread(name, "y2", y2 == nil and 0 or y2, #xs)
      local fill, opacity = next_color(name, axes, color)
      axes.artists[#axes.artists + 1] = lines.area(xs, lower, upper, { color = fill, alpha = style.alpha(name, alpha
        or opacity), label = label_of(name, label) })
    end)

  local function across_method(text, axis)
    add(text, (axis == "x" and "x" or "y") .. ": number; color?: string, label?: string, linewidth?: number, "
      .. "linestyle?: string, alpha?: number",
      sformat("Draws a line across the axes at a value of %s.", axis),
      function(name, axes, value, color, label, linewidth, linestyle, alpha)
        local at = data.list(name, axis, value)
        local line, opacity = next_color(name, axes, color)
        local width = style.length(name, "linewidth", linewidth, 1.5)
        for k, v in ipairs(at) do
          axes.artists[#axes.artists + 1] = lines.across(axis, v, { color = line, alpha = style.alpha(name, alpha
            or opacity), width = width, dash = style.dash(name, linestyle, width),
            label = k == 1 and label_of(name, label) or nil })
        end
      end)
  end
  --> plot.*.axhline(2)
  across_method("axhline", "y")
  --> plot.*.axvline(2)
  across_method("axvline", "x")

  --> plot.*.text(1, 2, "here")
  add("text", "x: data, y: data, text: string; color?: string, size?: number, align?: string",
    "Writes a text at a place of the data. align is \"left\", \"center\" or \"right\".",
    function(name, axes, x, y, text, color, size, align)
      local xs, ys = data.list(name, "x", x), data.list(name, "y", y)
      if #xs ~= 1 or #ys ~= 1 then fail(name, "x and y are lists; wanted a number each") end
      if align ~= nil and align ~= "left" and align ~= "center" and align ~= "right" then
        fail(name, sformat('align is %s; wanted "left", "center" or "right"', core.describe(align)))
      end
      axes.artists[#axes.artists + 1] = lines.text(xs[1], ys[1], style.text(name, "text", text), {
        color = style.color(name, color == nil and "black" or color), size = style.length(name, "size", size, 12),
        across = align or "left", up = "center" })
    end)

  -- ==== Titles, limits, scales =======================================================================================

  for _, what in ipairs { "title", "xlabel", "ylabel" } do
    --> plot.*.title("Squares")
    --> plot.*.xlabel("x")
    --> plot.*.ylabel("y")
    add(what, "text: string", sformat("Sets the %s of the axes.",
      what == "title" and "title" or "label below the x axis"):gsub("below the x axis",
      what == "xlabel" and "below the x axis" or "beside the y axis"), function(name, axes, text)
      text = style.text(name, what, text)
      axes[what] = text ~= "" and text or nil
    end)
  end

  local function limit(name, what, value)
    if value == nil then return nil end
    if type(value) ~= "number" or value - value ~= 0 then
      fail(name, sformat("%s is %s; wanted a finite number", what, type(value) == "number" and tostring(value)
        or core.describe(value)))
    end
    return value
  end

  for _, key in ipairs { "x", "y" } do
    --> plot.*.xlim(0, 4)
    --> plot.*.ylim(0, 10)
    add(key .. "lim", "lo?: number, hi?: number",
      sformat("Sets the ends of the %s axis; nil leaves one to the data. Ends in falling "
      .. "order turn the axis round.", key), function(name, axes, lo, hi)
      if type(lo) == "table" and hi == nil then lo, hi = lo[1], lo[2] end
      lo, hi = limit(name, "lo", lo), limit(name, "hi", hi)
      local axis = axes[key]
      if lo and hi and lo == hi then fail(name, sformat("both ends are %s; wanted two numbers", tostring(lo))) end
      if axis.scale == "log" and ((lo and lo <= 0) or (hi and hi <= 0)) then
        fail(name, "an end is not above 0; wanted positive numbers on a logarithmic axis")
      end
      if lo and hi then
        axis.inverted = lo > hi or nil
        if lo > hi then lo, hi = hi, lo end
      end
      axis.min, axis.max = lo, hi
    end)

    --> plot.*.xscale("log")
    --> plot.*.yscale("log")
    add(key .. "scale", "scale: string", sformat("Makes the %s axis \"linear\" or \"log\".", key),
      function(name, axes, scale)
      if scale ~= "linear" and scale ~= "log" then
        fail(name, sformat('scale is %s; wanted "linear" or "log"', type(scale) == "string" and sformat("%q", scale)
          or core.describe(scale)))
      end
      set_scale(name, axes, key, scale)
    end)

    --> plot.*.xticks({1, 2, 3})
    --> plot.*.yticks({1, 4, 9})
    add(key .. "ticks", "at?: data|boolean, labels?: string|boolean|string[]",
      sformat("Puts the ticks of the %s axis at these values, with these labels; "
      .. "none for an empty table.", key), function(name, axes, at, labels)
      local list = data.list(name, "at", at)
      if labels ~= nil then
        if type(labels) ~= "table" or #labels ~= #list then
          fail(name, sformat("labels is %s; wanted a table of %d strings", core.describe(labels), #list))
        end
        local texts = {}
        for k, label in ipairs(labels) do texts[k] = style.text(name, "a label", label) end
        labels = texts
      end
      axes[key].fixed, axes[key].labels = list, labels
    end)

    --> plot.*.invert_xaxis()
    --> plot.*.invert_yaxis()
    add("invert_" .. key .. "axis", "", sformat("Turns the %s axis round.", key), function(_, axes)
      axes[key].inverted = not axes[key].inverted
    end)
  end

  --> plot.*.grid()
  add("grid", "on?: string|boolean", "Draws lines at the ticks: true, which is the default, false, \"x\" or \"y\".",
    function(name, axes, on)
    if on == nil then on = true end
    if on ~= true and on ~= false and on ~= "x" and on ~= "y" then
      fail(name, sformat('on is %s; wanted true, false, "x" or "y"', core.describe(on)))
    end
    axes.grid = on
  end)

  --> plot.*.legend("upper right")
  add("legend", "place?: integer|string|integer[]",
    "Shows the labels of what was drawn. place is \"best\" unless it is given, or as \"upper "
    .. "right\", \"center left\", \"lower center\", \"center\".", function(name, axes, place)
    if place == nil then place = "best" end
    local known = place == "best"
    for _, other in ipairs(draw.places) do known = known or other == place end
    if not known then
      fail(name, sformat('place is %s; wanted "best", "%s"', type(place) == "string" and sformat("%q", place)
        or core.describe(place), table.concat(draw.places, '", "')))
    end
    axes.legend = place
  end)

  --> plot.*.axis("equal")
  add("axis", "what: string|boolean",
    "\"equal\" gives both axes units of one length, \"auto\" not; \"off\" hides frame and ticks, "
    .. "\"on\" shows them.", function(name, axes, what)
    if what == "equal" or what == "auto" then axes.aspect = what
    elseif what == "off" or what == "on" then axes.hidden = what == "off"
    else
      fail(name, sformat('what is %s; wanted "equal", "auto", "on" or "off"', type(what) == "string"
        and sformat("%q", what) or core.describe(what)))
    end
  end)

  return { next_color = next_color, label_of = label_of }
end
