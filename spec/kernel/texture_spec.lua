-- Textures and surfaces: ma.cuda.texture. Reads by raw kernels and by kernels in Lua are held against the rules of
-- CUDA's programming guide, written out once more in Lua (texture_rules.lua).

local helper = require "spec.helper"
local ma = helper.ma
local expected = require "spec.kernel.texture_rules"
local T = ma.cuda.texture
local on_cpu = ma.device().name == "cpu"

local function says(text, fn, ...)
  local fine, message = pcall(fn, ...)
  assert.is_false(fine)
  assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
end

local bits = { int8 = 8, uint8 = 8, int16 = 16, uint16 = 16, int32 = 32, uint32 = 32, float16 = 16,
  float32 = 32 }
local ctype = { int8 = "signed char", uint8 = "unsigned char", int16 = "short", uint16 = "unsigned short",
  int32 = "int", uint32 = "unsigned", float32 = "float" }
local cvector = { int8 = "char", uint8 = "uchar", int16 = "short", uint16 = "ushort", int32 = "int", uint32 = "uint",
  float32 = "float" }
local dtypes = { "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32" }

local function format_of(dtype, channels)
  local b = { 0, 0, 0, 0 }
  for k = 1, channels do b[k] = bits[dtype] end
  return T.ChannelFormatDescriptor(b[1], b[2], b[3], b[4],
    dtype:find "^float" and "float" or dtype:find "^u" and "unsigned" or "signed")
end

--- Extents are given x first, as CUDA does.
local function image_of(dtype, channels, extent, flags)
  return T.CUDAarray(format_of(dtype, channels), extent[1], extent[2] or 0, extent[3] or 0, flags)
end

--- Reproducible texels: (z, y, x * channels).
local function texels_of(dtype, channels, extent)
  local shape = { extent[1] * channels }
  for k = 2, #extent do table.insert(shape, 1, extent[k]) end
  local n = 1
  for _, e in ipairs(shape) do n = n * e end
  local values = (ma.arange(n, "int64") * 37 + 11) % 101
  if dtype:find "^float" then return ((values - 50) / 4):astype(dtype):reshape(shape) end
  if dtype:find "^u" then return values:astype(dtype):reshape(shape) end
  return (values - 50):astype(dtype):reshape(shape)
end

-- ==== Kernels ====

local reads = { "tex1D<@>(t, x[i])", "tex2D<@>(t, x[i], x[i + n])", "tex3D<@>(t, x[i], x[i + n], x[i + 2 * n])" }

local kernels = {}

--- A raw kernel that reads at n points, x first, and writes the channels of each.
local function raw_kernel(ndim, dtype, channels)
  local key = ndim .. dtype .. channels
  if not kernels[key] then
    local of = channels == 1 and ctype[dtype] or cvector[dtype] .. channels
    local store = { "y[i] = v;" }
    if channels > 1 then
      for c = 1, channels do
        store[c] = ("y[%d * i + %d] = v.%s;"):format(channels, c - 1, ("xyzw"):sub(c, c))
      end
    end
    kernels[key] = ma.RawKernel(([[
extern "C" __global__ void read_texture(cudaTextureObject_t t, const float *x, %s *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  %s v = %s;
  %s
}]]):format(ctype[dtype], of, reads[ndim]:gsub("@", of), table.concat(store, " ")), "read_texture")
  end
  return kernels[key]
end

--- Points as a list of {x, y, z}; the result is a table of n rows of channels.
local function read_raw(texture, points, ndim, dtype, channels)
  local n, flat = #points, {}
  for d = 1, ndim do
    for k = 1, n do flat[#flat + 1] = points[k][d] end
  end
  local y = ma.zeros({ n, channels }, dtype)
  raw_kernel(ndim, dtype, channels)(math.ceil(n / 64), 64, { texture, ma.array(flat, "float32"), y, n })
  return y:totable()
end

local function texture_of(image, o)
  return T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor(o.modes,
    o.linear and "linear" or "point", o.read, nil, o.border and { o.border, o.border, o.border, o.border } or nil,
    o.normalized))
