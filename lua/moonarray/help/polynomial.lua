--- Examples of moonarray.polynomial, for ma.help and the reference (help/arrays.lua says how they are written): the
--- same for each family of polynomials.
local lines = { [[
polynomial.polynomial.polyvalfromroots(3, {1, 2})
polynomial.polyutils.as_series: #ma.polynomial.polyutils.as_series({{1, 2}, {3}})
polynomial.polyutils.getdomain({1, 5, 3})
polynomial.polyutils.mapdomain({0, 1}, {0, 1}, {-1, 1})
polynomial.polyutils.mapparms({0, 1}, {-1, 1})
polynomial.polyutils.trimcoef({1, 2, 0})
polynomial.polyutils.trimseq({1, 2, 0})]] }

local of_functions = [[
polynomial.M.Padd({1, 2}, {3, 4, 5})
polynomial.M.Psub({1, 2}, {3, 4, 5})
polynomial.M.Pmul({1, 2}, {3, 4})
polynomial.M.Pmulx({1, 2})
polynomial.M.Pdiv({3, 4, 5}, {1, 2})
polynomial.M.Ppow({1, 2}, 2)
polynomial.M.Pval({0, 0.5}, {1, 2, 3})
polynomial.M.Pval2d({1, 2}, {3, 4}, {{1, 2}, {3, 4}})
polynomial.M.Pval3d({1}, {2}, {3}, {{{1, 2}}, {{3, 4}}})
polynomial.M.Pgrid2d({1, 2}, {3, 4}, {{1, 2}, {3, 4}})
polynomial.M.Pgrid3d: ma.polynomial.M.Pgrid3d({1, 2}, {2}, {3}, {{{1, 2}}, {{3, 4}}}):ravel()
polynomial.M.Pvander({1, 2}, 2)
polynomial.M.Pvander2d({1}, {2}, {1, 1})
polynomial.M.Pvander3d: ma.polynomial.M.Pvander3d({1}, {2}, {3}, {1, 1, 0})
polynomial.M.Pder({1, 2, 3})
polynomial.M.Pint({1, 2})
polynomial.M.Pline(1, 2)
polynomial.M.Ptrim({1, 2, 0})
polynomial.M.Pcompanion({-6, 1, 1})
polynomial.M.Pfromroots({1, 2})
polynomial.M.Proots: ma.polynomial.M.Proots(ma.polynomial.M.Pfromroots({1, 2})):round(6)
polynomial.M.Pfit: ma.polynomial.M.Pfit({0, 1, 2}, {1, 3, 5}, 1):round(6) + 0
]]
local of_others = [[
polynomial.M.P2poly({1, 2, 3})
polynomial.M.poly2P({1, 2, 3})
polynomial.M.Pweight(X)
]]
local of_objects = [[
polynomial.C: ma.polynomial.C({1, 2, 3})(0.5)
polynomial.C.basis: ma.polynomial.C.basis(2).coef
polynomial.C.identity: ma.polynomial.C.identity()(2)
polynomial.C.fromroots: ma.polynomial.C.fromroots({1, 2}).coef:round(6)
polynomial.C.fit: ma.polynomial.C.fit({0, 1, 2}, {1, 3, 5}, 1)(2):round(6)
polynomial.C.cast: ma.polynomial.C.cast(ma.polynomial.SERIES({1, 2})).coef
]]

for _, family in ipairs { { "polynomial", "poly", "Polynomial" }, { "chebyshev", "cheb", "Chebyshev", "0.5" },
  { "legendre", "leg", "Legendre", "0.5" }, { "hermite", "herm", "Hermite", "1" },
  { "hermite_e", "herme", "HermiteE", "1" }, { "laguerre", "lag", "Laguerre", "1" } } do
  local module, prefix, class, x = unpack(family)
  local text = of_functions .. (x and of_others or "") .. of_objects
  text = text:gsub("%f[%w]M%f[%W]", module):gsub("%f[%w]P2poly", prefix .. "2poly"):gsub("poly2P", "poly2" .. prefix)
  text = text:gsub("%.P(%l)", "." .. prefix .. "%1"):gsub("%f[%w]C%f[%W]", class):gsub("%(X%)", "(" .. (x or "") .. ")")
  text = text:gsub("SERIES", "Polynomial")
  lines[#lines + 1] = text:sub(1, -2)
end

return table.concat(lines, "\n") .. "\n"
