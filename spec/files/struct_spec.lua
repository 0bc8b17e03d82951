-- ma.struct: C structs as dtypes, and arrays of them: fields as views, parts, devices, text, refusals.

local helper = require "spec.helper"
local ma = helper.ma

local found, ffi = pcall(require, "ffi")
if not found then return end

ffi.cdef [[
typedef struct { float x, y; int32_t hp; } moonarray_spec_unit;
typedef struct {
  float _Complex c; double mass; uint16_t h; uint8_t on; struct { int16_t a, b; }; float m[2][3]; char *name;
  struct { int z; } inner;
  int bits : 3;
} moonarray_spec_body;
#pragma pack(push, 1)
typedef struct { uint8_t kind; double value; } moonarray_spec_packed_body;
#pragma pack(pop)
]]

local unit = ma.struct("moonarray_spec_unit", { { "x", "float32" }, { "y", "float32" }, { "hp", "int32" } })

--- Five units: x is 0 to 4, hp 10 to 50.
local function five()
  local units = ma.zeros(5, unit)
  units.x = ma.arange(5)
  units.hp = ma.arange(5) * 10 + 10
  return units
end

local function fails(fn, ...)
  local text = helper.fails(fn)
  for _, part in ipairs { ... } do assert.truthy(text:find(part, 1, true), text .. "\nhas no " .. part) end
end

describe("a struct as a dtype", function()
  it("has the C type's name, size and fields", function()
    assert.equal("moonarray_spec_unit {x: float32, y: float32, hp: int32}", tostring(unit))
    assert.equal(12, unit.itemsize)
    assert.same({ "hp", "int32" }, unit.fields[3])
    assert.equal(12, ffi.sizeof(unit.ctype))
  end)

  it("is the same one for the same fields", function()
    assert.equal(unit, ma.struct(ffi.typeof "moonarray_spec_unit" and "moonarray_spec_unit"))
    assert.not_equal(unit, ma.struct("moonarray_spec_unit", { { "x", "float32" } }))
  end)

  it("takes all fields that are numbers, and 16-bit floats and bools by name", function()
    local body = ma.struct "moonarray_spec_body"
    assert.equal("moonarray_spec_body {c: complex64, mass: float64, h: uint16, on: uint8, a: int16, b: int16, "
      .. "m: float32 (2, 3)}", tostring(body))
    local named = ma.struct("moonarray_spec_body", { { "h", "float16" }, { "on", "bool" } })
    local bodies = ma.zeros(3, named)
    bodies.h, bodies.on = { 0.5, 1.5, 2.5 }, { true, false, true }
    assert.same({ { h = 0.5, on = true }, { h = 1.5, on = false }, { h = 2.5, on = true } }, bodies:totable())
  end)

  it("compares the fields with the C type", function()
    local function make(...)
      local fields = { ... }
      return function() ma.struct("moonarray_spec_body", fields) end
    end
    fails(make { "mass", "float32" }, "moonarray.struct: field 'mass' is declared float32", "it is float64")
    fails(make { "weight", "float64" }, "no field 'weight'", "there are c, mass, h")
    fails(make({ "mass", "float64" }, { "mass", "float64" }), "'mass' is given twice")
    fails(make { "name", "uint64" }, "field 'name' of moonarray_spec_body is a pointer")
    fails(make { "inner", "int32" }, "is a struct")
    fails(make { "mass", "double_precision" }, "'double_precision'; wanted a dtype")
    fails(make { "mass" }, "field 1 is a table; wanted a name and a dtype")
    fails(function() ma.struct(ffi.typeof "struct { char *name; }") end, "no fields")
    fails(function() ma.struct "moonarray_spec_packed_body" end, "float64 at byte 1", "packed")
    fails(function() ma.struct "moonarray_spec_nothing" end, "ctype is 'moonarray_spec_nothing'")
    fails(function() ma.struct "int" end, "wanted a struct")
    fails(function() ma.struct(3) end, "ctype is the number 3")
    fails(function() unit.size = 3 end, "an assignment to 'size'")
    assert.equal("moonarray_spec_packed_body {kind: uint8}", tostring(ma.struct("moonarray_spec_packed_body",
      { { "kind", "uint8" } })))
  end)
end)

