--- The dtype of constants in code for one element: that of the first field, in every form that a rule takes.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

-- Rules of one field `u` that give a choice of the constants a and b, and what makes each take its form.
local rules = {
  ["recorded"] = function(a, b) return function(u) return ma.where(u(0):gt(0), a, b) end end,
  ["over its syntax tree"] = function(a, b) return function(u)
    if u(0) == 7 then return ma.where(u(0) > 0, a, b) end
    return ma.where(u(0) > 0, a, b)
  end end,
  ["by if"] = function(a, b) return function(u)
    if u(0) > 0 then return a end
    return b
  end end,
  ["in a function that it calls last"] = function(a, b)
    local function choice(c) return ma.where(c, a, b) end
    return function(u)
      if u(0) == 7 then return choice(u(0) > 0) end
      return choice(u(0):gt(0))
    end
  end,
  ["in C++"] = function(a, b) return function(u)
    local n = 0
    while n < u(0) do n = n + 1 end
    return ma.where(n > 0, a, b)
  end end,
  ["by array operations"] = function(a, b) return function(u)
    return ma.where((u(0) + 0 * u(0):sum()):gt(0), a, b)
  end end,
}
local dtypes = { "uint8", "int32", "float32", "float64", "float16" }
local plain = { ["by array operations"] = false, ["in a function that it calls last"] = false }

local function dtype_of(first, a, b)
  local whole = first:find "int" and not (a % 1 == 0 and b % 1 == 0)
  return whole and "float64" or first
end

--- Checks what a rule gives for a choice of a and b.
local function check(name, first, a, b)
  local field, fn = ma.array({ 0, 1, 2 }, first), rules[name](a, b)
  local wanted = ma.array({ b, a, a }, dtype_of(first, a, b))
  local stencil = ma.stencil(fn)
  helper.identical(stencil(field), wanted)
  if plain[name] == nil then helper.identical(ma.stencil(fn, { plain = true })(field), wanted) end
  if wanted.dtype == first then assert.equal(first, stencil:run(field, { steps = 2 }).dtype) end
end

