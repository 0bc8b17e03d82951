-- Memory of others as arrays and arrays as memory of others: ptr, cuda.from_pointer and DLPack, on the device under
-- test.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma

local on_gpu = helper.device ~= "cpu"

ffi.cdef [[
void *malloc(size_t size);
void free(void *memory);
typedef struct { void *data; int32_t device_type, device_id, ndim; uint8_t code, bits; uint16_t lanes;
  int64_t *shape, *strides; uint64_t byte_offset; } spec_tensor;
typedef struct DLManagedTensor { spec_tensor t; void *context; void (*deleter)(struct DLManagedTensor *); } DLManagedTensor;
typedef struct DLManagedTensorVersioned {
  uint32_t major, minor; void *context; void (*deleter)(struct DLManagedTensorVersioned *); uint64_t flags; spec_tensor t;
} DLManagedTensorVersioned;
]]

local function fails(text, ...)
  local message = helper.fails(...)
  assert(message:find(text, 1, true), ("the error is '%s'; wanted '%s'"):format(message, text))
end

local function collect()
  for _ = 1, 3 do collectgarbage() end
end

--- Views of every kind, by name, over a fresh array of the dtype.
local function layouts(dtype)
  local x = (ma.arange(48) % 2):astype(dtype):reshape(4, 3, 4)
  return {
    contiguous = x, transposed = x.T, permuted = x:transpose(2, 3, 1), part = x["2:3, 1, 2:4"],
    reversed = x["4:1:-1, :, ::-1"],
    stepped = x[{ { 1, 4, 2 }, {}, { 4, 1, -3 } }], row = x["3, 2, :"], scalar = x["1, 2, 3:3"]:reshape {},
    newaxis = x[":, _, 1, :"],
    empty = x[{ {}, {} , {} }]:reshape(4, 12)[{ {}, ma.index {} }],
    broadcast = x["1, 1, :"]:broadcast_to { 5, 4 },
  }
end

describe("ptr", function()
  it("is the address of the first element", function()
    local x = ma.arange(12, "int32"):reshape(3, 4)
    assert.equal("number", type(x:ptr()))
    assert.equal(0, x:ptr() % 64)
    assert.equal(x:ptr() + 20, x["2, 2:4"]:ptr())
    assert.equal(x:ptr() + 44, x["::-1, ::-1"]:ptr())
    assert.equal(x:ptr(), x.T:ptr())
    if not on_gpu then assert.equal(x:ptr(), tonumber(ffi.cast("uintptr_t", x:data()))) end
    fails("write a:ptr()", x.ptr)
    x:free()
    fails("freed", x.ptr, x)
    assert.equal("number", type(ma.zeros(3):broadcast_to({ 2, 3 }):ptr()))     -- read-only is no obstacle
  end)
end)

