-- ma.sparse: SciPy's values of conversions, products, operators, reductions, indices and builders over formats and
-- dtypes; what errors say.

local run = require "spec.expressions"
local near = { float32 = 2e-6, complex64 = 2e-6, float64 = 1e-12, complex128 = 1e-12 }

describe("ma.sparse has SciPy's values of", function()
  for _, section in ipairs { "format", "product", "arithmetic", "compare", "reduce", "index", "build" } do
    it(section, function() run(section, "sparse", near) end)
  end
end)
