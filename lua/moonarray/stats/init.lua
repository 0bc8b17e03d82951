--- ma.stats: what SciPy's statistics have beyond NumPy's: scores, ranks, correlations and estimates of densities.

return function(ma, core)
  local shared = require "moonarray.stats.shared" (ma, core)
  require "moonarray.stats.scores" (ma, core, shared)
  require "moonarray.stats.ranks" (ma, core, shared)
  require "moonarray.stats.kde" (ma, core, shared)
end
