--- Random programs of the kernels' language (jit_writer.lua), run by LuaJIT itself and as kernels (jit_twin.lua): what
--- they leave in their arrays is the same, to the bit but for the sign of zero (an int64 has none), and where a
--- position is outside an error says so. Fifty programs make one kernel. FUZZ_PROGRAMS=n is how many, FUZZ_SEED=n the
--- kernel to begin with, as a failure names it.

local helper = require "spec.helper"
local twin = require "spec.jit.jit_twin"
local writer = require "spec.jit.jit_writer"

local EACH, FEW = 50, 20                -- programs a kernel; in a plain run

local function generator(seed)
  local state = (seed * 7919 + 104729) % 2147483647
  for _ = 1, 10 do state = state * 16807 % 2147483647 end
  return function(low, high)
    state = state * 16807 % 2147483647
    return low + math.floor(state / 2147483647 * (high - low + 1))
  end
end

--- Each array has a generator of its own, so that the first programs of a kernel find the same, however many there are.
local function arrays_of(seed, n)
  local layouts, list = { "c", "f", "r", "w" }, {}
  local function array(name, first)
    local random, is_int = generator(seed * 64 + name:byte()), name == "w" or name == "q"
    local layout = layouts[random(1, 4)]
    local shape, size, values = { first, unpack(writer.shapes[name]) }, first or 1, {}
    if not first then shape = { unpack(writer.shapes[name]) } end
    for _, extent in ipairs(writer.shapes[name]) do size = size * extent end
    for k = 1, size do values[k] = is_int and random(-1000, 1000) or random(-4000, 4000) / 512 end
    return { shape, values, is_int and "int64" or "float64", layout }
  end
  for k, name in ipairs(writer.order) do list[k] = array(name, n) end
  return list, array "z"
end

--- A kernel's worth of programs; positions are outside in every third.
local function round(seed, most)
  local random = generator(seed)
  local checked = helper.ma.zeros(1).device == "cpu" or os.getenv "MOONARRAY_CHECK" == "1"
  local options, bodies = { outside = checked and seed % 3 == 0 }, {}
  for k = 1, most do bodies[k] = writer.body(random, options) end
  local arrays, whole = arrays_of(seed, most)
  local difference, p = twin.differ(bodies, writer.params, writer.devices, arrays, whole)
  if difference then
    local at = p and ("program %d of %d\n%s\nlayouts"):format(p, most, bodies[p]) or "the kernel: "
    for _, array in ipairs(arrays) do at = at .. " " .. array[4] end
    error(("FUZZ_SEED=%d: %s\n%s"):format(seed, at, difference), 0)
  end
end

describe("jit", function()
  it("runs random programs as LuaJIT does", function()
    local programs = tonumber(os.getenv("FUZZ_PROGRAMS")) or helper.long and 1000 or FEW
    local given = tonumber(os.getenv("FUZZ_SEED"))
    local seed, done = given or helper.seed * 100, 0
    while done < programs do
      local n = math.min(EACH, programs - done)
      round(seed, given and EACH or n)
      seed, done = seed + 1, done + n
      if programs > 1000 and done % 1000 < EACH then
        io.stderr:write(("%d programs, next FUZZ_SEED=%d\n"):format(done, seed))
      end
    end
  end)
end)
