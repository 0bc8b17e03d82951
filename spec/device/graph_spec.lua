-- Graphs: replays give the bits that running gives, memory stays what it was, and what cannot be recorded says so.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local on_cpu = helper.device == "cpu"

--- A float array of values that a sum must round.
local function noise(shape, salt, dtype)
  local size, random, values = 1, helper.random(salt), {}
  for _, n in ipairs(shape) do size = size * n end
  for k = 1, size do values[k] = random() * 2 - 1 end
  return ma.array(values, dtype or "float32"):reshape(shape)
end

local function free(list)
  for _, a in pairs(list) do a:free() end
end

-- ==== Replays against plain runs ====

-- Each makes its state from a salt, and a step over it that returns arrays.
local cases = {}

function cases.elementwise()
  return { x = noise({ 300 }, 1), v = noise({ 300 }, 2) }, function(s)
    s.x:assign(s.x + s.v * 0.125)
    s.v:assign(ma.where(ma.greater(ma.abs(s.x), 1), -s.v, s.v) * 0.99)
    return s.x * s.x + s.v * s.v
  end
end

-- What waits is read by work that overwrites its operands, by results, and by a view.
function cases.waiting()
  return { x = noise({ 300 }, 12), v = noise({ 300 }, 13), few = noise({ 3 }, 14) }, function(s)
    local f = s.v * 0.5 - s.x
    s.x:assign(s.x + f * 0.125)
    s.v:assign(s.v * 0.75 + f)
    local t = s.x * s.v - 1
    s.x:iadd(t)
    s.x["1:3"] = s.few * 2 + 1
    s.few:assign(t["298:300"] - s.few)
    return t, f * 2, t + f, (t * f):sum()
  end
end

function cases.reductions()
  return { x = noise({ 40, 70 }, 3) }, function(s)
    s.x:assign(s.x * 1.01 - s.x:mean(1))
    return s.x:sum(), s.x:max(2), ma.argmin(s.x, 1), s.x:std(2), ma.cumsum(s.x, 1), s.x:any(1)
  end
end

function cases.long_reduction()
  return { x = noise({ 70000 }, 4) }, function(s)
    s.x:assign(s.x * 0.5 + 0.25)
    return s.x:sum(), ma.cumsum(s.x)
  end
end

function cases.positions()
  local s = { x = noise({ 50, 6 }, 5), rows = ma.array({ 3, 50, 3, 1, -2 }, "int64"),
    at = ma.array({ 7, 2, 9 }, "int32") }
  return s, function()
    s.x[s.at] = s.x[s.rows]["1:3"] * 0.5
    ma.add.at(s.x, s.rows, 1)
    s.rows:assign(s.rows % 50 + 1)
    return s.x[s.rows], ma.take(s.x, s.at, 1), s.x["::-1, 2"] + 1
  end
end

function cases.dtypes()
  return { i = ma.arange(100, "int32"), c = ma.ones(20, "complex64"), b = ma.zeros(20, "bool") }, function(s)
    s.i:assign((s.i * 3 + 1) % 101)
    s.c:assign(s.c * ma.complex(0.6, 0.8))
    s.b:assign(ma.logical_not(s.b))
    return s.i:astype("float16") / 7, s.c:astype("complex128"), ma.concatenate({ s.i["1:5"], s.i["90:100"] }),
      s.b:astype("uint8") + 1
  end
end

function cases.layouts()
  return { x = noise({ 33, 65 }, 6) }, function(s)
    s.x:assign(s.x.T:copy().T + s.x["::-1, ::-1"])
    s.x:assign(s.x / ma.abs(s.x):max())
    return s.x.T:copy(), s.x:reshape(65, 33) + 0, ma.stack({ s.x["1, :"], s.x["-1, :"] })
  end
end

function cases.constants()
  return { x = ma.zeros(4) }, function(s)
    s.x:assign(s.x + ma.array({ 1, 2, 3, 4 }))
    s.x["2:3"] = { 10, 20 }
    return s.x[{ { 4, 1 } }], s.x * ma.arange(4), s.x + ma.linspace(0, 1, 4)
  end
