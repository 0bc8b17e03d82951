--- ma.sparse: sparse matrices, their equations and their graphs.

return function(ma, core)
  require "moonarray.sparse.linalg" (ma, core)
  require "moonarray.sparse.csgraph" (ma, core)
end
