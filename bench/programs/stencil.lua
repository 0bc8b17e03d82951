--- Measures stencils in their two forms, ma.stencil and an expression of shifted views, beside a copy of the field on a
--- GPU; on a CPU, compiled and not, beside a loop over FFI pointers on one core. `MOONARRAY_NUM_THREADS` is how many
--- threads the library has.
--
-- usage: luajit bench/programs/stencil.lua [divisor]      ($MOONARRAY_DEVICE picks the device)
--   divisor   makes the extents so many times smaller: a trial of the script, no measurement

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local core = require "moonarray.core"
local ma = require "moonarray"

local divisor = tonumber(arg and arg[1]) or 1
local on_gpu = ma.zeros(1).device ~= "cpu"
local clock = ma.time

local function five_points(u)
  return u(0, 0) + 0.1 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0))
end
local five = ma.stencil(five_points, { boundary = "nearest", compile = true })
local plain = ma.stencil(five_points, { boundary = "nearest", compile = false })
local seven = ma.stencil(function(u)
  return u(0, 0, 0) + 0.1 * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1)
    - 6 * u(0, 0, 0))
end, { boundary = "nearest" })

local function five_views(u)
  local mid = u["2:-2, 2:-2"]
  return mid + 0.1 * (u[":-3, 2:-2"] + u["3:, 2:-2"] + u["2:-2, :-3"] + u["2:-2, 3:"] - 4 * mid)
end

local function seven_views(u)
  local mid = u["2:-2, 2:-2, 2:-2"]
  return mid + 0.1 * (u[":-3, 2:-2, 2:-2"] + u["3:, 2:-2, 2:-2"] + u["2:-2, :-3, 2:-2"] + u["2:-2, 3:, 2:-2"]
    + u["2:-2, 2:-2, :-3"] + u["2:-2, 2:-2, 3:"] - 6 * mid)
end

local function median(list)
  table.sort(list)
  return list[math.floor(#list / 2) + 1]
end

--- Milliseconds of one call: on a GPU between two events around ten calls, else of the clock.
local function time(f)
  for _ = 1, 3 do f() end
  if on_gpu then core.background(true) end
  local times = {}
  for k = 1, on_gpu and 11 or 7 do
    if on_gpu then
      times[k] = core.time_device(function() for _ = 1, 10 do f() end end) / 10
    else
      local start, calls = clock(), 0
      repeat
        f()
        calls = calls + 1
      until clock() - start > 0.02
      times[k] = (clock() - start) / calls * 1e3
    end
  end
  return median(times)
end

local function gpu()
  local cases = {
    { "5-point 8192 x 8192", { 8192, 8192 }, five, five_views },
    { "7-point 512 x 512 x 512", { 512, 512, 512 }, seven, seven_views },
    { "7-point 512 x 512 x 500", { 512, 512, 500 }, seven, seven_views },
  }
  for _, case in ipairs(cases) do
    local shape = {}
    for d, n in ipairs(case[2]) do shape[d] = math.max(8, math.floor(n / divisor)) end
    local u = ma.random.default_rng(1):random(shape):astype("float32")
    local out = ma.empty(shape, { dtype = "float32" })
    local copy = time(function() out:assign(u) end)
    local ours = time(function() case[3](u, { out = out }) end)
    local views = time(function() case[4](u):eval() end)
    print(("%-26s copy %8.4f ms, %5.0f GB/s; stencil %8.4f ms, %.3f of the copy; views %8.4f ms, %.3f"):format(case[1],
      copy, 2 * u.nbytes / copy * 1e-6, ours, copy / ours, views, copy / views))
  end
end

local function cpu()
  local ffi = require "ffi"
  local function loop(from, to, n)
    for i = 1, n - 2 do
      local row = i * n
      for k = row + 1, row + n - 2 do
        to[k] = from[k] + 0.1 * (from[k - n] + from[k + n] + from[k - 1] + from[k + 1] - 4 * from[k])
      end
    end
  end
  for _, n in ipairs { 16, 64, 256, 1024, 4096 } do
    local u, out = ma.ones({ n, n }, { dtype = "float32" }), ma.empty({ n, n }, { dtype = "float32" })
    local from, to = ffi.new("float[?]", n * n), ffi.new("float[?]", n * n)
    local inner = ma.empty({ n - 2, n - 2 }, { dtype = "float32" })
    local to_out, steps = { out = out }, { steps = math.max(20, math.floor(2e6 / n / n)) }
    local function us(f) return time(f) * 1e3 end
    local loops = us(function() loop(from, to, n) end)
    local times = {
      { "compiled", us(function() five(u, to_out) end) },
      { "a step of run", us(function() five:run(u, steps) end) / steps.steps },
      { "with a new result", us(function() five(u) end) },
      { "interpreted", us(function() plain(u, to_out) end) },
      { "views", us(function() inner:assign(five_views(u)) end) },
    }
    io.write(("%5d^2  FFI loop %10.2f us"):format(n, loops))
    for _, case in ipairs(times) do io.write(("; %s %10.2f us, %.2f x"):format(case[1], case[2], loops / case[2])) end
    print()
  end
end

if on_gpu then gpu() else cpu() end
