--- Finds the source of a function through `debug` in its file, or takes a string.

local lexer = require "moonarray.jit.lexer"
local parser = require "moonarray.jit.parser"

local source = {}

local opens = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true }
local closes = { ["end"] = true, ["until"] = true }

--- The line of the `end` that closes the function at token `at`.
local function last_line(tokens, at)
  local depth = 0
  for i = at, #tokens do
    local kind = tokens[i].kind
    if opens[kind] then depth = depth + 1 end
    if closes[kind] then depth = depth - 1 end
    if depth == 0 then return tokens[i].line end
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
    if chunk:sub(1, 1) == "=" then return nil, "its source is not kept" end
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
  if text and text:sub(1, 3) == "\239\187\191" then text = text:sub(4) end
  return text, ("'%s' cannot be read"):format(path)
end

--- Whether `key =` precedes a token.
local function is_field(tokens, at, key)
  return key and at > 2 and tokens[at - 1].kind == "=" and tokens[at - 2].kind == "name" and tokens[at - 2].value == key
end

--- Parses the source of a Lua function.
---@param fn function
---@param fail fun(text: string)
---@param key? string  its field in a table, if several functions are on one line: {map = function ...}
---@return moonarray.jit.tree
function source.of_function(fn, fail, key)
  if type(debug) ~= "table" or not debug.getinfo then
    fail("there is no 'debug' to find the function's source with" .. HINT)
  end
  local info = debug.getinfo(fn, "S")
  if info.what == "C" then fail("a function written in C; wanted one written in Lua, or its source") end
  local text, reason = read(info)
  if not text then fail(("the function's source is out of reach: %s%s"):format(reason, HINT)) end
  if text:sub(1, 1) == "\27" then fail("the function's file is bytecode" .. HINT) end
  local chunk = info.short_src
  local tokens, found, twice = lexer.tokens(text, chunk), nil, false
  for at, token in ipairs(tokens) do
    local near = token.kind == "function"
      and (token.line == info.linedefined or tokens[at + 1].line == info.linedefined)
    if near and last_line(tokens, at) == info.lastlinedefined then
      if not found or is_field(tokens, at, key) == is_field(tokens, found, key) then
        found, twice = at, found ~= nil
      elseif is_field(tokens, at, key) then
        found, twice = at, false
      end
    end
  end
  if twice then
    lexer.fail(chunk, info.linedefined, "two functions begin and end on this line" .. HINT .. ", or write one a line")
  end
  if not found then
    lexer.fail(chunk, info.linedefined, "no function begins here: the file has changed since it was loaded" .. HINT)
  end
  return parser.parse(tokens, found, chunk)
end

--- A source string as a tree: `function (x) ... end`, with or without a name, `local`, `return` or `name =` before it.
---@param text string
---@param chunk string
---@return moonarray.jit.tree
function source.of_string(text, chunk)
  local tokens = lexer.tokens(text, chunk)
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
