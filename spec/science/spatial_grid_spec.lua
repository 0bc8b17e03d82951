-- ma.spatial.HashGrid: the neighbours that kernels find beside those of all distances, in boxes that wrap and that do
-- not, with points outside, at borders, twice, not numbers and none; the order of a visit; graphs, memory, errors.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local jit, HashGrid = ma.jit, ma.spatial.HashGrid

local function finder(dtype)
  return jit.elementwisekernel(function(i, r, q, grid, found)
    local n = 0
    for j in grid:near(q[i], r) do
      n = n + 1
      found[{ i, n }] = j
    end
    return n
  end, { in_params = ("int64 i, %s r, raw %s q, HashGrid grid"):format(dtype, dtype),
    out_params = "raw int32 found, int64 n" })
end
local find = { float32 = finder "float32", float64 = finder "float64" }

--- The lists of points that the kernel visits from each of the queries, as tables.
local function lists_of(grid, q, r)
  local m = q.shape[1]
  local found = ma.zeros({ m, math.max(grid.n, 1) }, "int32")
  local _, counts = find[q.dtype](ma.range(1, m), r, q, grid, found)
  local rows, lists = found:totable(), {}
  for k, n in ipairs(counts:totable()) do
    lists[k] = {}
    for j = 1, tonumber(n) do lists[k][j] = tonumber(rows[k][j]) end
  end
  return lists
end

--- A coordinate in the box, as a grid that wraps takes it.
local function inside(x, low, high)
  local length = high - low
  return ma.clip(x - ma.floor((x - low) * (1 / length)) * length, low, high)
end

--- Whether each point is near each of the queries, by all distances.
local function all_near(grid, p, q, r)
  local m, n, sum = q.shape[1], p.shape[1], nil
  for axis = 1, grid.ndim do
    local x, y, length = p[{ {}, axis }], q[{ {}, axis }], grid.high[axis] - grid.low[axis]
    if grid.wrap then x, y = inside(x, grid.low[axis], grid.high[axis]), inside(y, grid.low[axis], grid.high[axis]) end
    local d = x:reshape(1, n) - y:reshape(m, 1)
    if grid.wrap then
      d = ma.where(d:gt(length / 2), d - length, ma.where(d:lt(-length / 2), d + length, d))
    end
    sum = sum and sum + d * d or d * d
  end
  return ma.logical_and(sum:le((r * r):reshape(m, 1)), r:reshape(m, 1):ge(0))
end

--- The number of a point's cell, by the steps that the head of lua/moonarray/spatial/grid.lua describes.
local function cell_of(grid, row)
  local key = 0
  for axis, x in ipairs(row) do
    local low, high, cells = grid.low[axis], grid.high[axis], grid.cells[axis]
    if grid.wrap then x = x - math.floor((x - low) / (high - low)) * (high - low) end
    key = key * cells + math.min(math.max(math.floor((x - low) * cells / (high - low)), 0), cells - 1)
  end
  return key
end

