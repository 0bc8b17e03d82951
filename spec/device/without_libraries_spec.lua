-- Products and transforms on a GPU without cuBLAS and cuFFT, on the pretended GPU where there is no other. Products of
-- whole numbers are exact, and are held against sums on the CPU; some terms of each transform are summed there.

local helper = require "spec.helper"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local lacking = require "spec.lacking"

local luajit = os.getenv("LUAJIT") or "luajit"
local there = helper.ma.cuda.is_available()
local environment = there and "MOONARRAY_DEVICE=cuda" or gpu.environment

--- What a program prints.
local function output(program)
  local text
  file.with_folder(function(folder)
    file.write(folder .. "/program.lua", program)
    text = select(2, file.run(("%s MOONARRAY_CUDA_LIBRARIES=0 %s %s/program.lua"):format(environment, luajit, folder)))
  end)
  return text
end

-- An operand is a part of a larger array, at any place, transposed or not.
local PRODUCTS = [[
  local ma = require "moonarray"
  math.randomseed(%d)
  local R = math.random

  --- A view of rows x columns in an array that begins and ends elsewhere, and that array.
  local function part(dtype, batch, rows, columns, turned, fill)
    local r, c = rows + R(0, 5), columns + R(0, 5)
    local shape = turned and { c, r } or { r, c }
    if batch then table.insert(shape, 1, batch) end
    local whole = fill and ma.full(shape, fill, dtype)
      or ma.array(ma.random.randint(-3, 4, shape, { device = "cpu" }):astype(dtype), { device = "cuda" })
    local top, left = R(0, r - rows), R(0, c - columns)
    local x = turned and whole:swapaxes(-1, -2) or whole
    return x[("..., %%d:%%d, %%d:%%d"):format(top + 1, top + rows, left + 1, left + columns)], whole
  end

  local function check(dtype, m, k, n, batch)
    local a = part(dtype, batch, m, k, R() < 0.5)
    local b = part(dtype, R() < 0.5 and batch or nil, k, n, R() < 0.5)
    local c, whole = part(dtype, batch, m, n, R() < 0.5, 77)
    ma.matmul(a, b, c)
    local x, y, got = a:to("cpu"), b:to("cpu"), c:to("cpu")
    local wanted = ma.sum(x["..., _"] * y["..., _, :, :"], -2, { dtype = dtype })
    local case = ("%%s %%d x %%d x %%d of %%s"):format(dtype, m, k, n, tostring(batch))
    assert(ma.array_equal(got, wanted), case)
    c:fill(77)
    assert(ma.array_equal(whole:to("cpu"), ma.full(whole.shape, 77, dtype):to("cpu")), case .. ": around the result")
  end
  %s
  print("right")
]]

describe("products without cuBLAS", function()
  if not there and not gpu.is_built() then
    pending("are tried on the pretended GPU, which make pretend builds")
    return
  end

  local function try(calls)
    local text = lacking.quiet(output(PRODUCTS:format(helper.seed, calls)), "matmul of float[36]")
    assert(text == "right\n", ("SEED=%d: %s"):format(helper.seed, text))
  end

  it("have any shape, place and batch", function()
    try [[
      for _, dtype in ipairs { "float32", "float64" } do
        for _ = 1, 12 do check(dtype, R(1, 140), R(1, 70), R(17, 140), R() < 0.3 and R(1, 3) or nil) end
        check(dtype, 70, 33, 5)
        check(dtype, 9, 40, 130, 2)
      end
      for _, dtype in ipairs { "float16", "bfloat16", "complex64", "complex128" } do check(dtype, 67, 10, 35) end
    ]]
  end)

  it("have large tiles, and long sums in parts", function()
    try [[
      check("float32", 131, 9, 130, 70)
      check("float64", 131, 9, 66, 70)
      check("float32", 65, 1500, 40)
      check("float64", 65, 1500, 1)
      check("float32", 1, 1030, 65, 2)
    ]]
  end)

  it("have batches of several axes", function()
    local text = output [[
      local ma = require "moonarray"
      local a, b = ma.arange(2 * 3 * 20 * 70, "float32"):reshape(2, 3, 20, 70), ma.ones({ 3, 70, 90 }, "float32")
      local c = ma.matmul(a:swapaxes(1, 2):copy():swapaxes(1, 2), b)
      print(ma.array_equal(c, ma.broadcast_to(a:sum(-1, { keepdims = true }), c.shape)))
    ]]
    assert.matches("^true\n$", text)
  end)

  it("are those that show_config finds no cuBLAS for", function()
    local text = output [[require("moonarray").show_config()]]
    for _, title in ipairs { "cuBLAS", "cuSOLVER", "cuFFT", "cuRAND" } do
      assert(text:find(("%s is turned off by MOONARRAY_CUDA_LIBRARIES=0"):format(title), 1, true), text)
    end
  end)
end)

