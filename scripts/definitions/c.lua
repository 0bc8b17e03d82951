-- What the C sources say of public functions: the rows { "name(a: data) -> array", function, "What it does." } of
-- src/bind, and the operations of kernels/ops.def and kernels/special.def. As a chunk that is loaded (dofile) it
-- returns a function: read(add), which calls add(signature, text, path, page) for each.

local files = dofile("scripts/files.lua")

local function paths_of(command)
  local list = files.lines(command)
  table.sort(list)
  return list
end

-- ==== Tokens =======================================================================================================

local escapes = { n = "\n", t = "\t", ['"'] = '"', ["\\"] = "\\", ["'"] = "'", ["0"] = "\0", r = "\r", b = "\b",
  a = "\a" }

--- A list of tokens: {text = "..."} of a string, or words and marks as they are. Comments are left out, but `pages` has
--- for each token what the last comment `//# page` before it says.
local function tokens_of(text)
  local list, at, n, pages, page = {}, 1, #text, {}, nil
  list.pages = pages
  local function add(token)
    list[#list + 1] = token
    pages[#list] = page
  end
  while true do
    at = text:find("%S", at)
    if not at then return list end
    local c = text:sub(at, at)
    if text:find("^/%*", at) then
      local _, stop = text:find("*/", at + 2, true)
      at = (stop or n) + 1
    elseif text:find("^//", at) then
      page = text:match("^//# (%S+)", at) or page
      at = text:find("\n", at, true) or n + 1
    elseif c == '"' then
      local parts, k = {}, at + 1
      while true do
        local stop = assert(text:find('["\\]', k), "a string without an end")
        parts[#parts + 1] = text:sub(k, stop - 1)
        if text:sub(stop, stop) == '"' then at = stop + 1 break end
        local escaped = text:sub(stop + 1, stop + 1)
        parts[#parts + 1] = escapes[escaped] or "\\" .. escaped
        k = stop + 2
      end
      add { text = table.concat(parts) }
    elseif c == "'" then
      local _, stop = text:find("^'\\?[^\n]-'", at)
      add "'"
      at = (stop or at) + 1
    elseif c:find("[%w_]") then
      local _, stop = text:find("^[%w_]+", at)
      add(text:sub(at, stop))
      at = stop + 1
    else
      add(c)
      at = at + 1
    end
  end
end

--- Lines that end with a backslash are one; `#define NAME "text"` is taken out, by its name.
local function macros_of(text)
  local macros, lines = {}, {}
  for line in text:gsub("\\\r?\n", " "):gmatch("[^\n]*") do
    local name, body = line:match("^#define%s+([%u][%u%d_]*)%s+(.*)$")
    if name then macros[name] = tokens_of(body) end
    if not line:find("^#") then lines[#lines + 1] = line end
  end
  return macros, table.concat(lines, "\n")
end

--- The text of tokens that are strings and names of such, from one on, and the first token behind; nil: there is none.
local function string_at(tokens, k, macros)
  local parts = {}
  while true do
    local token = tokens[k]
    if type(token) == "table" then parts[#parts + 1] = token.text
    elseif token and macros[token] then
      local inner, stop = string_at(macros[token], 1, macros)
      if not inner or stop <= #macros[token] then break end
      parts[#parts + 1] = inner
    else break end
    k = k + 1
  end
  return parts[1] and table.concat(parts), k
end

-- ==== Rows =========================================================================================================

--- Whether a row begins at a token: { "name(a)", ... or define(L, "name(a)", ...
local definers = { ma_lua_define = true, file_class = true }
local function begins_row(tokens, k)
  return tokens[k - 1] == "{" or tokens[k - 1] == "," and tokens[k - 2] == "L" and definers[tokens[k - 4]]
end

--- Calls add for each row of a file: a text that is a signature, then the next text of the same row.
local function read_rows(path, add)
  local macros, text = macros_of(assert(files.read(path)))
  local tokens = tokens_of(text)
  local k = 1
  while k <= #tokens do
    local signature, behind = string_at(tokens, k, macros)
    if signature then
      local is_row, page = begins_row(tokens, k), tokens.pages[k]
      k = behind
      if is_row and tokens[k] == "," and signature:find("^[%a:][%w_.]*%(.*%)") and not signature:find("^core%.")
        and not signature:find("%%") then
        local depth, at, doc = 0, k, nil
        while at <= #tokens and depth >= 0 and not doc do
          local token = tokens[at]
          if token == "{" or token == "(" then depth = depth + 1
          elseif token == "}" or token == ")" then depth = depth - 1 end
          doc = string_at(tokens, at, macros)
          if not doc then at = at + 1 end
        end
        if doc then add(signature, doc, path, page) end
      end
    else
      k = k + 1
    end
  end
end

-- ==== Operations ===================================================================================================

--- The arguments of each use of a macro in a table, as lists of tokens: of OP(add, 2, (T, T)) {{"add"}, {"2"}, ...};
--- and the page.
local function uses_of(path, wanted, fn)
  local _, text = macros_of(assert(files.read(path)))
  local tokens = tokens_of(text)
  for k = 1, #tokens do
    if wanted[tokens[k]] and tokens[k + 1] == "(" then
      local arguments, depth, at = { {} }, 0, k + 1
      repeat
        local token = tokens[at]
        if token == ")" then depth = depth - 1 end
        if token == "," and depth == 1 then arguments[#arguments + 1] = {}
        elseif depth > 0 then table.insert(arguments[#arguments], token) end
        if token == "(" then depth = depth + 1 end
        at = at + 1
      until depth == 0
      fn(tokens[k], arguments, tokens.pages[k])
    end
  end
end

local function has(tokens, word)
  for _, token in ipairs(tokens) do
    if token == word then return true end
  end
  return false
end

--- The ufuncs: rows of kernels/ops.def and kernels/special.def, by the signatures of src/bind/ops/ufunc.c.
local function read_ufuncs(add)
  local path = "src/bind/ops/ufunc.c"
  local macros = macros_of(assert(files.read(path)))
  local function template(name) return (string_at(macros[name], 1, macros)) end
  local ops, made, aliases = {}, {}, {}
  local function ufunc(name, op, nout, doc, page)
    local numbers = op.boolean and "boolean" or "number" .. (", number"):rep(nout - 1)
    local one = { nin = op.nin, nout = nout, numbers = numbers }
    if op.arguments then
      local names = op.arguments:gsub("[^, ]+", "%0: data")
      one.signature = template("OF_SPECIAL"):format(name, names) .. " -> array|scalar"
        .. (", array|scalar"):rep(nout - 1)
    else
      one.signature = template(op.nin == 2 and "TWO_OPERANDS" or "ONE_OPERAND"):format(name) .. " -> array"
        .. (", array"):rep(nout - 1)
    end
    one.doc = doc
    made[name] = one
    add(one.signature, doc, path, page, one)
  end
  local function read(table_, special)
    local kinds = { OP = true, SPECIAL = true, UFUNC2 = true, ALIAS = true, METHOD = true, OPERATOR = true }
    uses_of(table_, kinds, function(kind, row, page)
      local name = row[1][1]
      if kind == "OP" or kind == "SPECIAL" then
        local op = { nin = tonumber(row[2][1]), boolean = row[4][1] == "BOOL",
          arguments = special and row[6][1].text or nil }
        ops[name] = op
        if not has(row[5], "INTERNAL") then ufunc(name, op, 1, row[#row][1].text, page) end
      elseif kind == "UFUNC2" then ufunc(name, ops[row[2][1]], 2, row[4][1].text, page)
      elseif kind ~= "OPERATOR" then aliases[#aliases + 1] = { name, made[row[2][1]], page }
      elseif row[3][1] ~= "NULL" then
        add(template("IN_PLACE"):format(row[3][1].text), template("IN_PLACE_DOC"):format(name), path, page)
      end
    end)
  end
  read("kernels/ops.def", false)
  read("kernels/special.def", true)
  for _, one in ipairs(aliases) do add(one[2].signature, one[2].doc, path, one[3], one[2], one[1]) end
end

--- ma.float32 and the like.
local function read_casts(add)
  local path = "src/bind/array/create.c"
  local macros = macros_of(assert(files.read(path)))
  uses_of("src/base/dtype.def", { DTYPE = true }, function(_, row, page)
    local name = row[2][1]
    add(string_at(macros.CAST, 1, macros):format(name), string_at(macros.CAST_DOC, 1, macros):format(name), path, page)
  end)
end

--- Calls add(signature, text, path, page, ufunc, name) for each public function that C makes. `ufunc` says more of
--- one, and `name` is what it is called where the signature has another name.
return function(add)
  for _, path in ipairs(paths_of("ls src/bind/*/*.c")) do read_rows(path, add) end
  read_ufuncs(add)
  read_casts(add)
end
