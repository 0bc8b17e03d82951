-- What derivatives leave behind: nothing, with Lua's collector and, where a scope closes, without it.

local ma = require "moonarray"
local helper = require "spec.helper"

local pool = ma.get_default_memory_pool()
local x = ma.linspace(0.1, 1, 64)

local function wave(v) return (ma.tanh(v) * ma.exp(v["::-1"]) + ma.sort(v) * v:max()):sum() end

--- Calls of ma.grad and its kin, by what they are.
local STEPS = {
  grad = ma.grad(wave),
  ["a scope inside"] = ma.grad(function(v)
    return ma.scope(function()
      local y = ma.tanh(v)
      return (y * y):sum()
    end)
  end),
  vjp = function(v)
    local y, pull = ma.vjp(function(u) return ma.tanh(u) * u end, v)
    pull(y, { keep = true })
    pull(y)
  end,
  ["a pull that is freed"] = function(v)
    local _, pull = ma.vjp(function(u) return ma.tanh(u) * u end, v)
    pull:free()
  end,
  jvp = function(v) ma.jvp(function(u) return u ^ 3 end, { v }, { v }) end,
  jacobian = function(v) ma.jacobian(function(u) return u["1:4"] ^ 3 end)(v) end,
  ["a second derivative"] = ma.grad(function(v) return (ma.grad(wave)(v)):sum() end),
  iterate = ma.grad(function(v) return ma.iterate(9, function(u) return ma.tanh(u) * u end, v):sum() end),
  checkpoint = ma.grad(function(v) return ma.checkpoint(wave)(v) end),
  writes = ma.grad(function(v)
    local y = ma.zeros(64)
    y["2:"] = v[":-2"] ^ 2
    y:iadd(v)
    return (y * y):sum()
  end),
  custom = ma.grad(function(v)
    return ma.custom_vjp(function(u) return u * u end, function(g, y, u) return g * y * u end)(v):sum()
  end),
  ["an error"] = function(v)
    pcall(ma.grad(function(u)
      local y = ma.tanh(u)
      return y:nonsense()
    end), v)
  end,
}

local function collect()
  for _ = 1, 4 do collectgarbage() end
end

describe("derivatives leave no bytes in use", function()
  it("behind 1,000 steps", function()
    local step = STEPS.grad
    for _ = 1, 10 do step(x) end
    collect()
    local before = pool:used_bytes()
    for _ = 1, 1000 do step(x) end
    collect()
    assert.equal(before, pool:used_bytes())
  end)

  it("behind 1,000 steps in scopes, without the collector", function()
    local failures = helper.failures()
    for name, step in pairs(STEPS) do
      failures:run(name, function()
        for _ = 1, 3 do ma.scope(step, x) end
        collect()
        collectgarbage "stop"
        local before = pool:used_bytes()
        for _ = 1, name == "grad" and 1000 or 20 do ma.scope(function() step(x) end) end
        local after = pool:used_bytes()
        collectgarbage "restart"
        assert.equal(before, after)
      end)
    end
    failures:check()
  end)

  it("while ma.iterate carries a state that it descends with, without the collector", function()
    local step = ma.grad(wave)
    local function descend() return ma.iterate(50, function(v) return v - 0.01 * step(v) end, x) end
    descend()
    collect()
    collectgarbage "stop"
    local before = pool:used_bytes()
    local last = descend()
    local after = pool:used_bytes()
    collectgarbage "restart"
    assert.equal(64, last.size)
    assert(after - before <= 64 * 8 * 2, after - before)
  end)
end)

describe("what a derivative reads within a scope", function()
  local given = ma.array({ 1, 2, 3 }, "float64")

  it("belongs to the scope in which it was made", function()
    local before = pool:used_bytes()
    local sum, inside = ma.scope(function()
      local a, held = given * 2, nil
      ma.scope(function()
        held = a * 1
        ma.grad(function(v) return (v * a * held):sum() end)(given)
      end)
      assert.is_false(pcall(ma.sum, held))
      local r = ma.iterate(3, function(s)
        return s - 0.5 * (ma.grad(function(v) return (v * a):sum() end)(s))
      end, given)
      return (a + r):sum():item(), a
    end)
    assert.equal(12 + 6 - 18, sum)
    assert.same({ 2, 4, 6 }, inside:totable())
    inside:free()
    assert.equal(before, pool:used_bytes())
    local g = ma.scope(function()
      return (ma.grad(function(v)
        local c = v * 2
        local cubes = ma.checkpoint(function(u)
          return ma.scope(function() return (ma.grad(function(q) return (q ^ 3):sum() end)(u)) * 1 end)
        end)
        return (cubes(c) * c):sum()
      end)(given))
    end)
    assert.same({ 72, 288, 648 }, g:totable())
  end)

  it("stays where the scope returned it, wherever the derivative is taken", function()
    local function made()
      local a = given * 3
      local _, pull = ma.vjp(function(v) return v * a end, given)
      return a, pull
    end
    local a, pull = ma.scope(made)
    assert.same({ 3, 6, 9 }, ma.scope(function() return (pull(ma.ones(3))) end):totable())
    assert.same({ 3, 6, 9 }, a:totable())
    local outer = ma.scope(function()
      a, pull = ma.scope(made)
      ma.scope(function() pull(ma.ones(3)) end)
      return a:sum():item()
    end)
    assert.equal(18, outer)
    assert.is_false(pcall(ma.sum, a))
  end)
end)
