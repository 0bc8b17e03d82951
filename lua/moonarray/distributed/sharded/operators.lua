--- Operators and functions of sharded arrays that work element by element: each rank computes its part, and nothing
--- moves. They wait and fuse as those of arrays do.

local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, _, sh)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  -- ==== Operands =====================================================================================================

  local function same_place(x, y)
    if x.group ~= y.group or x.ndim - x.axis ~= y.ndim - y.axis then return false end
    for r = 1, #x.sizes do
      if x.sizes[r] ~= y.sizes[r] then return false end
    end
    return true
  end
  sh.same_place = same_place

  --- The part of an operand that meets x's part: all ranks have the same array, so each takes its positions, unless the
  --- axis is broadcast.
  local function local_of(name, x, value)
    if sh.is(value) then
      if not same_place(x, value) then
        fail(name, sformat("%s and %s; wanted the same parts: write a:reshard(b)", tostring(x), tostring(value)))
      end
      return value.part
    end
    if not is_array(value) then return value end
    local axis = x.axis - x.ndim + value.ndim
    if axis < 1 or value.shape[axis] == 1 then return value end
    if value.shape[axis] ~= x.shape[x.axis] then
      fail(name, sformat("%s beside %s; wanted the whole extent of the sharded axis, or 1", core.describe(value),
        tostring(x)))
    end
    return sh.slice(value, axis, x.first, x.last)
  end
  sh.local_of = local_of

  --- Makes results sharded arrays: each has the part's positions along the axis, counted from the last one.
  local function wrap(name, x, results)
    for k, result in ipairs(results) do
      local axis = is_array(result) and x.axis - x.ndim + result.ndim
      if not axis or axis < 1 or result.shape[axis] ~= x.part.shape[x.axis] then
        fail(name, sformat("a result is %s; wanted an array with the part's extent along the sharded axis, %d",
          core.describe(result), x.part.shape[x.axis]))
      end
      results[k] = sh.like(x, result, axis)
    end
    return unpack(results)
  end

  local function apply(name, fn, args, n)
    local x
    for k = 1, n do
      if sh.is(args[k]) and (not x or args[k].ndim > x.ndim) then x = args[k] end
    end
    if not x then fail(name, "no sharded array among the arguments; wanted one") end
    for k = 1, n do args[k] = local_of(name, x, args[k]) end
    return wrap(name, x, { fn(unpack(args, 1, n)) })
  end

  --> distributed.map: local D = ma.distributed
  -->   D.init()
  -->   local x = D.distribute(ma.linspace(-1, 1, 5))
  -->   return D.map(ma.where, x:lt(0), 0, x):all_gather()
  def("distributed.map(fn: function, ...) -> sharded_array ...",
    "fn(...) of the parts of sharded arrays: fn is a function of arrays that works "
    .. "element by element along the sharded axis, such as ma.sqrt, ma.where or a function of ma.fuse. Arrays among "
    .. "the arguments are the same on all ranks, and each rank takes its positions of them. The result is a sharded "
    .. "array.",
    function(fn, ...)
      common.callable("distributed.map", "fn", fn)
      return apply("distributed.map", fn, { ... }, select("#", ...))
    end)

  -- ==== Operators ====================================================================================================

  local OPERATORS = {
    add = function(a, b) return a + b end,
    sub = function(a, b) return a - b end,
    mul = function(a, b) return a * b end,
    div = function(a, b) return a / b end,
    mod = function(a, b) return a % b end,
    pow = function(a, b) return a ^ b end,
  }
  for name, fn in pairs(OPERATORS) do
    sh.Array["__" .. name] = function(a, b) return apply("distributed.Array." .. name, fn, { a, b }, 2) end
  end
  sh.Array.__unm = function(a) return sh.like(a, -a.part) end

  -- ==== Methods ======================================================================================================

  local UNARY = [[abs absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil conj cos cosh deg2rad exp exp2
    expm1 floor isfinite isinf isnan log log10 log1p log2 logical_not negative rad2deg reciprocal rint sign sin sinh
    sqrt square tan tanh trunc]]
  local BINARY = "eq ne lt le gt ge maximum minimum fmax fmin arctan2 hypot logical_and logical_or logical_xor"

  local function find(name)
    local alias = ({ eq = "equal", ne = "not_equal", lt = "less", le = "less_equal", gt = "greater",
      ge = "greater_equal", abs = "absolute" })[name] or name
    return ma[alias]
  end

  for name in UNARY:gmatch "%S+" do
    local fn = find(name)
    --> distributed.Array.sqrt distributed.Array.cbrt distributed.Array.square distributed.Array.reciprocal
    --> \ distributed.Array.log distributed.Array.log2 distributed.Array.log10 distributed.Array.log1p
    --> \ distributed.Array.exp distributed.Array.exp2 distributed.Array.expm1: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, 4, 9}):sqrt():all_gather()
    --> distributed.Array.sin distributed.Array.cos distributed.Array.tan distributed.Array.arcsin
    --> \ distributed.Array.arccos distributed.Array.arctan distributed.Array.sinh distributed.Array.cosh
    --> \ distributed.Array.tanh distributed.Array.arcsinh distributed.Array.arctanh distributed.Array.deg2rad
    --> \ distributed.Array.rad2deg: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {-0.5, 0, 0.5}):sin():all_gather()
    --> distributed.Array.arccosh: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, 2}):arccosh():all_gather()
    --> distributed.Array.floor distributed.Array.ceil distributed.Array.rint distributed.Array.trunc
    --> \ distributed.Array.sign distributed.Array.abs distributed.Array.absolute distributed.Array.negative
    --> \ distributed.Array.conj: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {-1.5, 0.5, 2.5}):floor():all_gather()
    --> distributed.Array.isnan distributed.Array.isfinite distributed.Array.isinf: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, ma.nan, ma.inf}):isnan():all_gather()
    --> distributed.Array.logical_not: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {0, 1, 2}):logical_not():all_gather()
    sh.method(name .. "(x: sharded_array) -> sharded_array",
      "moonarray." .. name .. " of each element.", function(x) return sh.like(x, fn(x.part)) end)
  end
  for name in BINARY:gmatch "%S+" do
    local fn = find(name)
    --> distributed.Array.logical_and distributed.Array.logical_or distributed.Array.logical_xor:
    --> \ local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {0, 1, 2}):logical_and(ma.array {1, 0, 1}):all_gather()
    --> distributed.Array.eq distributed.Array.ne distributed.Array.lt distributed.Array.gt distributed.Array.le
    --> \ distributed.Array.ge: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, 2, 3}):lt(ma.array {1, 3, 3}):all_gather(), D.ones(2):eq(1):all()
    --> distributed.Array.maximum distributed.Array.minimum distributed.Array.fmax distributed.Array.fmin:
    --> \ local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, 5, 3}):maximum(2):all_gather()
    --> distributed.Array.hypot distributed.Array.arctan2: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {3, 5}):hypot(ma.array {4, 12}):all_gather()
    sh.method(name .. "(x: sharded_array, y: sharded_array|data) -> sharded_array",
      "moonarray." .. name .. " of each pair of elements.", function(x, y)
      return apply("distributed.Array." .. name, fn, { x, y }, 2)
    end)
  end

  --> distributed.Array.astype: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1.5, 2.5}):astype("int32"):all_gather()
  sh.method("astype(x: sharded_array, dtype: dtype) -> sharded_array",
    "The elements in another dtype.", function(x, dtype)
    return sh.like(x, x.part:astype(dtype))
  end)
  --> distributed.Array.clip: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1, 5, 9}):clip(2, 6):all_gather()
  sh.method("clip(x: sharded_array, least?: sharded_array|data, most?: sharded_array|data) -> sharded_array",
    "The elements, held between two limits.", function(x, least, most)
    return apply("distributed.Array.clip", ma.clip, { x, least, most }, 3)
  end)
  --> distributed.Array.assign: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1, 2, 3}):assign({4, 5, 6}):all_gather()
  sh.method("assign(x: sharded_array, y: sharded_array|data) -> sharded_array",
    "Writes the elements of a sharded array with the same parts, an array that all ranks have, "
    .. "or a number. Returns x.", function(x, y)
      x.part:assign(local_of("distributed.Array.assign", x, y))
      return x
    end)
end
