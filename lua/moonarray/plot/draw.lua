--- Axes on a canvas: how much room their labels need, and the drawing of frame, ticks, labels, legend and colour bar.

local max, min, floor, abs = math.max, math.min, math.floor, math.abs
local new_axis = require "moonarray.plot.axis"

local draw = {}

local INK, GRID, FRAME = { 0, 0, 0 }, { 216, 216, 216 }, { 204, 204, 204 }
local WHITE = { 255, 255, 255 }

local function widest(canvas, labels, size)
  local width = 0
  for _, label in ipairs(labels) do width = max(width, canvas:text_width(label, size)) end
  return width
end

--- Ticks for a length, so that the labels do not touch.
local function find_x_ticks(canvas, axis, width)
  local sizes = canvas.sizes
  local at, labels, note, minor = axis:find_ticks(min(9, width / (sizes.font * 3)), function(list, n)
    return widest(canvas, list, sizes.font) + sizes.label_space <= width / max(1, n - 1)
  end)
  local turned = false
  if axis.names and sizes.turns and #at > 1 then
    local step = width / max(1, abs(axis.hi - axis.lo))
    turned = widest(canvas, labels, sizes.font) + sizes.pad > step
  end
  return { at = at, labels = labels, note = note, minor = minor, turned = turned }
end

local function find_y_ticks(canvas, axis, height)
  local at, labels, note, minor = axis:find_ticks(min(9, height / (canvas.sizes.font * 2)), function() return true end)
  return { at = at, labels = labels, note = note, minor = minor }
end

local function has_ticks(axes) return not axes.hidden end

--- The axis of a colour bar, which goes with the picture that it explains.
local function bar_axis(axes)
  local axis = new_axis()
  local lo, hi = axes.colorbar.artist.lo, axes.colorbar.artist.hi
  if lo == hi then lo, hi = lo - 0.5, hi + 0.5 end
  axis:set_ends(lo, hi)
  return axis
end

