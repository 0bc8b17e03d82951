-- Arrays are made on the current device, and stay where they are in everything that computes. Two pretended GPUs
-- (make pretend) hold it where there are no real ones.

local file = require "spec.file"

local build = os.getenv("BUILD") or "build"

local function exists(path)
  local handle = io.open(path)
  return handle and handle:close()
end

describe("the current device", function()
  it("is where array, asarray and their like put arrays", function()
    if not exists(build .. "/pretend/libcuda.so.1") then pending("no pretended GPU; make pretend") return end
    local environment = ("env PRETEND_DEVICES=2 CUDA_PATH= LD_LIBRARY_PATH=%s/pretend "
      .. "MOONARRAY_CACHE_DIR=%s/pretend/cache MOONARRAY_DEVICE=cuda"):format(build, build)
    local luajit = os.getenv("LUAJIT") or "luajit"
    local ok, text = file.run(environment .. " " .. luajit .. " spec/device/current_device.lua")
    assert(ok and text == "ok\n", text)
  end)
end)
