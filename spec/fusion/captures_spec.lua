--- What functions of ma.fuse and ma.stencil take from outside: each call looks at it.

local ma, fails = require("spec.helper").ma, require("spec.helper").fails
local compiles = require("spec.helper").compiles

local math = math                      -- busted gives another table at each look

local function first(x) return x:totable()[1] end

--- Calls `look` with the function in both forms. look(call) sees call(), the first element for an array of ones.
local function both(fn, look)
  local fused = ma.fuse(fn)
  local stencil = ma.stencil(function(u) return fn(u(0)) end)
  for _, f in ipairs { fused, stencil } do look(function() return first(f(ma.ones(2))) end) end
end

describe("what a recorded function takes from outside", function()
  it("is looked at in each call: numbers, and which function it is", function()
    local rate, inner = 2, function(x) return x + 1 end
    both(function(x) return inner(x * rate) end, function(call)
      rate, inner = 2, function(x) return x + 1 end
      assert.equal(3, call())
      rate = 5
      assert.equal(6, call())
      inner = function(x) return x - rate end
      assert.equal(0, call())
      rate = 7
      assert.equal(0, call())
    end)
  end)

  it("may be fields of tables, by names, numbers and in loops", function()
    local settings = { deep = { rate = 2 }, 10 }
    local weights = { 1, 2, 3 }
    both(function(x)
      local sum = x * settings.deep.rate + settings[1]
      for _, w in ipairs(weights) do sum = sum + w end
      for k = 1, #weights do sum = sum + weights[k] end
      return sum
    end, function(call)
      settings, weights = { deep = { rate = 2 }, 10 }, { 1, 2, 3 }
      assert.equal(24, call())
      settings.deep.rate = 3
      assert.equal(25, call())
      settings.deep = { rate = 4 }
      assert.equal(26, call())
      settings[1] = 20
      assert.equal(36, call())
      weights[2] = 4
      assert.equal(40, call())
      weights[4] = 1
      assert.equal(42, call())
    end)
  end)

  it("may be objects with methods and inherited fields", function()
    local Class = { speed = 2 }
    Class.__index = Class
    function Class:move(x) return x * self.speed end
    local object = setmetatable({}, Class)
    both(function(x) return object:move(x) end, function(call)
      Class.speed, object.speed = 2, nil
      assert.equal(2, call())
      Class.speed = 3
      assert.equal(3, call())
      object.speed = 4
      assert.equal(4, call())
    end)
  end)

  it("may be globals, of the function's own environment", function()
    if not pcall(require, "jit.util") then return pending("no jit.util, which shows globals") end
    local env = setmetatable({ rate = 2 }, { __index = _G })
    local fn = setfenv(assert(loadstring "return function(x) return x * rate end"), env)()
    both(fn, function(call)
      env.rate = 2
      assert.equal(2, call())
      env.rate = 3
      assert.equal(3, call())
    end)
  end)

  it("may be what a fused function that it calls takes", function()
    local rate = 2
    local inner = ma.fuse(function(x) return x * rate end)
    local outer = ma.fuse(function(x) return inner(x) + 1 end)
    assert.equal(3, first(outer(ma.ones(2))))
    rate = 3
    assert.equal(4, first(outer(ma.ones(2))))
  end)

  it("does not make it run again while it is the same", function()
    local runs, rate, nan = 0, 2, 0 / 0
    local settings = { rate = 1 }
    local f = ma.fuse(function(x)
      runs = runs + 1
      return x * rate + settings.rate + nan
    end)
    for _ = 1, 5 do f(ma.ones(2)) end
    assert.equal(1, runs)
    settings.other = 3
    f(ma.ones(2))
    assert.equal(1, runs)
    settings.rate = 2
    for _ = 1, 5 do f(ma.ones(2)) end
    assert.equal(2, runs)
    assert.equal(1, f.traces)
  end)

  it("tells zeros apart by their signs", function()
    local zero = 0
    local f = ma.fuse(function(x) return x / zero end)
    assert.equal(math.huge, first(f(ma.ones(2))))
    zero = -0.0
    assert.equal(-math.huge, first(f(ma.ones(2))))
  end)

  it("may be cleared, and the function called, by the function itself while it is recorded again", function()
    local rate, f = 1, nil
    local deep = false
    f = ma.fuse(function(x)
      if deep then
        deep = false
        f:clear()
        f(ma.ones(2, "int32"))
        f(ma.ones(2, "float32"))
      end
      return x * rate
    end)
    assert.equal(1, first(f(ma.ones(2))))
    rate, deep = 2, true
    assert.equal(2, first(f(ma.ones(2))))
    assert.equal(2, first(f(ma.ones(2, "int32"))))
    assert.equal(2, first(f(ma.ones(2))))
  end)

  it("makes each call record a function that takes very much", function()
    local many = {}
    for k = 1, 2000 do many[k] = 0 end
    both(function(x)
      local sum = x
      for k = 1999, 2000 do sum = sum + many[k] end
      return sum
    end, function(call)
      many[2000] = 0
      assert.equal(1, call())
      many[2000] = 5
      assert.equal(6, call())
    end)
  end)

  it("is found by upvalues alone where Lua has no jit.util", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write [[
      package.preload["jit.util"] = function() error "none" end
      local ma = require "moonarray"
      local settings, rate = { deep = { rate = 2 } }, 1
      local f = ma.fuse(function(x) return x * settings.deep.rate + rate end)
      assert(f(ma.ones(2)):totable()[1] == 3)
      settings.deep.rate = 4
      assert(f(ma.ones(2)):totable()[1] == 5)
      rate = 2
      assert(f(ma.ones(2)):totable()[1] == 6)
    ]]
    file:close()
    local status = os.execute("MOONARRAY_DEVICE=cpu luajit " .. path)
    os.remove(path)
    assert.equal(0, status)
  end)
end)

