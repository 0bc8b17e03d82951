--- Names that a kernel can use besides its arguments: mathematics, casts, threads, shared memory, shuffles, atomics.
---
--- An entry has `call(self, args, line, name)`, which takes and returns values, with `least` and `most` arguments; or
--- `fields`; or `iterates`. With `takes_nodes` the arguments are not evaluated yet. `of_block` names what a function of
--- scalars lacks for it, because only a rawkernel has blocks. `self` is the translation of the function with the call.

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
  return { least = 1, folds = constant ~= nil, call = function(self, args, line, name)
    local v = self:as_number(args[1], line, "the argument of '" .. name .. "'")
    if v.kind == "unknown" then return v end
    if v.constant and constant then return value.constant(constant(v.constant), "float") end
    local dtype = float_type(v)
    if types.is_complex(dtype) then
      if not complex then self:fail(line, ("'%s' of a complex number is not available in a kernel"):format(name)) end
      return number(("%s(%s)"):format(complex, v.text), dtype)
    end
    return number(self:rounded(("%s(%s)"):format(fn, as(v, dtype)), dtype), dtype, v.weak and "float")
  end }
end

for name, fn in pairs { sqrt = "sqrt", exp = "exp", log = "log", log10 = "log10", sin = "sin", cos = "cos", tan = "tan",
  asin = "arcsin",
  acos = "arccos", atan = "arctan", sinh = "sinh", cosh = "cosh", tanh = "tanh" } do
  builtins.math[name] = one_float("ma_" .. fn, "ma_c" .. fn, math[name])
end
for _, name in ipairs { "cbrt", "exp2", "expm1", "log2", "log1p", "rint", "trunc", "arcsinh", "arccosh", "arctanh" } do
  builtins.math[name] = one_float("ma_" .. name)
end
for name, fn in pairs { arcsin = "asin", arccos = "acos", arctan = "atan" } do
  builtins.math[name] = builtins.math[fn]
end

--- For integers the number itself; for floats a float, as in Lua.
local function whole(fn)
  local real = one_float("ma_" .. fn)
  return { least = 1, folds = true, call = function(self, args, line, name)
    local v = self:as_number(args[1], line, "the argument of '" .. name .. "'")
    if v.kind == "unknown" then return v end
    if v.constant then return value.of_number(math[fn](v.constant)) end
    if types.is_integer(v.dtype) then return v end
    return real.call(self, args, line, name)
  end }
end
builtins.math.floor, builtins.math.ceil = whole "floor", whole "ceil"

local function absolute(self, args, line, name)
  local v = self:as_number(args[1], line, "the argument of '" .. name .. "'")
  if v.kind == "unknown" then return v end
  if v.constant then return value.constant(math.abs(v.constant), v.weak) end
  if types.is_complex(v.dtype) then
    return number(("ma_cabsolute(%s)"):format(v.text), v.dtype == "complex64" and "float32" or "float64")
  end
  return number(("%s(%s)"):format(types.is_integer(v.dtype) and "ma_int_absolute" or "ma_absolute", v.text), v.dtype,
    v.weak)
end
builtins.math.abs = { least = 1, folds = true, call = absolute }
builtins.math.fabs = builtins.math.abs

local function real(self, v, line, name)
  if v.kind == "number" and types.is_complex(v.dtype) then
    self:fail(line, ("'%s' of a complex number"):format(name))
  end
  return v
end

--- min and max. A later value replaces the first one only if it is less (or greater), so a NaN that comes first stays.
local function extreme(fn, better)
  return { least = 1, most = math.huge, folds = true, call = function(self, args, line, name)
    local best
    for k, arg in ipairs(args) do
      local v = real(self, self:as_number(arg, line, ("argument %d of '%s'"):format(k, name)), line, name)
      if v.kind == "unknown" then return v end
      if not best then
        best = v
      elseif best.constant and v.constant then
        if better(v.constant, best.constant) then best = v end
      else
        local dtype, weak = value.join(best, v)
        self:help "jit_min"
        local bounds = dtype == "int64" and self:combined_bounds(fn, best, v) or nil
        best = number(("jit_%s(%s, %s)"):format(fn, self:cast(best, dtype, line), self:cast(v, dtype, line)), dtype,
          weak)
        best.bounds = bounds
      end
    end
    return best
  end }
