--- What a plot is given: arrays of any device and dtype, tables and numbers, as lists of Lua numbers.

local sformat, huge = require("moonarray.text").format, math.huge

return function(_, core)
  local is = require "moonarray.common" (core).is
  local fail, is_array = core.fail, core.is_array
  local data = {}

  local function to_array(name, what, value)
    if is_array(value) then return value end
    if type(value) ~= "table" and type(value) ~= "number" then
      fail(name, sformat("%s is %s; wanted an array or a table of numbers", what, core.describe(value)))
    end
    local ok, made = pcall(core.asarray, value, { device = "cpu" })
    if not ok then fail(name, sformat("%s: %s", what, tostring(made):gsub("^.*moonarray%.[%w_.]+: ", ""))) end
    return made
  end

  --- The value as a float64 array on the host.
  function data.host(name, what, value)
    local a = to_array(name, what, value)
    if is.complexfloating[a.dtype] then
      fail(name, sformat("%s is complex; wanted real numbers, as ma.abs or .real give", what))
    end
    return a:astype("float64"):get()
  end

  --- The elements of a vector as a list.
  function data.list(name, what, value)
    if value == nil then return {} end
    local a = data.host(name, what, value)
    if a.ndim == 0 then return { a:item() } end
    if a.ndim ~= 1 then fail(name, sformat("%s has shape (%s); wanted a vector", what, table.concat(a.shape, ", "))) end
    return a:totable()
  end

  --- As data.list; one number stands for n of them.
  function data.spread(name, what, value, n)
    if value == nil then return nil end
    local list = data.list(name, what, value)
    if #list == 1 and n ~= 1 then
      for k = 2, n do list[k] = list[1] end
      if n == 0 then list[1] = nil end
    end
    if #list ~= n then fail(name, sformat("%s has %d elements; wanted %d, as x and y have", what, #list, n)) end
    return list
  end

  --- Two vectors of one length. Without y, x is y and its positions are x. A matrix y gives several lists, its columns.
  function data.pair(name, x, y)
    if y == nil then x, y = nil, x end
    local columns
    if y ~= nil then
      local a = data.host(name, x == nil and "the data" or "y", y)
      if a.ndim == 2 then
        columns = {}
        for c = 1, a.shape[2] do columns[c] = a[{ {}, c }]:totable() end
        y = columns[1] or {}
      elseif a.ndim > 2 then
        fail(name, sformat("y has shape (%s); wanted a vector, or a matrix with a line in each column",
          table.concat(a.shape, ", ")))
      else y = a.ndim == 0 and { a:item() } or a:totable() end
    else y = {} end
    if x == nil then
      x = {}
      for k = 1, #y do x[k] = k end
    else x = data.list(name, "x", x) end
    if #x ~= #y then fail(name, sformat("x has %d elements and y %d; wanted as many", #x, #y)) end
    return x, columns or { y }
  end

  --- Least and greatest finite value of a list, above 0 if asked; inf and -inf if there is none.
  function data.range(list, positive)
    local lo, hi = huge, -huge
    for k = 1, #list do
      local v = list[k]
      if v - v == 0 and not (positive and v <= 0) then
        if v < lo then lo = v end
        if v > hi then hi = v end
      end
    end
    return lo, hi
  end

  return data
end
