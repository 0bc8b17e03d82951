--- ma.ndimage: functions of one window, or of one line, as kernels. The translator of ma.jit prints the function, and
--- an ElementwiseKernel calls it for each element, or for each line.

local sformat = require("moonarray.text").format

local MOST_PLACES = 4096               -- of a window whose elements a thread holds
local WIDE = 2 ^ 31                    -- from here on positions are counted in 64 bits

return function(ma, core)
  local is_array = core.is_array
  local common = require "moonarray.common" (core)
  local jit = ma.jit and core.jit        -- asking for one loads both
  local translate, types = require "moonarray.jit.translate", require "moonarray.jit.types"
  local parameters, elements = require "moonarray.jit.parameters", jit.elements
  local taken = require "moonarray.captures.kernel"

  local translated = {}
  local programs = require "moonarray.element.programs" (ma, core)
  local kernels = setmetatable({}, { __mode = "k" })          -- by function: what was read of it, or why it cannot be
  local texts, MOST_TEXTS = {}, 64       -- keys that are texts, the oldest first

  --- Whether it is the text of a function or a device function, which are nothing but kernels.
  function translated.is_kernel(fn) return type(fn) == "string" or jit.language.devices[fn] == true end

  --- Remembers what is known of a Lua function without holding the function. Otherwise neither could ever be collected.
  local function weakly(fn)
    local holder = setmetatable({ fn = fn }, { __mode = "v" })
    return function(name) return jit.environment(holder.fn)(name) end
  end

  local function read(name, fn)
    if jit.language.devices[fn] then return { tree = fn.tree, outside = fn.outside } end
    local kernel = jit.read(name, fn, {})
    if type(fn) == "function" then kernel.outside, kernel.fn, kernel.made_of = weakly(fn) end
    return kernel
  end

  --- What was read of a function, or nil and why it cannot be.
  local function kernel_of(name, fn)
    local known = kernels[fn]
    if known == nil then
      if type(fn) == "function" then
        local done, result = pcall(read, name, fn)
        known = done and result or tostring(result)
      else
        known = read(name, fn)
      end
      if type(known) == "table" then
        known.shown, known.variants, known.id, known.has_raw, known.check = name, {}, 0, true, true
        known.programs = {}              -- by how many elements a window has
      end
      if type(fn) == "string" then
        if #texts == MOST_TEXTS then kernels[table.remove(texts, 1)] = nil end
        texts[#texts + 1] = fn
      end
      kernels[fn] = known
    end
    if type(known) == "string" then return nil, known end
    return known
  end

  --- The types of further arguments, as the translator takes them; nil if one is nothing for a kernel.
  local function arguments_of(first, more, nparam)
    local list = first
    for k = #list + 1, nparam do
      local value = more[k - #first]
      if type(value) ~= "number" and type(value) ~= "boolean" then return nil end
    end
    for k = 1, nparam - #first do list[#list + 1] = elements.given(more[k]) end
    return list
  end

  -- Where element i of the result, or line i, begins in memory: `walk` has extents, then steps.
  local START = [[
  %s rest = i; ptrdiff_t %s = 0;
  for (int d = %d; d >= 0; d--) {
    const %s at = rest %% (%s)walk[d];
    rest /= (%s)walk[d];
    %s
  }
]]

  local function start_text(name, ndim, wide, add)
    local index = wide and "uint64_t" or "uint32_t"
    return START:format(index, name, ndim - 1, index, index, index, add)
  end

  --- The variant for arguments: translated, and put into a C++ kernel by make(fn, text), at the first call. The numbers
  --- from outside that change are the kernel's last inputs. `what`: "window" or "line".
  local function variant_of(kernel, what, key, arguments, check, make)
    key = what .. ";" .. key
    for _, argument in ipairs(arguments) do
      key = key .. ";" .. argument.dtype .. (argument.weak or "") .. (argument.extent or "")
    end
    return taken.variant(kernel, key .. (check or ""), nil, function(changing)
      local functions = translate.functions(jit.language, false, changing)
      functions.module.unnumbered, functions.module.takes_arrays = "a function of windows", what == "window"
      local fn = functions:translate(kernel, arguments, check)
      functions:keep(fn)
      return { reads = functions.reads, fits = functions.fits, scalars = functions.scalars,
        kernel = make(fn, functions:text()) }
    end)
  end

  --- Runs a variant over `n` elements: arrays and numbers by the order of its parameters, then the record of faults.
  local function run(kernel, variant, args, passed, n, out, check, record, number)
    elements.check_fits(kernel, variant, args)
    if check then passed[#passed + 1] = record end
    if check == "gpu" then passed[#passed + 1] = number end
    for _, value in ipairs(taken.values(variant)) do passed[#passed + 1] = value end
    passed[#passed + 1] = { size = n, out = out }
    variant.kernel(common.unpack(kernel.shown, passed))
    if check then core.fault_raise(nil, out) end
  end

  --- The list of a kernel's inputs: the given ones, further numbers, the record of faults, and numbers from outside.
  local function inputs_text(of, inputs, arguments, first, check)
    for k = first, #arguments do inputs[#inputs + 1] = sformat("%s x%d", arguments[k].dtype, k) end
    for k = 1, check == "cpu" and 1 or check and 2 or 0 do inputs[#inputs + 1] = parameters.record[k] end
    local scalars = taken.count_numbers(arguments) + first + (check and 1 or 0)
    for _, declared in ipairs(taken.parameters(of.module, "%s %s", nil, scalars)) do inputs[#inputs + 1] = declared end
    return table.concat(inputs, ", ")
  end

  local function names_of(list, arguments)
    for k = #list + 1, #arguments do list[k] = "x" .. k end
    return list
  end

  --- Calls attempt(kernel), or says why there is no kernel.
  local function attempted(name, fn, attempt)
    local kernel, why = kernel_of(name, fn)
    if not kernel then return nil, why end
    if translated.is_kernel(fn) then return attempt(kernel) end
    local variant, reason
    local done, problem = pcall(function() variant, reason = attempt(kernel) end)
    if not done then return nil, tostring(problem) end
    return variant, reason
  end

  --- A function of the elements of one window as a kernel. Returns a function that writes the filter's result into an
  --- array without gaps, or nil and why there is none. `more` are further arguments, and n is the number of elements of
  --- a window.
  function translated.window(name, fn, dtype, to, ndim, n, wide, more)
    local check, record, number
    local arguments
    local variant, why = attempted(name, fn, function(kernel)
      local nparam = #kernel.tree.params
      arguments = nparam > 0 and arguments_of({ { dtype = dtype, ndim = 1, contiguous = true, extent = n,
        input = true } }, more, nparam)
      if not arguments then return nil, "its arguments are not the window and numbers" end
      if n > MOST_PLACES then return nil, sformat("a window of %d elements; wanted at most %d", n, MOST_PLACES) end
      check, record, number = elements.where_checked(kernel, nil, wide)
      local big = wide.size >= WIDE
      return variant_of(kernel, "window", sformat("%s;%d;%s", to, ndim, tostring(big)), arguments, check,
        function(of, text)
          if of.results.count ~= 1 then of:fail(of.tree.line, "the function of a window returns one number") end
          of:check_result(of.results[1], to)
          local memory = types.memory[dtype]
          local body = start_text("start", ndim, big, sformat("start += (ptrdiff_t)at * walk[%d + d];", ndim))
            .. sformat([=[
  const %s *const from = (const %s *)a.p + start;
  %s w[%d];
  for (int k = 0; k < %d; k++) w[k] = from[places[k]];
]=], memory, memory, memory, n, n)
          local call = parameters.call(of, names_of({ "w" }, arguments), parameters.faults(check, kernel.shown))
          body = body .. sformat("  y = %s;", types.convert(call, of.results[1].dtype, to))
          return ma.ElementwiseKernel(inputs_text(of, { sformat("raw %s a", dtype), "raw int64 places",
            "raw int64 walk" }, arguments, 2, check), to .. " y", body, "ndimage_of_window", { preamble = text })
        end)
    end)
    if not variant then return nil, why end
    return function(places, walk, out)
      local kernel, args, passed = kernel_of(name, fn), { wide }, { wide, places, walk }
      for k = 2, #arguments do args[k], passed[k + 2] = more[k - 1], more[k - 1] end
      run(kernel, variant, args, passed, nil, out, check, record, number)
    end
  end

  --- The program of a function of a window of n elements, whose result has a dtype, or nil.
  local function program_of(name, fn, n, to)
    local kernel = kernel_of(name, fn)
    if not kernel then return nil end
    local key = n .. to
    kernel.programs[key] = kernel.programs[key] or programs.make({ tree = kernel.tree, outside = kernel.outside,
      shown = name, resolve = function() return {}, { to } end }, n, "exact")
    return kernel.programs[key]
  end

  --- Makes the result of a function of windows by a program over the image and its shifted parts, which parts() gives.
  --- Returns whether it could.
  function translated.shifted(name, fn, n, parts, more, result)
    if n + #more > programs.most then return false end
    for k = 1, #more do
      if type(more[k]) ~= "number" then return false end
    end
    local program = program_of(name, fn, n, result.dtype)
    if not program or program.refused then return false end
    local args = parts()
    for k = 1, #more do args[n + k] = more[k] end
    local done, made, other = programs.call(program, args, n + #more, nil, nil)
    if not done or other then return false end
    result:assign(made)
    return true
  end

  --- Whether a kernel of windows failed because there is no compiler, and its program takes its place.
  function translated.stands_in(name, fn, n, to, message)
    local program = program_of(name, fn, n, to)
    return program and programs.stands_in(program, message)
  end

  --- A function of one line, and of the line of the result, as a kernel. Returns a function that runs it, as `window`
  --- does.
  function translated.line(name, fn, dtype, to, ndim, wide, more)
    local check, record, number
    local arguments
    local variant, why = attempted(name, fn, function(kernel)
      local nparam = #kernel.tree.params
      arguments = nparam > 1 and arguments_of({ { dtype = dtype, ndim = 1, contiguous = false, input = true },
        { dtype = to, ndim = 1, contiguous = false } }, more, nparam)
      if not arguments then return nil, "its arguments are not two lines and numbers" end
      check, record, number = elements.where_checked(kernel, nil, wide)
      local big = wide.size >= WIDE
      return variant_of(kernel, "line", sformat("%d;%s", ndim, tostring(big)), arguments, check, function(of, text)
        if (of.results.count or 0) ~= 0 then
          of:fail(of.tree.line, "the function of a line returns nothing; its results go into its second argument")
        end
        local body = start_text("start", ndim, big, sformat("start += (ptrdiff_t)at * walk[%d + d]; "
          .. "to += (ptrdiff_t)at * walk[%d + d];", ndim, 2 * ndim)):gsub("start = 0;", "start = 0, to = 0;")
          .. sformat([[
  const struct { const %s *p; int64_t extents[1], steps[1]; } line = { (const %s *)a.p + start, { walk[%d] },
    { (int64_t)(walk[%d] * sizeof(%s)) } };
  const struct { %s *p; int64_t extents[1], steps[1]; } result = { (%s *)y.p + to, { walk[%d] },
    { (int64_t)(walk[%d] * sizeof(%s)) } };
]], types.memory[dtype], types.memory[dtype], 3 * ndim, 3 * ndim + 1, types.memory[dtype], types.memory[to],
              types.memory[to], 3 * ndim + 2, 3 * ndim + 3, types.memory[to])
        local call = parameters.call(of, names_of({ "line", "result" }, arguments),
          parameters.faults(check, kernel.shown))
        return ma.ElementwiseKernel(inputs_text(of, { sformat("raw %s a", dtype), "raw int64 walk" }, arguments, 3,
          check), sformat("raw %s y", to), body .. "  " .. call .. ";", "ndimage_of_line", { preamble = text })
      end)
    end)
    if not variant then return nil, why end
    return function(walk, n, out)
      local kernel, args, passed = kernel_of(name, fn), { wide, out }, { wide, walk }
      for k = 3, #arguments do args[k], passed[k] = more[k - 2], more[k - 2] end
      run(kernel, variant, args, passed, n, out, check, record, number)
    end
  end

  --- The element strides of an array without gaps.
  function translated.steps(shape)
    local steps, step = {}, 1
    for d = #shape, 1, -1 do
      steps[d] = step
      step = step * shape[d]
    end
    return steps
  end

  --- A small array of whole numbers for a kernel, on the image's device.
  function translated.numbers(list, like)
    return ma.array(list, { dtype = "int64", device = is_array(like) and like.device or nil })
  end

  return translated
end