end
builtins.math.min = extreme("min", function(x, y) return x < y end)
builtins.math.max = extreme("max", function(x, y) return x > y end)

--- ma.where: a choice by a boolean, of numbers or of booleans.
builtins.where = { least = 3, most = 3, call = function(self, args, line, name)
  local test, x, y = args[1], args[2], args[3]
  if test.kind ~= "bool" and test.kind ~= "unknown" then
    self:fail(line, ("the condition of '%s' is %s; wanted a boolean"):format(name, self:describe(test)))
  end
  local booleans = x.kind == "bool" and y.kind == "bool"
  for k = 2, booleans and 1 or 3 do
    args[k] = self:as_number(args[k], line, ("argument %d of '%s'"):format(k, name))
  end
  if test.kind == "unknown" or x.kind == "unknown" or y.kind == "unknown" then return value.unknown end
  if booleans then return value.bool(("(%s ? %s : %s)"):format(test.text, x.text, y.text)) end
  local dtype, weak = value.join(x, y)
  return number(("(%s ? %s : %s)"):format(test.text, self:cast(x, dtype, line), self:cast(y, dtype, line)), dtype, weak)
end }

local function two(self, args, line, name)
  local a = real(self, self:as_number(args[1], line, "the first argument of '" .. name .. "'"), line, name)
  local b = real(self, self:as_number(args[2], line, "the second argument of '" .. name .. "'"), line, name)
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
    return number(self:rounded(("%s(%s, %s)"):format(call, self:cast(a, dtype, line), self:cast(b, dtype, line)),
      dtype), dtype, weak)
  end }
end
builtins.math.atan2 = two_floats "ma_arctan2"
builtins.math.fmod = two_floats("ma_fmod", "ma_int_fmod")
builtins.math.hypot = two_floats "ma_hypot"
builtins.math.copysign = two_floats "ma_copysign"
builtins.math.arctan2 = builtins.math.atan2
builtins.math.pow = { least = 2, call = function(self, args, line, name)
  local a = self:as_number(args[1], line, "the first argument of '" .. name .. "'")
  return self:arithmetic("^", a, self:as_number(args[2], line, "the second argument of '" .. name .. "'"), line)
end }

--- A float argument that is used twice, by a function with two results.
local function twice_used(self, arg, line, name)
  local v = real(self, self:as_number(arg, line, "the argument of '" .. name .. "'"), line, name)
  if v.kind == "unknown" then return end
  local dtype = float_type(v)
  return self:held(number(as(v, dtype), dtype), line).text, dtype
end

--- Lua's modf: the whole part first. (moonarray.modf returns the fraction first, as in NumPy, and is not available in a
--- kernel.)
builtins.math.modf = { least = 1, call = function(self, args, line, name)
  local text, dtype = twice_used(self, args[1], line, name)
  if not text then return value.unknown, value.unknown end
  return number(("ma_trunc(%s)"):format(text), dtype),
    number(self:rounded(("ma_modf_fraction(%s)"):format(text), dtype), dtype)
end }

builtins.math.frexp = { least = 1, call = function(self, args, line, name)
  local text, dtype = twice_used(self, args[1], line, name)
  if not text then return value.unknown, value.unknown end
  return number(("ma_frexp_mantissa(%s)"):format(text), dtype),
    number(("i8(ma_frexp_exponent(%s))"):format(text), "int64")
end }

