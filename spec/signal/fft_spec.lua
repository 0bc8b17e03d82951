-- Fourier transforms against sums written out in Lua (float64), over lengths, axes, norms, layouts and dtypes; and what
-- goes back.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, core = helper.ma, helper.core

local ok, why = pcall(function() return ma.fft.fft(ma.ones(2)) end)
if not ok then
  describe("fft", function()
    it("needs a library", function()
      assert(tostring(why):find("found;", 1, true), why)
      pending(why)
    end)
  end)
  return
end

local pi = math.pi

-- Columns of re and im of a vector, zero-filled or cut to n.
local function parts(v, n)
  local re, im = {}, {}
  for k = 1, n do
    local x = k <= v.shape[1] and v(k) or 0
    re[k], im[k] = type(x) == "number" and x or x.re, type(x) == "number" and 0 or x.im
  end
  return re, im
end

-- sum of x[j] exp(sign 2 pi i j k / n), k = 0 .. n - 1, the angle reduced exactly
local function sums(re, im, sign, factor)
  local n, out_re, out_im = #re, {}, {}
  for k = 0, n - 1 do
    local a, b = 0, 0
    for j = 0, n - 1 do
      local t = sign * 2 * pi * ((j * k) % n) / n
      local c, s = math.cos(t), math.sin(t)
      a, b = a + re[j + 1] * c - im[j + 1] * s, b + re[j + 1] * s + im[j + 1] * c
    end
    out_re[k + 1], out_im[k + 1] = a * factor, b * factor
  end
  return out_re, out_im
end

local function near(got, re, im, bound, what)
  got = got:get()
  local worst, scale = 0, 1
  for k = 1, #re do
    local x = got(k)
    local a, b = type(x) == "number" and x or x.re, type(x) == "number" and 0 or x.im
    worst = math.max(worst, math.abs(a - re[k]), math.abs(b - (im and im[k] or 0)))
    scale = math.max(scale, math.abs(re[k]), math.abs(im and im[k] or 0))
  end
  assert(worst <= bound * scale, ("%s: off by %g of %g"):format(what, worst, scale))
end

local function random(shape, dtype)
  local n = 1
  for _, extent in ipairs(type(shape) == "table" and shape or { shape }) do n = n * extent end
  local values, complex = {}, dtype:find("complex", 1, true)
  for k = 1, n do
    values[k] = complex and ma.complex(math.random() - 0.5, math.random() - 0.5) or math.random() - 0.5
  end
  return ma.array(values, dtype):reshape(shape)
end

local eps = { float32 = 1e-6, complex64 = 1e-6, float64 = 2e-15, complex128 = 2e-15 }