end

--- Points inside and around, at multiples of 1/256 of a texel, so that no rounding of coordinates is in play. With
--- `between` none lies where two texels meet.
local function points_of(extent, normalized, between)
  local list, state = {}, 12345
  local function random(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % n
  end
  for k = 1, 60 do
    list[k] = {}
    for d = 1, #extent do
      local x = (random(1024) - 256) / 256 * 2                 -- -2 .. 6
      local one = normalized and 1 or extent[d]
      list[k][d] = x / (normalized and 2 or 4) * one + (between and one / 4096 or 0)
    end
  end
  return list
end

local function check(extent, o, dtype, channels, scale)
  dtype, channels = dtype or "float32", channels or 1
  local source = texels_of(dtype, channels, extent)
  local image = image_of(dtype, channels, extent)
  image:copy_from(source)
  local points, values = points_of(extent, o.normalized, not o.linear), source:totable()
  local result = o.read == "normalized_float" and "float32" or dtype == "float16" and "float32" or dtype
  local found = read_raw(texture_of(image, o), points, #extent, result, channels)
  local span = dtype:find "^float" and 25 or o.read and 1 or 0
  for k, point in ipairs(points) do
    for c = 1, channels do
      local wanted = expected(function(x, y, z)
        local row = values
        if #extent == 3 then row = row[z + 1] end
        if #extent >= 2 then row = row[y + 1] end
        local v = row[x * channels + c]
        return scale and math.max(v / scale, -1) or v
      end, extent, point, o)
      local allowed = o.linear and (on_cpu and 1e-5 or span * #extent / 256) or o.read and 1e-6 or 0
      assert(math.abs(found[k][c] - wanted) <= allowed, ("%s %s, point %d (%s), channel %d: %.9g, wanted %.9g"):format(
        dtype, table.concat(extent, " x "), k, table.concat(point, ", "), c, found[k][c], wanted))
    end
  end
end

describe("A texture", function()
  local extents = { { 8 }, { 8, 4 }, { 4, 8, 4 } }

  for _, normalized in ipairs { false, true } do
    for _, mode in ipairs { "wrap", "clamp", "mirror", "border" } do
      for _, linear in ipairs { false, true } do
        it(("with the address mode %s, %s, %s coordinates"):format(mode, linear and "linear" or "point",
          normalized and "normalized" or "plain"), function()
          for _, extent in ipairs(extents) do
            check(extent, { modes = { mode, mode, mode }, linear = linear, normalized = normalized, border = 7.5 })
          end
        end)
      end
    end
  end

  it("with a mode for each axis", function()
    check({ 4, 8, 4 }, { modes = { "wrap", "mirror", "border" }, linear = true, normalized = true, border = -3 })
  end)

  it("of each dtype with 1, 2 and 4 channels", function()
    for _, dtype in ipairs(dtypes) do
      for _, channels in ipairs { 1, 2, 4 } do
        check({ 8, 4 }, { modes = { "clamp", "clamp" } }, dtype, channels)
      end
    end
  end)

  it("of integers beyond what a float holds, exactly", function()
    local image = image_of("int32", 1, { 4 })
    image:copy_from(ma.array({ 16777217, -2147483647, 2147483646, 5 }, "int32"))
    local points = { { 0.5 }, { 1.5 }, { 2.5 }, { 3.5 } }
    local found = read_raw(texture_of(image, { modes = "clamp" }), points, 1, "int32", 1)
    assert.same({ { 16777217 }, { -2147483647 }, { 2147483646 }, { 5 } }, found)
  end)

  it("of 8 and 16 bits read as normalized floats", function()
    for dtype, scale in pairs { int8 = 127, uint8 = 255, int16 = 32767, uint16 = 65535 } do
      check({ 8, 4 }, { modes = { "clamp", "clamp" }, read = "normalized_float" }, dtype, 2, scale)
      check({ 8, 4 }, { modes = { "clamp", "clamp" }, read = "normalized_float", linear = true }, dtype, 1, scale)
    end
    local image = image_of("int8", 1, { 2 })
    image:copy_from(ma.array({ -128, 127 }, "int8"))
    local found = read_raw(texture_of(image, { read = "normalized_float" }), { { 0.5 }, { 1.5 } }, 1, "float32", 1)
    assert.same({ { -1 }, { 1 } }, found)
  end)

  it("of half floats: subnormals, infinities and NaN", function()
    local values = ma.array({ 6e-8, -6e-8, 65504, math.huge, -math.huge, 0 / 0 }, "float16")
    local image = image_of("float16", 1, { 6 })
    image:copy_from(values)
    local points = {}
    for k = 1, 6 do points[k] = { k - 0.5 } end
    local found = read_raw(texture_of(image, { modes = "clamp" }), points, 1, "float32", 1)
    local wanted = values:astype("float32"):totable()
    for k = 1, 5 do assert.equal(wanted[k], found[k][1]) end
    assert.is_true(found[6][1] ~= found[6][1])
  end)

  it("rounds the weight of the linear filter to 1/256", function()
    if not on_cpu then return end                    -- the rule that docs/texture.md states for the CPU
    local image = image_of("float32", 1, { 2 })
    image:copy_from(ma.array({ 0, 256 }, "float32"))
    local found = read_raw(texture_of(image, { modes = "clamp", linear = true }), { { 0.5 + 10.4 / 256 },
      { 0.5 + 10.6 / 256 } }, 1, "float32", 1)
    assert.same({ { 10 }, { 11 } }, found)
  end)

  it("of sRGB bytes", function()
    local image = image_of("uint8", 4, { 2 })
    image:copy_from(ma.array({ 0, 5, 188, 188, 255, 128, 64, 0 }, "uint8"))
    local texture = T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor { readMode =
      "normalized_float", sRGB = true })
    local found = read_raw(texture, { { 0.5 }, { 1.5 } }, 1, "float32", 4)
    local function linear(v)
      v = v / 255
      return v <= 0.04045 and v / 12.92 or ((v + 0.055) / 1.055) ^ 2.4
    end
    local wanted = { { linear(0), linear(5), linear(188), 188 / 255 }, { 1, linear(128), linear(64), 0 } }
    for k = 1, 2 do
      for c = 1, 4 do assert(math.abs(found[k][c] - wanted[k][c]) < (on_cpu and 1e-6 or 2e-3), found[k][c]) end
    end
  end)

  it("of linear memory: tex1Dfetch, 0 outside", function()
    local fetch = ma.RawKernel([[extern "C" __global__ void fetch(unsigned long long t, float2 *y) {
      int k = (int)threadIdx.x - 2;
      y[threadIdx.x] = tex1Dfetch<float2>(t, k);
    }]], "fetch")
    local a = ma.arange(12, "float32")
    local texture = T.TextureObject(T.ResourceDescriptor("linear", { arr = a, chDesc = format_of("float32", 2),
      sizeInBytes = 40 }), T.TextureDescriptor())
    local y = ma.full(20, -1, "float32")
    fetch(1, 10, { texture, y })
    assert.same({ 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0 }, y:totable())
  end)

  it("of rows that are a pitch apart", function()
    local a = ma.arange(3 * 16, "float32"):reshape(3, 16)
    local texture = T.TextureObject(T.ResourceDescriptor("pitch2d", nil, a, format_of("float32", 1), 0, 5, 3, 64),
      T.TextureDescriptor("clamp", "linear"))
    local found = read_raw(texture, { { 0.5, 0.5 }, { 4.5, 2.5 }, { 9, 1.5 }, { 2, 1 } }, 2, "float32", 1)
    assert.same({ { 0 }, { 36 }, { 20 }, { 9.5 } }, found)
  end)

  it("of linear memory of any size, wherever the pool put it", function()
    local fetch = ma.RawKernel([[extern "C" __global__ void fetch(cudaTextureObject_t t, float *y, int n) {
      for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] = tex1Dfetch<float>(t, k);
    }]], "fetch")
    local float, kept = format_of("float32", 1), {}         -- luacheck: ignore 241
    for n = 100, 600, 20 do
      local a, sum = ma.arange(n, "float32"), nil
      if n % 40 == 0 then sum = a + 1 end                       -- a pending program that reads it
      local texture, y = T.TextureObject(T.ResourceDescriptor("linear", nil, a, float), T.TextureDescriptor()),
        ma.zeros(n, "float32")
      fetch(1, 32, { texture, y, n })
      assert.is_true(ma.array_equal(a, y))
      a:imul(2)
      fetch(1, 32, { texture, y, n })
      assert.is_true(ma.array_equal(ma.arange(n, "float32") * 2, y))
      if sum then assert.equal(n * (n + 1) / 2, sum:sum():item()) end
      kept[#kept + 1] = a                                       -- so that the next one lies elsewhere
    end
    if on_cpu then return end
    local texels = ma.arange(64, "float32")["3:"]
    assert.is_true(texels.is_contiguous)
    says("wanted a multiple of 512", T.TextureObject, T.ResourceDescriptor("linear", nil, texels, float),
      T.TextureDescriptor())
  end)

  it("sees what is written to its array later, and keeps the array", function()
    local a = ma.zeros(8, "float32")
    local resource = T.ResourceDescriptor("linear", nil, a + 1, format_of("float32", 1))     -- a pending sum
    local fetch = ma.RawKernel([[extern "C" __global__ void fetch(cudaTextureObject_t t, float *y) {
      y[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
    }]], "fetch")
    local texture, y = T.TextureObject(resource, T.TextureDescriptor()), ma.zeros(8, "float32")
    fetch(1, 8, { texture, y })
    assert.equal(8, y:sum():item())
    resource.arr:assign(ma.arange(8, "float32") * 2)
    fetch(1, 8, { texture, y })
    assert.equal(56, y:sum():item())
    resource.arr:free()
    resource = nil       -- luacheck: ignore 311
    collectgarbage()
    fetch(1, 8, { texture, y })
    assert.equal(56, y:sum():item())
  end)

  it("is freed after the work that reads it, on any stream", function()
    local image, y = image_of("float32", 1, { 64 }), ma.zeros({ 64, 1 }, "float32")
    local kernel, x = raw_kernel(1, "float32", 1), ma.arange(64, "float32") + 0.5
    local streams = { ma.Stream(), ma.Stream { non_blocking = true } }
    for round = 1, 20 do
      local stream = streams[round % 2 + 1]
      stream:with(function()
        image:copy_from(ma.full(64, round, "float32"))
        local texture = texture_of(image, { modes = "clamp" })
        kernel(1, 64, { texture, x, y, 64 })
        texture:free()
      end)
      image:free()
      image = image_of("float32", 1, { 64 })
      assert.equal(64 * round, y:sum():item())
    end
  end)

  it("is read by a graph that replays", function()
    local image, y = image_of("float32", 1, { 4 }), ma.zeros({ 4, 1 }, "float32")
    image:copy_from(ma.array({ 1, 2, 3, 4 }, "float32"))
    local texture, x = texture_of(image, { modes = "clamp" }), ma.arange(4, "float32") + 0.5
    local kernel = raw_kernel(1, "float32", 1)
    local graph = ma.cuda.graph(function() kernel(1, 4, { texture, x, y, 4 }) end)
    texture:free()
    y:fill(0)
    graph:launch()
    assert.equal(10, y:sum():item())
    image:copy_from(ma.array({ 5, 5, 5, 5 }, "float32"))
    graph:launch()
    assert.equal(20, y:sum():item())
  end)
end)

describe("A CUDA array", function()
  it("is copied from and to arrays of its shape", function()
    for _, dtype in ipairs(dtypes) do
      for _, extent in ipairs { { 5 }, { 5, 3 }, { 5, 3, 2 } } do
        for _, channels in ipairs { 1, 2, 4 } do
          local source = texels_of(dtype, channels, extent)
          local image = image_of(dtype, channels, extent)
          image:copy_from(source)
          local back = ma.zeros(source.shape, dtype)
          image:copy_to(back)
          assert.is_true(ma.array_equal(source, back))
        end
      end
    end
  end)

  it("takes channels as an axis, views, and arrays of the host", function()
    local image = image_of("uint8", 4, { 3, 2 })
    local source = ma.arange(48, "uint8"):reshape(4, 6, 2)[{ {}, {}, 1 }]:transpose():reshape(2, 3, 4)
    image:copy_from(source:get())
    local back = ma.zeros({ 4, 3, 2 }, "uint8"):transpose(3, 2, 1)
    assert.is_false(back.is_contiguous)
    image:copy_to(back)
    assert.is_true(ma.array_equal(source, back))
    local host = ma.numpy.zeros({ 2, 12 }, "uint8")
    image:copy_to(host)
    assert.is_true(ma.array_equal(source:get():reshape(2, 12), host))
  end)

  it("has attributes", function()
    local image = image_of("int16", 2, { 7, 5, 3 })
    assert.same({ 7, 5, 3, 3, 0 }, { image.width, image.height, image.depth, image.ndim, image.flags })
    assert.equal("int16", image.desc.dtype)
    assert.is_true(image.ptr > 0)
    assert.equal(ma.device().name, image.device)
    assert.equal("<CUDA array of 3 x 5 x 7 texels of 2 int16>", tostring(image))
    assert.same({ x = 16, y = 16, z = 0, w = 0, f = 0 }, image.desc:get_channel_format())
    image:free()
    image:free()
    says("freed", image.copy_from, image, ma.zeros({ 3, 5, 14 }, "int16"))
  end)

  it("is no array of another shape or dtype", function()
    local image = image_of("float32", 2, { 4, 3 })
    says("a float32 array (4, 6); wanted float32 (3, 8)", image.copy_from, image, ma.zeros({ 4, 6 }, "float32"))
    says("a float64 array (3, 8); wanted float32 (3, 8)", image.copy_to, image, ma.zeros({ 3, 8 }, "float64"))
    says("arr is", image.copy_from, image, 5)
    says("in place of the CUDA array", image.copy_from, {}, ma.zeros({ 3, 8 }, "float32"))
  end)
end)

describe("A surface", function()
  local double = ma.RawKernel([[extern "C" __global__ void twice(cudaSurfaceObject_t s, int dx) {
    int x = threadIdx.x, y = threadIdx.y;
    float2 v = surf2Dread<float2>(s, x * 8, y, cudaBoundaryModeClamp);
    v.x = 2 * v.x;
    v.y = v.y + 1;
    surf2Dwrite(v, s, (x + dx) * 8, y, cudaBoundaryModeZero);
  }]], "twice")

  it("is read and written", function()
    local image = image_of("float32", 2, { 4, 3 }, 2)
    local source = ma.arange(24, "float32"):reshape(3, 4, 2)
    image:copy_from(source)
    local surface = T.SurfaceObject(T.ResourceDescriptor("array", image))
    double(1, { 4, 3 }, { surface, 0 })
    local back = ma.zeros({ 3, 4, 2 }, "float32")
    image:copy_to(back)
    assert.is_true(ma.array_equal(back[":, :, 1"], source[":, :, 1"] * 2))
    assert.is_true(ma.array_equal(back[":, :, 2"], source[":, :, 2"] + 1))
    local texture = texture_of(image, { modes = "clamp" })               -- in order after the surface's writes
    assert.same({ { 44, 24 } }, read_raw(texture, { { 3.5, 2.5 } }, 2, "float32", 2))
  end)

  it("writes nothing outside in the boundary mode zero", function()
    local image = image_of("float32", 2, { 4, 1 }, 2)
    image:copy_from(ma.ones({ 1, 8 }, "float32"))
    double(1, { 4, 1 }, { T.SurfaceObject(T.ResourceDescriptor("array", image)), 3 })
    local back = ma.zeros({ 1, 8 }, "float32")
    image:copy_to(back)
    assert.same({ { 1, 1, 1, 1, 1, 1, 2, 2 } }, back:totable())
  end)

  it("of one and three axes", function()
    local kernel = ma.RawKernel([[extern "C" __global__ void copy(cudaSurfaceObject_t a, cudaSurfaceObject_t b) {
      int x = threadIdx.x;
      short v;
      surf1Dread(&v, a, 2 * x);
      surf3Dwrite(v, b, 2 * (x & 1), x >> 1 & 1, x >> 2);
    }]], "copy")
    local a, b = image_of("int16", 1, { 8 }, 2), image_of("int16", 1, { 2, 2, 2 }, 2)
    a:copy_from(ma.arange(8, "int16"))
    kernel(1, 8, { T.SurfaceObject(T.ResourceDescriptor("array", a)), T.SurfaceObject(T.ResourceDescriptor("array",
      b)) })
    local back = ma.zeros({ 2, 2, 2 }, "int16")
    b:copy_to(back)
    assert.is_true(ma.array_equal(back:ravel(), ma.arange(8, "int16")))
  end)

  it("stops the kernel at a position outside, on the CPU", function()
    if not on_cpu then return end
    local kernel = ma.RawKernel([[
extern "C" __global__ void outside(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 16); }]], "outside")
    says("a position outside the surface", kernel, 1, 1, { T.SurfaceObject(T.ResourceDescriptor("array",
      image_of("float32", 1, { 4 }, 2))) })
  end)

  it("needs a CUDA array that was made for it", function()
    says("no CUDAarray with flags = 2", T.SurfaceObject, T.ResourceDescriptor("array", image_of("float32", 1, { 4 })))
  end)
end)

describe("In a kernel in Lua a texture", function()
  local jit = ma.jit

  it("is read along 1 to 3 axes as in a raw kernel", function()
    local kernels_in_lua = {
      jit.rawkernel("function(t, x, y) local i = jit.grid(1) if i <= #y then y[i] = jit.tex1D(t, x[i]) end end"),
      jit.rawkernel([[function(t, x, y)
        local i = jit.grid(1)
        if i <= #y then y[i] = jit.tex2D(t, x[i], x[i + #y]) end
      end]]),
      jit.rawkernel([[function(t, x, y)
        local i, n = jit.grid(1), #y
        if i <= n then y[i] = jit.tex3D(t, x[i], x[i + n], x[i + 2 * n]) end
      end]]) }
    for ndim, extent in ipairs { { 8 }, { 8, 4 }, { 4, 8, 4 } } do
      local image = image_of("float32", 1, extent)
      image:copy_from(texels_of("float32", 1, extent))
      local texture = texture_of(image, { modes = "mirror", linear = true, normalized = true })
      local points, flat = points_of(extent, true), {}
      for d = 1, ndim do
        for _, p in ipairs(points) do flat[#flat + 1] = p[d] end
      end
      local y = ma.zeros(#points, "float32")
      kernels_in_lua[ndim](1, 64, { texture, ma.array(flat, "float32"), y })
      local wanted = read_raw(texture, points, ndim, "float32", 1)
      for k, v in ipairs(y:totable()) do assert.equal(wanted[k][1], v) end
    end
  end)

  it("gives as many values as it has channels, in a device function too", function()
    local sample = jit.device("function(t, i) return jit.tex1D(t, i - 0.5) end")
    local kernel = jit.rawkernel([[function(t, y)
      local i = jit.grid(1)
      local r, g, b, a = sample(t, i)
      local first = jit.tex1D(t, i - 0.5)
      y[i] = first + 10 * ma.int32(g) + 100 * ma.int32(b) + 1000 * ma.int32(a) + 10000 * ma.int32(r)
    end]], { constants = { sample = sample } })
    local image = image_of("uint8", 4, { 2 })
    image:copy_from(ma.array({ 1, 2, 3, 4, 5, 6, 7, 8 }, "uint8"))
    local y = ma.zeros(2, "int32")
    kernel(1, 2, { texture_of(image, { modes = "clamp" }), y })
    assert.same({ 14321, 58765 }, y:totable())
  end)

  it("of linear memory is read by position from 0", function()
    local kernel = jit.rawkernel("function(t, y) local i = jit.grid(1) y[i] = jit.tex1Dfetch(t, i - 3) end")
    local a = ma.array({ 4, 5, 6 }, "int32")
    local resource = T.ResourceDescriptor("linear", nil, a, format_of("int32", 1))
    local texture = T.TextureObject(resource, T.TextureDescriptor())
    local y = ma.full(6, -1, "int32")
    kernel(1, 6, { texture, y })
    assert.same({ 0, 0, 4, 5, 6, 0 }, y:totable())
    local far = jit.rawkernel("function(t, y) y[1] = jit.tex1Dfetch(t, 4294967296) end")
    far(1, 1, { texture, y })
    assert.equal(0, y(1))
  end)

  it("is told apart from other arguments", function()
    local image = image_of("float32", 1, { 4 })
    local texture, y = texture_of(image, { modes = "clamp" }), ma.zeros(4, "float32")
    local function code(text, ...)
      return jit.rawkernel(text):code_for { ... }
    end
    says("'jit.tex2D' of a texture with coordinates along 1, which tex1D reads", code,
      "function(t, y) y[1] = jit.tex2D(t, 0, 0) end", texture, y)
    says("the first argument of 'jit.tex1D' is", code, "function(t, y) y[1] = jit.tex1D(y, 0) end", texture, y)
    says("a number", code, "function(t, y) y[1] = t + 1 end", texture, y)
    says("available in a kernel alone", jit.tex1D, texture, 0)
    says("texture", jit.rawkernel("function(t, y) y[1] = 1 end"), 1, 1, { image, y })
  end)
end)

describe("Descriptors of textures", function()
  it("take CUDA's numbers and names", function()
    local R = ma.cuda.runtime
    local format = T.ChannelFormatDescriptor(8, 8, 8, 8, R.cudaChannelFormatKindUnsigned)
    assert.equal("uint8", format.dtype)
    local resource = T.ResourceDescriptor(R.cudaResourceTypeArray, T.CUDAarray(format, 4, 4))
    assert.equal(0, resource:get_resource_desc().resType)
    local sampler = T.TextureDescriptor({ R.cudaAddressModeWrap, "border" }, R.cudaFilterModeLinear,
      R.cudaReadModeNormalizedFloat, nil, { 1, 2, 3, 4 }, true, 4)
    assert.same({ addressModes = { 0, 3, 3 }, filterMode = 1, readMode = 1, sRGB = false, borderColors = { 1, 2, 3, 4 },
      normalizedCoords = true, maxAnisotropy = 4 }, sampler:get_texture_desc())
    assert.is_true(T.TextureObject(resource, sampler).ptr > 0)
  end)

  it("are the runtime's too", function()
    local R = ma.cuda.runtime
    local format = format_of("float32", 1)
    local image = R.mallocArray(format, 4, 2, 2)
    local texture = R.createTextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor())
    local surface = R.createSurfaceObject(T.ResourceDescriptor("array", image))
    assert.equal(3, R.malloc3DArray(format, 4, 2, 2).ndim)
    says("wanted a CUDA array", R.freeArray, texture)
    R.destroySurfaceObject(surface)
    R.destroyTextureObject(texture)
    R.freeArray(image)
    says("freed", raw_kernel(2, "float32", 1), 1, 1, { texture, ma.zeros(2, "float32"), ma.zeros(1, "float32"), 1 })
  end)

  it("are checked", function()
    local float, image = format_of("float32", 1), image_of("float32", 1, { 4 })
    local array = T.ResourceDescriptor("array", image)
    says("3 channels", T.ChannelFormatDescriptor, 8, 8, 8, 0, "unsigned")
    says("of the same bits", T.ChannelFormatDescriptor, 8, 16, 0, 0, "unsigned")
    says("of the kind 2", T.ChannelFormatDescriptor, 8, 0, 0, 0, "float")
    says("f is", T.ChannelFormatDescriptor, 8, 0, 0, 0, "whole")
    says("restype is the string 'image'; wanted 'array', 'linear', 'mipmapped_array', 'pitch2d'", T.ResourceDescriptor,
      "image")
    says("mipmapped", T.ResourceDescriptor, "mipmapped_array")
    says("cuArr is nil", T.ResourceDescriptor, "array")
    says("arr is float64; wanted float32", T.ResourceDescriptor, "linear", nil, ma.zeros(4), float)
    says("one after another", T.ResourceDescriptor, "linear", nil, ma.zeros(8, "float32")["::2"], float)
    says("sizeInBytes is 20; wanted a multiple of the texel's 4, at most arr's 16", T.ResourceDescriptor, "linear", nil,
      ma.zeros(4, "float32"), float, 20)
    says("pitchInBytes is 20; wanted a multiple of 32", T.ResourceDescriptor, "pitch2d", nil, ma.zeros(64, "float32"),
      float, 0, 5, 2)
    says("3 rows that are 32 bytes apart; arr has 64", T.ResourceDescriptor, "pitch2d", nil, ma.zeros(16, "float32"),
      float, 0, 5, 3, 32)
    says("addressModes[1] is the string 'round'", T.TextureDescriptor, "round")
    says("a linear filter of int32", T.TextureObject, T.ResourceDescriptor("array", image_of("int32", 1, { 4 })),
      T.TextureDescriptor("clamp", "linear"))
    says("wanted integers of 8 or 16 bits", T.TextureObject, T.ResourceDescriptor("array", image_of("int32", 1, { 4 })),
      T.TextureDescriptor("clamp", "point", "normalized_float"))
    says("linear memory", T.TextureObject, T.ResourceDescriptor("linear", nil, ma.zeros(4, "float32"), float),
      T.TextureDescriptor("clamp", "linear"))
    says("sRGB", T.TextureObject, array, T.TextureDescriptor { sRGB = true })
    says("ResDesc is", T.TextureObject, image, T.TextureDescriptor())
    says("TexDesc is", T.TextureObject, array, array)
    says("width is 0", T.CUDAarray, float, 0)
    says("depth is 3 and height 0", T.CUDAarray, float, 4, 0, 3)
    says("flags is 1", T.CUDAarray, float, 4, 4, 0, 1)
    says("wanted", raw_kernel(1, "float32", 1), 1, 1, { ma.zeros(1, "float32"), texture_of(image, {}), 0, 1 })
  end)

  it("of textures on another device are refused by a launch", function()
    if on_cpu then return end
    local image = ma.device("cpu"):with(image_of, "float32", 1, { 4 })
    local texture = texture_of(image, { modes = "clamp" })
    says("one on cuda:0, where the kernel runs", raw_kernel(1, "float32", 1), 1, 1, { texture, ma.zeros(1, "float32"),
      ma.zeros(1, "float32"), 1 })
  end)
end)
