-- ma.loadt7: files of Torch7. What a damaged file gives is an error, or a value.

local helper = require "spec.helper"
local ma = helper.ma

local function bytes_of(hex) return (hex:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)) end

local path
setup(function() path = os.tmpname() end)
teardown(function() os.remove(path) end)

local function load(bytes, options)
  return ma.loadt7(require("spec.file").write(path, bytes), options)
end

local function int(n, size)
  local bytes = {}
  for k = 1, size or 4 do bytes[k], n = string.char(n % 256), math.floor(n / 256) end
  return table.concat(bytes)
end
local function long(...)
  local parts = {}
  for k, n in ipairs { ... } do parts[k] = int(n, 8) end
  return table.concat(parts)
end
local function text(s) return int(2) .. int(#s) .. s end
local function number(n) return int(1) .. ma.array({ n }, { device = "cpu" }):tobytes() end
local function class(index, name) return int(4) .. int(index) .. int(3) .. "V 1" .. int(#name) .. name end
local function storage(index, ...)
  local n = select("#", ...)
  return class(index, "torch.DoubleStorage") .. long(n) .. ma.array({ ... }, { device = "cpu" }):tobytes()
end

describe("a tensor of Torch7", function()
  it("of every kind is an array", function()
    local count = 0
    for _, record in ipairs(helper.golden("torch7")) do
      local name, dtype, shape, elements, file = unpack(record)
      local extents = {}
      for n in shape:gmatch("%d+") do extents[#extents + 1] = tonumber(n) end
      local got = load(bytes_of(file))
      assert.equal(dtype, got.dtype, name)
      assert.equal(helper.device, got.device)
      assert(ma.array_equal(ma.asarray(ma.frombuffer(bytes_of(elements), extents, dtype)), got), name .. " " .. dtype)
      count = count + 1
    end
    assert.equal(60, count)
  end)

  it("is on the device that is asked for", function()
    assert.equal("cpu", load(bytes_of(helper.golden("torch7")[1][5]), { device = "cpu" }).device)
  end)

  it("is read from files whose longs have 4 bytes", function()
    local function long4(...)
      local parts = {}
      for k, n in ipairs { ... } do parts[k] = int(n % 2 ^ 32) end
      return table.concat(parts)
    end
    local longs = class(1, "torch.LongTensor") .. int(2) .. long4(2, 2, 2, 1, 1)
      .. class(2, "torch.LongStorage") .. long4(4, 1, -2, 2 ^ 31 - 1, -2 ^ 31)
    local got = load(longs, "b32")
    assert.equal("int64", got.dtype)
    assert.same({ { 1, -2 }, { 2 ^ 31 - 1, -2 ^ 31 } }, got:totable())
    assert.equal(helper.device, got.device)
    assert.matches("the file is damaged", helper.fails(load, longs))
    assert.matches("the file is damaged", helper.fails(load, longs:sub(1, -2), "b32"))
    local doubles = class(1, "torch.DoubleTensor") .. int(1) .. long4(2, 1, 2) .. class(2, "torch.DoubleStorage")
      .. long4(3) .. ma.array({ 5, 6, 7 }, { device = "cpu" }):tobytes()
    assert.same({ 6, 7 }, load(doubles, { mode = "b32", device = "cpu" }):totable())
    local wide = class(1, "torch.LongStorage") .. long(2, 5, 2 ^ 40)
    for _, mode in ipairs { "binary", "b64" } do assert.same({ 5, 2 ^ 40 }, load(wide, mode):totable()) end
    assert.equal(-0.125, load("1\n-0.125\n", "ascii"))
    assert.matches("moonarray.loadt7: 'b16' for mode; 'b32', 'b64', 'binary' or 'ascii'",
      helper.fails(load, wide, "b16"))
  end)

  it("without elements is an empty array", function()
    assert.equal(0, load(class(1, "torch.FloatTensor") .. int(0) .. long(1) .. int(0)).size)
    assert.same({ 0, 3 }, { load(class(1, "torch.FloatTensor") .. int(2) .. long(0, 3, 3, 1, 1) .. int(0)):dims() })
  end)

  it("shares its storage with others", function()
    local function tensor(index, offset, rest)
      return class(index, "torch.DoubleTensor") .. int(1) .. long(2, 1, offset) .. rest
    end
    local got = load(int(3) .. int(1) .. int(2) .. number(1) .. tensor(2, 1, storage(3, 5, 6, 7)) .. number(2)
      .. tensor(4, 2, int(4) .. int(3)), { device = "cpu" })
    assert.same({ { 5, 6 }, { 6, 7 } }, { got[1]:totable(), got[2]:totable() })
    got[1][2] = 60
    assert.same({ 60, 7 }, got[2]:totable())
  end)
end)

describe("a file of Torch7", function()
  it("has tables, numbers, texts and booleans, which may refer to each other", function()
    local got = load(int(3) .. int(1) .. int(6) .. text("x") .. number(-0.1) .. text("name") .. text("torch")
      .. text("yes") .. int(5) .. int(1) .. text("no") .. int(5) .. int(0) .. text("self") .. int(3) .. int(1)
      .. number(1) .. int(3) .. int(2) .. int(1) .. int(5) .. int(1) .. number(1e300))
    assert.equal(-0.1, got.x)
    assert.equal("torch", got.name)
    assert.is_true(got.yes)
    assert.is_false(got.no)
    assert.equal(got, got.self)
    assert.equal(1e300, got[1][true])
    assert.is_nil(load(int(0)))
    for _, v in ipairs { 0, 5e-324, 2.5e-308, math.huge, -math.huge, 1.7976931348623157e308, -3 } do
      assert.equal(v, load(number(v)))
    end
    local nan = load(number(0 / 0))
    assert(nan ~= nan)
  end)

  it("as text has the same", function()
    local got = load("3\n1\n3\n2\n1\nx\n1\n-0.125\n2\n4\nna\nm\n5\n1\n1\n2\n4\n2\n3\nV 1\n19\ntorch.DoubleStorage\n"
      .. "3\n1 nan -inf\n")
    assert.equal(-0.125, got.x)
    assert.is_true(got["na\nm"])
    assert.equal(1, got[2](1))
    assert(ma.isnan(got[2])(2))
    assert.equal(-math.huge, got[2](3))
  end)

  it("has objects of other classes as tables, and no functions", function()
    local fields = int(3) .. int(2) .. int(2) .. text("train") .. int(5) .. int(0) .. text("fn")
      .. int(8) .. int(9) .. int(4) .. "\27LJ\2" .. int(3) .. int(10) .. int(0)
    local got = load(class(1, "nn.Linear") .. fields)
    assert.equal("nn.Linear", getmetatable(got).__typename)
    assert.is_false(got.train)
    assert.is_nil(got.fn)
    assert.matches("class 'tds.Hash', which has no counterpart", helper.fails(load, class(1, "tds.Hash") .. int(0)))
  end)

  it("that is damaged is an error that says what is wrong", function()
    local function fails(pattern, bytes) assert.matches("moonarray.loadt7: " .. pattern, helper.fails(load, bytes)) end
    local function tensor(...) return class(1, "torch.DoubleTensor") .. int(1) .. long(...) .. storage(2, 1, 2, 3) end
    assert.same({ 2, 3 }, load(tensor(2, 1, 2)):totable())
    fails("the file is damaged: it is empty", "")
    fails("the file is damaged: an object of kind 99", int(99))
    fails("the file is damaged: 4 bytes; 2 are left", "\1\0")
    fails("the file is damaged: %-1 bytes", int(2) .. int(2 ^ 32 - 1) .. "x")
    fails("the file is damaged: 100 bytes; 1 are left", int(2) .. int(100) .. "x")
    fails("the file is damaged: a tensor of elements 2 to 4 of a storage of 3", tensor(3, 1, 2))
    fails("the file is damaged: a tensor of elements 0 to", tensor(2, 1, 0))
    fails("the file is damaged: a tensor of elements 1 to 9007", tensor(2, 2 ^ 53, 1))
    fails("the file is damaged: a tensor of extent %-1", class(1, "torch.DoubleTensor") .. int(1) .. ("\255"):rep(8)
      .. long(1, 1) .. storage(2, 1))
    fails("the file is damaged: a tensor of 17 axes", class(1, "torch.DoubleTensor") .. int(17))
    fails("the file is damaged: a tensor without a storage",
      class(1, "torch.DoubleTensor") .. int(1) .. long(2, 1, 1) .. int(0))
    fails("the file is damaged: a storage of 1152921504606846976 elements",
      class(1, "torch.DoubleStorage") .. long(2 ^ 60))
    local deep = {}
    for k = 1, 1500 do deep[k] = int(3) .. int(k) .. int(1) .. number(1) end
    fails("the file is damaged: more than 1000 objects", table.concat(deep))
    fails("the file is damaged: it ends too early", "3\n1\n2\n")
    fails("the file is damaged: 'x' is no number", "1\nx\n")
    assert.matches("moonarray.loadt7: cannot open", helper.fails(ma.loadt7, "/nowhere"))
    assert.matches("moonarray.loadt7: file is the number 3", helper.fails(ma.loadt7, 3))
  end)

  it("never crashes, wherever the damage is", function()
    local random, failed = helper.random(6), 0
    for k, record in ipairs(helper.golden("torch7")) do
      if k % 3 == 0 then
        local file = bytes_of(record[5])
        for n = 0, #file - 1, 23 do assert.is_false((pcall(load, file:sub(1, n)))) end
        for _ = 1, 12 do
          local at = random(1, math.min(#file, 120))
          local changed = file:sub(1, at - 1) .. string.char(random(0, 255)) .. file:sub(at + 1)
          local ok, got = pcall(load, changed)
          if not ok then
            failed = failed + 1
            assert.matches("moonarray%.", got)
          end
        end
      end
    end
    assert(failed > 50, failed)
  end)
end)
