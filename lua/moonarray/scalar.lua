--- Numbers that a double cannot hold. Converts int64 and complex objects of LuaJIT's FFI to elements and back, and
--- structs to bytes. Plain Lua has no FFI; there a large integer becomes the nearest double.

return function(_, core)
  local found, ffi = pcall(require, "ffi")
  if not found then return end

  local istype, cast = ffi.istype, ffi.cast
  local int64, uint64, complex = ffi.typeof "int64_t", ffi.typeof "uint64_t", ffi.typeof "complex"

  core.set_hook("int64", function(value)
    return istype(int64, value) and 1 or istype(uint64, value) and 2 or istype(complex, value) and 3 or nil
  end)

  --- The bytes of a struct or a union; nil for another cdata.
  function core.struct_bytes(object)
    local text = tostring(ffi.typeof(object))
    if not (text:find "^ctype<struct " or text:find "^ctype<union ") or text:find "[%*%[%(]" then return nil end
    return ffi.string(cast("const char *", cast("const void *", object)), ffi.sizeof(object))
  end

  local word = cast(uint64, 2 ^ 32)  -- not a ULL literal, because plain Lua reads this file too

  --- Makes a 64-bit integer from two halves of 32 bits.
  core.set_hook("push_int64", function(high, low, unsigned)
    local bits = cast(uint64, high) * word + cast(uint64, low)
    return unsigned and bits or cast(int64, bits)
  end)
end
