--- `ma.allow_synchronize`: makes waiting for the device an error. A Lua function, because a coroutine may yield inside.

return function(ma, core)
  local callable = require("moonarray.common")(core).callable
  local current = require "moonarray.device.current" (core)

  local function leave(restore, ok, ...)
    restore()
    if not ok then error((...), 0) end
    return ...
  end

  local function allow_synchronize(allow, fn, ...)
    if type(allow) ~= "boolean" then
      core.fail("allow_synchronize", "allow is " .. core.describe(allow) .. "; wanted true or false")
    end
    if fn == nil then return not core.forbid_waits(not allow) end
    callable("allow_synchronize", "fn", fn)
    return leave(current.open(function()
      local before = core.forbid_waits(not allow)
      return function() core.forbid_waits(before) end
    end), pcall(fn, ...))
  end

  --> allow_synchronize: ma.allow_synchronize(true)
  core.def("allow_synchronize(allow: boolean, fn?: function, ...) -> any ...",
    "Calls fn(...) and returns what it does; with allow = false each call inside that waits for the device is an " ..
      "error. Without fn it holds for what comes on this thread, and returns what held before.", allow_synchronize)
  for _, library in ipairs { ma, ma.numpy } do rawset(library, "allow_synchronize", allow_synchronize) end
end
