-- Animations: the frames of GIF and PNG files, read back by a reader of this file's own, are those that were written.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local image = ma.image

local read = require("spec.file").read

local made = {}
local function temporary(ending)
  local path = os.tmpname()
  made[#made + 1], made[#made + 2] = path, path .. ending
  return path .. ending
end
teardown(function() for _, path in ipairs(made) do os.remove(path) end end)

-- ==== A reader of GIF ================================================================================================

--- LZW by the book: a table of strings, which grows by one with each code.
local function decompress(data, bits)
  local clear, stop = 2 ^ bits, 2 ^ bits + 1
  local table_of, width, out, before
  local sum, count, at = 0, 0, 1
  local function start()
    table_of, width, before = {}, bits + 1, nil
    for k = 0, clear - 1 do table_of[k] = string.char(k) end
    table_of[clear], table_of[stop] = "", ""
  end
  start()
  out = {}
  while true do
    while count < width do
      sum, count, at = sum + data:byte(at) * 2 ^ count, count + 8, at + 1
    end
    local code = sum % 2 ^ width
    sum, count = math.floor(sum / 2 ^ width), count - width
    if code == stop then return table.concat(out), at - 1 end
    if code == clear then start()
    else
      local text = table_of[code] or before .. before:sub(1, 1)
      assert(table_of[code] or code == #table_of + 1, "a code that cannot be")
      out[#out + 1] = text
      if before and #table_of < 4095 then table_of[#table_of + 1] = before .. text:sub(1, 1) end
      if #table_of + 1 == 2 ^ width and width < 12 then width = width + 1 end
      before = text
    end
  end
end

--- Frames as lists {delay in hundredths, clear or nil, pixels as bytes of RGB}, and size and repetition.
local function read_gif(bytes)
  assert.equal("GIF89a", bytes:sub(1, 6))
  local width, height = bytes:byte(7) + 256 * bytes:byte(8), bytes:byte(9) + 256 * bytes:byte(10)
  assert(bytes:byte(11) < 128, "no palette of the file")
  local gif, at, control = { width = width, height = height }, 14, nil
  while true do
    local kind = bytes:byte(at)
    if kind == 59 then
      assert.equal(#bytes, at)
      return gif
    elseif kind == 33 then
      local label, size = bytes:byte(at + 1), bytes:byte(at + 2)
      local body = bytes:sub(at + 3, at + 2 + size)
      at = at + 3 + size
      if label == 249 then control = body
      else
        assert.equal("NETSCAPE2.0", body)
        gif.loop = bytes:byte(at + 2) + 256 * bytes:byte(at + 3)
        at = at + 4
      end
      assert.equal(0, bytes:byte(at))
      at = at + 1
    else
      assert.equal(44, kind)
      assert.equal(width, bytes:byte(at + 5) + 256 * bytes:byte(at + 6))
      local bits = bytes:byte(at + 9) % 8 + 1
      local palette = bytes:sub(at + 10, at + 9 + 3 * 2 ^ bits)
      at = at + 10 + 3 * 2 ^ bits
      local least, blocks = bytes:byte(at), {}
      at = at + 1
      while bytes:byte(at) > 0 do
        blocks[#blocks + 1] = bytes:sub(at + 1, at + bytes:byte(at))
        at = at + 1 + bytes:byte(at)
      end
      at = at + 1
      local data = table.concat(blocks)
      local places, used = decompress(data, least)
      assert.equal(#data, used)
      gif[#gif + 1] = { delay = control:byte(2) + 256 * control:byte(3), clear = control:byte(1) % 2 == 1
        and control:byte(4), places = places, pixels = places:gsub(".", function(p)
          return palette:sub(3 * p:byte() + 1, 3 * p:byte() + 3)
        end) }
    end
  end
end

local function pixels_of(frame, gif)
  return ma.frombuffer(frame.pixels, { gif.height, gif.width, 3 }, "uint8", { device = "cpu" })
end

-- ==== A reader of animated PNG =======================================================================================

local function word(n)
  return string.char(math.floor(n / 2 ^ 24) % 256, math.floor(n / 2 ^ 16) % 256, math.floor(n / 256) % 256, n % 256)
end

local function number_at(bytes, at)
  local a, b, c, d = bytes:byte(at, at + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local function chunk(kind, data) return word(#data) .. kind .. data .. word(core.crc32(kind .. data)) end

--- Frames as lists {delay, image}, the number of plays, and whether the file is in order.
local function read_apng(bytes)
  local head, before, frames, at, sequence = bytes:sub(1, 33), "", {}, 34, 0
  local info = {}
  while at <= #bytes do
    local size, kind = number_at(bytes, at), bytes:sub(at + 4, at + 7)
    local data = bytes:sub(at + 8, at + 7 + size)
    assert.equal(number_at(bytes, at + 8 + size), core.crc32(kind .. data))
    if kind == "acTL" then info.frames, info.loop = number_at(data, 1), number_at(data, 5)
    elseif kind == "fcTL" then
      assert.equal(sequence, number_at(data, 1))
      sequence = sequence + 1
      frames[#frames + 1] = { data = "", delay = (data:byte(21) * 256 + data:byte(22)) / (data:byte(23) * 256
        + data:byte(24)) }
    elseif kind == "IDAT" then frames[1].data = frames[1].data .. data
    elseif kind == "fdAT" then
      assert.equal(sequence, number_at(data, 1))
      sequence = sequence + 1
      frames[#frames].data = frames[#frames].data .. data:sub(5)
    elseif kind ~= "IEND" then before = before .. bytes:sub(at, at + 11 + size) end
    at = at + 12 + size
  end
  for _, frame in ipairs(frames) do
    frame.image = image.decode(head .. before .. chunk("IDAT", frame.data) .. chunk("IEND", ""))
  end
  assert.equal(#frames, info.frames)
  return frames, info
end

-- ==== The tests ======================================================================================================

--- Frames of few colours: a square that goes to the right.
local function squares(n, channels)
  local frames = {}
  for k = 1, n do
    local frame = ma.full({ 12, 20, channels }, 250, "uint8")
    frame[{ { 4, 8 }, { 2 * k, 2 * k + 3 }, { 1, 1 } }] = 20 * k
    frames[k] = frame
  end
  return frames
end

describe("checksums", function()
  it("are CRC-32", function()
    assert.equal(0xcbf43926, core.crc32("123456789"))
    assert.equal(0, core.crc32(""))
  end)
end)

describe("GIF", function()
  it("has the frames of few colours as they are, with their times", function()
    local path, frames = temporary(".gif"), squares(4, 3)
    assert.equal(4, image.write_animation(path, frames, { delay = 0.25, loop = 3 }))
    local gif = read_gif(read(path))
    assert.same({ 4, 20, 12, 2 }, { #gif, gif.width, gif.height, gif.loop })
    for k, frame in ipairs(gif) do
      assert.equal(25, frame.delay)
      assert(ma.array_equal(frames[k]:get(), pixels_of(frame, gif)), "frame " .. k)
    end
  end)

  it("finds colours for what has more than 256", function()
    local x, y = ma.linspace(0, 255, 120):reshape(1, 120), ma.linspace(0, 255, 100):reshape(100, 1)
    local frame = ma.stack({ x + 0 * y, 0 * x + y, (x + y) / 2 }, 3):astype("uint8")
    local path = temporary(".gif")
    image.write_animation(path, { frame })
    local gif = read_gif(read(path))
    local off = ma.abs(pixels_of(gif[1], gif):astype("int32") - frame:get():astype("int32"))
    assert(off:max():item() < 32 and off:mean():item() < 4, off:mean():item())
    assert.equal(0, gif.loop)
  end)

  it("of noise comes back, over many full tables", function()
    local path = temporary(".gif")
    local frame = ma.random.default_rng(1):integers(0, 4, { 150, 200 }):astype("uint8")
    for _, colours in ipairs { 4, 256 } do
      local palette = (ma.arange(3 * colours) % 251):reshape(colours, 3):astype("uint8")
      local places = colours == 4 and frame or ma.random.default_rng(2):integers(0, 256, { 150, 200 }):astype("uint8")
      image.write_animation(path, { places }, { palette = palette, loop = 1 })
      local gif = read_gif(read(path))
      assert.equal(places:get():tobytes(), gif[1].places)
      assert.equal(nil, gif.loop)
      assert(ma.array_equal(ma.take(palette:get(), places:get():astype("int64") + 1, 1), pixels_of(gif[1], gif)))
    end
    for _, shape in ipairs { { 1, 1 }, { 1, 4095 }, { 64, 64 } } do
      image.write_animation(path, { ma.zeros(shape, "uint8") })
      assert.equal(("\0"):rep(shape[1] * shape[2]), read_gif(read(path))[1].places)
    end
  end)

  it("has what is transparent as a colour of its own", function()
    local frame = ma.array({ { { 255, 0, 0, 255 }, { 0, 255, 0, 0 }, { 255, 0, 0, 200 } } }, "uint8")
    local path = temporary(".gif")
    image.write_animation(path, { frame })
    local gif = read_gif(read(path))
    local clear = gif[1].clear
    assert.same({ true, true, true }, { gif[1].places:byte(1) ~= clear, gif[1].places:byte(2) == clear,
      gif[1].places:byte(3) ~= clear })
  end)

  it("shows numbers by a colour map, with the same ends for all frames", function()
    local path = temporary(".gif")
    local frames = ma.array { { { 0, 1 }, { 2, 4 } }, { { 4, 4 }, { ma.nan, 9 } } }
    image.write_animation(path, frames, { colormap = "grey", min = 0, max = 4 })
    local gif = read_gif(read(path))
    assert.same({ "\0\64\128\255", "\255\255\0\255" }, { gif[1].places, gif[2].places })
    assert.equal(128, pixels_of(gif[1], gif)(2, 1, 1))
  end)
end)

describe("PNG with several pictures", function()
  it("has the frames and their times, and is a PNG of the first one for others", function()
    for channels = 1, 4 do
      local path, frames = temporary(".png"), squares(3, channels)
      local animation = image.animation(path, { delay = 0.1, loop = 5 })
      animation:add(frames[1]):add(frames[2], { delay = 1.5 }):add(frames[3])
      assert.equal(3, animation:close())
      local got, info = read_apng(read(path))
      assert.same({ 3, 5 }, { info.frames, info.loop })
      assert.same({ 0.1, 1.5, 0.1 }, { got[1].delay, got[2].delay, got[3].delay })
      for k = 1, 3 do assert(ma.array_equal(frames[k]:get():reshape(got[k].image.shape), got[k].image:get())) end
      assert(ma.array_equal(got[1].image, image.read(path)))
    end
  end)

  it("has one palette for all", function()
    local path = temporary(".apng")
    local frames = ma.arange(2 * 3 * 4):reshape(2, 3, 4) / 23
    image.write_animation(path, frames, { colormap = "viridis", min = 0, max = 1 })
    local got = read_apng(read(path))
    assert.same({ 253, 231, 37 }, got[2].image[{ -1, -1 }]:totable())
    assert.same({ 68, 1, 84 }, got[1].image[{ 1, 1 }]:totable())
  end)
end)

describe("an animation", function()
  it("may be pictures with numbers", function()
    local base = temporary("")
    local frames = squares(3, 3)
    local k = 0
    image.write_animation(base .. "%02d.png", function()
      k = k + 1
      return frames[k]
    end)
    for n = 1, 3 do
      local path = ("%s%02d.png"):format(base, n)
      assert(ma.array_equal(frames[n]:get(), image.read(path):get()))
      os.remove(path)
    end
  end)

  it("takes figures", function()
    local path = temporary(".gif")
    local count = ma.plot.animation(path, 3, function(k)
      return ma.plot.figure { width = 60, height = 40 }:plot({ 0, k }):axis "off"
    end, { delay = 0.5 })
    local gif = read_gif(read(path))
    assert.same({ 3, 3, 60, 40, 50 }, { count, #gif, gif.width, gif.height, gif[3].delay })
    local wanted = ma.plot.figure { width = 60, height = 40 }:plot({ 0, 3 }):axis("off"):to_image()
    assert(ma.array_equal(wanted, pixels_of(gif[3], gif)))
  end)

  it("says what is wrong, and leaves the old file", function()
    local path = temporary(".gif")
    image.write_animation(path, squares(2, 3))
    local before = read(path)
    local palette = ma.zeros({ 4, 3 }, "uint8")
    for _, row in ipairs {
      { "a frame of shape (12, 20, 4); wanted (12, 20, 3)", function()
        image.write_animation(path, { squares(1, 3)[1], squares(1, 4)[1] })
      end },
      { "without frames", function() image.write_animation(path, {}) end },
      { "no known format", function() image.animation "a.jpg" end },
      { "more than one %", function() image.animation "a%d%d.png" end },
      { "frame is a float64 array", function() image.animation(path):add(ma.zeros { 2, 2 }) end },
      { "delay is -1", function() image.animation(path, { delay = -1 }) end },
      { "loop is -1; wanted a whole number", function() image.animation(path, { loop = -1 }) end },
      { "a place of 4 in a palette of 4", function()
        image.animation(path, { palette = palette }):add(ma.full({ 2, 2 }, 4, "uint8"))
      end },
      { "palette is", function() image.animation(path, { palette = ma.zeros { 4, 3 } }) end },
      { "a palette and a colormap", function()
        image.animation(path, { palette = palette, colormap = "grey" })
      end },
      { "wanted one of cividis", function() image.animation(path, { colormap = "jet" }) end },
      { "is closed", function()
        local animation = image.animation(path .. "%d.png")
        animation:close()
        animation:add(squares(1, 3)[1])
      end },
      { "write animation:close(...)", function() image.animation(path).close(1) end },
      { "no attribute 'push'; it has add, close", function() image.animation(path):push() end },
      { "fn(1) returned nil", function() ma.plot.animation(path, 2, function() end) end },
    } do
      local message = helper.fails(row[2])
      assert(message:find(row[1], 1, true), message .. "\n  has not: " .. row[1])
    end
    assert.equal(before, read(path))
  end)
end)
