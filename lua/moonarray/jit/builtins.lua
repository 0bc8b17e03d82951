--- What a kernel can call and read beside its arguments: mathematics, casts, threads, shared memory, shuffles, atomics.
--
-- An entry has `call(self, args, line, name)`, which gives values, with `least` and `most` arguments; or `fields`; or `iterates`.
-- `self` is the translation of the function that the call stands in.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local number, as = value.number, value.as
local builtins = { math = {}, jit = {}, casts = {}, bit = {} }

-- ==== Mathematics ====

--- Integers compute in float64, float16 and bfloat16 in float32.
local function float_type(v)
  if types.is_integer(v.dtype) then return "float64" end
  return v.dtype
end

local function one_float(fn, complex, constant)
  return { least = 1, call = function(self, args, line, name)
    local v = self:number(args[1], "the argument of '" .. name .. "'")
    if v.kind == "unknown" then return v end
    if v.constant and constant then return value.constant(constant(v.constant), "float") end
    local dtype = float_type(v)
    if types.is_complex(dtype) then
      if not complex then self:fail(line, ("'%s' of a complex number is not available in a kernel"):format(name)) end
      return number(("%s(%s)"):format(complex, v.text), dtype, v.impure)
    end
    local result = number(self:rounded(("%s(%s)"):format(fn, as(v, dtype)), dtype), dtype, v.impure)
    result.weak = v.weak and "float"
    return result
  end }
end

for name, fn in pairs { sqrt = "sqrt", exp = "exp", log = "log", log10 = "log10", sin = "sin", cos = "cos", tan = "tan", asin = "arcsin",
  acos = "arccos", atan = "arctan", sinh = "sinh", cosh = "cosh", tanh = "tanh" } do
  builtins.math[name] = one_float("ma_" .. fn, "ma_c" .. fn, math[name])
end
for _, name in ipairs { "cbrt", "exp2", "expm1", "log2", "log1p", "rint", "trunc", "arcsinh", "arccosh", "arctanh" } do
  builtins.math[name] = one_float("ma_" .. name)
end
for name, fn in pairs { arcsin = "asin", arccos = "acos", arctan = "atan" } do builtins.math[name] = builtins.math[fn] end

--- Of integers the number itself; of floats a float, as in Lua.
local function whole(fn)
  local real = one_float("ma_" .. fn)
  return { least = 1, call = function(self, args, line, name)
    local v = self:number(args[1], "the argument of '" .. name .. "'")
    if v.kind == "unknown" then return v end
    if v.constant then return value.of_number(math[fn](v.constant)) end
    if types.is_integer(v.dtype) then return v end
    return real.call(self, args, line, name)
  end }
end
builtins.math.floor, builtins.math.ceil = whole "floor", whole "ceil"

local function absolute(self, args, _, name)
  local v = self:number(args[1], "the argument of '" .. name .. "'")
  if v.kind == "unknown" then return v end
  if v.constant then return value.constant(math.abs(v.constant), v.weak) end
  if types.is_complex(v.dtype) then
    return number(("ma_cabsolute(%s)"):format(v.text), v.dtype == "complex64" and "float32" or "float64", v.impure)
  end
  local result = number(("%s(%s)"):format(types.is_integer(v.dtype) and "ma_int_absolute" or "ma_absolute", v.text), v.dtype, v.impure)
  result.weak = v.weak
  return result
end
builtins.math.abs = { least = 1, call = absolute }
builtins.math.fabs = builtins.math.abs

local function real(self, v, line, name)
  if v.kind == "number" and types.is_complex(v.dtype) then self:fail(line, ("'%s' of a complex number"):format(name)) end
  return v
end

