-- ma.fromffi: FFI arrays of structs, by field.

local helper = require "spec.helper"
local ma = helper.ma

local found, ffi = pcall(require, "ffi")
if not found then return end

ffi.cdef [[
typedef struct {
  float x; int id[3]; struct { double u, v; } p; union { int a; float b; }; int bits : 3; char *text; _Bool ok;
  uint8_t m[2][2];
} moonarray_spec_field;
typedef struct { double _Complex c; int8_t s; uint64_t big; } moonarray_spec_other;
#pragma pack(push, 1)
typedef struct { uint8_t head; double value; } moonarray_spec_packed;
#pragma pack(pop)
]]

local points
before_each(function()
  points = ffi.new("moonarray_spec_field[4]")
  for i = 0, 3 do
    local p = points[i]
    p.x, p.id[1], p.p.v, p.b, p.ok, p.m[1][0] = i, 10 * i, i / 2, 1, i % 2 == 1, i
  end
end)

local on_cpu = { device = "cpu" }

describe("fromffi", function()
  it("gives a field of every struct, with its dtype and axes", function()
    local function is(want, dtype, field)
      local a = ma.fromffi(points, field)
      assert.equal(dtype, a.dtype)
      assert.equal(helper.device, a.device)
      assert.same(want, a:totable())
    end
    is({ 0, 1, 2, 3 }, "float32", "x")
    is({ { 0, 0, 0 }, { 0, 10, 0 }, { 0, 20, 0 }, { 0, 30, 0 } }, "int32", "id")
    is({ 0, 0.5, 1, 1.5 }, "float64", "p.v")
    is({ 1, 1, 1, 1 }, "float32", "b")
    is({ 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 }, "int32", "a")
    is({ false, true, false, true }, "bool", "ok")
    is({ { { 0, 0 }, { 0, 0 } }, { { 0, 0 }, { 1, 0 } }, { { 0, 0 }, { 2, 0 } }, { { 0, 0 }, { 3, 0 } } }, "uint8", "m")
  end)

  it("gives all fields that are numbers", function()
    local all = ma.fromffi(points)
    assert.same({ 0, 0.5, 1, 1.5 }, all.p.v:totable())
    assert.same({ 0, 1, 2, 3 }, all.x:totable())
    local names = {}
    for name in pairs(all) do names[#names + 1] = name end
    table.sort(names)
    assert.same({ "a", "b", "id", "m", "ok", "p", "x" }, names)
    local memory = ffi.new("uint8_t[?]", 2 * ffi.sizeof("moonarray_spec_other") + 16)
    local start = tonumber(ffi.cast("uintptr_t", memory))
    local other = ffi.cast("moonarray_spec_other *", memory + -start % 16)       -- where complex numbers may lie
    other[1].c, other[1].s, other[1].big = ffi.new("complex", 3, -4), -7, 2 ^ 40
    all = ma.fromffi(other, { count = 2 })
    assert.same({ "complex128", "int8", "uint64" }, { all.c.dtype, all.s.dtype, all.big.dtype })
    assert.same({ 3, -4 }, { all.c(2).re, all.c(2).im })
    assert.equal(2 ^ 40, all.big(2))
    assert.same({ 0, -7 }, all.s:totable())
    local beside = ffi.cast("moonarray_spec_other *", memory + -start % 16 + 8)
    assert.matches("c does not lie at multiples of its 16 bytes", helper.fails(ma.fromffi, beside, "c", { count = 1 }))
    assert.equal(16, memory[0] * 0 + 16)                                         -- the memory lives until here
  end)

  it("shares the structs' memory on the CPU, and keeps it", function()
    local x = ma.fromffi(points, "x", on_cpu)
    x[2] = 77
    assert.equal(77, points[1].x)
    points[2].x = 5
    assert.same({ 0, 77, 5, 3 }, x:totable())
    ma.fromffi(points, "p", on_cpu).u:fill(9)
    for i = 0, 3 do assert.same({ 9, i / 2 }, { points[i].p.u, points[i].p.v }) end
    points = nil
    collectgarbage()
    collectgarbage()
    local junk = {}
    for k = 1, 200 do junk[k] = ffi.new("moonarray_spec_field[4]") end
    assert.same({ 0, 77, 5, 3 }, x:totable())
    assert.equal(200, #junk)
  end)

  it("takes pointers, single structs and arrays of numbers", function()
    assert.same({ 1, 2 }, ma.fromffi(points + 1, "x", { count = 2 }):totable())
    assert.same({ 0, 1 }, ma.fromffi(points, "x", { count = 2 }):totable())
    assert.equal(2, ma.fromffi(points[2], "x"):item())
    assert.same({ 0, 20, 0 }, ma.fromffi(points[2], "id"):totable())
    assert.equal(2, ma.fromffi(points[2]).x:item())
    assert.same({ 1, 2, 3 }, ma.fromffi(ffi.new("int[3]", 1, 2, 3)):totable())
    assert.equal(0, ma.fromffi(ffi.new("moonarray_spec_field[?]", 0), "x").size)
    local constant = ffi.cast("const moonarray_spec_field *", points)
    local x = ma.fromffi(constant, "x", { count = 4, device = "cpu" })
    assert.same({ 0, 1, 2, 3 }, x:totable())
    assert.matches("read%-only", helper.fails(function() x[1] = 1 end))
  end)

  it("refuses what has no memory of that kind", function()
    local function fails(pattern, ...)
      assert.matches("moonarray.fromffi: " .. pattern, helper.fails(ma.fromffi, ...))
    end
    fails("no field 'q' of 'q'; there are x, id, p, a, b, text, ok, m", points, "q")
    fails("no field 'w' of 'p.w'; there are u, v", points, "p.w")
    fails("no field 'y' of 'x.y'; it is no struct", points, "x.y")
    fails("the field 'text' is no number", points, "text")
    fails("object is a pointer, which does not say", points + 1, "x")
    fails("object is a NULL pointer", ffi.cast("moonarray_spec_field *", nil), "x", { count = 1 })
    fails("count is 5; the array has 4", points, "x", { count = 5 })
    fails("count is given for one struct", points[0], "x", { count = 1 })
    fails("object is the number 3", 3)
    fails("field is the number 3", points, 3)
    fails("value does not lie at multiples of its 8 bytes", ffi.new("moonarray_spec_packed[2]"), "value")
    assert.same({ 0, 0 }, ma.fromffi(ffi.new("moonarray_spec_packed[2]"), "head"):totable())
  end)
end)
