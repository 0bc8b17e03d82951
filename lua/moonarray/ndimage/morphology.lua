--- Binary morphology: erosion and dilation, what is made of them, and the structures that they take.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is

  local MOST_RANK = 16

  -- ==== Structures =================================================================================================

  --- Whether each place of a structure of three elements along each axis is at most `connectivity` axes off its centre.
  local function square(rank, connectivity)
    local taken, shape = {}, {}
    for d = 1, rank do shape[d] = 3 end
    for k = 0, 3 ^ rank - 1 do
      local off = 0
      for _ = 1, rank do
        off = off + math.abs(k % 3 - 1)
        k = floor(k / 3)
      end
      taken[#taken + 1] = off <= connectivity
    end
    return taken, shape
  end

  --> ndimage.generate_binary_structure(2, 1)
  def("ndimage.generate_binary_structure(rank: integer, connectivity: integer) -> array",
    "A structure of `rank` axes and three elements along "
    .. "each, true where a place lies off the centre along at most `connectivity` axes.",
    function(rank, connectivity)
      local name = "ndimage.generate_binary_structure"
      common.whole(name, "rank", rank, nil, MOST_RANK)
      common.whole(name, "connectivity", connectivity)
      if rank < 1 then return core.asarray(true) end
      local off = 0
      for d = 1, rank do
        off = off + ma.array({ 1, 0, 1 }, "int8"):reshape(common.upright(rank, d, 3))
      end
      return ma.less_equal(off, math.max(connectivity, 1))
    end)

  --- A structure on the host: whether each place takes part, in C order, and its extents. By default it is the cross.
  --- An array of a GPU is read back, which waits.
  function shared.structure(name, structure, ndim, what)
    if structure == nil then return square(ndim, 1) end
    local taken, shape = shared.real_values(name, what or "structure", structure)
    if is_array(structure) and structure.ndim == 0 then shape = {} end
    if #shape ~= ndim then
      fail(name, sformat("%s has %d axes; wanted %d", what or "structure", #shape, ndim))
    end
    if #taken == 0 then fail(name, sformat("%s is empty; wanted one element at least", what or "structure")) end
    for k = 1, #taken do taken[k] = taken[k] ~= 0 end
    return taken, shape
  end

  --- The distances from the centre to the true places of a structure along some of ndim axes, as lists of one number
  --- an axis, in C order.
  local function distances(taken, shape, origin, axes, ndim)
    local list, ascending = shared.distances(taken, shape, origin, axes, ndim), true
    for k = 2, #axes do ascending = ascending and axes[k] > axes[k - 1] end
    if not ascending then
      table.sort(list, function(a, b)
        for d = 1, ndim do
          if a[d] ~= b[d] then return a[d] < b[d] end
        end
        return false
      end)
    end
    return list
  end

  --- The same of the structure turned round its centre, as a dilation takes it.
  local function turned(list)
    local back = {}
    for k, place in ipairs(list) do
      local opposite = {}
      for d, distance in ipairs(place) do opposite[d] = 0 - distance end
      back[#list + 1 - k] = opposite
    end
    return back
  end

  local function text_of(place, n) return table.concat(place, " ", 1, n) end

  --- Runs along the last axis, in the form that the core takes.
  local function runs_of(list, ndim)
    local flat, last = {}, nil
    for _, place in ipairs(list) do
      local row, at = text_of(place, ndim - 1), place[ndim]
      if last and last.row == row and at == last.at + 1 then
        flat[#flat] = at
      else
        for d = 1, ndim do flat[#flat + 1] = place[d] end
        flat[#flat + 1] = at
      end
      last = { row = row, at = at }
    end
    return flat
  end

  --- The links to rows before an element's own, in the form that the core takes, and whether neighbours in a row are
  --- connected. Returns nil if the structure is not symmetric, or reaches further than one element.
  function shared.links(list, ndim)
    local seen, order, rows, joined = {}, {}, {}, false
    for _, place in ipairs(list) do seen[text_of(place, ndim)] = true end
    for k, place in ipairs(list) do
      local opposite, sign = {}, 0
      for d, distance in ipairs(place) do
        if distance < -1 or distance > 1 then return nil end
        opposite[d] = 0 - distance
        if sign == 0 and d < ndim then sign = distance end
      end
      if not seen[text_of(opposite, ndim)] then return nil end
      if sign == 0 and place[ndim] ~= 0 then joined = true end
      if sign < 0 then
        local row = text_of(place, ndim - 1)
        if not rows[row] then
          rows[row] = { reach = 0, place = list[k] }
          order[#order + 1] = rows[row]
        end
        rows[row].reach = rows[row].reach + 2 ^ (place[ndim] + 1)
      end
    end
    local flat = {}
    for _, row in ipairs(order) do
      for d = 1, ndim - 1 do flat[#flat + 1] = row.place[d] end
      flat[#flat + 1] = row.reach
    end
    return flat, joined
  end

  --- Rows of whole numbers on the device of an image.
  function shared.rows(image, flat, width)
    if #flat == 0 then return ma.zeros({ 0, width }, { dtype = "int32", device = image.device }) end
    return ma.array(flat, { dtype = "int32", device = image.device }):reshape(-1, width)
  end

  -- ==== Erosion and dilation =======================================================================================

  --- The image as bool, with an axis at least.
  local function truth(name, what, input)
    if is_array(input) and input.dtype == "bool" then return input end
    return common.bools(shared.real_image(name, input, what))
  end

  local function border_of(name, value)
    if value == nil or value == false then return false end
    if value == true then return true end
    if type(value) ~= "number" then
      fail(name, sformat("border_value is %s; wanted 0, 1 or a boolean", core.describe(value)))
    end
    return value ~= 0
  end

  --- What is true in `image`, bool, after steps of erosion or of dilation. `list` has the distances to the elements
  --- that decide.
  local function steps(image, list, erode, iterations, mask, border)
    local ndim, centred = image.ndim, false
    if image.size == 0 then return image:copy() end
    for _, place in ipairs(list) do
      local still = true
      for d = 1, ndim do still = still and place[d] == 0 end
      centred = centred or still
    end
    local links, joined
    if iterations < 1 and centred then links, joined = shared.links(list, ndim) end
    local once = links and 1 or iterations
    local runs = shared.rows(image, runs_of(list, ndim), ndim + 1)
    local result = core.binary(image, runs, erode, border, centred, once, mask)
    if not links then return result end
    return core.flood(result, shared.rows(image, links, ndim), joined, erode, mask)
  end

  --- An erosion or a dilation with SciPy's arguments, by a structure along the axes.
  local function run(name, image, axes, structure, iterations, mask, border, origin, erode, turn, what)
    local ndim = image.ndim
    axes = shared.axes(name, axes, ndim)
    local taken, shape = shared.structure(name, structure, #axes, what)
    local list = distances(taken, shape, shared.origins(name, origin, shape), axes, ndim)
    if turn then list = turned(list) end
    if iterations == nil then iterations = 1 end
    common.whole(name, "iterations", iterations)
    if mask ~= nil then
      mask = truth(name, "mask", mask):to(image.device)
      if not ma.same_shape(mask, image) then
        fail(name, sformat("mask is %s; wanted the image's shape %s", core.describe(mask), common.shape_text(image)))
      end
    end
    if ndim == 0 then
      image, mask = image:reshape(1), mask and mask:reshape(1)
      for _, place in ipairs(list) do place[1] = 0 end
      return steps(image, list, erode, iterations, mask, border_of(name, border)):reshape({})
    end
    return steps(image, list, erode, iterations, mask, border_of(name, border))
  end

  local function result_in(name, result, output)
    local dtype, out = shared.output(name, output, result, nil, "bool")
    if is.complexfloating[dtype] then fail(name, sformat("output of %s; wanted a real dtype", dtype)) end
    if out then return out:assign(result) end
    return result:astype(dtype, { copy = false })
  end

  local ABOUT = "Elements that are not 0 count as true, and the result is bool unless output says otherwise. structure "
    .. "is an array or a table with an axis for each of axes (all of the image's), by default a cross of three; its "
    .. "centre is in its middle, moved by origin. "
  local STEPS = "iterations below 1 repeat until nothing changes. Where mask is false, elements keep their values. "
    .. "border_value stands for what lies beyond the edges. brute_force is taken and changes nothing. "

  for _, row in ipairs {
    { "erosion", true, "An element stays true if all elements that the structure covers around it are true. " },
    { "dilation", false, "An element becomes true if the structure, laid around a true element, covers it. " },
  } do
    local name, erode = "ndimage.binary_" .. row[1], row[2]
    --> ndimage.binary_dilation({false, false, true, false, false})
    --> ndimage.binary_erosion({true, true, true, false})
    def(name .. "(input: data, structure?: data, iterations?: integer, mask?: data, output?: array|dtype, "
      .. "border_value?: number, origin?: number|number[]|array, brute_force?: boolean; "
      .. "axes?: integer|integer[]|array) -> array", row[3] .. ABOUT .. STEPS,
      function(input, structure, iterations, mask, output, border, origin, _, axes)
        local image = truth(name, "input", input)
        return result_in(name, run(name, image, axes, structure, iterations, mask, border, origin, erode, not erode),
          output)
      end)
  end

  for _, row in ipairs {
    { "opening", true, "An erosion, then a dilation by the same structure: removes what is smaller than the "
      .. "structure. " },
    { "closing", false, "A dilation, then an erosion by the same structure: closes gaps that are smaller than the "
      .. "structure. " },
  } do
    local name, erode = "ndimage.binary_" .. row[1], row[2]
    --> ndimage.binary_closing({true, false, true, true, false})
    --> ndimage.binary_opening({true, false, true, true, true})
    def(name .. "(input: data, structure?: data, iterations?: integer, output?: array|dtype, "
      .. "origin?: number|number[]|array, mask?: data, border_value?: number, brute_force?: boolean; "
      .. "axes?: integer|integer[]|array) -> array", row[3] .. ABOUT .. STEPS,
      function(input, structure, iterations, output, origin, mask, border, _, axes)
        local image = truth(name, "input", input)
        image = run(name, image, axes, structure, iterations, mask, border, origin, erode, not erode)
        return result_in(name, run(name, image, axes, structure, iterations, mask, border, origin, not erode, erode),
          output)
      end)
  end

  --> ndimage.binary_propagation({true, false, false}, {mask = {true, true, false}})
  def("ndimage.binary_propagation(input: data, structure?: data, mask?: data, output?: array|dtype, "
    .. "border_value?: number, origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "A dilation that is repeated until nothing changes, within the mask: the parts of the mask that touch input. "
    .. ABOUT,
    function(input, structure, mask, output, border, origin, axes)
      local name = "ndimage.binary_propagation"
      local image = truth(name, "input", input)
      return result_in(name, run(name, image, axes, structure, -1, mask, border, origin, false, true), output)
    end)

  --> ndimage.binary_fill_holes({true, false, true})
  def("ndimage.binary_fill_holes(input: data, structure?: data, output?: array|dtype, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "Makes true what is false and cannot be reached from the edges. structure says which elements touch. " .. ABOUT,
    function(input, structure, output, origin, axes)
      local name = "ndimage.binary_fill_holes"
      local image = truth(name, "input", input)
      local outside = run(name, ma.zeros_like(image), axes, structure, -1, image:not_(), true, origin, false, true)
      return result_in(name, outside:not_(), output)
    end)

  --> ndimage.binary_hit_or_miss({true, false, true, true, true}, {true, true, true})
  def("ndimage.binary_hit_or_miss(input: data, structure1?: data, structure2?: data, output?: array|dtype, "
    .. "origin1?: integer|integer[]|array, origin2?: integer|integer[]|array; axes?: integer|integer[]|array) -> array",
    "Where structure1 covers true elements only and structure2 false ones only. structure2 is by default what "
    .. "structure1 leaves out, and origin2 is origin1. " .. ABOUT,
    function(input, structure1, structure2, output, origin1, origin2, axes)
      local name = "ndimage.binary_hit_or_miss"
      local image = truth(name, "input", input)
      axes = shared.axes(name, axes, image.ndim)
      local taken, shape = shared.structure(name, structure1, #axes, "structure1")
      local hit = run(name, image, axes, structure1, 1, nil, false, origin1, true, false, "structure1")
      if structure2 == nil then
        for k = 1, #taken do taken[k] = not taken[k] end
        structure2 = ma.array(taken, { device = "cpu" }):reshape(shape)
      end
      if origin2 == nil then origin2 = origin1 end
      local miss = run(name, image, axes, structure2, 1, nil, false, origin2, false, false, "structure2")
      return result_in(name, hit:and_(miss:not_()), output)
    end)

  --> ndimage.iterate_structure(ma.ndimage.generate_binary_structure(1, 1), 2)
  def("ndimage.iterate_structure(structure: data, iterations: integer, origin?: number|number[]|array) -> array",
    "The structure whose dilation is `iterations` dilations by a structure. With origin, also the list of its origins.",
    function(structure, iterations, origin)
      local name = "ndimage.iterate_structure"
      structure = core.asarray(structure)
      common.whole(name, "iterations", iterations)
      if iterations < 2 then return structure:copy() end
      local shape, middle, ndim = {}, {}, structure.ndim
      for d = 1, ndim do
        local extent = structure.shape[d]
        shape[d] = extent + (iterations - 1) * (extent - 1)
        middle[d] = { (iterations - 1) * floor(extent / 2) + 1, (iterations - 1) * floor(extent / 2) + extent }
      end
      local wide = ma.zeros(shape, { dtype = "bool", device = structure.device })
      wide[middle] = structure:ne(0)
      wide = run(name, wide, nil, structure, iterations - 1, nil, false, 0, false, true)
      if origin == nil then return wide end
      local origins = shared.per_axis(name, "origin", origin, ndim, shared.a_whole)
      for d = 1, ndim do origins[d] = origins[d] * iterations end
      return wide, origins
    end)
end
