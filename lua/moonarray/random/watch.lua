--- Who watches generators: a function that may be called again (grad/again.lua) draws the same numbers then.

return function(core, kept)
  local watch = {}

  --- To be called before a generator changes. Returns it.
  function watch.change(rng)
    if kept.watch then kept.watch(rng) end
    return rng
  end

  --- The number of a generator among the sources of a graph that records work on `out`, and the number of the first of
  --- `count` draws in a launch; nil if none records. A graph counts its draws itself, so no call in it draws again.
  function watch.source(name, out, rng, count)
    local source, nth = core.random_source(out, rng, count)
    if source and kept.watch then
      core.fail(name, "a draw by a function of ma.checkpoint or ma.iterate while a graph is recorded; draw before")
    end
    return source, nth
  end

  return watch
end
