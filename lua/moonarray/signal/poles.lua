--- ma.signal.place_poles: the gain K for which A - B K has given eigenvalues, on the host, as matrices are small.
---
--- The eigenvectors of each pole are taken from the space in which it can be placed. With several inputs they are
--- turned one after the other, or two at a time, so that together they are as far from one plane as can be: J. Kautsky,
--- N. K. Nichols, P. Van Dooren, "Robust pole assignment in linear state feedback", 1985 (KNV0); A. L. Tits, Y. Yang,
--- "Globally convergent algorithms for robust pole assignment by state feedback", 1996 (YT).
--# signal_systems

local sformat, abs, max, sqrt, floor = require("moonarray.text").format, math.abs, math.max, math.sqrt, math.floor

local LEAST = sqrt(2 ^ -52)            -- of a determinant

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local NAME = "signal.place_poles"
  local np = ma.numpy

  -- ==== Poles: pairs {re, im} ======================================================================================

  --- Real poles in ascending order, then pairs of conjugates, that with the negative imaginary part first.
  local function ordered(list)
    local real, upper, lower = {}, {}, 0
    for _, p in ipairs(list) do
      if p[2] == 0 then real[#real + 1] = p
      elseif p[2] > 0 then upper[#upper + 1] = p
      else
        lower = lower + 1
      end
    end
    local function before(a, b)
      if a[1] ~= b[1] then return a[1] < b[1] end
      return a[2] < b[2]
    end
    table.sort(real, before)
    table.sort(upper, before)
    if lower ~= #upper then return nil end
    for _, p in ipairs(upper) do
      local conjugate
      for _, q in ipairs(list) do conjugate = conjugate or q[1] == p[1] and q[2] == -p[2] end
      if not conjugate then return nil end
      real[#real + 1], real[#real + 2] = { p[1], -p[2] }, p
    end
    return real
  end

  local function pairs_of(array)
    local list = {}
    for k, value in ipairs(array:astype("complex128"):totable()) do list[k] = { value.re, value.im } end
    return list
  end

  local function complexes(list)
    local re, im = {}, {}
    for k, p in ipairs(list) do re[k], im[k] = p[1], p[2] end
    return np.array(re, "float64") + np.array(im, "float64") * ma.complex(0, 1)
  end

  -- ==== Eigenvectors ===============================================================================================

  local function column(m, k) return m[{ {}, { k, k } }] end
  local function length(m) return sqrt((np.abs(m) ^ 2):sum():item()) end
  local function adjoint(m) return np.conj(m).T end
  local function zero(m) return m.size == 0 or np.abs(m):max():item() <= 1e-8 end
  local function close(a, b) return abs(a - b) <= 1e-8 + 1e-5 * abs(b) end

  --- The last columns of an orthogonal basis. The columns before these span the same as T's columns without i and j.
  local function rest_of(T, i, j)
    local list = {}
    for k = 1, T.shape[2] do
      if k ~= i and k ~= j then list[#list + 1] = column(T, k) end
    end
    local n = T.shape[1]
    if #list == 0 then return np.eye(n) end
    return (np.linalg.qr(np.concatenate(list, 2), "complete"))
  end

  local function turn_one(T, spaces, j)
    local n = T.shape[1]
    local y = spaces[j]:matmul(spaces[j].T):matmul(column(rest_of(T, j), n))
    if not zero(y) then T[{ {}, j }] = y:ravel() / length(y) end
  end

  local function turn_two(T, spaces, i, j)
    local n = T.shape[1]
    local Q = rest_of(T, i, j)
    local u, v = column(Q, n - 1), column(Q, n)
    local m = spaces[i].T:matmul(u:matmul(v.T) - v:matmul(u.T)):matmul(spaces[j])
    local U, s, V = np.linalg.svd(m)
    local count = s.size > 1 and close(s(1), s(2)) and 2 or 1
    local a, b = spaces[i]:matmul(U[{ {}, { 1, count } }]), spaces[j]:matmul(V[{ { 1, count }, {} }].T)
    local both = np.concatenate({ a, b }, 1)
    local x = both:matmul(both.T:matmul(np.concatenate({ column(T, i), column(T, j) }, 1)))
    if zero(x) then x = column(both, 1) else x = x * (sqrt(2) / length(x)) end
    T[{ {}, i }], T[{ {}, j }] = x[{ { 1, n }, 1 }], x[{ { n + 1, 2 * n }, 1 }]
  end

  local function turn_pair(T, spaces, i, j)
    local n = T.shape[1]
    local Q, space = rest_of(T, i, j), spaces[i]
    local u = (column(Q, n - 1) + column(Q, n) * ma.complex(0, 1)) * sqrt(2)
    local m = adjoint(space):matmul(u:matmul(adjoint(u)) - np.conj(u):matmul(u.T)):matmul(space)
    local values, vectors = np.linalg.eig(m)
    local size = np.abs(values)
    local order = np.argsort(size):totable()
    local last, before = order[#order], order[#order - 1]
    local mu = column(vectors, last)
    if before and close(size(last), size(before)) then mu = np.concatenate({ mu, column(vectors, before) }, 2) end
    local both = space:matmul(mu)
    local x = both:matmul(adjoint(both):matmul(column(T, i) + column(T, j) * ma.complex(0, 1)))
    if zero(x) then x = column(both, 1) else x = x / length(x) end
    T[{ {}, i }], T[{ {}, j }] = np.real(x)[{ {}, 1 }], np.imag(x)[{ {}, 1 }]
  end

  --- The order in which YT turns pairs of real eigenvectors, so that every pair comes up, and complex ones. A pair of
  --- equal numbers stands for a single real one.
  local function yt_order(nreal, n)
    local half, odd, list = floor(nreal / 2), nreal % 2, {}
    local function pair(i, j) list[#list + 1] = { i, j } end
    local function rest(alone)
      if alone and half == 0 and nreal > 0 then pair(1, 1) end
      for k = nreal + 1, n, 2 do pair(k, k + 1) end
    end
    if nreal > 0 then pair(nreal, 1) end
    for k = 1, half + odd - 1 do pair(2 * k, 2 * k + 1) end
    rest()
    for k = 1, half do pair(2 * k - 1, 2 * k) end
    rest(true)
    for j = 2, half + odd - 1 do
      for i = 1, half do pair(i, i + j) end
    end
    rest(true)
    for j = 2, half + odd - 1 do
      for i = half + 1, nreal do pair(i, i + j > nreal and i + j - nreal or i + j) end
    end
    rest(true)
    for i = 1, half do pair(i, i + half) end
    rest(true)
    return list
  end

  --- Turns the eigenvectors until their determinant hardly grows. Returns the last relative change and the steps.
  local function improve(T, spaces, poles, method, rtol, maxiter)
    local nreal, n, list, change, steps = 0, #poles, {}, 0, 0
    for _, p in ipairs(poles) do nreal = nreal + (p[2] == 0 and 1 or 0) end
    if method == "KNV0" then for k = 1, n do list[k] = { k, k } end else list = yt_order(nreal, n) end
    for step = 1, maxiter do
      local before = abs(np.linalg.det(T):item())
      for _, p in ipairs(list) do
        local i, j = p[1], p[2]
        if i == j then turn_one(T, spaces, i)
        elseif poles[i][2] == 0 then turn_two(T, spaces, i, j)
        else
          turn_pair(T, spaces, i, j)
        end
      end
      local after = max(LEAST, abs(np.linalg.det(T):item()))
      change, steps = abs((after - before) / after), step
      if change < rtol and after > LEAST then break end
    end
    return change, steps
  end

  --- With as many independent inputs as states, the loop can be any matrix. Here it gets one of blocks on its diagonal.
  local function direct(A, B, poles)
    local n, k = #poles, 1
    local wanted = np.zeros { n, n }
    while k <= n do
      local p = poles[k]
      wanted[{ k, k }] = p[1]
      if p[2] ~= 0 then
        wanted[{ k, k + 1 }], wanted[{ k + 1, k + 1 }], wanted[{ k + 1, k }] = -p[2], p[1], p[2]
        k = k + 1
      end
      k = k + 1
    end
    return (np.linalg.lstsq(B, wanted - A)), np.eye(n)
  end

  --- By eigenvectors. `u` and `z` are B's factors, `rank` its rank.
  local function by_vectors(A, u, z, rank, poles, method, rtol, maxiter)
    local n, columns, spaces, k = #poles, {}, {}, 1
    local u0, u1 = u[{ {}, { 1, rank } }], u[{ {}, { rank + 1, n } }]
    while k <= n do
      local p = poles[k]
      local shift = p[2] == 0 and p[1] or ma.complex(p[1], p[2])
      local Q = np.linalg.qr(u1.T:matmul(A - np.eye(n) * shift).T, "complete")
      local space = Q[{ {}, { n - rank + 1, n } }]
      local x = space:sum(2):reshape(n, 1)
      x = x / length(x)
      columns[k], spaces[k] = np.real(x), space
      if p[2] ~= 0 then
        k = k + 1
        columns[k], spaces[k] = np.imag(x), space
      end
      k = k + 1
    end
    local T, change, steps = np.concatenate(columns, 2):copy(), 0, 0
    if rank > 1 then change, steps = improve(T, spaces, poles, method, rtol, maxiter) end
    T, k = T:astype("complex128"), 1
    while k < n do
      if poles[k][2] ~= 0 then
        local re, im = column(T, k):copy(), column(T, k + 1) * ma.complex(0, 1)
        T[{ {}, { k, k } }], T[{ {}, { k + 1, k + 1 } }] = re - im, re + im
        k = k + 1
      end
      k = k + 1
    end
    local m = np.linalg.solve(T.T, complexes(poles):reshape(n, 1) * T.T).T
    local K = np.linalg.solve(z[{ { 1, rank }, {} }]:astype("complex128"), u0.T:astype("complex128"):matmul(m - A))
    return K, T, change, steps
  end

  -- ==== The call ===================================================================================================

  local function matrix(what, value)
    value = np.asarray(value)
    if core.is_array(value) and value.device ~= "cpu" then value = value:get() end
    if value.ndim ~= 2 or ma.iscomplexobj(value) then
      fail(NAME, sformat("%s is %s; wanted a real matrix", what, core.describe(value)))
    end
    return value:astype("float64")
  end

  --> signal.place_poles: ma.signal.place_poles({{0, 1}, {0, 0}}, {{0}, {1}}, {-1, -2}).gain_matrix:round(6)
  def("signal.place_poles(A: data, B: data, poles: data, method?: string, rtol?: number, maxiter?: integer) -> table",
    "The gain K with which A - B K has the eigenvalues `poles`: a table with gain_matrix, computed_poles, "
      .. "requested_poles, X (the eigenvectors), rtol and nb_iter. method is \"YT\" (the default) or \"KNV0\", for "
      .. "real poles. With several inputs the eigenvectors are improved until their determinant changes by less than "
      .. "rtol (1e-3), at most maxiter (30) times. Computed on the host; waits.",
    function(A, B, poles, method, rtol, maxiter)
      A, B = matrix("A", A), matrix("B", B)
      method = method == nil and "YT" or method
      rtol = common.number(NAME, "rtol", rtol == nil and 1e-3 or rtol)
      maxiter = common.whole(NAME, "maxiter", maxiter == nil and 30 or maxiter, 1)
      local n = A.shape[1]
      if A.shape[2] ~= n or B.shape[1] ~= n or B.shape[2] == 0 or n == 0 then
        fail(NAME, sformat("A is %s and B is %s; wanted a square matrix, and one with as many rows", core.describe(A),
          core.describe(B)))
      end
      if method ~= "YT" and method ~= "KNV0" then
        fail(NAME, sformat("method is %s; wanted \"YT\" or \"KNV0\"", core.describe(method)))
      end
      local given = np.asarray(poles)
      if given.device ~= "cpu" then given = given:get() end
      if given.ndim ~= 1 or given.size ~= n then
        fail(NAME, sformat("poles is %s; wanted a vector of %d", core.describe(given), n))
      end
      local list = ordered(pairs_of(given))
      if not list then fail(NAME, "a complex pole without its conjugate; wanted pairs") end
      if method == "KNV0" and list[n][2] ~= 0 then fail(NAME, "complex poles with \"KNV0\"; wanted \"YT\"") end
      local rank = np.linalg.matrix_rank(B):item()
      local alike = {}
      for k = 1, n do
        local key = list[k][1] .. "," .. list[k][2]
        alike[key] = (alike[key] or 0) + 1
        if alike[key] > rank then
          fail(NAME, sformat("a pole %d times; wanted it at most %d times, the rank of B", alike[key], rank))
        end
      end
      local K, X, change, steps
      if rank == n then
        K, X = direct(A, B, list)
        change, steps = ma.nan, ma.nan
      else
        local u, z = np.linalg.qr(B, "complete")
        K, X, change, steps = by_vectors(A, u, z, rank, list, method, rtol, maxiter)
      end
      K = -np.real(K)
      local got = pairs_of(np.linalg.eigvals(A - B:matmul(K)))
      return { gain_matrix = K, computed_poles = complexes(ordered(got) or got), requested_poles = complexes(list),
        X = X, rtol = change, nb_iter = steps }
    end)
end
