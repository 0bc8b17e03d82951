--- The methods of axes that draw bars, histograms, steps, error bars, pictures and colour bars.

local sformat = require("moonarray.text").format
local lines = require "moonarray.plot.lines"
local shapes = require "moonarray.plot.shapes"

return function(ma, core, add, style, data, shared)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is

  local function put(axes, artist) axes.artists[#axes.artists + 1] = artist end

  --- Style of an area: color, opacity, edge.
  local function area_style(name, axes, color, label, alpha, edge)
    local fill, opacity = shared.next_color(name, axes, color)
    return { color = fill, alpha = style.alpha(name, alpha or opacity), label = shared.label_of(name, label),
      snap = true, edge = edge ~= nil and { color = style.color(name, edge, "edgecolor"), width = 1 } or nil }
  end

  -- ==== Bars =========================================================================================================

  --- Places of bars along an axis: numbers, or names, which get the places 1, 2, 3 ... of that axis.
  local function places(name, axis, what, value)
    if type(value) ~= "table" or type(value[1]) ~= "string" then return data.list(name, what, value) end
    axis.names = axis.names or {}
    local known, list = {}, {}
    for k, text in ipairs(axis.names) do known[text] = k end
    for k, text in ipairs(value) do
      text = style.text(name, "an element of " .. what, text)
      if not known[text] then
        axis.names[#axis.names + 1] = text
        known[text] = #axis.names
      end
      list[k] = known[text]
    end
    return list
  end

  local function bar_method(text, along, what, length, thickness)
    --> plot.*.bar({1, 2, 3}, {1, 4, 9})
    --> plot.*.barh({1, 2, 3}, {1, 4, 9})
    add(text, sformat("%s: data, %s: data, %s?: data, %s?: data; color?: string, label?: string, alpha?: number, "
      .. "align?: string, edgecolor?: string|boolean|string[]", what, length, thickness,
      along == "x" and "bottom" or "left"),
      sformat("Draws bars of these lengths along the %s axis; %s may be a table of names. Bars are 0.8 thick unless %s "
        .. "is given, and begin at 0, or where %s says. align is \"center\" or \"edge\".", along == "x" and "y" or "x",
        what, thickness, along == "x" and "bottom" or "left"),
      function(name, axes, at, lengths, thick, base, color, label, alpha, align, edge)
        at = places(name, axes[along], what, at)
        lengths = data.spread(name, length, lengths, #at)
        thick = data.spread(name, thickness, thick == nil and 0.8 or thick, #at)
        base = data.spread(name, along == "x" and "bottom" or "left", base == nil and 0 or base, #at)
        if align ~= nil and align ~= "center" and align ~= "edge" then
          fail(name, sformat('align is %s; wanted "center" or "edge"', core.describe(align)))
        end
        local from, to, top = {}, {}, {}
        for k = 1, #at do
          from[k] = align == "edge" and at[k] or at[k] - thick[k] / 2
          to[k], top[k] = from[k] + thick[k], base[k] + lengths[k]
        end
        put(axes, shapes.bars(along, from, to, base, top, area_style(name, axes, color, label, alpha, edge)))
      end)
  end
  bar_method("bar", "x", "x", "height", "width")
  bar_method("barh", "y", "y", "width", "height")

  --> plot.*.hist({1, 2, 2, 5}, 3)
  add("hist", "values: data, bins?: integer|data|string; range?: number[], density?: boolean, color?: string, "
    .. "label?: string, alpha?: number, edgecolor?: string|boolean|string[]",
    "Draws how many of the values lie in each bin, as ma.histogram counts them: bins is a number, 10 unless it is "
    .. "given, edges, or a rule's name such as \"auto\". Values that are not finite are left out.",
    function(name, axes, values, bins, range, density, color, label, alpha, edge)
      local a = data.host(name, "values", values):ravel()
      a = a[ma.isfinite(a)]
      if a.size == 0 and type(bins) == "string" then bins = 10 end
      local ok, counts, edges = pcall(ma.histogram, a, bins == nil and 10 or bins, { range = range, density = density })
      if not ok then fail(name, (tostring(counts):gsub("^.*moonarray%.[%w_.]+: ", ""))) end
      edges = edges:astype("float64"):totable()
      local from, to, base = {}, {}, {}
      for k = 1, #edges - 1 do from[k], to[k], base[k] = edges[k], edges[k + 1], 0 end
      put(axes, shapes.bars("x", from, to, base, counts:astype("float64"):totable(),
        area_style(name, axes, color, label, alpha, edge)))
    end)

  -- ==== Steps and error bars =========================================================================================

  --> plot.*.step({1, 2, 3}, {1, 4, 9})
  add("step", "x: data, y: data; where?: string, color?: string, label?: string, linewidth?: number, "
    .. "linestyle?: string, alpha?: number",
    "Draws y over x in steps: each value holds up to its x (where = \"pre\"), from its x on (\"post\"), or around it "
    .. "(\"mid\").", function(name, axes, x, y, where, color, label, linewidth, linestyle, alpha)
      if where ~= nil and where ~= "pre" and where ~= "post" and where ~= "mid" then
        fail(name, sformat('where is %s; wanted "pre", "post" or "mid"', core.describe(where)))
      end
      local xs, columns = data.pair(name, x, y)
      local ys, px, py = columns[1], {}, {}
      for k = 1, #xs do
        if k > 1 then
          local at = where == "post" and xs[k] or where == "mid" and (xs[k - 1] + xs[k]) / 2 or xs[k - 1]
          px[#px + 1], py[#py + 1] = at, ys[k - 1]
          px[#px + 1], py[#py + 1] = at, ys[k]
        end
        px[#px + 1], py[#py + 1] = xs[k], ys[k]
      end
      local line, opacity = shared.next_color(name, axes, color)
      local width = style.length(name, "linewidth", linewidth, 1.8)
      put(axes, lines.line(px, py, { color = line, alpha = style.alpha(name, alpha or opacity), width = width,
        dash = style.dash(name, linestyle, width), label = shared.label_of(name, label) }))
    end)

  --> plot.*.errorbar({1, 2, 3}, {1, 4, 9}, 0.5)
  add("errorbar", "x: data, y: data, yerr?: data, xerr?: data; color?: string, label?: string, marker?: string, "
    .. "markersize?: number, linestyle?: string, linewidth?: number, capsize?: number",
    "Draws y over x as plot does, with a bar at each point for its error: one number, or one for each.",
    function(name, axes, x, y, yerr, xerr, color, label, marker, markersize, linestyle, linewidth, capsize)
      local xs, columns = data.pair(name, x, y)
      local ys = columns[1]
      yerr, xerr = data.spread(name, "yerr", yerr, #xs), data.spread(name, "xerr", xerr, #xs)
      local line, alpha = shared.next_color(name, axes, color)
      local width = style.length(name, "linewidth", linewidth, 1.8)
      local px, py = {}, {}
      local nan = 0 / 0
      local function bar(x0, y0, x1, y1, caps)
        for _, p in ipairs { { x0, y0 }, { x1, y1 }, { nan, nan } } do px[#px + 1], py[#py + 1] = p[1], p[2] end
        caps[1][#caps[1] + 1], caps[2][#caps[2] + 1] = x0, y0
        caps[1][#caps[1] + 1], caps[2][#caps[2] + 1] = x1, y1
      end
      local upright, flat = { {}, {} }, { {}, {} }
      for k = 1, #xs do
        if yerr then bar(xs[k], ys[k] - yerr[k], xs[k], ys[k] + yerr[k], upright) end
        if xerr then bar(xs[k] - xerr[k], ys[k], xs[k] + xerr[k], ys[k], flat) end
      end
      put(axes, lines.line(px, py, { color = line, alpha = alpha or 1, width = 1.3 }))
      local markers = require "moonarray.plot.markers"
      local size = 2 * style.length(name, "capsize", capsize, 3)
      for shape, list in pairs { _ = upright, ["|"] = flat } do
        local caps_x, caps_y = list[1], list[2]
        if size > 0 and #caps_x > 0 then
          put(axes, lines.points(caps_x, caps_y, { color = line, shape = markers[shape], size = size, stroke = 1.3 }))
        end
      end
      put(axes, lines.line(xs, ys, { color = line, alpha = alpha or 1, width = width, stroke = 1.5,
        dash = style.dash(name, linestyle, width), shape = style.marker(name, marker),
        size = style.length(name, "markersize", markersize, 7), label = shared.label_of(name, label) }))
    end)

  -- ==== Pictures =====================================================================================================

  --- The colours of a matrix by a colour map, or those of a picture; and for a matrix the ends of the map.
  local function colours_of(name, a, colormap, least, most)
    if not is_array(a) then a = data.host(name, "the picture", a) end
    if a.size == 0 then fail(name, sformat("the picture is %s; wanted one with elements", core.describe(a))) end
    if a.ndim == 3 and a.shape[3] <= 4 then
      if a.dtype ~= "uint8" then
        a = ma.rint(ma.clip(a:astype("float32"), 0, 1) * 255):astype("uint8")
      end
      return ma.image.to_rgba8(a):get()
    end
    if a.ndim ~= 2 then
      fail(name, sformat("the picture is %s; wanted (height, width), or (height, width, 1 to 4)", core.describe(a)))
    end
    if is.complexfloating[a.dtype] then fail(name, "the picture is complex; wanted real numbers") end
    a = a:astype("float64")
    if least == nil or most == nil then
      local finite = a[ma.isfinite(a)]
      if finite.size == 0 then finite = ma.zeros(1, { device = a.device }) end
      least = least == nil and finite:min():item() or least
      most = most == nil and finite:max():item() or most
    end
    local ok, rgba = pcall(ma.image.to_rgba8, a, { colormap = colormap, min = least, max = most })
    if not ok then fail(name, (tostring(rgba):gsub("^.*moonarray%.[%w_.]+: ", ""))) end
    return rgba:get(), least, most
  end

  --- left, right, bottom, top of a picture's edges.
  local function corners(name, extent, lower, height, width)
    if extent == nil then
      if lower then return 0.5, width + 0.5, 0.5, height + 0.5 end
      return 0.5, width + 0.5, height + 0.5, 0.5
    end
    local list = data.list(name, "extent", extent)
    if #list ~= 4 then
      fail(name, sformat("extent has %d numbers; wanted left, right, bottom and top", #list))
    end
    return list[1], list[2], list[3], list[4]
  end

  local function show(name, axes, a, o, aspect)
    if o.origin ~= nil and o.origin ~= "upper" and o.origin ~= "lower" then
      fail(name, sformat('origin is %s; wanted "upper" or "lower"', core.describe(o.origin)))
    end
    if o.aspect ~= nil and o.aspect ~= "equal" and o.aspect ~= "auto" then
      fail(name, sformat('aspect is %s; wanted "equal" or "auto"', core.describe(o.aspect)))
    end
    for _, key in ipairs { "min", "max" } do
      if o[key] ~= nil then common.number(name, key, o[key]) end
    end
    if axes.x.scale == "log" or axes.y.scale == "log" then
      fail(name, "an axis is logarithmic; wanted linear axes for a picture")
    end
    local rgba, lo, hi = colours_of(name, a, o.colormap, o.min, o.max)
    local lower = o.origin == "lower"
    local left, right, bottom, top = corners(name, o.extent, lower, rgba.shape[1], rgba.shape[2])
    if lower then rgba = ma.flip(rgba, 1) end
    if o.extent == nil then axes.x.whole, axes.y.whole = true, true end
    local artist = shapes.picture(left, right, bottom, top, rgba:copy(), style.alpha(name, o.alpha))
    put(axes, artist)
    if lo then
      artist.lo, artist.hi, artist.colormap = lo, hi, o.colormap or "viridis"
      axes.mappable = artist
    end
    if top < bottom and not axes.y.min then axes.y.inverted = true end
    if right < left and not axes.x.min then axes.x.inverted = true end
    axes.aspect = o.aspect or aspect
  end

  local PICTURE = "a: data; colormap?: string, min?: number, max?: number, extent?: number[], origin?: string, "
    .. "aspect?: string, alpha?: number"
  --> plot.*.imshow({{1, 2}, {3, 4}})
  add("imshow", PICTURE,
    "Shows a matrix in the colours of colormap (viridis) between min and max, or a picture (height, width, 1 to 4) of "
    .. "uint8, or of floats from 0 to 1. The element (i, j) is the square around x = j, y = i, the first row on top; "
    .. "origin = \"lower\" puts it at the bottom, extent = {left, right, bottom, top} puts the edges elsewhere.",
    function(name, axes, a, colormap, least, most, extent, origin, aspect, alpha)
      show(name, axes, a, { colormap = colormap, min = least, max = most, extent = extent, origin = origin,
        aspect = aspect, alpha = alpha }, "equal")
    end)

  local function add_colorbar(name, axes, label)
    local artist = axes.mappable
    if not artist then
      fail(name, "nothing has colours by a colour map; wanted imshow, heatmap or scatter with c first")
    end
    axes.colorbar = { artist = artist, label = label ~= nil and style.text(name, "label", label) or nil }
    axes.colorbar.rgba = ma.image.to_rgba8(ma.linspace(1, 0, 256, { device = "cpu" }):reshape(256, 1),
      { colormap = artist.colormap, min = 0, max = 1 }):copy()
  end

  --> plot.*.heatmap({{1, 2}, {3, 4}})
  add("heatmap", PICTURE .. ", label?: string",
    "As imshow, with a colour bar, and squares as wide as the axes let them be.",
    function(name, axes, a, colormap, least, most, extent, origin, aspect, alpha, label)
      show(name, axes, a, { colormap = colormap, min = least, max = most, extent = extent, origin = origin,
        aspect = aspect, alpha = alpha }, "auto")
      if axes.mappable == axes.artists[#axes.artists] then add_colorbar(name, axes, label) end
    end)

  --> plot.Axes.colorbar: local axes = ma.plot.figure():subplot(1, 1, 1)
  -->   axes:imshow({{1, 2}, {3, 4}})
  -->   return axes:colorbar()
  --> plot.Figure.colorbar: local axes = ma.plot.figure()
  -->   axes:imshow({{1, 2}, {3, 4}})
  -->   return axes:colorbar()
  add("colorbar", "label?: string", "Puts a colour bar beside the axes, for what imshow, heatmap or scatter drew last.",
    add_colorbar)
end
