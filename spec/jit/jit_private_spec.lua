--- Private arrays of kernels in Lua: tables of a fixed size, and jit.local_memory.

local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit

local on_cpu = ma.zeros(1).device == "cpu"
local if_checked = (on_cpu or os.getenv "MOONARRAY_CHECK" == "1") and it or pending

local function run(source, n, ...)
  local y = ma.zeros(n)
  jit.rawkernel(source)(1, 1, { y, ... })
  return y:get():totable()
end

local function fails(text, source) helper.fails_with(text, run, source, 4) end

describe("a private array", function()
  it("is read and written, and its type grows with what is assigned", function()
    assert.are.same({ 1, 2.5, 3, 3 }, run([[function(y)
      local t = {1, 2, 3}
      t[2] = t[2] + 0.5
      for i = 1, #t do y[i] = t[i] end
      y[4] = #t
    end]], 4))
    assert.are.same({ 1, 2 }, run([[function(y)
      local b = {true, false}
      if b[1] then y[1] = 1 end
      b[2] = y[1] == 1
      if b[2] then y[2] = 2 end
    end]], 2))
    assert.are.same({ 8 }, run("function(y, x) local t = {x[1], x[2]} y[1] = t[1] + t[2] end", 1,
      ma.array({ 120, -112 }, "int8")))
  end)

  it("may have two axes", function()
    assert.are.same({ 3, 9, 2, 2 }, run([[function(y)
      local m = {{1, 2, 3}, {4, 5, 6}}
      m[2][3] = 9
      y[1], y[2], y[3], y[4] = m[1][3], m[{2, 3}], #m, m.ndim
    end]], 4))
  end)

  it("is the same among other locals", function()
    assert.are.same({ 3, 9, 2, 5 }, run([[function(y)
      local n, m, t = 5, {{1, 2, 3}, {4, 5, 6}}, {0.5, 2}
      m[2][3] = 9
      y[1], y[2], y[3], y[4] = m[1][3], m[{2, 3}], t[2], n
    end]], 4))
    fails("position 3 on axis 1 of a private array; wanted 1..2", "function(y) local n, t = 1, {1, 2} t[3] = n end")
    fails("'t' stands for an array", "function(y) local n, t = 1, {1, 2} t = {2} end")
    fails("a table without elements", "function(y) local n, t = 1, {} y[1] = t[1] end")
  end)

  it("is new each time, and one of its own for each thread", function()
    assert.are.same({ 1, 1, 1 }, run([[function(y)
      for i = 1, 3 do
        local t = {0, 0}
        t[1] = t[1] + 1
        y[i] = t[1]
      end
    end]], 3))
    local x, y = ma.arange(300), ma.zeros(300)
    jit.rawkernel(function(a, b)
      local i = jit.grid(1)
      if i > #a then return end
      local t = jit.local_memory("float32", { 4, 5 })
      for k = 1, 4 do
        for j = 1, 5 do t[k][j] = t[k][j] + a[i] end
      end
      local s = 0.0
      for k = 1, 4 do
        for j = 1, 5 do s = s + t[{ k, j }] end
      end
      b[i] = s
    end)(3, 128, { x, y })
    assert.is_true(ma.array_equal(y, x * 20))
  end)

  it("goes to device functions and functions inside, and has other names", function()
    local put = jit.device(function(t, v)
      t[1] = v
      return t[1] + t[2]
    end)
    local y = ma.zeros(4)
    jit.rawkernel(function(out)
      local t = { 1.5, 2 }
      out[1] = put(t, 3)
      local u = t
      u[2] = 8
      local function last() return t[2] end
      out[2], out[3], out[4] = t[1], t[2], last()
    end)(1, 1, { y })
    assert.are.same({ 5, 3, 8, 8 }, y:get():totable())
  end)

  it("is evaluated in its place among several values", function()
    local x = ma.array { 1, 2 }
    local before, y = x:copy(), ma.zeros(9)
    jit.rawkernel([[function(y, x)
      local function bump(i)
        x[i] = x[i] + 10
        return x[i]
      end
      local a, b = {x[1], bump(1), x[1]}, bump(1)
      local c, d = {1, x[2]}, {bump(2), 5}
      local e, f, g = bump(2), {x[2], 3}, bump(2)
      y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8], y[9] = a[1], a[2], a[3], b, c[2], d[1], e, f[1], g
    end]])(1, 1, { y, before })
    assert.are.same({ 1, 11, 11, 21, 2, 12, 22, 22, 32 }, y:get():totable())
    local drawn = ma.zeros(3)
    ma.random.seed(2)
    jit.rawkernel([[function(y)
      local a, b = {jit.random(), jit.random()}, jit.random()
      y[1], y[2], y[3] = a[1], a[2], b
    end]])(1, 1, { drawn })
    ma.random.seed(2)
    local rng = ma.random
    assert.are.same({ rng.random(1)(1), rng.random(1)(1), rng.random(1)(1) }, drawn:get():totable())
  end)

  it("serves functions of elements", function()
    local e = jit.elementwisekernel(function(x)
      local t = { 1, 2, 3 }
      t[x % 3 + 1] = x * 0.5
      return t[1] + t[2] + t[3]
    end)
    assert.are.same({ 5, 4.5, 4, 6.5 }, e(ma.arange(4)):get():totable())
  end)

  it("has limits in every kernel", function()
    local at = ma.array({ 0, 1, 2, 3, -1, 100000, 2.5 })
    local other = jit.device(function(row, i)
      row[i] = 9
      return row[i]
    end)
    local rules = {
      { function(x)
        local t = { 5, 7 }
        return t[x]
      end, { 0, 5, 7, 0, 0, 0, 0 } },
      { function(x)
        local t = { { 5, 7 }, { 6, 8 } }
        t[2][x] = 1
        return t[1][1] + t[1][2] * 10 + t[2][1] * 100 + t[2][2] * 1000
      end, { 8675, 8175, 1675, 8675, 8675, 8675, 8675 } },
      { function(x)
        local t = { { 5, 7 }, { 6, 8 } }
        return other(t[1], x) + other(t[x], 1)
      end, { 0, 18, 18, 0, 0, 0, 0 } },
      { function(x)
        local t = jit.local_memory("bool", 2)
        t[x] = true
        return (t[1] or t[2]) and 1 or 0
      end, { 0, 1, 1, 0, 0, 0, 0 } },
    }
    local raw = [=[function(y, x)
      local i, t = jit.grid(1), jit.local_memory("float32", 2)
      t[x[i]] = 3
      y[i] = t[x[i]]
    end]=]
    for _, rule in ipairs(rules) do
      for _, kernel in ipairs { jit.elementwisekernel(rule[1]), ma.vectorize(rule[1]) } do
        assert.are.same(rule[2], kernel(at):get():totable())
      end
    end
    local y = ma.zeros(7)
    jit.rawkernel(raw, { check = false })(1, 7, { y, at })
    assert.are.same({ 0, 3, 3, 0, 0, 0, 0 }, y:get():totable())
    fails("position 3 on axis 1 of a private array; wanted 1..2", "function(y) local t = {1, 2} t[3] = 1 end")
  end)

  it("still is a shape", function()
    assert.are.same({ 6 }, run([[function(y)
      local shape = {2, 3}
      local s = jit.shared_memory("float64", shape)
      y[1] = s.size
    end]], 1))
  end)

  if_checked("has positions that are checked", function()
    fails("position 3 on axis 1", "function(y) local t = {1, 2} local n = #y - 1 y[1] = t[n] end")
    fails("position 4 on axis 1", "function(y) local t = jit.local_memory('int32', 3) t[#y] = 1 end")
  end)

  it("is refused where it cannot be", function()
    fails("a table without elements", "function(y) local t = {} y[1] = t[1] end")
    fails("different lengths", "function(y) local t = {{1, 2}, {3}} end")
    fails("'t' stands for an array", "function(y) local t = {1, 2} t = {2} end")
    fails("'t' is a int64 and gets a boolean", "function(y) local t = {1, 2} t[1] = true end")
    fails("which no other thread sees", "function(y) local t = {1, 2} jit.atomic_add(t, 1, 1) end")
    fails("40000 bytes; at most 16384", "function(y) local t = jit.local_memory('float64', 5000) end")
  end)
end)
