--- Finds the source of a function through `debug` in its file, or takes a string.
---
--- Only the lines of the function become tokens. The text above is scanned for strings and comments alone, which may
--- reach into these lines. Of several functions on the lines, the one with the same code is taken (prototype.lua).

local lexer = require "moonarray.jit.lexer"
local parser = require "moonarray.jit.parser"
local prototype = require "moonarray.jit.prototype"

local source = {
  texts = {},                          -- of chunks whose names are not their texts: the cells of a notebook, by "=name"
}

local opens = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true }
local closes = { ["end"] = true, ["until"] = true }

--- The `end` that closes the function at token `at`.
local function closing(tokens, at)
  local depth = 0
  for i = at, #tokens do
    local kind = tokens[i].kind
    if opens[kind] then depth = depth + 1 end
    if closes[kind] then depth = depth - 1 end
    if depth == 0 then return i end
  end
end

local HINT = "; give the kernel's source as a string"

--- Reads a file of a game of LÖVE. It may lie in an archive, which `io` does not see. LÖVE looks for a path among a
--- game's files before Lua looks in the working directory.
local function read_of_game(path)
  local love = rawget(_G, "love")
  local files = type(love) == "table" and love.filesystem
  if not files or not files.getInfo(path, "file") then return end
  return (files.read(path))
end

local function read(info)
  local chunk = info.source
  if chunk:sub(1, 1) ~= "@" then
    if chunk:sub(1, 1) == "=" then return source.texts[chunk], "its source is not kept" end
    return chunk
  end
  local path = chunk:sub(2)
  local text = read_of_game(path)
  if not text then
    if type(io) ~= "table" or not io.open then return nil, "there is no 'io' to read it with" end
    local file, reason = io.open(path, "rb")
    if not file then return nil, reason end
    text = file:read("*a")
    file:close()
  end
  return text, ("'%s' cannot be read"):format(path)
end

--- Whether `key =` precedes a token.
local function is_field(tokens, at, key)
  return key and at > 2 and tokens[at - 1].kind == "=" and tokens[at - 2].kind == "name" and tokens[at - 2].value == key
end

-- ==== Candidates ====

--- A function that begins and ends on the lines that are looked for.
---@class moonarray.jit.candidate
---@field at integer  its token
---@field text string  from its parentheses to its `end`
---@field numbers string  its numbers as they are written, which code does not tell: 1 and 1.0

local function candidate(tokens, at, paren, last, text)
  local numbers = {}
  for i = at, last do
    local token = tokens[i]
    if token.kind == "number" then numbers[#numbers + 1] = tostring(token.value) .. tostring(token.is_float) end
  end
  local code = text:sub(tokens[paren].first, tokens[last].first + 2)
  if tokens[paren - 2] and tokens[paren - 2].kind == ":" and paren > at + 2 then      -- a method has a self
    code = "(self" .. (tokens[paren + 1].kind == ")" and "" or ",") .. code:sub(2)
  end
  return { at = at, text = code, numbers = table.concat(numbers, " ") }
end

--- The functions on the lines, and the tokens that begin on the line `from` or above.
local function candidates(text, from, info)
  local at, line = lexer.enter(text, from)
  if not at then return {}, {} end
  local behind = lexer.line_start(text, info.lastlinedefined + 1) or #text + 1
  local slice = text:sub(at, behind - 1)
  local tokens, list = lexer.tokens(slice, line), {}
  for i, token in ipairs(tokens) do
    local paren = i
    while token.kind == "function" and tokens[paren + 1] and tokens[paren].kind ~= "(" do paren = paren + 1 end
    -- Lua notes the line of the parenthesis, or of `function` where that begins a statement.
    if token.kind == "function" and (token.line == info.linedefined or tokens[paren].line == info.linedefined) then
      local last = closing(tokens, i)
      if last and tokens[last].line == info.lastlinedefined then
        list[#list + 1] = candidate(tokens, i, paren, last, slice)
      end
    end
  end
  return list, tokens
end

--- Those with the code of `fn`.
local function same_code(fn, list)
  local same = {}
  for _, c in ipairs(list) do
    if prototype.is_of(fn, c.text) then same[#same + 1] = c end
  end
  return same
end

--- The only one, one of several that are written alike, or the one that is the field `key`; nil if that leaves several.
local function choose(list, tokens, key)
  local alike = prototype.available
  for k = 2, #list do alike = alike and list[k].numbers == list[1].numbers end
  if #list == 1 or alike then return list[1] end
  local found
  for _, c in ipairs(list) do
    if is_field(tokens, c.at, key) then
      if found then return end
      found = c
    end
  end
  return found
end

local LINES_ABOVE = 2                  -- where `name =` and `function` may stand, if not on the function's first line

--- Parses the source of a Lua function.
---@param fn function
---@param fail fun(text: string)
---@param key? string  its field in a table, if several functions are on one line: {map = function ...}
---@param whole? boolean  with all of Lua's grammar but `goto`
---@return moonarray.jit.tree
function source.of_function(fn, fail, key, whole)
  if type(debug) ~= "table" or not debug.getinfo then
    fail("there is no 'debug' to find the function's source with" .. HINT)
  end
  local info = debug.getinfo(fn, "S")
  if info.what == "C" then fail("a function written in C; wanted one written in Lua, or its source") end
  if info.what == "main" then fail("a whole chunk; wanted a function of it" .. HINT) end
  local text, reason = read(info)
  if not text then fail(("the function's source is out of reach: %s%s"):format(reason, HINT)) end
  if text:sub(1, 1) == "\27" or info.linedefined == 0 then fail("the function was loaded from bytecode" .. HINT) end
  text = lexer.plain(text)
  local chunk, line = info.short_src, info.linedefined
  local list, tokens = candidates(text, math.max(line - LINES_ABOVE, 1), info)
  if #list == 0 then list, tokens = candidates(text, 1, info) end
  if prototype.available then list = same_code(fn, list) end
  if #list == 0 then
    lexer.fail(chunk, line, "this function is not here: " .. (info.source:sub(1, 1) == "@"
      and "the file has changed since it was loaded" or "the name of its chunk is not its text") .. HINT)
  end
  local found = choose(list, tokens, key)
  if not found then
    local alike = prototype.available and ", and only the writing of their numbers tells them apart" or ""
    lexer.fail(chunk, line, "two functions begin and end on this line" .. alike .. HINT .. ", or write one a line")
  end
  return parser.parse(tokens, found.at, chunk, whole)
end

--- A source string as a tree: `function (x) ... end`, with or without a name, `local`, `return` or `name =` before it.
---@param text string
---@param chunk string
---@return moonarray.jit.tree
function source.of_string(text, chunk)
  local tokens = lexer.tokens(lexer.plain(text), 1)
  local at = 1
  local function skip(kind)
    if tokens[at].kind == kind then at = at + 1 end
  end
  skip "return"
  skip "local"
  if tokens[at].kind == "name" and tokens[at + 1].kind == "=" then at = at + 2 end
  if tokens[at].kind ~= "function" then
    lexer.fail(chunk, tokens[at].line, "the source is not that of a function: wanted 'function'")
  end
  local tree = parser.parse(tokens, at, chunk)
  local rest = tokens[tree.after]
  if rest.kind == ";" then rest = tokens[tree.after + 1] end
  if rest.kind ~= "eof" then lexer.fail(chunk, rest.line, "the source goes on after the function's 'end'") end
  return tree
end

return source
