--- Numbers that a kernel takes from outside and that change. A number is a constant of the text at first. From its
--- first change on it is a parameter of the kernel, so that another value is no other text: a number with `taken`, the
--- entry of the parameter. What constants compute with each other is computed for such numbers before the launch. Where
--- the translation needs the value (an exponent, a step, an offset), it is a constant again, which a call compares.

local sformat = require("moonarray.text").format
local holders = require "moonarray.captures.holders"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local taken = {}

local MOST_SCALARS = 16                -- of an elementwise kernel or a program: MA_MAX_SCALARS
local MOST_VARIANTS = 16               -- for arguments of the same types, since constants that change make further ones

-- ==== What was read ==================================================================================================

local weak_values = { __mode = "v" }

--- A note of what a name stands for (`outside` looks it up), or else a field of an object. It keeps none of it alive.
function taken.read(outside, object, key, found)
  local read = { value = found, kind = type(found), raw = outside ~= nil, holder = object, key = key }
  if outside then
    local _, holder, at = outside(key)
    read.holder, read.key = holder, at
  end
  return setmetatable(read, weak_values)
end

--- What is there now of what was read.
local function read_again(read)
  local holder = read.holder
  if holder == nil then return nil end
  if read.raw then return holders.value(holder, read.key) end
  return holder[read.key]
end

--- The place in which something was found.
local function place_of(read)
  return read.raw and read.holder or holders.holder_of(read.holder, read.key), read.key
end

-- ==== Values =========================================================================================================

