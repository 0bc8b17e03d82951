-- A random audit of ma.linalg and of products: spec/golden/audit/audit_linalg.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"
local ma = helper.ma
local linalg = ma.linalg

-- What does not depend on the signs of factors.
local own = {
  singular_values = function(a) return linalg.svd(a, { compute_uv = false }) end,
  qr_product = function(a, mode)
    local q, r = linalg.qr(a, mode)
    return ma.matmul(q, r)
  end,
  lu_product = function(a)
    local l, u = linalg.lu(a, { permute_l = true })
    return ma.matmul(l, u)
  end,
  least_squares = function(a, b) return (linalg.lstsq(a, b)) end,
}

-- A machine without LAPACK has no factors.
local works, why = pcall(linalg.inv, ma.eye(2))

describe("an audit of ma.linalg:", function()
  if not works then return pending(tostring(why)) end
  for _, test in ipairs(audit.tests("linalg", own)) do it(test.name, test.run) end
end)