local TRANSFORMS = [[
  local ma = require "moonarray"
  math.randomseed(%d)
  local fft, host = ma.fft, { device = "cpu" }
  local BOUND = { float32 = 1e-6, float64 = 2e-15 }

  local function numbers(dtype, shape) return ma.array(ma.random.randn(unpack(shape)):to("cpu"):astype(dtype), host) end

  --- Terms of rows by the definition, as real and imaginary parts in float64.
  local function term(re, im, k, sign)
    local n = re.shape[re.ndim]
    local angle = ma.remainder(ma.arange(0, n, 1, { dtype = "int64", device = "cpu" }) * k, n):astype("float64")
      * (2 * math.pi / n)
    local c, s = ma.cos(angle), ma.sin(angle) * sign
    return ma.sum(re * c - im * s, -1), ma.sum(re * s + im * c, -1)
  end

  local function near(case, dtype, got, wanted, norm)
    local off = ma.abs(got:astype("float64") - wanted):max():item()
    assert(off <= BOUND[dtype] * norm, ("%%s: off by %%g of %%g"):format(case, off, norm))
  end

  local function check(dtype, rows, n)
    local case, norm = ("%%s, %%d of %%d"):format(dtype, rows, n), 3 * n ^ 0.5 + 3
    local re, im = numbers(dtype, { rows, n }), numbers(dtype, { rows, n })
    local x, z = re:to("cuda"), ma.empty({ rows, n }, dtype == "float32" and "complex64" or "complex128")
    ma.real(z):assign(x)
    ma.imag(z):assign(im:to("cuda"))
    local forward, back, half = fft.fft(z):to("cpu"), fft.ifft(z):to("cpu"), fft.rfft(x)
    local reals, zero = half:to("cpu"), re:astype("float64") * 0
    for turn = 0, 5 do
      local k = turn == 0 and 0 or turn == 1 and n - 1 or math.random(0, n - 1)
      local a, b = term(re:astype("float64"), im:astype("float64"), k, -1)
      near(case, dtype, ma.real(forward)[":, " .. k + 1], a, norm * 3)
      near(case, dtype, ma.imag(forward)[":, " .. k + 1], b, norm * 3)
      a, b = term(re:astype("float64"), im:astype("float64"), k, 1)
      near(case .. ", inverse", dtype, ma.real(back)[":, " .. k + 1] * n, a, norm * 3)
      near(case .. ", inverse", dtype, ma.imag(back)[":, " .. k + 1] * n, b, norm * 3)
      if k <= n / 2 then
        a, b = term(re:astype("float64"), zero, k, -1)
        near(case .. ", of reals", dtype, ma.real(reals)[":, " .. k + 1], a, norm * 3)
        near(case .. ", of reals", dtype, ma.imag(reals)[":, " .. k + 1], b, norm * 3)
      end
    end
    near(case .. ", to reals", dtype, fft.irfft(half, n):to("cpu"), re:astype("float64"), 10)
  end
  %s
  print("right")
]]

