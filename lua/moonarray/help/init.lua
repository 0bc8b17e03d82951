--- ma.help "sum": the signature and docstring of a function, from the tables with which functions were registered.

local sformat, concat = string.format, table.concat

return function(ma, core)
  local function names()
    local list = {}
    for name in pairs(core.functions) do list[#list + 1] = name end
    table.sort(list)
    return list
  end

  --- The value of a name such as "linalg.svd", or ":sort" for a method.
  local function value_of(name)
    if name:sub(1, 1) == ":" then return core.array_methods()[name:sub(2)] end
    local value = ma
    for part in name:gmatch("[^.]+") do
      value = type(value) == "table" and rawget(value, part)
    end
    return value
  end

  local function name_of(fn)
    for name in pairs(core.functions) do
      if rawequal(value_of(name), fn) then return name end
    end
    for name, method in pairs(core.array_methods()) do
      if rawequal(method, fn) then return name end
    end
    core.fail("help", sformat("%s, which is no function of moonarray; the name of one", core.describe(fn)))
  end

  --- The text for a function, and for a method of that name if it differs; nil if there is neither.
  local function text_of(name)
    local fn, method = core.functions[name], core.functions[":" .. name]
    local texts = {}
    if fn then texts[1] = sformat("moonarray.%s\n  %s", fn.signature, fn.doc) end
    if method then
      local own, rest = method.signature:match("^(.-)%([%w_]+[,;]? ?(.*)$")
      texts[#texts + 1] = sformat("a:%s(%s\n  %s", own, rest, method.doc)
    end
    return texts[1] and concat(texts, "\n")
  end

  --- All other names that contain a text, in columns.
  local function list_of(part, but)
    local found, lines, line = {}, {}, " "
    for _, name in ipairs(names()) do
      local plain = name:gsub("^:", "")
      if plain ~= but and plain:find(part, 1, true) and not (plain ~= name and core.functions[plain]) then
        found[#found + 1] = name
      end
    end
    for _, name in ipairs(found) do
      if #line + #name > 98 then lines[#lines + 1], line = line, " " end
      line = line .. " " .. name
    end
    lines[#lines + 1] = line
    return #found, concat(lines, "\n")
  end

  core.def("help(name?)", "Prints what a function does, and every other function whose name contains the text.",
    function(name)
    if type(name) == "function" or type(name) == "userdata" then name = name_of(name) end
    name = tostring(name or ""):gsub("^moonarray%.", ""):gsub("^ma%.", ""):gsub("^%a*:", "")
    local text = text_of(name)
    local count, list = list_of(name, text and name)
    if count == 0 and not text then
      core.fail("help", sformat("no function has '%s' in its name; ma.help() lists all", name))
    end
    if not text then return print(sformat("%d functions:\n%s", count, list)) end
    print(count == 0 and text or sformat("%s\nothers with '%s' in the name:\n%s", text, name, list))
  end)
end
