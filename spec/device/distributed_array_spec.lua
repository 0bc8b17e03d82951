-- Sharded arrays in a world of one rank: what arguments must be, and that results are those of plain arrays.
-- spec/distributed/sharded_spec.lua runs more ranks.

local helper = require "spec.helper"
local ma = helper.ma
local D = ma.distributed
local core = require "moonarray.core"

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

  it("reduce on a GPU without a wait, so that a graph records it", function()
    if helper.device == "cpu" then return end
    local a = ma.full({ 40, 3 }, 1, "float32")
    local x, sum, var = D.array(a), ma.zeros(3, "float32"), ma.zeros(3, "float32")
    local step = ma.cuda.graph(function()
      sum:assign((x * 2):sum(1))
      var:assign(x:var(1))
      a:assign(a + 1)
    end)
    step()
    assert(ma.all(sum:eq(160)) and ma.all(var:eq(0)))
  end)
end)

describe("partial results", function()
  local generator = ma.random.default_rng(4)
  local CASES = { { "sum", "float32" }, { "mean", "float16" }, { "prod", "int8" }, { "var", "complex64" },
    { "std", "float64" }, { "max", "bfloat16" }, { "fmin", "float32" }, { "all", "bool" },
    { "count_nonzero", "uint16" } }

  local function parts_of(op, a, axis, mask)
    local bytes = core.reduce_part("", op, op == "fmin", a, axis, false, nil, mask)
    local shape = { 1 }
    for d = 1, bytes.ndim do shape[d + 1] = bytes.shape[d] end
    return bytes:reshape(shape)
  end

  it("are the same bytes on a GPU and on the CPU, and so are the results that they merge to", function()
    for _, case in ipairs(CASES) do
      local op, dtype = case[1], case[2]
      local a = (generator:integers(0, 9, { 1500, 6 }) / 4):astype(dtype)
      for axis = 1, 2 do
        for _, mask in ipairs { false, a:ne(2) } do
          mask = mask or nil
          local what = ("%s of %s, axis %d, %s"):format(op, dtype, axis, mask and "masked" or "whole")
          local parts = parts_of(op, a, axis, mask)
          local host = parts_of(op, a:get(), axis, mask and mask:get())
          assert(parts:tobytes() == host:tobytes(), what)
          local function merge(p)
            return core.reduce_merge("", op, op == "fmin", ma.concatenate { p, p, p }, dtype, nil,
              3 * a.shape[axis], 1, mask ~= nil)
          end
          assert(merge(parts):tobytes() == merge(host):tobytes(), what .. ", merged")
        end
      end
    end
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
