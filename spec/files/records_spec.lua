-- .npy and .npz files with texts, structured dtypes, and members that have no counterpart here.

local helper = require "spec.helper"
local ma = helper.ma

local function bytes_of(hex) return (hex:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)) end

--- A value as spec/golden/files/records.py writes it. A table is a list unless it is one of fields.
local function text_of(value)
  if type(value) == "string" then
    return "x" .. value:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
  end
  if type(value) == "number" then return ("%.17g"):format(value) end
  if type(value) == "boolean" then return tostring(value) end
  if type(value) == "cdata" then return (tostring(value):gsub("LL$", "")) end
  if type(value) == "userdata" then
    if value.size == 0 then return "[]" end
    return text_of(value.ndim == 0 and value:item() or value:totable())
  end
  local parts, names = {}, {}
  for key in pairs(value) do
    if type(key) == "string" then names[#names + 1] = key end
  end
  table.sort(names)
  for _, name in ipairs(names) do parts[#parts + 1] = name .. ":" .. text_of(value[name]) end
  for _, item in ipairs(value) do parts[#parts + 1] = text_of(item) end
  return #names > 0 and "{" .. table.concat(parts, ",") .. "}" or "[" .. table.concat(parts, ",") .. "]"
end

--- A .npy file of version 1 with a header of one's own.
local function npy(descr, shape, bytes)
  local header = ("{'descr': %s, 'fortran_order': False, 'shape': %s, }"):format(descr, shape)
  return "\147NUMPY\1\0" .. string.char(#header % 256, math.floor(#header / 256)) .. header .. (bytes or "")
end

describe("texts and structured dtypes", function()
  it("become strings in tables, and tables of arrays", function()
    local count = 0
    for _, record in ipairs(helper.golden("records")) do
      local name, want, file = unpack(record)
      assert.equal(want, text_of(ma.loads(bytes_of(file))), name)
      count = count + 1
    end
    assert.equal(18, count)
  end)

  it("have arrays of the fields' dtypes on the device that is asked for", function()
    local file = npy("[('a', '>i2'), ('b', '<V2', (2,)), ('c', '<c8')]", "(1,)", "\1\2\0\63\128\63\0\0\128\63\0\0\0\64")
    local got = ma.loads(file)
    assert.same({ "int16", "bfloat16", "complex64" }, { got.a.dtype, got.b.dtype, got.c.dtype })
    assert.equal(helper.device, got.a.device)
    assert.same({ 258 }, got.a:totable())
    assert.same({ 1, 2 }, { got.b.shape[1], got.b.shape[2] })
    assert.equal(2, got.c(1).im)
    assert.equal("cpu", ma.loads(file, { device = "cpu" }).a.device)
  end)

  it("that are damaged, or have no counterpart, are errors", function()
    for pattern, file in pairs {
      ["'|O' %(Python objects%), which has no counterpart here"] = npy("'|O'", "(1,)", "12345678"),
      ["'<M8%[D%]' %(dates%), which has"] = npy("'<M8[D]'", "(1,)", "12345678"),
      ["'<m8%[ns%]' %(spans of time%), which has"] = npy("[('a', '<m8[ns]')]", "(1,)", "12345678"),
      ["'|V5', which has no counterpart"] = npy("'|V5'", "(1,)", "12345"),
      ["'|O' %(Python objects%)"] = npy("[('a', '<f4'), ('b', '|O')]", "(1,)", "123456789012"),
      ["promises 12 bytes; the file has 11"] = npy("'<U3'", "(1,)", ("a"):rep(11)),
      ["promises 1000000000000000 bytes"] = npy("'|S1000000'", "(1000000000,)", "a"),
      ["a shape of too many elements"] = npy("'|S1000000000'", "(1000000000000,)", "a"),
      ["whose texts have no bytes"] = npy("'<U0'", "(1000000000000000,)", ""),
      ["has no counterpart"] = npy("[('a', '<f4', (0,))]", "(1000000000000000,)", ""),
      ["the character 4294967295"] = npy("'<U1'", "(1,)", "\255\255\255\255"),
      ["too many bytes"] = npy("[('a', '<f4', (100000000, 100000000))]", "(1,)", ""),
      ["too many axes"] = npy("[('a', '<f4', (" .. ("1, "):rep(40) .. "))]", "(1,)", "1234"),
      ["more than 16 axes"] = npy("[('a', '<f4', (" .. ("1, "):rep(16) .. "))]", "(1,)", "1234"),
      ["it goes too deep"] = npy(("["):rep(1000) .. ("]"):rep(1000), "(1,)", "1234"),
      ["damaged at descr"] = npy("[('a', '<f4')", "(1,)", "1234"),
      ["damaged: a field"] = npy("['<f4']", "(1,)", "1234"),
      ["damaged: a value"] = npy("[('a', nil)]", "(1,)", "1234"),
      ["damaged: a list"] = npy("[('a' '<f4')]", "(1,)", "1234"),
    } do
      assert.matches(pattern, helper.fails(ma.loads, file))
    end
    assert.same({}, ma.loads(npy("'<U5'", "(1000000000000000, 0)")))
    assert.same({}, ma.loads(npy("[('t', '<U5'), ('n', '<f4')]", "(0, 3)")).t)
  end)

  it("never crash, wherever the damage is", function()
    local random, failed = helper.random(4), 0
    for _, record in ipairs(helper.golden("records")) do
      local file = bytes_of(record[3])
      for _ = 1, 25 do
        local at = random(9, math.min(#file, 200))
        local changed = file:sub(1, at - 1) .. string.char(random(0, 255)) .. file:sub(at + 1)
        if not pcall(ma.loads, changed) then failed = failed + 1 end
      end
    end
    assert(failed > 100, failed)
  end)
end)

describe("an archive", function()
  -- np.savez(file, x=[1., 2.], o=[None], when=['2020-01-01'] in days, words=['a', 'bc'])
  local archive
  setup(function()
    local function little(n, k) return k == 0 and "" or string.char(n % 256) .. little(math.floor(n / 256), k - 1) end
    local bit = require "bit"
    local members = {
      { "x.npy", ma.array({ 1, 2 }, { device = "cpu" }):dumps() }, { "o.npy", npy("'|O'", "(1,)", "12345678") },
      { "when.npy", npy("'<M8[D]'", "(1,)", "12345678") }, { "words.npy", npy("'|S2'", "(2,)", "a\0bc") },
      { "readme.txt", "no array" },
    }
    local body, directory = "", ""
    for _, member in ipairs(members) do
      local name, bytes = member[1], member[2]
      local crc = 0xffffffff
      for k = 1, #bytes do
        crc = bit.bxor(crc, bytes:byte(k))
        for _ = 1, 8 do
          crc = bit.band(crc, 1) == 1 and bit.bxor(0xedb88320, bit.rshift(crc, 1)) or bit.rshift(crc, 1)
        end
      end
      local common = little(0, 2) .. little(0, 4) .. little(bit.bxor(crc, 0xffffffff) % 2 ^ 32, 4)
        .. little(#bytes, 4) .. little(#bytes, 4) .. little(#name, 2) .. little(0, 2)
      directory = directory .. "PK\1\2" .. little(20, 2) .. little(20, 2) .. little(0, 2) .. common .. little(0, 2)
        .. little(0, 2) .. little(0, 2) .. little(0, 4) .. little(#body, 4) .. name
      body = body .. "PK\3\4" .. little(20, 2) .. little(0, 2) .. common .. name .. bytes
    end
    archive = body .. directory .. "PK\5\6" .. little(0, 4) .. little(#members, 2) .. little(#members, 2)
      .. little(#directory, 4) .. little(#body, 4) .. little(0, 2)
  end)

  it("names the members that cannot be loaded, and how to choose the others", function()
    local text = helper.fails(ma.loads, archive)
    assert.matches("moonarray.loads: 2 of the members cannot be loaded: 'o.npy': .*objects.*; 'when.npy': .*dates",
      text)
    assert.matches("members = {...} chooses from the others: '%w+', '%w+'$", text)
    assert(text:find("'words'", 1, true) and text:find("'x'", 1, true), text)
  end)

  it("loads the members that are asked for", function()
    local got = ma.loads(archive, { members = { "words", "x" } })
    assert.same({ "a", "bc" }, got.words)
    assert.same({ 1, 2 }, got.x:totable())
    got = ma.loads(archive, { members = { "x" } })
    assert.same({ 1, 2 }, got.x:totable())
    assert.is_nil(got.words)
    assert.matches("'o.npy': .*Python objects", helper.fails(ma.loads, archive, { members = { "x", "o" } }))
    assert.matches("the archive has no member 'y'", helper.fails(ma.loads, archive, { members = { "x", "y" } }))
    assert.same({}, ma.loads(archive, { members = {} }))
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(archive)
    file:close()
    assert.same({ "a", "bc" }, ma.load(path, { members = { "words" } }).words)
    assert.matches(path:gsub("%p", "%%%0") .. ": 2 of the members", helper.fails(ma.load, path))
    os.remove(path)
  end)

  it("takes a list of names alone", function()
    assert.matches("members is the string 'x'; wanted a list", helper.fails(ma.loads, archive, { members = "x" }))
    assert.matches("members has the number 3 at 1; wanted", helper.fails(ma.loads, archive, { members = { 3 } }))
    assert.matches("it is no archive", helper.fails(ma.loads, ma.zeros(2):dumps(), { members = { "x" } }))
  end)
end)
