-- The script of window.c: waves that two sources send. It gets the name of OpenGL's texture, which it writes itself
-- where the arrays are on a GPU, and returns the function that the host calls for each frame.
local ma = require "moonarray"
local name, size = ...

local rows = ma.arange(size, "float32"):reshape(size, 1)
local columns = ma.arange(size, "float32")
local texture = rows.device ~= "cpu" and ma.cuda.gl.register_image(name, nil, { flags = "write_discard" })
local pixels = ma.full({ size, size, 4 }, 255, "uint8")

--- Waves around a point, which become lower with the distance.
local function waves(row, column, phase)
  local distance = ma.sqrt((rows - row) ^ 2 + (columns - column) ^ 2)
  return ma.sin(distance * 0.2 - phase) / (1 + 0.01 * distance)
end

local function paint(frame)
  local height = waves(size / 2, size / 3, frame * 0.3) + waves(size / 2, size * 2 / 3, frame * 0.3)
  pixels[":, :, 1"] = (64 + 48 * height):astype("uint8")
  pixels[":, :, 2"] = (96 + 48 * height):astype("uint8")
  pixels[":, :, 3"] = (140 + 55 * height):astype("uint8")
end

return function(frame)
  ma.scope(paint, frame)
  if not texture then return pixels end
  texture:write(pixels)                  -- on the GPU, behind the work above and before OpenGL draws
end
