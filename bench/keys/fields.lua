--- What works on fields, images and signals: ma.stencil, ma.ndimage, ma.signal, ma.spatial, ma.special. The peers'
--- scripts for the same keys are peers/cupy_bench.py and peers/scipy_bench.py.

local ma = require "moonarray"
local timing = ...

local divisor, on_gpu, eval, record = timing.divisor, timing.on_gpu, timing.eval, timing.record
local measure = on_gpu and timing.events or timing.wall
local prefix = timing.prefix

--- The edge of an image: a power of two, smaller by the divisor's root.
local function edge(n) return math.max(32, 2 ^ math.floor(math.log(n / math.sqrt(divisor)) / math.log(2) + 0.5)) end

--- An image of n x n float32 in 0 .. 1 with structure at all scales.
local function image(n)
  local y, x = ma.range(1, n):astype("float64"):reshape(n, 1), ma.range(1, n):astype("float64"):reshape(1, n)
  local value = ma.sin(x * 12.9898 + y * 78.233) * 43758.5453
  local rough = value - ma.floor(value)
  return (ma.sin(x * 0.05) * ma.cos(y * 0.03) * 0.25 + 0.25 + rough * 0.5):astype("float32"):copy()
end

local function stencils()
  local n = edge(on_gpu and 8192 or 2048)
  local u = image(n)
  local heat = ma.stencil(function(v)
    return v(0, 0) + 0.1 * (v(1, 0) + v(-1, 0) + v(0, 1) + v(0, -1) - 4 * v(0, 0))
  end, { boundary = "nearest" })
  local out = { out = ma.empty_like(u) }
  record(prefix .. "stencil5", measure, function() return eval(heat(u, out)) end)
  n = edge(on_gpu and 512 or 128)
  u = ma.arange(n * n * n):astype("float32"):reshape(n, n, n) * 1e-6
  local seven = ma.stencil(function(v)
    return v(0, 0, 0) + 0.1 * (v(1, 0, 0) + v(-1, 0, 0) + v(0, 1, 0) + v(0, -1, 0) + v(0, 0, 1) + v(0, 0, -1)
      - 6 * v(0, 0, 0))
  end, { boundary = "nearest" })
  out = { out = ma.empty_like(u) }
  record(prefix .. "stencil7", measure, function() return eval(seven(u, out)) end)
end

local function images()
  local n = edge(on_gpu and 4096 or 1024)
  local u = image(n)
  local mask = u:gt(0.6)
  local half = ma.range(1, n):astype("float32") * 0.98 + 0.37      -- positions, from 1
  local coordinates = ma.stack({ ma.broadcast_to(half:reshape(n, 1), { n, n }), ma.broadcast_to(half, { n, n }) })
  local ndimage = ma.ndimage
  local function key(name, fn) record(prefix .. name, measure, function() return eval((fn())) end, 5) end
  key("gaussian_filter", function() return ndimage.gaussian_filter(u, 3) end)
  key("median_filter3", function() return ndimage.median_filter(u, 3) end)
  key("median_filter5", function() return ndimage.median_filter(u, 5) end)
  key("uniform_filter15", function() return ndimage.uniform_filter(u, 15) end)
  key("maximum_filter15", function() return ndimage.maximum_filter(u, 15) end)
  key("binary_dilation", function() return ndimage.binary_dilation(mask) end)
  key("label", function() return ndimage.label(mask) end)
  key("distance_transform_edt", function() return ndimage.distance_transform_edt(mask) end)
  key("map_coordinates1", function() return ndimage.map_coordinates(u, coordinates, { order = 1 }) end)
  key("map_coordinates3", function() return ndimage.map_coordinates(u, coordinates, { order = 3 }) end)
  key("zoom", function() return ndimage.zoom(u, 1.5, { order = 1 }) end)
end

local function signals()
  local n = math.floor((on_gpu and 2 ^ 22 or 2 ^ 20) / divisor)
  local x = timing.spread(n):astype("float64")
  local b = { 0.00041655, 0.00166618, 0.00249927, 0.00166618, 0.00041655 }
  local a = { 1, -3.18063855, 3.86119435, -2.11215536, 0.43826514 }
  b, a = ma.array(b), ma.array(a)
  record(prefix .. "lfilter", measure, function() return eval((ma.signal.lfilter(b, a, x))) end, 5)
  record(prefix .. "stft", measure, function()
    local _, _, z = ma.signal.stft(x, { nperseg = 1024 })
    return eval(z)
  end, 5)
  local points = timing.spread(edge(on_gpu and 4096 or 1024) * 16):reshape(-1, 16)
  record(prefix .. "cdist", measure, function() return eval(ma.spatial.distance.cdist(points, points)) end, 5)
end

-- The share of a float32 pass over the arguments of a special function; keys special_NAME.
local SPECIAL = { "erf", "gammaln", "i0", "j0", "ndtri", "expit", "digamma" }

local function specials()
  local n = math.floor((on_gpu and 2 ^ 27 or 2 ^ 21) / divisor)
  local x = timing.spread(n) * 0.98 + 0.01
  local out = { out = ma.empty_like(x) }
  for _, name in ipairs(SPECIAL) do
    record(prefix .. "special_" .. name, measure, function() return eval(ma.special[name](x, out)) end, 5)
  end
end

for _, part in ipairs { stencils, images, signals, specials } do
  local ok, why = pcall(part)
  if not ok then io.stderr:write("bench/keys/fields.lua: ", tostring(why), "\n") end
  collectgarbage()
  collectgarbage()
end
