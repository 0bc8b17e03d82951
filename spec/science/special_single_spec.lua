-- ma.special in float32, where a function has a form in float: against its form in double, which mpmath's values hold
-- (special_spec.lua), over all magnitudes of a float and close to zeros, poles and the borders of its ranges.

local helper = require "spec.helper"
local ma = helper.ma
local special = ma.special

local LIMIT = 4 * 2 ^ -23
local LEAST = 2 ^ -149

--- The numbers of every 49999th bit pattern, both signs, and those close to given places.
local function places(near)
  local bits = ma.arange(0, 0x7f800000, 49999, "int64")
  local parts = { bits, bits + 2 ^ 31 }
  for _, place in ipairs(near) do
    local at = ma.array({ place }, "float32"):view("uint32"):astype("int64")
    parts[#parts + 1] = at + ma.concatenate { ma.arange(-40, 41), ma.arange(-40, 41) * 12007 }
  end
  return ma.concatenate(parts):astype("uint32"):view("float32")
end

local sqrt = math.sqrt
local ROOT = 2 / sqrt(math.pi)

-- Each: |x f'(x)| in double of x and f(x), and where to look closer. `low` and `high` bound the arguments. Where
-- `second` says that there are two operands, the larger of both derivatives, of the second operand too.
local forms = {
  erf = { function(x) return x * ma.exp(-x * x) * ROOT end, near = { 1, -1, 4 } },
  erfc = { function(x) return x * ma.exp(-x * x) * ROOT end, near = { 1, -1, 9.2, -4 } },
  ndtr = { function(x) return x * ma.exp(-x * x / 2) / sqrt(2 * math.pi) end, near = { 1.41421, -13, 5 } },
  ndtri = { function(x, f) return x * ma.exp(f * f / 2) * sqrt(2 * math.pi) end, low = 0, high = 1,
    near = { 0.5, 0.99, 0.0016, 0.9983, 0.25, 3e-8, 1e-38 } },
  erfinv = { function(y, f) return y * ma.exp(f * f) / ROOT end, low = -1, high = 1, near = { 0.5, 0.9966, 0.99999 } },
  erfcinv = { function(y, f) return y * ma.exp(f * f) / ROOT end, low = 0, high = 2,
    near = { 1, 0.0034, 3e-8, 1.99, 1e-38 } },
  expit = { function(x, f) return x * f * (1 - f) end, near = { 0.5, -80, -87, -103, 17 } },
  gammaln = { function(x) return x * special.digamma(x) end, near = { 0.5, 1, 2, 3, 1e36, 4.08e36, -0.5, -1, -2, -3,
    -2.4570247, -2.7476826, -2.6107209, -3.143581, -3.635293, -4.039361, -1e-38, -100.5 } },
  digamma = { function(x) return x * special.polygamma(1, x) end, near = { 1.4616321, 4, 1, -0.504083, -1.5734985,
    -1e-38, 1e-38, -20.5 } },
  i0e = { function(x, f) return x * special.i1e(x) - ma.abs(x) * f end, near = { 8, -8 } },
  i1 = { function(x, f) return x * ma.i0(x) - f end, near = { 8, 88, 91.9, -91 }, low = -100, high = 100 },
  i1e = { function(x, f) return x * special.i0e(x) - f - ma.abs(x) * f end, near = { 8, -8 } },
  i0 = { function(x) return x * special.i1(x) end, near = { 8, 88, 91.9, -91 }, low = -100, high = 100 },
  k0 = { function(x) return x * special.k1(x) end, near = { 1, 2, 85 }, low = 0 },
  k0e = { function(x, f) return x * (f - special.k1e(x)) end, near = { 1, 2 }, low = 0 },
  k1 = { function(x, f) return x * special.k0(x) + f end, near = { 1, 2, 85 }, low = 0 },
  k1e = { function(x, f) return x * (f - special.k0e(x)) - f end, near = { 1, 2 }, low = 0 },
  j0 = { function(x) return x * special.j1(x) end, near = { 2.4048256, 5.5200781, 3.8317060, 4, -4, 100, 1e5 } },
  j1 = { function(x, f) return x * special.j0(x) - f end, near = { 3.8317060, 7.0155867, 1.8411838, 4, -4, 100 } },
  y0 = { function(x) return x * special.y1(x) end, near = { 0.8935770, 3.9576784, 2.1971413, 4, 100 }, low = 0 },
  y1 = { function(x, f) return x * special.y0(x) - f end, near = { 2.1971413, 3.6830229, 4, 1.9e-39, 100 }, low = 0 },
  erfcx = { function(x, f) return x * (2 * x * f - ROOT) end, near = { 1, -1, -9.3 } },
  log_ndtr = { function(x, f) return x * ma.exp(-x * x / 2 - f) / sqrt(2 * math.pi) end, near = { 1, -1, 12.9, -5 } },
  loggamma = { function(x) return x * special.digamma(x) end, near = { 0.5, 1, 2, 3, 1e36, 4.08e36 }, low = 0 },
  gamma = { function(x, f) return x * special.digamma(x) * f end, near = { 1, 2, 1.4616321, 15, 35.0401, -0.504083,
    -1.5734985, -2.6107209, -3.6352934, 1e-38, -3, -33.5 } },
  exp10 = { function(x, f) return x * f * math.log(10) end, near = { 1, -1, 38.53, -44.8 } },
  exp1 = { function(x) return ma.exp(-x) end, near = { 1, 85, 2 }, low = 0 },
  expi = { function(x) return ma.exp(x) end, near = { 0.37250741, 8, 93, -1, -85, 2 } },
  ellipk = { function(m, f) return (special.ellipe(m) / (1 - m) - f) / 2 end, near = { 0.5, 0.999999, -1 }, high = 1 },
  ellipkm1 = { function(p, f) return (special.ellipe(1 - p) - p * f) / (2 - 2 * p) end, near = { 1, 0.5, 2 }, low = 0 },
  ellipe = { function(m, f) return (f - special.ellipk(m)) / 2 end, near = { 0.5, 0.999999, -1 }, high = 1 },
  log_expit = { function(x) return x * special.expit(-x) end, near = { 1, -1, 17, 88, 103 } },
  logit = { function(p) return 1 / (1 - p) end, near = { 0.5, 0.25, 0.75, 0.999999 }, low = 0, high = 1 },
  exprel = { function(x, f) return ma.exp(x) - f end, near = { 1, -1, 88, 93.2, 1e-7 } },
  entr = { function(x, f) return f - x end, near = { 1, 0.36787945 } },
  xlogy = { function(x, f, y) return ma.maximum(ma.abs(f), ma.abs(x)) + 0 * y end, near = { 1 }, second = true },
  xlog1py = { function(x, f, y) return ma.maximum(ma.abs(f), ma.abs(x * y / (1 + y))) end, near = { 1 },
    second = true },
  rel_entr = { function(x, f, y) return ma.maximum(ma.abs(f + x), ma.abs(x)) + 0 * y end, near = { 1, 2 }, low = 0,
    second = true },
  huber = { function(delta, f, r) return ma.where(ma.abs(r):le(delta), 2 * f, delta * ma.abs(r)) end, near = { 1, 2 },
    second = true },
}

local function check(name)
  local form, call = forms[name], name == "i0" and ma.i0 or special[name]
  local x = places(form.near)
  if form.low then x = x[x:gt(form.low)] end
  if form.high then x = x[x:lt(form.high)] end
  local wide = x:astype("float64")
  local y = form.second and ma.roll(x, 4321)                 -- of another magnitude
  local wide_y = y and y:astype("float64")
  local want, got = call(wide, wide_y), call(x, y)
  assert(got.dtype == "float32", got.dtype)
  got = got:astype("float64")
  local scale = ma.maximum(ma.abs(want), ma.nan_to_num(ma.abs(form[1](wide, want, wide_y)), { nan = 0 }))
  local allowed = LIMIT * scale + 4 * LEAST
  local edge = ma.abs(want):gt(3.4028234e38)                -- infinite in float, or the greatest float
  local good = ma.abs(got - want):le(allowed) + got:eq(want) + ma.isnan(got) * ma.isnan(want)
    + edge * ma.abs(got):ge(3.4028230e38) * ma.sign(got):eq(ma.sign(want))
  local wrong = ma.flatnonzero(good:not_())
  if wrong.size > 0 then
    local k = wrong:totable()[1]
    error(("%d of %d wrong: %s(%.9g) = %.9g; wanted %.9g, off by %.2f eps"):format(wrong.size, x.size, name, x(k),
      got(k), want(k), math.abs(got(k) - want(k)) / scale(k) * 2 ^ 23))
  end
  local finite = ma.isfinite(got) * ma.abs(want):gt(1e-37)
  local worst = ma.where(finite, ma.abs(got - want) / scale, 0):max():item() * 2 ^ 23
  assert(worst > 0 and worst <= 4, worst)                    -- something was rounded
  if os.getenv("SPECIAL_SHOW") then print(name, ("%.2f eps"):format(worst)) end
end

it("keeps factorials and powers of ten exact in float32", function()
  assert.are.equal(6227020800, special.gamma(ma.array({ 14 }, "float32")):item())
  assert.are.equal(24, special.gamma(ma.array({ 5 }, "float32")):item())
  assert.are.equal(1e10, special.exp10(ma.array({ 10 }, "float32")):item())
end)

describe("in float32, to 4 eps:", function()
  local names = {}
  for name in pairs(forms) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    it(name, function() check(name) end)
  end
end)
