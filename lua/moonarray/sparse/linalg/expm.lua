--- expm_multiply: the exponential of a matrix times vectors, by Taylor polynomials of scaled steps (Al-Mohy and Higham,
--- SIAM J. Sci. Comput. 33, 2011).
--# sparse_linalg

local sformat, ceil, max, huge = require("moonarray.text").format, math.ceil, math.max, math.huge

local MOST_STEPS = 2 ^ 20

-- The 1-norm up to which a polynomial of this degree has an error of 2^-53.
local THETA = {
  [5] = 2.40e-3, [6] = 9.07e-3, [7] = 2.38e-2, [8] = 5.00e-2, [9] = 8.96e-2, [10] = 1.44e-1, [11] = 2.14e-1,
  [12] = 3.00e-1, [13] = 4.00e-1, [14] = 5.14e-1, [15] = 6.41e-1, [16] = 7.81e-1, [17] = 9.31e-1, [18] = 1.09,
  [19] = 1.26, [20] = 1.44, [21] = 1.62, [22] = 1.82, [23] = 2.01, [24] = 2.22, [25] = 2.43, [26] = 2.64, [27] = 2.86,
  [28] = 3.08, [29] = 3.31, [30] = 3.54, [35] = 4.7, [40] = 6.0, [45] = 7.2, [50] = 8.5, [55] = 9.9,
}

return function(ma, core, _, system, host)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  --- The degree and the number of steps that need the fewest products.
  local function plan(norm)
    local best, steps, least = 5, 1, huge
    for degree, theta in pairs(THETA) do
      local count = max(1, ceil(norm / theta))
      if degree * count < least or (degree * count == least and degree < best) then
        best, steps, least = degree, count, degree * count
      end
    end
    return best, steps
  end

  --- exp(t A) B, where A has the mean mu of its diagonal subtracted.
  local function step(A, mu, norm, t, B)
    local degree, steps = plan(math.abs(t) * norm)
    if steps > MOST_STEPS or norm * math.abs(t) == huge then
      fail("sparse.linalg.expm_multiply", sformat("t A has the norm %g, which takes more than %d steps; wanted a "
        .. "smaller one", norm * math.abs(t), MOST_STEPS))
    end
    local on_host = B.device == "cpu"
    local eps = ma.finfo(system.real_of(B.dtype)).eps / 2
    local F = B
    for _ = 1, steps do
      local last = on_host and ma.absolute(B):max():item()
      for j = 1, degree do
        B = (A:matmul(B) * (t / (steps * j))):eval()
        F = (F + B):eval()
        if on_host then
          local now, all = ma.item(ma.absolute(B):max(), ma.absolute(F):max())
          if last + now <= eps * all then break end
          last = now
        end
      end
      F = (F * ma.exp(core.asarray(mu * (t / steps), { device = F.device })):astype(F.dtype)):eval()
      B = F
    end
    return F
  end

  --> sparse.linalg.expm_multiply:
  --> \ ma.sparse.linalg.expm_multiply(ma.sparse.csr_matrix({{0, 1}, {0, 0}}), {1, 2}):round(6)
  def("sparse.linalg.expm_multiply(A: sparse_matrix|data, B: data, start?: number, stop?: number, num?: integer, "
    .. "endpoint?: boolean) -> array",
    "exp(A) B for a square sparse matrix and a vector or a matrix, without exp(A). With start and stop exp(t A) B " ..
      "for num (50) values of t from start to stop (without stop if endpoint is false), along a first axis.",
    function(A, B, start, stop, num, endpoint)
      local name = "sparse.linalg.expm_multiply"
      A = host.square(name, A)
      local n = A.shape[1]
      B = is_array(B) and B or core.asarray(B)
      if (B.ndim ~= 1 and B.ndim ~= 2) or B.shape[1] ~= n then
        fail(name, sformat("B is %s beside A of %d x %d; wanted as many rows", core.describe(B), n, n))
      end
      local dtype = system.dtype_of(A.dtype, B.dtype)
      B = B:astype(dtype):copy()
      if A.dtype ~= dtype then A = A:astype(dtype) end
      local mu = n > 0 and (is_array(A) and ma.trace(A) or A:trace()) or 0
      mu = type(mu) == "number" and mu or is_array(mu) and mu:item() or mu
      mu = n > 0 and mu / n or 0
      local shifted
      if is_array(A) then
        shifted = A - ma.eye(n, { dtype = dtype, device = A.device }) * mu
      else
        shifted = A - ma.sparse.identity(n, { dtype = dtype, format = A.format, device = A.device }) * mu
      end
      local norm = n > 0 and ma.sparse.linalg.norm(shifted, 1):item() or 0
      if norm ~= norm or norm == huge then fail(name, "A has infinite values or NaN; wanted finite ones") end
      if start == nil and stop == nil and num == nil then return step(shifted, mu, norm, 1, B) end
      start = common.number(name, "start", start == nil and 0 or start)
      stop = common.number(name, "stop", stop == nil and 1 or stop)
      num = num == nil and 50 or common.whole(name, "num", num, 1, MOST_STEPS)
      local parts = endpoint == false and num or num - 1
      local h = parts > 0 and (stop - start) / parts or 0
      local list = { start == 0 and B or step(shifted, mu, norm, start, B) }
      for i = 2, num do list[i] = step(shifted, mu, norm, h, list[i - 1]) end
      return ma.stack(list)
    end)
end
