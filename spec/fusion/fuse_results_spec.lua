-- Results of fused functions: their shapes, and what a function leaves that fails inside another one.

local helper = require "spec.helper"
local ma = helper.ma

describe("a fused function", function()
  it("gives element-wise results the shape of all arrays, whatever they are made of", function()
    local column, row = ma.ones { 3, 1 }, ma.ones(2)
    local rules = { function(_, y) return y and 7 end, function(x, y) return y and x end,
      function(_, y) return y + 1 end, function(x, y) if x > 0 then return 7 end return y and 7 end,
      function(x, y) return x * y end }
    for _, rule in ipairs(rules) do
      local found, plain = ma.fuse(rule)(column, row), ma.fuse(rule, { plain = true })(column, row)
      helper.identical(found, plain)
      assert.same({ 3, 2 }, found.shape)
      assert.same(plain:totable(), ma.vectorize(rule)(column, row):totable())
    end
    local x, y = ma.fuse(function(x, y) return x, y end)(column, row)
    assert.same({ { 3, 2 }, { 3, 2 } }, { x.shape, y.shape })
    local given = ma.zeros { 3, 2 }
    assert.equal(given, ma.fuse(function() return 7 end)(column, row, { out = given }))
    assert.equal(42, given:sum():item())
    local outside = ma.ones { 4, 1, 1 }                 -- also of those from outside, and not of what is only reduced
    assert.same({ 4, 3, 2 }, ma.fuse(function(a, b) return b, a * outside end)(column, row).shape)
    local sum, double = ma.fuse(function(a, b) return a:sum(), b * 2 end)(ma.ones(5), row)
    assert.same({ 5, { 2, 2 } }, { sum:item(), double:totable() })
    assert.equal(0, ma.fuse(function() return 7 end)(1).ndim)
    assert.matches("shapes %(3,%) and %(2,%) do not broadcast",
      helper.fails(ma.fuse(function(a, b) return b and a end), ma.ones(3), row))
  end)

  it("goes on as before where a fused function inside it fails and the error is caught", function()
    local broken = ma.fuse(function(x) return x .. "text" end)
    local f = ma.fuse(function(x, y)
      for _ = 1, 150 do assert(not pcall(broken, y)) end
      return ma.where(x:gt(1), 1, 0)
    end)
    assert.equal("uint8", f(ma.array({ 1, 2 }, "uint8"), ma.ones(2)).dtype)
    local function narrow(x, y)
      assert(not pcall(broken, y))
      if x > 1 then return 1 end
      return 0
    end
    assert.equal("uint8", ma.fuse(narrow)(ma.array({ 1, 2 }, "uint8"), ma.ones(2)).dtype)
    assert.equal("int64", ma.where(ma.array { true, false }, 1, 0).dtype)
    assert.matches(":1: moonarray.inner: a call of 'nothing', which is nil", helper.fails(ma.fuse(function(x)
      return ma.fuse(load "return function(x) if x > 0 then return nothing() end return x end" (), "inner")(x)
    end), ma.ones(2)))
  end)

  it("runs in plain operators where it is no program, and C++ cannot be made of it", function()
    local x = ma.array { 1, 2 }
    local long = ma.fuse(function(y)
      for _ = 1, 130 do y = y + 1 end
      return y:add(1)                                             -- which C++ lacks
    end)
    assert.same({ 132, 133 }, long(x):totable())
    assert.matches("in plain operators: 131 instructions over 1 arrays and 1 scalars; .* at most 128, 25 and 16",
      tostring(long))
    local many = ma.fuse(function(y) return y, -y, y:add(1), y + 2, y + 3 end)
    local results = { many(x) }
    assert.same({ { 1, 2 }, { -1, -2 }, { 2, 3 }, { 3, 4 }, { 4, 5 } }, { results[1]:totable(), results[2]:totable(),
      results[3]:totable(), results[4]:totable(), results[5]:totable() })
    assert.matches("in plain operators: 5 element%-wise results; at most 4", tostring(many))
    local noisy = ma.fuse(function(y)                             -- these cannot draw
      for _ = 1, 130 do y = y + 1 end
      return y:add(math.random())
    end)
    assert.matches("moonarray.fuse: 131 instructions over 2 arrays and 1 scalars", helper.fails(noisy, x))
  end)
end)
