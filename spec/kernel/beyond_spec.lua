-- Functions of elements that are no selects: stencils as C++ over values, in their plain form and as programs.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

local FILE = "spec/kernel/beyond_spec.lua:"

describe("a stencil of a device function", function()
  it("gives what the same function gives as a program, at every edge", function()
    local function rule(u, v) return u(0, 0) + 0.5 * (u(-1, 2) - v(1, 0)), v(0, -1) * 2 end
    local u, v = (ma.arange(35) * 11 % 17):reshape(5, 7):astype("float32"), ma.ones({ 7, 5 }, "float32").T
    local translated = ma.jit.device(rule)
    for _, boundary in ipairs { "constant", "nearest", "leave", { "wrap", "mirror" } } do
      local options = { boundary = boundary, value = 3, out = 2 }
      local a, b = ma.stencil(translated, options)(u, v)
      local wanted_a, wanted_b = ma.stencil(rule, options)(u, v)
      assert.equal(wanted_a.dtype, a.dtype)
      ma.testing.assert_array_equal(a, wanted_a)
      ma.testing.assert_array_equal(b, wanted_b)
    end
    local out = { ma.zeros({ 7, 5 }, "float64").T, ma.zeros { 5, 7 } }
    local s = ma.stencil(translated, { out = 2 })
    assert.equal(out[1], (s(u, v, { out = out })))
    ma.testing.assert_array_equal(out[1], (s(u, v)):astype("float64"))
  end)

  it("branches on elements, step after step", function()
    local limit = 2
    local life = ma.stencil(ma.jit.device(function(u)
      local n = 0
      n = n + u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1)
      if n == limit + 1 or (n == limit and u(0, 0) == 1) then return 1 end
      return 0
    end), { boundary = "wrap" })
    local glider = ma.zeros({ 8, 9 }, "uint8")
    glider["1, 2"], glider["2, 3"], glider["3, 1:3"] = 1, 1, 1
    local after = life:run(glider, { steps = 4 })
    assert.equal("uint8", after.dtype)
    ma.testing.assert_array_equal(after, ma.roll(glider, { 1, 1 }, { axis = { 1, 2 } }))
    limit = 7
    assert.equal(0, life(glider):sum():item())                 -- an upvalue is looked at in each call
    assert.equal(0, life(ma.zeros({ 0, 3 }, "uint8")).size)
  end)

  it("says what is wrong", function()
    local function of(source, ...) return fails(ma.stencil(ma.jit.device(source)), ...) end
    local x = ma.ones(3)
    assert.matches("offset 1 of 'u'; wanted a constant whole number from %-4096 to 4096",
      of("function(u) return u(0.5) end", x))
    assert.matches("a neighbour by 2 offsets of a field of 1 axes", of("function(u) return u(0, 0) end", x))
    assert.matches("a position of 'u', a field of a stencil; wanted offsets", of("function(u) return u[1] end", x))
    assert.matches("the function returns 2 values; wanted out = 1", of("function(u) return u(0), u(1) end", x))
    assert.matches("2 fields; wanted 1: u", of("function(u) return u(0) end", x, x))
    assert.matches("field 2 has shape .-; wanted", of("function(u, v) return u(0) + v(0) end", x, ma.ones(4)))
    assert.matches("field 1 has 4 axes; wanted 1 to 3",
      of("function(u) return u(0, 0, 0, 0) end", ma.ones { 1, 1, 1, 1 }))
  end)
end)

local function collatz(u)
  local x, n, most = u(0, 0), 0, 0
  while x > 1 do
    if x % 2 == 0 then x = x / 2 else x = 3 * x + 1 end
    n = n + 1
    if n > 20 then break end
  end
  for i = -1, 1 do
    for j = -1, 2 do most = math.max(most, u(i, j)) end
  end
  return n + most
end

