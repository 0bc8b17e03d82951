--- ma.jit: kernels written in Lua. The source of a function is found and parsed once, translated once for each
--- combination of argument types, and launched as a raw kernel.

local require, setmetatable = require, setmetatable

--- A module that is loaded at its first use, so that a program without kernels has fewer objects for Lua's collector.
local function later(name)
  return setmetatable({}, { __index = function(_, key) return require(name)[key] end })
end

local source, translate = later "moonarray.jit.source", later "moonarray.jit.translate"
local builtins = require "moonarray.jit.builtins"
local lists = require "moonarray.lists.translate"
local types = require "moonarray.jit.types"
local random = require "moonarray.jit.random"
local taken = require "moonarray.captures.kernel"
local holders = require "moonarray.captures.holders"

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local jit = {}
  ma.jit = core.strict(jit, "jit")

  -- ==== Meanings of names ====

  local language = { values = {}, names = {}, devices = setmetatable({}, { __mode = "k" }), classes = {},
    is_array = function(object) return is_array(object) or core.held(object) ~= nil end,
    is_elements = is_array,
    is_generator = function(object) return ma.random ~= nil and core.is_generator(object) end }

  local function outside(name)
    return function() error(("moonarray.jit: '%s' is available in a kernel alone"):format(name), 2) end
  end

  for name, builtin in pairs(builtins.jit) do
    language.names[name] = builtin
    if builtin.constant then
      jit[name] = builtin.constant
    elseif builtin.fields then
      jit[name] = setmetatable({}, { __index = outside(name), __newindex = outside(name) })
      language.values[jit[name]] = builtin
    else
      jit[name] = outside(name)
      language.values[jit[name]] = builtin
    end
  end
  local vector = require("moonarray.vector").load(ma, core)
  language.vector_of = vector.parts
  for name, kind in pairs(vector.kinds) do
    language.values[jit[name]] = require("moonarray.vector.translate").constructor(kind)
  end
  language.values[jit.rotation] = require("moonarray.vector.translate").rotation
  local group = require "moonarray.jit.group"
  for _, functions in ipairs { require "moonarray.jit.texture", { append = lists.append } } do
    for name, builtin in pairs(functions) do
      jit[name] = outside(name)
      language.values[jit[name]] = builtin
    end
  end
  for _, part in ipairs { "cg", "cub" } do
    local functions = {}
    for name, builtin in pairs(group[part]) do
      functions[name] = outside("jit." .. part .. "." .. name)
      language.values[functions[name]] = builtin
    end
    jit[part] = core.strict(functions, "jit." .. part)
  end
  local function known(object, name, builtin)
    if object == ma then core.summon(name) end          -- what nobody has used yet
    local found = rawget(object, name)
    if found ~= nil and type(found) ~= "number" then language.values[found] = builtin end
  end
  for name, builtin in pairs(builtins.math) do
    known(math, name, builtin)
    if name ~= "modf" then known(ma, name, builtin) end
  end
  known(ma, "minimum", builtins.math.min)
  known(ma, "maximum", builtins.math.max)
  for name, builtin in pairs(builtins.casts) do known(ma, name, builtin) end
  local found, bit = pcall(require, "bit")
  for name, builtin in pairs(builtins.bit) do
    if found then known(bit, name, builtin) end
  end
  -- ma.where and the functions of ma.noise, which are loaded when they are first used.
  setmetatable(language.values, { __index = function(_, object)
    if object ~= nil and object == rawget(ma, "where") then return builtins.where end
    local name = core.noise and core.noise[object]
    return name and require("moonarray.noise.kernel")[name]
  end })
  local of_jit = getmetatable(jit)
  local unknown = of_jit.__index
  function of_jit.__index(object, key) return key == "noise" and ma.noise or unknown(object, key) end
  -- While a function of elements is recorded, another function stands in the place of math.random.
  language.values[rawget(core, "math_random") or math.random] = random.math
  for _, helper in ipairs(require "moonarray.jit.helpers") do
    if helper.name == "jit_draws" then helper.text = random.helper(core.random_text()) end
  end
  -- LuaJIT has a global `jit`; in a kernel the name means ma.jit.
  language.names.math, language.names.ma, language.names.moonarray, language.names.jit = { lua = math }, { lua = ma },
    { lua = ma }, { lua = jit }
  language.libraries = { [math] = true, [ma] = true, [jit] = true }
  if found then language.names.bit, language.libraries[bit] = { lua = bit }, true end
  language.names.print = require("moonarray.prints.translate").print
  if rawget(_G, "print") then language.values[rawget(_G, "print")] = language.names.print end

  --- Looks up the free names of a function: upvalues, then globals, then the names above. What it returns for a name
  --- is the value, and the place where that is (captures/holders.lua).
  local function environment(fn, constants)
    local slots, globals = {}, _G
    if fn and type(debug) == "table" and debug.getupvalue then
      for slot = 1, 255 do
        local name = debug.getupvalue(fn, slot)
        if not name then break end
        slots[name] = slot
      end
      globals = debug.getfenv and debug.getfenv(fn) or _G
    end
    local own_jit = rawget(_G, "jit")
    return function(name)
      if constants and constants[name] ~= nil then return constants[name], constants, name end
      if slots[name] then return holders.value(fn, slots[name]), fn, slots[name] end
      if type(globals) ~= "table" then return nil end
      local value = rawget(globals, name)
      if value ~= nil and (value == own_jit or name == "print") then return nil end
      return value, globals, name
    end
  end

  local function identifier(name)
    return type(name) == "string" and #name <= 100 and name:find("^[%a_][%w_]*$") ~= nil
  end

  local of_names

  --- The names in the texts of kernels.
  local function names()
    of_names = of_names or require "moonarray.captures.names" (ma, core)
    return of_names
  end

  --- Reads the function to translate, from a Lua function or a source string.
  local function read(what, given, options, key)
    local kernel
    if language.devices[given] then
      kernel = { tree = given.tree, outside = given.outside, fn = given.fn, made_of = given.made_of }
    elseif type(given) == "function" then
      kernel = { tree = source.of_function(given, function(text) fail(what, text) end, key),
        outside = environment(given, options.constants), fn = given, made_of = given }
    elseif type(given) == "string" then
      kernel = { tree = source.of_string(given, options.name or "kernel"),
        outside = environment(nil, options.constants) }
    else
      fail(what, core.describe(given) .. "; wanted a function or its source")
    end
    kernel.constants = options.constants
    if options.captures ~= nil then
      function kernel.allow() names().allow(what, kernel, options.captures) end
      kernel.allow()
    end
    return kernel
  end

  --- A reader of the program's functions, as ones that kernels call. It is for one translation, as it keeps them alive.
  function language.reader()
    local functions, count = {}, 0
    return function(fn)
      if not functions[fn] and core.is_users(fn) then
        count = count + 1
        functions[fn] = read("jit", fn, {})
        functions[fn].id = "rule" .. count
      end
      return functions[fn]
    end
  end

  local function check_options(what, options, allowed)
    if options == nil then return {} end
    if type(options) ~= "table" then fail(what, core.describe(options) .. " as options; wanted a table") end
    for key in pairs(options) do
      if not allowed[key] then fail(what, ("no option '%s'; there are %s"):format(tostring(key), allowed.list)) end
    end
    if options.name ~= nil and not identifier(options.name) then
      fail(what, ("the name %s; wanted letters, digits and _"):format(core.describe(options.name)))
    end
    if options.check ~= nil and type(options.check) ~= "boolean" then
      fail(what, "check is " .. core.describe(options.check) .. "; wanted a boolean")
    end
    if options.constants ~= nil and type(options.constants) ~= "table" then
      fail(what, "constants is " .. core.describe(options.constants) .. "; wanted a table")
    end
    return options
  end

  -- ==== Device functions ====

  --- In the plain form of a function it is called as it stands.
  local function call_device(self, ...)
    local plain = rawget(core, "plain")
    if plain and plain.depth > 0 and self.fn then return self.fn(...) end
    fail(nil, "a device function; wanted a call from a kernel or a rule")
  end

  local Device = { __call = call_device,
    __tostring = function(self) return ("device function '%s'"):format(self.tree.name or "?") end }
  local devices = 0

  --> = device_function | ma.jit.device(function(x) return x + 1 end) | Called in kernels in Lua.
  --> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  --> device_function:captures: next(device_function:captures()) == nil
  Device.__index = { captures = function(self) return names().list(self) end }

  local device_options = { name = true, constants = true, captures = true, list = "name, constants and captures" }

  --- A function that kernels can call.
  ---@param given function|string
  function jit.device(given, options)
    options = check_options("jit.device", options, device_options)
    local device = setmetatable(read("jit.device", given, options), Device)
    device.fn = type(given) == "function" and not options.constants and given or nil
    devices = devices + 1
    device.id = devices
    language.devices[device] = true
    return device
  end

  -- ==== Kernels ====

  -- Types of arguments and their keys, each made once: those of numbers by dtype, of arrays by dtype and twice the
  -- axes, one more if contiguous.
  local numbers, arrays = {}, {}

  local function of_number(dtype)
    local made = numbers[dtype]
    if not made then
      made = { { dtype = dtype }, dtype .. ";" }
      numbers[dtype] = made
    end
    return made[1], made[2]
  end

  local function of_array(arg)
    local dtype, ndim, contiguous = arg.dtype, arg.ndim, arg.is_contiguous
    if ndim == 0 then return of_number(dtype) end
    local list = arrays[dtype] or {}
    arrays[dtype] = list
    local place = contiguous and 2 * ndim + 1 or 2 * ndim
    local made = list[place]
    if not made then
      made = { { dtype = dtype, ndim = ndim, contiguous = contiguous },
        ("%s:%d:%s;"):format(dtype, ndim, contiguous and "c" or "s") }
      list[place] = made
    end
    return made[1], made[2]
  end

  --- What the translator is told of an object of the library's, and the arrays that a kernel is given for it; or nil,
  --- and what is wrong with it.
  local function object_of(arg)
    local meta = type(arg) == "table" and getmetatable(arg)
    local describe = type(meta) == "table" and rawget(meta, "jit_argument")
    if describe then return describe(arg) end
  end

  --- An array of structs, or one of the FFI: a reference, or with by_value a copy.
  local function of_structs(struct, ndim, contiguous, by_value)
    return { dtype = "uint8", ndim = ndim, contiguous = contiguous, struct = struct, by_value = by_value },
      ("%s:%d:%s%s;"):format(struct.key, ndim, contiguous and "c" or "s", by_value and "v" or "")
  end

  --- The type of an argument for the translator, and a key that tells it from others.
  local function classify(arg, k, kernel)
    if is_array(arg) then return of_array(arg) end
    if lists.is(arg) then
      return { dtype = arg.dtype, ndim = 1, contiguous = true, list = { ordered = arg.ordered } },
        ("list:%s:%s;"):format(arg.dtype, tostring(arg.ordered))
    end
    local kind = type(arg)
    local fields = kind == "userdata" and core.texture_fields(arg)
    if fields and fields.read then
      local of = fields.read
      return { texture = of }, ("texture:%s:%d:%d:%s;"):format(of.dtype, of.channels, of.ndim, tostring(of.linear))
    end
    if kind == "number" then
      local dtype = arg == math.floor(arg) and math.abs(arg) < 2 ^ 63 and "int64" or "float64"
      return of_number(dtype)
    end
    if kind == "boolean" then return of_number "bool" end
    local integer = types.of_cdata(arg)
    if integer then return of_number(integer) end
    local argument, why = object_of(arg)
    if argument then return argument, argument.key end
    local held = kind == "userdata" and core.held(arg)
    if held and held.bytes then return of_structs(held.struct, arg.ndim, held.bytes.is_contiguous) end
    local struct = kind == "cdata" and ma.struct and core.structs.of_value(arg)
    if struct then return of_structs(struct, 0, true, true) end
    local name = kernel.tree.params[k]
    fail("jit." .. kernel.shown, ("argument %d (%s) is %s"):format(k, name, why or core.describe(arg)
      .. "; wanted an array, a number, a boolean, a struct, a HashGrid, a list or a texture object"))
  end

  --- The translation for arguments, made at their first call or when a constant has changed.
  local function variant_of(kernel, args, stream)
    local params, given = kernel.tree.params, #kernel.tree.params
    for key in pairs(args) do
      if type(key) ~= "number" or key < 1 or key > given or key ~= math.floor(key) then
        fail("jit." .. kernel.shown, ("%s among the arguments; wanted %d: %s"):format(type(key) == "number"
          and "argument " .. key or
          "the key '" .. tostring(key) .. "'", given, table.concat(params, ", ")))
      end
    end
    local check = kernel.check and core.where_checked(stream)
    local arguments, keys = {}, { check or "" }
    for k = 1, given do
      if args[k] == nil then
        fail("jit." .. kernel.shown, ("argument %d (%s) is nil; wanted %d arguments"):format(k, params[k], given))
      end
      arguments[k], keys[k + 1] = classify(args[k], k, kernel)
    end
    kernel.name = rawget(kernel, "name") or translate.name(kernel.shown)
    local variant = taken.variant(kernel, table.concat(keys), args, function(changing)
      local made = translate.kernel(language, kernel, kernel.name, arguments, check,
        core.where_checked(stream, true), changing)
      made.check = check
      return made
    end)
    kernel.latest = variant
    return variant
  end

  --- An argument that lies on a device.
  local function placed(args)
    for _, arg in pairs(args) do
      if is_array(arg) or lists.is(arg) or core.held(arg) then return arg end
    end
  end

  --- The counter by which blocks wait for each other, on the device of the arguments.
  local function counter_of(args)
    local arg = placed(args)
    if arg then return ma.device(arg.device):with(ma.zeros, 1, "uint32") end
    return ma.zeros(1, "uint32")
  end

  --- The values of the C parameters. `staged`: what launches over lists need (moonarray.lists).
  local function passed(kernel, variant, args, stream, staged, printed)
    local list, strides = {}, nil
    local drawn = variant.draws and random.values(core, "jit." .. kernel.shown, variant.draws, stream)
    local now = taken.values(variant)
    for n, item in ipairs(variant.passed) do
      local k, kind, axis = item[1], item[2], item[3]
      local arg = args[k]
      if kind == "arrived" then
        list[n] = counter_of(args)
      elseif kind == "drawn" then
        list[n] = drawn[k]
      elseif kind == "taken" then
        list[n] = now[k]
      elseif kind == "part" then
        list[n] = select(2, object_of(arg))[axis]
      elseif kind == "printed" then
        list[n] = printed[k]
      elseif staged and staged[k] then
        list[n] = staged[k][kind]
      elseif kind == "extent" then
        list[n] = arg.shape[axis]
      elseif kind == "stride" then
        strides = strides or {}
        strides[k] = strides[k] or arg.strides
        list[n] = strides[k][axis] / arg.itemsize
      elseif kind == "value" and is_array(arg) and types.is_half(arg.dtype) then
        list[n] = arg:item()
      else
        list[n] = arg
      end
    end
    return list
  end

  local MOST_PARAMETERS = 64           -- for a kernel on either device

  local launch

  --- The launch in a function that is differentiated.
  local function launch_recorded(kernel, grid, block, args, options)
    local derivative, writes = rawget(kernel, "derivative"), rawget(kernel, "writes")
    return core.flows.launch("jit." .. kernel.shown, { derivative = derivative, writes = writes }, args, function()
      return core.unrecorded(launch, kernel, grid, block, args, options)
    end)
  end

  function launch(kernel, grid, block, args, options)
    if core.is_recording() and type(args) == "table" then
      return launch_recorded(kernel, grid, block, args, options)
    end
    if type(args) ~= "table" or is_array(args) then
      fail("jit." .. kernel.shown,
        ("the arguments are %s; wanted a table: k(grid, block, {x, y})"):format(core.describe(args)))
    end
    local stream = type(options) == "table" and options.stream or nil
    local variant = variant_of(kernel, args, stream)
    local nparam = #variant.passed + (variant.noted == "gpu" and 2 or 0)
    if nparam > MOST_PARAMETERS then
      fail("jit." .. kernel.shown,
        ("%d C parameters, for arrays, their extents and strides; at most %d%s"):format(nparam, MOST_PARAMETERS,
        variant.check and " ({check = false} needs fewer extents)" or ""))
    end
    variant.raw = variant.raw or core.printed_kernel(variant.text, kernel.name, nil, variant.noted and "jit."
      .. kernel.shown or nil, variant.cooperative)
    if not variant.lists and not variant.places then
      return variant.raw(grid, block, passed(kernel, variant, args, stream), options)
    end
    local staged = core.lists.stage("jit." .. kernel.shown, variant.lists or {}, args, core.lists.threads(grid, block))
    local printed = variant.places and { core.prints.values(kernel, variant, placed(args), stream) }
    core.lists.launch(staged, variant.raw, grid, block, passed(kernel, variant, args, stream, staged, printed), options)
    if printed then core.prints.launched(printed[1]) end
  end

  local methods = {}

  --> = jit_kernel | ma.jit.rawkernel(function(x) x[1] = 1 end) | Called k(grid, block, {arguments}, options).
  --> . cached_code: string | the CUDA C++ of the last launch
  --> + call(integer[], integer[], table, table?): any
  --> :captures() -> table | What the function takes from outside: present values by names such as "config.speed".
  --> jit_kernel:captures: next(jit_kernel:captures()) == nil
  --> :code_for(args:
  --> \ table) -> string | The CUDA C++ for arguments, without a launch; an array may be {dtype =, ndim =}.
  --> jit_kernel:code_for: jit_kernel:code_for({ma.ones(3)}):match("__global__")
  function methods.captures(kernel) return names().list(kernel) end

  --> :prepare(grid: integer[], block: integer[], args: table, options?: table) -> preparation | Has what such a launch
  --> \ needs compiled, without waiting.
  --> jit_kernel:prepare: ma.await(jit_kernel:prepare({1}, {1}, {ma.ones(1)})) == jit_kernel
  function methods.prepare(...) return core.prepared(...) end

  function methods.code_for(kernel, args)
    return variant_of(kernel, common.type("jit." .. kernel.shown .. ".code_for", "args", args, "table")).text
  end

  local Kernel = { __tostring = function(self) return ("jit kernel '%s'"):format(rawget(self, "shown")) end,
    __call = launch }

  function Kernel.__index(kernel, key)
    if type(key) == "table" then
      if #key ~= 2 then fail("jit." .. kernel.shown, ("%d values in k[{grid, block}]; wanted 2"):format(#key)) end
      return function(...)
        local args = { ... }
        for k = 1, select("#", ...) do
          if args[k] == nil then
            fail("jit." .. kernel.shown, ("argument %d (%s) is nil; wanted %d arguments"):format(k,
              kernel.tree.params[k] or "?", #kernel.tree.params))
          end
        end
        return launch(kernel, key[1], key[2], args)
      end
    end
    if key == "cached_code" then return kernel.latest and kernel.latest.text or "" end
    if methods[key] == nil then core.unknown("jit.rawkernel", key, methods, { cached_code = true }) end
    return methods[key]
  end

  common.guard("jit.kernel", Kernel, methods)

  local kernel_options = { name = true, constants = true, check = true, captures = true, derivative = true,
    writes = true, list = "name, constants, check, captures, derivative and writes" }

  --- A kernel out of a Lua function or its source: k(grid, block, {args}, {shared_mem = 0}), or k[{grid, block}](...).
  ---@param given function|string
  -- It looks at its positions, on a GPU with MOONARRAY_CHECK=1 alone; not with {check = false}.
  -- ma.grad goes through it where `writes` lists the arguments that it writes, as a whole, and derivative(g, ...) gives
  -- for each argument what flows to it, if g flows to what it writes.
  ---@param options? { name?: string, constants?: table, check?: boolean, derivative?: function, writes?: integer[] }
  function jit.rawkernel(given, options)
    options = check_options("jit.rawkernel", options, kernel_options)
    local kernel = read("jit.rawkernel", given, options)
    if options.derivative ~= nil then common.callable("jit.rawkernel", "derivative", options.derivative) end
    if options.writes ~= nil then common.type("jit.rawkernel", "writes", options.writes, "table") end
    kernel.derivative, kernel.writes = options.derivative, options.writes
    kernel.shown = options.name or kernel.tree.name or "kernel"
    kernel.check = options.check ~= false
    kernel.variants = {}
    return setmetatable(kernel, Kernel)
  end

  -- ==== Docstrings for ma.help ====

  for _, documents in ipairs { builtins.documents, group.documents, lists.documents } do
    for _, entry in ipairs(documents) do core.document(entry[1]:match("^[%w_.]+"), entry[1], entry[2]) end
  end

  -- ==== Random numbers ====

  --- What a draw is for a function that is recorded, or a number for one that runs for each element.
  local function drawn(name, kind, from, to, generator)
    local element, plain = core.draw_element(kind, from, to, generator), rawget(core, "plain")
    if element ~= nil then return element end
    if not plain or plain.depth == 0 then fail(name, "outside of a function of elements or a kernel in Lua") end
    if kind == "integers" then return ma.random.integers(from, to, { endpoint = true, generator = generator }) end
    return ma.random[kind] { generator = generator }
  end

  --> jit.random: ma.fuse(function(x) return x + 0 * ma.jit.random() end)(ma.ones(3))
  core.def("jit.random(generator?: generator) -> any",
    "In a function of elements or a kernel in Lua: a random number in [0, 1) for each element, or thread, of a draw " ..
      "of the generator, or of ma.random's, that each run makes. It has the first array's dtype if that is a float " ..
      "dtype, else float64. math.random() is the same.",
    function(generator) return drawn("jit.random", "random", nil, nil, generator) end)

  --> jit.randn: ma.fuse(function(x) return x + 0 * ma.jit.randn() end)(ma.ones(3))
  core.def("jit.randn(generator?: generator) -> any", "As jit.random: a normal number, of mean 0 and deviation 1.",
    function(generator) return drawn("jit.randn", "standard_normal", nil, nil, generator) end)

  --> jit.randint: ma.fuse(function(x) return x + 0 * ma.jit.randint(0, 10) end)(ma.ones(3))
  core.def("jit.randint(low: integer, high: integer, generator?: generator) -> any",
    "As jit.random: a whole number from low to below high, as int64. math.random(m, n) has both ends.",
    function(low, high, generator)
      local from, to = common.whole("jit.randint", "low", low), common.whole("jit.randint", "high", high)
      if from >= to then fail("jit.randint", ("low is %.0f and high %.0f; wanted low < high"):format(from, to)) end
      return drawn("jit.randint", "integers", from, to - 1, generator)
    end)
  core.draw_functions = {}
  for name, builtin in pairs(random.builtins) do
    language.values[jit[name]], core.draw_functions[jit[name]] = builtin, true
  end

  --- For other parts that translate functions.
  core.jit = { language = language, names = names, holds = types.holds, read = read,
    environment = environment, check_options = check_options, object_of = object_of }
  core.jit.elements = require "moonarray.jit.elementwise" (ma, core)
  require "moonarray.jit.reduction" (ma, core)
end
