--- What functions of ma.stencil draw from, and print to, that became C++ (body.lua): arrays that each run makes.

return function(ma, core)
  local making = {}

  --- The numbers of the elements, in C order.
  function making.element(field)
    local list = ma.arange(field.size, { dtype = "int64", device = field.device })
    local result = list:reshape(field.shape)
    list:free()
    return result
  end

  --- The key and the first of `count` draws of a generator, as the bytes of a number (ma_random_cell).
  function making.cell(field, count, generator)
    local out = ma.zeros(4, { dtype = "uint32", device = field.device })
    local nth = core.random_cell_into(generator or ma.random.get_random_state(), count, out)
    if nth then
      out:iadd(ma.array({ 0, 0, nth, 0 }, { dtype = "uint32", device = field.device }))
    else
      local low, high, draw = core.take_draws("stencil", generator or nil, count, nil, out)
      out:assign(ma.array({ low, high, draw, 0 }, { dtype = "uint32", device = field.device }))
    end
    local number = out:view "complex128"
    local result = number:reshape {}
    out:free()
    number:free()
    return result
  end

  --- The address of the buffer for what is printed. The launch is counted; on the CPU what was printed before is shown.
  function making.words(field, of)
    local buffer, first = core.prints.values(of, of, field)
    core.prints.launched(buffer)
    of.first = first
    return ma.array(buffer:ptr(), { dtype = "int64", device = field.device })
  end

  --- The number before the first place that prints.
  function making.places(field, of) return ma.array(of.first, { dtype = "int64", device = field.device }) end

  --- Makes such an array for a run over a field: {"element"}, {"cell", dtype, count, generator},
  --- {"words", dtype, of} and then {"places", dtype, of}.
  function core.draw_source(what, field) return making[what[1]](field, what[3], what[4]) end
end
