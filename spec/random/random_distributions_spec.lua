-- Distributions against their distribution functions and moments, permutations and choices. MOONARRAY_SPEC_LONG=1 draws
-- 10^7 of each.

local ffi = require "ffi"
local helper = require "spec.helper"
local draws = require "spec.random.random_helper"
local are_few = require("spec.fusion.fusion_helper").are_few
local ma = helper.ma
local raises, values, distance = draws.raises, draws.values, draws.distance

local N = helper.long and 10000000 or 100000
local abs, exp, floor, log, pi, sqrt = math.abs, math.exp, math.floor, math.log, math.pi, math.sqrt

-- ==== Distribution functions, written out ====

local function log_gamma(x)
  if x < 7 then return log_gamma(x + 1) - log(x) end
  local z = 1 / (x * x)
  return (x - 0.5) * log(x) - x + 0.5 * log(2 * pi)
    + (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / x
end

local function gamma_cdf(a, x)           -- series, or Lentz's continued fraction
  if x <= 0 then return 0 end
  local front = exp(a * log(x) - x - log_gamma(a))
  if x < a + 1 then
    local term, sum, k = 1 / a, 1 / a, a
    repeat
      k = k + 1
      term = term * x / k
      sum = sum + term
    until term < sum * 1e-12
    return sum * front
  end
  local b, c = x + 1 - a, 1e300
  local d = 1 / b
  local h = d
  for i = 1, 500 do
    local an = -i * (i - a)
    b = b + 2
    d = 1 / (an * d + b)
    c = b + an / c
    h = h * d * c
    if abs(d * c - 1) < 1e-12 then break end
  end
  return 1 - front * h
end

local function beta_cdf(a, b, x)
  if x <= 0 then return 0 end
  if x >= 1 then return 1 end
  if x > (a + 1) / (a + b + 2) then return 1 - beta_cdf(b, a, 1 - x) end
  local front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(1 - x)) / a
  local c, d = 1, 1 / (1 - (a + b) * x / (a + 1))
  local h = d
  for m = 1, 500 do
    local t = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + t * d)
    c = 1 + t / c
    h = h * d * c
    t = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + t * d)
    c = 1 + t / c
    h = h * d * c
    if abs(d * c - 1) < 1e-12 then break end
  end
  return front * h
end

local function normal_cdf(x)
  return x < 0 and 0.5 - 0.5 * gamma_cdf(0.5, x * x / 2) or 0.5 + 0.5 * gamma_cdf(0.5, x * x / 2)
end

local function wald_cdf(mean, scale, x)
  local r = sqrt(scale / x)
  return normal_cdf(r * (x / mean - 1)) + exp(2 * scale / mean) * normal_cdf(-r * (x / mean + 1))
end

local function vonmises_cdf(kappa)       -- by sums over a grid from -pi
  local steps, table_, sum = 20000, { [0] = 0 }, 0
  for k = 1, steps do
    sum = sum + exp(kappa * (math.cos(-pi + 2 * pi * (k - 0.5) / steps) - 1))
    table_[k] = sum
  end
  return function(x)
    local at = (x + pi) / (2 * pi) * steps
    local k = math.min(steps - 1, floor(at))
    return (table_[k] + (at - k) * (table_[k + 1] - table_[k])) / sum
  end
end

local function student_cdf(df, x)
  local tail = 0.5 * beta_cdf(df / 2, 0.5, df / (df + x * x))
  return x > 0 and 1 - tail or tail
end

-- 1 - exp(-x) without losing small x
local function expm1(x) return abs(x) < 1e-5 and x + x * x / 2 or exp(x) - 1 end

