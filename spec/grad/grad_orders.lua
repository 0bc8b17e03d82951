--- Holds derivatives of a function of float64 arrays: those of the function and of its derivative against differences,
--- and the way forward against the way back.

local ma = require "moonarray"
local core = require "moonarray.core"

local function weights(y)
  return ma.cos(ma.arange(y.size, { dtype = "float64", device = y.device }) * 1.3 + 0.4):reshape(y.shape)
end

local function total(...)
  local sum
  for k = 1, select("#", ...) do
    local y = select(k, ...)
    if core.is_array(y) and ma.issubdtype(y.dtype, "complexfloating") then y = ma.stack { ma.real(y), ma.imag(y) } end
    if core.is_array(y) and ma.issubdtype(y.dtype, "floating") then
      local part = (ma.sin(y) * weights(y)):sum()
      sum = sum and sum + part or part
    end
  end
  return sum
end

--- options: rtol and atol of check_grad for the second derivative.
return function(fn, args, options)
  local numbers = {}
  for k = 1, #args do numbers[k] = k end
  local function value(...) return total(fn(...)) end
  local function slope(...) return unpack((ma.grad(value, { argnums = numbers })(...))) end
  ma.testing.check_grad(fn, args)
  options = options or {}
  ma.testing.check_grad(slope, args, { rtol = options.rtol or 1e-5, atol = options.atol or 1e-5 })
  local tangents, back = {}, 0
  for k, x in ipairs(args) do tangents[k] = weights(x) end
  local _, forward = ma.jvp(value, args, tangents)
  for k, g in ipairs { slope(unpack(args)) } do back = back + (g * tangents[k]):sum():item() end
  assert(math.abs(forward:item() - back) <= 1e-9 * math.max(1, math.abs(back)), "forward and back differ")
end
