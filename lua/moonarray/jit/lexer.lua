--- Splits Lua source into tokens with their lines. It is plain Lua without state, because kernels are read wherever the
--- library runs.

local tonumber = require("moonarray.text").tonumber
local lexer = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true
  until while]]):gmatch("%a+") do
  keywords[word] = true
end

local escapes = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v" }

---@class moonarray.jit.token
---@field kind "name"|"number"|"string"|"eof"|string  a keyword or an operator is its own kind
---@field value any
---@field line integer
---@field first integer  the place of its first byte
---@field integer? "int64"|"uint64"  of 5LL, 5ULL: `value` has the digits

--- Raises `chunk:line: moonarray.jit: text`.
function lexer.fail(chunk, line, text) error(("%s:%d: moonarray.jit: %s"):format(chunk, line, text), 0) end

local function count_lines(text, from, to)
  local n, at = 0, from
  while true do
    at = text:find("\n", at, true)
    if not at or at > to then return n end
    n, at = n + 1, at + 1
  end
end

--- Reads a quoted string from its opening quote on; returns its value and the place behind it.
local function quoted(text, at, line, chunk)
  local quote, parts, start = text:sub(at, at), {}, at
  at = at + 1
  while true do
    local stop = text:find("[\\\n" .. quote .. "]", at)
    if not stop then lexer.fail(chunk, line, "a string without an end") end
    parts[#parts + 1] = text:sub(at, stop - 1)
    local c = text:sub(stop, stop)
    if c == quote then return table.concat(parts), stop + 1, count_lines(text, start, stop) end
    if c == "\n" then lexer.fail(chunk, line, "a string without an end") end
    local code = text:match("^%d%d?%d?", stop + 1)
    local letter = text:sub(stop + 1, stop + 1)
    if code and tonumber(code) < 256 then
      parts[#parts + 1], at = string.char(tonumber(code)), stop + 1 + #code
    else
      parts[#parts + 1], at = escapes[letter] or letter, stop + 2
    end
  end
end

local function number(text, at, line, chunk)
  local digits = text:match("^0[xX]%x+", at) or text:match("^%d+%.?%d*[eE][+-]?%d+", at)
    or text:match("^%.%d+[eE][+-]?%d+", at)
    or text:match("^%d+%.?%d*", at) or text:match("^%.%d+", at)
  local suffix = digits:find("^%d+$") or digits:find("^0[xX]")
  suffix = suffix and text:match("^[uU]?[lL][lL]", at + #digits)
  if suffix then                       -- in C++ a 0 in front would mean another base
    local integer = #suffix == 2 and "int64" or "uint64"
    return digits:match("^0+(%d+)$") or digits, at + #digits + #suffix, false, integer
  end
  if text:match("^[%w_.]", at + #digits) then
    lexer.fail(chunk, line, ("the number '%s' is not available in a kernel"):format(text:match("^[%w_.]+", at)))
  end
  local value = tonumber(digits)
  return value, at + #digits, (digits:find("[.eE]") and not digits:find("[xX]")) and true or false
end

local operators = { "...", "..", "==", "~=", "<=", ">=", "::", "//" }

local function operator(text, at)
  for _, op in ipairs(operators) do
    if text:sub(at, at + #op - 1) == op then return op end
  end
  return text:match("^[-+*/%%^#<>=(){}%[%];:,.]", at)
end

--- A list of tokens; the last is "eof". `line` is that of the first byte.
---@param text string
---@param chunk string  the file's name in messages
---@param line? integer
---@return moonarray.jit.token[]
function lexer.tokens(text, chunk, line)
  local list, at = {}, 1
  line = line or 1
  local function add(kind, first, value, is_float, integer)
    list[#list + 1] = { kind = kind, line = line, first = first, value = value, is_float = is_float, integer = integer }
  end
  if text:sub(1, 1) == "#" then at = text:find("\n", 1, true) or #text + 1 end
  while true do
    local stop = text:find("[^ \t\r\f\v]", at)
    if not stop then
      add("eof", #text + 1)
      return list
    end
    at = stop
    local c = text:sub(at, at)
    local level = text:match("^%-%-%[(=*)%[", at)
    if c == "\n" then
      line, at = line + 1, at + 1
    elseif level or text:match("^%[=*%[", at) then
      local open = level and at + 2 or at
      level = level or text:match("^%[(=*)%[", at)
      local first = open + #level + 2
      local close = text:find("]" .. level .. "]", first, true)
      if not close then lexer.fail(chunk, line, "a long string or comment without an end") end
      if open == at then add("string", at, (text:sub(first, close - 1):gsub("^\r?\n", ""))) end
      line, at = line + count_lines(text, at, close), close + #level + 2
    elseif text:sub(at, at + 1) == "--" then
      at = text:find("\n", at, true) or #text + 1
    elseif c:find("[%a_]") then
      local name = text:match("^[%w_]+", at)
      add(keywords[name] and name or "name", at, name)
      at = at + #name
    elseif c:find("%d") or text:find("^%.%d", at) then
      local value, after, is_float, integer = number(text, at, line, chunk)
      add("number", at, value, is_float, integer)
      at = after
    elseif c == '"' or c == "'" then
      local value, after, lines = quoted(text, at, line, chunk)
      add("string", at, value)
      line, at = line + lines, after
    else
      local op = operator(text, at)
      if not op then
        lexer.fail(chunk, line, ("unexpected symbol '%s'"):format(c:find("%c") and ("\\%d"):format(c:byte()) or c))
      end
      add(op, at)
      at = at + #op
    end
  end
end

return lexer
