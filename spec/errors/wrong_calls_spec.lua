-- Wrong calls give errors that say what was found and what was wanted. spec/errors/fuzz_spec.lua makes random ones.

local ffi = require "ffi"
local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails

local inf, nan = math.huge, 0 / 0

describe("wrong calls:", function()
  -- A position that the device finds out of range is told by the next call that waits: here, and not in another test.
  after_each(function() while not pcall(ma.synchronize) do end end)

  it("shapes that do not fit", function()
    fails(function() return ma.zeros({ 2, 3 }) + ma.zeros({ 2, 4 }) end)
    fails(ma.reshape, ma.zeros({ 2, 3 }), { 4, 2 })
    fails(ma.reshape, ma.zeros({ 2, 3 }), { -1, -1 })
    fails(ma.reshape, ma.zeros({ 2, 3 }), { -1, 0 })
    fails(ma.broadcast_to, ma.zeros({ 3 }), { 2 })
    fails(ma.concatenate, { ma.zeros({ 2, 3 }), ma.zeros({ 2, 4 }) })
    fails(ma.stack, { ma.zeros({ 2 }), ma.zeros({ 3 }) })
    fails(ma.squeeze, ma.zeros({ 2, 3 }), 1)
    fails(function() ma.zeros({ 3 })[{}] = ma.zeros({ 4 }) end)
    fails(ma.copyto, ma.zeros({ 3 }), ma.zeros({ 2 }))
  end)

  it("sizes that are negative, fractional, NaN or too large", function()
    for _, shape in ipairs({ { -1 }, { 2, -3 }, { 1.5 }, { nan }, { inf }, { 2 ^ 62, 2 ^ 62 }, { 2 ^ 63 },
      { 2 ^ 53, 2 ^ 53 }, { "2", "x" },
      { true }, { {} }, { 2 ^ 61 } }) do
      fails(ma.zeros, shape)
      fails(ma.empty, shape)
      fails(ma.full, shape, 1)
      fails(ma.broadcast_to, ma.zeros({ 1 }), shape)
    end
    fails(ma.zeros, -1)
    fails(ma.zeros, nan)
    fails(ma.zeros)
    fails(ma.arange, 0, 1, 0)
    fails(ma.arange, 0, inf)
    fails(ma.arange, 0, nan)
    fails(ma.arange, 0, 1e300, 1e-300)
    fails(ma.linspace, 0, 1, -1)
    fails(ma.eye, -2)
    fails(ma.zeros, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 })
    assert(ma.zeros({ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }).ndim == 16)
    assert(ma.zeros({ 0, 2 ^ 40 }).size == 0)
  end)

  it("are told in the name of the function that was called, whatever it is made of", function()
    local gone = ma.ones(3)
    gone:free()
    local wrong = { io.stdout, function() end, "bogus", { foo = 1 }, { { 1, 2 }, { 3 } }, gone, 0 / 0, 5LL }
    -- These print, or end otherwise than by an error of an argument.
    local other = { help = true, show_config = true, iterate = true, reset = true, profile = true, save = true,
      savetxt = true, tofile = true,
      savez = true, savez_compressed = true, map = true, set_printoptions = true, printoptions = true,
      vectorize = true }
    for prefix, functions in pairs { [""] = ma, ["linalg."] = ma.linalg, ["fft."] = ma.fft, ["random."] = ma.random,
      ["cuda.runtime."] = ma.cuda.runtime } do
      for name, f in pairs(functions) do
        for _, first in ipairs(type(f) == "function" and not other[name] and wrong or {}) do
          for _, second in ipairs { false, io.stdout, gone } do
            local ok, message = pcall(f, first, second or nil)
            local named = ("moonarray.%s%s: "):format(prefix, name)
            assert(ok or message:find(named, 1, true), not ok and named .. " is wanted in " .. message)
          end
        end
      end
    end
  end)

  it("methods of objects that are called with a dot", function()
    local hook = ma.cuda.LineProfileHook()
    for _, name in ipairs { "install", "flush", "remove", "with", "report", "print_report" } do
      for _, self in ipairs { 5, {}, ffi.new("int[2]") } do
        assert.matches("moonarray.MemoryHook." .. name .. ": .* in place of the %a+; write %a+:" .. name,
          fails(hook[name], self))
      end
    end
    assert.matches("moonarray.MemoryHook.print_report: file is the number 3; wanted a file",
      fails(hook.print_report, hook, 3))
    -- FFI objects all have __call; those alone that point to a function can be called.
    for _, fn in ipairs { ffi.new("bool", true), ffi.new("int[2]"), ffi.cast("int (*)(int)", nil), 5LL } do
      assert.matches("moonarray.cuda.graph: fn is .*; wanted a function", fails(ma.cuda.graph, fn))
    end
  end)

  it("out of memory says so", function()
    local generator = ma.random.default_rng(1)
    assert.same({ 2 }, generator:integers(ma.array({ 1 }, "int64"), ffi.new("int64_t", 5), 2).shape)
    assert.matches("moonarray.random.spawn: n is 2147483648; wanted at most 1048576",
      fails(generator.spawn, generator, 2 ^ 31))
    local message = fails(ma.zeros, { 2 ^ 46 })
    assert(message:find("out of memory", 1, true), message)
  end)

  it("dtypes that are none", function()
    fails(ma.zeros, { 2 }, "float31")
    fails(ma.zeros, { 2 }, "")
    fails(ma.zeros, { 2 }, 5)
    fails(ma.zeros, { 2 }, { dtype = true })
    fails(ma.astype, ma.zeros({ 2 }), "complexes")
    fails(ma.array, { 1 }, "str")
    fails(ma.bitwise_and, ma.zeros({ 2 }), ma.zeros({ 2 }))
    fails(ma.invert, ma.zeros({ 2 }, "complex64"))
    fails(function() return -ma.zeros({ 2 }, "bool") end)
    fails(function() return ma.zeros({ 2 }, "bool") - ma.zeros({ 2 }, "bool") end)
  end)

  it("axes that are none", function()
    local a = ma.zeros({ 2, 3 })
    for _, axis in ipairs({ 0, 3, -3, 1.5, nan, inf, "x", true, 2 ^ 40 }) do
      fails(ma.sum, a, axis)
      fails(ma.flip, a, axis)
      fails(ma.cumsum, a, axis)
      fails(ma.expand_dims, a, axis == 3 and 4 or axis == -3 and -4 or axis)
    end
    fails(ma.transpose, a, { 1, 1 })
    fails(ma.transpose, a, { 1 })
    fails(ma.transpose, a, { 1, 2, 3 })
    fails(ma.swapaxes, a, 1, 5)
    fails(ma.moveaxis, a, { 1, 2 }, { 1 })
    fails(ma.concatenate, { a, a }, 3)
  end)

  it("ragged and foreign data", function()
    local message = fails(ma.array, { { 1, 2 }, { 3 } })
    assert(message:find("2", 1, true) and message:find("1", 1, true), message)
    fails(ma.array, { { 1, 2 }, 3 })
    fails(ma.array, { 1, { 2 } })
    fails(ma.array, { 1, "2" })
    fails(ma.array, { 1, print })
    fails(ma.array, { a = 1 })
    fails(ma.array, print)
    fails(ma.array, io.stdout)
    fails(ma.array, newproxy and newproxy(true) or io.stdout)
    fails(ma.sum, io.stdout)
    fails(ma.add, io.stdout, 1)
    fails(ma.sum)
    fails(ma.sum, nil)
    local cyclic = {}
    cyclic[1] = cyclic
    fails(ma.array, cyclic)
  end)

  it("freed arrays say who freed them", function()
    local a = ma.zeros({ 3 })
    a:free()
    a:free()
    for _, f in ipairs({ function() return a + 1 end, function() return a:sum() end, function() return a[1] end,
      function() a[1] = 2 end,
      function() return a:totable() end, function() return a:reshape(3, 1) end,
      function() return ma.add(1, 2, { out = a }) end,
      function() return a:get() end, function() return a(1) end, function() return ma.concatenate({ a, a }) end,
      function() return ma.ones({ 3 })[a] end, function() return ma.add(1, 2, { where = a }) end }) do
      local message = fails(f)
      assert(message:find("freed", 1, true), message)
    end
    assert(type(tostring(a)) == "string")
    local base = ma.arange(4)
    local view = base["2:3"]
    base:free()
    helper.identical(view, ma.array({ 1, 2 }, "int64"), "a view outlives its base's handle")
  end)

  it("pointers that are NULL, and buffers that are too short", function()
    fails(ma.frombuffer, ffi.cast("float *", nil), { 4 }, "float32")
    fails(ma.frombuffer, nil, { 4 }, "float32")
    fails(ma.frombuffer, "abc", { 4 }, "float32")
    fails(ma.frombuffer, "abcd", { -1 }, "float32")
    fails(ma.frombuffer, "abcd", { 1 }, "float33")
    fails(ma.frombuffer, 12345, { 1 }, "float32")
    fails(ma.frombuffer, "abcd", { 2 ^ 62, 4 }, "float32")
    local a = ma.ones({ 4, 4 })
    if helper.device == "cpu" then fails(function() return a:transpose()["1:2"]:data() end) end
  end)

  it("positions that are NaN, fractional or outside", function()
    local a = ma.arange(6):reshape(2, 3)
    for _, i in ipairs({ 0, 3, -3, 1.5, nan, inf, -inf, 2 ^ 53, "x", true }) do
      fails(function() return a(i, 1) end)
      fails(function() return a[{ i, 1 }] end)
      if i ~= "x" then fails(function() return a[i] end) end
      fails(function() a[{ i, 1 }] = 5 end)
      fails(function() return a[{ { i, i }, 1 }] end)
    end
    fails(function() return a(1) end)
    fails(function() return a(1, 1, 1) end)
    fails(function() return a["1:9"] end)
    fails(function() return a["1,2,3"] end)
    fails(function() return a["1;2"] end)
    fails(function() return a[{ 1, 2, 3 }] end)
    fails(function() return a[{ { 4 } }] end)
    fails(function() return a[nil] end)
    fails(function() return a[false] end)
    fails(function() return a[print] end)
    fails(function() return a[ma.zeros({ 2 })] end)
    fails(function() return a[ma.zeros({ 3, 2 }, "bool")] end)
    fails(function() return a:take({ 7 }, 1):totable() end)
    fails(function() return a[ma.index({ 1, 9 })]:totable() end)
  end)

  it("Lua's booleans and comparisons", function()
    local a = ma.zeros({ 3 })
    local message = fails(function() return a < ma.ones({ 3 }) end)
    assert(message:find("lt", 1, true), message)
    fails(function() return a + true end)
    fails(function() return a + "x" end)
    fails(function() return a + print end)
    fails(function() return a .. a end)
    fails(function() return ma.complex(1, 2) .. a end)
    fails(function() return a + {} .. "" and a + { 1, 2 } end)
    fails(function() return a.shpae end)
    fails(function() a.name = 1 end)
    fails(function() return ma.smu(a) end)
    fails(function() return a.sum() end)
    fails(ma.sum, a, { axes = 1 })
    fails(ma.sum, a, 1, { axis = 1 })
    fails(ma.sum, a, { 1, keepdims = true })
    fails(ma.sum, a, nil, nil, nil, nil, nil, nil, nil, nil, nil, 1)
  end)

  it("devices that are not there", function()
    fails(ma.device, "gpu")
    fails(ma.device, "cuda:99")
    fails(ma.zeros, { 2 }, { device = "tpu" })
    fails(function() return ma.zeros({ 2 }):to("nowhere") end)
    if helper.device ~= "cpu" then
      local message = fails(function() return ma.zeros({ 2 }) + ma.zeros({ 2 }, { device = "cpu" }) end)
      assert(message:find(":to(", 1, true), message)
    end
  end)

  it("errors name the caller's line", function()
    -- a tail call has no frame of its own to name
    local message = fails(function() local a = ma.zeros({ -1 }) return a end)
    assert(message:find("^[^\n]*wrong_calls_spec.lua:%d+: moonarray%.zeros: "), message)
    message = fails(function() local a = ma.zeros({ 2 }):reshape(3) return a end)
    assert(message:find("wrong_calls_spec.lua:%d+: moonarray%.reshape: "), message)
    message = fails(function() return ma.zeros({ 2 }) + ma.zeros({ 3 }) end)
    assert(message:find("wrong_calls_spec.lua:%d+: moonarray%.add: "), message)
  end)
end)
