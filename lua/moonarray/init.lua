--- moonarray: NumPy-style arrays on NVIDIA GPUs and on the CPU. This file loads the library: the C core, then the parts
--- in Lua, each a function of the library's table and the core's.

local love = rawget(_G, "love")
if love then require "moonarray.love.module" (love) end          -- the library may lie in the game's archive
local found, core = pcall(require, "moonarray.core")
if not found then
  local why = tostring(core)
  if why:find("^module 'moonarray.core' not found") then
    why = "moonarray: its compiled part, moonarray.core, is not where Lua looks for it (package.cpath). In the folder "
      .. "of the source make builds it, and luarocks --lua-version 5.1 make --local installs it; the zip of a release "
      .. "has it beside the files in Lua (docs/install.md).\n" .. why
  end
  error(why, 3)
end

core.own()
if love then require("moonarray.love.bundles").add_beside(core) end

---@class moonarray
local ma = core.library

ma.pi, ma.e, ma.euler_gamma = math.pi, math.exp(1), 0.57721566490153286061
ma.inf, ma.nan = math.huge, math.abs(math.huge - math.huge)          -- positive; on x86 inf - inf is -nan

-- The parts that are loaded with the library.
local parts = { "scalar", "device", "device.stream", "device.scope", "device.wait", "help", "attribute" }

-- Functions and hooks of the core that belong to parts which are loaded at the first use.
local of_core = { reduceat = "functions.reduceat", convolve = "functions.convolve", element_rule = "element.rule",
  stencil_body = "element.body", fuse_body = "element.body",
  is_users = "element.rule", is_own = "element.rule", note_changes = "element.rule", part_numbers = "element.rule",
  taken = "captures", outside_of = "captures", captures_of = "captures", allow_captures = "captures",
  note_part = "captures", whole_of = "captures", allowed_captures = "captures",
  draw_source = "element.draws", draws_of = "random",
  is_generator = "random", take_draws = "random", prepared = "frames.prepare",
  plain = "plain", lists = "lists", prints = "prints" }
local hooks = { tostring = "print", flat = "functions.strides", address = "files", record = "files" }
if pcall(require, "ffi") then hooks.pointer = "files" end

local is_loaded = {}

local function load(part)
  if is_loaded[part] then return end
  is_loaded[part] = true                               -- before the load: the part may read a missing name itself
  require("moonarray." .. part)(ma, core)
end

-- Which part has a function, a method or a module, by its name. The part is loaded when the name is first used, because
-- a program waits for everything that is loaded with the library, and Lua's collector visits it. The list is
-- moonarray.parts, which make writes out of the definitions; it is read when a name is missing for the first time. Then
-- the core also makes the function of that name if it has one (core.summon).
local later

local function read_later()
  if later then return later end
  later = {}
  for part, names in require("moonarray.parts"):gmatch "(%S+):([^\n]*)" do
    for name in names:gmatch "%S+" do later[name] = part end
  end
  return later
end

local function load_later(name)
  local part = read_later()[name]
  if part then load(part) end
  return part ~= nil
end

--- Loads the parts of ma.cuda that are written in Lua, when a name that is not there is used.
local function load_cuda()
  for _, part in ipairs { "device.profiler", "device.pool", "device.cuda" } do load(part) end
end

--- The part of cuda.runtime that is written in Lua, and cuda.texture.
local function load_runtime()
  load_cuda()
  load("device.runtime")
  load("device.texture")
end

local function load_all()
  core.summon()
  load_runtime()
  for _, part in pairs(read_later()) do load(part) end
  for _, part in pairs(of_core) do load(part) end
end

--- Loads the part that has the name nearest to an unknown one, so that the error can suggest it. `methods`: among the
--- methods of arrays; else in the library's table and its modules.
local function load_near(name, methods)
  local list, near = require "moonarray.names", {}
  for known in (methods and list.methods or list.functions):gmatch "%S+" do near[known:match "^[^.]+"] = true end
  near = core.nearest(near, name)
  if not near then return end
  core.summon(near)
  load_later(near)
end

--- Calls fn(key) for a key that the object lacks, then its own __index, also if this file is loaded again.
local function before_index(object, fn)
  local meta = getmetatable(object)
  local index = rawget(meta, "index") or meta.__index
  meta.index = index
  meta.__index = function(_, key)
    fn(key)
    local value = rawget(object, key)
    if value == nil then value = index(object, key) end
    return value
  end
end

before_index(ma, function(name)
  if core.summon(name) and rawget(ma, name) ~= nil then return end
  load_later(name)
  if rawget(ma, name) == nil then load_near(name) end
end)
before_index(core, function(name)
  if of_core[name] then
    load(of_core[name])
  elseif name == "instead" or name == "runtime_stream" then
    load_cuda()
  elseif name == "functions" then
    load_all()
  end
end)

core.set_hook("unknown", function(place, name) return require("moonarray.unknown")(core, place, name) end)
core.set_hook("later", function(name)
  if not load_later(name) then load_near(name, true) end
end)
for hook, part in pairs(hooks) do
  core.set_hook(hook, function(...)
    load(part)                                         -- sets the hook
    return core.hook(hook)(...)
  end)
end

for _, part in ipairs(parts) do load(part) end

--- Raises the error for a name of CuPy's that is not offered, which says what to write.
local function refuse(place, library, name)
  local text = rawget(library, name) == nil and core.instead[place:match "%a+$"][name]
  if text then core.fail(place .. "." .. name, text) end
end

before_index(ma.lib.stride_tricks, function() load("functions.strides") end)
before_index(ma.cuda, function(name)
  load_cuda()
  if name == "texture" then load_runtime() end
  refuse("cuda", ma.cuda, name)
end)
before_index(ma.cuda.runtime, function(name)
  load_runtime()
  refuse("cuda.runtime", ma.cuda.runtime, name)
end)

return ma