describe("fft", function()
  for _, n in ipairs { 1, 2, 3, 17, 64, 100, 127, 1000 } do
    it("of " .. n .. " elements", function()
      for dtype, e in pairs(eps) do
        local x = random(n, dtype)
        local bound = e * (4 + math.log(n) / math.log(2)) * math.sqrt(n)
        local re, im = parts(x:get(), n)
        local f_re, f_im = sums(re, im, -1, 1)
        local y = ma.fft.fft(x)
        assert(y.dtype == ((dtype == "float32" or dtype == "complex64") and "complex64" or "complex128"))
        near(y, f_re, f_im, bound, "fft " .. dtype)
        near(ma.fft.ifft(y), re, im, bound, "ifft of fft " .. dtype)
        local i_re, i_im = sums(re, im, 1, 1 / n)
        near(ma.fft.ifft(x), i_re, i_im, bound, "ifft " .. dtype)
        if not dtype:find("complex", 1, true) then
          local h_re, h_im = {}, {}
          for k = 1, math.floor(n / 2) + 1 do h_re[k], h_im[k] = f_re[k], f_im[k] end
          local half = ma.fft.rfft(x)
          assert(half.shape[1] == #h_re)
          near(half, h_re, h_im, bound, "rfft " .. dtype)
          local back = ma.fft.irfft(half, n)
          assert(back.dtype == dtype and back.shape[1] == n)
          near(back, re, nil, bound, "irfft " .. dtype)
          near(ma.fft.hfft(ma.fft.ihfft(x), n), re, nil, bound, "hfft of ihfft " .. dtype)
        end
      end
    end)
  end

  it("cuts and fills to n, and takes norms", function()
    local x = random(10, "complex128")
    for _, n in ipairs { 4, 10, 13 } do
      for norm, factors in pairs { backward = { 1, 1 / n }, ortho = { n ^ -0.5, n ^ -0.5 }, forward = { 1 / n, 1 } } do
        local re, im = parts(x:get(), n)
        local a, b = sums(re, im, -1, factors[1])
        near(ma.fft.fft(x, n, nil, norm), a, b, 1e-14, "fft " .. norm)
        a, b = sums(re, im, 1, factors[2])
        near(ma.fft.ifft(x, { n = n, norm = norm }), a, b, 1e-14, "ifft " .. norm)
      end
    end
  end)

  it("of a length that is a large prime", function()
    local n = 10007
    local x = random(n, "float64")
    local y = ma.fft.fft(x)
    assert(math.abs(y(1).re - x:sum():item()) < 1e-11)
    assert(ma.abs(ma.fft.ifft(y).real - x):max():item() < 1e-13)
    assert(math.abs((ma.abs(y) ^ 2):sum():item() / n - (x * x):sum():item()) < 1e-9)
  end)

  it("runs along any axis of any layout", function()
    local x = random({ 3, 4, 5 }, "float64")
    for axis = 1, 3 do
      for _, view in ipairs { x, x:transpose({ 3, 1, 2 }), x["::-1, :, ::2"], x:transpose():copy():transpose() } do
        local y = ma.fft.fft(view, nil, axis)
        local lines, results = view:moveaxis(axis, 1), y:moveaxis(axis, 1)
        local n = lines.shape[1]
        for i = 1, lines.shape[2] do
          for j = 1, lines.shape[3] do
            local re, im = parts(lines[{ {}, i, j }]:get(), n)
            local a, b = sums(re, im, -1, 1)
            near(results[{ {}, i, j }], a, b, 1e-14, "axis " .. axis)
          end
        end
      end
    end
  end)

  it("of several axes is one axis after another", function()
    local x = random({ 2, 3, 4, 5 }, "float64")
    local function each(axes)
      local y = x
      for _, axis in ipairs(axes) do y = ma.fft.fft(y, nil, axis) end
      return y
    end
    local function same(a, b) return assert(ma.abs(a - b):max():item() < 1e-13) end
    same(ma.fft.fftn(x), each { 1, 2, 3, 4 })
    same(ma.fft.fft2(x), each { 3, 4 })
    same(ma.fft.fftn(x, nil, { 1, 3 }), each { 1, 3 })
    same(ma.fft.fftn(x, nil, { 2, 2 }), each { 2, 2 })
    same(ma.fft.ifftn(ma.fft.fftn(x)), x)
    same(ma.fft.ifft2(ma.fft.fft2(x)), x)
    same(ma.fft.rfftn(x), ma.fft.fftn(x)["..., 1:3"])
    same(ma.fft.rfft2(x), ma.fft.fft2(x)["..., 1:3"])
    same(ma.fft.irfftn(ma.fft.rfftn(x), x.shape), x)
    same(ma.fft.irfft2(ma.fft.rfft2(x), { 4, 5 }), x)
    same(ma.fft.fftn(x, { 3, 7 }), ma.fft.fft(ma.fft.fft(x, 3, 3), 7, 4))
  end)

  it("keeps its argument, writes out, takes integers and tables", function()
    local x = random({ 6, 8 }, "complex128")
    local before = x:copy()
    local out = ma.empty({ 6, 8 }, "complex128")
    assert(ma.fft.fft(x, { out = out }) == out)
    assert(ma.array_equal(x, before) and ma.array_equal(out, ma.fft.fft(x)))
    local half = ma.fft.rfft(x.real)
    before = half:copy()
    ma.fft.irfft(half)
    assert(ma.array_equal(half, before))
    assert(ma.fft.fft({ 1, 2, 3, 4 })(1) == ma.complex(10, 0) or ma.fft.fft({ 1, 2, 3, 4 })(1).re == 10)
    assert(ma.fft.fft(ma.arange(4)).dtype == "complex128")
    assert(ma.fft.fft(ma.ones(4, "float16")).dtype == "complex64")
    assert(ma.fft.fft(ma.zeros({ 0, 4 })).shape[1] == 0)
  end)

  it("frequencies and shifts", function()
    assert(ma.array_equal(ma.fft.fftfreq(5, 0.5), ma.array { 0, 0.4, 0.8, -0.8, -0.4 }))
    assert(ma.array_equal(ma.fft.fftfreq(4, 0.25), ma.array { 0, 1, -2, -1 }) and ma.fft.fftfreq(4, 0.25).dtype
      == "float64")
    assert(ma.array_equal(ma.fft.rfftfreq(5, 0.5), ma.array { 0, 0.4, 0.8 }))
    assert(ma.array_equal(ma.fft.fftshift(ma.arange(5)), ma.array({ 3, 4, 0, 1, 2 }, "int64")))
    assert(ma.array_equal(ma.fft.ifftshift(ma.fft.fftshift(ma.arange(5))), ma.arange(5)))
    local m = ma.arange(6):reshape(2, 3)
    assert(ma.array_equal(ma.fft.fftshift(m, 2), ma.array({ { 2, 0, 1 }, { 5, 3, 4 } }, "int64")))
  end)

  it("bounds the cache of plans", function()
    local cache = ma.fft.get_plan_cache()
    cache:clear()
    cache:set_size(2)
    for _, n in ipairs { 6, 7, 8, 6, 6 } do ma.fft.fft(ma.ones(n)) end
    local now = ma.fft.get_plan_cache()
    assert(now.size == 2 and now.hits == 1 and now.misses == 4, ("%d %d %d"):format(now.size, now.hits, now.misses))
    cache:set_size(0)
    assert(ma.fft.get_plan_cache().size == 0)
    assert(ma.fft.fft(ma.ones(4))(1).re == 4)
    cache:set_size(16)
    assert(not pcall(core.fft_cache_limit, -1))
  end)

  it("of float16 pairs is that of float32, rounded", function()
    for _, shape in ipairs { { 16, 2 }, { 3, 8, 2 }, { 2, 4, 8, 2 }, { 5, 12, 2 }, { 1, 2 }, { 3, 1024, 2 } } do
      local x = random(shape, "float16")
      local n = x.shape[x.ndim - 1]
      local z = ma.take(x, 1, -1):astype("complex64") + ma.take(x, 2, -1) * ma.complex(0, 1)
      local y, w = ma.fft.fft16(x), ma.fft.fft(z)
      assert.same(x.shape, y.shape)
      local bound = 1e-3 * (math.log(n) / math.log(2) + 2) * math.sqrt(n)
      assert(ma.abs(ma.take(y, 1, -1):astype("float32") - ma.real(w)):max():item() < bound)
      assert(ma.abs(ma.take(y, 2, -1):astype("float32") - ma.imag(w)):max():item() < bound)
      assert(ma.abs(ma.fft.ifft16(y) - x):max():item() < bound / math.sqrt(n) * 2)
      if x.ndim > 2 then
        local a, b = ma.fft.fft16(x, { axes = { 1, 2 }, norm = "ortho" }),
          ma.fft.fftn(z, { axes = { 1, 2 }, norm = "ortho" })
        assert(a.dtype == "float16" and ma.abs(ma.take(a, 1, -1):astype("float32") - ma.real(b)):max():item() < bound)
      end
    end
    assert.same({ 0, 4, 2 }, ma.fft.fft16(ma.zeros({ 0, 4, 2 }, "float16")).shape)
    assert(tostring(select(2, pcall(ma.fft.fft16, ma.ones({ 4, 2 })))):find("a last axis of 2", 1, true))
    assert(tostring(select(2, pcall(ma.fft.fft16, ma.ones({ 4, 2 }, "float16"), { 3 }))):find("axis 3", 1, true))
  end)

  it("is recorded in graphs, which keep their plans", function()
    local cache = ma.fft.get_plan_cache()
    cache:clear()
    local x, half, odd = random({ 6, 40 }, "float64"), random({ 21 }, "complex64"), random({ 3, 5, 7 }, "complex128")
    local function step()
      x:assign(ma.fft.irfft(ma.fft.rfft(x) * 0.5))
      half:imul(2)
      return ma.fft.fft(x, { axis = 1 }), ma.fft.irfft(half, 41), ma.fft.fftn(odd), ma.fft.fft2(x, { norm = "ortho" })
    end
    local graph = ma.cuda.graph(step)
    cache:set_size(0)                                  -- what a graph keeps stays
    local held = ma.fft.get_plan_cache().size
    assert(held >= 4, held)
    for _ = 1, 3 do
      odd:iadd(1)
      local before, before_half = x:copy(), half:copy()
      local found = { graph() }
      for k, a in ipairs(found) do found[k] = a:copy() end
      local after = x:copy()
      x:assign(before)
      half:assign(before_half)
      for k, a in ipairs { step() } do assert(ma.array_equal(a, found[k]), k) end
      assert(ma.array_equal(x, after))
    end
    graph:free()
    assert.equal(0, ma.fft.get_plan_cache().size)
    cache:set_size(16)
  end)

  it("says what is wrong", function()
    local function message(...)
      local good, text = pcall(...)
      assert(not good)
      return text
    end
    assert(message(ma.fft.fft, ma.ones(4), 0):find("fft.fft: n is 0", 1, true))
    assert(message(ma.fft.fft, ma.zeros({ 3, 0 })):find("0 elements to transform", 1, true))
    assert(message(ma.fft.fft, ma.ones(4), nil, 2):find("axis 2 of an array of 1 axes", 1, true))
    assert(message(ma.fft.fft, ma.ones(4), { norm = "half" }):find("wanted 'backward', 'ortho' or 'forward'", 1, true))
    assert(message(ma.fft.fft, ma.ones(4), -1):find("n is -1; wanted a whole number from 1 on", 1, true))
    assert(message(ma.fft.fft, ma.ones(4),
      { out = ma.zeros(4) }):find("moonarray.fft.fft: out of float64 for complex terms", 1, true))
    assert(message(ma.fft.rfft, ma.ones(4),
      { out = ma.zeros(4, "complex128") }):find("out of shape (4) for a result of (3)", 1, true))
    assert(message(function() ma.fft.get_plan_cache():set_size(-1) end):find("the size is -1", 1, true))
    assert(message(ma.fft.rfft, ma.ones(4, "complex64")):find("wanted real elements", 1, true))
    assert(message(ma.fft.fftn, ma.ones({ 2, 2 }), { 1, 2, 3 }):find("3 lengths for an array of 2 axes", 1, true))
  end)
end)

describe("transforms of lengths with a large prime factor", function()
  it("are sums written out", function()
    local n = 1283                                       -- 1282 is twice a prime number
    local k = ma.arange(n)
    local turn = (k:reshape(n, 1) * k:reshape(1, n)) % n * (2 * pi / n)
    local cos, sin = ma.cos(turn):eval(), ma.sin(turn):eval()
    local re, im = ma.sin(k * 1.7) + k / n, ma.cos(k * 0.3) - 0.5
    local x = ma.stack({ re, im })
    local wanted_re, wanted_im = (cos * re):sum(2), -(sin * re):sum(2)
    local real = ma.stack({ wanted_re, wanted_im }, 1)
    for dtype, most in pairs { float64 = 1e-9, float32 = 5e-3 } do
      local wide = dtype == "float64" and "complex128" or "complex64"
      local function is(found, wanted)
        assert(ma.allclose(ma.real(found), wanted[1], { rtol = 0, atol = most }))
        assert(ma.allclose(ma.imag(found), wanted[2], { rtol = 0, atol = most }))
      end
      local rows = x:astype(dtype)
      is(ma.fft.fft(rows)[1], real)
      is(ma.fft.fft(rows:astype(wide))[1], real)
      is(ma.fft.ifft(rows[1]) * n, ma.stack({ wanted_re, -wanted_im }))
      is(ma.fft.rfft(rows)[1], real["..., 1:642"])
      local z = (re + im * ma.complex(0, 1)):astype(wide)
      is(ma.fft.fft(z), ma.stack({ (cos * re + sin * im):sum(2), (cos * im - sin * re):sum(2) }))
      is(ma.fft.ifft(z) * n, ma.stack({ (cos * re - sin * im):sum(2), (cos * im + sin * re):sum(2) }))
      assert(ma.allclose(ma.fft.irfft(ma.fft.rfft(rows), n), rows, { rtol = 0, atol = most }))
      for _, length in ipairs { n, 2 * n } do
        local y = ma.concatenate({ re, im }):astype(dtype)[{ { 1, length } }]
        assert(ma.allclose(ma.fft.irfft(ma.fft.rfft(y), length), y, { rtol = 0, atol = most }))
        local angle = (ma.arange(length) + 0.5) * (pi / length)
        local dct = ma.fft.dct(y)
        for _, f in ipairs { 0, 1, 77, length - 1 } do
          assert(math.abs((y * ma.cos(angle * f)):sum():item() * 2 - dct(f + 1)) < most)
        end
      end
    end
  end)
end)

describe("transforms of lengths with a large prime factor", function()
  it("are those of each axis for several axes, and of an even number of reals those of complex numbers", function()
    for dtype, wide in pairs { float32 = "complex64", float64 = "complex128" } do
      local most = { rtol = 0, atol = dtype == "float32" and 0.05 or 1e-10 }
      for _, n in ipairs { 1283, 2566 } do
        local x = ma.sin(ma.arange(3 * 4 * n, "float64") * 12.9898):reshape(3, 4, n):astype(dtype)
        local half = { {}, {}, { 1, math.floor(n / 2) + 1 } }
        local by_axis = ma.fft.fft(ma.fft.fft(x:astype(wide), { axis = 3 }), { axis = 2 })
        assert(ma.allclose(ma.fft.fft2(x), by_axis, most))
        assert(ma.allclose(ma.fft.rfft2(x), by_axis[half], most))
        assert(ma.allclose(ma.fft.fft2(x:astype(wide)), by_axis, most))
        assert(ma.allclose(ma.fft.irfft2(by_axis[half], { 4, n }), x, most))
        assert(ma.allclose(ma.fft.ifft2(by_axis), x:astype(wide), most))
        by_axis = ma.fft.fft(by_axis, { axis = 1 })
        assert(ma.allclose(ma.fft.rfftn(x), by_axis[half], most))
        assert(ma.allclose(ma.fft.irfftn(by_axis[half], { 3, 4, n }), x, most))
      end
    end
  end)
end)

describe("transforms of rows that are not aligned", function()
  it("are those of the same rows alone", function()
    local x = ma.sin(ma.arange(5 * 50, "float64") * 7.1):reshape(5, 50):astype("float32")
    local z = (x * ma.complex(1, 0.5))[{ {}, { 1, 49 } }]:copy()
    for k = 1, 5 do
      assert(ma.array_equal(ma.fft.rfft(x)[k], ma.fft.rfft(x[k]:copy())))
      assert(ma.array_equal(ma.fft.fft(z)[k], ma.fft.fft(z[k]:copy())))
      assert(ma.allclose(ma.fft.ifft(ma.fft.fft(z))[k], z[k], { rtol = 0, atol = 1e-5 }))
    end
  end)
end)

describe("transforms of reals", function()
  it("have all terms of those of complex numbers", function()
    for _, shape in ipairs { { 1 }, { 2 }, { 5 }, { 3, 8 }, { 4, 7 }, { 2, 3, 4, 5 } } do
      for dtype, wide in pairs { float32 = "complex64", float64 = "complex128" } do
        local x = (ma.sin(ma.arange(ma.zeros(shape).size, "float64") * 7.1) * 5):reshape(shape):astype(dtype)
        local most = dtype == "float32" and 1e-4 or 1e-12
        for _, name in ipairs { "fft", "ifft", "fftn", "ifftn" } do
          local f, lists = ma.fft[name], { {} }
          for d = 1, #shape do
            lists[#lists + 1] = name:find("n$") and { axes = { d, d % #shape + 1 } } or { axis = d }
          end
          for _, options in ipairs(lists) do
            local found, wanted = f(x, options), f(x:astype(wide), options)
            assert.equal(wide, found.dtype)
            assert(ma.allclose(found, wanted, { rtol = 0, atol = most }), name .. " of " .. table.concat(shape, " x "))
          end
        end
      end
    end
  end)
end)

describe("transforms", function()
  it("are NumPy's, in values, shapes and dtypes", function() run "fft" end)
end)

describe("parts of arrays", function()
  it("are transformed as copies of them", function()
    local x = ma.range(1, 9)
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      local part = x:astype(dtype)["2:"]
      for _, name in ipairs(dtype:find "^f" and { "rfft", "fft", "dct" } or { "fft", "irfft", "dct" }) do
        assert(ma.allclose(ma.fft[name](part), ma.fft[name](part:copy())), name .. " of " .. dtype)
      end
    end
    assert(ma.allclose(ma.fft.dct(ma.array { { ma.complex(0.5, -4) } }), ma.array { { ma.complex(1, -8) } }))
  end)

  it("keep an axis of one element apart", function()
    local x = ma.array { { 1, 2 }, { 3, 5 }, { 4, -2 }, { 7, 1 } }
    local column = x[":, 1:1"]
    assert(ma.allclose(ma.fft.rfft2(column), ma.fft.fft(column, nil, 1)))
    assert(ma.allclose(ma.fft.irfft2(x, { 4, 1 }), ma.real(ma.fft.ifft(column, nil, 1))))
  end)
end)
