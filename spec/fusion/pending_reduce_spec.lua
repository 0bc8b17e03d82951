-- Reductions of what is pending: the operands' programs are taken in, to the same bits as one after another, whatever
-- the layouts, and in one pass where one pass is the shorter way.

local helper = require "spec.helper"
local core = require "moonarray.core"
local are_few = require("spec.fusion.fusion_helper").are_few
local ma = helper.ma

local random = helper.random(77)
local function pick(list) return list[random(1, #list)] end

local dtypes = { "float32", "float64", "float16", "bfloat16", "int32", "uint8", "int64", "bool", "complex64" }
local reductions = { "sum", "mean", "prod", "min", "max", "any", "all", "argmin", "argmax", "var", "std",
  "count_nonzero", "cumsum", "cumprod" }

--- An array of the shape: whole, transposed, backwards, every second element, or broadcast along an axis.
local function operand(shape, dtype)
  local kind, rank = random(1, 6), #shape
  local made = {}
  for d = 1, rank do made[d] = shape[d] end
  if kind == 2 then for d = 1, rank do made[d] = shape[rank + 1 - d] end end
  if kind == 4 then made[rank] = made[rank] * 2 end
  if kind == 5 then made[random(1, rank)] = 1 end
  local a = (ma.random.random(made) * 20 - (dtype == "uint8" and 0 or 7)):astype(dtype):eval()
  if kind == 2 then return a:transpose() end
  local index = {}
  for d = 1, rank do index[d] = {} end
  if kind == 3 then index[random(1, rank)] = { -1, 1, -1 } end
  if kind == 4 then index[rank] = { 1, made[rank] - 1, 2 } end
  return a[index]
end

local steps = {
  function(x, y) return x + y end, function(x, y) return x * y end, function(x) return ma.abs(x) end,
  function(x, y) return ma.maximum(x, y) end, function(x, y) return ma.where(x:gt(y), x, y) end,
  function(x) return x * 3 end,
  function(x, y) return x:lt(y) end, function(x) return x:astype("float32") end,
  function(x, y) return (x + y) * (x + y) end,
}

local function expression(a, b)
  local x, chain = a, {}
  for k = 1, random(1, 6) do chain[k] = pick(steps) end
  return function()
    x = a
    for k = 1, #chain do x = chain[k](x, k % 2 == 0 and a or b) end
    return x
  end
end

local function outcome(f, ...)
  local ok, value = pcall(f, ...)
  if not ok then return "error: " .. tostring(value):gsub("^.-moonarray", "moonarray") end
  if type(value) == "userdata" then return value:dumps() end
  return tostring(value)
end

describe("a reduction of what is pending", function()
  local was
  before_each(function() was = ma.set_fusion(true) end)
  after_each(function() ma.set_fusion(was) end)

  it("has the bits of one after another", function()
    for trial = 1, helper.device == "cpu" and 400 or 40 do
      local shape = {}
      for d = 1, random(1, 3) do shape[d] = pick { 1, 2, 3, 7, 16, 33, 70 } end
      local dtype = pick(dtypes)
      local a, b = operand(shape, dtype), operand(shape, random() < 0.7 and dtype or pick(dtypes))
      local make, name = expression(a, b), pick(reductions)
      local axis = (random() < 0.5 or name:find("^cum")) and random(1, #shape) or nil
      local options = {}
      local running = name:find("^cum")
      if random() < 0.3 and not running then options.keepdims = true end
      if random() < 0.2 and (name == "sum" or name == "max") then
        options.where = ma.random.random(shape):gt(0.3):eval()
        options.initial = 0
      end
      local function reduce() return ma[name](make(), axis, options) end
      ma.set_fusion(false)
      local one = outcome(reduce)
      ma.set_fusion(true)
      local other = outcome(reduce)
      assert(one == other, ("trial %d: %s of %s %s over axis %s differs"):format(trial, name, dtype,
        table.concat(shape, "x"), tostring(axis)))
    end
  end)

  it("is one pass", function()
    local a, b = ma.random.random { 200, 30 }:eval(), ma.random.random { 200, 30 }:eval()
    local function launches(f)
      f():eval()
      core.background(true)
      f():eval()
      local before = core.work()
      f():eval()
      return core.work() - before
    end
    for name, f in pairs {
      mse = function() return ((a - b) ^ 2):mean() end, mask = function() return a:gt(0.5):sum() end,
      any = function() return ma.any((a - b):gt(2), 1) end, rows = function() return (a * b + 1):sum(2) end,
      columns = function() return (a * b + 1):max(1) end, position = function() return ma.argmax(a - b, 1) end,
      deviation = function() return (a - b):std(2) end, part = function() return ((a - b)["3:50, 2:9"]):sum(2) end,
    } do
      assert(are_few(launches(f), 1), name .. " takes " .. launches(f) .. " launches")
    end
  end)

  it("of many times a few elements has the bits of separate runs", function()
    local some = helper.device == "cpu" and { "float32", "float64", "float16", "int16", "complex64" } or { "float32" }
    for _, dtype in ipairs(some) do
      for count = 2, helper.device == "cpu" and 7 or 4 do
        local a = (ma.random.standard_normal({ 80, 1, count }) * 3):astype(dtype):eval()
        local b = (ma.random.standard_normal({ 1, 77, count }) * 3):astype(dtype):eval()
        for _, name in ipairs { "sum", "mean", "prod" } do
          local function f() return ma[name]((a - b) ^ 2 + 1, 3) end
          local together = f():eval()
          ma.set_fusion(false)
          helper.identical(together, f(), ("%s of %d %s"):format(name, count, dtype))
          ma.set_fusion(true)
        end
      end
    end
  end)

  it("leaves its operand to whoever reads it", function()
    local a = ma.arange(12):reshape(3, 4):astype("float64"):eval()
    local d = a * 2 + 1
    local total, most = d:sum(), d:max()
    a[1] = 0
    assert.equal(144, total:item())
    assert.equal(23, most:item())
    assert.same({ 1, 3, 5, 7 }, d[1]:totable())
  end)

  it("writes over what it reads, and fails as one after another", function()
    local a = ma.arange(12):reshape(3, 4):astype("float64"):eval()
    ma.sum(a * 2, 2, { out = a["1:3, 1"] })
    assert.same({ 12, 44, 76 }, a["1:3, 1"]:totable())
    local long = a
    for _ = 1, 40 do long = long + a end
    assert.equal(41 * a:sum():item(), long:sum():item())
    local whole = ma.arange(5)
    assert.has_error(function() return (whole * 2):sum(3) end)
    assert.equal(20, (whole * 2):sum():item())
  end)
end)
