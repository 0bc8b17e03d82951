--- ma.lapack: cupyx.lapack's functions under LAPACK's names, over ma.linalg.

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local linalg = ma.linalg
  local views = require "moonarray.linalg.views" (ma, core)

  --- Calls fn(b) with b as columns. b may have one vector for each matrix of a batch.
  local function with_vectors(a, b, fn)
    b = views.beside(a, b)
    if b.ndim > 1 and b.ndim == a.ndim - 1 then return ma.squeeze(fn(views.upright(b)), -1) end
    return fn(b)
  end

  --> lapack.gesv({{2, 0}, {0, 4}}, {2, 4})
  def("lapack.gesv(a: data, b: data; check?: boolean) -> array",
    "x with a x = b, by LU: moonarray.linalg.solve, with a vector b for each matrix too.",
    function(a, b, check)
      a = views.square("lapack.gesv", a)
      return with_vectors(a, b, function(right) return linalg.solve(a, right, { check = check }) end)
    end)

  --> lapack.posv({{2, 0}, {0, 4}}, {2, 4})
  def("lapack.posv(a: data, b: data; check?: boolean) -> array",
    "x with a x = b for Hermitian positive definite matrices, by Cholesky's factors. b is a vector, a vector for " ..
      "each matrix, or matrices. The lower triangle of a is read.",
    function(a, b, check)
      a = views.square("lapack.posv", a)
      return with_vectors(a, b, function(right) return core.cholesky_solve("lapack.posv", a, right, check) end)
    end)

  --> lapack.potrs({{2, 0}, {0, 2}}, {4, 8}, true)
  def("lapack.potrs(L: data, b: data, lower: boolean; check?: boolean) -> array",
    "x with a x = b, where L is Cholesky's factor of a: the lower triangle, l with a = l l^H, or the upper one.",
    function(L, b, lower, check)
      L = views.square("lapack.potrs", L, "L")
      return with_vectors(L, b, function(right)
        return core.cholesky_factors_solve("lapack.potrs", L, right, lower and lower ~= 0 or false, check ~= false)
      end)
    end)

  --> lapack.gels({{1, 0}, {0, 2}}, {3, 4})
  def("lapack.gels(a: data, b: data; check?: boolean) -> array",
    "x that makes |b - a x| least, or the x of least norm with a x = b if a has fewer rows than columns, by QR. a " ..
      "must have full rank.",
    function(a, b, check)
      local name = "lapack.gels"
      local m, n
      a, m, n = views.matrix(name, a)
      if a.ndim ~= 2 then fail(name, sformat("a is %s; wanted one matrix", core.describe(a))) end
      return views.with_right(name, a, b, m, function(right)
        if right.ndim ~= 2 then fail(name, sformat("b is %s; wanted a vector or a matrix", core.describe(right))) end
        local dtype = ma.result_type(views.solved_dtype(a), views.solved_dtype(right))
        local x, y = a:astype(dtype), right:astype(dtype)
        if a.size == 0 then return ma.zeros({ n, right.shape[2] }, dtype, { device = a.device }) end
        if m >= n then
          local h, tau = core.linalg_qr(name, x, n)
          local projected = views.rows(core.linalg_qr_apply(name, h, tau, y), n)
          return core.linalg_triangular_solve(name, views.rows(h, n), projected, false, "N", false, check ~= false)
        end
        local q, r = linalg.qr(views.adjoint(x))
        return ma.matmul(q, core.linalg_triangular_solve(name, r, y, false, "C", false, check ~= false))
      end)
    end)
end
