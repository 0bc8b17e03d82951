-- Deferred operators give the bits, dtypes, layouts and errors of operators that are evaluated at once: random programs
-- of operations, writes in place, views, scopes, streams, frees and reads, each run both ways (fusion_fuzz.lua).
--
-- FUZZ_SEED=n repeats one program, FUZZ_PROGRAMS=n runs more of them; scripts/fuzz_fusion.lua and `make fuzz-fusion`
-- run 100,000.

local helper = require "spec.helper"
local fuzz = require "spec.fusion.fusion_fuzz"

describe("deferred operators", function()
  it("agree with operators evaluated at once", function()
    local only = tonumber(os.getenv("FUZZ_SEED"))
    local count = only and 1 or tonumber(os.getenv("FUZZ_PROGRAMS")) or helper.thin and 300 or helper.long and 20000
      or 2500
    local first = only or helper.seed * 1000
    local failures = helper.failures(5)
    for seed = first, first + count - 1 do
      local why = fuzz.check(seed, 24)
      if why then failures:run("program " .. seed - first + 1, error, why, 0) end
      if failures.n >= 5 then break end
    end
    fuzz.close()
    failures:check()
  end)
end)
