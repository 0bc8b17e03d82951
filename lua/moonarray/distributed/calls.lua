--- The calls of ma.distributed that move arrays between ranks. A result is a new array, or `out`; the input stays as it
--- was, unless it is `out`.

local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local function pack(...) return { n = select("#", ...), ... } end

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  -- ==== Arguments ====================================================================================================

  --- The input as an array whose elements lie in C order.
  local function input(name, x)
    if not is_array(x) then
      if x == nil or type(x) == "string" then
        fail(name, sformat("x is %s; wanted an array", core.describe(x)))
      end
      x = core.asarray(x)
    end
    return x.is_contiguous and x or x:copy()
  end

  --- Where a call puts its result, and what is to be done when the call is done. Without `out` it is a new array. If
  --- `out` is not contiguous, or overlaps the input, the call writes to an array that is copied to it.
  local function target(name, shape, dtype, device, out, from)
    if out == nil then return ma.empty(shape, { dtype = dtype, device = device }) end
    if not is_array(out) then fail(name, sformat("out is %s; wanted an array", core.describe(out))) end
    local same = out.ndim == #shape and out.dtype == dtype and out.device == device
    for d = 1, #shape do same = same and out.shape[d] == shape[d] end
    if not same then
      fail(name, sformat("out is %s on %s; wanted %s of shape (%s) on %s", core.describe(out), out.device, dtype,
        table.concat(shape, ", "), device))
    end
    if out.is_contiguous and not (from and from ~= out and ma.may_share_memory(from, out)) then return out end
    return ma.empty(shape, { dtype = dtype, device = device })
  end

  local function shape_of(a)
    local shape = {}
    for d = 1, a.ndim do shape[d] = a.shape[d] end
    return shape
  end

  --- The first extent replaced by another; a 0-d array becomes a vector.
  local function with_first(a, n)
    local shape = shape_of(a)
    shape[1] = n
    return shape
  end

  --- Elements in one step of the first axis.
  local function row_size(a)
    local n = 1
    for d = 2, a.ndim do n = n * a.shape[d] end
    return n
  end

  --- The parts of the first axis by rank, checked: their number and, if `total` is given, their sum.
  local function check_sizes(name, what, sizes, group, total)
    if type(sizes) ~= "table" or #sizes ~= group.size then
      fail(name, sformat("%s is %s; wanted the first extents of %d ranks", what, type(sizes) == "table"
        and sformat("of %d", #sizes) or core.describe(sizes), group.size))
    end
    local sum = 0
    for _, n in ipairs(sizes) do sum = sum + common.whole(name, what, n, 0) end
    if total and sum ~= total then
      fail(name, sformat("%s add up to %d; wanted the first extent, %d", what, sum, total))
    end
    return sum
  end

  local function scaled(sizes, row)
    local list = {}
    for k, n in ipairs(sizes) do list[k] = n * row end
    return list
  end

  --- The first extent of an array that is cut into equal parts.
  local function equal_part(name, a, group)
    local n = a.ndim > 0 and a.shape[1] or 0
    if a.ndim == 0 or n % group.size ~= 0 then
      fail(name, sformat("x is %s, whose first axis does not divide into %d equal parts; wanted sizes",
        core.describe(a), group.size))
    end
    return n / group.size
  end

  -- ==== One call =====================================================================================================

  --- If MPI is to move the arrays of a GPU, gives it copies in the host's memory instead.
  local function through_host(call, finish)
    local from, to = call.from, call.to
    call.from = from and from:get()
    call.to = to and (to == from and call.from or ma.empty(shape_of(to), { dtype = to.dtype, device = "cpu" }))
    return function()
      if to then to:assign(call.to) end
      return finish()
    end
  end

  --- The work of a call that is not done when the function returns.
  local function later(name, work, finish, call)
    local result = shared.work(name, work, finish, call)
    if shared.grouped then shared.grouped[#shared.grouped + 1] = result end
    return result
  end

  --- Serves one rank alone on a GPU: it gets what it gives, on the current stream, so that a graph can record it.
  local function alone(call, finish, async_op)
    local from, to = call.from, call.to
    if from and to and from ~= to then to:assign(from:reshape(to.shape)) end
    if async_op or shared.grouped then return later(call.name, nil, finish) end
    return finish()
  end

  --- `call`: name, group, kind, op, from, to, root, source, tag, from_parts, to_parts, limit. `finish` makes the result
  --- when the call is done.
  local function run(call, finish, async_op)
    local array = call.to or call.from
    local on_gpu, by_library = array and array.device ~= "cpu", shared.uses_library(call.group)
    if on_gpu and not by_library then
      if call.group.size == 1 then return alone(call, finish, async_op) end
      finish = through_host(call, finish)
    elseif on_gpu and shared.grouped and not shared.grouped.is_open then
      core.distributed_bracket(call.name, true)
      shared.grouped.is_open = true
    end
    local work = core.distributed_begin(call.name, call.group.number, call.kind, call.op, call.from, call.to,
      call.root or 0, call.source or -1, call.tag or 0, call.from_parts, call.to_parts, call.limit)
    if async_op or shared.grouped then return later(call.name, work, finish, call) end
    if work then core.distributed_wait(call.name, work) end
    return finish()
  end

  --- The result of a call that wrote to `to`.
  local function given(to, out)
    return function()
      if out and to ~= out then return out:assign(to) end
      return to
    end
  end

  --- Defines a call. `fn` is given the call, with its name, kind, group and limit, then the arguments before `group` in
  --- the signature. It puts the arrays into the call, and returns what makes the result when the call is done.
  local function define(signature, doc, fn)
    local name, kind = signature:match "^(distributed%.([%w_]+))"
    local own = select(2, signature:match("%b()"):gsub("[%w_]+%??:", "")) - 3 -- group, timeout and async_op are last
    def(signature, doc, function(...)
      local group, timeout, async_op = select(own + 1, ...)
      local function plainly(...)
        local limit = shared.limit(name, timeout)
        local call = { name = name, kind = kind, group = shared.group(name, group), limit = limit }
        return run(call, fn(call, ...), async_op)
      end
      local flow = core.is_recording() and core.flows[name]
      if flow then return flow(plainly, ...) end
      return plainly(...)
    end)
    shared.method(kind)
  end

  -- ==== Reductions ===================================================================================================

  local OPS = { sum = true, prod = true, min = true, max = true, mean = true }
  local NARROW = { float16 = true, bfloat16 = true }

  local WIDER = { int16 = "int32", uint16 = "uint32" }
  local keys

  --- NCCL lacks some dtypes, which are combined in one that holds them.
  local function library_dtype(name, op, dtype, between)
    if dtype:find "^complex" and op == "prod" then
      fail(name, sformat("prod of %s on GPUs, which NCCL lacks; wanted sum or mean, or an array of the CPU", dtype))
    end
    if NARROW[dtype] then return "float32" end
    return WIDER[between] or between
  end

  --- What the ranks combine: the array in a dtype in which they can, the operation, and how the result comes of it.
  local function operands(name, x, op, group)
    op = op == nil and "sum" or op
    if not OPS[op] then
      fail(name, sformat("op is %s; wanted \"sum\", \"prod\", \"min\", \"max\" or \"mean\"", type(op) == "string"
        and sformat("%q", op) or core.describe(op)))
    end
    local complex = x.dtype:find "^complex" ~= nil
    if complex and (op == "min" or op == "max") then
      fail(name, sformat("%s of %s, which has no order; wanted sum, prod or mean", op, x.dtype))
    end
    local dtype, between = x.dtype, x.dtype
    if op == "mean" and not complex and not x.dtype:find "float" then dtype, between = "float64", "float64" end
    if NARROW[dtype] and op ~= "min" and op ~= "max" then between = "float32" end
    local by_library = x.device ~= "cpu" and shared.uses_library(group)
    if by_library then between = library_dtype(name, op, x.dtype, between) end
    local from = between == x.dtype and x or x:astype(between)
    if not by_library or op ~= "min" and op ~= "max" or not between:find "^float" then
      return from, op == "mean" and "sum" or op, dtype
    end
    keys = keys or require "moonarray.distributed.keys" (ma, core)
    return keys.of(from, op), op, dtype, keys.back
  end

  --- Divides sums, and rounds to the dtype of the result.
  local function settle(to, op, dtype, size, out, back)
    return function()
      local result = back and back(to) or to
      if op == "mean" then result = result / size end
      if result.dtype ~= dtype then result = result:astype(dtype) end
      if out and result ~= out then return out:assign(result) end
      return result
    end
  end

  --- The array to which MPI writes the reduced elements. It is `out` if nothing is to be done afterwards.
  local function reduced(name, shape, x, from, op, dtype, out, back)
    if out ~= nil then target(name, shape, dtype, x.device, out) end          -- checks it
    if dtype == from.dtype and op ~= "mean" and not back then return target(name, shape, dtype, x.device, out, from) end
    return ma.empty(shape, { dtype = from.dtype, device = x.device })
  end

  --> distributed.all_reduce: local D = ma.distributed
  -->   D.init()
  -->   local x = ma.array({1, 2, 3}, "float32")
  -->   D.all_reduce(x, "mean", {out = x})
  -->   return x, D.all_reduce(D.rank(), "max"):item()
  define("distributed.all_reduce(x: data, op?: string; out?: array, group?: distributed_group, timeout?: number, "
    .. "async_op?: boolean) -> array|distributed_work", "Combines the arrays of all ranks, "
    .. "element by element, and gives every rank the result. `op` is \"sum\", \"prod\", \"min\", \"max\" or "
    .. "\"mean\". The result is a new array, or `out`, which may be x. Sums of float16 and bfloat16 are made in "
    .. "float32 and rounded once; the mean of whole numbers is float64; sums of bools are or, products are and.",
    function(call, x, op, out)
      local whole = input(call.name, x)
      local from, kind, dtype, back = operands(call.name, whole, op, call.group)
      call.from, call.op = from, kind
      call.to = reduced(call.name, shape_of(whole), whole, from, op, dtype, out, back)
      shared.check(call.name, call.group, whole, ", op " .. (op or "sum"), call.limit)
      return settle(call.to, op, dtype, call.group.size, out, back)
    end)

  --> distributed.reduce: local D = ma.distributed
  -->   D.init()
  -->   return D.reduce({1, 2, 3}, 0, "max")
  define("distributed.reduce(x: data, dst?: integer, op?: string; out?: array, group?: distributed_group, "
    .. "timeout?: number, async_op?: boolean) -> array|distributed_work?", "As all_reduce, but only rank `dst`, 0 if "
    .. "not given, gets the result; the others get nil.", function(call, x, dst, op, out)
      local group = call.group
      dst = shared.rank(call.name, "dst", dst or 0, group)
      local whole = input(call.name, x)
      local from, kind, dtype, back = operands(call.name, whole, op, group)
      local here = group.rank == dst
      call.from, call.op, call.root = from, kind, dst
      call.to = here and reduced(call.name, shape_of(whole), whole, from, op, dtype, out, back) or nil
      shared.check(call.name, group, whole, sformat(", op %s, dst %d", op or "sum", dst), call.limit)
      return here and settle(call.to, op, dtype, group.size, out, back) or function() end
    end)

  --> distributed.reduce_scatter: local D = ma.distributed
  -->   D.init()
  -->   return D.reduce_scatter(ma.arange(4 * D.size()))
  define("distributed.reduce_scatter(x: data, op?: string; sizes?: integer[], out?: array, group?: distributed_group, "
    .. "timeout?: number, async_op?: boolean) -> array|distributed_work", "Combines the arrays of all "
    .. "ranks and gives each rank its part along the first axis: equal parts, or `sizes`, the first extent of each "
    .. "rank's part.", function(call, x, op, sizes, out)
      local name, group = call.name, call.group
      local whole = input(name, x)
      local from, kind, dtype, back = operands(name, whole, op, group)
      if sizes then check_sizes(name, "sizes", sizes, group, whole.shape[1]) end
      local n = sizes and sizes[group.rank + 1] or equal_part(name, whole, group)
      call.from, call.op, call.from_parts = from, kind, sizes and scaled(sizes, row_size(whole))
      call.to = reduced(name, with_first(whole, n), whole, from, op, dtype, out, back)
      shared.check(name, group, whole, ", op " .. (op or "sum") .. (sizes and ", sizes " .. table.concat(sizes, " ")
        or ""), call.limit)
      return settle(call.to, op, dtype, group.size, out, back)
    end)

  -- ==== Data that moves ==============================================================================================

  --> distributed.broadcast: local D = ma.distributed
  -->   D.init()
  -->   return D.broadcast(ma.arange(3) + D.rank(), 0)
  define("distributed.broadcast(x: data, src?: integer; out?: array, group?: distributed_group, timeout?: number, "
    .. "async_op?: boolean) -> array|distributed_work", "Gives every rank the array of rank "
    .. "`src`, 0 if not given. On the other ranks x has the same shape and dtype, and its elements are not read. The "
    .. "result is a new array, or `out`, which may be x.", function(call, x, src, out)
      src = shared.rank(call.name, "src", src or 0, call.group)
      local here, from = call.group.rank == src, input(call.name, x)
      local to = target(call.name, shape_of(from), from.dtype, from.device, out, here and from or nil)
      shared.check(call.name, call.group, from, sformat(", src %d", src), call.limit)
      call.from, call.to, call.root = here and from or to, to, src
      return given(to, out)
    end)

  --- What the ranks' arrays are beside each other along the first axis: its shape and the parts. `n`: the extent here.
  local function gathered(name, x, sizes, group)
    if not sizes then return with_first(x, (x.ndim > 0 and x.shape[1] or 1) * group.size) end
    local sum = check_sizes(name, "sizes", sizes, group)
    local mine = sizes[group.rank + 1]
    if x.ndim == 0 or x.shape[1] ~= mine then
      fail(name, sformat("x is %s; wanted the first extent %d, as sizes says", core.describe(x), mine))
    end
    return with_first(x, sum), scaled(sizes, row_size(x))
  end

  --- A text for the check: the shape, without the first extent if the parts may differ in it.
  local function about(sizes, text) return (sizes and ", sizes " .. table.concat(sizes, " ") or "") .. (text or "") end

  --> distributed.all_gather: local D = ma.distributed
  -->   D.init()
  -->   return D.all_gather(ma.full({2}, D.rank()), {sizes = {2}})
  define("distributed.all_gather(x: data; sizes?: integer[], out?: array, group?: distributed_group, timeout?: number, "
    .. "async_op?: boolean) -> array|distributed_work", "The arrays of all ranks beside each "
    .. "other along the first axis, in the order of ranks, on every rank. All have one shape, or `sizes` has the first "
    .. "extent of each rank's array. Numbers and 0-d arrays become a vector.",
    function(call, x, sizes, out)
      local from = input(call.name, x)
      local shape, parts = gathered(call.name, from, sizes, call.group)
      local to = target(call.name, shape, from.dtype, from.device, out, from)
      shared.check(call.name, call.group, sizes and to or from, about(sizes), call.limit)
      call.from, call.to, call.to_parts = from, to, parts
      return given(to, out)
    end)

  --> distributed.gather: local D = ma.distributed
  -->   D.init()
  -->   return D.gather(D.rank())
  define("distributed.gather(x: data, dst?: integer; sizes?: integer[], out?: array, group?: distributed_group, "
    .. "timeout?: number, async_op?: boolean) -> array|distributed_work?", "As all_gather, but only rank `dst`, 0 "
    .. "if not given, gets the result; the others get nil.", function(call, x, dst, sizes, out)
      dst = shared.rank(call.name, "dst", dst or 0, call.group)
      local from = input(call.name, x)
      local shape, parts = gathered(call.name, from, sizes, call.group)
      local here = call.group.rank == dst
      local to = here and target(call.name, shape, from.dtype, from.device, out, from) or nil
      shared.check(call.name, call.group, not sizes and from or nil, about(sizes, sformat(", %s, dst %d", from.dtype,
        dst)), call.limit)
      call.from, call.to, call.root, call.to_parts = from, to, dst, parts
      return here and given(to, out) or function() end
    end)

  --> distributed.scatter: local D = ma.distributed
  -->   D.init()
  -->   return D.scatter(ma.arange(2 * D.size()))
  define("distributed.scatter(x?: data, src?: integer; sizes?: integer[], out?: array, group?: distributed_group, "
    .. "timeout?: number, async_op?: boolean) -> array|distributed_work", "Gives each rank its part of the "
    .. "array of rank `src`, 0 if not given, along the first axis: equal parts, or `sizes`, the first extent of each "
    .. "part. On the other ranks x has the same shape and dtype, and its elements are not read; or x is nil and `out` "
    .. "is given.",
    function(call, x, src, sizes, out)
      local name, group = call.name, call.group
      src = shared.rank(name, "src", src or 0, group)
      local here, from, to = group.rank == src, nil, out
      if here or x ~= nil then
        from = input(name, x)
        if sizes then check_sizes(name, "sizes", sizes, group, from.ndim > 0 and from.shape[1] or 0) end
        local n = sizes and sizes[group.rank + 1] or equal_part(name, from, group)
        to = target(name, with_first(from, n), from.dtype, from.device, out, from)
      elseif not is_array(out) then
        fail(name, "neither x nor out is an array; wanted one of them on ranks other than src")
      else
        to = target(name, shape_of(out), out.dtype, out.device, out)
      end
      local row = row_size(to)
      shared.check(name, group, nil, about(sizes, sformat(", %s, %d in a row, src %d", to.dtype, row, src)),
        call.limit)
      call.from, call.to, call.root, call.from_parts = here and from or nil, to, src, sizes and scaled(sizes, row)
      return given(to, out)
    end)

  --- How many rows come from each rank, in calls where only the sender knows how many it sends.
  local function ask_sizes(name, group, sizes, timeout)
    local text = {}
    for k, n in ipairs(sizes) do text[k] = sformat("%16.0f", n) end
    local come = {}
    for k, theirs in ipairs(core.distributed_share(name, group.number, table.concat(text), timeout)) do
      come[k] = tonumber(theirs:sub(16 * group.rank + 1, 16 * group.rank + 16))
    end
    return come
  end

  --> distributed.all_to_all: local D = ma.distributed
  -->   D.init()
  -->   return D.all_to_all({1, 2, 3}, {input_split_sizes = {3}})
  define("distributed.all_to_all(x: data; input_split_sizes?: integer[], output_split_sizes?: integer[], out?: array, "
    .. "group?: distributed_group, timeout?: number, async_op?: boolean) -> array|distributed_work",
    "Every rank cuts x along the first axis and gives part k to rank k - 1; the result is what all ranks gave to this "
    .. "one, in the order of ranks. The parts are equal, or input_split_sizes has their first extents; then "
    .. "output_split_sizes has those of the parts that come, or the ranks ask each other for them.",
    function(call, x, input_split_sizes, output_split_sizes, out)
      local name, group, timeout = call.name, call.group, call.limit
      local from = input(name, x)
      local row, shape, gives, gets = row_size(from), nil, input_split_sizes, output_split_sizes
      shared.check(name, group, nil, sformat(" of %s, %d in a row, %s parts", from.dtype, row, gives and "uneven"
        or "equal"), timeout)
      if gives then
        check_sizes(name, "input_split_sizes", gives, group, from.ndim > 0 and from.shape[1] or 0)
        gets = gets or ask_sizes(name, group, gives, timeout)
        shape = with_first(from, check_sizes(name, "output_split_sizes", gets, group))
      elseif gets then
        fail(name, "output_split_sizes without input_split_sizes; wanted both, or the second alone")
      else
        equal_part(name, from, group)
        shape = shape_of(from)
      end
      local to = target(name, shape, from.dtype, from.device, out, from)
      if to == from then to = ma.empty(shape, { dtype = from.dtype, device = from.device }) end
      call.from, call.to, call.from_parts = from, to, gives and scaled(gives, row)
      call.to_parts = gives and scaled(gets, row)
      return given(to, out)
    end)

  -- ==== Between two ranks ============================================================================================

  local MOST_TAG = 16383          -- MPI promises 32767, and the check takes half of them

  --- A rank, or nobody.
  local function other(name, what, rank, group)
    if rank == nil or rank == -1 then return -1 end
    return shared.rank(name, what, rank, group)
  end

  --- An array that a call writes to: itself, or a copy where it is not contiguous.
  local function receiver(name, out)
    if not is_array(out) then fail(name, sformat("out is %s; wanted an array", core.describe(out))) end
    return out.is_contiguous and out or ma.empty(shape_of(out), { dtype = out.dtype, device = out.device })
  end

  local function pair(call, from, dst, out, src, tag)
    local name, group = call.name, call.group
    tag = common.whole(name, "tag", tag or 0, 0, MOST_TAG)
    if tag > 0 and (from or out).device ~= "cpu" and shared.uses_library(group) then
      fail(name, sformat("tag is %d for an array of a GPU; NCCL has no tags, and messages arrive in order", tag))
    end
    local to = out and src >= 0 and receiver(name, out) or nil
    local source = from and input(name, from) or nil
    if to and source and ma.may_share_memory(source, to) then
      source = source:copy()
    end
    shared.check_pair(name, group, source, dst, to, src, tag, call.limit)
    call.from, call.to, call.root, call.source, call.tag = dst >= 0 and source or nil, to, dst, src, tag
    return out and (to and given(to, out) or function() return out end) or function() end
  end

  --> distributed.send distributed.recv: local D = ma.distributed
  -->   D.init()
  -->   local x = ma.full({3}, D.rank())
  -->   if D.rank() == 0 and D.size() > 1 then D.send(x, 1, {tag = 7}) end
  -->   if D.rank() == 1 then D.recv(x, 0, {tag = 7}) end
  -->   return x
  define("distributed.send(x: data, dst: integer; tag?: integer, group?: distributed_group, timeout?: number, "
    .. "async_op?: boolean) -> distributed_work?", "Sends an array to rank `dst`, which calls recv. "
    .. "`tag`, a whole number from 0 on, tells several messages apart.",
    function(call, x, dst, tag)
      dst = shared.rank(call.name, "dst", dst, call.group)
      if x == nil then input(call.name, x) end
      return pair(call, x, dst, nil, -1, tag)
    end)

  define("distributed.recv(out: array, src: integer; tag?: integer, group?: distributed_group, timeout?: number, "
    .. "async_op?: boolean) -> array|distributed_work", "Receives an array from rank `src` into `out`, "
    .. "which has the dtype and number of elements that were sent, and returns it.",
    function(call, out, src, tag)
      src = shared.rank(call.name, "src", src, call.group)
      receiver(call.name, out)
      return pair(call, nil, -1, out, src, tag)
    end)

  --> distributed.sendrecv: local D = ma.distributed
  -->   D.init()
  -->   local left, right = (D.rank() - 1) % D.size(), (D.rank() + 1) % D.size()
  -->   return D.sendrecv(ma.arange(3), right, ma.empty(3, "int64"), left)
  define("distributed.sendrecv(x?: data, dst?: integer, out?: array, src?: integer; tag?: integer, "
    .. "group?: distributed_group, timeout?: number, async_op?: boolean) -> array|distributed_work?",
    "Sends x to rank `dst` and "
    .. "receives from rank `src` into `out` at the same time, so that ranks can exchange in a ring. A rank of nil or "
    .. "-1 is nobody: then nothing is sent, or `out` stays as it was. Returns `out`.",
    function(call, x, dst, out, src, tag)
      local name, group = call.name, call.group
      dst, src = other(name, "dst", dst, group), other(name, "src", src, group)
      if dst >= 0 and x == nil then input(name, x) end
      if src >= 0 then receiver(name, out) end
      return pair(call, dst >= 0 and x or nil, dst, out, src, tag)
    end)

  --- Waits for the calls of a list, and puts results in the place of works.
  local function settled(list, results)
    for _, work in ipairs(list) do work:wait() end
    for k = 1, results.n do
      if shared.is_work(results[k]) then results[k] = results[k]:wait() end
    end
    return results
  end

  --> distributed.grouped: local D = ma.distributed
  -->   D.init()
  -->   return D.grouped(function() return D.all_reduce(ma.ones(3)), D.all_reduce(2, "max") end)
  def("distributed.grouped(fn: function) -> any ...",
    "Begins the calls that `fn` makes together, as one: on GPUs they are one launch of "
    .. "NCCL, and messages to and from several ranks cannot wait for each other. In fn no call has a result yet; what "
    .. "fn returns of calls are their results, when all are done.", function(fn)
      local name = "distributed.grouped"
      if type(fn) ~= "function" then fail(name, sformat("fn is %s; wanted a function", core.describe(fn))) end
      if shared.grouped then fail(name, "grouped within grouped; wanted one around all calls") end
      local list = {}
      shared.grouped = list
      local results = pack(pcall(fn))
      shared.grouped = nil
      if list.is_open then core.distributed_bracket(name, false) end
      if not results[1] then error(results[2], 0) end
      return unpack(settled(list, results), 2, results.n)
    end)

  --> distributed.barrier: local D = ma.distributed
  -->   D.init()
  -->   print("rank " .. D.rank() .. " has written its part")
  -->   D.barrier {timeout = 60}
  -->   print("every rank has written its part")
  define("distributed.barrier(; group?: distributed_group, timeout?: number, async_op?: boolean) -> distributed_work?",
    "Returns when all ranks of the group have called it.", function(call)
      shared.check(call.name, call.group, nil, nil, call.limit)
      return function() end
    end)
end
