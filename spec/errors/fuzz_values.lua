--- Random arguments for fuzz_spec.lua: arrays of every dtype and layout, numbers, texts, tables and what else a
--- call may be given by mistake. Nothing here is an address that leads nowhere: who gives one is trusted.

local ffi = require "ffi"
local helper = require "spec.helper"
local ma = helper.ma

local inf, nan = math.huge, 0 / 0
local values = {}

local random = helper.random(2026)
values.random = random

local function pick(list) return list[random(1, #list)] end
values.pick = pick

-- A folder of its own: what writes is given no other path.
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir -p " .. folder)
values.folder = folder

local shapes = { { 3 }, { 1 }, { 0 }, { 2, 3 }, { 3, 1 }, { 1, 3 }, { 2, 0 }, { 2, 2, 2 }, { 3, 3 }, { 5, 1, 2 },
  { 17 }, {} }

-- The arrays of one call mostly have one shape and are of few dtypes, so that many calls get as far as computing.
local usual_shape, usual_dtype = shapes[1], "float32"

--- Before each call.
function values.next_call() usual_shape, usual_dtype = pick(shapes), pick(helper.dtypes) end

local function some_array()
  local shape = random() < 0.8 and usual_shape or pick(shapes)
  local dtype = random() < 0.5 and usual_dtype or pick(helper.dtypes)
  local kind = random(1, 16)
  if kind == 1 then return ma.ones(shape, dtype):transpose() end
  if kind == 2 and #shape > 0 then return ma.flip(ma.ones(shape, dtype)) end
  if kind == 3 then return ma.broadcast_to(ma.ones({ 1 }, dtype), { 4, 3 }) end
  if kind == 4 then return ma.array(random(-3, 3)) end
  if kind == 5 then return ma.arange(random(0, 12)):astype(dtype) end
  if kind == 6 then return ma.zeros({ 4, 6 }, dtype)["2:3, 1:5:2"] end
  if kind == 7 and dtype:find("^[fc]") then return ma.full(shape, pick({ nan, inf, -inf, -0.0 }), dtype) end
  return ma.full(shape, random(0, 3), dtype)
end
values.array = some_array

local numbers = { 0, 1, 2, 3, -1, -2, 4, 7, 1.5, -0.5, 0.1, nan, inf, -inf, 1e17, -1e17, 2 ^ 53, 2 ^ 63, -2 ^ 63, 1e300,
  40, -129, 1e-300, -0.0,
  2 ^ 31, 2 ^ 32, -2 ^ 31 - 1 }
local words = { "float32", "int8", "complex64", "bool", "", "x", ":", "1:2", "::-1", "...", "_", "2", "sum", "C", "F",
  "unsafe", "cpu",
  "float99", ("a"):rep(300), "1:2,:", "\0", "%s%n", "a\0b", ("1,"):rep(200), "x + y", "\255\254", "i,j->ij" }

local cyclic = { 1, 2 }
cyclic[3] = cyclic
local deep = { 1 }
for _ = 1, 300 do deep = { deep } end
local long = {}
for k = 1, 3000 do long[k] = k end

local freed = ma.zeros({ 3 })
freed:free()
local closed = ma.Stream()
closed:close()

local bytes = ffi.new("uint8_t[64]")
local cdata = { ffi.new("int64_t", 5), ffi.new("uint64_t", -1LL), ffi.new("int[2]"), ffi.cast("void *", nil),
  ffi.cast("float *", nil), ma.complex(1, 2),
  ffi.new("struct { int a; double b; }"), ffi.new("float[?]", 3), ffi.typeof("int"), ffi.new("double complex", 1, 2),
  bytes, ffi.new("int64_t", -5),
  ffi.new("bool", true), ffi.cast("int (*)(int)", nil), ma.complex(nan, inf) }

-- Functions that a call may call: good ones, one that raises, one that yields, and no Lua functions.
local functions = { function(...) return ... end, function() end, function(a) return a + 1 end,
  function() return 1, 2, 3 end, function() return {} end,
  function() error("moonarray.fuzz: a user's error: 1") end, ma.add, function(x, y) return x * y end,
  function() coroutine.yield() end }

local objects = { io.stdout, freed, closed, ma.add, ma.Stream.null, ma.device(helper.device),
  coroutine.create(math.abs), ma.newaxis,
  newproxy and newproxy(true) or io.stdout,
  setmetatable({}, { __index = function() error("moonarray.fuzz: an index that raises: 1") end }),
  setmetatable({}, { __len = function() return 2 end, __call = function(_, x) return x end }), ma.random,
  ma.get_default_memory_pool() }

local some_table, something
local option_names = { "axis", "dtype", "out", "keepdims", "where", "initial", "ddof", "device", "shape", "nonsense",
  "decimals", "stream", "size", "order" }

function some_table(depth)
  local kind = random(1, 19)
  if kind == 1 then return {} end
  if kind == 2 then return { random(1, 4), random(1, 4) } end
  if kind == 3 then return { -1 } end
  if kind == 4 then return { 2 ^ 40, 2 ^ 40 } end
  if kind == 5 then return { { 1, 2 }, { 3, 4 } } end
  if kind == 6 then return { { 1, 2 }, { 3 } } end
  if kind == 7 then return { true, false, true } end
  if kind == 8 then return { some_array(), some_array() } end
  if kind == 9 then return { pick(option_names), 1 } end
  if kind == 10 then
    local options = {}
    for _ = 1, random(1, 2) do options[pick(option_names)] = something(depth + 1) end
    return options
  end
  if kind == 11 then return { pick(numbers), pick(numbers) } end
  if kind == 12 then return cyclic end
  if kind == 13 then return { 1, nil, 3 } end                     -- a hole
  if kind == 14 then return { [2] = 1, [2 ^ 53] = 2, [0] = 3, [-1] = 4 } end
  if kind == 15 then return deep end
  if kind == 16 then return long end
  if kind == 17 then return { pick(words), pick(words) } end
  if kind == 18 then return { [1.5] = 1, [true] = 2, [some_array()] = 3 } end
  return { something(depth + 1), something(depth + 1), x = 1 }
end

function something(depth)
  depth = depth or 0
  local kind = random(1, 22)
  if kind <= 8 then return some_array() end
  if kind <= 12 then return pick(numbers) end
  if kind == 13 then return pick(words) end
  if kind <= 15 then return depth < 3 and some_table(depth) or nil end
  if kind == 16 then return random() < 0.5 end
  if kind == 17 then return freed end
  if kind == 18 then return pick(cdata) end
  if kind == 19 then return pick(helper.dtypes) end
  if kind == 20 then return pick(functions) end
  if kind == 21 then return pick(objects) end
  return nil
end
values.something = something

-- ==== What fits an argument of a name ====

local function path()
  return pick({ folder .. "/a.npy", folder .. "/b.npz", folder .. "/c.txt", folder .. "/none/d", folder,
    folder .. "/a\0b", 5, true, nan, freed })
end

local fits = {
  dtype = function() return pick(helper.dtypes) end,
  shape = function() return pick(shapes) end,
  keepdims = function() return random() < 0.5 end,
  where = function() return pick({ ma.array({ true, false, true }), true, ma.array(true) }) end,
  path = path, file = path, fname = path,
  fn = function() return pick(functions) end,
  generator = function() return ma.random.default_rng(random(1, 9)) end,
  stream = function() return random() < 0.5 and ma.Stream() or nil end,
  arrays = function() return { some_array(), some_array() } end,
  n = function() return random(-3, 9) end,
  name = function() return pick({ "a_name", "", "a b", "\0", "x" }) end,
}
fits.condition, fits.tup, fits.callback, fits.step = fits.where, fits.arrays, fits.fn, fits.fn
for _, name in ipairs { "decimals", "k", "num", "shift", "size", "n_repeat", "n_warmup", "length", "count",
  "nbytes" } do
  fits[name] = fits.n
end
for _, name in ipairs { "out", "device", "order", "casting" } do fits[name] = function() return nil end end

--- Something that often fits an argument of this name; a path never leaves the folder.
function values.fitting(name)
  if fits[name] == path then return path() end
  if random() < 0.15 then return something() end
  if name:find("axis") or name:find("axes") then return pick({ 1, 2, -1, 3, 0, { 1, 2 }, { 2, 1 } }) end
  if fits[name] then return fits[name]() end
  return some_array()
end

--- A value as the report of a failure has it.
function values.show(value)
  for k, known in pairs { freed = freed, closed = closed, cyclic = cyclic, deep = deep, long = long } do
    if rawequal(value, known) then return k end
  end
  local ok, text = pcall(function()
    if type(value) == "userdata" and value.dtype then return ("%s(%s)"):format(value.dtype, helper.shape(value)) end
    if type(value) == "table" and getmetatable(value) == nil then
      local parts = {}
      for k, v in pairs(value) do
        parts[#parts + 1] = tostring(k) .. "=" .. (type(v) == "table" and "{..}" or values.show(v))
      end
      return "{" .. table.concat(parts, ", ") .. "}"
    end
    return type(value) == "string" and ("%q"):format(value) or tostring(value)
  end)
  return ok and text or type(value)
end

return values
