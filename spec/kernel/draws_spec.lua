--- Random numbers in functions of elements: each run makes new draws, whose elements are those of the generator's own.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local x = ma.array { { 0, 1, 2 }, { 3, 4, 5 } }

--- Whether two calls give the same after the same seed.
local function same(first, second)
  ma.random.seed(11)
  local a = first()
  ma.random.seed(11)
  local b = second()
  assert.equal(a.dtype, b.dtype)
  assert.same(b:totable(), a:totable())
end

describe("random numbers in a function of elements", function()
  it("are elements of the draws that a generator makes, one for each place", function()
    local function rule(v) return v * math.random() + math.random(1, 6) * 10 + math.random(3) * 100 end
    local function wanted()
      local a, b, c = ma.random.random(x.shape), ma.random.integers(1, 7, x.shape), ma.random.integers(1, 4, x.shape)
      return x * a + b * 10 + c * 100
    end
    same(function() return ma.fuse(rule)(x) end, wanted)
    same(function() return ma.stencil(function(u) return rule(u(0, 0)) end)(x) end, wanted)
  end)

  it("have the dtype of the first array if that is a float dtype, else float64", function()
    for _, dtype in ipairs { "float32", "float64", "int32", "uint8", "bool" } do
      local v = x:astype(dtype)
      local own = dtype:find "^float" and dtype or "float64"
      same(function() return ma.fuse(function(y) return math.random() end)(v) end,   -- luacheck: ignore
        function() return ma.random.random(x.shape, own) end)
    end
  end)

  it("choose in branches, and are drawn whether the branch is taken or not", function()
    local function fire(v)
      if v > 2 then
        if math.random() < 0.5 then return 10 end
      elseif math.random() < 0.25 then
        return 20
      end
      return v
    end
    same(function() return ma.fuse(fire)(x) + ma.random.random(x.shape) end, function()
      local a, b = ma.random.random(x.shape), ma.random.random(x.shape)
      return ma.where(x:gt(2), ma.where(a:lt(0.5), 10, x), ma.where(b:lt(0.25), 20, x)) + ma.random.random(x.shape)
    end)
  end)

  it("differ from step to step and from call to call", function()
    local walk = ma.stencil(function(u) return u(0) + math.random() end)
    local zeros = ma.zeros(5)
    same(function() return walk:run(zeros, { steps = 3 }) end,
      function() return zeros + ma.random.random(5) + ma.random.random(5) + ma.random.random(5) end)
    assert.is_false(ma.array_equal(walk(zeros), walk(zeros)))
    local graph = ma.cuda.graph(function() return walk(zeros) end)
    ma.random.seed(3)
    local first, second = graph():copy(), graph():copy()
    ma.random.seed(3)
    assert.same({ ma.random.random(5):totable(), ma.random.random(5):totable() },
      { first:totable(), second:totable() })
    graph:free()
    local many = walk:run(zeros, { steps = 100 })
    assert.is_true(ma.all(many:gt(30) * many:lt(70)))
  end)

  it("are made where a rule reads them, however it runs", function()
    local function near(u, ndim)
      if ndim == 1 then return u(-1) + u(1), { 0 } end
      if ndim == 2 then return u(-1, 0) + u(0, 2), { 0, 0 } end
      return u(-1, 0, 0) + u(0, 1, 0) + u(0, 0, -2), { 0, 0, 0 }
    end
    local cases = { { { 70000 }, "float32", "wrap" }, { { 3, 40000 }, "float64", "constant" },
      { { 37, 53 }, "float32", "leave" }, { { 37, 53 }, "uint8", "wrap" }, { { 400, 70 }, "float16", "reflect" },
      { { 5, 6, 7 }, "float64", "nearest" }, { { 9, 2, 700 }, "bfloat16", "leave" },
      { { 3, 4, 5 }, "int32", "mirror" } }
    for _, case in ipairs(cases) do
      local shape, dtype, boundary = case[1], case[2], case[3]
      local field = (ma.arange(ma.ones(shape).size):reshape(shape) % 17):astype(dtype)
      local drawn = helper.is_float[dtype] and dtype or "float64"
      for _, compile in ipairs { true, false } do
        local rule = ma.stencil(function(u)
          local sum, here = near(u, #shape)
          return sum + math.random() + (u(unpack(here)) > 3 and 10 * math.random(-2, 5) or ma.jit.randn())
        end, { boundary = boundary, compile = compile })
        local given = ma.stencil(function(u, a, b, c)
          local sum, here = near(u, #shape)
          return sum + a(unpack(here)) + (u(unpack(here)) > 3 and 10 * b(unpack(here)) or c(unpack(here)))
        end, { boundary = boundary, compile = false })
        same(function() return rule(field) end, function()
          return given(field, ma.random.random(shape, drawn), ma.random.integers(-2, 6, shape),
            ma.random.standard_normal(shape, drawn))
        end)
      end
    end
  end)

  it("are broadcast with the arguments, and drawn for one that is a number", function()
    local column = ma.ones { 2, 1 }
    same(function() return ma.fuse(function(a, b) return a + b * math.random() end)(ma.ones(3), column) end,
      function() return ma.ones(3) + column * ma.random.random { 2, 3 } end)
    assert.equal(0, ma.fuse(function(a) return a + math.random() end)(1).ndim)
  end)

  it("are made where a fused function reads them, and else as arrays before", function()
    local function rule(v, w) return v + w * math.random() + math.random(0, 9), v - math.random() end
    local function wanted(v, w)
      local shape = ma.broadcast_shapes(v.shape, w.shape)
      local a, b = ma.random.random(shape, v.dtype), ma.random.integers(0, 10, shape)
      return v + w * a + b, v - ma.random.random(shape, v.dtype)
    end
    local wide = ma.arange(2 * 3 * 4 * 5, "float32"):reshape(2, 3, 4, 5)
    local whole, some = wide[":, :, :2"], wide[":, ::2, :, ::2"]
    local cases = { { ma.arange(70000, "float32"), ma.ones(1, "float32") }, { whole, whole }, { wide, wide },
      { ma.arange(6, "float64"):reshape(3, 2), ma.ones(2) }, { ma.ones { 300, 1 }, ma.arange(7, "float64") },
      { ma.array(2), ma.array(3) }, { ma.ones { 0, 3 }, ma.ones(3) }, { some, some, 3 },
      { ma.arange(6, "float64"):reshape(3, 2).T, ma.ones { 2, 3 }, 3 }, { wide[":, :, :, ::-1"], wide, 3 } }
    local noisy = ma.fuse(rule)
    for k, case in ipairs(cases) do
      local v, w, blocks, draws = case[1], case[2], 0, case[3] or 0
      noisy(v, w)
      ma.cuda.MemoryHook { malloc_postprocess = function() blocks = blocks + 1 end }:with(function() noisy(v, w) end)
      if v.size > 0 and helper.compiles then assert.equal(2 + draws, blocks, k) end
      for r = 1, 2 do
        same(function() return (select(r, noisy(v, w))) end, function() return (select(r, wanted(v, w))) end)
      end
    end
    local v, w = ma.arange(6, "float64"):reshape(3, 2), ma.ones(2)
    local first, second = v:copy(), ma.zeros({ 4, 3 })["2:, ::2"]        -- results in memory that is given
    same(function() return (noisy(first, w, { out = { first, second } })) end, function() return (wanted(v, w)) end)
    same(function() return (select(2, noisy(v, w, { out = { first, second } }))) end,
      function() return (select(2, wanted(v, w))) end)
    same(function() return (select(2, ma.fuse(function(y)     -- and the same numbers in a reduction beside them
      local draw = math.random()
      return (y * draw):sum(1), y + draw
    end)(v))) end, function() return v + ma.random.random(v.shape) end)
  end)

  it("come from ma.jit too, and from a generator of one's own", function()
    local function own() return ma.random.default_rng(5) end
    local mine = own()
    local found = ma.fuse(function(v)
      return v + ma.jit.random(mine) + ma.jit.randint(0, 10, mine) + ma.jit.randn(mine)
    end)(x)
    local rng = own()
    local a, b, c = rng:random(x.shape), rng:integers(0, 10, x.shape), rng:standard_normal(x.shape)
    assert.same((x + a + b + c):totable(), found:totable())
    same(function() return ma.fuse(function(v) return v + ma.jit.random() end)(x) end,
      function() return x + ma.random.random(x.shape) end)
  end)

  it("work in functions that a function calls, and through a local name", function()
    local random = math.random
    local function noise() return random() end
    local inner = ma.fuse(function(v) return v + noise() end)
    same(function() return ma.fuse(function(v) return inner(v) * 2 end)(x) end,
      function() return (x + ma.random.random(x.shape)) * 2 end)
    assert.equal(random, math.random)
    assert(not pcall(ma.fuse(function() error "mine" end), x))
    assert.equal(random, math.random)
  end)

  it("end in reductions", function()
    same(function() return ma.fuse(function(v) return (v * math.random()):sum() end)(x) end,
      function() return (x * ma.random.random(x.shape)):sum() end)
  end)

  it("follow elements in rules that no selects can say, with the same first draws", function()
    local mine = ma.random.default_rng(8)
    local rule = ma.stencil(function(u)
      local n = 0
      while n < 60 and math.random() < 0.5 do n = n + 1 end
      return u(0, 0) + 0 * u(1, 0) + n + 100 * ma.jit.randint(0, 5) + 1000 * ma.jit.randn(mine)
    end, { boundary = "wrap" })
    for _, dtype in ipairs { "float32", "float64" } do
      local field = ma.zeros({ 5, 7 }, dtype)
      ma.random.seed(11)
      mine:seed(8)
      local found, rng = rule(field), ma.random.default_rng(8)
      ma.random.seed(11)
      local first = ma.random.random(field.shape, dtype)
      local rest = found - 1000 * rng:standard_normal(field.shape, dtype) - 100 * ma.random.integers(0, 5, field.shape)
      local turns = ma.rint(rest)
      assert.is_true(ma.allclose(rest, turns, { atol = 0.01 }))
      assert.same(first:lt(0.5):totable(), turns:gt(0):totable())
      assert.is_true(turns:max():item() > 1)
    end
    local zeros = ma.zeros { 5, 7 }
    local function run() return rule:run(zeros, { steps = 3 }), rule(zeros) end
    local function step() return rule(zeros) end
    local graph = ma.cuda.graph(step)
    ma.random.seed(2)
    mine:seed(3)
    local a, b = run()
    local c = graph():copy()
    local d = graph()
    ma.random.seed(2)
    mine:seed(3)
    local again, once = run()
    assert.same(a:totable(), again:totable())
    assert.same(b:totable(), once:totable())
    assert.same(c:totable(), step():totable())
    assert.same(d:totable(), step():totable())
    assert.is_false(ma.array_equal(c, d))
    graph:free()
    rule(ma.zeros { 0, 3 })
    fails(rule, ma.zeros { 2, 2 }, { out = 3 })
  end)

  it("are other words of a draw in each turn of a loop, the same ones in every form", function()
    local function rule(v)
      local sum = 0
      for i = 1, 2 do
        for j = 1, 3 do
          if v > j then sum = sum + i * math.random() end
        end
        sum = sum + 10 * math.random(9) + (v < 2 and ma.jit.randn() or 0)
      end
      return sum
    end
    local long = ma.array { 0, 1, 2, 3, 4, 5, 2, 9 }
    local raw = ma.jit.rawkernel(function(to, from)
      local i = ma.jit.grid(1)
      to[i] = rule(from[i])
    end)
    local function kernel()
      local out = ma.zeros(8)
      raw(2, 4, { out, long })
      return out
    end
    same(function() return ma.fuse(rule)(long) + ma.random.random(8) end,
      function() return kernel() + ma.random.random(8) end)
    same(function() return ma.stencil(function(u) return rule(u(0)) end)(long) end, kernel)
    local program = ma.vectorize(rule)
    same(function() return program(long) end, kernel)
    same(function() return ma.fuse(function(v) return program(v) end)(long) end, kernel)
    local jit = ma.jit
    local function untested(v)           -- a recorded function would draw anew in each turn
      for k = 1, 3 do v = v + k * jit.random() end
      return v
    end
    local function drawn() return math.random() + jit.random() end
    local function helped(v)
      for k = 1, 3 do v = v + k * drawn() end
      return v
    end
    same(function() return ma.fuse(helped)(long) end, function() return ma.vectorize(helped)(long) end)
    same(function() return ma.fuse(untested)(long) end, function() return ma.vectorize(untested)(long) end)
    same(function() return ma.stencil(function(u) return untested(u(0)) end)(long) end,
      function() return ma.vectorize(untested)(long) end)
    local noisy = function(w) return w[2] + w[1] * math.random() end
    same(function() return ma.ndimage.generic_filter(long, noisy, 3, { mode = "nearest" }) end, function()
      return long + ma.array { 0, 0, 1, 2, 3, 4, 5, 2 } * ma.random.random(8)
    end)
    local function counted(v, most)
      local n, sum = 0, 0
      while n < v and n < most do
        n = n + 1
        sum = sum + n * math.random()
      end
      return sum
    end
    local function written(v)
      local sum = 0
      for n = 1, 6 do
        if n <= v then sum = sum + n * math.random() end
      end
      return sum
    end
    same(function() return ma.stencil(function(u) return counted(u(0), 6) end)(long) end,
      function() return ma.fuse(written)(long) end)
    ma.random.seed(4)
    local state, first = ma.random.get_state(), ma.fuse(function()
      local sum = 0
      for k = 0, 2 do sum = sum + 2 ^ (60 * k) * math.random() end
      return sum
    end)(ma.zeros(2))
    local sum = 0
    for k = 0, 2 do
      local a, b = helper.core.random_words(state.low, state.high, 0, 0, 64 * k)
      sum = sum + 2 ^ (60 * k) * ((math.floor(a / 32) * 2 ^ 26 + math.floor(b / 64)) / 2 ^ 53)
    end
    assert.equal(sum, first(1))
  end)

  it("are numbers in the plain form", function()
    local mine = ma.random.default_rng(5)
    local found = ma.fuse(function(v) return v + ma.jit.random(mine) + 10 * ma.jit.randint(2, 3) end,
      { plain = true })(ma.zeros(4))
    local rng, wanted = ma.random.default_rng(5), {}
    for k = 1, 4 do wanted[k] = rng:random() + 20 end
    assert.same(wanted, found:totable())
  end)

  it("leave nothing behind", function()
    local walk = ma.stencil(function(u) return u(0) + math.random() end)
    local noise = ma.fuse(function(v) return v + math.random() end)
    ma.scope(function()
      for _ = 1, 10 do
        walk(ma.zeros(3))
        noise(ma.zeros(3))
      end
    end)
    assert(not pcall(walk, ma.zeros(3), { out = 3 }))
    assert(not pcall(noise, ma.zeros(3), { out = 3 }))
  end)

  it("need nothing of ma.random before", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write [[
      local ma = require "moonarray"
      assert(ma.fuse(function(v) return v + math.random() end)(ma.zeros(2)):totable()[1] < 1)
    ]]
    file:close()
    local status = os.execute(("%s %s"):format(arg[-1] or "luajit", path))
    os.remove(path)
    assert.equal(0, status)
  end)

  it("say what is wrong", function()
    local cases = {
      { "a bound of math.random is a value of a fused function; wanted a whole number",
        function(v) return v + math.random(v) end },
      { "a bound of math.random is the number 1.5; wanted a whole number",
        function(v) return v + math.random(1.5) end },
      { "math.random with no number between its bounds", function(v) return v + math.random(5, 1) end },
      { "low is 3 and high 3; wanted low < high", function(v) return v + ma.jit.randint(3, 3) end },
      { "random numbers in a function that computes with the result of a reduction",
        function(v) return v - (v + math.random()):mean() end },
      { "arguments, random numbers and arrays; split the function", function(v)
        for _ = 1, 40 do v = v + math.random() end
        return v
      end },
      { "an array of random numbers inside a function that ma.fuse", function(v) return v + ma.random.random(3) end },
    }
    for _, case in ipairs(cases) do
      local message = fails(ma.fuse(case[2]), x)
      assert.is_truthy(message:find(case[1], 1, true), message)
    end
    assert.matches("math.random, in a rule that is no single program", fails(ma.stencil(function(u)
      local sum = u(0)
      for _ = 1, 40 do sum = sum + math.random() end
      return sum
    end, { compile = false }), ma.ones(3)))
    assert.matches("moonarray.jit.random: outside of a function of elements", fails(ma.jit.random))
  end)
end)
