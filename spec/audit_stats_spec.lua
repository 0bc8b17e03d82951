-- A random audit of ma.stats: spec/golden/audit_stats.py has what it calls.

local audit = require "spec.audit"

describe("an audit of ma.stats:", function()
  for _, test in ipairs(audit.tests("stats")) do it(test.name, test.run) end
end)
