-- The definitions of all public functions, read from the sources alone: what C makes from the tables of src/bind and of
-- kernels/*.def, what Lua makes from lua/moonarray, loaded over a core that only notes (scripts/definitions/). It needs
-- no module, and any Lua 5.1. As a chunk that is loaded (dofile) it returns a function: read() -> {functions = by name
-- {signature =, parameters = {{name =, optional =, option =, type =} ...}, results =, doc =, path =, page =, ufunc =},
-- library =, methods =, parts = by a name of ma or of a method the part of lua/moonarray that is loaded for it,
-- examples = list of {names =, code =, gpu =, prints =, words =, own =}, classes = a text of lines}, of which
-- scripts/definitions/comments.lua says more.
-- The signature has no types; names of methods alone begin with a colon.

local read_c = dofile "scripts/definitions/c.lua"
local load_lua = dofile "scripts/definitions/stub.lua"
local read_comments = dofile "scripts/definitions/comments.lua"

--- The place of the first of some characters outside of parentheses, from one on.
local function find_outside(text, characters, at)
  local depth = 0
  while at <= #text do
    local c = text:sub(at, at)
    if depth == 0 and characters:find(c, 1, true) then return at end
    if c == "(" then depth = depth + 1 elseif c == ")" then depth = depth - 1 end
    at = at + 1
  end
end

--- "sort(a: data, axis?: integer; stable?: boolean) -> array" as a definition. A parameter without a type has none.
local function parse(text, doc, path, page, ufunc)
  local open = assert(text:find("(", 1, true), text)
  local close = assert(find_outside(text, ")", open + 1), text .. ": no end of the parameters")
  local results = text:sub(close + 1):match("^ %-> (.+)$")
  assert(results or close == #text, text .. ": wanted ' -> results' behind the parameters")
  local name, given = text:sub(1, open - 1), text:sub(open + 1, close - 1)
  local parameters, plain, at, option = {}, {}, 1, false
  while at <= #given do
    local stop = find_outside(given, ",;", at) or #given + 1
    local one = given:sub(at, stop - 1)
    local own, optional, kind = one:match("^%s*([%w_.]+)(%??):?%s*(.*)$")
    assert(own or not one:find("%S"), text .. ": '" .. one .. "' is no parameter")
    if own then
      parameters[#parameters + 1] = { name = own, optional = optional == "?", option = option,
        type = kind ~= "" and kind or own == "..." and "any" or nil }
      plain[#plain + 1] = own .. optional
    end
    local mark = given:sub(stop, stop)
    option = option or mark == ";"
    plain[#plain + 1] = mark ~= "" and mark .. " " or nil
    at = stop + 1
  end
  return { signature = (name .. "(" .. table.concat(plain) .. ")"):gsub("^:", ""), parameters = parameters,
    results = results or "", doc = doc, path = path, page = page, ufunc = ufunc }
end

return function()
  local rows, functions = {}, {}
  read_c(function(text, doc, path, page, ufunc, name)
    name = name or text:match("^[^(]*")
    rows[name] = parse(text, doc, path, page, ufunc)
    functions[name] = rows[name]
  end)
  local ma, methods, parts = load_lua(rows, function(text, doc, path, page, name)
    functions[name or text:match("^[^(]*")] = parse(text, doc, path, page)
  end)
  for name in pairs(rows) do
    local first = rows[name].parameters[1]
    if name:find("^:") or not name:find(".", 1, true) and first and first.name == "a" and not first.optional then
      methods[name:match("[^:]+")] = true
    end
  end
  local examples, classes = read_comments(functions)
  return { functions = functions, library = ma, methods = methods, parts = parts, examples = examples,
    classes = classes }
end
