-- Graphs and what their functions take from outside: a launch sees what was replaced since the recording.

local helper = require "spec.helper"
local files = require "spec.file"
local ma = helper.ma

describe("a graph", function()
  it("refuses a launch where what its function takes from outside was replaced", function()
    local x, by, config = ma.zeros(3), 2, { scale = 1, deep = { on = true } }
    local function scaled(a) return a * config.scale end
    local graph = ma.cuda.graph(function()
      if config.deep.on then x:assign(x + by) end
      return scaled(x)
    end)
    graph()
    for _, change in ipairs {
      { function(v) by = v end, 3, 2, "by is the number 3, and was the number 2 when the graph was recorded" },
      { function(v) config.scale = v end, "a", 1, "config.scale is the string 'a', and was the number 1" },
      { function(v) config.deep = v end, { on = true }, config.deep, "config.deep is another table than when" },
      { function(v) config.deep.on = v end, false, true, "config.deep.on is a boolean %(false%)" },
      { function(v) x = v end, ma.ones(3), x, "x is another array than .* write into that one, as by x:assign%(...%)" },
      { function(v) scaled = v end, function() end, scaled, "scaled is another function than when" },
    } do
      local set, new, old, why = unpack(change)
      set(new)
      assert.matches("outside_spec.lua:%d+: moonarray.launch: " .. why, helper.fails(function() graph:launch() end))
      assert.matches(why, helper.fails(graph))
      set(old)
      graph()
    end
    x:assign(1)
    assert.equal(3, graph()(1))
  end)

  it("goes on where a variable was let go of, or is the function's own", function()
    local x, count, by = ma.zeros(3), 0, 0 / 0
    local graph = ma.cuda.graph(function()
      count = count + 1
      return x + (by == by and 1 or 2)
    end)
    count = 100
    assert.equal(2, graph()(1))
    x = nil                                                -- luacheck: ignore
    assert.equal(2, graph()(1))
    assert.equal(100, count)
  end)

  it("says once that it cannot look without the debug library", function()
    local path = files.write(os.tmpname(), [[
      debug = nil
      package.loaded.debug = nil
      local ma = require "moonarray"
      local x, by = ma.zeros(3), 1
      for k = 1, 2 do
        local graph = ma.cuda.graph(function() return x + by end)
        by = by + 1
        print(graph()(1))
      end
    ]])
    local printed = files.output(("%s '%s' 2>&1"):format(os.getenv "LUAJIT" or "luajit", path))
    os.remove(path)
    local _, said = printed:gsub("cuda.graph: without Lua's debug library a launch cannot see", "")
    assert.equal(1, said, printed)
    assert.matches("1%s+2%s*$", printed)
  end)
end)
