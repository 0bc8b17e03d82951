-- kernel:prepare(...): what a call needs is compiled by a thread, nothing is run, and the call itself compiles nothing.

local helper = require "spec.helper"
local turn = require "spec.frames.turn"
local ma, core = helper.ma, helper.core

--- A number that no other run has in its texts, so that the cache on disk has none of them. One kernel of each kind of
--- compilation has it: the compiler takes a second for each.
local unique = ("%d.%d"):format(os.time(), math.floor(ma.time() * 1e6) % 1000000)
local x = ma.arange(6, "float32")
local ones = ma.ones(6, "float32")

local LOOP = "local c = a while c > 3 do c = c - 3 end return c"

--- name, kernel, arguments, what the call gives as a list
local kernels = {
  { "an ElementwiseKernel", ma.ElementwiseKernel("T x", "T y", "y = x + (T)" .. unique .. " * 0 + 1", "prepared_map"),
    { x }, { 1, 2, 3, 4, 5, 6 } },
  { "a ReductionKernel", ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "prepared_sum"), { x }, 15 },
  { "a vectorized function", ma.vectorize("function(a, b) " .. LOOP:gsub("return c", "return c + b") .. " end"),
    { x, ones }, { 1, 2, 3, 4, 2, 3 } },
  { "a fused function", ma.fuse(function(a, b) return a * 2 + b end), { x, ones }, { 1, 3, 5, 7, 9, 11 } },
  { "a fused function with a loop", ma.fuse(function(a)
    local c = a
    while c > 3 do c = c - 3 end
    return c
  end), { x }, { 0, 1, 2, 3, 1, 2 } },
  { "a stencil", ma.stencil(function(u) return u(-1) + u(1) end), { x }, { 1, 2, 4, 6, 8, 4 } },
  { "a stencil with a loop", ma.stencil(function(u)
    local c = u(0)
    while c > 4 do c = c - 4 end
    return c
  end), { x }, { 0, 1, 2, 3, 4, 1 } },
}

local function listed(result) return result.ndim == 0 and result:item() or result:totable() end

