--- Norms and powers of sparse matrices.
--# sparse_linalg

local sformat = require("moonarray.text").format

return function(ma, core, _, _, host)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is

  --- The entries of a matrix without duplicates.
  local function values(A)
    if A.format ~= "csr" and A.format ~= "csc" then A = A:tocsr() end
    if not A.has_canonical_format then
      A = A:copy()
      A:sum_duplicates()
    end
    return A.data
  end

  --- The columns (axis 1) or rows of a matrix's entries, and their magnitudes: what a compressed matrix has already.
  local function entries(A, axis)
    local has = A.format == (axis == 1 and "csr" or "csc")
    if not has then A = A:tocoo() end
    if not A.has_canonical_format then
      A = A:copy()
      A:sum_duplicates()
    end
    return has and A.indices or axis == 1 and A.col or A.row, ma.absolute(A.data)
  end

  --- Sums, or largest values, of magnitudes by row or column.
  local function along(A, axis, power, largest)
    local where_, size = entries(A, axis)
    local n = A.shape[axis == 1 and 2 or 1]
    if not is.floating[size.dtype] then size = size:astype("float64") end
    if power == 0 then size = size:ne(0):astype(size.dtype)
    elseif power and power ~= 1 then size = size ^ power end
    local result = ma.zeros(n, { dtype = size.dtype, device = size.device })
    if size.size == 0 then return result end
    if largest then return ma.scatter_max(result, where_, size) end
    return result:iadd_at(where_, size)
  end

  --> sparse.linalg.norm: ma.sparse.linalg.norm(ma.sparse.csr_matrix({{3, 0}, {0, 4}}))
  def("sparse.linalg.norm(x: data, ord?: integer|string, axis?: integer|integer[]) -> array",
    "A norm of a sparse matrix: 'fro' (the default) of Frobenius, 1 and ma.inf the largest sum of a column or a " ..
      "row, -1 and -ma.inf the least, 2 the largest singular value. With an axis the norms of columns (1) or rows " ..
      "(2): 2 (the default), 1, 0 (how many are not 0), ma.inf or any other power.",
    function(x, ord, axis)
      local name = "sparse.linalg.norm"
      local A = host.matrix(name, x, "x")
      if is_array(A) then return ma.linalg.norm(A, ord, axis) end
      if type(axis) == "table" then
        if #axis ~= 2 then fail(name, sformat("%d axes; wanted one, or both", #axis)) end
        axis = nil
      end
      if axis ~= nil then
        axis = common.axis(name, axis, 2)
        if ord == math.huge then return along(A, axis, nil, true) end
        if ord == nil then ord = 2 end
        if type(ord) ~= "number" or ord < 0 then
          fail(name, sformat("%s for ord with an axis; a number from 0 on", core.describe(ord)))
        end
        local sum = along(A, axis, ord)
        return (ord == 0 or ord == 1) and sum or ord == 2 and ma.sqrt(sum) or sum ^ (1 / ord)
      end
      if ord == nil or ord == "fro" or ord == "f" then
        return ma.linalg.norm(values(A))
      end
      if ord == 1 then return along(A, 1):max() end
      if ord == -1 then return along(A, 1):min() end
      if ord == math.huge then return along(A, 2):max() end
      if ord == -math.huge then return along(A, 2):min() end
      if ord == 2 then
        if math.min(A.shape[1], A.shape[2]) < 3 then return ma.linalg.norm(A:toarray(), 2) end
        return ma.sparse.linalg.svds(A, 1, { return_singular_vectors = false })[1]
      end
      fail(name, sformat("%s for ord; 'fro', 1, -1, 2, ma.inf or -ma.inf", core.describe(ord)))
    end)

  --> sparse.linalg.matrix_power: ma.sparse.linalg.matrix_power(ma.sparse.csr_matrix({{1, 1}, {0, 1}}), 3):toarray()
  def("sparse.linalg.matrix_power(A: sparse_matrix|data, power: integer) -> sparse_matrix",
    "The product of `power` copies of a square sparse matrix.",
    function(A, power)
      local name = "sparse.linalg.matrix_power"
      A = host.square(name, A)
      power = common.whole(name, "power", power, 0)
      if is_array(A) then return ma.linalg.matrix_power(A, power) end
      local result
      while power > 0 do
        if power % 2 == 1 then result = result and result:matmul(A) or A end
        power = math.floor(power / 2)
        if power > 0 then A = A:matmul(A) end
      end
      return result or ma.sparse.identity(A.shape[1], { dtype = A.dtype, format = A.format, device = A.device })
    end)
end
