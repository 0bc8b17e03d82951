-- Writes docs/reference, a page a module, out of the tables that ma.help prints and the examples of
-- lua/moonarray/help. usage: luajit scripts/reference.lua, from the repository's root, after make (MODULE_DIR=DIR takes
-- the module of another build; `make reference`). It runs each example on the CPU and writes down what it prints. As a
-- chunk that is loaded (dofile) it returns a table: pages(ma, core, result_of) -> {path = text}, where
-- result_of(example) gives what an example prints; program(example) -> its text; run(ma, text) -> what it prints.

local FOLDER = "docs/reference/"
local type_of = dofile("scripts/meta/types.lua")
local returns = dofile("scripts/meta/returns.lua")
local sections = dofile("scripts/reference/sections.lua")

-- ==== Examples =====================================================================================================

--- The program of an example: what it returns is printed.
local function program(example)
  local code = example.code
  local name = example.names[1]
  if returns[name] == "" and (code:find("^ma%." .. name .. "%b()$") or code:find("^ma%." .. name .. " %b{}$")) then
    return code
  end
  if loadstring("return " .. code) then code = "print(" .. code .. ")"
  else
    code = code:gsub("%f[%w]return ([^\n]*)$", "print(%1)")
  end
  return code
end

--- Runs a program and returns what it prints, with the device called "cpu".
local function run(ma, text)
  local out = {}
  local environment = setmetatable({ ma = ma }, { __index = _G })
  function environment.print(...)
    local parts = {}
    for k = 1, select("#", ...) do parts[k] = tostring((select(k, ...))) end
    out[#out + 1] = table.concat(parts, "\t")
  end
  local before = print
  rawset(_G, "print", environment.print)                     -- for ma.help, which prints by the global
  local ok, message = pcall(setfenv(assert(loadstring(text)), environment))
  rawset(_G, "print", before)
  if not ok then error(message, 0) end
  return (table.concat(out, "\n"):gsub("[ \t]+\n", "\n"):gsub("%s+$", ""))
end

-- ==== Entries ======================================================================================================

--- "float32 float64": the dtypes of the operands that a ufunc has loops for.
local function dtypes_of(ufunc)
  local list, seen = {}, {}
  for _, loop in ipairs(ufunc.types) do
    local operands = loop:match("^(.-)%->")
    local first, same = operands:match("^%w+"), true
    for one in operands:gmatch("%w+") do same = same and one == first end
    local text = same and first or operands:gsub(",", ", ")
    if not seen[text] then seen[text], list[#list + 1] = true, text end
  end
  local last = ufunc.types[#ufunc.types]
  local result = last:match("%->(.*)$")
  local kind = result == last:match("^(%w+)") and "" or "; the result is " .. result:gsub(",", " and ")
  return (#list == 15 and "all" or table.concat(list, ", ")) .. kind:gsub("complex128", "float of the parts")
end

local function parameters_of(name, signature)
  local list = {}
  for own, optional in signature:match("%((.*)%)$"):gmatch("([%w_]+)(%??)") do
    local kind = (type_of(name, own) or "any"):gsub("|", " or ")
    list[#list + 1] = ("`%s`%s %s"):format(own, optional == "?" and "?" or "", kind)
  end
  return table.concat(list, ", ")
end

--- Markdown keeps words with underscores and stars as they are in code alone.
local function escaped(text) return (text:gsub("[*_<%[]", "\\%0"):gsub("\n", " ")) end

--- Lines of at most 400 columns.
local function wrapped(text)
  local lines, line = {}, ""
  for word in text:gmatch("%S+") do
    if #line + #word > 380 then lines[#lines + 1], line = line, "" end
    line = line == "" and word or line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function title_of(name)
  return name:sub(1, 1) == ":" and "a" .. name or "ma." .. name
end

local function anchor_of(name) return (title_of(name):lower():gsub("[^%w_ -]", "")) end

--- The lines of an example, and what it prints. One that prints nothing, or does not run where the pages are made, says
--- in words what there is to see.
local function add_example(add, example, result_of)
  add("") add("```lua")
  if example.gpu then add("-- " .. example.gpu) end
  add(program(example)) add("```")
  local result = example.gpu and (example.prints or "") or result_of(example)
  if result ~= "" then add("```text") add(result) add("```") end
  if example.words then add("") add(escaped(example.words)) end
end

local function entry_lines(ma, core, name, examples, result_of, aliases, here)
  local entry = core.functions[name]
  local lines = { "", "## " .. title_of(name), "" }
  local function add(text) lines[#lines + 1] = text end
  local main = entry.signature:match("^[^(]*")
  local shown = entry.signature
  if name:sub(1, 1) == ":" then shown = "a" .. name .. "(" .. shown:match("%([%w_]+[,;]? ?(.*)$") end
  local kind = (returns[name] or "array"):gsub("%?", " or nil")
  add(("`%s`%s"):format(shown, kind == "" and "" or " -> " .. kind))
  add("")
  if aliases[name] then add("@@Another name of %s.@" .. main .. "@@")
  else
    local doc = entry.doc:gsub("%s*Example: .*$", "")
    add(wrapped(escaped(doc)))
  end
  local value = ma
  for part in name:gmatch("[%w_]+") do value = type(value) == "table" and rawget(value, part) or nil end
  local parameters = parameters_of(name, entry.signature)
  local method = name:sub(1, 1) ~= ":" and not name:find(".", 1, true) and core.array_methods()[name]
  if parameters ~= "" then add("") add(wrapped(parameters .. ".")) end
  if type(value) == "userdata" and value.types then add("Dtypes: " .. dtypes_of(value) .. ".") end
  if method then add(("Also a method: `a:%s(...)`."):format(name)) end
  local example = examples[name]
  local first = example and example.names[1]
  if example and first ~= name and here[first] then
    add("") add("@@The example of %s shows it.@" .. first .. "@@")
  elseif example then
    add_example(add, example, result_of)
  end
  return lines
end

-- ==== Pages ========================================================================================================

--- By page the names, and by name the page.
local function distribute(core)
  local taken, by_page = {}, {}
  for _, section in ipairs(sections) do
    local list = {}
    for word in section[4]:gmatch("%S+") do
      local module = word:match("^(.*)%.%*$")
      if not module then
        if core.functions[word] and not taken[word] then taken[word], list[#list + 1] = section[1], word end
      else
        local found = {}
        for name in pairs(core.functions) do
          if name:sub(1, #module + 1) == module .. "." and not taken[name] then found[#found + 1] = name end
        end
        table.sort(found)
        for _, name in ipairs(found) do taken[name], list[#list + 1] = section[1], name end
      end
    end
    by_page[section[1]] = list
  end
  local rest = {}
  for name in pairs(core.functions) do
    if not taken[name] then taken[name], rest[#rest + 1] = "other", name end
  end
  table.sort(rest)
  by_page.other = rest
  return by_page
end

local HEAD = [[
<!-- Made by scripts/reference.lua (`make reference`) from the functions' own descriptions: do not edit. -->
# %s

%s
The [index](README.md) lists all names. `?` marks optional arguments; those behind `;` stand in a table at the end, as
any optional one may. `data` is an array, a number, or numbers in nested tables. A wrong argument is an error that names
the function, what came and what was wanted.
]]

--- The page of the library's objects: streams, kernels, generators ...
local function objects_page(files, all, examples, result_of)
  local lines, blocks, class = nil, {}, nil
  local function add(text) lines[#lines + 1] = text end
  for line in require("moonarray.help.classes"):gmatch("[^\n]+") do
    local name, make, doc = line:match("^= (%S+) | (.-) | (.*)$")
    local attribute, kind, about = line:match("^%. ([%w_]+): (.-) | (.*)$")
    local method, does = line:match("^:(.-) | (.*)$")
    local prefix = line:match("^@ (.*)%.$")
    if name then
      lines, class = {}, name
      blocks[#blocks + 1] = { name, lines }
      add("") add("## " .. name) add("") add(escaped(doc))
      if make ~= "-" then add("") add("```lua") add("local " .. name .. " = " .. make) add("```") end
      if name == "generator" then add("") add("The functions of moonarray.random that draw are its methods too.") end
      add("")
    elseif prefix then add(("Its methods are the functions of `ma.%s`."):format(prefix))
    elseif attribute then add(("- `.%s`: %s; %s"):format(attribute, kind:gsub("|", " or "), escaped(about)))
    elseif method then
      add(("- `:%s` %s"):format(method, escaped(does)))
      local own = class .. ":" .. method:match("^[%w_]+")
      local example = examples[own]
      if example and example.names[1] ~= own then
        lines[#lines] = ("%s The example of `:%s` shows it."):format(lines[#lines], example.names[1]:match(":(.*)$"))
      elseif example then
        add_example(add, example, result_of)
        add("")
      end
    end
  end
  local text = { "<!-- Made by scripts/reference.lua (`make reference`): do not edit. -->", "# Objects", "",
    "What functions return that is no array: how one is made, its attributes and its methods.",
    "The [index](README.md) lists all names." }
  for _, block in ipairs(blocks) do
    for _, line in ipairs(block[2]) do text[#text + 1] = line end
    all[#all + 1] = { "ma." .. block[1] .. " (object)", "objects.md", block[1] }
  end
  files[FOLDER .. "objects.md"] = table.concat(text, "\n") .. "\n"
end

local function pages(ma, core, result_of)
  local examples = require "moonarray.help.examples"
  local by_page = distribute(core)
  local all, files = {}, {}
  local list = { unpack(sections) }
  list[#list + 1] = { "other", "What stands in no other page", "arrays" }
  local index = { "<!-- Made by scripts/reference.lua (`make reference`): do not edit. -->", "# Reference", "",
    "Every public function and method. `ma.help \"name\"` prints the same in a program.", "" }
  for _, section in ipairs(list) do
    local names, entries, aliases = by_page[section[1]], {}, {}
    local here = {}
    for _, name in ipairs(names) do here[name] = true end
    for _, name in ipairs(names) do
      local main = core.functions[name].signature:match("^[^(]*")
      aliases[name] = main ~= name and here[main]
    end
    for _, name in ipairs(names) do
      entries[name] = entry_lines(ma, core, name, examples, result_of, aliases, here)
    end
    local file = section[1] .. ".md"
    local function link(text, name)
      return text:format(("[%s](%s#%s)"):format(escaped(title_of(name)), file, anchor_of(name)))
    end
    if #names > 0 then
      local guide = io.open("docs/" .. section[3] .. ".md")
      if guide then guide:close() end
      local lead = guide and ("[%s.md](../%s.md) explains. "):format(section[3], section[3]) or ""
      local lines = { HEAD:format(section[2], lead):sub(1, -2) }
      for _, name in ipairs(names) do
        for _, line in ipairs(entries[name]) do lines[#lines + 1] = line:gsub("^@@(.-)@(.*)@@$", link) end
        all[#all + 1] = { title_of(name), file, anchor_of(name) }
      end
      files[FOLDER .. file] = table.concat(lines, "\n") .. "\n"
      index[#index + 1] = ("- [%s](%s): %d names"):format(section[2], file, #names)
    end
  end
  objects_page(files, all, examples, result_of)
  index[#index + 1] = "- [Objects](objects.md): streams, kernels, generators, interpolators and the rest"
  local function key_of(one) return one[1]:gsub("^m?a[.:]", ""):lower() .. " " .. one[1] end
  table.sort(all, function(a, b) return key_of(a) < key_of(b) end)
  local letter, line = "", nil
  for _, one in ipairs(all) do
    local first = one[1]:match("^[am]+[.:](%a)"):upper()
    if first ~= letter then
      letter = first
      if line then index[#index + 1] = line end
      index[#index + 1], line = "", "**" .. letter .. "**"
    end
    local link = ("[%s](%s#%s)"):format(escaped(one[1]:gsub("^ma%.", "")), one[2], one[3])
    if #line + #link > 390 then index[#index + 1], line = line, "" end
    line = line == "" and link or line .. " " .. link
  end
  index[#index + 1] = line
  files[FOLDER .. "README.md"] = table.concat(index, "\n") .. "\n"
  return files
end

if arg and arg[0] and arg[0]:find("reference%.lua$") then
  package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
  package.cpath = (os.getenv("MODULE_DIR") or ".") .. "/?.so;" .. package.cpath
  local ma = require "moonarray"
  local results = {}
  local files = pages(ma.device("cpu") and ma, require "moonarray.core", function(example)
    if not results[example] then results[example] = run(ma, program(example)) end
    return results[example]
  end)
  os.execute("mkdir -p " .. FOLDER)
  for path in io.popen("ls " .. FOLDER):lines() do
    if not files[FOLDER .. path] then os.remove(FOLDER .. path) print("removed " .. FOLDER .. path) end
  end
  local written = 0
  for path, text in pairs(files) do
    local file = io.open(path)
    local before = file and file:read("*a")
    if file then file:close() end
    if before ~= text then
      file = assert(io.open(path, "w"))
      file:write(text)
      file:close()
      written = written + 1
    end
  end
  if written > 0 then print(("wrote %d pages of %s"):format(written, FOLDER)) end
end

return { pages = pages, program = program, run = run }
