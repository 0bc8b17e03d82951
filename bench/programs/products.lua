--- Products without cuBLAS beside cuBLAS's, each in a process of its own on a GPU: GFLOP/s of both, and what part of
--- cuBLAS's ours are. First ours are compared with exact ones.
--
-- usage: luajit bench/programs/products.lua [pattern] [seconds a key]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local pattern, seconds = arg[1] or "", tonumber(arg[2]) or 0.05

-- Title, dtype, rows, terms, columns, products of a batch; "t" marks operands that are transposed.
local products = {}
for _, n in ipairs { 512, 1024, 1536, 2048, 3072, 4096 } do products[#products + 1] = { "float32", n, n, n } end
for _, n in ipairs { 513, 1023, 2047, 2049 } do products[#products + 1] = { "float32", n, n, n } end
for _, turned in ipairs { "tn", "nt", "tt" } do
  products[#products + 1] = { "float32", 2048, 2048, 2048, turned = turned }
end
products[#products + 1] = { "float32", 8192, 8192, 1 }
products[#products + 1] = { "float32", 1, 8192, 8192 }
products[#products + 1] = { "float32", 8192, 8192, 16 }
products[#products + 1] = { "float32", 64, 1000000, 64 }
products[#products + 1] = { "float32", 32, 32, 32, batch = 10000 }
products[#products + 1] = { "float32", 256, 256, 256, batch = 64 }
for _, n in ipairs { 1024, 2047, 2048 } do products[#products + 1] = { "float64", n, n, n } end
for _, dtype in ipairs { "float16", "bfloat16", "complex64", "complex128" } do
  products[#products + 1] = { dtype, 2048, 2048, 2048 }
end

local function title(p)
  return ("%s %dx%dx%d%s%s"):format(p[1], p[2], p[3], p[4], p.batch and (" of " .. p.batch) or "",
    p.turned and (" " .. p.turned) or "")
end

--- In the process that measures.
local function worker()
  local ma, core = require "moonarray", require "moonarray.core"
  local function numbers(dtype, batch, rows, columns, turned)
    local shape = turned and { columns, rows } or { rows, columns }
    if batch then table.insert(shape, 1, batch) end
    local x = (ma.random.randint(-3, 4, shape)):astype(dtype)
    return turned and x:swapaxes(-1, -2) or x
  end
  local function check(dtype, m, k, n)
    local a, b = numbers(dtype, nil, m, k), numbers(dtype, nil, k, n, true)
    local exact = ma.matmul(a:astype("int64"), b:astype("int64")):astype(dtype)
    if not ma.array_equal(ma.matmul(a, b), exact) then error(("a product of %s %d %d %d is wrong"):format(dtype, m, k, n)) end
  end
  if os.getenv("MOONARRAY_CUDA_LIBRARIES") == "0" then
    for _, dtype in ipairs { "float32", "float64" } do
      for _, s in ipairs { { 2048, 256, 2048 }, { 513, 700, 300 }, { 100, 3000, 77 }, { 1000, 999, 5 }, { 9, 999, 800 } } do
        check(dtype, s[1], s[2], s[3])
      end
    end
    print("products are right")
  end
  for _, p in ipairs(products) do
    if title(p):find(pattern) then
      local dtype, m, k, n = p[1], p[2], p[3], p[4]
      local turned = p.turned or ""
      local a, b = numbers(dtype, p.batch, m, k, turned:sub(1, 1) == "t"), numbers(dtype, p.batch, k, n, turned:sub(2) == "t")
      local out = ma.matmul(a, b)
      local function calls(count) return core.time_device(function() for _ = 1, count do ma.matmul(a, b, out) end end) end
      calls(3)
      local count = math.max(3, math.min(1000, math.floor(seconds / 5 * 1e3 / (calls(3) / 3))))
      local best = math.huge
      for _ = 1, 5 do best = math.min(best, calls(count) / count) end
      print(("%s\t%.6g"):format(title(p), best))
    end
  end
end

if os.getenv("PRODUCTS_WORKER") then return worker() end

local function run(environment)
  local times = {}
  local pipe = assert(io.popen(("PRODUCTS_WORKER=1 MOONARRAY_DEVICE=cuda %s '%s' '%s' '%s' %g 2>&1"):format(environment,
    arg[-1] or "luajit", arg[0], pattern, seconds)))
  for line in pipe:lines() do
    local key, ms = line:match("^(.-)\t(%S+)$")
    if key then times[key] = tonumber(ms) else print(line) end
  end
  pipe:close()
  return times
end

local ours, theirs = run("MOONARRAY_CUDA_LIBRARIES=0"), run("")
for _, p in ipairs(products) do
  local a, b = ours[title(p)], theirs[title(p)]
  local work = 2 * p[2] * p[3] * p[4] * (p.batch or 1) * (p[1]:find("complex") and 4 or 1) * 1e-6
  if a and b then
    print(("%-32s ours %9.3f ms %9.0f GFLOP/s   cuBLAS %9.3f ms %9.0f GFLOP/s   %5.2f"):format(title(p), a, work / a, b,
      work / b, b / a))
  end
end
