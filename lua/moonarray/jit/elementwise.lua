--- Kernels over elements from Lua functions: ma.vectorize and ma.jit.elementwisekernel. The translator prints the
--- function, and an ElementwiseKernel for each combination of types calls it.

local sformat = require("moonarray.text").format
local columns = require "moonarray.vector.columns"
local lists = require "moonarray.lists.translate"
local neighbours = require "moonarray.spatial.near"
local parameters = require "moonarray.jit.parameters"
local random = require "moonarray.jit.random"
local structs = require "moonarray.struct.kernel"
local taken = require "moonarray.captures.kernel"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core)
  local fail, is_array, jit = core.fail, core.is_array, core.jit
  local common = require "moonarray.common" (core)
  local translate, types = require "moonarray.jit.translate", require "moonarray.jit.types"

  local elements, programs = columns.calls(ma, core), require "moonarray.element.programs" (ma, core)

  --- The dtype that a parameter's type names; a single letter is a placeholder.
  function elements.known_dtype(name)
    if #name == 1 then return nil end
    local found, dtype = pcall(ma.result_type, name)
    return found and dtype or nil
  end

  -- ==== Arguments ====

  --- What an array of structs holds; nil for another value.
  local function held(arg)
    local of = type(arg) == "userdata" and core.held(arg)
    return of and of.bytes and of or nil
  end

  --- Converts arguments other than arrays and numbers to arrays. Returns the first array.
  function elements.take(kernel, args, n)
    local params, first = kernel.params, nil
    if n < #params then
      fail(kernel.shown, ("%d arguments; wanted %d: %s"):format(n, #params, table.concat(params, ", ")))
    end
    local beside = false
    for k = 1, #params do beside = beside or is_array(args[k]) or held(args[k]) ~= nil end
    for k = 1, #params do
      local arg = args[k]
      if arg == nil then
        fail(kernel.shown, ("argument %d (%s) is nil; wanted %d arguments"):format(k, params[k], #params))
      end
      if lists.is(arg) then
        fail(kernel.shown, ("argument %d (%s) is a list; wanted an array"):format(k, params[k]))
      end
      local integer, _, number = types.of_cdata(arg)
      if beside and integer and math.abs(number) < 2 ^ 53 then   -- weak, as in operators
        arg, args[k] = number, number
      end
      local parts = jit.language.vector_of(arg)
      if parts then
        local kind = parts.kind.name
        fail(kernel.shown, ("argument %d (%s) is a %s; wanted it declared, as in in_params = '%s %s'"):format(k,
          params[k], kind, kind, params[k]))
      end
      local object, why = jit.object_of(arg)
      if why and not object then fail(kernel.shown, ("argument %d (%s) is %s"):format(k, params[k], why)) end
      local declared = kernel.inputs and kernel.inputs[k]
      if declared and declared.object ~= (object ~= nil) then
        fail(kernel.shown, ("%s is %s; wanted %s, as it is declared"):format(params[k], object and "a HashGrid"
          or core.describe(arg), declared.object and "a HashGrid" or "an array or a number"))
      end
      local raw = declared and declared.raw
      if raw and (type(arg) == "number" or type(arg) == "boolean") then
        fail(kernel.shown, ("%s is a %s; wanted an array, since it is raw"):format(params[k], type(arg)))
      end
      local of = held(arg)
      if of and (kernel.inputs or kernel.reduce) then
        fail(kernel.shown, ("%s is %s; wanted an array of one dtype%s"):format(params[k], core.describe(arg),
          kernel.inputs and ", as it is declared" or ""))
      end
      if type(arg) ~= "number" and type(arg) ~= "boolean" and not is_array(arg) and not object and not of then
        args[k] = core.asarray(arg)
      end
      first = first or is_array(args[k]) and args[k] or of and of.bytes
    end
    return first
  end

  --- Describes an argument: its dtype, and whether that is weak.
  function elements.given(arg)
    if is_array(arg) then return { dtype = arg.dtype, array = true } end
    if held(arg) then return { dtype = "uint8", struct = held(arg).struct, ndim = 0, contiguous = true } end
    if type(arg) == "boolean" then return { dtype = "bool" } end
    local object = jit.object_of(arg)
    if object then return object end
    local whole = arg == math.floor(arg) and math.abs(arg) < 2 ^ 63
    return { dtype = whole and "int64" or "float64", weak = whole and "int" or "float" }
  end

  --- What the translator is told of the arguments. A declared argument has the declared type. `outputs` are the arrays
  --- that were given for them, `listed` the lists among the arguments, or nil.
  ---@return table[] arguments, string key, table found  what placeholders stand for
  function elements.classify(kernel, args, outputs, listed)
    local arguments, keys, found = {}, {}, {}
    local function refuse(text) fail(kernel.shown, text) end
    for k = 1, #kernel.params do
      arguments[k] = elements.given(args[k])
      if arguments[k].struct then arguments[k].in_place = args.in_place end
    end
    if kernel.inputs then
      local n, nout = #kernel.params, kernel.outputs and #kernel.outputs or 0
      for k = 1, nout do arguments[n + k] = outputs[k] and elements.given(outputs[k]) end
      found = parameters.resolve(kernel.declared, arguments, n + nout, refuse)
      for k = n + 1, n + nout do arguments[k] = nil end
      for k, declared in ipairs(kernel.inputs) do
        local array = args[k]
        local argument = (declared.object or declared.vector) and arguments[k]
          or { dtype = parameters.dtype(declared, found, refuse) }
        if declared.raw then
          if array.ndim == 0 then array = array:reshape(1) end
          args[k] = array
          argument.ndim, argument.contiguous = array.ndim, array.is_contiguous
          argument.input = not declared.written
        end
        arguments[k] = argument
      end
    end
    for k, argument in ipairs(arguments) do
      if listed and listed[k] then lists.describe(argument, listed[k]) end
      local of = argument.struct and argument.struct.key or argument.dtype
      if argument.in_place then of = of .. "p" end
      keys[k] = argument.key or of .. (argument.weak or "") .. (argument.ndim or "")
        .. (argument.contiguous and "c" or "") .. lists.key(argument)
    end
    for _, declared in ipairs(kernel.outputs or {}) do
      keys[#keys + 1] = declared.vector and (found[declared.placeholder] or "?")
        or parameters.dtype(declared, found, refuse)
    end
    return arguments, table.concat(keys, ";"), found
  end

  --- A weak whole number takes the dtype of the other operand, as for operators, and must fit it.
  function elements.check_fits(kernel, variant, args)
    for _, fit in ipairs(variant.fits) do
      local number = fit.value(args)
      if not jit.holds(fit.dtype, number) then
        fail(kernel.shown, sformat("%s; use a wider dtype, as in ma.int64(%.0f)", types.misfit(fit.dtype, number),
          number))
      end
    end
  end

  --- Where this call checks positions of raw arrays, lists and fields of structs: nil, or "cpu" or "gpu" and the
  --- argument that the kernel gets for it.
  function elements.where_checked(kernel, stream, array, listed, args)
    if not (kernel.check and (kernel.has_raw or listed or args and structs.have_axes(core, args))) then return end
    return core.fault_place(kernel.shown, stream, array)
  end

  --- What a call needs: the variant for its arguments, which `make` makes at the first call, and where faults are
  --- noted: positions outside, and lists that are full.
  function elements.prepare(kernel, args, outputs, stream, first, make, forms, listed, plan)
    local arguments, key, found = elements.classify(kernel, args, outputs, listed)
    local check, record, number = elements.where_checked(kernel, stream, first, listed, args)
    local place
    if listed then place, record, number = core.fault_place(kernel.shown, stream, first, true) end
    local variant = taken.variant(kernel, key .. (check or "") .. (forms or ""), args, function(changing)
      return make(kernel, arguments, found, check, false, place, plan, changing)
    end)
    if variant.whole and kernel.check and not kernel.has_raw then      -- arrays from outside that are read at positions
      kernel.has_raw = true
      return elements.prepare(kernel, args, outputs, stream, first, make, forms, listed, plan)
    end
    kernel.latest = variant
    elements.check_fits(kernel, variant, args)
    return variant, check or variant.noted, record, number
  end

  --- Passes on what the C++ kernel takes for an argument: itself, or the arrays of an object.
  function elements.spread(arg, pass)
    local object, parts = jit.object_of(arg)
    if not object then return pass(arg) end
    for k = 1, object.arrays do pass(parts[k]) end
  end

  --- Calls the C++ kernel, and raises the fault that it found.
  function elements.call(kernel, variant, check, stream, first, list, n)
    if not check then return variant.kernel(common.unpack(kernel.shown, list, n)) end
    local results = { variant.kernel(common.unpack(kernel.shown, list, n)) }
    core.fault_raise(stream, first)
    return common.unpack(kernel.shown, results)
  end

  --- Sets the fields that a kernel lacks, which each call reads, so that they are not looked for elsewhere.
  function elements.complete(kernel)
    for _, field in ipairs { "inputs", "outputs", "groups", "out_groups", "has_raw", "program", "latest" } do
      kernel[field] = kernel[field] or false
    end
    return kernel
  end

  local function captures(kernel) return jit.names().list(kernel) end

  function elements.class(name, launch)
    local class = { __call = launch, __tostring = function(self) return rawget(self, "label") end,
      __index = function(kernel, key)
        if key == "cached_code" then
          return kernel.latest and kernel.latest.text or kernel.program and kernel.program.fused.cached_code or ""
        end
        if key == "captures" then return captures end
        if key == "prepare" then return core.prepared end
        core.unknown(name, key, { cached_code = true, captures = true, prepare = true })
      end }
    jit.language.classes[class] = true
    return class
  end

  --- C++ declarations of inputs, their names, and statements before these are used. `module` may have generators,
  --- `plan` vectors as wholes; `by` has the fields of structs. Lists (`arrays`) go into `outputs` too.
  function elements.declare(kernel, arguments, check, module, plan, by, arrays, outputs)
    local inputs, names, before, texts = {}, {}, {}, nil
    for k, argument in ipairs(arguments) do
      names[k] = "x" .. k
      local form, part = plan and plan.whole[k], kernel.inputs and kernel.inputs[k].part or 1
      if part == 1 then texts = nil end
      if form then
        local kind = kernel.inputs[k].vector
        inputs[#inputs + 1], before[#before + 1], texts = columns.input(kind, k, form, argument.dtype)
      end
      if texts then
        names[k] = texts[part]
      elseif argument.grid then
        local list
        list, names[k] = neighbours.inputs(argument.grid, names[k])
        for _, input in ipairs(list) do inputs[#inputs + 1] = input end
      elseif argument.struct then
        names[k] = by[k].in_place and ("(u1 *)&x%d[0] + ptrdiff_t(i) * %d"):format(k, argument.struct.size)
          or ("s%d.bytes"):format(k)
        if by[k].in_place and not by[k].written then inputs[#inputs + 1] = ("raw uint8 x%d"):format(k) end
        for _, used in ipairs(by[k] or {}) do
          inputs[#inputs + 1] = ("%s x%d_f%d"):format(used.field.dtype, k, used.number)
        end
      elseif arrays and arrays[k] then
        lists.declare(names[k], argument.dtype, arrays[k], inputs, outputs)
      elseif not (kernel.inputs and kernel.inputs[k].written) then
        inputs[#inputs + 1] = ("%s%s x%d"):format(argument.ndim and "raw " or "", argument.dtype, k)
      end
    end
    for k = 1, check == "cpu" and 1 or check and 2 or 0 do inputs[#inputs + 1] = parameters.record[k] end
    local draws = random.parameters(module, "%s %s")
    for _, declared in ipairs(draws) do inputs[#inputs + 1] = declared end
    local scalars = taken.count_numbers(arguments) + #draws + (check and 1 or 0)
    for _, declared in ipairs(taken.parameters(module, "%s %s", nil, scalars)) do inputs[#inputs + 1] = declared end
    return inputs, names, table.concat(before, " ")
  end

  --- The outputs for a function's results, the text that sets them from `call`, and their dtypes. `forms`: how vectors
  --- are written (vector/columns.lua).
  function elements.results(kernel, fn, call, found, forms)
    local outputs, body, count = {}, {}, fn.results.count or 0
    local declared, groups, dtypes = kernel.outputs, kernel.out_groups, {}
    if groups then columns.check_results(kernel, fn) end
    if declared and not groups and #declared ~= count then
      fn:fail(fn.tree.line, ("the function returns %d values; out_params says %d"):format(count, #declared))
    end
    local function text(k) return count == 1 and call or "r.v" .. k end
    local at = 1
    for k = 1, groups and #groups or count do
      if groups and groups[k] then
        outputs[k], body[k + 1], dtypes[k] = columns.output(kernel, fn, k, at, forms[k], found[declared[k].placeholder],
          text)
        at = at + groups[k].count
      else
        local from = fn.results[at].dtype
        local to = declared and parameters.dtype(declared[k], found) or from
        if fn.results[at].constants then fn:check_result(fn.results[at], to) end
        outputs[k], dtypes[k] = ("%s y%d"):format(to, k), to
        body[k + 1] = ("y%d = %s;"):format(k, types.convert(text(at), from, to))
        at = at + 1
      end
    end
    body[1] = count == 0 and call .. ";" or count > 1 and ("const %s_results r = %s;"):format(fn.c, call) or ""
    return outputs, body, dtypes
  end

  -- ==== Elementwise kernels ====

  local function make(kernel, arguments, found, check, numbered, place, plan, changing)
    local functions = translate.functions(jit.language, numbered, changing)
    functions.may_print, functions.module.takes_arrays = true, true
    local fn = functions:translate(kernel, arguments, check)
    if functions:wants_index() then
      return make(kernel, arguments, found, check, true, place, plan, changing)
    end
    functions:keep(fn)
    local by, outputs, load, store = structs.elementwise(functions.module, arguments, fn, function(text)
      fn:fail(kernel.tree.line, text)
    end)
    local arrays = lists.arrays(fn, arguments)
    local noted = lists.appends(arrays) and place or check
    local inputs, names, before = elements.declare(kernel, arguments, noted, functions.module, plan, by, arrays,
      outputs)
    if fn.prints then inputs[#inputs + 1], outputs[#outputs + 1] = "int64 jit_places", "raw int64 jit_words" end
    local written = #outputs
    local call = parameters.call(fn, names, parameters.faults(noted, kernel.shown))
    local results, body, dtypes = elements.results(kernel, fn, call, found, plan and plan.forms)
    lists.guard(arrays, names, body, #results)
    for k, declared in ipairs(kernel.inputs or {}) do
      if declared.written and not arguments[k].list then
        outputs[#outputs + 1] = ("raw %s x%d"):format(arguments[k].dtype, k)
      end
    end
    for _, output in ipairs(results) do outputs[#outputs + 1] = output end
    if #outputs == 0 then
      fn:fail(kernel.tree.line, "the function returns nothing; wanted a value" .. (kernel.inputs and
        ", or a raw output to write into" or ", or a list to append to"))
    end
    local text = (plan and columns.preamble(kernel) or "") .. functions:text()
    return { structs = next(by) and by, written = written, reads = functions.reads, fits = functions.fits, text = text,
      draws = random.taken(fn), scalars = functions.scalars, dtypes = dtypes, noted = noted, lists = arrays,
      places = functions.module.places, whole = functions.module.takes_whole,
      kernel = ma.ElementwiseKernel(
      table.concat(inputs, ", "), table.concat(outputs, ", "), before .. load .. table.concat(body, " ") .. store,
      kernel.kernel_name,
      { preamble = text }) }
  end

  --- The arrays for the outputs, by number: arguments behind the inputs, or from `out`.
  local function outputs_of(kernel, args, n, options)
    local list, most, out = {}, n - #kernel.params, options and options.out
    for k = 1, most do list[k] = args[#kernel.params + k] end
    if out ~= nil then
      if most > 0 then fail(kernel.shown, "outputs are given twice, by position and by out") end
      if is_array(out) or type(out) ~= "table" then out = { out } end
      for k, array in pairs(out) do
        list[k], most = array, type(k) == "number" and math.max(most, k) or math.huge
      end
    end
    if kernel.outputs and most > #kernel.outputs then
      fail(kernel.shown, ("%d outputs are given; it has %d"):format(most, #kernel.outputs))
    end
    for k, array in pairs(list) do
      if not is_array(array) then
        fail(kernel.shown, ("output %s is %s; wanted an array"):format(tostring(k), core.describe(array)))
      end
    end
    return list, most
  end

  local call_options = { size = true, block_size = true, stream = true, out = true }

  --- Arguments for the C++ kernel: inputs, the fault record, raw outputs, options with the other outputs.
  local function passed(kernel, variant, args, outputs, most, options, plan, check, record, number, drawn, staged,
    printed)
    local list, out, of_lists, raw, rest, to, whole = {}, {}, {}, {}, {}, nil, nil
    local function pass(arg) to[#to + 1] = arg end
    for k = 1, #kernel.params do
      local declared, fields = kernel.inputs and kernel.inputs[k], variant.structs and variant.structs[k]
      to = declared and declared.written and raw or list
      if not (declared and declared.part and declared.part > 1) then whole = plan and plan.whole[k] end
      if fields and fields.in_place then
        to = fields.written and out or list
        pass(held(args[k]).bytes:reshape(-1))
      end
      for _, used in ipairs(fields or {}) do
        local field = core.field(held(args[k]).bytes, used.field.dtype, used.field.offset, {})
        list[#list + 1] = field
        if used.written then out[#out + 1] = field end
      end
      if staged and staged[k] then
        lists.pass(staged[k], variant.lists[k], list, of_lists)
      elseif not whole and not fields then
        elements.spread(args[k], pass)
      elseif whole and declared.part == 1 then
        pass(args[k]:reshape(-1))
      end
    end
    to = out
    for _, array in ipairs(of_lists) do pass(array) end
    if printed then pass(printed[1]) end
    for _, array in ipairs(raw) do pass(array) end
    if check then list[#list + 1] = record end
    if check == "gpu" then list[#list + 1] = number end
    for _, value in ipairs(drawn) do list[#list + 1] = value end
    for _, value in ipairs(taken.values(variant)) do list[#list + 1] = value end
    if printed then list[#list + 1] = printed[2] end
    local written = #out
    for k, array in pairs(outputs) do out[written + k] = array end
    for key, value in pairs(options or {}) do rest[key] = value end
    if plan and plan.size then rest.size = plan.size end
    if written + most > 0 then rest.out = out end
    if next(rest) then list[#list + 1] = rest end
    return list
  end

  --- Calls the C++ kernel of a variant, whose first results are what it writes besides.
  local function run(kernel, args, outputs, most, options, plan, variant, check, record, number, stream, first, listed)
    local drawn = variant.draws and random.values(core, kernel.shown, variant.draws, stream, first) or {}
    local printed = variant.places and { core.prints.values(kernel, variant, first, stream) }
    local staged = listed and core.lists.stage_elements(kernel, variant.lists, args, listed, outputs, options,
      plan and plan.shape)
    local list = passed(kernel, variant, args, outputs, most, options, plan, check, record, number, drawn, staged,
      printed)
    if listed or printed then
      local results = { core.lists.call(kernel, variant, stream, first, listed or {}, staged or {}, list) }
      if printed then core.prints.launched(printed[1]) end
      return common.unpack(kernel.shown, results)
    end
    if variant.written == 0 then return elements.call(kernel, variant, check, stream, first, list) end
    return select(variant.written + 1, elements.call(kernel, variant, check, stream, first, list))
  end

  --- A launch of a kernel with vectors among its parameters.
  local function vectors_launch(kernel, args, vectors, first, given, most, options, stream, listed)
    local plan = elements.plan(kernel, args, vectors, options and options.size)
    local outputs, key = given, plan.key
    if kernel.out_groups then
      plan.forms, outputs, key = elements.forms(kernel, plan, args, given)
      key, most = plan.key .. ":" .. key, #kernel.out_groups
    end
    local variant, check, record, number = elements.prepare(kernel, args, given, stream, first, make, key, listed, plan)
    local ends = plan.forms and elements.make(kernel, plan, first, plan.forms, outputs, variant.dtypes, given) or {}
    local results = { run(kernel, args, outputs, most, options, plan, variant, check, record, number, stream, first,
      listed) }
    for k, finish in pairs(ends) do results[#results - most + k] = finish() end
    return common.unpack(kernel.shown, results)
  end

  --- A launch of the C++ kernel.
  local function translated(kernel, args, outputs, most, options, first, listed)
    local stream = options and options.stream
    local variant, check, record, number = elements.prepare(kernel, args, outputs, stream, first, make, nil, listed)
    return run(kernel, args, outputs, most, options, nil, variant, check, record, number, stream, first, listed)
  end

  local function are_scalars(kernel, args)
    for k = 1, #kernel.params do
      if not is_array(args[k]) and type(args[k]) ~= "number" and type(args[k]) ~= "boolean" then return false end
    end
    return true
  end

  --- Runs the program of a kernel, or the kernel if there is none. What failed for the lack of a compiler may be a
  --- program after all.
  local function choose(kernel, args, outputs, most, options, first)
    local program, n = kernel.program, #kernel.params
    local out, stream = most > 0 and outputs or nil, options and options.stream
    local function kept(done, ...)
      program.compiled = done
      if done then return true, ... end
      if programs.stands_in(program, (...)) then return programs.call(program, args, n, out, stream) end
      error(programs.explained(program, (...)), 0)
    end
    local results
    if not program.refused then
      results = { programs.call(program, args, n, out, stream) }
      if results[1] then return unpack(results, 2) end
    end
    if program.compiled then
      return translated(kernel, args, outputs, most, options, first)
    end
    results = { kept(pcall(translated, kernel, args, outputs, most, options, first)) }
    return unpack(results, 2)
  end

  local launch

  --- Passes on the results of a program. If it was refused, the kernel is launched another way.
  local function passed_on(kernel, args, n, done, ...)
    if done then return ... end
    return launch(kernel, unpack(args, 1, n))
  end

  function launch(kernel, ...)
    local args, n, options, program = { ... }, select("#", ...), nil, kernel.program
    if program and programs.is_recorded(args, n) then return programs.within(program, args, n) end
    if program and n == #kernel.params and programs.is_usual(program, args, n) then
      return passed_on(kernel, args, n, programs.usual(program, ...))
    end
    if n > 0 and n > #kernel.tree.params and common.is_options(args[n]) then
      options, args[n], n = args[n], nil, n - 1
    end
    for key in pairs(options or {}) do
      if not call_options[key] then
        fail(kernel.shown, ("no option '%s'; there are size, block_size, stream and out"):format(tostring(key)))
      end
    end
    local vectors
    args, n, vectors = elements.split(kernel, args, n)
    local listed = lists.among(kernel, args)
    local first = elements.take(kernel, args, n)
    local outputs, most = outputs_of(kernel, args, n, options)
    if not first and not kernel.inputs then
      args[1] = core.asarray(args[1])
      first = args[1]
    end
    if kernel.groups or kernel.out_groups then
      return vectors_launch(kernel, args, vectors, first, outputs, most, options, options and options.stream, listed)
    end
    if kernel.program and not listed and not (options and (options.size or options.block_size))
      and are_scalars(kernel, args) then
      return choose(kernel, args, outputs, most, options, first)
    end
    local in_place, size = structs.in_place(core, args, #kernel.params, most > 0 or options and options.size,
      listed)
    args.in_place = in_place
    if in_place and size then
      local more = { size = size }
      for key, value in pairs(options or {}) do more[key] = value end
      options = more
    end
    return translated(kernel, args, outputs, most, options, first, listed)
  end

  --> = jit_elementwise | ma.jit.elementwisekernel(function(x) return x + 1 end) | Called with arrays, which broadcast.
  --> . cached_code: string | the CUDA C++ of the last call
  --> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  --> jit_elementwise:captures: next(jit_elementwise:captures()) == nil
  --> + call(...): array
  local Kernel = elements.class("jit.elementwise", launch)

  --- Whether all of a kernel's parameters are single elements.
  local function has_program(kernel)
    for _, declared in ipairs(kernel.inputs or {}) do
      if declared.raw or declared.object then return false end
    end
    return not (kernel.groups or kernel.out_groups)
  end

  --- Makes a kernel from a function that was read. `kernel`: tree, outside, shown, kernel_name, label; with declared
  --- parameters also inputs and outputs.
  function elements.new(kernel)
    kernel.variants, kernel.id = {}, 0
    kernel.params = elements.names(kernel)
    if kernel.inputs then
      kernel.resolve = parameters.resolver(kernel, core.element_dtype, function(text) fail(kernel.shown, text) end)
    end
    if has_program(kernel) then kernel.program = programs.make(kernel) end
    return setmetatable(elements.complete(kernel), Kernel)
  end

  --- The names of a kernel's parameters, those of components in place of vectors.
  function elements.names(kernel)
    if not kernel.groups then return kernel.tree.params end
    local names = {}
    for k, declared in ipairs(kernel.inputs) do names[k] = declared.name end
    return names
  end

  --- Handles declared parameters of a kernel, if it has any.
  function elements.declared(what, kernel, options)
    parameters.declare(kernel, options, elements.known_dtype, function(text) fail(what, text) end)
  end

  local options_of = { name = true, constants = true, check = true, in_params = true, out_params = true,
    plain = true, captures = true, list = "name, constants, check, in_params, out_params, plain and captures" }

  --- A kernel that calls a Lua function for every element of broadcast arrays: k(x, y), k(x, y, out), k(x, {size = n}).
  ---@param given function|string
  ---@param options? { in_params?: string, out_params?: string, name?: string, constants?: table, check?: boolean,
  --- plain?: boolean }
  function ma.jit.elementwisekernel(given, options)
    local what = "jit.elementwisekernel"
    options = jit.check_options(what, options, options_of)
    local kernel = jit.read(what, given, options)
    if #kernel.tree.params == 0 then fail(what, "a function without parameters; wanted one of at least one") end
    local name = options.name or kernel.tree.name or "kernel"
    kernel.shown, kernel.kernel_name = "jit." .. name, "jit_" .. name
    kernel.label, kernel.check = ("jit elementwise kernel '%s'"):format(name), options.check ~= false
    elements.declared(what, kernel, options)
    if elements.is_plain(what, kernel, options.plain, { kernel.fn or given }) then
      return core.plain.beside_kernel(core.plain.kernels().elementwisekernel(kernel.fn, kernel), kernel.shown,
        options.plain, function()
          local own = {}
          for key, value in pairs(kernel) do own[key] = value end
          return elements.new(own)
        end)
    end
    return elements.new(kernel)
  end

  --- Whether a kernel of these functions runs in its plain form. An option asks for it, or MOONARRAY_PLAIN for those
  --- that have one.
  function elements.is_plain(what, kernel, option, functions)
    if option ~= nil and type(option) ~= "boolean" then
      fail(what, "plain is " .. core.describe(option) .. "; wanted a boolean")
    end
    if not core.wants_plain(option) then return false end
    local why = not core.plain.kernels().has_kernel(kernel) and "whole arrays, lists or objects" or nil
    for k = 1, #functions do
      if type(functions[k]) ~= "function" then why = why or "what is no Lua function" end
    end
    if why and option then fail(what, "plain of " .. why .. "; wanted Lua functions of single elements") end
    return not why
  end

  return elements
end
