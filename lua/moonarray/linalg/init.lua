--- ma.linalg: functions over the factorisations in C. They wait only for checks, which `check = false` leaves out.

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local views = require "moonarray.linalg.views" (ma, core)
  local solved_dtype, real_dtype, epsilon, matrix, square = views.solved_dtype, views.real_dtype, views.epsilon,
    views.matrix, views.square
  local beside, transposed, adjoint, upright, flat = views.beside, views.transposed, views.adjoint, views.upright,
    views.flat
  local columns, rows, diagonal, times, batch_of = views.columns, views.rows, views.diagonal, views.times,
    views.batch_of
  local identity, with_right = views.identity, views.with_right

  -- ==== Factorisations =============================================================================================

  --- The 1-based places of s in descending order, by counting: s has few values compared with the work of computing
  --- them.
  local function descending(s)
    local n = s.shape[s.ndim]
    local place = ma.range(1, n, { device = s.device })
    local other, own = flat(s), upright(s)
    local rank = (other:gt(own) + other:eq(own) * flat(place):lt(upright(place))):sum(-1, { dtype = "int64" }) + 1
    return ma.argmax(flat(rank):eq(upright(place)), -1)
  end

  local function svd_hermitian(name, a, compute_uv, check)
    a = square(name, a)
    if not compute_uv or a.size == 0 then
      local s = ma.absolute(core.linalg_eigh(name, a, false, true, check))
      return s.size == 0 and s or ma.take_along_axis(s, descending(s), -1)
    end
    local w, v = core.linalg_eigh(name, a, true, true, check)
    local s = ma.absolute(w)
    local order = descending(s)
    s, w, v = ma.take_along_axis(s, order, -1), ma.take_along_axis(w, order, -1), ma.take_along_axis(v, flat(order), -1)
    return v, s, adjoint(v * flat(ma.where(w:lt(0), -1, 1):astype(w.dtype)))
  end

  local function svd(name, a, full, compute_uv, hermitian, check)
    a = matrix(name, a)
    if hermitian and (a.size > 0 or not compute_uv) then return svd_hermitian(name, a, compute_uv, check ~= false) end
    return core.linalg_svd(name, a, not compute_uv and "N" or full and "A" or "S", check ~= false)
  end

  --> linalg.svd: local u, s, vh = ma.linalg.svd({{3, 0}, {0, 4}})
  -->   return s
  def("linalg.svd(a: data, full_matrices?: boolean, compute_uv?: boolean, "
    .. "hermitian?: boolean; check?: boolean) -> array, array?, array?",
    "u, s, vh with a = u diag(s) vh: square u and vh, or with full_matrices = false the columns and rows that " ..
      "count. Without compute_uv, s alone.",
    function(a, full, compute_uv, hermitian, check)
      return svd("linalg.svd", a, full ~= false, compute_uv ~= false, hermitian, check)
    end)

  --> linalg.svdvals({{3, 0}, {0, 4}})
  def("linalg.svdvals(x: data; check?: boolean) -> array", "The singular values, largest first.",
    function(a, check) return svd("linalg.svdvals", a, false, false, false, check) end)

  local modes = { reduced = true, complete = true, r = true, raw = true }

  local function qr(a, mode)
    local m, n = a.shape[a.ndim - 1], a.shape[a.ndim]
    local k = math.min(m, n)
    local wide = mode == "complete" and m or k
    local h, tau = core.linalg_qr("linalg.qr", a, wide)
    if mode == "raw" then return transposed(columns(h, n)), tau end
    local r = ma.triu(rows(columns(h, n), wide))
    if mode == "r" then return r end
    return core.linalg_qr_form("linalg.qr", columns(h, wide), tau), r
  end

  --> linalg.qr: local q, r = ma.linalg.qr({{3, 0}, {4, 5}})
  -->   return ma.abs(r):round(6)
  def("linalg.qr(a: data, mode?: string) -> array, array?",
    "q, r with a = q r: reduced, complete, r (alone) or raw (the reflectors, transposed, and their factors).",
    function(a, mode)
      a = matrix("linalg.qr", a)
      mode = mode or "reduced"
      if not modes[mode] then
        fail("linalg.qr", sformat("%s for mode; reduced, complete, r or raw", common.shown(mode)))
      end
      if core.is_recording() then return core.flows.qr(a, mode, qr) end
      return qr(a, mode)
    end)

  --- Cholesky's factor with zeros above the diagonal. On the CPU the core writes the zeros. On a GPU they come with the
  --- copy on which the library works; for a single matrix that has a factor the library leaves them there, and for
  --- batches of few rows the kernel.
  local function lower_factor(name, a, check)
    if a.device == "cpu" then return core.linalg_cholesky(name, a, check ~= false) end
    local few = a.shape[a.ndim] <= 32
    if (a.ndim == 2 or few) and check ~= false then return core.linalg_cholesky(name, ma.tril(a), true) end
    return ma.tril(core.linalg_cholesky(name, a, check ~= false))
  end

  --> linalg.cholesky({{4, 2}, {2, 10}})
  def("linalg.cholesky(a: data; upper?: boolean, check?: boolean) -> array",
    "The lower triangle l with a = l l^H of Hermitian positive definite matrices, or the upper one, l^H.",
    function(a, upper, check)
      a = square("linalg.cholesky", a)
      if upper then a = adjoint(a) end
      local l = lower_factor("linalg.cholesky", a, check)
      return upper and adjoint(l) or l
    end)

  local function is_lower(name, uplo)
    uplo = uplo or "L"
    local upper = type(uplo) == "string" and uplo:upper()
    if upper ~= "L" and upper ~= "U" then fail(name, sformat("%s for UPLO; 'L' or 'U'", common.shown(uplo))) end
    return upper == "L"
  end

  --> linalg.eigh: local w, v = ma.linalg.eigh({{2, 0}, {0, 3}})
  -->   return w
  def("linalg.eigh(a: data, UPLO?: string; check?: boolean) -> array, array",
    "w, v: the eigenvalues of Hermitian matrices, ascending, and their vectors as columns. UPLO: the triangle read.",
    function(a, uplo, check)
      return core.linalg_eigh("linalg.eigh", square("linalg.eigh", a), true, is_lower("linalg.eigh", uplo),
        check ~= false)
    end)

  --> linalg.eigvalsh({{2, 0}, {0, 3}})
  def("linalg.eigvalsh(a: data, UPLO?: string; check?: boolean) -> array",
    "The eigenvalues of Hermitian matrices, ascending.",
    function(a, uplo, check)
      return core.linalg_eigh("linalg.eigvalsh", square("linalg.eigvalsh", a), false, is_lower("linalg.eigvalsh", uplo),
        check ~= false)
    end)

  --> linalg.eig: local w, v = ma.linalg.eig({{2, 0}, {0, 3}})
  -->   return w
  def("linalg.eig(a: data; check?: boolean) -> array, array",
    "w, v: the eigenvalues of square matrices and their vectors as columns, always complex.",
    function(a, check) return core.linalg_eig("linalg.eig", square("linalg.eig", a), true, check ~= false) end)

  --> linalg.eigvals({{2, 0}, {0, 3}})
  def("linalg.eigvals(a: data; check?: boolean) -> array", "The eigenvalues of square matrices, always complex.",
    function(a, check) return core.linalg_eig("linalg.eigvals", square("linalg.eigvals", a), false, check ~= false) end)

  -- ==== LU =========================================================================================================

  --- The order of rows that the exchanges `pivots` make of 1 .. m, or its inverse. It is found by solving a system
  --- whose factors are identities for 1 .. m.
  local function order_of(name, a, pivots, m, trans)
    local k = pivots.shape[pivots.ndim]
    local batch = batch_of(a.shape, m, m)
    if m == 0 then return ma.zeros(batch_of(a.shape, 0), { dtype = "int64", device = a.device }) end
    if k < m then
      local rest = ma.range(k + 1, m, { device = a.device }):broadcast_to(batch_of(a.shape, m - k))
      pivots = k == 0 and rest or ma.concatenate({ pivots, rest }, -1)
    end
    local iota = upright(ma.range(1, m, { device = a.device }):astype("float64"))
    local order = core.linalg_lu_solve(name, identity(a, m, "float64"):broadcast_to(batch), pivots, trans, iota)
    return ma.squeeze(order, -1):astype("int64")
  end

  --> linalg.lu({{4, 2}, {2, 3}})
  def("linalg.lu(a: data, permute_l?: boolean; p_indices?: boolean) -> array, array, array",
    "p, l, u with a = p l u; with permute_l p l and u; with p_indices a vector in place of p: a = l[p] u. A " ..
      "singular matrix has them too.",
    function(a, permute_l, p_indices)
      local m, n
      a, m, n = matrix("linalg.lu", a)
      local k = math.min(m, n)
      local lu, pivots = core.linalg_lu("linalg.lu", a)
      local u = ma.triu(rows(lu, k))
      local l = ma.tril(columns(lu, k), -1) + ma.eye(m, k, 0, { dtype = lu.dtype, device = lu.device })
      if permute_l or p_indices then
        local places = order_of("linalg.lu", lu, pivots, m, "T")
        if p_indices and not permute_l then return places, l, u end
        if l.size == 0 then return l, u end
        return ma.take_along_axis(l, upright(places), -2), u
      end
      local order = order_of("linalg.lu", lu, pivots, m, "N")
      return upright(ma.range(1, m, { device = a.device })):eq(flat(order)):astype(lu.dtype), l, u
    end)

  --> linalg.lu_factor({{4, 2}, {2, 3}})
  def("linalg.lu_factor(a: data) -> array, array",
    "lu, piv: both triangles in one matrix, l's diagonal of ones left out, and row piv[i] " ..
    "that row i was exchanged with.",
    function(a) return core.linalg_lu("linalg.lu_factor", (matrix("linalg.lu_factor", a))) end)

  local transposes = { [0] = "N", "T", "C", N = "N", T = "T", C = "C" }
  local function transpose_of(name, trans)
    local letter = transposes[trans or 0]
    if not letter then fail(name, sformat("%s for trans; 0 or 'N', 1 or 'T', 2 or 'C'", common.shown(trans))) end
    return letter
  end

  --> linalg.lu_solve: ma.linalg.lu_solve({ma.linalg.lu_factor({{4, 0}, {0, 2}})}, {8, 6})
  def("linalg.lu_solve(lu_and_piv: table, b: data, trans?: integer) -> array",
    "x with a x = b (trans 'T': a^T x = b, 'C': a^H x = b) for {lu, piv} of lu_factor(a).",
    function(factors, b, trans)
      local name = "linalg.lu_solve"
      if type(factors) ~= "table" or not core.is_array(factors[1]) or not core.is_array(factors[2]) then
        fail(name, sformat("lu_and_piv is %s; wanted {lu, piv}", core.describe(factors)))
      end
      local lu, n, shape = square(name, factors[1], "lu")
      local piv = factors[2]
      trans = transpose_of(name, trans)
      if not is.integer[piv.dtype] or piv.ndim ~= lu.ndim - 1 or piv.shape[piv.ndim] ~= n then
        fail(name, sformat("piv is %s beside %s; wanted lu_factor's", core.describe(piv), core.describe(lu)))
      end
      return with_right(name, lu, b, shape[#shape],
        function(right) return core.linalg_lu_solve(name, lu, piv, trans, right) end)
    end)

  local function solve(name, a, b, check)
    local n
    a, n = square(name, a)
    return with_right(name, a, b, n, function(right) return core.linalg_solve(name, a, right, check ~= false) end)
  end

  --> linalg.solve({{2, 0}, {0, 4}}, {2, 4})
  def("linalg.solve(a: data, b: data; check?: boolean) -> array",
    "x with a x = b. b of one axis is one vector, all else are matrices of right sides.",
    function(a, b, check) return solve("linalg.solve", a, b, check) end)

  local function inverse(name, a, check)
    return core.linalg_inv(name, square(name, a), check ~= false)
  end

  --> linalg.inv({{2, 0}, {0, 4}})
  def("linalg.inv(a: data; check?: boolean) -> array", "The inverse of square matrices.",
    function(a, check) return inverse("linalg.inv", a, check) end)

  --> linalg.solve_triangular({{2, 0}, {1, 4}}, {2, 5}, {lower = true})
  def("linalg.solve_triangular(a: data, b: data, trans?: integer|string, lower?: boolean, "
    .. "unit_diagonal?: boolean; check?: boolean) -> array",
    "x with a x = b, of the upper (or lower) triangle of a; trans 'T': a^T x = b, 'C': a^H x = b; unit_diagonal: " ..
      "ones in place of a's diagonal.",
    function(a, b, trans, lower, unit, check)
      local name = "linalg.solve_triangular"
      local n
      a, n = square(name, a)
      trans = transpose_of(name, trans)
      return with_right(name, a, b, n, function(right)
        return core.linalg_triangular_solve(name, a, right, lower and true or false, trans, unit and true or false,
          check ~= false)
      end)
    end)

  --- The diagonals of U, and whether the number of exchanges is odd.
  local function determinant_parts(name, a)
    local lu, pivots = core.linalg_lu(name, a)
    local odd = pivots:ne(ma.range(1, a.shape[a.ndim], { device = a.device })):sum(-1, { dtype = "int64" }) % 2
    return diagonal(lu), odd:eq(1)
  end

  local function det(a)
    if a.device == "cpu" then
      local lu, pivots = core.linalg_lu("linalg.det", a)
      return core.linalg_signed(diagonal(lu):prod(-1), pivots)
    end
    local d, odd = determinant_parts("linalg.det", a)
    local product = d:prod(-1)
    return ma.where(odd, -product, product)
  end

  --> linalg.det({{2, 1}, {1, 3}})
  def("linalg.det(a: data) -> array", "The determinant, by LU.", function(a)
    a = square("linalg.det", a)
    if core.is_recording() then return core.flows.det(a, det) end
    return det(a)
  end)

  local function slogdet(a)
    local d, odd = determinant_parts("linalg.slogdet", a)
    local sign = ma.sign(d):prod(-1)
    return ma.where(odd, -sign, sign), ma.log(ma.absolute(d)):sum(-1)
  end

  --> linalg.slogdet({{2, 0}, {0, 1}})
  def("linalg.slogdet(a: data) -> array, array",
    "sign, logabsdet: the determinant is sign * exp(logabsdet).", function(a)
    a = square("linalg.slogdet", a)
    if core.is_recording() then return core.flows.slogdet(a, slogdet) end
    return slogdet(a)
  end)

  -- ==== By singular values =========================================================================================

  --- A tolerance beside singular values: a number, or an array with one for each matrix of the stack.
  local function tolerance(name, what, value, s)
    if type(value) == "number" then return value end
    local a = core.asarray(value, { device = s.device })
    local batch = common.before_last(s.shape)
    local fits = not ma.iscomplexobj(a) and a.ndim <= #batch
    for d = 1, fits and a.ndim or 0 do
      local extent = a.shape[a.ndim + 1 - d]
      fits = fits and (extent == 1 or extent == batch[#batch + 1 - d])
    end
    if not fits then
      fail(name, sformat("%s is %s; wanted a number, or one for each matrix of a stack (%s)", what, core.describe(a),
        table.concat(batch, ", ")))
    end
    return ma.expand_dims(a, -1)
  end

  --> linalg.pinv({{2, 0}, {0, 4}})
  def("linalg.pinv(a: data, rcond?: number|array, hermitian?: boolean; rtol?: number|array, check?: boolean) -> array",
    "The pseudo-inverse; singular values of at most rcond (1e-15) times the largest count as 0. An array of rcond " ..
      "or rtol, which is the same, has one for each matrix of a stack.",
    function(a, rcond, hermitian, rtol, check)
      local name = "linalg.pinv"
      local m, n, shape
      a, m, n, shape = matrix(name, a)
      if a.size == 0 then return ma.empty(batch_of(shape, n, m), { dtype = solved_dtype(a), device = a.device }) end
      local function pinv()
        local u, s, vh = svd(name, a, false, true, hermitian, check)
        local part = tolerance(name, rcond and "rcond" or "rtol", rcond or rtol or 1e-15, s)
        local cutoff = s:max(-1, { keepdims = true }) * part
        local inverted = ma.where(s:le(cutoff), 0, 1 / s):astype(s.dtype)
        return times(adjoint(vh), upright(inverted) * adjoint(u))
      end
      if core.is_recording() then return core.flows.pinv(name, a, pinv, hermitian) end
      return pinv()
    end)

  --> linalg.matrix_rank({{1, 2}, {2, 4}})
  def("linalg.matrix_rank(a: data, tol?: number|array, hermitian?: boolean; rtol?: number|array, "
    .. "check?: boolean) -> array",
    "The number of singular values above tol, or rtol (eps times the larger extent) times the largest. An array " ..
      "of tol or rtol has one for each matrix of a stack.",
    function(a, tol, hermitian, rtol, check)
      local name = "linalg.matrix_rank"
      a = core.asarray(a)
      if a.ndim < 2 then return a:ne(0):max():astype("int64") end
      local shape = a.shape
      local s = svd(name, a, false, false, hermitian, check)
      if s.shape[s.ndim] == 0 then return s:sum(-1):astype("int64") end
      if tol then tol = tolerance(name, "tol", tol, s)
      else
        tol = s:max(-1, { keepdims = true })
          * tolerance(name, "rtol", rtol or math.max(shape[#shape], shape[#shape - 1]) * epsilon(a), s)
      end
      return s:gt(tol):sum(-1, { dtype = "int64" })
    end)

  --- x of least norm by the SVD; for tall matrices by that of R, which is small.
  local function least_squares(name, a, b, m, n, rcond, check)
    local left, right, recorded = a, b, core.is_recording()
    local tail
    if m >= 2 * n and n > 0 and not recorded then
      local h, tau = core.linalg_qr(name, a, n)
      local qb = core.linalg_qr_apply(name, h, tau, b)
      left, right = ma.triu(rows(h, n)), rows(qb, n)
      tail = qb[{ "...", { n + 1, m }, {} }]
    end
    local u, s, vh = core.linalg_svd(name, left, "S", check)
    local kept = s:gt(s:max(-1, { keepdims = true }) * rcond)
    local inverted = upright(ma.where(kept, 1 / s, 0):astype(s.dtype))
    local x
    if recorded then
      local function pinv() return times(adjoint(vh), inverted * adjoint(u)) end
      x = times(core.flows.pinv(name, a, pinv), b)
    else
      x = times(adjoint(vh), inverted * times(adjoint(u), right))
    end
    local residual = tail or (m > n and b - times(a, x) or nil)
    return x, residual and ma.square(ma.absolute(residual)):sum(-2), kept:sum(-1, { dtype = "int64" }), s
  end

  --> linalg.lstsq: (ma.linalg.lstsq({{1, 0}, {0, 2}}, {3, 4}))
  def("linalg.lstsq(a: data, b: data, rcond?: number; check?: boolean) -> array, array, array, array",
    "x, residuals, rank, s: the x of least norm that makes |b - a x| least, the squared sums left (none where the " ..
      "rank is not full), and a's singular values.",
    function(a, b, rcond, check)
      local name = "linalg.lstsq"
      local m, n, shape
      a, m, n, shape = matrix(name, a)
      b = beside(a, b)
      rcond = rcond == -1 and epsilon(a) or rcond or epsilon(a) * math.max(m, n)
      local vector = b.ndim == 1
      local residuals, rank, s
      if vector then b = upright(b) end
      if b.ndim < 2 or b.shape[b.ndim - 1] ~= m then
        fail(name, sformat("%s and right sides in %s; as many rows", core.describe(a), core.describe(b)))
      end
      local dtype = ma.result_type(solved_dtype(a), solved_dtype(b))
      a, b = a:astype(dtype), b:astype(dtype)
      local right = b.shape[b.ndim]
      if a.ndim > 2 or b.ndim > 2 then
        local batch = ma.broadcast_shapes(batch_of(shape), batch_of(b.shape))
        local function spread(x, p, q) return x:broadcast_to(common.joined(batch, { p, q })) end
        a, b = spread(a, m, n), spread(b, m, right)
        shape = a.shape
      end
      local x
      if a.size == 0 then
        x = ma.zeros(batch_of(shape, n, right), { dtype = dtype, device = a.device })
        rank = ma.zeros(batch_of(shape), { dtype = "int64", device = a.device })
        s = ma.zeros(batch_of(shape, 0), { dtype = real_dtype(dtype), device = a.device })
        if m > n then residuals = ma.square(ma.absolute(b)):sum(-2) end
      else
        x, residuals, rank, s = least_squares(name, a, b, m, n, rcond, check ~= false)
      end
      if not residuals or (a.ndim == 2 and check ~= false and rank:item() < n) then
        residuals = ma.empty(batch_of(shape, 0), { dtype = real_dtype(dtype), device = a.device })
      else
        residuals = ma.where(upright(rank):eq(n), residuals, ma.nan):astype(real_dtype(dtype))
      end
      if vector then x = ma.squeeze(x, -1) end
      return x, residuals, rank, s
    end)

  -- ==== NumPy's second names of products =============================================================================

  --> linalg.matmul({{1, 2}, {3, 4}}, {{1, 0}, {0, 1}})
  def("linalg.matmul(x1: data, x2: data) -> array", "moonarray.matmul", function(a, b) return ma.matmul(a, b) end)
  --> linalg.tensordot({{1, 2}, {3, 4}}, {{1, 0}, {0, 1}})
  def("linalg.tensordot(x1: data, x2: data, axes?: integer|integer[]|integer[][]) -> array", "moonarray.tensordot",
    function(a, b, axes) return ma.tensordot(a, b, axes) end)
  --> linalg.vecdot({{1, 2}, {3, 4}}, {1, 1})
  def("linalg.vecdot(x1: data, x2: data, axis?: integer|integer[]) -> array",
    "moonarray.vecdot", function(a, b, axis) return ma.vecdot(a, b, axis) end)

  --> linalg.cross({1, 0, 0}, {0, 1, 0})
  def("linalg.cross(x1: data, x2: data, axis?: integer|integer[]) -> array",
    "moonarray.cross, of vectors of 3 elements alone.", function(a, b, axis)
    a, b, axis = core.asarray(a), core.asarray(b), axis or -1
    for _, x in ipairs { a, b } do
      local n = x.ndim > 0 and x.shape[common.axis("linalg.cross", axis, x.ndim)] or 1
      if n ~= 3 then fail("linalg.cross", sformat("vectors of %d elements in %s; wanted 3", n, core.describe(x))) end
    end
    return ma.cross(a, b, { axis = axis })
  end)

  --> linalg.outer({1, 2}, {3, 4})
  def("linalg.outer(x1: data, x2: data) -> array", "moonarray.outer, of two vectors alone.", function(a, b)
    a, b = core.asarray(a), core.asarray(b)
    for _, x in ipairs { a, b } do
      if x.ndim ~= 1 then fail("linalg.outer", sformat("%s; wanted vectors", core.describe(x))) end
    end
    return ma.outer(a, b)
  end)

  --> linalg.diagonal({{1, 2}, {3, 4}})
  def("linalg.diagonal(x: data, offset?: integer) -> array",
    "The diagonals of the matrices in the last two axes: a view.", function(x, offset)
    return ma.diagonal((matrix("linalg.diagonal", x, "x")), offset or 0, -2, -1)
  end)

  --> linalg.trace({{1, 2}, {3, 4}})
  def("linalg.trace(x: data, offset?: integer, dtype?: dtype) -> array",
    "The sums of the diagonals of the matrices in the last two axes.",
    function(x, offset, dtype)
    return ma.trace((matrix("linalg.trace", x, "x")), offset or 0, -2, -1, dtype)
  end)

  local shared = { svd = svd, solve = solve, inverse = inverse }
  require "moonarray.linalg.norms" (ma, core, views, shared)
  require "moonarray.linalg.tensors" (ma, core, views, shared)
  require "moonarray.linalg.cholesky" (ma, core, views, lower_factor)
  require "moonarray.linalg.special" (ma, core, views)
end
