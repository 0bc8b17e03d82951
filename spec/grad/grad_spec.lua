-- ma.grad and what belongs to it: arguments and results, what is an error, and what is left behind.

local ma = require "moonarray"
local core = require "moonarray.core"
local helper = require "spec.helper"

local function array(list) return ma.array(list, "float64") end
local function square(x) return (x * x):sum() end

describe("ma.grad", function()
  it("gives the derivative, the value and further results", function()
    local g, y, more, none, last = ma.grad(function(x) return (x * x):sum(), "more", nil, 3 end)(array { 1, 2 })
    assert.same({ 2, 4 }, g:totable())
    assert.same({ 5, "more", 3 }, { y:item(), more, last })
    assert.is_nil(none)
    local value, slope = ma.value_and_grad(square)(array { 3 })
    assert.same({ 9, 6 }, { value:item(), slope(1) })
  end)

  it("is taken by the arguments that are named, with tables as they are", function()
    local function fn(p, x, q) return (p.w * x + p.list[1] * q):sum() end
    local p = { w = array { 1, 2 }, list = { array { 3 } } }
    local g = ma.grad(fn, { argnums = { 1, 3 } })(p, array { 5, 7 }, array { 2 })
    assert.same({ 5, 7 }, g[1].w:totable())
    assert.same({ 4 }, g[1].list[1]:totable())
    assert.same({ 6 }, g[2]:totable())
    assert.same({ 1, 2 }, ma.grad(fn, { argnums = 2 })(p, array { 5, 7 }, array { 2 }):totable())
  end)

  it("keeps the dtype of each argument, and is 0 for one that has no effect", function()
    local narrow, wide = ma.array({ 1, 2 }, "float32"), array { 1, 2 }
    local g = ma.grad(function(a, b, _) return (a * b):sum() end, { argnums = { 1, 2, 3 } })(narrow, wide, array { 1 })
    assert.same({ "float32", "float64" }, { g[1].dtype, g[2].dtype })
    assert.same({ 0 }, g[3]:totable())
  end)

  it("follows the branches and loops that ran", function()
    local function power(x)
      local y = x
      for _ = 1, 3 do y = y * x end
      if x:sum():item() > 0 then return y:sum() end
      return (2 * y):sum()
    end
    assert.same({ 32 }, ma.grad(power)(array { 2 }):totable())
    assert.same({ -8 }, ma.grad(power)(array { -1 }):totable())
  end)

  it("differentiates derivatives", function()
    local cube = ma.grad(function(x) return (x ^ 3):sum() end)
    local function slope(x) return cube(x):sum() end
    assert.same({ 12, 18 }, ma.grad(slope)(array { 2, 3 }):totable())
    local mixed = ma.grad(function(x) return (ma.tanh(x["2:"] * x[":-2"]) + x:cumsum()["2:"]):var() end)
    ma.testing.check_grad(function(x) return (mixed(x)) end, { array { 0.3, -0.8, 1.2, 0.5 } })
  end)

  it("calls fused functions and stencils as they are written", function()
    local f = ma.fuse(function(x, y) return ma.sin(x) * y end)
    ma.testing.check_grad(function(x, y) return f(x, y) end, { array { 1, 2 }, array { 3, 4 } })
    local choose = ma.fuse(function(x) if x > 0 then return x * x end return -x end)
    ma.testing.check_grad(function(x) return choose(x) end, { array { 1, -2 } })
    local function taken(w) return ma.fuse(function(x) return x * w end)(array { 1, 2 }):sum() end
    local g = ma.grad(taken)(array { 3, 4 })
    assert.same({ 1, 2 }, g:totable())
    for _, boundary in ipairs { "constant", "wrap", "nearest", "reflect", "leave" } do
      local s = ma.stencil(function(u) return u(-1) * u(0) + 2 * u(1) ^ 2 end, { boundary = boundary })
      ma.testing.check_grad(function(u) return s(u), s:run(u, { steps = 3 }) end, { array { 0.3, -0.2, 0.5, 0.1 } })
    end
  end)

  it("gives arrays of their own", function()
    local one = array { 1, 2 }
    local g = ma.grad(function(x, y) return (x + y):sum() end, { argnums = { 1, 2 } })(one, one * 1)
    g[1][1] = 7
    assert.same({ 1, 1 }, g[2]:totable())
  end)

  it("leaves no memory behind", function()
    local given = array { 1, 2, 3 }
    local step = ma.grad(function(x) return (ma.exp(x) * x["::-1"]):sum() end)
    local function bytes()
      for _ = 1, 4 do collectgarbage() end
      return ma.get_default_memory_pool():used_bytes(), collectgarbage("count")
    end
    for _ = 1, 200 do step(given) end
    local before, heap = bytes()
    for _ = 1, 200 do step(given) end
    local after, later = bytes()
    assert.equal(before, after)
    assert(later < heap + 8, later - heap)
  end)
end)

