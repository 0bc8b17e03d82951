-- Some of the programs of spec/grad/grad_fuzz.lua.

local fuzz = require "spec.grad.grad_fuzz"
local helper = require "spec.helper"

describe("the derivative of a random program", function()
  it("is what differences give", function()
    local failures = helper.failures()
    for seed = 1, 60 do
      failures:run("seed " .. seed, function() assert.is_nil(fuzz.check(seed, 8)) end)
    end
    failures:check()
  end)
end)
