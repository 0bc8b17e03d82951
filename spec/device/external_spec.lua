-- Memory and semaphores of other interfaces. The pretended driver (make test-pretend) takes a file in memory for a
-- handle of Vulkan's, so that this file, or another process, can be the other side; a semaphore is a counter in one.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma
local run, write = require("spec.file").run, require("spec.file").write

local pretended = (os.getenv("LD_LIBRARY_PATH") or ""):find("pretend", 1, true) ~= nil and helper.device ~= "cpu"

ffi.cdef [[
int memfd_create(const char *name, unsigned flags);
int ftruncate(int fd, long size);
void *mmap(void *at, size_t size, int protection, int flags, int fd, long offset);
int munmap(void *at, size_t size);
int close(int fd);
int fcntl(int fd, int command, ...);
int getpid(void);
]]

local function fails(text, ...)
  local message = helper.fails(...)
  assert(message:find(text, 1, true), ("the error is '%s'; wanted '%s'"):format(message, text))
end

--- How many descriptors of such files the process has open; other threads open and close other files.
local function descriptors()
  local pipe = assert(io.popen("ls -l /proc/" .. ffi.C.getpid() .. "/fd | grep -c memfd:external"))
  local n = pipe:read("*n")
  pipe:close()
  return n
end

--- A file in memory, and the memory as the other side sees it.
local function new_file(size, ctype)
  local fd = ffi.C.memfd_create("external", 0)
  assert(fd >= 0 and ffi.C.ftruncate(fd, size) == 0)
  local at = ffi.C.mmap(nil, size, 3, 1, fd, 0)
  return fd, ffi.cast(ctype or "float *", at), function()
    ffi.C.munmap(at, size)
    ffi.C.close(fd)
  end
end

local function open_memory(fd, size) return ma.cuda.external_memory(fd, { type = "opaque_fd", size = size }) end
local function open_semaphore(fd, kind) return ma.cuda.external_semaphore(fd, { type = kind or "timeline_fd" }) end

-- The head of a program of its own, with memory of 4096 bytes.
local PROGRAM = [[
  local ma, ffi = require "moonarray", require "ffi"
  ffi.cdef "int memfd_create(const char *, unsigned); int ftruncate(int, long);"
  local fd = ffi.C.memfd_create("external", 0)
  ffi.C.ftruncate(fd, 4096)
]]

local function each(name, fn)
  it(name, function()
    if not pretended then return pending("it takes files in memory for Vulkan's on the pretended GPU alone") end
    fn()
    collectgarbage()
    collectgarbage()
  end)
end

describe("external memory and semaphores without a GPU", function()
  it("say what is missing", function()
    if helper.device ~= "cpu" then return pending("there is a GPU") end
    fails("moonarray.cuda.external_memory: no GPU: ", ma.cuda.external_memory, 0, { type = "opaque_fd", size = 16 })
    fails("moonarray.cuda.external_semaphore: no GPU: ", ma.cuda.external_semaphore, 0, { type = "timeline_fd" })
    fails("type is nil; wanted one of 'opaque_fd', 'opaque_win32', 'd3d12_resource'", ma.cuda.external_memory, 0,
      { size = 16 })
    fails("type is the string 'timeline_fd'", ma.cuda.external_memory, 0, { type = "timeline_fd", size = 16 })
    fails("wanted one of 'opaque_fd', 'opaque_win32', 'd3d12_fence', 'timeline_fd', 'timeline_win32'",
      ma.cuda.external_semaphore, 0, { type = "d3d12_resource" })
    fails("handle -1; wanted a file descriptor", ma.cuda.external_memory, -1, { type = "opaque_fd", size = 16 })
    fails("handle is the string 'x'; wanted a whole number", ma.cuda.external_memory, "x", { type = "opaque_fd" })
    fails("handle is NULL", ma.cuda.external_semaphore, 0, { type = "d3d12_fence" })
    assert.is_nil(ma.device("cpu").uuid)
    assert.is_nil(ma.device("cpu").luid)
  end)
end)