describe("a stencil whose loops follow elements", function()
  local boundaries = { "constant", "wrap", "nearest", "reflect", "mirror", "leave", { "constant", "wrap" } }

  it("gives what its plain form gives, at every edge and of every dtype", function()
    local failures = helper.failures()
    for k, dtype in ipairs { "float64", "int32", "uint8", "bfloat16" } do
      for b, boundary in ipairs(boundaries) do
        failures:run(dtype .. b, function()
          local u = (ma.arange(35) * 11 % 17):reshape(5, 7):astype(dtype)
          if (k + b) % 2 == 0 then u = ma.concatenate({ u, u }, 2)[{ {}, { 1, 14, 2 } }].T end
          local options = { boundary = boundary, value = 3 }
          local got = ma.stencil(collatz, options)(u)
          options.plain = true
          local wanted = ma.stencil(collatz, options)(u)
          assert.equal(wanted.dtype, got.dtype)
          ma.testing.assert_array_equal(got, wanted)
        end)
      end
    end
    failures:check()
  end)

  it("writes into results of other strides and dtypes, and takes steps", function()
    local function rule(u, v)
      local n = 0
      while n < u(-1) do n = n + 1 end
      return v(1) + 1, u(0) - n
    end
    local u, v = ma.array({ 3, 1, 4, 1, 5 }, "float32"), ma.array({ 2, 7, 1, 8, 2 }, "float32")
    local s = ma.stencil(rule, { out = 2, boundary = "wrap" })
    local plain = ma.stencil(rule, { out = 2, boundary = "wrap", plain = true })
    local out = { ma.zeros({ 5, 2 }, "float64")[{ {}, 2 }], ma.zeros(5, "float32") }
    s(u, v, { out = out })
    local a, b = plain(u, v)
    ma.testing.assert_array_equal(out[1], a:astype("float64"))
    ma.testing.assert_array_equal(out[2], b)
    local c, d = s:run(u, v, { steps = 3 })
    for _ = 1, 3 do u, v = plain(u, v) end
    ma.testing.assert_array_equal(c, u)
    ma.testing.assert_array_equal(d, v)
    assert.equal(0, (s(ma.zeros(0), ma.zeros(0))).size)
  end)

  it("calls functions, and looks at what it takes from outside in each call", function()
    local limit = 3
    local function halves(x)
      local n = 0
      while x > limit do x, n = x / 2, n + 1 end
      return n
    end
    local s = ma.stencil(function(u)
      local function shifted(f, k) return halves(f(1)) + k end
      return shifted(u, 10) + 0 * u(0)
    end, { boundary = "wrap" })
    local x = ma.array { 1, 9, 30 }
    assert.same({ 12, 14, 10 }, s(x):totable())
    limit = 10
    assert.same({ 10, 12, 10 }, s(x):totable())
    assert.matches("as C%+%+", tostring(s))
  end)

  it("takes arrays from outside, which count with their element at the position", function()
    local rate, wall = ma.array(2.0, "float32"), ma.array({ 0, 1, 0, 0, 1 }, "uint8")
    local function rule(u)
      local x = u(0)
      while x > rate and wall == 0 do x = x - rate end
      return x
    end
    local s, u = ma.stencil(rule), ma.array({ 1, 5, 9, 2, 7 }, "float32")
    assert.same({ 1, 5, 1, 2, 7 }, s(u):totable())
    rate:assign(5)                                             -- in place: nothing is compiled again
    assert.same({ 1, 5, 4, 2, 7 }, s(u):totable())
    wall = wall + 1
    assert.same({ 1, 5, 9, 2, 7 }, s:run(u, { steps = 2 }):totable())
    local drawn = ma.stencil(function(v)
      local x = v(0)
      while x > rate do x = x - 1 - math.random() end
      return x
    end)(u)
    assert(drawn:max():item() <= 5 and drawn:eq(u):sum():item() == 3)
    wall = ma.ones(3)
    assert.matches("shape", fails(s, u))
  end)

  it("may count to elements and index tables by them, without a test", function()
    local function sum(n)
      local s = 0
      for i = 1, n do s = s + i end
      return s
    end
    local x = ma.array { 1, 2, 3 }
    for _, f in ipairs { ma.fuse(sum), ma.fuse(function(v) return sum(v) end),
      ma.stencil(function(u)
        local s = 0
        for i = 1, u(0) do s = s + i end
        return s
      end) } do
      assert.same({ 1, 3, 6 }, f(x):totable())
    end
    assert.same({ 5, 6, 7 }, ma.fuse(function(v)
      local t = { 5, 6, 7 }
      return t[v]
    end)(x):totable())
    assert.same({ 7, 1, 7 }, ma.stencil(function(u)
      local t = { 7, 7 }
      t[u(0)] = 1
      return t[1] + 0 * u(0)
    end)(ma.array { 2, 1, 3 }):totable())
    -- bounds that are numbers stay a recording
    local k = 3
    local f = ma.fuse(function(v)
      for _ = 1, k do v = v + 1 end
      return v
    end)
    assert.same({ 4, 5, 6 }, f(x):totable())
  end)

  it("has tables as private arrays", function()
    local function median(u)
      local t, swapped, rounds = { u(-2), u(-1), u(0), u(1), u(2) }, true, 0
      while swapped do
        swapped, rounds = false, rounds + 1
        for k = 1, #t - 1 do
          if t[k] > t[k + 1] then t[k], t[k + 1], swapped = t[k + 1], t[k], true end
        end
      end
      return t[3] + 0 * rounds
    end
    local function counts(u)
      local n, seen, x = 0, { 0, 0, 0, 0 }, u(0)
      while x > 0 do
        n = n % 4 + 1
        seen[n], x = seen[n] + 1, x - 1
      end
      return seen[1] * 10 + seen[2]
    end
    local function weighed(u)                  -- numbers in a table are weak: the field's dtype stays
      local t = { 1, 2 }
      local k, x = 1, u(0)
      while x > 3 do k, x = 2, x / 2 end
      return u(0) * t[k]
    end
    for _, dtype in ipairs { "float64", "float32", "int16", "uint8" } do
      local u = (ma.arange(40) * 17 % 23):astype(dtype)
      for _, rule in ipairs { median, counts, weighed } do
        local got = ma.stencil(rule, { boundary = "wrap" })(u)
        local wanted = ma.stencil(rule, { boundary = "wrap", plain = true })(u)
        assert.equal(wanted.dtype, got.dtype)
        ma.testing.assert_array_equal(got, wanted)
      end
    end
    local function of(rule) return fails(ma.stencil(rule), ma.ones(2)) end
    assert.matches("position 3 on axis 1 of a private array; wanted 1..2", of(function(u)
      local t, n = { 5, 7 }, 0
      while n < u(0) do n = n + 1 end
      return t[n] + t[3]
    end))
    assert.matches("a table without elements; jit.local_memory%(dtype, shape%) makes one", of(function(u)
      local t, n = {}, 0
      while n < u(0) do n = n + 1 end
      t[n] = 1
      return t[1]
    end))
    local place = ma.stencil(function(u)
      local t, x = { 5, 7, 9 }, u(0)
      while x > 8 do x = x - 8 end
      t[x] = t[x] + 1
      return t[x]
    end)
    assert.same({ 6, 0, 10, 6 }, place(ma.array({ 1, 4, 3, 9 }, "int32")):totable())
  end)

  it("reaches as far as offsets may", function()
    local function rule(u)
      local n = 0
      while n < u(70) and n < 3 do n = n + 1 end
      return u(-40) + n
    end
    for _, boundary in ipairs { "wrap", "constant", "mirror" } do
      for _, n in ipairs { 50, 300 } do
        local u = ma.arange(n) * 7 % 5
        ma.testing.assert_array_equal(ma.stencil(rule, { boundary = boundary })(u),
          ma.stencil(rule, { boundary = boundary, plain = true })(u))
      end
    end
  end)

  it("is C++ beyond the limits of a program, or array operations", function()
    local function long(u)
      local x = u(0)
      for k = 1, 90 do x = (x * 3 + u(-1)) % (k % 5 + 7) end
      return x
    end
    local u = ma.arange(20, "int32")
    local compiled, not_compiled = ma.stencil(long), ma.stencil(long, { compile = false })
    ma.testing.assert_array_equal(compiled(u), not_compiled(u))
    assert.matches(helper.compiles and "as C%+%+: .*128 instructions" or "by array operations: no kernel stencil",
      tostring(compiled))
    assert.matches("by array operations: .*128 instructions", tostring(not_compiled))
  end)

  it("says in its text why it is no program: too many numbers, or a reduction", function()
    local function sum(x)
      return x * 1.5 + x * 2.5 + x * 3.5 + x * 4.5 + x * 5.5 + x * 6.5 + x * 7.5 + x * 8.5 + x * 9.5 + x * 10.5
        + x * 11.5 + x * 12.5 + x * 13.5 + x * 14.5 + x * 15.5 + x * 16.5 + x * 17.5
    end
    local fused, stencil = ma.fuse(sum, "sums"), ma.stencil(function(u) return sum(u(0)) end)
    local centred, program = ma.fuse(function(x) return x - x:mean() end), ma.fuse(function(x) return x * 1.5 end)
    local x = ma.arange(3)
    assert.same({ 0, 161.5, 323 }, fused(x):totable())
    assert.same({ 0, 161.5, 323 }, stencil(x):totable())
    centred(x)
    program(x)
    assert.matches(("'sums', 1 trace, %s: .*17 scalars; a program has at most 128, 25 and 16>"):format(
      helper.compiles and "as C%+%+" or "in plain operators"), tostring(fused))
    assert.matches(helper.compiles and "as C%+%+: .*17 scalars" or "by array operations", tostring(stencil))
    assert.matches("1 trace, in plain operators: it computes with the result of a reduction>", tostring(centred))
    assert.matches("1 trace>", tostring(program))
    fused:clear()
    assert.matches("0 traces>", tostring(fused))
  end)

  it("names the function's line where it is no C++, or where there is no compiler", function()
    local function foreign(u)
      local x = u(0)
      while x > 1 do x = x:sqrt() end
      return x
    end
    local said = fails(ma.stencil(foreign), ma.ones(3))
    local line = debug.getinfo(foreign, "S").linedefined + 2
    local place = FILE:gsub("[%-%.]", "%%%0") .. line
    assert.matches("^" .. place .. ": moonarray.stencil: how often a loop runs depends on elements", said)
    assert.matches("nor is it C%+%+: .*" .. line .. ": .*:sqrt", said)
    assert.matches("nor is it C%+%+: it reads 49 neighbours, arrays and draws; at most 25", fails(ma.stencil(function(u)
      local n = 0
      while n < u(0, 0) do n = n + 1 end
      for i = -3, 3 do
        for j = -3, 3 do n = n + u(i, j) end
      end
      return n
    end), ma.ones { 3, 3 }))
    if helper.device ~= "cpu" then return end
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write([[
local ma = require "moonarray"
local function rule(u)
  local x = u(0)
  while x > 1 do x = x / 2 end
  return x
end
print(pcall(ma.stencil(rule), ma.ones(3)))
print(pcall(ma.stencil(function(u) return u(u(0)) end), ma.ones(3)))
local function long(u)
  local x = u(0)
  for _ = 1, 150 do x = u(1) - x end
  return x
end
local s = ma.stencil(long)
print(s(ma.ones(3)):totable()[2], s)
local c = {}
local f = ma.fuse(function(x)
  if x < 0 then return -x end
  for k = 1, 20 do x = x + c[k] end
  return x
end)
for round = 1, 3 do
  for k = 1, 20 do c[k] = k + round / 4 end
  print("round", f(ma.array { -1, 0 }):totable()[2], f.traces, f)
end
]])
    file:close()
    local pipe = io.popen(("LUA=$(command -v '%s'); CXX= PATH=/nowhere MOONARRAY_DEVICE=cpu \"$LUA\" '%s' 2>&1"):format(
      arg[-1] or "luajit", path))
    local printed = pipe:read "*a"
    pipe:close()
    os.remove(path)
    assert.matches(":4: moonarray.stencil: how often a loop runs depends on elements.-; as C%+%+ it needs a compiler: "
      .. "no C%+%+ compiler was found", printed)
    assert.matches(":8: moonarray.stencil: offset 1 of a neighbour depends on elements; as C%+%+ it needs a compiler: "
      .. "no C%+%+ compiler was found", printed)
    assert.matches("\n1\tmoonarray stencil of 1 result, by array operations: no C%+%+ compiler", printed)
    for round = 1, 3 do              -- more numbers from outside than a program has
      assert.matches(("\nround\t%d\t1\t<fused function 'fuse', 1 trace, in plain operators: .- at most 128, 25 and 16>")
        :format(210 + 5 * round), printed)
    end
  end)
end)

