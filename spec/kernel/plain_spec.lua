-- Functions of elements in their plain form: called for each element, with elements that keep their dtype.

local file = require "spec.file"
local helper = require "spec.helper"
local ma = require "moonarray"
local jit_spec = rawget(_G, "jit") and describe or pending

local function listed(a) return a:totable() end

jit_spec("the plain form", function()
  it("keeps dtypes: integers wrap, floats are rounded after each operation", function()
    local seen
    local f = ma.fuse(function(x)
      seen = (x + x).dtype
      return x + x
    end, { plain = true })
    assert.same({ 144 }, listed(f(ma.array({ 200 }, "uint8"))))
    assert.equal("uint8", seen)
    local third = ma.fuse(function(x) return x / 3 * 3 - x end, { plain = true })
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local x = ma.array({ 0.7, 5.3 }, dtype)
      assert.same(listed(x / 3 * 3 - x), listed(third(x)))
      assert.equal(dtype, third(x).dtype)
    end
    assert.equal("float64", ma.fuse(function(x) return x / 2 end, { plain = true })(ma.ones(2, "int32")).dtype)
  end)

  it("sees elements in if, and, or, not and ==, on either side of numbers", function()
    local f = ma.fuse(function(x)
      if x == 1 then return 10 * x end
      if 2 == x or (x > 3 and 5 > x) then return -x end
      return not (x == 5) and x or x * 0                          -- luacheck: ignore
    end, { plain = true })
    assert.same({ 10, -2, 3, -4, 0, 6 }, listed(f(ma.array({ 1, 2, 3, 4, 5, 6 }, "float32"))))
    assert.same({ 1, 0 }, listed(ma.fuse(function(x) return x ~= x and 1 or 0 end,
      { plain = true })(ma.array { 0 / 0, 1 })))
    assert.same({ 1, 0 }, listed(ma.fuse(function(x, y) return x and y end, { plain = true })(
      ma.array { true, false }, ma.array { true, true }):astype "int32"))
  end)

  it("calls the function itself for each element", function()
    local calls = {}
    local s = ma.stencil(function(u)
      calls[#calls + 1] = u(1):item()
      return u(1)
    end, { boundary = "wrap", plain = true })
    s(ma.array { 1, 2, 3 })
    assert.same({ 2, 3, 1 }, calls)
  end)

  it("has every rule at the edges, steps, results and out", function()
    local function rule(u, v) return u(-1) + 2 * v(2), u(0) - v(0) end
    local u, v = ma.array { 1, 5, 2, 8, 3 }, ma.array { 4, 1, 7, 2, 9 }
    for _, boundary in ipairs { "constant", "wrap", "nearest", "reflect", "mirror", "leave" } do
      local a, b = ma.stencil(rule, { boundary = boundary, value = 6, out = 2 })(u, v)
      local c, d = ma.stencil(rule, { boundary = boundary, value = 6, out = 2, plain = true })(u, v)
      assert.same({ listed(a), listed(b) }, { listed(c), listed(d) })
    end
    local s = ma.stencil(function(w) return w(-1) + w(1) end, { boundary = "wrap", plain = true })
    assert.same(listed(ma.stencil(function(w) return w(-1) + w(1) end, { boundary = "wrap" }):run(u, { steps = 3 })),
      listed(s:run(u, { steps = 3 })))
    local out = ma.zeros(5)
    assert.equal(out, (s(u, { out = out })))
    assert.same({ 8, 3, 13, 5, 9 }, listed(out))
  end)

  it("is that of vectorize and generic_filter too", function()
    local clip = ma.vectorize(function(x, y) return math.max(x, y) end, { plain = true })
    assert.same({ 3, 5 }, listed(clip(ma.array({ 1, 5 }, "int16"), 3)))
    assert.equal("int16", clip(ma.array({ 1, 5 }, "int16"), 3).dtype)
    local widest = ma.ndimage.generic_filter({ 1, 5, 2, 9 }, function(w)
      local m = w[1]
      for k = 2, #w do
        if w[k] > m then m = w[k] end
      end
      return m
    end, 3, { plain = true })
    assert.same({ 5, 5, 9, 9 }, listed(widest))
  end)

  it("is that of kernels of ma.jit over elements", function()
    local jit = ma.jit
    local both = jit.elementwisekernel(function(x, y)
      if x > y then return x, jit.grid(1) end
      return y, 0
    end, { plain = true, in_params = "T x, T y", out_params = "T z, int32 at" })
    local z, at = both(ma.array({ 1, 5, 9 }, "int8"), 4)
    assert.same({ { 4, 5, 9 }, { 0, 2, 3 }, "int8", "int32" }, { listed(z), listed(at), z.dtype, at.dtype })
    assert.matches("plain form of jit elementwise kernel", tostring(both))
    local made = {}
    for _, plain in ipairs { true, false } do
      local largest = jit.reductionkernel {
        map = function(x) return x, jit.grid(1) end,
        reduce = function(a, i, b, j)
          if b > a or b == a and j < i then return b, j end
          return a, i
        end,
        post = function(a, i, n) return math.abs(a), i, n end, plain = plain,
      }
      local total = jit.reductionkernel { reduce = function(a, b) return a + b end, reduce_type = "int16", identity = 0,
        plain = plain }
      local x = (ma.arange(24) * 7 % 11):reshape(2, 3, 4):astype "int8"
      local value, place, n = largest(x, 2)
      made[#made + 1] = { listed(value), listed(place), listed(n), value.dtype, place.dtype, n.dtype,
        listed(total(x)), listed(total(x, { 1, -1 }, { keepdims = true })), total(x).dtype,
        listed(total(ma.zeros({ 0, 2 }, "int8"), 1)) }
    end
    assert.same(made[2], made[1])
    assert.has_error(function() jit.elementwisekernel("function(x) return x end", { plain = true }) end)
    assert.has_error(function()
      jit.elementwisekernel(function(_, y) return y[1] end, { in_params = "T x, raw T y", plain = true })
    end)
  end)

  it("calls noise as kernels do, and bounds of draws may be elements", function()
    local perlin = ma.noise.perlin
    local function rule(x, k)
      local u, v = ma.noise.curl(x, k)
      return perlin(x, x * 2, { seed = k }) + ma.noise.fbm(x, 0.5, { octaves = 2 }), u, v
    end
    for _, dtype in ipairs { "float16", "float32", "float64", "int32" } do
      local x, k = ma.array({ 0.3, 1.7, 5.2 }, dtype), ma.array({ 1, 2, 3 }, "int32")
      local got, wanted = { ma.vectorize(rule, { plain = true })(x, k) }, { ma.vectorize(rule)(x, k) }
      for r = 1, 3 do
        assert.equal(wanted[r].dtype, got[r].dtype)
        assert.same(listed(wanted[r]), listed(got[r]))
      end
    end
    local draw = ma.vectorize(function(low) return ma.jit.randint(low, low + 1) + low end, { plain = true })
    assert.same({ 2, 10 }, listed(draw(ma.array({ 1, 5 }, "int32"))))
    assert.equal(perlin, ma.noise.perlin)
  end)

  it("gives all declared outputs of no elements", function()
    for _, plain in ipairs { true, false } do
      local q, n = ma.jit.elementwisekernel(function(p) return p * 2, p:length() end, { plain = plain,
        in_params = "vec3 p", out_params = "vec3 q, float32 n" })(ma.zeros { 0, 3 })
      assert.same({ 0, 3 }, { q.shape[1], q.shape[2] })
      assert.same({ 0, "float32" }, { n.size, n.dtype })
    end
  end)

  it("takes arrays from outside at the position", function()
    local mask = ma.array { 1, 0, 2 }
    local s = ma.stencil(function(u)
      if mask > 0 then return u(0) * mask end
      return -u(0)
    end, { plain = true })
    assert.same({ 4, -5, 12 }, listed(s(ma.array { 4, 5, 6 })))
    assert.same({ 1, 0, 2 }, listed(mask))
  end)

  it("refuses what is no function of single elements, and leaves nothing behind", function()
    local sqrt = math.sqrt
    local x = ma.ones(3)
    assert.has_error(function() ma.fuse(function(a) return a:mean() end, { plain = true })(x) end)
    assert.has_error(function() ma.fuse(function(a) return ma.sum(a) end, { plain = true })(x) end)
    assert.has_error(function() ma.stencil(function(u) return u(0.5) end, { plain = true })(x) end)
    assert.has_error(function() ma.stencil(function() error "mine" end, { plain = true })(x) end, "mine")
    assert.has_error(function() ma.fuse(function(a) return a end, { plain = 1 }) end)
    assert.has_error(function() ma.vectorize("function(a) return a end", { plain = true }) end)
    assert.equal(sqrt, math.sqrt)
    assert.is_nil(getmetatable(true))
  end)

  it("is chosen by MOONARRAY_PLAIN", function()
    local _, text = file.run(("MOONARRAY_PLAIN=1 '%s' -e \"%s\""):format(os.getenv "LUAJIT" or "luajit",
      "print(require 'moonarray'.fuse(function(x) return x end))"))
    assert.truthy(text:find "plain function")
    local name = os.tmpname()
    local f = assert(io.open(name, "w"))
    f:write [[
      local ma, ffi = require "moonarray", require "ffi"
      local units = ma.zeros(3, ma.struct(ffi.typeof "struct { float x; int32_t hp; }"))
      ma.jit.elementwisekernel(function(u, k) u.hp = k end)(units, 5)
      local list, grid = ma.list(4), ma.spatial.HashGrid({ 0 }, { 1 }, 0.5):build(ma.array { { 0.2 }, { 0.9 } })
      local near = ma.vectorize(function(x, g, l)
        local n = 0
        for j in g:near(x, 0.1) do n = n + j end
        ma.jit.append(l, n)
        return n
      end)
      near(ma.array { 0.9, 0.25, 0.6 }, grid, list)
      local twice = ma.jit.elementwisekernel(function(v) return v * 2 end)(list)
      print(units.hp:sum():item(), twice:array():sum():item(), ma.vectorize(function(x) return x end))
    ]]
    f:close()
    _, text = file.run(("MOONARRAY_PLAIN=1 '%s' %s"):format(os.getenv "LUAJIT" or "luajit", name))
    os.remove(name)
    assert.matches("15\t6\tplain function", text)
    local asked = ma.vectorize(function(u) return u end, { plain = true })
    local _, why = pcall(asked, ma.list(3))
    assert.matches("argument 1 is a list; wanted an array or a number, as the plain form takes", why)
  end)

  it("has booleans where a field is bool, as the other forms have", function()
    local b, x = ma.array { true, false, true, false }, ma.array({ 0, 1, 2, 3 }, "uint8")
    local rules = { function(c, _) return c and 1 or 0 end, function(c, y) return not c or y > 9 end,
      function(c, y) return c == (y > 1) end, function(c, _) return c == false end,
      function(c, y) return (c or y > 1) end,
      function(c, _) return c + 1 end, function(c, _) return c + c end, function(c, y) return c * y end,
      function(c, _) return c - 1 end, function(c, _) return c / 2 end, function(c, _) return c % 2 end }
    for k, rule in ipairs(rules) do
      helper.identical(ma.fuse(rule, { plain = true })(b, x), ma.fuse(rule)(b, x), k)
      if k < 6 then
        assert.same(ma.vectorize(rule, { plain = true })(b, x):totable(), ma.vectorize(rule)(b, x):totable(), k)
      end
    end
    local wrong = { function(c, _) return c == 1 end, function(c, y) return c ~= y end, function(c, _) return 1 < c end,
      function(c, y) return c < (y > 1) end, function(_, y) return (y > 1) == 1 end,
      function(_, y) return y == true end,
      function(c, y) return c and y end }
    for k, rule in ipairs(wrong) do
      local function loops(c, y)
        local n = 0
        while n < y do n = n + 1 end
        return rule(c, y)
      end
      assert.matches("boolean", helper.fails(ma.fuse(rule), b, x), k)
      assert.matches("boolean", helper.fails(ma.stencil(function(c, y) return rule(c(0), y(0)) end), b, x), k)
      assert.matches("boolean", helper.fails(ma.fuse(loops), b, x), k)
      assert.matches("boolean", helper.fails(ma.vectorize(rule), b, x), k)
    end
    assert.matches("a boolean for some elements", helper.fails(ma.fuse(wrong[7], { plain = true }), b, x))
    assert.matches("arithmetic on a boolean", helper.fails(ma.vectorize(rules[6], { plain = true }), b, x))
  end)
end)
