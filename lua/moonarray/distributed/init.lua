--- ma.distributed: several processes that a launcher such as mpirun started together. This file has the world, its
--- groups, and what is begun and not yet done; calls.lua has the collectives, check.lua compares what ranks pass.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

local DEFAULT_TIMEOUT = 600

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  --- What the files of this module share: the group that is meant, the limit of a call, and a class of works.
  local shared = { world = nil, timeout = DEFAULT_TIMEOUT }

  -- ==== Groups ================================================================================================
  local Group, methods = {}, {}

  local function new_group(name, number, limit)
    local rank, size, ranks = core.distributed_group(name, number)
    if size > 1 and shared.backend ~= "mpi" then core.distributed_join(name, number, limit) end
    return setmetatable({ number = number, rank = rank, size = size, ranks = ranks, is_local = false }, Group)
  end

  --- The group of one GPU among several of this process.
  function shared.local_group(number)
    local rank, size, ranks = core.distributed_group("distributed.local_", number)
    return setmetatable({ number = number, rank = rank, size = size, ranks = ranks, is_local = true }, Group)
  end

  --- Whether arrays of a GPU go by NCCL; else they go through the host, which is all that one rank alone needs.
  function shared.uses_library(group) return group.is_local or group.size > 1 and shared.backend ~= "mpi" end

  --> = distributed_group | ma.distributed.init() | Ranks that call together. Its methods are the calls of
  --> \ ma.distributed.
  --> . rank: integer | the number of this process in it, from 0
  --> . size: integer | how many ranks it has
  --> . ranks: integer[] | their numbers in the world
  --> :all_reduce(x: data, op?: string, options?: table) -> array | ma.distributed.all_reduce among its ranks.
  --> distributed_group:all_reduce distributed_group:reduce distributed_group:reduce_scatter distributed_group:broadcast
  --> \ distributed_group:all_gather distributed_group:gather distributed_group:scatter distributed_group:all_to_all
  --> \ distributed_group:recv distributed_group:sendrecv distributed_group:split distributed_group:new_group:
  --> \ distributed_group:all_reduce({1, 2, 3}, "max")
  --> :reduce(x: data, dst?: integer, op?: string, options?: table) -> array? | ma.distributed.reduce among its ranks.
  --> :reduce_scatter(x: data, op?: string, options?: table) -> array | ma.distributed.reduce_scatter among its ranks.
  --> :broadcast(x: data, src?: integer, options?: table) -> array | ma.distributed.broadcast among its ranks.
  --> :all_gather(x: data, options?: table) -> array | ma.distributed.all_gather among its ranks.
  --> :gather(x: data, dst?: integer, options?: table) -> array? | ma.distributed.gather among its ranks.
  --> :scatter(x?: data, src?: integer, options?: table) -> array | ma.distributed.scatter among its ranks.
  --> :all_to_all(x: data, options?: table) -> array | ma.distributed.all_to_all among its ranks.
  --> :send(x: data, dst: integer, options?: table) | ma.distributed.send within it.
  --> :recv(out: array, src: integer, options?: table) -> array | ma.distributed.recv within it.
  --> :sendrecv(x?: data, dst?: integer, out?: array, src?: integer, options?: table) -> array? | Both at once.
  --> :barrier(options?: table) | Returns when all its ranks have called it.
  --> distributed_group:barrier distributed_group:send: distributed_group:barrier()
  -->   return tostring(distributed_group)
  --> :split(color?: integer, key?: integer, options?: table) -> distributed_group? | ma.distributed.split of its ranks.
  --> :new_group(ranks: integer[], options?: table) -> distributed_group? | A group of some of its ranks.
  --> :close(options?: table) | ma.distributed.close: the group is not needed any more.
  --> distributed_group:close: local group = distributed_group:new_group({0})
  -->   group:close()
  -->   return tostring(group)
  Group.__index = common.attributes("distributed.Group", methods, { "rank", "size", "ranks" })
  Group.__tostring = function(self) return sformat("<group of %d ranks, this one is %d>", self.size, self.rank) end
  Group.__name = "moonarray.distributed.Group"

  function shared.group(name, group)
    if group == nil and not shared.world then
      fail(name, "no world of ranks; call ma.distributed.init() first")
    end
    if group == nil then return shared.world end
    if getmetatable(group) ~= Group then
      fail(name, sformat("group is %s; wanted a group of ma.distributed.split or new_group", core.describe(group)))
    end
    if group.number < 0 then fail(name, "a group that was closed; wanted one that is open") end
    return group
  end

  function shared.limit(name, timeout)
    if timeout == nil then return shared.timeout end
    if type(timeout) ~= "number" or timeout <= 0 or timeout ~= timeout then
      fail(name, sformat("timeout is %s; wanted seconds, more than 0, or math.huge", type(timeout) == "number"
        and tostring(timeout) or core.describe(timeout)))
    end
    return timeout > 1e9 and 0 or timeout -- a system's clock need not count to more; 30 years are no limit
  end

  --- A rank of the group.
  function shared.rank(name, what, rank, group) return common.whole(name, what, rank, 0, group.size - 1) end

  --- Makes a function of the module a method of groups too: group:f(x, {...}) is f(x, {..., group = group}).
  function shared.method(name)
    local plain = ma.distributed[name]
    methods[name] = function(self, ...)
      if getmetatable(self) ~= Group then
        fail("distributed.Group." .. name, sformat("%s in place of the group; write group:%s(...)",
          core.describe(self), name))
      end
      local n, given = select("#", ...), { ... }
      local last, options = given[n], { group = self }
      if type(last) == "table" and getmetatable(last) == nil and next(last) ~= nil and type(next(last)) == "string" then
        for key, value in pairs(last) do options[key] = value end
        options.group, n = self, n - 1
      end
      given[n + 1] = options
      return plain(common.unpack("distributed.Group." .. name, given, n + 1))
    end
  end

  -- ==== Calls that are not done yet ===========================================================================
  local Work, of_work = {}, {}

  --- Waits until the call is done, and returns its result.
  function of_work:wait()
    if not self.finished then
      if self.work then core.distributed_wait(self.name, self.work) end
      self.finished, self.result = true, self.finish()
      self.work, self.finish, self.keep = false, false, false
    end
    return self.result
  end

  --- Whether the call is done, so that wait() would not wait.
  function of_work:is_completed()
    return self.finished or not self.work or core.distributed_done(self.name, self.work)
  end

  common.guard("distributed.Work", Work, of_work)
  --> = distributed_work | ma.distributed.init():barrier({async_op = true}) | A call that goes on in the background.
  --> :wait() -> any | Waits until it is done, and gives its result.
  --> distributed_work:wait: distributed_work:wait()
  --> :is_completed() -> boolean | Whether it is done.
  --> distributed_work:is_completed: distributed_work:is_completed()
  Work.__index = common.attributes("distributed.Work", of_work)
  Work.__name = "moonarray.distributed.Work"

  function shared.work(name, work, finish, keep)
    return setmetatable({
      name = name, work = work or false, finish = finish, keep = keep, finished = false, result = false }, Work)
  end

  function shared.is_work(x) return getmetatable(x) == Work end

  -- ==== The world =============================================================================================
  --- Each rank of a host takes a GPU of its own, as far as there are some.
  local function pick_device(device, local_rank)
    if device ~= nil then
      ma.device(device):use()
    elseif ma.zeros(1).device ~= "cpu" then
      ma.cuda.Device(local_rank % ma.cuda.runtime.getDeviceCount()):use()
    end
  end

  --> distributed.init: local D = ma.distributed
  -->   local world = D.init {timeout = 60}
  -->   return world, D.world == world
  def("distributed.init(; timeout?: number, device?: string, backend?: string) -> distributed_group",
    "Joins the processes that mpirun, srun or another launcher "
    .. "started together, and returns the group of all of them, which is ma.distributed.world too. In a program that "
    .. "no launcher started the world has one rank. Each rank of a host makes a GPU of its own the current device, or "
    .. "the given `device`. Arrays of GPUs move by NCCL, or with backend = \"mpi\" by MPI through the host. `timeout` "
    .. "is the number of seconds after which a call that waits for other ranks fails, 600 if not given; each call "
    .. "takes its own. Where MPI itself waits for a rank that does not come to init, the process ends after that time.",
    function(timeout, device, backend)
      local name = "distributed.init"
      if backend ~= nil and backend ~= "nccl" and backend ~= "mpi" then
        fail(name, sformat("backend is %s; wanted \"nccl\" or \"mpi\"", core.describe(backend)))
      end
      shared.timeout = shared.limit(name, timeout)
      core.distributed_open(name, shared.timeout)
      if not shared.world then
        local _, local_rank = core.distributed_world()
        pick_device(device, local_rank)
        shared.backend = backend or "nccl"
        shared.world = new_group(name, 0, shared.timeout)
      end
      rawset(ma.distributed, "world", shared.world)
      return shared.world
    end)

  --> distributed.is_initialized: local D = ma.distributed
  -->   D.init()
  -->   return D.is_initialized()
  def("distributed.is_initialized() -> boolean",
    "Whether ma.distributed.init was called, and finalize was not.", function()
    return (core.distributed_world())
  end)

  --> last distributed.finalize: ma.distributed.finalize()
  --> = It prints nothing: it ends this rank's part, and no call of ma.distributed may follow.
  def("distributed.finalize()", "Leaves the world: waits until all ranks do. Nothing of ma.distributed can be called "
    .. "after it. The end of a program does the same.", function()
      core.distributed_close("distributed.finalize")
      shared.world = nil
    end)

  --> distributed.rank distributed.size distributed.get_rank distributed.get_world_size: local D = ma.distributed
  -->   D.init()
  -->   return D.rank(), D.size()
  def("distributed.rank(group?: distributed_group) -> integer",
    "The number of this process in the world, or in a group: 0 to size - 1, as launchers "
    .. "count.", function(group) return shared.group("distributed.rank", group).rank end)
  def("distributed.size(group?: distributed_group) -> integer", "The number of ranks of the world, or of a group.",
    function(group) return shared.group("distributed.size", group).size end)
  def("distributed.get_rank(group?: distributed_group) -> integer", "torch.distributed's name of ma.distributed.rank.",
    function(group) return shared.group("distributed.get_rank", group).rank end)
  def("distributed.get_world_size(group?: distributed_group) -> integer",
    "torch.distributed's name of ma.distributed.size.",
    function(group) return shared.group("distributed.get_world_size", group).size end)
  --> distributed.local_rank distributed.local_size: local D = ma.distributed
  -->   D.init()
  -->   return D.local_rank(), D.local_size()
  def("distributed.local_rank() -> integer",
    "The number of this process among the ranks of its host, from 0.", function()
    shared.group("distributed.local_rank")
    return (select(2, core.distributed_world()))
  end)
  def("distributed.local_size() -> integer", "The number of ranks on this host.", function()
    shared.group("distributed.local_size")
    return (select(3, core.distributed_world()))
  end)

  --> distributed.library: ma.distributed.library() or "one rank, and no MPI"
  def("distributed.library() -> string?, string?",
    "The name and version of the MPI in use, and its file; nothing where one rank is alone.",
    function()
      local _, _, _, version, file = core.distributed_world()
      return version, file
    end)

  -- ==== Making groups =========================================================================================
  local COLORS = 2 ^ 31 - 1

  local function split(name, group, color, key, timeout)
    local limit = shared.limit(name, timeout)
    local number = core.distributed_split(name, group.number, color, key, limit)
    return number and new_group(name, number, limit) or nil
  end

  --> distributed.split: local D = ma.distributed
  -->   D.init()
  -->   local half = D.split(D.rank() % 2)
  -->   return half.rank, half.size
  def("distributed.split(color?: integer, key?: integer; group?: distributed_group, "
    .. "timeout?: number) -> distributed_group?", "Divides a group: ranks that pass the same `color`, a whole "
    .. "number from 0 on, become a new group, in the order of `key`, and of ranks where keys are equal. Without a "
    .. "color a rank joins none and gets nil. All ranks of the group call it.", function(color, key, group, timeout)
      local name = "distributed.split"
      group = shared.group(name, group)
      if color ~= nil then common.whole(name, "color", color, 0, COLORS) end
      if key ~= nil then common.whole(name, "key", key, -COLORS, COLORS) end
      return split(name, group, color or -1, key or 0, timeout)
    end)

  --> distributed.new_group: local D = ma.distributed
  -->   D.init()
  -->   local first = D.new_group {0}
  -->   return first.ranks[1], first:all_reduce(5):item()
  def("distributed.new_group(ranks: integer[]; group?: distributed_group, timeout?: number) -> distributed_group?",
    "A group of the given ranks of a group, the world's if none is "
    .. "given, in their order. All ranks of that group call it; those that are not among the given ones get nil.",
    function(ranks, group, timeout)
      local name = "distributed.new_group"
      group = shared.group(name, group)
      local place
      if type(ranks) ~= "table" or #ranks == 0 then
        fail(name, sformat("ranks is %s; wanted a table of ranks", type(ranks) == "table" and "empty"
          or core.describe(ranks)))
      end
      for k, rank in ipairs(ranks) do
        if shared.rank(name, "a rank", rank, group) == group.rank then
          if place then fail(name, sformat("rank %d is there twice; wanted each rank once", rank)) end
          place = k
        end
      end
      return split(name, group, place and 0 or -1, place or 0, timeout)
    end)

  --- Groups that the module made for the use of another one, by that one. They are closed with it.
  shared.inner = setmetatable({}, { __mode = "k" })

  function shared.close(name, group, limit)
    for _, inner in ipairs(shared.inner[group] or {}) do shared.close(name, inner, limit) end
    core.distributed_drop(name, group.number, limit)
    group.number = -1
  end

  --> distributed.close: local D = ma.distributed
  -->   D.init()
  -->   local half = D.split(D.rank() % 2)
  -->   half:close()
  -->   return select(2, pcall(D.barrier, {group = half})):match("moonarray.*")
  def("distributed.close(group?: distributed_group; timeout?: number)",
    "Gives up a group that is not needed any more, so that its number is "
    .. "free: at most 256 can be open at once. All its members call it, behind their other calls of the group.",
    function(group, timeout)
      local name = "distributed.close"
      if group == nil then fail(name, "no group; write group:close(), or finalize() for the world") end
      shared.close(name, shared.group(name, group), shared.limit(name, timeout))
    end)

  require "moonarray.distributed.check" (ma, core, shared)
  require "moonarray.distributed.calls" (ma, core, shared)
  require "moonarray.distributed.several" (ma, core, shared)
  require "moonarray.distributed.sharded" (ma, core, shared)
  for _, name in ipairs { "split", "new_group", "close" } do shared.method(name) end
end
