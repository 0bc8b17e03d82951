--- Running sums and products under the names of the array API.
--# reduce

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local function define(name, scan, identity, doc)
    def(name .. "(a: data; axis?: integer|integer[], dtype?: dtype, out?: array, include_initial?: boolean) -> array",
      doc, function(a, axis, dtype, out, include_initial)
      a = core.asarray(a)
      if a.ndim == 0 then a = a:reshape(1) end
      if axis == nil and a.ndim > 1 then fail(name, sformat("an array of %d axes without axis; one of "
        .. "them", a.ndim)) end
      axis = common.axis(name, axis or 1, a.ndim)
      if not include_initial then return scan(a, { axis = axis, dtype = dtype, out = out }) end
      local shape = a.shape
      local n = shape[axis]
      shape[axis] = n + 1
      if out == nil then
        local result = scan(a, { axis = axis, dtype = dtype })
        out = ma.empty(shape, { dtype = result.dtype, device = a.device })
        out[common.slice(a.ndim, axis, 2, n + 1)] = result
      else
        if not core.is_array(out) then fail(name, sformat("out is %s; wanted an array", core.describe(out))) end
        if not ma.same_shape(out, ma.broadcast_to(0, shape)) then
          fail(name, sformat("out has shape (%s); the result has shape (%s)", table.concat(out.shape, ", "
            .. ""), table.concat(shape, ", ")))
        end
        scan(a, { axis = axis, dtype = dtype, out = common.along(out, axis, 2, n + 1) })
      end
      out[common.slice(a.ndim, axis, 1, 1)] = identity
      return out
    end)
  end

  --> cumulative_sum({1, 2, 3})
  define("cumulative_sum", ma.cumsum, 0, "Sums of the elements up to each place along an axis, which an array of "
    .. "several axes must be given; with include_initial the result begins with 0 and is longer by one.")
  --> cumulative_prod({1, 2, 3})
  define("cumulative_prod", ma.cumprod, 1, "Products of the elements up to each place along an axis, which an array "
    .. "of several axes must be given; with include_initial the result begins with 1 and is longer by one.")
end
