--- Products of vectors, matrices and tensors under numpy's names, over matmul (in C, by BLAS). einsum.lua has einsum.
--# products

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local both, finish = common.both, common.finish

  --- conj(a) makes a copy, and int8 from bool, so it is called only for complex arrays.
  local function conjugated(a) return ma.iscomplexobj(a) and ma.conj(a) or a end

  local function flat(a) return a.ndim == 1 and a or a:reshape(-1) end

  local HALF = { float16 = true, bfloat16 = true }

  -- ==== Two operands ===============================================================================================

  --> vdot({1, 2}, {3, 4})
  def("vdot(a: data, b: data) -> array", "The sum of conj(a) b over all elements; both are flattened.", function(a, b)
    a, b = both(a, b)
    if a.size ~= b.size then fail("vdot", sformat("%d and %d elements; wanted the same number", a.size, b.size)) end
    return ma.matmul(flat(conjugated(a)), flat(b))
  end)

  --> vecdot({{1, 2}, {3, 4}}, {1, 1})
  def("vecdot(a: data, b: data, axis?: integer|integer[]; out?: array) -> array",
    "The sum of conj(a) b along an axis, the last by default; the others are broadcast.",
    function(a, b, axis, out)
    a, b = both(a, b)
    axis = axis or -1
    local of_a, of_b = common.axis("vecdot", axis, a.ndim), common.axis("vecdot", axis, b.ndim)
    if a.shape[of_a] ~= b.shape[of_b] then
      fail("vecdot", sformat("vectors of %d and %d elements; wanted as many", a.shape[of_a], b.shape[of_b]))
    end
    -- The axis counts in each array; in broadcast arrays it is the last.
    if of_a ~= of_b or a.ndim ~= b.ndim then
      a, b, axis = a:moveaxis(of_a, -1), b:moveaxis(of_b, -1), -1
    end
    local dtype = ma.result_type(a.dtype, b.dtype)
    local result
    if dtype == "bool" then
      result = ma.any(a * b, axis)
    elseif HALF[dtype] then
      result = ma.sum(a:astype("float32") * b:astype("float32"), axis):astype(dtype)
    else
      result = ma.sum(conjugated(a) * b, axis, { dtype = dtype })
    end
    return finish("vecdot", result, out)
  end)

  --> kron({1, 2}, {1, 1})
  def("kron(a: data, b: data) -> array",
    "The Kronecker product: every element of a times the whole of b.", function(a, b)
    a, b = both(a, b)
    local n = math.max(a.ndim, b.ndim)
    local left, right, shape = {}, {}, {}
    for d = 1, n do
      local x, y = a.shape[d - (n - a.ndim)] or 1, b.shape[d - (n - b.ndim)] or 1
      left[2 * d - 1], left[2 * d] = x, 1
      right[2 * d - 1], right[2 * d] = 1, y
      shape[d] = x * y
    end
    return (a:reshape(left) * b:reshape(right)):reshape(shape)
  end)

  --> cross({1, 0, 0}, {0, 1, 0})
  def("cross(a: data, b: data, axisa?: integer, axisb?: integer, axisc?: integer, axis?: integer|integer[]) -> array",
    "The vector product of vectors of 3 elements along an axis, the last by default; of vectors of 2 the "
    .. "component that stands on both.", function(a, b, axisa, axisb, axisc, axis)
    a, b = both(a, b)
    a = a:moveaxis(axis or axisa or -1, -1)
    b = b:moveaxis(axis or axisb or -1, -1)
    local m, n = a.shape[a.ndim], b.shape[b.ndim]
    if (m ~= 2 and m ~= 3) or (n ~= 2 and n ~= 3) then
      fail("cross", sformat("vectors of %d and %d elements; wanted 2 or 3", m, n))
    end
    local function part(x, k) return x[{ "...", k }] end
    local a1, a2, b1, b2 = part(a, 1), part(a, 2), part(b, 1), part(b, 2)
    local z = a1 * b2 - a2 * b1
    if m == 2 and n == 2 then return z end
    local x, y
    if m == 3 and n == 3 then
      x, y = a2 * part(b, 3) - part(a, 3) * b2, part(a, 3) * b1 - a1 * part(b, 3)
    elseif m == 3 then
      x, y = -(part(a, 3) * b2), part(a, 3) * b1
    else
      x, y = a2 * part(b, 3), -(a1 * part(b, 3))
    end
    return ma.stack({ x, y, z }, axis or axisc or -1)
  end)

  -- ==== Tensors ====================================================================================================

  --- Contracts matching axes: brings both to matrices.
  local function contract(name, a, b, left, right)
    local free_a, free_b, used_a, used_b, shape = {}, {}, {}, {}, {}
    local k = 1
    for i, axis in ipairs(left) do
      local other = right[i]
      if a.shape[axis] ~= b.shape[other] then
        fail(name, sformat("axis %d of %s and axis %d of %s; wanted axes of one length", axis, common.shape_text(a),
          other, common.shape_text(b)))
      end
      if used_a[axis] or used_b[other] then fail(name, "an axis that is named twice") end
      used_a[axis], used_b[other] = true, true
      k = k * a.shape[axis]
    end
    --- Lists the axes that are not used, whose extents the result has, and gives the product of these.
    local function free(array, used, list)
      local count = 1
      for d = 1, array.ndim do
        if not used[d] then
          list[#list + 1], shape[#shape + 1] = d, array.shape[d]
          count = count * array.shape[d]
        end
      end
      return count
    end
    local m, n = free(a, used_a, free_a), free(b, used_b, free_b)
    local order_a, order_b = common.joined(free_a, left), common.joined(right, free_b)
    local x = (a.ndim > 0 and a:transpose(order_a) or a):reshape(m, k)
    local y = (b.ndim > 0 and b:transpose(order_b) or b):reshape(k, n)
    return ma.matmul(x, y):reshape(shape)
  end

  --> tensordot({{1, 2}, {3, 4}}, {{1, 0}, {0, 1}})
  def("tensordot(a: data, b: data, axes?: integer|integer[]|integer[][]) -> array",
    "The sum over axes of both: `axes` is how many last axes of a go with as many " ..
    "first ones of b (2 by default), or "
    .. "{axes of a, axes of b}.", function(a, b, axes)
    a, b = both(a, b)
    axes = axes or 2
    local left, right = {}, {}
    if type(axes) == "number" then
      axes = common.whole("tensordot", "axes", axes, 0)
      if axes > a.ndim or axes > b.ndim then
        fail("tensordot", sformat("%d axes of arrays of %d and %d", axes, a.ndim, b.ndim))
      end
      for k = 1, axes do left[k], right[k] = a.ndim - axes + k, k end
    else
      common.type("tensordot", "axes", axes, "table")
      local given_a, given_b = axes[1], axes[2]
      if type(given_a) == "number" then given_a = { given_a } end
      if type(given_b) == "number" then given_b = { given_b } end
      if type(given_a) ~= "table" or type(given_b) ~= "table" or #given_a ~= #given_b then
        fail("tensordot", "axes; wanted a number, or a table of two tables of as many axes each")
      end
      for k = 1, #given_a do
        left[k] = common.axis("tensordot", given_a[k], a.ndim)
        right[k] = common.axis("tensordot", given_b[k], b.ndim)
      end
    end
    return contract("tensordot", a, b, left, right)
  end)
end
