--- The text of ma.help: from the tables with which functions were registered, the examples, the classes and the words
--- beside this file.

local sformat, concat, floor = require("moonarray.text").format, table.concat, math.floor

--- How many letters must change to make one text the other, two of them exchanged counting once; at most `most`.
local function distance(a, b, most)
  if math.abs(#a - #b) > most then return most + 1 end
  local before, last = {}, {}
  for k = 0, #b do last[k] = k end
  for i = 1, #a do
    local row = { [0] = i }
    for k = 1, #b do
      local same = a:byte(i) == b:byte(k)
      row[k] = math.min(last[k] + 1, row[k - 1] + 1, last[k - 1] + (same and 0 or 1))
      if i > 1 and k > 1 and a:byte(i) == b:byte(k - 1) and a:byte(i - 1) == b:byte(k) then
        row[k] = math.min(row[k], before[k - 2] + 1)
      end
    end
    before, last = last, row
  end
  return last[#b]
end

--- Classes by name: {doc =, make =, members = {...}, methods = {name = line}, attributes = {name = line}}.
local function read_classes(text)
  local classes, class = {}, nil
  for line in text:gmatch("[^\n]+") do
    local name, make, doc = line:match("^= (%S+) | (.-) | (.*)$")
    if name then
      class = { name = name, doc = doc, make = make, members = {}, methods = {}, attributes = {},
        prefixes = {} }
      classes[name] = class
    elseif line:match("^@") then
      table.insert(class.prefixes, line:match("^@ (.*)$"))
    elseif not line:match("^%+") then
      local attribute, of, about = line:match("^%. ([%w_]+): (.-) | (.*)$")
      local method, rest, does = line:match("^:([%w_]+)(.-) | (.*)$")
      if attribute then
        local object = class.name == "array" and "a" or class.name
        class.attributes[attribute] = sformat("%s.%s: %s\n  %s", object, attribute, of, about)
      end
      if method then class.methods[method] = sformat("%s:%s%s\n  %s", class.name, method, rest, does) end
      class.members[#class.members + 1] = attribute and "." .. attribute or method and ":" .. method or nil
    end
  end
  return classes
end

return function(ma, core)
  local function names()
    local list = {}
    for name in pairs(core.functions) do list[#list + 1] = name end
    table.sort(list)
    return list
  end

  local classes
  local function class_of(name)
    classes = classes or read_classes(require "moonarray.help.classes")
    return classes[name]
  end

  --- The value of a name such as "linalg.svd" in a table of the library.
  local function value_in(library, name)
    local value = library
    for part in name:gmatch("[^.]+") do
      value = type(value) == "table" and rawget(value, part)
    end
    return value
  end

  local function name_of(fn)
    local methods = core.array_methods()
    for name in pairs(core.functions) do
      if name:sub(1, 1) == ":" then
        if rawequal(methods[name:sub(2)], fn) then return name end
      elseif rawequal(value_in(ma, name), fn) or rawequal(value_in(ma.numpy, name), fn) then
        return name
      end
    end
    for name, method in pairs(methods) do
      if rawequal(method, fn) then return name end
    end
    for class, own in pairs { stream = core.stream_methods, device = core.device_methods } do
      for name, method in pairs(own) do
        if rawequal(method, fn) then return class .. ":" .. name end
      end
    end
    core.fail("help", sformat("%s, which is no function of moonarray; the name of one", core.describe(fn)))
  end

  --- The module that a table is, as "linalg".
  local function module_of(table_)
    if table_ == ma or table_ == ma.numpy then return "" end
    for name in pairs(core.functions) do
      local module = name:match("^(.*)%.")
      while module do
        if rawequal(value_in(ma, module), table_) or rawequal(value_in(ma.numpy, module), table_) then return module end
        module = module:match("^(.*)%.")
      end
    end
  end

  local searched
  local function search(words)
    searched = searched or require "moonarray.help.search" (core)
    return searched(words)
  end

  -- ==== Texts ======================================================================================================

  local function columns(list)
    local lines, line = {}, " "
    for _, name in ipairs(list) do
      if #line + #name > 98 then lines[#lines + 1], line = line, " " end
      line = line .. " " .. name
    end
    lines[#lines + 1] = line
    return concat(lines, "\n")
  end

  --- A docstring, with the example of the function.
  local function described(name, doc)
    local example = require("moonarray.help.examples")[name]
    if not example then return doc end
    local where = example.gpu and " (" .. example.gpu .. ")" or ""
    return doc .. "\n  Example" .. where .. ":\n    " .. example.code:gsub("\n", "\n    ")
  end

  --- The text for a function, and for a method of that name if it differs; nil if there is neither.
  local function text_of(name)
    local fn, method = core.functions[name], core.functions[":" .. name]
    local texts = {}
    if fn then texts[1] = sformat("moonarray.%s\n  %s", fn.signature, described(name, fn.doc)) end
    if method then
      local own, rest = method.signature:match("^(.-)%([%w_]+[,;]? ?(.*)$")
      texts[#texts + 1] = sformat("a:%s(%s\n  %s", own, rest, described(":" .. name, method.doc))
    end
    return texts[1] and concat(texts, "\n")
  end

  --- Methods of sparse matrices and of sharded arrays, which nearly all are functions too: found by the module's name.
  local function is_twin(name, part)
    return name:find "^sparse%.Matrix%." and not part:find("sparse", 1, true)
      or name:find "^distributed%.Array%." and not part:find("distributed", 1, true)
  end

  --- All other functions whose names contain a text.
  local function others(part, but)
    local found = {}
    for _, name in ipairs(names()) do
      local plain = name:gsub("^:", "")
      if plain ~= but and plain:find(part, 1, true) and not (plain ~= name and core.functions[plain])
        and not is_twin(plain, part) then
        found[#found + 1] = name
      end
    end
    return found
  end

  local function class_text(class)
    local list = { concat(class.members, " ") }
    for _, prefix in ipairs(class.prefixes) do
      for name in pairs(core.functions) do
        if name:sub(1, #prefix) == prefix then list[#list + 1] = ":" .. name:sub(#prefix + 1) end
      end
      table.sort(list)
    end
    if class.name == "generator" then
      for name in pairs(core.functions) do
        local draw = name:match("^random%.([%w_]+)$")
        if draw and core.functions[name].signature:find("%f[%w_]generator%?") then list[#list + 1] = ":" .. draw end
      end
      table.sort(list)
    end
    local words = {}
    for word in concat(list, " "):gmatch("%S+") do words[#words + 1] = word end
    return sformat("%s: %s\n%s", class.name, class.doc, columns(words))
  end

  --- "stream:record", "pool.device", "generator:normal": the member of a class.
  local function member_text(text)
    local name, mark, member = text:match("^([%a_]+[%w_]*)([.:])([%w_]+)$")
    local class = name and class_of(name)
    if not class or name == "array" and mark == ":" then return nil end       -- its methods are functions
    local found = class.methods[member] and described(name .. ":" .. member, class.methods[member])
      or class.attributes[member]
    if not found and name == "generator" and core.functions["random." .. member] then
      found = text_of("random." .. member)
    end
    return found or mark == ":" and core.fail("help", sformat("%s has no '%s'; ma.help '%s' lists what it has", name,
      member, name))
  end

  local function module_text(module)
    local list, prefix = {}, module == "" and "" or module .. "."
    for _, name in ipairs(names()) do
      if name:sub(1, #prefix) == prefix and (module ~= "" or not name:find("[.:]")) then
        list[#list + 1] = name:sub(#prefix + 1)
      end
    end
    local page = (module:match("^%w+") or "README") .. ".md"
    local guide = require("moonarray.help.words"):find("\n" .. page .. " | ", 1, true) and "; docs/" .. page or ""
    return list[1] and sformat("moonarray%s%s: %d functions; ma.help \"%s%s\" and the like tell more%s\n%s",
      module == "" and "" or ".", module, #list, prefix, list[1], guide, columns(list))
  end

  --- Names that are nearly the text, the nearest first; those of a module by their last part too.
  local function near(text)
    local low, most = text:lower(), math.max(1, floor(#text / 3))
    local found = {}
    local function try(name, of)
      local d = distance(low, of:lower(), most)
      if d <= most then found[#found + 1] = { d, name } end
    end
    for _, name in ipairs(names()) do
      local last = name:match("[^.:]+$")
      try(name, name)
      if last ~= name then try(name, last) end
    end
    table.sort(found, function(x, y) return x[1] < y[1] or x[1] == y[1] and (#x[2] < #y[2] or
      #x[2] == #y[2] and x[2] < y[2]) end)
    local list, seen = {}, {}
    for _, pair in ipairs(found) do
      local name = pair[2]:gsub("^:", "a:")
      if #list < 3 and not seen[name] then
        seen[name], list[#list + 1] = true, "'" .. name .. "'"
      end
    end
    return concat(list, ", ")
  end

  -- ==== Arrays =====================================================================================================

  local function array_text()
    local list, methods = { unpack(class_of("array").members) }, {}
    for name in pairs(core.array_methods()) do methods[#methods + 1] = ":" .. name end
    table.sort(methods)
    for _, name in ipairs(methods) do list[#list + 1] = name end
    return "array: ma.help \"a:sum\" and the like tell of a method. Its attributes and methods:\n" .. columns(list)
  end

  local function of_text(text)
    local plain = text:gsub("^moonarray%.", ""):gsub("^ma%.", ""):gsub("%(%)$", "")
    if plain == "array" then return text_of("array") .. "\n" .. array_text() end
    local member = member_text((plain:gsub("^a?%.", "array.")))
    if member then return member end
    local class = class_of(plain)
    local name = plain:gsub("^%a*:", ""):gsub("^a%.", "")
    local function_text = text_of(name)
    if class and not function_text then return class_text(class) end
    if not function_text and (name == "" or type(value_in(ma, name)) == "table") and plain ~= "" then
      local module = module_text(name)
      if module then return module end
    end
    local found = others(name, function_text and name)
    if function_text then
      return #found == 0 and function_text
        or sformat("%s\nothers with '%s' in the name:\n%s", function_text, name, columns(found))
    end
    local by_words = name:find("[.:]") and {} or search(name)
    if #found == 0 and not by_words[1] then
      local list = near(name)
      core.fail("help", sformat("no function has '%s' in its name; %sma.help() lists all", name,
        list ~= "" and "did you mean " .. list .. "? " or ""))
    end
    local others_text = #found > 0 and sformat("%d functions with '%s' in the name:\n%s", #found, name, columns(found))
    if not by_words[1] then return others_text end
    return sformat("about '%s', the nearest first; ma.help \"linalg.svd\" and the like tell more:\n%s%s", plain,
      concat(by_words, "\n"), others_text and "\n" .. others_text or "")
  end

  --- The class of an object: its metatable is that of the object that the class's expression makes.
  local function object_text(object)
    local get = rawget(_G, "debug") and debug.getmetatable or getmetatable
    local wanted = get(object)
    class_of("stream")                                    -- reads all
    for _, class in pairs(classes) do
      local ok, made = false, nil
      if class.make ~= "-" then ok, made = pcall(assert(loadstring("local ma = ... return " .. class.make)), ma) end
      if ok and rawequal(get(made), wanted) then return class_text(class) end
    end
  end

  return function(what)
    if core.is_array(what) then return array_text() end
    if type(what) == "table" then
      local _, name = pcall(name_of, what)
      if core.functions[name] then return of_text(name) end
      local module = module_of(what)
      return module and module_text(module) or object_text(what) or name_of(what)
    end
    if type(what) == "function" then return of_text(name_of(what)) end
    if type(what) == "userdata" then
      local ok, name = pcall(name_of, what)
      return ok and of_text(name) or object_text(what) or name_of(what)
    end
    if what ~= nil and type(what) ~= "string" then
      core.fail("help", sformat("%s; wanted a name, a function, a method, an object or a module", core.describe(what)))
    end
    -- A NULL pointer of the FFI equals nil, so types are compared.
    if type(what) ~= "nil" and type(what) ~= "string" then return name_of(what) end
    return of_text(what or "")
  end
end
