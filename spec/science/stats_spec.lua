-- ma.stats: SciPy's values over dtypes, axes, NaN and methods; densities; errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local S = ma.stats
local tolerances = { float32 = 1e-5, float64 = 2e-12 }

-- A machine without LAPACK has no factors of a covariance.
local has_factors, why = pcall(function() return ma.linalg.cholesky(ma.eye(2)) end)

describe("ma.stats:", function()
  it("scores and means", function() run("scores", "stats", tolerances) end)
  it("entropies", function() run("entropy", "stats", tolerances) end)
  it("ranks", function() run("ranks", "stats", tolerances) end)
  it("correlations and their probabilities", function() run("correlation", "stats", { float64 = 1e-11 }) end)

  it("densities", function()
    if not has_factors then return pending(tostring(why)) end
    run("kde", "stats", { float64 = 1e-11 })
  end)

  it("a density over many pairs is the same in blocks", function()
    if not has_factors then return pending(tostring(why)) end
    local rng = ma.random.default_rng(5)
    local k = S.gaussian_kde(rng:standard_normal({ 2, 5000 }))
    local points = rng:standard_normal({ 2, 4000 })
    local all = k(points)
    ma.testing.assert_allclose(all[{ { 3990, 4000 } }], k(points[{ {}, { 3990, 4000 } }]), { rtol = 1e-12 })
    ma.testing.assert_allclose(ma.exp(k:logpdf(points)), all, { rtol = 1e-9 })
  end)

  it("a density's points are drawn from it", function()
    if not has_factors then return pending(tostring(why)) end
    local k = S.gaussian_kde(ma.array({ { 0, 1, 2, 3 }, { 0, 2, 1, 4 } }), 0.1)
    local drawn = k:resample(20000, 7)
    assert.same({ 2, 20000 }, { drawn.shape[1], drawn.shape[2] })
    ma.testing.assert_allclose(drawn:mean(2), { 1.5, 1.75 }, { atol = 0.05 })
    ma.testing.assert_array_equal(drawn, k:resample(20000, 7))
    assert.equal("gaussian_kde of 4 points in 2 dimensions", tostring(k))
  end)

  it("ranks of long rows, as the order of their elements", function()
    local x = ma.random.default_rng(2):integers(0, 1000, { 3, 5000 })
    local rank = S.rankdata(x, "min", { axis = 2 })
    local sorted = ma.sort(x, 2)
    for row = 1, 3 do
      ma.testing.assert_array_equal(rank[{ row, {} }], ma.searchsorted(sorted[{ row, {} }], x[{ row, {} }]))
    end
  end)

  it("an entropy of two takes both as one axis, and omits pairs", function()
    local near = ma.testing.assert_allclose
    local p, q = ma.array { { 1 }, { 2 }, { 3 } }, ma.array { { 3 }, { 2 }, { 1 } }
    near(S.entropy(p, q, { axis = "none" }), 0.3662040962227032, { rtol = 1e-12 })
    near(S.entropy(ma.array { ma.nan, 0.5, 0.5 }, { 1, 1, 2 }, { nan_policy = "omit" }), 0.0588915178281917,
      { rtol = 1e-12 })
    near(S.entropy({ 1, 0.5, 0.5 }, ma.array { ma.nan, 1, 2 }, { nan_policy = "omit" }), 0.0588915178281917,
      { rtol = 1e-12 })
    near(S.entropy(ma.zeros(3), { nan_policy = "omit" }), ma.nan)
    local narrow = ma.array({ 0.1, 0.7, 0.4 }, "float32")
    assert.equal(S.entropy(narrow:astype("float64"), { 1, 2, 3 }):item(), S.entropy(narrow, { 1, 2, 3 }):item())
  end)

  it("a correlation does not depend on the scale, and is nan of a constant", function()
    local near = ma.testing.assert_allclose
    local a, b = ma.array { 0, 0, 0, 1, 1, 1, 1 }, ma.arange(7, "float64")
    for _, e in ipairs { 1, 1e160, 1e300, 1e307, 1e-165, 1e-300 } do
      local r, p = S.pearsonr(a * e, b * e)
      near(r, 0.86602540378443865, { rtol = 1e-13, err_msg = tostring(e) })
      near(p, 0.011724811003954649, { rtol = 1e-11 })
    end
    for _, e in ipairs { 1e25, 1e-25 } do
      near(S.pearsonr(a:astype("float32") * e, b:astype("float32") * e), 0.8660254, { rtol = 1e-6 })
    end
    for _, n in ipairs { 3, 6, 10 } do
      local r, p = S.pearsonr(ma.full(n, 0.1), ma.arange(n))
      assert.is_true(ma.isnan(r):item() and ma.isnan(p):item())
    end
    assert.equal(-1, (S.pearsonr({ 0.1, 0.7 }, { 11, 0.3 })):item())
    assert.equal(1, (S.pearsonr({ 0.20411998265592482, 0.07918124604762482 },
      { 0.017448610113466535, 0.012129956392826626 })):item())
    local x, y = ma.array({ 0.1, 0.7, -0.4, 1.3 }, "float32"), { 0.3, 0.2, -0.9, 1.1 }
    assert.equal((S.pearsonr(x:astype("float64"), y)):item(), (S.pearsonr(x, y)):item())
  end)

  it("refuse NaN where they are told to", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    for name, call in pairs { zscore = S.zscore, rankdata = S.rankdata, entropy = S.entropy } do
      said("moonarray.stats." .. name .. ": NaN among the values", call, { 1, ma.nan }, { nan_policy = "raise" })
      said("'drop' for nan_policy", call, { 1, 2 }, { nan_policy = "drop" })
    end
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    said("a is .-; wanted real numbers", S.zscore, ma.zeros(3, "complex64"))
    said("proportiontocut is 0.5 of 4 elements; wanted less than half", S.trim_mean, { 1, 2, 3, 4 }, 0.5)
    said("proportiontocut is %-1", S.trim_mean, { 1, 2, 3, 4 }, -1)
    said("base is 0; wanted a number above 0", S.entropy, { 1, 2 }, { base = 0 })
    said("'first' for method; average, min", S.rankdata, { 1, 2 }, "first")
    said("axis 3 of an array of 2 axes", S.rankdata, ma.ones({ 2, 2 }), { axis = 3 })
    said("1 pairs; wanted two at least", S.pearsonr, { 1 }, { 2 })
    said("'up' for alternative", S.pearsonr, { 1, 2, 3 }, { 2, 1, 4 }, { alternative = "up" })
    said("one variable; wanted two", S.spearmanr, { 1, 2, 3 })
    said("3 and 2 observations", S.spearmanr, { 1, 2, 3 }, { 1, 2 })
    said("nan_policy is 'omit'; wanted", S.spearmanr, { 1, 2, 3 }, { 1, 2, 4 }, { nan_policy = "omit" })
    if not has_factors then return end
    said("wanted two points at least", S.gaussian_kde, { 1 })
    said("2 points of 3 dimensions", S.gaussian_kde, ma.ones({ 3, 2 }))
    said("bw_method is .-; wanted 'scott'", S.gaussian_kde, { 1, 2, 4 }, "wide")
    said("weights is .-; wanted one for each of 3", S.gaussian_kde, { 1, 2, 4 }, { weights = { 1 } })
    said("points is .-; wanted 1 rows", function() return S.gaussian_kde({ 1, 2, 4 })(ma.ones({ 2, 2 })) end)
    said("write object:evaluate", function() return S.gaussian_kde({ 1, 2, 4 }).evaluate({ 1 }) end)
  end)
end)
