--- ma.noise: the bits of the classical algorithms, written here number by number; bounds; continuity; errors.

local helper = require "spec.helper"
local ma = helper.ma
local bit = require "bit"

local random = helper.random(77)

-- ==== The algorithms, number by number ============================================================================

local function times(a, b)                             -- modulo 2^32
  local low = a % 65536
  return ((a - low) % 2 ^ 32 / 65536 * b % 65536 * 65536 + low * b) % 2 ^ 32
end

local function xor(a, b) return bit.bxor(bit.tobit(a), bit.tobit(b)) % 2 ^ 32 end
local function right(a, n) return math.floor(a / 2 ^ n) end

local primes = { 0x8da6b343, 0xd8163841, 0xcb1ab31f }

local function hash(seed, cell)
  local h = seed
  for k, c in ipairs(cell) do h = xor(h, times(c % 2 ^ 32, primes[k])) end
  h = times(xor(h, right(h, 16)), 0x7feb352d)
  h = times(xor(h, right(h, 15)), 0x846ca68b)
  return xor(h, right(h, 16))
end

local function gradient(h, d)
  local x, y, z = d[1], d[2], d[3]
  if #d == 1 then
    local g = (h % 8 + 1) * x
    return h % 16 >= 8 and -g or g
  end
  local u, v
  if #d == 2 then
    u, v = x, y * 2
    if h % 8 >= 4 then u, v = y, x * 2 end
  else
    local kind = h % 16
    u = kind < 8 and x or y
    v = kind < 4 and y or (kind == 12 or kind == 14) and x or z
  end
  return (h % 2 == 1 and -u or u) + (h % 4 >= 2 and -v or v)
end

local function fade(t) return t * t * t * (t * (t * 6 - 15) + 10) end

local function on_squares(p, seed, value)
  local function between(k, cell, d)
    if k > #p then return value(hash(seed, cell), d) end
    local whole = math.floor(p[k])
    local part = p[k] - whole
    local function side(s)
      local c, e = { unpack(cell) }, { unpack(d) }
      c[k], e[k] = whole + s, part - s
      return between(k + 1, c, e)
    end
    local low = side(0)
    return low + fade(part) * (side(1) - low)
  end
  return between(1, {}, {})
end

