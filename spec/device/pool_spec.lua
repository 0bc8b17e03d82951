--- Memory pools: figures, limits, allocators, private pools, pinned and managed memory, hooks, and what is said when
--- memory is out.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local cuda = ma.cuda

local MIB = 2 ^ 20
local device = ma.device().name
local on_gpu = device ~= "cpu"

local function fails(pattern, fn, ...)
  local ok, message = pcall(fn, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(pattern, 1, true), tostring(message))
end

-- MOONARRAY_POOL=0: nothing is cached, so there is nothing to see of it.
local caches = os.getenv("MOONARRAY_POOL") ~= "0"
local function it_caches(name, fn)
  it(name, caches and fn or function() pending("MOONARRAY_POOL=0") end)
end

local function collect()
  collectgarbage()
  collectgarbage()
end

describe("a pool", function()
  it_caches("counts what is in use and what is cached", function()
    local pool = cuda.MemoryPool()
    assert.are.equal(0, pool:used_bytes())
    assert.are.equal(0, pool:total_bytes())
    local a = pool:malloc(1000)
    assert.are.equal("uint8", a.dtype)
    assert.are.equal(1000, a.size)
    assert.are.equal(device, a.device)
    assert.are.equal(1024, pool:used_bytes())
    assert.is_true(pool:total_bytes() >= 1024)
    assert.are.equal(pool:total_bytes(), pool:used_bytes() + pool:free_bytes())
    local held = pool:total_bytes()
    a:free()
    assert.are.equal(0, pool:used_bytes())
    assert.are.equal(held, pool:free_bytes())
    assert.is_true(pool:n_free_blocks() >= 1)
    pool:free_all_blocks()
    assert.are.equal(0, pool:total_bytes())
    assert.are.equal(0, pool:n_free_blocks())
    assert.are.equal(1024, pool:peak_bytes())
    pool:reset_peak()
    assert.are.equal(0, pool:peak_bytes())
  end)

  it_caches("hands a block out again", function()
    local pool = cuda.MemoryPool()
    for _, size in ipairs { 100, 5000, 300000, 5 * MIB, 40 * MIB } do
      local a = pool:malloc(size)
      local at = a:ptr()
      a:free()
      local b = pool:malloc(size)
      assert.are.equal(at, b:ptr())
      b:free()
    end
  end)

  it_caches("does not break a large block for a small request, and joins what it broke", function()
    local pool = cuda.MemoryPool()
    local whole = pool:malloc(256 * MIB)
    local at = whole:ptr()
    whole:free()
    local small = pool:malloc(2 * MIB)
    assert.is_true(small:ptr() < at or small:ptr() >= at + 256 * MIB)
    small:free()
    local parts = { pool:malloc(100 * MIB), pool:malloc(100 * MIB) }
    assert.are.equal(at, parts[1]:ptr())
    assert.are.equal(at + 100 * MIB, parts[2]:ptr())
    parts[2]:free()
    parts[1]:free()
    whole = pool:malloc(256 * MIB)
    assert.are.equal(at, whole:ptr())
    whole:free()
    -- what comes back is joined with what lies on its left, and on its right
    for _, first in ipairs { 1, 2 } do
      local blocks = pool:n_free_blocks()
      parts = { pool:malloc(100 * MIB), pool:malloc(100 * MIB) }
      parts[first]:free()
      parts[3 - first]:free()
      assert.are.equal(blocks, pool:n_free_blocks())
    end
    pool:free_all_blocks()
    assert.are.equal(0, pool:total_bytes())
  end)

  it_caches("keeps no more of the CPU's memory than 1 GiB", function()
    local pool, kept = ma.numpy.get_default_memory_pool(), {}
    pool:free_all_blocks()
    ma.device("cpu"):with(function()
      for k = 1, 5 do kept[k] = ma.empty(300 * MIB, "uint8") end
    end)
    for k = 1, 5 do kept[k]:free() end
    assert.is_true(pool:free_bytes() > 512 * MIB and pool:free_bytes() <= 1024 * MIB)
    pool:free_all_blocks()
  end)

  it_caches("gives memory really back", function()
    if not on_gpu then return pending("no GPU; the CPU's free memory changes by itself") end
    local pool = cuda.MemoryPool()
    ma.synchronize()
    local before, total = ma.device():mem_info()
    local size = math.floor(total / 8)   -- much more than other processes may take or give back meanwhile
    local function left() return (ma.device():mem_info()) end
    local a = pool:malloc(size)
    assert.is_true(left() <= before - size / 2)
    a:free()
    assert.is_true(left() <= before - size / 2)
    pool:free_all_blocks()
    assert.is_true(left() >= before - size / 2)
  end)

  it_caches("keeps to its limit, with what is cached counted", function()
    local pool = cuda.MemoryPool()
    assert.are.equal(0, pool:get_limit())
    pool:set_limit { size = 64 * MIB }
    assert.are.equal(64 * MIB, pool:get_limit())
    local a = pool:malloc(40 * MIB)
    fails("out of memory", pool.malloc, pool, 40 * MIB)
    fails("its limit is 64.0 MiB", pool.malloc, pool, 40 * MIB)
    a:free()
    local b = pool:malloc(50 * MIB)
    assert.is_true(pool:total_bytes() <= 64 * MIB)
    b:free()
    pool:malloc(64 * MIB):free()                       -- the limit itself is within it, at once and in parts
    a, b = pool:malloc(40 * MIB), pool:malloc(24 * MIB)
    assert.are.equal(64 * MIB, pool:total_bytes())
    a:free()
    b:free()
    pool:set_limit(0)
    pool:malloc(80 * MIB):free()
  end)

  it("takes garbage for room before it says that memory is out", function()
    local pool = cuda.MemoryPool()
    pool:set_limit(64 * MIB)
    for _ = 1, 20 do pool:malloc(30 * MIB) end
    collect()
    assert.are.equal(0, pool:used_bytes())
  end)

  it("takes a limit as a fraction of the device", function()
    local pool = cuda.MemoryPool()
    local _, total = ma.device():mem_info()
    pool:set_limit { fraction = 0.5 }
    assert.are.equal(math.floor(total * 0.5), pool:get_limit())
    pool:set_limit { fraction = 0 }
    assert.are.equal(0, pool:get_limit())
  end)

  it("says what is wrong with its arguments", function()
    local pool = cuda.MemoryPool()
    fails("neither size nor fraction", pool.set_limit, pool)
    fails("both size and fraction", pool.set_limit, pool, { size = 1, fraction = 0.5 })
    fails("wanted 0 (none) or more", pool.set_limit, pool, -1)
    fails("a limit of 1.5 bytes; wanted 0 (none) or more, a whole number", pool.set_limit, pool, 1.5)
    fails("a limit of nan bytes", pool.set_limit, pool, 0 / 0)
    fails("file is the number 3; wanted a file that is open", cuda.DebugPrintHook, 3)
    fails("fraction is 1.5", pool.set_limit, pool, { fraction = 1.5 })
    fails("nbytes is -1", pool.malloc, pool, -1)
    fails("did you mean 'used_bytes'", function() return pool.used_byts end)
    fails("in place of the pool", pool.used_bytes, 3)
    fails("wanted nil, ma.cuda.malloc_managed", cuda.MemoryPool, function() end)
    fails("out of memory", pool.malloc, pool, 2 ^ 52)
    assert.is_truthy(tostring(pool):find("MemoryPool " .. device, 1, true))
  end)

  it("gives all that a limit leaves, even less than it would take of the device at once", function()
    local pool = cuda.MemoryPool()
    pool:set_limit(2 ^ 20)
    local small = pool:malloc(100)
    local large = pool:malloc(800 * 1024)
    assert(pool:total_bytes() <= 2 ^ 20)
    fails("out of memory", pool.malloc, pool, 800 * 1024)
    large:free()
    assert.are.equal(900 * 1024, pool:malloc(900 * 1024).size)
    assert.are.equal(100, small.size)
  end)

  it("lives until its last array is gone", function()
    local a
    do
      local pool = cuda.MemoryPool()
      a = pool:malloc(4096)
    end
    collect()
    a[{}] = 7
    assert.are.equal(7 * 4096, a:sum():item())
    local b = a["1:100"]
    a:free()
    collect()
    assert.are.equal(700, b:sum():item())
    b:free()
  end)
end)

