-- ma.await, ready() and what they are used with: results that are there later. spec/frames/late_spec.lua runs this file
-- on a pretended GPU whose work takes a while.

local helper = require "spec.helper"
local turn = require "spec.frames.turn"
local ma, core = helper.ma, helper.core

local REFUSED = "a wait for the device, where allow_synchronize%(false%) holds"

describe("await", function()
  it("gives numbers of arrays without axes, and CPU arrays of others", function()
    local x = ma.arange(6, "float32"):reshape(2, 3)
    local run = turn.results(function()
      return ma.await(x:sum(), x, x:max(), ma.array(true), ma.array(ma.complex(1, 2)))
    end)
    assert.equal(5, run.n)
    assert.same({ 15, 5, true }, { run[1], run[3], run[4] })
    assert.equal("cpu", run[2].device)
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, run[2]:totable())
    assert.equal(2, run[5].im)
  end)

  it("gives the values of the call, whatever is written later", function()
    local x = ma.zeros(1000)
    local runs = {}
    for k = 1, 20 do
      runs[k] = turn.start(function() return ma.await(x, x:sum()) end)
      x:iadd(1)
    end
    turn.finish(unpack(runs))
    for k, run in ipairs(runs) do
      assert.equal(k - 1, run[1](1000))
      assert.equal(1000 * (k - 1), run[2])
    end
  end)

  it("yields where work is under way, and not where it is done", function()
    local x = ma.ones(100)
    local run = turn.start(function() return ma.await(x:sum()) end)
    turn.check_late(not run.ended)
    local frames = turn.finish(run)
    turn.check_late(frames > 0)
    assert.equal(100, run[1])
    if helper.device == "cpu" then
      assert.is_true(x:ready())
      assert.is_true(x:get_async():ready())
    end
  end)

  it("takes handles, into a given array too", function()
    local x, out = ma.arange(4):astype("float64"), ma.numpy.zeros(4)
    local run = turn.results(function()
      local first, second = x:get_async(), x:get_async { out = out }
      return ma.await(first, second, x:sum():get_async())
    end)
    assert.same({ 0, 1, 2, 3 }, run[1]:totable())
    assert.equal(out, run[2])
    assert.same({ 0, 1, 2, 3 }, out:totable())
    assert.equal(6, run[3])
  end)

  it("takes events", function()
    local run = turn.results(function()
      local event = ma.Event():record()
      return ma.await(event), event.done, event:ready()
    end)
    assert.same({ true, true, true }, { run[1], run[2], run[3] })
    assert.is_true(ma.await(ma.Event():record()))
    assert.matches("event was not recorded", turn.fails(ma.await, ma.Event()))
  end)

  it("may be called twice for the same", function()
    local x = ma.arange(3)
    local handle = x:get_async()
    local runs = {}
    for k = 1, 6 do runs[k] = turn.start(ma.await, k % 2 == 0 and handle or x) end
    turn.finish(unpack(runs))
    for k = 1, 6 do assert.same({ 0, 1, 2 }, runs[k][1]:totable()) end
    assert.equal(runs[2][1], runs[4][1])                       -- a handle has one array
    assert.same({ 0, 1, 2 }, ma.await(handle):totable())
    local twice = turn.results(function() return ma.await(handle), ma.await(handle) end)
    assert.equal(twice[1], twice[2])
  end)

  it("goes on where the array is freed meanwhile, and refuses one that was freed", function()
    local x, kept = ma.full(1000, 7), ma.arange(3)
    local run = turn.start(function() return ma.await(x, x:sum()) end)
    x:free()
    local other = ma.full(1000, 9)                             -- may get its memory
    turn.finish(run)
    assert.equal(7, run[1](1000))
    assert.equal(7000, run[2])
    assert.equal(9, other(1))
    assert.matches("moonarray.await: a freed array", turn.fails(ma.await, x))
    assert.matches("moonarray.await: a freed array", helper.fails(ma.await, x))
    assert.matches("moonarray.ready: a freed array", helper.fails(x.ready, x))
    local handle = kept:get_async()
    handle:get():free()
    assert.equal(3, ma.await(kept).size)
  end)

  it("gives memory back that it took for numbers", function()
    local x = ma.ones(100)
    local before = helper.live()
    collectgarbage("stop")
    for _ = 1, 20 do turn.results(ma.await, x:sum()) end
    local after = core.live_buffers()
    collectgarbage("restart")
    assert.is_true(after <= before + 20, after .. " blocks, " .. before .. " before")       -- the sums themselves
  end)

  it("keeps handles good until they are collected", function()
    local x, handles = ma.zeros(50), {}
    for k = 1, 60 do
      handles[k] = x:get_async()
      x:iadd(1)
      ma.update()
    end
    for _ = 1, 200 do turn.results(ma.await, x:sum()) end
    for k = 1, 60 do
      assert.is_true(handles[k].done)
      assert.is_true(handles[k]:ready())
      assert.equal(50 * (k - 1), ma.await(handles[k]):sum():item())
    end
  end)

  it("raises what the device found, in the coroutine that waits", function()
    local x, far = ma.arange(5), ma.array({ 1, 9 }, "int64")
    local message = turn.fails(function()
      return ma.await(x[far])
    end)
    assert.matches("position 9 on axis 1", message)
    assert.same({ 0, 1 }, turn.results(ma.await, x["1:2"])[1]:totable())           -- and only there
    local event = turn.fails(function()
      local _ = x[far]:eval()
      return ma.await(ma.Event():record())
    end)
    assert.matches("position 9 on axis 1", event)
    local handle = helper.fails(function() return ma.await(x[far]:get_async()) end)
    assert.matches("position 9 on axis 1", handle)
  end)

  it("says what a wrong argument was", function()
    assert.matches("moonarray.await: argument 2 is the number 3; wanted an array, a handle of get_async, an event, "
      .. "a job or a preparation", helper.fails(ma.await, ma.ones(1), 3))
    assert.matches("argument 1 is nil", turn.fails(ma.await, nil))
    assert.matches("no argument; wanted an array", helper.fails(ma.await))
    assert.matches("in place of the handle", helper.fails(ma.ones(1):get_async().get, 3))
  end)
