-- The order of elements in memory, what an array says of its memory, and views that look at memory otherwise.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails
local tricks = ma.lib.stride_tricks

local function refused(pattern, f, ...) assert.matches(pattern, fails(f, ...), 1, true) end

describe("layout", function()
  it("is NumPy's, in strides, values and dtypes", function() run "layout" end)

  it("takes orders that there are", function()
    refused('wanted "C" or "F"', ma.zeros, { 2 }, { order = "K" })
    refused('wanted "C", "F", "A" or "K"', ma.zeros_like, ma.ones(2), { order = "B" })
    refused('wanted "C", "F", "A" or "K"', ma.copy, ma.ones(2), { order = "CF" })
    refused('wanted "C", "F" or "A"', ma.reshape, ma.ones(2), { 1, 2 }, { order = "K" })
    refused('wanted "C", "F", "A" or "K"', ma.ravel, ma.ones(2), { order = 3 })
  end)

  it("is kept by what waits", function()
    local a = ma.arange(12000, "float32"):reshape(100, 120)
    local waiting = (a.T + 1) * 2
    local cast = waiting:astype("float64")
    assert.same({ 8, 960 }, cast.strides)
    helper.identical(cast:copy(), ((a.T + 1) * 2):copy():astype("float64", { order = "C" }), "cast")
    assert.same({ 8, 960 }, ((a.T + 1) * 2):astype("float64", { order = "F" }).strides)
    assert.same({ 8, 800 }, ((a + 1) * 2):astype("float64", { order = "F" }).strides)
    assert.same({ 400, 4 }, ((a.T + 1) * 2):copy().strides)
  end)
end)

describe("copy =", function()
  local a = ma.arange(6):reshape(2, 3)

  it("asks asarray and array for a copy, for none, or for what is needed", function()
    assert.equal(a, ma.asarray(a))
    assert.equal(a, ma.asarray(a, { copy = false }))
    assert.equal(a, ma.array(a, { copy = false }))
    for _, copy in ipairs { ma.asarray(a, { copy = true }), ma.array(a), ma.array(a, { copy = true }) } do
      assert.is_true(copy.flags.owndata)
      assert.is_true(ma.array_equal(a, copy))
    end
    assert.not_equal(a, ma.asarray(a, "float32"))
    refused("copy = false", ma.asarray, a, "float32", { copy = false })
    refused("copy = false", ma.asarray, a, { copy = false, order = "F" })
    refused("copy = false", ma.asarray, { 1, 2 }, { copy = false })
    refused("copy = false", ma.array, 3, { copy = false })
  end)

  it("asks reshape", function()
    assert.is_false(a:reshape({ 3, 2 }, { copy = false }).flags.owndata)
    assert.is_true(a:reshape({ 3, 2 }, { copy = true }).flags.owndata)
    refused("copy = false", a.T.reshape, a.T, { 6 }, { copy = false })
    assert.is_true(a.T:reshape({ 6 }, { copy = true }).flags.owndata)
  end)
end)

describe("flags and base", function()
  it("say whose memory it is, and whether it may be written", function()
    local a = ma.zeros { 2, 3 }
    assert.same({ c_contiguous = true, f_contiguous = false, owndata = true, writeable = true }, a.flags)
    assert.is_nil(a.base)
    for name, view in pairs { slice = a["2"], transposed = a.T, flat = a:ravel(), whole = a["..."], flipped = a:flip(),
      diagonal = a:diagonal(), real = a.real, view = a:view("int64") } do
      assert.is_false(view.flags.owndata, name)
      assert.same({ 6 }, view.base.shape, name)
    end
    a[2].base[1] = 7
    assert.equal(7, a(1, 1))
    for name, own in pairs {
      copy = a:copy(), sum = a + 1, sorted = ma.sort(a), reduced = a:sum(1), taken = a:take({ 1 }),
      masked = a[a:gt(0)], cast = a:astype("int8"), flat = a:flatten(), turned = a:flatten("F"),
      product = a:matmul(a.T), less = ma.less(a, 1, { out = ma.zeros({ 2, 3 }, "bool") }),
      random = ma.random.rand(2), read = ma.loads(a:dumps()),
      cast_unsafely = ma.add(a, 1, { dtype = "int8", casting = "unsafe" }), turned_read = ma.loads(a.T:dumps()),
    } do
      assert.is_true(own.flags.owndata, name)
      assert.is_nil(own.base, name)
    end
  end)

  it("know a broadcast view from constant memory", function()
    local row = ma.zeros(3)
    local wide = row:broadcast_to { 2, 3 }
    assert.is_false(wide.flags.writeable)
    assert.is_true(wide.readonly)
    assert.is_true(wide.base.flags.writeable)
    wide.base[2] = 4
    assert.equal(4, wide(2, 2))
    local borrowed = ma.numpy.frombuffer(("\1\2\3\4"), 4, "uint8")
    assert.is_false(borrowed["2:3"].flags.owndata)
  end)
end)

