--- `ma.GeneralizedUFunc`: a function of arrays' last axes, which broadcasts over all axes before them.

return function(ma, core)
  local fail, sformat = core.fail, string.format
  local NAME = "GeneralizedUFunc"

  --- "(i,j),(j)" -> { {"i", "j"}, {"j"} }
  local function parts_of(text, signature)
    local parts, rest = {}, "," .. text
    while rest ~= "" do
      local names, more = rest:match("^,%(([%w_,]*)%)(.*)$")
      if not names then
        fail(NAME, sformat("signature is '%s'; wanted axes' names such as '(i,j),(j)->(i)'", signature))
      end
      local part = {}
      for name in names:gmatch("[^,]+") do part[#part + 1] = name end
      parts[#parts + 1], rest = part, more
    end
    return parts
  end

  --- Checks the extents of an array's last axes; returns the shape of those before.
  local function loop_shape(name, a, k, part, extents)
    local n = a.ndim - #part
    if n < 0 then fail(name, sformat("operand %d of %d axes; wanted at least %d", k, a.ndim, #part)) end
    local loop = {}
    for d = 1, n do loop[d] = a.shape[d] end
    for d, axis in ipairs(part) do
      local extent = a.shape[n + d]
      if extents[axis] and extents[axis] ~= extent then
        fail(name, sformat("axis %s of operand %d has %d elements; another operand has %d", axis, k, extent,
          extents[axis]))
      end
      extents[axis] = extent
    end
    return loop
  end

  local function joined(a, b)
    local all = {}
    for _, n in ipairs(a) do all[#all + 1] = n end
    for _, n in ipairs(b) do all[#all + 1] = n end
    return all
  end

  local function core_shape(a, part)
    local shape = {}
    for d = 1, #part do shape[d] = a.shape[a.ndim - #part + d] end
    return shape
  end

  --- One call for each place of the axes before, whose results are stacked.
  local function call_each(self, operands, loop, count)
    local flat, lists = {}, {}
    for k, a in ipairs(operands) do flat[k] = a:reshape(joined({ count }, core_shape(a, self.inputs[k]))) end
    for r = 1, self.nout do lists[r] = {} end
    for i = 1, count do
      local given = {}
      for k, a in ipairs(flat) do given[k] = a[{ i, "..." }] end
      local results = { self.func(unpack(given)) }
      for r = 1, self.nout do lists[r][i] = ma.asarray(results[r]) end
    end
    local results = {}
    for r = 1, self.nout do
      local all = ma.stack(lists[r])
      results[r] = all:reshape(joined(loop, core_shape(all, self.outputs[r])))
    end
    return results
  end

  local function call(self, ...)
    local name, extents, operands, loops = self.name, {}, {}, {}
    if select("#", ...) ~= self.nin then
      fail(name, sformat("%d operands; wanted %d", select("#", ...), self.nin))
    end
    for k = 1, self.nin do
      operands[k] = ma.asarray((select(k, ...)))
      loops[k] = loop_shape(name, operands[k], k, self.inputs[k], extents)
    end
    local loop, count = ma.broadcast_shapes(unpack(loops)), 1
    for _, n in ipairs(loop) do count = count * n end
    for k, a in ipairs(operands) do
      operands[k] = ma.broadcast_to(a, joined(loop, core_shape(a, self.inputs[k])))
    end
    local results
    if self.supports_batched or #loop == 0 then
      results = { self.func(unpack(operands)) }
    else
      if count == 0 then fail(name, "no places to call the function for; wanted supports_batched = true for that") end
      results = call_each(self, operands, loop, count)
    end
    return unpack(results, 1, self.nout)
  end

  local meta = { __call = call, __tostring = function(self) return sformat("<GeneralizedUFunc '%s'>", self.name) end }

  core.def("GeneralizedUFunc(func, signature; name?, supports_batched?)",
    "A function of arrays that calls func with those of the axes that the signature names, as '(i,j),(j)->(i)', for " ..
      "each place of the axes before, which broadcast; with supports_batched = true once, with all axes.",
    function(func, signature, name, supports_batched)
      require("moonarray.common")(core).callable(NAME, "func", func)
      local from, to = tostring(signature):gsub("%s", ""):match("^(.-)%->(.*)$")
      if type(signature) ~= "string" or not from then
        fail(NAME, sformat("signature is %s; wanted axes' names such as '(i,j),(j)->(i)'", core.describe(signature)))
      end
      local inputs, outputs = parts_of(from, signature), parts_of(to, signature)
      return setmetatable({ func = func, signature = signature, inputs = inputs, outputs = outputs, nin = #inputs,
        nout = #outputs, name = name or NAME, supports_batched = supports_batched and true or false }, meta)
    end)
end
