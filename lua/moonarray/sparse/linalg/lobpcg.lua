--- lobpcg: extreme eigenvalues of Hermitian matrices by locally optimal preconditioned conjugate gradients (Knyazev,
--- SIAM J. Sci. Comput. 23, 2001). The small problems of a step are solved on the host.
--# sparse_linalg

local sformat, sqrt = require("moonarray.text").format, math.sqrt

return function(ma, core, operator, system)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  local function adjoint(x) return ma.iscomplexobj(x) and ma.conjugate(x.T) or x.T end

  --- Divides columns by their norms; columns of zeros stay.
  local function scaled(x)
    local size = ma.sqrt((ma.absolute(x) ^ 2):sum(1))
    return (x / (size + size:eq(0))):astype(x.dtype)
  end

  --- Coefficients c with c^H G c = I. They have a column for each eigenvalue of G that is more than rounding.
  local function whitened(G, eps)
    local d, u = ma.linalg.eigh((G + adjoint(G)) / 2)
    local values, n = d:totable(), d.size
    local first = 1
    while first < n and values[first] <= 100 * eps * values[n] do first = first + 1 end
    local kept = { first, n }
    return u[{ {}, kept }] / ma.sqrt(d[{ kept }])
  end

  def("sparse.linalg.lobpcg(A: sparse_matrix|data, X: data, B?: data, M?: sparse_matrix|data, Y?: data, tol?: number, "
    .. "maxiter?: integer, largest?: boolean, verbosityLevel?: integer, retLambdaHistory?: boolean, " ..
    "retResidualNormsHistory?: boolean) -> array, any ...",
    "w, v: as many of the largest (or with largest = false smallest) eigenvalues of a Hermitian A as X, the first " ..
      "guess, has columns, and their vectors: A v = w v, or A v = w B v with a definite B. M: an operator near the " ..
      "inverse of A. Y: vectors that the solutions are to be orthogonal to. It ends when the norms of all residuals " ..
      "are at most tol (n * 3e-8), or after maxiter steps (20); with retLambdaHistory and retResidualNormsHistory " ..
      "it gives lists of the values and norms of all steps too.",
    function(A, X, B, M, Y, tol, maxiter, largest, _, lambdas, norms)
      local name = "sparse.linalg.lobpcg"
      A = operator.as_operator(name, A)
      local n = A.shape[1]
      X = is_array(X) and X or core.asarray(X)
      if A.shape[2] ~= n or X.ndim ~= 2 or X.shape[1] ~= n or X.shape[2] < 1 or X.shape[2] > n then
        fail(name, sformat("X is %s beside A of %d x %d; wanted some vectors of %d elements as columns",
          core.describe(X), n, A.shape[2], n))
      end
      local k = X.shape[2]
      B = B ~= nil and operator.as_operator(name, B, "B") or nil
      M = M ~= nil and operator.as_operator(name, M, "M") or nil
      maxiter = maxiter == nil and 20 or common.whole(name, "maxiter", maxiter, 0)
      tol = tol == nil and sqrt(1e-15) * n or system.not_negative(name, "tol", tol)
      local dtype = system.dtype_of(A.dtype or A:matmat(X).dtype, X.dtype)
      local eps = ma.finfo(system.real_of(dtype)).eps
      local device = X.device
      X = X:astype(dtype)
      local function times(x) return A:matmat(x):astype(dtype) end
      local function weighed(x) return B and B:matmat(x):astype(dtype) or x end
      local function to_host(x) return x:to("cpu") end
      local project = function(x) return x end
      if Y ~= nil then
        Y = (is_array(Y) and Y or core.asarray(Y)):astype(dtype)
        if Y.ndim ~= 2 or Y.shape[1] ~= n then
          fail(name, sformat("Y is %s; wanted vectors of %d elements as columns", core.describe(Y), n))
        end
        local BY = weighed(Y)
        local c = whitened(to_host(ma.matmul(adjoint(Y), BY)), eps):to(device)
        Y, BY = ma.matmul(Y, c), ma.matmul(BY, c)
        project = function(x) return (x - ma.matmul(Y, ma.matmul(adjoint(BY), x))):eval() end
      end
      local history, residuals = {}, {}
      local P
      local values
      --- The best k vectors in the space of S. Keeps that part of the change which is not along X.
      local function improve(S, first)
        local AS, BS = times(S), weighed(S)
        local c = whitened(to_host(ma.matmul(adjoint(S), BS)), eps)
        local small = ma.matmul(adjoint(c), ma.matmul(to_host(ma.matmul(adjoint(S), AS)), c))
        local d, y = ma.linalg.eigh((small + adjoint(small)) / 2)
        if d.size < k then fail(name, sformat("X has rank %d; wanted %d independent columns", d.size, k)) end
        if largest ~= false then d, y = ma.flip(d), ma.flip(y, 2) end
        values = d[{ { 1, k } }]:copy()
        y = ma.matmul(c, y[{ {}, { 1, k } }])
        if first then
          P = nil
        else
          local rest = y:copy()
          rest[{ { 1, k }, {} }] = 0
          P = scaled(ma.matmul(S, rest:to(device)))
        end
        X = ma.matmul(S, y:to(device))
      end
      improve(project(X), true)
      for step = 0, maxiter do
        local R = (times(X) - weighed(X) * values:to(device):astype(dtype)):eval()
        local size = to_host(ma.sqrt((ma.absolute(R) ^ 2):sum(1)))
        history[#history + 1], residuals[#residuals + 1] = values, size
        if step == maxiter or size:max():item() <= tol then break end
        local W = scaled(project(M and M:matmat(R):astype(dtype) or R))
        improve(ma.concatenate(P and { X, W, P } or { X, W }, 2))
      end
      local results = { values:to(device), X }
      if lambdas then results[#results + 1] = history end
      if norms then results[#results + 1] = residuals end
      return unpack(results)
    end)
end
