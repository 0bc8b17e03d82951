-- Functions inside of a kernel's function: what they read around them, and what they may not do. Random ones are in
-- jit_fuzz_spec.lua.

local helper = require "spec.helper"

local ma, fails = helper.ma, helper.fails
local jit = ma.jit

local function printed(fn, args) return jit.rawkernel(fn):code_for(args or { ma.ones(4) }) end

describe("a function inside a kernel", function()
  it("runs as in Lua, with locals around it, results and other such functions", function()
    local text = [[function(x, y, scale)
      local s, n = 0.5, 3
      local function g(v) return v * scale + s, v > 2 end
      local twice = function(v)
        local a, big = g(v)
        if big then return math.floor(a * 2) + n end
        local function inner(w) return w + a + s + outer end
        return inner(1)
      end
      local function store(i, v)
        y[i] = v
        x[i] = x[i] + #x
      end
      for i = 1, #x do
        s = s + i
        if i == 3 then
          local g = function() return 100 end
          y[1] = y[1] + g()
        end
        local function row(v) return twice(v) end
        store(i, row(x[i]))
      end
      y[1] = (function(q) return q + y[1] end)(1)
    end]]
    local x, y = { 1, 2, 3, 4, 5 }, { 0, 0, 0, 0, 0 }
    local given, results = ma.array(x, "float64"), ma.zeros(5)
    setfenv(assert(loadstring("return " .. text)), { math = math, outer = 4 })()(x, y, 2)
    jit.rawkernel(text, { constants = { outer = 4 } })(1, 1, { given, results, 2 })
    assert.are.same(x, given:totable())
    assert.are.same(y, results:totable())
  end)

  it("sees the present values of locals, of any types", function()
    local k = jit.rawkernel [[function(y, m)
      local s, big, row = 1, false, m[2]
      local function f(k) return big and row[k] or s end
      y[1] = f(1)
      s = s + 0.25
      y[2] = f(1)
      big = true
      y[3] = f(2)
      do
        local s, row = 50, m[1]
        y[4] = f(1) + s + row[1]
      end
    end]]
    local y = ma.zeros(4)
    k(1, 1, { y, ma.array { { 1, 2 }, { 30, 40 } } })
    assert.are.same({ 1, 1.25, 40, 81 }, y:totable())
  end)

  it("keeps types: numbers around it are weak where they are so outside", function()
    assert.are.equal("float32", ma.vectorize(function(x)
      local c = 3
      local function f(a) return a * c end
      return f(x)
    end)(ma.ones(2, "float32")).dtype)
    assert.are.equal("uint8", ma.vectorize(function(x, n)
      local function f(a) return a + n end
      return f(x)
    end)(ma.ones(2, "uint8"), 3).dtype)
  end)

  it("takes constants, builtins, names of dtypes and other functions from around it", function()
    local text = printed(function(x)
      local cast, dtype, half = ma.float32, "float32", 0.5
      local function f(v) return cast(v) + half end
      local function g(v)
        local s = jit.shared_memory(dtype, 2)
        s[1] = f(v)
        return s[1]
      end
      x[1] = g(x[1])
    end)
    assert.is_truthy(text:find("float s_", 1, true) or text:find("__shared__ float", 1, true), text)
    assert.is_truthy(text:find("float(0.5)", 1, true), text)
  end)

  it("is an operator without a name", function()
    local k = jit.rawkernel(function(x, out)
      local two = 2
      local all = jit.cub.BlockReduce("float64"):Reduce(x[jit.threadIdx.x + 1], function(a, b) return a * b / two end)
      if jit.threadIdx.x == 0 then out[1] = all end
    end)
    local out = ma.zeros(1)
    k(1, 4, { ma.array { 1, 2, 3, 4 }, out })
    assert.are.equal(3, out(1))
  end)

  it("stands on one line with others", function()
    local f, g = ma.vectorize(function(x) local h = function(y) return y + 1 end return h(x) end),
      ma.vectorize(function(x) local h = function(y) return y + 2 end return h(x) end)
    local one, two = ma.vectorize(function(x) local h = function(y) return y * 3 end return h(x) end), function() end
    assert.are.same({ 6, 7, 15 }, { f(5):item(), g(5):item(), one(5):item() })
    assert.is_nil(two())
  end)

  it("finds positions outside with its own line", function()
    local message = fails(function()
      ma.device("cpu"):with(function()       -- which checks positions in any case
        local x = ma.zeros(3)
        jit.rawkernel("function(x)\n  local function f(k)\n    x[k] = 1\n  end\n  f(4)\nend")(1, 1, { x })
        x:get()
      end)
    end)
    assert.matches("position 4 on axis 1 at line 3", message)
  end)

  describe("is an error", function()
    local cases = {
      { "it assigns to a local around it", "local s = 1\nlocal f = function()\n s = s + 1 end\nf()",
        "k:4: moonarray.jit: 's' is a local of the function around 'f', which may read it but not assign to it" },
      { "it calls itself", "local function f(n)\n return f(n - 1) end\nx[1] = f(2)",
        "k:3: moonarray.jit: 'f' calls itself; recursion is not available in a kernel" },
      { "it reads what has no value", "local s\nlocal function f() return s end\nx[1] = f()",
        "k:4: moonarray.jit: 's' has no value" },
      { "it reads a shape", "local s = x.shape\nlocal function f() return s[1] end\nx[1] = f()",
        "k:4: moonarray.jit: 's' is a shape around 'f', which cannot read that" },
      { "it reads a group", "local g = jit.cg.this_thread_block()\nlocal function f() g:sync() end\nf()",
        "k:4: moonarray.jit: 'g' is a group of threads around 'f', which cannot read that" },
      { "an operator reads a local", "local s = x[1]\nlocal function f(a, b) return a + s end\n"
        .. "x[1] = jit.cub.BlockReduce('float64'):Reduce(x[1], f)",
        "k:4: moonarray.jit: 'f', an operator, reads the local 's' around it" },
      { "it is a value", "local function f() return 1 end\nx[1] = f",
        "k:3: moonarray.jit: 'f' is written; wanted a number"
      },
      { "it is an argument", "local function f() return 1 end\nlocal function g(h) return h() end\nx[1] = g(f)",
        "k:4: moonarray.jit: argument 1 of 'g' is 'f'; wanted a number" },
      { "it has other parameters", "local function f(a) return a end\nx[1] = f()",
        "k:3: moonarray.jit: 'f' with 0 arguments; wanted 1" },
      { "it is used before it is there", "x[1] = f()\nlocal function f() return 1 end",
        "k:2: moonarray.jit: 'f' is not available" },
      { "it is given another value", "local function f() return 1 end\nf = 2",
        "k:3: moonarray.jit: 'f' stands for 'f'" },
      { "it is no local", "function f() end", "k:2: moonarray.jit: a function inside it that is not local" },
      { "it leaves a loop around it", "for i = 1, 2 do local function f() break end end",
        "k:2: moonarray.jit: 'break' outside a loop" },
      { "it takes any number of arguments", "local function f(...) end", "k:2: moonarray.jit: '...' is not available" },
      { "it has no end", "local function f()\n", "wanted 'end'" },
    }
    for _, case in ipairs(cases) do
      it("if " .. case[1], function()
        local message = fails(function()
          jit.rawkernel("function(x)\n" .. case[2] .. "\nend", { name = "k" }):code_for { ma.ones(4) }
        end)
        assert.is_truthy(message:find(case[3], 1, true), message)
      end)
    end
  end)
end)
