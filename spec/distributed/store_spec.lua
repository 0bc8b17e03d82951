-- Ranks that no launcher of MPI started: torchrun's variables, and the store of rank 0.

local file = require "spec.file"

local LUA = os.getenv "LUAJIT" or "luajit"
local PORT = 20000 + os.time() % 20000

local function has(out, text) assert(out:find(text, 1, true), ("wanted %q in: %s"):format(text, out)) end

local TORCHRUN = "RANK=%d WORLD_SIZE=%d"

--- Starts the ranks of `list` out of n; what they print, and the seconds that it took. `variables` say who each is.
local function run(list, n, chunk, variables)
  PORT = PORT + 1
  local program, out, begun = os.tmpname(), os.tmpname(), os.time()
  local handle = assert(io.open(program, "w"))
  handle:write([[local ma = require "moonarray" local D = ma.distributed
    local function say(...)
      io.write(("[%s] %s\n"):format(os.getenv "RANK" or os.getenv "SLURM_PROCID", tostring((select(2, ...)))))
      io.flush()
    end
  ]] .. chunk)
  handle:close()
  local parts = {}
  for k, r in ipairs(list) do
    parts[k] = ((variables or TORCHRUN) .. " MASTER_ADDR=127.0.0.1 MASTER_PORT=%d MOONARRAY_DEVICE=cpu timeout 40 "
      .. "'%s' '%s' >>'%s' 2>&1 & "):format(r, n, PORT, LUA, program, out)
  end
  os.execute("(" .. table.concat(parts) .. "wait)")
  os.remove(program)
  return file.take(out), os.time() - begun
end

describe("ranks without MPI", function()
  it("meet, and make groups", function()
    local out = run({ 0, 1, 2 }, 3, [[
      D.init { timeout = 20 }
      D.barrier()
      local group = D.split(D.rank() % 2, -D.rank())
      local text = "%d of %d, local %d, group %s"
      say(nil, text:format(D.rank(), D.size(), D.local_rank(), table.concat(group.ranks, " ")))
    ]])
    has(out, "[0] 0 of 3, local 0, group 2 0")
    has(out, "[1] 1 of 3, local 1, group 1")
    has(out, "[2] 2 of 3, local 2, group 2 0")
  end)

  it("meet by the variables of srun --mpi=none", function()
    local out = run({ 0, 1 }, 2, [[
      D.init { timeout = 20 }
      D.barrier()
      say(nil, ("%d of %d, local %d of %d"):format(D.rank(), D.size(), D.local_rank(), D.local_size()))
    ]], "SLURM_PROCID=%d SLURM_NTASKS=%d SLURM_LOCALID=0 SLURM_JOB_ID=7")
    has(out, "[0] 0 of 2, local 0 of 2")
    has(out, "[1] 1 of 2, local 0 of 2")
  end)

  it("refuse arrays of the CPU, and say what moves them", function()
    local out = run({ 0, 1 }, 2, "D.init { timeout = 20 } say(pcall(D.all_reduce, ma.ones(3)))")
    has(out, "moonarray.distributed.all_reduce: arrays of the CPU move between ranks by MPI")
  end)

  it("name a rank that comes too late", function()
    local out, seconds = run({ 0, 1, 2 }, 3, [[
      D.init { timeout = 20 }
      if D.rank() == 2 then ma.sleep(3) end
      say(pcall(D.barrier, { timeout = 1 }))
    ]])
    has(out, "[0] ")
    has(out, "moonarray.distributed.barrier: not done in time: rank 2 did not come")
    assert(seconds < 12, out)
  end)

  it("name a rank that failed", function()
    local out, seconds = run({ 0, 1, 2 }, 3, [[
      D.init { timeout = 20 }
      if D.rank() == 1 then error("by purpose", 0) end
      say(pcall(D.barrier))
    ]])
    has(out, "by purpose")
    has(out, "rank 1 has ended, or failed, before it called this; wanted a call on every rank")
    assert(seconds < 12, out)
  end)

  it("notice that rank 0 has gone", function()
    local out, seconds = run({ 0, 1 }, 2, [[
      D.init { timeout = 20 }
      if D.rank() == 0 then error("by purpose", 0) end
      say(pcall(D.barrier))
    ]])
    assert(out:find "rank 0, which keeps what ranks share, has ended or does not answer"
      or out:find "rank 0 has ended, or failed, before it called this", out)
    assert(seconds < 12, out)
  end)

  it("say after the time limit that a connection is refused", function()
    local out, seconds = run({ 1 }, 2, "say(pcall(D.init, { timeout = 1 }))")
    has(out, "moonarray.distributed.init: rank 0 (MASTER_ADDR, MASTER_PORT) was not reached within 1 s; 127.0.0.1:")
    has(out, "Connection refused")
    assert(seconds < 8, out)
  end)

  it("leave nothing open after the end of their world", function()
    local out = run({ 0, 1 }, 2, [[
      local function sockets()
        local pipe = io.popen("ls -l /proc/" .. io.open("/proc/self/stat"):read("*n") .. "/fd 2>/dev/null")
        local n = select(2, pipe:read("*a"):gsub("socket:", ""))
        pipe:close()
        return n
      end
      local before = sockets()
      D.init { timeout = 20 }
      local within = sockets()
      D.barrier()
      D.finalize()
      say(nil, ("%d more within, %d more behind"):format(within - before, sockets() - before))
    ]])
    has(out, "[0] 4 more within, 0 more behind")
    has(out, "[1] 1 more within, 0 more behind")
  end)

  it("refuse a rank beyond the size", function()
    has(run({ 2 }, 2, "say(pcall(D.init))"), "rank 2 of 2; wanted RANK from 0 to WORLD_SIZE - 1")
  end)
end)
