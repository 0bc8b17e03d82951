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

  --- Entries of a dense matrix, row by row: what is not 0.
  local function of_dense(a)
    local m = a.shape[1]
    local mask = a:ne(0)
    local _, column = ma.nonzero(mask)
    local counts = mask:sum(2, { dtype = "int64" })
    local first = ma.ones(1, { dtype = "int64", device = "cpu" })
    local indptr = m == 0 and first or ma.concatenate { first, ma.cumsum(counts) + 1 }
    return indptr, column, a[mask]
  end

  --- Whether there is something to make a matrix of.
  function host.matrix(name, A, what)
    if is_sparse(A) then return A end
    if type(A) == "table" and not getmetatable(A) then A = core.asarray(A) end
    if not is_array(A) or A.ndim ~= 2 then
      fail(name, sformat("%s is %s; wanted a matrix, sparse or dense", what or "A", core.describe(A)))
    end
    return A
  end

  --- indptr, indices, data of A by rows, or with `by_columns` by columns, without duplicates; data of dtype `dtype` or
  --- of the dtype for factors. They may be A's own arrays.
  function host.compressed(name, A, by_columns, dtype, what)
    A = host.matrix(name, A, what)
    local indptr, indices, data
    if is_array(A) then
      A = on_cpu(A)
      indptr, indices, data = of_dense(by_columns and A.T or A)
    else
      if by_columns then A = A:tocsc() else A = A:tocsr() end
      if not A.has_canonical_format then
        A = A:copy()
        A:sum_duplicates()
      end
      indptr, indices, data = on_cpu(A.indptr), on_cpu(A.indices), on_cpu(A.data)
    end
    if not dtype then dtype = ma.iscomplexobj(data) and "complex128" or "float64" end
    local function typed(a, kind) return packed(a.dtype == kind and a or a:astype(kind)) end
    return typed(indptr, "int64"), typed(indices, "int32"), typed(data, dtype)
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
