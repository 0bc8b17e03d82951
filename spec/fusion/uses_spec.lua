-- What happens to a value that several expressions use: it is computed again for each, or once and stored, or beside
-- what has taken it in.

local helper = require "spec.helper"
local work = require "spec.fusion.fusion_helper"
local ma, core = helper.ma, helper.core
local count, takes, data, both = work.count, work.takes, work.data, work.both

local was, waits

--- Tests whose operators wait from so many elements on.
local function uses(name, from, tests)
  describe(name, function()
    before_each(function()
      was, waits = ma.set_fusion(true), core.defer_from(from)
      core.compile_at_once(true)
    end)
    after_each(function()
      core.compile_at_once(false)
      core.defer_from(waits)
      ma.set_fusion(was)
    end)
    tests()
  end)
end

--- As on a GPU: the CPU does so where it defers whatever waits, however small.
uses("where launches count, operators", 1, function()
  it("compute again what is used four times, and keep it for more", function()
    local a = data(5)
    local t = ma.square(a * 2)
    local y, z = t + 1, nil
    takes(0, function() z = t + 2 end)
    takes(1, function() ma.eval(y, z) end)
    assert.same({ 5, 17, 37, 65, 101 }, y:totable())
    assert.same({ 6, 18, 38, 66, 102 }, z:totable())
    takes(0, function() return t + 3, t + 4 end)
    takes(1, function() return t + 5 end)
    takes(0, function() t:eval() end)
  end)

  it("store at a second use what is long", function()
    local x = data(64)
    local function long(n)
      local y = x
      for k = 1, n do y = y * 0.5 + k end
      return y
    end
    local short = long(20)
    takes(0, function() return short + 1, short + 2 end)
    local t = long(60)
    takes(1, function() return t + 1, t + 2 end)
    takes(0, function() t:eval() end)
  end)

  it("run as one what shares its values, however often these are used", function()
    local w, a, b, c, x, y, z = data(64), data(64), data(64), data(64) * 2, data(64) + 1, data(64), data(64) - 9
    ma.eval(c, x, z)
    local function turned()
      local p, q, r = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
      return x + w * p + (b * r - c * q), y + w * q + (c * p - a * r), z + w * r + (a * q - b * p)
    end
    takes(1, function() ma.eval(turned()) end)
    both("a rotation", turned)
  end)

  it("store at a second use what broadcast operands make", function()
    local x = data(64)
    local d = x:reshape(1, 64) - x:reshape(64, 1)
    local pull = 2 / (d * d + 0.5) + 1
    takes(0, function() return d * pull end)
    takes(1, function() return pull * 3 end)
    takes(0, function() pull:eval() end)
  end)

  it("take in the parts of complex results", function()
    local z = ma.eval(data(60, "complex64"):reshape(6, 10) * ma.exp(data(10, "complex64")))
    takes(1, function()
      local w = z * z + 1
      return (w.real ^ 2 + w.imag ^ 2):eval()
    end)
    both("parts", function()
      local w, t = z * z + 1, z.T * 2 + z.T
      local wide = w:astype("complex128") * 2
      return w.real * w.imag, w["::-2, 3:"].imag + 1, w.imag.T - t.real, t.imag:sum(2),
        w.real - w.real:mean(2, { keepdims = true }), wide.imag * 3, wide:view("float64") + 1, w
    end)
    both("a write", function()
      local w = z * z
      local y = w.imag + 1
      w.imag:assign(y * 2)
      return y, w, w.imag + 0
    end)
    both("a set", function()
      local w, steps = z, ma.zeros({ 6, 10 }, "int32")
      for _ = 1, 5 do
        local inside = (w.real ^ 2 + w.imag ^ 2):lt(4)
        w, steps = ma.where(inside, w * w + z, w), steps + inside
      end
      return w, steps
    end)
  end)

  --- The nearest of some spheres on each ray, and which it is.
  local function nearest(n, spheres)
    local ox, oy, dx, dy = data(n) * 0.01, data(n) * -0.02, data(n) * 0.5, data(n) * 0.25
    ma.eval(ox, oy, dx, dy)
    return function()
      local near, which = ma.full(n, math.huge), ma.zeros(n, "int32")
      ma.eval(near, which)
      for k = 1, spheres do
        local x, y = ox - k * 0.07, oy + k * 0.05
        local along, beside = x * dx + y * dy, x * x + y * y - 0.04
        local inside = along * along - beside
        local t = -along - ma.sqrt(ma.maximum(inside, 0))
        local hit = ma.logical_and(ma.logical_and(inside:gt(0), t:gt(1e-4)), t:lt(near))
        near, which = ma.where(hit, t, near), ma.where(hit, k, which)
      end
      return near, which
    end
  end

  it("run long chains in few kernels that write several results", function()
    local step = nearest(200, 12)
    local launched = count(function() ma.eval(step()) end)
    assert(work.are_few(launched, 9), launched)                  -- two of them make `near` and `which`
    both("spheres", step)
  end)
end)

