-- Timelines: ma.profiler.trace writes what Chrome's viewers read. Spans nest, and say what the clock and events say.

local helper = require "spec.helper"
local json = require "spec.json"
local ma = helper.ma
local on_cpu = helper.device == "cpu"
local pretended = (os.getenv("LD_LIBRARY_PATH") or ""):find("pretend", 1, true) ~= nil and not on_cpu
local ffi = require "ffi"
ffi.cdef "long pretend_event_records;"

local take = require("spec.file").take

--- Traces fn: the spans by the name of their track, each in the order of its beginning, and what fn returned.
local function trace(fn, ...)
  local path = os.tmpname()
  local result = ma.profiler.trace(path, fn, ...)
  local document, tracks, titles = json.read(take(path)), {}, {}
  assert.equal(0, document.otherData.spans_left_out)
  for _, event in ipairs(document.traceEvents) do
    if event.name == "thread_name" then titles[event.tid] = event.args.name end
  end
  for _, event in ipairs(document.traceEvents) do
    if event.ph == "X" then
      local title = assert(titles[event.tid], "a span without a track")
      tracks[title] = tracks[title] or {}
      table.insert(tracks[title], event)
    else
      assert.equal("M", event.ph)
    end
  end
  for _, spans in pairs(tracks) do
    table.sort(spans, function(a, b) return a.ts < b.ts or a.ts == b.ts and a.dur > b.dur end)
  end
  return tracks, result
end

