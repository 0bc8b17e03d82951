-- ma.distributed when a rank fails: one that is killed, raises an error, computes too long, calls something else, or
-- has no library. Each case ends within a bound, and says which rank it was.

local ranks = require "spec.distributed.ranks"
local file = require "spec.file"

local HEAD = [[
local ma = require "moonarray"
local D = ma.distributed
D.init { timeout = %s }
local rank, size = D.rank(), D.size()
local function say(_, ...) io.write(("[%%d] %%s\n"):format(rank, tostring((...)))) io.flush() end
D.barrier()
]]

--- What `body` prints on n ranks, in at most `seconds`.
local function prints(launcher, n, timeout, body, seconds, environment)
  local code, out, took = ranks.chunk(launcher, n, HEAD:format(timeout) .. body, environment, 60)
  assert(took <= seconds, ("%d s, at most %d are allowed: %s"):format(took, seconds, out))
  return out, code
end

local function has(out, text) assert(out:find(text, 1, true), ("wanted %q in: %s"):format(text, out)) end

--- Calls of every kind, each of which waits for other ranks.
local CALLS = {
  ["a group's end"] = "half:close()",
  ["a message to it"] = "D.send(ma.ones(2 ^ 20), 1)",
  ["a message from it"] = "D.recv(ma.ones(3), 1)",
  ["a new group"] = "D.new_group { 0, 1 }",
  ["a sharded reduction"] = "return x:sum()",
  ["a halo"] = "return x:padded()",
  ["a running sum"] = "return x:cumsum(1)",
  ["a run of a stencil"] = "return D.stencil(function(u) return u(-1, 0) + u(1, 0) end):run(x, { steps = 3 })",
  ["other parts"] = "return x:reshard(2)",
  ["a product"] = "return D.matmul(x, x:reshard(2))",
  ["a file"] = "D.save(os.tmpname(), x)",
  ["a work"] = "return D.all_reduce(1, { async_op = true }):wait()",
}

describe("a rank", function()
  ranks.each(function(launcher)
    it("that is killed ends the others", function()
      local out, code = prints(launcher, 3, 20, [[
        if rank == 1 then require("ffi").cdef "int raise(int)" require("ffi").C.raise(9) end
        say(pcall(D.all_reduce, 1))
        ma.sleep(30)
      ]], 15)
      assert(code ~= 0, out)
    end)

    it("that is killed while a file is written leaves the old one", function()
      local folder = os.tmpname()
      os.remove(folder)
      os.execute("mkdir " .. folder)
      local path = file.write(folder .. "/x.npy", "old")
      local out, code = prints(launcher, 2, 5, ([[
        local x = D.array(ma.ones { 4, 3 })
        if rank == 1 then
          require("ffi").cdef "int raise(int)"
          require("moonarray.core").output_part = function() require("ffi").C.raise(9) end
        end
        say(pcall(D.save, %q, x))
      ]]):format(path), 15)
      assert(code ~= 0 and not out:find("true", 1, true), out)
      assert.equal("old", file.read(path))
      os.execute("rm -r " .. folder)
    end)

    it("that raises an error is named by the others", function()
      local out, code = prints(launcher, 3, 20, [[
        if rank == 1 then error("by purpose", 0) end
        say(pcall(D.all_reduce, 1))
      ]], 15)
      assert(code ~= 0, out)
      has(out, "by purpose")
      has(out, "rank 1 has ended, or failed, before it called this; wanted a call on every rank")
    end)

    it("that ended early is named by who waits for its message", function()
      local out, code = prints(launcher, 2, 20, [[
        if rank == 0 then say(pcall(D.recv, ma.zeros(3), 1)) end
      ]], 15)
      has(out, "moonarray.distributed.recv: rank 1 has ended")
      assert(code ~= 0, out)
    end)

    it("that comes too late is named after the time limit", function()
      local out, code = prints(launcher, 3, 1, [[
        if rank == 2 then ma.sleep(6) end
        say(pcall(D.all_reduce, ma.ones(5)))
      ]], 15)
      assert(code ~= 0, out)
      has(out, "not done within 1 s: rank 2 does not answer")
    end)

    it("that waits elsewhere says where", function()
      local out = prints(launcher, 2, 2, [[
        local one = D.new_group { 1 }
        if rank == 1 then say(pcall(D.recv, ma.zeros(3), 0, { timeout = 6 }))
        else say(pcall(D.barrier)) end
      ]], 20)
      has(out, "rank 1 waits in distributed.recv")
    end)

    it("that does not come to init ends the others", function()
      local code, out, took = ranks.chunk(launcher, 2, [[
        local ma = require "moonarray"
        if (os.getenv "OMPI_COMM_WORLD_RANK" or os.getenv "PMI_RANK") == "1" then ma.sleep(20) end
        ma.distributed.init { timeout = 1 }
        io.write "has begun\n"
      ]], nil, 60)
      assert(code ~= 0 and took <= 10, ("%d s: %s"):format(took, out))
      has(out, "moonarray.distributed.init: not done within 1 s, because some rank has not called it")
      assert(not out:find "has begun", out)
    end)

    for what, call in pairs(CALLS) do
      it("that does not come is not waited for without an end by " .. what, function()
        local out, code = prints(launcher, 2, 1, ([[
          local x = D.array(ma.ones { 4, 3 }, { halo = 1 })
          local half = D.split(0)
          if rank == 1 then ma.sleep(20) end
          say(pcall(function() %s end))
        ]]):format(call), 10)
        assert(code ~= 0, out)
        has(out, "not done within 1 s: rank 1 does not answer, because it computes, has stopped or died")
      end)
    end

    it("that is only slow is waited for", function()
      local out, code = prints(launcher, 2, 20, [[
        if rank == 1 then ma.sleep(1) end
        say(nil, D.all_reduce(1):item())
      ]], 15)
      assert(code == 0 and out:find("[0] 2", 1, true) and out:find("[1] 2", 1, true), out)
    end)
  end)
end)

