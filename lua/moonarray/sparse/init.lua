--- ma.sparse: matrices of which only the entries are kept that are not zero, their equations and their graphs.

return function(ma, core)
  local sp = require "moonarray.sparse.matrix" (ma, core)
  for part in ("convert construct product arithmetic values reduce index dia bsr build files print"):gmatch("%a+") do
    require("moonarray.sparse." .. part)(ma, core, sp)
  end
  require "moonarray.sparse.linalg" (ma, core)
  require "moonarray.sparse.csgraph" (ma, core)
end
