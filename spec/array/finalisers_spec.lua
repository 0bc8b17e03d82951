-- Finalisers that run after those of the library's objects still have these: the finaliser of an older object comes
-- after that of the object which it holds.

local ma = require("spec.helper").ma

describe("a collected object, in a finaliser that runs after its own,", function()
  it("is a freed array, if it was an array", function()
    local seen
    local function leave()
      local older, held = newproxy(true), {}
      getmetatable(older).__gc = function()
        local a = held[1]
        local _, read = pcall(function() return a + 1 end)
        local _, write = pcall(ma.modf, 1.5, nil, { out = { a, a } })
        local text = tostring(a)
        a:free()
        seen = { read, write, text }
      end
      held[1] = ma.zeros(3)
    end
    leave()
    collectgarbage() collectgarbage()
    for k = 1, 3 do assert.is_truthy(seen[k]:find("freed", 1, true), seen[k]) end
    assert.is_truthy(tostring(ma.zeros(2)):find("^%[0. 0.%]"))
  end)

  it("raises errors, if it was another object", function()
    local text = "extern \"C\" __global__ void f(float* x) { x[0] = 1; }"
    local makers = {
      pool = function() return ma.cuda.MemoryPool(), "used_bytes" end,
      stream = function() return ma.Stream(), "synchronize" end,
      event = function() return ma.Event(), "done" end,
      graph = function() return ma.cuda.graph(function() return ma.zeros(2) + 1 end), "launch" end,
      kernel = function() return ma.RawKernel(text, "f"), "code" end,
      module = function() return ma.RawModule { code = text }, "options" end,
    }
    for word, make in pairs(makers) do
      local seen
      local function leave()
        local older, held = newproxy(true), {}
        getmetatable(older).__gc = function()
          local object, name = held[1], held[2]
          local read, why = pcall(function() return object[name] end)
          seen = { read, why, tostring(object) }
        end
        held[1], held[2] = make()
      end
      leave()
      collectgarbage() collectgarbage()
      assert.is_false(seen[1], word)
      assert.is_truthy(seen[2]:find("the " .. word .. " was collected", 1, true), seen[2])
      assert.is_truthy(seen[3]:find("^<"), seen[3])
    end
  end)
end)
