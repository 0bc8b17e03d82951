--- NumPy's older functions of random numbers, under their names.

return function(ma, core, shared)
  local def, whole = core.def, require "moonarray.common" (core).whole
  local random, define, integers, TAIL = shared.random, shared.define, shared.integers, shared.TAIL

  local function loose(name, first, ...)
    if type(first) == "table" then return first end
    local shape = { first, ... }
    for _, n in ipairs(shape) do whole(name, "an extent", n, 0) end
    return shape
  end

  --> random.rand: ma.random.default_rng(1):rand(2, 2)
  define("rand", "; dtype?: dtype, out?: array, device?: string, generator?: generator, ...",
    "Uniform numbers in [0, 1); extents one by one.",
    function(dtype, out, device, generator, ...)
    return random.random(select("#", ...) > 0 and loose("random.rand", ...) or nil, dtype, out, device,
      { generator = generator })
  end)

  --> random.randn: ma.random.default_rng(1):randn(2, 2)
  define("randn", "; dtype?: dtype, out?: array, device?: string, generator?: generator, ...",
    "Normal numbers of mean 0 and standard deviation 1; extents one by one.",
    function(dtype, out, device, generator, ...)
      return random.standard_normal(select("#", ...) > 0 and loose("random.randn", ...) or nil, dtype, out, device,
        { generator = generator })
    end)

  shared.hasten("rand", 0, function(rng) return shared.draw_plain(rng, "uniform", nil, nil, 0, 1) end)
  shared.hasten("randn", 0, function(rng) return shared.draw_plain(rng, "normal", nil, nil, 0, 1) end)

  --> random.randint: ma.random.default_rng(1):randint(1, 7, {size = 5})
  define("randint", "low: number|array, high?: number|array, size?: integer|integer[], dtype?: dtype, out?: array, "
    .. "device?: string; generator?: generator",
    "Whole numbers from low to below high; from 0 to below low if high is not given.",
    function(low, high, size, dtype, out, device, generator)
      return integers("random.randint", low, high, size, dtype, false, out, device, generator)
    end)

  --> random.random_integers: ma.random.default_rng(1):random_integers(1, 6, {size = 5})
  define("random_integers", "low: number|array, high?: number|array, size?: integer|integer[]; generator?: generator",
    "Whole numbers from low to high, both included; from 1 to low if high is not given.",
    function(low, high, size, generator)
      if high == nil then low, high = 1, low end
      return integers("random.random_integers", low, high, size, "int64", true, nil, nil, generator)
    end)

  --> random.tomaxint: ma.random.default_rng(1):tomaxint({size = 2})
  define("tomaxint", "size?: integer|integer[]; generator?: generator",
    "Whole numbers from 0 to the largest int64, 2^63 - 1.",
    function(size, generator)
    return integers("random.tomaxint", 0, 2 ^ 63, size, "int64", false, nil, nil, generator)
  end)

  --> random.random_sample: ma.random.default_rng(1):random_sample({size = 3})
  --> random.ranf: ma.random.default_rng(1):ranf({size = 3})
  --> random.sample: ma.random.default_rng(1):sample({size = 3})
  for _, name in ipairs { "random_sample", "ranf", "sample" } do
    define(name, TAIL, "The same as random.random.", function(size, dtype, out, device, generator)
      return random.random(size, dtype, out, device, { generator = generator })
    end)
  end

  --> random.RandomState: ma.random.RandomState(1):rand(3)
  def("random.RandomState(seed?: integer|integer[]|array, bit_generator?: string) -> generator",
    "NumPy's older name of a generator: random.default_rng, whose generators have the older methods too.",
    function(seed, bit_generator) return ma.random.default_rng(seed, bit_generator) end)
end