describe("the checking mode", function()
  ranks.each(function(launcher)
    local function differs(body)
      return (prints(launcher, 2, 10, body, 15, "MOONARRAY_CHECK_COLLECTIVES=1"))
    end
    it("finds shapes, with both places", function()
      local out = differs [[
        local x = ma.ones(rank == 0 and 4 or 5)
        if rank == 0 then say(pcall(D.all_reduce, x)) else
          say(pcall(D.all_reduce, x)) end
      ]]
      has(out, "rank 0 calls distributed.all_reduce of float64 (4,), op sum at ")
      has(out, "and rank 1 calls distributed.all_reduce of float64 (5,), op sum at ")
      assert(out:find("%.?[%w_/]+:8, and rank 1 calls [^\n]- at [%w_/.]+:9;"), out)
    end)
    it("finds dtypes, operations, roots and other calls", function()
      local out = differs [[
        say(pcall(D.all_reduce, ma.ones(4, rank == 0 and "float32" or "int32")))
        say(pcall(D.all_reduce, ma.ones(4), rank == 0 and "max" or "min"))
        say(pcall(D.broadcast, ma.ones(4), rank))
        if rank == 0 then say(pcall(D.all_gather, ma.ones(4))) else say(pcall(D.barrier)) end
        say(true, D.all_reduce(1):item())
      ]]
      has(out, "of float32 (4,), op sum at")
      has(out, "op max at")
      has(out, "src 1 at")
      has(out, "calls distributed.barrier at")
      has(out, "[0] 2")
    end)
    it("finds messages of another size", function()
      local out = differs [[
        if rank == 0 then say(pcall(D.send, ma.ones(4), 1)) else say(pcall(D.recv, ma.zeros(3), 0)) end
      ]]
      has(out, "rank 1 wants float64 of 3 elements at")
      has(out, "and rank 0 gives float64 of 4 elements at")
    end)
  end)
end)

describe("a library that is missing", function()
  ranks.each(function(launcher)
    it("fails the call that needs it, and says how to get it", function()
      local _, out = ranks.chunk(launcher, 1, [[
        local ma = require "moonarray"
        print(pcall(ma.distributed.init))
        print(ma.arange(3):sum():item())
      ]], "MOONARRAY_MPI=/nothing/libmpi.so")
      has(out, "moonarray.distributed.init: /nothing/libmpi.so does not open")
      has(out, "MOONARRAY_MPI names it")
      has(out, "3")
    end)
  end)
end)
