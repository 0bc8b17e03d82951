--- Einstein's sums: einsum finds a cheap order of contractions, and computes each as one batched matmul.
--# products

local sformat = require("moonarray.text").format
local unpack = unpack

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local finish = common.finish

  local HALF = { float16 = true, bfloat16 = true }

  -- ==== Subscripts =================================================================================================

  local LETTER = "^[%a]$"

  --- The subscripts of an operand as a list of labels. "..." becomes numbers, from the last axis: -1, -2 ...
  local function labels_of(text, a, number)
    local labels, at = {}, 1
    local before, after = text:match("^(.-)%.%.%.(.*)$")
    local named = before and before .. after or text
    local extra = a.ndim - #named
    if (not before and extra ~= 0) or extra < 0 then
      fail("einsum", sformat("operand %d has shape %s; wanted %d axes for '%s'", number, common.shape_text(a), #named,
        text))
    end
    local function add(part)
      for c in part:gmatch(".") do
        if not c:match(LETTER) then
          fail("einsum", sformat("'%s' among the subscripts; wanted letters, commas, '...' and '->'", c))
        end
        labels[at] = c
        at = at + 1
      end
    end
    add(before or text)
    if before then
      for k = extra, 1, -1 do
        labels[at] = -k
        at = at + 1
      end
      add(after)
    end
    return labels
  end

  local function count_labels(operands)
    local count = {}
    for _, o in ipairs(operands) do
      for _, label in ipairs(o.labels) do count[label] = (count[label] or 0) + 1 end
    end
    return count
  end

  --- The output without "->": the axes of "..." first, then the letters that occur once, in alphabetical order.
  local function implied_output(operands)
    local count, dots, letters = count_labels(operands), {}, {}
    for label, n in pairs(count) do
      if type(label) == "number" then dots[#dots + 1] = label
      elseif n == 1 then letters[#letters + 1] = label end
    end
    table.sort(dots)
    table.sort(letters)
    for _, letter in ipairs(letters) do dots[#dots + 1] = letter end
    return dots
  end

  local function explicit_output(text, operands)
    local count, labels = count_labels(operands), {}
    local before, after = text:match("^(.-)%.%.%.(.*)$")
    local dots = {}
    for label in pairs(count) do
      if type(label) == "number" then dots[#dots + 1] = label end
    end
    table.sort(dots)
    local seen = {}
    local function add(part)
      for c in part:gmatch(".") do
        if not count[c] then fail("einsum", sformat("'%s' of the result is in no operand", c)) end
        if seen[c] then fail("einsum", sformat("'%s' twice in the result", c)) end
        seen[c] = true
        labels[#labels + 1] = c
      end
    end
    add(before or text)
    if before then
      for _, d in ipairs(dots) do labels[#labels + 1] = d end
    elseif #dots > 0 then
      fail("einsum", sformat("a result '%s' without '...', which stands for %d axes of the operands; wanted '...%s'",
        text, #dots, text))
    end
    add(after or "")
    return labels
  end

  --- Replaces axes with equal labels in one operand by their diagonal. Their extents are equal: an extent of 1 is
  --- broadcast against other operands, not within one.
  local function take_diagonals(o, number)
    local at, k = {}, 1
    while k <= #o.labels do
      local label = o.labels[k]
      local first = at[label]
      if first then
        local shape = o.array.shape
        if shape[first] ~= shape[k] then
          fail("einsum", sformat("operand %d has %d elements along one axis '%s' and %d along another; wanted as many",
            number, shape[first], label, shape[k]))
        end
        o.array = ma.diagonal(o.array, 0, first, k)      -- the diagonal is the last axis
        table.remove(o.labels, k)
        table.remove(o.labels, first)
        o.labels[#o.labels + 1] = label
        at, k = {}, 1
      else
        at[label] = k
        k = k + 1
      end
    end
  end

  local function set_of(list)
    local set = {}
    for _, label in ipairs(list) do set[label] = true end
    return set
  end

  --- Converts operands of several dtypes to one before anything is summed. If intermediate results would be rounded,
  --- 16-bit floats are computed in another dtype: the second result, to which the sum is rounded at the end.
  local function promote(operands, output, needed_by)
    if #operands == 1 then return end
    local dtypes, steps = {}, #operands - 1
    for k, o in ipairs(operands) do
      dtypes[k] = o.array.dtype
      local needed = needed_by(operands, output, k)
      for _, label in ipairs(o.labels) do
        if not needed[label] then steps = steps + 1 break end
      end
    end
    local dtype = ma.result_type(unpack(dtypes))
    local rounded = HALF[dtype] and steps > 1 and dtype or nil
    if rounded then dtype = "float32" end
    for _, o in ipairs(operands) do
      if o.array.dtype ~= dtype then o.array = o.array:astype(dtype) end
    end
    return rounded
  end

  --- Sums over the labels of an operand that no other operand and no output has.
  local function sum_out(o, needed)
    local axes, labels = {}, {}
    for k, label in ipairs(o.labels) do
      if needed[label] then labels[#labels + 1] = label else axes[#axes + 1] = k end
    end
    if #axes > 0 then o.array, o.labels = ma.sum(o.array, axes, { dtype = o.array.dtype }), labels end
  end

  local function extents_of(operands)
    local extent = {}
    for number, o in ipairs(operands) do
      for k, label in ipairs(o.labels) do
        local n = o.array.shape[k]
        if extent[label] and extent[label] ~= n and n ~= 1 and extent[label] ~= 1 then
          fail("einsum", sformat("operand %d has %d elements along '%s' and another %d; wanted as many", number, n,
            tostring(label), extent[label]))
        end
        if not extent[label] or extent[label] == 1 then extent[label] = n end
      end
    end
    return extent
  end

  --- Broadcasts axes of extent 1 to the full extent where a contraction needs that.
  local function widen(o, extent, only)
    local shape, wide = o.array.shape, false
    for k, label in ipairs(o.labels) do
      if only[label] and shape[k] ~= extent[label] then
        shape[k] = extent[label]
        wide = true
      end
    end
    if wide then o.array = ma.broadcast_to(o.array, shape) end
  end

  local function joined(...)
    local list = {}
    for _, group in ipairs { ... } do
      for _, label in ipairs(group) do list[#list + 1] = label end
    end
    return list
  end

  --- The place in `labels` of each of the `wanted`.
  local function places(labels, wanted)
    local at, list = {}, {}
    for k, label in ipairs(labels) do at[label] = k end
    for k, label in ipairs(wanted) do list[k] = at[label] end
    return list
  end

  --- The same as axes for transpose; nothing if they are in order.
  local function turn(labels, wanted)
    local order = places(labels, wanted)
    for k = 1, #order do
      if order[k] ~= k then return order end
    end
    return nil
  end

  local function pick(labels, fits)
    local picked = {}
    for _, label in ipairs(labels) do
      if fits(label) then picked[#picked + 1] = label end
    end
    return picked
  end

  --- How operands with these labels are contracted, as matrices of the axes that one of them has (left, right) and of
  --- those that both have: `inner` ones are summed, the others, which are needed, are a batch.
  local function recipe_of(a, b, needed)
    local in_a, in_b = set_of(a), set_of(b)
    local left, right = pick(a, function(l) return not in_b[l] end), pick(b, function(l) return not in_a[l] end)
    local batch, inner = pick(a, function(l) return in_b[l] and needed[l] end),
      pick(a, function(l) return in_b[l] and not needed[l] end)
    return {
      na = #a, nb = #b, labels = joined(batch, left, right), whole = joined(left, inner, right),
      order_a = turn(a, joined(batch, left, inner)), order_b = turn(b, joined(batch, inner, right)),
      batch = places(a, batch), left = places(a, left), inner = places(a, inner), right = places(b, right),
      batch_b = places(b, batch), inner_b = places(b, inner), x = {}, y = {}, shape = {},
    }
  end

  --- The product of two operands by a recipe; nothing if the shapes or dtypes do not fit it. broadcasts: axes of extent
  --- 1 that both have are repeated.
  local function follow(recipe, a, b, broadcasts)
    if a.dtype ~= b.dtype then return end
    local of_a, of_b = a.shape, b.shape
    if #of_a ~= recipe.na or #of_b ~= recipe.nb then return end
    local x, y, shape, m, k, n = recipe.x, recipe.y, recipe.shape, 1, 1, 1       -- of one length at all calls
    local batch, left, inner, right = recipe.batch, recipe.left, recipe.inner, recipe.right
    local batch_b, inner_b = recipe.batch_b, recipe.inner_b
    local nbatch = #batch
    for d = 1, nbatch do
      local extent, other = of_a[batch[d]], of_b[batch_b[d]]
      if other ~= extent and not broadcasts then return end
      x[d], y[d], shape[d] = extent, other, extent == 1 and other or extent
    end
    for d = 1, #inner do
      local extent = of_a[inner[d]]
      if of_b[inner_b[d]] ~= extent then return end
      k = k * extent
    end
    for d = 1, #left do
      local extent = of_a[left[d]]
      m, shape[nbatch + d] = m * extent, extent
    end
    for d = 1, #right do
      local extent = of_b[right[d]]
      n, shape[nbatch + #left + d] = n * extent, extent
    end
    x[nbatch + 1], x[nbatch + 2], y[nbatch + 1], y[nbatch + 2] = m, k, k, n
    if recipe.order_a then a = a:transpose(recipe.order_a) end
    if recipe.order_b then b = b:transpose(recipe.order_b) end
    if #left ~= 1 or #inner ~= 1 then a = a:reshape(x) end
    if #right ~= 1 or #inner ~= 1 then b = b:reshape(y) end
    local made = ma.matmul(a, b)
    if #left ~= 1 or #right ~= 1 then made = made:reshape(shape) end
    return recipe.order and made:transpose(recipe.order) or made
  end

  --- Contracts two operands into one.
  local function contract_pair(a, b, needed, extent)
    local recipe = recipe_of(a.labels, b.labels, needed)
    local whole = set_of(recipe.whole)
    widen(a, extent, whole)
    widen(b, extent, whole)
    return { array = follow(recipe, a.array, b.array, true), labels = recipe.labels }
  end

  --- The cost of contracting two operands: the product of the extents of all their labels. Also the result's size.
  local function cost_of(a, b, needed, extent)
    local work, size, seen = 1, 1, {}
    for _, o in ipairs { a, b } do
      for _, label in ipairs(o.labels) do
        if not seen[label] then
          seen[label] = true
          work = work * extent[label]
          if needed[label] then size = size * extent[label] end
        end
      end
    end
    return work, size
  end

  local function needed_by(operands, output, i, j)
    local needed = set_of(output)
    for k, o in ipairs(operands) do
      if k ~= i and k ~= j then
        for _, label in ipairs(o.labels) do needed[label] = true end
      end
    end
    return needed
  end

  --- Contracts the cheapest pair until one operand is left.
  local function contract_all(operands, output, extent, optimize)
    while #operands > 1 do
      local best, best_size, first, second = math.huge, math.huge, 1, 2
      for i = 1, optimize and #operands - 1 or 0 do
        for j = i + 1, #operands do
          local work, size = cost_of(operands[i], operands[j], needed_by(operands, output, i, j), extent)
          if work < best or (work == best and size < best_size) then
            best, best_size, first, second = work, size, i, j
          end
        end
      end
      local made = contract_pair(operands[first], operands[second], needed_by(operands, output, first, second), extent)
      table.remove(operands, second)
      operands[first] = made
    end
    return operands[1]
  end

  local function parse(subscripts, arrays)
    local text = subscripts:gsub("%s", "")
    local inputs, output = text:match("^(.-)%->(.*)$")
    local operands, number = {}, 0
    for part in ((inputs or text) .. ","):gmatch("(.-),") do
      number = number + 1
      if arrays[number] == nil then break end
      operands[number] = { array = arrays[number], labels = labels_of(part, arrays[number], number) }
    end
    if number ~= #arrays then fail("einsum", sformat("subscripts for %d operands and %d operands", number, #arrays)) end
    return operands, output and explicit_output(output, operands) or implied_output(operands)
  end

  -- For two operands with plain, distinct letters, none of which is summed alone, the recipe is the same at every call,
  -- and so is that of a single operand: both are kept by the subscripts.
  local recipes, nrecipe, MOST_RECIPES = {}, 0, 256

  local function is_plain(labels)
    local seen = {}
    for _, label in ipairs(labels) do
      if type(label) == "number" or seen[label] then return false end
      seen[label] = true
    end
    return true
  end

  --- A view of one operand, or its sum over some axes: distinct letters, all of which it has.
  local function note_single(subscripts, labels, output)
    local kept = set_of(output)
    if not is_plain(labels) then return end
    local rest, summed = {}, {}
    for k, label in ipairs(labels) do
      if kept[label] then rest[#rest + 1] = label else summed[#summed + 1] = k end
    end
    nrecipe = nrecipe + 1
    recipes[subscripts] = { na = #labels, summed = #summed > 0 and summed, order = #rest > 0 and places(rest, output) }
  end

  local function note_recipe(subscripts, operands, output)
    if nrecipe == MOST_RECIPES then return end
    if #operands == 1 then note_single(subscripts, operands[1].labels, output) end
    if #operands ~= 2 then return end
    local a, b = operands[1].labels, operands[2].labels
    if not (is_plain(a) and is_plain(b)) then return end
    local kept = set_of(output)
    local recipe = recipe_of(a, b, kept)
    for _, label in ipairs(recipe.labels) do
      if not kept[label] then return end
    end
    recipe.order = turn(recipe.labels, output)
    nrecipe, recipes[subscripts] = nrecipe + 1, recipe
  end

  -- Dtypes whose sums are of the same dtype.
  local same = { float16 = true, bfloat16 = true, float32 = true, float64 = true, complex64 = true, complex128 = true }

  local function follow_single(recipe, a)
    if a.ndim ~= recipe.na then return end
    if recipe.summed then
      if not recipe.order and same[a.dtype] then return ma.sum(a) end
      a = ma.sum(a, recipe.summed, { dtype = a.dtype })
    end
    return recipe.order and a:transpose(recipe.order) or a
  end

  --- One or two operands by the recipe for their subscripts; nothing if there is none.
  local function by_recipe(subscripts, n, a, b)
    local recipe = recipes[subscripts]
    if not recipe or n ~= (recipe.nb and 2 or 1) then return end
    if n == 1 then return follow_single(recipe, core.asarray(a)) end
    return follow(recipe, core.asarray(a), core.asarray(b))
  end

  local function einsum(subscripts, options, ...)
    local arrays, n = {}, select("#", ...)
    if type(subscripts) ~= "string" then
      fail("einsum", "subscripts are " .. core.describe(subscripts) .. "; wanted text such as 'ij,jk->ik'")
    end
    if n == 0 then fail("einsum", "no operands; wanted at least one") end
    for k = 1, n do
      arrays[k] = core.asarray((select(k, ...)))
      if options.dtype then arrays[k] = arrays[k]:astype(options.dtype) end
    end
    local made = options.dtype and by_recipe(subscripts, n, arrays[1], arrays[2])
    if made then return finish("einsum", made, options.out) end
    local operands, output = parse(subscripts, arrays)
    if not recipes[subscripts] then note_recipe(subscripts, operands, output) end
    for number, o in ipairs(operands) do take_diagonals(o, number) end
    local extent = extents_of(operands)
    local rounded = promote(operands, output, needed_by)
    for i, o in ipairs(operands) do sum_out(o, needed_by(operands, output, i)) end
    local result = contract_all(operands, output, extent, options.optimize ~= false)
    sum_out(result, set_of(output))
    local at, order, wide = {}, {}, {}
    for k, label in ipairs(result.labels) do at[label] = k end
    for k, label in ipairs(output) do
      order[k] = at[label]
      wide[label] = true
    end
    widen(result, extent, wide)
    local array = #order > 0 and result.array:transpose(order) or result.array
    if rounded then array = array:astype(rounded) end
    if n == 1 and options.out == nil then return array end
    return finish("einsum", array, options.out)
  end

  --> einsum("ij,j->i", {{1, 2}, {3, 4}}, {1, 1})
  def("einsum(subscripts: string; out?: array, dtype?: dtype, optimize?: boolean|string, ...) -> array",
    "Einstein's sums: letters name axes, equal letters of operands go together, and those that "
    .. "the result does not name are summed: 'ij,jk->ik' is matmul. '...' stands for the other axes. Several " ..
      "operands are contracted in an order of small "
    .. "cost (optimize = false: from left to right). Of one operand the result may be a view.",
      function(subscripts, out, dtype, optimize, ...)
    local made = dtype == nil and by_recipe(subscripts, select("#", ...), ...)
    if made then return finish("einsum", made, out) end
    return einsum(subscripts, { out = out, dtype = dtype, optimize = optimize }, ...)
  end)
end
