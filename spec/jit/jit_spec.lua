local helper = require "spec.helper"
local ma = helper.ma
local jit = ma.jit

--- Runs a kernel of the current device over arrays; `host` compares as tables.
local function host(a) return a:get():totable() end

describe("jit", function()
  local function text_of(source, args, options) return jit.rawkernel(source, options):code_for(args) end

  local function error_of(source, args, options)
    local ok, message = pcall(text_of, source, args or { ma.zeros({ 4 }, "float32") }, options)
    assert.is_false(ok)
    return message
  end

  describe("errors point at the Lua line", function()
    local cases = {
      { "function(x)\n for k in pairs(x) do end\nend",
        "kernel:2: moonarray.jit: 'pairs' is not available in a kernel" },
      { "function(x)\n\n next(x)\nend", "kernel:3: moonarray.jit: 'next' is not available in a kernel" },
      { "function(x) y = 3 end", "'y' is not a local" },
      { "function(x) return 1 end", "a kernel returns nothing" },
      { "function(x)\n local a = 1\n a = true\nend", "kernel:3: moonarray.jit: 'a' is a int64 and gets a boolean" },
      { "function(x) x[1] = nil end", "'nil' is not available" },
      { "function(x) x[{1, 2}] = 1 end", "2 positions of x, an array of 1 axes" },
      { "function(x) x[0] = 1 end", "position 0 of axis 1" },
      { "function(x) if x[1] == true then end end", "'==' of a float32 and a boolean" },
      { "function(x) local a; x[1] = a end", "'a' has no value" },
      { "function(x) x[1] = x[2] > 1 and 3 end", "false or a number is written" },
      { "function(x) x[1] = math.randomseed() end", "'math.randomseed' is not available" },
      { "function(x) x[1] = threadIdx.w end", "'threadIdx.w' is not available" },
      { "function(x) local s = shared_memory('float', 3) end", "the dtype is 'float'" },
      { "function(x) for i = 1, 2, 0 do end end", "the step of 'for' is 0" },
      { "function(x) goto out end", "'goto' is not available" },
      { "function(x) x:fill(1) end", "the method call ':fill' is not available" },
      { "function(x) function f() end end", "a function inside it that is not local" },
      { "function(x) x[1] = 'a' .. 'b' end", "the operator '..'" },
      { "function(x) x[1] = 2i end", "the number '2i'" },
      { "function(x) break end", "'break' outside a loop" },
      { "function(x) x[1] = {a = 1} end", "a table with keys" },
      { "function(x", "wanted ')'" },
      { "x = 3", "the source is not that of a function" },
      { "function(x) end x = 3", "goes on after the function's 'end'" },
      { "function(x) x[1] = \"a\nend", "a string without an end" },
      { "function(x) x[1] = " .. ("("):rep(300) .. "1" .. (")"):rep(300) .. " end", "levels of nesting" },
      { "function(x, x) end", "two parameters are called 'x'" },
      { "function(x) local u = ma.zeros end x = 1", "end" },
      { "function(x) @ end", "unexpected symbol '@'" },
    }
    for _, case in ipairs(cases) do
      it(case[2], function() assert.is_truthy(error_of(case[1]):find(case[2], 1, true), error_of(case[1])) end)
    end

    it("of bool arrays, of literals that do not fit, of names", function()
      assert.is_truthy(error_of("function(m) m[1] = 1 end", { ma.zeros({ 2 }, "bool") }):find("wanted a boolean", 1,
        true))
      assert.is_truthy(error_of("function(b) b[1] = b[1] + 300 end",
        { ma.zeros({ 2 }, "uint8") }):find("does not fit uint8", 1, true))
      assert.has_error(function() jit.rawkernel("function(x) end", { name = "a b; system()" }) end)
      assert.has_error(function() jit.rawkernel(3) end)
      assert.has_error(function() jit.rawkernel(print) end)
      assert.has_error(function() jit.rawkernel("function(x) end", { nmae = "a" }) end)
    end)

    it("of arguments", function()
      local k = jit.rawkernel "function(x, n) end"
      local x = ma.zeros({ 3 })
      local function message(...)
        local ok, text = pcall(...)
        assert.is_false(ok)
        return text
      end
      assert.is_truthy(message(k, 1, 1, { x, nil }):find("argument 2 (n) is nil", 1, true))
      assert.is_truthy(message(k[{ 1, 1 }], x, nil):find("argument 2 (n) is nil", 1, true))
      assert.is_truthy(message(k, 1, 1, { x, 1, 2 }):find("argument 3", 1, true))
      assert.is_truthy(message(k, 1, 1, { x, "a" }):find("argument 2 (n) is the string 'a'", 1, true))
      assert.is_truthy(message(k, 1, 1, x):find("wanted a table", 1, true))
    end)
  end)

  describe("types", function()
    local function has(text, piece) assert.is_truthy(text:find(piece, 1, true), text) end

    it("keep literals and upvalues weak", function()
      local scale = 2.5
      local k = jit.rawkernel(function(x)
        x[1] = x[2] * scale + 1
      end)
      local text = k:code_for { ma.zeros({ 3 }, "float32") }
      has(text, "* float(2.5)")
      assert.is_nil(text:find("double(a1", 1, true))
    end)

    it("see a changed upvalue, which is a parameter", function()
      local scale = 2
      local k = jit.rawkernel(function(x)
        x[1] = x[2] * scale
      end)
      has(k:code_for { ma.zeros({ 3 }) }, "* 2.0")
      scale = 3
      has(k:code_for { ma.zeros({ 3 }) }, "* double(jit_o1)")
      assert.are.equal(3, scale)
    end)

    it("are translated once while an upvalue and a global stay the same", function()
      local scale = 2
      local k = jit.rawkernel(function(x)
        x[1] = x[2] * scale
      end)
      for _ = 1, 5 do k:code_for { ma.zeros({ 3 }) } end
      scale = 3
      for _ = 1, 5 do k:code_for { ma.zeros({ 3 }) } end
      scale = 2
      for _ = 1, 5 do k:code_for { ma.zeros({ 3 }) } end
      assert.are.equal(2, scale)
      local _, variants = next(rawget(k, "variants"))
      assert.are.equal(2, #variants)
    end)

    it("take LuaJIT's 64-bit integers as arguments, upvalues, fields and literals, each exact", function()
      local big, small, most, of = 9007199254740993LL, 5LL, 0xffffffffffffffffULL, { low = -9007199254740993LL }
      local k = jit.rawkernel(function(q, o)
        o[1], o[2], o[3], o[4], o[5], o[6] = q, big, small + 1, of.low, 9007199254740993LL, -007LL
      end)
      local o = ma.zeros(6, "int64")
      k(1, 1, { big, o })
      assert.are.same({ big, big, 6, of.low, big, -7 }, host(o))
      big, of.low = 2LL, 2LL ^ 62                       -- they are looked at in each call
      k(1, 1, { -3LL, o })
      assert.are.same({ -3, 2, 6, 2LL ^ 62, 9007199254740993LL, -7 }, host(o))
      local u = ma.zeros(2, "uint64")
      jit.rawkernel(function(q, x)
        x[1], x[2] = q, most
      end)(1, 1, { 2ULL ^ 63, u })
      assert.are.same({ 2ULL ^ 63, most }, host(u))
      local four = -4LL
      assert.are.equal("float32", ma.vectorize(function(x) return x * four end)(ma.ones(2, "float32")).dtype)
    end)

    it("widen locals by their assignments", function()
      local text = text_of("function(x, n) local s = 0 for i = 1, n do s = s + x[i] end x[1] = s end",
        { ma.zeros({ 3 }), 3 })
      has(text, "double s_")
    end)
  end)

  describe("runs", function()
    it("a strided copy", function()
      local copy = jit.rawkernel(function(y, x, size)
        local tid = jit.grid(1)
        local ntid = jit.gridsize(1)
        for i in jit.range(tid, size, ntid) do
          y[i] = x[i]
        end
      end)
      local x = ma.arange(1000, "float32")
      local y = ma.zeros({ 1000 }, "float32")
      copy({ 3 }, { 32 }, { y, x, 1000 })
      assert.are.same(host(x), host(y))
      y:fill(0)
      copy[{ 2, 64 }](y["::-1"], x, 1000)
      assert.are.same(host(x["::-1"]), host(y))
    end)

    it("a product of matrices through shared memory", function()
      local N = 8
      local product = jit.rawkernel(function(a, b, c, n)
        local ta, tb = jit.shared_memory("float64", { 8, 8 }), jit.shared_memory("float64", { 8, 8 })
        local j, i = jit.grid(2)
        local tx, ty = jit.threadIdx.x + 1, jit.threadIdx.y + 1
        local sum = 0.0
        for first = 0, n - 1, N do
          ta[{ ty, tx }] = a[{ i, first + tx }]
          tb[ty][tx] = b[first + ty][j]
          jit.syncthreads()
          for k = 1, N do sum = sum + ta[ty][k] * tb[{ k, tx }] end
          jit.syncthreads()
        end
        c[{ i, j }] = sum
      end)
      local a, b = ma.arange(256, "float64"):reshape(16, 16), (ma.arange(256, "float64") * 3 % 17):reshape(16, 16)
      local c = ma.zeros({ 16, 16 })
      product({ 2, 2 }, { 8, 8 }, { a, b.T, c, 16 })
      local ta, tb, expected = host(a), host(b.T), {}
      for i = 1, 16 do
        expected[i] = {}
        for j = 1, 16 do
          local s = 0
          for k = 1, 16 do s = s + ta[i][k] * tb[k][j] end
          expected[i][j] = s
        end
      end
      assert.are.same(expected, host(c))
    end)

    it("device functions, several results, arrays handed on", function()
      local clamp = jit.device(function(v, lo, hi)
        if v < lo then return lo elseif v > hi then return hi end
        return v
      end)
      local both = jit.device(function(a, i)
        return a[i] + 1, a[i] > 2
      end)
      local k = jit.rawkernel(function(x, y, m)
        local i = jit.grid(1)
        if i <= #x then
          local v, more = both(x, i)
          y[i] = clamp(v, 2, 4)
          m[i] = more
        end
      end)
      local x, y, m = ma.arange(6, "float32"), ma.zeros({ 6 }, "float32"), ma.zeros({ 6 }, "bool")
      k(1, 32, { x, y, m })
      assert.are.same({ 2, 2, 3, 4, 4, 4 }, host(y))
      assert.are.same({ false, false, false, true, true, true }, host(m))
      assert.is_truthy(k.cached_code:find("jit_function", 1, true))
    end)

    it("atomics of every kind", function()
      local k = jit.rawkernel(function(h, f, u)
        local i = jit.threadIdx.x
        jit.atomic_add(h, 1, 1)
        jit.atomic_sub(h, 2, 2)
        jit.atomic_max(h, 3, i)
        jit.atomic_min(h, 4, -i)
        jit.atomic_add(f, { 1 }, 0.5)
        jit.atomic_max(f, { 2 }, i)
        jit.atomic_or_(u, 1, 4)
        jit.atomic_xor(u, 2, 1)
        jit.atomic_and_(u, 3, 6)
        jit.atomic_inc(u, 4, 9)
        if jit.atomic_cas(u, 5, 0, 7) == 0 then jit.atomic_exch(h, 5, 11) end
      end)
      local h, f, u = ma.zeros({ 5 }, "int64"), ma.zeros({ 2 }, "float32"), ma.array({ 1, 0, 15, 0, 0 }, "uint32")
      k(1, 64, { h, f, u })
      assert.are.same({ 64, -128, 63, -63, 11 }, host(h))
      assert.are.same({ 32, 63 }, host(f))
      assert.are.same({ 5, 0, 6, 4, 7 }, host(u))
    end)

    it("shuffles", function()
      local k = jit.rawkernel(function(x, y)
        local i = jit.grid(1)
        local v = x[i]
        local step = 16
        while step > 0 do
          v = v + jit.shfl_down_sync(0xffffffff, v, step)
          step = math.floor(step / 2)
        end
        if jit.laneid() == 0 then y[1] = v end
        jit.syncwarp()
        if jit.shfl_sync(0xffffffff, i, 3) == 4 and jit.shfl_xor_sync(0xffffffff, i, 1) ~= i then
          y[2] = jit.warpsize
        end
      end)
      local y = ma.zeros({ 2 }, "float32")
      k(1, 32, { ma.ones({ 32 }, "float32"), y })
      assert.are.same({ 32, 32 }, host(y))
    end)

    it("typed scalars, bools, halves, complex numbers, dynamic shared memory", function()
      local k = jit.rawkernel [[function(h, z, flag, s, m)
        local t = shared_memory("int32")
        t[3] = 5
        h[1] = h[2] + s
        h[2] = flag and 1 or 2
        z[1] = z[2] * z[2] + 1
        h[3] = t[3] + z[2].im
        m[1] = not m[1] and flag
      end]]
      local h, z = ma.array({ 1, 2.5, 3 }, "float16"), ma.array({ ma.complex(0, 0), ma.complex(1, 2) }, "complex64")
      local m = ma.zeros({ 1 }, "bool")
      k(1, 1, { h, z, true, ma.float32(0.25), m }, { shared_mem = 64 })
      assert.are.same({ 2.75, 1, 7 }, host(h))
      assert.are.equal(-2, z[1].re)
      assert.are.equal(4, z[1].im)
      assert.are.same({ true }, host(m))
    end)

    it("integers that wrap and floats that round as Lua's do", function()
      local k = jit.rawkernel [[function(a, x)
        a[1] = a[1] + 1 a[2] = -7 % 3 a[3] = a[3] % -3
        x[1] = -7.5 % 2 x[2] = 7 / 2 x[3] = a[3] / 4
      end]]
      local a, x = ma.array({ 2147483647, 0, 7 }, "int32"), ma.zeros({ 3 })
      k(1, 1, { a, x })
      assert.are.same({ -2147483648, 2, -2 }, host(a))
      assert.are.same({ 0.5, 3.5, -0.5 }, host(x))
    end)
  end)
end)

describe("vectorize", function()
  it("calls a function of scalars on every element", function()
    local relu = ma.vectorize(function(x, slope)
      if x > 0 then return x end
      return x * slope
    end)
    local x = ma.array({ -2, -1, 0, 3 }, "float32")
    local y = relu(x, 0.5)
    assert.are.equal("float32", y.dtype)
    assert.are.same({ -1, -0.5, 0, 3 }, host(y))
    assert.are.equal("int64", relu(ma.arange(3), 2).dtype)
  end)

  it("takes LuaJIT's 64-bit integers: small ones are weak, as beside operators", function()
    local product = ma.vectorize(function(x, y) return x * y end)
    local x = ma.array({ 1, 2 }, "int32")
    local y = product(x, 7LL)
    assert.are.equal("int32", y.dtype)
    assert.are.same({ 7, 14 }, host(y))
    assert.are.same({ 9007199254740993LL, 18014398509481986LL }, host(product(x, 9007199254740993LL)))
    local alone = product(5LL, 7LL)
    assert.are.same({ "int64", 35 }, { alone.dtype, alone:item() })
  end)

  it("broadcasts and gives several results", function()
    local order = ma.vectorize(function(x, y)
      if x > y then return y, x end
      return x, y
    end)
    local lo, hi = order(ma.array({ { 1 }, { 5 } }, "int32"), ma.array({ 2, 3, 4 }, "int32"))
    assert.are.same({ { 1, 1, 1 }, { 2, 3, 4 } }, host(lo))
    assert.are.same({ { 2, 3, 4 }, { 5, 5, 5 } }, host(hi))
  end)

  it("says what is wrong", function()
    assert.has_error(function() ma.vectorize(function() end) end)
    assert.has_error(function() ma.vectorize(function(x) return x end)(1, 2) end)
    assert.has_error(function() ma.vectorize "function(x) x = x + 1 end"(ma.ones { 2 }) end)
  end)
end)
