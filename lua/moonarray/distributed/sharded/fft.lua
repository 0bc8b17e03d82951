--- Fourier transforms of sharded arrays by slabs: each rank transforms the axes that it has as wholes, the ranks
--- exchange their parts so that the sharded axis becomes whole, and it is transformed too.

local sformat = string.format

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

  for _, row in ipairs { { "fftn", "The Fourier transform" }, { "ifftn", "The inverse Fourier transform" } } do
    local kind, what = row[1], row[2]
    def("distributed." .. kind .. "(x, axes?; norm?, back?)", what .. " of a sharded array along some axes, all if "
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
end
