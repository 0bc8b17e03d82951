--- What flows back through solvers and factors. The first argument of these functions of the core is a name for
--- messages. Complex matrices take part as real ones do.
--- The functions of ma.linalg whose results are made of parts that have no derivatives of their own (h and tau of QR)
--- ask `core.flows` while calls are recorded.

return function(core, tape, kit)
  local ma, plainly, note = core.library, core.plainly, tape.note
  local define, is_known = kit.define, tape.is_known
  local pull_divide = kit.pull_divide
  local flows = core.flows

  -- ==== Matrices =====================================================================================================

  local function adjoint(a)
    local turned = a:swapaxes(-1, -2)
    return tape.is_complex(a) and ma.conj(turned) or turned
  end
  local function times(a, b, c) return c and ma.matmul(ma.matmul(a, b), c) or ma.matmul(a, b) end
  local function real(a) return tape.is_complex(a) and ma.real(a) or a end
  local function column(v) return v:expand_dims(-1) end
  local function row(v) return v:expand_dims(-2) end
  local function eye(a, n) return ma.eye(n or a.shape[a.ndim], { dtype = a.dtype, device = a.device }) end
  local function ones(a, n) return ma.ones({ n, n }, { dtype = real(a).dtype, device = a.device }) end

  --- 1 below the diagonal, and 1/2 on it.
  local function half(a)
    local n = a.shape[a.ndim]
    return ma.tril(ones(a, n)) - 0.5 * ma.eye(n, { dtype = real(a).dtype, device = a.device })
  end

  --- What flows to the triangle that is read of Hermitian matrices, of what flows to all their elements.
  local function to_triangle(s, lower)
    local weights = half(s)
    return (s + adjoint(s)) * (lower and weights or weights:swapaxes(-1, -2))
  end

  --- b / (values of columns - values of rows), and 0 where these are so close that rounding decides which is which:
  --- where the gap is at most eps times the largest.
  local function over_gaps(b, values, also)
    local gap = row(values) - column(values)
    local least = ma.abs(values):max(-1, { keepdims = true }) * ma.finfo(values.dtype).eps
    local apart = ma.abs(gap):gt(column(least))
    if also then gap = gap * (row(values) + column(values)) end
    return ma.where(apart, pull_divide(b, ma.where(apart, gap, 1)), 0)
  end

  -- ==== Equations ====================================================================================================

  define("core.linalg_solve", function(_, call, name, a, b, checked)
    local x = plainly(call, name, a, b, checked)
    return note("linalg.solve", { a, b }, x, function(g, k)
      local c = core.linalg_solve(name, adjoint(a), g, false)
      return k == 2 and c or -times(c, adjoint(x))
    end, { a, x })
  end, true)

  define("core.linalg_inv", function(_, call, name, a, checked)
    local x = plainly(call, name, a, checked)
    return note("linalg.inv", { a }, x, function(g) return -times(adjoint(x), g, adjoint(x)) end, { x })
  end, true)

  local TURNED = { N = "C", T = "N", C = "N" }

  define("core.linalg_triangular_solve", function(_, call, name, a, b, lower, trans, unit, checked)
    local x = plainly(call, name, a, b, lower, trans, unit, checked)
    trans = trans or "N"
    return note("linalg.solve_triangular", { a, b }, x, function(g, k)
      local c
      if trans == "T" and tape.is_complex(a) then
        c = core.linalg_triangular_solve(name, ma.conj(a), g, lower, "N", unit, false)
      else
        c = core.linalg_triangular_solve(name, a, g, lower, TURNED[trans], unit, false)
      end
      if k == 2 then return c end
      local flow = trans == "N" and -times(c, adjoint(x)) or -times(x, adjoint(c))
      if trans == "T" and tape.is_complex(a) then flow = ma.conj(flow) end
      local off = unit and 1 or 0
      return lower and ma.tril(flow, -off) or ma.triu(flow, off)
    end, { a, x })
  end, true)

  --- The pseudo-inverse of a matrix of constant rank (Golub and Pereyra 1973); of a Hermitian one, the lower triangle.
  function flows.pinv(name, a, compute, hermitian)
    if not is_known(a) then return compute() end
    if hermitian then
      local lower = ma.tril(a) * half(a)
      a = lower + adjoint(lower)
    end
    local p = core.unrecorded(compute)
    return note(name, { a }, p, function(g)
      local ph, gh = adjoint(p), adjoint(g)
      local left, right = times(gh, p, ph), times(ph, p, gh)
      return left - times(a, ma.matmul(p, left)) + right - times(right, p, a) - times(ph, g, ph)
    end, { a, p })
  end

  -- ==== Factors ======================================================================================================

  --- Only the lower triangle of a is read.
  define("core.linalg_cholesky", function(_, call, name, a, checked)
    local l = plainly(call, name, a, checked)
    return note("linalg.cholesky", { a }, l, function(g)
      local lower = ma.tril(l)
      local inner = ma.tril(times(adjoint(lower), ma.tril(g))) * half(l)
      local function divided(b)
        return core.linalg_triangular_solve(name, lower, b, true, "C", false, false)
      end
      return to_triangle(adjoint(divided(adjoint(divided(inner)))), true)
    end, { l })
  end, true)

  --- Of square matrices, of which U has an inverse.
  define("core.linalg_lu", function(_, call, name, a)
    local lu, pivots = plainly(call, name, a)
    if a.shape[a.ndim] ~= a.shape[a.ndim - 1] then kit.refuse(name, "factors of a matrix that is not square") end
    return note(name, { a }, lu, function(g)
      local u, l = ma.triu(lu), ma.tril(lu, -1) + eye(lu)
      local inner = ma.tril(times(adjoint(l), ma.tril(g, -1)), -1) + ma.triu(times(ma.triu(g), adjoint(u)))
      local right = adjoint(core.linalg_triangular_solve(name, u, adjoint(inner), false, "N", false, false))
      return core.linalg_solve(name, adjoint(a), times(adjoint(u), right), false)
    end, { lu, a }), pivots
  end, true)

  --- q and r. Of a matrix with more columns than rows, the first columns have the q, and the rest of r is a product.
  function flows.qr(a, mode, compute)
    if not is_known(a) or mode == "raw" then return compute(a, mode) end
    local m, n = a.shape[a.ndim - 1], a.shape[a.ndim]
    if mode == "complete" and m > n then
      kit.refuse("linalg.qr", 'mode "complete" of a matrix with more rows than columns has no derivative')
    end
    if m < n then
      local q, r = flows.qr(a[{ "...", {}, { 1, m } }], "reduced", compute)
      r = ma.concatenate({ r, times(adjoint(q), a[{ "...", {}, { m + 1, n } }]) }, -1)
      if mode == "r" then return r end
      return q, r
    end
    local q, r = core.unrecorded(compute, a, "reduced")
    local function divided(y)                                        -- y r^-H
      return adjoint(core.linalg_triangular_solve("linalg.qr", r, adjoint(y), false, "N", false, false))
    end
    local function joined(x)
      x = ma.triu(x)
      return times(q, (x + adjoint(x)) * (half(x) + ma.triu(ones(x, n), 1)))
    end
    note("linalg.qr", { a }, r, function(g) return divided(joined(times(g, adjoint(r)))) end, { q, r })
    note("linalg.qr", { a }, q, function(g) return divided(g - joined(times(adjoint(q), g))) end, { q, r })
    if mode == "r" then return r end
    return q, r
  end

  --- Vectors are noted also where only the values are wanted, since the derivative of these has them. The phase of
  --- complex vectors is free, so that what flows through them is right for what does not depend on it.
  define("core.linalg_eigh", function(_, call, name, a, vectors, lower, checked)
    local w, v = plainly(call, name, a, true, lower, checked)
    note(name, { a }, w, function(g) return to_triangle(times(v * row(g), adjoint(v)), lower) end, { v })
    note(name, { a }, v, function(g)
      return to_triangle(times(v, over_gaps(times(adjoint(v), g), w), adjoint(v)), lower)
    end, { w, v })
    if vectors then return w, v end
    return w
  end, true)

  define("core.linalg_eig", function(_, call, name, a, vectors, checked)
    local w, v = plainly(call, name, a, true, checked)
    local function flow(inner) return times(core.linalg_solve(name, adjoint(v), inner, false), adjoint(v)) end
    note(name, { a }, w, function(g) return flow(eye(v) * row(g)) end, { v })
    note(name, { a }, v, function(g)
      local inner = times(adjoint(v), g)
      local along = ma.real(ma.diagonal(inner, 0, -2, -1))           -- each vector keeps its length of 1
      return flow(over_gaps(inner - times(adjoint(v), v) * row(along), ma.conj(w)))
    end, { w, v })
    if vectors then return w, v end
    return w
  end, true)

  --- u, s and vh flow apart. `none` says what is wrong if something flows to columns that a does not determine.
  define("core.linalg_svd", function(_, call, name, a, job, checked)
    local u, s, vh = plainly(call, name, a, job == "A" and "A" or "S", checked)
    local m, n = a.shape[a.ndim - 1], a.shape[a.ndim]
    local function first(x, rows, columns) return x[{ "...", { 1, rows }, { 1, columns } }] end
    local us, vhs = u, vh
    if job == "A" then us, vhs = first(u, m, math.min(m, n)), first(vh, math.min(m, n), n) end

    local function inverted()
      return ma.where(s:gt(s:max(-1, { keepdims = true }) * ma.finfo(s.dtype).eps), 1 / s, 0)
    end
    local function turns(x, sign)                                    -- x - x^H over the gaps of the squares
      x = x - adjoint(x)
      local inner = over_gaps(x, s, true)
      local scaled = sign > 0 and inner * row(s) or inner * column(s)
      if tape.is_complex(x) then scaled = scaled + eye(x) * (x * row(inverted() * (sign / 4))) end
      return times(us, scaled, vhs)
    end
    local function check_square(more)
      if job == "A" and more then
        core.fail("grad", name .. ": singular vectors beyond the singular values have no derivative; "
          .. "full_matrices = false leaves them out")
      end
    end

    note(name, { a }, s, function(g) return times(us * row(g), vhs) end, { u, vh })
    note(name, { a }, u, function(g)
      check_square(m > n)
      local inner = times(adjoint(us), g)
      local flow = turns(inner, 1)
      if m <= n then return flow end
      return flow + times((g - times(us, inner)) * row(inverted()), vhs)
    end, { u, s, vh })
    note(name, { a }, vh, function(g)
      check_square(n > m)
      local inner = times(g, adjoint(vhs))                           -- (v^H gv)^H
      local flow = turns(adjoint(inner), -1)
      if n <= m then return flow end
      return flow + times(us, column(inverted()) * (g - times(inner, vhs)))
    end, { u, s, vh })
    if job ~= "N" then return u, s, vh end
    return s
  end, true)

  -- ==== Determinants =================================================================================================

  --- The conjugate transpose of the adjugate of singular matrices, by singular values: it has no derivative of its own.
  local function singular_cofactors(a)
    local c = core.unrecorded(function()
      local u, s, vh = core.linalg_svd("linalg.det", a, "A", false)
      local sign = ma.linalg.det(u) * ma.linalg.det(vh)
      return times(u * row(kit.products_of_others(s)), vh) * column(column(sign))
    end)
    if not is_known(a) then return c end
    return note("linalg.det", { a }, c, function()
      core.fail("grad", "linalg.det: a singular matrix has a first derivative alone")
    end)
  end

  --- The derivative of the determinant d by the conjugate of a. It waits for whether a matrix is singular.
  local function cofactors(a, d)
    local singular = core.unrecorded(function() return d:eq(0) end)
    if not core.unrecorded(function() return singular:any() end) then
      return adjoint(core.linalg_inv("linalg.det", a, false)) * column(column(ma.conj(d)))
    end
    if d.ndim == 0 then return singular_cofactors(a) end
    local here = column(column(singular))
    local rest = adjoint(core.linalg_inv("linalg.det", ma.where(here, eye(a), a), false)) * column(column(ma.conj(d)))
    return ma.where(here, singular_cofactors(ma.where(here, a, eye(a))), rest)
  end

  function flows.det(a, compute)
    if not is_known(a) then return compute(a) end
    local d = core.unrecorded(compute, a)
    return note("linalg.det", { a }, d, function(g) return cofactors(a, d) * column(column(g)) end, { a, d })
  end

  --- A singular matrix has none: the inverse says so.
  function flows.slogdet(a, compute)
    if not is_known(a) then return compute(a) end
    local sign, log = core.unrecorded(compute, a)
    local function inverse() return adjoint(core.linalg_inv("linalg.slogdet", a, true)) end
    note("linalg.slogdet", { a }, log, function(g) return inverse() * column(column(g)) end, { a })
    if tape.is_complex(sign) then
      note("linalg.slogdet", { a }, sign, function(g)
        return inverse() * (column(column(ma.imag(g * ma.conj(sign)))) * ma.complex(0, 1))
      end, { a, sign })
    end
    return sign, log
  end
end
