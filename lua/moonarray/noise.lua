--- ma.noise: smooth noise over coordinates, for terrain, clouds and motion. The corners of a grid get random values or
--- gradients by a hash of their whole coordinates, and between the corners is interpolated. All operations are whole
--- numbers of 32 bits, sums, products and floor, so that every device gives the same bits.

local sformat = require("moonarray.text").format

-- Odd numbers that keep the axes apart in the hash, and its two multipliers (lowbias32, by Chris Wellons).
local AXES = { 0x8da6b343, 0xd8163841, 0xcb1ab31f }
local FIRST, SECOND = 0x7feb352d, 0x846ca68b

-- Factors that bring the sums of gradients into -1 .. 1, by the number of axes.
local PERLIN = { 0.25, 0.507, 0.936 }
local SIMPLEX = { nil, 40, 72 }

return function(ma, core)
  local elementwise, fail = core.elementwise, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local where, floor = ma.where, ma.floor
  local xor, shift, both = ma.bitwise_xor, ma.right_shift, ma.bitwise_and

  -- ==== Coordinates ================================================================================================

  --- The coordinates as a list of operands of one float dtype, and the seed as a whole number of 32 bits.
  local function read(name, least, x, y, z, seed)
    local given, list, dtypes = { x, y, z }, {}, {}
    if y == nil and z ~= nil then fail(name, "z without y; wanted coordinates without a gap") end
    for k = 1, 3 do
      if given[k] == nil then break end
      list[k] = core.operand(given[k], nil, x, y, z)
      if not core.is_number(given[k]) then dtypes[#dtypes + 1] = list[k].dtype end
    end
    if #list < least then fail(name, sformat("%d coordinate; wanted %d or 3", #list, least)) end
    local dtype = dtypes[1] and ma.result_type(unpack(dtypes)) or "float64"
    if is.complexfloating[dtype] then fail(name, "coordinates of " .. dtype .. "; wanted real numbers") end
    if not is.floating[dtype] then dtype = "float64" end
    for k = 1, #list do list[k] = list[k]:astype(dtype) end
    return list, common.whole(name, "seed", seed or 0, 0) % 2 ^ 32, dtype
  end

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
    return on_squares(list, seed, function(h) return h:astype(dtype) * 2 ^ -31 - 1 end)
  end

  function make.perlin(list, seed)
    return on_squares(list, seed, gradient[#list]) * PERLIN[#list]
  end

  -- ==== Noise on triangles and tetrahedra ===========================================================================

  --- What a corner adds; its weight falls to 0 at the edges of the next simplices.
  local function fall(h, x, y, z)
    local t = 0.5 - x * x - y * y
    if z ~= nil then t = t - z * z end
    t = ma.maximum(t, 0)
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
    local mid_x, mid_y = x - right:astype(x.dtype) + G, y - ma.logical_not(right):astype(x.dtype) + G
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
    local nxy, nyz, nxz = ma.logical_not(xy), ma.logical_not(yz), ma.logical_not(xz)
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

  -- ==== The functions ===============================================================================================

  local about = {
    value = "random values at whole coordinates, smoothly joined",
    perlin = "Perlin's improved gradient noise, which is 0 at whole coordinates",
    simplex = "simplex noise, gradient noise on triangles or tetrahedra, of 2 or 3 coordinates",
  }

  --> noise.value(0.25, 0.5, {seed = 1})
  --> noise.perlin({0.25, 0.5}, 0.5)
  --> noise.simplex(0.25, 0.5, 0.75)
  for name, text in pairs(about) do
    local full, least = "noise." .. name, name == "simplex" and 2 or 1
    elementwise(full .. "(x: data, y?: data, z?: data; seed?: integer) -> array|scalar",
      "Noise between -1 and 1: " .. text .. ". Coordinates are broadcast, and may be any numbers. Every seed, a whole "
      .. "number from 0 on, gives another noise.",
      function(x, y, z, seed)
        local list, whole, dtype = read(full, least, x, y, z, seed)
        return make[name](list, whole, dtype)
      end)
  end

  --> noise.fbm({0.25, 0.5}, 0.5, {octaves = 3})
  elementwise("noise.fbm(x: data, y?: data, z?: data; octaves?: integer, lacunarity?: number, gain?: number, "
    .. "noise?: string, seed?: integer) -> array|scalar",
    "Fractal noise: a sum of octaves (4) of noise ('perlin'), each at lacunarity (2) times the frequency and gain "
    .. "(0.5) times the height of the one before. Octave k has the seed `seed` + k - 1.",
    function(x, y, z, octaves, lacunarity, gain, noise, seed)
      local name = "noise.fbm"
      noise = noise or "perlin"
      if not make[noise] then
        fail(name, sformat("noise is %s; wanted 'value', 'perlin' or 'simplex'", core.describe(noise)))
      end
      octaves = common.whole(name, "octaves", octaves or 4, 1)
      if octaves > 32 then fail(name, sformat("octaves is %d; wanted 1 to 32", octaves)) end
      local list, whole, dtype = read(name, noise == "simplex" and 2 or 1, x, y, z, seed)
      local frequency, height, sum = 1, 1, nil
      for k = 1, octaves do
        local scaled = {}
        for d = 1, #list do scaled[d] = list[d] * frequency end
        local octave = make[noise](scaled, (whole + k - 1) % 2 ^ 32, dtype) * height
        sum = sum == nil and octave or sum + octave
        frequency, height = frequency * (lacunarity or 2), height * (gain or 0.5)
      end
      return sum
    end)

  --> noise.curl(0.25, 0.5)
  elementwise("noise.curl(x: data, y: data; seed?: integer, step?: number) -> array|scalar, array|scalar",
    "A flow without sources: the components (dp/dy, -dp/dx) of the curl of simplex noise p, by differences over 2 "
    .. "`step` (2^-7 unless it is given).",
    function(x, y, seed, step)
      local name = "noise.curl"
      step = step or 2 ^ -7
      if type(step) ~= "number" or not (step > 0 and step < math.huge) then
        fail(name, sformat("step is %s; wanted a number above 0", core.describe(step)))
      end
      local list, whole = read(name, 2, x, y, nil, seed)
      local function at(dx, dy) return make.simplex({ list[1] + dx, list[2] + dy }, whole) end
      local scale = 1 / (2 * step)
      return (at(0, step) - at(0, -step)) * scale, (at(-step, 0) - at(step, 0)) * scale
    end)
end
