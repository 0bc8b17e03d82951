--- Reductions of sharded arrays. Over the sharded axis each rank reduces its part to partial results that are not
--- rounded. These are gathered as bytes, merged in the order of ranks, and rounded once, on every rank alike.

local sformat = require("moonarray.text").format

return function(ma, core, _, sh)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local D = ma.distributed

  --- The axes that are reduced, as a set; all without `axis`.
  local function axes_of(name, x, axis)
    local set = {}
    if axis == nil then
      for d = 1, x.ndim do set[d] = true end
    else
      for _, d in ipairs(common.list(name, "axis", axis)) do set[common.axis(name, d, x.ndim)] = true end
    end
    return set
  end

  local function list_of(set, ndim)
    local list = {}
    for d = 1, ndim do
      if set[d] then list[#list + 1] = d end
    end
    return list
  end

  --- The sharded axis after a reduction of others.
  local function axis_after(x, set, keepdims)
    local axis = x.axis
    for d = 1, x.axis - 1 do
      if set[d] and not keepdims then axis = axis - 1 end
    end
    return axis
  end

  --- Elements of all parts for each result.
  local function count_of(x, set)
    local n = 1
    for d in pairs(set) do n = n * x.shape[d] end
    return n
  end

  --- The bytes of this rank beside those of the others, along a new first axis; a rank without elements gives none.
  local function gathered(x, bytes)
    local sizes, shape = {}, { 1 }
    for r, n in ipairs(x.sizes) do sizes[r] = n > 0 and 1 or 0 end
    for d = 1, bytes.ndim do shape[d + 1] = bytes.shape[d] end
    local mine = bytes:reshape(shape)
    if sizes[x.group.rank + 1] == 0 then
      shape[1] = 0
      mine = ma.empty(shape, { dtype = bytes.dtype, device = bytes.device })
    end
    return D.all_gather(mine, { sizes = sizes, group = x.group })
  end

  --- The whole reduction of an array without elements, which gives an identity or an error.
  local function of_nothing(x, fn, list, options)
    return fn(ma.empty(x.shape, { dtype = x.dtype, device = x.device }), list, { dtype = options.dtype,
      ddof = options.ddof, keepdims = options.keepdims, initial = options.initial })
  end

  local function partial(name, op, leave_out, part, list, options, where)
    return core.reduce_part(name, op, leave_out, part, list, options.keepdims, options.dtype, where)
  end

  --- The partial result of `initial`, as if a rank before all others had it. fn checks it, and says its dtype.
  local function of_initial(name, fn, op, leave_out, x, list, options)
    local value = fn(ma.empty(0, { dtype = x.dtype, device = x.device }), { initial = options.initial,
      dtype = options.dtype })
    local shape = {}
    for d = 1, x.ndim do shape[d] = x.shape[d] end
    for _, d in ipairs(list) do shape[d] = 1 end
    local bytes = partial(name, op, leave_out, ma.broadcast_to(value, shape), list, options)
    local behind = { 1 }
    for d = 1, bytes.ndim do behind[d + 1] = bytes.shape[d] end
    return bytes:reshape(behind)
  end

  local function merged(name, fn, op, leave_out, x, set, options)
    local list = list_of(set, x.ndim)
    local all = gathered(x, partial(name, op, leave_out, x.part, list, options, options.where))
    if options.initial ~= nil then
      all = ma.concatenate({ of_initial(name, fn, op, leave_out, x, list, options), all })
    end
    local result = core.reduce_merge(name, op, leave_out, all, x.dtype, options.dtype, count_of(x, set), options.ddof,
      options.where ~= nil)
    return options.dtype and result.dtype ~= options.dtype and result:astype(options.dtype) or result
  end

  local EXTREMES = { min = true, max = true, fmin = true, fmax = true }

  --- The part of `where` that meets x's part, with its shape; nil: all elements count.
  local function where_of(name, op, x, options)
    local where = options.where
    if where == nil or where == true then return nil end
    if not sh.is(where) and not core.is_array(where) or where.dtype ~= "bool" then
      fail(name, sformat("where is %s; wanted a bool array, sharded as the elements are or the same on all ranks",
        sh.is(where) and tostring(where) or core.describe(where)))
    end
    if EXTREMES[op] and options.initial == nil then
      fail(name, sformat("where without initial; %s has no identity, so initial must say what nothing gives", op))
    end
    return ma.broadcast_to(sh.local_of(name, x, where), x.part.shape)
  end

  local function reduce(name, fn, op, leave_out, x, axis, options)
    local set = axes_of(name, x, axis)
    local list = list_of(set, x.ndim)
    options.where = where_of(name, op, x, options)
    if not set[x.axis] then
      return sh.like(x, fn(x.part, list, options), axis_after(x, set, options.keepdims))
    end
    if x.size == 0 then return of_nothing(x, fn, list, options) end
    return merged(name, fn, op, leave_out, x, set, options)
  end

  -- ==== The methods ==================================================================================================

  local SUMS = {
    { "sum", "sum", "Sum of elements along axes, and of `initial`." },
    { "prod", "prod", "Product of elements along axes, and of `initial`." },
  }
  for _, row in ipairs(SUMS) do
    local method, op = row[1], row[2]
    local name, fn = "distributed.Array." .. method, ma[method]
    --> distributed.Array.sum distributed.Array.prod distributed.Array.mean: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {{1, 2}, {3, 4}}):sum(1)
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[], dtype?: dtype, keepdims?: boolean, "
      .. "initial?: data, where?: sharded_array|array) -> array|sharded_array", row[3],
      function(x, axis, dtype, keepdims, initial, where)
        return reduce(name, fn, op, false, x, axis, { dtype = dtype, keepdims = keepdims, initial = initial,
          where = where })
      end)
  end

  local MEANS = {
    { "mean", "mean", "Arithmetic mean along axes; of integers in float64." },
    --> distributed.Array.nanmean distributed.Array.nanvar distributed.Array.nanstd distributed.Array.nanmin
    --> \ distributed.Array.nanmax: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, ma.nan, 3}):nanmean():item()
    { "nanmean", "mean", "Arithmetic mean of what is not NaN.", true },
    --> distributed.Array.logsumexp: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {0, 0}):logsumexp():item()
    { "logsumexp", "logaddexp", "Logarithm of the sum of the exponentials." },
  }
  for _, row in ipairs(MEANS) do
    local method, op, leave_out = row[1], row[2], row[4] or false
    local name, fn = "distributed.Array." .. method, ma[method]
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[], dtype?: dtype, keepdims?: boolean, "
      .. "where?: sharded_array|array) -> array|sharded_array", row[3], function(x, axis, dtype, keepdims, where)
      return reduce(name, fn, op, leave_out, x, axis, { dtype = dtype, keepdims = keepdims, where = where })
    end)
  end

  for method, leave_out in pairs { var = false, std = false, nanvar = true, nanstd = true } do
    local name, fn, op = "distributed.Array." .. method, ma[method], method:sub(-3)
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[], dtype?: dtype, ddof?: integer, "
      --> distributed.Array.var distributed.Array.std: local D = ma.distributed
      -->   D.init()
      -->   return D.distribute(ma.array {1, 2, 3, 4}):var({ddof = 1}):item()
      .. "keepdims?: boolean, where?: sharded_array|array) -> array|sharded_array", (op == "var" and "Variance"
      or "Standard deviation") .. (leave_out and " of what is not NaN." or " along axes."),
      function(x, axis, dtype, ddof, keepdims, where)
        return reduce(name, fn, op, leave_out, x, axis, { dtype = dtype, ddof = ddof, keepdims = keepdims,
          where = where })
      end)
  end

  for method, op in pairs { min = "min", max = "max", nanmin = "fmin", nanmax = "fmax" } do
    local name, fn = "distributed.Array." .. method, ma[method]
    --> distributed.Array.max distributed.Array.min: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {{1, 2}, {3, 4}}):max(1, true)
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[], keepdims?: boolean, initial?: data, "
      .. "where?: sharded_array|array) -> array|sharded_array", (op:find "min" and "Smallest" or "Largest")
      .. " element" .. (op:find "^f" and " that is not NaN." or "; NaN if there is one."),
      function(x, axis, keepdims, initial, where)
        return reduce(name, fn, op, false, x, axis, { keepdims = keepdims, initial = initial, where = where })
      end)
  end

  --> distributed.Array.count_nonzero: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1, 0, 3}):count_nonzero():item()
  sh.method("count_nonzero(x: sharded_array, axis?: integer|integer[], keepdims?: boolean, "
    .. "where?: sharded_array|array) -> array|sharded_array", "Number of elements that are not 0.",
    function(x, axis, keepdims, where)
      return reduce("distributed.Array.count_nonzero", ma.count_nonzero, "count_nonzero", false, x, axis,
        { keepdims = keepdims, where = where })
    end)

  --> distributed.Array.any distributed.Array.all: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {0, 1, 0}):any()
  for _, method in ipairs { "any", "all" } do
    local name, fn = "distributed.Array." .. method, ma[method]
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[], keepdims?: boolean, "
      .. "where?: sharded_array|array) -> boolean|array|sharded_array",
      method == "any" and "Is any element true? Without axis and "
      .. "keepdims a Lua boolean." or "Are all elements true? Without axis and keepdims a Lua boolean.",
      function(x, axis, keepdims, where)
        local result = reduce(name, fn, method, false, x, axis, { keepdims = keepdims, where = where })
        if axis ~= nil or keepdims ~= nil or type(result) == "boolean" then return result end
        return result:item()
      end)
  end

  -- ==== Positions ====================================================================================================

  --- Positions in the part, counted over the whole.
  local function in_the_whole(x, position, axis)
    if axis then return position + (x.first - 1) end
    local inner, own = 1, x.part.shape[x.axis]
    for d = x.axis + 1, x.ndim do inner = inner * x.shape[d] end
    local rest = position - 1
    local below, above = rest % (inner * own), ma.floor_divide(rest, inner * own)
    return above * (inner * x.shape[x.axis]) + below + (x.first - 1) * inner + 1
  end

  local FAR = 2 ^ 53

  --- The best value of all ranks, and of its positions the first.
  local function position(name, method, extreme, x, axis)
    local set = axes_of(name, x, axis)
    if axis ~= nil then axis = common.axis(name, axis, x.ndim) end
    if not set[x.axis] then
      return sh.like(x, ma[method](x.part, axis), axis_after(x, set, false))
    end
    if x.shape[x.axis] == 0 then fail(name, sformat("%s of no elements; wanted at least one", method)) end
    local shape = {}
    for d = 1, x.ndim do
      if not set[d] then shape[#shape + 1] = x.shape[d] end
    end
    local empty = x.part.shape[x.axis] == 0
    local place = { dtype = x.dtype, device = x.device }
    local value = empty and ma.zeros(shape, place) or extreme(x.part, axis)
    local at = empty and ma.zeros(shape, { dtype = "int64", device = x.device })
      or in_the_whole(x, ma[method](x.part, axis), axis)
    local values, places = gathered(x, value), gathered(x, at)
    local best = extreme(values, 1)
    local found = ma.logical_or(values:eq(best), ma.logical_and(ma.isnan(values), ma.isnan(best)))
    return ma.where(found, places, FAR):min(1)
  end

  for _, kind in ipairs { "min", "max" } do
    local method = "arg" .. kind
    --> distributed.Array.argmax distributed.Array.argmin: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {3, 9, 1}):argmax():item()
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[]) -> array|sharded_array",
      "Position of the first " .. (kind == "min" and "smallest" or "largest")
      .. " element along an axis, or of the first NaN; counted over the whole.", function(x, axis)
        return position("distributed.Array." .. method, method, ma[kind], x, axis)
      end)
  end
end
