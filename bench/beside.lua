--- What element.lua, boids.lua and grad.lua share: figures that are held against others of the same run. A line is a
--- figure, what it is held against, their ratio, the limit and whether it holds.

local ma = require "moonarray"

local beside = { missed = 0 }

local clock = ma.time

--- Microseconds of a call of each function: the least of several slices, which take turns. `wait` ends a slice, where
--- calls only launch. options: rounds (15), slice (0.01 s), wait
function beside.times(list, options)
  options = options or {}
  local rounds, slice, wait = options.rounds or 15, options.slice or 0.01, options.wait or function() end
  local calls, least = {}, {}
  for k, f in ipairs(list) do
    f()
    wait()
    local start, n = clock(), 0
    repeat
      f()
      n = n + 1
    until clock() - start > slice
    wait()
    calls[k], least[k] = n, math.huge
  end
  for _ = 1, rounds do
    for k, f in ipairs(list) do
      local start = clock()
      for _ = 1, calls[k] do f() end
      wait()
      least[k] = math.min(least[k], (clock() - start) / calls[k] * 1e6)
    end
  end
  return unpack(least)
end

--- A limit that holds or not.
function beside.hold(text, fits)
  if not fits then beside.missed = beside.missed + 1 end
  print(("%s: %s"):format(text, fits and "yes" or "NO"))
end

--- A figure in microseconds beside another, which it may exceed by a factor.
function beside.line(title, us, other_title, other, most)
  beside.hold(("%-44s %10.2f us; %-22s %10.2f us; %7.2f x, at most %4.2f"):format(title, us, other_title, other,
    us / other, most), us / other <= most)
end

--- Runs a part; a form that the library refuses is a limit that does not hold.
function beside.part(title, f)
  local done, why = pcall(f)
  if done then return end
  beside.missed = beside.missed + 1
  print(("%-44s refused: %s"):format(title, tostring(why):match "[^\n]*"))
end

return beside
