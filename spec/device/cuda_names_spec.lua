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

describe("memory of ma.cuda.runtime", function()
  local function bytes(array) return array:totable() end

  it("is made, written, copied and freed", function()
    local stream = runtime.streamCreate()
    local made = { runtime.malloc(8), runtime.mallocAsync(8, stream), runtime.mallocManaged(8),
      runtime.mallocFromPoolAsync(8, ma.cuda.MemoryPool(), stream), runtime.mallocAsync(8) }
    for _, memory in ipairs(made) do
      assert.same({ 8, "uint8", helper.device }, { memory.size, memory.dtype, memory.device })
      runtime.memset(memory, 7, 8)
      runtime.memsetAsync(memory, 1, 3, stream)
      runtime.memcpyAsync(memory, ma.array({ 9, 8 }, "uint8"), 2, runtime.memcpyDeviceToDevice, stream)
      assert.same({ 9, 8, 1, 7, 7, 7, 7, 7 }, bytes(memory))
    end
    runtime.free(made[1])
    runtime.freeAsync(made[2], stream)
    fails("a freed array", function() return made[1]:sum() end)
    local host = runtime.hostAlloc(4)
    runtime.memset(host, 3, 4)
    runtime.memcpy(host, made[3], 2)
    assert.same({ 9, 8, 3, 3 }, bytes(host))
    runtime.freeHost(host)
    stream:close()
  end)

  it("is any array, through its bytes, and an address", function()
    local x, y = ma.array({ 1.5, -2, 3 }, "float32"), ma.zeros(3, "float32")
    runtime.memcpy(y, x, 8)
    assert.same({ 1.5, -2, 0 }, y:totable())
    runtime.memcpyAsync(y:ptr(), x * 2, 12)
    assert.same({ 3, -4, 6 }, y:totable())
    runtime.memset(y, 0, 4)
    assert.same({ 0, -4, 6 }, y:totable())
    local buffer = require("ffi").new("float[3]", 5, 6, 7)
    runtime.memcpy(y, buffer, 12, runtime.memcpyHostToDevice)
    assert.same({ 5, 6, 7 }, y:totable())
    runtime.memcpy(buffer, x, 12, runtime.memcpyDeviceToHost)
    ma.synchronize()
    assert.same({ 1.5, -2, 3 }, { buffer[0], buffer[1], buffer[2] })
    runtime.memcpyPeer(y, 0, x, 0, 4)
    assert.same({ 1.5, 6, 7 }, y:totable())
    runtime.memcpyPeerAsync(y, 0, x, 0, 12, ma.Stream.null)
    assert.same({ 1.5, -2, 3 }, y:totable())
    runtime.memcpy(y, x, 0)
    fails("16 bytes of dst, which has 12", runtime.memcpy, y, x, 16)
    fails("dst is a view whose elements do not lie one after another", runtime.memcpy,
      ma.zeros({ 2, 2 })["1:2, 1"], x, 12)
    fails("src is a boolean (true); wanted an array or an address", runtime.memcpy, y, true, 4)
    fails("kind is 5", runtime.memcpy, y, x, 4, 5)
    fails("value is 256; wanted a byte", runtime.memset, y, 256, 4)
    fails("memory is the number 3; wanted memory, as malloc gives", runtime.free, 3)
  end)

  it("is copied in rows", function()
    local from, to = ma.arange(1, 13, "uint8"):reshape(3, 4), ma.zeros({ 3, 5 }, "uint8")
    runtime.memcpy2D(to, 5, from, 4, 2, 3)
    assert.same({ { 1, 2, 0, 0, 0 }, { 5, 6, 0, 0, 0 }, { 9, 10, 0, 0, 0 } }, to:totable())
    local tight = ma.zeros(2 * 5 + 4, "uint8")           -- the last row ends where the memory does
    runtime.memcpy2DAsync(tight, 5, from, 4, 4, 3, nil, ma.Stream.null)
    assert.same({ 1, 2, 3, 4, 0, 5, 6, 7, 8, 0, 9, 10, 11, 12 }, tight:totable())
    runtime.memcpy2D(tight, 5, from, 4, 0, 3)
    fails("rows of 5 bytes, 5 and 4 apart", runtime.memcpy2D, tight, 5, from, 4, 5, 2)
    fails("16 bytes of src, which has 12", runtime.memcpy2D, ma.zeros(99, "uint8"), 4, from, 4, 4, 4)
  end)

  it("has pools", function()
    local pool = runtime.memPoolCreate()
    assert.equal(ma.cuda.get_allocator(), runtime.deviceGetMemPool())
    assert.equal(ma.get_default_memory_pool(), runtime.deviceGetDefaultMemPool())
    local device = ma.device()
    runtime.deviceSetMemPool(device, pool)
    local x = ma.ones(1000)
    runtime.deviceSetMemPool(device, runtime.deviceGetDefaultMemPool())
    ma.cuda.set_allocator(nil)
    assert.equal(1000, x:sum():item())
    assert.is_true(runtime.memPoolGetAttribute(pool, runtime.memPoolAttrUsedMemCurrent) >= 8000)
    assert.is_true(runtime.memPoolGetAttribute(pool, runtime.memPoolAttrReservedMemCurrent) >= 8000)
    x:free()
    ma.synchronize()
    runtime.memPoolSetAttribute(pool, runtime.memPoolAttrUsedMemHigh, 0)
    assert.equal(0, runtime.memPoolGetAttribute(pool, runtime.memPoolAttrUsedMemHigh))
    runtime.memPoolTrimTo(pool, 0)
    runtime.memPoolDestroy(pool)
    fails("attribute is the number 3", runtime.memPoolGetAttribute, pool, 3)
    fails("only memPoolAttrUsedMemHigh can be set", runtime.memPoolSetAttribute, pool, 7, 0)
    fails("pool is the number 1; wanted a pool", runtime.memPoolTrimTo, 1, 0)
  end)
end)

