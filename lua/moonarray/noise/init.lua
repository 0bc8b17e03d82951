--- ma.noise: smooth noise over coordinates, for terrain, clouds and motion.

local sformat = require("moonarray.text").format

return function(ma, core)
  local elementwise, fail = core.elementwise, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local algorithms = require "moonarray.noise.algorithms"
  local make = algorithms.of {
    where = ma.where, floor = ma.floor, maximum = ma.maximum, xor = ma.bitwise_xor, shift = ma.right_shift,
    both = ma.bitwise_and, no = ma.logical_not,
  }

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

  local function refuse(name, options)
    local why = algorithms.fault(options, core.describe)
    if why then fail(name, why) end
  end

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
    local full, least = "noise." .. name, algorithms.least(name)
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
      local name, defaults = "noise.fbm", algorithms.defaults
      noise, octaves = noise or defaults.noise, common.whole(name, "octaves", octaves or defaults.octaves, 1)
      refuse(name, { noise = noise, octaves = octaves })
      local list, whole, dtype = read(name, algorithms.least("fbm", noise), x, y, z, seed)
      local function at(coordinates, first, of, k) return make[noise](coordinates, (first + k) % 2 ^ 32, of) end
      return algorithms.fbm(at, list, whole, dtype, octaves, lacunarity or defaults.lacunarity, gain or defaults.gain)
    end)

  --> noise.curl(0.25, 0.5)
  elementwise("noise.curl(x: data, y: data; seed?: integer, step?: number) -> array|scalar, array|scalar",
    "A flow without sources: the components (dp/dy, -dp/dx) of the curl of simplex noise p, by differences over 2 "
    .. "`step` (2^-7 unless it is given).",
    function(x, y, seed, step)
      local name = "noise.curl"
      step = step or algorithms.defaults.step
      refuse(name, { step = step })
      local list, whole, dtype = read(name, 2, x, y, nil, seed)
      return algorithms.curl(make.simplex, list, whole, dtype, step)
    end)

  --- The functions by themselves, for kernels in Lua (kernel.lua).
  core.noise = {}
  for name in pairs(algorithms.options) do core.noise[ma.noise[name]] = name end
end
