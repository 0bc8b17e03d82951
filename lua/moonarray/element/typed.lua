--- Numbers of a function that is run for all elements at once with the types of ma.jit: a program is made of it that
--- gives the dtypes and the bits of the kernel that the translator prints. They stand in for what value.lua has, whose
--- masks and choices serve here too.
---
--- A number has a dtype and may be weak, as in lua/moonarray/jit/value.lua, and is one of: `known`, a number of Lua's,
--- which is `literal` if it is a constant for the translator too; `node`, an element; `choice`, one of two by a mask.

local value = require "moonarray.jit.value"
local types = require "moonarray.jit.types"

local floor, abs = math.floor, math.abs
local Number = {}

return function(ma, core, V)
  local element_dtype, is_choice, is_mask, fold = core.element_dtype, V.is_choice, V.is_mask, V.operators
  local T = setmetatable({ walks_all = true, branches = 0 }, { __index = V })
  local select_ = core.operation "where"

  local function is_number(v) return getmetatable(v) == Number end

  T.is_number = is_number

  local function made(fields) return setmetatable(fields, Number) end

  --- Ends the run: the function is no program, and stays a kernel.
  function T.refuse(text) error({ unsayable = text }, 0) end
  local refuse = T.refuse

  local function check(dtype)
    if not dtype or types.is_complex(dtype) or dtype == "bool" then refuse("a number of dtype " .. tostring(dtype)) end
    return dtype
  end

  function T.literal(number, weak)
    return made { dtype = value.default[weak], weak = weak, known = number, literal = true }
  end
  local literal = T.literal

  --- A number that is known, of a dtype; rounded to it.
  function T.known(number, dtype)
    if types.is_integer(dtype) then
      if number ~= floor(number) or abs(number) > 2 ^ 53 or not types.holds(dtype, number) then
        refuse "a number that its dtype does not hold"
      end
    elseif dtype ~= "float64" then
      number = ma.array({ number }, { dtype = dtype }):item()
    end
    return made { dtype = dtype, known = number }
  end

  function T.of_node(node, dtype, weak) return made { dtype = check(dtype), weak = weak, node = node } end

  --- Widens the common type of what may be chosen by one of it.
  local function join_leaf(v, joined)
    local number = T.number(v)
    if joined.dtype then
      joined.dtype, joined.weak = value.join(joined, number)
    else
      joined.dtype, joined.weak = number.dtype, number.weak
    end
  end

  --- Any value as a number.
  function T.number(v)
    if is_number(v) then
      if not v.slot then return v end
      if not v.slot.dtype then refuse "a variable before it has a value" end
      return made { dtype = v.slot.dtype, known = 0 }
    end
    local kind = type(v)
    if kind == "number" then
      return literal(v, value.weak_of(v))
    elseif kind == "cdata" and types.of_cdata(v) and abs(tonumber(v)) < 2 ^ 53 then
      return literal(tonumber(v), "int")
    elseif is_choice(v) then
      if not v.typed then
        local joined = {}
        V.each_leaf(v, join_leaf, joined)
        v.typed = made { dtype = joined.dtype, weak = joined.weak, choice = v }
      end
      return v.typed
    elseif kind == "userdata" and not is_mask(v) then
      local dtype, weak = element_dtype(v)
      if weak then return made { dtype = value.default[weak], weak = weak, node = v } end
      if dtype then return T.of_node(v, dtype) end
    end
    refuse(("%s in place of a number"):format(kind))
  end
  local number = T.number

  local cast

  --- A choice in a dtype. Of constants alone it has that dtype at once.
  local function choose(v, dtype)
    if not is_choice(v) then return cast(number(v), dtype) end
    local key = "to " .. dtype
    if v.made[key] == nil then
      local a, b = choose(v.a, dtype), choose(v.b, dtype)
      v.made[key] = (type(a) == "number" and a == b and (a ~= 0 or 1 / a == 1 / b)) and a
        or select_(nil, dtype, nil, v.mask, a, b)
    end
    return v.made[key]
  end

  --- A number as an operand of a dtype: an element, or a number of Lua's that the dtype holds.
  function cast(v, dtype)
    if v.known then
      if dtype == v.dtype and not v.weak then return v.known end
      if types.is_integer(dtype) and not (v.weak and v.known == floor(v.known) and types.holds(dtype, v.known)) then
        if v.weak then refuse "a number that its dtype does not hold" end
        local into = types.is_integer(v.dtype) and types.holds(dtype, v.known)
        return into and v.known or refuse "a number that is converted"
      end
      return T.known(v.known, dtype).known
    end
    if v.choice then
      if v.weak then return choose(v.choice, dtype) end
      local whole = choose(v.choice, v.dtype)
      if dtype == v.dtype then return whole end
      if type(whole) == "number" then return cast(made { dtype = v.dtype, known = whole }, dtype) end
      return whole:astype(dtype)
    end
    if v.weak or v.dtype == dtype then return v.node end
    v.casts = v.casts or {}
    v.casts[dtype] = v.casts[dtype] or v.node:astype(dtype)
    return v.casts[dtype]
  end
  T.cast = cast

  --- An element of a dtype, also of what is no element. T.always is a mask of the run.
  function T.element(v, dtype)
    local operand = cast(v, dtype)
    if V.dtype(operand) == dtype then return operand end
    return select_(nil, dtype, nil, T.always, operand, operand)
  end

  -- ==== Choices ====================================================================================================

  local function is_boolean(v)
    while is_choice(v) do v = v.a end
    return type(v) == "boolean" or is_mask(v)
  end

  local function is_numeric(v)
    while is_choice(v) do v = v.a end
    return is_number(v) or type(v) == "number" or V.is_element(v) and not is_mask(v)
  end

  --- A mask that is a boolean leaves one side, whose type the other one widens.
  function T.merge(m, a, b)
    if type(m) ~= "boolean" then
      T.branches = T.branches + 1
      return V.merge(m, a, b)
    end
    local kept, other = b, a
    if m then kept, other = a, b end
    if is_numeric(kept) and is_boolean(other) or is_boolean(kept) and is_numeric(other) then
      refuse "a constant condition beside a number"
    end
    if not (is_numeric(kept) and is_numeric(other)) then return kept end
    local x, y = number(kept), number(other)
    local dtype, weak = value.join(m and x or y, m and y or x)
    if dtype == x.dtype and weak == x.weak then return kept end
    return T.converted(x, dtype, weak)
  end

  --- A number in another dtype.
  function T.converted(v, dtype, weak)
    if weak then
      if not v.known then refuse "a number that stays weak" end
      return made { dtype = dtype, weak = weak, known = v.known, constant = v.literal or v.constant }
    end
    if v.choice and (v.weak or v.dtype == dtype) then return made { dtype = dtype, choice = v.choice } end
    local operand = cast(v, dtype)
    if type(operand) == "number" then
      local known = T.known(operand, dtype)
      known.constant = v.literal or v.constant
      return known
    end
    return T.of_node(V.dtype(operand) and operand or select_(nil, dtype, nil, T.always, operand, operand), dtype)
  end

  --- Refuses a value that may be a constant which a dtype lacks.
  function T.check_constants(v, dtype)
    if V.is_choice(v) then return V.each_leaf(v, T.check_constants, dtype) end
    if type(v) == "number" then v = number(v) end
    if not is_number(v) then return end
    if v.choice then return T.check_constants(v.choice, dtype) end
    local misfit = (v.literal or v.constant) and value.is_whole(v.known) and not types.holds(dtype, v.known)
    if misfit then refuse(types.misfit(dtype, v.known)) end
  end

  --- A value as it is used: choices of numbers become one number, those of booleans a mask.
  function T.settle(v)
    if not is_choice(v) then return v end
    if is_boolean(v) then return T.mask(v) end
    return number(v)
  end

  --- The mask of a value that must be a boolean.
  function T.mask(v)
    if is_choice(v) then
      T.mask(v.a)
      T.mask(v.b)
    elseif type(v) ~= "boolean" and not is_mask(v) then
      refuse "a number among booleans"
    end
    return (V.truth(v))
  end

  function T.truth(v) return (V.truth(v)) end

  -- ==== Variables ==================================================================================================

  local held = { ["function"] = true, table = true, userdata = true, string = true }

  local function slot_of(frame, node, k)
    local list = frame.slots[node] or {}
    frame.slots[node] = list
    list[k] = list[k] or {}
    return list[k]
  end

  --- Widens the type of a variable for a value, as the translator does. A type that was used before is found again by
  --- another run.
  local function widen(run, slot, v)
    local old = slot.dtype
    if is_boolean(v) or old == "bool" then
      if old and (old == "bool") ~= is_boolean(v) then refuse "a boolean beside a number" end
      slot.dtype = "bool"
      return T.mask(v)
    end
    v = number(v)
    if not old then
      slot.dtype = v.dtype
    else
      local dtype = value.join({ dtype = old }, v)
      if v.literal and types.is_integer(dtype) and not types.holds(dtype, v.known) then
        dtype = types.promote(dtype, v.dtype)
      end
      slot.dtype = dtype
      run.changed = run.changed or dtype ~= old
    end
    return T.converted(v, slot.dtype)
  end

  --- Gives a new variable its value. Constants that are not assigned to stay constants, and parameters stay weak.
  function T.declare(run, frame, cell, name, v, node, k)
    if v == nil then
      cell.slot = slot_of(frame, node, k)
      cell.v = made { slot = cell.slot }
      return
    end
    local is_known = type(v) == "boolean" or type(v) == "number" or is_number(v) and v.literal
    if not frame.assigned[name] and (is_known or node == frame.tree)
      or held[type(v)] and not (is_numeric(v) or is_boolean(v)) then
      return
    end
    cell.slot = slot_of(frame, node, k)
    cell.v = widen(run, cell.slot, v)
  end

  function T.assigned(run, cell, v)
    if not cell.slot then refuse "an assignment to a constant" end
    return widen(run, cell.slot, v)
  end

  --- Widens the types of a function's results. They stay weak while only constants are returned.
  function T.returned(run, frame, values)
    local results = frame.results
    if results.n and results.n ~= values.n then refuse "results of another number" end
    results.n = values.n
    for k = 1, values.n do
      local result, v = results[k] or {}, values[k]
      results[k] = result
      if is_boolean(v) or result.dtype == "bool" then
        widen({}, result, v)
      else
        local dtype, weak = number(v).dtype, number(v).weak
        if result.dtype then dtype, weak = value.join(result, number(v)) end
        if result.dtype and (dtype ~= result.dtype or weak ~= result.weak) then run.changed = true end
        result.dtype, result.weak = dtype, weak
      end
    end
  end

  --- The results of a call in their types; none of them is a constant any more.
  function T.results(frame, values)
    for k = 1, values.n do
      local result = frame.results[k]
      if not result then refuse "a way without a result" end
      if result.dtype == "bool" then
        values[k] = T.mask(values[k])
      else
        local v = number(values[k])
        if v.literal or v.dtype ~= result.dtype or v.weak ~= result.weak then
          v = T.converted(v, result.dtype, result.weak)
        end
        values[k] = v
      end
    end
    return values
  end

  -- ==== Operators ==================================================================================================

  --- What is known of an operation on known numbers of a dtype.
  local function known_of(op, x, y, dtype)
    local r
    if op == "%" and types.is_integer(dtype) and y == 0 then r = 0
    elseif op == "%" and not types.is_integer(dtype) then r = x - floor(x / y) * y
    else r = fold[op](x, y) end
    if op == "^" and dtype ~= "float64" then refuse "a power that is known" end
    return T.known(r, dtype)
  end

  --- Lua's remainder of floats, in Lua's own steps.
  local function modulo(x, y, dtype)
    local wide = types.is_half(dtype) and "float32" or dtype
    local function widened(v) return wide ~= dtype and type(v) ~= "number" and v:astype(wide) or v end
    x, y = widened(x), widened(y)
    local r = x - ma.floor(x / y) * y
    return wide ~= dtype and r:astype(dtype) or r
  end

  local function power(x, y, exponent)
    if exponent == 1 then return x end
    if exponent == 2 then return x * x end
    if exponent == 0.5 then refuse "a root as a power" end
    T.inexact = true
    return x ^ y
  end

  function T.arithmetic(_, op, a, b)
    if op == ".." then refuse "texts" end
    a, b = number(a), number(b)
    if a.literal and b.literal then
      local r = fold[op](a.known, b.known)
      local whole = a.weak == "int" and b.weak == "int" and value.is_whole(r) and op ~= "/"
      return literal(r, whole and "int" or "float")
    end
    local dtype, weak = value.join(a, b)
    if (op == "/" or op == "^") and types.is_integer(dtype) then dtype, weak = "float64", weak and "float" end
    check(dtype)
    if weak then
      if a.choice or b.choice or op == "%" or op == "^" or a.known and b.known then refuse "weak numbers" end
      local x, y = a.known or a.node, b.known or b.node
      return made { dtype = dtype, weak = weak, node = fold[op](x, y) }
    end
    local x, y = cast(a, dtype), cast(b, dtype)
    if type(x) == "number" and type(y) == "number" then return known_of(op, x, y, dtype) end
    if not V.dtype(x) and not V.dtype(y) then refuse "arguments that get a dtype" end
    local node
    if op == "%" and not types.is_integer(dtype) then node = modulo(x, y, dtype)
    elseif op == "^" then node = power(x, y, b.literal and b.known)
    else node = fold[op](x, y) end
    if V.dtype(node) ~= dtype then refuse "an operation of another dtype" end
    return T.of_node(node, dtype)
  end

  function T.minus(_, v)
    v = number(v)
    local c = v.literal and v.known
    if c then return literal(-c, c ~= 0 and value.is_whole(-c) and v.weak or "float") end
    if v.known then return T.known(v.known == 0 and types.is_integer(v.dtype) and 0 or -v.known, v.dtype) end
    if v.weak then
      if v.choice then refuse "weak numbers" end
      return made { dtype = v.dtype, weak = v.weak, node = -v.node }
    end
    return T.of_node(-cast(v, v.dtype), v.dtype)
  end

  --- The dtype in which two numbers are compared: a constant that the other's dtype lacks keeps its own, and weak whole
  --- arguments are compared in int64, whatever they are.
  local function compared(a, b)
    local dtype = value.join(a, b)
    for _, v in ipairs { a, b } do
      if v.literal and types.is_integer(dtype) and not types.holds(dtype, v.known) then
        dtype = types.promote(dtype, v.known >= 2 ^ 63 and "uint64" or "int64")
      end
    end
    local asks = a.weak == "int" and not a.known or b.weak == "int" and not b.known
    if asks and types.is_integer(dtype) and dtype ~= "uint64" then dtype = "int64" end
    return check(dtype)
  end

  function T.compare(run, op, a, b)
    if is_boolean(a) ~= is_boolean(b) then refuse "a boolean beside a number" end
    if is_boolean(a) then
      if op ~= "==" and op ~= "~=" then refuse "booleans that are compared" end
      return V.compare(run, op, T.mask(a), T.mask(b))
    end
    a, b = number(a), number(b)
    local dtype = compared(a, b)
    local x, y = cast(a, dtype), cast(b, dtype)
    if type(x) ~= "number" and type(y) ~= "number" and not V.dtype(x) and not V.dtype(y) then
      refuse "arguments that get a dtype"
    end
    return V.compare(run, op, x, y)
  end

  return T
end
