--- What flows back through kernels of the user's: what their `derivative` says.

local sformat = require("moonarray.text").format

return function(core, tape, kit)
  local ma, plainly, note, is_array = core.library, core.plainly, tape.note, core.is_array
  local rules, refuse, any_known = kit.rules, kit.refuse, tape.any_known
  local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

  local function pack(...) return { n = select("#", ...), ... } end

  --- What `derivative` gave for argument k, as an array that fits it.
  local function flow_of(name, x, k, c)
    if c == nil then return nil end
    local ok, flow = pcall(function()
      local array = core.beside(c, nil, x)
      return array.ndim > x.ndim and array or ma.broadcast_to(array, ma.broadcast_shapes(array.shape, x.shape))
    end)
    if not ok then
      core.fail("grad", sformat("the derivative of %s gave %s for argument %d; wanted what flows to %s", name,
        core.describe(c), k, core.describe(x)))
    end
    return flow
  end

  --- The arrays of which something flows to one result: g to that of number j, 0 to the others.
  local function flows_to(results, j, g)
    local list = {}
    for i, y in ipairs(results) do list[i] = i == j and g or ma.zeros_like(y) end
    return list
  end

  --- derivative(g ..., y ..., arguments ...): a g and a y for each result.
  local function call(derivative, flows, results, args)
    local list, n = {}, 0
    for _, values in ipairs { flows, results } do
      for i = 1, #values do n, list[n + 1] = n + 1, values[i] end
    end
    for k = 1, args.n do list[n + k] = args[k] end
    return pack(derivative(unpack(list, 1, n + args.n)))
  end

  local function arrays_of(...)
    local list = {}
    for k = 1, select("#", ...) do
      for _, x in ipairs((select(k, ...))) do if is_array(x) then list[#list + 1] = x end end
    end
    return list
  end

  local WANTS = "has no derivative; derivative = function(g, y, ...) ... end says what flows back"

  --- Kernels that return what they compute.
  for _, class in ipairs { "ElementwiseKernel", "ReductionKernel" } do
    rules[class .. "()"] = function(_, closure, kernel, ...)
      local args = pack(...)
      if not any_known(...) then return plainly(closure, kernel, ...) end
      local name, derivative, nin = kernel.name, kernel.derivative, kernel.nin
      if not derivative then refuse(class, WANTS) end
      local last = args[args.n]
      if type(last) == "table" and not is_array(last) and last.out ~= nil or is_array(args[nin + 1]) then
        refuse(class, "an output in a function that is differentiated; take what the call returns")
      end
      local results = pack(plainly(closure, kernel, ...))
      local inputs = { n = math.min(nin, args.n) }
      for k = 1, inputs.n do
        inputs[k] = args[k]
        if type(args[k]) == "table" and any_known(args[k]) then refuse(class, "a table of differentiated arrays") end
      end
      for j, y in ipairs(results) do
        if tape.is_real(y) or tape.is_complex(y) then
          note(class, inputs, y, function(g, k)
            return flow_of(name, args[k], k, call(derivative, flows_to(results, j, g), results, args)[k])
          end, arrays_of(results, inputs))
        end
      end
      return unpack(results, 1, results.n)
    end
  end

  --- Kernels that write to arguments: `of` has the derivative and the list `writes`. What they write must not depend on
  --- what is differentiated before, since they may read it.
  function core.flows.launch(name, of, args, run)
    local writes, noted = of.writes or {}, any_known(args)
    for _, x in ipairs(arrays_of(args)) do noted = noted or core.place(x) ~= nil end
    if not noted then return run() end
    if not of.derivative or #writes == 0 then
      if any_known(args) then
        refuse(name, "has no derivative; derivative = function(g, ...) ... end says what flows back, and writes = {2} "
          .. "which arguments it writes")
      end
      return run()
    end
    local results, written = {}, {}
    for j, k in ipairs(writes) do
      if not is_array(args[k]) then
        core.fail(name, sformat("writes has %s; wanted numbers of arguments that are arrays", core.describe(k)))
      end
      results[j], written[k] = args[k], true
      tape.check_write(name, args[k])
      if tape.is_known(args[k]) then
        refuse(name, sformat("argument %d, which it writes, is a differentiated array; give it a new one", k))
      end
    end
    run()
    if not any_known(args) then return end
    local inputs, at = {}, {}
    for k = 1, #args do
      if is_array(args[k]) and not written[k] then
        inputs[#inputs + 1], at[#inputs + 1] = args[k], k
      end
    end
    local given = { n = #args, unpack(args, 1, #args) }
    for j, y in ipairs(results) do
      note(name, inputs, y, function(g, i)
        local k = at[i]
        return flow_of(name, given[k], k, call(of.derivative, flows_to(results, j, g), {}, given)[k])
      end, arrays_of(inputs, results), true)
    end
  end

  -- ==== Functions of elements ========================================================================================

  --- Calls what runs a function of elements, operation by operation. One that selects cannot say is C++.
  function core.flows.elements(name, run, ...)
    local results = pack(pcall(run, ...))
    if results[1] then return unpack(results, 2, results.n) end
    local why = results[2]
    if why ~= nil and why == core.beyond_rule then
      refuse(name, "has no derivative, since the function becomes C++: "
        .. (why:match "moonarray%.[%w_.]+: (.*)$" or why) .. "; ma.custom_vjp gives it one")
    end
    error(why, 0)
  end

  -- A function of ma.fuse runs operation by operation. These wait, so they run with what is around the call and with
  -- what flows back. A record of its program, whose derivative is a program of ma.fuse, was tried on the five
  -- functions of spec/grad/grad_fusion_spec.lua: on a GPU 5, 5, 7, 5 and 13 launches for the derivatives, where these
  -- are 3, 4, 5, 3 and 9, and up to twice the memory. On a CPU it had 0.43 to 1.35 times the speed of these for 2
  -- million elements, and 0.77 to 1.64 for 64, where nothing waits.
  rules["fuse()"] = function(_, closure, ...) return core.flows.elements("fuse", plainly, closure, ...) end

  -- ==== Kernels that write ===========================================================================================

  rules[":RawKernel"] = function(_, closure, kernel, grid, block, args, ...)
    if type(args) ~= "table" then return plainly(closure, kernel, grid, block, args, ...) end
    local rest = pack(...)
    return core.flows.launch("RawKernel", { derivative = kernel.derivative, writes = kernel.writes }, args, function()
      return plainly(closure, kernel, grid, block, args, unpack(rest, 1, rest.n))
    end)
  end
end
