--- Arrays over the memory of LÖVE's Data objects, vertices of a mesh, and sounds out of arrays.

local sformat = require("moonarray.text").format

-- For each format of ImageData: a channel's dtype, and the number of channels. Smaller ones than a byte give words.
local formats = {
  r8 = { "uint8", 1 }, rg8 = { "uint8", 2 }, rgba8 = { "uint8", 4 },
  r16 = { "uint16", 1 }, rg16 = { "uint16", 2 }, rgba16 = { "uint16", 4 },
  r16f = { "float16", 1 }, rg16f = { "float16", 2 }, rgba16f = { "float16", 4 },
  r32f = { "float32", 1 }, rg32f = { "float32", 2 }, rgba32f = { "float32", 4 },
  rgba4 = { "uint16", 1 }, rgb5a1 = { "uint16", 1 }, rgb565 = { "uint16", 1 },
  rgb10a2 = { "uint32", 1 }, rg11b10f = { "uint32", 1 },
}

local fields = { data = true, mesh = true, is_shared = true }       -- of vertices, beside the attributes

-- For each type of a mesh's attribute: the dtype, and the integer that means 1.
local attribute_types = { float = { "float32" }, byte = { "uint8", 255 }, unorm16 = { "uint16", 65535 } }

return function(ma, core, module)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local names = require "moonarray.love.names" (ma)

  local function itemsize(dtype) return ma.empty(1, { dtype = dtype, device = "cpu" }).itemsize end

  --- A method of an object of LÖVE's; nil if the value has none of that name.
  local function method(object, name)
    local kind = type(object)
    if kind ~= "userdata" and kind ~= "table" or is_array(object) then return end
    local found, value = pcall(function() return object[name] end)
    return found and core.is_callable(value) and value or nil
  end

  local function is_a(object, class)
    local type_of = method(object, "typeOf")
    return type_of ~= nil and type_of(object, class)
  end

  local function image_view(name, data, dtype)
    local format = data:getFormat()
    local width, height = data:getDimensions()
    local known = formats[format]
    if not known then fail(name, sformat("an image of the format %s; its pixels have no dtype", tostring(format))) end
    local channels = known[2]
    if dtype then
      local pixel = data:getSize() / (width * height)
      channels = pixel / itemsize(dtype)
      if channels < 1 or channels % 1 ~= 0 then
        fail(name, sformat("%s, but a pixel of %s has %d bytes", dtype, format, pixel))
      end
    end
    local shape = channels == 1 and { height, width } or { height, width, channels }
    return ma.frombuffer(data, shape, dtype or known[1], { device = "cpu" })
  end

  local function sound_view(data, dtype)
    local samples, channels = data:getSampleCount(), data:getChannelCount()
    local shape = channels == 1 and { samples } or { samples, channels }
    return ma.frombuffer(data, shape, dtype or (data:getBitDepth() == 8 and "uint8" or "int16"), { device = "cpu" })
  end

  --> love love.view: ma.love.view(love.image.newImageData(64, 64)).shape
  --> > (64, 64, 4)
  def("love.view(data: userdata; shape?: integer|integer[], dtype?: dtype) -> array",
    "An array over the memory of one of LÖVE's Data objects, which lives as long as the array; nothing is copied. "
    .. "ImageData gives (height, width, channels), or (height, width) of one channel, SoundData (samples, channels), "
    .. "or (samples) of one channel, and other Data bytes, unless `shape` and `dtype` say what is in them.",
    function(data, shape, dtype)
      local name = "love.view"
      if not method(data, "getFFIPointer") or not method(data, "getSize") then
        fail(name, sformat("data is %s; wanted one of LÖVE's Data objects: ImageData, SoundData, ByteData, FileData",
          core.describe(data)))
      end
      local ok, reason = pcall(data.getSize, data)
      if not ok then fail(name, "data has no memory now: " .. tostring(reason):gsub("^[^:]*:%d+: ", "")) end
      if shape == nil and is_a(data, "ImageData") then return image_view(name, data, dtype) end
      if shape == nil and is_a(data, "SoundData") then return sound_view(data, dtype) end
      return ma.frombuffer(data, shape, dtype or "uint8", { device = "cpu" })
    end)

  -- ==== Vertices =====================================================================================================

  --> = vertices | - | The vertices of a Mesh of LÖVE, an array for each attribute under its name.
  --> . mesh: userdata | the Mesh
  --> . data: userdata | the ByteData in which arrays of the CPU lie, and by which others reach the Mesh if not shared
  --> . is_shared: boolean | whether the last upload let the GPU copy, without the host's memory
  --> . [string]: array
  local Vertices = {}
  Vertices.__index = Vertices

  --- What the object needs beside its arrays: `bytes` is the memory of all of them, `at_home` the ByteData as an array.
  local own = setmetatable({}, { __mode = "k" })

  --> :upload() -> vertices | Gives them back to the Mesh.
  --> love vertices:upload: local vertices = ma.love.vertices(mesh)
  -->   vertices.VertexPosition:iadd(1)
  -->   vertices:upload()
  -->   return mesh:getVertexAttribute(1, 1)
  --> > 1	1
  function Vertices:upload()
    local mine = own[self]
    local resource = mine.bytes and names.vertices(mine, module("love.vertices.upload", "graphics"), self.mesh,
      mine.bytes.device)
    self.is_shared = resource and true or false
    if resource then
      resource:map(mine.bytes.size, "uint8", function(buffer) buffer:assign(mine.bytes) end)
      return self
    end
    if mine.bytes then mine.at_home:assign(mine.bytes) end
    self.mesh:setVertices(self.data)
    return self
  end

  common.guard("love.vertices", Vertices, Vertices)

  --- The bytes of a vertex; of each attribute its name, dtype, components, first byte, and the integer that means 1.
  local function layout(name, format)
    local stride, list = 0, {}
    for k, attribute in ipairs(format) do
      local known = attribute_types[attribute[2]]
      if not known then
        fail(name, sformat("attribute %s has the type %s; wanted float, byte or unorm16", attribute[1],
          tostring(attribute[2])))
      end
      if Vertices[attribute[1]] or fields[attribute[1]] then
        fail(name, sformat("an attribute is called %s, as a field of the vertices is; wanted another name",
          attribute[1]))
      end
      list[k] = { name = attribute[1], dtype = known[1], one = known[2] or 1, n = attribute[3], from = stride }
      stride = stride + attribute[3] * itemsize(known[1])
    end
    return stride, list
  end

  --- Copies an attribute's values from the mesh.
  local function download(mesh, count, k, attribute, view)
    local rows = {}
    for i = 1, count do rows[i] = { mesh:getVertexAttribute(i, k) } end
    local values = ma.array(rows, { dtype = "float64", device = "cpu" })
    view:assign((attribute.one == 1 and values or ma.rint(values * attribute.one)):astype(attribute.dtype))
  end

  --> love love.vertices: local v = ma.love.vertices(mesh)
  -->   v.VertexPosition:iadd(1)
  -->   v:upload()
  -->   return mesh:getVertexAttribute(1, 1)
  --> > 1	1
  def("love.vertices(mesh: userdata; device?: string) -> vertices",
    "The vertices of a Mesh as arrays, one for each attribute under its name: v.VertexPosition is (vertices, 2) of "
    .. "float32, v.VertexColor (vertices, 4) of uint8. They have what the mesh has now, and v:upload() gives them "
    .. "back to the mesh. They are views of one ByteData, v.data, or lie on the GPU that `device` names.",
    function(mesh, device)
      local name = "love.vertices"
      if not method(mesh, "getVertexFormat") or not method(mesh, "setVertices") then
        fail(name, sformat("mesh is %s; wanted one that love.graphics.newMesh made", core.describe(mesh)))
      end
      local count = mesh:getVertexCount()
      local stride, attributes = layout(name, mesh:getVertexFormat())
      local data = module(name, "data").newByteData(count * stride)
      local vertices = setmetatable({ data = data, mesh = mesh, is_shared = false }, Vertices)
      local bytes, mine = ma.frombuffer(data, nil, "uint8", { device = "cpu" }), {}
      if device ~= nil then
        local there = ma.zeros(bytes.size, "uint8", { device = device })
        if there.device ~= "cpu" then mine.bytes, mine.at_home, bytes = there, bytes, there end
      end
      own[vertices] = mine
      local rows = bytes:reshape(count, stride)
      for k, attribute in ipairs(attributes) do
        local last = attribute.from + attribute.n * itemsize(attribute.dtype)
        local part = rows[{ {}, { attribute.from + 1, last } }]
        local view = part:view(attribute.dtype)
        part:free()
        download(mesh, count, k, attribute, view)
        vertices[attribute.name] = view
      end
      rows:free()
      if not mine.bytes then bytes:free() end              -- the attributes alone keep the ByteData
      return vertices
    end)

  -- ==== Sounds =======================================================================================================

  --> love love.sound: love.audio.newSource(ma.love.sound(ma.sin(ma.arange(44100) / 16))):play()
  --> > true
  def("love.sound(a: data; rate?: integer) -> userdata",
    "A SoundData of 16 bits with the samples of a, (samples) or (samples, channels), from -1 to 1. `rate` of them are "
    .. "a second, 44100 unless it is given.", function(a, rate)
      local name = "love.sound"
      if not is_array(a) or a.ndim < 1 or a.ndim > 2 or a.size == 0 or (a.ndim == 2 and a.shape[2] > 2) then
        fail(name, sformat("a is %s; wanted (samples) or (samples, 1 or 2)", core.describe(a)))
      end
      rate = common.whole(name, "rate", rate == nil and 44100 or rate, 1)
      local data = module(name, "sound").newSoundData(a.shape[1], rate, 16, a.shape[2] or 1)
      local samples = ma.rint(ma.clip(a, -1, 1) * 32767):astype("int16")
      local view = sound_view(data)
      view:assign(data:getChannelCount() == 1 and samples:reshape(a.shape[1]) or samples)
      view:free()                                            -- so that data:release() frees the memory
      return data
    end)
end
