--- Stencils in their plain form: the rule is called at each position.

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, scalar)
  local fail, plain = core.fail, core.plain
  local common = require "moonarray.common" (core)
  local NAME = "stencil"

  --- What a run has: the fields' elements, and how far the rule has read.
  local function start(stencil, fields)
    local run = { shape = fields[1].shape, ndim = fields[1].ndim, low = {}, high = {}, at = {}, lists = {},
      outside = {} }
    for d = 1, run.ndim do run.low[d], run.high[d], run.at[d] = 0, 0, 1 end
    function run.add(k, field)
      run.lists[k] = plain.elements(field)
      run.outside[k] = plain.elements(ma.array({ stencil.value }):astype(field.dtype))[1]
    end
    for k, field in ipairs(fields) do run.add(k, field) end
    return run
  end

  --- Makes whole numbers of those of n offsets that are elements, as a conversion does. Returns which ones they were,
  --- or nil.
  local function settle(offset, n)
    local free
    for d = 1, n do
      if type(offset[d]) == "cdata" and scalar.is(offset[d]) and not offset[d].dtype:find "^complex" then
        free = free or {}
        offset[d], free[d] = scalar.whole(offset[d]), true
      end
    end
    return free
  end

  --- u(offset, ...) of field k. `edges`: parts of lua/moonarray/stencil.lua.
  local function accessor(stencil, run, k, edges)
    local list, shape, at, boundary = run.lists[k], run.shape, run.at, stencil.boundary
    return function(...)
      local offset, place = { ... }, 0
      local free = settle(offset, select("#", ...))
      if free and boundary[1] == "leave" then
        fail(NAME, ("offset %d of a neighbour depends on elements, with boundary \"leave\"; wanted another boundary")
          :format((next(free))))
      end
      edges.check_offsets(offset, select("#", ...), run.ndim, free)
      for d = 1, run.ndim do
        local p, rule = at[d] + offset[d], boundary[d] or boundary[1]
        run.low[d], run.high[d] = math.max(run.low[d], -offset[d]), math.max(run.high[d], offset[d])
        if p < 1 or p > shape[d] then
          if rule == "constant" then return run.outside[k] end
          p = edges.mapped[rule](p, shape[d])
        end
        place = place * shape[d] + p - 1
      end
      return list[place + 1]
    end
  end

  --- The next position, in C order.
  local function step(run)
    local d = run.ndim
    while d >= 1 and run.at[d] == run.shape[d] do
      run.at[d] = 1
      d = d - 1
    end
    if d >= 1 then run.at[d] = run.at[d] + 1 end
  end

  --- Structs, whose fields are further fields of the run.
  local function of_structs(stencil, run, structs, edges)
    return core.struct_standin(structs, 0, NAME, function(view)
      local k = #run.lists + 1
      run.add(k, view)
      return accessor(stencil, run, k, edges)
    end)
  end

  --- Checks the fields, and computes the results.
  local function apply(stencil, edges, fields, out)
    local structs = {}
    for k, field in ipairs(fields) do
      local model = plain.model(field)
      if model then structs[k], fields[k] = field, model end
      if model and stencil.boundary[1] == "leave" then
        fail(NAME, "boundary \"leave\" with structs; wanted their fields, such as units.x")
      end
    end
    edges.check_fields(fields)
    local run = start(stencil, fields)
    local accessors, size, lists, dtypes = {}, fields[1].size, nil, nil
    for k = 1, #fields do
      accessors[k] = structs[k] and of_structs(stencil, run, structs[k], edges) or accessor(stencil, run, k, edges)
    end
    plain.within(stencil.fn, run.shape, fields[1].dtype, function(place)
      lists, dtypes = plain.collect(NAME, size, stencil.nout, function(k)
        place(k)
        if k > 1 then step(run) end
        return stencil.fn(unpack(accessors, 1, #fields))
      end, function(kind) return plain.of_first(kind, fields[1]) end)
    end)
    local results = {}
    for r = 1, stencil.nout do results[r] = plain.array(lists[r], dtypes[r], run.shape, fields[1].device) end
    local outs = edges.outputs(stencil, fields, results, out)
    for r = 1, stencil.nout do outs[r]:assign(results[r]) end
    if stencil.boundary[1] == "leave" then edges.leave_edges(fields, outs, run.low, run.high) end
    return unpack(outs, 1, stencil.nout)
  end

  --- The stencil as an object that is called with fields.
  return function(stencil, edges)
    return setmetatable(stencil, {
      __tostring = function() return "stencil in its plain form" end,
      __index = { run = function(self, ...) return edges.run(self, self.nout, ...) end },
      __call = function(self, ...)
        local n, fields, out = select("#", ...), { ... }, nil
        if n > 0 and type(fields[n]) == "table" then
          common.no_list(NAME, n, fields[n])
          for key in pairs(fields[n]) do
            if key ~= "out" then fail(NAME, ("no option %s; the option is out"):format(tostring(key))) end
          end
          out, fields[n] = fields[n].out, nil
        end
        return apply(self, edges, fields, out)
      end,
    })
  end
end
