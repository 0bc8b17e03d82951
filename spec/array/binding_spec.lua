--- The rules that every call keeps (API.md 1 to 5, 11, 12, 14, 15, 17): options, error texts and places, scalars and
--- their promotion, attributes, freed arrays, ufunc objects, tables as data, reloading, other Lua states and plain Lua.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

--- The message of fn's error, which must be placed in this file. Calls in fn are no tail calls, so that the place is
--- theirs.
local function message(fn, ...)
  local fine, text = pcall(fn, ...)
  assert.is_false(fine, "no error")
  local place, rest = tostring(text):match("^(%S+):%d+: (.*)$")
  assert.is_truthy(place and place:find("binding_spec.lua", 1, true), "placed elsewhere: " .. tostring(text))
  return rest
end

local function fails(pattern, fn, ...)
  local text = message(fn, ...)
  assert.is_truthy(text:find(pattern, 1, true), ("%q has not %q"):format(text, pattern))
end

local function list(a) return a:totable() end

describe("options", function()
  it("name any optional argument", function()
    assert.equal("float32", ma.zeros({ 2 }, { dtype = "float32" }).dtype)
    assert.equal("float32", ma.zeros({ 2 }, "float32").dtype)
    assert.equal("int8", ma.arange(3, "int8").dtype)
    assert.equal("int8", ma.arange(1, 3, "int8").dtype)
    assert.same({ 1, 2 }, list(ma.arange(1, 3, { dtype = "int8" })))
    assert.equal("int8", ma.arange(3, "int8", { device = "cpu" }).dtype)
  end)

  it("are absent when the table is empty or the value nil", function()
    assert.equal("float64", ma.zeros({ 2 }, {}).dtype)
    assert.equal("float64", ma.zeros({ 2 }, nil, nil).dtype)
    assert.equal(0, ma.zeros({}).ndim)
  end)

  it("that are unknown, doubled or mixed with positions are errors that list the valid ones", function()
    fails("moonarray.zeros: no option 'dtyp'; the options are dtype, order, device",
      function() local _ = ma.zeros({ 2 }, { dtyp = "int8" }) end)
    fails("moonarray.zeros: dtype is given twice; the options are dtype, order, device",
      function() local _ = ma.zeros({ 2 }, "int8", { dtype = "int8" }) end)
    fails("both positions and names", function() local _ = ma.zeros({ 2 }, { "int8", dtype = "int8" }) end)
    fails("both positions and names", function() local _ = ma.zeros({ 2 }, { dtype = "int8", "int8" }) end)
    fails("it has no options", function() local _ = ma.array({ 1 }):eval({ x = 1 }) end)
    fails("no option 'a'", function() local _ = ma.array({ 1 }):astype("int8", { a = 1 }) end)
  end)

  it("come after all positions, of which there may not be too many or too few", function()
    fails("moonarray.zeros: 4 arguments; at most 3: zeros(shape, dtype?, order?; device?)",
      function() local _ = ma.zeros({ 2 }, "int8", "C", 3) end)
    fails("moonarray.zeros: no argument 'shape'; the call is zeros(shape", function() local _ = ma.zeros() end)
    fails("moonarray.add: no argument 'b'", function() local _ = ma.add(1) end)
  end)

  it("work for functions defined in Lua", function()
    local function define()
      local fn = core.def("core.spec_probe(a, axis?, dtype?; keep?, ...)", "", function(...)
        return select("#", ...), { ... }
      end)
      return fn
    end
    local fn = define()
    local n, got = fn(1, { keep = 5 })
    assert.same({ 4, 1, 5 }, { n, got[1], got[4] })
    n, got = fn(1, 2, "int8", 7, 8, { keep = 5 })
    assert.same({ 6, 1, 2, "int8", 5, 7, 8 }, { n, unpack(got, 1, 6) })
    n, got = fn(1, "int8")
    assert.same({ 4, 1, "int8" }, { n, got[1], got[3] })
    fails("no option 'x'; the options are axis, dtype, keep", function() local _ = fn(1, { x = 1 }) end)
  end)
end)

