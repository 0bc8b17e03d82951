-- Operators that run together: what is launched and when, what writes do to programs that are still to read, and what failures leave.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- what waits is its subject, however small
local ma, core = helper.ma, helper.core

local was
local function launches() return (core.work()) end

--- How many launches fn takes.
local function count(fn, ...)
  local before = launches()
  fn(...)
  return launches() - before
end

--- Operators deferred, programs run, programs dropped unrun, clones and exchanges while fn runs.
local function figures(fn, ...)
  local before = { core.fusion() }
  fn(...)
  local now = { core.fusion() }
  for k = 1, 5 do now[k] = now[k] - before[k] end
  return { recorded = now[1], run = now[2], dropped = now[3], cloned = now[4], exchanged = now[5] }
end

local function data(n, dtype) return (ma.arange(1, n + 1):astype(dtype or "float64")):eval() end

--- Runs fn with operators deferred and at once: the same bits, layouts and dtypes.
local function both(label, fn)
  local deferred = { fn() }
  ma.set_fusion(false)
  local at_once = { fn() }
  ma.set_fusion(true)
  for k, a in ipairs(at_once) do
    helper.identical(deferred[k], a, label .. " " .. k)
    assert.same(a.strides, deferred[k].strides, label)
  end
end

describe("deferred operators", function()
  before_each(function()
    was = ma.set_fusion(true)
    core.compile_at_once(true)
  end)
  after_each(function()
    core.compile_at_once(false)
    ma.set_fusion(was)
  end)

  it("give operators their dtypes, layout and bits whichever way they are recorded", function()
    local texts = { "x + x", "2 - x", "x * 2.5", "x / 3", "-x", "x % 3", "(x * 3):lt(5)", "x ^ 2", "x ^ 1", "x ^ 0.5", "x ^ -1", "x ^ 3", "x ^ x",
      "x.T + 1", "x[':, 2:'] * x[':, :-2']" }
    local dtypes = { "int32", "float16", "complex64", "int8", "uint16", "int64", "bfloat16", "float32", "float64", "complex128" }
    local function result(f)
      local ok, y = pcall(f)
      if not ok then return (tostring(y):gsub("^.-:%d+: ", "")) end
      y = y + y
      return table.concat({ y.dtype, table.concat(y.shape, " "), table.concat(y.strides, " "), y:tobytes() }, ";")
    end
    for k = 1, helper.device == "cpu" and #dtypes or 3 do
      local x = (ma.arange(6000):reshape(60, 100) % 7 + 1):astype(dtypes[k])
      x:eval()
      for _, text in ipairs(texts) do
        local f = setfenv(assert(loadstring("return " .. text)), { x = x })
        local deferred = result(f)
        ma.set_fusion(false)
        local at_once = result(f)
        ma.set_fusion(true)
        assert.is_true(deferred == at_once, dtypes[k] .. " " .. text)
      end
    end
  end)

  it("run as one kernel when a value is needed", function()
    local a, b = data(6), data(6)
    local c
    assert.equal(0, count(function() c = a * b + a / b - 2 end))
    assert.equal(1, count(function() c:eval() end))
    assert.equal(0, count(function() c:eval() end))
    assert.same({ 0, 3, 8, 15, 24, 35 }, c:totable())
    both("expression", function() return a * b + a / b - 2, ma.sqrt(a) ^ 2 + -b end)
  end)

  it("run at once on the CPU where the result is small, broadcast or not", function()
    if helper.device ~= "cpu" then pending("small results wait on a GPU too") return end
    local row, before = data(60), core.defer_from(4096)
    local function recorded(fn) return figures(fn).recorded end
    local small, broadcast = recorded(function() return row + 1 end), recorded(function() return row - row["1:50, _"] end)
    local large = recorded(function() return row["1:60, _"] - row:tile(2) end)
    core.defer_from(before)
    assert.same({ 0, 0, 1 }, { small, broadcast, large })
  end)

  it("run for everything that looks at values or at the order of work", function()
    local a = data(4)
    local needs = {
      item = function(x) return x[1] end, totable = function(x) x:totable() end, get = function(x) x:get() end,
      text = function(x) tostring(x) end, eval = function(x) ma.eval({ x, { x } }) end, copyto = function(x) ma.copyto(ma.zeros(4), x) end,
      synchronize = function() ma.cuda.Stream.null:synchronize() end, matmul = function(x) return x:dot(x) end,
      sum = function(x) return x:sum():item() end, pointer = function(x) x:ptr() end, dlpack = function(x) ma.from_dlpack(ma.to_dlpack(x)) end,
      export = function(x) ma.import(ma.export(x)) end, stream = function() ma.Stream({ non_blocking = true }):with(function() end) end,
      kernel = function(x) return ma.fuse(function(y) return y + 1 end)(x):eval() end, index = function(x) x[ma.index({ 1, 2 })]:eval() end,
      off = function() ma.set_fusion(false) ma.set_fusion(true) end,
    }
    for name, need in pairs(needs) do
      local x = a * 2
      assert(count(need, x) > 0, name .. " launched nothing")
      assert.same({ 2, 4, 6, 8 }, x:totable(), name)
    end
  end)

  it("give attributes and views without running", function()
    local a = data(12)
    local x = a + 1
    assert.equal(0, count(function()
      local y = x:reshape(3, 4)
      assert.same({ 3, 4 }, y.shape)
      assert.same({ 4, 3 }, y.T.shape)
      assert.same({ 32, 8 }, y.strides)
      assert.equal("float64", y.dtype)
      assert.equal(12, x.size)
      return y["2:3, ::2"], ma.broadcast_to(x, { 2, 12 })
    end))
    assert.equal(13, x[12])
  end)

  it("take views of pending arrays in where each axis steps along one", function()
    local a = data(24)
    for name, view in pairs {
      transposed = function(x) return x:reshape(4, 6).T end, sliced = function(x) return x["3:20:2"] end,
      reversed = function(x) return x["::-1"] end, reshaped = function(x) return x:reshape(2, 3, 4) end,
      newaxis = function(x) return x:reshape(24, 1) end, part = function(x) return x:reshape(4, 6)["2:3, -1:1:-2"] end,
      rows = function(x) return x:reshape(4, 6)[2] end,
    } do
      both(name, function() return view(a * 2) + 1, view(a.T + a) * view(a) end)
      local x = a * 3
      local y = view(x) + 1
      assert.equal(1, count(function() y:eval() end), name)
      assert.equal(1, count(function() x:eval() end), name)
      helper.identical(view(x) + 1, y, name)
    end
  end)

  it("follow no view from one row of what is pending into the next", function()
    both("across rows", function()
      local x = data(6):reshape(6, 1) * data(5):reshape(1, 5)
      local flat = x:reshape(30)
      return flat["3:9"] + 1, flat["2:30:7"] * 2, flat["-2:1:-3"] - 1
    end)
  end)

  it("compute what is used twice once, and keep it", function()
    local a = data(5)
    local t = ma.square(a * 2)
    local y = t + 1
    local z
    assert.equal(1, count(function() z = t + 2 end))
    assert.equal(2, count(function() ma.eval(y) ma.eval(z) end))
    assert.same({ 5, 17, 37, 65, 101 }, y:totable())
    assert.same({ 6, 18, 38, 66, 102 }, z:totable())
    assert.equal(0, count(function() t:eval() end))
    local s = a + 1
    assert.equal(1, count(function() (s * s):eval() end))            -- in one operation it is one use
    local p = (a + 1):reshape(5, 1)
    both("two views", function() local q = a + 1 return q["1:4"] * q["2:5"] end)
    assert.same({ 2, 3, 4, 5, 6 }, p:reshape(5):totable())
  end)

  it("compute a product of two arrays again for a second use, and keep it for a third", function()
    local a, b = data(64), data(64)
    local t = a * b
    local y, z = t + 1, t * a
    assert.equal(2, count(function() ma.eval(y) ma.eval(z) end))
    assert.equal(1, count(function() return t - 2 end))
    assert.equal(0, count(function() t:eval() end))
    helper.identical(y, ma.eval(a * b) + 1)
    helper.identical(z, ma.eval(a * b) * a)
  end)

  it("take a value once that an expression takes in twice", function()
    local x, y = data(64), data(64)
    local squared, root
    assert.equal(1, count(function()
      squared = x * x + y * y + 2
      root = ma.sqrt(squared)
      return (squared * root):eval()
    end))
    helper.identical((x * x + y * y + 2) * ma.sqrt(x * x + y * y + 2), squared * root)
  end)

  it("run first what the turn before used twice", function()
    local x, y = data(64), data(64)
    local p, q
    for _ = 1, 250 do                                        -- now and then it is tried the other way
      assert.equal(2, count(function()
        local t = ma.sqrt(x * x + y * y)
        p, q = ma.eval(t / x, t / y)                         -- the root, then both quotients as one
      end))
    end
    local t = ma.eval(ma.sqrt(ma.eval(x * x) + ma.eval(y * y)))
    helper.identical(t / x, p)
    helper.identical(t / y, q)
  end)

  it("do so of one slow operation too, where a reduction has the first use", function()
    local x = data(80)
    for turn = 1, 6 do
      local e = ma.exp(x / 80)
      local total = e:sum()                                  -- takes it in, until it is known that the quotient comes
      assert.equal(turn < 3 and 1 or 0, count(function() e:eval() end), turn)
      ma.eval(e / total)
    end
    both("a softmax", function()
      local e = ma.exp(x / 80)
      return e / e:sum(), e
    end)
    for _ = 1, 5 do                                          -- what runs beside its user goes on doing so
      local m, v = ma.exp(x / 80) - x, ma.sqrt(x) + 2
      local r = m / v
      assert.equal(1, count(function() ma.eval(r, m, v) end))
    end
    for _ = 1, 3 do                                          -- light ones are computed again, as ever
      local t = x * 2 + x
      ma.eval(t:sum())
      assert.equal(1, count(function() t:eval() end))
    end
  end)

  it("compute again what is cheaper to compute than to read", function()
    local x = data(64)
    local row, column = x:reshape(1, 64), x:reshape(64, 1)
    assert.equal(3, count(function()
      local dx = row - column                                -- of 2 * 64 elements: in both sums, and never in memory
      local inverse = (dx * dx + 0.5) ^ -1.5
      ma.eval((dx * inverse):sum(2), (dx * 2 * inverse):sum(2))
    end))
    both("pairs", function()
      local dx = row - column
      local r = dx * dx
      return dx * 2, r, dx + r, dx
    end)
  end)

  it("run together where they are of one shape and read the same arrays", function()
    local a, b, c = data(12), data(12), data(12)
    local x, y, z, other = a + b, a * b, ma.sqrt(a):gt(2), c + 1
    assert.equal(2, count(function() ma.eval(x, { y, z }, other) end))
    helper.identical(a + b, x, "first")
    helper.identical(a * b, y, "second")
    helper.identical(ma.sqrt(a):gt(2), z, "third")
    helper.identical(c + 1, other, "another input")
    local many = {}
    for k = 1, 10 do many[k] = a * k end
    assert.equal(3, count(function() ma.cuda.Stream.null:synchronize() end))
    for k = 1, 10 do assert.equal(5 * k, many[k][5]) end
    local m = a:reshape(3, 4)
    both("layouts", function()
      local p, q = m * 2, (m.T + 1).T
      ma.eval(p, q)
      return p, q
    end)
    core.fail_allocation(2, 1000)
    local p, q = a + 1, a + 2
    assert.truthy(helper.fails(ma.eval, p, q):find("out of memory", 1, true))
    core.fail_allocation(0)
    assert.same({ 2, 3, 4 }, p["1:3"]:totable())
    assert.same({ 3, 4, 5 }, q["1:3"]:totable())
  end)

  it("run no kernel for what another took in and nobody reads", function()
    local a = data(5)
    local made = figures(function()
      for _ = 1, 10 do
        local t = a * 2
        local u = t + 1
        ma.eval(u - a)
      end
      ma.cuda.Stream.null:synchronize()
    end)
    assert.equal(30, made.recorded)
    assert.equal(10, made.run)
  end)

  it("stay within a program's limits", function()
    local a = data(3)
    both("many instructions", function()
      local x = a
      for k = 1, 100 do x = x * 0.5 + k end
      return x
    end)
    both("many arrays", function()
      local x = a
      for k = 1, 40 do x = x + data(3) * k end
      return x
    end)
    both("many arrays and few numbers", function()
      local x = a * 0.5
      for k = 1, 30 do x = x + (data(3) * k):eval() end
      return x * 3
    end)
    local x = a
    for _ = 1, 64 do x = ma.negative(x) end
    assert.equal(1, count(function() x:eval() end))
    assert.same({ 1, 2, 3 }, x:totable())
  end)

  it("take casts, comparisons and where in", function()
    local a = data(6, "int32")
    assert.equal(1, count(function()
      ma.where((a * 2):gt(6), a:astype("float32") / 2, 0):astype("float16"):eval()
    end))
    both("casts", function()
      local x = ma.where((a * 2):gt(6), a:astype("float32") / 3, 0)
      return x, x:astype("float16") * 3, (a:astype("bfloat16") / 7 + 1):astype("float64"), ma.floor_divide(a:astype("int8"), 2)
    end)
  end)

  it("lie in memory as they would have at once", function()
    local a = data(12):reshape(3, 4)
    both("layout", function()
      local t = a.T * 2
      return t, t + 1, (t + a.T).T, t:copy(), t:astype("float32"), t + data(4):reshape(4, 1), ma.add(t, 1, { where = a.T:gt(3) })
    end)
  end)

  it("are written straight into out and into views", function()
    local a, b, out = data(6), data(6), ma.zeros(6)
    assert.equal(1, count(function() ma.add(a * b, a - b, { out = out }) end))
    assert.same({ 1, 4, 9, 16, 25, 36 }, out:totable())
    assert.equal(1, count(function() out["2:4"] = a["2:4"] * 2 + b["1:3"] end))
    assert.same({ 1, 5, 8, 11, 25, 36 }, out:totable())
    assert.equal(1, count(function() out:assign(a + b) end))
    assert.equal(1, count(function() out:iadd(a * 2):eval() end))
    assert.same({ 4, 8, 12, 16, 20, 24 }, out:totable())
  end)

  it("wait in updates of small arrays, which run together", function()
    local function bodies()
      local s = {}
      for k, name in ipairs({ "x", "y", "vx", "vy" }) do s[name] = data(50) * k + 0 end
      ma.eval(s.x, s.y, s.vx, s.vy)
      return s
    end
    local function move(s)
      s.vx:iadd(s.y * 0.5)
      s.vy:iadd(s.x * 0.5)
      s.x:iadd(s.vx * 0.25)
      s.y:iadd(s.vy * 0.25)
    end
    local s = bodies()
    local view, double = s.x["::-1"], s.x * 2
    assert.equal(0, count(function() move(s) end))
    assert.equal(2, count(function() ma.synchronize() end))   -- five results, of which a kernel has four
    assert.equal(0, count(function() s.vy:eval() end))
    local want = bodies()
    ma.set_fusion(false)
    local old = want.x * 2
    move(want)
    for name, array in pairs(want) do helper.identical(s[name], array, name) end
    helper.identical(view, want.x["::-1"])
    helper.identical(double, old)
    ma.set_fusion(true)
    for _ = 1, 20 do
      move(s)
      s.x[3] = 7
      s.vx["2:5"] = s.vx["2:5"] + s.x["1:4"]
      s.vy:isub(s.vy["::-1"] * 2)
    end
    ma.set_fusion(false)
    for _ = 1, 20 do
      move(want)
      want.x[3] = 7
      want.vx["2:5"] = want.vx["2:5"] + want.x["1:4"]
      want.vy:isub(want.vy["::-1"] * 2)
    end
    for name, array in pairs(want) do helper.identical(s[name], array, name) end
  end)

  it("raise errors of shape, dtype and argument at once", function()
    local a = data(4)
    local x = a + 1
    assert.truthy(helper.fails(function() return x + data(5) end):find("shape", 1, true))
    assert.truthy(helper.fails(function() return ma.bitwise_and(x, 1) end):find("no loop", 1, true))
    assert.truthy(helper.fails(function() return data(3, "uint8") + 300 end):find("300", 1, true))
    assert.truthy(helper.fails(function() return x:reshape(3) end):find("shape", 1, true))
    assert.same({ 2, 3, 4, 5 }, x:totable())
  end)
end)

