-- The README's picture of the benchmarks is drawn from bench/results.md.

local ma = require "moonarray"

describe("bench/picture.lua", function()
  it("draws the run in results.md, and the README shows it", function()
    local path = os.tmpname()
    local luajit = os.getenv("LUAJIT") or "luajit"
    local pipe = io.popen(("%s bench/picture.lua bench/results.md %s.png 2>&1"):format(luajit, path))
    local told = pipe:read("*a")
    pipe:close()
    local picture = ma.image.read(path .. ".png")
    os.remove(path .. ".png")
    os.remove(path)
    local count = 0
    for won, all in told:gmatch("(%d+) of (%d+) keys") do
      assert(tonumber(won) <= tonumber(all) and tonumber(all) > 10, told)
      count = count + 1
    end
    assert(count >= 1, told)
    local kept = ma.image.read("docs/pictures/benchmark.png")
    local apart = ma.abs(picture:astype("float32") - kept):mean():item()
    assert(apart < 0.01, "docs/pictures/benchmark.png is not of this results.md: run luajit bench/picture.lua")
    assert(require("spec.file").read("README.md"):find("(docs/pictures/benchmark.png)", 1, true))
  end)
end)
