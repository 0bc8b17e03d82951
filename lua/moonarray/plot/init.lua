--- ma.plot: figures of lines, points, bars and pictures, as PNG, SVG and text.
---
--- A figure has axes, and these have artists: what was drawn, as lists of numbers (lines.lua, shapes.lua; made by the
--- methods of axes.lua and charts.lua out of what data.lua and style.lua let through). figure.lua lays the axes out in
--- their grid and draw.lua draws each, on a canvas: pixels (raster.lua over coverage.lua, with the letters of
--- font.lua), vectors (svg.lua) or characters (terminal.lua). A canvas has the methods clip, line, polygon, rectangle,
--- markers, text, text_width, picture, frame, tick, panel and crisp, and a table of lengths, `sizes`. Lengths are in
--- pixels of a figure at scale 1, y goes down. ticks.lua and axis.lua find ticks, limits and places.

local tostring = require("moonarray.text").tostring
local sformat, unpack = require("moonarray.text").format, rawget(_G, "unpack") or rawget(table, "unpack")
local new_axis = require "moonarray.plot.axis"
local figure = require "moonarray.plot.figure"

local MOST_PIXELS = 2 ^ 27

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local style = require "moonarray.plot.style" (core)
  local data = require "moonarray.plot.data" (ma, core)

  -- The objects are lists of one element, which no call takes for a table of options.
  local Figure, Axes = {}, {}

  local function is_figure(value) return type(value) == "table" and getmetatable(value) == Figure end
  local function is_axes(value) return type(value) == "table" and getmetatable(value) == Axes end

  local function new_axes(state, rows, columns, first, last)
    local axes = figure.new_axes(rows, columns, first, last, new_axis)
    state.axes[#state.axes + 1] = axes
    state.current = axes
    return axes
  end

  --- The axes that a method of a figure goes to.
  local function current(state) return state.current or new_axes(state, 1, 1, 1, 1) end

  local function check_figure(name, value)
    if not is_figure(value) then
      fail(name, sformat("%s in place of the figure; write fig:%s(...)", core.describe(value), name:match("%w+$")))
    end
    return value[1]
  end

  local methods = {}                     -- by name: the function, and what follows the object in its signature

  --- Defines a method of axes and of figures; fn gets the name for errors, the axes' state and the arguments.
  local function add(method, arguments, doc, fn)
    methods[method] = { fn, arguments }
    local rest = arguments == "" and ") -> " or (arguments:find("^;") and arguments or ", " .. arguments) .. ") -> "
    local on_axes, on_figure = "plot.Axes." .. method, "plot.Figure." .. method
    def(on_axes .. "(axes: axes" .. rest .. "axes", doc, function(self, ...)
      if not is_axes(self) then
        fail(on_axes, sformat("%s in place of the axes; write axes:%s(...)", core.describe(self), method))
      end
      fn(on_axes, self[1], ...)
      return self
    end)
    def(on_figure .. "(figure: figure" .. rest .. "figure", doc, function(self, ...)
      fn(on_figure, current(check_figure(on_figure, self)), ...)
      return self
    end)
  end

  local shared = require "moonarray.plot.axes" (ma, core, add, style, data)
  require "moonarray.plot.charts" (ma, core, add, style, data, shared)

  -- ==== Figures ======================================================================================================

  local function length_of(name, what, value, default)
    return common.whole(name, what, value == nil and default or value, 16, 20000)
  end

  local function new_figure(name, width, height, scale, background)
    scale = style.length(name, "scale", scale, 1)
    if scale < 0.1 or scale > 20 then fail(name, sformat("scale is %s; wanted 0.1 to 20", tostring(scale))) end
    local state = { width = length_of(name, "width", width, 640), height = length_of(name, "height", height, 480),
      scale = scale, axes = {}, background = { 255, 255, 255 } }
    if state.width * state.height * scale ^ 2 > MOST_PIXELS then
      fail(name, sformat("%d x %d pixels at scale %s; wanted at most %d pixels", state.width, state.height,
        tostring(scale), MOST_PIXELS))
    end
    if background ~= nil then state.background = style.color(name, background, "background") end
    return setmetatable({ state }, Figure)
  end

  --> plot.figure: ma.plot.figure {width = 64, height = 48}
  def("plot.figure(; width?: integer, height?: integer, scale?: number, background?: string) -> figure",
    "A figure: an object on which plot, scatter, bar, hist, imshow and others draw, and which save writes. width and "
    .. "height are in pixels, 640 and 480 unless they are given; scale = 2 makes the same picture of twice as many.",
    function(width, height, scale, background) return new_figure("plot.figure", width, height, scale, background) end)

  local function add_subplot(name, state, rows, columns, place)
    rows, columns = common.whole(name, "rows", rows, 1, 100), common.whole(name, "columns", columns, 1, 100)
    local first, last = place, place
    if type(place) == "table" then first, last = place[1], place[2] end
    first = common.whole(name, "place", first, 1, rows * columns)
    last = common.whole(name, "place", last, 1, rows * columns)
    for _, axes in ipairs(state.axes) do
      if axes.rows == rows and axes.columns == columns and axes.first == first and axes.last == last then
        state.current = axes
        return axes
      end
    end
    return new_axes(state, rows, columns, first, last)
  end

  --> plot.Figure.subplot: ma.plot.figure():subplot(1, 2, 1):plot({1, 4, 9})
  def("plot.Figure.subplot(figure: figure, rows: integer, columns: integer, place: integer|string|integer[]) -> axes",
    "Axes at a place of a grid, counted from 1 along the rows; {first, last} for several places. Further calls of the "
    .. "figure's own methods go to them.", function(self, rows, columns, place)
      local name = "plot.Figure.subplot"
      return setmetatable({ add_subplot(name, check_figure(name, self), rows, columns, place) }, Axes)
    end)

  --> plot.subplots: local fig, axes = ma.plot.subplots(1, 2)
  -->   axes[1]:plot({1, 4, 9})
  -->   return #axes
  def("plot.subplots(rows?: integer, columns?: integer; width?: integer, height?: integer, scale?: number, "
    .. "background?: string) -> figure, any",
    "A figure and its axes, rows x columns of them: the axes of a grid of one row or column are a list, those of "
    .. "another a list of rows.", function(rows, columns, width, height, scale, background)
      local name = "plot.subplots"
      rows, columns = rows == nil and 1 or rows, columns == nil and 1 or columns
      local fig = new_figure(name, width, height, scale, background)
      local list = {}
      local function at(place) return setmetatable({ add_subplot(name, fig[1], rows, columns, place) }, Axes) end
      at(1)
      for r = 1, rows do
        list[r] = {}
        for c = 1, columns do list[r][c] = at((r - 1) * columns + c) end
      end
      if rows == 1 and columns == 1 then return fig, list[1][1] end
      if rows == 1 then return fig, list[1] end
      if columns == 1 then
        for r = 1, rows do list[r] = list[r][1] end
      end
      return fig, list
    end)

  -- ==== In one call ==================================================================================================

  local MORE = { "title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale", "grid", "legend" }
  local MORE_ARGUMENTS = ", title?: string, xlabel?: string, ylabel?: string, xlim?: number[], ylim?: number[], "
    .. "xscale?: string, yscale?: string, grid?: boolean|string, legend?: boolean|string, width?: integer, "
    .. "height?: integer, scale?: number, path?: string) -> figure"

  local function one_call(text, method)
    local name, fn, arguments = "plot." .. text, methods[method][1], methods[method][2]
    local count = 0
    for _ in arguments:gmatch("[%w_]+%??:") do count = count + 1 end
    def(name .. "(" .. arguments .. MORE_ARGUMENTS,
      sformat("A figure of its own with what its method %s draws. title, xlabel, ylabel, xlim, ylim, xscale, yscale, "
        .. "grid and legend are as its methods; path saves it.", method),
      function(...)
        local given = { n = select("#", ...), ... }
        local fig = new_figure(name, given[count + #MORE + 1], given[count + #MORE + 2], given[count + #MORE + 3])
        local axes = current(fig[1])
        fn(name, axes, unpack(given, 1, count))
        for k, other in ipairs(MORE) do
          local value = given[count + k]
          if other == "legend" and value == true then value = "best" end
          if value ~= nil and not (other == "legend" and value == false) then methods[other][1](name, axes, value) end
        end
        local path = given[count + #MORE + 4]
        if path ~= nil then fig:save(path) end
        return fig
      end)
  end
  --> plot.line: ma.plot.line({1, 2, 3}, {1, 4, 9}, {title = "Squares"})
  one_call("line", "plot")
  --> plot.scatter: ma.plot.scatter({1, 2, 3}, {1, 4, 9})
  one_call("scatter", "scatter")
  --> plot.bar: ma.plot.bar({"a", "b"}, {1, 2})
  one_call("bar", "bar")
  --> plot.hist: ma.plot.hist({1, 2, 2, 5}, 3)
  one_call("hist", "hist")
  --> plot.heatmap: ma.plot.heatmap({{1, 2}, {3, 4}})
  one_call("heatmap", "heatmap")

  --> plot.Figure.suptitle: ma.plot.figure():suptitle("Squares")
  def("plot.Figure.suptitle(figure: figure, text: string) -> figure",
    "Sets the title above all axes of the figure.", function(self, text)
    local name = "plot.Figure.suptitle"
    local state = check_figure(name, self)
    state.title = style.text(name, "text", text)
    return self
  end)

  require "moonarray.plot.output" (ma, core, check_figure, function(state) new_axes(state, 1, 1, 1, 1) end)

  -- ==== Names ========================================================================================================

  --> = figure | ma.plot.figure() | A figure, whose methods draw.
  --> @ plot.Figure.
  --> = axes | ma.plot.figure():subplot(1, 1, 1) | Axes of a figure, whose methods draw.
  --> @ plot.Axes.
  local function set_names(meta, what, known)
    meta.__index = function(_, key)
      local method = type(key) == "string" and rawget(known, key)
      if method then return method end
      if type(key) == "number" then return nil end
      core.unknown(what, key, known)
    end
    meta.__newindex = function(_, key) fail("plot", sformat("%s has no field '%s' to set", what, tostring(key))) end
    meta.__tostring = function(self)
      if what == "plot.Axes" then return sformat("axes with %d drawn", #self[1].artists) end
      return sformat("figure of %d x %d, %d axes", self[1].width, self[1].height, #self[1].axes)
    end
  end
  set_names(Figure, "plot.Figure", ma.plot.Figure)
  set_names(Axes, "plot.Axes", ma.plot.Axes)
end
