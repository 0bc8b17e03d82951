-- Handwritten digits by principal components: 64 numbers an image become 16, and the nearest neighbour is looked for
-- among those.
-- usage: luajit examples/pca_digits.lua [TRAIN TEST] [components]
-- Each file has one image a line: 64 pixel counts (0 to 16) and the digit, by commas, as in the UCI set optdigits
-- (.tra, .tes). Without files it makes small images of its own. The program is the same on a GPU and on the CPU.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local function read(path)
  local rows = ma.loadtxt(path, "int32", { delimiter = ",", comments = "#" })
  return rows[":, 1:64"]:astype("float64"), rows[":, 65"]
end

--- Ten prototypes, and images that are one of them with noise.
local function synthetic(n, prototypes)
  local label = ma.arange(n) % 10
  local noise = ma.sin(ma.arange(n * 64, "float64"):reshape(n, 64) * 12.9898) * 4
  return ma.clip(prototypes:take(label + 1, 1) + noise, 0, 16), label
end

local train, train_label, test, test_label
local from_files = arg and arg[1] and arg[2]
if from_files then
  train, train_label = read(arg[1])
  test, test_label = read(arg[2])
else
  print("no files given: synthetic images (usage: examples/pca_digits.lua TRAIN TEST [components])")
  local prototypes = ma.floor(ma.cos(ma.arange(640, "float64"):reshape(10, 64) * 7.31) * 8 + 8)
  train, train_label = synthetic(1000, prototypes)
  test, test_label = synthetic(500, prototypes)
end
local components = tonumber(arg and arg[from_files and 3 or 1]) or 16

-- The rows of vh are the directions in which the images differ most, the squares of s how much of the variance each
-- holds.
local mean = train:mean(1)
local _, s, vh = ma.linalg.svd(train - mean, { full_matrices = false })
local variance = s * s
local held = variance[{ { 1, components } }]:sum() / variance:sum()
local axes = vh[{ { 1, components } }]:transpose()               -- (64, components)

local known = ma.matmul(train - mean, axes)
local asked = ma.matmul(test - mean, axes)

-- |p - q|^2 = |p|^2 - 2 p q + |q|^2, all pairs by one product; |q|^2 is the same for all neighbours of q.
local distance = (known * known):sum(2) - 2 * ma.matmul(asked, known:transpose())
local found = train_label:take(distance:argmin(2), 1)
local right = ma.count_nonzero(found:eq(test_label)):item()

print(("%d components hold %.5f of the variance"):format(components, held:item()))
print(("%d of %d right on %s"):format(right, test:dims(), test.device))