local plain = {}
function plain.value(p, seed) return on_squares(p, seed, function(h) return h * 2 ^ -31 - 1 end) end
function plain.perlin(p, seed) return on_squares(p, seed, gradient) * ({ 0.25, 0.507, 0.936 })[#p] end

function plain.simplex(p, seed)
  local n, skew = #p, 0
  local F = n == 2 and 0.36602540378443864676 or 1 / 3
  local G = n == 2 and 0.21132486540518711775 or 1 / 6
  for k = 1, n do skew = skew + p[k] end
  skew = skew * F
  local cell, d, order, sum = {}, {}, {}, 0
  for k = 1, n do
    cell[k] = math.floor(p[k] + skew)
    sum = sum + cell[k]
    order[k] = k
  end
  for k = 1, n do d[k] = p[k] - (cell[k] - sum * G) end
  -- Along the axis with the greatest distance first; of equal ones along the earlier one in 3 axes, the later in 2.
  table.sort(order, function(a, b)
    if d[a] ~= d[b] then return d[a] > d[b] end
    if n == 2 then return a > b end
    return a < b
  end)
  local total, step = nil, {}
  for k = 1, n do step[k] = 0 end
  for corner = 0, n do
    if corner > 0 then step[order[corner]] = 1 end
    local c, e, t = {}, {}, 0.5
    for k = 1, n do
      c[k] = cell[k] + step[k]
      e[k] = corner == n and d[k] - 1 + n * G or d[k] - step[k] + corner * G
      t = t - e[k] * e[k]
    end
    t = math.max(t, 0)
    t = t * t
    local part = t * t * gradient(hash(seed, c), e)
    total = total and total + part or part
  end
  return total * (n == 2 and 40 or 72)
end

-- ==== The specs ===================================================================================================

local N = 200

local function coordinates(n)
  local lists = {}
  for k = 1, n do
    lists[k] = {}
    for i = 1, N do lists[k][i] = (random() - 0.5) * 100 end
    lists[k][1], lists[k][2] = -3, 0.5                 -- corners, and equal distances
  end
  return lists
end

describe("noise", function()
  for name, axes in pairs { value = { 1, 3 }, perlin = { 1, 3 }, simplex = { 2, 3 } } do
    it("of kind " .. name .. " has the bits of the algorithm", function()
      for n = axes[1], axes[2] do
        for _, seed in ipairs { 0, 1, 4000000000 } do
          local lists, arrays = coordinates(n), {}
          for k = 1, n do arrays[k] = ma.array(lists[k]) end
          local found = ma.noise[name](arrays[1], arrays[2], arrays[3], { seed = seed }):totable()
          for i = 1, N do
            local p = {}
            for k = 1, n do p[k] = lists[k][i] end
            assert.equal(plain[name](p, seed), found[i])
          end
        end
      end
    end)

    it("of kind " .. name .. " lies between -1 and 1, fills most of that, and is continuous", function()
      local rng = ma.random.default_rng(5)
      for n = axes[1], axes[2] do
        local arrays, near = {}, {}
        for k = 1, n do
          arrays[k] = rng:uniform(-50, 50, 200000)
          near[k] = arrays[k] + 1e-7
        end
        local found = ma.noise[name](unpack(arrays))
        local most = ma.abs(found):max():item()
        assert.is_true(most <= 1 and most > 0.7, name .. n .. ": " .. most)
        assert.is_true(ma.abs(ma.noise[name](unpack(near)) - found):max():item() < 1e-4)
      end
    end)
  end

  it("of Perlin is 0 at whole coordinates", function()
    local x = ma.arange(-20, 20)
    assert.is_true(ma.all(ma.noise.perlin(x, x:reshape(40, 1)):eq(0)))
  end)

  it("broadcasts, keeps float dtypes, and gives numbers for numbers", function()
    local x, y = ma.array({ 0.1, 0.2 }, "float32"), ma.array({ { 0.3 }, { 0.4 }, { 0.5 } }, "float32")
    local found = ma.noise.perlin(x, y)
    assert.equal("float32", found.dtype)
    assert.equal("(3, 2)", tostring(found.shape))
    assert.equal("float64", ma.noise.perlin(ma.arange(3), 0.5).dtype)
    assert.equal(plain.perlin({ 0.25, 0.5 }, 7), ma.noise.perlin(0.25, 0.5, { seed = 7 }))
    assert.is_true(ma.isnan(ma.noise.perlin(0 / 0, 1)))
  end)

  it("differs by the seed, and repeats with it", function()
    local x = ma.linspace(0.05, 9, 100)
    assert.is_false(ma.array_equal(ma.noise.perlin(x), ma.noise.perlin(x, { seed = 1 })))
    assert.is_true(ma.array_equal(ma.noise.perlin(x, { seed = 1 }), ma.noise.perlin(x, { seed = 1 })))
  end)

  it("adds octaves in fbm", function()
    local x, y = ma.linspace(0.05, 9, 100), ma.linspace(3, 4, 100)
    local sum = ma.noise.simplex(x, y, { seed = 3 }) + ma.noise.simplex(x * 3, y * 3, { seed = 4 }) * 0.25
    assert.is_true(ma.array_equal(sum, ma.noise.fbm(x, y,
      { octaves = 2, lacunarity = 3, gain = 0.25, noise = "simplex", seed = 3 })))
  end)

  it("flows without sources in curl", function()
    local step = 2 ^ -7
    local x = ma.linspace(0, 2, 50)
    local y = x:reshape(50, 1) * 1.5
    local u_right, v_up = ma.noise.curl(x + step, y, { step = step }), select(2, ma.noise.curl(x, y + step))
    local u_left, v_down = ma.noise.curl(x - step, y, { step = step }), select(2, ma.noise.curl(x, y - step))
    local divergence = ma.abs(u_right - u_left + v_up - v_down):max():item()
    assert.is_true(divergence < 1e-9, divergence)
    assert.is_true(ma.abs(u_right):max():item() > 0.5)
  end)

  it("says what is wrong", function()
    local x = ma.ones(3)
    local cases = {
      { "1 coordinate; wanted 2 or 3", ma.noise.simplex, x },
      { "z without y", ma.noise.perlin, x, nil, x },
      { "coordinates of complex128; wanted real numbers", ma.noise.value, ma.complex(1, 2) },
      { "seed is %-1; wanted a whole number from 0 on", ma.noise.perlin, x, { seed = -1 } },
      { "noise is the string 'x'; wanted 'value', 'perlin' or 'simplex'", ma.noise.fbm, x, { noise = "x" } },
      { "octaves is 33; wanted 1 to 32", ma.noise.fbm, x, { octaves = 33 } },
      { "step is the number 0; wanted a number above 0", ma.noise.curl, x, x, { step = 0 } },
    }
    for _, case in ipairs(cases) do
      local ok, why = pcall(case[2], unpack(case, 3, table.maxn(case)))
      assert.is_false(ok)
      assert.is_truthy(why:find(case[1]), why)
    end
  end)
end)
