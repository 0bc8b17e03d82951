--- Measuring: `ma.profiler.benchmark`, `time_range` and `profile`, under cupyx.profiler's names, and `trace`.

local sformat = require("moonarray.text").format
local sqrt, unpack = math.sqrt, rawget(_G, "unpack") or rawget(table, "unpack")

local COLORS = 7                       -- ma.cuda.nvtx has this many colours, from 0 on

--- Mean, standard deviation (of the population, as in CuPy), least and greatest value of a list.
local function statistics(times)
  local n, sum, least, most, squares = #times, 0, math.huge, -math.huge, 0
  for k = 1, n do
    local t = times[k]
    sum, least, most = sum + t, math.min(least, t), math.max(most, t)
  end
  local mean = sum / n
  for k = 1, n do squares = squares + (times[k] - mean) ^ 2 end
  return mean, sqrt(squares / n), least, most
end

local function row(label, times)
  local mean, deviation, least, most = statistics(times)
  local text = sformat("    %s: %9.3f us", label, mean * 1e6)
  if #times > 1 then
    text = text .. sformat("   +/- %6.3f (min: %9.3f / max: %9.3f) us", deviation * 1e6, least * 1e6, most * 1e6)
  end
  return text
end

--- What benchmark returns: times are seconds.
--> = benchmark | ma.profiler.benchmark(function() end, {}, 1, 0) | What profiler.benchmark measured, in seconds.
--> . name: string | of the function
--> . cpu_times: number[] | of each call on the CPU
--> . gpu_times: number[][] | a list for each device
--> . devices: integer[] | the GPUs that were measured
---@class moonarray.benchmark
---@field name string
---@field cpu_times number[]
---@field gpu_times number[][] one list a device
---@field devices integer[]
local Result = {}
function Result.__tostring(result)
  local parts = { row("CPU", result.cpu_times) }
  for k, id in ipairs(result.devices) do parts[#parts + 1] = row("GPU-" .. id, result.gpu_times[k]) end
  return sformat("%-20s:%s", result.name, table.concat(parts, " "))
end

--- Calls `finish()`, also if fn failed, and returns `...`.
local function after(finish, ok, ...)
  finish()
  if not ok then error((...), 0) end
  return ...
end

return function(ma, core)
  local common = require "moonarray.common"(core)
  local clock = ma.time
  local NAME = "profiler.benchmark"
  Result.__index = common.attributes(NAME, Result)

  --- Starts the work that the call deferred, so that it counts as the call's, and returns the call's results.
  local function settled(...)
    core.flush("it is measured")
    return ...
  end

  local function check_devices(devices)
    if devices == nil then
      local device = ma.device()
      return device.type == "cuda" and { device.id } or {}
    end
    common.type(NAME, "devices", devices, "table")
    for k, id in ipairs(devices) do common.whole(NAME, "devices[" .. k .. "]", id, 0) end
    return devices
  end

  --- For each device: its stream, and the events that mark the begin and the end of a call.
  local function marks_of(devices)
    local marks = {}
    for k, id in ipairs(devices) do
      ma.cuda.Device(id):with(function()
        marks[k] = { stream = ma.get_current_stream(), start = ma.Event(), stop = ma.Event() }
      end)
    end
    return marks
  end

  local function record(marks, which)
    for _, mark in ipairs(marks) do mark[which]:record(mark.stream) end
  end

  local function measure(fn, args, n, count, marks, most)
    local cpu_times, gpu_times, spent = {}, {}, 0
    for k = 1, #marks do gpu_times[k] = {} end
    for i = 1, count do
      record(marks, "start")
      local begun = clock()
      settled(fn(unpack(args, 1, n)))
      cpu_times[i] = clock() - begun
      record(marks, "stop")
      for k, mark in ipairs(marks) do
        mark.stop:synchronize()
        gpu_times[k][i] = ma.get_elapsed_time(mark.start, mark.stop) * 1e-3
      end
      spent = spent + (clock() - begun)
      if spent > most then break end
    end
    return cpu_times, gpu_times
  end

  --- A name for a function from its place in the source: "user.lua:12".
  local function name_of(fn)
    local debug = rawget(_G, "debug")
    if type(debug) ~= "table" or not debug.getinfo or type(fn) ~= "function" then return "fn" end
    local about = debug.getinfo(fn, "S")
    if not about or about.what == "C" then return "fn" end
    return about.short_src:gsub("^.*[/\\]", "") .. ":" .. about.linedefined
  end

  --> profiler.benchmark: #ma.profiler.benchmark(function() return ma.ones(4) + 1 end, {}, 3, 1).cpu_times
  core.def("profiler.benchmark(fn: function, args?: any[], n_repeat?: integer, n_warmup?: integer; name?: string, "
    .. "max_duration?: number, devices?: integer[]) -> benchmark",
    "Times calls of fn(args...): on the CPU, and between events on the GPU. The result has cpu_times and " ..
      "gpu_times[k] in seconds; printed it "
    .. "shows mean, deviation, least and most in microseconds. n_repeat calls (10000) after n_warmup (10), fewer " ..
      "if they take over max_duration seconds.",
    function(fn, args, n_repeat, n_warmup, name, max_duration, devices)
      common.callable(NAME, "fn", fn)
      args = args == nil and {} or args
      common.type(NAME, "args", args, "table")
      n_repeat = n_repeat == nil and 10000 or common.whole(NAME, "n_repeat", n_repeat, 1)
      n_warmup = n_warmup == nil and 10 or common.whole(NAME, "n_warmup", n_warmup, 0)
      max_duration = max_duration == nil and math.huge or common.number(NAME, "max_duration", max_duration)
      if max_duration <= 0 or max_duration ~= max_duration then
        core.fail(NAME, sformat("max_duration is %s; wanted seconds, above 0", max_duration))
      end
      if name ~= nil then common.type(NAME, "name", name, "string") end
      devices = check_devices(devices)
      local n, marks = args.n or #args, marks_of(devices)
      common.unpack(NAME, args, n)       -- raises if there are too many
      core.flush("it is measured")                     -- starts work that was deferred before fn
      for _ = 1, n_warmup do settled(fn(unpack(args, 1, n))) end
      record(marks, "start")
      for _, mark in ipairs(marks) do mark.start:synchronize() end
      local cpu_times, gpu_times = measure(fn, args, n, n_repeat, marks, max_duration)
      return setmetatable({ name = name or name_of(fn), cpu_times = cpu_times, gpu_times = gpu_times,
        devices = devices }, Result)
    end)

  --- Registers a function whose arguments all go on to fn, so that it has no options.
  local function file(name, signature, doc, fn)
    rawset(ma.profiler, name, fn)
    core.document("profiler." .. name, "profiler." .. name .. signature, doc)
  end

  local function check_fn(name, fn)
    common.callable("profiler." .. name, "fn", fn)
  end

  local function settled_call(fn, ...) return settled(fn(...)) end

  local nvtx, turn = ma.cuda.nvtx, -1

  local function try(fn, ...)
    local ok, first, second = pcall(fn, ...)
    if ok then return first, second end
    core.fail("profiler.trace", (tostring(first):gsub("^.-moonarray%.output_%l+: ", "")))
  end

  --- Writes the text of a file that was opened; until it is whole the old file stays.
  local function write(output, part, text)
    try(core.output_part, part, 0, text)
    try(core.output_close, output)
  end

  --- Ends the timeline, also if fn failed: its error matters more than one of the file's.
  local function written(output, part, ok, ...)
    local flushed, why = pcall(core.flush, "a trace ends")
    local text = core.timeline_end()
    local saved, fault = pcall(write, output, part, text)
    core.output_abandon(output)
    if not ok then error((...), 0) end
    if not flushed then error(why, 0) end
    if not saved then error(fault, 0) end
    return ...
  end

  --> profiler.trace: local path = os.tmpname()
  -->   local total = ma.profiler.trace(path, function(n) return ma.ones(n):sum():item() end, 1000)
  -->   os.remove(path)
  -->   return total
  file("trace", "(path: string, fn: function, ...) -> any ...",
    "Calls fn(...) and writes a timeline of it in Chrome's JSON format: frames, calls, the work and copies of each "
      .. "stream, waits, compilations, collections. Returns what fn returns; an error of fn passes, behind the file.",
    function(path, fn, ...)
      common.type("profiler.trace", "path", path, "string")
      check_fn("trace", fn)
      local output, part = try(core.output_open, path) -- what is wrong with the path is said before fn runs
      core.flush("a trace begins")
      core.timeline_begin()
      return written(output, part, pcall(fn, ...))
    end)

  --> profiler.time_range: ma.profiler.time_range("step", function() return ma.ones(2) end)
  file("time_range", "(name: string, fn: function, ...) -> any ...",
    "Calls fn(...) within a named range on a profiler's time line, which ends on error too; returns what fn returns.",
    function(name, fn, ...)
      common.type("profiler.time_range", "name", name, "string")
      check_fn("time_range", fn)
      turn = (turn + 1) % COLORS
      core.flush("a range begins")
      nvtx.RangePush(name, turn)
      local began = core.range_begin()
      local function finish()
        core.range_end(began, name)
        nvtx.RangePop()
      end
      return after(finish, pcall(settled_call, fn, ...))
    end)

  --> cuda.profiler.start cuda.profiler.stop: ma.cuda.profiler.start()
  -->   local total = ma.ones(3):sum()
  -->   ma.cuda.profiler.stop()
  -->   return total
  core.def("cuda.profiler.start()", "Switches the GPU's profiler on, as moonarray.profiler.profile does.",
    function() core.profile(true) end)
  core.def("cuda.profiler.stop()", "Switches the GPU's profiler off.", function() core.profile(false) end)

  --> profiler.profile: ma.profiler.profile(function() return ma.ones(2) end)
  file("profile", "(fn: function, ...) -> any ...",
    "Calls fn(...) with the GPU's profiler switched on (nsys profile --capture-range=cudaProfilerApi), off again " ..
      "on error too; returns what fn returns.",
    function(fn, ...)
      check_fn("profile", fn)
      core.flush("a range begins")
      core.profile(true)
      return after(function() core.profile(false) end, pcall(settled_call, fn, ...))
    end)
end
