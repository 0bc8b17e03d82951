-- What a mask keeps, and where: of masks and arrays that are there or pending, in every layout, to the bits of one
-- after another; on a GPU in one pass; and what the result does not need of the room that was made for it goes back.

local helper = require "spec.helper"
local core = require "moonarray.core"
local are_few = require("spec.fusion.fusion_helper").are_few
local ma = helper.ma

local random = helper.random(41)
local function pick(list) return list[random(1, #list)] end
local on_gpu = helper.device ~= "cpu"

local dtypes = { "float32", "float64", "float16", "bfloat16", "int32", "uint8", "int64", "bool", "complex64",
  "complex128" }

--- Random elements of the shape: whole, transposed, backwards or every second one.
local function operand(shape, dtype)
  local kind, rank, made, index = random(1, 6), #shape, {}, {}
  for d = 1, rank do made[d], index[d] = shape[d], {} end
  if kind == 2 then for d = 1, rank do made[d] = shape[rank + 1 - d] end end
  if kind == 4 then made[rank] = made[rank] * 2 end
  local a = (ma.random.random(made) * 9 - (dtype == "uint8" and 0 or 4)):astype(dtype):eval()
  if kind == 2 then return a:transpose() end
  if kind == 3 then index[random(1, rank)] = { -1, 1, -1 } end
  if kind == 4 then index[rank] = { 1, made[rank] - 1, 2 } end
  return a[index]
end

local conditions = {
  function(x) return x:ne(0) end, function(x, y) return (x + y):ne(1) end, function(x, y) return (x * y):eq(x) end,
  function(x, y) return ma.logical_and(x:ne(0), y:ne(0)) end, function(x) return x:ne(x) end,
  function(x) return x:eq(x) end,
  function(_, _, u) return u:lt(0.01) end, function(_, _, u) return (u * 2):gt(0.9) end,
}

local uses = {
  function(x, mask) return x[mask] end, function(x, mask) return (x + x)[mask] end,
  function(_, mask) return ma.flatnonzero(mask) end,
  function(x) return ma.flatnonzero(x) end, function(x, mask) return ma.extract(mask, x) end,
  function(_, mask) return ma.argwhere(mask) end, function(x, mask) return x[mask[{ {}, 1 }]] end,
  function(x, mask) return x:compress(mask[{ 1 }], 2) end, function(x) return ma.flatnonzero(x + x) end,
}

describe("what a mask keeps", function()
  local was
  before_each(function() was = ma.set_fusion(true) end)
  after_each(function() ma.set_fusion(was) end)

  it("has the bits of one after another", function()
    for trial = 1, on_gpu and 25 or 300 do
      local shape = { pick { 1, 2, 5, 33, 70, 300 }, pick { 1, 3, 16, 33, 64, 129 } }
      local dtype, condition, use = pick(dtypes), pick(conditions), pick(uses)
      local x, y, u = operand(shape, dtype), operand(shape, dtype), operand(shape, "float32")
      local function run() return use(x, condition(x, y, u)):dumps() end
      ma.set_fusion(false)
      local one = run()
      ma.set_fusion(true)
      assert(one == run(), ("trial %d: %s %s differs"):format(trial, dtype, table.concat(shape, "x")))
      core.background(true)
      assert(one == run(), ("trial %d: %s %s differs once its kernel is there"):format(trial, dtype,
        table.concat(shape, "x")))
    end
  end)

  it("holds elements as they lie in memory", function()
    local bits = ma.arange(65536, "uint16")
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local halves = ma.frombuffer(bits:to("cpu"):tobytes(), dtype):to(helper.device)
      local kept = halves[ma.ones(65536, "bool")]
      assert.equal(bits:to("cpu"):tobytes(), kept:to("cpu"):tobytes())
    end
  end)

  it("keeps all, none, and one of tiles of any number", function()
    for _, n in ipairs { 1, 4095, 4096, 4097, 12288, 70001 } do
      local a = ma.arange(n, "int32"):eval()
      assert.equal(n, a[a:ge(0)].size)
      assert.equal(0, a[a:lt(0)].size)
      assert.same({ n - 1 }, a[a:eq(n - 1)]:totable())
      assert.same({ n }, ma.flatnonzero(a:eq(n - 1)):totable())
      assert.is_true(ma.array_equal(a, a[a:ge(0)]))
    end
  end)

  it("is one pass on a GPU", function()
    if not on_gpu then return pending("no GPU; the CPU finds positions first") end
    local a = ma.random.random(100000, "float32"):eval()
    for _, f in ipairs {
      function() return a[a:gt(0.5)] end, function() return ma.flatnonzero(a:gt(0.5)) end,
      function() return a:reshape(1000, 100)[a:reshape(1000, 100):gt(0.3)] end,
      function() return (a * 2 + 1)[a:gt(0.5)] end,
    } do
      f()
      core.background(true)
      f()
      local before = core.work()
      f()
      assert(are_few(core.work() - before, 1))
    end
  end)

  it("gives back what it does not need", function()
    local a = ma.arange(2000000, "float32"):eval()
    for _, kept in ipairs { 0, 1, 1000, 90000, 500000, 1999999 } do
      collectgarbage()
      collectgarbage()
      local before = core.pool(true)
      local b = a[a:lt(kept)]
      collectgarbage()
      collectgarbage()
      assert.equal(kept, b.size)
      local held = core.pool(true) - before
      assert(held <= kept * 4 * 1.13 + 2 ^ 16, ("%d elements kept hold %d bytes"):format(kept, held))
      b:free()
    end
  end)
end)
