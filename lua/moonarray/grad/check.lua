--- What ma.testing.check_grad does: derivatives of a function beside central differences.

local sformat = require("moonarray.text").format

return function(ma, core)
  local fail = core.fail
  local check = {}

  --- A number for each element, no two alike, so that errors in different elements do not cancel.
  local function weights(y)
    return ma.cos(ma.arange(y.size, { dtype = "float64", device = y.device }) * 1.7 + 0.3):reshape(y.shape)
  end

  --- The weighted sum of all elements of all results, as one number. Real and imaginary parts are apart.
  local function total(...)
    local sum
    for k = 1, select("#", ...) do
      local y = select(k, ...)
      if ma.issubdtype(y.dtype, "complexfloating") then y = ma.stack { ma.real(y), ma.imag(y) } end
      local part = (y * weights(y)):sum()
      sum = sum and sum + part or part
    end
    return sum
  end

  --- The difference of the total by element i of array `number`, counted in C order.
  local function difference(fn, arrays, number, i, x, step)
    local value = {}
    for side = 1, 2 do
      local moved = arrays[number]:copy()
      moved:reshape(moved.size)[i] = side == 1 and x + step or x - step
      local given = {}
      for k = 1, #arrays do given[k] = k == number and moved or arrays[k] end
      value[side] = total(fn(unpack(given))):item()
    end
    return (value[1] - value[2]) / (2 * step)
  end

  --- Raises an error for the first element whose derivative differs.
  function check.compare(fn, arrays, options)
    local eps, rtol, atol = options.eps or 1e-6, options.rtol or 1e-6, options.atol or 1e-7
    local numbers = {}
    for k = 1, #arrays do numbers[k] = k end
    local found = ma.grad(function(...) return total(fn(...)) end, { argnums = numbers })(unpack(arrays))
    for number, array in ipairs(arrays) do
      local x, g = array:flatten():totable(), found[number]:flatten():totable()
      for i = 1, #x do
        local wanted = difference(fn, arrays, number, i, x[i], eps * math.max(1, math.abs(x[i])))
        local off = math.abs(g[i] - wanted)
        if off > atol + rtol * math.abs(wanted) or off ~= off then
          fail("testing.check_grad", sformat("argument %d, element %d: derivative %.9g, difference %.9g", number, i,
            g[i], wanted))
        end
      end
    end
  end

  return check
end
