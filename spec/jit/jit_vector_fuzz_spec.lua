-- Random functions over vectors: in ma.fuse, in the plain form and in a kernel they give what Lua's numbers give.

local helper = require "spec.helper"

local ma = helper.ma
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local PARAMS, N = { "a", "b", "c", "d" }, 24
local KERNELS, PROGRAMS = helper.long and 150 or 6, helper.long and 1500 or 60

-- ==== Programs ===================================================================================================

--- A writer of random functions. `shares`: two names may be one vector. Vectors are v2 and w2 (of two numbers), v3 and
--- w3; numbers p and q, and parameters.
local function new_writer(random, shares)
  local W = { functions = {}, shares = shares }
  local function pick(list) return list[random(1, #list)] end
  local vector, number

  local function letters(size, n)
    local text = ""
    for _ = 1, n do
      local k = random(1, size)
      text = text .. ("xyz"):sub(k, k)
    end
    return text
  end

  function number(deep)
    local kind = deep > 2 and random(1, 3) or random(1, 10)
    local size = random(2, 3)
    if kind == 1 then return pick { "0.5", "2", "-1.25", "3" } end
    if kind == 2 then return pick(PARAMS) end
    if kind == 3 then return pick { "p", "q" } end
    if kind == 4 then return ("%s.%s"):format(pick { "v", "w" } .. size, letters(size, 1)) end
    if kind == 5 then return ("%s%d[%d]"):format(pick { "v", "w" }, size, random(1, size)) end
    if kind == 6 then return ("%s:dot(%s)"):format(pick { "v", "w" } .. size, vector(size, deep + 1)) end
    if kind == 7 then return ("(%s):length()"):format(vector(size, deep + 1)) end
    if kind == 8 then return ("(%s):distance(%s)"):format(vector(size, deep + 1), vector(size, deep + 1)) end
    return ("(%s %s %s)"):format(number(deep + 1), pick { "+", "-", "*" }, number(deep + 1))
  end

  function vector(size, deep)
    local kind = deep > 2 and random(1, 2) or random(1, 12)
    local name = "jit.vec" .. size
    if kind == 1 then return pick { "v", "w" } .. size end
    if kind == 2 then
      local list = {}
      for k = 1, size do list[k] = number(deep + 1) end
      return ("%s(%s)"):format(name, table.concat(list, ", "))
    end
    if kind == 3 then return ("%s.%s"):format(pick { "v", "w" } .. random(2, 3), letters(2, size)) end
    if kind == 4 then return ("(%s %s %s)"):format(vector(size, deep + 1), pick { "*", "/" }, number(deep + 1)) end
    if kind == 5 then return ("(%s %s %s)"):format(number(deep + 1), pick { "*", "+" }, vector(size, deep + 1)) end
    if kind == 6 then return "-" .. vector(size, 3) end
    if kind == 7 and size == 3 then return ("%s:cross(%s)"):format(pick { "v3", "w3" }, vector(3, deep + 1)) end
    if kind == 8 then return ("%s(%s)"):format(name, number(deep + 1)) end
    if kind == 9 and #W.functions > 0 then
      local call = ("%s(%s, %s)"):format(pick(W.functions), vector(2, deep + 1), number(deep + 1))
      return call .. (size == 3 and ".xyy" or "")
    end
    if kind == 10 then
      return ("%s(%s and %s or %s)"):format(name, W.test(deep + 1), vector(size, deep + 1), vector(size, deep + 1))
    end
    return ("(%s %s %s)"):format(vector(size, deep + 1), pick { "+", "-", "*" }, vector(size, deep + 1))
  end

  function W.test(deep)
    local kind = random(1, 6)
    if kind == 1 then return ("%s == %s"):format(vector(2, deep + 1), vector(2, 3)) end
    if kind == 2 then return ("(%s > %s and %s < %s)"):format(number(2), number(2), number(2), number(2)) end
    return ("%s %s %s"):format(number(deep + 1), pick { "<", ">", "<=", ">=", "~=" }, number(2))
  end

  local function block(deep)
    local list = {}
    for k = 1, random(1, 3) do list[k] = W.statement(deep + 1) end
    return table.concat(list, " ")
  end

  function W.statement(deep)
    local kind, size = random(1, deep > 2 and 7 or 11), random(2, 3)
    local name = pick { "v", "w" } .. size
    if kind == 1 and W.shares then return ("%s%d = %s%d"):format(pick { "v", "w" }, size, pick { "v", "w" }, size) end
    if kind == 2 and W.shares then
      return ("%s = %s and %s or %s"):format(name, W.test(1), vector(size, 2), vector(size, 2))
    end
    if kind <= 3 then return ("%s = %s%s"):format(name, vector(size, 0), pick { " * 1", " - 0", " + 0" }) end
    if kind == 4 then return ("%s.%s = %s"):format(name, letters(size, 1), number(0)) end
    if kind == 5 then return ("%s.%s = %s"):format(name, pick { "xy", "yx" }, vector(2, 1)) end
    if kind == 6 then return ("%s = %s"):format(pick { "p", "q" }, number(0)) end
    if kind == 7 then
      return ("v%d, w%d = jit.vec%d(w%d), v%d * 1"):format(size, size, size, size, size)
    end
    if kind == 8 then
      return ("if %s then %s else %s end"):format(W.test(0), block(deep), block(deep))
    end
    if kind == 9 then return ("for _ = 1, %d do %s end"):format(random(1, 3), block(deep)) end
    if kind == 10 then return ("if %s then %s end"):format(W.test(0), block(deep)) end
    return ("for k = 1, 3 do if %s then break end %s end"):format(W.test(1), block(deep))
  end

  function W.program()
    local lines = { "local p, q = a * 0.5, b - c", "local v2, w2 = jit.vec2(a, b), jit.vec2(0, 1)",
      "local v3, w3 = jit.vec3(v2, c), jit.vec3(d, 1, a)" }
    if random(1, 2) == 1 then
      lines[#lines + 1] = ("local function f(v2, s) local w2 = v2 * s local v3, w3, p, q = jit.vec3(v2, s), "
        .. "jit.vec3(s), s, a return %s end"):format(vector(2, 1))
      W.functions = { "f" }
    end
    for _ = 1, random(2, 5) do lines[#lines + 1] = W.statement(0) end
    lines[#lines + 1] = "return v2.x + w2.y + (a - a), v2.y - w2.x + (a - a), v3.x + w3.z + p, v3:dot(w3) + q + (b - b)"
    return table.concat(lines, "\n  ")
  end
  return W
end

-- ==== Runs =======================================================================================================

local random = helper.random(11)
local inputs = {}
for k = 1, #PARAMS do
  inputs[k] = {}
  for j = 1, N do inputs[k][j] = j < 4 and k % 3 or math.floor(random() * 32 - 16) / 4 end
end

--- What a function gives for Lua's numbers, by its results.
local function golden(fn)
  local lists = { {}, {}, {}, {} }
  for j = 1, N do
    local given = {}
    for k = 1, #PARAMS do given[k] = inputs[k][j] end
    for r, value in ipairs { fn(unpack(given)) } do lists[r][j] = value end
  end
  return lists
end

local function check(found, expected, what)
  for r = 1, 4 do helper.same_numbers(found[r]:totable(), expected[r], what .. ", result " .. r) end
end

--- Runs programs until n of them were compared; one that is too large for a form is left out.
local function compare(n, form_of, what, shares)
  local compared, arrays = 0, {}
  for k = 1, #PARAMS do arrays[k] = ma.array(inputs[k], "float64") end
  for _ = 1, 20 * n do
    local text = ("function(a, b, c, d)\n  %s\nend"):format(new_writer(random, shares).program())
    local fn = assert(loadstring("local jit = ... return " .. text))(ma.jit)
    local found = { pcall(form_of(fn, text), unpack(arrays)) }
    if found[1] then
      check({ unpack(found, 2) }, golden(fn), what .. " of " .. text)
      compared = compared + 1
    else
      local why = tostring(found[2])
      assert(why:find "at most 128" or why:find "take a copy", text .. "\n" .. why)
    end
    if compared == n then return end
  end
  error("too few programs: " .. compared)
end

describe("random functions over vectors", function()
  it("are those of Lua's numbers in ma.fuse", function()
    compare(PROGRAMS, function(fn) return ma.fuse(fn) end, "fuse", true)
  end)

  it("are those of Lua's numbers in the plain form", function()
    compare(math.floor(PROGRAMS / 6), function(fn) return ma.fuse(fn, { plain = true }) end, "plain", true)
  end)

  it("are those of Lua's numbers in kernels", function()
    compare(KERNELS, function(_, text) return ma.vectorize(text, { constants = { jit = ma.jit } }) end, "kernel")
  end)
end)
