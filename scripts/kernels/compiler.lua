-- Whether there is an NVRTC that can compile the floor set: prints which it is; else says why not, and ends with 1.
-- With a file it notes there which NVRTC compiles for each card, for make. A file that says so already stays as it is.
-- usage: luajit scripts/kernels/compiler.lua [FILE [ARCH ...]]

package.path = "./?.lua;" .. package.path
local files = require "scripts.files"
local nvrtc = require "scripts.kernels.nvrtc"

local OLDEST = 11080                    -- whose PTX all drivers read that the library supports

local function version_of(arch, ptx)
  local ok, version = pcall(nvrtc.version, arch, ptx)
  return ok and version or "none"
end

if arg[1] then
  local lines = { ("floor %s\n"):format(version_of(nvrtc.LEAST, true)) }
  for k = 2, #arg do lines[k] = ("%s %s\n"):format(arg[k], version_of(tonumber(arg[k]), false)) end
  local text = table.concat(lines)
  if files.read(arg[1]) ~= text then files.write(arg[1], text) end
  return
end

local ok, version = pcall(nvrtc.version, nvrtc.LEAST, true)
if ok and version then
  print(("kernels: the floor set is PTX of NVRTC %d.%d, for drivers of this CUDA version and later ones%s"):format(
    version / 1000, version % 1000 / 10, version > OLDEST and "; NVRTC=FOLDER with a CUDA 11.8 makes it for all" or ""))
else
  local reason = ok and "no NVRTC that is named compiles it" or tostring(version)
  io.stderr:write(("kernels: no floor set is compiled here: %s\n"):format(reason:match(", and (NVRTC.-); where it is")
    or reason:gsub("^.-moonarray%.[%w_]+: ", "")))
  os.exit(1)
end
