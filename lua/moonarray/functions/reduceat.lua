--- ufunc.reduceat: reductions of parts of an axis, which begin at positions and end before the next ones.

local sformat = require("moonarray.text").format

return function(ma, core)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local along = common.along

  local FEW, LONG = 64, 65536            -- so few parts of so many elements are reduced one after another

  -- Operations without a reduction of the core, for which brackets do not matter. Parts are joined out of powers of 2.
  local associative = {}
  for name in ("add multiply maximum minimum fmax fmin logical_and logical_or logical_xor bitwise_and bitwise_or "
    .. "bitwise_xor gcd lcm hypot logaddexp logaddexp2"):gmatch("%S+") do associative[name] = true end

  local rounds = { add = true, multiply = true, hypot = true, logaddexp = true, logaddexp2 = true }

  -- The wider dtypes in which narrow floats are reduced by operations that round. The result is rounded once.
  local wide = { float16 = "float64", bfloat16 = "float64", float32 = "float64", complex64 = "complex128" }

  --- Positions as a list of numbers from 1 to n, or as an array of them if they are many or on a GPU.
  local function positions_of(name, indices, n, as_list)
    if type(indices) == "number" then fail(name, "indices is a number; wanted a table or an array of positions") end
    if core.is_array(indices) then
      if indices.ndim ~= 1 then fail(name, sformat("indices of %d axes; wanted one", indices.ndim)) end
      if not is.integer[indices.dtype] then
        fail(name, sformat("indices of dtype %s; integers", indices.dtype))
      end
      if indices.device ~= "cpu" then
        indices = indices:astype("int64")
        local places = ma.where(indices:lt(0), indices + (n + 1), indices)
        -- A position outside is an error of the next call that waits, as for take.
        return nil, places + ma.zeros(1, "int64", { device = indices.device }):broadcast_to(n):take(places, 1)
      end
      if indices.size > FEW and not as_list then                               -- looked at as an array, not as numbers
        local least, most, zeros = ma.item(indices:min(), indices:max(), ma.sum(indices:eq(0)))
        if least >= -n and most <= n and zeros == 0 then
          indices = indices:astype("int64")
          return nil, ma.where(indices:lt(0), indices + (n + 1), indices):copy()
        end
      end
      indices = indices:totable()
    end
    return common.positions(name, common.type(name, "indices", indices, "table"), n), nil
  end

  --- How many elements each part has, one where the next position is not further on; and the most.
  local function lengths_of(list, n)
    local lengths, most = {}, 1
    for k = 1, #list do
      local stop = list[k + 1] or n + 1
      lengths[k] = stop > list[k] and stop - list[k] or 1
      most = math.max(most, lengths[k])
    end
    return lengths, most
  end

  local function one_by_one(ufunc, a, axis, dtype, list, lengths)
    local parts = {}
    for k = 1, #list do
      local part = along(a, axis, list[k], list[k] + lengths[k] - 1)
      if lengths[k] > 1 then part = ufunc.reduce(part, { axis = axis, dtype = dtype, keepdims = true }) end
      parts[k] = part
    end
    return ma.concatenate(parts, { axis = axis, dtype = dtype })
  end

  --- powers[j] is the reduction of 2^k elements from j on. Each part takes the powers of which its length is the sum.
  --- That takes log2(most) steps, none of which looks at a position.
  -- log2(most) steps, none of which looks at a position.
  local function by_powers(ufunc, a, axis, first, length, most)
    local n, m = a.shape[axis], first.size
    local shape = common.upright(a.ndim, axis, m)
    local powers, step = a, 1
    local result, started = nil, nil
    while true do
      local takes = ma.bitwise_and(length, step):ne(0)
      local inside = step == 1 and first or ma.minimum(first, powers.shape[axis])
      local piece = powers:take(inside, axis)                  -- what is not taken may be any
      if not result then result, started = piece, takes
      else
        local joined = ma.where(started:reshape(shape), ufunc(result, piece), piece)
        result = ma.where(takes:reshape(shape), joined, result)
        started = ma.logical_or(started, takes)
      end
      first = ma.where(takes, first + step, first)
      if step * 2 > most then return result end
      powers = ufunc(along(powers, axis, 1, n - 2 * step + 1), along(powers, axis, step + 1, n - step + 1))
      step = step * 2
    end
  end

  --- Folds all parts side by side, from their first elements on. There are as many steps as the longest part has
  --- elements. The longest parts come first, so a step takes the parts at the front that still have an element.
  local function in_order(ufunc, a, axis, list, lengths, most)
    local order, first = {}, {}
    for k = 1, #list do order[k] = k end
    table.sort(order, function(x, y) return lengths[x] > lengths[y] end)
    for k = 1, #order do first[k] = list[order[k]] end
    first = ma.array(first, { dtype = "int64", device = a.device })
    local rows, count = a:moveaxis(axis, 1), #order
    local result = rows:take(first, 1)
    for step = 1, most - 1 do
      while lengths[order[count]] <= step do count = count - 1 end
      local part = along(result, 1, 1, count)
      ufunc(part, rows:take(along(first, 1, 1, count) + step, 1), { out = part })
    end
    local back = {}
    for k = 1, #order do back[order[k]] = k end
    return result:take(ma.array(back, { dtype = "int64", device = a.device }), 1):moveaxis(1, axis)
  end

  --- By the core, in one pass over the elements along the axis; nil if it has no such reduction.
  local function by_segments(ufunc, a, axis, dtype, list, places)
    local n = a.shape[axis]
    local moved = a:moveaxis(axis, -1)
    local shape = moved.shape
    places = places or ma.array(list, { dtype = "int64", device = a.device })
    local result = core.reduce_segments(ufunc.name, moved:reshape(a.size / n, n), places, dtype)
    if not result then return nil end
    shape[#shape] = places.size
    return result:reshape(shape):moveaxis(-1, axis)
  end

  local function reduce_parts(ufunc, a, axis, dtype, list, places)
    local n = a.shape[axis]
    local lengths, most = nil, n
    if list then
      lengths, most = lengths_of(list, n)
      -- each is worth the whole device
      if #list <= FEW and n / #list >= LONG then return one_by_one(ufunc, a, axis, dtype, list, lengths) end
    end
    local result = by_segments(ufunc, a, axis, dtype, list, places)
    if result then return result end
    a = a:astype(dtype, { copy = false })
    if list and #list <= FEW then return one_by_one(ufunc, a, axis, dtype, list, lengths) end
    if not associative[ufunc.name] then                        -- to know which part is the longest takes numbers
      if not list then
        list = positions_of(ufunc.name, places:get(), n, true)
        lengths, most = lengths_of(list, n)
      end
      if 3 * most > n then return one_by_one(ufunc, a, axis, dtype, list, lengths) end
      return in_order(ufunc, a, axis, list, lengths, most)
    end
    local length
    if list then
      places = ma.array(list, { dtype = "int64", device = a.device })
      length = ma.array(lengths, { dtype = "int64", device = a.device })
    else
      local stop = ma.concatenate { along(places, 1, 2, places.size), ma.full_like(places, n + 1, { shape = 1 }) }
      length = ma.maximum(stop - places, 1)
    end
    local loop = rounds[ufunc.name] and wide[dtype] or dtype
    result = by_powers(ufunc, a:astype(loop, { copy = false }), axis, places, length, most)
    return result:astype(dtype, { copy = false })
  end

  local function reduceat(ufunc, a, indices, axis, dtype, out)
    local name = ufunc.name .. ".reduceat"
    a = core.asarray(a)
    axis = common.axis(name, axis or 1, a.ndim)
    local n = a.shape[axis]
    local list, places = positions_of(name, indices, n)
    local m = list and #list or places.size
    local like = ma.ones_like(a, { shape = 2 })
    local folded = ufunc.reduce(like, { axis = 1, dtype = dtype })       -- an error where there is no reduction
    if not dtype then
      local widens = ufunc.name == "add" or ufunc.name == "multiply"
      dtype = widens and folded.dtype or ufunc(like, like).dtype
    end
    local result
    if m == 0 or a.size == 0 then
      local shape = a.shape
      shape[axis] = m
      result = ma.empty(shape, { dtype = dtype, device = a.device })
    else
      result = reduce_parts(ufunc, a, axis, dtype, list, places)
    end
    return common.finish(name, result, out)
  end

  --- The method reduceat of a ufunc.
  function core.reduceat(ufunc)
    return core.named(ufunc.name .. ".reduceat(a, indices, axis?, dtype?, out?)",
      function(a, indices, axis, dtype, out) return reduceat(ufunc, a, indices, axis, dtype, out) end)
  end
end
