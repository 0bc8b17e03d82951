--- Groups of threads in a kernel: jit.cg, in the manner of CUDA's cooperative groups, and jit.cub, what combines the
--- values of a warp or a block, under CUB's names. The text is ours (helpers.lua), the same for both devices.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local number, as = value.number, value.as

local group = { cg = {}, cub = {} }

local OF_BLOCK = "block of threads"

-- ==== What is combined ====

local widths = { int8 = true, int16 = true, int32 = true, int64 = true, uint8 = true, uint16 = true, uint32 = true,
  uint64 = true, float16 = true, bfloat16 = true, float32 = true, float64 = true }

local function dtype_of(self, v, line)
  local dtype = v.kind == "string" and v.value or v.kind == "builtin" and v.builtin.dtype
  if not widths[dtype] then
    self:fail(line, ("the dtype is %s; wanted that of a real number, such as 'float32'"):format(v.kind == "string"
      and "'" .. v.value .. "'" or self:describe(v)))
  end
  return dtype
end

--- An operator as C++: a function of `a` and `b`, which are of the dtype.
local function operator_of(self, op, dtype, line, name)
  local text
  if op.kind == "builtin" and op.builtin.operator then
    text = op.builtin.operator(self, dtype, line)
  elseif op.kind == "device" then
    text = self:operator(op, dtype, line)
  else
    self:fail(line, ("the operator of '%s' is %s; wanted jit.cub.Sum, Max or Min, or a jit.device function"):format(
      name, self:describe(op)))
  end
  local register = types.register[dtype]
  return ("[=](%s a, %s b) -> %s { return %s; }"):format(register, register, register, text)
end

local operators = {
  Sum = { operator = function(self, dtype, line) return self:operation("+", "a", "b", dtype, nil, line) end },
  Max = { operator = function(self)
    self:help "jit_min"
    return "jit_max(a, b)"
  end },
  Min = { operator = function(self)
    self:help "jit_min"
    return "jit_min(a, b)"
  end },
}
for name, operator in pairs(operators) do
  operator.of_block = OF_BLOCK
  group.cub[name] = operator
end

--- The text of an argument in a dtype, or nil while its type is not known.
local function given(self, v, dtype, line, what)
  self:as_number(v, line, what)
  if v.kind == "unknown" then return nil end
  return self:cast(v, dtype, line)
end

-- ==== Reductions and scans ====

--- A method that combines: `text` with @v for the value, @f for the operator, @i for an initial value.
local function combining(text, fixed, results, initial)
  local count = 1 + (fixed and 0 or 1) + (initial == true and 1 or 0)
  return { least = count, most = count, call = function(self, args, line, name, object)
    local dtype = object.dtype
    local v = given(self, args[1], dtype, line, "the value of '" .. name .. "'")
    local op = fixed and { kind = "builtin", builtin = operators[fixed] } or args[2]
    op = operator_of(self, op, dtype, line, name)
    local first = initial == true and given(self, args[3], dtype, line, "the first value of '" .. name .. "'")
      or types.literal(0, dtype)
    if not v or not first then return value.unknown, results == 2 and value.unknown or nil end
    self:help "jit_thread"
    self:help "jit_combine"
    local register = types.register[dtype]
    local parts = { v = ("%s(%s)"):format(register, v), f = op, i = ("%s(%s)"):format(register, first), s = object.part,
      n = ("%d"):format(object.size or 32) }
    local call = text:gsub("@(%a)", parts)
    local c = self:unique "all"
    self:emit(line, ("const %s %s = %s;"):format(results == 2 and ("jit_scanned<%s>"):format(register) or register, c,
      call))
    if results ~= 2 then return number(c, dtype) end
    return number(c .. ".v1", dtype), number(c .. ".v2", dtype)
  end }
end

local function reductions(text)
  return { Sum = combining(text, "Sum"), Max = combining(text, "Max"), Min = combining(text, "Min"),
    Reduce = combining(text) }
end

local warp_methods = reductions "jit_warp_reduce(@v, @n, @f)"
local block_methods = reductions "jit_block_reduce(@v, @s, @f)"
local scan_methods = {
  InclusiveSum = combining("jit_block_scan(@v, @s, @f)", "Sum", 2),
  InclusiveScan = combining("jit_block_scan(@v, @s, @f)", nil, 2),
  ExclusiveSum = combining("jit_block_before(@v, @s, @i, @f)", "Sum", 2, 0),
  ExclusiveScan = combining("jit_block_before(@v, @s, @i, @f)", nil, 2, true),
}

