--- ma.list: lists whose items kernels append and whose count stays on the device. translate.lua makes the text of
--- kernels for them.
---
--- An ordered list takes two passes. The kernel claims places by an atomic and stages the items there, each with the
--- number of its element, and counts them for each element. A scan of the counts then says where the items of an
--- element begin, and a second kernel moves them there. So the kernel itself runs once, whatever it does besides.

local kernel_types = require "moonarray.jit.types"
local translate = require "moonarray.lists.translate"
local sformat = require("moonarray.text").format
local class, words = translate.class, translate.words

local MOST = 2 ^ 31 - 1
local BLOCK, BLOCKS = 256, 1024        -- of the second pass on a GPU
local ITEMS = 4096                     -- a thread on the CPU

local text = [=[
extern "C" __global__ void list_arrange(void *values, const int64_t *count, int64_t most, const int64_t *work,
                                        const int64_t *ends, int64_t n) {
  i8 end = *count, base = end - ends[n - 1];
  const i4 *counts = (const i4 *)(work + %d * most);
  if (end > most) end = most;
  for (i8 k = base + i8(blockIdx.x) * blockDim.x + threadIdx.x; k < end; k += i8(gridDim.x) * blockDim.x) {
    const i8 *at = (const i8 *)work + %d * k;
    i8 to = base + ends[at[0]] - counts[at[0]] + at[1];
    if (to < most) ((%s *)values)[to] = *(const %s *)(at + 2);
  }
}
]=]
local types = { "uint8_t", "uint16_t", [4] = "uint32_t", [8] = "uint64_t", [16] = "ma_c128" }

