-- ma.distributed without a launcher: a world of one rank, and what arguments must be. spec/distributed runs ranks.

local helper = require "spec.helper"
local ma = helper.ma
local D = ma.distributed

local function said(pattern, fn, ...) assert.matches(pattern, helper.fails(fn, ...)) end

describe("before init", function()
  it("calls say what is missing", function()
    assert(not D.is_initialized())
    said("moonarray.distributed.rank: no world of ranks; call ma.distributed.init%(%) first", D.rank)
    said("distributed.all_reduce: no world", D.all_reduce, ma.ones(3))
  end)
end)

describe("a world of one rank", function()
  local world
  setup(function() world = D.init() end)

  it("has rank 0 of 1", function()
    assert(D.is_initialized() and D.world == world and D.init() == world)
    assert(D.rank() == 0 and D.size() == 1 and D.get_rank() == 0 and D.get_world_size(world) == 1)
    assert(tostring(world) == "<group of 1 ranks, this one is 0>" and world.ranks[1] == 0)
  end)

  it("gives back what it gets", function()
    local x = ma.arange(6, "float32"):reshape(3, 2)
    for _, name in ipairs { "all_reduce", "reduce", "reduce_scatter", "broadcast", "all_gather", "gather", "scatter",
      "all_to_all" } do
      local y = D[name](x)
      assert(y ~= x and ma.array_equal(y, x), name)
      local out = ma.zeros({ 3, 2 }, "float32")
      assert(D[name](x, { out = out }) == out and ma.array_equal(out, x), name)
      assert(ma.array_equal(world[name](world, x.T), x.T), name)
      assert(ma.array_equal(D[name](x, { async_op = true }):wait(), x), name)
    end
    assert(ma.array_equal(D.sendrecv(x, 0, ma.zeros({ 3, 2 }, "float32"), 0), x))
    if helper.device == "cpu" then
      said("distributed.recv: one rank alone", D.recv, ma.zeros(3), 0, { async_op = true })
      said("distributed.send: one rank alone", D.send, x, 0)
    end
    assert(ma.array_equal(D.all_to_all(x, { input_split_sizes = { 3 } }), x))
    assert(D.barrier() == nil)
  end)

  it("is recorded by a graph, on a GPU", function()
    if helper.device == "cpu" then return end
    local x, y = ma.full(10, 1, "float32"), ma.zeros(10, "float32")
    local step = ma.cuda.graph(function()
      D.all_reduce(x * 2, { out = y })
      x:assign(x + 1)
    end)
    step()
    assert(y(1) == 4)
  end)

  it("means whole numbers as float64, and rounds float16 once", function()
    assert(D.all_reduce(ma.array { 1, 2 }, "mean").dtype == "float64")
    assert(D.all_reduce(ma.array({ true }), "mean").dtype == "float64")
    assert(D.all_reduce(ma.array({ 1, 2 }, "float16"), "mean").dtype == "float16")
  end)

  it("begins calls together", function()
    local a, b = D.grouped(function() return D.all_reduce(ma.ones(2)), 7 end)
    assert(ma.all(a:eq(1)) and b == 7)
    said("distributed.grouped: fn is the number 3; wanted a function", D.grouped, 3)
    said("grouped within grouped", D.grouped, function() D.grouped(print) end)
    assert(D.all_reduce(4):item() == 4)
  end)

  it("has groups", function()
    local group = D.split(3)
    assert(group.size == 1 and group:all_reduce(4):item() == 4 and D.split() == nil)
    assert(D.new_group({ 0 }).rank == 0)
  end)

  it("closes groups, so that as many as one likes come one after another", function()
    local open = {}
    local ok, why
    repeat
      ok, why = pcall(D.split, 0)
      if ok then open[#open + 1] = why end
    until not ok
    assert.matches("distributed.split: rank 0 has no room for more groups, 256 at once; close those", why)
    for _, group in ipairs(open) do group:close() end
    said("distributed.barrier: a group that was closed; wanted one that is open", D.barrier, { group = open[1] })
    for _ = 1, 300 do D.split(0):close() end
    said("distributed.close: the group of all ranks; ma.distributed.finalize%(%) leaves the world", D.close, world)
    said("distributed.close: no group; write group:close%(%)", D.close)
  end)

  it("is in show_config, with the MPI that was found or how to get one", function()
    local text = ma.show_config(true)
    assert(text:match "\n  MPI +Open MPI v[%d.]+: libmpi" or text:match "\n  MPI +MPICH[^\n]*: libmpi"
      or text:match "\n  MPI +MPI was not found; install Open MPI or MPICH", text)
    if helper.device ~= "cpu" then assert.matches("\n  NCCL +[^\n]+", text) end
  end)
end)

describe("arguments", function()
  local x = ma.ones({ 3, 2 })
  it("are checked before anything is sent", function()
    D.init()
    said("op is \"avg\"; wanted \"sum\", \"prod\", \"min\", \"max\" or \"mean\"", D.all_reduce, x, "avg")
    said("max of complex64, which has no order; wanted sum, prod or mean", D.all_reduce, x:astype "complex64", "max")
    said("dst is 1; at most 0 is taken", D.reduce, x, 1)
    said("src is %-1; wanted a whole number from 0 on", D.broadcast, x, -1)
    said("out is a float64 array %(2, 3%) on .-; wanted float64 of shape %(3, 2%)", D.all_reduce, x, { out = x.T })
    said("sizes is of 2; wanted the first extents of 1 ranks", D.all_gather, x, { sizes = { 1, 2 } })
    said("x is a float64 array %(3, 2%); wanted the first extent 2, as sizes says", D.gather, x, { sizes = { 2 } })
    said("sizes add up to 2; wanted the first extent, 3", D.scatter, x, 0, { sizes = { 2 } })
    said("output_split_sizes without input_split_sizes", D.all_to_all, x, { output_split_sizes = { 3 } })
    said("x is nil; wanted an array", D.scatter)
    said("timeout is 0; wanted seconds, more than 0", D.barrier, { timeout = 0 })
    said("tag is 16384; at most 16383", D.send, x, 0, { tag = 16384 })
    said("group is .-; wanted a group of", D.barrier, { group = 7 })
    said("ranks is empty; wanted a table of ranks", D.new_group, {})
    said("rank 0 is there twice", D.new_group, { 0, 0 })
    said("color is %-2; wanted a whole number from 0 on", D.split, -2)
    said("distributed.Group", function() return D.world.sise end)
    said("write group:barrier%(...%)", D.world.barrier, 1)
  end)
end)
