--- Sorts and searches by ways that only some operands take: their results are those of the plain way.
local ma = require "moonarray"
local helper = require "spec.helper"

local same = helper.same_numbers
local inf, nan = math.huge, 0 / 0

describe("a sort of what is in order", function()
  local function check(a, label)
    local n = a.size
    local order = a:argsort()
    local sorted = ma.sort(a)
    assert.is_true(ma.array_equal(a:take(order), sorted, { equal_nan = a.dtype:find("float") ~= nil }), label)
    assert.is_true(ma.array_equal(ma.sort(order), ma.range(1, n)), label)
    -- Stable: among equals the first come first.
    local up = order:totable()
    local values = a:totable()
    for k = 2, n do
      local x, y = values[up[k - 1]], values[up[k]]
      assert(x < y or x == y and up[k - 1] < up[k] or y ~= y, label)
    end
  end

  it("or nearly so, or in the reverse order", function()
    for _, dtype in ipairs { "int8", "uint8", "int32", "float32", "float64", "int64" } do
      for _, n in ipairs { 255, 256, 257, 700 } do
        local up = dtype:find("8$") and ma.floor_divide(ma.arange(n), 8) or ma.arange(n)
        up = ma.eval(up:astype(dtype))
        check(up, dtype)
        check(ma.eval(ma.flip(up)), dtype)
        check(ma.ones(n, dtype), dtype)
        for _, place in ipairs { 1, 2, 128, 129, n - 1, n } do
          local nearly = up:copy()
          nearly[place] = 5
          check(nearly, dtype)
          nearly = ma.flip(up):copy()
          nearly[place] = 5
          check(nearly, dtype)
        end
      end
    end
    local a = ma.arange(300):astype("float64")
    a[300], a[299] = nan, nan
    check(a, "NaN at the end")
    a = ma.flip(ma.arange(300):astype("float64")):copy()
    a[1] = nan
    check(a, "NaN in front")
    local rows = ma.stack({ ma.arange(300), ma.flip(ma.arange(300)), (ma.arange(300) * 7) % 300 })
    assert.is_true(ma.array_equal(ma.sort(rows, 2), ma.broadcast_to(ma.arange(300), { 3, 300 })))
    rows:sort(2)
    assert.is_true(ma.array_equal(rows, ma.broadcast_to(ma.arange(300), { 3, 300 })))
  end)
end)

describe("a sort of few different values", function()
  it("is one of any values, in every dtype and at every length", function()
    for _, n in ipairs { 1023, 1024, 1025, 3000, 140003 } do
      for _, range in ipairs { 2, 100, 129, 2049, 65536, 70000 } do
        local data = ma.arange(n) * 7919 % range
        for _, dtype in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
          "bool", "float64" } do
          local low = dtype:find "u" and 0 or math.floor(range / 2)
          local a = (dtype == "bool" and data % 2 or data - low):astype(dtype)
          local sorted = ma.sort(a)
          assert.is_true(ma.array_equal(sorted, a:take(a:argsort())), dtype .. n .. " " .. range)
          local own = a:copy()
          own:sort()
          assert.is_true(ma.array_equal(own, sorted), dtype .. n .. " in place")
        end
      end
    end
    local signs = ma.where((ma.arange(5000) % 3):eq(0), -0.0, ma.arange(5000, "float16") % 2)
    assert.is_true(ma.signbit(signs):sum():item() > 1600)
    signs[{ { 7, 4000, 100 } }] = nan
    local order = signs:argsort()
    assert.is_true(ma.array_equal(ma.signbit(ma.sort(signs)), ma.signbit(signs:take(order))))
    assert.is_true(ma.array_equal(ma.sort(signs), signs:take(order), { equal_nan = true }))
  end)
end)

describe("isin with few keys", function()
  it("finds what a search finds", function()
    local a = (ma.arange(500) * 37) % 60
    for count = 1, 12 do
      local keys, set = {}, {}
      for k = 1, count do
        keys[k] = k * 7 % 61
        set[keys[k]] = true
      end
      local found, missing = ma.isin(a, keys):totable(), ma.isin(a, keys, { invert = true }):totable()
      for k, x in ipairs(a:totable()) do
        assert.are.equal(set[x] or false, found[k])
        assert.are.equal(not set[x], missing[k])
      end
    end
    assert.are.same({ false, true }, ma.isin({ nan, 1 }, { nan, 1 }):totable())
    assert.are.same({ { true, false } }, ma.isin({ { true, false } }, { true }):totable())
  end)
end)