return function(ma, core)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local methods, lists = {}, {}
  core.lists = lists

  local function new(values, tally, ordered)
    return setmetatable({ capacity = values.size, dtype = values.dtype, device = values.device, ordered = ordered,
      values = values, tally = tally }, class)
  end

  --> list: local found = ma.list(10, "int64")
  -->   local pick = ma.jit.elementwisekernel(function(x, found)
  -->     if x > 1 then ma.jit.append(found, ma.jit.grid(1)) end
  -->   end)
  -->   pick(ma.array {3, 0, 2}, found)
  -->   return found:array()
  core.def("list(capacity: integer, dtype?: dtype; ordered?: boolean, device?: string) -> list",
    "A list of at most `capacity` items, to which kernels in Lua append (jit.append). Its count stays on the device. "
      .. "The items come in the order of elements; with {ordered = false} in any order, and faster.",
    function(capacity, dtype, ordered, device)
      if ordered ~= nil then common.type("list", "ordered", ordered, "boolean") end
      local values = ma.zeros(common.whole("list", "capacity", capacity, 1, MOST), { dtype = dtype, device = device })
      if not kernel_types.suffix[values.dtype] then
        fail("list", sformat("the dtype is %s; wanted that of a number, and a list for each field",
          tostring(values.dtype)))
      end
      return new(values, ma.zeros(1, { dtype = "int64", device = values.device }), ordered ~= false)
    end)

  -- ==== Launches ===================================================================================================

  local function product_of(extents)
    if type(extents) == "number" then return extents end
    local product = 1
    for k = 1, type(extents) == "table" and 3 or 0 do
      local extent = rawget(extents, k)
      product = product * (type(extent) == "number" and extent or 1)
    end
    return product
  end

  --- The number of threads of a launch, or 1 where the launch will refuse its arguments.
  function lists.threads(grid, block)
    local n = product_of(grid) * product_of(block)
    return n >= 1 and n == math.floor(n) and n < 2 ^ 53 and n or 1
  end

  --- What a launch of n elements over lists passes for each list of `arrays`: a table of its parts (translate.lua).
  function lists.stage(name, arrays, args, n)
    local staged, seen = {}, {}
    n = math.max(n, 1)                   -- the second pass reads the last count
    for k, array in pairs(arrays) do
      local list = args[k]
      if seen[list] and (seen[list].appended or array.appended) then
        fail(name, "one list twice among the arguments, and the kernel appends to it; wanted two lists")
      end
      seen[list] = array
      staged[k] = { list = list, values = list.values, count = list.tally, most = list.capacity }
    end
    for k, array in pairs(arrays) do
      local list = args[k]
      if array.appended and list.ordered then
        local before = words(list.dtype) * list.capacity
        local work = ma.empty(before + math.ceil(n / 2), { dtype = "int64", device = list.device })
        local counts = work[{ { before + 1, work.size } }]:view("int32")
        counts:fill(0)
        staged[k].work, staged[k].counts = work, counts
      end
    end
    return staged
  end

  local kernels = {}

  local function arrange(staged, stream)
    local list, itemsize = staged.list, staged.values.itemsize
    local kernel = kernels[itemsize]
    if not kernel then
      local w = words(list.dtype)
      kernel = core.printed_kernel(text:format(w, w, types[itemsize], types[itemsize]), "list_arrange")
      kernels[itemsize] = kernel
    end
    local ends = ma.cumsum(staged.counts)
    local host, threads = list.device == "cpu", BLOCK
    local blocks = math.min(math.ceil(list.capacity / (host and ITEMS or BLOCK)), host and 64 or BLOCKS)
    if host then threads = 1 end
    kernel(blocks, threads, { staged.values, staged.count, staged.most, staged.work, ends, ends.size },
      stream and { stream = stream } or nil)
    ends:free()
  end

  --- The second pass of each ordered list, also if the kernel found a fault.
  local function finish(staged, stream, ok, ...)
    for _, of in pairs(staged) do
      if of.work then
        ma.device(of.list.device):with(arrange, of, stream)
        of.counts:free()
        of.work:free()
      end
    end
    if not ok then error((...), 0) end
    return ...
  end

  --- Calls the kernel with arguments, the last of which may be options with a stream, and brings the items in order.
  function lists.launch(staged, kernel, ...)
    local options = select(select("#", ...), ...)
    local stream = type(options) == "table" and options.stream or nil
    return finish(staged, stream, pcall(kernel, ...))
  end

  -- ==== Kernels over elements ======================================================================================

  --- How many elements a call runs over: as many as its size says, or the arrays that are broadcast.
  local function elements_of(kernel, args, held, outputs, options)
    local shapes, texts = {}, {}
    local function add(array)
      if not core.is_array(array) then return end
      shapes[#shapes + 1], texts[#texts + 1] = array.shape, common.shape_text(array)
    end
    for k = 1, #kernel.params do
      local raw = kernel.inputs and kernel.inputs[k].raw or held[k] and held[k].whole
      local structs = type(args[k]) == "userdata" and core.held(args[k])
      if structs and structs.bytes then
        local shape = { unpack(structs.bytes.shape, 1, structs.bytes.ndim - 1) }
        shapes[#shapes + 1], texts[#texts + 1] = shape, "(" .. table.concat(shape, ", ") .. ")"
      elseif not raw then
        add(args[k])
      end
    end
    for _, array in pairs(outputs) do add(array) end
    local fine, shape = pcall(ma.broadcast_shapes, unpack(shapes))
    if not fine then fail(kernel.shown, "the shapes " .. table.concat(texts, " and ") .. " do not broadcast") end
    return math.max(common.product(shape), options and options.size and lists.threads(options.size, 1) or 1)
  end

  --- As stage, for a kernel over elements. `held`: the lists among its arguments (translate.lua).
  --- `shape`: of the elements, if it is known.
  function lists.stage_elements(kernel, arrays, args, held, outputs, options, shape)
    local given, n = {}, shape and common.product(shape) or elements_of(kernel, args, held, outputs, options)
    for k, item in pairs(held) do
      local list = item.list
      given[k] = list
      if not item.whole and (kernel.groups or kernel.out_groups) then
        fail(kernel.shown, sformat("the list %s beside vectors; wanted it raw, or a list for each number",
          kernel.params[k]))
      end
      if not item.whole and n ~= list.capacity then
        fail(kernel.shown, sformat("%d elements beside the list %s, which has room for %d items", n, kernel.params[k],
          list.capacity))
      end
      if not item.whole and next(outputs) then
        fail(kernel.shown, sformat("an output beside the list %s; what comes of the items of a list is a new list",
          kernel.params[k]))
      end
    end
    return lists.stage(kernel.shown, arrays, given, n)
  end

  --- Results over the items of lists: lists with the least of their counts.
  local function as_lists(held, results)
    local tally, ordered = nil, true
    for _, item in pairs(held) do
      if not item.whole then
        tally = tally and ma.minimum(tally, item.list.tally) or item.list.tally
        ordered = ordered and item.list.ordered
      end
    end
    if not tally then return results end
    for k, values in ipairs(results) do results[k] = new(values, tally:copy(), ordered) end
    return results
  end

  --- Calls a kernel over elements with lists. The first of its results are parts of lists and other things it writes.
  function lists.call(kernel, variant, stream, first, held, staged, list)
    local results = { select(variant.written + 1,
      lists.launch(staged, variant.kernel, common.unpack(kernel.shown, list))) }
    if variant.noted then core.fault_raise(stream, first) end
    return common.unpack(kernel.shown, as_lists(held, results))
  end

  -- ==== Methods ====================================================================================================

  --> = list | ma.list(4, "int64") | A list to which kernels append.
  --> . capacity: integer | the most items
  --> . dtype: dtype | of the items
  --> . device: string | where they are
  --> . ordered: boolean | whether they come in the order of elements
  --> :count() -> integer | How many items there are. Waits for the device.
  --> list:count: list:count()
  function methods:count() return math.min(self.tally(1), self.capacity) end

  --> :array() -> array | The items, as a view of the list's memory. Waits for the device.
  --> list:array: list:array()
  function methods:array() return self.values[{ { 1, self:count() } }] end

  --> :overflowed() -> array | Whether an append found the list full, as an array without axes. Does not wait.
  --> list:overflowed: list:overflowed()
  function methods:overflowed() return self.tally:gt(self.capacity):reshape({}) end

  --> :clear() -> list | Takes all items out.
  --> list:clear: list:clear():count()
  function methods:clear()
    self.tally:fill(0)
    return self
  end

  common.guard("list", class, methods)
  class.__index = common.attributes("list", methods)
  class.__tostring = function(self)
    return sformat("list of at most %d items, %s, %s", self.capacity, self.dtype, self.device)
  end
end
