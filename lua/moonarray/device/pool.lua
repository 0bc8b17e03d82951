--- Memory hooks: `ma.cuda.MemoryHook`, the two hooks of CuPy, and `UnownedMemory`.
---
--- Pools are called on any thread and under locks, where no Lua may run, so they write a log. The hooks of a Lua state
--- read it where Lua may run: before the library makes its next array in that state, in hook:flush(), and when
--- hook:with() or hook:remove() ends. Hooks see the events in order, with their figures, and cannot change them.

return function(ma, core)
  local common = require("moonarray.common")(core)
  local fail, sformat, callable = core.fail, require("moonarray.text").format, common.callable
  local wanted = { name = "string" }
  local before, after, bit = {}, {}, {}                -- by the name of an event
  for k, act in ipairs { "alloc", "malloc", "free" } do
    before[act], after[act], bit[act] = act .. "_preprocess", act .. "_postprocess", 2 ^ (k - 1)
    wanted[before[act]], wanted[after[act]] = "function", "function"
  end

  local installed, telling = {}, false

  --- All events since the last call, or nil.
  local function take(hook)
    local all, lost, more = core.watch_take(hook.watch)
    if not all then return end
    hook.lost = hook.lost + lost
    while more do
      local events
      events, lost, more = core.watch_take(hook.watch)
      if not events then break end
      hook.lost = hook.lost + lost
      for _, event in ipairs(events) do all[#all + 1] = event end
    end
    return all
  end

  --- Reports new events to one hook; `place` is where the program is now.
  local function tell(hook)
    local events = hook.watch and take(hook)
    for k = 1, events and #events or 0 do
      local event = events[k]
      local first, second = hook[before[event.act]], hook[after[event.act]]
      event.place = hook.place
      if first then first(event) end
      if second then second(event) end
    end
  end

  --- Reports new events to all hooks. Events that a hook itself causes meanwhile are skipped.
  local function tell_all(place)
    if telling then return end
    telling = true
    local ok, message = true, nil
    local hooks = installed[2] and { unpack(installed) } or installed
    for k = 1, #hooks do
      local hook = hooks[k]
      local good, why = pcall(tell, hook)
      if not good then ok, message = false, why end
      if hook.watch then core.watch_skip(hook.watch) end
      hook.place = place or hook.place
    end
    telling = false
    if not ok then error(message, 0) end
  end

  local methods = {}
  --> = memory_hook | ma.cuda.MemoryHook {} | Functions that are told what memory pools do.
  --> . name: string | its name
  --> :with(fn: function, ...: any) -> any ... | Listens while fn(...) runs.
  --> memory_hook:with: memory_hook:with(function() return ma.zeros(2) end)
  methods.__index = common.attributes("cuda.MemoryHook", methods)
  methods.__tostring = function(hook) return sformat("<MemoryHook %s>", hook.name) end

  --- Raises an error if `hook` is not a hook, as in a call with a dot.
  local function check(name, hook)
    if type(hook) ~= "table" or getmetatable(hook) ~= methods then
      fail("MemoryHook." .. name, sformat("%s in place of the hook; write hook:%s()", core.describe(hook), name))
    end
    return hook
  end

  --> :install() -> memory_hook | Begins to listen.
  --> memory_hook:install memory_hook:remove memory_hook:flush: local bytes = 0
  -->   local hook = ma.cuda.MemoryHook {malloc_postprocess = function(event) bytes = bytes + event.size end}
  -->   hook:install()
  -->   local a = ma.zeros(100)
  -->   hook:flush()
  -->   hook:remove()
  -->   return bytes >= a.nbytes
  function methods.install(hook)
    if hook.watch then fail("MemoryHook.install", "the hook is installed already; remove it first") end
    tell_all()
    local acts = 0
    for act, value in pairs(bit) do
      if hook[before[act]] or hook[after[act]] then acts = acts + value end
    end
    hook.watch, hook.place, hook.lost = core.watch_new(acts), "", 0
    installed[#installed + 1] = hook
    core.set_dispatch(tell_all)
    return hook
  end

  --> :flush() | Tells what happened until now.
  function methods.flush()
    tell_all()
  end

  --> :remove() -> memory_hook | Ends it.
  function methods.remove(hook)
    if not hook.watch then return hook end
    local ok, message = pcall(tell_all)
    for k = #installed, 1, -1 do
      if installed[k] == hook then table.remove(installed, k) end
    end
    core.watch_close(hook.watch)
    hook.watch = nil
    if #installed == 0 then core.set_dispatch(nil) end
    if not ok then error(message, 0) end
    return hook
  end

  local function leave(hook, ok, ...)
    hook:remove()
    if not ok then error((...), 0) end
    return ...
  end

  methods["with"] = function(hook, fn, ...)
    callable("MemoryHook.with", "fn", fn)
    hook:install()
    return leave(hook, pcall(fn, ...))
  end

  common.guard("MemoryHook", methods, methods)

  local function make_hook(functions)
    if type(functions) ~= "table" then
      fail("cuda.MemoryHook", "functions is " .. core.describe(functions) .. "; wanted a table of functions")
    end
    local hook = { name = "MemoryHook" }
    for key, value in pairs(functions) do
      local kind = wanted[key]
      if not kind then
        fail("cuda.MemoryHook", sformat(
          "no hook is called '%s'; wanted malloc_preprocess, malloc_postprocess, alloc_..., free_...", tostring(key)))
      end
      if type(value) ~= kind then
        fail("cuda.MemoryHook", sformat("%s is %s; wanted a %s", key, core.describe(value), kind))
      end
      hook[key] = value
    end
    return setmetatable(hook, methods)
  end

  --> cuda.MemoryHook: local bytes = 0
  -->   local hook = ma.cuda.MemoryHook {malloc_postprocess = function(event) bytes = bytes + event.size end}
  -->   hook:with(function() return ma.zeros(100) end)
  -->   return bytes
  core.def("cuda.MemoryHook(functions: table) -> memory_hook",
    "A hook of the pools: a table of functions malloc_preprocess, " ..
    "malloc_postprocess, alloc_..., free_..., each told an "
    .. "event {act, device, device_id, size, mem_size, mem_ptr, pmem_id, place}. hook:with(fn), hook:install(), " ..
      "hook:flush(), hook:remove().", make_hook)

  local function check_file(name, file)
    file = file or io.stdout
    local kind = type(file)
    if not (kind == "userdata" and io.type(file) == "file")
      and not (kind == "table" and core.is_callable(file.write)) then
      fail(name, sformat("file is %s; wanted a file that is open", core.describe(file)))
    end
    return file
  end

  --> cuda.DebugPrintHook: local lines = {}
  -->   local file = {write = function(_, text) lines[#lines + 1] = text end}
  -->   ma.cuda.DebugPrintHook({file = file}):with(function() return ma.zeros(100) end)
  -->   return #lines > 0
  core.def("cuda.DebugPrintHook(file?: file*|table) -> memory_hook",
    "A memory hook that prints every event, to the standard output or a file that is open for writing.", function(file)
    file = check_file("cuda.DebugPrintHook", file)
    local function print_event(event)
      common.put("cuda.DebugPrintHook", file, sformat("%s%s %s: %d bytes asked for, %d taken, at 0x%x\n", event.place,
        event.act, event.device, event.size, event.mem_size, event.mem_ptr))
    end
    return make_hook { name = "DebugPrintHook", alloc_postprocess = print_event, malloc_postprocess = print_event,
      free_postprocess = print_event }
  end)

  --> cuda.LineProfileHook: local hook = ma.cuda.LineProfileHook()
  -->   hook:with(function() return ma.zeros(100) end)
  -->   return hook:report()[1].count
  core.def("cuda.LineProfileHook() -> memory_hook",
    "A memory hook that sums up by line of the program what was taken from the pools and from the device; "
    .. "hook:report(), hook:print_report().", function()
    local lines = {}
    local function line_of(event)
      local place = event.place ~= "" and event.place:gsub(": $", "") or "?"
      lines[place] = lines[place] or { place = place, used_bytes = 0, acquired_bytes = 0, count = 0 }
      return lines[place]
    end
    local hook = make_hook {
      name = "LineProfileHook",
      malloc_postprocess = function(event)
        local line = line_of(event)
        line.used_bytes, line.count = line.used_bytes + event.mem_size, line.count + 1
      end,
      alloc_postprocess = function(event)
        local line = line_of(event)
        line.acquired_bytes = line.acquired_bytes + event.mem_size
      end,
    }
    --- A list of {place, used_bytes, acquired_bytes, count}, sorted by bytes in descending order.
    function hook.report(self)
      check("report", self)
      local list = {}
      for _, line in pairs(lines) do list[#list + 1] = line end
      table.sort(list, function(a, b) return a.used_bytes > b.used_bytes
        or (a.used_bytes == b.used_bytes and a.place < b.place) end)
      return list
    end
    function hook.print_report(self, file)
      check("print_report", self)
      file = check_file("MemoryHook.print_report", file)
      for _, line in ipairs(self:report()) do
        common.put("MemoryHook.print_report", file, sformat("%s: %d bytes in %d blocks, %d from the device\n",
          line.place, line.used_bytes, line.count, line.acquired_bytes))
      end
    end
    return hook
  end)

  rawset(ma.cuda, "memory_hooks",
    core.strict({ DebugPrintHook = ma.cuda.DebugPrintHook, LineProfileHook = ma.cuda.LineProfileHook },
      "cuda.memory_hooks"))

  --> cuda.UnownedMemory: local owner = ma.ones(2)
  -->   return ma.cuda.UnownedMemory(owner:ptr(), 16, owner).nbytes
  core.def("cuda.UnownedMemory(ptr: integer, size: integer, owner?: userdata|table|string, device?: string) -> array",
    "A uint8 array over `size` bytes at an address of the device that somebody else allocated; `owner` lives as " ..
      "long as it.",
    function(ptr, size, owner, device)
      return ma.cuda.from_pointer(ptr, { size }, "uint8", owner, { device = device })
    end)
end
