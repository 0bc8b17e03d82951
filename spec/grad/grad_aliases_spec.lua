-- Derivatives where several names mean one memory: values that are written over themselves, positions that are written
-- twice, writes that no handler of ma.grad sees, results that are arguments, and arrays where numbers are expected.

local ma = require "moonarray"
local helper = require "spec.helper"

local function array(list) return ma.array(list, "float64") end
local function derivative(f, x) return (ma.grad(f)(x or array { 1, 2 })):totable() end

local COMPARED = {
  ["times itself"] = function(y) y:imul(y) end,
  ["times a part of itself"] = function(y) y["2:"]:imul(y[":-2"]) end,
  ["over a part of itself"] = function(y) y:idiv(y["1:1"]) end,
  ["to the power of itself"] = function(y) y:ipow(y) end,
  ["a shifted copy"] = function(y) y["2:"] = y[":-2"] end,
  ["turned around"] = function(y) y["::-1"] = y end,
  ["a position twice, of which one value stays"] = function(y, x) y[ma.index { 1, 1 }] = x["3:4"] end,
  ["a position twice, on an axis"] = function(y, x) y:reshape(2, 2)[{ {}, ma.index { 2, 2 } }] = x:reshape(2, 2) end,
  ["added twice by a key in a table"] = function(y, x)
    local key = { ma.index { 1, 1 } }
    y:iadd_at(key, x["2:3"])
    key[1] = ma.index { 4, 4 }
  end,
  ["picked by a key that is changed"] = function(y, x)
    local key = { ma.index { 1, 3 } }
    y[key] = x["2:3"]
    key[1] = ma.index { 4, 4 }
  end,
  ["in a scope"] = function(y, x)
    ma.scope(function() y:iadd_at({ ma.index { 1, 1 } }, x["2:3"]) end)
  end,
  ["of memory that waits"] = function(y, x) y:assign(ma.tanh(x) + y) end,
}

--- Functions of an array and of a constant that the derivative reads, which they write afterwards.
local WRITTEN = {
  ["a generator"] = function(c) ma.random.default_rng(1):random({ out = c }) end,
  ["a sum's out"] = function(c) array { { 1, 1 }, { 2, 2 } }:sum(1, { out = c }) end,
  ["a ufunc's out"] = function(c) ma.exp(array { 1, 1 }, c) end,
  ["take's out"] = function(c) ma.take(array { 1, 2 }, ma.index { 1, 2 }, nil, { out = c }) end,
  ["a ufunc's at"] = function(c) ma.add.at(c, ma.index { 1 }, 3) end,
  ["an alias of the memory"] = function(c) ma.from_dlpack(ma.to_dlpack(c)):fill(0) end,
  ["an element"] = function(c) c[1] = 7 end,
  ["put"] = function(c) c:put(ma.index { 1 }, 7) end,
}

describe("a differentiated write", function()
  it("has the derivative of what the memory then holds", function()
    local failures = helper.failures()
    for name, write in pairs(COMPARED) do
      failures:run(name, function()
        ma.testing.check_grad(function(x)
          local y = x * 1
          write(y, x)
          return y ^ 2
        end, { array { 0.3, 0.8, 1.2, 0.5 } })
      end)
    end
    failures:check()
  end)

  it("over what the derivative reads is an error, whoever writes", function()
    local failures = helper.failures()
    for name, write in pairs(WRITTEN) do
      failures:run(name, function()
        local c = array { 5, 6 }
        local ok, why = pcall(derivative, function(x)
          local y = (x * c):sum()
          write(c)
          return y
        end)
        assert(not ok, "no error")
        assert.matches("grad_aliases_spec.lua:%d+: moonarray%.", why)
      end)
    end
    failures:check()
  end)

  it("behind the function and before the pull is an error", function()
    local y, pull = ma.vjp(ma.exp, array { 0, 0 })
    y:fill(7)
    assert.matches("moonarray.grad: an array that moonarray.exp read at .-:%d+ was written before the derivative was",
      helper.fails(pull, { 1, 1 }))
    local x = array { 1, 2 }
    local _, by_x = ma.vjp(function(a) return a * a end, x)
    x:fill(7)
    assert.matches("an array that moonarray.multiply read", helper.fails(by_x, { 1, 1 }))
  end)

  it("is none where waiting memory is filled", function()
    local x = ma.ones({ 300, 64 }, "float64") / 3
    local g = ma.grad(function(a)
      local e = ma.exp(a - a:max(2, { keepdims = true }))
      local p = e / e:sum(2, { keepdims = true })
      return (p * p):sum()
    end)(x)
    assert(ma.abs(g):max():item() < 1e-15)
  end)

  it("to whole numbers gives constants, and to complex ones their real parts", function()
    local function through(dtype)
      return function(x)
        local y = ma.zeros(2, dtype)
        y[":"] = x
        return (y.real * x):sum()
      end
    end
    assert.same({ 1, 2 }, derivative(through "int64"))
    assert.same({ 2, 4 }, derivative(through "complex128"))
  end)
end)

