--- ma.noise in kernels in Lua: the bits that it has over arrays.

local helper = require "spec.helper"
local ma = helper.ma
local jit, noise = ma.jit, ma.noise
local fails = helper.fails_with

local rng = ma.random.default_rng(helper.seed)

local function coordinates(dtype)
  local list = {}
  for k = 1, 3 do list[k] = rng:uniform(-20, 20, 257):astype(dtype) end
  return unpack(list)
end

--- Whether the results of a kernel have the bits of arrays.
local function same(dtype, wanted, ...)
  assert.equal(#wanted, select("#", ...))
  for k, w in ipairs(wanted) do
    local found = select(k, ...)
    assert.equal(w.dtype, found.dtype)
    assert.is_true(ma.array_equal(w, found), ("result %d in %s"):format(k, dtype))
  end
end

describe("noise in a kernel in Lua", function()
  local of_squares = jit.elementwisekernel(function(x, y, z)
    return jit.noise.perlin(x), ma.noise.perlin(x, y, z, { seed = 2 ^ 32 + 3 }), jit.noise.value(x, 0.5)
  end)
  local of_triangles = jit.elementwisekernel(function(x, y, z)
    local u, v = jit.noise.curl(x, y, { step = 0.25, seed = 3 })
    return noise.simplex(x, y, z), u, v
  end)

  for _, dtype in ipairs { "float64", "float32", "float16", "bfloat16", "int32" } do
    it("has the bits of arrays in " .. dtype, function()
      local x, y, z = coordinates(dtype)
      same(dtype, { noise.perlin(x), noise.perlin(x, y, z, { seed = 3 }), noise.value(x, 0.5) }, of_squares(x, y, z))
      local u, v = noise.curl(x, y, { step = 0.25, seed = 3 })
      same(dtype, { noise.simplex(x, y, z), u, v }, of_triangles(x, y, z))
    end)
  end

  it("has octaves, and a seed that elements may say", function()
    local x, y, z = coordinates "float32"
    same("float32", { noise.fbm(x), noise.fbm(x, y, { octaves = 3, gain = 0.3, seed = 2 ^ 32 - 1, lacunarity = 1.7 }),
      noise.fbm(x, y, { noise = "simplex", octaves = 2 }), noise.value(x, { seed = 3 }) },
      jit.elementwisekernel(function(a, b, c)
        return jit.noise.fbm(a), noise.fbm(a, b, { octaves = 3, gain = 0.3, seed = 2 ^ 32 - 1, lacunarity = 1.7 }),
          noise.fbm(a, b, { noise = "simplex", octaves = 2 }), noise.value(a, { seed = 3 + 0 * ma.int64(c) })
      end)(x, y, z))
  end)

  it("stands in functions of a kernel, by numbers of its own", function()
    local height = jit.device(function(i, j) return jit.noise.fbm(i / 8, j / 8, { octaves = 2 }) end)
    local terrain = jit.rawkernel(function(out)
      local i, j = jit.grid(2)
      if i <= out.shape[1] and j <= out.shape[2] then out[i][j] = height(i, j) + jit.noise.value(0.25) end
    end)
    local out, i = ma.zeros { 5, 7 }, ma.range(1, 5):reshape(5, 1)
    terrain({ 1, 1 }, { 8, 8 }, { out })
    same("float64", { noise.fbm(i / 8, ma.range(1, 7) / 8, { octaves = 2 }) + noise.value(0.25) }, out)
  end)

  it("stands in a rule where it fits a program", function()
    local x, y = coordinates "float32"
    same("float32", { ma.where(x:gt(0), noise.value(x, y), noise.perlin(x)) }, ma.fuse(function(a, b)
      if a > 0 then return ma.noise.value(a, b) end
      return jit.noise.perlin(a)
    end)(x, y))
  end)

  it("stands in stencils that a program does not hold", function()
    local x, y = coordinates "float32"
    local rule = ma.stencil(function(u, v) return noise.perlin(u(0), v(1)) + noise.simplex(u(-1), v(0)) end,
      { boundary = "wrap" })
    same("float32", { noise.perlin(x, ma.roll(y, -1)) + noise.simplex(ma.roll(x, 1), y) }, rule(x, y))
    assert.equal(helper.compiles, tostring(rule):find("as C++", 1, true) ~= nil)
  end)

  it("says what is wrong", function()
    local x, count = ma.ones(3), ma.array({ 1, 2, 3 }, "int64")
    local cases = {
      { "'noise.simplex' with 1 coordinates; wanted 2 to 3", function(a) return noise.simplex(a) end },
      { "'noise.curl' with 3 coordinates; wanted 2 to 2", function(a) return (noise.curl(a, a, a)) end },
      { "no option 'octaves' of 'noise.perlin'; there are seed",
        function(a) return noise.perlin(a, { octaves = 3 }) end },
      { "no option '1' of 'noise.perlin'; there are seed", function(a) return noise.perlin(a, { 3 }) end },
      { "octaves of 'noise.fbm' is a int64; wanted a constant",
        function(a, n) return noise.fbm(a, { octaves = n }) end, count },
      { "octaves of 'noise.fbm' is 2.5; wanted a whole number from 1 on",
        function(a) return noise.fbm(a, { octaves = 2.5 }) end },
      { "'noise.fbm': octaves is 33; wanted 1 to 32", function(a) return noise.fbm(a, { octaves = 33 }) end },
      { "'noise.fbm': noise is 'white'; wanted 'value', 'perlin' or 'simplex'",
        function(a) return noise.fbm(a, { noise = "white" }) end },
      { "'noise.curl': step is '0'; wanted a number above 0",
        function(a) return (noise.curl(a, a, { step = 0 })) end },
      { "seed of 'noise.value' is the number -1; wanted a whole number from 0 on",
        function(a) return noise.value(a, { seed = -1 }) end },
      { "seed of 'noise.value' is a float64; wanted a whole number from 0 on",
        function(a) return noise.value(a, { seed = a }) end },
      { "coordinate 1 of 'noise.value' is a boolean; wanted a number", function(a) return noise.value(a > 1) end },
    }
    for _, case in ipairs(cases) do fails(case[1], jit.elementwisekernel(case[2]), x, case[3]) end
    fails("a table with keys is not available in a kernel", jit.rawkernel(function(a) a[{ seed = 1 }] = 2 end), 1, 1,
      { x })
    fails("coordinates of 'noise.value' are complex128; wanted real numbers",
      jit.elementwisekernel(function(a) return noise.value(a) end), x:astype "complex128")
    fails("no function", function() return jit.moise end)
  end)
end)