describe("external memory", function()
  each("is written and read by both sides", function()
    local fd, floats, drop = new_file(8192)
    local memory = open_memory(fd, 8192)
    assert.equal(8192, memory.size)
    assert.equal("opaque_fd", memory.type)
    assert.equal(helper.device, memory.device)
    assert.is_true(memory.is_open)
    assert.equal("<external memory opaque_fd, " .. helper.device .. ">", tostring(memory))
    local a = memory:array({ 32, 32 }, "float32")
    a[{}] = ma.arange(1024, "float32"):reshape(32, 32)
    ma.synchronize()
    assert.equal(1023, floats[1023])
    floats[5] = 77
    assert.equal(77, a(1, 6))
    -- Arrays over the same bytes, at an offset, up to the end, of other dtypes.
    local b = memory:array(2, "float32", { offset = 4 * 1023 })
    b:fill(5)
    assert.equal(5, a(32, 32))
    assert.equal(5, floats[1024])
    assert.same({ 1024 }, memory:array(nil, "float32", { offset = 4096 }).shape)
    assert.same({ 8192 }, memory:array(nil, "uint8").shape)
    assert.same({ 2048 }, memory:array().shape)
    assert.same({ 0 }, memory:array(nil, "uint8", { offset = 8192 }).shape)
    fails("8196 bytes from the offset 0 on; the memory has 8192", memory.array, memory, 2049, "float32")
    fails("8 bytes from the offset 8188 on", memory.array, memory, 2, "float32", { offset = 8188 })
    fails("the offset 8193; the memory has 8192 bytes", memory.array, memory, 1, "uint8", { offset = 8193 })
    fails("needs a multiple of 4", memory.array, memory, 1, "float32", { offset = 2 })
    fails("offset -1; wanted bytes from 0", memory.array, memory, 1, "uint8", { offset = -1 })
    memory:close()
    drop()
  end)

  each("lives as long as its arrays, and ends when it is closed", function()
    local before = descriptors()
    local fd, floats, drop = new_file(4096)
    local memory = open_memory(fd, 4096)
    local a, b = memory:array(4), memory:array(8)
    memory = nil                                                -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    a:fill(3)
    ma.synchronize()
    assert.equal(3, floats[3])
    assert.equal(before + 2, descriptors())                     -- the file, and the driver's duplicate
    b:free()
    a:free()
    collectgarbage()
    assert.equal(before + 1, descriptors())
    -- Closed while there are arrays, twice, and before the arrays are freed.
    memory = open_memory(fd, 4096)
    a = memory:array(4)
    local view = a["2:3"]
    local pending_sum = a + 1
    memory:close()
    assert.equal(before + 1, descriptors())
    memory:close()
    assert.is_false(memory.is_open)
    assert.is_nil(memory.size)
    helper.identical(ma.asarray({ 4, 4, 4, 4 }, "float32"), pending_sum, "computed before the end")
    for _, use in ipairs { function() return view + 1 end, function() a:fill(1) end, function() return a(1) end,
      function() return a:ptr() end } do
      fails("taken back, as an OpenGL resource's is by unmap and external memory is by close", use)
    end
    assert.same({ 4 }, a.shape)
    fails("external memory that was closed; import it again", memory.array, memory, 4)
    a:free()
    view:free()
    -- Arrays first.
    memory = open_memory(fd, 4096)
    memory:array(4):free()
    memory:close()
    drop()
    assert.equal(before, descriptors())
  end)

  each("leaves no descriptor open where it fails", function()
    local fd, _, drop = new_file(4096)
    local before, core = descriptors(), require "moonarray.core"
    fails("the handle of type opaque_fd was not taken; wanted memory that was exported on the same GPU", open_memory,
      fd, 5000)
    fails("wanted the bytes of the whole allocation", open_memory, fd, 0)
    fails("wanted the bytes of the whole allocation", open_memory, fd)
    fails("the descriptor 999, which cannot be duplicated: Bad file descriptor", open_memory, 999, 4096)
    fails("was not taken; wanted a semaphore of that type", open_semaphore, (new_file(4)))
    before = before + 1                                         -- that file
    assert.equal(before, descriptors())
    core.make_fail("queue", 1, 1)
    fails("a mapping of external memory", open_memory, fd, 4096)
    assert.equal(before, descriptors())
    fails("type 'd3d12_resource', which is a handle of Windows", ma.cuda.external_memory, 64, { type = "d3d12_resource",
      size = 4096 })
    fails("the device cpu; external memory and semaphores are imported on a GPU", ma.cuda.external_memory, fd,
      { type = "opaque_fd", size = 4096, device = "cpu" })
    local memory = open_memory(fd, 4096)
    fails("4100 bytes", memory.array, memory, 1025)
    memory:close()
    assert.equal(before, descriptors())
    drop()
  end)

  each("is given back behind the work on it, also where a program may not wait", function()
    local script = os.tmpname()
    write(script, PROGRAM .. [[
      for _, close in ipairs { "array", "semaphore" } do
        local memory = ma.cuda.external_memory(fd, { type = "opaque_fd", size = 4096 })
        local semaphore = ma.cuda.external_semaphore(fd, { type = "timeline_fd" })
        local a = memory:array(16, "float32", { offset = 64 })
        a:fill(1)
        semaphore:signal(1)
        memory = nil
        local event = ma.Event():record()
        assert(not event.done, "the work is done at once")
        ma.allow_synchronize(false)
        if close == "array" then
          a:free()
          collectgarbage()
        else semaphore:close() end
        assert(event.done, close .. " did not wait")
        ma.allow_synchronize(true)
      end
      print "waited"]])
    local ok, output = run(("PRETEND_DELAY=1000000 '%s' '%s'"):format(os.getenv("LUAJIT") or "luajit", script))
    os.remove(script)
    assert(ok and output == "waited\n", output)
  end)
end)

