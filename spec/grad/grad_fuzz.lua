--- Random programs of operators, views, picks, reductions and writes, whose derivatives are held against differences.
--
-- A program is a list of steps over `v`, a list of arrays of 3 x 4 elements. A step reads values and adds one. It
-- depends on the seed alone, so what fails can be run by hand.
-- spec/grad/grad_fuzz_spec.lua runs some, `make fuzz-grad PROGRAMS=N` as many as one likes.

local ma = require "moonarray"
local helper = require "spec.helper"

local fuzz = {}

-- Each makes a step of the numbers that choose gives: a function of the values so far.
local STEPS = {
  function(choose) local a = choose() return function(v) return ma.tanh(v[a]) end, "tanh" end,
  function(choose) local a = choose() return function(v) return ma.sin(v[a]) * 2 end, "sin" end,
  function(choose) local a, b = choose(), choose() return function(v) return v[a] + v[b] end, "add" end,
  function(choose) local a, b = choose(), choose() return function(v) return v[a] * v[b] end, "multiply" end,
  function(choose) local a, b = choose(), choose() return function(v) return v[a] / (2 + v[b] ^ 2) end, "divide" end,
  function(choose) local a = choose() return function(v) return ma.exp(-v[a] ^ 2) end, "exp" end,
  function(choose) local a = choose() return function(v) return v[a]["::-1, :"] - 0.5 end, "flipped" end,
  function(choose) local a = choose() return function(v) return v[a].T:reshape(3, 4) * 1.5 end, "turned" end,
  function(choose) local a = choose() return function(v) return ma.roll(v[a], 1, 2) end, "roll" end,
  function(choose) local a = choose() return function(v) return v[a] - v[a]:mean(1) end, "mean" end,
  function(choose)
    local a = choose()
    return function(v) return v[a] + v[a]:sum(2, { keepdims = true }) / 4 end, "sum"
  end,
  function(choose) local a = choose() return function(v) return v[a] * v[a]["2"] end, "row" end,
  function(choose) local a = choose() return function(v) return v[a]:cumsum(2) / 4 end, "cumsum" end,
  function(choose) local a = choose() return function(v) return ma.sort(v[a], 2) end, "sort" end,
  function(choose) local a = choose() return function(v) return v[a][{ {}, ma.index { 1, 1, 3, 4 } }] end, "pick" end,
  function(choose)
    local a, b = choose(), choose()
    return function(v) return ma.matmul(v[a], v[b].T):matmul(v[a]) / 12 end, "matmul"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v) return ma.concatenate({ v[a]["2:"], v[b]["1:1"] }) end, "join"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v) return ma.where(v[a]:gt(v[b]), v[a], v[b] * 0.5) end, "where"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v)
      local y = ma.zeros({ 3, 4 }, "float64")
      y["1:2"] = v[a]["2:"]
      y["3, 2:3"] = v[b]["1, ::3"]
      y:iadd(v[b])
      return y
    end, "write"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v)
      local y = v[a] * 3
      local part = y[":, 2"]
      part:assign(v[b][":, 1"])
      y[{ 1, 1 }] = 0.25
      y:isub(part:reshape(3, 1))
      return y
    end, "overwrite"
  end,
}

--- The function of a program, and the names of its steps.
function fuzz.program(seed, length)
  local random = helper.random(seed)
  local steps, names = {}, {}
  for k = 1, length do
    local count = k
    local step, name = STEPS[random(1, #STEPS)](function() return random(math.max(1, count - 4), count) end)
    steps[k], names[k] = step, name
  end
  return function(x)
    local v = { x }
    for k = 1, length do v[k + 1] = steps[k](v) end
    local sum = v[1]:sum()
    for k = math.max(2, length - 2), length + 1 do sum = sum + (v[k] * v[k]):sum() + v[k]["2:2, 3:3"]:sum() end
    return sum
  end, table.concat(names, " ")
end

--- Runs a program; returns nil, or what is wrong with it. The second result: whether there is a derivative to compare.
function fuzz.check(seed, length)
  local fn, names = fuzz.program(seed, length)
  local random = helper.random(seed + 7)
  local function values()
    local list = {}
    for i = 1, 3 do
      list[i] = {}
      for j = 1, 4 do list[i][j] = random() * 2 - 1 end
    end
    return ma.array(list, "float64")
  end
  local x, way, step = values(), values(), 1e-6
  local derivative = (ma.grad(fn)(x) * way):sum():item()
  local ahead, behind, here = fn(x + step * way):item(), fn(x - step * way):item(), fn(x):item()
  local difference = (ahead - behind) / (2 * step)
  local bend = math.abs(ahead - 2 * here + behind) / step                      -- a corner: equal elements were sorted
  if bend > 1e-3 * (1 + math.abs(difference)) then return nil end
  if math.abs(derivative - difference) <= 1e-5 * (1 + math.abs(difference)) then return nil, true end
  return ("seed %d, %s: derivative %.9g, difference %.9g"):format(seed, names, derivative, difference)
end

return fuzz
