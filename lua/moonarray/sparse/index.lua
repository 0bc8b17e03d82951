--- Rows, columns, ranges, masks and single elements of a sparse matrix, read and written.
---
--- An index is written as for an array: A(i, j), A[i], A[{i, j}], A[{ {2, 5}, {} }], A["2:5, :"], A[mask].

local tostring = require("moonarray.text").tostring
local sformat, floor = require("moonarray.text").format, math.floor
local NAME = "sparse.Matrix"

return function(ma, core, sp)
  local fail, is_array, describe = core.fail, core.is_array, core.describe
  local new, is, method = sp.new, sp.is, sp.method

  -- ==== What an index says =========================================================================================

  --- A position, counted from 1 or from the end, as a number of 1 .. n.
  local function position(i, n, axis)
    local at = i < 0 and n + 1 + i or i
    if i ~= floor(i) or at < 1 or at > n then
      fail(NAME, sformat("position %s on axis %d of extent %d; wanted 1 .. %d, or negative from the end", tostring(i),
        axis, n, n))
    end
    return at
  end

  --- A range as {lo, step, count}: the positions that `for i = lo, hi, step` visits. An empty range may begin anywhere.
  local function range(lo, hi, step, n, axis)
    if step == 0 then fail(NAME, "a range of step 0") end
    for _, bound in ipairs { lo, hi, step } do
      if type(bound) ~= "number" or bound ~= floor(bound) or bound - bound ~= 0 then
        fail(NAME, sformat("%s in a range of axis %d; wanted whole numbers", describe(bound), axis))
      end
    end
    if lo < 0 then lo = n + 1 + lo end
    if hi < 0 then hi = n + 1 + hi end
    local count = math.max(floor((hi - lo) / step) + 1, 0)
    if count > 0 then
      for _, visited in ipairs { lo, lo + (count - 1) * step } do
        if visited < 1 or visited > n then
          fail(NAME, sformat("a range that visits position %d on axis %d; positions there are 1 to %d", visited, axis,
            n))
        end
      end
    end
    return { lo = lo, step = step, count = count }
  end

  local function whole(n) return { lo = 1, step = 1, count = n, whole = true } end

  --- Reads a range in text ("2:5", ":", "::2"), or a position.
  local function from_text(text, n, axis)
    text = text:gsub("%s", "")
    if text:find("^[+-]?%d+$") then return position(tonumber(text), n, axis) end
    local lo, hi, step = text:match("^([+-]?%d*):([+-]?%d*):?([+-]?%d*)$")
    if not lo then fail(NAME, sformat("the index '%s'; wanted a position or a range such as 2:5", text)) end
    step = tonumber(step) or 1
    if lo == "" and hi == "" and step == 1 then return whole(n) end
    return range(tonumber(lo) or (step > 0 and 1 or n), tonumber(hi) or (step > 0 and n or 1), step, n, axis)
  end

  --- One item of an index: a position (a number), a range, or an array of positions.
  local function item(value, n, axis, device)
    if type(value) == "number" then return position(value, n, axis) end
    if type(value) == "string" then return from_text(value, n, axis) end
    if is_array(value) then
      if value.ndim ~= 1 then fail(NAME, sformat("%s as an index of an axis; wanted one axis", describe(value))) end
      if value.device ~= device then fail(NAME, sformat("an index on %s of a matrix on %s", value.device, device)) end
      if value.dtype == "bool" then
        if value.size ~= n then
          fail(NAME, sformat("a mask of %d elements on axis %d of extent %d", value.size, axis, n))
        end
        return { list = ma.flatnonzero(value) }
      end
      if not value.dtype:find("int") then fail(NAME, sformat("%s as an index; wanted positions", describe(value))) end
      return { list = value:astype("int64"), unseen = n, axis = axis }
    end
    if type(value) == "table" then
      if #value == 0 then return whole(n) end
      if #value == 2 or #value == 3 then return range(value[1], value[2], value[3] or 1, n, axis) end
    end
    fail(NAME, sformat("%s as an index of axis %d; wanted a position, {lo, hi}, {} or ma.index{...}", describe(value),
      axis))
  end

  --- The list of an item, with positions that were checked and that all count from 1.
  local function list_in(it)
    local list, n = it.list, it.unseen
    if n and list.size > 0 then
      local least, most = ma.item(list:min(), list:max())
      least, most = tonumber(least), tonumber(most)
      if least <= 0 and ma.any(list:eq(0)):item() then position(0, n, it.axis) end
      position(most > 0 and most or least, n, it.axis)
      position(least, n, it.axis)
      if least < 0 then list = ma.where(list:lt(0), list + (n + 1), list) end
    end
    it.list, it.unseen = list, nil
    return list
  end

  --- Both items of an index.
  local function items(s, key)
    local device = s.data.device
    if type(key) == "number" then return item(key, s.rows, 1), whole(s.columns) end
    if is_array(key) then return item(key, s.rows, 1, device), whole(s.columns) end
    if type(key) == "string" then
      local first, second, rest = key:match("^([^,]*),?([^,]*)(.*)$")
      if rest ~= "" then fail(NAME, sformat("the index '%s'; wanted at most two items", key)) end
      if first:find("%.%.%.") then first = ":" end
      if second == "" or second:find("%.%.%.") then second = ":" end
      return from_text(first, s.rows, 1), from_text(second, s.columns, 2)
    end
    if type(key) ~= "table" or #key > 2 then
      fail(NAME, sformat("the index %s; wanted {row, column}, a row, text or a mask", describe(key)))
    end
    if #key == 0 then return whole(s.rows), whole(s.columns) end
    return item(key[1], s.rows, 1, device), key[2] == nil and whole(s.columns) or item(key[2], s.columns, 2, device)
  end

  --- The positions that an item stands for, as an array.
  local function list_of(it, device)
    if type(it) == "number" then return ma.full(1, it, { dtype = "int64", device = device }) end
    if it.list then return list_in(it) end
    if it.count == 0 then return ma.zeros(0, { dtype = "int64", device = device }) end
    return ma.arange(0, it.count, 1, { dtype = "int64", device = device }) * it.step + it.lo
  end

  local function as_range(it) return type(it) == "number" and { lo = it, step = 1, count = 1 } or it end

  -- ==== Rows of CSR ================================================================================================

  --- The rows first .. first + count - 1 of a CSR, as views of its arrays. Waits.
  local function row_range(s, first, count)
    local ptr = s.indptr[{ { first, first + count } }]
    local n = ptr.size
    local a, b = ma.item(ptr[{ { 1, 1 } }], ptr[{ { n, n } }])
    a, b = tonumber(a), tonumber(b)
    local function cut(x)
      return b > a and x[{ { a, b - 1 } }] or ma.zeros(0, { dtype = x.dtype, device = x.device })
    end
    return sp.compressed("csr", count, s.columns, ptr - (a - 1), cut(s.indices), cut(s.data), s.sorted, s.canonical)
  end

  --- The rows of a CSR at a list of positions. Messages call the axis `axis`, which it is in the user's matrix. Waits.
  local function row_list(s, list, axis)
    local k = list.size
    if k == 0 then return sp.empty(0, s.columns, s.data.dtype, s.data.device) end
    if not list.is_contiguous then list = list:copy() end
    local indptr, indices, data = core.sparse_make(NAME, "rows", s, list)
    if not indices then                                       -- indptr is the place of a position that no row has
      position(tonumber(list[{ { indptr, indptr } }]:item()), s.rows, axis)
    end
    return sp.some_of(s, k, s.columns, indptr, indices, data)
  end

  --- The columns of a CSR at a list of positions. Waits.
  local function column_list(s, it)
    local list = it.list or list_of(it, s.data.device)
    if not list.is_contiguous then list = list:copy() end
    local indptr, indices, data = core.sparse_make(NAME, "columns", s, list)
    if not indices then position(tonumber(list[{ { indptr, indptr } }]:item()), s.columns, it.axis or 2) end
    return sp.compressed("csr", s.rows, list.size, indptr, indices, data, true, s.canonical)
  end

  local function rows_of(s, it)
    it = as_range(it)
    if it.whole then return s end
    if it.list then return row_list(s, it.list, it.axis) end
    if it.step == 1 and it.count > 0 then return row_range(s, it.lo, it.count) end
    return row_list(s, list_of(it, s.data.device))
  end

  --- The columns of a CSR in a range, in the range's order. Waits.
  local function column_range(s, it)
    return sp.some_of(s, s.rows, it.count, core.sparse_make(NAME, "range", s, it.lo, it.step, it.count))
  end

  local function flipped(s) return rawget(sp.transposed(s), sp.key) end

  --- Some rows and columns of a compressed matrix, in its format.
  local function part(s, rows, columns)
    if s.format == "csc" then return flipped(part(flipped(s), columns, rows)) end
    s = rows_of(s, rows)
    columns = as_range(columns)
    if columns.whole then return s end
    if not columns.list and columns.step > 0 and columns.count > 0 then return column_range(s, columns) end
    return column_list(s, columns)
  end

  -- ==== Elements ===================================================================================================

  --- The entry at a position as a Lua value. Waits.
  local function element(s, i, j)
    if s.format == "csc" then i, j = j, i end
    local a, b = ma.item(s.indptr[{ { i, i } }], s.indptr[{ { i + 1, i + 1 } }])
    a, b = tonumber(a), tonumber(b)
    local zero = ma.zeros({}, { dtype = s.data.dtype, device = s.data.device })
    if a == b then return zero:item() end
    local found = ma.where(s.indices[{ { a, b - 1 } }]:eq(j), s.data[{ { a, b - 1 } }], zero)
    return found:sum():astype(s.data.dtype):item()
  end

  --- A number for each place, in C order.
  local function keys_of(s, row, col) return (row:astype("int64") - 1) * s.columns + col end

  local function int64(x)
    if x.dtype ~= "int64" then x = x:astype("int64") end
    return x.is_contiguous and x or x:copy()
  end

  --- Where the entries at pairs of positions lie in a canonical compressed matrix's data; 0 where there is no entry.
  local function places(s, row, col)
    if s.format == "csc" then row, col = col, row end
    return core.sparse_places(NAME, s, int64(row), int64(col))
  end

  --- The elements at pairs of positions, as an array.
  local function sample(s, row, col)
    local zero = ma.zeros({}, { dtype = s.data.dtype, device = s.data.device })
    s = sp.canonical(NAME, s)
    if s.data.size == 0 or row.size == 0 then
      return ma.zeros(row.size, { dtype = s.data.dtype, device = s.data.device })
    end
    local at = places(s, row, col)
    return ma.where(at:gt(0), s.data:take(ma.maximum(at, 1)), zero)
  end

  --- Two lists of equal lengths. A list of one element is repeated.
  local function pairs_of(a, b)
    if a.size == b.size then return a, b end
    if a.size == 1 then return ma.broadcast_to(a, b.size):copy(), b end
    if b.size == 1 then return a, ma.broadcast_to(b, a.size):copy() end
    fail(NAME, sformat("%d rows and %d columns as positions; wanted as many", a.size, b.size))
  end

  --- The rows and columns where a mask is true: an array of the matrix's shape, or a sparse matrix.
  local function mask_places(s, mask)
    local rows, columns
    if is(mask) then
      local t = rawget(mask, sp.key)
      if t.data.dtype ~= "bool" then fail(NAME, "a sparse matrix as an index; wanted one of bools") end
      rows, columns = t.rows, t.columns
    else
      rows, columns = mask.shape[1], mask.shape[2]
    end
    if rows ~= s.rows or columns ~= s.columns then
      fail(NAME, sformat("a mask of shape (%d, %d) for a matrix of shape (%d, %d)", rows, columns, s.rows, s.columns))
    end
    if is(mask) then return mask:nonzero() end
    return ma.nonzero(mask)
  end

  local function is_mask(key) return is(key) or (is_array(key) and key.dtype == "bool" and key.ndim == 2) end

  local function refuse_boolean(key)
    if type(key) == "boolean" then fail(NAME, "a boolean as an index; masks are made by a:eq(b), a:gt(b) ...") end
  end

  function sp.get(self, key)
    local s = rawget(self, sp.key)
    refuse_boolean(key)
    s = sp.either(NAME, s)
    if is_mask(key) then return sample(s, mask_places(s, key)) end
    local rows, columns = items(s, key)
    if type(rows) == "number" and type(columns) == "number" then return element(s, rows, columns) end
    if type(rows) == "table" and rows.list and type(columns) == "table" and columns.list then
      return sample(s, pairs_of(list_in(rows), list_in(columns)))
    end
    return new(part(s, rows, columns))
  end

  function sp.Matrix.__call(self, i, j, more)
    if type(i) ~= "number" or type(j) ~= "number" or more ~= nil then
      fail(NAME, "a call; A(i, j) reads one element, A[{ {2, 5}, {} }] a part")
    end
    return sp.get(self, { i, j })
  end

  for name, axis in pairs { getrow = 1, getcol = 2 } do
    --> sparse.Matrix.getrow(1):toarray()
    --> sparse.Matrix.getcol(3):toarray()
    method(name .. "(a: sparse_matrix, i: integer) -> sparse_matrix",
      axis == 1 and "Row i, as a matrix of one row." or "Column i, as a matrix of one column.",
      function(a, i)
        local s = sp.either("sparse.Matrix." .. name, sp.state("sparse.Matrix." .. name, a))
        if axis == 1 then return new(part(s, item(i, s.rows, 1), whole(s.columns))) end
        return new(part(s, whole(s.rows), item(i, s.columns, 2)))
      end)
  end

  -- ==== Writing ====================================================================================================

  --- Gives the object a new state.
  local function replace(self, t, format)
    local s = rawget(self, sp.key)
    t = sp.as(NAME, t, format)
    for key in pairs(s) do s[key] = nil end
    for key, value in pairs(t) do s[key] = value end
  end

  local function joined(s, row, col, data)
    return { format = "coo", rows = s.rows, columns = s.columns, row = row, col = col, data = data }
  end

  --- Drops the earlier ones of values for the same position.
  local function last_of_each(s, row, col, values)
    local wanted = keys_of(s, row, col)
    local n = wanted.size
    if n < 2 then return row, col, values end
    local order = core.argsort(wanted, 1)
    local sorted = wanted:take(order)
    local last = ma.ones(n, { dtype = "bool", device = s.data.device })
    last[{ { 1, n - 1 } }] = sorted[{ { 1, n - 1 } }]:ne(sorted[{ { 2, n } }])
    order = order[last]
    return row:take(order), col:take(order), values:take(order)
  end

  --- Writes values at pairs of positions, all different, of a canonical matrix.
  local function put_at(self, s, row, col, values)
    local index = sp.index_dtype(s.rows, s.columns, s.data.size + row.size)
    local given = { format = "coo", rows = s.rows, columns = s.columns, row = row, col = col, data = sp.values(values) }
    local by_rows = sp.compressed(s.format, s.rows, s.columns, sp.positions(s.indptr, index), sp.positions(s.indices,
      index), s.data)
    if s.format == "csc" then given.rows, given.columns, given.row, given.col = s.columns, s.rows, col, row end
    given.row, given.col = sp.positions(given.row, index), sp.positions(given.col, index)
    given = sp.compressed("csr", given.rows, given.columns, core.sparse_order(NAME, given, true))
    local indptr, indices, data = core.sparse_make(NAME, "put", by_rows, given)
    replace(self, sp.compressed(s.format, s.rows, s.columns, indptr, indices, data, true, true),
      rawget(self, sp.key).format)
  end

  --- Writes values of the matrix's dtype at pairs of positions. The last value for a position counts.
  local function put(self, s, row, col, values)
    put_at(self, sp.canonical(NAME, s), last_of_each(s, row, col, values))
  end

  --- For each position of an axis, the number of the last element of the item that names it, or 0. Also these elements.
  local function lookup(it, n, device)
    local list = list_of(it, device)
    local place = ma.zeros(n, { dtype = "int64", device = device })
    if list.size > 0 then place:scatter_max(list, ma.range(1, list.size, { dtype = "int64", device = device })) end
    return place, list
  end

  --- Writes a block, a COO matrix, at rows and columns.
  local function put_block(self, s, rows, columns, block)
    local device, dtype = s.data.device, s.data.dtype
    local coo = sp.to.coo(sp.either(NAME, s), NAME)
    local row_place, row_list_of = lookup(rows, s.rows, device)
    local col_place, col_list_of = lookup(columns, s.columns, device)
    local stay = (row_place:take(coo.row):gt(0) * col_place:take(coo.col):gt(0)):not_()
    local row, col = row_list_of:take(block.row), col_list_of:take(block.col)
    local counts = row_place:take(row):eq(block.row:astype("int64")) * col_place:take(col):eq(
      block.col:astype("int64"))
    local index = coo.row.dtype
    replace(self, joined(s, ma.concatenate({ coo.row[stay], row[counts]:astype(index) }),
      ma.concatenate({ coo.col[stay], col[counts]:astype(index) }),
      ma.concatenate({ coo.data[stay], block.data[counts]:astype(dtype) })), rawget(self, sp.key).format)
  end

  local function count_of(it) return type(it) == "number" and 1 or it.list and it.list.size or it.count end

  --- Writes an array at ranges of rows and columns in one pass. Returns false where array code must do it.
  local function put_part(self, s, rows, columns, values)
    local device = s.data.device
    if type(rows) == "table" and rows.list or type(columns) == "table" and columns.list then return false end
    local m, n = values.shape[1], values.shape[2]
    local function spread(it, height, width)
      return ma.broadcast_to(list_of(it, device):reshape(height, width), { m, n }):reshape(m * n)
    end
    put_at(self, sp.canonical(NAME, s), spread(rows, m, 1), spread(columns, 1, n),
      values:reshape(m * n):astype(s.data.dtype))
    return true
  end

  --- The assigned value as an array on the matrix's device.
  local function value_of(s, value)
    if is_array(value) then return value.device == s.data.device and value or value:to_device(s.data.device) end
    if type(value) == "table" then return ma.array(value, { device = s.data.device }) end
    if type(value) == "boolean" then return ma.full({}, value, { dtype = "bool", device = s.data.device }) end
    if not ma.isscalar(value) then fail(NAME, sformat("%s as a value; wanted numbers", describe(value))) end
    return ma.full({}, value, { dtype = s.data.dtype, device = s.data.device })
  end

  function sp.set(self, key, value)
    local s = sp.either(NAME, rawget(self, sp.key))
    refuse_boolean(key)
    local row, col
    if is_mask(key) then
      row, col = mask_places(s, key)
    else
      local rows, columns = items(s, key)
      if type(rows) == "table" and rows.list and type(columns) == "table" and columns.list then
        row, col = pairs_of(list_in(rows), list_in(columns))
      else
        local m, n = count_of(rows), count_of(columns)
        local block
        if is(value) then
          block = sp.to.coo(sp.canonical(NAME, sp.state(NAME, value)), NAME)
          if block.rows ~= m or block.columns ~= n then
            fail(NAME, sformat("a value of shape (%d, %d) for a part of shape (%d, %d)", block.rows, block.columns, m,
              n))
          end
        else
          local values = ma.broadcast_to(value_of(s, value), { m, n })
          if m * n == 0 or put_part(self, s, rows, columns, values) then return end
          block = sp.to.coo(sp.from_dense(values), NAME)
        end
        return put_block(self, s, rows, columns, block)
      end
    end
    if is(value) then value = value:toarray():ravel() end
    local values = ma.broadcast_to(value_of(s, value), row.size)
    if row.size > 0 then put(self, s, row, col, values:astype(s.data.dtype)) end
  end

  -- ==== Shapes =====================================================================================================

  --> sparse.Matrix.reshape(3, 2):toarray()
  method("reshape(a: sparse_matrix, shape: integer|integer[], ...) -> sparse_matrix",
    "The same elements in C order as a matrix of another shape; one extent may be -1.",
    function(a, shape, ...)
      local name = "sparse.Matrix.reshape"
      local s = sp.state(name, a)
      if type(shape) ~= "table" then shape = { shape, ... } end
      local m, n = shape[1], shape[2]
      local total = s.rows * s.columns
      if m == -1 and n then m = total / n elseif n == -1 and m then n = total / m end
      m, n = sp.extents(name, { m, n })
      if #shape ~= 2 or m * n ~= total then
        fail(name, sformat("shape (%s, %s) of %d elements", tostring(m), tostring(n), total))
      end
      local coo = sp.to.coo(s, name)
      local key = keys_of(s, coo.row, coo.col) - 1
      local dtype = sp.index_dtype(m, n, coo.data.size)
      local t = { format = "coo", rows = m, columns = n, row = (ma.floor_divide(key, n) + 1):astype(dtype),
        col = (ma.remainder(key, n) + 1):astype(dtype), data = coo.data, canonical = coo.canonical }
      return new(sp.as(name, t, s.format))
    end)
end
