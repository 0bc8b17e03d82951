--- ma.cuda.texture: textures and surfaces under CuPy's names. Descriptors are plain objects of this file; CUDA arrays,
--- texture objects and surface objects are the core's, with their attributes in a table that is made here.

return function(ma, core)
  local fail, sformat = core.fail, require("moonarray.text").format
  local common = require("moonarray.common")(core)
  local whole = common.whole
  local runtime = ma.cuda.runtime

  -- ==== CUDA's numbers ====

  local kinds = { signed = 0, unsigned = 1, float = 2, none = 3 }
  local resources = { array = 0, mipmapped_array = 1, linear = 2, pitch2d = 3 }
  local modes = { wrap = 0, clamp = 1, mirror = 2, border = 3 }
  local filters = { point = 0, linear = 1 }
  local reads = { element = 0, normalized_float = 1 }
  for name, value in pairs { cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2, cudaChannelFormatKindNone = 3, cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D = 3,
    cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3,
    cudaFilterModePoint = 0, cudaFilterModeLinear = 1, cudaReadModeElementType = 0,
    cudaReadModeNormalizedFloat = 1 } do
    rawset(runtime, name, value)
  end

  --- One of CUDA's numbers, or its name.
  local function number_of(name, what, value, list, fallback)
    if value == nil then return fallback end
    local names = {}
    for known, number in pairs(list) do
      if value == known or value == number then return number end
      names[#names + 1] = "'" .. known .. "'"
    end
    table.sort(names)
    return fail(name, sformat("%s is %s; wanted %s", what, core.describe(value), table.concat(names, ", ")))
  end

  local function def(signature, doc, fn)
    local name = "cuda.texture." .. signature:match("^%w+")
    core.def("cuda.texture." .. signature, doc, function(...) return fn(name, ...) end)
  end

  -- ==== Descriptors ====

  local FIELDS = {}                      -- no string: else an object could pass for a table of options

  --- A class of plain objects: its methods, the function that makes one of its fields, and the set of all of them.
  local function class(title)
    local methods, all = {}, setmetatable({}, { __mode = "k" })
    local meta = { __tostring = function() return "<" .. title .. ">" end, __metatable = title }
    function meta.__index(object, key)
      local value = rawget(object, FIELDS)[key]
      if value == nil then value = methods[key] end
      if value == nil then core.unknown("cuda.texture." .. title, key, methods, rawget(object, FIELDS)) end
      return value
    end
    return methods, function(fields)
      local object = setmetatable({ [FIELDS] = fields }, meta)
      all[object] = true
      return object
    end, all
  end

  local format_methods, new_format, formats = class "ChannelFormatDescriptor"
  local resource_methods, new_resource, descriptors = class "ResourceDescriptor"
  local sampler_methods, new_sampler, samplers = class "TextureDescriptor"

  local function of_class(name, what, value, list, title)
    if type(value) ~= "table" or not list[value] then
      fail(name, sformat("%s is %s; wanted a %s", what, core.describe(value), title))
    end
    return value
  end

  local dtypes = { [0] = { [8] = "int8", [16] = "int16", [32] = "int32" },
    { [8] = "uint8", [16] = "uint16", [32] = "uint32" }, { [16] = "float16", [32] = "float32" } }

  --> cuda.texture.ChannelFormatDescriptor: ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float").dtype
  --> = channel_format | ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float") | The format of texels.
  --> . channels: integer | how many there are
  --> . dtype: dtype | of a channel
  --> :get_channel_format() -> table | The bits of x, y, z and w, and the kind f.
  --> channel_format:get_channel_format: channel_format:get_channel_format().x
  def("ChannelFormatDescriptor(x: integer, y: integer, z: integer, w: integer, f: integer|string) -> channel_format",
    "The format of texels: the bits of each channel, 0 for those that are not there, and their kind: 'signed', " ..
    "'unsigned' or 'float', or CUDA's cudaChannelFormatKind.", function(name, x, y, z, w, f)
    local bits, n = { x, y, z, w }, 0
    f = number_of(name, "f", f, kinds)
    for k = 1, 4 do
      whole(name, ("xyzw"):sub(k, k), bits[k], 0)
      if bits[k] > 0 then n = k end
    end
    for k = 1, n do
      if bits[k] ~= bits[1] then
        fail(name, sformat("channels of %d, %d, %d and %d bits; wanted 1, 2 or 4 of the same bits", x, y, z, w))
      end
    end
    local dtype = dtypes[f] and dtypes[f][x]
    if not dtype or n == 3 then
      fail(name, sformat("%d channels of %d bits of the kind %d; wanted 1, 2 or 4 channels of 8, 16 or 32 bits, of " ..
        "16 or 32 if they are floats", n, x, f))
    end
    return new_format { x = x, y = y, z = z, w = w, f = f, channels = n, dtype = dtype }
  end)

  function format_methods.get_channel_format(format)
    of_class("cuda.texture.get_channel_format", "the object", format, formats, "ChannelFormatDescriptor")
    return { x = format.x, y = format.y, z = format.z, w = format.w, f = format.f }
  end

  local function is_image(value)
    local _, kind = core.texture_fields(value)
    return kind == "image"
  end

  local TEXEL_ROWS = 32                  -- CUDA's texturePitchAlignment

  local resource_of = {}

  resource_of[0] = function(name, r)
    if not is_image(r.cuArr) then
      fail(name, sformat("cuArr is %s; wanted a CUDAarray", core.describe(r.cuArr)))
    end
    local texels = core.texture_fields(r.cuArr).texels
    return { kind = 0, source = r.cuArr, ndim = texels.ndim, channels = texels.channels, dtype = texels.dtype }
  end

  resource_of[1] = function(name)
    return fail(name, "a mipmapped array; wanted 'array', 'linear' or 'pitch2d', which have one level")
  end

  --- A texture's texels over the memory of an array whose elements lie together.
  local function over_array(name, r, kind)
    if not core.is_array(r.arr) then fail(name, sformat("arr is %s; wanted an array", core.describe(r.arr))) end
    local format = of_class(name, "chDesc", r.chDesc, formats, "ChannelFormatDescriptor")
    if r.arr.dtype ~= format.dtype then
      fail(name, sformat("arr is %s; wanted %s, as chDesc says", r.arr.dtype, format.dtype))
    end
    if not r.arr.is_contiguous then fail(name, "arr is a view whose elements do not lie one after another") end
    return { kind = kind, source = r.arr, channels = format.channels, dtype = format.dtype }
  end

  resource_of[2] = function(name, r)
    local t = over_array(name, r, 1)
    local texel = r.arr.itemsize * t.channels
    local size = whole(name, "sizeInBytes", r.sizeInBytes or r.arr.nbytes, 1)
    if size > r.arr.nbytes or size % texel ~= 0 then
      fail(name, sformat("sizeInBytes is %d; wanted a multiple of the texel's %d, at most arr's %d", size, texel,
        r.arr.nbytes))
    end
    t.ndim, t.extent = 1, { size / texel }
    return t
  end

  resource_of[3] = function(name, r)
    local t = over_array(name, r, 2)
    local texel = r.arr.itemsize * t.channels
    local width, height = whole(name, "width", r.width, 1), whole(name, "height", r.height, 1)
    local pitch = whole(name, "pitchInBytes", r.pitchInBytes or width * texel, 1)
    if pitch < width * texel or pitch % TEXEL_ROWS ~= 0 then
      fail(name, sformat("pitchInBytes is %d; wanted a multiple of %d, at least the %d of a row", pitch, TEXEL_ROWS,
        width * texel))
    end
    if (height - 1) * pitch + width * texel > r.arr.nbytes then
      fail(name, sformat("%d rows that are %d bytes apart; arr has %d bytes", height, pitch, r.arr.nbytes))
    end
    t.ndim, t.extent, t.pitch = 2, { width, height }, pitch
    return t
  end

  --> cuda.texture.ResourceDescriptor cuda.texture.TextureObject: local T = ma.cuda.texture
  -->   local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  -->   return T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor("clamp", "linear")).device
  --> = resource | - | What a texture reads.
  def("ResourceDescriptor(restype: integer|string, cuArr?: cuda_array, arr?: array, chDesc?: channel_format, "
    .. "sizeInBytes?: integer, width?: integer, height?: integer, pitchInBytes?: integer) -> resource",
    "Where the texels are: 'array' (cuArr, a CUDAarray), 'linear' (arr, chDesc, sizeInBytes) or 'pitch2d' (arr, " ..
    "chDesc, width, height, pitchInBytes), or CUDA's cudaResourceType.",
    function(name, restype, cuArr, arr, chDesc, sizeInBytes, width, height, pitchInBytes)
    local r = { restype = number_of(name, "restype", restype, resources), cuArr = cuArr, arr = arr, chDesc = chDesc,
      sizeInBytes = sizeInBytes, width = width, height = height, pitchInBytes = pitchInBytes }
    if r.restype == nil then fail(name, "restype is nil; wanted 'array', 'linear' or 'pitch2d'") end
    r.texels = resource_of[r.restype](name, r)
    return new_resource(r)
  end)

  function resource_methods.get_resource_desc(r)
    of_class("cuda.texture.get_resource_desc", "the object", r, descriptors, "ResourceDescriptor")
    return { resType = r.restype, cuArr = r.cuArr, arr = r.arr, chDesc = r.chDesc, sizeInBytes = r.sizeInBytes,
      width = r.width, height = r.height, pitchInBytes = r.pitchInBytes }
  end

  --- The address modes of three axes, from a name, a number or a list. The last one of a short list serves other axes.
  local function modes_of(name, given)
    if type(given) ~= "table" then given = { given } end
    local list = {}
    for k = 1, 3 do
      list[k] = number_of(name, sformat("addressModes[%d]", k), given[k], modes, list[k - 1] or modes.clamp)
    end
    return list
  end

  --> cuda.texture.TextureDescriptor: tostring(ma.cuda.texture.TextureDescriptor({addressModes = "wrap"}))
  --> = sampler | ma.cuda.texture.TextureDescriptor() | How a texture is read.
  def("TextureDescriptor(addressModes?: string|integer|table, filterMode?: integer|string, readMode?: integer|string, "
    .. "sRGB?: boolean, borderColors?: number[], normalizedCoords?: boolean, " ..
    "maxAnisotropy?: integer) -> sampler",
    "How texels are read: addressModes along x, y and z ('wrap', 'clamp', 'mirror', 'border'), filterMode ('point', " ..
    "'linear'), readMode ('element', 'normalized_float'), borderColors of four channels, normalizedCoords.",
    function(name, addressModes, filterMode, readMode, sRGB, borderColors, normalizedCoords, maxAnisotropy)
    local t = { addressModes = modes_of(name, addressModes),
      filterMode = number_of(name, "filterMode", filterMode, filters, 0),
      readMode = number_of(name, "readMode", readMode, reads, 0), sRGB = sRGB and sRGB ~= 0 or false,
      borderColors = borderColors or {}, normalizedCoords = normalizedCoords and normalizedCoords ~= 0 or false,
      maxAnisotropy = whole(name, "maxAnisotropy", maxAnisotropy or 0, 0) }
    common.type(name, "borderColors", t.borderColors, "table")
    for k, value in ipairs(t.borderColors) do common.number(name, sformat("borderColors[%d]", k), value) end
    return new_sampler(t)
  end)

  function sampler_methods.get_texture_desc(t)
    of_class("cuda.texture.get_texture_desc", "the object", t, samplers, "TextureDescriptor")
    return { addressModes = t.addressModes, filterMode = t.filterMode, readMode = t.readMode, sRGB = t.sRGB,
      borderColors = t.borderColors, normalizedCoords = t.normalizedCoords, maxAnisotropy = t.maxAnisotropy }
  end

  -- ==== CUDA arrays ====

  local SURFACE = 2                      -- CUDA's cudaArraySurfaceLoadStore

  --> cuda.texture.CUDAarray: local T = ma.cuda.texture
  -->   local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  -->   image:copy_from(ma.array({1, 2, 3}, "float32"))
  -->   local back = ma.zeros(3, "float32")
  -->   image:copy_to(back)
  -->   return back
  --> = cuda_array | ma.cuda.texture.CUDAarray(ma.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3) | A
  --> \ CUDA array of texels.
  --> . width: integer | texels
  --> . height: integer | rows; 0 with one axis
  --> . depth: integer | layers; 0 with one or two axes
  --> . desc: channel_format | the format of its texels
  --> . ndim: integer | the axes
  --> . shape: integer[] | of the texels
  --> . device: string | the GPU
  --> . ptr: integer | the driver's handle
  --> :copy_from(array: array, stream?: stream) | Takes the elements of an array.
  --> cuda_array:copy_from cuda_array:copy_to: cuda_array:copy_from(ma.array({1, 2, 3}, "float32"))
  -->   local back = ma.zeros(3, "float32")
  -->   cuda_array:copy_to(back)
  -->   return back
  --> :copy_to(array: array, stream?: stream) | Gives its texels to an array.
  --> :free() | Gives its memory back.
  --> cuda_array:free: cuda_array:free()
  -->   local _, message = pcall(cuda_array.copy_from, cuda_array, ma.zeros(3, "float32"))
  -->   return message:match("moonarray.*")
  def("CUDAarray(desc: channel_format, width: integer, height?: integer, depth?: integer, "
    .. "flags?: integer) -> cuda_array",
    "Texels in a layout of the device's own, on the current device, along 1 to 3 axes: height and depth are 0 for " ..
    "axes that are not there. flags: 2 (cudaArraySurfaceLoadStore) for a surface.",
    function(name, desc, width, height, depth, flags)
    of_class(name, "desc", desc, formats, "ChannelFormatDescriptor")
    width = whole(name, "width", width, 1)
    height, depth = whole(name, "height", height or 0, 0), whole(name, "depth", depth or 0, 0)
    flags = whole(name, "flags", flags or 0, 0)
    if depth > 0 and height == 0 then fail(name, sformat("depth is %d and height 0; wanted both", depth)) end
    if flags ~= 0 and flags ~= SURFACE then
      fail(name, sformat("flags is %d; wanted 0, or 2 for surfaces: layers and cube maps are not here", flags))
    end
    local ndim = depth > 0 and 3 or height > 0 and 2 or 1
    local texels = { ndim = ndim, channels = desc.channels, dtype = desc.dtype, extent = { width, height, depth } }
    local shape = ({ { width }, { height, width }, { depth, height, width } })[ndim]
    return core.texture_image(texels, { desc = desc, width = width, height = height, depth = depth, flags = flags,
      ndim = ndim, texels = texels, shape = shape,
      text = sformat("<CUDA array of %s texels of %d %s>", table.concat(shape, " x "), desc.channels, desc.dtype) },
      flags)
  end)

  local function has_shape(array, shape)
    local same = array.ndim == #shape
    for k = 1, same and #shape or 0 do same = same and array.shape[k] == shape[k] end
    return same
  end

  --- Checks the shape of an array for copies of an image, whose channels lie in its last axis or in one of their own.
  local function check_shape(name, fields, array)
    local texels, shape = fields.texels, fields.shape
    local joined, apart = {}, {}
    for k, extent in ipairs(shape) do joined[k], apart[k] = extent, extent end
    joined[#joined] = joined[#joined] * texels.channels
    apart[#apart + 1] = texels.channels
    if array.dtype == texels.dtype and (has_shape(array, joined) or has_shape(array, apart)) then return end
    fail(name, sformat("a %s array %s; wanted %s (%s)", array.dtype, common.shape_text(array), texels.dtype,
      table.concat(joined, ", ")))
  end

  local methods = core.cuda_array_methods

  local function method(name, fn)
    methods[name] = function(image, array, stream)
      local title = "cuda.texture.CUDAarray." .. name
      if not is_image(image) then
        fail(title, core.describe(image) .. " in place of the CUDA array; write array:" .. name .. "(...)")
      end
      if not core.is_array(array) then fail(title, sformat("arr is %s; wanted an array", core.describe(array))) end
      check_shape(title, core.texture_fields(image), array)
      if stream == nil then return fn(image, array) end
      return core.runtime_stream(title, stream):with(fn, image, array)
    end
  end

  method("copy_from", function(image, array)
    if array.device ~= image.device then array = array:to(image.device) end
    core.texture_copy(image, array.is_contiguous and array or array:copy(), true)
  end)

  method("copy_to", function(image, array)
    if array.device == image.device and array.is_contiguous then return core.texture_copy(image, array, false) end
    local whole_array = ma.device(image.device):with(ma.empty, array.shape, array.dtype)
    core.texture_copy(image, whole_array, false)
    array:assign(whole_array)
  end)

  local function free(object)
    if not core.texture_fields(object) then
      fail("cuda.texture.free", core.describe(object) .. " in place of the object; write object:free()")
    end
    core.texture_free(object)
  end
  methods.free, core.texture_methods.free = free, free

  -- ==== Texture and surface objects ====

  local function make(description, texels, fields)
    for key, value in pairs(texels) do
      if key ~= "source" then description[key] = value end
    end
    return core.texture_object(description, fields, texels.source)
  end

  local FLOAT_READ = { int8 = true, uint8 = true, int16 = true, uint16 = true }

  --- What a read of the texture returns. ma.jit needs it, and so do the checks of CUDA's rules.
  local function read_of(name, texels, sampler)
    local float = texels.dtype:find("^float") ~= nil
    local normalized = sampler.readMode == 1 and not float
    if normalized and not FLOAT_READ[texels.dtype] then
      fail(name, sformat("texels of %s read as normalized floats; wanted integers of 8 or 16 bits", texels.dtype))
    end
    local gives_float = float or normalized
    if sampler.filterMode == 1 and not gives_float then
      fail(name, sformat("a linear filter of %s; wanted floats, or readMode = 'normalized_float'", texels.dtype))
    end
    if texels.kind == 1 and (sampler.filterMode == 1 or sampler.normalizedCoords) then
      fail(name, "a filter or normalized coordinates of linear memory, which tex1Dfetch reads by position; wanted " ..
        "'array' or 'pitch2d'")
    end
    if sampler.sRGB and not (normalized and texels.dtype == "uint8") then
      fail(name, "sRGB of texels that are not uint8 read as normalized floats")
    end
    return { dtype = gives_float and "float32" or texels.dtype, channels = texels.channels, ndim = texels.ndim,
      linear = texels.kind == 1 }, normalized
  end

  --> = texture | - | A texture or surface object.
  --> . ptr: integer | the driver's handle
  --> . device: string | the GPU
  --> :free() | Ends it.
  --> texture:free: local T = ma.cuda.texture
  -->   local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  -->   local texture = T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor())
  -->   print(texture)
  -->   texture:free()
  def("TextureObject(ResDesc: resource, TexDesc: sampler) -> texture",
    "What kernels read texels with: an argument of the C type cudaTextureObject_t or unsigned long long, or of a " ..
    "kernel in Lua.", function(name, resource, sampler)
    local texels = of_class(name, "ResDesc", resource, descriptors, "ResourceDescriptor").texels
    of_class(name, "TexDesc", sampler, samplers, "TextureDescriptor")
    local read, normalized = read_of(name, texels, sampler)
    return make({ surface = false, address = sampler.addressModes, linear_filter = sampler.filterMode == 1,
      normalized_float = normalized, normalized = sampler.normalizedCoords, srgb = sampler.sRGB,
      anisotropy = sampler.maxAnisotropy, border = sampler.borderColors }, texels,
      { ResDesc = resource, TexDesc = sampler, read = read,
        text = sformat("<texture object of %d axes, %d %s>", read.ndim, read.channels, read.dtype) })
  end)

  --> cuda.texture.SurfaceObject: local T = ma.cuda.texture
  -->   local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3, 0, 0, 2)
  -->   return T.SurfaceObject(T.ResourceDescriptor("array", image)).device
  def("SurfaceObject(ResDesc: resource) -> texture",
    "What kernels read and write texels with, of a CUDAarray with the flag 2: an argument of the C type " ..
    "cudaSurfaceObject_t or unsigned long long.", function(name, resource)
    local texels = of_class(name, "ResDesc", resource, descriptors, "ResourceDescriptor").texels
    if texels.kind ~= 0 or core.texture_fields(texels.source).flags ~= SURFACE then
      fail(name, "a resource that is no CUDAarray with flags = 2; wanted one that surfaces may write")
    end
    return make({ surface = true, address = {}, border = {} }, texels, { ResDesc = resource,
      text = sformat("<surface object of %d axes, %d %s>", texels.ndim, texels.channels, texels.dtype) })
  end)

  -- ==== The runtime's names ====

  local texture = ma.cuda.texture

  local function def_runtime(signature, doc, fn)
    local name = "cuda.runtime." .. signature:match("^%w+")
    core.def("cuda.runtime." .. signature, doc, function(...) return fn(name, ...) end)
  end

  local function free_of(name, object, kind)
    local fields, found = core.texture_fields(object)
    if found ~= kind then
      fail(name, sformat("%s; wanted %s", core.describe(object), kind == "image" and "a CUDA array"
        or "a texture or surface object"))
    end
    return fields and core.texture_free(object)
  end

  --> cuda.runtime.createTextureObject cuda.runtime.destroyTextureObject: local T = ma.cuda.texture
  -->   local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3)
  -->   local object = ma.cuda.runtime.createTextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor())
  -->   print(object)
  -->   ma.cuda.runtime.destroyTextureObject(object)
  def_runtime("createTextureObject(ResDesc: resource, TexDesc: sampler) -> texture",
    "moonarray.cuda.texture.TextureObject(ResDesc, TexDesc)",
    function(_, resource, sampler) return texture.TextureObject(resource, sampler) end)
  --> cuda.runtime.createSurfaceObject cuda.runtime.destroySurfaceObject: local T = ma.cuda.texture
  -->   local image = T.CUDAarray(T.ChannelFormatDescriptor(32, 0, 0, 0, "float"), 3, 0, 0, 2)
  -->   local object = ma.cuda.runtime.createSurfaceObject(T.ResourceDescriptor("array", image))
  -->   print(object)
  -->   ma.cuda.runtime.destroySurfaceObject(object)
  def_runtime("createSurfaceObject(ResDesc: resource) -> texture", ""
    .. "moonarray.cuda.texture.SurfaceObject(ResDesc)",
    function(_, resource) return texture.SurfaceObject(resource) end)
  def_runtime("destroyTextureObject(object: texture)", "object:free()",
    function(name, object) free_of(name, object, "object") end)
  def_runtime("destroySurfaceObject(object: texture)", "object:free()",
    function(name, object) free_of(name, object, "object") end)
  --> cuda.runtime.mallocArray cuda.runtime.freeArray: local T = ma.cuda.texture
  -->   local format = T.ChannelFormatDescriptor(8, 0, 0, 0, "unsigned")
  -->   local image = ma.cuda.runtime.mallocArray(format, 4, 2)
  -->   print(image)
  -->   ma.cuda.runtime.freeArray(image)
  def_runtime("mallocArray(desc: channel_format, width: integer, height?: integer, flags?: integer) -> cuda_array",
    "moonarray.cuda.texture.CUDAarray(desc, width, height, 0, flags)",
    function(_, desc, width, height, flags) return texture.CUDAarray(desc, width, height, 0, flags) end)
  --> cuda.runtime.malloc3DArray: local format = ma.cuda.texture.ChannelFormatDescriptor(8, 0, 0, 0, "unsigned")
  -->   return ma.cuda.runtime.malloc3DArray(format, 4, 3, 2).depth
  def_runtime("malloc3DArray(desc: channel_format, width: integer, height?: integer, depth?: integer, "
    .. "flags?: integer) -> cuda_array",
    "moonarray.cuda.texture.CUDAarray(desc, width, height, depth, flags)",
    function(_, desc, width, height, depth, flags) return texture.CUDAarray(desc, width, height, depth, flags) end)
  def_runtime("freeArray(array: cuda_array)", "array:free()", function(name, array) free_of(name, array, "image") end)
end
