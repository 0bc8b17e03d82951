--- What the specs of random numbers share.
local ffi = require "ffi"
local abs, floor, sqrt = math.abs, math.floor, math.sqrt

local draws = {}

function draws.raises(text, fn, ...)
  local ok, message = pcall(fn, ...)
  assert(not ok, "no error; wanted " .. text)
  assert(tostring(message):find(text, 1, true), ("got: %s\nwanted: %s"):format(message, text))
end

--- The array on the host, which must live as long as the second: its numbers.
function draws.values(a)
  local host = a:get()
  return host, host:data()
end

--- Kolmogorov's distance times sqrt(n), on a grid of 1000 steps.
function draws.distance(x, cdf)
  local host, p = draws.values(x)
  local counts, n = ffi.new "double[1001]", host.size
  for i = 0, n - 1 do
    local u = cdf(p[i])
    if not (u >= -1e-9 and u <= 1 + 1e-9) then error(("%g is no value of it"):format(p[i])) end
    local k = math.max(0, math.min(999, floor(u * 1000)))
    counts[k] = counts[k] + 1
  end
  local sum, worst = 0, 0
  for k = 0, 999 do
    sum = sum + counts[k]
    worst = math.max(worst, abs(sum / n - (k + 1) / 1000))
  end
  return worst * sqrt(n)
end

return draws
