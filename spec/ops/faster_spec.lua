--- Ways that only some operands take: their results are those of the plain way.
local ma = require "moonarray"
local helper = require "spec.helper"

local fails = helper.fails

local same = helper.same_numbers
local inf, nan = math.huge, 0 / 0

describe("exp and log", function()
  --- Within `ulp` units of the last place that the dtype has there, subnormal ones too.
  local function near(x, y, dtype, ulp)
    if x == y or x ~= x and y ~= y then return true end
    if math.abs(x) == inf or math.abs(y) == inf then return false end
    local least, digits = dtype == "float32" and 2 ^ -149 or 2 ^ -1074, dtype == "float32" and 2 ^ -23 or 2 ^ -52
    return math.abs(x - y) <= ulp * math.max(least, math.abs(y) * digits)
  end

  local VALUES = {
    exp = { -inf, inf, nan, -1e30, 1e30, -87.5, -100, -103, -104, -110, 88, 88.7, 88.8, 89, -708.5, -720, -745, -746,
      -1000, 709, 709.7, 709.8, 710, 0, -0.0, 1, -1, 86.9, -86.9, 707, -707 },
    log = { -inf, inf, nan, 0, -0.0, -1, -1e-320, 1e-45, 1e-40, 1.1e-38, 1.2e-38, 2 ^ -149, 2 ^ -127, 5e-324, 1e-310,
      2.2e-308, 2.3e-308, 1, 2, 0.5, 1e30, 1e300, 3.4e38 },
  }
  for name, values in pairs(VALUES) do
    it(name .. " gives each element what it gives it alone, and what is right", function()
      for _, dtype in ipairs { "float32", "float64" } do
        local given = ma.array(values, dtype):totable()
        local among = ma[name](ma.array(values, dtype)):totable()
        for k, x in ipairs(given) do
          local alone = ma[name](ma.full(33, x, dtype)):totable()
          local tame = {}
          for i = 1, 33 do tame[i] = i == 7 and x or 1.5 end
          local beside = ma[name](ma.array(tame, dtype)):totable()
          same({ alone[1], alone[33], beside[7] }, { among[k], among[k], among[k] }, name .. dtype .. x)
          local wanted = math[name](x)
          if dtype == "float32" then wanted = ma.array({ wanted }, "float64"):astype("float32"):totable()[1] end
          assert.is_true(near(among[k], wanted, dtype, 4), ("%s(%g) of %s: %.17g"):format(name, x, dtype, among[k]))
        end
      end
    end)
  end
end)

describe("exponential numbers", function()
  it("are the same one by one, in bulk and by a scale of each", function()
    local n = 700
    local bulk = ma.random.default_rng(5):standard_exponential(n):totable()
    same(ma.random.default_rng(5):exponential(1, n):totable(), bulk, "scale 1")
    local by_array = ma.random.default_rng(5):exponential(ma.full(n, 3)):totable()
    same(ma.random.default_rng(5):exponential(3, n):totable(), by_array, "scale 3")
    local few = ma.random.default_rng(5):exponential(1, 3):totable()
    same(few, { bulk[1], bulk[2], bulk[3] }, "few")
    local narrow = ma.random.default_rng(5):standard_exponential(n, "float32")
    same(ma.random.default_rng(5):exponential(1, n, "float32"):totable(), narrow:totable(), "float32, scale 1")
    same(ma.random.default_rng(5):exponential(ma.ones(n), { dtype = "float32" }):totable(), narrow:totable(), "of each")
    few = ma.random.default_rng(5):exponential(1, 3, "float32"):totable()
    same(few, narrow["1:3"]:totable(), "few of float32")
    assert(ma.allclose(narrow:astype("float64"), ma.array(bulk), 5e-7, 0))
    for k = 1, n do assert(bulk[k] >= 0 and bulk[k] < 40) end
  end)
end)