describe("a fused function whose loops follow elements", function()
  local function escape(cx, cy, most)
    local x, y, n = 0, 0, 0
    while x * x + y * y < 4 and n < most do
      x, y, n = x * x - y * y + cx, 2 * x * y + cy, n + 1
    end
    return n
  end

  it("gives what its plain form gives, broadcast, and into given arrays", function()
    local x, y = ma.linspace(-2, 1, 7):reshape(1, 7), ma.linspace(-1, 1, 3):reshape(3, 1)
    local f, plain = ma.fuse(escape), ma.fuse(escape, { plain = true })
    for _, dtype in ipairs { "float64", "float32", "int16" } do
      local a, b = x:astype(dtype), y:astype(dtype)
      local got, wanted = f(a, b, 20), plain(a, b, 20)
      assert.equal(wanted.dtype, got.dtype)
      ma.testing.assert_array_equal(got, wanted)
    end
    local before = f.traces
    local out = ma.zeros({ 3, 7 }, "float32")
    assert.equal(out, (f(x, y, 30, { out = out })))
    ma.testing.assert_array_equal(out, plain(x, y, 30):astype("float32"))
    assert.equal(before, f.traces)                             -- another number is no other function
    assert.matches("C%+%+", f.cached_code)
    ma.testing.assert_array_equal(f(-1, y, 20), plain(-1, y, 20))
    assert.equal(20, f(0, 0, 20):item())                       -- whole numbers alone
  end)

  it("looks at what it takes from outside in each call, and at its numbers", function()
    local least = 1
    local f = ma.fuse(function(v, by)
      local n = v - v
      while v > least do v, n = v - by, n + 1 end
      return n
    end)
    local v = ma.array({ 1, 4, 9 }, "uint8")
    assert.same({ 0, 2, 4 }, f(v, 2):totable())
    least = 4
    assert.same({ 0, 0, 3 }, f(v, 2):totable())
    assert.matches("the number 300 does not fit uint8", fails(f, v, 300))
  end)

  it("has as many operations as it wants", function()
    local function long(v, w)
      for k = 1, 90 do v = (v * 3 + w) % (k % 5 + 7) end
      return v
    end
    local v, w = ma.arange(6), ma.arange(6) + 3
    ma.testing.assert_array_equal(ma.fuse(long)(v, w), ma.fuse(long, { plain = true })(v, w))
  end)
end)
