-- Functions of ma.vectorize, jit.elementwisekernel and ndimage.generic_filter as programs, which give the dtypes and
-- bits of the kernels that the translator prints, and need no compiler.

local helper = require "spec.helper"
local ma = helper.ma

local x8, x32 = ma.array({ 1, 2, -3, 100 }, "int8"), ma.array({ 0.5, -1.25, 3, 1e9 }, "float32")
local half, words = ma.array({ 0.5, 2, -3.3, 0.1 }, "float16"), ma.array({ 5, 0, 7, 200 }, "uint8")
for _, array in ipairs { x8, x32, half, words } do array:eval() end
local FLAG, FACTOR = true, 3
local double = ma.jit.device(function(v) return v * 2 end)

--- The function as a program, or as a kernel.
local function made(fn, as_program)
  local f = ma.vectorize(fn)
  if as_program then f.program.wanted = "always" else f.program.refused = "for its kernel" end
  return f
end

local functions = {
  { "arithmetic", function(x, y) return x * 2 + y, -(x - y), x / y, x % y end },
  { "constants and remainders", function(x, _) return 7 - x / 2, x % 3, x % -2.5, x ^ 2 + x * 0.1 end },
  { "branches with results of several types", function(x, _)
    if x > 1 then return x elseif x > 0 then return 0.5 end
    return 1
  end },
  { "constants of several types", function(x, _)
    return x > 1 and 1 or 0.5, (x > 1 and 1 or 0) * x, x > 0 and x or 7
  end },
  { "locals that are widened", function(x, y)
    local sum, most = 0, 0.0
    for k = 1, 3 do
      sum = sum + x * k
      if sum > 5 then break end
    end
    if x > y then most = x end
    return sum, most
  end },
  { "locals without a value", function(x, _)
    local found
    if x > 1 then found = 3 end
    return found
  end },
  { "loops and booleans", function(x, y)
    local any = false
    for k = 4, 1, -1 do any = any or x * k == y or k == 2 and not (x < 1 or x == 7) end
    return any, x ~= y
  end },
  { "functions inside", function(x, y)
    local function most(a, b)
      if a > b then return a end
      return b
    end
    return most(x, 2) + most(1, y), double(x) + double(y)
  end },
  { "constants from outside", function(x, _)
    if FLAG then return x * FACTOR end
    return 0.5
  end },
  { "mathematics", function(x, y)
    return math.max(x, y, 2), math.min(2, x), math.floor(x / 2), math.abs(x)
  end },
  { "more of it", function(x, y) return math.sqrt(math.abs(x)), math.fmod(x, y), math.ceil(x), math.rad(x) end },
  { "casts", function(x, _) return ma.float32(x) / 3, ma.int16(x), ma.bool(x), ma.float64(x > 1) end },
}

