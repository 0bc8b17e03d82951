--- Measures another build of the library and this one in turn, on the same keys, and prints how their times compare.
--
-- usage: luajit bench/before.lua DIR [--device cpu|cuda] [--tables basic,groups] [--only PATTERN] [--rounds N]
--   DIR        a checkout that has been built, such as a worktree of the commit before
--   --tables   tables of bench/keys (basic,fields,groups,rows,sparse)
--   --rounds N each table N times, the builds in turn, and the least of each key (3)
--
-- Prints the keys that took more than 1.05 of the time before, those that took less than 0.95, and the geometric mean.

local before = assert(arg[1], "usage: luajit bench/before.lua DIR [options]; the head of this file has them")
local options = { device = "cpu", tables = "basic,fields,groups,rows,sparse", rounds = "3" }
for k = 2, #arg, 2 do options[arg[k]:gsub("^%-%-", "")] = arg[k + 1] end

local luajit = os.getenv("LUAJIT") or arg[-1] or "luajit"
local pipe = io.popen("pwd")
local here = pipe:read("*l")
pipe:close()

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- The keys of a table, measured in the folder with the build there; `into` keeps the least of each.
local function measure(folder, keys, into)
  local command = ("cd %s && LUA_CPATH='./?.so;;' MOONARRAY_DEVICE=%s %s %s/bench/measure.lua %s 1 %s 2>&1"):format(
    quote(folder), options.device, luajit, quote(here), keys, options.only and quote(options.only) or "")
  local output = io.popen(command)
  for line in output:lines() do
    local key, value = line:match("^([%w_.]+) (%S+) %S+$")
    value = tonumber(value)
    if key and value then into[key] = math.min(into[key] or math.huge, value) end
  end
  output:close()
end

local old, new = {}, {}
for round = 1, tonumber(options.rounds) do
  for keys in options.tables:gmatch("[%w_]+") do
    io.stderr:write(("round %d: %s\n"):format(round, keys))
    measure(before, keys, old)
    measure(here, keys, new)
  end
end

local rows, sum = {}, 0
for key, value in pairs(new) do
  if old[key] and old[key] > 0 and value > 0 then
    rows[#rows + 1] = { key, old[key], value, value / old[key] }
    sum = sum + math.log(value / old[key])
  elseif not old[key] then
    print(key .. " was not measured before")
  end
end
for key in pairs(old) do if not new[key] then print(key .. " is not measured any more") end end
table.sort(rows, function(a, b) return a[4] > b[4] end)
print(("%-40s %12s %12s %8s"):format("key", "before", "now", "ratio"))
for _, row in ipairs(rows) do
  if row[4] > 1.05 or row[4] < 0.95 then print(("%-40s %12.5g %12.5g %8.3f"):format(unpack(row))) end
end
print(("%d keys, geometric mean %.3f"):format(#rows, math.exp(sum / math.max(1, #rows))))
