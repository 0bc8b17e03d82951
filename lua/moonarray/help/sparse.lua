--- Examples of moonarray.sparse, for ma.help and the reference (help/arrays.lua says how they are written).
return [[
sparse.csr_matrix sparse.csr_array: print(ma.sparse.csr_matrix({{1, 0, 2}, {0, 0, 3}}))
sparse.csc_matrix sparse.csc_array: ma.sparse.csc_matrix({{1, 0, 2}, {0, 0, 3}}).indices
sparse.coo_matrix sparse.coo_array: ma.sparse.coo_matrix({{5, 6}, {{1, 2}, {3, 1}}}, {shape = {2, 3}}):toarray()
sparse.dia_matrix sparse.dia_array: ma.sparse.dia_matrix({{{1, 2, 3}}, {0}}, {shape = {3, 3}}):toarray()
sparse.bsr_matrix sparse.bsr_array: ma.sparse.bsr_matrix({{1, 2, 0, 0}, {3, 4, 0, 0}}, {blocksize = {2, 2}}).data
sparse.issparse sparse.isspmatrix: ma.sparse.issparse(ma.sparse.eye(3))
sparse.isspmatrix_csr sparse.isspmatrix_csc sparse.isspmatrix_coo sparse.isspmatrix_dia sparse.isspmatrix_bsr: \
  ma.sparse.isspmatrix_csr(ma.sparse.eye(3):tocsr())
sparse.sparray sparse.spmatrix: ma.sparse.spmatrix(ma.sparse.eye(3))
sparse.eye sparse.eye_array sparse.identity: ma.sparse.eye(2, 3, 1):toarray()
sparse.diags sparse.diags_array: ma.sparse.diags({{1, 2, 3}, {4, 5}}, {0, 1}):toarray()
sparse.spdiags: ma.sparse.spdiags({{1, 2, 3}}, {1}, 3, 3):toarray()
sparse.random sparse.rand: ma.sparse.random(100, 100, 0.05).nnz
sparse.random_array: ma.sparse.random_array({100, 100}, {density = 0.05}).nnz
sparse.kron: ma.sparse.kron({{1, 2}}, ma.sparse.eye(2)):toarray()
sparse.kronsum: ma.sparse.kronsum({{1}}, {{2, 0}, {0, 3}}):toarray()
sparse.hstack: ma.sparse.hstack({ma.sparse.eye(2), {{5}, {6}}}):toarray()
sparse.vstack: ma.sparse.vstack({ma.sparse.eye(2), {{5, 6}}}):toarray()
sparse.bmat sparse.block_array: ma.sparse.bmat({{ma.sparse.eye(2), false}, {false, {{7}}}}):toarray()
sparse.block_diag: ma.sparse.block_diag({{{1, 2}}, {{3}}}):toarray()
sparse.tril: ma.sparse.tril(ma.ones({3, 3})):toarray()
sparse.triu: ma.sparse.triu(ma.ones({3, 3}), 1):toarray()
sparse.find: (ma.sparse.find(ma.array({{0, 5}, {6, 0}})))
sparse.sampled_matmul: ma.sparse.sampled_matmul(ma.sparse.eye(2), {{1, 2}, {3, 4}}, {{1, 1}, {0, 2}}):toarray()
sparse.save_npz sparse.load_npz: local name = os.tmpname() .. ".npz"
  ma.sparse.save_npz(name, ma.sparse.eye(3):tocsr())
  local again = ma.sparse.load_npz(name)
  os.remove(name)
  return again.indices
sparse.matrix_transpose sparse.permute_dims: ma.sparse.matrix_transpose(ma.sparse.eye(2, 3)).shape[1]
sparse.swapaxes: ma.sparse.swapaxes(ma.sparse.eye(2, 3), 1, 2).shape[1]
sparse.get_index_dtype: ma.sparse.get_index_dtype({}, 2 ^ 40)
sparse.safely_cast_index_arrays: (ma.sparse.safely_cast_index_arrays(ma.sparse.eye(2):tocsr(), "int64"))
sparse.Matrix.matmul sparse.Matrix.dot: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):matmul({1, 2, 3})
sparse.Matrix.rmatmul: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):rmatmul({3, 4})
sparse.Matrix.tocsr: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):tocsr().format
sparse.Matrix.tocsc: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):tocsc().format
sparse.Matrix.tocoo: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):tocoo().format
sparse.Matrix.todia: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):todia().format
sparse.Matrix.tobsr: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):tobsr().format
sparse.Matrix.asformat: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):asformat("coo").row
sparse.Matrix.toarray sparse.Matrix.todense: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):toarray()
sparse.Matrix.copy: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):copy().nnz
sparse.Matrix.astype: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):astype("float32").dtype
sparse.Matrix.transpose: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):transpose():toarray()
sparse.Matrix.getH: ma.sparse.csr_matrix({{ma.complex(1, 2), 0}}):getH():toarray()
sparse.Matrix.conj sparse.Matrix.conjugate: ma.sparse.csr_matrix({{ma.complex(1, 2), 0}}):conj():toarray()
sparse.Matrix.to_device sparse.Matrix.get: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):get().device
sparse.Matrix.sort_indices sparse.Matrix.sorted_indices: \
  ma.sparse.csr_matrix({{1, 2}, {3, 1}, {1, 3}}, {shape = {1, 3}}):sort_indices().indices
