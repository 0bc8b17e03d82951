--- What flows back through products and solutions of sparse matrices: to the dense operand a product or a solution with
--- the transpose, to the entries products at their positions.

return function(core, tape, kit)
  local flows, note, refuse, is_known = core.flows, tape.note, kit.refuse, tape.is_known

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
    end, { x, a.data })
  end

  --- Notes x, of which the matrix gives b. solve(a, g) is the same for another matrix; `kept`: which entries of the
  --- matrix take part, or nil.
  local function note_solution(name, a, b, x, solve, kept)
    return note(name, { b, a.data }, x, function(g, k)
      local c = solve(a.T, g)
      if k == 1 then return c end
      local flow = -at_entries(a, c, x)
      return kept and core.library.where(kept, flow, 0) or flow
    end, { x, a.data })
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
