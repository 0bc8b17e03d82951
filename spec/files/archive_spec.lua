-- Archives (.npz) made by hand, byte by byte and bit by bit, of which one thing is wrong: the error says which.
-- spec/files/files_spec.lua has the good ones.

local helper = require "spec.helper"
local ma = helper.ma
local bit = require "bit"

local function little(value, n)
  local bytes = {}
  for k = 1, n do bytes[k], value = string.char(value % 256), math.floor(value / 256) end
  return table.concat(bytes)
end

--- An archive of one member's bytes, which the directory names as often as there are names.
local function archive(names, method, packed, unpacked, crc)
  local function common(name)
    return little(method, 2) .. little(0, 4) .. little(crc, 4) .. little(#packed, 4) .. little(unpacked, 4)
      .. little(#name, 2)
  end
  local member = "PK\3\4" .. little(20, 2) .. little(0, 2) .. common(names[1]) .. little(0, 2) .. names[1] .. packed
  local directory = {}
  for k, name in ipairs(names) do
    directory[k] = "PK\1\2" .. little(20, 2) .. little(20, 2) .. little(0, 2) .. common(name) .. little(0, 2)
      .. little(0, 2) .. little(0, 2) .. little(0, 2)
      .. little(0, 4) .. little(0, 4) .. name
  end
  local text = table.concat(directory)
  return member .. text .. "PK\5\6" .. little(0, 4) .. little(#names, 2) .. little(#names, 2) .. little(#text, 4)
    .. little(#member, 4) .. little(0, 2)
end

--- Bytes of bits, the lowest first, as RFC 1951 has them: numbers as { value, width }, codes as text from their first
--- bit.
local function bits(list)
  local text = {}
  for _, item in ipairs(list) do
    if type(item) == "table" then
      local value = item[1]
      for _ = 1, item[2] do text[#text + 1], value = tostring(value % 2), math.floor(value / 2) end
    else
      text[#text + 1] = item
    end
  end
  text = table.concat(text)
  text = text .. ("0"):rep(-#text % 8)
  return (text:gsub("........", function(byte) return string.char(tonumber(byte:reverse(), 2)) end))
end

describe("an archive", function()
  it("with a wrong directory, checksum or method is refused for that", function()
    local bytes = ma.zeros(100):dumps()
    local crc = 0xffffffff
    for k = 1, #bytes do
      crc = bit.bxor(crc, bytes:byte(k))
      for _ = 1, 8 do crc = bit.band(crc, 1) == 1 and bit.bxor(0xedb88320, bit.rshift(crc, 1)) or bit.rshift(crc, 1) end
    end
    crc = bit.bxor(crc, 0xffffffff) % 2 ^ 32
    local good = archive({ "a.npy" }, 0, bytes, #bytes, crc)
    assert.equal(100, ma.loads(good).a.size)
    local function says(pattern, text) assert.matches(pattern, helper.fails(function() return ma.loads(text).a end)) end
    says("checksum of the member 'a.npy' is wrong", archive({ "a.npy" }, 0, bytes, #bytes, (crc + 1) % 2 ^ 32))
    says("its members overlap", archive({ "a.npy", "b.npy", "c.npy" }, 0, bytes, #bytes, crc))
    local at = good:find("PK\1\2", 1, true)
    says("an entry of its directory", good:sub(1, at + 27) .. little(500, 2) .. good:sub(at + 30))
    says("packed by method 9", archive({ "a.npy" }, 9, bytes, #bytes, crc))
  end)

  it("with wrong deflated bytes is refused for that", function()
    local function says(pattern, list)
      assert.matches(pattern, helper.fails(ma.loads, archive({ "a.npy" }, 8, bits(list), 1000, 0)))
    end
    local fixed, dynamic = { { 1, 1 }, { 1, 2 } }, { { 1, 1 }, { 2, 2 }, { 0, 5 }, { 0, 5 }, { 15, 4 } }
    local function after(start, ...)
      local list = { unpack(start) }
      for _, item in ipairs { ... } do list[#list + 1] = item end
      return list
    end
    says("a distance reaches before the start", after(fixed, "0000001", "00000", "0000000"))
    says("an unknown kind of block", { { 1, 1 }, { 3, 2 } })
    says("a stored block's length", { { 1, 1 }, { 0, 2 }, { 0, 5 }, { 5, 16 }, { 5, 16 } })
    local all = {}
    for k = 1, 19 do all[k] = { 1, 3 } end
    says("a code has too many symbols", after(dynamic, unpack(all)))
    -- of the codes of lengths there are those of 0 and of 18, 11 to 138 zeros
    local two = {}
    for k = 1, 19 do two[k] = { (k == 3 or k == 4) and 1 or 0, 3 } end
    two[20], two[21], two[22], two[23] = "1", { 127, 7 }, "1", { 127, 7 }
    says("too many lengths", after(dynamic, unpack(two)))
    two[22], two[23] = "1", { 109, 7 }
    says("no end of block", after(dynamic, unpack(two)))
  end)
end)

describe("an archive that savez_compressed made", function()
  it("has the bytes again, at whatever distance they repeat", function()
    local path = os.tmpname() .. ".npz"
    local rng = ma.random.default_rng(3)
    local function random(n) return rng:integers(0, 256, n):astype("uint8") end
    local kinds = {                                            -- of n bytes each
      function(n) return random(n) end,
      function(n) return ma.zeros(n, "uint8") end,
      function(n) return (ma.arange(n) % 7):astype("uint8") end,
      function(n) return (ma.floor_divide(ma.arange(n), 3) % 251):astype("uint8") end,
      function(n) return ma.where(rng:random(n):lt(0.001), random(n), 65):astype("uint8") end,
      function(n) return ma.tile(random(32768), math.ceil((n + 1) / 32768))[{ { 1, n } }] end,
      function(n) return ma.tile(random(32000), math.ceil((n + 1) / 32000))[{ { 1, n } }] end,
    }
    for k, kind in ipairs(kinds) do
      for _, n in ipairs { 0, 1, 255, 266, 300, 5000, 70001, 400003 } do
        local a = ma.eval(kind(n))
        ma.savez_compressed(path, { a = a })
        assert(a:tobytes() == ma.load(path).a:tobytes(), ("kind %d, %d bytes"):format(k, n))
      end
    end
    os.remove(path)
  end)
end)