describe("from_pointer", function()
  it("takes an address in every form that Lua has for one", function()
    local x = ma.arange(6, "float32")
    local p = x:ptr()
    local forms = { p, ffi.cast("int64_t", p), ffi.cast("uint64_t", p), ffi.cast("float *", p), ffi.cast("void *", p) }
    for _, form in ipairs(forms) do
      local y = ma.cuda.from_pointer(form, { 2, 3 }, "float32", x)
      assert.equal(helper.device, y.device)
      assert.equal(p, y:ptr())
      assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, y:totable())
    end
    assert.equal("float32", ma.cuda.from_pointer(forms[4], 6, { owner = x }).dtype)    -- a typed pointer knows
    local y = ma.cuda.from_pointer(p, { 3, 2 }, "float32", x, { strides = { 4, 12 } })
    assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, y:totable())
    y:fill(7)
    assert.equal(42, x:sum():item())
    assert.equal(0, ma.cuda.from_pointer(p, { 0, 5 }, "float32").size)
  end)

  it("agrees with views on every layout and dtype", function()
    local failures = helper.failures()
    for _, dtype in ipairs(helper.dtypes) do
      for name, view in pairs(layouts(dtype)) do
        if not helper.thin or dtype == "float32" or dtype == "complex128" then
          failures:run(dtype .. " " .. name, function()
            local y = ma.cuda.from_pointer(view:ptr(), view.shape, dtype, view,
              { strides = view.strides, readonly = view.readonly })
            assert.equal(view.readonly, y.readonly)
            helper.identical(y, view, name)
          end)
        end
      end
    end
    failures:check()
  end)

  it("keeps the owner as long as a view of the array lives, and no longer", function()
    local memory = ma.arange(8, "float64")
    local owner = { "an object" }
    local seen = setmetatable({ owner }, { __mode = "v" })
    local x = ma.cuda.from_pointer(memory:ptr(), 8, "float64", owner)
    local view = x["3:5"]
    owner = nil                                                 -- luacheck: ignore
    x:free()
    collect()
    assert.is_table(seen[1])
    assert.same({ 2, 3, 4 }, view:totable())
    view:free()
    collect()
    assert.is_nil(seen[1])
    assert.equal(28, memory:sum():item())
    local object = newproxy()                                   -- a table of names is options: such an owner is named
    local named = ma.cuda.from_pointer(memory:ptr(), 8, "float64", { owner = object })
    named:free()
  end)

  it("can be read-only", function()
    local memory = ma.ones(4)
    local x = ma.cuda.from_pointer(memory:ptr(), 4, "float64", memory, { readonly = true })
    assert.is_true(x.readonly)
    fails("read-only", x.fill, x, 2)
    fails("read-only", x.iadd, x, 2)
    assert.equal(4, x:sum():item())
    if not on_gpu then
      local constant = ffi.new("const double[2]", { 3, 4 })
      assert.is_true(ma.cuda.from_pointer(ffi.cast("const double *", constant), 2, { owner = constant }).readonly)
    end
  end)

  it("takes a stream on which the memory is filled", function()
    local memory = ma.zeros(100000, "float32")
    local stream = ma.Stream { non_blocking = true }
    local p = memory:ptr()
    for _ = 1, 5 do
      local x = ma.cuda.from_pointer(p, 100000, "float32", memory, { stream = stream })
      stream:with(function() for _ = 1, 10 do x:iadd(1) end end)
      local y = ma.cuda.from_pointer(p, 100000, "float32", memory, { stream = stream })
      assert.equal(10 * 100000, (y * 1):sum():item())
      y:fill(0)
      ma.synchronize()
    end
    local other = on_gpu and ma.numpy.Stream.null or nil
    if other then
      fails("stream is one of cpu; wanted one of cuda:0", ma.cuda.from_pointer, p, 4, "float32", memory,
        { stream = other })
    end
  end)

  it("refuses addresses and shapes that cannot be right", function()
    local from = ma.cuda.from_pointer
    local memory = ma.zeros(16)
    local p = memory:ptr()
    fails("address is NULL", from, 0, 3)
    fails("address is NULL", from, ffi.cast("float *", nil), 3)
    fails("address is NULL", from, 0LL, 3)
    fails("wanted an address", from, -8, 3)
    fails("wanted an address", from, -8LL, 3)
    fails("wanted an address", from, p + 0.5 ~= p and 4096.5 or 0.5, 3)
    fails("wanted an address", from, 2 ^ 60, 3)
    fails("wanted an address", from, "abcdefgh", 1)
    fails("wanted an address", from, true, 1)
    fails("wanted an address", from, memory, 1)
    fails("no argument 'shape'", from, p)
    fails("float64 needs a multiple of 8", from, p + 4, 1)
    fails("complex128 needs a multiple of 8", from, p + 4, 1, "complex128")
    fails("negative", from, p, { -1 })
    fails("too many elements", from, p, { 2 ^ 40, 2 ^ 40 })
    fails("axes", from, p, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 })
    fails("1 strides; the shape has 2 axes", from, p, { 2, 2 }, { strides = { 8 } })
    fails("a stride of 12 bytes on axis 2; float64 needs a multiple of 8", from, p, { 2, 2 }, { strides = { 32, 12 } })
    fails("strides is the number 8", from, p, { 2 }, { strides = 8 })
    fails("leave the address space", from, p, { 2 }, { strides = { -2 ^ 50 } })
    fails("span more than", from, p, { 2 ^ 30 }, { strides = { 2 ^ 52 } })
    fails("device", from, p, { 2 }, { device = "cuda:77" })
    if not on_gpu then fails("32 bytes; (5,) of float64 takes 40", from, ffi.new("double[4]"), 5) end
  end)

  it("asks the driver what the memory is", function()
    if not on_gpu then return pending("no GPU") end
    local from = ma.cuda.from_pointer
    local host = ffi.new("double[64]")
    local address = tonumber(ffi.cast("uintptr_t", host))
    fails("no memory that CUDA knows; wanted memory of " .. helper.device, from, address, 4)
    fails("no memory that CUDA knows", from, 4096, 4)
    local memory = ma.zeros(1000)
    fails("the memory there ends after", from, memory:ptr(), { 2 ^ 40 })
    assert.equal(0, from(memory:ptr(), 1000, "float64", memory):sum():item())
    local mine = from(address, 64, "float64", host, { device = "cpu" })
    assert.equal("cpu", mine.device)
    local count = ma.cuda.device_count()
    if count > 1 then
      local second = ma.cuda.Device(1):with(function() return ma.zeros(10) end)
      fails("which is memory of cuda:1; wanted memory of cuda:0, or device = 'cuda:1'", from, second:ptr(), 10)
    end
  end)
