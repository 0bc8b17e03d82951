-- Random numbers: the words against a Philox written out here, uniform and normal numbers and integers made of them,
-- the same constants on every device, and generators: their state, children, cuRAND's, and graphs.
-- MOONARRAY_SPEC_LONG=1 draws 10^7 of each.

local ffi = require "ffi"
local bit = require "bit"
local helper = require "spec.helper"
local draws = require "spec.random.random_helper"
local ma, core = helper.ma, helper.core
local raises, values, distance = draws.raises, draws.values, draws.distance

local N = helper.long and 10000000 or 100000
local abs, floor, log, pi, sqrt = math.abs, math.floor, math.log, math.pi, math.sqrt

-- ==== Philox4x32-10 ====

local bxor, tobit = bit.bxor, bit.tobit

local function mul(a, b)
  local p = ffi.cast("uint64_t", a) * ffi.cast("uint64_t", b)
  return tonumber(p / 2 ^ 32), tonumber(p % 2 ^ 32)
end

local function u32(x) return x % 2 ^ 32 end

local function philox(c, k0, k1)
  local x, y, z, w = c[1], c[2], c[3], c[4]
  for _ = 1, 10 do
    local ph, pl = mul(0xD2511F53, x)
    local qh, ql = mul(0xCD9E8D57, z)
    x, y, z, w = u32(bxor(tobit(qh), tobit(y), tobit(k0))), ql, u32(bxor(tobit(ph), tobit(w), tobit(k1))), pl
    k0, k1 = u32(k0 + 0x9E3779B9), u32(k1 + 0xBB67AE85)
  end
  return x, y, z, w
end

--- Word i (from 0) of a draw, at an attempt.
local function word(seed, draw, i, attempt, high)
  local k = floor(i / 4)
  return (select(i % 4 + 1, philox({ floor(k / 65536), attempt or 0, k % 65536, draw }, seed, high or 0)))
end

