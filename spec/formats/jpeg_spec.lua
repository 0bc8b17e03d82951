-- JPEG by libturbojpeg: make test-formats.

local helper = require "spec.helper"
local ma = helper.ma
local image = ma.image

local LUA = os.getenv("LUAJIT") or "luajit"

--- A smooth picture, which a JPEG keeps nearly as it is.
local function smooth(height, width, channels)
  local y, x = ma.arange(height):reshape(height, 1), ma.arange(width):reshape(1, width)
  local parts = {}
  for c = 1, channels do parts[c] = 120 + 60 * ma.sin(x * 0.07 * c) + 50 * ma.cos(y * 0.05 + c) end
  local a = ma.clip(ma.stack(parts, 3), 0, 255):astype("uint8")
  return channels == 1 and a[{ {}, {}, 1 }] or a
end

local function difference(a, b) return ma.abs(a:astype("int64") - b:astype("int64")):max():item() end

--- Height, width, channels, and the sampling of the first channel, of the frame's head.
local function head(bytes)
  local at = 3
  while true do
    local marker = bytes:byte(at + 1)
    if marker == 0xc0 or marker == 0xc2 then
      local function two(k) return bytes:byte(k) * 256 + bytes:byte(k + 1) end
      return two(at + 5), two(at + 7), bytes:byte(at + 9), bytes:byte(at + 11)
    end
    at = at + 2 + bytes:byte(at + 2) * 256 + bytes:byte(at + 3)
  end
end

