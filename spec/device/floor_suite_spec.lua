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
  local place

  setup(function()
    place = apart.new()
    place.add_floor()
  end)
  teardown(function() place.remove() end)

  for path in file.output("sh scripts/specs " .. chosen):gmatch("[^\n]+") do
    it(path:match("([%w_]+)%.lua$") .. " passes", function()
      local ok, text = file.run(("env %s %s MOONARRAY_DEVICE=cuda MOONARRAY_NVRTC=0 MOONARRAY_CACHE_DIR='%s' "
        .. "timeout 480 '%s' scripts/busted.lua --output=plainTerminal --helper=spec/helper.lua %s"):format(
        gpu.libraries, place.environment, gpu.folder .. "/floor-cache", luajit, path))
      text = text:gsub("moonarray: [^\n]* runs on the CPU: [^\n]*\n", "")
      assert(ok and text:find("\n%d+ success[^\n]* / 0 failures / 0 errors"), text)
    end)
  end
end)
