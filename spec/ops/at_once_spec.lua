-- Calls with numbers that nobody means, and with arrays that have no elements: they end at once, with a value or an
-- error.

local helper = require "spec.helper"
local ma = helper.ma

local HUGE = 2 ^ 53

local on_cpu = (os.getenv("MOONARRAY_DEVICE") or "cpu") == "cpu"

local transforms, why = pcall(function() return ma.fft.fft(ma.ones(4)) end)

--- Runs a function, and fails when it takes more than some ten million instructions: the results, after its time.
local function counted(what, fn)
  local count, start = 0, os.clock()
  local run = coroutine.create(fn)
  if jit then jit.off() end
  debug.sethook(run, function()
    count = count + 1
    if count > 300 then error("endless", 0) end
  end, "", 1e5)
  local results = { coroutine.resume(run) }
  debug.sethook(run)
  if jit then jit.on() end
  assert(results[2] ~= "endless", what .. " does not end")
  return os.clock() - start, unpack(results)
end

--- Fails too when the function takes two seconds of the processor. On a GPU its kernels are compiled first.
local function at_once(what, fn)
  if not on_cpu then counted(what, fn) end
  local seconds, ok, found = counted(what, fn)
  assert(seconds < 2, what .. " takes long")
  return ok, found
end

local signal, interpolate = ma.signal, ma.interpolate
local first_order = { { 1 }, { 1, 2 } }
local sampled = { { 1 }, { 1, 2 }, 1 }

local function spline() return interpolate.BSpline(ma.arange(10) / 1, ma.ones(6), 3) end
local function pieces() return interpolate.PPoly({ { 1, 2 } }, { 0, 1, 2 }) end
local function bernstein() return interpolate.BPoly({ { 1, 2 } }, { 0, 1, 2 }) end
local function newton() return interpolate.KroghInterpolator({ 0, 1, 2 }, { 1, 2, 4 }) end
local function barycentric() return interpolate.BarycentricInterpolator({ 0, 1, 2 }, { 1, 2, 4 }) end

--- Calls that are refused: what they are, the message, the function.
local refused = {
  { "next_fast_len", "target is 1e%+300; at most 9007199254740992", function() ma.fft.next_fast_len(1e300) end },
  { "prev_fast_len", "target is 1e%+300; at most", function() ma.fft.prev_fast_len(1e300) end },
  { "multigammaln", "d is the number 9.*wanted a whole number from 1 to 16777216",
    function() ma.special.multigammaln(HUGE, HUGE) end },
  { "sparse.random", "m is 1e%+300; at most", function() ma.sparse.random(1e300, 3, 0) end },
  { "unstack", "1000000000 values at once", function() ma.unstack(ma.zeros { 1e9, 0 }) end },
  { "vsplit", "sections of axis 1", function() ma.vsplit(ma.zeros { 1e9, 0 }, 1e9) end },
  { "impulse", "N is .*at most 1048576", function() signal.impulse(first_order, { N = HUGE }) end },
  { "step", "N is .*at most 1048576", function() signal.step(first_order, { N = HUGE }) end },
  { "dimpulse", "n is .*at most 1048576", function() signal.dimpulse(sampled, { n = HUGE }) end },
  { "dstep", "n is .*at most 1048576", function() signal.dstep(sampled, { n = HUGE }) end },
  { "dlsim", "t ends at 1e%+300 with steps of 1; wanted 1 to 1048576 steps",
    function() signal.dlsim(sampled, { 1, 1 }, { 0, 1e300 }) end },
  { "savgol_coeffs", "window_length is .*at most", function() signal.savgol_coeffs(HUGE - 1, 2) end },
  { "medfilt", "a size is .*at most", function() signal.medfilt({ 1, 2, 3 }, HUGE - 1) end },
  { "iircomb", "w0 is 1e%-300; wanted", function() signal.iircomb(1e-300, 30) end },
  { "BSpline.antiderivative", "nu is .*at most 170", function() spline():antiderivative(HUGE) end },
  { "PPoly.antiderivative", "nu is .*at most 170", function() pieces():antiderivative(HUGE) end },
  { "PPoly.derivative", "nu is .*at most 170", function() pieces():derivative(-HUGE) end },
  { "BPoly.antiderivative", "nu is .*at most 170", function() bernstein():antiderivative(HUGE) end },
  { "KroghInterpolator.derivatives", "der is .*at most 65536", function() newton():derivatives(0.5, HUGE) end },
  { "BarycentricInterpolator.derivatives", "der is .*at most 65536",
    function() barycentric():derivatives(0.5, HUGE) end },
  { "expm_multiply", "t A has the norm .*more than 1048576 steps",
    function() ma.sparse.linalg.expm_multiply(ma.sparse.csr_matrix { { 0, 1e300 }, { 0, 0 } }, ma.ones(2)) end },
  { "expm_multiply", "num is .*at most",
    function() ma.sparse.linalg.expm_multiply(ma.sparse.identity(3), ma.ones(3), 0, 1, HUGE) end },
}