local function tile_size(self, v, line, name)
  local size = self:as_whole(v, line, "the size of '" .. name .. "'")
  if size ~= 1 and size ~= 2 and size ~= 4 and size ~= 8 and size ~= 16 and size ~= 32 then
    self:fail(line, ("'%s' of %.0f threads; wanted 1, 2, 4, 8, 16 or 32"):format(name, size))
  end
  return size
end

local function of_block(methods)
  return { least = 1, of_block = OF_BLOCK, call = function(self, args, line)
    local dtype, c = dtype_of(self, args[1], line), self:unique "part"
    self:emit(line, ("__shared__ %s %s[32];"):format(types.register[dtype], c))
    return { kind = "collective", dtype = dtype, part = c, methods = methods }
  end }
end

group.cub.BlockReduce, group.cub.BlockScan = of_block(block_methods), of_block(scan_methods)
group.cub.WarpReduce = { least = 1, most = 2, of_block = OF_BLOCK, call = function(self, args, line, name)
  local size = args[2] and tile_size(self, args[2], line, name) or 32
  return { kind = "collective", dtype = dtype_of(self, args[1], line), size = size, methods = warp_methods }
end }

-- ==== Groups ====

--- A method that gives whole numbers, by their texts.
local function numbers(...)
  local texts = { ... }
  return { call = function(self, _, _, _, object)
    local list = {}
    self:help "jit_thread"
    self:help(object.grid and "jit_grid" or "jit_thread")
    for k, text in ipairs(texts) do
      list[k] = number((text:gsub("@n", ("%du"):format(object.size or 32))), "int64")
    end
    return unpack(list)
  end }
end

local function along(name) return numbers("i8(" .. name .. ".x)", "i8(" .. name .. ".y)", "i8(" .. name .. ".z)") end

local THREADS = "i8(jit_threads())"

local block_group = {
  sync = { call = function(self, _, line) self:emit(line, "__syncthreads();") end },
  thread_rank = numbers "i8(jit_thread())",
  num_threads = numbers(THREADS),
  thread_index = along "threadIdx", group_index = along "blockIdx", dim_threads = along "blockDim",
}
block_group.size = block_group.num_threads

local grid_group = {
  sync = { call = function(self, _, line)
    if self.device then
      self:fail(line, "a barrier of the grid stands in the kernel itself, not in a device function")
    end
    self.module.cooperative = true
    self:help "jit_thread"
    self:help "jit_grid"
    self:emit(line, "jit_grid_sync(jit_arrived);")
  end },
  is_valid = { call = function() return value.boolean(true) end },
  thread_rank = numbers "(jit_block() * jit_threads() + jit_thread())",
  num_threads = numbers "(jit_blocks() * jit_threads())",
  block_rank = numbers "jit_block()", num_blocks = numbers "jit_blocks()",
  block_index = along "blockIdx", dim_blocks = along "gridDim",
}
grid_group.size = grid_group.num_threads

--- A shuffle within a tile; `lane` is the type of its last argument.
local function shuffled(fn, lane)
  return { least = 2, call = function(self, args, line, name, object)
    local v = self:as_scalar(args[1], line, "the value of '" .. name .. "'")
    local by = self:as_number(args[2], line, "the second argument of '" .. name .. "'")
    if v.kind == "unknown" or by.kind == "unknown" then return value.unknown end
    local dtype = v.kind == "bool" and "bool" or v.dtype
    if dtype ~= "bool" and not widths[dtype] then self:fail(line, ("'%s' of %s"):format(name, self:describe(v))) end
    self:help "jit_thread"
    local register = dtype == "bool" and "int" or types.register[dtype]
    local text = ("%s(jit_lanes(%du), %s(%s), %s(%s), %d)"):format(fn, object.size, register,
      dtype == "bool" and v.text or as(v, dtype), lane, self:integer(by), object.size)
    if dtype == "bool" then return value.bool(self:constant("lane", dtype, text .. " != 0", line)) end
    return number(self:constant("lane", dtype, ("%s(%s)"):format(register, text), line), dtype)
  end }
end

--- A vote of a tile.
local function voted(text, dtype)
  return { least = 1, call = function(self, args, line, name, object)
    local v = self:as_scalar(args[1], line, "the argument of '" .. name .. "'")
    if v.kind ~= "bool" and v.kind ~= "unknown" then
      self:fail(line, ("the argument of '%s' is %s; wanted a boolean"):format(name, self:describe(v)))
    end
    self:help "jit_thread"
    self:help "jit_votes"
    local c = text:gsub("@(%a)", { n = ("%du"):format(object.size), v = v.text })
    c = self:constant("vote", dtype, c, line)
    return value.element(c, dtype)
  end }
end

