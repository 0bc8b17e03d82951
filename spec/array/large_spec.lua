-- Arrays beyond 2^31 elements are right: launches are split, offsets are 64 bits wide. On the GPU, where there is room.
local ma = require "moonarray"

local device = ma.device()
local free = device.name ~= "cpu" and device:mem_info() or 0
local enough = free > 30e9

describe("an array of more than 2^31 elements", function()
  if not enough then
    print("skipped: large_spec: needs a GPU with 30 GB of free memory")
    return
  end
  local n = 2 ^ 32 + 5

  after_each(function()
    collectgarbage()
    collectgarbage()
    ma.free_all_blocks()
  end)

  it("adds, compares and sums every element", function()
    local a = ma.full(n, 3, "uint8")
    a[n] = 7
    a[2 ^ 31 + 1] = 9
    a:iadd(1)
    assert.are.equal(8, a[n])
    assert.are.equal(10, a[2 ^ 31 + 1])
    assert.are.equal(4, a[2 ^ 31])
    assert.are.equal(4 * (n - 2) + 18, a:sum():item())
    assert.are.equal(2 ^ 31 + 1, a:argmax():item())
    assert.are.equal(n - 2, ma.count_nonzero(a:eq(4)):item())
  end)

  it("reduces along axes of a large matrix", function()
    local rows, cols = 2 ^ 17 + 1, 2 ^ 15
    local m = ma.ones({ rows, cols }, "int8")
    m[{ rows, cols }] = 3
    local down, along = m:sum(1), m:sum(2)
    assert.are.equal(rows + 2, down[cols])
    assert.are.equal(rows, down[1])
    assert.are.equal(cols + 2, along[rows])
    assert.are.equal(cols, along[1])
  end)

  it("copies a transposed matrix", function()
    local rows, cols = 2 ^ 16 + 3, 2 ^ 15 + 1
    local m = ma.zeros({ rows, cols }, "uint8")
    m[{ rows, 2 }] = 5
    m[{ 3, cols }] = 6
    local t = m.T:copy()
    assert.are.equal(5, t[{ 2, rows }])
    assert.are.equal(6, t[{ cols, 3 }])
    assert.are.equal(11, t:sum():item())
  end)

  it("reads and writes views that lie far out", function()
    local a = ma.zeros(n, "uint8")
    local far = a[{ { n - 9, n } }]
    far[{}] = ma.arange(10):astype("uint8")
    assert.are.equal(9, a[n])
    assert.are.equal(45, a:sum():item())
    assert.are.equal(n, ma.flatnonzero(a)[9])
    local every = a[{ { 1, n, 2 ^ 16 } }]
    assert.are.equal(2 ^ 16 + 1, every.size)
  end)

  it("packs and unpacks bits past 2^31", function()
    local bits = ma.zeros(2 ^ 31 + 17, "bool")
    bits[2 ^ 31 + 10], bits[-1], bits[3] = true, true, true
    local bytes = ma.packbits(bits)
    assert.are.equal(2 ^ 28 + 3, bytes.size)
    assert.are.equal(0x20, bytes[1])
    assert.are.equal(0x40, bytes[2 ^ 28 + 2])
    assert.are.equal(0x80, bytes[-1])
    assert.are.equal(0, bytes[2 ^ 28 + 1])
    bits:free()
    local back = ma.unpackbits(bytes, { count = 2 ^ 31 + 17 })
    assert.are.equal(2 ^ 31 + 17, back.size)
    assert.are.equal(1, back[2 ^ 31 + 10])
    assert.are.equal(3, ma.count_nonzero(back):item())
  end)

  it("reduces segments that begin past 2^31", function()
    local a = ma.ones(2 ^ 31 + 17, "int8")
    a[2 ^ 31 + 3] = 5
    local few = ma.add.reduceat(a, { 1, 2 ^ 31 + 1, 2 ^ 31 + 3 })
    assert.are.equal(2 ^ 31, few[1])
    assert.are.equal(2, few[2])
    assert.are.equal(19, few[3])
    local places = ma.range(1, 2 ^ 31 + 17, 2 ^ 20)
    local sums = ma.add.reduceat(a, places)
    assert.are.equal(2 ^ 20, sums[2048])
    assert.are.equal(17 + 4, sums[-1])
    assert.are.equal(5, ma.maximum.reduceat(a, places)[-1])
    assert.are.equal(1, ma.maximum.reduceat(a, places)[-2])
  end)

  it("gives positions past 2^31 in the dtype that holds them", function()
    local a = ma.zeros(2 ^ 31 + 17, "int8")
    a[2 ^ 31 + 5] = 1
    assert.are.equal(2 ^ 31 + 5, a:argmax { dtype = "uint32" }:item())
    assert.has_error(function() return a:argmax { dtype = "int32" } end)
    local trimmed = ma.trim_zeros(a)
    assert.are.equal(1, trimmed.size)
    assert.are.equal(2 ^ 31 + 5, ma.trim_zeros(a, "b").size)
  end)

  it("sorts, pads, diffs and windows past 2^31", function()
    local a = ma.zeros(2 ^ 31 + 17, "int8")
    a[2], a[-1] = 7, -3
    local down = ma.sort(a, { descending = true })
    assert.are.equal(7, down[1])
    assert.are.equal(-3, down[-1])
    assert.are.equal(0, down[2 ^ 31 + 16])
    down:free()
    local padded = ma.pad(a, { 1, 2 }, "edge")
    assert.are.equal(2 ^ 31 + 20, padded.size)
    assert.are.equal(-3, padded[-1])
    assert.are.equal(7, padded[3])
    padded:free()
    local steps = ma.diff(a)
    assert.are.equal(-3, steps[-1])
    assert.are.equal(7, steps[1])
    steps:free()
    local windows = ma.lib.stride_tricks.sliding_window_view(a, 3)
    assert.same({ 2 ^ 31 + 15, 3 }, { windows:dims() })
    assert.are.equal(-3, windows[{ -1, 3 }])
    local flipped = a:view("uint8"):byteswap()
    assert.are.equal(253, flipped[-1])
  end)

  it("puts and places past 2^31", function()
    local a = ma.zeros(2 ^ 31 + 17, "int8")
    local mask = ma.zeros(2 ^ 31 + 17, "bool")
    mask[2 ^ 31 + 2], mask[-1] = true, true
    ma.putmask(a, mask, ma.array({ 4 }, "int8"))
    assert.are.equal(4, a[2 ^ 31 + 2])
    assert.are.equal(4, a[-1])
    assert.are.equal(8, a:sum():item())
    ma.place(a, mask, ma.array({ 1, 2 }, "int8"))
    assert.are.equal(1, a[2 ^ 31 + 2])
    assert.are.equal(2, a[-1])
    a.flat[2 ^ 31 + 17] = 9
    assert.are.equal(9, a[-1])
    local far = ma.lib.stride_tricks.as_strided(a, { 2 ^ 31 + 16, 2 }, { 1, 1 })
    assert.are.equal(9, far[{ -1, 2 }])
  end)

  it("counts and permutes past 2^31", function()
    local a = ma.zeros(2 ^ 31 + 17, "uint8")
    a[2 ^ 31 + 9] = 200
    local counts = ma.histogram(a, { 0, 100, 255 })
    assert.are.equal(2 ^ 31 + 16, counts[1])
    assert.are.equal(1, counts[2])
    ma.random.shuffle(a)
    assert.are.equal(200, a:sum():item())
  end)

  it("scans past 2^31", function()
    local long = ma.ones(2 ^ 31 + 3, "uint8")
    local sums = ma.cumsum(long, { dtype = "uint32" })
    assert.are.equal(2 ^ 31 + 3, sums[-1])
    assert.are.equal(2 ^ 31 - 7, sums[2 ^ 31 - 7])
  end)
end)
