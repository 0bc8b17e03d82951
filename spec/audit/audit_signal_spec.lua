-- A random audit of ma.signal: spec/golden/audit/audit_signal.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"
local ma = helper.ma
local signal = ma.signal

local own = {
  back = function(b, a)
    local num, den = signal.zpk2tf(signal.tf2zpk(b, a))
    return num, den
  end,
}

-- A machine without a library of transforms has none.
local works, why = pcall(function() return ma.fft.fft(ma.ones(4)) end)

describe("an audit of ma.signal:", function()
  if not works then return pending(tostring(why)) end
  for _, test in ipairs(audit.tests("signal", own)) do it(test.name, test.run) end
end)