describe("arccosh", function()
  it("is NaN below 1, however far, which musl's is not", function()
    for _, dtype in ipairs { "float32", "float64" } do
      same(ma.arccosh(ma.array({ 1, 0.5, -1, -2, -26365, -1e30, -inf, nan }, dtype)):totable(),
        { 0, nan, nan, nan, nan, nan, nan, nan }, dtype)
    end
  end)
end)

describe("interp", function()
  local function plain(x, xp, fp, left, right)
    if x ~= x then return x end
    local n = #xp
    if x < xp[1] then return left or fp[1] end
    if x > xp[n] then return right or fp[n] end
    local k = n
    while xp[k] > x do k = k - 1 end
    if k == n then return fp[n] end
    local width = xp[k + 1] - xp[k]
    return (width > 0 and (fp[k + 1] - fp[k]) / width or 0) * (x - xp[k]) + fp[k]
  end
  jit.off(plain) -- a trace for ARM multiplies and adds with one rounding

  local xp, fp = {}, {}
  for k = 1, 50 do
    xp[k] = math.floor(k * 1.3) + (k % 7 == 0 and 0.5 or 0)
    fp[k] = math.sin(k * 3) * 10
  end
  local ORDERS = {
    rising = function(k, n) return -2 + 72 * k / n end,
    falling = function(k, n) return 70 - 72 * k / n end,
    waving = function(k, n) return 33 + 36 * math.sin(k * 9 / n) end,
    mixed = function(k) return (k * 7919) % 701 / 10 end,
    ["mixed, then rising"] = function(k, n) return k < n / 2 and (k * 7919) % 701 / 10 or 70 * k / n end,
    ["on the points"] = function(k) return xp[k % 50 + 1] end,
  }
  for name, order in pairs(ORDERS) do
    it("of values that are " .. name, function()
      for _, n in ipairs { 1, 40, 255, 256, 257, 900, 2500 } do
        local x = {}
        for k = 1, n do x[k] = order(k, n) end
        if n > 5 then x[4], x[5], x[6] = nan, inf, -inf end
        for _, ends in ipairs { {}, { left = -7 }, { right = 8 }, { left = 1, right = nan } } do
          local expected = {}
          for k = 1, n do expected[k] = plain(x[k], xp, fp, ends.left, ends.right) end
          same(ma.interp(ma.array(x), xp, fp, ends):totable(), expected, name .. n)
        end
      end
    end)
  end

  it("of one point, of equal points and over a period", function()
    same(ma.interp({ 0, 1, 2 }, { 1 }, { 5 }):totable(), { 5, 5, 5 }, "one point")
    same(ma.interp({ 0, 1, 2 }, { 1 }, { 5 }, -1, 9):totable(), { -1, 5, 9 }, "one point, ends")
    same(ma.interp({ 1, 1.5 }, { 1, 1, 2 }, { 3, 4, 6 }):totable(), { 4, 5 }, "equal points")
    same(ma.interp({ -180, 0, 315, 405 }, { 0, 90, 180, 270 }, { 0, 90, 180, 270 }, { period = 360 }):totable(),
      { 180, 0, 135, 45 }, "period")
  end)
end)

