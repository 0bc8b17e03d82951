-- dtypes: promotion, weak scalars, which casts are allowed, and the values of every cast.

local helper = require "spec.helper"
local ma = helper.ma

local golden, sets = {}, {}
for _, r in ipairs(helper.golden("dtype")) do
  golden[r[1]] = golden[r[1]] or {}
  table.insert(golden[r[1]], r)
  if r[1] == "set" then sets[r[2]] = helper.unhex(r[3], helper.itemsize[r[2]]) end
end

describe("promotion", function()
  it("of two dtypes is NumPy's", function()
    local failures = helper.failures()
    for _, r in ipairs(golden.promote) do
      failures:run(r[2] .. ", " .. r[3], function()
        assert(ma.promote_types(r[2], r[3]) == r[4], "got " .. ma.promote_types(r[2], r[3]) .. "; wanted " .. r[4])
        local sum = ma.zeros({ 0 }, r[2]) + ma.zeros({ 0 }, r[3])
        assert(sum.dtype == r[4], "the sum is " .. sum.dtype .. "; wanted " .. r[4])
      end)
    end
    failures:check()
  end)

  it("beside a Lua number keeps the array's width", function()
    local scalars = { int = 1, float = 1.5, complex = ma.complex(0, 1) }
    local failures = helper.failures()
    for _, r in ipairs(golden.weak) do
      failures:run(r[2] .. " scalar, " .. r[3], function()
        local array = ma.zeros({ 0 }, r[3])
        assert((array + scalars[r[2]]).dtype == r[4], "array + scalar is " .. (array + scalars[r[2]]).dtype
          .. "; wanted " .. r[4])
        assert((scalars[r[2]] * array).dtype == r[4], "scalar * array is " .. (scalars[r[2]] * array).dtype
          .. "; wanted " .. r[4])
      end)
    end
    failures:check()
  end)

  it("of a result that is asked for by dtype = is NumPy's, or an error", function()
    local failures = helper.failures()
    for _, r in ipairs(golden.forced) do
      for k, wanted in ipairs(helper.dtypes) do
        local letter = r[4]:sub(k, k)
        failures:run(("%s(%s), dtype = %s"):format(r[2], r[3], wanted), function()
          local x, f = ma.ones({ 0 }, r[3]), ma[r[2]]
          local operands = { x, f.nin == 2 and x or { dtype = wanted }, f.nin == 2 and { dtype = wanted } or nil }
          if letter == "0" then helper.fails(f, unpack(operands)) return end
          for n, result in ipairs(letter == "1" and { f(unpack(operands)) } or {}) do
            assert(result.dtype == wanted, ("result %d is %s"):format(n, result.dtype))
          end
        end)
      end
    end
    failures:check()
  end)

  it("of every ufunc's operands is NumPy's", function()
    local letters = { ["?"] = "bool", b = "int8", h = "int16", i = "int32", l = "int64", B = "uint8", H = "uint16",
      I = "uint32",
      L = "uint64", e = "float16", f = "float32", d = "float64", F = "complex64", D = "complex128" }
    local failures = helper.failures(20)
    for _, r in ipairs(helper.golden("ufunc")) do
      if r[1] == "pairs" then
        local k = 0
        for _, a in ipairs(helper.dtypes) do
          for _, b in ipairs(helper.dtypes) do
            k = k + 1
            local letter = r[3]:sub(k, k)
            if letter == "-" then
              failures:run(("%s(%s, %s)"):format(r[2], a, b), helper.fails, ma[r[2]], ma.zeros({ 0 }, a),
                ma.zeros({ 0 }, b))
            elseif letter ~= "." then
              failures:run(("%s(%s, %s)"):format(r[2], a, b), function()
                local result = ma[r[2]](ma.zeros({ 0 }, a), ma.zeros({ 0 }, b))
                assert(result.dtype == letters[letter], "got " .. result.dtype .. "; wanted " .. letters[letter])
              end)
            end
          end
        end
      end
    end
    failures:check()
  end)

  it("of mixed operands computes in the common dtype", function()
    local a, b = ma.array({ 1, 2, 3 }, "int32"), ma.array({ 0.5, 0.25, 4 }, "float32")
    helper.identical(a + b, ma.array({ 1.5, 2.25, 7 }, "float64"), "int32 + float32")
    helper.identical(ma.array({ 200, 100 }, "uint8") + ma.array({ -100, 27 }, "int8"), ma.array({ 100, 127 }, "int16"),
      "uint8 + int8")
    helper.identical(a / 2, ma.array({ 0.5, 1, 1.5 }, "float64"), "int32 / 2")
    helper.identical(a * 2, ma.array({ 2, 4, 6 }, "int32"), "int32 * 2")
    helper.identical(b * 0.5, ma.array({ 0.25, 0.125, 2 }, "float32"), "float32 * 0.5")
    helper.identical(ma.array({ true, false }) + ma.array({ true, true }), ma.array({ true, true }), "bool + bool")
  end)

  it("refuses a number that an integer dtype cannot hold", function()
    local message = helper.fails(function() return ma.zeros({ 2 }, "uint8") + 300 end)
    assert(message:find("300", 1, true) and message:find("uint8", 1, true), message)
    helper.fails(function() return ma.zeros({ 2 }, "uint8") - -1 end)
    helper.fails(function() return ma.zeros({ 2 }, "int8") * 128 end)
    assert.matches("%-1 does not fit uint64", helper.fails(function() return ma.zeros({ 2 }, "uint64") + -1 end))
    -- a comparison still has an answer
    helper.identical(ma.array({ 1, 255 }, "uint8"):lt(300), ma.array({ true, true }), "uint8 < 300")
    helper.identical(ma.array({ 1, 255 }, "uint8"):gt(-1), ma.array({ true, true }), "uint8 > -1")
    helper.identical(ma.array({ 1, 255 }, "uint8"):eq(256), ma.array({ false, false }), "uint8 == 256")
    helper.identical(ma.array({ 1, 255 }, "uint8"):ne(-1), ma.array({ true, true }), "uint8 ~= -1")
  end)
end)

