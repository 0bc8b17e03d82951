--- Fourier transforms of sharded arrays by slabs: each rank transforms the axes that it has as wholes, the ranks
--- exchange their parts so that the sharded axis becomes whole, and it is transformed too.

local sformat = require("moonarray.text").format

return function(ma, core, _, sh)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local function axes_of(name, x, axes)
    local set, n = {}, 0
    if axes == nil then
      for d = 1, x.ndim do set[d] = true end
      return set, x.ndim
    end
    for _, d in ipairs(common.list(name, "axes", axes)) do
      d = common.axis(name, d, x.ndim)
      if set[d] then fail(name, sformat("axis %d twice; wanted each axis once", d)) end
      set[d], n = true, n + 1
    end
    return set, n
  end

  --- Transforms the axes of the set along which x is whole; takes them out of the set.
  local function of_whole(x, fn, set, norm)
    local list = {}
    for d = 1, x.ndim do
      if set[d] and d ~= x.axis then list[#list + 1] = d end
    end
    for _, d in ipairs(list) do set[d] = nil end
    if #list == 0 then return x end
    if x.part.size > 0 then return sh.like(x, fn(x.part, { axes = list, norm = norm })) end
    return sh.like(x, x.part:astype(fn(ma.zeros({ 1 }, x.dtype)).dtype))          -- a rank without elements
  end

  --> distributed.fftn distributed.ifftn: local D = ma.distributed
  -->   D.init()
  -->   local x = D.distribute(ma.array {{1, 2}, {3, 4}})
  -->   local y = D.fftn(x)
  -->   return y:all_gather(), D.ifftn(y):all_gather().real
  for _, row in ipairs { { "fftn", "The Fourier transform" }, { "ifftn", "The inverse Fourier transform" } } do
    local kind, what = row[1], row[2]
    def("distributed." .. kind .. "(x: sharded_array, axes?: integer|integer[]; norm?: norm, "
      .. "back?: boolean) -> sharded_array", what .. " of a sharded array along some axes, all if "
      .. "none are given. Parts move once if the sharded axis is among them, and once more so that the result is "
      .. "divided as x is; with back = false it stays divided along another axis. norm as in ma.fft." .. kind .. ".",
      function(x, axes, norm, back)
        local name = "distributed." .. kind
        sh.check(name, x)
        local set = axes_of(name, x, axes)
        local fn, axis, sizes = ma.fft[kind], x.axis, x.sizes
        if x.group.size == 1 then
          local list = {}
          for d = 1, x.ndim do
            if set[d] then list[#list + 1] = d end
          end
          return #list == 0 and x or sh.like(x, fn(x.part, { axes = list, norm = norm }))
        end
        x = of_whole(x, fn, set, norm)
        if not set[axis] then return x end
        if x.ndim == 1 then
          fail(name, sformat("%s; wanted 2 axes or more, since slabs need one that is whole", tostring(x)))
        end
        x = of_whole(x:reshard(axis == 1 and 2 or 1), fn, set, norm)
        return back == false and x or sh.resharded(x, axis, sizes)
      end)
  end

  -- ==== Real elements ================================================================================================

  --- The axes in their order, the last of which is halved, and the others as a list.
  local function halved(name, x, axes)
    local list = {}
    if axes == nil then
      for d = 1, x.ndim do list[d] = d end
    else
      for k, d in ipairs(common.list(name, "axes", axes)) do list[k] = common.axis(name, d, x.ndim) end
      axes_of(name, x, axes)          -- checks them
    end
    if #list == 0 then fail(name, "no axes; wanted one, which is halved") end
    local last = table.remove(list)
    if x.ndim == 1 and x.group.size > 1 then
      fail(name, sformat("%s; wanted 2 axes or more, since slabs need one that is whole", tostring(x)))
    end
    return list, last
  end

  --- x with `axis` whole on every rank.
  local function with_whole(x, axis) return x.axis == axis and x:reshard(axis == 1 and 2 or 1) or x end

  --- fn of the part along one axis; a part without elements gets its shape and dtype.
  local function along(x, fn, axis, n, extent, norm)
    local sizes = axis == x.axis and { extent } or x.sizes          -- one rank has all of the axis
    if x.part.size > 0 then
      return sh.new(fn(x.part, { n = n, axis = axis, norm = norm }), x.axis, sizes, x.group, x.halo)
    end
    local shape = {}
    for d = 1, x.ndim do shape[d] = d == axis and extent or x.part.shape[d] end
    local dtype = fn(ma.ones({ 2 }, x.dtype)).dtype
    return sh.new(ma.empty(shape, { dtype = dtype, device = x.device }), x.axis, sizes, x.group, x.halo)
  end

  --- The result divided as x is. If the sharded axis is the halved one, its extent has changed, so it is divided as
  --- equally as can be.
  local function divided(y, x, last, back)
    if back == false or y.axis == x.axis and x.axis ~= last then return y end
    if x.axis ~= last then return sh.resharded(y, x.axis, x.sizes) end
    return y:reshard(last)
  end

  local BACK = "Parts move as in distributed.fftn, and back = false leaves out the exchange behind it."

  --> distributed.rfftn distributed.irfftn: local D = ma.distributed
  -->   D.init()
  -->   local x = D.distribute(ma.array {{1, 2}, {3, 4}})
  -->   local y = D.rfftn(x)
  -->   return y:all_gather(), D.irfftn(y):all_gather()
  def("distributed.rfftn(x: sharded_array, axes?: integer|integer[]; norm?: norm, back?: boolean) -> sharded_array",
    "The Fourier transform of a sharded array of real elements along "
    .. "some axes, all if none are given; the last of them is halved. " .. BACK, function(x, axes, norm, back)
      local name = "distributed.rfftn"
      sh.check(name, x)
      local others, last = halved(name, x, axes)
      local y = x.group.size > 1 and with_whole(x, last) or x
      y = along(y, ma.fft.rfft, last, nil, math.floor(x.shape[last] / 2) + 1, norm)
      y = ma.distributed.fftn(y, others, { norm = norm, back = false })
      return x.group.size == 1 and y or divided(y, x, last, back)
    end)

  def("distributed.irfftn(x: sharded_array, axes?: integer|integer[]; n?: integer, norm?: norm, "
    .. "back?: boolean) -> sharded_array", "The inverse of distributed.rfftn: real elements, `n` of them "
    .. "along the last of the axes, 2 (m - 1) of m if not given. " .. BACK, function(x, axes, n, norm, back)
      local name = "distributed.irfftn"
      sh.check(name, x)
      local others, last = halved(name, x, axes)
      n = common.whole(name, "n", n == nil and 2 * (x.shape[last] - 1) or n, 1)
      local y = ma.distributed.ifftn(x, others, { norm = norm, back = false })
      if x.group.size > 1 then y = with_whole(y, last) end
      y = along(y, ma.fft.irfft, last, n, n, norm)
      return x.group.size == 1 and y or divided(y, x, last, back)
    end)
end
