-- Functions of ma.stencil and ma.fuse that take what stands in for elements for elements: each error, with its text.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

local FILE = "spec/kernel/wrong_rules_spec.lua:"

--- Runs each `{ text, f, ... }`: f(...) fails with the text.
local function check(cases)
  local failures = helper.failures()
  for _, case in ipairs(cases) do
    failures:run(case[1], function()
      local message = fails(case[2], unpack(case, 3))
      assert(message:find(case[1], 1, true), message)
    end)
  end
  failures:check()
end

describe("in the function of a stencil", function()
  local row = ma.array { 0, 1, 0.25 }
  it("the time is an error", function()
    check {
      { "moonarray.stencil: os.time, which would be called once",
        ma.stencil(function(u) return u(0) + os.time() end), row },
      { "moonarray.stencil: ma.time, which would be called once",
        ma.stencil(function(u) return u(0) + ma.time() end), row },
    }
  end)

  it("Lua's own errors have the user's line and what to write", function()
    local field = "; a field is read by a call with an offset for each axis: u(0) is the element, u(1) the next one"
    check {
      { "; the bounds of a loop are numbers of Lua", ma.stencil(function(u)
        for _ = 1, u do u(0) end
        return u(0)
      end), row },
      { "attempt to index local 'u' (a function value)" .. field, ma.stencil(function(u) return u[1] end), row },
      { "(a function value)" .. field, ma.stencil(function(u) return u.shape[1] end), row },
      { "attempt to get length of local 'u' (a function value)" .. field, ma.stencil(function(u) return #u end), row },
      { "(a function value)" .. field, ma.stencil(function(u) return u + 1 end), row },
      { "moonarray.stencil: attempt to compare function with number",
        ma.stencil(function(u) return u > 1 and 1 or 2 end), row },
    }
    -- The user's own errors are not touched.
    assert.equal("mine", select(2, pcall(ma.stencil(function() error("mine", 0) end), row)))
    assert.matches("^" .. FILE .. "%d+: attempt to call global 'nowhere' %(a nil value%)$",
      select(2, pcall(ma.stencil(function(u) return nowhere(u(0)) end), row)))    -- luacheck: ignore nowhere
  end)

  it("fields are counted", function()
    local one, two = ma.stencil(function(u) return u(0) end), ma.stencil(function(u, v) return u(0) + v(0) end)
    check {
      { "moonarray.stencil: 1 field; wanted 2, as the function has 2 parameters", two, row },
      { "moonarray.stencil: 2 fields; wanted 1, as the function has 1 parameter", one, row, row },
      { "moonarray.stencil: 3 fields; wanted 2", two, row, row, row },
      { "moonarray.stencil: 2 fields; wanted 1", function()
        return ma.stencil(function(u) return u(0), 1 end, { out = 2 }):run(row, row)
      end },
      { "moonarray.stencil: field 1 is a table; wanted an array: ma.array{...} makes one", one, { 1, 2, 3 } },
      { "moonarray.stencil: field 2 is a table; wanted an array", two, row, { 1, 2, 3 } },
      { "moonarray.stencil: field 1 is a table; wanted an array", function() return one:run { 1, 2, 3 } end },
      { "moonarray.stencil: field 1 is a table; wanted an array",
        ma.stencil(ma.jit.device("function(u) return u(0) end")), { 1, 2, 3 } },
    }
    assert.same({ 0, 2, 0.5 }, ma.stencil(function(...)
      local u, v = ...
      return u(0) + v(0)
    end)(row, row):totable())
  end)

  it("a draw of an array is an error, wherever it is", function()
    local rng = ma.random.default_rng(1)
    local text = ": an array of random numbers inside a function that ma.fuse or ma.stencil records, which would be "
      .. "drawn once for all calls; write math.random() or ma.jit.random(), or draw before, and give that as an "
      .. "argument or a field"
    check {
      { "moonarray.random.rand" .. text, ma.stencil(function(u) return u(0) + ma.random.rand(3) end), row },
      { "moonarray.random.integers" .. text,
        ma.stencil(function(u) return u(0) + rng:integers(1, 4, { size = 3 }) end), row },
      { "moonarray.random.permutation" .. text, ma.stencil(function(u) return u(0) + ma.random.permutation(3) end),
        row },
      { "moonarray.random.normal" .. text, ma.fuse(function(x) return x + rng:normal(0, 1, { size = 3 }) end), row },
      { "moonarray.random.rand" .. text, ma.stencil(function(u) return u(0):cumsum() + ma.random.rand(3) end), row },
      { "moonarray.random.rand" .. text, function()
        return ma.stencil(function(u) return u(0) + ma.random.rand(3) end):run(row, { steps = 2 })
      end },
    }
    assert.equal(3, rng:random(3).size)                  -- outside they are drawn as before
    local noisy = ma.stencil(function(u, noise) return u(0) + noise(0) end)
    assert.equal(3, noisy(row, rng:random(3)).size)
  end)
end)

describe("in a fused function", function()
  local x = ma.array { -1, 2 }

  it("what it makes of numbers alone, and its arguments, are counted", function()
    check {
      { "moonarray.fuse: 2 arguments; the function has 1 parameter", ma.fuse(function(y) return y end), x, x },
    }
    assert.same({ 5, 5 }, ma.fuse(function() return 5 end)(x):totable())
    assert.same({ true, false }, ma.fuse(function(y) return y:lt(0) end)(x):totable())
    local any, count = ma.fuse(function(y) return y:lt(0):any(1), y:lt(0):sum() end)(x)
    assert.same({ true, 1 }, { any:item(), count:item() })
  end)

  it("kernel_name is CuPy's word for name", function()
    local add = ma.fuse(function(y) return y + 1 end, { kernel_name = "add_one" })
    assert.equal("add_one", add.name)
    assert.same({ 0, 3 }, add(x):totable())
    assert.matches("moonarray.fuse: name and kernel_name; they are two names of one argument",
      fails(ma.fuse, function(y) return y end, "a", { kernel_name = "b" }))
  end)
end)

describe("a message speaks of what the user wrote:", function()
  it("a value that is larger than its place", function()
    local a = ma.zeros { 3, 3 }
    local function set(target, index, value) return function() target[index] = value end end
    local one = "for one element; a range in an index is a table in the table, as in a[{1, {2, 4}}]"
    check {
      { "moonarray.index: a value of shape (3,) " .. one, set(a, { 1, 2 }, ma.ones(3)) },
      { "moonarray.index: a value of shape (3,) " .. one, set(a, { 1, 2 }, { 1, 2, 3 }) },
      { "moonarray.index: a value of shape (2,) " .. one, set(ma.zeros(3), 1, ma.ones(2)) },
      { "moonarray.index: a value of shape (2, 3) for a place of shape (3,); wanted a shape that broadcasts to it",
        set(a, 1, ma.ones { 2, 3 }) },
      { "moonarray.assign: a value of shape (2, 3, 3) for a place of shape (3, 3)", a.assign, a, ma.ones { 2, 3, 3 } },
      { "moonarray.copyto: a value of shape (2, 3, 3) for a place of shape (3, 3)", ma.copyto, a,
        ma.ones { 2, 3, 3 } },
      { "moonarray.copyto: shapes (2,) and (3, 3) do not broadcast", ma.copyto, a, ma.ones(2) },
    }
    a[{ 1, 2 }] = ma.full({ 1, 1, 1 }, 4)                -- leading axes of extent 1 are dropped
    assert.equal(4, a(1, 2))
  end)

  it("the print of a freed array says who freed it", function()
    local kept
    ma.scope(function() kept = ma.ones(3) * 2 end)
    assert.matches("^a freed array %(freed by moonarray.scope at " .. FILE .. "%d+", tostring(kept))
    local a = ma.ones(2)
    a:free()
    assert.matches("^a freed array %(freed at " .. FILE .. "%d+%)$", tostring(a))
    assert.matches("moonarray.sum: a freed array %(freed at " .. FILE .. "%d+%)", fails(a.sum, a))
  end)
end)
