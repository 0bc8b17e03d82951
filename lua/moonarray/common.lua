--- Functions that the parts of the Lua layer share: checks of arguments, whose errors read like those of the core, and
--- slices along an axis.

local tostring = require("moonarray.text").tostring
local sformat, floor = require("moonarray.text").format, math.floor
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local MOST_WHOLE = 2 ^ 53              -- above it a double does not hold every whole number
local MOST_SHOWN = 8                   -- items of a table that a message shows
local MOST_VALUES = 7000               -- results or arguments of one call: Lua's C stack ends at 8000

--- Makes a table that calls make(key) when a key is first read, and keeps the value.
local function made_by(make)
  return setmetatable({}, { __index = function(made, key)
    local value = make(key)
    if type(key) == "string" then made[key] = value end         -- an array as a key would be kept alive
    return value
  end })
end

local common                           -- the table of functions that all parts share

return function(core)
  if common then return common end
  local fail = core.fail
  common = {}
  common.made_by = made_by

  --- is.integer[dtype] says whether a dtype belongs to the family `integer` of ma.issubdtype. These tables take a tenth
  --- of the time of a call of ma.issubdtype.
  common.is = made_by(function(family)
    return made_by(function(dtype) return core.library.issubdtype(dtype, family) end)
  end)

  --- has_transforms[device]: whether it has Fourier transforms.
  common.has_transforms = made_by(function(device)
    local ma = core.library
    return (pcall(function() return ma.fft.rfft(ma.zeros(4, { dtype = "float64", device = device }), 4) end))
  end)

  --- Raises an error unless the value is of a Lua type.
  local function check_type(name, what, value, kind)
    if type(value) ~= kind then fail(name, sformat("%s is %s; wanted a %s", what, core.describe(value), kind)) end
    return value
  end
  common.type = check_type

  --- A table with that name which stays when the library is loaded again. It holds settings, and the objects' classes.
  function common.kept(name)
    local all = rawget(core, "kept") or {}
    rawset(core, "kept", all)
    all[name] = all[name] or {}
    return all[name]
  end

  --- A shape as NumPy writes it: "(2, 3)", or "(2,)" for one axis.
  function common.shape_text(a)
    local shape = a.shape
    return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
  end

  function common.callable(name, what, value)
    if core.is_callable(value) then return value end
    fail(name, sformat("%s is %s; wanted a function", what, core.describe(value)))
  end

  --- Writes text to a file that the user opened.
  function common.put(name, file, text)
    local ok, why = file:write(text)
    if ok and io and io.type(file) == "file" then ok, why = file:flush() end
    if not ok and why then fail(name, sformat("the file cannot be written: %s", tostring(why))) end
  end

  function common.number(name, what, value) return check_type(name, what, value, "number") end

  --- Whether a last argument is a table of options: its keys are names, and it has some.
  function common.is_options(value)
    if type(value) ~= "table" or core.is_array(value) or next(value) == nil then return false end
    local meta = getmetatable(value)
    if type(meta) == "table" and rawget(meta, "is_data") then return false end          -- a list of ma.list, a HashGrid
    for key in pairs(value) do
      if type(key) ~= "string" then return false end
    end
    return true
  end

  --- Raises an error if the last argument, which should be a table of options, is a list.
  function common.no_list(name, n, options)
    if options[1] == nil then return end
    fail(name, sformat("field %d is a table; wanted an array: ma.array{...} makes one", n))
  end

  --- Makes methods raise a clear error if they are called with a dot or on another kind of value. `named`: errors that
  --- arise inside a method carry its name; then no coroutine can yield inside of it.
  function common.guard(what, meta, methods, named)
    for name, method in pairs(methods) do
      if type(method) == "function" and not name:find("^__") then
        local function guarded(self, ...)
          if type(self) ~= "table" or getmetatable(self) ~= meta then
            fail(what .. "." .. name, sformat("%s in place of the object; write object:%s(...)", core.describe(self),
              name))
          end
          return method(self, ...)
        end
        methods[name] = named and core.named(what .. "." .. name, guarded) or guarded
      end
    end
  end

  --- The __index of a class of objects: methods, and an error for a name that is neither a method nor a field.
  function common.attributes(what, methods, others)
    return function(self, key)
      local method = methods[key]
      if method == nil then core.unknown(what, key, methods, others or self) end
      return method
    end
  end

  --- Fails where a call would have more results or arguments than Lua has room for.
  function common.at_once(name, n)
    if n > MOST_VALUES then fail(name, sformat("%d values at once; wanted at most %d", n, MOST_VALUES)) end
    return n
  end

  --- Returns the elements of a list, as results or arguments of a call.
  function common.unpack(name, list, n)
    n = common.at_once(name, n or #list)
    return unpack(list, 1, n)
  end

  --- Checks a whole number, from `least` on and up to `most` if they are given.
  function common.whole(name, what, value, least, most)
    if type(value) ~= "number" or value ~= floor(value) or value - value ~= 0 or (least and value < least) then
      local found = type(value) == "number" and tostring(value) or core.describe(value)
      fail(name, sformat("%s is %s; wanted a whole number%s", what, found, least and " from " .. least .. " on" or ""))
    end
    most = most or MOST_WHOLE
    if value > most then fail(name, sformat("%s is %s; at most %d is taken", what, tostring(value), most)) end
    if value < -MOST_WHOLE then
      fail(name, sformat("%s is %s; at least %d is taken", what, tostring(value), -MOST_WHOLE))
    end
    return value
  end

  --- The number of a diagonal, 0 by default; LuaJIT's integers are accepted as numbers.
  function common.diagonal(name, k)
    if type(k) == "cdata" then k = tonumber(k) or k end
    return common.whole(name, "k", k or 0)
  end

  --- An array as a Lua number or table, which waits for the device; another value as it is.
  function common.plain(value)
    if not core.is_array(value) then return value end
    if value.ndim == 0 then return value:item() end
    return value:totable()
  end

  --- A list as a table: made from a number or an array; a table is returned as it is.
  function common.list(name, what, value)
    value = common.plain(value)
    if type(value) == "number" then return { value } end
    if type(value) ~= "table" then
      fail(name, sformat("%s is %s; wanted a number or a table of numbers", what, core.describe(value)))
    end
    return value
  end

  --- A shape: a number or a table of whole numbers from 0 on.
  function common.shape(name, what, value)
    value = common.list(name, what, value)
    for _, extent in ipairs(value) do common.whole(name, "an extent", extent, 0) end
    return value
  end

  --- An operand as an array. A number or a table becomes an array on the device of the first array of the others.
  common.beside = core.beside

  --- Two operands as arrays on one device: a table or a number goes to the device of the other.
  function common.both(a, b) return core.beside(a, nil, b), core.beside(b, nil, a) end

  --- The array with floats: whole numbers and bools become float64. A product with 1.0 would not do so: a whole Lua
  --- number is a weak integer.
  function common.floating(a)
    a = core.asarray(a)
    return common.is.inexact[a.dtype] and a or a:astype("float64")
  end

  --- The array in a dtype, if one is given.
  function common.cast(a, dtype) return dtype and a:astype(dtype, { copy = false }) or a end

  --- An argument as an array on the device of another.
  function common.on(a, value) return core.beside(value, nil, a):to(a.device) end

  --- Two arrays in the dtype that holds both.
  function common.alike(a, b)
    local dtype = core.library.promote_types(a.dtype, b.dtype)
    return a:astype(dtype, { copy = false }), b:astype(dtype, { copy = false })
  end

  --- Whether elements are not 0.
  function common.bools(a) return a.dtype == "bool" and a or a:ne(0) end

  --- Views of all elements along an axis but the last one, and of those behind them.
  function common.neighbours(a, axis)
    local n = a.shape[axis]
    return core.along(a, axis, 1, n - 1), core.along(a, axis, 2, n)
  end

  --- Positions 1 .. n of a list of them, which may be negative from the end. `last`: the greatest one, n by default.
  function common.positions(name, list, n, last)
    local positions = {}
    for k, p in ipairs(list) do
      p = common.whole(name, "a position", tonumber(p) or p)
      if p == 0 or p > (last or n) or p < -n then
        fail(name, sformat("position %d of %d elements; 1 to %d, or negative from the end", p, n, last or n))
      end
      positions[k] = p < 0 and n + 1 + p or p
    end
    return positions
  end

  --- An iterator over the vectors along an array's last axis, in C order, and their number. `kept`: over what lies
  --- along so many last axes. Behind each comes its index.
  function common.vectors(a, kept)
    local shape, n, at = a.shape, a.ndim - (kept or 1), 0
    local count = common.product(shape, 1, n)
    return function()
      if at == count then return nil end
      local index, rest = {}, at
      for d = n, 1, -1 do
        index[d] = rest % shape[d] + 1
        rest = floor(rest / shape[d])
      end
      for d = n + 1, #shape do index[d] = {} end
      at = at + 1
      return a[index], index
    end, count
  end

  --- Copies `result` into `out` if that is given.
  function common.finish(name, result, out)
    if out == nil then return result end
    if not core.is_array(out) then fail(name, sformat("out is %s; wanted an array", core.describe(out))) end
    return out:assign(result)
  end

  --- Shows in a message a value that should have been a number: 2, {1, 2}, {{1, 2}, 3}, a boolean (true).
  local function shown(value, nested)
    if type(value) == "number" then return tostring(value) end
    if type(value) == "string" then return sformat("'%s'", value) end
    if type(value) ~= "table" or getmetatable(value) or value[1] == nil or nested == 2 then
      return core.describe(value)
    end
    local list = {}
    for k = 1, math.min(#value, MOST_SHOWN) do
      list[k] = shown(value[k], (nested or 0) + 1)
    end
    if #value ~= #list then list[#list + 1] = "..." end
    return "{" .. table.concat(list, ", ") .. "}"
  end

  common.shown = shown

  --- Raises the error for elements that are no integers. An array made from a table of numbers has floats.
  function common.no_integers(name, dtype, wanted)
    fail(name, sformat('dtype %s; %s; write ma.array(t, "%s") for a table of them', dtype, wanted,
      wanted == "uint8" and wanted or "int64"))
  end

  --- Checks an axis, 1-based or negative, and returns it as 1 .. ndim.
  function common.axis(name, axis, ndim)
    if type(axis) ~= "number" or axis ~= floor(axis) or axis == 0 or axis > ndim or axis < -ndim then
      fail(name, sformat("axis %s of an array of %d axes; %s1 to %d, or negative from the end", shown(axis), ndim,
        type(axis) == "number" and "" or "one number, ", ndim))
    end
    return axis < 0 and ndim + 1 + axis or axis
  end

  --- The axes of a list as 1 .. ndim, all of them by default.
  function common.axes(name, axes, ndim, what)
    local list = {}
    if axes == nil then
      for d = 1, ndim do list[d] = d end
      return list
    end
    for k, axis in ipairs(common.list(name, what or "axes", axes)) do list[k] = common.axis(name, axis, ndim) end
    return list
  end

  --- A view of the elements lo .. hi along an axis and of all along the other axes. It is empty if hi is below lo.
  common.along = core.along

  --- The index of the view that `along` gives.
  function common.slice(ndim, axis, lo, hi)
    local index = {}
    for d = 1, ndim do index[d] = {} end
    index[axis] = { lo, hi }
    return index
  end

  --- A convolution has n + m - 1 sums. Returns the first one that a mode takes, and how many it takes.
  function common.extent(mode, n, m)
    if mode == "full" then return 1, n + m - 1 end
    if mode == "same" then return floor((m - 1) / 2) + 1, n end
    return m, n - m + 1
  end

  --- The mean of two arrays of floats. They are halved before the addition where the sum would overflow.
  function common.middle(ma, a, b)
    local sum = a + b
    return ma.where(ma.isinf(sum), a / 2 + b / 2, sum / 2)
  end

  --- Opens a file to read from a path, or takes a file that is open. The second result is whether it was opened here.
  function common.open(name, what, file)
    local kind = io.type(file)
    if kind ~= "file" and type(file) ~= "string" then
      fail(name, sformat("%s is %s; wanted a path or an open file", what, kind and "a " .. kind or core.describe(file)))
    end
    local opened, failure = file, nil
    if not kind then opened, failure = io.open(file, "rb") end
    if not opened then fail(name, sformat("cannot open %s", failure)) end
    local ok, reason, code = opened:read(0)
    if ok or code == nil then return opened, not kind end
    if not kind then
      opened:close()
      if code == 21 then fail(name, sformat("'%s' is a folder; wanted a file", file)) end
    end
    fail(name, sformat("%s cannot be read: %s; wanted a file that is open for reading", kind and what or "'" .. file
      .. "'", reason))
  end

  --- The rest of the file's bytes, from where it is now.
  function common.read(name, what, file)
    local opened, own = common.open(name, what, file)
    local bytes, why = opened:read("*a")
    if own then opened:close() end
    return bytes or fail(name, sformat("%s cannot be read: %s", own and "'" .. file .. "'" or what, tostring(why)))
  end

  --- The product of two polynomials, as lists of coefficients, both with the highest power first or both with it last.
  function common.convolved(a, b)
    local result = {}
    for k = 1, #a + #b - 1 do result[k] = 0 end
    for i = 1, #a do
      for j = 1, #b do result[i + j - 1] = result[i + j - 1] + a[i] * b[j] end
    end
    return result
  end

  --- The product of some extents of a shape, all by default.
  function common.product(shape, first, last)
    local n = 1
    for d = first or 1, last or #shape do n = n * shape[d] end
    return n
  end

  --- The shape without its last extent, or without several.
  function common.before_last(shape, count) return { unpack(shape, 1, #shape - (count or 1)) } end

  --- Whether two lists have the same elements.
  function common.equal(a, b)
    for k = 1, math.max(#a, #b) do
      if a[k] ~= b[k] then return false end
    end
    return true
  end

  --- The elements of one list, and those of another behind them.
  function common.joined(a, b)
    local all, n = {}, #a
    for k = 1, n do all[k] = a[k] end
    for k = 1, #b do all[n + k] = b[k] end
    return all
  end

  function common.gcd(a, b)
    while b ~= 0 do a, b = b, a % b end
    return a
  end

  --- A whole number as so many bytes, the lowest first.
  function common.little(n, bytes)
    local parts = {}
    for k = 1, bytes do
      parts[k] = string.char(n % 256)
      n = floor(n / 256)
    end
    return table.concat(parts)
  end

  --- The shape that lets n elements lie along one axis of an array of `ndim` axes.
  function common.upright(ndim, axis, n)
    local shape = {}
    for d = 1, ndim do shape[d] = d == axis and n or 1 end
    return shape
  end

  return common
end
