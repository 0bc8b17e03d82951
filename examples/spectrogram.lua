-- A spectrogram: a signal of a whistle that rises and falls, a chirp, a tone with overtones that stops and starts, and
-- noise; then which frequencies it has when, as a picture.
-- usage: luajit examples/spectrogram.lua [seconds] [out.png]

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local seconds, path = tonumber(arg[1]) or 8, arg[2]
local RATE, SEGMENT = 8000, 512

local t = ma.arange(seconds * RATE) / RATE
local whistle = ma.sin(2 * math.pi * (2200 * t - 900 / 0.6 * ma.cos(0.6 * t)))
local chirp = ma.signal.chirp(t, 100, seconds, 3800, "quadratic")
local on = ma.signal.square(2 * math.pi * 0.75 * t):gt(0)
local tone = ma.zeros_like(t)
for overtone = 1, 5 do tone = tone + ma.sin(2 * math.pi * 330 * overtone * t) / overtone end
local noise = ma.random.default_rng(3):standard_normal(t.size)
local sound = 0.6 * whistle + 0.8 * chirp + 0.5 * ma.where(on, tone, 0) + 0.05 * noise

local frequencies, times, power = ma.signal.spectrogram(sound, { fs = RATE, nperseg = SEGMENT, noverlap = 384,
  window = "hann" })
local decibels = 10 * ma.log10(power + 1e-12)

-- The chirp's frequency in the middle of the time, from the strongest line near where it must be.
local middle = math.floor(times.shape[1] / 2)
local wanted = 100 + 3700 * (times[middle] / seconds) ^ 2
local near = ma.abs(frequencies - wanted):lt(120)
local strongest = ma.argmax(ma.where(near, power[{ {}, middle }], 0)):item()
print(("%d samples on %s: %d frequencies at %d times"):format(t.size, sound.device, power.shape[1], power.shape[2]))
print(("the chirp is at %.0f Hz after %.1f s; it should be at %.0f"):format(frequencies[strongest],
  times[middle], wanted))

if path then
  local fig = ma.plot.figure { width = 720, height = 400 }
  fig:heatmap(decibels, { colormap = "inferno", min = -60, max = -20, origin = "lower", label = "dB",
    extent = { 0, seconds, 0, RATE / 2 } })
  fig:title "A whistle, a chirp, and a tone that stops and starts":xlabel "time in s":ylabel "frequency in Hz"
  fig:save(path)
  print("see " .. path)
end
