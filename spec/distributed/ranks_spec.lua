-- ma.distributed under mpirun of Open MPI and of MPICH, on 1 to 4 ranks: every call against what one process computes.

local ranks = require "spec.distributed.ranks"

describe("every call, dtype, size and layout", function()
  ranks.each(function(launcher)
    for n = 1, 4 do
      it(("on %d ranks"):format(n), function()
        local code, out = ranks.run(ranks.command(launcher, n, "spec/distributed/every_call.lua"), 100)
        assert(code == 0, out)
        local size, comparisons = out:match "ranks: (%d+), comparisons: (%d+)"
        assert(tonumber(size) == n and tonumber(comparisons) > 1300, out)
      end)
    end
  end)
end)
