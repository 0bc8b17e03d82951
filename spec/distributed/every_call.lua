--- A program for ranks: every call of ma.distributed over dtypes, sizes and layouts against what one process computes.
--- Each rank makes the inputs of all ranks, so it knows what must come.

local ma = require "moonarray"

local D = ma.distributed
D.init { timeout = 30 }
local rank, size = D.rank(), D.size()

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }
local SIZES = { 0, 1, 17, 1025 }
if os.getenv "MOONARRAY_SPEC_LONG" == "1" then SIZES[5] = 2 ^ 20 + 1 end
local on_gpu = ma.zeros(1).device ~= "cpu"          -- then NCCL does it, which has no tags
local TAG = on_gpu and 0 or 5
local cases = 0

local function same(what, got, wanted)
  cases = cases + 1
  if got.dtype ~= wanted.dtype or tostring(got.shape) ~= tostring(wanted.shape)
    or not ma.array_equal(got, wanted, { equal_nan = wanted.dtype:find "float" ~= nil or nil }) then
    error(("rank %d: %s: got %s, wanted %s"):format(rank, what, tostring(got), tostring(wanted)), 0)
  end
end

--- What rank r has: small whole numbers, so that sums and products are exact in every dtype.
local function values(r, n, dtype)
  local x = (ma.arange(n) * 7 + r * 3) % 5 % 3
  return (dtype == "bool" and x:gt(0) or x + (dtype:find "complex" and ma.complex(0, 1) * (r % 2) or 0)):astype(dtype)
end

local function all_values(n, dtype, first)
  local list = {}
  for r = 0, size - 1 do list[r + 1] = values(r, first and first[r + 1] or n, dtype) end
  return list
end

local FOLD = {
  sum = function(a, b) return a.dtype == "bool" and ma.logical_or(a, b) or a + b end,
  prod = function(a, b) return a.dtype == "bool" and ma.logical_and(a, b) or a * b end,
  min = function(a, b) return ma.minimum(a, b) end,
  max = function(a, b) return ma.maximum(a, b) end,
}

local function folded(list, op)
  local result = list[1]
  for k = 2, size do result = FOLD[op](result, list[k]) end
  return result
end

local function part(a, k, n)
  return n == 0 and ma.zeros(0, a.dtype) or a[{ { (k - 1) * n + 1, k * n } }]
end

local function try_reductions(dtype, n)
  local list = all_values(n, dtype)
  local mine = list[rank + 1]
  local wide = all_values(n * size, dtype)
  for _, op in ipairs { "sum", "prod", "min", "max" } do
    if not (dtype:find "complex" and (op == "min" or op == "max" or on_gpu and op == "prod")) then
      local wanted, what = folded(list, op), ("%s of %d %s"):format(op, n, dtype)
      same("all_reduce " .. what, D.all_reduce(mine, op), wanted)
      local kept = mine:copy()
      same("all_reduce in place " .. what, D.all_reduce(kept, op, { out = kept }), wanted)
      local root = size - 1
      local got = D.reduce(mine, root, op)
      if rank == root then same("reduce " .. what, got, wanted) else assert(got == nil) end
      local whole = folded(wide, op)
      same("reduce_scatter " .. what, D.reduce_scatter(wide[rank + 1], op), part(whole, rank + 1, n))
    end
  end
end

local function try_moves(dtype, n)
  local list, what = all_values(n, dtype), ("of %d %s"):format(n, dtype)
  local mine, all = list[rank + 1], ma.concatenate(list)
  for root = 0, size - 1, math.max(1, size - 1) do
    same("broadcast " .. what, D.broadcast(mine, root), list[root + 1])
    local kept = mine:copy()
    same("broadcast in place " .. what, D.broadcast(kept, root, { out = kept }), list[root + 1])
    local got = D.gather(mine, root)
    if rank == root then same("gather " .. what, got, all) else assert(got == nil) end
    same("scatter " .. what, D.scatter(rank == root and all or nil, root, { out = ma.zeros(n, dtype) }), mine)
  end
  same("all_gather " .. what, D.all_gather(mine), all)
  local wide = all_values(n * size, dtype)
  local come = {}
  for k = 1, size do come[k] = part(wide[k], rank + 1, n) end
  same("all_to_all " .. what, D.all_to_all(wide[rank + 1]), ma.concatenate(come))
  local out = ma.zeros(n, dtype)
  D.sendrecv(mine, (rank + 1) % size, out, (rank - 1) % size)
  same("sendrecv " .. what, out, list[(rank - 1) % size + 1])
  if size > 1 then
    if rank == 0 then D.send(mine, size - 1, { tag = TAG }) end
    if rank == size - 1 then same("recv " .. what, D.recv(out, 0, { tag = TAG }), list[1]) end
  end
end

--- Parts of other lengths on each rank, of a matrix.
local function try_uneven(dtype)
  local sizes, first = {}, {}
  for r = 0, size - 1 do sizes[r + 1], first[r + 1] = r, r * 3 end
  local flat = all_values(nil, dtype, first)
  local mine = flat[rank + 1]:reshape(rank, 3)
  local rows = {}
  for k = 1, size do rows[k] = flat[k]:reshape(k - 1, 3) end
  local all = ma.concatenate(rows)
  same("all_gather by sizes", D.all_gather(mine, { sizes = sizes }), all)
  local got = D.gather(mine, 0, { sizes = sizes })
  if rank == 0 then same("gather by sizes", got, all) end
  same("scatter by sizes", D.scatter(all, 0, { sizes = sizes }), mine)
  if dtype ~= "bool" then
    same("reduce_scatter by sizes", D.reduce_scatter(all, "sum", { sizes = sizes }),
      (mine * size):astype(dtype))
  end
  -- rank r gives k rows to rank k, whose elements are r
  local x = ma.full({ size * (size - 1) / 2, 2 }, 1, dtype)
  local wanted = ma.full({ rank * size, 2 }, 1, dtype)
  same("all_to_all by sizes", D.all_to_all(x, { input_split_sizes = sizes }), wanted)
