-- ma.fft's cosine, sine, Hermitian and Hankel transforms, plans and lengths, and ma.fftpack: SciPy's values over types,
-- norms, dtypes, axes, lengths, empty input and NaN, what goes back, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails
local fft = ma.fft

local works, why = pcall(function() return fft.fft(ma.ones(2)) end)
if not works then
  describe("transforms of other kinds", function()
    it("need a library", function() pending(why) end)
  end)
  return
end

local function said(pattern, ...) assert.matches(pattern, fails(...)) end
local near = { float32 = 2e-5, complex64 = 2e-5, float64 = 1e-12 }

describe("SciPy's values of", function()
  it("cosine and sine transforms", function() run("cosine", "transforms", near) end)
  it("Hermitian transforms of several axes", function() run("hermitian", "transforms", near) end)
  it("the fast Hankel transform", function() run("hankel", "transforms", { float64 = 1e-10 }) end)
  it("fftpack", function() run("fftpack", "transforms", near) end)
  it("lengths", function() run("lengths", "transforms") end)
end)

describe("Cosine and sine transforms", function()
  it("of a short axis of many are those of each row alone", function()
    local x = ma.sin(ma.arange(20 * 8 * 32, "float64") * 7.1):reshape(20, 8, 32)
    for _, name in ipairs { "dct", "idct", "dst", "idst" } do
      for type_ = 1, 4 do
        for _, norm in ipairs { "backward", "ortho", "forward" } do
          local f = ma.fft[name]
          local last, middle = f(x, type_, nil, -1, norm), f(x, type_, nil, 2, norm)
          assert(ma.allclose(last[20][8], f(x[20][8]:copy(), type_, nil, -1, norm), { rtol = 0, atol = 1e-12 }))
          assert(ma.allclose(middle[{ 20, {}, 32 }], f(x[{ 20, {}, 32 }]:copy(), type_, nil, -1, norm),
            { rtol = 0, atol = 1e-12 }))
        end
      end
    end
    assert.equal("float32", ma.fft.dct(x:astype("float32")).dtype)
  end)

  it("come back, of any length, type and norm", function()
    for _, n in ipairs { 2, 3, 16, 37, 100, 1001, 4096 } do
      local x = ma.sin(ma.arange(n, "float64") * 1.7)
      for type_ = 1, 4 do
        for _, norm in ipairs { "backward", "ortho", "forward" } do
          ma.testing.assert_allclose(fft.idct(fft.dct(x, type_, { norm = norm }), type_, { norm = norm }), x,
            { atol = 1e-12 })
          ma.testing.assert_allclose(fft.idst(fft.dst(x, type_, { norm = norm }), type_, { norm = norm }), x,
            { atol = 1e-12 })
        end
      end
    end
  end)

  it("of rows at once are those of whole arrays, step by step", function()
    local core = require "moonarray.core"
    local at_once = core.fft_cosine
    if ma.zeros(1).device == "cpu" then
      assert(at_once(ma.zeros({ 3, 4 }), 2, false, 1, 1), "the CPU has transforms of rows")
    end
    local calls = 0
    for _, n in ipairs { 1, 2, 3, 4, 7, 16, 300, 515 } do
      for type_ = 1, 4 do
        for _, name in ipairs { "dct", "dst", "idct", "idst" } do
          for _, norm in ipairs { "backward", "ortho" } do
            if n > 1 or type_ ~= 1 then
              local x = ma.cos(ma.arange(3 * n) * 1.7):reshape(n, 3).T             -- with strides
              if n % 2 == 1 then x = x:astype("float32") end
              local got = ma.fft[name](x, type_, nil, nil, norm)
              core.fft_cosine = function() calls = calls + 1 end
              local ok, want = pcall(ma.fft[name], x, type_, nil, nil, norm)
              core.fft_cosine = at_once
              assert(ok, want)
              assert.are.equal(want.dtype, got.dtype)
              local limit = (got.dtype == "float32" and 1e-6 or 4e-15) * ma.abs(want):max():item()
              local off = ma.abs(got - want):max():item()
              assert(off <= limit, ("%s of type %d, %d elements, %s: off by %g"):format(name, type_, n, norm, off))
            end
          end
        end
      end
    end
    assert.are.equal(8 * 8 * 4 - 8, calls)
  end)

  it("keep lengths of vectors where they are orthogonal", function()
    local x = ma.sin(ma.arange(200, "float64") * 1.7)
    for type_ = 1, 4 do
      for _, name in ipairs { "dct", "dst" } do
        local y = fft[name](x, type_, { norm = "ortho" })
        assert(math.abs(ma.linalg.norm(y):item() - ma.linalg.norm(x):item()) < 1e-11, name .. type_)
      end
    end
  end)

  it("leave their operand alone, and are new", function()
    local x = ma.arange(8, "float64")
    for type_ = 1, 4 do
      fft.dct(x, type_):fill(1)
      fft.idst(x, type_, { overwrite_x = true }):fill(1)
    end
    assert.same({ 0, 1, 2, 3, 4, 5, 6, 7 }, x:totable())
  end)

  it("of half floats are of single precision, on the array's device", function()
    local y = fft.dct(ma.ones(4, "float16"))
    assert.equal("float32", y.dtype)
    assert.equal("cpu", fft.dst(ma.numpy.ones(5), 4).device)
  end)

  it("say what is wrong", function()
    said("moonarray.fft.dct: type is .-; wanted 1, 2, 3 or 4", fft.dct, ma.ones(4), 5)
    said("moonarray.fft.dct: 1 elements to transform; wanted at least 2 for type 1", fft.dct, ma.ones(1), 1)
    said("moonarray.fft.dst: 0 elements", fft.dst, ma.ones(0))
    said("moonarray.fft.idctn: norm is .-; wanted 'backward'", fft.idctn, ma.ones(4), { norm = "half" })
    said("moonarray.fft.dct: n is 0", fft.dct, ma.ones(4), 2, 0)
    said("axis 3", fft.dct, ma.ones(4), 2, { axis = 3 })
    said("0%-d array", fft.dct, ma.array(1))
  end)
end)

