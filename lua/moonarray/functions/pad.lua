--- pad: an array with a border. The constant mode fills slabs; the others gather from positions folded back into the
--- array.

local sformat, floor = string.format, math.floor

return function(ma, core)
  local fail = core.fail

  --- A number, {before, after} for every axis, or {{before, after}, ...} for each: two lists by axis.
  local function pairs_of(what, value, ndim, least)
    local before, after = {}, {}
    local function check(x)
      if type(x) ~= "number" or (least and (x ~= floor(x) or x < least)) then
        fail("pad", sformat("%s holds %s; %s", what, tostring(x), least and "whole numbers from 0 on" or "numbers"))
      end
      return x
    end
    for d = 1, ndim do
      local own = value
      if type(value) == "table" and type(value[1]) == "table" then
        if #value ~= 1 and #value ~= ndim then
          fail("pad", sformat("%d pairs in %s for %d axes; one pair an axis", #value, what, ndim))
        end
        own = value[d] or value[1]
      end
      if type(own) == "table" then before[d], after[d] = check(own[1]), check(own[2] or own[1])
      else before[d], after[d] = check(own), check(own) end
    end
    return before, after
  end

  --- For each mode: positions p (0 for the first element, any sign) folded into 0 .. n-1.
  local folds = {
    edge = function(p, n) return ma.clip(p, 0, n - 1) end,
    wrap = function(p, n) return p % n end,
    symmetric = function(p, n)
      local q = p % (2 * n)
      return ma.minimum(q, 2 * n - 1 - q)
    end,
    reflect = function(p, n)
      if n == 1 then return p * 0 end
      local q = p % (2 * n - 2)
      return ma.minimum(q, 2 * n - 2 - q)
    end,
  }

  local function pad_constant(a, before, after, values)
    local shape, ndim = a.shape, a.ndim
    local low, high = pairs_of("constant_values", values or 0, ndim)
    local total, inner = {}, {}
    for d = 1, ndim do
      total[d] = before[d] + shape[d] + after[d]
      inner[d] = { before[d] + 1, before[d] + shape[d] }
    end
    local result = ma.empty(total, { dtype = a.dtype, device = a.device })
    result[inner] = a
    for d = 1, ndim do                                           -- the slabs of later axes cover the corners
      local slab = {}
      for k = 1, ndim do slab[k] = k < d and {} or inner[k] end
      slab[d] = { 1, before[d] }
      if before[d] > 0 then result[slab] = low[d] end
      slab[d] = { before[d] + shape[d] + 1, total[d] }
      if after[d] > 0 then result[slab] = high[d] end
    end
    return result
  end

  core.def("pad(a, pad_width, mode?, constant_values?)",
    "The array with a border: constant, edge, wrap, reflect or symmetric. Widths: n, {before, after}, or a pair an " ..
      "axis.",
    function(a, width, mode, values)
      a = ma.asarray(a)
      mode = mode or "constant"
      local before, after = pairs_of("pad_width", width, a.ndim, 0)
      if a.ndim == 0 then return a:copy() end
      if mode == "constant" then return pad_constant(a, before, after, values) end
      local fold = folds[mode]
      if not fold then
        fail("pad", sformat("'%s' for mode; constant, edge, wrap, reflect or symmetric", tostring(mode)))
      end
      local result, shape = a, a.shape
      for d = 1, a.ndim do
        if before[d] + after[d] > 0 then
          if shape[d] == 0 then fail("pad", sformat("axis %d is empty; mode 'constant' alone pads it", d)) end
          local p = ma.range(-before[d], shape[d] - 1 + after[d], { device = a.device })
          result = result:take(fold(p, shape[d]) + 1, d)
        end
      end
      return result == a and a:copy() or result
    end)
end
