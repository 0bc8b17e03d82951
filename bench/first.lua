--- What the first calls of a process cost on a GPU: 107 ordinary calls, each timed from its call to the end of its work
--- on the device. They run in a fresh process whose cache of kernels is empty, and then in a second one, which finds in
--- the cache what the first one left. What comes before, the context and the operands, is not counted. The driver's own
--- cache is switched off.
--
-- usage: luajit bench/first.lua [PATTERN]      as the machine is; only the calls whose names match PATTERN
--        MOONARRAY_NVRTC=0 luajit bench/first.lua                                   with the floor and the base set
--        MOONARRAY_NVRTC=0 MOONARRAY_BUNDLE=build/kernels/base-90.mab luajit bench/first.lua
--
-- Prints the sum, the sum of the calls that opened a library of NVIDIA's, and the longest calls, each with where its
-- kernels came from. Exits with 1 if a call failed or if there is no GPU.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path

local LONGEST = 20
local LIBRARIES = { "cublas", "cusolver", "cufft", "curand", "cusparse", "cudss", "nccl" }

-- ==== The calls ======================================================================================================

--- The calls as {name, function}, over the operands that are made here of numbers of the host.
local function calls_of(ma)
  local N, ROWS, COLUMNS = 1000000, 1000, 1000
  local list = {}

  local function operand(n, dtype, value)
    local values = {}
    for k = 1, n do values[k] = value(k) end
    return ma.array(values, dtype)
  end
  local function mixed(k) return (k * 7919) % 1009 / 100 + 0.5 end
  local function whole(k) return (k * 7919) % 97 + 1 end
  local function even(k) return k % 2 == 0 end

  local x, y = operand(N, "float32", mixed), operand(N, "float32", whole)
  local a, b = operand(N, "float64", mixed), operand(N, "float64", whole)
  local i, j = operand(N, "int32", whole), operand(N, "int32", function(k) return k % 13 + 1 end)
  local l, u, t = operand(N, "int64", whole), operand(N, "uint8", whole), operand(N, "bool", even)
  local m, p = x:reshape(ROWS, COLUMNS), a:reshape(ROWS, COLUMNS)
  local row, column = x[":1000"], x[":1000"]:reshape(ROWS, 1)
  local places = ma.index { 5, 3, 1, 99 }
  local square = operand(64 * 64, "float32", function(k) return k % 65 == 1 and 70 or (k * 7919) % 97 / 97 end)
    :reshape(64, 64)
  local gram = operand(32 * 32, "float64", function(k) return k % 33 == 1 and 3 or 0.01 end):reshape(32, 32)
  local target = operand(N, "float32", mixed)
  local rng = ma.random.default_rng(1)

  --- A call whose text is an expression of the operands above.
  local names = { ma = ma, x = x, y = y, a = a, b = b, i = i, j = j, l = l, u = u, t = t, m = m, p = p, row = row,
    column = column, places = places, square = square, gram = gram, target = target, rng = rng }
  local function add(lines)
    for text in lines:gmatch("[^;]+") do
      text = text:match("^%s*(.-)%s*$")
      if text ~= "" then
        local f = assert(loadstring(text:find("= ") and text or "return " .. text, "=" .. text))
        list[#list + 1] = { text, setfenv(f, names) }
      end
    end
  end

  -- float32, float64, integers, bool
  add [[x + y; x - y; x * y; x / y; x ^ 2; -x; x + 1; 2 * x; ma.abs(x); ma.sqrt(x); ma.exp(x); ma.log(x); ma.sin(x);
    ma.cos(x); ma.tanh(x); ma.arctan2(x, y); ma.maximum(x, y); ma.floor(x); ma.clip(x, 1, 5); ma.greater(x, 5);
    ma.equal(x, y); ma.isnan(x)]]
  add [[a + b; a * b; a / b; ma.exp(a); ma.log(a); ma.sin(a); ma.power(a, b); ma.less(a, b)]]
  add [[i + j; i * j; i % j; ma.floor_divide(i, j); ma.bitwise_and(i, j); ma.equal(i, j); i + 1; l + l; l * 3;
    u + u; ma.greater(u, 50); ma.logical_and(t, t); ma.logical_not(t)]]
  -- dtypes and layouts that differ
  add [[x + i; a + x; m + row; m * column; m + m * row; m.T + 1; x["::2"] + 1; x:astype("float64"); a:astype("float32");
    x:astype("int32"); i:astype("float32"); t:astype("int32")]]
  -- reductions and running ones
  add [[x:sum(); x:mean(); x:max(); x:min(); x:std(); x:argmax(); a:sum(); a:var(); i:sum(); i:max(); t:any(); t:all();
    ma.count_nonzero(i); m:sum(1); m:sum(2); m:max(1); m:mean(2); p:sum(1); ma.argmin(m, 2); ma.cumsum(x); ma.cumsum(i);
    ma.cumsum(m, 2); ma.cumprod(a)]]
  -- order
  add [[ma.sort(x); ma.argsort(x); ma.sort(i); ma.sort(m, 2); ma.unique(i); ma.median(x); ma.searchsorted(x, y);
    ma.histogram(x, 10); ma.bincount(l)]]
  -- draws and sequences
  add [[rng:random(1000); rng:standard_normal(1000); rng:integers(1, 7, 1000); ma.random.permutation(1000);
    ma.arange(1000); ma.linspace(0, 1, 50); ma.eye(50)]]
  -- elements picked, put and moved
  add [[x(5); x[places]; x[t]; ma.take(m, places, 2); target[places] = 0; ma.nonzero(t); ma.where(t, x, y);
    ma.concatenate({ x, y }); m.T:copy(); ma.roll(x, 3)]]
  -- matrices and transforms
  add [[ma.matmul(square, square); ma.linalg.solve(gram, gram); ma.fft.fft(x[":4096"])]]
  assert(#list == 107, "the list has " .. #list .. " calls")
  return list
end

-- ==== One process ====================================================================================================

--- How many of the libraries' files the process has opened.
local function libraries_open()
  local handle = assert(io.open("/proc/self/maps"))
  local text, count = handle:read("*a"), 0
  handle:close()
  for _, name in ipairs(LIBRARIES) do
    if text:find("lib" .. name, 1, true) then count = count + 1 end
  end
  return count
end

--- Times the calls, and prints a line for each: seconds, libraries opened, kernels compiled, of bundles, of the cache,
--- its name, and the error if it failed.
local function measure(pattern)
  local ma = require "moonarray"
  local core = require "moonarray.core"
  core.compile_at_once(true)             -- else a call does without the kernel that it asks for, until that is compiled

  local function of_bundles()
    local sum = 0
    for _, bundle in ipairs(ma.bundle.report().bundles) do sum = sum + bundle.used end
    return sum
  end
  local function run(f)
    local result = f()             -- of several results the first is asked for, and flush runs the others
    if core.is_array(result) then result:eval() end
    core.flush("it is measured")
    ma.synchronize()
  end

  local calls = calls_of(ma)
  ma.zeros(1):get()
  ma.synchronize()
  for _, call in ipairs(calls) do
    if not pattern or call[1]:find(pattern) then
      local opened, bundled, _, compiles, kernels = libraries_open(), of_bundles(), core.work()
      local start = ma.time()
      local ok, message = pcall(run, call[2])
      local seconds = ma.time() - start
      local _, compiles_after, kernels_after = core.work()
      compiles, bundled = compiles_after - compiles, of_bundles() - bundled
      print(("%.6f\t%d\t%d\t%d\t%d\t%s\t%s"):format(seconds, libraries_open() - opened, compiles, bundled,
        kernels_after - kernels - compiles - bundled, call[1], ok and "" or tostring(message):gsub("\n.*", "")))
    end
  end
end

if arg[1] == "--measure" then return measure(arg[2]) end

-- ==== The two processes ==============================================================================================

local pattern = arg[1]
local luajit = arg[-1] or "luajit"

local function run(variables, arguments)
  local pipe = assert(io.popen(("%s MOONARRAY_DEVICE=cuda CUDA_CACHE_DISABLE=1 '%s' %s"):format(variables, luajit,
    arguments)))
  local text = pipe:read("*a")
  pipe:close()
  return text
end

local found = run("", [[-e 'package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
  print("device", require("moonarray").zeros(1).device)' 2>&1]])
if not found:find("device\tcuda") then
  io.stderr:write("bench/first.lua measures a GPU, and there is none here:\n", found)
  os.exit(1)
end

--- Where the kernels of a call came from, in words.
local function origin(call)
  local parts = {}
  for _, kind in ipairs { "compiled", "bundle", "cache" } do
    if call[kind] > 0 then parts[#parts + 1] = ("%d %s"):format(call[kind], kind) end
  end
  if call.libraries > 0 then parts[#parts + 1] = "opened a library" end
  return table.concat(parts, ", ")
end

local function read(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do
    local seconds, libraries, compiled, bundle, cache, name, message =
      line:match("^([%d.]+)\t(%d+)\t(%d+)\t(%d+)\t(%-?%d+)\t([^\t]*)\t(.*)$")
    if seconds then
      list[#list + 1] = { seconds = tonumber(seconds), libraries = tonumber(libraries), compiled = tonumber(compiled),
        bundle = tonumber(bundle), cache = tonumber(cache), name = name, message = message ~= "" and message or nil }
    end
  end
  return list
end

local failed = 0

local function report(title, list)
  local sum, opened, nopened, longest = 0, 0, 0, 0
  local kernels = { compiled = 0, bundle = 0, cache = 0 }
  for _, call in ipairs(list) do
    sum = sum + call.seconds
    if call.libraries > 0 then opened, nopened = opened + call.seconds, nopened + 1
    else longest = math.max(longest, call.seconds) end
    for kind in pairs(kernels) do kernels[kind] = kernels[kind] + call[kind] end
  end
  print(("%s: %d calls, %.3f s"):format(title, #list, sum))
  print(("  of these %d that opened a library of NVIDIA's %.3f s; the longest other call %.1f ms"):format(nopened,
    opened, longest * 1e3))
  print(("  kernels: %d compiled, %d from bundles, %d from the cache"):format(kernels.compiled, kernels.bundle,
    kernels.cache))
  table.sort(list, function(p, q) return p.seconds > q.seconds end)
  for k = 1, math.min(LONGEST, #list) do
    print(("  %9.2f ms  %-32s %s"):format(list[k].seconds * 1e3, list[k].name, origin(list[k])))
  end
  for _, call in ipairs(list) do
    if call.message then
      print(("  failed: %s: %s"):format(call.name, call.message))
      failed = failed + 1
    end
  end
end

local folder = os.tmpname()
os.remove(folder)
for _, title in ipairs { "empty cache", "warm cache" } do
  local text = run(("MOONARRAY_CACHE_DIR='%s'"):format(folder), ("bench/first.lua --measure %s"):format(
    pattern and "'" .. pattern:gsub("'", "") .. "'" or ""))
  local list = read(text)
  if #list == 0 then
    io.stderr:write("bench/first.lua: the process measured nothing\n", text)
    failed = failed + 1
  else report(title, list) end
end
os.execute(("rm -rf '%s'"):format(folder))
os.exit(failed == 0 and 0 or 1)
