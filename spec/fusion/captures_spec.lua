--- What functions of ma.fuse and ma.stencil take from outside: each call looks at it.

local ma = require("spec.helper").ma

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