local tile_group = {
  sync = { call = function(self, _, line, _, object)
    self:help "jit_thread"
    self:emit(line, ("__syncwarp(jit_lanes(%du));"):format(object.size))
  end },
  thread_rank = numbers "i8(jit_thread() & (@n - 1))",
  num_threads = { call = function(_, _, _, _, object) return value.constant(object.size, "int") end },
  meta_group_rank = numbers "i8(jit_thread() / @n)",
  meta_group_size = numbers "i8((jit_threads() + @n - 1) / @n)",
  shfl = shuffled("__shfl_sync", "int"), shfl_up = shuffled("__shfl_up_sync", "unsigned"),
  shfl_down = shuffled("__shfl_down_sync", "unsigned"), shfl_xor = shuffled("__shfl_xor_sync", "int"),
  any = voted("jit_votes(@n, @v) != 0", "bool"),
  all = voted("jit_votes(@n, @v) == jit_lanes(@n)", "bool"),
  ballot = voted("i8(jit_votes(@n, @v) >> (jit_thread() & 31 & ~(@n - 1)))", "int64"),
}
tile_group.size = tile_group.num_threads

local cg = group.cg

cg.this_thread_block = { call = function() return { kind = "group", name = "the block", methods = block_group } end }

cg.this_grid = { call = function()
  return { kind = "group", name = "the grid", grid = true, methods = grid_group }
end }

local function group_of(self, v, line, name)
  if v.kind ~= "group" then
    self:fail(line, ("the first argument of '%s' is %s; wanted a group of threads"):format(name, self:describe(v)))
  end
  return v
end

cg.tiled_partition = { least = 2, call = function(self, args, line, name)
  local from, size = group_of(self, args[1], line, name), tile_size(self, args[2], line, name)
  if from.methods ~= block_group and not (from.size and from.size >= size) then
    self:fail(line, ("'%s' of %s into %d threads; wanted a block or a larger tile"):format(name,
      self:describe(from), size))
  end
  return { kind = "group", name = "the tile", size = size, methods = tile_group }
end }

cg.sync = { least = 1, call = function(self, args, line, name)
  return group_of(self, args[1], line, name).methods.sync.call(self, {}, line, name, args[1])
end }

-- ==== Copies ====

--- memcpy_async(group, to, at, from, start, count): copies count elements along one axis, one by each thread in turn.
--- The copy is done when the group has waited for it.
local function copy(self, args, line, name)
  local g = group_of(self, args[1], line, name)
  if g.grid then self:fail(line, ("'%s' of the grid; wanted a block or a tile"):format(name)) end
  local to, from = args[2], args[4]
  for k = 2, 4, 2 do
    if args[k].kind ~= "array" or args[k].given ~= args[k].array.ndim - 1 then
      self:fail(line, ("argument %d of '%s' is %s; wanted an array of one axis"):format(k, name,
        self:describe(args[k])))
    end
  end
  if to.array.dtype ~= from.array.dtype then
    self:fail(line, ("'%s' from %s to %s; wanted one dtype"):format(name, from.array.dtype, to.array.dtype))
  end
  local texts = {}
  for n, k in ipairs { 3, 5, 6 } do
    local v = self:as_number(args[k], line, ("argument %d of '%s'"):format(k, name))
    if v.kind == "unknown" then return end
    texts[n] = self:constant("copied", "int64", self:integer(v), line)
  end
  local k = self:unique "count"
  local rank, threads = "jit_thread()", "jit_threads()"
  if g.size then
    rank, threads = ("(jit_thread() & %du)"):format(g.size - 1), ("__popc(jit_lanes(%du))"):format(g.size)
  end
  self:help "jit_thread"
  self:open(line, ("for (i8 %s = %s; %s < %s; %s += %s) {"):format(k, rank, k, texts[3], k, threads))
  local place = self:place(self:part(to, { number(("(%s + %s)"):format(texts[1], k), "int64") }, line), line)
  self:write(place, self:read(self:part(from, { number(("(%s + %s)"):format(texts[2], k), "int64") }, line)), line)
  self:close()
end

cg.memcpy_async = { least = 6, call = copy }
cg.wait = cg.sync
cg.wait_prior = { least = 2, call = function(self, args, line, name)
  self:as_whole(args[2], line, ("argument 2 of '%s'"):format(name))
  return cg.sync.call(self, args, line, name)
end }

-- ==== Reductions of groups ====

local tile_reduce = combining "jit_warp_reduce(@v, @n, @f)"
local block_reduce = combining "jit_block_reduce(@v, @s, @f)"
cg.reduce = { least = 3, call = function(self, args, line, name)
  local g, v = group_of(self, args[1], line, name), self:as_number(args[2], line, "the value of '" .. name .. "'")
  if v.kind == "unknown" then return v end
  if not widths[v.dtype] then self:fail(line, ("'%s' of %s"):format(name, self:describe(v))) end
  if g.grid then self:fail(line, ("'%s' of the grid; wanted a block or a tile"):format(name)) end
  local object = { dtype = v.dtype, size = g.size }
  if not g.size then
    object.part = self:unique "part"
    self:emit(line, ("__shared__ %s %s[32];"):format(types.register[v.dtype], object.part))
  end
  return (g.size and tile_reduce or block_reduce).call(self, { v, args[3] }, line, name, object)
end }