local continuous = {
  { "random", {}, function(x) return x end },
  { "uniform", { -2, 3 }, function(x) return (x + 2) / 5 end },
  { "standard_normal", {}, normal_cdf },
  { "normal", { 5, 3 }, function(x) return normal_cdf((x - 5) / 3) end },
  { "standard_exponential", {}, function(x) return -expm1(-x) end },
  { "exponential", { 4 }, function(x) return -expm1(-x / 4) end },
  { "standard_gamma", { 0.2 }, function(x) return gamma_cdf(0.2, x) end },
  { "standard_gamma", { 1 }, function(x) return gamma_cdf(1, x) end },
  { "gamma", { 3.5, 2 }, function(x) return gamma_cdf(3.5, x / 2) end },
  { "gamma", { 200, 1 }, function(x) return gamma_cdf(200, x) end },
  { "beta", { 0.3, 0.2 }, function(x) return beta_cdf(0.3, 0.2, x) end },
  { "beta", { 2, 5 }, function(x) return beta_cdf(2, 5, x) end },
  { "chisquare", { 3 }, function(x) return gamma_cdf(1.5, x / 2) end },
  { "noncentral_chisquare", { 3, 0 }, function(x) return gamma_cdf(1.5, x / 2) end },
  { "f", { 5, 7 }, function(x) return beta_cdf(2.5, 3.5, 5 * x / (5 * x + 7)) end },
  { "standard_t", { 4 }, function(x) return student_cdf(4, x) end },
  { "standard_cauchy", {}, function(x) return 0.5 + math.atan(x) / pi end },
  { "laplace", { 1, 2 }, function(x) local t = (x - 1) / 2 return t < 0 and exp(t) / 2 or 1 - exp(-t) / 2 end },
  { "logistic", { 1, 2 }, function(x) return 1 / (1 + exp(-(x - 1) / 2)) end },
  { "lognormal", { 0.5, 0.7 }, function(x) return normal_cdf((log(x) - 0.5) / 0.7) end },
  { "gumbel", { 1, 2 }, function(x) return exp(-exp(-(x - 1) / 2)) end },
  { "weibull", { 1.7 }, function(x) return -expm1(-x ^ 1.7) end },
  { "pareto", { 3 }, function(x) return 1 - (1 + x) ^ -3 end },
  { "power", { 0.4 }, function(x) return x ^ 0.4 end },
  { "rayleigh", { 2 }, function(x) return -expm1(-x * x / 8) end },
  { "wald", { 1.5, 2 }, function(x) return wald_cdf(1.5, 2, x) end },
  { "triangular", { -1, 0, 3 }, function(x) return x < 0 and (x + 1) ^ 2 / 4 or 1 - (3 - x) ^ 2 / 12 end },
  { "vonmises", { 0, 2 }, vonmises_cdf(2) },
  { "vonmises", { 0, 0 }, function(x) return (x + pi) / (2 * pi) end },
}

