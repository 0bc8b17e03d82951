--- Measures code for one element: rules that branch beside the same rules by ma.where and beside loops over FFI
--- pointers, long rules, kernels in Lua that check positions, and a small sum. Each line is a figure, what it is held
--- against, their ratio, the limit and whether it holds. All figures are of the CPU and one thread.
--
-- usage: luajit bench/element.lua [checkout]
--   checkout   another checkout that is built: `a + b` of few elements is held against its own
-- Exits with 1 if a limit does not hold.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ffi = require "ffi"
ffi.cdef "int setenv(const char *, const char *, int);"
ffi.C.setenv("MOONARRAY_NUM_THREADS", "1", 1)
ffi.C.setenv("MOONARRAY_DEVICE", "cpu", 1)
local ma = require "moonarray"

local beside = dofile((arg[0]:match "^.*/" or "") .. "beside.lua")
local line, part = beside.line, beside.part

local function times(...) return beside.times { ... } end

-- ==== Rules ==========================================================================================================

local function branching(u)
  local c = u(0, 0)
  local spread = u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * c
  if c > 0.5 then return c + 0.1 * spread end
  if spread < 0 or c < 0.1 then return c end
  return c + 0.2 * spread
end

local function branching_traced(u)
  local c = u(0, 0)
  local spread = u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * c
  return ma.where(c:gt(0.5), c + 0.1 * spread, ma.where(ma.logical_or(spread:lt(0), c:lt(0.1)), c, c + 0.2 * spread))
end

local function branching_loop(from, to, n)
  for i = 1, n - 2 do
    local row = i * n
    for k = row + 1, row + n - 2 do
      local c = from[k]
      local spread = from[k - n] + from[k + n] + from[k - 1] + from[k + 1] - 4 * c
      if c > 0.5 then
        to[k] = c + 0.1 * spread
      elseif spread < 0 or c < 0.1 then
        to[k] = c
      else
        to[k] = c + 0.2 * spread
      end
    end
  end
end

local function life(u)
  local n = u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1)
  if n == 3 or (n == 2 and u(0, 0) == 1) then return 1 end
  return 0
end

local function life_traced(u)
  local n = u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1)
  return ma.logical_or(n:eq(3), ma.logical_and(n:eq(2), u(0, 0):eq(1))):astype "uint8"
end

local function life_loop(from, to, n)
  for i = 1, n - 2 do
    local row = i * n
    for k = row + 1, row + n - 2 do
      local sum = from[k - n - 1] + from[k - n] + from[k - n + 1] + from[k - 1] + from[k + 1] + from[k + n - 1]
        + from[k + n] + from[k + n + 1]
      to[k] = (sum == 3 or (sum == 2 and from[k] == 1)) and 1 or 0
    end
  end
end

local function seven_ways(u)
  local c = u(0, 0)
  if c < 0.1 then return c + u(0, 1) end
  if c < 0.2 then return c - u(0, 1) end
  if c < 0.3 then return c * u(1, 0) end
  if c < 0.5 then
    return u(-1, 0)
  elseif c < 0.6 then
    return u(0, -1) + 1
  elseif c < 0.8 then
    return 2 * c
  end
  return c
end

--- How often the element doubles until it is beyond what its neighbours have together.
local function doublings(u)
  local c, n = u(0, 0), 0
  local around = u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1)
  while c < around and n < 20 do c, n = c * 2, n + 1 end
  return n
end

local function doublings_loop(from, to, n)
  for i = 1, n - 2 do
    local row = i * n
    for k = row + 1, row + n - 2 do
      local c, count = from[k], 0
      local around = from[k - n] + from[k + n] + from[k - 1] + from[k + 1]
      while c < around and count < 20 do c, count = c * 2, count + 1 end
      to[k] = count
    end
  end
end

local draw = ma.random.default_rng(1)
local fields = {
  branching = function(n) return draw:random { n, n }:astype "float32" end,
  life = function(n) return draw:random({ n, n }):lt(0.3):astype "uint8" end,
}
local rules = {
  { "branching 5 points", "branching", branching, branching_traced, branching_loop, "float[?]" },
  { "Life", "life", life, life_traced, life_loop, "uint8_t[?]" },
}

