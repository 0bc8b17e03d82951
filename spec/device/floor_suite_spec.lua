-- A part of the suite on the pretended GPU without NVRTC, whose kernels are those of the floor set alone: what a spec
-- demands holds also where expressions run as single operations, these by general forms, and the rest on the CPU.
-- make test-gpu-floor runs all of it on a GPU. FLOOR_SPECS="stencil_spec sort_spec" names others.

local apart = require "spec.pretend.apart"
local file = require "spec.file"
local gpu = require "spec.pretend.gpu"
local ma = require("spec.helper").ma

local luajit = os.getenv("LUAJIT") or "luajit"
local chosen = os.getenv("FLOOR_SPECS") or ""
if chosen == "" then chosen = "fusion_spec fusion_order_spec pending_reduce_spec struct_elements_spec" end

describe("with the floor set alone,", function()
  if ma.cuda.is_available() then return pending("make test-gpu-floor runs all specs so") end
  if not gpu.is_built() then return pending("is tried on the pretended GPU, which make pretend builds") end
  local place, folder, environment

  --- The floor set beside a module, as texts that the driver compiles when a spec asks for them.
  setup(function()
    place = apart.new()
    folder = place.folder
    local record, set = folder .. "/floor.rec", folder .. "/moonarray/kernels/floor.mab"
    place.run('arg = { "floor" }\n' .. file.read("scripts/kernels/record.lua"),
      "PRETEND_IDLE=1 MOONARRAY_TRACE= MOONARRAY_BUNDLE=record:" .. record)
    environment = ("%s LUA_PATH='./lua/?.lua;./lua/?/init.lua;./?.lua;;' LUA_CPATH='%s/?.so;;' MODULE_DIR='%s'"):format(
      gpu.libraries, folder, folder)
    local _, text = file.run(("env %s PRETEND_LATE=1 MOONARRAY_DEVICE=cpu '%s' scripts/kernels/build.lua '%s' floor "
      .. "'%s' '%s/images'"):format(environment, luajit, record, set, folder))
    assert(text:find(" images, "), text)
    os.execute(("rm -rf '%s' '%s'"):format(record, folder .. "/images"))
  end)
  teardown(function() place.remove() end)

  for path in file.output("sh scripts/specs " .. chosen):gmatch("[^\n]+") do
    it(path:match("([%w_]+)%.lua$") .. " passes", function()
      local ok, text = file.run(("env %s MOONARRAY_DEVICE=cuda MOONARRAY_NVRTC=0 MOONARRAY_CACHE_DIR='%s' timeout 480 "
        .. "'%s' scripts/busted.lua --output=plainTerminal --helper=spec/helper.lua %s"):format(environment,
        gpu.folder .. "/floor-cache", luajit, path))
      text = text:gsub("moonarray: [^\n]* runs on the CPU: [^\n]*\n", "")
      assert(ok and text:find("\n%d+ success[^\n]* / 0 failures / 0 errors"), text)
    end)
  end
end)
