-- The store of ranks and those who are none: connections that say nothing, little or anything, numbers that fit
-- nothing, and the secret that ranks prove to each other.

local ffi = require "ffi"
local file = require "spec.file"
local wire = require "spec.distributed.wire"

local LUA = os.getenv "LUAJIT" or "luajit"
local PORT = 20000 + (os.time() * 7) % 12000
local SECRET = "0123456789abcdef of the spec"

math.randomseed(tonumber(os.getenv "SEED") or 1)

local function has(out, text) assert(out:find(text, 1, true), ("wanted %q in: %s"):format(text, out)) end

--- Starts ranks of a program, each {rank, size, variables}. `finish()` waits for their end, and gives what they
--- printed and the seconds that it took. `go(name)` makes a file for which `wait(name)` waits in the program.
local function start(list, chunk, port)
  port = port or PORT + 1
  PORT = math.max(PORT, port)
  local base, begun = os.tmpname(), os.time()
  file.write(base, [[
    local ma = require "moonarray" local D = ma.distributed
    local function say(...)
      io.write(("[%s] %s\n"):format(os.getenv "RANK", tostring((select(2, ...)))))
      io.flush()
    end
    local function wait(name)
      local until_ = ma.time() + 60
      while ma.time() < until_ do
        local handle = io.open(arg[0] .. name)
        if handle then handle:close() return end
        ma.sleep(0.02)
      end
    end
  ]] .. chunk)
  local run = { port = port }
  for k, r in ipairs(list) do
    os.execute(("(%s RANK=%d WORLD_SIZE=%d MASTER_ADDR=%s MASTER_PORT=%d MOONARRAY_DEVICE=cpu timeout 80 '%s' '%s' "
      .. ">'%s.out%d' 2>&1; echo >'%s.end%d') &"):format(r[3] or "", r[1], r[2], r.address or "127.0.0.1", port, LUA,
      base, base, k, base, k))
  end
  local names = {}
  function run.go(name)
    names[#names + 1] = base .. name
    file.write(base .. name, "")
  end
  --- What they printed until now.
  function run.printed()
    local out = {}
    for k = 1, #list do
      local handle = io.open(base .. ".out" .. k)
      out[k] = handle and handle:read("*a") or ""
      if handle then handle:close() end
    end
    return table.concat(out)
  end
  function run.wait_for(text, seconds)
    local last = os.time() + (seconds or 20)
    while not run.printed():find(text, 1, true) do
      assert(os.time() <= last, ("no %q: %s"):format(text, run.printed()))
      ffi.C.poll(nil, 0, 20)
    end
  end
  function run.finish()
    local out = {}
    for k = 1, #list do
      local last, handle = os.time() + 90
      repeat
        ffi.C.poll(nil, 0, 20)
        handle = io.open(("%s.end%d"):format(base, k))
      until handle or os.time() > last
      if handle then handle:close() end
      os.remove(("%s.end%d"):format(base, k))
      out[k] = file.take(base .. ".out" .. k)
    end
    os.remove(base)
    for _, name in ipairs(names) do os.remove(name) end
    return table.concat(out), os.time() - begun
  end
  return run
end

--- Ranks 0 to n - 1 with the same variables.
local function ranks(n, variables, address)
  local list = {}
  for r = 1, n do list[r] = { r - 1, n, variables, address = address } end
  return list
end

local function noise(n)
  local bytes = {}
  for k = 1, n do bytes[k] = string.char(math.random(0, 255)) end
  return table.concat(bytes)
end

describe("HMAC-SHA256 of this spec", function()
  it("is that of RFC 4231", function()
    assert.equals("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      wire.hex(wire.hmac("Jefe", "what do ya want for nothing?")))
    assert.equals("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      wire.hex(wire.hmac(("\170"):rep(131), "Test Using Larger Than Block-Size Key - Hash Key First")))
  end)
end)

describe("strangers at the store of ranks", function()
  it("do not keep ranks from meeting: a thousand that are silent, slow, or send anything", function()
    local room = wire.room(1200)
    local first = start({ { 0, 3 } }, [[
      D.init { timeout = 40 }
      for k = 1, 20 do D.barrier { timeout = 10 } end
      local pipe = io.popen("ls -l /proc/" .. io.open("/proc/self/stat"):read("*n") .. "/fd | grep -c socket")
      local sockets = pipe:read("*n")
      pipe:close()
      say(nil, sockets <= 256 + 5 and "few sockets" or sockets .. " sockets")
      wait "end"
      D.barrier { timeout = 10 }
      say(nil, "done")
    ]])
    local hello = wire.bytes(wire.new("hello", { magic = wire.HELLO, rank = 1, size = 3 }))
    local silent, slow = {}, {}
    for k = 1, 1000 do
      local fd = wire.connect(first.port)
      if k % 3 == 0 then
        slow[#slow + 1] = fd
      elseif k % 3 == 1 then
        silent[#silent + 1] = fd
      else
        wire.send(fd, k % 5 == 0 and hello or "", noise(math.random(1, 300)))
        if k % 2 == 0 or room < 1100 then wire.close(fd) else silent[#silent + 1] = fd end
      end
      if room < 1100 and #silent > 100 then wire.close(table.remove(silent, 1)) end
    end
    local others = start({ { 1, 3 }, { 2, 3 } }, [[
      D.init { timeout = 40 }
      for k = 1, 20 do D.barrier { timeout = 10 } end
      wait "end"
      D.barrier { timeout = 10 }
      say(nil, "done")
    ]], first.port)
    for k = 1, 30 do
      for _, fd in ipairs(slow) do wire.send(fd, hello:sub(k, k)) end
      ffi.C.poll(nil, 0, 20)
    end
    first.wait_for "[0] few sockets"
    for _, list in ipairs { silent, slow } do
      for _, fd in ipairs(list) do
        assert(wire.is_over(fd, 15), "a stranger's connection stays open")
        wire.close(fd)
      end
    end
    first.go "end"
    others.go "end"
    has(first.finish(), "[0] done")
    local out = others.finish()
    has(out, "[1] done")
    has(out, "[2] done")
  end)

  it("do not keep ranks from meeting where rank 0 may have few descriptors", function()
    local run = start({ { 0, 2, "ulimit -n 40;" } }, "D.init { timeout = 30 } say(nil, 'met')")
    local list = {}
    for k = 1, 100 do list[k] = wire.connect(run.port) end
    local other = start({ { 1, 2 } }, "D.init { timeout = 30 } say(nil, 'met')", run.port)
    has(run.finish(), "[0] met")
    has(other.finish(), "[1] met")
    for _, fd in ipairs(list) do wire.close(fd) end
  end)

  local SIZE = 900

  --- A request of rank r: by default one of two members, r and r + 1, of 8 bytes each.
  local function request(r, fields)
    fields = fields or {}
    local q = wire.new("request", { key = 1000 + r, number = 1, limit = 30, index = 0, size = 2, nbytes = 8 })
    for name, value in pairs(fields) do if name ~= "members" and name ~= "bytes" then q[name] = value end end
    return q, wire.members(fields.members or { r, r + 1 }), fields.bytes or ("%08d"):format(r)
  end

  -- What a rank r may say wrong. The store must close the connection after each.
  local wrong = {
    function() return { index = 2 } end,
    function() return { index = -1 } end,
    function() return { index = 2 ^ 31 - 1 } end,
    function() return { index = 1 } end,                                       -- where another rank is
    function() return { size = 0 } end,
    function() return { size = -1 } end,
    function() return { size = SIZE + 1 } end,
    function() return { size = 2 ^ 31 - 1 } end,
    function() return { nbytes = -1 } end,
    function() return { nbytes = 2 ^ 24 + 1 } end,
    function() return { nbytes = 2 ^ 62 } end,
    function(r) return { members = { r, SIZE } } end,
    function(r) return { members = { r, -1 } } end,
    function(r) return { members = { r, 1000000000 } } end,
    function(r) return { members = { r, -1000000000 } } end,
    function(r) return { members = { r, r } } end,
    function(r) return { members = { r + 1, r } } end,
  }

  it("name numbers that fit nothing, and cut off themselves", function()
    wire.room(1200)
    local run = start({ { 0, SIZE } }, "pcall(D.init, { timeout = 60 }) wait 'end' say(nil, 'alive')")
    local r = 0
    local function seat()
      r = r + 1
      assert(r < SIZE, "no more ranks")
      local fd, code = wire.greet(run.port, r, SIZE)
      assert.equals(0, code)
      return fd, r
    end
    for k, change in ipairs(wrong) do
      local fd, rank = seat()
      wire.send(fd, request(rank, change(rank)))
      assert(wire.is_over(fd), ("mistake %d goes unnoticed"):format(k))
      wire.close(fd)
    end

    -- When a call of a rank of its own is answered, what was sent before it has been looked at.
    local control, controls = seat()
    local ncontrol = 0
    local function settle()
      ncontrol = ncontrol + 1
      wire.send(control, request(controls, { number = ncontrol, size = 1, members = { controls } }))
      assert.equals(0, tonumber(assert(wire.read(control, "reply")).failed))
      assert.equals(("%08d"):format(controls), wire.receive(control, 8))
    end

    -- A second member that says otherwise than the first of a call.
    for _, other in ipairs { { size = 1 }, { size = 3 }, { nbytes = 9 }, { nbytes = 0 }, { index = 0 },
      { members = { r + 2, r + 3 } } } do
      local first, rank = seat()
      local second, behind = seat()
      wire.send(first, request(rank, { members = { rank, behind } }))
      settle()
      local fields = { key = 1000 + rank, index = 1, members = { rank, behind } }
      for name, value in pairs(other) do fields[name] = value end
      wire.send(second, request(behind, fields))
      assert(wire.is_over(second, 15), "a second member is not compared with the first")
      wire.close(second)
      local reply = assert(wire.read(first, "reply"))                          -- the second one counts as gone
      assert.equals(1, tonumber(reply.failed))
      has(wire.receive(first, 300), ("rank %d has ended, or failed"):format(behind))
      wire.send(first, request(rank, { number = 2 }))                          -- after a failure there is no other call
      assert(wire.is_over(first))
      wire.close(first)
    end

    -- Those that fit get the bytes of the two and no others, in whatever pieces they come.
    for _ = 1, 20 do
      local first, rank = seat()
      local second, behind = seat()
      local n = ({ 0, 1, 8, 1000, 200000 })[math.random(5)]
      local bytes = { noise(n), noise(n) }
      local q, members = request(rank, { nbytes = n, members = { rank, behind } })
      local sent = wire.bytes(q) .. members .. bytes[1]
      local at = math.random(1, math.min(#sent, 60))
      wire.send(first, sent:sub(1, at))
      wire.send(second, request(behind, { key = 1000 + rank, index = 1, nbytes = n, members = { rank, behind },
        bytes = bytes[2] }))
      settle()
      assert(not wire.is_ready(second, 0), "an answer before all are there")
      wire.send(first, sent:sub(at + 1))
      for _, fd in ipairs { first, second } do
        local reply = assert(wire.read(fd, "reply"))
        assert(reply.failed == 0 and reply.nbytes == 2 * n and reply.key == 1000 + rank and reply.number == 1)
        assert(wire.receive(fd, 2 * n) == bytes[1] .. bytes[2], "other bytes than those that were sent")
        wire.send(fd, noise(200))                                              -- and what follows is no request
        assert(wire.is_over(fd), "noise in place of a request")
        wire.close(fd)
      end
    end

    -- A call at a time.
    local fd, rank = seat()
    wire.send(fd, request(rank))
    wire.send(fd, request(rank, { number = 2 }))
    assert(wire.is_over(fd), "two calls at once")
    wire.close(fd)

    -- Requests with single bytes changed, cut off, or followed by others. Most end at once; some are right by chance,
    -- or wait for more.
    local open = {}
    while r < SIZE - 1 do
      local stranger, mine = seat()
      local q, members, bytes = request(mine)
      local text = wire.bytes(q) .. members .. bytes
      for _ = 1, math.random(1, 6) do
        local at = math.random(1, #text)
        text = text:sub(1, at - 1) .. noise(1) .. text:sub(at + 1)
      end
      local kind = math.random(3)
      if kind == 1 then text = text:sub(1, math.random(1, #text)) end
      if kind == 2 then text = text .. noise(math.random(1, 100)) end
      wire.send(stranger, text)
      if math.random(2) == 1 then open[#open + 1] = stranger else wire.close(stranger) end
    end
    for _, stranger in ipairs(open) do wire.close(stranger) end

    settle()                                                                   -- the store still answers
    wire.close(control)
    run.go "end"
    has(run.finish(), "[0] alive")
  end)

  it("take no memory by numbers alone", function()
    local run = start({ { 0, 40 } }, [[
      local function peak()
        for line in io.lines "/proc/self/status" do
          local kB = line:match "VmPeak:%s+(%d+)"
          if kB then return tonumber(kB) end
        end
      end
      local before = peak()
      pcall(D.init, { timeout = 60 })
      wait "end"
      local more = peak() - before
      say(nil, more < 300000 and "small" or more .. " kB")                     -- 40 times 16 MB and more by then
    ]])
    local list = {}
    for r = 1, 39 do
      list[r] = wire.greet(run.port, r, 40)
      wire.send(list[r], (request(r, { nbytes = 2 ^ 24 })), wire.members { r, (r + 1) % 40 }, noise(10))
    end
    run.go "end"
    has(run.finish(), "[0] small")
    for _, fd in ipairs(list) do wire.close(fd) end
  end)

  it("that are no rank, or one that is there, are told so", function()
    local run = start({ { 0, 3 } }, "pcall(D.init, { timeout = 30 }) wait 'end' say(nil, 'alive')")
    local fd, code = wire.greet(run.port, 1, 3)
    assert.equals(0, code)
    for _, case in ipairs { { 1, 3, 3 }, { 3, 3, 2 }, { -1, 3, 2 }, { 1, 4, 2 }, { 2 ^ 31 - 1, 2 ^ 31 - 1, 2 } } do
      local other, said = wire.greet(run.port, case[1], case[2])
      assert.equals(case[3], said)
      assert(wire.is_over(other))
      wire.close(other)
    end
    local again = start({ { 1, 3 }, { 2, 4 } }, "say(pcall(D.init, { timeout = 10 }))", run.port)
    local out = again.finish()
    has(out, "another process is, or was, rank 1; wanted a RANK of its own for each")
    has(out, "rank 2 of 4, but rank 0 has another number of ranks; wanted the same WORLD_SIZE everywhere")
    wire.close(fd)
    run.go "end"
    has(run.finish(), "[0] alive")
  end)
end)

describe("a stranger in place of rank 0", function()
  --- What rank 1 says of a listener that `answer(fd)` plays.
  local function meet(answer)
    local listener = wire.listen(PORT + 1)
    local run = start({ { 1, 2 } }, "say(pcall(D.init, { timeout = 3 }))")
    local fd = wire.accept(listener)
    answer(fd)
    local out = run.finish()
    wire.close(fd)
    wire.close(listener)
    return out
  end

  it("is noticed by its greeting", function()
    local echo = meet(function(fd) wire.send(fd, assert(wire.read(fd, "hello"))) end)
    has(echo, "the answer of rank 0 is none of moonarray's")
    has(meet(function(fd) wire.send(fd, "HTTP/1.1 400 Bad Request\r\n\r\nnothing else") end), "is none of moonarray's")
    has(meet(function() end), "what was reached did not answer as rank 0 of moonarray does")
  end)

  it("is noticed by numbers that do not belong to the call", function()
    for _, wrong in ipairs { { key = 2 }, { number = 2 }, { nbytes = 49 }, { nbytes = -1 }, { nbytes = 2 ^ 62 },
      { failed = 1 }, { failed = 1, nbytes = 299 }, { failed = -1, nbytes = 2 ^ 40 } } do
      local out = meet(function(fd)
        assert(wire.read(fd, "hello"))
        wire.send(fd, wire.new("challenge", { magic = wire.CHALLENGE }))
        assert.equals(("\0"):rep(32), wire.receive(fd, 32))
        wire.send(fd, wire.new("verdict"))
        local q = assert(wire.read(fd, "request"))
        assert(#wire.receive(fd, 8 + tonumber(q.nbytes)) == 8 + 24)
        local reply = wire.new("reply", { key = q.key, number = q.number, nbytes = 48 })
        for name, value in pairs(wrong) do reply[name] = value end
        wire.send(fd, reply, noise(400))
      end)
      has(out, "rank 0, which keeps what ranks share, has ended or does not answer")
    end
  end)
end)

describe("the secret of ranks", function()
  local with = ("MOONARRAY_STORE_SECRET='%s'"):format(SECRET)

  it("lets those in who know it, and nobody else", function()
    local run = start({ { 0, 2, with } }, "D.init { timeout = 30 } D.barrier() say(nil, 'met')")
    for _, wrong in ipairs { false, SECRET .. " ", SECRET:sub(1, -2), "another text of 20" } do
      local fd, code, proved = wire.greet(run.port, 1, 2, wrong)
      assert(code == 1 and not proved)                              -- nor has the store proved anything to it
      assert(wire.is_over(fd))
      wire.close(fd)
    end
    local wrong = start({ { 1, 2, "MOONARRAY_STORE_SECRET='other text, and long enough'" }, { 1, 2 } },
      "say(pcall(D.init, { timeout = 10 }))", run.port)
    local out, seconds = wrong.finish()
    local text = "%[1%] %S+ moonarray.distributed.init: 127.0.0.1:%d+: rank 0 has another MOONARRAY_STORE_SECRET than "
      .. "rank 1, or one of both has none; wanted the same on every rank"
    assert(select(2, out:gsub(text, "")) == 2 and seconds < 8, out)
    local right = start({ { 1, 2, with } }, "D.init { timeout = 30 } D.barrier() say(nil, 'met')", run.port)
    has(right.finish(), "[1] met")
    has(run.finish(), "[0] met")
  end)

  it("is proved by HMAC-SHA256, by both sides", function()
    local run = start({ { 0, 2, with } }, "pcall(D.init, { timeout = 30 }) wait 'end'")
    local fd, code, proved = wire.greet(run.port, 1, 2, SECRET)
    assert(code == 0 and proved)
    wire.close(fd)
    run.go "end"
    run.finish()
  end)

  it("is not proved by what was said before", function()
    local run = start({ { 0, 3, with } }, "pcall(D.init, { timeout = 1 }) wait 'end'")
    local hello = wire.new("hello", { magic = wire.HELLO, rank = 1, size = 3 })
    local proof, nonces = nil, {}
    for k = 1, 2 do
      local fd = wire.connect(run.port)
      wire.send(fd, hello)
      local challenge = assert(wire.read(fd, "challenge"))
      nonces[k] = wire.bytes(challenge.nonce, 32)
      proof = proof or wire.proof("rank", SECRET, hello, challenge)
      if k == 2 then
        wire.send(fd, proof)
        assert.equals(1, tonumber(assert(wire.read(fd, "verdict")).code))
      end
      wire.close(fd)
    end
    assert(nonces[1] ~= nonces[2])
    run.go "end"
    run.finish()
  end)

  it("is asked of what listens in place of rank 0, too", function()
    for _, kind in ipairs { "zeros", "echo" } do
      local listener = wire.listen(PORT + 1)
      local run = start({ { 1, 2, with } }, "say(pcall(D.init, { timeout = 10 }))")
      local fd = wire.accept(listener)
      assert(wire.read(fd, "hello"))
      wire.send(fd, wire.new("challenge", { magic = wire.CHALLENGE }))
      local proof = wire.receive(fd, 32)
      assert(#proof == 32 and proof ~= ("\0"):rep(32))
      wire.send(fd, ("\0"):rep(8), kind == "echo" and proof or ("\0"):rep(32))
      has(run.finish(), "what was reached at MASTER_ADDR and MASTER_PORT does not know MOONARRAY_STORE_SECRET")
      wire.close(fd)
      wire.close(listener)
    end
  end)

  it("is never shown", function()
    local out = start(ranks(1, with .. " MOONARRAY_DEBUG=4 MOONARRAY_TRACE=jit,mem,fuse,linalg"), [[
      D.init()
      say(nil, (ma.ones(3) + 1):sum():item())
      say(nil, ma.show_config(true))
    ]]).finish()
    has(out, "MOONARRAY_STORE_SECRET (set)")
    assert(not out:find(SECRET:sub(1, 8), 1, true), out)
  end)

  it("of a few bytes is refused", function()
    local out = start(ranks(2, "MOONARRAY_STORE_SECRET=0123456789abcde"), "say(pcall(D.init))").finish()
    has(out, "[0] ")
    has(out, "[1] ")
    assert(select(2, out:gsub("MOONARRAY_STORE_SECRET has 15 bytes; wanted a random text of 16 or more", "")) == 2, out)
    assert(not out:find("0123456789", 1, true), out)
  end)

  it("is wanted where other machines may reach rank 0", function()
    for _, address in ipairs { "0.0.0.0", "192.0.2.7", "::" } do
      local out, seconds = start(ranks(2, "", address), "say(pcall(D.init, { timeout = 30 }))").finish()
      local text = ("MASTER_ADDR is %s, which other machines may reach, and MOONARRAY_STORE_SECRET is not set; wanted "
        .. "the same random text on every rank, as from export MOONARRAY_STORE_SECRET=$(od -An -v -N32 -tx1 "):format(
        address)
      has(out, "[0] ")
      has(out, "[1] ")
      assert(select(2, out:gsub(text:gsub("%W", "%%%0"), "")) == 2 and seconds < 10, out)
    end
    local out = start(ranks(2, with, "0.0.0.0"), "D.init { timeout = 30 } D.barrier() say(nil, 'met')").finish()
    has(out, "[0] met")
    has(out, "[1] met")
  end)

  it("is made anew by scripts/gpus, and not as an argument", function()
    local program = os.tmpname()
    file.write(program, [[
      local ma = require "moonarray"
      ma.distributed.init { timeout = 30, device = "cpu" }
      local secret = os.getenv "MOONARRAY_STORE_SECRET"
      local pipe = io.popen "LD_PRELOAD= ps -eo args"
      local shown = pipe:read("*a"):find(secret, 1, true)
      pipe:close()
      io.write(("<%d %s %s>\n"):format(ma.distributed.rank(), secret, shown and "shown" or "hidden"))
      ma.distributed.barrier()
    ]])
    local seen = {}
    for _ = 1, 2 do
      local ok, out = file.run(("LUAJIT='%s' MOONARRAY_DEVICE=cpu sh scripts/gpus 2 '%s'"):format(LUA, program))
      local one, two = out:match "<0 (%x+) hidden>", out:match "<1 (%x+) hidden>"
      assert(ok and one and one == two and #one == 64 and not seen[one], out)
      seen[one] = true
    end
    os.remove(program)
  end)
end)

describe("numbers of ranks in the environment", function()
  it("are whole numbers, or an error names them", function()
    for _, case in ipairs {
      { "MASTER_PORT=abc", "MASTER_PORT is 'abc'; wanted a whole number from 1 to 65535" },
      { "MASTER_PORT=0", "MASTER_PORT is '0'; wanted" },
      { "MASTER_PORT=65536", "MASTER_PORT is '65536'; wanted" },
      { "MASTER_PORT=29500x", "MASTER_PORT is '29500x'; wanted" },
      { "MASTER_PORT=' 29500'", "MASTER_PORT is ' 29500'; wanted" },
      { "MASTER_PORT=99999999999999999999999999999", "MASTER_PORT is '99999999999999999999999999999'; wanted" },
      { "RANK=one", "RANK is 'one'; wanted a whole number from 0 to 2147483647" },
      { "RANK=-1", "RANK is '-1'; wanted" },
      { "RANK=", "MASTER_ADDR is set, but not RANK; wanted" },
      { "WORLD_SIZE=2.5", "WORLD_SIZE is '2.5'; wanted a whole number from 1 to 2147483647" },
      { "WORLD_SIZE=0", "WORLD_SIZE is '0'; wanted" },
      { "WORLD_SIZE=4294967298", "WORLD_SIZE is '4294967298'; wanted" },
      { "WORLD_SIZE=", "MASTER_ADDR is set, but not WORLD_SIZE; wanted" },
      { "RANK= SLURM_PROCID=0x1", "SLURM_PROCID is '0x1'; wanted" },
      { "WORLD_SIZE= SLURM_NTASKS=2,2", "SLURM_NTASKS is '2,2'; wanted" },
      { "LOCAL_RANK=first", "LOCAL_RANK is 'first'; wanted" },
      { "LOCAL_WORLD_SIZE=0", "LOCAL_WORLD_SIZE is '0'; wanted" },
      { "MASTER_ADDR=", "RANK and WORLD_SIZE are set, but not MASTER_ADDR; wanted the address of rank 0" },
    } do
      local ok, out = file.run(("RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29999 MOONARRAY_DEVICE=cpu "
        .. "env %s timeout 20 '%s' -e 'print(pcall(require \"moonarray\".distributed.init, { timeout = 15 }))'"):format(
        case[1], LUA))
      assert(ok)
      has(out, "moonarray.distributed.init: " .. case[2])
    end
  end)
end)

describe("programs that rank 0 starts, and its forks", function()
  it("have none of its connections", function()
    local run = start(ranks(2), [[
      D.init { timeout = 10 }
      D.barrier()
      local pipe = io.popen "ls -l /proc/self/fd | grep -c socket"
      say(nil, pipe:read("*l") .. " sockets")
      pipe:close()
      D.barrier()
    ]])
    local out = run.finish()
    has(out, "[0] 0 sockets")
    has(out, "[1] 0 sockets")
  end)

  it("do not hide its end from the others", function()
    local run = start(ranks(2), [[
      local ffi = require "ffi"
      ffi.cdef "int fork(void); unsigned sleep(unsigned); void _exit(int); int getpid(void); int kill(int, int);"
      D.init { timeout = 20 }
      D.barrier()
      if D.rank() == 0 then
        io.popen "sleep 9"
        if ffi.C.fork() == 0 then ffi.C.sleep(9) ffi.C._exit(0) end
        wait "met"
        ffi.C.kill(ffi.C.getpid(), 9)
      end
      say(nil, "met")
      local begun = ma.time()
      local _, why = pcall(D.barrier)
      say(nil, ("%s %s"):format(ma.time() - begun < 5 and "at once" or "late", why))
    ]])
    run.wait_for "[1] met"
    run.go "met"
    local out = run.finish()
    assert(out:find "%[1%] at once .*rank 0, which keeps what ranks share, has ended or does not answer"
      or out:find "%[1%] at once .*rank 0 has ended, or failed, before it called this", out)
  end)
end)
