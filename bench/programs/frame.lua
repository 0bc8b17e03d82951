--- A frame loop that meets a new expression now and then: how long the worst frame takes.
--
-- usage: MOONARRAY_DEVICE=cuda luajit bench/programs/frame.lua [new expressions [size]]
--
-- Every tenth frame an expression comes in that the process has not seen; all that came so far are computed in each
-- frame. Nothing of it is in the cache of kernels, which is a folder of this run's own; the single operations are, as
-- in a program that has run before. Prints the frames' times in milliseconds, and whether the worst is under 5 ms. With
-- FRAME_CACHE=dir the folder stays, and a second run shows a start with the kernels of the first.
--
-- Without NVRTC (MOONARRAY_NVRTC=0, with the base set beside the module) nothing is compiled, so an expression comes in
-- with every frame, the oldest of as many leaves, and ten times as many come in all. Their operations run one by one.
-- The worst frame is to be under 8 ms.

local ffi = require "ffi"
ffi.cdef "int setenv(const char *name, const char *value, int overwrite);"
local kept = os.getenv("FRAME_CACHE")
local folder = kept or os.tmpname()
if not kept then os.remove(folder) end
ffi.C.setenv("MOONARRAY_CACHE_DIR", folder, 1)

local ma = require "moonarray"
local core = require "moonarray.core"
local count, size = tonumber(arg[1]) or 30, tonumber(arg[2]) or 512
local on_gpu = ma.zeros(1).device ~= "cpu"
local compiles = os.getenv "MOONARRAY_NVRTC" ~= "0"
local limit = compiles and 5 or 8

local was = ma.set_fusion(true)        -- memory that may move is made so
local a, b = ma.ones({ size, size }, "float32"), ma.full({ size, size }, 0.5, "float32")
local ops = {
  function(x, y) return x + y end, function(x, y) return x * y end, function(x, y) return x - y end,
  function(x, y) return ma.maximum(x, y) end, function(x, y) return ma.minimum(x, y) end,
  function(x) return ma.abs(x) end, function(x) return x * 0.5 end, function(x) return x + 1 end,
  function(x) return -x end,
}

--- The kth expression: a chain of eight operations that no other has.
local function expression(k)
  local digits, rest = {}, k * 7919 % 43046721
  for d = 1, 8 do
    digits[d] = rest % #ops + 1
    rest = (rest - rest % #ops) / #ops
  end
  return function(x, y)
    for d = 1, 8 do x = ops[digits[d]](x, y) end
    return x
  end
end

local function frame(list)
  local start = ma.time()
  ma.scope(function()
    for k = 1, #list do list[k](a, b):eval() end
  end)
  ma.zeros(1):get()                    -- what a frame waits for
  return (ma.time() - start) * 1e3
end

--- What the program ran before: each operation, alone.
ma.set_fusion(false)
for _ = 1, 3 do frame(ops) end
ma.set_fusion(true)

local list, times, first = {}, {}, {}
local _, compiled_before = core.background()
for k = 1, compiles and count or 10 * count do
  list[#list + 1] = expression(k + (tonumber(os.getenv("FRAME_SEED")) or 0))
  if #list > count then table.remove(list, 1) end
  first[k] = frame(list)
  times[#times + 1] = first[k]
  for _ = 1, compiles and 9 or 0 do times[#times + 1] = frame(list) end
end
core.background(true)
local settled = {}
local launches = core.work()
for k = 1, 50 do settled[k] = frame(list) end
launches = (core.work() - launches) / 50
local _, compiled, failed = core.background()

local function show(name, values)
  table.sort(values)
  print(("%-34s median %7.3f  99%% %7.3f  worst %7.3f ms"):format(name, values[math.floor(#values / 2) + 1],
    values[math.max(1, math.ceil(#values * 0.99))], values[#values]))
  return values[#values]
end
print(("%d expressions of 8 operations, %dx%d float32 on %s%s"):format(count, size, size, a.device,
  compiles and "" or ", without NVRTC"))
show("frames with a new expression", first)
local worst = show("all frames", times)
show(compiles and "when all kernels are there" or "when nothing new comes in", settled)
print(("compiled in the background: %d, failed: %d"):format(compiled - compiled_before, failed))
print(("launches a frame at the end: %.1f for %d expressions"):format(launches, count))
print(worst < limit and ("worst frame under %d ms"):format(limit)
  or ("MISSED: worst frame of %d ms or more"):format(limit))
ma.set_fusion(was)
if not kept then os.execute("rm -rf '" .. folder .. "'") end
if on_gpu and worst >= limit then os.exit(1) end
