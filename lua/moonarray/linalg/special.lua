--- Matrices of a known form, under SciPy's names: each is written in one pass, and matrices with equal diagonals are
--- copies of one vector's windows.

local sformat = require("moonarray.text").format

return function(ma, core, views)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local upright, flat, matrix = views.upright, views.flat, views.matrix
  local windows = ma.lib.stride_tricks.sliding_window_view

  --- A vector, or a batch of vectors along the last axis.
  local function vectors(name, what, v, least)
    v = core.asarray(v)
    if v.ndim == 0 then v = v:reshape(1) end
    local n = v.shape[v.ndim]
    if n < (least or 0) then
      fail(name, sformat("%s is %s; wanted vectors of %d or more elements", what, core.describe(v), least))
    end
    return v, n
  end

  local function extents(v, ...) return common.joined(common.before_last(v.shape), { ... }) end

  local function zeros(v, dtype, ...) return ma.zeros(extents(v, ...), { dtype = dtype, device = v.device }) end
  local function part(v, lo, hi, step) return v[{ "...", { lo, hi, step } }] end
  local function reversed(v) return v["..., ::-1"] end

  --- The matrix of m rows whose row i begins at element m - i + 1 of v, or at element i.
  local function of_diagonals(v, m, n, rising)
    if m == 0 or n == 0 then return zeros(v, v.dtype, m, n) end
    local w = windows(v, n, -1)
    return (rising and w or w["..., ::-1, :"]):copy()
  end

  local beside = views.beside

  local function joined(c, r)
    local dtype = ma.result_type(c, r)
    local batch = ma.broadcast_shapes(extents(c), extents(r))
    local function spread(v, n) return v:astype(dtype):broadcast_to(common.joined(batch, { n })) end
    local m, n = c.shape[c.ndim], r.shape[r.ndim]
    if m == 0 or n == 0 then return zeros(spread(c, m), dtype, 0), m, n end
    return function(first) return spread(first, m), n > 1 and part(spread(r, n), 2, n) or nil end, m, n
  end

  local function equal_diagonals(c, r, rising)
    local pair, m, n = joined(c, r)
    if type(pair) ~= "function" then return of_diagonals(pair, m, n) end
    local column, rest = pair(rising and c or reversed(c))
    return of_diagonals(rest and ma.concatenate({ column, rest }, -1) or column, m, n, rising)
  end

  --> linalg.toeplitz({1, 2, 3})
  def("linalg.toeplitz(c: data, r?: data) -> array",
    "The matrix with the first column c and the first row r (c's conjugate unless it is given; its first element " ..
      "does not count), whose diagonals are constant.",
    function(c, r)
      c = vectors("linalg.toeplitz", "c", c)
      r = r == nil and ma.conjugate(c) or vectors("linalg.toeplitz", "r", beside(c, r))
      return equal_diagonals(c, r, false)
    end)

  --> linalg.hankel({1, 2, 3})
  def("linalg.hankel(c: data, r?: data) -> array",
    "The matrix with the first column c and the last row r (0 unless it is given; its first element does not " ..
      "count), whose diagonals from the right to the left are constant.",
    function(c, r)
      c = vectors("linalg.hankel", "c", c)
      r = r == nil and ma.zeros_like(c) or vectors("linalg.hankel", "r", beside(c, r))
      return equal_diagonals(c, r, true)
    end)

  --> linalg.circulant({1, 2, 3})
  def("linalg.circulant(c: data) -> array",
    "The matrix whose columns are c, each one place further round than the one before.",
    function(c)
      local n
      c, n = vectors("linalg.circulant", "c", c)
      local v = n > 1 and ma.concatenate({ reversed(c), part(c, n, 2, -1) }, -1) or c
      return of_diagonals(v, n, n)
    end)

  local modes = { full = true, same = true, valid = true }
  --> linalg.convolution_matrix({1, 2}, 2)
  def("linalg.convolution_matrix(a: data, n: integer, mode?: string) -> array",
    "The matrix whose product with a vector of n elements is the convolution of a with it; mode: 'full', 'same' or " ..
      "'valid'.",
    function(a, n, mode)
      local name = "linalg.convolution_matrix"
      local m
      common.whole(name, "n", n, 1)
      a, m = vectors(name, "a", a, 1)
      mode = mode or "full"
      if not modes[mode] then fail(name, sformat("mode is %s; wanted full, same or valid", core.describe(mode))) end
      local around = zeros(a, a.dtype, n - 1)
      local v = n > 1 and ma.concatenate({ around, reversed(a), around }, -1) or reversed(a)
      local trim = mode == "full" and 0 or math.min(m, n) - 1
      local above = mode == "same" and math.floor(trim / 2) or trim
      local below = mode == "same" and trim - above or trim
      local rows = m + n - 1 - above - below
      return of_diagonals(part(v, below + 1, below + rows + n - 1), rows, n)
    end)

  --- The elements of a diagonal of contiguous square matrices of extent n, as a view: from row i, column j on.
  local function along(x, n, i, j, step)
    local first, by = (i - 1) * n + j, (step or 1) * (n + 1)
    local count = math.floor((n - math.max(i, j)) / (step or 1)) + 1
    if count < 1 then return nil end
    return x:reshape(extents(x[{ "...", 1 }], n * n)), { "...", { first, first + (count - 1) * by, by } }
  end

  local function set_along(x, n, i, j, value, step)
    local elements, place = along(x, n, i, j, step)
    if elements then elements[place] = value end
  end

  --> linalg.companion({1, -3, 2})
  def("linalg.companion(a: data) -> array",
    "The companion matrix of the polynomial with the coefficients a, the highest power first: its eigenvalues are " ..
      "the polynomial's roots.",
    function(a)
      local n
      a, n = vectors("linalg.companion", "a", a, 2)
      local row = -part(a, 2, n) / part(a, 1, 1)
      local c = zeros(a, row.dtype, n - 1, n - 1)
      c["..., 1, :"] = row
      set_along(c, n - 1, 2, 1, 1)
      return c
    end)

  --> linalg.leslie({0, 2}, {0.5})
  def("linalg.leslie(f: data, s: data) -> array",
    "Leslie's matrix of a population: f are the offspring of each age, in the first row, s the parts of each age " ..
      "that survive, below the diagonal.",
    function(f, s)
      local name = "linalg.leslie"
      local n, k
      f, n = vectors(name, "f", f, 2)
      s, k = vectors(name, "s", beside(f, s))
      if k ~= n - 1 then fail(name, sformat("f of %d elements and s of %d; wanted one less in s", n, k)) end
      local batch = ma.broadcast_shapes(extents(f), extents(s))
      batch[#batch + 1] = n
      local x = zeros(f:broadcast_to(batch), ma.result_type(f, s), n, n)
      x["..., 1, :"] = f
      set_along(x, n, 2, 1, s)
      return x
    end)

  --> linalg.fiedler({1, 4, 9})
  def("linalg.fiedler(a: data) -> array", "The distances |a[i] - a[j]| of numbers: a symmetric matrix.", function(a)
    local n
    a, n = vectors("linalg.fiedler", "a", a)
    if n == 0 then return a:copy() end
    return ma.absolute(upright(a) - flat(a))
  end)

  --> linalg.fiedler_companion({1, -3, 2})
  def("linalg.fiedler_companion(a: data) -> array",
    "Fiedler's companion matrix, with five diagonals, of the polynomial with the coefficients a, the highest power " ..
      "first.",
    function(a)
      local count
      a, count = vectors("linalg.fiedler_companion", "a", a)
      if count < 2 then return zeros(a, a.dtype, 0) end
      local scaled = a / part(a, 1, 1)
      local n = count - 1
      local x = zeros(a, scaled.dtype, n, n)
      if n == 1 then
        x["..., 1, :"] = -part(scaled, 2, 2)
        return x
      end
      local function minus(first)
        return first <= count and -part(scaled, first, first + math.floor((count - first) / 2) * 2, 2) or nil
      end
      set_along(x, n, 4, 2, 1, 2)
      set_along(x, n, 3, 2, minus(4), 2)
      set_along(x, n, 1, 3, 1, 2)
      set_along(x, n, 1, 2, minus(3), 2)
      x["..., 1, 1"] = -scaled["..., 2"]
      x["..., 2, 1"] = 1
      return x
    end)

  --> linalg.hilbert(2)
  def("linalg.hilbert(n: integer) -> array", "Hilbert's matrix, 1 / (i + j - 1).", function(n)
    common.whole("linalg.hilbert", "n", n, 0)
    local i = ma.range(1, n):astype("float64")
    return 1 / (upright(i) + flat(i) - 1)
  end)

  --> linalg.hadamard(2)
  def("linalg.hadamard(n: integer, dtype?: dtype) -> array",
    "Sylvester's matrix of Hadamard's, of 1 and -1: n is a power of 2.",
    function(n, dtype)
      local name = "linalg.hadamard"
      common.whole(name, "n", n, 1)
      local _, exponent = math.frexp(n)
      if n ~= 2 ^ (exponent - 1) then fail(name, sformat("n is %d; wanted a power of 2", n)) end
      local i = ma.arange(n, "int64")
      local odd = ma.bitwise_count(ma.bitwise_and(upright(i), flat(i))) % 2
      return (1 - 2 * odd:astype("int64")):astype(dtype or "int64")
    end)

  --> linalg.helmert(2)
  def("linalg.helmert(n: integer, full?: boolean) -> array",
    "Helmert's matrix of order n, whose rows are orthonormal; without `full` its first row is left out.",
    function(n, full)
      common.whole("linalg.helmert", "n", n, 1)
      local i, j = upright(ma.arange(n, "float64")), flat(ma.arange(n, "float64"))
      local below = ma.where(j:lt(i), 1, ma.where(j:eq(i), -i, 0)) / ma.sqrt(ma.where(i:eq(0), 1, i * (i + 1)))
      local x = ma.where(i:eq(0), 1 / math.sqrt(n), below)
      return full and x or x[n > 1 and "2:, :" or { ma.index({}), {} }]
    end)

  local scales = { sqrtn = function(n) return 1 / math.sqrt(n) end, n = function(n) return 1 / n end }
  --> linalg.dft(2)
  def("linalg.dft(n: integer, scale?: string) -> array",
    "The matrix of the discrete Fourier transform of n elements; scale: nil, 'sqrtn' or 'n', what it is divided by.",
    function(n, scale)
      local name = "linalg.dft"
      common.whole(name, "n", n, 0)
      if scale ~= nil and not scales[scale] then
        fail(name, sformat("scale is %s; wanted nil, 'sqrtn' or 'n'", core.describe(scale)))
      end
      local i = ma.arange(n, "int64")
      local angle = (upright(i) * flat(i) % math.max(n, 1)) * (-2 * math.pi / math.max(n, 1))
      local x = ma.cos(angle) + ma.complex(0, 1) * ma.sin(angle)
      return scale and x * scales[scale](math.max(n, 1)) or x
    end)

  -- ==== Out of matrices ============================================================================================

  --> linalg.block_diag({{1, 2}}, {{3}})
  def("linalg.block_diag(...) -> array", "The arrays along the diagonal of one matrix; numbers and vectors are rows.",
    function(...)
      local name = "linalg.block_diag"
      local list, rows, columns = {}, 0, 0
      for k = 1, select("#", ...) do
        local a = select(k, ...)
        a = core.asarray(a, { device = k > 1 and list[1].device or nil })
        if a.ndim > 2 then fail(name, sformat("array %d is %s; wanted at most two axes", k, core.describe(a))) end
        list[k] = ma.atleast_2d(a)
        rows, columns = rows + list[k].shape[1], columns + list[k].shape[2]
      end
      if #list == 0 then return ma.zeros { 1, 0 } end
      local x = ma.zeros({ rows, columns }, { dtype = ma.result_type(unpack(list)), device = list[1].device })
      local i, j = 0, 0
      for _, a in ipairs(list) do
        local m, n = a.shape[1], a.shape[2]
        if a.size > 0 then x[{ { i + 1, i + m }, { j + 1, j + n } }] = a end
        i, j = i + m, j + n
      end
      return x
    end)

  --> linalg.kron({{1, 2}}, {{1, 1}})
  def("linalg.kron(a: data, b: data) -> array", "moonarray.kron, of two matrices.", function(a, b)
    a, b = matrix("linalg.kron", a), matrix("linalg.kron", b, "b")
    return ma.kron(a, b)
  end)

  --> linalg.khatri_rao({{1, 2}, {3, 4}}, {{1, 1}})
  def("linalg.khatri_rao(a: data, b: data) -> array",
    "The Kronecker products of the columns of a and of b, column by column.",
    function(a, b)
      local name = "linalg.khatri_rao"
      local m, n, p, q
      a, m, n = matrix(name, a)
      b, p, q = matrix(name, views.beside(a, b), "b")
      if n ~= q then fail(name, sformat("%s and %s; as many columns", core.describe(a), core.describe(b))) end
      local c = ma.expand_dims(a, -2) * ma.expand_dims(b, -3)
      return c:reshape(common.joined(common.before_last(c.shape, 3), { m * p, n }))
    end)

  --> linalg.bandwidth(ma.array {{1, 2, 0}, {0, 1, 2}, {0, 0, 1}})
  def("linalg.bandwidth(a: data) -> integer, integer",
    "lower, upper: how far from the diagonal a matrix has elements that are not 0. Waits.",
    function(a)
      local name = "linalg.bandwidth"
      local m, n
      a, m, n = matrix(name, a)
      if a.ndim > 2 then fail(name, sformat("a is %s; wanted one matrix", core.describe(a))) end
      if a.size == 0 then return 0, 0 end
      local away = flat(ma.range(1, n, { device = a.device })) - upright(ma.range(1, m, { device = a.device }))
      local there = a:ne(0)
      local lower, upper = ma.item(ma.where(there, -away, 0):max(), ma.where(there, away, 0):max())
      return tonumber(lower), tonumber(upper)
    end)

  --> linalg.tril({{1, 2}, {3, 4}})
  --> linalg.triu({{1, 2}, {3, 4}})
  for _, name in ipairs { "tri", "tril", "triu" } do
    local call = ma[name]
    --> linalg.tri(3)
    local signature = name == "tri" and "tri(N: integer, M?: integer, k?: integer, dtype?: dtype) -> array"
      or name .. "(m: data, k?: integer) -> array"
    def("linalg." .. signature, "moonarray." .. name, function(...) return call(...) end)
  end
end
