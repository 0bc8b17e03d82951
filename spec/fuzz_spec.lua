-- Wrong calls give errors, never crashes: the listed ones, then 10,000 random calls with random arguments.
--
-- SEED=n repeats a run, FUZZ_CALLS=n makes it longer, FUZZ_TRACE=1 writes each call to stderr before it is made, so that the
-- last line names the call that crashed.

local ffi = require "ffi"
local helper = require "spec.helper"
local ma, core, fails = helper.ma, helper.core, helper.fails

local inf, nan = math.huge, 0 / 0

-- ==== Wrong calls ====

describe("wrong calls:", function()
  it("shapes that do not fit", function()
    fails(function() return ma.zeros({ 2, 3 }) + ma.zeros({ 2, 4 }) end)
    fails(ma.reshape, ma.zeros({ 2, 3 }), { 4, 2 })
    fails(ma.reshape, ma.zeros({ 2, 3 }), { -1, -1 })
    fails(ma.reshape, ma.zeros({ 2, 3 }), { -1, 0 })
    fails(ma.broadcast_to, ma.zeros({ 3 }), { 2 })
    fails(ma.concatenate, { ma.zeros({ 2, 3 }), ma.zeros({ 2, 4 }) })
    fails(ma.stack, { ma.zeros({ 2 }), ma.zeros({ 3 }) })
    fails(ma.squeeze, ma.zeros({ 2, 3 }), 1)
    fails(function() ma.zeros({ 3 })[{}] = ma.zeros({ 4 }) end)
    fails(ma.copyto, ma.zeros({ 3 }), ma.zeros({ 2 }))
  end)

  it("sizes that are negative, fractional, NaN or too large", function()
    for _, shape in ipairs({ { -1 }, { 2, -3 }, { 1.5 }, { nan }, { inf }, { 2 ^ 62, 2 ^ 62 }, { 2 ^ 63 }, { 2 ^ 53, 2 ^ 53 }, { "2", "x" },
      { true }, { {} }, { 2 ^ 61 } }) do
      fails(ma.zeros, shape)
      fails(ma.empty, shape)
      fails(ma.full, shape, 1)
      fails(ma.broadcast_to, ma.zeros({ 1 }), shape)
    end
    fails(ma.zeros, -1)
    fails(ma.zeros, nan)
    fails(ma.zeros)
    fails(ma.arange, 0, 1, 0)
    fails(ma.arange, 0, inf)
    fails(ma.arange, 0, nan)
    fails(ma.arange, 0, 1e300, 1e-300)
    fails(ma.linspace, 0, 1, -1)
    fails(ma.eye, -2)
    fails(ma.zeros, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 })
    assert(ma.zeros({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }).ndim == 16)
    assert(ma.zeros({ 0, 2 ^ 40 }).size == 0)
  end)

  it("are told in the name of the function that was called, whatever it is made of", function()
    local gone = ma.ones(3)
    gone:free()
    local wrong = { io.stdout, function() end, "bogus", { foo = 1 }, { { 1, 2 }, { 3 } }, gone, 0 / 0, 5LL }
    -- These print, or end otherwise than by an error of an argument.
    local other = { help = true, show_config = true, iterate = true, reset = true, profile = true, save = true, savetxt = true, tofile = true,
      savez = true, savez_compressed = true, map = true, set_printoptions = true, printoptions = true, vectorize = true }
    for prefix, functions in pairs { [""] = ma, ["linalg."] = ma.linalg, ["fft."] = ma.fft, ["random."] = ma.random, ["cuda.runtime."] = ma.cuda.runtime } do
      for name, f in pairs(functions) do
        for _, first in ipairs(type(f) == "function" and not other[name] and wrong or {}) do
          for _, second in ipairs { false, io.stdout, gone } do
            local ok, message = pcall(f, first, second or nil)
            local named = ("moonarray.%s%s: "):format(prefix, name)
            assert(ok or message:find(named, 1, true), not ok and named .. " is wanted in " .. message)
          end
        end
      end
    end
  end)

  it("out of memory says so", function()
    local message = fails(ma.zeros, { 2 ^ 46 })
    assert(message:find("out of memory", 1, true), message)
  end)

  it("dtypes that are none", function()
    fails(ma.zeros, { 2 }, "float31")
    fails(ma.zeros, { 2 }, "")
    fails(ma.zeros, { 2 }, 5)
    fails(ma.zeros, { 2 }, { dtype = true })
    fails(ma.astype, ma.zeros({ 2 }), "complex")
    fails(ma.array, { 1 }, "str")
    fails(ma.bitwise_and, ma.zeros({ 2 }), ma.zeros({ 2 }))
    fails(ma.invert, ma.zeros({ 2 }, "complex64"))
    fails(function() return -ma.zeros({ 2 }, "bool") end)
    fails(function() return ma.zeros({ 2 }, "bool") - ma.zeros({ 2 }, "bool") end)
  end)

  it("axes that are none", function()
    local a = ma.zeros({ 2, 3 })
    for _, axis in ipairs({ 0, 3, -3, 1.5, nan, inf, "x", true, 2 ^ 40 }) do
      fails(ma.sum, a, axis)
      fails(ma.flip, a, axis)
      fails(ma.cumsum, a, axis)
      fails(ma.expand_dims, a, axis == 3 and 4 or axis == -3 and -4 or axis)
    end
    fails(ma.transpose, a, { 1, 1 })
    fails(ma.transpose, a, { 1 })
    fails(ma.transpose, a, { 1, 2, 3 })
    fails(ma.swapaxes, a, 1, 5)
    fails(ma.moveaxis, a, { 1, 2 }, { 1 })
    fails(ma.concatenate, { a, a }, 3)
  end)

  it("ragged and foreign data", function()
    local message = fails(ma.array, { { 1, 2 }, { 3 } })
    assert(message:find("2", 1, true) and message:find("1", 1, true), message)
    fails(ma.array, { { 1, 2 }, 3 })
    fails(ma.array, { 1, { 2 } })
    fails(ma.array, { 1, "2" })
    fails(ma.array, { 1, print })
    fails(ma.array, { a = 1 })
    fails(ma.array, print)
    fails(ma.array, io.stdout)
    fails(ma.array, newproxy and newproxy(true) or io.stdout)
    fails(ma.sum, io.stdout)
    fails(ma.add, io.stdout, 1)
    fails(ma.sum)
    fails(ma.sum, nil)
    local cyclic = {}
    cyclic[1] = cyclic
    fails(ma.array, cyclic)
  end)

  it("freed arrays say who freed them", function()
    local a = ma.zeros({ 3 })
    a:free()
    a:free()
    for _, f in ipairs({ function() return a + 1 end, function() return a:sum() end, function() return a[1] end, function() a[1] = 2 end,
      function() return a:totable() end, function() return a:reshape(3, 1) end, function() return ma.add(1, 2, { out = a }) end,
      function() return a:get() end, function() return a(1) end, function() return ma.concatenate({ a, a }) end,
      function() return ma.ones({ 3 })[a] end, function() return ma.add(1, 2, { where = a }) end }) do
      local message = fails(f)
      assert(message:find("freed", 1, true), message)
    end
    assert(type(tostring(a)) == "string")
    local base = ma.arange(4)
    local view = base["2:3"]
    base:free()
    helper.identical(view, ma.array({ 1, 2 }, "int64"), "a view outlives its base's handle")
  end)

  it("pointers that are NULL, and buffers that are too short", function()
    fails(ma.frombuffer, ffi.cast("float *", nil), { 4 }, "float32")
    fails(ma.frombuffer, nil, { 4 }, "float32")
    fails(ma.frombuffer, "abc", { 4 }, "float32")
    fails(ma.frombuffer, "abcd", { -1 }, "float32")
    fails(ma.frombuffer, "abcd", { 1 }, "float33")
    fails(ma.frombuffer, 12345, { 1 }, "float32")
    fails(ma.frombuffer, "abcd", { 2 ^ 62, 4 }, "float32")
    local a = ma.ones({ 4, 4 })
    if helper.device == "cpu" then fails(function() return a:transpose()["1:2"]:data() end) end
  end)

  it("positions that are NaN, fractional or outside", function()
    local a = ma.arange(6):reshape(2, 3)
    for _, i in ipairs({ 0, 3, -3, 1.5, nan, inf, -inf, 2 ^ 53, "x", true }) do
      fails(function() return a(i, 1) end)
      fails(function() return a[{ i, 1 }] end)
      if i ~= "x" then fails(function() return a[i] end) end
      fails(function() a[{ i, 1 }] = 5 end)
      fails(function() return a[{ { i, i }, 1 }] end)
    end
    fails(function() return a(1) end)
    fails(function() return a(1, 1, 1) end)
    fails(function() return a["1:9"] end)
    fails(function() return a["1,2,3"] end)
    fails(function() return a["1;2"] end)
    fails(function() return a[{ 1, 2, 3 }] end)
    fails(function() return a[{ { 4 } }] end)
    fails(function() return a[nil] end)
    fails(function() return a[false] end)
    fails(function() return a[print] end)
    fails(function() return a[ma.zeros({ 2 })] end)
    fails(function() return a[ma.zeros({ 3, 2 }, "bool")] end)
    fails(function() return a:take({ 7 }, 1):totable() end)
    fails(function() return a[ma.index({ 1, 9 })]:totable() end)
  end)

  it("Lua's booleans and comparisons", function()
    local a = ma.zeros({ 3 })
    local message = fails(function() return a < ma.ones({ 3 }) end)
    assert(message:find("lt", 1, true), message)
    fails(function() return a + true end)
    fails(function() return a + "x" end)
    fails(function() return a + print end)
    fails(function() return a .. a end)
    fails(function() return ma.complex(1, 2) .. a end)
    fails(function() return a + {} .. "" and a + { 1, 2 } end)
    fails(function() return a.shpae end)
    fails(function() a.name = 1 end)
    fails(function() return ma.smu(a) end)
    fails(function() return a.sum() end)
    fails(ma.sum, a, { axes = 1 })
    fails(ma.sum, a, 1, { axis = 1 })
    fails(ma.sum, a, { 1, keepdims = true })
    fails(ma.sum, a, nil, nil, nil, nil, nil, nil, nil, nil, nil, 1)
  end)

  it("devices that are not there", function()
    fails(ma.device, "gpu")
    fails(ma.device, "cuda:99")
    fails(ma.zeros, { 2 }, { device = "tpu" })
    fails(function() return ma.zeros({ 2 }):to("nowhere") end)
    if helper.device ~= "cpu" then
      local message = fails(function() return ma.zeros({ 2 }) + ma.zeros({ 2 }, { device = "cpu" }) end)
      assert(message:find(":to(", 1, true), message)
    end
  end)

  it("errors name the caller's line", function()
    -- a tail call has no frame of its own to name
    local message = fails(function() local a = ma.zeros({ -1 }) return a end)
    assert(message:find("^[^\n]*fuzz_spec.lua:%d+: moonarray%.zeros: "), message)
    message = fails(function() local a = ma.zeros({ 2 }):reshape(3) return a end)
    assert(message:find("fuzz_spec.lua:%d+: moonarray%.reshape: "), message)
    message = fails(function() return ma.zeros({ 2 }) + ma.zeros({ 3 }) end)
    assert(message:find("fuzz_spec.lua:%d+: moonarray%.add: "), message)
  end)
