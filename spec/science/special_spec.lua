-- ma.special against mpmath and SciPy (spec/golden/science/special.py), in every float dtype, layout and form of call.

local helper = require "spec.helper"
local ma = helper.ma
local special = ma.special

local epsilon = { float64 = 2 ^ -52, float32 = 2 ^ -23 }
local limit = { float64 = 10, float32 = 4 }

-- Roots of distributions, whose bound is twice that (docs/special.md).
local inverses = {}
for name in ([[gammaincinv gammainccinv pdtri chdtri betaincinv btdtri bdtri nbdtri fdtri]]):gmatch "%S+" do
  inverses[name] = true
end
local least = { float64 = 2 ^ -1074, float32 = 2 ^ -149 }

local points, edges, names = {}, {}, {}

--- What the golden values of these names belong to: a result of several, or an optional argument.
local calls = {
  sici_si = function(x) return (special.sici(x)) end,
  sici_ci = function(x) return (select(2, special.sici(x))) end,
  shichi_shi = function(x) return (special.shichi(x)) end,
  shichi_chi = function(x) return (select(2, special.shichi(x))) end,
  hurwitz_zeta = function(x, q) return special.zeta(x, q) end,
  riemann_zeta = function(x) return special.zeta(x) end,
  ellipj_sn = function(u, m) return (special.ellipj(u, m)) end,
  ellipj_cn = function(u, m) return (select(2, special.ellipj(u, m))) end,
  ellipj_dn = function(u, m) return (select(3, special.ellipj(u, m))) end,
  spherical_yn_value = function(n, z) return special.spherical_yn(n, z) end,
  spherical_yn_slope = function(n, z) return special.spherical_yn(n, z, true) end,
}
setmetatable(calls, { __index = function(_, name) return special[name] end })

--- A list of doubles from hexadecimal.
local function doubles(text)
  local bytes = helper.unhex(text, 8)
  return helper.array(bytes, "float64", { #bytes / 8 }):get():totable()
end

--- The lists of the operands, each of `count` numbers.
local function columns(list, count)
  local result = {}
  for k = 1, #list, count do
    local column = {}
    for j = 1, count do column[j] = list[k + j - 1] end
    result[#result + 1] = column
  end
  return result
end

for _, r in ipairs(helper.golden("special")) do
  local count = tonumber(r[3])
  if r[1] == "point" then
    names[#names + 1] = r[2]
    points[r[2]] = { args = columns(doubles(r[4]), count), value = doubles(r[5]), scale = doubles(r[6]) }
  else
    edges[r[2]] = { args = columns(doubles(r[4]), count), value = doubles(r[5]) }
  end
end

local function arrays(args, dtype)
  local list = {}
  for k, column in ipairs(args) do list[k] = ma.array(column, "float64"):astype(dtype) end
  return list
end

--- The points whose arguments a float32 holds, and whose value too.
local function of_float32(p)
  local kept = { args = {}, value = {}, scale = {} }
  local rounded = {}
  for k, column in ipairs(p.args) do
    rounded[k] = ma.array(column, "float64"):astype("float32"):astype("float64"):totable()
    kept.args[k] = {}
  end
  for j = 1, #p.value do
    local same = math.abs(p.value[j]) < 3e38
    for k, column in ipairs(p.args) do same = same and column[j] == rounded[k][j] end
    if same then
      for k, column in ipairs(p.args) do table.insert(kept.args[k], column[j]) end
      table.insert(kept.value, p.value[j])
      table.insert(kept.scale, p.scale[j])
    end
  end
  return kept
end

local function point_text(args, j)
  local text = {}
  for k, column in ipairs(args) do text[k] = ("%.17g"):format(column[j]) end
  return table.concat(text, ", ")
end

--- Within the bound of the golden values: `limit` eps in units of max(|f|, |x f'(x)|).
local function check_points(name, p, dtype)
  local got = calls[name](unpack(arrays(p.args, dtype)))
  assert(got.dtype == dtype, got.dtype)
  got = got:astype("float64"):totable()
  local worst, text = 0, nil
  for j, want in ipairs(p.value) do
    local allowed = epsilon[dtype] * p.scale[j] + least[dtype]
    local off = math.abs(got[j] - want) / allowed
    if got[j] == want then off = 0 end
    if off ~= off then off = math.huge end
    if off > worst then
      worst = off
      text = ("%s(%s) = %.17g; wanted %.17g: %.1f eps"):format(name, point_text(p.args, j), got[j], want, off)
    end
  end
  if os.getenv("SPECIAL_SHOW") then print(dtype, name, ("%.2f"):format(worst), text) end
  assert(worst <= limit[dtype] * (inverses[name] and 2 or 1), text)
end

local function same(got, want)
  if want ~= want then return got ~= got end
  if want == 0 then return got == 0 end
  return got == want or math.abs(got - want) <= 1e-13 * math.abs(want)
end

describe("values of", function()
  for _, name in ipairs(helper.part(names)) do
    it(name, function()
      local failures = helper.failures()
      failures:run(name .. " float64", check_points, name, points[name], "float64")
      local fewer = of_float32(points[name])
      assert(#fewer.value >= 5, "only " .. #fewer.value .. " points for float32")
      failures:run(name .. " float32", check_points, name, fewer, "float32")
      failures:run(name .. " float16", function()
        local a, b = {}, {}
        for k, x in ipairs(arrays(fewer.args, "float16")) do a[k], b[k] = x, x:astype("float32") end
        local half, wide = calls[name](unpack(a)), calls[name](unpack(b))
        assert(half.dtype == "float16", half.dtype)
        helper.identical(half, wide:astype("float16"), "float16 as float32 rounded")
      end)
      failures:check()
    end)

    if edges[name] then
      it(name .. " at its edges", function()
        local e = edges[name]
        for _, dtype in ipairs { "float64", "float32" } do
          local got = calls[name](unpack(arrays(e.args, dtype))):astype("float64"):totable()
          for j, want in ipairs(e.value) do
            local good = same(got[j], want)
            if dtype == "float32" then good = good or math.abs(got[j] - want) <= 1e-6 * math.abs(want) end
            assert(good, ("%s %s(%s) = %.17g; wanted %.17g"):format(dtype, name, point_text(e.args, j), got[j], want))
          end
        end
      end)
    end
  end
end)
