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
