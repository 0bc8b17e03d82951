--- Draws for kernels that make their random numbers themselves (lua/moonarray/jit/random.lua).

return function(core, generators)
  local BITS = generators.BITS

  core.is_generator = generators.is_generator

  local function checked(name, generator)
    local rng = generators.check(name, generator)
    if rng[BITS] then core.fail(name, rng[BITS] .. " makes whole arrays; a kernel draws from 'philox'") end
    return rng
  end

  --- Takes `count` draws for a function that is recorded: the halves of the key, and the number of the first draw. If a
  --- graph records, it takes none, and returns the generator.
  function core.draws_of(name, generator, count, in_graph)
    local rng = checked(name, generator or nil)
    if in_graph then return rng end
    return generators.taken(name, rng, count)
  end

  --- Takes `count` draws for a kernel on a stream, or on that of an array: the halves of the key, the number of the
  --- first draw, and 0. If a graph records the kernel, the last is the address of the cell in which each launch finds
  --- the key and the draw from which that number counts.
  function core.take_draws(name, generator, count, stream, array)
    local rng = checked(name, generator)
    local cell, nth = core.random_cell(rng, count, stream, array)
    if cell then return 0, 0, nth, cell end
    local low, high, draw = generators.taken(name, rng, count)
    return low, high, draw, 0
  end
end
