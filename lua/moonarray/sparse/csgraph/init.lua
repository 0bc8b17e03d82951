--- ma.sparse.csgraph: graphs as square matrices, whose entry (i, j) is the length of the edge from node i to node j.
---
--- Searches are work of the CPU (src/ops/csgraph): a graph on a GPU is copied, and results go back. The Laplacian is
--- array code on both devices.

return function(ma, core)
  local host = require "moonarray.sparse.linalg.host" (ma, core)
  local edges = require "moonarray.sparse.csgraph.edges" (ma, core, host)
  for _, part in ipairs { "searches", "paths", "laplacian" } do
    require("moonarray.sparse.csgraph." .. part)(ma, core, edges, host)
  end
end
