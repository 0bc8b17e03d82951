--- ma.spatial.HashGrid: points sorted by the cells of a box, so that kernels in Lua find the neighbours of a point by a
--- look at few cells (near.lua).
---
--- A build is array code of fixed shapes: the number of each point's cell, a stable sort by it, a count of each cell
--- and their running sum. Nothing waits for the device. The results lie in arrays that the grid keeps, so a graph
--- rebuilds the grid at each launch.
---
--- A kernel gets four arrays: `head`, the numbers of each axis and of the radius, in the points' dtype; `start`, how
--- many points lie before each cell; `order`, the points' positions by cell; and `points`, their coordinates in this
--- order.

local sformat, floor = require("moonarray.text").format, math.floor

local MOST_CELLS = 2 ^ 20              -- cells of all axes; where more would be needed they are larger than the radius
local MOST_SHORT = 2 ^ 16 - 2          -- cells whose numbers from 2 on have 16 bits
local MOST_POINTS = 2 ^ 31 - 1

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "spatial.HashGrid"

  local Meta, methods = {}, {}

  -- ==== The box ====================================================================================================

  local function corner(what, value)
    local list = common.list(NAME, what, value)
    for k, x in ipairs(list) do
      common.number(NAME, sformat("%s[%d]", what, k), x)
      if x - x ~= 0 then fail(NAME, sformat("%s[%d] is %g; wanted a finite number", what, k, x)) end
    end
    if #list < 1 or #list > 3 then
      fail(NAME, sformat("%s has %d numbers; wanted one for each of 1 to 3 axes", what, #list))
    end
    return list
  end

  --- How many cells there are along each axis. They are as long as the radius at least, unless the box is shorter.
  local function cells_of(lengths, radius)
    local side = radius
    while true do
      local counts, product = {}, 1
      for k, length in ipairs(lengths) do
        counts[k] = math.min(math.max(floor(length / side), 1), MOST_CELLS)
        product = product * counts[k]
      end
      if product <= MOST_CELLS then return counts, product end
      side = side * 1.25
    end
  end

  --- The numbers of the head, in the order of jit_grid (helpers.lua). The slack makes up for the rounding of places
  --- that wrap: some units in the last place of the largest number that takes part.
  local function head_of(self, dtype)
    local single, list = dtype == "float32", {}
    local unit, least = single and 2 ^ -23 or 2 ^ -52, single and 1e-18 or 1e-153      -- whose square is a number
    for k, low in ipairs(self.low) do
      local high = self.high[k]
      local length = high - low
      local slack = 32 * unit * (math.max(math.abs(low), math.abs(high)) + length + self.radius) + least
      for _, number in ipairs { low, high, length, 1 / length, self.cells[k], self.cells[k] / length, slack } do
        list[#list + 1] = number
      end
    end
    list[#list + 1] = self.radius
    return list
  end

  --> spatial.HashGrid: local grid = ma.spatial.HashGrid({0, 0}, {1, 1}, 0.25, {wrap = true})
  -->   return grid:build({{0.1, 0.1}, {0.9, 0.2}}).n, grid.cells[1]
  def(NAME .. "(low: number|number[], high: number|number[], radius: number; wrap?: boolean) -> hashgrid",
    "Cells over a box of one to three axes, into which build(p) sorts points. In a kernel in Lua, " ..
      "`for j in grid:near(p[i], r) do` visits the points within r of a place. The cells are as long as the radius; " ..
      "r may be any number. Points outside of the box are found too. With wrap = true the box repeats, and " ..
      "distances go the shortest way.",
    function(low, high, radius, wrap)
      low, high = corner("low", low), corner("high", high)
      if #low ~= #high then fail(NAME, sformat("low has %d numbers, high %d", #low, #high)) end
      local lengths = {}
      for k = 1, #low do
        lengths[k] = high[k] - low[k]
        if lengths[k] <= 0 or lengths[k] == math.huge then
          fail(NAME, sformat("axis %d goes from %g to %g; wanted low below high", k, low[k], high[k]))
        end
      end
      radius = common.number(NAME, "radius", radius)
      if radius <= 0 or radius ~= radius or radius == math.huge then
        fail(NAME, sformat("radius is %g; wanted a number above 0", radius))
      end
      if wrap ~= nil then common.type(NAME, "wrap", wrap, "boolean") end
      local cells, product = cells_of(lengths, radius)
      return setmetatable({ low = low, high = high, radius = radius, wrap = wrap or false, ndim = #low, cells = cells,
        ncells = product, n = 0 }, Meta)
    end)

  -- ==== Points =====================================================================================================

  --- The points as (n, ndim), and as a vector for each axis.
  local function points_of(self, name, p)
    local a = is_array(p) and p or type(p) == "table" and core.asarray(p, { device = self.device }) or nil
    local d = self.ndim
    local rows = a and a.ndim == 2 and a.shape[2] == d
    if not (rows or a and (a.ndim == 2 and a.shape[1] == d or d == 1 and a.ndim == 1)) or ma.iscomplexobj(a) then
      fail(name, sformat("p is %s; wanted real points, (n, %d) or (%d, n)", core.describe(p), d, d))
    end
    if a.ndim == 1 then a, rows = a:reshape(a.size, 1), true end
    if not rows then a = a.T end
    if a.shape[1] > MOST_POINTS then fail(name, sformat("%d points; at most %d", a.shape[1], MOST_POINTS)) end
    return a:astype((a.dtype == "float32" or a.dtype == "float16" or a.dtype == "bfloat16") and "float32" or "float64",
      { copy = false })
  end

  --- Arrays for so many points of a dtype, on a device: those of the last build if they fit.
  local function arrays_for(self, a)
    local n, dtype, device = a.shape[1], a.dtype, a.device
    if self.parts and self.n == n and self.dtype == dtype and self.device == device then return self.parts end
    local o = { dtype = "int64", device = device }       -- as sums and sorts give them: nothing is cast
    local parts = {
      head = ma.array(head_of(self, dtype), { dtype = dtype, device = device }),
      counts = ma.zeros(self.ncells + 1, o), start = ma.zeros(self.ncells + 1, o), one = ma.ones(1, o),
      order = ma.zeros(n, o),
      points = ma.zeros({ n, self.ndim }, { dtype = dtype, device = device }),
    }
    parts.flat = parts.points:reshape(-1)
    for _, part in pairs(parts) do ma.keep(part) end       -- beyond a scope in which the grid is built
    return parts
  end

  --- Points brought into the box if it repeats. The kernels' text has the same steps (jit_grid::inside), so that a
  --- point finds itself where it was sorted in. Axes that are alike are one run.
  local function inside(self, a)
    if not self.wrap then return a end
    local function bring(x, k)
      local low, high = self.low[k], self.high[k]
      local length = high - low
      return ma.clip(x - ma.floor((x - low) * (1 / length)) * length, low, high)
    end
    local alike = true
    for k = 2, self.ndim do alike = alike and self.low[k] == self.low[1] and self.high[k] == self.high[1] end
    if alike then return bring(a, 1):eval() end
    local places = ma.empty(a.shape, { dtype = a.dtype, device = a.device })
    for k = 1, self.ndim do places[{ {}, k }]:assign(bring(a[{ {}, k }], k)) end
    return places
  end

  local function fill(self, a, parts)
    local places, key = inside(self, a), nil
    for k = 1, self.ndim do
      local cells = self.cells[k]
      local x = (places[{ {}, k }] - self.low[k]) * (cells / (self.high[k] - self.low[k]))
      local cell = ma.clip(x, 0, cells - 1):astype "int32"
      key = key and key * cells + cell or cell
    end
    -- Short numbers are sorted in fewer passes. Cells count from 0, and counts[c + 2] is of cell c.
    key = (key + 2):astype(self.ncells <= MOST_SHORT and "uint16" or "int32"):eval()
    parts.counts:fill(0)
    parts.counts:iadd_at(key, parts.one)
    ma.cumsum(parts.counts, { out = parts.start })
    ma.argsort(key, { out = parts.order })
    ma.take(places, parts.order, 1, { out = parts.points })
  end

  --> = hashgrid | ma.spatial.HashGrid({0, 0}, {1, 1}, 0.1) | Points by cells, for kernels in Lua.
  --> . low: number[] | the box's least coordinates
  --> . high: number[] | the box's greatest coordinates
  --> . radius: number | how long a cell is at least
  --> . wrap: boolean | whether the box repeats
  --> . ndim: integer | its axes
  --> . cells: integer[] | how many cells there are along each axis
  --> . n: integer | how many points the last build had
  --> :build(p: data) -> hashgrid | Sorts the points, (n, ndim) or (ndim, n), into the cells; does not wait.
  --> hashgrid:build: hashgrid:build({{0.1, 0.2}, {0.8, 0.9}}).n
  function methods:build(p)
    local a = points_of(self, "HashGrid.build", p)
    local parts = arrays_for(self, a)
    if a.size > 0 then ma.scope(fill, self, a, parts) end
    if parts ~= self.parts then
      for _, part in pairs(self.parts or {}) do part:free() end
      self.parts, self.n, self.dtype, self.device = parts, a.shape[1], a.dtype, a.device
      self.argument = { arrays = 4, grid = { dtype = a.dtype, ndim = self.ndim, wrap = self.wrap },
        key = sformat("grid:%s:%d:%s;", a.dtype, self.ndim, tostring(self.wrap)) }
      self.passed = { parts.head, parts.start, parts.order, parts.flat, self.n }
    end
    return self
  end

  for _, name in ipairs { "near", "point" } do
    methods[name] = function() fail("HashGrid." .. name, "outside of a kernel; wanted a call in a kernel in Lua") end
  end

  common.guard("HashGrid", Meta, methods, true)
  Meta.__name, Meta.is_data = "HashGrid", true
  Meta.__index = common.attributes(NAME, methods)
  Meta.__tostring = function(self)
    return sformat("HashGrid of %s cells%s, %d points", table.concat(self.cells, " x "), self.wrap and ", which wraps"
      or "", self.n)
  end

  -- ==== In kernels =================================================================================================

  --- What kernels in Lua are told of a grid, as an argument, and the arrays that they are given for it.
  function Meta.jit_argument(self)
    if not self.parts then return nil, "a HashGrid without points; wanted one after grid:build(p)" end
    return self.argument, self.passed
  end
end
