-- What stands in a file of its own of lua/moonarray/functions against NumPy: windows, positions, bits, statistics,
-- convolution. Then what NumPy cannot say: devices, errors, and that nothing waits which need not.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma = helper.ma

describe("names of NumPy", function()
  for _, section in ipairs { "window", "indices", "join", "bits", "statistics", "convolve" } do
    it(section .. " agrees with NumPy", function() run(section, "names") end)
  end
end)

--- The results of a text of code as one text, arrays by their elements alone.
local function shown(code)
  local results = { setfenv(assert(loadstring("return " .. code)), setmetatable({ ma = ma }, { __index = _G }))() }
  for k = 1, #results do
    local text = type(results[k]) == "userdata" and ma.array_str(results[k]) or tostring(results[k])
    results[k] = text:gsub("%s+", " ")
  end
  return table.concat(results, " ")
end

describe("the example of a function", function()
  it("gives what it says", function()
    local failures, count = helper.failures(), 0
    for name, entry in pairs(helper.core.functions) do
      local code, wanted = entry.doc:match("Example: (.-) %-%-> (.-)$")
      if code then
        count = count + 1
        failures:run(name, function() assert.equal(wanted, shown(code)) end)
      end
    end
    failures:check()
    assert(count >= 20, count .. " examples")
  end)
end)

describe("windows", function()
  it("are made on the device that is asked for, of float64 whatever the default is", function()
    local before = ma.get_default_dtype()
    ma.set_default_dtype("float32")
    local function kaiser(m, options) return ma.kaiser(m, 3, options) end
    for _, make in ipairs { ma.bartlett, ma.blackman, ma.hamming, ma.hanning, kaiser } do
      for _, m in ipairs { 0, 1, 4 } do
        local w = make(m, { device = "cpu" })
        assert.same({ "cpu", "float64" }, { w.device, w.dtype })
      end
      assert.equal(helper.device, make(4).device)
    end
    ma.set_default_dtype(before)
  end)

  it("take finite numbers alone", function()
    assert.matches("moonarray.hanning: M is inf; wanted a finite number", helper.fails(ma.hanning, math.huge))
    assert.matches("moonarray.bartlett: M is the string 'x'", helper.fails(ma.bartlett, "x"))
    assert.matches("moonarray.kaiser: beta is", helper.fails(ma.kaiser, 3, {}))
  end)
end)

describe("positions", function()
  it("are of int64, on the device that is asked for", function()
    for _, list in ipairs { { ma.tril_indices(3, { device = "cpu" }) }, { ma.triu_indices(3, 1, { device = "cpu" }) },
      { ma.diag_indices(3, { device = "cpu" }) }, { ma.triu_indices_from(ma.eye(3, { device = "cpu" })) } } do
      for _, a in ipairs(list) do assert.same({ "cpu", "int64" }, { a.device, a.dtype }) end
    end
    assert.equal(helper.device, (ma.tril_indices(3)).device)
  end)

  it("say what is wrong", function()
    assert.matches("moonarray.tril_indices: n is %-1; wanted a whole number from 0 "
      .. "on", helper.fails(ma.tril_indices, -1))
    assert.matches("moonarray.triu_indices_from: an array of 1 axes; 2", helper.fails(ma.triu_indices_from, { 1, 2 }))
    assert.matches("moonarray.diag_indices: ndim is 17; an array has at most 16 "
      .. "axes", helper.fails(ma.diag_indices, 2, 17))
    assert.matches("moonarray.diag_indices_from: extents 2 and 3; one "
      .. "extent", helper.fails(ma.diag_indices_from, ma.zeros { 2, 3 }))
    assert.matches("moonarray.mask_indices: mask_func is the number 3", helper.fails(ma.mask_indices, 2, 3))
    assert.matches("moonarray.ix_: argument 2 has 2 axes; wanted one", helper.fails(ma.ix_, { 1 }, { { 1 } }))
    assert.matches("moonarray.ix_: argument 1 is the number 3", helper.fails(ma.ix_, 3))
    assert.matches("moonarray.r_: the text 'x'; wanted a range", helper.fails(ma.r_, "x"))
    assert.matches("moonarray.r_: nothing to join", helper.fails(ma.r_))
    assert.matches("moonarray.c_: argument 1 is a function", helper.fails(ma.c_, print))
    assert.matches("moonarray.r_: trans1d is 3 for an array of 1 axes among 2; 1 to "
      .. "2", helper.fails(ma.r_, { 1 }, { ndmin = 2, trans1d = 3 }))
  end)
end)

describe("bits", function()
  it("say what is wrong", function()
    assert.matches("moonarray.packbits: dtype float64; bool or integers", helper.fails(ma.packbits, { 1, 0 }))
    assert.matches("moonarray.packbits: the string 'odd' for bitorder; 'big' or "
      .. "'little'", helper.fails(ma.packbits, ma.ones(3, "bool"), nil, "odd"))
    assert.matches("moonarray.unpackbits: dtype bool; uint8", helper.fails(ma.unpackbits, ma.ones(3, "bool")))
    assert.matches("moonarray.unpackbits: count is %-9 of 8 bits; at least "
      .. "%-8", helper.fails(ma.unpackbits, ma.uint8 { 1 }, { count = -9 }))
    assert.matches("moonarray.binary_repr: width is 2; the number takes 3 digits", helper.fails(ma.binary_repr, 5, 2))
    assert.matches("moonarray.binary_repr: width is 2; the number takes 3 "
      .. "digits", helper.fails(ma.binary_repr, -3, 2))
    assert.matches("moonarray.binary_repr: number is 1.5; wanted a whole number", helper.fails(ma.binary_repr, 1.5))
    assert.matches("beyond 2%^53 write an integer of 64 bits", helper.fails(ma.binary_repr, 2 ^ 60))
    assert.matches("moonarray.base_repr: base is 37; 2 to 36", helper.fails(ma.base_repr, 5, 37))
  end)

  it("come back as they went in", function()
    local bits = (ma.arange(1000) * 7 % 3):eq(0)
    for _, bitorder in ipairs { "big", "little" } do
      local back = ma.unpackbits(ma.packbits(bits, { bitorder = bitorder }), { count = 1000, bitorder = bitorder })
      assert(ma.array_equal(back, bits))
    end
  end)
end)