describe("casts", function()
  it("are safe or of the same kind as in NumPy", function()
    local failures = helper.failures()
    for _, r in ipairs(golden.can) do
      for k, to in ipairs(helper.dtypes) do
        local want = r[4]:sub(k, k) == "1"
        failures:run(("%s: %s to %s"):format(r[2], r[3], to), function()
          assert(ma.can_cast(r[3], to, r[2]) == want, "wanted " .. tostring(want))
        end)
      end
    end
    failures:check()
  end)

  it("have NumPy's values for every pair of dtypes", function()
    local failures = helper.failures()
    for _, r in ipairs(golden.cast) do
      local from, to = r[2], r[3]
      failures:run(from .. " to " .. to, function()
        local want, undefined = helper.unhex(r[4], helper.itemsize[to])
        local x = helper.array(sets[from], from)
        local y = x:astype(to)
        assert(y.dtype == to)
        helper.same(helper.bytes(y), want, to, 0, "astype", undefined)
        helper.same(helper.bytes(x["::-1"]:astype(to)), helper.bytes(ma.copy(y["::-1"])), to, 0, "reversed")
        local z = ma.zeros({ x.size, 2 }, to)
        z[":, 2"] = x
        helper.same(helper.bytes(z[":, 2"]), helper.bytes(y), to, 0, "assigned")
      end)
    end
    failures:check()
  end)

  it("of floats to integers truncate, saturate and take NaN to 0", function()
    local x = ma.array({ 1 / 0, -1 / 0, 0 / 0, 1e30, -1e30, 2.9, -2.9, 127.9, 128, -128.9, -129, 255.9, 256 })
    local limits = { int8 = { -128, 127 }, int16 = { -32768, 32767 }, int32 = { -2 ^ 31, 2 ^ 31 - 1 },
      uint8 = { 0, 255 },
      uint16 = { 0, 65535 }, uint32 = { 0, 2 ^ 32 - 1 } }
    for _, from in ipairs({ "float64", "float32" }) do
      for dtype, limit in pairs(limits) do
        local want = {}
        for k, v in ipairs(x:astype(from):totable()) do
          local whole = v ~= v and 0 or v < 0 and math.ceil(v) or math.floor(v)
          want[k] = math.max(limit[1], math.min(limit[2], whole))
        end
        helper.identical(x:astype(from):astype(dtype), ma.array(want, dtype), from .. " to " .. dtype)
      end
    end
    helper.same(helper.bytes(ma.array({ 1e30, -1e30, 0 / 0 }):astype("int64")),
      ("\255"):rep(7) .. "\127" .. ("\0"):rep(7) .. "\128" .. ("\0"):rep(8), "int64", 0, "to int64")
    helper.same(helper.bytes(ma.array({ 1e30, -1, 0 / 0 }):astype("uint64")), ("\255"):rep(8) .. ("\0"):rep(16),
      "uint64", 0, "to uint64")
  end)

  it("into out= must be of the same kind", function()
    local x, y = ma.ones({ 3 }, "float64"), ma.ones({ 3 }, "float32")
    ma.add(x, x, { out = y })
    helper.identical(y, ma.full({ 3 }, 2, "float32"), "float64 into float32")
    helper.fails(ma.add, x, x, { out = ma.zeros({ 3 }, "int32") })
    helper.fails(ma.add, ma.ones({ 3 }, "complex64"), y, { out = y })
    helper.fails(ma.add, x, x, { out = ma.zeros({ 4 }) })
    helper.fails(ma.add, x, x, { out = ma.zeros({ 1, 3 })["1"] and ma.zeros({ 2, 1 }) })
    helper.fails(ma.add, x, x, { dtype = "int32" })
    helper.fails(ma.add, x, x, { dtype = "float8" })
  end)
end)