--- A call of a rule for a field, into memory of its own.
local function applied(rule, field, compile)
  local s, options = ma.stencil(rule, { boundary = "wrap", compile = compile }), { out = ma.empty_like(field) }
  return function() s(field, options) end
end

local function rule_figures(compile, limit, limit_seven)
  local how = compile and "" or ", no compiler"
  for _, n in ipairs { 256, 1024 } do
    for _, rule in ipairs(rules) do
      local title, field = ("%s, %d^2%s"):format(rule[1], n, how), fields[rule[2]](n)
      part(title, function()
        local from, to = ffi.new(rule[6], n * n), ffi.new(rule[6], n * n)
        local flat = field:reshape(-1):totable()
        for k = 1, n * n do from[k - 1] = flat[k] end
        local ours, traced, loop = times(applied(rule[3], field, compile), applied(rule[4], field, true),
          function() rule[5](from, to, n) end)
        line(title, ours, "by ma.where, compiled", traced, limit)
        if compile then line(title, ours, "FFI loop", loop, 0.2) end
      end)
    end
  end
  local title, field = "seven-way elseif, 256^2" .. how, fields.branching(256)
  part(title, function()
    local ours, five = times(applied(seven_ways, field, compile), applied(branching, field, true))
    line(title, ours, "branching 5, compiled", five, limit_seven)
  end)
end

-- ==== Random numbers =================================================================================================

local EMPTY, TREE, FIRE = 0, 1, 2

local function forest(u)
  local cell = u(0, 0)
  if cell == FIRE then return EMPTY end
  if cell == EMPTY then return math.random() < 0.01 and TREE or EMPTY end
  if u(-1, 0) == FIRE or u(1, 0) == FIRE or u(0, -1) == FIRE or u(0, 1) == FIRE then return FIRE end
  return math.random() < 0.0001 and FIRE or TREE
end

--- The same by ma.where, where the random numbers are given.
local function forest_traced(u, grows, lightning)
  local cell, fire = u(0, 0), u(-1, 0):eq(FIRE)
  for _, near in ipairs { u(1, 0), u(0, -1), u(0, 1) } do fire = ma.logical_or(fire, near:eq(FIRE)) end
  local tree = ma.where(ma.logical_or(fire, lightning(0, 0):lt(0.0001)), FIRE, TREE)
  local grown = ma.where(grows(0, 0):lt(0.01), TREE, EMPTY)
  return ma.where(cell:eq(FIRE), EMPTY, ma.where(cell:eq(EMPTY), grown, tree)):astype "uint8"
end

local function forest_figures()
  for _, n in ipairs { 256, 1024 } do
    local field, out = (draw:random { n, n } * 3):astype "uint8", ma.empty({ n, n }, "uint8")
    local grows, lightning, numbers = draw:random { n, n }, draw:random { n, n }, ma.empty { 2, n, n }
    local traced = ma.stencil(forest_traced, { boundary = "wrap", compile = true })
    for _, compile in ipairs { true, false } do
      local title = ("forest fire, %d^2%s"):format(n, compile and "" or ", no compiler")
      part(title, function()
        local ours, given, rng = times(applied(forest, field, compile),
          function() traced(field, grows, lightning, { out = out }) end, function() draw:random { out = numbers } end)
        line(title, ours, "ma.where, compiled + 1.3 rng:random", given + 1.3 * rng, 1)
      end)
    end
  end
end

-- ==== Long rules =====================================================================================================

--- A rule of n operations on five neighbours.
local function long(n)
  return function(u)
    local near = { u(0, 0), u(-1, 0), u(1, 0), u(0, -1), u(0, 1) }
    local sum = near[1]
    for k = 1, n do
      if k % 2 == 0 then sum = sum * 0.5 else sum = sum + near[k % 5 + 1] end
    end
    return sum
  end
end

local function long_figures()
  local field = fields.branching(256)
  local longer, shorter = times(applied(long(33), field, true), applied(long(32), field, true))
  line("33 operations, 256^2", longer, "32", shorter, 1.2)
end