end

function cases.kernels()
  local square = ma.ElementwiseKernel("T x, T y", "T z", "z = x * x + y", "graph_square")
  local scale = ma.RawKernel([[extern "C" __global__ void scale(float *x, float factor, int n, const float *from) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + from[n - 1 - i];
  }]], "scale")
  local shift = ma.jit.rawkernel(function(x, y, by)
    local i = jit.grid(1)
    if i <= #x then y[i] = x[i] + by end
  end)
  local norm = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "graph_norm")
  local fused = ma.fuse(function(x, y) return ma.sqrt(x * x + y * y) / 2, (x - y):sum() end)
  return { x = noise({ 500 }, 7), y = noise({ 500 }, 8) }, function(s)
    scale(4, 128, { s.x, 0.5, 500, s.y })
    local moved = ma.zeros(500, "float32")
    shift(4, 128, { s.x, moved, 2 })
    local a, b = fused(moved, s.y)
    s.y:assign(square(s.x, s.y) * 0.25)
    return a, b, norm(s.x), moved
  end
end

function cases.sorts()
  local s = { x = noise({ 6, 50 }, 9), edges = ma.array({ -1, -0.25, 0, 0.5, 1 }, "float32") }
  return s, function()
    s.x:assign(s.x["::-1, ::-1"] * 0.75 - 0.125)
    return ma.sort(s.x), ma.argsort(s.x, 1), ma.searchsorted(s.edges, s.x), ma.median(s.x, 2),
      ma.histogram(s.x, { -1, -0.25, 0, 0.5, 1 }), (ma.histogram(s.x, 4, { -1, 1 }))
  end
end

-- Whole numbers: sums that no order of adding changes.
function cases.products()
  if not pcall(ma.matmul, ma.ones({ 100, 100 }), ma.ones({ 100, 100 })) then
    return { x = ma.zeros(1) }, function(s) return s.x + 1 end
  end
  local s = { x = ma.rint(noise({ 90, 70 }, 10) * 8), y = ma.rint(noise({ 3, 70, 90 }, 11) * 8) }
  return s, function()
    s.x:assign(-s.x["::-1"])
    return ma.matmul(s.x, s.y), ma.einsum("ij,bjk,k->bi", s.x, s.y, s.x[":, 1"]),
      ma.dot(s.x["1:4, 1:4"], s.x["5:8, 1:4"]), ma.vdot(s.x, s.x)
  end
end

