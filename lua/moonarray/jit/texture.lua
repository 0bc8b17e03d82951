--- Reads of texture objects in kernels: jit.tex1D, jit.tex2D, jit.tex3D and jit.tex1Dfetch. They are CUDA's functions,
--- with CUDA's coordinates: texel k covers k to k + 1, from 0 on.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local scalar = { int8 = "signed char", uint8 = "unsigned char", int16 = "short", uint16 = "unsigned short",
  int32 = "int", uint32 = "unsigned", float32 = "float" }
local vector = { int8 = "char", uint8 = "uchar", int16 = "short", uint16 = "ushort", int32 = "int", uint32 = "uint",
  float32 = "float" }

--- The channels of what `text` reads, as values.
local function channels(self, text, read, line)
  if read.channels == 1 then return value.number(("%s(%s)"):format(types.register[read.dtype], text), read.dtype) end
  local texel, list = self:unique "texel", {}
  self:emit(line, ("const %s%d %s = %s;"):format(vector[read.dtype], read.channels, texel, text))
  for k = 1, read.channels do
    list[k] = value.number(("%s(%s.%s)"):format(types.register[read.dtype], texel, ("xyzw"):sub(k, k)), read.dtype)
  end
  return unpack(list)
end

local function texture_of(self, v, line, name, ndim, linear)
  if v.kind ~= "texture" then
    self:fail(line, ("the first argument of '%s' is %s; wanted a texture object"):format(name, self:describe(v)))
  end
  local read = v.read
  if linear ~= read.linear or ndim ~= read.ndim then
    self:fail(line, ("'%s' of a texture %s"):format(name, read.linear and "of linear memory, which tex1Dfetch reads"
      or ("with coordinates along %d, which tex%dD reads"):format(read.ndim, read.ndim)))
  end
  return read, ("<%s>(%s, "):format(read.channels == 1 and scalar[read.dtype] or vector[read.dtype] .. read.channels,
    v.text)
end

local function reader(ndim)
  local fn = ("tex%dD"):format(ndim)
  return { least = ndim + 1, call = function(self, args, line, name)
    local read, begin = texture_of(self, args[1], line, name, ndim, false)
    local list = {}
    for axis = 1, ndim do
      local v = self:as_number(args[axis + 1], line, ("coordinate %s of '%s'"):format(("xyz"):sub(axis, axis), name))
      if v.kind == "unknown" then return v end
      if types.is_complex(v.dtype) then self:fail(line, ("'%s' at a complex coordinate"):format(name)) end
      list[axis] = value.as(v, "float32")
    end
    return channels(self, fn .. begin .. table.concat(list, ", ") .. ")", read, line)
  end }
end

local texture = { tex1D = reader(1), tex2D = reader(2), tex3D = reader(3) }

texture.tex1Dfetch = { least = 2, call = function(self, args, line, name)
  local read, begin = texture_of(self, args[1], line, name, 1, true)
  local v = self:as_number(args[2], line, "the position of '" .. name .. "'")
  if v.kind == "unknown" then return v end
  self:help "jit_texel"
  return channels(self, ("tex1Dfetch%sjit_texel(%s))"):format(begin, self:integer(v)), read, line)
end }

return texture
