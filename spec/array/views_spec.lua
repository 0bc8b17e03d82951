--- Expressions of shifted views of an array: they run as stencils, with the bits of single operations.

local ma = require "moonarray"
local core = require "moonarray.core"
local device = ma.zeros(1).device

local function field(shape, dtype)
  return (ma.random.default_rng(7):random(shape) * 100 - 50):astype(dtype)
end

--- A star of one element around the middle, whose first axis has the farther neighbours.
local function star(u)
  local function view(axis, first, last)
    local key = {}
    for d = 1, u.ndim do key[d] = d == axis and first .. ":" .. last or "3:-3" end
    return u[table.concat(key, ", ")]
  end
  local middle = view(0)
  local sum = view(1, "", -5) - 3 * middle
  for d = 1, u.ndim do sum = sum + view(d, 2, -4) * 0.5 + view(d, 4, -2) end
  return sum
end

describe("views", function()
  local was
  before_each(function() was = ma.set_fusion(true) end)
  after_each(function() ma.set_fusion(was) end)

  --- Compares with single operations, before a kernel is compiled and afterwards.
  local function check(note, fn, ...)
    local arguments = { ... }
    local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
    ma.set_fusion(false)
    local want = fn(unpack(arguments)):dumps()
    ma.set_fusion(true)
    for k = 1, 2 do
      assert(want == fn(unpack(arguments)):dumps(), ("%s, time %d"):format(note, k))
      core.background(true)
    end
  end

  --- Rows of results begin at odd elements, at pairs and at fours of them.
  it("have the bits of single operations, along every axis", function()
    for _, shape in ipairs { { 731, 743 }, { 740, 762 }, { 520, 1024 }, { 90, 75, 85 }, { 6, 600, 300 },
      { 12000, 50 } } do
      local u = field(shape, "float32")
      check(table.concat(shape, " x "), star, u)
    end
  end)

  it("may be of several fields and dtypes, of wider rows, and beside rows that are repeated", function()
    local u, v = field({ 760, 800 }, "float64"), field({ 760, 800 }, "int16")
    local row, wide = field({ 796 }, "float64"), field({ 760, 811 }, "float64")
    local function two(a, b)
      return a["3:-3, 5:"] * 2 + a[":-5, :-5"] - b["5:, 2:-4"] * row + b["2:-4, 4:-2"] - a["2:-4, 3:-3"]
    end
    check("two dtypes", two, u, v)
    check("wider rows", two, wide[":, 9:-4"], v)
    check("turned rows", two, u[":, ::-1"], v)
    check("transposed", function(a) return star(a.T) end, u)
  end)

  it("may be written to what they read", function()
    local u = field({ 740, 744 }, "float32")
    local want = star(u):copy()
    u["3:-3, 3:-3"] = star(u)
    core.background(true)
    assert(ma.array_equal(want, u["3:-3, 3:-3"]))
    local w = field({ 740, 744 }, "float32")
    w["3:-3, 3:-3"] = star(w)
    assert(ma.array_equal(want, w["3:-3, 3:-3"]))
    assert.equal(device, w.device)
  end)

  it("may begin and end where their memory does", function()
    local flat = field({ 1024 * 600 + 1 }, "float32")
    local a, b, c = flat["1:" .. 1024 * 598]:reshape(598, 1024), flat["1026:" .. 1024 * 599 + 1]:reshape(598, 1024),
      flat["2050:"]:reshape(598, 1024)
    check("to the last element", function() return a * 2 - b + c end)
  end)
end)
