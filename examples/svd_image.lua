-- An image from a few of its singular values: the best of all matrices of low rank, by error and by bytes, and a
-- picture of them.
-- usage: luajit examples/svd_image.lua [image, or "-"] [out.png] [rank ...]
-- Without an image it draws one. The picture has the original and then the ranks, three in a row, as PNG (or as PPM, if
-- its name ends so).

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

-- ==== Images: float64 arrays (channels, height, width) of 0 to 255 ====

--- A landscape: a sky with a sun, rows of hills, and their reflection in water with waves.
local function draw(height, width)
  local y = ma.linspace(0, 1, height):reshape(height, 1)
  local x = ma.linspace(0, 1.5, width)
  local shore = 0.62
  local mirrored = ma.where(y:gt(shore), 2 * shore - y + 0.006 * ma.sin(900 * (y - shore) / (y + 0.2) + 9 * x), y)

  local function blend(below, above, mask)                        -- one colour a channel
    local made = {}
    for k = 1, 3 do made[k] = below[k] * (1 - mask) + above[k] * mask end
    return made
  end

  local colour = { 90 + 190 * mirrored, 130 + 110 * mirrored, 200 - 60 * mirrored }
  local sun = ma.exp(-((x - 1.05) ^ 2 + (mirrored - 0.3) ^ 2) * 260)
  colour = blend(colour, { 255, 244, 214 }, ma.clip(sun * 3, 0, 1))
  for k = 1, 4 do
    local ridge = 0.36 + 0.07 * k + 0.05 * ma.sin((3 + 2 * k) * x + 1.7 * k) + 0.018 * ma.sin((23 + 7 * k) * x + k)
      + 0.005 * ma.sin((97 + 11 * k) * x)
    local mask = ma.clip((mirrored - ridge) * height / 2, 0, 1)     -- a soft edge of about two pixels
    colour = blend(colour, { 96 - 20 * k, 118 - 18 * k, 112 - 24 * k }, mask)
  end
  local water = ma.clip((y - shore) * height, 0, 1) * 0.3
  colour = blend(colour, { 20, 52, 84 }, water)
  return ma.clip(ma.stack(colour), 0, 255)
end

--- A picture of a file, its alpha left out.
local function read(path)
  local image = ma.image.read(path):astype("float64")
  if image.ndim == 2 then return image["_, ..."] end
  local colours = image.shape[3] < 3 and 1 or 3
  return image[{ {}, {}, { 1, colours } }]:transpose { 3, 1, 2 }
end

-- ==== The program ====

local path, out = arg and arg[1], arg and arg[2] or "svd_image.png"
local ranks = {}
for k = 3, arg and #arg or 0 do ranks[#ranks + 1] = assert(tonumber(arg[k]), "a rank is a number") end
if #ranks == 0 then ranks = { 1, 5, 20, 50 } end

local image = path and path ~= "-" and read(path) or draw(512, 768)
local channels, height, width = image:dims()
local u, s, vh = ma.linalg.svd(image, { full_matrices = false })   -- of each channel: a batch of matrices

print(("%d x %d, %d channels, on %s"):format(width, height, channels, image.device))
print("rank   bytes as float32   of the image's   relative error")
local total = ma.sqrt((image * image):sum())
local pictures = { image }
for _, rank in ipairs(ranks) do
  rank = math.min(rank, height, width)
  local first = { 1, rank }
  local made = ma.matmul(u[{ "...", first }] * s[{ {}, ma.newaxis, first }], vh[{ {}, first, {} }])
  local difference = image - made
  local wrong = ma.sqrt((difference * difference):sum()) / total
  local bytes = channels * rank * (height + width + 1) * 4
  print(("%4d   %16d   %13.1f%%   %14.2e"):format(rank, bytes, 100 * bytes / (channels * height * width), wrong:item()))
  pictures[#pictures + 1] = made
end

local IN_A_ROW, GAP = 3, 4
local across, down = math.min(IN_A_ROW, #pictures), math.ceil(#pictures / IN_A_ROW)
local sheet = ma.full({ down * (height + GAP) - GAP, across * (width + GAP) - GAP, channels }, 255, "uint8")
for k, made in ipairs(pictures) do
  local top, left = math.floor((k - 1) / IN_A_ROW) * (height + GAP), (k - 1) % IN_A_ROW * (width + GAP)
  sheet[{ { top + 1, top + height }, { left + 1, left + width } }] = ma.clip(ma.rint(made), 0,
    255):astype("uint8"):transpose { 2, 3, 1 }
end
if sheet.shape[3] == 1 then sheet = sheet[{ {}, {}, 1 }] end
ma.image.write(out, sheet, { format = out:match("%.(p[gpn]m)$") or "png" })
print("see " .. out)
