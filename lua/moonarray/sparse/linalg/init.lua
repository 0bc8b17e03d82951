--- ma.sparse.linalg: equations, eigenvalues and functions of matrices that are sparse or known only by products.

return function(ma, core)
  local host = require "moonarray.sparse.linalg.host" (ma, core)
  local operator = require "moonarray.sparse.linalg.operator" (ma, core, host.is_sparse)
  local system = require "moonarray.sparse.linalg.system" (ma, core, operator)
  for _, part in ipairs { "cg", "gmres", "minres", "least_squares", "direct", "eigen", "lobpcg", "norms", "expm" } do
    require("moonarray.sparse.linalg." .. part)(ma, core, operator, system, host)
  end
end
