--- Random programs of the kernels' subset, run under LuaJIT itself over tables and as kernels over arrays: the results are the same,
-- to the bit but for the sign of zero (an int64 has none). What is left out is what Lua and integers do differently: x / 0 and x % 0.

local helper = require "spec.helper"
local ma = helper.ma

local N, PROGRAMS = 6, 8

--- A writer of one function (x, a, y, b, n): x and y hold floats, a and b whole numbers.
local function writer(random)
  local w = { lines = {}, indent = 1, count = 0, floats = {}, ints = {}, loops = 0, budget = 40 }
  local function pick(...) return (select(random(1, select("#", ...)), ...)) end
  local function one_of(list) return list[random(1, #list)] end
  local function line(text) w.lines[#w.lines + 1] = ("  "):rep(w.indent) .. text end
  local function fresh(prefix)
    w.count = w.count + 1
    return prefix .. w.count
  end
  local int, float, test

  local function position()
    if random(1, 3) == 1 then return tostring(random(1, N)) end
    return ("(%s %% n + 1)"):format(int(1))
  end

  function int(depth)
    local kind = depth <= 0 and random(1, 3) or random(1, 11)
    if kind == 1 then return tostring(random(0, 1000)) end
    if kind == 2 then return #w.ints > 0 and one_of(w.ints) or "n" end
    if kind == 3 then return depth <= 0 and "a[" .. random(1, N) .. "]" or "a[" .. position() .. "]" end
    if kind <= 5 then return ("(%s %s %s)"):format(int(depth - 1), pick("+", "-"), int(depth - 1)) end
    if kind == 6 then return ("(%s %% 1000 * (%s %% 1000))"):format(int(depth - 1), int(depth - 1)) end
    if kind == 7 then return ("(%s %% %d)"):format(int(depth - 1), pick(-7, 3, 10, 64, -100)) end
    if kind == 8 then return ("(%s %% (math.abs(%s) + 1))"):format(int(depth - 1), int(depth - 1)) end
    if kind == 9 then return ("(%s and %s or %s)"):format(test(depth - 1), int(depth - 1), int(depth - 1)) end
    if kind == 10 then return ("math.%s(%s, %s)"):format(pick("min", "max"), int(depth - 1), int(depth - 1)) end
    return ("(-%s)"):format(int(depth - 1))
  end

  function float(depth)
    local kind = depth <= 0 and random(1, 3) or random(1, 13)
    if kind == 1 then return ("%.3f"):format(random(0, 4000) / 512) end
    if kind == 2 then return #w.floats > 0 and one_of(w.floats) or "x[1]" end
    if kind == 3 then return depth <= 0 and "x[" .. random(1, N) .. "]" or "x[" .. position() .. "]" end
    if kind <= 6 then return ("(%s %s %s)"):format(float(depth - 1), pick("+", "-", "*"), pick(float, int)(depth - 1)) end
    if kind == 7 then return ("(%s %s (math.abs(%s) + 0.5))"):format(pick(float, int)(depth - 1), pick("/", "%"), pick(float, int)(depth - 1)) end
    if kind == 8 then return ("math.sqrt(math.abs(%s))"):format(pick(float, int)(depth - 1)) end
    if kind == 9 then return ("math.%s(%s)"):format(pick("floor", "ceil"), float(depth - 1)) end
    if kind == 10 then return ("(%s and %s or %s)"):format(test(depth - 1), float(depth - 1), pick(float, int)(depth - 1)) end
    if kind == 11 then return ("(%s / %d)"):format(int(depth - 1), pick(2, 3, 7, -5)) end
    if kind == 12 then return ("(%s) ^ 2"):format(float(depth - 1)) end
    return ("(-%s)"):format(float(depth - 1))
  end

  function test(depth)
    local kind = depth <= 0 and 1 or random(1, 6)
    if kind == 1 then return ("(%s %s %s)"):format(int(0), pick("<", "<=", ">", ">=", "==", "~="), int(0)) end
    if kind == 2 then return ("(%s %s %s)"):format(float(depth - 1), pick("<", "<=", ">", ">="), pick(float, int)(depth - 1)) end
    if kind == 3 then return ("(%s and %s)"):format(test(depth - 1), test(depth - 1)) end
    if kind == 4 then return ("(%s or %s)"):format(test(depth - 1), test(depth - 1)) end
    if kind == 5 then return ("(%s and %s == %s or %s)"):format(test(depth - 1), int(0), int(0), test(depth - 1)) end
    return ("not (%s)"):format(test(depth - 1))
  end

  local block

  local function inner(depth, loops)
    local floats, ints, before = #w.floats, #w.ints, w.loops
    w.indent, w.loops = w.indent + 1, w.loops + loops
    block(depth)
    if w.loops > 0 and random(1, 4) == 1 then line(("if %s then break end"):format(test(1))) end
    w.indent, w.loops = w.indent - 1, before
    while #w.floats > floats do table.remove(w.floats) end
    while #w.ints > ints do table.remove(w.ints) end
  end

  local function bounded(text) return ("(%s) %% 1000003"):format(text) end

  local statements = {
    function() local value = float(3) local name = fresh "f" line(("local %s = %s"):format(name, "0.0 + " .. value)) table.insert(w.floats, name) end,
    function() local value = int(3) local name = fresh "i" line(("local %s = %s"):format(name, bounded(value))) table.insert(w.ints, name) end,
    function() line(("y[%s] = %s"):format(position(), pick(float, int)(3))) end,
    function() line(("b[%s] = %s"):format(position(), int(3))) end,
    function() if #w.floats > 0 then line(("%s = %s"):format(one_of(w.floats), float(3))) end end,
    function() if #w.ints > 0 then line(("%s = %s"):format(one_of(w.ints), bounded(int(3)))) end end,
    function() if #w.floats > 1 then line(("%s, y[%s] = %s, %s"):format(w.floats[1], position(), float(2), w.floats[1])) end end,
    function(depth)
      line(("if %s then"):format(test(2)))
      inner(depth, 0)
      if random(1, 2) == 1 then line(("elseif %s then"):format(test(2))) inner(depth, 0) end
      if random(1, 2) == 1 then line "else" inner(depth, 0) end
      line "end"
    end,
    function(depth)
      local name = fresh "k"
      line(("for %s = %s do"):format(name, pick("1, n", "n, 1, -1", "3, 1", "1, 5, 2", "-2, 3", "1, n / 4", "n, 0, 1 - n", "1, n % 4 + 1, n % 2 + 1")))
      table.insert(w.ints, name)
      inner(depth, 1)
      for k = #w.ints, 1, -1 do
        if w.ints[k] == name then table.remove(w.ints, k) end
      end
      line "end"
    end,
    function(depth)
      local name = fresh "g"
      line(("for %s = %s do"):format(name, pick("0.5, 3", "1, 2.5, 0.25", "2, 0.1, -0.3", "x[2] * 0 + 1, 3")))
      table.insert(w.floats, name)
      inner(depth, 1)
      for k = #w.floats, 1, -1 do
        if w.floats[k] == name then table.remove(w.floats, k) end
      end
      line "end"
    end,
    function(depth)
      local name = fresh "c"
      line(("local %s = 0"):format(name))
      line(("while %s < %d and %s do"):format(name, random(1, 4), test(1)))
      line(("  %s = %s + 1"):format(name, name))
      inner(depth, 1)
      line "end"
    end,
    function(depth)
      local name = fresh "c"
      line(("local %s = %d"):format(name, random(0, 3)))
      line "repeat"
      line(("  local last = %s"):format(name))
      line(("  %s = %s - 1"):format(name, name))
      inner(depth, 1)
      line(("until last <= 0 or %s"):format(test(1)))
    end,
    function() if random(1, 3) == 1 then line(("if %s then return end"):format(test(2))) end end,
    function() line(("y[1] = mix(%s, %s)"):format(float(2), int(2))) end,
  }

  function block(depth)
    for _ = 1, random(1, 5) do
      w.budget = w.budget - 1
      if w.budget < 0 then return end
      local at = random(1, #statements)
      if depth > 0 or at <= 7 then statements[at](depth - 1) end
    end
  end

  for _ = 1, 4 do block(3) end
  return table.concat(w.lines, "\n")
end

local MIX = "function mix(p, q) if q % 2 == 0 then return p end return q / 4 + p end"

local function program(random)
  local sources, calls = {}, {}
  for k = 1, PROGRAMS do
    sources[k] = ("function p%d(x, a, y, b, n)\n%s\nend"):format(k, writer(random))
    calls[k] = ("  p%d(x, a, y[%d], b[%d], n)"):format(k, k, k)
  end
  return sources, "function run(x, a, y, b, n)\n" .. table.concat(calls, "\n") .. "\nend"
end

local function inputs(random)
  local x, a, y, b = {}, {}, {}, {}
  for k = 1, N do
    x[k], a[k] = random(-4000, 4000) / 512, random(-1000, 1000)
  end
  for k = 1, PROGRAMS do
    y[k], b[k] = {}, {}
    for i = 1, N do y[k][i], b[k][i] = -1.5, -7 end
  end
  return x, a, y, b
end

local function same(p, q) return p == q or (p ~= p and q ~= q) end

describe("jit", function()
  it("runs random programs as LuaJIT does", function()
    for round = 1, helper.long and 60 or 3 do
      local random = helper.random(7000 + round)
      local sources, main = program(random)
      local x, a, y, b = inputs(random)
      local constants = { mix = ma.jit.device(MIX) }
      local devices = {}
      for k, source in ipairs(sources) do devices["p" .. k] = ma.jit.device(source, { constants = constants }) end
      local kernel = ma.jit.rawkernel(main, { constants = devices })
      local dx, da = ma.array(x, "float64"), ma.array(a, "int64")
      local dy, db = ma.array(y, "float64"), ma.array(b, "int64")
      kernel(1, 1, { dx, da, dy, db, N })

      local environment = { math = math }
      for _, source in ipairs(sources) do setfenv(assert(loadstring(source)), environment)() end
      setfenv(assert(loadstring(MIX)), environment)()
      setfenv(assert(loadstring(main)), environment)()
      environment.run(x, a, y, b, N)

      local gy, gb = dy:get():totable(), db:get():totable()
      for k = 1, PROGRAMS do
        for i = 1, N do
          if not (same(y[k][i], gy[k][i]) and same(b[k][i], gb[k][i])) then
            error(("SEED=%d round %d program %d, element %d: y %.17g and %.17g, b %s and %s\n%s\n%s"):format(helper.seed, round, k, i,
              y[k][i], gy[k][i], tostring(b[k][i]), tostring(gb[k][i]), sources[k],
              "x = {" .. table.concat(x, ", ") .. "} a = {" .. table.concat(a, ", ") .. "}"))
          end
        end
      end
    end
  end)
end)
