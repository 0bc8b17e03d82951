-- Random functions of elements, with branches, `and`, `or`, early returns, loops, `break` and functions inside: ma.fuse
-- and ma.stencil give what Lua gives for each element.

local helper = require "spec.helper"
local ma = helper.ma

local PROGRAMS = helper.long and 5000 or 400
local MOST_STATEMENTS = 8

local random = helper.random(61)

local function pick(list) return list[random(1, #list)] end

-- A text under construction: the variables that are there, how many loops are around, how many statements may follow.
local vars, loops, left

local number

local function condition(depth)
  local k = random(1, 6)
  if depth == 0 or k <= 3 then
    return ("(%s %s %s)"):format(number(1), pick { "<", "<=", ">", ">=", "==", "~=" }, number(1))
  end
  if k == 4 then return ("(not %s)"):format(condition(depth - 1)) end
  return ("(%s %s %s)"):format(condition(depth - 1), k == 5 and "and" or "or", condition(depth - 1))
end

function number(depth)
  local k = random(1, 10)
  if depth == 0 or k <= 3 then return random(1, 3) == 1 and ("(%d)"):format(random(-3, 3)) or pick(vars) end
  if k <= 7 then return ("(%s %s %s)"):format(number(depth - 1), pick { "+", "-", "*" }, number(depth - 1)) end
  if k == 8 then return ("(%s and %s or %s)"):format(condition(0), number(depth - 1), number(depth - 1)) end
  if k == 9 then return ("math.%s(%s, %s)"):format(pick { "max", "min" }, number(depth - 1), number(depth - 1)) end
  return ("%s(%s)"):format(pick { "math.abs", "math.floor", "bent" }, number(depth - 1))
end

local block

local function branches(depth)
  local text = ("if %s then\n%s"):format(condition(1), block(depth - 1))
  if random(1, 3) == 1 then text = ("%selseif %s then\n%s"):format(text, condition(1), block(depth - 1)) end
  if random(1, 2) == 1 then text = ("%selse\n%s"):format(text, block(depth - 1)) end
  return text .. "end"
end

local function loop(depth)
  loops = loops + 1
  vars[#vars + 1] = "k" .. loops
  local text = ("for k%d = %s do\n%send"):format(loops, pick { "1, 2", "1, 3", "2, -1, -2" }, block(depth - 1))
  vars[#vars], loops = nil, loops - 1
  return text
end

local function statement(depth)
  left = left - 1
  local k = random(1, 14)
  if depth == 0 or left < 0 or k <= 4 then return ("%s = %s"):format(pick { "a", "b", "c" }, number(2)) end
  if k <= 8 then return branches(depth) end
  if k <= 10 then return loop(depth) end
  if k == 11 then return "local a = " .. number(1) end
  if k == 12 then return ("t = %s\nif t then a = %s end"):format(condition(1), number(1)) end
  if k == 13 then return ("bump(%s)"):format(number(1)) end
  return ("do local t = %s; b = t end"):format(number(1))
end

function block(depth)
  local list = {}
  for k = 1, random(1, 3) do list[k] = statement(depth) end
  local k = random(1, 8)
  if k == 1 then list[#list + 1] = "return " .. number(1) end
  if k == 2 and loops > 0 then list[#list + 1] = "break" end
  if k == 3 then list[#list + 1] = ("if %s then return %s end"):format(condition(1), number(1)) end
  if k == 4 and loops > 0 then list[#list + 1] = ("if %s then break end"):format(condition(1)) end
  return table.concat(list, "\n") .. "\n"
end

local function program()
  vars, loops, left = { "x", "y", "a", "b", "c" }, 0, MOST_STATEMENTS
  return ([[
    local a, b, c, t = x, 0, 1, false
    local function bump(v)
      if v > 1 then c = c + v return end
      c = c - 1
    end
    local function bent(v)
      if v < 0 then return -v elseif v > 2 then return 2 end
      return v
    end
    do
    %s
    end
    return a + 2 * b - c
  ]]):format(block(2))
end

describe("a random function of elements", function()
  local xs, ys = {}, {}
  for i = -3, 3 do
    for j = -3, 3 do xs[#xs + 1], ys[#ys + 1] = i, j + i % 2 * 0.5 end
  end
  local x, y = ma.array(xs), ma.array(ys)

  local function compare(form, result, fn, text)
    local list = result.ndim > 0 and result:totable() or {}
    for i = 1, #xs do
      local wanted, found = fn(xs[i], ys[i]), result.ndim > 0 and list[i] or result:item()
      if found ~= wanted and (found == found or wanted == wanted) then
        error(("%s gives %s and Lua %s for x = %s, y = %s of\n%s"):format(form, tostring(found), tostring(wanted),
          xs[i], ys[i], text), 0)
      end
    end
  end

  it("gives what Lua gives for each element", function()
    for _ = 1, PROGRAMS do
      local text = program()
      local fn = assert(loadstring("return function(x, y)\n" .. text .. "end"))()
      local done, fused = pcall(ma.fuse(fn), x, y)
      if done then
        compare("ma.fuse", fused, fn, text)
      elseif not fused:find "instructions over" and not fused:find "more than %d+ operations" then
        error(fused .. "\n" .. text, 0)
      end
      local stencil = ma.stencil(("function(u, v)\nlocal x, y = u(0), v(0)\n%send"):format(text), { compile = false })
      compare("ma.stencil", stencil(x, y), fn, text)
    end
  end)
end)
