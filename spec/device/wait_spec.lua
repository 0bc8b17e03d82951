-- ma.allow_synchronize(false): what waits for the device is an error, on both devices, and what does not wait is none.

local helper = require "spec.helper"
local ma = helper.ma

local REFUSED = "a wait for the device, where allow_synchronize(false) holds"

local function temporary()
  local path = os.tmpname()
  return path, function() os.remove(path) end
end

describe("allow_synchronize(false)", function()
  --- Each gets an array (2, 3) of float64, and waits.
  local waits = {
    { "item", function(x) return x["1:1, 1"]:item() end },
    { "x(1, 2)", function(x) return x(1, 2) end },
    { "totable", function(x) return x:totable() end },
    { "totable of one element", function(x) return x:sum():totable() end },
    { "print", function(x) return tostring(x) end },
    { "get", function(x) return x:get() end },
    { "asnumpy", function(x) return ma.asnumpy(x) end },
    { "any", function(x) return ma.any(x) end },
    { "all of a comparison", function(x) return x:gt(0):all() end },
    { "allclose", function(x) return ma.allclose(x, x) end },
    { "array_equal", function(x) return ma.array_equal(x, x + 0) end },
    { "a mask", function(x) return x[x:gt(2)] end },
    { "nonzero", function(x) return ma.nonzero(x) end },
    { "argwhere", function(x) return ma.argwhere(x) end },
    { "unique", function(x) return ma.unique(x) end },
    { "tobytes", function(x) return x:tobytes() end },
    { "dumps", function(x) return x:dumps() end },
    { "save", function(x)
      local path, remove = temporary()
      local ok, message = pcall(ma.save, path, x)
      remove()
      if not ok then error(message, 0) end
    end },
    { "tofile", function(x)
      local path, remove = temporary()
      local ok, message = pcall(ma.tofile, x, path)
      remove()
      if not ok then error(message, 0) end
    end },
    { "each", function(x) return x:each() end },
    { "ma.item of several", function(x) return ma.item(x:sum(), x:max()) end },
    { "synchronize", function() ma.synchronize() end },
    { "stream:synchronize", function() ma.Stream.null:synchronize() end },
    { "device:synchronize", function() ma.device():synchronize() end },
    { "deviceSynchronize", function() ma.cuda.runtime.deviceSynchronize() end },
    { "event:synchronize", function(_, event) event:synchronize() end },
    { "get_elapsed_time", function(_, event) return ma.get_elapsed_time(event, event) end },
    { "a condition of Lua", function(x) if x:sum():item() > 0 then return 1 end end },
  }
  if pcall(ma.linalg.cholesky, ma.eye(2)) then                      -- where the library is there
    table.insert(waits, { "a factorisation's check",
      function(x) return ma.linalg.cholesky(x:matmul(x.T) + ma.eye(2)) end })
  end
  for _, case in ipairs(waits) do
    it("refuses " .. case[1], function()
      local x, event = ma.arange(6):reshape(2, 3) + 1.5, ma.Event():record()
      case[2](x, event)                                          -- where it may wait it works
      local message = helper.fails(ma.allow_synchronize, false, case[2], x, event)
      assert(message:find(REFUSED, 1, true), message)
      case[2](x, event)
    end)
  end

  if helper.device == "cpu" then
    it("refuses data, which only the CPU's arrays have", function()
      local x = ma.arange(6)
      local message = helper.fails(ma.allow_synchronize, false, x.data, x)
      assert(message:find("data: " .. REFUSED, 1, true), message)
    end)
  end

  it("lets what does not wait be", function()
    local x = ma.arange(6, "float32"):reshape(2, 3)
    local y, handle = ma.allow_synchronize(false, function()
      local made = ma.sqrt(x + 1):matmul(x.T):sum(1)
      made["1:1"] = 3
      made:iadd(1, { where = made:lt(0) })
      local positions = ma.argsort(x, 2)
      local picked = x:take_along_axis(positions, 2)
      local scalar = ma.random.default_rng(1):random(3):max()
      local event = ma.Event():record()
      return made, { picked:get_async(), scalar, event.done, ma.Stream.null.done }
    end)
    assert.equal(4, y(1) + 1)
    assert.same({ 0, 1, 2, 3, 4, 5 }, handle[1]:get():reshape(-1):totable())
  end)

  it("lets a copy for the host be read once it is done", function()
    local x = ma.arange(3) * 2
    local handle = x:get_async()
    while not handle.done do ma.synchronize() end
    local values = ma.allow_synchronize(false, function()
      local host = handle:get()
      return { host(3), host:totable() }
    end)
    assert.same({ 4, { 0, 2, 4 } }, values)
    local before = x:get()
    assert.equal(2, ma.allow_synchronize(false, function() return before(2) end))
    local pinned = ma.cuda.zeros_pinned(2)
    ma.synchronize()
    assert.same({ 0, 0 }, ma.allow_synchronize(false, pinned.totable, pinned))
  end)

  it("ends with the function, on an error too, and is nested", function()
    local x = ma.ones(2)
    assert.is_false(pcall(ma.allow_synchronize, false, error, "stop"))
    assert.equal(2, x:sum():item())
    local inner = ma.allow_synchronize(false, function()
      local value = ma.allow_synchronize(true, function() return x:sum():item() end)
      assert.is_false(pcall(x.totable, x))
      return value
    end)
    assert.equal(2, inner)
    assert.equal(2, x:sum():item())
  end)

  it("holds until it is taken back, without a function", function()
    local x = ma.ones(2)
    assert.is_true(ma.allow_synchronize(false))
    local ok, message = pcall(x.totable, x)
    assert.is_false(ma.allow_synchronize(true))
    assert.is_false(ok)
    assert.matches("moonarray.totable: " .. REFUSED:gsub("%p", "%%%0"), message)
    assert.same({ 1, 1 }, x:totable())
  end)

  it("holds while a coroutine is away", function()
    local x = ma.ones(2)
    local step = coroutine.wrap(function() return ma.allow_synchronize(false, coroutine.yield, 1) end)
    assert.equal(1, step())
    assert.is_false(pcall(x.totable, x))
    assert.equal(5, step(5))
    assert.same({ 1, 1 }, x:totable())
  end)

  it("does not keep the library from waiting before it gives memory of others back", function()
    local pretended = (os.getenv("LD_LIBRARY_PATH") or ""):find("pretend", 1, true) and helper.device ~= "cpu"
    if not pretended then return pending("it takes work of the pretended GPU that is done late") end
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write([[
      local ma = require "moonarray"
      local a = ma.zeros(16, "float32")
      local b = ma.cuda.from_pointer(a:ptr(), 16, "float32", a)
      b:fill(1)
      local event = ma.Event():record()
      assert(not event.done, "the work is done at once")
      ma.allow_synchronize(false)
      b:free()
      assert(event.done, "nobody waited")
      print "waited"]])
    file:close()
    local pipe = assert(io.popen(("PRETEND_DELAY=1000000 '%s' '%s' 2>&1"):format(os.getenv("LUAJIT") or "luajit",
      script)))
    assert.equal("waited\n", pipe:read("*a"))
    pipe:close()
    os.remove(script)
  end)

  it("says what a wrong argument was", function()
    assert.matches("allow is nil; wanted true or false", helper.fails(ma.allow_synchronize))
    assert.matches("fn is the number 3", helper.fails(ma.allow_synchronize, false, 3))
  end)
end)
