--- Numbers that kernels in Lua take from outside, and that change: they are parameters, and no other text.

local ma, fails, compiles = require("spec.helper").ma, require("spec.helper").fails, require("spec.helper").compiles

local math = math                      -- busted gives another table at each look
local jit = ma.jit

--- How many translations f makes.
local function translations(f)
  local translate = require "moonarray.jit.translate"
  local kernel, functions, n = translate.kernel, translate.functions, 0
  translate.kernel = function(...)
    n = n + 1
    return kernel(...)
  end
  translate.functions = function(...)
    n = n + 1
    return functions(...)
  end
  local done, why = pcall(f)
  translate.kernel, translate.functions = kernel, functions
  if not done then error(why, 0) end
  return n
end

local function near(wanted, got) assert.is_true(math.abs(wanted - got) <= 1e-12 * math.abs(wanted), got) end

describe("a number that a kernel takes from outside", function()
  local rate, count, config = 1, 3, { speed = 1, limit = 2 }
  local scaled = jit.device(function(x) return x * config.speed + math.sin(rate) end)
  local x = ma.array { 1, 5 }

  it("is a parameter from its first change on, also in device functions", function()
    local f = ma.vectorize(function(v)
      local twice = rate * 2
      if v > config.limit then return scaled(v) - twice end
      return v * twice + math.floor(rate)
    end)
    -- where no C++ can be compiled, the function's operations run one by one, and its numbers are looked at each time
    assert.equal(compiles and 2 or 1, translations(function()
      for i = 1, 1000 do
        rate, config.speed, config.limit = i + 0.25, i, i % 4
        local got = f(x):totable()
        for k, v in ipairs { 1, 5 } do
          near(v > i % 4 and v * i + math.sin(rate) - 2 * rate or v * 2 * rate + i, got[k])
        end
      end
    end))
  end)

  it("is one in rawkernel, elementwisekernel and the map of reductionkernel", function()
    local raw = jit.rawkernel(function(a, b)
      local i = jit.grid(1)
      if i <= #a then b[i] = scaled(a[i]) + rate end
    end)
    local each = jit.elementwisekernel(function(v)
      local sum = 0
      for _ = 1, count do sum = sum + v * rate end
      return sum
    end)
    local total = jit.reductionkernel { map = function(v) return v * rate + count end,
      reduce = function(a, b) return a + b end }
    local b = ma.zeros(2)
    assert.equal(6, translations(function()
      for i = 1, 100 do
        rate, count, config.speed = i + 0.5, i % 5, i
        raw(1, 32, { x, b })
        near(5 * i + math.sin(rate) + rate, b:totable()[2])
        near(5 * count * rate, each(x):totable()[2])
        near(6 * rate + 2 * count, total(x):item())
      end
    end))
  end)

  it("keeps its kind: another one, or one that does not fit, is another translation", function()
    local f = ma.vectorize(function(v) return v + count end)
    local bytes = ma.array({ 1, 2 }, "uint8")
    for i = 1, 4 do
      count = i
      assert.same({ "uint8", 1 + i }, { f(bytes).dtype, f(bytes):totable()[1] })
    end
    count = 300
    assert.matches(compiles and "the number 300 does not fit uint8" or "the number 300 does not fit uint8;",
      fails(f, bytes))
    count = 1.5
    assert.same({ "float64", 2.5 }, { f(bytes).dtype, f(bytes):totable()[1] })
    count = 7
    assert.same({ "uint8", 8 }, { f(bytes).dtype, f(bytes):totable()[1] })
    assert.equal(0, translations(function()
      for _, value in ipairs { 2, 2.5, 3, 3.5 } do
        count = value
        f(bytes)
      end
    end))
  end)

  it("is a constant where the text needs its value: exponents and steps", function()
    local power = ma.vectorize(function(v) return v ^ count end)
    local steps = ma.vectorize(function(v)
      local sum = 0
      for k = 1, 10, count do sum = sum + v * k end
      return sum
    end)
    for i = 1, 3 do
      count = i
      local sum = 0
      for k = 1, 10, i do sum = sum + k end
      assert.equal(5 ^ i, power(x):totable()[2])
      assert.equal(5 * sum, steps(x):totable()[2])
    end
  end)

  it("is a boolean or nil after it was a number", function()
    local f = ma.vectorize(function(v)
      if count then return v end
      return -v
    end)
    for _, value in ipairs { 1, 2, true, false, 3 } do
      count = value
      assert.equal(value and 5 or -5, f(x):totable()[2])
    end
  end)

  it("tells zeros apart by their signs", function()
    local f = ma.vectorize(function(v) return v / rate end)
    for _, zero in ipairs { 0, -0.0, 0, -0.0 } do
      rate = zero
      assert.equal(1 / zero, f(x):totable()[1])
    end
  end)
end)

