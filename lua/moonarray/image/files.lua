--- Pictures in files and strings: PNG, which the core reads and writes, and PPM, PGM and BMP, whose pixels are plain
--- bytes.

local tonumber, tostring = require("moonarray.text").tonumber, require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local little = common.little

  --- The image in uint8 or uint16 on the host, with its size.
  local function check_image(name, image, depths)
    if not is_array(image) then fail(name, sformat("image is %s; wanted an array", core.describe(image))) end
    local channels = image.ndim == 2 and 1 or image.shape[3]
    if not depths[image.dtype] or (image.ndim ~= 2 and image.ndim ~= 3) or channels < 1 or channels > 4 then
      fail(name, sformat("image is %s; wanted (height, width) or (height, width, 1 to 4) of %s; ma.image.to_rgba8 " ..
        "makes colours of numbers", core.describe(image), depths.text))
    end
    if image.size == 0 then fail(name, "image has no pixels") end
    return image:get(), image.shape[1], image.shape[2], channels
  end

  -- ==== Sizes ========================================================================================================

  local MOST_PIXELS = 2 ^ 28

  --- The most pixels of an image that is read.
  local function check_most(name, most)
    if most == nil then return MOST_PIXELS end
    common.number(name, "max_pixels", most)
    if most < 1 or most ~= most then fail(name, sformat("max_pixels is %s; wanted 1 or more", tostring(most))) end
    return math.min(math.floor(most), 2 ^ 53)
  end

  --- Looks at the size of an image, whose pixels are bytes of the file from `start` on. Nothing is allocated before.
  local function check_size(name, bytes, start, width, height, nbytes, most)
    if width * height > most then
      fail(name, sformat("an image of %.0f x %.0f pixels; at most %.0f are read, unless max_pixels allows more", width,
        height, most))
    end
    if #bytes - start < nbytes then
      fail(name, sformat("the picture is damaged: %d of %.0f bytes of pixels", math.max(0, #bytes - start), nbytes))
    end
  end

  --- The bytes of the pixels, which are not copied.
  local function bytes_from(bytes, start, n)
    return ma.frombuffer(bytes, "uint8", { device = "cpu" })[{ { start + 1, start + n } }]
  end

  -- ==== PPM and PGM ==================================================================================================

  local function encode_pnm(name, image)
    local host, height, width, channels = check_image(name, image, { uint8 = true, text = "uint8" })
    if channels == 2 or channels == 4 then
      fail(name, sformat("image has %d channels; PPM and PGM have no alpha", channels))
    end
    return sformat("P%d\n%d %d\n255\n", channels == 3 and 6 or 5, width, height) .. host:tobytes()
  end

  --- The numbers of the head, behind white space and comments, and the place of the pixels.
  local function pnm_head(name, bytes)
    local numbers, at = {}, 3
    for k = 1, 3 do
      local from, to = bytes:find("^[ \t\r\n]+", at)
      at = from and to + 1 or at
      while bytes:sub(at, at) == "#" do
        at = (bytes:find("\n", at, true) or #bytes) + 1
        at = bytes:match("^[ \t\r\n]*()", at)
      end
      local number, after = bytes:match("^(%d+)()", at)
      if not number or #number > 9 then fail(name, "the picture is damaged: its head has no size") end
      numbers[k], at = tonumber(number), after
    end
    return numbers[1], numbers[2], numbers[3], at + 1
  end

  local function decode_pnm(name, bytes, limit)
    local channels = bytes:sub(2, 2) == "6" and 3 or 1
    local width, height, most, at = pnm_head(name, bytes)
    local wide = most > 255
    local n = width * height * channels * (wide and 2 or 1)
    if width == 0 or height == 0 or most == 0 or most > 65535 then
      fail(name, "the picture is damaged: its head has no size")
    end
    check_size(name, bytes, at - 1, width, height, n, limit)
    local image = bytes_from(bytes, at - 1, n)
    if wide then
      image = image:reshape(n / 2, 2)
      image = image[":, 1"]:astype("uint16") * 256 + image[":, 2"]
    end
    local full = wide and 65535 or 255
    if most ~= full then image = ma.rint(image:astype("float64") * (full / most)):astype(image.dtype) end
    return image:reshape(channels == 3 and { height, width, 3 } or { height, width })
  end

  -- ==== BMP ==========================================================================================================

  local function encode_bmp(name, image)
    local host, height, width, channels = check_image(name, image, { uint8 = true, text = "uint8" })
    host = host:reshape(height, width, channels)
    if channels < 3 then host = ma.concatenate({ host[{ {}, {}, { 1, 1 } }], host[{ {}, {}, { 1, 1 } }], host }, 3) end
    if channels == 2 then host = host[":, :, 2:"] end
    local alpha = channels == 2 or channels == 4
    local size = alpha and 4 or 3
    local pixels = ma.zeros({ height, width, size }, "uint8")
    for c = 1, 3 do pixels[{ {}, {}, c }] = host[{ {}, {}, 4 - c }] end
    if alpha then pixels[":, :, 4"] = host[":, :, -1"] end
    local row = math.ceil(width * size / 4) * 4
    local rows = ma.zeros({ height, row }, "uint8")
    rows[{ {}, { 1, width * size } }] = ma.flip(pixels, 1):reshape(height, width * size)
    local head = little(40, 4) .. little(width, 4) .. little(height, 4) .. little(1, 2) .. little(8 * size, 2)
      .. little(0, 4) .. little(height * row, 4) .. little(2835, 4) .. little(2835, 4) .. little(0, 4) .. little(0, 4)
    return "BM" .. little(54 + height * row, 4) .. little(0, 4) .. little(54, 4) .. head .. rows:tobytes()
  end

  --- A number of n bytes at a place of a string, the lowest byte first.
  local function number_at(bytes, at, n, signed)
    local value = 0
    for k = n, 1, -1 do value = value * 256 + (bytes:byte(at + k - 1) or 0) end
    if signed and value >= 256 ^ n / 2 then value = value - 256 ^ n end
    return value
  end

  local function decode_bmp(name, bytes, limit)
    local start, head, width = number_at(bytes, 11, 4), number_at(bytes, 15, 4), number_at(bytes, 19, 4, true)
    local height, bits, method = number_at(bytes, 23, 4, true), number_at(bytes, 29, 2), number_at(bytes, 31, 4)
    local upward = height > 0
    height = math.abs(height)
    if #bytes < 54 or head < 40 or width < 1 or height < 1 then fail(name, "the picture is damaged: its head") end
    if (bits ~= 24 and bits ~= 32) or (method ~= 0 and method ~= 3) then
      fail(name, sformat("a BMP of %d bits a pixel with compression %d; 24 and 32 bits without one are read", bits,
        method))
    end
    local size, row = bits / 8, math.ceil(width * bits / 32) * 4
    check_size(name, bytes, start, width, height, height * row, limit)
    local rows = bytes_from(bytes, start, height * row):reshape(height, row)
    if upward then rows = ma.flip(rows, 1) end
    local image = ma.empty({ height, width, size }, { dtype = "uint8", device = "cpu" })
    for c = 1, size do image[{ {}, {}, c }] = rows[{ {}, { c < 4 and 4 - c or 4, width * size, size } }] end
    return image
  end

  -- ==== All formats ==================================================================================================

  --- Options of a JPEG: from 1 to 100, and whether colours have a sample for each pixel.
  local function encode_jpeg(name, image, _, quality, full)
    check_image(name, image, { uint8 = true, text = "uint8" })
    if image.ndim == 3 and (image.shape[3] == 2 or image.shape[3] == 4) then
      fail(name, sformat("image has %d channels; a JPEG has no alpha", image.shape[3]))
    end
    return core.jpeg_encode(image, common.whole(name, "quality", quality == nil and 90 or quality, 1, 100), full)
  end

  local formats = {
    jpeg = { encode = encode_jpeg },
    png = { encode = function(_, image, palette) return core.png_encode(image, palette) end },
    pnm = { encode = encode_pnm, decode = decode_pnm },
    bmp = { encode = encode_bmp, decode = decode_bmp },
  }
  formats.ppm, formats.pgm, formats.jpg = formats.pnm, formats.pnm, formats.jpeg

  local function format_of(name, text, what)
    local format = formats[text]
    if not format then
      fail(name, sformat("%s is %s; wanted \"png\", \"jpeg\", \"ppm\", \"pgm\" or \"bmp\"", what,
        type(text) == "string" and sformat("%q", text) or core.describe(text)))
    end
    return format
  end

  local function decode(name, bytes, device, most)
    most = check_most(name, most)
    if bytes:sub(1, 8) == "\137PNG\r\n\26\n" then return core.png_decode(bytes, most, device) end
    if bytes:sub(1, 3) == "\255\216\255" then return core.jpeg_decode(bytes, most, device) end
    local how = bytes:find("^P[56][ \t\r\n#]") and decode_pnm or bytes:sub(1, 2) == "BM" and decode_bmp
    if not how then fail(name, "neither PNG nor PPM, PGM, BMP or JPEG") end
    return ma.scope(function() return ma.array(how(name, bytes, most), { device = device }) end)
  end

  local depths = { uint8 = true, uint16 = true, text = "uint8 or uint16" }

  --- The format, of which the options that are given are options.
  local function check_format(name, text, palette, quality, subsampling)
    local format = format_of(name, text, "format")
    if palette ~= nil and format ~= formats.png then fail(name, "a palette; only PNG has one") end
    if (quality ~= nil or subsampling ~= nil) and format ~= formats.jpeg then
      fail(name, (quality ~= nil and "quality" or "subsampling") .. " is given; only JPEG has it")
    end
    return format
  end

  --> image.encode image.decode: ma.image.decode(ma.image.encode(ma.full({1, 2, 3}, 200, "uint8"))).dtype
  def("image.encode(image: array, format?: string; palette?: array, quality?: integer, "
    .. "subsampling?: boolean) -> string",
    "The bytes of a picture as a string. `image` is (height, width) or (height, width, 1 to 4) of uint8, or for PNG of "
    .. "uint16; format is \"png\", \"jpeg\", \"ppm\", \"pgm\" or \"bmp\". With `palette`, a (n, 3) or (n, 4) array of "
    .. "uint8, the pixels are places in it, counted from 0 as in the file. A JPEG, which needs libturbojpeg, has a "
    .. "quality from 1 to 100 (90), and with subsampling = false the colours of every pixel.",
    function(image, format, palette, quality, subsampling)
      local name = "image.encode"
      local how = check_format(name, format == nil and "png" or format, palette, quality, subsampling)
      if how == formats.png then check_image(name, image, depths) end
      return how.encode(name, image, palette, quality, subsampling == false)
    end)

  def("image.decode(bytes: string; device?: string, max_pixels?: number) -> array",
    "The picture in a string: an array of uint8, or uint16 for a PNG of 16 bits. A PNG's palette becomes its colours. "
    .. "PNG, PPM, PGM and BMP need no library, JPEG needs libturbojpeg. One of more than max_pixels, 2^28 unless it is "
    .. "given, is an error before memory is taken for it.",
    function(bytes, device, max_pixels)
      if type(bytes) ~= "string" then
        fail("image.decode", sformat("bytes is %s; wanted a string", core.describe(bytes)))
      end
      return decode("image.decode", bytes, device, max_pixels)
    end)

  --> image.write image.read: local name = os.tmpname() .. ".png"
  -->   ma.image.write(name, ma.full({2, 3}, 200, "uint8"))
  -->   local picture = ma.image.read(name)
  -->   os.remove(name)
  -->   return picture
  def("image.write(path: string, image: array; format?: string, palette?: array, quality?: integer, "
    .. "subsampling?: boolean)",
    "Writes a picture; the format is that of the path's ending (.png, .jpg, .jpeg, .ppm, .pgm, .bmp) unless it is "
    .. "given. See ma.image.encode.", function(path, image, format, palette, quality, subsampling)
      local name = "image.write"
      if type(path) ~= "string" then fail(name, sformat("path is %s; wanted a string", core.describe(path))) end
      if format == nil then
        format = path:match("%.(%w+)$")
        if not format or not formats[format:lower()] then
          fail(name, sformat("%s ends in no known format; wanted .png, .jpg, .ppm, .pgm or .bmp, or format =", path))
        end
        format = format:lower()
      end
      local how = check_format(name, format, palette, quality, subsampling)
      if how == formats.png then
        check_image(name, image, depths)
        core.png_write(path, image, palette)
        return
      end
      core.write_file(path, how.encode(name, image, nil, quality, subsampling == false))
    end)

  def("image.read(path: string; device?: string, max_pixels?: number) -> array",
    "The picture in a file. See ma.image.decode.",
    function(path, device, max_pixels)
      local name = "image.read"
      if type(path) ~= "string" then fail(name, sformat("path is %s; wanted a string", core.describe(path))) end
      return decode(name, common.read(name, "path", path), device, max_pixels)
    end)
end