--- What the work of the device under test is called; on a GPU it is of a stream.
local function work_of(tracks)
  if on_cpu then return tracks["work of the CPU"] or {} end
  local all = {}
  for title, spans in pairs(tracks) do
    if title:find("^work of cuda") then
      for _, span in ipairs(spans) do all[#all + 1] = span end
    end
  end
  return all
end

local function named(spans, name)
  local found = {}
  for _, span in ipairs(spans or {}) do
    if span.name == name then found[#found + 1] = span end
  end
  return found
end

local function total(spans)
  local sum = 0
  for _, span in ipairs(spans) do sum = sum + span.dur end
  return sum
end

--- Each span of a track is behind the one before it, or inside of it.
local function check_nesting(title, spans)
  local open = {}
  for _, span in ipairs(spans) do
    assert(span.dur >= 0, title)
    while open[1] and span.ts >= open[#open] - 0.0005 do table.remove(open) end
    assert(not open[1] or span.ts + span.dur <= open[#open] + 0.0015, title .. ": spans overlap")
    open[#open + 1] = span.ts + span.dur
  end
end

describe("profiler.trace", function()
  it("has frames, calls with shapes and places, and the work, and all of them nest", function()
    local x, line = ma.ones({ 64, 64 }, "float32"), nil
    local tracks, result = trace(function(factor)
      for _ = 1, 3 do
        ma.scope(function()
          line = debug.getinfo(1, "l").currentline + 1
          x:assign(x * factor + ma.sqrt(x))
          x:assign(ma.cumsum(x, 1))
        end)
        ma.update()
      end
      return "done"
    end, 0.5)
    assert.equal("done", result)
    for title, spans in pairs(tracks) do check_nesting(title, spans) end

    assert.equal(3, #tracks.frames)
    for k, frame in ipairs(tracks.frames) do assert.equal("frame " .. k, frame.name) end
    assert.near(tracks.frames[1].ts + tracks.frames[1].dur, tracks.frames[2].ts, 0.002)

    local multiply = named(tracks.calls, "multiply")
    assert.equal(3, #multiply)
    assert.equal("float32 (64, 64)", multiply[1].args.arrays)
    assert.matches("trace_spec.lua:" .. line .. "$", multiply[1].args.at)
    assert.equal("float32 (64, 64), float32 (64, 64)", named(tracks.calls, "add")[1].args.arrays)
    assert.equal(3, #named(tracks.calls, "sqrt"))
    assert.equal(3, #named(tracks.calls, "update"))
    assert.equal(6, #named(tracks.calls, "assign"))
    assert(#work_of(tracks) >= 6, #work_of(tracks))
    for _, span in ipairs(tracks.calls) do                  -- each in its frame
      local inside = false
      for _, frame in ipairs(tracks.frames) do
        inside = inside or span.ts >= frame.ts - 0.002 and span.ts + span.dur <= frame.ts + frame.dur + 0.002
      end
      assert(inside, span.name)
    end
    x:free()
  end)

  it("leaves out what the library calls itself, and has what a function calls that the library calls", function()
    local x = ma.ones(10)
    local tracks = trace(function()
      local y = ma.average(x)                               -- a function of the Lua layer
      y:free()
      ma.scope(function() return x + 1 end)
    end)
    local names = {}
    for _, span in ipairs(tracks.calls) do names[#names + 1] = span.name end
    assert.same({ "average", "free", "add" }, names)
    x:free()
  end)

  it("has sums that agree with clocks and events", function()
    local x = ma.random.default_rng(1):random({ 300, 300 })
    local function calls() ma.scope(function() ma.eval(ma.exp(x), ma.cumsum(x, 1)) end) end
    calls()                                                 -- compiles, or finds what was compiled
    ma.synchronize()
    local elapsed
    local tracks = trace(function()
      local start, stop = ma.Event(), ma.Event()
      local began = ma.time()
      start:record()
      for _ = 1, 5 do calls() end
      stop:record()
      elapsed = ma.get_elapsed_time(start, stop) * 1e3
      if on_cpu then elapsed = (ma.time() - began) * 1e6 end
    end)
    local work = work_of(tracks)
    local said = ("%g us of work in %g us"):format(total(work), elapsed)
    assert.equal(5, #named(work, "exp"))
    assert(total(work) <= elapsed + 1, said)
    if on_cpu then assert(total(work) >= elapsed / 4, said)
    else -- a GPU waits between short kernels, but not before the first and after the last
      local first, last = math.huge, 0
      for _, span in ipairs(work) do
        first, last = math.min(first, span.ts), math.max(last, span.ts + span.dur)
      end
      assert(last - first <= elapsed + 1 and last - first >= elapsed / 4, ("%g us, %s"):format(last - first, said))
    end
    x:free()
  end)

  it("has waits with the call that waits, on a GPU", function()
    local x, line = ma.ones(1000), nil
    local tracks = trace(function()
      line = debug.getinfo(1, "l").currentline + 1
      local sum = x:sum():item()
      ma.synchronize()
      return sum
    end)
    if on_cpu then
      assert.is_nil(tracks.waits)
    else
      local copy = named(tracks.waits, "copy to host")
      assert.equal(1, #copy)
      assert.equal("item", copy[1].args.call)
      assert.matches("trace_spec.lua:" .. line .. "$", copy[1].args.at)
      local wait = tracks.waits[#tracks.waits]
      assert.equal("synchronize", wait.args.call)
      local copies = 0
      for title, spans in pairs(tracks) do
        if title:find "^copies of cuda:%d+, stream %d+$" then copies = copies + #spans end
      end
      assert(copies >= 1)
    end
    x:free()
  end)

  it("has compilations", function()
    local name = ("traced_%d_%d"):format(os.time(), math.random(1e6))
    local kernel = ma.ElementwiseKernel("T x", "T y", "y = x + " .. math.random(1e6), name)
    local x = ma.ones(10)
    local tracks = trace(function() ma.eval(kernel(x)) end)
    local found = 0
    for title, spans in pairs(tracks) do
      if title:find "^compilations" then found = found + #named(spans, name) end
    end
    assert.equal(1, found)
    assert.equal(1, #named(work_of(tracks), name))
    assert.equal(1, #named(tracks.calls, "ElementwiseKernel"))
    local sum = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "traced_sum")
    for _ = 1, 2 do                                         -- a kernel is called again
      assert.equal(1, #named(trace(function() return sum(x) end).calls, "ReductionKernel"))
    end
    x:free()
  end)

  it("has collections that the library asks for", function()
    local tracks = trace(function() ma.update() end)
    assert.equal("step", tracks.collections[1].name)
    collectgarbage "stop"
    local none = trace(function() ma.update() end)
    collectgarbage "restart"
    assert.is_nil(none.collections)
  end)

  it("has named ranges", function()
    local tracks = trace(function()
      ma.profiler.time_range('the "first" \\ step\n', function() return ma.ones(3) end):free()
    end)
    assert.equal('the "first" \\ step\n', tracks.ranges[1].name)
    local call = named(tracks.calls, "ones")[1]
    assert(call.ts >= tracks.ranges[1].ts and call.ts + call.dur <= tracks.ranges[1].ts + tracks.ranges[1].dur)
  end)

  it("has launches of graphs", function()
    local x = ma.ones(100)
    local graph = ma.cuda.graph(function() x:imul(2) end)
    local tracks = trace(function() for _ = 1, 3 do graph:launch() end end)
    assert.equal(3, #named(work_of(tracks), on_cpu and "multiply" or "graph"))
    graph:free()
    x:free()
  end)

  it("has a frame's launches as one graph, on a GPU", function()
    local x = ma.ones(100)
    local frame = ma.frame(function() for _ = 1, 5 do ma.add(x, 1, { out = x }) end end)
    local tracks = trace(function() for _ = 1, 4 do frame() end end)
    assert.equal(21, x(1))
    local work = work_of(tracks)
    assert.equal(on_cpu and 20 or 5, #named(work, "add"))       -- the first list is sent one by one
    assert.equal(on_cpu and 0 or 3, #named(work, "graph of 5 kernels"))
    frame:free()
    x:free()
  end)

  it("has a frame that waits as it is without a trace", function()
    local x = ma.ones(100, "float32")
    local frame = ma.frame(function()
      for _ = 1, 3 do ma.add(x, 1, { out = x }) end
      return x(1)
    end)
    for _ = 1, 3 do frame() end
    local figures = frame:figures()
    local tracks = trace(function() for _ = 1, 2 do frame() end end)
    local now = frame:figures()
    assert.same({ figures.graphs + (on_cpu and 0 or 2), figures.single }, { now.graphs, now.single })
    assert.equal(on_cpu and 0 or 2, #named(tracks.waits, "copy to host"))
    assert.equal(16, x(1))
    frame:free()
    x:free()
  end)

  it("has the work of several streams, and what comes between", function()
    local x, y = ma.ones(1000), ma.ones(1000)
    local stream = ma.Stream { non_blocking = true }
    local tracks = trace(function()
      for _ = 1, 10 do
        ma.add(x, 1, { out = x })
        stream:with(function() ma.add(y, 1, { out = y }) end)
        ma.add(x, 1, { out = x })
        x:fill(3)
        ma.Event():record()
        ma.add(x, 1, { out = x })
      end
    end)
    assert.equal(40, #named(work_of(tracks), "add"))
    for title, spans in pairs(tracks) do check_nesting(title, spans) end
    stream:close()
    x:free()
    y:free()
  end)

  it("has more work than a device has events", function()
    if on_cpu then return end
    local x = ma.ones(1)
    local tracks = trace(function()
      for k = 1, 4500 do
        ma.add(x, 1, { out = x })
        if k % 1000 == 0 then ma.synchronize() end
      end
    end)
    assert.equal(4501, x(1))
    assert.equal(4500, #named(work_of(tracks), "add"))
    for title, spans in pairs(tracks) do check_nesting(title, spans) end
    x:free()
  end)

  it("records one event for a launch", function()
    if not pretended then return end
    local driver = ffi.load "libcuda.so.1"
    local x = ma.ones(10)
    local function records(n)
      local before = tonumber(driver.pretend_event_records)
      trace(function() for _ = 1, n do ma.add(x, 1, { out = x }) end end)
      return tonumber(driver.pretend_event_records) - before
    end
    local few = records(10)
    assert.equal(few + 100, records(110))
    assert(few <= 10 + 1 + 20, few)                         -- one before the first launch; others compare clocks
    x:free()
  end)

  it("has work that was deferred before it ends, and none of before it began", function()
    local x = ma.ones(4000)
    local before, after = ma.exp(x), nil
    local tracks = trace(function() after = ma.sin(x) end)
    assert.equal(0, #named(work_of(tracks), "exp"))
    assert.equal(1, #named(work_of(tracks), "sin"))
    for _, a in ipairs { x, before, after } do a:free() end
  end)

  it("passes on an error, and writes the file all the same", function()
    local path, x = os.tmpname(), ma.ones(3)
    local ok, why = pcall(ma.profiler.trace, path, function()
      ma.eval(x + 1)
      error({ "mine" })
    end)
    assert.is_false(ok)
    assert.same({ "mine" }, why)
    assert(take(path):find '"add"')
    assert.same({}, trace(function() end))                    -- nothing is left of it
    x:free()
  end)

  it("says what is wrong", function()
    local function nothing() end
    assert.matches("profiler.trace: path is nil; wanted a string", helper.fails(ma.profiler.trace, nil, nothing))
    assert.matches("profiler.trace: fn is the number 1; wanted", helper.fails(ma.profiler.trace, "x.json", 1))
    assert.matches("profiler.trace: .*no/such", helper.fails(ma.profiler.trace, "/no/such/folder/x.json", function()
      error "it ran"
    end))
    local path = os.tmpname()
    local why = helper.fails(ma.profiler.trace, path, function() ma.profiler.trace(path, nothing) end)
    os.remove(path)
    assert.matches("profiler.trace: inside of another trace; wanted one at a time", why)
  end)
end)
