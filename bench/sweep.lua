--- Times one call after another for peers/sweep.py, which writes them to stdin as `section size dtype expression` and
--- times the peer's in turn. The calls are in sweep.txt (SciPy's) and ordinary.txt (NumPy's); `random` has for each
--- kind of section what makes the arrays that they name.

local ma = require "moonarray"
local core = require "moonarray.core"

--- One thread is timed by what it works, so that others on the machine count less.
local clock = os.getenv("MOONARRAY_NUM_THREADS") == "1" and os.clock or ma.time
local on_gpu = ma.zeros(1).device ~= "cpu"
local random = {}

--- As many numbers of 0 .. 1 as sweep.py has, in the same order.
local function fractions(n)
  local x = ma.sin(ma.arange(n, { dtype = "float64" }) * 12.9898 + 1) * 43758.5453
  return x - ma.floor(x)
end

function random.line(n, dtype)
  local u = fractions(n)
  local as = function(a) return a:astype(dtype):copy() end
  return { n = n, u = as(u), p = as(u * 10), q = as(u * 50), s = as(u * 10 - 5), v = as(ma.roll(u, math.floor(n / 3))),
    w = as(ma.roll(u, math.floor(n / 3)) * 10), k = as(ma.floor(u * 10)), half = as(u * 0.98 + 0.01),
    t = as(ma.linspace(0, 10, n)),
    wave = as(ma.sin(ma.linspace(0, n / 5, n)) + u * 0.3), matrix = as(fractions(n * 8):reshape(8, n)),
    points = as(fractions(n * 3):reshape(n, 3)), others = as(ma.roll(fractions(n * 3), 5):reshape(n, 3)),
    knots = as(ma.linspace(0, 10, 100)), values = as(ma.sin(ma.linspace(0, 10, 100))),
    grid = as(fractions(50 * 40):reshape(50, 40)), g1 = as(ma.linspace(0, 10, 50)), g2 = as(ma.linspace(0, 10, 40)),
    at = as(ma.stack({ u * 10, ma.roll(u, math.floor(n / 3)) * 10 }, -1)),
    b = ma.array { 0.00041655, 0.00166618, 0.00249927, 0.00166618, 0.00041655 },
    a = ma.array { 1, -3.18063855, 3.86119435, -2.11215536, 0.43826514 },
    fir = as(fractions(33) - 0.5), second = as(ma.roll(u, 3)), peaks = ma.signal.find_peaks and
      (ma.signal.find_peaks(as(ma.sin(ma.linspace(0, n / 5, n)) + u * 0.3))) }
end

function random.image(n, dtype)
  local y, x = ma.range(1, n):astype("float64"):reshape(n, 1), ma.range(1, n):astype("float64"):reshape(1, n)
  local rough = fractions(n * n):reshape(n, n)
  local u = ma.sin(x * 0.05) * ma.cos(y * 0.03) * 0.25 + 0.25 + rough * 0.5
  local mask = u:gt(0.6)
  if dtype == "uint8" then u = u * 255 end
  local labels = ma.ndimage.label(mask)
  return { n = n, u = u:astype(dtype):copy(), mask = mask:copy(), labels = labels, most = labels:max():item(),
    few = (ma.floor(ma.broadcast_to(x, { n, n }) / n * 15.99)):astype("int32"), kernel = ma.ones({ 5, 5 }),
    seed = (mask * rough:gt(0.9)):copy(), foot = ma.array({ { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 0 } }, "bool"),
    at = ma.stack({ ma.broadcast_to(y * 0.98 + 0.37, { n, n }), ma.broadcast_to(x * 0.98 + 0.37, { n, n }) }),
    f = ma.fft.fft2(u), turn = ma.array { { 0.98, -0.17 }, { 0.17, 0.98 } } }
end

--- What a user of NumPy has: lines, masks, positions, matrices in several layouts, pictures of both kinds of order.
function random.ordinary(n, kind)
  local dtype = kind == "random" and "float64" or kind
  local whole, logical = dtype:find("int") ~= nil, dtype == "bool"
  local u = fractions(n)
  local v = ma.roll(u, math.floor(n / 3))
  local side, tall, cube = math.floor(math.sqrt(n)), math.max(1, math.floor(n / 10)), math.floor(n ^ (1 / 3) + 1e-9)
  local function as(a)
    return (logical and a:gt(0.5) or (whole and ma.floor(a * 100) or a):astype(dtype)):copy()
  end
  local function places(count, most) return ma.floor(fractions(count) * most):astype("int64") + 1 end
  local x = as(u)
  local M = x[{ { 1, side * side } }]:reshape(side, side)
  local long, order = as(fractions(2 * n)), ma.argsort(M, 2)
  local batch = math.max(1, math.floor(n / 16))
  local S = as(fractions(n <= 100 and n * n or 1)):reshape(n <= 100 and n or 1, -1)
  local list = {}
  for k = 1, math.min(n, 1000) do list[k] = k * 0.5 end
  return { n = n, half = math.max(1, math.floor(n / 2)), x = x, y = as(v), z = as(u * 20 - 10), f = as(u),
    s = ma.sort(x), c = as(u * 0 + 0.7), sk = as(u ^ 8), st = long[{ { 1, 2 * n, 2 } }], rev = x[{ { -1, 1, -1 } }],
    m = u:gt(0.5), mc = (ma.floor_divide(ma.arange(n), 100) % 3):eq(0), idx = places(n, n),
    q3 = ma.array { 0.1, 0.5, 0.9 },
    edges = ma.linspace(0, 1, 30), edges2 = ma.sin(ma.linspace(0, 1, 30)), k5 = as(fractions(5) * 3),
    i = places(n, 1000), i0 = places(n, 1000), few = ma.array({ 3, 70, 512, 900 }, "int64"),
    i01 = u:gt(0.5):astype("int64") + 1, i10 = ma.arange(0, 100, 10), e10 = as(fractions(10)),
    p3 = kind == "random" and ma.array { 0.2, 0.3, 0.5 } or as(fractions(n * 3):reshape(n, 3)),
    o3 = as(ma.roll(fractions(n * 3), 5):reshape(n, 3)),
    M = M, T = M:transpose(), MM = M:gt(whole and 50 or 0.5), row = as(fractions(side)), vec = as(fractions(side)),
    col = as(fractions(side)):reshape(side, 1), rows = places(side, side), order = order,
    B4 = as(fractions(batch * 16) + 1):reshape(batch, 4, 4) + ma.eye(4) * 4,
    B41 = as(fractions(batch * 4)):reshape(batch, 4, 1), M10 = as(fractions(100)):reshape(10, 10),
    W = x[{ { 1, tall * 10 } }]:reshape(tall, 10), V = x[{ { 1, tall * 10 } }]:reshape(10, tall),
    C = x[{ { 1, cube ^ 3 } }]:reshape(cube, cube, cube), sub = { { 2, side - 1 }, { 2, side - 1 } },
    half2 = { { 1, math.max(1, math.floor(n / 2)) } }, S = S + ma.eye(S.shape[1]) * 3,
    v4 = as(fractions(S.shape[1])), list = list, P3 = as(fractions(side * 3)):reshape(side, 3),
    rng = ma.random.default_rng(1),
    mean2 = ma.array { 1, 2 }, cov2 = ma.array { { 2, 0.5 }, { 0.5, 1 } }, a3 = ma.array { 1, 2, 3 },
    p10 = ma.ones(10) / 10,
    softmax = function(a, axis)
      local e = ma.exp(a - a:max(axis, { keepdims = true }))
      return e / e:sum(axis, { keepdims = true })
    end,
    pairs2 = function(p)
      local count = p.shape[1]
      return ((p:reshape(count, 1, 3) - p:reshape(1, count, 3)) ^ 2):sum(3)
    end, ma = ma }
end

local held, called = {}, {}

--- The arrays of a section, made once.
local function arrays(kind, n, dtype)
  local key = kind .. n .. dtype
  if not held[key] then
    held = { [key] = setmetatable(random[kind](n, dtype), { __index = function(_, name)
      return ma[name]
    end }) }
    for _, value in pairs(held[key]) do if core.is_array(value) then value:eval() end end
    collectgarbage()
    collectgarbage()
  end
  return held[key]
end

--- Does what waits. A single array costs one call of the core, because that of a few elements costs no more itself.
local function settle(value)
  local kind = type(value)
  if kind == "userdata" then return value:eval() end
  if kind == "table" then for _, part in ipairs(value) do settle(part) end end
end

--- What each call has of its own, as in a script: in a loop or a function that all calls share, LuaJIT comes to a trace
--- through those of all calls before it, which takes up to 0.5 us.
local own = [[
  local f, settle = ...
  local function call()
    local a, b, c = f()
    if a ~= nil then settle(a) end
    if b ~= nil then settle(b) settle(c) end
  end
  return call, function(n) for _ = 1, n do call() end end
]]

--- Calls until nothing more is compiled in the background.
local function compile(call)
  local before, after
  repeat
    before = select(2, core.background(true))
    call()
    call()
    after = select(2, core.background(true))
  until after == before
end

--- Makes the loop for a call. That of the call before is dropped: kept, all of them are half of the heap that the
--- collector visits.
local function begin(scope, text)
  if called.scope == scope and called.text == text then return end
  local f = setfenv(loadstring("return " .. text) or assert(loadstring(text)), scope)
  local call, loop = loadstring(own)(f, settle)
  called = { scope = scope, text = text, loop = loop }
  if on_gpu then compile(call) end
end

local function round(calls)
  if on_gpu then ma.synchronize() end
  local start = clock()
  called.loop(calls)
  core.flush("it is measured")
  if on_gpu then ma.synchronize() end
  return (clock() - start) / calls * 1e3
end

for line in io.lines() do
  local kind, n, dtype, calls, text = line:match("^(%S+) (%S+) (%S+) (%S+) (.*)$")
  local ok, time = pcall(function()
    local scope = arrays(kind, tonumber(n), dtype)
    begin(scope, text)
    return round(tonumber(calls))
  end)
  print(ok and ("%.6g"):format(time) or "- " .. tostring(time):gsub("\n.*", ""))
  io.stdout:flush()
end