describe("A plan", function()
  local x = ma.sin(ma.arange(48, "float64")):reshape(4, 12)
  local z = x + ma.complex(0, 1) * x
  ma.eval(x, z)

  before_each(function() fft.config.clear_plan_cache() end)

  it("is that of the transforms that it is passed to", function()
    local plan = fft.get_fft_plan(z)
    local made = fft.get_plan_cache().misses
    ma.testing.assert_array_equal(fft.fft2(z, { plan = plan }), fft.fft2(z))
    ma.testing.assert_array_equal(fft.ifftn(z, { plan = plan }), fft.ifft2(z))
    assert.equal(made, fft.get_plan_cache().misses)
    local rows = fft.get_fft_plan(z, nil, 1)
    made = fft.get_plan_cache().misses
    fft.ifft(z, { axis = 1, plan = rows })
    assert.equal(made, fft.get_plan_cache().misses)
    local real = fft.get_fft_plan(x, 16, -1, "R2C")
    made = fft.get_plan_cache().misses
    ma.testing.assert_array_equal(fft.rfft(x, 16, { plan = real }), fft.rfft(x, 16))
    assert.equal(made, fft.get_plan_cache().misses)
    local back = fft.get_fft_plan(fft.rfft(x), 12, -1, "C2R")
    ma.testing.assert_array_equal(fft.irfft(fft.rfft(x), { plan = back }), fft.irfft(fft.rfft(x)))
    ma.testing.assert_array_equal(fft.hfft(z, 12, { plan = fft.get_fft_plan(z, 12, -1, "C2R") }), fft.hfft(z, 12))
    ma.testing.assert_array_equal(ma.fftpack.fft(z, { plan = fft.get_fft_plan(z, nil, -1) }), fft.fft(z))
    assert.equal(2, real.axes[1])
    assert.equal("<plan R2C of float64 (4, 16) along (2) on " .. ma.device().name .. ">", tostring(real))
  end)

  it("is kept while the object lives, whatever the cache's size", function()
    local plan = fft.get_fft_plan(z, nil, -1)
    local size = fft.config.get_plan_cache_size()
    fft.config.set_plan_cache_size(0)
    local made = fft.get_plan_cache().misses
    for _ = 1, 3 do fft.fft(z, { plan = plan }) end
    assert.equal(made, fft.get_plan_cache().misses)
    plan:free()
    plan:free()
    fft.fft(z)
    assert.equal(made + 1, fft.get_plan_cache().misses)
    fft.config.set_plan_cache_size(size)
    said("a plan that was freed", fft.fft, z, { plan = plan })
  end)

  it("of another transform is refused", function()
    local plan = fft.get_fft_plan(z, nil, -1)
    said("a plan for C2C of complex128 %(4, 12%) along %(2%) on .-; wanted one for C2C of complex128 %(4, 8%)", fft.fft,
      z, 8, { plan = plan })
    said("wanted one for C2C of complex64", fft.fft, z:astype "complex64", { plan = plan })
    said("wanted one for R2C of float64", fft.rfft, x, { plan = plan })
    said("along %(1%)", fft.fft, z, { axis = 1, plan = plan })
    said("plan is .-; wanted one of fft.get_fft_plan", fft.fft, z, { plan = 5 })
    said("value_type is .-; wanted 'C2C', 'R2C' or 'C2R'", fft.get_fft_plan, z, nil, nil, "Z2Z")
    said("get_fft_plan: out of memory", fft.get_fft_plan, z, 1e12, 1)
    said("wanted real elements for 'R2C'", fft.get_fft_plan, z, nil, nil, "R2C")
    said("4 axes; wanted at most 3", fft.get_fft_plan, ma.zeros({ 2, 2, 2, 2 }))
    said("axis 2 twice", fft.get_fft_plan, z, nil, { 2, -1 })
  end)
end)

describe("The fast Hankel transform", function()
  it("comes back", function()
    local x = ma.exp(-ma.linspace(-2, 2, 64) ^ 2)
    for _, bias in ipairs { 0, 0.3, -0.2 } do
      local offset = fft.fhtoffset(0.1, 0.5, 0, bias)
      local y = fft.fht(x, 0.1, 0.5, offset, bias)
      ma.testing.assert_allclose(fft.ifht(y, 0.1, 0.5, offset, bias), x, { atol = 1e-12 })
    end
  end)

  it("says what is wrong", function()
    said("moonarray.fft.fht: a is complex", fft.fht, ma.zeros(4, "complex64"), 0.1, 0.5)
    said("moonarray.fft.ifht: .-wanted at least one sample", fft.ifht, ma.zeros(0), 0.1, 0.5)
    said("dln is", fft.fht, ma.zeros(4), "x", 0.5)
    said("target is 0; wanted a whole number from 1 on", fft.next_fast_len, 0)
  end)
end)