builtins.math.ldexp = { least = 2, call = function(self, args, line, name)
  local a, b = two(self, args, line, name)
  if not a then return value.unknown end
  local dtype = float_type(a)
  return number(self:rounded(("ma_ldexp(%s, i8(%s))"):format(as(a, dtype), self:integer(b)), dtype), dtype)
end }

local function scaled(factor)
  return { least = 1, call = function(self, args, line, name)
    return self:arithmetic("*", self:as_number(args[1], line, "the argument of '" .. name .. "'"),
      value.constant(factor, "float"), line)
  end }
end
builtins.math.deg, builtins.math.rad = scaled(180 / math.pi), scaled(math.pi / 180)

-- ==== LuaJIT's bit: 32-bit integers ====

--- Converts a number like bit.tobit: a fraction is rounded to the nearest integer, ties to even.
local function word_of(self, v, line, name)
  real(self, v, line, name)
  if v.constant then
    if v.constant == math.floor(v.constant) and types.holds("int64", v.constant) then
      return ("i4(%s)"):format(types.literal(v.constant, "int64"))
    end
  elseif types.is_integer(v.dtype) then
    return ("i4(%s)"):format(self:integer(v))
  end
  self:help "jit_word"
  return ("jit_word(%s)"):format(as(v, "float64"))
end

local function bits(text, least, most)
  return { least = least, most = most, call = function(self, args, line, name)
    local words = {}
    for k, arg in ipairs(args) do
      local v = self:as_number(arg, line, ("argument %d of '%s'"):format(k, name))
      if v.kind == "unknown" then return v end
      words[k] = word_of(self, v, line, name)
    end
    self:help "jit_word"
    local result = most == 1 and text:format(words[1]) or words[1]
    for k = 2, #words do result = text:format(result, words[k]) end
    return number(("i8(%s)"):format(result), "int64")
  end }
end

builtins.bit.band, builtins.bit.bor, builtins.bit.bxor = bits("(%s & %s)", 1, math.huge),
  bits("(%s | %s)", 1, math.huge), bits("(%s ^ %s)", 1, math.huge)
builtins.bit.lshift, builtins.bit.rshift = bits("i4(u4(%s) << (%s & 31))", 2, 2), bits("i4(u4(%s) >> (%s & 31))", 2, 2)
builtins.bit.arshift = bits("(%s >> (%s & 31))", 2, 2)
builtins.bit.rol, builtins.bit.ror = bits("jit_rotate(%s, %s)", 2, 2), bits("jit_rotate(%s, 32 - (%s & 31))", 2, 2)
builtins.bit.bnot, builtins.bit.tobit, builtins.bit.bswap = bits("(~%s)", 1, 1), bits("%s", 1, 1),
  bits("jit_swapped(%s)", 1, 1)

-- ==== Casts ====

for dtype in pairs(types.suffix) do
  builtins.casts[dtype] = { least = 1, dtype = dtype, call = function(self, args, line, name)
    local v = self:as_scalar(args[1], line, "the argument of '" .. name .. "'")
    if v.kind == "unknown" then return v end
    local text = v.constant ~= nil and v.kind == "number" and types.convert(v.text, v.dtype, dtype) or as(v, dtype)
    if dtype == "bool" then return value.bool(text) end
    return number(text, dtype)
  end }
end

-- ==== Threads ====

local jit = builtins.jit

--- What a proof takes for CUDA's variables: the row's place, and for threads along x their count.
local of_row = { threadIdx = "ma_here.ma_thread", blockIdx = "ma_here.ma_block", blockDim = "ma_here.ma_threads",
  gridDim = "ma_here.ma_blocks" }

local function place(name)
  local fields = {}
  for _, axis in ipairs { "x", "y", "z" } do
    fields[axis] = function(self)
      local v = number(("i8(%s.%s)"):format(name, axis), "int64")
      v.bounds = self:single(("%s.%s"):format(of_row[name], axis))
      if v.bounds and name == "threadIdx" and axis == "x" then
        v.bounds = { low = "jit_end(0)", high = "(jit_end(ma_here.ma_threads.x) - jit_end(1))",
          slope = 1 }
      end
      return v
    end
  end
  return { fields = fields, of_block = "block of threads" }
