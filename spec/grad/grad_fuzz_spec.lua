-- Some of the programs of spec/grad/grad_fuzz.lua.

local fuzz = require "spec.grad.grad_fuzz"
local helper = require "spec.helper"

describe("the derivative of a random program", function()
  it("is what differences give", function()
    local failures, compared = helper.failures(), 0
    for seed = 1, 60 do
      failures:run("seed " .. seed, function()
        local wrong, has = fuzz.check(seed, 8)
        if has then compared = compared + 1 end
        assert.is_nil(wrong)
      end)
    end
    failures:check()
    assert(compared > 50, compared)
  end)
end)
