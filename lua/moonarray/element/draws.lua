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

  --- Makes the array of a draw for a run: `what` is {kind, dtype, from, to, generator}.
  function core.draw(what, ...)
    local kind, dtype, from, to, generator = unpack(what, 1, 5)
    local shape, device = shape_of(...)
    local out = ma.empty(shape, { dtype = dtype, device = device })
    local options = { out = out, generator = generator or nil }
    if kind == "integers" then
      options.endpoint = true
      return ma.random.integers(from, to, options)
    end
    return ma.random[kind](options)
  end
end
