--- ma.ndimage: filters that are made of functions of the user's.

local sformat = string.format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  --- The arguments behind those that a filter gives.
  local function extras(name, list, keywords)
    list = list == nil and {} or common.type(name, "extra_arguments", list, "table")
    local result = { unpack(list) }
    if keywords ~= nil then result[#result + 1] = common.type(name, "extra_keywords", keywords, "table") end
    return result
  end

  --- Calls derivative(input, axis, output, mode, cval, ...) along each axis, and puts the results together.
  local function along_axes(name, input, derivative, output, mode, cval, arguments, keywords, axes, combine, finish)
    input = shared.image(name, input)
    common.callable(name, name:find("laplace") and "derivative2" or "derivative", derivative)
    axes = shared.axes(name, axes, input.ndim)
    shared.modes(name, mode, #axes)
    local dtype, out = shared.output(name, output, input)
    local more, sum = extras(name, arguments, keywords), nil
    for k, axis in ipairs(axes) do
      local part = derivative(input, axis, dtype, type(mode) == "table" and mode[k] or mode, cval, unpack(more))
      if not core.is_array(part) or not ma.same_shape(part, input) then
        fail(name, sformat("the function gave %s; wanted an array of input's shape", core.describe(part)))
      end
      sum = combine(sum, part:astype(dtype, { copy = false }))
    end
    if sum and finish then sum = finish(sum, dtype) end
    sum = (sum or input):astype(dtype, { copy = sum == nil })
    return shared.finish(sum, out)
  end

  def("ndimage.generic_laplace(input, derivative2, output?, mode?, cval?, extra_arguments?, extra_keywords?; axes?)",
    "The sum of second derivatives along the axes, by derivative2(input, axis, output, mode, cval, ...), whose "
      .. "further arguments are those of the table extra_arguments; extra_keywords is its last argument, a table of "
      .. "options.",
    function(input, derivative2, output, mode, cval, arguments, keywords, axes)
      return along_axes("ndimage.generic_laplace", input, derivative2, output, mode, cval, arguments, keywords, axes,
        function(sum, part) return sum and sum + part or part end)
    end)

  def("ndimage.generic_gradient_magnitude(input, derivative, output?, mode?, cval?, extra_arguments?, "
      .. "extra_keywords?; axes?)",
    "The length of the gradient, from derivative(input, axis, output, mode, cval, ...) along each axis; "
      .. "extra_arguments and extra_keywords as in generic_laplace.",
    function(input, derivative, output, mode, cval, arguments, keywords, axes)
      return along_axes("ndimage.generic_gradient_magnitude", input, derivative, output, mode, cval, arguments,
        keywords, axes, function(sum, part) return sum and sum + part * part or part * part end,
        function(sum) return ma.sqrt(sum) end)
    end)
end
