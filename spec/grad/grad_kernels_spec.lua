-- Derivatives of kernels of the user's, which say themselves what flows back.

local ma = require "moonarray"
local check = ma.testing.check_grad
local orders = require "spec.grad.grad_orders"

local function array(list) return ma.array(list, "float64") end
local function numbers(...) return ma.random.default_rng(5):standard_normal { ... } end

local function fails(words, fn, ...)
  local ok, why = pcall(fn, ...)
  assert.is_false(ok)
  assert.matches(words, tostring(why), 1, true)
  assert.matches("grad_kernels_spec.lua:%d+: moonarray%.", tostring(why))
end

local product = ma.ElementwiseKernel("T x, T y", "T z", "z = x * x * y", "grad_product",
  { derivative = function(g, _, x, y) return 2 * g * x * y, g * x * x end })
local both = ma.ElementwiseKernel("T x", "T y, T z", "y = x * x; z = x * x * x", "grad_both",
  { derivative = function(g, h, y, _, x) return 2 * g * x + 3 * h * y end })
local squares = ma.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "grad_squares",
  { derivative = function(g, _, x, axis)
    return 2 * x * (axis and g:expand_dims(axis) or g)
  end })

describe("derivatives of kernels in C++", function()
  it("are what an elementwise kernel says, for operands that broadcast", function()
    orders(function(x, y) return product(x, y) end, { numbers(2, 3), numbers(3) })
    orders(function(x) return product(x, x), product(x, 2), product(x["1:1"], x) end, { numbers(2, 3) })
    check(function(y) return product(3, y) end, { numbers(3) })
    orders(function(x) return both(x) end, { numbers(4) })
  end)

  it("are what a reduction says", function()
    orders(function(x) return squares(x), squares(x, 1), squares(x, 2) end, { numbers(2, 3) })
  end)

  it("are errors without one, and where it gives what does not fit", function()
    local bare = ma.ElementwiseKernel("T x", "T y", "y = x", "grad_bare")
    fails("has no derivative; derivative = function(g, y, ...) ... end says what flows back",
      ma.grad(function(x) return bare(x):sum() end), array { 1, 2 })
    local wrong = ma.ElementwiseKernel("T x", "T y", "y = x", "grad_wrong",
      { derivative = function() return ma.ones(5) end })
    fails("the derivative of grad_wrong gave a float64 array (5,) for argument 1; wanted what flows to a float64 array",
      ma.grad(function(x) return wrong(x):sum() end), array { 1, 2 })
    fails("an output in a function that is differentiated",
      ma.grad(function(x) return product(x, x, ma.zeros(2, "float64")):sum() end), array { 1, 2 })
    fails("derivative is the number 3; wanted a function", ma.ElementwiseKernel, "T x", "T y", "y = x", "grad_number",
      { derivative = 3 })
    assert.is_function(product.derivative)
    assert.is_nil(bare.derivative)
  end)
end)

local TEXT = [[extern "C" __global__ void grad_scaled(const double *x, const double *y, double *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * y[i];
}]]

describe("derivatives of kernels that write to arguments", function()
  local raw = ma.RawKernel(TEXT, "grad_scaled", { writes = { 3 },
    derivative = function(g, x, y) return g * y, g * x end })
  local written = ma.jit.rawkernel(function(x, y, z)
    local i = jit.grid(1)
    if i <= x.size then z[i] = x[i] * y[i] end
  end, { name = "grad_jit", writes = { 3 }, derivative = function(g, x, y) return g * y, g * x end })

  it("are what a raw kernel and one of ma.jit say", function()
    for _, run in ipairs {
      function(x, y, z) raw({ 1 }, { 32 }, { x, y, z, x.size }) end,
      function(x, y, z) written({ 1 }, { 32 }, { x, y, z }) end,
      function(x, y, z) written[{ 1, 32 }](x, y, z) end,
    } do
      orders(function(x, y)
        local z = ma.zeros(4, "float64")
        run(x, y, z)
        local later = ma.empty_like(z)
        run(z, x, later)
        return z, later
      end, { numbers(4), numbers(4) * 2 })
    end
  end)

  it("are errors without one, and where what is written was differentiated before", function()
    local bare = ma.RawKernel(TEXT, "grad_scaled")
    assert.is_nil(bare.derivative)
    assert.same({ 3 }, raw.writes)
    for _, kernel in ipairs { bare, ma.jit.rawkernel(function(x, y, z, n) if n > 0 then z[1] = x[1] * y[1] end end) } do
      fails("has no derivative; derivative = function(g, ...) ... end says what flows back, and writes = {2}",
        ma.grad(function(x)
          local z = ma.zeros(2, "float64")
          kernel({ 1 }, { 32 }, { x, x, z, 2 })
          return z:sum() + x:sum()
        end), array { 1, 2 })
    end
    fails("argument 3, which it writes, is a differentiated array; give it a new one", ma.grad(function(x)
      local z = x * 2
      raw({ 1 }, { 32 }, { x, x, z, 2 })
      return z:sum()
    end), array { 1, 2 })
    fails("writes is the number 3; wanted numbers of arguments", ma.RawKernel, TEXT, "grad_scaled", { writes = 3 })
  end)
end)

describe("derivatives of functions of elements", function()
  it("are those of what selects say", function()
    local branch = ma.fuse(function(x, y) if x > 0 then return x * y else return -y ^ 2 end end)
    orders(function(x, y) return branch(x, y) end, { numbers(4), numbers(4) * 2 })
    local loop = ma.fuse(function(x)
      local s = 0
      for i = 1, 3 do if x > i - 2 then s = s + x ^ i end end
      return s
    end)
    orders(function(x) return loop(x) end, { numbers(4) })
    local centred = ma.fuse(function(x) return (x - x:mean()) / x:std() end)
    orders(function(x) return centred(x) end, { numbers(4) })
  end)

  it("are errors where the function becomes C++", function()
    local halved = ma.fuse(function(x) while x > 0.1 do x = x / 2 end return x end)
    fails("moonarray.fuse: has no derivative, since the function becomes C++: how often a loop runs",
      ma.grad(function(x) return halved(x):sum() end), array { 1, 2 })
    local step = ma.stencil(function(u) local x = u(0) while x > 0.1 do x = x / 2 end return x * u(1) end)
    fails("moonarray.stencil: has no derivative, since the function becomes C++: how often a loop runs",
      ma.grad(function(x) return step(x):sum() end), array { 1, 2 })
  end)
end)
