--- The algorithms of noise over operands that compute by Lua's operators and a few functions: arrays (init.lua) and the
--- values of kernels in Lua (kernel.lua). The corners of a grid get random values or gradients by a hash of their whole
--- coordinates, and between the corners is interpolated. All operations are whole numbers of 32 bits, sums, products
--- and floor, so that every device gives the same bits.

local sformat = require("moonarray.text").format

-- Odd numbers that keep the axes apart in the hash, and its two multipliers (lowbias32, by Chris Wellons).
local AXES = { 0x8da6b343, 0xd8163841, 0xcb1ab31f }
local FIRST, SECOND = 0x7feb352d, 0x846ca68b

-- Factors that bring the sums of gradients into -1 .. 1, by the number of axes.
local PERLIN = { 0.25, 0.507, 0.936 }
local SIMPLEX = { nil, 40, 72 }

local algorithms = {}

--- `of`: where, floor, maximum, xor, shift, both (bits) and no of such operands. Returns functions of a list of
--- coordinates of one float dtype, a seed of 32 bits, and that dtype.
function algorithms.of(of)
  local where, floor, maximum, xor, shift, both, no = of.where, of.floor, of.maximum, of.xor, of.shift, of.both, of.no

  -- ==== The hash ===================================================================================================

  --- The products of a whole coordinate, and of the next one, with the number of the axis.
  local function steps(whole, axis)
    local at = whole:astype("int64"):astype("uint32") * AXES[axis]
    return { [0] = at, at + AXES[axis] }
  end

  --- 32 random bits for the products of a corner.
  local function hash(seed, a, b, c)
    local h = xor(a, seed)
    if b ~= nil then h = xor(h, b) end
    if c ~= nil then h = xor(h, c) end
    h = xor(h, shift(h, 16)) * FIRST
    h = xor(h, shift(h, 15)) * SECOND
    return xor(h, shift(h, 16))
  end

  local function signed(h, bit, value) return where(both(h, bit):ne(0), -value, value) end

  --- The scalar product of a distance with the gradient that the hash chooses, by the number of axes.
  local gradient = {
    function(h, x) return signed(h, 8, (both(h, 7):astype(x.dtype) + 1) * x) end,
    function(h, x, y)
      local swap = both(h, 4):ne(0)
      return signed(h, 1, where(swap, y, x)) + signed(h, 2, where(swap, x, y) * 2)
    end,
    function(h, x, y, z)
      local kind = both(h, 15)
      local v = where(kind:lt(4), y, where((kind:eq(12)) + (kind:eq(14)), x, z))
      return signed(h, 1, where(kind:lt(8), x, y)) + signed(h, 2, v)
    end,
  }

  -- ==== Noise on a square grid ======================================================================================

  local function fade(t) return t * t * t * (t * (t * 6 - 15) + 10) end

  --- Interpolates between the corners of a cell: corner(h, distances ...) has the value of one.
  local function on_squares(list, seed, corner)
    local part, past, blend, at = {}, {}, {}, {}
    for k = 1, #list do
      local whole = floor(list[k])
      part[k], at[k] = list[k] - whole, steps(whole, k)
      past[k], blend[k] = part[k] - 1, fade(part[k])
    end
    local function distance(k, side) return side == 0 and part[k] or past[k] end
    --- The value on one side of each axis from k on; sides before are given.
    local function between(k, a, b, c)
      if k > #list then
        local x, y, z = distance(1, a), b and distance(2, b), c and distance(3, c)
        return corner(hash(seed, at[1][a], b and at[2][b], c and at[3][c]), x, y, z)
      end
      local low = between(k + 1, a or 0, a and (b or 0), a and b and 0)
      local high = between(k + 1, a or 1, a and (b or 1), a and b and 1)
      return low + blend[k] * (high - low)
    end
    if #list == 1 then
      local low = corner(hash(seed, at[1][0]), part[1])
      return low + blend[1] * (corner(hash(seed, at[1][1]), past[1]) - low)
    end
    return between(1)
  end

  local make = {}

  function make.value(list, seed, dtype)
    local wide = dtype == "float16" and "float32" or dtype          -- float16 does not hold 2^32
    return on_squares(list, seed, function(h)
      local v = h:astype(wide) * 2 ^ -31 - 1
      return wide == dtype and v or v:astype(dtype)
    end)
  end

  function make.perlin(list, seed)
    return on_squares(list, seed, gradient[#list]) * PERLIN[#list]
  end

  -- ==== Noise on triangles and tetrahedra ===========================================================================

  --- What a corner adds; its weight falls to 0 at the edges of the next simplices.
  local function fall(h, x, y, z)
    local t = 0.5 - x * x - y * y
    if z ~= nil then t = t - z * z end
    t = maximum(t, 0)
    t = t * t
    return t * t * gradient[z == nil and 2 or 3](h, x, y, z)
  end

  local function simplex2(list, seed)
    local F, G = 0.36602540378443864676, 0.21132486540518711775       -- (sqrt(3) - 1) / 2, (3 - sqrt(3)) / 6
    local x, y = list[1], list[2]
    local skew = (x + y) * F
    local i, j = floor(x + skew), floor(y + skew)
    local back = (i + j) * G
    x, y = x - (i - back), y - (j - back)
    local right = x:gt(y)                                             -- the middle corner lies along x, else along y
    local a, b = steps(i, 1), steps(j, 2)
    local mid_x, mid_y = x - right:astype(x.dtype) + G, y - no(right):astype(x.dtype) + G
    return fall(hash(seed, a[0], b[0]), x, y)
      + fall(hash(seed, where(right, a[1], a[0]), where(right, b[0], b[1])), mid_x, mid_y)
      + fall(hash(seed, a[1], b[1]), x - 1 + 2 * G, y - 1 + 2 * G)
  end

  local function simplex3(list, seed)
    local F, G = 1 / 3, 1 / 6
    local p, cell, at = {}, {}, {}
    local skew = (list[1] + list[2] + list[3]) * F
    for k = 1, 3 do
      cell[k] = floor(list[k] + skew)
      at[k] = steps(cell[k], k)
    end
    local back = (cell[1] + cell[2] + cell[3]) * G
    for k = 1, 3 do p[k] = list[k] - (cell[k] - back) end
    local xy, yz, xz = p[1]:ge(p[2]), p[2]:ge(p[3]), p[1]:ge(p[3])
    -- A step along the greatest distance first, and along the least last.
    local nxy, nyz, nxz = no(xy), no(yz), no(xz)
    local first = { xy * xz, nxy * yz, nxz * nyz }
    local second = { xy + xz, nxy + yz, nxz + nyz }
    local function corner(step, shift_by)
      local h, d = {}, {}
      for k = 1, 3 do
        h[k] = where(step[k], at[k][1], at[k][0])
        d[k] = p[k] - step[k]:astype(p[k].dtype) + shift_by
      end
      return fall(hash(seed, h[1], h[2], h[3]), d[1], d[2], d[3])
    end
    return fall(hash(seed, at[1][0], at[2][0], at[3][0]), p[1], p[2], p[3]) + corner(first, G) + corner(second, 2 * G)
      + fall(hash(seed, at[1][1], at[2][1], at[3][1]), p[1] - 1 + 3 * G, p[2] - 1 + 3 * G, p[3] - 1 + 3 * G)
  end

  function make.simplex(list, seed) return (#list == 2 and simplex2 or simplex3)(list, seed) * SIMPLEX[#list] end

  return make
end

-- ==== Sums and differences of noise ==================================================================================

--- A sum of octaves. noise(list, seed, dtype, k) has the seed behind `seed` by k.
function algorithms.fbm(noise, list, seed, dtype, octaves, lacunarity, gain)
  local frequency, height, sum = 1, 1, nil
  for k = 1, octaves do
    local scaled = {}
    for d = 1, #list do scaled[d] = list[d] * frequency end
    local octave = noise(scaled, seed, dtype, k - 1) * height
    sum = sum == nil and octave or sum + octave
    frequency, height = frequency * lacunarity, height * gain
  end
  return sum
end

--- The curl of noise over two coordinates.
function algorithms.curl(noise, list, seed, dtype, step)
  local scale = 1 / (2 * step)
  local function at(dx, dy) return noise({ list[1] + dx, list[2] + dy }, seed, dtype) end
  return (at(0, step) - at(0, -step)) * scale, (at(-step, 0) - at(step, 0)) * scale
end

-- ==== Arguments ======================================================================================================

--- What is wrong with the options of fbm and curl, or nil; `describe` gives text for a value.
function algorithms.fault(o, describe)
  if o.noise ~= nil and not (o.noise == "value" or o.noise == "perlin" or o.noise == "simplex") then
    return sformat("noise is %s; wanted 'value', 'perlin' or 'simplex'", describe(o.noise))
  end
  if o.octaves and o.octaves > 32 then return sformat("octaves is %d; wanted 1 to 32", o.octaves) end
  if o.step ~= nil and (type(o.step) ~= "number" or not (o.step > 0 and o.step < math.huge)) then
    return sformat("step is %s; wanted a number above 0", describe(o.step))
  end
end

--- The least number of coordinates.
function algorithms.least(name, noise) return (name == "curl" or name == "simplex" or noise == "simplex") and 2 or 1 end

--- The greatest.
function algorithms.most(name) return name == "curl" and 2 or 3 end

-- What options stand for that are not given.
algorithms.defaults = { octaves = 4, lacunarity = 2, gain = 0.5, noise = "perlin", step = 2 ^ -7, seed = 0 }

-- Which options there are.
algorithms.options = {
  value = { "seed" }, perlin = { "seed" }, simplex = { "seed" },
  fbm = { "octaves", "lacunarity", "gain", "noise", "seed" }, curl = { "seed", "step" },
}

return algorithms
