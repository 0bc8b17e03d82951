--- Windows: weights for a piece of a signal, symmetric and largest in the middle, as float64 by NumPy's formulas.
--# create

local tostring = require("moonarray.text").tostring
return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  --- Checks a number of points. As in NumPy a fraction is not an error: the points are 2 / (M - 1) apart.
  local function points(name, what, m)
    common.number(name, what, m)
    if m - m ~= 0 then fail(name, ("%s is %s; wanted a finite number"):format(what, tostring(m))) end
    return m
  end

  --- Defines name(M): empty for M below 1, 1 for M = 1, else formula(n, M - 1) with n = 1 - M, 3 - M ... below M.
  local function window(name, doc, formula)
    def(name .. "(M: integer; device?: string) -> array", doc, function(m, device)
      points(name, "M", m)
      local options = { dtype = "float64", device = device }
      if m < 1 then return ma.empty(0, options) end
      if m == 1 then return ma.ones(1, options) end
      return formula(ma.arange(1 - m, m, 2, options), m - 1)
    end)
  end

  --> bartlett(5)
  window("bartlett", "A triangle of M points that is 0 at both ends.",
    function(n, span) return ma.where(n:le(0), n / span + 1, 1 - n / span) end)

  --> blackman(5)
  window("blackman", "0.42 + 0.5 cos + 0.08 cos of twice the angle, at M points.",
    function(n, span) return ma.cos(n * math.pi / span) * 0.5 + 0.42 + ma.cos(n * (2 * math.pi) / span) * 0.08 end)

  --> hamming(5)
  window("hamming", "0.54 + 0.46 cos at M points: a raised cosine that is 0.08 at its ends.",
    function(n, span) return ma.cos(n * math.pi / span) * 0.46 + 0.54 end)

  --> hanning(5)
  window("hanning", "0.5 + 0.5 cos at M points: a raised cosine that is 0 at its ends.",
    function(n, span) return ma.cos(n * math.pi / span) * 0.5 + 0.5 end)

  --> kaiser(5, 14)
  def("kaiser(M: integer, beta: number; device?: string) -> array",
    "Bessel's window of M points; a larger beta makes it narrower, 0 makes it all ones.",
    function(m, beta, device)
      points("kaiser", "M", m)
      common.number("kaiser", "beta", beta)
      local options = { dtype = "float64", device = device }
      if m == 1 then return ma.ones(1, options) end
      local n, alpha = ma.arange(0, m, 1, options), (m - 1) / 2
      local peak = ma.i0(ma.full({}, beta, options))
      return ma.i0(ma.sqrt(1 - ((n - alpha) / alpha) ^ 2) * beta) / peak
    end)
end
