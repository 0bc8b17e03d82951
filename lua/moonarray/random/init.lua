--- Random numbers: numpy.random's generators and functions. A generator is a seed of 64 bits and the number of the next
--- draw. Element i of a draw is a function of these and of i alone (core.random ...), and the same on every device.

local tonumber = require("moonarray.text").tonumber
local sformat, huge, max = require("moonarray.text").format, math.huge, math.max
local concat, unpack = table.concat, unpack

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local whole = common.whole
  local key_of = require "moonarray.random.seed" (ma, core)

  local empty = ma.empty
  local MOST_DRAWS = 2 ^ 32
  local random = {}                      -- functions of ma.random that are also methods of generators, by name

  -- ==== Generators =================================================================================================

  local kept = common.kept "random"      -- the class, and the generator of the functions of ma.random
  local watch = require "moonarray.random.watch" (core, kept)
  local change, source_of = watch.change, watch.source

  -- A generator is a list of numbers, which no call takes for a table of options.
  --> = generator | ma.random.default_rng(1) | A generator of random numbers; its draws are methods.
  ---@class moonarray.Generator
  ---@field [integer] integer
  local Generator = kept.Generator or {}
  kept.Generator = Generator
  local LOW, HIGH, DRAW, CHILDREN, BITS = 1, 2, 3, 4, 5       -- BITS: false, or the name of a generator of cuRAND

  local function is_generator(value) return type(value) == "table" and getmetatable(value) == Generator end

  local function new_generator(low, high, bits)
    return setmetatable({ [LOW] = low, [HIGH] = high, [DRAW] = 0, [CHILDREN] = 0, [BITS] = bits or false }, Generator)
  end

  local function global_generator()
    if not kept.global then
      local text = core.random_switch()
      local seed = text ~= ""
        and (tonumber(text) or fail("random", "MOONARRAY_SEED is '" .. text .. "'; wanted a whole number")) or nil
      kept.global = new_generator(key_of("random", seed))
    end
    return kept.global
  end

  local function check_generator(name, generator)
    local rng = generator or global_generator()
    if not is_generator(rng) then
      fail(name, "generator is " .. core.describe(rng) .. "; wanted one of random.default_rng")
    end
    return rng
  end

  local function taken(name, rng, count)
    local draw = change(rng)[DRAW]
    if draw + count > MOST_DRAWS then
      fail(name, "2^32 draws were taken from this generator; seed another one")
    end
    if not kept.is_preparing then rng[DRAW] = draw + count end          -- kernel:prepare draws nothing
    return rng[LOW], rng[HIGH], draw
  end

  --- The generator's key and the number of its next draw, and takes `count` draws, for work on `out`. If a graph
  --- records the work, each launch takes draws, and the results are the generator's number in the graph, false, and the
  --- draw's number in a launch.
  local function take(name, generator, out, count)
    local rng = check_generator(name, generator)
    if rng[BITS] and not count then
      fail(name, rng[BITS] .. " makes uniform, normal and whole numbers; take 'philox' for others")
    end
    if type(out) == "string" then
      if core.random_recorded() then
        fail(name, "a draw without size is a number, the same in each launch; write size = {}")
      end
    else
      local source, nth = source_of(name, out, rng, count or 1)
      if source then return source, false, nth end
    end
    return taken(name, rng, count or 1)
  end

  local PHILOX = { philox = true, philox4x3210 = true, philox4x32_10 = true }
  local CURAND = { xorwow = true, mrg32k3a = true, mtgp32 = true, mt19937 = true,
    sobol32 = "quasi", scrambled_sobol32 = "quasi", sobol64 = "quasi", scrambled_sobol64 = "quasi" }

  --> random.default_rng: ma.random.default_rng(1):random(3)
  def("random.default_rng(seed?: integer|integer[]|array, bit_generator?: string) -> generator",
    "A generator of random numbers with methods as in NumPy: random, integers, normal, choice ... "
    .. "seed: a whole number, a list or an array of them, or none for one that nobody knows. The same seed gives " ..
      "the same numbers on every device.",
    function(seed, bit_generator)
      local name = "random.default_rng"
      local bits = type(bit_generator) == "string" and bit_generator:lower() or nil
      if bit_generator ~= nil and not (bits and (PHILOX[bits] or CURAND[bits])) then
        fail(name, "bit_generator is " .. core.describe(bit_generator)
          .. "; there is 'philox' (Philox4x32-10), and by cuRAND 'xorwow', 'mrg32k3a', "
          .. "'mtgp32', 'mt19937', 'sobol32', 'sobol64', 'scrambled_sobol32', 'scrambled_sobol64'")
      end
      if is_generator(seed) then return seed end
      local low, high = key_of(name, seed)
      return new_generator(low, high, bits and CURAND[bits] and bits or nil)
    end)

  --> random.seed: ma.random.seed(1)
  -->   return ma.random.random(3)
  def("random.seed(seed?: integer|integer[]|array)",
    "Seeds the generator of the functions of moonarray.random, which starts with " ..
    "$MOONARRAY_SEED or a seed that nobody knows.",
    function(seed)
      local low, high = key_of("random.seed", seed)
      -- The same generator, so that graphs that draw from it continue with the new seed.
      local rng = change(kept.global or new_generator(low, high))
      rng[LOW], rng[HIGH], rng[DRAW], rng[CHILDREN], rng[BITS] = low, high, 0, 0, false
      kept.global = rng
    end)

  --> :get_state() -> table | Its state, to be stored.
  --> generator:get_state generator:set_state: local state, first = generator:get_state(), generator:random(3)
  -->   generator:set_state(state)
  -->   return ma.array_equal(generator:random(3), first)
  function Generator:get_state()
    return { bit_generator = self[BITS] or "philox4x32_10", low = self[LOW], high = self[HIGH], draw = self[DRAW],
      children = self[CHILDREN] }
  end

  local function check_state(name, state)
    if type(state) ~= "table" or not (PHILOX[state.bit_generator or 0] or CURAND[state.bit_generator or 0]) then
      fail(name, "state is " .. core.describe(state) .. "; wanted a table that get_state gave")
    end
    for _, key in ipairs { "low", "high", "draw", "children" } do
      if whole(name, "state." .. key, state[key], 0) > MOST_DRAWS then
        fail(name, "state." .. key .. " is " .. state[key] .. "; wanted at most 2^32")
      end
    end
    return state
  end

  --> :set_state(state: table) -> generator | Goes on from a state that get_state gave.
  function Generator:set_state(state)
    check_state("random.set_state", state)
    change(self)
    self[LOW], self[HIGH], self[DRAW], self[CHILDREN] = state.low, state.high, state.draw, state.children
    self[BITS] = CURAND[state.bit_generator] and state.bit_generator or false
    return self
  end

  --> :seed(seed?: integer|integer[]|array) -> generator | Begins anew with a seed, or with one that nobody knows.
  --> generator:seed: local first = generator:random(3)
  -->   generator:seed(1)
  -->   return ma.array_equal(generator:random(3), first)
  function Generator:seed(seed)
    local low, high = key_of("random.seed", seed)
    change(self)
    self[LOW], self[HIGH], self[DRAW], self[CHILDREN] = low, high, 0, 0
    return self
  end

  --> :jumped(jumps?:
  --> \ integer) -> generator | The generator so many streams further, 1 unless it is said; this one stays as it is.
  --> generator:jumped: ma.array_equal(generator:jumped():random(3), generator:jumped(2):random(3))
  function Generator:jumped(jumps)
    jumps = whole("random.jumped", "jumps", jumps or 1, 1)
    if jumps >= MOST_DRAWS then fail("random.jumped", sformat("jumps is %.0f; wanted less than 2^32", jumps)) end
    local low, high = core.random_words(self[LOW], self[HIGH], MOST_DRAWS - 2, jumps, MOST_DRAWS - 1)
    return new_generator(low, high, self[BITS])
  end

  --> :spawn(n: integer) -> generator[] | n generators whose numbers are independent of each other's and of this one's.
  --> generator:spawn: #generator:spawn(4)
  function Generator:spawn(n)
    local list = {}
    -- Lua cannot report how much memory it has left, and a larger table would end the process.
    n = whole("random.spawn", "n", n, 0)
    if n > 2 ^ 20 then fail("random.spawn", sformat("n is %.0f; wanted at most 1048576", n)) end
    change(self)
    for k = 1, n do
      local low, high = core.random_words(self[LOW], self[HIGH], MOST_DRAWS - 1, self[CHILDREN], MOST_DRAWS - 1)
      self[CHILDREN] = self[CHILDREN] + 1
      list[k] = new_generator(low, high, self[BITS])
    end
    return list
  end

  common.guard("random.Generator", Generator, Generator)

  require "moonarray.random.state" (ma, core, { kept = kept, global = global_generator, check = check_generator })
  require "moonarray.random.kernel" (core, { is_generator = is_generator, check = check_generator, taken = taken,
    BITS = BITS })

  Generator.__tostring =
    function(self) return sformat("Generator(%s), draw %d", self[BITS] or "Philox4x32-10", self[DRAW]) end
  Generator.__index = setmetatable(Generator, {           -- a table: methods are found without a call
    __index = function(_, key) core.unknown("random.Generator", key, Generator) end,
  })

  Generator.__newindex = function(_, key)
    error(sformat("moonarray: an assignment to '%s' of a generator; its attributes can be read alone, set_state " ..
      "sets what it is", tostring(key)), 2)
  end

  local function is_options(value)
    if type(value) ~= "table" or is_generator(value) then return false end
    for key in pairs(value) do
      if type(key) ~= "string" then return false end
    end
    return true
  end

  local TAIL = "size?: integer|integer[], dtype?: dtype, out?: array, device?: string; generator?: generator"
  local quick = {}                       -- name -> what draws first, which returns nothing for what it does not draw

  --- fn(...) of n arguments, the last of which are those of TAIL; what is quick comes first.
  local function quickly(name, n, fn)
    local full = "random." .. name
    return function(...)
      local draw, out, device, generator = quick[name], select(n - 2, ...)
      local made
      if draw and out == nil and device == nil then made = draw(check_generator(full, generator), ...) end
      if made == nil then return fn(...) end
      return made
    end
  end

  --- Defines ma.random.<name>, and a method of generators that calls it with itself as the option `generator`. Behind
  --- the arguments of the signature stands " -> results" where a call gives no array or number.
  local function define(name, arguments, doc, fn)
    local own, results = arguments:match("^(.-) %-> (.*)$")
    arguments = own or arguments
    local count = select(2, arguments:gsub("[%w_]+%??:", ""))
    if arguments:sub(-#TAIL) == TAIL then fn = quickly(name, count, fn) end
    def(sformat("random.%s(%s) -> %s", name, arguments, results or "array|scalar"), doc, fn)
    local call = ma.random[name]
    local required = select(2, arguments:match("[^;]*"):gsub("[%w_]:", ""))
    random[name] = call
    Generator[name] = function(self, ...)
      if not is_generator(self) then
        fail("random." .. name, sformat("a method without its generator; write rng:%s(...)", name))
      end
      local n, given = select("#", ...), { ... }
      local options = { generator = self }
      if n > 0 and is_options(given[n]) and (n > required or next(given[n]) ~= nil) then
        for key, value in pairs(given[n]) do options[key] = value end
      else
        n = max(n, required) + 1                     -- what is missing stays nil
      end
      given[n] = options
      return call(unpack(given, 1, n))
    end
  end

  -- ==== Targets of draws =============================================================================================

  local function shape_of(name, size)
    if size == nil then return nil end
    return common.shape(name, "size", size)
  end

  local function print_shape(shape) return "(" .. concat(shape, ", ") .. ")" end

  --- The array that a draw fills: `out`, or a new one. Of a draw by `generator` that asks for no array, the dtype of
  --- the number that it gives.
  local function target(name, size, dtype, out, device, generator)
    size = shape_of(name, size)
    if out == nil and size == nil and device == nil and not check_generator(name, generator)[BITS] then
      return dtype or ma.get_default_dtype()
    end
    if out == nil then return ma.empty(size or {}, dtype, { device = device }) end
    if not core.is_array(out) then fail(name, "out is " .. core.describe(out) .. "; wanted an array") end
    if size and not common.equal(size, out.shape) then
      fail(name, sformat("size %s for out of shape %s", print_shape(size), print_shape(out.shape)))
    end
    if dtype and dtype ~= out.dtype then fail(name, sformat("dtype %s for out of %s", dtype, out.dtype)) end
    return out
  end

  local function check_float(name, dtype)
    if dtype and not is.floating[dtype] then fail(name, "dtype " .. dtype .. "; wanted a float dtype") end
  end

  --- A parameter: a table becomes an array, other values stay.
  local function parameter(value, fallback, device)
    if value == nil then return fallback end
    if type(value) == "table" then return core.asarray(value, "float64", { device = device }) end
    return value
  end

  --- The shape and device of the result for these parameters.
  local function spread(name, params, size, out, device)
    if not core.is_array(out) then out = nil end
    local shape = shape_of(name, size) or out and out.shape
    local arrays = {}
    for _, p in ipairs(params) do
      if core.is_array(p) then
        arrays[#arrays + 1] = p
        if not out and not device then device = p.device end
      end
    end
    if not shape and #arrays > 0 then
      local shapes = {}
      for k, p in ipairs(arrays) do shapes[k] = p.shape end
      shape = ma.broadcast_shapes(unpack(shapes))
    end
    return shape, out and out.device or device, #arrays > 0
  end

  -- ==== Uniform, normal, integers ====================================================================================

  --- Uniform numbers of a draw, in place: where rounding gave `high`, the greatest number of the dtype below it. Both
  --- bounds are numbers or arrays.
  local function keep_below(result, low, high)
    local dtype, device = result.dtype, result.device
    high = core.asarray(high, "float64", { device = device })
    local rounded = high:astype(dtype)
    local last = ma.where(rounded:ge(high), ma.nextafter(rounded, ma.full(1, -huge, dtype, { device = device })),
      rounded)
    return ma.minimum(result, ma.where(high:gt(low), last, huge), result)
  end

  --- uniform, in [0, 1), or normal from cuRAND, which draws normals in pairs and returns 1 in place of 0.
  local function curand(name, rng, out, kind)
    local single = out.dtype ~= "float64"
    local quasi = CURAND[rng[BITS]] == "quasi"
    local n = quasi and out.size or out.size + out.size % 2
    if n == 0 then return out end
    local made = ma.empty({ n }, single and "float32" or "float64", { device = out.device })
    local low, high, draw = take(name, rng, made, quasi and n or 1)
    core.random_curand(low, high, draw, made, kind, rng[BITS])
    if kind == "uniform" then ma.multiply(made, made:lt(1), made) end
    if n > out.size then made = made[{ { 1, out.size } }] end
    out:assign(made:reshape(out.shape))
    return kind == "uniform" and out.dtype ~= made.dtype and keep_below(out, 0, 1) or out
  end

  local function fill(name, generator, out, kind, a, b)
    local rng = check_generator(name, generator)
    if rng[BITS] then
      curand(name, rng, out, kind)
      if a == 0 and b == 1 then return out end
      local by = kind == "uniform" and b - a or b
      if by ~= 1 then out:imul(by) end
      if a ~= 0 then out:iadd(a) end
      return kind == "uniform" and keep_below(out, a, b) or out
    end
    local low, high, draw = take(name, generator, out)
    return core.random(low, high, draw, out, kind, a, b)
  end

  --- A uniform or normal draw with parameters: the draw scales, or, if a parameter is an array, arithmetic afterwards.
  local function scaled(name, kind, generator, params, size, dtype, out, device, range)
    check_float(name, dtype)
    local shape, where, arrays = spread(name, params, size, out, device)
    local result = target(name, shape, dtype, out, where, generator)
    if not arrays then return fill(name, generator, result, kind, params[1], params[2]) end
    local first, by = params[1], params[2]
    if range then by = common.beside(by, nil, first) - common.beside(first, nil, by) end
    local function fit(p) return core.is_array(p) and p:astype(result.dtype) or p end
    fill(name, generator, result, kind, 0, 1)
    if core.is_array(by) then
      by = fit(by)
      by = ma.where(range and by:ge(0) * by:lt(huge) or by:ge(0), by, ma.nan)
    end
    result:imul(by):iadd(fit(first))
    return range and keep_below(result, params[1], params[2]) or result
  end

  -- Most draws are of this form, with a size and a dtype. Checks are done once for them, so that a GPU waits less for
  -- work.
  local WHOLE = { int8 = true, int16 = true, int32 = true, int64 = true, uint8 = true, uint16 = true, uint32 = true,
    uint64 = true, bool = true }
  local FLOAT = { float16 = true, bfloat16 = true, float32 = true, float64 = true }

  local function is_size(size)
    if type(size) == "number" then return size >= 0 and size % 1 == 0 and size < 2 ^ 32 end
    if type(size) ~= "table" or is_generator(size) then return false end
    local n, count = #size, 1
    for k = 1, n do
      local extent = size[k]
      if type(extent) ~= "number" or extent < 0 or extent % 1 ~= 0 then return false end
      count = count * extent
    end
    return n > 0 and count < 2 ^ 32
  end

  --- An argument, or the only option of a table that has its place; a table with others stays.
  local function option_of(value, name)
    if type(value) ~= "table" then return value end
    local key, option = next(value)
    return key == name and next(value, key) == nil and option or value
  end

  local KIND = setmetatable({}, { __index = function(kinds, name)
    kinds[name] = core.random_kind(name)
    return kinds[name]
  end })

  --- The draw with parameters that are numbers, or nothing if it does not have this form. `counts`: those of int64.
  local function draw_plain(rng, kind, size, dtype, a, b, c, counts)
    if size == nil and dtype == nil then
      return core.random_number(rng, KIND[kind], counts and "int64" or nil, a, b, c)
    end
    dtype = option_of(dtype, "dtype")
    if rng[BITS] or not is_size(size) or (dtype ~= nil and (counts or not FLOAT[dtype])) then return nil end
    local draw = change(rng)[DRAW]
    if draw >= MOST_DRAWS then return nil end
    local out = empty(size, counts and "int64" or dtype)
    local source, nth = source_of("random." .. kind, out, rng, 1)
    if source then return core.random(source, false, nth, out, kind, a, b, c) end
    rng[DRAW] = draw + 1
    return core.random(rng[LOW], rng[HIGH], draw, out, kind, a, b, c)
  end

  --- Makes the method of generators try `draw(rng, ...)` first, which returns nothing for what it does not draw, with
  --- at most so many arguments.
  local function hasten(name, most, draw)
    local method = Generator[name]
    quick[name] = draw
    Generator[name] = function(self, ...)
      local made
      if select("#", ...) <= most and is_generator(self) then made = draw(self, ...) end
      if made == nil then return method(self, ...) end
      return made
    end
  end

  local function define_plain(name, kind, doc)
    local full = "random." .. name
    define(name, TAIL, doc, function(size, dtype, out, device, generator)
      return scaled(full, kind, generator, { 0, 1 }, size, dtype, out, device)
    end)
    hasten(name, 2, function(rng, size, dtype) return draw_plain(rng, kind, size, dtype, 0, 1) end)
  end

  --> random.random: ma.random.default_rng(1):random({size = 3})
  define_plain("random", "uniform", "Uniform numbers in [0, 1): float32 from 24 bits, float64 from 53.")

  local function check_numbers(name, given)
    for what, value in pairs(given) do
      if not core.is_array(value) then common.number(name, what, value) end
    end
  end

  local function check_range(name, low, high)
    check_numbers(name, { low = low, high = high })
    if type(low) ~= "number" or type(high) ~= "number" then return end
    local span = high - low
    if not (span >= 0 and span < huge) then
      fail(name, sformat("low is %s and high %s; wanted low <= high, a finite range", low, high))
    end
  end

  --> random.uniform: ma.random.default_rng(1):uniform(-1, 1, {size = 3})
  define("uniform", "low?: number|array, high?: number|array, " .. TAIL,
    "Uniform numbers from low to below high, 0 and 1 by default.",
    function(low, high, size, dtype, out, device, generator)
      local where = device or core.device_of(out, low, high)
      local params = { parameter(low, 0, where), parameter(high, 1, where) }
      check_range("random.uniform", params[1], params[2])
      return scaled("random.uniform", "uniform", generator, params, size, dtype, out, device, true)
    end)

  hasten("uniform", 4, function(rng, low, high, size, dtype)
    low, high = low == nil and 0 or low, high == nil and 1 or high
    if type(low) ~= "number" or type(high) ~= "number" then return end
    if not (low >= -65504 and low <= high and high <= 65504) then return end               -- every dtype holds these
    return draw_plain(rng, "uniform", size, dtype, low, high)
  end)

  --> random.standard_normal: ma.random.default_rng(1):standard_normal({size = 3})
  define_plain("standard_normal", "normal", "Normal numbers of mean 0 and standard deviation 1.")

  --> random.normal: ma.random.default_rng(1):normal(10, 2, {size = 3})
  define("normal", "loc?: number|array, scale?: number|array, " .. TAIL,
    "Normal numbers of mean loc and standard deviation scale, 0 and 1 by default.",
    function(loc, scale, size, dtype, out, device, generator)
      local where = device or core.device_of(out, loc, scale)
      local params = { parameter(loc, 0, where), parameter(scale, 1, where) }
      check_numbers("random.normal", { loc = params[1], scale = params[2] })
      if type(params[2]) == "number" and (params[2] < 0 or params[2] ~= params[2]) then
        fail("random.normal", sformat("scale is %s; wanted 0 or more", params[2]))
      end
      return scaled("random.normal", "normal", generator, params, size, dtype, out, device)
    end)
  hasten("normal", 4, function(rng, loc, scale, size, dtype)
    loc, scale = loc == nil and 0 or loc, scale == nil and 1 or scale
    if type(loc) ~= "number" or type(scale) ~= "number" or scale < 0 or scale ~= scale then return end
    return draw_plain(rng, "normal", size, dtype, loc, scale)
  end)

  local function check_integer(name, dtype)
    if dtype ~= "bool" and not is.integer[dtype] then
      fail(name, "dtype " .. dtype .. "; wanted an integer dtype or bool")
    end
  end

  local function whole_array(name, what, value, dtype, device)
    if not core.is_array(value) then return value end
    if not is.integer[value.dtype] then
      fail(name, what .. " is a " .. value.dtype .. " array; wanted an integer dtype")
    end
    return value:to(device):astype(dtype)
  end

  --- Bounds as arrays: a range for each element, in 64-bit integers that wrap.
  local function integers_between(name, low, high, size, dtype, endpoint, out, device, generator)
    -- Lua numbers and arrays can be combined; tables and integers of the FFI become arrays.
    local function operand(value)
      if type(value) == "table" then return core.asarray(value, "int64", { device = device }) end
      return type(value) == "cdata" and core.asarray(value, { device = device }) or value
    end
    device = device or core.device_of(out, low, high)
    low, high = operand(low), operand(high)
    dtype = dtype or core.is_array(out) and out.dtype or "int64"
    check_integer(name, dtype)
    local shape, where = spread(name, { low, high }, size, out, device)
    local result = target(name, shape, dtype, out, where, generator)
    local wide = dtype == "uint64" and "uint64" or "int64"
    low, high = whole_array(name, "low", low, wide, result.device), whole_array(name, "high", high, wide, result.device)
    local some = endpoint and ma.less_equal(low, high) or ma.less(low, high)
    local last = ma.where(some, high - low - (endpoint and 0 or 1), 0):astype(wide)
    local first = ma.where(some, low, 0):astype(wide)
    local made = result.dtype == wide and result or ma.empty(result.shape, wide, { device = result.device })
    local a, b, draw = take(name, generator, made)
    core.random(a, b, draw, made, "between", ma.broadcast_to(first, result.shape):copy(),
      ma.broadcast_to(last, result.shape):copy())
    return made == result and result or result:assign(made)
  end

  --- A number of int64, from .. to, or nothing.
  local function draw_whole(rng, from, to)
    if type(from) == "number" and type(to) == "number" then return core.random_whole(rng, from, to) end
  end

  local function integers(name, low, high, size, dtype, endpoint, out, device, generator)
    if high == nil then low, high = 0, low end
    if core.is_array(low) or core.is_array(high) or type(low) == "table" or type(high) == "table" then
      return integers_between(name, low, high, size, dtype, endpoint, out, device, generator)
    end
    local rng = check_generator(name, generator)
    if size == nil and out == nil and device == nil and (dtype or "int64") == "int64" then
      local number = draw_whole(rng, low, type(high) == "number" and high - (endpoint and 0 or 1))
      if number then return number end
    end
    local result = target(name, size, dtype or (core.is_array(out) and out.dtype or "int64"), out, device, rng)
    check_integer(name, type(result) == "string" and result or result.dtype)
    if rng[BITS] then
      -- A draw of no numbers by Philox checks the bounds.
      core.random_integers(0, 0, 0, ma.empty(0, result.dtype), low, high, endpoint or false, name)
      local span = tonumber(high - low) + (endpoint and 1 or 0)
      if not (span >= 1 and span <= 2 ^ 32) then
        fail(name, sformat("%s numbers to choose from; %s makes from 1 to 2^32", span, rng[BITS]))
      end
      local unit = curand(name, rng, ma.empty(result.shape, "float64", { device = result.device }), "uniform")
      return result:assign(ma.floor(unit * span):astype("int64") + low)
    end
    local a, b, draw = take(name, rng, result)
    return core.random_integers(a, b, draw, result, low, high, endpoint or false, name)
  end

  --> random.integers: ma.random.default_rng(1):integers(1, 7, {size = 5})
  define("integers", "low: number|array, high?: number|array, size?: integer|integer[], dtype?: dtype, "
    .. "endpoint?: boolean, out?: array, device?: string; generator?: generator",
    "Whole numbers from low to below high (to high itself with endpoint), each as likely as the others; from 0 to " ..
      "below low if high is not given. Bounds may be arrays: where there is nothing between them the number is 0.",
    function(low, high, size, dtype, endpoint, out, device, generator)
      return integers("random.integers", low, high, size, dtype, endpoint, out, device, generator)
    end)

  hasten("integers", 4, function(rng, low, high, size, dtype)
    if size == nil and dtype == nil and type(low) == "number" then
      if high == nil then return draw_whole(rng, 0, low - 1) end
      return type(high) == "number" and draw_whole(rng, low, high - 1) or nil
    end
    dtype = option_of(dtype, "dtype") or "int64"
    if type(low) ~= "number" or type(high) ~= "number" or not WHOLE[dtype] or rng[BITS] or not is_size(size) then
      return
    end
    local out = empty(size, dtype)
    local a, b, draw = take("random.integers", rng, out)
    return core.random_integers(a, b, draw, out, low, high, false, "random.integers")
  end)

  -- ==== Functions over these =========================================================================================

  local function is_curand(name, generator) return check_generator(name, generator)[BITS] end
  local shared = {
    random = random, define = define, take = take, target = target, spread = spread, parameter = parameter,
    shape_of = shape_of, print_shape = print_shape, product = common.product, check_float = check_float,
    integers = integers, TAIL = TAIL, draw_plain = draw_plain, draw_whole = draw_whole, hasten = hasten,
    is_curand = is_curand,
  }
  require "moonarray.random.distributions" (ma, core, shared)
  require "moonarray.random.choices" (ma, core, shared)
  require "moonarray.random.older" (ma, core, shared)
end
