--- What ma.grad records while a function runs, and how derivatives flow back through the records.
---
--- A tape has a record for each call over an array that depends on an argument. Derivatives belong to buffers: `parts`
--- holds, by the number of a buffer, the derivative of what is differentiated by the buffer's elements. The derivative
--- of one array is its part at the array's place (src/bind/grad/tape.c), so views have no records.

local sformat = require("moonarray.text").format
local places = require "moonarray.grad.record"
local ID, AT, COUNT, NAME, LINE = places.ID, places.AT, places.COUNT, places.NAME, places.LINE
local BACK, READS, INPUTS = places.BACK, places.READS, places.INPUTS

local REAL = { complex64 = "float32", complex128 = "float64" }       -- the dtype of a complex number's parts

return function(core)
  local ma, fail = core.library, core.fail
  local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
  local place, place_of, fits, part_of, slim = core.place, core.place_of, core.fits, core.part, core.slim
  local add_record, note_row, reads_hold, kind_of = core.add_record, core.note_row, core.reads_hold, core.kind
  local DEEPEST_LIST = 16
  local SWEEP = 4                        -- records between sweeps
  local MOST_WAITING = 16                -- derivatives of parts of a buffer that wait to be added
  local tape = {}
  local top                              -- the innermost tape that is open; .outer: the one around it
  local tapes = {}                       -- a list of it, for the core
  local repeated                         -- what core.repeat_deferred was before the outermost tape

  --- Raises an error of what the user called in the function that is differentiated, or of `name`. core.fail would look
  --- for it beyond that function too.
  function tape.raise(name, text)
    name = core.outer_call() or name
    error(sformat("%smoonarray.%s: %s", core.user_line(), (name:gsub("[:()]", "")), text), 0)
  end

  local function set_top(t) top, tapes[1] = t, t end

  --- A tape of these fields, which the core reads by numbers too (src/bind/grad/tape.c).
  local function made(fields)
    local records = {}
    local t = { fields.known, fields.saved, records, fields.outer or false, fields.aside or false, fields.show or false,
      fields.light or false, records = records }
    for name, value in pairs(fields) do t[name] = value end
    return t
  end

  -- ==== Records ======================================================================================================

  --- Where the user's code is, "user.lua:7: " or "".
  local line = core.user_line

  --- The same as a part of a message.
  local function at_line(where) return where == "" and "" or " at " .. where:gsub(": $", "") end

  --- Prints the last record of a tape.
  local function show(t, record)
    core.print_line("grad", sformat("%d: %s%s", #t.records, record[NAME], at_line(record[LINE])))
  end

  --- Opens a tape. `known`: the place of each differentiated buffer's first array, by number; `saved`: the record that
  --- will read a buffer again; `fixed`: buffers of arguments; `cuts`: calls whose results are constants; `trapped`: by
  --- number, the record of a function that made a buffer which is not among its results; `aside`: what the records
  --- read, out of the scopes.
  function tape.open()
    local aside = top and top.aside
    if not top then repeated = core.repeat_deferred(true) end
    set_top(made { outer = top, aside = aside or core.scope_aside(), owns = not aside, known = {}, saved = {},
      fixed = {}, cuts = {}, trapped = {}, show = core.is_topic("grad") and show or nil })
    return top
  end

  function tape.close(t)
    set_top(t.outer)
    if not top then core.repeat_deferred(repeated) end
  end

  --- Ends a closed tape, whose records nobody needs any more.
  function tape.finish(t)
    if t.owns then core.scope_giveback(t.aside) end
  end

  function tape.is_real(x) return kind_of(x) == 1 end
  function tape.is_complex(x) return kind_of(x) == 2 end

  --- Whether an array depends on an argument of an open tape; then its number and place are the other results.
  function tape.is_known(array)
    local id, at = place(array)
    if not id then return false end
    local t = top
    while t do
      if t.known[id] then return true, id, at end
      t = t.outer
    end
    return false
  end

  --- Whether a value, or one in a table, is such an array. Deep in tables it looks in lists alone: objects may have
  --- circles.
  local function reaches(value, depth)
    if type(value) ~= "table" then return (tape.is_known(value)) end
    for key, item in pairs(value) do
      if depth < (type(key) == "number" and DEEPEST_LIST or 3) and reaches(item, depth + 1) then return true end
    end
    return false
  end

  function tape.any_known(...)
    for k = 1, select("#", ...) do
      if reaches((select(k, ...)), 0) then return true end
    end
    return false
  end

  --- Calls fn with the arguments as constants. The second result is whether what it gave depends on other arrays that
  --- are differentiated.
  function tape.alone(given, fn)
    local outer, own = top, {}
    for k = 1, given.n do own[place(given[k]) or 0] = true end
    local function seen(what)
      return setmetatable({}, { __index = function(_, id)
        local t = not (what == "known" and own[id]) and outer
        while t and not t[what][id] do t = t.outer end
        return t and t[what][id] or nil
      end })
    end
    local t = made { known = seen "known", saved = seen "saved", fixed = seen "fixed", cuts = {}, trapped = {} }
    set_top(t)
    local ok, y = pcall(fn, unpack(given, 1, given.n))
    set_top(outer)
    if not ok then error(y, 0) end
    local id = place(y)
    return y, id and t.known[id] ~= nil
  end

  --- What the open tapes have of a buffer in that table, or nil.
  local function in_open(t, what, id)
    while t do
      if t[what][id] ~= nil then return t[what][id] end
      t = t.outer
    end
    return nil
  end

  local function pack(...) return select("#", ...), { ... } end

  --- Calls fn while nothing is recorded but which arrays depend on which, and records that read nothing. Returns a
  --- light tape of that with `captured`, the places of differentiated buffers from outside that fn used, and how many
  --- values pcall gives, and these.
  function tape.trial(fn, ...)
    local outer, captured = top, {}
    local known = setmetatable({}, { __index = function(known, id)
      local at = in_open(outer, "known", id)
      captured[id], known[id] = at, at
      return at
    end })
    local t = made { light = true, cuts = outer.cuts, captured = captured, trapped = {}, known = known,
      saved = setmetatable({}, { __index = function(_, id) return in_open(outer, "saved", id) end }),
      fixed = setmetatable({}, { __index = function(_, id) return in_open(outer, "known", id) end }) }
    set_top(t)
    local n, results = pack(pcall(fn, ...))
    set_top(outer)
    return t, n, results
  end

  --- Has the record read this array again, which must not be written until then.
  local function keep(record, array)
    local id, _, count = place(array, true, top.aside)
    if not id then return end
    local reads = record[READS] or {}
    record[READS] = reads
    local n = #reads
    reads[n + 1], reads[n + 2], reads[n + 3] = array, count, id
  end

  --- Adds a record to each tape that one of the inputs depends on. `back(g, k)` gives what flows to input k of what
  --- flows to the result. `saved`: arrays that it reads. `written`: the result is an array whose earlier elements have
  --- no effect any more.
  function tape.note(name, inputs, result, back, saved, written)
    local id, at = place(result, true)
    local n = inputs.n or #inputs
    local record = { id, at, n, name, line(), back, nil, nil, nil, nil, nil, nil, nil, nil, nil }   -- room for an input
    if written then record.written = true end
    for k = 1, n do
      local from, shown = place(inputs[k])
      if from == id then return result end           -- a view
      record[INPUTS + 2 * k - 2], record[INPUTS + 2 * k - 1] = from, shown
    end
    for k = 1, saved and #saved or 0 do keep(record, saved[k]) end
    add_record(top, record)
    return result
  end

  --- Adds a record of several results. `captured` and `results`: places by the numbers of buffers; `inner`: those of
  --- others that the function made. flow(t, parts, check) moves what `parts` has for the results to what was captured.
  function tape.note_jointly(name, captured, results, inner, saved, back)
    local record, at = { nil, nil, 0, name, line(), results = results, inner = inner, flow = back }, INPUTS
    for id, shown in pairs(captured) do
      record[COUNT], record[at], record[at + 1] = record[COUNT] + 1, id, shown
      at = at + 2
    end
    for k = 1, #saved do keep(record, saved[k]) end
    add_record(top, record)
    return record
  end

  --- Adds the record of an operation of elements: `rule` says what it needs by which operands depend on an argument.
  function tape.note_row(rule, where, r, x, y, z, w)
    return note_row(rule, r, nil, where, top, x, y, z, w)
  end

  --- The handler of operations, which runs one and notes it: check(rule, out, casting, x, y, z, w) raises an error
  --- about what cannot be, and look(rule, where, r, x, y, z, w) notes results that are not as most are.
  function tape.handler(rules, check, look) return core.row_handler(rules, tapes, check, look) end

  --- Raises an error if an array may not be written now: the backward pass reads it, or it is an argument.
  function tape.check_write(name, array)
    local id = place(array)
    local t = id and top
    while t do
      local reader = t.saved[id]
      if reader then
        tape.raise(name, sformat("writes an array that moonarray.%s read%s in a function that is differentiated; "
          .. "write to a copy, or compute a new array", reader[NAME], at_line(reader[LINE])))
      end
      if t.fixed[id] then
        tape.raise(name, sformat("writes %s; write to a copy, or compute a new array", t.light
          and "an array from outside in a function that will be called again"
          or "an argument by which a function is differentiated"))
      end
      t = t.outer
    end
  end

  --- Notes that `value` was written to `array`, whose earlier elements then have no effect.
  function tape.note_write(name, array, value)
    if not ma.issubdtype(array.dtype, "inexact") then
      if tape.is_known(value) then tape.note_cut(name) end
      return
    end
    local id, at = place(array, true)
    local vid, vat = place(value)
    add_record(top, { id, at, vid and 1 or 0, name, line(), function(g) return g end, [INPUTS] = vid,
      [INPUTS + 1] = vat, written = true })
  end

  --- Notes a call whose result is a constant, for the error about a function whose value depends on no argument.
  function tape.note_cut(name)
    local t, what = top, name .. at_line(line())
    while t do
      t.cuts[#t.cuts + 1] = what
      if t.show then core.print_line("grad", "cut: " .. what) end
      t = t.outer
    end
  end

  -- ==== Derivatives of buffers =======================================================================================

  --- Sums a derivative over the axes along which an operand of that shape was repeated. One that fits is returned as it
  --- is, since a view would have to be copied at the end.
  local function narrow(c, shape)
    local extra, axes, from, same = c.ndim - #shape, {}, c.shape, true
    for d = 1, extra do axes[d] = d end
    for d = 1, #shape do
      local extent = extra >= 0 and from[d + extra] or nil
      if shape[d] == 1 and extent ~= 1 and extra >= 0 then axes[#axes + 1] = d + extra
      elseif shape[d] ~= extent then same = false end
    end
    if #axes == extra and extra > 0 then
      c = c:sum(axes, { dtype = c.dtype })
    elseif #axes > 0 then
      c = c:sum(axes, { keepdims = true, dtype = c.dtype })
      if extra > 0 then return c:reshape(shape) end
    end
    return same and c or ma.broadcast_to(c, shape)
  end
  tape.narrow = narrow

  --- A derivative in the dtype and the shape of a place. The second result: the place's description if it shows an
  --- element more than once.
  local function fit(c, at)
    local what = place_of(at)
    c = narrow(c, what.shape)
    if REAL[c.dtype] and not REAL[what.dtype] then c = core.contiguous(ma.real(c)) end
    if c.dtype ~= what.dtype then c = c:astype(what.dtype) end
    if what.repeats then c = c:sum(what.repeats, { keepdims = true, dtype = c.dtype }) end
    return c, (what.repeats or what.overlaps) and what
  end

  --- The derivative of a buffer as one array of a single axis, which reaches from byte `low` to byte `high` at least.
  local function flat_of(t, parts, id, reach, device)
    local low, high, dtype = reach.low, reach.high, reach.dtype
    local entry, base = parts[id], place_of(t.known[id])
    local same = (REAL[dtype] or dtype) == (REAL[base.dtype] or base.dtype)
    if not same or (low - base.low) % math.min(reach.itemsize, base.itemsize) ~= 0 then
      fail("grad", sformat("arrays of %s and of %s in one memory; copy them", base.dtype, dtype))
    end
    if entry and entry.flat and entry.low <= low and entry.high >= high then return entry end
    low, high = math.min(low, base.low), math.max(high, base.high)
    local held = entry and (entry.flat and entry or place_of(entry.at))
    if held then low, high = math.min(low, held.low), math.max(high, held.high) end
    low = base.low - math.ceil((base.low - low) / base.itemsize) * base.itemsize
    high = low + math.ceil((high - low) / base.itemsize) * base.itemsize
    local flat = ma.zeros((high - low) / base.itemsize, { dtype = base.dtype, device = device })
    if entry and entry.flat then
      local first = (entry.low - low) / base.itemsize
      flat[{ { first + 1, first + entry.flat.size } }] = entry.flat
    elseif entry then
      part_of(flat, entry.at, low):assign(entry.g)
    end
    entry = { flat = flat, low = low, high = high }
    parts[id] = entry
    return entry
  end

  --- Adds to elements of a flat derivative that a place shows more than once.
  local function scatter(entry, at, what, c)
    if what.itemsize < 4 or what.itemsize > 8 or what.dtype ~= entry.flat.dtype then
      fail("grad", sformat("a view of %s that shows elements several times", what.dtype))
    end
    local positions = ma.range(1, entry.flat.size, { dtype = what.itemsize == 8 and "int64" or "int32",
      device = entry.flat.device })
    entry.flat:iadd_at(part_of(positions, at, entry.low, true):flatten(), c:flatten())
  end

  local function add_to_flat(t, parts, id, at, what, c)
    local entry = flat_of(t, parts, id, what or place_of(at), c.device)
    if what and what.overlaps then return scatter(entry, at, what, c) end
    part_of(entry.flat, at, entry.low):iadd(c)
  end

  --- What `parts` has for a buffer, after what waits was added.
  local function settled(t, parts, id)
    local entry = parts[id]
    local waiting = entry and entry.waiting
    if not waiting then return entry end
    entry.waiting = nil
    for k = 1, #waiting, 3 do add_to_flat(t, parts, id, waiting[k], waiting[k + 1], waiting[k + 2]) end
    return parts[id]
  end

  --- Whether a derivative is that of the array at a place, whose axes of one element do not count.
  local function is_at(entry, at) return entry.at == at or (entry.slim and entry.at == slim(at)) end

  --- The derivative in the shape of a place.
  local function shaped(entry, at) return entry.at == at and entry.g or entry.g:reshape(place_of(at).shape) end

  --- Adds to what waits for a buffer; a column and a row of the same elements are one place.
  local function add_waiting(t, parts, id, at, what, c)
    local entry = parts[id]
    local waiting, thin = entry.waiting or {}, slim(at)
    if not what then
      c = c:reshape(place_of(thin).shape)
      for k = 1, #waiting, 3 do
        if waiting[k] == thin and not waiting[k + 1] then
          waiting[k + 2] = waiting[k + 2] + c
          return
        end
      end
      at = thin
    end
    local n = #waiting
    entry.waiting, waiting[n + 1], waiting[n + 2], waiting[n + 3] = waiting, at, what or false, c
    if n + 3 >= 3 * MOST_WAITING then settled(t, parts, id) end
  end

  --- Adds `c` to the derivative of the array at that place of a buffer. What flows to several places waits, so that
  --- reductions of the same operands, which give it, run in one pass.
  local function add(t, parts, id, at, c)
    local entry, what = parts[id], nil
    if not fits(c, at) then c, what = fit(c, at) end
    if not what and not entry then
      parts[id] = { at = at, g = c }
    elseif not what and entry.at == at and not entry.waiting then
      parts[id] = { at = at, g = entry.g + c }
    elseif not entry then
      add_to_flat(t, parts, id, at, what, c)
    elseif not what and entry.at and slim(entry.at) == slim(at) then
      local thin = slim(at)
      local shape = place_of(thin).shape
      parts[id] = { at = thin, slim = true, g = entry.g:reshape(shape) + c:reshape(shape), waiting = entry.waiting }
    else
      add_waiting(t, parts, id, at, what, c)
    end
  end
  tape.add = add

  --- Adds what `parts` of another tape, for which the buffer's first place is the same, has for a buffer.
  function tape.add_entry(t, parts, id, own)
    local entry = settled(t, own, id)
    if not entry.flat then return add(t, parts, id, entry.at, entry.g) end
    if not settled(t, parts, id) then
      parts[id] = entry
      return
    end
    local what = place_of(t.known[id])
    what.low, what.high = entry.low, entry.high
    local flat = flat_of(t, parts, id, what, entry.flat.device)
    local first = (entry.low - flat.low) / what.itemsize
    core.along(flat.flat, 1, first + 1, first + entry.flat.size):iadd(entry.flat)
  end

  --- The derivative of the array at that place, or nil where nothing flows to it.
  function tape.read(t, parts, id, at)
    local entry = settled(t, parts, id)
    if not entry then return nil end
    if is_at(entry, at) then return shaped(entry, at) end
    local reach = place_of(at)
    entry = flat_of(t, parts, id, reach)
    return part_of(entry.flat, at, entry.low):copy()
  end

  --- The same for the result of a record, before which those elements had other values.
  local function take(t, parts, record)
    local id, at = record[ID], record[AT]
    local entry = settled(t, parts, id)
    if not entry then return nil end
    if is_at(entry, at) then
      parts[id] = nil
      return shaped(entry, at)
    end
    local reach = place_of(at)
    entry = flat_of(t, parts, id, reach, not entry.flat and entry.g.device or entry.flat.device)
    local view = part_of(entry.flat, at, entry.low)
    if not record.written then
      parts[id] = nil
      return view
    end
    local g = view:copy()
    view:fill(0)
    return g
  end

  -- ==== Backward =====================================================================================================

  --- Raises an error if an array that a record reads was written since by what no record shows: a kernel, a C program,
  --- or the user before pull(g).
  local function check_reads(record)
    if reads_hold(record) then return end
    fail("grad", sformat("an array that moonarray.%s read%s was written before the derivative was computed; write to a "
      .. "copy", record[NAME], at_line(record[LINE])))
  end

  local function check_finite(record, c)
    if ma.isfinite(c):all() then return end
    fail("grad", sformat("the derivative of moonarray.%s%s is not finite", record[NAME], at_line(record[LINE])))
  end

  --- Lets what flows to a record's result flow to its inputs.
  local function flow(t, parts, record, check)
    local known, g = t.known, take(t, parts, record)
    if g and record[READS] then check_reads(record) end
    for k = 1, g and record[COUNT] or 0 do
      local id = record[INPUTS + 2 * k - 2]
      if id and known[id] then
        local c = record[BACK](g, k, record)
        if c and check then check_finite(record, c) end
        if c then add(t, parts, id, record[INPUTS + 2 * k - 1], c) end
      end
    end
    if record.flows then record.flows = nil end
  end

  --- The same for a record of several results, which looks into `parts` itself.
  local function flow_jointly(t, parts, record, check)
    local any = false
    for id in pairs(record.results) do any = any or parts[id] ~= nil end
    if not any then return end
    if record[READS] then check_reads(record) end
    record.flow(t, parts, check)
  end

  --- Lets what `parts` holds flow back through all records.
  local function flow_through(t, parts, check, sweep)
    local records = t.records
    for i = #records, 1, -1 do
      local record = records[i]
      if sweep and i % SWEEP == 0 then sweep() end
      if record.flow then flow_jointly(t, parts, record, check) else flow(t, parts, record, check) end
    end
    for id in pairs(parts) do
      local record = t.trapped[id]
      if record then
        fail("grad", sformat("an array of the function of moonarray.%s%s has an effect, and is not among its results; "
          .. "return it", record[NAME], at_line(record[LINE])))
      end
    end
  end

  --- Lets what `parts` holds flow back through all records. `sweep` is called now and then, and may free all
  --- arrays that were made but those in `parts`.
  function tape.backward(t, parts, check, sweep)
    local before = core.repeat_deferred(true)
    local ok, why = pcall(flow_through, t, parts, check, sweep)
    core.repeat_deferred(before)
    if not ok then error(why, 0) end
  end

  return tape
end
