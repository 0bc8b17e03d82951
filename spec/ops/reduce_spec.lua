-- Reductions and scans: NumPy's values, the same bits for every layout and on every run, exact long sums, errors.

local helper = require "spec.helper"
local ma = helper.ma

local inputs, masks, groups, order = {}, {}, {}, {}
for _, r in ipairs(helper.golden("reduce")) do
  if r[1] == "in" then
    inputs[r[2]] = { dtype = r[3], shape = helper.parse_shape(r[4]), bytes = helper.unhex(r[5], helper.itemsize[r[3]]) }
  elseif r[1] == "mask" then
    masks[r[2]] = { dtype = "bool", shape = helper.parse_shape(r[3]), bytes = helper.unhex(r[4], 1) }
  else
    if not groups[r[2]] then
      groups[r[2]] = {}
      order[#order + 1] = r[2]
    end
    table.insert(groups[r[2]], r)
  end
end

-- How far from the exactly rounded result a value may be, in ulp of its dtype; 0 where only one value is right.
local ulps = { mean = 1, nanmean = 1, var = 4, std = 4, nanvar = 4, nanstd = 4, prod = 2, nanprod = 2, cumprod = 4,
  nancumprod = 4,
  logsumexp = 4 }

local function load(input) return helper.array(input.bytes, input.dtype, input.shape) end

local function axes_of(text)
  if text == "all" then return nil end
  if text == "none" then return {} end
  local axes = helper.parse_shape(text)
  return #axes == 1 and axes[1] or axes
end

local function options_of(text)
  local options = {}
  if text ~= "-" then
    for key, value in text:gmatch("(%w+)=([^,]+)") do
      if key == "where" then value = load(masks[value]) end
      if value == "true" then value = true end
      options[key] = tonumber(value) or value
    end
  end
  return options
end

local function expect(result, record, label)
  local at = 7
  local dtype, shape, hex = record[at], record[at + 1], record[at + 2]
  assert(result.dtype == dtype, ("dtype %s; wanted %s"):format(result.dtype, dtype))
  assert(helper.shape(result) == shape, ("shape %s; wanted %s"):format(helper.shape(result), shape))
  local want, undefined = helper.unhex(hex, helper.itemsize[dtype])
  helper.same(helper.bytes(result), want, dtype, (helper.is_float[dtype] or helper.is_complex[dtype])
    and ulps[record[2]] or 0, label,
    undefined, true)
end

-- The same values otherwise laid out.
local function transposed(a)
  local base = ma.zeros(ma.transpose(a).shape, a.dtype)
  base:transpose()[{}] = a
  return base:transpose()
end

local function spread(a)
  local shape = {}
  for k, n in ipairs(a.shape) do shape[k] = n end
  shape[#shape + 1] = 3
  local base = ma.zeros(shape, a.dtype)
  base["..., 2"] = a
  return base["..., 2"]
end

local function reversed(a)
  local base = ma.flip(a):copy()
  return ma.flip(base)
end

-- The call of a record on an array that holds its input; an empty last table would be no options at all.
local function run(op, a, options)
  local result
  if next(options) then result = ma[op](a, options) else result = ma[op](a) end
  return type(result) == "boolean" and ma.array(result) or result
end

local function check_record(r, with_layouts)
  local op, a, options = r[2], load(inputs[r[3]]), options_of(r[5])
  options.axis = axes_of(r[4])
  if r[6] == "error" then
    helper.fails(function() return ma[op](a, options):item() end)
    return
  end
  local result = run(op, a, options)
  expect(result, r, "contiguous")
  if with_layouts and a.ndim > 1 and a.size > 0 then
    for name, layout in pairs({ transposed = transposed, spread = spread, reversed = reversed }) do
      helper.same(helper.bytes(run(op, layout(a), options)), helper.bytes(result), result.dtype, 0, name)
    end
  end
  if helper.device ~= "cpu" then       -- both devices keep to one tree
    options.where = options.where and options.where:get()
    local host = run(op, a:get(), options)
    helper.same(helper.bytes(result), helper.bytes(host), result.dtype, op == "logsumexp" and 4 or 0, "GPU against CPU",
      nil, true)
  end
end

describe("golden values:", function()
  for _, op in ipairs(helper.part(order)) do
    it(op, function()
      local failures = helper.failures()
      for k, r in ipairs(groups[op]) do
        local fifth = k % 5 == 0
        if not helper.thin or fifth or inputs[r[3]].dtype:find("^float") then
          failures:run(table.concat(r, " ", 2, 5), check_record, r, not helper.thin or fifth)
        end
      end
      failures:check()
    end)
  end
end)

if not helper.is_first_part then return end

-- ==== Random values against long accumulations ====

local lengths = { 1, 2, 3, 7, 127, 128, 129, 251, 1021, 1023, 1024, 1025, 2048, 2500, 8191, 8192, 8193, 100003 }

local function random_array(n, dtype, salt)
  local next_number = helper.random(salt)
  local list = {}
  for k = 1, n do list[k] = (next_number() - 0.3) * 10 ^ (next_number() * 4 - 2) end
  return ma.array(list, dtype)
end

-- Neumaier's compensated sum: exact to the last digits for these lengths.
local function exact_sum(list)
  local sum, low, absolute = 0, 0, 0
  for _, v in ipairs(list) do
    local t = sum + v
    if math.abs(sum) >= math.abs(v) then low = low + ((sum - t) + v) else low = low + ((v - t) + sum) end
    sum = t
    absolute = absolute + math.abs(v)
  end
  return sum + low, absolute
end

local function near(got, want, tolerance, label)
  local off = math.abs(got - want)
  if off ~= off or off > tolerance then
    error(("%s: %.17g; wanted %.17g (tolerance %g, SEED=%d)"):format(label, got, want, tolerance, helper.seed), 2)
  end
end

describe("long reductions", function()
  it("sum within one rounding of the exact sum", function()
    local failures = helper.failures()
    for _, dtype in ipairs({ "float64", "float32", "float16", "bfloat16" }) do
      for _, n in ipairs(lengths) do
        failures:run(dtype .. " " .. n, function()
          local a = random_array(n, dtype, n)
          local list = a:totable()
          local sum, absolute = exact_sum(list)
          local eps = helper.eps[dtype]
          -- of its subnormals, which a relative bound leaves out
          local half_step = dtype == "float16" and 2 ^ -25 or 0
          if math.abs(sum) < 60000 or dtype ~= "float16" then
            near(a:sum():item(), sum, eps * math.abs(sum) / 2 + absolute * (dtype == "float64" and 30 * 2 ^ -53
              or 4 * 2 ^ -24) + half_step, "sum")
            near(a:mean():item(), sum / n, eps * math.abs(sum / n) + absolute / n * (dtype == "float64" and 30 * 2 ^ -53
              or 4 * 2 ^ -24) + half_step, "mean")
          end
          local squares = {}
          for k, v in ipairs(list) do squares[k] = (v - sum / n) ^ 2 end
          local variance = exact_sum(squares) / n
          if variance < 60000 or dtype ~= "float16" then
            near(a:var():item(), variance, variance * (8 * eps) + half_step, "var")
          end
        end)
      end
    end
    failures:check()
  end)

  it("add 99,999,995 float32 ones exactly", function()
    local ones = ma.ones({ 99999995 }, "float32")
    assert(ones:sum():item() == 99999995 or ones:sum():item() == 99999992, tostring(ones:sum():item()))
    -- the float32 nearest to 99,999,995 is 99,999,992; the sum itself is exact, which a float64 result shows
    assert(ones:sum({ dtype = "float64" }):item() == 99999995)
    assert(ones:mean():item() == 1)
    ones:free()
  end)

  it("give the same bits for every layout and on every run", function()
    local failures = helper.failures()
    for _, n in ipairs(lengths) do
      for _, dtype in ipairs({ "float32", "float64", "float16", "complex64", "int32" }) do
        failures:run(dtype .. " " .. n, function()
          local a = random_array(n, "float64", n + 1):astype(dtype)
          for _, op in ipairs({ "sum", "mean", "prod", "max", "var", "cumsum" }) do
            local f = ma[op]
            local want = helper.bytes(f(a))
            for name, layout in pairs({ again = function(x) return x end, spread = spread, reversed = reversed }) do
              helper.same(helper.bytes(f(layout(a))), want, f(a).dtype, 0, op .. " " .. name)
            end
          end
        end)
      end
    end
    failures:check()
  end)

  it("give the same bits along each axis for every layout", function()
    local failures = helper.failures()
    for _, shape in ipairs({ { 7, 1025 }, { 1025, 7 }, { 3, 129, 5 }, { 128, 128 }, { 2, 8191 }, { 5000, 3 },
      { 1, 2053 }, { 4, 3, 2, 151 } }) do
      local n = 1
      for _, extent in ipairs(shape) do n = n * extent end
      local a = random_array(n, "float32", n):reshape(shape)
      for axis = 1, #shape do
        failures:run(table.concat(shape, "x") .. " axis " .. axis, function()
          for _, op in ipairs({ "sum", "mean", "min", "argmax", "std", "cumsum" }) do
            local want = ma[op](a, axis)
            for name, layout in pairs({ transposed = transposed, spread = spread, reversed = reversed }) do
              helper.identical(ma[op](layout(a), axis), want, op .. " " .. name)
            end
            if op ~= "cumsum" then
              helper.identical(ma[op](ma.moveaxis(a, axis, 1):copy(), 1), want, op .. " of the axis moved to the front")
              helper.identical(ma[op](ma.moveaxis(a, axis, #shape):copy(), #shape), want,
                op .. " of the axis moved to the end")
            end
          end
        end)
      end
    end
    failures:check()
  end)

  -- At most 1024 elements, as kernels/reduce/reduce.h orders them: 128 leaves, each of every 128th element, then pairs
  -- of neighbours.
  local function tree_sum(values)
    local level = {}
    for i, x in ipairs(values) do
      local leaf = (i - 1) % 128 + 1
      level[leaf] = level[leaf] and level[leaf] + x or x
    end
    while #level > 1 do
      local pairs_of = {}
      for i = 1, #level, 2 do pairs_of[#pairs_of + 1] = level[i + 1] and level[i] + level[i + 1] or level[i] end
      level = pairs_of
    end
    return level[1]
  end

  it("have the bits of the tree in short rows and columns too", function()
    local failures, turn = helper.failures(), 0
    -- A thin run takes another dtype and other operations for each extent.
    local function due()
      turn = turn + 1
      return not helper.thin or turn % 17 == 0
    end
    for _, n in ipairs({ 2, 7, 8, 15, 16, 17, 23, 24, 31, 33, 48, 64, 65, 100, 127, 128, 129, 255, 256, 300, 511, 640,
      724, 895, 1000, 1023, 1024 }) do
      failures:run(n .. " elements", function()
        local a = random_array(n * 40, "float64", n):reshape(40, n)
        assert(a["3"]:sum():item() == tree_sum(a["3"]:totable()), "sum")
        for _, dtype in ipairs({ "float64", "float32", "int32", "uint8", "bool", "complex64" }) do
          local rows = dtype == "bool" and a:gt(0) or a:astype(dtype)
          local columns = rows.T:copy()
          local few = rows[{ { 1, 36 } }]:reshape(3, 12, n):swapaxes(2, 3):copy()    -- few neighbours in the middle
          for _, op in ipairs({ "sum", "mean", "prod", "min", "max", "argmin", "argmax", "var", "any", "all" }) do
            if due() then
              local want = ma[op](rows, 2)
              helper.identical(ma[op](columns, 1), want, op .. " of " .. dtype)
              helper.identical(ma[op](few, 2):reshape(36), want[{ { 1, 36 } }], op .. " of twelve of " .. dtype)
            end
          end
        end
      end)
    end
    failures:check()
  end)

  it("give the bits of the CPU", function()
    if ma.device().type == "cpu" then return pending("no GPU") end
    local failures = helper.failures()
    for _, op in ipairs({ "sum", "prod", "mean", "var", "nansum", "argmax", "cumsum" }) do
      failures:run(op, function()
        local a = random_array(300011, "float64", 7) / 1000 + 1
        helper.identical(ma[op](a):get(), ma[op](a:get()), op .. " of a row")
        local m = a[{ { 1, 300000 } }]:reshape(3000, 100)
        for axis = 1, 2 do
          helper.identical(ma[op](m, axis):get(), ma[op](m:get(), axis), op .. " along axis " .. axis)
        end
      end)
    end
    failures:check()
  end)

  it("sum a program as they sum its result", function()
    local a, b = random_array(10007, "float32", 5), random_array(10007, "float32", 6)
    helper.identical(ma.mean((a - b) ^ 2), ma.mean(ma.square(a - b):copy()), "mean((a - b)^2)")
  end)
end)

describe("arg reductions", function()
  it("take the first of equals and the first NaN", function()
    local nan = 0 / 0
    for _, dtype in ipairs({ "float64", "float32", "float16", "bfloat16" }) do
      local a = ma.array({ 3, 7, -1, 7, -1, 7 }, dtype)
      assert(a:argmax():item() == 2 and a:argmin():item() == 3, dtype)
      local b = ma.array({ 3, 7, nan, 9, nan, -5 }, dtype)
      assert(b:argmax():item() == 3 and b:argmin():item() == 3, dtype)
      assert(ma.nanargmax(b):item() == 4 and ma.nanargmin(b):item() == 6, dtype)
      assert(b:max():item() ~= b:max():item(), "max propagates NaN")
    end
  end)

  it("min and max give NaN where there is one, the nan forms what is left", function()
    local nan = 0 / 0
    for _, dtype in ipairs({ "float64", "float32", "float16", "bfloat16" }) do
      for _, n in ipairs { 5, 1500, 70000 } do
        local a = (ma.arange(n, "float64") % 50 + 1):astype(dtype):eval()
        a[math.ceil(n * 0.7)] = nan
        for _, name in ipairs { "min", "max" } do
          local value = ma[name](a):item()
          assert(value ~= value, ("%s of %d %s"):format(name, n, dtype))
          local columns = ma[name](ma.stack({ a, ma.ones(n, dtype) }, 2), 1):totable()
          assert(columns[1] ~= columns[1] and columns[2] == 1, ("%s of columns, %d %s"):format(name, n, dtype))
        end
        assert.equal(1, ma.nanmin(a):item())
        assert.equal(n == 5 and 5 or 50, ma.nanmax(a):item())
      end
    end
  end)

  it("choose among zeros of two signs, NaN and equals as the tree does", function()
    local next_number = helper.random(78)
    for _, n in ipairs { 1024, 1500, 4096, 5121, 100001 } do
      for _, dtype in ipairs { "float64", "float32" } do
        local zeros = (random_array(n, "float64", n) * 0):astype(dtype):eval()
        local one_nan, at = (-ma.abs(random_array(n, "float64", n))):astype(dtype):eval(), next_number(1, n)
        one_nan[at] = 0 / 0
        local steps = ma.floor(ma.arange(n, "float64") / 300):astype(dtype):eval()
        for label, a in pairs { zeros = zeros, nan = one_nan, rising = steps,
          falling = -steps } do
          for _, op in ipairs { "min", "max", "argmin", "argmax" } do
            helper.identical(ma[op](a), ma[op](spread(a)), ("%s of %d %s, %s"):format(op, n, dtype, label))
          end
        end
        assert.equal(at, one_nan:argmax():item())
        assert.equal(n - (n - 1) % 300, steps:argmax():item())
      end
    end
  end)

  it("choose alike in rows and in columns", function()
    for _, dtype in ipairs { "float64", "float32", "int64", "int8" } do
      for _, n in ipairs { 8, 9, 10, 15, 24, 128, 129, 300, 1024, 1033, 2100 } do
        local zeros = (random_array(n * 77, "float64", n) * 0):reshape(n, 77)
        local mixed = (random_array(n * 77, "float64", n + 1)):reshape(n, 77)
        local holes = ma.where(mixed:gt(5), 0 / 0, mixed)
        local most = ma.where(mixed:gt(0), zeros, mixed) -- the greatest are zeros
        local floats = dtype:find("^float")
        for label, rows in pairs { mixed = mixed, zeros = floats and zeros or nil, holes = floats and holes or nil,
          most = floats and most or nil } do
          rows = rows:astype(dtype):eval()
          for _, op in ipairs { "min", "max" } do
            local text = ("%s of %d %s, %s"):format(op, n, dtype, label)
            helper.identical(ma[op](rows, 1), ma[op](rows.T:copy(), 2), text)
            helper.identical(ma[op](-rows, 1), ma[op](-rows.T:copy(), 2), text .. ", negative")
          end
        end
      end
    end
  end)

  it("find every position of long arrays", function()
    local failures = helper.failures()
    local next_number = helper.random(77)
    for _, n in ipairs(lengths) do
      failures:run("length " .. n, function()
        local a = ma.zeros({ n }, "float32")
        local first = next_number(1, n)
        local second = next_number(first, n)
        a[{ { second, second } }] = 1
        a[{ { first, first } }] = 1
        assert(a:argmax():item() == first, "argmax")
        assert((-a):argmin():item() == first, "argmin")
        assert(a["::-1"]:argmax():item() == n + 1 - second, "of the reversed")
        assert(spread(a):argmax():item() == first, "of a strided view")
        assert(a:astype("int8"):argmax():item() == first, "of int8")
        local m = a:gt(0)
        assert(m:argmax():item() == first and m:any() and m:max():item() and ma.count_nonzero(m):item()
          == (first == second and 1 or 2), "of bool")
        assert(ma.logical_not(m):argmin():item() == first and not ma.logical_not(m):all(), "of bool")
        a[{ { second, second } }] = 0 / 0
        assert(a:argmax():item() == second and a:argmin():item() == second, "NaN")
      end)
    end
    failures:check()
  end)
end)

describe("options", function()
  local a
  local function setup_array() a = ma.arange(12):reshape(3, 4):astype("float32") end

  it("keepdims leaves extents of 1", function()
    setup_array()
    assert(helper.shape(a:sum({ keepdims = true })) == "1x1")
    assert(helper.shape(a:sum(1, { keepdims = true })) == "1x4")
    assert(helper.shape(a:sum(-1, { keepdims = true })) == "3x1")
    assert(helper.shape(a:sum({ axis = { 1, 2 } })) == "()")
    a = nil
  end)

  it("out takes the result, in its dtype", function()
    setup_array()
    local out = ma.zeros({ 4 }, "float64")
    assert(rawequal(a:sum(1, { out = out }), out))
    helper.identical(out, ma.array({ 12, 15, 18, 21 }, "float64"), "out")
    helper.fails(ma.sum, a, 1, { out = ma.zeros({ 3 }) })
    local strided = ma.zeros({ 3, 2 }, "float32")
    a:max(2, { out = strided[":, 2"] })
    helper.identical(strided, ma.array({ { 0, 3 }, { 0, 7 }, { 0, 11 } }, "float32"), "strided out")
    a = nil
  end)

  it("out may be part of the operand", function()
    for _, n in ipairs { 5, 130, 1100 } do
      for _, axis in ipairs { 1, 2 } do
        for _, place in ipairs { "1, :", "-1, :", ":, 1", ":, -1" } do
          local x = ma.arange(n * n, "float64"):reshape(n, n):eval()
          local want = ma.sum(x:copy(), axis)
          ma.sum(x, axis, { out = x[place] })
          helper.identical(want, x[place]:copy(), ("%d along %d into %s"):format(n, axis, place))
        end
      end
    end
  end)

  it("axes are 1-based, may be negative, and are checked", function()
    setup_array()
    helper.identical(a:sum(-1), a:sum(2), "axis -1")
    for _, axis in ipairs({ 0, 3, -3, 1.5, "1", {} }) do
      if type(axis) ~= "table" then helper.fails(ma.sum, a, axis) end
    end
    helper.fails(ma.sum, a, { axis = { 1, 1 } })
    helper.fails(ma.sum, a, { axis = { 1, -2 } })
    helper.fails(ma.sum, a, { axis = { 1, 2, 3 } })
    helper.identical(a:sum({ axis = {} }), a, "no axes at all")
    a = nil
  end)

  it("any and all answer with Lua booleans", function()
    local m = ma.array({ { true, false }, { true, true } })
    assert(m:any() == true and m:all() == false)
    helper.identical(m:all(1), ma.array({ true, false }), "all of axis 1")
    assert(ma.zeros({ 0 }):any() == false and ma.zeros({ 0 }):all() == true)
  end)

  it("any and all of a few long columns see every element", function()
    for _, place in ipairs { 1, 1024, 1025, 5000, 49999, 50000 } do
      local long = ma.zeros({ 50000, 5 })
      long[place .. ", 4"] = 1
      helper.identical(long:gt(0):any(1), ma.array { false, false, false, true, false }, "any, at " .. place)
      helper.identical(long:le(0):all(1), ma.array { true, true, true, false, true }, "all, at " .. place)
    end
  end)

  it("an empty axis has NumPy's value or is an error", function()
    local e = ma.zeros({ 0 })
    assert(e:sum():item() == 0 and e:prod():item() == 1)
    assert(e:mean():item() ~= e:mean():item())
    for _, op in ipairs({ "min", "max", "argmin", "argmax" }) do helper.fails(ma[op], e) end
    assert(e:min({ initial = 4 }):item() == 4)
    helper.identical(ma.zeros({ 0, 3 }):sum(1), ma.zeros({ 3 }), "sum of no rows")
    helper.identical(ma.zeros({ 3, 0 }):max(1), ma.zeros({ 0 }), "max of no columns")
  end)
end)

describe("logsumexp", function()
  local inf, nan = math.huge, 0 / 0

  it("keeps terms that are small beside the greatest, and knows infinities and NaN", function()
    local function of(values, dtype) return ma.logsumexp(ma.array(values, dtype)):item() end
    for _, x in ipairs { -1, -20.25, -40, -300, -700, -720, -745 } do
      local small = math.exp(x)                          -- log(1 + small)
      local wanted = x < -36 and small or select(2, pcall(ma.log1p, small))
      assert.near(wanted, of({ 0, x }, "float64"), math.max(4e-16 * wanted, 5e-324), x)
      if x > -80 then assert.near(wanted, of({ x, 0 }, "float32"), 2e-7 * wanted, x) end
    end
    assert.equal(0, of({ 0, -746 }, "float64"))
    assert.equal(0, of({ 0, -104 }, "float32"))
    for _, dtype in ipairs { "float64", "float32" } do
      assert.equal(inf, of({ inf, 1, -inf }, dtype))
      assert.equal(-inf, of({ -inf, -inf }, dtype))
      assert.equal(3, of({ -inf, 3, -inf }, dtype))
      assert.near(math.log(2) + 3, of({ -inf, 3, 3 }, dtype), 1e-6)
      local value = of({ 1, nan, inf }, dtype)
      assert(value ~= value, value)
    end
  end)

  it("has the same bits along rows, down columns, of a part of each row, and with a mask", function()
    for _, dtype in ipairs { "float64", "float32", "float16" } do
      for _, n in ipairs { 1, 2, 5, 16, 17, 40, 100, 129, 300, 513, 1023, 1024, 1025, 2500 } do
        local wide = ((ma.arange(3 * (n + 2)) * 40503 % 65536) / 2048 - 16):astype(dtype):reshape(3, n + 2)
        local x = wide[(":, 2:%d"):format(n + 1)]
        local along = x:copy():logsumexp(2)
        local what = dtype .. ", " .. n
        assert(ma.array_equal(along, x:logsumexp(2)), what)
        assert(ma.array_equal(along, x:transpose():copy():logsumexp(1)), what .. ", down columns")
        local masked = x:copy():logsumexp(2, { where = ma.ones_like(x, "bool") })
        assert(ma.array_equal(along, masked), what .. ", with a mask")
      end
    end
  end)
end)
