--- Distributions that float32, float16 and bfloat16 compute in float, or try in float first: the numbers of float64 but
--- for rounding, also in their tails, and the same bits on both devices. Beside them draws whose kernels on a GPU have
--- ways of their own.

local helper = require "spec.helper"
local ma = helper.ma
local abs = math.abs

--- name, parameters; `part`: the greatest difference, as a part of 1 + |x|, or with `relative` of x.
local SINGLES = {
  { "standard_exponential", {}, relative = true },
  { "exponential", { 4 }, relative = true },
  { "laplace", { 1, 2 } },
  { "logistic", { 1, 2 } },
  { "lognormal", { 0.5, 0.7 }, relative = true },
  { "gumbel", { 1, 2 } },
  { "weibull", { 1.7 }, relative = true },
  { "weibull", { 0.3 }, relative = true, part = 1e-5 },
  { "pareto", { 3 }, relative = true, part = 2e-6 },
  { "power", { 0.4 }, relative = true, part = 5e-6 },
  { "rayleigh", { 2 }, relative = true },
  { "triangular", { -1, 0, 3 } },
  { "triangular", { 0, 0, 3 } },
  { "standard_cauchy", {}, relative = true },
}

--- The same of gamma numbers, of which nine of ten are taken as they are tried.
local TRIED = {
  { "standard_gamma", { 2.5 } }, { "standard_gamma", { 1.01 } }, { "gamma", { 3.5, 2 } }, { "gamma", { 200, 1 } },
  { "chisquare", { 3 } }, { "beta", { 2, 5 } }, { "noncentral_chisquare", { 5, 3 } }, { "f", { 5, 7 }, part = 2e-6 },
  { "standard_t", { 4 } },
}

