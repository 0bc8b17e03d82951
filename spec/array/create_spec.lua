-- Creation in the Lua layer: eye, diag, tri, grids and sequences against NumPy, their dtypes, devices and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma = helper.ma

describe("creation", function()
  it("agrees with NumPy", function() run "create" end)

  it("takes the dtype as a string behind the required arguments", function()
    assert.equal("int8", ma.eye(2, "int8").dtype)
    assert.equal("float32", ma.eye(2, 3, 1, "float32").dtype)
    assert.equal("bool", ma.tri(2, { dtype = "bool" }).dtype)
    assert.equal("float64", ma.identity(2).dtype)
    assert.equal("float32", ma.geomspace(1, 8, 4, "float32").dtype)
  end)

  it("makes arrays on the device that is asked for", function()
    for _, a in ipairs { ma.eye(2, { device = "cpu" }), ma.tri(2, { device = "cpu" }),
      ma.logspace(0, 1, 3, { device = "cpu" }),
      ma.indices(3, { device = "cpu" }), ma.geomspace(1, 2, { device = "cpu" }) } do
      assert.equal("cpu", a.device)
    end
    assert.equal(helper.device, ma.diag({ 1, 2 }).device)
  end)

  it("counts positions from 1", function()
    assert.same({ { 1, 1 }, { 2, 2 } }, ma.indices({ 2, 2 })[1]:totable())
    assert.same({ 1, 2, 3 }, ma.fromfunction(function(i) return i end, 3):totable())
  end)

  it("fills a diagonal in place and returns the array", function()
    local a = ma.zeros({ 2, 3 })
    assert.equal(a, ma.fill_diagonal(a, 5))
    assert.same({ { 5, 0, 0 }, { 0, 5, 0 } }, a:totable())
  end)

  it("counts on all threads as one element after another", function()
    local n = 300007
    local start, step = ma.array(-5, "float64"), ma.array(3, "float64")
    local ones = ma.ones(n, "float64")
    for _, dtype in ipairs { "int64", "int32", "float64", "float32" } do
      local counted = start + (ma.cumsum(ones) - 1) * step
      assert.is_true(ma.array_equal(ma.arange(-5, -5 + 3 * n, 3, dtype), counted:astype(dtype)))
      local halves = ma.arange(0, n * 0.5, 0.5, { dtype = dtype:find("float") and dtype or "float64" })
      assert.is_true(ma.array_equal(halves * 2, ma.cumsum(ones) - 1))
    end
  end)

  it("counts in blocks of every shape", function()
    for _, n in ipairs { 1024, 1025, 2048, 5000, 1024 ^ 2 - 1, 1024 ^ 2, 1024 ^ 2 + 1, 3 * 1024 ^ 2 + 5 * 1024 + 7 } do
      local places = ma.cumsum(ma.ones(n, "float64")) - 1
      for _, dtype in ipairs { "int64", "uint32", "float32", "complex128" } do
        assert.is_true(ma.array_equal(ma.arange(7, 7 + 2 * n, 2, dtype), (places * 2 + 7):astype(dtype)), dtype .. n)
      end
      assert.is_true(ma.array_equal(ma.arange(0, -0.75 * n, -0.75, "float64"), places * -0.75))
    end
  end)

  it("copies what is larger than the caches in every direction", function()
    local n = 1500
    local a = ma.arange(n * n, { dtype = "float64" }):reshape(n, n)
    local row = ma.arange(n, { dtype = "float64" })
    local down, along = row:reshape(n, 1), row:reshape(1, n)
    local function same(copied, rows, columns)
      assert.is_true(ma.array_equal(copied:copy(), rows * n + columns))
    end
    same(a, down, along)
    same(a:flip(1), n - 1 - down, along)
    same(a:flip(2), down, n - 1 - along)
    same(a:flip(), n - 1 - down, n - 1 - along)
    same(a:transpose(), along, down)
    same(a["2:, 2:"], 1 + down["1:-2"], 1 + along[":, 1:-2"])
    local twice = ma.repeat_(ma.arange(2 ^ 21 + 3, { dtype = "float64" }), 2)
    assert.is_true(ma.array_equal(twice[{ { 2, -1, 2 } }]:copy(), ma.arange(2 ^ 21 + 3, { dtype = "float64" })))
    assert.is_true(ma.all(ma.zeros(2 ^ 21 + 5):eq(0)) and ma.all(ma.full(2 ^ 21 + 5, 1.5):eq(1.5)))
  end)

  it("says what is wrong", function()
    local function message(...) return helper.fails(...) end
    assert.matches("moonarray.eye: N is %-1; wanted a whole number from 0 on", message(ma.eye, -1))
    assert.matches("moonarray.eye: M is 1.5; wanted a whole number", message(ma.eye, 2, 1.5))
    assert.matches("moonarray.geomspace: from %-1 to 2; two numbers of one sign", message(ma.geomspace, -1, 2))
    assert.matches("moonarray.diag: 3 axes; one or two", message(ma.diag, ma.zeros({ 1, 1, 1 })))
    assert.matches("moonarray.tril: a 0%-d array; at least one axis", message(ma.tril, 3))
    assert.matches("moonarray.meshgrid: 'yx' for indexing; 'xy' or 'ij'",
      message(ma.meshgrid, { 1 }, { indexing = "yx" }))
    assert.matches("moonarray.mgrid: argument 1; a range", message(ma.mgrid, 3))
    -- 2^63 bytes, and 2^64, which would wrap to none
    assert.matches("63 bits", message(ma.empty, { 2 ^ 60 }, "float64"))
    assert.matches("63 bits", message(ma.empty, { 2 ^ 61 }, "float64"))
    assert.matches("63 bits", message(ma.empty, { 2 ^ 32, 2 ^ 32 }, "uint8"))
    assert.matches("no option 'typ'", message(ma.eye, 2, { typ = "int8" }))
  end)
end)
