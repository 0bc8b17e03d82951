--- ma.special: functions that are several operations, or one with optional arguments.

return function(ma, core)
  local def, apply, fail = core.def, core.apply, core.fail

  def("special.zeta(x, q?, out?; dtype?, where?)",
    "Hurwitz's zeta function, the sum of (q + k)^-x over k = 0, 1 ...; without q Riemann's, for any x.",
    function(x, q, out, dtype, where)
      if q == nil then return apply("riemann_zeta", out, dtype, where, x) end
      return apply("hurwitz_zeta", out, dtype, where, x, q)
    end)

  def("special.spherical_yn(n, z, derivative?)",
    "The spherical Bessel function of the second kind, of whole order n, or its derivative.",
    function(n, z, derivative)
      return apply(derivative and "spherical_yn_slope" or "spherical_yn_value", nil, nil, nil, n, z)
    end)

  def("special.ellipj(u, m)",
    "Jacobi's elliptic functions sn, cn, dn with the parameter m, and the amplitude ph with sn = sin(ph).",
    function(u, m)
      local results = {}
      for k, part in ipairs { "sn", "cn", "dn", "ph" } do
        results[k] = apply("ellipj_" .. part, nil, nil, nil, u, m)
      end
      return unpack(results)
    end)

  def("special.multigammaln(a, d)", "The logarithm of the gamma function of d dimensions, for a > (d - 1) / 2.",
    function(a, d)
      a = ma.asarray(a)
      if type(d) ~= "number" or d < 1 or d % 1 ~= 0 then
        fail("special.multigammaln", ("d is %s; wanted a whole number of at least 1"):format(core.describe(d)))
      end
      if a.size > 0 and a:min():item() <= (d - 1) / 2 then
        fail("special.multigammaln", ("an element of a is not above (d - 1) / 2 = %g"):format((d - 1) / 2))
      end
      local sum = ma.special.gammaln(a) + d * (d - 1) / 4 * math.log(math.pi)
      for j = 2, d do sum = sum + ma.special.gammaln(a - (j - 1) / 2) end
      return sum
    end)
end
