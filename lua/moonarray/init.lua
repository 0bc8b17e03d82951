--- moonarray: NumPy-style arrays on NVIDIA GPUs and on the CPU. This file puts the library together: the C core first, then
-- the parts written in Lua, each a function of the library's table and the core's.

local core = require "moonarray.core"

core.own()

---@class moonarray
local ma = core.library

ma.pi, ma.e, ma.euler_gamma = math.pi, math.exp(1), 0.57721566490153286061
ma.inf, ma.nan = math.huge, math.huge - math.huge

local parts = {
  "scalar", "device", "stream", "scope", "create", "shape", "pad", "elementwise", "numeric", "sort", "quantile", "histogram", "linalg", "print",
  "files", "jit", "vectorize", "fft", "random", "pool", "product", "profiler", "progress", "cuda", "help", "attribute",
}

for _, name in ipairs(parts) do
  require("moonarray." .. name)(ma, core)
end

return ma
