--- What is drawn in an axes from points: lines, markers, areas between lines, lines across.

local huge = math.huge

local lines = {}

--- The lists with their places on the canvas.
local function both(view, xs, ys) return view.x:map(xs), view.y:map(ys) end

local Line = {}
Line.__index = Line

--- xs, ys: lists. style: color, alpha, width, dash, shape (a marker's), size.
function lines.line(xs, ys, style)
  return setmetatable({ lists = { x = { xs }, y = { ys } }, style = style, label = style.label }, Line)
end

function Line:draw(canvas, view)
  local style = self.style
  local xs, ys = both(view, self.lists.x[1], self.lists.y[1])
  if style.dash ~= false then canvas:line(xs, ys, #xs, style) end
  if style.shape then canvas:markers(xs, ys, #xs, style.shape, style) end
end

function Line:swatch(canvas, left, middle, right)
  local style = self.style
  if style.dash ~= false then canvas:line({ left, right }, { middle, middle }, 2, style) end
  if style.shape then canvas:markers({ (left + right) / 2 }, { middle }, 1, style.shape, style) end
end

local Points = {}
Points.__index = Points

--- style: shape, size or sizes, color or colors, alpha, edge.
function lines.points(xs, ys, style)
  return setmetatable({ lists = { x = { xs }, y = { ys } }, style = style, label = style.label }, Points)
end

function Points:draw(canvas, view)
  local xs, ys = both(view, self.lists.x[1], self.lists.y[1])
  canvas:markers(xs, ys, #xs, self.style.shape, self.style)
end

function Points:swatch(canvas, left, middle, right)
  local style = self.style
  local one = { shape = style.shape, size = style.swatch_size or style.size, color = style.color, alpha = style.alpha,
    edge = style.edge, edge_width = style.edge_width, stroke = style.stroke }
  canvas:markers({ (left + right) / 2 }, { middle }, 1, style.shape, one)
end

local Area = {}
Area.__index = Area

--- The area between two lines over the same places.
function lines.area(xs, lower, upper, style)
  return setmetatable({ lists = { x = { xs }, y = { lower, upper } }, style = style, label = style.label }, Area)
end

function Area:draw(canvas, view)
  local xs, lower = both(view, self.lists.x[1], self.lists.y[1])
  local upper = view.y:map(self.lists.y[2])
  local n, k = #xs, 1
  local function is_place(p)
    return xs[p] - xs[p] == 0 and lower[p] == lower[p] and upper[p] == upper[p]
  end
  while k <= n do
    local last = k
    if is_place(k) then
      while last < n and is_place(last + 1) do last = last + 1 end
      local px, py = {}, {}
      for p = k, last do px[#px + 1], py[#py + 1] = xs[p], upper[p] end
      for p = last, k, -1 do px[#px + 1], py[#py + 1] = xs[p], lower[p] end
      canvas:polygon(px, py, self.style)
    end
    k = last + 1
  end
end

function Area:swatch(canvas, left, middle, right, half)
  canvas:rectangle(left, middle - half, right, middle + half, self.style)
end

local Across = {}
Across.__index = Across

--- A line across the axes at a value of one axis, "x" or "y". It widens the limits of that axis.
function lines.across(axis, value, style)
  local self = setmetatable({ lists = { x = {}, y = {} }, style = style, axis = axis, value = value,
    label = style.label }, Across)
  self.lists[axis][1] = { value }
  return self
end

function Across:draw(canvas, view)
  local at = view[self.axis]:map({ self.value })[1]
  if at ~= at then return end
  if self.axis == "x" then canvas:line({ at, at }, { view.bottom, view.top }, 2, self.style)
  else canvas:line({ view.left, view.right }, { at, at }, 2, self.style) end
end

Across.swatch = Line.swatch

local Text = {}
Text.__index = Text

--- Text at a place of the data. It does not widen the limits.
function lines.text(x, y, text, style)
  return setmetatable({ lists = { x = {}, y = {} }, x = x, y = y, text = text, style = style }, Text)
end

function Text:draw(canvas, view)
  local x, y = view.x:map({ self.x })[1], view.y:map({ self.y })[1]
  if x - x == 0 and y - y == 0 and math.abs(x) < huge then canvas:text(x, y, self.text, self.style) end
end

return lines
