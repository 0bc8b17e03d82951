--- lsqr and lsmr: least squares by the bidiagonalisation of Golub and Kahan (Paige and Saunders, ACM TOMS 8, 1982; Fong
--- and Saunders, SIAM J. Sci. Comput. 33, 2011). Each step needs the norms of two vectors, which are read together.

local sqrt, abs, max, min, huge = math.sqrt, math.abs, math.max, math.min, math.huge

return function(ma, core, _, system)
  local def = core.def
  local common = require "moonarray.common" (core)

  --- c, s, r with c a + s b = r, s a - c b = 0.
  local function rotation(a, b)
    local r = sqrt(a * a + b * b)
    if r == 0 then return 1, 0, 0 end
    return a / r, b / r, r
  end

  local minus = system.minus
  -- The solution and the directions of a step.
  local two = ma.fuse(function(x, a, w, v, b) return x + a * w, v - b * w end, "two")
  local three = ma.fuse(function(x, h, a, hbar, b, v, c)
    hbar = h - a * hbar
    return hbar, x + b * hbar, v - c * h
  end, "three")

  local function size_of(x) return x.size > 0 and system.norm(x):item() or 0 end

  --- A problem: the operator, the first x, and u, v, alpha, beta of the bidiagonalisation.
  local function begin(name, A, b, x0)
    local self = system.make(name, A, b, x0, nil, false)
    self.back = system.product(self, self.A, "rmatvec")
    self.bnorm = size_of(self.b)
    self.u, self.v, self.alpha = system.residual(self), ma.zeros_like(self.x), 0
    self.room, self.room_back = ma.empty_like(self.u), ma.empty_like(self.v)
    self.beta = size_of(self.u)
    if self.beta > 0 then
      self.u:imul(1 / self.beta)
      system.put(self.v, self.back(self.u, self.v))
      self.alpha = size_of(self.v)
      if self.alpha > 0 then self.v:imul(1 / self.alpha) end
    end
    return self
  end

  --- The next alpha and beta.
  local function advance(self)
    local u, v = self.u, self.v
    minus(self.times(v, self.room), self.alpha, u, { out = u })
    self.alpha, self.beta = 0, size_of(u)
    if self.beta == 0 then return end
    u:imul(1 / self.beta)
    minus(self.back(u, self.room_back), self.beta, v, { out = v })
    self.alpha = size_of(v)
    if self.alpha > 0 then v:imul(1 / self.alpha) end
  end

  --- Why to stop, 0: go on. test1, test2, test3 are the residual, the normal equations' residual and 1 / condition.
  local function reason(t1, t2, t3, rtol, atol, ctol, is_last, condition_first)
    local why = 0
    if is_last then why = 7 end
    if 1 + t3 <= 1 then why = 6 end
    if 1 + t2 <= 1 then why = 5 end
    if condition_first <= 1 then why = 4 end
    if t3 <= ctol then why = 3 end
    if t2 <= atol then why = 2 end
    if t1 <= rtol then why = 1 end
    return why
  end

  local ENDS = " istop says why it ended: 0: x = 0 is the solution; 1: A x = b as atol and btol want; 2: least " ..
    "squares as atol wants; 3: the condition passed conlim; 4, 5, 6: the same to rounding; 7: too many steps."

  def("sparse.linalg.lsqr(A, b, damp?, atol?, btol?, conlim?, iter_lim?, show?, calc_var?, x0?)",
    "The x that makes |b - A x|^2 + damp^2 |x|^2 least for a matrix A of any shape; x, istop, itn, r1norm, r2norm, " ..
      "anorm, acond, arnorm, xnorm, var: the number of steps, |b - A x|, the root of what is least, estimates of " ..
      "|A| and its condition, |A^H r - damp^2 x| and |x|, and with calc_var estimates of the variances." .. ENDS ..
      " show changes nothing.",
    function(A, b, damp, atol, btol, conlim, iter_lim, _, calc_var, x0)
      local name = "sparse.linalg.lsqr"
      damp = damp == nil and 0 or common.number(name, "damp", damp)
      atol, btol = system.not_negative(name, "atol", atol or 1e-6), system.not_negative(name, "btol", btol or 1e-6)
      conlim = conlim == nil and 1e8 or common.number(name, "conlim", conlim)
      local ctol = conlim > 0 and 1 / conlim or 0
      local self = begin(name, A, b, x0)
      local most = iter_lim == nil and 2 * self.n or common.whole(name, "iter_lim", iter_lim, 0)
      local x, bnorm = self.x, self.bnorm
      local var = ma.zeros(self.n, { dtype = system.real_of(self.dtype), device = self.device })
      local w = self.v:copy()
      local rhobar, phibar = self.alpha, self.beta
      local r1norm, r2norm, arnorm = self.beta, self.beta, self.alpha * self.beta
      local anorm, acond, ddnorm, res2, xnorm, xxnorm, z, cs2, sn2 = 0, 0, 0, 0, 0, 0, 0, -1, 0
      local itn, istop = 0, 0
      if arnorm == 0 then
        return system.result(self), 0, 0, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
      end
      while itn < most do
        itn = itn + 1
        local old_alpha = self.alpha
        advance(self)
        if self.beta > 0 then
          anorm = sqrt(anorm ^ 2 + old_alpha ^ 2 + self.beta ^ 2 + damp ^ 2)
        end
        local rhobar1, psi = rhobar, 0
        if damp ~= 0 then
          rhobar1 = sqrt(rhobar ^ 2 + damp ^ 2)
          psi, phibar = damp / rhobar1 * phibar, rhobar / rhobar1 * phibar
        end
        local cs, sn, rho = rotation(rhobar1, self.beta)
        local theta = sn * self.alpha
        rhobar = -cs * self.alpha
        local phi = cs * phibar
        phibar = sn * phibar
        local tau = sn * phi
        ddnorm = ddnorm + (size_of(w) / rho) ^ 2
        if calc_var then var:iadd(ma.absolute(w / rho) ^ 2) end
        two(x, phi / rho, w, self.v, theta / rho, { out = { x, w } })
        local delta, gambar = sn2 * rho, -cs2 * rho
        local rhs = phi - delta * z
        xnorm = sqrt(xxnorm + (rhs / gambar) ^ 2)
        local gamma = sqrt(gambar ^ 2 + theta ^ 2)
        cs2, sn2, z = gambar / gamma, theta / gamma, rhs / gamma
        xxnorm = xxnorm + z ^ 2
        acond = anorm * sqrt(ddnorm)
        res2 = res2 + psi ^ 2
        local rnorm = sqrt(phibar ^ 2 + res2)
        arnorm = self.alpha * abs(tau)
        local r1sq = rnorm ^ 2 - damp ^ 2 * xxnorm
        r1norm = (r1sq < 0 and -1 or 1) * sqrt(abs(r1sq))
        r2norm = rnorm
        local test1 = rnorm / bnorm
        local test2 = arnorm / (anorm * rnorm + 2 ^ -52)
        local test3 = 1 / (acond + 2 ^ -52)
        local t1 = test1 / (1 + anorm * xnorm / bnorm)
        local rtol = btol + atol * anorm * xnorm / bnorm
        istop = reason(test1, test2, test3, rtol, atol, ctol, itn >= most, 1 + t1)
        if istop ~= 0 then break end
      end
      return system.result(self), istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var
    end)

  def("sparse.linalg.lsmr(A, b, damp?, atol?, btol?, conlim?, maxiter?, show?, x0?)",
    "The x that makes |b - A x|^2 + damp^2 |x|^2 least for a matrix A of any shape, by a method whose |A^H r| falls " ..
      "with each step; x, istop, itn, normr, normar, norma, conda, normx: the number of steps, |b - A x|, |A^H r|, " ..
      "estimates of |A| and its condition, and |x|." .. ENDS .. " show changes nothing.",
    function(A, b, damp, atol, btol, conlim, maxiter, _, x0)
      local name = "sparse.linalg.lsmr"
      damp = damp == nil and 0 or common.number(name, "damp", damp)
      atol, btol = system.not_negative(name, "atol", atol or 1e-6), system.not_negative(name, "btol", btol or 1e-6)
      conlim = conlim == nil and 1e8 or common.number(name, "conlim", conlim)
      local ctol = conlim > 0 and 1 / conlim or 0
      local self = begin(name, A, b, x0)
      local most = maxiter == nil and min(self.m, self.n) or common.whole(name, "maxiter", maxiter, 0)
      local x, normb = self.x, self.bnorm
      local h, hbar = self.v:copy(), ma.zeros_like(x)
      local zetabar, alphabar = self.alpha * self.beta, self.alpha
      local rho, rhobar, cbar, sbar = 1, 1, 1, 0
      local betadd, betad, rhodold, tautildeold, thetatilde, zeta, d = self.beta, 0, 1, 0, 0, 0, 0
      local normA2, maxrbar, minrbar = self.alpha ^ 2, 0, 1e100
      local normr, normar, normA, condA, normx = self.beta, self.alpha * self.beta, sqrt(normA2), 1, 0
      local itn, istop = 0, 0
      if normar == 0 then return system.result(self), 0, 0, normr, normar, normA, condA, normx end
      if normb == 0 then
        return system.result(self, ma.zeros_like(x)), 0, 0, normr, normar, normA, condA, normx
      end
      while itn < most do
        itn = itn + 1
        advance(self)
        local chat, shat, alphahat = rotation(alphabar, damp)
        local rhoold = rho
        local c, s
        c, s, rho = rotation(alphahat, self.beta)
        local thetanew = s * self.alpha
        alphabar = c * self.alpha
        local rhobarold, zetaold = rhobar, zeta
        local thetabar, rhotemp = sbar * rho, cbar * rho
        cbar, sbar, rhobar = rotation(cbar * rho, thetanew)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        three(x, h, thetabar * rho / (rhoold * rhobarold), hbar, zeta / (rho * rhobar), self.v, thetanew / rho,
          { out = { hbar, x, h } })
        -- The norm of the residual.
        local betaacute, betacheck = chat * betadd, -shat * betadd
        local betahat = c * betaacute
        betadd = -s * betaacute
        local thetatildeold = thetatilde
        local ctildeold, stildeold, rhotildeold = rotation(rhodold, thetabar)
        thetatilde = stildeold * rhobar
        rhodold = ctildeold * rhobar
        betad = -stildeold * betad + ctildeold * betahat
        tautildeold = (zetaold - thetatildeold * tautildeold) / rhotildeold
        local taud = (zeta - thetatilde * tautildeold) / rhodold
        d = d + betacheck ^ 2
        normr = sqrt(d + (betad - taud) ^ 2 + betadd ^ 2)
        normA2 = normA2 + self.beta ^ 2
        normA = sqrt(normA2)
        normA2 = normA2 + self.alpha ^ 2
        maxrbar = max(maxrbar, rhobarold)
        if itn > 1 then minrbar = min(minrbar, rhobarold) end
        condA = max(maxrbar, rhotemp) / min(minrbar, rhotemp)
        normar = abs(zetabar)
        normx = size_of(x)
        local test1 = normr / normb
        local test2 = normA * normr ~= 0 and normar / (normA * normr) or huge
        local t1 = test1 / (1 + normA * normx / normb)
        local rtol = btol + atol * normA * normx / normb
        istop = reason(test1, test2, 1 / condA, rtol, atol, ctol, itn >= most, 1 + t1)
        if istop ~= 0 then break end
      end
      return system.result(self), istop, itn, normr, normar, normA, condA, normx
    end)
end
