-- Reductions of operands that repeat along axes of the results, as in the distances of all pairs: both devices compute
-- them tile by tile, with the bits that the same expression of whole arrays has.

local helper = require "spec.helper"
local ma = helper.ma
local host = ma.numpy -- makes and compares arrays, so that a GPU compiles no kernels for that

local random = helper.random(helper.seed)
local rng = host.random.default_rng(helper.seed)
local on_gpu = helper.device ~= "cpu"

-- Of p (n, 1, k) and q (m, k), or batches of these; w (k) is the same for all pairs and s (n, m, 1) for all elements.
local programs = {
  distances = function(p, q) return ((p - q) ^ 2):sum(-1) end,
  products = function(p, q) return (p * q):sum(-1) end,
  largest = function(p, q) return ma.absolute(p - q):max(-1) end,
  smallest = function(p, q) return (p + q):min(-1) end,
  nearest = function(p, q) return (p - q):argmin(-1) end,
  farthest = function(p, q) return (p * q):argmax(-1) end,
  means = function(p, q) return (p * q + 1):mean(-1) end,
  variances = function(p, q) return (p - q):var(-1) end,
  factors = function(p, q) return (p * q):prod(-1) end,
  dominated = function(p, q) return ma.less_equal(p, q):all(-1) end,
  equal = function(p, q) return ma.equal(p, q):sum(-1) end,
  weighted = function(p, q, w) return (w * (p - q) ^ 2):sum(-1) end,
  scaled = function(p, q, w, s) return (s * p * q - w):sum(-1) end,
  fused = function(p, q) return ma.fuse(function(x, y) return ma.absolute(x - y) * (x + y) end)(p, q):sum(-1) end,
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)
local skips_complex = { largest = true, dominated = true, fused = true }

local function values(shape, dtype)
  local x = host.asarray((rng:standard_normal(shape) * 3):astype(dtype)):eval()
  local flat = x:reshape(-1)
  for _ = 1, helper.is_float[dtype] and x.size > 0 and random(1, 2) == 1 and 2 or 0 do
    flat[random(1, x.size)] = ({ 0 / 0, -0.0, math.huge, -math.huge })[random(1, 4)]
  end
  return x:to(helper.device)
end

--- The values of a matrix, not always packed.
local function view(rows, k, dtype)
  local kind = random(1, 5)
  if kind == 1 then return values({ k, rows }, dtype):transpose() end
  if kind == 2 then return values({ 2 * rows, k }, dtype)["::2"] end
  if kind == 3 then return values({ rows, k + 3 }, dtype)["..., 4:"] end
  if kind == 4 then return values({ rows, k }, dtype)["::-1, ::-1"] end
  return values({ rows, k }, dtype)
end

local function whole(x, shape) return host.broadcast_to(x:get(), shape):copy():to(helper.device) end

local function signs(x) return host.where(host.isnan(x), 1, host.copysign(host.ones(x.shape, x.dtype), x)) end

local function same(got, want, what)
  local text = what .. ", SEED=" .. helper.seed
  assert.equal(want.dtype, got.dtype, text)
  assert.same(want.shape, got.shape, text)
  got, want = got:get(), want:get()
  assert(host.array_equal(got, want, not want.dtype:find "int" and want.dtype ~= "bool"), text)
  if helper.is_float[want.dtype] then assert(host.array_equal(signs(got), signs(want)), text .. ", signs") end
end

local function compare(name, n, m, k, dtype)
  local f = programs[name]
  local p, q = view(n, k, dtype)[":, _"], view(m, k, dtype)
  local w, s = values({ k }, dtype), values({ n, m, 1 }, dtype)
  local shape = { n, m, k }
  same(f(p, q, w, s), f(whole(p, shape), whole(q, shape), whole(w, shape), whole(s, shape)),
    ("%s of %d x %d x %d %s"):format(name, n, m, k, dtype))
end

-- A GPU takes so many results tile by tile, and compiles two kernels for each.
local shapes = on_gpu and { { 200, 190 }, { 450, 310 }, { 3000, 9 }, { 17, 4100 } }
  or { { 70, 90 }, { 9, 300 }, { 500, 11 }, { 130, 66 } }
