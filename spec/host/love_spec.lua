-- ma.love without LÖVE: over objects with the methods of LÖVE's Data, whose memory is the FFI's. make test-love runs
-- games in LÖVE itself.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma

--- An object of LÖVE: its methods, and the memory that they are about.
local function object(class, size, methods)
  local memory = ffi.new("uint8_t[?]", size)
  local self = { memory = memory }
  function self.type() return class end
  function self.typeOf(_, other) return other == class or other == "Data" end
  function self.getSize() return size end
  function self.getFFIPointer() return ffi.cast("void *", memory) end
  for name, fn in pairs(methods or {}) do self[name] = fn end
  return self
end

local pixel_bytes = { rgba8 = 4, r32f = 4, rgba16 = 8, rg8 = 2, r8 = 1, rgba16f = 8, rgb565 = 2, rg32f = 8 }

local function image_data(width, height, format)
  return object("ImageData", width * height * pixel_bytes[format], {
    getFormat = function() return format end, getDimensions = function() return width, height end,
  })
end

local function sound_data(samples, rate, bits, channels)
  return object("SoundData", samples * channels * bits / 8, {
    getSampleCount = function() return samples end, getChannelCount = function() return channels end,
    getBitDepth = function() return bits end, getSampleRate = function() return rate end,
  })
end

--- A mesh of three vertices whose memory is a string, as setVertices got it.
local function mesh_of(format, values)
  return {
    getVertexFormat = function() return format end, getVertexCount = function() return #values end,
    getVertexAttribute = function(_, i, k) return unpack(values[i][k]) end,
    setVertices = function(self, data) self.uploaded = ffi.string(data:getFFIPointer(), data:getSize()) end,
  }
end

--- Runs a function in a world with these modules of LÖVE.
local function with_love(love, fn)
  rawset(_G, "love", love)
  local ok, message = pcall(fn)
  rawset(_G, "love", nil)
  assert(ok, message)
end

