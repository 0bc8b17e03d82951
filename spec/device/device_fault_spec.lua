-- A kernel that faults: the error names it, every later call says the same, and a reset makes the device usable again
-- or, where the driver refuses that, says that the process must be restarted. Each case is a process of its own, since
-- it ends a context. On the pretended driver a wait can be made to fail: PRETEND_FAULT; and a reset be refused:
-- PRETEND_REVIVE=0.

local helper = require "spec.helper"
local gpu = helper.ma.device().type == "cuda"
local pretended = gpu and helper.ma.device():description():find("pretended", 1, true)

local LUA = os.getenv("LUAJIT") or "luajit"

local take = require("spec.file").take

local start = [[
local ma = require "moonarray"
local core = require "moonarray.core"
local bad = ma.RawKernel([=[extern "C" __global__ void broken_kernel(float *p, unsigned long long far, int kind) {
  if (kind == 1) *(float *)far = 1;
#ifdef __CUDA_ARCH__
  if (kind == 2) __trap();
  if (kind == 3) *(float *)((char *)p + 1) = 1;
#endif
}]=], "broken_kernel")
local a = ma.ones(100, { dtype = "float32" })
assert(a:sum():item() == 100)
local function break_device(kind)
  local far = PRETENDED and 0 or 64
  return pcall(function()
    bad({ 1 }, { 1 }, { a, far, PRETENDED and 0 or kind })
    ma.device():synchronize()
  end)
end
-- The reset after a fault, which a driver may refuse: then every call says so, the arrays of the CPU go on, and the chunk is done.
local function reset_or_end()
  local fine, message = pcall(ma.cuda.reset)
  if fine then return end
  assert(message:find("broken_kernel", 1, true) and select(2, message:gsub("the process must be restarted", "")) == 1, message)
  assert(message:find("the reset was refused", 1, true) and not message:find("needs ma.cuda.reset", 1, true), message)
  for _, call in ipairs { function() return ma.zeros(10) end, function() return a:sum():item() end, ma.cuda.reset } do
    local ok, later = pcall(call)
    assert(not ok and later:find("the process must be restarted", 1, true), later)
  end
  assert(ma.numpy.arange(10):sum():item() == 45)
  a = nil
  collectgarbage()
  print("fine")
  os.exit(0, true)
end
]]

--- Runs a chunk after `start` in a process of its own; it must say "fine".
local function runs(chunk, environment)
  local script, out = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write("local PRETENDED = ", tostring(pretended ~= nil and pretended ~= false), "\n", start, chunk,
    "\nprint('fine')\n")
  file:close()
  os.execute(("%s timeout 300 '%s' '%s' >'%s' 2>&1"):format(environment or "", LUA, script, out))
  os.remove(script)
  local text = take(out)
  assert(text:find("^fine") or text:find("\nfine\n"), text)        -- a sanitizer may warn before
end

local function faults(name, chunk)
  it(name, function()
    if not gpu then pending("no GPU") return end
    runs(chunk, pretended and "PRETEND_FAULT=1" or nil)
  end)
end