describe("constants of a rule", function()
  it("that ma.where chooses between take the first field's dtype, in all its forms", function()
    local failures = helper.failures()
    for name in pairs(rules) do
      for _, first in ipairs(name == "in C++" and { "uint8", "float32" } or dtypes) do
        for _, pair in ipairs { { 1, 0 }, { 0.5, 2 }, { 3, 0.25 } } do
          local label = ("%s, %s, %g and %g"):format(name, first, pair[1], pair[2])
          failures:run(label, check, name, first, pair[1], pair[2])
        end
      end
    end
    failures:check()
  end)

  it("take the first array's dtype in fused functions, also beside reductions and in one within another", function()
    local u, v = ma.array({ 0, 1, 2 }, "uint8"), ma.array({ 3, 0, 5 }, "float32")
    local chosen = ma.fuse(function(x) return ma.where(x:gt(0), 1, 0) end)
    assert.equal("uint8", chosen(u).dtype)
    assert.equal("float32", chosen(v).dtype)
    assert.equal("uint8", ma.fuse(function(x) return ma.where((x - x:mean()):gt(0), 1, 0) end)(u).dtype)
    assert.equal("uint8", ma.fuse(function(_, y) return chosen(y) end)(v, u).dtype)
    assert.equal("float32", ma.fuse(function(x, y) return ma.where(x:gt(0), 2, 0) + chosen(y) end)(v, u).dtype)
    assert.equal("int64", ma.where(u:gt(0), 1, 0).dtype)             -- outside of a rule
  end)

  it("may be arguments and numbers from outside, and are fractions at times", function()
    local u = ma.array({ 0, 1, 2 }, "uint8")
    local chosen = ma.fuse(function(x, k) return ma.where(x:gt(0), k, 1) end)
    local halved = ma.fuse(function(x, k) return ma.where(x:gt(0), k / 2, 1) end)
    local outside = 2
    local taken = ma.stencil(function(f) return ma.where(f(0):gt(0), outside, 1) end)
    local alone = ma.stencil(function() return outside end)
    for _, k in ipairs { 2, 0.5, 4, -0.0, 6, 0.25, -0.0, 8 } do
      outside = k
      local first = k % 1 == 0 and "uint8" or "float64"
      helper.identical(chosen(u, k), ma.array({ 1, k, k }, first), "argument " .. k)
      helper.identical(taken(u), ma.array({ 1, k, k }, first), "from outside " .. k)
      helper.identical(alone(u), ma.array({ k, k, k }, first), "alone " .. k)
      helper.identical(halved(u, 2 * k), ma.array({ 1, k, k }, first), "computed " .. k)
    end
  end)

  it("keep the sign of -0 beside a fraction, and have none beside whole numbers", function()
    local minus = -1 / math.huge
    local mask, whole = ma.array { true, false }, ma.array({ -5, 3 }, "int32")
    local y, z = 2.5, minus
    local forms = {
      apart = function(m) return ma.where(m, y, z) end,
      fused = ma.fuse(function(m) return ma.where(m, y, z) end),
      element = ma.fuse(function(m) if m then return y else return z end end),
    }
    local clipped = ma.fuse(function(a, low, high) return ma.clip(a, low, high) end)
    for _, pair in ipairs { { 2.5, minus }, { minus, 0.5 }, { 0.5, 0 }, { 2.5, minus } } do
      y, z = pair[1], pair[2]
      local label = ("%g, %g "):format(y, z)
      for name, f in pairs(forms) do
        local got = f(mask)
        assert.equal(y, got(1), label .. name)
        assert.equal(z, got(2), label .. name)
        assert.equal(1 / y < 0, ma.signbit(got)(1), label .. name)
        assert.equal(1 / z < 0, ma.signbit(got)(2), label .. name)
      end
    end
    for _, pair in ipairs { { 2.5, minus }, { 2, minus }, { minus, 3 }, { minus, 0.5 }, { 2, minus },
      { -0.5, minus } } do
      helper.identical(clipped(whole, pair[1], pair[2]), ma.clip(whole, pair[1], pair[2]))
    end
    assert.is_true(ma.signbit(ma.clip(whole, -0.5, minus))(2))
    assert.equal("int64", ma.where(mask, 1, minus).dtype)
    assert.is_true(ma.signbit(ma.where(mask, ma.complex(1, 2), minus).real)(2))
  end)

  it("that are results take the first field's dtype", function()
    local function three() return 3 end
    local function half(u) return u(0) == 9 and 0.5 or 0.5 end
    for _, first in ipairs { "uint8", "float32", "int64" } do
      local field = ma.array({ 0, 1, 2 }, first)
      for _, options in ipairs { {}, { plain = true } } do
        helper.identical(ma.stencil(three, options)(field), ma.full(3, 3, first))
        helper.identical(ma.stencil(half, options)(field), ma.full(3, 0.5, dtype_of(first, 0.5, 0)))
      end
      assert.equal(first, ma.fuse(three)(field).dtype)
      assert.equal(first, ma.fuse(function(x)
        local _ = x - x:mean()
        return 3
      end)(field).dtype)
    end
    assert.equal("int64", ma.fuse(three)(2).dtype)
  end)

  it("that the dtype does not hold are errors", function()
    local u = ma.array({ 0, 1, 2 }, "uint8")
    for _, fn in ipairs { function(f) return ma.where(f(0):gt(0), 300, 0) end, function() return 300 end,
        function(f) return f(0) > 0 and 300 or 0 end } do
      for _, options in ipairs { {}, { plain = true } } do
        assert.matches("300 does not fit uint8", fails(ma.stencil(fn, options), u))
      end
    end
    assert.matches("300 does not fit uint8", fails(ma.fuse(function() return 300 end), u))
    local function some(f)               -- a loop that makes C++ of the rule
      local n = 0
      while n < f(0) do n = n + 1 end
      return n
    end
    for _, fn in ipairs { function(f) return some(f) < 0 and 1 or -3 end, function(f) return some(f) and -3 end,
        function(f) return some(f) > 0 and -3 or f(0) end,
        function(f)
          if some(f) > 0 then return -3 end
          return 0
        end } do
      assert.matches("%-3 does not fit uint8", fails(ma.stencil(fn), u))
    end
    helper.identical(ma.stencil(function(f) return ma.where(some(f) > 1, 1e30, 0) end)(u), ma.array { 0, 0, 1e30 })
    assert.matches("%-3 does not fit uint8", fails(ma.vectorize(function(x) return x > 1 and -3 or x end), u))
    assert.equal("float64", ma.stencil(function(f) return f(0) > 0 and 1e30 or 0 end)(u).dtype)
  end)

  it("that come by variables are held by the dtype in C++ too, where they are read", function()
    local u = ma.array({ 0, 1, 2, 3 }, "uint8")
    local function counted(x)
      local n = 0
      while n < x do n = n + 1 end
      return n
    end
    local wrong = {
      function(x) local r = 0 if counted(x) > 1 then r = 300 end return r end,
      function(x) local r, s = 0, x for _ = 1, counted(x) do s = s + r r = 300 end return s end,
      function(x) local r = 0 if counted(x) > 1 then r = 300 end local s = r return s end,
      function(x) local best = 300 if counted(x) > 1 then best = math.min(best, x) end return best end,
      function(x) local r = 44 if counted(x) > 1 then r = 300 end return x == r and 1 or 0 end,
      function(x) local r = 0 if counted(x) > 1 then r = 300 end return x + r end,
      function(x) local r = x if counted(x) > 1 then r = 300 end return r end,
      function(x)
        local function chosen(c) if c then return 300 end return 0 end
        return chosen(counted(x) > 1)
      end,
    }
    for k, fn in ipairs(wrong) do
      assert.matches("300 does not fit uint8", fails(ma.fuse(fn), u), k)
      assert.matches("300 does not fit uint8", fails(ma.stencil(function(f) return fn(f(0)) end), u), k)
    end
    local right = {
      { function(x)
        local r = 300
        local n = counted(x) - r * 0
        r = 5
        return n > 1 and r or 0
      end, { 0, 0, 5, 5 }, "uint8" },
      { function(x)
        local r = 0
        local s = x + r
        if counted(x) > 9 then r = 300 end
        return r > 0 and 1 or s
      end, { 0, 1, 2, 3 }, "uint8" },
      { function(x) local r = 0 if counted(x) > 1 then r = 0.5 end return r end, { 0, 0, 0.5, 0.5 }, "float64" },
      { function(x) return counted(x) + 250 end, { 250, 251, 252, 253 }, "uint8" },
      { function(x) return counted(x) > 1 and 4 / 2 or 2.0 end, { 2, 2, 2, 2 }, "uint8" },
    }
    for k, case in ipairs(right) do
      helper.identical(ma.fuse(case[1])(u), ma.array(case[2], case[3]), k)
    end
  end)

  it("that come by parameters are held as if they stood where these do", function()
    local u, vec2 = ma.array({ 0, 1, 2, 3 }, "uint8"), ma.jit.vec2
    local function counted(x)
      local n = 0
      while n < x do n = n + 1 end
      return n
    end
    local function kept(r, leaves)
      if leaves then r = 1 end
      return r
    end
    local function passed(r, leaves) return kept(r, leaves) end
    local function sum(x, r) return x + r end
    local function chosen(c, a, b) return ma.where(c, a, b) end
    local function first(p) return p.x end
    local wrong = {
      function(x) return kept(300, counted(x) > 9) end,
      function(x) return passed(300, counted(x) > 9) end,
      function(x) return x + passed(300, counted(x) > 9) end,
      function(x) local k = 2 if counted(x) > 1 then k = 300 end return sum(x, k) end,
      function(x) return sum(x, counted(x) > 1 and 300 or 0) end,
      function(x) local k = 2 if counted(x) > 1 then k = 300 end return kept(k, x > 9) end,
      function(x) local k = 2 if counted(x) > 1 then k = 300 end return chosen(x > 1, k, 0) end,
      function(x)
        local k = 2
        if counted(x) > 1 then k = 300 end
        local function around() return x + k end
        return around()
      end,
      function(x) local p = vec2(0, 1) if counted(x) > 1 then p.x = 300 end return x + first(p) end,
    }
    for k, fn in ipairs(wrong) do
      assert.matches("300 does not fit uint8", fails(ma.fuse(fn), u), k)
      assert.matches("300 does not fit uint8", fails(ma.stencil(function(f) return fn(f(0)) end), u), k)
    end
    local right = ma.fuse(function(x)
      local k, n = 2, counted(x)
      if n > 1 then k = 5 end
      return sum(x, k) + kept(7, n > 2), n + passed(250, n > 9), kept(300, n > 9) + 0.5
    end)
    local a, b, c = right(u)
    helper.identical(a, ma.array({ 9, 10, 14, 9 }, "uint8"))
    helper.identical(b, ma.array({ 250, 251, 252, 253 }, "uint8"))
    helper.identical(c, ma.full(4, 300.5))
    local image = "300 does not fit uint8"
    assert.matches(image, fails(ma.ndimage.generic_filter, u, function(w) return kept(300, counted(w[1]) > 9) end, 1))
  end)

  it("are held by a declared dtype, and by that of an image", function()
    local u = ma.array({ 0, 1, 2, 3 }, "uint8")
    local function branching(x)                          -- a program, where the others are C++
      if x > 200 then return 1 elseif x > 150 then return 2 elseif x > 100 then return 3 elseif x > 50 then return 4 end
      return x > 1 and 300 or 0
    end
    local given = { function(x) return x and 300 end, function(x) return x > 1 and 300 or 0 end, branching,
      function(x) local r = 0 if x > 1 then r = 300 end return r end,
      function(x) if x > 1 then return 300 end return x end }
    for k, rule in ipairs(given) do
      for _, is_plain in ipairs { false, true } do
        local kernel = ma.jit.elementwisekernel(rule, { in_params = "uint8 x", out_params = "uint8 y",
          plain = is_plain })
        assert.matches("300 does not fit", fails(kernel, u), k)
        assert.matches("300 does not fit", fails(ma.ndimage.generic_filter, u, function(w) return rule(w[1]) end, 1,
          { plain = is_plain }), k)
      end
      if k < 5 then assert.equal(300, ma.vectorize(rule)(u)(3), k) end   -- which has dtypes of its own
    end
    local wide = ma.jit.elementwisekernel(function(x) return ma.int64(x) + 300 end, { in_params = "uint8 x",
      out_params = "uint8 y" })
    assert.same({ 44, 45, 46, 47 }, wide(u):totable())   -- no constant: it wraps around
  end)

  it("are whole up to 2^63 in every form", function()
    local u = ma.array({ 1, 2 }, "int64")
    local function loops(f) return function(x)
      local n = 0
      while n < x do n = n + 1 end
      return f(x)
    end end
    for _, number in ipairs { 2 ^ 53, 2 ^ 60, -2 ^ 63, 2 ^ 63 } do
      local function add(x) return x + number end
      local wanted = u + number
      helper.identical(ma.fuse(add)(u), wanted)
      helper.identical(ma.fuse(loops(add))(u), wanted)
      helper.identical(ma.vectorize(add)(u), wanted)
      helper.identical(ma.fuse(add, { plain = true })(u), wanted)
    end
    local function written(x) return x * 9007199254740992 + 2 ^ 60 end
    helper.identical(ma.vectorize(written)(u), u * 2 ^ 53 + 2 ^ 60)
    helper.identical(ma.fuse(loops(written))(u), u * 2 ^ 53 + 2 ^ 60)
    assert.equal("float64", ma.vectorize(function(x) return x + 2.0 end)(u).dtype)
    assert.matches("does not fit", fails(ma.fuse(loops(function(x) return x + 2 ^ 60 end)), ma.ones(2, "uint8")))
  end)

  it("of the library's own functions are as outside of a rule", function()
    local u = ma.array({ 0, 1, 2 }, "uint8")
    local function shifted(f) return f(0) + 0 * ma.fft.fftfreq(300)(2) end       -- which chooses 300 or 0 itself
    for _, options in ipairs { {}, { plain = true } } do
      helper.identical(ma.stencil(shifted, options)(u), u:astype(ma.stencil(shifted, options)(u).dtype))
    end
  end)
end)
