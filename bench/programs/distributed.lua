-- What calls of ma.distributed take between the ranks of a launcher: the latency of a message, the bandwidth, the time
-- of each collective by size, and keys with a goal: sharded heat beside one rank alone, and on GPUs all_reduce beside
-- NCCL's own function.
-- usage: mpirun -np 2 luajit bench/programs/distributed.lua [keys]
--        sh scripts/gpus 2 bench/programs/distributed.lua [keys]
-- keys: these alone

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local D = ma.distributed
D.init()
local rank, size = D.rank(), D.size()
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local SIZES = { 8, 1024, 65536, 2 ^ 20, 2 ^ 24 }

--- The least seconds of a call on all ranks, of at least `tries` and 0.3 s.
local function least(fn)
  local best, begun, tries = math.huge, ma.time(), 0
  repeat
    D.barrier()
    local start = ma.time()
    fn()
    ma.synchronize()
    best = math.min(best, ma.time() - start)
    tries = tries + 1
    local go = tries < 20 or tries < 2000 and ma.time() - begun < 0.3
  until D.all_reduce(go and 1 or 0, "max"):item() == 0
  return D.all_reduce(best, "max"):item()
end

local function bytes(n) return ma.zeros(n / 8, "float64") end

local function exchange(n)
  local x, out = bytes(n), bytes(n)
  return least(function()
    if rank == 0 then D.send(x, 1) D.recv(out, 1)
    elseif rank == 1 then D.recv(out, 0) D.send(x, 0) end
  end) / 2
end

local calls = {
  { "all_reduce", function(x, out) return function() D.all_reduce(x, "sum", { out = out }) end end },
  { "broadcast", function(x) return function() D.broadcast(x, 0, { out = x }) end end },
  { "reduce", function(x, out) return function() D.reduce(x, 0, "sum", { out = rank == 0 and out or nil }) end end },
  { "all_gather", function(x, out)
    local part = x[{ { 1, x.size / size } }]
    return function() D.all_gather(part, { out = out[{ { 1, part.size * size } }] }) end
  end },
  { "reduce_scatter", function(x, out)
    local n = math.floor(x.size / size)
    return function() D.reduce_scatter(x[{ { 1, n * size } }], "sum", { out = out[{ { 1, n } }] }) end
  end },
  { "all_to_all", function(x, out)
    local n = math.floor(x.size / size) * size
    return function() D.all_to_all(x[{ { 1, n } }], { out = out[{ { 1, n } }] }) end
  end },
}

local function print_row(...)
  if rank == 0 then print(("%-15s" .. ("%12s"):rep(select("#", ...) - 1)):format(...)) end
end

local function show_times()
  if size > 1 then
    local latency, large = exchange(8), 2 ^ 24
    local bandwidth = large / (exchange(large) - latency)
    if rank == 0 then
      print(("%s, %d ranks: latency %.2f us, bandwidth %.2f GB/s"):format(D.library() or "no MPI", size, latency * 1e6,
        bandwidth / 1e9))
    end
  end
  local head = {}
  for k, n in ipairs(SIZES) do
    head[k] = n < 1024 and n .. " B" or n < 2 ^ 20 and n / 1024 .. " KB" or n / 2 ^ 20 .. " MB"
  end
  print_row("us", unpack(head))
  for _, call in ipairs(calls) do
    local row = {}
    for k, n in ipairs(SIZES) do
      local m = math.max(n, 8 * size)
      row[k] = ("%.1f"):format(least(call[2](bytes(m), bytes(m))) * 1e6)
    end
    print_row(call[1], unpack(row))
  end
  print_row("barrier", ("%.1f"):format(least(function() D.barrier() end) * 1e6))
end

-- ==== Keys ====

--- `wanted`: the goal for the ratio; at least, or at most if `most`.
local function key(name, unit, ours, other, ratio, wanted, most)
  if rank ~= 0 then return end
  local met = most and ratio <= wanted or not most and ratio >= wanted
  print(("%-18s %10.2f %-8s %10.2f %6.2f %s %.2f %s"):format(name, ours, unit, other, ratio, most and "<=" or ">=",
    wanted, met and "" or "MISSED"))
end

--- The least seconds of a call, of several rounds of `repeats`.
local function each(repeats, fn)
  local best = math.huge
  for _ = 1, 7 do
    ma.synchronize()
    D.barrier()
    local begun = ma.time()
    for _ = 1, repeats do fn() end
    ma.synchronize()
    best = math.min(best, (ma.time() - begun) / repeats)
  end
  return D.all_reduce(best, "max"):item()
end

--- ncclAllReduce itself, in place on the null stream, by a communicator of its own.
local function bare_all_reduce()
  local ffi = require "ffi"
  ffi.cdef [[
    typedef struct { char bytes[128]; } bench_nccl_id;
    int ncclGetUniqueId(bench_nccl_id *id);
    int ncclCommInitRank(void **comm, int size, bench_nccl_id id, int rank);
    int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream);
  ]]
  local nccl = ffi.load(ma.show_config(true):match "\n  NCCL +[%d.]+: (%S+)")
  local id, comm = ffi.new "bench_nccl_id", ffi.new "void *[1]"
  if rank == 0 then assert(nccl.ncclGetUniqueId(id) == 0) end
  local given = ma.array(ma.frombuffer(ffi.string(id, 128), "uint8", { device = "cpu" }):totable(), "uint8")
  local text = D.broadcast(given, 0):tobytes()
  ffi.copy(id, text, 128)
  assert(nccl.ncclCommInitRank(comm, size, id, rank) == 0)
  return function(x)
    -- of a DLManagedTensorVersioned: version, context, deleter, flags, and the tensor, whose address comes first
    local address = ffi.cast("void **", ffi.cast("uintptr_t", x:to_dlpack():ptr()))[4]
    return function() assert(nccl.ncclAllReduce(address, address, x.size, 7, 0, comm[0], nil) == 0) end
  end
end

local function heat_keys(n, steps, wanted)
  local function rule(u) return u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)) end
  local options, run = { boundary = "nearest" }, { steps = steps }
  local alone, together = ma.stencil(rule, options), D.stencil(rule, options)
  local all, one = D.ones({ n, n }, { dtype = "float32" }), rank == 0 and ma.ones({ n, n }, "float32")
  local first = each(1, function() if rank == 0 then alone:run(one, run) end end)
  local many = each(1, function() together:run(all, run) end)
  key("heat." .. n, "steps/s", steps / many, steps / first, first / many, wanted)
end

local function show_keys()
  if rank == 0 then print "key                      ours               other  ratio  goal" end
  if ma.zeros(1).device == "cpu" then
    heat_keys(512, 4000, 0.9 * size)
    heat_keys(2048, 200, 0.9 * size)
    return
  end
  local bare, small, large = bare_all_reduce(), ma.zeros(2, "float32"), ma.zeros(2 ^ 28, "float32")
  local function measure(name, x, repeats, unit, scale, ...)
    local ours = each(repeats, function() D.all_reduce(x, "sum", { out = x }) end)
    local other = each(repeats, bare(x))
    key(name, unit, scale(ours), scale(other), scale(ours) / scale(other), ...)
  end
  measure("all_reduce.8b", small, 200, "us", function(t) return t * 1e6 end, 1.1, true)
  measure("all_reduce.1gb", large, 5, "GB/s", function(t) return large.nbytes / t / 1e9 end, 0.95)
  heat_keys(16384, 200, 0.95 * size)
end

if arg[1] ~= "keys" then show_times() end
if size > 1 then show_keys() end