end
for _, name in ipairs { "threadIdx", "blockIdx", "blockDim", "gridDim" } do jit[name] = place(name) end

--- `low` and `high` are the ends over a row, as texts.
local function along_axes(text, of_elements, low, high)
  return { least = 1, call = function(self, args, line, name)
    local n = self:as_whole(args[1], line, "the argument of '" .. name .. "'")
    if self.module.scalar then
      if self.module.unnumbered then
        self:fail(line, ("'%s' in '%s', which is not of one element"):format(name, self.module.unnumbered))
      end
      if n ~= 1 then self:fail(line, ("'%s' of %d axes; elements are numbered along 1"):format(name, n)) end
      self.module.wants_index = true
      return number(of_elements, "int64")
    end
    if n < 1 or n > 3 then self:fail(line, ("'%s' of %d axes; wanted 1 to 3"):format(name, n)) end
    local list = {}
    for k = 1, n do
      local axis = ("xyz"):sub(k, k)
      list[k] = number((text:gsub("@", axis)), "int64")
      local ends = k == 1 and high or low
      list[k].bounds = self:single((low:gsub("@", axis)))
      if list[k].bounds and ends ~= low then
        list[k].bounds.high, list[k].bounds.slope = ("jit_end(%s)"):format((ends:gsub("@", axis))), 1
      end
    end
    return list[1], list[2], list[3]
  end }
end
jit.grid = along_axes("(i8(blockIdx.@) * i8(blockDim.@) + i8(threadIdx.@) + 1)", "(jit_i + 1)",
  "i8(ma_here.ma_block.@) * ma_here.ma_threads.@ + ma_here.ma_thread.@ + 1",
  "i8(ma_here.ma_block.@) * ma_here.ma_threads.@ + ma_here.ma_threads.@")
jit.gridsize = along_axes("(i8(blockDim.@) * i8(gridDim.@))", "jit_n",
  "i8(ma_here.ma_threads.@) * ma_here.ma_blocks.@", "i8(ma_here.ma_threads.@) * ma_here.ma_blocks.@")

local LANE = "((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31)"
jit.laneid = { of_block = "block of threads",
  call = function() return number(("i8%s"):format(LANE), "int64") end }
jit.warpsize = { constant = 32 }
jit.range = { iterates = true }

jit.syncthreads = { of_block = "block of threads",
  call = function(self, _, line) self:emit(line, "__syncthreads();") end }
jit.threadfence = { call = function(self, _, line) self:emit(line, "__threadfence();") end }
jit.syncwarp = { of_block = "block of threads", least = 0, most = 1, call = function(self, args, line)
  local mask = args[1] and ("unsigned(%s)"):format(self:integer(self:as_number(args[1], line, "the mask"))) or ""
  self:emit(line, ("__syncwarp(%s);"):format(mask))
end }

-- ==== Shared memory ====

local function dtype_of(self, v, line)
  if v.kind == "string" and types.suffix[v.value] then return v.value end
  if v.kind == "builtin" and v.builtin.dtype then return v.builtin.dtype end
  self:fail(line, ("the dtype is %s; wanted one such as 'float32'"):format(v.kind == "string" and "'" .. v.value .. "'"
    or self:describe(v)))
end

local function shape_of(self, v, line, what)
  local shape = {}
  if v.node then                         -- a table, also by the name of a local
    for k, item in ipairs(v.node.items) do shape[k] = self:whole(item, ("extent %d of %s"):format(k, what)) end
  else
    shape[1] = self:as_whole(v, line, "extent 1 of " .. what)
  end
  for k, extent in ipairs(shape) do
    if extent < 1 or extent > 2 ^ 31 then self:fail(line, ("extent %d of %s is %.0f"):format(k, what, extent)) end
  end
  if #shape == 0 then self:fail(line, what .. " without a shape") end
  return shape
