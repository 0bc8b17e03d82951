-- A random audit of ma.spatial: spec/golden/audit/audit_spatial.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"

local own = { nearest = function(x, q, k, p) return helper.ma.spatial.KDTree(x):query(q, k, { p = p }) end }

describe("an audit of ma.spatial:", function()
  for _, test in ipairs(audit.tests("spatial", own)) do it(test.name, test.run) end
end)
