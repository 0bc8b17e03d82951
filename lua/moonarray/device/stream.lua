--- `stream:with`, in Lua and not in C so that a coroutine may yield inside.


return function(ma, core)
  local methods = core.stream_methods
  local callable = require("moonarray.common")(core).callable
  local current = require "moonarray.device.current" (core)

  --- For each device this Lua state's stream of the calling thread, which keeps order with the null stream.
  local own = {}
  local function ptds()
    local device = ma.device().name
    local stream = own[device]
    if not stream or tostring(stream):find(", closed>", 1, true) then
      stream = ma.Stream()
      own[device] = stream
    end
    return stream
  end

  for _, class in ipairs { ma.Stream, ma.cuda.Stream } do
    local meta = getmetatable(class)
    meta.unknown = meta.unknown or meta.__index          -- at a second load, that of the first load
    meta.__index = function(self, key)
      if key == "ptds" then return ptds() end
      return meta.unknown(self, key)
    end
  end

  --- Makes the stream current, or the null stream if it was closed. Returns what makes those before current again.
  local function use(stream, of)
    local device, before = ma.device(), ma.get_current_stream(of)
    local function put(one)
      if not pcall(core.use_stream, one) then core.use_stream(core.null_stream(of)) end
    end
    put(stream)
    return function()
      put(before)
      core.use_device(device)
    end
  end

  local function finish(restore, ok, ...)
    restore()
    if not ok then error((...), 0) end
    core.flush("another stream")
    return ...
  end

  for _, class in ipairs { ma.Stream, ma.cuda.Stream } do rawset(class, "from_external", ma.cuda.ExternalStream) end

  --> = stream
  --> :with(fn: function, ...: any) -> any ... | Runs fn(...) with this stream current; then the one before is again.
  --> stream:with: stream:with(function(n) return ma.ones(n) * 2 end, 3)
  function methods.with(stream, fn, ...)
    if not core.is_stream(stream) then
      core.fail("with", core.describe(stream) .. " in place of the stream; write stream:method()")
    end
    callable("with", "fn", fn)
    local of = stream.device                             -- raises where the stream is closed
    if ma.get_current_stream(of) ~= stream then core.flush("another stream") end
    return finish(current.open(function() return use(stream, of) end), pcall(fn, ...))
  end

  --> :add_callback(callback: function, arg?: any) | Calls callback(stream, 0, arg) when the work before it is done.
  --> stream:add_callback: local status
  -->   stream:add_callback(function(_, code) status = code end)
  -->   stream:synchronize()
  -->   ma.cuda.poll()
  -->   return status
  function methods.add_callback(stream, callback, arg)
    if not core.is_stream(stream) then
      core.fail("add_callback", core.describe(stream) .. " in place of the stream; write stream:method()")
    end
    callable("add_callback", "callback", callback)
    return stream:launch_host_func(function(given) callback(stream, 0, given) end, arg)
  end
end
