--- Stencils by device functions, which may branch on elements. ma.jit translates the function, and an ElementwiseKernel
--- calls it at each position. The fields were extended at their edges before.

local sformat = require("moonarray.text").format

-- Finds the element of the thread's position in the extended fields. `walk`: extents, then steps, then the first place.
local START = [[
  uint64_t rest = i; ptrdiff_t at = walk[%d];
  for (int d = %d; d >= 0; d--) {
    at += (ptrdiff_t)(rest %% (uint64_t)walk[d]) * walk[%d + d];
    rest /= (uint64_t)walk[d];
  }
]]

return function(ma, core)
  local fail = core.fail
  local jit = ma.jit and core.jit        -- reading ma.jit loads both
  local translate, types = require "moonarray.jit.translate", require "moonarray.jit.types"
  local parameters, elements = require "moonarray.jit.parameters", jit.elements

  --- Translates the function for fields of these dtypes. Returns its reach, its results' dtypes, and its C++ kernel.
  local function make(device, nout, dtypes, ndim)
    local low, high, arguments, inputs, names = {}, {}, {}, {}, {}
    for d = 1, ndim do low[d], high[d] = 0, 0 end
    for k, dtype in ipairs(dtypes) do
      arguments[k] = { dtype = dtype, ndim = ndim, contiguous = false, input = true,
        field = { low = low, high = high } }
    end
    local functions = translate.functions(jit.language, false)
    functions.module.unnumbered = "a stencil"
    local of = functions:translate({ tree = device.tree, outside = device.outside, id = device.id }, arguments)
    functions:keep(of)
    if of.results.count ~= nout then
      of:fail(of.tree.line, sformat("the function returns %d values; wanted out = %d", of.results.count or 0, nout))
    end
    local steps = {}
    for d = 1, ndim do steps[d] = sformat("(int64_t)(walk[%d] * sizeof(T))", ndim + d - 1) end
    local body = { START:format(2 * ndim, ndim - 1, ndim) }
    for k, dtype in ipairs(dtypes) do
      local memory = types.memory[dtype]
      inputs[k], names[k] = sformat("raw %s f%d", dtype, k), "view" .. k
      body[#body + 1] = sformat("  const struct { const %s *p; int64_t steps[%d]; } view%d = { (const %s *)f%d.p + at, "
        .. "{ %s } };", memory, ndim, k, memory, k, (table.concat(steps, ", "):gsub("sizeof%(T%)", "sizeof(" .. memory
        .. ")")))
    end
    inputs[#inputs + 1] = "raw int64 walk"
    local found, declared = {}, {}
    for k = 1, nout do                     -- constants take the first field's dtype, as operands do
      local result, whole = of.results[k], types.is_integer(dtypes[1]) or dtypes[1] == "bool"
      found[k] = result.weak and ((result.weak == "int" or not whole) and dtypes[1] or "float64") or result.dtype
      declared[k] = { dtype = found[k] }
    end
    local outputs, last = elements.results({ outputs = declared }, of, parameters.call(of, names), {})
    for k = 1, #last do body[#body + 1] = last[k] end
    return { reads = functions.reads, low = low, high = high, dtypes = found, kernel = ma.ElementwiseKernel(
      table.concat(inputs, ", "), table.concat(outputs, ", "), table.concat(body, "\n"), "stencil_kernel",
      { preamble = functions:text() }) }
  end

  local function run(variant, blocks, outs)
    local shape, extents, steps, walk, first, step = outs[1].shape, blocks[1].shape, {}, {}, 0, 1
    local n = outs[1].ndim
    for d = n, 1, -1 do
      steps[d] = step
      step = step * extents[d]
    end
    for d = 1, n do
      walk[d], walk[n + d], first = shape[d], steps[d], first + variant.low[d] * steps[d]
    end
    walk[2 * n + 1] = first
    local arguments, results = {}, {}
    for k = 1, #blocks do arguments[k] = blocks[k] end
    arguments[#arguments + 1] = ma.array(walk, { dtype = "int64", device = outs[1].device })
    for k, out in ipairs(outs) do         -- elements without gaps are numbered in C order
      local same = out.is_contiguous and out.dtype == variant.dtypes[k]
      results[k] = same and out or ma.empty(out.shape, { dtype = variant.dtypes[k], device = out.device })
    end
    arguments[#arguments + 1] = { out = results }
    variant.kernel((rawget(_G, "unpack") or rawget(table, "unpack"))(arguments))
    for k, out in ipairs(outs) do
      if results[k] ~= out then out:assign(results[k]) end
    end
  end

  --- Returns a function of fields. That one returns how far the function reads, the results' dtypes, and a function
  --- that computes the results from extended fields.
  return function(device, nout)
    local variants = { variants = {} }
    if #device.tree.params == 0 then
      fail("stencil", "a device function without parameters; wanted one for each field")
    end
    return function(fields)
      if #fields ~= #device.tree.params then
        fail("stencil", sformat("%d fields; wanted %d: %s", #fields, #device.tree.params,
          table.concat(device.tree.params, ", ")))
      end
      local dtypes, ndim = {}, fields[1].ndim
      if ndim < 1 or ndim > 3 then fail("stencil", sformat("fields of %d axes; wanted 1 to 3", ndim)) end
      for k, field in ipairs(fields) do dtypes[k] = field.dtype end
      local variant = elements.variant(variants, ndim .. ":" .. table.concat(dtypes, ","), function()
        return make(device, nout, dtypes, ndim)
      end)
      return variant.low, variant.high, variant.dtypes, function(blocks, outs) run(variant, blocks, outs) end
    end
  end
end
