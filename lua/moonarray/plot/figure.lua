--- Figures: axes in a grid, and the ways out of them.

local floor, max, min = math.floor, math.max, math.min
local draw = require "moonarray.plot.draw"

local figure = {}

local INK = { 0, 0, 0 }

--- The axes by their grids, so that those of one column or row have their insides in line.
local function grids_of(state)
  local grids, list = {}, {}
  for _, axes in ipairs(state.axes) do
    local key = axes.rows .. "x" .. axes.columns
    local grid = grids[key]
    if not grid then
      grid = { rows = axes.rows, columns = axes.columns }
      grids[key], list[#list + 1] = grid, grid
    end
    grid[#grid + 1] = axes
  end
  return list
end

--- The greatest of a value for each row or column of a grid.
local function greatest(grid, needs, at, value, n)
  local list = {}
  for k = 1, n do list[k] = 0 end
  for a, axes in ipairs(grid) do
    local k = axes[at]
    list[k] = max(list[k], needs[a][value])
  end
  return list
end

local function sum(list)
  local total = 0
  for _, v in ipairs(list) do total = total + v end
  return total
end

--- Where each row or column begins, for parts of one size with room before and behind each.
local function places(from, before, behind, size, gap)
  local starts, at = {}, from
  for k = 1, #before do
    starts[k] = at + before[k]
    at = starts[k] + size + behind[k] + gap
  end
  return starts
end

local function draw_grid(canvas, grid, area)
  local gap = canvas.sizes.apart
  local columns, rows = grid.columns, grid.rows
  local width, height = (area.right - area.left) / columns * 0.8, (area.bottom - area.top) / rows * 0.75
  local needs, left, top, right, bottom
  for _ = 1, 2 do
    needs = {}
    for k, axes in ipairs(grid) do
      local l, t, r, b = draw.prepare(canvas, axes, width * (axes.last_column - axes.column + 1),
        height * (axes.last_row - axes.row + 1))
      needs[k] = { left = l, top = t, right = r, bottom = b }
    end
    left = greatest(grid, needs, "column", "left", columns)
    right = greatest(grid, needs, "last_column", "right", columns)
    top, bottom = greatest(grid, needs, "row", "top", rows), greatest(grid, needs, "last_row", "bottom", rows)
    width = (area.right - area.left - sum(left) - sum(right) - gap * (columns - 1)) / columns
    height = (area.bottom - area.top - sum(top) - sum(bottom) - gap * (rows - 1)) / rows
    width, height = max(width, 4), max(height, 4)
  end
  local xs, ys = places(area.left, left, right, width, gap), places(area.top, top, bottom, height, gap)
  for k, axes in ipairs(grid) do
    local box = { left = floor(xs[axes.column] + 0.5), top = floor(ys[axes.row] + 0.5),
      right = floor(xs[axes.last_column] + width + 0.5), bottom = floor(ys[axes.last_row] + height + 0.5) }
    if canvas.snap then canvas:snap(box) end
    draw.prepare(canvas, axes, box.right - box.left, box.bottom - box.top)
    draw.axes(canvas, axes, box, { left = needs[k].left, bottom = needs[k].bottom,
      from = box.left - left[axes.column] })
  end
end

--- Draws a figure's state on a canvas.
function figure.draw(state, canvas)
  local sizes = canvas.sizes
  local border = sizes.border
  if state.background then canvas:rectangle(0, 0, canvas.width, canvas.height, { color = state.background }) end
  local area = { left = border, top = border, right = canvas.width - border, bottom = canvas.height - border }
  if state.title then
    canvas:text(canvas.width / 2, border, state.title, { size = sizes.title, color = INK, across = "center", up = "top",
      is_title = true })
    area.top = area.top + sizes.title + sizes.gap * 2
  end
  for _, grid in ipairs(grids_of(state)) do draw_grid(canvas, grid, area) end
end

--- Axes for a place of a grid, or for a range of places.
function figure.new_axes(rows, columns, first, last, new_axis)
  local row, column = floor((first - 1) / columns) + 1, (first - 1) % columns + 1
  local last_row, last_column = floor((last - 1) / columns) + 1, (last - 1) % columns + 1
  return { rows = rows, columns = columns, row = min(row, last_row), last_row = max(row, last_row),
    column = min(column, last_column), last_column = max(column, last_column), first = first, last = last,
    x = new_axis(), y = new_axis(), artists = {}, taken = 0 }
end

return figure
