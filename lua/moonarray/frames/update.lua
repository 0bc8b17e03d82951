--- `ma.update`: what a program calls once a frame. It goes on with coroutines whose results are there, and runs host
--- functions and pieces of jobs.

local sformat = require("moonarray.text").format
local running, resume = coroutine.running, coroutine.resume
local BUDGET = 0.002                     -- seconds for jobs
local GARBAGE = 10                       -- KB that Lua's collector is brought forward: some ten microseconds

return function(ma, core)
  local waiting = require "moonarray.frames.waiting" (ma, core)
  local kept = waiting.kept
  local time = ma.time

  --- Notes the first error, which update raises at its end.
  local function note(errors, ok, why)
    if not ok and not errors[1] then errors[1] = { why } end
  end

  --- Resumes the coroutines, other than jobs, that have what they wait for.
  local function go_on(errors)
    for _, entry in ipairs(waiting.entries()) do
      if not entry.job and not entry.over and waiting.is_due(entry) then note(errors, resume(entry.co)) end
    end
  end

  local function can_run(job) return not job.entry or waiting.is_due(job.entry) end

  --- Jobs take turns, a piece each, in the order of their creation. The next frame goes on where this one ends.
  local function run_jobs(deadline)
    local jobs, idle = kept.jobs, 0
    while jobs[1] and idle < #jobs and time() < deadline do
      local at = (kept.turn or 0) % #jobs + 1
      local job = jobs[at]
      kept.turn = at
      if can_run(job) then
        idle = 0
        waiting.step(job)
        if job.ended then kept.turn = at - 1 end
      else
        idle = idle + 1
      end
    end
  end

  local function is_awaited(job)
    for _, entry in ipairs(waiting.entries()) do
      for _, item in ipairs(entry.items) do
        if item.value == job then return true end
      end
    end
    return false
  end

  --- Tells the errors of jobs that nobody waits for.
  local function tell()
    local failed = kept.failed
    kept.failed = {}
    for _, job in ipairs(failed) do
      if not job.is_told and not is_awaited(job) and io and io.stderr then
        io.stderr:write(sformat("moonarray.job: nobody waits for a job that failed: %s\n%s\n", tostring(job.results[1]),
          job.trace))
      end
    end
  end

  local function left()
    local n = core.host_functions() + #kept.jobs
    for _, entry in ipairs(waiting.entries()) do
      if not entry.job then n = n + 1 end
    end
    return n
  end

  local function run(deadline, errors)
    note(errors, pcall(ma.cuda.poll))
    go_on(errors)
    run_jobs(deadline)
    go_on(errors)                                         -- with what jobs gave
    tell()
    core.collect_step(GARBAGE)
  end

  local function update(budget)
    budget = budget or BUDGET
    if type(budget) ~= "number" or budget < 0 or budget ~= budget then
      core.fail("update", "budget is " .. core.describe(budget) .. "; wanted seconds, 0 or more")
    end
    if kept.is_updating then return left() end            -- called by what it runs
    local co, is_main = running()
    if co and not is_main then kept.frames[co] = true end
    local errors = {}
    kept.is_updating = true
    note(errors, pcall(run, time() + budget, errors))
    kept.is_updating = nil
    if errors[1] then error(errors[1][1], 0) end
    return left()
  end

  --> update: ma.update({budget = 0.001})
  core.def("update(; budget?: number) -> integer",
    "Call it once a frame: it goes on with coroutines that have what ma.await waits for, runs host functions, pieces "
      .. "of jobs until budget seconds are over (0.002), and a small step of Lua's collector unless it was stopped. "
      .. "Returns how many of them are left.",
    update)
  rawset(ma.numpy, "update", ma.update)
end
