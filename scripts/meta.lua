-- Writes what the library and editors read of the definitions in the sources (scripts/definitions.lua):
-- lua/moonarray/meta.lua, from which editors (LuaLS) complete names and show signatures; names.lua, all names;
-- parts.lua, which part of lua/moonarray is loaded for which name; and what help loads, help/examples.lua,
-- help/classes.lua and, of the titles and words in docs, help/words.lua. usage: luajit scripts/meta.lua, from the
-- repository's root; any Lua 5.1 serves, and no module is needed. It writes nothing where nothing changed. As a chunk
-- that is loaded (dofile) it returns a function: make(definitions) -> by path the text.

package.path = "./lua/?.lua;" .. package.path
local files = dofile("scripts/files.lua")

local reserved = { ["and"] = true, ["or"] = true, ["not"] = true, ["repeat"] = true, ["end"] = true, ["in"] = true,
  ["function"] = true }

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local head = [[
---@meta moonarray
-- Made by make (scripts/meta.lua) from the definitions of the functions. Editors read it; nothing loads it.
-- luacheck: ignore

---@alias moonarray.dtype
---| "bool"
---| "int8"
---| "int16"
---| "int32"
---| "int64"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64"
---| "float16"
---| "bfloat16"
---| "float32"
---| "float64"
---| "complex64"
---| "complex128"

---What a function takes as an array: one, a number, a complex number, or nested tables.
---@alias moonarray.data moonarray.array|number|boolean|table|moonarray.complex

---How a transform is scaled.
---@alias moonarray.norm "backward"|"ortho"|"forward"

---A whole number: in Lua every number is a double.
---@alias moonarray.whole integer|number

---An element: a number, or a complex number, by the array's dtype. (A bool element is a boolean.)
---@class moonarray.scalar: number, moonarray.complex

---What a[...] takes: whatever can be written there; and gives: an array.
---@alias moonarray.part moonarray.array|number|boolean|table
]]

local fields = [[

---@class moonarray
---@field pi number
---@field e number
---@field euler_gamma number
---@field inf number
---@field nan number
---@field newaxis string
---@field version string
---@field numpy moonarray the library, bound to the CPU
local moonarray = {}
]]

-- ==== Types ========================================================================================================

local short = { dtype = true, data = true, scalar = true, part = true, norm = true }

--- "array|integer" -> "moonarray.array|integer": words that name classes.
local function long(kind)
  return (kind:gsub("[%w_.%-]+", function(word) return short[word] and "moonarray." .. word or nil end))
end

--- The same for what is given to a function, which is wider: a part of an array is an array, half of 8 is whole.
local wider = { array = "moonarray.part", integer = "moonarray.whole" }
local function wide(kind)
  return (kind:gsub("[%w_.%-]+", function(word) return wider[word] or short[word] and "moonarray." .. word or nil end))
end

