--- Sharded arrays with their elements elsewhere: along another axis, in other parts, in blocks of matrices.
---
--- A layout says for each rank which positions it has: a box, { {first, last}, ... } by axis. Any layout becomes any
--- other by one all_to_all, in which each rank gives to each other what its old box and the other's new box share.

local sformat, min, max = require("moonarray.text").format, math.min, math.max

return function(ma, core, _, sh)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local D = ma.distributed

  --- The boxes of a sharded array, or of one of that shape.
  function sh.boxes(shape, axis, sizes)
    local list = {}
    for r = 1, #sizes do
      local box = {}
      for d = 1, #shape do box[d] = { 1, shape[d] } end
      box[axis] = { sh.range(sizes, r - 1) }
      list[r] = box
    end
    return list
  end

  --- What two boxes share, and its extents and number of elements.
  local function shared_box(a, b)
    local box, shape, n = {}, {}, 1
    for d = 1, #a do
      box[d] = { max(a[d][1], b[d][1]), min(a[d][2], b[d][2]) }
      shape[d] = max(0, box[d][2] - box[d][1] + 1)
      n = n * shape[d]
    end
    return box, shape, n
  end

  --- An index of the box's positions in an array that has those of `within`.
  local function index_in(box, within)
    local index = {}
    for d = 1, #box do index[d] = { box[d][1] - within[d][1] + 1, box[d][2] - within[d][1] + 1 } end
    return index
  end

  --- The array of this rank's new box.
  function sh.move(part, old, new, group)
    local me = group.rank + 1
    local place = { dtype = part.dtype, device = part.device }
    local gives, gets, pieces = {}, {}, {}
    for k = 1, group.size do
      local box, _, n = shared_box(old[me], new[k])
      gives[k] = n
      if n > 0 then pieces[#pieces + 1] = part[index_in(box, old[me])]:reshape(-1) end
      gets[k] = select(3, shared_box(old[k], new[me]))
    end
    local packed = #pieces > 1 and ma.concatenate(pieces) or pieces[1] or ma.empty(0, place)
    local come = D.all_to_all(packed, { input_split_sizes = gives, output_split_sizes = gets, group = group })
    local out, at = ma.empty(select(2, shared_box(new[me], new[me])), place), 0
    for k = 1, group.size do
      local box, shape, n = shared_box(old[k], new[me])
      if n > 0 then out[index_in(box, new[me])] = come[{ { at + 1, at + n } }]:reshape(shape) end
      at = at + n
    end
    return out
  end

  --- x divided along an axis into parts of the given extents.
  function sh.resharded(x, axis, sizes)
    local is_so = axis == x.axis
    for r = 1, #sizes do is_so = is_so and sizes[r] == x.sizes[r] end
    if is_so then return x end
    return sh.new(sh.move(x.part, sh.boxes(x.shape, x.axis, x.sizes), sh.boxes(x.shape, axis, sizes), x.group), axis,
      sizes, x.group, x.halo)
  end

  --> distributed.Array.reshard: local D = ma.distributed
  -->   D.init()
  -->   local x = D.distribute(ma.arange(6):reshape(2, 3))
  -->   return x:reshard(2), x:reshard(1, {sizes = {2}}):all_gather()
  sh.method("reshard(x: sharded_array, to?: sharded_array|integer; sizes?: integer[]) -> sharded_array",
    "The array with other parts: `to` is an axis, along which it is divided as "
    .. "equally as can be, or as `sizes`, the extents of all ranks, says; or a sharded array, whose parts it gets. An "
    .. "array that has these parts already is returned as it is.", function(x, to, sizes)
      local name = "distributed.Array.reshard"
      if sh.is(to) then
        local axis = to.axis - to.ndim + x.ndim
        if to.group ~= x.group or axis < 1 or to.shape[to.axis] ~= x.shape[axis] then
          fail(name, sformat("%s as %s; wanted one group and extent", tostring(x), tostring(to)))
        end
        return sh.resharded(x, axis, to.sizes)
      end
      local axis = common.axis(name, to == nil and x.axis or to, x.ndim)
      if sizes then
        local sum = 0
        if type(sizes) ~= "table" or #sizes ~= x.group.size then
          fail(name, sformat("sizes is %s; wanted the extents of %d ranks", core.describe(sizes), x.group.size))
        end
        for _, n in ipairs(sizes) do sum = sum + common.whole(name, "sizes", n, 0) end
        if sum ~= x.shape[axis] then fail(name, sformat("sizes add up to %d; wanted %d", sum, x.shape[axis])) end
      end
      return sh.resharded(x, axis, sizes or sh.divide(x.shape[axis], x.group.size))
    end)
end
