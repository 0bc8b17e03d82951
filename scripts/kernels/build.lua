-- Compiles a record into the bundle of one architecture, or into PTX for all cards if ARCH is "floor". Images are kept
-- in a folder by the hash of their text, so that only texts that are new are compiled.
-- usage: luajit scripts/kernels/build.lua RECORD ARCH BUNDLE FOLDER [MOST]      MOST: bytes that the bundle may have
-- A base set has as many kernels of the record, in its order, as MOST bytes hold: a card's images may be longer.

package.path = "./?.lua;" .. package.path
local ma = require "moonarray"
local core = require "moonarray.core"
local files = require "scripts.files"
local nvrtc = require "scripts.kernels.nvrtc"

local record, arch, bundle, folder, most = arg[1], tonumber(arg[2]), arg[3], arg[4], tonumber(arg[5]) or math.huge
local is_floor = arch == nil
local compile, calls = core.bundle_compile, core.bundle_calls
local used, ncompiled = {}, 0

local compiler = nvrtc.version(arch or nvrtc.LEAST, is_floor) or 0
folder = ("%s/%s-%.0f"):format(folder, arg[2], compiler)
assert(os.execute(("mkdir -p '%s'"):format(folder)) == 0)

-- All texts of the sets are the library's own, without options.
core.bundle_compile = function(text, family, ...)
  local name = core.bundle_key(text)
  local path = folder .. "/" .. name
  local image = files.read(path)
  if not image then
    image = compile(text, family, ...)
    ncompiled = ncompiled + 1
    files.write(path, image)
  end
  used[name] = true
  return image, compiler
end
core.bundle_calls = function(text, family, ...)
  local name = core.bundle_key(text) .. ".calls"
  local path = folder .. "/" .. name
  local functions = files.read(path)
  if not functions then
    functions = ("%.0f"):format(calls(text, family, ...))
    files.write(path, functions)
  end
  used[name] = true
  return tonumber(functions)
end

local FIELDS = 7                        -- of a kernel of the library in a record, each its length, a colon, its bytes

--- Copies the first n kernels of the record, or counts them if there is no other file.
local function first_kernels(n, to)
  local from, count = assert(io.open(record, "rb")), 0
  local out = to and assert(io.open(to, "wb"))
  while count < n and from:read("*l") do                     -- "kernel"
    count = count + 1
    if out then out:write("kernel\n") end
    for _ = 1, FIELDS do
      local length = from:read("*n")
      local field = assert(length and from:read(length + 2), "a damaged record")
      if out then out:write(("%d"):format(length), field) end
    end
  end
  from:close()
  if out then out:close() end
  return count
end

local function build(path)
  return ma.bundle.build(path, bundle, { targets = { arch }, ptx = is_floor and nvrtc.LEAST, nvrtc = nvrtc.named })
end

local built = build(record)
local kept = not is_floor and built.bytes > most and first_kernels(math.huge)
local all = kept
while kept and kept > 0 and built.bytes > most do
  kept = math.floor(kept * most / built.bytes * 0.995)
  first_kernels(kept, record .. "." .. arg[2])
  built = build(record .. "." .. arg[2])
  os.remove(record .. "." .. arg[2])
end
for _, name in ipairs(files.lines(("ls '%s'"):format(folder))) do
  if not used[name] then os.remove(folder .. "/" .. name) end
end
if #built.failed > 0 then
  os.remove(bundle)
  io.stderr:write("kernels: without\n", table.concat(built.failed, "\n"), "\n")
  os.exit(1)
end
if built.bytes > most then
  os.remove(bundle)
  io.stderr:write(("kernels: %s has %d bytes; at most %d are wanted\n"):format(bundle, built.bytes, most))
  os.exit(1)
end
print(("%s: %d images, %d of them compiled now, %d bytes%s"):format(bundle, built.images, ncompiled, built.bytes,
  all and (", without the last %d of %d kernels"):format(all - kept, all) or ""))