describe("an array where the derivative does not expect one", function()
  it("is found in deep tables", function()
    assert.matches("a table of arrays", helper.fails(derivative, function(x)
      return ma.array({ { { { { x } } } } }):sum() + x:sum()
    end))
  end)

  it("is an error beside the operand of a reduction", function()
    assert.matches("moonarray.sum: a differentiated array as initial", helper.fails(derivative, function(x)
      return x:sum({ initial = x:max() })
    end))
  end)

  it("of another dtype in the same memory is an error where places differ", function()
    local bytes = ma.zeros(24, "uint8")
    local wide, narrow = bytes["1:8"]:view("float64"), bytes["9:24"]:view("float32")
    assert.matches("arrays of float64 and of float32 in one memory; copy them", helper.fails(
      ma.grad(function(a, b) return (a * a):sum() + (b * b):sum() end, { argnums = { 1, 2 } }), wide, narrow))
  end)
end)

describe("ma.custom_vjp", function()
  local function times_5(fn) return ma.custom_vjp(fn, function(g) return g * 5 end) end

  it("may give its argument, or a view of it", function()
    local same, turned = times_5(function(x) return x end), times_5(function(x) return x["::-1"] end)
    assert.same({ 5, 5 }, derivative(function(x) return same(x):sum() end))
    assert.same({ 5, 5 }, derivative(function(x) return turned(x):sum() end))
    assert.same({ 2, 4 }, derivative(function(x) return (x * ma.stop_gradient(x) + same(x) * 0 + x * 0):sum() * 2 end))
  end)

  it("says what it cannot follow", function()
    local function said(pattern, f) assert.matches("moonarray.custom_vjp: " .. pattern, helper.fails(derivative, f)) end
    local twice = times_5(function(p) return p.a * 2 end)
    said("argument 1 is a table", function(x) return twice({ a = x }):sum() end)
    said("what fn gave depends on a differentiated array that is no argument", function(x)
      return times_5(function(c) return c * x end)(x * 2):sum()
    end)
    local whole = times_5(function(x) return x:astype("int32") end)
    said("fn gave a int32 array %(2,%); wanted an array of floats", function(x) return whole(x):sum() end)
    for _, back in ipairs { function() end, function() return array { 1, 2, 3 } end, function() return "g" end } do
      local f = ma.custom_vjp(function(x) return x * 2 end, back)
      said("back gave .- for argument 1; wanted the derivative by it", function(x) return f(x):sum() end)
    end
  end)
end)

describe("A call that fails in a differentiated function", function()
  it("does not keep the next one from being recorded", function()
    local bad = {
      function(x) return ma.sum(x, "bad") end, function(x) return x:reshape(7) end, function(x) return x + "z" end,
      function(x) return ma.exp(x, 3) end, function(x) return ma.take(x, x) end, function(x) return x["9:k"] end,
      function(x) return ma.prod(x, { nope = 1 }) end, function(x) return ma.concatenate({ x, ma.ones({ 2, 2 }) }) end,
      function(x) return x:item(99) end, function(x) return ma.einsum("ij->k", x) end,
    }
    assert.same({ 2, 4 }, derivative(function(x)
      for _, f in ipairs(bad) do assert(not pcall(f, x)) end
      local y = x * x
      for _, f in ipairs(bad) do assert(not pcall(f, y)) end
      return y:sum()
    end))
  end)
end)

describe("a vector", function()
  it("that is a column, a row and itself has one derivative of all three", function()
    local function all(x)
      local n, y = x.size, ma.tanh(x)
      return ((y:reshape(n, 1) - 2 * y:reshape(1, n)) ^ 3 * y):sum() + y:reshape(1, n, 1)[1]:sum() + (y * x):sum()
    end
    ma.testing.check_grad(all, { array { 0.3, -0.8, 1.2 } })
    ma.testing.check_grad(function(x) return ma.grad(all)(x) end, { array { 0.3, -0.8, 1.2 } })
    ma.testing.check_grad(function(x) return all(x) + x:reshape(1, 1):sum() * x:reshape({}) end, { array { 0.4 } })
    ma.testing.check_grad(function(x)                                          -- columns beside each other
      local sum = 0
      for k = 1, x.shape[2] do
        local c = x[{ {}, { k, k } }]
        sum = sum + (c - c:reshape(1, c.size)) ^ 2 * k + c
      end
      return sum * x[{ { 1, 1 }, {} }]:sum()
    end, { array { { 0.3, -0.8 }, { 1.2, 0.1 }, { 0.7, 0.2 } } })
    local y, pull = ma.vjp(function(x) return ma.tanh(x):reshape(3, 1) + ma.tanh(x) end, array { 0.3, -0.8, 1.2 })
    assert.same({ 3 }, pull(ma.ones_like(y)).shape)
  end)
end)

describe("NaN as the greatest", function()
  it("has the derivative", function()
    assert.same({ 0, 1, 0 }, derivative(function(x) return x:max() end, array { 1, 0 / 0, 3 }))
    assert.same({ 0, 0, 1 }, derivative(ma.nanmax, array { 1, 0 / 0, 3 }))
  end)
end)

describe("ma.special.softmax", function()
  it("has a derivative", function()
    ma.testing.check_grad(ma.special.softmax, { array { 0.3, -0.8, 1.2 } })
  end)
end)
