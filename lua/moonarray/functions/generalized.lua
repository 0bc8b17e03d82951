--- `ma.GeneralizedUFunc`: a function of arrays' last axes, which broadcasts over all axes before them.
--# functions

return function(ma, core)
  local fail, sformat = core.fail, require("moonarray.text").format
  local common = require "moonarray.common" (core)
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
    local loop = { unpack(a.shape, 1, n) }
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

  local joined = common.joined

  local function core_shape(a, part) return { unpack(a.shape, a.ndim - #part + 1) } end

  --- One call for each place of the axes before, whose results are stacked.
  local function call_each(self, operands, loop, count)
    local flat, lists = {}, {}
    for k, a in ipairs(operands) do flat[k] = a:reshape(joined({ count }, core_shape(a, self.inputs[k]))) end
    for r = 1, self.nout do lists[r] = {} end
    for i = 1, count do
      local given = {}
      for k, a in ipairs(flat) do given[k] = a[{ i, "..." }] end
      local results = { self.func(unpack(given)) }
      for r = 1, self.nout do lists[r][i] = core.asarray(results[r]) end
    end
    local results = {}
    for r = 1, self.nout do
      local all = ma.stack(lists[r])
      results[r] = all:reshape(joined(loop, core_shape(all, self.outputs[r])))
    end
    return results
  end

  -- ==== Where the axes are =========================================================================================

  --- The axes of each part of the signature, of the operands first, or nil: they are the last ones.
  local function axes_of(self, axes, axis, keepdims)
    local name, parts, count = self.name, joined(self.inputs, self.outputs), self.nin + self.nout
    if axes == nil and axis == nil then return nil end
    if axes ~= nil and axis ~= nil then fail(name, "axes and axis; they are two ways to say one thing") end
    if axis ~= nil then
      for _, part in ipairs(parts) do
        if #part > 1 or (part[1] or self.inputs[1][1]) ~= self.inputs[1][1] then
          fail(name, sformat("axis with the signature '%s'; it is for one axis that all share", self.signature))
        end
      end
      axes = {}
      for k, part in ipairs(parts) do axes[k] = #part == 1 and { axis } or {} end
      if keepdims then axes = { unpack(axes, 1, self.nin) } end
    end
    common.type(name, "axes", axes, "table")
    local cores = 0
    for _, part in ipairs(self.outputs) do cores = cores + #part end
    if #axes ~= count and (#axes ~= self.nin or cores > 0) then
      fail(name, sformat("axes for %d arrays; wanted %d, the operands' and the results'", #axes, count))
    end
    local lists = {}
    for k, own in ipairs(axes) do
      lists[k] = common.list(name, "axes", own)
      local wanted = keepdims and k > self.nin and #self.inputs[1] or #parts[k]
      if #lists[k] ~= wanted then
        fail(name, sformat("%d axes for array %d; its signature has %d", #lists[k], k, wanted))
      end
    end
    return lists
  end

  local function last_axes(n)
    local axes = {}
    for d = 1, n do axes[d] = d - n - 1 end
    return axes
  end

  --- The results with an axis of one element for each that the operands lost, which keepdims asks for.
  local function kept(a, axes)
    local n = #axes
    local shape = a.shape
    for _ = 1, n do shape[#shape + 1] = 1 end
    return n == 0 and a or a:reshape(shape):moveaxis(last_axes(n), axes)
  end

  local function check_keepdims(self)
    for _, part in ipairs(self.inputs) do
      if #part ~= #self.inputs[1] then
        fail(self.name, sformat("keepdims with the signature '%s'; its operands have different axes", self.signature))
      end
    end
    for _, part in ipairs(self.outputs) do
      if #part > 0 then fail(self.name, sformat("keepdims with the signature '%s'; its results have axes",
        self.signature)) end
    end
  end

  --- Moves the results' axes where they are wanted, and copies them to `out`.
  local function settle(self, results, axes, keepdims, out)
    if out ~= nil and (core.is_array(out) or type(out) ~= "table") then out = { out } end
    if out and #out ~= self.nout then
      fail(self.name, sformat("%d arrays in out; wanted %d", #out, self.nout))
    end
    for r = 1, self.nout do
      local a, own = core.asarray(results[r]), axes and axes[self.nin + r]
      if keepdims then a = kept(a, own or axes and axes[1] or last_axes(#self.inputs[1]))
      elseif own and #own > 0 then a = a:moveaxis(last_axes(#own), own) end
      results[r] = common.finish(self.name, a, out and out[r])
    end
    return unpack(results, 1, self.nout)
  end

  -- ==== The call ===================================================================================================

  local keys = { axes = true, axis = true, keepdims = true, out = true }

  --- The options at the end of a call, or {}.
  local function options_of(self, n, ...)
    local last = n > self.nin and select(n, ...)
    if n ~= self.nin and (n ~= self.nin + 1 or type(last) ~= "table") then
      fail(self.name, sformat("%d operands; wanted %d", n, self.nin))
    end
    for key in pairs(last or {}) do
      if not keys[key] then fail(self.name, sformat("no option %s; axes, axis, keepdims, out", tostring(key))) end
    end
    return last or {}
  end

  local function call(self, ...)
    local name, extents, operands, loops = self.name, {}, {}, {}
    local options = options_of(self, select("#", ...), ...)
    local keepdims = options.keepdims
    if keepdims then check_keepdims(self) end
    local axes = axes_of(self, options.axes, options.axis, keepdims)
    for k = 1, self.nin do
      operands[k] = core.asarray((select(k, ...)))
      if axes and #axes[k] > 0 then operands[k] = operands[k]:moveaxis(axes[k], last_axes(#axes[k])) end
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
    return settle(self, results, axes, keepdims, options.out)
  end

  --> = gufunc | ma.GeneralizedUFunc(ma.dot, "(i),(i)->()") | Called with arrays, whose leading axes broadcast.
  --> . name: string | its name
  --> . signature: string | its axes
  --> . nin: integer | the number of inputs
  --> . nout: integer | the number of outputs
  --> + call(...): array
  local meta = { __call = call, __index = common.attributes(NAME, {}),
    __tostring = function(self) return sformat("<GeneralizedUFunc '%s'>", self.name) end }

  --> GeneralizedUFunc: ma.GeneralizedUFunc(ma.dot, "(i),(i)->()")({{1, 2}, {3, 4}}, {1, 1})
  core.def("GeneralizedUFunc(func: function, signature: string; name?: string, supports_batched?: boolean) -> gufunc",
    "A function of arrays that calls func with those of the axes that the signature names, as '(i,j),(j)->(i)', for " ..
      "each place of the axes before, which broadcast; with supports_batched = true once, with all axes. A call takes "
      .. "the options axes (a table of axes for each operand and result), axis (of one that all share), keepdims and "
      .. "out.",
    function(func, signature, name, supports_batched)
      common.callable(NAME, "func", func)
      local from, to = tostring(signature):gsub("%s", ""):match("^(.-)%->(.*)$")
      if type(signature) ~= "string" or not from then
        fail(NAME, sformat("signature is %s; wanted axes' names such as '(i,j),(j)->(i)'", core.describe(signature)))
      end
      local inputs, outputs = parts_of(from, signature), parts_of(to, signature)
      return setmetatable({ func = func, signature = signature, inputs = inputs, outputs = outputs, nin = #inputs,
        nout = #outputs, name = name or NAME, supports_batched = supports_batched and true or false }, meta)
    end)
end
