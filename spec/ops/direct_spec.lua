-- One operation on small arrays of the CPU is computed without a program: the same bits, dtypes and errors as with one.

local ffi = require "ffi"
local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local random = helper.random(41)

if helper.device ~= "cpu" then return end

local byte, SIZES = string.char, { 1, 7, 15, 16, 17, 31, 200, 256, 272, 300, 1000, 1024, 3000 }

local function bytes(n, dtype)
  local list = {}
  for k = 1, n * helper.itemsize[dtype] do list[k] = byte(random(0, 255)) end
  return table.concat(list)
end

-- Numbers whose results are mostly finite, and any bits at all.
local function operand(n, dtype, shape)
  if random(0, 1) == 0 then return helper.array(bytes(n, dtype), dtype, shape) end
  local list = {}
  for k = 1, n do list[k] = random(-9, 9) / (helper.itemsize[dtype] > 2 and 4 or 1) end
  return ma.array(list):astype(dtype):reshape(shape or { n }):eval()
end

--- fn with single operations by the short ways, and by the long one, with programs that wait.
local function both(fn)
  local before = core.defer_from(4096)
  local direct = { pcall(fn) }
  core.defer_from(1)
  core.long_way(true)
  local program = { pcall(fn) }
  core.long_way(false)
  core.defer_from(before)
  return direct, program
end

local function message(err) return (tostring(err):gsub("^[^:]*:%d+: ", "")) end

local function agree(label, fn)
  local direct, program = both(fn)
  assert.equal(program[1], direct[1], label)
  if not program[1] then
    assert.equal(message(program[2]), message(direct[2]), label)
    return
  end
  for k = 2, #program do
    local a, b = program[k], direct[k]
    assert.equal(a.dtype, b.dtype, label)
    assert.same(a.shape, b.shape, label)
    assert.same(a.strides, b.strides, label)
    helper.identical(b, a, label)
  end
end

