--- Distributions other than uniform and normal: checks of parameters; core.random draws the elements. Also vectors of
--- dependent numbers, along a last axis.

local sformat, huge = require("moonarray.text").format, math.huge
local concat, unpack = table.concat, unpack

return function(ma, core, shared)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local whole, before_last = common.whole, common.before_last
  local random, define, take, target, spread = shared.random, shared.define, shared.take, shared.target, shared.spread
  local parameter, shape_of, print_shape, check_float, TAIL = shared.parameter, shared.shape_of, shared.print_shape,
    shared.check_float, shared.TAIL

  -- ==== The other distributions ====================================================================================

  local function positive(x) return x > 0, "above 0" end
  local function not_negative(x) return x >= 0, "0 or more" end
  local function probability(x) return x >= 0 and x <= 1, "0 to 1" end
  local function positive_probability(x) return x > 0 and x <= 1, "above 0, at most 1" end
  local function below_one(x) return x >= 0 and x < 1, "0 or more, below 1" end
  local function above_one(x) return x > 1, "above 1" end
  -- NumPy's limits: the range of int64, and the numbers for which sums of logarithms are accurate.
  local MOST_COUNTED, MOST_DRAWN_FROM = 9.2e18, 999999999
  local function counted(x) return x >= 0 and x <= MOST_COUNTED, "0 to 9.2e18" end
  local function trials(x) return x >= 0 and x <= MOST_COUNTED and x % 1 == 0, "a whole number from 0 to 9.2e18" end
  local function drawn_from(x)
    return x >= 0 and x <= MOST_DRAWN_FROM and x % 1 == 0, "a whole number from 0 to 999999999"
  end
  local function taken(x)
    return x >= 0 and x <= 2 * MOST_DRAWN_FROM and x % 1 == 0, "a whole number from 0 to ngood + nbad"
  end
  local function any(x) return x == x and x ~= huge and x ~= -huge, "a finite number" end

  --- name, doc, then {parameter, check, default} each; `counts`: whole numbers, int64 by default.
  local distributions = {
    --> random.standard_exponential: ma.random.default_rng(1):standard_exponential({size = 3})
    { "standard_exponential", "Exponential numbers of mean 1." },
    --> random.exponential: ma.random.default_rng(1):exponential(2, {size = 3})
    { "exponential", "Exponential numbers of mean `scale`.", { "scale", not_negative, 1 } },
    --> random.standard_gamma: ma.random.default_rng(1):standard_gamma(2, {size = 3})
    { "standard_gamma", "Gamma distribution of a shape, scale 1.", { "shape", not_negative } },
    --> random.gamma: ma.random.default_rng(1):gamma(2, 1, {size = 3})
    { "gamma", "Gamma distribution of a shape and a scale.", { "shape", not_negative }, { "scale", not_negative, 1 } },
    --> random.beta: ma.random.default_rng(1):beta(2, 3, {size = 3})
    { "beta", "Beta distribution on [0, 1].", { "a", positive }, { "b", positive } },
    --> random.chisquare: ma.random.default_rng(1):chisquare(2, {size = 3})
    { "chisquare", "Sum of the squares of df standard normals.", { "df", positive } },
    --> random.noncentral_chisquare: ma.random.default_rng(1):noncentral_chisquare(2, 1, {size = 3})
    { "noncentral_chisquare", "The same of normals whose squared means add up to nonc.", { "df", positive },
      { "nonc", not_negative } },
    --> random.f: ma.random.default_rng(1):f(2, 3, {size = 3})
    { "f", "Fisher's F distribution.", { "dfnum", positive }, { "dfden", positive } },
    --> random.noncentral_f: ma.random.default_rng(1):noncentral_f(2, 3, 1, {size = 3})
    { "noncentral_f", "Noncentral F distribution.", { "dfnum", positive }, { "dfden", positive },
      { "nonc", not_negative } },
    --> random.standard_t: ma.random.default_rng(1):standard_t(3, {size = 3})
    { "standard_t", "Student's t distribution.", { "df", positive } },
    --> random.standard_cauchy: ma.random.default_rng(1):standard_cauchy({size = 3})
    { "standard_cauchy", "Cauchy distribution: the ratio of two standard normals." },
    --> random.laplace: ma.random.default_rng(1):laplace(0, 1, {size = 3})
    { "laplace", "Laplace distribution.", { "loc", any, 0 }, { "scale", not_negative, 1 } },
    --> random.logistic: ma.random.default_rng(1):logistic(0, 1, {size = 3})
    { "logistic", "Logistic distribution.", { "loc", any, 0 }, { "scale", not_negative, 1 } },
    --> random.lognormal: ma.random.default_rng(1):lognormal(0, 1, {size = 3})
    { "lognormal", "exp of normal numbers of this mean and standard deviation.", { "mean", any, 0 },
      { "sigma", not_negative, 1 } },
    --> random.gumbel: ma.random.default_rng(1):gumbel(0, 1, {size = 3})
    { "gumbel", "Gumbel's distribution of maxima.", { "loc", any, 0 }, { "scale", not_negative, 1 } },
    --> random.weibull: ma.random.default_rng(1):weibull(2, {size = 3})
    { "weibull", "Weibull distribution of scale 1.", { "a", not_negative } },
    --> random.pareto: ma.random.default_rng(1):pareto(2, {size = 3})
    { "pareto", "Pareto II (Lomax) distribution; add 1 for the classical one.", { "a", positive } },
    --> random.power: ma.random.default_rng(1):power(2, {size = 3})
    { "power", "Density a x^(a - 1) on [0, 1].", { "a", positive } },
    --> random.rayleigh: ma.random.default_rng(1):rayleigh(1, {size = 3})
    { "rayleigh", "Rayleigh distribution.", { "scale", not_negative, 1 } },
    --> random.wald: ma.random.default_rng(1):wald(1, 2, {size = 3})
    { "wald", "Inverse Gaussian distribution.", { "mean", positive }, { "scale", positive } },
    --> random.triangular: ma.random.default_rng(1):triangular(0, 1, 2, {size = 3})
    { "triangular", "Triangular distribution from left to right.", { "left", any }, { "mode", any }, { "right", any } },
    --> random.vonmises: ma.random.default_rng(1):vonmises(0, 1, {size = 3})
    { "vonmises", "Angles in [-pi, pi] around mu.", { "mu", any }, { "kappa", not_negative } },
    --> random.zipf: ma.random.default_rng(1):zipf(2, {size = 3})
    { "zipf", "Zipf distribution: k from 1 on with probability like k^-a.", { "a", above_one }, counts = true },
    --> random.poisson: ma.random.default_rng(1):poisson(4, {size = 3})
    { "poisson", "Events in an interval where lam are expected.", { "lam", counted, 1 }, counts = true },
    --> random.binomial: ma.random.default_rng(1):binomial(10, 0.5, {size = 3})
    { "binomial", "Successes in n trials of probability p.", { "n", trials }, { "p", probability }, counts = true },
    --> random.negative_binomial: ma.random.default_rng(1):negative_binomial(3, 0.5, {size = 3})
    { "negative_binomial", "Failures before n successes of probability p.", { "n", positive },
      { "p", positive_probability }, counts = true },
    --> random.geometric: ma.random.default_rng(1):geometric(0.5, {size = 3})
    { "geometric", "Trials up to the first success of probability p.", { "p", positive_probability }, counts = true },
    --> random.hypergeometric: ma.random.default_rng(1):hypergeometric(5, 5, 4, {size = 3})
    { "hypergeometric", "Good ones among nsample of ngood good and nbad bad ones.",
      { "ngood", drawn_from }, { "nbad", drawn_from }, { "nsample", taken }, counts = true },
    --> random.logseries: ma.random.default_rng(1):logseries(0.5, {size = 3})
    { "logseries", "Logarithmic series distribution.", { "p", below_one }, counts = true },
  }

  -- The probabilities among them: whether one of 0 or of 1 is out of range.
  local open = { [probability] = { false, false }, [positive_probability] = { true, false }, [below_one] = { false,
    true } }

  --- Checks probabilities in an array in rows of so many, which costs no wait on the CPU; elsewhere, and while a graph
  --- is recorded, they are not checked. Returns nothing there, else their sum, how many are above 0, and the greatest
  --- sum of a row without its last.
  local function check_array(name, what, a, check, row)
    if a.device ~= "cpu" or a.size == 0 then return end
    local bounds = open[check]
    local value, at, sum, possible, most = core.random_weigh(a:astype("float64", { order = "C", copy = false }), row,
      bounds[1], bounds[2])
    if value then
      local _, wanted = check(value)
      fail(name, sformat("%s is %s at element %d; wanted %s", what, value, at, wanted))
    end
    return sum, possible, most
  end

  local function check_parameter(name, what, value, check)
    if core.is_array(value) then
      if open[check] then check_array(name, what, value, check, 1) end
      return value
    end
    local ok, wanted = check(common.number(name, what, value))
    if not ok then fail(name, sformat("%s is %s; wanted %s", what, value, wanted)) end
    return value
  end

  --- Checks that a parameter array has a float64 element for each element of the result.
  local function one_each(value, shape, device)
    return ma.broadcast_to(value:to(device):astype("float64"), shape):copy()
  end

  local function distribute(row, name, params, size, dtype, out, device, generator)
    local n = #row - 2
    if row.counts then
      dtype = dtype or not core.is_array(out) and "int64" or nil
    else
      check_float(name, dtype or out and core.is_array(out) and out.dtype)
    end
    device = device or core.device_of(out, unpack(params, 1, n))
    for k = 1, n do
      params[k] = check_parameter(name, row[k + 2][1], parameter(params[k], row[k + 2][3], device), row[k + 2][2])
    end
    local shape, where = spread(name, params, size, out, device)
    local result = target(name, shape, dtype, out, where, generator)
    for k = 1, n do
      if core.is_array(params[k]) then params[k] = one_each(params[k], result.shape, result.device) end
    end
    local low, high, draw = take(name, generator, result)
    return core.random(low, high, draw, result, row[1], params[1], params[2], params[3])
  end

  local function relation(name, ok, text, ...)
    if not ok then fail(name, sformat(text, ...)) end
  end

  local checks = {
    triangular = function(name, left, mode, right)
      if type(left) ~= "number" or type(mode) ~= "number" or type(right) ~= "number" then return end
      relation(name, left <= mode and mode <= right and left < right,
        "left, mode and right are %s, %s and %s; wanted left <= mode <= right, left < right", left, mode, right)
    end,
    negative_binomial = function(name, n, p)
      if type(n) ~= "number" or type(p) ~= "number" or not (n > 0 and p > 0 and p <= 1) then return end
      relation(name, (1 - p) / p * (n + 10 * math.sqrt(n)) <= MOST_COUNTED,
        "n is %s and p %s; wanted counts below 9.2e18", n, p)
    end,
    hypergeometric = function(name, good, bad, sample)
      if type(good) ~= "number" or type(bad) ~= "number" or type(sample) ~= "number" then return end
      relation(name, sample <= good + bad, "nsample is %s; wanted at most ngood + nbad, %s", sample, good + bad)
    end,
  }

  --- A parameter that is a number in its range, or nothing.
  local function fitting(row, k, value)
    local parameter_of = row[k + 2]
    if value == nil then value = parameter_of[3] end
    return type(value) == "number" and parameter_of[2](value) and value or nil
  end

  --- A draw with numbers for parameters, a size, and perhaps a dtype; nothing for any other.
  local function plainly(row, n, check, name)
    return function(rng, a, b, c, size, dtype)
      if n == 0 then size, dtype, a, b, c = a, b, nil, nil, nil
      elseif n == 1 then size, dtype, b, c = b, c, nil, nil
      elseif n == 2 then size, dtype, c = c, size, nil end
      if n > 0 then a = fitting(row, 1, a) end
      if n > 1 then b = fitting(row, 2, b) end
      if n > 2 then c = fitting(row, 3, c) end
      if (n > 0 and not a) or (n > 1 and not b) or (n > 2 and not c) then return end
      if check then check(name, a, b, c) end
      return shared.draw_plain(rng, row[1], size, dtype, a, b, c, row.counts)
    end
  end

  for _, row in ipairs(distributions) do
    local names, n, name = {}, #row - 2, "random." .. row[1]
    for k = 1, n do names[k] = row[k + 2][1] .. (row[k + 2][3] and "?" or "") .. ": number|array, " end
    local check = checks[row[1]]
    define(row[1], concat(names) .. TAIL, row[2] .. " Parameters may be arrays: one that is out of range gives NaN"
      .. (row.counts and ", as a whole number 0, or is an error where it is a probability and on the CPU." or "."),
      function(...)
        local params, given = {}, { ... }
        for k = 1, n do params[k] = given[k] end
        if check then check(name, unpack(params, 1, n)) end
        return distribute(row, name, params, given[n + 1], given[n + 2], given[n + 3], given[n + 4], given[n + 5])
      end)
    shared.hasten(row[1], n + 2, plainly(row, n, check, name))
  end

  -- ==== Vectors of numbers ===========================================================================================

  local function with_last(name, size, extent)
    return common.joined(shape_of(name, size) or {}, { extent })
  end

  local function vector(name, what, value, device)
    local a = core.asarray(value, "float64", { device = device })
    if a.ndim ~= 1 then fail(name, sformat("%s of %d axes; wanted one", what, a.ndim)) end
    return a
  end

  --> random.dirichlet: ma.random.default_rng(1):dirichlet({1, 2})
  define("dirichlet", "alpha: data, size?: integer|integer[], dtype?: dtype, device?: string; "
    .. "generator?: generator -> array",
    "Vectors of positive parts of 1, by the parameters alpha along the last axis.",
    function(alpha, size, dtype, device, generator)
      if type(alpha) == "table" then
        for k = 1, #alpha do check_parameter("random.dirichlet", "alpha[" .. k .. "]", alpha[k], not_negative) end
      end
      alpha = vector("random.dirichlet", "alpha", alpha, device)
      local parts = random.standard_gamma(alpha, with_last("random.dirichlet", size, alpha.size), "float64",
        { generator = generator })
      local result = parts / parts:sum(-1, { keepdims = true })
      return dtype and result:astype(dtype) or result
    end)

  --- `n` with an element for each vector of the result.
  local function counts(n, result)
    local outer = before_last(result.shape)
    return ma.broadcast_to(core.asarray(n, "int64", { device = result.device }), outer):copy(), outer
  end

  --- Whether it is a table without tables and arrays.
  local function is_flat(value)
    if type(value) ~= "table" then return false end
    for k = 1, #value do
      if type(value[k]) == "table" or core.is_array(value[k]) then return false end
    end
    return true
  end

  local MOST_TOTAL, TOO_MUCH = 1 + 1e-12, "pvals add up to %s before the last; wanted at most 1"

  --- Probabilities as numbers: each is that of its outcome if no earlier outcome occurred.
  local function chances_of_list(name, p)
    local chances, total, rest = {}, 0, 1
    for k = 1, #p do
      check_parameter(name, "pvals[" .. k .. "]", p[k], probability)
      if k < #p then total = total + p[k] end
      chances[k] = rest > 0 and math.min(1, math.max(0, p[k] / rest)) or 0
      rest = rest - p[k]
    end
    if total > MOST_TOTAL then fail(name, sformat(TOO_MUCH, total)) end
    return chances
  end

  --- The same for an array, whose last axis has the outcomes.
  local function chances_of_array(name, p)
    local _, _, total = check_array(name, "pvals", p, probability, p.shape[p.ndim])
    if total and total > MOST_TOTAL then fail(name, sformat(TOO_MUCH, total)) end
    local rest = 1 - (ma.cumsum(p, -1) - p)
    local chances = ma.clip(ma.where(rest:gt(0), p / ma.maximum(rest, 1e-300), 0), 0, 1)
    local list = {}
    for k = 1, p.shape[p.ndim] do list[k] = common.along(chances, p.ndim, k, k):reshape(before_last(p.shape)) end
    return list
  end

  --> random.multinomial: ma.random.default_rng(1):multinomial(10, {0.5, 0.5})
  define("multinomial", "n: integer, pvals: data, size?: integer|integer[], dtype?: dtype, "
    .. "device?: string; generator?: generator -> array",
    "How often each of some outcomes of probabilities pvals, along its last axis, occurs in n trials.",
    function(n, pvals, size, dtype, device, generator)
      local name = "random.multinomial"
      local given = parameter(n, nil, device)
      if not core.is_array(given) then whole(name, "n", given, 0) end
      local plain = is_flat(pvals)
      local p = not plain and core.asarray(pvals, "float64", { device = device }) or nil
      if p and p.ndim == 0 then fail(name, "pvals without axes; wanted at least one") end
      local chances = plain and chances_of_list(name, pvals) or chances_of_array(name, p)
      local outer = size or ma.broadcast_shapes(core.is_array(given) and given.shape or {}, p and before_last(p.shape)
        or {})
      local where = p and p.device or core.is_array(given) and given.device or device
      local result = ma.empty(with_last(name, outer, #chances), dtype or "int64", { device = where })
      local left, shape = counts(given, result)
      for k = 1, #chances do
        local part = k < #chances and random.binomial(left, chances[k], shape, { generator = generator }) or left
        result[{ "...", k }] = part
        if k < #chances then left = left - part end
      end
      return result
    end)

  --> random.multivariate_hypergeometric: ma.random.default_rng(1):multivariate_hypergeometric({3, 4}, 5)
  define("multivariate_hypergeometric", "colors: data, nsample: integer|integer[], size?: integer|integer[], "
    .. "dtype?: dtype, device?: string; generator?: generator -> array",
    "How many of each color are among nsample that are taken out of colors[1] of the first, colors[2] of the second " ..
      "...",
    function(colors, nsample, size, dtype, device, generator)
      local name = "random.multivariate_hypergeometric"
      if core.is_array(colors) then colors = vector(name, "colors", colors):totable() end
      if type(colors) ~= "table" then
        fail(name, "colors is " .. core.describe(colors) .. "; wanted a list of whole numbers")
      end
      local rest = 0
      for k = 1, #colors do rest = rest + whole(name, "colors[" .. k .. "]", colors[k], 0) end
      if whole(name, "nsample", nsample, 0) > rest then
        fail(name, sformat("nsample is %d; wanted at most the sum of colors, %d", nsample, rest))
      end
      local result = ma.empty(with_last(name, size, #colors), dtype or "int64", { device = device })
      local left, outer = counts(nsample, result)
      for k = 1, #colors do
        rest = rest - colors[k]
        local part = k < #colors and random.hypergeometric(colors[k], rest, left, outer, { generator = generator })
          or left
        result[{ "...", k }] = part
        if k < #colors then left = left - part end
      end
      return result
    end)

  --> random.multivariate_normal: ma.random.default_rng(1):multivariate_normal({0, 0}, {{1, 0}, {0, 1}})
  define("multivariate_normal", "mean: data, cov: data, size?: integer|integer[], dtype?: dtype, method?: string, "
    .. "device?: string; generator?: generator -> array",
    "Normal vectors of a mean and a covariance matrix, factored by method 'svd' (default), 'eigh' or 'cholesky'.",
    function(mean, cov, size, dtype, method, device, generator)
      local name = "random.multivariate_normal"
      mean = vector(name, "mean", mean, device)
      cov = core.asarray(cov, "float64", { device = device })
      local d = mean.size
      if cov.ndim ~= 2 or cov.shape[1] ~= d or cov.shape[2] ~= d then
        fail(name, sformat("cov of shape %s for a mean of %d; wanted (%d, %d)", print_shape(cov.shape), d, d, d))
      end
      local z = random.standard_normal(with_last(name, size, d), "float64",
        { device = mean.device, generator = generator })
      local flat, x = z:reshape(-1, d)
      if method == nil or method == "svd" then
        local _, s, vh = ma.linalg.svd(cov)
        x = ma.matmul(flat * ma.sqrt(s), vh)
      elseif method == "eigh" then
        local w, v = ma.linalg.eigh(cov)
        x = ma.matmul(flat * ma.sqrt(ma.maximum(w, 0)), v:transpose())
      elseif method == "cholesky" then
        x = ma.matmul(flat, ma.linalg.cholesky(cov):transpose())
      else
        fail(name, "method is " .. core.describe(method) .. "; wanted 'svd', 'eigh' or 'cholesky'")
      end
      local result = (x + mean):reshape(z.shape)
      return dtype and result:astype(dtype) or result
    end)

  shared.vector, shared.check_parameter, shared.check_array, shared.probability = vector, check_parameter, check_array,
    probability
end
