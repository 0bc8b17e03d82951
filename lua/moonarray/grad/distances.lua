--- What flows back through distances between rows. Nothing here has the extents of both matrices and of the components:
--- it is the sums over all pairs of one component after another, or two products.

local FEW = 6                                            -- so many components are summed apart, which rounds less

return function(core, tape, kit)
  local ma, plainly, note, is_known = core.library, core.plainly, tape.note, tape.is_known
  local define, refuse, note_by_operations = kit.define, kit.refuse, kit.note_by_operations

  --- 0 where the distance is: what flows there has no direction.
  local function over(g, d) return ma.where(ma.equal(d, 0), 0, g / d) end

  --- By metrics: part(x, y, d, g, p, count) is what flows to the component x of the first row, where the other one has
  --- y and d is the distance. `counted`: count is how many components attain d.
  local metrics = {
    euclidean = { part = function(x, y, d, g) return over(g, d) * (x - y) end },
    sqeuclidean = { part = function(x, y, _, g) return 2 * g * (x - y) end },
    cityblock = { part = function(x, y, _, g) return g * ma.sign(x - y) end },
    minkowski = { part = function(x, y, d, g, p)
      local difference = x - y
      return over(g, d ^ (p - 1)) * ma.where(ma.equal(difference, 0), 0,
        ma.sign(difference) * ma.abs(difference) ^ (p - 1))
    end },
    chebyshev = { counted = true, part = function(x, y, d, g, _, count)
      local difference = x - y
      return ma.where(ma.equal(ma.abs(difference), d), g / count * ma.sign(difference), 0)
    end },
    canberra = { part = function(x, y, _, g)
      local sum, difference = ma.abs(x) + ma.abs(y), x - y
      return ma.where(ma.equal(sum, 0), 0,
        g * (ma.sign(difference) - ma.abs(difference) / sum * ma.sign(x)) / sum)
    end },
  }
  local PRODUCTS = { euclidean = true, sqeuclidean = true }

  local function component(a, k) return core.along(a, 2, k, k) end

  --- How many components attain the greatest difference.
  local function attained(x, y, d)
    local count = 0
    for k = 1, x.shape[2] do
      count = count + ma.equal(ma.abs(component(x, k) - component(y, k).T), d):astype(d.dtype)
    end
    return ma.maximum(count, 1)
  end

  --- What flows to the rows of x: distances d to the rows of y, to which g flows.
  local function to_rows(metric, x, y, d, g, p, w)
    local rule, n = metrics[metric], x.shape[2]
    if n > FEW and PRODUCTS[metric] then
      local by = metric == "euclidean" and over(g, d) or 2 * g
      local middle = core.unrecorded(function() return y:mean(1, { keepdims = true }) end)
      x, y = x - middle, y - middle
      local c = x * by:sum(2, { keepdims = true }) - ma.matmul(by, y)
      return w and c * w or c
    end
    local count, list = rule.counted and attained(x, y, d) or nil, {}
    for k = 1, n do
      list[k] = rule.part(component(x, k), component(y, k).T, d, g, p, count):sum(2)
    end
    local c = ma.stack(list, 2)
    return w and c * w or c
  end

  --- A function that gives what there is for pairs of rows as a matrix of all rows, with 0 on its diagonal.
  local function squared(n)
    local at, apart = core.unrecorded(function()
      local i = ma.range(1, n, { dtype = "int64" })
      local row, column = ma.minimum(i:reshape(n, 1), i), ma.maximum(i:reshape(n, 1), i)
      local before = (row - 1) * (2 * n - row) / 2
      return ma.clip(before:astype("int64") + column - row, 1, n * (n - 1) / 2), ma.not_equal(row, column)
    end)
    return function(v) return ma.where(apart, v:take(at), 0) end
  end

  --- The cosine distances of rows, of matrices whose components are weighted.
  local function cosine(x, y, w)
    local function rows(a)
      local weighted = w and a * w or a
      return a, weighted, ma.sqrt((a * weighted):sum(2, { keepdims = true }))
    end
    local own, _, size = rows(x)
    local _, other, length = rows(y)
    return 1 - ma.matmul(own, other.T) / (size * length.T)
  end

  local function note_cosine(name, r, x, y, w)
    if y then return note_by_operations(name, { x, y }, r, function(a, b) return cosine(a, b, w) end) end
    local n, list = x.shape[1], {}
    for i = 1, n do
      for j = i + 1, n do list[#list + 1] = (i - 1) * n + j end
    end
    return note_by_operations(name, { x }, r, function(a)
      local at = ma.array(list, { dtype = "int64", device = x.device })
      return cosine(a, a, w):reshape(n * n):take(at)
    end)
  end

  define("core.spatial_pairs", function(_, call, name, x, metric, p, y, w)
    if not metrics[metric] and metric ~= "cosine" then refuse(name, "has no derivative by the metric " .. metric) end
    if is_known(w) then refuse(name, "has no derivative by weights") end
    if w and metric == "chebyshev" then refuse(name, "has no derivative by the metric chebyshev with weights") end
    local r = plainly(call, name, x, metric, p, y, w)
    if metric == "cosine" then return note_cosine(name, r, x, y, w) end
    if y then
      return note(name, { x, y }, r, function(g, k)
        if k == 1 then return to_rows(metric, x, y, r, g, p, w) end
        return to_rows(metric, y, x, r.T, g.T, p, w)
      end, { x, y, r, w })
    end
    local n = x.shape[1]
    return note(name, { x }, r, function(g)
      if n < 2 then return ma.zeros_like(x) end
      local square = squared(n)
      return to_rows(metric, x, x, square(r), square(g), p, w)
    end, { x, r, w })
  end)
end
