--- `kernel:prepare(...)`: has compiled what a call would need, without waiting for it. The call is made up to the
--- kernel's own work, again each time somebody asks, until nothing in it is left to compile.

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
    if n == 0 then call = kernel.compile end
    local preparation = setmetatable({ kernel = kernel, call = call, args = { n = n, ... } }, Preparation)
    if n == 0 then preparation.args = { n = 1, kernel } end
    methods.ready(preparation)                             -- begins, and raises what is wrong with the arguments
    return preparation
  end
end
