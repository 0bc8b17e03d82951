--- Checks of arguments that the parts of ma.ndimage share. The first argument of each is the function's name for
--- errors, with its module: "ndimage.sobel".

local sformat, floor = require("moonarray.text").format, math.floor

-- The rules by which an image continues beyond its edges, as the core counts them.
local CODES = { nearest = 0, wrap = 1, reflect = 2, ["grid-mirror"] = 2, mirror = 3, constant = 4,
  ["grid-wrap"] = 5, ["grid-constant"] = 6 }
-- For filters the two rules of a grid are the plain ones.
local OF_FILTERS = { [5] = 1, [6] = 4 }
local MODES = "\"reflect\", \"constant\", \"nearest\", \"mirror\", \"wrap\", \"grid-mirror\", \"grid-wrap\" or "
  .. "\"grid-constant\""

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local shared = { NEAREST = 0, WRAP = 1, REFLECT = 2, MIRROR = 3, CONSTANT = 4, GRID_WRAP = 5, GRID_CONSTANT = 6 }

  --- The image: an array, or a table as one.
  function shared.image(name, input)
    if not is_array(input) and type(input) ~= "table" and type(input) ~= "number" then
      fail(name, sformat("input is %s; wanted an array", core.describe(input)))
    end
    return core.asarray(input)
  end

  --- The image of a function that takes no complex numbers.
  function shared.real_image(name, input)
    input = shared.image(name, input)
    if ma.iscomplexobj(input) then fail(name, sformat("input is %s; wanted real elements", core.describe(input))) end
    return input
  end

  -- ==== Boundaries =================================================================================================

  --- The code of one mode; the default is "reflect". With `whole` the two modes of a grid are rules of their own.
  function shared.mode(name, mode, whole)
    if mode == nil then mode = "reflect" end
    local code = CODES[mode]
    if not code then
      fail(name, sformat("mode is %s; wanted %s", type(mode) == "string" and sformat("%q", mode)
        or core.describe(mode), MODES))
    end
    return not whole and OF_FILTERS[code] or code
  end

  --- A list of n codes, from one mode or a table of n.
  function shared.modes(name, mode, n)
    local list = {}
    if type(mode) ~= "table" then
      local code = shared.mode(name, mode)
      for k = 1, n do list[k] = code end
      return list
    end
    if #mode ~= n then fail(name, sformat("%d modes; wanted one, or one for each of %d axes", #mode, n)) end
    for k = 1, n do list[k] = shared.mode(name, mode[k]) end
    return list
  end

  --- The value beyond the edges in mode "constant", 0 by default: a number, or for complex images a complex one.
  function shared.cval(name, cval, complex)
    if cval == nil then return 0 end
    if type(cval) == "number" then return cval end
    local kind = type(cval)
    if complex and not is_array(cval) and (kind == "cdata" or kind == "userdata") then return cval end
    fail(name, sformat("cval is %s; wanted a number", core.describe(cval)))
  end

  -- ==== Axes, and what is given for each ===========================================================================

  --- The axes as a list of 1 .. ndim, all by default.
  function shared.axes(name, axes, ndim)
    local list, seen = common.axes(name, axes, ndim), {}
    for _, axis in ipairs(list) do
      if seen[axis] then fail(name, sformat("axis %d twice in axes; wanted each once", axis)) end
      seen[axis] = true
    end
    return list
  end

  --- One number for all of n axes, or a table or an array of n, as a list. check(name, what, value) is applied to each.
  function shared.per_axis(name, what, value, n, check)
    local list = {}
    value = common.plain(value)
    if type(value) ~= "table" then
      check(name, what, value)
      for k = 1, n do list[k] = value end
      return list
    end
    if #value ~= n then
      fail(name, sformat("%d values for %s; wanted one, or one for each of %d axes", #value, what, n))
    end
    for k = 1, n do
      check(name, what, value[k])
      list[k] = value[k]
    end
    return list
  end

  function shared.a_number(name, what, value)
    if type(value) ~= "number" then fail(name, sformat("%s is %s; wanted a number", what, core.describe(value))) end
    return value
  end

  function shared.not_negative(name, what, value)
    if shared.a_number(name, what, value) >= 0 and value < math.huge then return value end
    fail(name, sformat("%s is %g; wanted a finite number from 0 on", what, value))
  end

  function shared.a_whole(name, what, value) return common.whole(name, what, value) end
  shared.LONGEST = 2 ^ 24                -- of windows: rows are continued by as many elements

  function shared.a_size(name, what, value) return common.whole(name, what, value, 1, shared.LONGEST) end

  --- The window's shift along each of n axes, 0 by default, with SciPy's sign: a positive one moves the window towards
  --- lower positions. The window keeps its position inside itself.
  function shared.origins(name, origin, sizes)
    local list = shared.per_axis(name, "origin", origin == nil and 0 or origin, #sizes, shared.a_whole)
    for k, size in ipairs(sizes) do
      local half = floor(size / 2)
      if half + list[k] < 0 or half + list[k] >= size then
        fail(name, sformat("origin is %d for a window of %d; wanted %d to %d", list[k], size, -half, size - 1 - half))
      end
    end
    return list
  end

  -- ==== Windows ====================================================================================================

  --- A window turned round its centre: a list of its places from the last to the first, and the shifts that keep the
  --- places where they were.
  function shared.turned(list)
    local back, n = {}, #list
    for k = 1, n do back[k] = list[n + 1 - k] end
    return back
  end

  function shared.turned_origins(origins, shape)
    local back = {}
    for k, origin in ipairs(origins) do back[k] = -origin - (shape[k] % 2 == 0 and 1 or 0) end
    return back
  end

  --- Puts the elements of a nested table into a list. All tables of a depth must be of one length.
  local function flatten(name, what, value, depth, shape, list)
    if type(value) ~= "table" or is_array(value) then
      if shape[depth] or is_array(value) then fail(name, what .. " is no regular table; wanted rows of one length") end
      if type(value) ~= "number" and type(value) ~= "boolean" and type(value) ~= "cdata"
        and type(value) ~= "userdata" then
        fail(name, sformat("%s has %s; wanted numbers", what, core.describe(value)))
      end
      list[#list + 1] = value
      return
    end
    if shape[depth] == nil then
      if #list > 0 then fail(name, what .. " is no regular table; wanted rows of one length") end
      shape[depth] = #value
    end
    if #value ~= shape[depth] then fail(name, what .. " is no regular table; wanted rows of one length") end
    for k = 1, #value do flatten(name, what, value[k], depth + 1, shape, list) end
  end

  --- Numbers on the host in C order and their shape, from a table or an array. An array is read, which waits if it is
  --- on a GPU, and cannot be recorded in a graph.
  function shared.host_values(name, what, value)
    local flat, shape = {}, {}
    if type(value) == "number" then value = { value } end
    if is_array(value) then
      for d, extent in ipairs(value.shape) do shape[d] = extent end
      if value.size > 0 then flat = value:ravel():totable() end
    elseif type(value) == "table" then
      flatten(name, what, value, 1, shape, flat)
    else
      fail(name, sformat("%s is %s; wanted an array or a table", what, core.describe(value)))
    end
    for k = 1, #flat do
      if type(flat[k]) == "boolean" then flat[k] = flat[k] and 1 or 0 end
      if type(flat[k]) == "cdata" then flat[k] = tonumber(flat[k]) or flat[k] end
    end
    return flat, shape
  end

  --- The same of real numbers.
  function shared.real_values(name, what, value)
    local flat, shape = shared.host_values(name, what, value)
    for k = 1, #flat do
      if type(flat[k]) ~= "number" then
        fail(name, sformat("%s has %s; wanted real numbers", what, core.describe(flat[k])))
      end
    end
    return flat, shape
  end

  --- What padding calls a mode of the filters.
  local PADDING = { [shared.REFLECT] = "symmetric", [shared.MIRROR] = "reflect", [shared.NEAREST] = "edge",
    [shared.WRAP] = "wrap", [shared.CONSTANT] = "constant" }

  --- The image continued beyond its edges by as many elements as a window over some axes reaches there.
  function shared.continued(image, axes, shape, origins, modes, cval)
    for k, axis in ipairs(axes) do
      if shape[k] > 1 then
        local before, widths, how = floor(shape[k] / 2) + origins[k], {}, PADDING[modes[k]]
        for d = 1, image.ndim do widths[d] = { 0, 0 } end
        widths[axis] = { before, shape[k] - 1 - before }
        image = ma.pad(image, widths, how, how == "constant" and { constant_values = cval } or nil)
      end
    end
    return image
  end

  --- The window of a filter over the axes `axes`, from size or footprint: its shape along these axes, and a list in C
  --- order of whether each place takes part; nil in place of the list if all do.
  function shared.window(name, size, footprint, axes)
    local n = #axes
    if footprint == nil then
      if size == nil then fail(name, "no window; wanted size or footprint") end
      return shared.per_axis(name, "size", size, n, shared.a_size)
    end
    local taken, shape = shared.real_values(name, "footprint", footprint)
    if #shape ~= n then fail(name, sformat("footprint has %d axes; wanted %d", #shape, n)) end
    local all, any = true, false
    for k = 1, #taken do
      taken[k] = taken[k] ~= 0
      all, any = all and taken[k], any or taken[k]
    end
    if not any then fail(name, "footprint has no element that is true; wanted one at least") end
    return shape, not all and taken or nil
  end

  -- ==== Results ====================================================================================================

  --- The dtype of the result, and the array that takes it or nil. `output` is nil, a dtype or an array of `shape`; the
  --- default dtype is `dtype`, or the image's.
  function shared.output(name, output, input, shape, dtype)
    if output == nil then return dtype or input.dtype end
    if not is_array(output) then return ma.promote_types(output, output) end
    local wanted = shape or input.shape
    if not common.equal(output.shape, wanted) then
      fail(name, sformat("output is %s; wanted the shape (%s)", core.describe(output), table.concat(wanted, ", ")))
    end
    return output.dtype, output
  end

  --- The positions along each axis, counted from 1, of places in C order, counted from 0.
  function shared.positions(places, shape)
    local along = {}
    for d = #shape, 1, -1 do
      along[d] = places % shape[d] + 1
      places = ma.floor_divide(places, shape[d])
    end
    return along
  end

  --- The places of a window over some of ndim axes at which taken[k] is true, as their distances from the window's
  --- middle, moved by origins (0): lists of one number an axis, in C order.
  function shared.distances(taken, shape, origins, axes, ndim)
    local list = {}
    for k = 1, #taken do
      if taken[k] then
        local rest, place = k - 1, {}
        for d = 1, ndim do place[d] = 0 end
        for d = #axes, 1, -1 do
          place[axes[d]] = rest % shape[d] - floor(shape[d] / 2) - origins[d]
          rest = floor(rest / shape[d])
        end
        list[#list + 1] = place
      end
    end
    return list
  end

  --- The result in the array that was given for it, if one was.
  function shared.finish(result, out)
    if out == nil or result == out then return result end
    return out:assign(result)
  end

  return shared
end
