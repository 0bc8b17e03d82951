-- What stands in comments beside the definitions: examples, and the members of the library's objects. They are lines
-- that begin with `-->` in Lua, and what follows `//>` in a line of C or of a table; one that begins with `\` belongs
-- to the line before it. As a chunk that is loaded (dofile) it returns a function: read(functions) -> examples,
-- classes, where functions are the definitions by name.
--
-- An example is `NAME(arguments)`, a call of moonarray.NAME, or `NAME ...: code`, an expression or statements for the
-- names before the colon, whose results are shown; lines that begin with spaces are further ones of the code. A word
-- before the first name says where it runs (`elsewhere`). A line `= words` says what to see of an example that prints
-- nothing, and lines `> text` what one prints that does not run everywhere. In a name `*` stands for letters: of
-- functions that a loop defines and that have no example by a longer name; NAME in its code is the full name. The name
-- of an object's method is as "stream:record", and its code finds the object under the class's name. A function that
-- is a method of a class (@) is called as one.
--
-- A class is the lines
--
--   = name | the expression that makes one, or - | what it is (the name alone: more of one that stands elsewhere)
--   . attribute: type | what it is
--   :method(parameters) -> types of the results | what it does (of a ufunc called with a dot)
--   + an operator as editors know it
--   @ the beginning of the names of functions that are its methods
--
-- Types are written as in signatures.

local files = dofile("scripts/files.lua")

local elsewhere = { gpu = "on a GPU", gpus = "on two GPUs", gl = "on a GPU with OpenGL",
  external = "on a GPU, with a handle of Vulkan's", love = "in LÖVE", hdf5 = "with libhdf5",
  last = "in the last line of a program",
  reset = "on a GPU, in the last line of a program" }

local function lines_of_sources()
  local lines = {}
  local paths = files.lines "find lua/moonarray -name '*.lua'; ls src/bind/*/*.c kernels/*.def src/base/dtype.def"
  table.sort(paths, function(a, b) return a > b end)            -- C's before Lua's, which add to classes of C's
  for _, path in ipairs(paths) do
    local pattern = path:find("%.lua$") and "^%s*%-%->%s?(.*)$" or "//>%s?(.*)$"
    for line in io.lines(path) do
      local text = line:match(pattern)
      local more = text and text:match("^\\ (.*)$")
      if more then lines[#lines] = lines[#lines] .. " " .. more else lines[#lines + 1] = text end
    end
  end
  return lines
end

local function is_of_class(line)
  return line:find("^= [%w_]+ | ") or line:find("^= [%w_]+$") or line:find("^[.+@] ") or line:find("^:[%w_]+%(.* | ")
end

--- { names = list, code =, call =, gpu =, prints =, words = }: `call` says that the code is a call's arguments.
local function read_examples(lines)
  local list = {}
  for _, line in ipairs(lines) do
    local last = list[#list]
    local more, printed, words = line:match("^  (.*)$"), line:match("^> (.*)$"), line:match("^= (.*)$")
    if more then last.code = last.code .. "\n" .. more
    elseif printed then last.prints = (last.prints and last.prints .. "\n" or "") .. printed
    elseif words then last.words = words
    else
      local place, rest = line:match("^(%w+) (.*)$")
      if elsewhere[place] then line = rest end
      local called, arguments = line:match("^([%w_.*]+)(%(.*)$")
      last = { names = {}, gpu = elsewhere[place], call = called ~= nil }
      local names = called or assert(line:match("^(.-): "), line .. ": no example")
      for name in names:gmatch("%S+") do last.names[#last.names + 1] = name end
      last.code = arguments or line:sub(#names + 3)
      list[#list + 1] = last
    end
  end
  return list
end

--- The lines of classes as a text: by their names, and of each the head, attributes, methods and the rest.
local function in_order(lines)
  local classes, names, class, all = {}, {}, nil, {}
  for _, line in ipairs(lines) do
    local name = line:match("^= ([%w_]+)")
    if name and not classes[name] then
      classes[name] = { ["="] = {}, ["."] = {}, [":"] = {}, ["+"] = {}, ["@"] = {} }
      names[#names + 1] = name
    end
    class = classes[name] or class
    if line ~= "= " .. (name or "") then table.insert(class[line:sub(1, 1)], line) end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    for sign in ("=.:+@"):gmatch(".") do
      for _, line in ipairs(classes[name][sign]) do all[#all + 1] = line end
    end
  end
  return all
end

--- By class {make =, silent = set of methods without results}; by the beginning of functions' names the expression.
local function read_classes(lines)
  local classes, makes, class = {}, {}, nil
  for _, line in ipairs(lines) do
    local name, make = line:match("^= (%S+) | (.-) | ")
    if name then
      class = { make = make, silent = {} }
      classes[name] = class
    end
    local method, results = line:match("^:([%w_]+)%(.-%)(.-) | ")
    if method then class.silent[method] = results == "" end
    local prefix = line:match("^@ (.*)$")
    if prefix then makes[prefix] = class.make end
  end
  return classes, makes
end

--- An example for each function that its names stand for: by full names, then by names with `*`, the longest first.
local function expanded(list, functions)
  local all, known, patterns = {}, {}, {}
  for _, example in ipairs(list) do
    if example.names[1]:find("*", 1, true) then patterns[#patterns + 1] = example
    else
      all[#all + 1] = example
      for _, name in ipairs(example.names) do known[name] = true end
    end
  end
  table.sort(patterns, function(a, b) return #a.names[1] > #b.names[1] end)
  for _, example in ipairs(patterns) do
    local found, pattern = {}, "^" .. example.names[1]:gsub("%.", "%%."):gsub("%*", "[%%w_]+") .. "$"
    for name in pairs(functions) do
      if not known[name] and name:find(pattern) then found[#found + 1] = name end
    end
    assert(found[1], example.names[1] .. ": an example of no function")
    table.sort(found)
    for _, name in ipairs(found) do
      known[name] = true
      all[#all + 1] = { names = { name }, code = example.code:gsub("%f[%w]NAME%f[%W]", name), call = example.call }
    end
  end
  return all
end

return function(functions)
  local of_examples, of_classes = {}, {}
  for _, line in ipairs(lines_of_sources()) do table.insert(is_of_class(line) and of_classes or of_examples, line) end
  of_classes = in_order(of_classes)
  local classes, makes = read_classes(of_classes)
  local examples = expanded(read_examples(of_examples), functions)
  for _, example in ipairs(examples) do
    local name = example.names[1]
    local class, method = name:match("^([%w_]+):(.*)$")
    local make = class and assert(classes[class], name .. ": no class").make
    if example.call then
      local prefix, last = name:match("^(.*%.)(.*)$")
      example.code = makes[prefix] and makes[prefix] .. ":" .. last .. example.code or "ma." .. name .. example.code
    elseif make and make ~= "-" then
      local value = not classes[class].silent[method] and loadstring("return " .. example.code) and "return " or ""
      example.own = example.code
      example.code = ("local %s = %s\n%s%s"):format(class, make, value, example.code)
    end
    example.call = nil
  end
  return examples, table.concat(of_classes, "\n") .. "\n"
end
