--- Parts of arrays along an axis, as views.
--# shape

local sformat, floor, min, max = require("moonarray.text").format, math.floor, math.min, math.max

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local axis_of, whole, along = common.axis, common.whole, common.along

  --- Views that start at the given positions; the first starts at 1.
  local function cut(name, a, starts, axis)
    local parts, n = {}, a.shape[axis]
    local from = 1
    for k = 1, #starts + 1 do
      local to = starts[k] and min(max(whole(name, "a position", starts[k], 1), from), n + 1) - 1 or n
      parts[k] = along(a, axis, from, to)
      from = to + 1
    end
    return parts
  end

  local function array_split(name, a, sections, axis, even)
    a = core.asarray(a)
    axis = axis_of(name, axis or 1, a.ndim)
    if type(sections) == "table" then return cut(name, a, sections, axis) end
    local n = a.shape[axis]
    sections = whole(name, "the number of sections", sections, 1)
    if sections > max(n, 1e6) or sections > 2 ^ 24 then
      fail(name, sformat("%g sections of axis %d, which has %d elements", sections, axis, n))
    end
    if even and n % sections ~= 0 then
      fail(name, sformat("%d sections of axis %d, which has %d elements; equal sections (array_split takes others)",
        sections, axis, n))
    end
    local starts, small, larger = {}, floor(n / sections), n % sections
    local from = 1
    for k = 1, sections - 1 do
      from = from + small + (k <= larger and 1 or 0)
      starts[k] = from
    end
    return cut(name, a, starts, axis)
  end

  --> split: unpack(ma.split(ma.range(1, 4), 2))
  def("split(a: data, indices_or_sections: integer|integer[], axis?: integer|integer[]) -> array[]",
    "A table of views of equal extents, or of those that begin at the given positions: {3, 5} makes 1:2, 3:4 and 5:.",
    function(a, sections, axis) return array_split("split", a, sections, axis, true) end)

  --> array_split: unpack(ma.array_split(ma.range(1, 5), 2))
  def("array_split(a: data, indices_or_sections: integer|integer[], axis?: integer|integer[]) -> array[]",
    "As split, but sections may be unequal: the first ones are longer by one.",
    function(a, sections, axis) return array_split("array_split", a, sections, axis, false) end)

  local function define_split(name, axis, least)
    def(name .. "(a: data, indices_or_sections: integer|integer[]) -> array[]",
      sformat("split along axis %s.", axis == 1 and "1" or axis == 2 and "2, or the only one" or "3"),
      function(a, sections)
        a = core.asarray(a)
        if a.ndim < least then fail(name, sformat("an array of %d axes; at least %d", a.ndim, least)) end
        return array_split(name, a, sections, min(axis, max(a.ndim, 1)), true)
      end)
  end
  --> hsplit: unpack(ma.hsplit(ma.range(1, 4), 2))
  define_split("hsplit", 2, 1)
  --> vsplit: unpack(ma.vsplit({{1, 2}, {3, 4}}, 2))
  define_split("vsplit", 1, 2)
  --> dsplit: #ma.dsplit(ma.ones({2, 2, 4}), 2)
  define_split("dsplit", 3, 3)

  --> unstack({{1, 2}, {3, 4}})
  def("unstack(a: data, axis?: integer|integer[]) -> array ...",
    "The parts along an axis as several results, without that axis.",
    function(a, axis)
      a = ma.moveaxis(a, axis or 1, 1)
      local parts = {}
      for k = 1, common.at_once("unstack", a.shape[1]) do parts[k] = along(a, 1, k, k):squeeze(1) end
      return common.unpack("unstack", parts)
    end)
end