describe("a JPEG", function()
  it("comes back nearly as it was written", function()
    for _, channels in ipairs { 1, 3 } do
      local a = smooth(50, 70, channels)
      local bytes = image.encode(a, "jpeg", { quality = 95 })
      local height, width, n = head(bytes)
      assert.same({ 50, 70, channels }, { height, width, n })
      local back = image.decode(bytes)
      assert.equal("uint8", back.dtype)
      assert.equal(helper.device, back.device)
      assert.same({ a:dims() }, { back:dims() })
      assert(difference(a, back) <= 12, difference(a, back))
      local flipped = ma.flip(a, 2)
      assert(difference(flipped, back) > 40)
    end
    local thin = smooth(20, 30, 1):reshape(20, 30, 1)
    assert.same({ 20, 30 }, { image.decode(image.encode(thin, "jpg")):dims() })
  end)

  it("is the better the higher its quality, and the longer", function()
    local a = smooth(64, 64, 3)
    local low, high = image.encode(a, "jpeg", { quality = 5 }), image.encode(a, "jpeg", { quality = 100 })
    assert(#low < #high / 2)
    assert(difference(a, image.decode(low)) > difference(a, image.decode(high)))
    assert.equal(#image.encode(a, "jpeg", { quality = 90 }), #image.encode(a, "jpeg"))
  end)

  it("has the colours of every pixel where that is asked for", function()
    local a = smooth(16, 16, 3)
    assert.equal(0x22, select(4, head(image.encode(a, "jpeg"))))
    assert.equal(0x11, select(4, head(image.encode(a, "jpeg", { subsampling = false }))))
  end)

  it("goes through files", function()
    local path = os.tmpname()
    local a = smooth(40, 30, 3)
    for _, ending in ipairs { ".jpg", ".jpeg", ".JPG" } do
      image.write(path .. ending, a)
      assert(difference(a, image.read(path .. ending, { device = "cpu" })) < 20)
      os.remove(path .. ending)
    end
    os.remove(path)
  end)

  it("that cannot be written is refused", function()
    local a = smooth(8, 8, 3)
    local function fails(pattern, ...) assert.matches(pattern, helper.fails(image.encode, ...)) end
    fails("a JPEG has no alpha", ma.zeros({ 2, 2, 4 }, "uint8"), "jpeg")
    fails("wanted .* of uint8", ma.zeros({ 2, 2 }, "uint16"), "jpeg")
    fails("quality is 0", a, "jpeg", { quality = 0 })
    fails("quality is 101", a, "jpeg", { quality = 101 })
    fails("quality is given; only JPEG has it", a, "png", { quality = 50 })
    fails("subsampling is given; only JPEG has it", a, "bmp", { subsampling = false })
    fails("a palette; only PNG", a, "jpeg", { palette = ma.zeros({ 2, 3 }, "uint8") })
    fails("1 x 65501 pixels", ma.zeros({ 1, 65501 }, "uint8"), "jpeg")
  end)

  it("that is damaged gives an error, or a picture", function()
    local a = smooth(40, 60, 3)
    local bytes = image.encode(a, "jpeg")
    for n = 3, #bytes - 3, 41 do
      assert.matches("moonarray%.image%.decode: the JPEG is damaged", helper.fails(image.decode, bytes:sub(1, n)))
    end
    local random, failed = helper.random(2), 0
    for _ = 1, 300 do
      local at = random(4, #bytes)
      local changed = bytes:sub(1, at - 1) .. string.char(random(0, 255)) .. bytes:sub(at + 1)
      local ok, got = pcall(image.decode, changed)
      if not ok then
        failed = failed + 1
        assert.matches("moonarray%.image%.decode: ", got)
      end
    end
    assert(failed > 20, failed)
    local at = bytes:find("\255\192", 1, true) or bytes:find("\255\194", 1, true)
    local large = bytes:sub(1, at + 4) .. "\255\220\255\220" .. bytes:sub(at + 9)
    assert.matches("too few for its 65500 x 65500 pixels", helper.fails(image.decode, large, { max_pixels = 2 ^ 40 }))
    assert.matches("65500 x 65500 pixels; at most 268435456 are read", helper.fails(image.decode, large))
    assert.matches("60 x 40 pixels; at most 2399 are read", helper.fails(image.decode, bytes, { max_pixels = 2399 }))
    assert.matches("the JPEG is damaged: it has no picture", helper.fails(image.decode, "\255\216\255\217"))
  end)

  --- A file with another byte in its frame's head, counted from the marker's second byte.
  local function with(bytes, place, value)
    local at = bytes:find("\255\192", 1, true)
    return bytes:sub(1, at + place) .. string.char(value) .. bytes:sub(at + place + 2)
  end

  it("of a kind that is not read is named", function()
    local function segment(id, text)
      return "\255" .. string.char(id, math.floor((#text + 2) / 256), (#text + 2) % 256) .. text
    end
    -- the head of a picture of four inks whose colours have half of the pixels
    local inks = "\255\216" .. segment(0xee, "Adobe\0\100\0\0\0\0\0")
      .. segment(0xc0, "\8\0\8\0\8\4\1\34\0\2\17\0\3\17\0\4\17\0") .. ("\0"):rep(20)
    local bytes = image.encode(smooth(16, 16, 3), "jpeg")
    for _, row in ipairs {
      { inks, "a JPEG of four colours for print %(CMYK%); grey, RGB and YCbCr are read" },
      { with(bytes, 0, 0xc3), "a JPEG that is lossless or hierarchical; baseline and progressive ones are read" },
      { with(bytes, 3, 12), "a JPEG of 12 bits a sample; those of 8 bits are read" },
      { with(bytes, 8, 2), "a JPEG of 2 colours; grey" },
    } do
      assert.matches("moonarray%.image%.decode: " .. row[2], helper.fails(image.decode, row[1]))
    end
  end)

  it("of one colour is read whatever sampling it names", function()
    local a = smooth(16, 24, 1)
    local bytes = image.encode(a, "jpeg")
    for _, sampling in ipairs { 0x22, 0x21, 0x41 } do
      assert(ma.array_equal(image.decode(bytes), image.decode(with(bytes, 10, sampling))))
    end
  end)

  it("without the library is an error that names its package", function()
    local private = [[unshare -m --propagation unchanged sh -c 'mount --make-rprivate / 2>/dev/null; ]]
    local found = io.popen("ls /usr/lib/*/libturbojpeg.so* /usr/lib*/libturbojpeg.so* 2>/dev/null")
    local files = found:read("*a"):gsub("\n", " ")
    found:close()
    local hide = ("for f in %s; do mount --bind /dev/null $(readlink -f $f) || exit 3; done; "):format(files)
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write([[local ma = require "moonarray" print(pcall(ma.image.encode, ma.zeros({ 2, 2 }, "uint8"), "jpeg"))]])
    file:close()
    local pipe = io.popen(private .. hide .. ("MOONARRAY_DEVICE=cpu %s %s' 2>&1"):format(LUA, script))
    local text = pipe:read("*a")
    pipe:close()
    os.remove(script)
    if not text:find("^false") then return pending("no file can be hidden from a process") end
    assert.matches("JPEG needs libturbojpeg, which is not found; apt%-get install libturbojpeg0", text)
  end)
end)
