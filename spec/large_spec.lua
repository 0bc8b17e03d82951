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

  it("scans past 2^31", function()
    local long = ma.ones(2 ^ 31 + 3, "uint8")
    local sums = ma.cumsum(long, { dtype = "uint32" })
    assert.are.equal(2 ^ 31 + 3, sums[-1])
    assert.are.equal(2 ^ 31 - 7, sums[2 ^ 31 - 7])
  end)
end)