describe("view(dtype)", function()
  it("writes to the memory that it shows", function()
    local a = ma.zeros({ 2, 2 }, "float32")
    a:view("uint32")[{ 2, 1 }] = 0x3f800000
    assert.same({ { 0, 0 }, { 1, 0 } }, a:totable())
    local sum = a + 1
    assert.equal(0x40000000, sum:view("int32")(2, 1))
    a:iadd(1)
    assert.equal(0x40000000, a:view("int32")(2, 1))
    local bits = a:view("int32")
    a:imul(2)
    assert.same({ { 0x40000000, 0x40000000 }, { 0x40800000, 0x40000000 } }, bits:totable())
    bits:fill(0)
    assert.same({ { 0, 0 }, { 0, 0 } }, a:totable())
  end)

  it("shows what waits, and what waits to be written", function()
    local a = ma.ones({ 300, 100 }, "float32")
    local waiting = a * 2 - 1
    assert.equal(0x3f800000 * 300 * 100, (waiting:view("int32") * 1):sum():item())
    local twice = a * 2
    local more = twice + 1             -- computes what twice waits for
    assert.equal(0x40000000 + 3, ma.add(twice:view("int32"), more):max():item())
    local bits = a:view("int32")
    a:imul(2):iadd(a * 0)
    assert.equal(0x40000000, (bits + 0):max():item())
    bits:assign(bits * 0)
    assert.equal(0, (a + 0):sum():item())
  end)

  it("is refused where elements would not lie at multiples of their width, or not side by side", function()
    local bytes = ma.arange(17):astype("uint8")
    refused("multiples of the 2 bytes", bytes["2:17"].view, bytes["2:17"], "uint16")
    assert.same({ 8 }, bytes["1:16"]:view("uint16").shape)
    refused("a multiple of the 4", bytes.view, bytes, "uint32")
    refused("gaps", bytes.view, bytes["::2"], "uint16")
    local rows = bytes["1:15"]:reshape(3, 5)["..., 1:4"]
    refused("multiples of the 4 bytes", rows.view, rows, "uint32")
    refused("0-d", ma.view, ma.array(1), "int8")
    assert.same({ 1 }, ma.zeros({ 1 }, "complex128"):view("complex128").shape)
  end)
end)

describe("as_strided", function()
  local a = ma.arange(6)

  it("never leaves the memory of its array", function()
    for _, case in ipairs {
      { { 5, 3 }, { 8, 8 } }, { { 7 }, { 8 } }, { { 2 }, { -8 } }, { { 2 }, { 2 ^ 62 } },
      { { 2, 2 }, { 2 ^ 62, 2 ^ 62 } }, { { 2 }, { 48 } }, { { 3, 3 }, { 24, 8 } },
    } do
      refused("outside the array's memory", tricks.as_strided, a, case[1], case[2])
    end
    refused("outside the array's memory", tricks.as_strided, a["4:6"], { 4 }, { 8 })
    assert.same({ 2, 3, 4, 5 }, tricks.as_strided(a["3:3"], { 4 }, { 8 }):totable())
    assert.same({ 5, 4, 3 }, tricks.as_strided(a["6:6"], { 3 }, { -8 }):totable())
    refused("multiples of the 8 bytes", tricks.as_strided, a, { 2 }, { 4 })
    refused("2 extents and 1 strides", tricks.as_strided, a, { 2, 2 }, { 8 })
  end)

  it("is written only where no elements share memory", function()
    local b = a:copy()
    tricks.as_strided(b, { 3 }, { 16 }):fill(9)
    assert.same({ 9, 1, 9, 3, 9, 5 }, b:totable())
    refused("read-only", function() tricks.as_strided(b, { 4, 3 }, { 8, 8 })[{}] = 1 end)
    refused("share memory", tricks.as_strided, b, { 2, 2 }, { 0, 8 }, { writeable = true })
    assert.is_false(tricks.as_strided(b, { 3 }, { 16 }, { writeable = false }).flags.writeable)
  end)

  it("reads what waits", function()
    local waiting = ma.ones(20000) * 2 + 1
    assert.equal(3 * 3 * 19998, tricks.sliding_window_view(waiting, 3):sum():item())
    local b = ma.arange(20000, "float64")
    local windows = tricks.sliding_window_view(b * 2, 4)
    assert.equal(2 * (3 + 4 + 5 + 6), (windows + 0):sum(2)(4))
  end)

  it("makes windows no wider than the array", function()
    refused("a window of 7", tricks.sliding_window_view, a, 7)
    refused("2 axes for 1", tricks.sliding_window_view, a, { 2, 2 })
    refused("2 elements left", tricks.sliding_window_view, a, { 5, 3 }, { 1, 1 })
    refused("read-only", function() tricks.sliding_window_view(a, 2)[1] = 3 end)
  end)
end)

