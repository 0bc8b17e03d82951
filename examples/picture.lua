-- Images as files: PNG without compression (the blocks of its zlib stream are stored), or PPM and PGM.

local ma = require "moonarray"

local bit = require "bit"
local band, bxor, rshift = bit.band, bit.bxor, bit.rshift

local crc_of = {}
for n = 0, 255 do
  local c = n
  for _ = 1, 8 do c = band(c, 1) == 1 and bxor(rshift(c, 1), 0xedb88320) or rshift(c, 1) end
  crc_of[n] = c
end

local function word(n)                                             -- four bytes, the highest first
  return string.char(band(rshift(n, 24), 255), band(rshift(n, 16), 255), band(rshift(n, 8), 255), band(n, 255))
end

local function chunk(name, data)
  local body, c = name .. data, bit.bnot(0)
  for k = 1, #body do c = bxor(rshift(c, 8), crc_of[band(bxor(c, body:byte(k)), 255)]) end
  return word(#data) .. body .. word(bit.bnot(c))
end

local function stored(data)
  local parts, low, high = { "\120\1" }, 1, 0
  for from = 1, #data, 65535 do
    local piece = data:sub(from, from + 65534)
    local n, last = #piece, from + 65535 > #data
    local length = string.char(n % 256, math.floor(n / 256))
    local opposite = string.char(255 - n % 256, 255 - math.floor(n / 256))
    parts[#parts + 1] = string.char(last and 1 or 0) .. length .. opposite .. piece
  end
  for k = 1, #data do                                              -- Adler-32
    low = (low + data:byte(k)) % 65521
    high = (high + low) % 65521
  end
  parts[#parts + 1] = string.char(math.floor(high / 256), high % 256, math.floor(low / 256), low % 256)
  return table.concat(parts)
end

--- The bytes of an image in uint8, (height, width, channels).
local function png(image)
  local height, width, channels = image:dims()
  local rows = ma.zeros({ height, width * channels + 1 }, "uint8")   -- a row begins with its filter: 0, none
  rows[":, 2:"] = image:reshape(height, width * channels)
  local header = word(width) .. word(height) .. string.char(8, channels == 3 and 2 or 0, 0, 0, 0)
  return "\137PNG\r\n\26\n" .. chunk("IHDR", header) .. chunk("IDAT", stored(rows:tobytes())) .. chunk("IEND", "")
end

local function pnm(image)
  local height, width, channels = image:dims()
  return ("P%d\n%d %d\n255\n"):format(channels == 3 and 6 or 5, width, height) .. image:tobytes()
end

--- Writes an image in uint8, (height, width) or (height, width, channels), as PNG, or as PPM or PGM if the name ends
--- so.
local function write(path, image)
  if image.ndim == 2 then image = image["..., _"] end
  local file = assert(io.open(path, "wb"))
  file:write(path:find("%.p[gpn]m$") and pnm(image) or png(image))
  file:close()
end

return { write = write }
