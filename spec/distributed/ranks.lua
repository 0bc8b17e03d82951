--- Runs programs under the launchers of MPI that this machine has, and says what they print.

local ranks = {}

local file = require "spec.file"

local LUA = os.getenv "LUAJIT" or "luajit"
local ROOT = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 MOONARRAY_NUM_THREADS=1 "
  .. "MOONARRAY_DEVICE=cpu"

local function finds(program)
  local pipe = assert(io.popen(("command -v %s"):format(program)))
  local path = pipe:read("*l")
  pipe:close()
  return path
end

--- The launchers by the name of the package that has them; a package without one is not installed.
ranks.launchers = {
  { package = "openmpi-bin", program = finds "mpirun.openmpi", options = "--oversubscribe -np %d" },
  { package = "mpich", program = finds "mpirun.mpich", options = "-np %d" },
}

--- The command that starts n ranks of a program.
function ranks.command(launcher, n, program, environment)
  return ("%s %s %s %s '%s' '%s'"):format(ROOT, environment or "", launcher.program, launcher.options:format(n), LUA,
    program)
end

--- Runs a command for at most `limit` seconds: its exit code, what it printed, and how long it took. It runs in a
--- process group of its own, of which nothing is left afterwards.
function ranks.run(command, limit)
  local out, begun = os.tmpname(), os.time()
  local pipe = assert(io.popen(("%s >'%s' 2>&1; echo $?"):format(command:gsub("(%S*mpirun%S*)", ("timeout -k 2 %d %%1")
    :format(limit), 1), out)))
  local code = tonumber(pipe:read("*a"))
  pipe:close()
  return code, file.take(out), os.time() - begun
end

--- Runs a chunk of Lua on n ranks.
function ranks.chunk(launcher, n, chunk, environment, limit)
  local program = os.tmpname()
  local handle = assert(io.open(program, "w"))
  handle:write(chunk)
  handle:close()
  local code, out, seconds = ranks.run(ranks.command(launcher, n, program, environment), limit or 60)
  os.remove(program)
  return code, out, seconds
end

--- Defines the tests of `define(launcher)` for each launcher that is there, and a skip for each other.
function ranks.each(define)
  for _, launcher in ipairs(ranks.launchers) do
    local busted = require "busted"
    busted.describe("by " .. launcher.package, function()
      if launcher.program then define(launcher)
      else busted.pending("ranks under mpirun: the package " .. launcher.package .. " is not installed") end
    end)
  end
end

return ranks
