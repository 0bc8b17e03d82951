--- The ways out of a figure: arrays, files, SVG, text.

local sformat, min, max = require("moonarray.text").format, math.min, math.max
local new_raster = require "moonarray.plot.raster"
local new_svg = require "moonarray.plot.svg"
local new_terminal = require "moonarray.plot.terminal"
local figure = require "moonarray.plot.figure"

return function(ma, core, check_figure, add_axes)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local function draw(state, canvas)
    if #state.axes == 0 then add_axes(state) end
    figure.draw(state, canvas)
    return canvas
  end

  local function draw_pixels(state)
    local bytes, height, width = draw(state, new_raster(ma, state.width, state.height, state.scale)):bytes()
    return ma.frombuffer(bytes, { height, width, 3 }, "uint8", { device = "cpu" })
  end

  local function draw_svg(state) return draw(state, new_svg(ma, state.width, state.height, state.scale)):finish() end

  local function draw_text(name, state, columns, rows, style, color)
    columns = common.whole(name, "columns", columns == nil and 80 or columns, 10, 1000)
    rows = common.whole(name, "rows", rows == nil and 24 or rows, 4, 1000)
    local canvas = new_terminal(ma, columns, rows)
    style = style == nil and "braille" or style
    if not canvas.styles[style] then
      fail(name, sformat('style is %s; wanted "braille", "blocks" or "ascii"', type(style) == "string"
        and sformat("%q", style) or core.describe(style)))
    end
    if color ~= nil and type(color) ~= "boolean" then
      fail(name, sformat("color is %s; wanted true or false", core.describe(color)))
    end
    local background = state.background
    state.background = nil
    draw(state, canvas)
    state.background = background
    return canvas:finish(style, color)
  end

  --> plot.Figure.to_image: ma.plot.figure({width = 64, height = 48}):to_image().shape[1]
  def("plot.Figure.to_image(figure: figure) -> array",
    "The figure as a picture, (height, width, 3) of uint8 on the CPU.", function(self)
    return draw_pixels(check_figure("plot.Figure.to_image", self)):copy()
  end)

  --> plot.Figure.to_svg: ma.plot.figure({width = 64, height = 48}):to_svg():sub(1, 4)
  def("plot.Figure.to_svg(figure: figure) -> string", "The figure as the text of an SVG.", function(self)
    return draw_svg(check_figure("plot.Figure.to_svg", self))
  end)

  --> plot.Figure.to_text: #ma.plot.figure():plot({1, 4, 9}):to_text() > 0
  def("plot.Figure.to_text(figure: figure; columns?: integer, rows?: integer, style?: string, "
    .. "color?: string) -> string",
    "The figure as text of 80 columns and 24 rows, unless others are given. style is \"braille\", \"blocks\" or "
    .. "\"ascii\"; color = true puts in a terminal's codes for colours.", function(self, columns, rows, style, color)
      local name = "plot.Figure.to_text"
      return draw_text(name, check_figure(name, self), columns, rows, style, color)
    end)

  --- Whether the standard output is a terminal that shows colours.
  local function shows_colors()
    local term = os.getenv("TERM")
    if not term or term == "dumb" or os.getenv("NO_COLOR") then return false end
    local found, ffi = pcall(require, "ffi")
    if not found then return false end
    pcall(ffi.cdef, "int isatty(int);")
    ---@diagnostic disable-next-line: undefined-field
    local ok, answer = pcall(function() return ffi.C.isatty(1) end)
    return ok and answer ~= 0
  end

  --> plot.Figure.show: ma.plot.figure():plot({1, 4, 9}):show({columns = 30, rows = 8, style = "ascii"})
  def("plot.Figure.show(figure: figure; columns?: integer, rows?: integer, style?: string, color?: string) -> figure",
    "Prints the figure as text; see to_text. Colours are for a terminal, unless color says otherwise.",
    function(self, columns, rows, style, color)
      local name = "plot.Figure.show"
      if columns == nil then columns = tonumber(os.getenv("COLUMNS") or "") or 80 end
      if color == nil then color = shows_colors() end
      columns = type(columns) == "number" and max(10, min(1000, columns)) or columns
      print((draw_text(name, check_figure(name, self), columns, rows, style, color):gsub("\n$", "")))
      return self
    end)

  --> plot.Figure.save: local name = os.tmpname() .. ".png"
  -->   ma.plot.figure({width = 64, height = 48}):plot({1, 4, 9}):save(name)
  -->   local pixels = ma.image.read(name)
  -->   os.remove(name)
  -->   return pixels.shape
  def("plot.Figure.save(figure: figure, path: string) -> figure",
    "Writes the figure. The format is that of the path's ending: .png, .svg, .txt, "
    .. ".ppm or .bmp.", function(self, path)
      local name = "plot.Figure.save"
      local state = check_figure(name, self)
      if type(path) ~= "string" then fail(name, sformat("path is %s; wanted a string", core.describe(path))) end
      local ending = path:match("%.(%w+)$")
      ending = ending and ending:lower()
      if ending == "svg" then core.write_file(path, draw_svg(state))
      elseif ending == "txt" then core.write_file(path, draw_text(name, state))
      elseif ending == "png" or ending == "ppm" or ending == "bmp" then ma.image.write(path, draw_pixels(state))
      else fail(name, sformat("%s ends in no known format; wanted .png, .svg, .txt, .ppm or .bmp", path)) end
      return self
    end)

  --> plot.animation: local name = os.tmpname() .. ".gif"
  -->   local n = ma.plot.animation(name, 2, function(k) return ma.full({4, 4}, k, "uint8") end)
  -->   os.remove(name)
  -->   return n
  def("plot.animation(path: string, n: integer, fn: function; delay?: number, loop?: integer|boolean) -> integer",
    "Writes an animation of n frames: the figures (or pictures) that fn(1) to fn(n) return. path and the options are "
    .. "those of ma.image.animation. Returns n.", function(path, n, fn, delay, loop)
      local name = "plot.animation"
      n = common.whole(name, "n", n, 1)
      common.callable(name, "fn", fn)
      local animation = ma.image.animation(path, { delay = delay, loop = loop })
      for k = 1, n do
        local frame = fn(k)
        if frame == nil then fail(name, sformat("fn(%d) returned nil; wanted a figure or a picture", k)) end
        animation:add(frame)
      end
      return animation:close()
    end)
end
