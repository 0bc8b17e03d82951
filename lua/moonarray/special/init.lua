--- ma.special: SciPy's special functions. Most are ufuncs of kernels/special.def; here are those that have other names
--- in the library already, and those over whole axes.

return function(ma, core)
  core.special()
  local special = ma.special

  local function alias(name, ufunc)
    rawset(special, name, ufunc)
    core.document("special." .. name, "special." .. name .. "(x: data, out?: array; dtype?: dtype, where?: array, "
      .. "casting?: string) -> array|scalar", ufunc.doc)
  end
  for name, of in pairs {
    --> special.cbrt({1, 8})
    --> special.exp2({1, 2})
    --> special.expm1({0, 1})
    --> special.i0({0, 1})
    --> special.log1p({0, 1})
    --> special.round({1.5, 2.5})
    --> special.sinc({0, 0.5})
    cbrt = "cbrt", exp2 = "exp2", expm1 = "expm1", i0 = "i0", log1p = "log1p", round = "rint", sinc = "sinc",
  } do
    alias(name, ma[of])
  end
  --> special.psi({1, 2})
  alias("psi", special.digamma)

  require "moonarray.special.functions" (ma, core)
  require "moonarray.special.axes" (ma, core)
end
