-- Devices as objects, the calls under ma.cuda.runtime, and copies that nobody waits for.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core
local gpu = ma.device().type == "cuda"

describe("a device", function()
  it("says what it is", function()
    local device = ma.device()
    assert(device == ma.device(device.name) and device.name == helper.device)
    assert(type(device:description()) == "string" and #device:description() > 0)
    local left, total = device:mem_info()
    assert(left > 0 and total >= left)
    assert(device.attributes.MaxThreadsPerBlock == 1024 and device.attributes.WarpSize == 32)
    assert(device.attributes.MultiProcessorCount >= 1)
    device:synchronize()
  end)

  it("has a compute capability and a place on the bus if it is a GPU", function()
    local device = ma.device()
    if not gpu then
      assert(device.compute_capability == nil and device.pci_bus_id == nil)
      return
    end
    local attributes = device.attributes
    assert(device.compute_capability == ("%d%d"):format(attributes.ComputeCapabilityMajor,
      attributes.ComputeCapabilityMinor))
    assert(device.pci_bus_id:find("^%x+:%x+:%x+%.%x$"), device.pci_bus_id)
    assert(ma.cuda.Device() == device and ma.cuda.Device(device.id) == device)
    assert(ma.cuda.get_device_id() == device.id)
  end)

  it("names the nearest attribute", function()
    local message = helper.fails(function() return ma.device().atributes end)
    assert(message:find("attributes", 1, true), message)
  end)

  it("that is no GPU is an error", function()
    local message = helper.fails(ma.cuda.Device, 63)
    assert(message:find("cuda:63", 1, true), message)
  end)

  it("can be reset where there is nothing to reset", function()
    local a = ma.numpy.arange(3)
    ma.cuda.reset("cpu")
    assert(a:sum():item() == 3)
  end)
end)

describe("ma.cuda.runtime", function()
  it("counts", function() assert(ma.cuda.runtime.getDeviceCount() == ma.cuda.device_count()) end)

  it("lists what is near to a name that it has not", function()
    local message = helper.fails(function() return ma.cuda.runtime.getDeviceCont end)
    assert(message:find("getDeviceCount", 1, true), message)
  end)

  it("says the memory and waits on any device", function()
    local left, total = ma.cuda.runtime.memGetInfo()
    assert(left <= total)
    ma.cuda.runtime.deviceSynchronize()
  end)

  it("describes a GPU", function()
    if not gpu then pending("no GPU") return end
    local p = ma.cuda.runtime.getDeviceProperties(0)
    assert(p.warpSize == 32 and p.totalGlobalMem > 0 and p.maxThreadsPerBlock == 1024 and #p.maxThreadsDim == 3)
    assert(ma.cuda.runtime.deviceGetAttribute("cudaDevAttrWarpSize", 0) == 32)
    assert.matches("no attribute 'WarpSise'; did you mean 'WarpSize'?",
      helper.fails(ma.cuda.runtime.deviceGetAttribute, "WarpSise", 0), 1, true)
    assert(ma.cuda.Device.from_pci_bus_id(ma.cuda.Device(0).pci_bus_id).id == 0)
    assert(ma.cuda.runtime.driverGetVersion() >= 11080)
    assert(ma.cuda.runtime.runtimeGetVersion() >= (helper.compiles and 11080 or 0))        -- NVRTC's
    assert(ma.cuda.runtime.deviceCanAccessPeer(0, 0) == false)
    local before = ma.cuda.runtime.getDevice()
    ma.cuda.runtime.setDevice(0)
    assert(ma.cuda.runtime.getDevice() == 0)
    ma.cuda.runtime.setDevice(before)
  end)
end)

describe("objects of the library", function()
  it("have attributes that can be read alone", function()
    local graph = ma.cuda.graph(function() return ma.ones(3) * 2 end)
    for kind, object in pairs { device = ma.device(), stream = ma.Stream.null, event = ma.Event(), graph = graph,
      pool = ma.cuda.get_default_memory_pool(), capsule = ma.ones(3):dlpack(), copy = ma.ones(3):get_async() } do
      assert.matches("spec.lua:%d+: moonarray: an assignment to 'foo' of a moonarray " .. kind,
        helper.fails(function() object.foo = 1 end))
    end
    graph:free()
  end)
end)

describe("a function that is to be called", function()
  it("is asked for where there is none", function()
    local d, s = ma.device(), ma.Stream.null
    assert.matches("with: fn is nil; wanted a function", helper.fails(d.with, d))
    assert.matches("with: fn is the number 3; wanted a function", helper.fails(s.with, s, 3))
    assert.matches("a function in place of the device; write device:method", helper.fails(d.with, function() end))
    assert.matches("fn is the string 'x'; wanted a function", helper.fails(ma.cuda.using_allocator, nil, "x"))
    assert.matches("callback is a userdata; wanted a function",
      helper.fails(ma.cuda.runtime.streamAddCallback, s, io.stdout))
    assert.matches("moonarray.cuda.runtime.graphLaunch: graph is the number 3; wanted a graph",
      helper.fails(ma.cuda.runtime.graphLaunch, 3))
    assert.matches("fn is nil; wanted a function",
      helper.fails(function() ma.cuda.memory_hooks.LineProfileHook():with() end))
  end)

  it("may be anything that Lua can call", function()
    local f = ma.fuse(function(v) return v + 1 end)
    local x = ma.ones(3)
    assert(ma.device():with(f, x)(1) == 2)
    assert(ma.Stream.null:with(f, x)(1) == 2)
    assert(ma.cuda.using_allocator(nil, f, x)(1) == 2)
    local graph = ma.cuda.graph(f, x)
    assert(graph()(1) == 2)
    graph:free()
  end)
end)

describe("a copy between the devices", function()
  it("loses no byte of any size", function()
    for _, near in ipairs { 2 ^ 20, 2 ^ 22, 5 * 2 ^ 20, 2 ^ 24, 35 * 2 ^ 20 } do
      for _, beside in ipairs(near > 2 ^ 24 and { 3 } or { -1, 0, 1, 3, 15, 4095 }) do
        local n = near + beside
        local host = ma.numpy.remainder(ma.numpy.arange(n), 251):astype("uint8")
        local there = host:to(helper.device)
        assert(ma.array_equal(there, ma.remainder(ma.arange(n), 251):astype("uint8")), "to the device: " .. n)
        assert(ma.numpy.array_equal(there:get(), host), "to the host: " .. n)
        local room = ma.numpy.zeros(n + 2, "uint8")
        local inside = room[{ { 2, n + 1 } }]
        ma.copyto(inside, there)
        assert(ma.numpy.array_equal(inside, host) and room(1) == 0 and room(n + 2) == 0, "into a part: " .. n)
      end
      collectgarbage()
    end
  end)
end)

describe("get_async", function()
  it("gives what get gives", function()
    local random = helper.random(1)
    for _, dtype in ipairs { "bool", "int16", "float32", "float64", "complex128" } do
      for _, n in ipairs { 0, 1, 7, 1000, 200000 } do
        local list = {}
        for k = 1, math.min(n, 64) do list[k] = random(0, 1) end
        local a = (n == 0 and ma.zeros(0) or ma.resize and ma.tile(ma.array(list), math.ceil(n / #list))):astype(dtype)
        local handle = a:get_async()
        local got = handle:get()
        assert(got.device == "cpu" and handle.done)
        helper.identical(got, a:get(), dtype .. " " .. n)
        assert(handle:get() == got)
      end
    end
  end)

  it("takes views", function()
    local a = ma.arange(24):reshape(4, 6)
    helper.identical(a:transpose():get_async():get(), a:transpose():get(), "transposed")
    helper.identical(a["2:3, ::-2"]:get_async():get(), a["2:3, ::-2"]:get(), "strided")
  end)

  it("shows the values of its place in the stream", function()
    local a = ma.zeros(100000)
    local handles = {}
    for k = 1, 5 do
      handles[k] = a:get_async()
      a:iadd(1)
    end
    for k = 5, 1, -1 do assert(handles[k]:get()(100000) == k - 1) end
  end)

  it("writes into an array of the user's", function()
    local a = ma.arange(50, { dtype = "float32" })
    local out = ma.numpy.zeros(50, { dtype = "float32" })
    local handle = a:get_async({ out = out })
    assert(handle:get() == out and out(50) == 49)
    local first = a:get_async():get()          -- pinned, on a GPU
    a:iadd(1)
    assert(a:get_async({ out = first }):get() == first and first(50) == 50)
    local message = helper.fails(function() a:get_async({ out = ma.numpy.zeros(49, { dtype = "float32" }) }) end)
    assert(message:find("shape", 1, true), message)
  end)

  it("takes a stream", function()
    local stream = ma.Stream({ non_blocking = true })
    local a = ma.full(1000, 3)
    assert(a:get_async({ stream = stream }):get():sum():item() == 3000)
  end)

  it("waits by itself where the array is read without get", function()
    local a = ma.full(100000, 2)
    local out = a:get_async():get()
    a:iadd(5)
    a:get_async({ out = out })                 -- the handle is dropped
    assert(out:sum():item() == (gpu and 700000 or 700000))
  end)

  it("leaves its array to the handle when a scope ends", function()
    local x, handle, filled = ma.arange(100), nil, ma.numpy.empty(100, "int64")
    ma.scope(function() handle = (x + 1):get_async() end)
    assert(handle:get():sum():item() == 5050)
    ma.scope(function() x:get_async({ out = filled }) end)
    ma.scope(function() return handle:get() end)
    assert(handle:get():sum():item() == 5050)
    handle = ma.scope(function() return ma.ones(10):get_async({ out = ma.numpy.zeros(10) }) end)
    assert(handle:get():sum():item() == 10)
  end)

  it("leaves no event behind", function()
    do
      local a = ma.ones(1000)
      for _ = 1, 20 do a:get_async() end
    end
    collectgarbage()
    collectgarbage()
    assert(core.live_copies() == 0)
  end)

  it("goes the other way by set_async", function()
    local a = ma.zeros({ 3, 4 })
    local host = (a + 7):get_async():get()
    assert(a:set_async(host) == a and a:sum():item() == 84)
    host:fill(1)                               -- waits for the copy, if need be
    assert(a:sum():item() == 84)
    assert(a:set_async(ma.numpy.ones({ 3, 4 }, { dtype = "float32" })):sum():item() == 12)
  end)
end)

describe("operands on two devices", function()
  local here, there
  setup(function()
    if not gpu then return end
    here, there = ma.ones({ 3, 3 }), ma.ones({ 3, 3 }, { device = "cpu" })
  end)
  teardown(function() here, there = nil, nil end)

  local calls = {
    ["an operator"] = function() return here + there end,
    ["a ufunc's out"] = function() return ma.add(here, here, { out = there }) end,
    ["a product"] = function() return here:matmul(there) end,
    ["a product's out"] = function() return here:matmul(here, there) end,
    ["a reduction's out"] = function() return here:sum(1, { out = ma.zeros(3, { device = "cpu" }) }) end,
    ["an index"] = function() return here[ma.array({ 1 }, { dtype = "int64", device = "cpu" })] end,
    ["values to put"] = function() return here:put({ 1 }, there["1, :"]) end,
    ["choices"] = function() return ma.choose(ma.ones(3, "int64"), { here["1, :"], there["1, :"] }) end,
    ["concatenate"] = function() return ma.concatenate { here, there } end,
    ["searchsorted"] = function() return ma.searchsorted(here["1, :"], there["1, :"]) end,
    ["solve"] = function() return ma.linalg.solve(here, there) end,
    ["an elementwise kernel"] = function()
      return ma.ElementwiseKernel("T x, T y", "T z", "z = x + y", "two_devices")(here, there)
    end,
    ["a reduction kernel"] = function()
      return ma.ReductionKernel("T x, T y", "T z", "x + y", "a + b", "z = a", "0", "two_devices_sum")(here, there)
    end,
  }
  for name, call in pairs(calls) do
    it("are one error, which says how to copy one: " .. name, function()
      if not gpu then pending("no GPU") return end
      local message = helper.fails(call)
      assert.matches("arrays on %S+ and %S+; operands and out must be on one device: x:to%(\"%S+\"%) copies one",
        message)
      assert.matches("cpu", message, 1, true)
      assert.matches(helper.device, message, 1, true)
    end)
  end
end)
