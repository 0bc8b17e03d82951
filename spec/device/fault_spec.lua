-- The Nth allocation fails, N = 1, 2, 3 ...: every call either succeeds or raises "out of memory", writes no half
-- results into arrays that exist, and leaves nothing behind. One failure alone is repaired by a collection and a second
-- try.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local gpu = ma.device().type == "cuda"

local function fresh() return ma.arange(24):reshape(4, 6):astype("float32"):eval() end

local calls = {
  { "add", function(a) return a + a end },
  { "add in place", function(a) return a:iadd(1) end },
  { "a scalar operand", function(a) return a * 2.5 end },
  { "mixed dtypes", function(a) return a + a:astype("int16") end },
  { "divmod", function(a) return ma.divmod(a, 5) end },
  { "add of a strided view", function(a) return a[":, ::2"] + a["::-1, 1:5:2"] end },
  { "overlapping out", function(a) return ma.add(a["1:3"], 1, { out = a["2:4"] }) end },
  { "where", function(a) return ma.add(a, 1, { out = a, where = a:gt(3) }) end },
  { "a chain", function(a) return ma.sqrt(a * a + 1) - a / 2 end },
  { "sum", function(a) return a:sum() end },
  { "sum of an axis", function(a) return a:sum(1) end },
  { "mean of a program", function(a) return ma.mean((a - 1) ^ 2) end },
  { "var", function(a) return a:var(2) end },
  { "nansum", function(a) return ma.nansum(a, 1) end },
  { "argmax", function(a) return a:argmax(2) end },
  { "logsumexp", function(a) return ma.logsumexp(a, 2) end },
  { "cumsum", function(a) return ma.cumsum(a, 1) end },
  { "add.outer", function(a) return ma.add.outer(a[1], a[2]) end },
  { "astype", function(a) return a:astype("complex128") end },
  { "copy", function(a) return a:transpose():copy() end },
  { "reshape with a copy", function(a) return a:transpose():reshape(8, 3) end },
  { "concatenate", function(a) return ma.concatenate({ a, a, a }) end },
  { "stack", function(a) return ma.stack({ a, a }) end },
  { "roll", function(a) return ma.roll(a, 2) end },
  { "array of a table", function() return ma.array({ { 1, 2 }, { 3, 4 } }) end },
  { "zeros", function() return ma.zeros({ 100, 100 }) end },
  { "linspace", function() return ma.linspace(0, 1, 50) end },
  { "eye", function() return ma.eye(5) end },
  { "meshgrid", function(a) return ma.meshgrid(a[1], a[2]) end },
  { "tril", function(a) return ma.tril(a) end },
  { "linalg.svd", function(a) return ma.linalg.svd(a) end },
  { "linalg.qr", function(a) return ma.linalg.qr(a, "complete") end },
  { "linalg.solve", function(a) return ma.linalg.solve(a[":, 1:4"] + ma.eye(4) * 30, a) end },
  { "linalg.solve_triangular", function(a) return ma.linalg.solve_triangular(a[":, 1:4"] + ma.eye(4), a) end },
  { "linalg.eigh", function(a) return ma.linalg.eigh(a[":, 1:4"]) end },
  { "linalg.eig", function(a) return ma.linalg.eig(a[":, 1:4"]) end },
  { "linalg.cholesky", function() return ma.linalg.cholesky(ma.eye(4)) end },
  { "linalg.lu", function(a) return ma.linalg.lu(a) end },
  { "linalg.lstsq", function(a) return ma.linalg.lstsq(a["1:4, 1:2"], a) end },
  { "linalg.expm", function(a) return ma.linalg.expm(a[":, 1:4"] / 10) end },
  { "a mask", function(a) return a[a:gt(5)] end },
  { "assignment through a mask", function(a) a[a:gt(5)] = 0 end },
  { "positions", function(a) return a[ma.index({ 1, 3 })] end },
  { "assignment to positions", function(a) a[ma.index({ 1, 3 })] = 7 end },
  { "nonzero", function(a) return ma.nonzero(a) end },
  { "assignment", function(a) a["1:2"] = ma.ones({ 2, 6 }) end },
  { "get", function(a) return a:transpose():get() end },
  { "totable", function(a) return a:transpose():totable() end },
  { "item", function(a) return a:sum():item() end },
  { "tostring", function(a) return tostring(a) end },
}

--- What came back: how many values, and of arrays the shapes.
local function summary(...)
  local parts = {}
  for k = 1, select("#", ...) do
    local value = select(k, ...)
    local is_array, shape = pcall(function() return table.concat(value.shape, " ") end)
    parts[k] = is_array and value.dtype .. " " .. shape or type(value) == "userdata" and type(shape) == "string"
      and shape or type(value)
  end
  return table.concat(parts, ", ")
end

--- Runs what waits in the argument, which may have been written, and in the results.
local function settled(a, ...)
  a:eval()
  for k = 1, select("#", ...) do
    local value = select(k, ...)
    if core.is_array(value) then value:eval() end
  end
  return ...
end

-- The error's text, or nil. Results are dropped here; they must be those of a call in which nothing failed.
local function run(call, a, want)
  local results = { pcall(function() return settled(a, call[2](a)) end) }
  core.fail_allocation(0)
  a:eval()                               -- a write that still waits holds what it reads
  if not results[1] then return tostring(results[2]) end
  local got = summary(unpack(results, 2))
  assert(not want or got == want, ("gave %s; wanted %s"):format(got, tostring(want)))
