--- eigsh and svds: some eigenvalues of Hermitian matrices by the Lanczos method with thick restarts (Wu and Simon, SIAM
--- J. Matrix Anal. Appl. 22, 2000), and some singular values by them. The host reads the small matrix of a sweep at its
--- end, and nothing before.
--# sparse_linalg

local sformat, min, max, floor, abs = require("moonarray.text").format, math.min, math.max, math.floor, math.abs

return function(ma, core, operator, system, host)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  local WHICH = { LM = true, SM = true, LA = true, SA = true, BE = true }

  --- The positions of the k eigenvalues that are wanted in an ascending list.
  local function choose(values, k, which)
    local order = {}
    for i = 1, #values do order[i] = i end
    if which == "LA" then
      table.sort(order, function(a, b) return a > b end)
    elseif which == "LM" or which == "SM" then
      local sign = which == "LM" and -1 or 1
      table.sort(order, function(a, b)
        local p, q = abs(values[a]), abs(values[b])
        if p ~= q then return sign * p < sign * q end
        return a < b
      end)
    elseif which == "BE" then
      local ends, lo, hi = {}, 1, #values
      while lo <= hi do
        ends[#ends + 1] = hi
        hi = hi - 1
        if lo <= hi then ends[#ends + 1] = lo end
        lo = lo + 1
      end
      order = ends
    end
    local list = {}
    for i = 1, min(k, #order) do list[i] = order[i] end
    return list
  end

  -- ==== Lanczos ====================================================================================================

  --- A random vector: the start, or the next vector where only rounding is left of one.
  local function any_vector(s)
    s.draws = s.draws + 1
    local v = ma.random.default_rng(s.draws):standard_normal(s.n):astype(s.real):to(s.device)
    return v:astype(s.dtype)
  end

  --- Subtracts from w, in place, its components along the first k rows of V. Returns the components.
  local function clear(s, w, k)
    local basis = s.V[{ { 1, k }, {} }]
    local h
    if s.is_complex then h = ma.conjugate(ma.matmul(basis, ma.conjugate(w))) else h = ma.matmul(basis, w) end
    ma.subtract(w, ma.matmul(h, basis, { out = s.along }), w)
    return h
  end

  local function clear_twice(s, w, k) return clear(s, w, k) + clear(s, w, k) end

  local recur = ma.fuse(function(w, alpha, v, beta, u) return w - alpha * v - beta * u end, "recur")

  --- Fills rows first + 1 .. m + 1 of the basis, and rows first .. m of H. Row j of H holds the coefficients that
  --- orthogonalisation found along the vectors 1 .. j. The columns after the m-th hold beta and alpha, the recurrence's
  --- coefficients, which were subtracted before. The recurrence leaves only rounding, so one more orthogonalisation is
  --- enough. Row `first` goes without a recurrence.
  local function sweep(s, first, m)
    local beta, previous
    for j = first, m do
      local v, w = s.V[j], s.room
      system.put(w, s.times(v, w))
      local alpha, h = 0
      if previous then
        alpha = system.inner(s, v, w)
        recur(w, alpha, v, beta, previous, { out = w })
        h = clear(s, w, j)
      else
        h = clear_twice(s, w, j)
      end
      beta, previous = system.length(s, w), v
      ma.multiply(w, system.ratio(1, beta), s.V[j + 1])
      s.H[{ j, { 1, j } }] = h
      s.H[{ j, m + 1 }] = beta
      s.H[{ j, m + 2 }] = alpha
    end
    local rows = s.H:to("cpu")
    local betas = ma.absolute(rows[{ { 1, m }, m + 1 }]):totable()
    local size = ma.absolute(rows):max():item()
    for j = first, m - 1 do
      if betas[j] <= 4 * s.eps * size then        -- an invariant subspace: the rest begins with any vector
        local w = any_vector(s)
        clear_twice(s, w, j)
        ma.multiply(w, system.ratio(1, system.length(s, w)), s.V[j + 1])
        s.H[{ j, m + 1 }] = 0
        return sweep(s, j + 1, m)
      end
    end
    return rows, betas, size
  end

  --- The Ritz values and vectors of the small matrix. Its rows hold the columns of the matrix down to the diagonal.
  local function ritz(s, rows, betas, first, m)
    local t = rows[{ { 1, m }, { 1, m } }] + ma.diag(rows[{ { 1, m }, m + 2 }])
    for j = first + 1, m do t[{ j, j - 1 }] = t[{ j, j - 1 }] + betas[j - 1] end
    local w, y = ma.linalg.eigh(s.is_complex and ma.conjugate(t) or t, "L")
    return w:totable(), y
  end

  --- The wanted eigenvalues of the operator `times` as a list, and the eigenvectors as rows of an array.
  local function lanczos(name, s, k, which, ncv, maxiter, tol)
    local n, m = s.n, ncv
    local on = { dtype = s.dtype, device = s.device }
    s.V, s.next_V, s.H = ma.empty({ m + 1, n }, on), ma.empty({ m + 1, n }, on), ma.zeros({ m, m + 2 }, on)
    s.room, s.along = ma.empty(n, on), ma.empty(n, on)
    s.V[1] = s.start / system.norm(s.start)
    local first = 1
    for restart = 1, maxiter do
      local rows, betas, size = sweep(s, first, m)
      local values, y = ritz(s, rows, betas, first, m)
      local beta = betas[m]
      local wanted = choose(values, k, which)
      local last = ma.absolute(y[m]):totable()
      local done = 0
      for _, i in ipairs(wanted) do
        -- Below eps times the matrix's size there is only rounding.
        if beta * last[i] <= max(tol * max(s.eps ^ (2 / 3), abs(values[i])), s.eps * size) or
          beta <= 4 * s.eps * size then done = done + 1 end
      end
      local function combined(list, out)
        local c = y:take(ma.array(list, { dtype = "int64", device = "cpu" }), 2).T
        return ma.matmul(c:to(s.device), s.V[{ { 1, m }, {} }], out and { out = out } or nil)
      end
      if done == #wanted then
        table.sort(wanted)
        return values, wanted, combined
      end
      if restart == maxiter then
        fail(name, sformat("%d of %d eigenvalues after %d restarts; wanted more steps (maxiter, ncv) or less " ..
          "accuracy (tol)", done, k, maxiter))
      end
      local keep = choose(values, min(max(k + done, floor((k + m) / 2)), m - 1), which)
      local kept = #keep
      combined(keep, s.next_V[{ { 1, kept }, {} }])
      s.next_V[kept + 1] = s.V[m + 1]
      s.V, s.next_V = s.next_V, s.V
      s.H:fill(0)
      local diagonal = {}
      for i = 1, kept do diagonal[i] = values[keep[i]] end
      s.H[{ { 1, kept }, { 1, kept } }] = ma.diag(ma.array(diagonal, { dtype = s.dtype, device = s.device }))
      s.H[{ { 1, kept }, m + 1 }] = size           -- not 0: these rows are no invariant subspaces
      first = kept + 1
    end
  end

  local function prepare(A, v0, name)
    local n = A.shape[1]
    local s = { n = n, draws = 0 }
    s.device = v0 and v0.device or A.matrix and A.matrix.device or ma.zeros(1).device
    local dtype = A.dtype or A:matvec(ma.zeros(n, { dtype = "float64", device = s.device })).dtype
    s.dtype = system.dtype_of(dtype)
    s.real = system.real_of(s.dtype)
    s.is_complex = s.real ~= s.dtype
    s.eps = ma.finfo(s.real).eps
    s.start = v0 and system.vector(name, "v0", v0, n):reshape(n):astype(s.dtype) or any_vector(s)
    s.on_host = s.device == "cpu"
    s.times = system.product(s, system.fitted(A, s.dtype), "matvec")
    return s
  end

  --- The operator of 1 / (A - sigma I).
  local function shifted(name, A, sigma, OPinv)
    if OPinv ~= nil then return operator.as_operator(name, OPinv, "OPinv") end
    if operator.is_operator(A) then fail(name, "sigma with a LinearOperator; wanted OPinv, or A as a matrix") end
    A = host.matrix(name, A)
    local n = A.shape[1]
    local by
    if is_array(A) then
      by = A - ma.eye(n, { dtype = A.dtype, device = A.device }) * sigma
    else
      by = A - ma.sparse.identity(n, { dtype = system.dtype_of(A.dtype), format = "csc", device = A.device }) * sigma
    end
    return operator.as_operator(name, ma.sparse.linalg.splu(by))
  end

  local function some_eigenvalues(name, A, k, o)
    local op = operator.as_operator(name, A)
    local n = op.shape[1]
    if n ~= op.shape[2] then fail(name, sformat("A is %d x %d; wanted a square matrix", n, op.shape[2])) end
    k = k == nil and 6 or common.whole(name, "k", k, 1)
    if k >= n then
      fail(name, sformat("k is %d of %d eigenvalues; wanted less (ma.linalg.eigh gives all)", k, n))
    end
    local which = o.which or "LM"
    if not WHICH[which] then fail(name, sformat("%s for which; LM, SM, LA, SA or BE", core.describe(which))) end
    local ncv = o.ncv == nil and min(n, max(2 * k + 1, 20)) or common.whole(name, "ncv", o.ncv, k + 1, n)
    local maxiter = system.iterations(name, o.maxiter, 10 * n)
    local tol = system.not_negative(name, "tol", o.tol or 0)
    local matrix = op.matrix
    if o.sigma ~= nil then
      common.number(name, "sigma", o.sigma)
      local inverse = shifted(name, A, o.sigma, o.OPinv)
      op = { shape = inverse.shape, dtype = inverse.dtype, matrix = matrix,
        matvec = function(_, x) return inverse:matvec(x) end }
    end
    local s = prepare(op, o.v0, name)
    local values, wanted, combined = lanczos(name, s, k, which, ncv, max(maxiter, 1), max(tol, s.eps))
    local list = {}
    for i, at in ipairs(wanted) do
      list[i] = { o.sigma ~= nil and o.sigma + 1 / values[at] or values[at], at }
    end
    table.sort(list, function(a, b) return a[1] < b[1] end)
    local w, at = {}, {}
    for i = 1, #list do w[i], at[i] = list[i][1], list[i][2] end
    w = ma.array(w, { dtype = s.real, device = s.device })
    if o.vectors then return w, combined(at).T:copy() end
    return w
  end

  --> sparse.linalg.eigsh sparse.linalg.lobpcg sparse.linalg.svds:
  --> \ (ma.sparse.linalg.eigsh(ma.sparse.diags(ma.range(1, 40)):tocsr(), 2)):round(6)
  def("sparse.linalg.eigsh(A: sparse_matrix|data, k?: integer, M?: sparse_matrix|data, sigma?: number, "
    .. "which?: string, v0?: data, ncv?: integer, maxiter?: integer, tol?: number, "
    .. "return_eigenvectors?: boolean; OPinv?: table) -> array, array?",
    "w, v: k (6) eigenvalues of a Hermitian matrix, ascending, and their vectors as columns. which: 'LM' those of " ..
      "largest magnitude, 'SM' of smallest, 'LA' the largest, 'SA' the smallest, 'BE' from both ends. With sigma " ..
      "those next to it, by factors of A - sigma I (or OPinv, an operator of its inverse), where which speaks of " ..
      "1 / (w - sigma). ncv: vectors that are kept (2 k + 1, 20 at least). M is not taken.",
    function(A, k, M, sigma, which, v0, ncv, maxiter, tol, vectors, OPinv)
      local name = "sparse.linalg.eigsh"
      if M ~= nil then fail(name, "M is given; wanted A alone (lobpcg takes B)") end
      return some_eigenvalues(name, A, k, { sigma = sigma, which = which, v0 = v0, ncv = ncv, maxiter = maxiter,
        tol = tol, vectors = vectors ~= false, OPinv = OPinv })
    end)

  def("sparse.linalg.svds(A: sparse_matrix|data, k?: integer, ncv?: integer, tol?: number, which?: string, v0?: data, "
    .. "maxiter?: integer, return_singular_vectors?: boolean) -> array, array?, array?",
    "u, s, vh: k (6) singular values of a matrix, ascending, with their vectors; which: 'LM' the largest, 'SM' the " ..
      "smallest. With return_singular_vectors = false s alone. By eigenvalues of A^H A, so values far below the " ..
      "largest lose digits.",
    function(A, k, ncv, tol, which, v0, maxiter, vectors)
      local name = "sparse.linalg.svds"
      local op = operator.as_operator(name, A)
      local m, n = op.shape[1], op.shape[2]
      if which ~= nil and which ~= "LM" and which ~= "SM" then
        fail(name, sformat("%s for which; LM or SM", core.describe(which)))
      end
      k = k == nil and 6 or common.whole(name, "k", k, 1)
      if k >= min(m, n) then
        fail(name, sformat("k is %d beside %d x %d; wanted less than both (ma.linalg.svd gives all)", k, m, n))
      end
      local wide = m < n
      local one = wide and op.H or op
      local both = operator.new(one.shape[2], one.shape[2], op.dtype or nil,
        { matvec = function(x) return one:rmatvec(one:matvec(x)) end }, false, op.matrix)
      local _, v = some_eigenvalues(name, both, k, { which = which == "SM" and "SA" or "LA", ncv = ncv,
        maxiter = maxiter, tol = tol and tol ^ 2, v0 = v0, vectors = true })
      v = ma.linalg.qr(v)
      local u, s, vh = ma.linalg.svd(one:matmat(v), false)
      local function backwards(x, axis) return ma.flip(x, axis):copy() end
      s = backwards(s, 1)
      if vectors == false then return s end
      u = backwards(u, 2)
      local right = backwards(ma.matmul(vh, ma.conjugate(v.T)), 1)
      if wide then return ma.conjugate(right.T):copy(), s, ma.conjugate(u.T):copy() end
      return u, s, right
    end)
end
