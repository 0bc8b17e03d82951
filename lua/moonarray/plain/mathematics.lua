--- Lua's mathematics and bit operations of elements in the plain form: those of the library by the names that they have
--- there.

local mathematics = require "moonarray.element.mathematics"
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local getinfo = debug and debug.getinfo
local folder = getinfo and getinfo(1, "S").source:match "^(.*)mathematics%.lua$" or ""

return function(ma, core, scalar, plain)
  local is_element = scalar.is

  local function any(...)
    for k = 1, select("#", ...) do
      if type((select(k, ...))) == "cdata" and is_element((select(k, ...))) then return true end
    end
    return false
  end

  local renamed, floats, functions = mathematics.renamed, mathematics.floats, mathematics.functions(ma)

  --- Of kernels in Lua: a later value replaces the first one only if it is less, or greater.
  local function choose(better)
    return mathematics.fold(function(first, other) return ma.where(ma[better](other, first), other, first) end)
  end

  --- Integers become float64 in kernels in Lua; arrays of small ones become float16 or float32.
  local function in_float64(own)
    return function(x, ...)
      if is_element(x) and ma.issubdtype(x.dtype, "integer") then x = x:astype "float64" end
      return own(x, ...)
    end
  end

  local made = {}

  --- Of a function of arrays: elements among its arguments and options are arrays of one element.
  local function by_arrays(of_array)
    return function(...)
      local list, n, found = { ... }, select("#", ...), false
      for k = 1, n do
        local value = list[k]
        if type(value) == "cdata" and is_element(value) then
          list[k], found = ma.array { value }, true
        elseif type(value) == "table" then
          list[k] = {}
          for key, option in pairs(value) do
            list[k][key] = type(option) == "cdata" and is_element(option) and tonumber(scalar.item(option)) or option
          end
        end
      end
      if not found then return of_array(unpack(list, 1, n)) end
      local results = { of_array(unpack(list, 1, n)) }
      for k, result in ipairs(results) do results[k] = scalar.first(result) end
      return unpack(results)
    end
  end

  --- Of a function of numbers.
  local function by_numbers(own)
    return function(...)
      local list, n = { ... }, select("#", ...)
      for k = 1, n do
        if type(list[k]) == "cdata" and is_element(list[k]) then list[k] = tonumber(scalar.item(list[k])) end
      end
      return own(unpack(list, 1, n))
    end
  end

  --- Whether the program called the function that asks, not the library in one of its own.
  local function is_programs()
    local caller = getinfo and getinfo(3, "Sf")
    return not caller or caller.source:sub(1, #folder) == folder or not core.is_own(caller.func)
  end

  --- ma.where, which gives constants the dtype that they have in a rule.
  local function of_constants(lua)
    return function(condition, x, y)
      if type(condition) == "boolean" and type(x) == "number" and type(y) == "number" and is_programs() then
        return scalar.cast(condition and x or y, core.constant_dtype(plain.first, x, y))
      end
      return lua(condition, x, y)
    end
  end

  --- The functions that replace others: those of `math`, `bit` and of the library by name, and by_value by the function
  --- that each replaces.
  return function(kernel)
    local key = kernel and 1 or 2
    if made[key] then return made[key] end
    local set = { math = {}, bit = {}, ma = {}, noise = {}, jit = {}, by_value = {} }
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
    if kernel then
      put("math", "min", choose "less")
      put("math", "max", choose "greater")
      put("ma", "minimum", choose "less")
      put("ma", "maximum", choose "greater")
      for name in pairs(floats) do
        local of_array = ma[renamed[name] or name]
        put("ma", renamed[name] or name, in_float64(of_array))
      end
    end
    if not kernel then
      set.ma.where = of_constants(ma.where)
      set.by_value[ma.where] = set.ma.where
    end
    for name in ("tobit bnot band bor bxor lshift rshift arshift rol ror bswap"):gmatch "%S+" do
      local lua = (rawget(_G, "bit") or {})[name]
      put("bit", name, function(...)
        local list = { ... }
        for k = 1, select("#", ...) do list[k] = scalar.item(list[k]) end
        return scalar.cast(lua(unpack(list)), "int64")
      end)
    end
    for name in ("value perlin simplex fbm curl"):gmatch "%S+" do
      set.noise[name] = by_arrays(ma.noise[name])
      set.by_value[ma.noise[name]] = set.noise[name]
    end
    set.jit.randint = by_numbers(ma.jit.randint)
    set.by_value[ma.jit.randint] = set.jit.randint
    made[key] = set
    return set
  end
end