--- Finds limits and ticks for an inside of that size, and returns the room that is needed to the left, on top, to the
--- right and at the bottom.
function draw.prepare(canvas, axes, width, height)
  local sizes = canvas.sizes
  local font, pad = sizes.font, sizes.pad
  axes.x:limits(axes.artists, "x", axes.margin_x or sizes.margin or 0.05)
  axes.y:limits(axes.artists, "y", axes.margin_y or sizes.margin or 0.05)
  axes.found = { x = find_x_ticks(canvas, axes.x, width), y = find_y_ticks(canvas, axes.y, height) }
  local left, top, right, bottom = 0, 0, 0, 0
  if has_ticks(axes) then
    local x, y = axes.found.x, axes.found.y
    if #y.labels > 0 then left = sizes.tick + pad + widest(canvas, y.labels, font) end
    if #x.labels > 0 then
      bottom = sizes.tick + pad + (x.turned and widest(canvas, x.labels, font) or sizes.text)
      right = max(right, canvas:text_width(x.labels[#x.labels], font) / 2 - sizes.pad)
    end
    if y.note then top = sizes.row end
    if axes.ylabel and not sizes.labels_on_top then left = left + sizes.gap + sizes.text end
    if axes.ylabel and sizes.labels_on_top then top = sizes.row end
    if axes.xlabel or x.note then bottom = bottom + sizes.gap + sizes.text end
  end
  if axes.title then top = top + sizes.title + sizes.gap end
  if axes.colorbar then
    local axis = bar_axis(axes)
    local bar = find_y_ticks(canvas, axis, height)
    axes.found.bar = bar
    right = sizes.between + sizes.bar + sizes.tick + pad + widest(canvas, bar.labels, font)
    if axes.colorbar.label and not sizes.labels_on_top then right = right + sizes.gap + sizes.text end
    if bar.note then top = max(top, sizes.row) end
  end
  return left, top, right, bottom
end

local function draw_grid(canvas, axes, box)
  if not axes.grid then return end
  local style = { color = GRID, width = 1, flat = true }
  if axes.grid ~= "y" then
    for _, x in ipairs(axes.x:map(axes.found.x.at)) do
      local c = canvas:crisp(x, 1)
      canvas:line({ c, c }, { box.top, box.bottom }, 2, style)
    end
  end
  if axes.grid ~= "x" then
    for _, y in ipairs(axes.y:map(axes.found.y.at)) do
      local c = canvas:crisp(y, 1)
      canvas:line({ box.left, box.right }, { c, c }, 2, style)
    end
  end
end

local function draw_x_ticks(canvas, axes, box)
  local sizes, found = canvas.sizes, axes.found.x
  if sizes.minor > 0 then
    for _, x in ipairs(axes.x:map(found.minor)) do canvas:tick(x, box.bottom, "x", sizes.minor) end
  end
  local y = box.bottom + sizes.tick + sizes.pad
  for k, x in ipairs(axes.x:map(found.at)) do
    canvas:tick(x, box.bottom, "x", sizes.tick)
    if found.turned then
      canvas:text(x, y, found.labels[k], { size = sizes.font, color = INK, across = "right", up = "center",
        turned = true })
    else
      canvas:text(x, y, found.labels[k], { size = sizes.font, color = INK, across = "center", up = "top" })
    end
  end
  if found.note then
    canvas:text(box.right, y + sizes.text + sizes.gap, found.note, { size = sizes.font, color = INK,
      across = "right", up = "top" })
  end
end

local function draw_y_ticks(canvas, axes, box)
  local sizes, found = canvas.sizes, axes.found.y
  if sizes.minor > 0 then
    for _, y in ipairs(axes.y:map(found.minor)) do canvas:tick(box.left, y, "y", sizes.minor) end
  end
  for k, y in ipairs(axes.y:map(found.at)) do
    canvas:tick(box.left, y, "y", sizes.tick)
    canvas:text(box.left - sizes.tick - sizes.pad, y, found.labels[k], { size = sizes.font, color = INK,
      across = "right", up = "center" })
  end
  if found.note then
    canvas:text(box.left, box.top - sizes.gap, found.note, { size = sizes.font, color = INK, across = "left",
      up = "baseline" })
  end
end

local function draw_labels(canvas, axes, box, outer)
  local sizes = canvas.sizes
  local middle = (box.left + box.right) / 2
  if axes.title then
    local above = (axes.found.y.note or axes.ylabel and sizes.labels_on_top) and sizes.row or 0
    canvas:text(middle, box.top - sizes.gap - above, axes.title, { size = sizes.title, color = INK, across = "center",
      up = "baseline", is_title = true })
  end
  if axes.hidden then return end
  if axes.xlabel then
    local y = box.bottom + outer.bottom - sizes.text
    canvas:text(middle, y, axes.xlabel, { size = sizes.font, color = INK, across = "center", up = "top" })
  end
  if axes.ylabel and sizes.labels_on_top then
    canvas:text(outer.from, box.top - sizes.gap, axes.ylabel, { size = sizes.font, color = INK, across = "left",
      up = "baseline" })
  elseif axes.ylabel then
    canvas:text(box.left - outer.left + sizes.rise, (box.top + box.bottom) / 2, axes.ylabel, { size = sizes.font,
      color = INK, across = "center", up = "baseline", turned = true })
  end
end

-- ==== The legend =====================================================================================================

local corners = {
  ["upper right"] = { 1, 0 }, ["upper left"] = { 0, 0 }, ["lower left"] = { 0, 1 }, ["lower right"] = { 1, 1 },
  ["center left"] = { 0, 0.5 }, ["center right"] = { 1, 0.5 }, ["lower center"] = { 0.5, 1 },
  ["upper center"] = { 0.5, 0 }, center = { 0.5, 0.5 },
}
local in_order = { "upper right", "upper left", "lower left", "lower right", "center right", "center left",
  "lower center", "upper center", "center" }
draw.places = in_order

--- How many of the points that were drawn lie in a box. Of a long list only some points are looked at.
local function points_within(axes, left, top, right, bottom)
  local count = 0
  for _, artist in ipairs(axes.artists) do
    local xs, ys = artist.lists.x[1], artist.lists.y[#artist.lists.y]
    if xs and ys and #xs == #ys then
      local step = max(1, floor(#xs / 500))
      local some_x, some_y = {}, {}
      for k = 1, #xs, step do some_x[#some_x + 1], some_y[#some_y + 1] = xs[k], ys[k] end
      some_x, some_y = axes.x:map(some_x), axes.y:map(some_y)
      for k = 1, #some_x do
        -- The points, and the middles of what joins them.
        local x, y = some_x[k], some_y[k]
        local next_x, next_y = some_x[k + 1] or x, some_y[k + 1] or y
        for _, t in ipairs { 0, 0.25, 0.5, 0.75 } do
          local px, py = x + (next_x - x) * t, y + (next_y - y) * t
          if px >= left and px <= right and py >= top and py <= bottom then count = count + 1 end
        end
      end
    end
  end
  return count
end

local function draw_legend(canvas, axes, box)
  if not axes.legend then return end
  local sizes, entries, width = canvas.sizes, {}, 0
  for _, artist in ipairs(axes.artists) do
    if artist.label then
      entries[#entries + 1] = artist
      width = max(width, canvas:text_width(artist.label, sizes.small))
    end
  end
  if #entries == 0 then return end
  local pad = sizes.legend_pad
  width = width + sizes.legend_line + 3 * pad
  local height = #entries * sizes.row + pad
  local margin = sizes.legend_margin or 8
  local function corner(name)
    local place = corners[name]
    local left = box.left + margin + place[1] * (box.right - box.left - 2 * margin - width)
    local top = box.top + margin + place[2] * (box.bottom - box.top - 2 * margin - height)
    return floor(left + 0.5), floor(top + 0.5)
  end
  local left, top
  if axes.legend ~= "best" then left, top = corner(axes.legend)
  else
    local least
    for _, name in ipairs(in_order) do
      local l, t = corner(name)
      local count = points_within(axes, l - 4, t - 4, l + width + 4, t + height + 4)
      if not least or count < least then least, left, top = count, l, t end
      if count == 0 then break end
    end
  end
  local right, bottom = left + width, top + height
  canvas:panel(left, top, right, bottom, WHITE, FRAME)
  for k, artist in ipairs(entries) do
    local middle = top + pad / 2 + (k - 0.5) * sizes.row
    artist:swatch(canvas, left + pad, middle, left + pad + sizes.legend_line, sizes.row * 0.28)
    canvas:text(left + sizes.legend_line + 2 * pad, middle, artist.label, { size = sizes.small, color = INK,
      across = "left", up = "center" })
  end
end

-- ==== The colour bar =================================================================================================

local function draw_colorbar(canvas, axes, box)
  local bar = axes.colorbar
  if not bar then return end
  local sizes, found = canvas.sizes, axes.found.bar
  local left = box.right + sizes.between
  local right = left + sizes.bar
  local axis = bar_axis(axes)
  axis:place(box.bottom, box.top)
  canvas:clip()
  canvas:picture(left, box.top, right, box.bottom, bar.rgba, 1)
  canvas:frame(left, box.top, right, box.bottom)
  for k, y in ipairs(axis:map(found.at)) do
    canvas:tick(right, y, "right", sizes.tick)
    canvas:text(right + sizes.tick + sizes.pad, y, found.labels[k], { size = sizes.font, color = INK, across = "left",
      up = "center" })
  end
  if found.note then
    canvas:text(right, box.top - sizes.gap, found.note, { size = sizes.font, color = INK, across = "center",
      up = "baseline" })
  end
  if bar.label and not sizes.labels_on_top then
    local x = right + sizes.tick + sizes.pad + widest(canvas, found.labels, sizes.font) + sizes.gap + sizes.rise
    canvas:text(x, (box.top + box.bottom) / 2, bar.label, { size = sizes.font, color = INK, across = "center",
      up = "baseline", turned = true })
  end
end

-- ==== All of it ======================================================================================================

--- The inside of axes whose units are of one length on both.
local function keep_aspect(canvas, axes, box)
  if axes.aspect ~= "equal" then return box end
  local dx, dy = abs(axes.x.hi - axes.x.lo), abs(axes.y.hi - axes.y.lo)
  if axes.x.scale ~= "linear" or axes.y.scale ~= "linear" or dx == 0 or dy == 0 then return box end
  local width, height = box.right - box.left, box.bottom - box.top
  local shape = canvas.shape or 1                        -- how many times as high as wide a unit of the canvas is
  local unit = min(width / dx, height * shape / dy)
  local w, h = max(1, floor(unit * dx + 0.5)), max(1, floor(unit * dy / shape + 0.5))
  local left, top = floor((box.left + box.right - w) / 2), floor((box.top + box.bottom - h) / 2)
  box = { left = left, top = top, right = left + w, bottom = top + h }
  if canvas.snap then canvas:snap(box) end
  return box
end

--- Draws axes whose inside is `box`; outer: the room for labels to the left and at the bottom.
function draw.axes(canvas, axes, box, outer)
  box = keep_aspect(canvas, axes, box)
  if axes.aspect == "equal" then draw.prepare(canvas, axes, box.right - box.left, box.bottom - box.top) end
  axes.x:place(box.left, box.right)
  axes.y:place(box.bottom, box.top)
  local view = { x = axes.x, y = axes.y, left = box.left, top = box.top, right = box.right, bottom = box.bottom }
  canvas:clip(box.left, box.top, box.right, box.bottom)
  if not axes.hidden and not canvas.sizes.no_grid then draw_grid(canvas, axes, box) end
  for _, artist in ipairs(axes.artists) do artist:draw(canvas, view) end
  canvas:clip()
  if not axes.hidden then
    canvas:frame(box.left, box.top, box.right, box.bottom)
    draw_x_ticks(canvas, axes, box)
    draw_y_ticks(canvas, axes, box)
  end
  draw_labels(canvas, axes, box, outer)
  draw_colorbar(canvas, axes, box)
  draw_legend(canvas, axes, box)
end

return draw
