--- The table of docs/which-tool.md: the same two tasks by operators, ma.fuse, ma.stencil, ma.vectorize, kernels in Lua
--- and kernels in C++. Each cell is measured in a process of its own with an empty cache of kernels: the first call,
--- then the least time of a call. It writes the columns of the current device and leaves those of the other.
--
-- usage: MOONARRAY_DEVICE=cpu MOONARRAY_NUM_THREADS=1 luajit bench/tools.lua [only]
--   only   a part of a tool's name: these rows alone, and the page is left as it is

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path

local PAGE, N, RUNS = "docs/which-tool.md", 1000, 3
local only = arg[1] ~= "--one" and arg[1]

-- ==== The tasks ======================================================================================================
-- "curve" eases numbers from 0 to 1 in and out, with a branch. "heat" moves each cell towards its four neighbours and
-- leaves the edge. Each tool is a function of ma that gives a function of the field.

local tools = {}

local function lua_loop(ma, body)
  local ffi = require "ffi"
  return function(a)
    local out = ma.empty({ N, N }, { dtype = "float32", device = "cpu" })
    body(ffi.cast("const float *", a:data()), ffi.cast("float *", out:data()))
    return out
  end
end

local function neighbours(a)
  return a["2:-2, 2:-2"], a["1:-3, 2:-2"], a["3:, 2:-2"], a["2:-2, 1:-3"], a["2:-2, 3:"]
end

--- The field with another inside.
local function inside_of(a, inside)
  local out = a:copy()
  out["2:-2, 2:-2"] = inside
  return out
end

tools[1] = { "a loop in Lua over the elements' memory",
  curve = function(ma)
    return lua_loop(ma, function(x, y)
      for k = 0, N * N - 1 do
        local v = x[k]
        if v < 0.5 then y[k] = 4 * v * v * v else y[k] = 1 - 4 * (1 - v) * (1 - v) * (1 - v) end
      end
    end)
  end,
  heat = function(ma)
    return lua_loop(ma, function(x, y)
      for k = 0, N * N - 1 do y[k] = x[k] end
      for row = 1, N - 2 do
        for k = row * N + 1, row * N + N - 2 do
          y[k] = x[k] + 0.2 * (x[k - N] + x[k + N] + x[k - 1] + x[k + 1] - 4 * x[k])
        end
      end
    end)
  end }

tools[2] = { "operators",
  curve = function(ma)
    return function(x) return ma.where(x:lt(0.5), 4 * x * x * x, 1 - 4 * (1 - x) * (1 - x) * (1 - x)) end
  end,
  heat = function()
    return function(a)
      local c, up, down, left, right = neighbours(a)
      return inside_of(a, c + 0.2 * (up + down + left + right - 4 * c))
    end
  end }

local function ease(x)
  if x < 0.5 then return 4 * x * x * x end
  return 1 - 4 * (1 - x) * (1 - x) * (1 - x)
end
local function spread(c, up, down, left, right) return c + 0.2 * (up + down + left + right - 4 * c) end

for k, name in ipairs { "fuse", "vectorize" } do
  tools[2 + k] = { "`ma." .. name .. "`",
    curve = function(ma) return ma[name](ease) end,
    heat = function(ma)
      local f = ma[name](spread)
      return function(a) return inside_of(a, f(neighbours(a))) end
    end }
end

tools[5] = { "`ma.stencil`",
  heat = function(ma)
    return ma.stencil(function(u)
      return u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0))
    end, { boundary = "leave" })
  end }

tools[6] = { "`ma.jit.rawkernel`, Lua",
  curve = function(ma)
    local kernel = ma.jit.rawkernel(function(x, y, n)
      local i = ma.jit.grid(1)
      if i <= n then
        local v = x[i]
        if v < 0.5 then y[i] = 4 * v * v * v else y[i] = 1 - 4 * (1 - v) * (1 - v) * (1 - v) end
      end
    end)
    return function(x)
      local y = ma.empty_like(x)
      kernel({ math.ceil(N * N / 256) }, { 256 }, { x:ravel(), y:ravel(), ma.int32(N * N) })
      return y
    end
  end,
  heat = function(ma)
    local kernel = ma.jit.rawkernel(function(x, y, n)
      local column, row = ma.jit.grid(2)
      if row <= n and column <= n then
        local v = x[{ row, column }]
        if row > 1 and row < n and column > 1 and column < n then
          v = v + 0.2 * (x[{ row - 1, column }] + x[{ row + 1, column }] + x[{ row, column - 1 }] +
            x[{ row, column + 1 }] - 4 * v)
        end
        y[{ row, column }] = v
      end
    end)
    return function(x)
      local y, blocks = ma.empty_like(x), math.ceil(N / 16)
      kernel({ blocks, blocks }, { 16, 16 }, { x, y, ma.int32(N) })
      return y
    end
  end }

tools[7] = { "`ma.ElementwiseKernel`, C++",
  curve = function(ma)
    return ma.ElementwiseKernel("float32 x", "float32 y",
      "y = x < 0.5f ? 4 * x * x * x : 1 - 4 * (1 - x) * (1 - x) * (1 - x)", "curve")
  end,
  heat = function(ma)
    local kernel = ma.ElementwiseKernel("raw float32 x, int32 side", "float32 y", [[
      int row = i / side, column = i % side;
      y = x[i];
      if (row > 0 && row < side - 1 && column > 0 && column < side - 1)
        y += 0.2f * (x[i - side] + x[i + side] + x[i - 1] + x[i + 1] - 4 * x[i]);]], "heat")
    return function(x)
      local y = ma.empty_like(x)
      kernel(x, N, y)
      return y
    end
  end }

