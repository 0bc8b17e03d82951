-- What calls of ma.distributed take between the ranks of a launcher: the latency of a message, the bandwidth, and the
-- time of each collective by size beside that of the model in docs/distributed-costs.md.
-- usage: mpirun -np 2 luajit bench/distributed.lua

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
