--- Times one call after another for peers/sweep.py, which writes them to stdin as `section size dtype expression` and
--- times SciPy's in turn. The calls are in sweep.txt; `functions` of a section make the arrays that they name.

local ma = require "moonarray"
local core = require "moonarray.core"

--- One thread is timed by what it works, so that others on the machine count less.
local clock = os.getenv("MOONARRAY_NUM_THREADS") == "1" and os.clock or ma.time
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

local held, calls_of = {}, setmetatable({}, { __mode = "k" })

--- The arrays of a section, made once.
local function arrays(kind, n, dtype)
  local key = kind .. n .. dtype
  if not held[key] then
    held = { [key] = setmetatable(random[kind](n, dtype), { __index = function(_, name)
      return ma[name]
    end }) }
    for _, value in pairs(held[key]) do if core.is_array(value) then value:eval() end end
  end
  return held[key]
end

local function settle(value)
  if core.is_array(value) then return value:eval() end
  if type(value) == "table" then for _, part in ipairs(value) do settle(part) end end
end

local function round(f, calls)
  local start = clock()
  for _ = 1, calls do
    local a, b, c = f()
    settle(a) settle(b) settle(c)
  end
  core.flush("it is measured")
  return (clock() - start) / calls * 1e3
end

for line in io.lines() do
  local kind, n, dtype, calls, text = line:match("^(%S+) (%S+) (%S+) (%S+) (.*)$")
  local ok, time = pcall(function()
    local scope = arrays(kind, tonumber(n), dtype)
    calls_of[scope] = calls_of[scope] or {}
    local f = calls_of[scope][text] or setfenv(assert(loadstring("return " .. text)), scope)
    calls_of[scope][text] = f
    return round(f, tonumber(calls))
  end)
  print(ok and ("%.6g"):format(time) or "- " .. tostring(time):gsub("\n.*", ""))
  io.stdout:flush()
end