local lengths = { 2, 3, 7, 8, 13, 33, 64, 70, 100, 128, 129, 300 }
local dtypes = { "float32", "float32", "float64", "int64", "int8", "float16", "bfloat16", "complex64", "uint8", "bool" }

describe("operands that repeat along axes of the results:", function()
  for _, name in ipairs(names) do
    it(name .. " have the bits of whole arrays", function()
      for _ = 1, on_gpu and 1 or 8 do
        local shape, dtype = shapes[random(1, #shapes)], dtypes[random(1, #dtypes)]
        local k = random(1, 2) == 1 and random(1, 70) or lengths[random(1, #lengths)]
        if skips_complex[name] and dtype == "complex64" or dtype == "bool" then dtype = "float32" end
        compare(name, shape[1], shape[2], k, dtype)
      end
    end)
  end

  it("the sums of long rows too, of several chunks and spans", function()
    local n, m = on_gpu and 190 or 40, on_gpu and 182 or 70
    for _, k in ipairs { 1000, 1024, 1500, on_gpu and 2049 or 9000 } do
      compare(k % 2 == 0 and "distances" or "products", n, m, k, "float32")
    end
  end)

  it("rows of several spans, and several reductions at once", function()
    local n, m, k = 2040, 8, 4100 -- so few results that a row has two spans, and enough tiles for a GPU
    if not on_gpu then n, m = 70, 9 end
    local p, q = values({ n, 1, k }, "float32"), values({ m, k }, "float32")
    same(programs.products(p, q), programs.products(p:get(), q:get()), "products of several spans")
    local x, y = values({ 260, 1, 19 }, "float32"), values({ 250, 19 }, "float32")
    local function several(a, b)
      local d = a * b
      local low, total = d:min(-1), d:sum(-1)
      return low, total
    end
    local shape = { 260, 250, 19 }
    local low, total = several(x, y)
    local want_low, want_total = several(whole(x, shape), whole(y, shape))
    same(low, want_low, "the least of several")
    same(total, want_total, "the sum of several")
  end)

  it("short axes, and none", function()
    for _, shape in ipairs { { 1, 1, 5 }, { 2, 70, 5 }, { 70, 3, 9 }, { 5, 1100, 3 }, { 70, 70, 1 }, { 0, 5, 3 },
      { 5, 0, 3 }, { 70, 90, 0 } } do
      compare("distances", shape[1], shape[2], shape[3], "float32")
      compare("products", shape[1], shape[2], shape[3], "int32")
    end
  end)

  it("batches, and pairs that lie across", function()
    local b, n, m, k = 3, on_gpu and 130 or 66, 140, 21
    local p, q = values({ b, n, 1, k }, "float32"), values({ b, 1, m, k }, "float32")
    local shape = { b, n, m, k }
    for _, name in ipairs { "distances", "nearest" } do
      same(programs[name](p, q), programs[name](whole(p, shape), whole(q, shape)), name .. " of batches")
    end
    local one = q["1:1"]
    same(programs.distances(p, one), programs.distances(whole(p, shape), whole(one, shape)), "one of the batch")
    local x, y = values({ k, n, 1 }, "float64"), values({ k, 1, m }, "float64")
    same((x * y):sum(1), (whole(x, { k, n, m }) * whole(y, { k, n, m })):sum(1), "the first axis")
    local across = ma.zeros({ m, n }, "float64")
    ma.sum(x * y, 1, { out = across:transpose() })
    same(across:transpose(), (x * y):sum(1), "a result across")
  end)

  it("k-means, and the energy of bodies", function()
    local n = on_gpu and 2100 or 300
    local points, centres = values({ n, 16 }, "float32"), values({ 32, 16 }, "float32")
    local shape = { n, 32, 16 }
    same(((points[":, _"] - centres) ^ 2):sum(3):argmin(2),
      ((whole(points[":, _"], shape) - whole(centres, shape)) ^ 2):sum(3):argmin(2), "k-means")
    local x = values({ 301 }, "float64")
    local function energy(a, b) return (1 / ma.sqrt((a - b) ^ 2 + 0.1)):sum() end
    same(energy(x[":, _"], x), energy(whole(x[":, _"], { 301, 301 }), whole(x, { 301, 301 })), "energy")
  end)
end)
