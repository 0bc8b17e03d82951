--- Animations as GIF (89a): palettes by median cut, and LZW.

local floor, min, max, char, concat = math.floor, math.min, math.max, string.char, table.concat

local gif = {}

local function little(n) return char(n % 256, floor(n / 256) % 256) end

-- ==== LZW ============================================================================================================

--- Compresses a string of bytes 0 to 2^bits - 1 by LZW, in blocks of at most 255 bytes.
function gif.compress(bytes, bits)
  local clear, stop = 2 ^ bits, 2 ^ bits + 1
  local blocks, block, held = {}, {}, 0
  local sum, count = 0, 0                -- bits that are no whole byte yet
  local function put_byte(b)
    held = held + 1
    block[held] = b
    if held == 255 then
      blocks[#blocks + 1] = "\255" .. char(unpack(block, 1, 255))
      held = 0
    end
  end
  local width = bits + 1
  local function put(code)
    sum, count = sum + code * 2 ^ count, count + width
    while count >= 8 do
      put_byte(sum % 256)
      sum, count = floor(sum / 256), count - 8
    end
  end

  local known, next_code = {}, stop + 1
  put(clear)
  local byte = string.byte
  local prefix = byte(bytes, 1)
  for k = 2, #bytes do
    local b = byte(bytes, k)
    local key = prefix * 256 + b
    local code = known[key]
    if code then prefix = code
    else
      put(prefix)
      known[key] = next_code
      if next_code == 2 ^ width and width < 12 then width = width + 1 end
      next_code = next_code + 1
      if next_code == 4096 then
        put(clear)
        known, next_code, width = {}, stop + 1, bits + 1
      end
      prefix = b
    end
  end
  put(prefix)
  -- The reader's table grew by the last code too.
  if next_code == 2 ^ width and width < 12 then width = width + 1 end
  put(stop)
  if count > 0 then put_byte(sum) end
  if held > 0 then blocks[#blocks + 1] = char(held) .. char(unpack(block, 1, held)) end
  return char(bits) .. concat(blocks) .. "\0"
end

-- ==== Palettes =======================================================================================================

--- The bins of a box, sorted along a colour, and how far it reaches.
local function longest(box)
  local best, axis = -1, 1
  for c = 1, 3 do
    local lo, hi = 256, -1
    for _, bin in ipairs(box) do lo, hi = min(lo, bin[c]), max(hi, bin[c]) end
    if hi - lo > best then best, axis = hi - lo, c end
  end
  return best, axis
end

--- Cuts boxes of colours at their medians until there are n. A bin is {red, green, blue, count, number}.
local function median_cut(bins, n)
  local boxes = { bins }
  local reach, along = {}, {}
  reach[1], along[1] = longest(bins)
  while #boxes < n do
    local best, worst = 0, nil
    for k, box in ipairs(boxes) do
      if #box > 1 then
        local weight = reach[k] * (box.count or 1) ^ 0.25
        if weight > best then best, worst = weight, k end
      end
    end
    if not worst then break end
    local box, axis = boxes[worst], along[worst]
    table.sort(box, function(a, b)
      if a[axis] ~= b[axis] then return a[axis] < b[axis] end
      return a[5] < b[5]
    end)
    local total, half = 0, 0
    for _, bin in ipairs(box) do total = total + bin[4] end
    local low, high = { count = 0 }, { count = 0 }
    for k, bin in ipairs(box) do
      -- Both parts get a bin.
      local part = (k == 1 or (half + bin[4] / 2 < total / 2 and k < #box)) and low or high
      if part == low and #high > 0 then part = high end
      part[#part + 1], part.count = bin, part.count + bin[4]
      half = half + bin[4]
    end
    boxes[worst], boxes[#boxes + 1] = low, high
    reach[worst], along[worst] = longest(low)
    reach[#boxes], along[#boxes] = longest(high)
  end
  return boxes
end

--- A palette of at most n colours for pixels, an array (count, 3) of uint8 on the CPU, and the place of each pixel in
--- it from 0 on: two strings of bytes.
function gif.quantize(ma, pixels, n)
  local wide = pixels:astype("int64")
  local code = wide[":, 1"] * 65536 + wide[":, 2"] * 256 + wide[":, 3"]
  local colours, places = ma.unique(code, { return_inverse = true })
  if colours.size <= n then
    local parts = {}
    for k, c in ipairs(colours:totable()) do parts[k] = char(floor(c / 65536), floor(c / 256) % 256, c % 256) end
    return concat(parts), (places - 1):astype("uint8"):tobytes()
  end
  -- Five bits of each colour make a bin.
  local bin = ma.floor_divide(wide, 8)
  bin = bin[":, 1"] * 1024 + bin[":, 2"] * 32 + bin[":, 3"]
  local size = 32768
  local counts = ma.bincount(bin, { minlength = size }):totable()
  local sums = {}
  for c = 1, 3 do
    sums[c] = ma.bincount(bin, { weights = wide[{ {}, c }]:astype("float64"), minlength = size }):totable()
  end
  local bins = { count = pixels.shape[1] }
  for k = 1, size do
    local m = counts[k]
    if m > 0 then bins[#bins + 1] = { sums[1][k] / m, sums[2][k] / m, sums[3][k] / m, m, k } end
  end
  local table_of, parts = {}, {}
  for k = 1, size do table_of[k] = 0 end
  for k, box in ipairs(median_cut(bins, n)) do
    local sum, total = { 0, 0, 0 }, 0
    for _, b in ipairs(box) do
      for c = 1, 3 do sum[c] = sum[c] + b[c] * b[4] end
      total = total + b[4]
      table_of[b[5]] = k - 1
    end
    parts[k] = char(floor(sum[1] / total + 0.5), floor(sum[2] / total + 0.5), floor(sum[3] / total + 0.5))
  end
  local map = ma.array(table_of, { dtype = "uint8", device = "cpu" })
  return concat(parts), ma.take(map, bin + 1):tobytes()
end

-- ==== The file =======================================================================================================

--- The head of a file: its size, and how often it is repeated (0: for ever).
function gif.head(width, height, loop)
  return "GIF89a" .. little(width) .. little(height) .. "\112\0\0"
    .. (loop == 1 and "" or "\33\255\11NETSCAPE2.0\3\1" .. little(loop == 0 and 0 or loop - 1) .. "\0")
end

--- A frame of pixels (their places in the palette) that is shown for a time in seconds. clear: the place of the
--- transparent colour, if there is one.
function gif.frame(width, height, palette, places, delay, clear)
  local colours = #palette / 3
  local bits = 1
  while 2 ^ bits < colours do bits = bits + 1 end
  palette = palette .. ("\0"):rep(3 * (2 ^ bits - colours))
  return "\33\249\4" .. char(clear and 9 or 4) .. little(floor(delay * 100 + 0.5)) .. char(clear or 0) .. "\0"
    .. "\44\0\0\0\0" .. little(width) .. little(height) .. char(128 + bits - 1) .. palette
    .. gif.compress(places, max(2, bits))
end

return gif