describe("functions over elements as programs", function()
  for _, case in ipairs(functions) do
    it("give what their kernels give: " .. case[1], function()
      local program, kernel = made(case[2], true), made(case[2], false)
      for _, pair in ipairs { { x8, words }, { x32, half }, { words, 2 } } do
        local got, wanted = { program(pair[1], pair[2]) }, { kernel(pair[1], pair[2]) }
        assert.is_false(program.program.refused)
        for k = 1, #wanted do
          assert.equal(wanted[k].dtype, got[k].dtype)
          ma.testing.assert_array_equal(got[k], wanted[k])
        end
      end
    end)
  end

  it("stay kernels where elements decide how often a loop runs", function()
    local f = ma.vectorize(function(x)
      local n = 0
      while x > 1 do x, n = x / 2, n + 1 end
      return n
    end)
    assert.same({ 0, 1, 2, 3 }, f(ma.array { 1, 2, 4, 8 }):totable())
    assert.matches("how often a loop runs", f.program.refused)
  end)

  it("follow what they take from outside, and arguments that broadcast", function()
    local limit = 1
    local f = ma.vectorize(function(x, y)
      if x > 9 then return 9 elseif x > limit then return x elseif y > 7 then return 7 elseif x < -9 then return -9 end
      return 0
    end)
    local x, y = ma.array { -20, 2, 20 }, ma.array { { 0 }, { 8 } }
    assert.same({ { -9, 2, 9 }, { 7, 2, 9 } }, f(x, y):totable())
    assert.is_false(f.program.refused)
    limit = 3
    assert.same({ { -9, 0, 9 }, { 7, 7, 9 } }, f(x, y):totable())
    local first = made(function(a) return a end, true)
    assert.same({ 3 }, first(ma.ones(3)).shape)
    local left = made(function(a, b) if b > 2 then return a end return a end, true)
    assert.same({ 2, 3 }, left(ma.ones(3), ma.ones { 2, 1 }).shape)
    assert.error_matches(function() f(x, y, { out = ma.zeros({ 2, 3 }, "float32") }) end,
      "y1 is float32; wanted float64")
    local out = ma.zeros { 2, 3 }
    assert.equal(out, f(x, y, { out = out }))
    assert.same({ { -9, 0, 9 }, { 7, 7, 9 } }, out:totable())
  end)

  it("become a part of fused functions and stencils", function()
    local clip = ma.vectorize(function(x) if x > 1 then return 1 end return x end)
    assert.same({ 2, 1.5 }, ma.fuse(function(x) return clip(x) + 1 end)(ma.array { 3, 0.5 }):totable())
    local shifted = ma.stencil(function(u) return clip(u(1)) end, { boundary = "nearest" })
    assert.same({ 1, 0.5, 0.5 }, shifted(ma.array { 0, 3, 0.5 }):totable())
    local halve = ma.vectorize(function(x) while x > 1 do x = x / 2 end return x end)
    assert.error_matches(function() ma.fuse(function(x) return halve(x) end)(ma.ones(2)) end, "no program")
  end)

  it("run without a compiler", function()
    local script, cache = os.tmpname(), os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write [[
      local ma = require "moonarray"
      local f = ma.vectorize(function(x) if x > 1 then return math.exp(x) end return x end)
      print(f(ma.array { 0.5, 2 }), f(ma.array({ 0, 1 }, "int8")))
      print(ma.ndimage.generic_filter({ 1, 5, 2 }, function(w) return math.max(w[1], w[2], w[3]) end, 3))
      print(pcall(ma.vectorize(function(x) while x > 1 do x = x / 2 end return x end), ma.ones(2)))
    ]]
    file:close()
    os.remove(cache)
    local pipe = io.popen(("lua=$(command -v '%s'); MOONARRAY_DEVICE=cpu MOONARRAY_CACHE_DIR='%s' CXX= PATH=/nowhere "
      .. "\"$lua\" '%s' 2>&1"):format(os.getenv "LUAJIT" or "luajit", cache, script))
    local text = pipe:read "*a"
    pipe:close()
    os.remove(script)
    assert.matches("%[0.5 +7.389056", text)
    assert.matches("%[0 +1.? *%]", (text:gsub("0%. 1%.", "0 1")))
    assert.matches("%[5%. 5%. 5%.%]", text)
    assert.matches("no C%+%+ compiler was found", text)
    assert.matches("no program: line 5: how often a loop runs depends on elements", text)
  end)

  it("have declared types", function()
    local function rule(x, y)
      if x > y then return x - y, true end
      return y / 2, false
    end
    local types = { in_params = "T x, T y", out_params = "T a, uint8 b" }
    local program, kernel = ma.jit.elementwisekernel(rule, types), ma.jit.elementwisekernel(rule, types)
    program.program.wanted, kernel.program.refused = "always", "for its kernel"
    for _, pair in ipairs { { x8, 2 }, { x32, x32 * 0 + 0.5 }, { words, 7 } } do
      local a, b = program(pair[1], pair[2])
      local c, d = kernel(pair[1], pair[2])
      assert.is_false(program.program.refused)
      assert.same({ c.dtype, "uint8" }, { a.dtype, b.dtype })
      ma.testing.assert_array_equal(a, c)
      ma.testing.assert_array_equal(b, d)
    end
    assert.error_matches(function() program(x8, x32) end, "both are declared T")
    program(x8, x8)
    assert.is_false(program.program.refused)
  end)

  it("take device functions, and functions of Lua that they call", function()
    local limit = 1
    local function clipped(v)
      if v > limit then return limit end
      return v
    end
    local x = ma.array { 0.5, 3 }
    local of_device = ma.jit.device(function(v) return clipped(v) * 2 end)
    for _, plain in ipairs { false, true } do
      limit = 1
      local f = ma.vectorize(of_device, { plain = plain })
      local k = ma.jit.elementwisekernel(of_device, { plain = plain })
      local fused, s = ma.fuse(of_device, { plain = plain }), ma.stencil(function(u) return of_device.fn(u(0)) end)
      assert.same({ 1, 2 }, f(x):totable())
      limit = 2
      for _, form in ipairs { f, k, fused, s } do assert.same({ 1, 4 }, form(x):totable()) end
      assert.same({ 1, 4 }, ma.ndimage.generic_filter(x, ma.jit.device(function(w) return clipped(w[1]) * 2 end), 1,
        { plain = plain }):totable())
      assert.equal(2.5, ma.jit.reductionkernel { map = function(v) return clipped(v) end, plain = plain,
        reduce = ma.jit.device(function(a, b) return a + b end) }(x):item())
    end
    local halvings = ma.vectorize(function(v)
      local n = 0
      while v > clipped(3) do v, n = v / 2, n + 1 end
      return n
    end)
    assert.same({ 0, 1 }, halvings(x):totable())
    limit = 1
    assert.same({ 0, 2 }, halvings(x):totable())
  end)

  it("take functions of windows", function()
    local image = ((ma.arange(30) * 7) % 11):reshape(5, 6):astype "float32"
    local function edge(w, least)
      local d = w[6] - w[4]
      if d > least then return 1 elseif d < -least then return -1 end
      return w[5] / #w
    end
    local plain = ma.ndimage.generic_filter(image, edge, 3, { extra_arguments = { 2 }, plain = true })
    ma.testing.assert_array_equal(ma.ndimage.generic_filter(image, edge, 3, { extra_arguments = { 2 } }), plain)
  end)

  it("choose by ma.where as by `and` and `or`, in programs and in C++", function()
    local rules = {
      { function(v) return ma.where(v > 1, 1, 0) end, function(v) return v > 1 and 1 or 0 end },
      { function(v) return ma.where(v > 1, v * 2, 0.5) end, function(v) return v > 1 and v * 2 or 0.5 end },
      { function(v) return ma.where(v > 1, v == 2, v == 0) end,
        function(v) return (v > 1 and v == 2) or (v <= 1 and v == 0) end },
      { function(v)
        local n = 0
        while n < v do n = n + ma.where(n > 1, 2, 1) end
        return n
      end, function(v)
        local n = 0
        while n < v do n = n + (n > 1 and 2 or 1) end
        return n
      end },
    }
    for _, dtype in ipairs { "uint8", "float32", "int64" } do
      local x = ma.array({ 0, 1, 2, 3, 5 }, dtype)
      for k, pair in ipairs(dtype == "uint8" and rules or { rules[1], rules[2] }) do
        for _, options in ipairs { {}, { plain = true } } do
          helper.identical(ma.vectorize(pair[1], options)(x), ma.vectorize(pair[2])(x), dtype .. " " .. k)
          helper.identical(ma.jit.elementwisekernel(pair[1], options)(x), ma.vectorize(pair[2])(x), dtype .. " " .. k)
        end
      end
      ma.testing.assert_array_equal(ma.ndimage.generic_filter(x, function(w) return ma.where(w[1] > 1, w[2], 9) end, 3),
        ma.ndimage.generic_filter(x, function(w) return w[1] > 1 and w[2] or 9 end, 3))
    end
    assert.matches("the condition of 'ma.where' is a float64; wanted a boolean",
      helper.fails(ma.vectorize(function(v) return ma.where(v, 1, 0) end), ma.ones(2)))
  end)
end)
