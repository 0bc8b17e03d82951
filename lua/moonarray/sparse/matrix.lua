--- The sparse matrix as an object: ordinary arrays, a format and a shape.
---
--- What an object has is called its state. It lies in a table behind a key that is not a string, so that no call takes
--- the object for a table of options. The other files of this folder add methods and attributes to `sp`.

local sformat = require("moonarray.text").format
local MOST_INT32 = 2 ^ 31 - 2          -- entries, rows and columns that int32 indices can count, from 1

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  local KEY = {}
  --> = sparse_matrix | ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}) | A matrix of which the entries other than zero are
  --> \ kept.
  --> . data: array | the entries
  --> . indices: array | of csr and csc: the column or row of each entry, from 1
  --> . indptr: array | of csr and csc: where each row or column begins in the two
  --> . shape: integer[] | rows and columns
  --> . nnz: integer | how many entries are kept
  --> . dtype: dtype | of the entries
  --> . format: string | "csr", "csc", "coo", "dia" or "bsr"
  --> . device: string | where the arrays are
  --> . T: sparse_matrix | the transpose
  --> @ sparse.Matrix.
  ---@class moonarray.sparse.Matrix
  local Matrix = {}
  local methods, attributes, settable = {}, {}, {}
  local Shape = getmetatable(ma.zeros(0).shape)

  ---@class moonarray.sparse.shared
  ---@field dia_nnz fun(s: table): integer
  ---@field transposed fun(s: table, self: table): table
  ---@field get fun(self: table, key: any): any
  ---@field set fun(self: table, key: any, value: any)
  local sp = { Matrix = Matrix, methods = methods, attributes = attributes, settable = settable }

  --- What an object has: format, rows, columns, data and, by the format,
  ---   csr, csc   indices, indptr; sorted, canonical: true if known, nil if not looked at, false; turn (product.lua)
  ---   coo        row, col; canonical
  ---   dia        offsets (an array), shifts (its numbers)
  ---   bsr        indices, indptr of blocks; data is (blocks, height, width); sorted, canonical
  ---@class moonarray.sparse.state

  function sp.is(value) return type(value) == "table" and getmetatable(value) == Matrix end
  local is = sp.is

  --- The state of an object; an error if the value is no sparse matrix.
  function sp.state(name, value, what)
    if is(value) then return rawget(value, KEY) end
    fail(name, sformat("%s%s; wanted a sparse matrix", what and what .. " is " or "", core.describe(value)))
  end

  function sp.new(state) return setmetatable({ [KEY] = state }, Matrix) end

  --- A copy of a state, to be changed. It shares what is found out about the positions.
  function sp.share(s)
    if s.indptr and not s.turn then s.turn = {} end
    local copy = {}
    for key, value in pairs(s) do copy[key] = value end
    return copy
  end

  --- Another object with the same positions and other data.
  function sp.with_data(s, data)
    local copy = sp.share(s)
    copy.data = data
    return sp.new(copy)
  end

  --- Defines a method: an entry of the library's functions, and of the objects.
  function sp.method(signature, doc, fn)
    local name = signature:match("^[%w_]+")
    methods[name] = def("sparse.Matrix." .. signature, doc, fn)
  end

  -- ==== Dtypes =====================================================================================================

  --- The dtype that a matrix of this one has: float16 and bfloat16 become float32.
  function sp.dtype(dtype) return (dtype == "float16" or dtype == "bfloat16") and "float32" or dtype end

  --- Data of a matrix in a dtype that the backends take.
  function sp.values(data)
    local dtype = sp.dtype(data.dtype)
    if dtype ~= data.dtype then data = data:astype(dtype) end
    return data.is_contiguous and data or data:copy()
  end

  --- int32 where it can count the entries, rows and columns; else int64.
  function sp.index_dtype(rows, columns, nnz)
    return (rows > MOST_INT32 or columns > MOST_INT32 or nnz > MOST_INT32) and "int64" or "int32"
  end

  --- An array of positions, contiguous and of the dtype.
  function sp.positions(a, dtype)
    if a.dtype ~= dtype then a = a:astype(dtype) end
    return a.is_contiguous and a or a:copy()
  end

  function sp.cast(state, dtype)
    if state.data.dtype == dtype then return state end
    return rawget(sp.with_data(state, state.data:astype(dtype)), KEY)
  end

  -- ==== Attributes =================================================================================================

  function sp.shape(rows, columns) return setmetatable({ rows, columns }, Shape) end

  function sp.nnz(s)
    return s.format == "dia" and sp.dia_nnz(s) or s.data.size
  end

  function attributes.shape(s) return sp.shape(s.rows, s.columns) end
  function attributes.ndim() return 2 end
  function attributes.dtype(s) return s.data.dtype end
  function attributes.device(s) return s.data.device end
  function attributes.format(s) return s.format end
  function attributes.nnz(s) return sp.nnz(s) end
  function attributes.size(s) return sp.nnz(s) end
  function attributes.data(s) return s.data end
  for _, name in ipairs { "indices", "indptr", "row", "col", "offsets" } do
    attributes[name] = function(s) return s[name] end
  end
  function attributes.blocksize(s) return s.format == "bsr" and { s.data.shape[2], s.data.shape[3] } or nil end
  function attributes.coords(s) return s.row and { s.row, s.col } or nil end
  function attributes.T(s, self) return sp.transposed(s, self) end

  function Matrix.__index(self, key)
    local method = methods[key]
    if method then return method end
    local attribute = attributes[key]
    if not attribute then
      if type(key) == "string" and key:find("^[%a_][%w_]*$") then
        core.unknown("sparse.Matrix", key, methods, attributes)
        return nil
      end
      return sp.get(self, key)
    end
    local s = rawget(self, KEY)
    local value = attribute(s, self)
    if value == nil then
      fail("sparse.Matrix", sformat("no attribute '%s' of a matrix in format %s", key, s.format))
    end
    return value
  end

  function Matrix.__newindex(self, key, value)
    local set = settable[key]
    if set then return set(rawget(self, KEY), value) end
    if attributes[key] or methods[key] then fail("sparse.Matrix", sformat("'%s' cannot be set", tostring(key))) end
    if type(key) == "string" and key:find("^[%a_][%w_]*$") then
      fail("sparse.Matrix", sformat("no attribute '%s'; data, indices, indptr can be set", key))
    end
    sp.set(self, key, value)
  end

  --- A = with other data: as many elements, on the same device.
  function settable.data(s, value)
    local data = sp.values(is_array(value) and value or core.asarray(value, { device = s.data.device }))
    if data.shape ~= s.data.shape or data.device ~= s.data.device then
      fail("sparse.Matrix", sformat("data is %s; wanted one of shape %s on %s", core.describe(data),
        common.shape_text(s.data), s.data.device))
    end
    s.data = data
  end

  -- ==== Matrices of other libraries' names =========================================================================

  --> sparse.issparse sparse.isspmatrix: ma.sparse.issparse(ma.sparse.eye(3))
  def("sparse.issparse(x: any) -> boolean", "Whether x is a sparse matrix.", is)
  def("sparse.isspmatrix(x: any) -> boolean", "Whether x is a sparse matrix.", is)
  for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
    --> sparse.isspmatrix_csr sparse.isspmatrix_csc sparse.isspmatrix_coo sparse.isspmatrix_dia sparse.isspmatrix_bsr:
    --> \ ma.sparse.isspmatrix_csr(ma.sparse.eye(3):tocsr())
    def("sparse.isspmatrix_" .. format .. "(x: any) -> boolean",
      "Whether x is a sparse matrix in the format " .. format .. ".",
      function(x) return is(x) and rawget(x, KEY).format == format end)
  end

  sp.key = KEY
  return sp
end