end

jit.shared_memory = { of_block = "shared memory", least = 1, most = 2, call = function(self, args, line)
  local dtype, c = dtype_of(self, args[1], line), self:unique "shared"
  local shape, size = args[2] and shape_of(self, args[2], line, "shared memory"), 1
  local memory = types.memory[dtype]
  if shape then
    for _, extent in ipairs(shape) do size = size * extent end
    self:emit(line, ("__shared__ %s %s[%.0f];"):format(memory, c, size))
  else
    self:emit(line, "extern __shared__ ma_c128 jit_dynamic[];")
    self:emit(line, ("%s *const %s = (%s *)jit_dynamic;"):format(memory, c, memory))
  end
  return { kind = "array", array = self.static_array(c, dtype, shape), given = 0 }
end }

jit.local_memory = { least = 2, call = function(self, args, line)
  local dtype, c = dtype_of(self, args[1], line), self:unique "private"
  return self:private(c, dtype, shape_of(self, args[2], line, "a private array"), "", line)
end }

-- ==== Warps ====

local shuffled = { float16 = "float32", bfloat16 = "float32", int8 = "int32", int16 = "int32", uint8 = "uint32",
  uint16 = "uint32",
  int64 = "int64", uint64 = "uint64", int32 = "int32", uint32 = "uint32", float32 = "float32", float64 = "float64" }
local wire = { int64 = "i8", uint64 = "u8", int32 = "int", uint32 = "unsigned", float32 = "float", float64 = "double" }

local function shuffle(fn, lane_type)
  return { of_block = "block of threads", least = 3, most = 4, call = function(self, args, line, name)
    local mask = self:as_number(args[1], line, "the mask of '" .. name .. "'")
    local v = self:as_scalar(args[2], line, "the value of '" .. name .. "'")
    local lane = self:as_number(args[3], line, "the third argument of '" .. name .. "'")
    local width = args[4] and self:as_number(args[4], line, "the width of '" .. name .. "'")
    for _, each in ipairs { mask, v, lane, width } do
      if each.kind == "unknown" then return value.unknown end
    end
    local dtype = v.kind == "bool" and "bool" or v.dtype
    local through = dtype == "bool" and "int32" or shuffled[dtype]
    if not through then self:fail(line, ("'%s' of %s"):format(name, self:describe(v))) end
    local last = width and (", int(%s)"):format(self:integer(width)) or ""
    local text = ("%s(unsigned(%s), %s(%s), %s(%s)%s)"):format(fn, self:integer(mask), wire[through], as(v, through),
      lane_type,
      self:integer(lane), last)
    if dtype == "bool" then return value.bool(self:constant("lane", dtype, text .. " != 0", line)) end
    return number(self:constant("lane", dtype, types.register[dtype] .. "(" .. text .. ")", line), dtype)
  end }
end
jit.shfl_sync = shuffle("__shfl_sync", "int")
jit.shfl_up_sync = shuffle("__shfl_up_sync", "unsigned")
jit.shfl_down_sync = shuffle("__shfl_down_sync", "unsigned")
jit.shfl_xor_sync = shuffle("__shfl_xor_sync", "int")

-- ==== Atomics: the old value is the result ====

local numbers = { int32 = true, uint32 = true, int64 = true, uint64 = true, float32 = true, float64 = true }
local integers = { int32 = true, uint32 = true, int64 = true, uint64 = true }

--- Evaluates the element, then the numbers, in order.
local function atomic_arguments(self, args, line, name)
  local index = { line = line, object = args[1], key = args[2] }
  return self:sequence(#args - 1, line, function(k)
    if k > 1 then return self:number(args[k + 1], ("argument %d of '%s'"):format(k + 1, name)) end
    local object, positions = self:indexed(index)
    if object.kind ~= "array" then
      self:fail(line, ("the first argument of '%s' is %s; wanted an array"):format(name, self:describe(object)))
    end
    if not positions then
      self:fail(line, ("the second argument of '%s' is a string; wanted positions"):format(name))
    end
    if object.array.private then
      self:fail(line, ("'%s' of a private array, which no other thread sees"):format(name))
    end
    object.array.read = true
    return self:place(self:part(object, positions, line), line)
  end)