end

local function try_layouts()
  local x = ma.arange(12):reshape(3, 4) * (rank + 1)
  local total = size * (size + 1) / 2
  same("a transposed array", D.all_reduce(x.T), ma.arange(12):reshape(3, 4).T * total)
  local whole = ma.zeros({ 3, 8 }, "int64")
  local columns = whole["1:3, 1:7:2"]
  D.all_reduce(x, { out = columns })
  same("a strided out", whole["1:3, 1:7:2"]:copy(), ma.arange(12):reshape(3, 4) * total)
  same("its rest", whole["1:3, 2:8:2"]:copy(), ma.zeros({ 3, 4 }, "int64"))
  local row = ma.arange(10, "float64")
  same("out over a part of x", D.all_reduce(row["1:8"], "max", { out = row["3:10"] }):copy(), ma.arange(8, "float64"))
  local y = ma.arange(4, "float64") + 1
  same("an expression that waits", D.all_reduce(y * 2 + 1), (y * 2 + 1) * size)
  same("the mean of whole numbers", D.all_reduce(ma.array { rank, 2 * rank }, "mean"),
    ma.array { 1, 2 } * ((size - 1) / 2))
  same("the derivative of a sum over ranks", (ma.grad(function(v) return (D.all_reduce(v * v) * (rank + 1)):sum() end)(
    ma.full(3, rank, "float64"))), ma.full(3, rank * size * (size + 1), "float64"))
  same("a number", D.all_reduce(rank), ma.asarray(size * (size - 1) / 2))
  same("numbers gathered", D.all_gather(ma.asarray(rank)), ma.arange(size):astype(ma.asarray(rank).dtype))
end

--- Minima and maxima keep a NaN of any rank.
local function try_nan()
  for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
    for holder = 0, size - 1 do
      local x = ma.array({ rank == holder and ma.nan or 1 - rank, 0 - rank, rank == 0 and -ma.inf or 0 }, dtype)
      same("min with NaN", D.all_reduce(x, "min"), ma.array({ ma.nan, 1 - size, -ma.inf }, dtype))
      same("max with NaN", D.all_reduce(x, "max"), ma.array({ ma.nan, 0, size == 1 and -ma.inf or 0 }, dtype))
    end
  end
end

local function try_groups()
  local halves = D.split(rank % 2, -rank)
  local members = {}
  for r = size - 1, 0, -1 do if r % 2 == rank % 2 then members[#members + 1] = r end end
  assert(halves.size == #members and halves.ranks[halves.rank + 1] == rank)
  for k, r in ipairs(members) do assert(halves.ranks[k] == r) end
  same("all_gather of a group", halves:all_gather(ma.array { rank }), ma.array(members))
  halves:barrier()
  local first = D.new_group { size - 1 }
  assert((first ~= nil) == (rank == size - 1))
  if first then same("a group of one", first:all_reduce(3), ma.asarray(3)) end
  assert(D.split(rank == 0 and 4 or nil) == nil or rank == 0)
  local open = D.barrier { group = halves, async_op = true }
  if halves.size > 1 then
    local ok, why = pcall(halves.close, halves)
    assert(not ok and why:find "1 calls of the group are not done; wait for them before it is closed", why)
  end
  open:wait()
  halves:close()
  for _ = 1, 20 do
    local again = D.split(rank % 2)
    again:barrier()
    again:close()
  end
end

local function try_works()
  local x = ma.arange(100000, "float64")
  local works = {}
  for k = 1, 5 do works[k] = D.all_reduce(x * k, { async_op = true }) end
  local other = D.sendrecv(ma.array { rank }, (rank + 1) % size, ma.zeros(1), (rank - 1) % size, { async_op = true })
  for k = 5, 1, -1 do same("work " .. k, works[k]:wait(), x * k * size) end
  same("an exchange meanwhile", other:wait(), ma.array { (rank - 1) % size })
  assert(other:is_completed() and works[1]:is_completed())
end

--- Calls that are begun together, among them messages round the ring both ways.
local function try_grouped()
  local x = ma.arange(300, "float32")
  local before, behind = ma.zeros(1), ma.zeros(1)
  local sum, least, nothing = D.grouped(function()
    local first = D.all_reduce(x)
    D.sendrecv(ma.array { rank }, (rank + 1) % size, before, (rank - 1) % size)
    D.sendrecv(ma.array { rank }, (rank - 1) % size, behind, (rank + 1) % size)
    return first, D.all_reduce(x + rank, "mean"), nil
  end)
  same("a sum among others", sum, x * size)
  same("a mean among others", least, x + (size - 1) / 2)
  assert(nothing == nil)
  same("from the rank before", before, ma.array { (rank - 1) % size })
  same("from the rank behind", behind, ma.array { (rank + 1) % size })
  local ok, why = pcall(D.grouped, function() error("by purpose", 0) end)
  assert(not ok and why == "by purpose" and D.all_reduce(1):item() == size)
end

for _, dtype in ipairs(DTYPES) do
  for _, n in ipairs(SIZES) do
    try_reductions(dtype, n)
    try_moves(dtype, n)
  end
  try_uneven(dtype)
end
try_layouts()
try_nan()
try_groups()
try_works()
try_grouped()
D.barrier()
local least = D.all_reduce(cases, "min"):item()
if rank == 0 then print(("ranks: %d, comparisons: %d"):format(size, least)) end
