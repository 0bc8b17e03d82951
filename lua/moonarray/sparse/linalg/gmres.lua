--- gmres: generalised minimal residuals, with restarts. The basis is orthogonalised twice by products with all of it;
--- the small least-squares problem is kept on the host by rotations.
--# sparse_linalg

local abs, sqrt, min, sformat = math.abs, math.sqrt, math.min, require("moonarray.text").format

return function(ma, core, _, system)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  -- ==== Rotations of complex numbers, as pairs of real ones ========================================================

  --- c, s (re, im) and r with [c s; -conj(s) c] [a; b] = [r; 0], for a complex a and a real b >= 0.
  local function rotation(are, aim, b)
    local size = sqrt(are * are + aim * aim)
    local r = sqrt(size * size + b * b)
    if r == 0 then return 1, 0, 0, 0, 0 end
    if size == 0 then return 0, 1, 0, b, 0 end
    local pre, pim = are / size, aim / size
    return size / r, pre * b / r, pim * b / r, pre * r, pim * r
  end

  --- Applies a rotation to the pair (x, y).
  local function rotate(q, xre, xim, yre, yim)
    local c, sre, sim = q[1], q[2], q[3]
    return c * xre + sre * yre - sim * yim, c * xim + sre * yim + sim * yre,
      c * yre - sre * xre - sim * xim, c * yim - sre * xim + sim * xre
  end

  --- Solves R y = g for the upper triangle of k columns; entries are pairs.
  local function back_substitute(columns, g, k)
    local y = {}
    for i = k, 1, -1 do
      local re, im = g[i][1], g[i][2]
      for j = i + 1, k do
        local r = columns[j][i]
        re, im = re - (r[1] * y[j][1] - r[2] * y[j][2]), im - (r[1] * y[j][2] + r[2] * y[j][1])
      end
      local d = columns[i][i]
      local size = d[1] * d[1] + d[2] * d[2]
      if size == 0 then y[i] = { 0, 0 }
      else y[i] = { (re * d[1] + im * d[2]) / size, (im * d[1] - re * d[2]) / size } end
    end
    return y
  end

  local function parts(value)
    if type(value) == "number" then return value, 0 end
    return value.re, value.im
  end

  -- ==== A cycle ====================================================================================================

  --- Makes one more vector of the basis: row k + 1 of V from row k, and column k of H.
  local function extend(self, V, H, k)
    local w = self.times(self.solve and self.solve(V[k]) or V[k])
    local basis = V[{ { 1, k }, {} }]
    local conjugated = self.is_complex and ma.conjugate(basis) or basis
    local h = ma.matmul(conjugated, w)
    w = (w - ma.matmul(h, basis)):eval()
    local more = ma.matmul(conjugated, w)
    w = (w - ma.matmul(more, basis)):eval()
    local size = system.norm(w)
    V[k + 1] = w / (size + size:eq(0))
    H[{ k, { 1, k } }] = h + more
    H[{ k, k + 1 }] = size
  end

  --- Rotates the columns first .. last of H until the residual is small. Returns how many to use, and whether it ended.
  local function reduce(state, H, first, last, bound, each)
    local rows = H[{ { first, last }, {} }]:totable()
    for k = first, last do
      local h, column = rows[k - first + 1], {}
      for i = 1, k do column[i] = { parts(h[i]) } end
      local below = parts(h[k + 1])
      for i = 1, k - 1 do
        local a, b = column[i], column[i + 1]
        a[1], a[2], b[1], b[2] = rotate(state.rotations[i], a[1], a[2], b[1], b[2])
      end
      local c, sre, sim, rre, rim = rotation(column[k][1], column[k][2], below)
      state.rotations[k], column[k] = { c, sre, sim }, { rre, rim }
      state.columns[k] = column
      local g = state.g[k]
      local nre, nim
      g[1], g[2], nre, nim = rotate(state.rotations[k], g[1], g[2], 0, 0)
      state.g[k + 1] = { nre, nim }
      local size = sqrt(nre * nre + nim * nim)
      if each then each(size) end
      if size <= bound or below == 0 then return k, true end
    end
    return last, false
  end

  --- Runs up to `restart` steps from the residual r of norm `size`, and changes x.
  local function cycle(self, V, H, r, size, bound, restart, each)
    local state = { rotations = {}, columns = {}, g = { { size, 0 } } }
    V[1] = r / size
    local between = self.device == "cpu" and 1 or restart
    local count = 0
    for k = 1, restart do
      extend(self, V, H, k)
      if k - count == between or k == restart then
        local done
        count, done = reduce(state, H, count + 1, k, bound, each)
        if done then break end
      end
    end
    local y = back_substitute(state.columns, state.g, count)
    local list = {}
    for k = 1, count do list[k] = self.is_complex and ma.complex(y[k][1], y[k][2]) or y[k][1] end
    local by = ma.array(list, { dtype = self.dtype, device = self.device })
    local step = ma.matmul(by, V[{ { 1, count }, {} }])
    self.x:iadd(self.solve and self.solve(step) or step)
  end

  local CALLBACKS = { x = "x", pr_norm = "pr_norm", legacy = "pr_norm" }

  local function solve(A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type)
    local name = "sparse.linalg.gmres"
    local self = system.make(name, A, b, x0, M)
    local bound, norm = system.bound(name, self, rtol, atol)
    if callback ~= nil then common.callable(name, "callback", callback) end
    local kind = CALLBACKS[callback_type or "legacy"]
    if not kind then fail(name, sformat("%s for callback_type; 'x' or 'pr_norm'", common.shown(callback_type))) end
    if norm == 0 then return system.result(self, ma.zeros_like(self.x)), 0 end
    restart = min(restart == nil and 20 or common.whole(name, "restart", restart, 1), self.n)
    maxiter = system.iterations(name, maxiter, 10 * self.n)
    self.is_complex = self.dtype == "complex64" or self.dtype == "complex128"
    local on = { dtype = self.dtype, device = self.device }
    local V, H = ma.zeros({ restart + 1, self.n }, on), ma.zeros({ restart, restart + 1 }, on)
    local each = callback and kind == "pr_norm" and function(size) callback(size / norm) end or nil
    local last = math.huge
    for _ = 1, maxiter do
      local r = system.residual(self)
      self.has_start = true
      local size = system.norm(r):item()
      if size <= bound then return system.result(self), 0 end
      -- Where rounding leaves nothing to gain, a cycle no longer helps.
      if abs(last - size) <= 1e-14 * size and last < math.huge then break end
      last = size
      cycle(self, V, H, r, size, bound, restart, each)
      if callback and kind == "x" then callback(self.x) end
    end
    local size = system.norm(system.residual(self)):item()
    return system.result(self), size <= bound and 0 or maxiter
  end

  def("sparse.linalg.gmres(A: sparse_matrix|data, b: sparse_matrix|data, x0?: data; rtol?: number, atol?: number, "
    .. "restart?: integer|integer[], maxiter?: integer, M?: sparse_matrix|data, callback?: function, "
    .. "callback_type?: string) -> array, integer",
    "x, info with A x = b for any square A, by generalised minimal residuals: after `restart` (20) steps the method " ..
      "begins anew from what it has. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter such " ..
      "cycles (10 n): info is 0, or maxiter. M: an operator near the inverse of A. callback(x) after each cycle " ..
      "with callback_type 'x', callback(|b - A x| / |b|) after each step with 'pr_norm'.",
    function(A, b, ...)
      if core.is_recording() then return core.flows.iterated("sparse.linalg.gmres", solve, A, b, ...) end
      return solve(A, b, ...)
    end)
end