describe("external semaphores", function()
  each("count", function()
    local fd, counter, drop = new_file(4096, "uint64_t *")
    local semaphore = open_semaphore(fd)
    assert.equal("timeline_fd", semaphore.type)
    assert.equal("<external semaphore timeline_fd, " .. helper.device .. ">", tostring(semaphore))
    assert.equal(semaphore, semaphore:signal(3))
    assert.equal(3, tonumber(counter[0]))
    semaphore:wait(3):wait(2)
    semaphore:signal(7, { stream = ma.Stream({ non_blocking = true }) })
    assert.equal(7, tonumber(counter[0]))
    semaphore:signal(2LL ^ 60)
    assert(counter[0] == 2ULL ^ 60)
    fails("value is nil; wanted a whole number", semaphore.wait, semaphore)
    fails("value -1; wanted 0 or more", semaphore.signal, semaphore, -1)
    semaphore:close()
    semaphore:close()
    assert.is_false(semaphore.is_open)
    fails("an external semaphore that was closed; import it again", semaphore.wait, semaphore, 1)
    drop()
  end)

  each("without a value are taken", function()
    local fd, counter, drop = new_file(4096, "uint64_t *")
    local semaphore = open_semaphore(fd, "opaque_fd")
    semaphore:signal()
    assert.equal(1, tonumber(counter[0]))
    semaphore:wait()
    assert.equal(0, tonumber(counter[0]))
    fails("value is the number 3; a semaphore of type 'opaque_fd' has none", semaphore.signal, semaphore, 3)
    drop()
  end)

  each("come behind work that waits to run", function()
    local fd, counter, drop = new_file(4096, "uint64_t *")
    local semaphore = open_semaphore(fd)
    local core = require "moonarray.core"
    local x = ma.ones(1000000, "float32")
    for _, call in ipairs { "signal", "wait" } do
      local y = x * 2 + 1
      local before = core.work()
      semaphore[call](semaphore, 1)
      assert((core.work()) > before, call .. " left the sum waiting")
      assert.equal(3, y(1))
    end
    assert.equal(1, tonumber(counter[0]))
    drop()
  end)

  each("are refused in a recording, where memory is recorded", function()
    local fd, floats, drop = new_file(4096)
    local memory, semaphore = open_memory(fd, 4096), open_semaphore(fd)
    local a = memory:array(16)
    a:fill(1)
    fails("inside a graph capture; a signal of a semaphore cannot be recorded", ma.cuda.graph,
      function() semaphore:signal(1) end)
    fails("a wait for a semaphore cannot be recorded", ma.cuda.graph, function() semaphore:wait(1) end)
    local graph = ma.cuda.graph(function() a:iadd(1) end)
    local start = a(1)
    graph:launch()
    graph:launch()
    ma.synchronize()
    assert.equal(start + 2, floats[0])
    memory:close()
    fails("taken back", graph.launch, graph)
    drop()
  end)

  each("end while their stream records", function()
    local fd, _, drop = new_file(4096, "uint64_t *")
    local function mappings()
      local n = 0
      for line in io.lines "/proc/self/maps" do n = n + (line:find("memfd:external", 1, true) and 1 or 0) end
      return n
    end
    local semaphore, x = open_semaphore(fd):signal(3), ma.ones(3)
    local before = mappings()
    local graph = ma.cuda.graph(function()
      x:imul(2)
      semaphore:close()
    end)
    assert.equal(before - 1, mappings())
    local start = x(1)
    graph:launch()
    assert.equal(2 * start, x(1))
    graph:free()
    drop()
  end)

  each("order rounds with another process", function()
    local fd, floats, drop = new_file(4096)
    local semaphore_fd, counter, drop_counter = new_file(4096, "uint64_t *")
    local rounds, script, out = 200, os.tmpname(), os.tmpname()
    -- The other side: it waits for each odd value, copies what it finds, adds to it and signals the next even one.
    write(script, ([=[
      local ffi = require "ffi"
      ffi.cdef "int open(const char *, int); void *mmap(void *, size_t, int, int, int, long); int usleep(unsigned);"
      local function map(fd) return ffi.C.mmap(nil, 4096, 3, 1, ffi.C.open("/proc/%d/fd/" .. fd, 2), 0) end
      local floats, counter = ffi.cast("volatile float *", map(%d)), ffi.cast("volatile uint64_t *", map(%d))
      for round = 1, %d do
        local turns = 0
        while counter[0] < 2 * round - 1 do
          turns = turns + 1
          assert(turns < 200000, "nobody signals")
          ffi.C.usleep(50)
        end
        for k = 0, 1023 do
          assert(floats[k] == 3 * round - 2, ("round %%d: element %%d is %%g"):format(round, k, floats[k]))
          floats[k] = floats[k] + 2
        end
        counter[0] = 2 * round
      end
      print "done"]=]):format(ffi.C.getpid(), fd, semaphore_fd, rounds))
    local memory, semaphore = open_memory(fd, 4096), open_semaphore(semaphore_fd)
    local a = memory:array(1024)
    a:fill(0)
    os.execute(("'%s' '%s' >'%s' 2>&1 &"):format(os.getenv("LUAJIT") or "luajit", script, out))
    for round = 1, rounds do
      a:iadd(1)
      semaphore:signal(2 * round - 1)
      semaphore:wait(2 * round)
    end
    assert.equal(3 * rounds, a(1))
    assert.equal(3 * rounds, a:max():item())
    assert.equal(2 * rounds, tonumber(counter[0]))
    assert.equal(3 * rounds, floats[7])
    os.remove(script)
    os.remove(out)
    drop()
    drop_counter()
  end)
end)

