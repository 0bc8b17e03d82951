-- Runs the list of a set, base or floor, so that MOONARRAY_BUNDLE=record:FILE writes which kernels it asks for. It runs
-- on the pretended driver with PRETEND_IDLE=1, on which nothing is compiled and no kernel runs. Prints what the set
-- serves, each call's kind and name once.
-- usage: luajit scripts/kernels/record.lua [SET]

package.path = "./?.lua;" .. package.path
local ma = require "moonarray"
local core = require "moonarray.core"
local list = require "scripts.kernels.list"

core.compile_at_once(true)              -- else what is asked for depends on how fast the compiler is
local set = arg and arg[1] or "base"
if set == "floor" then core.general_forms(true) end

local served, reasons = {}, {}
local function serve(kind, name, call)
  local id = kind .. " " .. name
  local ok, reason = pcall(call)        -- not each operation is defined for each dtype
  if ok and not served[id] then print(id) end
  if ok then served[id] = true else reasons[id] = reason end
end
list.each(ma, core, serve, set)

-- A driver takes up to a second to finish a general form of the floor set. Those of reductions, whose exact forms
-- depend on the extents most, are in the base set too. What comes last is left out where a file would be too large.
if set == "base" then
  core.general_forms(true)
  list.each(ma, core, function(kind, ...) if kind == "reduction" then serve(kind, ...) end end, "floor")
  core.general_forms(false)
  list.each(ma, core, serve, "forms")
end

local unserved = {}
for id, reason in pairs(reasons) do
  if not served[id] then unserved[#unserved + 1] = ("%s: %s"):format(id, reason) end
end
table.sort(unserved)
if #unserved > 0 then
  io.stderr:write("kernels: no call serves\n", table.concat(unserved, "\n"), "\n")
  os.exit(1)
end
