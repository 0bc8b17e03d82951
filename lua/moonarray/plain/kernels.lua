--- Kernels of ma.jit over elements in their plain form: jit.elementwisekernel and jit.reductionkernel, whose functions
--- are called for each element.

local appends = require("moonarray.lists.translate").text_appends
local parameters = require "moonarray.jit.parameters"
local columns = require "moonarray.vector.columns"
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, scalar)
  local fail, is_array, plain = core.fail, core.is_array, core.plain
  local common = require "moonarray.common" (core)
  local elements = core.jit.elements

  --- Whether kernels of this kind have a plain form: those of whole arrays, lists and objects have none.
  function plain.has_kernel(kernel)
    if kernel.has_raw or kernel.tree and appends(kernel.tree) then return false end
    for _, declared in ipairs(kernel.inputs or {}) do
      if declared.object then return false end
    end
    return true
  end

  local function refuse_in(kernel) return function(text) fail(kernel.shown, text) end end

  --- Brings arguments to their declared dtypes. Returns what placeholders stand for.
  local function declared_arguments(kernel, args, n)
    if n > #kernel.params then
      fail(kernel.shown, ("%d arguments; wanted %d: %s"):format(n, #kernel.params, table.concat(kernel.params, ", ")))
    end
    elements.take(kernel, args, n)
    local arguments, _, found = elements.classify(kernel, args, {})
    for k = 1, kernel.inputs and n or 0 do
      if not is_array(args[k]) then args[k] = ma.array(args[k], { dtype = arguments[k].dtype }) end
    end
    return found
  end

  --- Calls f with jit.grid and jit.gridsize as those of an element: place() is its number, of `size`.
  local function numbered(place, size, f)
    local grid, gridsize = ma.jit.grid, ma.jit.gridsize
    rawset(ma.jit, "grid", place)
    rawset(ma.jit, "gridsize", function() return size end)
    local done, why = pcall(f)
    rawset(ma.jit, "grid", grid)
    rawset(ma.jit, "gridsize", gridsize)
    if not done then error(why, 0) end
  end

  --- A function of elements that are components of vectors, for one of vectors.
  local function over_vectors(kernel, fn)
    if not kernel.groups then return fn end
    return function(...) return fn(columns.gather(kernel.groups, ...)) end
  end

  --- The arguments with views of components in place of vectors. The third result says how vectors are laid out.
  local function split(kernel, args, n)
    local flat, count, vectors = elements.split(kernel, args, n)
    for _, v in ipairs(vectors) do elements.part(flat, v) end
    return flat, count, vectors.is_first
  end

  --- The results with arrays in place of the components of vectors.
  local function together(kernel, results, found, is_first)
    if not kernel.out_groups then return results end
    local list, at = {}, 0
    for k, kind in ipairs(kernel.out_groups) do
      local parts, axes = {}, {}
      for j = 1, kind and kind.count or 1 do parts[j] = results[at + j] end
      at = at + #parts
      if kind then
        local dtype = found[kernel.outputs[k].placeholder] or ma.result_type(unpack(parts))
        for _, extent in ipairs(is_first and kind.extents or parts[1].shape) do axes[#axes + 1] = extent end
        for _, extent in ipairs(is_first and parts[1].shape or kind.extents) do axes[#axes + 1] = extent end
        list[k] = ma.stack(parts, is_first and 1 or parts[1].ndim + 1):astype(dtype):reshape(axes)
      else
        list[k] = parts[1]
      end
    end
    return list
  end

  --- How many numbers the declared outputs have for each element.
  local function components(kernel)
    local n = 0
    for k in ipairs(kernel.outputs) do
      local kind = kernel.out_groups and kernel.out_groups[k]
      n = n + (kind and kind.count or 1)
    end
    return n
  end

  local function of_numbers(kind) return kind == "int" and "int64" or "float64" end

  --- The results in the dtypes of the declared outputs, in the arrays of `out`.
  local function finished(kernel, results, found, out)
    local outs = is_array(out) and { out } or out or {}
    if kernel.outputs and #results ~= #kernel.outputs then
      fail(kernel.shown, ("the function returns %d values; out_params says %d"):format(#results, #kernel.outputs))
    end
    for k, result in ipairs(results) do
      if kernel.outputs and not kernel.outputs[k].vector then
        result = result:astype(parameters.dtype(kernel.outputs[k], found, refuse_in(kernel)))
      end
      if outs[k] then outs[k]:assign(result) end
      results[k] = outs[k] or result
    end
    return unpack(results)
  end

  local function options_behind(kernel, args, n, allowed)
    if n == 0 or not common.is_options(args[n]) then return {}, n end
    local options = args[n]
    args[n] = nil
    for key in pairs(options) do
      if not allowed[key] then
        fail(kernel.shown, ("no option '%s' in the plain form; there are %s"):format(tostring(key), allowed.list))
      end
    end
    return options, n - 1
  end

  local function object(kernel, call)
    local title = ("plain form of %s"):format(kernel.label)
    return setmetatable({}, { __call = call, __tostring = function() return title end,
      __index = function(_, key) core.unknown(kernel.shown, key, {}) end })
  end

  --- jit.elementwisekernel of a Lua function.
  function plain.elementwisekernel(fn, kernel)
    kernel.params = elements.names(kernel)
    local allowed = { out = true, stream = true, list = "out and stream" }
    return object(kernel, function(_, ...)
      local args = { ... }
      local options, n = options_behind(kernel, args, select("#", ...), allowed)
      local outs, is_first = options.out
      args, n, is_first = split(kernel, args, n)
      for k = #kernel.params + 1, n do
        outs = k == #kernel.params + 1 and {} or outs
        outs[k - #kernel.params], args[k] = args[k], nil
      end
      n = math.min(n, #kernel.params)
      local found = declared_arguments(kernel, args, n)
      local place, results, size = 0, nil, 1
      for k = 1, n do
        if is_array(args[k]) then size = math.max(size, args[k].size) end
      end
      local function given(r)
        local of = not kernel.out_groups and kernel.outputs and kernel.outputs[r]
        return of and parameters.dtype(of, found, refuse_in(kernel))
      end
      numbered(function() return place end, size, function()
        results = { plain.elementwise(kernel.shown, function(...)
          place = place + 1
          return columns.scatter(kernel.out_groups, refuse_in(kernel), over_vectors(kernel, fn)(...))
        end, "", of_numbers, true, fn, given)(unpack(args, 1, n)) }
      end)
      if place == 0 and kernel.outputs then             -- no elements: the function was never called
        for k = 2, components(kernel) do results[k] = results[1] end
      end
      return finished(kernel, together(kernel, results, found, is_first), found, outs)
    end)
  end

  --- The axes of a reduction, and the shape of the results with and without them.
  local function axes_of(kernel, axis, shape)
    local is_reduced, kept, order, whole = {}, {}, {}, {}
    for _, a in ipairs(axis == nil and {} or type(axis) == "table" and axis or { axis }) do
      is_reduced[common.axis(kernel.shown, a, #shape)] = true
    end
    for d, extent in ipairs(shape) do
      if axis == nil then is_reduced[d] = true end
      whole[d] = is_reduced[d] and 1 or extent
      if not is_reduced[d] then kept[#kept + 1], order[#order + 1] = extent, d end
    end
    for d in ipairs(shape) do
      if is_reduced[d] then order[#order + 1] = d end
    end
    return order, kept, whole
  end

  local function in_types(kernel, values)
    for k, dtype in ipairs(kernel.reduce_type or {}) do
      if values[k] ~= nil then values[k] = scalar.cast(values[k], dtype) end
    end
    return values
  end

  --- Runs f, in which all of these functions may be called with elements.
  local function within(functions, shape, f)
    local fn = table.remove(functions)
    if not fn then return f() end
    plain.within(fn, shape, nil, function() within(functions, shape, f) end)
  end

  --- jit.reductionkernel of Lua functions: `functions` has map, reduce and post.
  function plain.reductionkernel(functions, kernel)
    kernel.params = elements.names(kernel)
    local map = over_vectors(kernel, functions.map)
    local allowed = { axis = true, keepdims = true, out = true, stream = true,
      list = "axis, keepdims, out and stream" }
    return object(kernel, function(_, ...)
      local args = { ... }
      local options, n = options_behind(kernel, args, select("#", ...), allowed)
      local axis = options.axis
      args, n = split(kernel, args, n)
      if n == #kernel.params + 1 then axis, args[n], n = args[n], nil, n - 1 end
      local found, arrays = declared_arguments(kernel, args, n), {}
      for k = 1, n do arrays[k] = is_array(args[k]) and args[k] or core.asarray(args[k]) end
      local shape = ma.broadcast_arrays(unpack(arrays)).shape
      local order, kept, whole = axes_of(kernel, axis, shape)
      local size, count, lists, place = 1, 1, {}, 0
      for _, extent in ipairs(kept) do size = size * extent end
      for d = #kept + 1, #order do count = count * shape[order[d]] end
      for k, array in ipairs(arrays) do
        local wide = ma.broadcast_to(array, shape)
        lists[k] = plain.elements(#order > 0 and wide:transpose(order) or wide)
      end
      local numbers = plain.elements(#order > 0 and ma.arange(1, size * count + 1, { dtype = "float64" })
        :reshape(shape):transpose(order) or ma.ones(1))
      local function mapped(at)
        local given = {}
        for k = 1, n do given[k] = lists[k][at] end
        place = scalar.item(numbers[at])
        return in_types(kernel, { map(unpack(given, 1, n)) })
      end
      local function combined(p)
        local first = (p - 1) * count
        local values = count > 0 and mapped(first + 1) or nil
        if not values then
          if kernel.identity == nil then fail(kernel.shown, "no elements and no identity; wanted one of them") end
          values = in_types(kernel, type(kernel.identity) == "table" and { unpack(kernel.identity) }
            or { kernel.identity })
        end
        for at = first + 2, first + count do
          local more, both = mapped(at), {}
          for k = 1, #values do both[k], both[#values + k] = values[k], more[k] end
          values = in_types(kernel, { functions.reduce(unpack(both)) })
        end
        if not functions.post then return unpack(values) end
        if #kernel.post.tree.params > #values then values[#values + 1] = scalar.cast(count, "int64") end
        return functions.post(unpack(values))
      end
      local results = {}
      numbered(function() return place end, size * count, function()
        within({ functions.map, functions.reduce, functions.post }, kept, function()
          local made, dtypes = plain.collect(kernel.shown, size, nil, combined, of_numbers)
          for r, list in ipairs(made) do
            results[r] = plain.array(list, dtypes[r], options.keepdims and whole or kept, arrays[1].device)
          end
        end)
      end)
      return finished(kernel, results, found, options.out)
    end)
  end
end
