--- Distances of the elements of an image to the nearest one that is 0.
--# ndimage_measure

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  local NAME = "ndimage.distance_transform_edt"

  local function spacing(_, what, value)
    if type(value) == "number" and value > 0 and value < math.huge then return value end
    fail(NAME, sformat("%s is %s; wanted a finite number above 0", what,
      type(value) == "number" and tostring(value) or core.describe(value)))
  end

  --- Copies a result into the array that was given for it; an error if that has another shape or dtype.
  local function deliver(what, out, result)
    if not is_array(out) or out.dtype ~= result.dtype or not ma.same_shape(out, result) then
      fail(NAME, sformat("%s is %s; wanted a %s array %s", what, core.describe(out), result.dtype,
        common.shape_text(result)))
    end
    out:assign(result)
  end

  local function flag(what, value, default)
    if value == nil then return default end
    return common.type(NAME, what, value, "boolean")
  end

  --> ndimage.distance_transform_edt({0, 1, 1, 1})
  def("ndimage.distance_transform_edt(input: data, sampling?: number|number[]|array, return_distances?: boolean, "
    .. "return_indices?: boolean, distances?: array, indices?: array) -> array, array?",
    "For each element that is not 0, the Euclidean distance to the nearest one that is 0, exactly, as float64; "
    .. "infinite if there is none. sampling is the distance of neighbours, one number or one for each axis. "
    .. "return_indices gives also the positions of the nearest elements, as int32 with an axis in front that has the "
    .. "position along each axis. distances and indices are arrays that take the results, which are then not "
    .. "returned.",
    function(input, sampling, with_distances, with_indices, distances, indices)
      local image = shared.image(NAME, input)
      with_distances = flag("return_distances", with_distances, true)
      with_indices = flag("return_indices", with_indices, false)
      if not with_distances and not with_indices then
        fail(NAME, "return_distances and return_indices are false; wanted one at least")
      end
      local ndim = image.ndim
      if ndim == 0 then fail(NAME, "an image without axes; wanted one axis at least") end
      local list = shared.per_axis(NAME, "sampling", sampling == nil and 1 or sampling, ndim, spacing)
      local found, places = core.distances(common.bools(image), list, with_indices)
      local results = {}
      if with_distances and distances ~= nil then deliver("distances", distances, found)
      elseif with_distances then results[1] = found end
      if with_indices then
        local along = shared.positions(places, image.shape)      -- of a place -1 there is none
        for d = 1, ndim do along[d] = ma.where(places:lt(0), 0, along[d]):astype("int32") end
        places = ma.stack(along)
        if indices ~= nil then deliver("indices", indices, places) else results[#results + 1] = places end
      end
      return unpack(results)
    end)
end
