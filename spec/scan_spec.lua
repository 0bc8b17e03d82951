-- Scans of rows of many tiles: the same bits on both devices, in place, from places that are not aligned, and of what a program gives.

local helper = require "spec.helper"
local ma = helper.ma

local cpu = ma.device("cpu")

--- On the CPU, so that both devices get the same values.
local function values(shape, dtype)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return cpu:with(function()
    local x = ma.random.default_rng(helper.seed + n):random({ n }, "float64") * 2 - 0.99
    if not helper.is_float[dtype] and not helper.is_complex[dtype] then x = x * 1000 end
    return x:astype(dtype):reshape(shape)
  end)
end

describe("scans of many tiles", function()
  local shapes = { { 4097 }, { 8192 }, { 139269 }, { 3, 12288 }, { 2, 135168 }, { 2, 135171 } }

  it("give the same bits on both devices, in place and not aligned", function()
    local failures = helper.failures()
    for _, dtype in ipairs({ "float32", "float64", "int32", "int64", "float16", "complex64" }) do
      for _, shape in ipairs(shapes) do
        failures:run(dtype .. " " .. table.concat(shape, "x"), function()
          local host, axis = values(shape, dtype), #shape
          for _, op in ipairs({ "cumsum", "cumprod" }) do
            local want = helper.bytes(ma[op](host, axis))
            local x = helper.device == "cpu" and host:copy() or host:to(helper.device)
            local got = ma[op](x, axis)
            helper.same(helper.bytes(got), want, got.dtype, 0, op)
            helper.same(helper.bytes(ma[op](x - 0, axis)), want, got.dtype, 0, op .. " of a difference")      -- which keeps -0
            local longer = { unpack(shape) }
            longer[axis] = longer[axis] + 1
            local room = ma.zeros(longer, dtype)
            local inside = room["..., 2:"]
            inside[{}] = x
            helper.same(helper.bytes(ma[op](inside, axis)), want, got.dtype, 0, op .. ", not aligned")
            if got.dtype == dtype then
              ma[op](x, axis, { out = x })
              helper.same(helper.bytes(x), want, dtype, 0, op .. " in place")
            end
          end
        end)
      end
    end
    failures:check()
  end)

  it("end in the sum", function()
    local x = ma.ones({ 4096 * 1025 + 3 }, "float32")
    local sums = ma.cumsum(x)
    assert(sums(sums.size) == sums.size and sums(4096 * 1024 + 1) == 4096 * 1024 + 1 and sums(131073) == 131073)
    assert(ma.array_equal(sums, ma.arange(1, sums.size + 1, { dtype = "float32" })))
  end)
end)
