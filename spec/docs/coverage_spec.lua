-- docs/coverage.md: every public name of CuPy's is here, or has its reason, or stands in the list of what is missing,
-- which may only get shorter.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local read = require("spec.file").read

local coverage = dofile "scripts/coverage.lua"

-- Of the names that mean something here, percent: those of CuPy's own, and the namespaces of cupyx.scipy that are
-- wholly or largely here.
local REACHED = 98
local REACHED_SCIPY = {
  ["cupyx.scipy.special"] = 100, ["cupyx.scipy.ndimage"] = 100, ["cupyx.scipy.signal"] = 99,
  ["cupyx.scipy.signal.windows"] = 100, ["cupyx.scipy.linalg"] = 100, ["cupyx.scipy.fft"] = 100,
  ["cupyx.scipy.fftpack"] = 100, ["cupyx.scipy.stats"] = 100, ["cupyx.scipy.spatial"] = 66,
  ["cupyx.scipy.spatial.distance"] = 100, ["cupyx.scipy.interpolate"] = 93,
}

--- The report of a library in which some names are hidden and others added.
local function measured(changes)
  local library = setmetatable({}, { __index = function(_, key)
    if changes[key] == false then error("no function '" .. key .. "'") end
    if changes[key] ~= nil then return changes[key] end
    return ma[key]
  end })
  return coverage.measure(library, core)
end

local function contains(list, text)
  for _, line in ipairs(list) do
    if line:find(text, 1, true) then return true end
  end
  return false
end

describe("the coverage of CuPy's names", function()
  it("explains each name that is not there", function()
    local report = coverage.measure(ma, core)
    assert.same({}, report.faults)
    assert.is_true(report.own.percent >= REACHED, ("%.2f %% of the names are there"):format(report.own.percent))
    for _, space in ipairs(report.spaces) do
      local percent, wanted = 100 * space.there / space.all, REACHED_SCIPY[space.name]
      if wanted then assert.is_true(percent >= wanted, ("%s: %.2f %%"):format(space.name, percent)) end
    end
  end)

  it("is what docs/coverage.md shows; `make coverage` writes it", function()
    local report = coverage.measure(ma, core)
    assert.same({}, report.gained)
    assert.equal(coverage.list(report), read("scripts/coverage/missing.txt"))
    assert.is_true(coverage.page(report) == read("docs/coverage.md"), "docs/coverage.md is not current; make coverage")
  end)

  it("notices a name that goes", function()
    local report = measured { argsort = false }
    assert.same({ "cupy.argsort: it is neither there nor explained" }, report.faults)
  end)

  it("notices a spelling that leads nowhere", function()
    assert.is_true(contains(measured { issubdtype = false }.faults, "there is no ma.issubdtype"))
  end)

  it("notices a name that came, where the list calls it missing", function()
    local missing = read("scripts/coverage/missing.txt"):match("cupyx%.scipy%.sparse%.([%w_]+)")
    if not missing then return end                       -- none of them is missing any more
    local report = measured { sparse = { [missing] = print } }
    assert.is_true(contains(report.gained, "cupyx.scipy.sparse." .. missing))
  end)

  it("notices a name that is there and explained", function()
    assert.is_true(contains(measured { intp = print }.faults, "cupy.intp: it is there under the same name"))
  end)
end)
