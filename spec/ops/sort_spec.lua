-- Sorts and what follows from them: NumPy's values for every dtype, random arrays against a plain sort in Lua, both
-- devices the same, layouts, long arrays, rows of all lengths, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, core, fails = helper.ma, helper.core, helper.fails

-- ==== NumPy's values ====

local inputs, records = {}, {}
for _, r in ipairs(helper.golden("sort")) do
  if r[1] == "in" then inputs[r[2]] = { dtype = r[3], shape = helper.parse_shape(r[4]),
    bytes = helper.unhex(r[5], helper.itemsize[r[3]]) }
  else records[#records + 1] = r end
end

local function load(key) return helper.array(inputs[key].bytes, inputs[key].dtype, inputs[key].shape) end

local function expect(result, hex, dtype, label)
  assert(result.dtype == dtype, ("%s: dtype %s; wanted %s"):format(label, result.dtype, dtype))
  helper.same(helper.bytes(result), (helper.unhex(hex, helper.itemsize[dtype])), dtype, 0, label)
end

-- The same values otherwise laid out.
local layouts = {
  transposed = function(a)
    local base = ma.zeros(ma.transpose(a).shape, a.dtype)
    base:transpose()[{}] = a
    return base:transpose()
  end,
  spread = function(a)
    local shape = a.shape
    shape[#shape + 1] = 3
    local base = ma.zeros(shape, a.dtype)
    base["..., 2"] = a
    return base["..., 2"]
  end,
  reversed = function(a) return ma.flip(ma.flip(a):copy()) end,
}

local check = {}

function check.order(r)
  local a, axis, dtype = load(r[2]), tonumber(r[3]), inputs[r[2]].dtype
  expect(ma.sort(a, axis), r[4], dtype, "sort")
  expect(ma.argsort(a, axis), r[5], "int64", "argsort")
  expect(a, helper.tohex(inputs[r[2]].bytes), dtype, "the array itself")
  for name, layout in pairs(layouts) do
    local view = layout(a)
    expect(ma.sort(view, axis), r[4], dtype, name)
    expect(ma.argsort(view, axis), r[5], "int64", name)
    assert(rawequal(view:sort(axis), view))
    expect(view, r[4], dtype, name .. ", in place")
  end
  local out = ma.zeros(a.shape, "int64")
  assert(rawequal(ma.argsort(a, axis, { out = out }), out))
  expect(out, r[5], "int64", "out")
  expect(a:copy():sort(axis), r[4], dtype, "in place")
end

function check.unique(r)
  local dtype = inputs[r[2]].dtype
  local values, index, inverse, counts = ma.unique(load(r[2]), true, true, true)
  expect(values, r[3], dtype, "values")
  expect(index, r[4], "int64", "index")
  expect(inverse, r[5], "int64", "inverse")
  expect(counts, r[6], "int64", "counts")
  expect(ma.unique(load(r[2])), r[3], dtype, "values alone")
end

function check.search(r)
  local a = load(r[2])
  local keys = ma.unique(a)
  keys = keys[ma.logical_not(ma.isnan(keys))]
  expect(ma.searchsorted(keys, a), r[3], "int64", "left")
  expect(ma.searchsorted(keys, a, "right"), r[4], "int64", "right")
  expect(ma.searchsorted(ma.flip(keys), a, "left", ma.argsort(ma.flip(keys))), r[3], "int64", "with a sorter")
end

describe("NumPy's values:", function()
  for _, kind in ipairs { "order", "unique", "search" } do
    it(kind, function()
      local failures = helper.failures()
      for _, r in ipairs(records) do
        if r[1] == kind then failures:run(r[2] .. " " .. r[3]:sub(1, 3), check[kind], r) end
      end
      failures:check()
    end)
  end

  it("of the Lua layer", function() run("sort") end)
end)

-- ==== Random arrays ====

local random = helper.random(31)

-- A poisoned result shows what was not written.
local function poison(shape, dtype) return ma.full(shape, dtype == "bool" and true or 77, dtype) end

local function random_array(n, dtype, distinct)
  local list = {}
  for k = 1, n do
    local v = random(0, distinct - 1)
    if dtype == "bool" then v = v % 2 == 1
    elseif dtype == "uint8" then v = v % 256
    elseif dtype == "int8" then v = v % 256 - 128
    elseif dtype:find("^int") or dtype:find("float") then v = v - math.floor(distinct / 2) end
    list[k] = v
  end
  return list, ma.array(list, dtype)
end

--- The positions in stable order, by Lua's own sort.
local function plain(list)
  local order = {}
  for k = 1, #list do order[k] = k end
  local function value(k) return list[k] == true and 1 or list[k] == false and 0 or list[k] end
  table.sort(order, function(i, j) return value(i) < value(j) or value(i) == value(j) and i < j end)
  return order
end

describe("random arrays", function()
  it("of all lengths, against a sort in Lua", function()
    for _, dtype in ipairs { "float32", "int8", "uint8", "bool", "int32", "float64", "int64", "float16" } do
      for _, n in ipairs { 1, 2, 9, 17, 31, 32, 33, 70, 300, 511, 512, 513, 1000, 4095, 4096, 4097, 10000 } do
        if not helper.thin or n % 2 == 0 then
          local list, a = random_array(n, dtype, n % 3 == 0 and 7 or dtype == "float16" and 2000 or 2 ^ 24)
          local order = plain(list)
          local values = {}
          for k = 1, n do values[k] = list[order[k]] end
          local label = dtype .. " " .. n
          helper.identical(a:argsort(), ma.array(order, "int64"), label)
          local out = poison(n, dtype)
          helper.identical(ma.sort(a, { out = out }), ma.array(values, dtype), label)
          helper.identical(a:sort(), out, label .. " in place")
        end
      end
    end
  end)

  it("of numbers that are close to each other and far from the rest", function()
    for _, dtype in ipairs { "float64", "complex128", "complex64", "float32" } do
      for _, n in ipairs { 12, 100, 400, 1500, 3000 } do
        for _, close in ipairs { 2, 40, 1000 } do
          local list = {}
          for k = 1, n do
            list[k] = random(1, close) > 1 and 1 + random(0, 500) * 2 ^ -22 or (random(0, 1) - 0.5) * 1e30
          end
          local a = ma.array(list, "float64"):astype(dtype)
          helper.identical(a:argsort(), ma.array(plain(list), "int64"), ("%s %d, 1 of %d far"):format(dtype, n, close))
          helper.identical(ma.sort(a), a:take(a:argsort()), dtype)
        end
      end
    end
  end)

  it("searched in, against counting what is below", function()
    for _, dtype in ipairs { "float32", "float64", "int8", "int64", "float16", "bool", "complex64" } do
      for _, n in ipairs { 1, 5, 64, 777 } do
        local _, flat = random_array(n, dtype == "complex64" and "float32" or dtype, 200)
        local _, some = random_array(131, dtype == "complex64" and "float32" or dtype, 200)
        local sorted = ma.sort(flat):reshape(1, n)
        for count = 1, 131, 26 do
          local wanted = some[{ { 1, count } }]
          for side, below in pairs { left = sorted:lt(wanted:reshape(count, 1)),
            right = sorted:le(wanted:reshape(count, 1)) } do
            local places = ma.searchsorted(sorted:ravel():astype(dtype), wanted:astype(dtype), side)
            helper.identical(places, below:sum(2, "int64") + 1, ("%s %d of %d %s"):format(dtype, count, n, side))
          end
        end
      end
    end
  end)

  it("of many rows, against one row after another", function()
    for _, shape in ipairs { { 300, 3 }, { 3, 300 }, { 7, 5000 }, { 2, 9000 }, { 1500, 40 }, { 2, 3, 600 } } do
      for _, dtype in ipairs { "float32", "int16", "complex64" } do
        local size = 1
        for _, n in ipairs(shape) do size = size * n end
        local _, flat = random_array(size, dtype == "complex64" and "float32" or dtype, 30000)
        local a = flat:astype(dtype):reshape(shape)
        local values, positions = core.sort_both(a, a.ndim)
        helper.identical(ma.sort(a), values, "sort alone")
        local rows, sorted, places = a:reshape(-1, shape[#shape]), values:reshape(-1, shape[#shape]),
          positions:reshape(-1, shape[#shape])
        local step = math.max(1, math.floor(rows.shape[1] / 7))
        for k = 1, rows.shape[1], step do
          helper.identical(sorted[k], ma.sort(rows[k]), "row " .. k)
          helper.identical(places[k], rows[k]:argsort(), "row " .. k)
        end
        helper.identical(ma.take_along_axis(a, positions, -1), values, "positions")
      end
    end
  end)

  it("of several axes, along each, give what sorting the transposed array gives", function()
    local _, flat = random_array(2 * 5 * 70, "float32", 50)
    local a = flat:reshape(2, 5, 70)
    for axis = 1, 3 do
      helper.identical(ma.sort(a, axis), ma.sort(a:moveaxis(axis, 3):copy()):moveaxis(3, axis):copy(), "axis " .. axis)
    end
  end)

  it("longer than a tile, sorted and in order", function()
    for _, n in ipairs { 100003, 2 ^ 18 } do
      local a = ma.random.default_rng(helper.seed):standard_normal({ n }, "float32")
      local values, positions = core.sort_both(a, 1)
      assert(ma.less_equal(values[{ { 1, n - 1 } }], values[{ { 2, n } }]):all(), "not ascending")
      helper.identical(a:take(positions), values, "positions")
      helper.identical(ma.sort(positions), ma.range(1, n), "each position once")
      helper.identical(ma.sort(ma.flip(a)), values, "from behind")
      helper.identical(a:copy():sort(), values, "in place")
      local same = ma.searchsorted(values, values)
      assert(ma.less_equal(same, ma.range(1, n)):all() and ma.equal(values:take(same), values):all())
    end
  end)

  it("give the same bits on the CPU", function()
    if helper.device == "cpu" then return end
    for _, dtype in ipairs(helper.dtypes) do
      local _, a = random_array(20001, dtype:find("complex") and "float32" or dtype, dtype == "bfloat16" and 100
        or 2000)
      a = a:astype(dtype)
      if helper.is_float[dtype] then a[{ { 1, 20001, 50 } }] = 0 / 0 end
      local values, positions = core.sort_both(a, 1)
      local host_values, host_positions = core.sort_both(a:get(), 1)
      helper.same(helper.bytes(values), helper.bytes(host_values), dtype, 0, dtype)
      helper.same(helper.bytes(positions), helper.bytes(host_positions), "int64", 0, dtype)
    end
  end)
end)

local minus_zero = -1 / math.huge -- LuaJIT on ARM reads -0.0 beside 0 as 0

describe("a partition of a long row", function()
  local n = 140001                                       -- beyond what is sorted in a cache
  local function made(count)
    local data = ma.arange(count or n) * 7919 % 65536 - 30000
    return {
      int64 = (data % 3):astype("int64"),                -- the least is a pivot
      int32 = data:astype("int32"), uint64 = (data + 40000):astype("uint64"), float32 = data:astype("float32") / 7,
      float64 = ma.where((data % 5):eq(0), ma.nan, data / 3), float16 = (data % 300):astype("float16"),
    }
  end

  it("puts the elements at some places where a sort does, and the others on their side of them", function()
    local function agree(dtype, a)
      assert(a.dtype == dtype)
      local sorted, last = ma.sort(a), a.size
      for _, places in ipairs { 1, math.floor(last / 2), last, { 5, -3, last - 90 }, { 1, 2, 3, 4, 5 } } do
        local parted = ma.partition(a, places)
        local list = type(places) == "table" and places or { places }
        local label = dtype .. " " .. table.concat(list, " ")
        assert(ma.array_equal(ma.sort(parted), sorted, { equal_nan = true }), label)
        for _, k in ipairs(list) do
          k = k < 0 and last + 1 + k or k
          local x = sorted[k]
          assert(tostring(parted[k]) == tostring(x), label)
          if x == x then
            assert(not parted[{ { 1, k } }]:gt(x):any(), label)
            assert(k == last or not parted[{ { k, last } }]:lt(x):any(), label)
          end
        end
        local own = a:copy()
        own:partition(places)
        assert(ma.array_equal(own, parted, { equal_nan = true }), label)
      end
    end
    for _, count in ipairs { 300, 2049, 33333, n } do
      for dtype, a in pairs(made(count)) do agree(dtype, a) end
    end
  end)

  it("keeps the order of equal elements around the places of a very long row", function()
    local count = 700001
    local data = ma.random.normal(0, 100, count)
    local zeros = ma.where(data:lt(0), minus_zero, 0)
    local signed = ma.where((data % 5):lt(3), zeros, data)      -- of more than half of them only the signs differ
    for _, a in ipairs { data, data:astype("float32"), (data * 1e6):astype("int32"), (data * 1e9):astype("int64"),
        signed, signed:astype("float32"), ma.where(data:lt(-200), ma.nan, data), data:astype("complex64") } do
      local sorted = ma.sort(a)
      for _, places in ipairs { { count / 2 }, { 1 }, { count }, { 70, 9 * count / 10, count },
          { count / 4, count / 2, 3 * count / 4, count } } do
        for k, at in ipairs(places) do places[k] = math.floor(at) end
        local parted = ma.partition(a, places)
        for _, at in ipairs(places) do
          local x = sorted[at]
          helper.identical(parted[{ { at, at } }], sorted[{ { at, at } }], a.dtype .. " " .. at)
          if a.dtype ~= "complex64" then
            assert(not parted[{ { 1, at } }]:gt(x):any() and not parted[{ { at, count } }]:lt(x):any())
          end
        end
        assert(ma.array_equal(ma.sort(parted), sorted, { equal_nan = true }), a.dtype)
      end
    end
  end)

  it("by positions has the position of a sort at its place, and those below and above on their sides", function()
    for _, count in ipairs { 1023, 1024, 5000, n } do
      for dtype, x in pairs(made(count)) do
        local order, sorted = x:argsort(), ma.sort(x)
        for _, k in ipairs { 1, 2, math.floor(count / 2), count } do
          local found, t = ma.argpartition(x, k), sorted[{ { k, k } }]
          local label = dtype .. " " .. count .. " " .. k
          assert(ma.array_equal(ma.sort(found), ma.range(1, count)), label)
          assert.are.equal(order[k], found[k], label)
          local before, behind = x:take(found[{ { 1, k } }]), x:take(found[{ { k, count } }])
          if not ma.isnan(t):any() then
            assert.is_false(before:gt(t):any() or ma.isnan(before):any() or behind:lt(t):any(), label)
          end
        end
      end
    end
    local rows = (ma.arange(6000) * 7919 % 2003):reshape(3, 2000)
    for k = 1, 3 do assert(ma.array_equal(ma.argpartition(rows, 900, 2)[k], ma.argpartition(rows[k], 900))) end
    local equal = made(5000).int64
    assert(ma.array_equal(ma.argpartition(equal, { 3, 70 })[{ { 1, 70 } }], equal:argsort()[{ { 1, 70 } }]))
  end)

  it("is no sort of all on the CPU", function()
    if helper.device ~= "cpu" then return pending("a GPU sorts") end
    local parted = ma.partition(made().int32, 1)
    assert(ma.diff(parted):lt(0):any())
  end)

  it("gives medians and quantiles of the largest numbers, whose sums and widths have no number", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local most = ma.finfo(dtype).max
      local pair, pairs_of, far = ma.array({ most, most }, dtype), ma.full({ 3, 2 }, -most, dtype),
        ma.array({ -most, most }, dtype)
      for name, value in pairs { median = ma.median(pair), nanmedian = ma.nanmedian(pair), quantile =
        ma.quantile(pair, 0.5), nanquantile = ma.nanquantile(pair, 0.25), ndimage = ma.ndimage.median(pair) } do
        assert.equal(dtype, value.dtype)
        assert(value:item() == most, dtype .. name)
      end
      assert(ma.median(pairs_of, 2):eq(-most):all() and ma.nanmedian(pairs_of, 2):eq(-most):all(), dtype)
      assert.equal(0, ma.median(far):item())
      assert.equal(0, ma.quantile(far, 0.5, { method = "midpoint" }):item())
      for _, value in ipairs { ma.quantile(far, 0.25), ma.percentile(far, 25), ma.nanquantile(far, 0.25) } do
        assert(value:item() == -most / 2, dtype)
      end
      assert(ma.quantile(far, 0.75):item() == most / 2, dtype)
    end
    for _, dtype in ipairs { "float16", "bfloat16", "float32" } do
      local a = ma.full({ 2, 3 }, ma.finfo(dtype).max, dtype)
      local mean = ma.average(a, nil, ma.ones_like(a))
      assert.equal(dtype, mean.dtype)
      assert.equal(a(1, 1), mean:item())
      assert.same({ a(1, 1), a(1, 1) }, ma.average(a, 2, { 1, 2, 1 }):totable())
    end
    ma.testing.assert_array_equal(ma.histogram_bin_edges(ma.array({ -65504, 65504 }, "float16"), 4),
      ma.array({ -65504, -32752, 0, 32752, 65504 }, "float16"))
    for dtype, most in pairs { float32 = 3e38, float64 = 1.5e308 } do
      assert.matches("whose width " .. dtype .. " does not hold", fails(ma.histogram, ma.array({ -most, most }, dtype)))
    end
    local inf = math.huge
    assert(ma.median(ma.array { 1, inf }):item() == inf and ma.median(ma.array { -inf, 1 }):item() == -inf)
    assert(ma.isnan(ma.median(ma.array { -inf, inf })):item())
    for dtype, most in pairs { int8 = 127, int64 = 2 ^ 63, uint64 = 2 ^ 64, uint8 = 255 } do
      assert(ma.median(ma.full(4, ma.iinfo(dtype).max, dtype)):item() == most, dtype)
      assert(ma.ndimage.median(ma.full(4, ma.iinfo(dtype).max, dtype)):item() == most, dtype)
    end
  end)

  it("gives the median of a sort", function()
    for dtype, a in pairs(made()) do
      local sorted = ma.sort(a)
      local wanted = ma.isnan(sorted[{ { n, n } }]):any() and ma.nan or sorted[(n + 1) / 2]
      assert(tostring(ma.median(a):item()) == tostring(wanted), dtype)
    end
  end)
end)

describe("a long row of values that are unevenly spread", function()
  it("is sorted as its positions are", function()
    local n = 150001
    local rng = ma.random.default_rng(helper.seed)
    local one = ma.where(ma.arange(n):eq(n / 2 - n / 2 % 1), -1e9, 1 + rng:random(n) * 1e-6)  -- all but one are close
    for name, a in pairs { one = one, normal = rng:normal(0, 1, n), cauchy = rng:standard_cauchy(n),
        steps = rng:lognormal(0, 9, n):floor() } do
      for _, dtype in ipairs { "float64", "float32", "int64", "complex64" } do
        local x = (dtype == "int64" and ma.clip(a * 1000, -1e15, 1e15) or a):astype(dtype)
        helper.identical(ma.sort(x), x[ma.argsort(x)], name .. " " .. dtype)
      end
    end
  end)
end)

describe("zeros and NaN", function()
  it("keep the order that they had", function()
    local nan = 0 / 0
    local a = ma.array { nan, 0, 1, minus_zero, -1, 0, nan, minus_zero }
    helper.identical(a:argsort(), ma.array({ 5, 2, 4, 6, 8, 3, 1, 7 }, "int64"), "argsort")
    local list = ma.sort(a):totable()
    local signs = {}
    for k = 2, 5 do signs[#signs + 1] = 1 / list[k] > 0 and "+" or "-" end
    assert(table.concat(signs) == "+-+-", table.concat(signs))
  end)

  it("keep it in rows of all lengths", function()
    local rng = ma.random.default_rng(helper.seed)
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64", "complex64", "complex128" } do
      for _, n in ipairs { 5, 16, 100, 600, 5000 } do
        local a = ma.array({ 0, minus_zero, 0 / 0, 1 / 0, -1, 2 },
          dtype):take(rng:integers(1, 7, { math.floor(6000 / n), n }))
        local wanted = helper.bytes(ma.take_along_axis(a, a:argsort(), -1))
        assert(helper.bytes(ma.sort(a)) == wanted, dtype .. " " .. n)
        assert(helper.bytes(a:sort()) == wanted, dtype .. " in place")
      end
    end
  end)

  it("keep it in long rows, wherever the other values lie", function()
    local nan, rng = 0 / 0, ma.random.default_rng(helper.seed)
    for _, dtype in ipairs { "float32", "float64", "complex64" } do
      for _, others in ipairs { { 1, -1, 1e-30 }, { 1e30, -1e30, 1e-40 }, { 5 } } do
        local kinds = ma.array({ 0, -0.0, nan, unpack(others) }, dtype)
        local a = kinds:take(rng:integers(1, #others + 4, { helper.thin and 40000 or 400000 }))
        a[{ { 1, a.size, 3 } }] = rng:standard_normal({ math.ceil(a.size / 3) }, "float32"):astype(dtype)
        local wanted = helper.bytes(a:take(a:argsort()))
        assert(helper.bytes(ma.sort(a)) == wanted, dtype)
        assert(helper.bytes(a:sort() or a) == wanted, dtype .. " in place")
      end
    end
  end)

  it("are one element each of unique", function()
    local nan = 0 / 0
    assert(ma.unique(ma.array { nan, 0, -0.0, nan }).size == 2)
    assert(ma.unique(ma.array { nan, 0, -0.0, nan }, { equal_nan = false }).size == 3)
    assert(ma.unique(ma.array({ nan, ma.complex(1, nan), ma.complex(nan, 1), 5 }, "complex128")).size == 2)
  end)
end)

-- ==== Between two elements ====

describe("a quantile", function()
  it("lies between its neighbours and is the same from either end", function()
    local rng = ma.random.default_rng(helper.seed)
    for _ = 1, 40 do
      local a = rng:standard_normal({ 7 }):eval()
      local sorted, mirrored, before = ma.sort(a):totable(), -a, -math.huge
      for k = 0, 64 do
        local value = ma.quantile(a, k / 64):item()
        local place = k / 64 * 6
        local low, high = sorted[math.floor(place) + 1], sorted[math.ceil(place) + 1]
        assert(value >= low and value <= high and value >= before)
        if (k / 64 * 6) % 1 ~= 0.5 then assert.equal(value, -ma.quantile(mirrored, 1 - k / 64):item()) end
        before = value
      end
    end
  end)
end)

-- ==== Bins ====

describe("histogram", function()
  it("agrees with the edges, whatever arithmetic says", function()
    for _, dtype in ipairs { "float32", "float64", "int32", "uint8", "float16" } do
      -- more edges than float16 tells apart need not ascend
      for _, bins in ipairs(dtype == "float16" and { 1, 7, 100 } or { 1, 7, 256, 3000, 20000 }) do
        local _, a = random_array(5000, dtype, 60000)
        local counts, edges = ma.histogram(a, bins)
        local keys = edges:astype("float64")
        local x = a:astype("float64")
        local places = ma.minimum(ma.searchsorted(keys, x, "right") - 1, bins)
        local want = ma.zeros(bins, "float64"):iadd_at(places, ma.ones(5000)):astype("int64")
        helper.identical(counts, want, dtype .. " " .. bins)
        helper.identical((ma.histogram(a, edges)), counts, dtype .. " by its edges")
        assert(counts:sum():item() == 5000)
      end
    end
  end)

  it("of edges that lie close for their size", function()
    local a = ma.full(1000, 16777216, "float32") + ma.arange(1000):astype("float32")
    local counts, edges = ma.histogram(a, 300)
    local want = ma.histogram(a:astype("float64"), edges:astype("float64"))
    helper.identical(counts, want, "close edges")
  end)

  it("leaves out what is outside and NaN", function()
    local counts = ma.histogram(ma.array { -1, 0, 0.5, 1, 2, 0 / 0, math.huge }, 2, { 0, 1 })
    helper.identical(counts, ma.array({ 1, 2 }, "int64"), "range")
    fails(ma.histogram, ma.array { 1, 0 / 0 })
    fails(ma.histogram, ma.array { 1, math.huge })
  end)

  it("counts whole numbers that no float64 holds", function()
    local big = ma.array({ 2 ^ 53 }, "int64")
    local a = ma.concatenate { big, big + 1, big + 2 }
    helper.identical((ma.histogram(a, ma.concatenate { big, big + 1, big + 2, big + 3 })),
      ma.array({ 1, 1, 1 }, "int64"), "int64")
  end)
end)

-- ==== Mistakes ====

describe("mistakes", function()
  it("are errors", function()
    local a = ma.zeros { 2, 3 }
    for _, axis in ipairs { 0, 3, -3, 1.5, "x" } do
      fails(ma.sort, a, axis)
      fails(ma.argsort, a, axis)
      fails(function() a:sort(axis) end)
      fails(ma.median, a, axis)
    end
    fails(ma.sort)
    fails(ma.sort, a, 1, "bubble")
    fails(ma.partition, a, 4)
    fails(ma.partition, a, 0)
    fails(ma.argpartition, a, 1.5)
    fails(function() a:broadcast_to({ 2, 2, 3 }):sort() end)
    fails(ma.searchsorted, a, 1)
    fails(ma.searchsorted, ma.arange(3), 1, "middle")
    fails(ma.searchsorted, ma.arange(3), 1, "left", ma.arange(2))
    fails(ma.searchsorted, ma.arange(3), 1, "left", ma.ones(3))
    for _, bins in ipairs { { 1, 3, 2 }, { 1, 0 / 0, 2 }, { 3, 1, 2 }, ma.arange(5000) % 100,
      ma.array({ 1, 0xffffffffffffffffULL, 2 }, "uint64") } do
      assert.matches("up and down", helper.fails(ma.digitize, { 1 }, bins))
    end
    fails(ma.digitize, { 1 }, a)
    fails(ma.unique, a, { axis = 3 })
    fails(ma.unique, ma.array(1), { axis = 1 })
    fails(ma.histogram, a, 0)
    fails(ma.histogram, a, 2.5)
    fails(ma.histogram, a, "automatic")
    fails(ma.histogram, a, { 2, 1 })
    fails(ma.histogram, a, { 2 })
    fails(ma.histogram, a, 3, { 2, 1 })
    fails(ma.histogram, a, 3, { 2 })
    fails(ma.histogram, a, 3, { weights = { 1 } })
    fails(ma.histogram, ma.zeros(3, "complex64"))
    fails(ma.bincount, { -1 })
    fails(ma.bincount, ma.arange(3), { minlength = -1 })
    fails(ma.bincount, a)
    fails(ma.quantile, ma.zeros { 0, 3 }, 0.5, 1)
    fails(ma.quantile, a, 1.5)
    fails(ma.quantile, a, "x")
    fails(ma.quantile, a, {})
    fails(ma.quantile, a, 0.5, { method = "best" })
    fails(ma.quantile, a, 0.5, { weights = a })
    local function weighted(weights, axis)
      return ma.nanquantile, a, 0.5, axis, { method = "inverted_cdf", weights = weights }
    end
    assert.matches("weights below 0; wanted 0 or more", fails(weighted(ma.array(a:totable()) * 0 - 1)))
    for _, value in ipairs { 0, math.huge, 0 / 0 } do
      assert.matches("whose sum is 0, inf or nan", fails(weighted(ma.full_like(a, value))))
    end
    assert.matches("weights of shape %(7%) for elements of shape .* without axis", fails(weighted(ma.ones(7))))
    assert.matches("weights of shape %(7%) for elements", fails(weighted(ma.ones(7), 1)))
    fails(ma.quantile, a, 0.5, { 1, 1 })
    fails(ma.lexsort, {})
    fails(ma.lexsort, { { 1, 2 }, { 1 } })
  end)

  it("writes positions into what is given: plain, with steps, of another dtype, the array itself", function()
    for _, n in ipairs { 7, 6000 } do
      local a = (ma.range(1, 2 * n) * 7919 % 1009):astype "int64":reshape(2, n)
      for axis = 1, 2 do
        local expected = ma.argsort(a, axis)
        for name, out in pairs { plain = ma.zeros({ 2, n }, "int64"), steps = ma.zeros({ n, 2 }, "int64").T,
          narrow = ma.zeros({ 2, n }, "int32"), itself = a:copy() } do
          local reader = out + 0                       -- waits, and keeps the values of before
          local before = out:copy()
          assert(rawequal(ma.argsort(name == "itself" and out or a, axis, { out = out }), out))
          helper.identical(out:astype "int64", expected, name)
          helper.identical(reader, before, name)
        end
      end
      assert.matches("read%-only", fails(ma.argsort, a, 1, { out = ma.broadcast_to(ma.zeros(n, "int64"), { 2, n }) }))
    end
  end)

  it("take writes into what is given, and an error on the host leaves it", function()
    local a, at = ma.range(1, 12):reshape(6, 2), ma.array({ 6, 1, 3 }, "int64")
    local expected = ma.take(a, at, 1)
    for _, mode in ipairs { "clip", "raise" } do
      local part = a:copy()
      for name, out in pairs { plain = ma.zeros({ 3, 2 }, a.dtype), steps = ma.zeros({ 2, 3 }, a.dtype).T,
        narrow = ma.zeros({ 3, 2 }, "float32"), part = part[{ { 2, 4 } }] } do
        assert(rawequal(ma.take(name == "part" and part or a, at, 1, { out = out, mode = mode }), out))
        helper.identical(out:astype(a.dtype), expected, name)
      end
    end
    local out = ma.zeros({ 2, 2 })
    if out.device == "cpu" then
      fails(ma.take, a, ma.array({ 1, 7 }, "int64"), 1, { out = out })
      helper.identical(out, ma.zeros { 2, 2 })
    end
  end)
end)
