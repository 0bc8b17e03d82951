--- Norms and the condition number of ma.linalg.

local sformat, huge = require("moonarray.text").format, math.huge

return function(ma, core, views, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local floating, matrix, square, transposed = views.floating, views.matrix, views.square, views.transposed
  local svd, inverse = shared.svd, shared.inverse

  local function bad_order(name, ord, kind)
    fail(name, sformat("%s for ord; %s", common.shown(ord), kind))
  end

  local real = { float16 = true, bfloat16 = true, float32 = true, float64 = true }

  local function vector_norm(name, x, ord, axis, keepdims)
    local options = { keepdims = keepdims }
    if ord == nil or ord == 2 then
      local squares = ma.square(real[x.dtype] and x or ma.absolute(x))
      return ma.sqrt(squares:sum(axis, options))
    end
    local magnitude = ma.absolute(x)
    -- 0 if there are no elements.
    if ord == huge then return magnitude:max(axis, { keepdims = keepdims, initial = 0 }) end
    if ord == -huge then return magnitude:min(axis, options) end
    if ord == 0 then return x:ne(0):astype(magnitude.dtype):sum(axis, options) end
    if ord == 1 then return magnitude:sum(axis, options) end
    if type(ord) ~= "number" then bad_order(name, ord, "a number, inf or -inf for vectors") end
    return (magnitude ^ ord):sum(axis, options) ^ (1 / ord)
  end

  local sums = { [1] = 1, [-1] = 1, [huge] = 2, [-huge] = 2 }
  local function matrix_norm(name, x, ord, axis, keepdims, check)
    local first, second = axis[1], axis[2]
    if ord == nil or ord == "fro" then return vector_norm(name, x, 2, axis, keepdims) end
    local result
    if sums[ord] then                                            -- the largest or smallest sum of a column or of a row
      local summed, other = first, second
      if sums[ord] == 2 then summed, other = second, first end
      local sum = ma.absolute(x):sum(summed, { keepdims = true })
      result = ord > 0 and sum:max(other, { keepdims = true, initial = 0 }) or sum:min(other, { keepdims = true })
      return keepdims and result or ma.squeeze(result, axis)
    end
    if ord ~= 2 and ord ~= -2 and ord ~= "nuc" then
      bad_order(name, ord, "1, -1, 2, -2, inf, -inf, 'fro' or 'nuc' for matrices")
    end
    local s = svd(name, ma.moveaxis(x, axis, { -2, -1 }), false, false, false, check)
    if ord == "nuc" then
      result = s:sum(-1)
    elseif ord == 2 then
      result = s:max(-1, { initial = 0 })
    else
      result = s:min(-1)
    end
    if not keepdims then return result end
    local shape = x.shape
    shape[first], shape[second] = 1, 1
    return result:reshape(shape)
  end

  local function pair_of_axes(name, axis, ndim)
    local first, second = common.axis(name, axis[1], ndim), common.axis(name, axis[2], ndim)
    if first == second then fail(name, sformat("axis %d twice; two axes", first)) end
    return { first, second }
  end

  --> linalg.norm({3, 4})
  def("linalg.norm(x: data, ord?: number|string, axis?: integer|integer[], "
    .. "keepdims?: boolean; check?: boolean) -> array",
    "The norm of a vector, or of a matrix where there are two axes: ord 1, 2, inf, their negatives, 0 or any p; " ..
      "'fro', 'nuc' of matrices.",
    function(x, ord, axis, keepdims, check)
      local name = "linalg.norm"
      x = core.asarray(x)
      local usual = ord == nil and axis == nil and not keepdims and real[x.dtype] and core.norm(x)
      if usual then return usual end
      x = floating(x)
      if axis == nil then
        if ord == nil then return vector_norm(name, x, 2, nil, keepdims) end
        if x.ndim == 1 then axis = 1 elseif x.ndim == 2 then axis = { 1, 2 }
        else fail(name, sformat("ord for %s without axis; an axis, or two", core.describe(x))) end
      end
      if type(axis) == "table" and #axis == 1 then axis = axis[1] end
      if type(axis) ~= "table" then return vector_norm(name, x, ord, common.axis(name, axis, x.ndim), keepdims) end
      if #axis ~= 2 then fail(name, sformat("%d axes; one, or two for matrices", #axis)) end
      return matrix_norm(name, x, ord, pair_of_axes(name, axis, x.ndim), keepdims, check)
    end)

  --> linalg.vector_norm({3, 4})
  def("linalg.vector_norm(x: data; axis?: integer|integer[], keepdims?: boolean, ord?: number|string) -> array",
    "The norm of the elements along axes (all), as one vector.",
    function(x, axis, keepdims, ord) return vector_norm("linalg.vector_norm", floating(core.asarray(x)), ord, axis,
      keepdims) end)

  --> linalg.matrix_norm({{3, 0}, {0, 4}})
  def("linalg.matrix_norm(x: data; keepdims?: boolean, ord?: number|string, check?: boolean) -> array",
    "The norm of the matrices in the last two axes: 'fro', 'nuc', 1, 2, inf or a negative of these.",
    function(x, keepdims, ord, check)
      x = floating((matrix("linalg.matrix_norm", x)))
      return matrix_norm("linalg.matrix_norm", x, ord, { x.ndim - 1, x.ndim }, keepdims, check)
    end)

  --> linalg.matrix_transpose({{1, 2}, {3, 4}})
  def("linalg.matrix_transpose(x: data) -> array", "A view with the last two axes exchanged.",
    function(x) return transposed((matrix("linalg.matrix_transpose", x))) end)

  --> linalg.cond({{2, 0}, {0, 1}})
  def("linalg.cond(x: data, p?: number|string) -> array",
    "The condition number: the norm times that of the inverse (p as ord of norm; 2, by " ..
    "singular values); infinity of singular ones.",
    function(x, p)
      local name = "linalg.cond"
      local m, n
      x, m, n = matrix(name, x)
      if m == 0 or n == 0 then fail(name, sformat("%s; wanted matrices with elements", core.describe(x))) end
      x = floating(x)
      local result
      if p == nil or p == 2 or p == -2 then
        local s = core.linalg_svd(name, x, "N", false)
        local most, least = s:max(-1), s:min(-1)
        if p == -2 then result = least / most else result = most / least end
      else
        x = square(name, x)
        local axes = { x.ndim - 1, x.ndim }
        result = matrix_norm(name, x, p, axes, false, false) * matrix_norm(name, inverse(name, x, false), p, axes,
          false, false)
      end
      return ma.where(ma.isnan(result) * ma.logical_not(ma.isnan(x):max({ -2, -1 })), huge, result):astype(result.dtype)
    end)
end
