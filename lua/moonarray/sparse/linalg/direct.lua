--- Sparse systems by factors: spsolve, splu, spilu, factorized, spsolve_triangular, inv. Factors of a GPU's matrix are
--- its own where it computes them (kept.lua). Else they are the CPU's (src/ops/factors), and right sides and solutions
--- of a GPU are copied. Triangles are solved where they are.
--# sparse_linalg

local tostring = require("moonarray.text").tostring
local sformat, min = require("moonarray.text").format, math.min

local ORDERS = { NATURAL = 1, MMD_AT_PLUS_A = 2, MMD_ATA = 3, COLAMD = 3 }
local FORMS = { N = 0, T = 1, H = 2 }

return function(ma, core, operator, system, host)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local packed = host.packed
  local kept = require "moonarray.sparse.linalg.kept" (ma, core, host)

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
    b = is_array(b) and b or core.asarray(b)
    if (b.ndim ~= 1 and b.ndim ~= 2) or b.shape[1] ~= n then
      fail(name, sformat("b is %s beside a matrix of %d x %d; wanted as many rows", core.describe(b), n, n))
    end
    return b
  end

  local function is_complex(dtype) return dtype == "complex64" or dtype == "complex128" end

  --- Right sides as columns on `device` for factors of `factor_dtype`, which compute in `working`; and what gives
  --- solutions their dtype, shape and device. Complex right sides of real factors are two columns each.
  local function right_sides(name, b, n, factor_dtype, device, working)
    b = right_side(name, b, n)
    local dtype, home, shape = system.dtype_of(factor_dtype, b.dtype), b.device, b.shape
    local columns = (home == device and b or b:to(device)):reshape(n, b.ndim == 1 and 1 or b.shape[2])
    local count = columns.shape[2]
    local apart = ma.iscomplexobj(b) and not is_complex(factor_dtype)
    if apart then columns = ma.concatenate({ columns.real, columns.imag }, 2) end
    return columns:astype(working), function(x)
      if apart then x = x[{ {}, { 1, count } }] + ma.complex(0, 1) * x[{ {}, { count + 1, 2 * count } }] end
      x = packed(x:astype(dtype)):reshape(shape)
      return home == device and x:eval() or x:to(home)
    end
  end

  -- ==== Factors ====================================================================================================

  --- Factors that the CPU computes.
  local function factor_there(name, A, options)
    local n = A.shape[1]
    local indptr, indices, data = host.compressed(name, A, true)
    local result = { core.factors_make(name, indptr, indices, data, n, options.order or 0, options.threshold or -1,
      options.incomplete or false, options.drop or 0, options.fill or 1) }
    if #result == 1 then
      fail(name, sformat("the matrix is exactly singular: pivot %d is 0; lsqr or lsmr give a least-squares solution",
        result[1]))
    end
    for k = 7, 8 do          -- places of rows and of columns; behind them what undoes them
      result[k + 2] = n > 0 and ma.argsort(result[k]) or result[k]:astype("int64")
    end
    --- Both forms of a factor: by columns, and as the CSR of its transpose.
    local function both(first)
      local start, row = result[first], result[first + 1]
      if row.size < 2 ^ 31 - 1 then start = start:astype("int32") else row = row:astype("int64") end
      local function as(format)
        return { format = format, rows = n, columns = n, indptr = start, indices = row, data = result[first + 2] }
      end
      return { plain = as("csc"), turned = as("csr") }
    end
    result.L, result.U = both(1), both(4)
    return result
  end

  --- An object with factors, of `dtype`, by default A's. With `options`, which only the CPU has, they are the CPU's.
  local function factor(name, A, options, dtype)
    A = host.square(name, A)
    local n, own = A.shape[1], system.dtype_of(A.dtype)
    local self = setmetatable({ shape = { n, n }, dtype = own, device = A.device, made = {},
      kind = options and options.incomplete and "spilu" or "splu" }, Meta)
    local on_device = not options and kept.factor(name, A, dtype or own)
    if on_device then
      rawset(self, "kept", { N = on_device })
    else
      rawget(self, "made").parts = factor_there(name, A, options or {})
    end
    return self
  end

  --- The CPU's factors of an object, which so far may have only the GPU's.
  local function parts_of(self)
    return factor_there("sparse.linalg.SuperLU", kept.matrix(rawget(self, "kept").N), {})
  end

  local function order_of(name, order)
    return order ~= nil and (ORDERS[order] or fail(name, sformat("%s for permc_spec; wanted COLAMD, MMD_ATA, " ..
      "MMD_AT_PLUS_A or NATURAL", core.describe(order)))) or 0
  end

  --- The solutions for columns by the CPU's factors; with `turned`, those of the transposed system.
  local function solve_there(name, self, columns, turned)
    local p, n = self.parts, self.shape[1]
    if n == 0 then return columns end
    local x = packed(columns:take(turned and p[8] or p[9], 1))
    if turned then
      core.sparse_triangle(name, p.U.turned, x, true, false)
      core.sparse_triangle(name, p.L.turned, x, false, true)
    else
      core.sparse_triangle(name, p.L.plain, x, true, true)
      core.sparse_triangle(name, p.U.plain, x, false, false)
    end
    return x:take(turned and p[7] or p[10], 1)
  end

  --- The device's factors of A, or of its transpose, which are made at the first use.
  local function kept_of(name, self, form)
    local all = rawget(self, "kept")
    if not all then return nil end
    if form == 0 then return all.N end
    if all.T == nil then
      all.T = kept.factor(name, kept.matrix(all.N).T, all.N.matrix.dtype) or false
    end
    return all.T or nil
  end

  local function solve(self, name, b, trans)
    local n, form = self.shape[1], FORMS[trans or "N"]
    if not form then fail(name, sformat("%s for trans; 'N', 'T' or 'H'", common.shown(trans))) end
    local factors = kept_of(name, self, form)
    local dtype = factors and factors.matrix.dtype or self.dtype
    local working = factors and dtype or is_complex(dtype) and "complex128" or "float64"
    local columns, back = right_sides(name, b, n, dtype, factors and self.device or "cpu", working)
    if columns.size == 0 then return back(columns) end
    local turn = form == FORMS.H and is_complex(dtype)       -- A^H x = b where A^T conj(x) = conj(b)
    if turn then columns = ma.conjugate(columns) end
    local x = factors and kept.solve(name, factors, columns) or solve_there(name, self, columns, form ~= FORMS.N)
    return back(turn and ma.conjugate(x) or x)
  end

  function methods:solve(rhs, trans)
    if type(trans) == "table" then trans = trans.trans end
    return solve(self, "SuperLU.solve", rhs, trans)
  end

  common.guard("SuperLU", Meta, methods)
  local attributes = common.attributes("sparse.linalg.SuperLU", methods)

  local function there(self, a) return self.device == "cpu" and a:copy() or a:to(self.device) end

  --- One of the factors as a sparse matrix.
  local function part(self, first)
    local p = self.parts
    return ma.sparse.csc_matrix({ there(self, p[first + 2]:astype(self.dtype)), there(self, p[first + 1]),
      there(self, p[first]) }, { shape = { self.shape[1], self.shape[2] } })
  end

  --- Attributes that are made when they are first read, and kept. `parts` are the CPU's factors.
  local made = {
    parts = parts_of,
    nnz = function(self) return self.parts[2].size + self.parts[5].size - self.shape[1] end,
    L = function(self) return part(self, 1) end,
    U = function(self) return part(self, 4) end,
    perm_r = function(self) return there(self, self.parts[7]) end,
    perm_c = function(self) return there(self, self.parts[10]) end,
  }

  Meta.__index = function(self, key)
    local make = made[key]
    if make then
      local values = rawget(self, "made")
      values[key] = values[key] or make(self)
      return values[key]
    end
    return attributes(self, key)
  end
  Meta.__tostring = function(self)
    local entries = rawget(self, "kept") and "on " .. self.device or sformat("%d entries", self.nnz)
    return sformat("<SuperLU of %d x %d by %s, %s, %s>", self.shape[1], self.shape[2], self.kind, entries, self.dtype)
  end
  operator.set_factors(Meta)

  def("sparse.linalg.splu(A: sparse_matrix|data, permc_spec?: string, diag_pivot_thresh?: number) -> table",
    "The factors of a square sparse matrix, P_r A P_c = L U: an object with solve(b, trans?) and the fields L, U, " ..
      "perm_r, perm_c, shape, nnz. permc_spec: the order of columns, COLAMD or MMD_ATA (of A^T A), MMD_AT_PLUS_A, " ..
      "NATURAL; by default what fits the pattern. diag_pivot_thresh: how small a pivot on the diagonal may be " ..
      "beside the largest of its column (0.1 for patterns that are nearly symmetric, else 1).",
    function(A, permc_spec, threshold)
      local name = "sparse.linalg.splu"
      return factor(name, A, (permc_spec ~= nil or threshold ~= nil) and { order = order_of(name, permc_spec),
        threshold = number(name, "diag_pivot_thresh", threshold, -1, 0) } or nil)
    end)

  --- The class is named SuperLU for programs that ask for it; only splu and spilu make such objects.
  def("sparse.linalg.SuperLU() -> table", "The class of the factors that splu and spilu give; it makes none itself.",
    function() fail("sparse.linalg.SuperLU", "factors are not made so; wanted splu(A) or spilu(A)") end)

  def("sparse.linalg.spilu(A: sparse_matrix|data, drop_tol?: number, fill_factor?: number, drop_rule?: string, "
    .. "permc_spec?: string, diag_pivot_thresh?: number) -> table",
    "Factors of about a square sparse matrix, for preconditioners, with the methods of splu's: what is smaller than " ..
      "drop_tol (1e-4) times the largest of its column is left out, and a column keeps fill_factor (10) times A's " ..
      "entries a column at most. drop_rule is taken and changes nothing.",
    function(A, drop_tol, fill_factor, _, permc_spec, threshold)
      local name = "sparse.linalg.spilu"
      return factor(name, A, { order = order_of(name, permc_spec), incomplete = true,
        drop = number(name, "drop_tol", drop_tol, 1e-4, 0), fill = number(name, "fill_factor", fill_factor, 10, 1),
        threshold = number(name, "diag_pivot_thresh", threshold, 0.1, 0) })
    end)

  def("sparse.linalg.factorized(A: sparse_matrix|data) -> function",
    "A function that gives x with A x = b for a b, by factors that are computed once.",
    function(A)
      local factors = factor("sparse.linalg.factorized", A)
      return function(b) return solve(factors, "sparse.linalg.factorized", b) end
    end)

  -- ==== Solutions ==================================================================================================

  local BLOCK = 64          -- columns of a sparse right side that are solved together

  --- The solution for sparse right sides, a block of columns at a time.
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

  --> sparse.linalg.spsolve sparse.linalg.factorized sparse.linalg.splu sparse.linalg.spilu sparse.linalg.SuperLU:
  --> \ ma.sparse.linalg.spsolve(ma.sparse.csc_matrix({{4, 1}, {1, 3}}), {9, 5}):round(6)
  def("sparse.linalg.spsolve(A: sparse_matrix|data, b: sparse_matrix|data, permc_spec?: string) -> array|sparse_matrix",
    "x with A x = b for a square sparse matrix, by factors; b is a vector, a matrix, or sparse as x is then. A " ..
      "singular matrix is an error.",
    function(A, b, permc_spec)
      local name = "sparse.linalg.spsolve"
      A = host.square(name, A)
      local sparse = host.is_sparse(b)
      if not sparse then b = is_array(b) and b or core.asarray(b) end
      if (b.ndim ~= 1 and b.ndim ~= 2) or b.shape[1] ~= A.shape[1] then
        fail(name, sformat("b is %s beside a matrix of %d x %d; wanted as many rows",
          sparse and sformat("a sparse matrix of %d x %d", b.shape[1], b.shape[2]) or core.describe(b), A.shape[1],
          A.shape[2]))
      end
      local dtype = system.dtype_of(A.dtype, b.dtype)
      if is_complex(dtype) and not is_complex(A.dtype) then dtype = system.real_of(dtype) end
      local options = permc_spec ~= nil and { order = order_of(name, permc_spec) } or nil
      local function solution()
        local factors = factor(name, A, options, dtype)
        return sparse and solve_sparse(name, factors, b) or solve(factors, name, b)
      end
      if core.is_recording() and not sparse and host.is_sparse(A) then
        return core.flows.sparse_solution(name, A, b, solution)
      end
      return solution()
    end)

  --> sparse.linalg.spsolve_triangular:
  --> \ ma.sparse.linalg.spsolve_triangular(ma.sparse.csr_matrix({{2, 0}, {1, 4}}), {2, 9})
  def("sparse.linalg.spsolve_triangular(A: sparse_matrix|data, b: sparse_matrix|data, lower?: boolean, "
    .. "overwrite_A?: boolean, overwrite_b?: boolean, unit_diagonal?: boolean) -> array",
    "x with A x = b for the lower triangle of a sparse matrix, or with lower = false the upper one; unit_diagonal: " ..
      "ones in place of its diagonal. The other triangle is not read. overwrite_A and overwrite_b change nothing.",
    function(A, b, lower, _, _, unit)
      local name = "sparse.linalg.spsolve_triangular"
      A = host.square(name, A)
      local function solution()
        local n, own = A.shape[1], system.dtype_of(A.dtype)
        local working = is_complex(own) and "complex128" or "float64"
        if A.device ~= "cpu" then            -- the CPU computes in float64
          b = right_side(name, b, n)
          working = system.dtype_of(A.dtype, b.dtype)
          own = is_complex(working) and working or own
        end
        A = host.canonical(A)
        local x, back = right_sides(name, b, n, own, A.device, working)
        if x.size == 0 then return back(x) end
        x = packed(x):copy()
        local singular = core.sparse_triangle(name, { format = "csr", rows = n, columns = n, indptr = A.indptr,
          indices = A.indices, data = A.dtype == working and A.data or A.data:astype(working) }, x,
          lower == nil or lower, unit or false):item()
        if singular > 0 then fail(name, sformat("the triangle is singular: 0 on the diagonal of row %d", singular)) end
        return back(x)
      end
      if core.is_recording() and host.is_sparse(A) and is_array(b) then
        return core.flows.sparse_triangle(name, A, b, lower == nil or lower, unit or false, solution)
      end
      return solution()
    end)

  --> sparse.linalg.inv: ma.sparse.linalg.inv(ma.sparse.csc_matrix({{2, 0}, {0, 4}})):toarray()
  def("sparse.linalg.inv(A: sparse_matrix|data) -> sparse_matrix",
    "The inverse of a square sparse matrix, as a sparse matrix of A's format. Most of it " ..
    "is not 0 as a rule.",
    function(A)
      local name = "sparse.linalg.inv"
      A = host.square(name, A)
      local factors = factor(name, A)
      local one = ma.sparse.identity(A.shape[1], { dtype = factors.dtype, format = "csc", device = A.device })
      local x = solve_sparse(name, factors, one)
      return is_array(A) and x or x:asformat(A.format)
    end)
end