describe("a kernel that faults", function()
  faults("is named by the error, and every later call says the same", [[
    local ok, message = break_device(1)
    assert(not ok and message:find("broken_kernel", 1, true), message)
    assert(message:find("CUDA_ERROR_ILLEGAL_ADDRESS", 1, true) and message:find("ma.cuda.reset()", 1, true), message)
    for _, call in ipairs { function() return (a + 1):get() end, function() return a:sum():item() end, function() return ma.zeros(10000000):get() end,
                            function() ma.device():synchronize() end, function() return a:get() end, function() return ma.Stream() end } do
      local fine, later = pcall(call)
      assert(not fine and tostring(later):find("broken_kernel", 1, true), tostring(later))
    end
    a = nil
    collectgarbage()
    collectgarbage()]])

  faults("leaves a device that a reset makes usable", [[
    local stream = ma.Stream({ non_blocking = true })
    local event = ma.Event()
    event:record()
    local cpu = ma.numpy.arange(10)
    local x = ma.arange(1000)
    assert(not break_device(1))
    reset_or_end()
    local fine, message = pcall(function() return a + 1 end)
    assert(not fine and message:find("reset", 1, true), message)
    fine, message = pcall(function() return x:sum():item() end)
    assert(not fine and message:find("reset", 1, true), message)
    local b = ma.ones(100, { dtype = "float32" })
    assert(b:sum():item() == 100)
    assert((b * 3 + 1):sum():item() == 400)
    stream:with(function() assert((b + 1):sum():item() == 200) end)
    fine, message = pcall(function() return ma.get_elapsed_time(event, event) end)
    assert(not fine and message:find("reset", 1, true), message)
    assert(cpu:sum():item() == 45)
    assert(ma.arange(3000000):get():sum():item() == 3000000 * 2999999 / 2)
    bad({ 1 }, { 1 }, { b, 0, 0 })
    ma.device():synchronize()
    a, x = nil, nil
    collectgarbage()
    collectgarbage()
    assert((b + 1):sum():item() == 200)
    for _ = 1, 50 do b = b * 1 end
    assert(b:sum():item() == 100)]])

  it("says that the process must be restarted where the driver refuses a reset", function()
    if not pretended then pending("the pretended GPU alone can be told to") return end
    runs([[
      assert(not break_device(1))
      reset_or_end()
      error("it was revived")]], "PRETEND_FAULT=1 PRETEND_REVIVE=0")
  end)

  faults("leaves a process that ends quietly", [[
    keep = { a, ma.Stream(), ma.Event(), ma.zeros(10) }
    break_device(1)]])

  it("by a trap or a misaligned address is named too", function()
    if not gpu or pretended then pending("no GPU") return end
    for kind, name in pairs { [2] = "CUDA_ERROR", [3] = "CUDA_ERROR_MISALIGNED_ADDRESS" } do
      runs(([[
        local ok, message = break_device(%d)
        assert(not ok and message:find("broken_kernel", 1, true) and message:find("%s", 1, true), message)
        reset_or_end()
        assert(ma.ones(10):sum():item() == 10)]]):format(kind, name))
    end
  end)

  it("may be reset without a fault", function()
    if not gpu then pending("no GPU") return end
    runs([[
      ma.cuda.reset()
      assert(not pcall(function() return a + 1 end))
      assert(ma.ones(10):sum():item() == 10)]])
  end)

  it("takes all with it that was over the device's memory", function()
    if not gpu then pending("no GPU") return end
    runs([[
      local function refused(text, fn, ...)
        local ok, message = pcall(fn, ...)
        assert(not ok and tostring(message):find(text, 1, true), tostring(message))
      end
      local pools = { ma.cuda.get_default_memory_pool(), ma.cuda.MemoryPool(), ma.cuda.MemoryPool(ma.cuda.malloc_managed), ma.cuda.MemoryAsyncPool() }
      local arrays = { a, ma.zeros(3000000), ma.cuda.from_pointer(a:ptr(), { 10 }, "float32", a), ma.from_dlpack(a:dlpack()) }
      for _, pool in ipairs(pools) do arrays[#arrays + 1] = ma.cuda.using_allocator(pool, function() return ma.ones(10) end) end
      local source = "extern \"C\" { __device__ float g[4]; __global__ void set(float *p) { p[0] = 3; g[0] = 4; } }"
      local module = ma.RawModule(source)
      local set = module:get_function("set")
      arrays[#arrays + 1] = module:get_global("g", "float32", 4)
      local capsules = { a:dlpack(), a:dlpack({ version = 0 }) }
      local graph, nothing = ma.cuda.graph(function() return a + 1 end), ma.cuda.graph(function() end)
      local stream, recording = ma.Stream({ non_blocking = true }), ma.Stream({ non_blocking = true })
      local called = 0
      stream:launch_host_func(function() called = called + 1 end)
      recording:use()
      recording:begin_capture()
      ma.Stream.null:use()
      local images = {}
      if PRETENDED then images = { ma.cuda.gl.register_buffer(1), ma.cuda.gl.register_image(2) } end
      local mapped = PRETENDED and images[1]:map(4, "float32")
      local ticket, copy = ma.export(a), a:get_async()
      ma.cuda.reset()
      for _, pool in ipairs(pools) do assert(pool:used_bytes() == 0 and pool:total_bytes() == 0, tostring(pool)) end
      for _, x in ipairs(arrays) do
        refused("before its reset", function() return x + 1 end)
        refused("before its reset", x.dlpack, x)
      end
      for _, c in ipairs(capsules) do refused("before its reset", ma.from_dlpack, c) end
      refused("before its reset", graph.launch, graph)
      refused("before the reset", nothing.launch, nothing)
      assert(not recording:is_capturing())
      refused("its device was reset", recording.end_capture, recording)
      refused("before the reset", copy.get, copy)
      stream:synchronize()
      assert(called == 0)
      for _, image in ipairs(images) do refused("before the reset of cuda:0; register it again", image.map, image) end
      if PRETENDED then
        refused("before its reset", function() return mapped + 1 end)
        images[1]:unregister()
        images[2] = nil
      end
      local b = ma.zeros(10, "float32")
      set({ 1 }, { 1 }, { b })
      assert(b(1) == 3 and module:get_global("g", "float32", 4)(1) == 4)
      for _, pool in ipairs(pools) do
        assert(ma.cuda.using_allocator(pool, function() return ma.ones(10) end):sum():item() == 10)
      end
      -- Nobody looks at each use any more once what was lost is let go of.
      assert(core.looks_at_uses() > 0)
      local lost = ma.import(ticket)
      refused("before its reset", function() return lost + 1 end)
      a, arrays, capsules, graph, nothing, copy, images, mapped, lost = nil
      for _ = 1, 3 do collectgarbage() end
      assert(core.looks_at_uses() == 0)
      ma.cuda.reset()
      assert(core.looks_at_uses() > 0)
      refused("before its reset", function() return b + 1 end)
      b = nil
      for _ = 1, 3 do collectgarbage() end
      assert(core.looks_at_uses() == 0, core.looks_at_uses())
      assert(ma.ones(10):sum():item() == 10)]])
  end)
end)
