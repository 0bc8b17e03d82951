--- Statements of a function that is run for all elements at once. Both sides of a branch on elements run, one after the
--- other, from the same values of the variables, which are put together by selects behind it. Elements leave a loop or
--- a function by `break` and `return`; what they had then is noted with the path that led there, and an earlier way out
--- comes before a later one.

local MOST_REPETITIONS = 20000
local NONE = {}                          -- stands for nil

local draw_places, vector = require "moonarray.element.places", require "moonarray.vector"

return function(V, E)
  local S, O = {}, V.outside
  local eval, test = E.eval, E.test
  local block

  -- ==== Variables ==================================================================================================

  local function scoped(frame, fn, ...)
    local outer = frame.scope
    frame.scope = { cells = {}, outer = outer }
    local how = fn(...)
    frame.scope = outer
    return how
  end

  --- Declares name k of a node.
  local function declare(run, frame, name, value, node, k)
    local cell = { v = value, level = run.journal and run.journal.level or 0 }
    if V.declare then V.declare(run, frame, cell, name, value, node, k) end
    frame.scope.cells[name] = cell
    return cell
  end

  --- Sets a variable. A journal keeps what those that are older than its branch had before.
  local function set(run, cell, value)
    local journal = run.journal
    if journal and cell.level < journal.level and journal.old[cell] == nil then
      journal.old[cell] = cell.v == nil and NONE or cell.v
    end
    cell.v = value
  end

  local function open(run)
    run.journal = { outer = run.journal, level = run.journal and run.journal.level + 1 or 1, old = {} }
    return run.journal
  end

  --- Ends a branch: gives the variables their old values, and returns the new ones.
  local function close(run)
    local news = {}
    for cell, old in pairs(run.journal.old) do
      news[cell] = cell.v == nil and NONE or cell.v
      cell.v = old ~= NONE and old or nil
    end
    run.journal = run.journal.outer
    return news
  end

  local function value_in(values, cell)
    local v = values[cell]
    if v == nil then return cell.v end
    return v ~= NONE and v or nil
  end

  local function apply(run, values)
    for cell in pairs(values) do set(run, cell, value_in(values, cell)) end
  end

  --- Puts the variables of two branches together.
  local function join(run, mask, a, b)
    local cells = {}
    for cell in pairs(a) do cells[cell] = true end
    for cell in pairs(b) do cells[cell] = true end
    for cell in pairs(cells) do set(run, cell, V.merge(mask, value_in(a, cell), value_in(b, cell))) end
  end

  -- ==== Paths and ways out =========================================================================================

  --- The mask of the elements that go a path, from its part `from` on. `inside`: of those that are still in the loop.
  --- Those that left the function on the other side of a branch need no mask, as an earlier way out comes first; they
  --- are left out where `all` asks for it.
  local function along(path, from, inside, all)
    local mask = true
    while path ~= from do
      if from == nil and path.whole and not all then return V.both(path.whole, mask) end
      if not (inside and path.gone) and (all or not path.left) then mask = V.both(path.mask, mask) end
      path = path.outer
    end
    return mask
  end

  local function whole(path)
    if not path then return true end
    path.whole = path.whole or along(path, nil)
    return path.whole
  end

  --- The mask of the elements that a frame's function runs for, of all of those that the rule runs for.
  function S.mask(frame)
    if not frame then return true end
    return V.both(S.mask(frame.caller), along(frame.path, nil, false, true))
  end

  --- Notes a way out of a loop or a function: the path, and the variables from outside that were set since it began.
  local function note_exit(run, frame, of, values)
    local had, journal = {}, run.journal
    while journal and journal.level >= of.journal.level do
      for cell in pairs(journal.old) do
        if cell.level < of.journal.level and had[cell] == nil then had[cell] = cell.v == nil and NONE or cell.v end
      end
      journal = journal.outer
    end
    of.exits[#of.exits + 1] = { path = frame.path, had = had, values = values }
  end

  --- Ends the journal of a loop or a function, and gives each element the variables with which it left. `falls`: some
  --- elements came to its end.
  local function leave(run, of, falls)
    local last, exits = close(run), of.exits
    local n = #exits
    if not falls and n > 0 then last, n = exits[n].had, n - 1 end
    local cells = {}
    for cell in pairs(last) do cells[cell] = true end
    for k = 1, n do
      for cell in pairs(exits[k].had) do cells[cell] = true end
    end
    for cell in pairs(cells) do
      local value = value_in(last, cell)
      for k = n, 1, -1 do value = V.merge(along(exits[k].path, of.path, true), value_in(exits[k].had, cell), value) end
      set(run, cell, value)
    end
  end

  --- Runs two parts, each for the elements on its side of a mask. Returns how they end: "return" if all elements leave
  --- the function, "leave" if all leave it or the loop, nil else.
  local function split(run, frame, mask, first, second)
    local path, exits = frame.path, frame.loop and frame.loop.exits or {}
    local before = #exits
    open(run)
    frame.path = { mask = mask, outer = path }
    local how_first = first()
    local a = close(run)
    open(run)
    frame.path = { mask = V.negate(mask), outer = path, gone = how_first == "leave", left = how_first == "return" }
    local how_second = second and second()
    local b = close(run)
    frame.path = path
    if how_first and how_second then return how_first == "return" and how_second or "leave" end
    if how_first then apply(run, b) elseif how_second then apply(run, a) else join(run, mask, a, b) end
    local how = mask == true and how_first or mask == false and how_second
    if how and frame.loop then return how end
    if #exits > before then
      local gone = false
      for k = before + 1, #exits do gone = V.either(gone, along(exits[k].path, path)) end
      if gone ~= true then frame.path = { mask = V.negate(gone), outer = path, gone = true } end
    end
  end

  S.split = split

  -- ==== Statements =================================================================================================

  local kinds = {}

  local function set_outside(run, frame, target, value)
    if run:is_masked() then
      run:fail(("'%s' is from outside the function, and is set for some elements only"):format(target.name))
    end
    value = O.plain(run, V.settle(value, run))
    local k = E.outside(frame, target.name)
    O.assigned(run, k and frame.fn or E.globals(frame), k or target.name)
    if k then debug.setupvalue(frame.fn, k, value) else E.globals(frame)[target.name] = value end
  end

  --- Assigns to components of a vector. It is another one for the elements of a mask alone.
  local function set_components(run, object, key, value)
    if not vector.is_own(object) then run:fail "a component of a vector from outside the function is assigned to" end
    local places, new = vector.assigned(object, key, value)
    for k, place in ipairs(places) do vector.set(object, place, new[k], run:mask()) end
  end

  local function set_index(run, object, key, value)
    object, key = O.value(V.settle(object, run)), O.value(V.settle(key, run))
    if vector.parts(object) then return set_components(run, object, key, O.scalar(value)) end
    local mask = run:mask()
    if V.is_element(key) and type(object) == "table" then
      run:beyond "an element as an index; wanted a number of Lua's, since elements are not known yet"
    end
    if mask ~= true and type(object) == "table" then
      if not run.tables[object] then
        run:fail "a table from outside the function is written for some elements only"
      end
      value = V.merge(mask, value, object[key])
    elseif not run.tables[object] then
      value = O.plain(run, V.settle(value, run))
    end
    if not run.tables[object] then O.assigned(run, object, key) end
    if object == nil then run:raise "an assignment to a field of nil" end
    object[key] = value
  end

  local function assign(run, frame, target, value, at)
    local cell = target.kind == "name" and E.find(frame.scope, target.name)
    if cell then
      if V.assigned then value = V.assigned(run, cell, value) end
      set(run, cell, value)
    elseif target.kind == "name" then set_outside(run, frame, target, value)
    else set_index(run, at[1], at[2], value) end
  end

  function kinds.assign(run, frame, node)
    local places = {}
    for k, target in ipairs(node.targets) do
      places[k] = target.kind == "index" and { eval(run, frame, target.object), eval(run, frame, target.key) }
    end
    local values = E.list(run, frame, node.values)
    run.line = node.line
    for k, target in ipairs(node.targets) do assign(run, frame, target, values[k], places[k]) end
  end

  function kinds.local_(run, frame, node)
    local values = E.list(run, frame, node.values)
    for k, name in ipairs(node.names) do declare(run, frame, name, values[k], node, k) end
  end

  function kinds.local_function(run, frame, node)
    local cell = declare(run, frame, node.name, nil)
    cell.v = run.closure(run, frame, node.tree)
  end

  function kinds.call_(run, frame, node) E.multi(run, frame, node.call) end

  function kinds.do_(run, frame, node) return scoped(frame, block, run, frame, node.block) end

  local function branches(run, frame, node, k)
    if k > #node.tests then return node.otherwise and scoped(frame, block, run, frame, node.otherwise) end
    local mask = test(run, frame, node.tests[k])
    local function first() return scoped(frame, block, run, frame, node.blocks[k]) end
    if mask == true and not V.walks_all then return first() end
    if mask == false and not V.walks_all then return branches(run, frame, node, k + 1) end
    return split(run, frame, mask, first, function() return branches(run, frame, node, k + 1) end)
  end

  function kinds.if_(run, frame, node) return branches(run, frame, node, 1) end

  function kinds.return_(run, frame, node)
    local values = E.list(run, frame, node.values)
    values.line = node.line
    if V.returned then V.returned(run, frame, values) end
    note_exit(run, frame, frame, values)
    return "return"
  end

  function kinds.break_(run, frame)
    note_exit(run, frame, frame.loop, nil)
    return "leave"
  end

  -- ==== Loops ======================================================================================================

  --- Runs a loop: step() prepares a repetition and says whether there is one.
  local function loop(run, frame, node, step, after)
    local outer, path, how = frame.loop, frame.path, nil
    local at, turn = draw_places.here()
    local repetition = -1
    local this = { exits = {}, path = path, journal = open(run) }
    frame.loop = this
    while not how do
      run.repetitions, run.line, repetition = run.repetitions + 1, node.line, repetition + 1
      draw_places.back(at, draw_places.within(turn, repetition))
      if run.repetitions > MOST_REPETITIONS then
        run:beyond(("more than %d repetitions of loops, which are written out one after another"):format(
          MOST_REPETITIONS))
      end
      local ended = false
      how = scoped(frame, function()
        if not step() then
          ended = true
          return "end"
        end
        return block(run, frame, node.block) or after and after()
      end)
      if ended then how = nil break end
    end
    draw_places.back(at, turn)
    leave(run, this, not how)
    frame.loop, frame.path = outer, path
    if how == "return" and #this.exits == 0 then return "return" end
  end

  local function bound(run, frame, node, of)
    local value = O.value(eval(run, frame, node))
    if type(value) == "number" then return value end
    run.line = node.line
    if V.is_element(value) or V.is_choice(value) then
      run:beyond(("the %s of a loop is an element; wanted a number of Lua's. Write a constant, and `break` where an "
        .. "element has done"):format(of))
    end
    run:raise(("the %s of a loop is %s; wanted a number"):format(of, value == nil and "nil" or "a " .. type(value)))
  end

  function kinds.for_number(run, frame, node)
    local at, stop = bound(run, frame, node.start, "start"), bound(run, frame, node.stop, "end")
    local by = node.step and bound(run, frame, node.step, "step") or 1
    at = at - by
    return loop(run, frame, node, function()
      at = at + by
      if by > 0 and at > stop or by <= 0 and at < stop then return false end
      declare(run, frame, node.name, at)
      return true
    end)
  end

  function kinds.for_in(run, frame, node)
    local three = E.list(run, frame, node.values)
    local fn, state, control = three[1], three[2], three[3]
    return loop(run, frame, node, function()
      local values = run.call(run, fn, { n = 2, state, control })
      control = values[1]
      if control == nil then return false end
      for k, name in ipairs(node.names) do declare(run, frame, name, values[k]) end
      return true
    end)
  end

  local function decided(run, frame, node, line)
    local truth = test(run, frame, node)
    if type(truth) == "boolean" then return truth end
    run.line = line
    run:beyond("how often a loop runs depends on elements; write `for k = 1, n do`, with `break` where an element has "
      .. "done")
  end

  function kinds.while_(run, frame, node)
    return loop(run, frame, node, function() return decided(run, frame, node.test, node.line) end)
  end

  function kinds.repeat_(run, frame, node)
    local done = false
    return loop(run, frame, node, function() return not done end, function()
      done = decided(run, frame, node.test, node.test_line)
    end)
  end

  function block(run, frame, list)
    for _, node in ipairs(list) do
      run.line = node.line
      local how = kinds[node.kind](run, frame, node)
      if how then return how end
    end
  end

  -- ==== Functions ==================================================================================================

  --- Runs the body of a function, and returns a list of what it gives for the elements.
  function S.body(run, frame, tree, args)
    frame.scope = { cells = {}, outer = frame.scope }
    frame.exits, frame.journal = {}, open(run)
    for k, name in ipairs(tree.params) do declare(run, frame, name, args[k], tree, k).parameter = true end
    frame.more = { n = math.max(args.n - #tree.params, 0) }
    for k = 1, frame.more.n do frame.more[k] = args[#tree.params + k] end
    local falls = not block(run, frame, tree.block)
    leave(run, frame, falls)
    local exits = frame.exits
    if #exits == 0 then return { n = 0 } end
    local results, n = falls and { n = 0, line = tree.last } or exits[#exits].values, #exits
    if not falls then n = n - 1 end
    for k = n, 1, -1 do
      local values, mask = exits[k].values, whole(exits[k].path)
      if frame.is_rule and values.n ~= results.n then
        run.line = values.line
        run:fail(("%d result%s here and %s at line %d"):format(values.n, values.n == 1 and "" or "s",
          results.n == 0 and "none" or results.n, results.line))
      end
      local joined = { n = math.max(values.n, results.n), line = values.line }
      for j = 1, joined.n do joined[j] = V.merge(mask, values[j], results[j]) end
      results = joined
    end
    return results
  end

  -- ==== After an error =============================================================================================

  --- Whether the run is where only some of the elements are for which `frame` runs.
  function S.is_partial(run, frame)
    local inner = run.frame
    while inner and inner ~= frame do
      if inner.exits and #inner.exits > 0 or along(inner.path, nil, false, true) ~= true then return true end
      inner = inner.caller
    end
    return false
  end

  --- Ends the branches, loops and functions that began after a journal. Variables keep what was assigned to them.
  function S.unwind(run, journal)
    while run.journal ~= journal do apply(run, close(run)) end
  end

  S.kinds, S.loop, S.declare = kinds, loop, declare
  return S
end
