--- Arrays of structs in functions of ma.fuse and ma.stencil: u.x of an element, in all forms of such a function.

local helper = require "spec.helper"
local ma = helper.ma
local fails = helper.fails_with

local found, ffi = pcall(require, "ffi")
if not found then return end

ffi.cdef [[
typedef struct { float x, y; uint8_t kind; double mass; int32_t hp; float m[3]; } moonarray_element_unit;
typedef struct { double hp, x; } moonarray_element_other;
typedef struct { float m[3]; } moonarray_element_arrays;
]]
local unit, other = ma.struct "moonarray_element_unit", ma.struct "moonarray_element_other"
local N = 6

--- Units in a row, or in rows of three.
local function units_of(...)
  local shape = { ... }
  local units = ma.zeros(shape, unit)
  local function filled(list) return ma.array(list):reshape(shape) end
  units.x, units.y = filled { 0, 0.5, 1, 1.5, 2, 2.5 }, filled { 1, -1, 2, -2, 3, -3 }
  units.kind, units.mass = filled { 0, 1, 2, 0, 1, 2 }, 4
  units.hp = filled { 3, 0, -1, 2, 5, 6 }
  return units
end

--- The results of a function over structs must be those of one over the fields, as programs, as C++ and plain.
local function same(make, of_structs, of_fields, names, options, ...)
  local units, fields = units_of(...), {}
  for k, name in ipairs(names) do fields[k] = units[name] end
  local want = make(of_fields, options)(unpack(fields))
  local plain = { plain = true }
  for key, value in pairs(options or {}) do plain[key] = value end
  for name, f in pairs { form = make(of_structs, options), plain = make(of_structs, plain) } do
    local got = f(units)
    assert.equal(want.dtype, got.dtype, name)
    assert.same(want:totable(), got:totable(), name)
    assert.same(want:totable(), f(units):totable(), name)         -- from the trace
  end
end

describe("structs in ma.fuse", function()
  it("have fields that are elements", function()
    same(ma.fuse, function(u) return u.x + u.mass * 0.5 end, function(x, mass) return x + mass * 0.5 end,
      { "x", "mass" }, nil, N)
    same(ma.fuse, function(u)
      if u.hp <= 0 then return 0 end
      return u.kind == 1 and u.x or u.y
    end, function(x, y, hp, kind)
      if hp <= 0 then return 0 end
      return kind == 1 and x or y
    end, { "x", "y", "hp", "kind" }, nil, 2, 3)
  end)

  it("are read in place, whatever array the next call gives", function()
    local step = ma.fuse(function(u, v, dt) return u.x + v.hp * dt end)
    local units, others = units_of(N), ma.zeros(N, other)
    others.hp = ma.arange(N)
    assert.same({ 0, 2.5, 5, 7.5, 10, 12.5 }, step(units, others, 2):totable())
    units.x, others.hp = 1, 3
    assert.same({ 7, 7, 7, 7, 7, 7 }, step(units, others, 2):totable())
    assert.same({ 7, 7, 7 }, step(units["2:6:2"], others["1:3"], 2):totable())
    assert.same({ 7 }, step(units[{ { 3, 3 } }], others[2], 2):totable())
    units.x:assign(step(units, others, 1))
    assert.same({ 4, 4, 4, 4, 4, 4 }, units.x:totable())
    assert.equal(1, step.traces)
    assert.same({ 5, 5, 5, 5, 5, 5 }, ma.fuse(function(u, y) return u.x + y end)(units, ma.ones(N)):totable())
  end)

  it("of another layout are recorded again", function()
    local double = ma.fuse(function(u) return u.x * 2 end)
    local others = ma.zeros(2, other)
    others.x = { 3, 4 }
    assert.equal("float32", double(units_of(N)).dtype)
    assert.same({ 6, 8 }, double(others):totable())
    assert.equal("float64", double(others).dtype)
    assert.equal(2, double.traces)
  end)

  it("are arguments of functions that reduce, draw, or write given arrays", function()
    local units = units_of(N)
    assert.same({ -1.25, -0.75, -0.25, 0.25, 0.75, 1.25 },
      ma.fuse(function(u) return u.x - u.x:mean() end)(units):totable())
    assert.equal(7.5, ma.fuse(function(u) return u.x:sum() end)(units):item())
    local draws = ma.fuse(function(u) return u.x * 0 + math.random() end)(units)
    assert.is_true(draws:max():item() < 1 and draws:max():item() > draws:min():item())
    ma.fuse(function(u) return u.x + 1 end)(units, { out = units.y })
    assert.same({ 1, 1.5, 2, 2.5, 3, 3.5 }, units.y:totable())
  end)

  it("are C++ beyond selects", function()
    local function count(hp, kind)
      local n = kind * 0
      while n < hp do n = n + 2 end
      return n
    end
    same(ma.fuse, function(u) return count(u.hp, u.kind) end, function(hp, kind) return count(hp, kind) end,
      { "hp", "kind" }, nil, N)
    local shape = { speed = 1 }
    local f = ma.fuse(function(u)
      local n = 0
      while n < u.mass do n = n + shape.speed end
      return n
    end)
    for _, speed in ipairs { 1, 3, 1.5 } do
      shape.speed = speed
      assert.equal(math.ceil(4 / speed) * speed, f(units_of(N))(1))
    end
  end)

  it("are no elements themselves", function()
    local units = units_of(N)
    local struct = "moonarray_element_unit {x: float32, y: float32,"
    for _, plain in ipairs { false, true } do
      local function fuse(f) return ma.fuse(f, { plain = plain }) end
      fails("moonarray.fuse: no field 'z' of " .. struct, fuse(function(u) return u.z end), units)
      fails("moonarray.fuse: no field 'z' of " .. struct, fuse(function(u) return u.z > 0 and 1 or 2 end), units)
      fails("moonarray.fuse: the field 'm' is an array; wanted a number", fuse(function(u) return u.m end), units)
      fails("'x' of a struct is set; return the value, and store it behind the call: units.x = f(units)",
        fuse(function(u)
          u.x = 1
          return u.x
        end), units)
      fails("moonarray.fuse: a struct in an operation; wanted one of its fields, such as u.x",
        fuse(function(u) return u + 1 end), units)
    end
    fails("a field of a struct is set", ma.fuse(function(u)
      while u.x > 0 do u.x = u.x - 1 end
      return u.x
    end), units)
    fails("which have no field that is a number", ma.fuse(function(u) return u.m end),
      ma.zeros(2, ma.struct "moonarray_element_arrays"))
    local kept
    ma.fuse(function(u)
      kept = u
      return u.x
    end)(units)
    fails("a struct of a function that has returned", function() return kept.y end)
  end)
end)

