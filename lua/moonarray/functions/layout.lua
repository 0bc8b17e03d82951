--- The layout of an array in memory: changing it, querying it, and finding shared memory of two arrays.
--# create

local sformat, abs, min, floor = require("moonarray.text").format, math.abs, math.min, math.floor

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  -- ==== Changing the layout ====

  local function is_fortran(a) return a.T.is_contiguous end

  local function in_c(a) return a.is_contiguous and a or a:copy() end
  local function in_fortran(a) return is_fortran(a) and a or a:copy("F") end

  --- As an array of one axis at least. Without options there is no table of them.
  local function deep(a, dtype, device)
    a = device == nil and ma.asarray(a, dtype) or ma.asarray(a, { dtype = dtype, device = device })
    return a.ndim > 0 and a or a:reshape(1)
  end

  --> asanyarray({1, 2, 3})
  def("asanyarray(a: data, dtype?: dtype, order?: string; device?: string) -> array",
    "asarray: there is one kind of array here.",
    function(a, dtype, order, device)
      return ma.asarray(a, { dtype = dtype, order = order, device = device })
    end)

  --> asarray_chkfinite({1, 2, 3})
  def("asarray_chkfinite(a: data, dtype?: dtype, order?: string; device?: string) -> array",
    "asarray, and an error if an element is inf or nan. Waits.",
    function(a, dtype, order, device)
      a = ma.asarray(a, { dtype = dtype, order = order, device = device })
      if is.inexact[a.dtype] and not ma.isfinite(a):all() then
        fail("asarray_chkfinite", "an element that is inf or nan; finite ones")
      end
      return a
    end)

  --> ascontiguousarray: ma.ascontiguousarray(ma.ones({2, 3}).T).is_contiguous
  def("ascontiguousarray(a: data, dtype?: dtype; device?: string) -> array",
    "The array with its elements in C order without gaps, of one axis at "
    .. "least: itself if it is so, else a copy.",
    function(a, dtype, device) return in_c(deep(a, dtype, device)) end)

  --> asfortranarray: ma.asfortranarray(ma.ones({2, 3})).strides[1]
  def("asfortranarray(a: data, dtype?: dtype; device?: string) -> array",
    "The array with its elements in Fortran's order, the first axis running "
    .. "fastest, of one axis at least: itself if it is so, else a copy.",
    function(a, dtype, device) return in_fortran(deep(a, dtype, device)) end)

  --# logic
  --> isfortran(ma.ones({2, 3}).T)
  def("isfortran(a: data) -> boolean",
    "Whether the elements lie in Fortran's order and not in C's too. A Lua boolean; waits for "
    .. "nothing.",
    function(a)
      a = core.asarray(a)
      return is_fortran(a) and not a.is_contiguous
    end)

  local flags = {
    C = "C", C_CONTIGUOUS = "C", CONTIGUOUS = "C", F = "F", F_CONTIGUOUS = "F", FORTRAN = "F", A = "A", ALIGNED = "A",
    W = "W", WRITEABLE = "W", O = "O", OWNDATA = "O", E = "E", ENSUREARRAY = "E",
  }

  local function read_requirements(list)
    local wanted = {}
    if type(list) == "string" then list = { list } end
    for _, word in ipairs(common.type("require", "requirements", list or {}, "table")) do
      local flag = type(word) == "string" and flags[word:upper()]
      if not flag then fail("require", sformat("%s among requirements; C, F, A, W, O or E", core.describe(word))) end
      wanted[flag] = true
    end
    if wanted.C and wanted.F then fail("require", "requirements C and F; one order") end
    return wanted
  end

  --# create
  --> require: ma.require({1, 2}, "float32", "C")
  def("require(a: data, dtype?: dtype, requirements?: string|string[]; device?: string) -> array",
    "The array as it is required to be, itself or a copy: \"C\" or \"F\" order, \"W\" writeable, \"O\" all of its "
      .. "memory and not a part of another's; \"A\" aligned and \"E\" an array hold anyway. A text or a table of "
      .. "them.",
    function(a, dtype, requirements, device)
      local wanted = read_requirements(requirements)
      local keeps = core.is_array(a) and not wanted.C and is_fortran(a)       -- a cast does not change the order
      a = ma.asarray(keeps and a.T or a, { dtype = dtype, device = device })
      if keeps then a = a.T end
      if wanted.C then a = in_c(a) elseif wanted.F then a = in_fortran(a) end
      if (wanted.W and a.readonly) or (wanted.O and not core.is_whole(a)) then
        return (wanted.F or (not wanted.C and is_fortran(a))) and a:copy("F") or a:copy()
      end
      return a
    end)

  -- ==== Shared memory ====

  local function both(name, a, b)
    for k, x in ipairs { a, b } do
      if not core.is_array(x) then fail(name, sformat("argument %d is %s; wanted an array", k, core.describe(x))) end
    end
    return core.gap(a, b)
  end

  --# logic
  --> may_share_memory: local a = ma.ones(4)
  -->   return ma.may_share_memory(a, a["1:2"])
  def("may_share_memory(a: data, b: data, max_work?: integer) -> boolean",
    "Whether the ends of two arrays in memory leave room for a byte that both "
    .. "have: a quick answer that may be true where shares_memory is false.",
    function(a, b) return both("may_share_memory", a, b) ~= nil end)

  --- The steps of an array as { size, greatest count }, and the distance of its first byte from its first element.
  local function steps_of(a, steps)
    local before, shape, strides = 0, a.shape, a.strides
    for d = 1, a.ndim do
      local size, most = abs(strides[d]), shape[d] - 1
      if strides[d] < 0 then before = before + size * most end
      if size > 0 and most > 0 then steps[#steps + 1] = { size, most } end
    end
    if a.itemsize > 1 then steps[#steps + 1] = { 1, a.itemsize - 1 } end
    return before
  end

  local function join_equal(steps)
    table.sort(steps, function(x, y) return x[1] > y[1] end)
    local joined = {}
    for _, step in ipairs(steps) do
      local last = joined[#joined]
      if last and last[1] == step[1] then last[2] = last[2] + step[2]
      else joined[#joined + 1] = { step[1], step[2] } end
    end
    return joined
  end

  --- Whether a sum of n[k] * size[k], with 0 <= n[k] <= most[k], equals `total`. Large steps are tried first; the range
  --- and the greatest common divisor of smaller steps leave few combinations. Raises an error if they are more than
  --- max_work.
  local function has_sum(name, steps, total, max_work)
    local reach, divisor = { [#steps + 1] = 0 }, { [#steps + 1] = 0 }
    for k = #steps, 1, -1 do
      reach[k], divisor[k] = reach[k + 1] + steps[k][1] * steps[k][2], common.gcd(steps[k][1], divisor[k + 1])
    end
    local work = 0
    local function try(k, rest)
      if rest == 0 then return true end
      if k > #steps or rest > reach[k] or rest % divisor[k] ~= 0 then return false end
      local size = steps[k][1]
      local first = math.max(0, math.ceil((rest - reach[k + 1]) / size))
      for n = min(steps[k][2], floor(rest / size)), first, -1 do
        work = work + 1
        if max_work >= 0 and work > max_work then
          fail(name, sformat("more than max_work = %d steps to decide; a larger number, or -1 for an exact "
            .. "answer", max_work))
        end
        if try(k + 1, rest - n * size) then return true end
      end
      return false
    end
    return try(1, total)
  end

  --> shares_memory: local a = ma.ones(4)
  -->   return ma.shares_memory(a["1:2"], a["3:4"])
  def("shares_memory(a: data, b: data, max_work?: integer) -> boolean",
    "Whether two arrays have a byte of memory in common, decided exactly. Where "
    .. "strides are such that this takes more than max_work (-1: no bound) trials, an error; 0 looks at the ends "
    .. "alone.",
    function(a, b, max_work)
      local gap = both("shares_memory", a, b)
      max_work = common.whole("shares_memory", "max_work", max_work or -1)
      if not gap then return false end
      if max_work == 0 then return true end
      local steps = {}
      local before_a = steps_of(a, steps)
      local own = #steps
      local before_b = steps_of(b, steps)
      local length_a, length_b = 1, 1
      for k, step in ipairs(steps) do
        if k <= own then length_a = length_a + step[1] * step[2] else length_b = length_b + step[1] * step[2] end
      end
      local apart = gap - before_b + before_a             -- from a's first byte to b's
      return has_sum("shares_memory", join_equal(steps), min(apart + length_b - 1, length_a - 1 - apart), max_work)
    end)

  -- ==== Dtype ====

  --# dtypes
  --> common_type(ma.ones(1, "float32"))
  def("common_type(...) -> dtype",
    "The float or complex dtype that holds all elements of the arrays; integers count as "
    .. "float64.",
    function(...)
      local dtype = "float16"
      for k = 1, select("#", ...) do
        local own = core.asarray((select(k, ...))).dtype
        if own == "bool" then fail("common_type", sformat("argument %d has dtype bool; numbers", k)) end
        if is.integer[own] then own = "float64" end
        dtype = k == 1 and own or ma.promote_types(dtype, own)
      end
      return dtype
    end)
end
