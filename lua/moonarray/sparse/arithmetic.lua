--- Arithmetic and comparisons: of sparse matrices with numbers, with arrays and with each other.
---
--- Operations with f(0) = 0 work on the stored entries alone. Other operations are an error for + and -, as in SciPy;
--- comparisons then store all entries.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core, sp)
  local fail, is_array, describe = core.fail, core.is_array, core.describe
  local method, new, is = sp.method, sp.new, sp.is
  local Matrix = sp.Matrix

  local function full(name) return "sparse.Matrix." .. name end

  local function is_scalar(v)
    return not is_array(v) and type(v) ~= "string" and type(v) ~= "boolean" and type(v) ~= "table" and ma.isscalar(v)
      or is_array(v) and v.ndim == 0
  end

  --- An operand that is no sparse matrix and no scalar as an array of at most two axes, on the matrix's device.
  local function array_of(name, value, s)
    if type(value) == "table" then value = ma.array(value, { device = s.data.device }) end
    if not is_array(value) then
      fail(name, sformat("%s as an operand; wanted a sparse matrix, an array or a number", describe(value)))
    end
    if value.ndim > 2 then fail(name, sformat("%s as an operand; wanted at most two axes", describe(value))) end
    if value.device ~= s.data.device then
      fail(name, sformat("operands on %s and %s; move one with x:to_device", s.data.device, value.device))
    end
    return value
  end

  -- ==== Two sparse matrices ========================================================================================

  --- Both operands converted to one format, canonical, with one dtype and one index dtype.
  local function alike(name, a, b, dtype)
    if a.rows ~= b.rows or a.columns ~= b.columns then
      fail(name, sformat("matrices of shapes (%d, %d) and (%d, %d); wanted one shape", a.rows, a.columns, b.rows,
        b.columns))
    end
    if a.data.device ~= b.data.device then
      fail(name, sformat("matrices on %s and %s; wanted one device", a.data.device, b.data.device))
    end
    local format = a.format == "csc" and "csc" or "csr"
    a, b = sp.canonical(name, sp.as(name, a, format)), sp.canonical(name, sp.as(name, b, format))
    return sp.one_index(sp.cast(a, dtype), sp.cast(b, dtype))
  end

  --- An operation of the core on two sparse matrices; f(0, 0) must be 0.
  function sp.combine(name, op, a, b, dtype)
    a, b = alike(name, a, b, dtype or sp.dtype(ma.promote_types(a.data.dtype, b.data.dtype)))
    return sp.compressed(a.format, a.rows, a.columns, core.sparse_combine(name, a, b, op))
  end

  -- ==== Beside arrays ==============================================================================================

  --- The elements of an array, broadcast to the matrix's shape, at the matrix's entries; and the matrix as COO.
  local function at_entries(name, s, x)
    local coo = sp.to.coo(s, name)
    local m, n = x.ndim == 2 and x.shape[1] or 1, x.ndim > 0 and x.shape[x.ndim] or 1
    if (m ~= 1 and m ~= s.rows) or (n ~= 1 and n ~= s.columns) then
      fail(name, sformat("a sparse matrix of shape (%d, %d) and %s; wanted shapes that broadcast to the matrix's",
        s.rows, s.columns, describe(x)))
    end
    local place
    if m == 1 and n == 1 then return x:reshape({}), coo end
    if m == 1 then place = coo.col
    elseif n == 1 then place = coo.row
    else place = (coo.row:astype("int64") - 1) * n + coo.col end
    return x:reshape(x.size):take(place), coo
  end

  --- Calls f(entry, element) for the stored entries; elements that are not stored stay 0.
  local function entrywise(name, s, x, f)
    local values, coo = at_entries(name, s, x)
    local result = f(coo.data, values)
    if s.format == "dia" or s.format == "bsr" then return sp.with_data(coo, sp.values(result)) end
    return sp.with_data(s, sp.values(result))
  end

  -- ==== + and - ====================================================================================================

  --- a + sign b, where one of the two is a sparse matrix.
  local function sum(name, a, b, sign)
    local op = sign > 0 and "add" or "subtract"
    if is(a) and is(b) then
      local s, t = sp.state(name, a), sp.state(name, b)
      if sign < 0 and s.data.dtype == "bool" and t.data.dtype == "bool" then
        fail(name, "a difference of bool matrices; wanted a number dtype, or a:ne(b)")
      end
      return new(sp.combine(name, op, s, t))
    end
    local s, other = sp.state(name, is(a) and a or b), is(a) and b or a
    if is_scalar(other) then
      local zero = is_array(other) and other:item() or other
      if zero == 0 then return new(is(a) and sp.copy(s) or sp.state(name, sign > 0 and b:copy() or -b)) end
      fail(name, "a number beside a sparse matrix, whose sum is not sparse; write a:toarray() + x")
    end
    other = array_of(name, other, s)
    local dense = sp.dense(name, s)
    if is(a) then return sign > 0 and dense + other or dense - other end
    return sign > 0 and other + dense or other - dense
  end

  function Matrix.__add(a, b) return sum(full "add", a, b, 1) end
  function Matrix.__sub(a, b) return sum(full "subtract", a, b, -1) end
  function Matrix.__unm(a)
    local s = sp.state(full "negative", a)
    return sp.with_data(s, -s.data)
  end

  -- ==== * and / ====================================================================================================

  local function times(name, a, b)
    if is(a) and is(b) then return sp.multiply(name, sp.state(name, a), sp.state(name, b)) end
    local s, other = sp.state(name, is(a) and a or b), is(a) and b or a
    if is_scalar(other) then return sp.with_data(s, sp.values(s.data * other)) end
    other = array_of(name, other, s)
    if other.ndim == 0 then return sp.with_data(s, sp.values(s.data * other)) end
    return entrywise(name, s, other, function(x, y) return x * y end)
  end

  --- The product of two matrices element by element; a row or a column is broadcast.
  function sp.multiply(name, s, t)
    if s.rows == t.rows and s.columns == t.columns then return new(sp.combine(name, "multiply", s, t)) end
    local function line(x) return x.rows == 1 or x.columns == 1 end
    if line(t) then return entrywise(name, s, sp.dense(name, t), function(x, y) return x * y end):tocsr() end
    if line(s) then return sp.multiply(name, t, s) end
    return new(sp.combine(name, "multiply", s, t))                 -- raises the error
  end

  local function quotient(name, a, b)
    if not is(a) then fail(name, "a sparse matrix as a divisor, which is 0 nearly everywhere; write a:toarray()") end
    local s = sp.state(name, a)
    if is(b) then return ma.divide(sp.dense(name, s), sp.dense(name, sp.state(name, b))) end
    if is_scalar(b) then return sp.with_data(s, sp.values(s.data / b)) end
    b = array_of(name, b, s)
    return entrywise(name, s, b, function(x, y) return x / y end)
  end

  Matrix.__mul = function(a, b) return times(full "multiply", a, b) end
  Matrix.__div = function(a, b) return quotient(full "divide", a, b) end

  --- a ^ n: each entry to a power.
  local function power(name, a, n, dtype)
    local s = sp.state(name, a)
    if not is_scalar(n) then fail(name, sformat("%s as an exponent; wanted a number", describe(n))) end
    if type(n) == "number" and n <= 0 then
      local o = { dtype = dtype or s.data.dtype, device = s.data.device }
      if n == 0 then return ma.ones({ s.rows, s.columns }, o) end
      fail(name, sformat("the exponent %s; zeros have no negative powers", tostring(n)))
    end
    if dtype then s = sp.cast(s, dtype) end
    s = s.format == "dia" and s or sp.summed(name, s)
    return sp.with_data(s, sp.values(s.data ^ n))
  end
  Matrix.__pow = function(a, n) return power(full "power", a, n) end

  --> sparse.Matrix.power(2):toarray()
  method("power(a: sparse_matrix, n: integer, dtype?: dtype) -> sparse_matrix",
    "Each entry to the power n, a number above 0. Powers of the matrix: sparse.linalg.matrix_power.",
    function(a, n, dtype) return power(full "power", a, n, dtype) end)

  --- The same matrix with duplicates added up; a matrix without duplicates is returned as it is.
  function sp.summed(name, s)
    if s.format == "dia" then return s end
    if sp.attributes.has_canonical_format(s) then return s end
    if s.format == "coo" then return sp.to.coo(sp.to.csr(s, name), name) end
    return sp.canonical(name, s)
  end

  --> sparse.Matrix.add({{1, 1, 1}, {1, 1, 1}})
  method("add(a: sparse_matrix, b: sparse_matrix|data) -> sparse_matrix",
    "The sum: sparse of two sparse matrices, else an array.", function(a, b)
    return sum(full "add", a, b, 1)
  end)
  --> sparse.Matrix.subtract({{1, 1, 1}, {1, 1, 1}})
  method("subtract(a: sparse_matrix, b: sparse_matrix|data) -> sparse_matrix",
    "The difference: sparse of two sparse matrices, else an array.", function(a, b)
    return sum(full "subtract", a, b, -1)
  end)
  --> sparse.Matrix.multiply({1, 2, 3}):toarray()
  method("multiply(a: sparse_matrix, b: sparse_matrix|data) -> sparse_matrix",
    "The product element by element, with a sparse matrix, an array that broadcasts or a " ..
    "number; a * b is the same, and a:matmul(b) is the matrix product.",
    function(a, b) return times(full "multiply", a, b) end)
  --> sparse.Matrix.divide(2):toarray()
  method("divide(a: sparse_matrix, b: sparse_matrix|data) -> sparse_matrix",
    "The quotient element by element, by an array that broadcasts or a number.",
    function(a, b) return quotient(full "divide", a, b) end)

  -- ==== Comparisons, maximum, minimum ==============================================================================

  --- The value of op(0, value).
  local function of_zero(op, value)
    return ma[op](ma.zeros({}, { device = is_array(value) and value.device or "cpu" }), value)
  end

  local function sparse_of(name, dense) return new(sp.anything(name, dense)) end

  --- Compares, and stores the results that are not 0. `keeps`: op(0, 0) is 0.
  local function compared(name, op, a, b, keeps)
    local s = sp.state(name, a)
    if is(b) then
      local t = sp.state(name, b)
      if keeps then return new(sp.combine(name, op, s, t)) end
      if s.rows ~= t.rows or s.columns ~= t.columns then
        fail(name, sformat("matrices of shapes (%d, %d) and (%d, %d); wanted one shape", s.rows, s.columns, t.rows,
          t.columns))
      end
      return sparse_of(name, ma[op](sp.dense(name, s), sp.dense(name, t)))
    end
    if is_scalar(b) then
      local zero = of_zero(op, b):item()
      if zero == 0 or zero == false then
        local u = sp.summed(name, s.format == "dia" and sp.to.csr(s, name) or s)
        local data = ma[op](u.data, b)
        return new(sp.drop_zeros(sp.state(name, sp.with_data(u, sp.values(data)))))
      end
      return sparse_of(name, ma[op](sp.dense(name, s), b))
    end
    return ma[op](sp.dense(name, s), array_of(name, b, s))
  end

  for short, op in pairs { eq = "equal", ne = "not_equal", lt = "less", gt = "greater", le = "less_equal",
    ge = "greater_equal" } do
    local keeps = op == "not_equal" or op == "less" or op == "greater"
    --> sparse.Matrix.maximum(2):toarray()
    --> sparse.Matrix.minimum(2):toarray()
    method(short .. "(a: sparse_matrix, b: sparse_matrix|data) -> sparse_matrix",
      "Where " .. op:gsub("_", " ") .. ", as a sparse bool matrix; beside an array as an " ..
      "array.", function(a, b) return compared(full(short), op, a, b, keeps) end)
  end
  for _, op in ipairs { "maximum", "minimum" } do
    --> sparse.Matrix.eq(2):toarray()
    --> sparse.Matrix.ne(2):toarray()
    --> sparse.Matrix.lt(2):toarray()
    --> sparse.Matrix.gt(2):toarray()
    --> sparse.Matrix.le(2):toarray()
    --> sparse.Matrix.ge(2):toarray()
    method(op .. "(a: sparse_matrix, b: sparse_matrix|data) -> sparse_matrix",
      "The " .. (op == "maximum" and "greater" or "lesser") .. " of both, element by element: " ..
      "sparse of two sparse matrices, or beside a number.", function(a, b)
      return compared(full(op), op, a, b, true)
    end)
  end

  -- ==== Operations of arrays on sparse operands ====================================================================

  local FLIPPED = { eq = "eq", ne = "ne", lt = "gt", gt = "lt", le = "ge", ge = "le", maximum = "maximum",
    minimum = "minimum" }
  local NAMES = { equal = "eq", not_equal = "ne", less = "lt", greater = "gt", less_equal = "le",
    greater_equal = "ge", true_divide = "divide", conjugate = "conj", absolute = "abs" }
  local OPERATORS = { add = "__add", subtract = "__sub", multiply = "__mul", divide = "__div", power = "__pow" }

  --- The operations of arrays on a sparse operand, such as ma.add(x, A) and x + A for an array x.
  function Matrix.__operation(name, a, b)
    local short = NAMES[name] or name
    local operator = OPERATORS[short]
    if operator then return Matrix[operator](a, b) end
    if short == "matmul" then
      if is(a) then return sp.matmul("matmul", a, b) end
      return sp.methods.rmatmul(b, a)
    end
    if is(a) and sp.methods[short] then
      if b == nil then return sp.methods[short](a) end
      return sp.methods[short](a, b)
    end
    if is(b) and FLIPPED[short] then return sp.methods[FLIPPED[short]](b, a) end
    fail(name, "a sparse matrix as an operand; write a:toarray() where the result is not sparse")
  end
end
