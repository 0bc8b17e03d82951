--- Draws that wait: what uses a draw takes it in, as one kernel without an array of draws, and the bits are those of
--- draws that are made at once, also of what the generator draws behind them.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- what waits is its subject, however small
local work = require "spec.fusion.fusion_helper"
local ma, core = helper.ma, helper.core
local takes, figures, data = work.takes, work.figures, work.data

local function rng(seed) return ma.random.default_rng(seed or 7) end

--- fn(generator) with draws that wait and with draws at once: equal bits, and the generator goes on alike.
local function same(label, fn)
  local function run(fused)
    local was, generator = ma.set_fusion(fused), rng()
    local made = { fn(generator) }
    made[#made + 1] = generator:random(3)
    for k = 1, #made do made[k] = ma.asarray(made[k]):eval() end
    ma.set_fusion(was)
    return made, generator:get_state().draw
  end
  local at_once, drawn = run(false)
  local waited, too = run(true)
  assert.equal(drawn, too, label)
  for k, a in ipairs(at_once) do
    helper.identical(waited[k], a, label .. " " .. k)
    assert.same(a.strides, waited[k].strides, label)
  end
end

local KINDS = {
  random = function(g, size, dtype) return g:random(size, dtype) end,
  uniform = function(g, size, dtype) return g:uniform(-2, 5, size, dtype) end,
  standard_normal = function(g, size, dtype) return g:standard_normal(size, dtype) end,
  normal = function(g, size, dtype) return g:normal(3, 0.5, size, dtype) end,
}

--- Of all kinds; where each kernel is compiled, of two.
local THIN = { random = "float32", normal = "float64" }
local function each(fn)
  for name, draw in pairs(KINDS) do
    for _, dtype in ipairs { "float32", "float64" } do
      if not helper.thin or THIN[name] == dtype then fn(name .. " " .. dtype, draw, dtype) end
    end
  end
end

describe("draws that wait", function()
  local was
  before_each(function()
    was = ma.set_fusion(true)
    core.background(false)
  end)
  after_each(function()
    core.background(true)
    ma.set_fusion(was)
  end)

  it("have the bits of draws at once in arithmetic, at any size", function()
    each(function(label, draw, dtype)
      for _, n in ipairs { 1, 2, 3, 5, 130, 1023, 4099 } do
        same(label .. " " .. n, function(g) return draw(g, n, dtype) * 3 + 2 end)
      end
      same(label .. " of no axes", function(g) return draw(g, {}, dtype) * 3 + 2 end)
      same(label .. " of none", function(g) return draw(g, { 0, 3 }, dtype) * 3 + 2 end)
    end)
  end)

  it("have them in reductions along any axis", function()
    each(function(label, draw, dtype)
      same(label .. ": all", function(g) return (draw(g, 3001, dtype) ^ 2 + 1):mean() end)
      same(label .. ": a mean and a draw", function(g)
        local x = draw(g, 3001, dtype)
        return x - x:mean()
      end)
      for _, axis in ipairs { 1, 2, 3 } do
        same(label .. " axis " .. axis, function(g) return (draw(g, { 9, 20, 33 }, dtype) * 2):sum(axis) end)
      end
      same(label .. ": two axes", function(g) return (draw(g, { 9, 20, 33 }, dtype) * 2):max({ 1, 3 }) end)
      same(label .. ": rows", function(g)
        local x, keep = draw(g, { 40, 300 }, dtype), { keepdims = true }
        local e = ma.exp(x - x:max(2, keep))
        return e / e:sum(2, keep)
      end)
      same(label .. ": a long one", function(g) return (draw(g, 70001, dtype) + 1):sum() end)
      same(label .. ": tall columns", function(g) return (draw(g, { 4100, 24 }, dtype) + 1):std(1) end)
    end)
  end)

  it("have them through views", function()
    each(function(label, draw, dtype)
      local function view(text)
        same(label .. text, function(g) return draw(g, { 30, 41 }, dtype)[text] * 2 end)
      end
      view "3:-4, :"
      view ":, 5:-2"
      view "::2, 1::3"
      view "::-1, ::-1"
      view "4"
      view ":, 7"
      same(label .. " transposed", function(g) return draw(g, { 30, 41 }, dtype).T + 1 end)
      same(label .. " beside a transpose", function(g)
        return ma.arange(30 * 41, dtype):reshape(41, 30).T + draw(g, { 30, 41 }, dtype)
      end)
      same(label .. " reshaped", function(g) return draw(g, { 30, 40 }, dtype):reshape(20, 60) + 1 end)
      same(label .. " broadcast", function(g) return draw(g, { 30, 1 }, dtype) + draw(g, 41, dtype) end)
      same(label .. " summed in part", function(g) return (draw(g, { 30, 41 }, dtype)[":, 2:-3"] * 2):sum(2) end)
    end)
  end)

  it("have them in what writes to arrays, selects, scans and sorts", function()
    each(function(label, draw, dtype)
      same(label .. " in place", function(g)
        local x, y = ma.ones(500, dtype), ma.ones({ 500, 2 }, dtype)
        x:iadd(draw(g, 500, dtype))
        y[":, 2"] = draw(g, 500, dtype)
        local z = draw(g, 500, dtype)
        z:imul(2)
        return x, y, z
      end)
      same(label .. " given", function(g)
        local x = ma.zeros(500, dtype)
        local before = x + 1                                       -- reads the zeros
        g:random { size = 500, out = x }
        return before, x * 2, ma.add(draw(g, 500, dtype), 1, { out = x })
      end)
      same(label .. " scanned", function(g) return (draw(g, 500, dtype) + 1):cumsum() end)
      same(label .. " counted", function(g) return ma.count_nonzero(draw(g, 500, dtype):gt(0.5)) end)
      same(label .. " selected", function(g) return ma.arange(500)[draw(g, 500, dtype):gt(0.5)] end)
      same(label .. " picked", function(g)
        return ma.arange(50)[(ma.clip(draw(g, 500, dtype), 0, 1) * 49 + 1):astype "int64"]
      end)
      same(label .. " sorted", function(g) return (draw(g, 500, dtype) + 1):sort() end)
      same(label .. " of another dtype", function(g)
        return draw(g, 500, dtype):astype "int32", draw(g, 9, "float16") + 1
      end)
    end)
  end)

  it("are one kernel, without an array of draws", function()
    local x = data(5000, "float32")
    local cases = {
      scaled = function(g) return (g:standard_normal(5000, "float32") * 3 + 2):eval() end,
      mean = function(g) return (g:random(5000, "float32") ^ 2 + 1):mean():eval() end,
      dropout = function(g) return (x * g:random(5000, "float32"):lt(0.3)):eval() end,
      scaled_dropout = function(g) return (x * g:random({ 50, 100 }, "float32"):reshape(5000):lt(0.8) / 0.8):eval() end,
      squares = function(g) return ma.square(g:random(5000, "float32")):mean():eval() end,
      two = function(g) return (g:random(5000, "float32") + g:standard_normal(5000, "float32")):eval() end,
      view = function(g) return (g:random(5000, "float32")["11:-3"] * 2):eval() end,
    }
    for label, fn in pairs(cases) do
      local g = rng()
      fn(g)
      core.background(true)                                        -- the kernel is compiled
      takes(1, function() fn(g) end, label)
      local made = figures(fn, g)
      if helper.compiles then assert.equal(1, made.run, label) end
    end
  end)

  it("are made once if they are read more than once", function()
    local g, n = rng(), 5000
    local x = g:random(n, "float32")
    local y = (x * 2):eval()                                       -- takes the draw in
    local made = figures(function() x:eval() x:eval() end)
    assert.equal(helper.compiles and 1 or 0, made.run)             -- without NVRTC draws do not wait
    assert.is_true(ma.array_equal(y, x * 2))
    local z = g:random(n, "float32")
    local a, b, c = z * 2, z + 1, z - 1                            -- a second use runs it, and it stays
    made = figures(function() ma.eval(a, b, c) z:eval() end)
    assert.is_true(made.run <= 4)
    assert.is_true(ma.array_equal(a, z * 2))
    assert.is_true(ma.array_equal(b, z + 1))
    assert.is_true(ma.array_equal(c, z - 1))
  end)

  it("do not depend on what happens to the generator before they are used", function()
    local g, other = rng(3), rng(3)
    local x = g:random(100)
    local state = g:get_state()
    assert.equal(1, state.draw)
    g:seed(9)
    local y = g:random(100)
    g:set_state(state)
    local z = g:random(100)
    assert.is_true(ma.array_equal(x + 0, other:random(100):eval()))
    assert.is_true(ma.array_equal(z + 0, other:random(100):eval()))
    assert.is_true(ma.array_equal(y + 0, rng(9):random(100):eval()))
    assert.equal(2, g:get_state().draw)
  end)

  it("are constants of ma.grad, with a gradient for what scales them", function()
    local function loss(fused)
      local before, g = ma.set_fusion(fused), rng()
      local value, by = ma.value_and_grad(function(m, s)
        local z = g:standard_normal(1000)
        return ((z * s + m) ^ 2):mean()
      end, { argnums = { 1, 2 } })(ma.array(0.5), ma.array(2.0))
      local made = { ma.asarray(value), ma.asarray(by[1]), ma.asarray(by[2]), g:random(3) }
      for k = 1, #made do made[k]:eval() end
      ma.set_fusion(before)
      return made
    end
    local waited, at_once = loss(true), loss(false)
    for k, a in ipairs(at_once) do helper.identical(waited[k], a, tostring(k)) end
  end)

  it("give a graph the numbers of calls", function()
    local g, twin = rng(), rng()
    local function step(generator) return generator:standard_normal(300, "float32") * 3 + 2 end
    local replay = ma.cuda.graph(function() return step(g) end)
    step(twin)                                                     -- it is called once, then recorded
    for k = 1, 3 do helper.identical(ma.asarray(replay()):copy(), step(twin):eval(), "launch " .. k) end
    helper.identical(g:random(5), twin:random(5), "behind it")
  end)

  it("do not wait where fusion is off, and in other dtypes", function()
    local function recorded(fn) return figures(fn).recorded end
    local g = rng()
    if helper.compiles then
      assert.equal(1, recorded(function() g:random(10) end))
      assert.equal(1, recorded(function() g:normal(1, 2, { 2, 5 }, "float64") end))
    end
    for _, draw in ipairs { function() g:random(10, "float16") end, function() g:integers(0, 5, 10) end,
      function() g:exponential(1, 10) end } do
      assert.equal(0, recorded(draw))
    end
    ma.set_fusion(false)
    assert.equal(0, recorded(function() g:random(10) end))
    ma.set_fusion(true)
  end)

  it("raise errors by the line that draws", function()
    local g = rng()
    helper.fails_with("scale is -1; wanted 0 or more", function() g:normal(0, -1, 10) end)
    helper.fails_with("low is 5 and high 1", function() g:uniform(5, 1, 10) end)
    assert.equal(0, g:get_state().draw)
  end)

  it("leave nothing behind that nobody reads", function()
    local before = helper.live()
    do
      local g = rng()
      for _ = 1, 20 do local _ = g:random(5000) * 2 end
    end
    assert.equal(before, helper.live())
  end)

  -- Where an expression runs as single operations, its draw becomes an array first.
  it("is not given back twice where there is no memory for its numbers", function()
    local count, bytes = helper.live()
    local x = data(100)
    core.general_forms(true)
    for n = 1, 8 do
      local y = rng():standard_normal({ 100 }, "float32") * 2 + x
      core.fail_allocation(n, 1000000)
      local ok, why = pcall(y.eval, y)
      core.fail_allocation(0)
      assert(ok or why:find("out of memory", 1, true), why)
      y:free()
    end
    core.general_forms(false)
    local one, other = ma.ones({ 100 }, "float32"), ma.zeros({ 100 }, "float32")     -- which lie apart
    assert.equal(100, (one + other):sum():item())
    x:free() one:free() other:free()
    local now, left = helper.live()
    assert.equal(count, now)
    assert.equal(bytes, left)
  end)
end)
