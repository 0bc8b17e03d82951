--- The form of a function of elements that no selects can say: C++ over values. A stencil's is given the neighbours
--- that it reads, and backends call it in the loops over rows in which they run programs. One of ma.fuse is the body of
--- an ElementwiseKernel.

local texts = require "moonarray.text"
local sformat, lacks_compiler = texts.format, texts.lacks_compiler
local MOST_RESULTS = 4                   -- of a kernel over elements
local MOST_READS = 25                    -- of a stencil: inputs of a program
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core)
  local jit = ma.jit and core.jit        -- reading ma.jit loads both
  local translate, types = require "moonarray.jit.translate", require "moonarray.jit.types"
  local random, taken = require "moonarray.jit.random", require "moonarray.captures.kernel"
  local parameters = require "moonarray.jit.parameters"
  local structs, prints = require "moonarray.struct.kernel", require "moonarray.prints.translate"
  local operation = require "moonarray.element.operation" (ma, core)

  --- The struct of the neighbours that the function is given. `reaches`: it reads others where it says.
  local function neighbours(reads, reaches)
    local members, values = {}, {}
    for k, read in ipairs(reads) do
      members[k], values[k] = ("%s v%d;"):format(types.register[read.dtype], k - 1), "v" .. k - 1
    end
    if reaches then members[#members + 1], values[#values + 1] = "const ma_reach *reach;", "&reach" end
    if #members == 0 then members[1] = "char none;" end
    return ("struct jit_neighbours { %s };\n"):format(table.concat(members, " ")),
      ("const jit_neighbours near = {%s};"):format(table.concat(values, ", "))
  end

  --- Makes the place of an element known to the text, where no field is reached: as the place of one.
  local function reach_any(near, dtype)
    local read = { 0 }
    for axis = 1, near.ndim do read[axis + 1] = 0 end
    local key = table.concat(read, ",")
    if not near.places[key] then
      read.dtype = dtype
      near.reads[#near.reads + 1], near.places[key] = read, #near.reads + 1
    end
    near.reached[1] = 0
  end

  --- The numbers by which C++ reads an array at positions: where it lies, its extents, its strides in elements. What
  --- it gives is an array of one element that says where they lie, and one that is the array's first element.
  local function block_of(array)
    local ndim, address = array.ndim, array:ptr()
    local list, first = { 0, address }, {}
    for d = 1, ndim do
      list[d + 2], list[ndim + d + 2] = array.shape[d], array.strides[d] / array.itemsize
      first[d] = { 1, 1 }
    end
    local block = ma.array(list, { dtype = "int64", device = array.device })
    local where = block[{ { 1, 1 } }]
    where:fill(block:ptr() + 8)
    return where:reshape {}, array.size > 0 and array[first]:reshape {}
      or ma.zeros({}, { dtype = array.dtype, device = array.device })
  end

  --- Translates a function (a device function, or one that was read) for arguments of these types: what they are called
  --- in C++ is in `names`. `space` has the number of fields and their axes; nil: arrays from outside are arguments.
  --- draw(made, reads, arrays) adds what each run draws to the arrays, and gives the arguments for that. Returns the
  --- texts, which set y0 and so on, the neighbours that are read ({field, offset, ...}), the fields that are read at
  --- offsets which depend on elements, the dtypes of results, the arrays, and which numbers must fit (vectorize's
  --- `fits`). Constants that are results take the dtype `first`. `changing`: numbers from outside that are parameters
  --- of the text (captures/kernel.lua). `check`: positions of arrays from outside are looked at.
  local function translated(read, of, arguments, names, first, space, draw, changing, check)
    local functions = translate.functions(jit.language, false, changing)
    local module = functions.module
    functions.may_print = true
    module.unnumbered, module.read_function, module.takes_arrays = "a function of elements", read, not space
    module.near = { reads = {}, places = {}, reached = {}, operations = {}, apply = operation.apply,
      known = operation.of, first = first, arrays = space and {}, nfield = space and space.nfield,
      ndim = space and space.ndim, wholes = {}, block = block_of }
    local made = functions:translate({ tree = of.tree, outside = of.outside, id = of.id }, arguments, check)
    functions:keep(made)
    local reads = module.near.reads
    local reached = module.near.reached
    if made.prints and space and #reached == 0 then reach_any(module.near, first) end
    local struct, near = neighbours(reads, #reached > 0)
    local arrays, given = draw(made, reads, module.near.arrays)
    for _, name in ipairs(taken.passed(made, made, parameters.of_raw)) do given[#given + 1] = name end
    given[#given + 1] = "near"
    for _, name in ipairs(names) do given[#given + 1] = name end
    local results, lines = {}, { near, ("const auto result = %s(%s);"):format(made.c, table.concat(given, ", ")) }
    local count = made.results.count or 0
    for k = 1, count do
      local result, text = made.results[k], count == 1 and "result" or "result.v" .. k
      results[k] = result.weak and core.constant_dtype(first, result.weak == "int" and 1 or 0.5) or result.dtype
      if result.weak then made:check_result(result, results[k]) end
      lines[k + 2] = ("y%d = %s;"):format(k - 1, types.convert(text, result.dtype, results[k]))
    end
    local preamble = table.concat(module.near.operations) .. struct .. functions:text() .. "#line 1 \"moonarray\"\n"
    return { preamble = preamble, operation = table.concat(lines, " "), reads = reads, results = results,
      arrays = arrays, reached = reached, fits = functions.fits, module = module }
  end

  local function check_count(name, what, n, params)
    if n ~= #params then
      core.fail(name, sformat("%d %s; wanted %d: %s", n, what, #params, table.concat(params, ", ")))
    end
  end

  -- ==== Stencils ===================================================================================================

  --- Numbers from outside are scalars of the program, `s`. Notes in the body what the core needs for them.
  local function add_scalars(body)
    local module, list = body.module, {}
    local variant = { scalars = module.scalars, fits = body.fits }
    if not module.scalars[1] then return end
    local function type_of(dtype) return types.register[dtype] end
    for k, name in ipairs(taken.parameters(module, "const %s %s", type_of, 0)) do
      list[k] = ("%s = s.s%d; "):format(name, k - 1)
    end
    body.operation = table.concat(list) .. body.operation
    body.scalars, body.numbers = taken.dtypes(module), taken.noted(module)
    if not taken.fits(variant, {}) then error("a number from outside that does not fit", 0) end
    body.numbers.scalars = taken.getters(variant)
  end

  --- What a function is passed to print; adds what each run makes for it.
  local function printed(fn, made, reads, arrays, nfield, ndim)
    local printer, names = { fn = fn, places = made.module.places }, {}
    for k, what in ipairs { "words", "places" } do
      arrays[#arrays + 1] = { what, "int64", printer }
      local at = { nfield + #arrays - 1, dtype = "int64" }
      for d = 1, ndim do at[d + 1] = 0 end
      reads[#reads + 1], names[k] = at, "v" .. #reads
    end
    return prints.of_stencil(names[1], names[2])
  end

  --- What stands for the record of faults, which a field of one element has the address of.
  local function faults_of(check, record, number, arrays, reads, nfield, ndim, like)
    local read = { nfield + #arrays, dtype = "int64" }
    for axis = 1, ndim do read[axis + 1] = 0 end
    arrays[#arrays + 1] = ma.array(record, { dtype = "int64", device = like.device })
    reads[#reads + 1] = read
    if check == "cpu" then return ('jit_faults{"stencil", (ma_cpu_block *)v%d}'):format(#reads - 1) end
    return ("jit_faults{(fault_record *)v%d, %d}"):format(#reads - 1, number)
  end

  local function of_stencil(fn, device, nout, ndim, dtypes, changing, checked)
    local read, arguments = jit.language.reader(), {}
    local of = device or read(fn)
    check_count("stencil", "fields", #dtypes, of.tree.params)
    local first, prints_any = dtypes[1], false
    for k, dtype in ipairs(dtypes) do
      local s = type(dtype) == "userdata" and core.held(dtype)
      if s and k == 1 then first = core.struct_model(s).dtype end
      arguments[k] = s and structs.argument(s.struct, ndim, k - 1)
        or { dtype = dtype, ndim = ndim, contiguous = false, input = true, field = { number = k - 1 } }
    end
    local body = translated(read, of, arguments, {}, first, { nfield = #dtypes, ndim = ndim }, function(made, reads,
      arrays)
      local draws, drawn, given = random.of_body(made, #dtypes + #arrays, #reads, ndim)
      for _, more in ipairs(drawn) do reads[#reads + 1] = more end
      for _, more in ipairs(draws) do arrays[#arrays + 1] = more end
      if made.prints then given[#given + 1] = printed(fn, made, reads, arrays, #dtypes, ndim) end
      prints_any = made.prints ~= nil
      if checked then
        table.insert(given, 1, faults_of(checked.check, checked.record, checked.number, arrays, reads, #dtypes, ndim,
          checked.like))
      end
      return arrays, given
    end, changing, checked and checked.check)
    if body.module.takes_whole and not checked then
      local like = body.module.near.wholes[1].found
      local check, record, number = core.fault_place("stencil", nil, like)
      if check then
        return of_stencil(fn, device, nout, ndim, dtypes, changing,
          { check = check, record = record, number = number, like = like })
      end
    end
    body.prints, body.checks = prints_any, checked ~= nil
    if changing then add_scalars(body) end
    if #body.reads > MOST_READS then
      error(sformat("it reads %d neighbours, arrays and draws; at most %d", #body.reads, MOST_READS), 0)
    end
    if nout and #body.results ~= nout then
      error(sformat("%s:%d: moonarray.stencil: the function returns %d values; wanted out = %d", of.tree.chunk,
        of.tree.line, #body.results, nout), 0)
    end
    return body
  end

  --- The body of a stencil's program for fields of these dtypes, or nil and why there is none. `device` is a device
  --- function, or nil for a function of Lua. `changing`: numbers from outside that are scalars of the program, if that
  --- is possible.
  function core.stencil_body(fn, device, nout, ndim, dtypes, changing)
    local done, body
    if changing then done, body = pcall(of_stencil, fn, device, nout, ndim, dtypes, changing) end
    if not done then done, body = pcall(of_stencil, fn, device, nout, ndim, dtypes) end
    if done then return body end
    return nil, tostring(body)
  end

  -- ==== Fused functions ============================================================================================

  --- A variant (captures/kernel.lua) of a function for arguments of these types ({dtype =, weak =}): a kernel of these,
  --- and then of the numbers from outside that change.
  local function of_fuse(fn, name, arguments, changing, check)
    local read, inputs, outputs, names, given, first = jit.language.reader(), {}, {}, {}, {}, nil
    local of = read(fn)
    check_count(name, "arguments", #arguments, of.tree.params)
    for k, argument in ipairs(arguments) do
      local s = argument.structs and core.held(argument.structs)
      given[k] = s and structs.argument(s.struct) or argument
      names[k] = s and ("s%d.bytes"):format(k) or "x" .. k
      first = first or not argument.weak and argument.dtype or nil
    end
    local by, before
    local body = translated(read, of, given, names, first or "float64", nil, function(made)
      by, before = structs.inputs(made.module, given, made, function(text) made:fail(of.tree.line, text) end)
      if next(made.places) then error("it draws random numbers; draw them before, and give them as an argument", 0) end
      if made.prints then outputs[1] = "raw int64 jit_words" end
      local before_others = check and { parameters.faults(check, name) } or {}
      if made.prints then before_others[#before_others + 1] = prints.printer("&jit_words[0]", "i") end
      return nil, before_others
    end, changing, check)
    if #body.results == 0 or #body.results > MOST_RESULTS then
      error(sformat("%d results; wanted 1 to %d", #body.results, MOST_RESULTS), 0)
    end
    for k, argument in ipairs(arguments) do
      for _, used in ipairs(by[k] or {}) do
        inputs[#inputs + 1] = ("%s x%d_f%d"):format(used.field.dtype, k, used.number)
      end
      if not by[k] then inputs[#inputs + 1] = argument.dtype .. " x" .. k end
    end
    for k = 1, check == "cpu" and 1 or check and 2 or 0 do inputs[#inputs + 1] = parameters.record[k] end
    local scalars = taken.count_numbers(arguments) + (check and 1 or 0)
    for _, declared in ipairs(taken.parameters(body.module, "%s %s", nil, scalars)) do
      inputs[#inputs + 1] = declared
    end
    local places = outputs[1] and body.module.places
    if places then inputs[#inputs + 1] = "int64 jit_places" end
    for k, dtype in ipairs(body.results) do outputs[#outputs + 1] = ("%s y%d"):format(dtype, k - 1) end
    local module = body.module
    return { places = places, whole = module.takes_whole, reads = module.reads, fits = body.fits, structs = by,
      scalars = module.scalars, numbers = taken.noted(module), kernel = ma.ElementwiseKernel(table.concat(inputs, ", "),
        table.concat(outputs, ", "), before .. body.operation, name, { preamble = body.preamble }) }
  end

  --- The arguments of a variant's kernel: arrays and numbers, and the fields of structs, then the record of faults,
  --- and what is from outside.
  local function of_kernel(variant, args, check, record, number)
    local list = {}
    for k, arg in ipairs(args) do
      for _, used in ipairs(variant.structs[k] or {}) do
        list[#list + 1] = core.field(core.held(arg).bytes, used.field.dtype, used.field.offset, {})
      end
      if not variant.structs[k] then list[#list + 1] = arg end
    end
    if check then list[#list + 1] = record end
    if check == "gpu" then list[#list + 1] = number end
    for _, given in ipairs(taken.values(variant)) do list[#list + 1] = given end
    return list
  end

  local function first_array(list)
    for _, arg in ipairs(list) do
      if core.is_array(arg) then return arg end
    end
  end

  --- What ma.`name` calls in place of a function that failed with `why`, with arguments of these types; nil: that error
  --- is right. `full`: the function has more operations than a program. The second result is what core.part_numbers
  --- takes (captures/element.lua) for the numbers that are no constants of the kernel, some of those of `changing`.
  --- `general` runs instead where there is no compiler, if the function is only too large, and absent() is told so.
  function core.fuse_body(fn, why, full, name, arguments, changing, general, absent)
    local beyond = core.beyond_rule == why
    if not beyond and not full then return nil end
    local printer = { fn = fn }
    local body, all_weak = { shown = name, variants = {}, changing = changing }, true
    local function variant_of(args, check)
      return taken.variant(body, check or "", args, function(numbers)
        return of_fuse(fn, name, arguments, numbers, check)
      end)
    end
    local done, first = pcall(variant_of)
    if not done then
      if beyond then error(sformat("%s; nor is it C++: %s", why, tostring(first)), 0) end
      return nil
    end
    for _, argument in ipairs(arguments) do all_weak = all_weak and argument.weak ~= nil end
    local function run(...)
      local args, check, record, number = { ... }, nil, nil, nil
      local like = first.whole and first_array(args)
      if first.whole then check, record, number = core.fault_place(name, nil, like) end
      local variant = first.scalars[1] and variant_of(args, check) or first           -- the core watches constants
      jit.elements.check_fits(body, variant, args)
      if all_weak then args[1] = ma.array(args[1], { dtype = arguments[1].dtype }) end   -- no argument is an array
      local list = of_kernel(variant, args, check, record, number)
      if not variant.places and not check then return variant.kernel(unpack(list)) end
      local buffer, place
      if variant.places then
        buffer, place = core.prints.values(printer, variant, first_array(list))
        list[#list + 1], list[#list + 2] = place, { out = { buffer } }
      end
      local results = { variant.kernel(unpack(list)) }
      if check then core.fault_raise(nil, like) end
      if buffer then core.prints.launched(buffer) end
      return unpack(results, buffer and 2 or 1)
    end
    local settled
    return function(...)
      if settled then return settled(...) end
      local results = { pcall(run, ...) }
      if not results[1] and lacks_compiler(results[2]) then
        if beyond then error(sformat("%s; as C++ it needs a compiler: %s", why, results[2]), 0) end
        absent()
        settled = general
        return general(...)
      end
      if not results[1] then error(results[2], 0) end
      settled = run
      return unpack(results, 2)
    end, next(first.numbers.known) and first.numbers or nil
  end
end