end)

-- ==== Random calls ====

-- What writes files, reads them, changes the state of the library, takes addresses on trust, or goes on for as long as it is told to.
local skipped = {
  export = true, import = true, revoke = true, set_allocator = true, reset = true, from_dlpack = true, iterate = true, progress = true,
  benchmark = true, save = true, savez = true, savez_compressed = true, load = true, loadtxt = true, savetxt = true, fromfile = true,
  tofile = true, genfromtxt = true, set_default_dtype = true, set_printoptions = true, show_config = true, help = true, use = true,
  with = true, data = true, frombuffer = true,
  profile = true, time_range = true,         -- what they call raises errors of its own
}

local random = helper.random(2026)

local function pick(list) return list[random(1, #list)] end

local shapes = { { 3 }, { 1 }, { 0 }, { 2, 3 }, { 3, 1 }, { 1, 3 }, { 2, 0 }, { 2, 2, 2 }, { 3, 3 }, { 5, 1, 2 }, { 17 } }

-- The arrays of one call mostly have one shape and are of few dtypes, so that many calls get as far as computing.
local usual_shape, usual_dtype = shapes[1], "float32"

local function some_array()
  local shape = random() < 0.8 and usual_shape or pick(shapes)
  local dtype = random() < 0.5 and usual_dtype or pick(helper.dtypes)
  local kind = random(1, 14)
  if kind == 1 then return ma.ones(shape, dtype):transpose() end
  if kind == 2 then return ma.flip(ma.ones(shape, dtype)) end
  if kind == 3 then return ma.broadcast_to(ma.ones({ 1 }, dtype), { 4, 3 }) end
  if kind == 4 then return ma.array(random(-3, 3)) end
  if kind == 5 then return ma.arange(random(0, 12)):astype(dtype) end
  return ma.full(shape, random(0, 3), dtype)
end

local numbers = { 0, 1, 2, 3, -1, -2, 4, 7, 1.5, -0.5, 0.1, nan, inf, -inf, 1e17, -1e17, 2 ^ 53, 2 ^ 63, -2 ^ 63, 1e300, 40, -129,
  1e-300 }
local words = { "float32", "int8", "complex64", "bool", "", "x", ":", "1:2", "::-1", "...", "_", "2", "sum", "C", "F", "unsafe", "cpu",
  "float99", ("a"):rep(300), "1:2,:", "\0", "%s%n" }

local some_table, something

function some_table(depth)
  local kind = random(1, 12)
  if kind == 1 then return {} end
  if kind == 2 then return { random(1, 4), random(1, 4) } end
  if kind == 3 then return { -1 } end
  if kind == 4 then return { 2 ^ 40, 2 ^ 40 } end
  if kind == 5 then return { { 1, 2 }, { 3, 4 } } end
  if kind == 6 then return { { 1, 2 }, { 3 } } end
  if kind == 7 then return { true, false, true } end
  if kind == 8 then return { some_array(), some_array() } end
  if kind == 9 then return { pick({ "axis", "dtype", "out", "keepdims", "where", "device", "order" }), 1 } end
  if kind == 10 then
    local options = {}
    for _ = 1, random(1, 2) do
      options[pick({ "axis", "dtype", "out", "keepdims", "where", "initial", "ddof", "device", "shape", "nonsense", "decimals" })] =
        something(depth + 1)
    end
    return options
  end
  if kind == 11 then return { pick(numbers), pick(numbers) } end
  return { something(depth + 1), something(depth + 1), x = 1 }
end

local freed = ma.zeros({ 3 })
freed:free()

function something(depth)
  depth = depth or 0
  local kind = random(1, 20)
  if kind <= 8 then return some_array() end
  if kind <= 12 then return pick(numbers) end
  if kind == 13 then return pick(words) end
  if kind <= 15 then return depth < 3 and some_table(depth) or nil end
  if kind == 16 then return random() < 0.5 end
  if kind == 17 then return freed end
  if kind == 18 then return pick({ math.abs, io.stdout, ma.add, coroutine.create(math.abs), ffi.new("int64_t", 5), ffi.new("uint64_t", -1LL),
    ffi.new("int[2]"), ffi.cast("void *", nil), ma.complex(1, 2) }) end
  if kind == 19 then return pick({ "float32", "int16", "float64", "complex128", "bool" }) end
  return nil
end

-- Something that often fits an argument of this name.
local function fitting(name)
  if random() < 0.1 then return something() end
  if name:find("axis") or name:find("axes") then return pick({ 1, 2, -1, 3, 0, { 1, 2 }, { 2, 1 } }) end
  if name == "dtype" then return pick(helper.dtypes) end
  if name == "shape" then return pick(shapes) end
  if name == "out" or name == "device" or name == "order" or name == "casting" then return nil end
  if name == "keepdims" then return random() < 0.5 end
  if name == "where" or name == "condition" then return pick({ ma.array({ true, false, true }), true, ma.array(true) }) end
  if name == "arrays" or name == "tup" then return { some_array(), some_array() } end
  if name == "decimals" or name == "k" or name == "n" or name == "num" or name == "shift" then return random(-3, 9) end
  return some_array()
end

local calls = {}
for name, entry in pairs(core.functions) do
  if not skipped[name:match("[%w_]+$")] and not name:find("fail_allocation", 1, true) then
    -- "sum(a, axis?; keepdims?)": what is required, what may follow by position, what can only be named
    local arguments, required, options = {}, 0, {}
    local positional, named = (entry.signature:match("%((.*)%)") or ""):match("^([^;]*);?(.*)$")
    for argument, optional in positional:gmatch("([%a_][%w_]*)(%??)") do
      arguments[#arguments + 1] = argument
      if optional == "" then required = #arguments else options[#options + 1] = argument end
    end
    for argument in named:gmatch("[%a_][%w_]*") do options[#options + 1] = argument end
    local target
    if name:find("^:") then
      local method = name:sub(2)
      target = function(a, ...) return a[method](a, ...) end
    elseif name:find(".", 1, true) then
      local module, field = name:match("^(.*)%.([^.]+)$")
      target = function(...) return ma[module][field](...) end
    else
      local f = rawget(ma, name)
      target = f or function(a, ...) return a[name](a, ...) end
    end
    calls[#calls + 1] = { name = name, target = target, arguments = arguments, required = required, options = options }
  end
end
table.sort(calls, function(a, b) return a.name < b.name end)

local operators = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end, function(a, b) return a / b end,
  function(a, b) return a % b end, function(a, b) return a ^ b end, function(a) return -a end, function(a, b) return a[b] end,
  function(a, b, c) a[b] = c end, function(a, b, c) return a(b, c) end, function(a) return tostring(a) end, function(a, b) return a .. b end,
  function(a) return #a end, function(a, b) return a[{ b, b }] end, function(a, b, c) a[{ b, {} }] = c end, function(a, b) return a < b end,
  function(a, b) return a[b] + 1 end, function(a, b) return a:take(b) end, function(a, b) return a[tostring(b)] end,
}

local function show(value)
  if type(value) == "userdata" and rawequal(value, freed) then return "freed" end
  local ok, text = pcall(function()
    if type(value) == "userdata" and value.dtype then return ("%s(%s)"):format(value.dtype, helper.shape(value)) end
    return type(value) == "string" and ("%q"):format(value) or tostring(value)
  end)
  return ok and text or type(value)
end

local trace = os.getenv("FUZZ_TRACE")

-- A well-formed error: of ours with a function's name, or Lua's own about what a line of this file does. One that comes from a
-- line of the library's Lua files is a check that is missing there.
local function well_formed(message)
  if type(message) ~= "string" or message:find("lua/moonarray/[%w_]+.lua:%d+:") or message:find("internal", 1, true) then return false end
  return message:find("moonarray[%w_.:]*: ") or message:find("^spec/fuzz_spec.lua:%d+: ") or not message:find("^%S+:%d+: ")
end

describe("random calls", function()
  it("never crash, raise only errors of the right form and leak nothing", function()
    local count = tonumber(os.getenv("FUZZ_CALLS")) or helper.thin and 2000 or 10000
    local failures = helper.failures(20)
    local raised = 0
    for k = 1, count do
      local label, ok, message
      usual_shape, usual_dtype = pick(shapes), pick(helper.dtypes)
      local list, n
      if random(1, 6) == 1 then
        local which = random(1, #operators)
        list, n = { random() < 0.9 and some_array() or something(), something(), something() }, 3
        label = "operator " .. which
        if trace then io.stderr:write(k, " ", label, " ", show(list[1]), ", ", show(list[2]), ", ", show(list[3]), "\n") end
        ok, message = pcall(operators[which], list[1], list[2], list[3])
      else
        local call = pick(calls)
        list, n = {}, random(call.required, math.max(call.required, math.min(#call.arguments, call.required + 2)))
        if random(1, 12) == 1 then n = math.max(0, n + random(-1, 1)) end
        for i = 1, n do list[i] = fitting(call.arguments[i] or "") end
        if #call.options > 0 and random(1, 4) == 1 then
          n = n + 1
          list[n] = {}
          for _ = 1, random(1, 2) do
            local option = pick(call.options)
            list[n][option] = fitting(option)
          end
        end
        label = call.name
        if trace then
          local texts = {}
          for i = 1, n do texts[i] = show(list[i]) end
          io.stderr:write(k, " ", label, "(", table.concat(texts, ", "), ")\n")
        end
        ok, message = pcall(call.target, unpack(list, 1, n))
      end
      if not ok then
        raised = raised + 1
        if not well_formed(message) then
          local texts = {}
          for i = 1, n do texts[i] = show(list[i]) end
          failures:run(("call %d %s(%s)"):format(k, label, table.concat(texts, ", ")), error, message, 0)
        end
      end
    end
    ma.zeros({ 1 }):get()               -- a delayed error would be raised here
    assert(raised < count * 0.9, ("%d of %d calls raised errors"):format(raised, count))
    failures.seed = helper.seed
    if failures.n > 0 then failures[#failures + 1] = "SEED=" .. helper.seed end
    failures:check()
  end)
end)
