--- ma.distributed.local_: several GPUs of one process. Each has a group of its own, whose rank is the GPU's place in
--- the list; a call is made for all of them together.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local D = ma.distributed

  local Several, methods = {}, {}
  Several.__index = common.attributes("distributed.Local", methods, { "size", "devices" })
  Several.__tostring = function(self) return sformat("<%d GPUs of one process>", self.size) end
  Several.__name = "moonarray.distributed.Local"

  local function list_of(self, name, what, list)
    local n = type(list) == "table" and #list or 0
    if n ~= self.size then
      fail(name, sformat("%s is %s; wanted a table of %d arrays, one of each GPU", what, type(list) == "table"
        and sformat("a table of %d", n) or core.describe(list), self.size))
    end
    for k, x in ipairs(list) do
      if not is_array(x) or x.device ~= self.devices[k] then
        fail(name, sformat("%s[%d] is %s; wanted an array of %s", what, k, core.describe(x), self.devices[k]))
      end
    end
    return list
  end

  --- Begins the call of every GPU between NCCL's brackets; what follows the calls runs behind them.
  local function together(self, name, begin)
    local works = {}
    if shared.grouped then fail(name, "a call within distributed.grouped; the calls of several GPUs are together") end
    core.distributed_bracket(name, true)
    local ok, why = pcall(function()
      for k = 1, self.size do works[k] = begin(k, { group = self.groups[k], async_op = true }) end
    end)
    core.distributed_bracket(name, false)
    if not ok then error(why, 0) end
    local results = {}
    for k, work in ipairs(works) do results[k] = work:wait() end
    return results
  end

  --- Makes a method of a call: arrays in a table, then at most two further arguments and options.
  local function method(call)
    local name = "distributed.Local." .. call
    methods[call] = function(self, list, ...)
      if getmetatable(self) ~= Several then
        fail(name, sformat("%s in place of the object; write object:%s(...)", core.describe(self), call))
      end
      list_of(self, name, "x", list)
      local n, given, options = select("#", ...), { ... }, {}
      if type(given[n]) == "table" then options, n = given[n], n - 1 end
      local out = options.out and list_of(self, name, "out", options.out)
      return together(self, name, function(k, mine)
        for key, value in pairs(options) do mine[key] = value end
        mine.out = out and out[k]
        local arguments = { list[k] }
        for i = 1, n do arguments[i + 1] = given[i] end
        arguments[n + 2] = mine
        return D[call](common.unpack(name, arguments, n + 2))
      end)
    end
  end
  for _, call in ipairs { "all_reduce", "reduce", "reduce_scatter", "broadcast", "all_gather", "gather", "scatter",
    "all_to_all" } do method(call) end

  --- Gives up the groups of the GPUs; the object cannot be used afterwards.
  function methods:close()
    if getmetatable(self) ~= Several then
      fail("distributed.Local.close", sformat("%s in place of the object; write object:close()", core.describe(self)))
    end
    for _, group in ipairs(self.groups) do
      if group.number >= 0 then shared.close("distributed.Local.close", group, 0) end
    end
  end

  --> gpus distributed.local_: local gpus = ma.distributed.local_ {0, 1}
  -->   local a, b = ma.ones(3, {device = "cuda:0"}), ma.ones(3, {device = "cuda:1"})
  -->   return gpus:all_reduce({a, b})[1]
  --> > [2. 2. 2.]
  --> > (3,) float64, cuda:0
  def("distributed.local_(ids: integer[]) -> table",
    "Several GPUs of this process as ranks: `ids` are their numbers. The object has the "
    .. "collectives as methods, which take a table of arrays, one of each GPU, and return a table of results: "
    .. "gpus:all_reduce({a, b}). NCCL does it.", function(ids)
      local name = "distributed.local_"
      if type(ids) ~= "table" or #ids == 0 then
        fail(name, sformat("ids is %s; wanted a table of GPUs' numbers", type(ids) == "table" and "empty"
          or core.describe(ids)))
      end
      if not core.distributed_world() then core.distributed_open(name, 0) end
      local self = { size = #ids, devices = {}, groups = {} }
      for k, id in ipairs(ids) do
        self.devices[k] = "cuda:" .. common.whole(name, "an id", id, 0)
      end
      for k, number in ipairs { core.distributed_local(name, ids) } do self.groups[k] = shared.local_group(number) end
      return setmetatable(self, Several)
    end)
end
