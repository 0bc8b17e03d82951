--- CuPy's names under `ma.cuda` that only wrap other functions: the runtime's calls on streams and events. Names that
--- are not offered raise an error that says what to write. docs/from-cupy.md lists all of them.

return function(ma, core)
  local fail, sformat = core.fail, require("moonarray.text").format
  local common = require("moonarray.common")(core)
  local runtime = ma.cuda.runtime

  --- A stream object, an address, or 0 and nil for the null stream.
  local function stream_of(name, stream)
    if core.is_stream(stream) then return stream end
    if stream == nil or stream == 0 then return ma.Stream.null end
    if type(stream) == "number" then return ma.cuda.ExternalStream(stream) end
    return fail(name, sformat("stream is %s; wanted a stream, its address or 0", core.describe(stream)))
  end

  core.runtime_stream = stream_of

  local function event_of(name, event)
    if core.is_event(event) then return event end
    return fail(name, sformat("event is %s; wanted an event", core.describe(event)))
  end

  --- The flags in a set of bits that have names.
  local function options_of(name, flags, bits)
    local options, rest = {}, common.whole(name, "flags", flags or 0, 0)
    for _, bit in ipairs(bits) do
      if math.floor(rest / bit[1]) % 2 == 1 then
        options[bit[2]], rest = true, rest - bit[1]
      end
    end
    if rest ~= 0 then fail(name, sformat("flags is %d; wanted a sum of those of moonarray.cuda.runtime", flags)) end
    return options
  end

  for name, value in pairs { streamDefault = 0, streamNonBlocking = 1, eventDefault = 0, eventBlockingSync = 1,
    eventDisableTiming = 2 } do
    rawset(runtime, name, value)
  end
  local of_stream = { { 1, "non_blocking" } }
  local of_event = { { 1, "block" }, { 2, "disable_timing" } }

  local function def(signature, doc, fn)
    local name = "cuda.runtime." .. signature:match("^%w+")
    core.def("cuda.runtime." .. signature, doc, function(...) return fn(name, ...) end)
  end

  --> cuda.runtime.streamCreate cuda.runtime.streamDestroy: local stream = ma.cuda.runtime.streamCreate()
  -->   print(stream.done)
  -->   ma.cuda.runtime.streamDestroy(stream)
  -->   return tostring(stream):match("closed")
  def("streamCreate() -> stream",
    "A new stream: an object, as moonarray.Stream makes it.", function() return ma.Stream() end)
  --> cuda.runtime.streamCreateWithFlags: ma.cuda.runtime.streamCreateWithFlags(ma.cuda.runtime.streamNonBlocking).done
  def("streamCreateWithFlags(flags: integer) -> stream",
    "The same; flags: streamDefault or streamNonBlocking.", function(name, flags)
    return ma.Stream(options_of(name, flags, of_stream))
  end)
  --> cuda.runtime.streamCreateWithPriority: ma.cuda.runtime.streamCreateWithPriority(0, 0).done
  def("streamCreateWithPriority(flags: integer, priority: integer) -> stream",
    "The same with a priority: the lower the more urgent.",
    function(name, flags, priority)
    local options = options_of(name, flags, of_stream)
    options.priority = priority
    return ma.Stream(options)
  end)
  def("streamDestroy(stream: stream)", "stream:close(): its work goes on.",
    function(name, stream) stream_of(name, stream):close() end)
  --> cuda.runtime.streamSynchronize: local stream = ma.Stream()
  -->   local a = stream:with(function() return ma.ones(3) * 2 end)
  -->   ma.cuda.runtime.streamSynchronize(stream)
  -->   return stream.done, a
  def("streamSynchronize(stream: stream)", "stream:synchronize()",
    function(name, stream) stream_of(name, stream):synchronize() end)
  --> cuda.runtime.streamQuery(ma.Stream())
  def("streamQuery(stream: stream) -> boolean", "stream.done: whether its work is done, without waiting.",
    function(name, stream) return stream_of(name, stream).done end)
  --> cuda.runtime.streamWaitEvent: local stream, event = ma.Stream(), ma.Event():record()
  -->   ma.cuda.runtime.streamWaitEvent(stream, event)
  -->   stream:synchronize()
  -->   return event.done
  def("streamWaitEvent(stream: stream, event: event, flags?: integer)",
    "stream:wait_event(event)", function(name, stream, event)
    stream_of(name, stream):wait_event(event_of(name, event))
  end)
  --> cuda.runtime.streamAddCallback: local stream, calls = ma.Stream(), 0
  -->   ma.cuda.runtime.streamAddCallback(stream, function() calls = calls + 1 end)
  -->   stream:synchronize()
  -->   return calls
  def("streamAddCallback(stream: stream, callback: function, arg?: any)", "stream:add_callback(callback, arg)",
    function(name, stream, callback, arg)
    stream_of(name, stream):add_callback(callback, arg)
  end)
  --> cuda.runtime.launchHostFunc: local stream, calls = ma.Stream(), 0
  -->   ma.cuda.runtime.launchHostFunc(stream, function() calls = calls + 1 end)
  -->   stream:synchronize()
  -->   return calls
  def("launchHostFunc(stream: stream, callback: function, arg?: any)", "stream:launch_host_func(callback, arg)",
    function(name, stream, callback, arg)
    stream_of(name, stream):launch_host_func(callback, arg)
  end)
  --> cuda.runtime.streamBeginCapture cuda.runtime.streamEndCapture cuda.runtime.streamIsCapturing: local x = ma.ones(2)
  -->   local runtime, stream, graph = ma.cuda.runtime, ma.Stream(), nil
  -->   stream:with(function()
  -->     runtime.streamBeginCapture(stream)
  -->     x:imul(runtime.streamIsCapturing(stream) and 2 or 3)
  -->     graph = runtime.streamEndCapture(stream)
  -->   end)
  -->   graph:launch(stream)
  -->   stream:synchronize()
  -->   return x
  def("streamBeginCapture(stream: stream)", "stream:begin_capture()",
    function(name, stream) stream_of(name, stream):begin_capture() end)
  def("streamEndCapture(stream: stream) -> graph", "stream:end_capture(): a graph.",
    function(name, stream) return stream_of(name, stream):end_capture() end)
  def("streamIsCapturing(stream: stream) -> boolean", "stream:is_capturing()",
    function(name, stream) return stream_of(name, stream):is_capturing() end)
  def("graphLaunch(graph: graph, stream?: stream)", "graph:launch(stream)", function(name, graph, stream)
    if not core.is_graph(graph) then fail(name, sformat("graph is %s; wanted a graph", core.describe(graph))) end
    graph:launch(stream_of(name, stream))
  end)

  --> cuda.runtime.eventCreate cuda.runtime.eventDestroy: local event = ma.cuda.runtime.eventCreate():record()
  -->   event:synchronize()
  -->   print(event.done)
  -->   ma.cuda.runtime.eventDestroy(event)
  def("eventCreate() -> event",
    "A new event: an object, as moonarray.Event makes it.", function() return ma.Event() end)
  --> cuda.runtime.eventCreateWithFlags cuda.runtime.eventRecord: local event = ma.cuda.runtime.eventCreateWithFlags(2)
  -->   ma.cuda.runtime.eventRecord(event)
  -->   return event.device
  def("eventCreateWithFlags(flags: integer) -> event",
    "The same; flags: eventDefault, or a sum of eventBlockingSync and eventDisableTiming.", function(name, flags)
    return ma.Event(options_of(name, flags, of_event))
  end)
  def("eventDestroy(event: event)", "Lets go of an event; the collector does so by itself.",
    function(name, event) event_of(name, event):close() end)
  def("eventRecord(event: event, stream?: stream)", "event:record(stream)",
    function(name, event, stream) event_of(name, event):record(stream_of(name, stream)) end)
  def("eventQuery(event: event) -> boolean", "event.done", function(name, event) return event_of(name, event).done end)
  --> cuda.runtime.eventSynchronize cuda.runtime.eventQuery: local event = ma.Event():record()
  -->   ma.cuda.runtime.eventSynchronize(event)
  -->   return ma.cuda.runtime.eventQuery(event)
  def("eventSynchronize(event: event)",
    "event:synchronize()", function(name, event) event_of(name, event):synchronize() end)
  --> cuda.runtime.eventElapsedTime: local start, stop = ma.Event(), ma.Event()
  -->   start:record()
  -->   stop:record()
  -->   return ma.cuda.runtime.eventElapsedTime(start, stop) >= 0
  def("eventElapsedTime(start: event, stop: event) -> number",
    "Milliseconds between two events, as moonarray.cuda.get_elapsed_time gives.",
    function(name, start, stop)
    return ma.cuda.get_elapsed_time(event_of(name, start), event_of(name, stop))
  end)
  --> cuda.runtime.profilerStart cuda.runtime.profilerStop: ma.cuda.runtime.profilerStart()
  -->   local total = ma.ones(3):sum()
  -->   ma.cuda.runtime.profilerStop()
  -->   return total
  def("profilerStart()", "Tells a profiler that what comes is of interest.", function() ma.cuda.profiler.start() end)
  def("profilerStop()", "Tells a profiler that it is over.", function() ma.cuda.profiler.stop() end)

  -- ==== Names that are not offered ====

  local pools_are_c = "no Lua function can serve memory, since pools work on every thread; write a MemoryPool, " ..
    "with a MemoryHook to watch it"
  local bytes = "write moonarray.cuda.alloc(nbytes): an array of bytes, which views, fill and assign work on"
  local opaque = "write image:copy_from(array) or image:copy_to(array), of a moonarray.cuda.texture.CUDAarray"
  local ipc = "processes share no device memory here; write a:dumps() or moonarray.save"
  local text = "write moonarray.RawModule or moonarray.RawKernel"
  local instead = {
    cuda = {
      PythonFunctionAllocator = pools_are_c, CFunctionAllocator = pools_are_c,
      MemoryPointer = bytes, Memory = bytes, BaseMemory = bytes,
      PinnedMemoryPointer = "write moonarray.cuda.alloc_pinned_memory(nbytes)",
      PinnedMemory = "write moonarray.cuda.alloc_pinned_memory(nbytes)",
      MemoryAsync = "write moonarray.cuda.malloc_async(nbytes)",
      ManagedMemory = "write moonarray.cuda.malloc_managed(nbytes)",
      SystemMemory = "write moonarray.cuda.malloc_managed(nbytes)",
      malloc_system = "write moonarray.cuda.malloc_managed(nbytes)",
      Graph = "write moonarray.cuda.graph(fn, ...) or stream:end_capture()",
      get_cublas_handle = "no library's handle is given out; write moonarray.matmul, and functions of moonarray.linalg",
      Module = text, Function = text, LinkState = text, compile_with_cache = text,
      nccl = "write moonarray.distributed.init(), whose calls go by NCCL on GPUs",
      driver = "write moonarray.cuda.runtime", nvrtc = text,
      get_local_runtime_version = "write moonarray.cuda.runtime.runtimeGetVersion()",
    },
    runtime = {
      memcpy2DFromArray = opaque, memcpy2DFromArrayAsync = opaque, memcpy2DToArray = opaque,
      memcpy2DToArrayAsync = opaque,
      hostRegister = "write moonarray.cuda.empty_pinned(shape, dtype)",
      hostUnregister = "write moonarray.cuda.empty_pinned(shape, dtype)",
      memcpy3D = "write array[\"...\"] = other", memcpy3DAsync = "write array[\"...\"] = other",
      memPrefetchAsync = "managed memory moves by page faults", memAdvise = "managed memory moves by page faults",
      pointerGetAttributes = "write moonarray.cuda.from_pointer(address, shape, dtype), which asks the driver",
      pointerGetMemoryType = "write moonarray.cuda.from_pointer(address, shape, dtype), which asks the driver",
      deviceGetLimit = "no limit of the device is changed", deviceSetLimit = "no limit of the device is changed",
      deviceDisablePeerAccess = "access between GPUs stays once it was enabled",
      ipcGetMemHandle = ipc, ipcOpenMemHandle = ipc, ipcCloseMemHandle = ipc, ipcGetEventHandle = ipc,
      ipcOpenEventHandle = ipc,
    },
  }

  --- What reading one of these names raises.
  core.instead = instead
end
