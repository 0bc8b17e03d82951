-- The programs in examples/ run on the device under test and print what they promise.

local helper = require "spec.helper"
local ma = helper.ma

--- What a program prints, in this process, with these arguments.
local function run(path, ...)
  local out, before, path_before = {}, rawget(_G, "arg"), package.path
  local environment = setmetatable({ arg = { ... } }, { __index = _G })
  function environment.print(...)
    local parts = {}
    for k = 1, select("#", ...) do parts[k] = tostring((select(k, ...))) end
    out[#out + 1] = table.concat(parts, "\t")
  end
  local ok, message = pcall(setfenv(assert(loadfile(path)), environment))
  package.path = path_before
  rawset(_G, "arg", before)
  assert(ok, message)
  return table.concat(out, "\n")
end

describe("examples", function()
  it("multiply matrices through shared memory", function()
    assert.matches("^50 x 50 on " .. helper.device .. ": largest relative error", run("examples/matmul.lua", "50"))
  end)

  it("play the Game of Life", function()
    local path = os.tmpname()
    local text = run("examples/life.lua", "4", path)
    assert.matches("generation 0, 10 alive", text)
    -- After four generations a glider stands one row and one column further.
    local last = text:match("generation 4, %d+ alive\n(.*)")
    local rows = {}
    for row in last:gmatch("[#.]+") do rows[#rows + 1] = row:sub(1, 5) end
    assert.same({ ".....", "..#..", "...#.", ".###.", "....." }, { rows[1], rows[2], rows[3], rows[4], rows[5] })
    local file = assert(io.open(path, "rb"))
    local bytes = file:read("*a")
    file:close()
    os.remove(path)
    assert.equal("P5\n40 16\n255\n", bytes:sub(1, 13))
    assert.equal(13 + 40 * 16, #bytes)
  end)

  it("overlap copies and kernels", function()
    local text = run("examples/overlap.lua", "40000", "8")
    assert.matches("^8 chunks of 5000 float32 on " .. helper.device, text)
    assert.matches("three streams +[%d.]+ ms +[%d.]+ times as fast$", text)
  end)

  it("time block sizes by events", function()
    local text = run("examples/block_sizes.lua", "10000")
    assert.matches("^10000 elements on " .. helper.device, text)
    assert.matches("1024 +10 +[%d.]+ +[%d.]+$", text)
    assert(ma)
  end)

  it("step a simulation by a graph", function()
    assert.matches("equal after 22 steps, energy [%d.e+-]+$", run("examples/graph_step.lua", "32", "20"))
  end)
end)