describe("errors", function()
  it("carry the place of the caller, not of the library", function()
    fails("moonarray.get_array_module: no option 'x'", function() local _ = ma.get_array_module({ x = 1 }) end)
    fails("moonarray.pad", function() local _ = ma.pad(ma.zeros(2), "x") end)
  end)

  it("skip the library's chunks on Windows, whose names have backslashes", function()
    local path = assert(package.searchpath("moonarray", package.path)):gsub("/", "\\")
    local inner = assert(loadstring("local ma = ... local _ = ma.zeros({ -1 }) return _", "@" .. path))
    fails("moonarray.zeros", function() local _ = inner(ma) end)
  end)

  it("name the nearest attribute, function or dtype", function()
    local a = ma.zeros { 2, 3 }
    fails("moonarray.array: no attribute 'shap'; did you mean 'shape'?", function() return a.shap end)
    fails("no attribute 'sqrtt'; did you mean 'sqrt'?", function() local _ = a:sqrtt() end)
    fails("no attribute 'qwertyuiop'", function() return a.qwertyuiop end)
    fails("no attribute 'shpe'; did you mean 'shape'?", function() a.shpe = 1 end)
    fails("shape cannot be set; write a:reshape(...)", function() a.shape = { 6 } end)
    fails("dtype cannot be set; write a:astype(...)", function() a.dtype = "int8" end)
    fails("sqrt cannot be set", function() a.sqrt = 1 end)
    fails("moonarray: no function 'zeross'; did you mean 'zeros'?", function() return ma.zeross end)
    fails("no dtype 'float23'; did you mean 'float32'?", function() local _ = ma.zeros(2, { dtype = "float23" }) end)
    fails("wanted a dtype as a string", function() local _ = ma.zeros(2, { dtype = 7 }) end)
  end)

  it("tell a method that was called with a dot", function()
    local a = ma.zeros(3)
    fails("moonarray.sqrt: nothing in place of the array; write a:sqrt()", function() local _ = a.sqrt() end)
    fails("moonarray.copy: the number 2 in place of the array; write a:copy()", function() local _ = a.copy(2) end)
    fails("write device:method()", function() local _ = ma.device("cpu").synchronize() end)
  end)

  it("refuse booleans, strings, comparison operators and two arrays joined by ..", function()
    local a = ma.zeros(3)
    fails("moonarray.add: b is a boolean; Lua's ==, < and not see no elements: write x:eq(0)",
      function() local _ = a + true end)
    fails("moonarray.multiply: a is a boolean", function() local _ = (a == 0) * a end)
    fails("moonarray.add: a is a boolean", function() local _ = ma.add(false, a) end)
    fails("where is a boolean", function() local _ = ma.add(a, 1, { where = a == a }) end)
    fails("where is a float64 array (3,); wanted a bool array", function() local _ = ma.add(a, 1, { where = a }) end)
    fails("moonarray.subtract: b is the string '1'; wanted an array or a number", function() local _ = a - "1" end)
    fails("a:lt(b)", function() return a < a end)
    fails("a:lt(b)", function() return a <= a end)
    fails("ma.concatenate({a, b})", function() return a .. a end)
    assert.is_false(a == ma.zeros(3))
    assert.is_true(a == a)
  end)

  it("check numbers, shapes, axes and devices", function()
    fails("shape is 2.5; wanted a whole number", function() local _ = ma.zeros(2.5) end)
    fails("shape is nan; wanted a whole number", function() local _ = ma.zeros { 0 / 0 } end)
    fails("shape is the string 'x'; wanted a whole number", function() local _ = ma.zeros { 2, "x" } end)
    fails("shape is a boolean (true)", function() local _ = ma.zeros(true) end)
    fails("negative", function() local _ = ma.zeros { 2, -1 } end)
    fails("17 extents; at most 16 axes",
      function() local _ = ma.zeros { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } end)
    assert.is_false((pcall(ma.zeros, { 2 ^ 40, 2 ^ 40 })))
    fails("no device \"gpu0\"", function() local _ = ma.zeros(2, { device = "gpu0" }) end)
    fails("wanted a device such as", function() local _ = ma.zeros(2, { device = 7 }) end)
    fails("casting is the string 'x'", function() local _ = ma.add(1, 2, { casting = "x" }) end)
    fails("step is 0", function() local _ = ma.arange(1, 5, 0) end)
    fails("wanted a finite number", function() local _ = ma.arange(1, 1 / 0) end)
  end)
end)

