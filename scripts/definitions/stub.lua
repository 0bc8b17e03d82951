-- The definitions of the Lua layer, without the module: lua/moonarray is loaded over a core that only notes what is
-- defined. As a chunk that is loaded (dofile) it returns a function: load(rows, note) -> ma, where rows are the
-- functions that C makes, by name, and note(signature, text, path, name) is called for each that Lua makes; a
-- name is given where the signature has another.

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

return function(rows, note)
  local ma, methods = open_table(), {}
  local core = setmetatable({}, { __index = give_nothing })

  --- Stores a value as ma.name, ma.sub.name or core.name.
  local function file(name, value)
    local object = ma
    local hidden = name:match("^core%.(.*)$")
    if hidden then rawset(core, hidden, value) return end
    for part in name:gmatch("([^.]+)%.") do
      if type(rawget(object, part)) ~= "table" then rawset(object, part, open_table()) end
      object = rawget(object, part)
    end
    rawset(object, name:match("[^.]+$"), value)
  end

  local function path_of()
    local level = 3
    while true do
      local info = debug.getinfo(level, "S")
      if not info then return nil end
      local path = info.source:match("^@%./(lua/moonarray/.*)$")
      if path then return path end
      level = level + 1
    end
  end

  local function def(signature, doc, fn)
    local name = signature:match("^[^(]*")
    if not signature:find("^core%.") then note(signature, doc or "", path_of()) end
    local function call(...) return fn(...) end
    if signature:find("^:") then methods[name:sub(2)] = call return call end
    if not name:find(".", 1, true) and signature:find("%(a[:,);]") then methods[name] = call end
    file(name, call)
    return call
  end

  core.library, core.def, core.elementwise = ma, def, def
  function core.document(name, signature, doc) note(signature, doc, path_of(), name) end
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
  function core.special() end
  function core.array_methods() return methods end
  function core.fail(name, text) error(tostring(name) .. ": " .. tostring(text), 0) end
  function core.is_array() return false end
  function core.set_hook() end
  function core.hook() return give_nothing end
  function core.why_not() return "" end
  function core.crc32() return 0 end
  core.stream_methods, core.device_methods = {}, {}
  for name in pairs(rows) do
    if name:find(".", 1, true) then file(name, made_of(rows[name])) end
  end

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
  require "moonarray"
  local _ = core.functions                               -- loads all
  package.path, package.preload.ffi, package.loaded.ffi = path, package_ffi, nil
  for name in pairs(package.loaded) do
    if name:find("^moonarray") then package.loaded[name] = nil end
  end
  for name, value in pairs(kept) do package.loaded[name] = value end
  return ma, methods
end
