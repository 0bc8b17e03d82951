--- Labels: connected components, the boxes around them, and measurements of the elements that have each label.
--# ndimage_measure

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  local WIDE_FROM = 2 ^ 31 - 2           -- elements from which labels are int64

  -- ==== Components =================================================================================================

  --- The structure of label in the form that the core takes.
  local function links_of(name, structure, ndim)
    local taken, shape = shared.structure(name, structure, ndim)
    local axes, origins = shared.axes(name, nil, ndim), {}
    for d = 1, ndim do
      if shape[d] ~= 3 then
        fail(name, sformat("structure has %d elements along axis %d; wanted 3", shape[d], d))
      end
      origins[d] = 0
    end
    local list = shared.distances(taken, shape, origins, axes, ndim)
    local links, joined = shared.links(list, ndim)
    if not links then fail(name, "structure is not symmetric; wanted one that is the same turned round") end
    return links, joined
  end

  --> ndimage.label({1, 1, 0, 1})
  def("ndimage.label(input: data, structure?: data, output?: array|dtype) -> array, integer",
    "Numbers the connected parts of what is not 0, from 1 on, in the "
    .. "order of their first elements; what is 0 gets 0. Returns the labels, int32 unless output is another dtype, and "
    .. "their number. With an array as output it gets the labels, and the number alone is returned. structure says "
    .. "which of an element's neighbours touch it, by default those along the axes. Waits.",
    function(input, structure, output)
      local name = "ndimage.label"
      local image = shared.real_image(name, input)
      local wide = image.size >= WIDE_FROM and "int64" or "int32"
      local dtype, out = shared.output(name, output, image, nil, wide)
      image = common.bools(image)
      local shape, ndim = image.shape, math.max(image.ndim, 1)
      local links, joined = links_of(name, image.ndim > 0 and structure or nil, ndim)
      if image.ndim == 0 then image = image:reshape(1) end
      local narrow = dtype == "int64" and "int64" or wide
      local labels, count = core.label(image, shared.rows(image, links, ndim), joined, narrow)
      if #shape == 0 then labels = labels:reshape({}) end
      count = tonumber(count:item())
      local info = dtype ~= "bool" and is.integer[dtype] and ma.iinfo(dtype)
      if info and count > tonumber(info.max) then
        fail(name, sformat("%d labels do not fit %s; wanted a wider dtype for output", count, dtype))
      end
      if out then
        out:assign(labels)
        return count
      end
      return labels:astype(dtype, { copy = false }), count
    end)

  --> ndimage.find_objects: #ma.ndimage.find_objects(ma.array({1, 1, 0, 2}, "int64"))
  def("ndimage.find_objects(input: data, max_label?: integer) -> table",
    "For each label from 1 to max_label, by default the greatest one, the "
    .. "least box that holds it: a table with a range {first, last} for each axis, to be used as an index, or false if "
    .. "the label is nowhere. Waits.",
    function(input, max_label)
      local name = "ndimage.find_objects"
      local labels = shared.image(name, input)
      if labels.dtype ~= "bool" and not is.integer[labels.dtype] then
        fail(name, sformat("input is %s; wanted labels of an integer dtype", core.describe(labels)))
      end
      if labels.dtype ~= "int32" and labels.dtype ~= "int64" then labels = labels:astype("int64") end
      max_label = common.whole(name, "max_label", max_label or 0)
      if max_label < 1 then max_label = labels.size > 0 and tonumber(labels:max():item()) or 0 end
      if max_label < 1 then return {} end
      if labels.ndim > 0 then return core.boxes(labels, max_label) end
      local found = core.boxes(labels:reshape(1), max_label)
      for k = 1, max_label do found[k] = found[k] and {} end
      return found
    end)
end
