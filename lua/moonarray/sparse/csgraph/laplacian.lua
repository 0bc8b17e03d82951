--- The Laplacian of a graph.
--# sparse_linalg

local sformat = require("moonarray.text").format

return function(ma, core, _, host)
  local is = require "moonarray.common" (core).is
  local def, fail, is_array = core.def, core.fail, core.is_array

  --> sparse.csgraph.laplacian: (ma.sparse.csgraph.laplacian(ma.array({{0, 1}, {1, 0}})))
  def("sparse.csgraph.laplacian(csgraph: sparse_matrix|data, normed?: boolean, return_diag?: boolean, "
    .. "use_out_degree?: boolean; dtype?: dtype, symmetrized?: boolean) -> array|sparse_matrix, array?",
    "D - A of a graph A, where D has the sums of A's columns (of its rows with use_out_degree) on its diagonal and " ..
      "A's diagonal does not count; normed: the symmetric form D^-1/2 (D - A) D^-1/2, with 1 for D's zeros. Sparse " ..
      "of sparse, dense of dense. return_diag: the diagonal too, D or D^1/2. symmetrized: of A + A^T. " ..
      "The dtype is A's unless dtype says otherwise; float64 of bool and of normed whole numbers.",
    function(csgraph, normed, return_diag, use_out_degree, dtype, symmetrized)
      local name = "sparse.csgraph.laplacian"
      local A = host.square(name, csgraph, "csgraph")
      if not dtype and normed and is.integer[A.dtype] then dtype = "float64" end
      if A.dtype == "bool" and not dtype then dtype = "float64" end
      local kind = ma.promote_types(dtype or A.dtype, dtype or A.dtype)
      if kind == "bool" or is.unsignedinteger[kind] then
        fail(name, sformat("%s has no numbers below 0 for D - A; wanted another dtype", kind))
      end
      local n = A.shape[1]
      local dense = is_array(A)
      local row, column, data
      if dense then
        if dtype then A = A:astype(dtype) end
        if symmetrized then A = A + ma.conjugate(A.T) end
      else
        if dtype then A = A:astype(dtype) end
        if symmetrized then A = A + A.T:conj() end
        A = A:tocoo()
        row, column, data = A.row, A.col, A.data
      end
      local on = { dtype = A.dtype, device = A.device }
      local off, degree
      if dense then
        off = ma.where(ma.eye(n, { dtype = "bool", device = A.device }), 0, A):astype(A.dtype)
        degree = off:sum(use_out_degree and 2 or 1, { dtype = A.dtype })
      else
        local apart = row:ne(column)
        row, column, data = row[apart], column[apart], data[apart]
        degree = ma.zeros(n, on)
        if data.size > 0 then degree:iadd_at(use_out_degree and row or column, data) end
      end
      local diagonal, scale = degree, nil
      if normed then
        local none = degree:eq(0)
        scale = ma.where(none, 1, ma.sqrt(degree)):astype(A.dtype)
        diagonal = 1 - none:astype(A.dtype)
      end
      local result
      if dense then
        local by = scale and off / scale / scale:reshape(n, 1) or off
        result = ma.diag(diagonal) - by
      else
        local by = scale and data / scale:take(row) / scale:take(column) or data
        local places = ma.range(1, n, { device = A.device }):astype(row.dtype)
        result = ma.sparse.coo_matrix({ ma.concatenate { -by, diagonal:astype(by.dtype) },
          { ma.concatenate { row, places }, ma.concatenate { column, places } } }, { shape = { n, n } })
      end
      if return_diag then return result, scale or degree end
      return result
    end)
end
