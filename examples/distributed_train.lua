-- Data-parallel training of a small network: every rank has its share of the samples and the same weights. After each
-- step's gradients an all_reduce adds those of all ranks, so all take the same step.
-- usage: mpirun -np 2 luajit examples/distributed_train.lua [samples] [steps]

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local D = ma.distributed
D.init()
local samples, steps = tonumber(arg[1]) or 4000, tonumber(arg[2]) or 300
local HIDDEN, RATE = 32, 0.5

--- Points of two spirals and the spiral of each, from the samples' numbers alone, which do not depend on the ranks.
local function spirals(first, last)
  local k = ma.arange(first, last + 1, "float64")
  local side = (k % 2)
  local t = (k * 0.6180339887498949 % 1) * 2.5 + 0.3
  local angle = t * 2.2 + side * math.pi
  return ma.stack({ t * ma.cos(angle), t * ma.sin(angle) }, 2), side:reshape(-1, 1)
end

local rank, size = D.rank(), D.size()
local first, last = math.floor(samples * rank / size) + 1, math.floor(samples * (rank + 1) / size)
local x, y = spirals(first, last)

local generator = ma.random.default_rng(1)          -- the same weights everywhere
local weights = {
  generator:normal(0, 1, { 2, HIDDEN }), ma.zeros { HIDDEN },
  generator:normal(0, HIDDEN ^ -0.5, { HIDDEN, HIDDEN }), ma.zeros { HIDDEN },
  generator:normal(0, HIDDEN ^ -0.5, { HIDDEN, 1 }), ma.zeros { 1 },
}

local function forward(points)
  local a = ma.tanh(ma.matmul(points, weights[1]) + weights[2])
  local b = ma.tanh(ma.matmul(a, weights[3]) + weights[4])
  return a, b, 1 / (1 + ma.exp(-(ma.matmul(b, weights[5]) + weights[6])))
end

--- The sums over this rank's samples: of the loss, and of its gradients by the weights, as one vector.
local function sums()
  local a, b, p = forward(x)
  local loss = -(y * ma.log(p + 1e-12) + (1 - y) * ma.log(1 - p + 1e-12)):sum()
  local e = p - y
  local f = ma.matmul(e, weights[5].T) * (1 - b * b)
  local g = ma.matmul(f, weights[3].T) * (1 - a * a)
  local list = { ma.matmul(x.T, g), g:sum(1), ma.matmul(a.T, f), f:sum(1), ma.matmul(b.T, e), e:sum(1), loss }
  for k, gradient in ipairs(list) do list[k] = gradient:reshape(-1) end
  return ma.concatenate(list)
end

local loss
local begun = ma.time()
for step = 1, steps do
  loss = ma.scope(function()
    local all = D.all_reduce(sums()) / samples          -- one message for all gradients
    local at = 1
    for _, w in ipairs(weights) do
      w:assign(w - all[{ { at, at + w.size - 1 } }]:reshape(w.shape) * RATE)
      at = at + w.size
    end
    return all[at]
  end)
  if rank == 0 and (step == 1 or step % 100 == 0) then print(("step %4d: loss %.6f"):format(step, loss)) end
end
local time = ma.time() - begun

local _, _, p = forward(x)
local right = D.array(p:gt(0.5):eq(y:gt(0.5))):count_nonzero():item()
local spread = 0
for _, w in ipairs(weights) do
  spread = math.max(spread, (D.all_reduce(w, "max") - D.all_reduce(w, "min")):max():item())
end
if rank == 0 then
  print(("%d of %d samples right after %d steps on %d ranks, %.0f steps per second"):format(right, samples, steps, size,
    steps / time))
  print(spread == 0 and "all ranks have the same weights" or "the ranks' weights DIFFER")
end
