-- The NVRTCs that compile the sets of kernels: those that the variable NVRTC names, path:path, or the one found.
-- The oldest that knows a card compiles for it, so that the drivers of most players take the images (docs/bundles.md).

local core = require "moonarray.core"

local nvrtc = {}

nvrtc.LEAST = 75                        -- the least compute capability that the library supports: the floor's

local list = {}
for path in (os.getenv "NVRTC" or ""):gmatch "[^:]+" do list[#list + 1] = path end
nvrtc.named = #list > 0 and list or nil

--- The version of the NVRTC that compiles for a compute capability, 13000 for 13.0; nil where none does.
function nvrtc.version(arch, ptx)
  local least
  for k = 1, math.max(#list, 1) do
    local version, knows = core.bundle_knows(arch, ptx, list[k])
    if knows and version < (least or math.huge) then least = version end
  end
  return least
end

return nvrtc
