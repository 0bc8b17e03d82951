-- Counts the instructions of one operation on small arrays of the CPU, from the C function that Lua's arguments are
-- handed to, without those of a new result's memory. The counts are the same from run to run.
--
--   luajit bench/instructions.lua [NAME ...]     cases with one of these in their names; valgrind must be there
--
-- Times of a microsecond vary by half on a busy machine, so a change of this path is judged by these counts.

local TURNS = 20

-- Each case: the function in C, and what runs in Lua. n: number of elements.
local function cases(ma)
  local list = {}
  local function add(name, entry, fn) list[#list + 1] = { name = name, entry = entry, fn = fn } end
  local operator, copy, fill = "ma_ufunc_operator", "ma_array_copy_in", "ma_array_fill"
  for _, n in ipairs { 10, 100, 1000 } do
    local f, g = ma.ones(n, "float32"), ma.ones(n, "float32")
    local d, i, j = ma.ones(n, "float64"), ma.ones(n, "int32"), ma.ones(n, "int64")
    local truth = ma.ones(n, "bool")
    local square, row, column = ma.ones({ n / 10, 10 }, "float64"), ma.ones(10, "float64"), ma.ones({ n / 10, 1 })
    local long = ma.ones(2 * n, "float32")
    local strided, transposed = long["::2"], ma.ones({ 10, n / 10 }, "float64").T
    local out = ma.ones(n, "float32")
    ma.eval(f, g, d, i, j, truth, square, row, column, long, out)
    local function case(name, entry, fn) add(("%s %d"):format(name, n), entry, fn) end
    case("packed f4 + f4", operator, function() return f + g end)
    case("same a + a", operator, function() return f + f end)
    case("packed f8 + f8", operator, function() return d + d end)
    case("packed sqrt", operator, function() return f:sqrt() end)
    case("packed compare", operator, function() return f:lt(g) end)
    case("packed bools", operator, function() return truth:and_(truth) end)
    case("scalar a + 2", operator, function() return f + 2 end)
    case("scalar 2 - a", operator, function() return 2 - f end)
    case("scalar a ^ 2", operator, function() return f ^ 2 end)
    case("broadcast row", operator, function() return square + row end)
    case("broadcast column", operator, function() return square + column end)
    case("strided", operator, function() return strided + strided end)
    case("strided transposed", operator, function() return transposed + square end)
    case("mixed f4 + f8", operator, function() return f + d end)
    case("mixed i4 + f8", operator, function() return i + d end)
    case("mixed i4 + i8", operator, function() return i + j end)
    case("mixed i4 / 2", operator, function() return i / 2 end)
    case("in place a:iadd(b)", operator, function() return f:iadd(g) end)
    case("in place out", operator, function() return ma.add(f, g, { out = out }) end)
    case("in place a:iadd(2)", operator, function() return f:iadd(2) end)
    case("three operands", operator, function() return ma.clip(f, 0, 5) end)
    case("cast f4 to f8", copy, function() return f:astype("float64") end)
    case("cast f8 to i4", copy, function() return d:astype("int32") end)
    case("copy packed", copy, function() return f:copy() end)
    case("copy strided", copy, function() return strided:copy() end)
    case("copy transposed", copy, function() return transposed:copy() end)
    case("fill", fill, function() f:fill(1) end)
    case("sum", "reduce_call", function() return f:sum() end)
    case("sum strided", "reduce_call", function() return strided:sum() end)
    case("sum of integers", "reduce_call", function() return i:sum() end)
    case("all of bools", "reduce_call", function() return truth:all() end)
    case("sum of rows", "reduce_call", function() return square:sum(2) end)
  end
  local many, other, single = ma.ones(5000), ma.ones(5000), ma.ones(5000, "float32")
  ma.eval(many, other, single)
  add("waits a + b", operator, function() return many + other end)
  add("waits a + 2", operator, function() return many + 2 end)
  add("waits mixed", operator, function() return many + single end)
  add("waits (a + b) * a", operator, function() return (many + other) * many end)
  add("waits a:iadd(b)", operator, function() return many:iadd(other) end)
  return list
end

local function wanted(name, filters)
  for _, filter in ipairs(filters) do
    if name:find(filter, 1, true) then return true end
  end
  return #filters == 0
end

-- ---- Under valgrind: core.work() ends a part, which holds what ran since the one before ----

local function run(filters)
  jit.off()
  local ma = require "moonarray"
  local core = require "moonarray.core"
  for _, case in ipairs(cases(ma)) do
    if wanted(case.name, filters) then
      for _ = 1, TURNS do case.fn() end
      collectgarbage()
      collectgarbage("stop")
      core.work()
      for _ = 1, TURNS do case.fn() end
      core.work()
      collectgarbage("restart")
    end
  end
end

-- ---- Reading the parts ----

--- The instructions of calls of `entry`, less those of ma_handle_new. A call in itself counts once.
local function read(path, entry)
  local names, at, sums = {}, nil, { [entry] = 0, ma_handle_new = 0 }
  local caller
  for line in io.lines(path) do
    local key, id, name = line:match("^(c?fn)=(%b())%s*(.*)$")
    if key then
      if name ~= "" then names[id] = name:gsub("'%d+$", "") end
      if key == "fn" then caller, at = names[id], nil else at = names[id] end
    elseif line:find("^calls=") then
      at = { at }
    elseif type(at) == "table" then
      local name_ = at[1]
      if sums[name_] and name_ ~= caller then sums[name_] = sums[name_] + tonumber(line:match("(%d+)%s*$")) end
      at = nil
    end
  end
  return (sums[entry] - sums.ma_handle_new) / TURNS
end

local function measure(filters)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder) == 0)
  local quoted = {}
  for k, filter in ipairs(filters) do quoted[k] = "'" .. filter .. "'" end
  local command = ("MOONARRAY_NUM_THREADS=1 valgrind --tool=callgrind --dump-after=probe_work " ..
    "--callgrind-out-file=%s/out luajit %s --under-valgrind %s >%s/log 2>&1"):format(folder, arg[0],
    table.concat(quoted, " "), folder)
  if os.execute(command) ~= 0 then error("valgrind failed; see " .. folder .. "/log") end
  local part = 0
  for _, case in ipairs(cases(require "moonarray")) do
    if wanted(case.name, filters) then
      part = part + 2
      print(("%-28s %8.0f"):format(case.name, read(("%s/out.%d"):format(folder, part), case.entry)))
    end
  end
  os.execute("rm -r " .. folder)
end

if arg[1] == "--under-valgrind" then run({ select(2, unpack(arg)) })
else measure({ unpack(arg) }) end