end)

describe("DLPack", function()
  it("carries every dtype and layout there and back without a copy", function()
    local failures = helper.failures()
    for _, dtype in ipairs(helper.dtypes) do
      for name, view in pairs(layouts(dtype)) do
        for version = 0, 1 do
          if not (view.readonly and version == 0) and (not helper.thin or dtype == "float32" or dtype == "bool") then
            failures:run(("%s %s version %d"):format(dtype, name, version), function()
              local capsule = view:dlpack { version = version }
              assert.equal(version == 1, capsule.versioned)
              local y = ma.from_dlpack(capsule)
              assert.is_true(capsule.consumed)
              assert.equal(view.readonly, y.readonly)
              assert.equal(helper.device, y.device)
              if view.size > 0 then assert.equal(view:ptr(), y:ptr()) end
              helper.identical(y, view, name)
            end)
          end
        end
      end
    end
    failures:check()
  end)

  it("describes an array as other libraries expect", function()
    local codes = { bool = 6, float16 = 2, float32 = 2, float64 = 2, bfloat16 = 4, complex64 = 5, complex128 = 5 }
    for _, dtype in ipairs(helper.dtypes) do
      local x = ma.zeros({ 2, 3, 4 }, dtype)
      local view = x.T["2:3, :, :"]
      for version = 0, 1 do
        local capsule = ma.to_dlpack(view, { version = version })
        local m = ffi.cast(version == 1 and "DLManagedTensorVersioned *" or "DLManagedTensor *", capsule:ptr())
        local t = m.t
        if version == 1 then
          assert.equal(1, m.major)
          assert.equal(0ULL, m.flags)
        end
        assert.equal(on_gpu and 2 or 1, t.device_type)
        assert.equal(0, t.device_id)
        assert.equal(3, t.ndim)
        assert.equal(codes[dtype] or dtype:match("^u") and 1 or 0, t.code)
        assert.equal(8 * helper.itemsize[dtype], t.bits)
        assert.equal(1, t.lanes)
        assert.equal(view:ptr(), tonumber(ffi.cast("uintptr_t", t.data)) + tonumber(t.byte_offset))
        for d = 1, 3 do
          assert.equal(view.shape[d], tonumber(t.shape[d - 1]))
          assert.equal(view.strides[d] / helper.itemsize[dtype], tonumber(t.strides[d - 1]))
        end
      end
    end
    local m = ffi.cast("DLManagedTensorVersioned *", ma.zeros(3):broadcast_to({ 2, 3 }):dlpack():release())
    assert.equal(1ULL, m.flags)                                 -- read-only
    m.deleter(m)
    local empty = ma.zeros({ 0, 3 }):dlpack()
    assert.equal(0, tonumber(ffi.cast("DLManagedTensorVersioned *", empty:ptr()).t.shape[0]))
  end)

  it("lets a capsule be consumed once, and frees it otherwise", function()
    local live = helper.live()
    local x = ma.arange(5, "float64")
    local capsule = x:dlpack()
    assert.matches("^<DLPack capsule, DLManagedTensorVersioned>$", tostring(capsule))
    assert.is_false(capsule.consumed)
    assert.equal(capsule:ptr(), capsule:ptr())
    x:free()
    x = nil                                                     -- luacheck: ignore
    assert.equal(live + 1, helper.live())                       -- the capsule holds the memory
    local y = ma.from_dlpack(capsule)
    assert.matches("consumed", tostring(capsule))
    fails("a capsule that was consumed before", ma.from_dlpack, capsule)
    fails("a capsule that was consumed", capsule.ptr, capsule)
    fails("a capsule that was consumed", capsule.release, capsule)
    fails("no attribute 'pointer'", function() return capsule.pointer end)
    assert.same({ 0, 1, 2, 3, 4 }, y:totable())
    local tail = y["4:5"]
    y:free()
    assert.same({ 3, 4 }, tail:totable())
    tail:free()
    assert.equal(live, helper.live())
    -- never taken
    x = ma.ones(3)
    capsule = x:dlpack()                                        -- luacheck: ignore
    x:free()
    capsule = nil                                               -- luacheck: ignore
    assert.equal(live, helper.live())
    -- given away, and ended by its deleter
    x = ma.ones(3)
    local m = ffi.cast("DLManagedTensor *", x:dlpack({ version = 0 }):release())
    x:free()
    assert.equal(live + 1, helper.live())
    m.deleter(m)
    assert.equal(live, helper.live())
  end)

  it("copies where it is asked to", function()
    local x = ma.arange(4, "float32")
    local y = ma.from_dlpack(x:dlpack(), { copy = true })
    assert.not_equal(x:ptr(), y:ptr())
    x:fill(9)
    assert.same({ 0, 1, 2, 3 }, y:totable())
    local shared = ma.from_dlpack(x)                            -- an array itself is a source too
    assert.equal(x:ptr(), shared:ptr())
    assert.is_false(ma.from_dlpack(ma.ones(3):broadcast_to({ 2, 3 }):dlpack(), { copy = true }).readonly)
  end)

  it("makes the memory ready for the stream that is named", function()
    local stream = ma.Stream { non_blocking = true }
    local x = ma.ones(100000, "float32")
    for _ = 1, 10 do x:iadd(1) end
    local y = ma.from_dlpack(x:dlpack { stream = stream }, { stream = stream })
    assert.equal(11 * 100000, stream:with(function() return (y * 1):sum():item() end))
    if on_gpu then
      fails("stream is one of cpu; the array is on cuda:0", x.dlpack, x, { stream = ma.numpy.Stream.null })
      fails("stream is one of cpu; the tensor is on cuda:0", ma.from_dlpack, x:dlpack(),
        { stream = ma.numpy.Stream.null })
    end
  end)

  it("refuses what it cannot say", function()
    fails("read-only", ma.to_dlpack, ma.zeros(3):broadcast_to { 2, 3 }, { version = 0 })
    fails("version is the string 'new'", ma.to_dlpack, ma.zeros(3), { version = "new" })
    fails("wanted an array", ma.to_dlpack, 3)
    assert.is_false(ma.zeros(3):dlpack({ version = { 0, 8 } }).versioned)
    assert.is_true(ma.zeros(3):dlpack({ version = { 1, 2 } }).versioned)
  end)
end)