describe("writes beside deferred operators", function()
  before_each(function() was = ma.set_fusion(true) end)
  after_each(function() ma.set_fusion(was) end)

  it("leave the old values to what is still to read them", function()
    local writes = {
      fill = function(u) u:fill(0) end, assign = function(u) u:assign(data(6) * 7) end, partly = function(u) u["2:3"] = -1 end,
      element = function(u) u[1] = 100 end, in_place = function(u) u:imul(2) end, out = function(u) ma.add(u, 1, { out = u }) end,
      reversed = function(u) u:assign(u["::-1"]) end, masked = function(u) u[u:gt(3)] = 0 end, at = function(u) ma.add.at(u, ma.index({ 1, 1 }), 1) end,
      positions = function(u) u[ma.index({ 2, 4 })] = 9 end, sorted = function(u) u["1:2"]:assign(u["5:6"]) end,
      reduction = function(u) ma.sum(data(6):reshape(6, 1) * 3, 2, { out = u }) end, where = function(u) ma.copyto(u, 5, { where = u:gt(2) }) end,
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
    assert.equal(1, count(function() y:fill(3) end))
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
    local launched = count(function() x = ma.scope(function() local t = a + 1 return t * 2 end) end)
    core.compile_at_once(false)
    assert.equal(1, launched)
    assert.equal(0, count(function() x:eval() end))
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
    -- what was absorbed holds each step's old values until the collector comes: one array a step, where unfused there are six
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
    assert.equal(2, count(function() return a * 2 + 1 end))
    assert.is_false(ma.set_fusion(true))
    assert.is_true(ma.set_fusion(true))
    assert.truthy(helper.fails(ma.set_fusion, 1):find("wanted true or false", 1, true))
    local direct = a * 2                                     -- of memory that was made before
    assert.same({ 2, 4, 6, 8 }, direct:totable())
  end)
end)