describe("structs in ma.stencil", function()
  it("have fields that are called with offsets", function()
    same(ma.stencil, function(u) return u.x(-1) + u.x(1) - 2 * u.mass(0) end,
      function(x, mass) return x(-1) + x(1) - 2 * mass(0) end, { "x", "mass" }, nil, N)
    same(ma.stencil, function(u)
      if u.hp(0, 0) > 2 then return u.x(-1, 0) end
      return u.kind(0, 1) == 1 and u.y(1, 1) or 0
    end, function(x, y, hp, kind)
      if hp(0, 0) > 2 then return x(-1, 0) end
      return kind(0, 1) == 1 and y(1, 1) or 0
    end, { "x", "y", "hp", "kind" }, { boundary = "wrap" }, 2, 3)
    same(ma.stencil, function(u) return u.x(1) end, function(x) return x(1) end, { "x" }, { value = 7 }, N)
  end)

  it("are read beside fields, whatever array the next call gives", function()
    local step = ma.stencil(function(u, w) return u.hp(1) + w(0) end)
    local units = units_of(N)
    assert.same({ 1, 0, 3, 6, 7, 1 }, step(units, ma.ones(N)):totable())
    units.hp = 2
    assert.same({ 3, 3, 3, 3, 3, 1 }, step(units, ma.ones(N)):totable())
    assert.same({ 3, 3, 1 }, step(units["2:4"], ma.ones(3)):totable())
    local others = ma.zeros(N, other)
    others.hp = 5
    assert.same({ 6, 6, 6, 6, 6, 1 }, step(others, ma.ones(N)):totable())
    assert.same({ 3, 3, 3, 3, 3, 1 }, step(units, ma.ones(N)):totable())
    local draws = ma.stencil(function(u) return u.x(0) * 0 + math.random() end)(units)
    assert.is_true(draws:max():item() < 1 and draws:max():item() > draws:min():item())
  end)

  it("are C++ beyond selects, and where an offset depends on elements", function()
    local function count(hp)
      local n = 0
      while n < hp do n = n + 2 end
      return n
    end
    local function of_fields(x, hp) return count(hp(1)) + x(0) end
    same(ma.stencil, function(u) return count(u.hp(1)) + u.x(0) end, of_fields, { "x", "hp" }, nil, N)
    local function at(x, kind) return x(kind(0)) end
    same(ma.stencil, function(u) return at(u.x, u.kind) end, at, { "x", "kind" }, { boundary = "nearest" }, N)
  end)

  it("are no fields themselves", function()
    local units = units_of(N)
    for _, plain in ipairs { false, true } do
      local function stencil(f, boundary) return ma.stencil(f, { plain = plain, boundary = boundary }) end
      fails("moonarray.stencil: no field 'z' of moonarray_element_unit {", stencil(function(u) return u.z(0) end),
        units)
      fails("a call of a struct; wanted one of a field, such as u.x(0)", stencil(function(u) return u(0) end), units)
      fails("boundary \"leave\" with structs; wanted their fields, such as units.x",
        stencil(function(u) return u.x(0) end, "leave"), units)
      fails("moonarray.stencil: field 1 is a struct array of moonarray_element_unit", function()
        stencil(function(u) return u.x(0) end):run(units, { steps = 2 })
      end)
    end
    fails("a call of the struct 'u'; wanted one of a field", ma.stencil(function(u)
      local n = 0
      while n < u.hp(0) do n = n + u(0) end
      return n
    end), units)
    fails("field 2 has shape (5,); wanted (6,), as field 1", ma.stencil(function(u, w) return u.x(0) + w(0) end), units,
      ma.ones(5))
  end)
end)
