-- Every way around the operators: a differentiated array that leaves them is followed, or the call is an error. None is
-- a silent 0.

local ma = require "moonarray"
local helper = require "spec.helper"
local take = require("spec.file").take

local function array(list) return ma.array(list, "float64") end
local function zeros() return ma.zeros(2, "float64") end

--- The derivative of a function at (0.3, 0.5). Without effect it is 0, and no error.
local function derivative(f)
  local g = ma.grad(function(x) return f(x) + (x * 0):sum() end)(array { 0.3, 0.5 })
  return { tonumber(("%.6f"):format(g(1))), tonumber(("%.6f"):format(g(2))) }
end

local REFUSED = {
  RawKernel = function(x)
    ma.RawKernel('extern "C" __global__ void f(double *x) {}', "f")({ 1 }, { 1 }, { x })
    return x:sum()
  end,
  ElementwiseKernel = function(x) return ma.ElementwiseKernel("T x", "T y", "y = x", "same")(x):sum() end,
  ReductionKernel = function(x) return ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(x) end,
  out = function(x) local y = zeros() ma.exp(x, y) return y:sum() end,
  ["out of sum"] = function(x) local y = ma.zeros({}, "float64") x:sum({ out = y }) return y end,
  ["where in place"] = function(x) return zeros():iadd(x, { where = x:gt(0.4) }):sum() end,
  put = function(x) return zeros():put(ma.index { 1, 2 }, x):sum() end,
  reduceat = function(x) return ma.add.reduceat(x, ma.array({ 1 }, "int64")):sum() end,
  ["outer of a ufunc"] = function(x) return ma.multiply.outer(x, x):sum() end,
  data = function(x) return ma.frombuffer(x:data(), "float64"):sum() end,
  dlpack = function(x) return ma.from_dlpack(ma.to_dlpack(x)):sum() end,
  tobytes = function(x) return array { #x:tobytes() }:sum() end,
  view = function(x) return x:view("int64"):sum():astype("float64") end,
  prod = function(x) return ma.abs(x:astype("complex128"):prod()) end,
  sign = function(x) return ma.real(ma.sign(x:astype("complex128"))):sum() end,
  histogram = function(x) return (ma.histogram(ma.ones(2), 2, { weights = x })):sum() end,
  ["a table of arrays"] = function(x) return ma.flip({ x, x }):sum() end,
  ["a sum of tables"] = function(x) return ma.add({ x, x }, 1):sum() end,
  iterator = function(x) local s = 0 for v in x:each() do s = s + v end return x:sum() * 0 + s end,
}

local FOLLOWED = {
  { "scope", { 2, 2 }, function(x) return ma.scope(function() return (x * 2):sum() end) end },
  { "saved in a scope", { 0.6, 1 }, function(x)
    return ma.scope(function()
      local y = x * 1
      return (y * y):sum()
    end)
  end },
  { "iterate", { 8, 8 }, function(x) return ma.iterate(3, function(y) return y * 2 end, x):sum() end },
  { "coroutine", { 0.6, 1 }, function(x)
    local step = coroutine.wrap(function() coroutine.yield() return x * x end)
    step()
    return step():sum()
  end },
  { "pcall", { 1, 1 }, function(x) pcall(ma.nextafter, x, 1) return x:sum() end },
  { "print", { 2, 2 }, function(x) local y = x * 2 assert(tostring(y)) return y:sum() end },
  { "where", { 2, 0 }, function(x) return ma.add(x, x, { where = ma.array { true, false } }):sum() end },
  { "two results", { 1, 1 }, function(x) local _, r = ma.divmod(x, 0.2) return r:sum() end },
  { "copyto", { 0, 1 }, function(x) return ma.copyto(zeros(), x, { where = x:gt(0.4) }):sum() end },
  { "a mask", { 0, 1 }, function(x) local y = zeros() y[x:gt(0.4)] = x[x:gt(0.4)] return y:sum() end },
  { "graph", { 2, 2 }, function(x)
    local y
    local graph = ma.cuda.graph(function() y = x * 2 end)
    graph()
    graph:free()
    return y:sum()
  end },
  { "get", { 1, 1 }, function(x) return x:get():to(x.device):sum() end },
  { "at", { 2, 1 }, function(x)
    local y, places = zeros(), ma.index { 1, 2, 1 }
    ma.add.at(y, places, x[places])
    return y:sum()
  end },
  { "scatter_add", { 1, 1 }, function(x) local y = zeros() ma.scatter_add(y, ma.index { 1, 1 }, x) return y:sum() end },
  { "draws", { 1, 1 }, function(x) return (x + ma.random.default_rng(1):random(2)):sum() end },
  { "apply_along_axis", { 0.6, 1 }, function(x)
    return ma.apply_along_axis(function(a) return a * a end, 1, x):sum()
  end },
  { "sparse", { 4, 6 }, function(x) return (ma.sparse.csr_matrix(array { { 1, 2 }, { 3, 4 } }) * x):sum() end },
  { "interp", { 5, 5 }, function(x) return ma.interp(x, array { 0, 1 }, array { 0, 5 }):sum() end },
  { "accumulate", { 2, 1 }, function(x) return ma.add.accumulate(x):sum() end },
  { "bincount", { 1, 1 }, function(x) return ma.bincount(ma.array({ 0, 1 }, "int64"), x):sum() end },
  { "full", { 2, 2 }, function(x) return ma.full({ 2 }, x:sum()):sum() end },
  { "select", { 0, 1 }, function(x) return ma.select({ x:gt(0.4) }, { x }, 0):sum() end },
  { "rows", { 1, 1 }, function(x)
    local s = 0
    for _, row in x:reshape(2, 1):rows() do s = s + row:sum() end
    return s
  end },
}

describe("a differentiated array that leaves the operators", function()
  it("is an error", function()
    local failures = helper.failures()
    for name, f in pairs(REFUSED) do
      failures:run(name, function()
        local ok, why = pcall(derivative, f)
        assert(not ok, "no error")
        assert.matches("grad_audit_spec.lua:%d+: moonarray%.", why)
      end)
    end
    failures:check()
  end)

  it("or is followed", function()
    local failures = helper.failures()
    for _, case in ipairs(FOLLOWED) do
      failures:run(case[1], function() assert.same(case[2], derivative(case[3])) end)
    end
    failures:check()
  end)

  it("is shown by MOONARRAY_TRACE=grad", function()
    local script, err = os.tmpname(), os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write([[
      local ma = require "moonarray"
      ma.grad(function(x) return x:max():item() * ma.tanh(x):sum() end)(ma.ones(2))
      ma.grad(function(x) return ma.where(x:gt(0), x, 0):sum() end)(ma.ones(2))
    ]])
    file:close()
    local code = os.execute(("MOONARRAY_DEVICE=cpu MOONARRAY_TRACE=grad '%s' '%s' 2>'%s'"):format(
      os.getenv("LUAJIT") or "luajit", script, err))
    os.remove(script)
    local text = take(err)
    assert(code == 0, text)
    for _, line in ipairs { "1: max at .-:2", "cut: item at .-:2", "2: tanh at .-:2", "3: sum at .-:2", "4: multi",
      "cut: greater at .-:3" } do
      assert.matches("moonarray grad: " .. line, text)
    end
  end)
end)
