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
      .. "has it beside the files in Lua (README.md).\n" .. why
  end
  error(why, 3)
end

core.own()

---@class moonarray
local ma = core.library

ma.pi, ma.e, ma.euler_gamma = math.pi, math.exp(1), 0.57721566490153286061
ma.inf, ma.nan = math.huge, math.abs(math.huge - math.huge)          -- without a sign; on x86 inf - inf has one

-- Loaded with the library.
local parts = { "scalar", "device", "device.stream", "device.scope", "device.wait", "help", "attribute" }

-- Parts that are loaded when the table, the function or the method of that name is used: a program waits for what is
-- loaded with the library, and Lua's collector walks over it. By name, the part. Functions of the core are made then
-- too (core.summon).
local later = {}
local function load_at(part, names)
  for name in names:gmatch "[%w_]+" do later[name] = part end
end
for name in ([[distributed fft fftpack image interpolate jit lapack linalg love ndimage plot polynomial progress random
    signal sparse spatial special stats stencil testing vectorize wavfile]]):gmatch("%a+") do
  later[name] = name
end
load_at("polynomial.classic", "poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots")
load_at("files.columns", "genfromtxt")
load_at("files.fromffi", "fromffi")
load_at("files.torch7", "loadt7")
load_at("files.hdf5", "hdf5")
load_at("files", "savez savez_compressed")
load_at("print", [[array2string array_repr array_str format_float_positional format_float_scientific get_printoptions
  printoptions set_printoptions]])
load_at("device.profiler", "profiler")
load_at("functions.sequence", "fromiter geomspace linspace logspace")
load_at("functions.create", [[diag diagflat eye fromfunction identity indices meshgrid mgrid ogrid trace tri tril triu
  vander]])
load_at("functions.shape", [[append array_split atleast_1d atleast_2d atleast_3d block blocks broadcast_arrays
  column_stack delete dsplit dstack each hsplit hstack insert map ndim repeat_ resize roll rollaxis rot90 row_stack rows
  shape size split tile to_device trim_zeros unstack vsplit vstack]])
load_at("functions.strides", "byteswap")
load_at("functions.pad", "pad")
load_at("functions.elementwise", [[angle around clip imag isclose nan_to_num real round rsqrt scatter_add scatter_max
  scatter_min where]])
load_at("functions.numeric", [[allclose array_equal array_equiv average diff ediff1d gradient interp iscomplex
  iscomplexobj isneginf isposinf isreal isrealobj isscalar real_if_close trapezoid unwrap]])
load_at("functions.sort", [[digitize in1d intersect1d isin lexsort searchsorted setdiff1d
  setxor1d sort_complex topk union1d unique unique_all unique_counts unique_inverse unique_values]])
load_at("functions.quantile", "median nanmedian nanpercentile nanquantile percentile quantile")
load_at("functions.histogram", "histogram histogram2d histogram_bin_edges histogramdd")
load_at("functions.convolve", "convolve correlate")
load_at("functions.product", "cross kron tensordot vdot vecdot")
load_at("functions.bits", "base_repr binary_repr packbits unpackbits")
load_at("functions.layout", [[asanyarray asarray_chkfinite ascontiguousarray asfortranarray common_type isfortran
  may_share_memory require shares_memory]])
load_at("functions.mask", "piecewise place putmask")
load_at("functions.scan", "cumulative_prod cumulative_sum")

-- Functions of the core that a part has.
local of_core = { reduceat = "functions.reduceat", convolve = "functions.convolve", stand_ins = "bytecode" }
local hooks = { tostring = "print", flat = "functions.strides", address = "files", record = "files" }
if pcall(require, "ffi") then hooks.pointer = "files" end

-- Parts that are loaded together when a name is used that is not there yet. None of their functions is a method of
-- arrays.
local seldom = {
  "functions.einsum", "functions.window", "functions.indices", "functions.statistics", "functions.apply",
  "functions.generalized",
}

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

local cuda_is_loaded, runtime_is_loaded = false, false

--- Parts of ma.cuda, loaded when a name is used that is not there.
local function load_cuda()
  if cuda_is_loaded then return end
  cuda_is_loaded = true
  if later.profiler then load_later "device.profiler" end
  load("device.pool")
  load("device.cuda")
end

--- The part of cuda.runtime that is written in Lua, and cuda.texture.
local function load_runtime()
  if runtime_is_loaded then return end
  runtime_is_loaded = true
  load_cuda()
  load("device.runtime")
  load("device.texture")
end

local function load_all()
  core.summon()
  load_seldom()
  load_runtime()
  for _, part in pairs(later) do load_later(part) end
  for name, part in pairs(of_core) do
    if rawget(core, name) == nil then load(part) end
  end
end

--- Loads what has the name nearest to one that is not there, so that the error can suggest it. `methods`: of arrays;
--- else of the library's table, which has modules too.
local function load_near(name, methods)
  local list, near = require "moonarray.names", {}
  for known in (methods and list.methods or list.functions):gmatch "%S+" do near[known:match "^[^.]+"] = true end
  near = core.nearest(near, name)
  if not near then return end
  core.summon(near)
  if later[near] then load_later(later[near]) end
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
  if core.summon(name) and rawget(ma, name) ~= nil then return end
  if later[name] then load_later(later[name]) else load_seldom() end
  if rawget(ma, name) == nil then load_near(name) end
end)
before_index(core, function(name)
  if of_core[name] then
    load_later(of_core[name])
  elseif name == "instead" or name == "runtime_stream" then
    load_cuda()
  elseif name == "functions" then
    load_all()
  end
end)

core.set_hook("unknown", function(place, name) return require("moonarray.unknown")(core, place, name) end)
core.set_hook("later", function(name)
  if later[name] then load_later(later[name]) else load_near(name, true) end
end)
for hook, part in pairs(hooks) do
  core.set_hook(hook, function(...)
    load_later(part)                                   -- sets the hook
    return core.hook(hook)(...)
  end)
end

for _, part in ipairs(parts) do load(part) end

--- Raises the error for a name of CuPy's that is not offered, which says what to write.
local function refuse(place, library, name)
  local text = rawget(library, name) == nil and core.instead[place:match "%a+$"][name]
  if text then core.fail(place .. "." .. name, text) end
end

before_index(ma.lib.stride_tricks, function()
  if later.byteswap then load_later(later.byteswap) end
end)
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
