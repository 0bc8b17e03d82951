--- Parameters of kernels over elements that are declared as vectors, such as "vec3 p": an array is given for one, whose
--- last axis has the components (for a matrix the last two), or whose first one has. The kernel runs over the other
--- axes.
---
--- The C++ kernel gets a contiguous array as a whole ("last" or "first", by the axis of its components), if it has all
--- elements. It gets another one as a view for each component, which broadcast as other inputs do. A vector that is
--- returned is written into an array as a whole, also into a "strided" one of two axes.

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
          object = false, vector = kind, part = j }
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
local function common_dtype(results, from, count)
  local joined = results[from]
  for k = from + 1, from + count - 1 do
    local dtype, weak = value.join(joined, results[k])
    joined = { dtype = dtype, weak = weak }
  end
  return joined.dtype
end

-- ==== In the plain form ==========================================================================================

--- Arguments of a function, with vectors in place of their components.
function columns.gather(groups, ...)
  if not groups then return ... end
  local given, list, at = { ... }, {}, 0
  for k, kind in ipairs(groups) do
    if kind then
      local parts = { kind = kind }
      for j = 1, kind.count do parts[j] = given[at + j] end
      list[k], at = vector.make(parts), at + kind.count
    else
      at = at + 1
      list[k] = given[at]
    end
  end
  return unpack(list, 1, #groups)
end

--- What a function returned, with components in place of vectors. `fail(text)` raises where others are declared.
function columns.scatter(groups, fail, ...)
  local list, found, any = {}, {}, false
  for k = 1, select("#", ...) do
    local result = select(k, ...)
    local parts = vector.parts(result)
    found[k] = parts and parts.kind or false
    any = any or parts ~= nil
    for j = 1, parts and #parts or 1 do list[#list + 1] = parts and parts[j] or result end
  end
  if any and not groups then fail "a vector as a result; return v:unpack()" end
  if groups and described(groups) ~= described(found) then
    fail(("the function returns %s; out_params says %s"):format(described(found), described(groups)))
  end
  return unpack(list)
end

-- ==== In C++ =====================================================================================================

--- Two or four numbers side by side are read and written at once where the place allows it.
local packed = [[
template <class T, int N> struct alignas(N * sizeof(T) > 16 ? 16 : N * sizeof(T)) jit_packed { T v[N]; };
template <class T, int N> static __device__ __forceinline__ bool jit_may_pack(const T *p) {
#ifdef __CUDA_ARCH__
  return (unsigned long long)p % alignof(jit_packed<T, N>) == 0;
#else
  return false;
#endif
}
template <class T, int N> static __device__ __forceinline__ jit_packed<T, N> jit_unpack(const T *p) {
  if (jit_may_pack<T, N>(p)) return *(const jit_packed<T, N> *)p;
  jit_packed<T, N> x;
  for (int k = 0; k < N; k++) x.v[k] = p[k];
  return x;
}
template <class T, int N> static __device__ __forceinline__ void jit_pack(T *p, jit_packed<T, N> x) {
  if (jit_may_pack<T, N>(p)) *(jit_packed<T, N> *)p = x;
  else for (int k = 0; k < N; k++) p[k] = x.v[k];
}
]]

--- What comes before a kernel's text. In a kernel without raw parameters of the program's own no element touches what
--- another one does.
function columns.preamble(kernel) return (kernel.has_raw and "" or "#define MA_INDEPENDENT\n") .. packed end

local function is_packed(kind, form) return form == "last" and (kind.count == 2 or kind.count == 4) end

--- The declaration of a vector that a kernel gets as a whole in input `k`, a statement that comes before the call, and
--- the texts of its components.
function columns.input(kind, k, form, dtype)
  local memory, count, texts = types.memory[dtype], kind.count, {}
  local at_once = is_packed(kind, form)
  local place = form == "last" and ("(const %s *)&x%d[0] + i * %d"):format(memory, k, count)
    or ("(const %s *)&x%d[0] + i"):format(memory, k)
  local statement = at_once and ("const jit_packed<%s, %d> p%d = jit_unpack<%s, %d>(%s);"):format(memory, count, k,
    memory, count, place) or ("const %s *const p%d = %s;"):format(memory, k, place)
  for j = 1, count do
    local at = at_once and "p%d.v[%d]" or form == "last" and "p%d[%d]" or "p%d[%d * n]"
    texts[j] = types.load(at:format(k, j - 1), dtype)
  end
  return ("raw %s x%d"):format(dtype, k), statement, texts
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
  local to = dtype or common_dtype(fn.results, from, kind.count)
  local memory, place, values = types.memory[to], places[form], {}
  local body = { place[1]:format(memory, memory, k, form == "strided" and k or kind.count) }
  for j = 1, kind.count do
    local at = place[2] and place[2]:format(j - 1)
      or ("*(%s *)((char *)q + %d * y%d.steps[1])"):format(memory, j - 1, k)
    values[j] = types.store(types.convert(text(from + j - 1), fn.results[from + j - 1].dtype, to), to)
    body[j + 1] = ("%s = %s;"):format(at, values[j])
  end
  if is_packed(kind, form) then
    body = { body[1], ("jit_pack<%s, %d>(q, {{%s}});"):format(memory, kind.count, table.concat(values, ", ")) }
  end
  return ("raw %s y%d"):format(to, k), "{ " .. table.concat(body, " ") .. " }", to
end

-- ==== Arrays =====================================================================================================

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

--- The views of an array's components, of which `from` is the first axis. Those of a single vector have no axes, and
--- are arrays nevertheless, whose numbers nobody waits for.
local function views(array, kind, from)
  local list, key, single = {}, {}, array.ndim == #kind.extents
  if single then array, from = array:reshape(1, unpack(kind.extents)), 2 end
  for axis = 1, array.ndim do key[axis] = {} end
  for i = 1, kind.extents[1] do
    for j = 1, kind.extents[2] or 1 do
      key[from] = i
      if kind.extents[2] then key[from + 1] = j end
      list[#list + 1] = single and array[key]:reshape {} or array[key]
    end
  end
  return list
end

--- The shape without the axes of the components.
local function shape_without(shape, kind, from)
  local list = {}
  for axis = 1, #shape do
    if axis < from or axis >= from + #kind.extents then list[#list + 1] = shape[axis] end
  end
  return list
end

local function shown_shape(shape) return "(" .. table.concat(shape, ", ") .. ")" end

local function wanted(kind)
  local extents = table.concat(kind.extents, ", ")
  return kind.extents[2] and ("an array whose last axes, or first ones, are (%s)"):format(extents)
    or ("an array whose last axis, or first one, has %s"):format(extents)
end

--- Functions for calls of kernels with such parameters.
function columns.calls(ma, core)
  local fail, is_array, calls = core.fail, core.is_array, {}
  local common = require "moonarray.common" (core)

  --- An array for a vector: { array, kind, from (the first axis of the components), is_first, shape (of elements) }.
  local function located(shown, name, kind, array)
    local shape = array.shape
    local from, is_first = axes_of(shape, kind)
    if not from then
      fail(shown, ("%s has the shape %s and is declared %s; wanted %s"):format(name, shown_shape(shape), kind.name,
        wanted(kind)))
    end
    return { array = array, kind = kind, from = from, is_first = is_first, shape = shape_without(shape, kind, from) }
  end

  --- The components of a vector that is given, or where they are in an array.
  local function taken(shown, name, kind, given)
    local parts = vector.parts(given)
    if parts then
      if parts.kind == kind then return parts end
      fail(shown, ("%s is a %s; wanted a %s"):format(name, parts.kind.name, kind.name))
    end
    if type(given) == "number" or type(given) == "boolean" or given == nil then
      fail(shown, ("%s is %s; wanted a %s, or %s"):format(name, core.describe(given), kind.name, wanted(kind)))
    end
    return nil, located(shown, name, kind, is_array(given) and given or core.asarray(given))
  end

  --- The arguments of a call with a place for each component of a vector, where its array stands; how many they are;
  --- and a list of the arrays for vectors, in which `is_first` is that of the first one.
  function calls.split(kernel, args, n)
    local groups, names = kernel.groups, kernel.tree.params
    if not groups then return args, n, {} end
    if n < #groups then
      fail(kernel.shown, ("%d arguments; wanted %d: %s"):format(n, #groups, table.concat(names, ", ")))
    end
    local flat, at, vectors = {}, 0, {}
    for k = 1, n do
      if groups[k] then
        local parts, at_array = taken(kernel.shown, names[k], groups[k], args[k])
        for j = 1, groups[k].count do flat[at + j] = parts and parts[j] or at_array.array end
        if at_array then
          at_array.at, vectors[#vectors + 1] = at, at_array
        end
        at = at + groups[k].count
      else
        at = at + 1
        flat[at] = args[k]
      end
    end
    vectors.is_first = vectors[1] and vectors[1].is_first or false
    return flat, at, vectors
  end

  --- Puts the views of an array's components in place of it.
  function calls.part(flat, v)
    for j, view in ipairs(views(v.array, v.kind, v.from)) do flat[v.at + j] = view end
  end

  --- The shapes that broadcast, and the places of the arrays other than vectors.
  local function shapes_of(kernel, flat, vectors)
    local shapes, others, raw = {}, {}, false
    for k, declared in ipairs(kernel.inputs) do
      if is_array(flat[k]) and not declared.vector then
        if declared.raw then
          raw = raw or not declared.written
        else
          shapes[#shapes + 1], others[#others + 1] = flat[k].shape, k
        end
      end
    end
    for _, v in ipairs(vectors) do shapes[#shapes + 1] = v.shape end
    return shapes, others, raw
  end

  --- Decides how a call passes its vectors: { shape (of the elements), size (their number, if no array says it), whole
  --- (the form by the place of the first component), key }. Changes `flat`.
  function calls.plan(kernel, flat, vectors, size)
    local shapes, others, raw = shapes_of(kernel, flat, vectors)
    local plan = { whole = {}, is_first = vectors.is_first, shape = shapes[1] }
    if #shapes > 1 then plan.shape = ma.broadcast_shapes(unpack(shapes)) end
    if #shapes == 0 then plan.shape = type(size) == "number" and { size } or size or {} end
    local scalars = not kernel.out_groups
    for _, kind in ipairs(kernel.out_groups or {}) do scalars = scalars or not kind end
    local keys = {}
    for k, v in ipairs(vectors) do
      -- A result that is no vector has the shape of an array that is no whole.
      local shaped = #others > 0 or k > 1 or not scalars or #plan.shape == 1
      if v.array.is_contiguous and common.equal(v.shape, plan.shape) and #v.shape > 0 and shaped then
        plan.whole[v.at + 1] = v.is_first and "first" or "last"
        keys[#keys + 1] = plan.whole[v.at + 1] .. v.at
      else
        calls.part(flat, v)
        others[#others + 1] = v.at + 1
      end
    end
    local list = {}
    for k, place in ipairs(others) do list[k] = flat[place].shape end
    if #list == 0 and (size or #shapes > 0 or not raw) then
      plan.size = common.product(plan.shape)
    elseif #list > 0 and not common.equal(#list == 1 and list[1] or ma.broadcast_shapes(unpack(list)), plan.shape) then
      flat[others[1]] = ma.broadcast_to(flat[others[1]], plan.shape)
    end
    plan.key = table.concat(keys, ",")
    return plan
  end

  --- Whether an array for an output overlaps an argument that is another array.
  local function overlaps(array, args)
    for _, arg in pairs(args) do
      if is_array(arg) and not rawequal(arg, array) and ma.may_share_memory(arg, array) then return true end
    end
    return false
  end

  --- How a kernel writes into an array, and the array in that form; nil if it cannot.
  local function form_of(v)
    local array = v.array
    if array.is_contiguous then return v.is_first and "first" or "last", array:reshape(-1) end
    if array.ndim == 2 then return "strided", v.is_first and array:transpose() or array end
  end

  --- How vectors among the outputs are written. `given` are the arrays for the outputs. Returns by the number of an
  --- output its form, what the kernel gets for it, nil if that is made later, and a text that tells the forms from
  --- others.
  function calls.forms(kernel, plan, flat, given)
    local forms, passed, texts = {}, {}, {}
    for k, kind in ipairs(kernel.out_groups) do
      passed[k] = given[k]
      if kind then
        forms[k], passed[k] = plan.is_first and "first" or "last", nil
        if given[k] then
          local name = kernel.outputs[k].name
          local v = located(kernel.shown, name, kind, given[k])
          if not common.equal(v.shape, plan.shape) then
            fail(kernel.shown, ("%s has the shape %s, for %s vectors; the arguments have %s"):format(name,
              shown_shape(given[k].shape), shown_shape(v.shape), shown_shape(plan.shape)))
          end
          local form, array = form_of(v)
          if form and not overlaps(given[k], flat) then forms[k], passed[k] = form, array end
        end
      end
      texts[k] = forms[k] or "-"
    end
    return forms, passed, table.concat(texts, ",")
  end

  --- Makes arrays for the vectors among the outputs that have none yet. Returns functions that end the call, by the
  --- output's number.
  function calls.make(kernel, plan, first, forms, passed, dtypes, given)
    local ends = {}
    for k, kind in ipairs(kernel.out_groups) do
      local own = given[k]
      if kind and passed[k] then
        ends[k] = function() return own end
      elseif kind then
        local axes, is_first = {}, forms[k] == "first"
        for _, extent in ipairs(is_first and kind.extents or plan.shape) do axes[#axes + 1] = extent end
        for _, extent in ipairs(is_first and plan.shape or kind.extents) do axes[#axes + 1] = extent end
        local array = ma.empty(axes, { dtype = dtypes[k], device = first and first.device })
        passed[k] = array:reshape(-1)
        ends[k] = function() return own and own:assign(array) or array end
      end
    end
    return ends
  end

  return calls
end

return columns
