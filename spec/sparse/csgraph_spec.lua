-- ma.sparse.csgraph: SciPy's values, and trees, paths and orders held against what defines them.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma = helper.ma

local G, sp = ma.sparse.csgraph, ma.sparse
local near = { rtol = 1e-12 }

local function fails(text, f)
  assert.matches(text, helper.fails(f), 1, true)
end

--- A graph of n nodes and about `degree` edges a node, sparse.
local function some(n, degree, least)
  local rng = ma.random.default_rng(n)
  local count = n * degree
  local from, to = rng:integers(1, n + 1, count), rng:integers(1, n + 1, count)
  return sp.coo_matrix({ rng:random(count) + (least or 0.1), { from, to } }, { shape = { n, n } }):tocsr()
end

describe("csgraph:", function()
  it("SciPy's values", function() run("csgraph", "csgraph", { float64 = 1e-14 }) end)

  it("all methods find the same shortest paths, and the nodes on them", function()
    for _, n in ipairs { 1, 2, 40 } do
      local A = some(n, 3)
      for _, directed in ipairs { true, false } do
        local d, before = G.dijkstra(A, directed, { return_predecessors = true })
        ma.testing.assert_allclose(G.bellman_ford(A, directed), d, near)
        ma.testing.assert_allclose(G.johnson(A, directed), d, near)
        local all, other = G.floyd_warshall(A, directed, { return_predecessors = true })
        ma.testing.assert_allclose(all, d, near)
        for _, found in ipairs { before, other } do
          local dense = A:toarray()
          if not directed then dense = ma.where(dense:eq(0), dense.T, ma.where(dense.T:eq(0), dense,
            ma.minimum(dense, dense.T))) end
          for i = 1, n, 7 do
            for j = 1, n do
              local p = tonumber(found(i, j))
              if p == 0 then assert.is_true(i == j or d(i, j) == math.huge)
              else assert.is_true(math.abs(d(i, p) + dense(p, j) - d(i, j)) < 1e-12) end
            end
          end
        end
        ma.testing.assert_allclose(G.shortest_path(A, "auto", directed, { indices = n }), d[n], near)
      end
      ma.testing.assert_allclose(G.dijkstra(A, { limit = 0.7, indices = { 1 } }),
        ma.where(G.dijkstra(A, { indices = { 1 } }):le(0.7), G.dijkstra(A, { indices = { 1 } }), ma.inf))
    end
  end)

  it("paths with negative edges, and cycles of negative length", function()
    local a = ma.array { { 0, 3, 8, 0 }, { 0, 0, -4, 1 }, { 0, 0, 0, 7 }, { 2, 0, 0, 0 } }
    local d = G.johnson(a)
    ma.testing.assert_allclose(d, G.bellman_ford(a), near)
    ma.testing.assert_allclose(d, G.floyd_warshall(a), near)
    assert.equal(-1, d(1, 3))
    local cycle = ma.array { { 0, 1 }, { -2, 0 } }
    for _, method in ipairs { "johnson", "bellman_ford", "floyd_warshall" } do
      fails("a cycle of negative length", function() G[method](cycle) end)
    end
    fails("an edge of negative length", function() G.dijkstra(cycle) end)
  end)

  it("from the nearest of several nodes", function()
    local A = some(60, 2)
    local list = { 3, 17, 44 }
    local d, before, nearest = G.dijkstra(A, { indices = list, min_only = true, return_predecessors = true })
    local all = G.dijkstra(A, { indices = list })
    ma.testing.assert_allclose(d, all:min(1), near)
    for v = 1, 60 do
      local s = tonumber(nearest(v))
      if s == 0 then assert.equal(math.huge, d(v))
      else
        assert.is_true(s == 3 or s == 17 or s == 44)
        assert.equal(d(v), G.dijkstra(A, { indices = s })(v))
      end
    end
    assert.same({ 0, 0, 0 }, { tonumber(before(3)), tonumber(before(17)), tonumber(before(44)) })
  end)

  it("trees join what the graph joins, by least length", function()
    local A = some(50, 2)
    local tree = G.minimum_spanning_tree(A)
    assert.equal(50 - G.connected_components(A, { return_labels = false }), tree.nnz)
    assert.equal(G.connected_components(A, { return_labels = false }),
      G.connected_components(tree, { return_labels = false }))
    local order, before = G.breadth_first_order(A, 7)
    local bft = G.breadth_first_tree(A, 7)
    assert.equal(order.size - 1, bft.nnz)
    ma.testing.assert_allclose(G.reconstruct_path(A, before):toarray(), bft:toarray())
    local reached = G.dijkstra(A, { indices = 7, unweighted = true })
    ma.testing.assert_allclose(G.dijkstra(bft, { indices = 7, unweighted = true }), reached)
    assert.equal(order.size - 1, G.depth_first_tree(A, 7).nnz)
    assert.equal(order.size, (G.depth_first_order(A, 7)).size)
  end)

  it("orders with a narrow band, matchings and ranks", function()
    local n = 80
    local shuffled = ma.random.default_rng(5):permutation(n)
    local path = sp.diags({ 1, 1, 1 }, { -1, 0, 1 }, { shape = { n, n } }):toarray()
    local a = path:take(shuffled, 1):take(shuffled, 2)
    local order = G.reverse_cuthill_mckee(a)
    local band = a:take(order, 1):take(order, 2)
    assert.equal(0, ma.triu(band, 2):sum():item())
    ma.testing.assert_array_equal(ma.sort(order), ma.range(1, n))
    local b = ma.array { { 1, 1, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }
    assert.equal(3, G.structural_rank(b))
    ma.testing.assert_array_equal(G.maximum_bipartite_matching(b), { 2, 1, 4 })
    ma.testing.assert_array_equal(G.maximum_bipartite_matching(b, "column"), { 2, 1, 0, 3 })
    for _, m in ipairs { 5, 30, 60 } do
      local A = some(m, 2)
      local columns = G.maximum_bipartite_matching(A, "column"):totable()
      local seen, count = {}, 0
      for row, column in ipairs(columns) do
        column = tonumber(column)
        if column > 0 then
          assert.is_true(A(row, column) ~= 0 and not seen[column])
          seen[column], count = true, count + 1
        end
      end
      assert.equal(count, G.structural_rank(A))
    end
  end)

  it("graphs of no nodes, without edges, and large ones", function()
    local none, bare = ma.zeros({ 0, 0 }), ma.zeros({ 4, 4 })
    assert.equal(0, (G.connected_components(none)))
    assert.equal(4, (G.connected_components(bare)))
    assert.equal(0, G.dijkstra(none).size)
    assert.equal(0, G.structural_rank(none))
    assert.equal(0, G.minimum_spanning_tree(bare).nnz)
    assert.equal(1, (G.breadth_first_order(bare, 4)).size)
    assert.equal(4, G.reverse_cuthill_mckee(bare).size)
    local n = 20000
    local ring = sp.coo_matrix({ ma.ones(n), { ma.range(1, n), ma.arange(1, n + 1) % n + 1 } }, { shape = { n, n } })
    assert.equal(1, (G.connected_components(ring, { connection = "strong" })))
    assert.equal(n - 1, G.dijkstra(ring, { indices = 1 }):max():item())
    assert.equal(n, (G.depth_first_order(ring, 1)).size)
  end)

  it("a Laplacian has the graph's dtype", function()
    for _, dtype in ipairs { "int8", "int32", "int64", "float32", "float64", "complex64" } do
      local a = ma.array({ { 0, 1 }, { 1, 0 } }, dtype)
      for _, graph in ipairs { a, sp.csr_matrix(a) } do
        assert.equal(dtype, G.laplacian(graph).dtype)
        assert.equal(dtype:find("int") and "float64" or dtype, G.laplacian(graph, true).dtype)
        assert.equal("float32", G.laplacian(graph, { dtype = "float32" }).dtype)
      end
    end
    local bits = ma.array({ { 0, 1 }, { 1, 0 } }, "bool")
    assert.equal("float64", G.laplacian(bits).dtype)
    assert.equal("float64", G.laplacian(sp.csr_matrix(bits)).dtype)
    for _, dtype in ipairs { "uint8", "uint64" } do
      fails("no numbers below 0", function() G.laplacian(ma.array({ { 0, 1 }, { 1, 0 } }, dtype)) end)
      fails("no numbers below 0", function() G.laplacian(sp.csr_matrix(ma.array({ { 0, 1 }, { 1, 0 } }, dtype))) end)
    end
  end)

  it("refuses what is no graph", function()
    fails("2 x 3; wanted a square matrix", function() G.dijkstra(ma.ones({ 2, 3 })) end)
    fails("wanted real lengths", function() G.connected_components(ma.eye(2) * ma.complex(0, 1)) end)
    fails("'weak' or 'strong'", function() G.connected_components(ma.eye(2), { connection = "loose" }) end)
    fails("the graph has 2 nodes", function() G.breadth_first_order(ma.eye(2), 3) end)
    fails("the graph has 2", function() G.dijkstra(ma.eye(2), { indices = { 1, 3 } }) end)
    fails("'X' for method", function() G.shortest_path(ma.eye(2), "X") end)
    fails("a predecessor that is no node", function() G.reconstruct_path(ma.eye(2), ma.array({ 0, 3 }, "int32")) end)
  end)
end)
