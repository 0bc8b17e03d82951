--- Holds deferred operators against ones evaluated at once, over as many random programs as asked for.
--
-- usage: luajit scripts/fuzz_fusion.lua [programs] [first seed] [lines a program]
--   FUZZ_SECONDS=n   stops after so many seconds
--   FUZZ_SEED=n      the program of that seed alone, printed; FUZZ_TRACE=1 writes each seed to stderr before it runs
--   FUZZ_JOBS=n      n processes, each a part of the seeds; they share the folder of compiled kernels, and a GPU by
--                    NVIDIA's MPS, without
--                    which they take turns of milliseconds
--   FUZZ_VOCABULARY  few: programs whose kernels are of some hundred kinds, as on a GPU, where each is compiled; full:
--                    all, as on the CPU
--   FUZZ_FORMS=general  deferred operators have no kernel of their own, as where NVRTC and bundles are missing: they
--                    run as single operations, by general forms; what is evaluated at once has its exact forms
-- Exits with 1 after 10 failures, or at the end if there was one; also if no operators ran fused, or, with general
-- forms, if some did or none ran one by one.

package.path = "./lua/?.lua;./lua/?/init.lua;./?.lua;" .. package.path

local only = tonumber(os.getenv("FUZZ_SEED"))
local count = only and 1 or tonumber(arg[1]) or 100000
local first = only or tonumber(arg[2]) or 1
local length = tonumber(arg[3]) or 24
local jobs = not only and tonumber(os.getenv("FUZZ_JOBS")) or 1
local summary = "%d programs, %d lines, %d readings; %d differ, %d buffers left; runs of several operations: %d " ..
  "fused, %d stepped; "
  .. "%d kernels, %d compiled; %.1f s"

--- Begins a service by which processes share a GPU at once, where there is one; returns what is to be set for them, and
--- what ends it.
local function share()
  local folder = os.tmpname()
  os.remove(folder)
  local set = ("CUDA_MPS_PIPE_DIRECTORY='%s' CUDA_MPS_LOG_DIRECTORY='%s' "):format(folder, folder)
  local pipe = os.getenv("MOONARRAY_DEVICE") ~= "cpu" and
    io.popen(("command -v nvidia-cuda-mps-control >/dev/null && mkdir '%s' && %s nvidia-cuda-mps-control -d " ..
      ">/dev/null 2>&1 && echo yes"):format(folder, set))
  local begun = pipe and pipe:read("*l") == "yes"
  if pipe then pipe:close() end
  if not begun then return "", function() end end
  return set, function() os.execute(("echo quit | %s nvidia-cuda-mps-control >/dev/null 2>&1; rm -rf '%s'"):format(set,
    folder)) end
end

--- Runs parts of the seeds in processes of their own; adds up what their last lines say.
local function part()
  local set, leave = share()
  local names = { "programs", "lines", "readings", "differ", "left", "fused", "stepped", "kernels", "compiled",
    "seconds" }
  local pattern = "^" .. summary:gsub("%%d", "(%%d+)"):gsub("%%%.1f", "([%%d.]+)") .. "$"
  local total, pipes, failed, from = {}, {}, false, first
  for j = 1, jobs do
    local n = math.floor(count * j / jobs) - math.floor(count * (j - 1) / jobs)
    pipes[j] = assert(io.popen(("%s FUZZ_JOBS=1 '%s' '%s' %d %d %d 2>&1 || echo FAILED"):format(set, arg[-1], arg[0], n,
      from, length)))
    from = from + n
  end
  for j = 1, jobs do
    local ended
    for line in pipes[j]:lines() do
      local values = { line:match(pattern) }
      if values[1] then
        ended = true
        for k, name in ipairs(names) do
          local value = tonumber(values[k])
          total[name] = name == "seconds" and math.max(total[name] or 0, value) or (total[name] or 0) + value
        end
      elseif not line:find("^module: ") then
        failed = failed or line == "FAILED"
        print(line)
      end
    end
    pipes[j]:close()
    if not ended then failed = true print(("job %d ended without a summary"):format(j)) end
  end
  leave()
  for k, name in ipairs(names) do names[k] = total[name] or 0 end
  print(("%d jobs: "):format(jobs) .. summary:format(unpack(names)))
  print(("%.0f programs a second"):format(names[1] / names[10]))
  os.exit(failed and 1 or 0)
end
if jobs > 1 then part() end

local ma = require "moonarray"
local fuzz = require "spec.fusion.fusion_fuzz"
local core = fuzz.core
local trace, seconds = os.getenv("FUZZ_TRACE"), tonumber(os.getenv("FUZZ_SECONDS")) or math.huge

collectgarbage()
local live = core.live_buffers()
local start, ran, failed, lines, readings = ma.time(), 0, 0, 0, 0
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
  if ma.time() - start > seconds then break end
  if (seed - first) % 2000 == 1999 and not os.getenv("FUZZ_JOBS") then
    io.stderr:write(("%d programs, %d lines, %d readings, %.0f s, %d buffers\n"):format(seed - first + 1, lines,
      readings, ma.time() - start,
      core.live_buffers()))
  end
end
fuzz.close()
if jit then jit.flush() end
collectgarbage()
collectgarbage()
local left = core.live_buffers() - live
local _, compiled, kernels = core.work()
local _, _, _, _, _, _, fused, stepped = core.deferrals()
print(summary:format(ran, lines, readings, failed, left, fused, stepped, kernels, compiled, ma.time() - start))
local took_way = fused > 0
if fuzz.general then took_way = fuzz.fused == 0 and stepped > 0 end
if ran >= 100 and not took_way then
  print(fuzz.general and "not all ran by single operations" or "nothing ran fused")
end
os.exit(failed == 0 and left == 0 and (ran < 100 or took_way) and 0 or 1)
