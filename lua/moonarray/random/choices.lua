--- Random orders and choices: few positions are shuffled one by one, many are permuted by a keyed bijection
--- (core.random_permute).

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local whole = common.whole
  local random, define, take, integers, is_curand = shared.random, shared.define, shared.take, shared.integers,
    shared.is_curand
  local shape_of, product, vector, check_parameter, check_array, probability =
    shared.shape_of, shared.product, shared.vector, shared.check_parameter, shared.check_array, shared.probability

  --- k of the positions 1 .. n in a random order.
  local function positions(name, generator, n, k, device)
    local order = ma.empty({ k }, "int64", { device = device })
    local low, high, draw = take(name, generator, order)
    return core.random_permute(low, high, draw, order, n)
  end

  --> random.permutation: ma.random.default_rng(1):permutation(5)
  define("permutation", "x: data|integer, axis?: integer|integer[], device?: string; generator?: generator -> array",
    "The positions 1 .. x in an order by chance, or a copy of the array x with those along an axis (the first) in " ..
      "such an order.",
    function(x, axis, device, generator)
      local name = "random.permutation"
      if type(x) == "number" then
        x = whole(name, "x", x, 0)
        return positions(name, generator, x, x, device)
      end
      x = core.asarray(x, { device = device })
      axis = common.axis(name, axis or 1, x.ndim)
      return x:take(positions(name, generator, x.shape[axis], x.shape[axis], x.device), axis)
    end)

  local MOST_PLAIN = 2 ^ 32

  shared.hasten("permutation", 1, function(rng, x)
    if type(x) ~= "number" or not (x >= 0 and x % 1 == 0 and x < MOST_PLAIN) then return end
    local order = ma.empty(x, "int64")
    local low, high, draw = take("random.permutation", rng, order)
    return core.random_permute(low, high, draw, order, x)
  end)

  --> random.shuffle: local x = ma.range(1, 5)
  -->   ma.random.shuffle(x)
  -->   return x:sum()
  define("shuffle", "x: data, axis?: integer|integer[]; generator?: generator -> array",
    "Puts what lies along an axis (the first) of an array in an order by chance, in place; returns the array.",
    function(x, axis, generator)
      local name = "random.shuffle"
      if not core.is_array(x) then fail(name, "x is " .. core.describe(x) .. "; wanted an array") end
      axis = common.axis(name, axis or 1, x.ndim)
      return x:assign(x:take(positions(name, generator, x.shape[axis], x.shape[axis], x.device), axis))
    end)

  shared.hasten("shuffle", 1, function(rng, x)
    if not core.is_array(x) or x.ndim ~= 1 then return end
    local order = ma.empty_like(x, "int64")
    local low, high, draw = take("random.shuffle", rng, order)
    return x:assign(x:take(core.random_permute(low, high, draw, order, x.size), 1))
  end)

  --> random.permuted: ma.random.permuted(ma.range(1, 5)):sum()
  define("permuted", "x: data, axis?: integer|integer[], out?: array; generator?: generator -> array",
    "A copy with the elements along an axis in an order by chance, another one for each row; without axis, of all " ..
      "elements.",
    function(x, axis, out, generator)
      local name = "random.permuted"
      x = core.asarray(x)
      local result
      if axis == nil then
        result = x:reshape(-1):take(positions(name, generator, x.size, x.size, x.device), 1):reshape(x.shape)
      else
        axis = common.axis(name, axis, x.ndim)
        local moved = x:moveaxis(axis, -1)
        local n = x.shape[axis]
        local rows = n > 0 and x.size / n or 0
        -- The order of numbers of 53 bits, of which two of a row hardly ever agree: all rows are one sort.
        if rows > 0 and is_curand(name, generator) then take(name, generator, ma.empty({ rows, n }, "int64")) end
        local keys = integers(name, 0, 2 ^ 53, { rows, n }, "int64", false, nil, x.device, generator)
        local flat = moved:reshape(rows, n)
        result = ma.take_along_axis(flat, ma.argsort(keys, 2), 2):reshape(moved.shape):moveaxis(-1, axis)
      end
      return common.finish(name, result, out)
    end)

  -- How far sums of weights may be from 1: NumPy's root of the dtype's step.
  local TOLERANCE = { float16 = 2 ^ -5, bfloat16 = 2 ^ -3.5, float32 = 2 ^ -11.5 }

  --- Weights as float64 on a device, and how many of them are above 0. Those of an array on a GPU are not checked,
  --- since that would wait, and their number is not known.
  local function weights(name, p, n, device)
    local total, possible, tolerance = nil, nil, 1e-6
    if core.is_array(p) then
      total, possible = check_array(name, "p", p, probability, 1)
      tolerance = TOLERANCE[p.dtype] or tolerance
    elseif type(p) == "table" then
      total, possible = 0, 0
      for k = 1, #p do
        total = total + check_parameter(name, "p[" .. k .. "]", p[k], probability)
        if p[k] > 0 then possible = possible + 1 end
      end
    end
    p = vector(name, "p", p, device)
    if p.size ~= n then fail(name, sformat("%d weights for %d to choose from", p.size, n)) end
    if total and math.abs(total - 1) > tolerance then fail(name, sformat("p adds up to %s; wanted 1", total)) end
    return p, possible
  end

  --- A weighted sample without replacement: the k smallest of exponential times, each with its own rate.
  local function weighted_sample(name, generator, p, possible, n, k)
    if possible and k > possible then
      fail(name, sformat("%d of %d without replacement, of which %d have a weight", k, n, possible))
    end
    if k == 0 then return ma.empty({ 0 }, "int64", { device = p.device }) end
    local times = random.standard_exponential(n, "float64", { device = p.device, generator = generator }) / p
    return ma.argsort(times)[{ { 1, k } }]
  end

  --- The first of the positions 1 .. n in a random order, as a number.
  local function first_position(name, generator, n)
    if core.random_recorded() then take(name, generator, "int64") end -- raises the error
    return positions(name, generator, n, 1, "cpu"):item()
  end

  --> random.choice: ma.random.default_rng(1):choice({10, 20, 30}, 4)
  define("choice", "a: data|integer, size?: integer|integer[], replace?: boolean, p?: data, axis?: integer|integer[], "
    .. "shuffle?: boolean, device?: string; generator?: generator",
    "Elements of the array a along an axis (the first), or positions 1 .. a, by chance: with replacement unless " ..
      "replace = false, by the weights p "
      .. "if they are given.",
    function(a, size, replace, p, axis, _, device, generator)
      local name, n = "random.choice", a
      if type(a) == "number" then
        a = whole(name, "a", a, 0)
      else
        a = core.asarray(a, { device = device })
        axis = common.axis(name, axis or 1, a.ndim)
        n, device = a.shape[axis], a.device
      end
      local shape = shape_of(name, size) or {}
      local number = n == a and size == nil and p == nil and device == nil and not is_curand(name, generator)
      local k = product(shape)
      local chosen
      if n == 0 and k > 0 then fail(name, "nothing to choose from") end
      if number and replace ~= false then
        return integers(name, 1, n, nil, "int64", true, nil, nil, generator)
      elseif number then
        return first_position(name, generator, n)
      end
      local possible
      if p ~= nil then p, possible = weights(name, p, n, device) end
      if replace ~= false and p == nil then
        chosen = n == 0 and ma.empty(shape, "int64", { device = device })
          or integers(name, 1, n, shape, "int64", true, nil, device, generator)
      elseif replace ~= false then
        chosen = ma.empty(shape, "int64", { device = p.device })
        local low, high, draw = take(name, generator, chosen)
        core.random(low, high, draw, chosen, "choice", nil, nil, nil, ma.cumsum(p))
      else
        if k > n then fail(name, sformat("%d of %d without replacement", k, n)) end
        chosen = (p and weighted_sample(name, generator, p, possible, n, k)
          or positions(name, generator, n, k, device)):reshape(shape)
      end
      if type(a) == "number" then return chosen end
      return a:take(chosen, axis)
    end)

  shared.hasten("choice", 1, function(rng, n)
    return shared.draw_whole(rng, 1, n)
  end)

  --> random.bytes: #ma.random.bytes(4)
  define("bytes", "length: integer; generator?: generator -> string", "A string of that many bytes; waits.",
    function(length, generator)
      length = whole("random.bytes", "length", length, 0)
      return shared.integers("random.bytes", 0, 256, length, "uint8", false, nil, nil, generator):tobytes()
    end)
end