describe("ma.vjp", function()
  it("gives the results and what flows back", function()
    local y, z, pull = ma.vjp(function(x, w) return x * w, x:sum() end, array { 1, 2 }, array { 3, 4 })
    assert.same({ { 3, 8 }, 3 }, { y:totable(), z:item() })
    local gx, gw = pull(array { 1, 10 }, 100, { keep = true })
    assert.same({ { 103, 140 }, { 1, 20 } }, { gx:totable(), gw:totable() })
    assert.same({ 3, 4 }, (pull(array { 1, 1 }, 0)):totable())
    assert.has_error(function() pull(array { 1, 1 }, 0) end)
  end)
end)

describe("ma.jvp, ma.jacobian and ma.custom_vjp", function()
  local function fn(x) return x["2:"] * x[":-2"] end

  it("go forward, and row by row", function()
    local x = array { 1, 2, 3 }
    local y, t = ma.jvp(fn, { x }, { array { 1, 0, 10 } })
    assert.same({ { 2, 6 }, { 2, 20 } }, { y:totable(), t:totable() })
    assert.same({ { 2, 1, 0 }, { 0, 3, 2 } }, ma.jacobian(fn)(x):totable())
    local slope = ma.grad(function(v) return (v ^ 3):sum() end)
    local _, product = ma.jvp(slope, { x }, { array { 1, 1, 1 } })
    assert.same({ 6, 12, 18 }, product:totable())
    assert.same({ { 6, 0, 0 }, { 0, 12, 0 }, { 0, 0, 18 } }, ma.jacobian(slope)(x):totable())
  end)

  it("take what the user says", function()
    local f = ma.custom_vjp(function(x, w) return x * w end, function(g, _, x, w) return g * w, g * x * 100 end)
    local g = ma.grad(function(x, w) return f(x, w):sum() end, { argnums = { 1, 2 } })(array { 2 }, array { 3 })
    assert.same({ { 3 }, { 200 } }, { g[1]:totable(), g[2]:totable() })
  end)

  it("call what the user says once for all arguments", function()
    local calls = 0
    local f = ma.custom_vjp(function(x, w) return x * w end, function(g, _, x, w)
      calls = calls + 1
      return g * w, g * x
    end)
    local all = { argnums = { 1, 2 } }
    ma.grad(function(x, w) return f(x, w):sum() end, all)(array { 2 }, array { 3 })
    assert.equal(1, calls)
  end)

  it("take how a result changes", function()
    local length = ma.custom_jvp(function(x, _, w) return ma.hypot(x, w) end, function(t, y, x, _, w)
      return (x * t[1] + w * t[3]) / y
    end)
    local x, w = array { 3, 1 }, array { { 4, -2 }, { 1, 3 } }
    ma.testing.check_grad(function(a, b) return length(a, "no array", b) end, { x, w })
    ma.testing.check_grad(function(a) return (ma.grad(function(b) return length(b, 1, w):sum() end)(a)) end, { x })
    local y, t = ma.jvp(function(a) return length(a, 1, array { 4, 1 }) end, { x }, { array { 1, 2 } })
    assert.same({ 5, 0.6 }, { y(1), t(1) })
    assert.same(ma.hypot(x, w):totable(), length(x, 1, w):totable())
    local function fails(words, along)
      local f = ma.custom_jvp(function(v) return v * v end, along)
      local ok, why = pcall(ma.grad(function(v) return f(v):sum() end), x)
      assert.is_false(ok)
      assert.matches(words, why, 1, true)
    end
    fails("along gave a float64 array (); wanted the change of the result", function(v) return v[1]:sum() end)
    fails("the number 3", function() return 3 end)
    assert.has_error(function() ma.custom_jvp(print) end)
  end)
end)

describe("ma.stop_gradient", function()
  it("makes a constant", function()
    local g = ma.grad(function(x) return (x * ma.stop_gradient(x)):sum() end)(array { 2, 3 })
    assert.same({ 2, 3 }, g:totable())
  end)
end)

