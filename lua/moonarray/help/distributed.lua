--- Examples of moonarray.distributed, for ma.help and the reference (help/arrays.lua says how they are written).
return [[
distributed.init: local D = ma.distributed
  local world = D.init {timeout = 60}
  return world, D.world == world
distributed.is_initialized: local D = ma.distributed
  D.init()
  return D.is_initialized()
last distributed.finalize: ma.distributed.finalize()
= It prints nothing: it ends this rank's part, and no call of ma.distributed may follow.
distributed.rank distributed.size distributed.get_rank distributed.get_world_size: local D = ma.distributed
  D.init()
  return D.rank(), D.size()
distributed.local_rank distributed.local_size: local D = ma.distributed
  D.init()
  return D.local_rank(), D.local_size()
distributed.library: ma.distributed.library() or "one rank, and no MPI"
distributed.split: local D = ma.distributed
  D.init()
  local half = D.split(D.rank() % 2)
  return half.rank, half.size
distributed.new_group: local D = ma.distributed
  D.init()
  local first = D.new_group {0}
  return first.ranks[1], first:all_reduce(5):item()
distributed.close: local D = ma.distributed
  D.init()
  local half = D.split(D.rank() % 2)
  half:close()
  return select(2, pcall(D.barrier, {group = half})):match("moonarray.*")
gpus distributed.local_: local gpus = ma.distributed.local_ {0, 1}
  local a, b = ma.ones(3, {device = "cuda:0"}), ma.ones(3, {device = "cuda:1"})
  return gpus:all_reduce({a, b})[1]
> [2. 2. 2.]
> (3,) float64, cuda:0
distributed.all_reduce: local D = ma.distributed
  D.init()
  local x = ma.array({1, 2, 3}, "float32")
  D.all_reduce(x, "mean", {out = x})
  return x, D.all_reduce(D.rank(), "max"):item()
distributed.reduce: local D = ma.distributed
  D.init()
  return D.reduce({1, 2, 3}, 0, "max")
distributed.reduce_scatter: local D = ma.distributed
  D.init()
  return D.reduce_scatter(ma.arange(4 * D.size()))
distributed.broadcast: local D = ma.distributed
  D.init()
  return D.broadcast(ma.arange(3) + D.rank(), 0)
distributed.all_gather: local D = ma.distributed
  D.init()
  return D.all_gather(ma.full({2}, D.rank()), {sizes = {2}})
distributed.gather: local D = ma.distributed
  D.init()
  return D.gather(D.rank())
distributed.scatter: local D = ma.distributed
  D.init()
  return D.scatter(ma.arange(2 * D.size()))
distributed.all_to_all: local D = ma.distributed
  D.init()
  return D.all_to_all({1, 2, 3}, {input_split_sizes = {3}})
distributed.send distributed.recv: local D = ma.distributed
  D.init()
  local x = ma.full({3}, D.rank())
  if D.rank() == 0 and D.size() > 1 then D.send(x, 1, {tag = 7}) end
  if D.rank() == 1 then D.recv(x, 0, {tag = 7}) end
  return x
distributed.sendrecv: local D = ma.distributed
  D.init()
  local left, right = (D.rank() - 1) % D.size(), (D.rank() + 1) % D.size()
  return D.sendrecv(ma.arange(3), right, ma.empty(3, "int64"), left)
distributed.grouped: local D = ma.distributed
  D.init()
  return D.grouped(function() return D.all_reduce(ma.ones(3)), D.all_reduce(2, "max") end)
distributed.barrier: local D = ma.distributed
  D.init()
  print("rank " .. D.rank() .. " has written its part")
  D.barrier {timeout = 60}
  print("every rank has written its part")
distributed.array: local D = ma.distributed
  D.init()
  local x = D.array(ma.arange(6):reshape(2, 3))
  return x, x.part, x.first, x.last
distributed.zeros: local D = ma.distributed
  D.init()
  return D.zeros({2, 3}, {axis = 2}):all_gather()
distributed.ones: local D = ma.distributed
  D.init()
  return D.ones({2, 3}, {axis = 2}):all_gather()
distributed.empty: local D = ma.distributed
  D.init()
  return D.empty {2, 3}
distributed.distribute: local D = ma.distributed
  D.init()
  local x = D.distribute(ma.arange(6):reshape(2, 3), 0, {axis = 2})
  return x, x:sum(1):all_gather()
distributed.map: local D = ma.distributed
  D.init()
  local x = D.distribute(ma.linspace(-1, 1, 5))
  return D.map(ma.where, x:lt(0), 0, x):all_gather()
distributed.stencil: local D = ma.distributed
  D.init()
  local smooth = D.stencil(function(u) return (u(-1) + u(0) + u(1)) / 3 end, {boundary = "nearest"})
  local u = D.distribute(ma.array {0, 0, 9, 0, 0})
  return smooth(u):all_gather(), smooth:run(u, {steps = 2}):all_gather()
distributed.matmul: local D = ma.distributed
  D.init()
  local a, b = ma.array {{1, 2}, {3, 4}}, ma.array {{0, 1}, {1, 0}}
  return D.matmul(D.distribute(a), D.distribute(b)):all_gather()
distributed.fftn distributed.ifftn: local D = ma.distributed
  D.init()
  local x = D.distribute(ma.array {{1, 2}, {3, 4}})
  local y = D.fftn(x)
  return y:all_gather(), D.ifftn(y):all_gather().real
distributed.rfftn distributed.irfftn: local D = ma.distributed
  D.init()
  local x = D.distribute(ma.array {{1, 2}, {3, 4}})
  local y = D.rfftn(x)
  return y:all_gather(), D.irfftn(y):all_gather()
distributed.save distributed.load: local D = ma.distributed
  D.init()
  local name = os.tmpname() .. ".npy"
  D.save(name, D.distribute(ma.arange(6):reshape(2, 3)))
  local x = D.load(name, {axis = 2})
  os.remove(name)
  return x, x:all_gather()
distributed.Array.gather distributed.Array.all_gather: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3}):gather()
distributed.Array.copy: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3}):copy():all_gather()
distributed.Array.to: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3}):to("cpu").device
distributed.Array.reshard: local D = ma.distributed
  D.init()
  local x = D.distribute(ma.arange(6):reshape(2, 3))
  return x:reshard(2), x:reshard(1, {sizes = {2}}):all_gather()
