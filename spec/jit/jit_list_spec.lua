--- ma.list and jit.append: the items' order beside loops in Lua, counts that stay on the device, lists that are full.

local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit
local fails = helper.fails_with

local function host(list) return list:array():get():totable() end

local function random(n, low, high) return ma.random.default_rng(3):integers(low, high, n):astype("int32") end

--- What an append of x[i] items for each element gives.
local function expected(x)
  local list = {}
  for i, count in ipairs(x:get():totable()) do
    for j = 1, count do list[#list + 1] = i * 10 + j end
  end
  return list
end

local several = jit.rawkernel(function(x, found, seen)
  local i = jit.grid(1)
  if i <= #x then
    seen[i] = seen[i] + 1
    for j = 1, x[i] do jit.append(found, i * 10 + j) end
  end
end, { name = "several" })

describe("jit.append", function()
  it("keeps the order of elements, and of the items of one element", function()
    local n = 5000
    local x, seen = random(n, 0, 4), ma.zeros(n, "int32")
    local found, want = ma.list(20000, "int32"), expected(x)
    for round = 1, 2 do
      several(math.ceil(n / 128), 128, { x, found, seen })
      assert.are.equal(round * #want, found:count())
      assert.is_true(ma.array_equal(seen, ma.full(n, round, "int32")))        -- the kernel ran once
    end
    local got = host(found)
    for k, item in ipairs(want) do assert.are.same({ item, item }, { got[k], got[#want + k] }) end
  end)

  it("has the same items in any order where the order is free", function()
    local n = 3000
    local x, seen = random(n, 0, 4), ma.zeros(n, "int32")
    local found, want = ma.list(20000, "int32", { ordered = false }), expected(x)
    several(math.ceil(n / 64), 64, { x, found, seen })
    local got = host(found)
    table.sort(got)
    assert.are.same(want, got)
  end)

  it("counts the threads of a grid of two axes along x first", function()
    local k = jit.rawkernel(function(w, h, found)
      local x, y = jit.grid(2)
      if x <= w and y <= h then jit.append(found, (y - 1) * w + x) end
    end)
    local found = ma.list(1000, "int64")
    k({ 3, 5 }, { 8, 4 }, { 21, 18, found })
    local got = host(found)
    assert.are.equal(21 * 18, #got)
    for i, item in ipairs(got) do assert.are.equal(i, item) end
  end)

  it("works in strided loops, device functions and functions inside", function()
    local put = jit.device(function(l, v) if v > 0 then jit.append(l, v) end end)
    local k = jit.rawkernel(function(v, l, o)
      local function keep(i) jit.append(o, i) end
      for i = jit.grid(1), #v, jit.gridsize(1) do
        put(l, v[i])
        if v[i] == 0 then keep(i) end
      end
    end, { check = false })
    local x = ma.array({ 3, 0, -1, 5, 0, 2 }, "int16")
    local found, other = ma.list(9, "float16"), ma.list(9, "int32", { ordered = false })
    k(1, 3, { x, found, other })
    assert.are.same({ 3, 5, 2 }, host(found))                    -- a thread's items come together: 1 and 4, 2 and 5
    local places = host(other)
    table.sort(places)
    assert.are.same({ 2, 5 }, places)
  end)

  it("takes every dtype", function()
    for _, dtype in ipairs(helper.dtypes) do
      local text = dtype == "bool" and "function(found, x) jit.append(found, x[jit.grid(1)] > 4) end"
        or "function(found, x) jit.append(found, x[jit.grid(1)]) end"
      local x, found = ma.array { 3, 5, 7 }, ma.list(4, dtype)
      jit.rawkernel(text)(1, 3, { found, x })
      assert.are.equal(dtype, found:array().dtype)
      assert.is_true(ma.array_equal(found:array(), dtype == "bool" and x:gt(4) or x:astype(dtype)), dtype)
    end
  end)

  it("is called by functions of elements", function()
    local pick = jit.elementwisekernel(function(x, found)
      if x > 2 then
        jit.append(found, jit.grid(1))
        jit.append(found, -x)
      end
      return x + 1
    end)
    local found = ma.list(10, "int32")
    local y = pick(ma.array({ 1, 3, 5, 2, 9 }, "int32"), found)
    assert.are.same({ 2, -3, 3, -5, 5, -9 }, host(found))
    assert.are.same({ 2, 4, 6, 3, 10 }, y:get():totable())
    for _, check in ipairs { true, false } do
      local declared = jit.elementwisekernel("function(x, found) jit.append(found, x) end",
        { in_params = "T x", out_params = "raw T found", check = check })
      found:clear()
      declared(ma.arange(4, "int32"), found)
      assert.are.same({ 0, 1, 2, 3 }, host(found))
      declared(ma.zeros(0, "int32"), found:clear())            -- no elements
      assert.are.equal(0, found:count())
      fails("item 11 of a list", declared, ma.arange(11, "int32"), found:clear())
    end
  end)

  it("is called by functions of vectors", function()
    local move = jit.elementwisekernel([[function(p, v, fallen)
      local q = p + v
      if q.y < 0 then jit.append(fallen, jit.grid(1)) end
      return q
    end]], { in_params = "vec2 p, vec2 v, raw int64 fallen", out_params = "vec2 q" })
    local fallen = ma.list(5, "int64")
    move(ma.array { { 1, 2 }, { 3, 4 }, { 5, 6 } }, ma.array { { 0, -3 }, { 1, 1 }, { 0, -8 } }, fallen)
    assert.are.same({ 1, 3 }, host(fallen))
    fails("beside vectors", jit.elementwisekernel("function(p, l) return p * l end",
      { in_params = "vec2 p, int64 l", out_params = "vec2 q" }), ma.ones { 5, 2 }, fallen)
  end)

  it("is called by kernels that have the name of a helper", function()
    local found = ma.list(4, "int32")
    jit.rawkernel(function(x, l) jit.append(l, x[jit.grid(1)]) end, { name = "step" })(1, 3,
      { ma.array({ 4, 5, 6 }, "int32"), found })
    assert.are.same({ 4, 5, 6 }, host(found))
  end)

  it("is refused where there is no list, or one that is read", function()
    local found, x = ma.list(3, "int32"), ma.zeros(3)
    fails("the first argument of 'append' is an array", jit.rawkernel(function(l) jit.append(l, 1) end), 1, 1, { x })
    fails("'append' of a boolean to a list of int32", jit.rawkernel(function(l) jit.append(l, true) end), 1, 1,
      { found })
    fails("the kernel also reads; wanted two lists", jit.rawkernel(function(l) jit.append(l, #l) end), 1, 1, { found })
    fails("one list twice", jit.rawkernel(function(l, m) jit.append(l, #m) end), 1, 1, { found, found })
    fails("available in a kernel alone", jit.append, found, 1)
    fails("plain of whole arrays, lists or objects", jit.elementwisekernel,
      function(v, l) jit.append(l, v) end, { plain = true })
    fails("is a list; wanted an array", jit.elementwisekernel(function(v) return v end, { plain = true }), found)
    fails("wanted an array", ma.jit.reductionkernel { reduce = "function(a, b) return a + b end" }, found)
    assert.are.equal(0, found:count())
  end)
end)

describe("a list", function()
  local fill = jit.rawkernel(function(n, found)
    local i = jit.grid(1)
    if i <= n then jit.append(found, i) end
  end, { name = "fill" })

  local function filled(n, capacity, options)
    local list = ma.list(capacity or 10, "int32", options)
    fill(1, 32, { n, list })
    return list
  end

  it("is read by kernels, which see how many items there are", function()
    local list, out = filled(4), ma.zeros(10, "int32")
    local k = jit.rawkernel(function(l, y)
      for i = jit.grid(1), #l, jit.gridsize(1) do y[i] = l[i] + 10 * l.size end
    end)
    k(1, 3, { list, out })
    assert.are.same({ 41, 42, 43, 44, 0, 0, 0, 0, 0, 0 }, out:get():totable())
    local gather = jit.elementwisekernel("function(i, x) return #x * 10 + x[i] end",
      { in_params = "T i, raw T x" })
    assert.are.same({ 44, 42 }, gather(ma.array({ 4, 2 }, "int32"), list):get():totable())
  end)

  it("is written by kernels at its items", function()
    local list = filled(3)
    jit.rawkernel(function(l)
      local i = jit.grid(1)
      if i <= #l then l[i] = l[i] * 2 end
    end)(1, 8, { list })
    assert.are.same({ 2, 4, 6 }, host(list))
  end)

  it("gives lists where a kernel runs over its items", function()
    local list = filled(5)
    local twice, half = jit.elementwisekernel(function(v) return v * 2, v / 2 end)(list)
    assert.are.same({ 2, 4, 6, 8, 10 }, host(twice))
    assert.are.same({ 0.5, 1, 1.5, 2, 2.5 }, host(half))
    local sums = jit.elementwisekernel(function(v, w, k) return v + w * k end)(twice, filled(3), 100)
    assert.are.same({ 102, 204, 306 }, host(sums))              -- as many as the shorter one
    local rest = ma.list(10, "int32")
    jit.elementwisekernel(function(v, l) if v % 2 == 1 then jit.append(l, v) end end)(list, rest)
    assert.are.same({ 1, 3, 5 }, host(rest))
    fails("what comes of the items of a list is a new list", jit.elementwisekernel(function(v) return v end), list,
      { out = ma.zeros(10, "int32") })
    fails("has room for 10 items", jit.elementwisekernel(function(v, w) return v + w end), list, ma.ones { 3, 10 })
  end)

  it("says that it was full, at the next wait, and takes items again when it is cleared", function()
    for _, ordered in ipairs { true, false } do
      local list = ma.list(10, "int32", { ordered = ordered })
      fails("moonarray.jit.fill: item 11 of a list at line", fill, 1, 32, { 12, list })
      assert.is_true(list:overflowed():item())
      assert.are.equal(10, list:count())
      assert.are.equal(10, list:array().size)
      list:clear()
      assert.are.same({ false, 0 }, { list:overflowed():item(), list:count() })
      fill(1, 32, { 10, list })
      assert.is_false(list:overflowed():item())
      local got = host(list)
      table.sort(got)
      assert.are.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, got)
    end
  end)

  it("is filled and read by replays of a graph", function()
    local x, list = ma.array({ 1, 5, 2, 7 }, "int32"), ma.list(4, "int32")
    local pick = jit.elementwisekernel(function(v, l) if v > 2 then jit.append(l, v) end end)
    local twice = jit.elementwisekernel(function(v) return v * 2 end)
    local step = ma.cuda.graph(function()
      list:clear()
      pick(x, list)
      return twice(list), list:overflowed()
    end)
    local doubled, full = step()
    assert.are.same({ { 5, 7 }, { 10, 14 } }, { host(list), host(doubled) })
    x:assign(x + 2)
    step()
    assert.are.same({ { 3, 7, 4, 9 }, { 6, 14, 8, 18 } }, { host(list), host(doubled) })
    assert.is_false(full:item())
    step:free()
  end)

  it("uses no more memory after a thousand steps", function()
    local x, list = random(50, 0, 3), ma.list(200, "int32")
    local seen = ma.zeros(50, "int32")
    local function step()
      list:clear()
      several(1, 64, { x, list, seen })
    end
    local pool = ma.get_default_memory_pool()
    step()
    collectgarbage()
    collectgarbage()
    local before = pool:used_bytes()
    for _ = 1, 1000 do step() end
    collectgarbage()
    collectgarbage()
    assert.are.equal(before, pool:used_bytes())
    assert.are.same(expected(x), host(list))
  end)

  it("has fields, and refuses wrong arguments", function()
    local list = ma.list(3, "float32", { ordered = false })
    assert.are.same({ 3, "float32", false }, { list.capacity, list.dtype, list.ordered })
    assert.are.equal("list of at most 3 items, float32, " .. helper.device, tostring(list))
    assert.are.equal(0, list:count())
    fails("capacity is 0", ma.list, 0)
    fails("capacity is 1.5", ma.list, 1.5)
    fails("dtype", ma.list, 3, "flot")
    fails("ordered", ma.list, 3, "int32", { ordered = 1 })
    fails("no", function() return list.length end)
    fails("write object:count", list.count)
    assert.error_matches(function() return list + 1 end, "list")
  end)
end)
