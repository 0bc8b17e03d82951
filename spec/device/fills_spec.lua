-- What fills packed memory with a value whose bytes repeat after 1, 2 or 4 is the driver's work: a GPU compiles and
-- loads no kernel for it. Where there is no GPU a pretended one (make pretend) holds it, in a process of its own.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local helper = require "spec.helper"

local program = [==[
local ma = require "moonarray"
local core = require "moonarray.core"

--- The array that a function makes, and how many kernels it took.
local function made(fn)
  local before = select(3, core.work())
  local a = fn()
  return a, select(3, core.work()) - before
end

local function bytes(a) return table.concat(a:to("cpu"):ravel():view("uint8"):totable(), " ") end

local function check(what, fn, wanted, kernels)
  local a, n = made(fn)
  local got, want = bytes(a), bytes(wanted)
  assert(got == want, what .. ": " .. got .. "; wanted " .. want)
  assert(n == kernels, what .. ": " .. n .. " kernels; wanted " .. kernels)
end

local narrow = { "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32" }
local wide = { "int64", "uint64", "float64", "complex64", "complex128" }
for _, shape in ipairs { { 7 }, { 3, 5 }, {}, { 0, 2 }, { 1 } } do
  for _, dtype in ipairs(narrow) do
    local name = dtype .. " of " .. #shape .. " axes"
    check("zeros " .. name, function() return ma.zeros(shape, dtype) end, ma.zeros(shape, dtype, { device = "cpu" }), 0)
    check("ones " .. name, function() return ma.ones(shape, dtype) end, ma.ones(shape, dtype, { device = "cpu" }), 0)
    check("full " .. name, function() return ma.full(shape, 77, dtype, "F") end,
      ma.full(shape, 77, dtype, { device = "cpu" }), 0)
  end
  for _, dtype in ipairs(wide) do
    check("zeros " .. dtype, function() return ma.zeros(shape, dtype) end, ma.zeros(shape, dtype, { device = "cpu" }),
      0)
  end
end
for _, case in ipairs { { -1, "int64" }, { 0x500000005, "int64" }, { ma.complex(3, 3), "complex64" },
  { -0.0, "float32" }, { 0 / 0, "float32" }, { -1, "int16" } } do
  local value, dtype = case[1], case[2]
  check(tostring(value) .. " " .. dtype, function() return ma.full(5, value, dtype) end,
    ma.full(5, value, dtype, { device = "cpu" }), 0)
end

-- Other bytes take a kernel, once a dtype.
for _, case in ipairs { { 1, "int64" }, { -0.0, "float64" }, { ma.complex(1, 0), "complex64" } } do
  local value, dtype = case[1], case[2]
  local wanted = ma.full(5, value, dtype, { device = "cpu" })
  check(dtype .. " of other bytes", function() return ma.full(5, value, dtype) end, wanted, 1)
  check(dtype .. " of other bytes again", function() return ma.full(5, value, dtype) end, wanted, 0)
end

-- A part of an array: only that, wherever it begins.
for first = 1, 6 do
  for last = first, 6 do
    local a, b = ma.zeros(6, "uint8"), ma.zeros(6, "uint8", { device = "cpu" })
    local _, n = made(function() return a[{ { first, last } }]:fill(9) end)
    b[{ { first, last } }]:fill(9)
    assert(n == 0 and bytes(a) == bytes(b), first .. " to " .. last)
  end
end
local m = ma.zeros({ 4, 3 }, "int16")
assert(select(2, made(function() return m["2:3"]:fill(5) end)) == 0, "rows")
assert(select(2, made(function() return m[":, 2"]:fill(6) end)) == 1, "a column lies apart")
assert(table.concat(m:ravel():totable(), " ") == "0 6 0 5 6 5 5 6 5 0 6 0")

-- What waits and reads the old values, streams and graphs.
local x = ma.full(1000, 2, "float32")
local y = x + 1
x:fill(7)
assert(y:sum():item() == 3000 and x:sum():item() == 7000)
local stream = ma.Stream()
local z
stream:with(function() z = ma.ones(1000, "int32") * 3 end)
assert(z:sum():item() == 3000)
local total = ma.zeros(1, "int32")
local graph = ma.cuda.graph(function()
  x:fill(4)
  x:iadd(1)
  total:iadd(ma.ones(8, "int32"):sum())
  return x:sum()
end)
for _ = 1, 3 do
  x:fill(0)
  assert(graph():item() == 5000)
end
assert(total:item() % 8 == 0 and total:item() >= 24)
graph:free()

-- A fill is a launch to what counts and breaks launches.
local before = core.work()
ma.zeros(5, "int8")
assert(core.work() == before + 1)
core.make_fail("launch", 1, 1)
local ok, message = pcall(ma.zeros, 5, "int8")
assert(not ok and message:find("fill", 1, true), message)
assert(ma.zeros(5, "int8"):sum():item() == 0)
print "ok"
]==]

describe("fills", function()
  it("of bytes that repeat take no kernel on a GPU", function()
    local pretended = helper.device == "cpu"
    if pretended and not gpu.is_built() then return pending "no pretended GPU; make pretend" end
    if not helper.compiles then return pending "it counts kernels that are compiled" end
    local script = os.tmpname()
    file.write(script, program)
    local ok, text = file.run(("env %s %s %s"):format(pretended and gpu.environment or "",
      os.getenv("LUAJIT") or "luajit", script))
    os.remove(script)
    assert(ok and text == "ok\n", text)
  end)
end)
