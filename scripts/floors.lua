-- The floors of src: reads the objects' symbols and the includes, and fails where a folder reaches one above its own.
-- usage: luajit scripts/floors.lua BUILD      after `make` into the folder BUILD. Prints "N symbols, N includes", or
--                                             what reaches up.

-- In the order in which they may call each other: a folder calls itself and those before it in this list.
local floors = { "base", "system", "memory", "array", "program", "compile", "defer", "ops", "kernel", "files",
  "distributed" }
-- The backends call the floors up to compile. They are reached through the backend table alone: nobody calls them but
-- src/backends.c, which names them.
local backends = { cpu = true, cuda = true }
local backends_call = "compile"
-- Headers that hold types alone, which every floor may include: src itself, and what crosses to a backend.
local types = { [""] = true, backend = true }

local rank = {}
for k, floor in ipairs(floors) do rank[floor] = k end
rank.bind = #floors + 1

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

local function is_file(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function lines(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local wrong, nsymbol, ninclude = {}, 0, 0

local function check(from, to, how, what)
  if not may_reach(folder(from), folder(to), how) then wrong[#wrong + 1] = ("%s %s %s"):format(from, how, what) end
end

--- Every reference of an object to a symbol that another object defines. Objects whose source has gone are passed over.
local function check_symbols(build)
  local defined, used = {}, {}
  for _, line in ipairs(lines(("cd '%s' && find . -name '*.o' ! -path './unit/*' | sort | xargs nm -A"):format(
    build))) do
    local object, kind, name = line:match("^%./(.-)%.o:[%x%s]*(%a) ([^%s]+)$")
    if object and is_file(("src/%s.c"):format(object)) then
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
      check(from, defined[name], "calls", ("%s of %s"):format(name, defined[name]))
    end
  end
  assert(nsymbol > 0, "no objects in " .. build)
end

--- Every include of a file of src. Includes are written from the top of src.
local function check_includes()
  for _, line in ipairs(lines("cd src && grep -rnE '^ *# *include +\"' --include='*.c' --include='*.h' .")) do
    local from, name = line:match('^%./([^:]+):%d+: *# *include +"([^"]+)"')
    if name and is_file("src/" .. name) then
      ninclude = ninclude + 1
      check(from, name, "includes", name)
    end
  end
  assert(ninclude > 0, "no includes")
end

check_symbols(arg[1] or "build")
check_includes()
if #wrong > 0 then
  print(table.concat(wrong, "\n"))
  os.exit(1)
end
print(("%d symbols, %d includes"):format(nsymbol, ninclude))
