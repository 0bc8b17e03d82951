-- ma.image: pictures in files and strings, colours of numbers, other sizes. What a damaged PNG gives is an error.

local helper = require "spec.helper"
local LUA = os.getenv("LUAJIT") or "luajit"
local ma = helper.ma
local image = ma.image

local function bytes_of(hex) return (hex:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)) end

--- The array of a golden record: its elements have the high byte first.
local function wanted(dtype, shape, hex)
  local extents = {}
  for n in shape:gmatch("%d+") do extents[#extents + 1] = tonumber(n) end
  local a = ma.asarray(ma.frombuffer(bytes_of(hex), dtype))
  if dtype == "uint16" then a = a:byteswap() end
  return a:reshape(extents)
end

local function is_same(want, got, label)
  assert.equal(want.dtype, got.dtype, label)
  assert(ma.array_equal(want:get(), got:get()), label)
end

local made = {}
local function temporary(ending)
  local path = os.tmpname()
  made[#made + 1], made[#made + 2] = path, path .. ending
  return path .. ending
end
teardown(function() for _, path in ipairs(made) do os.remove(path) end end)

describe("PNG", function()
  it("of every kind is read as Python wrote it", function()
    local count = 0
    for _, record in ipairs(helper.golden("png")) do
      local name, dtype, shape, elements, file = unpack(record)
      is_same(wanted(dtype, shape, elements), image.decode(bytes_of(file)), name)
      count = count + 1
    end
    assert.equal(52, count)
  end)

  it("comes back as it was written, by zlib or not", function()
    local program = temporary(".lua")
    local file = assert(io.open(program, "w"))
    file:write([[
      local ma = require "moonarray"
      ma.random.seed(5)
      for _, dtype in ipairs { "uint8", "uint16" } do
        for _, shape in ipairs { { 1, 1 }, { 5, 7 }, { 300, 200 }, { 40, 30, 1 }, { 9, 4, 2 }, { 64, 65, 3 }, { 7, 100, 4 } } do
          local n = 1
          for _, extent in ipairs(shape) do n = n * extent end
          local smooth = (ma.arange(n) % 200):reshape(shape):astype(dtype)
          local rough = ma.random.randint(0, dtype == "uint8" and 256 or 65536, shape):astype(dtype)
          for _, a in ipairs { smooth, rough, ma.zeros(shape, dtype) } do
            local back = ma.image.decode(ma.image.encode(a))
            assert(back.dtype == dtype and ma.array_equal(back:reshape(shape), a))
          end
        end
      end
      print "equal"
    ]])
    file:close()
    for own = 0, 1 do
      local pipe = io.popen(("MOONARRAY_ZLIB=%d MOONARRAY_DEVICE=cpu '" .. LUA .. "' %s 2>&1"):format(own, program))
      assert.equal("equal\n", pipe:read("*a"))
      pipe:close()
    end
  end)

  it("has a palette where one is given", function()
    local palette = ma.array({ { 255, 0, 0, 255 }, { 0, 255, 0, 128 }, { 9, 8, 7, 255 } }, "uint8")
    local places = ma.array({ { 0, 1 }, { 2, 0 } }, "uint8")
    local back = image.decode(image.encode(places, { palette = palette }))
    is_same(ma.take(palette, places:astype("int64") + 1, 1), back)
    is_same(palette[":, 1:3"][{ 3, {} }], image.decode(image.encode(places, { palette = palette[":, 1:3"] }))[{ 2, 1 }])
  end)

  it("goes through files, and keeps the old one if it cannot be written", function()
    local path = temporary(".png")
    local a = ma.arange(24):reshape(2, 3, 4):astype("uint8")
    image.write(path, a)
    is_same(a, image.read(path))
    helper.fails(image.write, path, a:astype("float32"))
    is_same(a, image.read(path))
  end)

  it("that is damaged gives an error, wherever the damage is", function()
    local a = ma.random.randint(0, 256, { 20, 30, 3 }):astype("uint8")
    local whole = image.encode(a)
    for n = 0, #whole - 1, 7 do
      assert.matches("moonarray%.image%.decode: ", helper.fails(image.decode, whole:sub(1, n)))
    end
    local random, noticed = helper.random(1), 0
    for _ = 1, 400 do
      local at = random(1, #whole)
      local changed = whole:sub(1, at - 1) .. string.char((whole:byte(at) + random(1, 255)) % 256) .. whole:sub(at + 1)
      local ok, got = pcall(image.decode, changed)
      if not ok then noticed = noticed + 1 else assert(ma.array_equal(got:get(), a:get()), "byte " .. at) end
    end
    assert(noticed >= 380, noticed .. " of 400 noticed")
  end)

  it("cannot ask for more memory than its data can fill", function()
    local file = bytes_of(helper.golden("png")[1][5])
    local function with_size(width, height)
      local function word(n) return string.char(math.floor(n / 2 ^ 24) % 256, math.floor(n / 2 ^ 16) % 256,
        math.floor(n / 2 ^ 8) % 256, n % 256) end
      local header = "IHDR" .. word(width) .. word(height) .. file:sub(25, 29)
      local crc = require("bit").bnot(0)
      local bit = require "bit"
      for k = 1, #header do
        crc = bit.bxor(crc, header:byte(k))
        for _ = 1, 8 do crc = bit.bxor(bit.rshift(crc, 1), bit.band(crc, 1) == 1 and 0xedb88320 or 0) end
      end
      return file:sub(1, 12) .. header .. word(bit.bnot(crc) % 2 ^ 32) .. file:sub(34)
    end
    is_same(image.decode(file), image.decode(with_size(11, 7)))
    local all = { max_pixels = math.huge }
    assert.matches("too short for its size", helper.fails(image.decode, with_size(2 ^ 31 - 1, 4e6), all))
    assert.matches("too short for its size", helper.fails(image.decode, with_size(100000, 100000), all))
    assert.matches("no pixels, or too many", helper.fails(image.decode, with_size(0, 7)))
    assert.matches("an image of 100000 x 2685 pixels; at most 268435456 are read, unless max_pixels allows more",
      helper.fails(image.decode, with_size(100000, 2685)))
    assert.matches("an image of 2147483647 x 2147483647 pixels", helper.fails(image.decode,
      with_size(2 ^ 31 - 1, 2 ^ 31 - 1)))
  end)

  it("holds its samples once while it is read", function()
    if not io.open("/proc/self/status") then return pending("no /proc, which tells the most memory of a process") end
    local path, side = temporary(".png"), 4096                    -- 64 MB of samples in 130 kB
    local palette = ma.array({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, "uint8")
    image.write(path, ma.zeros({ side, side }, "uint8"), { palette = palette })
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write([[
      local ma = require "moonarray"
      local function most()
        for line in io.lines "/proc/self/status" do
          local n = line:match "^VmHWM:%s*(%d+)"
          if n then return n / 1024 end
        end
      end
      ma.zeros(1)
      local before = most()
      local image = ma.image.read(arg[1], { device = "cpu" })
      print(image.size / 2 ^ 20, image(1, 1, 4), math.floor(most() - before))
    ]])
    file:close()
    local pipe = io.popen(("MOONARRAY_DEVICE=cpu %s %s %s 2>&1"):format(LUA, script, path))
    local text = pipe:read("*a")
    pipe:close()
    os.remove(script)
    local megabytes, alpha, taken = text:match("^(%d+)\t(%d+)\t(%d+)\n$")
    assert(megabytes == "64" and alpha == "4" and tonumber(taken) < 90, text)
  end)
end)

describe("pictures", function()
  it("of plain bytes come back as they were written", function()
    local random = ma.random.randint(0, 256, { 5, 7, 3 }):astype("uint8")
    for _, format in ipairs { "ppm", "bmp" } do
      is_same(random, image.decode(image.encode(random, format)), format)
      local path = temporary("." .. format)
      image.write(path, random)
      is_same(random, image.read(path), format)
    end
    is_same(random[{ {}, {}, 1 }], image.decode(image.encode(random[{ {}, {}, 1 }], "pgm")))
    local rgba = ma.random.randint(0, 256, { 3, 5, 4 }):astype("uint8")
    is_same(rgba, image.decode(image.encode(rgba, "bmp")))
    is_same(ma.array({ { 0, 255 }, { 51, 102 } }, "uint8"), image.decode("P5 # a comment\n2 2\n5\n\0\5\1\2"))
    is_same(ma.array({ { 258, 772 } }, "uint16"), image.decode("P5\n2 1\n65535\n\1\2\3\4"))
    is_same(ma.array({ { { 258, 772, 1286 } } }, "uint16"), image.decode("P6 1 1 65535 \1\2\3\4\5\6"))
    local padded = image.encode(random, "bmp")                    -- rows of 21 bytes and three more
    is_same(random["::-1"], image.decode(padded:sub(1, 22) .. "\251\255\255\255" .. padded:sub(27)))
    assert.equal(helper.device, image.decode(padded).device)
    assert.equal("cpu", image.decode(padded, { device = "cpu" }).device)
  end)

  it("of more pixels than are wanted are refused before memory is taken for them", function()
    local a = ma.zeros({ 6, 7 }, "uint8")
    for _, format in ipairs { "png", "pgm", "bmp" } do
      local bytes = image.encode(a, format)
      assert.same({ 6, 7 }, { image.decode(bytes, { max_pixels = 42 }).shape[1], 7 }, format)
      assert.matches("moonarray.image.decode: an image of 7 x 6 pixels; at most 41 are read, unless max_pixels",
        helper.fails(image.decode, bytes, { max_pixels = 41.5 }))
    end
    assert.matches("999999999 x 999999999 pixels; at most 268435456", helper.fails(image.decode,
      "P6 999999999 999999999 255 "))
    local little = require "moonarray.common" (helper.core).little
    local function head(height)
      return "BM" .. little(400, 4) .. little(0, 4) .. little(54, 4) .. little(40, 4) .. little(2 ^ 31 - 1, 4)
        .. little(height, 4) .. "\1\0\24\0" .. ("\0"):rep(24)
    end
    assert.matches("2147483647 x 2147483648 pixels", helper.fails(image.decode, head(2 ^ 31)))
    assert.matches("0 of 25769803776000000 bytes", helper.fails(image.decode, head(4e6), { max_pixels = math.huge }))
    assert.matches("max_pixels is 0; wanted 1 or more", helper.fails(image.decode, head(1), { max_pixels = 0 }))
    assert.matches("max_pixels is the string 'x'", helper.fails(image.decode, head(1), { max_pixels = "x" }))
  end)

  it("that are damaged, or of no kind, give an error", function()
    assert.matches("neither PNG nor PPM", helper.fails(image.decode, "GIF89a"))
    assert.matches("3 of 12 bytes", helper.fails(image.decode, "P6\n2 2\n255\nabc"))
    assert.matches("no size", helper.fails(image.decode, "P6\n2 x"))
    assert.matches("damaged", helper.fails(image.decode, "BM" .. ("\0"):rep(20)))
    assert.matches("cannot open", helper.fails(image.read, "/nowhere/at.png"))
    assert.matches("moonarray.image.read: '/tmp' is a folder; wanted a file", helper.fails(image.read, "/tmp"))
    assert.matches("no known format", helper.fails(image.write, "a.gif", ma.zeros({ 2, 2 }, "uint8")))
    assert.matches("to_rgba8", helper.fails(image.write, "a.png", ma.zeros { 2, 2 }))
    assert.matches("a palette; only PNG", helper.fails(image.encode, ma.zeros({ 2, 2 }, "uint8"), "bmp",
      { palette = ma.zeros({ 2, 3 }, "uint8") }))
  end)
end)

describe("colours", function()
  it("of numbers go from the first of the map to the last", function()
    local a = ma.array { { 0, 0.5, 1 }, { -1, 2, ma.nan } }
    local got = image.to_rgba8(a, { colormap = "grey", min = 0, max = 1, bad = { 1, 2, 3 } })
    is_same(ma.array({ { { 0, 0, 0, 255 }, { 128, 128, 128, 255 }, { 255, 255, 255, 255 } },
      { { 0, 0, 0, 255 }, { 255, 255, 255, 255 }, { 1, 2, 3, 255 } } }, "uint8"), got)
    local map = image.colormap("viridis")
    assert.same({ 256, 3 }, { map:dims() })
    assert.equal("[68,  1, 84]", ma.array2string(ma.rint(map[1] * 255):astype("int64"), { separator = ", " }))
    assert.equal("[253, 231,  37]", ma.array2string(ma.rint(map[256] * 255):astype("int64"), { separator = ", " }))
    assert.matches("wanted one of cividis, coolwarm", helper.fails(image.colormap, "jet"))
  end)

  it("of finite values do not depend on the others", function()
    local a = ma.array { 1, 2, 3, ma.inf, -ma.inf, ma.nan }
    local got = image.normalize(a):totable()
    for k, want in ipairs { 0, 0.5, 1, 1, 0 } do assert.equal(want, got[k]) end
    assert(got[6] ~= got[6])
    assert.same({ 0, 0 }, image.normalize(ma.array { 4, 4 }):totable())
    assert.matches("min is .-; wanted a number or an array", helper.fails(image.normalize, ma.ones(2), { min = true }))
  end)

  it("of an image get the channels that it lacks", function()
    is_same(ma.array({ { { 7, 7, 7, 9 } } }, "uint8"), image.to_rgba8(ma.array({ { { 7, 9 } } }, "uint8")))
    is_same(ma.array({ { { 7, 8, 9, 255 } } }, "uint8"), image.to_rgba8(ma.array({ { { 7, 8, 9 } } }, "uint8")))
  end)
end)

describe("an image of another size", function()
  it("mixes pixels by their distance, and averages those of a larger one", function()
    assert.same({ { 0, 0.25, 0.75, 1 } }, image.resize(ma.array { { 0, 1 } }, { 1, 4 }):totable())
    assert.same({ { 2.5 } }, image.resize(ma.array { { 1, 2 }, { 3, 4 } }, { 1, 1 }):totable())
    local a = ma.arange(64):reshape(8, 8):astype("float64")
    assert(ma.allclose(image.resize(a, { 4, 4 }), a:reshape(4, 2, 4, 2):mean { 2, 4 }))
    local two = ma.array({ { 1, 2 } }, "uint8")
    is_same(ma.array({ { 1, 1, 2, 2 } }, "uint8"), image.resize(two, { 1, 4 }, { smooth = false }))
    local rgb = ma.random.randint(0, 256, { 10, 12, 3 }):astype("uint8")
    assert.same({ 5, 30, 3 }, { image.resize(rgb, { 5, 30 }):dims() })
    is_same(rgb, image.resize(rgb, { 10, 12 }))
  end)
end)

describe("arrays in a file", function()
  it("deflated by the library's own compressor, which what reads them does not notice", function()
    local program = temporary(".lua")
    local file = assert(io.open(program, "w"))
    file:write([[
      local ma = require "moonarray"
      local kinds, arrays = { function(n) return ma.random.rand(n) end, ma.zeros, ma.arange,
        function(n) return ma.arange(n) % 251 end, function(n) return ma.sin(ma.arange(n) * 0.01) end }, {}
      ma.random.seed(7)
      for k, kind in ipairs(kinds) do
        for _, n in ipairs { 0, 1, 3, 4096, 4097, 40000 } do arrays["a" .. k .. "_" .. n] = kind(n) end
      end
      ma.savez_compressed(arg[1] .. ".npz", arrays)
      ma.savez(arg[1] .. ".plain.npz", arrays)
    ]])
    file:close()
    local path = temporary("")
    made[#made + 1], made[#made + 2] = path .. ".npz", path .. ".plain.npz"
    local function compress(own)
      local command = "MOONARRAY_ZLIB=%d MOONARRAY_DEVICE=cpu '%s' %s %s"
      assert.equal(0, os.execute(command:format(own, LUA, program, path)))
      local deflated = assert(io.open(path .. ".npz", "rb"))
      local size = deflated:seek("end")
      deflated:close()
      local count = 0
      for name, array in pairs(ma.load(path .. ".plain.npz")) do
        count = count + 1
        assert.equal(array:tobytes(), ma.load(path .. ".npz")[name]:tobytes())
      end
      assert.equal(30, count)
      return size
    end
    local own, zlib = compress(0), compress(1)
    local ffi = require "ffi"
    if own == zlib and not (pcall(ffi.load, "libz.so.1") or pcall(ffi.load, "z")) then return pending("no zlib") end
    assert(own > zlib and own < 1.5 * zlib, ("%d bytes, %d by zlib"):format(own, zlib))
  end)
end)
