--- ma.stencil: computes a value at each position from its neighbours, with rules for the edges.
---
--- The core (src/bind/kernel/stencil.c) records the function as one program of neighbours, and runs it over the whole
--- field with its edges. Here are the options, the steps of a run, and a way for functions that are no such program:
--- they run as array operations over shifted views of fields that were completed at their edges.
--# functions

local tostring = require("moonarray.text").tostring
local sformat, floor, min, max = require("moonarray.text").format, math.floor, math.min, math.max
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local MOST_OFFSET = 4096               -- a greater offset is taken for a mistake
local GRAPH_STEPS = 16                 -- steps that a graph on a GPU has; even

-- For each boundary rule, under SciPy's names: the position whose value a position p outside 1 .. n takes. `constant`
-- takes no position's value. `leave` throws the result away, so any position will do.
local mapped = {
  wrap = function(p, n) return (p - 1) % n + 1 end,
  nearest = function(p, n) return max(1, min(n, p)) end,
  reflect = function(p, n)             -- c b a | a b c | c b a
    p = (p - 1) % (2 * n)
    return p < n and p + 1 or 2 * n - p
  end,
  mirror = function(p, n)              -- c b | a b c | b a
    if n == 1 then return 1 end
    p = (p - 1) % (2 * n - 2)
    return p < n and p + 1 or 2 * n - 1 - p
  end,
}
mapped.leave = mapped.nearest

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local stencil_body = core.stencil_body -- loaded with ma.stencil, and not in the frame that calls one first
  local NAME = "stencil"

  -- ==== The options ================================================================================================

  local function boundary_name(value)
    if mapped[value] or value == "constant" then return value end
    fail(NAME, sformat("boundary is %s; wanted \"constant\", \"wrap\", \"nearest\", \"reflect\", \"mirror\" or "
      .. "\"leave\"", type(value) == "string" and sformat("%q", value) or core.describe(value)))
  end

  --- The boundary rule of each axis, or one rule for all. `leave` must be the rule of all axes or of none, because a
  --- corner belongs to more than one axis.
  local function boundaries(value)
    if type(value) ~= "table" then return { boundary_name(value == nil and "constant" or value) } end
    local list = {}
    for d = 1, #value do
      list[d] = boundary_name(value[d])
      if (list[d] == "leave") ~= (list[1] == "leave") then
        fail(NAME, "boundary \"leave\" on some axes; wanted it on all of them or on none")
      end
    end
    if #list == 0 then fail(NAME, "boundary is an empty table; wanted a name or one for each axis") end
    return list
  end

  -- ==== Functions that are no single program =======================================================================

  --- "user.lua:12", where a function begins.
  local function place_of(fn)
    if type(fn) ~= "function" or type(debug) ~= "table" or not debug.getinfo then return "the function" end
    local info = debug.getinfo(fn, "S")
    return sformat("the function at %s:%d", info.short_src, info.linedefined)
  end

  --- `free`: the offsets that may be as large as they want, or nil.
  local function check_offsets(offset, n, ndim, free)
    if n ~= ndim then
      fail(NAME, sformat("a neighbour by %d offsets of a field of %d axes; wanted one for each axis", n, ndim))
    end
    for d = 1, n do
      local o = offset[d]
      if not (free and free[d]) and (type(o) ~= "number" or o ~= floor(o) or o > MOST_OFFSET or o < -MOST_OFFSET) then
        fail(NAME, sformat("offset %d is %s; wanted a whole number from %d to %d", d,
          type(o) == "number" and tostring(o) or core.describe(o), -MOST_OFFSET, MOST_OFFSET))
      end
    end
  end

  --- Calls the function with accessors of the fields. u_k(offset) returns read(k, offset).
  local function call(stencil, fields, ndim, read)
    local accessors, reads, nfield = {}, false, #fields
    for k = 1, nfield do
      accessors[k] = function(...)
        local offset = { ... }
        check_offsets(offset, select("#", ...), ndim)
        reads = true
        return read(k, offset)
      end
    end
    local form = core.element_rule(NAME, stencil.fn, true)
    local constant, rule, dtype = not form, core.stencil_rule, fields[1].dtype
    local results
    if core.is_recording() then
      rule = function(...) return core.flows.elements(NAME, core.stencil_rule, ...) end
    end
    if form then
      results = { rule(dtype, form, dtype, unpack(accessors, 1, nfield)) }
    else
      results = { rule(dtype, stencil.fn, unpack(accessors, 1, nfield)) }
    end
    if #results ~= stencil.nout then
      fail(NAME, sformat("the function gave %d results; wanted out = %d", #results, stencil.nout))
    end
    for k = 1, #results do
      if type(results[k]) ~= "number" and not is_array(results[k]) then
        fail(NAME, sformat("result %d of the function is %s; wanted an array or a number", k,
          core.describe(results[k])))
      end
      constant = constant and type(results[k]) == "number"
    end
    if constant and reads then
      fail(NAME, sformat("no result uses a field, though %s reads one; Lua's if, and, or, not and == see no elements "
        .. "in a function whose text is out of reach: write ma.where(mask, a, b), or give the text; a number at every "
        .. "position is ma.full_like(u(0), 1)", place_of(stencil.fn)))
    end
    return results
  end

  --- How far the function reads before and behind a position. It is called once with the fields themselves to find that
  --- out, and its results are thrown away.
  local function reach(stencil, fields)
    local ndim, low, high = fields[1].ndim, {}, {}
    for d = 1, ndim do low[d], high[d] = 0, 0 end
    call(stencil, fields, ndim, function(k, offset)
      for d = 1, ndim do low[d], high[d] = max(low[d], -offset[d]), max(high[d], offset[d]) end
      return fields[k]
    end)
    return low, high
  end

  --- A field extended at its edges by the boundary rule of each axis, as far as the function reads. An axis without
  --- elements stays as it is.
  local function completed(stencil, field, low, high)
    local shape = field.shape
    for d = 1, field.ndim do
      local rule = stencil.boundary[d] or stencil.boundary[1]
      local grows = low[d] + high[d] > 0 and shape[d] > 0
      if grows and rule == "constant" then
        local width = {}
        for e = 1, field.ndim do width[e] = e == d and { low[d], high[d] } or { 0, 0 } end
        field = ma.pad(field, width, "constant", { constant_values = stencil.value })
      elseif grows then
        local list = {}
        for p = 1 - low[d], shape[d] + high[d] do list[#list + 1] = mapped[rule](p, shape[d]) end
        field = field:take(ma.array(list, { dtype = "int64", device = field.device }), d)
      end
    end
    return field
  end

  --- Gives the positions that lack a neighbour the elements of the field with the same number as the result.
  local function leave_edges(fields, outs, low, high)
    local shape, inside = fields[1].shape, {}
    for d = 1, #shape do
      if low[d] + high[d] >= shape[d] then inside = nil break end
      inside[d] = { 1 + low[d], shape[d] - high[d] }
    end
    for k, out in ipairs(outs) do
      local kept = inside and out[inside]:copy()
      out:assign(fields[k])
      if kept then out[inside] = kept end
    end
  end

  --- The arrays of the results: those that `out` names, or new ones.
  local function outputs(stencil, fields, results, out)
    local outs = is_array(out) and { out } or out or {}
    if out ~= nil and (type(outs) ~= "table" or #outs ~= stencil.nout) then
      fail(NAME, sformat("out is %s; wanted %s", type(outs) == "table" and #outs .. " arrays" or core.describe(out),
        stencil.nout == 1 and "an array" or "a table of " .. stencil.nout .. " arrays"))
    end
    for k = 1, #outs do
      if not is_array(outs[k]) then fail(NAME, sformat("out %d is %s; wanted an array", k, core.describe(outs[k]))) end
      if not ma.same_shape(outs[k], fields[1]) then
        fail(NAME, sformat("out %d has shape %s; wanted %s, as the fields", k, common.shape_text(outs[k]),
          common.shape_text(fields[1])))
      end
      for f = 1, #fields do
        if ma.may_share_memory(outs[k], fields[f]) then
          fail(NAME, sformat("out %d shares memory with field %d; wanted memory of its own, as neighbours are still "
            .. "read", k, f))
        end
      end
    end
    for k = #outs + 1, stencil.nout do
      local dtype = results[k].dtype
      outs[k] = ma.empty(fields[1].shape, { dtype = dtype, device = fields[1].device })
    end
    return outs
  end

  local parts = { mapped = mapped, completed = completed } -- which derivatives take too

  --- Applies the stencil by array operations. The core calls it for functions that it cannot record, and in a function
  --- that is differentiated.
  local function general(stencil, fields, out)
    if core.is_recording() and out == nil then
      local flow = core.flows.stencil(stencil, fields, parts)
      if flow then return unpack(flow, 1, stencil.nout) end
    end
    local low, high = reach(stencil, fields)
    local blocks, shape = {}, fields[1].shape
    local results = call(stencil, fields, #shape, function(k, offset)
      local view = {}
      blocks[k] = blocks[k] or completed(stencil, fields[k], low, high)
      for d = 1, #shape do
        view[d] = { 1 + low[d] + offset[d], low[d] + offset[d] + shape[d] }
        if shape[d] == 0 then view[d] = {} end
      end
      return blocks[k][view]
    end)
    for k, v in ipairs(results) do
      if type(v) == "number" then results[k] = ma.array({ v }, { dtype = core.constant_dtype(fields[1].dtype, v) }) end
    end
    local outs = outputs(stencil, fields, results, out)
    for k = 1, stencil.nout do outs[k]:assign(results[k]) end
    if stencil.boundary[1] == "leave" then leave_edges(fields, outs, low, high) end
    return unpack(outs, 1, stencil.nout)
  end

  -- ==== Steps ======================================================================================================

  --- The fields, which stand before the options, and the number of steps.
  local function arguments(...)
    local n, list, options = select("#", ...), { ... }, {}
    if n > 0 and type(list[n]) == "table" then
      options, list[n] = list[n], nil
      common.no_list(NAME, n, options)
    end
    for key in pairs(options) do
      if key ~= "steps" then fail(NAME, sformat("no option %s; the option is steps", tostring(key))) end
    end
    return list, common.whole(NAME, "steps", options.steps == nil and 1 or options.steps, 0)
  end

  --- Runs one step after another from Lua. No graph records them, because the function may use arrays that it makes.
  local function general_steps(stencil, here, there, steps)
    if core.is_recording() then                          -- each step's fields are read again
      local fields = here
      for _ = 1, steps do fields = { stencil(unpack(fields)) } end
      for k, field in ipairs(fields) do (steps % 2 == 1 and there or here)[k] = field end
      return
    end
    for _ = 1, steps do
      ma.scope(function()
        local results = { stencil(unpack(here)) }
        for k = 1, #here do
          if results[k].dtype ~= here[k].dtype then
            fail(NAME, sformat("result %d is %s of a %s field; wanted one dtype, since a result becomes a field", k,
              results[k].dtype, here[k].dtype))
          end
          there[k]:assign(results[k])
        end
        ma.eval(unpack(there))
      end)
      here, there = there, here
    end
  end

  --- New arrays of the fields' shapes and dtypes.
  local function alike(fields)
    local list = {}
    for k, field in ipairs(fields) do
      list[k] = ma.empty(field.shape, { dtype = field.dtype, device = field.device })
    end
    return list
  end

  --- Runs many steps. After each one, the results become the fields of the same numbers. The first step reads the given
  --- fields and does not change them, so they need no copy. Of the arrays that the steps use in turn, the one without
  --- the result is freed at once, since the next run wants such memory.
  local function run(stencil, nout, ...)
    local fields, steps = arguments(...)
    if #fields > 0 and #fields ~= nout then
      fail(NAME, sformat("run with %d fields and %d results; wanted a result for each field", #fields, nout))
    end
    for k, field in ipairs(fields) do
      if not is_array(field) then fail(NAME, sformat("field %d is %s; wanted an array", k, core.describe(field))) end
    end
    local here, left = alike(fields), max(steps - 1, 0)
    local in_lua = type(stencil) == "table" or not core.stencil_steps(stencil, fields, here, steps - left)
    if in_lua then general_steps(stencil, fields, here, steps - left) end
    if steps == 0 then
      for k, field in ipairs(fields) do here[k]:assign(field) end
    end
    if left == 0 or here[1].size == 0 then return unpack(here) end
    local there = alike(fields)
    if in_lua then
      general_steps(stencil, here, there, left)
    else
      local done = 0
      if left >= 4 * GRAPH_STEPS and here[1].device ~= "cpu" and here[1].size > 0 then
        local graph = ma.cuda.graph(function()   -- calls the function once before it records
          core.stencil_steps(stencil, here, there, GRAPH_STEPS)
        end)
        for _ = 2, floor(left / GRAPH_STEPS) do graph() end
        done = left - left % GRAPH_STEPS
        graph:free()
      end
      core.stencil_steps(stencil, here, there, left - done)
    end
    if left % 2 == 1 then here, there = there, here end
    if core.is_recording() then return unpack(here) end
    for k = 1, #there do there[k]:free() end
    return unpack(here)
  end

  local function check_fields(fields)
    if #fields == 0 then fail(NAME, "no field; wanted an array for each parameter of the function") end
    for k = 1, #fields do
      if not is_array(fields[k]) then
        fail(NAME, sformat("field %d is %s; wanted an array", k, core.describe(fields[k])))
      end
      if not ma.same_shape(fields[k], fields[1]) then
        fail(NAME, sformat("field %d has shape %s; wanted %s, as field 1", k, common.shape_text(fields[k]),
          common.shape_text(fields[1])))
      end
    end
  end

  -- ==== Functions beyond selects ===================================================================================

  --- The functions by which the core makes C++ of what selects cannot say: body(why, full, ndim, dtypes, changing), and
  --- absent(message) where there is no compiler. The first one returns nil if there is another form. `full`: the
  --- function has more operations than a program. `changing`: numbers from outside that are scalars.
  local function body_of(stencil, compile)
    local needed                         -- why there is no other form
    return function(why, full, ndim, dtypes, changing)
      needed = (core.beyond_rule == why or stencil.device) and why or nil
      if not needed and (not full or compile == false) then return nil end
      local body, reason = stencil_body(stencil.fn, stencil.device, stencil.nout, ndim, dtypes, changing)
      if body and #body.reached > 0 and stencil.boundary[1] == "leave" then
        local text = ", with boundary \"leave\"; wanted another boundary"
        if core.beyond_rule == why then error(why .. text, 0) end
        fail(NAME, "an offset of a neighbour depends on elements" .. text)
      end
      if not body and needed then
        error(stencil.device and reason or sformat("%s; nor is it C++: %s", needed, reason), 0)
      end
      return body
    end, function(message)
      if needed then error(sformat("%s; as C++ it needs a compiler: %s", needed, message), 0) end
    end
  end

  --- Stands for the function of a device function that is made of a text, whatever its parameters.
  local function of_text_alone(...)
    error("a device function made of a text for " .. select("#", ...) .. " fields", 0)
  end

  --> = stencil_function | ma.stencil(function(u) return u(1) - u(0) end) | Called with fields, arrays of one shape.
  --> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  --> stencil_function:captures: next(stencil_function:captures()) == nil
  --> :run(...: any) -> array ... | Runs it several times, each on the results before: fields, then { steps = n }.
  --> stencil_function:run: stencil_function:run(ma.array {1, 2, 4, 8}, {steps = 2})
  --> :prepare(...: any) -> preparation | Has what a call with these fields needs compiled, without waiting.
  --> stencil_function:prepare: ma.await(stencil_function:prepare(ma.ones(4))) == stencil_function
  --> + call(...): array

  --- Compiles a text that is an expression in Lua.
  local function of_text(text)
    local chunk, why = (rawget(_G, "loadstring") or load)("return " .. text)
    if not chunk then fail(NAME, sformat("fn is a text that Lua refuses: %s", why)) end
    return chunk()
  end

  --> stencil: ma.stencil(function(u) return u(-1) + u(1) end)(ma.array {1, 2, 3})
  def("stencil(fn: function; boundary?: string|string[], value?: number, out?: array, "
    .. "compile?: boolean, plain?: boolean, captures?: string[]) -> stencil_function",
    "A function of fields (arrays of one shape, 1 to 3 axes) whose result at each position is fn(u, v, ...): u(0, 0) "
    .. "is the element there, u(-1, 0) the one before it along axis 1. fn may be the text of a function. boundary is "
    .. "\"constant\" (value, 0), \"wrap\", \"nearest\", \"reflect\" (d c b a | a b c d), \"mirror\" (d c b | a b c d) "
    .. "or \"leave\", which keeps the field's elements; or a table of one for each axis. fn may "
    .. "branch on elements, and loop as often as they say. out is how many results fn gives. compile says when a "
    .. "CPU's compiler makes it faster: true before the first run, false never, else meanwhile, when it has run for "
    .. "some time. s(u, v, {out = ...}) applies it, s:run(u, v, {steps = n}) applies it n times and gives the fields "
    .. "then. plain = true calls fn at each position instead, as Lua, for a debugger. captures lists the names that fn "
    .. "may take from outside, such as \"config.speed\"; another one is an error.",
    function(fn, boundary, value, out, compile, plain, captures)
      local device = type(fn) == "table" and core.jit and core.jit.language.devices[fn] and fn or nil
      if device then fn = device.fn or of_text_alone end
      if type(fn) == "string" then fn = of_text(fn) end
      common.callable(NAME, "fn", fn)
      local nout = common.whole(NAME, "out", out == nil and 1 or out, 1)
      if value ~= nil and type(value) ~= "number" and type(value) ~= "boolean" then
        fail(NAME, sformat("value is %s; wanted a number", core.describe(value)))
      end
      if compile ~= nil and type(compile) ~= "boolean" then
        fail(NAME, sformat("compile is %s; wanted true or false", core.describe(compile)))
      end
      if type(value) == "boolean" then value = value and 1 or 0 end
      local stencil = { fn = fn, device = device, nout = nout, boundary = boundaries(boundary), value = value or 0 }
      if plain and device and not device.fn then
        fail(NAME, "plain of a device function made of a text; wanted a function of Lua")
      end
      if core.wants_plain(plain) and not (device and not device.fn) then
        return core.plain.stencil(stencil, { mapped = mapped, check_fields = check_fields, outputs = outputs,
          check_offsets = check_offsets, leave_edges = leave_edges, run = run })
      end
      core.allow_captures(NAME, fn, captures)
      if not device then core.element_rule(NAME, fn, true) end       -- an error if it tests elements without a text
      local body, absent = body_of(stencil, compile)
      stencil.compile = compile
      stencil.object = core.stencil(fn, nout, stencil.boundary, stencil.value, {
        general = function(fields, given) return general(stencil, fields, given) end, body = body, absent = absent,
        allowed = captures, methods = { run = function(self, ...) return run(self, nout, ...) end,
          captures = function() return core.captures_of(fn) end,
          prepare = function(...) return core.prepared(...) end } }, compile)
      return stencil.object
    end)
end
