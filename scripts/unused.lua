-- What nobody uses: reads the objects' symbols, and fails where one that other files could use is used by none.
-- usage: luajit scripts/unused.lua BUILD      after `make` into the folder BUILD. Prints "N symbols", or what should go
--                                             or be static.

-- The loader calls the first; the second is a label in assembler, which the C code of the same file calls.
local outside = { luaopen_moonarray_core = true, ma_fiber_switch = true }

local files = dofile("scripts/files.lua")

--- The names in the C units. They compile the texts of the GPU's kernels without a GPU, and ask for these by functions
--- that print a text: those are the only code of src that is there for tests alone.
local function named_by_units()
  local names = {}
  for _, path in ipairs(files.lines("ls spec/unit/*.c spec/unit/*.h")) do
    for name in files.read(path):gmatch("[%a_][%w_]*") do names[name] = path end
  end
  return names
end

--- The functions of the backends' tables, which src/backend/slots.def declares and names there.
local function slots()
  local names = {}
  for group, slot in files.read("src/backend/slots.def"):gmatch("\nSLOT%(([%w_]+), *%w+, *[^,]-, *([%w_]+),") do
    names["ma_cpu_" .. group .. "_" .. slot], names["ma_cuda_" .. group .. "_" .. slot] = true, true
  end
  return names
end

local build = arg[1] or "build"
local defined, used, order = {}, {}, {}
local symbols = "cd '%s' && find . -name '*.o' ! -path './unit/*' | sort | xargs nm -A"
for _, line in ipairs(files.lines(symbols:format(build))) do
  local object, kind, name = line:match("^%./(.-)%.o:[%x%s]*(%a) ([^%s]+)$")
  if object and files.read(("src/%s.c"):format(object)) then
    if kind == "U" then
      used[name] = true
    elseif kind:match("[TDBRVWC]") then
      defined[name] = object
      order[#order + 1] = name
    end
  end
end
assert(#order > 0, "no objects in " .. build)

local units, slot, wrong = named_by_units(), slots(), 0
for _, name in ipairs(order) do
  if not (used[name] or outside[name] or units[name] or slot[name]) then
    print(("src/%s.c offers %s, which no other file uses"):format(defined[name], name))
    wrong = wrong + 1
  end
end
if wrong > 0 then os.exit(1) end
print(("%d symbols"):format(#order))
