--- `ma.progress(n)`: a line on the terminal that shows the progress of a long loop. Silent without a terminal.
--# devices

local sformat, floor = require("moonarray.text").format, math.floor

local EVERY = 0.1                      -- seconds between two writes

--- 75 -> "1:15", 3700 -> "1:01:40"
local function duration(seconds)
  if seconds ~= seconds or seconds >= 360000 then return "--:--" end
  seconds = floor(seconds + 0.5)
  local minutes = floor(seconds / 60)
  if minutes < 60 then return sformat("%d:%02d", minutes, seconds % 60) end
  return sformat("%d:%02d:%02d", floor(minutes / 60), minutes % 60, seconds % 60)
end

local function rate_of(done, seconds)
  local rate = seconds > 0 and done / seconds or 0
  if rate == 0 then return "-/s" end
  if rate < 1 then return sformat("%.3g s each", 1 / rate) end
  return sformat("%.4g/s", rate)
end

--> = progress | ma.progress(10) | A line that shows how far a loop is.
--> . n: integer | passes in all
--> . done: integer | passes done
--> + call(any, integer?): integer
---@class moonarray.progress
---@field n integer
---@field done integer
local Progress = {}

--- The line: "title  40% [####      ] 400/1000 0:04<0:06 98.2/s", no longer than `columns`.
local function line_of(progress, columns, seconds)
  local n, done = progress.n, progress.done
  local share = n > 0 and math.min(done / n, 1) or 1
  local left = done > 0 and seconds / done * math.max(n - done, 0) or math.huge
  local head = sformat("%s%3d%% ", progress.title and progress.title .. " " or "", floor(share * 100))
  local tail = sformat(" %d/%d %s<%s %s", done, n, duration(seconds), duration(left), rate_of(done, seconds))
  local room = math.min(progress.width, columns - 1 - #head - #tail - 2)
  local bar = ""
  if room >= 3 then
    local full = floor(room * share)
    bar = "[" .. ("#"):rep(full) .. (" "):rep(room - full) .. "]"
  end
  return (head .. bar .. tail):sub(1, columns - 1)
end

return function(ma, core)
  local common = require "moonarray.common"(core)
  local clock = ma.time

  local function write(progress, now)
    progress.next_write, progress.shown = now + EVERY, true
    progress.stream:write("\r", line_of(progress, progress.columns, now - progress.begun), "\27[K")
    progress.stream:flush()
  end

  --> :close() -> progress | Removes the line, as a loop that runs to its end does itself.
  --> progress:close: progress:close().done
  function Progress.close(progress)
    if progress.shown then
      progress.stream:write("\r\27[K")
      progress.stream:flush()
    end
    progress.shown, progress.closed = false, true
    return progress
  end

  --> :step(k?: integer) -> progress | Counts k more passes, 1 unless it is said.
  --> progress:step: progress:step(3).done
  function Progress.step(progress, k)
    if k ~= nil then common.whole("progress.step", "k", k, 0) end
    local done = progress.done + (k or 1)
    progress.done = done
    if not progress.columns or progress.closed then return progress end
    if done >= progress.n then return progress:close() end
    local now = clock()
    if now >= progress.next_write then write(progress, now) end
    return progress
  end

  common.guard("progress", Progress, Progress)

  --- The iterator of `for i in ma.progress(n) do`. A pass counts as done when the loop asks for the next one.
  function Progress.__call(progress, _, before)
    if before ~= nil then common.whole("progress", "the pass before", before, 0) end
    if before then progress:step() end
    local i = (before or 0) + 1
    if i <= progress.n then return i end
    progress:close()
  end

  function Progress.__tostring(progress) return sformat("<progress %d/%d>", progress.done, progress.n) end

  --- Checks a stream: a file of io, or a table with write and flush, which counts as a terminal if it has `columns`.
  local function check_stream(stream)
    if stream == nil then
      local io = rawget(_G, "io")
      return type(io) == "table" and io.stderr or nil
    end
    if type(stream) == "table" and type(stream.write) == "function" and type(stream.flush) == "function" then
      return stream
    end
    if type(stream) ~= "userdata" then
      core.fail("progress", "stream is " .. core.describe(stream) .. "; wanted an open file such as io.stdout")
    end
    return stream
  end

  Progress.__index = common.attributes("progress", Progress)

  --> progress: local sum = 0
  -->   for i in ma.progress(3) do sum = sum + i end
  -->   return sum
  core.def("progress(n: integer, title?: string; width?: integer, stream?: table|file*) -> progress",
    "For loops that take long: `for i in ma.progress(n) do` shows share, rate and time left on the terminal " ..
      "(stderr), or bar:step(k?) and bar:close(). "
    .. "Writes ten times a second at most, takes its line away at the end, and writes nothing where there is no " ..
      "terminal.",
    function(n, title, width, stream)
      n = common.whole("progress", "n", n, 0)
      if title ~= nil then common.type("progress", "title", title, "string") end
      width = width == nil and 30 or common.whole("progress", "width", width, 0)
      stream = check_stream(stream)
      local columns
      if type(stream) == "table" then columns = stream.columns
      elseif stream then columns = core.terminal(stream) end
      local now = clock()
      return setmetatable({ n = n, done = 0, title = title, width = width, stream = stream, columns = columns,
        begun = now,
        next_write = now + EVERY, shown = false, closed = false }, Progress)
    end)
end
