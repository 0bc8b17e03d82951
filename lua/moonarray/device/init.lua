--- Devices from Lua: `device:with`, `ma.numpy` (the library bound to the CPU) and
-- `show_config`.

--- A table that shows `library` with every function bound to `device`; ufuncs keep their attributes.
local function bound_library(core, library, device)
  local function bind(value)
    local kind = type(value)
    if kind == "function" then return core.bind(value, device) end
    if kind == "table" then return bound_library(core, value, device) end
    if kind ~= "userdata" then return value end
    if core.is_stream(value) then return core.null_stream(device) end
    local call = core.bind(value, device)
    return setmetatable({}, {
      __call = function(_, ...) return call(...) end,
      __index = value,
      __tostring = function() return tostring(value) end,
    })
  end
  local meta = getmetatable(library)
  local call = type(meta) == "table" and meta.__call and core.bind(library, device)      -- for classes: ma.Stream()
  return setmetatable({}, {
    __call = call and function(_, ...) return call(...) end or nil,
    __index = function(self, name)
      local value = bind(library[name])
      rawset(self, name, value)
      return value
    end,
  })
end

return function(ma, core)
  local methods = core.device_methods
  local callable = require("moonarray.common")(core).callable
  local current = require "moonarray.device.current" (core)

  local function finish(restore, ok, ...)
    restore()
    if not ok then error((...), 0) end
    core.flush("another device")
    return ...
  end

  --> = device
  --> :with(fn: function, ...: any) -> any ... | Runs fn(...) with this device current; then the one before is again.
  --> device:with: device:with(function() return ma.ones(2) + 1 end)
  function methods.with(device, fn, ...)
    local before = ma.device()
    methods.use(device)                 -- raises for anything but a device
    if not core.is_callable(fn) then core.use_device(before) end
    callable("with", "fn", fn)
    core.use_device(before)
    return finish(current.open(function()
      local last = ma.device()
      core.use_device(device)
      return function() core.use_device(last) end
    end), pcall(fn, ...))
  end

  local open = ma.cuda.Device
  if type(open) == "function" then               -- when the library is loaded again it is a class already
    rawset(ma.cuda, "Device", core.strict(setmetatable({}, { __call = function(_, ...) return open(...) end }),
      "cuda.Device"))
  end
  --> gpu cuda.Device.from_pci_bus_id: ma.cuda.Device.from_pci_bus_id(ma.cuda.Device(0).pci_bus_id)
  --> > <Device cuda:0>
  core.def("cuda.Device.from_pci_bus_id(pci_bus_id: string) -> device", "The GPU at a place such as \"0000:65:00.0\".",
    function(pci_bus_id)
    return open(ma.cuda.runtime.deviceGetByPCIBusId(pci_bus_id))
  end)

  ma.numpy = bound_library(core, ma, "cpu")

  --> get_array_module: ma.get_array_module(ma.numpy.ones(2)) == ma.numpy
  core.def("get_array_module(...) -> moonarray",
    "ma.numpy if every array given is on the CPU, else the library itself.",
    function(...)
    local any
    for k = 1, select("#", ...) do
      local a = select(k, ...)
      if core.is_array(a) then
        if a.device ~= "cpu" then return ma end
        any = true
      end
    end
    return any and ma.numpy or ma
  end)

  --> live_buffers: select("#", ma.live_buffers())
  core.def("live_buffers() -> integer, integer",
    "Blocks of memory that arrays hold, and their bytes, on all devices.", function()
    return core.live_buffers()
  end)

  -- ==== show_config ====

  local function configuration()
    local lines = { "moonarray " .. ma.version }
    local function add(...) lines[#lines + 1] = require("moonarray.text").format(...) end
    local device = ma.device()
    add("  device           %s (%s)", device.name, device:description())
    if core.why_not() ~= "" then add("  no GPU because   %s", core.why_not()) end
    add("  default dtype    %s", ma.get_default_dtype())
    local jit = rawget(_G, "jit")
    add("  Lua              %s", jit and jit.version or _VERSION)
    for _, switch in ipairs(core.switches()) do
      if switch.value ~= switch.default then add("  %-16s %s", switch.name, switch.value) end
    end
    for _, nvidia in ipairs(ma.cuda.is_available() and { false, true } or { false }) do
      for _, library in ipairs(core.libraries(nvidia)) do
        add("  %-16s %s", library.title, library.why or (library.version == "" and "" or library.version .. ": ")
          .. library.path)
      end
    end
    return table.concat(lines, "\n")
  end

  --> show_config: type(ma.show_config(true))
  core.def("show_config(to_text?: boolean) -> string?",
    "Prints what was found where, libraries with version and file, which it opens; " ..
    "with to_text = true returns it as text.",
    function(to_text)
      local text = configuration()
      if to_text then return text end
      print(text)
    end)
end