describe("joined arrays", function()
  --- The same by assignment to each part.
  local function by_parts(parts, axis, shape)
    local result, start = ma.zeros(shape, parts[1].dtype), 0
    for _, part in ipairs(parts) do
      local n = part.shape[axis]
      if n > 0 then
        local index = {}
        for d = 1, #shape do index[d] = d == axis and { start + 1, start + n } or {} end
        result[index] = part
      end
      start = start + n
    end
    return result
  end

  it("lie beside each other along any axis, whatever their extents", function()
    for _, dtype in ipairs { "bool", "int16", "float32", "complex128" } do
      for axis = 1, 3 do
        for _, extents in ipairs { { 1, 2 }, { 3, 0, 5, 1 }, { 40, 1, 1, 30 }, { 8, 8, 8, 8 } } do
          local parts, shape = {}, { 3, 4, 5 }
          shape[axis] = 0
          for k, extent in ipairs(extents) do
            local own = { 3, 4, 5 }
            own[axis] = extent
            parts[k] = (ma.arange(60 / ({ 3, 4, 5 })[axis] * extent) % 97 + k):astype(dtype):reshape(own)
            shape[axis] = shape[axis] + extent
          end
          for k = 1, #parts do parts[k] = ma.eval(parts[k]) end
          assert.is_true(ma.array_equal(ma.concatenate(parts, axis), by_parts(parts, axis, shape)), dtype .. axis)
        end
      end
    end
  end)

  it("have a few elements in each of many rows", function()
    for _, dtype in ipairs { "int8", "float32", "complex128" } do
      for _, rows in ipairs { 7, 1003, 40001 } do
        for _, extents in ipairs { { 1, 1 }, { 1, 3, 2 }, { 2, 0, 1, 7, 1, 1, 4, 1, 1, 1 } } do
          local parts, width = {}, 0
          for k, extent in ipairs(extents) do
            parts[k] = ma.eval((ma.arange(rows * extent) % 101 + k):astype(dtype):reshape(rows, extent))
            width = width + extent
          end
          assert.is_true(ma.array_equal(ma.concatenate(parts, 2), by_parts(parts, 2, { rows, width })), dtype .. rows)
        end
      end
    end
    local many = {}
    for k = 1, 300 do many[k] = ma.eval(ma.arange(50) + k) end -- more parts than a launch takes
    assert.is_true(ma.array_equal(ma.stack(many, 2), ma.stack(many):transpose()))
  end)

  it("are many, long, pending, transposed, or of two dtypes", function()
    local parts, expected = {}, {}
    for k = 1, 300 do
      parts[k] = ma.full(k % 5, k, "float32")
      for _ = 1, k % 5 do expected[#expected + 1] = k end
    end
    same(ma.concatenate(parts):totable(), expected, "300 parts")
    local long = ma.eval(ma.arange(200003):astype("float32"))
    local both = ma.concatenate({ long["1:100000"], long["100001:200003"] })
    assert.is_true(ma.array_equal(both, long))
    assert.is_true(ma.array_equal(ma.concatenate({ long * 2, long + 1 })["200004:400006"], long + 1))
    local m = ma.eval(ma.arange(12):reshape(3, 4))
    assert.are.same({ { 0, 4, 8, 0, 4, 8 }, { 1, 5, 9, 1, 5, 9 }, { 2, 6, 10, 2, 6, 10 }, { 3, 7, 11, 3, 7, 11 } },
      ma.concatenate({ m:transpose(), m:transpose() }, 2):totable())
    assert.are.equal("float64", ma.concatenate({ m, m:astype("float64") }).dtype)
    for axis = 1, 3 do
      local s = ma.stack({ m, m + 100, m + 200 }, axis)
      for k = 1, 3 do
        local index = { {}, {}, {} }
        index[axis] = k
        assert.is_true(ma.array_equal(s[index], m + 100 * (k - 1)))
      end
    end
    local out = ma.zeros(6, "int64")
    out["1:3"] = ma.array({ 1, 2, 3 }, "int64")
    ma.concatenate({ out["4:6"], out["1:3"] }, 1, { out = out })
    ma.synchronize()
  end)
end)

describe("quotients of integers", function()
  it("of 8 and 16 bits by one number are those of wide integers, for every operand", function()
    for dtype, least in pairs { int8 = -128, uint8 = 0, int16 = -32768, uint16 = 0 } do
      local most = least + 2 ^ (dtype:find "8" and 8 or 16) - 1
      local x = ma.range(least, most)
      for _, y in ipairs { 1, 2, 3, 5, 7, 10, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535, -3, 0 } do
        if y <= most and y >= least then
          for _, name in ipairs { "floor_divide", "remainder" } do
            local found = ma[name](x:astype(dtype), y)
            assert.equal(dtype, found.dtype)
            local wide = ma[name](x, ma.full(x.size, y, "int64")):astype(dtype)
            assert.is_true(ma.array_equal(found, wide), ("%s of %s by %d"):format(name, dtype, y))
          end
        end
      end
    end
  end)

  it("of 32 bits are too, beside every multiple and at the ends", function()
    for dtype, ends in pairs { int32 = { -2 ^ 31, 2 ^ 31 - 1 }, uint32 = { 0, 2 ^ 32 - 1 } } do
      local least, most = ends[1], ends[2]
      for _, y in ipairs { 1, 2, 3, 5, 7, 10, 641, 65535, 65536, 65537, 1000003, 2 ^ 30, 2 ^ 31 - 1, 2 ^ 32 - 1 } do
        local times = ma.range(math.ceil(least / y), math.floor(most / y), math.max(1, math.floor(most / y / 300))) * y
        local x = ma.clip(ma.concatenate { times - 1, times, times + 1, ma.range(least, least + 40),
          ma.range(most - 40, most) }, least, most)
        if y <= most then
          for _, name in ipairs { "floor_divide", "remainder" } do
            local wide = ma[name](x, ma.full(x.size, y, "int64")):astype(dtype)
            assert.is_true(ma.array_equal(ma[name](x:astype(dtype), y), wide), name .. dtype .. y)
          end
        end
      end
    end
  end)
end)

describe("signs of 16-bit floats", function()
  --- Every value of the dtype, several times each where it is NaN.
  local function every(dtype)
    local bits = ma.arange(65536, { dtype = "int32" })
    local exponent = dtype == "float16" and 5 or 8
    local mantissa = 15 - exponent
    local e, m = ma.right_shift(bits % 32768, mantissa), bits % 2 ^ mantissa
    local size = ma.where(e:eq(0), m:astype("float64") * 2.0 ^ -mantissa * 2,
      1 + m:astype("float64") * 2.0 ^ -mantissa) * 2.0 ^ (e - (2 ^ (exponent - 1) - 1)):astype("float64")
    local special = ma.where(m:eq(0), inf, nan)
    size = ma.where(e:eq(2 ^ exponent - 1), special, size)
    return ma.where(bits:ge(32768), -size, size):astype(dtype)
  end

  for _, dtype in ipairs { "float16", "bfloat16" } do
    it("are those of float32: " .. dtype, function()
      local x = every(dtype)
      local wide, mask = x:astype("float32"), (ma.arange(65536) % 3):eq(0)
      local back, part, step = { { -1, 1, -1 } }, { { 31740, 31750 } }, { { 2, 65535, 3 } }
      for name, pair in pairs {
        abs = { ma.abs(x), ma.abs(wide) }, negative = { -x, -wide }, both = { ma.abs(-x), ma.abs(wide) },
        twice = { -(-x), wide }, conj = { ma.conj(x), wide }, reversed = { -x[back], -wide[back] },
        where = { ma.where(mask, x, -x), ma.where(mask, wide, -wide) },
        number = { ma.where(mask, -x, 2.5), ma.where(mask, -wide, 2.5) },
        matrix = { -x:reshape(256, 256):transpose(), -wide:reshape(256, 256):transpose() },
        some = { -x[step], -wide[step] }, few = { -x[part], -wide[part] }
      } do
        assert.are.equal(dtype, pair[1].dtype)
        assert.is_true(ma.array_equal(pair[1]:astype("float32"), pair[2], { equal_nan = true }), name)
        -- on a GPU the sign of NaN may differ
        local some = helper.device == "cpu" and ma.ones_like(pair[2], "bool") or ma.isnan(pair[2]):not_()
        assert.is_true(ma.array_equal(ma.signbit(pair[1])[some], ma.signbit(pair[2])[some]), name)
      end
      local third = ma.full(40000, 1, dtype) / 3
      assert.is_true(ma.array_equal((third * 3):astype("float32"), (third * 3):eval():astype("float32")))
    end)
  end
end)

describe("copies by few bytes", function()
  it("move every byte, at every distance", function()
    local a = ma.arange(9000) % 251
    for _, dtype in ipairs { "uint8", "int16", "float32", "complex128" } do
      local x = a:astype(dtype)
      for _, shift in ipairs { 1, 2, 3, 5, 8, 13, 16, 31, 63, 64, 65, 4096, -1, -7 } do
        local wanted = a:take(ma.index((ma.arange(9000) - shift) % 9000 + 1)):astype(dtype)
        assert.is_true(ma.array_equal(ma.roll(x, shift), wanted), dtype .. shift)
        local rows = ma.roll(x:reshape(3, 3000), shift, 2)
        assert.is_true(ma.array_equal(rows[2], ma.roll(x[{ { 3001, 6000 } }], shift)), dtype .. shift)
      end
    end
  end)
end)

describe("long sequences", function()
  it("have the elements of a sum and a product, exactly", function()
    local n = 20011
    local i = ma.arange(16384):reshape(-1, 1)[{ { 1, 2 } }] * 10006 + ma.arange(10006)       -- by an operation
    i = i:reshape(-1)[{ { 1, n } }]
    assert.is_true(ma.array_equal(ma.arange(n), i))
    assert.is_true(ma.array_equal(ma.arange(5, 5 - 3 * n, -3, "int32"), (i * -3 + 5):astype("int32")))
    local x = i:astype("float64")
    assert.is_true(ma.array_equal(ma.arange(0.1, 0.1 + n * 0.3, 0.3)[{ { 1, n } }], x * 0.3 + 0.1))
    local spaced, step = ma.linspace(0.7, 9, n, { retstep = true, endpoint = false })
    assert.is_true(ma.array_equal(spaced, x * step + 0.7))
    assert.is_true(ma.array_equal(ma.linspace(0.7, 9, n, { endpoint = false, dtype = "float32" }),
      (x * step + 0.7):astype("float32")))
  end)
end)

describe("small systems of two dtypes", function()
  it("are those of the wider one", function()
    local a, b = ma.random.random({ 50, 4, 4 }, "float64") + ma.eye(4) * 4, ma.random.random({ 50, 4, 2 }, "float32")
    local wide = ma.linalg.solve(a, b:astype("float64"))
    assert.is_true(ma.array_equal(ma.linalg.solve(a, b), wide))
    assert.is_true(ma.allclose(ma.linalg.solve(a:astype("float32"), b:astype("float64")), wide, 1e-5))
    assert.is_true(ma.allclose(ma.matmul(a, ma.linalg.solve(a, b[{ {}, {}, 1 }]:reshape(50, 4, 1))),
      b[{ {}, {}, 1 }]:reshape(50, 4, 1)))
    local whole = ma.floor(a * 10):astype("int32")
    assert.is_true(ma.array_equal(ma.linalg.solve(whole, b), ma.linalg.solve(whole:astype("float64"),
      b:astype("float64"))))
  end)
end)

describe("draws of many elements", function()
  --- A distribution's parameters; each begins with another word, a normal number, or a rejection.
  local DRAWS = {
    standard_gamma = { { 2.5 }, { 0.5 }, { 1 }, { 1.001 } }, gamma = { { 0.3, 2 }, { 1, 2 }, { 7, 0.5 } },
    beta = { { 2, 3 }, { 0.2, 0.3 }, { 2, 0.5 }, { 1, 3 } }, chisquare = { { 3 }, { 9 }, { 2 }, { 1 } },
    noncentral_chisquare = { { 5, 1 }, { 0.5, 1 }, { 3, 1 }, { 2, 1 }, { 5, 0 }, { 1, 2 } },
    f = { { 9, 4 }, { 3, 4 }, { 2, 1 } }, standard_t = { { 4 }, { 2 }, { 1 } },
    laplace = { { 1, 2 } }, logistic = { { 1, 2 } }, lognormal = { { 0, 1 } }, gumbel = { { 0, 1 } },
    weibull = { { 2 }, { 0 } }, pareto = { { 2 } }, power = { { 2 } }, rayleigh = { { 2 } }, wald = { { 1, 2 } },
    triangular = { { 0, 1, 2 } }, vonmises = { { 0, 1 }, { 0, 1e7 } }, zipf = { { 2.5 } },
    poisson = { { 3 }, { 50 }, { 9.9 }, { 0.001 }, { 0 } },
    binomial = { { 10, 0.3 }, { 100, 0.8 }, { 10, 0.9 }, { 1, 0.5 }, { 1e6, 2e-6 }, { 9, 1 } },
    negative_binomial = { { 5, 0.5 } }, geometric = { { 0.3 } },
    hypergeometric = { { 20, 30, 10 } }, logseries = { { 0.5 } },
  }
  it("are those of few, and of a parameter for each", function()
    local n = 330
    for name, list in pairs(DRAWS) do
      for _, p in ipairs(list) do
        local function draw(given, count)
          given = { unpack(given) }
          given[#given + 1] = count
          return ma.random.default_rng(11)[name](ma.random.default_rng(11), unpack(given)):totable()
        end
        local many, each = draw(p, n), {}
        for k = 1, #p do each[k] = ma.full(n, p[k], "float64") end
        same(draw(each), many, name .. " by arrays")
        for _, few in ipairs { 1, 7, 8, 64, 65 } do
          local part = {}
          for k = 1, few do part[k] = many[k] end
          same(draw(p, few), part, name .. few)
        end
      end
    end
  end)

  it("are those of one parameter where the next element has another", function()
    for name, list in pairs(DRAWS) do
      local arrays, alone, n, few = {}, {}, 200, #list
      for k, p in ipairs(list) do
        local given = { unpack(p) }
        given[#p + 1] = n
        alone[k] = ma.random.default_rng(3)[name](ma.random.default_rng(3), unpack(given)):totable()
        for j, value in ipairs(p) do
          arrays[j] = arrays[j] or ma.empty(n, "float64")
          if k <= n then arrays[j][{ { k, n, few } }] = value end
        end
      end
      arrays[#arrays + 1] = n
      local mixed, wanted = ma.random.default_rng(3)[name](ma.random.default_rng(3), unpack(arrays)):totable(), {}
      for i = 1, n do wanted[i] = alone[(i - 1) % few + 1][i] end
      same(mixed, wanted, name)
    end
  end)
end)

describe("nanmax and nanmin", function()
  it("have the bits of the tree, with NaN and with zeros of two signs", function()
    local rng = ma.random.default_rng(3)
    for _, dtype in ipairs { "float64", "float32" } do
      for _, n in ipairs { 1, 7, 8, 31, 100, 127, 128, 200, 1023, 1024, 1025, 5000 } do
        local x = (rng:random(n) * 20 - 10):astype(dtype):copy()
        local zeros = ma.copysign(ma.zeros(n, dtype), x)
        local holes = ma.where(x:gt(5), nan, x)
        for k, a in ipairs { x, -ma.abs(x), ma.abs(x), zeros, holes, ma.minimum(x, zeros), ma.maximum(x, zeros),
          ma.full(n, nan, dtype), ma.where(x:gt(0), nan, zeros) } do
          a = a:copy()
          for _, name in ipairs { "nanmax", "nanmin" } do
            local by_columns = ma[name](ma.stack({ a, a, a }, 2):copy(), 1)[{ { 2, 2 } }]
            assert.equal(by_columns:tobytes(), ma[name](a):reshape(1):tobytes(), name .. dtype .. n .. " " .. k)
          end
        end
      end
    end
  end)
end)

describe("repeats of each element", function()
  it("are those of positions, whatever the operand's strides", function()
    local wide = ma.arange(600) % 251
    for _, dtype in ipairs { "bool", "uint8", "float16", "int32", "float64", "complex128" } do
      local a = wide:astype(dtype)
      for _, x in ipairs { a, a[{ { 1, 600, 3 } }], a[{ { -1, 1, -1 } }], a[{ { 2, 2 } }] } do
        for _, times in ipairs { 2, 3, 4, 5, 15, 16, 17 } do
          local places = ma.floor_divide(ma.arange(x.size * times), times) + 1
          local wanted = x:copy():take(places)
          assert.is_true(ma.array_equal(ma.repeat_(x, times), wanted), dtype .. times)
        end
      end
      local rows = a:reshape(20, 30)
      assert.is_true(ma.array_equal(ma.repeat_(rows, 3, 2)[7], ma.repeat_(rows[7], 3)))
      assert.is_true(ma.array_equal(ma.repeat_(rows.T, 3, 2)[7], ma.repeat_(rows[":, 7"], 3)))
    end
  end)

  it("by an array of counts are those by a table", function()
    local x = ma.arange(7)
    for _, dtype in ipairs { "uint8", "int32", "int64" } do
      for _, counts in ipairs { { 0, 2, 0, 1, 5, 0, 0 }, { 3, 0, 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, 0, 0 } } do
        local by = ma.array(counts, dtype)
        assert.is_true(ma.array_equal(ma.repeat_(x, by), ma.repeat_(x, counts)))
        local m = ma.arange(14):reshape(2, 7)
        assert.is_true(ma.array_equal(ma.repeat_(m, by, 2), ma.repeat_(m, counts, 2)))
      end
    end
    assert.matches("a count is %-1", fails(ma.repeat_, x, ma.array({ 1, 1, 1, 1, 1, 1, -1 }, "int64")))
    assert.matches("2 counts for 7 elements", fails(ma.repeat_, x, ma.array({ 1, 1 }, "int64")))
  end)
end)

describe("convolution with few taps", function()
  it("adds the products that there are in the taps' order", function()
    for _, dtype in ipairs { "float64", "int64", "int32" } do
      for _, n in ipairs { 3, 8, 40, 1021, 1023, 1025, 2049 } do
        local x, taps = {}, { 3, inf, -2 }
        if dtype ~= "float64" then taps[2] = 5 end
        for k = 1, n do x[k] = k * k % 11 - 4 end
        for mode, first in pairs { full = 1, same = 2, valid = 3 } do
          local expected = {}
          for k = first, n + 3 - first do
            local sum = 0
            for j = 3, 1, -1 do
              if x[k - j + 1] then sum = sum + taps[j] * x[k - j + 1] end
            end
            expected[#expected + 1] = sum
          end
          same(ma.convolve(ma.array(x, dtype), ma.array(taps, dtype), mode):totable(), expected, dtype .. n .. mode)
          local wide = ma.zeros({ n, 2 }, { dtype = dtype })
          wide[{ {}, 1 }] = x
          same(ma.convolve(wide[{ {}, 1 }], ma.array(taps, dtype), mode):totable(), expected, dtype .. n .. mode)
        end
      end
    end
  end)

  it("takes no taps beside a row that meet none of its elements", function()
    local correlate = require("moonarray.core").signal_correlate
    local x, taps = ma.ones(8, { dtype = "float64", device = "cpu" }), ma.ones(3, { dtype = "float64", device = "cpu" })
    same(correlate(x, taps, 2, 10):totable(), { 1, 2, 3, 3, 3, 3, 3, 3, 2, 1 }, "all sums")
    for _, wrong in ipairs { { 3, 4 }, { -1, 4 }, { 0, 9 }, { 2, 11 }, { 0, 0 } } do
      assert.matches("each meets an element", fails(correlate, x, taps, wrong[1], wrong[2]))
    end
  end)
end)

describe("copies of transposed views", function()
  it("have the elements of every tile in their places", function()
    for _, dtype in ipairs { "float64", "float32", "int16", "complex128", "uint8" } do
      for _, shape in ipairs { { 37, 53 }, { 64, 64 }, { 3, 130 } } do
        local m, n = shape[1], shape[2]
        local a = (ma.arange(m * n) % 251):reshape(m, n):astype(dtype)
        local rows = a:astype("float64"):totable()
        local function holds(view, place, name)
          local found = (name:find "sum" and view + a.T or view:copy()):astype("float64"):totable()
          for i = 1, n do
            for j = 1, m do
              local wanted = place(i, j)
              if name:find "sum" then wanted = (wanted + rows[j][i]) % (dtype == "uint8" and 256 or 2 ^ 20) end
              if found[i][j] ~= wanted then error(("%s of %s at %d, %d"):format(name, dtype, i, j)) end
            end
          end
        end
        for _, name in ipairs { "copy", "sum" } do
          holds(a.T, function(i, j) return rows[j][i] end, "transposed " .. name)
          holds(ma.rot90(a), function(i, j) return rows[j][n + 1 - i] end, "turned " .. name)
          holds(ma.flip(a.T), function(i, j) return rows[m + 1 - j][n + 1 - i] end, "flipped " .. name)
        end
      end
    end
  end)
end)

describe("a number among the operands", function()
  local on_cpu = helper.device == "cpu" -- a GPU compiles a kernel for each way and dtype
  local dtypes = on_cpu and { "float16", "float32", "float64" } or { "float32" }
  local ways = {
    function(x, a) return x + a end, function(x, a) return a + x end, function(x, a) return x - a end,
    function(x, a) return a - x end, function(x, a) return x * a end, function(x, a) return a * x end,
    function(x, a) return x / a end, function(x, a) return a / x end,
    function(x, a) return a * x * x + a - a / (x - a) end,
    function(x, a) return ma.where(ma.greater(x, a), a, x * a) + a end,
  }
  it("gives what an array of it gives", function()
    for _, dtype in ipairs(dtypes) do
      for _, n in ipairs { 1, 15, 17, 100, 1023, 1040, 40000 } do
        local x = (ma.random.standard_normal(n) * 3):astype(dtype):eval()
        local all = ma.full(n, -2.75, dtype):eval()
        for k, way in ipairs(ways) do
          assert.is_true(ma.array_equal(ma.eval(way(x, -2.75)), ma.eval(way(x, all))), ("%s %d %d"):format(dtype, n, k))
        end
      end
    end
  end)

  it("gives what an array of it gives where each row has one", function()
    for _, dtype in ipairs(dtypes) do
      for _, shape in ipairs { { 5, 17 }, { 7, 300 }, { 3, 2000 }, { 33, 1040 } } do
        local x = (ma.random.standard_normal(shape) * 3):astype(dtype):eval()
        local column = (ma.random.standard_normal { shape[1], 1 } * 3):astype(dtype):eval()
        local all = ma.broadcast_to(column, shape):copy():eval()
        for k, way in ipairs(ways) do
          local why = ("%s %d x %d, %d"):format(dtype, shape[1], shape[2], k)
          assert.is_true(ma.array_equal(ma.eval(way(x, column)), ma.eval(way(x, all))), why)
        end
        for _, two in ipairs { function(a, b) return (x - a) / b end, function(a, b) return a * b * x - a end } do
          assert.is_true(ma.array_equal(ma.eval(two(column, column["::-1"])), ma.eval(two(all, all["::-1"]))))
        end
      end
    end
  end)
end)

describe("the terms of log-sum-exp", function()
  it("are 0 for what equals the greatest and what is far below it", function()
    local beside = require("moonarray.core").operation "beside"
    for _, dtype in ipairs { "float32", "float64" } do
      local least = dtype == "float32" and -104 or -746
      local below = { 0, -1e-3, -1, -20, -80, least + 2, least - 1, -1e30, -inf, nan }
      for _, top in ipairs { 0, 1.5, -300, 4096 } do
        local n = 8 * #below
        local x = ma.array(below, dtype):repeat_(8) + top
        local given, got = x:totable(), beside(nil, nil, nil, x, ma.full(n, top, dtype)):totable()
        for k = 1, n do
          local d = given[k] - top
          local wanted = (d == 0 or d < least) and 0 or math.exp(d)
          local near = wanted == 0 and got[k] == 0 or math.abs(got[k] - wanted) <= 1e-6 * wanted + 2 ^ -149
          assert.is_true(near or (d ~= d and got[k] ~= got[k]), ("%s %g: %g"):format(dtype, d, got[k]))
        end
      end
      assert.is_true(beside(nil, nil, nil, ma.full(20, -inf, dtype), ma.full(20, -inf, dtype)):sum():item() == 0)
    end
  end)
end)
