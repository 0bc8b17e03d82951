-- ma.spatial.distance: SciPy's values over metrics, dtypes, layouts, weights and sizes; squareform; errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local D = ma.spatial.distance
local tolerances = { float32 = 4e-6, float64 = 2e-12 }

-- A machine without LAPACK has no inverse covariance.
local has_eigh, why = pcall(function() return ma.linalg.eigh(ma.ones({ 2, 2 })) end)

describe("distances:", function()
  it("cdist and pdist of every metric", function() run("cdist", "spatial", tolerances) end)
  it("mahalanobis", function()
    if not has_eigh then return pending(tostring(why)) end
    run("mahalanobis", "spatial", { float64 = 1e-9 })
  end)
  it("shapes without elements, and squareform", function() run("shape", "spatial", tolerances) end)

  it("between condensed and square forms of any size", function()
    for _, n in ipairs { 2, 3, 128, 129, 300 } do
      for _, dtype in ipairs { "float64", "float32", "int16", "bool" } do
        local v = (ma.arange(n * (n - 1) / 2) % 251 - 100):astype(dtype)
        local m = D.squareform(v)
        assert.equal(dtype, m.dtype)
        for i = 1, n, 37 do                              -- where row i begins
          local at = (i - 1) * n - i * (i - 1) / 2 + 1
          assert.same({ n, n }, { m:dims() })
          if i < n then ma.testing.assert_array_equal(m[{ i, { i + 1, n } }], v[{ { at, at + n - i - 1 } }]) end
        end
        ma.testing.assert_array_equal(m, m:transpose())
        assert.is_false(ma.any(m:diagonal()))
        ma.testing.assert_array_equal(D.squareform(m), v)
      end
    end
  end)
  it("of two vectors", function() run("two", "spatial", tolerances) end)

  it("of many rows and long vectors, beside sums over differences", function()
    for _, n in ipairs { { 200, 131, 3 }, { 65, 64, 100 }, { 300, 1, 17 } } do
      local x = ma.random.default_rng(3):random({ n[1], n[3] })
      local y = ma.random.default_rng(4):random({ n[2], n[3] })
      local difference = x[":, _, :"] - y["_, :, :"]
      ma.testing.assert_allclose(D.cdist(x, y), ma.sqrt((difference ^ 2):sum(3)), { rtol = 1e-13 })
      ma.testing.assert_allclose(D.cdist(x, y, "cityblock"), ma.absolute(difference):sum(3), { rtol = 1e-13 })
      ma.testing.assert_array_equal(D.cdist(x, y, "chebyshev"), ma.absolute(difference):max(3))
      ma.testing.assert_array_equal(D.squareform(D.pdist(x, "chebyshev")), D.cdist(x, x, "chebyshev"))
      ma.testing.assert_allclose(D.cdist(x:astype("float32"), y:astype("float32")), D.cdist(x, y), { rtol = 2e-6 })
    end
  end)

  it("of so many rows in float32 that a GPU takes large tiles", function()
    local x = ma.random.default_rng(5):random({ 2113, 3 }):astype("float32")
    local y = ma.random.default_rng(6):random({ 2112, 3 }):astype("float32")
    local got = D.cdist(x, y)
    for _, rows in ipairs { "1:70", "1000:1010", "2040:2113" } do
      local want = D.cdist(x[rows .. ", :"]:astype("float64"), y:astype("float64"))
      ma.testing.assert_allclose(got[rows .. ", :"], want, { rtol = 2e-6 })
    end
  end)

  it("by a matrix product, to a rounding of the squared lengths", function()
    for dtype, epsilon in pairs { float32 = 2 ^ -23, float64 = 2 ^ -52 } do
      for _, n in ipairs { { 1, 1, 1 }, { 70, 33, 5 }, { 129, 64, 64 }, { 0, 3, 4 } } do
        local x = ma.random.default_rng(7):random({ n[1], n[3] }, dtype) + 10
        local y = ma.random.default_rng(8):random({ n[2], n[3] }, dtype) + 10
        local bound = 121 * n[3] * epsilon * 8
        local got = D.cdist(x, y, "sqeuclidean", { method = "matmul" })
        assert.same({ n[1], n[2], dtype }, { got.shape[1], got.shape[2], got.dtype })
        ma.testing.assert_allclose(got, D.cdist(x, y, "sqeuclidean"), { rtol = 0, atol = bound })
        ma.testing.assert_array_equal(D.cdist(x, y, "euclidean", { method = "matmul" }), ma.sqrt(got))
        assert.is_true(n[1] == 0 or D.cdist(x, x, "sqeuclidean", { method = "matmul" }):min():item() >= 0)
        ma.testing.assert_array_equal(D.cdist(x, y, { method = "exact" }), D.cdist(x, y))
      end
    end
    local out = ma.zeros({ 1, 2 })
    assert.equal(out, D.cdist({ { 0, 0 } }, { { 3, 4 }, { ma.nan, 0 } }, nil, out, { method = "matmul" }))
    ma.testing.assert_array_equal(out, { { 5, ma.nan } })
  end)

  it("keep float32, compute other dtypes in float64 and halves in float32", function()
    local x = ma.ones({ 2, 3 })
    for dtype, want in pairs { float32 = "float32", float16 = "float32", bfloat16 = "float32", float64 = "float64",
      int8 = "float64", bool = "float64", uint64 = "float64" } do
      assert.equal(want, D.cdist(x:astype(dtype), x:astype(dtype)).dtype)
    end
    assert.equal("float64", D.cdist(x:astype("float32"), x).dtype)
    assert.equal(helper.device, D.cdist({ { 1, 2 } }, ma.ones({ 1, 2 })).device)
  end)

  it("write to out, and take SciPy's other names of metrics", function()
    local x, out = ma.arange(6, "float64"):reshape(3, 2), ma.zeros({ 3, 3 })
    assert.equal(out, D.cdist(x, x, "manhattan", out))
    ma.testing.assert_array_equal(out, D.cdist(x, x, { metric = "l1" }))
    ma.testing.assert_array_equal(D.pdist(x, "Euclid"), D.pdist(x))
  end)

  it("carry NaN to the distances of its vector alone", function()
    local x = ma.array({ { 1, 2 }, { ma.nan, 1 }, { 3, 4 } })
    for _, metric in ipairs { "euclidean", "cityblock", "chebyshev", "canberra", "cosine", "minkowski" } do
      ma.testing.assert_array_equal(ma.isnan(D.cdist(x, x["::2"], metric, { p = metric == "minkowski" and 3 or nil })),
        ma.array({ { false, false }, { true, true }, { false, false } }))
    end
  end)

  it("Jensen's and Shannon's of components near 0", function()
    local least = 5e-324
    assert.equal(0, D.jensenshannon({ least, 1 }, { 0, 1 }):item())
    assert.equal(0, D.jensenshannon({ least, 1 }, { least, 1 }):item())
    assert.equal(0, D.jensenshannon(ma.array({ 1e-45, 1 }, "float32"), ma.array({ 0, 1 }, "float32")):item())
    ma.testing.assert_allclose(D.jensenshannon({ least, 0 }, { 0, least }), math.sqrt(math.log(2)), { rtol = 1e-15 })
    ma.testing.assert_array_equal(D.cdist({ { least, 1 } }, { { 0, 1 }, { 0, 1 } }, "jensenshannon"), { { 0, 0 } })
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    local x = ma.ones({ 2, 3 })
    said("moonarray.spatial.distance.cdist: XA is a float64 array %(3,%); wanted a matrix", D.cdist, ma.ones(3), x)
    said("wanted vectors of one length", D.cdist, x, ma.ones({ 2, 2 }))
    said("'euclidian' for metric; wanted braycurtis, canberra", D.cdist, x, x, "euclidian")
    said("metric is a function; wanted the name of one", D.cdist, x, x, function() end)
    said("XA is .-; wanted real numbers", D.cdist, x:astype("complex64"), x)
    said("p is given; the metric cosine takes w alone", D.cdist, x, x, "cosine", { p = 2 })
    said("V is given; the metric minkowski takes p", D.cdist, x, x, "minkowski", { V = { 1 } })
    said("w is given; the metric jensenshannon takes base alone", D.cdist, x, x, "js", { w = { 1, 1, 1 } })
    said("method is 'fast'; wanted 'exact' or 'matmul'", D.cdist, x, x, { method = "fast" })
    said("method is the number 1; wanted 'exact' or 'matmul'", D.cdist, x, x, { method = 1 })
    said("method 'matmul' for the metric cosine; it computes euclidean", D.cdist, x, x, "cosine", { method = "matmul" })
    said("w is given; method 'matmul' takes no options", D.cdist, x, x, { w = { 1, 1, 1 }, method = "matmul" })
    said("p is 0; wanted a number above 0", D.cdist, x, x, "minkowski", { p = 0 })
    said("w is .-; wanted a weight for each of 3 components", D.cdist, x, x, { w = { 1, 2 } })
    said("V is .-; wanted a variance for each of 3 components", D.pdist, x, "seuclidean", { V = { 1 } })
    said("VI is .-; wanted a matrix of 3 by 3", D.pdist, x, "mahalanobis", { VI = { { 1 } } })
    said("2 vectors of 3 components; the covariance of more vectors", D.pdist, x, "mahalanobis")
    said("4 distances; wanted n %(n %- 1%) / 2", D.squareform, ma.ones(4))
    said("a matrix that is not symmetric", D.squareform, ma.array({ { 0, 1 }, { 2, 0 } }))
    said("a matrix whose diagonal is not zero", D.squareform, ma.array({ { 1, 1 }, { 1, 0 } }))
    said("wanted a square matrix", D.squareform, x)
    said("'up' for force", D.squareform, ma.ones(3), "up")
    said("force = 'tovector'; wanted a matrix", D.squareform, ma.ones(3), "tovector")
    said("u is .- and v is .-; wanted two vectors of one length", D.euclidean, { 1, 2 }, { 1, 2, 3 })
  end)
end)
