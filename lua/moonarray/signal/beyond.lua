--- How a signal goes on beyond its ends, for upfirdn and resample_poly: ma.pad's modes, and those of wavelets.

local sformat, floor, max = require("moonarray.text").format, math.floor, math.max

-- Modes that ma.pad has.
local PAD = { wrap = true, edge = true, symmetric = true, reflect = true, mean = true, median = true, maximum = true,
  minimum = true }

return function(ma, core, shared)
  local fail = core.fail

  -- For the element k of a signal of n elements, both from 0, with k outside: the place and the sign of an element
  -- inside, and the multiples of elements 0, 1, n - 2 and n - 1 that are added to it.
  local rules = {}

  function rules.antisymmetric(k, n)
    local m = k % (2 * n)
    if m < n then return m, 1 end
    return 2 * n - 1 - m, -1
  end

  function rules.antireflect(k, n)
    local last = max(n - 1, 1)
    local turns = floor(k / last)
    local rest = k - turns * last
    if n == 1 then return 0, 1 end
    if turns % 2 == 0 then return rest, 1, -turns, 0, 0, turns end
    return last - rest, -1, 1 - turns, 0, 0, turns + 1
  end

  function rules.smooth(k, n)
    if n == 1 then return 0, 1 end
    if k < 0 then return 0, 1, -k, k, 0, 0 end
    return n - 1, 1, 0, 0, n - 1 - k, k - n + 1
  end

  function rules.line(k, n)
    if n == 1 then return 0, 1 end
    local part = k / (n - 1)
    return 0, 1, -part, 0, 0, part
  end

  --- `count` elements from element `first` on, from 0, by a rule.
  local function side(x, axis, first, count, rule)
    local n, places, signs, added = x.shape[axis], {}, {}, { {}, {}, {}, {} }
    for j = 1, count do
      local place, sign, a, b, c, d = rule(first + j - 1, n)
      places[j], signs[j] = place + 1, sign
      added[1][j], added[2][j], added[3][j], added[4][j] = a or 0, b or 0, c or 0, d or 0
    end
    local function factors(list)
      return shared.upright(ma.array(list, { dtype = shared.real_dtype(x), device = x.device }), x.ndim, axis)
    end
    local values = x:take(ma.array(places, { dtype = "int64", device = x.device }), axis) * factors(signs)
    for j, at in ipairs { 1, 2, n - 1, n } do
      local used = false
      for k = 1, count do used = used or added[j][k] ~= 0 end
      if used then values = values + shared.along(x, axis, at, at) * factors(added[j]) end
    end
    return values
  end

  --- The array with more elements on both sides of an axis. mode 'constant' takes cval (0).
  function shared.beyond(name, what, x, axis, before, behind, mode, cval)
    if PAD[mode] or mode == "constant" then
      return shared.pad_along(x, axis, before, behind,
        { mode = mode, constant_values = mode == "constant" and (cval or 0) or nil })
    end
    local rule = rules[mode]
    if not rule then
      fail(name, sformat("%s is %s; wanted 'constant', 'line', 'edge', 'wrap', 'symmetric', 'reflect', 'smooth', "
        .. "'antisymmetric', 'antireflect', 'mean', 'median', 'maximum' or 'minimum'", what, core.describe(mode)))
    end
    local parts = { x }
    if before > 0 then table.insert(parts, 1, side(x, axis, -before, before, rule)) end
    if behind > 0 then parts[#parts + 1] = side(x, axis, x.shape[axis], behind, rule) end
    return ma.concatenate(parts, axis)
  end
end
