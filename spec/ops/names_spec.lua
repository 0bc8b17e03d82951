-- What stands in a file of its own of lua/moonarray/functions against NumPy: windows, positions, bits, statistics,
-- convolution. Then what NumPy cannot say: devices, errors, and that nothing waits which need not.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma = helper.ma

describe("names of NumPy", function()
  for _, section in ipairs { "window", "indices", "join", "bits", "statistics", "convolve", "layout", "mask", "apply",
    "scan", "sequence", "descending", "pad", "bins", "reduceat" } do
    it(section .. " agrees with NumPy", function() run(section, "names") end)
  end
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
    assert.matches("moonarray.base_repr: base is 37; at most 36 is taken", helper.fails(ma.base_repr, 5, 37))
  end)

  it("take a pointer that is NULL for nothing", function()
    local null = require("ffi").cast("void *", 0)
    assert.equal("1", ma.binary_repr(1, { width = null }))
    assert.same({ 1, 2 }, ma.fromiter({ 1, 2 }, "int8", { count = null }):totable())
    assert.equal(0.5, ma.cov({ 1, 2 }, { ddof = null }):item())
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

  it("of many floats with some taps is near the sums, and exact where an element is not finite", function()
    for _, m in ipairs { 15, 16, 17, 255, 256, 257, 600 } do
      local a, v = draw(5000, m), draw(m, 3)
      local sums = ma.array(plain(a, v))
      for _, dtype in ipairs { "float64", "float32" } do
        local tolerance = dtype == "float64" and 1e-13 or 1e-5
        local x, y = ma.array(a, dtype), ma.array(v, dtype)
        assert(ma.allclose(ma.convolve(x, y), sums, tolerance, tolerance))
        assert(ma.allclose(ma.convolve(y, x, "valid"), sums[{ { m, 5000 } }], tolerance, tolerance))
        assert(ma.allclose(ma.convolve(x * ma.complex(1, 2), y), sums * ma.complex(1, 2), tolerance, tolerance))
      end
      a[2500] = ma.inf
      local found = ma.convolve(a, v)
      assert.equal(m, ma.isinf(found):sum():item())
      assert(not ma.isnan(found):any())
    end
  end)

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

describe("layout", function()
  it("returns the array itself where nothing has to change", function()
    local a, f = ma.zeros { 2, 3 }, ma.zeros({ 3, 2 }).T
    assert.equal(a, ma.ascontiguousarray(a))
    assert.equal(f, ma.asfortranarray(f))
    assert.equal(a, ma.asanyarray(a))
    assert.equal(a, ma.asarray_chkfinite(a))
    assert.equal(a, ma.require(a, nil, { "C_CONTIGUOUS", "aligned", "W", "O" }))
    assert.is_false(rawequal(f, ma.require(f, nil, "C")))
  end)

  it("is what is required", function()
    local a = ma.arange(12):reshape(3, 4)
    assert(ma.require(a["1"], nil, "O").strides[1] == 8 and not ma.shares_memory(ma.require(a["1"], nil, "O"), a))
    local wide = ma.broadcast_to(ma.arange(3), { 2, 3 })
    assert(wide.readonly and not ma.require(wide, nil, "W").readonly)
    assert.matches("moonarray.require: requirements C and F; one "
      .. "order", helper.fails(ma.require, a, nil, { "C", "F" }))
    assert.matches("moonarray.require: the string 'X' among requirements", helper.fails(ma.require, a, nil, "X"))
    assert.matches("moonarray.asarray_chkfinite: an element that is inf or nan",
      helper.fails(ma.asarray_chkfinite, { 1, ma.inf }))
    assert.matches("moonarray.common_type: argument 1 has dtype bool; "
      .. "numbers", helper.fails(ma.common_type, ma.ones(1, "bool")))
    assert.equal("bfloat16", ma.common_type(ma.bfloat16(1)))
    assert.equal("float16", ma.common_type())
  end)

  it("tells shared memory exactly, or that it takes too long", function()
    local a = ma.zeros { 60, 70 }
    assert.is_true(ma.shares_memory(a["::2, ::3"], a["::3, ::2"]))
    assert.is_false(ma.shares_memory(a["::2, ::2"], a["::2, 2::2"]))
    assert.is_true(ma.shares_memory(a["::2, ::2"], a["::2, 2::2"], 0))
    assert.is_true(ma.shares_memory(a, a))
    assert.is_false(ma.shares_memory(a, a:copy()) or ma.may_share_memory(a, a:copy()))
    assert.is_false(ma.may_share_memory(a["1:0"], a))
    assert.matches("moonarray.shares_memory: more than max_work = 1 steps", helper.fails(function()
      for k = 2, 9 do ma.shares_memory(a["::" .. k .. ", ::7"], a["2::" .. k + 1 .. ", 3::5"], 1) end
    end))
    assert.matches("moonarray.may_share_memory: argument 2 is a table", helper.fails(ma.may_share_memory, a, { 1 }))
  end)
end)

describe("masks", function()
  it("change the array and return it", function()
    local a, mask = ma.zeros(3), ma.array { true, false, true }
    assert.equal(a, ma.place(a, mask, { 1, 2 }))
    assert.equal(a, ma.putmask(a, mask, 5))
    assert.same({ 5, 0, 5 }, a:totable())
  end)

  it("place values in turn over more elements than one piece", function()
    local n = 2 ^ 22 + 5
    local a, mask = ma.zeros({ n }, "int8"), ma.zeros({ n }, "bool")
    for _, k in ipairs { 3, n - 5, n - 4, n - 1, n } do mask[k] = true end     -- the last two lie in the second piece
    ma.place(a, mask, ma.array({ 1, 2, 3 }, "int8"))
    assert.same({ 1, 2, 3, 1, 2 }, { a[3], a[n - 5], a[n - 4], a[n - 1], a[n] })
    assert.equal(9, a:sum():item())
    ma.putmask(a, mask, ma.array({ 4, 5, 6 }, "int8"))
    assert.same({ 6, n }, { a[3], n })
    assert.equal(4 + (n - 1) % 3, a[n])
  end)

  it("say what is wrong", function()
    local a, mask = ma.zeros(3, "int32"), ma.array { true, false, true }
    assert.matches("moonarray.place: arr is a table; wanted an array", helper.fails(ma.place, { 1 }, mask, 1))
    assert.matches("moonarray.place: a mask of 3 elements for 2; as "
      .. "many", helper.fails(ma.place, ma.zeros(2), mask, 1))
    assert.matches("moonarray.place: no values for a mask that is true "
      .. "somewhere", helper.fails(ma.place, a, mask, {}))
    assert.matches("moonarray.putmask: values of dtype float64 for int32; a dtype that casts safely",
      helper.fails(ma.putmask, a, mask, ma.zeros(3)))
    assert.matches("moonarray.piecewise: 3 functions for 1 conditions; 1 or "
      .. "2", helper.fails(ma.piecewise, a, mask, { 1, 2, 3 }))
    assert.matches("moonarray.piecewise: condition 1 of another shape than "
      .. "x", helper.fails(ma.piecewise, ma.zeros(2), mask, { 1 }))
  end)
end)

describe("functions of Lua", function()
  it("say what is wrong", function()
    assert.matches("moonarray.apply_along_axis: func1d is the number "
      .. "1", helper.fails(ma.apply_along_axis, 1, 1, { 1 }))
    assert.matches("an axis of extent 0 beside", helper.fails(ma.apply_along_axis, ma.sum, 1, ma.zeros { 2, 0 }))
    assert.matches("moonarray.apply_along_axis: a function that returns "
      .. "nothing", helper.fails(ma.apply_along_axis, function() end, 1, {}))
    local n = 0
    local function grows()
      n = n + 1
      return ma.zeros(n)
    end
    assert.matches("result 2 of another shape", helper.fails(ma.apply_along_axis, grows, 1, ma.zeros { 2, 3 }))
    assert.matches("moonarray.apply_over_axes: a result of 0 axes; 2, or 1",
      helper.fails(ma.apply_over_axes, function(a) return a:sum() end, ma.zeros { 2, 3 }, 1))
    assert.matches("moonarray.frompyfunc: 1 arguments; 2", helper.fails(ma.frompyfunc(math.max, 2, 1), 1))
    assert.matches("moonarray.frompyfunc: nin is 0", helper.fails(ma.frompyfunc, math.max, 0, 1))
    assert.matches("moonarray.frompyfunc: 1 results for element 1; "
      .. "2", helper.fails(ma.frompyfunc(math.abs, 1, 2), { 1, 2 }))
    assert.same({ 2, 1, 3 }, { ma.frompyfunc(math.max, 2, 1).nin, ma.frompyfunc(math.max, 2, 1).nout,
      ma.frompyfunc(math.max, 2, 1).nargs })
  end)

  it("are remembered by memoize until clear_memo", function()
    local calls = 0
    local f = ma.memoize(function(...)
      calls = calls + 1
      return select("#", ...), nil, ...
    end)
    local a = ma.zeros(1)
    for _ = 1, 2 do
      assert.same({ n = 4, [1] = 2, [3] = 1, [4] = "x" }, { n = select("#", f(1, "x")), f(1, "x") })
      assert.equal(2, (f(nil, nil)))
      assert.equal(1, (f(nil)))
      assert.equal(0, (f()))
      assert.equal(a, (select(3, f(a))))
      f(ma.nan)
      f(false)
    end
    assert.equal(7, calls)
    f(ma.zeros(1))                                     -- another array, though its elements are equal
    assert.equal(8, calls)
    ma.clear_memo()
    f(1, "x")
    assert.equal(9, calls)
    ma.clear_memo()
    assert.matches("moonarray.memoize: fn is the number 1", helper.fails(ma.memoize, 1))
  end)

  it("are remembered by memoize once a device", function()
    local calls = 0
    local f = ma.memoize(function()
      calls = calls + 1
      return ma.device().name
    end, true)
    assert.equal(helper.device, f())
    assert.equal("cpu", ma.device("cpu"):with(f))
    assert.equal(helper.device, f())
    assert.equal(helper.device == "cpu" and 1 or 2, calls)
  end)

  it("that fail are not remembered", function()
    local fails = true
    local f = ma.memoize(function() return fails and error("no", 0) or 5 end)
    assert.is_false(pcall(f))
    fails = false
    assert.equal(5, f())
  end)
end)

describe("sequences", function()
  it("run along an axis that is there", function()
    assert.matches("moonarray.linspace: axis 2 of an array of 1 axes", helper.fails(ma.linspace, 0, 1, { axis = 2 }))
    assert.matches("moonarray.logspace: axis 4 of an array of 2 "
      .. "axes", helper.fails(ma.logspace, { 0, 1 }, 1, { axis = 4 }))
    assert.matches("moonarray.geomspace: an end that is 0; others", helper.fails(ma.geomspace, { 1, 2 }, { 0, 3 }))
    assert.matches("moonarray.linspace: stop is the string 'x'; wanted a number or an "
      .. "array", helper.fails(ma.linspace, 0, "x", 3))
    assert.matches("moonarray.linspace: num is %-1; wanted a whole number from 0 "
      .. "on", helper.fails(ma.linspace, { 0 }, 1, -1))
  end)

  it("are on the device of their ends", function()
    local start = ma.zeros(2, { device = "cpu" })
    for _, make in ipairs { ma.linspace, ma.logspace, ma.geomspace } do
      assert.same({ "cpu", "cpu" }, { make(start + 1, 5).device, make(5, start + 1).device })
    end
  end)

  it("take what an iterator gives", function()
    local n = 0
    local function endless()
      n = n + 1
      return n
    end
    assert.same({ 1, 2, 3 }, ma.fromiter(endless, "int32", 3):totable())
    assert.equal(3, n)
    assert.matches("moonarray.fromiter: an iterator of 2 elements; "
      .. "5", helper.fails(ma.fromiter, { 1, 2 }, "int32", 5))
    assert.matches("moonarray.fromiter: the text 'a' as element 1; a number", helper.fails(ma.fromiter, ("a "
      .. "b"):gmatch("%a"), "int32"))
    assert.matches("moonarray.fromiter: iter is the number 3", helper.fails(ma.fromiter, 3, "int32"))
  end)
end)

describe("running sums", function()
  it("say what is wrong", function()
    assert.matches("moonarray.cumulative_sum: an array of 2 axes without axis; one of "
      .. "them", helper.fails(ma.cumulative_sum, { { 1 } }))
    assert.matches("moonarray.cumulative_prod: out has shape %(3%); the result has shape %(4%)",
      helper.fails(ma.cumulative_prod, { 1, 2, 3 }, { out = ma.zeros(3), include_initial = true }))
  end)
end)

describe("borders", function()
  it("say what is wrong", function()
    local a = ma.zeros { 2, 3 }
    assert.matches("moonarray.pad: 'edges' for mode; constant, edge, "
      .. "linear_ramp", helper.fails(ma.pad, a, 1, "edges"))
    assert.matches("moonarray.pad: end_values with mode 'edge'; no such "
      .. "option", helper.fails(ma.pad, a, 1, "edge", { end_values = 1 }))
    assert.matches("moonarray.pad: stat_length with mode 'reflect'; reflect_type",
      helper.fails(ma.pad, a, 1, "reflect", { stat_length = 1 }))
    assert.matches("moonarray.pad: 'even' or "
      .. "'odd'", helper.fails(ma.pad, a, 1, "reflect", { reflect_type = "x" }):gsub("the.*; ", ""))
    assert.matches("moonarray.pad: stat_length is 0, of which there is no "
      .. "maximum", helper.fails(ma.pad, a, 1, "maximum", { stat_length = 0 }))
    assert.matches("moonarray.pad: axis 1 is empty; modes 'constant' and 'empty' alone pad it",
      helper.fails(ma.pad, ma.zeros { 0, 2 }, 1, "mean"))
  end)

  it("may stay unset", function()
    local a = ma.pad(ma.ones { 2, 3 }, { { 1, 2 }, { 0, 4 } }, "empty")
    assert.same({ 5, 7 }, { a:dims() })
    assert(ma.array_equal(a["2:3, 1:3"], ma.ones { 2, 3 }))
  end)
end)

describe("bins by name", function()
  it("say what is wrong", function()
    assert.matches("moonarray.histogram: 'best' for bins; a number, edges, auto, "
      .. "doane", helper.fails(ma.histogram, { 1, 2 }, "best"))
    assert.matches("moonarray.histogram: weights with bins 'auto'; bins as a number or edges",
      helper.fails(ma.histogram, { 1, 2 }, "auto", { weights = { 1, 2 } }))
    assert.matches("moonarray.histogram_bin_edges: weights with bins 'fd'",
      helper.fails(ma.histogram_bin_edges, { 1, 2 }, "fd", { weights = { 1, 2 } }))
    assert.matches("moonarray.histogram2d: 'auto' for bins; a number or "
      .. "edges", helper.fails(ma.histogram2d, { 1, 2 }, { 1, 2 }, "auto"))
    assert.matches("moonarray.histogram: elements from 1 to inf; "
      .. "finite", helper.fails(ma.histogram, { 1, ma.inf }, "auto"))
  end)
end)

describe("descending order", function()
  it("is stable, with zeros of both signs as equals", function()
    local minus = tonumber("-0.0") -- LuaJIT for ARM reads -0.0 in a program as 0
    local zeros = ma.array { minus, 0.0, 1, minus }
    assert.same({ 3, 1, 2, 4 }, zeros:argsort({ descending = true }):totable())
    assert.same({ false, true, false, true }, ma.signbit(ma.sort(zeros, { descending = true })):totable())
  end)

  it("says what is wrong", function()
    assert.matches("moonarray.topk: k is 3 of 2 elements; at most as many", helper.fails(ma.topk, { 1, 2 }, 3))
    assert.matches("moonarray.topk: k is %-1; wanted a whole number from 0 on", helper.fails(ma.topk, { 1, 2 }, -1))
  end)
end)

describe("reduceat", function()
  it("takes positions of the device, which nobody waits for", function()
    local a = ma.arange(500) % 17
    local list = {}
    for k = 1, 200 do list[k] = k * 37 % 500 + 1 end
    assert(ma.array_equal(ma.add.reduceat(a, list), ma.add.reduceat(a, ma.array(list, "int64"))))
    assert(ma.array_equal(ma.subtract.reduceat(a, list), ma.subtract.reduceat(a, ma.array(list, "int32"))))
    assert.same({ 6, 4 }, ma.add.reduceat(ma.arange(5), ma.array({ 1, -1 }, "int8")):totable())
  end)

  it("gives the same by powers of 2 as one part after another", function()
    local a = ma.sin(ma.arange(300, "float64")):reshape(100, 3)
    local few, many = {}, {}
    for k = 1, 60 do few[k] = k * 41 % 100 + 1 end
    for k = 1, 120 do many[k] = few[(k - 1) % 60 + 1] end
    local short, long = ma.add.reduceat(a, few, 1), ma.add.reduceat(a, many, 1)
    assert(ma.allclose(short["1:59, :"], long["1:59, :"], 1e-14, 1e-14))
  end)

  it("says what is wrong", function()
    local a = ma.arange(8)
    assert.matches("moonarray.add.reduceat: position 9 of 8 elements; 1 to 8", helper.fails(ma.add.reduceat, a, { 9 }))
    assert.matches("moonarray.add.reduceat: position 0 of 8 elements", helper.fails(ma.add.reduceat, a, { 1, 0 }))
    assert.matches("gives another dtype than it takes", helper.fails(ma.less.reduceat, a, { 1 }))
    assert.matches("moonarray.add.reduceat: indices of 2 axes; wanted one",
      helper.fails(ma.add.reduceat, a, ma.ones({ 1, 1 }, "int64")))
    assert.matches("moonarray.add.reduceat: indices of dtype float64; integers",
      helper.fails(ma.add.reduceat, a, ma.zeros(1)))
    assert.matches("no attribute 'reduceat'", helper.fails(function() return ma.sqrt.reduceat end))
  end)
end)

describe("a ufunc", function()
  it("says how many arguments and results it has", function()
    assert.same({ 3, 2, 4 }, { ma.add.nargs, ma.sqrt.nargs, ma.divmod.nargs })
  end)
end)
