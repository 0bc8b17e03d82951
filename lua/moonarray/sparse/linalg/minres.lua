--- minres: minimal residuals of symmetric matrices, definite or not (Paige and Saunders, SIAM J. Numer. Anal. 12,
--- 1975). Scalars are arrays of no axes, so steps wait for nothing but the reads of the residual.

return function(ma, core, _, system)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local inner, ratio = system.inner, system.ratio

  local function real(x) return ma.iscomplexobj(x) and x.real or x end

  def("sparse.linalg.minres(A, b, x0?; rtol?, shift?, maxiter?, M?, callback?, show?, check?)",
    "x, info with (A - shift I) x = b for a Hermitian A, which need not be definite, by minimal residuals. It ends " ..
      "when |b - A x| is at most rtol (1e-5) times |A| |x| + |b|, as far as these are known, or after maxiter steps " ..
      "(5 n): info is 0, or the number of steps. M: a definite operator near the inverse of A. callback(x) after " ..
      "each step. check: first look whether A and M are symmetric. show changes nothing.",
    function(A, b, x0, rtol, shift, maxiter, M, callback, _, check)
      local name = "sparse.linalg.minres"
      local self = system.make(name, A, b, x0, M)
      rtol = system.not_negative(name, "rtol", rtol or 1e-5)
      shift = shift == nil and 0 or common.number(name, "shift", shift)
      if callback ~= nil then common.callable(name, "callback", callback) end
      maxiter = system.iterations(name, maxiter, 5 * self.n)
      local solve, x = self.solve, self.x
      local function times(v) return shift == 0 and self.times(v) or self.times(v) - shift * v end
      if self.n == 0 then return system.result(self), 0 end
      local r1 = self.has_start and (self.b - times(x)):eval() or self.b:copy()
      local y = solve and solve(r1) or r1
      local beta1 = real(inner(r1, y))
      local first = beta1:item()
      if first < 0 then fail(name, "M is not positive definite; wanted one that is") end
      if first == 0 then return system.result(self), 0 end
      if check then
        local function symmetric(f, what)
          local w = f(y)
          local s, t, z = ma.item(real(inner(w, w)), real(inner(y, f(w))), real(inner(y, y)))
          local eps = ma.finfo(system.real_of(self.dtype)).eps ^ (1 / 3)
          if math.abs(s - t) > (s + z) * eps then fail(name, what .. " is not symmetric; wanted one that is") end
        end
        symmetric(self.times, "A")
        if solve then symmetric(solve, "M") end
      end
      beta1 = ma.sqrt(beta1)
      local bnorm = system.norm(self.b):item()
      local function scalar(value) return ma.asarray(value, { dtype = beta1.dtype, device = self.device }) end
      -- The last two vectors of the basis before they are scaled, and of the directions.
      local before, now = ma.zeros_like(r1), r1:copy()
      local w1, w2 = ma.zeros_like(r1), ma.zeros_like(r1)
      y = y:copy()
      local old_beta, beta = scalar(0), beta1:copy()
      local cs, sn = scalar(-1), scalar(0)
      local dbar, epsilon, phibar = scalar(0), scalar(0), beta1:copy()
      local norm2, residual = scalar(0), beta1:copy()
      local function step()
        local v = (y * ratio(scalar(1), beta)):eval()
        local u = times(v)
        u = (u - ratio(beta, old_beta) * before):eval()
        local alpha = real(inner(v, u))
        u = (u - ratio(alpha, beta) * now):eval()
        before:assign(now)
        now:assign(u)
        y:assign(solve and solve(u) or u)
        local next_beta = ma.sqrt(ma.maximum(real(inner(u, y)), 0))
        norm2:iadd(alpha * alpha + beta * beta + next_beta * next_beta)
        -- The rotation of the last step, then a new one.
        local delta = cs * dbar + sn * alpha
        local gbar = sn * dbar - cs * alpha
        local w = v - epsilon * w1 - delta * w2
        local next_epsilon, next_dbar = sn * next_beta, -cs * next_beta
        local gamma = ma.sqrt(gbar * gbar + next_beta * next_beta)
        local c, s = ratio(gbar, gamma), ratio(next_beta, gamma)
        local phi = c * phibar
        w = (w * ratio(scalar(1), gamma)):eval()
        x:iadd(phi * w)
        w1:assign(w2)
        w2:assign(w)
        local next_phibar = s * phibar
        epsilon:assign(next_epsilon)
        dbar:assign(next_dbar)
        cs:assign(c)
        sn:assign(s)
        phibar:assign(next_phibar)
        old_beta:assign(beta)
        beta:assign(next_beta)
        residual:assign(ma.absolute(next_phibar))
      end
      local function read(steps)
        if not steps then return nil end
        local left, square, size, next_beta = ma.item(residual, norm2, system.norm(x), beta)
        if left <= rtol * (math.sqrt(square) * size + bnorm) or next_beta == 0 then return 0 end
      end
      -- Constants of a step are arrays that it makes, which a recording keeps as they are.
      local info = system.iterate(self, step, read, maxiter, callback and function() callback(x) end)
      return system.result(self), info
    end)
end
