--- Loads the compiled module in a game of LÖVE. The system opens libraries from folders only. So a library inside a
--- .love file, or inside a game that was fused with LÖVE, is copied to the save directory first.
---
--- A copy's name has the size and the time of the original. So a new version of the game makes a new copy, while
--- another version that runs keeps its own. A start that finds its copy reads nothing.

local sformat = require("moonarray.text").format
local OPEN, MODULE = "luaopen_moonarray_core", "moonarray.core"
local searchpath = rawget(package, "searchpath")         -- LuaJIT's

--- The library's path inside the game, with the ending of the system's libraries.
local function path_in_game(love)
  local jit = rawget(_G, "jit")
  local windows = jit and jit.os == "Windows" or love.system and love.system.getOS() == "Windows"
  local ending = windows and "dll" or "so"
  return "moonarray/core." .. ending, ending
end

local function exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

local function give_up(text, ...) error("moonarray: " .. sformat(text, ...), 0) end

--- Copies the library to the save directory; returns its path there, as LÖVE writes it.
local function copy_out(fs, path, ending)
  local info = fs.getInfo(path, "file")
  local name = sformat("moonarray/core-%.0f-%.0f.%s", info.size, info.modtime or 0, ending)
  local copy = fs.getInfo(name, "file")
  if copy and copy.size == info.size then return name end
  fs.createDirectory("moonarray")
  local ok, reason = fs.write(name, fs.newFileData(path))
  if not ok then
    give_up("%s cannot be copied to %s: %s; wanted a save directory that can be written (t.identity in conf.lua " ..
      "names it)", path, fs.getSaveDirectory(), tostring(reason))
  end
  for _, item in ipairs(fs.getDirectoryItems("moonarray")) do
    local old = "moonarray/" .. item
    if item:find("^core%-%d+%-%d+%.%a+$") and old ~= name then fs.remove(old) end    -- one in use stays on Windows
  end
  return name
end

local function preload(path)
  local open, reason = package.loadlib(path, OPEN)
  if not open then give_up("%s does not load: %s", path, tostring(reason)) end
  package.preload[MODULE] = open
end

--- Opens a library in the save directory: by LÖVE's loader, which knows the system's names of files, or else by Lua's.
local function open_copy(fs, name)
  local paths = fs.getCRequirePath()
  fs.setCRequirePath(name)
  local ok = pcall(require, MODULE)
  fs.setCRequirePath(paths)
  if not ok then preload(fs.getSaveDirectory() .. "/" .. name) end
end

--- Makes `require "moonarray.core"` work, or leaves it to Lua's own search.
return function(love)
  local fs = love.filesystem
  if package.loaded[MODULE] or package.preload[MODULE] or not fs or type(io) ~= "table" then return end
  local path, ending = path_in_game(love)
  local folder = fs.getInfo(path, "file") and fs.getRealDirectory(path)
  if folder then
    if not exists(folder .. "/" .. path) then open_copy(fs, copy_out(fs, path, ending)) end
    return
  end
  local beside = fs.getSourceBaseDirectory() .. "/" .. path
  if exists(beside) then
    preload(beside)
  elseif searchpath and not searchpath(MODULE, package.cpath) then
    give_up("there is no %s in the game, nor beside it, nor where Lua looks for libraries; in the folder of " ..
      "moonarray's source, make demo builds it, and make game GAME=folder puts it into a game (docs/love.md)", path)
  end
end
