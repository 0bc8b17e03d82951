--- ma.signal: signals and filters: the functions of scipy.signal and of cupyx.signal.

-- What LuaJIT compiles for ARM may round a product and a sum once, and what it interprets rounds both: poles would
-- differ from their conjugates by what was compiled. So the numbers of the host are interpreted there.
local jit = rawget(_G, "jit")
local interpreted = jit and jit.arch == "arm64"
local function part(name)
  local define = require("moonarray.signal." .. name)
  if interpreted then jit.off(define, true) end
  return define
end

return function(ma, core)
  local shared = part "shared" (ma, core)
  part "host" (ma, core, shared)
  for _, name in ipairs { "roots", "windows", "convolution", "beyond", "filtering", "radar", "peaks", "prototypes",
    "conversions", "design", "fir", "response", "spectral", "resampling", "waveforms", "splines", "systems", "lti",
    "poles" } do
    part(name)(ma, core, shared)
  end
end
