--- Frames of a loop that is paced as a game is: how long the host takes for the median, one in a hundred and the worst.
--
-- usage: MOONARRAY_DEVICE=cuda luajit bench/frame.lua await [frames [size [milliseconds]]]
--        MOONARRAY_CACHE_DIR=$(mktemp -d) luajit bench/frame.lua compile [frames [size [milliseconds]]]
--        MOONARRAY_DEVICE=cuda luajit bench/frame.lua graph [frames [size]]
--        luajit bench/frame.lua trace [frames [size]]
--
-- await: each frame takes 8 steps of a field of size x size and wants the field's energy. Where it is awaited the worst
-- frame is to be at most the median and 1 ms; the same with item(), which waits, stands beside it. A frame begins every
-- so many milliseconds (8), and the time is that of the frame's own calls.
--
-- graph: the host's time of a frame of 30 kernels on size x size: one by one, as a graph, and by ma.frame, where it is
-- to be at most half; an empty frame is to take at most 3 us.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local frames, every = tonumber(arg[2]) or 600, (tonumber(arg[4]) or 8) * 1e-3
local size = tonumber(arg[3]) or ({ compile = 128, graph = 64, trace = 256 })[arg[1]] or 1024
local on_gpu = ma.zeros(1).device ~= "cpu"
local clock = ma.time
local WARM = 60                          -- frames before those that count: kernels are compiled, pools are filled

