--- ma.optim: steps that make the value of a function smaller, by its derivatives. An optimiser writes to the arrays
--- that it is given.

local nested = require "moonarray.nested"
local text, concat = require "moonarray.text", table.concat
local sformat, tostring = text.format, text.tostring

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local optim = {}

  -- ==== Parameters ===================================================================================================

  --- The parameters as a list: each is {array =, path =, at =}, where `at` is the text of the path.
  function optim.slots(name, params)
    local slots, seen = {}, {}
    nested.map(core, params, function(array, path)
      local at = nested.text(path)
      if not is.floating[array.dtype] then
        fail(name, sformat("params%s is %s; wanted an array of real floats", at, core.describe(array)))
      end
      if array.readonly then fail(name, sformat("params%s cannot be written to", at)) end
      if seen[array] then
        fail(name, sformat("params%s and params%s are the same array; name it once", seen[array], at))
      end
      seen[array] = at
      slots[#slots + 1] = { array = array, path = path, at = at }
    end, function(path, said) fail(name, sformat("params%s is %s", nested.text(path), said)) end)
    if #slots == 0 then fail(name, "params has no arrays") end
    return slots
  end

  --- The derivative for a parameter among those of all.
  function optim.flow(name, slot, grads)
    local g = nested.at(grads, slot.path)
    if not is_array(g) or not ma.same_shape(g, slot.array) or not is.floating[g.dtype] then
      fail(name, sformat("grads%s is %s; wanted the derivative by %s", slot.at, core.describe(g),
        core.describe(slot.array)))
    end
    return g
  end

  --- A number from `least` on, and below `most` if there is one.
  function optim.number(name, what, value, default, least, most)
    if value == nil then return default end
    common.number(name, what, value)
    if not (value >= least and value < (most or math.huge)) then
      fail(name, sformat("%s is %s; wanted a number from %s on%s", what, tostring(value), least,
        most and " and below " .. most or ""))
    end
    return value
  end

  -- ==== Optimisers ===================================================================================================

  local WIDE = { float64 = "float64" }                     -- the dtype in which a parameter's step is computed

  --- An array of zeros beside a parameter. A result of this dtype and layout is written in place.
  local function beside(slot) return ma.zeros(slot.array.shape, { dtype = slot.wide, device = slot.array.device }) end

  --- A 0-d array on the device of a slot.
  local function scalar(slot, value, dtype) return ma.full({}, value, dtype, { device = slot.array.device }) end

  --> = optimizer | ma.optim.sgd(ma.ones(2), {rate = 0.1}) | Steps by derivatives; its methods write to the parameters.
  local Optimizer = common.kept("optim").Optimizer or {}
  common.kept("optim").Optimizer = Optimizer
  local methods = {}
  Optimizer.__index = methods

  function Optimizer.__tostring(self)
    local state = self[1]
    return sformat("<%s of %d arrays>", state.name, #state.slots)
  end

  --> :step(grads: table) -> optimizer | Writes to each parameter. The derivatives are in a table with the same keys.
  --> optimizer:step: local x = ma.array {3, 4}
  -->   ma.optim.sgd(x, {rate = 0.5}):step(ma.array {2, 4})
  -->   return x
  function methods.step(self, grads)
    local state = self[1]
    local name = state.name .. ".step"
    local found = {}
    for k, slot in ipairs(state.slots) do found[k] = optim.flow(name, slot, grads) end
    if state.begin then state.begin(state) end
    for k, slot in ipairs(state.slots) do state.update(state, slot, found[k]) end
    return self
  end

  --> :set_rate(rate: number) -> optimizer | Takes another rate, which steps in a graph take too.
  --> optimizer:set_rate: optimizer:set_rate(0.01)
  function methods.set_rate(self, rate)
    local state = self[1]
    optim.number(state.name .. ".set_rate", "rate", rate, nil, 0)
    for _, shared in pairs(state.shared) do shared.rate:fill(rate) end
    return self
  end

  common.guard("optim.optimizer", Optimizer, methods)

  --- Makes an optimiser. `shared` makes the 0-d arrays that all parameters of a device and a dtype have together, at
  --- least `rate`.
  local function optimizer(name, params, shared, own, begin, update)
    local slots, all = optim.slots(name, params), {}
    for _, slot in ipairs(slots) do
      slot.wide = WIDE[slot.array.dtype] or "float32"
      local key = concat({ slot.array.device, slot.wide }, " ")
      all[key] = all[key] or shared(slot)
      slot.shared = all[key]
      if own then own(slot) end
    end
    local self = setmetatable({ false }, Optimizer)
    self[1] = { name = name, slots = slots, shared = all, begin = begin, update = update }
    return self
  end

  -- ==== sgd ==========================================================================================================

  --> optim.sgd: local x = ma.array {3, 4}
  -->   local descend = ma.optim.sgd(x, {rate = 0.1, momentum = 0.9})
  -->   for _ = 1, 100 do descend:step(2 * x) end
  -->   return x:round(2)
  def("optim.sgd(params: array|table; rate?: number, momentum?: number, nesterov?: boolean, weight_decay?: number) "
    .. "-> optimizer",
    "Descends by the derivative times `rate` (0.01): params is an array of floats, or a table of them. With a momentum "
    .. "the step is the sum of all derivatives, each weighted by `momentum` once more in each later step.",
    function(params, rate, momentum, nesterov, weight_decay)
      local name = "optim.sgd"
      rate = optim.number(name, "rate", rate, 0.01, 0)
      momentum = optim.number(name, "momentum", momentum, 0, 0, 1)
      weight_decay = optim.number(name, "weight_decay", weight_decay, 0, 0)
      if nesterov and momentum == 0 then fail(name, "nesterov without momentum") end
      local move = ma.fuse(function(p, g, v, by)
        if weight_decay > 0 then g = g + weight_decay * p end
        local along = momentum * v + g
        return p - by * (nesterov and g + momentum * along or along), along
      end, "sgd")
      return optimizer(name, params, function(slot) return { rate = scalar(slot, rate, slot.wide) } end,
        momentum > 0 and function(slot) slot.v = beside(slot) end or nil, nil,
        function(_, slot, g)
          local p = slot.array
          if slot.v then
            move(p, g, slot.v, slot.shared.rate, { out = { p, slot.v } })
          else
            p:assign(p - slot.shared.rate * (weight_decay > 0 and g + weight_decay * p or g))
          end
        end)
    end)

  -- ==== adam =========================================================================================================

  --> optim.adam: local x = ma.array {3, 4}
  -->   local descend = ma.optim.adam(x, {rate = 0.1})
  -->   for _ = 1, 200 do descend:step(2 * x) end
  -->   return x:round(2)
  def("optim.adam(params: array|table; rate?: number, beta1?: number, beta2?: number, eps?: number, "
    .. "weight_decay?: number) -> optimizer",
    "Adam's steps: a running mean of the derivatives over the root of a running mean of their squares, times `rate` "
    .. "(0.001). `weight_decay` draws parameters to 0 beside that, as in AdamW. The count of steps is on the device.",
    function(params, rate, beta1, beta2, eps, weight_decay)
      local name = "optim.adam"
      rate = optim.number(name, "rate", rate, 1e-3, 0)
      beta1 = optim.number(name, "beta1", beta1, 0.9, 0, 1)
      beta2 = optim.number(name, "beta2", beta2, 0.999, 0, 1)
      eps = optim.number(name, "eps", eps, 1e-8, 0)
      weight_decay = optim.number(name, "weight_decay", weight_decay, 0, 0)
      local count = ma.fuse(function(n, by)
        n = n + 1
        return n, by / (1 - beta1 ^ n), 1 / ma.sqrt(1 - beta2 ^ n), 1 - by * weight_decay
      end, "adam_count")
      local move = ma.fuse(function(p, g, m, v, by, scale, decay)
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * (g * g)
        if weight_decay > 0 then p = p * decay end
        return p - by * m / (ma.sqrt(v) * scale + eps), m, v
      end, "adam")
      return optimizer(name, params, function(slot)
        return { rate = scalar(slot, rate, "float64"), n = scalar(slot, 0, "float64"), by = scalar(slot, 0, slot.wide),
          scale = scalar(slot, 0, slot.wide), decay = scalar(slot, 1, slot.wide) }
      end, function(slot) slot.m, slot.v = beside(slot), beside(slot) end,
      function(state)
        for _, s in pairs(state.shared) do count(s.n, s.rate, { out = { s.n, s.by, s.scale, s.decay } }) end
      end,
      function(_, slot, g)
        local s = slot.shared
        move(slot.array, g, slot.m, slot.v, s.by, s.scale, s.decay, { out = { slot.array, slot.m, slot.v } })
      end)
    end)

  require "moonarray.optim.lbfgs" (ma, core, optim)
end
