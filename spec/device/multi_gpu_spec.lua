-- Several GPUs: copies between them, arrays of two in one expression, streams of both, each with memory and kernels of
-- its own. Pending where there are fewer than two. PRETEND_DEVICES=2 shows two to it without any:
--   PRETEND_DEVICES=2 make test-pretend SPEC=spec/device/multi_gpu_spec.lua

local helper = require "spec.helper"
local ma = helper.ma

local count = ma.cuda.device_count()
local here = count > 0 and ma.device().type == "cuda"

local function two(name, test)
  it(name, function()
    if not here or count < 2 then pending(("%d GPUs; two are needed"):format(here and count or 0)) return end
    test()
  end)
end

local function peers()
  return ma.cuda.runtime.deviceCanAccessPeer(0, 1) and ma.cuda.runtime.deviceCanAccessPeer(1, 0)
end

--- Random whole numbers on a GPU: sums of them are exact in any order.
local function fill(n, device, salt)
  local random, list = helper.random(salt), {}
  for k = 1, n do list[k] = random(-1000, 1000) end
  return ma.array(list, { dtype = "float64", device = device }), list
end

local function check(array, want, label)
  local got = array:totable()
  for k = 1, #want do
    if got[k] ~= want[k] then
      error(("%s: element %d is %s; wanted %s"):format(label, k, tostring(got[k]), tostring(want[k])), 2)
    end
  end
end

describe("two GPUs", function()
  two("are listed", function()
    assert(ma.cuda.Device(0) ~= ma.cuda.Device(1))
    assert(ma.cuda.Device(1).name == "cuda:1" and ma.cuda.Device(1).id == 1)
    assert(ma.cuda.Device(0).pci_bus_id ~= ma.cuda.Device(1).pci_bus_id)
    assert(ma.cuda.runtime.deviceGetByPCIBusId(ma.cuda.Device(1).pci_bus_id) == 1)
  end)

  two("are made current and restored", function()
    local before = ma.device()
    ma.cuda.Device(1):with(function()
      assert(ma.zeros(3).device == "cuda:1")
      assert(ma.cuda.get_device_id() == 1)
      assert(ma.cuda.get_current_stream().device == "cuda:1")
    end)
    assert(ma.device() == before)
    pcall(function() ma.cuda.Device(1):with(function() error("out") end) end)
    assert(ma.device() == before)
  end)

  two("copy to each other", function()
    for _, n in ipairs { 0, 1, 5, 1000, 300000 } do
      local a, list = fill(n, "cuda:0", n)
      local b = a:to("cuda:1")
      assert(b.device == "cuda:1")
      check(b, list, "to")
      local c = b:to("cuda:0")
      a:free()
      b:free()
      check(c, list, "back")
    end
  end)

  two("copy views and casts", function()
    local a = ma.arange(24, { device = "cuda:0" }):reshape(4, 6)
    local b = a:transpose():to("cuda:1")
    assert(b(2, 3) == a(3, 2))
    local c = ma.zeros({ 4, 6 }, { dtype = "float32", device = "cuda:1" })
    c["2:3, ::2"] = a["1:2, 1:5:2"]
    assert(c(2, 1) == a(1, 1) and c(3, 5) == a(2, 5) and c(1, 1) == 0)
    c:assign(a)
    assert(c(4, 6) == 23)
    ma.copyto(c, a * 2)
    assert(c(4, 6) == 46)
  end)

  two("meet in an expression", function()
    local a, x = fill(5000, "cuda:0", 1)
    local b, y = fill(5000, "cuda:1", 2)
    if not peers() then
      local message = helper.fails(function() return a + b end)
      assert(message:find('x:to("cuda:0")', 1, true), message)
      return
    end
    local sum, list = a + b, {}
    assert(sum.device == "cuda:0")
    for k = 1, #x do list[k] = x[k] + y[k] end
    check(sum, list, "a + b")
    assert((b + a).device == "cuda:1")
    check(b + a, list, "b + a")
    local out = ma.zeros(5000, { device = "cuda:1" })
    check(ma.add(a, b, { out = out }), list, "out on the other")
    a:iadd(b)
    check(a, list, "in place")
    assert((a * b):sum():item() == (a:get() * b:get()):sum():item())
    assert(ma.concatenate({ a, b }).size == 10000)
  end)

  two("meet in a kernel of the user's own", function()
    if not peers() then return end
    local a, x = fill(1000, "cuda:0", 3)
    local b, y = fill(1000, "cuda:1", 4)
    local list = {}
    for k = 1, #x do list[k] = x[k] - 2 * y[k] end
    local minus = ma.ElementwiseKernel("T x, T y", "T z", "z = x - 2 * y", "minus_twice")
    check(minus(a, b), list, "ElementwiseKernel")
    local raw = ma.RawKernel([[extern "C" __global__ void minus(const double *x, const double *y, double *z, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) z[i] = x[i] - 2 * y[i];
    }]], "minus")
    local z = ma.zeros(1000, { device = "cuda:0" })
    raw({ 8 }, { 128 }, { a, b, z, 1000 })
    check(z, list, "RawKernel")
  end)

  two("keep the order of uses over streams of both", function()
    if not peers() then return end
    local random = helper.random(5)
    local devices = { "cuda:0", "cuda:1" }
    local arrays, shadow = {}, {}
    for k = 1, 6 do
      arrays[k] = fill(20000, devices[k % 2 + 1], 10 + k)
      shadow[k] = arrays[k]:get()
    end
    local streams = {}
    for k = 1, 4 do
      streams[k] = ma.cuda.Device((k - 1) % 2):with(function() return ma.cuda.Stream({ non_blocking = true }) end)
    end
    for _ = 1, 200 do
      local i, j, k = random(1, 6), random(1, 6), random(1, 6)
      local scale = random(-2, 2)
      streams[random(1, 4)]:with(function()
        arrays[k]:assign(arrays[i] * scale - arrays[j])
        arrays[k]:assign(ma.remainder(arrays[k], 1009))
      end)
      shadow[k]:assign(shadow[i] * scale - shadow[j])
      shadow[k]:assign(ma.remainder(shadow[k], 1009))
    end
    for k = 1, 6 do assert(ma.array_equal(arrays[k]:get(), shadow[k]), "array " .. k) end
  end)

  two("have pools of their own", function()
    local one = ma.cuda.Device(1)
    local before = helper.core.pool and one:with(function() return (helper.core.pool()) end)
    local a = ma.zeros(1000000, { device = "cuda:0" })
    local after = one:with(function() return (helper.core.pool()) end)
    assert(before == after)
    a:free()
  end)

  two("wait each for itself", function()
    local a = ma.zeros(100, { device = "cuda:1" })
    a:iadd(1)
    ma.cuda.Device(1):synchronize()
    ma.cuda.Device(0):synchronize()
    assert(a:sum():item() == 100)
    local h = a:get_async()
    assert(h:get():sum():item() == 100)
  end)
end)
