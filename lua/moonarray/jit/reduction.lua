--- ma.jit.reductionkernel: a reduction whose map, combination and last step are Lua functions. The translator prints
--- them, and a ReductionKernel for each combination of types calls them.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format
local parameters = require "moonarray.jit.parameters"
local random = require "moonarray.jit.random"
local taken = require "moonarray.captures.kernel"

return function(ma, core)
  local fail, is_array, jit = core.fail, core.is_array, core.jit
  local translate, types = require "moonarray.jit.translate", require "moonarray.jit.types"
  local value = require "moonarray.jit.value"
  local elements = jit.elements

  local MOST_VALUES = 8                  -- combined together: a partial result has at most 64 bytes

  -- ==== Types ====

  --- Checks the number of results of a function.
  local function check_count(fn, what, wanted)
    local count = fn.results.count or 0
    if count ~= wanted then
      fn:fail(fn.tree.line, ("'%s' returns %d values; wanted %d"):format(what, count, wanted))
    end
  end

  --- A type for both results, or an error that says what they are.
  local function widened(fn, old, result)
    local dtype = result.dtype
    if (old == "bool") ~= (dtype == "bool") then
      fn:fail(fn.tree.line, ("'map' gives %s and 'reduce' %s; wanted two numbers or two booleans"):format(old, dtype))
    end
    return dtype == "bool" and dtype or value.join({ dtype = old }, result)
  end

  --- The types of partial results. If they are not named, they are those of map's results, widened until reduce's
  --- results fit them. Returns the types, and the last translation of reduce.
  local function settle(kernel, functions, map)
    local dtypes, named = {}, kernel.reduce_type
    for k = 1, map.results.count do
      local result = map.results[k]
      dtypes[k] = named and named[k] or result.weak and value.default[result.weak] or result.dtype
    end
    for _ = 1, 20 do
      local arguments, changed, n = {}, false, #dtypes
      for k = 1, n do arguments[k], arguments[n + k] = { dtype = dtypes[k] }, { dtype = dtypes[k] } end
      functions.module.unnumbered = "reduce"
      local reduce = functions:translate(kernel.reduce, arguments)
      check_count(reduce, "reduce", n)
      for k = 1, n do
        local dtype = widened(reduce, dtypes[k], reduce.results[k])
        if not named and dtype ~= dtypes[k] then dtypes[k], changed = dtype, true end
      end
      if not changed then return dtypes, reduce end
    end
    fail(kernel.shown, "the types of map and reduce do not settle; name them by reduce_type")
  end

  -- ==== The text ====

  --- The text of a partial result, `{a.v1, ...}` or one value, from a function's results.
  local function partial_of(fn, dtypes, text)
    local list = {}
    for k, dtype in ipairs(dtypes) do
      list[k] = types.convert(#dtypes == 1 and text or "r.v" .. k, fn.results[k].dtype, dtype)
    end
    return #dtypes == 1 and list[1] or "{" .. table.concat(list, ", ") .. "}"
  end

  local INLINE = "static __device__ __forceinline__ "

  --- Several values form a struct, to which the results of map and reduce are converted.
  local function struct_of(dtypes, map, reduce)
    local fields, text = {}, {}
    for k, dtype in ipairs(dtypes) do fields[k] = ("%s v%d;"):format(types.register[dtype], k) end
    text[1] = ("struct jit_partial { %s };"):format(table.concat(fields, " "))
    for k, fn in ipairs { map, reduce } do
      text[k + 1] = ("%sjit_partial jit_partial_of(const %s_results &r) { return %s; }"):format(INLINE, fn.c,
        partial_of(fn, dtypes))
    end
    return text
  end

  local function identity_of(kernel, dtypes)
    local list, given = {}, kernel.identity
    if given == nil then return nil end
    if type(given) ~= "table" then given = { given } end
    if #given ~= #dtypes then
      fail(kernel.shown, ("%d identities; wanted %d, as map returns"):format(#given, #dtypes))
    end
    for k, dtype in ipairs(dtypes) do
      local number = given[k]
      local fits = dtype == "bool" and type(number) == "boolean" or dtype ~= "bool" and type(number) == "number"
        and (not types.is_integer(dtype) or number == math.floor(number) and types.holds(dtype, number))
      if not fits then
        fail(kernel.shown, ("the identity %s does not fit %s, which is combined; reduce_type names another"):format(
          type(number) == "number" and sformat("%.14g", number) or tostring(number), dtype))
      end
      list[k] = dtype == "bool" and tostring(number) or types.literal(number, dtype)
    end
    return #list == 1 and list[1] or "jit_partial{" .. table.concat(list, ", ") .. "}"
  end

  --- The values of a partial result in C++.
  local function values_of(name, dtypes)
    local list = {}
    for k in ipairs(dtypes) do list[k] = #dtypes == 1 and name or name .. ".v" .. k end
    return list
  end

  --- The last step, with the values, and with the number of elements if the function asks for it.
  local function finish_with(kernel, functions, dtypes, found)
    local arguments, names = {}, values_of("a", dtypes)
    for k, dtype in ipairs(dtypes) do arguments[k] = { dtype = dtype } end
    if not kernel.post then
      local results = { count = #dtypes }
      for k, dtype in ipairs(dtypes) do results[k] = { dtype = dtype } end
      local plain = { results = results, c = "jit_partial", tree = kernel.tree, fail = function(_, _, text)
        fail(kernel.shown, text)
      end }
      local outputs, body = elements.results(kernel, plain, "a", found)
      if #dtypes > 1 then body[1] = "const jit_partial r = a;" end
      return outputs, body
    end
    local wanted = #kernel.post.tree.params
    if wanted == #dtypes + 1 then
      arguments[wanted], names[wanted] = { dtype = "int64" }, "i8(n / _out_ind.size())"
    elseif wanted ~= #dtypes then
      fail(kernel.shown, ("'post' has %d parameters; wanted %d, as map returns, or one more for the count"):format(
        wanted, #dtypes))
    end
    functions.module.unnumbered = "post"
    local post = functions:translate(kernel.post, arguments)
    if (post.results.count or 0) == 0 then post:fail(post.tree.line, "'post' returns nothing; wanted a value") end
    functions:keep(post)
    return elements.results(kernel, post, parameters.call(post, names), found)
  end

  local function make(kernel, arguments, found, check, numbered, _, _, changing)
    local functions = translate.functions(jit.language, numbered, changing)
    functions.module.takes_arrays = true
    local map = functions:translate(kernel, arguments, check)
    if functions:wants_index() then return make(kernel, arguments, found, check, true, nil, nil, changing) end
    functions:keep(map)
    if (map.results.count or 0) == 0 then map:fail(map.tree.line, "'map' returns nothing; wanted a value") end
    if map.results.count > MOST_VALUES then
      map:fail(map.tree.line, ("'map' returns %d values; at most %d are combined"):format(map.results.count,
        MOST_VALUES))
    end
    if kernel.reduce_type and #kernel.reduce_type ~= map.results.count then
      map:fail(map.tree.line, ("'map' returns %d values; reduce_type says %d"):format(map.results.count,
        #kernel.reduce_type))
    end
    functions.module.numbered = nil       -- only elements have a number
    functions.module.changing, functions.module.takes_arrays = nil, nil       -- and only they have the kernel's inputs
    local dtypes, reduce = settle(kernel, functions, map)
    functions:keep(reduce)
    local n, inputs, names = #dtypes, elements.declare(kernel, arguments, check, functions.module)
    local mapped = parameters.call(map, names, parameters.faults(check, kernel.shown))
    local both = values_of("a", dtypes)
    for k, name in ipairs(values_of("b", dtypes)) do both[n + k] = name end
    local reduced = parameters.call(reduce, both)
    local outputs, body = finish_with(kernel, functions, dtypes, found)
    local text = functions:text(n > 1 and struct_of(dtypes, map, reduce) or nil)
    return { reads = functions.reads, fits = functions.fits, text = text, draws = random.taken(map),
      scalars = functions.scalars, whole = functions.module.takes_whole,
      kernel = ma.ReductionKernel(
      table.concat(inputs, ", "), table.concat(outputs, ", "),
      n == 1 and partial_of(map, dtypes, mapped) or ("jit_partial_of(%s)"):format(mapped),
      n == 1 and partial_of(reduce, dtypes, reduced) or ("jit_partial_of(%s)"):format(reduced),
      table.concat(body, " "), identity_of(kernel, dtypes), kernel.kernel_name,
      { reduce_type = n == 1 and dtypes[1] or "jit_partial", preamble = text }) }
  end

  -- ==== Calls ====

  local function launch(kernel, ...)
    local args, n = { ... }, select("#", ...)
    local vectors
    args, n, vectors = elements.split(kernel, args, n)
    for _, v in ipairs(vectors) do elements.part(args, v) end
    local first = elements.take(kernel, args, n)
    local last = args[n]
    local options = n > #kernel.params and type(last) == "table" and not is_array(last) and last or {}
    local out = options.out
    local outputs = is_array(out) and { out } or type(out) == "table" and out or {}
    local variant, check, record, number = elements.prepare(kernel, args, outputs, options.stream, first, make)
    local drawn = variant.draws and random.values(core, kernel.shown, variant.draws, options.stream, first) or {}
    local list, at = {}, 0
    local function pass(arg) at, list[at + 1] = at + 1, arg end
    for k = 1, math.max(n, #kernel.params) + 1 do
      if k == #kernel.params + 1 then        -- behind the inputs
        if check then pass(record) end
        if check == "gpu" then pass(number) end
        for _, part in ipairs(drawn) do pass(part) end
        for _, part in ipairs(taken.values(variant)) do pass(part) end
      end
      if k <= n then elements.spread(args[k], pass) end
    end
    return elements.call(kernel, variant, check, options.stream, first, list, at)
  end

  --> = jit_reduction | ma.jit.reductionkernel { reduce = function(a, b) return a + b end } | Called with arrays.
  --> . cached_code: string | the CUDA C++ of the last call
  --> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  --> jit_reduction:captures: next(jit_reduction:captures()) == nil
  --> + call(...): array
  local Kernel = elements.class("jit.reduction", launch)

  local options_of = { name = true, constants = true, check = true, in_params = true, out_params = true, map = true,
    reduce = true, post = true, identity = true, reduce_type = true,
    plain = true, captures = true, list = "map, reduce, post, identity, reduce_type, in_params, out_params, name, "
      .. "constants, check, plain and captures" }

  ---@class moonarray.jit.reduction
  ---@field map? function|string
  ---@field reduce function|string
  ---@field post? function|string
  ---@field identity? number|boolean|table
  ---@field reduce_type? string|string[]
  ---@field in_params? string
  ---@field out_params? string
  ---@field name? string
  ---@field constants? table
  ---@field check? boolean
  ---@field captures? string[]
  ---@field plain? boolean

  local WHAT = "jit.reductionkernel"

  local function read_type(given)
    if given == nil then return nil end
    local list = type(given) == "table" and given or { given }
    local dtypes = {}
    for k, name in ipairs(list) do
      dtypes[k] = type(name) == "string" and elements.known_dtype(name) or nil
      if not dtypes[k] then fail(WHAT, ("reduce_type is %s; wanted a dtype or a table of them"):format(
        core.describe(name))) end
    end
    return dtypes
  end

  --- A reduction of Lua functions: map(x, ...) of each element, reduce(a, b) of two values, post(a) of the last one;
  --- identity is what no elements give. Called k(x, ..., axis?, {keepdims =, out =}).
  ---@param given moonarray.jit.reduction
  function ma.jit.reductionkernel(given)
    if type(given) ~= "table" or next(given) == nil then
      fail(WHAT, core.describe(given) .. "; wanted a table with reduce, and map, post, identity ...")
    end
    local options = jit.check_options(WHAT, given, options_of)
    if options.reduce == nil then fail(WHAT, "no reduce; wanted a function of two values") end
    local kernel = jit.read(WHAT, options.map or "function map(x) return x end", options, "map")
    kernel.reduce = jit.read(WHAT, options.reduce, options, "reduce")
    kernel.post = options.post ~= nil and jit.read(WHAT, options.post, options, "post") or nil
    if #kernel.tree.params == 0 then fail(WHAT, "'map' has no parameters; wanted at least one") end
    local pair = #kernel.reduce.tree.params
    if pair == 0 or pair % 2 ~= 0 then
      fail(WHAT, ("'reduce' has %d parameters; wanted the values of two sides, as in reduce(a, b)"):format(pair))
    end
    local name = options.name or "reduction"
    kernel.shown, kernel.kernel_name = "jit." .. name, "jit_" .. name
    kernel.label, kernel.check = ("jit reduction kernel '%s'"):format(name), options.check ~= false
    kernel.identity, kernel.reduce_type = options.identity, read_type(options.reduce_type)
    elements.declared(WHAT, kernel, options)
    for _, declared in ipairs(kernel.inputs or {}) do
      if declared.written then fail(WHAT, ("output '%s' is raw; a reduction writes its own element"):format(
        declared.name)) end
    end
    if kernel.out_groups then fail(WHAT, "a vector among the outputs; a reduction gives numbers") end
    kernel.id, kernel.reduce.id, kernel.params, kernel.variants = 0, 0, elements.names(kernel), {}
    if kernel.post then kernel.post.id = 0 end
    local functions = { map = options.map == nil and function(x) return x end or kernel.fn or options.map,
      reduce = kernel.reduce.fn or options.reduce, post = kernel.post and (kernel.post.fn or options.post) }
    if elements.is_plain(WHAT, kernel, options.plain, { functions.map, functions.reduce, functions.post }) then
      return core.plain.kernels().reductionkernel(functions, kernel)
    end
    return setmetatable(elements.complete(kernel), Kernel)
  end
end
