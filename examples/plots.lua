-- A gallery of plots: each call of `picture` draws one, and writes it as a PNG.
-- usage: luajit examples/plots.lua [folder]     shows the first ones in the terminal if no folder is given

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local folder = arg[1]
ma.random.seed(7)

local function picture(name, fig)
  if folder then
    fig:save(folder .. "/" .. name .. ".png")
    print(name .. ".png")
  else
    print(fig:to_text { rows = 20 })
  end
end

-- Lines: a wave packet, its envelope, and where it is above it all.
local x = ma.linspace(-6, 6, 600)
local envelope = ma.exp(-x ^ 2 / 6)
local lines = ma.plot.figure { width = 560, height = 400 }
lines:fill_between(x, -envelope, envelope, { color = "C0", alpha = 0.15, label = "envelope" })
lines:plot(x, envelope * ma.cos(6 * x), { label = "real part" })
lines:plot(x, envelope * ma.sin(6 * x), "--", { label = "imaginary part", linewidth = 1.3 })
lines:title "A wave packet":xlabel "place x / nm":ylabel "amplitude ψ":grid():legend()
picture("plot_lines", lines)

-- Points with a colour and a size each, and a line fitted to them.
local a = ma.random.randn(250)
local b = 0.6 * a + 0.5 * ma.random.randn(250)
local fit = ma.polyfit(a, b, 1)
local ends = ma.array { -3, 3 }
local points = ma.plot.figure { width = 560, height = 400 }
points:scatter(a, b, 4 + 4 * ma.random.rand(250) ^ 2 * 3, ma.hypot(a, b), { colormap = "plasma", alpha = 0.8 })
points:colorbar "distance from the middle"
points:plot(ends, ma.polyval(fit, ends), { color = "black", linestyle = "-.", label = "fit" })
points:title "250 points":xlabel "a":ylabel "b":legend "lower right"
picture("plot_points", points)

-- Bars side by side, with names and errors.
local bars = ma.plot.figure { width = 560, height = 400 }
local years = { "2021", "2022", "2023", "2024" }
local wind, sun, at = ma.array { 114, 125, 140, 138 }, ma.array { 49, 60, 62, 73 }, ma.range(1, 4)
bars:bar(years, wind, 0.6, { label = "wind" })
bars:bar(years, sun, 0.6, wind, { label = "sun" })
bars:errorbar(at, wind + sun, ma.array { 8, 6, 9, 7 }, { color = "0.3", linestyle = "none", capsize = 5 })
bars:title "Energy from wind and sun":ylabel "TWh a year":ylim(0, 250):grid "y":legend "upper left"
picture("plot_bars", bars)

-- Two histograms that lie over each other, and the density that one of them comes from.
local hist = ma.plot.figure { width = 560, height = 400 }
local t = ma.linspace(-4, 7, 300)
hist:hist(ma.random.randn(20000), 80, { density = true, alpha = 0.5, label = "normal" })
hist:hist(ma.random.gamma(2, 1, 20000), 80, { density = true, alpha = 0.5, label = "gamma, k = 2", range = { 0, 10 } })
hist:plot(t, ma.exp(-t ^ 2 / 2) / math.sqrt(2 * math.pi), { color = "black", linewidth = 1.3,
  label = "exp(−x²/2)/√(2π)" })
hist:xlim(-4, 7):title "Draws of two distributions":ylabel "density":legend()
picture("plot_histogram", hist)

-- A heat map of a function of two numbers.
local gx, gy = ma.linspace(-3, 3, 300):reshape(1, 300), ma.linspace(-2, 2, 200):reshape(200, 1)
local peaks = 3 * (1 - gx) ^ 2 * ma.exp(-gx ^ 2 - (gy + 1) ^ 2)
  - 10 * (gx / 5 - gx ^ 3 - gy ^ 5) * ma.exp(-gx ^ 2 - gy ^ 2)
local heat = ma.plot.figure { width = 560, height = 400 }
heat:heatmap(peaks, { extent = { -3, 3, -2, 2 }, origin = "lower", colormap = "viridis", label = "height in m" })
heat:title "Peaks":xlabel "x in km":ylabel "y in km"
picture("plot_heatmap", heat)

-- Logarithmic axes: the answer of a low-pass filter.
local w = ma.logspace(-2, 3, 400)
local log = ma.plot.figure { width = 560, height = 400 }
for n = 1, 3 do
  log:loglog(w, 1 / ma.sqrt(1 + w ^ (2 * n)), { label = ("order %d"):format(n) })
end
log:axvline(1, { color = "grey", linestyle = ":" })
log:ylim(1e-5, 3):title "Butterworth filters":xlabel "frequency ω/ω₀":ylabel "gain":grid():legend "lower left"
picture("plot_log", log)

-- Several axes in one figure.
local several = ma.plot.figure { width = 760, height = 480 }
local time = ma.arange(2000) / 1000
local signal = ma.sin(2 * math.pi * 50 * time ^ 2) + 0.3 * ma.random.randn(2000)
several:suptitle "A chirp with noise"
several:subplot(2, 2, { 1, 2 }):plot(time, signal, { linewidth = 0.9 }):ylabel "u in V":xlabel "t in s":xlim(0, 2)
local power = ma.abs(ma.fft.rfft(signal)) ^ 2
several:subplot(2, 2, 3):semilogy(ma.fft.rfftfreq(2000, 1 / 1000), power, { color = "C1", linewidth = 0.9 })
  :xlabel "f in Hz":ylabel "power"
several:subplot(2, 2, 4):hist(signal, 50, { color = "C2" }):xlabel "u in V":ylabel "count"
picture("plot_axes", several)

-- An animation: a drum that is struck beside its middle.
if folder then
  local n = 96
  local p = ma.linspace(-1, 1, n)
  local px, py = p:reshape(1, n), p:reshape(n, 1)
  local inside = (px ^ 2 + py ^ 2):lt(1)
  local u = ma.where(inside, ma.exp(-60 * ((px - 0.3) ^ 2 + py ^ 2)), 0)
  local before = u:copy()
  ma.plot.animation(folder .. "/plot_drum.gif", 24, function()
    for _ = 1, 5 do
      local around = ma.roll(u, 1, 1) + ma.roll(u, -1, 1) + ma.roll(u, 1, 2) + ma.roll(u, -1, 2) - 4 * u
      u, before = ma.where(inside, 2 * u - before + 0.4 * around, 0), u
    end
    return ma.plot.figure { width = 220, height = 180 }:imshow(u, { colormap = "coolwarm", min = -0.3, max = 0.3 })
      :colorbar():axis "off"
  end, { delay = 0.06 })
  print "plot_drum.gif"
end
