--- The format bsr: CSR whose entries are blocks, all of one height and width. `data` is (blocks, height, width).

local sformat = require("moonarray.text").format

return function(ma, core, sp)
  local def, fail, is_array, describe = core.def, core.fail, core.is_array, core.describe
  local common = require "moonarray.common" (core)
  local method, new, state_of = sp.method, sp.new, sp.state

  local function make(rows, columns, indptr, indices, data)
    return { format = "bsr", rows = rows, columns = columns, indptr = indptr, indices = indices, data = data }
  end

  --- For each entry of a COO matrix: the row and column of its block, from 1, and its row and column in it, from 0.
  local function places(coo, height, width)
    local row, col = coo.row:astype("int64") - 1, coo.col:astype("int64") - 1
    return ma.floor_divide(row, height) + 1, ma.floor_divide(col, width) + 1, ma.remainder(row, height),
      ma.remainder(col, width)
  end

  --- The number of blocks of that size that have entries. Waits.
  local function count_blocks(coo, height, width)
    local row, col = places(coo, height, width)
    return ma.unique(row * (coo.columns + 1) + col).size
  end

  --- Chooses a block size with which the blocks are nearly full, as SciPy does. Waits.
  local function estimate(coo)
    local m, n, nnz = coo.rows, coo.columns, coo.data.size
    if nnz == 0 then return 1, 1 end
    local function full(k)
      if m % k > 0 or n % k > 0 then return 0 end
      return nnz / (k * k * count_blocks(coo, k, k))
    end
    local two, three = full(2), full(3)
    if two > 0.85 and three > 0.85 then
      if full(6) > 0.7 then return 6, 6 end
      return 3, 3
    end
    if full(4) > 0.7 then return 4, 4 end
    if three > 0.7 then return 3, 3 end
    if two > 0.7 then return 2, 2 end
    return 1, 1
  end

  --- Converts to BSR. Waits.
  function sp.to.bsr(s, name, height, width)
    if s.format == "bsr" and (not height or (s.data.shape[2] == height and s.data.shape[3] == width)) then return s end
    s = sp.summed(name, s.format == "dia" and sp.to.csr(s, name) or sp.either(name, s))
    if not height then height, width = estimate(sp.to.coo(s, name)) end
    if s.rows % height > 0 or s.columns % width > 0 then
      fail(name, sformat("blocks of %d x %d in a matrix of shape (%d, %d); wanted a size that divides it", height,
        width, s.rows, s.columns))
    end
    local indptr, indices, data = core.sparse_make(name, "block", sp.to.csr(s, name), height, width)
    return make(s.rows, s.columns, indptr, indices, data:reshape(indices.size, height, width))
  end

  --- All elements of all blocks as COO.
  function sp.bsr_to_coo(s, name)
    local blocks, height, width = s.data.shape[1], s.data.shape[2], s.data.shape[3]
    local device = s.data.device
    local dtype = sp.index_dtype(s.rows, s.columns, s.data.size)
    local o = { dtype = "int64", device = device }
    local block_row = core.sparse_expand(name, s):astype("int64")
    local shape = { blocks, height, width }
    local function spread(first, inside)
      return ma.broadcast_to(first + inside, shape):reshape(blocks * height * width):astype(dtype)
    end
    local row = spread(((block_row - 1) * height + 1):reshape(blocks, 1, 1), ma.arange(0, height, 1, o):reshape(1,
      height, 1))
    local col = spread(((s.indices:astype("int64") - 1) * width + 1):reshape(blocks, 1, 1), ma.arange(0, width, 1,
      o):reshape(1, 1, width))
    return { format = "coo", rows = s.rows, columns = s.columns, row = row, col = col,
      data = s.data:reshape(s.data.size) }
  end

  --- All elements of all blocks as CSR. Blocks at one place are added up. Waits.
  function sp.bsr_to_csr(s, name)
    local index = sp.index_dtype(s.rows, s.columns, s.data.size)
    local blocks = { format = "bsr", rows = s.rows, columns = s.columns, indptr = sp.positions(s.indptr, index),
      indices = sp.positions(s.indices, index), data = s.data.is_contiguous and s.data or s.data:copy() }
    local t = sp.compressed("csr", s.rows, s.columns, core.sparse_make(name, "unblock", blocks, false))
    if sp.attributes.has_canonical_format(s) then
      t.sorted, t.canonical = true, true
      return t
    end
    return sp.canonical(name, t)
  end

  function sp.turned_blocks(s)
    local name = "sparse.Matrix.transpose"
    local t = rawget(sp.transposed(sp.bsr_to_coo(s, name)), sp.key)
    return sp.to.bsr(t, name, s.data.shape[3], s.data.shape[2])
  end

  local function size_of(name, blocksize)
    if blocksize == nil then return nil end
    if type(blocksize) ~= "table" or #blocksize ~= 2 then
      fail(name, sformat("blocksize is %s; wanted {height, width}", describe(blocksize)))
    end
    return common.whole(name, "a height", blocksize[1], 1), common.whole(name, "a width", blocksize[2], 1)
  end

  --> sparse.Matrix.tobsr().format
  method("tobsr(a: sparse_matrix, blocksize?: integer|integer[], copy?: boolean) -> sparse_matrix",
    "The matrix in blocks of {height, width}, or of a size whose blocks are " ..
    "nearly full. Waits.", function(a, blocksize, copy)
    local name = "sparse.Matrix.tobsr"
    local s = state_of(name, a)
    local result = sp.to.bsr(s, name, size_of(name, blocksize))
    if copy then return new(sp.copy(result)) end
    return result == s and a or new(result)
  end)

  --- {data, indices, indptr} with data of three axes: checked as the CSR of the blocks.
  local function from_blocks(name, list, shape, dtype)
    local data = list[1]
    local blocks, height, width = data.shape[1], data.shape[2], data.shape[3]
    local grid
    if shape then
      local m, n = sp.extents(name, shape)
      if m % height > 0 or n % width > 0 then
        fail(name, sformat("blocks of %d x %d in a matrix of shape (%d, %d); wanted a size that divides it", height,
          width, m, n))
      end
      grid = { m / height, n / width }
    end
    local pattern = sp.anything(name, { ma.ones(blocks, { dtype = "int32", device = data.device }), list[2], list[3] },
      grid, nil, "csr", data.device)
    if dtype then data = data:astype(dtype) end
    data = sp.values(data)
    if pattern.data.size < blocks then data = common.along(data, 1, 1, pattern.data.size):copy() end
    return make(pattern.rows * height, pattern.columns * width, pattern.indptr, pattern.indices, data)
  end

  for _, kind in ipairs { "matrix", "array" } do
    local name = "sparse.bsr_" .. kind
    --> sparse.bsr_matrix sparse.bsr_array:
    --> \ ma.sparse.bsr_matrix({{1, 2, 0, 0}, {3, 4, 0, 0}}, {blocksize = {2, 2}}).data
    def(name .. "(arg1: sparse_matrix|data, shape?: integer|integer[], dtype?: dtype, copy?: boolean, "
      .. "blocksize?: integer|integer[]; device?: string) -> sparse_matrix",
      "A sparse matrix in blocks, from another matrix, an array or nested tables, empty from {rows, columns}, from " ..
        "{data, {row, col}}, or from {data, indices, indptr} with data of shape {blocks, height, width}.",
      function(arg1, shape, dtype, copy, blocksize, device)
        local height, width = size_of(name, blocksize)
        local s, given
        if type(arg1) == "table" and not sp.is(arg1) and is_array(arg1[1]) and arg1[1].ndim == 3 then
          s = sp.to.bsr(from_blocks(name, arg1, shape, dtype), name, height, width)
        else
          given = sp.is(arg1) and state_of(name, arg1)
          s = sp.to.bsr(sp.anything(name, arg1, shape, dtype, "csr", device), name, height, width)
        end
        return sp.another(s, given, copy)
      end)
  end
end
