-- No error of Lua's own comes out of a call: long lists, unknown names, methods called with a dot, tables that hold
-- themselves. And what draws by rejection comes to an end.

local helper = require "spec.helper"
local ma, core, fails = helper.ma, helper.core, helper.fails

local function refused(pattern, f, ...)
  local message = fails(f, ...)
  assert(message:find("moonarray[.:]") and message:find(pattern, 1, true), message)
end

local function list_of(n, value)
  local list = {}
  for k = 1, n do list[k] = value end
  return list
end

describe("a list of arrays may be long:", function()
  for _, n in ipairs { 8000, 100000 } do
    it(n .. " in concatenate, stack and what is made of them", function()
      local x = ma.array { 1, 2 }
      local list = list_of(n, x)
      list[n] = ma.array { 5, 6 }
      local shapes = { concatenate = { 2 * n }, hstack = { 2 * n }, stack = { n, 2 }, vstack = { n, 2 },
        dstack = { 1, 2, n }, column_stack = { 2, n },
        block = { 2 * n } }
      for name, shape in pairs(shapes) do
        local made = ma[name](list)
        assert.same(shape, { made:dims() }, name)
        assert.equal(n * 3 - 3 + 11, made:sum():item(), name)
      end
      local chosen = ma.choose(ma.index { 1, n }, list)
      assert.same({ 1, 6 }, chosen:totable())
    end)
  end

  it("in savez", function()
    local arrays, path = {}, os.tmpname()
    for k = 1, 8000 do arrays["a" .. k] = ma.full({ 1 }, k) end
    ma.savez(path, arrays)
    local back = ma.load(path .. ".npz")
    os.remove(path)
    os.remove(path .. ".npz")
    for _, k in ipairs { 1, 4711, 8000 } do assert.equal(k, back["a" .. k](1)) end
  end)

  it("and more results or arguments than a call has room for are an error", function()
    refused("8000 values", ma.unstack, ma.zeros(8000))
    refused("8000 values", ma.profiler.benchmark, function() end, list_of(8000, 1), 1)
    assert.equal(7000, select("#", ma.unstack(ma.zeros(7000))))
  end)
end)

describe("a name that a module has not", function()
  it("is an error everywhere, which names the nearest", function()
    for _, case in ipairs { { "jit", "rawkernal", "rawkernel" }, { "linalg", "slove", "solve" },
      { "fft", "ffft", "fft" }, { "random", "normall", "normal" },
      { "cuda", "is_availabel", "is_available" }, { "profiler", "benchmrk", "benchmark" },
      { "numpy", "zeroes", "zeros" } } do
      refused(("'%s'; did you mean '%s'?"):format(case[2], case[3]), function() return ma[case[1]][case[2]] end)
    end
    refused("elementwisekernal", function() return ma.jit.elementwisekernal end)
  end)

  it("is an error in every table of the library", function()
    local seen = {}
    local function visit(place, t)
      if seen[t] then return end
      seen[t] = true
      refused("moonarray", function() return t.qqqqqqqqqq end)
      for name, value in pairs(t) do
        -- a list of coefficients, as polynomial.polynomial.polyx, has no names
        if type(value) == "table" and #value == 0 then visit(place .. "." .. tostring(name), value) end
      end
    end
    assert(ma.jit and ma.fft and ma.linalg and ma.random)       -- loads them
    visit("ma", ma)
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    assert(count > 8, count .. " tables")
  end)
end)

describe("objects of the Lua layer", function()
  it("say so where a method is called with a dot, or on something else", function()
    local rng = ma.random.default_rng(1)
    for _, name in ipairs { "get_state", "set_state", "spawn", "random", "integers", "normal" } do
      for _, self in ipairs { false, 3, { 1 }, io.stdout, "x" } do
        refused("moonarray.random", rng[name], self or nil)
      end
    end
    local bar = ma.progress(3, { stream = { write = function() end, flush = function() end } })
    refused("moonarray.progress", bar.step)
    refused("moonarray.progress", bar.close, {})
    local hook = ma.cuda.MemoryHook {}
    refused("moonarray.MemoryHook", hook.install)
    refused("moonarray.MemoryHook", hook.remove, 5)
    local device = ma.device()
    for _, self in ipairs { false, 3, {}, io.stdout, ma.Stream.null } do
      refused("moonarray.", device.with, self or nil, function() end)
      refused("moonarray.", ma.Stream.null.with, self ~= ma.Stream.null and self or nil, function() end)
    end
    refused("fn is", device.with, device, 3)
    assert.equal(device.name, ma.device().name)
  end)

  it("take no fields", function()
    local rng = ma.random.default_rng(1)
    refused("'seed'", function() rng.seed = 3 end)
    refused("'seeed'", function() return rng.seeed end)
    local again = ma.random.default_rng(1)
    assert.same(again:random(3):totable(), rng:random(3):totable())
    assert.same(again:get_state(), rng:get_state())
  end)
end)