tools[8] = { "`ma.RawKernel`, CUDA C++",
  curve = function(ma)
    local kernel = ma.RawKernel([[
      extern "C" __global__ void curve(const float *x, float *y, int n) {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) y[i] = x[i] < 0.5f ? 4 * x[i] * x[i] * x[i] : 1 - 4 * (1 - x[i]) * (1 - x[i]) * (1 - x[i]);
      }]], "curve")
    return function(x)
      local y = ma.empty_like(x)
      kernel({ math.ceil(N * N / 256) }, { 256 }, { x, y, N * N })
      return y
    end
  end,
  heat = function(ma)
    local kernel = ma.RawKernel([[
      extern "C" __global__ void heat(const float *x, float *y, int n) {
        int column = blockDim.x * blockIdx.x + threadIdx.x, row = blockDim.y * blockIdx.y + threadIdx.y;
        int i = row * n + column;
        if (row >= n || column >= n) return;
        y[i] = row == 0 || row == n - 1 || column == 0 || column == n - 1 ? x[i]
          : x[i] + 0.2f * (x[i - n] + x[i + n] + x[i - 1] + x[i + 1] - 4 * x[i]);
      }]], "heat")
    return function(x)
      local y, blocks = ma.empty_like(x), math.ceil(N / 16)
      kernel({ blocks, blocks }, { 16, 16 }, { x, y, N })
      return y
    end
  end }

-- ==== One cell, in a process of its own ==============================================================================

--- Prints the milliseconds of the first call and the least ones of a call.
local function one(number, task)
  local ma = require "moonarray"
  local field = ma.random.default_rng(1):random({ N, N }, "float32")
  local wanted = tools[2][task](ma)(field):get()
  ma.synchronize()
  local start = ma.time()
  local f = tools[number][task](ma)
  local result = f(field)
  ma.synchronize()
  local first = ma.time() - start
  assert(ma.allclose(result:get(), wanted, 1e-5, 1e-6), tools[number][1] .. " computes something else")
  local function call()
    local now = f(field)
    ma.synchronize()                                        -- operators wait until then
    return now and nil
  end
  for _ = 1, 20 do ma.scope(call) end
  if ma.device().name:find "cuda" then ma.sleep(1) end      -- kernels of operators are compiled in the background
  local least, finish = math.huge, ma.time() + 1
  repeat
    start = ma.time()
    ma.scope(call)
    least = math.min(least, ma.time() - start)
  until ma.time() > finish
  print(("cell %.4f %.4f"):format(first * 1e3, least * 1e3))
end

if arg[1] == "--one" then return one(tonumber(arg[2]), arg[3]) end

-- ==== The table ======================================================================================================

local ma = require "moonarray"
local on_gpu = ma.device().name:find "cuda" ~= nil

--- {first, call} in milliseconds, the least of several runs; nil and why where the tool refuses.
local function cell(number, task, environment, runs)
  local first, call
  for _ = 1, runs do
    local cache = os.tmpname()
    os.remove(cache)
    local pipe = assert(io.popen(("MOONARRAY_CACHE_DIR=%s %s luajit bench/tools.lua --one %d %s 2>&1"):format(cache,
      environment, number, task)))
    local text = pipe:read "*a"
    pipe:close()
    os.execute("rm -rf " .. cache)
    local a, b = text:match "cell (%S+) (%S+)"
    if not a then return nil, text end
    first, call = math.min(first or math.huge, tonumber(a)), math.min(call or math.huge, tonumber(b))
  end
  return { first, call }
end

local function shown(ms)
  if not ms then return "" end
  return ms < 0.1 and ("%.3f"):format(ms) or ms < 10 and ("%.2f"):format(ms) or ("%.0f"):format(ms)
end

--- The rows of the page's table by the tool's name: lists of cells.
local function rows_of(text)
  local rows = {}
  for line in text:gmatch "[^\n]+" do
    local name, cells = line:match "^| (.-) |", {}
    if name then
      for one_cell in line:sub(2):gmatch "%s*([^|]-)%s*|" do cells[#cells + 1] = one_cell end
      rows[name] = cells
    end
  end
  return rows
end

local HEAD = [[
| tool | curve, CPU | heat, CPU | first call, CPU | curve, GPU | heat, GPU | first call, GPU | compiler on the CPU |
|---|---|---|---|---|---|---|---|]]

local file = assert(io.open(PAGE))
local page = file:read "*a"
file:close()
local before, old, behind = page:match "^(.-<!%-%- times %-%->\n)(.-)(\n<!%-%- end %-%->.*)$"
local rows, lines = rows_of(old), { HEAD }
for number, tool in ipairs(tools) do
  local cells = rows[tool[1]] or { tool[1], "", "", "", "", "", "", "" }
  if (not only or tool[1]:find(only, 1, true)) and not (on_gpu and number == 1) then
    local at, first = on_gpu and 4 or 1, nil
    for k, task in ipairs { "curve", "heat" } do
      local found
      if tool[task] then
        found = assert(cell(number, task, "", RUNS))
        first = math.max(first or 0, found[1])
      end
      cells[at + k] = shown(found and found[2])
    end
    cells[at + 3] = shown(first)
    if not on_gpu then
      local works = cell(number, tool.curve and "curve" or "heat", "MOONARRAY_COMPILER=0", 1)
      cells[8] = works and "no" or "yes"
    end
    print(table.concat(cells, " | "))
  end
  lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
end
if not only then
  file = assert(io.open(PAGE, "w"))
  file:write(before, table.concat(lines, "\n"), behind)
  file:close()
  print("wrote " .. PAGE)
end
