--- Functions that the polynomials share: coefficients as arrays, their products, Horner's rule, polynomial fits. They
--- do not wait for the device unless the comment says so.

local sformat = require("moonarray.text").format
local MOST_DEGREE = 65535              -- of fits and of columns of polynomials

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local shared = {}

  local function inexact(a) return is.inexact[a.dtype] end
  shared.inexact = inexact

  shared.floating, shared.both = common.floating, common.both

  --- The other value as an array on this one's device.
  function shared.beside(a, b) return is_array(b) and b or core.asarray(b, { device = a.device }) end

  --- The k-th element of a vector as a 0-d array; for other arrays the k-th slice of the first axis. A view.
  function shared.at(a, k)
    if a.ndim > 1 then return a[k] end
    return a[{ { k, k } }]:reshape({})
  end

  function shared.zeros(like, n) return ma.zeros({ n }, { dtype = like.dtype, device = like.device }) end

  --- A vector with n zeros behind it, or before it.
  function shared.zeros_behind(a, n) return n > 0 and ma.concatenate({ a, shared.zeros(a, n) }) or a end
  function shared.zeros_before(a, n) return n > 0 and ma.concatenate({ shared.zeros(a, n), a }) or a end

  --- The first and the last position of an element that is not 0, nil if all are. Waits.
  function shared.span(a)
    local n = a.size
    if n == 0 then return end
    local found = a:ne(0)
    local first, behind, any = ma.item(found:argmax(), ma.flip(found):argmax(), found:max())
    if not any then return end
    return first, n + 1 - behind
  end

  --- The product of two lists of coefficients, neither empty.
  function shared.convolve(name, a, b)
    if a.size == 0 or b.size == 0 then fail(name, "no coefficients; wanted at least one of each polynomial") end
    return core.convolve(a, b)
  end

  --- Eigenvalues, as reals if all are real, which waits.
  function shared.eigenvalues(a, check)
    local w = ma.linalg.eigvals(a, { check = check })
    if ma.iscomplexobj(a) or ma.imag(w):ne(0):any() then return w end
    return ma.real(w):copy()
  end

  --- A number as Lua's, or a complex one; 64-bit integers become the nearest double.
  function shared.scalar(name, what, value)
    local kind = type(value)
    if kind == "number" then return value end
    if (kind == "cdata" or kind == "userdata") and not is_array(value) then
      local ok, a = pcall(core.asarray, value, { device = "cpu" })
      if ok and a.ndim == 0 and a.dtype ~= "bool" then return ma.iscomplexobj(a) and a:item() or tonumber(a:item()) end
    end
    fail(name, sformat("%s is %s; wanted a number", what, core.describe(value)))
  end

  -- ==== Fits =======================================================================================================

  --- The checked data of a fit, as floats: x, y, and the weights or nil.
  function shared.fit_data(name, x, y, w)
    x, y = shared.both(x, y)
    x, y = shared.floating(x), shared.floating(y)
    if x.ndim ~= 1 or x.size == 0 then
      fail(name, sformat("x is %s; wanted a vector with elements", core.describe(x)))
    end
    if y.ndim < 1 or y.ndim > 2 then fail(name, sformat("y is %s; wanted one axis or two", core.describe(y))) end
    if y.shape[1] ~= x.size then
      fail(name, sformat("%d positions x and %d values y; as many of both", x.size, y.shape[1]))
    end
    if w ~= nil then
      w = shared.floating(shared.beside(x, w))
      if w.ndim ~= 1 or w.size ~= x.size then
        fail(name, sformat("w is %s; wanted a vector of %d weights", core.describe(w), x.size))
      end
    end
    return x, y, w
  end

  --- Each row of a vector's length, or of a matrix, times the vector's element.
  function shared.scale_rows(a, v) return a * (a.ndim == 2 and ma.expand_dims(v, 2) or v) end
  function shared.divide_rows(a, v) return a / (a.ndim == 2 and ma.expand_dims(v, 2) or v) end

  function shared.epsilon(a) return ma.finfo(a.dtype).eps end

  function shared.degree(name, what, value)
    return common.whole(name, what, value, 0, MOST_DEGREE)
  end

  return shared
end