--- What a function of these results gives, a line each.
local function add_returns(lines, kind)
  if kind == "" then return end
  for one in (kind .. ","):gmatch("%s*(.-)%s*,") do
    if one:match("^fun%(") then one = kind:gsub("^%s+", "") end
    lines[#lines + 1] = "---@return " .. long((one:gsub("%?$", "")))       -- else an editor asks for checks
    if one == kind then break end
  end
end

-- ==== Functions ====================================================================================================

--- A list of {name in Lua, type}. A function of loose arguments takes those behind `;` in its options alone.
local function parameters_of(entry)
  local list, seen, loose, has_dtype = {}, {}, false, false
  for _, one in ipairs(entry.parameters) do
    loose = loose or one.name == "..."
    has_dtype = has_dtype or one.name == "dtype" and one.optional and not one.option   -- a string in its place
  end
  for _, one in ipairs(entry.parameters) do
    local of, own = one.type or "any", one.name
    if one.optional or one.option then
      if own == "dtype" then has_dtype = false end
      if has_dtype and not one.option then of = of .. "|dtype" end
      of = of == "any" and of or wide(of) .. "|table"                -- options may stand in its place
    else
      of = wide(of)
    end
    if own ~= "..." and not (one.option and loose) and not seen[own] then    -- some options have an argument's name
      seen[own] = true
      list[#list + 1] = { (reserved[own] and own .. "_" or own) .. (one.optional and "?" or ""), of }
    end
  end
  if loose then list[#list + 1] = { "...", "any" } end
  return list
end

--- The same without a parameter: the object of a method, or the generator of a draw.
local function without(entry, signature, name)
  local rest = {}
  for _, one in ipairs(entry.parameters) do
    if one.name ~= name then rest[#rest + 1] = one end
  end
  return { signature = signature, doc = entry.doc, parameters = rest, results = entry.results }
end

--- The lines of a function.
local function declaration(lines, target, name, entry, kind)
  local names = {}
  lines[#lines + 1] = ""
  if entry.doc ~= "" then lines[#lines + 1] = "---" .. entry.doc:gsub("\n", "\n---") end
  lines[#lines + 1] = "---```lua\n---" .. entry.signature .. "\n---```"
  for k, parameter in ipairs(parameters_of(entry)) do
    names[k] = parameter[1]:gsub("%?$", "")
    lines[#lines + 1] = ("---@param %s %s"):format(parameter[1], parameter[2])
  end
  add_returns(lines, kind or entry.results)
  lines[#lines + 1] = ("function %s%s(%s) end"):format(target, name, table.concat(names, ", "))
end

--- What is called and has names of its own, such as a ufunc with `reduce`: a class.
local function callable_lines(lines, name, entry, base)
  local list = {}
  for k, parameter in ipairs(parameters_of(entry)) do
    list[k] = parameter[1] .. ": " .. parameter[2]
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = "---" .. entry.doc:gsub("\n", "\n---")
  lines[#lines + 1] = "---```lua\n---" .. entry.signature .. "\n---```"
  lines[#lines + 1] = ("---@class moonarray.%s%s"):format(name, base)
  local ufunc = entry.ufunc
  if ufunc then                                                        -- of numbers, numbers
    lines[#lines + 1] = ("---@overload fun(%s: number): %s"):format(ufunc.nin == 1 and "a" or "a: number, b",
      ufunc.numbers)
  end
  local results = long((entry.results:gsub("%?", "")))
  lines[#lines + 1] = ("---@overload fun(%s): %s"):format(table.concat(list, ", "), results)
  if name:find("Stream$") then
    for _, own in ipairs { "null", "ptds" } do lines[#lines + 1] = ("---@field %s moonarray.stream"):format(own) end
  end
  lines[#lines + 1] = ("moonarray.%s = {}"):format(name)
end

-- ==== Classes ======================================================================================================

--- { {name =, doc =, members = {{kind, ...}}} ... } of scripts/definitions/comments.lua.
local function classes_of(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do
    local name, _, doc = line:match("^= (%S+) | (.-) | (.*)$")
    if name then list[#list + 1] = { name = name, doc = doc, members = {} }
    else table.insert(list[#list].members, line) end
  end
  return list
end

local function class_lines(lines, class, functions)
  lines[#lines + 1] = "\n---" .. class.doc .. "\n---@class moonarray." .. class.name
  for _, line in ipairs(class.members) do
    local own, kind, doc = line:match("^%. (%S+): (.-) | (.*)$")
    if not own then own, kind = line:match("^%. (%[.-%]): (.*)$") end
    if own then
      local field = own:find("[", 1, true) and long(own) or own
      lines[#lines + 1] = ("---@field %s %s %s"):format(field, long(kind), doc or ""):gsub(" $", "")
    end
  end
  for _, line in ipairs(class.members) do
    local operator = line:match("^%+ (.*)$")
    local arguments, result = (operator or ""):match("^call%((.*)%): (.*)$")
    if operator and not (arguments and arguments:find("[,.]")) then
      lines[#lines + 1] = "---@operator " .. long(operator)
    elseif operator then
      local list, k = {}, 0
      for of in (arguments .. ","):gmatch("(.-),%s*") do
        k = k + 1
        local any = of == "..." and "...: any" or of:match("^%.%.%.: %a+$")
        list[k] = any or ("%s%s: %s"):format(("abcd"):sub(k, k), of:match("%?$") or "", long((of:gsub("%?$", ""))))
      end
      lines[#lines + 1] = ("---@overload fun(%s): %s"):format(table.concat(list, ", "), long(result))
    end
  end
  local object = class.name
  lines[#lines + 1] = ("local %s = {}"):format(object)
  for _, line in ipairs(class.members) do
    local name, parameters, kind, doc = line:match("^:([%w_]+)(%b()) ?%-?>? ?(.-) | (.*)$")
    if name then
      lines[#lines + 1] = "\n---" .. doc
      local names = {}
      for own, optional, of in (parameters:sub(2, -2) .. ","):gmatch("([%w_.]+)(%??): (.-),%s*") do
        lines[#lines + 1] = ("---@param %s%s %s"):format(own, optional, wide(of))
        names[#names + 1] = own
      end
      add_returns(lines, kind)
      lines[#lines + 1] = ("function %s%s%s(%s) end"):format(object, class.name == "ufunc" and "." or ":", name,
        table.concat(names, ", "))
    end
  end
  for _, line in ipairs(class.members) do
    local prefix = line:match("^@ (.*)$")
    for _, name in ipairs(prefix and sorted_keys(functions) or {}) do
      local method = name:sub(1, #(prefix or "")) == prefix and name:sub(#prefix + 1)
      if method then
        local rest = functions[name].signature:match("%([%w_]+[,;]? ?(.*)$")
        local semicolon = functions[name].signature:match("%([%w_]+;") and ";" or ""
        declaration(lines, object .. ":", method, without(functions[name], method .. "(" .. semicolon .. rest,
          functions[name].parameters[1].name))
      end
    end
  end
  if class.name == "generator" then                              -- its draws are the functions of moonarray.random
    for _, name in ipairs(sorted_keys(functions)) do
      local draw = name:match("^random%.([%w_]+)$")
      if draw and functions[name].signature:find("%f[%w_]generator%?") then
        local own = functions[name].signature:gsub("^random%.", "rng:"):gsub("[;,]? ?generator%?", "")
        declaration(lines, object .. ":", draw, without(functions[name], own, "generator"))
      end
    end
  end
end

-- ==== The file =====================================================================================================

--- Names of the library that are no functions of core.functions: numbers, constants, tables and second names.
local function other_names(lines, ma, functions, tables)
  local seen = { [ma] = "" }
  local function add(...) lines[#lines + 1] = string.format(...) end
  local function visit(object, prefix)
    local keys = {}
    for key, value in pairs(object) do
      local is_made = prefix .. tostring(key) == "distributed.world"           -- by init; numpy is a field
      if type(key) == "string" and value ~= ma.numpy and not is_made then keys[#keys + 1] = key end
    end
    if prefix == "distributed." then
      add("---The group of all ranks, which init makes.\n---@type moonarray.distributed_group")
      add("moonarray.distributed.world = {}")
    end
    table.sort(keys)
    for _, key in ipairs(keys) do
      local value, name = rawget(object, key), prefix .. key
      local kind = type(value)
      local is_module = kind == "table" and getmetatable(value) ~= nil
      if functions[name] or tables[name] or prefix == "" and not is_module then         -- it is there already
        if is_module then seen[value] = seen[value] or name end
      elseif is_module and seen[value] then
        if prefix ~= "" then add("moonarray.%s = moonarray.%s", name, seen[value]) end
      elseif is_module then
        local kind_of = name:find("^jit%.") and "---@type { x: integer, y: integer, z: integer }\n" or ""
        add("%smoonarray.%s = {}", kind_of, name)
      elseif kind == "table" then add("---@type number[]\nmoonarray.%s = {}", name)
      elseif kind == "number" then add("moonarray.%s = %s", name, value)
      elseif kind == "function" then add("---@type fun(...: any): any\nmoonarray.%s = function() end", name)
      end
      if is_module and (not seen[value] or seen[value] == name) then
        seen[value] = name
        visit(value, name .. ".")
      end
    end
  end
  visit(ma, "")
end

local function editors_file(definitions)
  local functions, ma = definitions.functions, definitions.library
  local classes = classes_of(definitions.classes)
  for _, class in ipairs(classes) do short[class.name] = true end
  local lines = { head:sub(1, -2) }
  for _, class in ipairs(classes) do class_lines(lines, class, functions) end
  lines[#lines + 1] = fields:sub(1, -2)
  local tables, spaces = {}, {}
  for name in pairs(functions) do
    spaces[name:match("^(.*)%.") or ""] = true
    local value = ma
    for part in name:gmatch("[^.]+") do value = type(value) == "table" and rawget(value, part) or nil end
    if type(value) == "table" and not functions[name].ufunc then spaces[name] = true end
  end
  for _, name in ipairs(sorted_keys(functions)) do
    local entry = functions[name]
    local parent = name:match("^(.*)%.")
    local above = parent and parent:match("^(.*)%.")
    for _, space in ipairs { above or false, parent or false } do
      if space and not tables[space] then
        tables[space] = true
        -- else a class, as cuda.Device
        if not functions[space] then lines[#lines + 1] = ("\nmoonarray.%s = {}"):format(space) end
      end
    end
    local first = entry.parameters[1]
    local method = name:match("^:(.*)")
    if method then
      declaration(lines, "array.", method, entry)
    elseif not parent and entry.ufunc then
      callable_lines(lines, name, entry, ": moonarray.ufunc")
    elseif spaces[name] then
      callable_lines(lines, name, entry, "")
    elseif parent or rawget(ma, name) ~= nil then
      declaration(lines, "moonarray.", name, entry)
    end
    if not method and not parent and first and first.name == "a" and not first.optional then
      lines[#lines + 1] = ("array.%s = moonarray.%s"):format(name, name)
    end
  end
  lines[#lines + 1] = ""
  other_names(lines, ma, functions, tables)
  lines[#lines + 1] = "\nreturn moonarray\n"
  return table.concat(lines, "\n")
end

--- Words as lines of a long string.
local function wrapped(words)
  local lines, line = {}, " "
  for _, word in ipairs(words) do
    if #line + #word + 1 > 118 then lines[#lines + 1], line = line, " " end
    line = line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local MADE = "-- Made by make (scripts/meta.lua) from the definitions of the functions: do not edit.\n"
  .. "-- luacheck: ignore\n"

--- lua/moonarray/names.lua: for errors about names that are not there, which loads nothing else to look for a near one.
local function names_of(definitions)
  local functions = {}
  for _, name in ipairs(sorted_keys(definitions.functions)) do
    if name:sub(1, 1) ~= ":" then functions[#functions + 1] = name end
  end
  return (MADE .. "return {\n  functions = %s\n%s\n%s,\n  methods = %s\n%s\n%s,\n}\n"):format("[[", wrapped(functions),
    "]]", "[[", wrapped(sorted_keys(definitions.methods)), "]]")
end

--- lua/moonarray/parts.lua: lines of a part and the names that it is loaded for.
local function parts_of(definitions)
  local names, lines = {}, {}
  for _, name in ipairs(sorted_keys(definitions.parts)) do
    local part = definitions.parts[name]
    names[part] = (names[part] or part .. ":") .. " " .. name
  end
  for _, part in ipairs(sorted_keys(names)) do lines[#lines + 1] = names[part] end
  return MADE .. "return [[\n" .. table.concat(lines, "\n") .. "\n]]\n"
end

--- lua/moonarray/help/examples.lua: by a function's name {code =, names =, ...}. `gpu` says where it runs, if not
--- everywhere, prints what it prints there, words what to see where that is no text, and own the code without the
--- object of a method's class.
local function examples_of(definitions)
  local lines = { MADE .. "local by_name = {}\nfor _, example in ipairs {" }
  for _, example in ipairs(definitions.examples) do
    local values = { ('  { names = { "%s" }'):format(table.concat(example.names, '", "')) }
    for _, key in ipairs { "code", "gpu", "own", "prints", "words" } do
      if example[key] then values[#values + 1] = ("%s = %q"):format(key, example[key]) end
    end
    lines[#lines + 1] = table.concat(values, ", ") .. " },"
  end
  lines[#lines + 1] = "} do\n  for _, name in ipairs(example.names) do by_name[name] = example end\nend\nreturn by_name"
  return table.concat(lines, "\n")
end

--- lua/moonarray/help/words.lua: what the sections of the guides are called, and what people call them and the
--- functions: lines of a page, with #anchor of a section, or a function's name, a title, a first line and words.
local function words_of()
  local words, lines = dofile("scripts/site/words.lua"), {}
  for _, section in ipairs(words.sections()) do lines[#lines + 1] = table.concat(section, " | ") end
  local said = words.said()
  for _, target in ipairs(sorted_keys(said)) do
    if not target:find("%.md") then lines[#lines + 1] = target .. " |  |  | " .. said[target] end
  end
  return MADE:gsub("the definitions of the functions", "docs") .. "return [==[\n" .. table.concat(lines, "\n")
    .. "\n]==]\n"
end

local function make(definitions)
  local folder = "lua/moonarray/"
  return { [folder .. "meta.lua"] = editors_file(definitions), [folder .. "names.lua"] = names_of(definitions),
    [folder .. "parts.lua"] = parts_of(definitions), [folder .. "help/examples.lua"] = examples_of(definitions),
    [folder .. "help/classes.lua"] = MADE .. "return [[\n" .. definitions.classes .. "]]\n",
    [folder .. "help/words.lua"] = words_of() }
end

local function write(path, text)
  if files.write(path, text) then print("wrote " .. path) end
end

if arg and arg[0] and arg[0]:find("meta%.lua$") then
  for path, text in pairs(make(dofile "scripts/definitions.lua" ())) do write(path, text) end
end

return make
