--- The width of bins by NumPy's named rules. Each rule reads the elements, which waits.

local sqrt, abs, max, min = math.sqrt, math.abs, math.max, math.min

return function(ma, core)
  local is = require "moonarray.common" (core).is
  local fail = core.fail
  local bins = {}

  local function log2(x) return math.log(x) / math.log(2) end

  --- Lua numbers from 0-d arrays, with one wait.
  local function numbers(...)
    local list = { ma.item(...) }
    for k = 1, #list do list[k] = tonumber(list[k]) end
    return unpack(list)
  end

  --- For each name: fn(x, n, span, lo, hi) for n elements, whose greatest and least differ by `span`; returns the
  --- width, 0 for one bin.
  local rules = {}

  function rules.sqrt(_, n, span) return span / sqrt(n) end
  function rules.sturges(_, n, span) return span / (log2(n) + 1) end
  function rules.rice(_, n, span) return span / (2 * n ^ (1 / 3)) end
  function rules.scott(x, n) return (24 * sqrt(math.pi) / n) ^ (1 / 3) * numbers(ma.std(x)) end

  --- By the distance of the quartiles, which outliers do not affect.
  function rules.fd(x, n)
    local upper, lower = unpack(ma.percentile(x, { 75, 25 }):totable())       -- one sort for both
    return 2 * (upper - lower) * n ^ (-1 / 3)
  end

  function rules.auto(x, n, span)
    return min(max(rules.fd(x, n), rules.sqrt(x, n, span) / 2), rules.sturges(x, n, span))
  end

  --- Sturges' rule, corrected by the skewness.
  function rules.doane(x, n, span)
    if n <= 2 then return 0 end
    local spread = ma.std(x)
    local centred = (x - ma.mean(x)) / spread
    local sigma, skew = numbers(spread, ma.mean(centred ^ 3))
    if sigma <= 0 or sigma ~= sigma then return 0 end
    return span / (1 + log2(n) + log2(1 + abs(skew) / sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))))
  end

  --- The number of bins with the least estimated error of cross-validation. Queues all counts before it waits.
  function rules.stone(x, n, span, lo, hi)
    if n <= 1 or span == 0 then return 0 end
    local most = max(100, math.floor(sqrt(n)))
    local errors = {}
    for k = 1, most do
      local share = ma.histogram(x, k, { lo, hi }) / n
      errors[k] = (2 - ma.sum(share * share) * (n + 1)) * (k / span)
    end
    return span / tonumber(ma.item(ma.argmin(ma.stack(errors))))
  end

  local names = "auto, doane, fd, rice, scott, sqrt, stone or sturges"

  --- The number of bins from lo to hi that the rule gives for a vector of real numbers in that range.
  function bins.count(name, rule, x, lo, hi)
    if not rules[rule] then fail(name, ("'%s' for bins; a number, edges, %s"):format(rule, names)) end
    if x.size == 0 then return 1 end
    local whole = is.integer[x.dtype]
    local two = core.extremes(x)
    local least, most = numbers(two[{ { 1, 1 } }]:squeeze(), two[{ { 2, 2 } }]:squeeze())
    local span = whole and most - least or numbers((two[{ { 2, 2 } }] - two[{ { 1, 1 } }]):squeeze())
    local width = rules[rule](x, x.size, span, lo, hi)
    if width <= 0 or width ~= width then return 1 end
    if whole and width < 1 then width = 1 end
    return math.ceil((hi - lo) / width)
  end

  return bins
end
