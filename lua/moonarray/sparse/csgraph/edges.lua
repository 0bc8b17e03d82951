--- The edges of a graph, as the arrays that the searches take.

local sformat = require("moonarray.text").format

return function(ma, core, host)
  local fail, is_array = core.fail, core.is_array
  local edges = {}

  local is_sparse = host.is_sparse

  --- A graph: n, device, and indptr, indices, data on the CPU. In a dense matrix 0, infinity and NaN are no edges, in a
  --- sparse one every stored entry is an edge.
  function edges.open(name, csgraph, unweighted)
    local A = host.square(name, csgraph, "csgraph")
    if ma.iscomplexobj(is_sparse(A) and A.data or A) then
      fail(name, sformat("csgraph is %s; wanted real lengths", A.dtype))
    end
    local self = { n = A.shape[1], device = A.device }
    if is_array(A) then
      A = host.on_cpu(A):astype("float64")
      A = ma.where(ma.isfinite(A), A, 0)
    end
    self.indptr, self.indices, self.data = host.compressed(name, A, false, "float64", "csgraph")
    if unweighted then self.data = ma.ones_like(self.data) end
    return self
  end

  function edges.rectangle(name, csgraph)
    local A = host.matrix(name, csgraph, "graph")
    local self = { n = A.shape[1], columns = A.shape[2], device = A.device }
    if ma.iscomplexobj(is_sparse(A) and A.data or A) then
      if is_sparse(A) then fail(name, "a complex graph; wanted real entries") end
      A = A:ne(0)
    end
    self.indptr, self.indices, self.data = host.compressed(name, A, false, "float64", "graph")
    return self
  end

  function edges.room(n, dtype) return ma.empty(n, { dtype = dtype or "int32", device = "cpu" }) end

  --- Moves an array from the CPU to the device of the graph's matrix.
  function edges.back(self, a) return self.device == "cpu" and a or a:to(self.device) end

  --- A CSR matrix from the positions of edges, with the graph's shape and device.
  function edges.matrix(self, row, column, data)
    local back = edges.back
    return ma.sparse.coo_matrix({ back(self, data), { back(self, row), back(self, column) } },
      { shape = { self.n, self.n } }):tocsr()
  end

  --- The graph as the state of a CSR matrix, whose positions have one dtype.
  function edges.parts(self)
    local wide = self.data.size > 2 ^ 31 - 2
    return { format = "csr", rows = self.n, columns = self.n, data = self.data,
      indptr = wide and self.indptr or self.indptr:astype("int32"),
      indices = wide and self.indices:astype("int64") or self.indices }
  end

  --- The node at which each edge begins, as int64.
  function edges.from(self)
    return core.sparse_expand("sparse.csgraph", { format = "csr", rows = self.n, columns = self.n, data = self.data,
      indptr = self.indptr, indices = self.indptr })
  end

  return edges
end
