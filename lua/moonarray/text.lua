--- Numbers as text and text as numbers, always with a decimal point. LuaJIT's own functions write it so; those of plain
--- Lua are C's, which follow the locale (os.setlocale).

local text = { format = string.format, tostring = tostring, tonumber = tonumber }
--- Whether the message is of a kernel that nothing here compiles: on the CPU, or on a GPU without NVRTC.
function text.lacks_compiler(message)
  message = tostring(message)
  return (message:find("no C++ compiler was found", 1, true)
    or message:find(" is compiled for compute capability ", 1, true)) ~= nil
end

if rawget(_G, "jit") then return text end

local sformat, sub = string.format, string.sub

--- The decimal sign of the locale, and a pattern that matches it.
local function sign()
  local found = sub(sformat("%.1f", 0.5), 2, -2)
  return found, (found:gsub("%p", "%%%0"))
end

local FRACTIONS = { a = true, A = true, e = true, E = true, f = true, F = true, g = true, G = true }

function text.tostring(value)
  if type(value) ~= "number" then return tostring(value) end
  local _, pattern = sign()
  return (tostring(value):gsub(pattern, "."))
end

--- string.format, whose numbers always have a decimal point, also for %s.
function text.format(format, ...)
  local found, pattern = sign()
  if found == "." then return sformat(format, ...) end
  local given, k = { ... }, 0
  return (format:gsub("(%%[-+ #0]*%d*%.?%d*)(.)", function(how, letter)
    if letter == "%" then return "%" end
    k = k + 1
    local value = given[k]
    if letter == "s" then return sformat(how .. "s", type(value) == "number" and text.tostring(value) or value) end
    local made = sformat(how .. letter, value)
    return FRACTIONS[letter] and made:gsub(pattern, ".") or made
  end))
end

function text.tonumber(value, base)
  local found, pattern = sign()
  if base or found == "." or type(value) ~= "string" then return tonumber(value, base or 10) end
  if value:find(pattern) then return nil end
  return tonumber((value:gsub("%.", found)))
end

return text