end

local function atomic(fn, allowed, extra)
  return { least = extra and 4 or 3, takes_nodes = true, call = function(self, args, line, name)
    local list = atomic_arguments(self, args, line, name)
    local element, texts = list[1], {}
    local dtype = element.array.dtype
    if not allowed[dtype] then
      self:fail(line, ("'%s' of a %s array; wanted %s"):format(name, dtype, allowed == integers
        and "int32, uint32, int64 or uint64"
        or "int32, uint32, int64, uint64, float32 or float64"))
    end
    for k = 2, #list do texts[k - 1] = list[k].kind == "unknown" and "0" or self:cast(list[k], dtype, line) end
    if fn == "sub" then texts[1] = ("%s(%s)"):format(types.is_integer(dtype) and "ma_int_negative" or "-", texts[1]) end
    self:help "jit_atomic"
    local old = self:unique "old"
    self:emit(line, ("%s %s = 0;"):format(types.register[dtype], old))
    self:emit(line, self:guarded(element, ("%s = jit_atomic_%s(&%%s, %s);"):format(old, fn == "sub" and "add" or fn,
      table.concat(texts, ", "))))
    return number(old, dtype)
  end }
end
for _, name in ipairs { "add", "sub", "exch", "min", "max" } do jit["atomic_" .. name] = atomic(name, numbers) end
for _, name in ipairs { "inc", "dec", "and", "or", "xor" } do jit["atomic_" .. name] = atomic(name, integers) end
jit.atomic_cas = atomic("cas", numbers, true)
jit.atomic_and_, jit.atomic_or_ = jit.atomic_and, jit.atomic_or

-- ==== Docstrings for ma.help ====