describe("a number that functions beyond selects take from outside", function()
  local limit, config, start = 1, { by = { k = 2 } }, 0
  local function scaled(v) return v / config.by.k end

  local function rule(v)
    local n = start
    while v > limit do v, n = scaled(v), n + 1 end
    return n + v * limit
  end

  --- The rule by ma.fuse, ma.stencil and ndimage.generic_filter, each as C++.
  local function forms()
    local function of_window(w) return rule(w[1]) end
    return ma.fuse(rule), ma.stencil(function(u) return rule(u(0)) end),
      function(v) return ma.ndimage.generic_filter(v, of_window, 1, { output = v.dtype }) end
  end

  it("is an argument of their C++ from its first change on", function()
    local x = ma.array { 5, 90 }
    for k, f in ipairs { forms() } do
      assert.equal(2, translations(function()
        for i = 1, 1000 do
          limit, config.by.k, start = i % 7 + 1.5, i % 3 + 2, i
          assert.same({ rule(5), rule(90) }, f(x):totable(), k)
        end
      end))
    end
  end)

  it("gives the bits and the dtypes that it gives as a constant", function()
    local x, changes = ma.array({ 5, 90, 7 }, "float32"), { forms() }
    for i, value in ipairs { 3, 5, 4 / 3 } do
      limit, config.by.k, start = value, i + 2, i
      local results = {}
      for k, f in ipairs(changes) do results[k] = f(x) end
      for k, constant in ipairs(i == 3 and { forms() } or {}) do
        ma.testing.assert_array_equal(results[k], constant(x))
        assert.equal("float32", results[k].dtype)
      end
    end
    for _, dtype in ipairs { "bfloat16", "int16", "uint8" } do
      local v, f, plain = x:astype(dtype), ma.fuse(rule), ma.fuse(rule, { plain = true })
      for i, value in ipairs { 3, 5, 4, 2.5 } do
        limit, config.by.k, start = value, i % 2 + 2, i
        local got, wanted = f(v), plain(v)
        assert.equal(wanted.dtype, got.dtype)
        ma.testing.assert_array_equal(got, wanted)
      end
    end
  end)

  it("goes through Lua's mathematics as Lua computes it", function()
    local x = ma.array { 5, 90 }
    local function sum(v)
      local n = 0
      while v > limit do v, n = v - limit, n + 1 end
      return n + math.sin(limit) - math.log(limit, 2) + math.max(-limit, math.floor(limit / 2)) * math.exp(-limit)
    end
    local f, s = ma.fuse(sum), ma.stencil(function(u) return sum(u(0)) end)
    for i = 2, 5 do
      limit = i + 0.5
      assert.same({ sum(5), sum(90) }, f(x):totable())
      assert.same({ sum(5), sum(90) }, s(x):totable())
    end
  end)

  it("is -0 where Lua computes that", function()
    local x = ma.array { 5, 90 }
    local function product(v)
      while v > 9 do v = v - 81 end
      return v * (start * limit)
    end
    for _, f in ipairs { ma.fuse(product), ma.vectorize(product) } do
      for i = 1, 6 do
        start, limit = i % 2, i - 4
        for k, got in ipairs(f(x):totable()) do assert.equal(1 / product(k == 1 and 5 or 90), 1 / got) end
      end
    end
  end)

  it("is an error where it does not fit, at the function's line, and may fit again", function()
    local x = ma.array({ 1, 9 }, "uint8")
    local function count(v)
      local n = 0
      while v > 3 do v, n = v - limit, n + 1 end
      return n
    end
    for _, f in ipairs { ma.fuse(count), ma.stencil(function(u) return count(u(0)) end) } do
      for value = 1, 4 do
        limit = value
        assert.equal(math.ceil(6 / value), f(x):totable()[2])
      end
      limit = 300
      assert.matches("jit_taken_spec.lua:%d+: .*the number 300 does not fit uint8", fails(f, x))
      limit = 2
      assert.equal(3, f(x):totable()[2])
      limit = nil
      assert.is_string(fails(f, x))
      limit = 6
      assert.equal(1, f(x):totable()[2])
    end
  end)

  it("is watched where its value is needed, and other numbers are arguments all the same", function()
    local reach = 1
    local function spread(u)
      local x, n = u(0), 0
      while x > limit do x, n = x - 1, n + 1 end
      for k = -reach, reach do n = n + u(k) end
      return n
    end
    local function power(v)
      local x, n = v, 0
      while x > limit do x, n = x - 1, n + 1 end
      return v ^ reach + n
    end
    local s, f, u = ma.stencil(spread), ma.fuse(power), ma.array { 1, 9, 4 }
    limit, reach = 2, 1
    for i = 1, 4 do
      limit, reach = i, i % 2 + 1
      local n = 9 - i
      assert.equal(n + 14, s(u):totable()[2])
      assert.equal(n + 9 ^ reach, f(u):totable()[2])
    end
    assert.equal(0, translations(function()
      for i = 1, 8 do
        limit = i
        assert.equal(9 - i + 14, s(u):totable()[2])
        assert.equal(9 - i + 9 ^ reach, f(u):totable()[2])
      end
    end))
  end)

  it("does not hide another table, function or device function", function()
    local inner, device = function(v) return v + 1 end, jit.device(function(v) return v * 2 end)
    local function both(v)
      local n = 0
      while n < v do n = n + 1 end
      return inner(n) + device(n) * config.by.k
    end
    local x, list = ma.array { 2, 3 }, { ma.fuse(both), ma.vectorize(both), jit.elementwisekernel(both) }
    for i = 1, 4 do
      config.by, inner = { k = i }, function(v) return v + i end
      device = jit.device(i % 2 == 0 and function(v) return v * 2 end or function(v) return v * 3 end)
      for _, f in ipairs(list) do
        assert.same({ 2 + i + 2 * (3 - (i + 1) % 2) * i }, { f(x):totable()[1] })
      end
    end
    config.by = { k = 2 }
  end)
end)

