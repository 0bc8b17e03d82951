--- Expressions of a function that is run for all elements at once, over its syntax tree.

local places = require "moonarray.element.places"

local load_text = rawget(_G, "loadstring") or load

return function(V, C)
  local E, O = {}, V.outside
  local eval, test

  -- ==== Names ======================================================================================================

  --- The variable of a name in the text, or nil for one from outside.
  local function find(scope, name)
    while scope do
      local cell = scope.cells[name]
      if cell then return cell end
      scope = scope.outer
    end
  end

  E.find = find

  --- The upvalues of the function whose text runs, by name.
  local function upvalues(fn)
    local list, k = {}, 1
    while true do
      local name = debug.getupvalue(fn, k)
      if not name then return list end
      list[name], k = k, k + 1
    end
  end

  --- Its number among the upvalues, or nil for a global.
  function E.outside(frame, name)
    frame.upvalues = frame.upvalues or upvalues(frame.fn)
    return frame.upvalues[name]
  end

  function E.globals(frame) return (debug.getfenv or function() return _G end)(frame.fn) end

  local kinds = {}

  function kinds.name(run, frame, node)
    local cell = find(frame.scope, node.name)
    if cell then return cell.v end
    if frame.outside then return frame.outside(node.name) end
    local k = E.outside(frame, node.name)
    if k then
      local _, v = debug.getupvalue(frame.fn, k)
      return O.upvalue(run, frame.fn, k, v)
    end
    local globals = E.globals(frame)
    return O.field(run, globals, node.name, globals[node.name])
  end

  -- ==== Values =====================================================================================================

  function kinds.number(_, _, node)
    if node.integer then return load_text("return " .. node.value .. (node.integer == "int64" and "LL" or "ULL"))() end
    return node.value
  end

  kinds.string, kinds.boolean = kinds.number, kinds.number

  function kinds.nil_() return nil end

  function kinds.paren(run, frame, node) return eval(run, frame, node.inner) end

  function kinds.vararg(_, frame) return frame.more[1] end

  function kinds.function_(run, frame, node) return run.closure(run, frame, node.tree) end

  function kinds.table(run, frame, node)
    local list, n = {}, 0
    for k, item in ipairs(node.items) do
      local key = node.keys and node.keys[k]
      if key then
        list[O.value(V.settle(eval(run, frame, key), run))] = eval(run, frame, item)
      elseif k == #node.items then
        local values = E.multi(run, frame, item)
        for j = 1, values.n do list[n + j] = values[j] end
      else
        n = n + 1
        list[n] = eval(run, frame, item)
      end
    end
    run.tables[list] = true
    return list
  end

  local function index(run, node, object, key)
    object, key = O.value(V.settle(object, run)), O.value(V.settle(key, run))
    if object == nil or type(object) == "boolean" or type(object) == "number" or type(object) == "function" then
      local name = node.object.kind == "name" and (" '%s'"):format(node.object.name) or ""
      run:raise(("an index of%s, %s%s"):format(name, object == nil and "nil" or "a " .. type(object),
        type(object) == "function" and "; a field is read by a call with an offset for each axis: u(0) is the "
          .. "element, u(1) the next one" or ""))
    end
    if V.is_element(key) and type(object) == "table" then
      run:beyond("an element as an index; wanted a number of Lua's, since elements are not known yet")
    end
    if run.tables[object] then return object[key] end
    if type(object) == "userdata" then return V.at(run, object, key) end
    return O.field(run, object, key, object[key])
  end

  function kinds.index(run, frame, node)
    local object, key = eval(run, frame, node.object), eval(run, frame, node.key)
    run.line = node.line
    return index(run, node, object, key)
  end

  -- ==== Operators ==================================================================================================

  --- Runs a part of an expression for the elements of a mask.
  local function under(run, frame, mask, node)
    local value
    run:branch(frame, mask, function() value = eval(run, frame, node) end)
    return value
  end

  local comparisons = { ["=="] = true, ["~="] = true, ["<"] = true, ["<="] = true, [">"] = true, [">="] = true }

  local function logical(run, frame, node)
    local a = eval(run, frame, node.a)
    local mask, is_and = V.truth(a), node.op == "and"
    if type(mask) == "boolean" and not (V.walks_all and type(a) == "boolean") then
      if mask == is_and then return eval(run, frame, node.b) end
      return a
    end
    local b = under(run, frame, is_and and mask or V.negate(mask), node.b)
    if is_and then return V.merge(mask, b, V.when_false(a)) end
    return V.merge(mask, V.when_true(a), b)
  end

  function kinds.binary(run, frame, node)
    if node.op == "and" or node.op == "or" then return logical(run, frame, node) end
    local a, b = eval(run, frame, node.a), eval(run, frame, node.b)
    run.line = node.line
    if comparisons[node.op] then return V.compare(run, node.op, a, b) end
    return V.arithmetic(run, node.op, a, b)
  end

  function kinds.unary(run, frame, node)
    if node.op == "not" then return V.negate(test(run, frame, node.a)) end
    local a = eval(run, frame, node.a)
    run.line = node.line
    if node.op == "-" then return V.minus(run, a) end
    return #O.value(V.settle(a, run))
  end

  --- The truth of a condition: a boolean or a mask. An element that is a number is always true in Lua, which nobody
  --- means, but for a parameter that may have been left out.
  function test(run, frame, node)
    if node.kind == "paren" then return test(run, frame, node.inner) end
    if node.kind == "unary" and node.op == "not" then return V.negate(test(run, frame, node.a)) end
    if node.kind == "binary" and (node.op == "and" or node.op == "or") then
      local a, is_and, b = test(run, frame, node.a), node.op == "and", nil
      if a == is_and then return test(run, frame, node.b) end
      if type(a) == "boolean" then return a end
      run:branch(frame, is_and and a or V.negate(a), function() b = test(run, frame, node.b) end)
      return (is_and and V.both or V.either)(a, b)
    end
    local truth, number = V.truth(eval(run, frame, node))
    local cell = number and node.kind == "name" and find(frame.scope, node.name)
    if number and not (cell and cell.parameter) then
      run.line = node.line
      run:fail "a number as a condition, and a number is always true in Lua; write a comparison, such as x ~= 0"
    end
    return truth
  end

  E.test = test

  -- ==== Calls and lists ============================================================================================

  --- A program prints no elements, and nothing in a branch of theirs.
  local function refuse_print(run, frame, args)
    if frame.outside or find(frame.scope, "print") or E.outside(frame, "print") then return end
    local per_element = run:is_masked()
    for k = 1, args.n do per_element = per_element or V.is_element(args[k]) or V.is_choice(args[k]) end
    if per_element then run:beyond "'print' of an element" end
  end

  --- The values of a call or of `...`, a list with its length `n`; of another expression one.
  function E.multi(run, frame, node)
    if node.kind == "vararg" then return frame.more end
    if node.kind ~= "call" then return { n = 1, (eval(run, frame, node)) } end
    local fn, args, first
    if node.fn.kind == "method" then
      first = V.settle(eval(run, frame, node.fn.object), run)
      run.line = node.line
      fn = index(run, node.fn, first, node.fn.name)
    else
      fn = eval(run, frame, node.fn)
    end
    args = E.list(run, frame, node.args, first)
    run.line = node.line
    if node.fn.kind == "name" and node.fn.name == "print" then refuse_print(run, frame, args) end
    if fn == nil then
      local name = node.fn.name or node.fn.key and node.fn.key.value
      run:raise(("a call of %s, which is nil"):format(type(name) == "string" and "'" .. name .. "'" or "a value"))
    end
    return places.call(node, C.call, run, fn, args, run.interpreted)
  end

  function kinds.call(run, frame, node) return E.multi(run, frame, node)[1] end

  --- The values of a list of expressions, the last of which may have several.
  function E.list(run, frame, nodes, first)
    local list = first == nil and { n = 0 } or { n = 1, first }
    for k, node in ipairs(nodes) do
      if k < #nodes then
        list.n = list.n + 1
        list[list.n] = eval(run, frame, node)
      else
        local values = E.multi(run, frame, node)
        for j = 1, values.n do list[list.n + j] = values[j] end
        list.n = list.n + values.n
      end
    end
    return list
  end

  function eval(run, frame, node) return kinds[node.kind](run, frame, node) end

  E.eval, E.kinds = eval, kinds
  return E
end
