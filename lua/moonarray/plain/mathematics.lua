--- Lua's mathematics and bit operations of elements in the plain form: those of the library by the names that they have
--- there.

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, scalar)
  local is_element = scalar.is

  local function any(...)
    for k = 1, select("#", ...) do
      if type((select(k, ...))) == "cdata" and is_element((select(k, ...))) then return true end
    end
    return false
  end

  local renamed = { abs = "abs", ceil = "ceil", floor = "floor", sqrt = "sqrt", exp = "exp", log10 = "log10",
    sin = "sin", cos = "cos", tan = "tan", sinh = "sinh", cosh = "cosh", tanh = "tanh", fmod = "fmod",
    asin = "arcsin", acos = "arccos", atan2 = "arctan2", pow = "power" }

  local functions = {}
  for name, own in pairs(renamed) do functions[name] = function(...) return ma[own](...) end end
  function functions.atan(x, y) return y and ma.arctan2(x, y) or ma.arctan(x) end
  function functions.log(x, base) return base and ma.log(x) / ma.log(base) or ma.log(x) end
  function functions.deg(x) return ma.rad2deg(x) end
  function functions.rad(x) return ma.deg2rad(x) end

  --- Of arrays: NaN wins.
  local function fold(name)
    return function(first, ...)
      for k = 1, select("#", ...) do first = ma[name](first, (select(k, ...))) end
      return first
    end
  end

  --- Of kernels in Lua: a later value replaces the first one only if it is less, or greater.
  local function choose(better)
    return function(first, ...)
      for k = 1, select("#", ...) do
        local other = select(k, ...)
        first = ma.where(ma[better](other, first), other, first)
      end
      return first
    end
  end

  -- Integers become float64 in kernels in Lua; arrays of small ones become float16 or float32.
  local floats = {}
  for name in ("sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh"):gmatch "%S+" do
    floats[name] = true
  end
  renamed.atan = "arctan"

  local function in_float64(own)
    return function(x, ...)
      if is_element(x) and ma.issubdtype(x.dtype, "integer") then x = x:astype "float64" end
      return own(x, ...)
    end
  end

  local made = {}

  --- The functions that replace Lua's: `math` and `bit` by name, and by_value by the function that each replaces.
  return function(kernel)
    local key = kernel and 1 or 2
    if made[key] then return made[key] end
    local set = { math = {}, bit = {}, ma = {}, by_value = {} }
    local function put(library, name, own)
      local lua = (library == "ma" and ma or rawget(_G, library) or {})[name]
      if not lua then return end
      set[library][name] = function(...)
        if any(...) then return own(...) end
        return lua(...)
      end
      set.by_value[lua] = set[library][name]
    end
    for name, own in pairs(functions) do put("math", name, kernel and floats[name] and in_float64(own) or own) end
    put("math", "min", kernel and choose "less" or fold "minimum")
    put("math", "max", kernel and choose "greater" or fold "maximum")
    if kernel then
      put("ma", "minimum", choose "less")
      put("ma", "maximum", choose "greater")
      for name in pairs(floats) do
        local of_array = ma[renamed[name] or name]
        put("ma", renamed[name] or name, in_float64(of_array))
      end
    end
    for name in ("tobit bnot band bor bxor lshift rshift arshift rol ror bswap"):gmatch "%S+" do
      local lua = (rawget(_G, "bit") or {})[name]
      put("bit", name, function(...)
        local list = { ... }
        for k = 1, select("#", ...) do list[k] = scalar.item(list[k]) end
        return scalar.cast(lua(unpack(list)), "int64")
      end)
    end
    made[key] = set
    return set
  end
end
