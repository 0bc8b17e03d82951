--- The module in a folder of its own, with kernels beside it, and programs on the pretended GPU that begin with an
--- empty cache there.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

local luajit = os.getenv("LUAJIT") or "luajit"
local modules = os.getenv("MODULE_DIR") or "."

local apart = {}

--- A folder with moonarray/core.so and moonarray/kernels. `run(program, variables, keeps_cache)` gives what a program
--- prints, with lines of MOONARRAY_TRACE=jit.
function apart.new()
  local place = { folder = os.tmpname() }
  -- for a process of the checkout with this module
  place.environment = ("LUA_PATH='./lua/?.lua;./lua/?/init.lua;./?.lua;;' LUA_CPATH='%s/?.so;;' MODULE_DIR='%s'")
    :format(place.folder, place.folder)
  local folder, root = place.folder, file.output("pwd"):gsub("\n", "")
  os.remove(folder)
  assert(os.execute(("mkdir -p %s/moonarray/kernels && cp %s/moonarray/core.so %s/moonarray"):format(folder, modules,
    folder)) == 0)

  function place.run(program, variables, keeps_cache)
    file.write(folder .. "/program.lua", program)
    if not keeps_cache then os.execute(("rm -rf '%s/cache'"):format(folder)) end
    local _, text = file.run(("%s MOONARRAY_DEVICE=cuda MOONARRAY_TRACE=jit MOONARRAY_CACHE_DIR=%s/cache "
      .. "LUA_PATH='%s/?.lua;%s/lua/?.lua;%s/lua/?/init.lua;;' LUA_CPATH='%s/?.so;;' %s '%s' %s/program.lua"):format(
      gpu.libraries, folder, root, root, root, folder, variables or "", luajit, folder))
    return text
  end

  --- Puts a floor set beside the module: the file `given`, or on the pretended GPU one that has kernels as texts, which
  --- its driver compiles when a program asks for them.
  function place.add_floor(given)
    local set, record = folder .. "/moonarray/kernels/floor.mab", folder .. "/floor.rec"
    if given then return assert(os.execute(("cp '%s' '%s'"):format(given, set)) == 0) end
    place.run('arg = { "floor" }\n' .. file.read("scripts/kernels/record.lua"),
      "PRETEND_IDLE=1 MOONARRAY_TRACE= MOONARRAY_BUNDLE=record:" .. record)
    local _, text = file.run(("env %s %s PRETEND_LATE=1 MOONARRAY_DEVICE=cpu '%s' scripts/kernels/build.lua '%s' floor "
      .. "'%s' '%s/images'"):format(gpu.libraries, place.environment, luajit, record, set, folder))
    assert(text:find(" images, "), text)
    os.execute(("rm -rf '%s' '%s/images'"):format(record, folder))
  end

  function place.remove() os.execute("rm -rf " .. folder) end

  return place
end

function apart.count(text, pattern) return select(2, text:gsub(pattern, "")) end

--- The lines of a program's output without the library's own.
function apart.results_of(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do
    if not line:find("^moonarray") then list[#list + 1] = line end
  end
  return table.concat(list, "\n")
end

return apart