distributed.Array.padded: local D = ma.distributed
  D.init()
  local x = D.array(ma.arange(4), {halo = 1})
  return x:padded(), x:padded {wrap = true}
distributed.Array.astype: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1.5, 2.5}):astype("int32"):all_gather()
distributed.Array.clip: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 5, 9}):clip(2, 6):all_gather()
distributed.Array.assign: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3}):assign({4, 5, 6}):all_gather()
distributed.Array.sqrt distributed.Array.cbrt distributed.Array.square distributed.Array.reciprocal \
  distributed.Array.log distributed.Array.log2 distributed.Array.log10 distributed.Array.log1p \
  distributed.Array.exp distributed.Array.exp2 distributed.Array.expm1: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 4, 9}):sqrt():all_gather()
distributed.Array.sin distributed.Array.cos distributed.Array.tan distributed.Array.arcsin \
  distributed.Array.arccos distributed.Array.arctan distributed.Array.sinh distributed.Array.cosh \
  distributed.Array.tanh distributed.Array.arcsinh distributed.Array.arctanh distributed.Array.deg2rad \
  distributed.Array.rad2deg: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {-0.5, 0, 0.5}):sin():all_gather()
distributed.Array.arccosh: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2}):arccosh():all_gather()
distributed.Array.floor distributed.Array.ceil distributed.Array.rint distributed.Array.trunc \
  distributed.Array.sign distributed.Array.abs distributed.Array.absolute distributed.Array.negative \
  distributed.Array.conj: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {-1.5, 0.5, 2.5}):floor():all_gather()
distributed.Array.isnan distributed.Array.isfinite distributed.Array.isinf: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, ma.nan, ma.inf}):isnan():all_gather()
distributed.Array.logical_not: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {0, 1, 2}):logical_not():all_gather()
distributed.Array.logical_and distributed.Array.logical_or distributed.Array.logical_xor: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {0, 1, 2}):logical_and(ma.array {1, 0, 1}):all_gather()
distributed.Array.eq distributed.Array.ne distributed.Array.lt distributed.Array.gt distributed.Array.le \
  distributed.Array.ge: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3}):lt(ma.array {1, 3, 3}):all_gather(), D.ones(2):eq(1):all()
distributed.Array.maximum distributed.Array.minimum distributed.Array.fmax distributed.Array.fmin: \
  local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 5, 3}):maximum(2):all_gather()
distributed.Array.hypot distributed.Array.arctan2: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {3, 5}):hypot(ma.array {4, 12}):all_gather()
distributed.Array.sum distributed.Array.prod distributed.Array.mean: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {{1, 2}, {3, 4}}):sum(1)
distributed.Array.cumsum distributed.Array.cumprod: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3, 4}):cumsum():all_gather()
distributed.Array.max distributed.Array.min: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {{1, 2}, {3, 4}}):max(1, true)
distributed.Array.var distributed.Array.std: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 2, 3, 4}):var({ddof = 1}):item()
distributed.Array.nanmean distributed.Array.nanvar distributed.Array.nanstd distributed.Array.nanmin \
  distributed.Array.nanmax: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, ma.nan, 3}):nanmean():item()
distributed.Array.logsumexp: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {0, 0}):logsumexp():item()
distributed.Array.count_nonzero: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {1, 0, 3}):count_nonzero():item()
distributed.Array.any distributed.Array.all: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {0, 1, 0}):any()
distributed.Array.argmax distributed.Array.argmin: local D = ma.distributed
  D.init()
  return D.distribute(ma.array {3, 9, 1}):argmax():item()
distributed_group:all_reduce distributed_group:reduce distributed_group:reduce_scatter \
  distributed_group:broadcast distributed_group:all_gather distributed_group:gather \
  distributed_group:scatter distributed_group:all_to_all distributed_group:recv \
  distributed_group:sendrecv distributed_group:split distributed_group:new_group: \
  distributed_group:all_reduce({1, 2, 3}, "max")
distributed_group:close: local group = distributed_group:new_group({0})
  group:close()
  return tostring(group)
distributed_group:barrier distributed_group:send: distributed_group:barrier()
  return tostring(distributed_group)
distributed_work:is_completed: distributed_work:is_completed()
distributed_work:wait: distributed_work:wait()
sharded_stencil:run: ma.distributed.init()
  local u = ma.distributed.distribute(ma.array {1, 2, 4, 8})
  return sharded_stencil:run(u, {steps = 2}):all_gather()
]]