sparse.Matrix.sum_duplicates: ma.sparse.coo_matrix({{1, 2}, {{1, 1}, {3, 3}}}, {shape = {1, 3}}):sum_duplicates().data
sparse.Matrix.eliminate_zeros: (ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}) * 0):eliminate_zeros().nnz
sparse.Matrix.add: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):add({{1, 1, 1}, {1, 1, 1}})
sparse.Matrix.subtract: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):subtract({{1, 1, 1}, {1, 1, 1}})
sparse.Matrix.multiply: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):multiply({1, 2, 3}):toarray()
sparse.Matrix.divide: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):divide(2):toarray()
sparse.Matrix.power: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):power(2):toarray()
sparse.Matrix.eq: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):eq(2):toarray()
sparse.Matrix.ne: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):ne(2):toarray()
sparse.Matrix.lt: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):lt(2):toarray()
sparse.Matrix.gt: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):gt(2):toarray()
sparse.Matrix.le: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):le(2):toarray()
sparse.Matrix.ge: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):ge(2):toarray()
sparse.Matrix.maximum: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):maximum(2):toarray()
sparse.Matrix.minimum: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):minimum(2):toarray()
sparse.Matrix.sin sparse.Matrix.tan sparse.Matrix.arcsin sparse.Matrix.arctan sparse.Matrix.sinh sparse.Matrix.tanh sparse.Matrix.arcsinh sparse.Matrix.arctanh sparse.Matrix.expm1 sparse.Matrix.log1p sparse.Matrix.deg2rad sparse.Matrix.rad2deg sparse.Matrix.sqrt: \
  (ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}) / 4):sin():toarray()
sparse.Matrix.rint sparse.Matrix.floor sparse.Matrix.ceil sparse.Matrix.trunc sparse.Matrix.sign sparse.Matrix.absolute sparse.Matrix.abs: \
  (-ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}) / 4):rint():toarray()
sparse.Matrix.sum: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):sum(1)
sparse.Matrix.mean: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):mean(2)
sparse.Matrix.trace: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):trace()
sparse.Matrix.max: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):max(1)
sparse.Matrix.min: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):min(1)
sparse.Matrix.nanmax: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):nanmax(1)
sparse.Matrix.nanmin: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):nanmin(1)
sparse.Matrix.argmax: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):argmax(1)
sparse.Matrix.argmin: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):argmin(1)
sparse.Matrix.getnnz: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):getnnz(2)
sparse.Matrix.count_nonzero: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):count_nonzero(1)
sparse.Matrix.nonzero: (ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):nonzero())
sparse.Matrix.getrow: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):getrow(1):toarray()
sparse.Matrix.getcol: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):getcol(3):toarray()
sparse.Matrix.reshape: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):reshape(3, 2):toarray()
sparse.Matrix.diagonal: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):diagonal()
sparse.Matrix.setdiag: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):setdiag(9):toarray()
]]
