--- What can be waited for, and the coroutines that wait: arrays, handles, events and jobs are items, and a coroutine
--- that `ma.await` has away is an entry of a list, which `ma.update` goes through.

local sformat = require("moonarray.text").format
local create, resume, status, running = coroutine.create, coroutine.resume, coroutine.status, coroutine.running

--- LuaJIT lets a coroutine yield inside pcall, plain Lua 5.1 does not.
local YIELDS = coroutine.wrap(function() return (pcall(coroutine.yield, 1)) end)() == 1
local REFUSED = "a wait for the device, where allow_synchronize(false) holds; in a coroutine await does not wait"

local waiting                            -- the table of functions that the parts share

return function(_, core)
  if waiting then return waiting end
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local current = require "moonarray.device.current" (core)

  --- entries: {co, items, over}, in the order in which they began to wait. jobs: those that have not ended, in the
  --- order of their creation. job_of: by coroutine its job. frames: the coroutines that call ma.update, which do not
  --- yield.
  local kept = common.kept "frames"
  if not kept.entries then
    kept.entries, kept.jobs, kept.failed = {}, {}, {}
    kept.job_of, kept.frames = setmetatable({}, { __mode = "k" }), setmetatable({}, { __mode = "k" })
  end
  for _, class in ipairs { "Job", "Preparation", "Readback" } do kept[class] = kept[class] or {} end
  waiting = { kept = kept, Job = kept.Job, Preparation = kept.Preparation, Readback = kept.Readback }
  waiting.WANTED = "an array, a handle of get_async, an event, a job or a preparation"
  local Job = kept.Job

  -- ==== Jobs =======================================================================================================

  function waiting.is_job(value) return type(value) == "table" and getmetatable(value) == Job end

  local function ended(job, ok, ...)
    job.ended, job.ok = true, ok
    job.n, job.results = select("#", ...), { ... }
    job.args = nil
    for k, other in ipairs(kept.jobs) do
      if other == job then table.remove(kept.jobs, k) break end
    end
    if not ok then
      job.trace = debug and debug.traceback and debug.traceback(job.co) or ""
      kept.failed[#kept.failed + 1] = job
    end
  end

  local function after(job, ok, ...)
    current.leave(job.co)
    if status(job.co) == "dead" then ended(job, ok, ...) end
  end

  --- Runs a job to its next yield, or to its end.
  function waiting.step(job)
    local args = job.args
    job.args = nil
    current.enter(job.co)
    if args then after(job, resume(job.co, unpack(args, 1, args.n)))
    else after(job, resume(job.co)) end
  end

  function waiting.new_job(fn, ...)
    local job = setmetatable({ co = create(fn), args = { n = select("#", ...), ... } }, Job)
    kept.job_of[job.co] = job
    kept.jobs[#kept.jobs + 1] = job
    return job
  end

  --- Whether a job waits for another one, or for one that does.
  local function waits_for(job, other)
    if job == other then return true end
    local entry = job.entry
    for _, item in ipairs(entry and entry.items or {}) do
      if item.is_job and waits_for(item.value, other) then return true end
    end
    return false
  end

  -- ==== Items ======================================================================================================

  local wait_all

  --- Runs a job to its end, where nobody else does.
  local function finish(job)
    while not job.ended do
      if job.entry then wait_all(job.entry.items) end
      if status(job.co) ~= "suspended" then fail("await", "a job that called what waits for it; wanted another") end
      waiting.step(job)
    end
  end

  --- A number for an array without axes. A copy that nobody else has is given back then, or belongs to the scope of
  --- the coroutine.
  local function value_of(item)
    local host = item.value:get()
    core.copy_fault(item.value)
    if host.ndim > 0 then return item.is_own and core.adopt(host) or host end
    local number = host:item()
    if item.is_own then host:free() end
    return number
  end

  local function results_of(item)
    local job = item.value
    job.is_told = true
    if not job.ok then error(job.results[1], 0) end
    return unpack(job.results, 1, job.n)
  end

  --- How an item of each kind is asked, waited for and taken.
  local copy = { ready = function(item) return item.value:ready() end, wait = function(item) item.value:get() end,
    take = value_of }
  local event = { ready = copy.ready, wait = function(item) item.value:synchronize() end,
    take = function(item)
      core.event_fault(item.value)
      return true
    end }
  local work = { ready = function(item) return item.value.ended == true end,
    wait = function(item) finish(item.value) end, take = results_of }
  local preparation = { ready = copy.ready,
    wait = function(item) while not item.value:ready() do core.background(true) end end,
    take = function(item) return item.value.kernel end }
  local readback = { ready = copy.ready, wait = function(item) item.value:get() end,
    take = function(item) return item.value:get() end }
  local by_class = { [waiting.Preparation] = preparation, [waiting.Readback] = readback }

  --- Errors of what await calls carry its name.
  local function rename(why)
    if type(why) ~= "string" then return why end
    for _, name in ipairs { "get_async", "must_wait" } do
      why = why:gsub("moonarray%." .. name .. ": ", "moonarray.await: ", 1)
    end
    return (why:gsub("moonarray%.[%w_]+: a wait for the device, where.*$", "moonarray.await: " .. REFUSED))
  end

  --- The kth argument of await as an item; the copy of an array begins here.
  function waiting.item(k, value, may_yield)
    if waiting.is_job(value) then return { kind = work, value = value, is_job = true } end
    if core.is_copy(value) then return { kind = copy, value = value } end
    local kind = type(value) == "table" and by_class[getmetatable(value)]
    if kind then return { kind = kind, value = value } end
    if core.is_event(value) then return { kind = event, value = value } end
    if not core.is_array(value) then
      fail("await", sformat("argument %d is %s; wanted %s", k, core.describe(value), waiting.WANTED))
    end
    local ok, handle = pcall(function()
      if not may_yield and core.must_wait(value) then fail("await", REFUSED) end
      return value:get_async()
    end)
    if not ok then error(rename(handle), 0) end
    return { kind = copy, value = handle, is_own = true }
  end

  --- Whether a coroutine that takes part in waiting may wait for these.
  function waiting.check(co, items)
    local job = kept.job_of[co]
    for _, item in ipairs(items) do
      if job and item.is_job and waits_for(item.value, job) then
        fail("await", "jobs that would wait for each other for ever")
      end
    end
  end

  function waiting.is_ready(items)
    for _, item in ipairs(items) do
      if not item.kind.ready(item) then return false end
    end
    return true
  end

  function wait_all(items)
    for _, item in ipairs(items) do
      local ok, why = pcall(item.kind.wait, item)
      if not ok then error(rename(why), 0) end
    end
  end
  waiting.wait = wait_all

  -- ==== Coroutines =================================================================================================

  --- The coroutine that runs, if it is one that may be away.
  function waiting.coroutine()
    local co, is_main = running()
    return co and not is_main and not kept.frames[co] and co or nil
  end

  --- True, or false where the coroutine cannot yield. Plain Lua raises the error itself.
  local yield = YIELDS and function() return (pcall(coroutine.yield)) end or function()
    coroutine.yield()
    return true
  end

  --- Whether the coroutine of an entry is where it waits. In plain Lua one may have left by the error of a yield.
  local function is_there(entry)
    if entry.over or status(entry.co) ~= "suspended" then return false end
    if YIELDS or not (debug and debug.getinfo) then return true end
    local frame = debug.getinfo(entry.co, 1, "f")
    return frame ~= nil and frame.func == yield
  end

  local function leave(entry)
    entry.over = true
    if entry.job then entry.job.entry = nil end
  end

  --- Has the coroutine away until the items are ready, whoever resumes it meanwhile.
  function waiting.suspend(co, items)
    if not YIELDS and current.is_open(co) then
      fail("await", "inside stream:with, device:with or allow_synchronize, out of which plain Lua 5.1 cannot yield")
    end
    local job = kept.job_of[co]
    local entry = { co = co, items = items, job = job }
    kept.entries[#kept.entries + 1] = entry
    if job then job.entry = entry end
    local could, ok, is_ready
    repeat
      current.leave(co)
      could = yield()
      current.enter(co)
      if could then ok, is_ready = pcall(waiting.is_ready, items) end
    until not could or not ok or is_ready
    leave(entry)
    if not could then
      fail("await", "a function of C is between it and its coroutine, such as table.sort or a graph's recording, "
        .. "which cannot be left and entered again; wanted the await outside of it")
    end
    if not ok then error(rename(is_ready), 0) end
  end

  --- Whether an entry is to go on: its items are ready, or asking them fails, which await finds again.
  function waiting.is_due(entry)
    local ok, is_ready = pcall(waiting.is_ready, entry.items)
    return not ok or is_ready
  end

  --- The entries that still wait, without those that went on or were given up.
  function waiting.entries()
    local left = {}
    for _, entry in ipairs(kept.entries) do
      if is_there(entry) then left[#left + 1] = entry else leave(entry) end
    end
    kept.entries = left
    return left
  end

  return waiting
end
