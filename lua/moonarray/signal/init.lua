--- ma.signal: signals and filters: the functions of scipy.signal and of cupyx.signal.

return function(ma, core)
  local shared = require "moonarray.signal.shared" (ma, core)
  require "moonarray.signal.host" (ma, core, shared)
  for _, part in ipairs { "windows", "convolution", "filtering", "radar", "peaks", "prototypes", "conversions",
    "design", "fir", "response", "spectral",
    "resampling", "waveforms", "splines", "systems", "lti", "poles" } do
    require("moonarray.signal." .. part)(ma, core, shared)
  end
end