describe("scalars", function()
  it("are weak: whole numbers of an integer kind, others of a float kind", function()
    local expected = {
      { "uint8", 2, "uint8" }, { "uint8", 2.5, "float64" }, { "int32", 2, "int32" }, { "int32", -2, "int32" },
      { "float32", 2, "float32" }, { "float32", 2.5, "float32" }, { "float16", 1e30, "float16" },
      { "bfloat16", 0.5, "bfloat16" },
      { "complex64", 2.5, "complex64" }, { "float32", ma.complex(1, 2), "complex64" },
      { "int64", ma.complex(1, 2), "complex128" },
      { "bool", 2, "int64" }, { "bool", 2.5, "float64" }, { "int8", ma.float32(2), "float32" },
      { "uint8", ma.int16(2), "int16" },
    }
    for _, row in ipairs(expected) do
      assert.equal(row[3], (ma.ones(2, row[1]) * row[2]).dtype, row[1])
      assert.equal(row[3], (row[2] * ma.ones(2, row[1])).dtype, row[1])
    end
  end)

  it("that do not fit are errors, but comparisons have an answer", function()
    local a = ma.array({ 1, 255 }, "uint8")
    fails("300 does not fit uint8", function() local _ = a + 300 end)
    fails("-1 does not fit uint8", function() local _ = a * -1 end)
    assert.same({ true, true }, list(a:lt(300)))
    assert.same({ true, true }, list(a:gt(-1)))
    assert.same({ false, false }, list(a:eq(-1)))
  end)

  it("keep the sign of zero beside floats and are integers beside integers", function()
    local zero = tonumber("-0.0") -- LuaJIT for ARM reads -0.0 in a program as 0
    assert.equal(-math.huge, (ma.ones(1) / zero)(1))
    assert.equal("int32", (ma.ones(1, "int32") + zero).dtype)
  end)

  it("take and give all 64 bits of an int64", function()
    local ffi = require "ffi"
    local big = ffi.new("int64_t", 9007199254740993LL)
    local a = ma.array({ big, -big })
    assert.equal("int64", a.dtype)
    assert.is_true(a(1) == big and a(2) == -big)
    assert.is_true((a + 1LL)(1) == big + 1)
    assert.equal("int64", (a + 1LL).dtype)
    assert.equal(12, (ma.array { 12LL })(1))
    assert.is_true(ma.full(1, 0xffffffffffffffffULL)(1) == 0xffffffffffffffffULL)
    assert.equal("uint64", ma.full(1, 0xffffffffffffffffULL).dtype)
    assert.is_true(ma.array({ 0xffffffffffffffffULL }, "uint64")(1) == 0xffffffffffffffffULL)
  end)

  it("of complex arrays are objects with arithmetic", function()
    local z = ma.array({ ma.complex(3, -4) })(1)
    assert.same({ 3, -4 }, { z.re, z.im })
    assert.equal("3-4i", tostring(z))
    assert.equal("4-4i", tostring(z + 1))
    assert.equal("25+0i", tostring(z * ma.complex(3, 4)))
    assert.is_true(z / z == ma.complex(1, 0))
    assert.equal("-7-24i", tostring(z ^ 2))
    assert.equal("-3+4i", tostring(-z))
    assert.equal("<3-4i>", "<" .. z .. ">")
    assert.is_true(z == ma.complex(3, -4))
    assert.equal("complex128", (z * ma.ones(2)).dtype)
    assert.equal("complex128", ma.array({ 1, z }).dtype)
    fails("a complex number; an array of dtype float64 takes real ones", function() ma.zeros(1):fill(z) end)
    fails("as a key of a complex number", function() return z.x end)
  end)

  it("as data take the default float dtype", function()
    assert.equal("float64", ma.full(2, 3).dtype)
    assert.equal("bool", ma.full(2, true).dtype)
    assert.equal("int64", ma.arange(3).dtype)
    assert.equal("float64", ma.arange(0, 1, 0.25).dtype)
    assert.equal("float64", ma.set_default_dtype("float32"))
    local dtypes = { ma.full(2, 3).dtype, ma.array({ 1 }).dtype, ma.zeros(2).dtype,
      ma.array({ ma.complex(1, 1) }).dtype,
      ma.linspace(0, 1).dtype, ma.arange(3).dtype, (ma.ones(1, "float16") * 2.5).dtype }
    ma.set_default_dtype("float64")
    assert.same({ "float32", "float32", "float32", "complex64", "float32", "int64", "float16" }, dtypes)
    fails("wanted a float dtype", function() ma.set_default_dtype("int8") end)
  end)
end)