end)

describe("outside a coroutine await", function()
  it("waits", function()
    local x = ma.ones(10)
    assert.equal(10, ma.await(x:sum()))
    local sum, all = ma.await(x:sum(), x:get_async())
    assert.equal(10, sum)
    assert.equal(10, all.size)
  end)

  it("is an error where waiting is one, unless the handle's copy is there", function()
    local x = ma.ones(10)
    local handle = x:get_async()
    local message = helper.fails(ma.allow_synchronize, false, ma.await, x)
    assert.matches("moonarray.await: " .. REFUSED, message)
    assert.matches("in a coroutine await does not wait", message)
    if turn.is_late then
      assert.matches("moonarray.await: " .. REFUSED, helper.fails(ma.allow_synchronize, false, ma.await, handle))
      assert.matches("moonarray.await: " .. REFUSED,
        helper.fails(ma.allow_synchronize, false, ma.await, ma.Event():record()))
    end
    while not handle:ready() do ma.update() end
    assert.equal(10, ma.allow_synchronize(false, ma.await, handle).size)
    local run = ma.allow_synchronize(false, turn.results, ma.await, x:sum())
    assert.equal(10, run[1])
  end)

  it("means the coroutine too that calls update", function()
    local x = ma.ones(10)
    local sum, refused = coroutine.wrap(function()
      ma.update()
      return ma.await(x:sum()), select(2, pcall(ma.allow_synchronize, false, ma.await, x))
    end)()
    assert.equal(10, sum)
    assert.matches(REFUSED, refused)
  end)
end)

