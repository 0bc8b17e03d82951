-- The floors of src: reads the objects' symbols and the includes, and fails where a folder reaches one above its own,
-- or where more than a few objects call each other in a circle.
-- usage: luajit scripts/floors.lua BUILD      after `make` into the folder BUILD. Prints "N symbols, N includes,
--                                             largest circle N", or what is wrong.

local files = dofile("scripts/files.lua")

-- In the order in which they may call each other: a folder calls itself and those before it in this list.
local floors = { "base", "system", "timeline", "memory", "array", "program", "compile", "bundle", "run", "ops",
  "kernel", "files", "distributed" }
-- The backends call the floors up to bundle. They are reached through the backend table alone: nobody calls them but
-- src/backends.c, which names them.
local backends = { cpu = true, cuda = true }
local backends_call = "bundle"
-- The rooms of bind in the same order. Files of bind itself may call all of them.
local rooms = { "lua", "array", "device", "ops", "kernel", "grad", "files" }
-- A circle is a set of objects of which each needs all others, directly or not. The largest that may be:
local most_in_circle = 4
-- Headers that hold types alone, which every floor may include: src itself, and what crosses to a backend.
local types = { [""] = true, backend = true }

local rank = {}
for k, floor in ipairs(floors) do rank[floor] = k end
rank.bind = #floors + 1
local room_rank = {}
for k, room in ipairs(rooms) do room_rank[room] = k end

--- May a file of the folder `from` reach one of the folder `to`? Both are below src; "" is src itself, whose backends.c
--- calls anyone.
local function may_reach(from, to, how)
  if from == to or from == "" then return true end
  if types[to] then return how == "includes" end
  if backends[to] then return false end
  local highest = backends[from] and rank[backends_call] or rank[from]
  return highest ~= nil and rank[to] ~= nil and rank[to] <= highest
end

local function folder(path) return path:match("^([^/]+)/") or "" end

--- Which room of bind a path lies in: its rank, or one above all for bind itself; nil outside of bind.
local function room_of(path)
  if folder(path) ~= "bind" then return nil end
  local room = path:match("^bind/([^/]+)/")
  return room and assert(room_rank[room], path .. " lies in no room") or #rooms + 1
end

local function is_file(path) return files.read(path) ~= nil end

local wrong, nsymbol, ninclude = {}, 0, 0

local function check(from, to, how, what)
  local lower, upper = room_of(from), room_of(to)
  local up = lower and upper and upper > lower and to ~= "bind/bind.h"
  if not up and may_reach(folder(from), folder(to), how) then return end
  wrong[#wrong + 1] = ("%s %s %s"):format(from, how, what)
end

--- The circles among objects by Tarjan's way; `needs` is object -> a set of those that it needs. Returns the size of
--- the largest.
local function check_circles(objects, needs)
  local index, low, stack, open, count, largest = {}, {}, {}, {}, 0, 0
  local function close(object)
    local circle = {}
    repeat
      local last = table.remove(stack)
      open[last] = nil
      circle[#circle + 1] = last
    until last == object
    largest = math.max(largest, #circle)
    if #circle <= most_in_circle then return end
    table.sort(circle)
    wrong[#wrong + 1] = ("%d objects in a circle; at most %d: %s"):format(#circle, most_in_circle,
      table.concat(circle, " "))
  end
  local function visit(object)
    count = count + 1
    index[object], low[object], open[object] = count, count, true
    stack[#stack + 1] = object
    for other in pairs(needs[object]) do
      if not index[other] then
        visit(other)
        low[object] = math.min(low[object], low[other])
      elseif open[other] then
        low[object] = math.min(low[object], index[other])
      end
    end
    if low[object] == index[object] then close(object) end
  end
  for _, object in ipairs(objects) do
    if not index[object] then visit(object) end
  end
  return largest
end

--- Every reference of an object to a symbol that another object defines. Objects whose source has gone are passed over.
--- Returns the size of the largest circle.
local function check_symbols(build)
  local defined, used, objects, needs = {}, {}, {}, {}
  for _, line in ipairs(files.lines(("cd '%s' && find . -name '*.o' ! -path './unit/*' | sort | xargs nm -A"):format(
    build))) do
    local object, kind, name = line:match("^%./(.-)%.o:[%x%s]*(%a) ([^%s]+)$")
    if object and (is_file(("src/%s.c"):format(object)) or is_file(("%s/%s.c"):format(build, object))) then
      if not needs[object] then
        objects[#objects + 1] = object
        needs[object] = {}
      end
      if kind == "U" then
        used[#used + 1] = { object, name }
      elseif kind:match("[TDBRVWC]") then
        defined[name] = object
      end
    end
  end
  for _, use in ipairs(used) do
    local from, name = use[1], use[2]
    if defined[name] then
      nsymbol = nsymbol + 1
      needs[from][defined[name]] = true
      check(from, defined[name], "calls", ("%s of %s"):format(name, defined[name]))
    end
  end
  assert(nsymbol > 0, "no objects in " .. build)
  return check_circles(objects, needs)
end

--- Every include of a file of src. Includes are written from the top of src.
local function check_includes()
  for _, line in ipairs(files.lines("cd src && grep -rnE '^ *# *include +\"' --include='*.c' --include='*.h' .")) do
    local from, name = line:match('^%./([^:]+):%d+: *# *include +"([^"]+)"')
    if name and is_file("src/" .. name) then
      ninclude = ninclude + 1
      check(from, name, "includes", name)
    end
  end
  assert(ninclude > 0, "no includes")
end

local largest = check_symbols(arg[1] or "build")
check_includes()
if #wrong > 0 then
  print(table.concat(wrong, "\n"))
  os.exit(1)
end
print(("%d symbols, %d includes, largest circle %d"):format(nsymbol, ninclude, largest))