describe("transforms without cuFFT", function()
  if not there and not gpu.is_built() then
    pending("are tried on the pretended GPU, which make pretend builds")
    return
  end

  local function try(calls)
    local text = lacking.quiet(output(TRANSFORMS:format(helper.seed, calls)), "Fourier transform")
    assert(text == "right\n", ("SEED=%d: %s"):format(helper.seed, text))
  end

  it("have lengths of factors 2, 3, 5 and 7", function()
    try [[
      for _, dtype in ipairs { "float32", "float64" } do
        for _, n in ipairs { 1, 2, 3, 4, 5, 6, 7, 8, 16, 30, 49, 64, 105, 128, 243, 512, 625, 1000, 2401 } do
          check(dtype, math.random(1, 20), n)
        end
        check(dtype, 700, 2)
      end
    ]]
  end)

  it("are of two passes where a line does not fit", function()
    try [[
      check("float32", 2, 4096)
      check("float32", 1, 8192)
      check("float32", 3, 16807)
      check("float64", 2, 2500)
      check("float64", 1, 30000)
    ]]
  end)

  it("have several axes, of complex numbers and of reals", function()
    try [=[
      for _, shape in ipairs { { 6, 10 }, { 10, 7 }, { 3, 4, 6, 10 }, { 2, 4500, 3 }, { 5, 2, 4200 } } do
        local n, dtype = math.min(#shape, 3), math.random() < 0.5 and "float32" or "float64"
        local axes = {}
        for k = 1, n do axes[k] = k - n - 1 end
        local x = numbers(dtype, shape):to("cuda")
        local wanted = fft.rfft(x)
        for k = 2, n do wanted = fft.fft(wanted:swapaxes(-k, -1), nil, -1):swapaxes(-k, -1) end
        local case, norm = dtype .. table.concat(shape, " "), x.size ^ 0.5 * 5
        local function same(got, of)
          near(case, dtype, ma.real(got):to("cpu"), ma.real(of):to("cpu"):astype("float64"), norm)
          near(case, dtype, ma.imag(got):to("cpu"), ma.imag(of):to("cpu"):astype("float64"), norm)
        end
        local got = fft.rfftn(x, nil, axes)
        same(got, wanted)
        local z = x:astype(got.dtype)
        same(fft.fftn(z, nil, axes)["..., 1:" .. got.shape[got.ndim]], got)
        same(fft.ifftn(fft.fftn(z, nil, axes), nil, axes), z)
        local last = {}
        for k = 1, n do last[k] = shape[#shape - n + k] end
        near(case, dtype, fft.irfftn(got, last, axes):to("cpu"), x:to("cpu"):astype("float64"), 10)
      end
    ]=]
  end)

  it("are the CPU's for other lengths, with one warning a dtype that says which lengths there are", function()
    local text = output [=[
      local ma = require "moonarray"
      local fft = ma.fft
      local x = ma.arange(3 * 11 * 13, { dtype = "float64" }):reshape(3, 11, 13):to("cuda")
      local function same(got, wanted)
        assert(got.device == x.device and got.dtype == wanted.dtype, tostring(got.device))
        ma.testing.assert_allclose(got:to("cpu"), wanted, 1e-12, 1e-9)
      end
      local h = x:to("cpu")
      local plan = fft.get_fft_plan(x:astype("complex128"))
      same(fft.fft(x), fft.fft(h))
      same(fft.ifft(x:astype("complex128"), nil, 2), fft.ifft(h:astype("complex128"), nil, 2))
      same(fft.rfftn(x), fft.rfftn(h))
      same(fft.irfftn(fft.rfftn(x), { 3, 11, 13 }), h)
      same(fft.fft(x["..., ::-2"].T, nil, 2), fft.fft(h["..., ::-2"].T, nil, 2))
      assert(fft.fft(ma.ones(1953125, "complex128")).device == x.device)
      print(fft.fft(x:astype("float32")).dtype, fft.fft(ma.zeros({ 0, 11 })).shape[2], plan ~= nil)
      ma.allow_synchronize(false)
      print(select(2, pcall(fft.fft, x)))
      ma.allow_synchronize(true)
      print(fft.ifft16(fft.fft16(ma.ones({ 4, 2 }, "float16"))):sum())
    ]=]
    local function why(n, dtype, most)
      return (" a Fourier transform of %s runs on the CPU: %d %s elements to transform without cuFFT; a length with "
        .. "factors of 2, 3, 5 and 7 is wanted, as the product of two of at most %d: cuFFT is turned off by "
        .. "MOONARRAY_CUDA_LIBRARIES=0\n"):format(dtype, n, dtype, most)
    end
    local wanted = { "program.lua:10:" .. why(13, "complex128", 2432), why(13, "complex64", 4096),
      "complex64\t11\ttrue\n", "; the CPU cannot stand in where allow_synchronize(false) holds\n" }
    for _, part in ipairs(wanted) do assert(text:find(part, 1, true), text) end
    assert.equal(2, select(2, text:gsub(" a Fourier transform of %w+ runs on the CPU: ", "")), text)
    assert(text:find("\n8.0 (0-d float16, cuda:0)\n", 1, true), text)
  end)
end)
