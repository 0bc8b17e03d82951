--- `ma.frame`: a function whose launches are collected and sent together. src/cuda/collect.c has the graphs.

return function(ma, core)
  local common = require "moonarray.common" (core)
  local begin, finish, new = core.frame_begin, core.frame_end, core.frame_new
  local Frame = common.kept("frame").Frame or {}
  common.kept("frame").Frame = Frame
  local methods = {}

  local function object_of(frame, name)
    local object = type(frame) == "table" and getmetatable(frame) == Frame and rawget(frame, "object")
    if not object then
      core.fail(name, ("%s in place of the frame; write frame:%s()"):format(core.describe(frame), name))
    end
    return object
  end

  --> = frame | ma.frame(function(x) return x + 1 end) | A function whose launches are sent together.
  --> + call(...): any
  --> :figures() -> table | How its calls were sent: calls, graphs, single, changed, made, kept.
  --> frame:figures: frame(ma.ones(2))
  -->   return frame:figures().kept
  function methods.figures(frame)
    local calls, graphs, single, changed, made, kept = core.frame_figures(object_of(frame, "figures"))
    return { calls = calls, graphs = graphs, single = single, changed = changed, made = made, kept = kept }
  end

  --> :free() | Lets go of its graphs; the next call begins anew.
  --> frame:free: frame:free()
  -->   return frame:figures().kept
  function methods.free(frame) core.frame_free(object_of(frame, "free")) end

  Frame.__index = methods
  Frame.__tostring = function() return "<frame>" end

  --- Passes on what the function gave, behind the end of the frame.
  local function leave(object, ok, ...)
    finish(object, ok)
    if not ok then error((...), 0) end
    return ...
  end

  function Frame.__call(frame, ...)
    local object = rawget(frame, "object")
    if not begin(object) then return rawget(frame, "fn")(...) end
    return leave(object, pcall(rawget(frame, "fn"), ...))
  end

  local function new_frame(fn)
    common.callable("frame", "fn", fn)
    return setmetatable({ fn = fn, object = new() }, Frame)
  end

  --> frame: local x = ma.ones(2)
  -->   local frame = ma.frame(function(by) x:iadd(by) end)
  -->   frame(1)
  -->   return x
  core.def("frame(fn: function) -> frame",
    "A function that does what fn does. On a GPU its launches are collected and sent at its end, as one graph where "
      .. "their list came before.", new_frame)
  for _, library in ipairs { ma, ma.numpy } do rawset(library, "frame", new_frame) end
end
