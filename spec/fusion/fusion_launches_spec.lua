-- What a step of the simulations in examples/ launches: few kernels with operators that defer, and no more than with
-- operators evaluated at once from the first step on.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local few = require("spec.fusion.fusion_helper").are_few

local most = { heat = 2, reaction_diffusion = 2, nbody = 6 }

--- The simulation that an example describes, not run.
local function load_simulation(name)
  local found
  local runner = package.loaded.simulation
  package.loaded.simulation = function(simulation) found = simulation end
  local path = package.path
  dofile("examples/" .. name .. ".lua")
  package.path, package.loaded.simulation = path, runner
  return found
end

--- Launches of each of the first steps, all that waits at their end included.
local function launches(simulation, fusion, steps)
  ma.set_fusion(fusion)
  local state, list = simulation.start(32), {}
  ma.synchronize()
  for k = 1, steps do
    local before = core.work()
    simulation.step(state)
    if k == steps then ma.synchronize() end
    list[k] = core.work() - before
  end
  local bytes = {}
  for k, name in ipairs(simulation.keys) do bytes[k] = state[name]:tobytes() end
  return list, table.concat(bytes)
end

describe("a step of", function()
  for name, bound in pairs(most) do
    it(name .. " launches few kernels", function()
      local was, before = ma.set_fusion(true), core.defer_from(1)
      core.compile_at_once(true)
      local simulation = load_simulation(name)
      local deferred, bytes = launches(simulation, true, 12)
      local once, want = launches(simulation, false, 12)
      core.compile_at_once(false)
      core.defer_from(before)
      ma.set_fusion(was)
      assert(bytes == want, "the bits differ")
      for k = 1, 12 do
        assert(few(deferred[k], once[k]), ("step %d launches %d kernels deferred, %d at once"):format(k, deferred[k],
          once[k]))
        assert(k < 5 or k == 12 or few(deferred[k], bound), ("step %d launches %d kernels; wanted at most %d"):format(k,
          deferred[k], bound))
      end
    end)
  end
end)