--- n plain steps against one plain step and n - 1 launches: the state and what the last step returned.
local function hold(name, make)
  local n = 5
  local plain, step = make()
  local want
  for _ = 1, n do want = { step(plain) } end
  local state, recorded = make()
  local graph = ma.cuda.graph(recorded, state)
  local got
  for _ = 2, n do got = { graph() } end
  assert.equal(#want, #got, name)
  for k = 1, #want do helper.identical(got[k], want[k], name .. ", result " .. k) end
  for k in pairs(plain) do helper.identical(state[k], plain[k], name .. ", " .. k) end
  graph:free()
  free(want)
  free(got)
  free(plain)
  free(state)
end

describe("a graph", function()
  for name, make in pairs(cases) do
    it("replays " .. name .. " with the bits of a plain run", function() hold(name, make) end)
  end

  it("runs the function once, and nothing while it is recorded", function()
    local x, calls = ma.zeros(3), 0
    local graph = ma.cuda.graph(function(by)
      calls = calls + 1
      x:assign(x + by)
      return x
    end, 2)
    assert.equal(2, calls)
    assert.equal(2, x(1))
    assert.equal(x, graph:launch())
    assert.equal(4, x(1))
    for _ = 1, 10 do graph() end
    assert.equal(24, x(3))
    assert.equal(2, calls)
  end)

  it("has operators run together, as they do outside", function()
    local a, b, recorded = noise({ 5000 }, 15), noise({ 5000 }, 16) + 3, nil
    local y, z = ma.zeros(5000, "float32"), ma.zeros(5000, "float32")
    local graph = ma.cuda.graph(function()
      local before = core.work()
      y:assign(a * b + a / b - 2)
      z:assign(ma.sqrt(b) * a + y)
      recorded = core.work() - before
    end)
    local work = require "spec.fusion.fusion_helper"
    local launched = work.count(graph)
    if not on_cpu then launched = recorded end             -- a GPU counts a launch of a graph as one
    assert(launched >= 2 and work.are_few(launched, 2), launched)
    local want = a * b + a / b - 2
    helper.identical(z, ma.sqrt(b) * a + want, "z")
    graph:free()
    free { a, b, y, z, want }
  end)

  it("gives what the function returned, the same values each time", function()
    local x = ma.ones(3)
    local graph = ma.cuda.graph(function(options) return x + 1, nil, options.name, { 1 }, nil end, { name = "five" })
    local a, none, name, list, last = graph()
    local b, _, _, again = graph:launch()
    assert.equal(a, b)
    assert.equal(list, again)
    assert.is_nil(none)
    assert.is_nil(last)
    assert.equal("five", name)
    assert.equal(5, select("#", graph()))
    assert.equal(2, a(1))
  end)

  it("holds arrays that the user freed", function()
    local x = ma.full({ 1000 }, 3)
    local table_of = { y = ma.full({ 1000 }, 4) }
    local graph = ma.cuda.graph(function() return x * table_of.y end)
    x:free()
    table_of.y = nil
    collectgarbage()
    collectgarbage()
    for _ = 1, 4 do ma.zeros(1000):free() end
    assert.equal(12, graph()(1000))
  end)

  it("leaves its results to those who hold them", function()
    local x = ma.full({ 10 }, 3)
    local graph = ma.cuda.graph(function() return x * 2 end)
    local y = graph()
    graph:free()
    for _ = 1, 10 do local _ = ma.zeros(10) end
    assert.equal(6, y(10))
    y:assign(1)
    assert.equal(1, y(10))
  end)

  it("is not emptied by the scope that it was made in", function()
    local x = ma.ones(10)
    local graph = ma.scope(function()
      local twice = x * 2
      return ma.cuda.graph(function() return twice + 1, { sum = twice:sum() } end)
    end)
    local y, of = graph()
    assert.equal(3, y(10))
    assert.equal(20, of.sum:item())
  end)

  it("uses an array as it is at each launch", function()
    local x = ma.zeros(4)
    local graph = ma.cuda.graph(function() return x + 1 end)
    for k = 1, 3 do
      x:fill(k)
      assert.equal(k + 1, graph()(4))
    end
    local y = graph()
    y:fill(100)
    assert.equal(100, y(1))
    assert.equal(4, graph()(1))
    assert.equal(4, y(1))
  end)

  it("takes its launches in order with others on the same memory", function()
    local x = ma.zeros(1000, "int64")
    local add = ma.cuda.graph(function() x:assign(x + 1) return x:sum() end)
    local double = ma.cuda.graph(function() x:assign(x * 2) return x end)
    x:fill(0)
    local want = 0
    for k = 1, 20 do
      add()
      double()
      want = (want + 1) * 2
      if k % 7 == 0 then
        x:assign(x - 3)
        want = want - 3
      end
    end
    assert.equal(want, x(1000))
  end)

  it("keeps its memory apart from other work", function()
    local x = noise({ 64, 64 }, 9)
    local function step()
      local a = ma.exp(x)
      local b = a.T + 1
      local c = ma.cumsum(b, 1) - a
      return (c * c):sum(), ma.sqrt(ma.abs(c))
    end
    local sum, root = step()
    local graph = ma.cuda.graph(step)
    local a, b = graph()
    for k = 1, 30 do
      local junk = {}
      for j = 1, 12 do junk[j] = ma.full({ 64 * (1 + (k + j) % 64) }, 0 / 0, "float32") end
      graph()
      for j = 1, 12 do junk[j]:fill(1e30) end
      helper.identical(a, sum, "sum, launch " .. k)
      helper.identical(b, root, "root, launch " .. k)
      free(junk)
    end
  end)

  it("takes no more memory for more launches", function()
    local x = ma.zeros(5000)
    local graph = ma.cuda.graph(function()
      x:assign(ma.sqrt(x * x + 1) + ma.sin(x))
      return x:sum()
    end)
    graph()
    local count, bytes = helper.live()
    for _ = 1, 1000 do graph() end
    local now_count, now_bytes = helper.live()
    assert.equal(count, now_count)
    assert.equal(bytes, now_bytes)
  end)

  -- What dies while a graph is recorded: Lua's collector runs there, and what it finds cannot always be freed at once.
  it("frees at its end what died while it was recorded", function()
    local T = ma.cuda.texture
    local count, bytes = helper.live()
    local function surface()
      local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3, 0, 0, 2)
      return T.SurfaceObject(T.ResourceDescriptor("array", image))
    end
    local x, calls, held = ma.ones(50), 0, {}
    held.dies = { surface(), ma.cuda.graph(function() return x * 2 + 1 end), x + 1, ma.ones(9) * 2 }
    assert.equal(4, #held.dies)
    local graph = ma.cuda.graph(function()
      calls = calls + 1
      x:assign(x * 2 + x / 4)
      if calls == 2 then
        held.dies = nil
        collectgarbage()
        collectgarbage()
      end
    end)
    graph:free()
    x:free()
    local now, left = helper.live()
    assert.equal(count, now)
    assert.equal(bytes, left)
  end)

  -- Pinned memory is given back when the GPU is idle, and to wait for all streams would spoil the recording.
  it("gives back pinned memory when it has recorded", function()
    local x, calls, held = ma.ones(50), 0, { pool = ma.cuda.PinnedMemoryPool() }
    held.memory = held.pool:malloc(1000)
    assert.equal(1000, held.memory.size)
    local graph = ma.cuda.graph(function()
      calls = calls + 1
      x:assign(x * 2)
      if calls == 2 then
        held.pool, held.memory = nil, nil
        collectgarbage()
        collectgarbage()
      end
    end)
    local before = x[1]
    graph:launch()
    assert.equal(2 * before, x[1])
    graph:free()
    x:free()
  end)

  it("hands temporaries on within the recording", function()
    if on_cpu then return end                          -- there each keeps its own
    local x = ma.zeros(100000)
    local _, before = helper.live()
    local graph = ma.cuda.graph(function()
      for _ = 1, 50 do
        local t = ma.sin(x)
        x:assign(t)
        t:free()
      end
    end)
    local _, after = helper.live()
    assert(after - before < 5 * 800000, after - before)
    graph:free()
  end)

  it("raises the position that a launch found outside", function()
    local x, at = ma.arange(10), ma.array({ 1, 2 }, "int64")
    local graph = ma.cuda.graph(function() return x[at] end)
    assert.equal(1, graph()(2))
    at:assign({ 3, 11 })
    local message = helper.fails(function()
      graph()
      ma.synchronize()
    end)
    assert.matches("moonarray.index: position 11 on axis 1", message)
    at:assign({ 3, 10 })
    assert.equal(9, graph()(2))
    ma.synchronize()
  end)

  it("is an object of its device", function()
    local x = ma.zeros(2)
    local graph = ma.cuda.graph(function() return x end)
    assert.equal("<Graph " .. helper.device .. ">", tostring(graph))
    assert.equal(helper.device, graph.device)
    assert.matches("no attribute 'lanch'; did you mean 'launch'", helper.fails(function() return graph.lanch end))
    assert.matches("moonarray.launch: stream is the number 5; wanted a stream", helper.fails(graph.launch, graph, 5))
    assert.matches("write graph:method%(%)", helper.fails(graph.launch, 3))
    graph:free()
    graph:free()
    assert.equal("<Graph " .. helper.device .. ", freed>", tostring(graph))
    assert.matches("moonarray.launch: a graph that was freed", helper.fails(graph))
  end)

  it("is the CPU's in the library bound to the CPU", function()
    local x = ma.numpy.ones(3)
    local graph = ma.numpy.cuda.graph(function() x:assign(x * 2) return x:sum() end)
    assert.equal("cpu", graph.device)
    assert.equal(12, graph():item())
    assert.equal(24, graph():item())
  end)
end)

-- ==== What cannot be recorded ====

describe("inside a capture", function()
  local x = ma.arange(6)
  local mask = ma.array { true, false, true, false, true, true }
  local event = ma.Event():record()

  local refused = {
    item = function() return x:sum():item() end,
    ["item of outside"] = function() return x["2:2"]:item() end,
    index = function() return x(3) end,
    totable = function() return (x + 1):totable() end,
    ["totable of outside"] = function() return x:totable() end,
    ["tostring"] = function() return tostring(x + 1) end,
    get = function() return (x + 1):get() end,
    nonzero = function() return ma.nonzero(x + 1) end,
    mask = function() return x[mask] end,
    synchronize = function() ma.synchronize() end,
    ["stream's synchronize"] = function() ma.get_current_stream():synchronize() end,
    done = function() return ma.get_current_stream().done end,
    record = function() event:record() end,
    ["stream's record"] = function() ma.get_current_stream():record() end,
    wait_event = function() ma.get_current_stream():wait_event(event) end,
    wait_stream = function() ma.get_current_stream():wait_stream(ma.Stream.null) end,
    launch_host_func = function() ma.get_current_stream():launch_host_func(function() end) end,
    allclose = function() return ma.allclose(x, x + 1) end,
    graph = function() return ma.cuda.graph(function() return x + 1 end) end,
    save = function() ma.save(os.tmpname(), x + 1) end,
  }

  for name, fn in pairs(refused) do
    it(name .. " is refused", function()
      local before = helper.live()
      local first = true
      local message = helper.fails(ma.cuda.graph, function()
        if not first then return fn() end
        first = false
      end)
      assert.matches("moonarray%.[%w_.]+: ", message)
      assert.matches("inside a graph capture", message)
      assert.equal(before, helper.live())
      assert.equal(4, (x + 1)(4))
      local graph = ma.cuda.graph(function() return x * 3 end)
      assert.equal(6, graph()(3))
      assert.equal(ma.Stream.null, ma.get_current_stream())
    end)
  end

  it("an error of the function passes as it is", function()
    local before = helper.live()
    local mine = {}
    for _, value in ipairs { mine, "text", 5 } do
      local first = true
      local ok, found = pcall(ma.cuda.graph, function()
        if not first then error(x + 1 and value, 0) end
        first = false
      end)
      assert.is_false(ok)
      assert.equal(value, found)
      local ok_at_once, at_once = pcall(ma.cuda.graph, function() error(value, 0) end)
      assert.is_false(ok_at_once)
      assert.equal(value, at_once)
    end
    assert.matches("moonarray.add: .*broadcast", helper.fails(ma.cuda.graph, function() return x + ma.zeros(5) end))
    assert.equal(before, helper.live())
    assert.equal(ma.Stream.null, ma.get_current_stream())
    assert.equal(5, (x + 2)(4))
  end)

  it("an error that the function hides ends the capture all the same", function()
    local message = helper.fails(ma.cuda.graph, function()
      pcall(function() return x:sum():item() end)
      local y = x + 1
      return y
    end)
    assert.matches("moonarray.cuda.graph: the capture was dropped: inside a graph capture; what waits", message)
  end)

  it("an array that it made has no values yet", function()
    if not on_cpu then return end                      -- there other streams alone could ask: below
    local made, first = nil, true
    local message = helper.fails(ma.cuda.graph, function()
      made = ma.ones(5) + 1
      if not first then return made:data() end
      first = false
    end)
    assert.matches("moonarray.data: inside a graph capture", message)
    made:free()
  end)

  it("wants a function", function()
    assert.matches("moonarray.cuda.graph: fn is missing; wanted a function", helper.fails(ma.cuda.graph))
    assert.matches("fn is the number 3; wanted a function", helper.fails(ma.cuda.graph, 3))
  end)
end)

it("captures leave nothing behind", function()
  assert.equal(0, core.captures())
end)
