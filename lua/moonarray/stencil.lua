--- ma.stencil: computes a value at each position from its neighbours, with rules for the edges.
---
--- The function of a stencil is fused into one kernel, whose operands are shifted views. The interior, where all
--- neighbours exist, is one launch over views of the fields. The positions near the edges are thin slabs. Each is
--- computed in the same way from a copy of the elements that it needs, completed by the boundary's rule. The slabs of
--- an axis leave out those of earlier axes.

local sformat, floor, min, max = string.format, math.floor, math.min, math.max
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local MOST_AXES = 3
local MOST_OFFSET = 4096               -- a greater offset is taken for a mistake
local GRAPH_STEPS = 8                  -- fewer steps are not worth a graph

-- The position from which a position p outside 1 .. n takes its value, by SciPy's names. `constant` and `leave` have
-- none.
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

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local NAME = "stencil"

  local Stencil = {}
  local methods = {}

  -- ==== The options ================================================================================================

  local function boundary_name(value)
    if mapped[value] or value == "constant" or value == "leave" then return value end
    fail(NAME, sformat("boundary is %s; wanted \"constant\", \"wrap\", \"nearest\", " ..
      "\"reflect\", \"mirror\" or \"leave\"",
      type(value) == "string" and sformat("%q", value) or core.describe(value)))
  end

  --- The rule of each axis, or one for all. `leave` must be the rule of all axes or of none, because corners belong to
  --- two axes.
  local function boundaries(value)
    if type(value) ~= "table" then return { all = boundary_name(value == nil and "constant" or value) } end
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

  -- ==== Neighbours that the function reads ===========================================================================

  --- Calls the function with accessors for the fields; `read(k, offset)` is the value of u_k(...).
  local function call(stencil, nfield, ndim, read)
    local accessors = {}
    for k = 1, nfield do
      accessors[k] = function(...)
        local n, offset = select("#", ...), { ... }
        if n ~= ndim then
          fail(NAME, sformat("a neighbour by %d offsets of a field of %d axes; wanted one for each axis", n, ndim))
        end
        for d = 1, n do
          local o = offset[d]
          if type(o) ~= "number" or o ~= floor(o) or o > MOST_OFFSET or o < -MOST_OFFSET then
            fail(NAME, sformat("offset %d is %s; wanted a whole number from %d to %d", d,
              type(o) == "number" and tostring(o) or core.describe(o), -MOST_OFFSET, MOST_OFFSET))
          end
        end
        return read(k, offset)
      end
    end
    local results = { stencil.fn(unpack(accessors, 1, nfield)) }
    if #results ~= stencil.nout then
      fail(NAME, sformat("the function gave %d results; wanted out = %d", #results, stencil.nout))
    end
    for k = 1, #results do
      if type(results[k]) ~= "number" and not is_array(results[k]) then
        fail(NAME, sformat("result %d of the function is %s; wanted an array or a number", k,
          core.describe(results[k])))
      end
    end
    return results
  end

  --- The function as one kernel of the neighbours that it reads, in the order of `extent.reads`. Nil if that is
  --- impossible: it uses other arrays, returns a number, or reads more neighbours than a fused function has parameters.
  local function fuse(stencil, extent, nfield, ndim, one)
    local reads, values = extent.reads, {}
    for k, read in ipairs(reads) do values[k] = one[read.field] end
    local fused = ma.fuse(function(...)
      local neighbours = { ... }
      return unpack(call(stencil, nfield, ndim, function(k, offset)
        return neighbours[extent.slot[k .. ":" .. table.concat(offset, ",")]]
      end))
    end, NAME)
    return #reads > 0 and pcall(fused, unpack(values)) and fused or nil
  end

  --- The function's reach before and behind a position, its neighbours, the dtypes of its results, and its kernel. To
  --- find these, it runs once on fields of one element for each number of axes and combination of dtypes.
  local function extent_of(stencil, fields)
    local ndim, key = fields[1].ndim, { fields[1].ndim, fields[1].device }
    for k = 1, #fields do key[k + 2] = fields[k].dtype end
    key = table.concat(key, " ")
    local extent = stencil.extents[key]
    if extent then return extent end
    extent = { low = {}, high = {}, dtype = {}, reads = {}, slot = {} }
    for d = 1, ndim do extent.low[d], extent.high[d] = 0, 0 end
    local one = {}
    for k = 1, #fields do one[k] = ma.ones({ 1 }, { dtype = fields[k].dtype, device = fields[k].device }) end
    local results = call(stencil, #fields, ndim, function(k, offset)
      for d = 1, ndim do
        extent.low[d], extent.high[d] = max(extent.low[d], -offset[d]), max(extent.high[d], offset[d])
      end
      local place = k .. ":" .. table.concat(offset, ",")
      if not extent.slot[place] then
        extent.reads[#extent.reads + 1] = { field = k, offset = offset }
        extent.slot[place] = #extent.reads
      end
      return one[k]
    end)
    for k, result in ipairs(results) do
      extent.dtype[k] = is_array(result) and result.dtype or ma.asarray(result).dtype
    end
    extent.fused = fuse(stencil, extent, #fields, ndim, one)
    stencil.extents[key] = extent
    return extent
  end

  -- ==== Regions ====================================================================================================

  local function rule_of(stencil, d) return stencil.boundary.all or stencil.boundary[d] end

  --- Positions from .. to on an axis of n elements by a rule, as an index array; cached for each device.
  local function places(stencil, device, rule, from, to, n)
    local key = table.concat({ tostring(device), rule, from, to, n }, " ")
    local found = stencil.places[key]
    if found then return found end
    local list = {}
    for p = from, to do list[#list + 1] = mapped[rule](p, n) end
    found = ma.keep(ma.array(list, { dtype = "int64", device = device }))      -- a scope may be open
    stencil.places[key] = found
    return found
  end

  --- The elements from[d] .. to[d] of a field, with elements outside by the rules. A view if nothing is outside.
  local function block_of(stencil, field, from, to)
    local shape, index, beyond = field.shape, {}, {}
    for d = 1, field.ndim do
      index[d] = { max(from[d], 1), min(to[d], shape[d]) }
      if from[d] < 1 or to[d] > shape[d] then
        beyond[#beyond + 1] = d
        if rule_of(stencil, d) ~= "constant" then index[d] = {} end
      end
    end
    local block = field[index]
    for _, d in ipairs(beyond) do
      local rule = rule_of(stencil, d)
      if rule == "constant" then
        local width = {}
        for e = 1, field.ndim do width[e] = { 0, 0 } end
        width[d] = { max(1 - from[d], 0), max(to[d] - shape[d], 0) }
        block = ma.pad(block, width, "constant", { constant_values = stencil.value })
      else
        block = block:take(places(stencil, field.device, rule, from[d], to[d], shape[d]), d)
      end
    end
    return block
  end

  --- Computes positions from[d] .. to[d] of the results.
  local function region(stencil, fields, outs, extent, from, to)
    local ndim, first, last = #from, {}, {}
    for d = 1, ndim do
      if to[d] < from[d] then return end
      first[d], last[d] = from[d] - extent.low[d], to[d] + extent.high[d]
    end
    local blocks, views, index = {}, {}, {}
    for n, read in ipairs(extent.reads) do
      local k, shifted = read.field, {}
      blocks[k] = blocks[k] or block_of(stencil, fields[k], first, last)
      for d = 1, ndim do
        local begin = 1 + extent.low[d] + read.offset[d]
        shifted[d] = { begin, begin + to[d] - from[d] }
      end
      views[n] = blocks[k][shifted]
    end
    for d = 1, ndim do index[d] = { from[d], to[d] } end
    local same, targets = extent.fused ~= nil, {}
    for k, out in ipairs(outs) do
      same = same and out.dtype == extent.dtype[k]
      targets[k] = out[index]
    end
    if same then
      views[#views + 1] = { out = #targets == 1 and targets[1] or targets }
      extent.fused(unpack(views))
      return
    end
    local results = call(stencil, #fields, ndim, function(k, offset)
      return views[extent.slot[k .. ":" .. table.concat(offset, ",")]]
    end)
    for k, out in ipairs(outs) do out[index] = results[k] end
  end

  --- Computes the edges: for each axis a slab before the interior and one behind it.
  local function edges(stencil, fields, outs, extent, low, high)
    local shape = fields[1].shape
    for d = 1, #shape do
      local from, to = {}, {}
      for e = 1, #shape do
        from[e], to[e] = e < d and low[e] or 1, e < d and high[e] or shape[e]
      end
      to[d] = low[d] - 1
      region(stencil, fields, outs, extent, from, to)
      from[d], to[d] = high[d] + 1, shape[d]
      region(stencil, fields, outs, extent, from, to)
      if high[d] < low[d] then return end        -- the two slabs covered everything
    end
  end

  --- Positions near the edges keep the values of the field of the same number.
  local function leave_edges(fields, outs, low, high)
    local shape = fields[1].shape
    for k, out in ipairs(outs) do
      for d = 1, #shape do
        local index = {}
        for e = 1, #shape do index[e] = e < d and { low[e], high[e] } or {} end
        if low[d] > 1 then
          index[d] = { 1, low[d] - 1 }
          out[index] = fields[k][index]
        end
        if high[d] < shape[d] then
          index[d] = { high[d] + 1, shape[d] }
          out[index] = fields[k][index]
        end
        if high[d] < low[d] then break end
      end
    end
  end

  local function apply(stencil, fields, outs, extent)
    local shape, low, high = fields[1].shape, {}, {}
    for d = 1, #shape do
      if shape[d] == 0 then return end
      low[d], high[d] = 1 + extent.low[d], shape[d] - extent.high[d]
      if high[d] < low[d] then low[d], high[d] = shape[d] + 1, shape[d] end  -- no interior: one slab covers everything
    end
    region(stencil, fields, outs, extent, low, high)
    if rule_of(stencil, 1) == "leave" then leave_edges(fields, outs, low, high)
    else edges(stencil, fields, outs, extent, low, high) end
  end

  -- ==== Calls ======================================================================================================

  --- The fields at the front of the arguments, and the options behind them.
  local function arguments(stencil, ...)
    local n, list, options = select("#", ...), { ... }, {}
    if n > 0 and type(list[n]) == "table" and not is_array(list[n]) then
      options, list[n], n = list[n], nil, n - 1
    end
    if n == 0 then fail(NAME, "no field; wanted an array for each parameter of the function") end
    for k = 1, n do
      local field = list[k]
      if not is_array(field) then fail(NAME, sformat("field %d is %s; wanted an array", k, core.describe(field))) end
      if field.ndim < 1 or field.ndim > MOST_AXES then
        fail(NAME, sformat("field %d has %d axes; wanted 1 to %d", k, field.ndim, MOST_AXES))
      end
      if not ma.same_shape(field, list[1]) then
        fail(NAME, sformat("field %d has shape %s; wanted %s, as field 1", k, common.shape_text(field),
          common.shape_text(list[1])))
      end
      if field.device ~= list[1].device then
        fail(NAME, sformat("field %d is on %s; wanted %s, as field 1", k, tostring(field.device),
          tostring(list[1].device)))
      end
    end
    local rules = stencil.boundary
    if not rules.all and #rules ~= list[1].ndim then
      fail(NAME, sformat("%d boundaries for fields of %d axes; wanted one for each axis", #rules, list[1].ndim))
    end
    if rule_of(stencil, 1) == "leave" and stencil.nout > n then
      fail(NAME, sformat("boundary \"leave\" with %d results of %d fields; wanted a field for each result",
        stencil.nout,
        n))
    end
    return list, options
  end

  local function check_out(out, k, fields)
    if not is_array(out) then fail(NAME, sformat("out %d is %s; wanted an array", k, core.describe(out))) end
    if not ma.same_shape(out, fields[1]) then
      fail(NAME, sformat("out %d has shape %s; wanted %s, as the fields", k, common.shape_text(out),
        common.shape_text(fields[1])))
    end
    if out.device ~= fields[1].device then
      fail(NAME, sformat("out %d is on %s; wanted %s, as the fields", k, tostring(out.device),
        tostring(fields[1].device)))
    end
    for f = 1, #fields do
      if ma.may_share_memory(out, fields[f]) then
        fail(NAME, sformat("out %d shares memory with field %d; wanted memory of its own, as neighbours are still read",
          k, f))
      end
    end
    return out
  end

  --- The arrays of the results: those that `out` names, or new ones.
  local function outputs(stencil, fields, extent, out)
    local outs = {}
    if out ~= nil then
      local given = is_array(out) and { out } or out
      if type(given) ~= "table" or #given ~= stencil.nout then
        fail(NAME, sformat("out is %s; wanted %s", type(given) == "table" and #given .. " arrays" or core.describe(out),
          stencil.nout == 1 and "an array" or "a table of " .. stencil.nout .. " arrays"))
      end
      for k = 1, stencil.nout do outs[k] = check_out(given[k], k, fields) end
      return outs
    end
    for k = 1, stencil.nout do
      outs[k] = ma.empty(fields[1].shape, { dtype = extent.dtype[k], device = fields[1].device })
    end
    return outs
  end

  local function check_options(options, allowed)
    for key in pairs(options) do
      if not allowed[key] then fail(NAME, sformat("no option %s", tostring(key))) end
    end
  end

  function Stencil:__call(...)
    local fields, options = arguments(self, ...)
    check_options(options, { out = true })
    local extent = extent_of(self, fields)
    local outs = outputs(self, fields, extent, options.out)
    apply(self, fields, outs, extent)
    return unpack(outs, 1, self.nout)
  end

  --- Runs many steps; each result becomes the field of its number. The given fields are not changed.
  function methods:run(...)
    local fields, options = arguments(self, ...)
    check_options(options, { steps = true })
    local steps = common.whole(NAME, "steps", options.steps == nil and 1 or options.steps, 0)
    if #fields ~= self.nout then
      fail(NAME, sformat("run with %d fields and %d results; wanted a result for each field", #fields, self.nout))
    end
    local extent, here, there = extent_of(self, fields), {}, {}
    for k = 1, #fields do
      if extent.dtype[k] ~= fields[k].dtype then
        fail(NAME, sformat("result %d is %s of a %s field; wanted one dtype, since a result becomes a field", k,
          extent.dtype[k], fields[k].dtype))
      end
      here[k] = fields[k]:copy()
      there[k] = ma.empty(fields[k].shape, { dtype = fields[k].dtype, device = fields[k].device })
    end
    -- Evaluates a step before the next one begins: writing over inputs of a deferred step would copy them first.
    local function two_steps()
      apply(self, here, there, extent)
      ma.eval(unpack(there))
      apply(self, there, here, extent)
      ma.eval(unpack(here))
    end
    local left = steps
    if left >= GRAPH_STEPS then
      local graph = ma.cuda.graph(two_steps)     -- it calls the function once before it records
      left = left - 2
      while left >= 2 do
        graph()
        left = left - 2
      end
      graph:free()
    end
    while left >= 2 do
      ma.scope(two_steps)
      left = left - 2
    end
    if left == 1 then
      apply(self, here, there, extent)
      here = there
    end
    return unpack(here, 1, #fields)
  end

  common.guard(NAME, Stencil, methods)
  function Stencil:__index(key)
    local method = methods[key]
    if method == nil then fail(NAME, sformat("no method %s; it has run, and is called", tostring(key))) end
    return method
  end

  function Stencil:__tostring() return sformat("moonarray stencil of %d results", rawget(self, "nout")) end

  def("stencil(fn; boundary?, value?, out?)",
    "A function of fields (arrays of one shape, 1 to 3 axes) whose result at each position is fn(u, v, ...): u(0, " ..
      "0) is "
    .. "the element there, u(-1, 0) the one before it along axis 1. boundary is \"constant\" (value, 0), \"wrap\", "
    .. "\"nearest\", \"reflect\" (d c b a | a b c d), \"mirror\" (d c b | a b c d) or \"leave\", which keeps the " ..
      "field's "
    .. "elements; or a table of one for each axis. out is how many results fn gives. s(u, v, {out = ...}) applies it, "
    .. "s:run(u, v, {steps = n}) applies it n times and gives the fields then.",
    function(fn, boundary, value, out)
      common.callable(NAME, "fn", fn)
      local nout = common.whole(NAME, "out", out == nil and 1 or out, 1)
      if value ~= nil and type(value) ~= "number" and type(value) ~= "boolean" then
        fail(NAME, sformat("value is %s; wanted a number", core.describe(value)))
      end
      return setmetatable({ fn = fn, nout = nout, boundary = boundaries(boundary), value = value or 0, extents = {},
        places = {} }, Stencil)
    end)
end
