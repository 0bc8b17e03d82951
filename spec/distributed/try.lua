--- What the programs for ranks of sharded arrays share: comparisons with whole arrays. Loaded after init. The whole
--- arrays are on the CPU, so that a GPU compiles the kernels of parts alone.

local ma = require "moonarray"

local D = ma.distributed
local rank, size = D.rank(), D.size()
local try = {}
local cases = 0
local device = ma.zeros(1).device

try.on_gpu = device ~= "cpu"

--- Functions that are not rounded exactly may differ between devices.
function try.near(tolerance) return (size > 1 or try.on_gpu) and tolerance or nil end

--- The array of the CPU on the device of the parts.
function try.here(a) return a:to(device) end

local dealt = 0
--- Whether to try a case. A GPU compiles a kernel or two for each, so there one of 31 is tried, which goes round
--- methods, layouts and dtypes; spec/device/distributed_array_spec.lua compares what a GPU computes by itself.
function try.deal()
  dealt = dealt + 1
  return not try.on_gpu or dealt % 31 == 0
end

function try.is_sharded(x)
  return type(x) == "table" and getmetatable(x).__name == "moonarray.distributed.Array"
end

function try.same(what, got, wanted, tolerance)
  cases = cases + 1
  if try.is_sharded(got) then
    got = got:all_gather()
  end
  if type(got) ~= "boolean" then got, wanted = got:get(), wanted:get() end
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
  local part = n > 0 and whole[index]:copy() or ma.empty(shape, whole.dtype)
  return D.array(part:to(device), { axis = axis, halo = halo })
end

--- The last line, with which the spec sees that all was compared.
function try.finish()
  D.barrier()
  if rank == 0 then print(("ranks: %d, comparisons: %d"):format(size, cases)) end
end

return try
