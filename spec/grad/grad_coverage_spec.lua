-- Every public function, called with floats in many ways: where a call gives floats, its derivative is what differences
-- give, or the call says that it has none. It is never another number, such as a silent 0.

local ma = require "moonarray"
local core = require "moonarray.core"
local helper = require "spec.helper"

local VALUES = {
  { 0.31, 0.72, 0.18, 0.57 }, { 0.93, 0.41, 0.67, 0.27 }, { 0.23, 0.53, 0.34, 0.83 },
  { { 4.13, 1.21, 0.58 }, { 1.37, 3.43, 0.74 }, { 0.36, 0.85, 5.66 } },
  { { 0.33, 0.71, 0.22 }, { 0.94, 0.14, 0.43 }, { 0.64, 0.56, 0.87 } }, { 1.17, 2.32, 3.63 },
}

-- What is called with x and other values; x begins as the value of that number.
local CALLS = {
  { 1, function(f, x) return f(x) end }, { 4, function(f, x) return f(x) end },
  { 1, function(f, x, v) return f(x, v[2]) end }, { 2, function(f, x, v) return f(v[1], x) end },
  { 4, function(f, x, v) return f(x, v[5]) end }, { 5, function(f, x, v) return f(v[4], x) end },
  { 4, function(f, x, v) return f(x, v[6]) end }, { 6, function(f, x, v) return f(v[4], x) end },
  { 1, function(f, x) return f(x, 2) end }, { 4, function(f, x) return f(x, 2) end },
  { 1, function(f, x) return f(2, x) end }, { 1, function(f, x) return f(x, 2, 1) end },
  { 1, function(f, x, v) return f(x, v[2], v[3]) end }, { 3, function(f, x, v) return f(v[1], v[2], x) end },
  { 2, function(f, x, v) return f(v[1], x, v[3]) end }, { 1, function(f, x, v) return f { x, v[2] } end },
}

-- Modules and functions that compute nothing from arrays, draw, or write to their arguments; mvdr inverts a covariance
-- that has no inverse here.
local MODULES = {}
for name in ("cuda distributed love plot image files random testing profiler wavfile hdf5 bundle jit numpy lib")
  :gmatch "%a[%w_]*" do MODULES[name] = true end
local SKIPPED = {}
for name in ([[sleep save savez savez_compressed savetxt load time grad vjp jvp value_and_grad jacobian custom_vjp
  stop_gradient scope iterate synchronize set_default_dtype set_fusion free fill assign iadd isub imul idiv ipow put
  put_along_axis copyto fill_diagonal place putmask iadd_at scatter_add scatter_max scatter_min empty empty_like help
  keep progress set_printoptions printoptions list fuse stencil vectorize memoize frompyfunc export import revoke
  set_async await update job signal.mvdr]]):gmatch "%S+" do SKIPPED[name] = true end

local function collect(list, ...)
  for k = 1, select("#", ...) do
    local y = select(k, ...)
    if core.is_array(y) then
      if y.dtype == "float64" then list[#list + 1] = y end
    elseif type(y) == "table" and not getmetatable(y) then
      for _, item in ipairs(y) do collect(list, item) end
    end
  end
  return list
end

--- The weighted sum of all floats that a call gives, or nil.
local function total(...)
  local sum
  for _, y in ipairs(collect({}, ...)) do
    local part = (y * ma.cos(ma.arange(y.size, { dtype = "float64" }) * 1.3 + 0.4):reshape(y.shape)):sum()
    sum = sum and sum + part or part
  end
  return sum
end

local function values()
  local v = {}
  for k, list in ipairs(VALUES) do v[k] = ma.array(list, "float64") end
  return v
end

--- pcall, which also fails by what a GPU finds after the call: a position outside an array is reported to who waits.
local function try(f)
  local ok, x, y = pcall(f)
  local waited = pcall(ma.synchronize)
  return ok and waited, x, y
end

--- What is wrong with a call, or nil; the second result: whether it has a derivative.
local function check(f, which, call)
  local function at(step, way)
    local v = values()
    return total(call(f, v[which] + step * way, v))
  end
  local way = values()[which]
  way = ma.sin(ma.arange(way.size, { dtype = "float64" }) * 0.9 + 0.2):reshape(way.shape)
  local ok, y, again = try(function() return at(0, way), at(0, way) end)
  if not ok or not y or y:item() ~= again:item() then return nil end
  local function differ(step) return (at(step, way) - at(-step, way)):item() / (2 * step) end
  local differs, difference, wider = try(function() return differ(1e-6), differ(4e-6) end)
  local v = values()
  local found, derivative = try(function()
    local g = ma.grad(function(x) return total(call(f, x, v)) + (x * 0):sum() end)(v[which])
    return (g * way):sum():item()
  end)
  if not found or not differs or difference ~= difference then return nil end
  if math.abs(wider - difference) > 1e-4 * (1 + math.abs(difference)) then return nil end          -- a step, or a rank
  if math.abs(derivative - difference) <= 1e-4 * (1 + math.abs(difference)) then return nil, true end
  return ("derivative %.9g, difference %.9g"):format(derivative, difference)
end

describe("the derivative of a call of any function", function()
  it("is right, or an error", function()
    local failures, seen, right = helper.failures(40), {}, 0
    for name in require("moonarray.names").functions:gmatch "%S+" do
      local f = ma
      pcall(function() for part in name:gmatch "[^.]+" do f = f[part] end end)
      local skipped = SKIPPED[name] or MODULES[name:match "^[^.]+"] or name:match "%u" or not core.is_callable(f)
        or seen[f]
      seen[f] = true
      for k, call in ipairs(skipped and {} or CALLS) do
        failures:run(("%s, call %d"):format(name, k), function()
          local wrong, has = check(f, call[1], call[2])
          if has then right = right + 1 end
          assert.is_nil(wrong)
        end)
      end
    end
    failures:check()
    assert(right > 1200, right)
  end)
end)