describe("the default pool", function()
  it("is one object by ==", function()
    assert.is_true(cuda.get_default_memory_pool() == ma.get_default_memory_pool())
    assert.is_true(cuda.get_allocator() == cuda.get_default_memory_pool())
    assert.is_false(cuda.MemoryPool() == cuda.get_default_memory_pool())
    assert.are.equal("cpu", ma.get_default_memory_pool("cpu").device)
  end)

  it("serves arrays", function()
    local pool = cuda.get_default_memory_pool()
    collect()
    local before = pool:used_bytes()
    local a = ma.zeros({ 1024, 1024 }, "float32")
    assert.is_true(pool:used_bytes() >= before + 4 * MIB)
    a:free()
    assert.are.equal(before, pool:used_bytes())
    ma.free_all_blocks()
  end)
end)

describe("an allocator", function()
  after_each(function() cuda.set_allocator(nil) end)

  it("serves new arrays until it is taken away", function()
    local pool = cuda.MemoryPool()
    cuda.set_allocator(pool)
    assert.is_true(cuda.get_allocator() == pool)
    local a = ma.ones(1000, "float32")
    assert.is_true(pool:used_bytes() >= 4000)
    cuda.set_allocator()
    assert.is_false(cuda.get_allocator() == pool)
    local used = pool:used_bytes()
    local b = ma.ones(1000, "float32")
    assert.are.equal(used, pool:used_bytes())
    assert.are.equal(2000, (a + b):sum():item())
    collect()                                              -- the temporary may still read a
    a:free()
    assert.are.equal(0, pool:used_bytes())
  end)

  it("stays without its object", function()
    cuda.set_allocator(cuda.MemoryPool())
    collect()
    local a = ma.arange(10) + 1
    assert.are.equal(55, a:sum():item())
    cuda.set_allocator(nil)
    assert.are.equal(55, a:sum():item())
  end)

  it("serves for a function alone", function()
    local pool, other = cuda.MemoryPool(), cuda.MemoryPool()
    local a, b = cuda.using_allocator(pool, function(n)
      local first = ma.zeros(n)
      local second = cuda.using_allocator(other, ma.zeros, n)
      assert.is_true(cuda.get_allocator() == pool)
      return first, second
    end, 100)
    assert.is_true(cuda.get_allocator() == cuda.get_default_memory_pool())
    assert.is_true(pool:used_bytes() > 0 and other:used_bytes() > 0)
    a:free()
    assert.are.equal(0, pool:used_bytes())
    b:free()
    assert.are.equal(0, other:used_bytes())
  end)

  it("goes when the function fails", function()
    local pool = cuda.MemoryPool()
    fails("on purpose", cuda.using_allocator, pool, function() error("on purpose") end)
    assert.is_true(cuda.get_allocator() == cuda.get_default_memory_pool())
    cuda.set_allocator(pool)
    cuda.using_allocator(nil, function() assert.is_true(cuda.get_allocator() == cuda.get_default_memory_pool()) end)
    assert.is_true(cuda.get_allocator() == pool)
  end)

  it("must be one", function()
    fails("wanted a pool", cuda.set_allocator, 3)
    fails("the object, no method of it", cuda.set_allocator, cuda.MemoryPool().malloc)
    fails("wanted a pool", cuda.using_allocator, "x", print)
  end)

  it("may be the driver's own pool", function()
    local pool = cuda.MemoryAsyncPool()
    cuda.using_allocator(pool, function()
      local a = ma.arange(100000, "float32")
      for _ = 1, 20 do a = a + 1 end
      assert.are.equal(20, a(1))
      assert.are.equal(99999 + 20, a(100000))
      assert.is_true(pool:used_bytes() >= 400000)
    end)
    collect()
    assert.are.equal(0, pool:used_bytes())
    pool:free_all_blocks()
  end)

  it("may be managed memory", function()
    cuda.set_allocator(cuda.malloc_managed)
    local a = ma.ones(1000, "float64")
    cuda.set_allocator(nil)
    assert.are.equal(1000, a:sum():item())
    local pool = cuda.MemoryPool(cuda.malloc_managed)
    local b = pool:malloc(100)
    b[{}] = 3
    assert.are.equal(300, b:sum():item())
    local c = cuda.malloc_managed(64)
    c[{}] = 1
    assert.are.equal(64, c:sum():item())
    local d = cuda.alloc(10)
    assert.are.equal(device, d.device)
  end)
end)

