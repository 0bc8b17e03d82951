-- ma.frame: a function's launches are collected and sent together. The same programs run without it, beside it, and
-- have the same bits; on a GPU the figures tell how the launches were sent. On the CPU a frame is a plain call.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local on_cpu = helper.device == "cpu"
local ffi = require "ffi"
ffi.cdef "int cuMemsetD32Async(uint64_t to, unsigned value, size_t n, void *stream);"

local function noise(shape, seed) return ma.random.default_rng(seed):standard_normal(shape, { dtype = "float32" }) end

local function says(text, fn, ...)
  local fine, message = pcall(fn, ...)
  assert.is_false(fine)
  assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
end

local scale = ma.ElementwiseKernel("T x, T by", "T y", "y = x * (T)0.5 + by", "spec_frame_scale")

--- Launches at once: n kernels that give x other values.
local function churn(x, n, by)
  for _ = 1, n do scale(x, by or 1, x) end
end

-- ==== The same bits =================================================================================================

-- Writes by the driver, on the stream's handle, what the library knows nothing of.
local function fill(x, value)
  if on_cpu then return x:fill(value) end
  local bits = ffi.cast("uint32_t *", ffi.new("float[1]", value))[0]
  local handle = ffi.cast("void *", ma.get_current_stream().ptr)
  assert.equal(0, ffi.load("libcuda.so.1").cuMemsetD32Async(x:ptr(), bits, x.size, handle))
end

-- Each has a state and a step of it; what the step returns is kept to the end.
local cases = {
  ["operators"] = function(s)                              -- too few kernels for a graph
    s.x:assign(s.x * 0.5 + s.y)
    s.y:isub(s.x)
    return s.x * s.y
  end,
  ["kernels"] = function(s, k) churn(s.x, 6, k) return s.x:copy() end,
  ["other shapes"] = function(s, k)
    local n = 8 + k % 3
    local a = s.x[{ { 1, n }, {} }]:copy()
    churn(a, 5)
    return a
  end,
  ["a branch"] = function(s, k)
    if k % 3 == 0 then churn(s.x, 5, 2) else churn(s.y, 7, 3) end
    return s.x + s.y
  end,
  ["item in the middle"] = function(s)
    churn(s.x, 5)
    if s.x:sum():item() > 500 then s.x:imul(-0.25) else s.x:iadd(1) end
    churn(s.x, 5)
    return s.x(2, 3)
  end,
  ["draws"] = function(s)
    s.rng = s.rng or ma.random.default_rng(4)
    churn(s.x, 4)
    return s.rng:random({ 5, 3 }, { dtype = "float32" }) + s.x["1:5, 1:3"]
  end,
  ["arrays that take another's place"] = function(s)
    churn(s.x, 4)
    s.x, s.y = s.y * 0.5, s.x
    churn(s.x, 4)
    return s.x
  end,
  ["fills and zeros"] = function(s, k)
    local a = ma.zeros({ 16, 16 }, "float32")
    churn(a, 4, k)
    s.y:fill(k)
    churn(s.y, 4)
    return a + s.y
  end,
  ["what comes from the host and goes there"] = function(s, k)
    churn(s.x, 4)
    local a = ma.array({ k, k + 1, k + 2 }, "float32")
    churn(a, 4)
    return a:get() + s.x["1, 1:3"]:get()
  end,
  ["reductions and rows"] = function(s)
    churn(s.x, 4)
    return (s.x - s.x:mean(2, { keepdims = true })):sum(), s.x:max(1)
  end,
  ["scans and sorts"] = function(s)
    churn(s.x, 4)
    return ma.cumsum(s.x, 1), s.x:reshape(-1):argsort()
  end,
  ["products"] = function(s)
    churn(s.x, 4)
    local p = s.x:matmul(s.y)
    churn(p, 4)
    return p
  end,
  ["scopes"] = function(s)
    return ma.scope(function()
      local a = s.x * 2
      churn(a, 5)
      s.y:assign(a - s.y)
      return a + 1
    end)
  end,
  ["a stream of its own"] = function(s)
    churn(s.x, 5)
    s.stream = s.stream or ma.Stream { non_blocking = true }
    s.stream:with(function() s.y:iadd(s.x) churn(s.y, 5) end)
    churn(s.x, 5)
    return s.x + s.y
  end,
  ["events and host functions"] = function(s, k)
    local at
    churn(s.x, 5)
    local event = ma.Event()
    event:record()
    ma.get_current_stream():launch_host_func(function() at = k end)
    event:synchronize()
    ma.update { budget = 0 }
    churn(s.x, 5)
    return at, s.x:copy()
  end,
  ["a graph"] = function(s)
    if s.known ~= s.y then s.graph, s.known = ma.cuda.graph(function() churn(s.y, 3) end), s.y end
    churn(s.y, 5)
    s.graph()
    churn(s.y, 5)
    return s.y:copy()
  end,
  ["parts that are written"] = function(s, k)
    churn(s.x, 4)
    s.x["2:4, :"] = s.y["5:7, :"] * k
    s.x[{ 1, 1 }] = k
    churn(s.x, 4)
    return s.x:copy()
  end,
  ["text"] = function(s) churn(s.x, 5) local t = tostring(s.x["1, 1:4"]) churn(s.x, 5) return t end,
  ["a collection"] = function(s)
    local a = s.x * 3
    churn(a, 4)
    a = nil                                                -- luacheck: ignore
    collectgarbage()
    churn(s.x, 4)
    return s.x:copy()
  end,
  ["memory that goes back to the driver"] = function(_, k)
    local a = ma.zeros({ 300, 300 }, "float32")
    churn(a, 5, k)
    local part = a["1, 1:9"]
    local b = part:copy()
    part:free()
    a:free()
    if not on_cpu then ma.cuda.free_all_blocks() end
    churn(b, 5)
    return b
  end,
  ["work of the program's own on the stream"] = function(s, k)
    churn(s.y, 5)
    fill(s.y, k)
    churn(s.y, 5)
    fill(s.x, k)
    churn(s.x, 5)
    return s.y:copy() + s.x
  end,
  ["awaiting"] = function(s)
    churn(s.x, 5)
    local got
    coroutine.wrap(function() got = ma.await(s.x:sum()) end)()
    churn(s.y, 5)
    while not got do ma.update() end
    return got
  end,
  ["a frame within"] = function(s)
    s.inner = s.inner or ma.frame(function(x) churn(x, 4) return x * 2 end)
    churn(s.x, 4)
    local a = s.inner(s.x)
    churn(s.x, 4)
    return a
  end,
}