describe("streams and graphs of ma.cuda.runtime", function()
  it("say what they are", function()
    local stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert.equal(1, runtime.streamGetFlags(stream))
    assert.equal(stream.priority, runtime.streamGetPriority(stream))
    assert.equal(0, runtime.streamGetFlags(0))
    stream:close()
  end)

  it("upload a graph, describe it and let it go", function()
    local x = ma.zeros(10)
    local graph = ma.cuda.graph(function() x:iadd(1) end)
    assert.equal(graph, runtime.graphInstantiate(graph))
    runtime.graphUpload(graph, 0)
    graph:upload()
    graph:launch()
    assert.equal(20, x:sum():item())
    local text = graph:debug_dot_str()
    assert.matches("^digraph", text)
    if helper.device == "cpu" then assert.matches("add", text) end
    local path = os.tmpname()
    runtime.graphDebugDotPrint(graph, path, 0)
    local file = assert(io.open(path))
    assert.matches("^digraph", file:read("*a"))
    file:close()
    os.remove(path)
    fails("path is a boolean (true); wanted a string", runtime.graphDebugDotPrint, graph, true)
    fails("flags is -1", graph.debug_dot_str, graph, -1)
    runtime.graphDestroy(graph)
    fails("a graph that was freed", graph.upload, graph)
    fails("a graph that was freed", graph.debug_dot_str, graph)
    fails("graph is the number 1; wanted a graph", runtime.graphExecDestroy, 1)
  end)

  it("has a stream of the thread's own", function()
    local stream = ma.Stream.ptds
    assert.is_false(stream.is_non_blocking)
    assert.equal(stream, ma.cuda.Stream.ptds)
    assert.is_true(stream ~= ma.Stream.null)
    local x = stream:with(function() return ma.arange(100) * 2 end)
    assert.equal(9900, x:sum():item())
    stream:close()
    assert.equal(2, ma.Stream.ptds:with(ma.ones, 2):sum():item())
    fails("no stream is called 'ptd'; wanted Stream.null or Stream.ptds", function() return ma.Stream.ptd end)
    ma.Stream.ptds:close()
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

  it("stands in docs/coverage.md or docs/from-cupy.md, as does each that is", function()
    local text = ""
    for _, path in ipairs { "docs/coverage.md", "docs/from-cupy.md" } do
      local file = assert(io.open(path))
      text = text .. file:read("*a")
      file:close()
    end
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
