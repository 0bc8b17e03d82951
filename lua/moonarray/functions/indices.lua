--- Positions by a rule: of diagonals, of triangles, of an open mesh; and r_ and c_, which join arrays by index syntax.
--- All positions are 1-based int64.
--# indexing

local sformat, max, min = require("moonarray.text").format, math.max, math.min

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local whole = common.whole

  local MOST_AXES = 16

  local function extent(name, what, value) return whole(name, what, value, 0) end

  -- ==== Diagonals ====

  local function diagonal(n, ndim, device)
    local position, list = ma.range(1, n, { device = device }), {}
    for d = 1, ndim do list[d] = position end
    return unpack(list)
  end

  --> diag_indices(3)
  def("diag_indices(n: integer, ndim?: integer; device?: string) -> array ...",
    "The positions of the main diagonal of an array of n by n (by n ...): one array an axis (2).",
    function(n, ndim, device)
      ndim = whole("diag_indices", "ndim", ndim or 2, 1)
      if ndim > MOST_AXES then fail("diag_indices", sformat("ndim is %d; an array has at most %d "
        .. "axes", ndim, MOST_AXES)) end
      return diagonal(extent("diag_indices", "n", n), ndim, device)
    end)

  --> diag_indices_from(ma.ones({2, 2}))
  def("diag_indices_from(arr: data) -> array ...",
    "diag_indices for an array, of at least 2 axes and of one extent along all.",
    function(a)
      a = core.asarray(a)
      local shape = a.shape
      if a.ndim < 2 then fail("diag_indices_from", sformat("an array of %d axes; at least 2", a.ndim)) end
      for d = 2, a.ndim do
        if shape[d] ~= shape[1] then
          fail("diag_indices_from", sformat("extents %d and %d; one extent along all axes", shape[1], shape[d]))
        end
      end
      return diagonal(shape[1], a.ndim, a.device)
    end)

  -- ==== Triangles ====

  --- Positions of a triangle. Row i of a lower one has its first min(max(i + k, 0), m) columns: none at first, then
  --- from row `first` on one more in each row, then all. So the row of an element is the root of a quadratic equation,
  --- which is exact in float64 as long as 8 times the number of elements is. An upper triangle is a lower one from its
  --- end.
  local function triangle(lower, n, m, k, device)
    if not lower then k = m - n - k end
    local skipped = max(0, min(-k, n))
    local first = max(0, min(skipped + 1 + k, m))
    local growing = max(0, min(m - first + 1, n - skipped))
    local inside = growing * (2 * first + growing - 1) / 2
    local total = inside + (n - skipped - growing) * m
    --- Rows and columns from 0 of the elements of these ranks from 0.
    local function growth(rank)
      local b = 2 * first - 1
      local row = ma.floor((ma.sqrt(rank * 8 + b * b) - b) * 0.5)
      return row, rank - row * (row + b) * 0.5
    end
    local function rectangle(rank)
      local row = ma.floor(rank / m)
      return row + growing, rank - row * m
    end
    local function part(of, count)
      local rank = ma.arange(count, "float64", { device = device })
      if not lower then rank = count - 1 - rank end
      local row, column = of(rank)
      if not lower then row, column = n - 1 - skipped - row, m - 1 - column
      else row = row + skipped end
      return (row + 1):astype("int64"), (column + 1):astype("int64")
    end
    if inside == total then return part(growth, total) end
    local row, column = part(growth, inside)
    local full_row, full_column = part(rectangle, total - inside)
    if lower then return ma.concatenate { row, full_row }, ma.concatenate { column, full_column } end
    return ma.concatenate { full_row, row }, ma.concatenate { full_column, column }
  end

  local function define_triangle(name, lower, doc)
    def(name .. "(n: integer, k?: integer, m?: data; device?: string) -> array ...",
      sformat("Rows and columns of the elements %s the k-th diagonal of n by m "
      .. "(n), in C order.", doc),
      function(n, k, m, device)
        n = extent(name, "n", n)
        return triangle(lower, n, extent(name, "m", m or n), common.diagonal(name, k), device)
      end)
    local from = name .. "_from"
    --> tril_indices_from(ma.ones({2, 2}))
    --> triu_indices_from(ma.ones({2, 2}))
    def(from .. "(arr: data, k?: integer) -> array ...",
      name .. " for the shape of a matrix.", function(a, k)
      a = core.asarray(a)
      if a.ndim ~= 2 then fail(from, sformat("an array of %d axes; 2", a.ndim)) end
      return triangle(lower, a.shape[1], a.shape[2], common.diagonal(from, k), a.device)
    end)
  end
  --> tril_indices(2)
  define_triangle("tril_indices", true, "at and below")
  --> triu_indices(2)
  define_triangle("triu_indices", false, "at and above")

  --> mask_indices(2, ma.triu)
  def("mask_indices(n: integer, mask_func: function, k?: integer) -> array ...",
    "The positions where mask_func(ones of n by n, k), as ma.triu is one, is not "
    .. "0. Waits for their number.",
    function(n, mask_func, k)
      common.callable("mask_indices", "mask_func", mask_func)
      n = extent("mask_indices", "n", n)
      return ma.nonzero(core.asarray(mask_func(ma.ones({ n, n }, "int64"), k or 0)):ne(0))
    end)

  -- ==== Meshes ====

  --- Positions as an array: from a table of whole numbers as for ma.index, or from a mask.
  local function positions(name, k, sequence)
    if type(sequence) == "table" then
      if type(sequence[1]) == "boolean" or type(sequence[1]) == "table" then sequence = core.asarray(sequence)
      else sequence = #sequence == 0 and ma.zeros(0, "int64") or ma.index(sequence) end
    elseif type(sequence) == "number" or not core.is_array(sequence) then
      fail(name, sformat("argument %d is %s; wanted positions or a mask along one axis", k, core.describe(sequence)))
    end
    if sequence.ndim ~= 1 then fail(name, sformat("argument %d has %d axes; wanted one", k, sequence.ndim)) end
    if sequence.dtype == "bool" then return (ma.nonzero(sequence)) end
    if sequence.size == 0 then return sequence:astype("int64") end
    return sequence
  end

  --> ix_({1, 3}, {2, 4})
  def("ix_(...) -> array ...",
    "Positions along each axis as arrays that broadcast to the mesh of all combinations: a[{ma.ix_({1, "
    .. "3}, {2, 4})}] is 2 by 2. An argument is a table or an array of positions, or a mask, which waits.",
    function(...)
      local n = select("#", ...)
      if n > MOST_AXES then fail("ix_", sformat("%d arguments; an array has at most %d axes", n, MOST_AXES)) end
      local list = { ... }
      for k = 1, n do
        local own = positions("ix_", k, list[k])
        list[k] = own:reshape(common.upright(n, k, own.size))
      end
      return unpack(list, 1, n)
    end)

  -- ==== r_ and c_ ====

  --- "lo:hi:step", with both ends included, or "lo:hi:nj", n points from lo to hi.
  local function sequence(name, text)
    local lo, hi, step = text:match("^%s*([^:]*):([^:]+):?([^:]*)$")
    local count = step and step:match("^%s*(%d+)j%s*$")
    lo, hi = tonumber(lo), tonumber(hi)
    step = count and tonumber(count) or step == "" and 1 or tonumber(step)
    if not lo or not hi or not step then
      fail(name, sformat("the text '%s'; wanted a range \"lo:hi\", \"lo:hi:step\" or \"lo:hi:nj\" of n points", text))
    end
    if count then return ma.linspace(lo, hi, step) end
    return ma.range(lo, hi, step)
  end

  local function is_number(value)
    local kind = type(value)
    return kind == "number" or kind == "cdata" or (kind == "userdata" and not core.is_array(value))
  end

  --- Adds axes of extent 1 until there are ndmin. trans1d is the place of the first old axis, or, negative, of the last
  --- one.
  local function deepen(name, a, ndmin, trans1d)
    local missing, shape, own = ndmin - a.ndim, {}, a.shape
    if missing <= 0 then return a end
    local before = trans1d < 0 and trans1d + missing + 1 or trans1d - 1
    if before < 0 or before > missing then
      fail(name, sformat("trans1d is %d for an array of %d axes among %d; 1 to %d, or negative from the "
        .. "end", trans1d, a.ndim, ndmin, missing + 1))
    end
    for d = 1, ndmin do
      if d <= before or d > before + a.ndim then shape[d] = 1 else shape[d] = own[d - before] end
    end
    return a:reshape(shape)
  end

  --- The dtype by NumPy's rule: that of the arrays, with numbers as weak scalars.
  local function dtype_of(kinds)
    local dtype = kinds[1]
    if #kinds == 1 then return ma.result_type(dtype) end
    for k = 2, #kinds do dtype = ma.result_type(dtype, kinds[k]) end
    return dtype
  end

  local function join(name, axis, ndmin, trans1d, ...)
    local n = select("#", ...)
    if n == 0 then fail(name, "nothing to join; wanted arrays, tables, numbers or ranges as text") end
    ndmin = whole(name, "ndmin", ndmin, 1)
    if ndmin > MOST_AXES then fail(name, sformat("ndmin is %d; an array has at most %d axes", ndmin, MOST_AXES)) end
    if whole(name, "trans1d", trans1d) == 0 then fail(name, "trans1d is 0; an axis from 1 on, or negative from the "
      .. "end") end
    local parts, kinds, numbers = {}, {}, {}
    for k = 1, n do
      local part = select(k, ...)
      if is_number(part) then numbers[#numbers + 1], parts[k] = part, part
      else
        if type(part) == "string" then part = sequence(name, part)
        elseif type(part) ~= "table" and type(part) ~= "boolean" and not core.is_array(part) then
          fail(name, sformat("argument %d is %s; wanted an array, a table, a number or a range as "
            .. "text", k, core.describe(part)))
        else part = core.asarray(part) end
        kinds[#kinds + 1], parts[k] = part.dtype, deepen(name, part, ndmin, trans1d)
      end
    end
    for _, number in ipairs(numbers) do kinds[#kinds + 1] = number end
    local dtype = dtype_of(kinds)
    for k = 1, n do
      if is_number(parts[k]) then parts[k] = deepen(name, core.asarray(parts[k], dtype), ndmin, -1) end
    end
    return ma.concatenate(parts, { axis = axis, dtype = dtype })
  end

  local how = "An argument is an array, a table, a number, or a range as text: \"1:5\", \"1:9:2\" (both ends taken), "
    .. "\"0:1:5j\" (5 points). "

  --# create
  --> r_({1, 2}, 5, {7})
  def("r_(...; axis?: integer|integer[], ndmin?: integer, trans1d?: boolean) -> array",
    "The arguments joined along the first axis (axis), with at least ndmin (1) "
    .. "axes each. " .. how
    .. "The dtype is NumPy's; numbers are weak. trans1d says which axis the first one of a shallower argument "
    .. "becomes (-1: the last ones are its own).",
    function(axis, ndmin, trans1d, ...) return join("r_", axis or 1, ndmin or 1, trans1d or -1, ...) end)

  --> c_({1, 2}, {3, 4})
  def("c_(...; axis?: integer|integer[], ndmin?: integer, trans1d?: boolean) -> array",
    "The arguments as columns side by side: r_ with {axis = -1, ndmin = 2, "
    .. "trans1d = 1}. " .. how,
    function(axis, ndmin, trans1d, ...) return join("c_", axis or -1, ndmin or 2, trans1d or 1, ...) end)
end
