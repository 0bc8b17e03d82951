--- What Lua's collector costs where it guards device memory: a loop that makes one-megabyte temporaries, beside heaps
--- of several sizes, left to the collector, in `ma.scope`, with `out` and with `free`. For each the most bytes in use,
--- the longest turn of the loop (of the clock and of the processor, which other programs do not lengthen) and the time
--- of all; then what a scope costs. Each temporary is evaluated: an operator whose value nobody wants would not run.
--
-- usage: luajit bench/programs/gc.lua [turns] [heap in MB ...]      ($MOONARRAY_DEVICE picks the device)

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local core = require "moonarray.core"
local ma = require "moonarray"

local turns = tonumber(arg and arg[1]) or 40000
local heaps = { select(2, unpack(arg or {})) }
if #heaps == 0 then heaps = { 1, 20, 200 } end

local MB = 2 ^ 20
local clock = ma.time

--- A list of small tables that takes so many MB.
local function make_heap(megabytes)
  local heap = {}
  while collectgarbage("count") < megabytes * 1024 do
    for k = 1, 1000 do heap[#heap + 1] = { k, heap[#heap] and k } end
  end
  return heap
end

local a = ma.ones({ 512, 512 }, "float32")
local result = ma.empty_like(a)

local loops = {
  { "collector", function() local _ = (a + 1):eval() end },
  { "scope", function() ma.scope(function() local _ = (a + 1):eval() end) end },
  { "out", function() ma.add(a, 1, { out = result }) end },
  { "free", function() (a + 1):eval():free() end },
}

local function measure(turn)
  collectgarbage()
  core.pool(true)
  local longest, busiest, start = 0, 0, clock()
  for _ = 1, turns do
    local before, cpu = clock(), os.clock()
    turn()
    longest, busiest = math.max(longest, clock() - before), math.max(busiest, os.clock() - cpu)
  end
  ma.synchronize()
  local total = clock() - start
  local _, _, peak = core.pool()
  return peak, longest, busiest, total
end

print(("%d temporaries of 1 MB on %s"):format(turns, a.device))
print(("%8s  %-10s %10s %12s %12s %10s"):format("heap MB", "freed by", "peak MB", "longest ms", "of CPU ms", "total s"))
for _, megabytes in ipairs(heaps) do
  local heap = make_heap(tonumber(megabytes))
  for _, loop in ipairs(loops) do
    local peak, longest, busiest, total = measure(loop[2])
    print(("%8s  %-10s %10.0f %12.2f %12.2f %10.2f"):format(megabytes, loop[1], peak / MB, longest * 1e3, busiest * 1e3,
      total))
  end
  heap[1] = nil                                         -- it lives until here
end

-- ==== Scopes by themselves ====

local small = ma.ones(4)
local function best(n, fn)
  local least = math.huge
  for _ = 1, 30 do
    local start = os.clock()
    fn(n)
    least = math.min(least, (os.clock() - start) / n)
  end
  return least * 1e9
end

local view = best(20000, function(n) for _ = 1, n do local _ = small.T end end)
local scoped = best(20000, function(n) ma.scope(function() for _ = 1, n do local _ = small.T end end) end)
local nothing = function() end
local empty = best(20000, function(n) for _ = 1, n do ma.scope(nothing) end end)
print(("a view: %.0f ns; in a scope: %.0f ns; an empty scope: %.0f ns"):format(view, scoped, empty))
