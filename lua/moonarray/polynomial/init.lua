--- ma.polynomial: series of powers of x and of orthogonal polynomials, from the lowest degree up, as functions of one
--- module for each family and as objects.

return function(ma, core)
  local shared = require "moonarray.polynomial.shared" (ma, core)
  local host = require "moonarray.polynomial.host" (ma, core, shared)
  local families = require "moonarray.polynomial.families"
  local series = require "moonarray.polynomial.series" (ma, core, shared, host)
  local utils = require "moonarray.polynomial.polyutils" (ma, core, shared, host)
  local file = require "moonarray.polynomial.functions"
  local object = require "moonarray.polynomial.object" (ma, core, shared, host, utils)

  for _, family in ipairs(families) do
    file(ma, core, shared, host, series, family, families[1])
    object(family)
    local module = ma.polynomial[family.module]
    for name, list in pairs { domain = family.domain, zero = { 0 }, one = { 1 }, x = family.line(0, 1) } do
      rawset(module, family.prefix .. name, list)
    end
  end
end
