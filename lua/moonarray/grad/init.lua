--- Derivatives of functions of arrays. The function runs over its real arguments while a tape records its calls
--- (tape.lua); what flows back through each is in kernels/derivatives.def and rules.lua.

local sformat = require("moonarray.text").format
local nested = require "moonarray.nested"
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core)
  core.record()
  core.tape()
  local def, fail, place, is_array = core.def, core.fail, core.place, core.is_array
  local common = require "moonarray.common" (core)
  local tape = require "moonarray.grad.tape" (core)
  local rows = require "moonarray.grad.rows" (core, tape)
  local rules = require "moonarray.grad.rules" (core, tape, rows)
  local words = require "moonarray.grad.words" (core, rules, rows)
  core.grad_word = words.word_of
  core.set_handlers { {}, words.find, rows.row }
  require "moonarray.grad.again" (core, tape)
  require "moonarray.grad.custom" (ma, core, tape)

  -- ==== Arguments and results ========================================================================================

  --- Calls visit(array, path) for an argument or for all arrays in a table, and returns what it gives, likewise.
  local function each(name, number, value, visit)
    return nested.map(core, value, visit, function(path, said)
      fail(name, sformat("argument %d%s is %s", number, nested.text(path), said))
    end)
  end

  --- Makes an array one that is differentiated.
  local function begin(name, t, number, array, path)
    if not ma.issubdtype(array.dtype, "inexact") then
      fail(name, sformat("argument %d%s is %s; wanted floats: x:astype(\"float64\")", number, nested.text(path),
        core.describe(array)))
    end
    local id, at = place(array, true)
    t.known[id] = t.known[id] or at
    t.fixed[id] = true
  end

  local function pack(...) return select("#", ...), { ... } end

  --- Runs fn while a tape records, over arguments of which those numbered are differentiated. Returns the tape, the
  --- number of results, and the results.
  local function run(name, fn, numbers, ...)
    local given = { n = select("#", ...), ... }
    local t = tape.open()
    local ok, why = pcall(function()
      for _, number in ipairs(numbers) do
        each(name, number, given[number], function(array, path) begin(name, t, number, array, path) end)
      end
    end)
    local n, results = 2, { false, why }
    if ok then n, results = pack(core.record_calls(fn, unpack(given, 1, given.n))) end
    tape.close(t)
    if not results[1] then
      tape.finish(t)
      error(results[2], 0)
    end
    return t, n - 1, results
  end

  --- Raises an error if a result does not depend on an argument.
  local function check_known(name, t, what, y)
    if not is_array(y) then
      fail(name, sformat("%s is %s; wanted an array%s", what, core.describe(y), type(y) ~= "number" and "" or
        ": elements as numbers, such as y[1] and y:item(), leave what is differentiated (y[\"1:1\"] does not)"))
    end
    local id, at = place(y)
    if id and t.known[id] then return id, at end
    local cuts = table.concat(t.cuts, ", ")
    fail(name, sformat("%s does not depend on an argument%s", what,
      cuts == "" and ": no call that has a derivative leads to it" or "; these calls give constants: " .. cuts))
  end

  --- The derivatives of the arguments, in tables as these are. Each is an array of its own.
  local function collect(name, t, parts, numbers, given, taken)
    local found = {}
    for k, number in ipairs(numbers) do
      found[k] = each(name, number, given[number], function(array)
        local id, at = place(array)
        local g = tape.read(t, parts, id, at)
        if not g then return ma.zeros_like(array) end
        if taken[g] or g.base ~= nil then g = g:copy() end
        taken[g] = true
        return g
      end)
    end
    return found
  end

  local function numbers_of(name, argnums, fn)
    common.callable(name, "fn", fn)
    if argnums == nil then return { 1 } end
    local list = type(argnums) == "table" and argnums or { argnums }
    for _, number in ipairs(list) do common.whole(name, "argnums", number, 1) end
    if #list == 0 then fail(name, "argnums is empty; wanted the numbers of arguments from 1 on") end
    return list
  end

  -- ==== value_and_grad, grad =========================================================================================

  --- The derivatives of the value y by the arguments that are numbered.
  local function derivatives_of(name, t, y, numbers, given, check)
    local id, at = check_known(name, t, "what the function returns", y)
    if y.size ~= 1 then
      fail(name, sformat("the function returns %s; wanted one number: y:sum(), or ma.vjp", core.describe(y)))
    end
    if ma.issubdtype(y.dtype, "complexfloating") then
      fail(name, sformat("the function returns %s; wanted a real number: ma.abs(y), or ma.vjp", core.describe(y)))
    end
    local parts, one = {}, core.ones_later(y) or ma.ones_like(y)
    tape.add(t, parts, id, at, one)
    tape.backward(t, parts, check)
    return collect(name, t, parts, numbers, given, { [one] = true })
  end

  --- A function that returns the value, the derivatives, and further results of fn in a list behind its number.
  local function derived(name, fn, argnums, check)
    local numbers = numbers_of(name, argnums, fn)
    return function(...)
      local t, n, results = run(name, fn, numbers, ...)
      local y = results[2]
      local ok, found = pcall(derivatives_of, name, t, y, numbers, { ... }, check)
      tape.finish(t)
      if not ok then error(found, 0) end
      local g = found[1]
      if type(argnums) == "table" then g = found end
      return y, g, n, results
    end
  end

  --> value_and_grad(function(x) return (x * x):sum() end)(ma.array {1, 2, 3})
  def("value_and_grad(fn: function; argnums?: integer|integer[], check?: boolean) -> function",
    "A function that calls fn with its arguments and returns the value, which is one number, the derivative of it by "
    .. "argument `argnums` (the first), and further results of fn. A table of arrays has a table of derivatives; "
    .. "several argnums have a list. check = true: an error names the first call whose derivative is not finite.",
    function(fn, argnums, check)
      local call = derived("value_and_grad", fn, argnums, check)
      return function(...)
        local y, g, n, results = call(...)
        return y, g, unpack(results, 3, n + 1)
      end
    end)

  --> grad(function(x) return (x * x):sum() end)(ma.array {1, 2, 3})
  def("grad(fn: function; argnums?: integer|integer[], check?: boolean) -> function",
    "A function that returns the derivative of fn, whose value is one number, by argument `argnums` (the first), then "
    .. "the value and further results of fn: value_and_grad with the derivative first. The differences between "
    .. "neighbouring elements of an array are ma.gradient.",
    function(fn, argnums, check)
      local call = derived("grad", fn, argnums, check)
      return function(...)
        local y, g, n, results = call(...)
        return g, y, unpack(results, 3, n + 1)
      end
    end)

  -- ==== vjp ==========================================================================================================

  local Pull = {}
  Pull.__index = Pull

  --- Lets go of the records.
  function Pull.free(self)
    if self.tape then tape.finish(self.tape) end
    self.tape = nil
  end

  --- pull(g1, g2 ..., options): the derivatives of all arguments by what is given for each result.
  function Pull.__call(self, ...)
    local t = self.tape
    if not t then
      fail("vjp", "a pull that was used or freed; pull(g, {keep = true}) keeps it for another call")
    end
    local given, n = { ... }, select("#", ...)
    local options = n > #self.results and common.is_options(given[n]) and given[n] or {}
    local parts, taken = {}, {}
    for k, y in ipairs(self.results) do
      local g = given[k]
      if g == nil then fail("vjp", sformat("no derivative for result %d; wanted %s", k, core.describe(y))) end
      g = core.beside(g, nil, y)
      taken[g] = true
      if self.ids[k] then tape.add(t, parts, self.ids[k], self.places[k], ma.broadcast_to(g, y.shape)) end
    end
    tape.backward(t, parts)
    local found = collect("vjp", t, parts, self.numbers, self.given, taken)
    if not options.keep then self:free() end
    return unpack(found, 1, #self.numbers)
  end

  --> vjp: local y, pull = ma.vjp(function(x) return x * x end, ma.array {1, 2, 3})
  -->   return pull(ma.array {1, 10, 100})
  def("vjp(fn: function, ...) -> any ...",
    "Calls fn with the other arguments, arrays or tables of them, and returns its results, and behind them a function "
    .. "pull: pull(g) gives for each argument the derivative of the sum of g times the result. It takes an array for "
    .. "each result. It can be called once, or again after pull(g, {keep = true}); pull:free() lets go of its memory.",
    function(fn, ...)
      common.callable("vjp", "fn", fn)
      local numbers = {}
      for k = 1, select("#", ...) do numbers[k] = k end
      if #numbers == 0 then fail("vjp", "no arguments; wanted arrays") end
      local t, n, results = run("vjp", fn, numbers, ...)
      local pull = { tape = t, numbers = numbers, given = { ... }, results = {}, ids = {}, places = {} }
      local any = false
      for k = 1, n do
        local y = results[k + 1]
        pull.results[k] = y
        local id, at = place(y)
        if id and t.known[id] then pull.ids[k], pull.places[k], any = id, at, true end
      end
      if not any then check_known("vjp", t, "what the function returns", results[2]) end
      results[n + 2] = setmetatable(pull, Pull)
      return unpack(results, 2, n + 2)
    end)

  -- ==== jvp, jacobian ================================================================================================

  --- Such as what ma.grad makes, behind whose derivative the value comes.
  local function first_of(fn) return function(...) return (fn(...)) end end

  --> jvp: ma.jvp(function(x) return x * x end, {ma.array {1, 2, 3}}, {ma.array {1, 0, 10}})
  def("jvp(fn: function, args: array[], tangents: data[]) -> array, array",
    "Calls fn with the arguments of a list and returns its result, the first if it gives several, and how the result "
    .. "changes as the arguments change by the tangents: the derivative in that direction.",
    function(fn, args, tangents)
      common.callable("jvp", "fn", fn)
      if type(args) ~= "table" or is_array(args) or type(tangents) ~= "table" or #tangents ~= #args then
        fail("jvp", "args and tangents; wanted two lists of arrays of one length")
      end
      local y, pull = ma.vjp(first_of(fn), unpack(args))
      -- what flows back is linear in what it begins with, so its own derivative is the way forward
      local given = { ma.vjp(function(g) return pull(g, { keep = true }) end, ma.zeros_like(y)) }
      pull:free()
      local along = {}
      for k, t in ipairs(tangents) do along[k] = ma.broadcast_to(core.beside(t, nil, args[k]), args[k].shape) end
      return y, (given[#args + 1](unpack(along)))
    end)

  --> jacobian: ma.jacobian(function(x) return x * x end)(ma.array {1, 2, 3})
  def("jacobian(fn: function) -> function",
    "A function that returns the derivative of each element of the result of fn, the first if it gives several, by "
    .. "each element of its argument: the axes of the result, then those of the argument. jacobian(grad(fn)) is the "
    .. "matrix of second derivatives.", function(fn)
      common.callable("jacobian", "fn", fn)
      return function(x)
        local y, pull = ma.vjp(first_of(fn), x)
        if ma.issubdtype(y.dtype, "complexfloating") or ma.issubdtype(x.dtype, "complexfloating") then
          fail("jacobian", "complex values; wanted real ones")
        end
        local list, shape = {}, common.joined(y.shape, x.shape)
        for i = 1, y.size do
          local g = ma.zeros(y.size, { dtype = y.dtype, device = y.device })
          g[i] = 1
          list[i] = pull(g:reshape(y.shape), { keep = true })
        end
        pull:free()
        return ma.stack(list):reshape(shape)
      end
    end)

  -- ==== stop_gradient ================================================================================================

  --> stop_gradient(ma.array {1, 2})
  def("stop_gradient(x: data) -> array",
    "The array as a constant, in a function that is differentiated: a copy of one that depends on an argument, another "
    .. "one itself.", function(x)
      if not is_array(x) then return x end
      if not tape.is_known(x) then return x end
      return core.unrecorded(function() return x:copy() end)
    end)
end
