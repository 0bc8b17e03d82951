-- Kernels over arrays of structs (ma.struct).

local helper = require "spec.helper"
local ma = helper.ma

local found, ffi = pcall(require, "ffi")
if not found then return end

ffi.cdef "typedef struct { float x, y; int32_t hp; } moonarray_spec_soldier;"
ffi.cdef [[
typedef struct { double d; float m[2][3]; uint8_t on; uint16_t h; void *p; float _Complex c; } moonarray_spec_tank;
]]
local soldier = ma.struct "moonarray_spec_soldier"
local tank = ma.struct("moonarray_spec_tank", { { "d", "float64" }, { "m", "float32" }, { "on", "bool" },
  { "h", "float16" }, { "c", "complex64" } })
local jit = ma.jit
local fails = helper.fails_with

local if_checked = (ma.zeros(1).device == "cpu" or os.getenv "MOONARRAY_CHECK" == "1") and it or pending

--- n soldiers: x is 0 to n - 1, hp 10.
local function line_up(n)
  local all = ma.zeros(n, soldier)
  all.x, all.hp = ma.arange(n), 10
  return all
end

describe("RawKernel", function()
  local code = [[
struct soldier { float x, y; int hp; };
extern "C" __global__ void move(soldier *all, const soldier by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { all[i].x += by.x; all[i].hp -= by.hp; }
}]]

  it("takes arrays of structs by pointer, and a struct by value", function()
    local all = ma.zeros(5, soldier)
    all.x, all.hp = ma.arange(5), 10
    ma.RawKernel(code, "move")({ 1 }, { 32 }, { all, ffi.new("moonarray_spec_soldier", 0.5, 0, 3), 5 })
    assert.same({ 0.5, 1.5, 2.5, 3.5, 4.5 }, all.x:totable())
    assert.same({ 7, 7, 7, 7, 7 }, all.hp:totable())
  end)

  it("takes a struct of an array of the FFI by value, whether it was a dtype before or not", function()
    local list = ffi.new("struct { float x; int32_t hp; }[3]")
    list[2].x, list[2].hp = 1.5, 4
    local read = jit.rawkernel(function(y, s) y[1] = s.x + s.hp end)
    local y = ma.zeros(1)
    read(1, 1, { y, list[2] })
    assert.equal(5.5, y(1))
    local soldiers = ffi.new("moonarray_spec_soldier[2]")
    soldiers[1].hp = 7
    read(1, 1, { y, soldiers[1] })
    assert.equal(7, y(1))
  end)

  it("refuses parts with gaps, and structs for numbers", function()
    local all = ma.zeros(6, soldier)
    local by = ffi.new "moonarray_spec_soldier"
    local text = helper.fails(function() ma.RawKernel(code, "move")(1, 32, { all["1:6:2"], by, 3 }) end)
    assert.truthy(text:find("not contiguous", 1, true), text)
    local floats = ma.RawKernel('extern "C" __global__ void f(float *x) { x[0] = 1; }', "f")
    text = helper.fails(function() floats(1, 1, { all }) end)
    assert.truthy(text:find("wanted a float32 array", 1, true), text)
  end)
end)

