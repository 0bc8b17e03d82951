--- Values of a function that is run for all elements at once: an element stands for those of all positions, a mask is
--- an element of dtype bool, and a choice is one of two values, by a mask. Choices become selects where they are used,
--- so constants in them stay weak until a dtype is known, and what nobody uses costs nothing.

local vector = require "moonarray.vector"

local floor, abs, sformat = math.floor, math.abs, require("moonarray.text").format

local Choice = {}
local BOOLEANS = "a bool element is a boolean, as what a comparison gives: write c, not c, c == d or c and 1 or 0"
local MOST_LEAVES = 8                    -- of a choice of constants that is computed with before a dtype is known

return function(core)
  local element_dtype, V = core.element_dtype, { inside = false }
  local O = require "moonarray.captures.element" (core, V)
  local is_known, scalar, value_of = O.is_known, O.scalar, O.value
  V.outside = O

  --- An operation of the core, whose errors have no name of their own: placed() in rule.lua gives them one.
  local function operation(name)
    local op = core.operation(name)
    return function(...)
      V.inside = true
      local made = op(nil, ...)
      V.inside = false
      return made
    end
  end

  local select_, conjunction, disjunction, inversion = operation "where", operation "logical_and",
    operation "logical_or", operation "logical_not"
  local comparisons = { ["=="] = operation "equal", ["~="] = operation "not_equal", ["<"] = operation "less",
    ["<="] = operation "less_equal", [">"] = operation "greater", [">="] = operation "greater_equal" }
  local opposite = setmetatable({}, { __mode = "kv" })
  local inverted = setmetatable({}, { __mode = "kv" })   -- what a mask is `not` of

  --- The dtype of an element, also of an expression of ma.grad (grad/symbols.lua); "" of a number.
  local function dtype_of(v)
    if type(v) == "userdata" then return (element_dtype(v)) end
    return core.symbol_dtype and core.symbol_dtype(v)
  end

  function V.is_element(v) return dtype_of(v) ~= nil end
  local is_element = V.is_element

  function V.is_choice(v) return getmetatable(v) == Choice end
  local is_choice, parts_of = V.is_choice, vector.parts
  vector.is_choice = is_choice

  --- The dtype of an element; nil of what is no element, and of numbers that have none yet.
  function V.dtype(v)
    local dtype = dtype_of(v) or ""
    return dtype ~= "" and dtype or nil
  end

  function V.is_mask(v) return V.dtype(v) == "bool" end
  local is_mask = V.is_mask

  -- ==== Masks ======================================================================================================

  function V.negate(m)
    if type(m) == "boolean" then return not m end
    if not opposite[m] then
      local n = inversion(nil, nil, m)
      opposite[m], opposite[n], inverted[n] = n, m, m
    end
    return opposite[m]
  end
  local negate = V.negate

  function V.both(a, b)
    if a == false or b == false then return false end
    if a == true or rawequal(a, b) then return b end
    if b == true then return a end
    if rawequal(opposite[a], b) then return false end
    return conjunction(nil, nil, a, b)
  end

  function V.either(a, b)
    if a == true or b == true then return true end
    if a == false or rawequal(a, b) then return b end
    if b == false then return a end
    if rawequal(opposite[a], b) then return true end
    return disjunction(nil, nil, a, b)
  end
  local both, either = V.both, V.either

  --- A mask of two masks or booleans, by a third one.
  local function combine(m, a, b)
    if rawequal(a, b) then return a end
    if a == true then return either(m, b) end
    if b == true then return either(negate(m), a) end
    if a == false then return both(negate(m), b) end
    if b == false then return both(m, a) end
    return select_(nil, nil, m, a, b)
  end

  -- ==== Choices ====================================================================================================

  local function same(a, b)
    return rawequal(a, b) and (a ~= 0 or 1 / a == 1 / b)
  end

  --- `a` where the mask holds, else `b`.
  function V.merge(m, a, b)
    if m == true or m ~= false and same(a, b) then return a end
    if m == false then return b end
    if inverted[m] then m, a, b = inverted[m], b, a end
    local x, y = parts_of(a), parts_of(b)
    if x and y and x.kind == y.kind then
      return vector.join(m, a, b, V)
    end
    return setmetatable({ mask = m, a = a, b = b, made = {} }, Choice)
  end
  local merge = V.merge
  vector.merge = merge

  --- Calls f(v, into) for what may be chosen, in order.
  function V.each_leaf(v, f, into)
    if not is_choice(v) then return f(v, into) end
    V.each_leaf(v.a, f, into)
    return V.each_leaf(v.b, f, into)                      -- chains of choices are long on this side
  end

  local function look(v, kinds)
    kinds.n = kinds.n + 1
    if is_known(v) then
      kinds.number, kinds.known = true, true
      kinds.minus_zero = kinds.minus_zero or v.value == 0 and 1 / v.value < 0
    elseif type(v) == "cdata" then
      kinds.number = true
    elseif type(v) == "number" then
      kinds.number, kinds.fraction = true, kinds.fraction or v ~= floor(v) or abs(v) >= 2 ^ 63
    elseif is_element(v) then
      if is_mask(v) then kinds.boolean = true else kinds.number, kinds.element = true, kinds.element or v end
    elseif type(v) == "boolean" then kinds.boolean = true
    elseif v == nil then kinds.none = true
    else kinds.other = parts_of(v) and parts_of(v).kind.name or type(v)
    end
  end

  --- What may be chosen: kinds of leaves, and how many there are.
  local function kinds_of(choice)
    if not choice.kinds then
      choice.kinds = { n = 0 }
      V.each_leaf(choice, look, choice.kinds)
    end
    return choice.kinds
  end

  --- Whether a choice is one of Lua numbers alone, of which there are few.
  local function is_constant(v)
    if not is_choice(v) then return type(v) == "number" or is_known(v) end
    local kinds = kinds_of(v)
    return kinds.number and not (kinds.element or kinds.boolean or kinds.none or kinds.other) and kinds.n <= MOST_LEAVES
  end
  V.is_constant = is_constant

  --- The truth of a value, as Lua has it: a boolean or a mask. The second result says whether an element that is a
  --- number was asked for it.
  function V.truth(v)
    if is_choice(v) then
      local a, number_a = V.truth(v.a)
      local b, number_b = V.truth(v.b)
      return combine(v.mask, a, b), number_a or number_b
    end
    if not is_element(v) then return v ~= nil and v ~= false end
    if is_mask(v) then return v end
    return true, true
  end
  local truth = V.truth

  --- The part of a value that is true, and the one that is not: what `or` and `and` give of their left side.
  function V.when_true(v)
    if is_choice(v) then
      if truth(v.a) == false then return V.when_true(v.b) end
      if truth(v.b) == false then return V.when_true(v.a) end
      return merge(v.mask, V.when_true(v.a), V.when_true(v.b))
    end
    if is_element(v) and is_mask(v) then return true end
    return v
  end

  function V.when_false(v)
    if is_choice(v) then
      if truth(v.a) == true then return V.when_false(v.b) end
      if truth(v.b) == true then return V.when_false(v.a) end
      return merge(v.mask, V.when_false(v.a), V.when_false(v.b))
    end
    if is_element(v) then return false end
    return v
  end

  -- ==== From choices to elements ===================================================================================

  local settle

  local function join(choice, dtype)
    local function part(v) return is_choice(v) and join(v, dtype) or scalar(v) end
    local function is_number(v) return type(v) == "number" or is_known(v) end
    local constant = is_number(choice.a) and is_number(choice.b)
    return select_(constant and dtype or nil, nil, choice.mask, part(choice.a), part(choice.b))
  end

  --- A choice with the values of the numbers from outside.
  local function with_values(v)
    if is_choice(v) then return merge(v.mask, with_values(v.a), with_values(v.b)) end
    return value_of(v)
  end

  --- A value as an element, or as what it is if it is no choice. Constants that are chosen take the dtype of an element
  --- beside them, of `like`, or of the first field, unless they are fractions and that one is whole.
  function V.settle(v, run, like)
    local parts = parts_of(v)
    if parts then
      local beside = parts_of(like)
      for k = 1, #parts do
        parts[k] = V.settle(parts[k], run, beside and beside[k] or like or V.is_element(parts[1]) and parts[1])
      end
    end
    if not is_choice(v) then return v end
    local kinds = kinds_of(v)
    if kinds.other then
      run:fail(("a %s for some elements only; wanted a number for all of them"):format(kinds.other))
    end
    if kinds.none then run:fail("nil for some elements; wanted a value for all of them") end
    if kinds.boolean then
      if kinds.number then run:fail("a boolean for some elements and a number for others; wanted one kind") end
      return (truth(v))
    end
    local dtype = V.dtype(kinds.element) or V.dtype(like) or run.dtype
    -- Whether it is whole decides the dtype; and equal constants are one, where -0 is not the integer 0.
    if kinds.known and (kinds.minus_zero or not (dtype and dtype:find "float")) then
      return settle(with_values(v), run, like)
    end
    dtype = dtype and core.constant_dtype(dtype, kinds.fraction and 0.5 or 1)
    v.made[dtype or "any"] = v.made[dtype or "any"] or join(v, dtype)
    return v.made[dtype or "any"]
  end
  settle = V.settle

  -- ==== Arrays from outside ========================================================================================

  --- The only element of an array from outside, or of a part of `whole`, for all elements; other values as they are.
  function V.only(array, whole)
    if not V.is_array(array) or array.size ~= 1 then return array end
    local part = array:reshape {}
    core.note_part(part, whole or array)
    return core.array_element(part)
  end

  local ranges = {}                      -- of one position, by it

  --- An element of an array, which all elements read. It stays a part of the array, so its value is that of each
  --- run.
  local function element_at(run, array, positions)
    local index = {}
    for k, position in ipairs(positions) do
      local most = array.shape[k]
      if position ~= floor(position) or position < 1 or position > most then
        run:raise(sformat("position %.14g on axis %d; wanted 1..%d", position, k, most))
      end
      ranges[position] = ranges[position] or { position, position }
      index[k] = ranges[position]
    end
    return V.only(array[index], array)
  end

  --- Whether a value is an array and stands for no element of a function that is recorded.
  function V.is_array(v)
    return type(v) == "userdata" and core.is_array(v) and not select(3, element_dtype(v))
  end

  --- `object[key]` of what is no table. An array from outside is read at its positions.
  function V.at(run, object, key)
    if type(key) == "string" or not V.is_array(object) then return object[key] end
    local positions = type(key) == "table" and run.tables[key] and key or { key }
    local are_numbers = #positions == object.ndim
    for k, position in ipairs(positions) do
      position = value_of(settle(position, run))
      if is_element(position) then
        run:beyond "a position of an array is an element; wanted a number of Lua's, since elements are not known yet"
      end
      positions[k] = position
      are_numbers = are_numbers and type(position) == "number"
    end
    if are_numbers then return element_at(run, object, positions) end
    local part = object[key]
    if type(key) == "number" then core.note_part(part, object) end
    return part
  end

  -- ==== Operators ==================================================================================================

  local plain = {
    ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
    ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
    ["%"] = function(a, b) return a % b end, ["^"] = function(a, b) return a ^ b end,
    [".."] = function(a, b) return a .. b end,
    ["=="] = function(a, b) return a == b end, ["~="] = function(a, b) return a ~= b end,
    ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
    [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
  }

  V.operators = plain
  local events = { ["+"] = "__add", ["-"] = "__sub", ["*"] = "__mul", ["/"] = "__div", ["%"] = "__mod" }

  local function leaves(v) return is_choice(v) and kinds_of(v).n or 1 end

  function V.arithmetic(run, op, a, b)
    if is_known(a) or is_known(b) then
      if op == ".." then return V.arithmetic(run, op, value_of(a), value_of(b)) end
      if (is_known(a) or type(a) == "number") and (is_known(b) or type(b) == "number") then
        return O.computed(plain[op], a, b)
      end
      if is_element(a) or is_element(b) then a, b = scalar(a), scalar(b) end
    end
    local of_choices = is_choice(a) or is_choice(b)
    if of_choices and op ~= ".." and is_constant(a) and is_constant(b) and leaves(a) * leaves(b) <= MOST_LEAVES then
      local choice = is_choice(a) and a or b
      if choice == a then
        return merge(a.mask, V.arithmetic(run, op, a.a, b), V.arithmetic(run, op, a.b, b))
      end
      return merge(b.mask, V.arithmetic(run, op, a, b.a), V.arithmetic(run, op, a, b.b))
    end
    if of_choices or parts_of(a) or parts_of(b) then a, b = settle(a, run, b), settle(b, run, a) end
    a, b = scalar(a), scalar(b)
    for _, v in ipairs { { a }, { b } } do
      local kind = type(v[1])
      if run.outside and kind == "table" and not parts_of(v[1]) then run:fail "an operator of a table" end
      if kind == "nil" or kind == "boolean" or kind == "function" then
        run:raise(("arithmetic on %s; wanted a number%s"):format(kind == "nil" and kind or "a " .. kind,
          kind == "function" and ": u(0) is the element of a field, u(1) the next one" or ""))
      end
    end
    if parts_of(b) and events[op] then return getmetatable(b)[events[op]](a, b) end        -- also beside an array
    return plain[op](a, b)
  end

  function V.minus(run, v)
    if is_constant(v) and is_choice(v) then return merge(v.mask, V.minus(run, v.a), V.minus(run, v.b)) end
    if is_known(v) then return O.computed(function(x) return -x end, v) end
    v = settle(v, run)
    if not is_element(v) and type(v) ~= "number" and type(v) ~= "table" and type(v) ~= "cdata" then
      run:raise(("arithmetic on %s; wanted a number"):format(v == nil and v or "a " .. type(v)))
    end
    return -v
  end

  local function compare_vectors(run, op, a, b)
    if a.kind ~= b.kind then run:fail(("'%s' of a %s and a %s"):format(op, a.kind.name, b.kind.name)) end
    local all = true
    for k = 1, #a do all = V.both(all, V.compare(run, "==", a[k], b[k])) end
    return op == "==" and all or op ~= "==" and V.negate(all)
  end

  --- What a comparison gives: a boolean or a mask.
  function V.compare(run, op, a, b)
    local x, y = parts_of(a), parts_of(b)
    if x and y and (op == "==" or op == "~=") then
      if rawequal(a, b) then return op == "==" end
      return compare_vectors(run, op, x, y)
    end
    if is_choice(a) and not (is_choice(b) or is_element(b)) or is_choice(a) and not is_constant(a)
      and (kinds_of(a).boolean or kinds_of(a).none or kinds_of(a).other) then
      return combine(a.mask, V.compare(run, op, a.a, b), V.compare(run, op, a.b, b))
    elseif is_choice(b) and not (is_choice(a) or is_element(a)) or is_choice(b) and not is_constant(b)
      and (kinds_of(b).boolean or kinds_of(b).none or kinds_of(b).other) then
      return combine(b.mask, V.compare(run, op, a, b.a), V.compare(run, op, a, b.b))
    end
    a, b = settle(a, run, b), settle(b, run, a)
    if is_known(a) or is_known(b) then
      local number = is_known(a) and b or a              -- another kind of value differs from any number
      local other = not is_known(number) and not is_element(number) and type(number) ~= "number"
      if other and (op == "==" or op == "~=") then
        return op == "~="
      end
      if is_element(a) or is_element(b) then a, b = scalar(a), scalar(b) else a, b = value_of(a), value_of(b) end
    end
    if run.outside and type(a) == "table" and type(b) == "table" then run:fail "a comparison of tables" end
    if is_element(b) and not is_element(a) then
      local turned = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=" }
      a, b, op = b, a, turned[op] or op
    end
    local equality = op == "==" or op == "~="
    if not is_element(a) then
      if not equality and type(a) ~= type(b) then
        run:raise(("attempt to compare %s with %s"):format(type(a), type(b)))
      end
      return plain[op](a, b)
    end
    local boolean = is_mask(b) or type(b) == "boolean"
    if is_mask(a) ~= boolean and (boolean or is_element(b) or type(b) == "number" or type(b) == "cdata") then
      run:fail(("'%s' of a boolean and a number; %s"):format(op, BOOLEANS))
    end
    if boolean and not equality then run:fail(("'%s' of booleans; %s"):format(op, BOOLEANS)) end
    if is_element(b) or type(b) == "number" or type(b) == "cdata" then
      return comparisons[op](nil, nil, core.array_element(a), b)
    end
    if not equality then run:raise(("an element in a comparison with a %s; wanted a number"):format(type(b))) end
    if not boolean then return op == "~=" end
    if (op == "==") == b then return a end
    return negate(a)
  end

  return V
end