local uploads = {}
local love = {
  image = { newImageData = function(width, height, format) return image_data(width, height, format) end },
  sound = { newSoundData = sound_data },
  data = { newByteData = function(size) return object("ByteData", size) end },
  graphics = {
    newImage = function()
      return { setFilter = function(self, filter) self.filter = filter end,
        replacePixels = function(_, data) uploads[#uploads + 1] = ffi.string(data.memory, data:getSize()) end }
    end,
    draw = function(image, x, y) uploads[#uploads + 1] = { image, x, y } end,
  },
}

describe("views of LÖVE's Data", function()
  it("are of an image's shape and dtype, over its memory", function()
    local data = image_data(3, 2, "rgba8")
    local a = ma.love.view(data)
    assert.same({ 2, 3, 4 }, { a:dims() })
    assert.equal("uint8", a.dtype)
    a["2, 3"] = ma.array({ 1, 2, 3, 4 }, "uint8")
    assert.same({ 1, 2, 3, 4 }, { data.memory[20], data.memory[21], data.memory[22], data.memory[23] })
    a:iadd(5)                                              -- no call may leave the work for later
    assert.equal(9, data.memory[23])
    local words = ma.love.view(data, { dtype = "uint32" })
    assert.same({ 2, 3 }, { words:dims() })
    assert.equal(0x09080706, words(2, 3))
    for format, wanted in pairs { r32f = "float32 2 3", rgba16 = "uint16 2 3 4", rg8 = "uint8 2 3 2", r8 = "uint8 2 3",
      rgba16f = "float16 2 3 4", rgb565 = "uint16 2 3" } do
      local view = ma.love.view(image_data(3, 2, format))
      assert.equal(wanted, view.dtype .. " " .. table.concat({ view:dims() }, " "))
    end
    assert.matches("love.view: float64, but a pixel of rgba8 has 4 bytes",
      helper.fails(ma.love.view, data, { dtype = "float64" }))
  end)

  it("are of a sound's samples", function()
    local data = sound_data(4, 8000, 16, 2)
    local a = ma.love.view(data)
    assert.same({ 4, 2 }, { a:dims() })
    a[{}] = -2
    assert.equal(254, data.memory[14])
    assert.equal("uint8", ma.love.view(sound_data(4, 8000, 8, 1)).dtype)
    assert.same({ 4 }, { ma.love.view(sound_data(4, 8000, 8, 1)):dims() })
  end)

  it("are of bytes, or of what is said", function()
    local data = object("ByteData", 24)
    assert.same({ 24 }, { ma.love.view(data):dims() })
    local a = ma.love.view(data, { shape = { 3, 2 }, dtype = "float32" })
    a[{}] = 1
    assert.equal(0x3f, data.memory[23])
    assert.matches("24 bytes; %(2, 2%) of float32 takes 16",
      helper.fails(ma.love.view, data, { shape = { 2, 2 }, dtype = "float32" }))
    local wanted = "wanted one of LÖVE's Data objects"
    assert.matches("love.view: data is the string 'x'; " .. wanted, helper.fails(ma.love.view, "x"))
    assert.matches(wanted, helper.fails(ma.love.view, {}))
    assert.matches(wanted, helper.fails(ma.love.view, ma.zeros(3)))
  end)

  it("keep the object", function()
    local gone = false
    local function view()
      local sentinel = newproxy(true)
      getmetatable(sentinel).__gc = function() gone = true end
      return ma.love.view(object("ByteData", 8, { sentinel = sentinel }))
    end
    local a = view()
    collectgarbage() collectgarbage()
    assert.is_false(gone)
    assert.equal(0, a:sum():item())
    a:free()
    for _ = 1, 4 do collectgarbage() ma.zeros(1) end
    assert.is_true(gone)
  end)
end)

--- A Data object as LÖVE counts it: its memory is filled with 0xdd when the last reference goes.
local function counted(size, class, methods)
  local state = { refs = 1, memory = ffi.new("uint8_t[?]", size) }
  local proxy = newproxy(true)
  local all = {
    typeOf = function(_, other) return other == class or other == "Data" or other == "Object" end,
    getSize = function() return size end,
    getFFIPointer = function() return ffi.cast("void *", state.memory) end,
  }
  for name, fn in pairs(methods or {}) do all[name] = fn end
  function state.drop()
    state.refs = state.refs - 1
    if state.refs == 0 then ffi.fill(state.memory, size, 0xdd) end
  end
  function all.release()
    if state.released then return false end
    state.released = true
    for name in pairs(all) do
      all[name] = function() error("Cannot use object after it has been released.") end
    end
    state.drop()
    return true
  end
  getmetatable(proxy).__index = all
  getmetatable(proxy).state = state
  return proxy, state
end

local threads = {
  newChannel = function()
    local channel, held = {}, nil
    function channel.push(_, data)
      held = getmetatable(data).state
      held.refs = held.refs + 1
    end
    function channel.release()
      held.drop()
      held = nil
    end
    return channel
  end,
}

describe("an array over LÖVE's Data that the game released", function()
  local function image(width, height)
    return counted(4 * width * height, "ImageData", { getFormat = function() return "rgba8" end,
      getDimensions = function() return width, height end })
  end

  --- Ways to an array over a Data object of 16 bytes: each returns the array.
  local ways = {
    view = function(data) return ma.love.view(data) end,
    frombuffer = function(data) return ma.frombuffer(data, nil, "uint8", { device = "cpu" }) end,
    pointer = function(data)
      return ma.frombuffer(ffi.cast("uint8_t *", data:getFFIPointer()), 16, nil, { owner = data, device = "cpu" })
    end,
    address = function(data)
      return ma.cuda.from_pointer(ffi.cast("intptr_t", data:getFFIPointer()), 16, "uint8", data, { device = "cpu" })
    end,
  }

  for name, way in pairs(ways) do
    it("keeps the memory until its last view goes: " .. name, function()
      with_love({ thread = threads }, function()
        local data, state = counted(16, "ByteData")
        local a = way(data)
        a:fill(9)
        assert.is_true(data:release())
        assert.equal(144, a:sum():item())
        local part, later = a["2:5"], a + 1                  -- what is computed later reads it too
        a:free()
        assert.same({ 9, 9, 9, 9 }, part:totable())
        part:fill(3)
        assert.equal(3, state.memory[4])
        part:free()
        assert.equal(160, later:sum():item())
        later:free()
        assert.equal(0, state.refs)
      end)
    end)
  end

  it("lets go at the end of a scope, by the collector, and after an error", function()
    with_love({ thread = threads }, function()
      local first, second, third, states = counted(16, "ByteData"), counted(16, "ByteData"), counted(16, "ByteData"), {}
      for k, data in ipairs { first, second, third } do states[k] = getmetatable(data).state end
      ma.scope(function() ma.love.view(first):fill(1) end)
      assert.equal(1, states[1].refs)
      local function drop() ma.love.view(second):fill(1) end
      drop()
      second:release()
      for _ = 1, 4 do collectgarbage() ma.zeros(1) end
      assert.equal(0, states[2].refs)
      local odd = ffi.cast("uint8_t *", third:getFFIPointer()) + 1
      assert.matches("multiple of 4", helper.fails(ma.frombuffer, odd, { 1 }, "float32", { owner = third }))
      assert.equal(1, states[3].refs)
    end)
  end)

  it("keeps pictures and vertices", function()
    local images, bytes = {}, {}
    local player = {
      thread = threads,
      image = { newImageData = function(...)
        images[#images + 1] = { image(...) }
        return images[#images][1]
      end },
      data = { newByteData = function(size)
        bytes[#bytes + 1] = { counted(size, "ByteData") }
        return bytes[#bytes][1]
      end },
    }
    local function nothing() end
    player.graphics = { newImage = function() return { setFilter = nothing, replacePixels = nothing } end }
    with_love(player, function()
      local p = ma.love.picture(ma.ones { 2, 3 }, { colormap = "grey", min = 0, max = 1 })
      p.data:release()
      assert.equal(255, p.pixels(1, 1, 1))
      p.pixels:free()
      assert.equal(1, images[1][2].refs)
      p.on.cpu.words:free()
      assert.equal(0, images[1][2].refs)
      local v = ma.love.vertices(mesh_of({ { "VertexPosition", "float", 2 } }, { { { 1, 2 } }, { { 3, 4 } } }))
      v.data:release()
      assert.same({ { 1, 2 }, { 3, 4 } }, v.VertexPosition:totable())
      v.VertexPosition:free()
      assert.equal(0, bytes[1][2].refs)
    end)
  end)

  it("is not made of one that is released already, nor without love.thread", function()
    with_love({ thread = threads }, function()
      local data = counted(16, "ByteData")
      data:release()
      local text = "has no memory now: Cannot use object after it has been released%.$"
      assert.matches("moonarray.love.view: data " .. text, helper.fails(ma.love.view, data))
      assert.matches("moonarray.frombuffer: an object that " .. text, helper.fails(ma.frombuffer, data))
    end)
    with_love({}, function()
      assert.matches("moonarray.love.view: love.thread is not there; wanted it",
        helper.fails(ma.love.view, (counted(16, "ByteData"))))
    end)
  end)
end)

describe("ma.loads", function()
  it("reads LÖVE's Data", function()
    local bytes = ma.arange(5, "int16"):dumps()
    local data = object("FileData", #bytes)
    ffi.copy(data.memory, bytes, #bytes)
    local a = ma.loads(data)
    assert.equal("int16", a.dtype)
    assert.same({ 0, 1, 2, 3, 4 }, a:totable())
    assert.same({ 0, 1, 2, 3, 4 }, ma.loads(ffi.new("char[?]", #bytes, bytes)):totable())
    local short = object("FileData", #bytes - 4)
    ffi.copy(short.memory, bytes, #bytes - 4)
    assert.matches("moonarray.loads: ", helper.fails(ma.loads, short))
    for _, wrong in ipairs { {}, 12, ffi.cast("char *", bytes), ma.zeros(2) } do
      assert.matches("moonarray.loads: bytes is .*; wanted a string", helper.fails(ma.loads, wrong))
    end
  end)
end)

describe("ma.love.vertices", function()
  it("has an array for each attribute and gives them back", function()
    local mesh = mesh_of({ { "VertexPosition", "float", 2 }, { "VertexColor", "byte", 4 } },
      { { { 1, 2 }, { 1, 0, 0.2, 1 } }, { { 3, 4 }, { 0, 1, 0, 1 } }, { { 5, 6 }, { 0, 0, 1, 0 } } })
    with_love(love, function()
      local v = ma.love.vertices(mesh)
      assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, v.VertexPosition:totable())
      assert.same({ { 255, 0, 51, 255 }, { 0, 255, 0, 255 }, { 0, 0, 255, 0 } }, v.VertexColor:totable())
      v.VertexPosition:iadd({ 10, 20 })
      v.VertexColor[":, 4"] = 7
      assert.equal(v, v:upload())
      local floats = ffi.cast("const float *", mesh.uploaded)
      assert.same({ 11, 22, 13, 24 }, { floats[0], floats[1], floats[3], floats[4] })
      assert.same({ 7, 7, 7 }, { mesh.uploaded:byte(12), mesh.uploaded:byte(24), mesh.uploaded:byte(36) })
      assert.matches("love.vertices: mesh is the number 3; wanted one that", helper.fails(ma.love.vertices, 3))
      assert.matches("attribute x has the type half; wanted float, byte or unorm16",
        helper.fails(ma.love.vertices, mesh_of({ { "x", "half", 2 } }, {})))
      assert.matches("an attribute is called data",
        helper.fails(ma.love.vertices, mesh_of({ { "data", "float", 2 } }, {})))
      assert.matches("write object:upload%(...%)", helper.fails(v.upload))
    end)
  end)
end)

describe("ma.love.sound", function()
  it("makes samples of numbers from -1 to 1", function()
    with_love(love, function()
      local data = ma.love.sound(ma.array { 0, 1, -1, 2, 0.5 }, { rate = 8000 })
      assert.same({ 0, 32767, -32767, 32767, 16384 }, ma.love.view(data):totable())
      assert.equal(8000, data:getSampleRate())
      assert.same({ 3, 2 }, { ma.love.view(ma.love.sound(ma.zeros { 3, 2 })):dims() })
      assert.same({ 3 }, { ma.love.view(ma.love.sound(ma.zeros { 3, 1 })):dims() })
      assert.matches("love.sound: a is .*; wanted %(samples%)", helper.fails(ma.love.sound, ma.zeros { 3, 3 }))
    end)
  end)
end)

describe("ma.love.picture", function()
  it("gives numbers colours", function()
    with_love(love, function()
      local a = ma.array { { 0, 1, 0.5 }, { ma.nan, -1, 2 } }
      local p = ma.love.picture(a, { colormap = "grey", min = 0, max = 1, bad = { 9, 8, 7 } })
      assert.equal("nearest", p.image.filter)
      local function greys() return p.pixels[":, :, 1"]:totable() end
      assert.same({ { 0, 255, 128 }, { 9, 0, 255 } }, greys())
      assert.same({ 9, 8, 7, 255 }, p.pixels["2, 1"]:totable())
      assert.equal(ffi.string(p.data.memory, 24), uploads[#uploads])
      assert.equal(p, p:update(a * 0))
      assert.same({ { 0, 0, 0 }, { 9, 0, 0 } }, greys())
      -- As ma.image says, but for the rounding between two neighbours of 256 colours.
      local whole = ma.linspace(-3, 5, 200):reshape(10, 20)
      local ours = ma.love.picture(whole, { filter = "linear" })
      local theirs = ma.image.to_rgba8(whole):get()
      assert(ma.abs(ours.pixels:astype("int64") - theirs:astype("int64")):max():item() <= 4)
      assert.equal("linear", ours.image.filter)
      assert.same({ { 0, 0 } }, ma.love.picture(ma.ones({ 1, 2 }, "int32"), { colormap = "grey" }).pixels[":, :, 1"]
        :totable())
      p:draw(3, 4)
      assert.same({ p.image, 3, 4 }, uploads[#uploads])
    end)
  end)

  it("shows colours and gives shaders numbers", function()
    with_love(love, function()
      local p = ma.love.picture(ma.array { { { 0, 0.5, 2 } } })
      assert.same({ { { 0, 128, 255, 255 } } }, p.pixels:totable())
      p:update(ma.full({ 1, 1, 2 }, 7, "uint8"))
      assert.same({ { { 7, 7, 7, 7 } } }, p.pixels:totable())
      p:update(ma.full({ 1, 1, 4 }, 1))
      assert.same({ { { 255, 255, 255, 255 } } }, p.pixels:totable())
      local raw = ma.love.picture(ma.array { { -1.5, 1e6 } }, { format = "r32f" })
      assert.same({ { -1.5, 1e6 } }, raw.pixels:totable())
      raw:update(ma.array({ { 3, 4 } }, "int16"))
      assert.same({ { 3, 4 } }, raw.pixels:totable())
      assert.same({ 1, 2, 2 }, { ma.love.picture(ma.zeros { 1, 2, 2 }, { format = "rg32f" }).pixels:dims() })
    end)
  end)

  it("says what does not fit", function()
    with_love(love, function()
      local p = ma.love.picture(ma.zeros { 2, 3 })
      assert.matches("love.picture.update: a has shape %(3, 2%); the picture was made of %(2, 3%)",
        helper.fails(p.update, p, ma.zeros { 3, 2 }))
      assert.matches("the picture was made of %(2, 3%)", helper.fails(p.update, p, ma.zeros { 2, 3, 4 }))
      assert.matches("write object:update%(...%)", helper.fails(p.update, ma.zeros { 2, 3 }))
      assert.matches("a has shape %(5,%); wanted %(height, width%)", helper.fails(ma.love.picture, ma.zeros(5)))
      assert.matches("a has shape %(2, 3%); rg32f takes %(height, width, 2%)",
        helper.fails(ma.love.picture, ma.zeros { 2, 3 }, { format = "rg32f" }))
      assert.matches('format is "rgb8"; wanted one of r16, ',
        helper.fails(ma.love.picture, ma.zeros { 2, 3 }, { format = "rgb8" }))
      assert.matches("complex", helper.fails(ma.love.picture, ma.zeros({ 2, 3 }, "complex64")))
      assert.matches("min is the string 'x'; wanted a number",
        helper.fails(ma.love.picture, ma.zeros { 2, 3 }, { min = "x" }))
    end)
  end)

  it("wants LÖVE", function()
    assert.matches("love.picture: there is no LÖVE here; wanted a program that LÖVE 11 runs",
      helper.fails(ma.love.picture, ma.zeros { 2, 3 }))
    assert.matches("love.sound: there is no LÖVE here", helper.fails(ma.love.sound, ma.zeros(3)))
    with_love({ image = love.image }, function()
      assert.matches("love.graphics is not loaded", helper.fails(ma.love.picture, ma.zeros { 2, 3 }))
    end)
  end)
end)

describe("a kernel in Lua", function()
  it("is found in a game's archive", function()
    local text = "local ma = ...\nreturn ma.vectorize(function(x)\n  return x * 2 + 1\nend)\n"
    local double
    local files = {
      getInfo = function(path, kind) return path == "kernels/double.lua" and kind == "file" and { size = #text } end,
      read = function(path) return path == "kernels/double.lua" and text end,
    }
    with_love({ filesystem = files }, function()
      double = assert(loadstring(text, "@kernels/double.lua"))(ma)
      assert.same({ 3, 5 }, double(ma.array { 1, 2 }):totable())
      local missing = assert(loadstring(text, "@kernels/missing.lua"))
      assert.matches("out of reach: kernels/missing.lua", helper.fails(function()
        return missing(ma)(ma.array { 1, 2 })
      end))
    end)
  end)
end)

describe("the library in an archive", function()
  local find = require "moonarray.love.module"

  --- LÖVE's files: an archive with the library for Windows, and a save directory.
  local function game(write)
    local save = { ["moonarray/core-1-2.dll"] = "old", ["moonarray/mine.txt"] = "mine" }
    local fs = { saved = save }
    local archive = { ["moonarray/core.dll"] = "library" }
    function fs.getInfo(path)
      local bytes = save[path] or archive[path]
      return bytes and { type = "file", size = #bytes, modtime = 1700000000 }
    end
    function fs.getRealDirectory() return "/nowhere/game.love" end
    function fs.getSaveDirectory() return "/nowhere/save" end
    function fs.getSourceBaseDirectory() return "/nowhere" end
    function fs.createDirectory() return true end
    function fs.newFileData(path) return archive[path] end
    fs.write = write or function(path, bytes)
      save[path] = bytes
      return true
    end
    function fs.remove(path) save[path] = nil end
    function fs.getDirectoryItems()
      local names = {}
      for path in pairs(save) do names[#names + 1] = path:match("[^/]+$") end
      return names
    end
    function fs.getCRequirePath() return "??" end
    function fs.setCRequirePath(path) fs.paths = path end
    return { filesystem = fs, system = { getOS = function() return "Windows" end } }
  end

  --- Looks for the library as if it were not loaded; returns the error.
  local function failure_of(player)
    local core, path = package.loaded["moonarray.core"], package.cpath
    package.loaded["moonarray.core"], package.cpath = nil, ""
    local ok, message = pcall(find, player)
    package.loaded["moonarray.core"], package.cpath = core, path
    assert(not ok and package.preload["moonarray.core"] == nil)
    return message
  end

  it("is copied under a name of its own, and older copies go", function()
    local player = game()
    assert.matches("^moonarray: /nowhere/save/moonarray/core%-7%-1700000000.dll does not load: ", failure_of(player))
    assert.same({ ["moonarray/core-7-1700000000.dll"] = "library", ["moonarray/mine.txt"] = "mine" },
      player.filesystem.saved)
    assert.equal("??", player.filesystem.paths)
    -- The copy is taken again as it is.
    player.filesystem.write = function() error("written again") end
    assert.matches("does not load", failure_of(player))
  end)

  it("says that it cannot be copied, or is not there", function()
    assert.matches("moonarray/core.dll cannot be copied to /nowhere/save: disk full; wanted a save directory",
      failure_of(game(function() return false, "disk full" end)))
    local player = game()
    player.filesystem.getInfo = function() end
    assert.matches("there is no moonarray/core.dll in the game, nor beside it", failure_of(player))
  end)
end)
