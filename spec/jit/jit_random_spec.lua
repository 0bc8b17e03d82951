--- Random numbers in kernels in Lua: a place of the text draws what the generator's own draw has for that element.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local jit = ma.jit
local fails = helper.fails_with

--- Whether two calls give the same after the same seed, and take as many draws.
local function same(first, second)
  ma.random.seed(11)
  local a = { first() }
  a[#a + 1] = ma.random.random(1)
  ma.random.seed(11)
  local b = { second() }
  b[#b + 1] = ma.random.random(1)
  assert.equal(#a, #b)
  for k = 1, #a do
    assert.equal(b[k].dtype, a[k].dtype)
    assert.same(b[k]:totable(), a[k]:totable())
  end
end

describe("random numbers in a kernel in Lua", function()
  it("are elements of the generator's draws, in each dtype", function()
    local drawing = jit.elementwisekernel(function(x)          -- luacheck: ignore
      return jit.random(), jit.randn(), math.random(6), jit.randint(-5, 2 ^ 40)
    end)
    for _, dtype in ipairs { "float64", "float32", "float16", "bfloat16", "int32", "bool" } do
      local x, own = ma.zeros({ 7, 11 }, dtype), helper.is_float[dtype] and dtype or "float64"
      same(function() return drawing(x) end, function()
        return ma.random.random(x.shape, own), ma.random.standard_normal(x.shape, own),
          ma.random.integers(1, 7, x.shape), ma.random.integers(-5, 2 ^ 40, x.shape)
      end)
    end
  end)

  it("have any range of whole numbers, which elements may say", function()
    local drawing = jit.elementwisekernel(function(x) return math.random(-3, 9), math.random(x), math.random(5, x) end)
    local sevens = ma.full(1000, 7, "int64")
    same(function() return drawing(sevens) end, function()
      return ma.random.integers(-3, 10, 1000), ma.random.integers(1, 8, 1000), ma.random.integers(5, 8, 1000)
    end)
    local _, first, second = drawing(ma.array({ -4 }, "int64"))           -- ranges without a number
    assert.same({ 1, 5 }, { first:item(), second:item() })
    -- so many values that words are drawn again
    local wide = jit.elementwisekernel(function(x) return jit.randint(0, 3 * 2 ^ 30) + 0 * x end)
    same(function() return wide(sevens) end, function() return ma.random.integers(0, 3 * 2 ^ 30, 1000) end)
  end)

  it("of a branch are drawn whether it is taken or not, and lie beside those of a fused function", function()
    local function fire(v)
      if v > 2 then
        if math.random() < 0.5 then return 10 end
      elseif math.random() < 0.25 then
        return 20
      end
      return v
    end
    local x = ma.arange(64, "float64") % 5
    same(function() return ma.vectorize(fire)(x) end, function() return ma.fuse(fire)(x) end)
  end)

  it("of functions that a kernel calls have places for each call", function()
    local pair = jit.device(function(v) return v + jit.random() * jit.randn() end)
    local drawing = jit.elementwisekernel(function(x)
      local function other() return math.random() end
      return pair(x) + pair(other()) * other()
    end)
    local x = ma.arange(10, "float32")
    same(function() return drawing(x) end, function()
      local draw, normal, s = ma.random.random, ma.random.standard_normal, x.shape
      local first = x + draw(s, "float32") * normal(s, "float32")
      local inner = draw(s, "float32")
      local second = inner + draw(s, "float32") * normal(s, "float32")
      return first + second * draw(s, "float32")
    end)
  end)

  it("differ in the turns of a loop: the later ones are other words of the same draw", function()
    local drawing = jit.rawkernel(function(out)
      local i = jit.grid(1)
      for k = 1, 3 do out[k][i] = jit.random() end
    end)
    local out = ma.zeros { 3, 6 }
    ma.random.seed(5)
    local state = ma.random.get_state()
    drawing(3, 2, { out })
    local rows = out:totable()
    for k = 1, 3 do
      for i = 1, 6 do
        local a, b, c, d = core.random_words(state.low, state.high, 0, math.floor((i - 1) / 2), 64 * (k - 1))
        if i % 2 == 0 then a, b = c, d end
        assert.equal((math.floor(a / 32) * 2 ^ 26 + math.floor(b / 64)) / 2 ^ 53, rows[k][i])
      end
    end
    ma.random.seed(5)
    assert.same(ma.random.random(6):totable(), rows[1])
  end)

  it("are those of the thread's number in a kernel, in strided loops too", function()
    local strided = jit.rawkernel(function(out, n)
      for i = jit.grid(1), n, jit.gridsize(1) do out[i] = jit.random() end
    end)
    local out = ma.zeros(64)
    ma.random.seed(3)
    strided(2, 4, { out, 64 })
    assert.equal(64, ma.unique(out).size)
    ma.random.seed(3)
    assert.same(ma.random.random(8):totable(), out["1:8"]:totable())
    local plane = jit.rawkernel(function(out)                  -- luacheck: ignore
      local x, y = jit.grid(2)
      out[x][y] = jit.randn()
    end)
    local two = ma.zeros({ 4, 4 }, "float32")
    same(function()
      plane({ 2, 2 }, { 2, 2 }, { two })
      return two
    end, function()
      return ma.random.standard_normal({ 4, 4 }, "float32").T:copy()        -- x first
    end)
    -- As jit.append orders threads.
    local listed, drawn = ma.list(24, "float64"), ma.zeros({ 4, 6 })
    local both = jit.rawkernel(function(out, list)               -- luacheck: ignore
      local x, y = jit.grid(2)
      local r = jit.random()
      out[y][x] = r
      jit.append(list, r)
    end)
    ma.random.seed(3)
    both({ 3, 2 }, { 2, 2 }, { drawn, listed })
    ma.random.seed(3)
    assert.same(ma.random.random({ 4, 6 }):totable(), drawn:totable())
    assert.same(drawn:ravel():totable(), listed:array():totable())
  end)

  it("come from a generator of one's own, and another one in its place", function()
    local mine = ma.random.default_rng(5)
    local drawing = jit.elementwisekernel(function(x) return x + jit.random(mine) + jit.random() + jit.randn(mine) end)
    local x = ma.zeros(9)
    for seed = 5, 6 do
      mine = ma.random.default_rng(seed)
      local found = ma.random.seed(1) or drawing(x)
      local rng = ma.random.default_rng(seed)
      ma.random.seed(1)
      local a, b, c = rng:random(9), ma.random.random(9), rng:standard_normal(9)
      assert.same((x + a + b + c):totable(), found:totable())
    end
  end)

  it("differ from call to call, and from launch to launch of a graph", function()
    local drawing = jit.elementwisekernel(function(x) return x + jit.random(), jit.randn() end)
    local raw = jit.rawkernel(function(out) out[jit.grid(1)] = jit.random() end)
    local x, out = ma.zeros(5), ma.zeros(4)
    assert.is_false(ma.array_equal((drawing(x)), (drawing(x))))
    local function step()
      raw(1, 4, { out })
      return drawing(x)
    end
    local graph = ma.cuda.graph(step)
    ma.random.seed(2)
    local found = {}
    for k = 1, 3 do
      local a, b = graph()
      found[k] = { a:totable(), b:totable(), out:totable() }
    end
    ma.random.seed(2)
    for k = 1, 3 do
      local a, b = step()
      assert.same({ a:totable(), b:totable(), out:totable() }, found[k])
    end
    graph:free()
  end)

  it("stand in the map of a reduction, not in what combines values", function()
    local sum = jit.reductionkernel { map = function(x) return x * jit.random() end,
      reduce = function(a, b) return a > b and a or b end, identity = 0 }
    local x = ma.ones { 6, 40 }
    same(function() return sum(x, 2) end, function() return ma.max(ma.random.random(x.shape), 2) end)
    fails("'math.random' in 'reduce', which is not of one element",
      jit.reductionkernel { reduce = function(a, b) return a + b + math.random() end }, x)
    local noisy = jit.device(function(a, b) return a + b + math.random() end)
    fails("'noisy' draws random numbers, as an operator", jit.rawkernel(function(y)
      y[1] = jit.cub.BlockReduce("float64"):Reduce(y[1], noisy)
    end), 1, 1, { x:copy():reshape(240) })
  end)

  it("say what is wrong", function()
    local x, xorwow = ma.ones(3), ma.random.default_rng(1, { bit_generator = "xorwow" })
    local cases = {
      { "low is 3 and high 3; wanted low < high", function(v) return v + jit.randint(3, 3) end },
      { "low is 5 and high 1; wanted low <= high", function(v) return v + math.random(5, 1) end },
      { "the argument of 'math.random' is the number 1.5; wanted a whole number",
        function(v) return v + math.random(1.5) end },
      { "the argument of 'math.random' is a float64; wanted a whole number",
        function(v) return v + math.random(v) end },
      { "the generator of 'jit.random' is a float64; wanted one of ma.random.default_rng",
        function(v) return v + jit.random(v) end },
      { "xorwow makes whole arrays; a kernel draws from 'philox'", function(v) return v + jit.random(xorwow) end },
      { "'jit.randint' with 1 arguments; wanted 2 to 3", function(v) return v + jit.randint(3) end },
      { "'math.random' with 3 arguments; wanted 0 to 2", function(v) return v + math.random(1, 2, 3) end },
    }
    for _, case in ipairs(cases) do fails(case[1], jit.elementwisekernel(case[2]), x) end
    fails("outside of a function of elements or a kernel in Lua", jit.random)
  end)
end)