describe("a number that nobody means", function()
  for _, row in ipairs(refused) do
    local name, pattern, fn = unpack(row)
    it("is an error of " .. name, function()
      local ok, message = at_once(name, fn)
      assert.is_false(ok)
      assert.matches("moonarray.*" .. pattern, message)
    end)
  end
end)

--- Calls that give something: what they are, the value, the function.
local given = {
  { "next_fast_len", HUGE, function() return ma.fft.next_fast_len(HUGE) end },
  { "a stencil of nothing", 0, function()
    return ma.stencil(function(u) return u(0) + 1 end):run(ma.zeros(0), { steps = HUGE }).size
  end },
  { "a derivative of a BPoly", 0, function() return bernstein():derivative(HUGE)(0.5):item() end },
  { "a derivative by Krogh", 0, function() return newton():derivative(0.5, HUGE):item() end },
  { "a derivative of a barycentric one", 0, function() return barycentric():derivative(0.5, HUGE):item() end },
  { "a system's exponential of infinity", true, function()
    local x = signal.cont2discrete({ { { 1e300 } }, { { 1 } }, { { 1 } }, { { 0 } } }, 1e300)[1]:item()
    return x ~= x
  end },
  { "fhtoffset far below", true, function() return ma.fft.fhtoffset(0.1, 0.3, 0, -1e9) > -1 end },
  { "polygamma of half a number", true, function()
    return ma.special.polygamma(1e9, -10.5) ~= 0                           -- infinite, or no number
  end },
  { "zeta of a number below 0", ma.inf, function() return ma.special.zeta(1e9 + 1, -10.7) end },
  { "unique rows of nothing", 0, function() return ma.unique(ma.zeros { 0, 1e9 }, { axis = 1 }).size end },
  { "lexsort of nothing", 0, function() return ma.lexsort(ma.zeros { 1e9, 0 }).size end },
}

describe("a call with hardly anything to do", function()
  for _, row in ipairs(given) do
    local name, value, fn = unpack(row)
    it("ends at once: " .. name, function()
      local ok, found = at_once(name, fn)
      assert(ok, found)
      assert.equal(value, found)
    end)
  end

  local function close(wanted, got)
    assert(math.abs(got - wanted) <= 1e-12 * math.abs(wanted), ("%.17g, not %.17g"):format(got, wanted))
  end

  it("has the values of the longer way: a Hankel transform", function()
    if not transforms then return pending(tostring(why)) end
    local list = ma.fft.fht(ma.ones(4), 0.1, 0.3, 0, -160.2):totable()
    for k, wanted in ipairs { 3.0878883041994884e-285, 2.7993627710138937e-278, 2.5377964337654057e-271,
      2.3006702830818956e-264 } do
      close(wanted, list[k])
    end
  end)

  it("has the values of the longer way", function()
    close(75739.45475449099, ma.special.multigammaln(200, 100))     -- SciPy's
    assert.same({ 0, ma.inf, -ma.inf, ma.inf },
      ma.special.zeta({ 1201, 1200, 1201, 1201 }, { -10.5, -10.5, -10.3, -10.7 }):totable())
    for _, f in ipairs { newton(), barycentric() } do
      local derivatives = f:derivatives(0.5, 5):totable()
      for k, wanted in ipairs { 1.375, 1, 1, 0, 0 } do close(wanted, derivatives[k]) end
    end
  end)
end)