--- min and max: the first stays unless another is less (more), as in Lua.
local function extreme(fn)
  return { least = 1, most = math.huge, call = function(self, args, line, name)
    local best
    for k, arg in ipairs(args) do
      local v = real(self, self:number(arg, ("argument %d of '%s'"):format(k, name)), line, name)
      if v.kind == "unknown" then return v end
      if not best then best = v
      elseif best.constant and v.constant then
        local constant = math[fn](best.constant, v.constant)
        best = constant == best.constant and best or v
      else
        local dtype, weak = value.join(best, v)
        self:help "jit_min"
        best = number(("jit_%s(%s, %s)"):format(fn, self:cast(best, dtype, line), self:cast(v, dtype, line)), dtype, best.impure or v.impure)
        best.weak = weak
      end
    end
    return best
  end }
end
builtins.math.min, builtins.math.max = extreme "min", extreme "max"

local function two(self, args, line, name)
  local a = real(self, self:number(args[1], "the first argument of '" .. name .. "'"), line, name)
  local b = real(self, self:number(args[2], "the second argument of '" .. name .. "'"), line, name)
  if a.kind == "unknown" or b.kind == "unknown" then return end
  return a, b
end

local function two_floats(fn, integers)
  return { least = 2, call = function(self, args, line, name)
    local a, b = two(self, args, line, name)
    if not a then return value.unknown end
    local dtype, weak = value.join(a, b)
    local call = fn
    if types.is_integer(dtype) then
      if integers then call = integers else dtype, weak = "float64", weak and "float" end
    end
    local result = number(self:rounded(("%s(%s, %s)"):format(call, self:cast(a, dtype, line), self:cast(b, dtype, line)), dtype), dtype,
      a.impure or b.impure)
    result.weak = weak
    return result
  end }
end
builtins.math.atan2 = two_floats "ma_arctan2"
builtins.math.fmod = two_floats("ma_fmod", "ma_int_fmod")
builtins.math.hypot = two_floats "ma_hypot"
builtins.math.copysign = two_floats "ma_copysign"
builtins.math.arctan2 = builtins.math.atan2
builtins.math.pow = { least = 2, call = function(self, args, line, name)
  local a = self:number(args[1], "the first argument of '" .. name .. "'")
  return self:arithmetic("^", a, self:number(args[2], "the second argument of '" .. name .. "'"), line)
end }

--- A float argument of a function with two results, which both are made of its text.
local function twice_used(self, arg, line, name)
  local v = real(self, self:number(arg, "the argument of '" .. name .. "'"), line, name)
  if v.impure then self:fail(line, ("'%s' of a call that may change something; put its result into a local first"):format(name)) end
  local dtype = float_type(v)
  return v, v.kind ~= "unknown" and as(v, dtype), dtype
end

--- Lua's: the whole part first. (moonarray.modf, as NumPy's, gives the fraction first, and is not available in a kernel.)
builtins.math.modf = { least = 1, call = function(self, args, line, name)
  local v, text, dtype = twice_used(self, args[1], line, name)
  if v.kind == "unknown" then return v, v end
  return number(("ma_trunc(%s)"):format(text), dtype), number(self:rounded(("ma_modf_fraction(%s)"):format(text), dtype), dtype)
end }

builtins.math.frexp = { least = 1, call = function(self, args, line, name)
  local v, text, dtype = twice_used(self, args[1], line, name)
  if v.kind == "unknown" then return v, v end
  return number(("ma_frexp_mantissa(%s)"):format(text), dtype), number(("i8(ma_frexp_exponent(%s))"):format(text), "int64")
end }

builtins.math.ldexp = { least = 2, call = function(self, args, line, name)
  local a, b = two(self, args, line, name)
  if not a then return value.unknown end
  local dtype = float_type(a)
  return number(self:rounded(("ma_ldexp(%s, i8(%s))"):format(as(a, dtype), self:integer(b)), dtype), dtype, a.impure or b.impure)
end }

local function scaled(factor)
  return { least = 1, call = function(self, args, line, name)
    return self:arithmetic("*", self:number(args[1], "the argument of '" .. name .. "'"), value.constant(factor, "float"), line)
  end }
end
builtins.math.deg, builtins.math.rad = scaled(180 / math.pi), scaled(math.pi / 180)

-- ==== LuaJIT's bit: 32-bit integers ====