describe("pinned memory", function()
  it("is the CPU's", function()
    local pool = cuda.get_default_pinned_memory_pool()
    assert.is_true(pool == ma.get_default_pinned_memory_pool())
    local before = pool:used_bytes()
    local a, b = cuda.alloc_pinned_memory(100), cuda.zeros_pinned({ 3, 4 }, "float32")
    local c, d = cuda.empty_pinned(10), cuda.zeros_like_pinned(b)
    local e = cuda.empty_like_pinned(b, "int8")
    for _, x in ipairs { a, b, c, d, e } do assert.are.equal("cpu", x.device) end
    assert.are.equal("uint8", a.dtype)
    assert.are.equal(ma.get_default_dtype(), c.dtype)
    assert.are.equal("int8", e.dtype)
    assert.are.equal(0, b:sum():item())
    assert.is_true(pool:used_bytes() > before)
    for _, x in ipairs { a, b, c, d, e } do x:free() end
    assert.are.equal(before, pool:used_bytes())
  end)

  it("is copied from and to the device", function()
    local a = cuda.empty_pinned(300000, "float32")
    a[{}] = ma.arange(300000, "float32", { device = "cpu" })
    local b = ma.array(a, { device = device })
    a[{}] = 0
    assert.are.equal(299999, b(300000))
    assert.are.equal(1, b(2))
    for k = 1, 20 do
      local c = cuda.empty_pinned(300000, "float32")
      c[{}] = k
      b[{}] = c
      c:free()
      assert.are.equal(k, b(150000))
    end
  end)

  it_caches("is bounded", function()
    local pool = cuda.PinnedMemoryPool()
    local kept = {}
    for k = 1, 12 do kept[k] = pool:malloc(32 * MIB) end
    assert.is_true(pool:total_bytes() >= 384 * MIB)
    for k = 1, 12 do kept[k]:free() end
    assert.is_true(pool:total_bytes() <= 256 * MIB)
    pool:set_limit(64 * MIB)
    kept[1] = pool:malloc(40 * MIB)
    fails("the pinned pool", pool.malloc, pool, 40 * MIB)
    kept[1]:free()
    pool:free_all_blocks()
    assert.are.equal(0, pool:total_bytes())
  end)

  it("may serve all CPU arrays", function()
    local pool = cuda.PinnedMemoryPool()
    cuda.using_allocator(pool, function()
      assert.are.equal(6, ma.array({ 1, 2, 3 }, { device = "cpu" }):sum():item())
      local a = ma.ones(1000, { device = "cpu" })
      assert.is_true(pool:used_bytes() >= 8000)
      a:free()
    end)
  end)
end)

