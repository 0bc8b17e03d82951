-- Sharded arrays under mpirun of Open MPI and of MPICH, on 1 to 4 ranks: every result against the same code over the
-- whole array.

local ranks = require "spec.distributed.ranks"

local function try(program, least)
  ranks.each(function(launcher)
    for n = 1, 4 do
      it(("on %d ranks"):format(n), function()
        local code, out = ranks.run(ranks.command(launcher, n, program), 100)
        assert(code == 0, out)
        local size, comparisons = out:match "ranks: (%d+), comparisons: (%d+)"
        assert(tonumber(size) == n and tonumber(comparisons) > least, out)
      end)
    end
  end)
end

describe("operators and reductions", function() try("spec/distributed/sharded.lua", 900) end)
describe("other parts, files, products, transforms", function() try("spec/distributed/moves.lua", 150) end)
describe("stencils and halos", function() try("spec/distributed/stencils.lua", 100) end)

describe("examples", function()
  ranks.each(function(launcher)
    for program, pattern in pairs { heat = "NOT", train = "DIFFER" } do
      it(program .. " on 2 ranks", function()
        local command = ranks.command(launcher, 2, "examples/distributed_" .. program .. ".lua")
        local code, out = ranks.run(command .. (program == "heat" and " 64 30" or " 300 20"), 60)
        assert(code == 0 and out:find "2 ranks", out)
        assert(not out:find(pattern) and out:find(program == "heat" and "the bits of one rank" or "same weights"), out)
      end)
    end
  end)
end)
