-- What moonarray does, in a minute. usage: luajit examples/quickstart.lua   (or: make demo)

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local function title(text) print("\n== " .. text) end

title "the device"
ma.show_config()

title "arrays"
local x = ma.linspace(0, 1, 6):reshape(2, 3)
print(x)
print(ma.sqrt(x * x + 1) - x / 2)

title "positions are 1-based, ranges include both ends"
local a = ma.arange(1, 13):reshape(3, 4)
print(a["2:3, :"])
print("one element:", a(2, 3), "   the last row's sum:", a["-1, :"]:sum():item())

title "broadcasting: the columns' means and spreads, then every row in those units"
local data = ma.array({ { 180, 75, 40 }, { 165, 60, 38 }, { 172, 82, 43 }, { 190, 90, 46 } })
print((data - data:mean(1)) / data:std(1))

title "masks"
local v = ma.sin(ma.arange(10) * 0.7)
print(v[v:gt(0)])

title "a picture: Mandelbrot's set, 60 by 24 points at once"
do
  local width, height, limit = 60, 24, 50
  local re = ma.linspace(-2.2, 0.8, width):reshape(1, width)
  local im = ma.linspace(-1.2, 1.2, height):reshape(height, 1)
  local zr, zi = ma.zeros({ height, width }), ma.zeros({ height, width })
  local steps = ma.zeros({ height, width }, "int32")
  for _ = 1, limit do
    local inside = (zr * zr + zi * zi):lt(4)
    steps = steps + inside
    zr, zi = ma.where(inside, zr * zr - zi * zi + re, zr), ma.where(inside, zr * zi * 2 + im, zi)
  end
  local shade = " .:-=+*#%@"
  for _, row in ipairs(steps:totable()) do
    for k, n in ipairs(row) do
      local at = n >= limit and #shade or math.floor(math.min(n, 27) / 3)
      row[k] = shade:sub(math.max(at, 1), math.max(at, 1))
    end
    print(table.concat(row))
  end
end

title "time of one call, in microseconds: ten in a row, each evaluated; the least mean of five rows"
do
  local n = 4000000
  local devices = { "cpu" }
  if ma.cuda and ma.cuda.is_available and ma.cuda.is_available() then devices[2] = "cuda" end
  local rows = {
    { "x + y", function(p, q) return p + q end },
    { "exp(x)", function(p) return ma.exp(p) end },
    { "x:sum()", function(p) return p:sum() end },
    { "x:reshape(2000, 2000):mean(1)", function(p) return p:reshape(2000, 2000):mean(1) end },
    { "x[\"1:1000000\"], a view", function(p) return p["1:1000000"] end },
  }
  local function measure(device, call)
    local p = ma.linspace(0, 1, n, { dtype = "float32", device = device })
    local q = p * 2
    local function round(times)
      local last
      local start = ma.time()
      -- an operator waits until its value is wanted, so that without eval() it might never run
      for _ = 1, times do last = call(p, q):eval() end
      last:ravel()["1:1"]:totable()                  -- waits for the device
      return (ma.time() - start) / times * 1e6
    end
    round(2)
    local best = math.huge
    for _ = 1, 5 do best = math.min(best, round(10)) end
    collectgarbage()
    return best
  end
  io.write(string.format("%-32s", n .. " float32"))
  for _, device in ipairs(devices) do io.write(string.format("%12s", device)) end
  io.write "\n"
  local sums = {}
  for k, row in ipairs(rows) do
    io.write(string.format("%-32s", row[1]))
    for d, device in ipairs(devices) do
      local time = measure(device, row[2])
      if k == 1 then sums[d] = 3 * 4 * n / time * 1e-3 end
      io.write(string.format("%12.1f", time))
    end
    io.write "\n"
  end
  io.write(string.format("%-32s", "GB/s that x + y moved"))
  for d = 1, #devices do io.write(string.format("%12.1f", sums[d])) end
  io.write "\n"
end

title "what to run next, in this folder"
print [[
luajit examples/ripples.lua ripples.gif      writes a film: rain on a pond
love examples/love/reaction_diffusion        a game to draw in, where LÖVE is installed (apt-get install love)
docs/tutorial.md                             from a first array to a simulation with a picture, in six steps
docs/gallery.md                              more pictures, each with the command that makes it]]
