--- Functions of ma.vectorize, jit.elementwisekernel and ndimage.generic_filter as programs: they run over their syntax
--- tree with the types of ma.jit (typed.lua), so that dtypes and bits are those of the kernels that the translator
--- prints. Where that is not possible the run ends with { unsayable = why }, and the function stays a kernel.

local sformat = require("moonarray.text").format

local MOST_PASSES = 20                   -- until the types of variables no longer change

return function(ma, core)
  local V = require "moonarray.element.value" (core)
  local T = require "moonarray.element.typed" (ma, core, V)
  local call_builtin = require "moonarray.element.builtins" (ma, core, T)
  local places, random = require "moonarray.element.places", require "moonarray.jit.random"
  local source, assigned_names = require "moonarray.jit.source", require "moonarray.jit.function".assigned_names
  local taken, types = require "moonarray.captures.kernel", require "moonarray.jit.types"
  local value = require "moonarray.jit.value"
  local refuse, number = T.refuse, T.number
  local select_ = core.operation "where"
  local C = {}
  local E = require "moonarray.element.expression" (T, C)
  local S = require "moonarray.element.statement" (T, E)
  local language, environment = core.jit.language, core.jit.environment

  -- ==== Names ======================================================================================================

  --- Looks up the names of a function, those of the language last. What is found outside is noted.
  local function names_of(run, outside)
    return function(name)
      local found = outside(name)
      run.reads[#run.reads + 1] = taken.read(outside, nil, name, found)
      if found ~= nil then return core.array_element(found) end
      local known = language.names[name]
      return known and (known.constant or known.lua or known) or nil
    end
  end

  -- ==== Expressions ================================================================================================

  local kinds = E.kinds

  function kinds.number(_, _, node)
    if node.integer then refuse "a 64-bit integer" end
    return T.literal(node.value, not node.is_float and value.is_whole(node.value) and "int" or "float")
  end

  function kinds.string(_, _, node) return node.value end
  kinds.boolean = kinds.string

  function kinds.table() refuse "a table" end
  function kinds.vararg() refuse "..." end

  local function known(v) return T.is_number(v) and number(v).known or v end

  function kinds.index(run, frame, node)
    local object, key = T.settle(E.eval(run, frame, node.object)), known(T.settle(E.eval(run, frame, node.key)))
    if run.windows[object] then
      local v = object[key]
      if type(key) ~= "number" or v == nil then refuse "a place that the window lacks" end
      return v
    end
    if type(object) ~= "table" or T.is_number(object) or type(key) ~= "string" then refuse "an index" end
    if object ~= ma and object ~= math then
      run.reads[#run.reads + 1] = taken.read(nil, object, key, object[key])
    end
    return core.array_element(object[key])
  end

  local unary = kinds.unary

  function kinds.unary(run, frame, node)
    if node.op ~= "#" then return unary(run, frame, node) end
    local object = E.eval(run, frame, node.a)
    if not run.windows[object] then refuse "the length of what is no window" end
    return T.literal(#object, "int")
  end

  -- ==== Statements =================================================================================================

  local assign = S.kinds.assign

  function S.kinds.assign(run, frame, node)
    for _, target in ipairs(node.targets) do
      if target.kind ~= "name" or not E.find(frame.scope, target.name) then refuse "an assignment to no local" end
    end
    return assign(run, frame, node)
  end

  function S.kinds.local_function(run, frame, node)
    S.declare(run, frame, node.name, run.closure(run, frame, node.tree), node, 1)
  end

  local function is_whole(v) return v.weak == "int" or not v.weak and types.is_integer(v.dtype) end

  function S.kinds.for_number(run, frame, node)
    local start, stop = number(E.eval(run, frame, node.start)), number(E.eval(run, frame, node.stop))
    local step = node.step and number(E.eval(run, frame, node.step)) or T.literal(1, "int")
    local at, last, by = start.known, stop.known, step.known
    if not (at and last and by) then refuse "a loop whose bounds depend on elements" end
    if by == 0 or by ~= by then refuse "a step of 0" end
    local dtype = is_whole(start) and is_whole(step) and "int64" or "float64"
    at = at - by
    return S.loop(run, frame, node, function()
      at = at + by
      if not (by > 0 and at <= last or by < 0 and at >= last) then return false end
      S.declare(run, frame, node.name, T.known(at, dtype), node, 1)
      return true
    end)
  end

  function S.kinds.for_in() refuse "for ... in" end

  -- ==== Runs =======================================================================================================

  local Run = {}
  Run.__index = Run

  function Run:fail(text) refuse(("line %d: %s"):format(self.line or 0, text)) end
  Run.beyond, Run.raise = Run.fail, Run.fail
  function Run:branch(frame, mask, part) S.split(self, frame, mask, function() part() end) end

  --- The types of arguments as text.
  local function signature(run, args)
    local parts = {}
    for k = 1, args.n do
      local v = args[k]
      if T.is_number(v) then
        parts[k] = v.literal and sformat("%s %.17g", v.weak, v.known) or v.dtype .. " " .. tostring(v.weak)
      elseif T.is_mask(v) then parts[k] = "bool"
      elseif run.windows[v] then parts[k] = "window"
      else parts[k] = tostring(v) end
    end
    return table.concat(parts, ",")
  end

  local assigned = setmetatable({}, { __mode = "k" })

  --- Runs a function, { tree, outside, scope }, for arguments that are settled.
  local function apply(run, of, args)
    local tree = of.tree
    if run.running[tree] then refuse "a function that calls itself" end
    if args.n ~= #tree.params then refuse "arguments of another number" end
    assigned[tree] = assigned[tree] or assigned_names(tree.block, {})
    local known_types = run.types[tree] or {}
    run.types[tree] = known_types
    local key = signature(run, args)
    known_types[key] = known_types[key] or { slots = {}, results = {} }
    local outer, line = run.frame, run.line
    run.running[tree] = true
    run.frame = { tree = tree, scope = of.scope, outside = of.outside, is_rule = true,
      assigned = assigned[tree], slots = known_types[key].slots, results = known_types[key].results }
    local results = T.results(run.frame, S.body(run, run.frame, tree, args))
    run.running[tree] = nil
    run.frame, run.line = outer, line
    return results
  end

  function Run.closure(run, frame, tree)
    local function made() end
    run.closures[made] = { tree = tree, outside = frame.outside, scope = frame.scope }
    return made
  end

  --- A function that is called: one inside, a device function, or one of the program's, which is read.
  local function called(run, fn)
    if run.closures[fn] then return run.closures[fn] end
    if language.devices[fn] then return { tree = fn.tree, outside = names_of(run, fn.outside) } end
    if not core.is_users(fn) then refuse "a function that only Lua has" end
    run.read[fn] = run.read[fn] or { tree = source.of_function(fn, refuse), outside = names_of(run, environment(fn)) }
    return run.read[fn]
  end

  function C.call(run, fn, args)
    for k = 1, args.n do
      local v = T.settle(args[k])
      if type(v) == "number" then v = number(v) end
      args[k] = v
    end
    local builtin = fn == math.random and random.math or language.values[fn]
    if builtin then return { n = 1, call_builtin(builtin, args) } end
    return apply(run, called(run, fn), args)
  end

  -- ==== The rule ===================================================================================================

  --- An argument in the dtype that is declared for it, if one is.
  local function argument(v, dtype)
    if T.is_mask(v) then return (dtype or "bool") == "bool" and v or refuse "a boolean for a number" end
    if dtype == "bool" then refuse "a number for a boolean" end
    return dtype and T.converted(number(v), dtype) or number(v)
  end

  --- The arguments as the function gets them: the first ones may be those of a window. `dtypes`: declared ones.
  local function given(run, list, window, dtypes)
    local args = { n = 0 }
    local function add(v)
      args.n = args.n + 1
      args[args.n] = v
    end
    if window then
      local elements = {}
      for k = 1, window do elements[k] = number(list[k]) end
      run.windows[elements] = true
      add(elements)
    end
    for k = (window or 0) + 1, list.n do add(argument(list[k], dtypes[k])) end
    return args
  end

  --- A mask of the elements: all of them.
  local function always_of(list)
    for k = 1, list.n do
      local dtype = T.dtype(list[k])
      if dtype then return core.operation "equal" (nil, nil, nil, list[k], list[k]) end
    end
    refuse "no arrays"
  end

  --- What the program gives: elements, of declared dtypes.
  local function finish(results, dtypes)
    if results.n == 0 or dtypes and #dtypes ~= results.n then refuse "results of another number" end
    for k = 1, results.n do
      local v = results[k]
      if dtypes and types.is_integer(dtypes[k]) then T.check_constants(v, dtypes[k]) end
      if type(v) == "boolean" then v = select_(nil, "bool", nil, T.always, v, v) end
      v = T.is_number(v) and T.element(v, v.dtype) or v
      results[k] = dtypes and dtypes[k] ~= T.dtype(v) and v:astype(dtypes[k]) or v
    end
    return results
  end

  local function program_of(kernel, list, window)
    local slots, dtypes, outputs = {}, {}, nil
    local at, turn = places.here()
    if kernel.resolve then dtypes, outputs = kernel.resolve(list) end
    T.branches, T.inexact, T.draws, T.always, T.first = 0, false, false, always_of(list), nil
    for k = list.n, 1, -1 do                             -- the dtype of the first argument that is no number
      local dtype, weak = core.element_dtype(list[k])
      if not weak then T.first = dtypes[k] or dtype or T.first end
    end
    for _ = 1, MOST_PASSES do
      local run = setmetatable({ repetitions = 0, closures = {}, tables = {}, types = slots, running = {},
        windows = {}, read = {}, reads = {}, changed = false }, Run)
      places.back(at, turn)
      local results = apply(run, { tree = kernel.tree, outside = names_of(run, kernel.outside) },
        given(run, list, window, dtypes))
      if not run.changed then
        return finish(results, outputs), { branches = T.branches, inexact = T.inexact, draws = T.draws,
          reads = run.reads }
      end
    end
    refuse "types that do not settle"
  end

  --- Runs a function that was read, { tree, outside }, for elements. kernel.resolve(list), if there is one, gives the
  --- declared dtypes of arguments and of results. `window`: how many of them are its first argument.
  --- Returns a list of results with its length `n`, and what they are made by: { branches, inexact, draws, reads }.
  function core.kernel_program(kernel, list, window)
    local at, turn = places.here()
    places.begin()
    local done, results, how = pcall(program_of, kernel, list, window)
    places.back(at, turn)
    if not done then error(results, 0) end
    return results, how
  end
end
