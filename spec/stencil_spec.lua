-- ma.stencil, against a walk over all positions in plain Lua.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- as large fields are
local count = require("spec.fusion_helper").count
local ma = helper.ma

local device = helper.device or ma.zeros(1).device
local random = math.random

local rules = { "wrap", "constant", "nearest", "reflect", "mirror", "leave" }

--- What a rule says of position p of 1 .. n, walking there step by step; nil: the constant.
local function place(rule, p, n)
  if p >= 1 and p <= n then return p end
  if rule == "constant" then return nil end
  if rule == "nearest" then return p < 1 and 1 or n end
  if rule == "wrap" then
    while p < 1 do p = p + n end
    while p > n do p = p - n end
    return p
  end
  if n == 1 then return 1 end
  local turn = rule == "reflect" and 1 or 0        -- reflect repeats the last element, mirror does not
  while p < 1 or p > n do
    if p < 1 then p = 2 - turn - p else p = 2 * n + turn - p end
  end
  return p
end

--- The positions of a shape, each a table, in C order.
local function positions(shape)
  local list, at = {}, {}
  local function walk(d)
    if d > #shape then
      list[#list + 1] = { unpack(at, 1, #shape) }
      return
    end
    for p = 1, shape[d] do
      at[d] = p
      walk(d + 1)
    end
  end
  walk(1)
  return list
end

--- fn over fields that are flat tables; the results as flat tables.
local function walk(fn, fields, shape, boundary, value, nout)
  local stride, results = {}, {}
  local n = 1
  for d = #shape, 1, -1 do
    stride[d] = n
    n = n * shape[d]
  end
  for k = 1, nout do results[k] = {} end
  local function rule(d) return type(boundary) == "table" and boundary[d] or boundary end
  for which, at in ipairs(positions(shape)) do
    local outside = false
    local accessors = {}
    for k, field in ipairs(fields) do
      accessors[k] = function(...)
        local index, offset = 1, { ... }
        local constant = false
        for d = 1, #shape do
          local p = at[d] + offset[d]
          if p < 1 or p > shape[d] then outside = true end
          local q = place(rule(d) == "leave" and "nearest" or rule(d), p, shape[d])
          if q then index = index + (q - 1) * stride[d] else constant = true end
        end
        return constant and value or field[index]
      end
    end
    local got = { fn(unpack(accessors)) }
    for k = 1, nout do
      results[k][which] = outside and rule(1) == "leave" and fields[k][which] or got[k]
    end
  end
  return results
end

local function random_field(shape, dtype)
  local n, values = 1, {}
  for _, extent in ipairs(shape) do n = n * extent end
  for k = 1, n do values[k] = random(-8, 8) end
  local array = ma.array(values, { dtype = dtype, device = device })
  return array:reshape(shape), values
end

local function same(result, want, note)
  local got = result:ravel():totable()
  assert.equal(#want, #got, note)
  for k = 1, #want do
    assert(got[k] == want[k], ("%s: element %d is %s, not %s"):format(note, k, tostring(got[k]), tostring(want[k])))
  end
end

describe("stencil", function()
  it("is what a walk over the positions gives, for every rule", function()
    for _ = 1, 120 do
      local ndim, nfield, shape, offsets = random(1, 3), random(1, 2), {}, {}
      for d = 1, ndim do shape[d] = random(1, 7) end
      for k = 1, random(1, 5) do
        offsets[k] = { field = random(1, nfield), by = {}, factor = random(-3, 3) }
        for d = 1, ndim do offsets[k].by[d] = random(-3, 3) end
      end
      local function fn(...)
        local u, sum = { ... }, 0
        for _, o in ipairs(offsets) do sum = o.factor * u[o.field](unpack(o.by)) + sum end
        return sum
      end
      local boundary = rules[random(#rules)]
      if random(3) == 1 and boundary ~= "leave" then
        boundary = {}
        for d = 1, ndim do boundary[d] = rules[random(5)] end
      end
      local value = random(-5, 5)
      local fields, values = {}, {}
      for k = 1, nfield do fields[k], values[k] = random_field(shape, random(2) == 1 and "float64" or "int32") end
      local note = ("shape %s, rule %s"):format(table.concat(shape, "x"),
        type(boundary) == "table" and table.concat(boundary, " ") or boundary)
      local s = ma.stencil(fn, { boundary = boundary, value = value })
      same(s(unpack(fields)), walk(fn, values, shape, boundary, value, 1)[1], note)
    end
  end)

  it("takes views, gives several results, and writes to out", function()
    local function fn(u, v) return u(0, 0) + v(1, 0), u(0, -1) * v(0, 0) end
    local big, flat = random_field({ 12, 10 }, "float64")
    local view = big["::2, 10:1:-1"]
    local values = {}
    for i = 1, 6 do
      for j = 1, 10 do values[#values + 1] = flat[(2 * i - 2) * 10 + 11 - j] end
    end
    local s = ma.stencil(fn, { boundary = { "wrap", "mirror" }, out = 2 })
    local other, others = random_field({ 6, 10 }, "float64")
    local want = walk(fn, { values, others }, { 6, 10 }, { "wrap", "mirror" }, 0, 2)
    local sum, product = s(view, other)
    same(sum, want[1], "sum")
    same(product, want[2], "product")
    local outs = { ma.full({ 6, 10 }, 99, { dtype = "float32", device = device }),
      ma.full({ 6, 10 }, 99, { dtype = "float64", device = device }) }
    local first = s(view, other, { out = outs })
    assert.equal(outs[1], first)
    same(outs[1], want[1], "out 1")
    same(outs[2], want[2], "out 2")
  end)

  it("keeps the dtype that the operators give, and takes numbers and 0-d arrays from outside", function()
    local factor = ma.array(0.5, { dtype = "float32", device = device })
    local s = ma.stencil(function(u) return factor * (u(-1) + u(1)) end, { boundary = "wrap" })
    local u = ma.array({ 1, 2, 3, 4 }, { dtype = "float32", device = device })
    assert.equal("float32", s(u).dtype)
    same(s(u), { 3, 2, 3, 2 }, "first")
    factor:assign(1)
    same(s(u), { 6, 4, 6, 4 }, "the factor as it is now")
    local constant = ma.stencil(function() return 7 end)
    same(constant(u), { 7, 7, 7, 7 }, "a number")
  end)

  it("runs many steps as if each were called, and leaves the fields alone", function()
    local function fn(u, v) return u(1, 0) - v(0, 0), u(0, 1) * 0.5 + v(-1, 0) end
    for _, boundary in ipairs(rules) do
      local s = ma.stencil(fn, { boundary = boundary, out = 2, value = 1 })
      local u, v = (random_field({ 9, 8 }, "float32")), (random_field({ 9, 8 }, "float32"))
      local before = u:copy()
      for _, steps in ipairs { 0, 1, 2, 5, 12, 13 } do
        local a, b = u, v
        for _ = 1, steps do a, b = s(a, b) end
        local x, y = s:run(u, v, { steps = steps })
        assert(ma.array_equal(x, a) and ma.array_equal(y, b), ("%s, %d steps"):format(boundary, steps))
      end
      assert(ma.array_equal(u, before))
    end
  end)

  it("has results of no elements for fields of none", function()
    local s = ma.stencil(function(u) return u(1, 0) end, { boundary = "wrap" })
    assert.same({ 0, 4 }, s(ma.zeros({ 0, 4 }, { device = device })).shape)
    assert.same({ 3, 0 }, s(ma.zeros({ 3, 0 }, { device = device })).shape)
  end)

  it("says what is wrong", function()
    local u = ma.zeros({ 3, 4 }, { device = device })
    local s = ma.stencil(function(x) return x(0, 1) end)
    local function wrong(text, f, ...)
      local ok, message = pcall(f, ...)
      assert(not ok and message:find("moonarray.stencil: " .. text, 1, true), tostring(message))
    end
    wrong("fn is", ma.stencil, 3)
    wrong("boundary is \"warp\"", ma.stencil, print, { boundary = "warp" })
    wrong("boundary is an empty table", ma.stencil, print, { boundary = {} })
    wrong("boundary \"leave\" on some axes", ma.stencil, print, { boundary = { "leave", "wrap" } })
    wrong("out is 0", ma.stencil, print, { out = 0 })
    wrong("value is", ma.stencil, print, { value = "x" })
    wrong("no field", s)
    wrong("field 1 is", s, 3)
    wrong("field 2 has shape (4, 3)", s, u, ma.zeros({ 4, 3 }, { device = device }))
    wrong("field 1 has 4 axes", s, ma.zeros({ 1, 1, 1, 1 }, { device = device }))
    wrong("a neighbour by 2 offsets", s, ma.zeros({ 4 }, { device = device }))
    wrong("offset 1 is 0.5", ma.stencil(function(x) return x(0.5) end), ma.zeros({ 4 }, { device = device }))
    wrong("the function gave 1 results; wanted out = 2", ma.stencil(function(x) return x(0, 0) end, { out = 2 }), u)
    wrong("result 1 of the function is", ma.stencil(function() return "x" end), u)
    wrong("out 1 shares memory with field 1", s, u, { out = u })
    wrong("out 1 has shape (4, 3)", s, u, { out = ma.zeros({ 4, 3 }, { device = device }) })
    wrong("no option into", s, u, { into = u })
    wrong("2 boundaries for fields of 1 axes", ma.stencil(function(x) return x(0) end,
      { boundary = { "wrap", "wrap" } }), ma.zeros({ 4 }, { device = device }))
    wrong("boundary \"leave\" with 2 results of 1 fields",
      ma.stencil(function(x) return x(0), x(1) end, { boundary = "leave", out = 2 }),
        ma.zeros({ 4 }, { device = device }))
    wrong("run with 2 fields and 1 results", s.run, s, u, u, { steps = 2 })
    wrong("steps is -1", s.run, s, u, { steps = -1 })
    local wider = ma.stencil(function(x) return x(0) * 0.5 end)
    wrong("result 1 is float64 of a int32 field", wider.run, wider,
      ma.zeros({ 4 }, { dtype = "int32", device = device }), { steps = 2 })
    wrong("no method go", function() return s.go end)
  end)

  it("computes the interior by one kernel", function()
    local u = ma.ones({ 200, 200 }, { dtype = "float32", device = device })
    local s = ma.stencil(function(x)
      return x(0, 0) + 0.1 * (x(1, 0) + x(-1, 0) + x(0, 1) + x(0, -1) - 4 * x(0, 0))
    end, { boundary = "leave" })
    local step = function() s(u):eval() end
    step()
    local most = 5                     -- and one copy for each edge
    local n = count(step)
    assert(n >= 1 and n <= most, n)
  end)
end)
