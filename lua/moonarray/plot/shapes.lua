--- What is drawn in an axes as areas with straight sides: bars, and pictures with their colours.

local shapes = {}

local Bars = {}
Bars.__index = Bars

--- Bars from `base` to `top`, which lie from `from` to `to` along the axis "x" or "y".
function shapes.bars(along, from, to, base, top, style)
  local across = along == "x" and "y" or "x"
  local self = setmetatable({ lists = {}, sticky = {}, along = along, from = from, to = to, base = base, top = top,
    style = style, label = style.label }, Bars)
  self.lists[along], self.lists[across] = { from, to }, { base, top }
  self.sticky[across] = base
  return self
end

function Bars:draw(canvas, view)
  local along, across = view[self.along], view[self.along == "x" and "y" or "x"]
  local from, to, top = along:map(self.from), along:map(self.to), across:map(self.top)
  local base, edge = across:map(self.base), self.style.edge
  -- A bar on a logarithmic axis begins where the axis does.
  local least = self.along == "x" and view.bottom or view.left
  for k = 1, #from do
    local b = base[k] == base[k] and base[k] or least
    if from[k] - from[k] == 0 and to[k] - to[k] == 0 and top[k] - top[k] == 0 then
      local left, right, high, low = from[k], to[k], top[k], b
      if self.along == "y" then left, right, high, low = b, top[k], from[k], to[k] end
      canvas:rectangle(math.min(left, right), math.min(high, low), math.max(left, right), math.max(high, low),
        self.style)
      if edge then
        canvas:line({ left, right, right, left, left }, { high, high, low, low, high }, 5, edge)
      end
    end
  end
end

function Bars:swatch(canvas, left, middle, right, half)
  canvas:rectangle(left, middle - half, right, middle + half, self.style)
end

local Picture = {}
Picture.__index = Picture

--- A picture between two corners of the data; its first row is at `top`. rgba is an array (height, width, 4) of uint8.
function shapes.picture(left, right, bottom, top, rgba, alpha)
  return setmetatable({ lists = { x = { { left, right } }, y = { { bottom, top } } }, is_picture = true,
    sticky = { x = { left, right }, y = { bottom, top } }, rgba = rgba, alpha = alpha }, Picture)
end

function Picture:draw(canvas, view)
  local xs, ys = view.x:map(self.lists.x[1]), view.y:map(self.lists.y[1])
  canvas:picture(xs[1], ys[2], xs[2], ys[1], self.rgba, self.alpha)
end

return shapes
