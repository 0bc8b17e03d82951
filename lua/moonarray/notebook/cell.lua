--- The code of a cell: the locals of its top level become globals, which later cells see, and the value of an
--- expression at its end is what the cell gives.

local lexer = require "moonarray.jit.lexer"
local source = require "moonarray.jit.source"

local cell = {}

local MOST_LINES = 60                  -- of the expression at the end

local opens = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true }
local closes = { ["end"] = true, ["until"] = true }

--- Behind the names of the `local` at token `at`, where a value is missing: `local x` is `x = nil`. Else nil.
local function lacks_value(tokens, at)
  while tokens[at + 1].kind == "name" do
    if tokens[at + 2].kind == "=" then return end
    if tokens[at + 2].kind ~= "," then return tokens[at + 1].first + #tokens[at + 1].value end
    at = at + 2
  end
end

--- The code with `local` taken away at its top level. Each line stays where it is.
local function with_globals(code)
  local tokens, depth, parts, at = lexer.tokens(code, 1), 0, {}, 1
  for k, token in ipairs(tokens) do
    if opens[token.kind] then depth = depth + 1 elseif closes[token.kind] then depth = depth - 1 end
    if token.kind == "local" and depth == 0 then
      local stop = lacks_value(tokens, k)
      parts[#parts + 1] = code:sub(at, token.first - 1)
      at = token.first + #"local"
      if stop then
        parts[#parts + 1] = code:sub(at, stop - 1) .. " = nil"
        at = stop
      end
    end
  end
  parts[#parts + 1] = code:sub(at)
  return table.concat(parts)
end

--- Returns an expression through the function that the chunk is given. A call in it is no tail call then, and so the
--- cell's own line stays among those of an error.
local function returned(expression)
  local text = "return (...)(" .. expression .. "\n)"
  return loadstring(text) and text or "return " .. expression
end

--- The code with `return` before the expression at its end; nil where there is none. What precedes it must be whole, so
--- that no `return` comes into a loop or a branch.
local function with_return(code)
  if loadstring("return " .. code) then return returned(code) end
  local last = #code
  for _ = 1, MOST_LINES do
    local stop = code:sub(1, last):match "^.*()\n"
    if not stop then return end
    local before, behind = code:sub(1, stop), code:sub(stop + 1)
    if behind:find "%S" and loadstring("return " .. behind) and loadstring(before) then
      return before .. returned(behind)
    end
    last = stop - 1
  end
end

--- The function of a cell, which is to be called with a function that returns its arguments, and whether a semicolon at
--- the cell's end says that its value is not to be shown; or nil and a message. `name` is what messages call the cell.
function cell.load(code, name)
  code = lexer.plain(code)
  local text = with_globals(code)
  text = with_return(text) or loadstring(text) and text or code
  local chunk, message = loadstring(text, "=" .. name)
  if not chunk then return nil, message end
  source.texts["=" .. name] = text
  return chunk, code:find ";%s*$" ~= nil
end

--- Whether more lines are wanted.
function cell.state(code)
  local state = "invalid"
  for _, text in ipairs { code, "return " .. code } do
    local chunk, message = loadstring(text)
    if chunk then return "complete" end
    if message:find("near '<eof>'", 1, true) then state = "incomplete" end
  end
  return state
end

return cell
