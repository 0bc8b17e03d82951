--- What flows back through products and solutions of sparse matrices: to the dense operand a product or a solution with
--- the transpose, to the entries products at their positions.

return function(core, tape, kit)
  local flows, note, refuse, is_known = core.flows, tape.note, kit.refuse, tape.is_known

  local POSITIONS = { csr = { "indices", "indptr" }, coo = { "row", "col" }, dia = { "offsets" } }
  POSITIONS.csc, POSITIONS.bsr = POSITIONS.csr, POSITIONS.csr

  --- The arrays of matrices, behind those of a list.
  local function with_arrays(list, ...)
    for k = 1, select("#", ...) do
      local a = select(k, ...)
      list[#list + 1] = a.data
      for _, name in ipairs(POSITIONS[a.format]) do list[#list + 1] = a[name] end
    end
    return list
  end

  --- What flows to the entries of a matrix, if rows times columns flows to its elements.
  local function at_entries(a, rows, columns)
    local row, column = core.unrecorded(function()
      local coo = a:tocoo()
      return coo.row, coo.col
    end)
    local products = rows:take(row, 1) * columns:take(column, 1)
    return products.ndim == 2 and products:sum(2) or products
  end

  --- Whether a call depends on a differentiated array; an error if it has no derivative by it.
  local function concerns(name, a, x)
    if not is_known(x) and not is_known(a.data) then return false end
    if tape.is_complex(x) or tape.is_complex(a.data) then refuse(name, "has no derivative at complex values") end
    if is_known(a.data) and (a.format == "dia" or a.format == "bsr") then
      refuse(name, "has no derivative by the entries of a " .. a.format .. " matrix; a:tocsr() has one")
    end
    return true
  end

  --- run() is the matrix times x.
  function flows.sparse_product(name, a, x, run)
    if not concerns(name, a, x) then return run() end
    return note(name, { x, a.data }, core.unrecorded(run), function(g, k)
      return k == 1 and a.T:dot(g) or at_entries(a, g, x)
    end, with_arrays({ x }, a))
  end

  --- The products that the entries of a matrix product c are sums of: for each of them the positions of its factors
  --- among the entries of a and of b, and of the sum among those of c.
  local function terms_of(a, b, c)
    local ma = core.library
    local left, right, result = a:tocoo(), b:tocoo(), c:tocoo()
    local order = ma.argsort(right.row, 1, { stable = true })           -- entries of b, one row after another
    local counts = ma.bincount(right.row - 1, nil, b.shape[1])
    local before = (ma.cumsum(counts) - counts):take(left.col)          -- of the row that meets an entry of a
    local times = counts:take(left.col)
    local p = ma.repeat_(ma.range(1, left.row.size, { dtype = "int64", device = times.device }), times)
    local first = (ma.cumsum(times) - times):take(p)
    local q = order:take(before:take(p) + ma.range(1, p.size, { dtype = "int64", device = p.device }) - first)
    local function key(row, col) return (row - 1):astype("int64") * c.shape[2] + col end
    local keys = key(result.row, result.col)
    local sorted = ma.argsort(keys)
    local wanted = key(left.row:take(p), right.col:take(q))
    return p, q, sorted:take(ma.searchsorted(keys:take(sorted), wanted))
  end

  --- run() is a times b, both sparse.
  function flows.sparse_times(name, a, b, run)
    if not is_known(a.data) and not is_known(b.data) then return run() end
    concerns(name, a, a.data)
    concerns(name, b, b.data)
    local ma, c, p, q, e = core.library, core.unrecorded(run), nil, nil, nil
    note(name, { a.data, b.data }, c.data, function(g, k)
      if not p then core.unrecorded(function() p, q, e = terms_of(a, b, c) end) end
      local at, of, factor = p, a.data, b.data:take(q)
      if k == 2 then at, of, factor = q, b.data, a.data:take(p) end
      local sums = ma.zeros(of.size, { dtype = of.dtype, device = of.device })
      return sums:iadd_at(at, (g:take(e) * factor):astype(of.dtype))
    end, with_arrays({}, a, b, c))
    return c
  end

  --- Notes x, of which the matrix gives b. solve(a, g) is the same for another matrix; `kept`: which entries of the
  --- matrix take part, or nil.
  local function note_solution(name, a, b, x, solve, kept)
    return note(name, { b, a.data }, x, function(g, k)
      local c = solve(a.T, g)
      if k == 1 then return c end
      local flow = -at_entries(a, c, x)
      return kept and core.library.where(kept, flow, 0) or flow
    end, with_arrays({ x, kept or nil }, a))
  end

  local function direct(a, g) return core.library.sparse.linalg.spsolve(a, g) end

  --- run() is the x of which the matrix gives b.
  function flows.sparse_solution(name, a, b, run)
    if not concerns(name, a, b) then return run() end
    return note_solution(name, a, b, core.unrecorded(run), direct)
  end

  --- The same for a triangle of the matrix.
  function flows.sparse_triangle(name, a, b, lower, unit, run)
    if not concerns(name, a, b) then return run() end
    local kept = is_known(a.data) and core.unrecorded(function()
      local coo = a:tocoo()
      local near, far = lower and coo.col or coo.row, lower and coo.row or coo.col
      return unit and near:lt(far) or near:le(far)
    end)
    return note_solution(name, a, b, core.unrecorded(run), function(t, g)
      return core.library.sparse.linalg.spsolve_triangular(t, g, not lower, nil, nil, unit)
    end, kept)
  end

  --- x and what else run(a, b, ...) gives, by steps that come near the x of which the matrix gives b. Backward that is
  --- solved by factors.
  function flows.iterated(name, run, a, b, ...)
    if not tape.any_known(a, b, ...) then return run(a, b, ...) end
    if not core.library.sparse.issparse(a) or not core.is_array(b) then
      refuse(name, "has a derivative for a sparse matrix and an array alone")
    end
    concerns(name, a, b)
    local x, info = core.unrecorded(run, a, b, ...)
    return note_solution(name, a, b, x, direct), info
  end
end
