--- Elements chosen by conditions: stored under a mask, or computed by a function for each condition.
--# indexing

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local function target(name, what, a)
    if core.is_array(a) then return a end
    fail(name, sformat("%s is %s; wanted an array", what, core.describe(a)))
  end

  --- The mask as bools with the array's shape, on its device.
  local function mask_for(name, a, mask)
    mask = core.asarray(mask)
    if mask.size ~= a.size then fail(name, sformat("a mask of %d elements for %d; as many", mask.size, a.size)) end
    return common.bools(mask:to(a.device)):reshape(a.shape)
  end

  --- Values in the array's dtype as a vector on its device. Lua values are converted; an array must cast safely.
  local function values_for(name, a, values)
    if not core.is_array(values) then values = core.asarray(values, { dtype = a.dtype, device = a.device })
    elseif not ma.can_cast(values.dtype, a.dtype, "safe") then
      fail(name, sformat("values of dtype %s for %s; a dtype that casts safely", values.dtype, a.dtype))
    end
    return values:ravel():to(a.device):astype(a.dtype, { copy = false })
  end

  --- For each element of a vector of bools, the value that belongs to the number of trues up to it. It goes by pieces,
  --- because these numbers are int64, eight times as long as the mask.
  local PIECE = 2 ^ 22
  local function in_turn(mask, values)
    local n, size = values.size, mask.size
    if size <= PIECE then return values:take((ma.cumsum(mask, { dtype = "int64" }) - 1) % n + 1) end
    local out, before = ma.empty(size, { dtype = values.dtype, device = values.device }), -1
    for first = 1, size, PIECE do
      local piece = { { first, math.min(first + PIECE - 1, size) } }
      local rank = ma.cumsum(mask[piece], { dtype = "int64" }) + before
      out[piece] = values:take(rank % n + 1)
      before = rank[{ { -1, -1 } }]
    end
    return out
  end

  --> place: local a = ma.range(1, 4)
  -->   ma.place(a, a:gt(2), {8, 9})
  -->   return a
  def("place(arr: data, mask: data, vals: data) -> array",
    "Stores values, in turn and as often as it takes, in the elements of arr where the "
    .. "mask is true, in C order; changes and returns arr. The mask has as many elements as arr. It waits only if "
    .. "vals is empty, which is an error where the mask is true.",
    function(a, mask, values)
      target("place", "arr", a)
      mask, values = mask_for("place", a, mask), values_for("place", a, values)
      local n = values.size
      if n == 0 then
        if mask:any() then fail("place", "no values for a mask that is true somewhere; one at least") end
        return a
      end
      values = n > 1 and in_turn(mask:ravel(), values):reshape(a.shape) or values:reshape({})
      return ma.copyto(a, values, { where = mask })
    end)

  --> putmask: local a = ma.range(1, 4)
  -->   ma.putmask(a, a:gt(2), 0)
  -->   return a
  def("putmask(a: data, mask: data, values: data) -> array",
    "Stores in each element of a where the mask is true the element of values at the "
    .. "same place, values being repeated to the size of a; changes and returns a.",
    function(a, mask, values)
      target("putmask", "a", a)
      mask, values = mask_for("putmask", a, mask), values_for("putmask", a, values)
      local n = values.size
      if n == 0 or a.size == 0 then return a end
      values = n > 1 and ma.resize(values, a.shape) or values:reshape({})
      return ma.copyto(a, values, { where = mask })
    end)

  -- ==== piecewise ====

  --- Conditions as a list of bool arrays of x's shape. A single one needs no table.
  local function read_conditions(x, conditions)
    if core.is_array(conditions) and conditions.ndim > x.ndim then
      local list = {}
      for k = 1, conditions.shape[1] do list[k] = conditions[{ { k, k } }]:squeeze(1) end
      conditions = list
    elseif type(conditions) ~= "table" or (type(conditions[1]) == "boolean" and x.ndim > 0) then
      conditions = { conditions }
    end
    local list = {}
    for k, condition in ipairs(conditions) do
      condition = common.bools(common.on(x, condition))
      if condition.ndim ~= 0 and not ma.same_shape(condition, x) then
        fail("piecewise", sformat("condition %d of another shape than x; the same", k))
      end
      list[k] = condition:broadcast_to(x.shape)
    end
    if #list == 0 then fail("piecewise", "no conditions; one at least") end
    return list
  end

  local function is_function(value) return not core.is_array(value) and core.is_callable(value) end

  --> piecewise: ma.piecewise(ma.array {-1, 2}, {ma.array {true, false}}, {function(x) return -x end, 0})
  def("piecewise(x: data, condlist: data[], funclist: function[], ...) -> array",
    "An array of x's shape and dtype: where a condition holds, what its "
    .. "function gives for those elements of x, or its value; the last condition that holds decides, one function "
    .. "more is for the elements of none, and others are 0. Loose arguments go to the functions. A function's "
    .. "elements are counted, which waits.",
    function(x, condlist, funclist, ...)
      x = core.asarray(x)
      local conditions = read_conditions(x, condlist)
      if type(funclist) ~= "table" or is_function(funclist) then funclist = { funclist } end
      local n = #conditions
      if #funclist == n + 1 then
        local any = conditions[1]
        for k = 2, n do any = any + conditions[k] end
        conditions[n + 1] = ma.logical_not(any)
      elseif #funclist ~= n then
        fail("piecewise", sformat("%d functions for %d conditions; %d or %d", #funclist, n, n, n + 1))
      end
      local result = ma.zeros_like(x)
      for k, condition in ipairs(conditions) do
        local value = funclist[k]
        if not is_function(value) then
          if core.is_array(value) and value.ndim > 0 then result[condition] = value
          else ma.copyto(result, value, { where = condition, casting = "unsafe" }) end
        else
          local elements = x[condition]
          if elements.size > 0 then result[condition] = core.asarray(value(elements, ...)):astype(x.dtype) end
        end
      end
      return result
    end)
end