describe("captures of a kernel", function()
  local gravity, config = 9.8, { speed = 3, deep = { on = true } }
  local helper = jit.device(function(x) return x * config.speed end)
  local function rule(x)
    if config.deep.on then return helper(x) * gravity end
    return ma.sqrt(x) + math.pi
  end
  local all = { gravity = 9.8, helper = helper, ["config.speed"] = 3, ["config.deep.on"] = true }

  it("are listed by name, of every kind of kernel", function()
    assert.same(all, ma.vectorize(rule):captures())
    assert.same(all, jit.elementwisekernel(rule):captures())
    assert.same(all, jit.reductionkernel({ map = rule, reduce = function(a, b) return a + b end }):captures())
    assert.same({ gravity = 9.8 }, jit.rawkernel(function(x) x[1] = gravity end):captures())
    assert.same({ ["config.speed"] = 3 }, helper:captures())
    assert.same({}, jit.rawkernel("function(x) x[1] = ma.sqrt(2) end"):captures())
  end)

  it("are allowed by their names alone", function()
    local names = { "gravity", "helper", "config" }
    local f = ma.vectorize(rule, { captures = names })
    assert.equal(2 * 3 * 9.8, f(ma.array { 2 }):totable()[1])
    local function refused(make, pattern, ...) assert.matches(pattern, fails(make, ...)) end
    refused(ma.vectorize, "jit_taken_spec.lua:%d+ takes 'config.deep.on' from outside; captures allows gravity, helper",
      rule, { captures = { "gravity", "helper" } })
    refused(jit.rawkernel, "takes 'gravity' from outside; captures allows nothing", function(x) x[1] = gravity end,
      { captures = {} })
    refused(jit.device, "captures is the number 1; wanted a list of names", function(x) return x end, { captures = 1 })
    refused(jit.elementwisekernel, "takes 'config.speed' from outside", rule,
      { captures = { "gravity", "helper", "config.deep" } })
  end)
end)