if helper.device == "cpu" then
  uses("on the CPU, operators", 2, function()
    it("compute what is used twice once, and keep it", function()
      local a = data(5)
      local t = ma.square(a * 2)
      local y = t + 1
      local z
      takes(1, function() z = t + 2 end)
      takes(2, function() ma.eval(y) ma.eval(z) end)
      assert.same({ 5, 17, 37, 65, 101 }, y:totable())
      assert.same({ 6, 18, 38, 66, 102 }, z:totable())
      takes(0, function() t:eval() end)
      local s = a + 1
      takes(1, function() (s * s):eval() end)            -- in one operation it is one use
      local p = (a + 1):reshape(5, 1)
      both("two views", function() local q = a + 1 return q["1:4"] * q["2:5"] end)
      assert.same({ 2, 3, 4, 5, 6 }, p:reshape(5):totable())
    end)

    it("compute a product of two arrays again for a second use, and keep it for a third", function()
      local a, b = data(64), data(64)
      local t = a * b
      local y, z = t + 1, t * a
      takes(2, function() ma.eval(y) ma.eval(z) end)
      takes(1, function() return t - 2 end)
      takes(0, function() t:eval() end)
      helper.identical(y, ma.eval(a * b) + 1)
      helper.identical(z, ma.eval(a * b) * a)
    end)

    it("run first what the turn before used twice", function()
      local x, y = data(64), data(64)
      local p, q
      for _ = 1, 250 do                                        -- now and then it is tried the other way
        takes(2, function()
          local t = ma.sqrt(x * x + y * y)
          p, q = ma.eval(t / x, t / y)                         -- the root, then both quotients as one
        end)
      end
      local t = ma.eval(ma.sqrt(ma.eval(x * x) + ma.eval(y * y)))
      helper.identical(t / x, p)
      helper.identical(t / y, q)
    end)

    it("do so of one slow operation too, where a reduction has the first use", function()
      local x = data(80)
      for turn = 1, 6 do
        local e = ma.exp(x / 80)
        local total = e:sum()                                  -- takes it in, until it is known that the quotient comes
        takes(turn < 3 and 1 or 0, function() e:eval() end, turn)
        ma.eval(e / total)
      end
      both("a softmax", function()
        local e = ma.exp(x / 80)
        return e / e:sum(), e
      end)
      for _ = 1, 5 do                                          -- what runs beside its user goes on doing so
        local m, v = ma.exp(x / 80) - x, ma.sqrt(x) + 2
        local r = m / v
        takes(1, function() ma.eval(r, m, v) end)
      end
      for _ = 1, 3 do                                          -- light ones are computed again, as ever
        local t = x * 2 + x
        ma.eval(t:sum())
        takes(1, function() t:eval() end)
      end
    end)

    it("compute again what is cheaper to compute than to read", function()
      local x = data(64)
      local row, column = x:reshape(1, 64), x:reshape(64, 1)
      takes(3, function()
        local dx = row - column                                -- of 2 * 64 elements: in both sums, and never in memory
        local inverse = (dx * dx + 0.5) ^ -1.5
        ma.eval((dx * inverse):sum(2), (dx * 2 * inverse):sum(2))
      end)
      both("pairs", function()
        local dx = row - column
        local r = dx * dx
        return dx * 2, r, dx + r, dx
      end)
    end)

    it("run beside what is stored what has computed most of it", function()
      local x = data(64)
      local t = ma.exp(x / 64) + 1
      local root = ma.sqrt(t)
      local half
      takes(1, function() half = t / 2 end)
      takes(0, function() ma.eval(t, root) end)
      helper.identical(ma.eval(ma.exp(x / 64)) + 1, half * 2)
    end)

    it("run by themselves where there is no room for others", function()
      local x = data(64)
      local t = ma.exp(x / 64) + 1
      local root = ma.sqrt(t)
      core.fail_allocation(2, 1)
      local half = t / 2
      core.fail_allocation(0)
      takes(0, function() t:eval() end)
      takes(1, function() root:eval() end)
      helper.identical(t, half * 2)
    end)
  end)
end
