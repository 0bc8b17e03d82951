-- The runner of the benchmarks: programs beside compilers, what their report says, and that all their keys are there.

local file = require "spec.file"
local report = require "bench.report"

local luajit = os.getenv("LUAJIT") or "luajit"

--- A report of what was measured of one key, by us and by peers: { time, first call, values } each.
local function told(key, ours, peers)
  local run = { ours = { [key] = ours[1], [key .. ".first"] = ours[2] }, memory = {}, missing = {}, peers = {},
    values = { ours = { [key] = ours[3] } }, n = 1, some = "compilers", about = function() return {} end }
  for name, theirs in pairs(peers) do
    run.peers[name] = { [key] = theirs[1], [key .. ".first"] = theirs[2] }
    run.values[name] = { [key] = theirs[3] }
  end
  return report(run)
end

--- The cells of the report's row of a key, by the column's title.
local function row(text, key)
  local titles, cells
  for line in text:gmatch("[^\n]+") do
    local list = {}
    for cell in line:gmatch("|%s+([^|]-)%s+%f[|]") do list[#list + 1] = cell end
    if list[1] == "key" then titles = list elseif list[1] == key then cells = list end
  end
  local named = {}
  for k, title in ipairs(assert(titles, text)) do named[title] = assert(cells, text)[k] end
  return named
end

describe("the benchmarks beside compilers", function()
  it("report the better peer, the goal, and what the first calls take", function()
    local text = told("cpu.fused.heat", { 2, 5, { 1, 2 } }, { jax = { 4, 90, { 1, 2 } }, numexpr = { 3, 7, { 1, 2 } } })
    local cells = row(text, "cpu.fused.heat")
    assert(text:find("\n## Beside compilers\n", 1, true), text)
    assert.equal("3 (numexpr)", cells["best peer"])
    assert.equal("yes", cells.met)
    assert.equal("5", cells["first call"])
    assert.equal("7", cells["peer's first call"])
    assert.equal("as jax, numexpr", cells.values)
    assert(text:find("\n1 goals met, 0 not met.", 1, true), text)
    cells = row(told("cpu.host.fused.heat", { 2, nil, {} }, { jax = { 3 } }), "cpu.host.fused.heat")
    assert.equal("NO", cells.met)
  end)

  it("say whose values differ, and let one of seventeen do so", function()
    local list = {}
    for k = 1, 17 do list[k] = k end
    local function said(change)
      local theirs = { unpack(list) }
      change(theirs)
      return row(told("cpu.fused.heat", { 2, 5, list }, { jax = { 4, 90, theirs } }), "cpu.fused.heat").values
    end
    assert.equal("as jax", said(function(theirs) theirs[3] = 3.001 end))
    assert.equal("as jax", said(function(theirs) theirs[3] = 9 end))
    assert.equal("NOT jax", said(function(theirs) theirs[3], theirs[4] = 9, 9 end))
    assert.equal("NOT jax", said(function(theirs) theirs[18] = 1 end))
    assert.equal("NOT jax", said(function(theirs) for k = 1, 17 do theirs[k] = 0 / 0 end end))
    assert.equal("-", row(told("cpu.fused.heat", { 2, 5, list }, {}), "cpu.fused.heat").values)
  end)

  -- On a GPU as well they are those of the table; compiling them all takes longer than a spec may.
  it("measure what the goals name, each with values that are numbers", function()
    local paths = ("LUA_PATH='%s' LUA_CPATH='%s'"):format(package.path, package.cpath)
    local ok, text = file.run(("MOONARRAY_DEVICE=cpu %s %s bench/measure.lua compilers 4096"):format(paths, luajit))
    assert(ok, text)
    local count = 0
    for _, goal in ipairs(require "bench.goals") do
      local key = goal[1]
      if key:find("^cpu%.fused") or key:find("^cpu%.host%.fused") or key:find("^cpu%.host%.step20") then
        count = count + 1
        local plain = key:gsub("%p", "%%%0")
        assert(tonumber(text:match("\n" .. plain .. " (%S+) %d+\n")), key .. " is not in " .. text)
        local values = assert(text:match("\nvalues " .. plain .. " ([^\n]+)"), key)
        for word in values:gmatch("%S+") do assert(tonumber(word) == tonumber(word), key .. ": " .. values) end
        if key:find("^cpu%.fused") then assert(text:find(key .. ".first ", 1, true), key .. ".first") end
      end
    end
    assert.equal(36, count)
  end)
end)
