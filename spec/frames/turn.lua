--- What the specs of frames share: coroutines that are started, and frames until they have ended.

local helper = require "spec.helper"
local ma = helper.ma

--- Work of the pretended GPU that takes a while (spec/pretend/delay.c), so that whoever awaits it yields. What a real
--- GPU does is done sooner or later.
local turn = { is_late = (tonumber(os.getenv "PRETEND_DELAY" or "") or 0) > 0 and helper.device ~= "cpu" }
turn.is_known = helper.device == "cpu" or (os.getenv "LD_LIBRARY_PATH" or ""):find("pretend", 1, true) ~= nil

--- Holds whether something was late to what this device does.
function turn.check_late(was_late)
  if turn.is_known then require("luassert").equal(turn.is_late, was_late) end
end

local MOST = 100000                      -- frames; each looks at what waits

--- Starts a coroutine. The table gets `n` and the results when it has ended, or `why`, its error.
function turn.start(fn, ...)
  local run = { co = coroutine.create(function(run, ...)
    local function note(ok, ...)
      run.ended = true
      if not ok then run.why = (...) return end
      run.n = select("#", ...)
      for k = 1, run.n do run[k] = (select(k, ...)) end
    end
    note(pcall(fn, ...))
  end) }
  assert(coroutine.resume(run.co, run, ...))
  return run
end

--- Frames until all have ended; returns their number.
function turn.finish(...)
  local runs, frames = { ... }, 0
  for _, run in ipairs(runs) do
    while not run.ended do
      frames = frames + 1
      assert(frames < MOST, "it does not end")
      ma.update()
    end
  end
  return frames
end

--- What fn returns in a coroutine, as a list.
function turn.results(fn, ...)
  local run = turn.start(fn, ...)
  turn.finish(run)
  if run.why then error(run.why, 0) end
  return run
end

--- The error of fn in a coroutine.
function turn.fails(fn, ...)
  local run = turn.start(fn, ...)
  turn.finish(run)
  assert(run.why, "it raised nothing")
  return tostring(run.why)
end

return turn
