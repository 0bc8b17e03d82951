--- Random numbers in functions of elements. A function that ma.fuse or ma.stencil records has an input for each place
--- where it draws (src/bind/kernel/draws.c); each run fills these inputs by draws of a generator, in the order of the
--- places, so that element i has the value of element i of such a draw.

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core)
  --- The shape of what a function of elements gives for these arguments, and their device.
  local function shape_of(...)
    local shapes, device = {}, nil
    for k = 1, select("#", ...) do
      local value = select(k, ...)
      if core.is_array(value) then
        shapes[#shapes + 1], device = value.shape, device or value.device
      elseif type(value) == "table" then
        shapes[#shapes + 1] = core.asarray(value).shape
      end
    end
    if #shapes < 2 then return shapes[1] or {}, device end
    return ma.broadcast_shapes(unpack(shapes)), device
  end

  local making = {}

  --- The numbers of the elements, in C order.
  function making.element(shape, device)
    local size = 1
    for d = 1, #shape do size = size * shape[d] end
    local list = ma.arange(size, { dtype = "int64", device = device })
    local result = list:reshape(shape)
    list:free()
    return result
  end

  --- The key and the first of `count` draws of a generator, as the bytes of a number (ma_random_cell).
  function making.cell(_, device, count, generator)
    local out = ma.zeros(4, { dtype = "uint32", device = device })
    local nth = core.random_cell_into(generator or ma.random.get_random_state(), count, out)
    if nth then
      out:iadd(ma.array({ 0, 0, nth, 0 }, { dtype = "uint32", device = device }))
    else
      local low, high, draw = core.take_draws("stencil", generator or nil, count, nil, out)
      out:assign(ma.array({ low, high, draw, 0 }, { dtype = "uint32", device = device }))
    end
    local number = out:view "complex128"
    local result = number:reshape {}
    out:free()
    number:free()
    return result
  end

  --- Makes the array of a draw for a run: `what` is {kind, dtype, from, to, generator}; or what functions in C++ draw
  --- from, {"element"} or {"cell", dtype, count, false, generator}.
  function core.draw(what, ...)
    local kind, dtype, from, to, generator = unpack(what, 1, 5)
    local shape, device = shape_of(...)
    if making[kind] then return making[kind](shape, device, from, generator) end
    local out = ma.empty(shape, { dtype = dtype, device = device })
    local options = { out = out, generator = generator or nil }
    if kind == "integers" then
      options.endpoint = true
      return ma.random.integers(from, to, options)
    end
    return ma.random[kind](options)
  end
end
