-- Arrays are made on the current device, and stay where they are in everything that computes. Two pretended GPUs
-- (make pretend) hold it where there are no real ones.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

describe("the current device", function()
  it("is where array, asarray and their like put arrays", function()
    if not gpu.is_built() then pending("no pretended GPU; make pretend") return end
    local luajit = os.getenv("LUAJIT") or "luajit"
    local ok, text = file.run(("env PRETEND_DEVICES=2 %s %s spec/device/current_device.lua"):format(gpu.environment,
      luajit))
    assert(ok and text == "ok\n", text)
  end)
end)