local function bits(text)
  return { least = 2, most = math.huge, call = function(self, args, _, name)
    local result, impure
    for k, arg in ipairs(args) do
      local v = self:number(arg, ("argument %d of '%s'"):format(k, name))
      if v.kind == "unknown" then return v end
      local word = ("i4(%s)"):format(v.constant and types.literal(v.constant, "int64") or self:integer(v))
      result, impure = result and text:format(result, word) or word, impure or v.impure
    end
    return number(("i8(%s)"):format(result), "int64", impure)
  end }
end
builtins.bit.band, builtins.bit.bor, builtins.bit.bxor = bits "(%s & %s)", bits "(%s | %s)", bits "(%s ^ %s)"
builtins.bit.lshift, builtins.bit.rshift, builtins.bit.arshift = bits "i4(u4(%s) << (%s & 31))", bits "i4(u4(%s) >> (%s & 31))", bits "(%s >> (%s & 31))"
for _, name in ipairs { "lshift", "rshift", "arshift" } do builtins.bit[name].most = 2 end
builtins.bit.bnot = { least = 1, call = function(self, args)
  local v = self:number(args[1], "the argument of 'bnot'")
  if v.kind == "unknown" then return v end
  return number(("i8(~i4(%s))"):format(self:integer(v)), "int64", v.impure)
end }

-- ==== Casts ====

for dtype in pairs(types.suffix) do
  builtins.casts[dtype] = { least = 1, dtype = dtype, call = function(self, args, _, name)
    local v = self:scalar(args[1], "the argument of '" .. name .. "'")
    if v.kind == "unknown" then return v end
    local text = v.constant ~= nil and v.kind == "number" and types.convert(v.text, v.dtype, dtype) or as(v, dtype)
    if dtype == "bool" then return value.bool(text, v.impure) end
    return number(text, dtype, v.impure)
  end }
end

-- ==== Threads ====

local jit = builtins.jit

local function place(name)
  local fields = {}
  for _, axis in ipairs { "x", "y", "z" } do
    fields[axis] = function() return number(("i8(%s.%s)"):format(name, axis), "int64") end
  end
  return { fields = fields }
end
for _, name in ipairs { "threadIdx", "blockIdx", "blockDim", "gridDim" } do jit[name] = place(name) end

local function along_axes(text)
  return { least = 1, call = function(self, args, line, name)
    local n = self:whole(args[1], "the argument of '" .. name .. "'")
    if n < 1 or n > 3 then self:fail(line, ("'%s' of %d axes; wanted 1 to 3"):format(name, n)) end
    local list = {}
    for k = 1, n do list[k] = number((text:gsub("@", (("xyz"):sub(k, k)))), "int64") end
    return list[1], list[2], list[3]
  end }
end
jit.grid = along_axes "(i8(blockIdx.@) * i8(blockDim.@) + i8(threadIdx.@) + 1)"
jit.gridsize = along_axes "(i8(blockDim.@) * i8(gridDim.@))"

local LANE = "((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31)"
jit.laneid = { call = function() return number(("i8%s"):format(LANE), "int64") end }
jit.warpsize = { constant = 32 }
jit.range = { iterates = true }

jit.syncthreads = { call = function(self, _, line) self:emit(line, "__syncthreads();") end }
jit.threadfence = { call = function(self, _, line) self:emit(line, "__threadfence();") end }
jit.syncwarp = { least = 0, most = 1, call = function(self, args, line)
  local mask = args[1] and ("unsigned(%s)"):format(self:integer(self:number(args[1], "the mask"))) or ""
  self:emit(line, ("__syncwarp(%s);"):format(mask))
end }

-- ==== Shared memory ====

local function dtype_of(self, node)
  local v = self:expression(node)
  if v.kind == "string" and types.suffix[v.value] then return v.value end
  if v.kind == "builtin" and v.builtin.dtype then return v.builtin.dtype end
  self:fail(node.line, ("the dtype is %s; wanted one such as 'float32'"):format(v.kind == "string" and "'" .. v.value .. "'" or self:describe(v)))
end

