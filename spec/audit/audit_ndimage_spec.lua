-- A random audit of ma.ndimage: spec/golden/audit/audit_ndimage.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"

local own = {
  ["ndimage.distance_transform_edt"] = function(x) return (helper.ma.ndimage.distance_transform_edt(x)) end,
}

describe("an audit of ma.ndimage:", function()
  for _, test in ipairs(audit.tests("ndimage", own)) do it(test.name, test.run) end
end)
