--- Holds functions of elements against their plain form and bare Lua, over as many random programs as asked for.
--
-- usage: luajit scripts/fuzz_elements.lua [programs] [first seed]
--   FUZZ_SEED=n      the program of that seed alone
--   FUZZ_KERNELS=n   every n-th program also against kernels in C++ (default 200; 0: none)
--   FUZZ_JOBS=n      n processes, each a part of the seeds
-- Exits with 1 after 10 failures, or at the end if there was one.

package.path = "./lua/?.lua;./lua/?/init.lua;./?.lua;" .. package.path

local only = tonumber(os.getenv "FUZZ_SEED")
local count, first = only and 1 or tonumber(arg[1]) or 20000, only or tonumber(arg[2]) or 1
local every = tonumber(os.getenv "FUZZ_KERNELS") or 200
local jobs = not only and tonumber(os.getenv "FUZZ_JOBS") or 1

--- Runs parts of the seeds in processes of their own.
local function share()
  local pipes, from, failed = {}, first, false
  for j = 1, jobs do
    local n = math.floor(count * j / jobs) - math.floor(count * (j - 1) / jobs)
    pipes[j] = assert(io.popen(("FUZZ_JOBS=1 '%s' '%s' %d %d 2>&1 || echo FAILED"):format(arg[-1], arg[0], n, from)))
    from = from + n
  end
  for _, pipe in ipairs(pipes) do
    for line in pipe:lines() do
      if line == "FAILED" then failed = true else print(line) end
    end
    pipe:close()
  end
  os.exit(failed and 1 or 0)
end

if jobs > 1 then share() end

local fuzz = require "spec.fusion.element_fuzz"
local began, failures = os.time(), 0
for seed = first, first + count - 1 do
  local why = fuzz.check(seed, only or every > 0 and seed % every == 0)
  if why then
    print(why)
    failures = failures + 1
    if failures == 10 then break end
  end
end
local runs = {}
for form, n in pairs(fuzz.runs) do runs[#runs + 1] = ("%s %d"):format(form, n) end
table.sort(runs)
print(("%d programs%s: %s; %d differ; %d s"):format(fuzz.programs, fuzz.branches and "" or " without branches",
  table.concat(runs, ", "), failures, os.time() - began))
os.exit(failures > 0 and 1 or 0)