describe("tables", function()
  it("become arrays", function()
    assert.same({ { 1, 2 }, { 3, 4 } }, list(ma.array { { 1, 2 }, { 3, 4 } }))
    assert.same({ 2, 1, 3 }, ma.array { { { 1, 2, 3 } }, { { 4, 5, 6 } } }.shape)
    assert.same({ 0 }, ma.array({}).shape)
    assert.same({ 2, 0 }, ma.array({ {}, {} }).shape)
    assert.same({ true, false }, list(ma.array { true, false }))
    assert.equal("float64", ma.array({ true, 2 }).dtype)
    assert.same({ 1, 0 }, list(ma.array({ true, false }, "int8")))
    assert.same({ 2, -2 }, list(ma.array({ 2.9, -2.9 }, "int8")))
    local vel = ma.ones({ 2, 2 }) + { 0, 9.5 }
    assert.same({ { 1, 10.5 }, { 1, 10.5 } }, list(vel))
  end)

  it("may hold arrays", function()
    local a, b = ma.array({ 1, 2 }, "int32"), ma.array({ 3, 4 }, "int32")
    local c = ma.array { a, b, a + b }
    assert.equal("int32", c.dtype)
    assert.same({ { 1, 2 }, { 3, 4 }, { 4, 6 } }, list(c))
    assert.same({ 3, 5 }, list(ma.array { a(2) + 1, ma.array(5) }))
    assert.same({ { { 1, 2 } }, { { 3, 4 } } }, list(ma.array { { a }, { b } }))
    fails("element {2} is a float64 array (3,); wanted the shape of the first element",
      function() local _ = ma.array { a, ma.ones(3) } end)
    fails("element {2} is the number 1; wanted an array as the first element",
      function() local _ = ma.array { a, 1 } end)
  end)

  it("that are ragged, hold strings or names, or do not fit are errors with a position", function()
    fails("a ragged table: {2} has 1 elements; 2 are wanted", function() local _ = ma.array { { 1, 2 }, { 3 } } end)
    fails("a ragged table: {2} has 3 elements; 2 are wanted",
      function() local _ = ma.array { { 1, 2 }, { 3, 4, 5 } } end)
    fails("element {2} is the number 3; wanted a table", function() local _ = ma.array { { 1, 2 }, 3 } end)
    fails("a ragged table: {2} is a table; wanted a number", function() local _ = ma.array { 1, { 3 } } end)
    fails("element {2, 1} is the string '3'", function() local _ = ma.array { { 1 }, { "3" } } end)
    assert.is_false((pcall(ma.array, { 1, nil, 3 })))
    local hole = { 1, 2, 3 }
    hole[5] = 5
    assert.is_false((pcall(ma.array, hole)))
    fails("the string 'x' as a key", function() local _ = ma.array { x = 1 } end)
    fails("the string 'x' as a key", function() local _ = ma.array { 1, 2, x = 1 } end)
    fails("element {2}: the number 300 does not fit uint8", function() local _ = ma.array({ 1, 300 }, "uint8") end)
    fails("wanted a number for dtype float64", function() local _ = ma.array({ ma.complex(1, 2) }, "float64") end)
    local deep = {}
    deep[1] = deep
    fails("nested more than 16 deep", function() local _ = ma.array(deep) end)
    local freed = ma.ones(2)
    freed:free()
    fails("element {1} is a freed array", function() local _ = ma.array { freed } end)
  end)
end)