describe("flat", function()
  it("reads and writes elements in C order, in any layout", function()
    local base = ma.arange(6):reshape(2, 3)
    for name, a in pairs { plain = base, transposed = base.T, turned = base["::-1, ::2"] } do
      local list = a:ravel():totable()
      local flat = a.flat
      assert.equal(#list, flat.size, name)
      for k = 1, #list do
        assert.equal(list[k], flat[k], name)
        assert.equal(list[k], flat[k - #list - 1], name)
      end
      assert.same({ list[2], list[3] }, flat["2:3"]:totable(), name)
      assert.same({ list[4], list[1] }, flat[ma.index { 4, 1 }]:totable(), name)
      assert.same(list, flat:copy():totable(), name)
      refused("position", function() return flat[#list + 1] end)
      refused("position 0", function() return flat[0] end)
      refused("write object:copy", flat.copy)
    end
    local turned = ma.zeros({ 2, 3 }, "int64").T
    turned.flat[2] = 5
    turned.flat["3:4"] = ma.array({ 6, 7 }, "int64")
    turned.flat[-1] = 8
    turned.flat[turned:ravel():eq(6)] = 9
    assert.same({ { 0, 5 }, { 9, 7 }, { 0, 8 } }, turned:totable())
    local sum = 0
    for v in turned.flat:each() do sum = sum + v end
    assert.equal(29, sum)
    refused("flat cannot be set", function() turned.flat = 1 end)
  end)
end)

describe("copies", function()
  it("asnumpy writes into out", function()
    local out = ma.numpy.zeros({ 2, 3 }, "float32")
    assert.equal(out, ma.asnumpy(ma.arange(6):reshape(2, 3), { out = out }))
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, out:totable())
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, ma.asnumpy({ { 1, 2, 3 }, { 4, 5, 6 } }, { out = out }):totable())
    refused("an array of that shape", ma.asnumpy, ma.ones(3), { out = out })
  end)

  it("get has a stream, an order and out, and so has asnumpy", function()
    local rows = ma.arange(6):reshape(2, 3)
    local values = rows:totable()
    for _, get in ipairs { rows.get, ma.asnumpy } do
      local function lies(a, order, ...)
        local host = get(a, ...)
        assert.equal("cpu", host.device)
        assert.equal(a.dtype, host.dtype)
        assert.same(values, host:totable())
        assert.equal(order == "C", host.flags.c_contiguous)
        assert.equal(order == "F", host.flags.f_contiguous)
        return host
      end
      local columns = rows:copy("F")
      assert.not_equal(rows, lies(rows, "C"))
      lies(columns, "C")
      lies(rows, "F", nil, "F")
      lies(columns, "F", { order = "F" })
      lies(columns, "C", nil, "C")
      lies(columns, "F", nil, "A")
      lies(rows, "C", nil, "A")
      local stream = ma.Stream()
      lies(rows, "F", stream, "F")
      lies(rows, "C", { stream = stream })
      stream:close()
      local out = ma.numpy.empty({ 2, 3 }, "int64")
      assert.equal(out, get(columns, nil, "F", out))
      assert.same(values, out:totable())
      local turned = ma.numpy.zeros({ 3, 2 }, "float32")
      assert.equal("float32", get(rows, { out = turned.T }).dtype)
      assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, turned:totable())
      refused("out is a int64 array (3, 2); wanted an array of that shape on the CPU", get, rows,
        { out = ma.numpy.zeros({ 3, 2 }, "int64") })
      refused('order is the string \'K\'; wanted "C", "F" or "A"', get, rows, nil, "K")
      refused("stream is the number 3", get, rows, 3)
    end
    local sum = ma.ones(1000)
    local stream = ma.Stream()
    stream:with(function() sum:iadd(1) end)
    assert.equal(2000, sum:get(stream):sum():item())
    assert.equal(2000, sum:get():sum():item())
    stream:close()
  end)

  it("concatenate joins all elements without an axis", function()
    local joined = ma.concatenate({ ma.arange(4):reshape(2, 2).T, ma.array(7, "int64"), ma.range(8, 9) }, "none")
    assert.same({ 0, 2, 1, 3, 7, 8, 9 }, joined:totable())
    assert.equal("int64", joined.dtype)
    fails(ma.concatenate, { ma.arange(4) }, "all")
  end)
end)

-- Rows of a few numbers are moved by copies that overlap, and several rows at a time.
describe("rows of any width", function()
  local widths = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 63, 64, 65, 100, 191, 193 }
  local dtypes = { "uint8", "int16", "float32", "float64", "complex128" }
  local random = helper.random(31)

  -- Rows of whole numbers below 60, of which three together are a uint8.
  local function numbers(rows, columns)
    local list = {}
    for r = 1, rows do
      list[r] = {}
      for c = 1, columns do list[r][c] = random(0, 59) end
    end
    return list
  end

  local function same(want, got, label)
    if got.dtype == "complex128" then got = got.real end
    local flat, columns = got:ravel():totable(), #want[1]
    assert.equal(#want * columns, #flat, label)
    for k = 1, #flat do
      local r = math.floor((k - 1) / columns)
      if flat[k] ~= want[r + 1][k - r * columns] then
        error(("%s: element %d of row %d is %s; wanted %s (SEED=%d)"):format(label, k - r * columns, r + 1,
          tostring(flat[k]), tostring(want[r + 1][k - r * columns]), helper.seed))
      end
    end
  end

  it("are read from among others, beside a row and a column", function()
    for _, width in ipairs(widths) do
      local rows, dtype = math.ceil(2600 / width), dtypes[random(1, #dtypes)]
      local label = ("%d rows of %d %s"):format(rows, width, dtype)
      local whole, row, column = numbers(rows, width + 4), numbers(1, width), numbers(rows, 1)
      local w, r, c = ma.array(whole, dtype), ma.array(row, dtype), ma.array(column, dtype)
      local view, taken, sum = w[{ {}, { 2, width + 1 } }], {}, {}
      for i = 1, rows do
        taken[i], sum[i] = {}, {}
        for j = 1, width do
          taken[i][j] = whole[i][j + 1]
          sum[i][j] = whole[i][j + 1] + row[1][j] + column[i][1]
        end
      end
      same(taken, view:copy(), label)
      same(sum, view + r + c, label)
    end
  end)

  it("are written among others, which stay as they are", function()
    for _, width in ipairs(widths) do
      local rows, dtype = math.ceil(2600 / width), dtypes[random(1, #dtypes)]
      local label = ("%d rows of %d %s"):format(rows, width, dtype)
      local whole, written, column = numbers(rows, width + 4), numbers(rows, width), numbers(rows, 1)
      local w, values, c = ma.array(whole, dtype), ma.array(written, dtype), ma.array(column, dtype)
      local view = w[{ {}, { 2, width + 1 } }]
      view:assign(values + c)
      for i = 1, rows do
        for j = 1, width do whole[i][j + 1] = written[i][j] + column[i][1] end
      end
      same(whole, w, label)
    end
  end)

  it("are turned, into rows beside each other and among others", function()
    for _, dtype in ipairs(dtypes) do
      for _ = 1, 6 do
        local n, m = random(9, 150), random(9, 150)
        local label = ("%d x %d %s"):format(n, m, dtype)
        local whole, want = numbers(n, m), {}
        for j = 1, m do
          want[j] = {}
          for i = 1, n do want[j][i] = whole[i][j] end
        end
        local turned = ma.array(whole, dtype).T
        same(want, turned:copy(), label)
        local around = ma.full({ m + 2, n + 3 }, 77, dtype)
        local inside = around[{ { 2, m + 1 }, { 3, n + 2 } }]
        inside:assign(turned)
        same(want, inside, label)
        assert.equal(around.size - n * m, ma.count_nonzero(around:eq(77)):item(), label)
        for j = 1, math.floor(m / 2) do want[j], want[m + 1 - j] = want[m + 1 - j], want[j] end
        same(want, turned["::-1"]:copy(), label)
      end
    end
  end)

  it("are turned past the caches, wherever they begin", function()
    for dtype, itemsize in pairs { uint8 = 1, float32 = 4, float64 = 8 } do
      local n = math.ceil(math.sqrt(17 * 2 ^ 20 / itemsize)) + random(0, 63)
      local m = ma.remainder(ma.arange(n * n) * 40503, 251):astype(dtype):reshape(n, n)
      local turned = m.T:copy()
      assert.same({ n, n }, turned.shape)
      for _ = 1, 400 do
        local i, j = random(1, n), random(1, n)
        assert.equal(m(i, j), turned(j, i), dtype)
      end
      assert.is_true(ma.array_equal(turned.T, m), dtype)
    end
  end)

  it("are differences of all pairs", function()
    for width = 1, 9 do
      local dtype = dtypes[random(2, #dtypes)]
      local a, b, want = numbers(40, width), numbers(31, width), {}
      for i = 1, 40 do
        for j = 1, 31 do
          local pair = {}
          for k = 1, width do pair[k] = a[i][k] - b[j][k] end
          want[#want + 1] = pair
        end
      end
      local x, y = ma.array(a, dtype):reshape(40, 1, width), ma.array(b, dtype):reshape(1, 31, width)
      same(want, x - y, "pairs of " .. width .. " " .. dtype)
    end
  end)
end)