--- The kernel's parameter for an entry: { get, weak, reads, c }, where get() gives the number of a call and its kind,
--- or nil, and `reads` are those that it is computed from.
local function parameter(module, entry)
  local scalars = module.scalars
  scalars[#scalars + 1] = entry
  entry.c = "jit_o" .. #scalars
  return entry
end

local function of_entry(self, entry)
  self.scalars[entry.c] = entry
  local v = value.number(entry.c, value.default[entry.weak], entry.weak)
  v.taken = entry
  if entry.weak == "int" then v.host = function() return (entry.get()) end end
  return v
end

--- A number from outside that has changed before, as a value; nil for one that has not.
function taken.value(self, outside, object, key, found)
  local module = self.module
  if type(found) ~= "number" or not module.changing then return nil end
  local read = taken.read(outside, object, key, found)
  local holder, at = place_of(read)
  if holder == nil or not holders.has(module.changing, holder, at) then return nil end
  module.taken[holder] = module.taken[holder] or {}
  local entry = module.taken[holder][at]
  if not entry then
    entry = parameter(module, { reads = { read }, weak = value.of_number(found).weak })
    function entry.get()
      local now = read_again(read)
      if type(now) == "number" then return now, value.of_number(now).weak end
    end
    module.taken[holder][at] = entry
  end
  return of_entry(self, entry)
end

--- The parameter for an array from outside. `whole`: the array itself, whose axes and layout are those of the text.
local function array_parameter(module, outside, object, key, found, whole)
  local language, read = module.language, taken.read(outside, object, key, found)
  local holder, at = place_of(read)
  local of = whole and module.wholes or module.arrays
  of[holder] = of[holder] or {}
  if of[holder][at] then return of[holder][at] end
  local dtype, ndim, packed = found.dtype, found.ndim, found.is_contiguous
  local entry = parameter(module, { reads = {}, dtype = dtype, whole = whole, ndim = ndim, packed = packed })
  function entry.get()
    local now = read_again(read)
    local fits = type(now) == "userdata" and language.is_elements(now) and now.dtype == dtype
    if fits and whole then fits = now.ndim == ndim and now.is_contiguous == packed end
    return fits and now or nil
  end
  of[holder][at] = entry
  return entry
end

--- An array from outside in a function of elements: its element beside that of the arguments, a parameter as a number
--- is. Nil where that is not possible (module.takes_arrays).
function taken.array(self, outside, object, key, found)
  local module = self.module
  if not module.takes_arrays or type(found) ~= "userdata" or not module.language.is_elements(found) then return nil end
  local entry = array_parameter(module, outside, object, key, found)
  self.scalars[entry.c] = entry
  return value.element(entry.c, entry.dtype)
end

--- The array of a parameter that is a whole one, in a function.
local function array_of(self, entry)
  local array = self.wholes[entry.c]
  if not array then
    array = self.array_parameter(entry.c, entry.dtype, entry.ndim, entry.packed)
    array.input, array.outside = true, true
    self.wholes[entry.c] = array
  end
  return array
end

--- An array from outside that is read at positions, or asked for its extents. Nil where that is not possible.
function taken.whole(self, outside, object, key, found)
  local module = self.module
  if type(found) ~= "userdata" or not module.language.is_elements(found) or found.ndim == 0 then return nil end
  local array
  if module.takes_arrays then
    local entry = array_parameter(module, outside, object, key, found, true)
    self.scalars[entry.c], module.takes_whole = entry, true
    array = array_of(self, entry)
  elseif module.near and module.near.arrays then
    array, module.takes_whole = self:outside_whole(found), true
  end
  return array and { kind = "array", array = array, name = key, given = 0 }
end

--- The value as a constant of the text; other values as they are.
function taken.constant(self, v)
  local entry = v.taken
  if not entry then return v end
  for _, read in ipairs(entry.reads) do self.module.reads[#self.module.reads + 1] = read end
  return value.constant(entry.get(), entry.weak)
end

--- What f gives for values that are constants or such numbers: a parameter, which is computed before the launch. Nil if
--- there is no such number among them, or if f gives no constant.
function taken.computed(self, name, values, f)
  local any, key = false, { name }
  for k, v in ipairs(values) do
    if not v.taken and (v.kind ~= "number" or v.constant == nil) then return nil end
    any = any or v.taken
    key[k + 1] = v.taken and v.taken.c or sformat("%.17g%s", v.constant, v.weak)
  end
  if not any then return nil end
  key = table.concat(key, " ")
  local module = self.module
  local entry = module.computed[key]
  if not entry then
    local reads = {}
    for _, v in ipairs(values) do
      for _, read in ipairs(v.taken and v.taken.reads or {}) do reads[#reads + 1] = read end
    end
    local function get()
      local now = {}
      for k, v in ipairs(values) do
        now[k] = v
        if v.taken then
          local number, weak = v.taken.get()
          if not number then return nil end
          now[k] = value.constant(number, weak)
        end
      end
      local made = f(unpack(now))
      local number = made.constant
      return number, number == 0 and 1 / number < 0 and "-0" or made.weak         -- no whole number of C++
    end
    local number, weak = get()
    if number == nil then return nil end
    if weak == "-0" then
      local constants = {}
      for k, v in ipairs(values) do constants[k] = taken.constant(self, v) end
      return f(unpack(constants))
    end
    entry = parameter(module, { reads = reads, weak = weak, get = get })
    module.computed[key] = entry
  end
  return of_entry(self, entry)
end

-- ==== In C++ =========================================================================================================

local function dtype_of(entry) return entry.dtype or value.default[entry.weak] end

--- The entries that a function uses, in the order of their names.
local function used(fn)
  local list = {}
  for _, entry in ipairs(fn.module.scalars) do
    if fn.scalars[entry.c] then list[#list + 1] = entry end
  end
  return list
end

--- Adds the extents and strides of an array that a call passes, as far as the callee takes them.
function taken.pass_layout(list, to, from)
  for axis = 1, to.ndim do
    if to.extents[axis] then list[#list + 1] = tostring(from.extent(axis)) end
  end
  for axis = 1, to.ndim do
    if to.strides[axis] then list[#list + 1] = from.stride(axis) end
  end
end

--- What a call of a function passes; the caller uses it too. `of_raw`: what stands for a whole array where that is a
--- kernel's own input.
function taken.passed(self, callee, of_raw)
  local list = {}
  for _, entry in ipairs(used(callee)) do
    self.scalars[entry.c] = entry
    if entry.whole and of_raw then
      list[#list + 1] = of_raw(entry.c, array_of(callee, entry))
    elseif entry.whole then
      local from = array_of(self, entry)
      list[#list + 1] = from.pointer
      taken.pass_layout(list, array_of(callee, entry), from)
    else
      list[#list + 1] = entry.c
    end
  end
  return list
end

function taken.declarations(fn)
  local list = {}
  for _, entry in ipairs(used(fn)) do
    if entry.whole then
      for _, text in ipairs(fn.array_declarations(fn, array_of(fn, entry), 0)) do list[#list + 1] = text end
    else
      list[#list + 1] = ("const %s %s"):format(types.register[dtype_of(entry)], entry.c)
    end
  end
  return list
end

--- Numbers are constants instead where a kernel has no room for them behind as many scalars.
local function check_room(module, before)
  for _, entry in ipairs(module.scalars) do
    if not entry.dtype then before = before + 1 end
  end
  if before > MOST_SCALARS then error(("%d scalars; at most %d"):format(before, MOST_SCALARS), 0) end
end

--- How many of these arguments are numbers.
function taken.count_numbers(arguments)
  local n = 0
  for _, argument in ipairs(arguments) do n = n + (argument.weak and 1 or 0) end
  return n
end

--- The kernel's parameters, each by `format` of its type and its name. `type_of`: from dtypes to types. `before`: how
--- many other scalars an elementwise kernel or a program has.
function taken.parameters(module, format, type_of, before)
  local list = {}
  if before then check_room(module, before) end
  for k, entry in ipairs(module.scalars) do
    local dtype = dtype_of(entry)
    list[k] = (entry.whole and "raw " or "") .. format:format(type_of and type_of(dtype) or dtype, entry.c)
  end
  return list
end

function taken.dtypes(module)
  local list = {}
  for k, entry in ipairs(module.scalars) do list[k] = dtype_of(entry) end
  return list
end

--- The values of these parameters for a launch: numbers and arrays.
function taken.values(variant)
  local list = {}
  for k, entry in ipairs(variant.scalars) do list[k] = (entry.get()) end
  return list
end

-- ==== Variants =======================================================================================================

--- Whether constants are what they were. NaN is itself, and -0 is not 0.
function taken.still_holds(reads)
  for _, r in ipairs(reads) do
    local now = read_again(r)
    if now ~= r.value and (now == now or r.value == r.value) then return false end
    if r.value == nil and r.kind ~= "nil" then return false end          -- it is no more
    if now == 0 and type(now) == "number" and 1 / now ~= 1 / r.value then return false end
  end
  return true
end

--- Whether a variant is right for its numbers: they are of the same kind, and fit. `beyond`: one does not fit.
function taken.fits(variant, args)
  for _, entry in ipairs(variant.scalars) do
    local number, weak = entry.get()
    if not number or weak ~= entry.weak then return false end
  end
  if variant.scalars[1] then
    for _, fit in ipairs(variant.fits or {}) do
      if not types.holds(fit.dtype, fit.value(args)) then return false, true end
    end
  end
  return true
end

--- Notes the numbers that are others than those of a variant.
local function note(kernel, reads)
  if kernel.changing == false then return end
  for _, r in ipairs(reads) do
    local now = read_again(r)
    if type(now) == "number" and r.kind == "number" and holders.differ(now, r.value) then
      kernel.changing = kernel.changing or holders.weak_set()
      holders.put(kernel.changing, place_of(r))
    end
  end
end

--- The variant of a kernel for a key. make(changing) makes it at the first call, or when what it takes from outside is
--- another value than before.
function taken.variant(kernel, key, args, make)
  local variants = kernel.variants[key] or {}
  kernel.variants[key] = variants
  local beyond = false
  for _, variant in ipairs(variants) do
    if taken.still_holds(variant.reads) then
      local fine, too_far = taken.fits(variant, args)
      if fine then return variant end
      beyond = beyond or too_far
    end
  end
  for _, variant in ipairs(variants) do note(kernel, variant.reads) end
  if kernel.allow then kernel.allow() end
  local variant
  if kernel.changing and not beyond then
    local done, made = pcall(make, kernel.changing)
    if done then variant = made else kernel.changing = false end
  end
  variant = variant or make(nil)
  if #variants == MOST_VARIANTS then table.remove(variants, 1) end
  variants[#variants + 1] = variant
  return variant
end

-- ==== Beside what is watched =========================================================================================

--- What core.part_numbers takes (captures/element.lua): the numbers that are parameters, and which of these are
--- constants of the text too.
function taken.noted(module)
  local noted = { known = module.taken, watched = {}, scalars = {}, sources = {} }
  for holder, of in pairs(module.taken) do
    for key in pairs(of) do noted.sources[#noted.sources + 1] = { holder = holder, key = key } end
  end
  for _, read in ipairs(module.reads) do
    local holder, key = place_of(read)
    if holder ~= nil then holders.put(noted.watched, holder, key) end
  end
  return noted
end

--- For each parameter { get }, which gives its number, or nil if the variant is not right for that.
function taken.getters(variant)
  local list = {}
  for k, entry in ipairs(variant.scalars) do
    list[k] = { get = function()
      local number, weak = entry.get()
      local fine = weak == entry.weak and (k > 1 or taken.fits(variant, {}))
      return fine and number or nil
    end }
  end
  return list
end

return taken
