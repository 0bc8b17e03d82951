-- The definitions of the Lua layer, without the module: lua/moonarray is loaded over a core that only notes what is
-- defined. As a chunk that is loaded (dofile) it returns a function: load(rows, note) -> ma, methods, parts; rows are
-- the functions that C makes, by name, and note(signature, text, path, page, name) is called for each that Lua makes; a
-- name is given where the signature has another.

local files = dofile("scripts/files.lua")

--- What stands for every value that only a running library has: it can be called, indexed and computed with.
local nothing = {}
local function give_nothing() return nothing end
setmetatable(nothing, { __index = give_nothing, __call = give_nothing, __newindex = function() end,
  __add = give_nothing, __sub = give_nothing, __mul = give_nothing, __div = give_nothing, __pow = give_nothing,
  __unm = give_nothing, __mod = give_nothing, __concat = function() return "" end, __lt = function() return false end,
  __le = function() return false end })

--- A table that raises no error for names that it lacks. init.lua puts a function of its own before __index.
local function no_value() return nil end
local function open_table() return setmetatable({}, { __index = no_value }) end

--- What a function that C makes is here: a ufunc is a userdata and a class a table, as in the library.
local function made_of(row)
  if row.ufunc then
    local ufunc = newproxy(true)
    local meta = getmetatable(ufunc)
    meta.__call, meta.__index = give_nothing, { doc = row.doc, nin = row.ufunc.nin, nout = row.ufunc.nout }
    return ufunc
  end
  if row.signature:find("^Stream%(") or row.signature:find("^cuda%.Stream%(") then
    return setmetatable({}, { __call = give_nothing })
  end
  return function() return nothing end
end

--- By line, what the last comment `--# page` says.
local function pages_of(path)
  local pages, page, k = {}, nil, 0
  for line in io.lines(path) do
    k, page = k + 1, line:match("^%s*%-%-# (%S+)") or page
    pages[k] = page
  end
  return pages
end

local function defines(path)
  local text = assert(files.read(path))
  return text:find("core.def", 1, true) or text:find("core.document", 1, true) or text:find("core.elementwise", 1, true)
end

--- The files that may define something, by the names that require takes: those of a folder without a module of its
--- name, modules, and others, which are parts where no module loads them.
local function list_parts()
  local lists = { {}, {}, {} }
  for _, path in ipairs(files.lines("find lua/moonarray -name '*.lua' ! -path lua/moonarray/init.lua")) do
    local name = path:match("^lua/moonarray/(.*)%.lua$")
    local module, folder = name:match("^(%w+)/init$") or name:match("^%w+$"), name:match("^%w+")
    local list = module and lists[2] or lists[3]
    local place = "lua/moonarray/" .. folder
    if not (files.read(place .. ".lua") or files.read(place .. "/init.lua")) then
      list = lists[1]
    end
    if module and module ~= name or defines(path) then list[#list + 1] = name:gsub("/init$", ""):gsub("/", ".") end
  end
  for _, list in ipairs(lists) do table.sort(list) end
  return lists
end

return function(rows, note)
  local ma, methods, parts, part, early, pages = open_table(), {}, {}, nil, {}, {}
  local core = setmetatable({}, { __index = give_nothing })

  --- Stores a value as ma.name, ma.sub.name or core.name.
  local function file(name, value)
    local object = ma
    local hidden = name:match("^core%.(.*)$")
    if hidden then rawset(core, hidden, value) return end
    for module in name:gmatch("([^.]+)%.") do
      if type(rawget(object, module)) ~= "table" then rawset(object, module, open_table()) end
      object = rawget(object, module)
    end
    rawset(object, name:match("[^.]+$"), value)
  end

  --- The file that defines what is defined now, and the page that the last comment `--# page` before it names.
  local function place_of()
    for level = 3, math.huge do
      local info = debug.getinfo(level, "Sl")
      local path = info.source:match("^@%./(lua/moonarray/.*)$")
      if path then
        pages[path] = pages[path] or pages_of(path)
        return path, pages[path][info.currentline]
      end
    end
  end

  --- Notes which part a name is loaded for. What is there with the library, as ma.cuda, loads no part.
  local function remember(name)
    local first = name:match("^:?([%w_]+)")
    if part and not early[first] and first ~= "core" then parts[first] = parts[first] or part end
  end

  local function def(signature, doc, fn)
    local name = signature:match("^[^(]*")
    if not signature:find("^core%.") then note(signature, doc or "", place_of()) end
    local function call(...) return fn(...) end
    remember(name)
    if signature:find("^:") then methods[name:sub(2)] = call return call end
    if not name:find(".", 1, true) and signature:find("%(a[:,);]") then methods[name] = call end
    file(name, call)
    return call
  end

  core.library, core.def, core.elementwise = ma, def, def
  function core.document(name, signature, doc)
    remember(name)
    local path, page = place_of()
    note(signature, doc, path, page, name)
  end
  function core.named(_, fn) return fn end
  function core.strict(object)
    return getmetatable(object) and object or setmetatable(object, { __index = no_value })
  end
  function core.summon(name)
    if name == nil then
      for one in pairs(rows) do core.summon(one) end
    elseif rows[name] and rawget(ma, name) == nil then file(name, made_of(rows[name])) end
    return rows[name] ~= nil
  end
  --- Makes the functions of modules: those of ma.special when that part is loaded, others with the library.
  local function make_functions(special)
    for name in pairs(rows) do
      local module = name:match("^(.-)%.")
      if module and (module == "special") == special then file(name, made_of(rows[name])) end
    end
  end
  function core.special() make_functions(true) end
  function core.array_methods() return methods end
  function core.fail(name, text) error(tostring(name) .. ": " .. tostring(text), 0) end
  function core.is_array() return false end
  function core.set_hook() end
  function core.hook() return give_nothing end
  function core.why_not() return "" end
  function core.crc32() return 0 end
  core.stream_methods, core.device_methods = {}, {}
  make_functions(false)

  -- Loaded beside a library that runs, as specs do: each has files of its own.
  local kept, path = {}, package.path
  for name, value in pairs(package.loaded) do
    if name == "ffi" or name:find("^moonarray") then kept[name] = value end
  end
  for name in pairs(kept) do package.loaded[name] = nil end
  local package_ffi = package.preload.ffi
  package.preload.ffi = function() error("not here", 0) end
  package.loaded["moonarray.core"] = core
  package.path = "./lua/?.lua;./lua/?/init.lua;" .. path
  local lists = list_parts()
  package.loaded["moonarray.parts"], package.loaded["moonarray.names"] = "", { functions = "", methods = "" }
  require "moonarray"
  for name in pairs(ma) do early[name] = true end
  for _, list in ipairs(lists) do
    for _, one in ipairs(list) do
      part = one
      if not package.loaded["moonarray." .. one] then require("moonarray." .. one)(ma, core) end
    end
  end
  core.summon()
  package.path, package.preload.ffi, package.loaded.ffi = path, package_ffi, nil
  for name in pairs(package.loaded) do
    if name:find("^moonarray") then package.loaded[name] = nil end
  end
  for name, value in pairs(kept) do package.loaded[name] = value end
  return ma, methods, parts
end