builtins.documents = {
  --> jit.rawkernel jit.grid jit.gridsize jit.range: local jit = ma.jit
  -->   local fill = jit.rawkernel(function(x)
  -->     for i = jit.grid(1), #x, jit.gridsize(1) do
  -->       for k in jit.range(2) do x[i] = x[i] + i * k end
  -->     end
  -->   end)
  -->   local x = ma.zeros(5)
  -->   fill({1}, {2}, {x})
  -->   return x
  { "jit.rawkernel(fn: function|string; name?: string, constants?: table, check?: boolean, captures?: string[]) "
    .. "-> jit_kernel",
    "A kernel from a Lua function or its source: k(grid, block, {args}, {shared_mem = 0}), or k[{grid, block}](...)." },
  --> jit.elementwisekernel jit.device: local cube = ma.jit.device(function(x) return x * x * x end)
  -->   return ma.jit.elementwisekernel(function(x, y) return cube(x) + y end)(ma.array {1, 2}, 3)
  { "jit.elementwisekernel(fn: function|string; in_params?: string, out_params?: string, name?: string, "
    .. "constants?: table, check?: boolean, plain?: boolean, captures?: string[]) -> jit_elementwise",
    "A kernel that calls a Lua function for every element of broadcast arrays: k(x, y), k(x, y, out), " ..
      "k(x, {size = n}). plain = true calls it as Lua, for a debugger." },
  --> jit.reductionkernel: local total = ma.jit.reductionkernel {reduce = function(a, b) return a + b end}
  -->   return total(ma.array {1, 2, 3})
  { "jit.reductionkernel(functions: moonarray.jit.reduction) -> jit_reduction",
    "A reduction of Lua functions: {map =, reduce =, post =, identity =}, with options in the same table; called " ..
      "k(x, ..., axis?, {keepdims =, out =}). reduce is associative and commutative." },
  { "jit.device(fn: function|string; name?: string, constants?: table, captures?: string[]) -> device_function",
    "A function that kernels written in Lua can call." },
  { "jit.grid(n: integer) -> integer",
    "In a kernel: the position of this thread in the whole grid, from 1, along n axes." },
  { "jit.gridsize(n: integer) -> integer", "In a kernel: the number of threads of the whole grid, along n axes." },
  { "jit.laneid() -> integer", "In a kernel: the place of this thread in its warp, from 0." },
  { "jit.range(start: integer, stop?: integer, step?: integer) -> fun(): integer",
    "In a kernel: `for i in jit.range(1, n, step) do`, both ends included." },
  --> jit.shared_memory jit.syncthreads jit.threadfence jit.laneid jit.syncwarp: local jit = ma.jit
  -->   local reverse = jit.rawkernel(function(x)
  -->     local s = jit.shared_memory("float64", 4)
  -->     local t = jit.laneid() + 1
  -->     s[t] = x[t]
  -->     jit.syncwarp()
  -->     jit.syncthreads()
  -->     x[t] = s[5 - t]
  -->     jit.threadfence()
  -->   end)
  -->   local x = ma.array {1, 2, 3, 4}
  -->   reverse({1}, {4}, {x})
  -->   return x
  { "jit.shared_memory(dtype: dtype, shape?: integer|integer[]) -> array",
    "In a kernel: an array that the threads of a block share; without a shape the one whose size the launch gives." },
  --> jit.local_memory: local sorted = ma.jit.rawkernel(function(x, y)
  -->     local t = ma.jit.local_memory("float64", 8)
  -->     for i = 1, #x do t[i] = x[#x + 1 - i] end
  -->     for i = 1, #x do y[i] = t[i] end
  -->   end)
  -->   local y = ma.zeros(3)
  -->   sorted(1, 1, {ma.array {1, 2, 3}, y})
  -->   return y
  { "jit.local_memory(dtype: dtype, shape: integer|integer[]) -> array",
    "In a kernel: an array of zeros that each thread has for itself." },
  { "jit.syncthreads()", "In a kernel: waits for all threads of the block." },
  { "jit.syncwarp(mask?: integer)", "In a kernel: waits for the threads of the warp that are in the mask." },
  { "jit.threadfence()", "In a kernel: what was written before is seen by other blocks before what is written after." },
  --> jit.shfl_sync jit.shfl_up_sync jit.shfl_down_sync jit.shfl_xor_sync: local jit = ma.jit
  -->   local lanes = jit.rawkernel(function(out)
  -->     local v = jit.threadIdx.x
  -->     local first = jit.shfl_sync(0xffffffff, v + 5, 0)
  -->     local before, after = jit.shfl_up_sync(0xffffffff, v, 1), jit.shfl_down_sync(0xffffffff, v, 1)
  -->     local other = jit.shfl_xor_sync(0xffffffff, v, 1)
  -->     if v == 2 then out[1], out[2], out[3], out[4] = first, before, after, other end
  -->   end)
  -->   local out = ma.zeros(4, "int32")
  -->   lanes({1}, {32}, {out})
  -->   return out
  { "jit.shfl_sync(mask: integer, value: number|boolean, lane: integer, width?: integer) -> number|integer",
    "In a kernel: the value of another lane of the warp." },
  { "jit.shfl_up_sync(mask: integer, value: number|boolean, delta: number|boolean, width?: integer) -> number|integer",
    "In a kernel: the value of the lane that is delta below." },
  { "jit.shfl_down_sync(mask: integer, value: number|boolean, delta: number|boolean, "
    .. "width?: integer) -> number|integer", "In a kernel: the value of the lane that is delta above." },
  { "jit.shfl_xor_sync(mask: integer, value: number|boolean, lane: integer, width?: integer) -> number|integer",
    "In a kernel: the value of the lane whose number differs by these bits." },
  --> jit.tex1D jit.tex1Dfetch jit.tex2D jit.tex3D: local jit, T = ma.jit, ma.cuda.texture
  -->   local format = T.ChannelFormatDescriptor(32, 0, 0, 0, "float")
  -->   local function texture(a, ...)
  -->     local image = T.CUDAarray(format, ...)
  -->     image:copy_from(a)
  -->     return T.TextureObject(T.ResourceDescriptor("array", image), T.TextureDescriptor("clamp", "linear"))
  -->   end
  -->   local line = ma.arange(8, "float32")
  -->   local t, u, v = texture(line, 8), texture(line:reshape(2, 4), 4, 2), texture(line:reshape(2, 2, 2), 2, 2, 2)
  -->   local w = T.TextureObject(T.ResourceDescriptor("linear", nil, line, format), T.TextureDescriptor())
  -->   local read = jit.rawkernel(function(t, u, v, w, out)
  -->     out[1], out[2] = jit.tex1D(t, 1), jit.tex2D(u, 1, 1)
  -->     out[3], out[4] = jit.tex3D(v, 1, 1, 1), jit.tex1Dfetch(w, 3)
  -->   end)
  -->   local out = ma.zeros(4, "float32")
  -->   read({1}, {1}, {t, u, v, w, out})
  -->   return out
  { "jit.tex1D(texture: texture, x: number) -> number|integer",
    "In a kernel: a texture of one axis at x; a value for each channel." },
  { "jit.tex2D(texture: texture, x: number, y: number) -> number|integer",
    "In a kernel: a texture of two axes at (x, y), where x is along the last one." },
  { "jit.tex3D(texture: texture, x: number, y: number, z: number) -> number|integer",
    "In a kernel: a texture of three axes at (x, y, z); x is along the last one." },
  { "jit.tex1Dfetch(texture: texture, k: integer) -> number|integer",
    "In a kernel: the kth texel, from 0, of a texture of linear memory." },
  { "jit.atomic_cas(array: array, index: integer|integer[], compare: number|boolean, "
    .. "value: number|boolean) -> number|integer",
    "In a kernel: writes the value if the element is `compare`, at once; the old element is the result." },
}
--> jit.atomic_add jit.atomic_sub jit.atomic_max jit.atomic_min jit.atomic_exch jit.atomic_cas jit.atomic_and
--> \ jit.atomic_or jit.atomic_xor jit.atomic_inc jit.atomic_dec: local jit = ma.jit
-->   local count = jit.rawkernel(function(x, out)
-->     local v = x[jit.grid(1)]
-->     jit.atomic_add(out, 1, v)
-->     jit.atomic_sub(out, 2, v)
-->     jit.atomic_max(out, 3, v)
-->     jit.atomic_min(out, 4, v)
-->     jit.atomic_exch(out, 5, 7)
-->     jit.atomic_cas(out, 6, 4, 9)
-->     jit.atomic_and(out, 7, 6)
-->     jit.atomic_or(out, 8, 1)
-->     jit.atomic_xor(out, 9, v)
-->     jit.atomic_inc(out, 10, 5)
-->     jit.atomic_dec(out, 11, 5)
-->   end)
-->   local out = ma.full(11, 4, "uint32")
-->   count({1}, {3}, {ma.array({1, 2, 3}, "uint32"), out})
-->   return out
for name, what in pairs { add = "adds to", sub = "subtracts from", exch = "replaces",
  min = "takes the lesser of the value and",
  max = "takes the greater of the value and",
  inc = "increments, up to the value and then from 0,", dec = "decrements, down to 0 and then from the value,",
    ["and"] = "takes the bits of the value and of",
  ["or"] = "sets the value's bits in", xor = "flips the value's bits in" } do
  builtins.documents[#builtins.documents + 1] = {
    ("jit.atomic_%s(array: array, index: integer|integer[], value: number|boolean) -> number|integer"):format(name),
    ("In a kernel: %s an element, at once; the old element is the result."):format(what) }
end

return builtins
