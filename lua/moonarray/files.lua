--- The parts of files and foreign memory that need Lua: FFI pointers in both directions, and savez, whose last table
--- has names that the user chose. src/bind/files and src/bind/device/memory.c have the rest.
--# files

local sformat = require("moonarray.text").format

-- ==== FFI ==========================================================================================================

--- LuaJIT's name of an element's C type -> the dtype. 16-bit floats have no C type: their pointers are to uint16_t.
local dtype_of = {
  ["bool"] = "bool", ["char"] = "int8", ["signed char"] = "int8", ["int8_t"] = "int8", ["unsigned char"] = "uint8",
  ["uint8_t"] = "uint8",
  ["short"] = "int16", ["unsigned short"] = "uint16", ["int"] = "int32", ["unsigned int"] = "uint32",
  ["long"] = "int64", ["int64_t"] = "int64", ["unsigned long"] = "uint64", ["uint64_t"] = "uint64",
  ["float"] = "float32", ["double"] = "float64", ["complex float"] = "complex64", ["complex"] = "complex128",
}

local ctype_of = {
  bool = "bool", int8 = "int8_t", int16 = "int16_t", int32 = "int32_t", int64 = "int64_t",
  uint8 = "uint8_t", uint16 = "uint16_t", uint32 = "uint32_t", uint64 = "uint64_t",
  float16 = "uint16_t", bfloat16 = "uint16_t", float32 = "float", float64 = "double",
  complex64 = "complex float", complex128 = "complex double",
}

--- A typed pointer to an array's memory. It keeps the array alive; pointers derived from it do not.
local function pointer_maker(ffi)
  local anchors = setmetatable({}, { __mode = "k" })
  local types = {}
  return function(address, dtype, readonly, array)
    local name = (readonly and "const " or "") .. ctype_of[dtype] .. " *"
    local ctype = types[name]
    if not ctype then
      ctype = ffi.typeof(name)
      types[name] = ctype
    end
    local pointer = ffi.cast(ctype, address)
    anchors[pointer] = array
    return pointer
  end
end

--- What a cdata is: its address, its bytes (of an FFI array, whose size is known), its dtype, and whether it is
--- read-only. Nothing if it is neither a pointer nor an FFI array.
local function describe_cdata(ffi, object)
  local text = tostring(ffi.typeof(object)):match("^ctype<(.*)>$")
  local element, tail = text:match("^(.-) ?([%*%[%(].*)$")
  if not element then return end
  local address = tonumber(ffi.cast("uintptr_t", ffi.cast("const volatile void *", object)))
  local plain, constant = element:gsub("const ", "")
  if plain == "char" and tonumber(ffi.new("char", 255)) == 255 then plain = "unsigned char" end -- on ARM
  local dtype = (tail:match("^%*$") or tail:match("^[%[%]%d]+$") or tail:match("^%(&%)")) and dtype_of[plain] or nil
  return address, not tail:find("*", 1, true) and ffi.sizeof(object) or nil, dtype, constant > 0
end

local function method(object, name)
  local found, value = pcall(function() return object[name] end)
  return found and type(value) == "function" and value or nil
end

--- The same for any object with memory. LÖVE's Data objects have getFFIPointer or getPointer, and getSize.
local function describer(ffi, core)
  return function(object)
    if type(object) == "cdata" then
      if ffi then return describe_cdata(ffi, object) end
      return
    end
    local size = method(object, "getSize")
    local get = ffi and method(object, "getFFIPointer") or method(object, "getPointer")
    if not (size and get) then return end
    local ok, pointer, nbytes = pcall(function() return get(object), size(object) end)
    if not ok then
      core.fail(nil, "an object that has no memory now: " .. tostring(pointer):gsub("^[^:]*:%d+: ", ""))
    end
    if type(pointer) == "cdata" then pointer = describe_cdata(ffi, pointer) end
    return pointer, nbytes
  end
end

--- Keeps the memory of a LÖVE object. Its method `release` frees the memory although others refer to the object, unless
--- it was also pushed to a Channel, which counts as a reference. So each array pushes the object to a Channel of the
--- array's own.
local function holder(core)
  return function(object)
    if not (method(object, "release") and method(object, "typeOf")) then return end
    local love = rawget(_G, "love")
    if type(love) ~= "table" then return end
    if not love.thread then pcall(require, "love.thread") end
    if not love.thread then
      core.fail(nil, "love.thread is not there; wanted it, because a Channel keeps LÖVE's object for the array")
    end
    local channel = love.thread.newChannel()
    channel:push(object)
    return function() channel:release() end
  end
end

-- ==== savez ========================================================================================================

--- Whether the table has names as keys, unlike an array written as a table.
local function is_named(value)
  if type(value) ~= "table" or getmetatable(value) then return false end
  for key in pairs(value) do
    if type(key) ~= "string" then return false end
  end
  return true
end

return function(ma, core)
  local found, ffi = pcall(require, "ffi")
  ffi = found and ffi or nil
  if ffi then core.set_hook("pointer", pointer_maker(ffi)) end
  core.set_hook("address", describer(ffi, core))
  core.set_hook("hold", holder(core))

  local records
  core.set_hook("record", function(...)
    records = records or require "moonarray.files.records" (ma, core)
    return records(...)
  end)

  local function define_savez(name, doc)
    local signature = name .. "(file: string|file*, ...)"
    core.document(name, signature, doc)
    ma[name] = function(file, ...)
      local count, given = select("#", ...), { ... }
      local names, arrays, seen = {}, {}, {}
      local named = is_named(given[count]) and given[count] or nil
      local function add(key, value)
        if value == nil then core.fail(name, sformat("argument %d is nil; wanted an array", #names + 1)) end
        if seen[key] then core.fail(name, sformat("two arrays are called '%s'; name them apart", key)) end
        seen[key] = true
        names[#names + 1], arrays[#names + 1] = key, value
      end
      -- NumPy's names of arrays without a name, which count from 0
      for k = 1, named and count - 1 or count do add("arr_" .. k - 1, given[k]) end
      local keys = {}
      for key in pairs(named or {}) do keys[#keys + 1] = key end
      table.sort(keys)
      for _, key in ipairs(keys) do add(key, named[key]) end
      core[name](file, names, arrays)
    end
  end

  --> savez savez_compressed: local name = os.tmpname() .. ".npz"
  -->   ma.savez(name, {x = ma.ones(2), y = ma.zeros(2)})
  -->   local x = ma.load(name).x
  -->   os.remove(name)
  -->   return x
  define_savez("savez",
    "Writes arrays to a .npz file: savez(file, {x = a, y = b}) by name; those before the table are called arr_0, " ..
      "arr_1 and on.")
  define_savez("savez_compressed", "The same with each array deflated.")
end