local function draw(seed, case, size, dtype, device)
  local rng, given = ma.random.default_rng(seed), { unpack(case[2]) }
  given[#given + 1] = { size = size, dtype = dtype, device = device }
  return rng[case[1]](rng, unpack(given))
end

local function title(case) return case[1] .. "(" .. table.concat(case[2], ", ") .. ")" end

local ALL = {}
for _, cases in ipairs { SINGLES, TRIED } do
  for _, case in ipairs(cases) do
    case.tried = cases == TRIED
    ALL[#ALL + 1] = case
  end
end

describe("numbers of float32", function()
  for _, case in ipairs(ALL) do
    it("are those of float64, " .. title(case), function()
      local n, part = 100000, case.part or 1e-6
      local wide, narrow = draw(20260401, case, n, "float64"), draw(20260401, case, n, "float32")
      assert.equal("float32", narrow.dtype)
      local far = ma.abs(narrow - wide) / (case.relative and ma.abs(wide) or 1 + ma.abs(wide))
      assert(far:max():item() < part, ("%g apart"):format(far:max():item()))
      for _, dtype in ipairs { "float16", "bfloat16" } do
        local short = draw(20260401, case, n, dtype)
        if not case.tried then helper.identical(short, narrow:astype(dtype), dtype)
        else                             -- what fails is rounded once from float64
          local apart = ma.abs(short:astype("float32") - narrow) / (ma.abs(narrow) + 2 ^ -14)
          assert(apart:max():item() <= (dtype == "float16" and 2 ^ -11 or 2 ^ -8) * 1.01, dtype)
        end
      end
    end)
  end

  it("have tails beyond the 16.6 that 24 bits would end at", function()
    local wide, narrow = draw(159, SINGLES[1], 100000, "float64"), draw(159, SINGLES[1], 100000, "float32")
    assert(wide:max():item() > 17 and abs(narrow:max():item() - wide:max():item()) < 2e-6)
    assert.equal(ma.argmax(wide):item(), ma.argmax(narrow):item())
    assert(narrow:min():item() > 0 and narrow:min():item() < 1e-4)
    local other = draw(159, { "gumbel", { 0, 1 } }, 100000, "float32")
    assert(other:max():item() > 9 and other:min():item() < -2)
  end)

  it("take arrays as parameters, of which each counts as a number would", function()
    local scales = ma.array { 0, 1, 2.5, -1, 0 / 0, 1e-3, 3 }
    local x = ma.random.default_rng(9):exponential(scales, { dtype = "float32" })
    local one = ma.random.default_rng(9):standard_exponential(7, "float32")
    helper.identical(x, ma.array({ 0, 1, 2.5, 0 / 0, 0 / 0, 1e-3, 3 }, "float32") * one, "exponential")
    x = ma.random.default_rng(9):triangular({ 0, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 }, { dtype = "float32" })
    assert.same({ false, false, true }, ma.isnan(x):totable())
    local n = 1000                       -- not a whole number of groups
    local shapes = ma.random.default_rng(1):uniform(0.5, 3, n)
    local many = ma.random.default_rng(2):weibull(shapes, { dtype = "float32" })
    for _, k in ipairs { 1, 64, 65, 999, 1000 } do
      assert.equal(ma.random.default_rng(2):weibull(shapes(k), { size = n, dtype = "float32" })(k), many(k))
    end
  end)

  it("of gamma are tried by the shape of each, also among others", function()
    local n = 1000
    local shapes = ma.random.default_rng(1):uniform(0.5, 2, n)
    shapes["1:100"] = 0.5                -- a group without any to try
    shapes[500] = 1
    for name, factor in pairs { standard_gamma = 1, chisquare = 2 } do
      local function drawn(shape, dtype)
        return ma.random.default_rng(2)[name](ma.random.default_rng(2), shape * factor, n, dtype)
      end
      local many, wide = drawn(shapes, "float32"), drawn(shapes, "float64")
      for _, k in ipairs { 1, 64, 101, 128, 499, 500, 501, 777, 1000 } do
        assert.equal(drawn(shapes(k), "float32")(k), many(k))
      end
      local rounded = (wide:astype("float32"):eq(many)):astype("float64")
      local few, all = shapes:le(1):astype("float64"), rounded:sum():item()
      assert.equal(few:sum():item(), (rounded * few):sum():item())       -- these are of float64
      assert(all - few:sum():item() < 0.8 * (n - few:sum():item()), "not tried in float")
    end
  end)

  it("are the same bits on every device", function()
    local found = {}
    for _, case in ipairs(ALL) do found[#found + 1] = helper.checksum(draw(77, case, 5003, "float32")) end
    assert.same({
      869810656, 2784311531, 2027988437, 236397849, 1147148964, 3355336125, 2043896920, 2878482487,
      2081400138, 726556470, 1442544896, 1694812281, 2877075931, 3176212875, 2215626011, 1648041941,
      3677786111, 3476694559, 2686667373, 2806471357, 2204391328, 2411919705, 4004150721,
    }, found)
  end)
end)

describe("draws on both devices", function()
  local function same(what, fn)
    helper.identical(fn(nil):get(), fn "cpu", what)
  end

  it("are the same bits, of rows of blocks and what is left of them", function()
    for _, n in ipairs { 65536 * 8 + 131, 65537, 33, 1 } do
      local long = n > 65537
      for _, case in ipairs(ALL) do
        if not long or case[1] == "gumbel" or case[1] == "gamma" then
          same(title(case) .. n, function(device) return draw(n, case, n, "float32", device) end)
        end
      end
      for dtype, spans in pairs { int64 = { 100, 128, 3 * 2 ^ 30 }, int32 = long and {} or { 100 }, uint8 = { 100 } } do
        for _, span in ipairs(spans) do
          same(dtype .. n, function(device)
            return ma.random.default_rng(n):integers(3, 3 + span, n, dtype, { device = device })
          end)
        end
      end
      if not long then
        same("exponential" .. n, function(device)
          return ma.random.default_rng(n):exponential(2, n, "float64", { device = device })
        end)
      end
    end
  end)

  it("are the same bits, of Poisson numbers of many rates", function()
    local function rates(n, high) return ma.random.default_rng(n):uniform(-0.01 * (high or 20), high or 20, n) end
    for _, n in ipairs { 20003, 1000, 31, 1 } do
      for _, high in ipairs { 20, 400, 1e5 } do          -- means of which some or none are decided in float
        same("rates" .. n, function(device)
          local lam = rates(n, high)
          lam = device and lam:to(device) or lam
          return ma.random.default_rng(3):poisson(lam, { size = n, dtype = "int64" })
        end)
      end
      for _, lam in ipairs { 0, 0.5, 9.9, 10, 1e6 } do
        same("rate" .. n, function(device)
          return ma.random.default_rng(3):poisson(lam, n, "int32", { device = device })
        end)
      end
    end
    assert.same({ 262131582, 3041758816, 3038932353 }, { helper.checksum(ma.random.default_rng(3):poisson(rates(5003))),
      helper.checksum(ma.random.default_rng(3):poisson(rates(5003) * 1e4)),
      helper.checksum(ma.random.default_rng(3):poisson(3.5, 5003)) })
  end)
end)
