-- Handwritten digits by their nearest neighbour. usage: luajit examples/digits.lua TRAIN TEST Each file has one image a
-- line: 64 pixel counts (0 to 16) and the digit, by commas, as in the UCI set optdigits (.tra, .tes). Without files it
-- makes small images of its own. The program is the same on a GPU and on the CPU.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local function read(path)
  local rows = ma.loadtxt(path, "int32", { delimiter = ",", comments = "#" })
  return rows[":, 1:64"]:astype("float32"), rows[":, 65"]
end

--- Ten random prototypes, and images that are one of them with noise.
local function synthetic(n, prototypes)
  local label = ma.arange(n) % 10
  local noise = ma.sin(ma.arange(n * 64, "float32"):reshape(n, 64) * 12.9898) * 4
  return ma.clip(prototypes:take(label + 1, 1) + noise, 0, 16), label
end

local train, train_label, test, test_label
if arg[1] and arg[2] then
  train, train_label = read(arg[1])
  test, test_label = read(arg[2])
else
  print("no files given: classifying synthetic images (usage: examples/digits.lua TRAIN TEST)")
  local prototypes = ma.floor(ma.cos(ma.arange(640, "float32"):reshape(10, 64) * 7.31) * 8 + 8)
  train, train_label = synthetic(1000, prototypes)
  test, test_label = synthetic(500, prototypes)
end

local count = test:dims()
ma.synchronize()                                                   -- the images are there before the time is taken
local start = ma.time()
local found = ma.empty(count, train_label.dtype)
for lo, hi in ma.blocks(count, 32) do
  local block = test[{ { lo, hi }, ma.newaxis, {} }]             -- (32, 1, 64) against (3823, 64)
  local difference = block - train
  local distance = (difference * difference):sum(3)              -- (32, 3823)
  found[{ { lo, hi } }] = train_label:take(distance:argmin(2), 1)
end
local right = ma.count_nonzero(found:eq(test_label)):item()      -- waits for the device

print(string.format("%d of %d", right, count))
print(string.format("%.2f s on %s", ma.time() - start, test.device))
