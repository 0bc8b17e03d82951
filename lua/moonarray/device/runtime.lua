--- CuPy's calls of `cuda.runtime` on memory, pools and graphs, as thin layers over the library's own functions. An
--- array of uint8 stands for allocated memory where CuPy has an address. Functions that read or write bytes take any
--- array whose elements lie together, or an address.

return function(ma, core)
  local fail, sformat = core.fail, require("moonarray.text").format
  local common = require("moonarray.common")(core)
  local whole = common.whole
  local runtime = ma.cuda.runtime

  for name, value in pairs { memcpyHostToHost = 0, memcpyHostToDevice = 1, memcpyDeviceToHost = 2,
    memcpyDeviceToDevice = 3, memcpyDefault = 4, memPoolAttrReservedMemCurrent = 5, memPoolAttrUsedMemCurrent = 7,
    memPoolAttrUsedMemHigh = 8 } do
    rawset(runtime, name, value)
  end

  local function def(signature, doc, fn)
    local name = "cuda.runtime." .. signature:match("^%w+")
    core.def("cuda.runtime." .. signature, doc, function(...) return fn(name, ...) end)
  end

  local function stream_of(name, stream)
    if stream == nil then return ma.get_current_stream() end
    return core.runtime_stream(name, stream)
  end

  -- ==== Memory ====

  local function memory_of(name, what, array)
    if not core.is_array(array) then
      fail(name, sformat("%s is %s; wanted memory, as malloc gives", what, core.describe(array)))
    end
    return array
  end

  local function pool_of(name, pool)
    if type(pool) ~= "userdata" or not tostring(pool):find("Pool ", 1, true) then
      fail(name, sformat("pool is %s; wanted a pool, as memPoolCreate gives", core.describe(pool)))
    end
    return pool
  end

  local function free(name, array) memory_of(name, "memory", array):free() end

  --> cuda.runtime.malloc cuda.runtime.free: local memory = ma.cuda.runtime.malloc(16)
  -->   print(memory.nbytes)
  -->   ma.cuda.runtime.free(memory)
  -->   return memory
  def("malloc(size: integer) -> array", "moonarray.cuda.alloc(size): an array of uint8.",
    function(name, size) return ma.cuda.alloc(whole(name, "size", size, 0)) end)
  --> cuda.runtime.mallocAsync cuda.runtime.freeAsync: local memory = ma.cuda.runtime.mallocAsync(16)
  -->   print(memory.nbytes)
  -->   ma.cuda.runtime.freeAsync(memory)
  -->   return memory
  def("mallocAsync(size: integer, stream?: stream) -> array",
    "The same of the driver's own pool, in the order of a stream.",
    function(name, size, stream)
    size = whole(name, "size", size, 0)
    return stream_of(name, stream):with(ma.cuda.malloc_async, size)
  end)
  --> gpu cuda.runtime.mallocFromPoolAsync:
  --> \ ma.cuda.runtime.mallocFromPoolAsync(16, ma.cuda.runtime.memPoolCreate()).nbytes
  --> > 16
  def("mallocFromPoolAsync(size: integer, pool: pool, stream?: stream) -> array",
    "pool:malloc(size), in the order of a stream.",
    function(name, size, pool, stream)
    size = whole(name, "size", size, 0)
    pool_of(name, pool)
    return stream_of(name, stream):with(function() return pool:malloc(size) end)
  end)
  --> gpu cuda.runtime.mallocManaged: ma.cuda.runtime.mallocManaged(16).nbytes
  --> > 16
  def("mallocManaged(size: integer, flags?: integer) -> array",
    "moonarray.cuda.malloc_managed(size): memory that the host reads too.",
    function(name, size) return ma.cuda.malloc_managed(whole(name, "size", size, 0)) end)
  --> cuda.runtime.hostAlloc cuda.runtime.freeHost: local memory = ma.cuda.runtime.hostAlloc(16)
  -->   print(memory.nbytes)
  -->   ma.cuda.runtime.freeHost(memory)
  -->   return memory
  def("hostAlloc(size: integer, flags?: integer) -> array", ""
    .. "moonarray.cuda.alloc_pinned_memory(size)",
    function(name, size) return ma.cuda.alloc_pinned_memory(whole(name, "size", size, 0)) end)
  def("free(memory: array)", "memory:free(): the memory goes with its last view.", free)
  def("freeAsync(memory: array, stream?: stream)", "The same; the order of streams is kept by itself.", free)
  def("freeHost(memory: array)", "The same.", free)

  --- `count` bytes at an array's first element, or at an address of a device, as an array of uint8.
  local function bytes_of(name, what, memory, count, device)
    if not core.is_array(memory) then
      local kind = type(memory)
      if kind ~= "number" and kind ~= "cdata" and kind ~= "userdata" then
        fail(name, sformat("%s is %s; wanted an array or an address", what, core.describe(memory)))
      end
      return count > 0 and ma.cuda.from_pointer(memory, count, "uint8", nil, { device = device })
        or ma.empty(0, "uint8", { device = device })
    end
    if count > memory.nbytes then
      fail(name, sformat("%d bytes of %s, which has %d", count, what, memory.nbytes))
    end
    if memory.dtype == "uint8" and memory.ndim == 1 and memory.strides[1] == 1 then return memory[{ { 1, count } }] end
    local width = memory.itemsize
    for d = memory.ndim, 1, -1 do
      if memory.strides[d] ~= width and memory.shape[d] > 1 then
        fail(name, sformat("%s is a view whose elements do not lie one after another; wanted %s:copy()", what, what))
      end
      width = width * memory.shape[d]
    end
    if count == 0 then return ma.empty(0, "uint8", { device = memory.device }) end
    return ma.cuda.from_pointer(memory:ptr(), count, "uint8", memory, { device = memory.device })
  end

  --- The devices of the source and of the destination, by the kind of a copy. The host's memory belongs to the CPU.
  local function devices_of(name, kind)
    kind = kind and whole(name, "kind", kind, 0) or 4
    if kind > 4 then fail(name, sformat("kind is %d; wanted one of the memcpy... of moonarray.cuda.runtime", kind)) end
    local current = ma.device().name
    return (kind == 0 or kind == 2) and "cpu" or current, (kind == 0 or kind == 1) and "cpu" or current
  end

  local function copy(name, dst, src, size, kind)
    size = whole(name, "size", size, 0)
    local to, from = devices_of(name, kind)
    local target, source = bytes_of(name, "dst", dst, size, to), bytes_of(name, "src", src, size, from)
    if size > 0 then target:assign(source) end
  end

  --> cuda.runtime.memcpy: local a, b = ma.zeros(2), ma.ones(2)
  -->   ma.cuda.runtime.memcpy(a:ptr(), b:ptr(), 16, ma.cuda.runtime.memcpyDefault)
  -->   return a
  def("memcpy(dst: array|integer, src: array|integer, size: integer, kind?: integer)",
    "Copies bytes between arrays or addresses, on any devices. Only an address " ..
    "of the host needs its kind, such as memcpyHostToDevice.", copy)
  --> cuda.runtime.memcpyAsync: local a, b = ma.zeros(2), ma.ones(2)
  -->   ma.cuda.runtime.memcpyAsync(a:ptr(), b:ptr(), 16, ma.cuda.runtime.memcpyDefault)
  -->   return a
  def("memcpyAsync(dst: array|integer, src: array|integer, size: integer, kind?: integer, stream?: stream)",
    "The same on a stream.",
    function(name, dst, src, size, kind, stream)
    stream_of(name, stream):with(copy, name, dst, src, size, kind)
  end)

  local function device_named(name, what, id)
    id = whole(name, what, id, 0)
    return ma.cuda.is_available() and "cuda:" .. id or "cpu"
  end

  local function copy_peer(name, dst, dst_device, src, src_device, size)
    size = whole(name, "size", size, 0)
    local target = bytes_of(name, "dst", dst, size, device_named(name, "dst_device", dst_device))
    local source = bytes_of(name, "src", src, size, device_named(name, "src_device", src_device))
    if size > 0 then target:assign(source) end
  end

  --> gpu cuda.runtime.memcpyPeer: local a, b = ma.zeros(2), ma.ones(2)
  -->   ma.cuda.runtime.memcpyPeer(a:ptr(), 0, b:ptr(), 0, 16)
  -->   return a
  --> > [1. 1.]
  --> > (2,) float64, cuda:0
  def("memcpyPeer(dst: array|integer, dst_device: integer, src: array|integer, src_device: integer, size: integer)",
    "Copies bytes between GPUs; array:to(device) does too.",
    copy_peer)
  --> gpu cuda.runtime.memcpyPeerAsync: local a, b = ma.zeros(2), ma.ones(2)
  -->   ma.cuda.runtime.memcpyPeerAsync(a:ptr(), 0, b:ptr(), 0, 16)
  -->   ma.synchronize()
  -->   return a
  --> > [1. 1.]
  --> > (2,) float64, cuda:0
  def("memcpyPeerAsync(dst: array|integer, dst_device: integer, src: array|integer, src_device: integer, "
    .. "size: integer, stream?: stream)", "The same on a stream.",
    function(name, dst, dst_device, src, src_device, size, stream)
    stream_of(name, stream):with(copy_peer, name, dst, dst_device, src, src_device, size)
  end)

  --- A view of rows of `width` bytes that start `pitch` bytes apart, and a view of the last row. They are apart because
  --- the memory may end right after the last row's bytes.
  local function rows_of(bytes, pitch, width, height)
    local last = (height - 1) * pitch
    local head = height > 1 and bytes[{ { 1, last } }]:reshape(height - 1, pitch)[{ {}, { 1, width } }] or nil
    return head, bytes[{ { last + 1, last + width } }]
  end

  local function copy_rows(name, dst, dst_pitch, src, src_pitch, width, height, kind)
    width, height = whole(name, "width", width, 0), whole(name, "height", height, 0)
    dst_pitch, src_pitch = whole(name, "dst_pitch", dst_pitch, 0), whole(name, "src_pitch", src_pitch, 0)
    if width > dst_pitch or width > src_pitch then
      fail(name, sformat("rows of %d bytes, %d and %d apart; wanted a pitch of the width or more", width, dst_pitch,
        src_pitch))
    end
    if width == 0 or height == 0 then return end
    local to, from = devices_of(name, kind)
    local target = bytes_of(name, "dst", dst, (height - 1) * dst_pitch + width, to)
    local source = bytes_of(name, "src", src, (height - 1) * src_pitch + width, from)
    local head, last = rows_of(target, dst_pitch, width, height)
    local source_head, source_last = rows_of(source, src_pitch, width, height)
    if head then head:assign(source_head) end
    last:assign(source_last)
  end

  --> cuda.runtime.memcpy2D: local a, b = ma.zeros({2, 2}), ma.ones({2, 2})
  -->   ma.cuda.runtime.memcpy2D(a:ptr(), 16, b:ptr(), 16, 8, 2, ma.cuda.runtime.memcpyDefault)
  -->   return a
  def("memcpy2D(dst: array|integer, dst_pitch: integer, src: array|integer, src_pitch: integer, width: integer, "
    .. "height: integer, kind?: integer)",
    "Copies `height` rows of `width` bytes that are pitches apart.", copy_rows)
  --> cuda.runtime.memcpy2DAsync: local a, b = ma.zeros({2, 2}), ma.ones({2, 2})
  -->   ma.cuda.runtime.memcpy2DAsync(a:ptr(), 16, b:ptr(), 16, 8, 2, ma.cuda.runtime.memcpyDefault)
  -->   return a
  def("memcpy2DAsync(dst: array|integer, dst_pitch: integer, src: array|integer, src_pitch: integer, width: integer, "
    .. "height: integer, kind?: integer, stream?: stream)", "The same on a stream.",
    function(name, dst, dst_pitch, src, src_pitch, width, height, kind, stream)
    stream_of(name, stream):with(copy_rows, name, dst, dst_pitch, src, src_pitch, width, height, kind)
  end)

  local function set_bytes(name, memory, value, size)
    size = whole(name, "size", size, 0)
    value = whole(name, "value", value, 0)
    if value > 255 then fail(name, sformat("value is %d; wanted a byte, 0 to 255", value)) end
    if size > 0 then bytes_of(name, "memory", memory, size, ma.device().name):fill(value) end
  end

  --> cuda.runtime.memset: local memory = ma.cuda.runtime.malloc(4)
  -->   ma.cuda.runtime.memset(memory, 7, 4)
  -->   return memory
  def("memset(memory: array, value: integer, size: integer)",
    "Writes one byte over the first `size` of them.", set_bytes)
  --> cuda.runtime.memsetAsync: local memory = ma.cuda.runtime.malloc(4)
  -->   ma.cuda.runtime.memsetAsync(memory, 7, 4)
  -->   return memory
  def("memsetAsync(memory: array, value: integer, size: integer, stream?: stream)",
    "The same on a stream.", function(name, memory, value, size, stream)
    stream_of(name, stream):with(set_bytes, name, memory, value, size)
  end)

  -- ==== Pools ====

  local function device_of(id) return id == nil and ma.device() or type(id) == "number" and ma.cuda.Device(id) or id end

  --> gpu cuda.runtime.deviceGetDefaultMemPool:
  --> \ ma.cuda.runtime.deviceGetDefaultMemPool() == ma.get_default_memory_pool()
  --> > true
  def("deviceGetDefaultMemPool(id?: integer) -> pool", "moonarray.get_default_memory_pool(device)",
    function(_, id) return ma.get_default_memory_pool(device_of(id)) end)
  --> gpu cuda.runtime.deviceGetMemPool cuda.runtime.deviceSetMemPool: local runtime = ma.cuda.runtime
  -->   runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool())
  -->   return runtime.deviceGetMemPool() == runtime.deviceGetDefaultMemPool()
  --> > true
  def("deviceGetMemPool(id?: integer) -> pool",
    "moonarray.cuda.get_allocator(device): the pool that serves new arrays.",
    function(_, id) return ma.cuda.get_allocator(device_of(id)) end)
  def("deviceSetMemPool(id: integer, pool: pool)", "moonarray.cuda.set_allocator(pool)", function(name, id, pool)
    pool_of(name, pool)
    device_of(id):with(ma.cuda.set_allocator, pool)
  end)
  --> gpu cuda.runtime.memPoolCreate cuda.runtime.memPoolDestroy: local pool = ma.cuda.runtime.memPoolCreate()
  -->   print(pool:used_bytes())
  -->   ma.cuda.runtime.memPoolDestroy(pool)
  --> > 0
  def("memPoolCreate(id?: integer) -> pool", "moonarray.cuda.MemoryAsyncPool(device): a pool of the driver's own.",
    function(_, id) return ma.cuda.MemoryAsyncPool(device_of(id)) end)
  def("memPoolDestroy(pool: pool)", "pool:free_all_blocks(): what arrays hold stays until they are freed.",
    function(name, pool) pool_of(name, pool):free_all_blocks() end)
  def("memPoolTrimTo(pool: pool, size?: integer)",
    "pool:free_all_blocks(): gives back what the pool holds unused, whatever the size.",
    function(name, pool) pool_of(name, pool):free_all_blocks() end)

  local figures = { [5] = "total_bytes", [7] = "used_bytes", [8] = "peak_bytes" }

  local function figure(name, attribute)
    return figures[attribute] or fail(name, sformat(
      "attribute is %s; wanted one of the memPoolAttr... of moonarray.cuda.runtime", core.describe(attribute)))
  end

  --> gpu cuda.runtime.memPoolGetAttribute cuda.runtime.memPoolSetAttribute cuda.runtime.memPoolTrimTo:
  --> \ local runtime = ma.cuda.runtime
  -->   local pool = runtime.memPoolCreate()
  -->   runtime.memPoolSetAttribute(pool, runtime.memPoolAttrUsedMemHigh, 0)
  -->   runtime.memPoolTrimTo(pool, 0)
  -->   return runtime.memPoolGetAttribute(pool, runtime.memPoolAttrUsedMemHigh)
  --> > 0
  def("memPoolGetAttribute(pool: pool, attribute: integer) -> number",
    "pool:total_bytes(), used_bytes() or peak_bytes(), by memPoolAttr....",
    function(name, pool, attribute)
    pool_of(name, pool)
    return pool[figure(name, attribute)](pool)
  end)
  def("memPoolSetAttribute(pool: pool, attribute: integer, value: integer)",
    "memPoolAttrUsedMemHigh to 0: pool:reset_peak().",
    function(name, pool, attribute, value)
    pool_of(name, pool)
    if figure(name, attribute) ~= "peak_bytes" or value ~= 0 then
      fail(name, "only memPoolAttrUsedMemHigh can be set, to 0; a limit is pool:set_limit(size)")
    end
    pool:reset_peak()
  end)

  -- ==== Streams and graphs ====

  --> cuda.runtime.streamGetFlags(ma.Stream())
  def("streamGetFlags(stream: stream) -> integer", "streamNonBlocking or streamDefault.",
    function(name, stream) return stream_of(name, stream).is_non_blocking and 1 or 0 end)
  --> cuda.runtime.streamGetPriority(ma.Stream())
  def("streamGetPriority(stream: stream) -> integer", "stream.priority",
    function(name, stream) return stream_of(name, stream).priority end)

  local function graph_of(name, graph)
    if core.is_graph(graph) then return graph end
    return fail(name, sformat("graph is %s; wanted a graph", core.describe(graph)))
  end

  --> cuda.runtime.graphInstantiate cuda.runtime.graphLaunch cuda.runtime.graphUpload: local x = ma.ones(2)
  -->   local graph = ma.cuda.runtime.graphInstantiate(ma.cuda.graph(function() x:imul(2) end))
  -->   ma.cuda.runtime.graphUpload(graph)
  -->   ma.cuda.runtime.graphLaunch(graph)
  -->   return x
  def("graphInstantiate(graph: graph) -> graph",
    "The graph itself: it can be launched when its recording has ended.", graph_of)
  --> cuda.runtime.graphDestroy: local x = ma.ones(2)
  -->   local graph = ma.cuda.graph(function() x:imul(2) end)
  -->   ma.cuda.runtime.graphDestroy(graph)
  -->   return tostring(graph):match("freed")
  def("graphDestroy(graph: graph)", "graph:free()", function(name, graph) graph_of(name, graph):free() end)
  --> cuda.runtime.graphExecDestroy: local x = ma.ones(2)
  -->   local graph = ma.cuda.runtime.graphInstantiate(ma.cuda.graph(function() x:imul(2) end))
  -->   ma.cuda.runtime.graphExecDestroy(graph)
  -->   return tostring(graph):match("freed")
  def("graphExecDestroy(graph: graph)", "graph:free()", function(name, graph) graph_of(name, graph):free() end)
  def("graphUpload(graph: graph, stream?: stream)", "graph:upload(stream)",
    function(name, graph, stream) graph_of(name, graph):upload(stream_of(name, stream)) end)
  --> gpu cuda.runtime.graphDebugDotPrint: local x = ma.ones(2)
  -->   local name = os.tmpname()
  -->   ma.cuda.runtime.graphDebugDotPrint(ma.cuda.graph(function() x:imul(2) end), name)
  -->   for line in io.lines(name) do
  -->     print(line:match("digraph"))
  -->     break
  -->   end
  -->   os.remove(name)
  --> > digraph
  def("graphDebugDotPrint(graph: graph, path: string, flags?: integer)", "Writes graph:debug_dot_str(flags) to a file.",
    function(name, graph, path, flags)
    local text = graph_of(name, graph):debug_dot_str(flags)
    if type(path) ~= "string" then fail(name, sformat("path is %s; wanted a string", core.describe(path))) end
    core.write_file(path, text)
  end)
end
