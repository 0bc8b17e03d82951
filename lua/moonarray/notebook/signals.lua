--- What interrupts a cell. luajit has a handler of SIGINT that raises "interrupted!" in Lua. It takes itself away then,
--- so the next signal ends the process. The handler is there while a cell runs; between cells the signal is ignored.

local signals = {}

local has_ffi, ffi = pcall(require, "ffi")
local INTERRUPT, KILL, PARENT_DEATH = 2, 9, 1
local handler, ignore

--- To be called once, below the pcall of luajit's own main function, which has set the handler.
function signals.begin()
  if not has_ffi or ffi.os ~= "Linux" then return end
  ffi.cdef [[
    typedef void (*moonarray_notebook_handler)(int);
    moonarray_notebook_handler moonarray_notebook_signal(int, moonarray_notebook_handler) __asm__("signal");
    int moonarray_notebook_prctl(int, ...) __asm__("prctl");
  ]]
  ignore = ffi.cast("moonarray_notebook_handler", 1)
  handler = ffi.C.moonarray_notebook_signal(INTERRUPT, ignore)
  -- A loop that never ends does not outlive the kernel that was killed.
  ffi.C.moonarray_notebook_prctl(PARENT_DEATH, ffi.cast("unsigned long", KILL))
end

local function finish(...)
  ffi.C.moonarray_notebook_signal(INTERRUPT, ignore)
  debug.sethook()                      -- of an interrupt that came last
  return ...
end

function signals.interruptible(call, ...)
  if not handler then return call(...) end
  ffi.C.moonarray_notebook_signal(INTERRUPT, handler)
  return finish(call(...))
end

return signals
