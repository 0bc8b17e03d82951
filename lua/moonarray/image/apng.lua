--- Animations as PNG: the chunks of one picture after the other, each with its time.

local floor, char, concat = math.floor, string.char, table.concat

local apng = {}

local function word(n) return char(floor(n / 16777216) % 256, floor(n / 65536) % 256, floor(n / 256) % 256, n % 256) end

local function number_at(bytes, at)
  local a, b, c, d = bytes:byte(at, at + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

return function(core)
  local function chunk(kind, data) return word(#data) .. kind .. data .. word(core.crc32(kind .. data)) end

  --- How many frames there are, and how often they are repeated (0: for ever).
  function apng.control(frames, loop) return chunk("acTL", word(frames) .. word(loop)) end

  --- The chunks of a PNG: its head, its palette and colours that are transparent, and a list of its data.
  local function parts_of(png)
    local at, data, before = 34, {}, {}
    while at <= #png do
      local size, kind = number_at(png, at), png:sub(at + 4, at + 7)
      if kind == "IDAT" then data[#data + 1] = png:sub(at + 8, at + 7 + size)
      elseif kind ~= "IEND" then before[#before + 1] = png:sub(at, at + 11 + size) end
      at = at + 12 + size
    end
    return png:sub(1, 33), concat(before), data
  end

  --- The chunks of frame k, counted from 1, out of its picture as PNG, behind the head of that. `sequence` is the
  --- number of the next chunk that has one; the one behind the frame is returned too.
  function apng.frame(png, k, width, height, delay, sequence)
    local head, before, data = parts_of(png)
    local parts = {}
    if k == 1 then parts[1] = before end
    parts[#parts + 1] = chunk("fcTL", word(sequence) .. word(width) .. word(height) .. word(0) .. word(0)
      .. char(floor(floor(delay * 1000 + 0.5) / 256), floor(delay * 1000 + 0.5) % 256) .. "\3\232\0\0")
    sequence = sequence + 1
    for _, piece in ipairs(data) do
      if k == 1 then parts[#parts + 1] = chunk("IDAT", piece)
      else
        parts[#parts + 1] = chunk("fdAT", word(sequence) .. piece)
        sequence = sequence + 1
      end
    end
    return head, concat(parts), sequence
  end

  apng.tail = chunk("IEND", "")
  return apng
end