local function new_state() return { x = noise({ 16, 16 }, 1), y = noise({ 16, 16 }, 2) } end

--- The values of a call's results, as bytes.
local function values(results)
  local list = {}
  for k = 1, results.n do
    local v = results[k]
    list[k] = core.is_array(v) and helper.tohex(helper.bytes(v)) or tostring(v)
  end
  return table.concat(list, " ")
end

local function run(step, frames)
  local state, held = new_state(), {}
  local function call(...) return { n = select("#", ...), ... } end
  for k = 1, frames do held[k] = call(step(state, k)) end
  local texts = {}
  for k = 1, frames do texts[k] = values(held[k]) end
  texts[#texts + 1] = values { n = 2, state.x, state.y }
  return texts
end

describe("a frame", function()
  for name, step in pairs(cases) do
    it("has the bits of a plain call: " .. name, function()
      local frame = ma.frame(step)
      assert.same(run(step, 7), run(frame, 7))
      assert(on_cpu or name == "operators" or frame:figures().graphs > 2, "no graph was launched")
      frame:free()
    end)
  end

  it("has the bits of a plain call: several of these in each call, in any order", function()
    local random, names = helper.random(41), {}
    for name in pairs(cases) do names[#names + 1] = name end
    table.sort(names)
    for _ = 1, helper.long and 60 or 6 do
      local program = {}
      for k = 1, 4 do program[k] = names[random(1, #names)] end
      local function step(s, k)
        local results = { n = 0 }
        for _, name in ipairs(program) do
          results.n = results.n + 1
          results[results.n] = cases[name](s, k)           -- the first result
        end
        return unpack(results, 1, results.n)
      end
      assert.same(run(step, 5), run(ma.frame(step), 5), table.concat(program, ", "))
    end
  end)

  it("passes on arguments and results", function()
    local frame = ma.frame(function(...) return select("#", ...), ... end)
    local n, a, b, c = frame(nil, 2, nil)
    assert.same({ 3, nil, 2, nil }, { n, a, b, c })
    assert.equal(0, select("#", ma.frame(function() end)()))
    local called = ma.frame(ma.cuda.graph(function() return 5 end))
    assert.equal(5, called())
    assert.equal("<frame>", tostring(frame))
  end)

  it("passes on errors, and the next call is right", function()
    local x, why = ma.ones({ 4 }, "float32"), { "why" }
    local frame = ma.frame(function(fails)
      churn(x, 5, 0)
      if fails then error(why) end
      return x
    end)
    for _, fails in ipairs { false, true, false, true, true } do
      local ok, got = pcall(frame, fails)
      assert(ok or got == why, got)
      assert.equal(not fails, ok)
      assert.equal(fails and why or x, got)
    end
    assert.equal(0.5 ^ 25, x(4))
    says("fn is the number 3", ma.frame, 3)
    says("fn is nil", ma.frame)
    says("write frame:figures()", frame.figures)
    says("write frame:free()", function() frame.free {} end)
  end)

  it("is a part of the coroutine's turn that calls it", function()
    local x = ma.ones({ 4 }, "float32")
    local frame = ma.frame(function()
      churn(x, 4, 0)
      coroutine.yield()
      churn(x, 4, 0)
    end)
    local co = coroutine.wrap(function() frame() end)
    co()
    assert.equal(0.5 ^ 4, x(1))
    co()
    assert.equal(0.5 ^ 8, x(1))
  end)
end)

-- ==== How launches are sent =========================================================================================

local function on_gpu(name, fn) if not on_cpu then it(name, fn) end end

describe("the launches of a frame", function()
  it("are those of a plain call on the CPU", function()
    if not on_cpu then return end
    local x = ma.ones(3, "float32")
    local frame = ma.frame(function() churn(x, 9) end)
    frame()
    assert.same({ calls = 0, graphs = 0, single = 0, changed = 0, made = 0, kept = 0 }, frame:figures())
  end)

  on_gpu("are one graph when their list comes again", function()
    local x = ma.ones(30, "float32")
    local frame = ma.frame(function(by) churn(x, 6, by) end)
    for _ = 1, 5 do frame(1) end
    assert.same({ calls = 5, graphs = 4, single = 6, changed = 0, made = 1, kept = 1 }, frame:figures())
    frame(2)                                               -- another number
    assert.same({ calls = 6, graphs = 5, single = 6, changed = 6, made = 1, kept = 1 }, frame:figures())
    frame:free()
    assert.equal(0, frame:figures().kept)
    frame(1)
    assert.equal(1, frame:figures().calls)
  end)

  on_gpu("are sent when somebody waits, and few of them one by one", function()
    local x = ma.ones(30, "float32")
    local frame = ma.frame(function()
      churn(x, 6)
      local _ = x(1)
      churn(x, 3)
    end)
    for _ = 1, 3 do frame() end
    local figures = frame:figures()
    assert.equal(2, figures.graphs)
    assert.equal(1, figures.kept)
  end)

  on_gpu("have at most eight graphs, and none where each list is new", function()
    local x = ma.ones(30, "float32")
    local frame = ma.frame(function(n) churn(x, n) end)
    for _ = 1, 3 do
      for n = 4, 14 do frame(n) end
    end
    assert.equal(8, frame:figures().kept)
    local new = ma.frame(function(n) churn(x, n) end)
    for n = 4, 60 do new(n) end
    assert.same({ 0, 0 }, { new:figures().made, new:figures().graphs })
  end)

  on_gpu("of a kernel that was let go of are not sent again", function()
    local x = ma.ones(30, "float32")
    local function kernel(by)
      return ma.RawKernel(([[extern "C" __global__ void spec_frame_raw(float *x) {
        x[threadIdx.x] = x[threadIdx.x] * 0.5f + %d;
      }]]):format(by), "spec_frame_raw")
    end
    local want = 1
    for by = 1, 2 do
      local raw = kernel(by)
      local frame = ma.frame(function() for _ = 1, 5 do raw({ 1 }, { 30 }, { x }) end end)
      for _ = 1, 3 do frame() end
      for _ = 1, 15 do want = want * 0.5 + by end
      raw, frame = nil, nil                                -- luacheck: ignore
      collectgarbage()
      collectgarbage()
    end
    helper.identical(x, ma.full(30, want, "float32"), "x")
  end)

  on_gpu("that the driver refuses are an error of the call", function()
    local x = ma.ones(30, "float32")
    local raw = ma.RawKernel('extern "C" __global__ void spec_frame_wide(float *x) { x[0] = 1; }', "spec_frame_wide")
    local frame = ma.frame(function(threads)
      churn(x, 5)
      raw({ 1 }, { threads }, { x })
    end)
    frame(30)
    assert.equal(false, (pcall(frame, 2048)))
    frame(30)
    assert.equal(1, x(1))
  end)

  it("take no more memory in more frames", function()
    local x = ma.zeros({ 64, 64 }, "float32")
    local frame = ma.frame(function(k)
      return ma.scope(function()
        churn(x, 5, k)
        x:assign(x * 0.5 + 1)
        return x:sum()
      end)
    end)
    for k = 1, 20 do frame(k):free() end
    local count, bytes = helper.live()
    for k = 1, 1000 do frame(k):free() end
    local now, left = helper.live()
    assert.equal(count, now)
    assert.equal(bytes, left)
  end)
end)
