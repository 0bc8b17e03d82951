--- lsqr and lsmr: least squares by the bidiagonalisation of Golub and Kahan (Paige and Saunders, ACM TOMS 8, 1982; Fong
--- and Saunders, SIAM J. Sci. Comput. 33, 2011). On a GPU a step waits for nothing: its scalars and the reason to stop
--- are a kernel's, and vectors stay as they are once there is a reason.
--# sparse_linalg

local min = math.min

--- Lines of code for a rotation c, s, r with c a + s b = r and s a - c b = 0.
local function rotation(c, s, r, a, b)
  return (([[
    local C, S, R = 1.0, 0.0, math.sqrt((A) * (A) + (B) * (B))
    if R ~= 0 then C, S = (A) / R, (B) / R end
  ]]):gsub("%u", { A = a, B = b, C = c, S = s, R = r }))
end

--- Lines of code that set s.istop to the reason to stop, or 0 to go on. test1, test2 and test3 are the residual, the
--- normal equations' residual and 1 / condition. rtol bounds test1; both are divided by |b|, or neither is.
local REASON = [[
  local why = 0
  if s.itn >= s.most then why = 7 end
  if 1 + test3 <= 1 then why = 6 end
  if 1 + test2 <= 1 then why = 5 end
  if 1 + t1 <= 1 then why = 4 end
  if test3 <= s.ctol then why = 3 end
  if test2 <= s.atol then why = 2 end
  if test1 <= rtol then why = 1 end
  s.istop = why
]]

local LSQR = {
  { sizes = { "alpha", "beta", "width" }, factors = { "alpha", "rho", "x", "w", "istop" },
    idle = { rho = "math.huge", x = "0", w = "0" }, text = [[
  s.itn = s.itn + 1
  if s.beta > 0 then
    s.anorm = math.sqrt(s.anorm * s.anorm + s.last * s.last + s.beta * s.beta + s.damp * s.damp)
  end
  s.last = s.alpha
  local rhobar1, psi = s.rhobar, 0.0
  if s.damp ~= 0 then
    rhobar1 = math.sqrt(s.rhobar * s.rhobar + s.damp * s.damp)
    psi, s.phibar = s.damp / rhobar1 * s.phibar, s.rhobar / rhobar1 * s.phibar
  end
  ]] .. rotation("cs", "sn", "rho", "rhobar1", "s.beta") .. [[
  local theta = sn * s.alpha
  s.rhobar = -cs * s.alpha
  local phi = cs * s.phibar
  s.phibar = sn * s.phibar
  local tau = sn * phi
  s.rho, s.x, s.w = rho, phi / rho, theta / rho
  s.ddnorm = s.ddnorm + (s.width / rho) * (s.width / rho)
  local delta, gambar = s.sn2 * rho, -s.cs2 * rho
  local rhs = phi - delta * s.z
  s.xnorm = math.sqrt(s.xxnorm + (rhs / gambar) * (rhs / gambar))
  local gamma = math.sqrt(gambar * gambar + theta * theta)
  s.cs2, s.sn2, s.z = gambar / gamma, theta / gamma, rhs / gamma
  s.xxnorm = s.xxnorm + s.z * s.z
  s.acond = s.anorm * math.sqrt(s.ddnorm)
  s.res2 = s.res2 + psi * psi
  local rnorm = math.sqrt(s.phibar * s.phibar + s.res2)
  s.arnorm = s.alpha * math.abs(tau)
  local square = rnorm * rnorm - s.damp * s.damp * s.xxnorm
  s.r1norm = math.sqrt(math.abs(square))
  if square < 0 then s.r1norm = -s.r1norm end
  s.r2norm = rnorm
  local test1 = rnorm
  local test2 = s.arnorm / (s.anorm * rnorm + 2 ^ -52)
  local test3 = 1 / (s.acond + 2 ^ -52)
  local t1 = rnorm / (s.bnorm + s.anorm * s.xnorm)
  local rtol = s.btol * s.bnorm + s.atol * s.anorm * s.xnorm
  ]] .. REASON },
}