-- ==== Tensors of a foreign producer ====

--- A tensor of 2 x 3 float32 on the host, as another library makes one, all in one block of malloc's that its deleter
--- frees.
local function foreign(versioned, change)
  local ctype = versioned and "DLManagedTensorVersioned" or "DLManagedTensor"
  local size = ffi.sizeof(ctype)
  local block = ffi.cast("char *", ffi.C.malloc(size + 128))
  ffi.fill(block, size + 128)
  local m = ffi.cast(ctype .. " *", block)
  local extents = ffi.cast("int64_t *", block + size)
  local data = ffi.cast("float *", block + size + 64)
  extents[0], extents[1], extents[2], extents[3] = 2, 3, 3, 1
  for k = 0, 5 do data[k] = k end
  m.t.data, m.t.device_type, m.t.ndim, m.t.code, m.t.bits, m.t.lanes, m.t.shape, m.t.strides = data, 1, 2, 2, 32, 1,
    extents, extents + 2
  if versioned then m.major, m.minor = 1, 0 end
  m.deleter = ffi.cast("void (*)(struct " .. ctype .. " *)", ffi.C.free)
  if change then change(m, extents) end
  return m
end

local function address_of(m) return tonumber(ffi.cast("uintptr_t", m)) end

describe("a foreign tensor", function()
  it("is told by the pointer's type, by its first bytes, or by the option", function()
    for _, versioned in ipairs { true, false } do
      local sources = { function(m) return m end, address_of, function(m) return ffi.cast("void *", m) end,
        function(m) return ffi.cast("int64_t", m) end }
      for _, source in ipairs(sources) do
        for _, option in ipairs { {}, { versioned = versioned } } do
          local x = ma.from_dlpack(source(foreign(versioned)), option)
          assert.equal("cpu", x.device)
          assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, x:totable())
          x:iadd(1)
          assert.equal(21, x:sum():item())
        end
      end
    end
    collect()
  end)

  it("has strides in elements, an offset in bytes, and flags", function()
    local function values(change, versioned)
      local x = ma.from_dlpack(foreign(versioned ~= false, change))
      return x:totable(), x
    end
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, values(function(m) m.t.strides = nil end))
    assert.same({ { 0, 2, 4 }, { 1, 3, 5 } }, values(function(_, e) e[2], e[3] = 1, 2 end))
    assert.same({ { 5, 4, 3 }, { 2, 1, 0 } }, values(function(m, e) e[2], e[3], m.t.byte_offset = -3, -1, 20 end))
    assert.same({ 4, 5 }, values(function(m, e) m.t.ndim, e[0], e[2], m.t.byte_offset = 1, 2, 1, 16 end))
    assert.same({ { 2, 2, 2 }, { 2, 2, 2 } }, values(function(m, e) e[2], e[3], m.t.byte_offset = 0, 0, 8 end))
    assert.equal(3, (values(function(m) m.t.ndim, m.t.byte_offset, m.t.shape, m.t.strides = 0, 12, nil, nil end)))
    local _, x = values(function(m) m.flags = 1 end)
    assert.is_true(x.readonly)
    fails("read-only", x.fill, x, 1)
    _, x = values(function(m) m.minor, m.flags = 99, 2 end)      -- a newer minor version, and a flag of a copy
    assert.is_false(x.readonly)
    _, x = values(function(m) m.t.device_type = 3 end)           -- page-locked memory of the host
    assert.equal("cpu", x.device)
    _, x = values(function(m, e) e[0], m.t.data = 0, nil end)     -- an empty one needs no memory
    assert.same({ 0, 3 }, x.shape)
    local kinds = { { 6, 8, "bool" }, { 0, 16, "int16" }, { 1, 64, "uint64" }, { 2, 16, "float16" },
      { 4, 16, "bfloat16" }, { 5, 64, "complex64" } }
    for _, kind in ipairs(kinds) do
      _, x = values(function(m) m.t.code, m.t.bits, m.t.ndim = kind[1], kind[2], 0 end)
      assert.equal(kind[3], x.dtype)
    end
    x = nil                                                     -- luacheck: ignore
    collect()
  end)

  it("has its deleter called once, when the last view goes", function()
    local calls = 0
    local function check()
      local deleter = ffi.cast("void (*)(struct DLManagedTensorVersioned *)", function() calls = calls + 1 end)
      local m = foreign(true, function(made) made.deleter = deleter end)
      local x = ma.from_dlpack(m)
      local view = x["2, :"]
      x:free()
      assert.equal(0, calls)
      assert.same({ 3, 4, 5 }, view:totable())
      view:free()
      assert.equal(1, calls)
      view:free()
      collect()
      assert.equal(1, calls)
      deleter:free()
      ffi.C.free(m)
      m = foreign(false, function(made) made.deleter = nil end)  -- there may be none
      ma.from_dlpack(m):free()
      ffi.C.free(m)
    end
    jit.off(check, true)
    check()
  end)

  it("that cannot be taken stays its producer's", function()
    local calls = 0
    local function check()
      local deleter = ffi.cast("void (*)(struct DLManagedTensorVersioned *)", function() calls = calls + 1 end)
      local function refused(text, change)
        local m = foreign(true, change)
        m.deleter = deleter
        fails(text, ma.from_dlpack, m)
        ffi.C.free(m)
      end
      refused("elements of 4 lanes; wanted one", function(m) m.t.lanes = 4 end)
      refused("type code 3 with 64 bits", function(m) m.t.code, m.t.bits = 3, 64 end)
      refused("type code 2 with 8 bits", function(m) m.t.bits = 8 end)
      refused("type code 0 with 4 bits", function(m) m.t.code, m.t.bits = 0, 4 end)
      refused("DLPack's device type 10", function(m) m.t.device_type = 10 end)
      refused("cuda:77", function(m) m.t.device_type, m.t.device_id = 2, 77 end)
      refused("17 axes", function(m) m.t.ndim = 17 end)
      refused("-1 axes", function(m) m.t.ndim = -1 end)
      refused("without a shape", function(m) m.t.shape = nil end)
      refused("negative", function(_, e) e[1] = -3 end)
      refused("NULL pointer", function(m) m.t.data = nil end)
      refused("multiple of 4", function(m) m.t.byte_offset = 2 end)
      refused("too many elements", function(_, e) e[0], e[1] = 2LL ^ 40, 2LL ^ 40 end)
      refused("a stride of", function(_, e) e[2] = 2LL ^ 62 end)
      refused("span more than", function(_, e) e[0], e[2] = 2LL ^ 20, 2LL ^ 50 end)
      refused("a tensor of DLPack 2.0; wanted major version 1", function(m) m.major = 2 end)
      assert.equal(0, calls)
      deleter:free()
    end
    jit.off(check, true)
    check()
    fails("source is NULL", ma.from_dlpack, 0)
    fails("source is NULL", ma.from_dlpack, ffi.cast("void *", nil))
    fails("a managed tensor is at a multiple of 8", ma.from_dlpack, 4097)
    fails("source is the string 'abc'", ma.from_dlpack, "abc")
    fails("no argument 'source'", ma.from_dlpack, nil)
    fails("wanted an address", ma.from_dlpack, {})
  end)

  it("on a GPU must be memory of that GPU", function()
    if not on_gpu then return pending("no GPU") end
    local m = foreign(true, function(made) made.t.device_type = 2 end)
    fails("no memory that CUDA knows", ma.from_dlpack, m)
    local x = ma.arange(6, "float32")
    for _, kind in ipairs { 2, 13 } do
      m.t.device_type, m.t.data = kind, ffi.cast("void *", x:ptr())
      m.deleter = nil
      local y = ma.from_dlpack(m)
      assert.equal(helper.device, y.device)
      assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, y:totable())
      y:free()
    end
    ffi.C.free(m)
  end)
end)
