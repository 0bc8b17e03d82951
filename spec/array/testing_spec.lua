-- ma.testing: what it passes and what it says of arrays that differ, as NumPy does; layouts, devices, tables, and how
-- failures reach busted.

local helper = require "spec.helper"
local ma, testing = helper.ma, helper.ma.testing

--- What an assertion raises, as text without its position; nil if it passes. Under busted that is a failure of the
--- test.
local function said(name, ...)
  local ok, raised = pcall(testing[name], ...)
  if ok then return nil end
  local text = tostring(raised)
  assert.matches("^[^\n]*testing_spec.lua:%d+: moonarray%.testing%.", text)
  return (text:gsub("^[^\n]*:%d+: ", "", 1))
end

-- ==== NumPy's verdicts ====

local reasons = { nan = "nan location mismatch:", inf = "inf location mismatch:", value = "inf values mismatch:" }

local function close(found, wanted, dtype)
  if wanted == "-" then return true end                            -- NumPy does not say
  found, wanted = tonumber(found), tonumber(wanted)
  if found == wanted or (found ~= found and wanted ~= wanted) then return true end
  -- eight digits are printed
  return math.abs(found - wanted) <= (1e-7 + 4 * (helper.eps[dtype] or 0)) * math.abs(wanted)
end

local function check_record(r)
  local x = helper.array(helper.unhex(r[5]), r[2], helper.parse_shape(r[4]))
  local y = helper.array(helper.unhex(r[6]), r[3], helper.parse_shape(r[4]))
  local arguments = {}
  for word in r[7]:gmatch("[^,]+") do arguments[#arguments + 1] = tonumber(word) end
  local text = said(r[1], x, y, unpack(arguments))
  if r[8] == "ok" then
    assert(text == nil, text)
    return
  end
  assert(text, "passes; NumPy says " .. r[8])
  if r[8] ~= "differ" then
    assert(text:find(reasons[r[8]], 1, true), text)
    return
  end
  local count, total = text:match("Mismatched elements: (%d+) / (%d+) ")
  assert(count == r[9] and tonumber(total) == x.size, text .. "; wanted " .. r[9])
  local places = {}
  for place in text:gmatch("\n %(([%d, ]+)%): ") do places[#places + 1] = place:gsub(" ", "") end
  assert((#places == 0 and "-" or table.concat(places, ";")) == r[12], text .. "; wanted positions " .. r[12])
  local narrow = helper.eps[r[2]] and r[2] or r[3]
  assert(close(text:match("Max absolute difference among violations: (%S+)"), r[10], narrow), text .. "; wanted "
    .. r[10])
  assert(close(text:match("Max relative difference among violations: (%S+)"), r[11], narrow), text .. "; wanted "
    .. r[11])
end

describe("testing:", function()
  it("passes, counts and finds what NumPy does", function()
    local failures, n = helper.failures(), 0
    for k, r in ipairs(helper.golden("testing")) do
      if not helper.thin or k % 5 == 0 then
        n = n + 1
        failures:run(table.concat(r, " ", 1, 4), check_record, r)
      end
    end
    failures:check()
    assert(n > 300)
  end)

  it("says how many elements differ, where, by how much, and prints both", function()
    assert.equal([[
moonarray.testing.assert_allclose: not equal to tolerance rtol=1e-07, atol=0: the second step
Mismatched elements: 1 / 3 (33.3%)
Mismatch at position:
 (2): 2.0 (ACTUAL), 2.5 (DESIRED)
Max absolute difference among violations: 0.5
Max relative difference among violations: 0.2
 ACTUAL: ma.array({1., 2., 3.}, "float64")
 DESIRED: ma.array({1. , 2.5, 3. }, "float64")]],
      said("assert_allclose", ma.array { 1, 2, 3 }, { 1, 2.5, 3 }, { err_msg = "the second step" }))
    assert.equal([[
moonarray.testing.assert_array_less: arrays are not strictly ordered x < y
Mismatched elements: 6 / 6 (100%)
First 5 mismatches are at positions:
 (1, 1): 1 (x), 0 (y)
 (1, 2): 2 (x), 0 (y)
 (1, 3): 3 (x), 0 (y)
 (2, 1): 4 (x), 0 (y)
 (2, 2): 5 (x), 0 (y)
Max absolute difference among violations: 6
Max relative difference among violations: inf]],
      said("assert_array_less", ma.arange(1, 7):reshape(2, 3), ma.asarray(0, "int64"), { verbose = false }))
    assert.equal([[
moonarray.testing.assert_array_equal: arrays are not equal
(shapes (2,), (1, 2) mismatch)
 ACTUAL: ma.array({0., 0.}, "float64")
 DESIRED: ma.array({{0., 0.}}, "float64")]], said("assert_array_equal", ma.zeros(2), ma.zeros({ 1, 2 })))
  end)

  it("prints no more than the first lines of large arrays", function()
    local text = said("assert_array_equal", ma.arange(2000):reshape(100, 20), 0)
    assert.equal(1 + 1 + 1 + 5 + 2 + 3 + 1, select(2, text:gsub("\n", "\n")) + 1)
    assert.matches("\n ACTUAL: ma.array%({{ .-\n.-\n.-%.%.%.\n DESIRED: ", text)
  end)

  it("takes the true difference of whole numbers that wrap around", function()
    for _, case in ipairs { { "int8", -128, 127, "255" }, { "uint8", 0, 255, "255" },
      { "int64", -2 ^ 62, 2 ^ 62, "9223372036854775808" },
      { "uint64", 0, 2 ^ 63, "9223372036854775808" } } do
      local dtype, low, high, wanted = unpack(case)
      for _, pair in ipairs { { low, high }, { high, low } } do
        local text = said("assert_array_equal", ma.array({ pair[1] }, dtype), ma.array({ pair[2] }, dtype))
        assert.equal(wanted, text:match("Max absolute difference among violations: (%S+)"), dtype)
        assert.matches("relative difference among violations: [%d.i]", text)
      end
    end
  end)

  it("takes strict as one shape and one dtype", function()
    local a = ma.ones({ 2 }, "float32")
    assert.is_nil(said("assert_array_equal", a, 1))
    assert.matches("%(shapes %(2,%), %(%) mismatch%)", said("assert_array_equal", a, 1, { strict = true }))
    assert.matches("%(dtypes float32, float64 mismatch%)", said("assert_allclose", a, ma.ones(2), { strict = true }))
    assert.is_nil(said("assert_array_less", a, a * 2, { strict = true }))
  end)

  it("lets NaN differ from NaN where that is wanted", function()
    assert.is_nil(said("assert_allclose", { 1, ma.nan }, { 1, ma.nan }))
    assert.matches("Mismatched elements: 1 / 2",
      said("assert_allclose", { 1, ma.nan }, { 1, ma.nan }, { equal_nan = false }))
  end)

  it("compares views as their copies", function()
    local base = ma.arange(24):astype("float64"):reshape(4, 6)
    for name, view in pairs { transposed = base:transpose(), reversed = base["::-1, ::-1"], strided = base["::2, ::3"],
      broadcast = base["1"]:broadcast_to({ 3, 6 }) } do
      assert.is_nil(said("assert_array_equal", view, view:copy()), name)
      local other = view:copy()
      other[{ 1, 2 }] = 99
      assert.matches("%(1, 2%): [%d.]+ %(ACTUAL%), 99.0 %(DESIRED%)", said("assert_array_equal", view, other), name)
    end
  end)

  it("compares arrays of two devices", function()
    local here = ma.arange(5)
    assert.is_nil(said("assert_array_equal", here, here:get()))
    assert.matches("Mismatched elements: 5 / 5", said("assert_array_equal", here:get(), here + 1))
  end)

  it("compares tables of arrays in pairs", function()
    assert.is_nil(said("assert_array_list_equal", { ma.ones(2), 3 }, { { 1, 1 }, ma.array(3) }))
    assert.matches("not equal: of the run, array 2\n",
      said("assert_array_list_equal", { 1, ma.ones(2) }, { 1, ma.zeros(2) }, "of the run"))
    assert.matches("the first table has 1 arrays and the second 2", said("assert_array_list_equal", { 1 }, { 1, 2 }))
    assert.matches("xlist is a float64 array %(2,%); wanted a table of arrays",
      helper.fails(testing.assert_array_list_equal, ma.ones(2), {}))
  end)

  it("compares any values, and says under which key they differ", function()
    local cyclic = { 1 }
    cyclic[2] = cyclic
    local same = { { 1, 1 }, { "a", "a" }, { ma.nan, ma.nan }, { { a = { 1, ma.ones(2) } }, { a = { 1, ma.ones(2) } } },
      { ma.ones({ 2, 3 }).shape, { 2, 3 } },
      { ma.complex(1, ma.nan), ma.complex(1, ma.nan) }, { 5LL, 5 }, { cyclic, cyclic }, { ma.array(3), 3 }, { {}, {} } }
    for k, pair in ipairs(same) do assert.is_nil(said("assert_equal", pair[1], pair[2]), k) end
    local different = { { 1, 2, "not equal\n ACTUAL: 1\n DESIRED: 2" }, { "a", "b", 'ACTUAL: "a"\n DESIRED: "b"' },
      { 0, 1 / -math.huge, "ACTUAL: 0" }, { 1, "1", 'DESIRED: "1"' },
      { { 1 }, 1, "DESIRED: 1" }, { true, 1, "ACTUAL: true" }, { ma.complex(1, 2), ma.complex(1, 3), "DESIRED: 1%+3i" },
      { 5LL, 6, "ACTUAL: 5LL" },
      { { 1, 2 }, { 1, 2, 3 }, "not equal at %[3%]\n ACTUAL: nil\n DESIRED: 3" },
      { { a = { 1, 2 } }, { a = { 1 } }, 'at %["a"%]%[2%]\n ACTUAL: 2\n DESIRED: nil' },
      { { x = { 1, ma.ones(2) } }, { x = { 1, ma.zeros(2) } },
        'arrays are not equal: at %["x"%]%[2%]\nMismatched elements: 2 / 2' },
      { { ma.ones(1) }, { 1, 2 }, "at %[2%]" }, { { ma.ones(1) }, { [2] = 1 }, "at %[2%]" } }
    for k, case in ipairs(different) do
      local text = said("assert_equal", case[1], case[2])
      assert(text, "no error of case " .. k)
      assert.matches(case[3], text)
    end
  end)

  it("measures floats in units in the last place", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local eps = helper.eps[dtype]
      local a = ma.array({ 1, -0.0, ma.nan, ma.inf, -1, 2 }, dtype)
      local b = ma.array({ 1 + 2 * eps, 0, ma.nan, ma.inf, -1 - eps, 2 - eps }, dtype)
      assert.same({ 2, 0, 0, 0, 1, 1 }, testing.assert_array_max_ulp(a, b, 2):totable(), dtype)
      assert.matches("up to 1 ULP %(max difference is 2 ULP%)", said("assert_array_max_ulp", a, b))
      assert.is_nil(said("assert_array_almost_equal_nulp", a["1:1"], b["1:1"], 2))
      assert.is_nil(said("assert_array_almost_equal_nulp", a["5:6"], b["5:6"]))
      assert.matches("not equal to 1 ULP %(max is 2%)", said("assert_array_almost_equal_nulp", a["1:1"], b["1:1"]))
      local tiny = ma.finfo(dtype).smallest_subnormal
      assert.same({ 2 }, testing.assert_array_max_ulp(ma.array({ tiny }, dtype), ma.array({ -tiny }, dtype),
        2):totable(), dtype)
    end
    assert.matches("max difference is 1.84297e%+19 ULP", said("assert_array_max_ulp", { 1e308 }, { -1e308 }))
    assert.same({ 4096 }, testing.assert_array_max_ulp({ 1 + 2 ^ -40 }, { 1 }, 4096):totable())
    assert.same({ 0 }, testing.assert_array_max_ulp({ 1 + 2 ^ -40 }, { 1 }, 0, "float32"):totable())
    assert.equal("()", helper.shape(testing.assert_array_max_ulp(1, 1)))
    assert.equal("2x0", helper.shape(testing.assert_array_max_ulp(ma.zeros({ 2, 0 }), ma.zeros({ 2, 0 }))))
  end)

  it("refuses what cannot be compared", function()
    assert.matches("wanted real numbers", helper.fails(testing.assert_array_max_ulp, ma.zeros(1, "complex64"),
      ma.zeros(1)))
    assert.matches("wanted one shape", helper.fails(testing.assert_array_max_ulp, ma.zeros(2), ma.zeros(1)))
    assert.matches("maxulp is %-1; wanted a number from 0 on", helper.fails(testing.assert_array_max_ulp, 1, 1, -1))
    assert.matches("rtol is the string 'x'; wanted a number", helper.fails(testing.assert_allclose, 1, 1, "x"))
    assert.matches("decimal is 1.5; wanted a whole number", helper.fails(testing.assert_array_almost_equal, 1, 1, 1.5))
    assert.matches("no option 'nonsense'", helper.fails(testing.assert_array_equal, 1, 1, { nonsense = 1 }))
  end)

  it("raises a failure of the test under busted, and a text without it", function()
    local ok, raised = pcall(testing.assert_array_equal, 1, 2)
    assert.is_false(ok)
    assert.equal("failure", debug.getmetatable(raised).__type)
    local busted = package.loaded.busted
    package.loaded.busted = nil
    ok, raised = pcall(testing.assert_array_equal, 1, 2)
    package.loaded.busted = busted
    assert.is_false(ok)
    assert.equal("string", type(raised))
    assert.matches("^[^\n]*testing_spec.lua:%d+: moonarray.testing.assert_array_equal: arrays are not equal\n", raised)
  end)
end)
