--- moonarray: NumPy-style arrays on NVIDIA GPUs and on the CPU. This file loads the library: the C core, then the parts
--- in Lua, each a function of the library's table and the core's.

local love = rawget(_G, "love")
if love then require "moonarray.love.module" (love) end          -- the library may lie in the game's archive
local core = require "moonarray.core"

core.own()

---@class moonarray
local ma = core.library

ma.pi, ma.e, ma.euler_gamma = math.pi, math.exp(1), 0.57721566490153286061
ma.inf, ma.nan = math.huge, math.abs(math.huge - math.huge)          -- without a sign; on x86 inf - inf has one

-- Loaded with the library.
local parts = {
  "scalar", "device", "device.stream", "device.scope", "functions.sequence", "functions.create", "functions.shape",
  "functions.strides", "functions.pad", "functions.elementwise",
  "functions.numeric", "functions.sort", "functions.quantile", "functions.histogram", "print", "files", "device.pool",
  "functions.product", "functions.bits", "functions.convolve", "functions.layout", "functions.mask", "functions.scan",
  "functions.reduceat",
  "device.profiler", "device.wait", "device.cuda", "help", "attribute",
}

-- Parts that are loaded when the table or function of that name is used, because Lua's collector walks over everything
-- that is loaded. By name, the part.
local later = {}
for name in ([[distributed fft fftpack image interpolate jit lapack linalg love ndimage plot polynomial progress random signal
    sparse spatial special stats stencil testing vectorize wavfile]]):gmatch("%a+") do
  later[name] = name
end
for name in ("poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots"):gmatch("%a%w*") do
  later[name] = "polynomial.classic"
end

-- Parts that are loaded together when a name is used that is not there yet. None of their functions is a method of
-- arrays.
local seldom = {
  "functions.einsum", "functions.window", "functions.indices", "functions.statistics", "functions.apply",
  "functions.generalized",
}

later.genfromtxt, later.fromffi, later.loadt7 = "files.columns", "files.fromffi", "files.torch7"
later.hdf5 = "files.hdf5"

local function load(part) require("moonarray." .. part)(ma, core) end

local function load_later(part)
  for name, other in pairs(later) do
    if other == part then later[name] = nil end          -- first, because the part may look for a missing name itself
  end
  load(part)
end

local function load_seldom()
  local list = seldom
  seldom = {}
  for _, part in ipairs(list) do load(part) end
end

local runtime_is_loaded = false

--- The part of cuda.runtime that is written in Lua, and cuda.texture: loaded when a name is used that is not there.
local function load_runtime()
  if runtime_is_loaded then return end
  runtime_is_loaded = true
  load("device.runtime")
  load("device.texture")
end

local function load_all()
  load_seldom()
  load_runtime()
  for _, part in pairs(later) do load_later(part) end
end

--- Calls fn(key) for keys that an object lacks, before its own __index, which is kept if this file is loaded again.
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
  if later[name] then load_later(later[name]) else load_seldom() end
  if rawget(ma, name) == nil then load_all() end       -- so that the error can suggest any name
end)
before_index(core, function(name)
  if name == "functions" then load_all() end
end)

core.set_hook("unknown", function(place, name) return require("moonarray.unknown")(core, place, name) end)

for _, part in ipairs(parts) do load(part) end

before_index(ma.cuda.runtime, load_runtime)
before_index(ma.cuda, function(name)
  if name == "texture" then load_runtime() end
end)

return ma
