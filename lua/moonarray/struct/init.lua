--- ma.struct: a C struct as a dtype. An array of structs holds its bytes, an array of uint8 with one more axis, and its
--- fields are views of them by core.field; so no operation of the core knows of structs.
--# create

local sformat, concat = require("moonarray.text").format, table.concat

--- Numbers of C that may hold elements of other dtypes, which C has no type for.
local also = { uint16 = { float16 = true, bfloat16 = true }, uint8 = { bool = true } }

return function(ma, core)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local found, ffi = pcall(require, "ffi")
  local has_types = found and ffi.typeinfo   ---@diagnostic disable-line: undefined-field
  local NAME = "struct"

  --- What a dtype holds (core.held).
  ---@class moonarray.struct.state
  ---@field name string
  ---@field id integer          of the C type
  ---@field size integer        bytes of one struct
  ---@field fields table[]      in the order of the call: name, dtype, offset, itemsize, shape, NumPy's code
  ---@field by table            the same by name
  ---@field align integer       the bytes of the widest element
  ---@field number integer      tells it from others
  ---@field key string          and in kernels
  ---@field object table        the dtype
  ---@field class table         the metatable of arrays
  local structs = {}
  core.structs = structs

  --> = struct | ma.struct(require("ffi").typeof "struct { float x, y; }") | A C struct as a dtype: of ma.zeros,
  --> \ ma.empty and ma.frombuffer.
  --> . name: string | the name of the C type
  --> . itemsize: integer | bytes of one struct
  --> . fields: table | {name, dtype} of each field
  --> . ctype: any | LuaJIT's type, for ffi.new
  local attributes = { itemsize = "size", name = "name", ctype = "ctype" }
  local Struct = { __metatable = "struct dtype" }

  function Struct.__index(self, key)
    local struct = core.held(self)
    if attributes[key] then return struct[attributes[key]] end
    if key ~= "fields" then core.unknown("struct", key, attributes, { fields = true }) end
    local list = {}
    for k, field in ipairs(struct.fields) do list[k] = { field.name, field.dtype } end
    return list
  end

  function Struct.__newindex(_, key)
    fail(NAME, sformat("an assignment to '%s' of a struct dtype; it stays as it was made", tostring(key)))
  end

  function Struct.__call() fail(NAME, "a call of a struct dtype; write ma.zeros(shape, s) of a struct s") end

  --- "unit_t {x: float32, y: float32, hp: int32}"
  function structs.text(struct)
    local list = {}
    for k, field in ipairs(struct.fields) do
      list[k] = sformat("%s: %s%s", field.name, field.dtype, #field.shape > 0 and sformat(" (%s)",
        concat(field.shape, ", ")) or "")
    end
    return sformat("%s {%s}", struct.name, concat(list, ", "))
  end

  function Struct.__tostring(self) return structs.text(core.held(self)) end

  -- ==== The C type ==================================================================================================

  --- The C type that a name or a type of LuaJIT's means, and its name.
  local function read_ctype(given)
    if not has_types then fail(NAME, "needs LuaJIT 2.1's ffi, which is not here") end
    if type(given) ~= "string" and not (type(given) == "cdata" and tostring(given):find "^ctype<") then
      fail(NAME, sformat("ctype is %s; wanted the name of a C struct, or a type of ffi.typeof", core.describe(given)))
    end
    local known, ctype = pcall(ffi.typeof, given)
    if not known then fail(NAME, sformat("ctype is '%s'; %s", given, tostring(ctype):gsub("^.-:%d+: ", ""))) end
    local name = type(given) == "string" and given or tostring(ctype):match "^ctype<(.*)>$"
    name = name:gsub("^struct ", "")
    return ctype, name:find "^%d" and "struct" or name
  end

  --- A field of C as one of an array: its dtype, where it lies, and further axes if it is an array; else why it cannot
  --- be one, and whether it is for its place alone.
  local function read_field(ctypes, name, t, offset, size)
    local shape = {}
    while ctypes.is_array(t) do
      local element = ctypes.describe(t.child)
      if element.size == 0 or not t.size then return nil, "an array without an end" end
      shape[#shape + 1], t = t.size / element.size, element
    end
    local dtype = ctypes.dtype(t)
    if not dtype then
      return nil, t.kind == ctypes.STRUCT and "a struct" or t.kind == ctypes.PTR and "a pointer" or "no number"
    end
    if offset % t.size ~= 0 or size % t.size ~= 0 then
      return nil, sformat("%s at byte %d of a struct of %d bytes; wanted multiples of its %d bytes, as arrays have "
        .. "(the struct is packed, or wants another order of fields)", dtype, offset, size, t.size), true
    end
    return { name = name, dtype = dtype, offset = offset, itemsize = t.size, shape = shape }
  end

  --- All fields of the C type: those that arrays can have by name, and why the others cannot.
  local function read_fields(struct, t, ctypes)
    local names, by, why, displaced = {}, {}, {}, {}
    ctypes.each_field(t, 0, function(name, of)
      names[#names + 1] = name
      local offset = ffi.offsetof(struct.ctype, name)
      by[name], why[name], displaced[name] = read_field(ctypes, name, of, offset, struct.size)
    end)
    return { names = names, by = by, why = why, displaced = displaced }
  end

  local function shown(value)
    return type(value) == "string" and sformat("'%s'", value) or core.describe(value)
  end

  --- Adds a field that the caller named, of the dtype that was asked for.
  local function add_field(struct, k, given, all)
    if type(given) ~= "table" or type(given[1]) ~= "string" or type(given[2]) ~= "string" or #given ~= 2 then
      fail(NAME, sformat("field %d is %s; wanted a name and a dtype, such as {\"x\", \"float32\"}", k, shown(given)))
    end
    local name = given[1]
    local known, dtype = pcall(ma.result_type, given[2])
    if not known then fail(NAME, sformat("field '%s' is '%s'; wanted a dtype such as 'float32'", name, given[2])) end
    local field = all.by[name]
    if not field and all.why[name] then
      fail(NAME, sformat("field '%s' of %s is %s", name, struct.name, all.why[name]))
    elseif not field then
      fail(NAME, sformat("no field '%s' of %s; there are %s", name, struct.name, concat(all.names, ", ")))
    elseif struct.by[name] then fail(NAME, sformat("field '%s' is given twice", name))
    elseif dtype ~= field.dtype and not (also[field.dtype] and also[field.dtype][dtype]) then
      fail(NAME, sformat("field '%s' is declared %s; in %s it is %s", name, dtype, struct.name, field.dtype))
    end
    struct.fields[k] = { name = name, dtype = dtype, offset = field.offset, itemsize = field.itemsize,
      shape = field.shape }
    struct.by[name] = struct.fields[k]
  end

  local made, count = {}, 0              -- by C type and fields, so that the same struct is the same dtype
  local of_id = {}                       -- by C type, with all fields

  --- `given_as_value`: the C type may be that of an element of an array, which is a reference.
  local function make(ctype, name, given, given_as_value)
    local ctypes = require "moonarray.struct.ctype"
    local t, of_reference = ctypes.describe(tonumber(ffi.typeof(ctype))), ""
    if given_as_value and ctypes.is_reference(t) then t, of_reference = ctypes.describe(t.child), "& " end
    local size = t.kind == ctypes.STRUCT and ffi.sizeof(ctype)
    if not size or size == 0 then
      fail(NAME, sformat("ctype is '%s'; wanted a struct whose size is known", name))
    end
    local struct = { name = name, id = t.id, ctype = ctype, size = size, fields = {}, by = {}, align = 1 }
    local all = read_fields(struct, t, ctypes)
    if given == nil then
      given = {}
      for _, of in ipairs(all.names) do
        local field = all.by[of]
        if field or all.displaced[of] then given[#given + 1] = { of, field and field.dtype or "uint8" } end
      end
    end
    common.type(NAME, "fields", given, "table")
    for k, field in ipairs(given) do add_field(struct, k, field, all) end
    if #struct.fields == 0 then fail(NAME, sformat("no fields of %s; wanted at least one that is a number", name)) end
    for _, field in ipairs(struct.fields) do
      struct.align = math.max(struct.align, field.itemsize)
      field.code = core.npy_code(field.dtype)
    end
    local text = of_reference .. t.id .. " " .. structs.text(struct)
    if not made[text] then
      structs.finish(struct)
      count = count + 1
      struct.object, struct.number, struct.key = core.hold(Struct, struct), count, "struct" .. count
      made[text] = struct.object
    end
    return made[text]
  end

  --- The struct that a value of the FFI is, with all fields; nil for another value.
  function structs.of_value(value)
    if not has_types then return nil end
    local ctypes = require "moonarray.struct.ctype"
    local t = ctypes.describe(tonumber(ffi.typeof(value)))
    if ctypes.is_reference(t) then t = ctypes.describe(t.child) end
    if t.kind ~= ctypes.STRUCT then return nil end
    local name = tostring(ffi.typeof(value)):match "^ctype<struct ([%a_][%w_]*)" or "struct"
    local ctype = tostring(ffi.typeof(value))
    local key = ctype:find "&>$" and not of_id[t.id] and "&" .. t.id or t.id
    of_id[key] = of_id[key] or core.held(make(ffi.typeof(value), name, nil, true))
    return of_id[key]
  end

  --> struct: local ffi = require "ffi"
  -->   return ma.zeros(2, ma.struct(ffi.typeof "struct { float x, y; int hp; }", {{"x", "float32"}, {"hp", "int32"}}))
  core.def("struct(ctype: string|ffi.cdata*, fields?: table) -> struct",
    "A C struct that ffi.cdef declared as a dtype of ma.zeros, ma.empty and ma.frombuffer. `fields` lists {name, "
      .. "dtype} of those that arrays and kernels see, by default all that are numbers or arrays of numbers; they are "
      .. "compared with the C type.",
    function(ctype, fields)
      local read, name = read_ctype(ctype)
      return make(read, name, fields)
    end)

  require "moonarray.struct.array" (ma, core)
  require "moonarray.struct.element" (core)
end
