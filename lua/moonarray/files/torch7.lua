--- ma.loadt7: files that Torch7's torch.save wrote, binary or as text: tensors and storages as arrays, tables, numbers,
--- texts and booleans.
--# files

local tonumber = require("moonarray.text").tonumber
local sformat, floor = require("moonarray.text").format, math.floor

local NIL, NUMBER, STRING, TABLE, TORCH, BOOLEAN, FUNCTION, OLD_CLOSURE, CLOSURE = 0, 1, 2, 3, 4, 5, 6, 7, 8
local DTYPES = {
  Byte = "uint8", Char = "int8", Short = "int16", Int = "int32", Long = "int64", Half = "float16", Float = "float32",
  Double = "float64", Cuda = "float32", CudaByte = "uint8", CudaChar = "int8", CudaShort = "int16", CudaInt = "int32",
  CudaLong = "int64", CudaHalf = "float16", CudaDouble = "float64",
}
local SIZES = { uint8 = 1, int8 = 1, int16 = 2, int32 = 4, int64 = 8, float16 = 2, float32 = 4, float64 = 8 }
local MOST_AXES, DEEPEST = 16, 1000
local BINARY, TEXT = "binary", "ascii"
local LONG = { b32 = 4, b64 = 8, binary = 8 }      -- bytes of a C long, by the mode of torch.load

--- The whole number in n bytes, the lowest byte first. A negative one is read inverted, since 2 ^ 64 - 1 is no double.
local function whole(bytes, n)
  local value, negative = 0, bytes:byte(n) >= 128
  for k = n, 1, -1 do
    local byte = bytes:byte(k)
    value = value * 256 + (negative and 255 - byte or byte)
  end
  return negative and -value - 1 or value
end

local function double(bytes)
  local high = bytes:byte(8) * 256 + bytes:byte(7)
  local sign, exponent = high >= 0x8000 and -1 or 1, floor(high / 16) % 2048
  local fraction = high % 16
  for k = 6, 1, -1 do fraction = fraction * 256 + bytes:byte(k) end
  if exponent == 2047 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if exponent == 0 then return sign * math.ldexp(fraction, -1074) end
  return sign * math.ldexp(fraction + 2 ^ 52, exponent - 1075)
