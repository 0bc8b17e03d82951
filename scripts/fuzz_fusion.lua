--- Holds deferred operators against ones evaluated at once, over as many random programs as asked for.
--
-- usage: luajit scripts/fuzz_fusion.lua [programs] [first seed] [lines a program]
--   FUZZ_SECONDS=n stops after so many seconds
--   FUZZ_SEED=n    the program of that seed alone, printed; FUZZ_TRACE=1 writes each seed to stderr before it runs
-- Exits with 1 after 10 failures, or at the end if there was one.

package.path = "./lua/?.lua;./lua/?/init.lua;./?.lua;" .. package.path
local fuzz = require "spec.fusion_fuzz"
local core = fuzz.core

local only = tonumber(os.getenv("FUZZ_SEED"))
local count = only and 1 or tonumber(arg[1]) or 100000
local first = only or tonumber(arg[2]) or 1
local length = tonumber(arg[3]) or 24
local trace, seconds = os.getenv("FUZZ_TRACE"), tonumber(os.getenv("FUZZ_SECONDS")) or math.huge

collectgarbage()
local live = core.live_buffers()
local start, ran, failed, lines, readings = core.clock(), 0, 0, 0, 0
for seed = first, first + count - 1 do
  if trace then io.stderr:write(seed, "\n") end
  local why, program = fuzz.check(seed, length)
  ran, lines, readings = ran + 1, lines + program.length, readings + #program.readings
  if only then
    for k = 1, program.length do print(("%3d  %s"):format(k, program[k].text)) end
  end
  if why then
    failed = failed + 1
    print(why)
    io.stdout:flush()
    if failed == 10 then break end
  end
  if core.clock() - start > seconds then break end
  if (seed - first) % 2000 == 1999 then
    io.stderr:write(("%d programs, %d lines, %d readings, %.0f s, %d buffers\n"):format(seed - first + 1, lines, readings, core.clock() - start,
      core.live_buffers()))
  end
end
fuzz.close()
if jit then jit.flush() end
collectgarbage()
collectgarbage()
local left = core.live_buffers() - live
print(("%d programs from seed %d, %d lines, %d readings: %d differ; %d buffers left; %.0f s"):format(ran, first, lines, readings, failed, left,
  core.clock() - start))
os.exit(failed == 0 and left == 0 and 0 or 1)
