--- `ma.await`: results without waiting for the device, in a coroutine. A plain Lua function, unlike most, because the
--- coroutine yields inside of it.

return function(ma, core)
  local waiting = require "moonarray.frames.waiting" (ma, core)

  --- The values of the items from the kth on: all of the last one, and one of each before it.
  local function values(items, k)
    local take = items[k].kind.take
    if k == #items then return take(items[k]) end
    local value = take(items[k])
    return value, values(items, k + 1)
  end

  local function await(...)
    local co, n, items = waiting.coroutine(), select("#", ...), {}
    if n == 0 then core.fail("await", "no argument; wanted " .. waiting.WANTED) end
    for k = 1, n do items[k] = waiting.item(k, (select(k, ...)), co ~= nil) end
    if not co then
      waiting.wait(items)
    elseif not waiting.is_ready(items) then
      waiting.check(co, items)
      waiting.suspend(co, items)
    end
    return values(items, 1)
  end

  --> await: ma.await(ma.ones(3):sum(), ma.ones(2):get_async())
  core.def("await(value: array|copy|event|job|preparation, ...) -> any ...",
    "The values, once they are there: numbers of arrays without axes, else arrays on the CPU; true for an event; of a "
      .. "job what its function returns; of a preparation its kernel. In a coroutine it yields, and ma.update goes on "
      .. "with it; elsewhere it waits.",
    await)
  for _, library in ipairs { ma, ma.numpy } do rawset(library, "await", await) end
end