local LSMR = {
  { sizes = { "alpha", "beta" }, factors = { "alpha", "hbar", "x", "h" },
    idle = { hbar = "0", x = "0", h = "0" }, text = [[
  s.itn = s.itn + 1
  ]] .. rotation("chat", "shat", "alphahat", "s.alphabar", "s.damp") .. [[
  local rhoold = s.rho
  ]] .. rotation("c", "sn", "rho", "alphahat", "s.beta") .. [[
  local thetanew = sn * s.alpha
  s.rho, s.alphabar = rho, c * s.alpha
  local rhobarold, zetaold = s.rhobar, s.zeta
  local thetabar, rhotemp = s.sbar * rho, s.cbar * rho
  ]] .. rotation("cbar", "sbar", "rhobar", "rhotemp", "thetanew") .. [[
  s.cbar, s.sbar, s.rhobar = cbar, sbar, rhobar
  s.zeta, s.zetabar = cbar * s.zetabar, -sbar * s.zetabar
  s.hbar, s.x, s.h = thetabar * rho / (rhoold * rhobarold), s.zeta / (rho * rhobar), thetanew / rho
  local betaacute, betacheck = chat * s.betadd, -shat * s.betadd
  local betahat = c * betaacute
  s.betadd = -sn * betaacute
  local thetatildeold = s.thetatilde
  ]] .. rotation("ctildeold", "stildeold", "rhotildeold", "s.rhodold", "thetabar") .. [[
  s.thetatilde = stildeold * rhobar
  s.rhodold = ctildeold * rhobar
  s.betad = -stildeold * s.betad + ctildeold * betahat
  s.tautildeold = (zetaold - thetatildeold * s.tautildeold) / rhotildeold
  local taud = (s.zeta - s.thetatilde * s.tautildeold) / s.rhodold
  s.d = s.d + betacheck * betacheck
  s.normr = math.sqrt(s.d + (s.betad - taud) * (s.betad - taud) + s.betadd * s.betadd)
  s.normA2 = s.normA2 + s.beta * s.beta
  s.normA = math.sqrt(s.normA2)
  s.normA2 = s.normA2 + s.alpha * s.alpha
  s.maxrbar = math.max(s.maxrbar, rhobarold)
  if s.itn > 1 then s.minrbar = math.min(s.minrbar, rhobarold) end
  s.condA = math.max(s.maxrbar, rhotemp) / math.min(s.minrbar, rhotemp)
  s.normar = math.abs(s.zetabar)
  ]] },
  { sizes = { "normx" }, factors = { "istop" }, idle = {}, text = [[
  local test1, test2 = s.normr / s.bnorm, math.huge
  if s.normA * s.normr ~= 0 then test2 = s.normar / (s.normA * s.normr) end
  local test3 = 1 / s.condA
  local t1 = test1 / (1 + s.normA * s.normx / s.bnorm)
  local rtol = s.btol + s.atol * s.normA * s.normx / s.bnorm
  ]] .. REASON },
}

