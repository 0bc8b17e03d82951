-- Prints how many lines of C, CUDA and Lua each folder of src, kernels and lua has beside its budget in
-- scripts/rooms.txt, and fails where one has more, or where a commit raised a budget without saying why.
-- usage: luajit scripts/rooms.lua [--lower], from the repository's root. --lower writes budgets that leave few lines.

local files = dofile("scripts/files.lua")
local TABLE = "scripts/rooms.txt"
local SPARE = 20        -- the lines that --lower leaves

--- 0 for a file that is deleted, and not yet committed.
local function lines_in(path)
  local _, count = (files.read(path) or ""):gsub("\n", "")
  return count
end

local used, rooms = {}, {}
for _, path in ipairs(files.lines("git ls-files -co --exclude-standard src kernels lua")) do
  local room = path:match("^(.*)/[^/]*$")
  if not used[room] then rooms[#rooms + 1] = room end
  used[room] = (used[room] or 0) + lines_in(path)
end
table.sort(rooms)

local budget = {}
for line in io.lines(TABLE) do
  local room, lines = line:match("^(%S+)%s+(%d+)$")
  if room then budget[room] = tonumber(lines) end
end

if arg[1] == "--lower" then
  local head = {}
  for line in io.lines(TABLE) do if line:find("^#") then head[#head + 1] = line end end
  local file = assert(io.open(TABLE, "w"))
  file:write(table.concat(head, "\n"), "\n")
  for _, room in ipairs(rooms) do
    file:write(("%-36s %6d\n"):format(room, math.min(budget[room] or math.huge, used[room] + SPARE)))
  end
  file:close()
  return
end

local failures, total = {}, 0
local function fail(text, ...) failures[#failures + 1] = text:format(...) end

for _, room in ipairs(rooms) do
  total = total + used[room]
  print(("%-36s %6d of %6d"):format(room, used[room], budget[room] or 0))
  if used[room] > (budget[room] or 0) then fail("%s has more lines than %s allows", room, TABLE) end
end
for room in pairs(budget) do if not used[room] then fail("%s: there is no %s", TABLE, room) end end
print(("%-36s %6d"):format("all", total))

--- A commit that raises a room's budget names the room in its message, with the reason.
local last = files.lines("git log -1 --format=%H -- " .. TABLE)[1]
if last then
  local body = table.concat(files.lines("git log -1 --format=%B " .. last), "\n")
  local before = {}
  for _, line in ipairs(files.lines("git show --format= " .. last .. " -- " .. TABLE)) do
    local sign, room, lines = line:match("^([+-])(%S+)%s+(%d+)$")
    if sign == "-" then before[room] = tonumber(lines) end
    if sign == "+" and before[room] and tonumber(lines) > before[room] and not body:find(room, 1, true) then
      fail("%s raises the budget of %s and does not say why", last:sub(1, 8), room)
    end
  end
end
for _, text in ipairs(failures) do print(text) end       -- last, since make lint shows the end of what failed
os.exit(#failures > 0 and 1 or 0)