local function check(grid, p, q, r)
  grid:build(p)
  local lists, near = lists_of(grid, q, r), all_near(grid, p, q, r):totable()
  for k, list in ipairs(lists) do
    local expected = {}
    for j, is_near in ipairs(near[k]) do
      if is_near then expected[#expected + 1] = j end
    end
    table.sort(list)
    assert.same(expected, list)
  end
  return lists
end

--- n points of a box, some of them outside, on its borders, equal to others, far away or not numbers.
local function points(rng, grid, n, dtype)
  local columns = {}
  for axis = 1, grid.ndim do
    local low, high = grid.low[axis], grid.high[axis]
    local x = (rng:random(n) * 1.4 - 0.2) * (high - low) + low
    for k, value in ipairs { low, high, high, low - 5 * (high - low), 1e9, ma.nan, ma.inf } do
      if 3 * k + axis <= n then x[3 * k + axis] = value end
    end
    for k = 30, n - 1, 5 do x[k] = x[k + 1] end
    for k = 40, n, 7 do x[k] = low + math.floor((k * axis) % 9) * grid.radius end      -- on borders of cells
    columns[axis] = x
  end
  return ma.stack(columns, 2):astype(dtype)
end

describe("HashGrid:", function()
  for _, dtype in ipairs { "float32", "float64" } do
    for ndim = 1, 3 do
      it(("%s, %d axes: what all distances give"):format(dtype, ndim), function()
        local rng = ma.random.default_rng(10 * ndim)
        for _, wrap in ipairs { false, true } do
          for _, radius in ipairs { 0.21, 0.25, 0.4, 0.6, 3 } do              -- 4, 4, 2, 1 and 1 cells of an axis of 1
            local low, high = { -1, 0.3, 0 }, { 1, 1.3, 1 }
            for k = ndim + 1, 3 do low[k], high[k] = nil, nil end
            local grid = HashGrid(low, high, radius, { wrap = wrap })
            for _, n in ipairs { 0, 1, 2, 90 } do
              local p, q = points(rng, grid, n, dtype), points(rng, grid, 60, dtype)
              local r = (rng:random(60) * radius):astype(dtype)
              for k, value in ipairs { radius, 0, 2.5 * radius, -1, ma.nan, ma.inf, 1e-25 } do r[8 * k] = value end
              check(grid, p, q, r)
              if n == 90 then check(grid, p, p, ma.full(n, radius, dtype)) end
            end
          end
        end
      end)
    end
  end

  it("many points of many cells, and a radius of a whole number of them", function()
    local rng = ma.random.default_rng(4)
    for k, wrap in ipairs { false, true, true } do
      local high = k == 3 and 8 or 4                                          -- axes that are alike, too
      local grid = HashGrid({ 0, 0 }, { 8, high }, 0.25, { wrap = wrap })
      assert.same({ 32, 4 * high }, grid.cells)
      local p = ma.floor(rng:random { 400, 2 } * 64) / 16                     -- on a lattice of cells' quarters
      for _, r in ipairs { 0.25, 0.5, 1.9375, 2 } do
        check(grid, p:astype "float32", p:astype "float32", ma.full(400, r, "float32"))
      end
    end
  end)

  it("misses nobody by rounding, where r is just the distance to a point beside the border of a cell", function()
    local rng = ma.random.default_rng(8)
    for _, wrap in ipairs { true, false } do
      for _, low in ipairs { 0, 0.1, -7.3, 100 } do
        for _, cells in ipairs { 3, 7, 10, 49 } do
          local grid = HashGrid(low, low + 1, 1 / cells * 0.999, { wrap = wrap })
          assert.equal(cells, grid.cells[1])
          local at = (ma.floor(rng:random(300) * (cells + 1)) / cells + low):astype "float32"
          for _ = 1, 2 do at = ma.where(rng:random(300):lt(0.5), ma.nextafter(at, ma.float32(low + 2)), at) end
          at = ma.where(rng:random(300):lt(0.5), ma.nextafter(at, ma.float32(low - 1)), at)
          local p, q = at:reshape(300, 1), rng:permutation(at):reshape(300, 1)
          local x, y = p, q
          if wrap then x, y = inside(p, low, low + 1), inside(q, low, low + 1) end
          local d = ma.abs(x - y):reshape(300)
          if wrap then d = ma.where(d:gt(0.5), ma.abs(d - 1), d) end
          check(grid, p, q, d:astype "float32")
        end
      end
    end
  end)

  it("visits points by cell and then by position", function()
    local rng = ma.random.default_rng(6)
    for ndim = 1, 3 do
      for _, wrap in ipairs { false, true } do
        local low, high = {}, {}
        for k = 1, ndim do low[k], high[k] = 0, 1 end
        local grid, p = HashGrid(low, high, 0.2, { wrap = wrap }), rng:random { 300, ndim }
        grid:build(p)
        local rows, all = p:totable(), lists_of(grid, p, ma.full(300, 2))
        for _, list in ipairs { all[1], all[200] } do            -- each place reaches all cells
          assert.equal(300, #list)
          for k = 2, 300 do
            local a, b = cell_of(grid, rows[list[k - 1]]), cell_of(grid, rows[list[k]])
            assert(a < b or a == b and list[k - 1] < list[k], k)
          end
        end
      end
    end
  end)

  it("gives distances, the shortest way, and leaves a loop by break and return", function()
    local grid = HashGrid({ 0, 0 }, { 1, 2 }, 0.25, { wrap = true })
    grid:build { { 0.125, 0.125 }, { 0.875, 1.875 }, { 0.5, 1 } }
    local apart = jit.rawkernel(function(g, out)
      local i = jit.grid(1)
      if i <= g.n then
        for k = 1, 3 do
          for j, dx, dy in g:near(0.125, 0.125, 1) do
            if i == 1 and j == 2 then
              out[1], out[2] = dx, dy
              break
            end
            out[2 + i] = out[2 + i] + 1
          end
          if k == 2 then break end
        end
      end
    end)
    local out = ma.zeros(6)
    apart(1, 3, { grid, out })
    assert.same({ -0.25, -0.25, 4, 6, 6, 0 }, out:totable())
    local first = ma.vectorize(function(x, y, g)
      for j in g:near(x, y) do
        if j ~= 2 then return j end
      end
      return 0
    end)
    assert.same({ 1, 3, 0 }, first(ma.array { 0, 0.5, 0.8 }, ma.array { 0, 1, 1.8 }, grid):totable())
  end)

  it("takes (n, d), (d, n), tables, whole numbers and half floats, and goes through device functions", function()
    local count = jit.device(function(g, x, y, r)
      local n = 0
      for _ in g:near(x, y, r) do n = n + 1 end
      return n
    end)
    local counts = ma.vectorize(function(x, y, g)
      local function within(r) return count(g, x, y, r) end
      return within(g.radius) + 100 * g.n
    end)
    local p = ma.array { { 1, 1 }, { 2, 1 }, { 3, 3 }, { 1, 2 }, { 4, 4 } }
    local grid = HashGrid(0, 5, 1)                                -- of one axis
    assert.same({ 5, 1 }, { grid.cells[1], grid.ndim })
    grid:build(p[":, 1"])
    grid = HashGrid({ 0, 0 }, { 5, 5 }, 1)
    for _, given in ipairs { p, p.T, p:totable(), p:astype "int16", p:astype "float16", p.T:copy().T } do
      grid:build(given)
      assert.same({ 503, 502, 501, 502, 501 }, counts(p[":, 1"], p[":, 2"], grid):totable())
    end
    assert.equal("float64", grid.dtype)
    assert.equal("float32", grid:build(p:astype "bfloat16").dtype)
    local sum = jit.reductionkernel { map = function(x, y, g)
      local n = 0
      for _ in g:near(x, y, 1) do n = n + 1 end
      return n
    end, reduce = function(a, b) return a + b end }
    assert.equal(9, tonumber(sum(p[":, 1"], p[":, 2"], grid):item()))
  end)

  it("takes vectors as places", function()
    local grid = HashGrid({ 0, 0 }, { 1, 1 }, 0.5):build { { 0.9, 0.9 }, { 0.1, 0.2 }, { 0.1, 0.9 }, { 0.2, 0.1 } }
    local count = ma.vectorize(function(x, y, g)
      local at, n = jit.vec2(x, y), 0
      at = at * 2
      for _ in g:near(at, 0.3) do n = n + 1 end
      return n
    end)
    assert.same({ 2, 1 }, count(ma.array { 0.05, 0.45 }, ma.array { 0.05, 0.45 }, grid):totable())
    local wrong = ma.vectorize "function(x, g) for j in g:near(jit.vec3(x, x, x)) do x = j end return x end"
    assert.matches("the place of ':near' is a vec3; wanted 2 numbers", fails(wrong, ma.ones(3), grid))
  end)

  it("gives points by cell, and none outside of 1 .. n", function()
    local grid = HashGrid({ 0, 0 }, { 1, 1 }, 0.5):build { { 0.9, 0.9 }, { 0.1, 0.2 }, { 0.1, 0.9 }, { 0.2, 0.1 } }
    local point = ma.vectorize(function(k, g) return g:point(k) end)
    assert.same({ 0, 2, 4, 3, 1, 0 }, point(ma.range(0, 5), grid):totable())
    assert.same("HashGrid of 2 x 2 cells, 4 points", tostring(grid))
  end)

  it("is built anew by each launch of a graph, and by builds in memory that it keeps", function()
    local rng = ma.random.default_rng(2)
    local p, grid = ma.zeros({ 50, 2 }), HashGrid({ 0, 0 }, { 1, 1 }, 0.2, { wrap = true })
    local count = jit.elementwisekernel(function(x, y, g)
      local n = 0
      for _ in g:near(x, y) do n = n + 1 end
      return n
    end)
    local step = ma.cuda.graph(function()
      grid:build(p)
      return count(p[":, 1"], p[":, 2"], grid)
    end)
    for _ = 1, 3 do
      p:assign(rng:random { 50, 2 })
      local n = step()
      ma.testing.assert_array_equal(n, all_near(grid, p, p, ma.full(50, 0.2)):sum(2))
    end
    grid:build(p)
    collectgarbage()
    ma.synchronize()
    local before = helper.core.pool()
    for _ = 1, 20 do grid:build(p) end
    collectgarbage()
    ma.synchronize()
    assert.equal(before, (helper.core.pool()))
  end)

  it("outlives the scope in which it is built", function()
    local grid = HashGrid({ 0, 0 }, { 1, 1 }, 0.2)
    local p = ma.array { { 0.1, 0.1 }, { 0.2, 0.2 }, { 0.9, 0.9 } }
    for _ = 1, 2 do ma.scope(function() grid:build(p) end) end
    assert.same({ { 1, 2 }, { 1, 2 }, { 3 } }, lists_of(grid, p, ma.full(3, 0.2)))
  end)

  it("makes cells larger where there would be too many", function()
    for _, cells in ipairs { 2 ^ 16 - 3, 2 ^ 16 - 2, 2 ^ 16 - 1, 2 ^ 16 } do       -- numbers of 16 bits end here
      local long = HashGrid(0, cells, 1)
      assert.equal(cells, long.ncells)
      long:build { cells - 0.5, 0.5, cells - 1.5 }
      assert.same({ { 3, 1 }, { 2 } }, lists_of(long, ma.array { { cells - 0.5 }, { 0.5 } }, ma.ones(2)))
    end
    local grid = HashGrid({ 0, 0, 0 }, { 1e6, 1e6, 1 }, 1e-3)
    assert(grid.ncells <= 2 ^ 20 and grid.ncells > 2 ^ 17, grid.ncells)
    grid:build { { 5, 5, 0.5 }, { 5, 5.0005, 0.5 }, { 5, 5.002, 0.5 } }
    assert.same({ { 1, 2 } }, lists_of(grid, ma.array { { 5, 5, 0.5 } }, ma.full(1, 1e-3)))
  end)

  it("says what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    said("spatial.HashGrid: no argument 'low'; the call is spatial.HashGrid%(low, high, radius; wrap%?%)", HashGrid)
    said("low has 4 numbers; wanted one for each of 1 to 3 axes", HashGrid, { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, 1)
    said("low has 2 numbers, high 1", HashGrid, { 0, 0 }, { 1 }, 1)
    said("low%[2%] is nan; wanted a finite number", HashGrid, { 0, 0 / 0 }, { 1, 1 }, 1)
    said("high%[1%] is the string '1'", HashGrid, { 0, 0 }, { "1", 1 }, 1)
    said("axis 2 goes from 1 to 1; wanted low below high", HashGrid, { 0, 1 }, { 1, 1 }, 1)
    said("radius is 0; wanted a number above 0", HashGrid, 0, 1, 0)
    said("radius is nan", HashGrid, 0, 1, 0 / 0)
    said("wrap is the number 1", HashGrid, 0, 1, 1, { wrap = 1 })
    said("no option 'wraps'", HashGrid, 0, 1, 1, { wraps = true })
    local grid = HashGrid({ 0, 0 }, { 1, 1 }, 0.1)
    said("HashGrid.build: p is .-; wanted real points, %(n, 2%) or %(2, n%)", function()
      grid:build(ma.zeros { 3, 3 })
    end)
    said("HashGrid.build: p is nil", function() grid:build() end)
    said("HashGrid.build: p is .-complex", function() grid:build(ma.zeros({ 3, 2 }, "complex64")) end)
    said("nil in place of the object; write object:build", function() grid.build() end)
    said("HashGrid.near: outside of a kernel; wanted a call in a kernel in Lua", function() grid:near(1) end)
    said("HashGrid: no attribute 'cell'; did you mean 'cells'", function() return grid.cell end)
    local use = jit.rawkernel "function(g) for j in g:near(0, 0) do break end end"
    said("argument 1 %(g%) is a HashGrid without points; wanted one after grid:build%(p%)", use, 1, 1, { grid })
    said("argument 1 %(g%) is a table; wanted an array, .-HashGrid", use, 1, 1, { {} })
    local x = ma.zeros { 2, 2 }
    grid:build(x)
    local function in_kernel(pattern, source) said(pattern, jit.rawkernel(source), 1, 1, { grid, x }) end
    in_kernel("':near' with 1 numbers for a place; wanted 2, or a row", "function(g, x) for j in g:near(1) do end end")
    in_kernel("':near' with 4 arguments", "function(g, x) for j in g:near(1, 2, 3, 4) do end end")
    in_kernel("':near' without a place", "function(g, x) for j in g:near() do end end")
    in_kernel("place of ':near' is an array of 2 axes", "function(g, x) for j in g:near(x, 1) do end end")
    in_kernel("coordinate 2 of ':near' is a boolean", "function(g, x) for j in g:near(1, true) do end end")
    in_kernel("4 names for what ':near' gives", "function(g, x) for j, a, b, c in g:near(1, 2) do end end")
    in_kernel("':near' is called; wanted for j in", "function(g, x) local j = g:near(1, 2) end")
    in_kernel("'g' has no method ':far'", "function(g, x) for j in g:far(1, 2) do end end")
    in_kernel("'low' of 'g' is not available in a kernel; wanted n or radius", "function(g, x) x[{ 1, 1 }] = g.low end")
    in_kernel("'for ... in' of this is not available in a kernel", "function(g, x) for j in x do end end")
    local outside = jit.rawkernel("function(x) for j in g:near(1, 1) do x[1] = j end end", { constants = { g = grid } })
    said("'g' is an object from outside; give it among the arguments", outside, 1, 1, { ma.ones(2) })
    local declared = jit.elementwisekernel("function(x, g) return x end", { in_params = "T x, HashGrid g" })
    said("g is a float64 array %(2, 2%); wanted a HashGrid, as it is declared", declared, x, x)
    said("x is a HashGrid; wanted an array or a number", declared, grid, grid)
  end)
end)