describe("numerics", function()
  local function bytes(list, dtype) return helper.bytes(ma.array(list, dtype)) end

  it("of integers do not trap", function()
    for _, dtype in ipairs({ "int8", "int16", "int32", "int64" }) do
      local low = ma.left_shift(ma.ones({ 1 }, dtype), 8 * helper.itemsize[dtype] - 1)
      local minus = ma.full({ 1 }, -1, dtype)
      helper.identical(ma.floor_divide(low, minus), low, dtype .. " lowest // -1")
      helper.identical(ma.remainder(low, minus), ma.zeros({ 1 }, dtype), dtype .. " lowest % -1")
      helper.identical(-low, low, "-lowest")
      helper.identical(ma.abs(low), low, "abs(lowest)")
      local zero = ma.zeros({ 1 }, dtype)
      helper.identical(ma.floor_divide(low, zero), zero, "// 0")
      helper.identical(low % zero, zero, "% 0")
      helper.identical(ma.fmod(low, zero), zero, "fmod 0")
      helper.identical(ma.right_shift(low, 100), minus, ">> 100")
      helper.identical(ma.left_shift(minus, 100), zero, "<< 100")
    end
  end)

  it("refuse an integer to a negative power", function()
    local a = ma.array({ 1, 2, 3 }, "int64")
    helper.fails(function() return a ^ -1 end)
    helper.identical(ma.array({ 2 }, "int64") ^ 62, ma.left_shift(ma.array({ 1 }, "int64"), 62), "2^62")
  end)

  it("keep scalar exponents exact", function()
    local x = ma.array({ -3, 0.1, 7, 1e20, -0.0 }, "float32")
    helper.identical(x ^ 2, x * x, "^ 2")
    helper.identical(x ^ 1, x, "^ 1")
    helper.identical(ma.abs(x) ^ 0.5, ma.sqrt(ma.abs(x)), "^ 0.5")
    helper.identical(x ^ 0, ma.ones({ 5 }, "float32"), "^ 0")
    helper.identical(x ^ -1, ma.reciprocal(x), "^ -1")
  end)

  it("round half and bfloat16 after every operation", function()
    local x = helper.array(bytes({ 1, 2048, 2049 }, "float32"), "float32"):astype("float16")
    assert(helper.numbers(helper.bytes((x + 1) - x), "float16")[2] == 0)
    local b = ma.array({ 256 }, "bfloat16")
    assert(helper.numbers(helper.bytes((b + 1) - b), "bfloat16")[1] == 0)
  end)

  it("do not flush subnormal numbers", function()
    local tiny = ma.array({ 2 ^ -149, 2 ^ -140 }, "float32")
    helper.identical(tiny * 1, tiny, "float32 subnormals")
    assert(helper.numbers(helper.bytes(ma.array({ 2 ^ -126 }, "float32") * 0.5), "float32")[1] == 2 ^ -127)
  end)

  it("read any byte but 0 as true", function()
    local mask = helper.array("\2\0\255\1", "bool")
    helper.identical(mask:astype("int32"), ma.array({ 1, 0, 1, 1 }, "int32"), "to int32")
    helper.identical(mask + mask, ma.array({ true, false, true, true }), "+")
    assert(mask:sum():item() == 3)
  end)

  it("read any byte but 0 as true in every operation, alone and joined", function()
    local size = helper.thin and 1100 or 20011
    local all, some = {}, {}
    for k = 1, size do
      all[k] = string.char((k * 7 + math.floor(k / 256)) % 5 * 37 % 256)
      some[k] = string.char(math.floor(k / 5) % 3 * 101)
    end
    local x, y = helper.array(table.concat(all), "bool"), helper.array(table.concat(some), "bool")
    local p, q = ma.copy(x), ma.copy(y)
    assert.are.equal(0, select(2, helper.bytes(p):gsub("[^%z\1]", "")))
    local numbers = ma.arange(size)
    local calls = {
      And = function(a, b) return a:and_(b) end, Or = function(a, b) return a:or_(b) end,
      Not = function(a) return a:not_() end, xor = ma.logical_xor, bits = ma.bitwise_xor, unequal = ma.not_equal,
      equal = ma.equal, less = ma.less, most = ma.maximum, least = ma.minimum, product = ma.multiply,
      fmin = ma.fmin, where = function(a, b) return ma.where(a, b, a:not_()) end,
      numbers = function(a) return ma.where(a, numbers, -1) end,
      both = function(a, b) return ma.where(a, a, b) end,
      chain = function(a, b) return a:and_(b):or_(a:not_()) end,
      sum = function(a, b) return a:astype("int32") + a:and_(b) end,
      number = function(a) return ma.logical_or(a, 0), ma.logical_and(a, 1) end,
      views = function(a, b)
        return a[{ { 2, -1, 3 } }]:and_(b[{ { -1, 2, -3 } }]), a[{ { 3, 1002 } }]:reshape(25, 40):transpose():not_()
      end,
    }
    for name, call in pairs(calls) do
      local got, want = { call(x, y) }, { call(p, q) }
      for k = 1, #want do helper.identical(got[k], want[k], name) end
    end
  end)
end)