describe("random words", function()
  it("are Philox4x32-10's by its known answers", function()
    local function check(c, k0, k1, text)
      assert.equal(text, ("%08x %08x %08x %08x"):format(philox(c, k0, k1)))
    end
    local f = 0xffffffff
    check({ 0, 0, 0, 0 }, 0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8")
    check({ f, f, f, f }, f, f, "408f276d 41c83b0e a20bc7c6 6d5451fd")
    check({ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, 0xa4093822, 0x299f31d0,
      "d16cfe09 94fdcceb 5001e420 24126ea1")
  end)

  it("lie in the order of their blocks, by seed and draw", function()
    local random = helper.random(1)
    for _, seed in ipairs { 0, 1, 42, random(1, 2 ^ 31 - 2) } do
      local rng = ma.random.default_rng(seed)
      for draw = 0, 2 do
        local n = random(1, 3000)
        local a, p = values(rng:integers(0, 2 ^ 32, n, "uint32"))
        for _ = 1, 50 do
          local i = random(0, n - 1)
          assert.equal(word(seed, draw, i), p[i])
        end
        assert.equal(word(seed, draw, n - 1), p[a.size - 1])
      end
    end
    local n = 300001                     -- past 65536 blocks
    local a, p = values(ma.random.default_rng(7):integers(0, 2 ^ 32, n, "uint32"))
    for _, i in ipairs { 262143, 262144, 262147, 262148, a.size - 1 } do assert.equal(word(7, 0, i), p[i]) end
    local x, y = core.random_words(5, 9, 3, 65536 * 77 + 5, 2)
    local wx, wy = philox({ 77, 2, 5, 3 }, 5, 9)
    assert.equal(wx, x)
    assert.equal(wy, y)
  end)

  it("are those of cuRAND's host generator for the first draw", function()
    local lib
    for _, path in ipairs { "libcurand.so.10", (os.getenv("CUDA_PATH") or "/usr/local/cuda")
      .. "/lib64/libcurand.so.10" } do
      local ok, found = pcall(ffi.load, path)
      if ok then lib = found end
    end
    if not lib then pending "no cuRAND, which comes with a GPU's toolkit" return end
    ffi.cdef [[
      int curandCreateGeneratorHost(void **generator, int type);
      int curandSetPseudoRandomGeneratorSeed(void *generator, unsigned long long seed);
      int curandGenerate(void *generator, unsigned *to, size_t n);
      int curandDestroyGenerator(void *generator);
    ]]
    local generator, n = ffi.new "void *[1]", 400000
    local theirs = ffi.new("unsigned[?]", n)
    if lib.curandCreateGeneratorHost(generator, 161) ~= 0 then pending "cuRAND does not start without a GPU" return end
    local status = lib.curandSetPseudoRandomGeneratorSeed(generator[0], 42)
    status = status + lib.curandGenerate(generator[0], theirs, n) + lib.curandDestroyGenerator(generator[0])
    assert.equal(0, status)
    assert.equal(ffi.string(theirs, 4 * n), helper.bytes(ma.random.default_rng(42):integers(0, 2 ^ 32, n, "uint32")))
  end)

  it("take a seed of 64 bits", function()
    local _, p = values(ma.random.default_rng(ffi.cast("uint64_t", 0x89abcdef) * 2 ^ 32 + 0x01234567):integers(0,
      2 ^ 32, 4, "uint32"))
    assert.equal(word(0x01234567, 0, 2, 0, 0x89abcdef), p[2])
  end)
end)

local function signed(w) return w < 2 ^ 31 and w or w - 2 ^ 32 end

describe("uniform and normal numbers", function()
  it("are made of the words", function()
    local n, rng = 1001, ma.random.default_rng(11)
    local a, p = values(rng:random(n, "float32"))
    local b, q = values(rng:random(n))
    local c, r = values(rng:standard_normal(n, "float32"))
    local d, s = values(rng:standard_normal(n))
    for i = 0, n - 1 do
      assert.equal(floor(word(11, 0, i) / 256) / 2 ^ 24, p[i])
      assert.equal((floor(word(11, 1, 2 * i) / 32) * 2 ^ 26 + floor(word(11, 1, 2 * i + 1) / 64)) / 2 ^ 53, q[i])
      local even = i - i % 2
      local first = signed(word(11, 2, even))
      local radius = sqrt(-2 * log((abs(first) + 0.5) / 2 ^ 31)) * (first < 0 and -1 or 1)
      local angle = pi * signed(word(11, 2, even + 1)) / 2 ^ 32
      assert(abs(radius * (i == even and math.cos(angle) or math.sin(angle)) - r[i]) < 1e-6 + 2e-7 / abs(radius), i)
      local u = (floor(word(11, 3, 2 * even)) * 2 ^ 20 + floor(word(11, 3, 2 * even + 1) / 4096) + 0.5) / 2 ^ 52
      angle = 2 * pi * (word(11, 3, 2 * even + 2) / 2 ^ 32 + word(11, 3, 2 * even + 3) / 2 ^ 64)
      assert(abs(sqrt(-2 * log(u)) * (i == even and math.cos(angle) or math.sin(angle)) - s[i]) < 1e-13, i)
    end
    assert.equal(4 * n, a.size + b.size + c.size + d.size)
  end)

  it("are the same bits on every device", function()
    local rng, found = ma.random.default_rng(1234567), {}
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      found[#found + 1] = helper.checksum(rng:random(5003, dtype))
      found[#found + 1] = helper.checksum(rng:normal(1, 2, 5003, dtype))
    end
    for _, dtype in ipairs { "int8", "uint16", "int32", "int64", "uint64" } do
      found[#found + 1] = helper.checksum(rng:integers(0, 100, 5003, dtype))
    end
    found[#found + 1] = helper.checksum(rng:integers(0, 3 * 2 ^ 30, 5003))
    found[#found + 1] = helper.checksum(rng:integers(-2 ^ 62, 2 ^ 62 + 2 ^ 61, 5003))
    found[#found + 1] = helper.checksum(rng:integers(0, 2 ^ 64, 5003, "uint64"))
    found[#found + 1] = helper.checksum(rng:integers(0, 2 ^ 32, 5003))
    found[#found + 1] = helper.checksum(rng:permutation(15009))
    found[#found + 1] = helper.checksum(rng:gamma(0.3, 2, 5003))
    found[#found + 1] = helper.checksum(rng:poisson(300, 5003))
    assert.same({
      2615263197, 2723536190, 3913044427, 849505880, 545527207, 3513459751, 1943860787, 2746651186, 382804781,
      4085538084, 247099163,
      979422566, 2054436997, 3288564096, 686035818, 3656594712,
    }, { unpack(found, 1, 16) })
    assert.same({ 1361080976, 3848891018, 3329577960, 4103295778 }, { unpack(found, 17) })
  end)

  it("are the same bits on a GPU and on the CPU in millions, rows of blocks and what is left of them", function()
    local here, there = ma.random.default_rng(31), ma.random.default_rng(31)
    for _, n in ipairs { 2 ^ 22 + 3, 262144, 262147, 65536 * 4 * 3 - 1, 1023, 1 } do
      for _, dtype in ipairs { "float32", "float64" } do
        assert(ma.array_equal(here:standard_normal(n, dtype):get(),
          there:standard_normal(n, dtype, { device = "cpu" })), n)
        assert(ma.array_equal(here:random(n, dtype):get(), there:random(n, dtype, { device = "cpu" })), n)
      end
      assert(ma.array_equal(here:integers(0, 3 * 2 ^ 30, n, "uint32"):get(),
        there:integers(0, 3 * 2 ^ 30, n, "uint32", { device = "cpu" })), n)
    end
  end)

  it("depend on the place alone, not on shape or layout", function()
    local function fresh() return ma.random.default_rng(5) end
    for _, name in ipairs { "random", "standard_normal", "standard_exponential" } do
      for _, dtype in ipairs { "float16", "float32", "float64" } do
        local flat = fresh()[name](fresh(), 1200, dtype)
        assert(ma.array_equal(flat:reshape(30, 40), fresh()[name](fresh(), { 30, 40 }, dtype)))
        local long = fresh()[name](fresh(), 1501, dtype)
        assert(ma.array_equal(long["1:1200"], flat))
        local out = ma.zeros({ 40, 30 }, dtype):transpose()
        local rng = fresh()
        assert.equal(out, rng[name](rng, { out = out }))
        assert(ma.array_equal(out:reshape(-1), flat))
        local wide = ma.zeros(2401, dtype)
        rng = fresh()
        rng[name](rng, { out = wide["2:2401:2"] })
        assert(ma.array_equal(wide["2:2401:2"], flat))
        assert.equal(0, wide["1:2401:2"]:sum():item())
        local odd = ma.zeros(1203, dtype)                        -- not at a multiple of 16 bytes
        rng = fresh()
        rng[name](rng, { out = odd["2:1201"] })
        assert(ma.array_equal(odd["2:1201"], flat))
        assert(odd(1) == 0 and odd(1202) == 0 and odd(1203) == 0)
      end
    end
    assert.same({ 0, 3 }, fresh():random({ 0, 3 }).shape)
    assert.same({}, fresh():random({ size = {} }).shape)
  end)

  it("stay below 1, and below high", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local x = ma.random.default_rng(3):random(N, dtype)
      assert(x:lt(1):all() and x:ge(0):all(), dtype)
    end
  end)

  it("take arrays as parameters", function()
    local rng = ma.random.default_rng(8)
    local x = rng:uniform(ma.array { 0, 10, 100 }, ma.array { 1, 20, 1000 }, { 2000, 3 })
    assert(x:lt(ma.array { 1, 20, 1000 }):all() and x:ge(ma.array { 0, 10, 100 }):all())
    x = rng:normal({ 0, 100 }, { 1, 0 }, { 1000, 2 }, "float32")
    assert.equal("float32", x.dtype)
    assert(ma.array_equal(x[":, 2"], ma.full(1000, 100, "float32")))
    assert.same({ 3 }, rng:poisson({ 1, 10, 100 }).shape)
    local y = rng:poisson({ 1, 100 }, { 4000, 2 }):mean(1)
    assert(abs(y(1) - 1) < 0.1 and abs(y(2) - 100) < 1)
    assert(ma.isnan(rng:gamma(ma.array { -1, 1 }))(1))
  end)
end)

describe("random integers", function()
  it("are Lemire's, drawn anew where they would be biased", function()
    local span, n = 3 * 2 ^ 30, 4001
    local _, p = values(ma.random.default_rng(21):integers(span, { size = n, dtype = "uint32" }))
    for i = 0, n - 1, 7 do
      local attempt, high, low = 0
      repeat
        high, low = mul(word(21, 0, i, attempt), span)
        attempt = attempt + 1
      until low >= 2 ^ 30
      assert.equal(high, p[i])
    end
  end)

  it("are in their range, each value as often as the others", function()
    local rng = ma.random.default_rng(22)
    for _, case in ipairs { { 0, 10, "int64" }, { -5, 5, "int8" }, { 250, 256, "uint8" },
      { -2 ^ 31, -2 ^ 31 + 7, "int32" }, { 0, 2, "bool" } } do
      local low, high, dtype = unpack(case)
      local x = rng:integers(low, high, N, dtype)
      assert.equal(dtype, x.dtype)
      local chi, expected, total = 0, N / (high - low), 0
      for v = low, high - 1 do
        local count = (dtype == "bool" and x:astype("int8") or x):eq(v):sum():item()
        chi, total = chi + (count - expected) ^ 2 / expected, total + count
      end
      assert.equal(N, total)
      local df = high - low - 1
      assert(chi < df + 5 * sqrt(2 * df) + 5, ("%s: %g"):format(dtype, chi))
    end
    local x = rng:integers(0, 3 * 2 ^ 61, N)
    for part = 0, 2 do
      local count = (x:ge(part * 2 ^ 61) * x:lt((part + 1) * 2 ^ 61)):sum():item()
      assert(abs(count - N / 3) < 5 * sqrt(N * 2 / 9), part)
    end
    assert(rng:integers(3, { endpoint = true, size = 1000 }):max():item() == 3)
    assert.equal(7, rng:integers(7, 8))
  end)

  it("take arrays as bounds", function()
    local rng = ma.random.default_rng(8)
    local low, high = ma.array({ { 0, -3, 2 ^ 40, 7 } }, "int64"), ma.array({ { 1 }, { 2 ^ 45 } }, "int64")
    local x = rng:integers(low, high, { 2, 4 })
    local t = x:totable()
    assert.same({ 0, 0, 0 }, { t[1][1], t[1][3], t[1][4] })        -- one value, and twice none
    assert(t[1][2] >= -3 and t[1][2] <= 0 and t[2][3] >= 2 ^ 40 and t[2][3] < 2 ^ 45)
    local n = 40000
    local spans = ma.repeat_(ma.array({ 1, 2, 3, 6 }, "int64"), n):reshape(4, n)
    local y = rng:integers(0, spans, { dtype = "int16" })
    assert.same({ "int16", 0, 1, 2, 5 }, { y.dtype, unpack(y:max(2):totable()) })
    local mean = y:mean(2):totable()
    for k, m in ipairs { 0, 0.5, 1, 2.5 } do assert(abs(mean[k] - m) < 0.05, mean[k]) end
    local z = rng:integers({ 5, 5 }, { 5, 6 }, { endpoint = true, size = { n, 2 }, dtype = "uint64" })
    assert.same({ 5, 6 }, z:max(1):totable())
    assert.same({ 5, 5 }, z:min(1):totable())
    assert.same({ 0, 0 }, ma.random.randint(ma.array({ 4, 3 }, "int64"), 3):totable())
    local whole = rng:integers(ma.array({ ma.iinfo("int64").min }, "int64"),
      ma.array({ ma.iinfo("int64").max }, "int64"), n, { endpoint = true })
    assert(abs(whole:lt(0):mean():item() - 0.5) < 0.02 and whole:astype("float64"):std():item() > 5e18)
    local out = ma.empty({ 2 }, "int32")
    assert(rng:integers({ 1, 2 }, { 2, 3 }, { out = out }) == out)
    assert.same({ 1, 2 }, out:totable())
    raises("wanted an integer dtype", rng.integers, rng, ma.array { 1.5 }, 4)
    raises("wanted an integer dtype", rng.integers, rng, { 1 }, { 4 }, { dtype = "float32" })
    raises("broadcast", rng.integers, rng, { 1, 2 }, { 3, 4, 5 })
  end)

  it("say which bounds are wrong", function()
    local rng = ma.random.default_rng(1)
    raises("low is 5 and high 5", rng.integers, rng, 5, 5)
    raises("does not fit uint8", rng.integers, rng, 0, 257, 3, "uint8")
    raises("does not fit uint8", rng.integers, rng, -1, 5, 3, "uint8")
    raises("does not fit int8", rng.integers, rng, -129, 5, 3, "int8")
    raises("does not fit int64", rng.integers, rng, 0, 2 ^ 64)
    raises("whole number", rng.integers, rng, 0.5, 4)
    raises("dtype float32", rng.integers, rng, 0, 4, 3, "float32")
    raises("dtype int64", rng.random, rng, 3, "int64")
    raises("scale is -1", rng.normal, rng, 0, -1, 3)
    raises("p is 2", rng.binomial, rng, 4, 2)
    raises("scle", rng.normal, rng, { scle = 3 })
    raises("wanted left <= mode <= right", rng.triangular, rng, 1, 0, 3)
    raises("size (3) for out of shape (4)", rng.random, rng, 3, { out = ma.zeros(4) })
    raises("read-only", rng.random, rng, { out = ma.broadcast_to(ma.zeros(1), 4) })
    raises("there is 'philox'", ma.random.default_rng, 1, { bit_generator = "xorshift" })
    raises("-3", ma.random.default_rng, -3)
    raises("seed is 2^64; wanted less", ma.random.default_rng, 2 ^ 64)
    raises("moonarray.random.integers: high is the number nan; wanted a whole number", rng.integers, rng, 0, 0 / 0)
    raises("low is a boolean (true)", rng.integers, rng, true, 5)
    raises("moonarray.random.uniform: low is 0 and high inf; wanted low <= high, a finite range", rng.uniform, rng, 0,
      math.huge)
    raises("low is 0 and high -1", rng.uniform, rng, 0, -1)
    raises("moonarray.random.normal: scale is the string 'x'; wanted a number", rng.normal, rng, 0, "x")
    raises("lam is 1e+300; wanted 0 to 9.2e18", rng.poisson, rng, 1e300)
    raises("n is 1.5; wanted a whole number", rng.binomial, rng, 1.5, 0.5)
    raises("n is 5 and p 1e-300; wanted counts below", rng.negative_binomial, rng, 5, 1e-300)
    raises("nbad is 6.5; wanted a whole number", rng.hypergeometric, rng, 5, 6.5, 4)
    raises("alpha[1] is -1; wanted 0 or more", rng.dirichlet, rng, { -1, 2 })
    raises("moonarray.random.random: a shape of too many elements", rng.random, rng, { 2 ^ 31, 2 ^ 31, 2 ^ 31 })
    raises("nothing to choose from", rng.choice, rng, {})
    for _, x in ipairs { rng:uniform({ 0, 0 }, { 1, -1 }), rng:normal(0, { 1, -1 }) } do
      assert.same({ false, true }, ma.isnan(x):totable())
    end
  end)
end)

describe("uniform numbers", function()
  -- Ranges of a few steps of the dtype, where rounding would give the upper bound.
  local RANGES = { { 1, 2 }, { -1, 1 }, { 0, 3 }, { 100, 100.5 }, { -3, -2 }, { -2, 0 }, { 0, 1e-6 } }
  local WIDE = { { 2 ^ 52, 2 ^ 52 + 1 }, { 2 ^ 24, 2 ^ 24 + 2 }, { -1e30, 1e30 }, { 1, 1 + 2 ^ -52 } }

  it("are below the upper bound, in every dtype, of numbers and of arrays", function()
    local n = 2 ^ 14
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      for k = 1, #RANGES + (dtype ~= "float16" and #WIDE or 0) do
        local low, high = unpack(RANGES[k] or WIDE[k - #RANGES])
        local rng, out = ma.random.default_rng(3), ma.empty({ 2, n }, dtype)["..., ::-1"]
        local limit = ma.array(high, "float64")
        for _, x in ipairs { rng:uniform(low, high, n, dtype), ma.random.uniform(low, high, { n }, { dtype = dtype,
          generator = rng }), rng:uniform(ma.array { low }, high, n, dtype), rng:uniform(low, { high }, n, dtype),
          rng:uniform(low, high, { out = out }) } do
          local most = x:astype("float64"):max():item()
          assert(x.dtype == dtype and x:astype("float64"):lt(limit):all(), ("%s below %.17g: %.17g"):format(dtype, high,
            most))
        end
      end
    end
    assert(ma.random.uniform(5, 5, 9):eq(5):all())
    local x = ma.random.default_rng(1):uniform({ 0, 2 }, { 1, 2 }, { 100, 2 })
    assert(x[":, 2"]:eq(2):all() and x[":, 1"]:lt(1):all())
    assert(ma.random.default_rng(1):triangular(0.1, 0.3, 0.3, 2 ^ 14):le(0.3):all())
  end)

  it("need a range that the dtype holds", function()
    local rng = ma.random.default_rng(1)
    raises("moonarray.random.uniform: low is 0 and high 70000; wanted a range that float16 holds", rng.uniform, rng, 0,
      70000, 3, "float16")
    raises("moonarray.random.uniform: low is -3e+38 and high 3e+38; wanted a range that float32 holds", rng.uniform,
      rng, -3e38, 3e38, 3, "float32")
    assert.same({ false, true }, ma.isnan(rng:uniform({ 0, 0 }, { 9, 70000 }, { dtype = "float16" })):totable())
  end)
end)

describe("probabilities in arrays", function()
  it("are checked on the CPU and not elsewhere, where that would wait", function()
    local rng = ma.random.default_rng(1)
    for message, call in pairs {
      ["moonarray.random.choice: 4 of 4 without replacement, of which 2 have a weight"] = { "choice", 4, 4,
        { replace = false, p = ma.array { 0.5, 0.5, 0, 0 } } },
      ["moonarray.random.choice: p adds up to 1.5; wanted 1"] = { "choice", 3, 2, true, ma.array { 1, 0.5, 0 } },
      ["moonarray.random.choice: p is 1.5 at element 1; wanted 0 to 1"] = { "choice", 2, 2, true,
        ma.array { 1.5, -0.5 } },
      ["moonarray.random.choice: p is nan at element 2"] = { "choice", 3, 2, true, ma.array { 0.5, ma.nan, 0.5 } },
      ["moonarray.random.binomial: p is 1.5 at element 2; wanted 0 to 1"] = { "binomial", 5, ma.array { 0.5, 1.5 } },
      ["moonarray.random.binomial: p is -0.5 at element 3"] = { "binomial", 5, ma.array { { 1, 1 }, { -0.5, 0 } } },
      ["moonarray.random.geometric: p is 0 at element 1; wanted above 0"] = { "geometric", ma.array { 0, 1 } },
      ["moonarray.random.negative_binomial: p is 0 at element 2"] = { "negative_binomial", 3, ma.array { 1, 0 } },
      ["moonarray.random.logseries: p is 1 at element 2; wanted 0 or more, below 1"] = { "logseries",
        ma.array { 0.5, 1 } },
      ["moonarray.random.multinomial: pvals add up to 1.6 before the last"] = { "multinomial", 5,
        ma.array { { 0.5, 0.2, 0.3 }, { 0.7, 0.9, 0 } } },
      ["moonarray.random.multinomial: pvals is 2 at element 2; wanted 0 to 1"] = { "multinomial", 5,
        ma.array { 0, 2 } },
    } do
      local function draw() return rng[call[1]](rng, unpack(call, 2)) end
      if helper.device == "cpu" then raises(message, draw) else draw() end
    end
    local single = ma.array({ 0.2, 0.3, 0.5001 }, "float32")             -- the sum of narrow numbers may be off by more
    assert.equal(2, ma.size(rng:choice(3, 2, true, single)))
    assert.equal(3, ma.size(ma.allow_synchronize(false, function()
      return rng:choice(4, 3, { replace = false, p = ma.array { 0.5, 0.25, 0, 0.25 } })
    end)))
    local p = ma.array { 0.5, 1 }
    local step = ma.cuda.graph(function() return rng:binomial(5, p) end)
    p:assign { 0, 1 }                                                    -- a launch sees no Lua, and checks nothing
    assert.same({ 0, 5 }, step():totable())
  end)
end)

describe("generators", function()
  it("are saved and restored", function()
    local rng = ma.random.default_rng(6)
    rng:random(10)
    local state = rng:get_state()
    local a = rng:normal(0, 1, 5)
    assert(ma.array_equal(a, ma.random.default_rng():set_state(state):normal(0, 1, 5)))
    rng:set_state(state)
    assert(ma.array_equal(a, rng:normal(0, 1, 5)))
    raises("get_state gave", rng.set_state, rng, {})
    ma.random.seed(12)
    state = ma.random.get_state()
    a = ma.random.rand(3, 2)
    assert.same({ 3, 2 }, a.shape)
    ma.random.set_state(state)
    assert(ma.array_equal(a, ma.random.rand(3, 2)))
    assert(ma.array_equal(a, ma.random.default_rng(12):random({ 3, 2 })))
    local before = ma.random.get_random_state()
    ma.random.set_random_state(ma.random.default_rng(12))
    assert(ma.array_equal(a, ma.random.rand(3, 2)) and ma.random.get_random_state() ~= before)
    ma.random.reset_states()
    assert(not ma.array_equal(a, ma.random.rand(3, 2)))
    ma.random.set_random_state(before)
    raises("moonarray.random.set_random_state: generator is the number 3", ma.random.set_random_state, 3)
  end)

  it("spawn others", function()
    local rng = ma.random.default_rng(6)
    local seen = { [rng:random()] = true }
    for _, child in ipairs(rng:spawn(5)) do
      local x = child:random()
      assert(not seen[x])
      seen[x] = true
    end
    assert(not seen[rng:spawn(1)[1]:random()])
    assert(ma.array_equal(ma.random.default_rng({ 1, 2 }):random(3), ma.random.default_rng({ 1, 2 }):random(3)))
    assert(not ma.array_equal(ma.random.default_rng({ 1, 2 }):random(3), ma.random.default_rng({ 2, 1 }):random(3)))
    assert.equal(rng, ma.random.default_rng(rng))
    assert(ma.random.default_rng():random() ~= ma.random.default_rng():random())
  end)

  it("have the older functions beside them", function()
    local old, new = ma.random.RandomState(3), ma.random.default_rng(3)
    assert(ma.array_equal(old:rand(2, 3), new:random { 2, 3 })
      and ma.array_equal(old:randn(4, "float32"), new:standard_normal(4, "float32")))
    assert(ma.array_equal(old:randint(2, 9, 5), new:integers(2, 9, 5))
      and ma.array_equal(old:random_sample(3), new:random(3)))
    raises("moonarray.random.randint: low is 3 and high 3", old.randint, old, 3, 3)
    ma.random.seed(1)
    assert.same({ 4 }, ma.random.randn(4, { dtype = "float32" }).shape)
    assert.equal("number", type(ma.random.rand()))
    assert.same({ 2, 3 }, ma.random.random_sample({ 2, 3 }).shape)
    assert(ma.random.randint(5, { size = 100 }):lt(5):all())
    assert.equal(3, ma.random.random_integers(3, { size = 1000 }):max():item())
    assert.same({ 7 }, ma.random.permutation(7).shape)
    local most = ma.random.RandomState(3):tomaxint({ 40, 50 })
    assert.same({ 40, 50 }, most.shape)
    assert.equal("int64", most.dtype)
    assert(ma.array_equal(most, ma.random.default_rng(3):integers(0, 2 ^ 63, { 40, 50 }))
      and ma.array_equal(most[1], ma.random.RandomState(3):tomaxint(50)))
    assert(most:ge(0):all() and most:gt(2 ^ 62):any() and (most % 2):eq(1):any())
    assert.same({}, ma.random.tomaxint({ size = {} }).shape)
    local rng = ma.random.default_rng(3)
    raises("write rng:normal(...)", rng.normal, 0, 1)
    raises("no attribute 'nomal'", function() return rng.nomal end)
    assert(ma.array_equal(ma.random.normal(0, 1, 4, { generator = ma.random.default_rng(3) }), rng:normal(0, 1, 4)))
  end)

  it("are cuRAND's where they are asked for", function()
    local ok, why = pcall(function() return ma.random.default_rng(1, { bit_generator = "xorwow" }):random(2) end)
    if not ok then pending("nothing of a GPU's toolkit: " .. tostring(why)) return end
    local list = { "xorwow", "mtgp32", "sobol32", "sobol64", "scrambled_sobol32", "scrambled_sobol64" }
    if helper.long then list[7], list[8] = "mrg32k3a", "mt19937" end     -- seconds a seed on the host
    for _, bits in ipairs(list) do
      local rng = ma.random.default_rng(5, { bit_generator = bits })
      local x = rng:random(10001, "float32")
      assert(distance(x, function(v) return v end) < 2.2 and x:lt(1):all(), bits)
      local state = rng:get_state()
      local y = rng:normal(3, 2, 10001)
      assert(abs(y:mean():item() - 3) < 0.1 and abs(y:std():item() - 2) < 0.1, bits)
      rng:set_state(state)
      assert(ma.array_equal(y, rng:normal(3, 2, 10001)), bits)
      assert(ma.array_equal(x, ma.random.default_rng(5, { bit_generator = bits }):random(10001, "float32")), bits)
      local k = rng:integers(-2, 3, { 100, 3 })
      assert(k:min():item() == -2 and k:max():item() == 2 and k.dtype == "int64", bits)
      raises("take 'philox'", rng.gamma, rng, 2)
      raises("cuRAND", function() return core.random_curand(0, 0, 0, ma.zeros(2, "float16"), "uniform", bits) end)
    end
  end)

  it("draw vectors of counts", function()
    local n, rng = 20000, ma.random.default_rng(4)
    local x = rng:multinomial(12, { { 0.2, 0.3, 0.5 }, { 1, 0, 0 } }, { n, 2 })
    assert.same({ n, 2, 3 }, x.shape)
    assert(ma.all(x:sum(-1):eq(12)) and ma.allclose(x:mean(1), ma.array { { 2.4, 3.6, 6 }, { 12, 0, 0 } },
      { atol = 0.1, rtol = 0 }))
    assert(ma.allclose(x:var(1), ma.array { { 1.92, 2.52, 3 }, { 0, 0, 0 } }, { atol = 0.15, rtol = 0 }))
    local y = rng:multinomial(ma.array({ 5, 50 }, "int64"), ma.array { 0.5, 0.5 })
    assert.same({ 0, 7 }, rng:multinomial(7, { ma.array(0), ma.array(1) }):totable())
    assert.same({ 5, 50 }, y:sum(2):totable())
    local z = rng:multivariate_hypergeometric({ 10, 20, 5, 0 }, 14, n)
    assert(z.shape[2] == 4 and ma.all(z:sum(2):eq(14)) and ma.all(z:max(1):le(ma.array { 10, 20, 5, 0 })))
    assert(ma.allclose(z:mean(1), ma.array { 4, 8, 2, 0 }, { atol = 0.1, rtol = 0 }))
    local factor = 14 * (35 - 14) / 34
    assert(ma.allclose(z:var(1), ma.array { 10 / 35 * 25 / 35, 20 / 35 * 15 / 35, 5 / 35 * 30 / 35, 0 } * factor,
      { atol = 0.15, rtol = 0 }))
    raises("wanted at most the sum of colors, 3", rng.multivariate_hypergeometric, rng, { 1, 2 }, 4)
    raises("moonarray.random.multinomial: pvals add up to 1.5", rng.multinomial, rng, 4, { 1, 0.5, 0 })
  end)

  it("draw vectors of a covariance", function()
    if not pcall(function() return ma.linalg.svd end) then pending "no ma.linalg.svd" return end
    local ok, why = pcall(function() return ma.linalg.cholesky(ma.eye(2)) end)
    if not ok then pending(tostring(why)) return end
    local cov = ma.array { { 4, 1 }, { 1, 2 } }
    for _, method in ipairs { "svd", "eigh", "cholesky" } do
      local x = ma.random.default_rng(1):multivariate_normal({ 1, -1 }, cov, N, { method = method })
      local centred = x - ma.array { 1, -1 }
      assert(ma.allclose(centred:transpose():matmul(centred) / N, cov, { atol = 40 / sqrt(N), rtol = 0 }), method)
      assert(ma.allclose(x:mean(1), ma.array { 1, -1 }, { atol = 10 / sqrt(N), rtol = 0 }), method)
    end
  end)

  it("draw anew at each launch of a graph, as a loop would", function()
    local function work(rng)
      local s = { x = ma.zeros({ 3, 5 }), y = ma.zeros(7, "float32") }
      function s.step()
        rng:random({ 3, 5 }, { out = s.x })
        s.y:assign(rng:normal({ 1, 2, 3, 4, 5, 6, 7 }, 0.5))
        return rng:integers(0, 100, 5, "int32"), rng:gamma(2.5, 3, 4), rng:poisson(20, 6),
          rng:choice(9, 5, true, ma.full(9, 1 / 9)),
          rng:integers(ma.array({ 0, -5 }, "int64"), ma.array({ 10, 5 }, "int64")), rng:permutation(5000),
          rng:multinomial(20, { 0.2, 0.3, 0.5 }),
          rng:beta(2, 3, 5):astype("float32")
      end
      return s
    end
    local a, b = ma.random.default_rng(77), ma.random.default_rng(77)
    local recorded, plain = work(a), work(b)
    local graph = ma.cuda.graph(recorded.step)
    plain.step()
    assert.same(b:get_state(), a:get_state())          -- recording takes no draw
    for round = 1, 4 do
      local found, wanted = { graph() }, { plain.step() }
      found[#found + 1], wanted[#wanted + 1] = recorded.x, plain.x
      found[#found + 1], wanted[#wanted + 1] = recorded.y, plain.y
      for k = 1, #wanted do assert(ma.array_equal(wanted[k], found[k]), round .. ": " .. k) end
      assert.same(b:get_state(), a:get_state())
      if round == 2 then                                -- draws between launches, and a state of before
        assert(ma.array_equal(a:random(3), b:random(3)))
        a:set_state(a:get_state())
      elseif round == 3 then
        a:set_state(ma.random.default_rng(5):get_state())
        b:set_state(a:get_state())
      end
    end
    local few = ma.cuda.graph(function() return a:permutation(5), a:random(2) end)
    local order = few()
    local seen = {}
    for _, v in ipairs(order:totable()) do seen[v] = true end
    assert.same({ true, true, true, true, true }, seen)
    a:set_state { bit_generator = "philox", low = 1, high = 0, draw = 2 ^ 32 - 1, children = 0 }
    raises("2^32 draws", function() few() end)
    few:free()
    graph:free()
  end)

  it("of the functions' own generator follow its seed into graphs", function()
    ma.random.seed(9)
    local graph = ma.cuda.graph(function() return ma.random.rand(4), ma.random.default_rng(1):random(2) end)
    ma.random.seed(10)
    local x, fixed = graph()
    local first = fixed:copy()
    ma.random.seed(10)
    assert(ma.array_equal(x, ma.random.rand(4)))
    local again = x:copy()
    graph()
    assert(not ma.array_equal(x, again) and not ma.array_equal(fixed, first))
    graph:free()
    local stream = ma.Stream { non_blocking = true }
    local y
    stream:with(function()
      stream:begin_capture()
      y = ma.random.randn(3)
    end)
    graph = stream:end_capture()
    ma.random.seed(3)
    graph:launch()
    ma.random.seed(3)
    assert(ma.array_equal(y, ma.random.randn(3)))
    graph:free()
    local ok = pcall(function() return ma.random.default_rng(1, { bit_generator = "xorwow" }):random(2) end)
    if ok then
      raises("cuRAND cannot be recorded", ma.cuda.graph,
        function() return ma.random.default_rng(1, { bit_generator = "xorwow" }):random(2) end)
    end
  end)
end)
