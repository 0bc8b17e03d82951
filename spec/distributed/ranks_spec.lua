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

describe("arrays with more elements than one call of MPI takes", function()
  ranks.each(function(launcher)
    for n = 2, 3 do
      it(("go in pieces, on %d ranks"):format(n), function()
        local command = ranks.command(launcher, n, "spec/distributed/every_call.lua", "MOONARRAY_MPI_COUNT=400")
        local code, out = ranks.run(command, 100)
        assert(code == 0 and tonumber(out:match "comparisons: (%d+)") > 1300, out)
      end)
    end
  end)
end)

describe("the integral of examples/distributed_sum.lua", function()
  ranks.each(function(launcher)
    it("is the same bits on 1, 2 and 4 ranks", function()
      local first
      for _, n in ipairs { 1, 2, 4 } do
        local code, out = ranks.run(ranks.command(launcher, n, "examples/distributed_sum.lua"), 60)
        local value = out:match "(0%.1735%d+) %+%-"
        assert(code == 0 and value, out)
        first = first or value
        assert(value == first, out)
      end
    end)
  end)
end)

describe("variables of torchrun beside those of mpirun", function()
  ranks.each(function(launcher)
    it("are not looked at", function()
      local chunk = [[
        local ma = require "moonarray"
        local D = ma.distributed
        D.init { timeout = 30 }
        print(("rank %d of %d: %d"):format(D.rank(), D.size(), D.all_reduce(ma.ones(1)):item()))
      ]]
      local code, out = ranks.chunk(launcher, 2, chunk,
        "RANK=7 WORLD_SIZE=nine MASTER_ADDR=192.0.2.1 MASTER_PORT=none MOONARRAY_STORE_SECRET=short")
      assert(code == 0 and out:find("rank 0 of 2: 2", 1, true) and out:find("rank 1 of 2: 2", 1, true), out)
    end)
  end)
end)
