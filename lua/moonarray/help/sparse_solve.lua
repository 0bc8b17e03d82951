--- Examples of moonarray.sparse.linalg and moonarray.sparse.csgraph, for ma.help and the reference (help/arrays.lua
--- says how they are written).
return [[
sparse.linalg.cg sparse.linalg.cgs sparse.linalg.bicgstab sparse.linalg.gmres sparse.linalg.minres: \
  (ma.sparse.linalg.cg(ma.sparse.csr_matrix({{4, 1}, {1, 3}}), {1, 2})):round(6)
sparse.linalg.lsqr sparse.linalg.lsmr: (ma.sparse.linalg.lsqr(ma.sparse.csr_matrix({{2, 0}, {0, 4}}), {2, 4})):round(6)
sparse.linalg.spsolve sparse.linalg.factorized sparse.linalg.splu sparse.linalg.spilu sparse.linalg.SuperLU: \
  ma.sparse.linalg.spsolve(ma.sparse.csc_matrix({{4, 1}, {1, 3}}), {9, 5}):round(6)
sparse.linalg.spsolve_triangular: ma.sparse.linalg.spsolve_triangular(ma.sparse.csr_matrix({{2, 0}, {1, 4}}), {2, 9})
sparse.linalg.inv: ma.sparse.linalg.inv(ma.sparse.csc_matrix({{2, 0}, {0, 4}})):toarray()
sparse.linalg.norm: ma.sparse.linalg.norm(ma.sparse.csr_matrix({{3, 0}, {0, 4}}))
sparse.linalg.matrix_power: ma.sparse.linalg.matrix_power(ma.sparse.csr_matrix({{1, 1}, {0, 1}}), 3):toarray()
sparse.linalg.expm_multiply: ma.sparse.linalg.expm_multiply(ma.sparse.csr_matrix({{0, 1}, {0, 0}}), {1, 2}):round(6)
sparse.linalg.LinearOperator sparse.linalg.aslinearoperator: \
  ma.sparse.linalg.aslinearoperator(ma.sparse.csr_matrix({{1, 2}, {3, 4}})):matvec({1, 1})
sparse.linalg.eigsh sparse.linalg.lobpcg sparse.linalg.svds: \
  (ma.sparse.linalg.eigsh(ma.sparse.diags(ma.range(1, 40)):tocsr(), 2)):round(6)
sparse.csgraph.connected_components: \
  (ma.sparse.csgraph.connected_components(ma.sparse.csr_matrix({{0, 1, 0}, {0, 0, 0}, {0, 0, 0}})))
sparse.csgraph.shortest_path sparse.csgraph.dijkstra sparse.csgraph.bellman_ford sparse.csgraph.floyd_warshall \
  sparse.csgraph.johnson: ma.sparse.csgraph.shortest_path(ma.sparse.csr_matrix({{0, 2, 9}, {0, 0, 3}, {0, 0, 0}}))
sparse.csgraph.breadth_first_order sparse.csgraph.depth_first_order: \
  (ma.sparse.csgraph.breadth_first_order(ma.sparse.csr_matrix({{0, 1, 1}, {0, 0, 0}, {0, 0, 0}}), 1))
sparse.csgraph.breadth_first_tree sparse.csgraph.depth_first_tree: \
  ma.sparse.csgraph.breadth_first_tree(ma.sparse.csr_matrix({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}), 1):toarray()
sparse.csgraph.minimum_spanning_tree: \
  ma.sparse.csgraph.minimum_spanning_tree(ma.sparse.csr_matrix({{0, 2, 9}, {0, 0, 3}, {0, 0, 0}})):toarray()
sparse.csgraph.laplacian: (ma.sparse.csgraph.laplacian(ma.array({{0, 1}, {1, 0}})))
sparse.csgraph.reconstruct_path: local graph = ma.sparse.csr_matrix({{0, 2}, {0, 0}})
  local _, before = ma.sparse.csgraph.breadth_first_order(graph, 1)
  return ma.sparse.csgraph.reconstruct_path(graph, before):toarray()
sparse.csgraph.reverse_cuthill_mckee: \
  ma.sparse.csgraph.reverse_cuthill_mckee(ma.sparse.csr_matrix({{1, 0, 1}, {0, 1, 0}, {1, 0, 1}})).size
sparse.csgraph.maximum_bipartite_matching: \
  ma.sparse.csgraph.maximum_bipartite_matching(ma.sparse.csr_matrix({{1, 0}, {1, 1}}))
sparse.csgraph.structural_rank: ma.sparse.csgraph.structural_rank(ma.sparse.csr_matrix({{1, 0}, {1, 0}}))
]]
