-- A random audit of ma.special: spec/golden/audit/audit_special.py has what it calls, and against what.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"
local special = helper.ma.special

--- The golden data's names for a result of several, or for an optional argument.
local own = {
  ["special.sici_si"] = function(x) return (special.sici(x)) end,
  ["special.sici_ci"] = function(x) return (select(2, special.sici(x))) end,
  ["special.shichi_shi"] = function(x) return (special.shichi(x)) end,
  ["special.shichi_chi"] = function(x) return (select(2, special.shichi(x))) end,
  ["special.hurwitz_zeta"] = function(x, q) return special.zeta(x, q) end,
  ["special.riemann_zeta"] = function(x) return special.zeta(x) end,
  ["special.ellipj_sn"] = function(u, m) return (special.ellipj(u, m)) end,
  ["special.ellipj_cn"] = function(u, m) return (select(2, special.ellipj(u, m))) end,
  ["special.ellipj_dn"] = function(u, m) return (select(3, special.ellipj(u, m))) end,
  ["special.spherical_yn_value"] = function(n, z) return special.spherical_yn(n, z) end,
  ["special.spherical_yn_slope"] = function(n, z) return special.spherical_yn(n, z, true) end,
}

describe("an audit of ma.special:", function()
  for _, test in ipairs(audit.tests("special", own)) do it(test.name, test.run) end
end)
