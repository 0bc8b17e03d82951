--- ma.polynomial.polyutils: coefficients as vectors, and the linear maps between domains.

local sformat = require("moonarray.text").format

return function(ma, core, shared, host)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  --- A vector without the zeros at its end; one is left of nothing else. Waits.
  local function trimmed(a)
    if a.size == 0 then return a end
    local _, last = shared.span(a)
    last = last or 1
    return last == a.size and a or a[{ { 1, last } }]
  end

  --> polynomial.polyutils.as_series: #ma.polynomial.polyutils.as_series({{1, 2}, {3}})
  def("polynomial.polyutils.as_series(alist: data, trim?: string) -> array[]",
    "Vectors of one dtype out of a table of them: floats, whole numbers as float64; without the zeros at "
    .. "their ends unless trim is false. A table of copies. Waits if it trims.",
    function(alist, trim)
      local name = "polynomial.polyutils.as_series"
      if core.is_array(alist) or type(alist) ~= "table" then
        fail(name, sformat("%s; wanted a table of vectors", core.describe(alist)))
      end
      if #alist == 0 then fail(name, "an empty table; wanted one vector at least") end
      local arrays = host.vectors(name, common.unpack(name, alist))
      for k = 1, #arrays do arrays[k] = (trim == false and arrays[k] or trimmed(arrays[k])):copy() end
      return arrays
    end)

  --> polynomial.polyutils.trimseq({1, 2, 0})
  def("polynomial.polyutils.trimseq(seq: data) -> array",
    "A vector without the zeros at its end; one is left of nothing else. A view. Waits.", function(seq)
    seq = core.asarray(seq)
    if seq.ndim ~= 1 then fail("polynomial.polyutils.trimseq", sformat("%s; wanted a vector", core.describe(seq))) end
    return trimmed(seq)
  end)

  --> polynomial.polyutils.trimcoef({1, 2, 0})
  def("polynomial.polyutils.trimcoef(c: data, tol?: number) -> array",
    "A copy of coefficients without what is at their end and not greater than tol (0). Waits.",
    function(c, tol)
      local name = "polynomial.polyutils.trimcoef"
      tol = common.number(name, "tol", tol or 0)
      if tol < 0 or tol ~= tol then fail(name, sformat("tol is %g; wanted a number from 0 on", tol)) end
      c = host.vectors(name, c)[1]
      local large = ma.absolute(c):gt(tol)
      local behind, any = ma.item(ma.flip(large):argmax(), large:max())
      if not any then return c[{ { 1, 1 } }] * 0 end
      return c[{ { 1, c.size + 1 - behind } }]:copy()
    end)

  --- Two numbers.
  local function ends(name, what, value)
    local list = core.is_array(value) and value.ndim == 1 and value.size == 2 and value:totable() or value
    if core.is_array(list) or type(list) ~= "table" or #list ~= 2 then
      fail(name, sformat("%s is %s; wanted its two ends", what, core.describe(value)))
    end
    local function an_end(k) return shared.scalar(name, "an end of " .. what, list[k]) end
    return { an_end(1), an_end(2) }
  end

  --- The offset and the factor of the linear map from one domain to another.
  local function map_parameters(from, to)
    local length = from[2] - from[1]
    return (from[2] * to[1] - from[1] * to[2]) / length, (to[2] - to[1]) / length
  end

  --> polynomial.polyutils.getdomain({1, 5, 3})
  def("polynomial.polyutils.getdomain(x: data) -> array",
    "The least and the greatest element as an array of two; of complex " ..
    "numbers the corners of their box. Waits for nothing.",
    function(x)
      x = host.vectors("polynomial.polyutils.getdomain", x)[1]
      if not ma.iscomplexobj(x) then return ma.stack({ x:min(), x:max() }) end
      local re, im = ma.real(x), ma.imag(x)
      return ma.stack({ re:min(), re:max() }) + ma.stack({ im:min(), im:max() }) * ma.complex(0, 1)
    end)

  --> polynomial.polyutils.mapparms({0, 1}, {-1, 1})
  def("polynomial.polyutils.mapparms(old: number[], new: number[]) -> number, number",
    "Two numbers off and scl with which off + scl x maps the domain old to new, both of two numbers.",
    function(old, new)
      local name = "polynomial.polyutils.mapparms"
      return map_parameters(ends(name, "old", old), ends(name, "new", new))
    end)

  --> polynomial.polyutils.mapdomain({0, 1}, {0, 1}, {-1, 1})
  def("polynomial.polyutils.mapdomain(x: data, old: number[], new: number[]) -> array",
    "x by the linear map from the domain old to new, both of two numbers.",
    function(x, old, new)
      local name = "polynomial.polyutils.mapdomain"
      local offset, scale = map_parameters(ends(name, "old", old), ends(name, "new", new))
      return core.asarray(x) * scale + offset
    end)

  return { ends = ends, map_parameters = map_parameters }
end
