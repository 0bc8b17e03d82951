--- What flows back through functions that choose, count, fill, or are sums of a simple form: each is said by operations
--- that have derivatives.

return function(core, tape, kit)
  local ma, plainly, is_array = core.library, core.plainly, core.is_array
  local define, read, refuse = kit.define, kit.read, kit.refuse

  define("select", function(signature, _, ...)
    local given = read("select", signature, ...)
    local y = given.default or 0
    for k = #given.condlist, 1, -1 do y = ma.where(given.condlist[k], given.choicelist[k], y) end
    return y
  end)

  --- Which of the choices is taken where is what the call gives for their numbers.
  define("choose", function(signature, call, ...)
    local given = read("choose", signature, ...)
    if is_array(given.choices) or tape.is_known(given.a) then refuse("choose", "such arguments") end
    local numbers = {}
    for k = 1, #given.choices do numbers[k] = k end
    local which = plainly(call, given.a, numbers, { mode = given.mode })
    local y = given.choices[#numbers]
    for k = #numbers - 1, 1, -1 do y = ma.where(which:eq(k), given.choices[k], y) end
    return y
  end)

  define("bincount", function(signature, call, ...)
    local given = read("bincount", signature, ...)
    local places = core.asarray(given.x):astype("int64") + 1
    return tape.note("bincount", { given.weights }, plainly(call, ...), function(g)
      return g:take(places)
    end, { places })
  end)

  define("nanprod", function(signature, _, ...)
    local given = read("nanprod", signature, ...)
    return ma.prod(ma.where(ma.isnan(given.a), 1, given.a), given.axis,
      { keepdims = given.keepdims, initial = given.initial, where = given.where, dtype = given.dtype })
  end)

  define("full", function(signature, call, ...)
    local given = read("full", signature, ...)
    local r = plainly(call, ...)
    if not tape.is_real(r) and not tape.is_complex(r) then return r end
    return tape.note("full", { given.fill_value }, r, function(g) return g end)
  end, true)

  --- The positions of the running extremes are the last ones that are equal to them.
  for _, name in ipairs { "maximum", "minimum" } do
    define(name .. ".accumulate", function(signature, call, ...)
      local given, r = read(name, signature, ...), plainly(call, ...)
      local x, axis = given.a, given.axis or 1
      if not is_array(x) or given.dtype ~= nil then refuse(name .. ".accumulate", "such arguments") end
      if axis < 0 then axis = x.ndim + 1 + axis end
      local places = core.unrecorded(function()
        local extents = {}
        for d = 1, x.ndim do extents[d] = d == axis and x.shape[d] or 1 end
        local at = ma.range(1, x.shape[axis], { dtype = "int64", device = x.device }):reshape(extents)
        return ma.maximum.accumulate(ma.where(ma.equal(x, r), at, 1), axis)
      end)
      return x:take_along_axis(places, axis)
    end)
  end

  for name, scan in pairs { add = "cumsum", multiply = "cumprod" } do
    define(name .. ".accumulate", function(signature, _, ...)
      local given = read(name, signature, ...)
      return ma[scan](given.a, given.axis or 1, { dtype = given.dtype })
    end)
  end

  --- The value of a polynomial, the highest power first.
  define("core.horner", function(_, call, p, x)
    local r = plainly(call, p, x)
    if not is_array(r) then return r end
    if p.ndim ~= 1 or not tape.is_real(r) then refuse("polyval", "such arguments") end
    local y = ma.zeros_like(r)
    for k = 1, p.size do y = y * x + core.along(p, 1, k, k) end
    return y:reshape(r.shape)
  end)

  --- What is differentiated is the sum of what all ranks compute, so what flows to each of them is summed too.
  core.flows["distributed.all_reduce"] = function(run, x, op, out, group, timeout, async_op)
    local name = "distributed.all_reduce"
    if not tape.any_known(x) then return run(x, op, out, group, timeout, async_op) end
    if op ~= nil and op ~= "sum" and op ~= "mean" then refuse(name, "has no derivative but of sum and mean") end
    if out ~= nil or async_op then refuse(name, "out or async_op in a function that is differentiated") end
    return tape.note(name, { x }, core.unrecorded(run, x, op, nil, group, timeout), function(g)
      return ma.distributed.all_reduce(g, op, { group = group, timeout = timeout })
    end)
  end

  --- Cosine and sine transforms along the last axis: a product with what they give for each element alone.
  define("core.fft_cosine", function(_, call, a, ...)
    local options = { ... }
    local r, n = plainly(call, a, ...), a.shape[a.ndim]
    if not is_array(r) then return r end                               -- it goes by other calls
    return tape.note("fft.dct", { a }, r, function(g)
      local alone = core.unrecorded(core.fft_cosine, ma.eye(n, { dtype = g.dtype, device = g.device }),
        unpack(options, 1, 4))
      return ma.matmul(g, alone.T)
    end)
  end)
end
