--- Filters over signals: recursive ones by a parallel recurrence in C (kernels/signal), others by sums of products.

local sformat, floor, max = require("moonarray.text").format, math.floor, math.max

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local is_array = core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local host = shared.host
  local complex = host.complex
  local along = shared.along

  local MOST_SECTIONS = 8                -- that run in one pass
  local LONG = 1024                      -- coefficients from which transforms are faster than sums

  -- ==== Rows =======================================================================================================

  --- The array as contiguous rows along an axis, and a function that turns such rows back.
  local function rows_of(x, axis)
    if x.ndim == 1 then
      local n = x.size
      return core.contiguous(x):reshape(n == 0 and 0 or 1, n), function(result, size)
        return result:reshape(size or n)
      end
    end
    local moved = x:moveaxis(axis, -1)
    local shape = moved.shape
    local n = shape[#shape]
    local rows = core.contiguous(moved):reshape(n == 0 and 0 or x.size / n, n)
    return rows, function(result, size)
      local wanted = { unpack(shape) }
      wanted[#wanted] = size or n
      return result:reshape(wanted):moveaxis(-1, axis)
    end
  end

  --- The dtype of a result: that of x, wider if coefficients in an array are, complex if any number is.
  local function result_dtype(x, any_complex, ...)
    if x.dtype == "complex128" then return "complex128" end
    local dtype = shared.wide_dtype(x.dtype)
    for k = 1, select("#", ...) do
      local other = select(k, ...)
      if other and other ~= dtype then dtype = ma.promote_types(dtype, shared.wide_dtype(other)) end
    end
    if any_complex and not is.complexfloating[dtype] then
      dtype = dtype == "float32" and "complex64" or "complex128"
    end
    return dtype
  end

  -- ==== The recurrence =============================================================================================

  --- The matrix of a filter: what fn does to the state before one element that is 0.
  local function matrix_of(order, fn)
    local matrix = host.zeros(order, 0)
    for j = 1, order do
      local z = host.repeated(0, order)
      z[j] = 1
      z = fn(z)
      for i = 1, order do matrix[i][j] = z[i] end
    end
    return matrix
  end

  local function square(m)
    local n, result = #m, {}
    for i = 1, n do
      local row, from = {}, m[i]
      for j = 1, n do row[j] = 0 end
      for k = 1, n do
        local factor = from[k]
        if factor ~= 0 then
          local other = m[k]
          for j = 1, n do row[j] = row[j] + factor * other[j] end
        end
      end
      result[i] = row
    end
    return result
  end

  --- The powers 1, 2, 4 ... of the matrix that `make` makes. The core says how many it wants for rows of n elements;
  --- the CPU reads none for short rows.
  local function powers_of(make, n, device, wide)
    if device == "cpu" and n < 8192 then return nil end
    local matrix, levels, flat = make(), 18, {}
    while 2 ^ (levels - 2) < n do levels = levels + 1 end
    for level = 1, levels do
      for _, row in ipairs(matrix) do
        for j = 1, #row do flat[#flat + 1] = row[j] end
      end
      if level < levels then matrix = square(matrix) end
    end
    return host.array(flat, device, wide):reshape(levels, #matrix, #matrix)
  end

  --- Rows through a filter of an order: the results, and the states behind them if `with_end`.
  local function run(rows, coefficients, matrix, start, sections, with_end)
    local wide = shared.is_complex(rows)
    local device, n = rows.device, rows.shape[2]
    if start then
      start = core.contiguous(start:astype(wide and "complex128" or "float64", { copy = false }))
    end
    return core.signal_recurrence(rows, host.array(coefficients, device, wide),
      powers_of(matrix, n, device, wide), start, sections, with_end)
  end

  local function filter_matrix(a, order)
    return matrix_of(order, function(z)
      local result = {}
      for i = 1, order do result[i] = (z[i + 1] or 0) - (a[i + 1] or 0) * z[1] end
      return result
    end)
  end

  local function sections_matrix(sections)
    return matrix_of(2 * #sections, function(z)
      local result, x = {}, 0
      for k, s in ipairs(sections) do
        local y = s[1] * x + z[2 * k - 1]
        result[2 * k - 1] = s[2] * x - s[5] * y + z[2 * k]
        result[2 * k] = s[3] * x - s[6] * y
        x = y
      end
      return result
    end)
  end

  -- ==== Arguments ==================================================================================================

  --- Numerator and denominator as lists over a[1].
  local function read_filter(name, b, a, x_device)
    local list_b, device_b, dtype_b = host.coefficients(name, "b", b)
    local list_a, device_a, dtype_a = host.coefficients(name, "a", a)
    local first = list_a[1]
    if first == 0 then fail(name, "a[1] is 0; wanted another number") end
    local other = device_b and device_b ~= x_device and device_b or device_a
    if x_device and other and other ~= x_device then
      fail(name, sformat("coefficients on %s for a signal on %s; wanted one device", other, x_device))
    end
    if first ~= 1 then
      list_b = host.map(list_b, function(v) return v / first end)
      list_a = host.map(list_a, function(v) return v / first end)
    end
    while #list_a > 1 and list_a[#list_a] == 0 do list_a[#list_a] = nil end
    return list_b, list_a, dtype_b, dtype_a, device_b or device_a
  end

  --- States as an array, of this shape; `fits(d)` says where another extent is taken too.
  local function states_of(name, zi, x, shape, fits)
    zi = is_array(zi) and zi or core.asarray(zi, { device = x.device })
    local same = zi.ndim == #shape
    for d = 1, same and #shape or 0 do same = same and (zi.shape[d] == shape[d] or fits and fits(zi, d)) end
    if not same then
      fail(name, sformat("zi of shape %s; wanted (%s)", common.shape_text(zi), table.concat(shape, ", ")))
    end
    return zi
  end

  --- States of a filter along an axis as rows: broadcast to the shape of x with `order` elements along the axis.
  local function start_rows(name, zi, x, axis, order, dtype)
    local shape = x.shape
    shape[axis] = order
    zi = states_of(name, zi, x, shape, function(a, d) return d ~= axis and a.shape[d] == 1 end)
    return (rows_of(zi:astype(dtype, { copy = false }):broadcast_to(shape), axis))
  end

  -- ==== Filters without feedback ===================================================================================

  --- Rows through a filter without feedback: all n + #b - 1 sums, or as many as a row has elements.
  local function sums(rows, b, count)
    local taps = host.array(b, rows.device, shared.is_complex(rows)):astype(rows.dtype, { copy = false })
    if #b >= LONG and rows.shape[2] >= LONG and common.has_transforms[rows.device] then
      local full = ma.signal.oaconvolve(rows, taps:reshape(1, #b), "full", { axes = { 2 } })
      return core.contiguous(along(full, 2, 1, count))
    end
    return core.signal_upfirdn(rows, taps, 1, 1, 0, count)
  end

  local function without_feedback(name, b, x, axis, zi, dtype)
    local rows, back = rows_of(x, axis)
    local n, order = rows.shape[2], #b - 1
    if zi == nil then return back(sums(rows, b, n)) end
    local start = start_rows(name, zi, x, axis, order, dtype)
    if n == 0 then return x:copy(), back(start:copy(), order) end
    local full = sums(rows, b, n + order)
    if order > 0 then along(full, 2, 1, order):iadd(start) end
    local ends = core.contiguous(along(full, 2, n + 1, n + order))
    return back(core.contiguous(along(full, 2, 1, n))), back(ends, order)
  end

  -- ==== lfilter ====================================================================================================

  local function lfilter(name, b, a, x, axis, zi)
    x, axis = shared.lines(name, x, axis, shared.device_of(b, a, zi))
    local list_b, list_a, dtype_b, dtype_a = read_filter(name, b, a, x.device)
    local order = max(#list_b, is_array(a) and a.size or type(a) == "table" and #a or 1) - 1
    local zi_dtype = is_array(zi) and zi.dtype or nil
    local is_wide = not (host.is_real(list_b) and host.is_real(list_a))
    local dtype = result_dtype(x, is_wide, dtype_b, dtype_a, zi_dtype)
    x = x:astype(dtype, { copy = false })
    if #list_a == 1 then
      for k = #list_b + 1, order + 1 do list_b[k] = 0 end
      return without_feedback(name, list_b, x, axis, zi, dtype)
    end
    local rows, back = rows_of(x, axis)
    local start = zi ~= nil and start_rows(name, zi, x, axis, order, dtype) or nil
    if x.size == 0 then
      if start then return x:copy(), back(start:copy(), order) end
      return x:copy()
    end
    local coefficients = { list_b[1] }
    for k = 2, order + 1 do
      coefficients[#coefficients + 1] = list_b[k] or 0
      coefficients[#coefficients + 1] = list_a[k] or 0
    end
    local function matrix() return filter_matrix(list_a, order) end
    local y, z = run(rows, coefficients, matrix, start, 0, start ~= nil)
    if not start then return back(y) end
    return back(y), back(z:astype(dtype, { copy = false }), order)
  end

  --> signal.lfilter({0.5, 0.5}, {1}, {1, 2, 3})
  def("signal.lfilter(b: data, a: data, x: data, axis?: integer|integer[], zi?: data) -> array",
    "A filter along an axis, with numerator b and denominator a: a[1] y[n] = "
    .. "b[1] x[n] + b[2] x[n - 1] + ... - a[2] y[n - 1] - .... With states zi before the first element, the states "
    .. "behind the last one follow. b and a in arrays on a GPU are read, which waits; in tables they are not. "
    .. "Computed in float64.",
    function(b, a, x, axis, zi) return lfilter("signal.lfilter", b, a, x, axis, zi) end)

  --- States of the filter after it was at rest with input 1 for ever.
  local function steady(name, b, a)
    local sum_a, sum_b = 0, 0
    for k = 1, #a do sum_a = sum_a + a[k] end
    for k = 1, #b do sum_b = sum_b + b[k] end
    if complex.abs(sum_a) == 0 then fail(name, "the coefficients a add up to 0; wanted a filter that comes to rest") end
    local gain, order, zi, sum = sum_b / sum_a, max(#a, #b) - 1, {}, 0
    for k = order, 1, -1 do
      sum = sum + (b[k + 1] or 0) - (a[k + 1] or 0) * gain
      zi[k] = sum
    end
    return zi, gain
  end

  local function steady_array(name, b, a)
    local trimmed = host.trim((host.coefficients(name, "a", a)))
    local list_b, list_a, _, _, device = read_filter(name, b, trimmed)
    device = device or shared.device_of(b, a)
    for k = #list_a + 1, #trimmed do list_a[k] = 0 end
    return host.array(steady(name, list_b, list_a), device)
  end

  --> signal.lfilter_zi({0.5, 0.5}, {1, 0})
  def("signal.lfilter_zi(b: data, a: data) -> array",
    "States of lfilter for a signal that was 1 for ever; times its first element, they begin without a step.",
    function(b, a) return steady_array("signal.lfilter_zi", b, a) end)

  --> signal.lfiltic({0.5, 0.5}, {1, 0}, {1})
  def("signal.lfiltic(b: data, a: data, y: data, x?: data) -> array",
    "States of lfilter from the last outputs y and inputs x, the latest first.",
    function(b, a, y, x)
      local name = "signal.lfiltic"
      local list_b, list_a, _, _, device = read_filter(name, b, a)
      local order = max(#list_b, #host.list(name, "a", a)) - 1
      local last_y = host.list(name, "y", y)
      local last_x = x ~= nil and host.list(name, "x", x) or {}
      local zi = {}
      for m = 1, order do
        local sum = 0
        for k = m + 1, #list_b do sum = sum + list_b[k] * (last_x[k - m] or 0) end
        for k = m + 1, #list_a do sum = sum - list_a[k] * (last_y[k - m] or 0) end
        zi[m] = sum
      end
      return host.array(zi, device or shared.device_of(y, x))
    end)

  --> signal.deconvolve({1, 3, 5, 3}, {1, 1})
  def("signal.deconvolve(signal: data, divisor: data) -> array, array",
    "Quotient and remainder: signal = convolve(divisor, quotient) + remainder.",
    function(signal, divisor)
      local name = "signal.deconvolve"
      local num = shared.floating(shared.vector(name, "signal", signal))
      local den = shared.floating(shared.vector(name, "divisor", divisor, num.device))
      if den.size == 0 then fail(name, "divisor is empty; wanted at least one coefficient") end
      if den.size > num.size then return ma.zeros(0, { dtype = num.dtype, device = num.device }), num end
      local n = num.size - den.size + 1
      local quotient = lfilter(name, { 1 }, divisor, num[{ { 1, n } }])
      return quotient, num - ma.signal.convolve(den, quotient, "full")
    end)

  -- ==== Sections ===================================================================================================

  --- Sections as lists over their a0, with the device and dtype of an array.
  local function read_sections(name, sos)
    local rows, device, dtype = host.matrix(name, "sos", sos)
    for k, row in ipairs(rows) do
      if #row ~= 6 then fail(name, sformat("a row of %d numbers in sos; wanted 6", #row)) end
      if row[4] ~= 1 then
        fail(name, sformat("sos(%d, 4) is %s; wanted 1", k, complex.is_real(row[4]) and row[4] or "complex"))
      end
    end
    if #rows == 0 then fail(name, "no sections in sos; wanted at least one") end
    return rows, device, dtype
  end
  shared.read_sections = read_sections

  local function sections_real(rows)
    for _, row in ipairs(rows) do
      if not host.is_real(row) then return false end
    end
    return true
  end

  --- zi of shape (sections, ..., 2, ...) as rows of 2 * sections states.
  local function section_starts(name, zi, x, axis, count, dtype)
    local shape = x.shape
    shape[axis] = 2
    table.insert(shape, 1, count)
    zi = states_of(name, zi, x, shape)
    local rows = x.shape[axis] == 0 and 1 or x.size / x.shape[axis]
    if x.shape[axis] == 0 then
      for d = 1, x.ndim do rows = d == axis and rows or rows * x.shape[d] end
    end
    local moved = zi:astype(dtype, { copy = false }):moveaxis(axis + 1, -1)
    return core.contiguous(moved):reshape(count, rows, 2):moveaxis(1, 2), moved.shape
  end

  local function sosfilt(name, sos, x, axis, zi)
    x, axis = shared.lines(name, x, axis, shared.device_of(sos, zi))
    local sections, device, sos_dtype = read_sections(name, sos)
    if device and device ~= x.device then
      fail(name, sformat("sos on %s for a signal on %s; wanted one device", device, x.device))
    end
    local dtype = result_dtype(x, not sections_real(sections), sos_dtype, is_array(zi) and zi.dtype or nil)
    x = x:astype(dtype, { copy = false })
    local rows, back = rows_of(x, axis)
    local starts, zi_shape
    if zi ~= nil then starts, zi_shape = section_starts(name, zi, x, axis, #sections, dtype) end
    if x.size == 0 then
      if starts then return x:copy(), zi:copy() end
      return x:copy()
    end
    local ends = {}
    for first = 1, #sections, MOST_SECTIONS do
      local part, coefficients = {}, {}
      for k = first, math.min(first + MOST_SECTIONS - 1, #sections) do
        local s = sections[k]
        part[#part + 1] = s
        for _, j in ipairs { 1, 2, 3, 5, 6 } do coefficients[#coefficients + 1] = s[j] end
      end
      local start
      if starts then
        start = core.contiguous(along(starts, 2, first, first + #part - 1)):reshape(rows.shape[1], 2 * #part)
      end
      local z
      local function matrix() return sections_matrix(part) end
      rows, z = run(rows, coefficients, matrix, start, #part, start ~= nil)
      if z then ends[#ends + 1] = z:reshape(z.shape[1], #part, 2) end
    end
    if not starts then return back(rows) end
    local z = #ends == 1 and ends[1] or ma.concatenate(ends, 2)
    z = core.contiguous(z:astype(dtype, { copy = false }):moveaxis(1, 2)):reshape(zi_shape)
    return back(rows), z:moveaxis(-1, axis + 1)
  end

  --> signal.sosfilt: ma.signal.sosfilt(ma.signal.butter(2, 0.5, {output = "sos"}), {1, 2, 3}):round(6)
  def("signal.sosfilt(sos: data, x: data, axis?: integer|integer[], zi?: data) -> array",
    "A filter along an axis that is given as sections of second order, rows "
    .. "of b0, b1, b2, a0, a1, a2. With states zi of shape (sections, ..., 2, ...) the last states follow. Computed "
    .. "in float64, up to 8 sections in one pass.",
    function(sos, x, axis, zi) return sosfilt("signal.sosfilt", sos, x, axis, zi) end)

  local function sections_steady(name, sections)
    local zi, scale = {}, 1
    for k, s in ipairs(sections) do
      local own, gain = steady(name, { s[1], s[2], s[3] }, { s[4], s[5], s[6] })
      zi[k] = host.map(own, function(v) return v * scale end)
      scale = scale * gain
    end
    return zi
  end

  --> signal.sosfilt_zi: ma.signal.sosfilt_zi(ma.signal.butter(2, 0.5, {output = "sos"})):round(6)
  def("signal.sosfilt_zi(sos: data) -> array",
    "States of sosfilt for a signal that was 1 for ever, of shape (sections, 2).",
    function(sos)
      local name = "signal.sosfilt_zi"
      local sections, device = read_sections(name, sos)
      return host.matrix_array(sections_steady(name, sections), device)
    end)

  -- ==== There and back =============================================================================================

  --- The array with `edge` more elements on both sides of an axis.
  local function extend(x, axis, edge, padtype)
    if edge == 0 then return x end
    local n = x.shape[axis]
    local first, last = along(x, axis, 1, 1), along(x, axis, n, n)
    if padtype == "constant" then
      local shape = x.shape
      shape[axis] = edge
      return ma.concatenate({ first:broadcast_to(shape), x, last:broadcast_to(shape) }, axis)
    end
    local left = ma.flip(along(x, axis, 2, edge + 1), axis)
    local right = ma.flip(along(x, axis, n - edge, n - 1), axis)
    if padtype == "odd" then left, right = first * 2 - left, last * 2 - right end
    return ma.concatenate({ left, x, right }, axis)
  end

  local function padding(name, x, axis, padtype, padlen, taps)
    if padtype == nil then padtype = "odd" end
    if padtype ~= false and padtype ~= "none" then
      shared.choice(name, "padtype", padtype, "odd", "even", "constant", "none")
    end
    local edge = (padtype == false or padtype == "none") and 0 or padlen or 3 * taps
    common.whole(name, "padlen", edge, 0)
    if x.shape[axis] <= edge then
      fail(name, sformat("%d elements along the axis; wanted more than padlen, %d", x.shape[axis], edge))
    end
    return edge, extend(x, axis, edge, padtype)
  end

  local function without_edges(y, axis, edge)
    return edge > 0 and along(y, axis, edge + 1, y.shape[axis] - edge):copy() or y
  end

  --- Filters forward and then backward. apply(x, state) filters; it begins with `state` times the first element of the
  --- axis.
  local function both_ways(x, axis, edge, apply)
    local y = apply(x, along(x, axis, 1, 1))
    y = ma.flip(y, axis)
    y = apply(y, along(y, axis, 1, 1))
    return without_edges(ma.flip(y, axis), axis, edge)
  end

  --- Gustafsson's method: it chooses the states at both ends so that the order of the two directions does not matter.
  local function gustafsson(name, b, a, x, axis, irlen)
    local order = max(#b, #a) - 1
    if order == 0 then return x * host.value((b[1] / a[1]) * (b[1] / a[1])) end
    x = x:moveaxis(axis, -1)
    local n, device = x.shape[x.ndim], x.device
    local m = (irlen == nil or n <= 2 * irlen) and n or irlen
    local options = { dtype = "float64", device = device }
    local start = host.repeated(0, order)
    start[1] = 1
    local observed = (lfilter(name, b, a, ma.zeros(m, options), -1, host.array(start, device)))
    local columns = {}
    for k = 1, order do columns[k] = k == 1 and observed or shared.window_along(observed, 1, 2 - k, m) end
    local obs = ma.stack(columns, 2)
    local obs_r = ma.flip(obs, 1)
    local s = lfilter(name, b, a, obs_r, 1)
    local s_r = ma.flip(s, 1)
    local function both(left, right)
      if m == n then return ma.concatenate({ left, right }, 2) end
      local zeros = ma.zeros({ m, order }, options)
      return ma.concatenate({ ma.concatenate({ left, zeros }, 2), ma.concatenate({ zeros, right }, 2) }, 1)
    end
    local function backward(v) return ma.flip(lfilter(name, b, a, ma.flip(v, v.ndim), -1), v.ndim) end
    local y = backward((lfilter(name, b, a, x, -1)))
    local gap = lfilter(name, b, a, backward(x), -1) - y
    local function ends(v)
      if m == n then return v end
      return ma.concatenate({ along(v, v.ndim, 1, m), along(v, v.ndim, n - m + 1, n) }, v.ndim)
    end
    local wanted = ends(gap)
    local length = wanted.shape[wanted.ndim]
    local solution = ma.linalg.lstsq(both(s_r - obs, obs_r - s), wanted:reshape(x.size / n, length).T)
    local shape = wanted.shape
    local change = ma.matmul(both(s_r, obs_r), solution).T:reshape(shape)
    if m == n then y = y + change
    else
      y = y:copy()
      along(y, y.ndim, 1, m):iadd(along(change, y.ndim, 1, m))
      along(y, y.ndim, n - m + 1, n):iadd(along(change, y.ndim, m + 1, 2 * m))
    end
    return y:moveaxis(-1, axis)
  end

  local function filtfilt(name, b, a, x, axis, padtype, padlen, method, irlen)
    x, axis = shared.lines(name, x, axis, shared.device_of(b, a))
    shared.choice(name, "method", method or "pad", "pad", "gust")
    local list_b, list_a, dtype_b, dtype_a = read_filter(name, b, a, x.device)
    x = x:astype(result_dtype(x, not (host.is_real(list_b) and host.is_real(list_a)), dtype_b, dtype_a),
      { copy = false })
    if method == "gust" then return gustafsson(name, list_b, list_a, x, axis, irlen) end
    local taps = max(#list_b, is_array(a) and a.size or type(a) == "table" and #a or 1)
    local edge, extended = padding(name, x, axis, padtype, padlen, taps)
    if max(#list_b, #list_a) == 1 then return x * host.value(list_b[1] * list_b[1]) end
    local zi = host.array(steady(name, list_b, list_a), x.device):astype(x.dtype)
    zi = shared.upright(zi, x.ndim, axis)
    return both_ways(extended, axis, edge, function(v, first)
      return (lfilter(name, list_b, list_a, v, axis, zi * first))
    end)
  end

  local PADDING = " padtype 'odd', 'even', 'constant' or 'none' extends x by padlen elements on both sides."
  --> signal.filtfilt({0.5, 0.5}, {1}, {1, 2, 3, 4, 5, 6, 7, 8})
  def("signal.filtfilt(b: data, a: data, x: data, axis?: integer|integer[], padtype?: string, padlen?: integer, "
    .. "method?: string, irlen?: number) -> array", "A filter forward and then backward, "
    .. "which leaves phases as they are." .. PADDING .. " method 'gust' finds states at the ends instead, from irlen "
    .. "elements.",
    function(b, a, x, axis, padtype, padlen, method, irlen)
      return filtfilt("signal.filtfilt", b, a, x, axis, padtype, padlen, method, irlen)
    end)

  --> signal.sosfiltfilt: ma.signal.sosfiltfilt(ma.signal.butter(2, 0.5, {output = "sos"}), ma.ones(12)):round(6).size
  def("signal.sosfiltfilt(sos: data, x: data, axis?: integer|integer[], padtype?: string, padlen?: integer) -> array",
    "sosfilt forward and then backward." .. PADDING,
    function(sos, x, axis, padtype, padlen)
      local name = "signal.sosfiltfilt"
      x, axis = shared.lines(name, x, axis, shared.device_of(sos))
      local sections, _, sos_dtype = read_sections(name, sos)
      x = x:astype(result_dtype(x, not sections_real(sections), sos_dtype), { copy = false })
      local no_b, no_a = 0, 0
      for _, s in ipairs(sections) do
        no_b, no_a = no_b + (s[3] == 0 and 1 or 0), no_a + (s[6] == 0 and 1 or 0)
      end
      local edge, extended = padding(name, x, axis, padtype, padlen, 2 * #sections + 1 - math.min(no_b, no_a))
      local shape = common.upright(x.ndim, axis, 2)
      table.insert(shape, 1, #sections)
      local zi = host.matrix_array(sections_steady(name, sections), x.device):astype(x.dtype):reshape(shape)
      return both_ways(extended, axis, edge, function(v, first)
        return (sosfilt(name, sections, v, axis, zi * ma.expand_dims(first, 1)))
      end)
    end)

  -- ==== cupyx.signal's names =======================================================================================

  --> signal.firfilter({0.5, 0.5}, {1, 2, 3})
  def("signal.firfilter(b: data, x: data, axis?: integer|integer[], zi?: data) -> array",
    "A filter without feedback along an axis; with states zi the last states "
    .. "follow. The same as lfilter(b, 1, x, axis, zi).",
    function(b, x, axis, zi) return lfilter("signal.firfilter", b, { 1 }, x, axis, zi) end)
  --> signal.firfilter_zi({0.5, 0.5})
  def("signal.firfilter_zi(b: data) -> array", "States of firfilter for a signal that was 1 for ever.",
    function(b) return steady_array("signal.firfilter_zi", b, { 1 }) end)
  --> signal.firfilter2({0.5, 0.5}, {1, 2, 3, 4, 5, 6, 7, 8})
  def("signal.firfilter2(b: data, x: data, axis?: integer|integer[], padtype?: string, padlen?: integer, "
    .. "method?: string, irlen?: number) -> array",
    "A filter without feedback forward and then backward: filtfilt(b, 1, x ...).",
    function(b, x, axis, padtype, padlen, method, irlen)
      return filtfilt("signal.firfilter2", b, { 1 }, x, axis, padtype, padlen, method, irlen)
    end)

  -- ==== Changes of the rate ========================================================================================

  --- Kept elements first .. first + count - 1, counted from 0, along an axis; n + taps - 1 sums if count is nil.
  function shared.upfirdn(name, h, x, up, down, axis, first, count)
    local dtype = result_dtype(x, shared.is_complex(h), h.dtype)
    local rows, back = rows_of(x:astype(dtype, { copy = false }), axis)
    local n = rows.shape[2]
    count = count or floor(((n - 1) * up + h.size - 1) / down) + 1
    if rows.size == 0 then fail(name, "no elements; wanted at least one along each axis") end
    return back(core.signal_upfirdn(rows, core.contiguous(h:astype(dtype, { copy = false })), up, down, first or 0,
      count), count)
  end

  --- The same of a signal that goes on beyond its ends by a mode; `what` is the mode's argument.
  function shared.upfirdn_beyond(name, what, h, x, up, down, axis, mode, cval, first, count)
    local reach = math.ceil((h.size - 1) / up)
    local front = math.ceil(reach / down) * down           -- a whole number of kept elements in front
    local wide = shared.beyond(name, what, x, axis, front, reach, mode, cval)
    return shared.upfirdn(name, h, wide, up, down, axis, front * up / down + first, count)
  end

  --> signal.upfirdn({1, 1}, {1, 2, 3}, 2)
  def("signal.upfirdn(h: data, x: data, up?: integer, down?: integer, axis?: integer|integer[]; mode?: string, "
    .. "cval?: number) -> array", "Puts up - 1 zeros between the elements along an axis, "
    .. "filters by h, and keeps every down-th element. mode: how x goes on beyond its ends: 'constant' (cval, 0), "
    .. "'edge', 'wrap', 'symmetric', 'reflect', 'antisymmetric' and 'antireflect' (these with the sign or the slope "
    .. "turned), 'smooth' (along the last two elements), 'line' (along the first and last), 'mean', 'median', "
    .. "'maximum' or 'minimum'.",
    function(h, x, up, down, axis, mode, cval)
      local name = "signal.upfirdn"
      x = shared.signal(name, "x", x, shared.device_of(h))
      h = shared.floating(shared.vector(name, "h", h, x.device))
      if h.size == 0 then fail(name, "h is empty; wanted at least one coefficient") end
      up, down = common.whole(name, "up", up or 1, 1), common.whole(name, "down", down or 1, 1)
      axis = common.axis(name, axis or -1, x.ndim)
      mode = mode or "constant"
      if mode == "constant" and (cval == nil or cval == 0) then return shared.upfirdn(name, h, x, up, down, axis) end
      local count = floor(((x.shape[axis] - 1) * up + h.size - 1) / down) + 1
      return shared.upfirdn_beyond(name, "mode", h, x, up, down, axis, mode, cval, 0, count)
    end)
end
