--- Sparse and dense matrices as the arrays that the CPU's factorisations and searches take: compressed, on the CPU,
--- with indptr of int64, indices of int32 and data of float64 or complex128.

local sformat = require("moonarray.text").format

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local host = {}

  local function is_sparse(value)
    local sparse = rawget(ma, "sparse")
    local ask = sparse and rawget(sparse, "issparse")
    return ask ~= nil and ask(value)
  end
  host.is_sparse = is_sparse

  local function on_cpu(a) return a.device == "cpu" and a or a:to("cpu") end
  local function packed(a) return a.is_contiguous and a or a:copy() end
  host.on_cpu, host.packed = on_cpu, packed

  --- A as a matrix, sparse or dense; an error if it is none.
  function host.matrix(name, A, what)
    if is_sparse(A) then return A end
    if type(A) == "table" and not getmetatable(A) then A = core.asarray(A) end
    if not is_array(A) or A.ndim ~= 2 then
      fail(name, sformat("%s is %s; wanted a matrix, sparse or dense", what or "A", core.describe(A)))
    end
    return A
  end

  --- A in CSR, or with `by_columns` in CSC, without duplicates and, if it is dense, without zeros. It may be A itself.
  function host.canonical(A, by_columns)
    if is_array(A) then return by_columns and ma.sparse.csc_matrix(A) or ma.sparse.csr_matrix(A) end
    A = by_columns and A:tocsc() or A:tocsr()
    return A.has_canonical_format and A or A:copy():sum_duplicates()
  end

  --- indptr, indices and data of A in CSR, or with `by_columns` in CSC, without duplicates. The data has dtype `dtype`,
  --- or that of factors. The arrays may be A's own.
  function host.compressed(name, A, by_columns, dtype, what)
    A = host.matrix(name, A, what)
    A = host.canonical(is_array(A) and on_cpu(A) or A, by_columns)
    local data = on_cpu(A.data)
    if not dtype then dtype = ma.iscomplexobj(data) and "complex128" or "float64" end
    local function typed(a, kind) return packed(a.dtype == kind and a or a:astype(kind)) end
    return typed(on_cpu(A.indptr), "int64"), typed(on_cpu(A.indices), "int32"), typed(data, dtype)
  end

  function host.square(name, A, what)
    A = host.matrix(name, A, what)
    if A.shape[1] ~= A.shape[2] then
      fail(name, sformat("%s is %d x %d; wanted a square matrix", what or "A", A.shape[1], A.shape[2]))
    end
    return A
  end

  return host
end
