-- ma.scope in functions that call themselves: what a scope costs, and how an endless recursion ends.

local helper = require "spec.helper"
local ma = helper.ma

describe("scopes in each other", function()
  --- Seconds of the processor that fn(depth) takes, the least of three.
  local function seconds(fn)
    local least = math.huge
    for _ = 1, 3 do
      local start = os.clock()
      fn()
      least = math.min(least, os.clock() - start)
    end
    return least
  end

  it("cost as much each, also where no frame of the user's is left between them", function()
    local left
    local function scope()
      left = left - 1
      if left > 0 then return ma.scope(scope) end
    end
    local function freeing()
      left = left - 1
      local a = ma.zeros(1)
      if left > 0 then return ma.scope(freeing) end
      return a:free()
    end
    for _, fn in ipairs { scope, freeing } do
      assert(seconds(function()
        left = 1000
        fn()
      end) < 0.5)
    end
  end)

  it("without end are a stack overflow", function()
    local function endless()
      local a = ma.zeros(1)
      return ma.scope(endless, a)
    end
    assert(seconds(function() assert.matches("stack overflow", select(2, pcall(endless))) end) < 0.5)
    collectgarbage()
  end)

  it("say where they were opened, if the user's frame is there", function()
    local kept
    ma.scope(function()
      kept = ma.zeros(1)
    end)
    assert.matches("by moonarray.scope at .*scope_depth_spec.lua:%d+; return it", helper.fails(ma.sum, kept))
    local function tail(n)
      if n > 0 then return ma.scope(tail, n - 1) end
      kept = ma.zeros(1)
    end
    tail(100)
    assert.matches("by moonarray.scope; return it", helper.fails(ma.sum, kept))
  end)
end)
