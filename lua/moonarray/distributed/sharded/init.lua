--- Sharded arrays: an array whose parts along one axis the ranks have. This file has the class, how they are made, and
--- how they become whole again. The other files of this folder add methods to `sh`.
---
--- A sharded array holds `part`, the elements of this rank, and the place of the part in the whole: `axis`, and
--- `sizes`, the extents of all ranks' parts along it. Methods are called by all ranks of the group, like every call of
--- ma.distributed.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local D = ma.distributed

  local Array, methods = {}, {}
  local sh = { Array = Array, methods = methods }
  --> = sharded_array | - | An array whose parts along one axis several processes have.
  --> . part: array | the elements of this rank
  --> . axis: integer | the axis that is divided
  --> . halo: integer | positions that padded() adds on each side
  --> . sizes: integer[] | the extents of all ranks' parts along it
  --> . first: integer | where the part begins in the whole
  --> . last: integer | where it ends
  --> . group: distributed_group | the ranks
  --> . shape: integer[] | of the whole
  --> . ndim: integer | the axes
  --> . size: integer | the elements of the whole
  --> . dtype: dtype | of the elements
  --> . device: string | where the part is
  --> @ distributed.Array.
  local FIELDS = { "part", "axis", "halo", "sizes", "group", "shape", "ndim", "size", "dtype", "device", "first",
    "last" }
  Array.__name = "moonarray.distributed.Array"
  Array.__index = common.attributes("distributed.Array", methods, FIELDS)
  Array.__newindex = function(_, key) fail("distributed.Array", sformat("'%s' cannot be set", tostring(key))) end

  function sh.is(x) return getmetatable(x) == Array end

  function sh.check(name, x)
    if sh.is(x) then return x end
    fail(name, sformat("%s in place of a sharded array; wanted one of ma.distributed.array", core.describe(x)))
  end

  --- Defines a method.
  function sh.method(signature, doc, fn)
    methods[signature:match "^[%w_]+"] = def("distributed.Array." .. signature, doc, function(x, ...)
      return fn(sh.check("distributed.Array." .. signature:match "^[%w_]+", x), ...)
    end)
  end

  -- ==== Making them ==================================================================================================

  --- The array of which `part` is the part of this rank.
  function sh.new(part, axis, sizes, group, halo)
    local shape, before, size = {}, 0, 1
    for d = 1, part.ndim do shape[d] = part.shape[d] end
    for r = 1, group.rank do before = before + sizes[r] end
    shape[axis] = 0
    for _, n in ipairs(sizes) do shape[axis] = shape[axis] + n end
    for _, n in ipairs(shape) do size = size * n end
    return setmetatable({ part = part, axis = axis, halo = halo, sizes = sizes, group = group, shape = shape,
      ndim = #shape, size = size, dtype = part.dtype, device = part.device, first = before + 1,
      last = before + sizes[group.rank + 1] }, Array)
  end

  --- An array placed like x; its other axes may have other extents.
  function sh.like(x, part, axis) return sh.new(part, axis or x.axis, x.sizes, x.group, x.halo) end

  --- The extents of n positions that are divided among k ranks as equally as can be: the first ones get one more.
  function sh.divide(n, k)
    local sizes, least = {}, floor(n / k)
    for r = 1, k do sizes[r] = least + (r <= n - least * k and 1 or 0) end
    return sizes
  end

  --- Where a rank's part begins and ends; an empty part ends before it begins.
  function sh.range(sizes, rank)
    local first = 1
    for r = 1, rank do first = first + sizes[r] end
    return first, first + sizes[rank + 1] - 1
  end

  --- Positions lo .. hi of an axis, none if hi is below lo.
  function sh.slice(a, axis, lo, hi)
    if hi >= lo then return common.along(a, axis, lo, hi) end
    local shape = {}
    for d = 1, a.ndim do shape[d] = d == axis and 0 or a.shape[d] end
    return ma.empty(shape, { dtype = a.dtype, device = a.device })
  end

  --- Gives a short text of each rank to all; returns the texts in the order of ranks.
  function sh.share(name, group, text, limit, room)
    room = room or 256
    local list = core.distributed_share(name, group.number, (text .. (" "):rep(room)):sub(1, room), limit)
    for k, other in ipairs(list) do list[k] = other:match "^(.-) *$" end
    return list
  end

  local function options_of(name, axis, halo, group, timeout)
    group, timeout = shared.group(name, group), shared.limit(name, timeout)
    return common.whole(name, "halo", halo == nil and 0 or halo, 0), group, timeout, axis == nil and 1 or axis
  end

  --- What must be the same on all ranks: dtype, and the extents of the axes that are not divided.
  local function agreed(name, part, axis, group, timeout)
    local others = {}
    for d = 1, part.ndim do others[d] = d == axis and "?" or sformat("%d", part.shape[d]) end
    local text = sformat("%s (%s) axis %d", part.dtype, table.concat(others, ", "), axis)
    local sizes = {}
    for k, other in ipairs(sh.share(name, group, sformat("%d %s", part.shape[axis], text), timeout)) do
      local n, what = other:match "^(%d+) (.*)$"
      if what ~= text then
        fail(name, sformat("rank %d has %s, and rank %d has %s; wanted one dtype, one axis and equal extents of the "
          .. "other axes", group.ranks[group.rank + 1], text, group.ranks[k], what))
      end
      sizes[k] = tonumber(n)
    end
    return sizes
  end

  --> distributed.array: local D = ma.distributed
  -->   D.init()
  -->   local x = D.array(ma.arange(6):reshape(2, 3))
  -->   return x, x.part, x.first, x.last
  def("distributed.array(part: data; axis?: integer|integer[], halo?: integer, group?: distributed_group, "
    .. "timeout?: number) -> sharded_array", "An array whose parts along `axis` (1 if not given) "
    .. "the ranks of the group have, in their order: each gives its own. Parts may differ in their extent along that "
    .. "axis. `halo` is the number of neighbours' positions that x:padded() adds on each side, 0 if not given. The "
    .. "array holds `part` itself, not a copy.", function(part, axis, halo, group, timeout)
      local name = "distributed.array"
      halo, group, timeout, axis = options_of(name, axis, halo, group, timeout)
      if not is_array(part) then part = core.asarray(part) end
      axis = common.axis(name, axis, part.ndim)
      return sh.new(part, axis, agreed(name, part, axis, group, timeout), group, halo)
    end)

  --> distributed.zeros: local D = ma.distributed
  -->   D.init()
  -->   return D.zeros({2, 3}, {axis = 2}):all_gather()
  --> distributed.ones: local D = ma.distributed
  -->   D.init()
  -->   return D.ones({2, 3}, {axis = 2}):all_gather()
  --> distributed.empty: local D = ma.distributed
  -->   D.init()
  -->   return D.empty {2, 3}
  for _, how in ipairs { { "zeros", "zeros" }, { "ones", "ones" }, { "empty", "elements that were not written" } } do
    local kind, what = how[1], how[2]
    def("distributed." .. kind .. "(shape: integer|integer[]; axis?: integer|integer[], halo?: integer, "
      .. "group?: distributed_group, dtype?: dtype, device?: string) -> sharded_array", "A sharded array of " .. what
      .. ", divided along `axis` as equally as can be.", function(shape, axis, halo, group, dtype, device)
        local name, _ = "distributed." .. kind, nil
        halo, group, _, axis = options_of(name, axis, halo, group)
        shape = common.shape(name, "shape", shape)
        axis = common.axis(name, axis, #shape)
        local sizes, extents = sh.divide(shape[axis], group.size), {}
        for d = 1, #shape do extents[d] = shape[d] end
        extents[axis] = sizes[group.rank + 1]
        return sh.new(ma[kind](extents, { dtype = dtype, device = device }), axis, sizes, group, halo)
      end)
  end

  --> distributed.distribute: local D = ma.distributed
  -->   D.init()
  -->   local x = D.distribute(ma.arange(6):reshape(2, 3), 0, {axis = 2})
  -->   return x, x:sum(1):all_gather()
  def("distributed.distribute(a?: data, src?: integer; axis?: integer|integer[], halo?: integer, "
    .. "group?: distributed_group, timeout?: number) -> sharded_array", "A sharded array of the array of rank `src`, "
    .. "0 if not given, divided along `axis` as equally as can be. On the other ranks `a` is not read and may be nil.",
    function(a, src, axis, halo, group, timeout)
      local name = "distributed.distribute"
      halo, group, timeout, axis = options_of(name, axis, halo, group, timeout)
      src = shared.rank(name, "src", src or 0, group)
      local text = ""
      if group.rank == src then
        if not is_array(a) then fail(name, sformat("a is %s; wanted an array", core.describe(a))) end
        axis = common.axis(name, axis, a.ndim)
        text = sformat("%s %d %s", a.dtype, axis, table.concat(a.shape, " "))
      end
      text = sh.share(name, group, text, timeout)[src + 1]
      local dtype, at, extents = text:match "^(%S+) (%d+) (.*)$"
      local shape = {}
      for n in extents:gmatch "%d+" do shape[#shape + 1] = tonumber(n) end
      axis = tonumber(at)
      local sizes = sh.divide(shape[axis], group.size)
      table.insert(shape, 1, table.remove(shape, axis))
      shape[1] = sizes[group.rank + 1]
      local out = ma.empty(shape, { dtype = dtype, device = a and a.device or nil })
      D.scatter(group.rank == src and a:moveaxis(axis, 1) or nil, src, { sizes = sizes, out = out, group = group,
        timeout = timeout })
      return sh.new(axis == 1 and out or out:moveaxis(1, axis):copy(), axis, sizes, group, halo)
    end)

  -- ==== The whole ====================================================================================================

  local function whole(x, call, ...)
    local moved = x.axis == 1 and x.part or x.part:moveaxis(x.axis, 1)
    local all = call(moved, ...)
    if not all or x.axis == 1 then return all end
    return all:moveaxis(1, x.axis):copy()
  end

  --> distributed.Array.gather distributed.Array.all_gather: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1, 2, 3}):gather()
  sh.method("gather(x: sharded_array, dst?: integer; timeout?: number) -> array?",
    "The whole as an array on rank `dst`, 0 if not given; the others get nil.",
    function(x, dst, timeout)
      return whole(x, D.gather, dst or 0, { sizes = x.sizes, group = x.group, timeout = timeout })
    end)
  sh.method("all_gather(x: sharded_array; timeout?: number) -> array",
    "The whole as an array on every rank.", function(x, timeout)
    return whole(x, D.all_gather, { sizes = x.sizes, group = x.group, timeout = timeout })
  end)

  --> distributed.Array.copy: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1, 2, 3}):copy():all_gather()
  sh.method("copy(x: sharded_array) -> sharded_array", "A copy.", function(x) return sh.like(x, x.part:copy()) end)
  --> distributed.Array.to: local D = ma.distributed
  -->   D.init()
  -->   return D.distribute(ma.array {1, 2, 3}):to("cpu").device
  sh.method("to(x: sharded_array, device: string) -> sharded_array",
    "A copy whose parts are on another device.", function(x, device)
    return sh.like(x, x.part:to(device))
  end)

  function Array:__tostring()
    return sformat("<sharded array %s %s, axis %d over %d ranks, %d to %d here on %s>", common.shape_text(self),
      self.dtype, self.axis, self.group.size, self.first, self.last, self.device)
  end

  for _, part in ipairs { "operators", "reduce", "scan", "stencil", "move", "files", "product", "fft" } do
    require("moonarray.distributed.sharded." .. part)(ma, core, shared, sh)
  end
end