describe("an array", function()
  it("has attributes", function()
    local a = ma.zeros({ 2, 3 }, "float32")
    assert.same({ 2, 3 }, a.shape)
    a.shape[1] = 7                                               -- a table of its own each time
    assert.same({ 2, 3 }, a.shape)
    assert.same({ "float32", 2, 6, 24, 4, helper.device, true, false },
      { a.dtype, a.ndim, a.size, a.nbytes, a.itemsize, a.device, a.is_contiguous, a.readonly })
    assert.same({ 12, 4 }, a.strides)
    assert.same({ 3, 2 }, a.T.shape)
    assert.same({ 4, 3, 2 }, ma.zeros({ 4, 2, 3 }).mT.shape)
    assert.equal(2, #a)
    fails("a 0-d array has no length", function() return #ma.array(1) end)
    local z = ma.array { ma.complex(1, 2), ma.complex(3, 4) }
    assert.same({ { 1, 3 }, { 2, 4 } }, { list(z.real), list(z.imag) })
    z.real:fill(7)
    assert.equal("7+2i", tostring(z(1)))
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, list(a.imag))
  end)

  it("goes to text by tostring and ..", function()
    assert.equal("x = 12.5 (0-d float64, " .. helper.device .. ")", "x = " .. ma.array(12.5))
    assert.is_truthy((ma.zeros(2) .. 1):find("(2,) float64", 1, true))
    fails("takes a string or a number", function() return ma.zeros(2) .. {} end)
  end)

  it("that was freed says where", function()
    local a = ma.ones(4)
    local view = a["2:3"]
    local line = debug.getinfo(1, "l").currentline + 1
    a:free()
    a:free()
    assert.same({ 1, 1 }, list(view))
    local where = "a freed array (freed at spec/array/binding_spec.lua:" .. line .. ")"
    fails("moonarray.add: " .. where, function() local _ = a + 1 end)
    fails(where, function() local _ = a:sqrt() end)
    fails(where, function() return a.shape end)
    fails(where, function() return a[1] end)
    fails(where, function() a[1] = 2 end)
    fails(where, function() local _ = ma.add(1, 2, { out = a }) end)
  end)

  it("moves, copies and is written in place", function()
    local a = ma.array { 1, 2, 3 }
    assert.is_true(a:to(a.device) == a)
    assert.equal("cpu", a:get().device)
    local b = a:copy()
    assert.is_true(b:fill(5) == b and a:eval() == a)
    assert.same({ 5, 5, 5 }, list(b))
    assert.is_true(b:assign(a) == b)
    assert.is_true(b:iadd(1):imul(2):isub(1):idiv(2):ipow(2) == b)
    assert.same({ 2.25, 6.25, 12.25 }, list(b))
    b:iadd(100, { where = a:gt(1) })
    assert.same({ 2.25, 106.25, 112.25 }, list(b))
    assert.same({ 1, 2, 3 }, list(a))
    assert.is_true(a:astype("float64", { copy = false }) == a and a:astype("float64") ~= a)
    fails("does not allow", function() local _ = a:astype("int8", { casting = "safe" }) end)
    fails("fill takes one value", function() a:fill { 1, 2, 3 } end)
    fails("300 does not fit uint8", function() ma.zeros(2, "uint8"):fill(300) end)
    assert.same({ 1, 2 }, { ma.item(ma.array(1), ma.array(2)) })
    fails("3 elements; one is wanted", function() local _ = a:item() end)
  end)

  it("takes copies under a casting rule and a mask", function()
    local a = ma.zeros(3, "int32")
    ma.copyto(a, { 1, 2, 3 }, "unsafe")
    ma.copyto(a, 7, { where = a:gt(2) })
    assert.same({ 1, 2, 7 }, list(a))
    ma.copyto(a, ma.array { 2.5, 3.5, 4.5 }, { casting = "unsafe" })
    assert.same({ 2, 3, 4 }, list(a))
    ma.copyto(a, ma.array({ 9, 8, 7 }, "int64"), { where = ma.array { true, false, true } })
    assert.same({ 9, 3, 7 }, list(a))
    fails("float64 into int32; a cast that 'same_kind' allows", function() ma.copyto(a, 2.5) end)
    fails("float32 into int32", function() ma.copyto(a, ma.ones(3, "float32")) end)
    fails("int64 into int32; a cast that 'safe' allows", function() ma.copyto(a, ma.ones(3, "int64"), "safe") end)
  end)

  it("long sequences are the numbers they should be", function()
    local random = helper.random(17)
    for _ = 1, 5 do
      local n, step, start = random(16000, 70000), random(-5, 5) * 2 + 1, random(-1000, 1000)
      local a = ma.arange(start, start + n * step, step)
      assert.equal(n, a.size)
      for _ = 1, 20 do
        local k = random(1, n)
        assert.equal(start + (k - 1) * step, a(k))
      end
      local b = ma.linspace(start, start + 1, n)
      assert.equal(start + 1, b(n))
      assert.equal(start, b(1))
      local k = random(1, n)
      assert.is_true(math.abs(b(k) - (start + (k - 1) / (n - 1))) < 1e-12 * (1 + math.abs(start)))
    end
    assert.same({ 1, 2, 3 }, list(ma.range(1, 3)))
    assert.same({ 3, 2, 1 }, list(ma.range(3, 1, -1)))
    assert.equal(4, ma.range(0, 0.3, 0.1).size)
    assert.same({}, list(ma.range(3, 1)))
    assert.same({ 0, 0, 1 }, list(ma.linspace(0, 1, 3, { dtype = "int32" })))
    local _, gap = ma.linspace(0, 1, 5, { retstep = true })
    assert.equal(0.25, gap)
  end)
end)

describe("a ufunc", function()
  it("is an object with a name", function()
    assert.same({ "add", 2, 1, 0 }, { ma.add.name, ma.add.nin, ma.add.nout, ma.add.identity })
    assert.equal("<ufunc 'add'>", tostring(ma.add))
    assert.is_true(ma.abs == ma.absolute and ma.conj == ma.conjugate)
    assert.is_true(#ma.sqrt.doc > 0 and #ma.sqrt.types > 3)
    assert.same({ 2, 2 }, { ma.divmod.nin, ma.divmod.nout })
    fails("no attribute 'nme'; did you mean 'name'?", function() return ma.add.nme end)
  end)

  it("takes out, dtype, where and casting", function()
    local a, c = ma.array({ 1, 2, 3 }, "float32"), ma.zeros(3)
    assert.is_true(ma.add(a, 1, { out = c }) == c and ma.add(a, 1, c) == c)
    assert.same({ 2, 3, 4 }, list(c))
    assert.equal("float64", ma.add(a, 1, { dtype = "float64" }).dtype)
    ma.multiply(a, 10, { out = c, where = a:gt(1) })
    assert.same({ 2, 20, 30 }, list(c))
    local whole = ma.zeros(3, "int32")
    fails("same_kind", function() local _ = ma.add(a, 0.5, { out = whole }) end)
    ma.add(a, 0.5, { out = whole, casting = "unsafe" })
    assert.same({ 1, 2, 3 }, list(whole))
    fails("this casting", function() local _ = ma.add(a, 1, { out = ma.zeros(3, "float16"), casting = "safe" }) end)
    fails("out of shape (1, 3)", function() local _ = ma.add(a, ma.ones { 2, 1 }, { out = ma.zeros { 1, 3 } }) end)
    fails("do not broadcast", function() local _ = ma.add(a, 1, { out = ma.zeros(4) }) end)
    fails("out is the number 3; wanted an array", function() local _ = ma.add(a, 1, 3) end)
    fails("out is a float64 array (3,); wanted a table of 2 arrays",
      function() local _ = ma.divmod(a, 2, { out = c }) end)
    local q, r = ma.divmod(ma.array { 7, -7 }, 2)
    assert.same({ { 3, -4 }, { 1, 1 } }, { list(q), list(r) })
    local q2, r2 = ma.divmod(ma.array { 7, -7 }, 2, { out = { q, r } })
    assert.is_true(q2 == q and r2 == r)
  end)

  it("is a method and an operator of the same name", function()
    local a, b = ma.array { 1, 4 }, ma.array { 3, 2 }
    assert.same(list(ma.add(a, b)), list(a + b))
    assert.same(list(ma.add(a, b)), list(a:add(b)))
    assert.same({ 1, 2 }, list(a:sqrt()))
    assert.same({ true, false }, list(a:lt(b)))
    assert.same({ false, true }, list(a:ge(b)))
    assert.same({ true, false }, list(a:gt(1):not_()))
    assert.same({ false, true }, list(a:gt(1):and_(b:eq(2))))
    assert.same({ { -1, -4 }, { 1, 0 }, { 1, 16 } }, { list(-a), list(a % 2), list(a ^ 2) })
    assert.same({ { 3, 2 }, { 12, 8 } }, list(ma.multiply.outer(a, b)))
  end)

  it("runs over a table on the device of the arrays", function()
    local a = ma.zeros(2, { device = "cpu" })
    assert.equal("cpu", (a + { 1, 2 }).device)
    assert.equal("cpu", ({ 1, 2 } - a).device)
  end)
end)

describe("devices", function()
  it("are objects and names", function()
    local cpu = ma.device("cpu")
    assert.is_true(cpu == ma.device("cpu"))
    assert.same({ "cpu", "<Device cpu>" }, { cpu.name, tostring(cpu) })
    assert.equal(helper.device, ma.device().name)
    assert.equal("boolean", type(ma.cuda.is_available()))
    local left, total = cpu:mem_info()
    assert.is_true(left > 0 and total >= left)
    fails("no attribute 'nme'", function() return cpu.nme end)
  end)

  it("with() makes one current and restores it, on error too", function()
    local before = ma.device()
    local name, two = ma.device("cpu"):with(function(x) return ma.zeros(1).device, x end, 2)
    assert.same({ "cpu", 2 }, { name, two })
    local fine, text = pcall(function() ma.device("cpu"):with(function() error("boom", 0) end) end)
    assert.same({ false, "boom" }, { fine, text })
    assert.is_true(ma.device() == before)
  end)

  it("ma.numpy is the library bound to the CPU", function()
    assert.equal("cpu", ma.numpy.zeros(2).device)
    assert.equal("cpu", ma.numpy.add({ 1 }, 2).device)
    assert.equal("add", ma.numpy.add.name)
    assert.is_true(ma.get_array_module(ma.numpy.zeros(2)) == ma.numpy and ma.get_array_module() == ma)
    assert.equal(helper.device, ma.zeros(1).device)
    fails("moonarray.zeros: no option 'x'", function() local _ = ma.numpy.zeros(2, { x = 1 }) end)
  end)

  it("tell about memory and configuration", function()
    local pool = ma.get_default_memory_pool("cpu")
    local a = ma.zeros(1000, { device = "cpu" })
    assert.is_true(pool.used_bytes(pool) >= 8000 and pool:total_bytes() >= pool:used_bytes())
    local count, bytes = ma.live_buffers()
    assert.is_true(count >= 1 and bytes >= a.nbytes)
    pool:free_all_blocks()
    assert.is_truthy(ma.show_config(true):find("moonarray " .. ma.version, 1, true))
  end)
end)

describe("the module", function()
  it("can be loaded again: arrays of both loads work together", function()
    local old = ma.ones(2)
    local kept = {}
    for name in pairs(package.loaded) do
      if name:find("^moonarray") then
        kept[name] = package.loaded[name]
        package.loaded[name] = nil
      end
    end
    local again = require "moonarray"
    local new = again.ones(2) + old
    for name, value in pairs(kept) do package.loaded[name] = value end
    assert.same({ 2, 2 }, new:totable())
    assert.is_true(getmetatable(new) == getmetatable(old))
  end)

  it("exports one symbol", function()
    local path = package.searchpath("moonarray.core", package.cpath)
    local pipe = io.popen("nm -D --defined-only '" .. path .. "' 2>/dev/null | grep -v ' [wAV] '")
    local symbols = {}
    for line in pipe:lines() do
      local name = line:match("%S+$")
      if not name:find("^[_.]") and not name:find("^asan") then symbols[#symbols + 1] = name end
    end
    pipe:close()
    assert.same({ "luaopen_moonarray_core" }, symbols)
  end)

  it("loads in a coroutine that dies, and in a sandbox without ffi, debug and io", function()
    local script = [[
      package.preload.ffi = function() error("no ffi") end
      package.loaded.ffi, package.loaded.debug, package.loaded.io, debug, io = nil, nil, nil, nil, nil
      local ma = coroutine.wrap(function() return require "moonarray" end)()
      collectgarbage() collectgarbage()
      local a = ma.array { 1, 2, 3 } * 2
      assert(tostring(a):find("%[2. 4. 6.%]") and a(2) == 4)
      local fine, text = pcall(function() local _ = a + "x" end)
      assert(text:find("moonarray.add: b is the string 'x'", 1, true), text)
      os.exit(0, true)]]
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(script)
    file:close()
    -- A LuaJIT of another kind, as for musl, has a module that lua5.1 does not load.
    local own = os.getenv("LUAJIT") or arg[-1] or "luajit"
    for _, lua in ipairs { own, own == "luajit" and "lua5.1" or nil } do
      if os.execute("command -v " .. lua .. " >/dev/null 2>&1") == 0 then
        assert.equal(0, os.execute(("MOONARRAY_DEVICE=cpu %s %s"):format(lua, path)), lua)
      end
    end
    os.remove(path)
  end)

  it("asks for a collection when arrays pile up, unless the collector was stopped", function()
    local most = 0
    for _ = 1, 40 do
      local _ = ma.zeros(2 ^ 20)                                  -- 8 MiB each
      most = math.max(most, select(2, core.live_buffers()))
    end
    assert.is_true(most < 40 * 2 ^ 23)
  end)
end)

describe("a shape", function()
  it("prints as a tuple and compares by its extents", function()
    assert.equal("(2, 3)", tostring(ma.zeros({ 2, 3 }).shape))
    assert.equal("(4,)", tostring(ma.zeros(4).shape))
    assert.equal("()", tostring(ma.zeros({}).shape))
    assert.is_true(ma.zeros({ 2, 3 }).shape == ma.ones({ 2, 3 }).shape)
    assert.is_false(ma.zeros({ 2, 3 }).shape == ma.ones({ 3, 2 }).shape)
    assert.is_false(ma.zeros({ 2, 3 }).shape == ma.ones({ 2, 3, 1 }).shape)
  end)

  it("in several arguments, or behind a colon, is an error that says how to write it", function()
    assert.matches("moonarray%.zeros: a shape in several numbers; wanted one table: ma%.zeros%({2, 3}%)",
      helper.fails(ma.zeros, 2, 3))
    assert.matches("one table: ma%.ones%({2, 3}%)", helper.fails(ma.ones, 2, 3, "float32"))
    assert.matches("one table: ma%.empty%({2, 3}%)", helper.fails(ma.empty, 2, 3, { dtype = "float32" }))
    assert.matches("one table: ma%.full%({2, 3, 4}, 7%)", helper.fails(ma.full, 2, 3, 4, 7))
    assert.matches("a call with a colon; wanted a dot: ma%.zeros%(%.%.%.%)", helper.fails(ma.zeros, ma, 3))
  end)
end)

describe("a dtype under another name", function()
  it("is understood in NumPy's spellings, and comes back under ours", function()
    for word, name in pairs { float = "float64", double = "float64", int = "int64", long = "int64", half = "float16",
      f4 = "float32", ["<i8"] = "int64", ["|u1"] = "uint8", ["=c16"] = "complex128", single = "float32" } do
      assert.equal(name, ma.zeros(3, word).dtype)
      assert.equal(name, ma.arange(3, word == "|u1" and "u1" or word).dtype)
      assert.equal(name, ma.zeros(3):astype(word).dtype)
    end
    assert.matches("no dtype '>f4'", helper.fails(ma.zeros, 3, ">f4"))            -- its bytes are the other way round
  end)

  it("is an error that names the dtype where the word has several meanings", function()
    for word, name in pairs { byte = "uint8", char = "int8", number = "float64", ["torch.FloatTensor"] = "float32" } do
      assert.matches(("no dtype '%s'; did you mean '%s'"):format(word:gsub("%p", "%%%0"), name),
        helper.fails(ma.zeros, 3, word))
    end
  end)
end)
