-- Writes docs/reference, a page a module, out of the definitions and examples in the sources (scripts/definitions.lua)
-- and what the examples print (RESULTS). usage: luajit scripts/reference.lua, from the repository's root; any Lua 5.1
-- serves, and no module is needed. With --results it runs the examples on the CPU by the module that make built
-- (MODULE_DIR=DIR: of another build) and writes what they print where it changed. As a chunk that is loaded (dofile) it
-- returns a table: pages() -> {path = text}; names() -> a page's names; write(); program(example) -> its text; run(ma,
-- text) -> what it prints; read_results() -> by an example's first name what it prints.

local FOLDER, RESULTS = "docs/reference/", "spec/golden/examples.txt"
local files = dofile("scripts/files.lua")
local definitions = dofile("scripts/definitions.lua")()
local functions, by_name = definitions.functions, {}
for _, example in ipairs(definitions.examples) do
  for _, name in ipairs(example.names) do by_name[name] = example end
end
local pages_list = dofile("scripts/reference/pages.lua")

-- ==== Examples =====================================================================================================

--- The program of an example: what it returns is printed.
local function program(example)
  local code = example.code
  local name = example.names[1]
  if functions[name] and functions[name].results == "" and (code:find("^ma%." .. name .. "%b()$")
    or code:find("^ma%." .. name .. " %b{}$")) then
    return code
  end
  local plain = code:gsub("(%d)[uU]?[lL][lL]%f[%W]", "%1")              -- numbers that LuaJIT alone reads
  if loadstring("return " .. plain) then code = "print(" .. code .. ")"
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

