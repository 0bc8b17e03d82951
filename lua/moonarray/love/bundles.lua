--- Bundles of compiled kernels among the files of a game of LÖVE (docs/bundles.md). The core opens files of the system;
--- those in a .love file, or in a game that was fused with LÖVE, are read here. An archive is trusted as the program in
--- it is; a file outside is left to the core, which looks at who can write it.

local bundles = {}

local function exists(path)
  local file = type(io) == "table" and io.open(path, "rb")
  if file then file:close() end
  return file and true or false
end

local function files_of_game()
  local love = rawget(_G, "love")
  return type(love) == "table" and love.filesystem or nil
end

--- The system's path of a file of the game, and its bytes where it lies in an archive; nil where there is no such file.
function bundles.locate(path)
  local fs = files_of_game()
  if not fs or not fs.getInfo(path, "file") then return nil end
  local real = (fs.getRealDirectory(path) or "") .. "/" .. path
  if exists(real) then return real end
  return real, (fs.read(path))
end

--- The archive that has the base set or the floor set, which the core opens when the first kernel is sought there.
local function archive_of_sets(fs)
  for _, name in ipairs(fs.getDirectoryItems "moonarray/kernels") do
    local path = "moonarray/kernels/" .. name
    local archive = name:find "%.mab$" and fs.getRealDirectory(path)
    if archive and not exists(archive .. "/" .. path) then return archive end
  end
end

--- Adds what lies beside the module in an archive.
function bundles.add_beside(core)
  local fs = files_of_game()
  if not fs then return end
  local archive = archive_of_sets(fs)
  if archive then core.bundle_archive(archive) end
  for _, name in ipairs(fs.getDirectoryItems "moonarray") do
    if name:find "%.mab$" then
      local real, bytes = bundles.locate("moonarray/" .. name)
      if bytes then core.bundle_load_bytes(bytes, real, true) end
    end
  end
end

return bundles
