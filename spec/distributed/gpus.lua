--- A program for one process with two or more GPUs: the calls of ma.distributed.local_ against what one process
--- computes on the CPU. usage: luajit spec/distributed/gpus.lua [RANKS [LARGEST SIZE]]

local ma = require "moonarray"

local D = ma.distributed
local there_are = ma.cuda.runtime.getDeviceCount()
local n = tonumber(arg[1]) or there_are
local ids = {}
for k = 1, n do ids[k] = (k - 1) % there_are end          -- NCCL itself takes each GPU once
local gpus = D.local_(ids)
local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }
local SIZES = { 0, 1, 17, tonumber(arg[2]) or 2 ^ 20 + 1 }
local cases = 0

local function same(what, got, wanted)
  cases = cases + 1
  got = got:get()
  if got.dtype ~= wanted.dtype or tostring(got.shape) ~= tostring(wanted.shape) or not ma.array_equal(got, wanted) then
    error(("%s: got %s, wanted %s"):format(what, tostring(got), tostring(wanted)), 0)
  end
end

local function values(r, size, dtype)
  local x = (ma.numpy.arange(size) * 7 + r * 3) % 5 % 3
  return (dtype == "bool" and x:gt(0) or x):astype(dtype)
end

local FOLD = {
  sum = function(a, b) return a.dtype == "bool" and ma.logical_or(a, b) or a + b end,
  min = function(a, b) return ma.minimum(a, b) end,
  max = function(a, b) return ma.maximum(a, b) end,
}

local function on_gpus(list)
  local there = {}
  for k = 1, n do there[k] = list[k]:to("cuda:" .. ids[k]) end
  return there
end

for _, dtype in ipairs(DTYPES) do
  for _, size in ipairs(SIZES) do
    local what, host, wide = ("%d of %s"):format(size, dtype), {}, {}
    for k = 1, n do host[k], wide[k] = values(k, size, dtype), values(k, size * n, dtype) end
    local there = on_gpus(host)
    for _, op in ipairs { "sum", "min", "max" } do
      if op == "sum" or not dtype:find "complex" then
        local wanted = host[1]
        for k = 2, n do wanted = FOLD[op](wanted, host[k]) end
        for k, got in ipairs(gpus:all_reduce(there, op)) do same(op .. " " .. what .. " on " .. k, got, wanted) end
      end
    end
    local all = ma.concatenate(host)
    local gathered, scattered = gpus:gather(there, n - 1), gpus:scatter(on_gpus(wide), n - 1)
    same("gather " .. what, gathered[n], all)
    assert(n == 1 or gathered[1] == nil)
    for k, got in ipairs(scattered) do
      same("scatter " .. what .. " on " .. k, got,
        size == 0 and wide[n] or wide[n][{ { (k - 1) * size + 1, k * size } }])
    end
    if not dtype:find "complex" then
      local least = wide[1]
      for k = 2, n do least = FOLD.min(least, wide[k]) end
      for k, got in ipairs(gpus:reduce_scatter(on_gpus(wide), "min")) do
        same("reduce_scatter " .. what .. " on " .. k, got,
          size == 0 and least or least[{ { (k - 1) * size + 1, k * size } }])
      end
    end
    for k, got in ipairs(gpus:all_gather(there)) do same("all_gather " .. what .. " on " .. k, got, all) end
    for k, got in ipairs(gpus:broadcast(there, n - 1)) do same("broadcast " .. what .. " on " .. k, got, host[n]) end
    for k, got in ipairs(gpus:all_to_all(on_gpus(wide))) do
      local parts = {}
      for r = 1, n do
        parts[r] = size == 0 and wide[r] or wide[r][{ { (k - 1) * size + 1, k * size } }]
      end
      same("all_to_all " .. what .. " on " .. k, got, ma.concatenate(parts))
    end
  end
end
-- parts of other lengths, and NaN
local rows, sizes = {}, {}
for k = 1, n do rows[k], sizes[k] = ma.numpy.full({ k - 1, 3 }, k, "int16"), k - 1 end
for _, got in ipairs(gpus:all_gather(on_gpus(rows), { sizes = sizes })) do
  same("all_gather by sizes", got, ma.concatenate(rows))
end
local whole = {}
for k = 1, n do whole[k] = ma.concatenate(rows) end
for k, got in ipairs(gpus:reduce_scatter(on_gpus(whole), "sum", { sizes = sizes })) do
  same("reduce_scatter by sizes", got, (rows[k] * n):astype "int16")
end
local odd = {}
for k = 1, n do odd[k] = ma.numpy.array({ k == n and ma.nan or k, -k, k == 1 and -ma.inf or 0 }, "float32") end
for _, got in ipairs(gpus:all_reduce(on_gpus(odd), "max")) do
  local a, b, c = unpack(got:totable())
  assert(a ~= a and b == -1 and c == (n == 1 and -ma.inf or 0), "max with NaN")
end
cases = cases + n

-- closed, and made anew
gpus:close()
assert(not pcall(gpus.all_reduce, gpus, on_gpus(odd), "max"))
gpus = D.local_(ids)
local ones = {}
for k = 1, n do ones[k] = ma.numpy.array({ 1, k }, "int32") end
for _, got in ipairs(gpus:all_reduce(on_gpus(ones))) do
  same("all_reduce anew", got, ma.numpy.array({ n, n * (n + 1) / 2 }, "int32"))
end
gpus:close()

print(("%d GPUs of one process: %d comparisons"):format(n, cases))
