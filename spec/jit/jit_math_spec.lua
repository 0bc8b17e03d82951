-- Mathematics in kernels written in Lua, against LuaJIT's own: transcendentals within a few ulp, what is exact to the
-- bit.
local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma
local own, jit = jit, ma.jit

local random = helper.random(77)
local bits = ffi.new("union { double x; int64_t i; }")
local function ordered(x)
  bits.x = x
  return bits.i < 0 and -9223372036854775807LL - 1 - bits.i or bits.i
end

local function same(a, b) return a == b or (a ~= a and b ~= b) end

--- Are they the same, or `most` units in the last place from each other?
local function near(got, want, most)
  if same(got, want) then return true end
  if got ~= got or want ~= want or math.abs(want) == math.huge or math.abs(got) == math.huge then return false end
  local d = ordered(got) - ordered(want)
  return (d < 0 and -d or d) <= most
end

--- A kernel of one expression in `a` and `b` for all pairs at once.
local function run(expression, list_a, list_b, dtype)
  local k = jit.rawkernel(("function(x, y, out) local i = jit.grid(1) if i <= #x then local a, b = x[i], y[i] " ..
    "out[i] = %s end end"):format(expression))
  local x, y, out = ma.array(list_a, dtype or "float64"), ma.array(list_b, dtype or "float64"), ma.zeros(#list_a)
  k(math.ceil(#list_a / 64), 64, { x, y, out })
  return out:get():totable()
end

local function check(expression, list_a, list_b, most, dtype)
  -- What LuaJIT does not settle goes by docs/jit.md: on ARM it multiplies and subtracts with one rounding, and min and
  -- max of NaN depend on whether their call is compiled.
  local wanted = expression:gsub("math%.min%(a, b%)", "(b < a and b or a)")
    :gsub("math%.max%(a, b%)", "(b > a and b or a)")
  if own.arch ~= "x64" then wanted = wanted:gsub("a %% b", "(a - math.floor(a / b) * b)") end
  local fn = assert(loadstring("local a, b = ... return " .. wanted))
  if own.arch ~= "x64" and expression:find("%", 1, true) then own.off(fn) end
  local got = run(expression, list_a, list_b, dtype)
  for k = 1, #list_a do
    local want = fn(list_a[k], list_b[k])
    if not near(got[k], want, most) then
      error(("%s of a = %.17g, b = %.17g: %.17g; wanted %.17g (SEED=%d)"):format(expression, list_a[k], list_b[k],
        got[k], want, helper.seed))
    end
  end
end

local function numbers(n, low, high)
  local list = {}
  for k = 1, n do list[k] = low + random() * (high - low) end
  return list
end

describe("mathematics in a jit kernel", function()
  local N = 400

  it("transcendentals are LuaJIT's within a few ulp", function()
    local unit, small, wide, positive = numbers(N, -1, 1), numbers(N, -20, 20), numbers(N, -700, 700), numbers(N, 0, 50)
    for k = 1, 20 do positive[k] = 10 ^ random(-300, 300) end
    local expressions, columns = {}, {}
    for _, name in ipairs { "asin", "acos" } do
      expressions[#expressions + 1], columns[#columns + 1] = ("math.%s(a)"):format(name), unit
    end
    for _, name in ipairs { "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh" } do expressions[#expressions + 1],
      columns[#columns + 1] = ("math.%s(a)"):format(name), small end
    for _, name in ipairs { "log", "log10", "sqrt" } do
      expressions[#expressions + 1], columns[#columns + 1] = ("math.%s(a)"):format(name), positive
    end
    expressions[#expressions + 1], columns[#columns + 1] = "math.exp(a)", wide
    for k, expression in ipairs(expressions) do check(expression, columns[k], small, 4) end
    check("math.atan2(a, b)", small, unit, 4)
    check("math.pow(a, b)", positive, small, 4)
    check("a ^ b", positive, unit, 4)
    check("math.fmod(a, b)", wide, small, 0)
  end)

  local inf, nan = math.huge, 0 / 0
  local edges = { 0, -0.0, 1, -1, 0.5, -2.5, 3, -7, 1e300, -1e300, 5e-324, inf, -inf, nan, 2 ^ 53, -(2 ^ 31) }
  local a, b = {}, {}
  for _, x in ipairs(edges) do
    for _, y in ipairs(edges) do a[#a + 1], b[#b + 1] = x, y end
  end

  it("arithmetic of floats is LuaJIT's to the bit, at zero and infinity too", function()
    for _, expression in ipairs { "a + b", "a - b", "a * b", "a / b", "a % b", "-a", "math.min(a, b)", "math.max(a, b)",
      "math.floor(a)",
      "math.ceil(a)", "math.abs(a)",
      "math.sqrt(a)" } do
      check(expression, a, b, 0)
    end
  end)

  it("whole numbers: min, max, and x / 0 as Lua has it; x % 0 is 0", function()
    local wholes, others = {}, {}
    for k = 1, N do wholes[k], others[k] = random(-1000, 1000), random(-10, 10) end
    for _, expression in ipairs { "math.min(a, b)", "math.max(a, b)", "math.max(a, b, 3)", "a / b",
      "b ~= 0 and a % b or 0", "a * b - a",
      "math.min(a, 2)", "math.floor(a)" } do
      check(expression, wholes, others, 0, "int64")
    end
    assert.are.same({ 0, 0, 0 }, run("a % b", { 5, -5, 0 }, { 0, 0, 0 }, "int64"))
  end)

  it("modf, frexp and ldexp, with both results", function()
    check("(math.modf(a))", a, b, 0)
    check("(math.frexp(a))", a, b, 0)
    local k = jit.rawkernel([[function(x, whole, part, mantissa, exponent, back)
      local i = jit.grid(1)
      if i > #x then return end
      local w, p = math.modf(x[i])
      local m, e = math.frexp(x[i])
      whole[i], part[i], mantissa[i], exponent[i], back[i] = w, p, m, e, math.ldexp(m, e)
    end]])
    local values = {}
    for _, x in ipairs(edges) do values[#values + 1] = x end
    for _, x in ipairs(numbers(200, -1000, 1000)) do values[#values + 1] = x end
    local x, out = ma.array(values), {}
    for c = 1, 5 do out[c] = ma.zeros(#values) end
    k(math.ceil(#values / 64), 64, { x, unpack(out) })
    for c = 1, 5 do out[c] = out[c]:get():totable() end
    for i, v in ipairs(values) do
      local w, p = math.modf(v)
      local m, e = math.frexp(v)
      local finite = v - v == 0
      assert(same(out[1][i], w) and same(out[2][i], p), ("modf %.17g: %.17g %.17g"):format(v, out[1][i], out[2][i]))
      assert(same(out[3][i], m) and (not finite or out[4][i] == e) and same(out[5][i], v),
        ("frexp %.17g: %.17g %g"):format(v, out[3][i], out[4][i]))
    end
    assert.are.same({ 0.75, 0, inf }, run("math.ldexp(a, b)", { 3, 1, 1 }, { -2, -3000, 3000 }))
  end)

  it("a call that two results are made of is done once", function()
    local k = jit.rawkernel "function(x) local w, p = math.modf(jit.atomic_add(x, 1, 1)) x[2] = w x[3] = p end"
    local x = ma.array { 2.5, 0, 0 }
    k(1, 1, { x })
    assert.are.same({ 3.5, 2, 0.5 }, x:get():totable())
  end)

  it("too many C parameters are an error of the kernel's own", function()
    local names, args = {}, {}
    for k = 1, 65 do names[k], args[k] = "x" .. k, k end
    local k = jit.rawkernel("function(" .. table.concat(names, ", ") .. ") end", { name = "many" })
    local ok, message = pcall(k, 1, 1, args)
    assert.is_false(ok)
    assert.is_truthy(message:find("moonarray.jit.many: 65 C parameters", 1, true), message)
  end)

  it("is shown by ma.help, as are the words of the language", function()
    local functions = helper.core.functions
    for name in pairs(jit) do
      if type(jit[name]) == "function" and not name:find("_$") then assert(functions["jit." .. name], name) end
    end
  end)
end)
