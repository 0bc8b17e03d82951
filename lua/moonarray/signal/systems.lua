--- Partial fractions, state space, and systems with their responses. Systems are a few numbers, so all of this is work
--- of the host in float64; signals come and go as arrays.
--# signal_systems

local sformat, max = require("moonarray.text").format, math.max

return function(_, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local host, forms = shared.host, shared.forms
  local complex = host.complex

  -- ==== Partial fractions ==========================================================================================

  local RTYPES = { avg = "avg", mean = "avg", min = "min", minimum = "min", max = "max", maximum = "max" }

  --- Roots that are near each other as one, with their multiplicities, in the order in which they come.
  local function unique_roots(name, list, tol, rtype)
    local kind = RTYPES[rtype or "min"]
    if not kind then fail(name, sformat("rtype is %s; wanted 'max', 'min' or 'avg'", core.describe(rtype))) end
    local used, unique, counts = {}, {}, {}
    for i = 1, #list do
      if not used[i] then
        local sum, best, n = 0, nil, 0
        for j = 1, #list do
          if not used[j] and complex.abs(list[j] - list[i]) <= tol then
            used[j], n, sum = true, n + 1, sum + list[j]
            local re, im = complex.parts(list[j])
            if best then
              local a, b = complex.parts(best)
              local less = re < a or (re == a and im < b)
              if (kind == "min" and less) or (kind == "max" and not less) then best = list[j] end
            else best = list[j] end
          end
        end
        unique[#unique + 1], counts[#counts + 1] = kind == "avg" and sum / n or best, n
      end
    end
    return unique, counts
  end

  --> signal.unique_roots({1, 1.0001, 2})
  def("signal.unique_roots(p: data, tol?: number, rtype?: string) -> array, array",
    "Roots of which those within tol (0.001) of each other are one, and how "
    .. "many each stands for; rtype 'min', 'max' or 'avg' says which one.", function(p, tol, rtype)
    local name = "signal.unique_roots"
    local list, device = host.list(name, "p", p)
    local unique, counts = unique_roots(name, list, common.number(name, "tol", tol or 1e-3), rtype)
    return host.array(unique, device), core.asarray(counts, { dtype = "int64", device = device })
  end)

  --- The product of (s - pole)^multiplicity of all poles but one.
  local function without(poles, counts, k)
    local rest = { 1 }
    for j = 1, #poles do
      for _ = 1, j == k and 0 or counts[j] do rest = host.polymul(rest, { 1, -1 * poles[j] }) end
    end
    return rest
  end

  --- Taylor's coefficients of a polynomial around x, from the constant on, n of them.
  local function around(p, x, n)
    local list, result = host.concat(p, {}), {}
    for k = 1, n do
      if #list == 0 then result[k] = 0 else
        for j = 2, #list do list[j] = list[j] + list[j - 1] * x end
        result[k] = table.remove(list)
      end
    end
    return result
  end

  --- Residues of numerator / product of (s - pole)^count, for powers 1 .. count of each pole.
  local function residues(poles, counts, numerator)
    local result = {}
    for k = 1, #poles do
      local n = counts[k]
      local num, den, series = around(numerator, poles[k], n), around(without(poles, counts, k), poles[k], n), {}
      for i = 1, n do
        local sum = num[i]
        for j = 1, i - 1 do sum = sum - series[j] * den[i - j + 1] end
        series[i] = sum / den[1]
      end
      for power = 1, n do result[#result + 1] = series[n - power + 1] end
    end
    return result
  end

  --- Poles in the order of SciPy: by their size.
  local function by_size(list)
    local order = {}
    for k = 1, #list do order[k] = { complex.abs(list[k]), k, list[k] } end
    table.sort(order, function(x, y)
      if x[1] ~= y[1] then return x[1] < y[1] end
      return x[2] < y[2]
    end)
    return host.map(order, function(x) return x[3] end)
  end

  local function repeated(poles, counts)
    local result = {}
    for k = 1, #poles do
      for _ = 1, counts[k] do result[#result + 1] = poles[k] end
    end
    return result
  end

  --> signal.residue({1}, {1, 3, 2})
  def("signal.residue(b: data, a: data, tol?: number, rtype?: string) -> array, array, array",
    "Residues, poles and the polynomial of b / a as a sum of partial fractions "
    .. "in s, polynomials from the highest power down.", function(b, a, tol, rtype)
    local name = "signal.residue"
    local num, den, device = shared.read_tf(name, b, a)
    num, den = host.trim(num), host.trim(den)
    if den[1] == 0 then fail(name, "a is 0; wanted a denominator") end
    local quotient, rest = {}, num
    if #num >= #den then quotient, rest = host.polydiv(num, den) end
    local poles, counts = unique_roots(name, by_size(host.roots(den)), common.number(name, "tol", tol or 1e-3),
      rtype or "avg")
    local r = host.map(residues(poles, counts, rest), function(v) return v / den[1] end)
    return host.complex_array(r, device), host.complex_array(repeated(poles, counts), device),
      host.array(quotient, device)
  end)

  --> signal.residuez({1}, {1, -0.5})
  def("signal.residuez(b: data, a: data, tol?: number, rtype?: string) -> array, array, array",
    "Residues, poles and the direct terms of b / a as a sum of partial "
    .. "fractions in 1 / z, polynomials of rising powers of it.", function(b, a, tol, rtype)
    local name = "signal.residuez"
    local num, den, device = shared.read_tf(name, b, a)
    if den[1] == 0 then fail(name, "a[1] is 0; wanted another number") end
    while #num > 1 and num[#num] == 0 do num[#num] = nil end
    while #den > 1 and den[#den] == 0 do den[#den] = nil end
    local back_num, back_den, direct = host.reversed(num), host.reversed(den), {}
    if #back_num >= #back_den then
      local quotient
      quotient, back_num = host.polydiv(back_num, back_den)
      direct = host.reversed(quotient)
    end
    local poles, counts = unique_roots(name, by_size(host.roots(den)), common.number(name, "tol", tol or 1e-3),
      rtype or "avg")
    -- in x = 1 / z the poles are inverse: r / (1 - p x)^n = r (-1 / p)^n / (x - 1 / p)^n
    local inverse = host.map(poles, function(p) return 1 / p end)
    local list = residues(inverse, counts, back_num)
    local at, r = 0, {}
    for k = 1, #poles do
      for power = 1, counts[k] do
        at = at + 1
        r[at] = list[at] * complex.power(-1 * poles[k], power) / back_den[1]
      end
    end
    return host.complex_array(r, device), host.complex_array(repeated(poles, counts), device),
      host.array(direct, device)
  end)

  --- The sum of r_k q_k, where the products q leave out their factors one by one.
  local function inverse(name, r, p, k, tol, rtype, rising)
    local residue_list, device = host.list(name, "r", r)
    local poles = host.list(name, "p", p)
    local direct = host.list(name, "k", k)
    if #residue_list ~= #poles then
      fail(name, sformat("%d residues and %d poles; wanted as many", #residue_list, #poles))
    end
    local unique, counts = unique_roots(name, poles, common.number(name, "tol", tol or 1e-3), rtype or "avg")
    --- A factor as a polynomial in s, or of rising powers of 1 / z; both have the same coefficients.
    local function power(x, n)
      local result = { 1 }
      for _ = 1, n do result = host.polymul(result, { 1, -1 * x }) end
      return result
    end
    local whole = { 1 }
    for j = 1, #unique do whole = host.polymul(whole, power(unique[j], counts[j])) end
    local function add(x, y)
      if not rising then return host.polyadd(x, y) end
      local sum = {}
      for i = 1, max(#x, #y) do sum[i] = (x[i] or 0) + (y[i] or 0) end
      return sum
    end
    local sum = #direct > 0 and host.polymul(direct, whole) or { 0 }
    local at = 0
    for j = 1, #unique do
      for n = 1, counts[j] do
        at = at + 1
        local rest = power(unique[j], counts[j] - n)
        for i = 1, #unique do
          if i ~= j then rest = host.polymul(rest, power(unique[i], counts[i])) end
        end
        sum = add(sum, host.map(rest, function(v) return v * residue_list[at] end))
      end
    end
    return host.array(sum, device), host.array(whole, device)
  end

  --> signal.invres({1, -1}, {-1, -2}, {})
  def("signal.invres(r: data, p: data, k: data, tol?: number, rtype?: string) -> array, array",
    "b and a from the residues, poles and polynomial of signal.residue.",
    function(r, p, k, tol, rtype) return inverse("signal.invres", r, p, k, tol, rtype, false) end)
  --> signal.invresz({2, -1}, {0.5, 0.25}, {})
  def("signal.invresz(r: data, p: data, k: data, tol?: number, rtype?: string) -> array, array",
    "b and a from the residues, poles and direct terms of signal.residuez.",
    function(r, p, k, tol, rtype) return inverse("signal.invresz", r, p, k, tol, rtype, true) end)

  -- ==== Matrices of the host =======================================================================================

  local zeros = host.zeros

  local function identity(n)
    local a = zeros(n, n)
    for i = 1, n do a[i][i] = 1 end
    return a
  end

  local function multiply(a, b, m)
    local c = zeros(#a, b[1] and #b[1] or m or 0)
    for i = 1, #a do
      for k = 1, #b do
        local f = a[i][k]
        if f ~= 0 then
          for j = 1, #b[k] do c[i][j] = c[i][j] + f * b[k][j] end
        end
      end
    end
    return c
  end

  local function combine(a, b, factor)
    local c = {}
    for i = 1, #a do
      c[i] = {}
      for j = 1, #a[i] do c[i][j] = a[i][j] + b[i][j] * factor end
    end
    return c
  end

  --- a^-1 b by elimination with pivots.
  local function solve(name, a, b)
    local n, m = #a, b[1] and #b[1] or 0
    local w = {}
    for i = 1, n do w[i] = host.concat(a[i], b[i]) end
    for k = 1, n do
      local pivot = k
      for i = k + 1, n do
        if complex.abs(w[i][k]) > complex.abs(w[pivot][k]) then pivot = i end
      end
      w[k], w[pivot] = w[pivot], w[k]
      if complex.abs(w[k][k]) == 0 then fail(name, "a singular matrix; wanted one that can be inverted") end
      for i = 1, n do
        if i ~= k then
          local f = w[i][k] / w[k][k]
          if f ~= 0 then
            for j = k, n + m do w[i][j] = w[i][j] - f * w[k][j] end
          end
        end
      end
    end
    local x = zeros(n, m)
    for i = 1, n do
      for j = 1, m do x[i][j] = w[i][n + j] / w[i][i] end
    end
    return x
  end

  --- exp of a matrix by Taylor's series of a small part of it, squared again and again.
  local function expm(a)
    local n, norm = #a, 0
    for i = 1, n do
      local sum = 0
      for j = 1, n do sum = sum + complex.abs(a[i][j]) end
      norm = max(norm, sum)
    end
    if norm - norm ~= 0 then return combine(zeros(n, n), identity(n), 0 / 0) end
    local halvings = 0
    while norm > 0.25 do norm, halvings = norm / 2, halvings + 1 end
    local small = combine(zeros(n, n), a, 2 ^ -halvings)
    local sum, term = identity(n), identity(n)
    for k = 1, 16 do
      term = multiply(term, small)
      for i = 1, n do
        for j = 1, n do term[i][j] = term[i][j] / k end
      end
      sum = combine(sum, term, 1)
    end
    for _ = 1, halvings do sum = multiply(sum, sum) end
    return sum
  end

  --- Coefficients of det(s - a), from the highest power down, and the matrices of the adjoint: Faddeev and LeVerrier.
  local function characteristic(a)
    local n = #a
    local p, m = { 1 }, identity(n)
    local adjoints = { m }
    for k = 1, n do
      local product, trace = multiply(a, m), 0
      for i = 1, n do trace = trace + product[i][i] end
      p[k + 1] = trace / -k
      m = combine(product, identity(n), p[k + 1])
      adjoints[k + 1] = m
    end
    return p, adjoints
  end

  -- ==== Forms ======================================================================================================

  --- A matrix of a system: a number is one of one element, a vector one row.
  local function matrix(name, what, value)
    if value == nil then return nil end
    if type(value) == "number" then return { { value } } end
    if is_array(value) then
      if value.ndim < 2 then value = value:reshape(1, value.size) end
      return (host.matrix(name, what, value))
    end
    if type(value) == "table" and type(value[1]) ~= "table" and not is_array(value[1]) then value = { value } end
    return (host.matrix(name, what, value))
  end

  --- The matrix without a row that has no elements. A system without states may have A and B written like that.
  local function without_states(m) return m and #m == 1 and #m[1] == 0 and {} or m end

  --- The four matrices, with zeros for those that are missing, and their extents checked.
  local function normal(name, a, b, c, d)
    a, b, c, d = matrix(name, "A", a), matrix(name, "B", b), matrix(name, "C", c), matrix(name, "D", d)
    a, b = without_states(a), without_states(b)
    local states = a and #a or b and #b or c and c[1] and #c[1]
    if states == 0 then                                      -- lists lose the extents of B and C
      if b and #b == 0 then b = nil end
      if c and d and #without_states(c) == 0 then c = nil end
    end
    local inputs = b and b[1] and #b[1] or d and d[1] and #d[1]
    local outputs = c and #c or d and #d
    if not states or not inputs or not outputs then
      fail(name, "matrices that leave a number open; wanted those that tell states, inputs and outputs")
    end
    a, b, c, d = a or zeros(states, states), b or zeros(states, inputs), c or zeros(outputs, states),
      d or zeros(outputs, inputs)
    local function check(what, m, rows, columns)
      if #m ~= rows or (rows > 0 and #m[1] ~= columns) then
        fail(name, sformat("%s of %d rows and %d columns; wanted %d and %d", what, #m, m[1] and #m[1] or 0, rows,
          columns))
      end
    end
    check("A", a, states, states)
    check("B", b, states, inputs)
    check("C", c, outputs, states)
    check("D", d, outputs, inputs)
    return a, b, c, d, inputs
  end

  local function give_ss(device, a, b, c, d, inputs)
    return host.matrix_array(a, device, #a), host.matrix_array(b, device, inputs), host.matrix_array(c, device, #a),
      host.matrix_array(d, device, inputs)
  end

  --> signal.abcd_normalize({{-1}}, {{1}}, {{1}}, {{0}})
  def("signal.abcd_normalize(A?: data, B?: data, C?: data, D?: data) -> array, array, array, array",
    "The four matrices of a system; those that are missing become zeros.",
    function(a, b, c, d)
      return give_ss(shared.device_of(a, b, c, d), normal("signal.abcd_normalize", a, b, c, d))
    end)

  --- Controller form of one numerator, or of several rows of them.
  local function tf2ss(name, rows, den)
    den = host.trim(den)
    local first = den[1]
    if first == 0 then fail(name, "the denominator is 0; wanted a coefficient that is not") end
    den = host.map(den, function(v) return v / first end)
    local n, a, b, c, d = #den - 1, {}, {}, {}, {}
    for i = 1, n do
      a[i] = host.repeated(0, n)
      b[i] = { i == 1 and 1 or 0 }
      if i > 1 then a[i][i - 1] = 1 end
    end
    for j = 1, n do a[1][j] = -1 * den[j + 1] end
    for r, num in ipairs(rows) do
      num = host.map(host.trim(num), function(v) return v / first end)
      if #num > #den then
        fail(name, "a numerator of higher degree than the denominator; wanted a proper fraction")
      end
      num = host.concat(host.repeated(0, #den - #num), num)
      d[r], c[r] = { num[1] }, {}
      for j = 1, n do c[r][j] = num[j + 1] - num[1] * den[j + 1] end
    end
    return a, b, c, d, 1
  end

  --- Numerators, a row for each output, and the denominator, for one input, from 1.
  local function ss2tf(a, b, c, d, input)
    local den, adjoints = characteristic(a)
    local rows = {}
    for r = 1, #d do
      local num = host.map(den, function(v) return v * d[r][input] end)
      for k = 1, #a do
        local sum = 0
        for i = 1, #a do
          for j = 1, #a do sum = sum + c[r][i] * adjoints[k][i][j] * b[j][input] end
        end
        num[k + 1] = num[k + 1] + sum
      end
      rows[r] = num
    end
    return rows, den
  end

  local function input_of(name, value, count)
    value = common.whole(name, "input", value or 1, 1)
    if value > count then fail(name, sformat("input is %d of %d; wanted one of them", value, count)) end
    return value
  end

  --- Numerators as rows: a vector is one of them.
  local function numerators(name, num)
    if is_array(num) and num.ndim == 2 or type(num) == "table" and type(num[1]) == "table" then
      return host.matrix(name, "num", num)
    end
    local list, device = host.coefficients(name, "num", num)
    return { list }, device
  end

  --> signal.tf2ss({1}, {1, 1})
  def("signal.tf2ss(num: data, den: data) -> array, array, array, array",
    "State space, in controller form, from numerator and denominator.", function(num, den)
    local name = "signal.tf2ss"
    local rows, device = numerators(name, num)
    return give_ss(device or shared.device_of(den), tf2ss(name, rows, (host.coefficients(name, "den", den))))
  end)
  --> signal.ss2tf({{-1}}, {{1}}, {{1}}, {{0}})
  def("signal.ss2tf(A: data, B: data, C: data, D: data, input?: data) -> array, array",
    "Numerators, a row for each output, and the denominator from state space, "
    .. "for one of the inputs.", function(a, b, c, d, input)
    local name, device = "signal.ss2tf", shared.device_of(a, b, c, d)
    local inputs
    a, b, c, d, inputs = normal(name, a, b, c, d)
    local rows, den = ss2tf(a, b, c, d, input_of(name, input, inputs))
    return host.matrix_array(rows, device), host.array(den, device)
  end)
  --> signal.zpk2ss({}, {-1}, 1)
  def("signal.zpk2ss(z: data, p: data, k: data) -> array, array, array, array",
    "State space from zeros, poles and gain.", function(z, p, k)
    local name = "signal.zpk2ss"
    local list_z, list_p, gain, device = shared.read_zpk(name, z, p, k)
    local b, a = forms.zpk2tf(list_z, list_p, gain)
    return give_ss(device, tf2ss(name, { b }, a))
  end)
  --> signal.ss2zpk({{-1}}, {{1}}, {{1}}, {{0}})
  def("signal.ss2zpk(A: data, B: data, C: data, D: data, input?: data) -> array, array, number",
    "Zeros, poles and gain from state space, for one of the inputs.",
    function(a, b, c, d, input)
      local name, device = "signal.ss2zpk", shared.device_of(a, b, c, d)
      local inputs
      a, b, c, d, inputs = normal(name, a, b, c, d)
      local rows, den = ss2tf(a, b, c, d, input_of(name, input, inputs))
      return shared.give_zpk(device, forms.tf2zpk(name, rows[1], den))
    end)

  -- ==== From continuous to discrete time ===========================================================================

  --- Makes a system discrete. The number of inputs is given, because a system without states or outputs does not show
  --- it.
  local function discrete(name, a, b, c, d, inputs, dt, method, alpha)
    local n = #a
    method = method or "zoh"
    if method == "bilinear" or method == "tustin" then method, alpha = "gbt", 0.5
    elseif method == "euler" or method == "forward_diff" then method, alpha = "gbt", 0
    elseif method == "backward_diff" then method, alpha = "gbt", 1 end
    if method == "gbt" then
      if type(alpha) ~= "number" or alpha < 0 or alpha > 1 then
        fail(name, sformat("alpha is %s; wanted a number from 0 to 1", core.describe(alpha)))
      end
      local left = combine(identity(n), a, -alpha * dt)
      local ad = solve(name, left, combine(identity(n), a, (1 - alpha) * dt))
      local bd = solve(name, left, combine(zeros(n, inputs), b, dt))
      -- c (1 - alpha dt a)^-1 by the transposed system
      local function turned(m, rows)
        local t = {}
        for j = 1, rows do
          t[j] = {}
          for i = 1, #m do t[j][i] = m[i][j] end
        end
        return t
      end
      local cd = turned(solve(name, turned(left, n), turned(c, n)), #c)
      local dd = combine(d, multiply(c, bd, inputs), alpha)
      return ad, bd, cd, dd
    end
    if method == "zoh" or method == "foh" then
      local size = n + (method == "zoh" and 1 or 2) * inputs
      local m = zeros(size, size)
      for i = 1, n do
        for j = 1, n do m[i][j] = a[i][j] * dt end
        for j = 1, inputs do m[i][n + j] = b[i][j] * dt end
      end
      if method == "foh" then
        for j = 1, inputs do m[n + j][n + inputs + j] = 1 end
      end
      m = expm(m)
      local function part(from, count)
        local result = {}
        for i = 1, n do
          result[i] = {}
          for j = 1, count do result[i][j] = m[i][from + j] end
        end
        return result
      end
      if method == "zoh" then return part(0, n), part(n, inputs), c, d end
      local ad, gamma1, gamma2 = part(0, n), part(n, inputs), part(n + inputs, inputs)
      local bd = combine(combine(gamma1, gamma2, -1), multiply(ad, gamma2, inputs), 1)
      return ad, bd, c, combine(d, multiply(c, gamma2, inputs), 1)
    end
    if method == "impulse" then
      for i = 1, #d do
        for j = 1, inputs do
          if d[i][j] ~= 0 then fail(name, "D is not 0; wanted a strictly proper system for 'impulse'") end
        end
      end
      local ad = expm(combine(zeros(n, n), a, dt))
      return ad, combine(zeros(n, inputs), multiply(ad, b, inputs), dt), c,
        combine(zeros(#c, inputs), multiply(c, b, inputs), dt)
    end
    fail(name, sformat("method is %s; wanted 'gbt', 'bilinear', 'euler', 'backward_diff', 'zoh', 'foh' or 'impulse'",
      core.describe(method)))
  end

  --> signal.cont2discrete: (ma.signal.cont2discrete({{1}, {1, 1}}, 0.1))
  def("signal.cont2discrete(system: system|table, dt: number, method?: string, alpha?: number) -> array, array, number",
    "A continuous system at steps of dt: {num, den} gives the "
    .. "same form and dt, and so do {z, p, k} and {A, B, C, D}. method 'zoh', 'foh', 'bilinear', 'euler', "
    .. "'backward_diff', 'gbt' (with alpha) or 'impulse'.", function(system, dt, method, alpha)
    local name = "signal.cont2discrete"
    if type(system) ~= "table" or #system < 2 or #system > 4 then
      fail(name, sformat("system is %s; wanted {num, den}, {z, p, k} or {A, B, C, D}", core.describe(system)))
    end
    common.number(name, "dt", dt)
    local device = shared.device_of(system[1], system[2], system[3])
    local a, b, c, d, inputs
    if #system == 4 then
      a, b, c, d, inputs = normal(name, system[1], system[2], system[3], system[4])
    elseif #system == 3 then
      local z, p, k = shared.read_zpk(name, system[1], system[2], system[3])
      local num, den = forms.zpk2tf(z, p, k)
      a, b, c, d, inputs = tf2ss(name, { num }, den)
    else
      a, b, c, d, inputs = tf2ss(name, numerators(name, system[1]), (host.coefficients(name, "den", system[2])))
    end
    a, b, c, d = discrete(name, a, b, c, d, inputs, dt, method, alpha)
    if #system == 4 then
      local w, x, y, z = give_ss(device, a, b, c, d, inputs)
      return w, x, y, z, dt
    end
    local rows, den = ss2tf(a, b, c, d, 1)
    if #system == 2 then return host.matrix_array(rows, device), host.array(den, device), dt end
    local z, p, k = shared.give_zpk(device, forms.tf2zpk(name, rows[1], den))
    return z, p, k, dt
  end)

  shared.systems = { normal = normal, tf2ss = tf2ss, ss2tf = ss2tf, discrete = discrete, expm = expm,
    characteristic = characteristic, numerators = numerators, multiply = multiply, combine = combine, zeros = zeros,
    identity = identity }
end
