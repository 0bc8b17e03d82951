--- Arrays computed from positions: grids, diagonals and triangles. Each is an expression over `range`, computed on its
--- own device.
--# create

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local whole, diagonal, cast = common.whole, common.diagonal, common.cast

  local function extent(name, what, value) return whole(name, what, value, 0) end

  --- Two arrays that broadcast together: 1 .. n as a column, and 1 .. m as a row.
  local function positions(n, m, device)
    return ma.range(1, n, { device = device }):reshape(n, 1), ma.range(1, m, { device = device })
  end

  --> vander({1, 2, 3}, 3)
  def("vander(a: data, N?: integer, increasing?: boolean) -> array",
    "The powers of a vector as columns, the highest first: a Vandermonde matrix.",
    function(a, n, increasing)
      a = core.asarray(a)
      if a.ndim ~= 1 then fail("vander", sformat("%d axes; one", a.ndim)) end
      n = extent("vander", "N", n or a.size)
      local exponents = ma.range(0, n - 1, { device = a.device })
      if not increasing then exponents = exponents:flip() end
      return ma.power(a:expand_dims(2), exponents)
    end)

  -- ==== Diagonals and triangles ====================================================================================

  --- Where compare(row + k, column) holds.
  local function by_places(name, compare, n, m, k, dtype, order, device)
    n = extent(name, "N", n)
    m = extent(name, "M", m or n)
    local result = ma.empty({ n, m }, { dtype = dtype, order = order, device = device })
    local row, column = positions(n, m, result.device)
    return compare(row + diagonal(name, k), column, { out = result })
  end

  --> eye(3)
  def("eye(N: integer, M?: integer, k?: integer, dtype?: dtype, order?: string; device?: string) -> array",
    "Ones on a diagonal, the k-th above the main one, and zeros elsewhere.",
    function(n, m, k, dtype, order, device) return by_places("eye", ma.equal, n, m, k, dtype, order, device) end)

  --> identity(2, "int64")
  def("identity(n: integer, dtype?: dtype; device?: string) -> array", "The identity matrix.",
    function(n, dtype, device) return by_places("identity", ma.equal, n, n, 0, dtype, nil, device) end)

  local function diagonal_of(name, v, k)
    k = diagonal(name, k)
    local n = v.size + math.abs(k)
    local result = ma.zeros({ n, n }, { dtype = v.dtype, device = v.device })
    result:diagonal(k):assign(v)
    return result
  end

  --> diag({1, 2, 3})
  def("diag(a: data, k?: integer) -> array",
    "A matrix with this vector as its k-th diagonal; of a matrix, a copy of that diagonal.",
    function(a, k)
      a = core.asarray(a)
      if a.ndim == 1 then return diagonal_of("diag", a, k) end
      if a.ndim ~= 2 then fail("diag", sformat("%d axes; one or two", a.ndim)) end
      return a:diagonal(diagonal("diag", k)):copy()
    end)

  --> diagflat({{1, 2}, {3, 4}})
  def("diagflat(a: data, k?: integer) -> array", "A matrix with all elements, in order, as its k-th diagonal.",
    function(a, k) return diagonal_of("diagflat", ma.ravel(a), k) end)

  --# products
  --> trace(ma.array {{1, 2}, {3, 4}})
  def("trace(a: data, offset?: integer, axis1?: integer, axis2?: integer, dtype?: dtype, out?: array) -> array",
    "The sum along a diagonal.",
    function(a, offset, axis1, axis2, dtype, out)
      return ma.diagonal(a, offset, axis1, axis2):sum(-1, { dtype = dtype, out = out })
    end)

  --# create
  --> tri(3)
  def("tri(N: integer, M?: integer, k?: integer, dtype?: dtype; device?: string) -> array",
    "Ones at and below the k-th diagonal and zeros above it.",
    function(n, m, k, dtype, device) return by_places("tri", ma.greater_equal, n, m, k, dtype, nil, device) end)

  local function triangle(name, keep, doc)
    def(name .. "(a: data, k?: integer) -> array", doc, function(a, k)
      a = core.asarray(a)
      if a.ndim < 1 then fail(name, "a 0-d array; at least one axis") end
      local shape = a.shape
      local m = shape[#shape]
      local row, column = positions(shape[#shape - 1] or m, m, a.device)
      k = diagonal(name, k)
      return ma.where(keep(k == 0 and row or row + k, column), a, a.dtype == "bool" and ma.zeros_like(a) or 0)
    end)
  end
  --> tril({{1, 2}, {3, 4}})
  triangle("tril", ma.greater_equal, "A copy with zeros above the k-th diagonal of the last two axes.")
  --> triu({{1, 2}, {3, 4}})
  triangle("triu", ma.less_equal, "A copy with zeros below the k-th diagonal of the last two axes.")

  -- ==== Grids ======================================================================================================

  --- Vectors along the axes of a common grid; `dense` repeats them to the grid's shape.
  local function grid(vectors, dense)
    local n = #vectors
    local views, shape = {}, {}
    for d = 1, n do
      shape[d] = vectors[d].size
      views[d] = vectors[d]:reshape(common.upright(n, d, shape[d]))
    end
    if dense then
      for d = 1, n do views[d] = views[d]:broadcast_to(shape):copy() end
    end
    return views
  end

  --> meshgrid({1, 2}, {3, 4, 5})
  def("meshgrid(...; indexing?: string, sparse?: boolean) -> array ...",
    "Coordinate arrays of a grid, one for each vector; indexing \"xy\" puts the second vector's axis first, " ..
      "\"ij\" keeps the order.",
    function(indexing, sparse, ...)
      indexing = indexing or "xy"
      if indexing ~= "xy" and indexing ~= "ij" then
        fail("meshgrid", sformat("'%s' for indexing; 'xy' or 'ij'", tostring(indexing)))
      end
      local vectors = { ... }
      for k = 1, #vectors do vectors[k] = ma.ravel(vectors[k]) end
      local swapped = indexing == "xy" and #vectors > 1
      if swapped then vectors[1], vectors[2] = vectors[2], vectors[1] end
      local views = grid(vectors, not sparse)
      if swapped then views[1], views[2] = views[2], views[1] end
      return unpack(views)
    end)

  --- Ranges {lo, hi, step} as for `ma.range`, one for each axis.
  local function ranges(name, ...)
    local vectors = { ... }
    if select("#", ...) == 0 then fail(name, "no range; one {lo, hi, step} for each axis") end
    for k = 1, select("#", ...) do
      local range = vectors[k]
      if type(range) ~= "table" or not range[2] then
        fail(name, sformat("argument %d; a range {lo, hi} or {lo, hi, step}", k))
      end
      vectors[k] = ma.range(range[1], range[2], range[3] or 1)
    end
    return vectors
  end

  --> mgrid({1, 2}, {1, 3})
  def("mgrid(...) -> array ...",
    "Coordinates of a dense grid of ranges {lo, hi, step}, both ends included, stacked along a first axis.",
    function(...) return ma.stack(grid(ranges("mgrid", ...), true)) end)

  --> ogrid({1, 2}, {1, 3})
  def("ogrid(...) -> array ...",
    "Coordinates of an open grid of ranges {lo, hi, step}, both ends included: one array an axis, which broadcast.",
    function(...) return unpack(grid(ranges("ogrid", ...), false)) end)

  local function axes_of(name, dimensions, device)
    if type(dimensions) == "number" then dimensions = { dimensions } end
    common.type(name, "the shape", dimensions, "table")
    local vectors = {}
    for d = 1, #dimensions do
      vectors[d] = ma.range(1, extent(name, "an extent", dimensions[d]), { device = device })
    end
    return vectors
  end

  --# indexing
  --> indices({2, 3})
  def("indices(dimensions: integer|integer[], dtype?: dtype, sparse?: boolean; device?: string) -> array",
    "The position of every element along each axis: one array an axis, stacked, or open with sparse.",
    function(dimensions, dtype, sparse, device)
      local vectors = axes_of("indices", dimensions, device)
      for d = 1, #vectors do vectors[d] = cast(vectors[d], dtype) end
      if sparse then return unpack(grid(vectors, false)) end
      return ma.stack(grid(vectors, true))
    end)

  --# create
  --> fromfunction(function(i, j) return i * 10 + j end, {2, 3})
  def("fromfunction(fn: function, shape: integer|integer[], dtype?: dtype; device?: string) -> array",
    "What fn returns for the arrays of positions along each axis of a shape.",
    function(fn, shape, dtype, device)
      common.type("fromfunction", "fn", fn, "function")
      local vectors = axes_of("fromfunction", shape, device)
      for d = 1, #vectors do vectors[d] = cast(vectors[d], dtype) end
      return fn(unpack(grid(vectors, true)))
    end)
end
