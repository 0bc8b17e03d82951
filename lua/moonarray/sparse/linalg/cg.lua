--- Conjugate gradients and their kin for other matrices: cg, cgs and bicgstab. A step changes its vectors in place.
--- On a GPU its scalars are arrays, so that it waits for nothing and a graph can keep it.
--# sparse_linalg

return function(ma, core, _, system)
  local def = core.def
  local common = require "moonarray.common" (core)
  local inner, ratio, while_going, keep = system.inner, system.ratio, system.while_going, system.keep
  local scalar, real, root = system.scalar, system.real, system.root
  local BREAKDOWN_RHO, BREAKDOWN_OMEGA = -10, -11

  local DOC = " x0: the first guess. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter steps " ..
    "(10 n): info is 0, or the number of steps. M: an operator near the inverse of A. callback(x) after each step."

  --- Runs a method. begin(self, r) returns a step, which changes self.x and the residual r in place; a function that
  --- returns the step's divisors that may be 0, if there are any; and one that returns |r|, if the method knows it.
  local function run(name, A, b, x0, rtol, atol, maxiter, M, callback, begin)
    local self = system.make(name, A, b, x0, M)
    if callback ~= nil then common.callable(name, "callback", callback) end
    local bound, norm = system.bound(name, self, rtol, atol)
    if norm == 0 then return system.result(self, ma.zeros_like(self.x)), 0 end
    local r = system.residual(self)
    local step, denominators, length = begin(self, r)
    local least = ma.finfo(system.real_of(self.dtype)).eps ^ 2
    local function read()
      local size = length and length() or system.length(self, r)
      if not denominators then
        return system.numbers(self, size) <= bound and 0 or nil
      end
      local d, e = denominators()
      local rho, omega
      size, rho, omega = system.numbers(self, size, system.magnitude(d), system.magnitude(e))
      if size <= bound then return 0 end
      if rho < least * norm ^ 2 then return BREAKDOWN_RHO end
      if omega == 0 then return BREAKDOWN_OMEGA end
    end
    local info = system.iterate(self, step, read, system.iterations(name, maxiter, 10 * self.n),
      callback and function() callback(self.x) end)
    return system.result(self), info
  end

  -- ==== Symmetric positive definite ================================================================================

  local function begin_cg(self, r)
    local times, solve, x = self.times, self.solve, self.x
    local z = solve and solve(r) or r
    local p, q = z:copy(), ma.empty_like(r)
    local rho = keep(scalar(self, 0), inner(self, r, z))
    -- Without a preconditioner rho is |r|^2.
    local function size_of(square) return not solve and root(real(square)) or nil end
    local function step()
      local product = times(p, q)
      local alpha = while_going(self, r, size_of(rho), ratio(rho, inner(self, p, product)))
      system.descend(x, r, alpha, p, product, { out = { x, r } })
      local y = solve and solve(r, z) or r
      local next_rho = inner(self, r, y)
      system.plus(y, while_going(self, r, size_of(next_rho), ratio(next_rho, rho)), p, { out = p })
      rho = keep(rho, next_rho)
    end
    return step, nil, not solve and function() return size_of(rho) end or nil
  end

  -- ==== Others =====================================================================================================

  local turn = ma.fuse(function(r, beta, p, omega, v) return r + beta * (p - omega * v) end, "turn")
  local advance = ma.fuse(function(x, alpha, y, omega, z, r, t) return x + alpha * y + omega * z, r - omega * t end,
    "advance")

  local function begin_bicgstab(self, r)
    local times, solve, x = self.times, self.solve, self.x
    local shadow = r:copy()
    local p, v, t = ma.zeros_like(r), ma.zeros_like(r), ma.empty_like(r)
    local y_room, z_room = solve and ma.empty_like(r), solve and ma.empty_like(r)
    local function one() return scalar(self, 1) end
    local rho, alpha, omega, denominator = one(), one(), one(), one()
    local function step()
      local next_rho = inner(self, shadow, r)
      local beta = ratio(next_rho, rho) * ratio(alpha, omega)
      turn(r, beta, p, omega, v, { out = p })
      rho = keep(rho, next_rho)
      local y = solve and solve(p, y_room) or p
      system.put(v, times(y, v))
      alpha = keep(alpha, while_going(self, r, nil, ratio(rho, inner(self, shadow, v))))
      system.minus(r, alpha, v, { out = r })
      local z = solve and solve(r, z_room) or r
      local product = times(z, t)
      local size = inner(self, product, product)
      omega = keep(omega, while_going(self, r, nil, ratio(inner(self, product, r), size)))
      advance(x, alpha, y, omega, z, r, product, { out = { x, r } })
      denominator = keep(denominator, inner(self, shadow, r))
    end
    return step, function() return denominator, omega end
  end

  local half = ma.fuse(function(u, alpha, v)
    local q = u - alpha * v
    return q, u + q
  end, "half")
  local turn_both = ma.fuse(function(r, beta, q, p)
    local u = r + beta * q
    return u, u + beta * (q + beta * p)
  end, "turn_both")

  local function begin_cgs(self, r)
    local times, solve, x = self.times, self.solve, self.x
    local shadow = r:copy()
    local u, p, q = r:copy(), r:copy(), ma.zeros_like(r)
    local w, v, room = ma.empty_like(r), ma.empty_like(r), solve and ma.empty_like(r)
    local rho = keep(scalar(self, 0), inner(self, shadow, r))
    local sigma = scalar(self, 1)
    local function step()
      local product = times(solve and solve(p, room) or p, v)
      sigma = keep(sigma, inner(self, shadow, product))
      local alpha = while_going(self, r, nil, ratio(rho, sigma))
      half(u, alpha, product, { out = { q, w } })
      local y = solve and solve(w, room) or w
      system.descend(x, r, alpha, y, times(y, v), { out = { x, r } })
      local next_rho = inner(self, shadow, r)
      local beta = while_going(self, r, nil, ratio(next_rho, rho))
      turn_both(r, beta, q, p, { out = { u, p } })
      rho = keep(rho, next_rho)
    end
    return step, function() return rho, sigma end
  end

  -- ==== The methods ================================================================================================

  local METHODS = {
    cg = { begin_cg, "x, info with A x = b for a Hermitian positive definite A, by conjugate gradients." },
    bicgstab = { begin_bicgstab, "x, info with A x = b for any square A, by stabilised biconjugate gradients; info " ..
      "below 0: the method broke down." },
    cgs = { begin_cgs, "x, info with A x = b for any square A, by squared conjugate gradients; info below 0: the " ..
      "method broke down." },
  }
  --> sparse.linalg.cg sparse.linalg.cgs sparse.linalg.bicgstab sparse.linalg.gmres sparse.linalg.minres:
  --> \ (ma.sparse.linalg.cg(ma.sparse.csr_matrix({{4, 1}, {1, 3}}), {1, 2})):round(6)
  for short, method in pairs(METHODS) do
    local name = "sparse.linalg." .. short
    def(name .. "(A: sparse_matrix|data, b: sparse_matrix|data, x0?: data; rtol?: number, atol?: number, "
      .. "maxiter?: integer, M?: sparse_matrix|data, callback?: function) -> array, integer", method[2] .. DOC,
      function(A, b, x0, rtol, atol, maxiter, M, callback)
        local function solve(a, right)
          return run(name, a, right, x0, rtol, atol, maxiter, M, callback, method[1])
        end
        if core.is_recording() then return core.flows.iterated(name, solve, A, b) end
        return solve(A, b)
      end)
  end
end
