-- Calls that are given Lua numbers alone: draws without a size, operations and special functions give Lua values, the
-- same on every device, and never ask a GPU.

local helper = require "spec.helper"
local draws = require "spec.random.random_helper"
local ma, core = helper.ma, helper.core
local raises = draws.raises
local special = ma.special
local inf, nan, huge = math.huge, 0 / 0, 2 ^ 60
local is_jit = pcall(require, "ffi")

--- An integer of the FFI.
local function long(text) return assert(loadstring("return " .. text .. "LL"))() end

--- Calls fn while each device is current.
local function on_devices(fn)
  for _, device in ipairs { "cpu", helper.device } do ma.device(device):with(fn) end
end

local function text_of(...)
  local list = {}
  for k = 1, select("#", ...) do
    local value = select(k, ...)
    local kind = type(value)
    list[k] = kind == "number" and ("%.17g"):format(value) or kind .. " " .. tostring(value)
  end
  return table.concat(list, ", ")
end

local z = ma.complex(3, -4)

-- {name, arguments, results}. A result is compared by its type, its value and the sign of 0.
local calls = {
  { "add", { 1, 2 }, { 3 } }, { "add", { 0.1, 0.2 }, { 0.1 + 0.2 } }, { "add", { huge, 1 }, { huge } },
  { "add", { true, true }, { true } }, { "add", { true, 1 }, { 2 } }, { "add", { z, 1 }, { ma.complex(4, -4) } },
  { "subtract", { 1, 2 }, { -1 } }, { "multiply", { 1e10, 1e10 }, { 1e20 } }, { "divide", { 1, 4 }, { 0.25 } },
  { "divide", { 1, 0 }, { inf } }, { "floor_divide", { 7, 2 }, { 3 } }, { "floor_divide", { 7, 0 }, { inf } },
  { "remainder", { -7, 3 }, { 2 } }, { "fmod", { -7, 3 }, { -1 } }, { "divmod", { -7, 2 }, { -4, 1 } },
  { "power", { 2, 10 }, { 1024 } }, { "power", { 2, -1 }, { 0.5 } }, { "reciprocal", { 2 }, { 0.5 } },
  { "negative", { 0 }, { -1 / inf } }, { "absolute", { z }, { 5 } }, { "abs", { -3 }, { 3 } },
  { "sign", { -3 }, { -1 } },
  { "sqrt", { 4 }, { 2 } }, { "sqrt", { -1 }, { nan } }, { "sqrt", { ma.complex(-4, 0) }, { ma.complex(0, 2) } },
  { "cbrt", { 1 }, { 1 } }, { "rsqrt", { 4 }, { 0.5 } }, { "exp", { 0 }, { 1 } }, { "log2", { 8 }, { 3 } },
  { "arctan2", { 0, -1 }, { math.pi } }, { "hypot", { 3, 4 }, { 5 } }, { "sinc", { 0 }, { 1 } },
  { "floor", { 2.5 }, { 2 } }, { "rint", { 2.5 }, { 2 } }, { "trunc", { -2.5 }, { -2 } }, { "fix", { -2.5 }, { -2 } },
  { "modf", { 2.5 }, { 0.5, 2 } }, { "frexp", { 8 }, { 0.5, 4 } }, { "ldexp", { 0.5, 4 }, { 8 } },
  { "maximum", { 1, 2 }, { 2 } }, { "fmin", { nan, 2 }, { 2 } }, { "heaviside", { 0, 0.5 }, { 0.5 } },
  { "isnan", { 1 }, { false } }, { "isnan", { nan }, { true } }, { "isfinite", { inf }, { false } },
  { "signbit", { -0.5 }, { true } }, { "isposinf", { inf }, { true } }, { "isneginf", { inf }, { false } },
  { "equal", { 2, 2 }, { true } }, { "less", { 2, 2 }, { false } }, { "greater_equal", { 2, 1.5 }, { true } },
  { "logical_and", { 1, 0 }, { false } }, { "logical_not", { false }, { true } },
  { "logical_xor", { true, 2 }, { false } },
  { "bitwise_and", { 6, 3 }, { 2 } }, { "bitwise_or", { true, false }, { true } }, { "invert", { 0 }, { -1 } },
  { "left_shift", { 1, 4 }, { 16 } }, { "gcd", { 12, 18 }, { 6 } }, { "lcm", { 4, 6 }, { 12 } },
  { "bitwise_count", { 7 }, { 3 } }, { "conj", { z }, { ma.complex(3, 4) } },
  { "square", { z }, { ma.complex(-7, -24) } },
  { "clip", { 5, 1, 3 }, { 3 } }, { "clip", { 5, { a_max = 3 } }, { 3 } }, { "clip", { -1, { min = 0 } }, { 0 } },
  { "where", { true, 1, 2 }, { 1 } }, { "where", { 0, 1, huge }, { huge } }, { "nan_to_num", { nan }, { 0 } },
  { "nan_to_num", { inf, { posinf = 7 } }, { 7 } }, { "isclose", { 1, 1 + 1e-9 }, { true } },
  { "isclose", { nan, nan }, { false } }, { "isclose", { nan, nan, { equal_nan = true } }, { true } },
  { "angle", { ma.complex(0, 2), true }, { 90 } }, { "round", { 2.567, 2 }, { 2.57 } }, { "round", { 2.5 }, { 2 } },
  { "around", { 1234, -2 }, { 1200 } }, { "real", { z }, { 3 } }, { "imag", { z }, { -4 } }, { "imag", { 3 }, { 0 } },
  { "iscomplex", { z }, { true } }, { "isreal", { 3 }, { true } }, { "real_if_close", { ma.complex(1, 1e-20) }, { 1 } },
  { "allclose", { 1, 1 }, { true } }, { "item", { 2.5 }, { 2.5 } }, { "item", { true, 3, "array" }, { true, 3, 7 } },
}

