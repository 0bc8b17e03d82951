--- Functions of the stored entries that keep zeros, and parts of complex matrices.

return function(ma, _, sp)
  local method, state_of = sp.method, sp.state

  local DOC = "%s of each entry, as a sparse matrix."
  local NAMES = {
    sin = "The sine", tan = "The tangent", arcsin = "The arc sine", arctan = "The arc tangent", sinh = "The " ..
    "hyperbolic sine", tanh = "The hyperbolic tangent", arcsinh = "The inverse hyperbolic sine", arctanh = "The " ..
    "inverse hyperbolic tangent", sqrt = "The square root", rint = "The nearest whole number", sign = "The sign",
    expm1 = "exp(x) - 1", log1p = "log(1 + x)", deg2rad = "The angle in radians", rad2deg = "The angle in degrees",
    floor = "The greatest whole number below", ceil = "The least whole number above", trunc = "The whole part",
    absolute = "The magnitude", abs = "The magnitude",
  }

  --- Linear functions, which give the right sum also where a place has two entries.
  local LINEAR = { deg2rad = true, rad2deg = true }

  for name, what in pairs(NAMES) do
    local fn = ma[name == "abs" and "absolute" or name]
    --> sparse.Matrix.sin sparse.Matrix.tan sparse.Matrix.arcsin sparse.Matrix.arctan sparse.Matrix.sinh
    --> \ sparse.Matrix.tanh sparse.Matrix.arcsinh sparse.Matrix.arctanh sparse.Matrix.expm1 sparse.Matrix.log1p
    --> \ sparse.Matrix.deg2rad sparse.Matrix.rad2deg sparse.Matrix.sqrt: (ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}})
    --> \ / 4):sin():toarray()
    --> sparse.Matrix.rint sparse.Matrix.floor sparse.Matrix.ceil sparse.Matrix.trunc sparse.Matrix.sign
    --> \ sparse.Matrix.absolute sparse.Matrix.abs: (-ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}) / 4):rint():toarray()
    method(name .. "(a: sparse_matrix) -> sparse_matrix", DOC:format(what), function(a)
      local full = "sparse.Matrix." .. name
      local s = state_of(full, a)
      if not LINEAR[name] then s = sp.summed(full, s) end
      return sp.with_data(s, sp.values(fn(s.data)))
    end)
  end

  for _, name in ipairs { "conj", "conjugate", "real", "imag" } do
    local fn = ma[name]
    local function apply(s) return sp.with_data(s, sp.values(fn(s.data))) end
    if name == "real" or name == "imag" then
      sp.attributes[name] = function(s) return apply(s) end
    else
      --> sparse.Matrix.conj sparse.Matrix.conjugate: ma.sparse.csr_matrix({{ma.complex(1, 2), 0}}):conj():toarray()
      method(name .. "(a: sparse_matrix) -> sparse_matrix", "The complex conjugate of each entry.", function(a)
        local s = state_of("sparse.Matrix." .. name, a)
        return ma.iscomplexobj(s.data) and apply(s) or sp.with_data(s, s.data:copy())
      end)
    end
  end

  --> sparse.Matrix.getH: ma.sparse.csr_matrix({{ma.complex(1, 2), 0}}):getH():toarray()
  method("getH(a: sparse_matrix) -> sparse_matrix", "The conjugate transpose.", function(a)
    local s = state_of("sparse.Matrix.getH", a)
    local t = sp.transposed(s)
    return ma.iscomplexobj(s.data) and t:conj() or t
  end)
  function sp.attributes.H(_, self) return self:getH() end
end
