--- `ma.job`: functions that take longer than a frame, in pieces. A plain Lua function, since what it passes on may be a
--- table of options.

return function(ma, core)
  local waiting = require "moonarray.frames.waiting" (ma, core)
  local common = require "moonarray.common" (core)
  local Job = waiting.Job
  local methods = {}

  --> = job | ma.job(function() return 1 end) | A function that ma.update runs in pieces.
  --> . done: boolean | whether it has ended
  --> :ready() -> boolean | Whether it has ended; the same as done.
  --> job:ready: job:ready()
  function methods.ready(job)
    if not waiting.is_job(job) then
      core.fail("ready", core.describe(job) .. " in place of the job; write job:ready()")
    end
    return job.ended == true
  end

  function Job.__index(job, name)
    if name == "done" then return rawget(job, "ended") == true end
    return methods[name]
  end

  function Job.__tostring(job)
    return ("<job, %s>"):format(not job.ended and "not done" or job.ok and "done" or "failed")
  end

  local function new_job(fn, ...)
    common.callable("job", "fn", fn)
    if type(fn) == "function" then return waiting.new_job(fn, ...) end
    return waiting.new_job(function(...) return fn(...) end, ...)          -- what can be called
  end

  --> job: local job = ma.job(function(n)
  -->     local sum = 0
  -->     for k = 1, n do
  -->       sum = sum + k
  -->       coroutine.yield()
  -->     end
  -->     return sum
  -->   end, 4)
  -->   while not job.done do ma.update() end
  -->   return ma.await(job)
  core.def("job(fn: function, ...) -> job",
    "Runs fn(...) in pieces: ma.update runs it from one coroutine.yield() to the next. Whoever awaits it gets what fn "
      .. "returns, or its error.", new_job)
  for _, library in ipairs { ma, ma.numpy } do rawset(library, "job", new_job) end
end