describe("a reset of the GPU", function()
  each("ends what was imported before", function()
    local script = os.tmpname()
    write(script, PROGRAM .. [[
      local function open()
        return ma.cuda.external_memory(fd, { type = "opaque_fd", size = 4096 }),
          ma.cuda.external_semaphore(fd, { type = "timeline_fd" })
      end
      local function refused(text, fn, ...)
        local ok, message = pcall(fn, ...)
        assert(not ok and message:find(text, 1, true), message)
      end
      local memory, semaphore = open()
      local a = memory:array(16)
      semaphore:signal(1)
      ma.cuda.reset()
      refused("before its reset", a.fill, a, 1)
      refused("before its reset", function() return memory:array(4) + 1 end)
      refused("a semaphore from before the reset of cuda:0; import it again", semaphore.wait, semaphore, 1)
      memory:close()
      semaphore:close()
      memory, semaphore = open()
      memory:array(16):fill(2)
      semaphore:signal(3)
      print(memory:array(16, "float32")(9))]])
    local ok, output = run(("'%s' '%s'"):format(os.getenv("LUAJIT") or "luajit", script))
    os.remove(script)
    assert(ok and output == "2\n", output)
  end)
end)

describe("a GPU's names", function()
  each("are those of other interfaces", function()
    assert.equal("01a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", ma.cuda.Device(0).uuid)
    assert.is_nil(ma.cuda.Device(0).luid)
    local ok, output = run("PRETEND_LUID=1 '" .. (os.getenv("LUAJIT") or "luajit") ..
      "' -e 'print(require(\"moonarray\").cuda.Device(0).luid)'")
    assert(ok and output == "01b1b2b3b4b5b6b7\n", output)
  end)
end)
