-- ma.distributed with a GPU for each rank, by NCCL: ranks that scripts/gpus starts, ranks of mpirun, and the GPUs of
-- one process. It takes two GPUs, real ones or pretended ones (spec/pretend/nccl.c).

local helper = require "spec.helper"
local ma = helper.ma
local ranks = require "spec.distributed.ranks"

local N = helper.device == "cpu" and 0 or ma.cuda.runtime.getDeviceCount()
local is_pretended = os.getenv "PRETEND_DEVICES" ~= nil
local LIMIT = is_pretended and 1000 or 150
local LUA = os.getenv "LUAJIT" or "luajit"

--- Runs a command in a bounded time, and returns what it printed.
local function prints(command)
  return select(2, ranks.run(("timeout -k 2 %d env NCCL_NVLS_ENABLE=0 MOONARRAY_SPEC_LONG=%d %s"):format(LIMIT,
    is_pretended and 0 or 1, command), LIMIT))
end

local function try(what, command, pattern, least)
  it(what, function()
    if is_pretended and what:find "products" then pending "cuBLAS and cuFFT are wanted" return end
    local out = prints(command)
    local n, comparisons = out:match(pattern)
    assert(tonumber(n) == 2 and tonumber(comparisons) > least, out)
  end)
end

local PROGRAMS = { { "every call", "every_call", 1300 }, { "operators and reductions", "sharded", 80 },
  { "other parts, files, products, transforms", "moves", 150 }, { "stencils and halos", "stencils", 100 } }
local COMPARED = "ranks: (%d+), comparisons: (%d+)"

describe("two GPUs", function()
  if N < 2 then
    pending "ranks with a GPU each: two GPUs are wanted"
    return
  end
  for _, row in ipairs(PROGRAMS) do
    try(row[1], ("sh scripts/gpus 2 spec/distributed/%s.lua"):format(row[2]), COMPARED, row[3])
  end
  ranks.each(function(launcher)
    try("every call", ranks.command(launcher, 2, "spec/distributed/every_call.lua", "MOONARRAY_DEVICE=cuda"), COMPARED,
      1300)
  end)
  try("one process", ("'%s' spec/distributed/gpus.lua 2"):format(LUA), "(%d+) GPUs of one process: (%d+) comparisons",
    900)

  it("2^28 elements, a graph, and a rank that does not come", function()
    local out = prints "sh scripts/gpus 2 spec/distributed/gpu_rank.lua"
    for _, text in ipairs { (is_pretended and 2 ^ 16 or 2 ^ 28) .. " float32: right", "a graph: right",
      "alone in a graph: an error after 2", "alone in a call: an error after 2" } do
      assert(out:find(text, 1, true), ("wanted %q in: %s"):format(text, out))
    end
  end)
end)