for _, check in ipairs { true, false } do
  describe(check and "jit.rawkernel" or "jit.rawkernel without checks", function()
    local function kernel(fn) return jit.rawkernel(fn, { check = check }) end

    it("reads and writes the fields of structs", function()
      local move = kernel(function(all, dt)
        local i = jit.grid(1)
        if i <= #all then
          all[i].x = all[i].x + dt
          local one = all[i]
          one.y = one.x * 2
          if one.hp > 5 and i % 2 == 0 then one.hp = one.hp - i end
        end
      end)
      local all = line_up(5)
      move(1, 32, { all, 0.5 })
      assert.same({ 0.5, 1.5, 2.5, 3.5, 4.5 }, all.x:totable())
      assert.same({ 1, 3, 5, 7, 9 }, all.y:totable())
      assert.same({ 10, 8, 10, 6, 10 }, all.hp:totable())
      move(1, 32, { all["5:1:-2"], 1 })
      assert.same({ 1.5, 1.5, 3.5, 3.5, 5.5 }, all.x:totable())
      assert.same({ 10, 8, 8, 6, 10 }, all.hp:totable())
    end)

    it("takes structs of several axes, and one in place", function()
      local grid = ma.zeros({ 2, 3 }, soldier)
      kernel(function(all)
        for r = 1, all.shape[1] do
          for c = 1, #all[r] do all[r][c].hp, all[{ r, c }].x = 10 * r + c, c end
        end
      end)(1, 1, { grid })
      assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, grid.hp:totable())
      kernel(function(one, hp) one.hp = hp + one.x end)(1, 1, { grid[{ 2, 3 }], 100 })
      assert.equal(103, grid.hp(2, 3))
    end)

    it("has fields of every kind, which may be arrays", function()
      local all = ma.zeros(3, tank)
      kernel(function(all)                                 -- luacheck: ignore
        local i = jit.grid(1)
        if i > #all then return end
        for r = 1, #all[i].m do
          for c = 1, #all[i].m[r] do all[i].m[r][c] = 10 * r + c + i end
        end
        all[i].on, all[i].h = i == 2, i / 2
        all.d[i] = all[i].h + (all[i].on and 1 or 0) + all.c[i].im
      end)(1, 32, { all })
      assert.same({ { 14, 15, 16 }, { 24, 25, 26 } }, all[3].m:totable())
      assert.same({ 0.5, 2, 1.5 }, all.d:totable())
      assert.same({ false, true, false }, all.on:totable())
    end)

    it("copies structs whole, one by value too", function()
      local from, to = line_up(4), ma.zeros(4, soldier)
      kernel(function(to, from, one)                       -- luacheck: ignore
        local i = jit.grid(1)
        if i < #to then to[i] = from[#from + 1 - i] end
        if i == 4 then
          to[i] = one
          to[i].x = one.y + one.hp
        end
      end)(1, 32, { to, from, ffi.new("moonarray_spec_soldier", 7, 8, 9) })
      assert.same({ 3, 2, 1, 17 }, to.x:totable())
      assert.same({ 10, 10, 10, 9 }, to.hp:totable())
    end)

    it("passes structs and fields to other functions, and fields to atomics", function()
      local hit = jit.device(function(one, damage)
        one.hp = one.hp - damage
        return one.hp <= 0
      end)
      local sum = jit.device(function(x)
        local s = 0.0
        for k = 1, #x do s = s + x[k] end
        return s
      end)
      local all, dead, total = line_up(6), ma.zeros(1, "int32"), ma.zeros(1)
      all[2].hp = 3
      kernel(function(all, dead, total)                    -- luacheck: ignore
        local i = jit.grid(1)
        if i > #all then return end
        local function raise(by) all[i].y = all[i].hp + by end
        if hit(all[i], 5) then jit.atomic_add(dead, 1, 1) end
        raise(0.5)
        if i == 1 then total[1] = sum(all.x) end
      end)(1, 32, { all, dead, total })
      assert.same({ 5, -2, 5, 5, 5, 5 }, all.hp:totable())
      assert.same({ 5.5, -1.5, 5.5, 5.5, 5.5, 5.5 }, all.y:totable())
      assert.same({ 1, 15 }, { dead(1), total(1) })
      kernel(function(all) jit.atomic_add(all.hp, 3, jit.threadIdx.x) end)(1, 4, { all })   -- luacheck: ignore
      assert.equal(11, all[3].hp)
    end)
  end)
end