local special_calls = {
  { "erf", { 0 }, { 0 } }, { "ndtr", { 0 }, { 0.5 } }, { "gamma", { 5 }, { 24 } }, { "expit", { 0 }, { 0.5 } },
  { "binom", { 4, 2 }, { 6 } }, { "betainc", { 1, 1, 0.25 }, { 0.25 } }, { "psi", { inf }, { inf } },
  { "zeta", { inf }, { 1 } }, { "zeta", { inf, 2 }, { 0 } }, { "ellipj", { 0, 0.5 }, { 0, 1, 1, 0 } },
  { "multigammaln", { 2, 1 }, { 0 } }, { "lambertw", { 0 }, { ma.complex(0, 0) } },
  { "spherical_yn", { 0, inf }, { 0 } }, { "round", { 3.5 }, { 4 } },
  { "sph_harm", { 0, 0, 1, 1 }, { ma.complex(0.5 / math.sqrt(math.pi), 0) } },
}

local function check_calls(module, list)
  for _, call in ipairs(list) do
    local given = {}
    for k, value in pairs(call[2]) do given[k] = value == "array" and ma.array(7) or value end
    local wanted, found = text_of(unpack(call[3])), text_of(module[call[1]](unpack(given)))
    assert.equal(wanted, found, call[1] .. "(" .. text_of(unpack(call[2])) .. ")")
  end
end