describe("isin with many keys", function()
  --- What a search among the sorted keys finds.
  local function searched(x, keys)
    keys = ma.sort(keys)
    return ma.equal(keys:take(ma.minimum(ma.searchsorted(keys, x), keys.size)), x)
  end

  it("finds what a search finds, close together and far apart", function()
    local rng = ma.random.default_rng(8)
    local dtypes = { "float32", "int64", "bool", "int8", "uint16", "uint32", "int32", "uint64", "float16", "bfloat16",
      "float64" }
    for d = 1, ma.zeros(1).device == "cpu" and #dtypes or 2 do         -- on a GPU this is that search
      local dtype = dtypes[d]
      for _, width in ipairs { 100, 3e4, 1e9 } do
        local function numbers(n) return ma.eval(ma.floor(rng:random(n) * width):astype(dtype)) end
        local x, keys = numbers(3000), numbers(700)
        x[{ { 1, 700 } }] = keys
        if dtype:find "float" then
          x[1], x[2], x[3], keys[1], keys[2], keys[3] = nan, -0.0, inf, nan, 0, inf
        elseif dtype ~= "bool" then
          local ends = ma.iinfo(dtype)
          x[{ { 1, 2 } }] = ma.array({ ends.max, ends.min }, dtype)
          keys[{ { 1, 2 } }] = x[{ { 1, 2 } }]
        end
        for _, n in ipairs { 9, 700 } do
          local some = keys[{ { 1, n } }]
          local want = searched(x, some)
          assert(ma.array_equal(ma.isin(x, some), want), dtype .. width)
          assert(ma.array_equal(ma.isin(x, some, { invert = true }), ma.logical_not(want)), dtype .. width)
          assert(ma.array_equal(ma.isin(x:reshape(60, 50).T, some), want:reshape(60, 50).T), dtype .. width)
        end
      end
    end
    assert.same({ 0, 3 }, { ma.isin(ma.zeros { 0, 3 }, ma.arange(20)):dims() })
  end)
end)

describe("searches of values in order", function()
  it("are those of values in any order", function()
    local function count(sorted, v, right)
      local n = 0
      for _, s in ipairs(sorted) do
        if s < v or right and s == v or v ~= v and (s == s or right) then n = n + 1 end
      end
      return n + 1
    end
    local sorted, values, expected = {}, {}, { left = {}, right = {} }
    for k = 1, 900 do sorted[k] = math.floor(k / 7) / 4 end
    for k = 901, 1000 do sorted[k] = 40 + (k - 900) ^ 2 end
    for k = 1, 300 do values[k] = k * k / 250 - 1 end
    values[301], values[302], values[303] = inf, nan, nan
    for k = 304, 700 do values[k] = (k * 7919) % 200 - 20 end
    for k = 701, 900 do values[k] = 10 - k / 80 end
    for side, list in pairs(expected) do
      for k, v in ipairs(values) do list[k] = count(sorted, v, side == "right") end
      for _, dtype in ipairs { "float64", "float32" } do
        local a, v = ma.array(sorted, dtype), ma.array(values, dtype)
        if dtype == "float32" then v[{ { 1, 300 } }] = ma.floor(v[{ { 1, 300 } }]) end
        local wanted = list
        if dtype == "float32" then
          wanted = {}
          for k, x in ipairs(v:totable()) do wanted[k] = count(sorted, x, side == "right") end
        end
        same(ma.searchsorted(a, v, side):totable(), wanted, dtype .. " " .. side)
      end
    end
  end)
end)

describe("the first few of a sort", function()
  --- Rows of many equal elements, of zeros of both signs and of NaN, in order and not.
  local function rows(rng, kind, dtype, n, m)
    local x = rng:random { n, m } * ({ 1e4, 3, 0, 200, 1e4 })[kind]
    if kind == 5 then x = ma.sort(x, 2) end
    if dtype:find "float" and kind >= 2 then
      x = ma.where(rng:random({ n, m }):lt(kind == 4 and 0.9 or 0.2), nan, x)
      x = ma.where(rng:random({ n, m }):lt(0.3), -0.0, x)
    end
    return ma.eval(x:astype(dtype))
  end

  it("are those of a sort of all, with the same bits", function()
    local rng = ma.random.default_rng(2)
    local dtypes = { "float32", "int8", "bool", "uint8", "int16", "uint32", "int64", "uint64", "float16", "bfloat16",
      "float64" }
    -- On a GPU this is a sort of all, whose kernels other specs compile.
    for d = 1, ma.zeros(1).device == "cpu" and #dtypes or 2 do
      local dtype = dtypes[d]
      for _, shape in ipairs { { 7, 100 }, { 3, 1000 }, { 5, 9 }, { 1, 20000 }, { 4, 2 } } do
        for kind = 1, 5 do
          local x = rows(rng, kind, dtype, shape[1], shape[2])
          for axis = 1, 2 do
            for _, largest in ipairs { true, false } do
              local order = ma.argsort(x, axis, { descending = largest })
              for _, k in ipairs { 0, 1, 2, math.floor(shape[axis] / 4), math.floor(shape[axis] / 2), 1024 } do
                if k <= shape[axis] then
                  local values, positions = ma.topk(x, k, axis, { largest = largest })
                  local first = axis == 1 and order[{ { 1, k } }] or order[{ {}, { 1, k } }]
                  local label = ("%s %d of %d %d, %d"):format(dtype, k, shape[1], shape[2], kind)
                  assert(positions:tobytes() == first:tobytes(), label)
                  -- NaN of a GPU may have other bits
                  helper.identical(values, ma.take_along_axis(x, first, axis), label)
                end
              end
            end
          end
        end
      end
    end
  end)

  it("of rows that are not in memory as rows", function()
    local x = ma.arange(1000):reshape(10, 100)
    local values, positions = ma.topk(x.T, 2, 1)
    assert.same({ { 99, 199 }, { 98, 198 } }, values[":, :2"]:totable())
    assert.same({ { 100, 100 }, { 99, 99 } }, positions[":, :2"]:totable())
  end)
end)
