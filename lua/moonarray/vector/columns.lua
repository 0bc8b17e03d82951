--- Parameters of kernels over elements that are declared as vectors, such as "vec3 p": an array is given for one, whose
--- last axis has the components (for a matrix the last two), or whose first one has. The kernel runs over the other
--- axes, and has a parameter for each component, which is a view of the array. A vector that is returned is written into
--- an array as a whole.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"
local vector = require "moonarray.vector"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local columns = {}

--- A list of declared parameters with those of components in place of vectors; and the kinds of the vectors, false for
--- another parameter. The second list is nil if there is none.
function columns.flat(list)
  local flat, groups, any = {}, {}, false
  for k, declared in ipairs(list) do
    local kind = declared.vector
    groups[k] = kind or false
    if kind then
      any = true
      for j = 1, kind.count do
        flat[#flat + 1] = { name = ("%s[%d]"):format(declared.name, j), placeholder = declared.placeholder, raw = false,
          object = false, vector = kind }
      end
    else
      flat[#flat + 1] = declared
    end
  end
  return flat, any and groups or nil
end

--- What the translator is told of arguments, where components make one argument.
function columns.grouped(groups, arguments)
  if not groups then return arguments end
  local list, n = {}, 0
  for k, kind in ipairs(groups) do
    if kind then
      list[k] = { vector = kind, before = n }
      for j = 1, kind.count do list[k][j] = arguments[n + j] end
      n = n + kind.count
    else
      n = n + 1
      list[k] = arguments[n]
    end
  end
  return list
end

--- What a function returns, and what is declared, by their kinds.
local function described(groups, count)
  local list = {}
  for k = 1, groups and #groups or count do list[k] = groups and groups[k] and groups[k].name or "a number" end
  return #list > 0 and table.concat(list, ", ") or "nothing"
end

--- Checks that a function returns vectors where they are declared.
function columns.check_results(kernel, fn)
  local wanted, found = described(kernel.out_groups), described(fn.results.groups, fn.results.count or 0)
  if wanted ~= found then
    fn:fail(fn.tree.line, ("the function returns %s; out_params says %s"):format(found, wanted))
  end
end

--- The common dtype of results from one on.
local function common(results, from, count)
  local joined = results[from]
  for k = from + 1, from + count - 1 do
    local dtype, weak = value.join(joined, results[k])
    joined = { dtype = dtype, weak = weak }
  end
  return joined.dtype
end

-- Where a vector's component lies, by the form of its array: a declaration, and the place of component j.
local places = {
  last = { "%s *const q = (%s *)&y%d[0] + i * %d;", "q[%d]" },
  first = { "%s *const q = (%s *)&y%d[0] + i;", "q[%d * n]" },
  strided = { "%s *const q = (%s *)((char *)y%d.p + i * y%d.steps[0]);", nil },
}

--- The declaration of vector output `k`, the text that writes it, and its dtype. Its components are the results from
--- `from` on, whose texts are text(number).
function columns.output(kernel, fn, k, from, form, dtype, text)
  local kind = kernel.out_groups[k]
  local to = dtype or common(fn.results, from, kind.count)
  local memory, place = types.memory[to], places[form]
  local body = { place[1]:format(memory, memory, k, form == "strided" and k or kind.count) }
  for j = 1, kind.count do
    local at = place[2] and place[2]:format(j - 1)
      or ("*(%s *)((char *)q + %d * y%d.steps[1])"):format(memory, j - 1, k)
    body[j + 1] = ("%s = %s;"):format(at, types.store(types.convert(text(from + j - 1), fn.results[from + j - 1].dtype,
      to), to))
  end
  return ("raw %s y%d"):format(to, k), "{ " .. table.concat(body, " ") .. " }", to
end

local function extents_at(shape, from, extents)
  if from < 1 then return false end
  for k, extent in ipairs(extents) do
    if shape[from + k - 1] ~= extent then return false end
  end
  return true
end

--- Which axes of a shape have the components of a kind: the first of them, and whether these are the first axes alone.
local function axes_of(shape, kind)
  local extents = kind.extents
  local last = #shape - #extents + 1
  if extents_at(shape, last, extents) then return last, false end
  if extents_at(shape, 1, extents) then return 1, true end
end

--- The views of an array's components. The second result says whether its first axes have them. `is_first`: known.
function columns.views(array, kind, is_first)
  local from = is_first and 1 or is_first == false and array.ndim - #kind.extents + 1
  if not from then from, is_first = axes_of(array.shape, kind) end
  if not from then return nil end
  local list, key = {}, {}
  for axis = 1, array.ndim do key[axis] = {} end
  for i = 1, kind.extents[1] do
    for j = 1, kind.extents[2] or 1 do
      key[from] = i
      if kind.extents[2] then key[from + 1] = j end
      list[#list + 1] = array[key]
    end
  end
  return list, is_first
end

--- Functions for calls of kernels with such parameters.
function columns.calls(ma, core)
  local fail, is_array, calls = core.fail, core.is_array, {}

  local function wanted(kind)
    local extents = table.concat(kind.extents, ", ")
    return kind.extents[2] and ("an array whose last axes, or first ones, are (%s)"):format(extents)
      or ("an array whose last axis, or first one, has %s"):format(extents)
  end

  local function views_of(shown, name, kind, array)
    local list, is_first = columns.views(array, kind)
    if list then return list, is_first end
    fail(shown, ("%s has the shape (%s) and is declared %s; wanted %s"):format(name, table.concat(array.shape, ", "),
      kind.name, wanted(kind)))
  end

  --- The components that are given for a vector.
  local function parts_of(shown, name, kind, given)
    local parts = vector.parts(given)
    if parts then
      if parts.kind == kind then return parts end
      fail(shown, ("%s is a %s; wanted a %s"):format(name, parts.kind.name, kind.name))
    end
    if type(given) == "number" or type(given) == "boolean" or given == nil then
      fail(shown, ("%s is %s; wanted a %s, or %s"):format(name, core.describe(given), kind.name, wanted(kind)))
    end
    return views_of(shown, name, kind, is_array(given) and given or core.asarray(given))
  end

  --- The arguments of a call with components in place of vectors, how many they are, and whether the first vector has
  --- its components along the first axes.
  function calls.split(kernel, args, n)
    local groups, names = kernel.groups, kernel.tree.params
    if not groups then return args, n, false end
    if n < #groups then
      fail(kernel.shown, ("%d arguments; wanted %d: %s"):format(n, #groups, table.concat(names, ", ")))
    end
    local flat, at, layout = {}, 0, nil
    for k = 1, n do
      if groups[k] then
        local list, is_first = parts_of(kernel.shown, names[k], groups[k], args[k])
        for j = 1, groups[k].count do flat[at + j] = list[j] end
        at = at + groups[k].count
        if layout == nil then layout = is_first end
      else
        at = at + 1
        flat[at] = args[k]
      end
    end
    return flat, at, layout or false
  end

  --- Whether an array for an output overlaps an argument that is another array.
  local function overlaps(array, args)
    for _, arg in pairs(args) do
      if is_array(arg) and not rawequal(arg, array) and ma.may_share_memory(arg, array) then return true end
    end
    return false
  end

  --- How a kernel writes the vectors of an array: "last", an array whose last axes have the components, "first",
  --- "strided", a view of two axes, or nil. And the array in that form.
  local function form_of(shown, name, kind, array)
    local _, is_first = views_of(shown, name, kind, array)
    if array.is_contiguous then return is_first and "first" or "last", array:reshape(-1) end
    if array.ndim == 2 then return "strided", is_first and array:transpose() or array end
  end

  --- How vectors among the outputs are written. `whole` are the arrays for the outputs that are given. Returns by the
  --- number of an output its form; what the kernel gets for it, nil if that is made later; a text that tells the forms
  --- from others.
  function calls.forms(kernel, args, whole, is_first)
    local forms, passed, texts = {}, {}, {}
    for k, kind in ipairs(kernel.out_groups) do
      passed[k] = whole[k]
      if kind then
        forms[k], passed[k] = is_first and "first" or "last", nil
        if whole[k] then
          local form, array = form_of(kernel.shown, kernel.outputs[k].name, kind, whole[k])
          if form and not overlaps(whole[k], args) then forms[k], passed[k] = form, array end
        end
      end
      texts[k] = forms[k] or "-"
    end
    return forms, passed, table.concat(texts, ",")
  end

  --- The shape of the elements that a call runs over; `alone`: no array among the arguments says so.
  local function shape_of(kernel, args, size)
    local shapes = {}
    for k = 1, #kernel.params do
      if is_array(args[k]) and not kernel.inputs[k].raw then shapes[#shapes + 1] = args[k].shape end
    end
    if #shapes == 0 then return type(size) == "number" and { size } or size or {}, true end
    return #shapes == 1 and shapes[1] or ma.broadcast_shapes(unpack(shapes)), false
  end

  --- Makes arrays for the vectors among the outputs that have none yet. Returns functions that end the call, by the
  --- output's number, and the number of elements if no array says it.
  function calls.make(kernel, args, size, first, forms, passed, dtypes, whole)
    local shape, alone = shape_of(kernel, args, size)
    local ends = {}
    for k, kind in ipairs(kernel.out_groups) do
      if kind and not passed[k] then
        local axes, is_first = {}, forms[k] == "first"
        for _, extent in ipairs(is_first and kind.extents or shape) do axes[#axes + 1] = extent end
        for _, extent in ipairs(is_first and shape or kind.extents) do axes[#axes + 1] = extent end
        local array, given = ma.empty(axes, { dtype = dtypes[k], device = first and first.device }), whole[k]
        passed[k] = array:reshape(-1)
        ends[k] = function() return given and given:assign(array) or array end
      elseif kind then
        ends[k] = function() return whole[k] end
      end
    end
    local n = 1
    for _, extent in ipairs(shape) do n = n * extent end
    return ends, alone and n or nil
  end

  return calls
end

return columns
