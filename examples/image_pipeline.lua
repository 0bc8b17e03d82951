-- A picture as a chain of filters: blur, edges, a threshold, labels of what is connected, and an overlay that shows
-- them. Without a picture it draws cells on a noisy ground.
-- usage: luajit examples/image_pipeline.lua [picture, or "-"] [out.png] [sigma]

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"
local ndimage = ma.ndimage

local given, path, sigma = arg[1] or "-", arg[2], tonumber(arg[3]) or 2

--- Discs of several sizes and brightness, some of which touch, with noise: values from 0 to 1.
local function draw(height, width)
  local rng = ma.random.default_rng(4)
  local y, x = ma.range(1, height):reshape(height, 1), ma.range(1, width):reshape(1, width)
  local picture = ma.full({ height, width }, 0.15, "float32") + 0.1 * x / width
  for k = 1, 40 do                                       -- places without order, always the same
    local row, column, radius = k * 7919 % height, k * 104729 % width, 7 + k * 31 % 12
    local distance = ma.sqrt((y - row) ^ 2 + (x - column) ^ 2)
    picture = ma.maximum(picture, (0.45 + 0.012 * k) * ma.clip(radius - distance, 0, 1)):eval()
  end
  return picture + 0.08 * rng:standard_normal({ height, width }, "float32")
end

--- Brightness from 0 to 1 of a picture in a file.
local function read(name)
  local picture = ma.image.read(name)
  local full = picture.dtype == "uint16" and 65535 or 255
  picture = picture:astype("float32") / full
  if picture.ndim == 2 then return picture end
  if picture.shape[3] < 3 then return picture[{ {}, {}, 1 }]:copy() end
  return 0.299 * picture[{ {}, {}, 1 }] + 0.587 * picture[{ {}, {}, 2 }] + 0.114 * picture[{ {}, {}, 3 }]
end

--- The threshold between two groups of values that leaves the least variance in both (Otsu).
local function threshold(values)
  local counts, edges = ma.histogram(values, 256)
  local middle = (edges["1:-2"] + edges["2:"]) / 2
  local weight = counts:astype("float64")
  local below, sum = ma.cumsum(weight), ma.cumsum(weight * middle)
  local above, rest = below[-1] - below, sum[-1] - sum
  local spread = below * above * (sum / ma.maximum(below, 1) - rest / ma.maximum(above, 1)) ^ 2
  return middle:take(ma.argmax(spread))
end

local picture = given == "-" and draw(300, 400) or read(given)
local smooth = ndimage.gaussian_filter(picture, sigma)
local edges = ma.hypot(ndimage.sobel(smooth, 1), ndimage.sobel(smooth, 2))
local mask = ndimage.binary_fill_holes(ndimage.binary_opening(smooth:gt(threshold(smooth)), { iterations = 2 }))
local labels, count = ndimage.label(mask)
local places = ma.range(1, count)
local sizes = ndimage.sum_labels(mask, labels, places)
local brightness = ndimage.mean(picture, labels, places)

print(("%d x %d on %s: %d objects"):format(picture.shape[1], picture.shape[2], picture.device, count))
if count > 0 then
  print(("sizes from %d to %d pixels, brightness from %.2f to %.2f"):format(sizes:min():item(), sizes:max():item(),
    brightness:min():item(), brightness:max():item()))
end

if path then
  local grey = ma.expand_dims(ma.clip(picture, 0, 1), 3)
  local hue = ma.remainder(labels * 0.618034, 1)                     -- neighbours in number differ in colour
  local colours = ma.stack({ 0.5 + 0.5 * ma.cos(6.2832 * hue), 0.5 + 0.5 * ma.cos(6.2832 * (hue - 1 / 3)),
    0.5 + 0.5 * ma.cos(6.2832 * (hue - 2 / 3)) }, 3)
  local inside = ma.expand_dims(labels:gt(0), 3)
  local rim = ma.expand_dims(mask:ne(ndimage.binary_erosion(mask)), 3)
  local overlay = ma.where(rim, 1, ma.where(inside, 0.45 * grey + 0.55 * colours, grey))
  local steps = { grey, ma.expand_dims(ma.image.normalize(edges), 3), overlay }
  for k = 1, 3 do steps[k] = ma.broadcast_to(steps[k], { picture.shape[1], picture.shape[2], 3 }) end
  ma.image.write(path, ma.rint(ma.concatenate(steps, 2) * 255):astype("uint8"))
  print("see " .. path)
end
