--- What canvases of pixels and of vectors have in common: frames, ticks, panels, out of lines and rectangles.

local INK = { 0, 0, 0 }

return function(Canvas)
  Canvas.sizes = setmetatable({ turns = true }, { __index = require "moonarray.plot.sizes" })

  --- A frame on whole pixels, whose inside is the box.
  function Canvas:frame(left, top, right, bottom)
    local l, t = self:crisp(left, 1), self:crisp(top, 1)
    local r, b = self:crisp(right, 1), self:crisp(bottom, 1)
    local style = { color = INK, width = 1, flat = true }
    local h = 0.5
    self:line({ l - h, r + h }, { t, t }, 2, style)
    self:line({ l - h, r + h }, { b, b }, 2, style)
    self:line({ l, l }, { t - h, b + h }, 2, style)
    self:line({ r, r }, { t - h, b + h }, 2, style)
  end

  --- A tick outward from a place on the frame; side: "x" at the bottom, "y" to the left, "right".
  function Canvas:tick(x, y, side, length)
    local style = { color = INK, width = 1, flat = true }
    if side == "x" then
      local c = self:crisp(x, 1)
      self:line({ c, c }, { y, y + length + 1 }, 2, style)
    elseif side == "y" then
      local c = self:crisp(y, 1)
      self:line({ x - length, x }, { c, c }, 2, style)
    else
      local c = self:crisp(y, 1)
      self:line({ x, x + length + 1 }, { c, c }, 2, style)
    end
  end

  --- A box with an edge, on which something is written.
  function Canvas:panel(left, top, right, bottom, colour, edge)
    self:rectangle(left, top, right, bottom, { color = colour, alpha = 0.85 })
    local l, t = self:crisp(left, 1), self:crisp(top, 1)
    local r, b = self:crisp(right, 1), self:crisp(bottom, 1)
    self:line({ l, r, r, l, l }, { t, t, b, b, t }, 5, { color = edge, width = 1 })
  end
end
