--- `kernel:prepare(...)` and `ma.prepare(fn, ...)`: have compiled what a call would need, without waiting for it. The
--- call is made, that of a kernel up to its own work, again each time somebody asks, until nothing in it is left to
--- compile.

return function(ma, core)
  local common = require "moonarray.common" (core)
  local waiting = require "moonarray.frames.waiting" (ma, core)
  local random = common.kept "random"
  local Preparation = waiting.Preparation
  local methods = {}

  --- Draws of a call that prepares are not taken from their generators.
  local function look(call, ...)
    local before = random.is_preparing
    random.is_preparing = true
    local ok, is_ready = pcall(core.prepare, call, ...)
    random.is_preparing = before
    if not ok then error(is_ready, 0) end
    return is_ready
  end

  --> = preparation | ma.fuse(function(x) return x + 1 end):prepare(ma.ones(2)) | A kernel that is being compiled.
  --> . done: boolean | whether a call of the kernel compiles nothing any more
  --> :ready() -> boolean | Whether a call of the kernel compiles nothing any more. Raises the compiler's error.
  --> preparation:ready: ma.await(preparation)
  -->   return preparation:ready()
  function methods.ready(preparation)
    if type(preparation) ~= "table" or getmetatable(preparation) ~= Preparation then
      core.fail("ready", core.describe(preparation) .. " in place of the preparation; write preparation:ready()")
    end
    local args, failed = rawget(preparation, "args"), rawget(preparation, "failed")
    if failed then error(failed[1], 0) end
    if not args then return true end
    local ok, is_ready = pcall(look, preparation.call, common.unpack("prepare", args, args.n))
    if not ok then
      preparation.failed = { is_ready }                    -- a backend may compile it again at the next question
      error(is_ready, 0)
    end
    if is_ready then preparation.args = nil end
    return is_ready
  end

  function Preparation.__index(preparation, name)
    if name == "done" then return methods.ready(preparation) end
    return methods[name]
  end

  function Preparation.__tostring(preparation)
    return ("<preparation of %s%s>"):format(tostring(rawget(preparation, "kernel")),
      rawget(preparation, "args") and "" or ", done")
  end

  --- A raw kernel is the same for all arguments.
  function core.prepared(kernel, ...)
    local n, call = select("#", ...), kernel
    local is_raw = n == 0 and type(kernel) ~= "function"
    if is_raw then call = kernel.compile end
    local preparation = setmetatable({ kernel = kernel, call = call, args = { n = n, ... } }, Preparation)
    if is_raw then preparation.args = { n = 1, kernel } end
    methods.ready(preparation)                             -- begins, and raises what is wrong with the arguments
    return preparation
  end

  --- What a function's operators left for later has kernels too.
  local function settled(...)
    for k = 1, select("#", ...) do
      local result = select(k, ...)
      if core.is_array(result) then result:eval() end
    end
  end

  --> prepare(function(x) return ma.sort(x) end, ma.ones(4)):ready()
  --> . returns a preparation, whose ready() and done say whether fn(...) would compile nothing, as of kernel:prepare
  core.def("prepare(fn: function, ...: any) -> preparation",
    "Has compiled what fn(...) needs, on another thread. Each ready() calls fn up to the first kernel that is missing, "
      .. "and at last whole: it should compute new arrays alone.",
    function(fn, ...)
      if type(fn) ~= "function" then
        core.fail("prepare", "fn is " .. core.describe(fn) .. "; wanted a function (a kernel has its own prepare)")
      end
      local preparation = core.prepared(function(...) settled(fn(...)) end, ...)
      preparation.kernel = fn
      return preparation
    end)
end
