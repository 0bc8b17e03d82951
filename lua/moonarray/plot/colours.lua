--- Colours by name, by digits and by numbers, as {red, green, blue} from 0 to 255; and the cycle of a plot's lines.

local tonumber = require("moonarray.text").tonumber
local sformat = require("moonarray.text").format

local colours = {}

-- The ten of "tab10", in the order in which lines take them.
local cycle = {}
for digits in ("1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf"):gmatch("%x+") do
  cycle[#cycle + 1] = digits
end

local names = {}
for name, digits in ([[
    black 000000 white ffffff red ff0000 green 008000 blue 0000ff cyan 00ffff magenta ff00ff yellow ffff00
    k 000000 w ffffff r ff0000 g 008000 b 0000ff c 00bfbf m bf00bf y bfbf00
    grey 808080 gray 808080 darkgrey a9a9a9 darkgray a9a9a9 lightgrey d3d3d3 lightgray d3d3d3 silver c0c0c0
    orange ffa500 darkorange ff8c00 gold ffd700 brown a52a2a purple 800080 violet ee82ee indigo 4b0082 pink ffc0cb
    crimson dc143c darkred 8b0000 maroon 800000 salmon fa8072 tomato ff6347 coral ff7f50 orangered ff4500
    navy 000080 darkblue 00008b royalblue 4169e1 steelblue 4682b4 skyblue 87ceeb lightblue add8e6 dodgerblue 1e90ff
    teal 008080 turquoise 40e0d0 lime 00ff00 limegreen 32cd32 forestgreen 228b22 darkgreen 006400 seagreen 2e8b57
    olive 808000 khaki f0e68c tan d2b48c chocolate d2691e beige f5f5dc]]):gmatch("(%a+) (%x+)") do
  names[name] = digits
end
for k, name in ipairs { "blue", "orange", "green", "red", "purple", "brown", "pink", "grey", "olive", "cyan" } do
  names["tab:" .. name] = cycle[k]
end
names["tab:gray"] = names["tab:grey"]

local function of_digits(digits)
  if #digits == 3 then digits = digits:gsub("%x", "%0%0") end
  local list = {}
  for pair in digits:gmatch("%x%x") do list[#list + 1] = tonumber(pair, 16) end
  return list
end

--- The k-th colour of the cycle, which begins anew behind its end.
function colours.nth(k) return of_digits(cycle[(k - 1) % #cycle + 1]) end

local function of_text(text)
  local digits = names[text:lower()] or text:match("^#(%x%x%x)$") or text:match("^#(%x%x%x%x%x%x)$")
    or text:match("^#(%x%x%x%x%x%x%x%x)$")
  if digits then
    local list = of_digits(digits)
    return list, list[4] and list[4] / 255
  end
  local nth = text:match("^C(%d+)$")
  if nth then return colours.nth(tonumber(nth) + 1) end
  local grey = text:match("^%d*%.?%d+$") and tonumber(text)
  if grey and grey <= 1 then return { 255 * grey, 255 * grey, 255 * grey } end
end

local function of_table(list)
  if #list ~= 3 and #list ~= 4 then return nil end
  for k = 1, #list do
    if type(list[k]) ~= "number" or not (list[k] >= 0 and list[k] <= 1) then return nil end
  end
  return { 255 * list[1], 255 * list[2], 255 * list[3] }, list[4]
end

--- A colour and its opacity, if it has one; nil if the value is none. `value` is a name, "#rrggbb", "C0" to "C9" of the
--- cycle, a grey such as "0.5", or three or four numbers from 0 to 1.
function colours.parse(value)
  if type(value) == "string" then return of_text(value) end
  if type(value) == "table" then return of_table(value) end
end

--- "#1f77b4"
function colours.digits(colour)
  local function whole(v) return math.floor(v + 0.5) end
  return sformat("#%02x%02x%02x", whole(colour[1]), whole(colour[2]), whole(colour[3]))
end

return colours