describe("kernels in Lua", function()
  it("check positions of structs", function()
    local all = line_up(4)
    local set = jit.rawkernel("function(all, k) all[k].hp = 1 all[1].x = all[k].x + 5 end", { name = "set" })
    if helper.device == "cpu" then
      fails("moonarray.jit.set: position 9 on axis 1 at line 1", set, 1, 1, { all, 9 })
      assert.same({ 5, 1, 2, 3 }, all.x:totable())
      assert.same({ 10, 10, 10, 10 }, all.hp:totable())
    end
  end)

  it("say what structs cannot do", function()
    local all = line_up(4)
    local function run(text, ...) jit.rawkernel("function(all, one) " .. text .. " end")(1, 1, { all, ... }) end
    local one = ffi.new "moonarray_spec_soldier"
    fails("no field 'z' of moonarray_spec_soldier", run, "all[1].z = 1", one)
    fails("no field 'z' of moonarray_spec_soldier", run, "all[1].x = all[1].z", one)
    fails("the number 1 is written into all", run, "all[1] = 1", one)
    fails("the left side of '+' is a struct", run, "all[1].x = all[1] + 1", one)
    fails("the condition is a struct", run, "if all[1] then all[1].x = 1 end", one)
    fails("0 positions of all.x", run, "all.x = 1", one)
    fails("a struct among several values", run, "all[1], all[2] = all[2], all[1]", one)
    fails("one.x is of a struct that is given by value", run, "one.x = 1", one)
    fails("written into all", run, "all[1] = one[1]", ma.zeros(1, tank))
    fails("'all', which 'the function' takes from outside, is an array", function()
      jit.rawkernel(function(x) x[1] = all[1].x end)(1, 1, { ma.ones(1) })
    end)
    fails("argument 1 (all) is a cdata", jit.rawkernel "function(all) all[1] = 0 end", 1, 1, { ffi.new "int[3]" })
  end)
end)

