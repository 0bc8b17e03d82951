-- ma.stencil, against a walk over all positions in plain Lua.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- as large fields are
local work = require "spec.fusion.fusion_helper"
local ma = helper.ma

local device = helper.device or ma.zeros(1).device
local random, floor = math.random, math.floor

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
  -- Kernels of a GPU are its subject, not what runs until they are there (background_spec.lua).
  setup(function() helper.core.compile_at_once(true) end)
  teardown(function() helper.core.compile_at_once(false) end)

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
    same(ma.stencil("function(x) return x(1) - x(0) end", { boundary = "wrap" })(u), { 1, 1, 1, -3 }, "a text")
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

  it("keeps no memory of a run but its results", function()
    local pool = ma.get_default_memory_pool(device)
    local u = random_field({ 300, 200 }, "float32")
    for k, fn in ipairs { function(x) return x(1, 0) + x(0, 0) end, function(x) return x(1, 0):cumsum(2) end } do
      local s = ma.stencil(fn, { boundary = "wrap" })
      for _, steps in ipairs { 0, 1, 2, 3, 70 } do
        s:run(u, { steps = steps }):free()
        ma.synchronize()
        collectgarbage()
        collectgarbage("stop")
        local before, x = pool:used_bytes(), s:run(u, { steps = steps })
        ma.synchronize()
        local after = pool:used_bytes() - before
        collectgarbage("restart")
        assert(not ma.may_share_memory(x, u))
        assert(k == 2 or after < 2 * u.nbytes, ("%d steps hold %d bytes"):format(steps, after))
        x:free()
      end
    end
  end)

  it("has results of no elements for fields of none", function()
    local s = ma.stencil(function(u) return u(1, 0) end, { boundary = "wrap" })
    assert.same({ 0, 4 }, s(ma.zeros({ 0, 4 }, { device = device })).shape)
    assert.same({ 3, 0 }, s(ma.zeros({ 3, 0 }, { device = device })).shape)
    for _, boundary in ipairs(rules) do
      local by_arrays = ma.stencil(function(u) return u(1, -1):cumsum(2) + u(-1, 0) end, { boundary = boundary })
      assert.same({ 0, 4 }, by_arrays(ma.zeros({ 0, 4 }, { device = device })).shape)
      assert.same({ 3, 0 }, by_arrays(ma.zeros({ 3, 0 }, { device = device })).shape)
    end
  end)

  it("says what is wrong", function()
    local u = ma.zeros({ 3, 4 }, { device = device })
    local s = ma.stencil(function(x) return x(0, 1) end)
    local function wrong(text, f, ...)
      local ok, message = pcall(f, ...)
      assert(not ok and message:find("moonarray.stencil: " .. text, 1, true), tostring(message))
    end
    wrong("fn is", ma.stencil, 3)
    wrong("fn is a text that Lua refuses", ma.stencil, "function(")
    wrong("boundary is \"warp\"", ma.stencil, print, { boundary = "warp" })
    wrong("boundary is an empty table", ma.stencil, print, { boundary = {} })
    wrong("boundary \"leave\" on some axes", ma.stencil, print, { boundary = { "leave", "wrap" } })
    wrong("out is 0", ma.stencil, print, { out = 0 })
    wrong("value is", ma.stencil, print, { value = "x" })
    wrong("no field", s)
    wrong("field 1 is", s, 3)
    wrong("field 2 has shape (4, 3)", ma.stencil(function(x, y) return x(0, 1) + y(0, 0) end), u,
      ma.zeros({ 4, 3 }, { device = device }))
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
    wrong("no attribute 'go'; it has captures, prepare, run", function() return s.go end)
  end)

  it("is one launch, edges and all", function()
    local u = ma.ones({ 200, 200 }, { dtype = "float32", device = device })
    for _, boundary in ipairs(rules) do
      local s = ma.stencil(function(x)
        return x(0, 0) + 0.1 * (x(1, 0) + x(-1, 0) + x(0, 1) + x(0, -1) - 4 * x(0, 0))
      end, { boundary = boundary })
      local step = function() s(u):eval() end
      step()
      local most = boundary == "leave" and device == "cpu" and 5 or 1     -- a CPU copies what is left
      assert(work.are_few(work.count(step), most), boundary)
    end
  end)

  -- ma.pad's names of the rules, which take the same elements
  local pads = { constant = "constant", wrap = "wrap", nearest = "edge", reflect = "symmetric", mirror = "reflect" }

  --- What views of padded fields give. reach: how far the function looks.
  local function by_views(fn, fields, boundary, value, reach)
    local padded, shape = {}, fields[1].shape
    for k, field in ipairs(fields) do
      padded[k] = ma.pad(field, reach, pads[boundary], boundary == "constant" and { constant_values = value } or {})
    end
    local accessors = {}
    for k = 1, #fields do
      accessors[k] = function(...)
        local view = {}
        for d, offset in ipairs { ... } do view[d] = { 1 + reach + offset, reach + offset + shape[d] } end
        return padded[k][view]
      end
    end
    return fn(unpack(accessors))
  end

  local functions = {
    function(u) return u(0) * u(-1) + u(2) end,
    function(u) return u(0, 0) * u(-1, 0) + u(0, 2) + u(1, -1) end,
    function(u) return u(0, 0, 0) * u(-1, 0, 0) + u(0, 1, 0) + u(0, 0, 2) + u(1, -1, 0) end,
  }

  it("has every dtype, in fields of short and long rows", function()
    local shapes = { { 40 }, { 5000 }, { 9, 21 }, { 130, 33 }, { 7, 1100 }, { 9, 8, 19 }, { 3, 70, 40 }, { 4, 3, 500 } }
    local on_cpu = device == "cpu"
    for n, dtype in ipairs(helper.dtypes) do
      for k, shape in ipairs(shapes) do
        if on_cpu or (k + n) % 4 == 0 or helper.long then
          local boundary = rules[1 + (n + k) % 3]
          local u = random_field(shape, "int8"):astype(dtype)
          local fn = functions[#shape]
          local got = ma.stencil(fn, { boundary = boundary, value = 1 })(u)
          local want = by_views(fn, { u }, boundary, 1, 2)
          assert.equal(want.dtype, got.dtype)
          assert(ma.array_equal(want, got), ("%s of %s, %s"):format(dtype, table.concat(shape, "x"), boundary))
        end
      end
    end
  end)

  it("divides large fields as small ones", function()
    local shapes = { { 700000 }, { 1024, 640 }, { 803, 701 }, { 3, 400000 }, { 90000, 7 }, { 90, 80, 81 },
      { 5, 330, 350 } }
    for k, shape in ipairs(shapes) do
      local u = random_field({ 1000 }, "float32"):take(ma.arange(1, ma.zeros(shape).size + 1, 1,
        { dtype = "int64", device = device }) % 997 + 1):reshape(shape)
      local fn, boundary = functions[#shape], rules[1 + k % 5]
      if boundary ~= "leave" then
        local got = ma.stencil(fn, { boundary = boundary, value = 3 })(u)
        assert(ma.array_equal(by_views(fn, { u }, boundary, 3, 2), got), table.concat(shape, "x") .. boundary)
      end
    end
    local u = ma.arange(0, 900 * 901, 1, { dtype = "float32", device = device }):reshape(900, 901)
    local fn = function(x) return x(0, 0) * 2 - x(0, 1) end
    for _, view in ipairs { u["2:, 2:"], u["::2, ::-1"], u.T, u["1:, 1:899:2"] } do
      local got = ma.stencil(fn, { boundary = "wrap" })(view)
      assert(ma.array_equal(view * 2 - ma.roll(view, -1, 2), got))
      local left = ma.stencil(fn, { boundary = "leave" })(view)
      assert(ma.array_equal(left[":, :-2"], got[":, :-2"]) and ma.array_equal(left[":, -1"], view[":, -1"]))
      local big = ma.zeros({ view.shape[1], 2 * view.shape[2] }, { dtype = "float64", device = device })
      local out = big[":, ::2"]
      ma.stencil(fn, { boundary = "wrap" })(view, { out = out })
      assert(ma.array_equal(got:astype("float64"), out) and big[":, 2::2"]:sum():item() == 0)
    end
  end)

  it("sees values from outside as they are at the call", function()
    local factor, flag, still = 2, true, ma.array(10, { dtype = "float32", device = device })
    local own = { weight = ma.array(1, { dtype = "float32", device = device }) }
    local function twice(x) return factor * x end
    local s = ma.stencil(function(x)
      local sum = twice(x(0)) + x(1)
      return (flag and sum + still or sum - still) * own.weight
    end, { boundary = "wrap" })
    local u = ma.array({ 1, 2, 3 }, { dtype = "float32", device = device })
    same(s(u), { 14, 17, 17 }, "first")
    same(s(u), { 14, 17, 17 }, "again")
    factor = 3
    same(s(u), { 15, 19, 20 }, "a number that a helper uses")
    flag = false
    same(s(u), { -5, -1, 0 }, "a boolean")
    still:assign(0)
    same(s(u), { 5, 9, 10 }, "an array's new value")
    still = ma.array(1, { dtype = "float32", device = device })
    same(s(u), { 4, 8, 9 }, "another array")
    own.weight = ma.array(2, { dtype = "float32", device = device })
    same(s(u), { 8, 16, 18 }, "an array in a table")
    local there = ma.array({ 100, 200, 300 }, { dtype = "float32", device = device })
    local beside = ma.stencil(function(x) return x(-1) + there end, { boundary = "nearest" })
    same(beside(u), { 101, 201, 302 }, "an array of the field's shape")
  end)

  it("has as many neighbours, numbers and operations as a program, and more", function()
    local function rule(n)
      return function(x)
        local sum = x(0, 0)
        for k = 1, n do
          local one = x(k % 5 - 2, floor(k / 5) % 5 - 2)
          if k % 3 == 0 then sum = one - sum elseif k < 24 then sum = sum + k % 16 * one else sum = sum + one end
        end
        return sum
      end
    end
    local u, values = random_field({ 6, 5 }, "int32")
    for _, n in ipairs { 10, 16, 17, 24, 112, 113, 114, 250 } do
      for _, boundary in ipairs { "wrap", "constant" } do
        same(ma.stencil(rule(n), { boundary = boundary, value = 4 })(u),
          walk(rule(n), { values }, { 6, 5 }, boundary, 4, 1)[1], n .. boundary)
      end
    end
  end)

  it("runs functions that are no single program", function()
    local function wide(x)
      local sum = x(0, 0)
      for i = -2, 2 do
        for j = -3, 2 do sum = sum + (i + 3 * j) * x(i, j) end
      end
      return sum
    end
    local u, values = random_field({ 6, 5 }, "int32")
    for _, boundary in ipairs(rules) do
      local s = ma.stencil(wide, { boundary = boundary, value = 4 })
      same(s(u), walk(wide, { values }, { 6, 5 }, boundary, 4, 1)[1], boundary)
      local out = ma.zeros({ 6, 5 }, { dtype = "int32", device = device })
      assert.equal(out, s(u, { out = out }))
      same(out, walk(wide, { values }, { 6, 5 }, boundary, 4, 1)[1], boundary)
      assert(ma.array_equal(s:run(u, { steps = 3 }), s(s(s(u)))))
    end
    local s = ma.stencil(wide)
    assert.equal("moonarray stencil of 1 result", tostring(s))
    s(u)
    assert.equal("moonarray stencil of 1 result, by array operations: 60 instructions over 30 arrays and 20 "
      .. "scalars; a program has at most 128, 25 and 16", tostring(s))
    local long = ma.stencil(function(x)
      local sum = x(0, 0)
      for _ = 1, 65 do sum = x(0, 1) - (sum + x(0, 1)) end
      return sum
    end)
    same(long(ma.ones({ 1, 2 }, { dtype = "int32", device = device })), { -1, -1 }, "130 operations")
    assert.matches(helper.compiles and "as C%+%+: 130 instructions over 2 arrays and 0 scalars; .* at most 128, 25 "
      .. "and 16$" or "by array operations: no kernel stencil is compiled for ", tostring(long))
    local five = ma.stencil(function(x) return x(0), x(1), x(-1), x(2), x(-2) end, { out = 5, boundary = "wrap" })
    local results = { five(ma.arange(1, 6, 1, { dtype = "int32", device = device })) }
    same(results[5], { 4, 5, 1, 2, 3 }, "the fifth result")
    local function is_wrong(text, f, ...)
      local ok, message = pcall(f, ...)
      assert(not ok and message:find("moonarray.stencil: " .. text, 1, true), tostring(message))
    end
    is_wrong("result 1 is float64 of a int32 field", function()
      local half = ma.stencil(function(x) return wide(x) * 0.5 end)
      half:run(u, { steps = 2 })
    end)
    is_wrong("out 1 shares memory with field 1", ma.stencil(wide), u, { out = u })
  end)

  it("has fields smaller than the reach, and a reach that is large", function()
    for _, boundary in ipairs(rules) do
      for _, shape in ipairs { { 1, 1 }, { 2, 3 }, { 1, 50 } } do
        local function far(x) return x(0, 0) + 2 * x(-7, 9) - x(11, -4) + 5 * x(0, 40) end
        local u, values = random_field(shape, "float64")
        local note = boundary .. table.concat(shape, "x")
        local got = ma.stencil(far, { boundary = boundary, value = 2 })(u)
        same(got, walk(far, { values }, shape, boundary, 2, 1)[1], note)
      end
    end
    local u = ma.arange(0, 10000, 1, { dtype = "float32", device = device })
    local s = ma.stencil(function(x) return x(-4000) - x(4096) end, { boundary = "wrap" })
    assert(ma.array_equal(ma.roll(u, 4000) - ma.roll(u, -4096), s(u)))
    local plane = u:reshape(100, 100)
    local t = ma.stencil(function(x) return x(-90, 70) - x(3, -2000) end, { boundary = "wrap" })
    assert(ma.array_equal(ma.roll(plane, { 90, -70 }, { 1, 2 }) - ma.roll(plane, { -3, 2000 }, { 1, 2 }), t(plane)))
  end)

  it("runs steps by a graph where there are many", function()
    local function fn(u, v) return 0.5 * (u(1, 0) + v(0, 0)), v(0, -1) - 0.25 * u(0, 0) end
    local s = ma.stencil(fn, { boundary = "wrap", out = 2 })
    local u, v = (random_field({ 12, 10 }, "float32")), (random_field({ 12, 10 }, "float32"))
    for _, steps in ipairs { 65, 83 } do
      local a, b = u, v
      for _ = 1, steps do a, b = s(a, b) end
      local x, y = s:run(u, v, { steps = steps })
      assert(ma.array_equal(x, a) and ma.array_equal(y, b), tostring(steps))
    end
  end)

  it("refuses results that share memory, and arrays of another shape", function()
    local u = ma.zeros({ 4, 4 }, { device = device })
    local two = ma.stencil(function(x) return x(0, 1), x(1, 0) end, { out = 2 })
    local out = ma.zeros({ 4, 4 }, { device = device })
    local function wrong(text, f, ...)
      local ok, message = pcall(f, ...)
      assert(not ok and message:find("moonarray.stencil: " .. text, 1, true), tostring(message))
    end
    wrong("out 2 shares memory with out 1", two, u, { out = { out, out } })
    wrong("out is 1 arrays; wanted a table of 2 arrays", two, u, { out = { out } })
    wrong("out 2 is the number 3", two, u, { out = { out, 3 } })
    wrong("result 1 of dtype float64; out of dtype int32", ma.stencil(function(x) return x(0, 1) end), u,
      { out = ma.zeros({ 4, 4 }, { dtype = "int32", device = device }) })
    local beside = ma.ones({ 4, 4 }, { device = device })
    local s = ma.stencil(function(x) return x(0, 1) + beside end)
    s(u)
    wrong("an array of shape (4, 4) in the function; wanted (5, 4)", s, ma.zeros({ 5, 4 }, { device = device }))
    wrong("the number 3 in place of the object", s.run, 3)
  end)
end)
