-- A table of matrix products: the time with the copies to the device and back, the speed with and without them, and the
-- error.
-- usage: luajit examples/matmul_table.lua [N ...]        (5120 10240 20480; the last, in float64, takes 10 GB on each
--                                                        side)
--
-- The error is |C - R| / |R| (Frobenius) over rows and columns picked from the whole of C. R is summed without
-- rounding: each operand is cut in three slices of so few bits that products of slices, and their sums, are exact in
-- float64.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local sizes = {}
for k = 1, arg and #arg or 0 do sizes[k] = assert(tonumber(arg[k]), "N is a number") end
if #sizes == 0 then sizes = { 5120, 10240, 20480 } end

local device = ma.zeros(1).device
local PICKED = 64                                                  -- rows, and columns, whose product is checked
-- 2 * 18 + log2(N) bits of a sum: 53 are there up to N = 2^17
local BITS = 18

--- A matrix between -1 and 1 of full rank, on the host.
local function matrix(n, a, b, dtype)
  local row, column = ma.arange(1, n + 1, "float64"):reshape(n, 1), ma.arange(1, n + 1, "float64")
  return ma.sin(ma.remainder((row + a) * (column + b) * 0.7548776662466927, 1000)):astype(dtype):get()
end

local function slices(x)
  x = x:astype("float64")
  local first = ma.rint(x * 2 ^ BITS) / 2 ^ BITS
  local second = ma.rint((x - first) * 2 ^ (2 * BITS)) / 2 ^ (2 * BITS)
  return { first, second, x - first - second }
end

--- The product of a few rows and a few columns, rounded in its last sums alone.
local function exact(rows, columns)
  local left, right, sum = slices(rows), slices(columns), 0
  for order = 6, 2, -1 do                                          -- the smallest first
    for k = math.max(1, order - 3), math.min(3, order - 1) do sum = sum + ma.matmul(left[k], right[order - k]) end
  end
  return sum
end

local function relative_error(a, b, c, n)
  local some = { 1, -1, math.max(1, math.floor(n / PICKED)) }
  local function on_device(x) return ma.asarray(x:copy(), { device = device }) end
  local wanted = exact(on_device(a[{ some }]), on_device(b[{ {}, some }]))
  local difference = on_device(c[{ some, some }]) - wanted
  return (ma.sqrt((difference * difference):sum()) / ma.sqrt((wanted * wanted):sum())):item()
end

--- Milliseconds to the device, of the product and back, and the product, on the host.
local function multiply(a, b)
  local mark = {}
  for k = 1, 4 do mark[k] = ma.Event() end
  ma.synchronize()
  mark[1]:record()
  local x, y = a:to(device), b:to(device)
  mark[2]:record()
  local z = ma.matmul(x, y)
  mark[3]:record()
  local c = z:get()
  mark[4]:record()
  mark[4]:synchronize()
  local there, product, back = ma.get_elapsed_time(mark[1], mark[2]), ma.get_elapsed_time(mark[2], mark[3]),
    ma.get_elapsed_time(mark[3], mark[4])
  return c, there, product, back
end

local function row_of_table(n, dtype, name)
  ma.scope(function()
    local a, b = matrix(n, 0.3, 0.7, dtype), matrix(n, 0.9, 0.1, dtype)
    ma.scope(function() multiply(a, b) end)                        -- fills the pools, makes the library ready
    local c, there, product, back = multiply(a, b)
    local work = 2 * n ^ 3 / 1e6                                   -- over milliseconds: GFLOP/s
    print(("%6d  %-8s %11.2f %11.2f %11.2f %12.1f %14.1f %14.1e"):format(n, name, there, product, back, work / product,
      work / (there + product + back), relative_error(a, b, c, n)))
  end)
end

print("on " .. device .. ":")
print("     N  dtype    to it, ms  product, ms  back, ms      GFLOP/s    with copies  relative error")
for _, n in ipairs(sizes) do
  row_of_table(n, "float32", "float32")
  if device ~= "cpu" then
    local before = ma.cuda.set_tf32(true)
    row_of_table(n, "float32", "TF32")
    ma.cuda.set_tf32(before)
  end
  row_of_table(n, "float64", "float64")
end
