-- Malformed sources, hostile names, parameters and options in every constructor of kernels: an error in words, never a
-- crash or a hang, and nothing written outside the cache's folder. The inputs are hostile_kernels.lua's; a failure
-- prints its seed.

local helper = require "spec.helper"

local function lines_of(command)
  local list, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

--- Paths that need no folder: entries of a search path, made absolute.
local function absolute(path, folder)
  return (path:gsub("([^;]+)", function(part)
    return (part:find("^/") or part:find("^%a:[/\\]")) and part or folder .. "/" .. part
  end))
end

local function run(seed, count, seconds)
  local root, here = lines_of("mktemp -d")[1], lines_of("pwd")[1]
  assert(os.execute(("mkdir %s/cwd %s/home %s/tmp %s/cache"):format(root, root, root, root)) == 0)
  -- The driver keeps a cache of its own in $HOME: off.
  local settings = ("HOME=%s/home TMPDIR=%s/tmp MOONARRAY_CACHE_DIR=%s/cache CUDA_CACHE_DISABLE=1 LUA_PATH='%s' " ..
    "LUA_CPATH='%s'"):format(
    root, root, root, absolute(package.path, here), absolute(package.cpath, here))
  local command = ("cd %s/cwd && env %s timeout %d %s %s/spec/kernel/hostile_kernels.lua %d %d %s/log >%s/out 2>&1; " ..
    "echo $?"):format(root, settings, seconds,
    os.getenv("LUAJIT") or "luajit", here, seed, count, root, root)
  local status = lines_of(command)[1]
  local out, last = table.concat(lines_of("head -c 4000 " .. root .. "/out"), "\n"),
    lines_of("tail -n 1 " .. root .. "/log | head -c 2000")[1]
  local left = lines_of(("cd %s && find . -mindepth 1 ! -path './cache/moonarray-kernels/*.bin' | sort"):format(root))
  os.execute("rm -r " .. root)
  local where = ("seed %d: status %s\n%s\nlast: %s"):format(seed, status, out, tostring(last))
  assert(status == "0" and last == "done", where)
  assert.are.same({ "./cache", "./cache/moonarray-kernels", "./cwd", "./home", "./log", "./out", "./tmp" }, left)
end

describe("hostile kernels", function()
  it("give errors before the compiler, whatever is changed in them",
    function() run(helper.seed, helper.long and 20000 or 500,
    helper.long and 3000 or 300) end)
  it("give errors of the compiler", function() run(helper.seed, 0, 300) end)
end)
