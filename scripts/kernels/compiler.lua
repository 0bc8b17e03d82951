-- Whether there is an NVRTC that can compile the floor set: prints which it is; else says why not, and ends with 1.
-- usage: luajit scripts/kernels/compiler.lua

local core = require "moonarray.core"

local ok, reason, version = pcall(core.bundle_compile, 'extern "C" __global__ void nothing() {}', "nothing", 75, true)
if ok then
  print(("kernels: the floor set is PTX of NVRTC %d.%d, for drivers of this CUDA version and later ones"):format(
    version / 1000, version % 1000 / 10))
else
  reason = tostring(reason):match(", and (NVRTC.-); where it is") or tostring(reason)
  io.stderr:write(("kernels: no floor set is compiled here: %s\n"):format(reason))
  os.exit(1)
end
