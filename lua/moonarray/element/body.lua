--- The form of a stencil's function that no selects can say: C++ over the values of the neighbours that it reads, which
--- backends call in the loops over rows in which they run programs.

local sformat = require("moonarray.text").format

return function(ma, core)
  local jit = ma.jit and core.jit        -- reading ma.jit loads both
  local translate, types = require "moonarray.jit.translate", require "moonarray.jit.types"
  local random = require "moonarray.jit.random"
  local operation = require "moonarray.element.operation" (ma, core)
  local functions_read = setmetatable({}, { __mode = "k" })  -- devices by functions, which call each other
  local nfunction = 0

  --- A function of the program as one that kernels call.
  local function read_function(fn)
    local device = functions_read[fn]
    if not device then
      nfunction = nfunction + 1
      device = jit.read("stencil", fn, {})
      device.id = "rule" .. nfunction
      functions_read[fn] = device
    end
    return device
  end

  --- The struct of the neighbours that the function is given.
  local function neighbours(reads)
    local members, values = {}, {}
    for k, read in ipairs(reads) do
      members[k], values[k] = ("%s v%d;"):format(types.register[read.dtype], k - 1), "v" .. k - 1
    end
    if #reads == 0 then members[1] = "char none;" end
    return ("struct jit_neighbours { %s };\n"):format(table.concat(members, " ")),
      ("const jit_neighbours near = {%s};"):format(table.concat(values, ", "))
  end

  --- The body of a stencil's program for fields of these dtypes: its texts, what it reads ({field, offset, ...}), and
  --- the dtypes of its results. `device` is a device function, or nil for a function of Lua.
  local function translated(fn, device, nout, ndim, dtypes)
    local functions, arguments = translate.functions(jit.language, false), {}
    local module = functions.module
    module.unnumbered, module.read_function = "a stencil", read_function
    module.near = { reads = {}, places = {}, operations = {}, apply = operation.apply, known = operation.of }
    for k, dtype in ipairs(dtypes) do
      arguments[k] = { dtype = dtype, ndim = ndim, contiguous = false, input = true, field = { number = k - 1 } }
    end
    local of = device or read_function(fn)
    local params = of.tree.params
    if #dtypes ~= #params then
      core.fail("stencil", sformat("%d fields; wanted %d: %s", #dtypes, #params, table.concat(params, ", ")))
    end
    local made = functions:translate({ tree = of.tree, outside = of.outside, id = of.id }, arguments)
    functions:keep(made)
    if nout and made.results.count ~= nout then
      made:fail(made.tree.line, sformat("the function returns %d values; wanted out = %d", made.results.count or 0,
        nout))
    end
    local reads = module.near.reads
    local struct, near = neighbours(reads)
    local draws, drawn, given = random.of_body(made, #dtypes, #reads, ndim)
    for _, read in ipairs(drawn) do reads[#reads + 1] = read end
    given[#given + 1] = "near"
    local results, texts = {}, { near, ("const auto result = %s(%s);"):format(made.c, table.concat(given, ", ")) }
    local whole = types.is_integer(dtypes[1]) or dtypes[1] == "bool"
    for k = 1, made.results.count do                   -- constants take the first field's dtype, as operands do
      local result = made.results[k]
      results[k] = result.weak and ((result.weak == "int" or not whole) and dtypes[1] or "float64") or result.dtype
      local one = made.results.count == 1 and "result" or "result.v" .. k
      texts[k + 2] = ("y%d = %s;"):format(k - 1, types.convert(one, result.dtype, results[k]))
    end
    local preamble = table.concat(module.near.operations) .. struct .. functions:text() .. "#line 1 \"moonarray\"\n"
    return { preamble = preamble, operation = table.concat(texts, " "), reads = reads,
      results = results, draws = draws }
  end

  --- The same, or nil and why there is none.
  return function(...)
    local done, body = pcall(translated, ...)
    if done then return body end
    return nil, tostring(body)
  end
end
