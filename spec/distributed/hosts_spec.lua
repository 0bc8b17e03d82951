-- ma.distributed on two hosts: network namespaces of this machine with names of their own, joined by a cable. mpirun
-- starts ranks on both by their addresses. It takes root and the package iproute2.

local ranks = require "spec.distributed.ranks"

local NAMES = { "moonarray1", "moonarray2" }
local AGENT = os.tmpname()

local function shell(command) return os.execute(command .. " >/dev/null 2>&1") == 0 end

local function remove() for _, name in ipairs(NAMES) do shell("ip netns delete " .. name) end end

local function make()
  remove()
  local handle = assert(io.open(AGENT, "w"))
  handle:write(([[#!/bin/sh
host=$1; shift
case $host in *2) name=%s ;; *) name=%s ;; esac
exec ip netns exec $name unshare --uts sh -c "hostname $name; $*"
]]):format(NAMES[2], NAMES[1]))
  handle:close()
  return shell("chmod +x " .. AGENT) and shell(([[
    ip netns add %s && ip netns add %s &&
    ip link add macable1 netns %s type veth peer name macable2 netns %s]]):format(NAMES[1], NAMES[2], NAMES[1],
    NAMES[2])) and shell(([[
    for n in 1 2; do
      ip -n moonarray$n addr add 10.79.0.$n/24 dev macable$n && ip -n moonarray$n link set macable$n up &&
      ip -n moonarray$n link set lo up || exit 1
    done]])) and shell(("ip netns exec %s unshare --uts hostname x"):format(NAMES[1]))
end

local OPTIONS = {
  ["openmpi-bin"] = "--host 10.79.0.1:2,10.79.0.2:2 -np 4 --mca plm_rsh_agent " .. AGENT .. " --mca btl tcp,self "
    .. "--mca btl_tcp_if_include 10.79.0.0/24 --mca oob_tcp_if_include 10.79.0.0/24 -x LUA_PATH -x LUA_CPATH",
  mpich = "-launcher rsh -launcher-exec " .. AGENT .. " -hosts 10.79.0.1:2,10.79.0.2:2 -np 4",
}

describe("two hosts", function()
  local there
  setup(function() there = make() end)
  teardown(function()
    remove()
    os.remove(AGENT)
  end)

  ranks.each(function(launcher)
    local function run(chunk, limit)
      local here = { package = launcher.package, options = OPTIONS[launcher.package],
        program = ("ip netns exec %s unshare --uts sh -c 'hostname %s; exec \"$@\"' x %s"):format(NAMES[1], NAMES[1],
          launcher.program) }
      return ranks.chunk(here, 4, chunk, "UCX_TLS=tcp,self", limit)          -- not by shared memory
    end

    it("make every call", function()
      if not there then pending("network namespaces: root and the package iproute2 are wanted") return end
      local code, out = run([[dofile "spec/distributed/every_call.lua"
        local D = require "moonarray".distributed
        print(("rank %d is %d of %d here"):format(D.rank(), D.local_rank(), D.local_size()))]], 100)
      assert(code == 0 and out:find "ranks: 4, comparisons: 13%d%d", out)
      for _, text in ipairs { "rank 0 is 0 of 2", "rank 1 is 1 of 2", "rank 2 is 0 of 2", "rank 3 is 1 of 2" } do
        assert(out:find(text, 1, true), out)
      end
    end)

    it("end when the cable is cut", function()
      if not there then pending("network namespaces: root and the package iproute2 are wanted") return end
      local log = os.tmpname()
      run(([[
        local ma = require "moonarray"
        local D = ma.distributed
        D.init { timeout = 2 }
        D.barrier()
        local begun = ma.time()
        if D.rank() == 3 then os.execute "ip link set macable2 down" end
        local ok, why = pcall(function() for _ = 1, 10 ^ 6 do D.all_reduce(1) end end)
        local log = io.open("%s", "a")
        log:write(("%%d after %%.1f s: %%s %%s\n"):format(D.rank(), ma.time() - begun, tostring(ok), tostring(why)))
        log:close()
        error(why, 0)
      ]]):format(log), 12)                  -- a launcher may wait for the other host longer
      shell "ip -n moonarray2 link set macable2 up"
      local said = require("spec.file").take(log)
      for rank = 0, 1 do                    -- the daemon of the other host ends its own
        local seconds = said:match(("%d after ([%%d.]+) s: false "):format(rank))
        assert(seconds and tonumber(seconds) < 8, ("rank %d: %s"):format(rank, said))
      end
    end)
  end)
end)
