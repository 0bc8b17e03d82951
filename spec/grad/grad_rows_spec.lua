-- Every row of kernels/derivatives.def against differences: each operand for itself, beside numbers, and broadcast.

local ma = require "moonarray"
local core = require "moonarray.core"
local helper = require "spec.helper"

-- Values at which a row has a derivative, where these are not: in (0.2, 0.8), away from whole numbers.
local PLAIN = { 0.31, 0.47, 0.73 }
local VALUES = {
  arccosh = { { 1.3, 2.1, 3.7 } }, remainder = { { 5.3, 7.4, 2.6 }, { 2.1, 1.7, 0.9 } },
  fmod = { { 5.3, -7.4, 2.6 }, { 2.1, 1.7, 0.9 } }, maximum = { { 1, 2, 3 }, { 3, 1, 2 } },
  minimum = { { 1, 2, 3 }, { 3, 1, 2 } }, fmax = { { 1, 2, 3 }, { 3, 1, 2 } }, fmin = { { 1, 2, 3 }, { 3, 1, 2 } },
  clip = { { 0.1, 0.5, 0.9 }, { 0.3, 0.2, 0.1 }, { 0.7, 0.8, 0.6 } },
  where = { { 1, 0, 1 }, PLAIN, PLAIN }, copysign = { { 0.3, -0.5, 2 }, { -1, -1, 1 } },
  heaviside = { { -1, 0, 2 }, PLAIN }, ldexp = { PLAIN, { 1, 2, -1 } },
  nan_to_num = { PLAIN, PLAIN, PLAIN, PLAIN }, frexp_mantissa = { { 1.3, 2.7, 5.1 } },
  logaddexp = { { 0.3, 5, -2 }, { 1, 2, 3 } }, radian = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } },
  entr = { PLAIN }, sinc = { { 0.004, 0.3, 1.7 } }, exprel = { { 0.004, 0.3, -1.7 } },
  huber = { { 0.5, 1, 2 }, { 0.3, 3, -4 } }, pseudo_huber = { { 0.5, 1, 2 }, { 0.3, 3, -4 } },
  polygamma = { { 1, 2, 1 }, { 1.3, 2.1, 3.7 } }, expn = { { 2, 3, 2 }, { 0.5, 1.3, 2.1 } },
  yn = { { 1, 2, 3 }, { 1.3, 2.1, 3.7 } }, hurwitz_zeta = { { 2.5, 3, 4 }, { 1.3, 2.1, 3.7 } },
  poch = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 } }, binom = { { 5.3, 6.1, 7.2 }, { 1.4, 2.2, 3.1 } },
  gammainc = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 } }, gammaincc = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 } },
  pdtr = { { 1, 2, 3 }, { 0.5, 1.2, 2 } }, pdtrc = { { 1, 2, 3 }, { 0.5, 1.2, 2 } },
  chdtr = { { 1, 2, 3 }, { 0.5, 1.2, 2 } }, chdtrc = { { 1, 2, 3 }, { 0.5, 1.2, 2 } },
  gdtr = { { 1, 2, 3 }, { 1.5, 2.2, 3 }, { 0.5, 1.2, 2 } }, gdtrc = { { 1, 2, 3 }, { 1.5, 2.2, 3 }, { 0.5, 1.2, 2 } },
  stdtr = { { 1, 2, 3 }, { 0.5, -1.2, 2 } }, shichi_shi = { { 0.5, 1.2, 2 } }, shichi_chi = { { 0.5, 1.2, 2 } },
  betainc = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 }, PLAIN }, betaincc = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 }, PLAIN },
  btdtr = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 }, PLAIN }, betaincinv = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 }, PLAIN },
  btdtri = { { 1.3, 2.1, 3.7 }, { 0.5, 1.2, 2 }, PLAIN }, modf_fraction = { { 0.3, 1.7, -2.4 } },
}

assert(ma.grad)                                                    -- which loads what core.derivative is
local rows, words = {}, {}
for op = 0, math.huge do
  local row = { core.derivative(op) }
  if not row[1] then break end
  words[row[2]] = row[1]
  if row[1] ~= "constant" and row[1] ~= "none" then
    rows[#rows + 1] = { op = op, name = row[2], word = row[1], unpack(row, 4, row[3] + 3) }
  end
end

local function array(list) return ma.array(list, "float64") end

--- The values of an operand, and what it is where it is a constant.
local function operand(row, k)
  local values = (VALUES[row.name] or {})[k] or PLAIN
  if row.name == "where" and k == 1 then return ma.array(values, "float64"):ne(0) end
  if row.name == "ldexp" and k == 2 then return ma.array(values, "int64") end
  return array(values)
end

describe("the derivative of each row", function()
  it("has a word", function()
    assert(#rows > 130, #rows)
    for name, word in pairs(words) do
      assert(({ rule = true, analytic = true, parted = true, constant = true, none = true })[word], name)
    end
    assert.equal("constant", words.floor)
    assert.equal("none", words.nextafter)
  end)

  it("is what differences give", function()
    local failures = helper.failures()
    for _, row in ipairs(rows) do
      local call = core.operation(row.name)
      for k = 1, #row do
        if row[k] ~= "none" and row[k] ~= "0" then
          failures:run(row.name .. " by operand " .. k, function()
            local given = {}
            for j = 1, #row do given[j] = operand(row, j) end
            ma.testing.check_grad(function(x)
              local operands = {}
              for j = 1, #row do operands[j] = j == k and x or given[j] end
              return call(nil, nil, nil, unpack(operands, 1, #row))
            end, { given[k] }, { rtol = 2e-6, atol = 2e-7 })
          end)
        end
      end
    end
    failures:check()
  end)

  it("is summed over what an operand is repeated along", function()
    for _, name in ipairs { "add", "multiply", "divide", "arctan2", "hypot" } do
      local call = core.operation(name)
      local function of(x, y) return call(nil, nil, nil, x, y) end
      ma.testing.check_grad(of, { array { { 1, 2, 3 }, { 4, 5, 6 } }, array { 0.5, 1, 2 } })
      ma.testing.check_grad(of, { array { { 1 }, { 2 } }, array { 0.5, 1, 2 } })
      ma.testing.check_grad(of, { array({ { 1, 2, 3 }, { 4, 5, 6 } }).T, array(0.5) })
    end
  end)

  it("is right beside a number on either side", function()
    ma.testing.check_grad(function(x) return 2 - x, x / 3, 3 / x, x ^ 3, 2 ^ x, -x, x % 2 end, { array(PLAIN) })
    ma.testing.check_grad(function(x) return x ^ 2, x ^ 0.5, x ^ -1, x ^ 1, x ^ 0 end, { array(PLAIN) })
  end)

  it("stays 0 where nothing flows, whatever it is multiplied by", function()
    local given = array { -1, 0, 4 }
    local g = ma.grad(function(x) return ma.where(x:gt(0), ma.sqrt(x), 0):sum() end)(given)
    assert.same({ 0, 0, 0.25 }, g:totable())
    g = ma.grad(function(x) return ma.where(x:gt(0), ma.log(x), x):sum() end)(given)
    assert.same({ 1, 1, 0.25 }, g:totable())
    g = ma.grad(function(x) return (x ^ 0):sum() end)(given)
    assert.same({ 0, 0, 0 }, g:totable())
  end)
end)
