--- moonarray: NumPy-style arrays on NVIDIA GPUs and on the CPU. This file puts the library together: the C core first, then
-- the parts written in Lua, each a function of the library's table and the core's.

local core = require "moonarray.core"

core.own()

---@class moonarray
local ma = core.library

local parts = { "scalar", "device", "create", "shape", "pad", "elementwise", "numeric", "print", "files", "help" }

for _, name in ipairs(parts) do
  require("moonarray." .. name)(ma, core)
end

return ma
