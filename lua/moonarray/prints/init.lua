--- What kernels print. The lines of all kernels of a device go into one buffer there, and are shown when the program
--- next waits for a device, in the order of the launches, and of the elements of a launch. translate.lua makes the text
--- of kernels that print.
---
--- The buffer: how many words of lines there are, how many lines, the number of the launch; then the lines, each its
--- words, launch, element, place and values. helpers.lua has the same numbers.

local sformat = require("moonarray.text").format

local HEAD, WORDS = 3, 2 ^ 18          -- of 64 bits
local SHOWN = 1000                     -- lines at once

return function(ma, core)
  local prints = {}
  core.prints = prints
  local getfenv = debug and debug.getfenv

  -- The printer of each device: buffer, places (what each place prints, and the globals of its kernel) and firsts (of
  -- each variant the place before its first). It lives as long as a kernel that printed.
  local printers = setmetatable({}, { __mode = "v" })

  -- ==== Text =======================================================================================================

  local function number(v)
    if v ~= v then return "nan" end
    return sformat("%.14g", v)
  end

  local function complex(re, im)
    local text = number(im)
    return number(re) .. (text:find("^[-]") and "" or "+") .. text .. "i"
  end

  --- The text of a line whose values begin at `at`.
  local function text_of(parts, values, at)
    local list = {}
    for k, part in ipairs(parts) do
      if part.text then
        list[k] = part.text
      elseif part.kind == "complex" then
        list[k] = complex(values[at], values[at + 1])
        at = at + 2
      else
        list[k] = part.kind == "bool" and tostring(values[at] ~= 0) or number(values[at])
        at = at + 1
      end
    end
    return table.concat(list, "\t")
  end

  --- The lines of a printer in their order, and how many there were.
  local function take(printer)
    local head = printer.buffer[{ { 1, HEAD } }]:totable()
    local words, count = tonumber(head[1]), tonumber(head[2])
    if count == 0 then return {}, 0 end
    local part = printer.buffer[{ { HEAD + 1, HEAD + math.min(words, WORDS) } }]
    local whole, values = part:totable(), part:view("float64"):totable()
    printer.buffer[{ { 1, 2 } }]:fill(0)
    local lines, at = {}, 1
    while at <= #whole and tonumber(whole[at]) > 0 do
      local place = printer.places[tonumber(whole[at + 3])]
      lines[#lines + 1] = { launch = tonumber(whole[at + 1]), element = tonumber(whole[at + 2]), number = #lines + 1,
        text = text_of(place.parts, values, at + 4), globals = place.globals }
      at = at + tonumber(whole[at])
    end
    table.sort(lines, function(a, b)
      if a.launch ~= b.launch then return a.launch < b.launch end
      if a.element ~= b.element then return a.element < b.element end
      return a.number < b.number
    end)
    return lines, count
  end

  --- Calls the print that the kernel's function has.
  local function put(globals, text) (globals.print or print)(text) end

  -- ==== Waits ======================================================================================================

  local taking = false

  --- Shows what has been printed, on all devices.
  local function show()
    if taking or ma.cuda.get_current_stream():is_capturing() then return end
    local taken, any = {}, false
    taking = true                        -- which waits too
    for _, printer in pairs(printers) do
      any = true
      local fine, lines, count = pcall(take, printer)          -- not where waits are forbidden
      if fine and count > 0 then taken[#taken + 1] = { lines = lines, count = count } end
    end
    taking = false
    if not any then core.set_hook("waited", nil) end
    for _, of in ipairs(taken) do
      local n = math.min(#of.lines, SHOWN)
      for k = 1, n do put(of.lines[k].globals, of.lines[k].text) end
      if of.count > n then put(of.lines[1].globals, sformat("... and %d more lines of kernels", of.count - n)) end
    end
  end

  -- ==== Launches ===================================================================================================

  --- What a launch of a variant passes: the buffer, and the number before its first place. The device is that of an
  --- array or a list among the arguments, else the stream's.
  function prints.values(kernel, variant, array, stream)
    local device = array and array.device or ma.device(stream and stream.device).name
    local printer = printers[device]
    if not printer then
      printer = { buffer = ma.zeros(HEAD + WORDS, { dtype = "int64", device = device }), places = {},
        firsts = setmetatable({}, { __mode = "k" }) }
      printers[device] = printer
    end
    local first = printer.firsts[variant]
    if not first then
      first = #printer.places
      local fn = rawget(kernel, "fn")
      local globals = fn and getfenv and getfenv(fn) or _G
      for _, parts in ipairs(variant.places) do
        printer.places[#printer.places + 1] = { parts = parts, globals = globals }
      end
      printer.firsts[variant] = first
    end
    variant.printer = printer
    core.set_hook("waited", show)
    return printer.buffer, first
  end

  --- Called after a launch.
  function prints.launched(buffer)
    local launches = buffer[{ { 3, 3 } }]
    ma.add(launches, 1, { out = launches })
    if buffer.device == "cpu" then show() end
  end
end
