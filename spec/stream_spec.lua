-- Events and the null stream: what they say, what they refuse, and that time passes between two of them.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

describe("an event", function()
  it("measures the time between two places of a stream", function()
    local start, stop = ma.Event(), ma.cuda.Event()
    start:record()
    local x = ma.ones({ 500, 500 }, "float32")
    for _ = 1, 20 do x = x * 2 + 1 end
    stop:record()
    stop:synchronize()
    assert.is_true(start.done)
    assert.is_true(stop.done)
    local time = ma.get_elapsed_time(start, stop)
    assert(time > 0 and time < 60000, "elapsed " .. time)
    assert.equal(time, ma.cuda.get_elapsed_time(start, stop))
    assert.equal(0, ma.get_elapsed_time(start, start))
    x:free()
  end)

  it("is recorded on a stream, which makes one if none is given", function()
    local event = ma.Event()
    assert.equal(event, event:record(ma.Stream.null))
    assert.equal(event, event:record({ stream = ma.Stream.null }))
    assert.equal(event, ma.Stream.null:record(event))
    local made = ma.cuda.Stream.null:record()
    assert.equal("<Event " .. helper.device .. ">", tostring(made))
    assert.equal(helper.device, made.device)
    assert(ma.get_elapsed_time(event, made) >= 0)
  end)

  it("says what is wrong", function()
    local event, other = ma.Event(), ma.Event():record()
    assert.matches("moonarray.synchronize: event was not recorded; wanted event:record%(%) before", helper.fails(event.synchronize, event))
    assert.matches("event was not recorded", helper.fails(function() return event.done end))
    assert.matches("moonarray.get_elapsed_time: start was not recorded", helper.fails(ma.get_elapsed_time, event, other))
    assert.matches("moonarray.cuda.get_elapsed_time: stop was not recorded", helper.fails(ma.cuda.get_elapsed_time, other, event))
    assert.matches("start is the number 1; wanted an event", helper.fails(ma.get_elapsed_time, 1, other))
    assert.matches("stop is a userdata; wanted an event", helper.fails(ma.get_elapsed_time, other, ma.Stream.null))
    assert.matches("stream is the string 'x'; wanted a stream such as moonarray.Stream.null", helper.fails(event.record, event, "x"))
    assert.matches("write event:method%(%)", helper.fails(event.record))
    assert.matches("write event:method%(%)", helper.fails(event.record, ma.Stream.null))
    assert.matches("no attribute 'recrd'; did you mean 'record'", helper.fails(function() return event.recrd end))
  end)

  it("is counted until it is collected", function()
    local before = core.live_events()
    local event = ma.Event()
    assert.equal(before, core.live_events())
    event:record()
    assert.equal(before + 1, core.live_events())
    event = nil ---@diagnostic disable-line: cast-local-type
    collectgarbage()
    collectgarbage()
    assert.equal(before, core.live_events(), tostring(event))
  end)
end)

describe("the null stream", function()
  it("is the current one", function()
    local stream = ma.cuda.get_current_stream()
    assert.equal(ma.Stream.null, stream)
    assert.equal(ma.cuda.Stream.null, stream)
    assert.equal(ma.get_current_stream(), stream)
    assert.equal(helper.device, stream.device)
    assert.equal("<Stream null, " .. helper.device .. ">", tostring(stream))
    local x = ma.ones(1000)
    local y = x + x
    stream:synchronize()
    assert.is_true(stream.done)
    assert.equal(2, y(1))
  end)

  it("is the CPU's for the library bound to the CPU", function()
    assert.equal("cpu", ma.numpy.Stream.null.device)
    assert.equal("cpu", ma.numpy.get_current_stream().device)
    local event = ma.numpy.Event():record()
    assert.equal("cpu", event.device)
    if helper.device ~= "cpu" then
      assert.matches("an event of cpu and a stream of cuda:0; wanted both of one device", helper.fails(event.record, event, ma.Stream.null))
      assert.matches("start is of cpu and stop of cuda:0", helper.fails(ma.get_elapsed_time, event, ma.Event():record()))
    end
  end)

  it("raises the fault that it finds", function()
    if helper.device == "cpu" then return end                    -- there the call itself raises it
    local x = ma.zeros(5)
    local first = x[ma.array({ 2, 9 }, "int64")]
    assert.matches("position 9", helper.fails(ma.Stream.null.synchronize, ma.Stream.null))
    local picked = x[ma.array({ 2, 9 }, "int64")]
    local event = ma.Event():record()
    assert.matches("position 9", helper.fails(event.synchronize, event))
    first:free()
    picked:free()
  end)

  it("says what is wrong", function()
    local stream = ma.Stream.null
    assert.matches("no stream is called 'nul'; wanted Stream.null", helper.fails(function() return ma.Stream.nul end))
    assert.matches("write stream:method%(%)", helper.fails(stream.synchronize, 3))
    assert.matches("event is the number 3; wanted an event", helper.fails(stream.record, stream, 3))
    assert.matches("no attribute 'recrd'; did you mean 'record'", helper.fails(function() return stream.recrd end))
  end)
end)
