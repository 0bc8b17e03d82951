-- The notes in a sound: a melody is made out of arrays and played, and each frame looks at the samples that are heard.
-- The bars are the semitones of seven octaves, and the picture above shows how they came and went.

local ma = require "moonarray"

local RATE, WINDOW = 22050, 4096                      -- samples a second, and in one look
local NOTES, LOWEST = 84, 32.703                      -- semitones from the lowest C on, Hz
local HISTORY = 400                                   -- looks that are kept

-- Seconds from the start, semitones above the lowest C.
local melody = {
  { 0, 36 }, { 0.3, 40 }, { 0.6, 43 }, { 0.9, 48 }, { 1.2, 52 }, { 1.5, 48 }, { 1.8, 43 }, { 2.1, 40 },
  { 2.4, 33 }, { 2.7, 36 }, { 3.0, 40 }, { 3.3, 45 }, { 3.6, 48 }, { 3.9, 45 }, { 4.2, 40 }, { 4.5, 36 },
}
local LENGTH = 4.8

local samples, source, time, cosines, sines, level, history, picture

local function frequency(note) return LOWEST * 2 ^ (note / 12) end

--- The melody as samples from -1 to 1, each note with some of its overtones.
local function compose()
  local t = ma.arange(math.floor(LENGTH * RATE)) / RATE
  local sum = ma.zeros(t.size)
  for _, note in ipairs(melody) do
    local age = t - note[1]
    local loud = 0.3 * ma.exp(-5 * ma.maximum(age, 0)) * age:ge(0)
    for overtone = 1, 3 do
      sum:iadd(loud / overtone ^ 2 * ma.sin(2 * math.pi * frequency(note[2]) * overtone * age))
    end
  end
  return sum
end

function love.load()
  local sound = ma.love.sound(compose(), { rate = RATE })
  samples = ma.love.view(sound)                       -- what a loaded song gives as well
  time = 0
  if love.audio then
    source = love.audio.newSource(sound)
    source:setLooping(true)
    source:play()
  end

  -- A wave of each note, long enough to tell it from its neighbours, under a window without edges.
  local t = (ma.arange(WINDOW) - WINDOW / 2) / RATE
  local pitch = LOWEST * 2 ^ (ma.arange(NOTES) / 12)
  local width = ma.minimum(24 / pitch, WINDOW / 2 / RATE):reshape(NOTES, 1)
  local window = ma.maximum(ma.cos(ma.clip(t / width, -1, 1) * (math.pi / 2)), 0) ^ 2
  local angle = 2 * math.pi * pitch:reshape(NOTES, 1) * t
  window = window / window:sum(2, { keepdims = true })
  cosines, sines = (window * ma.cos(angle)):astype("float32"), (window * ma.sin(angle)):astype("float32")

  level = ma.zeros(NOTES, "float32")
  history = ma.zeros({ NOTES, HISTORY }, "float32")
  picture = ma.love.picture(history, { colormap = "inferno", min = 0, max = 1 })
end

--- How loud each note is at a second: 0 at -60 dB and below, 1 at -10 dB.
local function listen(seconds)
  local first = math.floor(seconds * RATE) % (samples.size - WINDOW) + 1
  local heard = samples[{ { first, first + WINDOW - 1 } }]:to(level.device)    -- the sound is in the host's memory
  local now = (heard / 32768):astype("float32")
  local re, im = (cosines * now):sum(2), (sines * now):sum(2)
  local decibel = 20 * ma.log10(2 * ma.sqrt(re * re + im * im) + 1e-6)
  return ma.clip((decibel + 60) / 50, 0, 1)
end

function love.update(dt)
  time = source and source:isPlaying() and source:tell() or (time + dt) % LENGTH
  ma.scope(function()
    level:assign(ma.maximum(listen(time), level * 0.9))        -- falls slowly
    history[":, 1:-2"] = history[":, 2:"]
    history[":, -1"] = level
  end)
  picture:update(ma.flip(history, 1))                          -- the lowest note at the bottom
end

function love.draw()
  local width, height = love.graphics.getDimensions()
  local top = 4 * NOTES
  picture:draw(0, 0, 0, width / HISTORY, 4)
  local step = width / NOTES
  for note, loud in ipairs(level:totable()) do
    love.graphics.setColor(0.3 + 0.7 * loud, 0.5, 1 - 0.6 * loud)
    love.graphics.rectangle("fill", (note - 1) * step + 1, height - (height - top - 20) * loud, step - 2,
      (height - top - 20) * loud)
  end
  love.graphics.setColor(1, 1, 1)
  love.graphics.print(("%d frames a second on %s"):format(love.timer.getFPS(), level.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
end