local function show(name, times)
  table.sort(times)
  local median, worst = times[math.floor(#times / 2) + 1], times[#times]
  print(("%-34s median %7.3f  99%% %7.3f  worst %7.3f ms"):format(name, median,
    times[math.max(1, math.ceil(#times * 0.99))], worst))
  return median, worst
end

--- The times of frames, in milliseconds: run(k) for each, at the pace of `every`. The first `warm` do not count.
local function paced(run, warm)
  local times = {}
  collectgarbage()
  for k = 1, warm + frames do
    local start = clock()
    run(k)
    local took = clock() - start
    if k > warm then times[#times + 1] = took * 1e3 end
    while clock() - start < every do end          -- luacheck: ignore
  end
  return times
end

local modes = {}

function modes.await()
  local u = ma.random.default_rng(1):random({ size, size }, { dtype = "float32" })
  local step = ma.stencil(function(v)
    return v(0, 0) + 0.2 * (v(-1, 0) + v(1, 0) + v(0, -1) + v(0, 1) - 4 * v(0, 0))
  end, { boundary = "wrap" })
  local v = ma.zeros_like(u)
  local function advance()
    for _ = 1, 4 do
      step(u, { out = v })
      step(v, { out = u })
    end
    return (u * u):sum()
  end

  local energies, late = {}, 0
  print(("%d frames of 8 steps of %d x %d float32 on %s, one every %g ms"):format(frames, size, size, u.device,
    every * 1e3))
  local waits = paced(function(k) ma.scope(function() energies[k] = advance():item() end) end, WARM)
  local awaits = ma.allow_synchronize(false, paced, function(k)
    ma.scope(function()
      local energy = advance()
      coroutine.wrap(function()
        energies[k] = nil
        energies[k] = ma.await(energy)
      end)()
    end)
    ma.update { budget = 0.002 }
    if not energies[k] then late = late + 1 end
  end, WARM)
  while ma.update() > 0 do end                    -- luacheck: ignore
  for k = 1, WARM + frames do assert(energies[k] and energies[k] == energies[k], k) end
  local median, worst = show("ma.await and ma.update", awaits)
  show("item(), which waits", waits)
  print(("frames whose energy came in a later one: %d"):format(late))
  local held = worst <= median + 1
  print(held and "worst frame at most the median and 1 ms" or "MISSED: worst frame above the median and 1 ms")
  return held
end

-- ==== Kernels that a program meets for the first time =============================================================

--- Every kind of kernel: a name, the kernel, its arguments, and whether operations take its place until it is compiled.
--- The texts have a number that no cache knows.
local function kinds(u, v)
  local new, n = os.time() % 100000 + 1, u.size
  local text, grid = ("(%d * 0 + 2)"):format(new), { math.ceil(n / 128) }
  local function loop(a)
    while a > new do a = a - new end
    return a * 0.5
  end
  local function neighbours(a) return a(0, 1) + a(1, 0) * new - a(0, 0) end
  local raw = [[extern "C" __global__ void frame_raw(float *x, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 0.5f + TEXT;
  }]]
  local jit = ma.jit.rawkernel(function(x, by)
    local i = jit.grid(1)                         -- luacheck: ignore
    if i <= #x then x[i] = x[i] * 0.5 + by end
  end)
  return {
    { "ma.fuse", ma.fuse(function(a, b) return a * new + ma.sqrt(b) - a / new end), { u, v }, true },
    { "ma.stencil", ma.stencil(neighbours, { boundary = "wrap" }), { u }, true },
    { "ma.fuse, C++", ma.fuse(loop), { u } },
    { "ma.vectorize", ma.vectorize(loop), { u } },
    { "ElementwiseKernel", ma.ElementwiseKernel("T x, T y", "T z", "z = x * y + (T)" .. text, "frame_map"), { u, v } },
    { "ReductionKernel", ma.ReductionKernel("T x", "T y", "x * (T)" .. text, "a + b", "y = a", "0", "frame_sum"),
      { u } },
    { "RawKernel", ma.RawKernel(raw:gsub("TEXT", text), "frame_raw"), { grid, { 128 }, { u, n } } },
    { "jit.rawkernel", jit, { grid, { 128 }, { u:reshape(-1), new } } },
  }
end

--- Operations of the library.
local function operations()
  local new = os.time() % 1000 + 1
  return {
    function(u) return u * new + u / new - 2 end,
    function(u) return (u - u:mean()) / u:std() end,
    function(u) return ma.exp(u - u:max(2, { keepdims = true })) end,
    function(u) return ma.cumsum(u, 1) end,
    function(u) return ma.sort(u, 2) end,
    function(u) return ma.concatenate { u, u } end,
    function(u) return u.T:copy() end,
  }
end

--- A frame of the program: every fourth one meets a new kernel, and the ones between them a new operation. What nothing
--- takes the place of is prepared and called once it is ready.
local function meeting(list, calls, u)
  local waiting, ready = {}, {}
  return waiting, function(k)
    local kind, call = k % 4 == 0 and list[k / 4], k % 4 == 2 and calls[(k + 2) / 4]
    if kind and kind[4] then ready[#ready + 1] = kind
    elseif kind then waiting[#waiting + 1] = { kind, kind[2]:prepare(unpack(kind[3])) } end
    if call then waiting[#waiting + 1] = { { "an operation", call, { u } }, ma.prepare(call, u) } end
    for at = #waiting, 1, -1 do
      if waiting[at][2]:ready() then ready[#ready + 1] = table.remove(waiting, at)[1] end
    end
    for _, one in ipairs(ready) do ma.eval(one[2](unpack(one[3])) or u) end
  end
end

function modes.compile()
  local u = ma.random.default_rng(1):random({ size, size }, { dtype = "float32" })
  local list, calls = kinds(u, u + 1), operations()
  if on_gpu and os.getenv "MOONARRAY_NVRTC" == "0" then         -- the others are errors there
    for k = #list, 1, -1 do if not list[k][4] then table.remove(list, k) end end
  end
  local waiting, meet = meeting(list, calls, u)
  local latest, longest = 0, 0
  ma.synchronize()
  local times = ma.allow_synchronize(false, paced, function(k)
    local start = clock()
    ma.scope(meet, k)
    ma.update { budget = 0.001 }
    local took = clock() - start
    if took > longest then latest, longest = k, took end
  end, 0)
  local _, worst = show("first calls on " .. u.device, times)
  print(("%d kinds of kernels and %d operations, %d not ready at the end; the worst frame is the %dth"):format(#list,
    #calls, #waiting, latest))
  local held = worst < 5 and #waiting == 0
  print(held and "worst frame under 5 ms" or "MISSED: a frame of 5 ms or more, or a kernel that was never ready")
  return held
end

-- ==== The host's time of a frame of 30 kernels, launched one by one, as a graph, and by ma.frame ====================

local KERNELS = 30

--- Microseconds of the host for each call of run; the device is idle when a frame begins.
local function host(run)
  local times = {}
  for k = 1, WARM + frames do
    ma.synchronize()
    local start = clock()
    run(k)
    if k > WARM then times[#times + 1] = (clock() - start) * 1e6 end
  end
  table.sort(times)
  return times[math.floor(#times / 2) + 1], times[math.ceil(#times * 0.99)]
end

local function show_host(name, run, plain)
  local median, late = host(run)
  print(("%-46s median %8.2f us  99%% %8.2f us%s"):format(name, median, late,
    plain and ("  %.2f of plain"):format(median / plain) or ""))
  return median
end

function modes.graph()
  local u, v, w = ma.ones({ size, size }, "float32"), ma.ones({ size, size }, "float32"), {}
  local kernel = ma.ElementwiseKernel("T x, T by", "T y", "y = x * (T)0.5 + by", "frame_step")
  for k = 1, KERNELS do w[k] = ma.ones({ size, size }, "float32") end
  local function step(by, a, b)
    for _ = 1, KERNELS / 2 do
      kernel(a, by, b)
      kernel(b, by, a)
    end
  end
  local function same() step(1, u, v) end
  local function operators()
    for k = 1, KERNELS do w[k]:assign(w[k] * 0.5 + 1) end
    ma.eval(unpack(w))
  end
  local graph, frame, other = ma.cuda.graph(same), ma.frame(same), ma.frame(step)
  local empty, written = ma.frame(function() end), ma.frame(operators)
  print(("%d frames of %d kernels on %d x %d float32 on %s"):format(frames, KERNELS, size, size, u.device))
  local plain = show_host("one by one", same)
  show_host("ma.cuda.graph", function() graph() end, plain)
  local framed = show_host("ma.frame", frame, plain)
  show_host("ma.frame, a number changes in each kernel", function(k) other(k % 7, u, v) end, plain)
  show_host("ma.frame, arrays change in each kernel", function(k)
    if k % 2 == 0 then other(1, u, v) else other(1, v, u) end
  end, plain)
  local deferred = show_host("operators, one by one", operators)
  show_host("operators in ma.frame", written, deferred)
  local nothing = show_host("an empty frame", empty)
  for name, one in pairs { same = frame, changing = other, operators = written } do
    local figures, list = one:figures(), {}
    for key, value in pairs(figures) do list[#list + 1] = key .. " " .. value end
    table.sort(list)
    print(("%-46s %s"):format("frame of " .. name, table.concat(list, ", ")))
  end
  local held = framed <= plain / 2 and nothing <= 3
  print(held and "ma.frame takes at most half, an empty frame at most 3 us"
    or "MISSED: ma.frame takes more than half, or an empty frame more than 3 us")
  return held
end

-- ==== A timeline ==================================================================================================

--- Frames of 30 operations, in turn while ma.profiler.trace runs and without it.
function modes.trace()
  local a = ma.random.default_rng(1):random({ size, size }, { dtype = "float32" })
  local b, path, times = ma.empty_like(a), os.tmpname(), { plain = {}, traced = {} }
  local function frame()
    for _ = 1, 15 do
      ma.multiply(a, 0.5, { out = b })
      ma.add(b, 0.25, { out = a })
    end
    ma.update { budget = 0 }
  end
  local function block(list)
    for _ = 1, 20 do
      local start = clock()
      frame()
      list[#list + 1] = (clock() - start) * 1e3
    end
    ma.synchronize()
  end
  block {}
  for _ = 1, math.ceil(frames / 20) do
    block(times.plain)
    ma.profiler.trace(path, block, times.traced)
  end
  os.remove(path)
  local plain = show("30 operations on " .. a.device, times.plain)
  local traced = show("the same in a trace", times.traced)
  local held = traced <= 1.1 * plain
  print(("%s%.1f %% more by the median"):format(held and "" or "MISSED: ", (traced / plain - 1) * 100))
  return held
end

local mode = modes[arg[1]]
if not mode then
  print("usage: luajit bench/frame.lua await|compile|graph|trace [frames [size [milliseconds]]]")
  os.exit(2)
end
if not mode() and on_gpu then os.exit(1) end
