--- Splits Lua source into tokens with their lines. It is plain Lua without state, because kernels are read wherever the
--- library runs.
---
--- What is no token of a kernel becomes one of the kind "bad", at which the parser raises. So it is an error inside of
--- the function alone.

local tonumber = require("moonarray.text").tonumber
local lexer = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true
  until while]]):gmatch("%a+") do
  keywords[word] = true
end

local escapes = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v" }

---@class moonarray.jit.token
---@field kind "name"|"number"|"string"|"bad"|"eof"|string  a keyword or an operator is its own kind
---@field value any  of a bad one: the message
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

--- The bytes that an escape stands for, and the place behind it; `at` is that behind the backslash.
local function escape(text, at)
  local code = text:match("^%d%d?%d?", at)
  if code and tonumber(code) < 256 then return string.char(tonumber(code)), at + #code end
  local hex = text:match("^x(%x%x)", at)
  if hex then return string.char(tonumber("0x" .. hex)), at + 3 end
  if text:find("^z", at) then return "", text:find("[^ \t\n\f\v]", at + 1) or #text + 1 end
  local letter = text:sub(at, at)
  return escapes[letter] or letter, at + 1
end

--- Reads a quoted string from its opening quote on; returns its value, nil if it has no end, and the place behind it.
local function quoted(text, at)
  local quote, parts = text:sub(at, at), {}
  at = at + 1
  while true do
    local stop = text:find("[\\\n" .. quote .. "]", at)
    if not stop then return nil, #text + 1 end
    parts[#parts + 1] = text:sub(at, stop - 1)
    local c = text:sub(stop, stop)
    if c == quote then return table.concat(parts), stop + 1 end
    if c == "\n" then return nil, stop end
    parts[#parts + 1], at = escape(text, stop + 1)
  end
end

--- Reads a number; returns its value, nil if a kernel has no such, the place behind it, and the fields of its token.
local function number(text, at)
  local digits = text:match("^0[xX]%x+", at) or text:match("^%d+%.?%d*[eE][+-]?%d+", at)
    or text:match("^%.%d+[eE][+-]?%d+", at)
    or text:match("^%d+%.?%d*", at) or text:match("^%.%d+", at)
  local after = at + #digits
  local suffix = digits:find("^%d+$") or digits:find("^0[xX]")
  suffix = suffix and text:match("^[uU]?[lL][lL]", after)
  if suffix then after = after + #suffix end
  local rest = text:match("^[%w_.]+", after)
  if rest then return nil, after + #rest end
  if suffix then                       -- in C++ a 0 in front would mean another base
    return digits:match("^0+(%d+)$") or digits, after, false, #suffix == 2 and "int64" or "uint64"
  end
  return tonumber(digits), after, (digits:find("[.eE]") and not digits:find("[xX]")) and true or false
end

local operators = { "...", "..", "==", "~=", "<=", ">=", "::", "//" }

local function operator(text, at)
  for _, op in ipairs(operators) do
    if text:sub(at, at + #op - 1) == op then return op end
  end
  return text:match("^[-+*/%%^#<>=(){}%[%];:,.]", at)
end

--- A list of tokens; the last is "eof". `line` is that of the first byte.
---@param text string  with "\n" alone between lines
---@param line integer
---@return moonarray.jit.token[]
function lexer.tokens(text, line)
  local list, at = {}, 1
  local function add(kind, first, value, is_float, integer)
    list[#list + 1] = { kind = kind, line = line, first = first, value = value, is_float = is_float, integer = integer }
  end
  if line == 1 and text:sub(1, 1) == "#" then at = text:find("\n", 1, true) or #text + 1 end
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
      if not close then add("bad", at, "a long string or comment without an end")
      elseif open == at then add("string", at, (text:sub(first, close - 1):gsub("^\n", ""))) end
      close = close or #text
      line, at = line + count_lines(text, at, close), close + #level + 2
    elseif text:sub(at, at + 1) == "--" then
      at = text:find("\n", at, true) or #text + 1
    elseif c:find("[%a_]") then
      local name = text:match("^[%w_]+", at)
      add(keywords[name] and name or "name", at, name)
      at = at + #name
    elseif c:find("%d") or text:find("^%.%d", at) then
      local value, after, is_float, integer = number(text, at)
      add(value and "number" or "bad", at, value
        or ("the number '%s' is not available in a kernel"):format(text:sub(at, after - 1)), is_float, integer)
      at = after
    elseif c == '"' or c == "'" then
      local value, after = quoted(text, at)
      add(value and "string" or "bad", at, value or "a string without an end")
      line, at = line + count_lines(text, at, after - 1), after
    else
      local op = operator(text, at)
      add(op or "bad", at, not op
        and ("unexpected symbol '%s'"):format(c:find("%c") and ("\\%d"):format(c:byte()) or c) or nil)
      at = at + (op and #op or 1)
    end
  end
end

-- ==== Where a line begins ====

--- The text as the lexer wants it: Lua's other ends of lines become "\n", and a mark of UTF-8 in front goes.
function lexer.plain(text)
  if text:sub(1, 3) == "\239\187\191" then text = text:sub(4) end
  if not text:find("\r", 1, true) then return text end
  return (text:gsub("\r\n", "\n"):gsub("\n\r", "\n"):gsub("\r", "\n"))
end

--- The place of a line's first byte; nil behind the last line.
function lexer.line_start(text, line)
  local at = 1
  for _ = 2, line do
    at = text:find("\n", at, true)
    if not at then return end
    at = at + 1
  end
  return at
end

--- The place behind what begins at `at`, a string or a comment; for anything else the next place. The text is Lua's,
--- so that only a quote ends a quoted string.
local function behind(text, at)
  local c = text:sub(at, at)
  if c == "[" or c == "-" then
    local level = text:match(c == "[" and "^%[(=*)%[" or "^%-%-%[(=*)%[", at)
    if level then
      local _, last = text:find("]" .. level .. "]", at + #level + 2, true)
      return last and last + 1 or #text + 1
    end
    if c == "[" or text:byte(at + 1) ~= 45 then return at + 1 end
    return text:find("\n", at, true) or #text + 1
  end
  local pattern = c == '"' and '[\\"]' or "[\\']"
  at = text:find(pattern, at + 1)
  while at and text:byte(at) == 92 do at = text:find(pattern, at + 2) end
  return at and at + 1 or #text + 1
end

--- Where tokens may begin on a line: at its start, or behind the string or comment that reaches into it from the lines
--- above. Returns the place and its line; nil behind the last line.
---@param text string  plain
---@param line integer
function lexer.enter(text, line)
  local start, at = lexer.line_start(text, line), 1
  if not start or line == 1 then return start, line end
  if text:sub(1, 1) == "#" then at = text:find("\n", 1, true) or #text + 1 end
  while at < start do
    local open = text:find("[\"'%[%-]", at)
    if not open or open >= start then return start, line end
    at = behind(text, open)
  end
  return at, line + count_lines(text, start, at - 1)
end

return lexer
