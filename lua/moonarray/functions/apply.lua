--- Functions that apply a Lua function to parts of arrays: to vectors along an axis, along several axes in turn, to
--- elements; and memoize.
--# functions

local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local axis_of = common.axis

  -- ==== Along axes ====

  local function is_value(value)
    local kind = type(value)
    return kind == "number" or kind == "boolean" or kind == "cdata"
  end

  --- Stacks results along a new first axis; all have the shape and dtype of the first.
  local function gather(name, list, device)
    local all = true
    for k = 1, #list do all = all and is_value(list[k]) and type(list[k]) == type(list[1]) end
    if all then return core.asarray(list, { device = device }) end
    local first = core.asarray(list[1])
    for k = 1, #list do
      local result = k == 1 and first or core.asarray(list[k])
      if not ma.same_shape(result, first) then fail(name, sformat("result %d of another shape than the first; one "
        .. "shape", k)) end
      list[k] = result:to(first.device):astype(first.dtype, { copy = false })
    end
    return ma.stack(list)
  end

  --> apply_along_axis(function(v) return v:sum() end, 1, {{1, 2}, {3, 4}})
  def("apply_along_axis(func1d: function, axis: integer|integer[], arr: data, ...) -> array",
    "What func1d(vector, ...) gives for each vector of arr along an axis: the axes of a result stand in place of "
      .. "that axis; its dtype is the first result's. The function is called once a vector, from Lua.",
    function(func1d, axis, a, ...)
      local name = "apply_along_axis"
      common.callable(name, "func1d", func1d)
      a = core.asarray(a)
      axis = axis_of(name, axis, a.ndim)
      local view = a:moveaxis(axis, -1)
      local vectors, count = common.vectors(view)
      if count == 0 then fail(name, "an axis of extent 0 beside the one that the function goes along; one vector at "
        .. "least") end
      local results = {}
      for vector in vectors do
        local result = func1d(vector, ...)
        if result == nil then fail(name, "a function that returns nothing; one result") end
        results[#results + 1] = result
      end
      local joined = gather(name, results, a.device)
      local shape, order = view.shape, {}
      local final = common.joined({ unpack(shape, 1, #shape - 1) }, { unpack(joined.shape, 2) })
      if #final > 16 then fail(name, sformat("a result of %d axes; at most 16", #final)) end
      joined = joined:reshape(final)
      for d = 1, axis - 1 do order[d] = d end
      for d = #shape, #final do order[#order + 1] = d end
      for d = axis, #shape - 1 do order[#order + 1] = d end
      return #order > 1 and joined:transpose(order) or joined
    end)

  --> apply_over_axes(ma.sum, {{1, 2}, {3, 4}}, {1, 2})
  def("apply_over_axes(func: function, a: data, axes: integer|integer[]) -> array ...",
    "func(a, axis) applied along each axis in turn, to what it gave for the one before; axes that it reduces stay, "
      .. "of extent 1.",
    function(func, a, axes)
      local name = "apply_over_axes"
      common.callable(name, "func", func)
      a = core.asarray(a)
      local ndim = a.ndim
      for _, axis in ipairs(common.list(name, "axes", axes)) do
        axis = axis_of(name, axis, ndim)
        local result = core.asarray(func(a, axis))
        if result.ndim == ndim - 1 then result = result:expand_dims(axis) end
        if result.ndim ~= ndim then
          fail(name, sformat("a result of %d axes; %d, or %d", result.ndim, ndim, ndim - 1))
        end
        a = result
      end
      return a
    end)

  -- ==== Elements ====

  --> = host_function | ma.frompyfunc(math.max, 2, 1) | Called with arrays; fn runs once for each element.
  --> . name: string | its name
  --> . nin: integer | the number of inputs
  --> . nout: integer | the number of outputs
  --> . nargs: integer | both together
  --> . fn: function | the function
  --> + call(...): array
  local Elements = { __tostring = function(self) return sformat("elementwise function of %d "
    .. "arguments", self.nin) end }
  Elements.__index = Elements

  --- The elements of all arguments on the host, in C order of their broadcast shape.
  local function elements_of(name, n, ...)
    local lists, shapes = {}, {}
    for k = 1, n do
      lists[k] = core.asarray((select(k, ...)))
      shapes[k] = lists[k].shape
    end
    local device = lists[1].device
    local shape = ma.broadcast_shapes(unpack(shapes))
    for k = 1, n do
      lists[k] = lists[k]:broadcast_to(shape):ravel():totable()
      if type(lists[k]) ~= "table" then fail(name, "elements that are no table") end
    end
    return lists, shape, device
  end

  function Elements.__call(self, ...)
    local name, nin, nout = self.name, self.nin, self.nout
    if select("#", ...) ~= nin then fail(name, sformat("%d arguments; %d", select("#", ...), nin)) end
    local lists, shape, device = elements_of(name, nin, ...)
    local results, args = {}, {}
    for r = 1, nout do results[r] = {} end
    for n = 1, #lists[1] do
      for k = 1, nin do args[k] = lists[k][n] end
      local given = { self.fn(unpack(args, 1, nin)) }
      for r = 1, nout do
        if given[r] == nil then fail(name, sformat("%d results for element %d; %d", #given, n, nout)) end
        results[r][n] = given[r]
      end
    end
    for r = 1, nout do results[r] = core.asarray(results[r], { device = device }):reshape(shape) end
    return unpack(results, 1, nout)
  end

  --> frompyfunc: ma.frompyfunc(math.max, 2, 1)({1, 5}, 3)
  def("frompyfunc(func: function, nin: integer, nout: integer; name?: string) -> host_function",
    "A function of nin arrays, which broadcast, that calls func with the "
    .. "elements, as numbers of Lua, and makes arrays of its nout results. Any function of Lua will do; it runs on "
    .. "the host, once an element, so that each call waits (ma.vectorize compiles one). Results are float64, or "
    .. "bool.",
    function(func, nin, nout, name)
      common.callable("frompyfunc", "func", func)
      for what, count in pairs { nin = nin, nout = nout } do
        common.whole("frompyfunc", what, count, 1, 32)
      end
      name = name or "frompyfunc"
      return setmetatable({ fn = func, nin = nin, nout = nout, nargs = nin + nout, name = name }, Elements)
    end)

  -- ==== Memoized results ====

  local memos = setmetatable({}, { __mode = "k" })
  local NIL, NAN = {}, {}

  --- The entry for arguments in a tree of tables, made if it is missing.
  local function entry_of(tree, ...)
    for k = 1, select("#", ...) do
      local arg = select(k, ...)
      if arg == nil then arg = NIL elseif arg ~= arg then arg = NAN end
      local branch = tree[arg]
      if not branch then
        branch = {}
        tree[arg] = branch
      end
      tree = branch
    end
    return tree
  end

  --> memoize: ma.memoize(function(n) return n * 2 end)(4)
  def("memoize(fn: function, for_each_device?: boolean) -> function",
    "A function that calls fn once for each list of arguments and gives the same "
    .. "results afterwards; with for_each_device once a device too. Numbers, texts and booleans are compared by "
    .. "value, tables and arrays by identity; all of them are kept until ma.clear_memo.",
    function(fn, for_each_device)
      common.callable("memoize", "fn", fn)
      local memo = {}
      local function call(...)
        local n = select("#", ...)
        local tree = entry_of(memo, for_each_device and ma.device().name or "", n)
        local entry = entry_of(tree, ...)
        local found = rawget(entry, memo)
        if not found then
          local function pack(...) return { n = select("#", ...), ... } end
          found = pack(fn(...))
          entry_of(entry_of(memo, for_each_device and ma.device().name or "", n), ...)[memo] = found
        end
        return unpack(found, 1, found.n)
      end
      memos[call] = memo
      return call
    end)

  --> clear_memo: local calls = 0
  -->   local twice = ma.memoize(function(n)
  -->     calls = calls + 1
  -->     return n * 2
  -->   end)
  -->   twice(4)
  -->   twice(4)
  -->   ma.clear_memo()
  -->   twice(4)
  -->   return calls
  def("clear_memo()", "Forgets the results of all functions that memoize made.", function()
    for _, memo in pairs(memos) do
      for key in pairs(memo) do memo[key] = nil end
    end
  end)
end
