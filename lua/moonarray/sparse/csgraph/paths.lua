--- Shortest paths: dijkstra, bellman_ford, johnson, floyd_warshall, shortest_path.
--# sparse_linalg

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

local METHODS = { D = 0, BF = 1, J = 2 }

return function(ma, core, edges)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local open, room, back = edges.open, edges.room, edges.back

  --- The sources as int32, counted from 0, and the results' shape without the last axis.
  local function sources(name, indices, n)
    if indices == nil then return ma.arange(n, { dtype = "int32", device = "cpu" }), { n } end
    local list = is_array(indices) and indices:to("cpu") or core.asarray(indices, { dtype = "int64", device = "cpu" })
    if list.ndim > 1 or not is.integer[list.dtype] then
      fail(name, sformat("indices is %s; wanted a node or a list of nodes", core.describe(list)))
    end
    local shape = list.ndim == 1 and { list.size } or {}
    list = list:reshape(list.size):astype("int64")
    list = ma.where(list:lt(0), list + (n + 1), list)
    if list.size > 0 then
      local least, most = ma.item(list:min(), list:max())
      if least < 1 or most > n then
        fail(name, sformat("node %d in indices; the graph has %d", tonumber(least < 1 and least or most), n))
      end
    end
    return (list - 1):astype("int32"), shape
  end

  local function has_negative(g)
    return g.data.size > 0 and g.data:min():item() < 0
  end

  local function paths(name, method, csgraph, o)
    local g = open(name, csgraph, o.unweighted)
    if method == "D" and has_negative(g) then
      fail(name, "an edge of negative length; bellman_ford and johnson take these")
    end
    local from, shape = sources(name, o.indices, g.n)
    local rows = from.size
    if o.min_only then
      if rows == 0 then fail(name, "no nodes in indices; wanted one or more with min_only") end
      rows, shape = 1, {}
    end
    shape[#shape + 1] = g.n
    local limit = o.limit == nil and math.huge or common.number(name, "limit", o.limit)
    if limit < 0 or limit ~= limit then fail(name, sformat("limit is %s; wanted 0 or more", tostring(limit))) end
    local lengths = room({ rows, g.n }, "float64")
    local before = o.predecessors and room({ rows, g.n }) or nil
    local nearest = o.predecessors and o.min_only and room(g.n) or nil
    if lengths.size > 0 then
      core.csgraph_paths(name, g.indptr, g.indices, g.data, o.directed == false, METHODS[method], from, limit,
        o.min_only or false, lengths, before, nearest)
    end
    lengths = back(g, lengths:reshape(shape))
    if not before then return lengths end
    before = back(g, before:reshape(shape))
    if nearest then return lengths, before, back(g, nearest) end
    return lengths, before
  end

  local RESULT = " Results: a row for each node of indices (all), infinity where there is no way; with " ..
    "return_predecessors the node before each on its way too, 0 where there is none. With directed = false edges " ..
    "lead in both directions; unweighted: each has length 1."

  def("sparse.csgraph.dijkstra(csgraph: sparse_matrix|data, directed?: boolean, indices?: integer|integer[]|array, "
    .. "return_predecessors?: boolean, unweighted?: boolean, limit?: number, min_only?: boolean) -> array, array?",
    "Lengths of the shortest paths between nodes, by Dijkstra's method; lengths of edges are not negative. limit: " ..
      "longer paths do not count. min_only: one row, from the nearest of indices; which it was comes third." .. RESULT,
    function(csgraph, directed, indices, predecessors, unweighted, limit, min_only)
      return paths("sparse.csgraph.dijkstra", "D", csgraph, { directed = directed, indices = indices,
        predecessors = predecessors, unweighted = unweighted, limit = limit, min_only = min_only })
    end)

  for method, name in pairs { BF = "bellman_ford", J = "johnson" } do
    local full = "sparse.csgraph." .. name
    def(full .. "(csgraph: sparse_matrix|data, directed?: boolean, indices?: integer|integer[]|array, "
      .. "return_predecessors?: boolean, unweighted?: boolean) -> array, array?",
      "Lengths of the shortest paths between nodes, with edges of negative length but without cycles of it, by the " ..
        "method of " .. (method == "J" and "Johnson" or "Bellman and Ford") .. "." .. RESULT,
      function(csgraph, directed, indices, predecessors, unweighted)
        return paths(full, method, csgraph, { directed = directed, indices = indices, predecessors = predecessors,
          unweighted = unweighted })
      end)
  end

  local function floyd_warshall(name, csgraph, directed, predecessors, unweighted)
    local g = open(name, csgraph, unweighted)
    local n = g.n
    local lengths = ma.full({ n, n }, math.huge, { dtype = "float64", device = "cpu" })
    if g.data.size > 0 then
      local from = edges.from(g):astype("int64")
      local flat = lengths:reshape(n * n)
      flat[(from - 1) * n + g.indices] = g.data
      if directed == false then lengths = ma.minimum(lengths, lengths.T):copy() end
    end
    local before = predecessors and room({ n, n }) or nil
    -- A node has distance 0 from itself. A negative edge from it to itself is a cycle.
    if n > 0 then
      lengths = ma.where(ma.eye(n, { dtype = "bool", device = "cpu" }) * lengths:gt(0), 0, lengths):copy()
      core.csgraph_all_paths(name, lengths, before)
    end
    if before then return back(g, lengths), back(g, before) end
    return back(g, lengths)
  end

  def("sparse.csgraph.floyd_warshall(csgraph: sparse_matrix|data, directed?: boolean, return_predecessors?: boolean, "
    .. "unweighted?: boolean, overwrite?: boolean) -> array, array?",
    "Lengths of the shortest paths between all nodes, by the method of Floyd and Warshall, for dense graphs; edges " ..
      "may have negative lengths, cycles may not. overwrite changes nothing." .. RESULT,
    function(csgraph, directed, predecessors, unweighted)
      return floyd_warshall("sparse.csgraph.floyd_warshall", csgraph, directed, predecessors, unweighted)
    end)

  --> sparse.csgraph.shortest_path sparse.csgraph.dijkstra sparse.csgraph.bellman_ford sparse.csgraph.floyd_warshall
  --> \ sparse.csgraph.johnson: ma.sparse.csgraph.shortest_path(ma.sparse.csr_matrix({{0, 2, 9}, {0, 0, 3}, {0, 0, 0}}))
  def("sparse.csgraph.shortest_path(csgraph: sparse_matrix|data, method?: string, directed?: boolean, "
    .. "return_predecessors?: boolean, unweighted?: boolean, overwrite?: boolean, " ..
    "indices?: integer|integer[]|array) -> array, array?",
    "Lengths of the shortest paths between nodes. method: 'D' (dijkstra), 'BF' (bellman_ford), 'J' (johnson), 'FW' " ..
      "(floyd_warshall), 'auto': the one that fits." .. RESULT,
    function(csgraph, method, directed, predecessors, unweighted, _, indices)
      local name = "sparse.csgraph.shortest_path"
      method = method or "auto"
      if method ~= "auto" and method ~= "FW" and not METHODS[method] then
        fail(name, sformat("%s for method; 'auto', 'D', 'BF', 'J' or 'FW'", core.describe(method)))
      end
      if method == "auto" then
        local g = open(name, csgraph)
        local negative = not unweighted and has_negative(g)
        method = negative and "J" or "D"
        if indices == nil and g.data.size > g.n * g.n / 4 then method = "FW" end
      end
      if method == "FW" then
        if indices ~= nil then fail(name, "indices with method 'FW', which finds all paths") end
        return floyd_warshall(name, csgraph, directed, predecessors, unweighted)
      end
      return paths(name, method, csgraph, { directed = directed, indices = indices, predecessors = predecessors,
        unweighted = unweighted })
    end)
end