local function shape_of(self, node)
  local v = self:expression(node)
  local items = v.kind == "table" and v.node.items or { node }
  local shape = {}
  for k, item in ipairs(items) do
    shape[k] = self:whole(item, ("extent %d of shared memory"):format(k))
    if shape[k] < 1 or shape[k] > 2 ^ 31 then self:fail(item.line, ("extent %d of shared memory is %.0f"):format(k, shape[k])) end
  end
  if #shape == 0 then self:fail(node.line, "shared memory without a shape") end
  return shape
end

jit.shared_memory = { least = 1, most = 2, call = function(self, args, line)
  local dtype, c = dtype_of(self, args[1]), self:unique "shared"
  local shape, size = args[2] and shape_of(self, args[2]), 1
  local memory = types.memory[dtype]
  if shape then
    for _, extent in ipairs(shape) do size = size * extent end
    self:emit(line, ("__shared__ %s %s[%.0f];"):format(memory, c, size))
  else
    self:emit(line, "extern __shared__ ma_c128 jit_dynamic[];")
    self:emit(line, ("%s *const %s = (%s *)jit_dynamic;"):format(memory, c, memory))
  end
  local array = { dtype = dtype, ndim = shape and #shape or 1, pointer = c, static = shape ~= nil, contiguous = true, extents = {}, strides = {} }
  function array.extent(axis) return shape and shape[axis] end
  function array.stride(axis)
    local product = 1
    for k = axis + 1, array.ndim do product = product * shape[k] end
    return ("%.0f"):format(product)
  end
  array.static = true
  return { kind = "array", array = array, prefix = {}, given = {} }
end }

-- ==== Warps ====

local shuffled = { float16 = "float32", bfloat16 = "float32", int8 = "int32", int16 = "int32", uint8 = "uint32", uint16 = "uint32",
  int64 = "int64", uint64 = "uint64", int32 = "int32", uint32 = "uint32", float32 = "float32", float64 = "float64" }
local wire = { int64 = "i8", uint64 = "u8", int32 = "int", uint32 = "unsigned", float32 = "float", float64 = "double" }

local function shuffle(fn, lane_type)
  return { least = 3, most = 4, call = function(self, args, line, name)
    local mask = self:number(args[1], "the mask of '" .. name .. "'")
    local v = self:scalar(args[2], "the value of '" .. name .. "'")
    local lane = self:number(args[3], "the third argument of '" .. name .. "'")
    local width = args[4] and self:number(args[4], "the width of '" .. name .. "'")
    for _, each in ipairs { mask, v, lane, width } do
      if each.kind == "unknown" then return value.unknown end
    end
    local dtype = v.kind == "bool" and "bool" or v.dtype
    local through = dtype == "bool" and "int32" or shuffled[dtype]
    if not through then self:fail(line, ("'%s' of %s"):format(name, self:describe(v))) end
    local last = width and (", int(%s)"):format(self:integer(width)) or ""
    local text = ("%s(unsigned(%s), %s(%s), %s(%s)%s)"):format(fn, self:integer(mask), wire[through], as(v, through), lane_type,
      self:integer(lane), last)
    if dtype == "bool" then return value.bool(("(%s != 0)"):format(text), true) end
    return number(types.register[dtype] .. "(" .. text .. ")", dtype, true)
  end }
end
jit.shfl_sync = shuffle("__shfl_sync", "int")
jit.shfl_up_sync = shuffle("__shfl_up_sync", "unsigned")
jit.shfl_down_sync = shuffle("__shfl_down_sync", "unsigned")
jit.shfl_xor_sync = shuffle("__shfl_xor_sync", "int")

-- ==== Atomics: the old value is the result ====

local numbers = { int32 = true, uint32 = true, int64 = true, uint64 = true, float32 = true, float64 = true }
local integers = { int32 = true, uint32 = true, int64 = true, uint64 = true }

local function atomic(fn, allowed, extra)
  return { least = extra and 4 or 3, call = function(self, args, line, name)
    local object = self:expression(args[1])
    if object.kind ~= "array" then self:fail(args[1].line, ("the first argument of '%s' is %s; wanted an array"):format(name, self:describe(object))) end
    local part = self:element(object, args[2])
    if #part.given < part.array.ndim then self:fail(line, ("%d positions of an array of %d axes"):format(#part.given, part.array.ndim)) end
    local dtype = part.array.dtype
    if not allowed[dtype] then
      self:fail(line, ("'%s' of a %s array; wanted %s"):format(name, dtype, allowed == integers and "int32, uint32, int64 or uint64"
        or "int32, uint32, int64, uint64, float32 or float64"))
    end
    part.array.written, part.array.read = true, true
    local texts = { "&" .. self.place(part) }
    for k = 3, #args do
      local v = self:number(args[k], ("argument %d of '%s'"):format(k, name))
      texts[#texts + 1] = v.kind == "unknown" and "0" or self:cast(v, dtype, line)
    end
    local negative = fn == "sub"
    if negative then texts[2] = ("%s(%s)"):format(types.is_integer(dtype) and "ma_int_negative" or "-", texts[2]) end
    self:help "jit_atomic"
    return number(("jit_atomic_%s(%s)"):format(negative and "add" or fn, table.concat(texts, ", ")), dtype, true)
  end }
end
for _, name in ipairs { "add", "sub", "exch", "min", "max" } do jit["atomic_" .. name] = atomic(name, numbers) end
for _, name in ipairs { "inc", "dec", "and", "or", "xor" } do jit["atomic_" .. name] = atomic(name, integers) end
jit.atomic_cas = atomic("cas", numbers, true)
jit.atomic_and_, jit.atomic_or_ = jit.atomic_and, jit.atomic_or

-- ==== What ma.help shows ====

builtins.documents = {
  { "jit.rawkernel(fn; name?, constants?)",
    "A kernel from a Lua function or its source: k(grid, block, {args}, {shared_mem = 0}), or k[{grid, block}](...)." },
  { "jit.device(fn; name?, constants?)", "A function that kernels written in Lua can call." },
  { "jit.grid(n)", "In a kernel: the position of this thread in the whole grid, from 1, along n axes." },
  { "jit.gridsize(n)", "In a kernel: the number of threads of the whole grid, along n axes." },
  { "jit.laneid()", "In a kernel: the place of this thread in its warp, from 0." },
  { "jit.range(start, stop?, step?)", "In a kernel: `for i in jit.range(1, n, step) do`, both ends included." },
  { "jit.shared_memory(dtype, shape?)", "In a kernel: an array that the threads of a block share; without a shape the one whose size the launch gives." },
  { "jit.syncthreads()", "In a kernel: waits for all threads of the block." },
  { "jit.syncwarp(mask?)", "In a kernel: waits for the threads of the warp that are in the mask." },
  { "jit.threadfence()", "In a kernel: what was written before is seen by other blocks before what is written after." },
  { "jit.shfl_sync(mask, value, lane, width?)", "In a kernel: the value of another lane of the warp." },
  { "jit.shfl_up_sync(mask, value, delta, width?)", "In a kernel: the value of the lane that is delta below." },
  { "jit.shfl_down_sync(mask, value, delta, width?)", "In a kernel: the value of the lane that is delta above." },
  { "jit.shfl_xor_sync(mask, value, lane, width?)", "In a kernel: the value of the lane whose number differs by these bits." },
  { "jit.atomic_cas(array, index, compare, value)", "In a kernel: writes the value if the element is `compare`, at once; the old element is the result." },
}
for name, what in pairs { add = "adds to", sub = "subtracts from", exch = "replaces", min = "takes the lesser of the value and",
  max = "takes the greater of the value and",
  inc = "increments, up to the value and then from 0,", dec = "decrements, down to 0 and then from the value,",
    ["and"] = "takes the bits of the value and of",
  ["or"] = "sets the value's bits in", xor = "flips the value's bits in" } do
  builtins.documents[#builtins.documents + 1] = { ("jit.atomic_%s(array, index, value)"):format(name),
    ("In a kernel: %s an element, at once; the old element is the result."):format(what) }
end

return builtins