return function(ma, core, operator, system)
  local def = core.def
  local common = require "moonarray.common" (core)
  local scalars = require "moonarray.sparse.linalg.scalars" (ma, system)

  local minus = system.minus
  -- The next vector of the bidiagonalisation before it is scaled, and that of length 1, from the square of its length.
  -- `onward_root` has the square of a.
  local onward = ma.fuse(function(z, a, u, istop) return ma.where(istop:eq(0), z - a * u, u) end, "onward")
  local onward_root = ma.fuse(function(z, square, v, istop)
    return ma.where(istop:eq(0), z - ma.sqrt(square) * v, v)
  end, "onward_root")
  local scaled = ma.fuse(function(u, square)
    local size = ma.sqrt(square)
    return u * (1 / (size + size:eq(0)))
  end, "scaled")
  -- The solution and the directions of a step.
  local two = ma.fuse(function(x, a, w, v, b) return x + a * w, v - b * w end, "two")
  local three = ma.fuse(function(x, h, a, hbar, b, v, c)
    hbar = h - a * hbar
    return hbar, x + b * hbar, v - c * h
  end, "three")
  local spread = ma.fuse(function(var, w, rho)
    local size = ma.absolute(w / rho)
    return var + size * size
  end, "spread")

  local function size_of(x) return x.size > 0 and system.norm(x):item() or 0 end

  --- The function for products with A^H. A GPU gets a second CSR matrix: a graph would not keep sorted values for them.
  local function back_of(name, self)
    local matrix = not self.on_host and self.A.recordable and self.A.matrix
    local format = matrix and not core.is_array(matrix) and matrix.format
    if format ~= "csr" and format ~= "csc" then return system.product(self, self.A, "rmatvec") end
    local turned = (self.is_complex and matrix:conj() or matrix).T:tocsr()
    if format == "csc" then
      self.A = operator.as_operator(name, matrix:tocsr())
      self.times = system.product(self, self.A, "matvec")
    end
    return system.product(self, operator.as_operator(name, turned), "matvec")
  end

  --- A problem: the operator, the first x, and u, v, alpha, beta of the bidiagonalisation; and the scalars that say
  --- what is solved and when it ends.
  local function begin(name, A, b, x0, damp, atol, btol, conlim)
    damp = damp == nil and 0 or common.number(name, "damp", damp)
    atol, btol = system.not_negative(name, "atol", atol or 1e-6), system.not_negative(name, "btol", btol or 1e-6)
    conlim = conlim == nil and 1e8 or common.number(name, "conlim", conlim)
    local self = system.make(name, A, b, x0, nil, false)
    self.back = back_of(name, self)
    self.between = 4 -- a step takes several times as long as a read
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
    self.ends = { damp = damp, atol = atol, btol = btol, ctol = conlim > 0 and 1 / conlim or 0 }
    return self
  end

  --- Computes the next u and v, and their lengths before scaling, on the CPU.
  local function advance(self, state)
    local u, v, s = self.u, self.v, state.of
    minus(self.times(v, self.room), s.alpha, u, { out = u })
    s.alpha = 0
    if state.length("beta", u) == 0 then return end
    u:imul(1 / s.beta)
    minus(self.back(u, self.room_back), s.beta, v, { out = v })
    if state.length("alpha", v) > 0 then v:imul(1 / s.alpha) end
  end

  --- The same on a GPU.
  local function advance_there(self, state)
    local u, v, s = self.u, self.v, state.of
    onward(self.times(v, self.room), s.alpha, u, s.istop, { out = u })
    local square = state.length("beta", u)
    scaled(u, square, { out = u })
    onward_root(self.back(u, self.room_back), square, v, s.istop, { out = v })
    scaled(v, state.length("alpha", v), { out = v })
  end

  --- Runs steps from the scalars `first`; update(state) changes the vectors. Returns the scalars of the last step.
  local function run(self, program, first, most, update)
    for key, value in pairs(self.ends) do first[key] = value end
    first.most, first.bnorm, first.alpha, first.beta = most, self.bnorm, self.alpha, self.beta
    first.itn, first.istop = 0, 0
    local state = scalars.begin(self, program, first)
    local onward_by = self.on_host and advance or advance_there
    local last = first
    system.iterate(self, function()
      onward_by(self, state)
      update(state)
    end, function(steps)
      if not steps then return nil end
      last = state.read()
      return last.istop ~= 0 and last.istop or nil
    end, most)
    return last
  end

  local ENDS = " istop says why it ended: 0: x = 0 is the solution; 1: A x = b as atol and btol want; 2: least " ..
    "squares as atol wants; 3: the condition passed conlim; 4, 5, 6: the same to rounding; 7: too many steps."

  local lsqr = scalars.program("lsqr", LSQR)

  --> sparse.linalg.lsqr sparse.linalg.lsmr:
  --> \ (ma.sparse.linalg.lsqr(ma.sparse.csr_matrix({{2, 0}, {0, 4}}), {2, 4})):round(6)
  def("sparse.linalg.lsqr(A: sparse_matrix|data, b: sparse_matrix|data, damp?: number, atol?: number, btol?: number, "
    .. "conlim?: number, iter_lim?: integer|integer[], show?: boolean, calc_var?: boolean, x0?: data) -> array, "
    .. "any ...",
    "The x that makes |b - A x|^2 + damp^2 |x|^2 least for a matrix A of any shape; x, istop, itn, r1norm, r2norm, " ..
      "anorm, acond, arnorm, xnorm, var: the number of steps, |b - A x|, the root of what is least, estimates of " ..
      "|A| and its condition, |A^H r - damp^2 x| and |x|, and with calc_var estimates of the variances." .. ENDS ..
      " show changes nothing.",
    function(A, b, damp, atol, btol, conlim, iter_lim, _, calc_var, x0)
      local name = "sparse.linalg.lsqr"
      local self = begin(name, A, b, x0, damp, atol, btol, conlim)
      local most = iter_lim == nil and 2 * self.n or common.whole(name, "iter_lim", iter_lim, 0)
      local x, alpha, beta = self.x, self.alpha, self.beta
      local var = ma.zeros(self.n, { dtype = system.real_of(self.dtype), device = self.device })
      if alpha * beta == 0 then
        return system.result(self), 0, 0, beta, beta, 0, 0, alpha * beta, 0, var
      end
      local w = self.v:copy()
      local s = run(self, lsqr, { last = alpha, rhobar = alpha, phibar = beta, rho = 0, x = 0, w = 0, width = 0,
        r1norm = beta, r2norm = beta, arnorm = alpha * beta, anorm = 0, acond = 0, ddnorm = 0, res2 = 0, xnorm = 0,
        xxnorm = 0, z = 0, cs2 = -1, sn2 = 0 }, most, function(state)
        state.length("width", w)
        state.run(1)
        local of = state.of
        if calc_var then spread(var, w, of.rho, { out = var }) end
        two(x, of.x, w, self.v, of.w, { out = { x, w } })
      end)
      return system.result(self), s.istop, s.itn, s.r1norm, s.r2norm, s.anorm, s.acond, s.arnorm, s.xnorm, var
    end)

  local lsmr = scalars.program("lsmr", LSMR)

  def("sparse.linalg.lsmr(A: sparse_matrix|data, b: sparse_matrix|data, damp?: number, atol?: number, btol?: number, "
    .. "conlim?: number, maxiter?: integer, show?: boolean, x0?: data) -> array, any ...",
    "The x that makes |b - A x|^2 + damp^2 |x|^2 least for a matrix A of any shape, by a method whose |A^H r| falls " ..
      "with each step; x, istop, itn, normr, normar, norma, conda, normx: the number of steps, |b - A x|, |A^H r|, " ..
      "estimates of |A| and its condition, and |x|." .. ENDS .. " show changes nothing.",
    function(A, b, damp, atol, btol, conlim, maxiter, _, x0)
      local name = "sparse.linalg.lsmr"
      local self = begin(name, A, b, x0, damp, atol, btol, conlim)
      local most = maxiter == nil and min(self.m, self.n) or common.whole(name, "maxiter", maxiter, 0)
      local x, alpha, beta = self.x, self.alpha, self.beta
      if alpha * beta == 0 or self.bnorm == 0 then
        return system.result(self, alpha * beta ~= 0 and ma.zeros_like(x) or x), 0, 0, beta, alpha * beta,
          alpha, 1, 0
      end
      local h, hbar = self.v:copy(), ma.zeros_like(x)
      local s = run(self, lsmr, { zetabar = alpha * beta, alphabar = alpha, rho = 1, rhobar = 1, cbar = 1, sbar = 0,
        betadd = beta, betad = 0, rhodold = 1, tautildeold = 0, thetatilde = 0, zeta = 0, d = 0, normA2 = alpha ^ 2,
        normA = alpha, maxrbar = 0, minrbar = 1e100, normr = beta, normar = alpha * beta, condA = 1, normx = 0,
        hbar = 0, x = 0, h = 0 }, most, function(state)
        state.run(1)
        local of = state.of
        three(x, h, of.hbar, hbar, of.x, self.v, of.h, { out = { hbar, x, h } })
        state.length("normx", x)
        state.run(2)
      end)
      return system.result(self), s.istop, s.itn, s.normr, s.normar, s.normA, s.condA, s.normx
    end)
end