describe("operations on numbers", function()
  it("give numbers, booleans and complex numbers", function()
    on_devices(function()
      check_calls(ma, calls)
      check_calls(special, special_calls)
    end)
  end)

  it("take and give integers of the FFI", function()
    if not is_jit then return pending("plain Lua, which has none") end
    local most = long "9007199254740993"
    on_devices(function()
      for _, call in ipairs {
        { "add", { long "5", 1 }, 6 }, { "add", { long "5", 1.5 }, 6.5 }, { "multiply", { long "3", huge }, most * 0 },
        { "add", { most, 1 }, most + 1 }, { "where", { true, most, 0 }, most }, { "sqrt", { long "16" }, 4 },
        { "floor_divide", { long "7", 0 }, 0 }, { "clip", { most, 0, most - 1 }, 2 ^ 53 },
        { "isclose", { long "5", 5 }, true }, { "item", { most }, most },
      } do
        if call[1] == "multiply" then call[3] = long "3" * long "1152921504606846976" end
        local found = ma[call[1]](unpack(call[2]))
        assert.equal(text_of(call[3]), text_of(found), call[1])
      end
      raises("moonarray.power: an integer to a negative power", ma.power, long "2", -1)
      raises("moonarray.bitwise_and: dtype float64", ma.bitwise_and, 1.5, 2)
    end)
  end)

  -- Every operation of a page of the reference, with numbers; those that give arrays are listed.
  local arrays = { ["special.logsumexp"] = true, ["special.softmax"] = true, ["special.log_softmax"] = true }
  local no_elements = { unwrap = true, packbits = true, unpackbits = true, may_share_memory = true, same_shape = true,
    shares_memory = true }

  local function names()
    local list = {}
    core.summon()
    local pages = dofile("scripts/reference.lua").names()
    for _, page in ipairs { "mathematics", "logic" } do
      for _, name in ipairs(pages[page]) do
        if not name:find "^:" then list[#list + 1] = name end
      end
    end
    for name in pairs(core.functions) do
      if name:find "^special%." then list[#list + 1] = name end
    end
    table.sort(list)
    return list
  end

  local function lookup(name)
    local value = ma
    for word in name:gmatch "[^.]+" do value = value[word] end
    return value
  end

  --- The first of these values that all required arguments can have, and the results.
  local function try(name, values)
    local required = 0
    for argument in core.functions[name].signature:match("%(([^;)]*)"):gmatch "[^, ]+" do
      required = required + (argument:find("?", 1, true) and 0 or 1)
    end
    for _, value in ipairs(values) do
      local given = {}
      for k = 1, required do given[k] = value end
      local results = { pcall(lookup(name), unpack(given)) }
      if results[1] then return given, { unpack(results, 2) } end
    end
  end

  it("are all that work element by element", function()
    local looked = 0
    for _, name in ipairs(names()) do
      local given, results = try(name, { 0.5, 2, 3 })
      if not no_elements[name] then
        assert(given, name .. " takes no numbers")
        for _, value in ipairs(results) do
          assert.equal(arrays[name] or false, core.is_array(value), name)
        end
        looked = looked + 1
      end
    end
    assert(looked > 240, looked)
  end)

  it("have the bits of arrays of the CPU", function()
    local before = ma.get_default_dtype()
    ma.set_default_dtype("float32")                       -- which numbers do not have
    local ok, message = pcall(function()
      for _, name in ipairs(names()) do
        local operation = lookup(name)
        local values = { 0.3, 0.7, 1.7, 2, 13, -0.4, -3, 1e300, inf, nan }
        for _, value in ipairs(type(operation) == "userdata" and values or {}) do
          local given, results = try(name, { value })
          if given then
            for k = 1, #given do given[k] = ma.array(value, "float64", { device = "cpu" }) end
            local made = { pcall(operation, unpack(given)) }
            for k = 1, made[1] and #results or 0 do
              assert.equal(text_of(made[k + 1]:item()), text_of(results[k]), name .. " of " .. value)
            end
          end
        end
      end
    end)
    ma.set_default_dtype(before)
    assert(ok, message)
  end)

  it("are arrays where one is given or asked for", function()
    for _, made in ipairs {
      ma.add(ma.array(1), 2), ma.add({ 1 }, 2), ma.add(1, 2, { dtype = "float32" }), ma.add(1, 2, ma.empty({})),
      ma.sqrt(4, { out = ma.empty({}) }), ma.clip(5, { 1, 2 }, 3), ma.clip(5, 1, 3, { dtype = "float32" }),
      ma.where({ true }, 1, 2), ma.where(true, { 1 }, 2), ma.isclose(1, 1, ma.array(0.1)), ma.sum(5), ma.max(5),
      special.erf({ 1 }), special.zeta(2, { 1, 2 }), ma.asarray(5), ma.float32(3), ma.add.reduce(5),
    } do
      assert(core.is_array(made))
      assert.equal(helper.device, made.device)
    end
    raises("moonarray.add: b is a boolean", ma.add, ma.array(1), true)
  end)

  it("are computed while a graph records, and in fused functions", function()
    on_devices(function()
      local graph = ma.cuda.graph(function(x) return x:imul(ma.clip(ma.sqrt(16), 1, 3)) end, ma.ones(2))
      local fused = ma.fuse(function(x) return x * ma.sqrt(4) + ma.clip(5, 1, 3) end)
      assert.same({ 5, 7 }, fused(ma.array { 1, 2 }):totable())
      assert.same({ 9, 9 }, graph():totable())              -- 3 by the call before the recording
      graph:free()
    end)
  end)
end)

-- ==== Draws ====

describe("draws of numbers", function()
  local parameters = {
    random = {}, standard_normal = {}, standard_exponential = {}, standard_cauchy = {}, random_sample = {}, ranf = {},
    sample = {}, tomaxint = {}, uniform = { 1, 3 }, normal = { 2, 3 }, exponential = { 2 }, standard_gamma = { 2.5 },
    gamma = { 0.5, 2 }, beta = { 2, 3 }, chisquare = { 3 }, noncentral_chisquare = { 3, 1 }, f = { 3, 4 },
    noncentral_f = { 3, 4, 1 }, standard_t = { 3 }, laplace = { 1, 2 }, logistic = { 1, 2 }, lognormal = { 0, 1 },
    gumbel = { 0, 1 }, weibull = { 2 }, pareto = { 2 }, power = { 2 }, rayleigh = { 2 }, wald = { 1, 2 },
    triangular = { 0, 1, 3 }, vonmises = { 0, 2 }, zipf = { 2 }, poisson = { 3 }, binomial = { 9, 0.4 },
    negative_binomial = { 3, 0.4 }, geometric = { 0.3 }, hypergeometric = { 5, 6, 4 }, logseries = { 0.4 },
    integers = { 1, 7 }, randint = { 1, 7 }, random_integers = { 1, 7 }, choice = { 9 },
  }
  -- Functions without a size, of vectors and orders, and those that are looked at below.
  local others = { bytes = true, dirichlet = true, multinomial = true, multivariate_hypergeometric = true,
    multivariate_normal = true, permutation = true, permuted = true, shuffle = true, rand = true, randn = true,
    default_rng = true, RandomState = true, seed = true, get_state = true, set_state = true, get_random_state = true,
    set_random_state = true, reset_states = true }

  --- The arguments of a draw with a size.
  local function with_size(given)
    local all = { unpack(given) }
    all[#all + 1] = { size = {} }
    return unpack(all, 1, #given + 1)
  end

  local function check(name, number, array, one, other)
    assert(not core.is_array(number), name .. " gives an array")
    assert.equal(array.ndim, 0)
    assert.equal(text_of(array:item()), text_of(number), name)
    assert.same(other:get_state(), one:get_state(), name)
  end

  it("are those of size = {}, of every distribution, by methods and functions", function()
    local seen = {}
    on_devices(function()
      for name, given in pairs(parameters) do
        seen[name] = true
        local one, other = ma.random.default_rng(11), ma.random.default_rng(11)
        for _ = 1, 4 do
          check(name, one[name](one, unpack(given)), other[name](other, with_size(given)), one, other)
        end
        ma.random.seed(12)
        local numbers = { ma.random[name](unpack(given)), ma.random[name](unpack(given)) }
        local state = ma.random.get_state()
        ma.random.seed(12)
        for k = 1, 2 do
          assert.equal(text_of(ma.random[name](with_size(given)):item()), text_of(numbers[k]), name)
        end
        assert.same(ma.random.get_state(), state)
      end
    end)
    core.summon()
    for name in pairs(core.functions) do
      local own = name:match "^random%.(.*)$"
      if own and not seen[own] and not others[own] then error(own .. " is not among these draws") end
    end
  end)

  it("have the dtype that is asked for", function()
    on_devices(function()
      local one, other = ma.random.default_rng(5), ma.random.default_rng(5)
      for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
        for _, name in ipairs { "random", "standard_normal", "standard_exponential" } do
          check(name, one[name](one, nil, dtype), other[name](other, {}, dtype), one, other)
          check(name, one[name](one, { dtype = dtype }), other[name](other, {}, dtype), one, other)
        end
        check("gamma", one:gamma(2, 1, nil, dtype), other:gamma(2, 1, {}, dtype), one, other)
      end
      for _, dtype in ipairs { "bool", "int8", "uint16", "int32", "int64", "uint64" } do
        for _ = 1, 4 do
          check(dtype, one:integers(0, 2, nil, dtype), other:integers(0, 2, {}, dtype), one, other)
        end
      end
      check("endpoint", one:integers(3, 3, { endpoint = true }), other:integers(3, 3, { size = {}, endpoint = true }),
        one, other)
      check("wide", one:integers(0, 2 ^ 64, nil, "uint64"), other:integers(0, 2 ^ 64, {}, "uint64"), one, other)
      check("wide", one:integers(-2 ^ 63, 2 ^ 63), other:integers(-2 ^ 63, 2 ^ 63, { size = {} }), one, other)
      check("from 0", one:integers(6), other:integers(6, { size = {} }), one, other)
      check("choice", one:choice(9, nil, false), other:choice(9, {}, false), one, other)
      check("choice", one:choice(9000, { replace = false }), other:choice(9000, {}, false), one, other)
      check("rand", ma.random.rand({ generator = one }), other:random({ size = {} }), one, other)
      check("randn", ma.random.randn({ generator = one }), other:standard_normal({ size = {} }), one, other)
      ma.set_default_dtype("float32")
      local number, array = one:random(), other:random({ size = {} })
      ma.set_default_dtype("float64")
      check("float32", number, array, one, other)
    end)
  end)

  it("are what Lua expects", function()
    local rng, list, sum = ma.random.default_rng(1), { "a", "b", "c" }, 0
    for _ = 1, 20 do
      assert(list[rng:integers(1, 4)] and list[rng:choice(#list)])
      if rng:random() < 0.5 then sum = sum + 1 end
      for _ = 1, rng:integers(1, 7) do sum = sum + 1 end
    end
    assert(sum > 20)
    assert.equal("boolean", type(rng:integers(0, 2, { dtype = "bool" })))
    assert.matches("^%d%.%d%d$", ("%.2f"):format(rng:random()))
  end)

  it("raise the errors of draws of arrays", function()
    local rng = ma.random.default_rng(1)
    raises("moonarray.random.normal: scale is -1", rng.normal, rng, 0, -1)
    raises("moonarray.random.integers: low is 7 and high 1", rng.integers, rng, 7, 1)
    raises("moonarray.random.integers: high is the number 1.5", rng.integers, rng, 0, 1.5)
    raises("moonarray.random.choice: nothing to choose from", rng.choice, rng, 0)
    raises("moonarray.random.binomial: p is 1.5", rng.binomial, rng, 10, 1.5)
    raises("dtype int32; wanted a float dtype", rng.random, rng, nil, "int32")
    rng:set_state { bit_generator = "philox", low = 1, high = 2, draw = 2 ^ 32 - 1, children = 0 }
    assert.equal("number", type(rng:random()))
    raises("2^32 draws were taken", rng.random, rng)
    raises("2^32 draws were taken", rng.integers, rng, 1, 7)
  end)

  it("stay arrays where one is given or asked for", function()
    local rng = ma.random.default_rng(1)
    for _, made in ipairs {
      rng:random({ size = {} }), rng:random({ out = ma.empty({}) }), rng:random({ device = helper.device }),
      rng:normal(ma.array(1)), rng:poisson({ 1, 2 }), rng:integers(0, ma.array(5, "int64")), rng:choice({ 1, 2 }),
      rng:permutation(3),
      rng:choice(3, { p = { 0.5, 0.5, 0 } }), rng:dirichlet({ 1, 2 }), rng:multinomial(3, { 0.5, 0.5 }),
    } do
      assert(core.is_array(made))
      assert.equal(helper.device, made.device)
    end
  end)

  it("are errors where calls are recorded", function()
    on_devices(function()
      local rng = ma.random.default_rng(1)
      for _, draw in ipairs {
        function() return rng:random() end, function() return rng:integers(1, 7) end,
        function() return rng:choice(5) end, function() return rng:choice(5, nil, false) end,
        function() return ma.random.rand() end,
        function() return rng:gamma(2) end, function() return ma.random.poisson(3) end,
      } do
        local text = "a draw without size is a number, the same in each launch; write size = {}"
        local x = ma.ones(3)
        raises(text, ma.cuda.graph, function() x:imul(draw()) end)
        raises("random numbers inside a function", ma.fuse(function(y) return y * draw() end), x)
        assert(not core.is_array(draw()))
      end
      local step = ma.cuda.graph(function() return rng:random({ size = {} }) end)
      assert.equal(0, step().ndim)
      step:free()
    end)
  end)

  it("and operations ask no GPU", function()
    local program = [[
      local ma = require 'moonarray'
      local rng = ma.random.default_rng(1)
      print(rng:random() < 1, ma.sqrt(4), ma.clip(5, 1, 3), ma.special.ndtr(0), rng:choice(1))
      print(rng:choice(1, nil, false), ma.item(5), ma.where(true, 1, 2), ma.round(2.5), rng:gamma(2) > 0)
    ]]
    local luajit = os.getenv "LUAJIT" or "luajit"
    -- Without a GPU the first use of the device is an error; with one it is printed.
    local command = ([[MOONARRAY_DEBUG=1 MOONARRAY_DEVICE=cuda %s -e "%s" 2>&1]]):format(luajit, program)
    local pipe = assert(io.popen(command))
    local text = pipe:read "*a"
    pipe:close()
    assert.equal("true\t2\t3\t0.5\t1\n1\t5\t1\t2\ttrue\n", text)
  end)
end)
