--- ma.ndimage: filters, interpolation, morphology and measurements of images of any number of axes, with the names,
--- the order of arguments and the boundary modes of scipy.ndimage.

-- Each is a file of this folder.
local parts = { "filters", "interpolation", "generic", "morphology", "measurements", "distance", "statistics",
  "fourier", "grey" }

return function(ma, core)
  local shared = require "moonarray.ndimage.shared" (ma, core)
  local kernels = require "moonarray.ndimage.kernels" (ma, core, shared)
  for _, part in ipairs(parts) do require("moonarray.ndimage." .. part)(ma, core, shared, kernels) end
end
