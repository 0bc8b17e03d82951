-- Operators that run together: what writes do to programs that are still to read, and the order over streams, scopes
-- and faults.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- what waits is its subject, however small
local work = require "spec.fusion.fusion_helper"
local ma, core = helper.ma, helper.core
local takes, figures, data, both = work.takes, work.figures, work.data, work.both

local was

describe("writes beside deferred operators", function()
  before_each(function() was = ma.set_fusion(true) end)
  after_each(function() ma.set_fusion(was) end)

  it("leave the old values to what is still to read them", function()
    local writes = {
      fill = function(u) u:fill(0) end, assign = function(u) u:assign(data(6) * 7) end,
      partly = function(u) u["2:3"] = -1 end,
      element = function(u) u[1] = 100 end, in_place = function(u) u:imul(2) end,
      out = function(u) ma.add(u, 1, { out = u }) end,
      reversed = function(u) u:assign(u["::-1"]) end, masked = function(u) u[u:gt(3)] = 0 end,
      at = function(u) ma.add.at(u, ma.index({ 1, 1 }), 1) end,
      positions = function(u) u[ma.index({ 2, 4 })] = 9 end, sorted = function(u) u["1:2"]:assign(u["5:6"]) end,
      reduction = function(u) ma.sum(data(6):reshape(6, 1) * 3, 2, { out = u }) end,
      where = function(u) ma.copyto(u, 5, { where = u:gt(2) }) end,
    }
    for name, write in pairs(writes) do
      both(name, function()
        local u = data(6)
        local open = u * 10                        -- not taken in by anything
        local absorbed = u + 1
        local taker = absorbed * 2
        local view = u["2:5"] - 1
        write(u)
        return u, open, absorbed, taker, view, u + 1
      end)
    end
  end)

  it("give an array that is wholly written other memory, and copy nothing", function()
    local u = data(1000)
    local made = figures(function()
      for _ = 1, 10 do
        local t = u * 2
        u:assign(t + 1)
      end
    end)
    assert.equal(0, made.cloned)
    assert.equal(10, made.run + made.exchanged)
    assert.equal(0, made.run)
  end)

  it("copy the old once where a part is written", function()
    local u = data(1000)
    local t1, t2 = u * 2, u * 3
    local _ = t1 + t2
    local made = figures(function() u[1] = 0 u[2] = 0 end)
    assert.equal(1, made.cloned)
    assert.equal(2, t1[1])
    assert.equal(3, t2[1])
    assert.equal(6, t2[2])
    local free = data(10)
    made = figures(function() free[1] = 5 end)
    assert.equal(0, made.cloned + made.run + made.exchanged)
  end)

  it("compute again what costs no more than to read", function()
    local u, v = data(5000), data(5000) * 0.5
    v:eval()
    local r = u * v * v
    local du, dv = u + 1 - r, v + r * 2
    local made = figures(function() u["2:-2"] = du["2:-2"] v["2:-2"] = dv["2:-2"] end)
    assert.equal(0, made.run)
    assert.equal(2, made.cloned)
    assert.equal(4 + 1 - 4 * 2 * 2, u[4])
    assert.equal(2 + 4 * 2 * 2 * 2, v[4])
    assert.equal(16, r[4])
  end)

  it("read a stencil's neighbours as they were", function()
    both("stencil", function()
      local u = data(50)
      for _ = 1, 10 do
        u["2:-2"] = u["1:-3"] + u["3:-1"]
        u["2:-2"] = (u["2:-2"] * 0.5 + u["1:-3"] * 0.25) + u["3:-1"] * 0.25
        u[1] = 0
        u[-1] = u[1] + 1
      end
      return u, u["::2"]
    end)
  end)

  it("reach every view, and only from then on", function()
    local u = data(6)
    local v, w = u["2:4"], u:reshape(2, 3)
    local x = v * 1 + 0
    u:assign(u * 2)
    assert.same({ 4, 6, 8 }, v:totable())
    assert.same({ 2, 3, 4 }, x:totable())
    v:fill(0)
    assert.same({ { 2, 0, 0 }, { 0, 10, 12 } }, w:totable())
  end)

  it("into a pending array compute it first, unless all of it is written", function()
    local a = data(4)
    local x = a * 2
    x[1] = 100
    assert.same({ 100, 4, 6, 8 }, x:totable())
    local y = a * 2
    takes(1, function() y:fill(3) end)
    assert.same({ 3, 3, 3, 3 }, y:totable())
    local z = a * 2
    z:iadd(z + 1)
    assert.same({ 5, 9, 13, 17 }, z:totable())
    local p = a * 2
    p["2:3"] = p["1:2"] + 1
    assert.same({ 2, 3, 5, 8 }, p:totable())
  end)

  it("through an address outside are waited for", function()
    if helper.device ~= "cpu" then return end
    local u = data(4)
    local open, absorbed = u * 2, u * 3
    local _ = absorbed + 1
    local p = u:data()
    p[0] = 100
    assert.same({ 2, 4, 6, 8 }, open:totable())
    assert.same({ 3, 6, 9, 12 }, absorbed:totable())
    local x = u + 1                                          -- nothing over it waits any more
    p[0] = 50
    assert.same({ 101, 3, 4, 5 }, x:totable())
  end)

  it("by kernels of the user's own find the values, and leave the old", function()
    if not ma.ElementwiseKernel then return end
    local twice = ma.ElementwiseKernel("T x", "T y", "y = x + x", "fusion_twice")
    local u = data(4)
    local absorbed = u * 3
    local _ = absorbed + 1
    local x = u + 1
    assert.same({ 4, 6, 8, 10 }, twice(x):totable())
    twice(x, u)
    assert.same({ 4, 6, 8, 10 }, u:totable())
    assert.same({ 3, 6, 9, 12 }, absorbed:totable())
  end)

  it("by graphs find the values", function()
    local u = data(4)
    local absorbed = u * 3
    local open = absorbed + 1
    local graph = ma.cuda.graph(function() u:iadd(1) end)
    local x = u + 0                                          -- the graph holds u: at once
    graph:launch()
    assert.same({ 4, 7, 10, 13 }, open:totable())
    assert.same({ 3, 6, 9, 12 }, absorbed:totable())
    assert.same({ 2, 3, 4, 5 }, x:totable())
    assert.same({ 3, 4, 5, 6 }, u:totable())
    local made = graph:free()
    assert.is_nil(made)
  end)
end)

