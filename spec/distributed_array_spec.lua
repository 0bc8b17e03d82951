-- Sharded arrays in a world of one rank: what arguments must be, and that results are those of plain arrays.
-- spec/distributed/sharded_spec.lua runs more ranks.

local helper = require "spec.helper"
local ma = helper.ma
local D = ma.distributed

local function said(pattern, fn, ...) assert.matches(pattern, helper.fails(fn, ...)) end

describe("sharded arrays of one rank", function()
  setup(function() D.init { device = helper.device } end)

  it("say where they are", function()
    local x = D.array(ma.arange(6):reshape(2, 3), { axis = -1, halo = 1 })
    assert(x.axis == 2 and x.halo == 1 and x.first == 1 and x.last == 3 and x.size == 6 and x.ndim == 2)
    assert(x.shape[1] == 2 and x.shape[2] == 3 and x.dtype == "int64" and x.sizes[1] == 3)
    assert(tostring(x) == "<sharded array (2, 3) int64, axis 2 over 1 ranks, 1 to 3 here on " .. x.device .. ">")
  end)

  it("reduce to the bits of plain arrays", function()
    local a = ma.random.default_rng(3):normal(0, 1, { 3000, 2 }):astype "float32"
    local x = D.array(a)
    for _, method in ipairs { "sum", "mean", "var", "std", "min", "argmax", "logsumexp" } do
      assert(x[method](x):tobytes() == a[method](a):tobytes(), method)
      assert(x[method](x, 1):tobytes() == a[method](a, 1):tobytes(), method .. " over axis 1")
    end
    assert(x:gt(0):any() == true and x:gt(0):all() == false)
  end)
end)

describe("arguments of sharded arrays", function()
  local a = ma.ones { 2, 3 }
  it("are checked", function()
    D.init()
    local x = D.array(a)
    said("distributed.array: axis 3 of an array of 2 axes", D.array, a, { axis = 3 })
    said("halo is %-1; wanted a whole number from 0 on", D.array, a, { halo = -1 })
    said("distributed.zeros: axis 0 of an array of 1 axes", D.zeros, 4, { axis = 0 })
    said("distributed.distribute: a is nil; wanted an array", D.distribute)
    said("a float64 array %(4, 3%) beside <sharded array .*wanted the whole extent of the sharded axis, or 1",
      function() return x + ma.ones { 4, 3 } end)
    said("wanted the same parts: write a:reshard%(b%)", function() return x + D.array(a, { axis = 2 }) end)
    said("distributed.map: no sharded array among the arguments", D.map, ma.sqrt, a)
    said("distributed.map: a result is a float64 array %(3, 2%); wanted an array with the part's extent", D.map,
      function(part) return part["1:3"] end, D.array(ma.ones { 4, 2 }))
    said("distributed.Array.sum: .* in place of a sharded array", x.sum, a)
    said("distributed.Array.sum: axis 3 of an array of 2 axes", x.sum, x, 3)
    said("distributed.Array", function() return x.sise end)
    said("'parts' cannot be set", function() x.parts = 1 end)
  end)
end)
