-- Functions of elements give the same numbers in every form: as programs, as kernels, called for each element, and as
-- bare Lua of float64 (element_fuzz.lua).
--
-- FUZZ_SEED=n repeats one program, FUZZ_PROGRAMS=n runs more of them; scripts/fuzz_elements.lua and
-- `make fuzz-elements` run 20,000.

local helper = require "spec.helper"
local fuzz = require "spec.fusion.element_fuzz"

describe("functions of elements", function()
  it("give the same numbers in every form", function()
    local only = tonumber(os.getenv "FUZZ_SEED")
    local count = only and 1 or tonumber(os.getenv "FUZZ_PROGRAMS") or helper.thin and 60 or 500
    local first = only or helper.seed * 1000
    local failures = helper.failures(5)
    for seed = first, first + count - 1 do
      local why = fuzz.check(seed, only or seed % 250 == 0)
      if why then failures:run("program " .. seed - first + 1, error, why, 0) end
      if failures.n >= 5 then break end
    end
    failures:check()
  end)
end)
