--- What the programs for ranks of sharded arrays share: comparisons with whole arrays. Loaded after init.

local ma = require "moonarray"

local D = ma.distributed
local rank, size = D.rank(), D.size()
local try = {}
local cases = 0

function try.is_sharded(x)
  return type(x) == "table" and getmetatable(x).__name == "moonarray.distributed.Array"
end

function try.same(what, got, wanted, tolerance)
  cases = cases + 1
  if try.is_sharded(got) then
    got = got:all_gather()
  end
  if type(got) ~= "boolean" and tolerance then
    local close = { rtol = tolerance, atol = tolerance, equal_nan = true }
    if got.dtype == wanted.dtype and ma.allclose(got, wanted, close) then return end
  elseif got == wanted or got.dtype == wanted.dtype and tostring(got.shape) == tostring(wanted.shape)
    and got:tobytes() == wanted:tobytes() then
    return
  end
  error(("rank %d of %d: %s: got %s, wanted %s"):format(rank, size, what, tostring(got), tostring(wanted)), 0)
end

--- All ranks hold the same bits.
function try.everywhere(what, a)
  local all = D.all_gather(ma.frombuffer(a:tobytes(), "uint8"):copy():reshape(1, -1))
  for r = 2, size do try.same(what .. " on every rank", all[r]:copy(), all[1]:copy()) end
end

--- Extents of other lengths on each rank, with an empty one.
function try.uneven(n)
  local sizes, left = {}, n
  for r = 1, size do
    local more = math.min(left, math.floor(n / size) + (r == 1 and 3 or 0))
    sizes[r] = r == size and left or r == 2 and size > 2 and 0 or more
    left = left - sizes[r]
  end
  return sizes
end

function try.shard(whole, axis, sizes, halo)
  local first = 1
  for r = 1, rank do first = first + sizes[r] end
  local n = sizes[rank + 1]
  local index, shape = {}, {}
  for d = 1, whole.ndim do index[d], shape[d] = {}, whole.shape[d] end
  index[axis], shape[axis] = { first, first + n - 1 }, 0
  return D.array(n > 0 and whole[index]:copy() or ma.empty(shape, whole.dtype), { axis = axis, halo = halo })
end

--- The last line, with which the spec sees that all was compared.
function try.finish()
  D.barrier()
  if rank == 0 then print(("ranks: %d, comparisons: %d"):format(size, cases)) end
end

return try
