--- Numbers from outside that change, in a function that runs over its syntax tree. Such a number is a Known here: its
--- value, and how a call finds it again. Lua's arithmetic and mathematics of Knowns give Knowns. Where one meets an
--- element, it becomes a scalar of the program. Where Lua needs its value (a test, an index, the bound of a loop, a
--- function that is called as it stands), the value is taken, and the number is watched: another one is another
--- program.
---
--- A Known is in variables, choices, and tables of the run alone. What leaves them goes through `plain` or `scalar`.

local holders = require "moonarray.captures.holders"

local put, has, holder_of = holders.put, holders.has, holders.holder_of

local Known = {}
Known.__index = Known

return function(core, V)
  local O = {}

  function O.is_known(v) return type(v) == "table" and getmetatable(v) == Known end
  local is_known = O.is_known

  -- ==== Sources ====================================================================================================

  --- What a recording notes. `changing`: the keys of holders whose numbers have changed.
  function O.begin(changing)
    return { changing = changing, watched = {}, scalars = {}, sources = {}, known = {} }
  end

  local function reader(holder, key)
    return function()
      local v = holders.value(holder, key)
      return type(v) == "number" and v or nil
    end
  end

  --- A value that the function takes from a holder: a Known, if it is a number that changes.
  local function take(outside, holder, key, v)
    if type(v) ~= "number" or not has(outside.changing, holder, key) then return v end
    local of = outside.known[holder] or {}
    outside.known[holder] = of
    if not of[key] then
      local known = setmetatable({ outside = outside, value = v, holder = holder, key = key,
        get = reader(holder, key) }, Known)
      known.sources = { known }
      outside.sources[#outside.sources + 1] = known
      of[key] = known
    end
    of[key].value = v
    return of[key]
  end

  function O.upvalue(run, fn, k, v)
    if run.outside then return take(run.outside, fn, k, v) end
    return v
  end

  function O.field(run, object, key, v)
    if not run.outside or type(v) ~= "number" or type(object) ~= "table" then return v end
    local holder = holder_of(object, key)
    return type(holder) == "table" and take(run.outside, holder, key, v) or v
  end

  -- ==== Uses =======================================================================================================

  --- The value itself, which is watched then.
  local function value_of(known)
    for _, source in ipairs(known.sources) do put(known.outside.watched, source.holder, source.key) end
    return known.value
  end

  --- A scalar of the program for a Known; anything else as it is.
  function O.scalar(v)
    if not is_known(v) then return v end
    if not v.element then
      local scalars = v.outside.scalars
      v.element = core.outside_element(v.value, #scalars)
      scalars[#scalars + 1] = v
    end
    return v.element
  end

  function O.value(v) return is_known(v) and value_of(v) or v end

  --- A Known of what a function of Lua's gives for numbers, some of which are Knowns.
  function O.computed(fn, a, b)
    local known, sources, seen = is_known(a) and a or b, {}, {}
    for k = 1, 2 do
      local v = k == 1 and a or b
      for _, source in ipairs(is_known(v) and v.sources or {}) do
        if not seen[source] then
          seen[source] = true
          sources[#sources + 1] = source
        end
      end
    end
    local function getter(v) return is_known(v) and v.get or function() return v end end
    local get_a, get_b = getter(a), getter(b)
    local get, made
    local x, y = is_known(a) and a.value or a, is_known(b) and b.value or b
    if b == nil then                                     -- a function may count its arguments
      made = fn(x)
      function get()
        local now = get_a()
        return now and fn(now)
      end
    else
      made = fn(x, y)
      function get()
        local first, second = get_a(), get_b()
        return first and second and fn(first, second)
      end
    end
    return setmetatable({ outside = known.outside, value = made, get = get, sources = sources }, Known)
  end

  -- ==== What Lua code sees that is called as it stands =============================================================

  local function watch(run, v)
    local list, again = core.reached(v)
    if again then run:fail "more than can be watched" end
    for k = 1, #list, 3 do put(run.outside.watched, list[k], list[k + 1]) end
  end

  --- A field or a variable from outside is set. A number that changes would be another one for the call than before.
  function O.assigned(run, holder, key)
    if run.outside and has(run.outside.changing, holder, key) then run:fail "a number that changes is set" end
  end

  --- A value for such code: numbers are themselves, also those in tables of the run, and what the code may read through
  --- the value is watched.
  function O.plain(run, v)
    if not run.outside then return v end
    if is_known(v) then return value_of(v) end
    if type(v) == "table" and run.tables[v] then
      run.tables[v] = nil
      for key, item in next, v do v[key] = O.plain(run, item) end
    elseif (type(v) == "function" and not run.closures[v] and core.is_users(v))
      or type(v) == "table" and not V.is_choice(v) or type(v) == "userdata" and not V.is_element(v) then
      watch(run, v)
    end
    return v
  end

  --- Arguments for a function that is called as it stands, in place. The library's own get elements for Knowns.
  function O.arguments(run, fn, args)
    if not run.outside then return end
    local own = core.is_own(fn) and not run.readers[fn]
    for k = 1, args.n do
      if own and is_known(args[k]) then args[k] = O.scalar(args[k]) else args[k] = O.plain(run, args[k]) end
    end
    if not own then O.plain(run, fn) end
  end

  -- ==== The end of a recording =====================================================================================

  --- Splits what a function takes from outside (init.lua): the list of what is watched, or nil; that of the numbers
  --- that are scalars, with a holder and a key or a function and false by turns; and how many are arguments of the
  --- program. The others must be numbers.
  function core.part_numbers(outside, list)
    local rest, numbers = {}, {}
    for k = 1, list and #list or 0, 3 do
      local holder, key, value = list[k], list[k + 1], list[k + 2]
      local known = outside.known[holder] and outside.known[holder][key]
      if has(outside.watched, holder, key) or not known or type(value) ~= "number" then
        local n = #rest
        if value == list then value = rest end
        rest[n + 1], rest[n + 2], rest[n + 3] = holder, key, value
      end
    end
    for _, known in ipairs(outside.scalars) do
      numbers[#numbers + 1] = known.holder or known.get
      numbers[#numbers + 1] = known.holder and known.key or false
    end
    for _, known in ipairs(outside.sources) do
      numbers[#numbers + 1], numbers[#numbers + 2] = known.holder, known.key
    end
    return rest[1] ~= nil and rest or nil, numbers, #outside.scalars
  end

  --- Notes in an object's environment which numbers of a list are others than before.
  function core.note_changes(list, env)
    if env.changing == false then return end
    for k = 1, #list, 3 do
      local holder, key, before = list[k], list[k + 1], list[k + 2]
      local now = type(before) == "number" and holders.value(holder, key)
      if type(now) == "number" and holders.differ(now, before) then
        env.changing = env.changing or holders.weak_set()
        put(env.changing, holder, key)
      end
    end
  end

  return O
end
