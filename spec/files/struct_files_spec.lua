--- Arrays of structs in .npy and .npz files and in strings, and beside DLPack.

local helper = require "spec.helper"
local ma = helper.ma

local found, ffi = pcall(require, "ffi")
if not found then return end

ffi.cdef [[
typedef struct { float x, y; int32_t hp; } moonarray_files_unit;
typedef struct { int64_t hp; float y, x; } moonarray_files_other;
typedef struct {
  uint8_t kind; float m[2][3]; char *name; double v; int16_t k[3]; float _Complex c; uint8_t on; uint16_t half, brain;
} moonarray_files_body;
typedef struct { union { float f; int32_t i; }; } moonarray_files_union;
]]

local unit = ma.struct "moonarray_files_unit"
local body = ma.struct("moonarray_files_body", { { "kind", "uint8" }, { "m", "float32" }, { "v", "float64" },
  { "k", "int16" }, { "c", "complex64" }, { "on", "bool" }, { "half", "float16" }, { "brain", "bfloat16" } })
local kinds = { unit = { unit, 4 }, one = { unit, {} }, none = { unit, 0 },
  some = { ma.struct("moonarray_files_unit", { { "y", "float32" } }), 3 }, body = { body, { 2, 3 } } }

--- The structs of a golden file, as spec/golden/files/structs.py makes them.
local function filled(name)
  local struct, shape = unpack(kinds[name])
  local structs = ma.zeros(shape, struct)
  for place, field in ipairs(struct.fields) do
    local part = structs:field(field[1])
    part[{}] = (ma.range(1, part.size) * place):reshape(part.shape)
  end
  return structs
end

local function bytes_of(hex) return (hex:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)) end

describe("structs in files", function()
  it("are written and read as NumPy does", function()
    local count, as_hex = 0, function(c) return ("%02x"):format(c:byte()) end
    for _, record in ipairs(helper.golden("structs")) do
      local name, file = unpack(record)
      local structs = filled(name)
      assert.equal(file, (structs:dumps():gsub(".", as_hex)), name)
      local back = ma.loads(bytes_of(file), { dtype = kinds[name][1] })
      assert.equal(tostring(structs), tostring(back), name)
      assert.equal(helper.device, back.device)
      for _, field in ipairs(kinds[name][1].fields) do
        local of = ma.loads(bytes_of(file))[field[1]]
        assert.is_true(structs:field(field[1]):array_equal(of), name)
      end
      count = count + 1
    end
    assert.equal(5, count)
  end)

  it("are in files of one and of several arrays", function()
    local path = os.tmpname()
    local units = filled "unit"
    ma.save(path, units)
    assert.equal(tostring(units), tostring(ma.load(path .. ".npy", { dtype = unit })))
    assert.equal("cpu", ma.load(path .. ".npy", { dtype = unit, device = "cpu" }).device)
    for _, save in ipairs { ma.savez, ma.savez_compressed } do
      save(path, units["2:3"], { z = ma.arange(3), bodies = filled "body" })
      local all = ma.load(path .. ".npz", { dtype = unit, members = { "arr_0", "z" } })
      assert.equal(tostring(units["2:3"]), tostring(all.arr_0))
      assert.same({ 0, 1, 2 }, all.z:totable())
      assert.same({ 2, 4, 6 }, ma.load(path .. ".npz").bodies.m["1, 1, 1"]:totable())
    end
    for _, tail in ipairs { "", ".npy", ".npz" } do os.remove(path .. tail) end
  end)

  it("are written in C order, whatever part they are", function()
    local all = filled "body"
    local part = all["1:2, 1:3:2"]
    local back = ma.loads(part:dumps(), { dtype = body })
    assert.same(part:totable(), back:totable())
    assert.same(part:totable(), ma.loads(ma.dumps(part), { dtype = body }):totable())
  end)

  it("become structs of another layout by the names of their fields", function()
    local other = ma.struct("moonarray_files_other", { { "x", "float32" }, { "y", "float32" } })
    local got = ma.loads(filled("unit"):dumps(), { dtype = other })
    assert.same({ { x = 1, y = 2 }, { x = 2, y = 4 }, { x = 3, y = 6 }, { x = 4, y = 8 } }, got:totable())
  end)

  it("that do not fit are errors", function()
    local fails, file = helper.fails_with, filled("unit"):dumps()
    fails("moonarray.loads: the .npy file has a field 'hp' of another dtype or shape; wanted moonarray_files_other {",
      ma.loads, file, { dtype = ma.struct "moonarray_files_other" })
    fails("moonarray.loads: the .npy file has no field 'kind'; wanted moonarray_files_body {", ma.loads, file,
      { dtype = body })
    fails("moonarray.loads: the .npy file has float64; wanted structs, as dtype says", ma.loads, ma.ones(2):dumps(),
      { dtype = unit })
    local header = "{'descr': '|S1', 'fortran_order': False, 'shape': (1,), }"
    fails("moonarray.loads: the .npy file has texts; wanted structs", ma.loads,
      "\147NUMPY\1\0" .. string.char(#header, 0) .. header .. "a", { dtype = unit })
    fails("moonarray.loads: dtype is the string 'float32'; wanted a struct of ma.struct", ma.loads, file,
      { dtype = "float32" })
    fails("moonarray.load: dtype is a struct array of", ma.load, "x.npy", { dtype = filled "unit" })
    fails("moonarray.dumps: the field 'i' of moonarray_files_union shares bytes with another one", ma.dumps,
      ma.zeros(2, ma.struct "moonarray_files_union"))
    fails("moonarray.dumps: a is a struct dtype; wanted an array", ma.dumps, unit)
    fails("moonarray.save: arr is a struct dtype", ma.save, os.tmpname(), unit)
    local members = {}
    for k = 1, 700 do members[k] = ("int field_%d;"):format(k) end
    local wide = ma.struct(ffi.typeof("struct { " .. table.concat(members) .. " }"))
    fails("moonarray.dumps: a struct whose fields take 15292 bytes in a .npy header; at most 9000", ma.dumps,
      ma.zeros(1, wide))
  end)

  it("are no tensors of DLPack, as in NumPy, but their fields are", function()
    local units = filled "unit"
    helper.fails_with("moonarray.to_dlpack: a is a struct array of moonarray_files_unit (its fields are arrays: "
      .. "units.x)", ma.to_dlpack, units)
    assert.same({ 3, 6, 9, 12 }, ma.from_dlpack(ma.to_dlpack(units.hp)):get():totable())
  end)
end)