describe("prepare", function()
  after_each(function() core.fail_compile(0) end)

  for _, case in ipairs(kernels) do
    local name, kernel, arguments, wanted = unpack(case)
    it("has compiled what " .. name .. " needs", function()
      core.fail_compile(1, 1000000)                            -- on this thread
      local preparation = kernel:prepare(unpack(arguments))
      while not preparation:ready() do os.execute("sleep 0.05") end
      assert.is_true(preparation.done)
      assert.matches("^<preparation of .*, done>$", tostring(preparation))
      local result = kernel(unpack(arguments))
      core.fail_compile(0)
      assert.same(wanted, listed(result))
      assert.is_true(kernel:prepare(unpack(arguments)).done)   -- and at once the second time
    end)
  end

  it("has raw kernels compiled, and launches none", function()
    local raw = ma.RawKernel(([[extern "C" __global__ void prepared_raw(float *p, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) p[i] += 1 + 0 * %s;
    }]]):format(unique), "prepared_raw")
    local jit = ma.jit.rawkernel([[function(p, n)
      local i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x + 1
      if i <= n then p[i] = p[i] + 10 end
    end]])
    local p = ma.zeros(6, "float32")
    core.fail_compile(1, 1000000)
    local run = turn.start(function()
      return ma.await(raw:prepare({ 1 }, { 32 }, { p, 6 }), jit:prepare({ 1 }, { 32 }, { p, 6 }), raw:prepare())
    end)
    while not run.ended do
      os.execute("sleep 0.05")
      ma.update()
    end
    assert(not run.why, run.why)
    local results = run
    assert.equal(raw, results[1])
    assert.equal(jit, results[2])
    assert.same({ 0, 0, 0, 0, 0, 0 }, p:totable())
    raw({ 1 }, { 32 }, { p, 6 })
    jit({ 1 }, { 32 }, { p, 6 })
    core.fail_compile(0)
    assert.same({ 11, 11, 11, 11, 11, 11 }, p:totable())
  end)

  it("writes nothing, and takes no draws", function()
    local out, before = ma.full(6, 7, "float32"), ma.random.default_rng(3):random(4)
    local kernel = ma.ElementwiseKernel("T x", "T y", "y = x - (T)1", "prepared_out")
    ma.await(kernel:prepare(x, { out = out }))
    assert.same({ 7, 7, 7, 7, 7, 7 }, out:totable())
    ma.await(ma.fuse(function(a) return a * 3 end):prepare(x, { out = out }))
    assert.same({ 7, 7, 7, 7, 7, 7 }, out:totable())
    ma.random.seed(3)
    ma.await(ma.fuse(function(a) return a + math.random() end):prepare(x + 0.5))
    assert.same(before:totable(), ma.random.random(4):totable())
  end)

  local function prepare_many()
    local most, last = helper.device ~= "cpu" and 150 or 40, nil
    core.fail_compile(1, 1000000)                              -- on this thread
    for k = 1, most do
      local text = ("y = x * (T)%s + (T)%d"):format(unique, k)
      last = ma.ElementwiseKernel("T x", "T y", text, "prepared_many"):prepare(x)
    end
    assert.is_false(last:ready())
    ma.await(last)
  end
  if helper.long or helper.device ~= "cpu" then                -- a compiler for the CPU takes half a second for each
    it("goes on at once, however many kernels wait for the compiler", prepare_many)
  end

  it("leaves operators that wait as they are", function()
    local waits = ones * 3 + 1
    local kernel = ma.ElementwiseKernel("T x", "T y", "y = x * (T)2", "prepared_wait")
    ma.await(kernel:prepare(waits))
    assert.same({ 4, 4, 4, 4, 4, 4 }, waits:totable())
    assert.same({ 8, 8, 8, 8, 8, 8 }, kernel(waits):totable())
  end)

  it("raises what the compiler says in whoever awaits, and wrong arguments at once", function()
    local bad = ma.ElementwiseKernel("T x", "T y", "y = nowhere", "prepared_bad")
    local message = turn.fails(function() return ma.await(bad:prepare(x)) end)
    assert.matches("prepared_bad did not compile", message)
    assert.matches("nowhere", message)
    assert.matches("broadcast", helper.fails(ma.ElementwiseKernel("T x, T y", "T z", "z = x", "prepared_shape").prepare,
      ma.ElementwiseKernel("T x, T y", "T z", "z = x", "prepared_shape"), x, ma.ones(5, "float32")))
    local preparation = ma.fuse(function(a) return a + 1 end):prepare(x)
    assert.matches("in place of the preparation", helper.fails(preparation.ready, 3))
  end)

  -- Each text is new. Without the error it would be compiled here, which the spec lets fail with another message.
  local function unprepared()
    local constant = ("(%s * 0 + 9)"):format(unique)
    local cases = {
      ElementwiseKernel = { ma.ElementwiseKernel("T x", "T y", "y = x + (T)" .. constant, "late_map"), { x } },
      ReductionKernel = { ma.ReductionKernel("T x", "T y", "x", "a + b", "y = a + (T)" .. constant, "0", "late_sum"),
        { x } },
      RawKernel = { ma.RawKernel('extern "C" __global__ void late(float *x) { x[0] = ' .. unique .. "; }", "late"),
        { { 1 }, { 1 }, { ma.zeros(1, "float32") } } },
      vectorize = { ma.vectorize("function(a, b) " .. LOOP:gsub("return c", "return c + b * " .. unique) .. " end"),
        { x, ones } },
    }
    if helper.device == "cpu" then                             -- a GPU compiles stencils as it does its own kernels
      local text = "function(u) local c = u(0) while c > 3 do c = c - " .. unique .. " end return c end"
      cases.stencil = { ma.stencil(text), { x } }
    end
    return cases
  end

  it("is asked for by an error where no wait is allowed, and a kernel that is prepared runs there", function()
    for name, case in pairs(unprepared()) do
      local kernel, arguments = unpack(case)
      core.fail_compile(1, 1000000)
      local message = helper.fails(ma.allow_synchronize, false, kernel, unpack(arguments))
      assert.matches("would be compiled now, where allow_synchronize%(false%) holds; call its prepare", message, name)
      core.fail_compile(0)
      ma.await(kernel:prepare(unpack(arguments)))
      core.fail_compile(1, 1000000)
      ma.allow_synchronize(false, kernel, unpack(arguments))
      core.fail_compile(0)
    end
  end)

  it("is not asked for where operations take the place of a kernel", function()
    local fused = ma.fuse(function(a) return a * 3 + 2 - a end)
    local y = ma.allow_synchronize(false, function() return fused(x), x * 5 - x / 3 end)
    assert.same({ 2, 4, 6, 8, 10, 12 }, y:totable())
  end)

  -- New in each run: additions and products in an order that the digits of `unique` give.
  local function turns(a)
    local b = a
    for digit in unique:gmatch("%d") do b = tonumber(digit) % 2 == 0 and b + a or b * a end
    return b
  end

  it("is not waited for by fused functions where no wait is allowed", function()
    local function rows(a) return turns(a):sum(2) end
    local y = ma.ones({ 4, 6 }, "float32")
    for _, fn in ipairs { turns, rows } do
      local before = ma.set_fusion(false)
      local wanted = fn(y):totable()                           -- compiles the single operations
      ma.set_fusion(before)
      core.fail_compile(1, 1000000)                            -- on this thread
      assert.same(wanted, ma.allow_synchronize(false, ma.fuse(fn), y):totable())
      core.fail_compile(0)
    end
  end)

  it("has compiled what a function of the library's operations needs", function()
    local y = ma.arange(24, "float32"):reshape(4, 6)
    local by, calls = tonumber((unique:gsub("%.", ""))) % 100000, 0
    local kernel = ma.ElementwiseKernel("T x", "T y", "y = x + (T)(" .. unique .. " * 0 + 1)", "prepared_inside")
    local function step(a, times)
      calls = calls + 1
      return ma.sort(a * by, 2):sum() * times, kernel(a), ma.cumsum(a, 1) + a.T:copy():max()
    end
    local preparation = ma.prepare(step, y, 2)
    while not preparation:ready() do os.execute("sleep 0.02") end
    assert.is_true(preparation.done)
    assert(calls > 0)
    core.background(true)
    core.fail_compile(1, 1000000)                              -- on this thread
    local sum, more = ma.allow_synchronize(false, step, y, 2)
    core.fail_compile(0)
    assert.equal(276 * by * 2, sum:item())
    assert.equal(24, more(4, 6))
    assert.equal(step, ma.await(ma.prepare(step, y, 2)))
    assert.matches("fn is a table; wanted a function", helper.fails(ma.prepare, {}))
    assert.matches("why", turn.fails(function() return ma.await(ma.prepare(function() error("why") end, y)) end))
  end)

  it("waits outside a coroutine", function()
    local kernel = ma.ElementwiseKernel("T x", "T y", "y = x + (T)2", "prepared_outside")
    core.fail_compile(1, 1000000)
    assert.equal(kernel, ma.await(kernel:prepare(x)))
    assert.same({ 2, 3, 4, 5, 6, 7 }, kernel(x):totable())
  end)
end)
