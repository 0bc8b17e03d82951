--- A reader of JSON, for specs of files that other programs read: strict, so that what they would refuse fails here.

local json = {}

local ESCAPED = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function fail(text, at, wanted)
  error(("byte %d of the JSON is %q; wanted %s"):format(at, text:sub(at, at + 20), wanted), 0)
end

local function skip(text, at) return text:find("[^ \t\r\n]", at) or #text + 1 end

local function read_string(text, at)
  local parts, from = {}, at + 1
  while true do
    local stop = text:find('["\\%c]', from) or fail(text, from, "the end of a string")
    parts[#parts + 1] = text:sub(from, stop - 1)
    local c = text:sub(stop, stop)
    if c == '"' then return table.concat(parts), stop + 1 end
    if c ~= "\\" then fail(text, stop, "no control character") end
    local code = text:match("^u(%x%x%x%x)", stop + 1)
    local short = ESCAPED[text:sub(stop + 1, stop + 1)]
    if not code and not short then fail(text, stop, "an escape") end
    parts[#parts + 1] = short or string.char(tonumber(code, 16) % 256)
    from = stop + (code and 6 or 2)
  end
end

local read_value

local function read_list(text, at)
  local list = {}
  at = skip(text, at + 1)
  if text:sub(at, at) == "]" then return list, at + 1 end
  while true do
    list[#list + 1], at = read_value(text, at)
    at = skip(text, at)
    local c = text:sub(at, at)
    if c == "]" then return list, at + 1 end
    if c ~= "," then fail(text, at, ", or ]") end
    at = at + 1
  end
end

local function read_object(text, at)
  local object = {}
  at = skip(text, at + 1)
  if text:sub(at, at) == "}" then return object, at + 1 end
  while true do
    at = skip(text, at)
    if text:sub(at, at) ~= '"' then fail(text, at, "a key") end
    local key
    key, at = read_string(text, at)
    if object[key] ~= nil then fail(text, at, "each key once") end
    at = skip(text, at)
    if text:sub(at, at) ~= ":" then fail(text, at, ":") end
    object[key], at = read_value(text, at + 1)
    at = skip(text, at)
    local c = text:sub(at, at)
    if c == "}" then return object, at + 1 end
    if c ~= "," then fail(text, at, ", or }") end
    at = at + 1
  end
end

function read_value(text, at)
  at = skip(text, at)
  local c = text:sub(at, at)
  if c == "{" then return read_object(text, at) end
  if c == "[" then return read_list(text, at) end
  if c == '"' then return read_string(text, at) end
  local number = text:match("^-?%d+%.?%d*[eE]?[-+]?%d*", at)
  if not number then fail(text, at, "a value") end
  return assert(tonumber(number)), at + #number
end

--- The value of a whole text.
function json.read(text)
  local value, at = read_value(text, 1)
  if skip(text, at) <= #text then fail(text, at, "the end") end
  return value
end

return json