describe("what has no derivative", function()
  local function fails(words, fn, ...)
    local ok, why = pcall(fn, ...)
    assert.is_false(ok)
    assert.matches(words, tostring(why), 1, true)
    assert.matches("grad_spec.lua:%d+: moonarray%.", tostring(why))
  end
  local given = array { 1, 2, 3 }

  it("is named", function()
    fails("nextafter: has no derivative", ma.grad(function(x) return ma.nextafter(x, 2):sum() end), given)
    fails("stop_gradient", ma.grad(function(x) return (ma.linalg.qr(x:reshape(1, 3), "raw")):sum() end), given)
    fails("histogram: has no derivative", ma.vjp, function(v)
      return (ma.histogram(ma.ones(3), 2, { weights = v }))
    end, given)
    fails("data: has no derivative", ma.grad(function(x) x:data() return x:sum() end), given)
    local kernel = ma.ElementwiseKernel("T x", "T y", "y = x", "same")
    fails("has no derivative", ma.grad(function(x) return kernel(x):sum() end), given)
  end)

  it("is no silent 0 where the library computes on the host", function()
    fails("has no derivative", ma.grad(function(x) return ma.polyval(ma.array(ma.roots(x)), 2):sum() end), given)
  end)

  it("is an argument or a result of another kind", function()
    fails("wanted an array of floats", ma.grad(square), 3)
    local circle = { array { 1 } }
    circle[2] = circle
    fails("a table of more than 16 tables in tables; wanted an array of floats", ma.grad(square), circle)
    fails("argument 1[w][1] is the string 'x'; wanted", ma.grad(square), { w = { "x" } })
    fails("argument 1[w] is an object, a table with a metatable; wanted", ma.grad(square),
      { w = setmetatable({ array { 1 } }, {}) })
    fails("argument 1 is an object", ma.grad(square), ma.sparse.eye(2))
    fails("wanted floats", ma.grad(square), ma.array({ 1, 2 }, "int64"))
    fails("argument 1[b] is a int64 array (2,); wanted floats", ma.grad(square), { b = ma.array({ 1, 2 }, "int64") })
    fails("wanted one number", ma.grad(function(x) return x * 2 end), given)
    fails('is the number 2; wanted an array: elements as numbers, such as y[1] and y:item(), leave what is '
      .. 'differentiated (y["1:1"] does not)', ma.grad(function(x) return x[1] * 2 end), given)
    fails("what the function returns is nil; wanted an array", ma.grad(function() end), given)
    fails("does not depend on an argument", ma.grad(function() return ma.ones(1):sum() end), given)
    fails("these calls give constants: item at ",
      ma.grad(function(x) return ma.array({ x:sum():item() }):sum() end), given)
    fails("fn is", ma.grad, 3)
  end)

  it("is a write to what the backward pass reads", function()
    fails("assign: writes an array that moonarray.tanh read at ", ma.grad(function(x)
      local y = ma.tanh(x)
      y:assign(0)
      return y:sum()
    end), given)
    fails("writes an array that moonarray.multiply read", ma.grad(function(x)
      local c = ma.ones(3)
      local y = x * c
      c:fill(0)
      return y:sum()
    end), given)
    fails("was written before the derivative was computed", function()
      local x, c = array { 1, 2, 3 }, array { 1, 2, 3 }
      local y, pull = ma.vjp(function(v) return v * c end, x)
      c:fill(0)
      pull(ma.ones_like(y))
    end)
    fails("was written before the derivative was computed", ma.grad(function(x)
      local c = ma.ones(3, "float64")
      local y = x * c
      ma.ElementwiseKernel("float64 a", "float64 b", "b = a", "spoil")(ma.zeros(3, "float64"), c)
      return y:sum()
    end), given)
    fails("writes an argument", ma.grad(function(x) x[1] = 3 return x:sum() end), given:copy())
    fails("out", ma.grad(function(x) return ma.exp(x, { out = ma.zeros(3) }):sum() end), given)
  end)

  it("does not leave a recording behind", function()
    pcall(ma.grad(function() error("user's own") end), given)
    assert.is_false(core.is_recording())
    assert.same({ 2, 4, 6 }, ma.grad(square)(given):totable())
    assert.has_error(function() ma.grad(function() error("user's own", 0) end)(given) end, "user's own")
  end)

  it("names the call whose derivative is not finite", function()
    local function root(x) return ma.sqrt(x - 1):sum() end
    fails("the derivative of moonarray.sqrt", ma.grad(root, { check = true }), given)
  end)
end)

describe("the word of each function of the core", function()
  it("is one of four", function()
    ma.grad(square)(array { 1 })
    local failures = helper.failures()
    for name in pairs(ma.linalg) do
      failures:run(name, function()
        local word = core.grad_word(name)
        assert(word == "rule" or word == "composite" or word == "constant" or word == "none", word)
      end)
    end
    failures:check()
    assert.equal("none", core.grad_word("core.linalg_qr"))
    assert.equal("rule", core.grad_word("sum"))
    assert.equal("constant", core.grad_word("argmax"))
    assert.equal("composite", core.grad_word("fuse()"))
  end)
end)
