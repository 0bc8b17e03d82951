--- Functions whose records are not kept: the backward pass calls them again, over the same arguments, and records then.
--- ma.checkpoint(fn), and ma.iterate in a function that is differentiated. Records that read nothing hold no arrays.
--- Where all are such ones, as of steps of a linear stencil, they are kept, and nothing is called again.

local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local nested = require "moonarray.nested"
local LINE = require("moonarray.grad.record").LINE

return function(core, tape)
  local def, fail, place = core.def, core.fail, core.place
  local common = require "moonarray.common" (core)
  local MOST_KEPT = 10000                                  -- records of one function

  local function pack(...) return select("#", ...), { ... } end

  -- ==== Generators ===================================================================================================

  local drawing = common.kept "random"                     -- `watch` is told of each generator before it changes
  local STATE = 5                                          -- a generator is a list of so many values

  local function copy_state(from, to)
    for k = 1, STATE do to[k] = from[k] end
    return to
  end

  --- Calls fn, and returns what pcall gives, with the states of the generators that it changed as they were before.
  local function watched(fn, ...)
    local outer, states, global = drawing.watch, {}, drawing.global
    drawing.watch = function(rng)
      if not states[rng] then states[rng] = copy_state(rng, {}) end
      if outer then outer(rng) end
    end
    local t, n, results = tape.trial(fn, ...)
    drawing.watch = outer
    return t, n, results, { states = states, global = global }
  end

  --- Calls fn with generators as they were, which then are as they are now.
  local function rewound(before, fn, ...)
    local now, global = {}, drawing.global
    for rng, state in pairs(before.states) do
      now[rng] = copy_state(rng, {})
      copy_state(state, rng)
    end
    drawing.global = before.global or global
    local n, results = pack(pcall(fn, ...))
    for rng, state in pairs(now) do copy_state(state, rng) end
    drawing.global = global
    return n, results
  end

  -- ==== Calls ========================================================================================================

  --- The buffers of the results that depend on what was captured: their places, and of an array of each the path to it
  --- and its place.
  local function known_results(t, results)
    local places, paths, shown = {}, {}, {}
    nested.map(core, results, function(array, path)
      local id, at = place(array)
      if not id or places[id] or t.captured[id] then return end
      places[id] = rawget(t.known, id)
      if places[id] then paths[id], shown[id] = path, at end
    end)
    return places, paths, shown
  end

  --- Records a call of fn anew. Returns the tape and the results.
  local function record_again(call, captured, fn, args)
    local t = tape.open()
    for id, at in pairs(captured) do t.known[id], t.fixed[id] = at, true end
    local n, results = rewound(call.generators, function() return core.record_calls(fn, unpack(args, 1, args.n)) end)
    tape.close(t)
    if not results[1] then error(results[2], 0) end
    if not results[2] then error(results[3], 0) end
    return t, { unpack(results, 3, n) }
  end

  --- Moves what `parts` has for the results of the first call to those of the second.
  local function move(call, parts, again, results)
    local own = {}
    for id, path in pairs(call.paths) do
      local array = nested.at(results, path)
      local new, at = place(array)
      if not new or at ~= call.shown[id] or again.known[new] ~= call.places[id] then
        fail(call.name, sformat("the function gave another result when it was called again%s: %s; what it reads, and "
          .. "Lua values from outside, must be the same", call.where, core.describe(array)))
      end
      own[new], parts[id] = parts[id], nil
    end
    return own
  end

  --- What a record does in the backward pass.
  local function flow(call, t, parts, check)
    local scope = core.scope_open()
    local ok, why = pcall(function()
      local again, own = call.kept, {}
      if again then
        for id in pairs(call.places) do own[id], parts[id] = parts[id], nil end
      else
        local results
        again, results = record_again(call, call.captured, call.fn, call.args)
        own = move(call, parts, again, results)
      end
      tape.backward(again, own, check, function() core.scope_sweep(scope, { own, parts }) end)
      tape.finish(again)
      for id in pairs(call.captured) do
        if own[id] and t.known[id] then tape.add_entry(t, parts, id, own) end
      end
    end)
    core.scope_close(scope, parts)
    if not ok then error(why, 0) end
  end

  --- Calls fn, of which the backward pass keeps the arguments alone.
  local function call_again(name, fn, ...)
    if not core.is_recording() then return fn(...) end
    local args = { n = select("#", ...), ... }
    for k = 1, args.n do args[k] = nested.copy(args[k]) end
    local t, n, results, generators = watched(fn, ...)
    if not results[1] then error(results[2], 0) end
    local values = { unpack(results, 2, n) }
    local places, paths, shown = known_results(t, values)
    if next(places) then
      local call, inner, saved = { name = name, fn = fn, args = args, captured = t.captured, places = places,
        paths = paths, shown = shown, generators = generators }, {}, {}
      for id, at in pairs(t.known) do
        if not t.captured[id] and not places[id] then inner[id] = at end
      end
      if #t.records <= MOST_KEPT and next(t.saved) == nil then call.kept, call.args = t, nil
      else nested.map(core, args, function(array) saved[#saved + 1] = array end) end
      setmetatable(t.known, nil)
      local record = tape.note_jointly(name, t.captured, places, inner, saved,
        function(of, parts, check) flow(call, of, parts, check) end)
      call.where = record[LINE] == "" and "" or " at " .. record[LINE]:gsub(": $", "")
    end
    return unpack(results, 2, n)
  end

  --> checkpoint: local f = ma.checkpoint(function(x) return ma.tanh(x) ^ 2 end)
  -->   return ma.grad(function(x) return f(x):sum() end)(ma.array {1, 2})
  def("checkpoint(fn: function) -> function",
    "A function that calls fn, and of which a derivative keeps the arguments alone: fn is called again when the "
    .. "derivative is computed. Random numbers are the same then. What else fn does happens twice, and Lua values that "
    .. "it takes from outside must be the same.", function(fn)
      common.callable("checkpoint", "fn", fn)
      return function(...) return call_again("checkpoint", fn, ...) end
    end)

  --- ma.iterate in a function that is differentiated: each `every` steps are a function that is called again.
  function core.iterate_again(n, step, every, ...)
    every = every or math.max(1, math.floor(math.sqrt(n)))
    local done = 0
    local function steps(count, ...) return core.iterate(count, step, ...) end
    return core.iterate(math.ceil(n / every), function(...)
      local count = math.min(every, n - done)
      done = done + count
      return call_again("iterate", steps, count, ...)
    end, ...)
  end
end
