-- ma.wavfile: sounds in WAV files. What a damaged file gives is an error, or samples.

local helper = require "spec.helper"
local ma = helper.ma
local wav = ma.wavfile

local function bytes_of(hex) return (hex:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)) end

--- Name, rate, samples and file of each golden record.
local function records()
  local list = helper.golden("wavfile")
  local k = 0
  return function()
    k = k + 1
    if not list[k] then return end
    local name, dtype, rate, shape, elements, file = unpack(list[k])
    local extents = {}
    for n in shape:gmatch("%d+") do extents[#extents + 1] = tonumber(n) end
    return name, tonumber(rate), ma.asarray(ma.frombuffer(bytes_of(elements), extents, dtype)), bytes_of(file)
  end
end

local function is_same(want, got, label)
  assert.equal(want.dtype, got.dtype, label)
  assert(ma.array_equal(want:get(), got:get()), label)
end

local made = {}
local function temporary()
  made[#made + 1] = os.tmpname()
  return made[#made]
end
teardown(function() for _, path in ipairs(made) do os.remove(path) end end)

local write = require("spec.file").write

describe("a WAV file", function()
  it("of every kind is read as SciPy reads it", function()
    local count, path = 0, temporary()
    for name, rate, data, bytes in records() do
      local got_rate, got = wav.decode(bytes)
      assert.equal(rate, got_rate)
      is_same(data, got, name)
      write(path, bytes)
      got_rate, got = wav.read(path, { device = "cpu" })
      assert.equal(rate, got_rate)
      is_same(data, got, name)
      assert.equal("cpu", got.device)
      count = count + 1
    end
    assert.equal(21, count)
  end)

  it("is written as SciPy writes it", function()
    local path, count = temporary(), 0
    for name, rate, data, bytes in records() do
      if name == "scipy" then
        wav.write(path, rate, data)
        local file = assert(io.open(path, "rb"))
        assert.equal(bytes, file:read("*a"), data.dtype)
        file:close()
        assert.equal(bytes, wav.encode(rate, data))
        count = count + 1
      elseif name == "wave24" then
        assert.equal(bytes, wav.encode(rate, data, { bits = 24 }))
        count = count + 1
      end
    end
    assert.equal(14, count)
  end)

  it("has as many channels as the array, and comes back", function()
    for _, dtype in ipairs { "uint8", "int16", "int32", "int64", "float32", "float64" } do
      for _, shape in ipairs { { 0 }, { 1 }, { 0, 2 }, { 5, 1 }, { 3, 6 }, { 2, 8191 } } do
        local a = ma.arange(ma.ones(shape).size):reshape(shape):astype(dtype)
        local rate, back = wav.decode(wav.encode(192000, a))
        assert.equal(192000, rate)
        is_same(shape[2] == 1 and a:reshape(shape[1]) or a, back, dtype)
      end
    end
    assert.equal(44 + 3 + 1, #wav.encode(8000, ma.zeros(3, "uint8")))         -- chunks are of even length
    local turned = ma.arange(12, "int16"):reshape(3, 4).T
    is_same(turned, select(2, wav.decode(wav.encode(8000, turned))))
  end)

  it("is read and written at the place of an open file", function()
    local path = temporary()
    local file = assert(io.open(path, "w+b"))
    file:write("head")
    local one, two = ma.array({ 1, 2, 3 }, "int16"), ma.array({ { 1, 2 }, { 3, 4 } }, "float32")
    wav.write(file, 8000, one)
    wav.write(file, 16000, two)
    file:seek("set", 4)
    is_same(one, select(2, wav.read(file)))
    local rate, back = wav.read(file)
    assert.equal(16000, rate)
    is_same(two, back)
    file:close()
    local pipe = assert(io.popen("tail -c +5 " .. path))
    is_same(one, select(2, wav.read(pipe)))
    pipe:close()
    assert.matches("closed file", helper.fails(wav.read, file))
  end)

  it("keeps the old file if it cannot be written", function()
    local path = temporary()
    wav.write(path, 8000, ma.zeros(4, "int16"))
    helper.fails(wav.write, path, 8000, ma.zeros(4, "int8"))
    is_same(ma.zeros(4, "int16"), select(2, wav.read(path)))
  end)
end)

describe("samples", function()
  it("are numbers from -1 to 1 where that is asked for", function()
    for dtype, low in pairs { uint8 = 0, int16 = -2 ^ 15, int32 = -2 ^ 31 } do
      local half = dtype == "uint8" and 192 or -low / 2
      local middle = dtype == "uint8" and 128 or 0
      local bytes = wav.encode(8000, ma.array({ low, middle, half }, dtype))
      local _, got = wav.decode(bytes, { dtype = "float32" })
      is_same(ma.array({ -1, 0, 0.5 }, "float32"), got, dtype)
      _, got = wav.decode(bytes, { dtype = "float64" })
      is_same(ma.array({ -1, 0, 0.5 }, "float64"), got, dtype)
    end
    is_same(ma.array({ 2, -3 }, "float64"),
      select(2, wav.decode(wav.encode(8000, ma.array({ 2, -3 }, "float32")), { dtype = "float64" })))
  end)

  it("of floats become whole numbers of some bits, and those beyond the nearest", function()
    local a = ma.array({ -2, -1, -0.5, 0, 0.25, 1, 2 }, "float32")
    for bits, dtype in pairs { [8] = "uint8", [16] = "int16", [24] = "int32", [32] = "int32" } do
      local _, got = wav.decode(wav.encode(8000, a, { bits = bits }))
      local unit = bits == 24 and 256 or 1
      local full, low = 2 ^ (bits - 1), bits == 8 and 128 or 0
      local want = {}
      for k, v in ipairs { -full, -full, -full / 2, 0, full / 4, full - 1, full - 1 } do want[k] = (v + low) * unit end
      is_same(ma.array(want, dtype), got, bits .. " bits")
    end
    local stereo = ma.array({ { 0.5, -0.5 }, { 0.25, -1 } }, "float64")
    is_same(ma.array({ { 2 ^ 30, -2 ^ 30 }, { 2 ^ 29, -2 ^ 31 } }, "int32"),
      select(2, wav.decode(wav.encode(8000, stereo, { bits = 24 }))))
    assert.matches("data has NaN", helper.fails(wav.encode, 8000, ma.array { 0, ma.nan }, { bits = 16 }))
  end)

  it("that a file cannot hold are refused", function()
    local a = ma.zeros(4, "int16")
    assert.matches("moonarray.wavfile.encode: data is .*int8", helper.fails(wav.encode, 8000, ma.zeros(2, "int8")))
    assert.matches("data is ", helper.fails(wav.encode, 8000, ma.zeros({ 2, 2, 2 }, "int16")))
    assert.matches("data is ", helper.fails(wav.encode, 8000, { 1, 2 }))
    assert.matches("rate is 0", helper.fails(wav.encode, 0, a))
    assert.matches("rate is 44100.5", helper.fails(wav.encode, 44100.5, a))
    assert.matches("rate is 4294967296; at most", helper.fails(wav.encode, 2 ^ 32, a))
    assert.matches("0 channels", helper.fails(wav.encode, 8000, ma.zeros({ 3, 0 }, "int16")))
    assert.matches("bits is 12; wanted 8, 16, 24 or 32", helper.fails(wav.encode, 8000, a, { bits = 12 }))
    assert.matches("bits is 24 for samples of int16", helper.fails(wav.encode, 8000, a, { bits = 24 }))
    assert.matches("file is ", helper.fails(wav.write, 3, 8000, a))
  end)
end)

describe("a file that is no WAV, or a damaged one,", function()
  it("is an error that says what is wrong", function()
    local function little(n, k) return k == 0 and "" or string.char(n % 256) .. little(math.floor(n / 256), k - 1) end
    local function file(kind, channels, block, bits, more, data)
      local format = little(kind, 2) .. little(channels, 2) .. little(8000, 4) .. little(0, 4) .. little(block, 2)
        .. little(bits, 2) .. (more or "")
      return "RIFF" .. little(0, 4) .. "WAVEfmt " .. little(#format, 4) .. format .. (data or "data\4\0\0\0abcd")
    end
    is_same(ma.array({ 25185, 25699 }, "int16"), select(2, wav.decode(file(1, 1, 2, 16))))
    for text, bytes in pairs {
      ["no WAV file"] = "RIFF\0\0\0\0AVI ",
      ["moonarray.wavfile.decode: no WAV"] = "",
      ["it has no format"] = "RIFF\0\0\0\0WAVE",
      ["it has no samples"] = file(1, 1, 2, 16, nil, ""),
      ["kind 6 %(A%-law%)"] = file(6, 1, 1, 8),
      ["0 channels"] = file(1, 0, 2, 16),
      ["2 channels of 16 bits in 3 bytes"] = file(1, 2, 3, 16),
      ["1 channels of 17 bits in 2 bytes"] = file(1, 1, 2, 17),
      ["PCM of 5 bytes"] = file(1, 1, 5, 40),
      ["floats of 2 bytes"] = file(3, 1, 2, 16),
      ["no whole frames of 8"] = file(1, 2, 8, 32),
      ["4 of 5 bytes of samples"] = file(1, 1, 2, 16, nil, "data\5\0\0\0abcd"),
      ["a chunk of 4294967295 bytes"] = file(1, 1, 2, 16, nil, "LIST\255\255\255\255abcd"),
      ["samples come before"] = "RIFF\0\0\0\0WAVEdata\0\0\0\0",
      ["no known kind"] = file(0xfffe, 1, 2, 16, little(22, 2) .. ("x"):rep(22)),
      ["its format has 4 bytes"] = "RIFF\0\0\0\0WAVEfmt \4\0\0\0abcd",
    } do
      assert.matches(text, helper.fails(wav.decode, bytes))
    end
    assert.matches("cannot open", helper.fails(wav.read, "/nowhere/at.wav"))
    assert.matches("wanted a string", helper.fails(wav.decode, 3))
    assert.matches("dtype is \"int8\"", helper.fails(wav.decode, file(1, 1, 2, 16), { dtype = "int8" }))
  end)

  it("never asks for more than it has, wherever the damage is", function()
    local random, read, failed = helper.random(3), 0, 0
    for name, _, data, bytes in records() do
      for n = 0, #bytes - 1, 5 do
        local ok, rate, got = pcall(wav.decode, bytes:sub(1, n))
        if ok then assert(type(rate) == "number" and got.size <= data.size, name) end
      end
      for _ = 1, 25 do
        local at = random(1, math.min(#bytes, 80))
        local changed = bytes:sub(1, at - 1) .. string.char(random(0, 255)) .. bytes:sub(at + 1)
        local ok, rate, got = pcall(wav.decode, changed)
        if ok then
          read = read + 1
          assert(type(rate) == "number" and got.nbytes <= 2 * #bytes, name)
        else
          failed = failed + 1
          assert.matches("moonarray%.wavfile%.decode: ", rate)
        end
      end
    end
    assert(read > 50 and failed > 50, read .. " read, " .. failed .. " refused")
  end)
end)
