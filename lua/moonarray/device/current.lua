--- What is current inside a coroutine: changes that hold while a function runs, as those of `stream:with`. While
--- `ma.await` has a coroutine away, its changes are taken back; when it goes on they are made again.

local running = coroutine.running

return function(core)
  local current = rawget(core, "current")
  if current then return current end
  current = {}
  rawset(core, "current", current)

  --- By coroutine its open changes, the innermost last; `away` says that they are taken back.
  local changes = setmetatable({}, { __mode = "k" })

  --- Makes a change. make() makes it and returns what takes it back; so does this, for the end of the function. Where
  --- the change is made again, make() must not fail.
  function current.open(make)
    local undo = make()
    local co, is_main = running()
    if not co or is_main then return undo end
    local list = changes[co] or {}
    local place = #list + 1
    changes[co], list[place] = list, { make = make, undo = undo }
    return function()
      local change = list[place]
      list[place] = nil
      change.undo()
    end
  end

  --- Whether changes are open in a coroutine.
  function current.is_open(co) return changes[co] ~= nil and changes[co][1] ~= nil end

  --- Takes the changes of a coroutine back, since it is about to yield.
  function current.leave(co)
    local list = changes[co]
    if not list or list.away or not list[1] then return end
    list.away = true
    for k = #list, 1, -1 do list[k].undo() end
    pcall(core.flush, "another stream")                   -- whoever reads what fails here gets the error
  end

  --- Makes them again, over what is current now.
  function current.enter(co)
    local list = changes[co]
    if not list or not list.away then return end
    list.away = nil
    for k = 1, #list do list[k].undo = list[k].make() end
  end

  return current
end
