--- minres: minimal residuals of symmetric matrices, definite or not (Paige and Saunders, SIAM J. Numer. Anal. 12,
--- 1975). On a GPU steps wait for nothing but the reads of the residual.
--# sparse_linalg

return function(ma, core, _, system)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local ratio, keep, real, root = system.ratio, system.keep, system.real, system.root

  --- The next vector of the basis before scaling, from the last two.
  local follow = ma.fuse(function(u, a, now) return now, u - a * now end, "follow")
  local advance = ma.fuse(function(x, phi, v, epsilon, w1, delta, w2, scale)
    local w = (v - epsilon * w1 - delta * w2) * scale
    return x + phi * w, w2, w
  end, "advance")

  local function solution(A, b, x0, rtol, shift, maxiter, M, callback, _, check)
    local name = "sparse.linalg.minres"
    local self = system.make(name, A, b, x0, M)
    rtol = system.not_negative(name, "rtol", rtol or 1e-5)
    shift = shift == nil and 0 or common.number(name, "shift", shift)
    if callback ~= nil then common.callable(name, "callback", callback) end
    maxiter = system.iterations(name, maxiter, 5 * self.n)
    local solve, x = self.solve, self.x
    local function inner(y, z) return real(system.inner(self, y, z)) end
    --- A v - shift v in `out`.
    local function times(v, out)
      system.put(out, self.times(v, out))
      return shift == 0 and out or system.minus(out, shift, v, { out = out })
    end
    if self.n == 0 then return system.result(self), 0 end
    local u = ma.empty_like(x)
    local r1 = self.has_start and ma.subtract(self.b, times(x, u)) or self.b:copy()
    local y = solve and solve(r1) or r1
    local beta1 = inner(r1, y)
    local first = system.numbers(self, beta1)
    if first < 0 then fail(name, "M is not positive definite; wanted one that is") end
    if first == 0 then return system.result(self), 0 end
    if check then
      local function symmetric(f, what)
        local w = f(y)
        local s, t, z = system.numbers(self, inner(w, w), inner(y, f(w)), inner(y, y))
        local eps = ma.finfo(system.real_of(self.dtype)).eps ^ (1 / 3)
        if math.abs(s - t) > (s + z) * eps then fail(name, what .. " is not symmetric; wanted one that is") end
      end
      symmetric(self.times, "A")
      if solve then symmetric(solve, "M") end
    end
    beta1 = root(beta1)
    local bnorm = system.norm(self.b):item()
    local function scalar(value) return system.scalar(self, value, system.real_of(self.dtype)) end
    -- The last two vectors of the basis before scaling, and the last two directions.
    local before, now = ma.zeros_like(r1), r1:copy()
    local w1, w2 = ma.zeros_like(r1), ma.zeros_like(r1)
    local v, room = ma.empty_like(r1), solve and ma.empty_like(r1)
    y = solve and y:copy() or now
    local old_beta, beta = scalar(0), keep(scalar(0), beta1)
    local cs, sn = scalar(-1), scalar(0)
    local dbar, epsilon, phibar = scalar(0), scalar(0), keep(scalar(0), beta1)
    local norm2 = scalar(0)
    local function step()
      ma.multiply(y, ratio(scalar(1), beta), v)
      times(v, u)
      system.minus(u, ratio(beta, old_beta), before, { out = u })
      local alpha = inner(v, u)
      follow(u, ratio(alpha, beta), now, { out = { before, now } })
      if solve then system.put(y, solve(now, room)) end
      local square = inner(now, y)
      local next_beta = root(is_array(square) and ma.maximum(square, 0) or square < 0 and 0 or square)
      norm2 = keep(norm2, norm2 + alpha * alpha + beta * beta + next_beta * next_beta)
      -- The rotation of the last step, then a new one.
      local delta = cs * dbar + sn * alpha
      local gbar = sn * dbar - cs * alpha
      local gamma = root(gbar * gbar + next_beta * next_beta)
      local next_epsilon, next_dbar = sn * next_beta, -cs * next_beta
      local c, s = ratio(gbar, gamma), ratio(next_beta, gamma)
      local phi = c * phibar
      advance(x, phi, v, epsilon, w1, delta, w2, ratio(scalar(1), gamma), { out = { x, w1, w2 } })
      local next_phibar = s * phibar
      epsilon, dbar = keep(epsilon, next_epsilon), keep(dbar, next_dbar)
      cs, sn, phibar = keep(cs, c), keep(sn, s), keep(phibar, next_phibar)
      old_beta = keep(old_beta, beta)
      beta = keep(beta, next_beta)
    end
    local function read(steps)
      if not steps then return nil end
      local left, square, size, next_beta = system.numbers(self, system.magnitude(phibar), norm2,
        system.length(self, x), beta)
      local is_small = left <= rtol * (math.sqrt(square) * size + bnorm) or next_beta == 0
      if is_small and left < math.huge then return 0 end
    end
    -- Constants of a step are arrays that it makes, which a recording keeps as they are.
    local info = system.iterate(self, step, read, maxiter, callback and function() callback(x) end)
    return system.result(self), info
  end

  def("sparse.linalg.minres(A: sparse_matrix|data, b: sparse_matrix|data, x0?: data; rtol?: number, "
    .. "shift?: number|number[]|array, maxiter?: integer, M?: sparse_matrix|data, callback?: function, "
    .. "show?: boolean, check?: boolean) -> array, integer",
    "x, info with (A - shift I) x = b for a Hermitian A, which need not be definite, by minimal residuals. It ends " ..
      "when |b - A x| is at most rtol (1e-5) times |A| |x| + |b|, as far as these are known, or after maxiter steps " ..
      "(5 n): info is 0, or the number of steps. M: a definite operator near the inverse of A. callback(x) after " ..
      "each step. check: first look whether A and M are symmetric. show changes nothing.",
    function(A, b, x0, rtol, shift, ...)
      if core.is_recording() and (shift or 0) == 0 then
        return core.flows.iterated("sparse.linalg.minres", solution, A, b, x0, rtol, shift, ...)
      end
      return solution(A, b, x0, rtol, shift, ...)
    end)
end
