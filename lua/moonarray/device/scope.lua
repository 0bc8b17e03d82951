--- `ma.scope` and `ma.iterate`: free arrays when a function ends, without waiting for the collector. Both are plain Lua
--- functions, unlike most, because a coroutine may yield inside of them.

return function(ma, core)
  local open, close, sweep = core.scope_open, core.scope_close, core.scope_sweep
  local callable = require("moonarray.common")(core).callable

  --- Ends the scope. The results stay, and so does the value of an error, which may hold arrays.
  local function leave(scope, ok, ...)
    close(scope, ...)
    if not ok then error((...), 0) end
    return ...
  end

  local function scope(fn, ...)
    callable("scope", "fn", fn)
    return leave(open(), pcall(fn, ...))
  end

  --- The next state: the results, then those values of the old state that no result replaces.
  local function carry(state, ...)
    local n = select("#", ...)
    for k = 1, n do state[k] = (select(k, ...)) end
    if n > state.n then state.n = n end
  end

  local function run(s, n, step, state)
    for _ = 1, n do
      carry(state, step(unpack(state, 1, state.n)))
      sweep(s, state)
    end
    return unpack(state, 1, state.n)
  end

  local function iterate_plainly(n, step, ...)
    local s = open(true)
    return leave(s, pcall(run, s, n, step, { n = select("#", ...), ... }))
  end
  core.iterate = iterate_plainly

  --- Whether a value is {keep_every = 10}, so that a state may be a table too.
  local function is_options(value)
    return type(value) == "table" and rawget(value, "keep_every") ~= nil and next(value, next(value)) == nil
  end

  local function check_every(options)
    local every = options.keep_every
    if type(every) == "number" and every >= 1 and every == math.floor(every) then return every end
    core.fail("iterate", "keep_every is " .. core.describe(every) .. "; wanted a whole number from 1 on")
  end

  local function iterate(n, step, ...)
    if type(n) ~= "number" or n ~= math.floor(n) or n < 0 then
      core.fail("iterate", "n is " .. core.describe(n) .. "; wanted a whole number, 0 or more")
    end
    callable("iterate", "step", step)
    local count, last = select("#", ...), (select(-1, nil, ...))
    if not is_options(last) then
      if core.is_recording() then return core.iterate_again(n, step, nil, ...) end
      return iterate_plainly(n, step, ...)
    end
    local every, state = check_every(last), { ... }
    if core.is_recording() then return core.iterate_again(n, step, every, unpack(state, 1, count - 1)) end
    return iterate_plainly(n, step, unpack(state, 1, count - 1))
  end

  --> scope: ma.scope(function() return ma.ones(2) + 1 end)
  core.def("scope(fn: function, ...) -> any ...",
    "Calls fn(...) and returns what it returns; every other array made inside is freed.",
    scope)
  --# functions
  --> iterate: ma.iterate(3, function(x) return x * 2 end, ma.ones(2))
  core.def("iterate(n: integer, step: function, ...) -> any ...",
    "Calls step(...) n times, each time with what it returned before, and returns the last; "
    .. "what a step leaves behind is freed. A derivative keeps about sqrt(n) of the states, and calls step again for "
    .. "the others; behind the state, {keep_every = 10} says that it keeps every tenth.", iterate)
  for name, fn in pairs { scope = scope, iterate = iterate } do
    rawset(ma, name, fn)
    rawset(ma.numpy, name, fn)
  end
end
