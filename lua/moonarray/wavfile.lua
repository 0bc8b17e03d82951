--- ma.wavfile: sounds in WAV files, as scipy.io.wavfile reads and writes them.

local sformat, floor = require("moonarray.text").format, math.floor

local PCM, FLOAT, EXTENSIBLE = 1, 3, 0xfffe
local OTHER = { [2] = "ADPCM", [6] = "A-law", [7] = "mu-law", [0x11] = "ADPCM", [0x55] = "MP3", [0xff] = "AAC" }
local GUID_TAIL = "\0\0\0\0\16\0\128\0\0\170\0\56\155\113"          -- of a subformat, behind its number
local UNKNOWN = 2 ^ 32 - 1                                          -- the size in a stream whose end was not known

--- The number in n bytes from `at` on, the lowest byte first; with `big` the highest byte first.
local function number(bytes, at, n, big)
  local value = 0
  for k = 0, n - 1 do value = value * 256 + bytes:byte(big and at + k or at + n - 1 - k) end
  return value
end

-- ==== Where the bytes come from ====================================================================================

--- Readers have these fields: `left`, the number of bytes to the end; read(n), which returns n bytes as a string, or
--- fewer at the end; skip(n); and array(dtype, n).
local function string_reader(ma, bytes)
  local at = 1
  local reader = { left = #bytes }
  function reader.skip(n) at, reader.left = at + n, reader.left - n end
  function reader.read(n)
    local part = bytes:sub(at, at + n - 1)
    reader.skip(#part)
    return part
  end
  function reader.array(dtype, n, size)
    return ma.frombuffer(reader.read(n * size), { n }, dtype, { device = "cpu" }):copy()
  end
  return reader
end

local function file_reader(ma, file)
  local here = file:seek()
  local last = here and file:seek("end")
  if not last then return string_reader(ma, file:read("*a") or "") end             -- a pipe
  file:seek("set", here)
  local reader = { left = last - here }
  function reader.skip(n)
    file:seek("cur", n)
    reader.left = reader.left - n
  end
  function reader.read(n)
    local part = file:read(n) or ""
    reader.left = reader.left - #part
    return part
  end
  function reader.array(dtype, n, size)
    reader.left = reader.left - n * size
    return ma.fromfile(file, dtype, { count = n, device = "cpu" })
  end
  return reader
end

-- ==== Reading ======================================================================================================

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local little = common.little

  local function damaged(name, text, ...) fail(name, "the sound is damaged: " .. sformat(text, ...)) end

  --- What the chunk `fmt ` says of the samples' format.
  local function read_format(name, body, big)
    if #body < 16 then damaged(name, "its format has %d bytes; 16 are wanted", #body) end
    local about = { kind = number(body, 1, 2, big), channels = number(body, 3, 2, big), rate = number(body, 5, 4, big) }
    local block, bits = number(body, 13, 2, big), number(body, 15, 2, big)
    if about.kind == EXTENSIBLE then
      if #body < 40 or body:sub(27, 40) ~= GUID_TAIL and not big then
        damaged(name, "its extensible format has no known kind")
      end
      about.kind = number(body, 25, big and 4 or 2, big)
    end
    if about.kind ~= PCM and about.kind ~= FLOAT then
      fail(name, sformat("samples of kind %d%s; PCM (1) and floats (3) are read", about.kind,
        OTHER[about.kind] and " (" .. OTHER[about.kind] .. ")" or ""))
    end
    local size = block / about.channels
    if about.channels == 0 or size ~= floor(size) or size == 0 or bits > 8 * size or bits == 0 then
      damaged(name, "%d channels of %d bits in %d bytes", about.channels, bits, block)
    end
    about.size = size
    about.dtype = about.kind == FLOAT and ({ [4] = "float32", [8] = "float64" })[size]
      or about.kind == PCM and ({ "uint8", "int16", "uint8", "int32", [8] = "int64" })[size]
    if not about.dtype then
      fail(name, sformat("%s of %d bytes; wanted 1, 2, 3, 4 or 8 of PCM, 4 or 8 of floats",
        about.kind == PCM and "PCM" or "floats", size))
    end
    return about
  end

  --- The samples of the chunk `data`, (frames,) or (frames, channels), on the host.
  local function read_samples(name, reader, about, nbytes, big)
    if nbytes > reader.left then damaged(name, "%d of %.0f bytes of samples", reader.left, nbytes) end
    local block = about.size * about.channels
    if nbytes % block ~= 0 then
      damaged(name, "%.0f bytes of samples, which are no whole frames of %d", nbytes, block)
    end
    local three = about.kind == PCM and about.size == 3
    local n = nbytes / block * about.channels
    local data
    if n == 0 then data = ma.zeros(0, { dtype = three and "int32" or about.dtype, device = "cpu" })
    elseif three then
      local raw = reader.array("uint8", 3 * n, 1):reshape(n, 3)
      if big then raw = ma.flip(raw, 2) end
      local wide = ma.zeros({ n, 4 }, { dtype = "uint8", device = "cpu" })
      wide[":, 2:4"] = raw
      data = wide:view("int32"):reshape(n)
    else
      data = reader.array(about.dtype, n, about.size)
      if big then data = data:byteswap() end
    end
    return about.channels == 1 and data or data:reshape(n / about.channels, about.channels)
  end

  local FULL = { uint8 = 128, int16 = 2 ^ 15, int32 = 2 ^ 31, int64 = 2 ^ 63, float32 = 1, float64 = 1 }

  local function read_sound(name, reader, dtype, device)
    if dtype ~= nil and dtype ~= "float32" and dtype ~= "float64" then
      fail(name, sformat("dtype is %s; wanted \"float32\" or \"float64\", or nothing", type(dtype) == "string"
        and sformat("%q", dtype) or core.describe(dtype)))
    end
    local head = reader.read(12)
    local kind = head:sub(1, 4)
    if #head < 12 or head:sub(9) ~= "WAVE" or not (kind == "RIFF" or kind == "RIFX" or kind == "RF64") then
      fail(name, "no WAV file: its first bytes are not those of one")
    end
    local big, about, long = kind == "RIFX", nil, nil
    while true do
      head = reader.read(8)
      if #head < 8 then damaged(name, "it has no %s", about and "samples" or "format") end
      local chunk, size = head:sub(1, 4), number(head, 5, 4, big)
      if chunk == "data" then
        if not about then damaged(name, "its samples come before their format") end
        if size == UNKNOWN then
          size = kind == "RF64" and long or reader.left - reader.left % (about.size * about.channels)
        end
        local data = read_samples(name, reader, about, size, big)
        if dtype then
          local low = data.dtype == "uint8" and 128 or 0
          data = ((data:astype("float64") - low) / FULL[data.dtype]):astype(dtype)
        end
        return about.rate, device ~= "cpu" and data:to(device or ma.zeros(1).device) or data
      end
      if size > reader.left then damaged(name, "a chunk of %d bytes; %d are left", size, reader.left) end
      if chunk == "fmt " or chunk == "ds64" then
        local body = reader.read(math.min(size, 64))
        if chunk == "fmt " then about = read_format(name, body, big)
        elseif #body >= 16 then long = number(body, 9, 8) end
        size = size + size % 2 - #body
      else
        size = size + size % 2
      end
      reader.skip(math.min(size, reader.left))
    end
  end

  --- Whether it is an open file and not a path.
  local function is_handle(name, file)
    local kind = io.type(file)
    if kind == "file" then return true end
    if type(file) == "string" then return false end
    fail(name, sformat("file is %s; wanted a path or an open file", kind or core.describe(file)))
  end

  def("wavfile.read(file: string|file*; dtype?: dtype, device?: string) -> number, array",
    "The rate of a WAV file in samples a second, and its samples: (samples,), or (samples, channels) of more than one "
    .. "channel, in uint8, int16, int32, int64, float32 or float64 as they are kept; 24 bits are the upper ones of "
    .. "int32. With dtype = \"float32\" or \"float64\" they are numbers from -1 to 1. `file` is a path or open file.",
    function(file, dtype, device)
      local name = "wavfile.read"
      local opened, own = common.open(name, "file", file)
      local ok, rate, data = pcall(read_sound, name, file_reader(ma, opened), dtype, device)
      if own then opened:close() end
      if not ok then error(rate, 0) end
      return rate, data
    end)

  def("wavfile.decode(bytes: string; dtype?: dtype, device?: string) -> number, array",
    "The same from the bytes of a WAV file in a string.",
    function(bytes, dtype, device)
      local name = "wavfile.decode"
      return read_sound(name, string_reader(ma, common.type(name, "bytes", bytes, "string")), dtype, device)
    end)

  -- ==== Writing ====================================================================================================

  local BITS = { uint8 = 8, int16 = 16, int32 = 32, int64 = 64, float32 = 32, float64 = 64 }

  --- The samples in the format of the file, on the host. Samples of 24 bits are three bytes each.
  local function keep(name, data, bits)
    if bits == nil or bits == BITS[data.dtype] and not data.dtype:find("^float") then return data end
    if bits == 24 and data.dtype == "int32" then
      return data:copy():view("uint8"):reshape(data.size, 4)[":, 2:4"]
    end
    if not data.dtype:find "^float" then
      fail(name, sformat("bits is %d for samples of %s; wanted samples of floats, or int32 for 24 bits", bits,
        data.dtype))
    end
    if ma.any(ma.isnan(data)) then fail(name, "data has NaN, which is no sample of a whole number") end
    local most = 2 ^ (bits - 1)
    local whole = ma.clip(ma.rint(data:astype("float64") * most), -most, most - 1)
    if bits == 8 then return (whole + 128):astype("uint8") end
    if bits == 24 then return (whole * 256):astype("int32"):view("uint8"):reshape(data.size, 4)[":, 2:4"] end
    return whole:astype("int" .. bits)
  end

  local function check_data(name, rate, data, bits)
    common.whole(name, "rate", rate, 1, 2 ^ 32 - 1)
    if not is_array(data) or not BITS[data.dtype] or data.ndim < 1 or data.ndim > 2 then
      fail(name, sformat("data is %s; wanted (samples,) or (samples, channels) of uint8, int16, int32, int64, float32 "
        .. "or float64", core.describe(data)))
    end
    if bits ~= nil and bits ~= 8 and bits ~= 16 and bits ~= 24 and bits ~= 32 then
      fail(name, sformat("bits is %s; wanted 8, 16, 24 or 32", type(bits) == "number" and bits or core.describe(bits)))
    end
    local channels = data.ndim == 1 and 1 or data.shape[2]
    if channels < 1 or channels > 8191 then fail(name, sformat("%d channels; wanted 1 to 8191", channels)) end
    return channels
  end

  --- The file's bytes as an array on the host.
  local function make_file(name, rate, data, bits)
    local channels = check_data(name, rate, data, bits)
    local host = keep(name, data:get(), bits)
    local frames = data.shape[1]
    local is_float = host.dtype:find "^float" ~= nil
    local depth = bits or BITS[host.dtype]
    local block, kind = channels * depth / 8, is_float and FLOAT or PCM
    local many = channels > 2
    local format = little(many and EXTENSIBLE or kind, 2) .. little(channels, 2) .. little(rate, 4)
      .. little(rate * block % 2 ^ 32, 4) .. little(block, 2) .. little(depth, 2)
    if many then format = format .. little(22, 2) .. little(depth, 2) .. little(0, 4) .. little(kind, 2) .. GUID_TAIL
    elseif is_float then format = format .. "\0\0" end
    local body = "WAVEfmt " .. little(#format, 4) .. format
    if is_float then body = body .. "fact" .. little(4, 4) .. little(frames, 4) end
    local nbytes = frames * block
    local pad = nbytes % 2
    if #body + 8 + nbytes + pad > UNKNOWN then
      fail(name, sformat("%.0f bytes of samples; a WAV file holds 4 GB", nbytes))
    end
    local head = "RIFF" .. little(#body + 8 + nbytes + pad, 4) .. body .. "data" .. little(nbytes, 4)
    local parts = { ma.frombuffer(head, "uint8", { device = "cpu" }) }
    if nbytes > 0 then parts[2] = core.contiguous(host):reshape(host.size):view("uint8") end
    if pad == 1 then parts[#parts + 1] = ma.zeros(1, { dtype = "uint8", device = "cpu" }) end
    return ma.concatenate(parts)
  end

  --> wavfile.write wavfile.read: local name = os.tmpname() .. ".wav"
  -->   ma.wavfile.write(name, 8000, ma.zeros(4, "int16"))
  -->   local rate, samples = ma.wavfile.read(name)
  -->   os.remove(name)
  -->   return samples
  def("wavfile.write(file: string|file*, rate: integer, data: data; bits?: integer)",
    "Writes a WAV file: `rate` samples a second of data, (samples,) or (samples, channels) of uint8, int16, int32, "
    .. "int64, float32 or float64, each in its own form. With bits = 8, 16, 24 or 32, floats from -1 to 1 become whole "
    .. "numbers of that many bits, and those beyond the nearest; with bits = 24, int32 loses its lowest 8 bits. `file` "
    .. "is a path or an open file.", function(file, rate, data, bits)
      is_handle("wavfile.write", file)
      make_file("wavfile.write", rate, data, bits):tofile(file)
    end)

  --> wavfile.encode wavfile.decode:
  --> \ local rate, samples = ma.wavfile.decode(ma.wavfile.encode(8000, ma.zeros(4, "int16")))
  -->   return rate
  def("wavfile.encode(rate: integer, data: data; bits?: integer) -> string",
    "The bytes of a WAV file as a string. See ma.wavfile.write.",
    function(rate, data, bits) return make_file("wavfile.encode", rate, data, bits):tobytes() end)
end
