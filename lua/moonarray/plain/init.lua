--- Code for one element in its plain form: the Lua function itself is called for each element, with elements that keep
--- their dtype (scalar.lua), so that a debugger stops in it and `print` prints. Slow, and the same numbers as the other
--- forms give.

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local getinfo, getupvalue, setupvalue = debug and debug.getinfo, debug and debug.getupvalue, debug and debug.setupvalue
local setmetatable_of = debug and debug.setmetatable
local own = getinfo and getinfo(1, "S").source:match "^(.*)plain[/\\]init%.lua$"

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  if not pcall(require, "ffi") then
    core.plain = setmetatable({}, { __index = function()
      fail(nil, "no ffi in this Lua; the plain form of functions of elements needs LuaJIT's")
    end })
    return
  end
  local common = require "moonarray.common" (core)
  local kernel_lists = require "moonarray.lists.translate"
  local numbers, types = require "moonarray.jit.value", require "moonarray.jit.types"
  local scalar = require "moonarray.plain.scalar" (ma, core)
  local plain = { depth = 0 }            -- depth: how many such functions run; first: the dtype of their first field
  local mathematics = require "moonarray.plain.mathematics" (ma, core, scalar, plain)
  local positions = require "moonarray.plain.arrays" (ma, core, scalar, plain)
  core.plain = plain

  --- A list of the elements of an array, in C order.
  function plain.elements(array) return core.elements(array:reshape(-1)) end

  -- ==== What the function finds outside ============================================================================

  --- Notes the upvalues of a function, and of the program's functions among them, that `replace` has something for.
  --- `is_whole`: of names of arrays that are read at positions.
  local function note(fn, replace, noted, seen, is_whole)
    if seen[fn] or not getupvalue or getinfo(fn, "S").what == "C" or getinfo(fn, "S").source:sub(1, #own) == own then
      return
    end
    seen[fn] = true
    for k = 1, 255 do
      local name, value = getupvalue(fn, k)
      if not name then break end
      if type(value) == "function" and not replace[value] then note(value, replace, noted, seen, is_whole) end
      if replace[value] or is_array(value) then
        noted[#noted + 1] = { value = value, whole = is_array(value) and is_whole(name),
          set = function(v) setupvalue(fn, k, v) end }
      end
    end
  end

  --- Notes the arrays in fields of tables that a function takes from outside.
  local function note_fields(fn, shape, noted, is_whole)
    local list = core.taken(fn) or {}
    for k = 1, #list, 3 do
      local holder, key, value = list[k], list[k + 1], list[k + 2]
      local whole = type(holder) == "table" and is_array(value) and is_whole(key)
      if whole or type(holder) == "table" and is_array(value) and pcall(ma.broadcast_to, value, shape) then
        noted[#noted + 1] = { value = value, whole = whole, set = function(v) rawset(holder, key, v) end }
      end
    end
  end

  --- Runs f(place), in which fn may be called with elements: Lua's mathematics takes them, booleans have operators,
  --- and arrays that fn has as upvalues are their elements at the position that place(k) sets. `shape` is that of all.
  --- `first`: the dtype of the first field, which constants take; nil: minima, % of floats, roots of integers and
  --- constants are those of kernels in Lua.
  function plain.within(fn, shape, first, f)
    local kernel, outer = first == nil, plain.first
    local functions, replaced, noted, steps = mathematics(kernel), {}, {}, {}
    local is_whole = positions.named(fn)
    note(fn, functions.by_value, noted, {}, is_whole)
    note_fields(fn, shape, noted, is_whole)
    local booleans = setmetatable_of and getmetatable(true)
    local before = scalar.as_kernel(kernel)
    if setmetatable_of then setmetatable_of(true, scalar.booleans) end
    local libraries = { math = math, bit = rawget(_G, "bit") or {}, ma = ma, noise = ma.noise, jit = ma.jit }
    for library, into in pairs(libraries) do
      for name, wrapped in pairs(functions[library]) do
        if into[name] then
          replaced[#replaced + 1] = { into, name, into[name] }
          rawset(into, name, wrapped)
        end
      end
    end
    plain.depth, plain.first = plain.depth + 1, first
    local done, why = xpcall(function()
      for _, at in ipairs(noted) do
        local wrapped = functions.by_value[at.value]
        if wrapped then
          at.set(wrapped)
        elseif at.whole then
          at.set(positions.whole(at.value))
        else
          local list = plain.elements(ma.broadcast_to(at.value, shape))
          steps[#steps + 1] = function(k) at.set(list[k]) end
        end
      end
      f(function(k)
        for j = 1, #steps do steps[j](k) end
      end)
    end, function(text) return text end)               -- a handler keeps the stack for a debugger
    plain.depth, plain.first = plain.depth - 1, outer
    for _, at in ipairs(noted) do at.set(at.value) end
    for _, old in ipairs(replaced) do rawset(old[1], old[2], old[3]) end
    scalar.as_kernel(before)
    if setmetatable_of then setmetatable_of(true, booleans) end
    if not done then error(why, 0) end
  end

  -- ==== Results ====================================================================================================

  --- The dtype of a list of elements, booleans and numbers of Lua's. `alone(kind)` is that of "int" or "float" numbers
  --- alone. `given`: the dtype that they are converted to, if it is known.
  local function common_dtype(name, r, list, n, alone, given)
    local dtype, kind, is_bool
    for k = 1, n do
      local value, of = list[k], nil
      if type(value) == "number" then
        if given and types.is_integer(given) and numbers.is_whole(value) and not types.holds(given, value) then
          fail(name, types.misfit(given, value))
        end
        if kind ~= "float" then kind = value == math.floor(value) and math.abs(value) < 2 ^ 63 and "int" or "float" end
      elseif type(value) == "boolean" then
        of = "bool"
      elseif scalar.is(value) then
        of = value.dtype
      elseif is_array(value) and value.ndim == 0 then
        of = value.dtype
      else
        fail(name, ("result %d of the function is %s; wanted an element or a number"):format(r, core.describe(value)))
      end
      if k > 1 and (of == "bool") ~= is_bool then
        fail(name, "a boolean for some elements and a number for others; wanted one kind")
      end
      is_bool = of == "bool"
      if of and of ~= dtype then dtype = dtype and ma.result_type(dtype, of) or of end
    end
    if not dtype then return alone(kind or "int") end
    if not kind then return dtype end
    return (scalar.cast(kind == "int" and 0 or 0.5, dtype) * 1 + (kind == "int" and 0 or 0.5)).dtype
  end

  --- Calls call(k) for n positions. Returns lists of its results by number, and their dtypes. given(r): the dtype to
  --- which result r is converted, or nil.
  function plain.collect(name, n, nout, call, alone, given)
    local lists = {}
    for k = 1, n do
      local results = { call(k) }
      nout = nout or #results
      if #results ~= nout or nout == 0 then
        fail(name, ("the function gave %d results; wanted %s"):format(#results, nout > 0 and nout or "one at least"))
      end
      for r = 1, nout do
        lists[r] = lists[r] or {}
        lists[r][k] = results[r]
      end
    end
    local dtypes = {}
    for r = 1, nout or 1 do
      lists[r] = lists[r] or {}
      dtypes[r] = common_dtype(name, r, lists[r], n, alone, given and given(r))
    end
    return lists, dtypes
  end

  --- An array of a list of results.
  function plain.array(list, dtype, shape, device)
    return ma.array(list, { dtype = dtype, device = device }):reshape(shape)
  end

  -- ==== Calls with arrays that broadcast ===========================================================================

  --- The first field of structs, which shows what they are as an array; nil for another argument.
  function plain.model(arg) return core.model_of_structs and core.model_of_structs(arg) or nil end

  --- The same struct for all positions, whose fields are elements of the present one.
  local function struct_values(arg, shape, name)
    local at
    local one = core.struct_standin(arg, 0, name, function(view)
      local list = plain.elements(ma.broadcast_to(view, shape))
      return function() return list[at] end
    end, true)
    return function(k)
      at = k
      return one
    end
  end

  --- The values of one argument, by the number of the position. Numbers stay numbers.
  local function values(arg, shape, name)
    if plain.model(arg) then return struct_values(arg, shape, name) end
    if not is_array(arg) then return function() return arg end end
    local list = plain.elements(ma.broadcast_to(arg, shape))
    return function(k) return list[k] end
  end

  --- The shape of the arguments and of what fn takes from outside.
  local function common_shape(fn, given)
    local all, list, is_whole = { unpack(given) }, core.taken(fn) or {}, positions.named(fn)
    local shape = all[1] and ma.broadcast_arrays(unpack(all)).shape or {}
    for k = 3, #list, 3 do
      local holder, name = list[k - 2], list[k - 1]
      if type(holder) == "function" then name = getupvalue(holder, name) end
      if is_array(list[k]) and not is_whole(name) then
        all[#all + 1] = list[k]
        local done, first = pcall(ma.broadcast_arrays, unpack(all))
        if done then shape = first.shape else all[#all] = nil end      -- it may be one that fn does not reach
      end
    end
    return shape
  end

  --- An object that calls fn for each element of its arguments: f(x, y, {out = ...}). `alone`: of result numbers alone.
  --- `outside`: the function whose upvalues count, if it is another one. given(r): as of plain.collect.
  function plain.elementwise(name, fn, title, alone, kernel, outside, given)
    local function call(_, ...)
      local n, args, out = select("#", ...), { ... }, nil
      if n > 0 and common.is_options(args[n]) then
        for key in pairs(args[n]) do
          if key ~= "out" and key ~= "stream" then
            fail(name, ("no option '%s'; there are out and stream"):format(tostring(key)))
          end
        end
        out, args[n], n = args[n].out, nil, n - 1
      end
      local arrays, device = {}, nil
      for k = 1, n do
        if args[k] == nil then fail(name, ("argument %d is nil; wanted an array or a number"):format(k)) end
        local model = plain.model(args[k])
        if type(args[k]) ~= "number" and type(args[k]) ~= "boolean" and not is_array(args[k]) and not model then
          args[k] = core.asarray(args[k])
        end
        if is_array(args[k]) or model then
          arrays[#arrays + 1] = model or args[k]
          device = device or args[k].device
        end
      end
      if n == 0 then fail(name, "no arguments; wanted arrays or numbers") end
      local shape = common_shape(outside or fn, arrays)
      local size, at = 1, {}
      for d = 1, #shape do size = size * shape[d] end
      for k = 1, n do at[k] = values(args[k], shape, name) end
      local lists, dtypes
      local first = not kernel and (arrays[1] and arrays[1].dtype or "float64") or nil
      plain.within(outside or fn, shape, first, function(place)
        lists, dtypes = plain.collect(name, size, nil, function(p)
          local here = {}
          for k = 1, n do here[k] = at[k](p) end
          place(p)
          return fn(unpack(here, 1, n))
        end, function(kind) return alone(kind, arrays[1]) end, given)
      end)
      local results, outs = {}, is_array(out) and { out } or out or {}
      for r, list in ipairs(lists) do
        results[r] = plain.array(list, dtypes[r], shape, device)
        if outs[r] then
          outs[r]:assign(results[r])
          results[r] = outs[r]
        end
      end
      return unpack(results)
    end
    return setmetatable({}, { __call = call, __tostring = function() return title end,
      __index = function(_, key) core.unknown(name, key, {}) end })
  end

  --- Whether an argument has no elements of one dtype: structs, grids and lists.
  local function is_other(arg)
    if type(arg) == "userdata" then
      local held = core.held(arg)
      return held ~= nil and held.bytes ~= nil
    end
    return type(arg) == "table" and (kernel_lists.is(arg) or core.jit ~= nil and core.jit.object_of(arg) ~= nil)
  end

  --- Sends the calls of an object that have structs, grids or lists to the kernel which `make` makes, or refuses them
  --- where the plain form was asked for.
  function plain.beside_kernel(object, name, is_asked, make)
    local class, kernel = getmetatable(object), nil
    local call = class.__call
    function class.__call(self, ...)
      for k = 1, select("#", ...) do
        local arg = select(k, ...)
        if is_other(arg) then
          if is_asked then
            fail(name, ("argument %d is %s; wanted an array or a number, as the plain form takes"):format(k,
              kernel_lists.is(arg) and "a list" or core.describe(arg)))
          end
          kernel = kernel or make()
          return kernel(...)
        end
      end
      return call(self, ...)
    end
    return object
  end

  --- The dtype of constants alone.
  function plain.of_first(kind, array)
    return core.constant_dtype(array and array.dtype or "float64", kind == "int" and 1 or 0.5)
  end

  --- ma.fuse(fn, name).
  function plain.fuse(fn, name)
    return plain.elementwise(name, fn, ("<plain function '%s'>"):format(name), plain.of_first)
  end

  --- ma.vectorize(fn): as kernels in Lua, whose numbers have dtypes of their own.
  function plain.vectorize(fn, name)
    return plain.elementwise(name, fn, ("plain function '%s'"):format(name), function(kind)
      return kind == "int" and "int64" or "float64"
    end, true)
  end

  --- What fn(w, ...) makes of the window at each position of `result`. `offsets` and `low` say where its elements are.
  function plain.windows(name, fn, wide, offsets, low, result, more)
    local shape, extents, n = result.shape, wide.shape, result.ndim
    local list, places, at, lists = plain.elements(wide), {}, {}, nil
    for place = 0, #offsets / n - 1 do
      local where = 0
      for d = 1, n do where = where * extents[d] + offsets[place * n + d] + low[d] end
      places[place + 1] = where + 1
    end
    for d = 1, n do at[d] = 0 end
    plain.within(fn, shape, nil, function(place)
      lists = plain.collect(name, result.size, 1, function(k)
        local first, window, rest = 0, {}, k - 1
        for d = n, 1, -1 do
          at[d] = rest % shape[d]
          rest = math.floor(rest / shape[d])
        end
        for d = 1, n do first = first * extents[d] + at[d] end
        for j = 1, #places do window[j] = list[first + places[j]] end
        place(k)
        return fn(window, unpack(more))
      end, function() return result.dtype end, function() return result.dtype end)
    end)
    result:assign(plain.array(lists[1], result.dtype, shape, result.device))
    return result
  end

  --- The plain forms of kernels of ma.jit.
  function plain.kernels()
    if not plain.has_kernel then require "moonarray.plain.kernels" (ma, core, scalar) end
    return plain
  end

  plain.stencil = function(...) return require "moonarray.plain.stencil" (ma, core, scalar)(...) end
end