-- ==== Numbers that change ============================================================================================

--- Calls fn(x), recorded by ma.fuse and by ma.stencil, after each change(i); `wanted(i)` is the first element for an
--- array of ones. Returns how often the function ran.
local function runs_of(fn, change, wanted, dtype)
  local most = 0
  local runs
  local function counted(x)
    runs = runs + 1
    return fn(x)
  end
  for which, f in ipairs { ma.fuse(counted), ma.stencil(function(u) return counted(u(0)) end) } do
    runs = 0
    local x = ma.ones(2, dtype)
    for i = 1, 1000 do
      change(i)
      assert.equal(wanted(i), first(f(x)))
    end
    -- a stencil that has no kernel runs its function in each call
    if which == 1 or compiles then most = math.max(most, runs) end
  end
  return most
end

describe("a number from outside that changes", function()
  if not pcall(require, "jit.util") then return end

  it("is a scalar from its first change on, without another recording", function()
    local gravity, config = 0, { speed = 0, deep = { k = 1 } }
    local function half(v) return v * config.deep.k / 2 end
    assert.equal(2, runs_of(function(x) return half(x * gravity) + config.speed end, function(i)
      gravity, config.speed, config.deep.k = i / 4, i, 2 * i
    end, function(i) return i / 4 * 2 * i / 2 + i end))
  end)

  it("may go through Lua's mathematics, which the host computes", function()
    local angle = 0
    assert.equal(2, runs_of(function(x)
      local s = math.sin(angle) * 2 - 1
      return x * (math.max(s, 0.25, -angle) - 1)
    end, function(i) angle = i / 7 end, function(i) return math.max(math.sin(i / 7) * 2 - 1, 0.25) - 1 end))
  end)

  it("may stand in branches on elements, and be chosen", function()
    local limit, high = 0, 0
    local runs = runs_of(function(x)
      if x * 4 > limit then return high end
      return limit
    end, function(i) limit, high = i % 8 + 0.5, i end, function(i) return 4 > i % 8 + 0.5 and i or i % 8 + 0.5 end)
    assert.equal(2, runs)
  end)

  it("is watched where a test, a loop or an index of Lua's needs its value", function()
    local n, weights = 0, { 1, 2, 3 }
    local change, wanted = function(i) n = i % 3 + 1 end, function(i) return i % 3 + 1 end
    assert.equal(1000, runs_of(function(x) return x * weights[n] end, change, wanted))
    assert.equal(1000, runs_of(function(x)
      local y = x
      for _ = 2, n do y = y + x end
      return y
    end, change, wanted))
    assert.equal(1000, runs_of(function(x)
      if n > 2 then return x * 3 end
      return n == 1 and x or x * 2
    end, change, wanted))
    assert.equal(1000, runs_of(function(x) return x * #string.rep("-", n) end, change, wanted))
  end)

  it("has a recording for each dtype that it leads to", function()
    local rate, runs = 1, 0
    local f = ma.fuse(function(x)
      runs = runs + 1
      return x * rate
    end)
    local x = ma.ones(3, "int16")
    for i = 1, 100 do
      rate = i / 2
      local result = f(x)
      assert.equal(i % 2 == 0 and "int16" or "float64", result.dtype)
      assert.equal(i / 2, first(result))
    end
    assert.is_true(runs <= 3)
  end)

  it("is an error where it does not fit, at the function's line", function()
    local rate = 1
    local f = ma.fuse(function(x) return x + rate end)
    local x = ma.ones(2, "uint8")
    for i = 1, 3 do
      rate = i
      f(x)
    end
    rate = 300
    assert.matches("captures_spec.lua:%d+: moonarray.add: the number 300 does not fit uint8", fails(f, x))
    rate = 4
    assert.equal(5, first(f(x)))
  end)

  it("becomes nil, a text or a table", function()
    local rate = 1
    local f = ma.fuse(function(x) return rate and x * (type(rate) == "table" and rate[1] or rate) or x end)
    local x = ma.ones(2)
    for _, value in ipairs { 2, 3, { 5 }, 4, 7 } do
      rate = value
      assert.equal(type(value) == "table" and 5 or value, first(f(x)))
    end
    rate = nil
    assert.equal(1, first(f(x)))
    rate = 6
    assert.equal(6, first(f(x)))
  end)

  it("is a constant where the function has no text", function()
    local env = { rate = 1 }
    local fn = loadstring(string.dump(setfenv(assert(loadstring "return function(x) return x * rate end"), env)()))
    setfenv(fn, env)
    local f = ma.fuse(fn)
    for i = 1, 5 do
      env.rate = i
      assert.equal(i, first(f(ma.ones(2))))
    end
  end)

  it("is found in what a fused function takes that the function calls", function()
    local rate, scale = 1, 1
    local inner = ma.fuse(function(x) return x * rate end)
    local outer = ma.fuse(function(x) return inner(x) + scale end)
    for i = 1, 6 do
      rate, scale = i, 10 * i
      assert.equal(11 * i, first(outer(ma.ones(2))))
    end
  end)

  it("is read from structs of the FFI in each call", function()
    local ffi = require "ffi"
    local config = ffi.new("struct { double speed; }")
    local f = ma.fuse(function(x) return x * config.speed end)
    for i = 1, 3 do
      config.speed = i
      assert.equal(i, first(f(ma.ones(2))))
    end
  end)

  it("is what a metamethod of the program reads", function()
    local rate = 1
    local Scaled = { __mul = function(_, x) return x * rate end }
    local scaled = setmetatable({ deep = 1 }, Scaled)
    local f = ma.fuse(function(x) return scaled * x + rate + scaled.deep end)
    for i = 1, 4 do
      rate, scaled.deep = i, 2 * i
      assert.equal(4 * i, first(f(ma.ones(2))))
    end
  end)
end)

-- ==== Arrays =========================================================================================================

describe("an array from outside", function()
  local wall, scene = ma.array({ 0, 1, 0 }, "uint8"), { force = ma.array { 1, 2, 3 } }
  local jit = ma.jit

  local function selects(x)
    if wall == 1 then return scene.force end
    return x + 0.5 * wall
  end

  local function loops(x)
    local n = 0
    while x > wall do x, n = x - scene.force, n + 1 end
    return x + n
  end

  local function plain(x) return x * scene.force - wall end

  --- The function in each form that takes elements, with its name.
  local function forms(fn)
    local function of_window(w) return fn(w[1]) end
    return { fuse = ma.fuse(fn), vectorize = ma.vectorize(fn), elementwisekernel = jit.elementwisekernel(fn),
      stencil = ma.stencil(function(u) return fn(u(0, 0)) end), plain = ma.fuse(fn, { plain = true }),
      generic_filter = function(x) return ma.ndimage.generic_filter(x, of_window, 1) end }
  end

  it("is an input, in every form and of every kind of function", function()
    for _, fn in ipairs { selects, loops, plain } do
      local x, list = ma.array({ { 5, 6, 7.5 }, { 1, 4, 2.5 } }), forms(fn)
      local stencil = list.stencil
      list.stencil = nil                                   -- which takes arrays of the fields' shape
      for pass = 1, 2 do
        wall = ma.array(pass == 1 and { 0, 1, 0 } or { 1, 0, 1 }, "uint8")
        scene.force = ma.array { 1, 2, 3 } * pass
        local w, f, wanted = wall:totable(), scene.force:totable(), {}
        for i, row in ipairs(x:totable()) do
          wanted[i] = {}
          for k, v in ipairs(row) do
            if fn == selects then
              wanted[i][k] = w[k] == 1 and f[k] or v + 0.5 * w[k]
            elseif fn == loops then
              local n = 0
              while v > w[k] do v, n = v - f[k], n + 1 end
              wanted[i][k] = v + n
            else
              wanted[i][k] = v * f[k] - w[k]
            end
          end
        end
        for name, form in pairs(list) do assert.same(wanted, form(x):totable(), name) end
        wall, scene.force = ma.broadcast_to(wall, { 2, 3 }):copy(), ma.broadcast_to(scene.force, { 2, 3 }):copy()
        assert.same(wanted, stencil(x):totable(), "stencil")
      end
    end
  end)

  it("broadcasts with the arguments, which may be numbers, and has its own dtype", function()
    wall, scene.force = ma.zeros(3, "uint8"), ma.array({ 1, 2, 3 }, "float32")
    for name, f in pairs(forms(plain)) do
      if name == "fuse" or name == "vectorize" or name == "elementwisekernel" then
        assert.same({ 2, 4, 6 }, f(2):totable(), name)
        assert.same({ { 1, 2, 3 }, { 2, 4, 6 } }, f(ma.array({ { 1 }, { 2 } }, "float32")):totable(), name)
        assert.equal("float32", f(ma.ones(3, "float32")).dtype, name)
      end
    end
    local total = jit.reductionkernel { map = plain, reduce = function(a, b) return a + b end, identity = 0 }
    assert.equal(12, total(ma.full({ 1, 3 }, 2)):item())
    assert.equal(12, ma.fuse(function(x) return plain(x):sum() end)(ma.full({ 1, 3 }, 2)):item())
    scene.force = ma.array { 1, 0, 0 }
    assert.equal(2, total(ma.full({ 1, 3 }, 2)):item())
  end)

  it("may be changed in place, be a result, and stand beside random numbers", function()
    wall, scene.force = ma.zeros(3), ma.array { 1, 2, 3 }
    local runs = 0
    local f = ma.fuse(function(x)
      runs = runs + 1
      return math.random() + x * 0 + scene.force, scene.force + x * 0
    end)
    local alone = ma.fuse(function() return scene.force end)
    for pass = 1, 3 do
      local a, b = f(ma.ones { 2, 1 })
      local drawn = (a - b):totable()
      assert.same(scene.force:totable(), b:totable()[2])
      assert.same(scene.force:totable(), alone(1):totable())
      assert.is_true(drawn[1][1] ~= drawn[1][2] and drawn[1][1] >= 0 and drawn[2][3] < 1)
      scene.force:iadd(pass)
    end
    assert.equal(1, runs)
    assert.matches("an array from outside of 2 axes behind random numbers for 1 axes", fails(ma.fuse(function(x)
      return math.random() + x + scene.force
    end), (function()
      scene.force = ma.ones { 2, 3 }
      return ma.ones(3)
    end)()))
  end)

  it("stands beside more numbers that change than a kernel has scalars", function()
    local numbers, parts = {}, {}
    for k = 1, 20 do parts[k] = ("K.n%d * x"):format(k) end
    local function made(text)
      local body = text:format(table.concat(parts, " + "))
      return (loadstring or load)("local K = ... return function(x) " .. body)(numbers)
    end
    local loop = made "local n = 0 while n < x do n = n + 1 end return n - x + %s end"
    local by = { ma.fuse(loop), ma.vectorize(loop), jit.elementwisekernel(loop),
      ma.fuse(made "if x > 5 then return x end return %s end"), ma.stencil(function(u) return loop(u(0)) end) }
    for round = 0, 2 do
      for k = 1, 20 do numbers["n" .. k] = k + round / 2 end
      for _, f in ipairs(by) do assert.same({ 0, 210 + 10 * round }, f(ma.array { 0, 1 }):totable()) end
    end
  end)

  it("widens the result in the plain form too", function()
    local row, column = ma.array { { 1, 2, 3 } }, ma.array { { 4 }, { -5 } }
    scene.force = ma.array(10)
    local function fn(x) return x > 0 and x * row or -x * scene.force end
    for _, make in ipairs { ma.fuse, ma.vectorize } do
      for _, options in ipairs { {}, { plain = true } } do
        assert.same({ { 4, 8, 12 }, { 50, 50, 50 } }, make(fn, options)(column):totable())
      end
    end
    row, scene.force = ma.ones(4), ma.ones(3)
    assert.matches("shapes.*do not broadcast", fails(ma.fuse(fn), column))
    assert.matches("moonarray.fuse: ", fails(ma.fuse(fn, { plain = true }), column))
  end)

  it("is listed, allowed by name, and an error where it is freed or where a form has no inputs", function()
    wall, scene.force = ma.zeros(3), ma.array { 1, 2, 3 }
    assert.equal(scene.force, ma.fuse(plain):captures()["scene.force"])
    assert.equal(wall, ma.vectorize(plain):captures().wall)
    for _, make in ipairs { ma.fuse, ma.vectorize, jit.elementwisekernel } do
      assert.matches("takes 'wall' from outside; captures allows scene", fails(make, plain, { captures = { "scene" } }))
      assert.same({ 1, 2, 3 }, make(plain, { captures = { "scene", "wall" } })(ma.ones(3)):totable())
    end
    local f = ma.fuse(plain)
    f(ma.ones(3))
    scene.force:free()
    assert.matches("freed", fails(f, ma.ones(3)))
    scene.force = ma.ones(3)
    local place = "captures_spec.lua:%d+: "
    assert.matches(place .. ".*'wall', which 'reduce' takes from outside, is an array; give it among the arguments",
      fails(jit.reductionkernel { reduce = function(a, b) return a + b * wall end }, ma.ones(3)))
    assert.matches(place .. ".*'wall', which 'the function' takes from outside, is an array", fails(function()
      jit.rawkernel(function(x) x[1] = wall[1] end)(1, 1, { ma.ones(3) })
    end))
    assert.matches("do not broadcast", fails(ma.ndimage.generic_filter, ma.ones { 2, 4 }, function(w)
      return w[1] * wall
    end, 1))
    assert.matches("do not broadcast", fails(ma.fuse(plain), ma.ones(4)))
    assert.matches(place .. ".*'wall', which 'reduce' takes from outside, is an array; give it among the arguments",
      fails(jit.reductionkernel { reduce = function(a, b) return a + b * wall[1] end }, ma.ones(3)))
  end)
end)

-- ==== The list =======================================================================================================

describe("captures", function()
  if not pcall(require, "jit.util") then return end
  local gravity, config, weights = 9.8, { speed = 3, deep = { k = true } }, { 1, 2 }
  local function helper(x) return x + (config.deep.k and 1 or 0) end

  local function rule(x) return helper(x) * gravity + config.speed + ma.sqrt(#weights) end

  it("lists what a function takes, by name", function()
    local want = { gravity = 9.8, ["config.speed"] = 3, ["config.deep.k"] = true, helper = helper, weights = weights }
    assert.same(want, ma.fuse(rule):captures())
    assert.same({ rule = rule, helper = helper, gravity = 9.8, weights = weights, ["config.speed"] = 3,
      ["config.deep.k"] = true }, ma.stencil(function(u) return rule(u(0)) end):captures())
    assert.same({}, ma.fuse(function(x) return ma.sqrt(x) + math.pi end):captures())
  end)

  it("allows only the names of the option", function()
    local function refused(make, pattern, ...) assert.matches(pattern, fails(make, ...)) end
    local all = { "gravity", "config", "helper", "weights" }
    assert.equal(1, ma.fuse(rule, { captures = all }).traces + 1)
    assert.has_no.errors(function() ma.stencil(function(u) return u(0) * gravity end, { captures = { "gravity" } }) end)
    refused(ma.fuse, "moonarray.fuse: the function at .*captures_spec.lua:%d+ takes 'config.speed' from outside; "
      .. "captures allows gravity", function(x) return x * gravity + config.speed end, { captures = { "gravity" } })
    refused(ma.stencil, "'gravity' from outside; captures allows nothing", function(u) return u(0) * gravity end,
      { captures = {} })
    refused(ma.fuse, "captures is the number 3; wanted a list of names", rule, { captures = 3 })
    refused(ma.fuse, "captures has the number 1; wanted a list of names", rule, { captures = { 1 } })
  end)

  it("looks into kernels in Lua and device functions", function()
    local jit, of = ma.jit, { k = 1 }
    local device, kernel = jit.device(function(x) return x * of.k end), ma.vectorize(function(x) return x * of.k end)
    rawset(_G, "moonarray_spec_factor", 1)
    local x = ma.array { 1, 2 }
    local makers = {
      function(options) return ma.fuse(function(v) return v > 0 and device(v) or v end, options) end,
      function(options) return ma.fuse(function(v) return kernel(v) + 0 end, options) end,
      function(options) return ma.stencil(function(u) return kernel(u(0)) end, options) end,
    }
    for _, make in ipairs(makers) do
      local f = make()
      assert.equal(of.k, f:captures()["of.k"])
      assert.matches("takes 'of.k' from outside", select(2, pcall(make, { captures = { "device", "kernel" } })))
      assert.has_no.errors(function() make { captures = { "device", "kernel", "of" } } end)
      for k = 1, 3 do
        of.k = k
        assert.same({ k, 2 * k }, f(x):totable())
      end
    end
    local text = ma.vectorize "function(x) return x * moonarray_spec_factor end"
    local constants = ma.vectorize("function(x) return x * of.k end", { constants = { of = of } })
    for _, called in ipairs { text, constants } do
      for _, f in ipairs { ma.fuse(function(v) return called(v) end), ma.fuse(function(v) return called(v) + 0 end),
        ma.stencil(function(u) return called(u(0)) end) } do
        for k = 1, 3 do
          of.k = k
          rawset(_G, "moonarray_spec_factor", k)
          assert.same({ k, 2 * k }, f(x):totable())
        end
      end
    end
    rawset(_G, "moonarray_spec_factor", nil)
  end)

  it("is asked again when the function is recorded again", function()
    local other = function(x) return x end
    local f = ma.fuse(function(x) return other(x) end, { captures = { "other" } })
    assert.equal(1, first(f(ma.ones(2))))
    other = function(x) return x * gravity end
    assert.matches("takes 'gravity' from outside; captures allows other", fails(f, ma.ones(2)))
  end)
end)
