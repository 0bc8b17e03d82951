-- Captures by hand: a stream records what it is given until the capture ends.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

describe("a stream that records", function()
  if not pcall(ma.Stream, { non_blocking = true }) then return pending("no streams can be made") end

  it("gives a graph of what it was given", function()
    local stream = ma.Stream { non_blocking = true }
    local x, y = ma.zeros(100), nil
    stream:with(function()
      x:assign(x + 1)
      stream:begin_capture()
      assert.is_true(stream:is_capturing())
      y = x * 2
      x:assign(y + 1)
    end)
    local graph = stream:end_capture()
    assert.is_false(stream:is_capturing())
    assert.equal(1, x(1))
    assert.equal(0, select("#", graph:launch()))
    assert.equal(3, x(100))
    assert.equal(2, y(1))
    graph:launch(stream)
    assert.equal(7, x(100))
    graph { stream = ma.Stream.null }
    assert.equal(15, x(100))
  end)

  it("compiles what it meets", function()
    local stream = ma.Stream { non_blocking = true }
    local x = ma.ones(50)
    local odd = ma.ElementwiseKernel("T x", "T y", "y = x * " .. helper.seed % 1000 .. " + 7",
      "graph_odd_" .. helper.seed % 1000)
    stream:use()
    stream:begin_capture()
    local y = odd(x)
    local graph = stream:end_capture()
    ma.Stream.null:use()
    graph()
    assert.equal(helper.seed % 1000 + 7, y(50))
  end)

  it("lets results be read on other streams", function()
    local x = ma.random.default_rng(helper.seed):random(1000, "float32") * 2 - 1
    local graph = ma.cuda.graph(function()
      x:assign(x * 0.5)
      return x + 1, x:sum()
    end)
    local streams = { ma.Stream { non_blocking = true }, ma.Stream {}, ma.Stream { non_blocking = true },
      ma.Stream.null }
    local want = x:copy()
    for k = 1, 12 do
      local y, sum = graph:launch(streams[k % 4 + 1])
      want:assign(want * 0.5)
      local twice = streams[(k + 1) % 4 + 1]:with(function() return y * 2, sum + 0 end)
      helper.identical(twice, (want + 1) * 2, "launch " .. k)
      helper.identical(sum, want:sum(), "sum " .. k)
    end
  end)

  it("leaves the other streams to their work", function()
    local stream, other = ma.Stream { non_blocking = true }, ma.Stream { non_blocking = true }
    local x, y = ma.ones(10), nil
    stream:use()
    stream:begin_capture()
    local twice = x * 2
    other:with(function() y = (x + 5):totable() end)
    local thrice = twice + x
    local graph = stream:end_capture()
    ma.Stream.null:use()
    assert.equal(6, y[1])
    graph()
    assert.equal(3, thrice(10))
  end)

  it("says what is wrong", function()
    local stream, other = ma.Stream { non_blocking = true }, ma.Stream { non_blocking = true }
    local null = ma.Stream.null
    assert.matches("moonarray.begin_capture: the null stream; work is recorded on a stream such as",
      helper.fails(null.begin_capture, null))
    assert.matches("moonarray.begin_capture: a stream that is not current", helper.fails(stream.begin_capture, stream))
    assert.matches("moonarray.end_capture: a stream that records nothing; wanted stream:begin_capture%(%) before",
      helper.fails(stream.end_capture, stream))
    stream:use()
    stream:begin_capture()
    assert.matches("this stream of this thread is recorded already", helper.fails(stream.begin_capture, stream))
    other:use()
    assert.matches("another stream of this thread is recorded already", helper.fails(other.begin_capture, other))
    stream:use()
    assert.matches("moonarray.item: inside a graph capture",
      helper.fails(function() return ma.ones(3):sum():item() end))
    assert.is_false(stream:is_capturing())
    assert.equal(3, ma.ones(3):sum():item())
    assert.matches("moonarray.end_capture: the capture was dropped: inside a graph capture",
      helper.fails(stream.end_capture, stream))
    assert.matches("a stream that records nothing", helper.fails(stream.end_capture, stream))
    stream:begin_capture()
    local y = ma.ones(3) + 1
    assert.matches("an array that the capture made has no values",
      helper.fails(other.with, other, function() return y + 1 end))
    assert.is_false(stream:is_capturing())
    null:use()
    y:free()
  end)

  it("may be left open", function()
    local stream = ma.Stream { non_blocking = true }
    local before = helper.live()
    stream:with(function()
      stream:begin_capture()
      local y = ma.ones(100) * 2
      y:free()
      assert.matches("inside a graph capture", helper.fails(stream.synchronize, stream))
    end)
    assert.equal(before, helper.live())
    local script = [[
      local ma = require "moonarray"
      local stream = ma.Stream { non_blocking = true }
      stream:use()
      stream:begin_capture()
      local y = ma.ones(100) * 2
      local graph = ma.zeros(3)
    ]]
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(script)
    file:close()
    local code = os.execute((os.getenv("LUAJIT") or arg and arg[-1] or "luajit") .. " " .. path .. " 2>&1")
    os.remove(path)
    assert(code == 0 or code == true)
  end)
end)

it("captures leave nothing behind", function()
  assert.equal(0, core.captures())
end)
