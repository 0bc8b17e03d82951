--- Row programs and reductions of one operand. The peers' script for the same keys is peers/rows_bench.py.

local ma = require "moonarray"
local timing = ...

local divisor, on_gpu, eval, record = timing.divisor, timing.on_gpu, timing.eval, timing.record
local measure = on_gpu and timing.events or timing.wall
local prefix = timing.prefix
local keep = { keepdims = true }

local function softmax(x, axis)
  local e = ma.exp(x - x:max(axis or 2, keep))
  return e / e:sum(axis or 2, keep)
end

local function log_softmax(x)
  local d = x - x:max(2, keep)
  return d - ma.log(ma.exp(d):sum(2, keep))
end

local function standardised(x) return (x - x:mean(1, keep)) / x:std(1, keep) end

local function layer_norm(x) return (x - x:mean(2, keep)) / ma.sqrt(x:var(2, keep) + 1e-5) end

local function matrix(rows, columns)
  rows = math.max(4, math.floor(rows / divisor))
  return ((timing.spread(rows * columns) - 0.5) * 8):reshape(rows, columns):eval()
end

local function key(name, f, ...)
  local arguments = { ... }
  record(prefix .. name, measure, function() return eval(f(unpack(arguments))) end)
end

local shapes = on_gpu and { { 8192, 8192 }, { 16384, 4096 }, { 65536, 1000 }, { 1000000, 70 }, { 64, 16384 },
  { 3001, 513 }, { 2000003, 33 } }
  or { { 2048, 2048 }, { 4096, 1000 }, { 60000, 70 }, { 16, 100000 }, { 1001, 513 }, { 200003, 33 } }
for _, shape in ipairs(shapes) do
  local x = matrix(shape[1], shape[2])
  local suffix = ("_%dx%d"):format(shape[1], shape[2])
  key("softmax" .. suffix, softmax, x)
  key("log_softmax" .. suffix, log_softmax, x)
  key("layer_norm" .. suffix, layer_norm, x)
end

-- Down columns; the last ones are too long for registers.
local tall = on_gpu and { { 8192, 8192 }, { 1024, 65536 }, { 3001, 5003 }, { 70, 1000000 }, { 16384, 4096 },
  { 1000000, 70 } } or { { 2048, 2048 }, { 316, 316 }, { 70, 60000 }, { 100000, 16 } }
for _, shape in ipairs(tall) do
  local x = matrix(shape[1], shape[2])
  local suffix = ("_down_%dx%d"):format(shape[1], shape[2])
  key("softmax" .. suffix, softmax, x, 1)
  key("standardised" .. suffix, standardised, x)
end

local n = math.floor((on_gpu and 2 ^ 27 or 2 ^ 22) / divisor)
local a = ((timing.spread(n) - 0.5) * 8):eval()
key("ptp", function() return a:max() - a:min() end)
key("mean_std", function()
  local mean, std = a:mean(), a:std()
  eval(mean)
  return std
end)
key("min_max_mean_std", function()
  local low, high, mean, std = a:min(), a:max(), a:mean(), a:std()
  eval(low)
  eval(high)
  eval(mean)
  return std
end)
