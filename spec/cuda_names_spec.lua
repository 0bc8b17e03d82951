-- CuPy's names under ma.cuda, on the device under test: those that are thin over streams, events and pools do what
-- theirs do, and those that are missing say what to write.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local runtime = ma.cuda.runtime

local function fails(text, ...)
  local message = helper.fails(...)
  assert(message:find(text, 1, true), ("the error is '%s'; wanted '%s'"):format(message, text))
end

describe("ma.cuda.runtime", function()
  it("makes streams and events and uses them", function()
    local stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert.is_true(stream.is_non_blocking)
    local urgent = runtime.streamCreateWithPriority(runtime.streamDefault, -1)
    assert.is_true(urgent.priority <= 0)
    assert.is_false(urgent.is_non_blocking)
    local start, stop = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventBlockingSync)
    local x = stream:with(function()
      runtime.eventRecord(start, stream)
      local made = ma.arange(1000) * 2
      runtime.eventRecord(stop, stream)
      return made
    end)
    runtime.streamWaitEvent(urgent, stop)
    runtime.streamSynchronize(stream)
    runtime.eventSynchronize(stop)
    assert.is_true(runtime.eventQuery(stop))
    assert.is_true(runtime.streamQuery(stream))
    assert.is_true(runtime.eventElapsedTime(start, stop) >= 0)
    assert.equal(999000, x:sum():item())
    runtime.streamSynchronize(0)
    runtime.eventDestroy(start)
    fails("was not recorded", runtime.eventSynchronize, start)
    runtime.eventRecord(start)
    runtime.eventDestroy(start)
    runtime.eventDestroy(stop)
    runtime.streamDestroy(stream)
    runtime.streamDestroy(urgent)
    fails("was closed", runtime.streamSynchronize, stream)
  end)

  it("captures a graph", function()
    local stream = runtime.streamCreateWithFlags(1)
    local x = ma.zeros(10)
    x:iadd(1)
    local graph = stream:with(function()
      runtime.streamBeginCapture(stream)
      assert.is_true(runtime.streamIsCapturing(stream))
      x:iadd(1)
      return runtime.streamEndCapture(stream)
    end)
    for _ = 1, 3 do runtime.graphLaunch(graph, stream) end
    assert.equal(40, x:sum():item())
    stream:close()
  end)

  it("calls back where Lua may run", function()
    local stream, seen = runtime.streamCreate(), {}
    stream:add_callback(function(from, status, arg) seen[#seen + 1] = { from, status, arg } end, "first")
    runtime.streamAddCallback(stream, function(_, _, arg) seen[#seen + 1] = arg end, "second")
    runtime.launchHostFunc(stream, function(arg) seen[#seen + 1] = arg end, "third")
    runtime.streamSynchronize(stream)
    assert.same({ stream, 0, "first" }, seen[1])
    assert.same({ "second", "third" }, { seen[2], seen[3] })
    fails("moonarray.add_callback: callback is the number 1; wanted a function", stream.add_callback, stream, 1)
    stream:close()
  end)

  it("says what a wrong argument was", function()
    fails("stream is the string 'x'; wanted a stream, its address or 0", runtime.streamSynchronize, "x")
    fails("event is a table; wanted an event", runtime.eventRecord, {})
    fails("flags is 64; wanted a sum", runtime.eventCreateWithFlags, 64)
    fails("flags is 0.5; wanted a whole number", runtime.streamCreateWithFlags, 0.5)
  end)

  it("asks the device that is there", function()
    local device = ma.cuda.Device()
    assert.equal(ma.cuda.is_available() and "cuda" or "cpu", device.type)
    assert.is_true(runtime.deviceGetAttribute("MultiProcessorCount") > 0)
    assert.is_true(runtime.getDeviceProperties().totalGlobalMem > 0)
    local free, total = runtime.memGetInfo()
    assert.is_true(free > 0 and free <= total)
    runtime.deviceSynchronize()
    if not ma.cuda.is_available() then fails("no device cuda:0", runtime.setDevice, 0) end
  end)

  it("starts and stops a profiler", function()
    runtime.profilerStart()
    runtime.profilerStop()
  end)
end)

describe("allocators", function()
  it("are the driver's own by malloc_async", function()
    local bytes = ma.cuda.malloc_async(1000)
    assert.same({ 1000 }, bytes.shape)
    assert.equal("uint8", bytes.dtype)
    assert.equal(helper.device, bytes.device)
    local pool = ma.cuda.MemoryPool(ma.cuda.malloc_async)
    assert.matches("^<MemoryAsyncPool ", tostring(pool))
    ma.cuda.set_allocator(ma.cuda.malloc_async)
    local x = ma.ones(1000)
    assert.matches("^<MemoryAsyncPool ", tostring(ma.cuda.get_allocator()))
    ma.cuda.set_allocator(nil)
    assert.equal(1000, x:sum():item())
    fails("wanted a pool", ma.cuda.set_allocator, ma.zeros)
    fails("wanted nil, ma.cuda.malloc_managed or ma.cuda.malloc_async", ma.cuda.MemoryPool, ma.cuda.alloc)
    assert.equal(3, ma.cuda.using_allocator(ma.cuda.malloc_managed, ma.ones, 3):sum():item())
  end)

  it("of pinned memory can be set", function()
    local pool, default = ma.cuda.PinnedMemoryPool(), ma.cuda.get_default_pinned_memory_pool()
    local before = default:used_bytes()
    ma.cuda.set_pinned_memory_allocator(pool)
    local host = ma.cuda.zeros_pinned(1000, "float32")          -- luacheck: ignore
    local more = ma.cuda.alloc_pinned_memory(100)               -- luacheck: ignore
    local copy = ma.ones(3):get_async():get()
    assert.equal(3, copy:sum():item())
    assert.is_true(pool:used_bytes() >= 4100)
    assert.equal(before, default:used_bytes())
    pool:set_limit(2^20)
    fails("out of memory", ma.cuda.empty_pinned, 2^21, "uint8")
    ma.cuda.set_pinned_memory_allocator()
    local other = ma.cuda.empty_pinned(1000)                    -- luacheck: ignore
    assert.is_true(default:used_bytes() >= before + 8000)
    fails("allocator is MemoryPool; wanted a ma.cuda.PinnedMemoryPool", ma.cuda.set_pinned_memory_allocator,
      ma.cuda.MemoryPool())
    fails("wanted a ma.cuda.PinnedMemoryPool", ma.cuda.set_pinned_memory_allocator, default.malloc)
    host, more, other, copy = nil, nil, nil, nil                -- luacheck: ignore
  end)
end)

describe("a name of CuPy's that is not here", function()
  it("says what takes its place", function()
    for name, names in pairs(core.instead) do
      local library = name == "cuda" and ma.cuda or ma.cuda[name]
      local prefix = "moonarray." .. (name == "cuda" and "cuda" or "cuda." .. name) .. "."
      for key, text in pairs(names) do
        fails(prefix .. key .. ": " .. text, function() return library[key] end)
        assert.is_nil(rawget(library, key))
      end
    end
    fails("no function 'foo'", function() return ma.cuda.foo end)
    fails("did you mean 'deviceReset'?", function() return runtime.deviceRset end)
  end)

  it("stands in docs/cupy.md, as does each that is", function()
    local file = assert(io.open("docs/cupy.md"))
    local text = file:read("*a")
    file:close()
    local missing = {}
    for name, library in pairs { cuda = ma.cuda, runtime = runtime } do
      for key in pairs(library) do
        if not text:find("`" .. key .. "`", 1, true) and not text:find("`" .. name .. "." .. key, 1, true) then
          missing[#missing + 1] = name .. "." .. key
        end
      end
      for key in pairs(core.instead[name]) do
        if not text:find("`" .. key .. "`", 1, true) then missing[#missing + 1] = name .. "." .. key end
      end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)
end)
