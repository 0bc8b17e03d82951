-- No function returns a nil behind its results: f(g(x)) would pass it on. Held by the examples of everything public,
-- and by calls of the functions whose further results are asked for by an option.

local helper = require "spec.helper"
local ma = helper.ma
local examples = require "moonarray.help.examples"

local function pack(...) return { n = select("#", ...), ... } end

local environment = setmetatable({ ma = ma }, { __index = _G })

--- What an example's last line gives, or nil if it is no expression.
local function results_of(code)
  local chunk = loadstring("return " .. code) or loadstring((code:gsub("\n%s*([^\n]*)$", "\nreturn %1")))
  if not chunk then return nil end
  return pack(setfenv(chunk, environment)())
end

--- Calls without the option that asks for more, and with what takes a result's place.
local function calls()
  local graph = ma.sparse.csr_matrix(ma.array { { 0, 1, 2 }, { 0, 0, 3 }, { 0, 0, 0 } })
  local matrix = ma.sparse.csr_matrix(ma.eye(30) * 2 + ma.diag(ma.ones(29), 1) + ma.diag(ma.ones(29), -1))
  local field = ma.array { { 0, 1 }, { 1, 1 } }
  local x = ma.array { 3, 1, 2 }
  return {
    { 1, "special.logsumexp", x }, { 2, "special.logsumexp", x, { return_sign = true } },
    { 1, "special.logsumexp", x, 1, ma.ones(3) },
    { 1, "ndimage.distance_transform_edt", field },
    { 1, "ndimage.distance_transform_edt", field, { return_distances = false, return_indices = true } },
    { 1, "ndimage.distance_transform_edt", field, { return_indices = true, distances = ma.zeros { 2, 2 } } },
    { 2, "ndimage.distance_transform_edt", field, { return_indices = true } },
    { 0, "ndimage.distance_transform_edt", field, { distances = ma.zeros { 2, 2 } } },
    { 1, "sparse.linalg.eigsh", matrix, 2, { return_eigenvectors = false } },
    { 2, "sparse.linalg.eigsh", matrix, 2 },
    { 1, "sparse.linalg.svds", matrix, 2, { return_singular_vectors = false } },
    { 1, "sparse.csgraph.dijkstra", graph }, { 2, "sparse.csgraph.dijkstra", graph, { return_predecessors = true } },
    { 1, "sparse.csgraph.bellman_ford", graph }, { 1, "sparse.csgraph.johnson", graph },
    { 1, "sparse.csgraph.shortest_path", graph }, { 1, "sparse.csgraph.floyd_warshall", graph },
    { 1, "sparse.csgraph.breadth_first_order", graph, 1, { return_predecessors = false } },
    { 1, "sparse.csgraph.depth_first_order", graph, 1, { return_predecessors = false } },
    { 1, "sparse.csgraph.connected_components", graph, { return_labels = false } },
    { 1, "sparse.csgraph.laplacian", graph }, { 2, "sparse.csgraph.laplacian", graph, { return_diag = true } },
    { 1, "average", x }, { 2, "average", x, { returned = true } },
    { 1, "linspace", 0, 1, 5 }, { 2, "linspace", 0, 1, 5, { retstep = true } },
    { 1, "linalg.qr", ma.eye(3), "r" }, { 2, "linalg.qr", ma.eye(3) },
    { 1, "unique", x }, { 2, "unique", x, { return_counts = true } },
    { 1, "intersect1d", x, x }, { 3, "intersect1d", x, x, { return_indices = true } },
    { 2, "signal.butter", 2, 0.5 }, { 1, "signal.butter", 2, 0.5, { output = "sos" } },
    { 3, "signal.butter", 2, 0.5, { output = "zpk" } }, { 2, "signal.iirfilter", 2, 0.5, { btype = "low" } },
    { 1, "signal.lfilter", { 1 }, { 1, 0.5 }, x }, { 2, "signal.lfilter", { 1 }, { 1, 0.5 }, x, { zi = { 0 } } },
    { 1, "signal.sosfilt", { { 1, 0, 0, 1, 0, 0 } }, x },
    { 1, "polynomial.polynomial.polyfit", x, x, 1 },
    { 1, "polyfit", x, x, 1 }, { 2, "polyfit", x, x, 1, { cov = "unscaled" } },
  }
end

describe("results", function()
  it("of the examples end with none that is nil", function()
    local failures, looked = helper.failures(20), 0
    local before = print
    rawset(_G, "print", function() end)                     -- help and its kind
    for name, example in pairs(examples) do
      if not example.gpu then
        local ok, results = pcall(results_of, example.code)
        if ok and results and results.n > 0 then looked = looked + 1 end
        if ok and results and results.n > 1 and results[results.n] == nil then
          failures:run(name, error, results.n .. " results, of which the last is nil: " .. example.code, 0)
        end
      end
    end
    rawset(_G, "print", before)
    assert(looked > 1000, looked)
    failures:check()
  end)

  it("are as many as the options ask for", function()
    local failures = helper.failures(20)
    for _, call in ipairs(calls()) do
      local at = ma
      for part in call[2]:gmatch("[^.]+") do at = at[part] end
      local ok, results = pcall(function() return pack(at(unpack(call, 3))) end)
      if not ok or results.n ~= call[1] then
        failures:run(call[2], error, ok and ("%d results; wanted %d"):format(results.n, call[1]) or results, 0)
      end
    end
    failures:check()
  end)
end)
