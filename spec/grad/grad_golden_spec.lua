-- Derivatives of whole programs, held to what JAX gives for the same (spec/golden/grad/grad.py).

local run = require "spec.expressions"

describe("ma.grad gives JAX's values for programs of", function()
  for _, section in ipairs { "elements", "reductions", "places", "products", "second" } do
    it(section, function() assert(run(section, "grad", { float64 = 1e-10 }) >= 5) end)
  end
end)
