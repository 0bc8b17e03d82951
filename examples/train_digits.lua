-- A small net that learns to read digits: 64 pixels, 32 hidden numbers, ten outputs, trained by ma.optim.adam on the
-- derivatives of its loss (docs/grad.md).
-- usage: luajit examples/train_digits.lua [steps] [picture.png] [TRAIN TEST]
-- TRAIN and TEST have one image a line: 64 pixel counts (0 to 16) and the digit, by commas, as in the UCI set optdigits
-- (.tra, .tes). Without them it draws digits of its own, moved about and with noise.
-- The picture shows the weights by which each hidden number looks at the pixels, and below images of the test with what
-- the net reads: green is right.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local steps, path = tonumber(arg and arg[1]) or 400, arg and arg[2]
local HIDDEN, BATCH = 32, 128
local rng = ma.random.default_rng(1)

-- ==== Images =========================================================================================================

-- Each row of a digit is five bits.
local GLYPHS = {
  { 14, 17, 19, 21, 25, 17, 14 }, { 4, 12, 4, 4, 4, 4, 14 }, { 14, 17, 1, 6, 8, 16, 31 }, { 31, 2, 4, 2, 1, 17, 14 },
  { 2, 6, 10, 18, 31, 2, 2 }, { 31, 16, 30, 1, 1, 17, 14 }, { 6, 8, 16, 30, 17, 17, 14 }, { 31, 1, 2, 4, 8, 8, 8 },
  { 14, 17, 17, 14, 17, 17, 14 }, { 14, 17, 17, 15, 1, 2, 12 },
}

--- The ten digits as images of 8 x 8: (10, 64).
local function glyphs()
  local images = ma.zeros({ 10, 8, 8 }, "float32")
  for k, rows in ipairs(GLYPHS) do
    for y, bits in ipairs(rows) do
      for x = 1, 5 do
        if math.floor(bits / 2 ^ (5 - x)) % 2 == 1 then images[{ k, y, x + 1 }] = 1 end
      end
    end
  end
  return images
end

--- n images of digits that are moved by up to a pixel, blurred and noisy, and which they are, from 1 to 10.
local function draw(n)
  local drawn, label = glyphs(), rng:integers(1, 11, { n })
  local moved = {}
  for k = 1, 9 do moved[k] = ma.roll(drawn, { math.floor((k - 1) / 3) - 1, (k - 1) % 3 - 1 }, { 2, 3 }) end
  local all = ma.ndimage.uniform_filter(ma.concatenate(moved, 1), { 1, 2, 2 }):reshape(90, 64)
  local images = all:take((rng:integers(0, 9, { n }) * 10) + label, 1)
  return ma.clip(images * 1.6 + 0.15 * rng:standard_normal({ n, 64 }, "float32"), 0, 1), label
end

local function read(name)
  local rows = ma.loadtxt(name, "int32", { delimiter = ",", comments = "#" })
  return rows[":, 1:64"]:astype("float32") / 16, rows[":, 65"] + 1
end

local train, train_label, test, test_label
if arg and arg[3] and arg[4] then
  train, train_label = read(arg[3])
  test, test_label = read(arg[4])
else
  print("no files given: digits that are drawn here (usage: examples/train_digits.lua STEPS PICTURE TRAIN TEST)")
  train, train_label = draw(4000)
  test, test_label = draw(1000)
end

-- ==== The net ========================================================================================================

local p = {
  w1 = rng:standard_normal({ 64, HIDDEN }, "float32") * 0.1, b1 = ma.zeros(HIDDEN, "float32"),
  w2 = rng:standard_normal({ HIDDEN, 10 }, "float32") * 0.2, b2 = ma.zeros(10, "float32"),
}

local function outputs(q, x)
  local h = ma.tanh(ma.matmul(x, q.w1) + q.b1)
  return ma.matmul(h, q.w2) + q.b2
end

--- How unlikely the net finds what the images are; the last part keeps weights small.
local function loss(q, x, label)
  local y = outputs(q, x)
  local wanted = ma.eye(10, "float32"):take(label, 1)
  return (ma.logsumexp(y, 2) - (y * wanted):sum(2)):mean() + 1e-4 * (q.w1 ^ 2):sum()
end

local function right(x, label)
  return ma.count_nonzero(outputs(p, x):argmax(2):eq(label)):item() / label.size
end

local step, adam = ma.value_and_grad(loss), ma.optim.adam(p, { rate = 0.01 })
local start = ma.time()
for k = 1, steps do
  local value = ma.scope(function()
    local batch = rng:integers(1, train_label.size + 1, { BATCH })
    local v, g = step(p, train:take(batch, 1), train_label:take(batch, 1))
    adam:step(g)
    return v
  end)
  if k == 1 or k % 100 == 0 then print(("step %4d: loss %.3f"):format(k, value:item())) end
end
print(("%.1f %% of the test are read right"):format(right(test, test_label) * 100))
print(("%.1f s on %s"):format(ma.time() - start, test.device))

-- ==== The picture ====================================================================================================

--- Images of 8 x 8 beside each other, `across` in a row, each `by` times as large, with a frame: (rows, columns, 3).
local function sheet(images, across, by, frame)
  local count = images:dims()
  local large = ma.repeat_(ma.repeat_(images, by, 2), by, 3)                    -- (count, 8 by, 8 by, 3)
  local side = 8 * by + 4
  local tiles = ma.ones({ count, side, side, 3 }) * frame:reshape(count, 1, 1, 3)
  tiles[{ {}, { 3, side - 2 }, { 3, side - 2 } }] = large
  return tiles:reshape(count / across, across, side, side, 3):transpose(1, 3, 2, 4, 5)
    :reshape(count / across * side, across * side, 3)
end

if path then
  local most = ma.abs(p.w1):max():item()
  local colours = ma.image.to_rgba8(p.w1.T, { colormap = "coolwarm", min = -most, max = most })   -- (HIDDEN, 64, 4)
  local weights = (colours[":, :, 1:3"] / 255):reshape(HIDDEN, 8, 8, 3)
  local shown, found = test["1:48, :"], outputs(p, test["1:48, :"]):argmax(2):eq(test_label["1:48"]):reshape(48, 1)
  local grey = ma.repeat_(shown:reshape(48, 8, 8, 1), 3, 4):astype("float64")
  local frame = ma.where(found, ma.array { 0.1, 0.7, 0.2 }, ma.array { 0.9, 0.1, 0.1 })
  local all = ma.concatenate({ sheet(weights, 16, 4, ma.ones({ HIDDEN, 3 })), sheet(grey, 16, 4, frame) }, 1)
  ma.image.write(path, ma.rint(ma.clip(all, 0, 1) * 255):astype("uint8"))
  print("see " .. path)
end