describe("distributions", function()
  for _, case in ipairs(continuous) do
    local name, params, cdf = unpack(case)
    it(name .. "(" .. table.concat(params, ", ") .. ")", function()
      local rng = ma.random.default_rng(20260101)
      local x = rng[name](rng, unpack(params, 1, #params))
      assert.equal("number", type(x))
      local options = { size = N }
      local given = { unpack(params) }
      given[#given + 1] = options
      x = rng[name](rng, unpack(given))
      assert.equal("float64", x.dtype)
      local d = distance(x, cdf)
      assert(d < 2.2, ("distance %g"):format(d))
      options.dtype = "float32"
      x = rng[name](rng, unpack(given))
      assert.equal("float32", x.dtype)
      d = name == "beta" and 0 or distance(x, cdf)           -- many of beta(0.3, 0.2) round to 1
      assert(d < 2.2, ("distance %g of float32"):format(d))
    end)
  end

  for _, dtype in ipairs { "float32", "float64" } do
    it("of " .. dtype .. ": uniform ones, and normal ones in independent pairs", function()
      local rng = ma.random.default_rng(20260103)
      local function check(what, x, cdf)
        local d = distance(x, cdf)
        assert(d < 2.2, ("%s: distance %g"):format(what, d))
      end
      check("uniform", rng:random(N, dtype), function(v) return v end)
      local z = rng:standard_normal({ N / 2, 2 }, dtype)
      check("normal", z:reshape(-1), normal_cdf)
      z = z:astype("float64")
      local x, y = z[":, 1"], z[":, 2"]
      check("squares", x * x + y * y, function(v) return 1 - exp(-v / 2) end)
      check("angles", ma.arctan2(y, x), function(v) return v / (2 * pi) + 0.5 end)
      for _, sum in ipairs { x * y, x * x * y, x * x * x * y, x ^ 3 - 3 * x, x } do
        assert(abs(sum:mean():item()) < 5 * sum:std():item() / sqrt(N / 2))
      end
      assert(abs((x ^ 4):mean():item() - 3) < 5 * sqrt(96 / (N / 2)))
    end)
  end

  -- {name, parameters, first value, probabilities from the first value on}
  local function choose(n, k) return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) end
  local function binomial(n, p) return
    function(k) return k <= n and exp(choose(n, k) + k * log(p) + (n - k) * log(1 - p)) or 0 end end
  local function poisson(lam) return function(k) return exp(k * log(lam) - lam - log_gamma(k + 1)) end end
  local function hyper(good, bad, sample)
    return function(k)
      if k > good or k > sample or sample - k > bad then return 0 end
      return exp(choose(good, k) + choose(bad, sample - k) - choose(good + bad, sample))
    end
  end
  local zeta = 0
  for k = 1, 100000 do zeta = zeta + k ^ -2.5 end
  zeta = zeta + 100000 ^ -1.5 / 1.5
  local discrete = {
    { "poisson", { 0.7 }, 0, poisson(0.7) }, { "poisson", { 9 }, 0, poisson(9) }, { "poisson", { 10 }, 0, poisson(10) },
    { "poisson", { 150 }, 0, poisson(150) },
    { "binomial", { 10, 0.3 }, 0, binomial(10, 0.3) }, { "binomial", { 100, 0.02 }, 0, binomial(100, 0.02) },
    { "binomial", { 100, 0.5 }, 0, binomial(100, 0.5) }, { "binomial", { 300, 0.9 }, 0, binomial(300, 0.9) },
    { "negative_binomial", { 4, 0.3 }, 0, function(k) return exp(choose(k + 3, k) + 4 * log(0.3) + k * log(0.7)) end },
    { "geometric", { 0.2 }, 1, function(k) return 0.2 * 0.8 ^ (k - 1) end },
    { "hypergeometric", { 15, 20, 7 }, 0, hyper(15, 20, 7) },
    { "hypergeometric", { 200, 100, 120 }, 0, hyper(200, 100, 120) },
    { "hypergeometric", { 60, 200, 230 }, 0, hyper(60, 200, 230) },
    { "logseries", { 0.8 }, 1, function(k) return -0.8 ^ k / (k * log(0.2)) end },
    { "zipf", { 2.5 }, 1, function(k) return k ^ -2.5 / zeta end },
  }
  for _, case in ipairs(discrete) do
    local name, params, first, pmf = unpack(case)
    it(name .. "(" .. table.concat(params, ", ") .. ")", function()
      local rng, given = ma.random.default_rng(20260102), { unpack(params) }
      given[#given + 1] = { size = N }
      local x = rng[name](rng, unpack(given))
      assert.equal("int64", x.dtype)
      local host, p = values(x)
      local counts, far = {}, 0
      for i = 0, host.size - 1 do
        local k = tonumber(p[i])
        assert(k >= first)
        if k < 2000 then counts[k] = (counts[k] or 0) + 1 else far = far + 1 end
      end
      local chi, df, seen, mass = 0, -1, 0, 0
      for k = first, 1999 do             -- cells where few are expected go together
        local expected = N * pmf(k)
        if expected >= 10 then
          chi, df = chi + ((counts[k] or 0) - expected) ^ 2 / expected, df + 1
          seen, mass = seen + (counts[k] or 0), mass + expected
        end
      end
      local rest = N - mass
      if rest >= 10 then chi, df = chi + (N - seen - rest) ^ 2 / rest, df + 1 end
      assert(1 - gamma_cdf(df / 2, chi / 2) > 1e-4, ("chi squared %g of %d, %d far away"):format(chi, df, far))
    end)
  end

  it("have their moments", function()
    local rng = ma.random.default_rng(99)
    local function check(x, mean, variance, what)
      local m, v = x:mean():item(), x:var():item()
      assert(abs(m - mean) < 5 * sqrt(variance / x.size), ("%s: mean %g, not %g"):format(what, m, mean))
      assert(abs(v / variance - 1) < 0.15, ("%s: variance %g, not %g"):format(what, v, variance))
    end
    check(rng:noncentral_chisquare(3, 2, N), 5, 2 * (3 + 4), "noncentral_chisquare")
    check(rng:noncentral_chisquare(0.5, 2, N), 2.5, 2 * (0.5 + 4), "noncentral_chisquare")
    local a, b, nonc = 4, 30, 3
    check(rng:noncentral_f(a, b, nonc, N), b * (a + nonc) / (a * (b - 2)),
      2 * ((a + nonc) ^ 2 + (a + 2 * nonc) * (b - 2)) / ((b - 2) ^ 2 * (b - 4)) * (b / a) ^ 2, "noncentral_f")
    check(rng:vonmises(1, 1e7, N), 1, 1e-7, "vonmises")
    check(rng:poisson(1e6, N), 1e6, 1e6, "poisson")
    check(rng:binomial(1e6, 0.25, N), 250000, 187500, "binomial")
    local d = rng:dirichlet({ 1, 2, 5 }, N)
    assert(ma.allclose(d:sum(2), 1))
    check(d[":, 3"], 5 / 8, 5 * 3 / (64 * 9), "dirichlet")
    local m = rng:multinomial(20, { 0.2, 0.3, 0.5 }, N)
    assert(m:sum(2):eq(20):all())
    check(m[":, 1"], 4, 20 * 0.16, "multinomial")
    check(m[":, 3"], 10, 20 * 0.25, "multinomial")
  end)
end)

describe("permutations and choices", function()
  local function is_permutation(x, n)
    local host, p = values(x)
    local seen = ffi.new("uint8_t[?]", n + 1)
    assert.equal(n, host.size)
    for i = 0, n - 1 do
      local k = tonumber(p[i])
      assert(k >= 1 and k <= n and seen[k] == 0, k)
      seen[k] = 1
    end
  end

  it("take every position once", function()
    local rng, random = ma.random.default_rng(1), helper.random(2)
    for _, n in ipairs { 0, 1, 2, 3, 10, 4095, 4096, 4097, 5000, 8191, 8192, 8193, 65537, 100003,
      random(4097, 200000) } do
      is_permutation(rng:permutation(n), n)
    end
    assert.equal(50, ma.size(rng:choice(100, 50, false)))
  end)

  it("are in every order equally often", function()
    local rng, counts, trials = ma.random.default_rng(2), {}, 6000
    for _ = 1, trials do
      local key = table.concat(rng:permutation(4, { device = "cpu" }):totable())
      counts[key] = (counts[key] or 0) + 1
    end
    local chi, kinds = 0, 0
    for _, count in pairs(counts) do chi, kinds = chi + (count - trials / 24) ^ 2 / (trials / 24), kinds + 1 end
    assert.equal(24, kinds)
    assert(chi < 23 + 5 * sqrt(46), chi)
  end)

  it("of many positions have no memory of the order", function()
    local rng, n = ma.random.default_rng(3), 100003
    for _ = 1, 3 do
      local x = rng:permutation(n):astype("float64")
      local y = ma.arange(1, n + 1, { dtype = "float64", device = x.device })
      local centre = (n + 1) / 2
      local r = ((x - centre) * (y - centre)):mean():item() / ((n * n - 1) / 12)
      assert(abs(r) < 5 / sqrt(n), r)
      local a, b = x["1:100002"] - centre, x["2:100003"] - centre
      assert(abs((a * b):mean():item() / ((n * n - 1) / 12)) < 5 / sqrt(n))
      local fixed = x:eq(y):sum():item()
      assert(fixed < 12, fixed)
    end
    local first, trials = 0, 400         -- where position 1 comes from, over the keys
    for _ = 1, trials do first = first + rng:choice(n, 1, false):item() end
    assert(abs(first / trials / n - 0.5) < 5 * sqrt(1 / 12 / trials))
  end)

  it("shuffle arrays along an axis", function()
    local rng = ma.random.default_rng(4)
    local a = ma.arange(60):reshape(12, 5)
    local b = rng:permutation(a)
    assert(not ma.array_equal(a, b))
    local rows = {}
    for i = 1, 12 do
      local first = b(i, 1)
      assert(first % 5 == 0 and not rows[first])
      rows[first] = true
      assert.equal(first + 4, b(i, 5))
    end
    local c = a:copy()
    assert.equal(c, rng:shuffle(c, 2))
    assert(ma.array_equal(c:sum(2), a:sum(2)) and not ma.array_equal(c, a))
    assert(ma.array_equal(c[":, 1"] - c(1, 1), a[":, 1"]))
    local d = rng:permuted(a, 2)
    assert(ma.array_equal(d:sum(2), a:sum(2)))
    assert(not ma.array_equal(d[":, 1"] - d(1, 1), a[":, 1"]))
    assert(ma.array_equal(rng:permuted(a, 1):sum(1), a:sum(1)))
    assert.equal(a:sum():item(), rng:permuted(a):sum():item())
    local out = ma.zeros({ 12, 5 }, "int64")
    assert.equal(out, rng:permuted(a, 2, { out = out }))
    assert.equal(a:sum():item(), out:sum():item())
  end)

  it("give the same orders on every device, however many are made at once", function()
    local many = ma.random.default_rng(5):permutation(5000)
    assert.same({ 4778, 4413, 3088, 1476, 4881, 4421 }, many["1:6"]:totable())
    assert.same({ 40250, 72030, 68542, 78610, 86710, 41131, 60758, 1459, 24240, 55868, 1911 },
      ma.random.default_rng(5):permutation(100000)["99990:100000"]:totable())
    for _, n in ipairs { 4097, 8191, 8192, 8193, 65535, 65537 } do
      assert(ma.array_equal(ma.range(1, n), ma.sort(ma.random.default_rng(n):permutation(n))), n)
    end
  end)

  it("permute each row by itself, all in as many launches as one", function()
    local core = require "moonarray.core"
    local rng = ma.random.default_rng(6)
    local function launched(rows)
      local a = ma.broadcast_to(ma.arange(8), { rows, 8 }):copy()
      rng:permuted(a, 2):totable()
      local before = core.work()
      local b = rng:permuted(a, 2)
      local count = core.work() - before
      assert(ma.array_equal(a, ma.sort(b, 2)))
      return count, b
    end
    local few = launched(3)
    local many, b = launched(4000)
    assert(are_few(many, few) and are_few(few, many), many .. " launches, and " .. few)
    for k = 1, 8 do                                          -- every value is everywhere as often
      local times = b:eq(k - 1):sum(1)
      assert(ma.abs(times - 500):max():item() < 5 * sqrt(4000 / 8 * 7 / 8), k)
    end
    assert.same({ 0, 8 }, rng:permuted(ma.zeros { 0, 8 }, 2).shape)
    assert.same({ 3, 0 }, rng:permuted(ma.zeros { 3, 0 }, 2).shape)
  end)

  it("choose with and without replacement, by weights", function()
    local rng = ma.random.default_rng(5)
    local x = rng:choice(4, N, true, { 0.1, 0.2, 0.3, 0.4 })
    for k = 1, 4 do assert(abs(x:eq(k):sum():item() / N - k / 10) < 5 * sqrt(0.25 / N)) end
    local y = rng:choice(ma.array { 10, 20, 30 }, { 100, 2 })
    assert.same({ 100, 2 }, y.shape)
    assert((y:eq(10) + y:eq(20) + y:eq(30)):all())
    local first = { 0, 0, 0 }
    for _ = 1, 2000 do
      local z = rng:choice(3, 2, false, { 0.5, 0.3, 0.2 }):totable()
      assert(z[1] ~= z[2])
      first[z[1]] = first[z[1]] + 1
    end
    for k, p in ipairs { 0.5, 0.3, 0.2 } do assert(abs(first[k] / 2000 - p) < 5 * sqrt(0.25 / 2000)) end
    raises("4 of 3 without replacement", rng.choice, rng, 3, 4, false)
    raises("have a weight", rng.choice, rng, 3, 2, false, { 1, 0, 0 })
    raises("adds up to", rng.choice, rng, 3, 2, true, { 1, 1, 0 })
    raises("2 weights for 3", rng.choice, rng, 3, 2, true, { 0.5, 0.5 })
    raises("nothing to choose from", rng.choice, rng, 0, 2)
    assert.equal(17, #rng:bytes(17))
  end)
end)

describe("a draw by a method with numbers and a size", function()
  local calls = {
    standard_exponential = {}, exponential = { 2 }, standard_gamma = { 0.7 }, gamma = { 3, 2 }, beta = { 2, 3 },
    chisquare = { 3 }, noncentral_chisquare = { 3, 1 }, f = { 3, 4 }, noncentral_f = { 3, 4, 1 }, standard_t = { 4 },
    standard_cauchy = {}, laplace = { 1, 2 }, logistic = { 1, 2 }, lognormal = { 0, 1 }, gumbel = { 0, 2 },
    weibull = { 2 }, pareto = { 2 }, power = { 2 }, rayleigh = { 2 }, wald = { 1, 2 }, triangular = { 0, 1, 2 },
    vonmises = { 0, 2 }, zipf = { 2.5 }, poisson = { 3 }, binomial = { 10, 0.3 }, negative_binomial = { 5, 0.5 },
    geometric = { 0.3 }, hypergeometric = { 20, 30, 10 }, logseries = { 0.5 }, uniform = { 2, 3 }, normal = { 2, 3 },
    random = {}, standard_normal = {}, integers = { 3, 200 },
  }

  it("is the draw into an array, and the next one goes on behind it", function()
    for name, params in pairs(calls) do
      for _, n in ipairs { 1, 3, 10, 63, 64, 65, 300 } do
        local one, other = ma.random.default_rng(5), ma.random.default_rng(5)
        local function call(rng, ...)
          local given = { unpack(params) }
          for k = 1, select("#", ...) do given[#params + k] = (select(k, ...)) end
          return rng[name](rng, unpack(given))
        end
        local function into(dtype) return call(other, { n }, { out = ma.empty(n, dtype) }) end
        local x = call(one, n)
        helper.identical(into(x.dtype), x, name .. n)
        helper.identical(into(x.dtype), call(one, { n }), name .. n .. " of a shape")
        local dtype = name == "integers" and "uint8" or x.dtype == "float64" and "float32"
        if dtype then
          helper.identical(into(dtype), call(one, n, { dtype = dtype }), name .. n .. " of " .. dtype)
          helper.identical(into(dtype), call(one, n, dtype), name .. n .. " of " .. dtype .. " too")
        end
        assert.equal(other:get_state().draw, one:get_state().draw, name)
      end
    end
  end)

  it("takes the same parameters and raises the same errors", function()
    local rng = ma.random.default_rng(5)
    local one, other = ma.random.default_rng(6), ma.random.default_rng(6)
    helper.identical(one:exponential(1, 4), other:exponential(nil, 4), "default")
    raises("scale is -1; wanted 0 or more", rng.exponential, rng, -1, 3)
    raises("left, mode and right", rng.triangular, rng, 2, 1, 3, 4)
    raises("scale is -1", rng.normal, rng, 0, -1, 3)
    raises("low is 3 and high 2", rng.uniform, rng, 3, 2, 3)
    raises("low is 3 and high 3", rng.integers, rng, 3, 3, 3)
    raises("an extent", rng.exponential, rng, 1, -1)
    raises("no option 'dtipe'", rng.exponential, rng, 1, 3, { dtipe = "float32" })
    raises("dtype int32; wanted a float dtype", rng.exponential, rng, 1, 3, { dtype = "int32" })
    raises("dtype float32; wanted an integer dtype", rng.integers, rng, 0, 3, 3, { dtype = "float32" })
  end)
end)