describe("covariance", function()
  it("refuses weights that are none", function()
    local x = ma.arange(6, "float64"):reshape(2, 3)
    assert.matches("moonarray.cov: fweights that are no whole "
      .. "numbers", helper.fails(ma.cov, x, { fweights = { 1, 0.5, 1 } }))
    assert.matches("moonarray.cov: fweights below 0", helper.fails(ma.cov, x, { fweights = { 1, -1, 1 } }))
    assert.matches("moonarray.cov: aweights below 0", helper.fails(ma.cov, x, { aweights = { 1, -1, 1 } }))
    assert.matches("moonarray.cov: weights that add up to 0", helper.fails(ma.cov, x, { aweights = { 0, 0, 0 } }))
    assert.matches("moonarray.cov: 2 weights in aweights for 3 "
      .. "observations", helper.fails(ma.cov, x, { aweights = { 1, 1 } }))
    assert.matches("moonarray.corrcoef: an array of 3 axes; at most "
      .. "2", helper.fails(ma.corrcoef, ma.zeros { 1, 2, 3 }))
    assert.matches("moonarray.cov: 3 and 2 observations", helper.fails(ma.cov, x, { { 1, 2 } }))
  end)
end)

describe("convolution", function()
  --- By the definition, of numbers.
  local function plain(a, v)
    local sums = {}
    for k = 1, #a + #v - 1 do
      sums[k] = 0
      for j = math.max(1, k - #a + 1), math.min(#v, k) do sums[k] = sums[k] + a[k - j + 1] * v[j] end
    end
    return sums
  end

  local function draw(n, salt)
    local random, list = helper.random(salt), {}
    for k = 1, n do list[k] = random() - 0.5 end
    return list
  end

  it("of long floats is near the sums, within what its documentation says", function()
    local a, v = draw(2500, 1), draw(1100, 2)
    local sums = plain(a, v)
    local norms = 0
    for _, list in ipairs { a, v } do
      local square = 0
      for k = 1, #list do square = square + list[k] ^ 2 end
      norms = (norms == 0 and 1 or norms) * math.sqrt(square)
    end
    local found = ma.convolve(a, v):totable()
    assert.equal(#sums, #found)
    local bound = norms * 2 ^ -52 * math.log(3599) / math.log(2)
    for k = 1, #sums do assert(math.abs(found[k] - sums[k]) <= bound, k) end
    local half = ma.convolve(ma.array(a, "float32"), ma.array(v, "float32"), "same")
    assert.equal("float32", half.dtype)
    local wide = ma.convolve(ma.float64(ma.array(a, "float32")), ma.float64(ma.array(v, "float32")), "same")
    assert(ma.allclose(half, wide, 1e-6, 1e-6))
    local complex = ma.convolve(ma.array(a) * ma.complex(0, 1), v)
    assert(ma.allclose(ma.imag(complex), found) and ma.allclose(ma.real(complex), 0))
  end)

  it("of long floats confines what is not finite to the sums that it is in", function()
    local a, v = ma.array(draw(2500, 1)), ma.array(draw(1100, 2))
    local clean = ma.convolve(a, v, "full")
    a[2000] = ma.nan
    local found = ma.convolve(a, v, "full")
    local spoilt = ma.isnan(found)
    assert(spoilt["2000:3099"]:all() and not spoilt["1:1999"]:any() and not spoilt["3100:"]:any())
    assert(ma.allclose(found["1:1999"], clean["1:1999"]))
    v[1] = ma.inf
    spoilt = ma.isnan(ma.convolve(ma.where(ma.isnan(a), 0, a), v, "full"))
    assert(spoilt["1:2500"]:all() and not spoilt["2501:"]:any())
  end)

  it("of long whole numbers is exact", function()
    local a, v = ma.arange(1500) * 1000003, ma.arange(1030) * 1000033 + 2 ^ 40
    local found = ma.convolve(a, v)
    assert.equal(0, found(1))
    assert.equal(1000003 * 2 ^ 40, tonumber(found(2)))
    assert(ma.array_equal(ma.sum(found), ma.sum(a) * ma.sum(v)))                -- modulo 2^64
  end)

  it("says what is wrong", function()
    assert.matches("moonarray.convolve: a is empty", helper.fails(ma.convolve, {}, { 1 }))
    assert.matches("moonarray.convolve: v has 2 axes; wanted one", helper.fails(ma.convolve, { 1 }, { { 1 } }))
    assert.matches("moonarray.correlate: the string 'half' for mode; full, same or "
      .. "valid", helper.fails(ma.correlate, { 1 }, { 1 }, "half"))
  end)
end)
