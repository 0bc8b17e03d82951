--- Checks of arguments, and views of arrays as matrices, for the parts of ma.linalg.

local sformat = require("moonarray.text").format

return function(ma, core)
  local common = require "moonarray.common" (core)
  local is = common.is
  local fail = core.fail

  local function is_complex(a) return is.complexfloating[a.dtype] end
  local widened = { float16 = "float32", bfloat16 = "float32", float32 = "float32", float64 = "float64",
    complex64 = "complex64", complex128 = "complex128" }
  local function floating(a) return widened[a.dtype] and a or a:astype("float64") end
  local function solved_dtype(a) return widened[a.dtype] or "float64" end
  local function real_dtype(dtype) return (dtype == "complex64" or dtype == "float32") and "float32" or "float64" end
  local function epsilon(a) return ma.finfo(real_dtype(solved_dtype(a))).eps end

  local function matrix(name, a, what)
    a = core.asarray(a)
    if a.ndim < 2 then
      fail(name, sformat("%s is %s; wanted a matrix, or a batch of matrices", what or "a", core.describe(a)))
    end
    local shape = a.shape
    return a, shape[#shape - 1], shape[#shape], shape
  end

  local function square(name, a, what)
    local m, n, shape
    a, m, n, shape = matrix(name, a, what)
    if m ~= n then fail(name, sformat("%s is %s; wanted square matrices", what or "a", core.describe(a))) end
    return a, n, shape
  end

  --- Converts another operand to an array; tables and numbers go to the device of `a`.
  local function beside(a, b) return core.is_array(b) and b or core.asarray(b, { device = a.device }) end

  local function transposed(a) return a:swapaxes(-1, -2) end
  local function adjoint(a) return is_complex(a) and ma.conjugate(transposed(a)) or transposed(a) end
  local function upright(v) return ma.expand_dims(v, -1) end
  local function flat(v) return ma.expand_dims(v, -2) end
  local function columns(a, n) return a[{ "...", {}, { 1, n } }] end
  local function rows(a, n) return a[{ "...", { 1, n }, {} }] end
  local function diagonal(a) return ma.diagonal(a, 0, -2, -1) end
  local function times(a, b) return ma.matmul(a, b) end
  local function batch_of(shape, ...)
    return common.joined(common.before_last(shape, 2), { ... })
  end
  local function identity(a, n, dtype) return ma.eye(n, { dtype = dtype or solved_dtype(a), device = a.device }) end

  --- Calls solve with b as matrices, and gives the result b's form: b with one axis is one vector, all else are
  --- matrices (NumPy 2).
  local function with_right(name, a, b, n, solve)
    b = beside(a, b)
    if b.ndim == 0 then fail(name, "b is a 0-d array; wanted a vector or matrices") end
    local extent = b.ndim == 1 and b.shape[1] or b.shape[b.ndim - 1]
    if extent ~= n then
      fail(name, sformat("%s and right sides in %s; as many rows", core.describe(a), core.describe(b)))
    end
    if b.ndim > 1 then return solve(b) end
    return ma.squeeze(solve(upright(b)), -1)
  end

  return {
    is_complex = is_complex, floating = floating, solved_dtype = solved_dtype, real_dtype = real_dtype,
    epsilon = epsilon,
    matrix = matrix, square = square, beside = beside, transposed = transposed, adjoint = adjoint,
    upright = upright, flat = flat, columns = columns, rows = rows, diagonal = diagonal,
    times = times, batch_of = batch_of, identity = identity, with_right = with_right,
  }
end
