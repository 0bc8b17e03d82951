--- ma.fuse: the same bits as the operations one after another, one trace for each combination of kinds, and errors that
--- name what cannot be traced.

local helper = require "spec.helper"
local ma = helper.ma

local random = helper.random(41)
local function pick(list) return list[random(1, #list)] end

-- ==== Random functions ====

local unary = { "negative", "absolute", "sign", "square", "sqrt", "exp", "log", "sin", "tanh", "floor", "isnan",
  "signbit",
  "logical_not", "reciprocal", "conjugate", "positive", "invert" }
local binary = { "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "maximum", "minimum", "less",
  "equal",
  "greater_equal", "not_equal", "logical_and", "logical_xor", "bitwise_and", "left_shift", "hypot", "arctan2",
  "copysign", "power" }
local operators = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end,
  function(a, b) return a / b end, function(a, b) return a % b end,
}
local powers = { 2, 1, 0.5, 0, -1, 3, 1.5 }
local constants = { 0, 1, 2, -3, 0.5, 2.5, 1e3, 7, -0.0, 200, 300 }
local casts = { "float32", "float64", "int32", "float16", "bool", "int64", "uint8", "bfloat16", "complex64" }

--- An expression as a function of the arguments, with its text.
local function expression(depth, narg)
  if depth == 0 or random() < 0.1 then
    if random() < 0.25 then
      local c = pick(constants)
      return function() return c end, tostring(c)
    end
    local k = random(1, narg)
    return function(...) return (select(k, ...)) end, "x" .. k
  end
  local a, ta = expression(depth - 1, narg)
  local kind = random()
  if kind < 0.2 then
    local name = pick(unary)
    if name == "negative" and random() < 0.5 then return function(...) return -a(...) end, "-" .. ta end
    return function(...) return ma[name](a(...)) end, name .. "(" .. ta .. ")"
  elseif kind < 0.28 then
    local p = pick(powers)
    return function(...) return a(...) ^ p end, ("(%s ^ %g)"):format(ta, p)
  elseif kind < 0.36 then
    local dtype = pick(casts)
    return function(...) return a(...):astype(dtype) end, ta .. ":" .. dtype
  end
  local b, tb = expression(depth - 1, narg)
  if kind < 0.6 then
    local which = random(1, #operators)
    local f = operators[which]
    return function(...) return f(a(...), b(...)) end, ("op%d(%s, %s)"):format(which, ta, tb)
  elseif kind < 0.92 then
    local name = pick(binary)
    return function(...) return ma[name](a(...), b(...)) end, ("%s(%s, %s)"):format(name, ta, tb)
  end
  local c, tc = expression(depth - 1, narg)
  if random() < 0.5 and ta:find "x%d" then                 -- clip makes an array of constants alone
    return function(...) return ma.clip(a(...), b(...), c(...)) end, ("clip(%s, %s, %s)"):format(ta, tb, tc)
  end
  return function(...) return ma.where(ma.greater(a(...), 1), b(...), c(...)) end,
    ("where(%s > 1, %s, %s)"):format(ta, tb, tc)
end

local reductions = {
  function(x) return x:sum() end, function(x) return x:sum(1) end,
  function(x) return x:max(-1, { keepdims = true }) end,
  function(x) return x:mean({ 1 }) end, function(x) return ma.argmax(x, 1) end, function(x) return x:any(1) end,
  function(x) return x:all({ keepdims = false }) end, function(x) return x:var(-1, { ddof = 1 }) end,
  function(x) return ma.nansum(x) end,
  function(x) return ma.nanmean(x, 1) end, function(x) return x:prod(1, { dtype = "float64" }) end,
  function(x) return x:std() end,
  function(x) return ma.count_nonzero(x, 1) end, function(x) return x:min({ initial = -2, where = x:gt(1) }) end,
}

local shapes = { { 3, 4 }, { 4 }, { 3, 1 }, { 1 }, {}, { 2, 3, 4 } }

local function some_array(dtype, shape)
  local size = 1
  for d = 1, #shape do size = size * shape[d] end
  local list = {}
  for k = 1, size do list[k] = random(-6, 9) / (random() < 0.5 and 1 or 4) end
  if random() < 0.2 then list[random(1, size)] = pick({ 0, ma.nan, ma.inf, -ma.inf }) end
  local a = ma.array(list):reshape(shape):astype(dtype)
  return #shape == 2 and random() < 0.3 and a.T:copy().T or a
end

local function some_arguments(n)
  local list = {}
  for k = 1, n do
    local what = random()
    list[k] = what < 0.75 and some_array(pick(helper.dtypes), pick(shapes)) or what < 0.95 and pick(constants)
      or pick({ ma.complex(1, -2), ma.float32(2.5) })
  end
  return list
end

local function first_array(arguments)
  for _, a in ipairs(arguments) do
    if helper.core.is_array(a) then return a end
  end
end

--- An array with the shape of all arguments, which element-wise results have.
local function widened(array, like, arguments)
  local list = {}
  for _, a in ipairs(arguments) do
    if helper.core.is_array(a) then list[#list + 1] = a.shape end
  end
  local done, shape = pcall(ma.broadcast_shapes, unpack(list))
  if done and ma.same_shape(like, ma.empty(shape)) then return ma.broadcast_to(array, shape) end
  return array
end

--- f over the arrays themselves, as a rule: constants that are chosen have the first array's dtype.
local function as_rule(f, arguments)
  local first = first_array(arguments)
  if first then return pcall(helper.core.stencil_rule, first.dtype, f, unpack(arguments)) end
  return pcall(f, unpack(arguments))
end

--- Both ways; an error of one must be an error of the other.
local function compare(f, fused, arguments, text)
  local wanted, found = { as_rule(f, arguments) }, { pcall(fused, unpack(arguments)) }
  if not found[1] and tostring(found[2]):find("signed integer array, whose exponents", 1, true) then return false end
  -- Constants alone are booleans of Lua, with which a recording computes as with an array that the function makes:
  if found[1] and not wanted[1] and tostring(wanted[2]):find("a boolean value", 1, true) then return false end
  -- A comparison of constants alone:
  if not found[1] and tostring(found[2]):find("result 1 is a boolean", 1, true) then return false end
  if not found[1] and tostring(found[2]):find("arithmetic of numbers alone", 1, true) then return false end
  if not found[1] and tostring(found[2]):find("at most 128, 25 and 16", 1, true) then return false end
  if not found[1] and tostring(found[2]):find("the number %-?%d+ does not fit") then return false end
  if not wanted[1] then
    assert(not found[1], ("%s: no error; unfused: %s"):format(text, tostring(wanted[2])))
    return false
  end
  assert(found[1], ("%s: %s"):format(text, tostring(found[2])))
  assert(#found == #wanted, "as many results")
  for k = 2, #wanted do
    if not helper.core.is_array(wanted[k]) then wanted[k] = ma.asarray(wanted[k]):astype(found[k].dtype) end
    helper.identical(found[k], widened(wanted[k], found[k], arguments), text)
  end
  return true
end

local function kinds_of(arguments)
  local list = {}
  for k, a in ipairs(arguments) do
    list[k] = helper.core.is_array(a) and ("%s %s"):format(a.dtype, helper.shape(a)) or tostring(a)
  end
  return table.concat(list, ", ")
end

describe("a comparison of results", function()
  it("takes a NaN of any bits for a NaN", function()
    local all = ("\255"):rep(16)
    for _, dtype in ipairs { "float16", "float32", "float64", "complex64", "complex128" } do
      local nan = dtype:find("complex") and ma.complex(ma.nan, ma.nan) or ma.nan
      local nans = helper.bytes(ma.full(16 / helper.itemsize[dtype], nan, dtype))
      assert.is_nil(helper.difference(all, nans, dtype))
      assert.is_nil(helper.difference(nans, all, dtype))
      assert.matches("nan", helper.difference(all, ("\0"):rep(16), dtype))
      for _, number in ipairs(helper.numbers(all, dtype)) do assert.is_true(number ~= number) end
    end
  end)
end)

describe("a fused function", function()
  it("computes with numbers alone as Lua does: a NaN of theirs has no sign", function()
    local signed = ma.fuse(function(x, y) return ma.where(ma.signbit(x ^ 1.5), 7, y) end)
    assert.same({ 0, 1 }, signed(-3, ma.arange(2)):totable())
    assert.is_false(ma.signbit((-3) ^ 1.5))
  end)

  it("computes operations on numbers alone as without it", function()
    local scaled = ma.fuse(function(x, y, n)
      return x * ma.sqrt(y) + ma.clip(n, 1, 3) + ma.where(ma.isnan(y), 1, ma.bitwise_and(n, 6))
    end)
    local x = ma.array({ 1, 2 }, "float32")
    for _, y in ipairs { 4, 2.25, 9, 0 / 0, 2 } do
      for _, n in ipairs { 7, 2, -1 } do
        local rest = y ~= y and 1 or require "bit".band(n, 6)
        helper.identical(scaled(x, y, n), x * math.sqrt(y) + math.max(1, math.min(n, 3)) + rest, tostring(y))
      end
    end
    assert.equal("float32", scaled(x, 2.5, 2).dtype)
    local whole = ma.fuse(function(a, y) return a * ma.sqrt(y) end)
    for _, y in ipairs { 4, 2.25, 16 } do
      assert.equal((ma.arange(3) * math.sqrt(y)).dtype, whole(ma.arange(3), y).dtype)
    end
    local power = ma.fuse(function(a, n) return a * ma.power(ma.gcd(n, 6), 2) end)
    assert.same({ 9 }, power(ma.ones(1), 3):totable())
    assert.same({ 36 }, power(ma.ones(1), 12):totable())
    assert.matches('moonarray.gcd: dtype float64; gcd takes integers; write ma.array%(t, "int64"%)',
      helper.fails(power, ma.ones(1), 1.5))
    local branches = ma.fuse(function(a, y)
      if ma.greater(y, 1) then return a end
      return a * 2
    end)
    helper.identical(branches(x, 0), x * 2)
    helper.identical(branches(x, 2), x)
    assert.matches("moonarray.add: a is a boolean", helper.fails(ma.fuse(function(a, y) return ma.isnan(y) + a end),
      x, 1))
  end)

  it("counts a constant once that is used beside two dtypes, if one holds it as exactly as the other", function()
    local function sum(x, y)
      local a, b = 0, 0
      for k = 1, 12 do a, b = a + x * (k + 0.5), b + y * (k + 0.5) end
      return a - b, ma.copysign(x, -0.0) + y * -0.0
    end
    local function thirds(x, y)
      local a, b = 0, 0
      for k = 1, 12 do a, b = a + x * (k / 3), b + y * (k / 3) end
      return a - b
    end
    for _, pair in ipairs { { "float64", "float32" }, { "float32", "float64" }, { "int32", "float32" } } do
      local x, y = ma.array({ 1, 2.5, -3.25 }, pair[1]), ma.array({ 1.1, 2.5, -3.25 }, pair[2])
      for _, f in ipairs { sum, thirds } do
        local fused = ma.fuse(f)
        local found, wanted = { fused(x, y) }, { f(x, y) }
        for k = 1, #wanted do helper.identical(found[k], wanted[k], pair[1]) end
        local is_program = f == sum or pair[1] ~= "float32"
        local other = helper.compiles and "as C++" or "in plain operators"
        assert.equal(is_program, not tostring(fused):find(other, 1, true), tostring(fused))
      end
    end
  end)

  it("knows that a comparison of numbers decided a zero", function()
    local f = ma.fuse(function(x, n) return ma.divide(x:astype("int32"), ma.where(ma.greater(n, 1), n, -0)) end)
    assert.same({ ma.inf, ma.inf }, f(ma.ones(2, "uint16"), 0):totable())
    assert.same({ 0.5, 0.5 }, f(ma.ones(2, "uint16"), 2):totable())
  end)

  it("gives the bits of its operations, for random expressions over all dtypes", function()
    local failures, ran = helper.failures(), 0
    for _ = 1, helper.long and 3000 or helper.thin and 25 or 250 do
      local narg = random(1, 3)
      local f, text = expression(random(1, 4), narg)
      local fused = ma.fuse(f)
      for _ = 1, helper.thin and 1 or 3 do
        local arguments = some_arguments(narg)
        local label = ("%s of (%s)"):format(text, kinds_of(arguments))
        local alone = text:find "clip" and not first_array(arguments)
        failures:run(label, function()
          if not alone and compare(f, fused, arguments, "") then ran = ran + 1 end
        end)
      end
    end
    failures:check()
    assert(ran > 10, ran .. " compared")
  end)

  it("gives the bits of reductions at its end", function()
    local failures = helper.failures()
    for _ = 1, helper.long and 1000 or helper.thin and 20 or 150 do
      local narg = random(1, 2)
      local map, text = expression(random(1, 3), narg)
      local reduce, other = random(1, #reductions), random(1, #reductions)
      local function f(...)
        local x = map(...)
        return reductions[reduce](x), reductions[other](x)
      end
      local fused = ma.fuse(f)
      local arguments = { some_array(pick(helper.dtypes), { 3, 4 }),
        some_array(pick(helper.dtypes), pick({ { 4 }, { 3, 4 }, { 2, 3, 4 } })) }
      failures:run(("reductions %d, %d of %s of (%s)"):format(reduce, other, text, kinds_of(arguments)), function()
        if not text:find("x%d") then return end                     -- numbers alone have no reductions
        compare(f, fused, arguments, "")
      end)
    end
    failures:check()
  end)

  it("is traced once for each combination of kinds, and serves any shapes", function()
    local calls = 0
    local f = ma.fuse(function(x, y)
      calls = calls + 1
      return x * y + 1
    end, { name = "multiply_add" })
    local a, b = some_array("float32", { 3, 4 }), some_array("float64", { 4 })
    for _ = 1, 3 do helper.identical(f(a, b), a * b + 1) end
    helper.identical(f(b:astype("float32"), a:astype("float64")), b:astype("float32") * a:astype("float64") + 1)
    assert.equals(1, calls)
    helper.identical(f(b, a), b * a + 1)
    helper.identical(f(a, 2), a * 2 + 1)
    helper.identical(f(a, 3), a * 3 + 1)
    helper.identical(f(a, 2.5), a * 2.5 + 1)
    helper.identical(f(a, b), a * b + 1)
    assert.equals(4, calls)
    assert.equals(4, f.traces)
    assert.equals("multiply_add", f.name)
    assert.matches("multiply%.float64", f.cached_code)
    assert.equals("<fused function 'multiply_add', 4 traces>", tostring(f))
    f:clear()
    assert.equals(0, f.traces)
    helper.identical(f(a, b), a * b + 1)
    assert.equals(5, calls)
  end)

  it("computes each common part once and drops what no result needs", function()
    local f = ma.fuse(function(x, y)
      local unused = ma.exp(y) * 3
      return ma.sqrt(x + 1) * ma.sqrt(x + 1) + (x + 1), unused and x - 1
    end)
    f(some_array("float64", { 4 }), some_array("float64", { 1 }))
    local _, n = f.cached_code:gsub("\n  r%d", "")
    assert.equals(5, n)
  end)

  it("keeps numbers as parameters, with the forms that their values ask for", function()
    local calls = 0
    local function power(x, p) return x ^ p end
    local f = ma.fuse(function(x, p)
      calls = calls + 1
      return power(x, p)
    end)
    local a = some_array("float64", { 5 })
    for _, p in ipairs({ 3, 4, 5, 2, 1, 2, 7, 0.5, 1.5, -1, 2.5 }) do
      helper.identical(f(a, p), power(a, p), "^ " .. p)
    end
    assert.equals(6, calls)                                       -- 3; 2; 1; 0.5; 1.5; -1
    local i = ma.array({ 1, 2, 3 }, "int32")
    helper.identical(f(i, 3), i ^ 3)
    assert.matches("negative power", helper.fails(f, i, -3))
    helper.identical(f(i, 2), i ^ 2)

    local g = ma.fuse(function(x, s) return x:lt(s), x + s / 2 * 3 end)
    local u = ma.array({ 1, 200, 255 }, "uint8")
    for _, s in ipairs({ 4, 20, 3, 8 }) do
      local less, sum = g(u, s)
      helper.identical(less, u:lt(s))
      helper.identical(sum, u + s / 2 * 3, "s = " .. s)
    end
    assert.matches("does not fit uint8", helper.fails(g, u, 600))
    local h = ma.fuse(function(x, s) return x:lt(s) end)
    helper.identical(h(u, 100), u:lt(100))
    helper.identical(h(u, 300), u:lt(300))
  end)

  it("does arithmetic of numbers alone as Lua does", function()
    local function f(x, s, t) return x * (s % t) + (s - t) / t - (-s) ^ 2 end
    local fused = ma.fuse(f)
    local x = some_array("float32", { 6 })
    for _ = 1, 30 do
      local s, t = random(-9, 9) / pick({ 1, 2 }), random(1, 9) / pick({ 1, 4 })
      helper.identical(fused(x, s, t), f(x, s, t), ("%g, %g"):format(s, t))
    end
    local y = fused(5, 7, 2)                                      -- no array at all: 0-d on the current device
    assert.equals("int64", ma.fuse(function(a, b) return a + b end)(1, 2).dtype)
    assert.equals(f(5, 7, 2), y:item())
    assert.equals(0, y.ndim)
  end)

  it("has several results, and takes out", function()
    local f = ma.fuse(function(x, y) return x + y, x * y, (x - y):sum(1) end)
    local a, b = some_array("float64", { 3, 4 }), some_array("float64", { 3, 4 })
    local s, p, r = f(a, b)
    helper.identical(s, a + b)
    helper.identical(p, a * b)
    helper.identical(r, (a - b):sum(1))
    local one, three = ma.empty({ 3, 4 }, "float32"), ma.empty(4)
    local x, y, z = f(a, b, { out = { one, nil, three } })
    assert(rawequal(x, one) and rawequal(z, three))
    helper.identical(one, (a + b):astype("float32"))
    helper.identical(y, a * b)
    helper.identical(three, r)
    local g = ma.fuse(function(v) return v * 2 + 1 end)
    local wanted = a * 2 + 1
    assert(rawequal(g(a, { out = a }), a))
    helper.identical(a, wanted)
    assert.matches("shape", helper.fails(g, a, { out = ma.empty(5) }))
    assert.matches("same_kind", helper.fails(g, a, { out = ma.empty({ 3, 4 }, "int8") }))
    assert.matches("no option 'axis'", helper.fails(g, a, { axis = 1 }))
    assert.matches("wanted a table of 3 arrays", helper.fails(f, a, b, { out = a }))
    local sum = ma.fuse(function(v) return v:sum(1, { keepdims = true }), v + 1 end)
    local row = some_array("float64", { 1, 4 })
    assert.matches("shares memory", helper.fails(sum, row, { out = { row } }))
    helper.identical(ma.fuse(function(v) return v end)(a), a)
  end)

  it("inlines fused functions that it calls", function()
    local square = ma.fuse(function(x) return x * x, x end)
    local f = ma.fuse(function(x, y)
      local s = square(x)
      return s + square(y) * 2
    end)
    local a, b = some_array("float32", { 3, 1 }), some_array("float32", { 4 })
    helper.identical(f(a, b), a * a + b * b * 2)
    assert.equals(0, square.traces)
    assert.matches("only the outer one takes it", helper.fails(ma.fuse(function(x) return (square(x, { out = a })) end),
      a))
    local inner = ma.fuse(function(x) return x + 1 end)
    local kept
    local outer = ma.fuse(function(x)
      kept = x
      return x + inner(a):sum()                                   -- runs at once, in each call
    end)
    helper.identical(outer(a), a + (a + 1):sum())
    a:iadd(1)
    helper.identical(outer(a), a + (a + 1):sum())
    assert.matches("has returned", helper.fails(function() return kept + 1 end))
    assert.matches("has returned", helper.fails(function() return kept:sqrt() end))
  end)

  it("takes the functions of the Lua layer, dtype, ndim, real and imag", function()
    local list = {
      function(x) return ma.clip(x, -1, 2) end, function(x) return ma.round(x, 1) end,
      function(x) return ma.isclose(x, 1) end,
      function(x) return ma.nan_to_num(x) end, function(x) return ma.angle(x) end,
      function(x) return ma.where(x, 1, x) end,
      function(x) return x.real + x.imag end, function(x) return ma.asarray(x):copy() + 0 end,
      function(x) return ma.float32(x) end,
      function(x) return x * ma.complex(1, 2) + ma.complex(0, 1) * x end, function(x) return x.ndim + x end,
      function(x) return x.dtype == "float32" and x or x + 1 end,
      function(x) return ma.add(x, 1, { where = x:gt(1) }) end,
      function(x) return ma.add(x, 1, { dtype = "complex128" }) end, function(x) return (ma.divmod(x, 2)) end,
      function(x) return ma.sqrt(4) * 0 + x end and function(x) return x:lt(3) * x:gt(1) end,
    }
    for k, f in ipairs(list) do
      for _, dtype in ipairs({ "float32", "int16", "float64", k <= 4 and "float16" or "uint8" }) do
        local x = some_array(dtype, { 3, 4 })
        if dtype:find("int") then x = x + 0 end
        helper.identical(ma.fuse(f)(x), f(x), "function " .. k .. " of " .. dtype)
      end
    end
    local f = ma.fuse(function(x) return x + x.ndim end)
    for _, shape in ipairs(shapes) do
      local x = some_array("float64", shape)
      helper.identical(f(x), x + #shape)
    end
    assert.equals(4, f.traces)
  end)

  it("takes tables, numbers, complex numbers and 0-d arrays", function()
    local f = ma.fuse(function(x, y) return x * y - y end)
    local a = some_array("float32", { 3 })
    helper.identical(f(a, { 1, 2, 3 }), a * ma.array({ 1, 2, 3 }) - ma.array({ 1, 2, 3 }))
    helper.identical(f(a, ma.complex(1, 2)), a * ma.complex(1, 2) - ma.complex(1, 2))
    helper.identical(f(a, ma.float64(3)), a * ma.float64(3) - ma.float64(3))
    helper.identical(f(a, 5LL), a * 5 - 5)
    helper.identical(f(ma.zeros({ 0, 3 }), a), ma.zeros({ 0, 3 }) * a - a)
  end)

  it("names what cannot be traced", function()
    local a, other = ma.array({ 1, 2, 3 }), ma.array({ 1, 2, 3 })
    local cases = {
      { "moonarray.cumsum: cannot be part of a fused function", function(x) return (x:cumsum()) end },
      { "moonarray.reshape: cannot be part", function(x) return (ma.reshape(x, { 3, 1 })) end },
      { "moonarray.item: cannot be part", function(x) return x:item() + 1 end },
      { "moonarray.iadd: cannot be part", function(x) return (x:iadd(1)) end },
      { "moonarray.stack: cannot be part", function(x) return (ma.stack({ x, x })) end },
      { "moonarray.zeros_like: cannot be part", function(x) return (ma.zeros_like(x)) end },
      { "moonarray.ptp: cannot be part", function(x) return (ma.ptp(x)) end },
      { "moonarray.nanargmax: cannot be part", function(x) return (ma.nanargmax(x)) end },
      { "moonarray.sum: cannot be part", function(x) return (other:sum(x)) end },
      { "moonarray.diff: cannot be part of a fused function, since it asks for x.shape",
        function(x) return (ma.diff(x)) end },
      { "moonarray: x.shape inside", function(x) return x.shape[1] + x end },
      { "moonarray: x.T inside", function(x) return x.T + 1 end },
      { "moonarray: no attribute 'sprt'", function(x) return x:sprt() end },
      { "moonarray: x%(...%) inside", function(x) return x(1) + 1 end },
      { "moonarray: an index inside", function(x) return x[1] + 1 end },
      { "moonarray: an index inside", function(x) return x["1:2"] + 1 end },
      { "moonarray: an assignment inside", function(x) x[1] = 2 return x end },
      { "moonarray: tostring inside", function(x) return #tostring(x) + x end },
      { "moonarray: %.%. inside", function(x) return "x = " .. x end },
      { "moonarray: #x inside", jit and function(x) return ma.add(#x, 1) end },
      { "moonarray.add: a table beside", function(x) return x + { 1, 2, 3 } end },
      { "moonarray.all: a Lua boolean", function(x) return x:gt(0):all() and x or -x end },
      { "moonarray.add: out inside a fused function", function(x) return (ma.add(x, 1, { out = other })) end },
      { "moonarray.fuse: arithmetic on a boolean", function(x) return x * (x.dtype == 1) end },
      { "moonarray.fuse: result 1 is the string 'no'", function() return "no" end },
      { "moonarray.fuse: the function returned nothing", function() end },
      { "moonarray.min: where without initial", function(x) return (x:min({ where = x:gt(0) })) end },
    }
    local failures = helper.failures()
    for _, case in ipairs(cases) do
      if case[2] then
        failures:run(case[1], function() assert.matches(case[1], helper.fails(ma.fuse(case[2]), a)) end)
      end
    end
    failures:check()
    assert.matches("axis", helper.fails(ma.fuse(function(x) return (x:sum(2)) end), a))
    assert.matches("numbers alone", helper.fails(ma.fuse(function(s) return (ma.sum(ma.sqrt(s))) end), 2))
    assert.matches("argument 1 is nil", helper.fails(ma.fuse(function(_, y) return y end), nil, a))
    assert.matches("argument 2 is a boolean", helper.fails(ma.fuse(function(_, y) return y end), a, true))
    assert.matches("no arguments", helper.fails(ma.fuse(function(x) return x end)))
    assert.matches("freed",
      helper.fails(ma.fuse(function(x) return x end), (function() local z = a:copy() z:free() return z end)()))
    assert.matches("wanted a Lua function", helper.fails(ma.fuse, 3))
    assert.matches("wanted an identifier", helper.fails(ma.fuse, print, { name = "a b" }))
    assert.matches("wanted an identifier", helper.fails(ma.fuse, print, { name = "a\0b" }))
    assert.matches("moonarray.mine: result 1", helper.fails(ma.fuse(function() return {} end, "mine"), a))
  end)

  it("passes the function's own errors through and leaves nothing behind", function()
    local a, object = ma.array({ 1, 2, 3 }), {}
    local f = ma.fuse(function() error(object) end)
    local ok, got = pcall(f, a)
    assert(not ok and rawequal(got, object))
    assert.equals(0, f.traces)
    local fails = true
    local g = ma.fuse(function(x)
      if fails then error("not yet", 0) end
      return x + 1
    end)
    ok, got = pcall(g, a)
    assert(not ok and got == "not yet")
    fails = false
    helper.identical(g(a), a + 1)
    local function deep(x) return deep(x) + 1 end
    assert(not pcall(ma.fuse(deep), a))
    local itself
    itself = ma.fuse(function(x) return itself(x) + 1 end)
    assert(not pcall(itself, a))
    assert.equals(0, itself.traces)
    helper.identical(a + 1, g(a))
  end)

  it("survives a finaliser that clears it, and being cleared while it is traced", function()
    local a = ma.array({ 1, 2, 3 })
    local plain = ma.fuse(function(x) return x + 1 end)
    local g
    g = ma.fuse(function(x)
      g:clear()
      return x * 2
    end)
    for _ = 1, 3 do
      getmetatable(newproxy(true)).__gc = function()
        g:clear()
        plain:clear()
      end
      collectgarbage()
      helper.identical(g(a), a * 2)
      helper.identical(plain(a), a + 1)
    end
  end)

  it("forgets its traces when there are too many", function()
    local f = ma.fuse(function(x, ...)
      for k = 1, select("#", ...) do x = x + (select(k, ...)) end
      return x
    end)
    local most, one = 0, ma.empty(2)
    for code = 0, 299 do
      local list, n = {}, code
      for k = 1, 8 do
        list[k] = n % 2 == 0 and 1 or 0.5
        n = math.floor(n / 2)
      end
      list[#list + 1] = { out = one }
      f(code < 256 and one or one:astype("float32"), unpack(list))
      most = math.max(most, f.traces)
    end
    assert.equals(256, most)
    assert.equals(44, f.traces)
  end)
end)
