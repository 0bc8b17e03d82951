--- Sparse systems by factors: spsolve, splu, spilu, factorized, spsolve_triangular, inv. Factors are computed on the
--- CPU (src/ops/direct); right sides and solutions of a GPU are copied. Triangles are solved where they are.

local sformat, min = string.format, math.min

local ORDERS = { NATURAL = 1, MMD_AT_PLUS_A = 2, MMD_ATA = 3, COLAMD = 3 }
local FORMS = { N = 0, T = 1, H = 2 }

return function(ma, core, operator, system, host)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local on_cpu, packed = host.on_cpu, host.packed

  local Meta, methods = {}, {}

  local function number(name, what, value, default, least)
    if value == nil then return default end
    value = common.number(name, what, value)
    if value < least or value ~= value then
      fail(name, sformat("%s is %s; wanted %g or more", what, tostring(value), least))
    end
    return value
  end

  -- ==== Right sides ================================================================================================

  local function right_side(name, b, n)
    b = is_array(b) and b or ma.asarray(b)
    if (b.ndim ~= 1 and b.ndim ~= 2) or b.shape[1] ~= n then
      fail(name, sformat("b is %s beside a matrix of %d x %d; wanted as many rows", core.describe(b), n, n))
    end
    return b
  end

  --- Right sides as rows of float64 or complex128 on the CPU, and what turns rows of solutions back.
  local function right_sides(name, b, n, factor_dtype)
    b = right_side(name, b, n)
    local dtype = system.dtype_of(factor_dtype, b.dtype)
    local device, vector = b.device, b.ndim == 1
    local rows = on_cpu(b)
    rows = vector and rows:reshape(1, n) or rows.T
    local is_complex = ma.iscomplexobj(b)
    local count = rows.shape[1]
    local apart = is_complex and (factor_dtype == "float64" or factor_dtype == "float32")
    if apart then rows = ma.concatenate { rows.real, rows.imag } end
    local working = (factor_dtype == "complex64" or factor_dtype == "complex128") and "complex128" or "float64"
    return rows:astype(working), function(x)
      if apart then x = x[{ { 1, count }, {} }] + ma.complex(0, 1) * x[{ { count + 1, 2 * count }, {} }] end
      x = (vector and x:reshape(n) or x.T):astype(dtype)
      if not vector then x = x:copy() end
      return device == "cpu" and x:eval() or x:to(device)
    end
  end

  -- ==== Factors ====================================================================================================

  local function factor(name, A, options)
    A = host.square(name, A)
    local n = A.shape[1]
    local order = 0
    if options.order ~= nil then
      order = ORDERS[options.order] or fail(name, sformat("%s for permc_spec; wanted COLAMD, MMD_ATA, " ..
        "MMD_AT_PLUS_A or NATURAL", core.describe(options.order)))
    end
    local indptr, indices, data = host.compressed(name, A, true)
    local result = { core.direct_factor(name, indptr, indices, data, n, order, options.threshold or -1,
      options.incomplete or false, options.drop or 0, options.fill or 1) }
    if #result == 1 then
      fail(name, sformat("the matrix is exactly singular: pivot %d is 0; lsqr or lsmr give a least-squares solution",
        result[1]))
    end
    local place, column = result[7], result[8]
    return setmetatable({
      shape = { n, n }, nnz = result[2].size + result[5].size - n, dtype = system.dtype_of(A.dtype),
      device = A.device, parts = result, rows = n > 0 and ma.argsort(place) or place:astype("int64"),
      rows_back = place, columns_back = n > 0 and ma.argsort(column) or column:astype("int64"), made = {},
      kind = options.incomplete and "spilu" or "splu",
    }, Meta)
  end

  local function run_triangle(name, self, first, b, lower, form)
    local p = self.parts
    return core.direct_solve(name, p[first], p[first + 1], p[first + 2], b, lower, lower, form)
  end

  local function solve(self, name, b, trans)
    local n = self.shape[1]
    local rows, back = right_sides(name, b, n, self.dtype)
    local form = FORMS[trans or "N"]
    if not form then fail(name, sformat("%s for trans; 'N', 'T' or 'H'", tostring(trans))) end
    local x = rows
    if n > 0 then
      x = packed(rows:take(form == 0 and self.rows or self.parts[8], 2))
      if form == 0 then
        run_triangle(name, self, 1, x, true, 0)
        run_triangle(name, self, 4, x, false, 0)
      else
        run_triangle(name, self, 4, x, false, form)
        run_triangle(name, self, 1, x, true, form)
      end
      x = x:take(form == 0 and self.columns_back or self.rows_back, 2)
    end
    return back(x)
  end

  function methods:solve(rhs, trans)
    if type(trans) == "table" then trans = trans.trans end
    return solve(self, "SuperLU.solve", rhs, trans)
  end

  common.guard("SuperLU", Meta, methods)
  local attributes = common.attributes("sparse.linalg.SuperLU", methods)

  local function there(self, a) return self.device == "cpu" and a:copy() or a:to(self.device) end

  --- One of the factors as a matrix.
  local function part(self, first)
    local p = self.parts
    return ma.sparse.csc_matrix({ there(self, p[first + 2]:astype(self.dtype)), there(self, p[first + 1]),
      there(self, p[first]) }, { shape = { self.shape[1], self.shape[2] } })
  end

  --- What is made on A's device when it is first asked for, and kept.
  local made = {
    L = function(self) return part(self, 1) end,
    U = function(self) return part(self, 4) end,
    perm_r = function(self) return there(self, self.rows_back) end,
    perm_c = function(self) return there(self, self.columns_back) end,
  }

  Meta.__index = function(self, key)
    local make = made[key]
    if make then
      local kept = rawget(self, "made")
      kept[key] = kept[key] or make(self)
      return kept[key]
    end
    return attributes(self, key)
  end
  Meta.__tostring = function(self)
    return sformat("<SuperLU of %d x %d by %s, %d entries, %s>", self.shape[1], self.shape[2], self.kind, self.nnz,
      self.dtype)
  end
  operator.set_factors(Meta)

  def("sparse.linalg.splu(A, permc_spec?, diag_pivot_thresh?)",
    "The factors of a square sparse matrix, P_r A P_c = L U: an object with solve(b, trans?) and the fields L, U, " ..
      "perm_r, perm_c, shape, nnz. permc_spec: the order of columns, COLAMD or MMD_ATA (of A^T A), MMD_AT_PLUS_A, " ..
      "NATURAL; by default what fits the pattern. diag_pivot_thresh: how small a pivot on the diagonal may be " ..
      "beside the largest of its column (0.1 for patterns that are nearly symmetric, else 1).",
    function(A, permc_spec, threshold)
      return factor("sparse.linalg.splu", A, { order = permc_spec,
        threshold = number("sparse.linalg.splu", "diag_pivot_thresh", threshold, -1, 0) })
    end)

  --- The class of these objects, for its name: SuperLU is made by splu and spilu alone.
  def("sparse.linalg.SuperLU()", "The class of the factors that splu and spilu give; it makes none itself.",
    function() fail("sparse.linalg.SuperLU", "factors are not made so; wanted splu(A) or spilu(A)") end)

  def("sparse.linalg.spilu(A, drop_tol?, fill_factor?, drop_rule?, permc_spec?, diag_pivot_thresh?)",
    "Factors of about a square sparse matrix, for preconditioners, with the methods of splu's: what is smaller than " ..
      "drop_tol (1e-4) times the largest of its column is left out, and a column keeps fill_factor (10) times A's " ..
      "entries a column at most. drop_rule is taken and changes nothing.",
    function(A, drop_tol, fill_factor, _, permc_spec, threshold)
      local name = "sparse.linalg.spilu"
      return factor(name, A, { order = permc_spec, incomplete = true,
        drop = number(name, "drop_tol", drop_tol, 1e-4, 0), fill = number(name, "fill_factor", fill_factor, 10, 1),
        threshold = number(name, "diag_pivot_thresh", threshold, 0.1, 0) })
    end)

  def("sparse.linalg.factorized(A)", "A function that gives x with A x = b for a b, by factors that are computed once.",
    function(A)
      local factors = factor("sparse.linalg.factorized", A, {})
      return function(b) return solve(factors, "sparse.linalg.factorized", b) end
    end)

  -- ==== Solutions ==================================================================================================

  local BLOCK = 64          -- columns of a sparse right side that are solved together

  --- The solution for sparse right sides, by blocks of columns.
  local function solve_sparse(name, factors, b)
    b = b:tocsc()
    local blocks = {}
    for first = 1, b.shape[2], BLOCK do
      local last = min(first + BLOCK - 1, b.shape[2])
      blocks[#blocks + 1] = ma.sparse.csc_matrix(solve(factors, name, b[{ {}, { first, last } }]:toarray()))
    end
    if #blocks == 0 then return ma.sparse.csc_matrix({ b.shape[1], 0 }) end
    return #blocks == 1 and blocks[1] or ma.sparse.hstack(blocks, { format = "csc" })
  end

  def("sparse.linalg.spsolve(A, b, permc_spec?)",
    "x with A x = b for a square sparse matrix, by factors; b is a vector, a matrix, or sparse as x is then. A " ..
      "singular matrix is an error.",
    function(A, b, permc_spec)
      local name = "sparse.linalg.spsolve"
      A = host.square(name, A)
      local sparse = host.is_sparse(b)
      if not sparse then b = is_array(b) and b or ma.asarray(b) end
      if (b.ndim ~= 1 and b.ndim ~= 2) or b.shape[1] ~= A.shape[1] then
        fail(name, sformat("b is %s beside a matrix of %d x %d; wanted as many rows",
          sparse and sformat("a sparse matrix of %d x %d", b.shape[1], b.shape[2]) or core.describe(b), A.shape[1],
          A.shape[2]))
      end
      local factors = factor(name, A, { order = permc_spec })
      return sparse and solve_sparse(name, factors, b) or solve(factors, name, b)
    end)

  --- The solution for a triangle of a matrix that is not on the CPU, and the first row without a diagonal or 0.
  local function triangle(name, A, b, lower, unit)
    if is_array(A) then A = ma.sparse.csr_matrix(A) end
    A = A:tocsr()
    if not A.has_canonical_format then
      A = A:copy()
      A:sum_duplicates()
    end
    local n, device = A.shape[1], b.device
    local dtype = system.dtype_of(A.dtype, b.dtype)
    local x = packed(b:to(A.device):astype(dtype))
    if x.size == 0 then return x, 0 end
    if rawequal(x, b) then x = x:copy() end
    local data = A.dtype == dtype and A.data or A.data:astype(dtype)
    local singular = core.sparse_triangle(name, A.indptr, A.indices, data, n, n, lower, unit, false, x)
    return device == A.device and x or x:to(device), singular:item()
  end

  def("sparse.linalg.spsolve_triangular(A, b, lower?, overwrite_A?, overwrite_b?, unit_diagonal?)",
    "x with A x = b for the lower triangle of a sparse matrix, or with lower = false the upper one; unit_diagonal: " ..
      "ones in place of its diagonal. The other triangle is not read. overwrite_A and overwrite_b change nothing.",
    function(A, b, lower, _, _, unit)
      local name = "sparse.linalg.spsolve_triangular"
      A = host.square(name, A)
      lower, unit = lower == nil or lower, unit and true or false
      local x, singular, back
      if A.device ~= "cpu" then
        x, singular = triangle(name, A, right_side(name, b, A.shape[1]), lower, unit)
      else
        local indptr, indices, data = host.compressed(name, A)
        x, back = right_sides(name, b, A.shape[1], system.dtype_of(A.dtype))
        x = packed(x):copy()
        -- Rows of A are columns of its transpose.
        singular = core.direct_solve(name, indptr, indices, data, x, not lower, unit, 1)
      end
      if singular > 0 then fail(name, sformat("the triangle is singular: 0 on the diagonal of row %d", singular)) end
      return back and back(x) or x
    end)

  def("sparse.linalg.inv(A)", "The inverse of a square sparse matrix, as a sparse matrix of A's format. Most of it " ..
    "is not 0 as a rule.",
    function(A)
      local name = "sparse.linalg.inv"
      A = host.square(name, A)
      local factors = factor(name, A, {})
      local one = ma.sparse.identity(A.shape[1], { dtype = factors.dtype, format = "csc", device = A.device })
      local x = solve_sparse(name, factors, one)
      return is_array(A) and x or x:asformat(A.format)
    end)
end