describe("a coroutine that waits", function()
  it("may be resumed by others, and waits on", function()
    local x = ma.ones(10)
    local run = turn.start(function()
      local sum = ma.await(x:sum())
      return sum, coroutine.yield("a yield of its own")
    end)
    for _ = 1, 3 do
      if not run.ended and turn.is_late then assert(coroutine.resume(run.co)) end
    end
    while coroutine.status(run.co) == "suspended" and ma.update() > 0 do end
    for _ = 1, 5 do ma.update() end
    assert.is_nil(run.ended)                                   -- nobody resumes it out of its own yield
    local ok, said = coroutine.resume(run.co, 5)
    assert(ok, said)
    assert.same({ 10, 5 }, { run[1], run[2] })
  end)

  it("stays alive though nobody else holds it", function()
    local got
    coroutine.wrap(function() got = ma.await(ma.full(10, 2):sum()) end)()
    collectgarbage()
    collectgarbage()
    while not got do assert(ma.update() >= 0) end
    assert.equal(20, got)
  end)

  it("inside a scope leaves the arrays of others alone", function()
    local x = ma.ones(10)
    local first, inner, host
    local run = turn.start(function()
      return ma.scope(function()
        first = x + 1
        local sum = ma.await(first:sum())
        inner = x * sum
        host = ma.await(inner)
        return ma.await(inner), inner:sum()
      end)
    end)
    local outside = ma.ones(3) * 4
    turn.finish(run)
    assert.equal(20, run[1](10))
    assert.equal(200, run[2]:item())
    assert.same({ 4, 4, 4 }, outside:totable())
    assert.matches("a freed array", helper.fails(function() return first + 1 end))
    assert.matches("a freed array", helper.fails(function() return inner + 1 end))
    assert.matches("a freed array", helper.fails(function() return host + 1 end))          -- it was the scope's
  end)

  it("inside stream:with has the stream to itself", function()
    local main, stream, other = ma.get_current_stream(), ma.Stream(), ma.Stream()
    local x, seen = ma.ones(100), {}
    local function note() seen[#seen + 1] = ma.get_current_stream() end
    local run = turn.start(function()
      return stream:with(function()
        note()
        local sum = ma.await((x + 1):sum())
        note()
        other:with(function()
          sum = sum + ma.await(x:sum())
          note()
        end)
        note()
        return sum, ma.await(ma.Event():record())
      end)
    end)
    assert.equal(main, ma.get_current_stream())
    while not run.ended do
      ma.update()
      assert.equal(main, ma.get_current_stream())
    end
    assert.equal(300, run[1])
    assert.same({ stream, stream, other, stream }, seen)
    stream:close()
    other:close()
  end)

  it("inside stream:with comes back to what is current then", function()
    local main, mine, stream = ma.get_current_stream(), ma.Stream(), ma.Stream()
    local x = ma.ones(100)
    local run = turn.start(function()
      local sum = stream:with(function() return ma.await(x:sum()) end)
      return sum, ma.get_current_stream()
    end)
    local yielded = not run.ended
    mine:use()
    turn.finish(run)
    local now = ma.get_current_stream()
    main:use()
    assert.equal(mine, now)
    assert.equal(yielded and mine or main, run[2])
    mine:close()
    stream:close()
  end)

  it("inside device:with and allow_synchronize leaves others what they had", function()
    local x = ma.ones(100)
    local host = ma.numpy.ones(2)
    local run = turn.start(function()
      return ma.allow_synchronize(false, function()
        return ma.device("cpu"):with(function()
          local sum = ma.await(x:sum())
          return sum, ma.device().name, pcall(ma.allow_synchronize, true, host.totable, host)
        end)
      end)
    end)
    assert.equal(helper.device == "cpu" and "cpu" or x.device, ma.device().name)
    assert.equal(100, x:sum():item())                         -- waits
    turn.finish(run)
    assert(not run.why, run.why)
    assert.same({ 100, "cpu", true }, { run[1], run[2], run[3] })
    assert.equal(x.device, ma.device().name)
  end)

  it("says where it cannot yield", function()
    local wanted = "moonarray.await: a function of C is between it and its coroutine"
    if not turn.is_late then
      local is_sorted, sorted = pcall(turn.results, function()
        local list = { 2, 1 }
        table.sort(list, function(a, b) return a * ma.await(ma.ones(2):sum()) < 2 * b end)
        return list[1]
      end)
      while ma.update() > 0 do end                             -- luacheck: ignore
      if is_sorted then return assert.equal(1, sorted[1]) end  -- nothing is to wait for
      assert.is_false(turn.is_known)
      return assert.matches(wanted, tostring(sorted))
    end
    local x, live = ma.ones(10), 0
    local message = turn.fails(function()
      table.sort({ 2, 1 }, function() return ma.await(x:sum()) > 0 end)
    end)
    assert.matches(wanted, message)
    local run = turn.start(function()
      pcall(table.sort, { 2, 1 }, function() return ma.await(x:sum()) > 0 end)
      live = coroutine.yield() or live
    end)
    for _ = 1, 20 do ma.update() end
    assert.is_nil(run.ended)                                   -- and is not taken for one that waits
    assert(coroutine.resume(run.co, 1))
  end)
end)

describe("ready", function()
  local function frames_until(x)
    local frames = 0
    while not x:ready() do frames = frames + 1 end
    return frames
  end

  it("tells whether the values are there, and begins what waits", function()
    local x = ma.arange(1000)
    local y = (x * 2 + 1):sqrt()
    local frames = frames_until(y)
    turn.check_late(frames > 0)
    assert.is_true(y:ready())
    assert.is_true(ma.ready(y["1:10"]))
    x:iadd(1)
    turn.check_late(frames_until(x) > 0)            -- after each write anew
    assert.equal(1, x(1))
    assert.is_true(ma.numpy.ones(3):ready())
  end)

  it("does not wait for what comes behind", function()
    local x, other = ma.ones(1000), ma.ones(1000)
    x:ready()
    for _ = 1, 100 do
      other:iadd(1)                                            -- the device always has work
      if x:ready() then break end
    end
    assert.is_true(x:ready())
    turn.check_late(not other:ready())
    frames_until(other)
  end)

  it("works on streams, also when they are closed", function()
    local stream = ma.Stream({ non_blocking = true })
    local x = stream:with(function() return ma.arange(100) * 2 end)
    turn.check_late(not x:ready())
    stream:close()
    frames_until(x)
    assert.equal(198, x(100))
  end)

  it("leaves no event behind", function()
    local events, copies = core.live_events(), core.live_copies()
    for _ = 1, 10 do
      local x = ma.ones(10) + 1
      x:ready()
    end
    helper.live()
    helper.live()                                              -- weak keys with finalisers take another cycle
    assert.equal(events, core.live_events())
    assert.equal(copies, core.live_copies())
  end)

  it("is refused while a graph records", function()
    if helper.device == "cpu" then return end                  -- there all is ready
    local x = ma.ones(10)
    local message = helper.fails(ma.cuda.graph, function()
      x:iadd(1)
      x:ready()
    end)
    assert.matches("moonarray.ready: inside a graph capture", message)
  end)

  it("is not refused where waiting is", function()
    local x = ma.ones(10) + 1
    assert.is_true(ma.allow_synchronize(false, function()
      frames_until(x)
      return true
    end))
  end)
end)
