--- Products and transforms of our own beside those of cuBLAS and cuFFT, each in a process of its own on a GPU: GFLOP/s
--- of both, and what part of the library's ours are. First ours are compared with others.
--
-- usage: luajit bench/programs/products.lua [pattern] [seconds a key]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local pattern, seconds = arg[1] or "", tonumber(arg[2]) or 0.05
local OURS = "MOONARRAY_CUDA_LIBRARIES=0"

-- Keys with their work in GFLOP; `make` gives what is measured, in the process that measures.
local cases = {}

local function numbers(ma, dtype, shape) return ma.random.randint(-3, 4, shape):astype(dtype) end

local function product(dtype, m, k, n, batch, turned)
  turned = turned or ""
  local function operand(ma, rows, columns, is_turned)
    local shape = is_turned and { columns, rows } or { rows, columns }
    if batch then table.insert(shape, 1, batch) end
    local x = numbers(ma, dtype, shape)
    return is_turned and x:swapaxes(-1, -2) or x
  end
  cases[#cases + 1] = { key = ("%s %dx%dx%d%s%s"):format(dtype, m, k, n, batch and " of " .. batch or "", turned),
    work = 2e-9 * m * k * n * (batch or 1) * (dtype:find("complex") and 4 or 1),
    make = function(ma)
      local a, b = operand(ma, m, k, turned:find("a") ~= nil), operand(ma, k, n, turned:find("b") ~= nil)
      local out = ma.matmul(a, b)
      return function() ma.matmul(a, b, out) end
    end }
end

local function transform(name, dtype, n, batch)
  cases[#cases + 1] = { key = ("%s %s %d of %d"):format(name, dtype, n, batch),
    work = (name == "rfft" and 2.5e-9 or 5e-9) * n * math.log(n) / math.log(2) * batch,
    make = function(ma)
      local x = numbers(ma, dtype, { batch, n })
      return function() ma.fft[name](x) end
    end }
end

for _, n in ipairs { 512, 1024, 1536, 2048, 3072, 4096, 513, 1023, 2047, 2049 } do product("float32", n, n, n) end
for _, turned in ipairs { " a", " b", " a b" } do product("float32", 2048, 2048, 2048, nil, turned) end
product("float32", 8192, 8192, 1)
product("float32", 1, 8192, 8192)
product("float32", 8192, 8192, 16)
product("float32", 64, 1000000, 64)
product("float32", 32, 32, 32, 10000)
product("float32", 256, 256, 256, 64)
for _, n in ipairs { 1024, 2047, 2048 } do product("float64", n, n, n) end
for _, dtype in ipairs { "float16", "bfloat16", "complex64", "complex128" } do product(dtype, 2048, 2048, 2048) end
for bits = 10, 22, 2 do transform("fft", "complex64", 2 ^ bits, 1) end
for bits = 10, 20, 5 do transform("fft", "complex64", 2 ^ bits, 2 ^ (22 - bits)) end
transform("fft", "complex64", 1000000, 1)
transform("fft", "complex128", 2 ^ 20, 1)
transform("fft", "complex128", 1024, 4096)
transform("rfft", "float32", 2 ^ 20, 1)
transform("rfft", "float32", 1024, 4096)

--- Products of whole numbers are exact; a transform there and back gives what it was given.
local function check(ma)
  for _, dtype in ipairs { "float32", "float64" } do
    for _, s in ipairs { { 2048, 256, 2048 }, { 513, 700, 300 }, { 100, 3000, 77 }, { 1000, 999, 5 },
      { 9, 999, 800 } } do
      local a, b = numbers(ma, dtype, { s[1], s[2] }), numbers(ma, dtype, { s[3], s[2] }):swapaxes(1, 2)
      local exact = ma.matmul(a:astype("int64"), b:astype("int64")):astype(dtype)
      assert(ma.array_equal(ma.matmul(a, b), exact), ("a product of %s, %d %d %d"):format(dtype, s[1], s[2], s[3]))
    end
    for _, n in ipairs { 60, 1024, 2401, 4096, 30000, 2 ^ 20, 2 ^ 22 } do
      local x = numbers(ma, dtype, { 2, n })
      local line = ma.fft.rfft(x)
      local error = ma.abs(ma.fft.irfft(line, n) - x):max():item()
      local sum = ma.abs(ma.real(line[":, 1"]) - x:sum(2)):max():item()
      assert(error < (dtype == "float32" and 1e-5 or 1e-13) and sum < n * 1e-6, ("rfft of %s, %d"):format(dtype, n))
    end
  end
end

--- What a process that measures does: prints keys and milliseconds.
local function measure()
  local ma, core = require "moonarray", require "moonarray.core"
  if os.getenv("MOONARRAY_CUDA_LIBRARIES") == "0" then
    check(ma)
    print("ours are right")
  end
  for _, case in ipairs(cases) do
    if case.key:find(pattern) then
      local f = case.make(ma)
      local function calls(count)
        return core.time_device(function() for _ = 1, count do f() end end) / count
      end
      calls(3)
      local count, best = math.max(3, math.min(1000, math.floor(seconds / 5 * 1e3 / calls(3)))), math.huge
      for _ = 1, 5 do best = math.min(best, calls(count)) end
      print(("%s\t%.6g"):format(case.key, best))
      f = nil
      collectgarbage()
    end
  end
end

if os.getenv("PRODUCTS_MEASURE") then return measure() end

local function run(environment)
  local times = {}
  local pipe = assert(io.popen(("PRODUCTS_MEASURE=1 MOONARRAY_DEVICE=cuda %s '%s' '%s' '%s' %g 2>&1"):format(
    environment, arg[-1] or "luajit", arg[0], pattern, seconds)))
  for line in pipe:lines() do
    local key, ms = line:match("^(.-)\t(%S+)$")
    if key then times[key] = tonumber(ms) else print(line) end
  end
  pipe:close()
  return times
end

local ours, theirs = run(OURS), run("MOONARRAY_CUDA_LIBRARIES=1")
for _, case in ipairs(cases) do
  local a, b = ours[case.key], theirs[case.key]
  if a and b then
    print(("%-32s ours %9.4f ms %8.0f GFLOP/s   library %9.4f ms %8.0f GFLOP/s   %5.2f"):format(case.key, a,
      case.work / a * 1e3, b, case.work / b * 1e3, b / a))
  end
end
