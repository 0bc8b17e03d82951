--- Functions whose derivative the user says: ma.custom_vjp, by what flows back, and ma.custom_jvp, by what flows along.

local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, tape)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  --- The result of fn for the arguments: an array of its own, so that it is none of the arguments.
  local function alone(name, given, fn)
    for k = 1, given.n do
      if not is_array(given[k]) and tape.any_known(given[k]) then
        fail(name, sformat("argument %d is a table of arrays that are differentiated; wanted arrays", k))
      end
    end
    local y, captured = tape.alone(given, fn)
    if not is_array(y) or not ma.issubdtype(y.dtype, "floating") then
      fail(name, sformat("fn gave %s; wanted an array of floats", core.describe(y)))
    end
    if captured then
      fail(name, "what fn gave depends on a differentiated array that is no argument of fn; make it one")
    end
    return tape.is_known(y) and core.unrecorded(function() return y:copy() end) or y
  end

  --- A function that calls fn. flows_of(g, y, given) gives what flows to each argument.
  local function custom(name, fn, other, flows_of)
    common.callable(name, "fn", fn)
    common.callable(name, flows_of.argument, other)
    return function(...)
      if not tape.any_known(...) then return fn(...) end
      local given = { n = select("#", ...), ... }
      local y, saved = alone(name, given, fn), {}
      saved[1] = y
      for k = 1, given.n do if is_array(given[k]) then saved[#saved + 1] = given[k] end end
      return tape.note(name, given, y, function(g, k, record)
        record.flows = record.flows or flows_of.call(other, g, y, given)
        return flows_of.check(record.flows[k], given, k)
      end, saved)
    end
  end

  --- What `back` gave for argument k, as an array of the argument's shape.
  local function check_flow(c, given, k)
    local x = given[k]
    local ok, found = pcall(function() return ma.broadcast_to(core.beside(c, nil, x), x.shape) end)
    if c == nil or not ok then
      fail("custom_vjp", sformat("back gave %s for argument %d; wanted the derivative by it, for %s", core.describe(c),
        k, core.describe(x)))
    end
    return found
  end

  local BACK = { argument = "back", check = check_flow,
    call = function(back, g, y, given) return { back(g, y, unpack(given, 1, given.n)) } end }

  --> custom_vjp: local f = ma.custom_vjp(function(x) return x * x end, function(g, y, x) return 2 * g * x end)
  -->   return ma.grad(function(x) return f(x):sum() end)(ma.array {1, 2})
  def("custom_vjp(fn: function, back: function) -> function",
    "A function that calls fn, whose derivative is what back says: back(g, y, ...) gives for each argument the "
    .. "derivative, where g is that by the result y. What fn does is not recorded.",
    function(fn, back) return custom("custom_vjp", fn, back, BACK) end)

  --- What flows back through a function that is linear in its tangents: its own derivative by them.
  local function transposed(along, g, y, given)
    local numbers, zeros = {}, {}
    for k = 1, given.n do
      if is_array(given[k]) and ma.issubdtype(given[k].dtype, "inexact") then
        numbers[#numbers + 1], zeros[#zeros + 1] = k, ma.zeros_like(given[k])
      end
    end
    local change, pull = ma.vjp(function(...)
      local tangents = {}
      for j, k in ipairs(numbers) do tangents[k] = (select(j, ...)) end
      return (along(tangents, y, unpack(given, 1, given.n)))
    end, unpack(zeros))
    if not is_array(change) or not ma.same_shape(change, y) then
      fail("custom_jvp", sformat("along gave %s; wanted the change of the result, %s", core.describe(change),
        core.describe(y)))
    end
    local found, flows = { pull(g) }, {}
    for j, k in ipairs(numbers) do flows[k] = found[j] end
    return flows
  end

  local ALONG = { argument = "along", check = function(c) return c end, call = transposed }

  --> custom_jvp: local f = ma.custom_jvp(function(x) return x * x end, function(t, y, x) return 2 * x * t[1] end)
  -->   return ma.grad(function(x) return f(x):sum() end)(ma.array {1, 2})
  def("custom_jvp(fn: function, along: function) -> function",
    "A function that calls fn, whose derivative is what along says: along(t, y, ...) gives the change of the result y "
    .. "as argument k changes by t[k], and is linear in t. What fn does is not recorded.",
    function(fn, along) return custom("custom_jvp", fn, along, ALONG) end)
end