local function pick(list) return list[random(1, #list)] end

describe("a cast of a small array", function()
  local names = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "bfloat16", "float32", "float64", "complex64", "complex128" }
  it("has the bits and the layout of a program's", function()
    for _, from in ipairs(names) do
      local x = operand(pick { 7, 16, 17, 48 }, from)
      local deep = ma.array({ { 1, 2, 3 }, { 4, 5, 6 } }):astype(from):eval()
      for _, to in ipairs(names) do
        agree(from .. " to " .. to, function()
          return x:astype(to), deep:astype(to), deep.T:astype(to), deep:astype(to, { order = "F" }), x["::2"]:astype(to)
        end)
      end
    end
  end)
end)

-- The same elements in several layouts, and other views of `x`, which has three axes.
local function layouts(x)
  return { x, x.T, x:transpose(3, 1, 2), x:transpose(2, 1, 3), x[{ {}, {}, { -1, 1, -1 } }], x[{ { -1, 1, -1 } }],
    x[{ { 1, -1, 2 }, {}, { 1, -1, 2 } }], x[{ {}, 1 }], x[{ {}, {}, 1 }], x[{ 1, 1 }], x[{ 1, {}, 2 }],
    ma.broadcast_to(x[{ {}, {}, { 1, 1 } }], x.shape), x:reshape(-1)[{ { -1, 1, -3 } }], x[{ { 1, 1 }, { 1, 1 }, 2 }] }
end

describe("a copy of a small array", function()
  it("has the bits and the layout of a program's", function()
    for _, dtype in ipairs(helper.dtypes) do
      for k, x in ipairs(layouts(operand(4 * 3 * 7, dtype, { 4, 3, 7 }))) do
        for _, order in ipairs { "C", "F", "A", "K" } do
          agree(("%s, view %d, %s"):format(dtype, k, order), function() return x:copy(order) end)
        end
        agree(("%s, view %d to float64"):format(dtype, k), function() return x:astype("float64"), x:astype("bool") end)
        agree(("%s, view %d reshaped"):format(dtype, k), function() return x:reshape(-1), x:flatten() end)
      end
    end
  end)
end)

describe("a value in every element of a small array", function()
  it("has the bits of a program's", function()
    for _, dtype in ipairs(helper.dtypes) do
      for _, n in ipairs { 1, 2, 3, 5, 15, 16, 17, 33, 129, 300, 4095 } do
        for _, v in ipairs { 0, 1, -1, 2.5, 1e30, 0 / 0, -0.0 } do
          agree(("%s, %d of %g"):format(dtype, n, v), function()
            local base = ma.zeros(n + 2, dtype)
            base[{ { 2, n + 1 } }]:fill(v)
            return base, ma.full(n, v, dtype), ma.ones(n, dtype), ma.zeros({ 1, n }, dtype)
          end)
        end
      end
    end
  end)

  it("spares what a program is still to read, and what is read-only", function()
    local a, before = ma.arange(30):astype("float64"):eval(), core.defer_from(1)
    local later = a * 2
    core.defer_from(4096)
    a:fill(7)
    core.defer_from(before)
    helper.identical(ma.arange(30):astype("float64") * 2, later, "pending reader")
    local wide = ma.broadcast_to(ma.ones(1), { 5 })
    assert.matches("read%-only", helper.fails(function() wide:fill(2) end))
  end)
end)

describe("a short list of numbers", function()
  it("becomes what a long one does", function()
    for n = 1, 20 do
      local list, long = {}, {}
      for k = 1, 40 do long[k] = k % 7 == 0 and 0 / 0 or k % 5 == 0 and -1 / 0 or (k - 9) / 3 end
      for k = 1, n do list[k] = long[k] end
      for _, dtype in ipairs { "float32", "float64", "complex64" } do
        helper.identical(ma.array(long, dtype)[{ { 1, n } }]:copy(), ma.array(list, dtype), dtype .. n)
      end
      helper.identical(ma.array(list, "float64"), ma.array(list), n)
      local own = ma.zeros(n)
      for k = 1, n do own[k] = list[k] end
      helper.identical(own, ma.array(list), n)
    end
  end)
end)

describe("one operation on small arrays", function()
  local names = {}
  for name, u in pairs(helper.ufuncs()) do
    if u.nin <= 2 and u.nout == 1 then names[#names + 1] = name end
  end
  table.sort(names)

  local function each(fn)
    for _, name in ipairs(names) do
      local u = ma[name]
      for _, dtype in ipairs(helper.dtypes) do
        for _ = 1, helper.long and 20 or 2 do fn(name .. " of " .. dtype, u, dtype, pick(SIZES)) end
      end
    end
  end

  it("gives the bits that its program gives", function()
    each(function(label, u, dtype, n)
      local x, y = operand(n, dtype), operand(n, dtype)
      agree(label .. " " .. n, function() return u(x, u.nin == 2 and y or nil) end)
      agree(label .. " twice " .. n, function() return u(x, u.nin == 2 and x or nil) end)
    end)
  end)

  it("takes numbers as its program does, whether they fit or not", function()
    local numbers = { 0, 1, -1, 2, 3.5, 0.5, -0.0, 300, -200, 1e30, 2 ^ 40, 1 / 0, 0 / 0 }
    each(function(label, u, dtype, n)
      if u.nin ~= 2 then return end
      local x, v = operand(n, dtype), pick(numbers)
      agree(("%s with %g, %d"):format(label, v, n), function() return u(x, v) end)
      agree(("%g with %s, %d"):format(v, label, n), function() return u(v, x) end)
    end)
  end)

  it("writes results that are given, and operands in place", function()
    each(function(label, u, dtype, n)
      local x, y = operand(n, dtype), operand(n, dtype)
      local a, b = x:copy(), y:copy()
      local function again(...)
        ma.copyto(a, x)
        ma.copyto(b, y)
        return ...
      end
      agree(label .. " into the first " .. n, function() again() return u(a, u.nin == 2 and b or nil, { out = a }) end)
      if u.nin == 2 then
        agree(label .. " into the second " .. n, function() again() return u(a, b, { out = b }) end)
      end
      agree(label .. " into a part " .. n, function()
        again()
        local base = ma.zeros(n + 3, dtype)
        return u(a, u.nin == 2 and b or nil, { out = base[{ { 2, n + 1 } }] }), base
      end)
      if n > 2 then
        agree(label .. " shifted " .. n, function()
          again()
          return u(a[{ { 1, n - 1 } }], u.nin == 2 and b[{ { 1, n - 1 } }] or nil, { out = a[{ { 2, n } }] }), a
        end)
      end
    end)
  end)

  it("has several axes, views and results of other dtypes", function()
    each(function(label, u, dtype)
      local x, y = operand(60, dtype, { 5, 12 }), operand(60, dtype, { 5, 12 })
      local function second(a) return u.nin == 2 and a or nil end
      agree(label .. " of two axes", function() return u(x, second(y)) end)
      agree(label .. " of rows", function() return u(x["2:4, :"], second(y["1:3, :"])) end)
      agree(label .. " of columns", function() return u(x[":, 2:4"], second(y[":, 3:5"])) end)
      agree(label .. " transposed", function() return u(x.T, second(y.T)) end)
      agree(label .. " broadcast", function() return u(x, second(y["1:1, :"])) end)
      agree(label .. " into complex128",
        function() return u(x, second(y), { out = ma.zeros({ 5, 12 }, "complex128") }) end)
    end)
  end)

  it("packs operands of any layout, and repeats those that are broadcast", function()
    each(function(label, u, dtype)
      local x, y = operand(60, dtype, { 5, 4, 3 }), operand(60, dtype, { 5, 4, 3 })
      local function second(a) return u.nin == 2 and a or nil end
      local views = layouts(x)
      for _ = 1, 4 do
        local k = random(1, #views)
        agree(("%s, view %d"):format(label, k), function() return u(views[k], second(views[k])) end)
        agree(("%s, view %d beside a number"):format(label, k), function() return u(views[k], second(2)) end)
      end
      if u.nin == 1 then return end
      for k, other in ipairs { y, y[{ 1 }], y[{ 1, 1 }], y[{ {}, {}, { 2, 2 } }], y[{ {}, { 1, 1 } }],
        y[{ 1, 1, 1 }], y[{ { 2, 2 }, {}, { 3, 3 } }], operand(1, dtype), operand(2, dtype, { 2, 1, 1, 1 }),
        operand(7, dtype) } do
        agree(("%s, broadcast %d"):format(label, k), function() return u(x, other) end)
        agree(("%s, broadcast %d first"):format(label, k), function() return u(other, x) end)
      end
      agree(label .. " of a column and a row", function() return u(x[{ {}, { 1, 1 }, 1 }], y[{ 1, { 1, 1 } }]) end)
      local row = y[{ 1 }]
      agree(label .. " of a row into an operand", function()
        local out = x:copy()
        return u(out, row, { out = out })
      end)
    end)
  end)

  it("copies rows that lie apart, of any length", function()
    each(function(label, u, dtype)
      local rows, columns = random(1, 9), random(1, 70)
      local x, y = operand((rows + 2) * (columns + 5), dtype, { rows + 2, columns + 5 }), operand(rows * columns, dtype,
        { rows, columns })
      local inner, other = x[{ { 2, rows + 1 }, { 3, columns + 2 } }], x[{ { 1, rows }, { 6, columns + 5 } }]
      label = ("%s, %d x %d"):format(label, rows, columns)
      local function second(a) return u.nin == 2 and a or nil end
      agree(label .. " of one array", function() return u(inner, second(other)) end)
      agree(label .. " beside packed ones", function() return u(inner, second(y)) end)
      agree(label .. " behind packed ones", function() return u(y, second(inner)) end)
      agree(label .. " twice", function() return u(other, second(other)) end)
      if u.nin == 2 then
        agree(label .. " beside a number", function() return u(inner, 3) end)
        agree(label .. " into an operand", function()
          local out = y:copy()
          return u(out, other, { out = out })
        end)
      end
    end)
  end)

  it("is a reduction of all elements too", function()
    for _, name in ipairs { "sum", "prod", "min", "max", "mean", "var", "std", "argmin", "argmax", "any", "all",
      "count_nonzero", "logsumexp",
      "nansum", "nanmax", "nanargmin" } do
      for _, dtype in ipairs(helper.dtypes) do
        for _ = 1, helper.long and 40 or 6 do
          local n = pick { 1, 2, 15, 100, 127, 128, 129, 500, 895, 896, 897, 1000, 1023, 1024, 1025, 2048, 4000,
            random(1, 4095) }
          local x = operand(n, dtype)
          local two = pick { x, x:reshape(1, n, 1), x[{ { -1, 1, -1 } }], x[{ { 1, n, 2 } }],
            ma.broadcast_to(x[{ { 1, 1 } }], { n }) }
          if n % 20 == 0 then two = pick { two, x:reshape(n / 20, 4, 5).T, x:reshape(4, n / 4).T } end
          agree(("%s of %d %s"):format(name, n, dtype), function()
            local result = ma[name](two)
            return type(result) == "boolean" and ma.array(result) or result
          end)
        end
      end
    end
  end)

  it("keeps the values that a program is still to read", function()
    local a, b = ma.arange(3000):astype("float64"):eval(), ma.ones(3000)
    local before = core.defer_from(1)
    local later = a * 2
    core.defer_from(4096)
    ma.add(a, b, { out = a })
    core.defer_from(before)
    helper.identical(ma.arange(3000) :astype("float64") * 2, later, "pending reader")
    helper.identical(ma.arange(3000) + ma.ones(3000), a, "written")
  end)

  it("takes a bool of any byte but 0 for true, and writes 1", function()
    local before = core.defer_from(4096)
    finally(function() core.defer_from(before) end)
    for _, n in ipairs { 1, 5, 16, 33, 1000 } do
      local some, ones = {}, {}
      for k = 1, n do
        some[k] = byte(k % 3 == 0 and 0 or k % 256)
        ones[k] = byte(some[k] == "\0" and 0 or 1)
      end
      local x, no = ma.eval(ma.zeros(n, "bool"), ma.zeros(n, "bool"))
      ffi.copy(ffi.cast("char *", x:data()), table.concat(some), n)
      local wanted = table.concat(ones)
      local function is(bytes_, made) assert.equal(bytes_, ffi.string(made:eval():data(), n)) end
      is(wanted, x:copy())
      is(wanted, x:or_(no))
      is(wanted, x:not_():eval():not_())
      is(wanted:reverse(), x[{ { -1, 1, -1 } }]:copy())
      is(wanted, x:astype("uint8"))
    end
  end)

  it("writes nothing that is read-only", function()
    local x = ma.ones(4, { device = "cpu" })
    local constant = ma.frombuffer(helper.bytes(ma.arange(4, "float64")), "float64")
    local before = core.defer_from(4096)
    assert.matches("read%-only", helper.fails(ma.add, x, x, { out = constant }))
    core.defer_from(before)
    assert.same({ 0, 1, 2, 3 }, constant:totable())
  end)

  it("leaves nothing where memory or the operation fails", function()
    local a = ma.ones(100)
    local before = core.defer_from(4096)
    collectgarbage()
    collectgarbage("stop")
    local live = core.live_buffers()
    core.fail_allocation(1, 1000)
    assert.matches("out of memory", helper.fails(function() return a + 1 end))
    core.fail_allocation(0)
    core.make_fail("launch", 1, 1)
    assert.matches("made to fail", helper.fails(function() return a + 1 end))
    core.make_fail("launch", 1, 1)
    assert.matches("made to fail", helper.fails(function() return a:sum() end))
    core.make_fail("launch", 0)
    assert.equal(live, core.live_buffers())
    collectgarbage("restart")
    core.defer_from(before)
  end)

  it("leaves results that overlap their operands otherwise than element for element", function()
    for _, n in ipairs { 5, 40, 300, 3000 } do
      for shift = -3, 3 do
        for name, call in pairs {
          add = function(x, y, out) return ma.add(x, y, { out = out }) end,
          subtract = function(x, y, out) return ma.subtract(y, x, { out = out }) end,
          sqrt = function(x, _, out) return ma.sqrt(x, { out = out }) end,
        } do
          local base, other = ma.arange(n + 6, "float64"):eval(), ma.arange(n, "float64"):eval()
          local x, out = base[{ { 4, n + 3 } }], base[{ { 4 + shift, n + 3 + shift } }]
          local want = call(x:copy(), other, ma.empty(n, "float64")):totable()
          local before = core.defer_from(4096)
          call(x, other, out)
          core.defer_from(before)
          helper.identical(ma.array(want, "float64"), out:copy(), ("%s of %d, moved by %d"):format(name, n, shift))
        end
      end
    end
  end)
end)
