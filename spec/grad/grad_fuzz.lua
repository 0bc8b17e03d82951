--- Random programs of operators, views, picks, reductions and writes, whose derivatives are held against differences.
--
-- A program is a list of steps over `v`, a list of arrays of 3 x 4 elements. A step reads values and adds one. It
-- depends on the seed alone, so what fails can be run by hand.
-- spec/grad/grad_fuzz_spec.lua runs some, `make fuzz-grad PROGRAMS=N` as many as one likes.

local ma = require "moonarray"
local helper = require "spec.helper"

local fuzz = {}

local function blurred(u, before)
  return 0.5 * u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) * before(0, 1))
end
local BLURS = {}
for k, boundary in ipairs { "wrap", "constant", "nearest", "reflect", "mirror" } do
  BLURS[k] = ma.stencil(blurred, { boundary = boundary })
end
local bent = ma.fuse(function(x, y) if x > 0.5 then return x * y end return ma.sin(y) - x end)
local doubled = ma.ElementwiseKernel("T x, T y", "T z", "z = 2 * x - y", "fuzz_doubled",
  { derivative = function(g) return 2 * g, -g end })

-- A pretended GPU has no library of factors.
local able = pcall(function() return ma.linalg.det(ma.eye(2)):item() end)

--- A matrix of three rows that has an inverse.
local function regular(a, b) return ma.matmul(ma.tanh(a), ma.tanh(b).T) + 6 * ma.eye(3) end

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
  function(choose)
    local a, b = choose(), choose()
    return function(v) return BLURS[(a + b) % #BLURS + 1](ma.tanh(v[a]), ma.tanh(v[b])) end, "stencil"
  end,
  function(choose) local a, b = choose(), choose() return function(v) return bent(v[a], v[b]) end, "fuse" end,
  function(choose) local a, b = choose(), choose() return function(v) return doubled(v[a], v[b]) end, "kernel" end,
  function(choose) local a = choose() return function(v) return ma.tanh(v[a]):cumprod(2) end, "cumprod" end,
  function(choose)
    local a, b = choose(), choose()
    return function(v)
      return ma.signal.convolve2d(v[a], ma.tanh(v[b])["1:2, 1:2"], "same") + ma.ndimage.gaussian_filter(v[b], 0.5)
    end, "filter"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v)
      local y = ma.interp(ma.tanh(v[a]):ravel(), { -1, -0.3, 0.4, 1 }, ma.tanh(v[b])["2"])
      return ma.convolve(y, ma.tanh(v[b])["1, 1:3"], "same"):reshape(3, 4)
    end, "interp"
  end,
}
local FACTORS = {
  function(choose)
    local a, b = choose(), choose()
    return function(v) return ma.linalg.solve(regular(v[a], v[b]), v[b]) end, "solve"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v)
      local _, s, vh = ma.linalg.svd(regular(v[a], v[b]), false)
      return v[a] * s:reshape(3, 1) / 6 + (vh ^ 2):sum() * ma.linalg.slogdet(regular(v[a], v[a]))
    end, "svd"
  end,
  function(choose)
    local a, b = choose(), choose()
    return function(v)
      return ma.matmul(ma.linalg.pinv(regular(v[a], v[b])), v[a]) * ma.linalg.det(regular(v[b], v[b])) / 216
    end, "pinv"
  end,
}
for _, step in ipairs(able and FACTORS or {}) do STEPS[#STEPS + 1] = step end

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
