--- A canvas of vectors: what a figure is drawn on for an SVG. Text stays text.

local sformat, floor, concat = require("moonarray.text").format, math.floor, table.concat
local colours = require "moonarray.plot.colours"
local font = require "moonarray.plot.font"
local thin = require "moonarray.plot.thin"

local Canvas = {}
Canvas.__index = Canvas

local function new(ma, width, height, scale)
  return setmetatable({ ma = ma, width = width, height = height, scale = scale, parts = {}, clips = 0 }, Canvas)
end

local function put(self, text, ...) self.parts[#self.parts + 1] = sformat(text, ...) end

--- A coordinate with at most two decimals.
local function short(v)
  if v > 1e7 then v = 1e7 elseif v < -1e7 then v = -1e7 end
  local text = sformat("%.2f", v):gsub("0+$", ""):gsub("%.$", "")
  return text == "-0" and "0" or text
end

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
local function escaped(text) return (text:gsub('[&<>"]', escapes):gsub("[%z\1-\8\11\12\14-\31]", "")) end

local function opacity(what, alpha)
  return alpha and alpha < 1 and sformat(' %s-opacity="%s"', what, short(alpha)) or ""
end

function Canvas:clip(left, top, right, bottom)
  if self.clipped then put(self, "</g>") end
  self.clipped = left ~= nil
  if not left then return end
  self.clips = self.clips + 1
  put(self, '<clipPath id="c%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath><g clip-path="url(#c%d)">',
    self.clips, short(left), short(top), short(right - left), short(bottom - top), self.clips)
end

function Canvas:crisp(x) return floor(x) + 0.5 end

function Canvas:line(xs, ys, n, style)
  if n > 2000 then xs, ys, n = thin(xs, ys, n, 2) end
  local path, first = {}, true
  for k = 1, n do
    local x, y = xs[k], ys[k]
    if x - x ~= 0 or y - y ~= 0 then first = true
    else
      path[#path + 1] = (first and "M" or "L") .. short(x) .. " " .. short(y)
      first = false
    end
  end
  if #path == 0 then return end
  local dash = ""
  if style.dash then
    local list = {}
    for k, length in ipairs(style.dash) do list[k] = short(length) end
    dash = sformat(' stroke-dasharray="%s"', concat(list, " "))
  end
  put(self, '<path d="%s" fill="none" stroke="%s" stroke-width="%s"%s%s%s/>', concat(path), colours.digits(style.color),
    short(style.width), opacity("stroke", style.alpha), dash,
    (style.flat or style.dash) and "" or ' stroke-linecap="round" stroke-linejoin="round"')
end

function Canvas:polygon(xs, ys, style)
  local points = {}
  for k = 1, #xs do
    if xs[k] ~= xs[k] or ys[k] ~= ys[k] then return end
    points[k] = short(xs[k]) .. "," .. short(ys[k])
  end
  put(self, '<polygon points="%s" fill="%s"%s/>', concat(points, " "), colours.digits(style.color),
    opacity("fill", style.alpha))
end

function Canvas:rectangle(left, top, right, bottom, style)
  put(self, '<rect x="%s" y="%s" width="%s" height="%s" fill="%s"%s%s/>', short(left), short(top), short(right - left),
    short(bottom - top), colours.digits(style.color), opacity("fill", style.alpha),
    style.snap and ' shape-rendering="crispEdges"' or "")
end

local function marker(shape, x, y, radius, colour, style)
  local edge = style.edge and sformat(' stroke="%s" stroke-width="%s"', colours.digits(style.edge),
    short(style.edge_width or 1)) or ""
  if shape.disc then
    return sformat('<circle cx="%s" cy="%s" r="%s" fill="%s"%s%s/>', short(x), short(y), short(radius * shape.disc),
      colour, edge, opacity("fill", style.alpha))
  end
  local path = {}
  if shape.polygon then
    for k = 1, #shape.polygon, 2 do
      path[#path + 1] = (k == 1 and "M" or "L") .. short(x + shape.polygon[k] * radius) .. " "
        .. short(y - shape.polygon[k + 1] * radius)
    end
    return sformat('<path d="%sZ" fill="%s"%s%s/>', concat(path), colour, edge, opacity("fill", style.alpha))
  end
  for k, s in ipairs(shape.strokes) do
    path[k] = sformat("M%s %sL%s %s", short(x + s[1] * radius), short(y - s[2] * radius), short(x + s[3] * radius),
      short(y - s[4] * radius))
  end
  return sformat('<path d="%s" fill="none" stroke="%s" stroke-width="%s"%s/>', concat(path), colour,
    short(style.stroke or 1.5), opacity("stroke", style.alpha))
end

function Canvas:markers(xs, ys, n, shape, style)
  for k = 1, n do
    local x, y, colour = xs[k], ys[k], style.color
    if style.colors then colour = style.colors[k] end
    if x - x == 0 and y - y == 0 and colour then
      local radius = (style.sizes and style.sizes[k] or style.size) / 2
      self.parts[#self.parts + 1] = marker(shape, x, y, radius, colours.digits(colour), style)
    end
  end
end

function Canvas:text_width(text, size) return font.width(text, size) end

local anchors = { left = "start", center = "middle", right = "end" }

function Canvas:text(x, y, text, style)
  local size = style.size
  local down = style.up == "center" and 0.36 * size or style.up == "top" and 0.78 * size
    or style.up == "bottom" and -0.21 * size or 0
  if style.turned then x = x + down else y = y + down end
  local turn = style.turned and sformat(' transform="rotate(-90 %s %s)"', short(x), short(y)) or ""
  put(self, '<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s"%s%s>%s</text>', short(x), short(y),
    short(size), anchors[style.across or "left"], colours.digits(style.color), opacity("fill", style.alpha), turn,
    escaped(text))
end

-- ==== Pictures =======================================================================================================

local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(bytes)
  local out = {}
  for k = 1, #bytes, 3 do
    local a, b, c = bytes:byte(k, k + 2)
    local n = a * 65536 + (b or 0) * 256 + (c or 0)
    local text = ""
    for place = 18, 0, -6 do
      local digit = floor(n / 2 ^ place) % 64 + 1
      text = text .. letters:sub(digit, digit)
    end
    if not b then text = text:sub(1, 2) .. "==" elseif not c then text = text:sub(1, 3) .. "=" end
    out[#out + 1] = text
  end
  return concat(out)
end

function Canvas:picture(left, top, right, bottom, rgba, alpha)
  local ma = self.ma
  if right < left then left, right, rgba = right, left, ma.flip(rgba, 2) end
  if bottom < top then top, bottom, rgba = bottom, top, ma.flip(rgba, 1) end
  -- Programs that show SVG mix the pixels of a picture that they enlarge.
  local times = math.min(16, math.ceil(2 * (right - left) / rgba.shape[2]), math.ceil(2 * (bottom - top)
    / rgba.shape[1]))
  if times > 2 then
    rgba = ma.image.resize(rgba, { rgba.shape[1] * times, rgba.shape[2] * times }, { smooth = false })
  end
  put(self, '<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none"%s style="image-rendering:pixelated"'
    .. ' href="data:image/png;base64,%s"/>', short(left), short(top), short(right - left), short(bottom - top),
    alpha < 1 and sformat(' opacity="%s"', short(alpha)) or "", base64(ma.image.encode(rgba)))
end

-- ==== The result =====================================================================================================

function Canvas:finish()
  local width, height = self.width, self.height
  return concat { sformat('<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" '
    .. 'font-family="DejaVu Sans, Verdana, Arial, sans-serif">\n', short(width * self.scale),
    short(height * self.scale), short(width), short(height)), concat(self.parts, "\n"),
    self.clipped and "\n</g>" or "", "\n</svg>\n" }
end

require "moonarray.plot.paper" (Canvas)

return new
