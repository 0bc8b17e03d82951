--- Searches, components, orders, trees and matchings of graphs.
--# sparse_linalg

local sformat = require("moonarray.text").format

return function(ma, core, edges)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local open, room, back = edges.open, edges.room, edges.back

  -- ==== Components =================================================================================================

  local CONNECTIONS = { weak = false, strong = true }

  --> sparse.csgraph.connected_components:
  --> \ (ma.sparse.csgraph.connected_components(ma.sparse.csr_matrix({{0, 1, 0}, {0, 0, 0}, {0, 0, 0}})))
  def("sparse.csgraph.connected_components(csgraph: sparse_matrix|data, directed?: boolean, connection?: string, "
    .. "return_labels?: boolean) -> integer, array?",
    "n, labels: the number of parts that hang together, and for each node the number of its part, from 1 on. Of a " ..
      "directed graph connection says whether edges count in both directions ('weak') or whether there must be a " ..
      "way in either ('strong').",
    function(csgraph, directed, connection, return_labels)
      local name = "sparse.csgraph.connected_components"
      connection = type(connection) == "string" and connection:lower() or connection or "weak"
      local strong = CONNECTIONS[connection]
      if strong == nil then
        fail(name, sformat("%s for connection; 'weak' or 'strong'", core.describe(connection)))
      end
      if directed == false then strong = false end
      local g = open(name, csgraph)
      local labels = room(g.n)
      local count = core.csgraph_components(name, g.indptr, g.indices, g.data, false, strong, labels)
      if return_labels == false then return count end
      return count, back(g, labels)
    end)

  -- ==== Searches ===================================================================================================

  --- Searches from a node. Returns the graph, the nodes in the order of the visit, and their predecessors.
  local function search(name, csgraph, i_start, directed, depth)
    local g = open(name, csgraph)
    common.whole(name, "i_start", i_start)
    if i_start < 0 then i_start = g.n + 1 + i_start end
    if i_start < 1 or i_start > g.n then
      fail(name, sformat("i_start is %d; the graph has %d nodes", i_start, g.n))
    end
    local order, before = room(g.n), room(g.n)
    local count = core.csgraph_search(name, g.indptr, g.indices, g.data, directed == false, i_start, depth, order,
      before)
    return g, order[{ { 1, count } }]:copy(), before
  end

  --- The edges that a search used, with their lengths.
  local function tree(g, before, both)
    local to = ma.nonzero(before)
    local from = before:take(to)
    local lengths = ma.zeros(to.size, { dtype = "float64", device = "cpu" })
    if to.size > 0 then
      local a = edges.parts(g)
      local function found(i, j)
        local place = core.sparse_places("sparse.csgraph", a, i:astype("int64"), j:astype("int64"))
        return a.data:take(ma.maximum(place, 1)), place:gt(0)
      end
      local forward, is_forward = found(from, to)
      if both then
        local backward, is_backward = found(to, from)
        local shorter = ma.minimum(forward, backward)
        lengths = ma.where(is_forward * is_backward, shorter, ma.where(is_forward, forward, backward))
      else
        lengths = ma.where(is_forward, forward, 0)
      end
    end
    return edges.matrix(g, from, to:astype("int32"), lengths)
  end

  for kind, depth in pairs { breadth = false, depth = true } do
    --> sparse.csgraph.breadth_first_order sparse.csgraph.depth_first_order:
    --> \ (ma.sparse.csgraph.breadth_first_order(ma.sparse.csr_matrix({{0, 1, 1}, {0, 0, 0}, {0, 0, 0}}), 1))
    --> sparse.csgraph.breadth_first_tree sparse.csgraph.depth_first_tree:
    --> \ ma.sparse.csgraph.breadth_first_tree(ma.sparse.csr_matrix({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}), 1):toarray()
    local order_name, tree_name = sformat("sparse.csgraph.%s_first_order", kind),
      sformat("sparse.csgraph.%s_first_tree", kind)
    def(order_name .. "(csgraph: sparse_matrix|data, i_start: integer, directed?: boolean, "
      .. "return_predecessors?: boolean) -> array, array?",
      sformat("The nodes that are reached from node i_start by a search %s first, in its order, and for each node " ..
        "of the graph the one that it was reached from, 0 for i_start and what is out of reach. With directed = " ..
        "false edges lead in both directions.", kind),
      function(csgraph, i_start, directed, predecessors)
        local g, order, before = search(order_name, csgraph, i_start, directed, depth)
        if predecessors == false then return back(g, order) end
        return back(g, order), back(g, before)
      end)
    def(tree_name .. "(csgraph: sparse_matrix|data, i_start: integer, directed?: boolean) -> sparse_matrix",
      sformat("The edges over which a search %s first reaches nodes, as a sparse matrix of their lengths.", kind),
      function(csgraph, i_start, directed)
        local g, _, before = search(tree_name, csgraph, i_start, directed, depth)
        return tree(g, before, directed == false)
      end)
  end

  --> sparse.csgraph.reconstruct_path: local graph = ma.sparse.csr_matrix({{0, 2}, {0, 0}})
  -->   local _, before = ma.sparse.csgraph.breadth_first_order(graph, 1)
  -->   return ma.sparse.csgraph.reconstruct_path(graph, before):toarray()
  def("sparse.csgraph.reconstruct_path(csgraph: sparse_matrix|data, predecessors: data, "
    .. "directed?: boolean) -> sparse_matrix",
    "The edges that lead to each node from its predecessor, one of a search's or of shortest_path's, as a sparse " ..
      "matrix of their lengths.",
    function(csgraph, predecessors, directed)
      local name = "sparse.csgraph.reconstruct_path"
      local g = open(name, csgraph)
      local before = core.asarray(predecessors)
      if before.ndim ~= 1 or before.size ~= g.n or not is.integer[before.dtype] then
        fail(name, sformat("predecessors is %s; wanted the predecessor of each of %d nodes", core.describe(before),
          g.n))
      end
      before = before:to("cpu")
      if g.n > 0 and (before:min():item() < 0 or before:max():item() > g.n) then
        fail(name, sformat("a predecessor that is no node of %d", g.n))
      end
      return tree(g, before, directed == false)
    end)

  -- ==== Orders, trees and matchings ================================================================================

  --> sparse.csgraph.reverse_cuthill_mckee:
  --> \ ma.sparse.csgraph.reverse_cuthill_mckee(ma.sparse.csr_matrix({{1, 0, 1}, {0, 1, 0}, {1, 0, 1}})).size
  def("sparse.csgraph.reverse_cuthill_mckee(graph: sparse_matrix|data, symmetric_mode?: boolean) -> array",
    "An order of the nodes in which edges join near ones: a[order, order] has a narrow band. symmetric_mode: the " ..
      "matrix is known to be symmetric.",
    function(csgraph, symmetric)
      local name = "sparse.csgraph.reverse_cuthill_mckee"
      local g = open(name, csgraph)
      local order = room(g.n)
      local both = not symmetric
      if both and g.data.size > 0 then
        -- The edges in either direction. Each entry counts once.
        g.data = ma.ones_like(g.data)
        local a = edges.parts(g)
        local turned = { format = "csr", rows = g.n, columns = g.n }
        turned.indptr, turned.indices, turned.data = core.sparse_transpose(name, a)
        local indptr
        indptr, g.indices, g.data = core.sparse_combine(name, a, turned, "maximum")
        g.indptr = indptr:astype("int64")
      end
      core.csgraph_narrow(name, g.indptr, g.indices, g.data, false, order)
      return back(g, order)
    end)

  --> sparse.csgraph.minimum_spanning_tree:
  --> \ ma.sparse.csgraph.minimum_spanning_tree(ma.sparse.csr_matrix({{0, 2, 9}, {0, 0, 3}, {0, 0, 0}})):toarray()
  def("sparse.csgraph.minimum_spanning_tree(csgraph: sparse_matrix|data, overwrite?: boolean) -> sparse_matrix",
    "Edges of least length in sum that join what the graph joins, in either direction, as a sparse matrix: a tree " ..
      "of each part. overwrite changes nothing.",
    function(csgraph)
      local name = "sparse.csgraph.minimum_spanning_tree"
      local g = open(name, csgraph)
      local count = g.data.size
      if count == 0 then return edges.matrix(g, g.indices, g.indices, g.data) end
      local kept = room(count, "bool")
      core.csgraph_tree(name, g.indptr, g.indices, g.data, false, ma.argsort(g.data), kept)
      local places = ma.nonzero(kept)
      return edges.matrix(g, edges.from(g):take(places), g.indices:take(places), g.data:take(places))
    end)

  local function matching(name, csgraph)
    local g = edges.rectangle(name, csgraph)
    local partner = room(g.n)
    core.csgraph_match(name, g.indptr, g.indices, g.data, false, g.columns, partner)
    return g, partner
  end

  --> sparse.csgraph.maximum_bipartite_matching:
  --> \ ma.sparse.csgraph.maximum_bipartite_matching(ma.sparse.csr_matrix({{1, 0}, {1, 1}}))
  def("sparse.csgraph.maximum_bipartite_matching(graph: sparse_matrix|data, perm_type?: string) -> array",
    "As many entries as can be without two in a row or in a column: for each column its row (perm_type 'row', " ..
      "the default), or for each row its column ('column'), 0 for none.",
    function(csgraph, perm_type)
      local name = "sparse.csgraph.maximum_bipartite_matching"
      perm_type = perm_type or "row"
      if perm_type ~= "row" and perm_type ~= "column" then
        fail(name, sformat("%s for perm_type; 'row' or 'column'", core.describe(perm_type)))
      end
      local g, partner = matching(name, csgraph)
      if perm_type == "column" then return back(g, partner) end
      local rows = ma.zeros(g.columns, { dtype = "int32", device = "cpu" })
      local matched = ma.nonzero(partner)
      if matched.size > 0 then rows[partner:take(matched)] = matched:astype("int32") end
      return back(g, rows)
    end)

  --> sparse.csgraph.structural_rank: ma.sparse.csgraph.structural_rank(ma.sparse.csr_matrix({{1, 0}, {1, 0}}))
  def("sparse.csgraph.structural_rank(graph: sparse_matrix|data) -> integer",
    "The largest rank that a matrix with these entries can have.",
    function(csgraph)
      local _, partner = matching("sparse.csgraph.structural_rank", csgraph)
      return tonumber(ma.count_nonzero(partner):item())
    end)
end
