-- A random audit of ma.fft: spec/golden/audit/audit_fft.py has what it calls.

local audit = require "spec.audit.audit"

describe("an audit of ma.fft:", function()
  for _, test in ipairs(audit.tests("fft")) do it(test.name, test.run) end
end)
