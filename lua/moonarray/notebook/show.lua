--- How a value looks in a notebook: a list of kinds of contents (MIME types) and their bytes, the richest first.

local ma = require "moonarray"
local is_array = require("moonarray.core").is_array
local sformat = require("moonarray.text").format

local show = {}

local MOST = 20                        -- rows and columns of a table

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

local function escape(value) return (value:gsub("[&<>]", escapes)) end

--- The positions of an axis that are shown. 0 is a gap.
local function places(n)
  local list = {}
  if n <= MOST then
    for k = 1, n do list[k] = k end
    return list
  end
  for k = 1, MOST / 2 do
    list[k], list[MOST / 2 + 1 + k] = k, n - MOST / 2 + k
  end
  list[MOST / 2 + 1] = 0
  return list
end

local function shown(value)
  if type(value) == "number" and value ~= math.floor(value) then return sformat("%.6g", value) end
  return escape(tostring(value))
end

--- The elements at these places of the first axis.
local function taken(a, list)
  if #list <= MOST then return a end
  local positions = {}
  for _, k in ipairs(list) do
    if k > 0 then positions[#positions + 1] = k end
  end
  return a[ma.index(positions)]
end

local function row_of(kind, list, cell)
  local cells, nth = {}, 0
  for k, place in ipairs(list) do
    if place > 0 then nth = nth + 1 end
    cells[k] = sformat("<%s>%s</%s>", kind, place == 0 and "…" or cell(nth, place), kind)
  end
  return table.concat(cells)
end

--- An array of one or two axes as a table of HTML, whose heads are positions.
local function to_table(a)
  local matrix = a.ndim == 2 and a or a:reshape(1, a.size)
  local height, width = matrix:dims()
  local rows, columns = places(height), places(width)
  local values = taken(taken(matrix, rows).T, columns).T:totable()
  local head = row_of("th", columns, function(_, place) return place end)
  local lines, nth = { sformat("<table><tr><th></th>%s</tr>", head) }, 0
  for _, place in ipairs(rows) do
    if place > 0 then nth = nth + 1 end
    local row = values[nth]
    lines[#lines + 1] = sformat("<tr><th>%s</th>%s</tr>", a.ndim == 1 and "" or place == 0 and "…" or place,
      row_of("td", columns, function(k) return place == 0 and "…" or shown(row[k]) end))
  end
  lines[#lines + 1] = sformat("</table><p>%s %s, %s</p>", tostring(a.shape), a.dtype, tostring(a.device))
  return table.concat(lines, "\n")
end

local function is_picture(a)
  local channels = a.shape[3]
  return a.ndim == 3 and a.dtype == "uint8" and a.size > 0 and (channels == 3 or channels == 4)
end

local function is_figure(value)
  return type(value) == "table" and rawequal(getmetatable(value), getmetatable(ma.plot.figure()))
end

--- What is richer than text: a kind and its bytes, or nothing.
local function rich(value)
  if is_figure(value) then return "image/png", ma.image.encode(value:to_image()) end
  if not is_array(value) then return end
  if is_picture(value) then return "image/png", ma.image.encode(value) end
  if value.size > 0 and (value.ndim == 1 or value.ndim == 2) then return "text/html", to_table(value) end
end

--- The kinds and contents of a value.
function show.contents(value)
  local done, kind, bytes = pcall(rich, value)
  local plain = tostring(value)
  if done and kind then return { kind, bytes, "text/plain", plain } end
  return { "text/plain", plain }
end

return show
