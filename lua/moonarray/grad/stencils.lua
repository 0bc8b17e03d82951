--- What flows back through stencils. The function becomes an expression; what flows to a field is a stencil too, whose
--- neighbours are on the other side: exact for `wrap` and for `constant` 0. Under other boundaries that of a linear
--- function also adds what flows to elements which are repeated beyond an edge. That of another function runs over
--- fields that were completed at their edges, and what flows to the slabs there is added to these elements.
---
--- A function that is no expression, such as one that reads an array from outside, runs operation by operation.

local sformat = require("moonarray.text").format

local MOST = 6                                           -- fields of a stencil that is made here
local KEPT = 64                                          -- expressions of a stencil of which they are kept

return function(core, tape, rows)
  local ma, note = core.library, tape.note
  local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
  local symbols = require "moonarray.grad.symbols" (core, rows)

  --- The results of the function as expressions, and how far it reads along each axis.
  local function traced(stencil, fields)
    local ndim, nfield, accessors, low, high = fields[1].ndim, #fields, {}, {}, {}
    for d = 1, ndim do low[d], high[d] = 0, 0 end
    for k = 1, nfield do
      accessors[k] = function(...)
        local offset = { ... }
        assert(#offset == ndim and select("#", ...) == ndim)
        for d = 1, ndim do
          local o = offset[d]
          assert(type(o) == "number" and o % 1 == 0 and math.abs(o) <= 4096)
          low[d], high[d] = math.max(low[d], -o), math.max(high[d], o)
        end
        return symbols.read(k, offset)
      end
    end
    local form, dtype = core.element_rule("stencil", stencil.fn, true), fields[1].dtype
    local results
    if form then
      results = { core.stencil_rule(dtype, form, dtype, unpack(accessors, 1, nfield)) }
    else
      results = { core.stencil_rule(dtype, stencil.fn, unpack(accessors, 1, nfield)) }
    end
    assert(#results == stencil.nout)
    for k = 1, #results do assert(symbols.is_node(results[k]) or type(results[k]) == "number") end
    return { results = results, low = low, high = high }
  end

  --- So many positions from an edge on may be repeated beyond it: mirror does not repeat the first.
  local function span_of(trace, d) return math.max(trace.low[d], trace.high[d]) + 1 end

  --- What flows to positions that are repeated beyond the edges along an axis, added to `sum`, which reads what flows
  --- to the result and nothing else. Field -d is 1, 2 ... from the first position along axis d on, and -1, -2 ... from
  --- the last one on; 0 between.
  local function with_edges(sum, trace, d, repeated)
    local here, span, folded = {}, span_of(trace, d), sum
    for e = 1, #trace.low do here[e] = 0 end
    local at, n = symbols.read(-d, here), 2 * span + 1
    local function add(p, least, most)
      local q = repeated(p, n)
      local part = symbols.shifted(sum, 0, d, p - q, least(q), most(q))
      if part ~= 0 then folded = folded + ma.where(ma.equal(at, q <= span and q or q - n - 1), part, 0) end
    end
    for p = 0, 1 - trace.low[d], -1 do
      add(p, function(q) return 1 - q end, function() return math.huge end)
    end
    for p = n + 1, n + trace.high[d] do
      add(p, function() return -math.huge end, function(q) return n - q end)
    end
    return folded
  end

  --- A stencil that gives `sum`, whose first field is what flows to the result, which has the number 0 here.
  local function made_of(stencil, sum, boundary)
    local number, reads = { [0] = 1 }, {}
    symbols.each_read(sum, function(read)
      if not number[read.field] then
        reads[#reads + 1] = read.field
        number[read.field] = #reads + 1
      end
    end)
    assert(#reads < MOST)
    local text = symbols.text(sum, #reads + 1, number)
    local made = ma.stencil(symbols.compile(text), { boundary = boundary, compile = stencil.compile })
    return { stencil = made, reads = reads }
  end

  --- The stencil of what flows from result j to field k: {stencil =, reads = list of fields}; false where nothing does.
  --- `edged`: one that reads no field, and adds what flows to repeated positions itself.
  local function backward(stencil, trace, j, k, boundary, mapped)
    local y, sum = trace.results[j], nil
    if not symbols.is_node(y) then return false end
    local here = {}
    for d = 1, #trace.low do here[d] = 0 end
    for _, pair in ipairs(symbols.flows(y, symbols.read(0, here))) do
      local read, flow = pair[1], pair[2]
      if read.field == k then
        local by = {}
        for d, o in ipairs(read.offset) do by[d] = -o end
        flow = symbols.moved(flow, by)
        sum = sum and sum + flow or flow
      end
    end
    if not sum then return false end
    local made, edged = made_of(stencil, sum, boundary), sum
    for d = 1, #made.reads == 0 and #here or 0 do
      local repeated = mapped[stencil.boundary[d] or stencil.boundary[1]]
      if repeated and boundary[d] ~= "wrap" and trace.low[d] + trace.high[d] > 0 then
        edged = with_edges(edged, trace, d, repeated)
      end
    end
    if #made.reads == 0 then made.edged = edged == sum and made or made_of(stencil, edged, boundary) end
    made.edges = {}
    return made
  end

  --- How far the fields are completed at their edges, and the boundary of each axis behind that.
  local function edges(stencil, trace)
    local boundary, low, high, any = {}, {}, {}, false
    for d = 1, #trace.low do
      local rule = stencil.boundary[d] or stencil.boundary[1]
      local exact = rule == "wrap" or rule == "constant" and stencil.value == 0
      boundary[d] = rule == "wrap" and "wrap" or "constant"
      low[d], high[d] = exact and 0 or trace.low[d], exact and 0 or trace.high[d]
      any = any or low[d] + high[d] > 0
    end
    return boundary, any and low, high
  end

  --- The elements of a field that was completed at its edges, with what was added there.
  local function folded(stencil, g, shape, low, high, mapped)
    for d = #shape, 1, -1 do
      local rule, n = stencil.boundary[d] or stencil.boundary[1], shape[d]
      if low[d] + high[d] > 0 then
        local inner = core.along(g, d, low[d] + 1, low[d] + n):copy()
        for p = 1 - low[d], rule == "constant" and -low[d] or n + high[d] do
          if p < 1 or p > n then
            local q = mapped[rule](p, n)
            core.along(inner, d, q, q):iadd(core.along(g, d, p + low[d], p + low[d]))
          end
        end
        g = inner
      end
    end
    return g
  end

  -- ==== Edges within the stencil =====================================================================================

  local aside = core.scope_aside()                         -- edges are kept beyond the scope in which they were made

  --- The positions along axis d, as with_edges has them, for each element of g. The last shape's are kept.
  local function edge_of(to, g, d, trace)
    local n, key = g.shape[d], sformat("%s,%s,%s", table.concat(g.shape, ","), g.dtype, g.device)
    if to.edges.key ~= key then to.edges = { key = key } end
    local edge = to.edges[d]
    if not edge then
      local span, list, extents = span_of(trace, d), {}, {}
      for p = 1, n do list[p] = p <= span and p or p > n - span and p - n - 1 or 0 end
      for e = 1, g.ndim do extents[e] = e == d and n or 1 end
      edge = core.unrecorded(function()
        local along = ma.array(list, { dtype = g.dtype, device = g.device }):reshape(extents)
        return ma.broadcast_to(along, g.shape):copy():eval()
      end)
      core.place(edge, true, aside)
      to.edges[d] = edge
    end
    return edge
  end

  --- Whether no position is repeated from beyond the other edge.
  local function fits_edges(shape, trace)
    for d = 1, #shape do
      if shape[d] < 2 * span_of(trace, d) + 1 then return false end
    end
    return true
  end

  local function edged_flow(to, g, trace)
    local list = { g }
    for _, f in ipairs(to.edged.reads) do list[#list + 1] = edge_of(to, g, -f, trace) end
    return to.edged.stencil(unpack(list))
  end

  local function usable(stencil, fields)
    if stencil.device or stencil.boundary[1] == "leave" then return false end
    local known = false
    for _, field in ipairs(fields) do
      if tape.is_complex(field) or field.size == 0 then return false end
      known = known or tape.is_known(field)
    end
    return known
  end

  local ids, last = setmetatable({}, { __mode = "k" }), 0

  local NOTHING = {}

  --- What a function takes from outside, as text; nothing where it takes arrays, or nobody can see it all. `kept` has
  --- what the last look found, which holds until one of these values is another.
  local function outside_of(fn, kept)
    if kept.list and core.outside_holds(kept.list) then return kept.text end
    local list, again, _, full = core.taken(fn)
    kept.list = nil
    if full then return nil end
    local words = {}
    for k = 3, list and #list or 0, 3 do
      local value = list[k]
      local kind = type(value)
      if value == list then words[k / 3] = "nil"
      elseif kind == "number" then words[k / 3] = sformat("%.17g", value)
      elseif kind == "table" or kind == "function" then
        if not ids[value] then ids[value], last = last + 1, last + 1 end
        words[k / 3] = "#" .. ids[value]
      elseif kind == "string" or kind == "boolean" then words[k / 3] = sformat("%q", tostring(value))
      else return nil end
    end
    kept.list, kept.text = not again and (list or NOTHING) or nil, table.concat(words, ";")
    return kept.text
  end

  --- What flows from each result to each differentiated field, and how far fields are completed at their edges. It is
  --- kept for calls in which the function takes the same from outside, or is the same expression.
  local function way_back(stencil, fields, mapped)
    local mask, first = 0, fields[1]
    for k, field in ipairs(fields) do mask = tape.is_known(field) and mask + 2 ^ k or mask end
    local kept = stencil.backward or { n = 0, look = {} }
    local before, look = kept.last, kept.look
    if before and before.mask == mask and before.dtype == first.dtype and before.ndim == first.ndim and look.list
      and core.outside_holds(look.list) then
      return before.way
    end
    local outside = outside_of(stencil.fn, look)
    local form = sformat("%d,%s,%d;", mask, first.dtype, first.ndim)
    local short = outside and form .. outside
    kept.last = nil
    if short and kept[short] then
      kept.last = { mask = mask, dtype = first.dtype, ndim = first.ndim, way = kept[short] }
      return kept[short]
    end
    local trace = traced(stencil, fields)
    local key = form .. symbols.key(trace.results)
    local way = kept[key]
    if not way then
      if kept.n == KEPT then
        assert(fields[1].device == "cpu")                              -- elsewhere each is compiled for a while
        kept = { n = 0, look = kept.look }
      end
      local boundary, low, high = edges(stencil, trace)
      way = { back = {}, low = low, high = high, trace = trace }
      for j = 1, stencil.nout do
        way.back[j] = {}
        for k = 1, #fields do
          local known = math.floor(mask / 2 ^ k) % 2 == 1
          way.back[j][k] = known and backward(stencil, trace, j, k, boundary, mapped)
        end
      end
      kept[key], kept.n = way, kept.n + 1
    end
    if short and kept.short ~= short then
      if kept.short then kept[kept.short] = nil end
      kept[short], kept.short = way, short
    end
    stencil.backward = kept
    return way
  end

  --- The way of the call before, if all fields lie as they did then and the function takes the same from outside.
  local function same_way(kept, fields)
    local before = kept and kept.last
    if not before or not before.places or #fields ~= #before.places then return nil end
    for k = 1, #fields do
      local known, _, at = tape.is_known(fields[k])
      if not known or at ~= before.places[k] then return nil end
    end
    return kept.look.list and core.outside_holds(kept.look.list) and before.way or nil
  end

  --- The way back of a call, or nothing.
  local function find_way(stencil, fields, mapped)
    local way = same_way(stencil.backward, fields)
    if way or not usable(stencil, fields) then return way end
    way = symbols.try(way_back, stencil, fields, mapped)
    local found, places = way and stencil.backward.last, {}
    if not found then return way end
    for k = 1, #fields do places[k] = select(3, tape.is_known(fields[k])) end
    found.places = #places == #fields and places or nil
    return way
  end

  --- What flows to a field from a result, to which g flows. `kept`: the fields that it reads, by their numbers.
  local function flow_to(stencil, to, way, kept, parts, g)
    local low, high = way.low, way.high
    if not low and #to.reads == 0 then return to.stencil(g) end
    if low and to.edged and fits_edges(g.shape, way.trace) then return edged_flow(to, g, way.trace) end
    local shape, list, width = g.shape, { g }, {}
    for d = 1, low and #shape or 0 do width[d] = { low[d], high[d] } end
    if low then list[1] = ma.pad(g, width) end
    for _, f in ipairs(to.reads) do
      list[#list + 1] = low and parts.completed(stencil, kept[f], low, high) or kept[f]
    end
    local flow = to.stencil(unpack(list))
    return low and folded(stencil, flow, shape, low, high, parts.mapped) or flow
  end

  --- The list of results of a stencil in a function that is differentiated, or nothing: then it runs by operations.
  function core.flows.stencil(stencil, fields, parts)
    local way = find_way(stencil, fields, parts.mapped)
    if not way then return nil end
    local results = { core.unrecorded(stencil.object, unpack(fields)) }
    for j, y in ipairs(results) do
      local saved, kept, ways = nil, nil, way.back[j]
      for k = 1, #fields do
        for _, f in ipairs(ways[k] and ways[k].reads or NOTHING) do
          saved, kept = saved or {}, kept or {}
          if not kept[f] then saved[#saved + 1] = fields[f] end
          kept[f] = fields[f]
        end
      end
      if tape.is_real(y) then
        note("stencil", fields, y, function(g, k)
          local to = ways[k]
          return to and flow_to(stencil, to, way, kept, parts, g) or nil
        end, saved)
      end
    end
    return results
  end
end