describe("deferred operators over streams, scopes and faults", function()
  before_each(function() was = ma.set_fusion(true) end)
  after_each(function() ma.set_fusion(was) end)

  it("are in order over streams", function()
    local a = data(1000)
    local streams = { ma.Stream({ non_blocking = true }), ma.Stream({ non_blocking = true }) }
    local x = a
    for k = 1, 10 do
      local t
      streams[k % 2 + 1]:with(function() t = x * 0.5 end)
      x = t + 1
      if k % 3 == 0 then a:iadd(1) end
    end
    ma.set_fusion(false)
    local b = data(1000)
    local y = b
    for k = 1, 10 do
      y = y * 0.5 + 1
      if k % 3 == 0 then b:iadd(1) end
    end
    ma.set_fusion(true)
    assert(ma.array_equal(x, y))
  end)

  it("outlive the arrays that they read", function()
    local x, y
    do
      local a, b = data(5), data(5)
      x = a * b
      y = x + 1
      a:free()
      b:free()
    end
    collectgarbage()
    assert.same({ 2, 5, 10, 17, 26 }, y:totable())
    assert.same({ 1, 4, 9, 16, 25 }, x:totable())
    x:free()
    assert.truthy(helper.fails(function() return x + 1 end):find("freed", 1, true))
  end)

  it("are computed where they leave a scope", function()
    local a = data(5)
    local x
    core.compile_at_once(true)
    takes(1, function() x = ma.scope(function() local t = a + 1 return t * 2 end) end)
    core.compile_at_once(false)
    takes(0, function() x:eval() end)
    local y = ma.iterate(5, function(u) return u * 0.5 + a end, a)
    both("iterate", function() return ma.iterate(5, function(u) return u * 0.5 + a end, a), y end)
  end)

  it("stay pending when they cannot be computed, and the next call works", function()
    local a = data(1000)
    local x = a * 2 + 1
    core.fail_allocation(1, 1000)
    local message = helper.fails(function() return x:eval() end)
    core.fail_allocation(0)
    assert.truthy(message:find("out of memory", 1, true))
    core.make_fail("launch", 1, 1)
    assert.truthy(helper.fails(function() return x:sum():item() end):find("made to fail", 1, true))
    core.make_fail("launch", 0)
    assert.equal(3, x[1])
    core.fail_allocation(1, 1)                               -- once is repaired by a collection
    assert.same({ 2, 4 }, ((a + 1)["1:3:2"]):totable())
    core.fail_allocation(0)
  end)

  it("stay open when the run that would have taken them in fails", function()
    local a, u = data(1000), data(1000)
    core.compile_at_once(true)
    local x = ma.sqrt(a) * 3
    core.make_fail("launch", 1, 1)
    assert.truthy(helper.fails(function() return x:eval() end):find("made to fail", 1, true))
    core.make_fail("launch", 1, 1)
    assert.truthy(helper.fails(function() return ma.add(x, 1, { out = u }) end):find("made to fail", 1, true))
    core.make_fail("launch", 0)
    local y
    local made = figures(function() y = (x + 2):eval() end)      -- takes x in, which nobody computed
    core.compile_at_once(false)
    assert.equal(1, made.run)
    assert.same({ 5, 3 * math.sqrt(2) + 2 }, y["1:2"]:totable())
    assert.same({ 3, 6 }, x["1:4:3"]:totable())
    assert.same({ 1, 2, 3 }, u["1:3"]:totable())
  end)

  it("leave what is written as it was when the write fails", function()
    local a = data(8)
    for n = 1, 6 do
      local u = data(8)
      local t = u * 2
      local v = t + 1
      core.make_fail("launch", n, 1000)
      local ok = pcall(function() u:assign(v + a) end)
      core.make_fail("launch", 0)
      assert.same(ok and { 4, 7, 10, 13, 16, 19, 22, 25 } or { 1, 2, 3, 4, 5, 6, 7, 8 }, u:totable())
      assert.same({ 2, 4, 6, 8, 10, 12, 14, 16 }, t:totable())
      assert.same({ 3, 5, 7, 9, 11, 13, 15, 17 }, v:totable())
    end
  end)

  it("keep no memory for temporaries, whatever the collector does", function()
    local n = 2 ^ 16
    local u = ma.zeros(n, "float32"):eval()
    collectgarbage()
    collectgarbage("stop")
    local most = 0
    local before = select(1, core.pool(true))
    for _ = 1, 200 do
      local flux = (u * 0.5 + 1) * 0.25
      u:assign(u + flux - u * 0.125)
      u[1] = 0
      most = math.max(most, (core.pool()))
    end
    collectgarbage("restart")
    collectgarbage()
    -- what was absorbed holds each step's old values until the collector comes: one array a step, where unfused there
    -- are six
    assert(most - before <= 201 * n * 4 + 2 ^ 20, most)
    assert(u[2] > 0)
  end)

  it("that nobody wants go with the collector, as arrays would", function()
    local n = 2 ^ 20
    local a, b = ma.ones(n, "float64"):eval(), ma.ones(n, "float64"):eval()
    local made = figures(function()
      for _ = 1, 100 do local _ = a + b end
      ma.cuda.Stream.null:synchronize()
    end)
    if helper.device == "cpu" then assert(made.run < 50, made.run) end
    assert.equal(100, made.run + made.dropped)
  end)

  it("are off where it is asked for", function()
    ma.set_fusion(false)
    local a = data(4)
    takes(2, function() return a * 2 + 1 end)
    assert.is_false(ma.set_fusion(true))
    assert.is_true(ma.set_fusion(true))
    assert.truthy(helper.fails(ma.set_fusion, 1):find("wanted true or false", 1, true))
    local direct = a * 2                                     -- of memory that was made before
    assert.same({ 2, 4, 6, 8 }, direct:totable())
  end)
end)
