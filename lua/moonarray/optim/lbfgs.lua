--- ma.optim.lbfgs: quasi-Newton steps, which remember the last changes of the parameters and of the derivatives.

local sformat, tostring = require("moonarray.text").format, require("moonarray.text").tostring

return function(ma, core, optim)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local ENOUGH, FLAT, TRIES = 1e-4, 0.9, 30                -- Wolfe's conditions; values in one search along a line

  --> = lbfgs | ma.optim.lbfgs(ma.ones(2)) | Quasi-Newton steps; its methods write to the parameters.
  local Lbfgs = common.kept("optim").Lbfgs or {}
  common.kept("optim").Lbfgs = Lbfgs
  local methods = {}
  Lbfgs.__index = methods

  function Lbfgs.__tostring(self) return sformat("<optim.lbfgs of %d arrays>", #self[1].slots) end

  --- All arrays of a list one after the other.
  local function flat(arrays, dtype)
    for k, array in ipairs(arrays) do arrays[k] = array:reshape(array.size):astype(dtype) end
    return #arrays == 1 and arrays[1]:copy() or ma.concatenate(arrays)
  end

  --- The value of the function now, as a number, and its derivatives.
  local function evaluate(state, ...)
    local value, grads = state.call(state.params, ...)
    local list = {}
    for k, slot in ipairs(state.slots) do list[k] = optim.flow("optim.lbfgs.step", slot, grads) end
    return value:item(), flat(list, state.dtype)
  end

  --- Writes x to the parameters.
  local function write(state, x)
    local at = 1
    for _, slot in ipairs(state.slots) do
      local size = slot.array.size
      slot.array:assign(core.along(x, 1, at, at + size - 1):reshape(slot.array.shape))
      at = at + size
    end
  end

  --- The direction of the next step: the inverse of the remembered curvature, times the derivative.
  local function direction(state, g)
    local pairs_, weights, d = state.pairs, {}, -g
    for k = #pairs_, 1, -1 do
      local pair = pairs_[k]
      weights[k] = (pair.s * d):sum() / pair.sy
      d = d - weights[k] * pair.y
    end
    local last = pairs_[#pairs_]
    if last then d = d * (last.sy / (last.y * last.y):sum()) end
    for k = 1, #pairs_ do
      local pair = pairs_[k]
      d = d + (weights[k] - (pair.y * d):sum() / pair.sy) * pair.s
    end
    return d
  end

  --- Looks along d for a point that is low and flat enough: bisects between what is too far and what is too near. The
  --- parameters are there then. Returns the value and the derivatives, or nothing if all were worse.
  local function search(state, x, d, value, slope, first, ...)
    local near, far, t = 0, math.huge, first
    for _ = 1, TRIES do
      write(state, x + t * d)
      local now, g = evaluate(state, ...)
      if now ~= now or now > value + ENOUGH * t * slope then
        far = t
      else
        local along = (g * d):sum():item()
        if along >= FLAT * slope then return now, g, t end
        near = t
      end
      t = far < math.huge and (near + far) / 2 or 2 * near
    end
    if near == 0 then
      write(state, x)
      return nil
    end
    write(state, x + near * d)
    local now, g = evaluate(state, ...)
    return now, g, near
  end

  --- Forgets the first of the pairs. They are in no scope, so that steps in scopes can remember.
  local function forget(state)
    for _, array in pairs(table.remove(state.pairs, 1)) do array:free() end
  end

  --- Remembers how the derivatives changed along a step.
  local function remember(state, s, y)
    local sy = (s * y):sum()
    local curvature, list = sy:item(), state.pairs
    if curvature <= 0 or curvature ~= curvature then return end
    list[#list + 1] = ma.keep { s = s:eval(), y = y:eval(), sy = sy }
    if #list > state.history then forget(state) end
  end

  --> :step(fn: function, ...) -> number, boolean | A step: fn(params, ...) gives the value. Returns the value that was
  --> \ reached, and whether that is a minimum, as near as the tolerance says or as the dtype allows.
  --> lbfgs:step: local x = ma.array {3, 4}
  -->   ma.optim.lbfgs(x):step(function(p) return (p * p):sum() end)
  -->   return x
  function methods.step(self, fn, ...)
    local state = self[1]
    common.callable("optim.lbfgs.step", "fn", fn)
    if state.fn ~= fn then state.fn, state.call, state.value = fn, ma.value_and_grad(fn), nil end
    local arrays = {}
    for k, slot in ipairs(state.slots) do arrays[k] = slot.array end
    local x = flat(arrays, state.dtype)
    local value, g = evaluate(state, ...)
    local greatest = ma.abs(g):max():item()
    if value - value ~= 0 or greatest - greatest ~= 0 then
      fail("optim.lbfgs.step", sformat("the value is %s, and its greatest derivative %s; wanted finite numbers",
        tostring(value), tostring(greatest)))
    end
    if greatest <= state.tolerance then return value, true end
    local d = direction(state, g):eval()
    local slope = (g * d):sum():item()
    if slope >= 0 then
      while #state.pairs > 0 do forget(state) end
      d = (-g):eval()
      slope = (g * d):sum():item()
    end
    local first = #state.pairs == 0 and math.min(1, 1 / greatest) or 1
    local now, there, t = search(state, x, d, value, slope, first, ...)
    if not now then
      local fresh = #state.pairs == 0
      while #state.pairs > 0 do forget(state) end
      return value, fresh
    end
    remember(state, t * d, there - g)
    return now, ma.abs(there):max():item() <= state.tolerance
  end

  common.guard("optim.lbfgs", Lbfgs, methods)

  --> optim.lbfgs: local x = ma.array {-1.2, 1}
  -->   local function rosenbrock(p) return (100 * (p["2:"] - p[":-2"] ^ 2) ^ 2 + (1 - p[":-2"]) ^ 2):sum() end
  -->   local descend = ma.optim.lbfgs(x)
  -->   repeat until select(2, descend:step(rosenbrock))
  -->   return x:round(3)
  def("optim.lbfgs(params: array|table; history?: integer, tolerance?: number) -> lbfgs",
    "Quasi-Newton steps for a smooth function without chance in it: each looks along a direction that the last "
    .. "`history` (10) steps give. It is at a minimum where no derivative is greater than `tolerance` (1e-6).",
    function(params, history, tolerance)
      local name = "optim.lbfgs"
      local slots, dtype = optim.slots(name, params), "float32"
      for _, slot in ipairs(slots) do
        if slot.array.device ~= slots[1].array.device then fail(name, "params on several devices; wanted one") end
        if slot.array.dtype == "float64" then dtype = "float64" end
      end
      local self = setmetatable({ false }, Lbfgs)
      self[1] = { params = params, slots = slots, dtype = dtype, pairs = {},
        history = common.whole(name, "history", history or 10, 1),
        tolerance = optim.number(name, "tolerance", tolerance, 1e-6, 0) }
      return self
    end)
end