describe("jit.elementwisekernel", function()
  it("reads and writes fields of its parameter", function()
    local step = jit.elementwisekernel(function(one, dt)
      one.x = one.x + dt
      if one.x > 3 then one.hp = one.hp - 1 end
      return one.hp * 2, one.x
    end)
    local all = line_up(6)
    local hp, x = step(all, 0.5)
    assert.same({ 20, 20, 20, 18, 18, 18 }, hp:totable())
    assert.equal("int32", hp.dtype)
    assert.same({ 0.5, 1.5, 2.5, 3.5, 4.5, 5.5 }, x:totable())
    assert.same({ 10, 10, 10, 9, 9, 9 }, all.hp:totable())
    assert.same({ 0, 0, 0, 0, 0, 0 }, all.y:totable())
    step(all["::2"], ma.array { 1, 2, 3 })
    assert.same({ 1.5, 1.5, 4.5, 3.5, 7.5, 5.5 }, all.x:totable())
  end)

  it("gives nothing where it sets fields alone", function()
    local all = line_up(3)
    local heal = jit.device(function(one, least)
      if one.hp < least then one.hp = least end
    end)
    local set = jit.elementwisekernel(function(one, k)
      one.y = one.x * k
      local same = one
      heal(same, 12)
    end)
    assert.equal(0, select("#", set(all, ma.range(1, 3))))
    assert.same({ 0, 2, 6 }, all.y:totable())
    assert.same({ 12, 12, 12 }, all.hp:totable())
  end)

  it("has fields of every kind of number", function()
    local all = ma.zeros(3, tank)
    jit.elementwisekernel(function(one, i)
      one.on, one.h = i > 1, i / 2
      one.d = one.on and one.h or -1
    end)(all, ma.arange(3))
    assert.same({ -1, -1, 1 }, all.d:totable())
    assert.same({ 0, 0.5, 1 }, all.h:totable())
    assert.same({ false, false, true }, all.on:totable())
    assert.equal(0, all.m:sum():item())
  end)

  it("takes two arrays of structs, of one or two kinds", function()
    local all, more, tanks = line_up(4), line_up(4), ma.zeros(4, tank)
    tanks.d = 0.25
    jit.elementwisekernel(function(a, b, t) a.x = a.x + b.x + t.d end)(all, more["::-1"], tanks)
    assert.same({ 3.25, 3.25, 3.25, 3.25 }, all.x:totable())
    assert.same({ 3, 5, 7, 9 }, ma.vectorize(function(a, k) return a.x * 2 + k end)(more, 3):totable())
    assert.equal("(2, 4)", tostring(ma.vectorize(function(a, k) return a.x + k end)(more, ma.ones { 2, 4 }).shape))
  end)

  it("sets many fields of structs that lie one after another, and fields that are arrays", function()
    local tanks = ma.zeros({ 40, 50 }, tank)
    local many = jit.elementwisekernel(function(t, k)
      t.d, t.on, t.h, t.m[2][3], t.m[1][1] = k, k > 1, k % 64, 2 * k, t.d
      return k + 1
    end)
    local k = ma.arange(2000):reshape(40, 50)
    assert.same(k(3, 7) + 1, many(tanks, k)(3, 7))
    assert.is_true(ma.array_equal(tanks.d, k))
    assert.is_true(ma.array_equal(tanks.m["..., 2, 3"], 2 * k))
    assert.is_true(ma.array_equal(tanks.on, k:gt(1)))
    assert.is_true(ma.array_equal(tanks.h, k % 64))
    assert.equal(0, tanks.m["..., 1, 1"]:sum():item())
  end)

  it("reads what was there where its arguments share memory", function()
    local all = line_up(5000)
    local take = jit.elementwisekernel(function(a, b) a.x = b.x + 1 end)
    take(all["2:5000"], all["1:4999"])
    assert.is_true(ma.array_equal(all.x, ma.concatenate { ma.zeros(1), ma.range(1, 4999) }))
    jit.elementwisekernel(function(a, x) a.x = x end)(all, all.x["::-1"])
    assert.same({ 4999, 4998, 0 }, { all.x(1), all.x(2), all.x(5000) })
  end)

  it("appends to lists in the order of structs", function()
    local pick = jit.elementwisekernel(function(one, list)
      one.hp = one.hp - 1
      if one.x ~= 1 then jit.append(list, jit.grid(1)) end
    end)
    for _, capacity in ipairs { 4, 5, 9 } do
      for _, part in ipairs { "1:5", "::-1" } do
        local list, all = ma.list(capacity, "int64"), line_up(5)
        pick(all[part], list)
        assert.same(part == "1:5" and { 1, 3, 4, 5 } or { 1, 2, 3, 5 }, list:array():get():totable())
        assert.equal(5 * 9, all.hp:sum():item())
      end
    end
    local list = ma.list(9, "int64")
    pick(line_up(0), list)
    pick(ma.zeros({ 2, 3 }, soldier), list)
    assert.same({ 1, 2, 3, 4, 5, 6 }, list:array():get():totable())
  end)

  if_checked("looks at positions in fields that are arrays", function()
    local tanks = ma.zeros(3, tank)
    tanks.h = ma.range(1, 3)
    for _, make in ipairs { jit.elementwisekernel, ma.vectorize } do
      local put = make "function(t)\n t.m[t.h][3] = 4\nend"
      fails("position 3 on axis 1 at line 2", function()
        put(tanks)
        ma.zeros(1):get()
      end)
      assert.same({ 4, 4, 0 }, { tanks.m(1, 1, 3), tanks.m(2, 2, 3), tanks.m(3, 1, 3) })
    end
  end)

  it("says what it cannot do", function()
    local all = line_up(4)
    local function run(text, ...) jit.elementwisekernel("function(one, k) " .. text .. " end")(all, ...) end
    fails("no field 'z' of moonarray_spec_soldier", run, "one.z = 1", 1)
    fails("the function returns nothing", run, "local a = one.x", 1)
    fails("gets a struct", run, "return one", 1)
    fails("out of shape (4,); the result has shape (2, 4)", run, "one.x = k", ma.ones { 2, 4 })
    fails("the field 'm' is an array", jit.elementwisekernel "function(t) return t.m[1][1] end",
      ma.zeros(4, tank)["::2"])
    fails("one is a struct array of moonarray_spec_soldier", jit.elementwisekernel("function(one) return one end",
      { in_params = "T one" }), all)
    fails("x is a struct array", jit.reductionkernel { map = "function(x) return x end",
      reduce = "function(a, b) return a + b end" }, all)
  end)
end)
