--- The options that say how something looks: colours, lines, markers.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format
local colours = require "moonarray.plot.colours"
local markers = require "moonarray.plot.markers"
local font = require "moonarray.plot.font"

return function(core)
  local fail = core.fail
  local style = {}

  local dashes = { ["-"] = false, solid = false, ["--"] = { 3.7, 1.6 }, dashed = { 3.7, 1.6 }, [":"] = { 1, 1.65 },
    dotted = { 1, 1.65 }, ["-."] = { 6.4, 1.6, 1, 1.6 }, dashdot = { 6.4, 1.6, 1, 1.6 }, none = "none", [""] = "none" }

  local function quoted(value) return type(value) == "string" and sformat("%q", value) or core.describe(value) end

  --- A colour and its opacity (nil if it has none).
  function style.color(name, value, what)
    local colour, alpha = colours.parse(value)
    if not colour then
      fail(name, sformat('%s is %s; wanted a name such as "red", "#1f77b4", or three numbers from 0 to 1',
        what or "color", quoted(value)))
    end
    return colour, alpha
  end

  --- A number from 0 on.
  function style.length(name, what, value, default)
    if value == nil then return default end
    if type(value) ~= "number" or value ~= value or value < 0 or value == math.huge then
      fail(name, sformat("%s is %s; wanted a number from 0 on", what, type(value) == "number" and tostring(value)
        or core.describe(value)))
    end
    return value
  end

  function style.alpha(name, value)
    value = style.length(name, "alpha", value, 1)
    if value > 1 then fail(name, sformat("alpha is %s; wanted 0 to 1", tostring(value))) end
    return value
  end

  --- A list of lengths of dashes and gaps for a line of this width; nil for a whole line, false for none.
  function style.dash(name, value, width)
    if value == nil then return nil end
    local pattern = dashes[value]
    if pattern == nil then
      fail(name, sformat('linestyle is %s; wanted "-", "--", ":", "-." or "none"', quoted(value)))
    end
    if pattern == "none" then return false end
    if not pattern then return nil end
    local list = {}
    for k, length in ipairs(pattern) do list[k] = length * math.max(width, 0.5) end
    return list
  end

  --- A marker's shape; nil for none.
  function style.marker(name, value)
    if value == nil or value == "none" or value == "" then return nil end
    if not markers[value] then
      fail(name, sformat('marker is %s; wanted one of o . s D d ^ v < > p h * + x | _', quoted(value)))
    end
    return markers[value]
  end

  --- What a label is: text, or a number as text. What is no UTF-8 is left out, and control characters are spaces.
  function style.text(name, what, value)
    if type(value) == "number" then return tostring(value) end
    if type(value) ~= "string" then fail(name, sformat("%s is %s; wanted a string", what, core.describe(value))) end
    local parts = {}
    for character in font.characters(value) do
      local lead = character:byte()
      local bytes = lead < 128 and 1 or lead < 224 and 2 or lead < 240 and 3 or 4
      if #character >= bytes then parts[#parts + 1] = character:sub(1, bytes) end
    end
    return (table.concat(parts):gsub("%c", " "))
  end

  --- The parts of a format such as "r--o": colour, style of the line, marker.
  function style.format(name, text)
    if text == nil then return {} end
    if type(text) ~= "string" then
      fail(name, sformat('format is %s; wanted a string such as "r--o", or options', core.describe(text)))
    end
    local found, rest = {}, text
    local nth = rest:match("C%d")
    if nth then found.color, rest = nth, rest:gsub("C%d", "", 1) end
    for _, line in ipairs { "--", "-.", "-", ":" } do
      local at, to = rest:find(line, 1, true)
      if at and not found.linestyle then
        found.linestyle, rest = line, rest:sub(1, at - 1) .. rest:sub(to + 1)
      end
    end
    for letter in rest:gmatch(".") do
      if letter:find("[rgbcmykw]") and not found.color then found.color = letter
      elseif markers[letter] and not found.marker then found.marker = letter
      else
        fail(name, sformat("format is %q; wanted a colour's letter, a line's style and a marker, such as \"r--o\"",
          text))
      end
    end
    if found.marker and not found.linestyle then found.linestyle = "none" end
    return found
  end

  return style
end