--- Rules that are C++: they follow elements, or are longer than a program.
local function beyond_figures()
  local n, field = 256, fields.branching(256)
  local from, to = ffi.new("float[?]", n * n), ffi.new("float[?]", n * n)
  local flat = field:reshape(-1):totable()
  for k = 1, n * n do from[k - 1] = flat[k] end
  local ours, loop = times(applied(doublings, field), function() doublings_loop(from, to, n) end)
  line("a loop that follows elements, 256^2", ours, "FFI loop", loop, 1)
  local longer, shorter = times(applied(long(130), field, true), applied(long(128), field, true))
  line("130 operations, 256^2", longer, "128", shorter, 1.2)
end

-- ==== Kernels ========================================================================================================

local function kernel_figures()
  local n, block = 65536, 256
  local x, y, z = draw:random(n):astype "float32", draw:random(n):astype "float32", ma.empty(n, { dtype = "float32" })
  local saxpy = ma.jit.rawkernel(function(p, q, r, a)
    local i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x + 1
    if i <= #p then r[i] = a * p[i] + q[i] end
  end)
  local elementwise = ma.ElementwiseKernel("float32 x, float32 y, float32 a", "float32 z", "z = a * x + y", "saxpy")
  local arguments = { x, y, z, ma.float32(2.5) }         -- a number of Lua would be a double, and the sum with it
  local raw, ours = times(function() saxpy(n / block, block, arguments) end, function() elementwise(x, y, 2.5, z) end)
  line("saxpy by a checked rawkernel, 65,536", raw, "ElementwiseKernel", ours, 1.5)
end

local function position_figures()
  local n = 256
  local function rule(x, y)
    local j, i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x + 1, jit.blockIdx.y + 1
    if i > 1 and j > 1 and i < #x and j < x.shape[2] then
      y[{ i, j }] = x[{ i, j }] + 0.1 * (x[{ i - 1, j }] + x[{ i + 1, j }] + x[{ i, j - 1 }] + x[{ i, j + 1 }])
    end
  end
  local x, y = fields.branching(n), ma.zeros({ n, n }, "float32")
  local checked, free = ma.jit.rawkernel(rule), ma.jit.rawkernel(rule, { check = false })
  local ours, other = times(function() checked({ 1, n }, n, { x, y }) end, function() free({ 1, n }, n, { x, y }) end)
  line("five x[{i, j}], checked, 256^2", ours, "unchecked", other, 1.5)
end

-- ==== A small sum ====================================================================================================

--- Microseconds of a + b of 16 elements.
local function small_sum()
  local a, b = ma.arange(16, "float32"), ma.ones(16, "float32")
  local us = times(function()
    for _ = 1, 1000 do (a + b):eval() end
  end)
  return us / 1000
end

--- The least figure of several processes here and in the other checkout, in turn.
local function small_figures(checkout)
  local here, there = math.huge, math.huge
  local script = arg[0]:find "^/" and arg[0] or os.getenv "PWD" .. "/" .. arg[0]
  local function figure(folder)
    local pipe = assert(io.popen(("cd '%s' && '%s' '%s' --sum"):format(folder, arg[-1], script)))
    local text = pipe:read "*a"
    pipe:close()
    local us = tonumber(text)
    return (assert(us, "no figure from " .. folder))
  end
  for _ = 1, 5 do here, there = math.min(here, figure "."), math.min(there, figure(checkout)) end
  line("a + b of 16 elements", here, "of the other checkout", there, 1.03)
end

if arg[1] == "--sum" then
  print(small_sum())
  os.exit(0)
end
rule_figures(true, 1.5, 2.5)
rule_figures(false, 6, 6 * 2.5)
forest_figures()
part("33 operations", long_figures)
part("beyond selects", beyond_figures)
part("saxpy by a checked rawkernel", kernel_figures)
part("five x[{i, j}]", position_figures)
if arg[1] then
  part("a + b of 16 elements", function() small_figures(arg[1]) end)
else
  print(("%-44s %10.3f us; name another checkout to hold it against"):format("a + b of 16 elements", small_sum()))
end
os.exit(beside.missed > 0 and 1 or 0)
