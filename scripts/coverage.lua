-- docs/coverage.md: CuPy's public names, and which of them are here. It is made from CuPy's names
-- (scripts/coverage/names.txt), what is known of those that are not here under the same name
-- (scripts/coverage/entries.lua), and the module itself. usage: luajit scripts/coverage.lua, from the repository's
-- root, after make (MODULE_DIR=DIR takes the module of another build). It takes what is there out of
-- scripts/coverage/missing.txt, and fails where a name is neither there nor explained nor in that list. As a chunk
-- that is loaded (dofile) it returns a table: measure(ma, core) -> report, page(report) -> text, list(report) -> text.

local FOLDER = "scripts/coverage/"

local files = dofile("scripts/files.lua")

--- CuPy's names: { {space = "cupy.linalg", names = {...}} ... } in the file's order; those after "none" come last.
local function cupy_names(text)
  local spaces, by_name, current = {}, {}, nil
  for line in text:gmatch("[^\n]+") do
    local title, count = line:match("^(%S.-) %((%d+)%)$")
    if title then
      local name = title:gsub(" none$", "")
      local space = by_name[name]
      if not space then
        space = { space = name, names = {} }
        by_name[name], spaces[#spaces + 1] = space, space
      end
      current = { space = space, left = tonumber(count), title = title }
    elseif current and line:match("^  ") then
      for name in line:gmatch("%S+") do
        table.insert(current.space.names, name)
        current.left = current.left - 1
      end
      assert(current.left >= 0, "more names than counted in " .. current.title)
    end
  end
  for _, space in ipairs(spaces) do table.sort(space.names) end
  return spaces
end

local function words(text)
  local set = {}
  for word in text:gmatch("%S+") do set[word] = true end
  return set
end

--- object[key] where that is no error; a name that Lua reserves has an underscore behind it.
local function has(object, key)
  local function get(name)
    local ok, found = pcall(function() return object[name] ~= nil or type(object) == "userdata" end)
    if ok then return found end          -- of a userdata an attribute may be nil; an unknown one is an error
    return tostring(found):find("no kernel f is compiled", 1, true) ~= nil         -- one of a kernel, without NVRTC
  end
  if get(key) then return key end
  return get(key .. "_") and key .. "_" or nil
end

--- What `text` names within backticks must be there: ma.linalg.inv, a:get, a.T, stream:with.
local function check_spelling(samples, text)
  for code in text:gmatch("`([^`]+)`") do
    for root, path in code:gmatch("([%a_][%w_]*)([.:][%w_.:]+)") do
      local object = samples[root]
      if object ~= nil then
        for key in path:gmatch("[%w_]+") do
          local found = has(object, key)
          if not found then return ("'%s': there is no %s%s"):format(text, root, path) end
          local ok, next_one = pcall(function() return object[found] end)
          object = ok and next_one or nil
          if object == nil then break end
        end
      end
    end
  end
end

--- By name, {"spelled" or "none", text}: what entries.lua says of a namespace's names.
local function known_of(entry, names, samples, instead, written, fault)
  local known = {}
  local function know(key, kind, text)
    if known[key] then fault("%s: explained twice", key) end
    if kind == "spelled" then
      local why = check_spelling(samples, text)
      if why then fault("%s: %s", key, why) end
    end
    known[key] = { kind, text }
  end
  for key, text in pairs(entry.spelled or {}) do know(key, "spelled", text) end
  for reason, list in pairs(entry.none or {}) do
    for key in list:gmatch("%S+") do know(key, "none", reason) end
  end
  for _, key in ipairs(names) do
    if entry.all then know(key, "none", entry.all) end
    local text = entry.instead and instead[entry.instead][key]
    if text then
      local spelling = written(text)
      know(key, spelling and "spelled" or "none", spelling or text)
    end
  end
  return known
end

local function measure_space(given, entry, known, objects, listed, still, fault)
  local space = { name = given.space, here = entry.here, same = {}, spelled = {}, none = {}, missing = {} }
  for _, key in ipairs(given.names) do
    local found
    for k = 1, 4 do
      if objects[k] ~= nil then found = found or has(objects[k], key) end
    end
    local what = known[key]
    known[key] = nil
    if found and what then
      fault("%s: it is there under the same name, but scripts/coverage/entries.lua explains it", key)
    end
    if found then
      table.insert(space.same, found)
    elseif what then
      table.insert(space[what[1]], { key, what[2] })
    else
      table.insert(space.missing, key)
      still[given.space .. "." .. key] = true
      if not listed[given.space .. "." .. key] then fault("%s: it is neither there nor explained", key) end
    end
  end
  for key in pairs(known) do fault("%s: scripts/coverage/entries.lua explains what is no name of CuPy's", key) end
  space.there = #space.same + #space.spelled
  space.all = space.there + #space.missing
  return space
end

local function is_scipy(space) return space.name:find("^cupyx%.scipy") ~= nil end

--- The sum of the namespaces of cupyx.scipy, or of the others.
local function part_of(report, scipy)
  local part = { there = 0, all = 0, missing = 0, none = 0 }
  for _, space in ipairs(report.spaces) do
    if is_scipy(space) == scipy then
      part.there, part.all = part.there + space.there, part.all + space.all
      part.missing, part.none = part.missing + #space.missing, part.none + #space.none
    end
  end
  part.percent = 100 * part.there / part.all
  return part
end

--- { spaces, own, scipy: { there, all, percent, missing, none }; missing: a set; gained: of missing.txt, but there;
--- faults: texts }
local function measure(ma, core)
  local entries = dofile(FOLDER .. "entries.lua")
  local samples = entries.samples(ma, core)
  local listed = words(assert(files.read(FOLDER .. "missing.txt")))
  local report = { spaces = {}, faults = {}, missing = {}, gained = {} }
  for _, given in ipairs(cupy_names(assert(files.read(FOLDER .. "names.txt")))) do
    local function fault(...) table.insert(report.faults, given.space .. "." .. string.format(...)) end
    local entry = entries.spaces[given.space]
    if not entry then
      fault("*: scripts/coverage/entries.lua has no entry for it")
      entry = {}
    end
    local known = known_of(entry, given.names, samples, core.instead, entries.written, fault)
    local ok, objects = pcall(entry.of or error, samples)
    local space = measure_space(given, entry, known, ok and objects or {}, listed, report.missing, fault)
    table.insert(report.spaces, space)
  end
  samples.ma.Stream.ptds:close()                       -- to ask for it was to make it
  for word in pairs(listed) do
    if not report.missing[word] then table.insert(report.gained, word) end
  end
  table.sort(report.faults)
  table.sort(report.gained)
  report.own, report.scipy = part_of(report, false), part_of(report, true)
  return report
end

-- ==== The page ====

local HEAD = [[
# Coverage of CuPy's names

This page is made by `make coverage` from CuPy 14.2's public names and from the library itself. It says which names are
here. The names of `cupyx.scipy` are counted apart.
[from-cupy.md](from-cupy.md) and [from-numpy.md](from-numpy.md) say what differs.

A name is *there* under the same name, or by another spelling that does the same. A name that means nothing in Lua, or
that is left out, has its reason, and is not counted. The rest is missing. An underscore follows a name that Lua reserves.

| module | here | there | of | missing | percent | no meaning |
|---|---|---|---|---|---|---|]]

local function percent(there, all)
  return all == 0 and "-" or ("%.1f"):format(math.floor(1000 * there / all) / 10)
end

--- A text in lines of at most 120 columns, all but the first behind `indent`.
local function folded(text, indent)
  local lines, line = {}, ""
  for word in text:gmatch("%S+") do
    if line ~= "" and #line + 1 + #word > 120 then lines[#lines + 1], line = line, indent .. word
    else line = line == "" and word or line .. " " .. word end
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function quoted(list) return "`" .. table.concat(list, "`, `") .. "`" end

local function wrapped(list) return folded(quoted(list), "") end

--- "ma, ma.cuda" in backticks; words stay as they are.
local function shown(here) return here:find("^ma") and "`" .. here:gsub(", ", "`, `") .. "`" or here end

local function title_of(name)
  if name == "cupy" or name:find("^cupyx") then return name end
  return "cupy." .. name
end

local function page_of_space(add, space)
  add("\n## %s\n", title_of(space.name))
  if #space.same > 0 then add("There under the same name (%d):\n%s", #space.same, wrapped(space.same)) end
  if #space.spelled > 0 then
    add("%s| name | here |\n|---|---|", #space.same > 0 and "\n" or "")
    for _, row in ipairs(space.spelled) do add("| `%s` | %s |", row[1], (row[2]:gsub("|", "\\|"))) end
  end
  local by_reason, reasons = {}, {}
  for _, row in ipairs(space.none) do
    if not by_reason[row[2]] then
      by_reason[row[2]] = {}
      table.insert(reasons, row[2])
    end
    table.insert(by_reason[row[2]], row[1])
  end
  if #reasons > 0 then
    add("%sWithout a meaning here:\n", (#space.same + #space.spelled > 0) and "\n" or "")
    table.sort(reasons)
    for _, reason in ipairs(reasons) do
      add("%s", folded("- " .. quoted(by_reason[reason]) .. ": " .. reason .. ".", "  "))
    end
  end
  if #space.missing > 0 then
    add("%sMissing (%d):\n%s", (#space.same + #space.spelled + #reasons > 0) and "\n" or "", #space.missing,
      wrapped(space.missing))
  end
end

local function page(report)
  local lines = {}
  local function add(...) lines[#lines + 1] = string.format(...) end
  add("%s", HEAD)
  local function add_sum(title, part)
    add("| %s | | %d | %d | %d | %s | %d |", title, part.there, part.all, part.missing,
      percent(part.there, part.all), part.none)
  end
  for _, space in ipairs(report.spaces) do
    add("| %s | %s | %d | %d | %d | %s | %d |", title_of(space.name), shown(space.here or "-"), space.there, space.all,
      #space.missing, percent(space.there, space.all), #space.none)
  end
  add_sum("all but `cupyx.scipy`", report.own)
  add_sum("all of `cupyx.scipy`", report.scipy)
  for _, space in ipairs(report.spaces) do page_of_space(add, space) end
  return table.concat(lines, "\n") .. "\n"
end

--- The text of missing.txt: it only ever loses names here.
local function list(report)
  local names = {}
  for word in pairs(report.missing) do names[#names + 1] = word end
  table.sort(names)
  return table.concat(names, "\n") .. "\n"
end

local function write(path, text)
  if files.write(path, text) then print("wrote " .. path) end
end

if arg and arg[0] and arg[0]:find("coverage%.lua$") then
  package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
  package.cpath = (os.getenv("MODULE_DIR") or ".") .. "/?.so;" .. package.cpath
  local report = measure(require "moonarray", require "moonarray.core")
  for _, text in ipairs(report.faults) do io.stderr:write("make coverage: ", text, "\n") end
  if #report.faults > 0 then os.exit(1) end
  write(FOLDER .. "missing.txt", list(report))
  write("docs/coverage.md", page(report))
end

return { measure = measure, page = page, list = list }