describe("memory of others", function()
  it("is an array of bytes", function()
    local b
    do
      local a = ma.arange(4, "int32")
      b = cuda.UnownedMemory(a:ptr(), 16, a, device)
    end
    assert.are.equal("uint8", b.dtype)
    assert.are.equal(16, b.size)
    collect()
    local expected = { 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0 }
    assert.are.same(expected, b:totable())
  end)
end)

describe("a memory hook", function()
  it_caches("is told of everything in order", function()
    local told = {}
    local function note(what) return
      function(event) told[#told + 1] = what .. " " .. event.act .. " " .. event.size end end
    local hook = cuda.MemoryHook {
      alloc_postprocess = note "after", malloc_preprocess = note "before", malloc_postprocess = note "after",
      free_postprocess = note "after",
    }
    local pool = cuda.MemoryPool()
    local result = hook:with(function(n)
      local a = pool:malloc(n)
      a:free()
      return "done"
    end, 1000)
    assert.are.equal("done", result)
    assert.are.same({ "after alloc " .. 2 * MIB, "before malloc 1000", "after malloc 1000", "after free 1000" }, told)
    pool:malloc(10):free()
    assert.are.equal(4, #told)
  end)

  it_caches("knows the block, the device and the line", function()
    local events = {}
    local hook = cuda.MemoryHook { malloc_postprocess = function(e) events[#events + 1] = e end,
      free_preprocess = function(e) events[#events + 1] = e end }
    local a
    hook:with(function()
      a = ma.zeros(100, "float32")
      hook:flush()
      assert.are.equal(1, #events)
      a:free()
    end)
    assert.are.equal(device, events[1].device)
    assert.are.equal(400, events[1].size)
    assert.are.equal(512, events[1].mem_size)
    assert.are.equal(events[1].mem_ptr, events[2].mem_ptr)
    assert.are.equal(events[1].pmem_id, events[2].pmem_id)
    assert.is_truthy(events[1].place:find("pool_spec.lua:", 1, true), events[1].place)
  end)

  it("is told nothing of its own doings", function()
    local n = 0
    local hook = cuda.MemoryHook { malloc_postprocess = function() n = n + 1; ma.zeros(10):free() end }
    hook:with(function() for _ = 1, 5 do ma.zeros(3):free() end end)
    assert.are.equal(5, n)
  end)

  it("may fail, which is an error of the call after", function()
    local hook = cuda.MemoryHook { malloc_postprocess = function() error("from the hook") end }
    fails("from the hook", hook.with, hook, function() ma.zeros(3) end)
    ma.zeros(3):free()
    collect()
  end)

  it("is refused when it is none", function()
    fails("wanted a table of functions", cuda.MemoryHook, 3)
    fails("no hook is called 'malloc'", cuda.MemoryHook, { malloc = print })
    fails("wanted a function", cuda.MemoryHook, { malloc_preprocess = 1 })
    local hook = cuda.MemoryHook {}
    hook:install()
    fails("installed already", hook.install, hook)
    hook:remove()
    hook:remove()
  end)

  it_caches("sums up by line", function()
    local hook = cuda.LineProfileHook()
    hook:with(function()
      for _ = 1, 3 do
        ma.zeros(1000, "uint8"):free()
        ma.zeros(100000, "uint8"):free()
      end
    end)
    local report = hook:report()
    assert.are.equal(2, #report)
    assert.are.equal(3, report[1].count)
    assert.is_true(report[1].used_bytes >= 300000)
    assert.are.equal(3, report[2].count)
    assert.is_truthy(report[1].place:find("pool_spec.lua:%d+"))
  end)

  it_caches("prints", function()
    local lines = {}
    local hook = cuda.DebugPrintHook { file = { write = function(_, text) lines[#lines + 1] = text end } }
    hook:with(function() ma.zeros(10):free() end)
    assert.is_truthy(table.concat(lines):find("malloc " .. device .. ": 80 bytes asked for, 512 taken", 1, true),
      table.concat(lines))
  end)
end)

describe("memory that is out", function()
  it("is told with the pool's figures and what to do", function()
    local ok, message = pcall(ma.empty, 2 ^ 52, "uint8")
    assert.is_false(ok)
    for _, part in ipairs { "out of memory on " .. device, "in use", "cached", "x:free()", "ma.scope" } do
      assert.is_truthy(message:find(part, 1, true), message)
    end
  end)

  it("is tried again after a collection", function()
    core.fail_allocation(1, 1)
    local a = cuda.MemoryPool():malloc(100)
    core.fail_allocation(0, 0)
    assert.are.equal(100, a.size)
    core.fail_allocation(1, 5)
    fails("out of memory", function() return cuda.MemoryPool():malloc(100) end)
    core.fail_allocation(0, 0)
  end)

  it("is tried again without the arrays that a compiled trace keeps", function()
    local jit = rawget(_G, "jit")
    if not (jit and jit.status()) then return pending("nothing compiles here") end
    local pool, taken, free = cuda.MemoryPool(), 0, nil
    local function loop()
      local a = pool:malloc(2 ^ 22)
      free = pool:used_bytes()
      local function get() return a end                  -- a constant of the trace
      for _ = 1, 300 do if get() then taken = taken + 1 end end
    end
    loop()
    collect()
    assert.are.equal(300, taken)
    assert.are.equal(free, pool:used_bytes())            -- the trace keeps it
    pool:set_limit(2 ^ 22)
    assert.are.equal(2 ^ 22, pool:malloc(2 ^ 22).size)
  end)
end)
