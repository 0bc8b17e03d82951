--- Forms of a filter: numerator and denominator, zeros and poles and gain, sections, state space; and the transforms of
--- frequencies.
--# signal_systems

local sformat, abs, max = require("moonarray.text").format, math.abs, math.max

return function(_, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local host = shared.host
  local complex = host.complex
  local forms = {}
  shared.forms = forms

  -- ==== On the host ================================================================================================

  --- Without zeros in front of the numerator, over the first coefficient of the denominator.
  function forms.normalize(name, b, a)
    a = host.trim(a)
    local first = a[1]
    if first == 0 then fail(name, "the denominator is 0; wanted a coefficient that is not") end
    b, a = host.map(b, function(v) return v / first end), host.map(a, function(v) return v / first end)
    local from = 1
    while from < #b and complex.abs(b[from]) <= 1e-14 do from = from + 1 end
    return host.from(b, from), a
  end

  function forms.tf2zpk(name, b, a)
    b, a = forms.normalize(name, b, a)
    local gain = b[1]
    if gain == 0 then return {}, host.roots(a), 0 end
    return host.roots(b), host.roots(a), gain
  end

  function forms.zpk2tf(z, p, k)
    return host.map(host.poly(z), function(v) return v * k end), host.poly(p)
  end

  --- One of each pair of conjugates, namely the one above the real axis, ordered by real part. The real numbers follow.
  local function pairs_first(name, list)
    local above, below, real = {}, {}, {}
    for _, x in ipairs(list) do
      if abs(complex.im(x)) <= 100 * 2.3e-16 * complex.abs(x) then real[#real + 1] = complex.re(x)
      elseif complex.im(x) > 0 then above[#above + 1] = x
      else below[#below + 1] = complex.conj(x) end
    end
    if #above ~= #below then fail(name, "complex numbers without their conjugates; wanted pairs") end
    host.sort(above)
    host.sort(below)
    local result = {}
    for k = 1, #above do
      -- the conjugate that is nearest
      local best, gap
      for j = 1, #below do
        local d = complex.abs(below[j] - above[k])
        if not gap or d < gap then best, gap = j, d end
      end
      if gap > 1e-8 * complex.abs(above[k]) then
        fail(name, "complex numbers without their conjugates; wanted pairs")
      end
      result[k] = (above[k] + table.remove(below, best)) * 0.5
    end
    host.sort(real)
    return host.concat(result, real)
  end

  local function count_real(list)
    local n = 0
    for k = 1, #list do n = n + (type(list[k]) == "number" and 1 or 0) end
    return n
  end

  --- Takes the number that is nearest to x out of the list. `which` allows any number, only real ones, or only complex
  --- ones.
  local function take_nearest(list, x, which)
    local best, gap
    for k = 1, #list do
      local real = type(list[k]) == "number"
      if which == "any" or real == (which == "real") then
        local d = complex.abs(list[k] - x)
        if not gap or d < gap then best, gap = k, d end
      end
    end
    return best and table.remove(list, best)
  end

  local function section(z, p)
    local b, a = forms.zpk2tf(z, p, 1)
    local row = { 0, 0, 0, 0, 0, 0 }
    for k = 1, #b do row[3 - #b + k] = b[k] end
    for k = 1, #a do row[6 - #a + k] = a[k] end
    return row
  end

  function forms.zpk2sos(name, z, p, k, pairing, analog)
    pairing = pairing or (analog and "minimal" or "nearest")
    shared.choice(name, "pairing", pairing, "nearest", "keep_odd", "minimal")
    if analog and pairing ~= "minimal" then fail(name, "pairing of an analog filter; wanted 'minimal'") end
    if #z == 0 and #p == 0 then return { analog and { 0, 0, k, 0, 0, 1 } or { k, 0, 0, 1, 0, 0 } } end
    z, p = host.concat(z, {}), host.concat(p, {})
    if pairing ~= "minimal" then
      while #p < #z do p[#p + 1] = 0 end
      while #z < #p do z[#z + 1] = 0 end
      if #p % 2 == 1 and pairing == "nearest" then p[#p + 1], z[#z + 1] = 0, 0 end
    elseif #p < #z then
      fail(name, sformat("%d zeros and %d poles; wanted at least as many poles", #z, #p))
    end
    local count = math.floor((#p + 1) / 2)
    z, p = pairs_first(name, z), pairs_first(name, p)
    local function badness(x) return analog and abs(complex.re(x)) or abs(1 - complex.abs(x)) end
    local function take_worst(real)
      local best, least
      for j = 1, #p do
        if not real or type(p[j]) == "number" then
          local bad = badness(p[j])
          if not least or bad < least then best, least = j, bad end
        end
      end
      return table.remove(p, best)
    end
    local rows = {}
    for row = count, 1, -1 do
      local p1 = take_worst(false)
      local is_real = type(p1) == "number"
      if is_real and count_real(p) == 0 then
        if pairing ~= "minimal" then rows[row] = section({ take_nearest(z, p1, "real"), 0 }, { p1, 0 })
        elseif #z > 0 then rows[row] = section({ take_nearest(z, p1, "real") }, { p1 })
        else rows[row] = section({}, { p1 }) end
      elseif #p + 1 == #z and not is_real and count_real(p) == 1 and count_real(z) == 1 then
        local z1 = take_nearest(z, p1, "complex")
        rows[row] = section({ z1, complex.conj(z1) }, { p1, complex.conj(p1) })
      else
        local p2 = is_real and take_worst(true) or complex.conj(p1)
        local zeros = {}
        if #z > 0 then
          local z1 = take_nearest(z, p1, "any")
          zeros[1] = z1
          if type(z1) ~= "number" then zeros[2] = complex.conj(z1)
          elseif #z > 0 then zeros[2] = take_nearest(z, p1, "real") end
        end
        rows[row] = section(zeros, { p1, p2 })
      end
    end
    for j = 1, 3 do rows[1][j] = rows[1][j] * k end
    return rows
  end

  function forms.sos2tf(sections)
    local b, a = { 1 }, { 1 }
    for _, s in ipairs(sections) do
      b, a = host.polymul(b, { s[1], s[2], s[3] }), host.polymul(a, { s[4], s[5], s[6] })
    end
    return b, a
  end

  function forms.sos2zpk(name, sections)
    local z, p, k = {}, {}, 1
    for _, s in ipairs(sections) do
      local zs, ps, ks = forms.tf2zpk(name, { s[1], s[2], s[3] }, { s[4], s[5], s[6] })
      for j = 1, 2 do z[#z + 1], p[#p + 1] = zs[j] or 0, ps[j] or 0 end
      k = k * ks
    end
    return z, p, k
  end

  -- ==== Transforms of frequency ====================================================================================

  local function relative_degree(name, z, p)
    if #p < #z then fail(name, sformat("%d zeros and %d poles; wanted at least as many poles", #z, #p)) end
    return #p - #z
  end

  --> signal.lp2lp_zpk({}, {-1}, 1, 2)
  function forms.lp2lp_zpk(name, z, p, k, wo)
    local d = relative_degree(name, z, p)
    local function scaled(x) return x * wo end
    return host.map(z, scaled), host.map(p, scaled), k * wo ^ d
  end

  local function minus(x) return -1 * x end

  --> signal.lp2hp_zpk({}, {-1}, 1, 2)
  function forms.lp2hp_zpk(name, z, p, k, wo)
    local d = relative_degree(name, z, p)
    local function turned(x) return wo / x end
    local gain = k * complex.re(host.product(host.map(z, minus)) / host.product(host.map(p, minus)))
    return host.concat(host.map(z, turned), host.repeated(0, d)), host.map(p, turned), gain
  end

  --- x + sqrt(x^2 - wo^2) of all, then x - sqrt of all.
  local function split(list, wo)
    local plus, less = {}, {}
    for k, x in ipairs(list) do
      local root = complex.sqrt(x * x - wo * wo)
      plus[k], less[k] = x + root, x - root
    end
    return host.concat(plus, less)
  end

  --> signal.lp2bp_zpk({}, {-1}, 1, 2, 1)
  function forms.lp2bp_zpk(name, z, p, k, wo, bw)
    local d = relative_degree(name, z, p)
    local function scaled(x) return x * bw / 2 end
    return host.concat(split(host.map(z, scaled), wo), host.repeated(0, d)), split(host.map(p, scaled), wo), k * bw ^ d
  end

  --> signal.lp2bs_zpk({}, {-1}, 1, 2, 1)
  function forms.lp2bs_zpk(name, z, p, k, wo, bw)
    local d = relative_degree(name, z, p)
    local function turned(x) return bw / 2 / x end
    local gain = k * complex.re(host.product(host.map(z, minus)) / host.product(host.map(p, minus)))
    local zeros = split(host.map(z, turned), wo)
    for sign = 1, -1, -2 do zeros = host.concat(zeros, host.repeated(complex.new(0, sign * wo), d)) end
    return zeros, split(host.map(p, turned), wo), gain
  end

  --> signal.bilinear_zpk({}, {-1}, 1, 1)
  function forms.bilinear_zpk(name, z, p, k, fs)
    local d, fs2 = relative_degree(name, z, p), 2 * fs
    local function mapped(x) return (fs2 + x) / (fs2 - x) end
    local function below(x) return fs2 - x end
    local gain = k * complex.re(host.product(host.map(z, below)) / host.product(host.map(p, below)))
    return host.concat(host.map(z, mapped), host.repeated(-1, d)), host.map(p, mapped), gain
  end

  --- The sum over the powers of `list` of its coefficients times up^i down^(degree - i).
  local function substitute(list, degree, up, down)
    local function powers(p)
      local result = { [0] = { 1 } }
      for k = 1, degree do result[k] = host.polymul(result[k - 1], p) end
      return result
    end
    local ups, downs, sum = powers(up), powers(down), { 0 }
    for k = 1, #list do
      local power = #list - k
      sum = host.polyadd(sum, host.polymul(ups[power], downs[degree - power]), list[k])
    end
    return sum
  end

  --- s becomes up / down, two polynomials.
  function forms.substitute(name, b, a, up, down)
    b, a = host.trim(b), host.trim(a)
    local degree = max(#a, #b) - 1
    local num, den = substitute(b, degree, up, down), substitute(a, degree, up, down)
    return forms.normalize(name, num, den)
  end

  -- ==== Functions ==================================================================================================

  local function read_tf(name, b, a)
    local list_b, device_b = host.coefficients(name, "b", b)
    local list_a, device_a = host.coefficients(name, "a", a)
    return list_b, list_a, device_b or device_a
  end
  shared.read_tf = read_tf

  local function read_zpk(name, z, p, k)
    local list_z, device_z = host.list(name, "z", z)
    local list_p, device_p = host.list(name, "p", p)
    return list_z, list_p, host.scalar(name, "k", k), device_z or device_p
  end
  shared.read_zpk = read_zpk

  local function give_tf(device, b, a) return host.array(b, device), host.array(a, device) end
  local function give_zpk(device, z, p, k)
    return host.complex_array(z, device), host.complex_array(p, device), host.value(k)
  end
  shared.give_tf, shared.give_zpk = give_tf, give_zpk

  --> signal.normalize({2, 4}, {2, 1})
  def("signal.normalize(b: data, a: data) -> array, array",
    "Numerator without zeros in front, and denominator, over its first coefficient.",
    function(b, a)
      local list_b, list_a, device = read_tf("signal.normalize", b, a)
      return give_tf(device, forms.normalize("signal.normalize", list_b, list_a))
    end)

  --> signal.tf2zpk({1}, {1, 1})
  def("signal.tf2zpk(b: data, a: data) -> array, array, number",
    "Zeros, poles (both complex128) and gain from numerator and denominator.", function(b, a)
    local name = "signal.tf2zpk"
    local list_b, list_a, device = read_tf(name, b, a)
    return give_zpk(device, forms.tf2zpk(name, list_b, list_a))
  end)

  --> signal.zpk2tf({}, {-1}, 1)
  def("signal.zpk2tf(z: data, p: data, k: data) -> array, array",
    "Numerator and denominator from zeros, poles and gain.", function(z, p, k)
    local list_z, list_p, gain, device = read_zpk("signal.zpk2tf", z, p, k)
    return give_tf(device, forms.zpk2tf(list_z, list_p, gain))
  end)

  --> signal.zpk2sos({}, {0.5}, 1)
  def("signal.zpk2sos(z: data, p: data, k: data, pairing?: string; analog?: boolean) -> array",
    "Sections of second order from zeros, poles and gain; pairing "
    .. "'nearest', 'keep_odd' or 'minimal' says how zeros meet poles.", function(z, p, k, pairing, analog)
    local name = "signal.zpk2sos"
    local list_z, list_p, gain, device = read_zpk(name, z, p, k)
    return host.matrix_array(forms.zpk2sos(name, list_z, list_p, gain, pairing, analog), device)
  end)

  --> signal.tf2sos({1, 0}, {1, 0.5})
  def("signal.tf2sos(b: data, a: data, pairing?: string; analog?: boolean) -> array",
    "Sections of second order from numerator and denominator.",
    function(b, a, pairing, analog)
      local name = "signal.tf2sos"
      local list_b, list_a, device = read_tf(name, b, a)
      local z, p, k = forms.tf2zpk(name, list_b, list_a)
      return host.matrix_array(forms.zpk2sos(name, z, p, k, pairing, analog), device)
    end)

  local function read_sos(name, sos)
    local rows, device = host.matrix(name, "sos", sos)
    if #rows == 0 or #rows[1] ~= 6 then fail(name, "sos has no rows of 6 numbers; wanted sections") end
    return rows, device
  end

  --> signal.sos2tf({{1, 0, 0, 1, 0.5, 0}})
  def("signal.sos2tf(sos: data) -> array, array", "Numerator and denominator from sections.", function(sos)
    local rows, device = read_sos("signal.sos2tf", sos)
    return give_tf(device, forms.sos2tf(rows))
  end)
  --> signal.sos2zpk({{1, 0, 0, 1, 0.5, 0}})
  def("signal.sos2zpk(sos: data) -> array, array, number", "Zeros, poles and gain from sections.", function(sos)
    local rows, device = read_sos("signal.sos2zpk", sos)
    return give_zpk(device, forms.sos2zpk("signal.sos2zpk", rows))
  end)

  --# signal_design
  local function transform(name, signature, doc, list)
    local full = "signal." .. name
    def(sformat("%s(b: data, a: data%s) -> array, array",
      full, signature), doc .. ", of numerator and denominator.", function(b, a, x, y)
      local list_b, list_a, device = read_tf(full, b, a)
      local up, down = list(common.number(full, "a frequency", x or 1), common.number(full, "bw", y or 1))
      return give_tf(device, forms.substitute(full, list_b, list_a, up, down))
    end)
    def(sformat("%s_zpk(z: data, p: data, k: data%s) -> array, array, number",
      full, signature), doc .. ", of zeros, poles and gain.", function(z, p, k, x, y)
      local list_z, list_p, gain, device = read_zpk(full .. "_zpk", z, p, k)
      x, y = common.number(full, "a frequency", x or 1), common.number(full, "bw", y or 1)
      return give_zpk(device, forms[name .. "_zpk"](full .. "_zpk", list_z, list_p, gain, x, y))
    end)
  end

  --> signal.lp2lp({1}, {1, 1}, 2)
  transform("lp2lp", ", wo?: number",
    "A lowpass filter with its corner at wo", function(wo) return { 1, 0 }, { wo } end)
  --> signal.lp2hp({1}, {1, 1}, 2)
  transform("lp2hp", ", wo?: number",
    "A highpass filter with its corner at wo", function(wo) return { wo }, { 1, 0 } end)
  --> signal.lp2bp({1}, {1, 1}, 2, 1)
  transform("lp2bp", ", wo?: number, bw?: number", "A bandpass filter around wo, bw wide",
    function(wo, bw) return { 1, 0, wo * wo }, { bw, 0 } end)
  --> signal.lp2bs({1}, {1, 1}, 2, 1)
  transform("lp2bs", ", wo?: number, bw?: number", "A bandstop filter around wo, bw wide",
    function(wo, bw) return { bw, 0 }, { 1, 0, wo * wo } end)
  --> signal.bilinear({1}, {1, 1})
  transform("bilinear", ", fs?: number", "The digital filter of an analog one at fs samples a second",
    function(fs) return { 2 * fs, -2 * fs }, { 1, 1 } end)
end
