--- Solutions in tensors, functions of matrices, and chains of products of ma.linalg.

local sformat, floor, huge = require("moonarray.text").format, math.floor, math.huge

return function(ma, core, views, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local solved_dtype, square, beside, upright, times, identity = views.solved_dtype, views.square, views.beside,
    views.upright, views.times, views.identity
  local solve, inverse = shared.solve, shared.inverse

  -- ==== Tensors and functions of matrices ==========================================================================

  local product = common.product

  --> linalg.tensorsolve: ma.linalg.tensorsolve(ma.eye(2), {3, 4})
  def("linalg.tensorsolve(a: data, b: data, axes?: integer|integer[]; check?: boolean) -> array",
    "x with tensordot(a, x, x.ndim) = b; axes of a that are moved to its end first.",
    function(a, b, axes, check)
      local name = "linalg.tensorsolve"
      a = core.asarray(a)
      b = beside(a, b)
      if axes then
        local to = {}
        axes = common.list(name, "axes", axes)
        for k = 1, #axes do to[k] = a.ndim - #axes + k end
        a = ma.moveaxis(a, axes, to)
      end
      local shape = a.shape
      local rest = { unpack(shape, b.ndim + 1) }
      local n = product(rest)
      if n * n ~= a.size or b.size ~= n then
        fail(name, sformat("%s and b of %d elements; the last axes must hold as many elements as the first",
          core.describe(a), b.size))
      end
      return solve(name, a:reshape({ n, n }), b:reshape({ n }), check):reshape(rest)
    end)

  --> linalg.tensorinv: ma.linalg.tensorinv(ma.eye(4):reshape(4, 2, 2), 1).shape[1]
  def("linalg.tensorinv(a: data, ind?: integer; check?: boolean) -> array",
    "The inverse of the product over the axes after the first `ind` (2).",
    function(a, ind, check)
      local name = "linalg.tensorinv"
      a = core.asarray(a)
      ind = common.whole(name, "ind", ind or 2, 1)
      if ind > a.ndim then fail(name, sformat("ind %d for %s; wanted at most %d", ind, core.describe(a), a.ndim)) end
      local shape = a.shape
      local n = product(shape, 1, math.min(ind, #shape))
      if n * n ~= a.size then
        fail(name, sformat("%s, cut after axis %d; as many elements in front as behind", core.describe(a), ind))
      end
      local to = common.joined({ unpack(shape, ind + 1) }, { unpack(shape, 1, ind) })
      return inverse(name, a:reshape({ n, n }), check):reshape(to)
    end)

  --- Up to these 1-norms Taylor's polynomial of degree 18 is the exponential, to the last bit of the dtype.
  local theta = { float32 = 3.01, float64 = 1.090863719290036 }

  --- That polynomial by five products and without a system to solve: P. Bader, S. Blanes, F. Casas, "Computing the
  --- matrix exponential with an optimized Taylor polynomial approximation", 2019. Their last product is one of sums
  --- with multiples of the identity, c and d with c d = 1; it is taken apart, so that the exponential of 0 is the
  --- identity.
  local function taylor18(a, n)
    local a2 = times(a, a)
    local a3 = times(a2, a)
    local a6 = times(a3, a3)
    local c, d = -11.05807128853528725809, -0.09043168323908105619
    local b1 = a * -0.10036558103014462001 + a2 * -0.0080292464824115696 + a3 * -0.00089213849804572995
    local b2 = a * 0.39784974949964507614 + a2 * 1.36783778460411719922 + a3 * 0.49828962252538267755
      + a6 * -0.0006378981945947233
    local b3 = a * 1.68015813878906197182 + a2 * 0.05717798464788655127 + a3 * -0.00698210122488052084
      + a6 * 0.00003349750170860705
    local b4 = a * -0.06764045190713819075 + a2 * 0.0675961301770459646 + a3 * 0.02955525704293155274
      + a6 * -0.00001391802575160607
    local b5 = a2 * -0.09233646193671185927 + a3 * -0.01693649390020817171 + a6 * -0.00001400867981820361
    local q = ma.eval(times(b1, b5) + b4)
    local p = ma.eval(b3 + q)
    return identity(a, n) + (b2 + p * d + q * c + times(p, q))
  end

  --> linalg.expm({{0, 0}, {0, 0}})
  def("linalg.expm(a: data) -> array",
    "The exponential of square matrices, by scaling and squaring. Waits for the number of squarings.",
    function(a)
      local n
      a, n = square("linalg.expm", a)
      a = a:astype(solved_dtype(a))
      if a.size == 0 then return a:copy() end
      local norm = ma.absolute(a):sum(-2):max(-1)
      local count = ma.maximum(ma.ceil(ma.log2(norm / theta[norm.dtype])), 0)
      local most = count:max():item()
      if most ~= most or most == huge then most = 0 end          -- not finite: the result is NaN
      local times2 = upright(upright(count))
      local x = taylor18(most > 0 and a / ma.exp2(times2):astype(norm.dtype) or a, n)
      for k = 1, floor(most) do
        local squared = times(x, x)
        x = a.ndim == 2 and squared or ma.where(times2:ge(k), squared, x)
      end
      return x
    end)

  -- ==== Chains =====================================================================================================

  --> linalg.matrix_power({{1, 1}, {0, 1}}, 3)
  def("linalg.matrix_power(a: data, n: integer) -> array",
    "A square matrix (or a stack of them) multiplied n times with itself; negative powers of the inverse.",
    function(a, n)
    a = square("linalg.matrix_power", a)
    n = common.whole("linalg.matrix_power", "n", n)
    if n < 0 then
      a, n = ma.linalg.inv(a), -n
    end
    if n == 0 then
      return ma.broadcast_to(ma.eye(a.shape[a.ndim], { dtype = a.dtype, device = a.device }), a.shape):copy()
    end
    local result
    while n > 0 do
      if n % 2 == 1 then result = result and ma.matmul(result, a) or a end
      n = floor(n / 2)
      if n > 0 then a = ma.matmul(a, a) end
    end
    return result
  end)

  --- The order with the fewest multiplications (Cormen and others, Introduction to Algorithms, 15.2): split[i][j] is
  --- where the chain i .. j is cut.
  local function chain_order(extents)
    local n = #extents - 1
    local cost, split = {}, {}
    for i = 1, n do
      cost[i], split[i] = { [i] = 0 }, {}
    end
    for length = 2, n do
      for i = 1, n - length + 1 do
        local j = i + length - 1
        cost[i][j] = math.huge
        for k = i, j - 1 do
          local c = cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1]
          if c < cost[i][j] then cost[i][j], split[i][j] = c, k end
        end
      end
    end
    return split
  end

  --> linalg.multi_dot({{{1, 2}}, {{3}, {4}}, {{5}}})
  def("linalg.multi_dot(arrays: data[]; out?: array) -> array",
    "The product of several matrices in the order of least multiplications; the first and the last may be vectors.",
    function(arrays, out)
      common.type("linalg.multi_dot", "arrays", arrays, "table")
      local n = #arrays
      if n < 2 then fail("linalg.multi_dot", n .. " arrays; wanted at least two") end
      local list, extents = {}, {}
      for k = 1, n do
        local a = core.asarray(arrays[k])
        if a.ndim ~= 2 and not (a.ndim == 1 and (k == 1 or k == n)) then
          fail("linalg.multi_dot", sformat("array %d has %d axes; wanted matrices, with vectors at the ends", k,
            a.ndim))
        end
        list[k] = a
      end
      local row, column = list[1].ndim == 1, list[n].ndim == 1
      if row then list[1] = list[1]:reshape(1, -1) end
      if column then list[n] = list[n]:reshape(-1, 1) end
      for k = 1, n do extents[k] = list[k].shape[1] end
      extents[n + 1] = list[n].shape[2]
      local split = chain_order(extents)
      local function chained(i, j)
        if i == j then return list[i] end
        local k = split[i][j]
        return ma.matmul(chained(i, k), chained(k + 1, j))
      end
      local result = chained(1, n)
      if row and column then result = result:reshape({})
      elseif row or column then result = result:reshape(-1) end
      return common.finish("linalg.multi_dot", result, out)
    end)
end
