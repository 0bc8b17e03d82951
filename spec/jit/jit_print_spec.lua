--- print in kernels in Lua: the lines, their order, when they are shown, and how many.

local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit
local fails = helper.fails_with

--- What is printed while f runs and a wait follows.
local function printed(f, ...)
  local lines, before, args = {}, print, { ... }
  rawset(_G, "print", function(...)
    local parts = { ... }
    for k = 1, select("#", ...) do parts[k] = tostring(parts[k]) end
    lines[#lines + 1] = table.concat(parts, "\t")
  end)
  local fine, why = pcall(function()
    f(unpack(args))
    ma.zeros(1):get()
  end)
  rawset(_G, "print", before)
  if not fine and not helper.compiles and #lines == 0 then error(why, 0) end
  return lines, not fine and why or nil
end

describe("print in a kernel", function()
  --- A new one each time, since the lines' buffer lives as long as a kernel that printed.
  local function walk_kernel()
    local twice = jit.device(function(v)
      if v > 2 then print("device", v) end
      return v * 2
    end)
    return jit.rawkernel(function(x, y)
      local i = jit.grid(1)
      if i <= #x then
        y[i] = twice(x[i])
        print("element", i, y[i], x[i] > 2)
        if i == 2 then
          print()
          local function inner(v) print("inner", v) end
          inner(i)
        end
      end
    end)
  end
  local want = { "element\t1\t0\tfalse", "element\t2\t2\tfalse", "", "inner\t2", "element\t3\t4\tfalse", "device\t3",
    "element\t4\t6\ttrue" }

  it("puts lines in the order of elements, those of one element in its order", function()
    local x, y = ma.arange(4), ma.zeros(4)
    assert.are.same(want, printed(walk_kernel(), 2, 3, { x, y }))
    assert.are.same({ 0, 2, 4, 6 }, y:get():totable())
    assert.are.same({}, printed(function() end))               -- each line once
    local long = printed(jit.rawkernel(function() print(jit.grid(1)) end), 10, 64, {})
    assert.are.equal(640, #long)
    for k, line in ipairs(long) do assert.are.equal(tostring(k), line) end
  end)

  it("writes numbers as Lua does", function()
    local k = jit.rawkernel(function(x, z, f)
      print(x[1], x[2], x[1] / 0, -x[1] / 0, x[1] / x[3], 2 ^ 60, 0.1, 7, true)
      print(z[1], f[1])
    end)
    local z, f = ma.array({ 1 }, "complex64") * 2, ma.array({ 0.1 }, "float16")
    assert.are.same({ "0.1\t1e+15\tinf\t-inf\tinf\t1.1529215046068e+18\t0.1\t7\ttrue", "2+0i\t0.0999755859375" },
      printed(k, 1, 1, { ma.array { 0.1, 1e15, 0 }, z, f }))
  end)

  it("serves functions of elements", function()
    local e = jit.elementwisekernel(function(x)
      print("x", x)
      return x + 1
    end)
    assert.are.same({ "x\t0", "x\t1", "x\t2" }, printed(e, ma.arange(3)))
    local v = ma.vectorize(function(x)
      if x > 1 then print("big", x) end
      return x
    end)
    assert.are.same({ "big\t2", "big\t3" }, printed(v, ma.arange(4)))
    local list = ma.list(5)
    local both = jit.elementwisekernel(function(x, l)
      jit.append(l, x)
      print("item", x)
      return -x
    end)
    assert.are.same({ "item\t0", "item\t1" }, printed(both, ma.arange(2), list))
    assert.are.same({ 0, 1 }, list:array():get():totable())
    local y
    printed(function() y = both(ma.arange(2), list) end)
    assert.are.equal(-1, y(2))
  end)

  it("shows a thousand lines, and says how many more there were", function()
    local many = jit.rawkernel(function() print("line", jit.grid(1)) end)
    local lines = printed(many, 20, 100, {})
    assert.are.equal(1001, #lines)
    assert.are.same({ "line\t1", "line\t1000", "... and 1000 more lines of kernels" }, { lines[1], lines[1000],
      lines[1001] })
    lines = printed(many, 1000, 100, {})                       -- more than there is room for
    assert.are.same({ 1001, "... and 99000 more lines of kernels" }, { #lines, lines[1001] })
    assert.are.same(want, printed(walk_kernel(), 2, 3, { ma.arange(4), ma.zeros(4) }))
  end)

  it("shows the lines of launches one after another, and of replays of a graph", function()
    local say = jit.rawkernel(function(k) print("launch", k, jit.grid(1)) end)
    assert.are.same({ "launch\t7\t1", "launch\t7\t2", "launch\t5\t1", "launch\t5\t2" }, printed(function()
      say(1, 2, { 7 })
      say(1, 2, { 5 })
    end))
    local x, y = ma.arange(4), ma.zeros(4)
    local step, walk = nil, walk_kernel()
    assert.are.same(want, printed(function() step = ma.cuda.graph(function() walk(2, 3, { x, y }) end) end))
    assert.are.same(want, printed(step))
    assert.are.same(want, printed(step))
    step:free()
  end)

  it("serves functions of ma.fuse, by branches and where there are none", function()
    local x = ma.array { 3, -1, 5 }
    local f = ma.fuse(function(v)
      if v > 0 then print("hit", v) end
      return v + 1
    end)
    local y
    assert.are.same({ "hit\t3", "hit\t5" }, printed(function() y = f(x) end))
    assert.are.same({ 4, 0, 6 }, y:totable())
    assert.are.same({ "hit\t1" }, printed(f, x - 4))
    local config = { scale = 2 }
    local function say(v) print("v", v * config.scale, v < 4) end
    local two = ma.fuse(function(v)
      say(v)
      return v, -v
    end)
    for _, scale in ipairs { 2, 3, 4 } do
      config.scale = scale
      assert.are.same({ "v\t" .. 3 * scale .. "\ttrue", "v\t" .. -scale .. "\ttrue", "v\t" .. 5 * scale .. "\tfalse" },
        printed(function() y = select(2, two(x)) end))
    end
    assert.are.same({ -3, 1, -5 }, y:totable())
    assert.are.same({ "once" }, printed(ma.fuse(function(v)      -- of no element: as it is recorded
      print("once")
      return v + 1
    end), x))
  end)

  it("serves functions of ma.stencil, also in steps", function()
    local x = ma.arange(15):reshape(3, 5)
    local s = ma.stencil(function(u)
      if u(0, 0) > 4 and u(0, 0) < 11 then print("at", u(0, 0), u(-1, 0)) end
      return u(0, 0) + 1
    end, { boundary = "wrap" })
    local lines_of, y = {}, nil
    for v = 5, 10 do lines_of[#lines_of + 1] = ("at\t%d\t%d"):format(v, v - 5) end
    assert.are.same(lines_of, printed(function() y = s(x) end))
    assert.are.equal(15, y(3, 5))
    assert.are.same(lines_of, printed(s, x))
    local count = ma.stencil(function(u)
      if u(0) == 7 or u(0) == 68 then print("step", u(0)) end
      return u(0) + 1
    end)
    local lines = printed(function() y = count:run(ma.array { 0, 1 }, { steps = 70 }) end)
    assert.are.same({ 70, 71 }, y:totable())
    assert.are.same({ "step\t7", "step\t7", "step\t68", "step\t68" }, lines)
  end)

  it("comes before the error of a position", function()
    local k = jit.rawkernel(function(x)
      print("before")
      x[9] = 1
    end)
    local lines, why = printed(k, 1, 1, { ma.zeros(3) })
    assert.are.same({ "before" }, lines)
    if helper.device == "cpu" then assert.is_truthy(why:find("position 9", 1, true)) end
  end)

  it("is refused for what has no text, and in reductions", function()
    local x = ma.zeros(3)
    fails("argument 2 of 'print' is an array; wanted a number, a boolean or a string",
      jit.rawkernel(function(v) print("v", v) end), 1, 1, { x })
    fails("'print' is available in kernels of jit.rawkernel", jit.reductionkernel {
      map = function(v)
        print(v)
        return v
      end,
      reduce = function(a, b) return a + b end }, x)
  end)
end)