describe("an array of structs", function()
  it("has fields that are views of its memory", function()
    local units = five()
    local x = units.x
    assert.equal("float32", x.dtype)
    assert.equal(helper.device, x.device)
    assert.same({ 12 }, x.strides)
    x:iadd(1)
    assert.same({ 1, 2, 3, 4, 5 }, units.x:totable())
    units.y = x * 2
    units.hp[x:gt(3)] = 0
    assert.same({ 2, 4, 6, 8, 10 }, units.y:totable())
    assert.same({ 10, 20, 30, 0, 0 }, units.hp:totable())
    assert.equal(15, (units.x + units.hp * 0):sum():item())
  end)

  it("has a shape, a size and a dtype", function()
    local units = ma.zeros({ 2, 3 }, unit)
    assert.equal("(2, 3)", tostring(units.shape))
    assert.equal(units.x.shape, units.shape)
    assert.same({ 2, 6, 12, 72, 2 }, { units.ndim, units.size, units.itemsize, units.nbytes, #units })
    assert.equal(unit, units.dtype)
    assert.equal(helper.device, units.device)
    assert.equal(0, ma.zeros(0, unit).x.size)
    assert.same({ 4 }, { ma.empty(4, unit).size })
  end)

  it("gives one struct in place, whose fields are Lua values", function()
    local units = five()
    assert.equal(30, units[3].hp)
    units[3].hp = units[3].hp - 1
    units[-1].y = 7
    assert.same({ 10, 20, 29, 40, 50 }, units.hp:totable())
    assert.equal(7, units.y(5))
    local copy = units(3)
    copy.hp = 0
    assert.same({ 29, 2, true }, { units[3].hp, copy.x, ffi.istype(unit.ctype, copy) })
    assert.equal(3, ma.zeros({ 2, 3 }, unit)[1].x.size)
    assert.equal(0, ma.zeros({}, unit).hp)
  end)

  it("gives parts as views, and copies behind masks and positions", function()
    local units = five()
    local part = units["2:4:2"]
    part.hp = 0
    assert.same({ 10, 0, 30, 0, 50 }, units.hp:totable())
    assert.same({ 4, 3, 2, 1, 0 }, units["::-1"].x:totable())
    local picked = units[units.hp:eq(0)]
    picked.hp = 9
    assert.same({ 1, 3 }, picked.x:totable())
    assert.same({ 4, 0 }, units[ma.index { 5, 1 }].x:totable())
    assert.same({ 10, 0, 30, 0, 50 }, units.hp:totable())
    local grid = ma.zeros({ 2, 3 }, unit)
    grid.x = { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.same({ 2, 5 }, grid["..., 2"].x:totable())
    assert.same({ 2, 5 }, grid[{ {}, 2 }].x:totable())
    assert.equal(6, grid[{ 2, 3 }].x)
    assert.equal("(1, 2, 3)", tostring(grid["_"].shape))
  end)

  it("is written by structs of the FFI, tables and other arrays", function()
    local units = five()
    units[1] = ffi.new("moonarray_spec_unit", 5, 6, 7)
    units[2] = { hp = -1, y = 0.5 }
    units["4:5"] = units["1:2"]
    units[ma.array { false, false, true, false, false }] = { x = 8 }
    assert.same({ { x = 5, y = 6, hp = 7 }, { x = 1, y = 0.5, hp = -1 }, { x = 8, y = 0, hp = 30 },
      { x = 5, y = 6, hp = 7 }, { x = 1, y = 0.5, hp = -1 } }, units:totable())
    local others = ma.empty(5, unit):assign(units)
    assert.same(units:totable(), others:totable())
    others:assign(ffi.new("moonarray_spec_unit"))
    others["..."] = { hp = ma.range(1, 5) }
    assert.same({ 1, 2, 3, 4, 5 }, others.hp:totable())
    assert.equal(0, others.x:sum():item())
  end)

  it("has axes of its own for fields that are arrays", function()
    local body = ma.struct "moonarray_spec_body"
    local bodies = ma.zeros({ 2, 2 }, body)
    bodies.m = { { 1, 2, 3 }, { 4, 5, 6 } }
    bodies["..., 2"] = { m = 0 }
    assert.equal("(2, 2, 2, 3)", tostring(bodies.m.shape))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, bodies[{ 2, 1 }].m:totable())
    assert.equal(42, bodies.m:sum():item())
    bodies[{ 1, 1 }].c = ma.complex(1, 2)
    assert.equal(2, bodies.c(1, 1).im)
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, bodies:totable()[1][2].m)
  end)

  it("goes to another device and back, with all of its bytes", function()
    local units = five()
    local there = units:copy():to "cpu"
    there.hp = there.hp * 2
    assert.equal("cpu", there.device)
    assert.same({ 20, 40, 60, 80, 100 }, there:to(helper.device).hp:totable())
    assert.same({ 10, 30, 50 }, units["1:5:2"]:get().hp:totable())
    local copy = units["4:5"]:copy()
    copy.x = 0
    assert.same({ 3, 4 }, units["4:5"].x:totable())
    assert.equal(units, units:to(helper.device))
    units:assign(there)
    assert.same({ 20, 40, 60, 80, 100 }, units.hp:totable())
  end)

  it("lies over memory of the FFI without a copy", function()
    local own = ffi.new("moonarray_spec_unit[4]")
    own[2].hp = 5
    local units = ma.frombuffer(own, nil, unit)
    assert.equal("cpu", units.device)
    assert.equal("(4,)", tostring(units.shape))
    units.x = { 1, 2, 3, 4 }
    own[1].y = 9
    assert.same({ 3, 5, 9 }, { own[2].x, units[3].hp, units.y(2) })
    local pointer = ffi.cast("moonarray_spec_unit *", own)
    local two = ma.frombuffer(pointer + 2, { 2 }, unit, { owner = own })
    assert.same({ 3, 4 }, two.x:totable())
    assert.equal(4, two:data()[1].x)
    assert.equal(own + 2, two:data())
    local text = ffi.string(own, ffi.sizeof(own))
    assert.same({ 0, 0, 5, 0 }, ma.frombuffer(text, nil, unit).hp:totable())
    helper.fails(function() ma.frombuffer(text, nil, unit).hp = 1 end)
    assert.same({ 1, 2, 3, 4 }, ma.frombuffer(own, 4, unit, { device = helper.device }).x:totable())
  end)

  it("keeps the memory of the FFI alive", function()
    local units = ma.frombuffer(ffi.new("moonarray_spec_unit[1000]"), nil, unit)
    units.hp = 3
    local x = units.hp
    units = nil                                            -- luacheck: ignore
    for _ = 1, 3 do
      collectgarbage()
      ffi.fill(ffi.new("moonarray_spec_unit[1000]"), 12000, 255)
    end
    assert.equal(3000, x:sum():item())
  end)

  it("refuses memory of another struct or in no such places", function()
    local own = ffi.new("moonarray_spec_unit[4]")
    fails(function() ma.frombuffer(ffi.cast("char *", own) + 2, 2, unit) end, "frombuffer", "multiple of 4 bytes")
    fails(function() ma.frombuffer(ffi.new("moonarray_spec_body[2]"), nil, unit) end, "frombuffer: buffer is a struct",
      "wanted structs moonarray_spec_unit")
    fails(function() ma.frombuffer(("x"):rep(13), nil, unit) end, "13 bytes", "a multiple of 12")
    fails(function() ma.frombuffer(own, 5, unit) end, "frombuffer", "48 bytes")
    fails(function() ma.frombuffer(own + 1, nil, unit) end, "no shape")
  end)

  it("lives and ends with a scope", function()
    local inside
    local units = ma.scope(function()
      inside = five()
      return five()
    end)
    assert.equal(150, units.hp:sum():item())
    fails(function() return inside.x end, "freed array", "moonarray.scope")
    local kept
    ma.scope(function() kept = ma.keep(five()) end)
    assert.equal(150, kept.hp:sum():item())
    kept:free()
    fails(function() return kept.x end, "freed array")
  end)

  it("prints its fields in columns", function()
    local units = five()["1:2"]
    assert.equal(([[
 x   y  hp
0.  0.  10
1.  0.  20
(2,) moonarray_spec_unit {x: float32, y: float32, hp: int32}, ]]) .. helper.device, tostring(units))
    assert.equal(([[
 x   y  hp
1.  0.  20
0-d moonarray_spec_unit {x: float32, y: float32, hp: int32}, ]]) .. helper.device, "" .. units[2])
    local long = tostring(ma.zeros(5000, unit))
    assert.equal(9, select(2, long:gsub("\n", "\n")) + 1)
    assert.truthy(long:find "\n%.%.%.\n")
    assert.truthy(tostring(ma.zeros(0, unit)):find "^%[%]\n%(0,%)")
  end)
end)

describe("array code over structs", function()
  local units
  before_each(function() units = five() end)

  it("is refused with the name of the function and a field", function()
    local hint = "struct array of moonarray_spec_unit (its fields are arrays: units.x)"
    fails(function() return units + 1 end, "moonarray.add: ", hint)
    fails(function() return 1 + units end, "moonarray.add: ", hint)
    fails(function() return ma.ones(5) * units end, "moonarray.multiply: ", hint)
    fails(function() return -units end, "moonarray.negative: ", hint)
    fails(function() return units < units end, "moonarray.less: ", hint)
    for _, name in ipairs { "sum", "sort", "sqrt", "copy", "asarray", "zeros_like", "concatenate", "to_dlpack" } do
      fails(function() ma[name](name == "concatenate" and { units, units } or units) end, "moonarray." .. name .. ": ",
        hint)
    end
    fails(function() ma.ones(5):assign(units) end, "moonarray.assign: ", hint)
    fails(function() units:sum() end, "moonarray.sum: ", hint, "write units.x:sum()")
  end)

  it("is refused for the dtype where arrays have no structs", function()
    fails(function() ma.ones(3, unit) end, "moonarray.ones: dtype is a struct dtype")
    fails(function() ma.zeros(3, unit, "F") end, "moonarray.zeros: an order for structs")
    fails(function() ma.random.random(3, unit) end, "struct dtype")
    fails(function() units.x:astype(unit) end, "moonarray.astype: dtype is a struct dtype")
  end)

  it("names what is unknown, and what cannot be stored", function()
    fails(function() return units.hq end, "no attribute 'hq'; it has hp, x, y")
    fails(function() return units["a["] end, "no attribute 'a['")
    fails(function() units.hq = 1 end, "no field 'hq'")
    fails(function() units[1] = { speed = 1 } end, "no field 'speed'")
    fails(function() units[1] = 5 end, "the number 5; wanted a moonarray_spec_unit of the FFI")
    fails(function() units[1] = ffi.new "moonarray_spec_body" end, "a cdata; wanted a moonarray_spec_unit")
    fails(function() units:assign(ma.zeros(5, ma.struct("moonarray_spec_unit", { { "x", "float32" } }))) end,
      "structs moonarray_spec_unit {x: float32}")
    fails(function() return units[6] end, "position 6 on axis 1")
    fails(function() return units[{ 1, 2 }] end, "2 positions of an array of structs of 1 axes")
    fails(function() return units(1, 2) end, "2 positions")
    fails(function() units.to "cpu" end, "struct_array.to", "write units:to()")
    fails(function() units:item() end, "5 structs; wanted one")
    fails(function() return #units[1] end, "'#' of one struct")
  end)
end)

describe("fields of the same structs", function()
  local random = helper.random(5)
  local trials = helper.device == "cpu" and 60 or 6
  local dtypes = { "int8", "int16", "int32", "int64" }

  --- A field of some of the rows of bytes: of any dtype, at any place, from any row on, by any step, turned or not; or
  --- in rows beside those of another.
  local function any_field(beside)
    local dtype = dtypes[random(1, 4)]
    local size = helper.itemsize[dtype]
    local first, step, n, turned = random(1, 4), random(1, 3), 1500 * random(1, 2), random(1, 4) == 1
    local key = turned and { first + (n - 1) * step, first, -step } or { first, first + (n - 1) * step, step }
    if beside then key, n = { beside[1] + 1, beside[2] + 1, beside[3] }, nil end
    local offset = size * random(0, 16 / size - 1)
    return function(rows, count)
      local part = rows[{ key, {} }][{ { 1, count }, {} }]
      return helper.core.field(part, dtype, offset, {})
    end, n, key
  end

  -- Rows enough that an operation which reads and writes the same bytes, block by block, would show it.
  it("are written in place with the values that copies would give", function()
    for _ = 1, 10 * trials do
      local base = ma.random.default_rng(random(1, 1e6)):integers(0, 255, { 9004, 16 }, "uint8")
      local here, apart = base:copy(), base:copy()
      local from, n, key = any_field()
      local to, m = any_field(random(1, 2) == 1 and key or nil)
      n = math.min(n, m or n)
      local old, add = to(apart, n):copy(), from(apart, n):copy()
      local way = random(1, 3)
      if way == 1 then
        to(here, n):iadd(from(here, n):astype(old.dtype))
        to(apart, n):assign(old + add:astype(old.dtype))
      elseif way == 2 then
        to(here, n):assign(from(here, n))
        to(apart, n):assign(add)
      else
        ma.subtract(from(here, n), 1, { out = to(here, n), casting = "unsafe" })
        to(apart, n):assign(add - 1)
      end
      helper.identical(apart, here, "way " .. way)
    end
  end)

  it("are apart only as far as they are wide", function()
    local kernel = ma.ElementwiseKernel("int32 a", "int8 b", "b = int8(a >> 24);")
    for _, offset in ipairs { 3, 4, 15 } do
      local base = ma.random.default_rng(3):integers(0, 255, { 4000, 16 }, "uint8")
      local function to(rows) return helper.core.field(rows["2:3001"], "int8", offset, {}) end
      local function from(rows) return helper.core.field(rows["1:3000"], "int32", 0, {}) end
      local here, apart = base:copy(), base:copy()
      kernel(from(here), to(here))
      to(apart):assign(kernel(from(base)))
      helper.identical(apart, here, "offset " .. offset)
    end
  end)

  it("are results and operands of a kernel at once", function()
    local kernel = ma.ElementwiseKernel("float32 a, float32 b", "float32 c, float32 d", "c = a + b; d = a - b;")
    local units = ma.zeros(1000, unit)
    units.x, units.y = ma.range(1, 1000), 2
    kernel(units.x, units.y, units.y, units.x)
    assert.same({ 3, 4, 1002 }, { units.y(1), units.y(2), units.y(1000) })
    assert.same({ -1, 0, 998 }, { units.x(1), units.x(2), units.x(1000) })
    assert.equal(0, units.hp:sum():item())
    assert.is_true(ma.may_share_memory(units.x, units.y))
    assert.is_false(ma.shares_memory(units.x, units.y))
  end)

  --- Runs random steps over fields of structs: expressions that wait, which are read late or never, and writes.
  ---@return string  all bytes, and those of the expressions that are read
  local function run_steps(seed)
    local next_number = helper.random(seed)
    local units, waiting, out = ma.zeros(2000, unit), {}, {}
    units.x, units.y, units.hp = ma.range(1, 2000), 3, ma.range(1, 2000) % 7
    local function any()
      local name = ({ "x", "y", "hp" })[next_number(1, 3)]
      local first = next_number(0, 3)
      return units[{ { 1 + first * 100, 1600 + first * 100 } }][name]
    end
    for _ = 1, 40 do
      local way = next_number(1, 5)
      if way == 1 then waiting[#waiting + 1] = any() * 2 + any()
      elseif way == 2 then any():assign(any() - next_number(1, 9))
      elseif way == 3 then any():iadd((any() * 3):astype("int32"))
      elseif way == 4 then units["101:1700"] = { y = any() + 1 }
      elseif #waiting > 0 then out[#out + 1] = helper.bytes(table.remove(waiting, next_number(1, #waiting))) end
    end
    out[#out + 1] = helper.bytes(units.x) .. helper.bytes(units.y) .. helper.bytes(units.hp)
    return table.concat(out)
  end

  it("have what expressions that wait had when they were written", function()
    for seed = 1, trials do
      local deferred = run_steps(seed)
      ma.set_fusion(false)
      local ok, at_once = pcall(run_steps, seed)
      ma.set_fusion(true)
      assert(ok, at_once)
      assert(deferred == at_once, "seed " .. seed)
    end
  end)

  it("do not make an expression run that reads another field", function()
    local units = ma.zeros(200000, unit)
    units.x = 1
    local before, cloned = { helper.core.deferrals() }, 4
    local waiting = units.x * 2
    units.y:iadd(1)
    units.hp:iadd(3)
    assert.equal(before[cloned], (select(cloned, helper.core.deferrals())))
    assert.equal(400000, waiting:sum():item())
    units.y:iadd(1)
    local late = units.x * 2
    units.x:iadd(1)                                          -- a copy, or the expression runs
    assert.equal(400000, late:sum():item())
  end)
end)
