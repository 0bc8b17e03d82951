--- Runs one section of the golden expressions, or of other golden lines of their form: a Lua expression and NumPy's
--- result for the same, a line each.

local helper = require "spec.helper"
local ma = helper.ma

--- The same inputs as in golden/shared/cases.py: r gives small whole numbers, f the same over 8.
local function r(...)
  local shape = { ... }
  local size = 1
  for d = 1, #shape do size = size * shape[d] end
  return ((ma.arange(size) * 7) % 11 - 3):reshape(shape)
end

local function f(...) return r(...) / 8 end

--- Floats with NaN.
local function g(...)
  local x = f(...)
  return ma.where(x:eq(0.5), 0 / 0, x)
end

--- Complex numbers whose parts are the same numbers in opposite orders.
local function c(...) return r(...) + ma.complex(0, 1) * r(...)["..., ::-1"] end

local function cf(...) return c(...) / 8 end

--- Every second element of an array twice as large.
local function strided(...)
  local shape, steps = { ... }, {}
  for k = 1, #shape do shape[k], steps[k] = 2 * shape[k], "::2" end
  return r(unpack(shape))[table.concat(steps, ", ")]
end

--- In an order that the last digits do not change.
local function sorted(x)
  x = x:round((x.dtype == "float32" or x.dtype == "complex64") and 4 or 7) + 0
  return ma.iscomplexobj(x) and ma.sort_complex(x) or ma.sort(x)
end

--- A Hermitian positive definite matrix.
local function definite(x)
  local n = x.shape[x.ndim]
  return ma.matmul(x, ma.conjugate(x:swapaxes(-1, -2))) + n * ma.eye(n)
end

local function bandwidth_of(x) return ma.array({ ma.linalg.bandwidth(x) }, "int64") end

--- Points of n rows without patterns: whole numbers that a prime spreads, over another.
local function P(n, m) return (((ma.arange(n * m) + 1) * 7919 % 10007) / 10007):reshape(n, m) end

--- Rows of two positions in their order.
local function pairs_sorted(a)
  return a:take(ma.argsort(a[":, 1"] * 100000 + a[":, 2"]), 1)
end

local environment = setmetatable({ D = ma.spatial.distance, S = ma.stats, ma = ma,
  definite = definite, bandwidth_of = bandwidth_of,
  sorted = sorted, r = r, f = f, g = g, c = c, cf = cf, strided = strided },
  { __index = _G })

--- Other points without patterns; growing positions; points inside and outside of these.
local function W(n, m) return ((ma.arange(n * m) + 3) ^ 2 * 7919 % 10007 / 10007):reshape(n, m) end
local function X(n) return ma.cumsum(r(n) % 3 + 1) / 4 end
local function Q(n) return ma.arange(-1, 13) / 11 * X(n)(n) end

environment.P, environment.pairs_sorted = P, pairs_sorted
environment.W, environment.X, environment.Q, environment.I = W, X, Q, ma.interpolate

--- Small numbers, many of them 0; the number of a graph's parts as an array.
function environment.sparse(x) return ma.where(x:gt(3), x, 0) end
function environment.graph_parts(x, connection)
  local n, labels = ma.sparse.csgraph.connected_components(x, { connection = connection })
  return ma.array(n, "int64"), labels
end
function environment.some(n) return environment.sparse(r(n, n)) / 8 + 3 * ma.eye(n) end
function environment.many(n)
  local x = environment.some(n)
  return x + x.T + ma.diag(ma.arange(n) / 4)
end
environment.G, environment.L = ma.sparse.csgraph, ma.sparse.linalg

local function fields_of(line)
  local fields = {}
  for field in (line .. "\t"):gmatch("([^\t]*)\t") do fields[#fields + 1] = field end
  return fields
end

local numbers = { nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge }

local function wanted_of(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = numbers[word] or tonumber(word) end
  return list
end

--- The elements of an array as numbers, two for a complex one.
local function found_of(a)
  local list = {}
  for v in a:each() do
    if type(v) == "boolean" then v = v and 1 or 0 end
    if type(v) == "number" then list[#list + 1] = v
    elseif a.dtype:find("^complex") then
      list[#list + 1], list[#list + 2] = v.re, v.im
    else list[#list + 1] = tonumber(v) end
  end
  return list
end

local function close(x, y, tolerance)
  return x == y or (x ~= x and y ~= y) or math.abs(x - y) <= tolerance * math.max(1, math.abs(y))
end

local function compare(a, dtype, shape, text, tolerances)
  if not helper.core.is_array(a) then a = ma.array(a) end
  assert(a.dtype == dtype, ("dtype %s; wanted %s"):format(a.dtype, dtype))
  local own = table.concat(a.shape, ",")
  assert(own == shape, ("shape (%s); wanted (%s)"):format(own, shape))
  local found, wanted = found_of(a), wanted_of(text)
  assert(#found == #wanted, ("%d numbers; wanted %d"):format(#found, #wanted))
  local tolerance = tolerances[dtype] or tolerances.float64
  for k = 1, #wanted do
    if not close(found[k], wanted[k], tolerance) then
      error(("element %d is %.17g; wanted %.17g"):format(k, found[k], wanted[k]))
    end
  end
end

local usual = { float32 = 1e-6, complex64 = 1e-6, float64 = 1e-13 }

--- name: "expressions" unless another is named. tolerances: by dtype, float64's for those that are not named.
---@param section string
---@param name? string
---@param tolerances? table
---@return integer count of the expressions
return function(section, name, tolerances)
  local failures = helper.failures()
  local count = 0
  for line in helper.golden_lines(name or "expressions") do
    local fields = fields_of(line)
    if fields[1] == section then
      count = count + 1
      failures:run(fields[2], function()
        local chunk = assert(loadstring("return " .. fields[2], "=expression"))
        local results = { setfenv(chunk, environment)() }
        if section == "text" then
          local text = tostring(results[1])
          local wanted = fields[3]:gsub("\\n", "\n")
          assert(text == wanted, ("prints\n%s\n; wanted\n%s"):format(text, wanted))
          return
        end
        assert(#results == (#fields - 2) / 3, ("%d results; wanted %d"):format(#results, (#fields - 2) / 3))
        for k = 1, #results do
          compare(results[k], fields[3 * k], fields[3 * k + 1], fields[3 * k + 2], tolerances or usual)
        end
      end)
    end
  end
  failures:check()
  assert(count > 0, "no expression of section " .. section)
  return count
end
