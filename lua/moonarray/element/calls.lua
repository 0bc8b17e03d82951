--- Calls in a function that is run for all elements at once: Lua's mathematics of elements, what may not be called
--- there, and the functions of the program, which follow the same rule.

local mathematics = require "moonarray.element.mathematics"
local places = require "moonarray.element.places"
local _, bytecode = pcall(require, "moonarray.element.bytecode")
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, V)
  local settle, is_element, is_choice = V.settle, V.is_element, V.is_choice
  local C, O = {}, V.outside

  local of_elements, forbidden, none = {}, {}, {}
  for name, own in pairs(mathematics.functions(ma)) do
    if math[name] then of_elements[math[name]] = own end
  end

  -- While a function is recorded, another function stands in its place, which draws for each element.
  local random = math.random
  core.math_random = random

  for library, names in pairs { os = "time clock date getenv execute remove rename exit tmpname",
      io = "open read write lines popen input output close tmpfile" } do
    for name in names:gmatch "%S+" do
      local fn = rawget(_G, library) and rawget(_G, library)[name]
      if fn then
        forbidden[fn] = { library .. "." .. name, "called",
          "call it before, and give what it gives as an argument or a field" }
      end
    end
  end

  forbidden[ma.time] = { "ma.time", "called", "call it before, and give what it gives as an argument or a field" }

  --- The functions of ma.jit that draw, if it was used.
  local function drawing() return rawget(core, "draw_functions") or none end

  local function is_device(fn) return type(fn) == "table" and core.jit and core.jit.language.devices[fn] end

  --- Whether a function is one that bytecode shows as a test: Lua's that would not know elements, such as print,
  --- and device functions, which only code that runs over its syntax tree calls.
  function C.is_watched(fn)
    return fn == random or fn == print or fn == assert or drawing()[fn] or of_elements[fn] ~= nil
      or forbidden[fn] ~= nil or is_device(fn) == true
  end

  --- Settles arguments in place; they are a list with its length `n`.
  local function settled(run, args)
    for k = 1, args.n do args[k] = settle(args[k], run) end
    return args
  end

  --- Whether an argument may be an element, or lead to one.
  local function concerns(args)
    for k = 1, args.n do
      local v = args[k]
      if is_choice(v) or is_element(v) or type(v) == "function" or type(v) == "table" then return true end
    end
    return false
  end

  local function packed(...) return { n = select("#", ...), ... } end

  --- A function that is called as it stands. An error in it has a place of its own.
  local function plainly(run, fn, args)
    run.plain = run.plain + 1
    local results = packed(fn(unpack(args, 1, args.n)))
    run.plain = run.plain - 1
    return results
  end

  local function is_draw(fn) return fn == math.random or drawing()[fn] end

  --- Whether a function draws. math.random may have another name, in whose place nothing stands.
  local function draws(fn)
    if not core.is_users(fn) then return false end
    local _, _, reached = core.taken(fn)
    for other in next, reached do
      if other == random or drawing()[other]
        or core.is_users(other) and type(bytecode) == "table" and bytecode.draws(other) then return true end
    end
    return false
  end

  --- Arguments for a function that is called as it stands. Functions among them that test elements follow the rule.
  local function followed(run, args, interpreted)
    for k = 1, args.n do
      local fn = args[k]
      if type(fn) == "function" and run.tests(fn) then
        args[k] = function(...)
          local results = settled(run, run:entered(interpreted, run, fn, packed(...)))
          for j = 1, results.n do results[j] = O.plain(run, results[j]) end
          return unpack(results, 1, results.n)
        end
        run.closures[args[k]] = { made = true }
      end
    end
  end

  --- What a function of Lua's mathematics gives for numbers, some of which change; nil if it does not get such ones.
  local function computed(fn, args)
    local known = false
    for k = 1, args.n do
      if O.is_known(args[k]) then known = true elseif type(args[k]) ~= "number" then return nil end
    end
    if not known then return nil end
    if args.n <= 2 then return packed(O.computed(fn, args[1], args[2])) end
    if fn ~= math.max and fn ~= math.min then return nil end
    local made = args[1]
    for k = 2, args.n do
      made = (O.is_known(made) or O.is_known(args[k])) and O.computed(fn, made, args[k]) or fn(made, args[k])
    end
    return packed(made)
  end

  --- What a field gives. An offset that is one of a few numbers for each element makes it one of a few neighbours.
  local function neighbour(run, fn, args)
    for k = 1, args.n do
      local choice = args[k]
      if is_choice(choice) and V.is_constant(choice) then
        local function at(offset)
          local list = { n = args.n, unpack(args, 1, args.n) }
          list[k] = offset
          return neighbour(run, fn, list)
        end
        return V.merge(choice.mask, at(choice.a), at(choice.b))
      end
    end
    for k = 1, settled(run, args).n do
      if is_element(args[k]) then run:beyond(("offset %d of a neighbour depends on elements"):format(k)) end
    end
    O.arguments(run, fn, args)
    return fn(unpack(args, 1, args.n))
  end

  --- What `type` gives: elements are the numbers or booleans that they stand for.
  local function type_of(v)
    if O.is_known(v) then return "number" end
    return is_element(v) and (V.is_mask(v) and "boolean" or "number") or type(v)
  end

  --- Lua's `error`. Level 1 is the line that runs, and other levels are taken for it.
  local function raise(run, args)
    if run:is_masked() then run:fail("error in a branch that only some elements take; all branches run") end
    local message, level = settled(run, args)[1], args[2]
    if type(message) == "string" then
      if level ~= 0 then message = ("%s:%d: %s"):format(run.chunk, run.line, message) end
      run.placed = message
    end
    error(O.plain(run, message), 0)
  end

  --- Lua's `pcall` and `xpcall`.
  local function protected(run, fn, args, interpreted)
    local first = fn == pcall and 2 or 3
    local done, results = run:protected(C.call, run, args[1], { n = math.max(args.n - first + 1, 0),
      unpack(args, first, args.n) }, interpreted)
    if done then return packed(true, unpack(results, 1, results.n)) end
    if run.refusal then
      run.placed = run.refusal
      error(run.refusal, 0)
    end
    if fn == pcall then return packed(false, results) end
    results = C.call(run, args[2], { n = 1, results }, interpreted)
    return packed(false, unpack(results, 1, results.n))
  end

  --- Calls a value. Arguments and results are lists with their lengths `n`.
  function C.call(run, fn, args, interpreted)
    if is_choice(fn) then run:fail("a call of what differs from element to element; wanted one function") end
    if fn == random then fn = math.random end
    if is_device(fn) then fn = fn.fn or fn end
    if forbidden[fn] then
      run:fail(("%s, which would be %s once for all calls; %s"):format(unpack(forbidden[fn])))
    end
    if fn == rawequal and (V.is_element(args[1]) or V.is_element(args[2])) then
      run:fail "rawequal sees no elements; write =="
    end
    if fn == assert and (V.is_element(args[1]) or is_choice(args[1])) then
      run:fail("assert of an element; it would have to hold for all of them, and an element that is a number is "
        .. "always true")
    end
    if fn == error then raise(run, args) end
    if fn == type and args.n > 0 then return packed(type_of(settled(run, args)[1])) end
    -- A number of an array from outside is its element, so that each call sees what it is then.
    if args.n == 1 and V.is_array(args[1]) and (fn == args[1].item or fn == ma.item) then
      local only = V.only(args[1])
      if not rawequal(only, args[1]) then return packed(only) end
    end
    if fn == pcall or fn == xpcall then return protected(run, fn, args, interpreted) end
    local own = of_elements[fn]
    if own then
      for k = 1, args.n do
        if is_choice(args[k]) or is_element(args[k]) then
          settled(run, args)
          for j = 1, args.n do args[j] = O.scalar(args[j]) end
          return packed(own(unpack(args, 1, args.n)))
        end
      end
      local results = computed(fn, args)
      if results then return results end
    end
    if run.readers[fn] then return packed(neighbour(run, fn, args)) end
    if type(fn) == "function" then
      local results = (concerns(args) or draws(fn) or run.outside) and interpreted(run, fn, args)
      if results then return results end
      followed(run, settled(run, args), interpreted)
      O.arguments(run, fn, args)
      if core.is_users(fn) then return plainly(run, fn, args) end
      if is_draw(fn) then core.draw_at(places.of_draw()) end
      return packed(fn(unpack(args, 1, args.n)))
    end
    if V.is_array(fn) then return packed(V.at(run, fn, run:list(args))) end    -- a(i, j) is a[{i, j}]
    settled(run, args)
    O.arguments(run, fn, args)
    if not (type(fn) == "table" or type(fn) == "userdata" or type(fn) == "cdata") then
      run:raise(("attempt to call a %s value"):format(type(fn)))
    end
    return packed(fn(unpack(args, 1, args.n)))
  end

  return C
end