describe("what cannot be called", function()
  it("is refused, though LuaJIT lets every cdata be tried", function()
    local ffi = require "ffi"
    ffi.cdef "int abs(int);"
    for _, value in ipairs { 5LL, ffi.new("int[2]"), ffi.new("complex", 1, 2), ffi.cast("void *", 0), "x", {},
      ma.ones(1) } do
      refused("wanted a function", ma.scope, value)
      refused("wanted a function", ma.profiler.benchmark, value)
    end
    assert.equal(5, ma.scope(ffi.C.abs, -5))
    assert.equal(5, ma.scope(ffi.cast("int (*)(int)", ffi.C.abs), -5))
  end)
end)

describe("a table that holds itself", function()
  it("is an error", function()
    local inner = { 1 }
    inner[2] = inner
    local endless = {}
    endless[1] = endless
    for _, cyclic in ipairs { inner, endless } do
      refused("table", ma.quantile, ma.arange(3), cyclic)
      refused("", ma.array, cyclic)
      refused("", ma.block, cyclic)
      refused("", ma.zeros, cyclic)
      refused("", ma.concatenate, cyclic)
      refused("", ma.random.default_rng, cyclic)
      refused("", ma.take, ma.arange(3), cyclic)
    end
    refused("depth", ma.block, { { ma.ones(1) }, ma.ones(1) })
    refused("depth", ma.block, { ma.ones(1), { ma.ones(1) } })
  end)
end)

describe("vectorize", function()
  it("refuses a number that does not fit what it meets, as operators do", function()
    local add, less = ma.vectorize "function(x, y) return x + y end", ma.vectorize "function(x, y) return x < y end"
    local twice = ma.vectorize "function(x, y) return x + y * 2 end"
    local x = ma.array({ 1, 100 }, "uint8")
    refused("300 does not fit uint8", add, x, 300)
    refused("-1 does not fit uint8", add, x, -1)
    refused("400 does not fit uint8", twice, x, 200)
    refused("-3 does not fit uint8", ma.vectorize "function(x, y) return x - -y end", x, 3)
    assert.same({ 3, 102 }, add(x, 2):totable())
    assert.equal("uint8", add(x, 2).dtype)
    assert.same({ 301, 400 }, add(x:astype("int16"), 300):totable())
    assert.same({ true, true }, less(x, 300):totable())
    assert.same({ false, false }, less(x, -3):totable())
  end)
end)

describe("draws by rejection", function()
  it("end for any parameters", function()
    local hostile = { 0 / 0, math.huge, -math.huge, 0, -1, 1, 1 + 2 ^ -52, 1 - 2 ^ -53, 5e-324, 1e-300, 1e-20, 1e-5,
      0.5, 1.0001, 2, 10, 1000, 999999999,
      1e9, 9.2e18, 2 ^ 63, 1e100, 1e300, 1.7e308 }
    local parameters = { standard_gamma = 1, beta = 2, chisquare = 1, noncentral_chisquare = 2, f = 2, noncentral_f = 3,
      standard_t = 1, vonmises = 2,
      zipf = 1, poisson = 1, binomial = 2, negative_binomial = 2, geometric = 1, hypergeometric = 3, logseries = 1,
      wald = 2 }
    -- Probabilities in an array are checked where that costs no wait, which is on the CPU.
    local checked = { binomial = true, negative_binomial = true, geometric = true, logseries = true }
    local h, n = ma.array(hostile), #hostile
    local along = { h:reshape(n, 1, 1), h:reshape(1, n, 1), h:reshape(1, 1, n) }
    for name, count in pairs(parameters) do
      local rng = ma.random.default_rng(7)
      local fine, why = pcall(function() rng[name](rng, unpack(along, 1, count)):get() end)
      assert(fine or checked[name] and why:find("moonarray.random." .. name .. ": p is nan", 1, true), why)
      for _, a in ipairs(hostile) do
        for _, b in ipairs(count > 1 and hostile or { 0 }) do pcall(rng[name], rng, unpack({ a, b, 3 }, 1, count)) end
      end
    end
  end)

  it("are right near the ends of what they take", function()
    local rng = ma.random.default_rng(11)
    -- Of k up to 2^63 with probability like k^-1.009; near a = 1 like 1 / k, so that the logarithms are spread evenly.
    local less = 0.009
    local total = 0.5772 + (1 - math.exp(-less * 63 * math.log(2))) / less
    local ones = rng:zipf(1 + less, 200000):eq(1):mean():item()
    assert(math.abs(ones - 1 / total) < 0.002, ones .. " of 1; wanted " .. 1 / total)
    local halves = ma.log(rng:zipf(1 + 2 ^ -52, 20000)):mean():item() / (63 * math.log(2))
    assert(math.abs(halves - 0.5) < 0.02, halves)
    local beta = rng:beta(1e-320, 3e-320, 20000):mean():item()
    assert(math.abs(beta - 0.25) < 0.02, beta)
    assert.is_true(ma.isnan(rng:standard_gamma(ma.array { -1, 0 / 0 })):all())
    assert.equal(0, rng:hypergeometric(ma.array { 1e300 }, 5, 3)(1))
  end)
end)

it("core.strict keeps what a table has", function()
  local t = core.strict { a = 1 }
  assert.equal(1, t.a)
  refused("'b'", function() return t.b end)
end)
