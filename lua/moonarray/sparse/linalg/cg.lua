--- Conjugate gradients and their kin for other matrices: cg, cgs and bicgstab. All scalars of a step are arrays, so a
--- step waits for nothing and a graph can keep it.

return function(ma, core, _, system)
  local def = core.def
  local common = require "moonarray.common" (core)
  local inner, ratio, while_going = system.inner, system.ratio, system.while_going
  local BREAKDOWN_RHO, BREAKDOWN_OMEGA = -10, -11

  local DOC = " x0: the first guess. It ends when |b - A x| is at most max(atol, rtol |b|), or after maxiter steps " ..
    "(10 n): info is 0, or the number of steps. M: an operator near the inverse of A. callback(x) after each step."

  --- Runs a method: begin(self, r) returns a step, which changes self.x and the residual r in place, and a function
  --- that returns what the step must not divide by, if there is any.
  local function run(name, A, b, x0, rtol, atol, maxiter, M, callback, begin)
    local self = system.make(name, A, b, x0, M)
    if callback ~= nil then common.callable(name, "callback", callback) end
    local bound, norm = system.bound(name, self, rtol, atol)
    if norm == 0 then return system.result(self, ma.zeros_like(self.x)), 0 end
    local r = system.residual(self)
    local step, denominators = begin(self, r)
    local least = ma.finfo(system.real_of(self.dtype)).eps ^ 2
    local function read()
      local size = system.norm(r)
      if not denominators then
        size = size:item()
        return size <= bound and 0 or nil
      end
      local d, e = denominators()
      local rho, omega
      size, rho, omega = ma.item(size, ma.absolute(d), ma.absolute(e))
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
    local p = z:copy()
    local rho = inner(r, z):copy()
    -- Without a preconditioner rho is |r|^2.
    local function size_of(square)
      return not solve and ma.sqrt(ma.iscomplexobj(square) and square.real or square) or nil
    end
    return function()
      local q = times(p)
      local alpha = while_going(self, r, size_of(rho), ratio(rho, inner(p, q)))
      x:iadd(alpha * p)
      r:isub(alpha * q)
      local y = solve and solve(r) or r
      local next_rho = inner(r, y)
      p:assign(y + while_going(self, r, size_of(next_rho), ratio(next_rho, rho)) * p)
      rho:assign(next_rho)
    end
  end

  def("sparse.linalg.cg(A, b, x0?; rtol?, atol?, maxiter?, M?, callback?)",
    "x, info with A x = b for a Hermitian positive definite A, by conjugate gradients." .. DOC,
    function(A, b, x0, rtol, atol, maxiter, M, callback)
      return run("sparse.linalg.cg", A, b, x0, rtol, atol, maxiter, M, callback, begin_cg)
    end)

  -- ==== Others =====================================================================================================

  local function begin_bicgstab(self, r)
    local times, solve, x = self.times, self.solve, self.x
    local shadow = r:copy()
    local p, v = ma.zeros_like(r), ma.zeros_like(r)
    local one = ma.ones({}, { dtype = self.dtype, device = self.device })
    local rho, alpha, omega = one:copy(), one:copy(), one:copy()
    local denominator = one:copy()
    local function step()
      local next_rho = inner(shadow, r)
      local beta = ratio(next_rho, rho) * ratio(alpha, omega)
      p:assign(r + beta * (p - omega * v))
      rho:assign(next_rho)
      local y = solve and solve(p) or p
      v:assign(times(y))
      alpha:assign(while_going(self, r, nil, ratio(rho, inner(shadow, v))))
      r:isub(alpha * v)
      local z = solve and solve(r) or r
      local t = times(z)
      omega:assign(while_going(self, r, nil, ratio(inner(t, r), inner(t, t))))
      x:iadd(alpha * y + omega * z)
      r:isub(omega * t)
      denominator:assign(inner(shadow, r))
    end
    return step, function() return denominator, omega end
  end

  def("sparse.linalg.bicgstab(A, b, x0?; rtol?, atol?, maxiter?, M?, callback?)",
    "x, info with A x = b for any square A, by stabilised biconjugate gradients; info below 0: the method broke " ..
      "down." .. DOC,
    function(A, b, x0, rtol, atol, maxiter, M, callback)
      return run("sparse.linalg.bicgstab", A, b, x0, rtol, atol, maxiter, M, callback, begin_bicgstab)
    end)

  local function begin_cgs(self, r)
    local times, solve, x = self.times, self.solve, self.x
    local shadow = r:copy()
    local u, p, q = r:copy(), r:copy(), ma.zeros_like(r)
    local rho = inner(shadow, r):copy()
    local sigma = ma.ones({}, { dtype = self.dtype, device = self.device })
    local function step()
      local v = times(solve and solve(p) or p)
      sigma:assign(inner(shadow, v))
      local alpha = while_going(self, r, nil, ratio(rho, sigma))
      q:assign(u - alpha * v)
      local w = u + q
      local y = solve and solve(w:eval()) or w
      x:iadd(alpha * y)
      r:isub(alpha * times(y))
      local next_rho = inner(shadow, r)
      local beta = while_going(self, r, nil, ratio(next_rho, rho))
      u:assign(r + beta * q)
      p:assign(u + beta * (q + beta * p))
      rho:assign(next_rho)
    end
    return step, function() return rho, sigma end
  end

  def("sparse.linalg.cgs(A, b, x0?; rtol?, atol?, maxiter?, M?, callback?)",
    "x, info with A x = b for any square A, by squared conjugate gradients; info below 0: the method broke down." ..
      DOC,
    function(A, b, x0, rtol, atol, maxiter, M, callback)
      return run("sparse.linalg.cgs", A, b, x0, rtol, atol, maxiter, M, callback, begin_cgs)
    end)
end
