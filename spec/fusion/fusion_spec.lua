-- Operators that run together: what is recorded, what is launched, and when.

local helper = require "spec.helper"
helper.core.defer_from(1)              -- what waits is its subject, however small
local work = require "spec.fusion.fusion_helper"
local ma, core = helper.ma, helper.core
local count, takes, figures, data, both = work.count, work.takes, work.figures, work.data, work.both

local was

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
    local texts = { "x + x", "2 - x", "x * 2.5", "x / 3", "-x", "x % 3", "(x * 3):lt(5)", "x ^ 2", "x ^ 1", "x ^ 0.5",
      "x ^ -1", "x ^ 3", "x ^ x",
      "x.T + 1", "x[':, 2:'] * x[':, :-2']" }
    local dtypes = { "int32", "float16", "complex64", "int8", "uint16", "int64", "bfloat16", "float32", "float64",
      "complex128" }
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
    takes(0, function() c = a * b + a / b - 2 end)
    takes(1, function() c:eval() end)
    takes(0, function() c:eval() end)
    assert.same({ 0, 3, 8, 15, 24, 35 }, c:totable())
    both("expression", function() return a * b + a / b - 2, ma.sqrt(a) ^ 2 + -b end)
  end)

  it("run at once on the CPU where the result is small, broadcast or not", function()
    if helper.device ~= "cpu" then pending("small results wait on a GPU too") return end
    local row, before = data(60), core.defer_from(4096)
    local function recorded(fn) return figures(fn).recorded end
    local small, broadcast = recorded(function() return row + 1 end),
      recorded(function() return row - row["1:50, _"] end)
    local large = recorded(function() return row["1:60, _"] - row:tile(2) end)
    core.defer_from(before)
    assert.same({ 0, 0, 1 }, { small, broadcast, large })
  end)

  it("run for everything that looks at values or at the order of work", function()
    local a = data(4)
    local needs = {
      item = function(x) return x[1] end, totable = function(x) x:totable() end, get = function(x) x:get() end,
      text = function(x) tostring(x) end, eval = function(x) ma.eval({ x, { x } }) end,
      copyto = function(x) ma.copyto(ma.zeros(4), x) end,
      synchronize = function() ma.cuda.Stream.null:synchronize() end, matmul = function(x) return x:dot(x) end,
      sum = function(x) return x:sum():item() end, pointer = function(x) x:ptr() end,
      dlpack = function(x) ma.from_dlpack(ma.to_dlpack(x)) end,
      export = function(x) ma.import(ma.export(x)) end,
      stream = function() ma.Stream({ non_blocking = true }):with(function() end) end,
      kernel = function(x) return ma.fuse(function(y) return y + 1 end)(x):eval() end,
      index = function(x) x[ma.index({ 1, 2 })]:eval() end,
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
    takes(0, function()
      local y = x:reshape(3, 4)
      assert.same({ 3, 4 }, y.shape)
      assert.same({ 4, 3 }, y.T.shape)
      assert.same({ 32, 8 }, y.strides)
      assert.equal("float64", y.dtype)
      assert.equal(12, x.size)
      return y["2:3, ::2"], ma.broadcast_to(x, { 2, 12 })
    end)
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
      takes(1, function() y:eval() end, name)
      takes(1, function() x:eval() end, name)
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

  it("take a value once that an expression takes in twice", function()
    local x, y = data(64), data(64)
    local squared, root
    takes(1, function()
      squared = x * x + y * y + 2
      root = ma.sqrt(squared)
      return (squared * root):eval()
    end)
    helper.identical((x * x + y * y + 2) * ma.sqrt(x * x + y * y + 2), squared * root)
  end)

  it("run together where they are of one shape and read the same arrays", function()
    local a, b, c = data(12), data(12), data(12)
    local x, y, z, other = a + b, a * b, ma.sqrt(a):gt(2), c + 1
    takes(2, function() ma.eval(x, { y, z }, other) end)
    helper.identical(a + b, x, "first")
    helper.identical(a * b, y, "second")
    helper.identical(ma.sqrt(a):gt(2), z, "third")
    helper.identical(c + 1, other, "another input")
    local many = {}
    for k = 1, 10 do many[k] = a * k end
    takes(3, function() ma.cuda.Stream.null:synchronize() end)
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
      for k = 1, 300 do x = x * 0.5 + k end
      return x
    end)
    both("many arrays", function()
      local x = a
      for k = 1, 90 do x = x + data(3) * k end
      return x
    end)
    both("many arrays and few numbers", function()
      local x = a * 0.5
      for k = 1, 70 do x = x + (data(3) * k):eval() end
      return x * 3
    end)
    local x = a
    for _ = 1, 64 do x = ma.negative(x) end
    takes(1, function() x:eval() end)
    assert.same({ 1, 2, 3 }, x:totable())
  end)

  it("take casts, comparisons and where in", function()
    local a = data(6, "int32")
    takes(1, function()
      ma.where((a * 2):gt(6), a:astype("float32") / 2, 0):astype("float16"):eval()
    end)
    both("casts", function()
      local x = ma.where((a * 2):gt(6), a:astype("float32") / 3, 0)
      return x, x:astype("float16") * 3, (a:astype("bfloat16") / 7 + 1):astype("float64"),
        ma.floor_divide(a:astype("int8"), 2)
    end)
  end)

  it("lie in memory as they would have at once", function()
    local a = data(12):reshape(3, 4)
    both("layout", function()
      local t = a.T * 2
      return t, t + 1, (t + a.T).T, t:copy(), t:astype("float32"), t + data(4):reshape(4, 1),
        ma.add(t, 1, { where = a.T:gt(3) })
    end)
  end)

  it("are written straight into out and into views", function()
    local a, b, out = data(6), data(6), ma.zeros(6)
    takes(1, function() ma.add(a * b, a - b, { out = out }) end)
    assert.same({ 1, 4, 9, 16, 25, 36 }, out:totable())
    takes(1, function() out["2:4"] = a["2:4"] * 2 + b["1:3"] end)
    assert.same({ 1, 5, 8, 11, 25, 36 }, out:totable())
    takes(1, function() out:assign(a + b) end)
    takes(1, function() out:iadd(a * 2):eval() end)
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
    takes(0, function() move(s) end)
    takes(2, function() ma.synchronize() end)   -- five results, of which a kernel has four
    takes(0, function() s.vy:eval() end)
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
    assert.truthy(helper.fails(function() return ma.bitwise_and(x, 1) end):find("bitwise_and takes integers", 1, true))
    assert.truthy(helper.fails(function() return data(3, "uint8") + 300 end):find("300", 1, true))
    assert.truthy(helper.fails(function() return x:reshape(3) end):find("shape", 1, true))
    assert.same({ 2, 3, 4, 5 }, x:totable())
  end)
end)
