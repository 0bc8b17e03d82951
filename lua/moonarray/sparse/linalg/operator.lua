--- ma.sparse.linalg.LinearOperator: a matrix of which only its products with vectors are known.
--# sparse_linalg

local sformat = require("moonarray.text").format

return function(ma, core, is_sparse)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "sparse.linalg.LinearOperator"

  local Meta, methods = {}, {}

  local function is_operator(value) return type(value) == "table" and getmetatable(value) == Meta end

  local function conjugate(x) return ma.iscomplexobj(x) and ma.conjugate(x) or x end

  --- An operator from functions of arrays: matvec of (n), rmatvec of (m), matmat of (n, k), rmatmat of (m, k).
  --- `recordable`: the functions are array code of this library, which a graph can record. The matvec and rmatvec of a
  --- matrix also take an array for the result.
  local function new(m, n, dtype, functions, recordable, matrix)
    return setmetatable({ shape = { m, n }, dtype = dtype or false, ndim = 2, functions = functions,
      recordable = recordable or false, matrix = matrix or false }, Meta)
  end

  -- ==== Products ===================================================================================================

  local function asarray(name, x)
    if is_array(x) then return x end
    if type(x) == "table" or type(x) == "number" then return core.asarray(x) end
    fail(name, sformat("x is %s; wanted an array", core.describe(x)))
  end

  local function checked(name, y, shape)
    if not is_array(y) then fail(name, sformat("its function returned %s; wanted an array", core.describe(y))) end
    local size = 1
    for _, extent in ipairs(shape) do size = size * extent end
    if y.size ~= size then
      fail(name, sformat("its function returned %s; wanted (%s)", core.describe(y), table.concat(shape, ", ")))
    end
    local same = y.ndim == #shape
    for d = 1, #shape do same = same and y.shape[d] == shape[d] end
    return same and y or y:reshape(shape)
  end

  --- Applies `many` to all columns of x at once if the operator has it, else `one` to each column.
  local function columns(name, one, many, x, rows)
    if many then return checked(name, many(x), { rows, x.shape[2] }) end
    local list = {}
    for k = 1, x.shape[2] do list[k] = checked(name, one(x[{ {}, k }]), { rows }) end
    if #list == 0 then return ma.zeros({ rows, 0 }, { dtype = x.dtype, device = x.device }) end
    return ma.stack(list, 2)
  end

  --- A x, or with `back` A^H x, for vectors and matrices.
  local function apply(self, x, name, back)
    local m, n = self.shape[1], self.shape[2]
    if back then m, n = n, m end
    local f = self.functions
    local one, many = f.matvec, f.matmat
    if back then one, many = f.rmatvec, f.rmatmat end
    x = asarray(name, x)
    if (x.ndim ~= 1 and x.ndim ~= 2) or x.shape[1] ~= n then
      fail(name, sformat("%s beside an operator of %d x %d", core.describe(x), self.shape[1], self.shape[2]))
    end
    if not one and not many then fail(name, "the operator has no rmatvec; wanted one for products with A^H") end
    if x.ndim == 1 then
      if one then return checked(name, one(x), { m }) end
      return checked(name, many(x:reshape(n, 1)), { m })
    end
    if x.shape[2] == 1 and one and not many then return checked(name, one(x:reshape(n)), { m, 1 }) end
    return columns(name, one, many, x, m)
  end

  function methods:matvec(x) return apply(self, x, NAME .. ".matvec") end
  function methods:rmatvec(x) return apply(self, x, NAME .. ".rmatvec", true) end
  function methods:matmat(x) return apply(self, x, NAME .. ".matmat") end
  function methods:rmatmat(x) return apply(self, x, NAME .. ".rmatmat", true) end

  -- ==== Operators of operators =====================================================================================

  local as_operator
  local Factors                        -- the metatable of splu's objects

  local function promoted(a, b)
    return a.dtype and b.dtype and ma.result_type(a.dtype, b.dtype) or a.dtype or b.dtype or nil
  end

  local function both(a, b, forward, backward)
    return { matvec = forward("matvec"), matmat = forward("matmat"),
      rmatvec = backward("rmatvec"), rmatmat = backward("rmatmat") }, a.recordable and b.recordable
  end

  local function sum(a, b)
    if a.shape[1] ~= b.shape[1] or a.shape[2] ~= b.shape[2] then
      fail(NAME, sformat("a sum of %d x %d and %d x %d", a.shape[1], a.shape[2], b.shape[1], b.shape[2]))
    end
    local function add(key) return function(x) return a[key](a, x) + b[key](b, x) end end
    local functions, recordable = both(a, b, add, add)
    return new(a.shape[1], a.shape[2], promoted(a, b), functions, recordable)
  end

  local function product(a, b)
    if a.shape[2] ~= b.shape[1] then
      fail(NAME, sformat("a product of %d x %d and %d x %d", a.shape[1], a.shape[2], b.shape[1], b.shape[2]))
    end
    local functions, recordable = both(a, b, function(key) return function(x) return a[key](a, b[key](b, x)) end end,
      function(key) return function(x) return b[key](b, a[key](a, x)) end end)
    return new(a.shape[1], b.shape[2], promoted(a, b), functions, recordable)
  end

  local function is_number(value)
    return type(value) == "number" or core.is_complex and core.is_complex(value) or
      is_array(value) and value.ndim == 0
  end

  local function scaled(a, by)
    local back = is_array(by) and conjugate(by) or type(by) ~= "number" and by.conj and by:conj() or by
    local functions = both(a, a, function(key) return function(x) return a[key](a, x) * by end end,
      function(key) return function(x) return a[key](a, x) * back end end)
    local dtype = a.dtype and ma.result_type(core.asarray(by), a.dtype) or nil
    if type(by) == "number" then dtype = a.dtype or nil end
    return new(a.shape[1], a.shape[2], dtype, functions, a.recordable)
  end

  function methods:adjoint()
    local f = self.functions
    return new(self.shape[2], self.shape[1], self.dtype or nil, { matvec = f.rmatvec, rmatvec = f.matvec,
      matmat = f.rmatmat, rmatmat = f.matmat }, self.recordable, false)
  end

  function methods:transpose()
    local function turned(fn) return fn and function(x) return conjugate(fn(conjugate(x))) end end
    local f = self.functions
    return new(self.shape[2], self.shape[1], self.dtype or nil, { matvec = turned(f.rmatvec),
      rmatvec = turned(f.matvec), matmat = turned(f.rmatmat), rmatmat = turned(f.matmat) }, self.recordable, false)
  end

  --- The product with a vector, a matrix, a number or another operator.
  function methods:dot(x)
    if is_number(x) then return scaled(self, x) end
    if is_operator(x) or is_sparse(x) then return product(self, as_operator(NAME, x)) end
    return apply(self, x, NAME .. ".dot")
  end
  methods.matmul = methods.dot

  --> sparse.linalg.LinearOperator sparse.linalg.aslinearoperator:
  --> \ ma.sparse.linalg.aslinearoperator(ma.sparse.csr_matrix({{1, 2}, {3, 4}})):matvec({1, 1})
  common.guard("LinearOperator", Meta, methods)
  local attributes = common.attributes(NAME, methods)
  Meta.__index = function(self, key)
    if key == "H" then return methods.adjoint(self) end
    if key == "T" then return methods.transpose(self) end
    return attributes(self, key)
  end
  Meta.__add = function(a, b) return sum(as_operator(NAME, a), as_operator(NAME, b)) end
  Meta.__sub = function(a, b) return sum(as_operator(NAME, a), scaled(as_operator(NAME, b), -1)) end
  Meta.__unm = function(a) return scaled(a, -1) end
  Meta.__mul = function(a, b)
    if is_number(a) then return scaled(b, a) end
    if is_number(b) then return scaled(a, b) end
    if is_operator(b) then return product(as_operator(NAME, a), b) end
    return methods.dot(a, b)
  end
  Meta.__tostring = function(self)
    return sformat("<LinearOperator of %d x %d, %s>", self.shape[1], self.shape[2], self.dtype or "dtype unknown")
  end

  -- ==== Making them ================================================================================================

  local function of_matrix(A)
    local back
    local function adjoint()
      if not back then
        back = A.T
        if ma.iscomplexobj(is_array(A) and A or A.data) then back = is_array(A) and back:conj() or back:conj() end
      end
      return back
    end
    local function times(matrix, x, out) return matrix:matmul(x, out and { out = out } or nil) end
    local function forward(x, out) return times(A, x, out) end
    local function backward(x, out) return times(adjoint(), x, out) end
    return new(A.shape[1], A.shape[2], A.dtype, { matvec = forward, matmat = forward, rmatvec = backward,
      rmatmat = backward }, true, A)
  end

  --- An operator from an operator, a sparse or dense matrix, or a table that can be made a dense one.
  function as_operator(name, A, what)
    if is_operator(A) then return A end
    if is_sparse(A) then return of_matrix(A) end
    if type(A) == "table" and Factors and getmetatable(A) == Factors then
      local function forward(x) return A:solve(x) end
      local function backward(x) return A:solve(x, "H") end
      return new(A.shape[1], A.shape[2], A.dtype, { matvec = forward, matmat = forward, rmatvec = backward,
        rmatmat = backward })
    end
    if type(A) == "table" and not getmetatable(A) and A[1] ~= nil then A = core.asarray(A) end
    if is_array(A) then
      if A.ndim ~= 2 then
        fail(name, sformat("%s is %s; wanted a matrix or a LinearOperator", what or "A", core.describe(A)))
      end
      return of_matrix(A)
    end
    if type(A) == "table" and type(rawget(A, "shape")) == "table" and core.is_callable(rawget(A, "matvec")) then
      local function bound(key)
        local fn = A[key]
        return fn and function(x) return fn(A, x) end
      end
      return new(A.shape[1], A.shape[2], rawget(A, "dtype"), { matvec = bound("matvec"), matmat = bound("matmat"),
        rmatvec = bound("rmatvec"), rmatmat = bound("rmatmat") })
    end
    fail(name, sformat("%s is %s; wanted a matrix or a LinearOperator", what or "A", core.describe(A)))
  end

  def(NAME .. "(shape: integer|integer[], matvec: function, rmatvec?: function, matmat?: function, dtype?: dtype, "
    .. "rmatmat?: function) -> table",
    "A matrix of which only products are known: matvec(x) gives A x, rmatvec(x) A^H x, matmat(X) A X and rmatmat(X) " ..
      "A^H X. It has the methods of these names, dot, matmul, adjoint and transpose, the fields shape, dtype, H and " ..
      "T, and + - * with numbers and other operators.",
    function(shape, matvec, rmatvec, matmat, dtype, rmatmat)
      shape = common.shape(NAME, "shape", shape)
      if #shape ~= 2 then fail(NAME, sformat("a shape of %d axes; wanted two extents", #shape)) end
      common.callable(NAME, "matvec", matvec)
      for what, fn in pairs { rmatvec = rmatvec or false, matmat = matmat or false, rmatmat = rmatmat or false } do
        if fn then common.callable(NAME, what, fn) end
      end
      if dtype then dtype = ma.result_type(dtype) end
      return new(shape[1], shape[2], dtype, { matvec = matvec, rmatvec = rmatvec, matmat = matmat, rmatmat = rmatmat })
    end)

  def("sparse.linalg.aslinearoperator(A: sparse_matrix|data) -> table",
    "A matrix, sparse or dense, as a LinearOperator; an object with shape and the method matvec likewise; of " ..
      "factors of splu and spilu the solution of their system.",
    function(A) return as_operator("sparse.linalg.aslinearoperator", A) end)

  return { as_operator = as_operator, is_operator = is_operator, conjugate = conjugate,
    new = new, set_factors = function(meta) Factors = meta end }
end
