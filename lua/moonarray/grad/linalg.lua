--- What flows back through solvers and factors. The first argument of these functions of the core is a name for
--- messages.

return function(core, tape, kit)
  local ma, plainly, note = core.library, core.plainly, tape.note
  local define, refuse = kit.define, kit.refuse

  local function turned(a) return a:swapaxes(-1, -2) end

  local function check(...)
    for k = 1, select("#", ...) do
      if not ma.issubdtype((select(k, ...)).dtype, "floating") then refuse("linalg", "complex values") end
    end
  end

  define("core.linalg_solve", function(_, call, name, a, b, checked)
    local x = plainly(call, name, a, b, checked)
    check(x)
    return note("linalg.solve", { a, b }, x, function(g, k)
      local c = core.linalg_solve(name, turned(a), g, false)
      return k == 2 and c or -ma.matmul(c, turned(x))
    end, { a, x })
  end)

  define("core.linalg_inv", function(_, call, name, a, checked)
    local x = plainly(call, name, a, checked)
    check(x)
    return note("linalg.inv", { a }, x, function(g) return -ma.matmul(turned(x), ma.matmul(g, turned(x))) end, { x })
  end)

  --- Only the lower triangle of a is read.
  define("core.linalg_cholesky", function(_, call, name, a, checked)
    local l = plainly(call, name, a, checked)
    check(l)
    return note("linalg.cholesky", { a }, l, function(g)
      local lower = ma.tril(l)
      local n = lower.shape[lower.ndim]
      local half = ma.tril(ma.ones({ n, n }, { dtype = l.dtype, device = l.device }))
        - 0.5 * ma.eye(n, { dtype = l.dtype, device = l.device })
      local inner = ma.matmul(turned(lower), ma.tril(g)) * half
      local right = core.linalg_triangular_solve(name, lower, turned(inner), true, "T", false, false)
      local s = core.linalg_triangular_solve(name, lower, turned(right), true, "T", false, false)
      return (s + turned(s)) * half
    end, { l })
  end)

  --- Of square matrices, of which U has an inverse: for determinants.
  define("core.linalg_lu", function(_, call, name, a)
    local lu, pivots = plainly(call, name, a)
    check(lu)
    if a.shape[a.ndim] ~= a.shape[a.ndim - 1] then refuse(name, "factors of a matrix that is not square") end
    return note("linalg.lu", { a }, lu, function(g)
      local u = ma.triu(lu)
      local n = u.shape[u.ndim]
      local l = ma.tril(lu, -1) + ma.eye(n, { dtype = lu.dtype, device = lu.device })
      local inner = ma.tril(ma.matmul(turned(l), ma.tril(g, -1)), -1) + ma.triu(ma.matmul(ma.triu(g), turned(u)))
      local right = turned(core.linalg_triangular_solve(name, u, turned(inner), false, "N", false, false))
      return core.linalg_solve(name, turned(a), ma.matmul(turned(u), right), false)
    end, { lu, a }), pivots
  end)

  define("core.linalg_signed", function(_, _, products, pivots)
    local n = pivots.shape[pivots.ndim]
    local odd = (pivots:ne(ma.range(1, n, { device = pivots.device })):sum(-1, { dtype = "int64" }) % 2):eq(1)
    return ma.where(odd, -products, products)
  end)

  define("core.linalg_triangular_solve", function(_, call, name, a, b, lower, trans, unit, checked)
    local x = plainly(call, name, a, b, lower, trans, unit, checked)
    check(x)
    local plain = (trans or "N") == "N"
    return note("linalg.solve_triangular", { a, b }, x, function(g, k)
      local c = core.linalg_triangular_solve(name, a, g, lower, plain and "T" or "N", unit, false)
      if k == 2 then return c end
      local flow = plain and -ma.matmul(c, turned(x)) or -ma.matmul(x, turned(c))
      local off = unit and 1 or 0
      return lower and ma.tril(flow, -off) or ma.triu(flow, off)
    end, { a, x })
  end)
end
