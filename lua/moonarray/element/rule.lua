--- Which form a function of elements takes. One without a test on elements is recorded as it runs. One that branches,
--- or that calls a function that does, becomes a function of the same parameters which runs over its syntax tree, with
--- elements as values: `if`, `and`, `or` and `==` on elements are selects there, and loops are written out. The core
--- records that one in its place, so what comes out is an ordinary program.

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local places = require "moonarray.element.places"
local source = require "moonarray.jit.source"
local vector = require "moonarray.vector"

local MOST_CALLS = 100                   -- calls within each other

return function(ma, core)
  local found, bytecode = pcall(require, "moonarray.element.bytecode")
  if not found or type(bytecode) ~= "table" then bytecode = nil end
  local V = require "moonarray.element.value" (core)
  local C = require "moonarray.element.calls" (ma, core, V)
  local E = require "moonarray.element.expression" (V, C)
  local S = require "moonarray.element.statement" (V, E)
  local own = debug and debug.getinfo and debug.getinfo(1, "S").source:match "^(.*)element[/\\]rule%.lua$"

  --- Whether a function is the program's own, in Lua.
  local function is_users(fn)
    if type(fn) ~= "function" or not own then return false end
    local info = debug.getinfo(fn, "S")
    return info.what ~= "C" and info.source:sub(1, #own) ~= own
  end

  core.is_users = is_users

  local state = debug and debug.getupvalue and select(2, debug.getupvalue(core.operation, 1))

  --- Whether a function is the library's.
  function core.is_own(fn)
    if type(fn) ~= "function" or not own then return false end
    local info = debug.getinfo(fn, "S")
    if info.what ~= "C" then return info.source:sub(1, #own) == own end
    local _, first = debug.getupvalue(fn, 1)
    return first ~= nil and first == state
  end

  --- Whether a function may test elements.
  local function tests(fn, fields)
    if not bytecode then return true end
    if bytecode.tests(fn, fields) then return true end
    local list, _, reached, full = core.taken(fn)
    local arrays = false                                 -- which it may read at positions
    for k = 3, list and #list or 0, 3 do arrays = arrays or core.is_array(list[k]) end
    for other in next, reached do
      if C.is_watched(other) or other ~= fn and is_users(other) and bytecode.tests(other, false)
        or arrays and is_users(other) and bytecode.indexes(other, core.is_array) then
        return true
      end
    end
    return full
  end

  -- ==== Runs =======================================================================================================

  local Run = {}
  Run.__index = Run

  --- Raises an error about a function that is recorded as it is, and can be right all the same, beyond selects.
  function core.beyond(message)
    core.beyond_rule = message
    error(message, 0)
  end

  --- Raises an error at the line of the function that runs. The function can be right all the same, beyond selects.
  function Run:beyond(text)
    self.is_beyond = true
    self:fail(text)
  end

  --- Raises an error at the line of the function that runs, such as Lua itself would raise there.
  function Run:raise(text)
    self.placed = ("%s:%d: moonarray.%s: %s"):format(self.chunk, self.line, self.name, text)
    error(self.placed, 0)
  end

  --- Refuses the function at its line that runs, also where it would catch an error of Lua's.
  function Run:fail(text)
    self.refusal = ("%s:%d: moonarray.%s: %s"):format(self.chunk, self.line, self.name, text)
    self.placed = self.refusal
    error(self.refusal, 0)
  end

  --- A list of arguments as a table of the run's.
  function Run:list(args)
    args.n, self.tables[args] = nil, true
    return args
  end

  --- The mask of the elements that are there.
  function Run:mask() return S.mask(self.frame) end

  function Run:is_masked() return self:mask() ~= true end

  function Run:branch(frame, mask, part)
    S.split(self, frame, mask, function() part() end)
  end

  local trees = setmetatable({}, { __mode = "k" })       -- of functions: a tree, or why there is none

  --- The syntax tree of a function, or nil and why it has none.
  local function tree_of(fn)
    if trees[fn] == nil then
      local done, tree = pcall(source.of_function, fn, function(text) error(text, 0) end, nil, true)
      trees[fn] = done and tree or (tostring(tree):gsub("; give the kernel's source as a string", ""))
    end
    local tree = trees[fn]
    if type(tree) == "table" then return tree end
    return nil, tree
  end

  --- Where an error that has no place in the function's text happened.
  local function placed(run, message)
    if type(message) ~= "string" or run.placed == message or run.plain > 0 then return message end
    local text = message:match "^[^\n]-:%d+: (.*)$" or message
    if V.inside then text = text:gsub("^moonarray%.?[%w_.]*:", "moonarray." .. run.name .. ":") end
    V.inside = false
    if not text:find "^moonarray" then text = ("moonarray.%s: %s"):format(run.name, text) end
    return ("%s:%d: %s"):format(run.chunk, run.line, text)
  end

  --- Calls f as pcall does. Where it fails, the run is again where it was before, and the second result is the error
  --- with its place. An error for some elements only is a refusal, since all of them would catch it.
  function Run:protected(f, ...)
    local chunk, line, frame, calls, plain = self.chunk, self.line, self.frame, self.calls, self.plain
    local journal, at, turn = self.journal, places.here()
    local done, results = pcall(f, ...)
    if done then return true, results end
    results, V.inside = placed(self, results), false
    if not self.refusal and S.is_partial(self, frame) then
      self.refusal = ("%s:%d: moonarray.%s: an error for some elements only, which pcall catches; all branches run")
        :format(self.chunk, self.line, self.name)
    end
    S.unwind(self, journal)
    self.chunk, self.line, self.frame, self.calls, self.plain = chunk, line, frame, calls, plain
    places.back(at, turn)
    return false, results
  end

  --- Calls f(...) for a function that is called as it stands, and may catch what is raised.
  function Run:entered(f, ...)
    local done, results = self:protected(places.call, nil, f, ...)
    if done then return results end
    if type(results) == "string" then self.placed = results end
    error(results, 0)
  end

  --- Runs a tree for arguments; `fn` has its upvalues, `scope` its variables if the tree is inside another one.
  local function apply(run, tree, fn, scope, args, is_rule)
    if run.calls == MOST_CALLS then run:fail(("more than %d calls within each other"):format(MOST_CALLS)) end
    local before = { run.chunk, run.line, run.frame }
    run.calls, run.chunk, run.line = run.calls + 1, tree.chunk, tree.line
    run.frame = { fn = fn, scope = scope, caller = run.frame, is_rule = is_rule }
    local results = S.body(run, run.frame, tree, args)
    run.calls, run.chunk, run.line, run.frame = run.calls - 1, before[1], before[2], before[3]
    return results
  end

  function Run.closure(run, frame, tree)
    local scope, fn = frame.scope, frame.fn
    local function made(...)
      local results = run:entered(apply, run, tree, fn, scope, { n = select("#", ...), ... })
      for k = 1, results.n do results[k] = V.outside.plain(run, V.settle(results[k], run)) end
      return unpack(results, 1, results.n)
    end
    run.closures[made] = { tree = tree, fn = fn, scope = scope }
    return made
  end

  --- Runs a function of the program over its tree, if it may test elements. Returns nil if it is to be called.
  function Run.interpreted(run, fn, args)
    local closure = run.closures[fn]
    if closure and closure.tree then return apply(run, closure.tree, closure.fn, closure.scope, args) end
    if not is_users(fn) or not (run.outside or tests(fn, false)) then return nil end
    local tree, why = tree_of(fn)
    if tree then return apply(run, tree, fn, nil, args) end
    if run.outside and not tests(fn, false) then return nil end
    if bytecode and bytecode.search(fn, false) then
      run:fail("a function that tests elements, whose text is out of reach: " .. why)
    end
    return nil
  end

  --- Whether `interpreted` runs a function over its tree.
  function Run.tests(fn) return is_users(fn) and tests(fn, false) and tree_of(fn) ~= nil end

  Run.call = function(run, fn, args) return C.call(run, fn, args, run.interpreted) end

  --- The results of a rule: elements, or numbers that are the same for all of them.
  local function finish(run, results)
    run.line = results.line or run.line
    for k = 1, results.n do
      results[k] = V.outside.scalar(V.settle(results[k], run))
      vector.refuse_result(results[k], function(text) run:fail(text) end)
    end
    return results
  end

  local function first_dtype(args)
    for k = 1, args.n do
      local dtype = V.dtype(args[k]) or core.struct_dtype and core.struct_dtype(args[k])
      if dtype then return dtype end
    end
  end

  --- The form of a function for ma.`name`: nil if it is recorded as it is, else the function to record. `fields`: its
  --- parameters are called to get elements, and the form has the dtype of the first field before them. `changing`:
  --- numbers from outside that are scalars (captures/element.lua); then the second result is what the form notes.
  function core.element_rule(name, fn, fields, changing)
    if not is_users(fn) or not (changing or tests(fn, fields)) then return nil end
    local tree, why = tree_of(fn)
    local outside = tree and changing and V.outside.begin(changing)
    if changing and not tree then return nil end
    if not tree then
      local place, what
      if bytecode then place, what = bytecode.search(fn, fields) end
      if place then
        error(("%s: moonarray.%s: %s, in a function whose text is out of reach: %s"):format(place, name,
          what == "math.random" and what or what .. " of an element", why), 0)
      end
      return nil
    end
    local function form(...)
      local args = { n = select("#", ...), ... }
      local run = setmetatable({ name = name, outside = outside, readers = {}, chunk = tree.chunk, line = tree.line,
        plain = 0, calls = 0, repetitions = 0, closures = {}, tables = setmetatable({}, { __mode = "k" }) }, Run)
      if fields then
        run.dtype = table.remove(args, 1)
        args.n = args.n - 1
        for k = 1, args.n do
          run.readers[args[k]] = true
          if core.struct_dtype then core.struct_dtype(args[k], run.readers) end
        end
      else
        run.dtype = first_dtype(args)
      end
      local before, at, turn = vector.enter(run), places.here()
      places.begin()
      local done, results = pcall(function() return finish(run, apply(run, tree, fn, nil, args, true)) end)
      vector.enter(before)
      places.back(at, turn)
      if not done or run.refusal then
        local message = not done and placed(run, results) or run.refusal
        core.beyond_rule = run.is_beyond and message or nil
        error(message, 0)
      end
      return unpack(results, 1, results.n)
    end
    return form, outside
  end
end