for _, builtin in pairs(cg) do builtin.of_block = OF_BLOCK end

-- ==== What ma.help shows ====

group.documents = {
  --> jit.cg.this_thread_block jit.cg.tiled_partition jit.cg.reduce jit.cg.sync jit.cub.Sum jit.cub.Max jit.cub.Min
  --> \ jit.cub.BlockReduce jit.cub.BlockScan jit.cub.WarpReduce: local cg, cub = ma.jit.cg, ma.jit.cub
  -->   local rows = ma.jit.rawkernel(function(x, out)
  -->     local tile = cg.tiled_partition(cg.this_thread_block(), 4)
  -->     local v = x[tile:thread_rank() + 1]
  -->     local sum, most, least = cg.reduce(tile, v, cub.Sum), cg.reduce(tile, v, cub.Max), cg.reduce(tile, v, cub.Min)
  -->     cg.sync(tile)
  -->     local all = cub.BlockReduce("float64"):Sum(v) + cub.WarpReduce("float64"):Sum(v)
  -->     local before = cub.BlockScan("float64"):ExclusiveSum(v)
  -->     if tile:thread_rank() == 0 then out[1], out[2], out[3], out[4], out[5] = sum, most, least, all, before end
  -->   end)
  -->   local out = ma.zeros(5)
  -->   rows({1}, {4}, {ma.array {1, 2, 3, 4}, out})
  -->   return out
  { "jit.cg.this_thread_block() -> table|any",
    "In a kernel: the group of the block's threads: g:sync(), g:thread_rank() ..." },
  { "jit.cg.tiled_partition(group: table, size: integer) -> table|any",
    "In a kernel: the tile of 1, 2, 4 ... 32 threads that this thread is in: t:shfl(v, lane), t:any(b) ..." },
  --> jit.cg.this_grid jit.cg.memcpy_async jit.cg.wait jit.cg.wait_prior: local cg = ma.jit.cg
  -->   local reverse = ma.jit.rawkernel(function(x, y)
  -->     local block, s = cg.this_thread_block(), ma.jit.shared_memory("float64", 4)
  -->     cg.memcpy_async(block, s, 1, x, 1, 4)
  -->     cg.wait_prior(block, 0)
  -->     cg.wait(block)
  -->     cg.this_grid():sync()
  -->     y[ma.jit.grid(1)] = s[5 - ma.jit.grid(1)]
  -->   end)
  -->   local y = ma.zeros(4)
  -->   reverse({1}, {4}, {ma.array {1, 2, 3, 4}, y})
  -->   return y
  { "jit.cg.this_grid() -> table|any", "In a kernel: the group of all threads; g:sync() waits for all blocks." },
  { "jit.cg.memcpy_async(group: table, to: array, at: integer, from: array, start: integer, count: integer)",
    "In a kernel: the threads of a group copy elements along an axis; cg.wait(group) waits for that." },
  { "jit.cg.wait(group: table)", "In a kernel: waits for the copies of a group." },
  { "jit.cg.wait_prior(group: table, n: integer)",
    "In a kernel: waits for all copies of a group but the last n, or for more." },
  { "jit.cg.sync(group: table)", "In a kernel: waits for all threads of a group." },
  { "jit.cg.reduce(group: table, value: number|boolean, op: string) -> number|integer",
    "In a kernel: the values of a group's threads, combined; each thread is given the result." },
  { "jit.cub.WarpReduce(dtype: dtype, threads?: integer) -> table|any",
    "In a kernel: combines the values of a warp: r:Sum(v), r:Reduce(v, op)." },
  { "jit.cub.BlockReduce(dtype: dtype) -> table|any",
    "In a kernel: combines the values of a block: r:Sum(v), r:Reduce(v, op)." },
  { "jit.cub.BlockScan(dtype: dtype) -> table|any",
    "In a kernel: combines the values up to each thread of a block: s:InclusiveSum(v), s:ExclusiveScan(v, op, v0)." },
  { "jit.cub.Sum(a: number, b: number) -> number|integer", "In a kernel: the operator that adds." },
  { "jit.cub.Max(a: number, b: number) -> number|integer", "In a kernel: the operator that takes the greater." },
  { "jit.cub.Min(a: number, b: number) -> number|integer", "In a kernel: the operator that takes the lesser." },
}

return group