end

-- Where a GPU has no kernel for a call, the CPU stands in, and each of its steps allocates on both.
local MOST = helper.compiles and 60 or 240

describe("failing allocations", function()
  for _, call in ipairs(calls) do
    it(call[1], function()
      local want = summary(call[2](fresh()))                 -- whatever is cached is cached now
      local finished = false
      for n = 1, MOST do
        for _, times in ipairs({ 1, 1000000 }) do
          local a = fresh()
          local live = helper.live()
          core.fail_allocation(n, times)
          local message = run(call, a, want)
          local ok = not message
          assert(ok or message:find("out of memory", 1, true), ("allocation %d: %s"):format(n, message))
          local now = helper.live()
          assert(now == live, ("allocation %d x %d left %d buffers behind"):format(n, times, now - live))
          assert(ok or times > 1, ("allocation %d alone was not tried again"):format(n))
          finished = finished or ok and times > 1
        end
        if finished then break end
      end
      assert(finished, ("still failing after %d allocations"):format(MOST))
    end)
  end

  it("leave the library usable", function()
    core.fail_allocation(1, 5)
    pcall(ma.zeros, { 10 })
    core.fail_allocation(0)
    assert(ma.ones({ 10 }):sum():item() == 10)
  end)
end)

-- ==== A scripted run in which the Nth launch, copy, pinned block, stream, event, allocation or compilation fails ===

local source = [[extern "C" __global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}]]
local twice = ma.ElementwiseKernel("T x", "T y", "y = x + x", "fault_twice")
local total = ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "fault_total")
local scale = ma.RawKernel(source, "scale")
local plus = ma.vectorize(function(x, y) return x + y end)
local scaled = ma.jit.rawkernel(function(x, n)
  local i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x + 1
  if i <= n then x[i] = x[i] * 2 end
end)
local graph_input = fresh()
local graph

--- Everything a program does, a few elements of each. What it made is dropped when it returns or fails.
local steps = {
  function(a) return ma.sqrt(a * a + 1) - a / 2 end,
  function(a) return a:sum(), a:mean(1), a:argmax(2), a:max():item() end,
  function(a) return ma.cumsum(a, 1) end,
  function(a) return a["1:3, ::2"]:copy(), a:transpose():reshape(24) end,
  function(a) return a[ma.index({ 1, 3 })], a[a:gt(5)], ma.nonzero(a) end,
  function(a) a[a:gt(5)] = 0 end,
  function(a) return plus(a, a) end,
  function(a) return a:get(), a:totable(), a:to("cpu"), ma.array({ 1, 2, 3 }) end,
  function(a) return a:get_async():get(), a:set_async(ma.numpy.ones({ 4, 6 }, { dtype = "float32" })) end,
  function(a)
    local stream = ma.Stream({ non_blocking = true })
    local event = ma.Event()
    stream:with(function()
      local b = a + 1
      event:record()
      return b:sum():item()
    end)
    event:synchronize()
  end,
  function() if graph then graph:launch() end end,
}
if helper.compiles then                  -- kernels of its own
  for _, step in ipairs {
    function(a) return twice(a) end,
    function(a) return total(a), total(a, { axis = 1 }) end,
    function(a) local x = a:copy() scale({ 1 }, { 32 }, { x, 2, 24 }) return x end,
    function(a) local x = a:reshape(24):copy() scaled({ 1 }, { 32 }, { x, 24 }) return x end,
  } do steps[#steps + 1] = step end
end

local function script()
  for _, step in ipairs(steps) do step(fresh()) end
end

--- How a kind of failure is asked for; `times` in all.
local kinds = {
  allocation = core.fail_allocation,
  compile = core.fail_compile,
}
for _, what in ipairs { "launch", "copy", "pinned", "queue" } do
  kinds[what] = function(n, times) core.make_fail(what, n, times) end
end

describe("a scripted run", function()
  local most = helper.long and 100000 or gpu and 60 or 400

  setup(function()
    if ma.cuda.graph then graph = ma.cuda.graph(function() graph_input:iadd(1) end) end
    script()
  end)
  teardown(function() graph = nil end)

  for _, kind in ipairs { "launch", "copy", "pinned", "queue", "allocation", "compile" } do
    it(("with the Nth %s failing leaves nothing behind"):format(kind), function()
      local fail = kinds[kind]
      local streams, copies, events = core.live_streams and core.live_streams(), core.live_copies(), core.live_events()
      local live = helper.live()
      local ended = false
      for n = 1, most do
        fail(n, 1000000)
        local ok, message = pcall(script)
        fail(0)
        assert(ok or tostring(message):find("made to fail", 1, true)
          or tostring(message):find("out of memory", 1, true), tostring(message))
        local now = helper.live()
        assert(now == live, ("%s %d left %d buffers behind: %s"):format(kind, n, now - live, tostring(message)))
        assert(core.live_copies() == copies and core.live_events() == events,
          ("%s %d left an event behind"):format(kind, n))
        if streams then assert(core.live_streams() == streams, ("%s %d left a stream behind"):format(kind, n)) end
        assert(ma.ones({ 10 }):sum():item() == 10)
        ended = ok
        if ok then break end
      end
      assert(ended or not helper.long, "still failing")
      script()
    end)
  end
end)
