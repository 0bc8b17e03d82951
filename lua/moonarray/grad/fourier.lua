--- What flows back through Fourier transforms: the adjoint, which is the transform the other way round, without a
--- factor.

return function(core, tape, kit)
  local ma, plainly, note = core.library, core.plainly, tape.note

  --- How often each term of the last axis counts in a real result of n elements: those that stand for two, twice.
  local function weights(g, terms, n)
    local two = ma.full(terms, 2, { dtype = g.dtype, device = g.device })
    two[1] = 1
    if n % 2 == 0 then two[terms] = 1 end
    return two
  end

  --- The array with zeros behind its last axis, as far as n elements.
  local function widened(g, n)
    local pads = {}
    for d = 1, g.ndim do pads[d] = { 0, d == g.ndim and n - g.shape[d] or 0 } end
    return core.contiguous(ma.pad(g, pads))
  end

  kit.define("core.fft", function(_, call, a, kind, rank, inverse, last)
    local r = plainly(call, a, kind, rank, inverse, last)
    local n, terms = r.shape[r.ndim], a.shape[a.ndim]
    return note("fft", { a }, r, function(g)
      g = core.contiguous(g)
      if kind == "to_real" then return core.fft(g, "to_complex", rank, false) * weights(g, terms, n) end
      if kind == "to_complex" then g = widened(g, terms) end
      return core.fft(g, "complex", rank, not inverse)
    end)
  end, true)
end
