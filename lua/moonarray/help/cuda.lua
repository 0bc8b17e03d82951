--- Examples of moonarray.cuda, for ma.help and the reference (help/arrays.lua says how they are written). A line that
--- begins with `gpu` needs a GPU.
return [[
cuda.is_available: type(ma.cuda.is_available())
cuda.device_count: ma.cuda.device_count() >= 0
gpu cuda.get_device_id()
> 0
gpu cuda.Device(0)
> <Device cuda:0>
gpu cuda.Device.from_pci_bus_id: ma.cuda.Device.from_pci_bus_id(ma.cuda.Device(0).pci_bus_id)
> <Device cuda:0>
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
> 0
cuda.PinnedMemoryPool: ma.cuda.PinnedMemoryPool():used_bytes()
cuda.get_allocator: ma.cuda.get_allocator().device
cuda.set_allocator: local pool = ma.cuda.MemoryPool()
  ma.cuda.set_allocator(pool)
  local a = ma.ones(1000)
  ma.cuda.set_allocator()
  return pool:used_bytes() >= a.nbytes
cuda.set_pinned_memory_allocator: local pool = ma.cuda.PinnedMemoryPool()
  ma.cuda.set_pinned_memory_allocator(pool)
  local a = ma.cuda.zeros_pinned(1000)
  ma.cuda.set_pinned_memory_allocator()
  return pool:used_bytes() >= a.nbytes
cuda.using_allocator: ma.cuda.using_allocator(ma.cuda.MemoryPool(), function() return ma.ones(2) end)
cuda.get_default_memory_pool: ma.cuda.get_default_memory_pool():get_limit()
cuda.get_default_pinned_memory_pool: ma.cuda.get_default_pinned_memory_pool():used_bytes() >= 0
cuda.free_all_blocks: local pool, a = ma.get_default_memory_pool(), ma.ones(2 ^ 20)
  a:free()
  local before = pool:total_bytes()
  ma.cuda.free_all_blocks()
  return before - pool:total_bytes() >= 2 ^ 23
cuda.alloc: ma.cuda.alloc(16).nbytes
cuda.alloc_pinned_memory: ma.cuda.alloc_pinned_memory(16).nbytes
gpu cuda.malloc_managed: ma.cuda.malloc_managed(16).nbytes
> 16
gpu cuda.malloc_async: ma.cuda.malloc_async(16).nbytes
> 16
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
reset cuda.reset()
= It prints nothing: the GPU is as at the start of a process, and arrays there are freed.
cuda.profiler.start cuda.profiler.stop: ma.cuda.profiler.start()
  local total = ma.ones(3):sum()
  ma.cuda.profiler.stop()
  return total
cuda.nvtx.Mark("here")
= It prints nothing: a profiler such as Nsight Systems shows the mark.
cuda.nvtx.MarkC("here", 0xff0000)
= It prints nothing: a profiler such as Nsight Systems shows the mark.
cuda.nvtx.RangePush cuda.nvtx.RangePop: ma.cuda.nvtx.RangePush("step")
  local total = ma.ones(3):sum()
  ma.cuda.nvtx.RangePop()
  return total
cuda.nvtx.RangePushC: ma.cuda.nvtx.RangePushC("step", 0xff0000)
  local total = ma.ones(3):sum()
  ma.cuda.nvtx.RangePop()
  return total
cuda.nvtx.RangeStart cuda.nvtx.RangeEnd: local range = ma.cuda.nvtx.RangeStart("step")
  local total = ma.ones(3):sum()
  ma.cuda.nvtx.RangeEnd(range)
  return total
gl cuda.gl.register_buffer: ma.cuda.gl.register_buffer(buffer):map({256, 256}, "float32").shape
> (256, 256)
gl cuda.gl.register_image: ma.cuda.gl.register_image(texture):read()
= It prints the texels of the texture.
gpu cuda.runtime.getDevice()
> 0
cuda.runtime.getDeviceCount: ma.cuda.runtime.getDeviceCount() >= 0
gpu cuda.runtime.setDevice: ma.cuda.runtime.setDevice(0)
  return ma.cuda.runtime.getDevice()
> 0
gpu cuda.runtime.getDeviceProperties: type(ma.cuda.runtime.getDeviceProperties(0).name)
> string
gpu cuda.runtime.deviceGetAttribute: ma.cuda.runtime.deviceGetAttribute("MultiProcessorCount") > 0
> true
gpu cuda.runtime.deviceGetPCIBusId: ma.cuda.runtime.deviceGetPCIBusId():match("^%x+:%x+:%x+%.%x$") ~= nil
> true
gpu cuda.runtime.deviceGetByPCIBusId: ma.cuda.runtime.deviceGetByPCIBusId(ma.cuda.runtime.deviceGetPCIBusId())
> 0
gpus cuda.runtime.deviceCanAccessPeer(0, 1)
= It prints true where GPU 0 reaches the memory of GPU 1 directly.
gpus cuda.runtime.deviceEnablePeerAccess(1)
= It prints nothing: copies between the two take the direct way then.
reset cuda.runtime.deviceReset()
= It prints nothing: the GPU is as at the start of a process, and arrays there are freed.
cuda.runtime.deviceSynchronize: local event = ma.Event():record()
  ma.cuda.runtime.deviceSynchronize()
  return event.done
gpu cuda.runtime.deviceGetDefaultMemPool: ma.cuda.runtime.deviceGetDefaultMemPool() == ma.get_default_memory_pool()
> true
gpu cuda.runtime.deviceGetMemPool cuda.runtime.deviceSetMemPool: local runtime = ma.cuda.runtime
  runtime.deviceSetMemPool(0, runtime.deviceGetDefaultMemPool())
  return runtime.deviceGetMemPool() == runtime.deviceGetDefaultMemPool()
> true
gpu cuda.runtime.memPoolCreate cuda.runtime.memPoolDestroy: local pool = ma.cuda.runtime.memPoolCreate()
  print(pool:used_bytes())
  ma.cuda.runtime.memPoolDestroy(pool)
> 0
gpu cuda.runtime.memPoolGetAttribute cuda.runtime.memPoolSetAttribute cuda.runtime.memPoolTrimTo: \
local runtime = ma.cuda.runtime
  local pool = runtime.memPoolCreate()
  runtime.memPoolSetAttribute(pool, runtime.memPoolAttrUsedMemHigh, 0)
  runtime.memPoolTrimTo(pool, 0)
  return runtime.memPoolGetAttribute(pool, runtime.memPoolAttrUsedMemHigh)
> 0
gpu cuda.runtime.mallocFromPoolAsync: ma.cuda.runtime.mallocFromPoolAsync(16, ma.cuda.runtime.memPoolCreate()).nbytes
> 16
gpu cuda.runtime.driverGetVersion: ma.cuda.runtime.driverGetVersion() >= 11000
> true
gpu cuda.runtime.runtimeGetVersion: ma.cuda.runtime.runtimeGetVersion() >= 11000
> true
gpu cuda.runtime.memGetInfo: local free, all = ma.cuda.runtime.memGetInfo()
  return free <= all
> true
cuda.runtime.malloc cuda.runtime.free: local memory = ma.cuda.runtime.malloc(16)
  print(memory.nbytes)
  ma.cuda.runtime.free(memory)
  return memory
cuda.runtime.mallocAsync cuda.runtime.freeAsync: local memory = ma.cuda.runtime.mallocAsync(16)
  print(memory.nbytes)
  ma.cuda.runtime.freeAsync(memory)
  return memory
gpu cuda.runtime.mallocManaged: ma.cuda.runtime.mallocManaged(16).nbytes
> 16
cuda.runtime.hostAlloc cuda.runtime.freeHost: local memory = ma.cuda.runtime.hostAlloc(16)
  print(memory.nbytes)
  ma.cuda.runtime.freeHost(memory)
  return memory
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
  return a
> [1. 1.]
> (2,) float64, cuda:0
gpu cuda.runtime.memcpyPeerAsync: local a, b = ma.zeros(2), ma.ones(2)
  ma.cuda.runtime.memcpyPeerAsync(a:ptr(), 0, b:ptr(), 0, 16)
  ma.synchronize()
  return a
> [1. 1.]
> (2,) float64, cuda:0
cuda.runtime.memset: local memory = ma.cuda.runtime.malloc(4)
  ma.cuda.runtime.memset(memory, 7, 4)
  return memory
cuda.runtime.memsetAsync: local memory = ma.cuda.runtime.malloc(4)
  ma.cuda.runtime.memsetAsync(memory, 7, 4)
  return memory
cuda.runtime.streamCreate cuda.runtime.streamDestroy: local stream = ma.cuda.runtime.streamCreate()
  print(stream.done)
  ma.cuda.runtime.streamDestroy(stream)
  return tostring(stream):match("closed")
cuda.runtime.streamCreateWithFlags: ma.cuda.runtime.streamCreateWithFlags(ma.cuda.runtime.streamNonBlocking).done
cuda.runtime.streamCreateWithPriority: ma.cuda.runtime.streamCreateWithPriority(0, 0).done
cuda.runtime.streamGetFlags(ma.Stream())
cuda.runtime.streamGetPriority(ma.Stream())
cuda.runtime.streamQuery(ma.Stream())
cuda.runtime.streamSynchronize: local stream = ma.Stream()
  local a = stream:with(function() return ma.ones(3) * 2 end)
  ma.cuda.runtime.streamSynchronize(stream)
  return stream.done, a
cuda.runtime.streamWaitEvent: local stream, event = ma.Stream(), ma.Event():record()
  ma.cuda.runtime.streamWaitEvent(stream, event)
  stream:synchronize()
  return event.done
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
  local graph = ma.cuda.graph(function() x:imul(2) end)
  ma.cuda.runtime.graphDestroy(graph)
  return tostring(graph):match("freed")
cuda.runtime.graphExecDestroy: local x = ma.ones(2)
  local graph = ma.cuda.runtime.graphInstantiate(ma.cuda.graph(function() x:imul(2) end))
  ma.cuda.runtime.graphExecDestroy(graph)
  return tostring(graph):match("freed")
gpu cuda.runtime.graphDebugDotPrint: local x = ma.ones(2)
  local name = os.tmpname()
  ma.cuda.runtime.graphDebugDotPrint(ma.cuda.graph(function() x:imul(2) end), name)
  for line in io.lines(name) do
    print(line:match("digraph"))
    break
  end
  os.remove(name)
> digraph
cuda.runtime.eventCreate cuda.runtime.eventDestroy: local event = ma.cuda.runtime.eventCreate():record()
  event:synchronize()
  print(event.done)
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
cuda.runtime.profilerStart cuda.runtime.profilerStop: ma.cuda.runtime.profilerStart()
  local total = ma.ones(3):sum()
  ma.cuda.runtime.profilerStop()
  return total
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
  print(object)
  ma.cuda.runtime.destroyTextureObject(object)
cuda.runtime.createSurfaceObject cuda.runtime.destroySurfaceObject: local T = ma.cuda.texture
  local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3, 0, 0, 2)
  local object = ma.cuda.runtime.createSurfaceObject(T.ResourceDescriptor("array", image))
  print(object)
  ma.cuda.runtime.destroySurfaceObject(object)
cuda.runtime.mallocArray cuda.runtime.freeArray: local T = ma.cuda.texture
  local format = T.ChannelFormatDescriptor(8, 0, 0, 0, "unsigned")
  local image = ma.cuda.runtime.mallocArray(format, 4, 2)
  print(image)
  ma.cuda.runtime.freeArray(image)
cuda.runtime.malloc3DArray: local format = ma.cuda.texture.ChannelFormatDescriptor(8, 0, 0, 0, "unsigned")
  return ma.cuda.runtime.malloc3DArray(format, 4, 3, 2).depth
]]
