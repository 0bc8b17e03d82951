-- The script of vulkan_window.c: waves that two sources send. It gets an array over memory of Vulkan's and the channel
-- of red, which is the first or the third one, and returns the function that the host calls for each frame.
local ma = require "moonarray"
local pixels, red = ...
local size = pixels.shape[1]

local rows = ma.arange(size, "float32"):reshape(size, 1)
local columns = ma.arange(size, "float32")
pixels[{ {}, {}, 4 }] = 255

--- Waves around a point, which become lower with the distance.
local function waves(row, column, phase)
  local distance = ma.sqrt((rows - row) ^ 2 + (columns - column) ^ 2)
  return ma.sin(distance * 0.2 - phase) / (1 + 0.01 * distance)
end

local function paint(frame)
  local height = waves(size / 2, size / 3, frame * 0.3) + waves(size / 2, size * 2 / 3, frame * 0.3)
  pixels[{ {}, {}, red }] = (64 + 48 * height):astype("uint8")
  pixels[{ {}, {}, 2 }] = (96 + 48 * height):astype("uint8")
  pixels[{ {}, {}, 4 - red }] = (140 + 55 * height):astype("uint8")
end

return function(frame) ma.scope(paint, frame) end   -- what a GPU computed is there when the assignments return
