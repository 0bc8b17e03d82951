-- Derivatives of stencils: by stencils where the function is an expression, else by its operations.

local ma = require "moonarray"
local core = require "moonarray.core"
local orders = require "spec.grad.grad_orders"
local are_few = require("spec.fusion.fusion_helper").are_few

local function numbers(...) return ma.random.default_rng(5):standard_normal { ... } end

ma.grad(function(x) return x:sum() end)(ma.ones(1))                -- which loads what core.flows is
local flow = core.flows.stencil
local made, asked

--- Whether the derivative is made of stencils, in each call.
local function holds(by_stencils, fn, args)
  made, asked = 0, 0
  function core.flows.stencil(...)
    local results = flow(...)
    asked, made = asked + 1, made + (results and 1 or 0)
    return results
  end
  local ok, why = pcall(orders, fn, args)
  core.flows.stencil = flow
  if not ok then error(why, 0) end
  assert(asked > 0)
  assert.equal(by_stencils and asked or 0, made)
end

local function heat(u) return u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)) end
local function bent(u) return ma.tanh(u(-1)) * u(1) + ma.exp(-u(0) ^ 2) / (2 + u(2) ^ 2) end
local RULES = { "wrap", "constant", "nearest", "reflect", "mirror", "leave" }

describe("derivatives of stencils", function()
  for _, rule in ipairs(RULES) do
    it("are right under " .. rule, function()
      local by_stencils = rule ~= "leave"
      local plane, line = ma.stencil(heat, { boundary = rule }), ma.stencil(bent, { boundary = rule })
      holds(by_stencils, function(x) return plane(x) end, { numbers(3, 4) })
      holds(by_stencils, function(x) return line(x) end, { numbers(6) })
      holds(by_stencils, function(x) return line(x) end, { numbers(2) })         -- which repeats what is outside
    end)
  end

  it("are one stencil where the function is linear, whatever its edges are", function()
    local function far(u) return u(0, 0) - 0.5 * u(-2, 0) + 2 * u(1, 1) + 0.3 * u(2, -1) - u(0, 1) end
    local rules = { "constant", "nearest", "reflect", "mirror", { "wrap", "mirror" }, { "reflect", "nearest" } }
    for _, rule in ipairs(rules) do
      local stencil = ma.stencil(far, { boundary = rule, value = rule == "constant" and 3 or nil })
      holds(true, function(x) return stencil(x) end, { numbers(7, 8) })
      holds(true, function(x) return stencil(x) end, { numbers(4, 9) })          -- whose edges are both near
      local x = numbers(9, 7)
      local _, pull = ma.vjp(function(u) return stencil(u) end, x)
      local g = numbers(9, 7)
      pull(g, { keep = true })
      core.compile_at_once(true)
      pull(g, { keep = true }):eval()
      local work = core.work()
      pull(g, { keep = true }):eval()
      core.compile_at_once(false)
      assert(are_few(core.work() - work, 2), core.work() - work)                 -- the stencil, and a copy
    end
  end)

  it("are right under a rule for each axis, and of a value outside", function()
    local mixed = ma.stencil(heat, { boundary = { "wrap", "nearest" } })
    local valued = ma.stencil(heat, { boundary = "constant", value = 3 })
    holds(true, function(x) return mixed(x), valued(x) end, { numbers(3, 4) })
    local deep = ma.stencil(function(u) return u(0, 0, 0) * u(1, 0, -1) end, { boundary = "reflect" })
    holds(true, function(x) return deep(x) end, { numbers(2, 2, 2) })
  end)

  it("are right of several fields and results, and of many steps", function()
    local wave = ma.stencil(function(u, v) return u(0) + 0.9 * (u(0) - v(0)) * u(1), u(0) end,
      { out = 2, boundary = "mirror" })
    holds(true, function(u, v) return wave(u, v) end, { numbers(4), numbers(4) * 2 })
    holds(true, function(u, v) return wave:run(u, v, { steps = 3 }) end, { numbers(4), numbers(4) * 2 })
  end)

  it("take numbers from outside as they were in each call", function()
    local k
    local scaled = ma.stencil(function(u) return k * u(1) * u(0) end)
    holds(true, function(u)
      k = 0.5
      local v = scaled(u)
      k = 2
      return scaled(v), v
    end, { numbers(5) })
    local config = { inner = { speed = 1 } }
    local function faster(x) return x * config.inner.speed end
    local moved = ma.stencil(function(u) return faster(u(1)) - u(0) ^ 2 end)
    holds(true, function(u)
      local v = u
      for speed = 1, 3 do
        config.inner.speed = speed
        v = moved(v)
      end
      config.inner = { speed = 5 }
      return moved(v)
    end, { numbers(4) * 0.5 })
  end)

  it("are right of choices, extremes and methods", function()
    local chosen = ma.stencil(function(u)
      return ma.where(u(0):gt(0), u(1), -u(0)) + ma.clip(u(0), -0.5, 0.5) + ma.maximum(u(1), u(-1)) + u(0):sin()
    end, { boundary = "wrap" })
    holds(true, function(u) return chosen(u) end, { numbers(5) })
    local special = ma.stencil(function(u) return ma.special.erf(u(-1)) * u(1) end, { boundary = "wrap" })
    holds(true, function(u) return special(u) end, { numbers(5) })
  end)

  it("are right where the function branches", function()
    local branching = ma.stencil(function(u) if u(0) > 0 then return u(1) * u(0) else return -u(-1) ^ 2 end end)
    holds(true, function(u) return branching(u) end, { numbers(5) })
    local equal = ma.stencil(function(u) if u(0) == 2 then return u(1) * 5 end return u(-1) end)
    local slope = ma.grad(function(u) return equal(u)["2:2"]:sum() end)
    assert.same({ 0, 0, 5 }, slope(ma.array({ 1, 2, 3 }, "float64")):totable())
  end)

  it("are those of the operations where the function reads other arrays", function()
    local list = ma.array({ 1, 2, 3, 4 }, "float64")
    local weighted = ma.stencil(function(u) return u(1) * list end)
    holds(false, function(u) return weighted(u) end, { numbers(4) })
    holds(false, function(u)
      return ma.stencil(function(v) return v(1) * u end)(list)
    end, { numbers(4) })
  end)

  it("keep no field of a linear one", function()
    local step, pool = ma.stencil(heat, { boundary = "wrap" }), ma.get_default_memory_pool()
    local field, most = ma.ones({ 400, 250 }, "float64"), 0
    collectgarbage()
    local before = pool:used_bytes()
    ma.grad(function(u)
      for _ = 1, 20 do
        u = step(u)
        collectgarbage()
        most = math.max(most, pool:used_bytes() - before)
      end
      return u:sum()
    end)(field)
    assert(most < 4 * field.size * 8, most)
  end)
end)