end

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local NAME = "loadt7"

  local function damaged(text, ...) fail(NAME, "the file is damaged: " .. sformat(text, ...)) end

  -- ==== Where the values come from ===================================================================================

  --- Reads values from a binary file. `left` is the number of bytes to the end, `long` the number of bytes of a C long
  --- on the machine that wrote the file.
  local function binary_reader(file, device, long)
    local here = file:seek()
    local reader = { left = file:seek "end" - here }
    file:seek("set", here)
    function reader.bytes(n)
      if n < 0 or n > reader.left then damaged("%.0f bytes; %.0f are left", n, reader.left) end
      reader.left = reader.left - n
      return n == 0 and "" or file:read(n)
    end
    function reader.int() return whole(reader.bytes(4), 4) end
    function reader.long() return whole(reader.bytes(long), long) end
    function reader.number() return double(reader.bytes(8)) end
    function reader.array(dtype, n)
      local stored = dtype == "int64" and long == 4 and "int32" or dtype
      local nbytes = n * SIZES[stored]
      if nbytes > reader.left then damaged("a storage of %.0f elements; %.0f bytes are left", n, reader.left) end
      reader.left = reader.left - nbytes
      return ma.fromfile(file, stored, { count = n, device = device }):astype(dtype, { copy = false })
    end
    return reader
  end

  --- Reads values from a file of text, in which a line end follows each list of values.
  local function text_reader(text, device)
    local at = 1
    local reader = {}
    local function end_list()
      if text:sub(at, at) == "\n" then at = at + 1 end
    end
    local function token()
      local word, after = text:match("^%s*(%S+)()", at)
      if not word then damaged "it ends too early" end
      at = after
      return word
    end
    local function real(word)
      local value = tonumber(word)
      if value then return value end
      if word:find "nan" then return 0 / 0 end
      return word:find "^-?inf" and (word:sub(1, 1) == "-" and -math.huge or math.huge)
        or damaged("'%.20s' is no number", word)
    end
    function reader.bytes(n)
      if n < 0 or n > #text - at + 1 then damaged("%.0f bytes; %d are left", n, #text - at + 1) end
      local part = text:sub(at, at + n - 1)
      at = at + n
      if n > 0 then end_list() end
      return part
    end
    function reader.number()
      local value = real(token())
      end_list()
      return value
    end
    function reader.int()
      local value = reader.number()
      if value ~= floor(value) or value - value ~= 0 then damaged("%g is no whole number", value) end
      return value
    end
    reader.long = reader.int
    function reader.array(dtype, n)
      local size = SIZES[dtype]
      if n > #text - at + 1 then damaged("a storage of %.0f elements; %d bytes are left", n, #text - at + 1) end
      if size == 1 then return ma.array(ma.frombuffer(reader.bytes(n), { n }, dtype), { device = device }) end
      local words = {}
      for k = 1, n do words[k] = token() end
      end_list()
      -- a float16 is written as the whole number that its bits give
      local a, wrong = core.parse_texts(words, dtype == "float16" and "uint16" or dtype, nil, false, device)
      if not a then damaged("'%.20s' is no %s", words[wrong], dtype) end
      return dtype == "float16" and a:view "float16" or a
    end
    return reader
  end

  -- ==== Objects ======================================================================================================

  local function read_storage(reader, dtype, device)
    local n = reader.long()
    if n < 0 then damaged("a storage of %.0f elements", n) end
    return n == 0 and ma.zeros(0, { dtype = dtype, device = device }) or reader.array(dtype, n)
  end

  --- A view of the storage, which tensors may share.
  local function read_tensor(reader, dtype, device, read_object)
    local ndim = reader.int()
    if ndim < 0 or ndim > MOST_AXES then damaged("a tensor of %d axes", ndim) end
    local shape, strides, last, size = {}, {}, 0, 1
    for d = 1, ndim do shape[d] = reader.long() end
    for d = 1, ndim do strides[d] = reader.long() end
    local offset = reader.long()
    local storage = read_object()
    for d = 1, ndim do
      if shape[d] < 0 or strides[d] < 0 or shape[d] > 2 ^ 53 or strides[d] > 2 ^ 53 then
        damaged("a tensor of extent %.0f, stride %.0f", shape[d], strides[d])
      end
      size, last = size * shape[d], last + (shape[d] - 1) * strides[d]
    end
    if ndim == 0 or size == 0 then return ma.zeros(ndim == 0 and 0 or shape, { dtype = dtype, device = device }) end
    if not core.is_array(storage) or storage.ndim ~= 1 or storage.dtype ~= dtype then
      damaged "a tensor without a storage of its kind"
    end
    if offset < 1 or offset + last > storage.size then
      damaged("a tensor of elements %.0f to %.0f of a storage of %d", offset, offset + last, storage.size)
    end
    for d = 1, ndim do strides[d] = strides[d] * SIZES[dtype] end
    local first = storage[{ { offset, offset + last } }]
    return ma.lib.stride_tricks.as_strided(first, shape, strides)
  end

  local function read_file(reader, device)
    local seen, depth = {}, 0
    local read_object

    local function read_torch(index)
      local class = reader.bytes(reader.int())
      if class:find "^V %d+$" then class = reader.bytes(reader.int()) end
      local kind, what = class:match "^torch%.(%a+)(%u%a+)$"
      local dtype = kind and DTYPES[kind]
      if dtype and what == "Storage" then seen[index] = read_storage(reader, dtype, device)
      elseif dtype and what == "Tensor" then seen[index] = read_tensor(reader, dtype, device, read_object)
      elseif class:find "^torch%." or class:find "^tds%." then
        fail(NAME, sformat("an object of class '%.60s', which has no counterpart here", class))
      else
        -- an object of a class written in Lua is the class's name and then a table
        local object = setmetatable({}, { __typename = class })
        seen[index] = object
        local fields = read_object()
        if type(fields) == "table" then
          for key, value in pairs(fields) do object[key] = value end
        end
      end
      return seen[index]
    end

    local function read_table(index)
      local result, n = {}, reader.int()
      seen[index] = result
      for _ = 1, n do
        local key, value = read_object(), read_object()
        if key ~= nil and key == key then result[key] = value end
      end
      return result
    end

    local function skip_function()
      reader.bytes(reader.int())
      read_object()
    end

    local function read_any()
      local kind = reader.int()
      if kind == NIL then return nil
      elseif kind == NUMBER then return reader.number()
      elseif kind == STRING then return reader.bytes(reader.int())
      elseif kind == BOOLEAN then return reader.int() == 1
      elseif kind == FUNCTION then return skip_function() end
      if kind ~= TABLE and kind ~= TORCH and kind ~= OLD_CLOSURE and kind ~= CLOSURE then
        damaged("an object of kind %.0f", kind)
      end
      local index = reader.int()
      if seen[index] ~= nil then return seen[index] end
      if kind == TABLE then return read_table(index)
      elseif kind == TORCH then return read_torch(index) end
      skip_function()
    end

    function read_object()
      depth = depth + 1
      if depth > DEEPEST then damaged("more than %d objects within each other", DEEPEST) end
      local object = read_any()
      depth = depth - 1
      return object
    end

    return read_object()
  end

  --> loadt7: local name = os.tmpname()
  -->   local file = io.open(name, "w")
  -->   file:write("1\n42\n")
  -->   file:close()
  -->   local number = ma.loadt7(name)
  -->   os.remove(name)
  -->   return number
  def("loadt7(file: string|file*, mode?: string; device?: string) -> any",
    "What torch.save of Torch7 wrote, binary or as text: tensors and storages of every kind (also those of CUDA) are "
    .. "arrays, of which some may share memory; tables, numbers, texts and booleans are Lua's. An object of another "
    .. "class, such as a module of nn, is a table of its fields whose metatable has the class as __typename. Functions "
    .. "are left out. `file` is a path or an open file. `mode` is torch.load's: 'b32' for a file whose C longs have 4 "
    .. "bytes, as those of Windows and of 32-bit machines, 'b64' or 'binary' for 8, 'ascii' for text; without one the "
    .. "file says whether it is text, and longs have 8 bytes.", function(file, mode, device)
      if mode ~= nil and mode ~= TEXT and not LONG[mode] then
        fail(NAME, sformat("%s for mode; 'b32', 'b64', 'binary' or 'ascii'", common.shown(mode)))
      end
      local opened, own = common.open(NAME, "file", file)
      local ok, result = pcall(function()
        local here = opened:seek()
        if not here then fail(NAME, "a pipe cannot be read; wanted a file") end
        local first = opened:read(1)
        if not first then damaged "it is empty" end
        opened:seek("set", here)
        local how = mode or first:find "[%d%s]" and TEXT or BINARY
        return read_file(how == TEXT and text_reader(opened:read "*a", device)
          or binary_reader(opened, device, LONG[how]), device)
      end)
      if own then opened:close() end
      if not ok then error(result, 0) end
      return result
    end)
end
