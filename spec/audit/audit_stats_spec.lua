-- A random audit of ma.stats: spec/golden/audit/audit_stats.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"
local ma = helper.ma

local own = {
  density = function(x, points, width, weights)
    return ma.stats.gaussian_kde(x, width, { weights = weights })(points)
  end,
}

-- A machine without LAPACK has no factors of a covariance.
local works, why = pcall(function() return ma.linalg.cholesky(ma.eye(2)) end)

describe("an audit of ma.stats:", function()
  if not works then return pending(tostring(why)) end
  for _, test in ipairs(audit.tests("stats", own)) do it(test.name, test.run) end
end)
