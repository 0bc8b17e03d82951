--- Products of sharded matrices by SUMMA: the ranks form a grid of p rows and q columns and hold blocks of the
--- matrices. Panel after panel of the common axis, the column of the grid that has the panel of a gives it to the ranks
--- of its row, the row that has that of b gives it to its column, and every rank adds a product to its block.

local sformat, floor, sqrt = require("moonarray.text").format, math.floor, math.sqrt

return function(ma, core, shared, sh)
  local def, fail = core.def, core.fail
  local D = ma.distributed

  --- The grids that were made, by group. The groups of a grid are closed with it.
  local grids = setmetatable({}, { __mode = "k" })

  --- p <= q with p * q the number of ranks, and the groups of this rank's row and column.
  local function grid_of(group)
    local grid = grids[group]
    if grid then return grid end
    local p = floor(sqrt(group.size))
    while group.size % p ~= 0 do p = p - 1 end
    local q = group.size / p
    grid = { p = p, q = q, row = floor(group.rank / q), column = group.rank % q }
    grid.in_row = D.split(grid.row, grid.column, { group = group })
    grid.in_column = D.split(grid.column, grid.row, { group = group })
    grids[group], shared.inner[group] = grid, { grid.in_row, grid.in_column }
    return grid
  end

  --- The boxes of blocks: m by rows of the grid, n by its columns.
  local function block_boxes(m, n, grid)
    local rows, columns, list = sh.divide(m, grid.p), sh.divide(n, grid.q), {}
    for r = 0, grid.p * grid.q - 1 do
      list[r + 1] = { { sh.range(rows, floor(r / grid.q)) }, { sh.range(columns, r % grid.q) } }
    end
    return list
  end

  --- The positions of the common axis in panels that one column and one row of the grid have as wholes.
  local function panels(n, grid)
    local columns, rows = sh.divide(n, grid.q), sh.divide(n, grid.p)
    local list, at, c, r = {}, 1, 0, 0
    while at <= n do
      local first_c, last_c = sh.range(columns, c)
      local first_r, last_r = sh.range(rows, r)
      if last_c < at then c = c + 1
      elseif last_r < at then r = r + 1
      else
        local last = math.min(last_c, last_r)
        list[#list + 1] = { first = at, last = last, column = c, row = r, in_a = at - first_c, in_b = at - first_r }
        at = last + 1
      end
    end
    return list
  end

  --- The panel on all ranks of a group of the grid.
  local function given(panel_of, group, source, shape, like)
    local panel = group.rank == source and panel_of()
      or ma.empty(shape, { dtype = like.dtype, device = like.device })
    if group.size == 1 then return panel end
    return D.broadcast(panel, source, { group = group, out = panel.is_contiguous and panel or nil })
  end

  --> distributed.matmul: local D = ma.distributed
  -->   D.init()
  -->   local a, b = ma.array {{1, 2}, {3, 4}}, ma.array {{0, 1}, {1, 0}}
  -->   return D.matmul(D.distribute(a), D.distribute(b)):all_gather()
  def("distributed.matmul(a: sharded_array, b: sharded_array) -> sharded_array",
    "The product of two sharded matrices, divided as `a` is. The ranks multiply blocks "
    .. "on a grid of p by q ranks (SUMMA), so that each gets only the panels of its row and column.", function(a, b)
      local name = "distributed.matmul"
      sh.check(name, a)
      sh.check(name, b)
      if a.ndim ~= 2 or b.ndim ~= 2 or a.shape[2] ~= b.shape[1] or a.group ~= b.group then
        fail(name, sformat("%s and %s; wanted matrices that fit, of one group", tostring(a), tostring(b)))
      end
      local group, dtype = a.group, ma.promote_types(a.dtype, b.dtype)
      if a.dtype ~= dtype then a = a:astype(dtype) end
      if b.dtype ~= dtype then b = b:astype(dtype) end
      local m, k, n = a.shape[1], a.shape[2], b.shape[2]
      local grid = grid_of(group)
      local of_c = block_boxes(m, n, grid)
      local mine_a = sh.move(a.part, sh.boxes(a.shape, a.axis, a.sizes), block_boxes(m, k, grid), group)
      local mine_b = sh.move(b.part, sh.boxes(b.shape, b.axis, b.sizes), block_boxes(k, n, grid), group)
      local rows, columns = mine_a.shape[1], mine_b.shape[2]
      local c = ma.zeros({ rows, columns }, { dtype = dtype, device = a.device })
      for _, panel in ipairs(panels(k, grid)) do
        local wide = panel.last - panel.first + 1
        local left = given(function() return sh.slice(mine_a, 2, panel.in_a + 1, panel.in_a + wide):copy() end,
          grid.in_row, panel.column, { rows, wide }, a)
        local right = given(function() return sh.slice(mine_b, 1, panel.in_b + 1, panel.in_b + wide) end,
          grid.in_column, panel.row, { wide, columns }, a)
        if rows > 0 and columns > 0 then c:assign(c + ma.matmul(left, right)) end
      end
      local shape = { m, n }
      local sizes = a.axis == 1 and a.sizes or sh.divide(n, group.size)
      local part = sh.move(c, of_c, sh.boxes(shape, a.axis, sizes), group)
      return sh.new(part, a.axis, sizes, group, a.halo)
    end)
end
