--- ma.vectorize: an elementwise operation out of a Lua function of scalars. The jit's translator prints the function;
--- an ElementwiseKernel for each combination of dtypes calls it.

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local jit = ma.jit and core.jit        -- asking for one loads both

  local function is_options(value)
    if type(value) ~= "table" or is_array(value) or next(value) == nil then return false end
    for key in pairs(value) do
      if type(key) ~= "string" then return false end
    end
    return true
  end

  --- Arrays stay, numbers are weak, anything else becomes an array.
  local function take(operation, args, n)
    local params, arrays = operation.tree.params, 0
    if n ~= #params then
      fail(operation.shown, ("%d arguments; wanted %d: %s"):format(n, #params, table.concat(params, ", ")))
    end
    for k = 1, n do
      local arg = args[k]
      if arg == nil then
        fail(operation.shown, ("argument %d (%s) is nil; wanted %d arguments"):format(k, params[k], n))
      end
      if type(arg) ~= "number" and type(arg) ~= "boolean" and not is_array(arg) then args[k] = ma.asarray(arg) end
      if is_array(args[k]) then arrays = arrays + 1 end
    end
    if arrays == 0 then args[1] = ma.asarray(args[1]) end
  end

  --- What an argument is to the translator.
  local function classify(arg)
    if is_array(arg) then return { dtype = arg.dtype } end
    if type(arg) == "boolean" then return { dtype = "bool" } end
    local whole = arg == math.floor(arg) and math.abs(arg) < 2 ^ 63
    return { dtype = whole and "int64" or "float64", weak = whole and "int" or "float" }
  end

  local function make(operation, arguments)
    local printed = jit.translate.scalar(jit.language, operation, arguments)
    local inputs, names, outputs, body = {}, {}, {}, {}
    for k, argument in ipairs(arguments) do
      names[k] = "x" .. k
      inputs[k] = argument.dtype .. " x" .. k
    end
    local call = ("%s(%s)"):format(printed.c, table.concat(names, ", "))
    if #printed.results == 1 then
      outputs[1], body[1] = printed.results[1].dtype .. " y1", "y1 = " .. call .. ";"
    else
      body[1] = ("const %s_results r = %s;"):format(printed.c, call)
      for k, result in ipairs(printed.results) do
        outputs[k], body[k + 1] = ("%s y%d"):format(result.dtype, k), ("y%d = r.v%d;"):format(k, k)
      end
    end
    local kernel = ma.ElementwiseKernel(table.concat(inputs, ", "), table.concat(outputs, ", "),
      table.concat(body, " "),
      operation.kernel_name, { preamble = printed.text })
    return { kernel = kernel, reads = printed.reads, text = printed.text, fits = printed.fits }
  end

  local function variant_of(operation, args)
    local arguments, keys = {}, {}
    for k = 1, #operation.tree.params do
      arguments[k] = classify(args[k])
      keys[k] = arguments[k].dtype .. (arguments[k].weak or "")
    end
    local key = table.concat(keys, ";")
    local variants = operation.variants[key] or {}
    operation.variants[key] = variants
    for _, variant in ipairs(variants) do
      if jit.still_holds(variant.reads) then return variant end
    end
    local variant = make(operation, arguments)
    variants[#variants + 1] = variant
    return variant
  end

  --- A weak whole number takes the dtype of what it meets, as beside an operator, and must fit there.
  local function check_fits(operation, variant, args)
    for _, fit in ipairs(variant.fits) do
      local number = fit.value(args)
      if not jit.holds(fit.dtype, number) then
        fail(operation.shown, ("the number %.14g does not fit %s; use a wider dtype, as in ma.int64(%.14g)"):format(
          number, fit.dtype, number))
      end
    end
  end

  local Operation =
    { __tostring = function(self) return ("vectorized function '%s'"):format(rawget(self, "shown")) end }

  function Operation.__call(operation, ...)
    local args, n, options = { ... }, select("#", ...), nil
    if n > #operation.tree.params and is_options(args[n]) then options, args[n], n = args[n], nil, n - 1 end
    take(operation, args, n)
    local variant = variant_of(operation, args)
    operation.latest = variant
    check_fits(operation, variant, args)
    if options then args[n + 1], n = options, n + 1 end
    return variant.kernel(common.unpack("vectorize", args, n))
  end

  function Operation.__index(operation, key)
    if key == "cached_code" then return operation.latest and operation.latest.text or "" end
  end

  core.def("vectorize(fn, name?, constants?)",
    "An elementwise operation from a Lua function of scalars, or from its source, compiled once for each " ..
      "combination of dtypes.",
    function(fn, name, constants)
      local operation = jit.read("vectorize", fn, { name = name, constants = constants })
      operation.shown = name or operation.tree.name or "function"
      operation.kernel_name = "vectorize_" .. operation.shown
      if #operation.tree.params == 0 then
        fail("vectorize", "a function without parameters; wanted one of at least one scalar")
      end
      operation.variants, operation.id = {}, 0
      return setmetatable(operation, Operation)
    end)
end
