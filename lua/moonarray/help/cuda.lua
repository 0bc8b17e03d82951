--- Examples of moonarray.cuda, for ma.help and the reference (help/arrays.lua says how they are written). A line that
--- begins with `gpu` needs a GPU.
return [[
cuda.is_available: type(ma.cuda.is_available())
cuda.device_count: ma.cuda.device_count() >= 0
gpu cuda.get_device_id()
gpu cuda.Device(0)
gpu cuda.Device.from_pci_bus_id: ma.cuda.Device.from_pci_bus_id(ma.cuda.Device(0).pci_bus_id)
cuda.Stream: ma.cuda.Stream():with(function() return ma.ones(2) + 1 end)
cuda.ExternalStream: ma.cuda.ExternalStream(ma.Stream().ptr).device
cuda.get_current_stream: local stream = ma.cuda.get_current_stream()
  stream:synchronize()
  return stream.done
cuda.Event: local event = ma.cuda.Event({disable_timing = true})
  event:record()
  event:synchronize()
  return event.done
cuda.get_elapsed_time: local start, stop = ma.cuda.Event(), ma.cuda.Event()
  start:record()
  stop:record()
  return ma.cuda.get_elapsed_time(start, stop) >= 0
cuda.graph: local x = ma.ones(2)
  local graph = ma.cuda.graph(function() x:imul(2) end)
  graph:launch()
  return x
cuda.poll: ma.cuda.poll() >= 0
cuda.MemoryPool: ma.cuda.MemoryPool():used_bytes()
gpu cuda.MemoryAsyncPool: ma.cuda.MemoryAsyncPool():used_bytes()
cuda.PinnedMemoryPool: ma.cuda.PinnedMemoryPool():used_bytes()
cuda.get_allocator: ma.cuda.get_allocator().device
cuda.set_allocator()
cuda.set_pinned_memory_allocator()
cuda.using_allocator: ma.cuda.using_allocator(ma.cuda.MemoryPool(), function() return ma.ones(2) end)
cuda.get_default_memory_pool: ma.cuda.get_default_memory_pool():get_limit()
cuda.get_default_pinned_memory_pool: ma.cuda.get_default_pinned_memory_pool():used_bytes() >= 0
cuda.free_all_blocks()
cuda.alloc: ma.cuda.alloc(16).nbytes
cuda.alloc_pinned_memory: ma.cuda.alloc_pinned_memory(16).nbytes
gpu cuda.malloc_managed: ma.cuda.malloc_managed(16).nbytes
gpu cuda.malloc_async: ma.cuda.malloc_async(16).nbytes
cuda.empty_pinned: ma.cuda.empty_pinned({2, 3}).shape[2]
cuda.zeros_pinned(2)
cuda.empty_like_pinned: ma.cuda.empty_like_pinned(ma.ones(2)).size
cuda.zeros_like_pinned(ma.ones(2))
cuda.from_pointer: local owner = ma.ones(2)
  return ma.cuda.from_pointer(owner:ptr(), 2, "float64", owner)
cuda.UnownedMemory: local owner = ma.ones(2)
  return ma.cuda.UnownedMemory(owner:ptr(), 16, owner).nbytes
cuda.MemoryHook: local bytes = 0
  local hook = ma.cuda.MemoryHook {malloc_postprocess = function(event) bytes = bytes + event.size end}
  hook:with(function() return ma.zeros(100) end)
  return bytes
cuda.DebugPrintHook: local lines = {}
  local file = {write = function(_, text) lines[#lines + 1] = text end}
  ma.cuda.DebugPrintHook({file = file}):with(function() return ma.zeros(100) end)
  return #lines > 0
cuda.LineProfileHook: local hook = ma.cuda.LineProfileHook()
  hook:with(function() return ma.zeros(100) end)
  return hook:report()[1].count
cuda.set_tf32(false)
gpu cuda.reset()
cuda.profiler.start()
cuda.profiler.stop()
cuda.nvtx.Mark("here")
cuda.nvtx.MarkC("here", 0xff0000)
cuda.nvtx.RangePush cuda.nvtx.RangePop: ma.cuda.nvtx.RangePush("step")
  ma.cuda.nvtx.RangePop()
cuda.nvtx.RangePushC: ma.cuda.nvtx.RangePushC("step", 0xff0000)
  ma.cuda.nvtx.RangePop()
cuda.nvtx.RangeStart cuda.nvtx.RangeEnd: ma.cuda.nvtx.RangeEnd(ma.cuda.nvtx.RangeStart("step"))
gpu cuda.gl.register_buffer: ma.cuda.gl.register_buffer(buffer):map({256, 256}, "float32")
gpu cuda.gl.register_image: ma.cuda.gl.register_image(texture):read()
gpu cuda.runtime.getDevice()
cuda.runtime.getDeviceCount: ma.cuda.runtime.getDeviceCount() >= 0
gpu cuda.runtime.setDevice(0)
gpu cuda.runtime.getDeviceProperties: ma.cuda.runtime.getDeviceProperties(0).name
gpu cuda.runtime.deviceGetAttribute("MultiprocessorCount")
gpu cuda.runtime.deviceGetPCIBusId()
gpu cuda.runtime.deviceGetByPCIBusId: ma.cuda.runtime.deviceGetByPCIBusId(ma.cuda.runtime.deviceGetPCIBusId())
gpu cuda.runtime.deviceCanAccessPeer(0, 1)
gpu cuda.runtime.deviceEnablePeerAccess(1)
gpu cuda.runtime.deviceReset()
cuda.runtime.deviceSynchronize()
gpu cuda.runtime.deviceGetDefaultMemPool()
gpu cuda.runtime.deviceGetMemPool()
gpu cuda.runtime.deviceSetMemPool(0, ma.cuda.runtime.memPoolCreate())
gpu cuda.runtime.memPoolCreate()
gpu cuda.runtime.memPoolDestroy(ma.cuda.runtime.memPoolCreate())
gpu cuda.runtime.memPoolGetAttribute(ma.cuda.runtime.memPoolCreate(), ma.cuda.runtime.memPoolAttrUsedMemCurrent)
gpu cuda.runtime.memPoolSetAttribute(ma.cuda.runtime.memPoolCreate(), ma.cuda.runtime.memPoolAttrUsedMemHigh, 0)
gpu cuda.runtime.memPoolTrimTo(ma.cuda.runtime.memPoolCreate(), 0)
gpu cuda.runtime.mallocFromPoolAsync: ma.cuda.runtime.mallocFromPoolAsync(16, ma.cuda.runtime.memPoolCreate()).nbytes
gpu cuda.runtime.driverGetVersion: ma.cuda.runtime.driverGetVersion() >= 11000
gpu cuda.runtime.runtimeGetVersion: ma.cuda.runtime.runtimeGetVersion() >= 11000
gpu cuda.runtime.memGetInfo()
cuda.runtime.malloc cuda.runtime.free: local memory = ma.cuda.runtime.malloc(16)
  ma.cuda.runtime.free(memory)
cuda.runtime.mallocAsync cuda.runtime.freeAsync: local memory = ma.cuda.runtime.mallocAsync(16)
  ma.cuda.runtime.freeAsync(memory)
gpu cuda.runtime.mallocManaged: ma.cuda.runtime.mallocManaged(16).nbytes
cuda.runtime.hostAlloc cuda.runtime.freeHost: local memory = ma.cuda.runtime.hostAlloc(16)
  ma.cuda.runtime.freeHost(memory)
cuda.runtime.memcpy: local a, b = ma.zeros(2), ma.ones(2)
  ma.cuda.runtime.memcpy(a:ptr(), b:ptr(), 16, ma.cuda.runtime.memcpyDefault)
  return a
cuda.runtime.memcpyAsync: local a, b = ma.zeros(2), ma.ones(2)
  ma.cuda.runtime.memcpyAsync(a:ptr(), b:ptr(), 16, ma.cuda.runtime.memcpyDefault)
  return a
cuda.runtime.memcpy2D: local a, b = ma.zeros({2, 2}), ma.ones({2, 2})
  ma.cuda.runtime.memcpy2D(a:ptr(), 16, b:ptr(), 16, 8, 2, ma.cuda.runtime.memcpyDefault)
  return a
cuda.runtime.memcpy2DAsync: local a, b = ma.zeros({2, 2}), ma.ones({2, 2})
  ma.cuda.runtime.memcpy2DAsync(a:ptr(), 16, b:ptr(), 16, 8, 2, ma.cuda.runtime.memcpyDefault)
  return a
gpu cuda.runtime.memcpyPeer: local a, b = ma.zeros(2), ma.ones(2)
  ma.cuda.runtime.memcpyPeer(a:ptr(), 0, b:ptr(), 0, 16)
gpu cuda.runtime.memcpyPeerAsync: local a, b = ma.zeros(2), ma.ones(2)
  ma.cuda.runtime.memcpyPeerAsync(a:ptr(), 0, b:ptr(), 0, 16)
cuda.runtime.memset: local memory = ma.cuda.runtime.malloc(4)
  ma.cuda.runtime.memset(memory, 7, 4)
  return memory
cuda.runtime.memsetAsync: local memory = ma.cuda.runtime.malloc(4)
  ma.cuda.runtime.memsetAsync(memory, 7, 4)
  return memory
cuda.runtime.streamCreate cuda.runtime.streamDestroy: local stream = ma.cuda.runtime.streamCreate()
  ma.cuda.runtime.streamDestroy(stream)
cuda.runtime.streamCreateWithFlags: ma.cuda.runtime.streamCreateWithFlags(ma.cuda.runtime.streamNonBlocking).done
cuda.runtime.streamCreateWithPriority: ma.cuda.runtime.streamCreateWithPriority(0, 0).done
cuda.runtime.streamGetFlags(ma.Stream())
cuda.runtime.streamGetPriority(ma.Stream())
cuda.runtime.streamQuery(ma.Stream())
cuda.runtime.streamSynchronize(ma.Stream())
cuda.runtime.streamWaitEvent: local event = ma.Event()
  event:record()
  ma.cuda.runtime.streamWaitEvent(ma.Stream(), event)
cuda.runtime.streamAddCallback: local stream, calls = ma.Stream(), 0
  ma.cuda.runtime.streamAddCallback(stream, function() calls = calls + 1 end)
  stream:synchronize()
  return calls
cuda.runtime.launchHostFunc: local stream, calls = ma.Stream(), 0
  ma.cuda.runtime.launchHostFunc(stream, function() calls = calls + 1 end)
  stream:synchronize()
  return calls
cuda.runtime.streamBeginCapture cuda.runtime.streamEndCapture cuda.runtime.streamIsCapturing: local x = ma.ones(2)
  local runtime, stream, graph = ma.cuda.runtime, ma.Stream(), nil
  stream:with(function()
    runtime.streamBeginCapture(stream)
    x:imul(runtime.streamIsCapturing(stream) and 2 or 3)
    graph = runtime.streamEndCapture(stream)
  end)
  graph:launch(stream)
  stream:synchronize()
  return x
cuda.runtime.graphInstantiate cuda.runtime.graphLaunch cuda.runtime.graphUpload: local x = ma.ones(2)
  local graph = ma.cuda.runtime.graphInstantiate(ma.cuda.graph(function() x:imul(2) end))
  ma.cuda.runtime.graphUpload(graph)
  ma.cuda.runtime.graphLaunch(graph)
  return x
cuda.runtime.graphDestroy: local x = ma.ones(2)
  ma.cuda.runtime.graphDestroy(ma.cuda.graph(function() x:imul(2) end))
cuda.runtime.graphExecDestroy: local x = ma.ones(2)
  ma.cuda.runtime.graphExecDestroy(ma.cuda.graph(function() x:imul(2) end))
gpu cuda.runtime.graphDebugDotPrint: local x = ma.ones(2)
  ma.cuda.runtime.graphDebugDotPrint(ma.cuda.graph(function() x:imul(2) end), "graph.dot")
cuda.runtime.eventCreate cuda.runtime.eventDestroy: local event = ma.cuda.runtime.eventCreate()
  ma.cuda.runtime.eventDestroy(event)
cuda.runtime.eventCreateWithFlags cuda.runtime.eventRecord: local event = ma.cuda.runtime.eventCreateWithFlags(2)
  ma.cuda.runtime.eventRecord(event)
  return event.device
cuda.runtime.eventSynchronize cuda.runtime.eventQuery: local event = ma.Event():record()
  ma.cuda.runtime.eventSynchronize(event)
  return ma.cuda.runtime.eventQuery(event)
cuda.runtime.eventElapsedTime: local start, stop = ma.Event(), ma.Event()
  start:record()
  stop:record()
  return ma.cuda.runtime.eventElapsedTime(start, stop) >= 0
cuda.runtime.profilerStart()
cuda.runtime.profilerStop()
cuda.texture.ChannelFormatDescriptor: ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float").dtype
cuda.texture.TextureDescriptor: tostring(ma.cuda.texture.TextureDescriptor({addressModes = "wrap"}))
cuda.texture.CUDAarray: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  image:copy_from(ma.array({1, 2, 3}, "float32"))
  local back = ma.zeros(3, "float32")
  image:copy_to(back)
  return back
cuda.texture.ResourceDescriptor cuda.texture.TextureObject: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  return T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor("clamp", "linear")).device
cuda.texture.SurfaceObject: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3, 0, 0, 2)
  return T.SurfaceObject(T.ResourceDescriptor("array", image)).device
cuda.runtime.createTextureObject cuda.runtime.destroyTextureObject: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  local object = ma.cuda.runtime.createTextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor())
  ma.cuda.runtime.destroyTextureObject(object)
cuda.runtime.createSurfaceObject cuda.runtime.destroySurfaceObject: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3, 0, 0, 2)
  ma.cuda.runtime.destroySurfaceObject(ma.cuda.runtime.createSurfaceObject(T.ResourceDescriptor("array", image)))
cuda.runtime.mallocArray cuda.runtime.freeArray: local T = ma.cuda.texture
  local format = T.ChannelFormatDescriptor(8, 0, 0, 0, "unsigned")
  ma.cuda.runtime.freeArray(ma.cuda.runtime.mallocArray(format, 4, 2))
cuda.runtime.malloc3DArray: local format = ma.cuda.texture.ChannelFormatDescriptor(8, 0, 0, 0, "unsigned")
  return ma.cuda.runtime.malloc3DArray(format, 4, 3, 2).depth
]]