local function parameters_of(entry)
  local list = {}
  for _, one in ipairs(entry.parameters) do
    if one.name ~= "..." then
      local kind = one.type == "norm" and '"backward"|"ortho"|"forward"' or one.type or "any"
      list[#list + 1] = ("`%s`%s %s"):format(one.name, one.optional and "?" or "", (kind:gsub("|", " or ")))
    end
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
local function add_example(add, example, results)
  add("") add("```lua")
  if example.gpu then add("-- " .. example.gpu) end
  add(program(example)) add("```")
  local result = example.gpu and (example.prints or "") or results[example.names[1]] or ""
  if result ~= "" then add("```text") add(result) add("```") end
  if example.words then add("") add(escaped(example.words)) end
end

local function entry_lines(name, examples, results, aliases, here)
  local entry = functions[name]
  local lines = { "", "## " .. title_of(name), "" }
  local function add(text) lines[#lines + 1] = text end
  local main = entry.signature:match("^[^(]*")
  local shown = entry.signature
  if name:sub(1, 1) == ":" then shown = "a" .. name .. "(" .. shown:match("%([%w_]+[,;]? ?(.*)$") end
  local kind = entry.results:gsub("%?", " or nil")
  add(("`%s`%s"):format(shown, kind == "" and "" or " -> " .. kind))
  add("")
  if aliases[name] then add("@@Another name of %s.@" .. main .. "@@")
  else
    add(wrapped(escaped(entry.doc)))
  end
  local parameters = parameters_of(entry)
  local method = name:sub(1, 1) ~= ":" and not name:find(".", 1, true) and definitions.methods[name]
  if parameters ~= "" then add("") add(wrapped(parameters .. ".")) end
  if results["dtypes of " .. name] then add("Dtypes: " .. results["dtypes of " .. name] .. ".") end
  if method then add(("Also a method: `a:%s(...)`."):format(name)) end
  local example = examples[name]
  local first = example and example.names[1]
  if example and first ~= name and here[first] then
    add("") add("@@The example of %s shows it.@" .. first .. "@@")
  elseif example then
    add_example(add, example, results)
  end
  return lines
end

-- ==== Pages ========================================================================================================

--- The page that a function's definition names (`--# page`), else that of the longest module that has it, or of its
--- folder.
local function page_of(name, entry)
  if entry.page and entry.page ~= "-" then return entry.page end
  local page, longest = nil, 0
  for _, one in ipairs(pages_list) do
    for place in (one[4] or ""):gmatch("%S+") do
      local is_folder = place:find("/", 1, true)
      local whole = is_folder and entry.path or name:gsub("$", ".")
      local size = is_folder and 1 or #place + 1
      if size > longest and whole:sub(1, #place + 1) == place .. (is_folder and "/" or ".") then
        page, longest = one[1], size
      end
    end
  end
  return page
end

--- By page the names in their order.
local function distribute()
  local by_page = {}
  for _, one in ipairs(pages_list) do by_page[one[1]] = {} end
  for name, entry in pairs(functions) do
    local list = by_page[page_of(name, entry)]
    if not list then
      error(name .. " is on no page of scripts/reference/pages.lua; write `--# page` above its definition", 0)
    end
    list[#list + 1] = name
  end
  for _, list in pairs(by_page) do
    table.sort(list, function(a, b) return a:gsub("^:", "") .. a < b:gsub("^:", "") .. b end)
  end
  return by_page
end

local HEAD = [[
<!-- Made by scripts/reference.lua from the functions' own descriptions: do not edit. -->
# %s

%s
The [index](README.md) lists all names. `?` marks an optional argument. Arguments after `;` go by name into a table at
the end of the call, such as `{axis = 1}`; all other optional ones may go there too. `data` is an array, a number, or
numbers in nested tables. A wrong argument is an error that names the function, what it got and what it wanted.
]]

--- The page of the library's objects: streams, kernels, generators ...
local function objects_page(texts, all, examples, results)
  local lines, blocks, class = nil, {}, nil
  local function add(text) lines[#lines + 1] = text end
  for line in definitions.classes:gmatch("[^\n]+") do
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
        add_example(add, example, results)
        add("")
      end
    end
  end
  local text = { "<!-- Made by scripts/reference.lua: do not edit. -->", "# Objects", "",
    "What functions return that is no array: how one is made, its attributes and its methods.",
    "The [index](README.md) lists all names." }
  for _, block in ipairs(blocks) do
    for _, line in ipairs(block[2]) do text[#text + 1] = line end
    all[#all + 1] = { "ma." .. block[1] .. " (object)", "objects.md", block[1] }
  end
  texts[FOLDER .. "objects.md"] = table.concat(text, "\n") .. "\n"
end

--- What examples print: blocks of a line "==== name", then the text.
local function read_results()
  local results, name = {}, nil
  for line in assert(files.read(RESULTS)):gmatch("(.-)\n") do
    local own = line:match("^==== (.*)$")
    if own then name = own
    else results[name] = results[name] and results[name] .. "\n" .. line or line end
  end
  return results
end

local function pages()
  local examples, results = by_name, read_results()
  local by_page = distribute()
  local all, texts = {}, {}
  local index = { "<!-- Made by scripts/reference.lua: do not edit. -->", "# Reference", "",
    "Every public function and method. `ma.help \"name\"` prints the same in a program.", "" }
  for _, section in ipairs(pages_list) do
    local names, entries, aliases = by_page[section[1]], {}, {}
    local here = {}
    for _, name in ipairs(names) do here[name] = true end
    for _, name in ipairs(names) do
      local main = functions[name].signature:match("^[^(]*")
      aliases[name] = main ~= name and here[main]
    end
    for _, name in ipairs(names) do
      entries[name] = entry_lines(name, examples, results, aliases, here)
    end
    local file = section[1] .. ".md"
    local function link(text, name)
      return text:format(("[%s](%s#%s)"):format(escaped(title_of(name)), file, anchor_of(name)))
    end
    local guide = files.read("docs/" .. section[3] .. ".md")
    local lead = guide and ("[%s.md](../%s.md) explains these functions. "):format(section[3], section[3]) or ""
    local lines = { HEAD:format(section[2], lead):sub(1, -2) }
    for _, name in ipairs(names) do
      for _, line in ipairs(entries[name]) do lines[#lines + 1] = line:gsub("^@@(.-)@(.*)@@$", link) end
      all[#all + 1] = { title_of(name), file, anchor_of(name) }
    end
    texts[FOLDER .. file] = table.concat(lines, "\n") .. "\n"
    index[#index + 1] = ("- [%s](%s): %d names"):format(section[2], file, #names)
  end
  objects_page(texts, all, examples, results)
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
  texts[FOLDER .. "README.md"] = table.concat(index, "\n") .. "\n"
  return texts
end

--- Writes the pages, and removes those that are of no module.
local function write()
  local texts, written = pages(), 0
  os.execute("mkdir -p " .. FOLDER)
  for _, path in ipairs(files.lines("ls " .. FOLDER)) do
    if not texts[FOLDER .. path] then os.remove(FOLDER .. path) end
  end
  for path, text in pairs(texts) do written = written + (files.write(path, text) and 1 or 0) end
  if written > 0 then print(("wrote %d pages of %s"):format(written, FOLDER)) end
end

--- Runs the examples, and asks the ufuncs for their dtypes.
local function write_results()
  package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
  package.cpath = (os.getenv("MODULE_DIR") or ".") .. "/?.so;" .. package.cpath
  local ma, blocks = require "moonarray", {}
  for _, example in ipairs(definitions.examples) do
    local printed = example.gpu and "" or run(ma, program(example))
    if printed ~= "" then blocks[#blocks + 1] = "==== " .. example.names[1] .. "\n" .. printed .. "\n" end
  end
  for name in pairs(require("moonarray.core").functions) do          -- which loads all
    local value = ma
    for part in name:gmatch("[^.]+") do value = type(value) == "table" and rawget(value, part) or nil end
    if type(value) == "userdata" and value.types then
      blocks[#blocks + 1] = "==== dtypes of " .. name .. "\n" .. dtypes_of(value) .. "\n"
    end
  end
  table.sort(blocks)
  if files.write(RESULTS, table.concat(blocks)) then print("wrote " .. RESULTS) end
end

if arg and arg[0] and arg[0]:find("reference%.lua$") then
  if arg[1] == "--results" then write_results() end
  write()
end

return { pages = pages, names = distribute, write = write, program = program, run = run, read_results = read_results }
