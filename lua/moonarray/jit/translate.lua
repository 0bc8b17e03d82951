--- Modules: a kernel, or a function for vectorize, with the device functions that it calls, as CUDA C++.

local columns = require "moonarray.vector.columns"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"
local F = require "moonarray.jit.function"
local helpers = require "moonarray.jit.helpers"
local lists = require "moonarray.lists.translate"
local neighbours = require "moonarray.spatial.near"
local prints = require "moonarray.prints.translate"
local structs = require "moonarray.struct.kernel"
local random = require "moonarray.jit.random"
local taken = require "moonarray.captures.kernel"

local Module = {}
Module.__index = Module

--- Notes a constant that was read: the text is valid while it has not changed.
function Module:remember(outside, object, key, found)
  self.reads[#self.reads + 1] = taken.read(outside, object, key, found)
end

function Module.quoted(chunk) return '"' .. chunk:gsub('[\\"%c]', "_") .. '"' end

local function new_module(language, fields)
  local module = setmetatable({ language = language, reads = {}, functions = {}, running = {}, unique = 0,
    closures = 0, scalars = {}, taken = {}, computed = {}, arrays = {}, wholes = {}, generators = {},
    struct_types = {}, read_function = language.reader() }, Module)
  for key, field in pairs(fields or {}) do module[key] = field end
  return module
end

--- The text of a device function.
local function write_function(fn, text)
  local declarations = fn.check and { "const jit_faults faults" } or {}
  for _, declaration in ipairs(random.declarations(fn)) do declarations[#declarations + 1] = declaration end
  for _, declaration in ipairs(prints.declarations(fn)) do declarations[#declarations + 1] = declaration end
  for _, declaration in ipairs(taken.declarations(fn)) do declarations[#declarations + 1] = declaration end
  if fn.numbered then declarations[#declarations + 1] = "const i8 jit_i, const i8 jit_n" end
  if fn.module.near then declarations[#declarations + 1] = "const jit_neighbours &jit_near" end
  for _, parameter in ipairs(fn.parameters) do
    if parameter.array then
      for _, declaration in ipairs(F.array_declarations(fn, parameter.array, parameter.given)) do
        declarations[#declarations + 1] = declaration
      end
    elseif parameter.object then
      declarations[#declarations + 1] = parameter.object
    elseif parameter.dtype then
      declarations[#declarations + 1] = ("%s %s"):format(types.register[parameter.dtype], parameter.c)
    end
  end
  local result = F.result_type(fn)
  if fn.results.count and fn.results.count > 1 then
    local fields = {}
    for k, field in ipairs(fn.results) do fields[k] = ("%s v%d;"):format(types.register[field.dtype], k) end
    text[#text + 1] = ("struct %s { %s };"):format(result, table.concat(fields, " "))
  end
  text[#text + 1] = ("static __device__ %s %s %s(%s) {"):format(fn.device.far and "__noinline__" or "__forceinline__",
    result, fn.c, table.concat(declarations, ", "))
  for _, line in ipairs(fn.lines) do text[#text + 1] = line end
  if result ~= "void" then text[#text + 1] = ("  return %s{};"):format(result) end
  text[#text + 1] = "}"
end

--- Appends the helpers and callees of a function before it, each once.
local function gather(fn, out)
  for name in pairs(fn.helpers) do out.helpers[name] = true end
  for _, callee in ipairs(fn.order) do
    if not out.seen[callee] then
      out.seen[callee] = true
      gather(callee, out)
      write_function(callee, out.text)
    end
  end
end

local function finish(fn, own)
  local out = { helpers = {}, seen = {}, text = {} }
  gather(fn, out)
  local text = { '#line 1 "jit.cuh"' }
  for _, helper in ipairs(helpers) do
    if helper.needs and out.helpers[helper.name] then out.helpers[helper.needs] = true end
  end
  for _, helper in ipairs(helpers) do
    if out.helpers[helper.name] or helper.always then text[#text + 1] = helper.text end
  end
  for _, line in ipairs(structs.struct_types(fn.module)) do text[#text + 1] = line end
  for _, line in ipairs(out.text) do text[#text + 1] = line end
  for _, line in ipairs(own) do text[#text + 1] = line end
  return table.concat(text, "\n") .. "\n"
end

local translate = {}

---@class moonarray.jit.argument
---@field dtype string
---@field ndim? integer  of an array
---@field contiguous? boolean
---@field texture? table  what a texture object gives: dtype, channels, ndim, linear
---@field grid? table  of a HashGrid: dtype, ndim, wrap
---@field list? { ordered: boolean }  of a list, which is an array of one axis otherwise

--- A kernel's parameters: their declarations, and what a call passes for each.
local function parameters_of(module, arrays)
  local declarations, passed = {}, {}
  for k, array in ipairs(arrays) do
    if array.texture then
      declarations[#declarations + 1] = ("unsigned long long %s"):format(array.texture)
      passed[#passed + 1] = { k, "pointer" }
    elseif array.parts then
      for part, text in ipairs(array.parts) do
        declarations[#declarations + 1] = text
        passed[#passed + 1] = { k, "part", part }
      end
    elseif array.scalar then
      local dtype = array.scalar.dtype
      declarations[#declarations + 1] = ("%s %s"):format(types.is_integer(dtype) and types.parameter(dtype)
        or types.register[dtype], array.scalar.c)
      passed[#passed + 1] = { k, "value" }
    elseif array.by_value then
      declarations[#declarations + 1] = ("%s %s"):format(structs.struct_type(module, array.struct), array.by_value)
      passed[#passed + 1] = { k, "value" }
    elseif array.list then
      for _, text in ipairs(lists.declarations(array)) do declarations[#declarations + 1] = text end
      for _, part in ipairs(lists.parts(array)) do passed[#passed + 1] = { k, part } end
    else
      for _, text in ipairs(F.array_declarations(module, array, 0, true)) do declarations[#declarations + 1] = text end
      passed[#passed + 1] = { k, "pointer" }
      for axis = 1, array.ndim do
        if array.extents[axis] then passed[#passed + 1] = { k, "extent", axis } end
      end
      for axis = 1, array.ndim do
        if array.strides[axis] then passed[#passed + 1] = { k, "stride", axis } end
      end
    end
  end
  return declarations, passed
end

--- The dtype of random numbers: that of the first argument of `which`, if it is a float dtype.
local function draw_dtype(arguments, which)
  for _, argument in ipairs(arguments) do
    if argument.dtype and which(argument) then
      local dtype = argument.dtype
      return types.is_float(dtype) and dtype or "float64"
    end
  end
  return "float64"
end

--- A kernel's name in C++, which no helper has.
function translate.name(shown)
  local name = "jit_" .. shown
  for _, helper in ipairs(helpers) do
    if helper.text:find("%f[%w_]" .. name .. "%f[^%w_]") then return name .. "_kernel" end
  end
  return name
end

-- The number of a thread among those of the grid, x first, then y and z.
local THREAD = "(i8(blockIdx.x) * blockDim.x + threadIdx.x + i8(gridDim.x) * blockDim.x * (i8(blockIdx.y) * blockDim.y "
  .. "+ threadIdx.y + i8(gridDim.y) * blockDim.y * (i8(blockIdx.z) * blockDim.z + threadIdx.z)))"

--- A kernel's text for arguments of these types, and what a call passes: a list of {argument,
--- "pointer"|"value"|"extent"|"stride"|"part", axis or part}, or a part of a list. {0, "arrived"} stands for a counter
--- that is 0, which kernels need whose blocks wait for each other, {k, "drawn"} for value k of what random.lua
--- passes, and {k, "taken"} for that of captures/kernel.lua.
---@param language table  what names mean, see init.lua
---@param kernel { tree: moonarray.jit.tree, shown: string, outside: fun(name: string): any }
---@param name string
---@param arguments moonarray.jit.argument[]
---@param check? "cpu"|"gpu"  look at positions; on a GPU a launch passes the record of faults and the kernel's number
---@param place "cpu"|"gpu"  where it runs
---@param changing? table  numbers from outside that are parameters (captures/kernel.lua)
function translate.kernel(language, kernel, name, arguments, check, place, changing)
  local module, tree = new_module(language, { check = check, changing = changing, fits = {} }), kernel.tree
  local self = F:new(module, tree, kernel.outside)
  self.proves = check == "cpu"
  module.draw_dtype = draw_dtype(arguments, function(argument) return argument.ndim end)
  local binds, arrays = {}, {}
  for k, argument in ipairs(arguments) do
    local parameter = tree.params[k]
    if argument.texture then
      local c = ("t%d_%s"):format(k, parameter)
      local alias = value.texture(c, argument.texture, parameter)
      arrays[k] = { texture = c }
      binds[k] = function() self.scope.names[parameter] = { name = parameter, alias = alias } end
    elseif argument.grid then
      local c = ("g%d_%s"):format(k, parameter)
      local alias = neighbours.value(argument.grid, c, parameter, c .. "_n")
      arrays[k] = neighbours.parameters(argument.grid, c)
      binds[k] = function() self:name_object(parameter, alias) end
    elseif argument.ndim then
      local array = F.array_parameter(("a%d_%s"):format(k, parameter), argument.dtype, argument.ndim,
        argument.contiguous)
      structs.with_fields(array, argument.struct)
      if argument.by_value then structs.by_value(array) end
      array.list, arrays[k] = argument.list, array
      local alias = { kind = "array", array = array, name = parameter, given = 0 }
      binds[k] = function() self.scope.names[parameter] = { name = parameter, alias = alias } end
    else
      local v = value.element("", argument.dtype)
      local scalar
      scalar, binds[k] = self:scalar_parameter(parameter, k, v)
      arrays[k] = { scalar = scalar }
    end
  end
  self.bind = function()
    for _, bind in ipairs(binds) do bind() end
  end
  self:settle_types()
  local noted, held = check, nil       -- where faults are noted: of positions, or of lists that are full
  for k, array in ipairs(arrays) do
    if array.list then
      lists.check(self, array)
      held = held or {}
      held[k] = array
      if array.appended then noted = place end
    end
  end
  local declarations, passed = parameters_of(module, arrays)
  local before = {}
  if module.cooperative then
    declarations[#declarations + 1] = "uint32_t *jit_arrived"
    passed[#passed + 1] = { 0, "arrived" }
  end
  for k, declaration in ipairs(random.parameters(module, "%s_t %s")) do
    declarations[#declarations + 1] = declaration
    passed[#passed + 1] = { k, "drawn" }
  end
  if self.prints then
    for k, declaration in ipairs(prints.parameters "%s_t %s") do
      declarations[#declarations + 1] = declaration
      passed[#passed + 1] = { k, "printed" }
    end
    before[1] = ("  const jit_lines jit_printer = %s;"):format(prints.printer("jit_words", THREAD))
  end
  local function type_of(dtype) return types.is_integer(dtype) and types.parameter(dtype) or types.register[dtype] end
  for k, declaration in ipairs(taken.parameters(module, "%s %s", type_of)) do
    declarations[#declarations + 1] = declaration
    passed[#passed + 1] = { k, "taken" }
  end
  if noted then
    self:help "jit_check"
    before[#before + 1] = noted == "cpu" and ('  const jit_faults faults = {"jit.%s"};'):format(kernel.shown)
      or "  const jit_faults faults = {(fault_record *)jit_record, jit_number};"
    if noted == "gpu" then
      declarations[#declarations + 1] = "uint64_t jit_record"
      declarations[#declarations + 1] = "int32_t jit_number"
    end
  end
  for _, line in ipairs(random.of_thread(self, THREAD)) do before[#before + 1] = line end
  for _, array in ipairs(arrays) do
    if array.list then
      local text = lists.beginning(array, THREAD, "faults")
      self:help "jit_size"
      before[#before + 1] = text
      if self.proof and not array.appended then table.insert(self.proof.lines, 1, text) end
    end
  end
  local head = ('extern "C" __global__ void %s(%s) {'):format(name, table.concat(declarations, ", "))
  local own = { self:proof_text(name, declarations) or head }
  if own[1] ~= head then own[2] = head end
  for _, array in ipairs(arrays) do
    if array.made then before[#before + 1] = "  " .. array.made end
    if array.pointer and types.is_half(array.dtype) and not array.appended then
      local c = array.written and "u2" or "const u2"
      before[#before + 1] = ("  %s *%s = (%s *)%s_v;"):format(c, array.pointer, c, array.pointer)
    end
  end
  for _, line in ipairs(before) do own[#own + 1] = line end
  for _, line in ipairs(self.lines) do own[#own + 1] = line end
  own[#own + 1] = "}"
  return { text = finish(self, own), passed = passed, reads = module.reads, noted = noted, lists = held,
    cooperative = module.cooperative, draws = random.taken(self), places = module.places,
    scalars = module.scalars, fits = module.fits }
end

-- ==== Functions of elements ====

--- Functions that a kernel over elements calls (ma.vectorize, jit.elementwisekernel, jit.reductionkernel), of scalars
--- and of whole arrays, in one text.
local Functions = {}
Functions.__index = Functions

---@param language table
---@param numbered boolean  they are given the element's number and how many there are
---@param changing? table  numbers from outside that are parameters
function translate.functions(language, numbered, changing)
  local module = new_module(language, { scalar = true, fits = {}, numbered = numbered or nil, changing = changing })
  return setmetatable({ module = module, order = {}, reads = module.reads, fits = module.fits,
    scalars = module.scalars, count = 0 }, Functions)
end

local of_argument

--- A vector of arguments, which have no names.
local function of_vector(argument)
  local v = { kind = "vector", vector = argument.vector }
  for j, part in ipairs(argument) do v[j] = of_argument(part, argument.before + j) end
  return v
end

function of_argument(argument, k, name)
  if argument.vector then return of_vector(argument) end
  if argument.grid then return neighbours.value(argument.grid, "", name) end
  if argument.ndim then
    local array = F.array_parameter("a" .. k, argument.dtype, argument.ndim, argument.contiguous)
    array.input, array.argument, array.list = argument.input, k, argument.list
    array.field = argument.field         -- elements that are given as values
    structs.with_fields(array, argument.struct)
    if argument.extent then              -- known: no parameter, and loops over it can be unrolled
      array.static = true
      function array.extent() return argument.extent end
    end
    return { kind = "array", array = array, name = name, given = 0 }
  end
  local v = value.element("", argument.dtype, argument.weak)
  v.host = argument.weak == "int" and function(given) return given[k] end or nil
  return v
end

--- Translates one more function, for arguments of these types. `c` is its name, `results` has the types of its results,
--- and `parameters` are its parameters. It becomes a part of the text when it is kept.
---@param device { tree: moonarray.jit.tree, outside: fun(name: string): any }
---@param arguments { dtype: string, weak?: string, ndim?: integer, contiguous?: boolean, input?: boolean }[]
---@param check? "cpu"|"gpu"
function Functions:translate(device, arguments, check)
  local args, module = {}, self.module
  for k, argument in ipairs(columns.grouped(device.groups, arguments)) do
    args[k] = of_argument(argument, k, device.tree.params[k])
  end
  self.count = self.count + 1
  module.draw_dtype = module.draw_dtype or draw_dtype(arguments, function(argument) return not argument.weak end)
  module.check = check
  if check then self.checks = true end
  local fn = F:specialise(module, device, args, "own" .. self.count)
  if fn.prints and not self.may_print then
    fn:fail(fn.prints, "'print' is available in kernels of jit.rawkernel, jit.elementwisekernel and ma.vectorize")
  end
  if fn.results.groups and not device.out_groups then
    fn:fail(fn.tree.line, "a vector as a result; return v:unpack()")
  end
  return fn
end

function Functions:keep(fn) self.order[#self.order + 1] = fn end

--- Whether a function asks for the number of its element but does not get it.
function Functions:wants_index() return self.module.wants_index and not self.module.numbered end

function Functions:text(own)
  local holder = { module = self.module, helpers = { jit_check = self.checks }, order = self.order, callees = {} }
  return finish(holder, own or {})
end

return translate
