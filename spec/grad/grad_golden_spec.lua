-- Derivatives of whole programs, held to what JAX and PyTorch give for the same (spec/golden/grad).

local ma = require "moonarray"
local run = require "spec.expressions"

-- A pretended GPU has no libraries of factors and transforms.
local able = pcall(function() return ma.linalg.det(ma.eye(2)):item() end)
local OF_LIBRARIES = { products = true, factors = true, second = true }

--- Runs the sections of a member.
local function hold(member, sections)
  for section in sections:gmatch "%S+" do
    local given = (able or not OF_LIBRARIES[section]) and it or pending
    given(section, function() assert(run(section, member, { float64 = 1e-10 }) >= 5) end)
  end
end

describe("ma.grad gives JAX's values for programs of", function()
  hold("grad", "elements reductions places products second")
end)

describe("ma.grad gives PyTorch's values for programs of", function()
  hold("grad_torch", "elements reductions places products factors second")
end)
