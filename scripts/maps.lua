-- The maps at the heads of three headers: each names every file of its folder once, in its room, and no other file.
-- usage: luajit scripts/maps.lua      from the repository's root. Prints "N files", or what is wrong.

local files = dofile("scripts/files.lua")
local maps = { "src/cuda/cuda.h", "src/cpu/cpu.h", "src/bind/bind.h" }

local function files_of(folder)
  local list = {}
  for _, path in ipairs(files.lines(("find '%s' -type f"):format(folder))) do list[path:sub(#folder + 2)] = true end
  return list
end

--- The files that the head of a header names: path -> how many times.
local function named_in(path)
  local named, room = {}, nil
  for line in io.lines(path) do
    if line == "*/" then break end
    local found, rest = line:match("^%*%* ([%w_.]+/) +(.*)$")
    if found then room = found == "./" and "" or found end
    for name in (room and (rest or line) or ""):gmatch("[%w_]+%.%l+") do
      if name:find("%.[ch]$") or name:find("%.def$") or name:find("%.loops$") then
        named[room .. name] = (named[room .. name] or 0) + 1
      end
    end
  end
  return named
end

local nfile, wrong = 0, {}
local function say(...) wrong[#wrong + 1] = string.format(...) end

for _, path in ipairs(maps) do
  local folder = path:match("^(.*)/")
  local there, named = files_of(folder), named_in(path)
  for name in pairs(there) do
    local of_source = name:find("%.h$") and there[(name:gsub("h$", "c"))]
    nfile = nfile + 1
    if folder .. "/" .. name ~= path and not of_source and not named[name] then
      say("%s does not name %s", path, name)
    end
  end
  for name, times in pairs(named) do
    if not there[name] then say("%s names %s, which is not there", path, name) end
    if times > 1 then say("%s names %s %d times", path, name, times) end
  end
end
if #wrong > 0 then
  table.sort(wrong)
  print(table.concat(wrong, "\n"))
  os.exit(1)
end
print(("%d files"):format(nfile))
