--- Stencils over sharded arrays. A part is computed as a whole while the neighbours' positions move, and then the few
--- positions next to another rank's part once more, from strips that have those neighbours. At the ends of the whole
--- the boundary's rule is the stencil's own. Many steps on the CPU exchange for several of them at once, since nothing
--- moves there while a rank computes.

local sformat, max = require("moonarray.text").format, math.max
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, _, sh)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local D = ma.distributed
  local NAME = "distributed.stencil"

  -- ==== Neighbours ===================================================================================================

  --- The ranks before and behind this one; nil at an end of the whole.
  local function neighbours(x, wraps)
    local rank, size = x.group.rank, x.group.size
    if size == 1 then return nil, nil end
    local previous = rank > 0 and rank - 1 or wraps and size - 1 or nil
    local following = rank < size - 1 and rank + 1 or wraps and 0 or nil
    return previous, following
  end

  local function check_thickness(name, x, least)
    for r, n in ipairs(x.sizes) do
      if n < least then
        fail(name, sformat("rank %d has %d positions along the sharded axis; wanted at least %d, as far as "
          .. "neighbours reach", x.group.ranks[r], n, least))
      end
    end
  end

  --- Begins to move `low` positions to the next rank and `high` to the previous one, and returns what to wait for.
  --- There is one call with each neighbour. Every other rank turns to the previous one first, so the calls of two ranks
  --- that are neighbours on both sides meet in one order.
  local function exchange(x, part, previous, following, low, high, from_previous, from_following)
    local n, works, axis = part.shape[x.axis], {}, x.axis
    local function with_following()
      if not following then return end
      works[#works + 1] = D.sendrecv(low > 0 and common.along(part, axis, n - low + 1, n) or nil,
        low > 0 and following or nil, high > 0 and from_following or nil, high > 0 and following or nil,
        { group = x.group, async_op = true })
    end
    local function with_previous()
      if not previous then return end
      works[#works + 1] = D.sendrecv(high > 0 and common.along(part, axis, 1, high) or nil,
        high > 0 and previous or nil, low > 0 and from_previous or nil, low > 0 and previous or nil,
        { group = x.group, async_op = true })
    end
    if x.group.rank % 2 == 0 then with_following() end
    with_previous()
    if x.group.rank % 2 == 1 then with_following() end
    return works
  end

  --> distributed.Array.padded: local D = ma.distributed
  -->   D.init()
  -->   local x = D.array(ma.arange(4), {halo = 1})
  -->   return x:padded(), x:padded {wrap = true}
  sh.method("padded(x: sharded_array; wrap?: boolean) -> array",
    "An array of this rank: its part with x.halo positions more on each side of the "
    .. "sharded axis, which are the neighbours'. Outside the whole there are none, unless `wrap` continues it from its "
    .. "other end.", function(x, wrap)
      local name, h = "distributed.Array.padded", x.halo
      if h == 0 then fail(name, "a sharded array with halo = 0; wanted one that was made with a halo") end
      check_thickness(name, x, h)
      local previous, following = neighbours(x, wrap)
      local shape, n = {}, x.part.shape[x.axis]
      for d = 1, x.ndim do shape[d] = x.part.shape[d] end
      if wrap and x.group.size == 1 then
        return ma.concatenate({ common.along(x.part, x.axis, n - h + 1, n), x.part,
          common.along(x.part, x.axis, 1, h) }, x.axis)
      end
      shape[x.axis] = n + (previous and h or 0) + (following and h or 0)
      local before = previous and h or 0
      local out = ma.empty(shape, { dtype = x.dtype, device = x.device })
      local works = exchange(x, x.part, previous, following, h, h,
        previous and common.along(out, x.axis, 1, h), following and common.along(out, x.axis, before + n + 1,
          before + n + h))
      common.along(out, x.axis, before + 1, before + n):assign(x.part)
      for _, work in ipairs(works) do work:wait() end
      return out
    end)

  -- ==== The reach ====================================================================================================

  --- How far fn looks before and behind a position along an axis: it runs over single elements that note it.
  local function reach_of(fn, fields, axis)
    local low, high = 0, 0
    local accessors, dtypes, device = {}, {}, type(fn) == "table" and fn or nil
    if device then fn = device.fn end
    for k, x in ipairs(fields) do
      dtypes[k] = x.dtype
      accessors[k] = function(...)
        local offset = select(axis, ...)
        if type(offset) ~= "number" then error("an offset that depends on elements", 0) end
        low, high = max(low, -offset), max(high, offset)
        return ma.zeros({}, { dtype = x.dtype, device = x.device })
      end
    end
    local done, why = pcall(function()
      local form = core.element_rule(NAME, fn, true)
      if form then core.stencil_rule(fields[1].dtype, form, fields[1].dtype, unpack(accessors, 1, #fields))
      else core.stencil_rule(fields[1].dtype, fn, unpack(accessors, 1, #fields)) end
    end)
    if done then return low, high end
    local body = core.stencil_body(fn, device, nil, fields[1].ndim, dtypes)     -- beyond selects
    if not body then error(why, 0) end
    if #body.reached > 0 and fields[1].group.size > 1 then
      fail(NAME, "a neighbour at an offset that depends on elements, which may lie with any rank; wanted constant "
        .. "offsets")
    end
    low, high = 0, 0
    for _, read in ipairs(body.reads) do low, high = max(low, -read[axis + 1]), max(high, read[axis + 1]) end
    return low, high
  end

  -- ==== One step =====================================================================================================

  local stream          -- for what moves while a part is computed on a GPU

  --- What a step needs beside the fields: the reach, the neighbours, and memory for the strips.
  local function prepare(stencil, fields)
    local x = fields[1]
    local low, high = reach_of(stencil.fn, fields, x.axis)
    local rule = stencil.rules[x.axis] or stencil.rules[1]
    local previous, following = neighbours(x, rule == "wrap")
    local plan = { axis = x.axis, low = low, high = high, previous = previous, following = following, like = x }
    if x.group.size > 1 then check_thickness(NAME, x, max(1, low + high)) end
    local function strips(rows)
      local list = {}
      for k, field in ipairs(fields) do
        local shape = {}
        for d = 1, field.ndim do shape[d] = d == x.axis and rows or field.shape[d] end
        list[k] = ma.empty(shape, { dtype = field.dtype, device = field.device })
      end
      return list
    end
    if previous and low > 0 then plan.first = strips(2 * low + high) end
    if following and high > 0 then plan.last = strips(low + 2 * high) end
    if x.device ~= "cpu" and (plan.first or plan.last) then
      stream = stream or ma.cuda.Stream { non_blocking = true }
      plan.stream = stream
    end
    return plan
  end

  --- Begins the exchange of all parts, whose neighbours' positions come into the strips.
  local function begin(plan, parts)
    local works, axis, low, high = {}, plan.axis, plan.low, plan.high
    for k, part in ipairs(parts) do
      local before = plan.first and common.along(plan.first[k], axis, 1, low)
      local behind = plan.last and common.along(plan.last[k], axis, low + high + 1, low + 2 * high)
      for _, work in ipairs(exchange(plan.like, part, plan.previous, plan.following, low, high, before, behind)) do
        works[#works + 1] = work
      end
    end
    return works
  end

  --- The results of the strips: of the first one positions low + 1 to 2 * low count, of the last one low + 1 to
  --- low + high.
  local function of_strips(stencil, plan, parts, works)
    local axis, low, high = plan.axis, plan.low, plan.high
    local n = parts[1].shape[axis]
    for k, part in ipairs(parts) do
      if plan.first then
        common.along(plan.first[k], axis, low + 1, 2 * low + high):assign(common.along(part, axis, 1, low + high))
      end
      if plan.last then
        common.along(plan.last[k], axis, 1, low + high):assign(common.along(part, axis, n - low - high + 1, n))
      end
    end
    for _, work in ipairs(works) do work:wait() end
    return plan.first and { stencil.own(unpack(plan.first)) }, plan.last and { stencil.own(unpack(plan.last)) }
  end

  --- The stencil over the parts alone. `outs`: where the results go, or nil for new arrays.
  local function of_parts(stencil, parts, outs)
    if not outs then return { stencil.own(unpack(parts)) } end
    local list = { unpack(parts) }
    list[#list + 1] = { out = #outs == 1 and outs[1] or outs }
    stencil.own(unpack(list))
    return outs
  end

  --- Applies the stencil to parts, and returns the results. On a GPU the exchange and the strips are on a stream of
  --- their own.
  local function step(stencil, plan, parts, outs)
    local axis, low, high = plan.axis, plan.low, plan.high
    local n, first, last = parts[1].shape[axis], nil, nil
    if plan.stream then
      plan.stream:with(function() first, last = of_strips(stencil, plan, parts, begin(plan, parts)) end)
      outs = of_parts(stencil, parts, outs)
    else
      local works = begin(plan, parts)
      outs = of_parts(stencil, parts, outs)
      first, last = of_strips(stencil, plan, parts, works)
    end
    for k, out in ipairs(outs) do
      if first then common.along(out, axis, 1, low):assign(common.along(first[k], axis, low + 1, 2 * low)) end
      if last then
        common.along(out, axis, n - high + 1, n):assign(common.along(last[k], axis, low + 1, low + high))
      end
    end
    return outs
  end

  -- ==== Many steps between exchanges =================================================================================

  local EXCHANGE, POSITION = 50e-6, 0.2e-9          -- seconds of an exchange, and of a position in a step

  --- The number of steps for which one exchange is to suffice. With halos for k steps, each step computes k * reach
  --- positions more along the axis, and costs the k-th part of an exchange. Every rank gets the same number.
  local function steps_together(x, reach, steps)
    local row, least = 1, math.huge
    for d = 1, x.ndim do row = d == x.axis and row or row * x.shape[d] end
    for _, n in ipairs(x.sizes) do least = math.min(least, n) end
    if reach == 0 then return steps end
    local best = math.floor(math.sqrt(EXCHANGE / (reach * max(1, row) * POSITION)))
    return max(1, math.min(best, math.floor(least / 4 / reach), steps))
  end

  --- Runs the steps on parts with halos for several of them. Positions of a halo that are not right any more lie near
  --- its end, and never reach the part itself. At the ends of the whole there is no halo, and
  --- the boundary's rule is the stencil's own.
  local function run_together(stencil, fields, parts, steps)
    local x = fields[1]
    local axis, low, high = x.axis, reach_of(stencil.fn, fields, x.axis)
    local previous, following = neighbours(x, (stencil.rules[axis] or stencil.rules[1]) == "wrap")
    check_thickness(NAME, x, max(1, low + high))
    local k, n = steps_together(x, low + high, steps), parts[1].shape[axis]
    local before, behind = previous and low * k or 0, following and high * k or 0
    local wide = {}
    for i, part in ipairs(parts) do
      local shape = {}
      for d = 1, x.ndim do shape[d] = d == axis and before + n + behind or part.shape[d] end
      wide[i] = ma.empty(shape, { dtype = part.dtype, device = part.device })
      common.along(wide[i], axis, before + 1, before + n):assign(part)
    end
    local function inner(a) return common.along(a, axis, before + 1, before + n) end
    local function refresh()
      local works = {}
      for _, a in ipairs(wide) do
        for _, work in ipairs(exchange(x, inner(a), previous, following, low * k, high * k,
          before > 0 and common.along(a, axis, 1, before),
          behind > 0 and common.along(a, axis, before + n + 1, before + n + behind))) do
          works[#works + 1] = work
        end
      end
      for _, work in ipairs(works) do work:wait() end
    end
    -- Two sets of arrays take turns. A step's results lie where the fields of the step before it lay.
    local others, there = {}, { unpack(wide) }
    for i, a in ipairs(wide) do others[i] = ma.empty_like(a) end
    local back = { unpack(others) }
    local function out(list) return { out = #list == 1 and list[1] or list } end
    there[#there + 1], back[#back + 1] = out(others), out(wide)
    while steps > 0 do
      ma.scope(refresh)
      for _ = 1, math.min(k, steps) do
        stencil.own(unpack(there))
        wide, others, there, back = others, wide, back, there
      end
      steps = steps - k
    end
    local results = {}
    for i, a in ipairs(wide) do results[i] = inner(a):copy() end
    return results
  end

  -- ==== The object ===================================================================================================

  local Stencil, methods = {}, {}

  local function fields_of(...)
    local n, list, options = select("#", ...), { ... }, {}
    if n > 0 and type(list[n]) == "table" and getmetatable(list[n]) == nil then
      options, list[n] = list[n], nil
      common.no_list(NAME, n, options)
    end
    if #list == 0 then fail(NAME, "no field; wanted a sharded array") end
    for k, x in ipairs(list) do
      sh.check(NAME, x)
      if not sh.same_place(x, list[1]) or not ma.same_shape(x.part, list[1].part) then
        fail(NAME, sformat("field %d is %s; wanted the parts of field 1, %s", k, tostring(x), tostring(list[1])))
      end
    end
    return list, options
  end

  local function parts_of(fields)
    local parts = {}
    for k, x in ipairs(fields) do parts[k] = x.part.is_contiguous and x.part or x.part:copy() end
    return parts
  end

  local function wrapped(x, parts)
    local list = {}
    for k, part in ipairs(parts) do list[k] = sh.like(x, part) end
    return unpack(list)
  end

  function Stencil:__call(...)
    local fields, options = fields_of(...)
    for key in pairs(options) do
      fail(NAME, sformat("no option %s; a stencil of sharded arrays takes none", tostring(key)))
    end
    return wrapped(fields[1], step(self, prepare(self, fields), parts_of(fields)))
  end

  --> = sharded_stencil | ma.distributed.stencil(function(u) return u(1) - u(0) end) | A stencil of sharded arrays.
  --> + call(...): sharded_array
  --> :run(...: any) -> sharded_array ... | Runs it { steps = n } times:
  --> \ each result becomes the field of its number; those given stay.
  --> sharded_stencil:run: ma.distributed.init()
  -->   local u = ma.distributed.distribute(ma.array {1, 2, 4, 8})
  -->   return sharded_stencil:run(u, {steps = 2}):all_gather()
  function methods:run(...)
    local fields, options = fields_of(...)
    for key in pairs(options) do
      if key ~= "steps" then fail(NAME, sformat("no option %s; the option is steps", tostring(key))) end
    end
    local steps = common.whole(NAME, "steps", options.steps == nil and 1 or options.steps, 0)
    if #fields ~= self.nout then
      fail(NAME, sformat("run with %d fields and %d results; wanted a result for each field", #fields, self.nout))
    end
    local parts = parts_of(fields)
    if fields[1].group.size == 1 then
      local list = { unpack(parts) }
      list[#list + 1] = { steps = steps }
      return wrapped(fields[1], { self.own:run(unpack(list)) })
    end
    if fields[1].device == "cpu" then return wrapped(fields[1], run_together(self, fields, parts, steps)) end
    local plan, here, there = prepare(self, fields), {}, {}
    for k, part in ipairs(parts) do
      here[k] = part:copy()
      there[k] = ma.empty(part.shape, { dtype = part.dtype, device = part.device })
    end
    for _ = 1, steps do
      ma.scope(function() step(self, plan, here, there) end)
      here, there = there, here
    end
    return wrapped(fields[1], here)
  end

  Stencil.__name = "moonarray.distributed.Stencil"
  Stencil.__index = common.attributes("distributed.Stencil", methods)

  --> distributed.stencil: local D = ma.distributed
  -->   D.init()
  -->   local smooth = D.stencil(function(u) return (u(-1) + u(0) + u(1)) / 3 end, {boundary = "nearest"})
  -->   local u = D.distribute(ma.array {0, 0, 9, 0, 0})
  -->   return smooth(u):all_gather(), smooth:run(u, {steps = 2}):all_gather()
  def("distributed.stencil(fn: function; boundary?: string|string[], value?: number, out?: array) -> sharded_stencil",
    "As ma.stencil, over sharded arrays: a function of fields "
    .. "whose result at each position is fn(u, v, ...). The ranks exchange the positions that their neighbours need, "
    .. "while they compute their own. s(u, v) applies it, s:run(u, v, {steps = n}) applies it n times. The results "
    .. "have the bits of one rank. Arrays from outside that fn uses have no axes; others are fields.",
    function(fn, boundary, value, out)
      local own = ma.stencil(fn, { boundary = boundary, value = value, out = out })
      if type(fn) == "string" then fn = assert((rawget(_G, "loadstring") or load)("return " .. fn))() end
      return setmetatable({ fn = fn, own = own, nout = out or 1,
        rules = type(boundary) == "table" and boundary or { boundary or "constant" } }, Stencil)
    end)
end
