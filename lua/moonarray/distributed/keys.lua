--- Whole numbers in the order of floats, with NaN at the end that an extreme keeps. NCCL's minima and maxima of floats
--- lose a NaN; those of these numbers keep it, and every other value bit for bit.

-- The keys of a NaN: the least number, and a great one that a double can hold, since plain Lua has no other numbers.
-- Both are NaN as bits of floats.
local LEAST = { int32 = -2 ^ 31, int64 = -2 ^ 63 }
local GREAT = { int32 = 2 ^ 31 - 1, int64 = 2 ^ 63 - 1024 }
local WHOLE = { float32 = "int32", float64 = "int64" }

return function(ma, core)
  local keys = {}

  --- Turns around the order of the negative ones; done twice it gives back what it got.
  local function turn(bits)
    return ma.where(bits:lt(0), ma.bitwise_xor(ma.invert(bits), LEAST[bits.dtype]), bits)
  end

  --- The keys of a float32 or float64 array, for op "min" or "max".
  function keys.of(x, op)
    local whole = WHOLE[x.dtype]
    local flat = x:reshape(x.size)
    local key = ma.where(ma.isnan(flat), op == "max" and GREAT[whole] or LEAST[whole], turn(flat:view(whole)))
    return core.contiguous(key:astype(whole)):reshape(x.shape)
  end

  --- The floats of keys.
  function keys.back(key)
    local bits = core.contiguous(turn(key:reshape(key.size)):astype(key.dtype))
    return bits:view(key.dtype == "int32" and "float32" or "float64"):reshape(key.shape)
  end

  return keys
end
