-- ma.spatial.KDTree: SciPy's neighbours over sizes, dimensions, norms and limits; float32, large trees, errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local KDTree, D = ma.spatial.KDTree, ma.spatial.distance

describe("KDTree:", function()
  it("SciPy's neighbours", function() run("tree", "spatial", { float64 = 1e-14 }) end)

  it("the same neighbours as all distances give, in both precisions", function()
    local rng = ma.random.default_rng(11)
    for _, dtype in ipairs { "float32", "float64" } do
      for _, size in ipairs { { 3000, 3 }, { 1000, 5 }, { 500, 1 } } do
        local x = rng:standard_normal({ size[1], size[2] }):astype(dtype)
        local q = rng:standard_normal({ 200, size[2] }):astype(dtype)
        local all, near = D.cdist(q, x), { rtol = dtype == "float32" and 2e-5 or 1e-13 }
        local d, place = KDTree(x):query(q, 10)
        assert.equal(dtype, d.dtype)
        ma.testing.assert_allclose(d, ma.sort(all, 2)[":, 1:10"], near)
        ma.testing.assert_allclose(ma.take_along_axis(all, place, 2), d, near)
        local r = 0.7
        ma.testing.assert_array_equal(KDTree(x):query_ball_point(q, r, { return_length = true }),
          (D.cdist(q, x, "chebyshev"):le(r) * all:le(r)):sum(2))
      end
    end
  end)

  it("the same points within a distance as all distances give: any norm, radii of each query, far and NaN queries",
    function()
      local rng = ma.random.default_rng(5)
      local names = { [1] = "cityblock", [2] = "euclidean", [3] = "minkowski", [math.huge] = "chebyshev" }
      for _, dtype in ipairs { "float32", "float64" } do
        for p, metric in pairs(names) do
          for _, m in ipairs { 1, 2, 4 } do
            local x, q = rng:random({ 700, m }):astype(dtype), rng:random({ 401, m }):astype(dtype)
            q["17, :"] = 1e6
            if p ~= math.huge then q["40, 1"] = ma.nan end        -- the greatest of differences leaves NaN out
            local r = rng:random({ 401 }):astype(dtype) * 0.3
            local all = D.cdist(q, x, metric, metric == "minkowski" and { p = p } or nil):le(r:reshape(401, 1))
            local tree = KDTree(x)
            ma.testing.assert_array_equal(tree:query_ball_point(q, r, p, { return_length = true }), all:sum(2))
            local lists = tree:query_ball_point(q, r, p)
            for _, k in ipairs { 1, 2, 17, 40, 41, 200, 401 } do
              ma.testing.assert_array_equal(lists[k], ma.flatnonzero(all[k]))
            end
          end
        end
      end
    end)

  it("finds every pair once", function()
    for _, n in ipairs { 1, 2, 9, 300 } do
      local x = ma.floor(ma.random.default_rng(n):random({ n, 2 }) * 20) / 20            -- some points are equal
      local all = ma.spatial.distance.cdist(x, x)
      for _, r in ipairs { 0, 0.101, 3 } do
        local pairs_of = ma.spatial.KDTree(x):query_pairs(r)
        local found = ma.zeros({ n, n })
        for k = 1, pairs_of.shape[1] do
          local i, j = tonumber(pairs_of(k, 1)), tonumber(pairs_of(k, 2))
          assert(i < j)
          found[{ i, j }] = found(i, j) + 1
        end
        ma.testing.assert_array_equal(found, ma.triu(all:le(r):astype("float64"), 1))
      end
    end
  end)

  it("of equal points and of none", function()
    local tree = KDTree(ma.ones({ 50, 2 }))
    local d, place = tree:query({ 1, 1 }, 50)
    ma.testing.assert_array_equal(d, ma.zeros(50))
    ma.testing.assert_array_equal(ma.sort(place), ma.range(1, 50))
    assert.equal(50, tree:query_ball_point({ 1, 1 }, 0).size)
    d, place = tree:query({ 4, 5 }, { distance_upper_bound = 1 })
    assert.same({ math.huge, 51 }, { d:item(), tonumber(place:item()) })
    local none = KDTree(ma.zeros({ 0, 3 }))
    d, place = none:query(ma.ones({ 2, 3 }), 2)
    ma.testing.assert_array_equal(d, ma.full({ 2, 2 }, ma.inf))
    ma.testing.assert_array_equal(place, ma.ones({ 2, 2 }))
    assert.equal(0, none:query_pairs(1).size)
    assert.equal(0, none:query_ball_point({ 1, 2, 3 }, 1).size)
  end)

  it("of many axes of queries, and what the object has", function()
    local x = ma.array({ { 0, 0 }, { 3, 4 }, { 6, 8 } })
    local tree = KDTree(x)
    local d, place = tree:query(ma.ones({ 2, 3, 2 }), 2)
    assert.same({ 2, 3, 2 }, { d.shape[1], d.shape[2], d.shape[3] })
    assert.equal(1, tonumber(place(2, 3, 1)))
    assert.same({ 3, 2 }, { tree.n, tree.m })
    ma.testing.assert_array_equal(tree.mins, { 0, 0 })
    ma.testing.assert_array_equal(tree.maxes, { 6, 8 })
    assert.matches("KDTree of 3 points of 2 coordinates, float64", tostring(tree))
    local near = tree:query_ball_tree(KDTree({ { 0, 1 }, { 5, 6 } }), 3)
    assert.same({ 1, 1, 1 }, { near[1].size, near[2].size, near[3].size })
    assert.same({ 1, 2, 2 }, { tonumber(near[1](1)), tonumber(near[2](1)), tonumber(near[3](1)) })
  end)

  it("an approximate query is within eps", function()
    local rng = ma.random.default_rng(3)
    local x, q = rng:random({ 2000, 3 }), rng:random({ 100, 3 })
    local exact, rough = KDTree(x):query(q, 5), KDTree(x):query(q, 5, { eps = 0.5 })
    assert.is_true((rough:le(exact * 1.5 + 1e-12)):all())
    assert.is_true(rough:ge(exact):all())
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    local tree = KDTree(ma.ones({ 4, 2 }))
    said("moonarray.spatial.KDTree: data is .-; wanted a matrix", KDTree, ma.ones(3))
    said("data is .-; wanted a matrix", KDTree, ma.ones({ 3, 0 }))
    said("boxsize is given", KDTree, ma.ones({ 3, 2 }), { boxsize = 1 })
    said("x is .-; wanted real points of 2 coordinates", function() tree:query(ma.ones({ 3, 3 })) end)
    said("k is 0; wanted a whole number from 1 on", function() tree:query({ 1, 2 }, 0) end)
    said("p is 0.5; wanted 1 at least", function() tree:query({ 1, 2 }, { p = 0.5 }) end)
    said("eps is %-1; wanted a number from 0 on", function() tree:query({ 1, 2 }, { eps = -1 }) end)
    said("no argument 'radius'", function() tree:query({ 1, 2 }, { radius = 1 }) end)
    said("no argument 'sorted'", function() tree:query_ball_point({ 1, 2 }, 1, { sorted = true }) end)
    said("other is .-; wanted a KDTree of 2 coordinates", function() tree:query_ball_tree({}, 1) end)
    said("r is .-; wanted a distance, or one for each point", function()
      tree:query_ball_point({ 1, 2 }, ma.ones(3))
    end)
    said("write object:query", function() tree.query({ 1, 2 }) end)
  end)
end)
