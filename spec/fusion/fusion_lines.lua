--- The lines of random programs over arrays (fusion_fuzz.lua): what may be chosen at random, and each kind of line
--- as text. A line depends on the seed, on its number, and on the shapes and dtypes that the lines before it left.

local bit = require "bit"
local helper = require "spec.helper"
local ma = helper.ma

local lines = {}

local on_cpu = helper.device == "cpu"

-- ==== Random choices ====

local state = 1
local function mix()                                               -- xorshift32
  local x = state
  x = bit.bxor(x, bit.lshift(x, 13))
  x = bit.bxor(x, bit.rshift(x, 17))
  state = bit.bxor(x, bit.lshift(x, 5))
  return state
end
local function reseed(seed, k)
  state = bit.bxor(bit.tobit(seed * 69069 + 1), bit.tobit(k * 362437 + 521288629))
  if state == 0 then state = 88675123 end
  for _ = 1, 4 do mix() end
end
local function random(low, high)
  return low + bit.band(mix(), 0x7fffffff) % (high - low + 1)
end
local function chance(percent) return random(1, 100) <= percent end
local function pick(list) return list[random(1, #list)] end

-- ==== The vocabulary: small on a GPU, where each new program and layout compiles a kernel ====

local full = not helper.thin
local words = os.getenv("FUZZ_VOCABULARY")                         -- "few": kernels of some hundred kinds; "full"
local few = words == "few" or (words ~= "full" and not full)
local thin = not few and not full
local dtypes = few and { "float32" } or thin and { "float32", "int32", "float32", "float64" } or
  { "float32", "float64", "float32", "float64", "int32", "int64", "bool", "uint8", "int8", "int16", "uint16", "uint32",
    "uint64",
    "float16", "bfloat16", "complex64", "complex128" }
local scalars = thin and { "2", "0.5", "-1" } or { "2", "0.5", "-1", "0", "1", "3", "1.5", "-0.25", "7", "0.1",
  "ma.float32(0.3)", "ma.int8(3)" }
local exponents = thin and { "2" } or { "2", "2", "0.5", "1", "0", "3", "-1", "1.5" }
local infix = thin and { "+", "-", "*" } or { "+", "-", "*", "+", "-", "*", "+", "*", "/", "/", "%" }
local unary = thin and { "-%s", "%s:astype('int32')", "%s:astype('float32')", "ma.sqrt(%s)" } or
  { "-%s", "-%s", "ma.sqrt(%s)", "ma.exp(%s)", "ma.sin(%s)", "ma.cos(%s)", "ma.tanh(%s)", "ma.absolute(%s)",
    "ma.square(%s)",
    "ma.floor(%s)", "ma.rint(%s)", "ma.sign(%s)", "ma.isnan(%s)", "ma.reciprocal(%s)", "ma.log1p(%s)",
    "ma.conjugate(%s)", "ma.isfinite(%s)",
    "ma.invert(%s)", "ma.logical_not(%s)", "ma.positive(%s)", "ma.trunc(%s)", "ma.arctan(%s)", "ma.cbrt(%s)",
    "ma.signbit(ma.nan_to_num(%s))", "%s.real", -- the sign of a NaN is no promise
    "%s.imag", "ma.expm1(%s)", "ma.nan_to_num(%s)", "ma.around(%s, 1)", "ma.angle(%s)", "%s:copy()", "ma.ones_like(%s)",
    "(%s)" }
local binary = thin and { "ma.maximum(%s, %s)", "%s:lt(%s)" } or
  { "ma.maximum(%s, %s)", "ma.minimum(%s, %s)", "ma.arctan2(%s, %s)", "ma.hypot(%s, %s)",
    "ma.copysign(%s, ma.nan_to_num(%s))", "ma.fmod(%s, %s)",
    "ma.floor_divide(%s, %s)", "ma.fmax(%s, %s)", "%s:lt(%s)", "%s:ge(%s)", "%s:eq(%s)", "%s:ne(%s)",
    "ma.logical_and(%s, %s)",
    "ma.logical_xor(%s, %s)", "ma.bitwise_and(%s, %s)", "ma.bitwise_or(%s, %s)", "ma.left_shift(%s, %s)",
    "ma.gcd(%s, %s)", "ma.logaddexp(%s, %s)",
    "ma.divide(%s, %s)", "ma.remainder(%s, %s)", "ma.power(%s, %s)", "ma.nextafter(%s, %s)", "ma.heaviside(%s, %s)" }
local extents = { 1, 2, 3, 4, 5, 7, 8, 16, 17, 33 }
if few then scalars, infix = { "2", "0.5", "-1" }, { "+", "*" } end

-- ==== Parts of lines ====

-- by slot: {shape, ndim, size, dtype} of what the unfused run has there
local seen
local nslot

--- The lines that follow are of a program of n slots, which are empty.
function lines.begin(n) nslot, seen = n, {} end

--- Slot k holds x, or nothing, from now on. Returns its size.
function lines.look(k, x)
  if not x then seen[k] = nil return end
  local ok = pcall(function()
    seen[k] = { shape = x.shape, ndim = x.ndim, size = x.size, dtype = x.dtype, key = table.concat(x.shape, ","),
      slot = k, name = ("v[%d]"):format(k) }
  end)
  if not ok then seen[k] = nil end
  return seen[k] and seen[k].size
end

local function live()
  local list = {}
  for k = 1, nslot do list[#list + 1] = seen[k] end
  return list
end

local function fresh()                                             -- the slot of a new array: an empty one, else any
  for k = 1, nslot do if not seen[k] then return k end end
  return random(1, nslot)
end

local function braces(shape) return "{ " .. table.concat(shape, ", ") .. " }" end

-- An index that keeps the shape: some axes backwards.
local function flipped(x)
  local parts = {}
  for d = 1, x.ndim do parts[d] = chance(50) and "::-1" or ":" end
  return ('%s["%s"]'):format(x.name, table.concat(parts, ", "))
end

-- The text of an array of `base`'s shape (or one that broadcasts to it) made of x, or nil.
local function fit(x, base)
  if few then
    if x.key == base.key then return x.ndim == 2 and chance(2) and x.name .. '["::-1, :"]' or x.name end
    if x.ndim == 0 then return x.name end
    return x.ndim < base.ndim and x.shape[x.ndim] == base.shape[base.ndim] and x.name or nil
  end
  if x.key == base.key then
    if x.ndim > 0 and chance(12) then return flipped(x) end
    if x.ndim == 2 and x.shape[1] == x.shape[2] and chance(20) then return x.name .. ".T" end
    return x.name
  end
  if x.ndim == 2 and base.ndim == 2 and x.shape[1] == base.shape[2] and x.shape[2] == base.shape[1] then
    return x.name .. ".T"
  end
  if x.size == base.size and base.ndim > 0 then return ("%s:reshape(%s)"):format(x.name, braces(base.shape)) end
  if x.ndim == base.ndim and x.ndim > 0 then
    local parts, larger = {}, true
    for d = 1, x.ndim do
      local room = x.shape[d] - base.shape[d]
      if room < 0 or base.shape[d] == 0 then larger = false break end
      local from = 1 + random(0, room)
      parts[d] = ("{ %d, %d }"):format(from, from + base.shape[d] - 1)
    end
    if larger then return ("%s[{ %s }]"):format(x.name, table.concat(parts, ", ")) end
  end
  if x.ndim > base.ndim then return nil end
  for d = 1, x.ndim do
    local extent = x.shape[d]
    if extent ~= 1 and extent ~= base.shape[base.ndim - x.ndim + d] then return nil end
  end
  return chance(20) and ("ma.broadcast_to(%s, %s)"):format(x.name, braces(base.shape)) or x.name
end

local function leaf(base)
  local list = live()
  for _ = 1, 4 do
    local text = #list > 0 and fit(pick(list), base)
    if text then return text end
  end
  return base.name or "(" .. pick(scalars) .. ")"
end

local function few_expr(depth, base)
  local kind, a, b = random(1, 20), leaf(base), leaf(base)
  if depth <= 1 or kind <= 10 then return ("(%s %s %s)"):format(a, pick(infix), b) end
  if kind <= 16 then return ("(%s %s (%s))"):format(a, pick(infix), pick(scalars)) end
  if kind <= 18 then return ("(%s * (%s) + %s)"):format(a, pick(scalars), b) end
  if kind == 19 then return ("ma.where(%s:gt(0), %s, %s)"):format(a, a, b) end
  return ("(%s ^ 2)"):format(a)
end

local expr
function expr(depth, base)
  if few then return few_expr(depth, base) end
  local kind = depth <= 0 and 1 or random(1, 20)
  if kind <= 2 then return leaf(base) end
  if kind <= 10 then
    local right = chance(25) and "(" .. pick(scalars) .. ")" or expr(depth - 1, base)
    local left = expr(depth - 1, base)
    if chance(15) then left, right = right, left end
    return ("(%s %s %s)"):format(left, pick(infix), right)
  end
  if kind <= 13 then
    local text = pick(unary)
    return "(" .. text:format(expr(depth - 1, base)) .. ")"
  end
  if kind <= 15 then return pick(binary):format(leaf(base), chance(25) and pick(scalars) or expr(depth - 1, base)) end
  if kind == 16 then return ("(%s ^ %s)"):format(expr(depth - 1, base), pick(exponents)) end
  if kind == 17 then
    return ("ma.where(%s:gt(%s), %s, %s)"):format(leaf(base), pick(scalars), expr(depth - 1, base), chance(30)
      and pick(scalars) or leaf(base))
  end
  if kind == 18 then return ("%s:astype('%s')"):format(expr(depth - 1, base), pick(dtypes)) end
  if kind == 19 and base.ndim > 0 and not thin then
    return pick { "(%s):sum(1, { keepdims = true })", "ma.cumsum(%s, 1)", "(%s):max(-1, { keepdims = true })",
      "ma.flip(%s)", "(%s):mean({ keepdims = true })",
      "ma.clip(%s, -2, 3)", "ma.roll(%s, 1)" }:format(expr(depth - 1, base))
  end
  return ("fused(%s, %s)"):format(leaf(base), leaf(base))
end

-- A view of x as text, of another shape as a rule.
local function view(x)
  if few then
    if x.ndim == 1 then return x.name .. ":reshape(" .. (x.size == 128 and "8, 16" or "1, " .. x.size) .. ")" end
    if x.ndim ~= 2 then return x.name .. ":reshape(" .. x.size .. ")" end
    return x.name .. pick { ":reshape(128)", '["3:6, :"]', '["::-1, :"]', "[2]", ".T" }
  end
  local kind = random(1, 9)
  if x.ndim == 0 then
    return kind < 4 and x.name .. ":reshape(1)" or kind < 7 and "ma.broadcast_to(" .. x.name .. ", { 3 })"
      or x.name .. "[{}]"
  end
  if kind == 1 then return x.name .. ":reshape(" .. x.size .. ")" end
  if kind == 2 then return x.name .. ".T" end
  if kind == 3 then return x.name .. ':reshape(1, ' .. x.size .. ")" end
  if kind == 4 then return ('%s["..., _"]'):format(x.name) end
  if kind == 5 then return ("%s[%d]"):format(x.name, random(1, math.max(1, x.shape[1]))) end
  if kind == 6 and x.ndim == 2 then return ("ma.diagonal(%s)"):format(x.name) end
  if kind == 7 then return ("ma.broadcast_to(%s, { 2, %s })"):format(x.name, table.concat(x.shape, ", ")) end
  if kind == 8 then return ("ma.swapaxes(%s, 1, -1)"):format(x.name) end
  local parts = {}
  for d = 1, x.ndim do
    local n, how = x.shape[d], random(1, 5)
    if how == 1 or n < 2 then parts[d] = ":"
    elseif how == 2 then parts[d] = "::-1"
    elseif how == 3 then parts[d] = "2:"
    elseif how == 4 then parts[d] = "1:" .. random(1, n)
    else parts[d] = ("%d:%d:2"):format(random(1, 2), n) end
  end
  return ('%s["%s"]'):format(x.name, table.concat(parts, ", "))
end

-- A part of x to write into: {text, shape}; nil where x is too small.
local function part(x)
  if x.ndim == 0 or x.size == 0 then return nil end
  if few then
    if x.key ~= "8,16" then return nil end
    return { name = x.name .. '["3:6, :"]', shape = { 4, 16 }, ndim = 2, size = 64, key = "4,16", dtype = x.dtype }
  end
  local parts, shape = {}, {}
  for d = 1, x.ndim do
    local n = x.shape[d]
    local lo = random(1, n)
    local hi = random(lo, n)
    if chance(30) then lo, hi = 1, n end
    if chance(15) then parts[d] = ("{ %d, %d, -1 }"):format(hi, lo) else parts[d] = ("{ %d, %d }"):format(lo, hi) end
    shape[d] = hi - lo + 1
  end
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return { name = ("%s[{ %s }]"):format(x.name, table.concat(parts, ", ")), shape = shape, ndim = x.ndim, size = size,
    key = table.concat(shape, ","),
    dtype = x.dtype }
end

local function value_for(base)                                     -- of an assignment
  local kind = random(1, 10)
  if kind <= 3 then return pick(scalars) end
  return expr(kind <= 7 and 2 or 1, base)
end

-- ==== Kinds of lines ====

local kinds = {}
local function kind(weight, make)
  for _ = 1, weight do kinds[#kinds + 1] = make end
end
local function any() return pick(live()) end

-- New arrays
kind(10, function() return ("v[%d] = %s"):format(fresh(), expr(random(1, 4), any())) end)
kind(3, function()
  local a, b = fresh(), random(1, nslot)
  local x = any()
  return ("do local t = %s; v[%d] = %s; v[%d] = t * %s end"):format(expr(2, x), a,
    ("(t %s %s)"):format(pick(infix), leaf(x)), b, pick(scalars))
end)
kind(2, function()
  local x = any()
  return ("for _ = 1, %d do %s = %s * 0.5 + %s end"):format(chance(20) and (few and 20 or 40) or few and 3
    or random(2, 6), x.name, x.name, leaf(x))
end)
kind(1, function()
  local x, terms = any(), {}
  if few then return nil end
  for k = 1, random(6, 16) do terms[k] = chance(20) and "(" .. leaf(x) .. " * " .. k / 4 .. ")" or leaf(x) end
  return ("v[%d] = %s"):format(fresh(), table.concat(terms, " + "))
end)
kind(5, function() return ("v[%d] = %s"):format(fresh(), view(any())) end)
kind(1, function(program)
  local shape = pick(program.shapes)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  if n > 8000 then return nil end
  return ('v[%d] = data(%d, "%s", %s)'):format(fresh(), random(1, 8192 - n), pick(program.dtypes), braces(shape))
end)

-- Draws, which what uses them takes in.
local function drawn(shape)
  return pick { "rng:random(%s, '%s')", "rng:standard_normal(%s, '%s')", "rng:normal(-1, 3, %s, '%s')",
    "rng:uniform(-2, 5, %s, '%s')" }:format(braces(shape), few and "float32" or pick { "float32", "float64" })
end
kind(3, function() return ("v[%d] = %s"):format(fresh(), drawn(any().shape)) end)
kind(2, function()
  local x = any()
  if few then return ("v[%d] = %s * 2 + %s"):format(fresh(), drawn(x.shape), x.name) end
  return pick {
    ("v[%d] = %s * %s"):format(fresh(), drawn(x.shape), expr(1, x)),
    ("v[%d] = %s * rng:random(%s, 'float32'):lt(0.5)"):format(fresh(), leaf(x), braces(x.shape)),
    ("v[%d] = (%s ^ 2 + %s):%s(%s)"):format(fresh(), drawn(x.shape), leaf(x), pick { "mean", "sum", "max", "std" },
      x.ndim > 0 and pick { "", "1", tostring(x.ndim) } or ""),
    ("v[%d] = %s + %s"):format(fresh(), drawn(x.shape), drawn(x.shape)),
    ("v[%d] = (%s + 1):cumsum(1)"):format(fresh(), drawn(x.shape)),
    ("%s:iadd(%s)"):format(x.name, drawn(x.shape)),
    ("v[%d] = %s:item() rng:seed(%d)"):format(fresh(), "rng:random({}, 'float64')", random(1, 9)),
    "rng:set_state(rng:get_state()) read(rng:get_state().draw)",
  }
end)
kind(1, function() return ("v[%d] = ma.empty_like(%s); v[%d]:fill(1)"):format(nslot, any().name, nslot) end)

-- In place
kind(5, function()
  local x = any()
  return ("%s:%s(%s)"):format(x.name, pick { "iadd", "isub", "imul", "assign", "assign", "idiv" }, value_for(x))
end)
kind(5, function()
  local x = any()
  local p = part(x)
  if not p then return nil end
  if chance(30) then
    return ("%s:%s(%s)"):format(p.name, pick { "iadd", "assign", "imul", "fill" }, chance(50) and pick(scalars)
      or value_for(p))
  end
  return ("%s = %s"):format(p.name, value_for(p))
end)
kind(2, function()                                                 -- a stencil: reads what it writes
  local x = any()
  if x.ndim == 0 or x.shape[1] < 3 then return nil end
  local rest = x.ndim == 2 and ", :" or ""
  if x.ndim > 2 then return nil end
  return ('%s["2:-2%s"] = %s["1:-3%s"] * 0.25 + %s["3:%s"]'):format(x.name, rest, x.name, rest, x.name, rest)
end)
kind(1, function()
  local x = any()
  return ("%s[{}] = %s"):format(x.name, value_for(x))
end)
kind(2, function()
  local x = any()
  if x.ndim == 0 then return nil end
  return ("%s[%d] = %s"):format(x.name, random(1, math.max(1, x.shape[1])), pick(scalars))
end)
kind(2, function()
  local x = any()
  if chance(50) then return ("%s[%s:gt(%s)] = %s"):format(x.name, leaf(x), pick(scalars), pick(scalars)) end
  return ("%s:%s(%s, { where = %s:lt(1) })"):format(x.name, pick { "iadd", "imul" }, value_for(x), leaf(x))
end)
kind(3, function()
  local x = any()
  local p = chance(40) and part(x) or x
  return ("%s(%s, %s, { out = %s%s })"):format(pick { "ma.add", "ma.multiply", "ma.subtract" }, leaf(p), chance(40)
    and expr(2, p) or leaf(p), p.name,
    chance(15) and ", where = " .. leaf(p) .. ":gt(0)" or "")
end)
kind(1, function()
  local x = any()
  return ("ma.copyto(%s, %s)"):format(x.name, value_for(x))
end)
-- overlapping: one view is written from another of the same memory
kind(1, function()
  local x = any()
  if x.ndim ~= 1 or x.size < 3 then return nil end
  return ('ma.add(%s["1:-2"], %s, { out = %s["2:"] })'):format(x.name, pick(scalars), x.name)
end)
kind(1, function()
  local x = any()
  if x.ndim ~= 1 or x.size < 2 then return nil end
  return pick { "%s:sort()", "%s:put(ma.array({ 1, 2 }), 5)", "%s:iadd_at(ma.array({ 1, 2, 1 }), 2)",
    "rng:shuffle(%s)" }:format(x.name)
end)

-- results of other functions, and into memory that is given
kind(1, function()
  local x, y = any(), any()
  local a, b = fresh(), random(1, nslot)
  if few then
    return pick {
      ("v[%d], v[%d] = both(%s, %s)"):format(a, b, x.name, y.name),
      ("scaled(%s, %s)"):format(x.name, expr(1, x)),
      ("ma.cumsum(%s, 1, { out = %s })"):format(x.name, y.name),
      ("v[%d] = ma.concatenate({ %s, %s }, 1)"):format(a, expr(1, x), x.name),
      ("%s:set_async(%s)"):format(x.name, y.name),
      ("v[%d] = ma.matmul(%s, %s.T)"):format(a, expr(1, x), x.name),
    }
  end
  return pick {
    ("v[%d], v[%d] = ma.divmod(%s, %s)"):format(a, b, leaf(x), expr(1, x)),
    ("v[%d], v[%d] = ma.modf(%s)"):format(a, b, expr(1, x)),
    ("v[%d], v[%d] = both(%s, %s)"):format(a, b, leaf(x), expr(1, x)),
    ("v[%d] = twice(%s, %s)"):format(a, expr(1, x), leaf(x)),
    ("twice(%s, %s, %s)"):format(expr(1, x), leaf(x), x.name),
    ("scaled(%s, %s)"):format(x.name, leaf(x)),
    ("scaled(%s, %s)"):format(x.name, expr(1, x)),
    ("ma.cumsum(%s, 1, { out = %s })"):format(expr(1, x), x.name),
    ("ma.sum(%s, 1, { out = %s, keepdims = true })"):format(expr(1, x), y.name),
    ("v[%d] = ma.concatenate({ %s, %s }, 1)"):format(a, expr(1, x), leaf(x)),
    ("v[%d] = ma.stack({ %s, %s })"):format(a, leaf(x), expr(1, x)),
    ("rng:random(%s, '%s', { out = %s })"):format(braces(x.shape), x.dtype, x.name),
    ("%s:set_async(%s)"):format(x.name, leaf(x)),
    ("v[%d] = ma.matmul(%s, %s)"):format(a, expr(1, x), leaf(x)),
    ("v[%d] = ma.tile(%s, 2)"):format(a, expr(1, x)),
    ("v[%d] = ma.outer(%s, %s)"):format(a, leaf(x), leaf(x)),
    ("v[%d] = %s:to('cpu')"):format(a, x.name),
    ("v[%d] = ma.fft.ifft(%s)"):format(a, expr(1, x)),
    ("v[%d] = ma.linalg.norm(%s)"):format(a, expr(1, x)),
  }
end)
kind(1, function() return ("starve(%d)"):format(random(1, 4)) end)

-- Scopes, functions, streams
kind(2, function()
  local x, y = any(), any()
  return ("v[%d] = ma.scope(function() local t = %s; local u = t %s 2; %s return u - t end)"):format(fresh(),
    expr(2, x), pick(infix),
    chance(50) and ("%s:iadd(%s);"):format(y.name, leaf(y)) or "")
end)
kind(1, function()
  local x, y = any(), any()
  return pick {
    ("v[%d] = ma.iterate(%d, function(u) return u * 0.5 + %s end, %s)"):format(fresh(), random(1, 4), leaf(x), x.name),
    ("ma.iterate(3, function(u) u:assign(%s) end, %s)"):format(expr(1, x), x.name),
    ("pcall(ma.scope, function() local t = %s; %s:iadd(t); error('out') end)"):format(expr(2, y), y.name),
    ("v[%d] = apart(function() return %s end)"):format(fresh(), expr(2, x)),
    ("v[%d], v[%d] = ma.scope(function() local t = %s; return t, t + 1 end)"):format(random(1, nslot), fresh(),
      expr(2, x)),
    ("ma.cuda.using_allocator(nil, function() v[%d] = %s; %s:iadd(1) end)"):format(fresh(), expr(2, x), y.name),
    ("v[%d] = ma.scope(function() local t = %s; local c = coroutine.wrap(function() local u = t * 2; " ..
      "coroutine.yield(); return u + 1 end);"
      .. " c(); return c() end)"):format(fresh(), expr(1, x)),
    ("do local t = %s; ma.scope(function() ma.keep(t) v[%d] = ma.keep(t * 2) end) end"):format(expr(1, x), fresh()),
  }
end)
kind(2, function()
  local x = any()
  local stream = "s[" .. random(1, 2) .. "]"
  return pick {
    stream .. ":use()",
    "null:use()",
    ("v[%d] = %s:with(function() return %s end)"):format(fresh(), stream, expr(2, x)),
    ("%s:with(function() %s:iadd(%s) end)"):format(stream, x.name, leaf(x)),
    ("e[1]:record(); %s:wait_event(e[1])"):format(stream),
    "ma.get_current_stream():synchronize()",
    "ma.synchronize()",
    "e[1]:record(); e[1]:synchronize()",
  }
end)
if on_cpu then
  kind(1, function()
    local x = any()
    return ("starve(0); do local g = ma.cuda.graph(function() %s:iadd(%s) end); g(); g() end"):format(x.name,
      expr(1, x))
  end)
end

-- Ends of arrays
kind(2, function() return any().name .. " = nil" end)
kind(1, function()
  local x = any()
  return ("%s:free(); %s = nil"):format(x.name, x.name)
end)
kind(1, function() return pick { "collectgarbage()", "collectgarbage('step', 200)" } end)
kind(1, function() return pick { "%s:eval()", "if rawget(ma, 'eval') then ma.eval(%s) end" }:format(any().name) end)
if rawget(ma, "set_fusion") then
  kind(1, function() return "toggle()" end)
end

-- Memory that others see
kind(1, function()
  local x = any()
  if on_cpu and chance(40) and (x.dtype == "float64" or x.dtype == "int32") and x.size > 0 then
    return ("do local p = %s:data(); p[%d] = %d end"):format(x.name, random(0, x.size - 1), random(-5, 5))
  end
  if on_cpu and chance(40) then
    return pick { ("v[%d] = ma.frombuffer(mem, { 64 }, 'float64')"):format(fresh()),
      ("mem[%d] = %d"):format(random(0, 63), random(-9, 9)) }
  end
  return pick { "v[%d] = ma.from_dlpack(ma.to_dlpack(%s))", "v[%d] = ma.import(ma.export(%s))" }:format(fresh(), x.name)
end)

-- Reductions that wait, and what they are broadcast back into
local row_programs = {
  "local e = ma.exp(x - x:max(AXIS, k)); NEW = e / e:sum(AXIS, k)",
  "local d = x - x:max(AXIS, k); NEW = d - ma.log(ma.exp(d):sum(AXIS, k))",
  "NEW = (x - x:mean(AXIS, k)) / ma.sqrt(x:var(AXIS, k) + 1)",
  "local d = x - x:min(AXIS, k); NEW = d * d + d / (d:max(AXIS, k) + 1)",
  "local m = x:sum(AXIS, k); NEW = x * m; NEXT = m",
  "NEW = x:min(AXIS); NEXT = x:max(AXIS)",
  "NEW = x:mean(k); NEXT = (x * 2):std(k) + x:max()",
  "local s = (x * x):sum(AXIS, k); NEW = x / ma.sqrt(s + 1); NEXT = s + x:argmax(AXIS, k)",
}
kind(3, function()
  local x = any()
  if few or thin or x.ndim == 0 then return nil end
  local parts = { AXIS = pick { "-1", "-1", "1" }, NEW = ("v[%d]"):format(fresh()), NEXT = ("v[%d]"):format(fresh()) }
  local text = pick(row_programs):gsub("%u%u%u+", parts)
  return ("do local k, x = { keepdims = true }, %s; %s end"):format(chance(60) and x.name or expr(2, x), text)
end)

-- Readings
kind(3, function() return ("read(%s)"):format(any().name) end)
kind(1, function() return ("read(%s)"):format(expr(3, any())) end)
kind(2, function()
  local x = any()
  if few then
    return "read(" .. pick { "(%s):sum()", "(%s):max()", "(%s):sum(1)", "(%s):sum():item()", "(%s):sum(-1)",
      "((%s) ^ 2):mean()" }:format(x.name) .. ")"
  end
  return "read(" .. pick { "(%s):sum()", "(%s):max()", "(%s):argmax()", "(%s):mean()", "(%s):any()", "(%s):sum(1)",
    "(%s):sum(-1)", "(%s):sum():item()",
    "ma.cumsum(%s)", "(%s):var()", "(%s):all()", "ma.count_nonzero(%s)", "((%s) ^ 2):mean()", "(%s):min(1)",
    "(%s):prod()", "(%s):argmin(1)" }
    :format(chance(50) and x.name or expr(2, x)) .. ")"
end)
kind(1, function()
  local x = any()
  if x.size > 600 then return nil end
  return "read(" .. pick { "(%s):totable()", "tostring(%s)", "(%s):get()", "(%s):get_async():get()",
    "ma.array_equal(%s, 1)", "ma.loads((%s):dumps())",
    "ma.nonzero(%s)", "ma.allclose(%s, 0)", "ma.concatenate({ %s }, 1)", "(%s):flatten()" }:format(chance(50) and x.name
    or expr(2, x)) .. ")"
end)
kind(1, function()
  local x = any()
  if x.ndim == 0 then return ("read(%s:item())"):format(x.name) end
  if x.ndim == 1 and x.size > 0 then
    return pick { ("read(%s[%d])"):format(x.name, random(1, x.size)),
      ("read(%s:take({ 1, %d }))"):format(x.name, x.size),
      ("read(%s[%s:gt(0)])"):format(x.name, x.name), ("read(ma.item(%s[1], %s[%d]))"):format(x.name, x.name, x.size) }
  end
  if x.ndim == 2 and x.size > 0 then
    return pick { ("read(%s(%d, %d))"):format(x.name, random(1, x.shape[1]), random(1, x.shape[2])),
      ("read(%s[ma.index { 1 }])"):format(x.name),
      ("read(ma.matmul(%s, %s.T))"):format(expr(1, x), leaf(x)) }
  end
  return nil
end)

lines.reseed, lines.random, lines.chance, lines.pick = reseed, random, chance, pick
lines.live, lines.braces, lines.kinds = live, braces, kinds
lines.dtypes, lines.extents, lines.few, lines.words = dtypes, extents, few, words

return lines
